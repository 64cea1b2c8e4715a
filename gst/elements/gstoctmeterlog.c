/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstoctmeterlog.h"
#include "oct-file-mode.h"
#include "oct-types.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static const char *const spectra[] = { "bscans", "missing", "missing-lines",
  "timestamp", "lines", "maximum", "mean", "saturated", "black-level",
  "centroid", "fwhm", "centre-nm", "fwhm-nm", "resolution-formula-um",
  "resolution-spectrum-um", "resolution-hann-um", "resolution-window-um",
  "camera-gain", "read-noise", "intensity-noise", "shot-noise-floor",
  "x-spacing-um", "y-spacing-um", NULL };

static const char *const ascans[] = { "bscans", "missing", "missing-lines",
  "timestamp", "lines", "peak", "peak-um", "level", "width-3db", "width-3db-um",
  "width-6db", "width-6db-um", "width-20db", "width-20db-um", "side-lobe",
  "noise-floor", "snr", "sensitivity", "phase-noise", "phase-limit",
  "roll-off-depths", "roll-off", "roll-off-mm", "lost-6db", "lost-6db-mm",
  "x-spacing-um", "y-spacing-um", NULL };

struct _GstOctMeterLog {
  char *path;
  int fd;
  const char *const *columns; /* NULL: not decided yet */
};

static void
meter_log_set_error (GError **error, const char *path, int code)
{
  if (code == EEXIST)
    g_set_error (error, OCT_ERROR, OCT_ERROR_WRITE,
        "Measurements '%s' exist already and are never overwritten; set "
        "`location` of octmeter to another name.",
        path);
  else
    g_set_error (error, OCT_ERROR,
        code == ENOSPC || code == EDQUOT ? OCT_ERROR_DISK_FULL
                                         : OCT_ERROR_WRITE,
        "Measurements '%s' cannot be written: %s; check the folder and "
        "`location` of octmeter.",
        path, g_strerror (code));
}

GstOctMeterLog *
gst_oct_meter_log_new (const char *path, guint mode, GError **error)
{
  int fd = oct_file_mode_create (path, O_WRONLY | O_APPEND, mode);
  GstOctMeterLog *log;

  if (fd < 0) {
    meter_log_set_error (error, path, errno);
    return NULL;
  }
  log = g_new0 (GstOctMeterLog, 1);
  log->path = g_strdup (path);
  log->fd = fd;
  return log;
}

gboolean
gst_oct_meter_log_close (GstOctMeterLog *log, GError **error)
{
  int code = oct_file_end (log->fd, 0);

  if (code != 0)
    meter_log_set_error (error, log->path, code);
  g_free (log->path);
  g_free (log);
  return code == 0;
}

void
gst_oct_meter_log_free (GstOctMeterLog *log)
{
  (void)gst_oct_meter_log_close (log, NULL);
}

/* Empty if the measurement has no such field. */
static void
append_value (GString *line, const GstStructure *measurement, const char *name)
{
  const GValue *value = gst_structure_get_value (measurement, name);
  char text[G_ASCII_DTOSTR_BUF_SIZE];

  g_string_append_c (line, ',');
  if (value == NULL)
    return;
  if (G_VALUE_HOLDS_DOUBLE (value))
    g_string_append (line, g_ascii_formatd (text, sizeof text, "%.9g",
                               g_value_get_double (value)));
  else if (G_VALUE_HOLDS_UINT (value))
    g_string_append_printf (line, "%u", g_value_get_uint (value));
  else if (G_VALUE_HOLDS_UINT64 (value))
    g_string_append_printf (
        line, "%" G_GUINT64_FORMAT, g_value_get_uint64 (value));
}

static gboolean
meter_log_write_all (GstOctMeterLog *log, const GString *text, GError **error)
{
  gsize done = 0;

  while (done < text->len) {
    gssize count = write (log->fd, text->str + done, text->len - done);

    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0) {
      meter_log_set_error (error, log->path, count < 0 ? errno : EIO);
      return FALSE;
    }
    done += (gsize)count;
  }
  return TRUE;
}

gboolean
gst_oct_meter_log_add (
    GstOctMeterLog *log, const GstStructure *measurement, GError **error)
{
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (GDateTime) now = g_date_time_new_now_utc ();
  g_autofree char *time = g_date_time_format (now, "%Y-%m-%dT%H:%M:%S.%fZ");
  const char *of = gst_structure_get_string (measurement, "of");

  if (log->columns == NULL) {
    log->columns = g_str_equal (of, "ascans") ? ascans : spectra;
    g_string_append (text, "time,of");
    for (guint i = 0; log->columns[i] != NULL; i++)
      g_string_append_printf (text, ",%s", log->columns[i]);
    g_string_append_c (text, '\n');
  }
  g_string_append_printf (text, "%s,%s", time, of);
  for (guint i = 0; log->columns[i] != NULL; i++)
    append_value (text, measurement, log->columns[i]);
  g_string_append_c (text, '\n');
  return meter_log_write_all (log, text, error);
}
