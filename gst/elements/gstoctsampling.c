/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstoctsampling.h"
#include "gstocterror.h"

static const GEnumValue masks[] = {
  { OCT_MASK_VARIABLE_DENSITY,
      "At random, more where the source has more light (column background "
      "of the calibration, else a Gaussian)",
      "variable-density" },
  { OCT_MASK_MAX_GAP,
      "At random, with at most `max-gap` samples in a row left out",
      "max-gap" },
  { OCT_MASK_LINEAR_K,
      "The samples nearest to a random part of the uniform wavenumbers",
      "linear-k" },
  { GST_OCT_MASK_FILE, "As `mask-file` says", "file" },
  { 0, NULL, NULL },
};

GST_OCT_DEFINE_ENUM (gst_oct_mask_get_type, "GstOctMask", masks)

/* The content of the file, or NULL with an error. */
static const guint8 *
sampling_read_file (
    const GstOctSampling *sampling, guint *entries, GError **error)
{
  if (sampling->file.content != NULL)
    return gst_oct_mask_file_read (&sampling->file, "octcs", entries, error);
  g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
      "mask=file needs a file and `mask-file` of octcs is empty; set it to a "
      "text file with one 0 or 1 for every sample.");
  return NULL;
}

gboolean
gst_oct_sampling_find_samples (const GstOctSampling *sampling,
    GstOctFilter *filter, const OctCalibrationSettings *own, guint columns,
    guint *samples, OctCalibration **calibration, GError **error)
{
  GError *local = NULL;

  *calibration = NULL;
  if (sampling->kind == GST_OCT_MASK_FILE) {
    if (sampling_read_file (sampling, samples, error) == NULL
        || !gst_oct_mask_file_check (&sampling->file, columns, error))
      return FALSE;
    *calibration = gst_oct_mask_file_ref_calibration (
        &sampling->file, filter, own, columns, &local);
  } else {
    *samples = gst_oct_sampling_peek_samples (sampling, filter, own, columns);
    *calibration =
        gst_oct_filter_ref_calibration (filter, own, *samples, &local);
  }
  if (local != NULL)
    g_propagate_error (error, local);
  return local == NULL;
}

guint
gst_oct_sampling_peek_samples (const GstOctSampling *sampling,
    GstOctFilter *filter, const OctCalibrationSettings *own, guint columns)
{
  g_autoptr (OctCalibration) upstream = NULL;

  if (sampling->kind == GST_OCT_MASK_FILE)
    return gst_oct_mask_file_peek_entries (&sampling->file);
  if (oct_calibration_settings_empty (own))
    upstream = gst_oct_filter_ref_upstream_calibration (filter);
  return upstream != NULL ? oct_calibration_get_samples (upstream) : columns;
}

guint8 *
gst_oct_sampling_make_mask (const GstOctSampling *sampling, guint samples,
    const double *nodes, const double *density, GError **error)
{
  OctMaskSettings settings = { .kind = sampling->kind,
    .samples = samples,
    .rate = sampling->rate,
    .seed = sampling->seed,
    .max_gap = sampling->max_gap,
    .density = density,
    .nodes = nodes };

  if (sampling->kind == GST_OCT_MASK_FILE) {
    const guint8 *mask = sampling_read_file (sampling, &samples, error);
    return g_memdup2 (mask, samples);
  }
  return oct_mask_new (&settings, error);
}

gboolean
gst_oct_sampling_write_mask (const GstOctSampling *sampling, const guint8 *mask,
    guint samples, GError **error)
{
  GError *local = NULL;

  if (sampling->output == NULL || sampling->output[0] == '\0'
      || oct_mask_write (sampling->output, mask, samples, &local))
    return TRUE;
  gst_oct_error_name_property (&local, "`mask-output` of octcs");
  g_propagate_error (error, local);
  return FALSE;
}
