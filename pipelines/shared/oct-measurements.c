/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-measurements.h"
#include "gstoctmeterlog.h"
#include "oct-disk.h"
#include "oct-file-mode.h"

#include <string.h>

/* A disk that hangs lets no more than these wait. */
#define MOST_WAITING 64
#define N_KINDS 2

/* Names of octmeter's measurements, and endings of their files. */
static const char *const kinds[N_KINDS] = { "spectra", "ascans" };

/* Summary of one field. */
typedef struct {
  const char *name; /* interned */
  guint64 count;
  double sum, least, most;
} Summary;

typedef struct {
  gint64 taken_at;     /* the last one, monotonic; under the lock */
  GstOctMeterLog *log; /* NULL: none yet */
  GArray *summaries;   /* Summary, in the order of the columns */
} Kind;

struct _OctMeasurements {
  char *output;
  guint mode;
  gboolean failed; /* and reported */

  GMutex lock;
  GQueue waiting; /* GstStructure */
  Kind kinds[N_KINDS];
};

static char *
measurements_make_path (const char *output, const char *kind)
{
  return g_strdup_printf ("%s-%s.csv", output, kind);
}

static const char *const names[] = { "spectra", "ascans", "meters" };

char *
oct_measurements_list (const char *output, const char *separator)
{
  g_autofree char *base = g_path_get_basename (output);
  GString *list = g_string_new (NULL);

  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    g_autofree char *name = measurements_make_path (base, names[i]);

    g_string_append_printf (list, "%s%s", i > 0 ? separator : "", name);
  }
  return g_string_free (list, FALSE);
}

gboolean
oct_measurements_check (const char *output, GError **error)
{
  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    g_autofree char *path = measurements_make_path (output, names[i]);

    if (!oct_disk_check_new_file (path, error))
      return FALSE;
  }
  return TRUE;
}

OctMeasurements *
oct_measurements_new (const char *output, guint mode)
{
  OctMeasurements *self = g_new0 (OctMeasurements, 1);

  self->output = g_strdup (output);
  self->mode = mode;
  g_mutex_init (&self->lock);
  g_queue_init (&self->waiting);
  for (guint i = 0; i < N_KINDS; i++)
    self->kinds[i].summaries = g_array_new (FALSE, TRUE, sizeof (Summary));
  return self;
}

void
oct_measurements_free (OctMeasurements *self)
{
  if (self == NULL)
    return;
  for (guint i = 0; i < N_KINDS; i++) {
    g_clear_pointer (&self->kinds[i].log, gst_oct_meter_log_free);
    g_array_unref (self->kinds[i].summaries);
  }
  g_queue_clear_full (&self->waiting, (GDestroyNotify)gst_structure_free);
  g_mutex_clear (&self->lock);
  g_free (self->output);
  g_free (self);
}

static Kind *
find_kind (OctMeasurements *self, const GstStructure *measurement)
{
  const char *of = gst_structure_get_string (measurement, "of");

  for (guint i = 0; i < N_KINDS; i++)
    if (g_strcmp0 (of, kinds[i]) == 0)
      return &self->kinds[i];
  return NULL;
}

/* TRUE when the one before is long enough ago. */
static gboolean
measurements_is_due (OctMeasurements *self, Kind *kind)
{
  gint64 now = g_get_monotonic_time ();

  if (kind->taken_at != 0 && now - kind->taken_at < OCT_MEASUREMENTS_TIME)
    return FALSE;
  kind->taken_at = now;
  return TRUE;
}

void
oct_measurements_add (OctMeasurements *self, const GstStructure *measurement)
{
  Kind *kind = find_kind (self, measurement);

  if (kind == NULL || gst_structure_has_field (measurement, "problem"))
    return;
  g_mutex_lock (&self->lock);
  if (self->waiting.length < MOST_WAITING && measurements_is_due (self, kind)) {
    GstStructure *copy = gst_structure_copy (measurement);

    gst_structure_remove_fields (copy, "curve", "curve-full", NULL);
    g_queue_push_tail (&self->waiting, copy);
  }
  g_mutex_unlock (&self->lock);
}

/* ------------------------------------------------------------------- writing
 */

