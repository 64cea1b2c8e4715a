/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-speckle.h"

#include "oct-params.h"

gboolean
oct_check_image (guint width, guint height, guint bscans, OctImageFormat format,
    GError **error)
{
  if (!oct_check_size (width, height, error)
      || !oct_check_bscans (bscans, height, error))
    return FALSE;
  if ((guint)format > OCT_IMAGE_RGBA) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "There is no image format %d.", format);
    return FALSE;
  }
  if (format == OCT_IMAGE_NV12 && bscans > 1) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "%u images of format NV12 cannot stand below each other in a buffer; "
        "set the format to GRAY8 or RGBA.",
        bscans);
    return FALSE;
  }
  return TRUE;
}

static const char *const methods[OCT_N_SPECKLE_METHODS] = {
  [OCT_SPECKLE_BILATERAL] = "bilateral",
  [OCT_SPECKLE_MEDIAN] = "median",
  [OCT_SPECKLE_LEE] = "lee",
};

gboolean
oct_check_speckle (const OctSpeckleParams *params, GError **error)
{
  if (!oct_check_image (
          params->width, params->height, params->bscans, params->format, error))
    return FALSE;
  if ((guint)params->method >= OCT_N_SPECKLE_METHODS) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "There is no filter %d against speckle; set `method` to bilateral, "
        "median or lee.",
        params->method);
    return FALSE;
  }
  if (params->size > OCT_SPECKLE_LARGEST || params->size < 3
      || params->size % 2 == 0) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "The filter %s over %u x %u pixels was asked for; set `size` to 3, 5 "
        "or 7.",
        methods[params->method], params->size, params->size);
    return FALSE;
  }
  if ((params->method != OCT_SPECKLE_MEDIAN
          && !(params->sigma >= 0.01 && params->sigma <= 255))
      || (params->method == OCT_SPECKLE_BILATERAL
          && !(
              params->spatial_sigma >= 0.01 && params->spatial_sigma <= 100))) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "sigma=%g and spatial-sigma=%g were asked for; set both to 0.01 or "
        "more, to at most 255 grey levels and 100 pixels.",
        params->sigma, params->spatial_sigma);
    return FALSE;
  }
  return TRUE;
}

double
oct_speckle_get_sigma (const OctSpeckleParams *params)
{
  return params->sigma * (params->format == OCT_IMAGE_GRAY16 ? 257 : 1);
}
