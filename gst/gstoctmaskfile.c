/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstoctmaskfile.h"
#include "gstocterror.h"
#include "oct-calibration-csv.h"
#include "oct-file.h"
#include "oct-mask.h"

void
gst_oct_mask_file_clear (GstOctMaskFile *file)
{
  g_clear_pointer (&file->path, g_free);
  gst_oct_mask_file_forget (file);
}

void
gst_oct_mask_file_set (GstOctMaskFile *file, const char *path)
{
  gst_oct_mask_file_clear (file);
  file->path = g_strdup (path);
}

void
gst_oct_mask_file_forget (GstOctMaskFile *file)
{
  g_clear_pointer (&file->read, g_bytes_unref);
}

void
gst_oct_mask_file_copy (GstOctMaskFile *to, const GstOctMaskFile *from)
{
  gst_oct_mask_file_set (to, from->path);
  if (from->read != NULL)
    to->read = g_bytes_ref (from->read);
  to->kept = from->kept;
}

gboolean
gst_oct_mask_file_given (const GstOctMaskFile *file)
{
  return file->path != NULL && file->path[0] != '\0';
}

const guint8 *
gst_oct_mask_file_read (
    GstOctMaskFile *file, const char *element, guint *entries, GError **error)
{
  gsize size;
  const guint8 *mask;

  if (file->read == NULL) {
    GError *local = NULL;
    guint8 *read = oct_mask_read (file->path, entries, &local);

    if (read == NULL) {
      g_autofree char *name = g_strdup_printf ("`mask-file` of %s", element);

      gst_oct_error_name_property (&local, name);
      g_propagate_error (error, local);
      return NULL;
    }
    file->kept = oct_mask_count (read, *entries);
    file->read = g_bytes_new_take (read, *entries);
  }
  mask = g_bytes_get_data (file->read, &size);
  *entries = (guint)size;
  return mask;
}

gboolean
gst_oct_mask_file_check (
    const GstOctMaskFile *file, guint columns, GError **error)
{
  guint entries = (guint)g_bytes_get_size (file->read);
  g_autofree char *source = NULL;

  if (columns == entries || columns == file->kept)
    return TRUE;
  source = oct_file_describe ("Mask file", file->path);
  g_set_error (error, OCT_ERROR, OCT_ERROR_FORMAT,
      "%s has %u entries, %u of them 1, but the spectra have %u samples; set "
      "`mask-file` to a file with one 0 or 1 for every sample of a whole "
      "A-line, or deliver the kept samples alone.",
      source, entries, file->kept, columns);
  return FALSE;
}

/* Rows of the element's own calibration file, else of the calibration from
 * upstream; 0: not known.  `name`: of the calibration, g_free(). */
static guint
count_rows (GstOctFilter *filter, guint entries, char **name)
{
  g_auto (OctCalibrationTable) table = { 0 };
  g_autoptr (OctCalibration) upstream = NULL;
  g_autofree char *path = NULL;

  if (gst_oct_filter_has_own_calibration (filter)) {
    g_object_get (filter, "calibration", &path, NULL);
    if (path == NULL || path[0] == '\0')
      return 0;
    *name = oct_file_describe ("Calibration file", path);
    oct_calibration_csv_read (path, entries, &table, NULL);
    return table.rows;
  }
  upstream = gst_oct_filter_ref_upstream_calibration (filter);
  *name = g_strdup ("The calibration that came from upstream");
  return upstream != NULL ? oct_calibration_get_samples (upstream) : 0;
}

OctCalibration *
gst_oct_mask_file_ref_calibration (const GstOctMaskFile *file,
    GstOctFilter *filter, guint columns, GError **error)
{
  guint entries = (guint)g_bytes_get_size (file->read), rows;
  g_autofree char *source = oct_file_describe ("mask file", file->path);
  g_autofree char *name = NULL;
  GError *local = NULL;
  OctCalibration *found =
      gst_oct_filter_ref_calibration (filter, entries, &local);

  if (local == NULL)
    return found;
  rows = columns != entries ? count_rows (filter, entries, &name) : 0;
  if (rows == 0 || rows == entries) {
    g_propagate_error (error, local);
    return NULL;
  }
  g_error_free (local);
  g_set_error (error, OCT_ERROR, OCT_ERROR_FORMAT,
      "%s has %u rows, but %s has %u entries, %u of them 1 as the spectra have "
      "samples; set `calibration` of %s to a file with one row for every "
      "entry.",
      name, rows, source, entries, file->kept,
      gst_oct_element_type_name (GST_ELEMENT (filter)));
  return NULL;
}
