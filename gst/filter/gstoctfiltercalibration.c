/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstoctfilter.h"
#include "gstocterror.h"

OctCalibration *
gst_oct_filter_ref_calibration (GstOctFilter *filter,
    const OctCalibrationSettings *own, guint samples, GError **error)
{
  return gst_oct_calibrations_ref (gst_oct_filter_get_calibrations (filter),
      GST_ELEMENT (filter), own, samples, error);
}

OctCalibration *
gst_oct_filter_peek_calibration (
    GstOctFilter *filter, const OctCalibrationSettings *own, guint samples)
{
  OctCalibration *found;

  GST_OBJECT_LOCK (filter);
  found = gst_oct_calibrations_peek (
      gst_oct_filter_get_calibrations (filter), own, samples);
  GST_OBJECT_UNLOCK (filter);
  return found;
}

OctCalibration *
gst_oct_filter_ref_wavenumbers (GstOctFilter *filter,
    const OctCalibrationSettings *own, guint samples, const char *instead,
    GError **error)
{
  GError *local = NULL;
  g_autoptr (OctCalibration) calibration =
      gst_oct_filter_ref_calibration (filter, own, samples, &local);

  if (local != NULL) {
    g_propagate_error (error, local);
    return NULL;
  }
  if (calibration != NULL
      && oct_calibration_get_positions (calibration) != NULL)
    return g_steal_pointer (&calibration);
  g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
      "%s needs a spectral calibration and found %s; set `calibration`, "
      "`wavelength-min` and `wavelength-max`, or `k-polynomial` on octsrc or "
      "octdcsub (when the samples are uniform in wavenumber already, %sset "
      "axis=wavenumber on octdcsub).",
      gst_oct_element_type_name (GST_ELEMENT (filter)),
      calibration != NULL ? "one without wavelengths or k_index" : "none",
      instead);
  return NULL;
}

OctCalibration *
gst_oct_filter_ref_upstream_calibration (GstOctFilter *filter)
{
  OctCalibration *calibration;

  GST_OBJECT_LOCK (filter);
  calibration = gst_oct_filter_get_calibrations (filter)->upstream;
  if (calibration != NULL)
    oct_calibration_ref (calibration);
  GST_OBJECT_UNLOCK (filter);
  return calibration;
}
