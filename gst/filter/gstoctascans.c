/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstoctascans.h"
#include "gstocterror.h"

GType
gst_oct_window_get_type (void)
{
  static gsize type = 0;
  static GEnumValue values[OCT_N_WINDOWS + 1];

  if (g_once_init_enter (&type)) {
    guint i;

    for (i = 0; i < OCT_N_WINDOWS; i++) {
      values[i].value = i;
      values[i].value_name = oct_windows[i].description;
      values[i].value_nick = oct_windows[i].nick;
    }
    g_once_init_leave (&type, g_enum_register_static ("GstOctWindow", values));
  }
  return type;
}

/* The depths that are asked for, for spectra of `samples` samples, every 0
 * replaced; FALSE if that is impossible. */
static gboolean
ascans_resolve (const GstOctDepths *asked, guint samples, GstOctDepths *depths)
{
  guint all;

  *depths = *asked;
  if (depths->length == 0)
    depths->length = samples;
  all = depths->length / 2;
  if (depths->length < samples || depths->start >= all
      || depths->bins > all - depths->start)
    return FALSE;
  if (depths->bins == 0)
    depths->bins = all - depths->start;
  return TRUE;
}

static void
set_depths_error (GstOctFilter *filter, const GstOctDepths *depths,
    guint samples, GError **error)
{
  const char *name = gst_oct_element_type_name (GST_ELEMENT (filter));

  if (depths->length < samples)
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "`length` of %s is %u, but the spectra have %u samples; set 0 or a "
        "value that is not smaller.",
        name, depths->length, samples);
  else
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "The depth bins asked of %s (depth-start=%u, depth-bins=%u) are "
        "not within the %u that a transform of length %u has; set smaller "
        "ones.",
        name, depths->start, depths->bins, depths->length / 2, depths->length);
}

char *
gst_oct_ascans_describe (
    const GstOctAScans *ascans, guint samples, const char *group)
{
  GstOctDepths depths;

  if (g_strcmp0 (group, "range") != 0
      || !ascans_resolve (&ascans->depths, samples, &depths))
    return NULL;
  return g_strdup_printf ("The previous range stays in use until then: %u "
                          "depth bins from bin %u on "
                          "of a transform of length %u.",
      depths.bins, depths.start, depths.length);
}

/* Puts in the scales of the calibration that makes the A-scans, whatever the
 * caps of the spectra say. */
static void
ascans_set_scale (GstOctFilter *filter, const OctCalibrationSettings *own,
    guint samples, guint length, GstStructure *to)
{
  g_autoptr (OctCalibration) calibration =
      gst_oct_filter_peek_calibration (filter, own, samples);
  double z = calibration != NULL
                 ? oct_calibration_get_z_spacing (calibration, length)
                 : 0.0;

  double wavelength =
      calibration != NULL ? oct_calibration_get_wavelength (calibration) : 0.0;

  if (z > 0.0)
    gst_structure_set (to, "z-spacing", G_TYPE_DOUBLE, z, NULL);
  if (gst_oct_wavelength_is_possible (wavelength))
    gst_structure_set (
        to, GST_OCT_WAVELENGTH_FIELD, G_TYPE_DOUBLE, wavelength, NULL);
}

void
gst_oct_ascans_transform_structure (GstOctFilter *filter,
    const GstOctAScans *ascans, const OctCalibrationSettings *own,
    GstPadDirection direction, const GstStructure *from, const char *spectra,
    GstCaps *result)
{
  GstStructure *to;
  guint length = 0; /* 0: it makes no A-scans of a known size */
  gint samples = 0;

  if (direction == GST_PAD_SRC) {
    to = gst_structure_from_string (spectra, NULL);
  } else {
    to = gst_structure_from_string (GST_OCT_CAPS_ASCANS, NULL);
    if (gst_structure_get_int (from, "samples", &samples)) {
      GstOctDepths depths;

      /* Sizes that do not go together are reported with a sentence when the
       * first B-scan comes; here there is none to report with. */
      if (!ascans_resolve (&ascans->depths, samples, &depths))
        depths.bins = 1;
      gst_structure_set (to, "samples", G_TYPE_INT, (gint)depths.bins, NULL);
      if (depths.start > 0)
        gst_structure_set (to, GST_OCT_DEPTH_START_FIELD, G_TYPE_INT,
            (gint)depths.start, NULL);
      length = depths.length;
    }
  }
  gst_oct_structure_copy_field (from, "lines", to, "lines");
  gst_oct_structure_copy_field (
      from, GST_OCT_BSCANS_FIELD, to, GST_OCT_BSCANS_FIELD);
  gst_oct_structure_copy_scan (from, to);
  /* it may be another one before the calibration is used */
  if (direction == GST_PAD_SRC)
    gst_structure_remove_field (to, GST_OCT_WAVELENGTH_FIELD);
  if (length > 0)
    ascans_set_scale (filter, own, (guint)samples, length, to);
  gst_caps_append_structure (result, to);
}

gboolean
gst_oct_ascans_resolve (GstOctFilter *filter, const GstOctAScans *ascans,
    guint samples, GstOctPurpose purpose, GstOctDepths *depths, GError **error)
{
  const GstOctInfo *output = gst_oct_filter_get_output (filter);

  if (!ascans_resolve (&ascans->depths, samples, depths)) {
    set_depths_error (filter, depths, samples, error);
    return FALSE;
  }
  if (purpose == GST_OCT_FOR_CAPS || depths->bins == output->columns)
    return TRUE;
  g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
      "%u depth bins were asked of %s, but %u were negotiated; set them once "
      "more.",
      depths->bins, gst_oct_element_type_name (GST_ELEMENT (filter)),
      output->columns);
  return FALSE;
}