static void
measurements_fail (OctMeasurements *self, GError **error)
{
  if (!self->failed)
    g_printerr ("Note: %s Nothing more is measured for this recording, which "
                "goes on.\n",
        (*error)->message);
  self->failed = TRUE;
  g_clear_error (error);
}

static void
measurements_count (Kind *kind, const char *name, double value)
{
  Summary *summary = NULL;

  for (guint i = 0; i < kind->summaries->len; i++) {
    summary = &g_array_index (kind->summaries, Summary, i);
    if (g_str_equal (summary->name, name))
      break;
    summary = NULL;
  }
  if (summary == NULL) {
    Summary fresh = { g_intern_string (name), 0, 0, G_MAXDOUBLE, -G_MAXDOUBLE };

    g_array_append_val (kind->summaries, fresh);
    summary =
        &g_array_index (kind->summaries, Summary, kind->summaries->len - 1);
  }
  summary->count++;
  summary->sum += value;
  summary->least = MIN (summary->least, value);
  summary->most = MAX (summary->most, value);
}

static void
measurements_count_fields (Kind *kind, const GstStructure *measurement)
{
  for (gint i = 0; i < gst_structure_n_fields (measurement); i++) {
    const char *name = gst_structure_nth_field_name (measurement, (guint)i);
    const GValue *value = gst_structure_get_value (measurement, name);

    if (G_VALUE_HOLDS_DOUBLE (value))
      measurements_count (kind, name, g_value_get_double (value));
  }
}

static void
write_one (OctMeasurements *self, const GstStructure *measurement)
{
  Kind *kind = find_kind (self, measurement);
  g_autoptr (GError) error = NULL;

  if (self->failed)
    return;
  if (kind->log == NULL) {
    g_autofree char *path =
        measurements_make_path (self->output, kinds[kind - self->kinds]);

    kind->log = gst_oct_meter_log_new (path, self->mode, &error);
  }
  if (kind->log == NULL
      || !gst_oct_meter_log_add (kind->log, measurement, &error))
    measurements_fail (self, &error);
  else
    measurements_count_fields (kind, measurement);
}

static void
measurements_append_number (GString *text, double value)
{
  char number[G_ASCII_DTOSTR_BUF_SIZE];

  g_string_append_c (text, ',');
  g_string_append (
      text, g_ascii_formatd (number, sizeof number, "%.9g", value));
}

static void
write_summary (OctMeasurements *self)
{
  g_autoptr (GString) text = g_string_new ("of,field,measurements,mean,least,"
                                           "most\n");
  gsize head = text->len;
  g_autofree char *path = measurements_make_path (self->output, "meters");
  g_autoptr (GError) error = NULL;

  for (guint k = 0; k < N_KINDS; k++)
    for (guint i = 0; i < self->kinds[k].summaries->len; i++) {
      Summary *s = &g_array_index (self->kinds[k].summaries, Summary, i);

      g_string_append_printf (
          text, "%s,%s,%" G_GUINT64_FORMAT, kinds[k], s->name, s->count);
      measurements_append_number (text, s->sum / s->count);
      measurements_append_number (text, s->least);
      measurements_append_number (text, s->most);
      g_string_append_c (text, '\n');
    }
  if (text->len > head && !self->failed
      && oct_disk_check_new_file (path, &error)
      && oct_file_mode_write (
          path, text->str, (gssize)text->len, self->mode, &error))
    return;
  if (error != NULL)
    measurements_fail (self, &error);
}

static void
close_logs (OctMeasurements *self)
{
  for (guint i = 0; i < N_KINDS; i++) {
    g_autoptr (GError) error = NULL;

    if (self->kinds[i].log != NULL
        && !gst_oct_meter_log_close (
            g_steal_pointer (&self->kinds[i].log), &error))
      measurements_fail (self, &error);
  }
}

void
oct_measurements_write (OctMeasurements *self, gboolean last)
{
  for (;;) {
    GstStructure *measurement;

    g_mutex_lock (&self->lock);
    measurement = g_queue_pop_head (&self->waiting);
    g_mutex_unlock (&self->lock);
    if (measurement == NULL)
      break;
    write_one (self, measurement);
    gst_structure_free (measurement);
  }
  if (!last)
    return;
  close_logs (self);
  write_summary (self);
}
