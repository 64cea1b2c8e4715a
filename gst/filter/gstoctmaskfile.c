/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstoctmaskfile.h"
#include "gstocterror.h"
#include "oct-file.h"
#include "oct-mask.h"

typedef struct {
  guint8 *values; /* [entries] 0 or 1 */
  guint entries;
  guint kept; /* entries that are 1 */
} Mask;

static gpointer
mask_file_read (const char *path, GError **error)
{
  guint entries;
  guint8 *values = oct_mask_read (path, &entries, error);
  Mask *mask;

  if (values == NULL)
    return NULL;
  mask = g_new (Mask, 1);
  *mask = (Mask){ values, entries, oct_mask_count (values, entries) };
  return mask;
}

static void
free_mask (gpointer mask)
{
  g_free (((Mask *)mask)->values);
  g_free (mask);
}

static gpointer
open_mask (const char *path)
{
  return oct_file_content_new (path, mask_file_read, free_mask);
}

const GstOctFileType gst_oct_mask_file = { open_mask,
  (gpointer (*) (gpointer))oct_file_content_ref,
  (void (*) (gpointer))oct_file_content_unref };

guint
gst_oct_mask_file_peek_entries (const GstOctMaskFile *file)
{
  const Mask *mask =
      file->content != NULL ? oct_file_content_peek (file->content) : NULL;

  return mask != NULL ? mask->entries : 0;
}

const guint8 *
gst_oct_mask_file_read (const GstOctMaskFile *file, const char *element,
    guint *entries, GError **error)
{
  GError *local = NULL;
  const Mask *mask = oct_file_content_get (file->content, &local);

  if (mask == NULL) {
    g_autofree char *name = g_strdup_printf ("`mask-file` of %s", element);

    gst_oct_error_name_property (&local, name);
    g_propagate_error (error, local);
    return NULL;
  }
  *entries = mask->entries;
  return mask->values;
}

gboolean
gst_oct_mask_file_check (
    const GstOctMaskFile *file, guint columns, GError **error)
{
  const Mask *mask = oct_file_content_get (file->content, NULL);
  g_autofree char *source = NULL;

  if (columns == mask->entries || columns == mask->kept)
    return TRUE;
  source = oct_file_describe ("Mask file", file->path);
  g_set_error (error, OCT_ERROR, OCT_ERROR_FORMAT,
      "%s has %u entries, %u of them 1, but the spectra have %u samples; set "
      "`mask-file` to a file with one 0 or 1 for every sample of a whole "
      "A-line, or deliver the kept samples alone.",
      source, mask->entries, mask->kept, columns);
  return FALSE;
}

/* Rows of the element's own calibration file, else of the calibration from
 * upstream; 0: not known.  `name`: of the calibration, g_free(). */
static guint
count_rows (
    GstOctFilter *filter, const OctCalibrationSettings *own, char **name)
{
  g_autoptr (OctCalibration) upstream = NULL;

  if (!oct_calibration_settings_empty (own)) {
    guint rows = oct_calibration_settings_count_rows (own);

    if (rows != 0)
      *name = oct_file_describe ("Calibration file", own->file);
    return rows;
  }
  upstream = gst_oct_filter_ref_upstream_calibration (filter);
  *name = g_strdup ("The calibration that came from upstream");
  return upstream != NULL ? oct_calibration_get_samples (upstream) : 0;
}

OctCalibration *
gst_oct_mask_file_ref_calibration (const GstOctMaskFile *file,
    GstOctFilter *filter, const OctCalibrationSettings *own, guint columns,
    GError **error)
{
  const Mask *mask = oct_file_content_get (file->content, NULL);
  guint entries = mask->entries, rows;
  g_autofree char *source = oct_file_describe ("mask file", file->path);
  g_autofree char *name = NULL;
  GError *local = NULL;
  OctCalibration *found =
      gst_oct_filter_ref_calibration (filter, own, entries, &local);

  if (local == NULL)
    return found;
  rows = columns != entries ? count_rows (filter, own, &name) : 0;
  if (rows == 0 || rows == entries) {
    g_propagate_error (error, local);
    return NULL;
  }
  g_error_free (local);
  g_set_error (error, OCT_ERROR, OCT_ERROR_FORMAT,
      "%s has %u rows, but %s has %u entries, %u of them 1 as the spectra have "
      "samples; set `calibration` of %s to a file with one row for every "
      "entry.",
      name, rows, source, entries, mask->kept,
      gst_oct_element_type_name (GST_ELEMENT (filter)));
  return NULL;
}
