/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-params.h"
#include "oct-background-modes.h"

#include <math.h>

gboolean
oct_check_size (guint values, guint lines, GError **error)
{
  if (values >= 1 && values <= OCT_MAX_SAMPLES && lines >= 1
      && lines <= OCT_MAX_LINES)
    return TRUE;
  g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
      "A B-scan of %u values x %u A-lines cannot be processed: "
      "there must be 1 to %u values and 1 to %u A-lines",
      values, lines, OCT_MAX_SAMPLES, OCT_MAX_LINES);
  return FALSE;
}

gboolean
oct_check_bscans (guint bscans, guint lines, GError **error)
{
  if (bscans == 0 || lines % bscans == 0)
    return TRUE;
  g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
      "%u A-lines are not %u B-scans of the same size", lines, bscans);
  return FALSE;
}

gboolean
oct_check_finite (
    const double *values, guint count, const char *name, GError **error)
{
  if (values == NULL) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "%s is missing: %u values are needed", name, count);
    return FALSE;
  }
  for (guint i = 0; i < count; i++) {
    if (!isfinite (values[i])) {
      g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
          "%s has a value that is not a finite number at sample %u of %u", name,
          i, count);
      return FALSE;
    }
  }
  return TRUE;
}

gboolean
oct_check_background (const OctBackgroundParams *params, GError **error)
{
  if (!oct_check_size (params->samples, params->lines, error)
      || !oct_check_bscans (params->bscans, params->lines, error))
    return FALSE;
  if (params->format != OCT_SAMPLE_U8 && params->format != OCT_SAMPLE_U16
      && params->format != OCT_SAMPLE_F32) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "Raw spectra of sample format %d cannot be read: they must be 8 bit, "
        "16 bit or 32 bit float",
        params->format);
    return FALSE;
  }
  if ((guint)params->mode >= OCT_N_BACKGROUND_MODES) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "There is no background mode %d", params->mode);
    return FALSE;
  }
  if (params->mode == OCT_BACKGROUND_RUNNING
      && !(params->running_weight > 0 && params->running_weight <= 1)) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "The weight of a B-scan in the running mean is %g: "
        "it must be above 0 and at most 1",
        params->running_weight);
    return FALSE;
  }
  if (params->mode == OCT_BACKGROUND_HIGH_PASS
      && (params->high_pass_lines < 3
          || params->high_pass_lines > OCT_HIGH_PASS_MOST
          || params->high_pass_lines % 2 == 0)) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "The high-pass takes the mean over %u A-lines: it must be an odd "
        "number from 3 to %u, the A-line itself and equally many on either "
        "side; set `high-pass-lines`",
        params->high_pass_lines, OCT_HIGH_PASS_MOST);
    return FALSE;
  }
  return !oct_background_modes[params->mode].is_stored
         || oct_check_finite (params->background, params->samples,
             "The stored background", error);
}

gboolean
oct_check_resample (const OctResampleParams *params, GError **error)
{
  if (!oct_check_size (params->samples, params->lines, error))
    return FALSE;
  if (params->method != OCT_RESAMPLE_CUBIC
      && params->method != OCT_RESAMPLE_LINEAR
      && params->method != OCT_RESAMPLE_LANCZOS) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "There is no resampling method %d", params->method);
    return FALSE;
  }
  if (params->upsample != 1 && params->upsample != 2) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "Upsampling by %u is not possible: it must be 1 or 2",
        params->upsample);
    return FALSE;
  }
  return oct_check_finite (params->positions, params->samples,
      "The table of resampling positions", error);
}

gboolean
oct_check_dispersion (const OctDispersionParams *params, GError **error)
{
  return oct_check_size (params->samples, params->lines, error)
         && oct_check_finite (
             params->phase, params->samples, "The dispersion phase", error);
}

gboolean
oct_check_fft (const OctFftParams *params, GError **error)
{
  if (!oct_check_size (params->samples, params->lines, error))
    return FALSE;
  if (params->format != OCT_SAMPLE_F32 && params->format != OCT_SAMPLE_CF32) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "Spectra of sample format %d cannot be transformed: they must be real "
        "or complex 32 bit float",
        params->format);
    return FALSE;
  }
  if (params->length < params->samples || params->length > OCT_MAX_SAMPLES) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "The length of the transform is %u: it must be between the %u samples "
        "of an A-line and %u",
        params->length, params->samples, OCT_MAX_SAMPLES);
    return FALSE;
  }
  if (params->depth_bins < 1 || params->depth_bins > params->length / 2
      || params->depth_start > params->length / 2 - params->depth_bins) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "%u depth bins from bin %u on do not fit a transform of length %u, "
        "which has %u",
        params->depth_bins, params->depth_start, params->length,
        params->length / 2);
    return FALSE;
  }
  return oct_check_finite (
      params->window, params->samples, "The window", error);
}

gboolean
oct_check_logscale (const OctLogscaleParams *params, GError **error)
{
  if (!oct_check_size (params->depth_bins, params->lines, error)
      || !oct_check_bscans (params->bscans, params->lines, error))
    return FALSE;
  if ((guint)params->format > OCT_IMAGE_RGBA
      || (guint)params->scale > OCT_SCALE_LINEAR
      || (guint)params->range > OCT_RANGE_CONTRAST) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "There is no image of format %d, scale %d and range %d", params->format,
        params->scale, params->range);
    return FALSE;
  }
  if (params->range == OCT_RANGE_MANUAL
      && !(isfinite (params->min) && isfinite (params->max)
           && params->min < params->max)) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "The range of the image is %g to %g: min must be below max",
        params->min, params->max);
    return FALSE;
  }
  if (!(params->range_smoothing >= 0 && params->range_smoothing < 1)) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "The smoothing of the range is %g: it must be at least 0 and below 1",
        params->range_smoothing);
    return FALSE;
  }
  return TRUE;
}
