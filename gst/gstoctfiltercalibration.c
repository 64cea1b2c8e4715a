/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstoctfilter.h"
#include "gstocterror.h"

gboolean
gst_oct_filter_has_own_calibration (GstOctFilter *filter)
{
  gboolean own;

  GST_OBJECT_LOCK (filter);
  own = !oct_calibration_settings_empty (
      &gst_oct_filter_get_calibrations (filter)->settings);
  GST_OBJECT_UNLOCK (filter);
  return own;
}

OctCalibration *
gst_oct_filter_ref_calibration (
    GstOctFilter *filter, guint samples, GError **error)
{
  return gst_oct_calibrations_ref (gst_oct_filter_get_calibrations (filter),
      GST_ELEMENT (filter), samples, error);
}

OctCalibration *
gst_oct_filter_peek_calibration (GstOctFilter *filter, guint samples)
{
  OctCalibration *found;

  GST_OBJECT_LOCK (filter);
  found = gst_oct_calibrations_peek (
      gst_oct_filter_get_calibrations (filter), samples);
  GST_OBJECT_UNLOCK (filter);
  return found;
}

guint
gst_oct_filter_count_own_rows (GstOctFilter *filter, char **path)
{
  OctCalibrationSettings settings;
  guint rows;

  GST_OBJECT_LOCK (filter);
  oct_calibration_settings_copy (
      &settings, &gst_oct_filter_get_calibrations (filter)->settings);
  GST_OBJECT_UNLOCK (filter);
  rows = oct_calibration_settings_count_rows (&settings);
  if (rows != 0)
    *path = g_strdup (settings.file);
  oct_calibration_settings_clear (&settings);
  return rows;
}

OctCalibration *
gst_oct_filter_ref_wavenumbers (
    GstOctFilter *filter, guint samples, const char *instead, GError **error)
{
  GError *local = NULL;
  g_autoptr (OctCalibration) calibration =
      gst_oct_filter_ref_calibration (filter, samples, &local);

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

void
gst_oct_filter_set_upstream_calibration (
    GstOctFilter *filter, OctCalibration *calibration)
{
  gboolean affects_caps;

  GST_OBJECT_LOCK (filter);
  affects_caps = gst_oct_calibrations_set_upstream (
      gst_oct_filter_get_calibrations (filter), calibration);
  GST_OBJECT_UNLOCK (filter);
  gst_oct_filter_property_changed (filter, affects_caps);
}

void
gst_oct_filter_set_calibration_property (
    GstOctFilter *filter, guint id, const GValue *value, GParamSpec *pspec)
{
  GstOctCalibrations *calibrations = gst_oct_filter_get_calibrations (filter);
  gboolean known;

  if (gst_oct_element_refuses_property (GST_ELEMENT (filter), pspec))
    return;
  GST_OBJECT_LOCK (filter);
  known = gst_oct_calibration_set_property (&calibrations->settings, id, value);
  if (known)
    gst_oct_calibrations_changed (calibrations);
  GST_OBJECT_UNLOCK (filter);
  if (known)
    gst_oct_filter_property_changed (filter, TRUE);
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (G_OBJECT (filter), id, pspec);
}

void
gst_oct_filter_get_calibration_property (
    GstOctFilter *filter, guint id, GValue *value, GParamSpec *pspec)
{
  gboolean known;

  GST_OBJECT_LOCK (filter);
  known = gst_oct_calibration_get_property (
      &gst_oct_filter_get_calibrations (filter)->settings, id, value);
  GST_OBJECT_UNLOCK (filter);
  if (!known)
    G_OBJECT_WARN_INVALID_PROPERTY_ID (G_OBJECT (filter), id, pspec);
}
