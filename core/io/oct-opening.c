/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-opening.h"

#include "oct-file.h"

/* B-scans that a file may announce for each one that it has: a scan may have
 * been stopped early, but a volume of black B-scans is of use to nobody. */
#define MAX_ANNOUNCED 1000

void
oct_format_add_file (GPtrArray *files, const char *path)
{
  if (g_file_test (path, G_FILE_TEST_EXISTS))
    g_ptr_array_add (files, g_strdup (path));
}

void
oct_format_add_beside (GPtrArray *files, const char *path,
    gboolean (*belongs) (const char *name, gconstpointer data),
    gconstpointer data)
{
  g_autofree char *folder = g_path_get_dirname (path);
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);

  (void)oct_file_list_folder (folder, names, NULL);
  for (guint i = 0; i < names->len; i++)
    if (belongs (names->pdata[i], data))
      g_ptr_array_add (files, g_build_filename (folder, names->pdata[i], NULL));
}

/* -------------------------------------------------------------------- sizes */

gboolean
oct_opening_check_raw_only (
    const OctOpening *opening, const char *name, GError **error)
{
  if (opening->settings->packing != OCT_PACKING_NONE) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "%s is %s, which tells how its values are stored, but `packing` is "
        "set; leave it none or set `format` to raw",
        opening->file, name);
    return FALSE;
  }
  if (opening->settings->header_size == 0)
    return TRUE;
  g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
      "%s is %s, which tells the size of its header, but `header-size` is set "
      "to %" G_GUINT64_FORMAT "; leave it 0 or set `format` to raw",
      opening->file, name, opening->settings->header_size);
  return FALSE;
}

gboolean
oct_opening_count_frames (OctOpening *opening, guint64 samples, guint64 lines,
    guint64 wanted, GError **error)
{
  guint64 bytes, frame_bytes;

  if (samples > OCT_MAX_SAMPLES || lines > OCT_MAX_LINES
      || samples * lines > OCT_MAX_BSCAN_VALUES) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "%s would have B-scans of %" G_GUINT64_FORMAT
        " lines of %" G_GUINT64_FORMAT " samples, but at most %u lines of %u "
        "samples and %u values in all are possible; set `lines` or `samples` "
        "smaller",
        opening->file, lines, samples, OCT_MAX_LINES, OCT_MAX_SAMPLES,
        OCT_MAX_BSCAN_VALUES);
    return FALSE;
  }

  frame_bytes = samples * lines * oct_stored_get (opening->stored)->size;
  bytes = opening->file_size - MIN (opening->data_offset, opening->file_size);
  if (opening->container != NULL)
    bytes = wanted;
  else if (wanted)
    bytes = MIN (bytes, wanted);
  if (bytes < frame_bytes) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_FORMAT,
        "%s holds %" G_GUINT64_FORMAT " bytes of spectra, but one B-scan of "
        "%" G_GUINT64_FORMAT " lines of %" G_GUINT64_FORMAT " samples needs "
        "%" G_GUINT64_FORMAT "; %s",
        opening->file, bytes, lines, samples, frame_bytes,
        wanted ? "it was cut off, copy or save it again"
               : "set `samples`, `lines`, `sample-format` or `header-size` to "
                 "what was recorded");
    return FALSE;
  }
  opening->info.samples = samples;
  opening->info.lines = lines;
  opening->info.frames = bytes / frame_bytes;
  opening->info.leftover_bytes = bytes % frame_bytes;
  opening->info.announced =
      wanted ? wanted / frame_bytes : opening->info.frames;
  return TRUE;
}

gboolean
oct_opening_check_present (const OctOpening *opening, guint64 announced,
    guint64 present, GError **error)
{
  g_autofree char *list = NULL;

  if (present > 0 && announced / present <= MAX_ANNOUNCED)
    return TRUE;
  list = oct_missing_describe (opening->missing);
  g_set_error (error, OCT_ERROR, OCT_ERROR_FORMAT,
      "%s says that it has %" G_GUINT64_FORMAT
      " B-scans, but only %" G_GUINT64_FORMAT
      " are there%s%s; copy it again, or save those that are there alone",
      opening->file, announced, present, *list != '\0' ? ": missing are " : "",
      list);
  return FALSE;
}

/* FALSE with an error when the user's `setting` is not the `found` of the
 * file. */
static gboolean
check_setting (const OctOpening *opening, const char *text,
    const char *property, guint setting, guint64 found, GError **error)
{
  if (setting == 0 || setting == found)
    return TRUE;
  g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
      "%s has the shape %s, thus %s %" G_GUINT64_FORMAT ", but `%s` is set to "
      "%u; leave `%s` 0 or set it to %" G_GUINT64_FORMAT,
      opening->file, text, property, found, property, setting, property, found);
  return FALSE;
}

gboolean
oct_opening_take_shape (OctOpening *opening, guint dims, const guint64 *shape,
    const char *text, GError **error)
{
  const OctReaderSettings *settings = opening->settings;
  guint64 samples = shape[dims - 1], lines = dims > 1 ? shape[dims - 2] : 1;
  guint64 bscans = dims > 2 ? shape[0] : 1, total;

  g_assert (dims >= 1 && dims <= 3);
  if (samples == 0 || lines == 0 || bscans == 0
      || !g_uint64_checked_mul (
          &total, samples, oct_stored_get (opening->stored)->size)
      || !g_uint64_checked_mul (&total, total, lines)
      || !g_uint64_checked_mul (&total, total, bscans) || total > G_MAXINT64) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_FORMAT,
        "%s holds an array of the shape %s, which is empty or impossible; "
        "save an array with values",
        opening->file, text);
    return FALSE;
  }
  if (!check_setting (
          opening, text, "samples", settings->samples, samples, error))
    return FALSE;
  /* the lines of a two-dimensional array can be grouped to B-scans */
  if (dims == 2 && settings->lines && settings->lines <= lines)
    lines = settings->lines;
  if (!check_setting (opening, text, "lines", settings->lines, lines, error))
    return FALSE;
  /* the volume of a three-dimensional array may be several, one after the
   * other */
  if (dims == 3 && settings->bscans != 0 && bscans % settings->bscans != 0)
    return check_setting (
        opening, text, "bscans", settings->bscans, bscans, error);
  if (!oct_opening_count_frames (opening, samples, lines, total, error))
    return FALSE;
  opening->info.bscans = settings->bscans;
  if (settings->bscans == 0)
    opening->info.bscans =
        (guint)MIN (dims == 3 ? bscans : opening->info.frames, G_MAXUINT);
  return TRUE;
}
