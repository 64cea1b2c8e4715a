/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstoctcalibration.h"
#include "gstocterror.h"

#define EVENT_NAME "application/x-oct-calibration"

/* clang-format off */
G_DEFINE_BOXED_TYPE (OctCalibration, gst_oct_calibration,
    oct_calibration_ref, oct_calibration_unref)
/* clang-format on */

GstEvent *
gst_oct_calibration_event_new (OctCalibration *calibration)
{
  return gst_event_new_custom (GST_EVENT_CUSTOM_DOWNSTREAM_STICKY,
      gst_structure_new (EVENT_NAME, "calibration", GST_TYPE_OCT_CALIBRATION,
          calibration, NULL));
}

/* The columns that an application sends. */
typedef struct {
  GstBuffer *buffer; /* NULL: not given */
  GstMapInfo map;
} Column;

static gboolean
map_column (const GstStructure *fields, const char *name, Column *column)
{
  const GValue *value = gst_structure_get_value (fields, name);

  if (value == NULL)
    return TRUE;
  if (!GST_VALUE_HOLDS_BUFFER (value))
    return FALSE;
  column->buffer = gst_value_get_buffer (value);
  if (column->buffer == NULL
      || !gst_buffer_map (column->buffer, &column->map, GST_MAP_READ)) {
    column->buffer = NULL;
    return FALSE;
  }
  return column->map.size % sizeof (double) == 0;
}

static OctCalibration *
make_from_fields (const GstStructure *fields, GError **error)
{
  static const char *const names[] = { "wavelength-nm", "k-index",
    "dispersion-rad", "background" };
  Column columns[G_N_ELEMENTS (names)] = { 0 };
  const double *values[G_N_ELEMENTS (names)] = { 0 };
  OctCalibration *calibration = NULL;
  gboolean fit = TRUE;
  gsize size = 0;
  guint i;

  for (i = 0; i < G_N_ELEMENTS (names); i++) {
    fit &= map_column (fields, names[i], &columns[i]);
    if (columns[i].buffer == NULL)
      continue;
    if (size == 0)
      size = columns[i].map.size;
    fit &= columns[i].map.size == size;
    values[i] = (const double *)columns[i].map.data;
  }
  if (fit && size > 0 && size <= OCT_MAX_SAMPLES * sizeof (double))
    calibration =
        oct_calibration_new_from_arrays ((guint)(size / sizeof (double)),
            values[0], values[1], values[2], values[3], error);
  else
    g_set_error_literal (error, OCT_ERROR, OCT_ERROR_FORMAT,
        "The calibration event of the application holds no columns that fit; "
        "send wavelength-nm, k-index, dispersion-rad or background as buffers "
        "of one double per sample.");
  for (i = 0; i < G_N_ELEMENTS (names); i++)
    if (columns[i].buffer != NULL)
      gst_buffer_unmap (columns[i].buffer, &columns[i].map);
  return calibration;
}

OctCalibration *
gst_oct_calibration_event_parse (GstEvent **event, GError **error)
{
  OctCalibration *calibration = NULL;
  const GstStructure *fields;

  if (GST_EVENT_TYPE (*event) != GST_EVENT_CUSTOM_DOWNSTREAM_STICKY
      || !gst_event_has_name (*event, EVENT_NAME))
    return NULL;
  fields = gst_event_get_structure (*event);
  if (gst_structure_get (
          fields, "calibration", GST_TYPE_OCT_CALIBRATION, &calibration, NULL))
    return calibration;
  calibration = make_from_fields (fields, error);
  if (calibration != NULL) {
    guint32 number = gst_event_get_seqnum (*event);

    gst_event_unref (*event);
    *event = gst_oct_calibration_event_new (calibration);
    gst_event_set_seqnum (*event, number);
  }
  return calibration;
}

gboolean
gst_oct_calibration_event_take (GstElement *element, GstEvent **event,
    guint32 *refused, OctCalibration **calibration)
{
  g_autoptr (GError) error = NULL;
  guint32 number = gst_event_get_seqnum (*event);

  *calibration = gst_oct_calibration_event_parse (event, &error);
  if (error == NULL)
    return TRUE;
  if (*refused != number)
    gst_oct_element_error (element, &error);
  *refused = number;
  gst_clear_event (event);
  return FALSE;
}

static void
clear_made (GstOctMadeCalibration *made)
{
  g_clear_pointer (&made->calibration, oct_calibration_unref);
  g_clear_error (&made->error);
  made->samples = 0;
}

void
gst_oct_calibrations_clear (GstOctCalibrations *calibrations)
{
  gst_oct_calibrations_forget (calibrations);
  oct_calibration_settings_clear (&calibrations->settings);
}

void
gst_oct_calibrations_changed (GstOctCalibrations *calibrations)
{
  calibrations->generation++;
}

void
gst_oct_calibrations_forget (GstOctCalibrations *calibrations)
{
  guint i;

  for (i = 0; i < G_N_ELEMENTS (calibrations->made); i++)
    clear_made (&calibrations->made[i]);
  g_clear_pointer (&calibrations->upstream, oct_calibration_unref);
  oct_calibration_settings_forget_file (&calibrations->settings);
  calibrations->generation++;
}

/* Whether the own one is the one from upstream with something added. */
static gboolean
builds_on_upstream (const OctCalibrationSettings *settings)
{
  OctCalibrationSettings alone = *settings;

  alone.a2 = alone.a3 = 0.0;
  return oct_calibration_settings_empty (&alone);
}

gboolean
gst_oct_calibrations_set_upstream (
    GstOctCalibrations *calibrations, OctCalibration *upstream)
{
  guint samples = oct_calibration_get_samples (upstream);
  double z = oct_calibration_get_z_spacing (upstream, samples);
  gboolean other =
      calibrations->upstream == NULL
      || oct_calibration_get_samples (calibrations->upstream) != samples
      || ABS (z - calibrations->z_spacing) > 1e-3 * calibrations->z_spacing;

  if (other)
    calibrations->z_spacing = z;
  oct_calibration_ref (upstream);
  g_clear_pointer (&calibrations->upstream, oct_calibration_unref);
  calibrations->upstream = upstream;
  if (builds_on_upstream (&calibrations->settings))
    calibrations->generation++;
  return other;
}

/* Of an element without settings. */
static OctCalibration *
ref_upstream (const GstOctCalibrations *c, guint samples, GError **error)
{
  guint given =
      c->upstream != NULL ? oct_calibration_get_samples (c->upstream) : 0;

  if (given == samples)
    return oct_calibration_ref (c->upstream);
  if (given != 0)
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "The calibration that came from upstream is for %u samples, but the "
        "spectra have %u; set a calibration with %u rows on octsrc or "
        "octdcsub.",
        given, samples, samples);
  return NULL;
}

static OctCalibration *
ref_made (const GstOctMadeCalibration *made, GError **error)
{
  if (made->calibration != NULL)
    return oct_calibration_ref (made->calibration);
  if (error != NULL)
    *error = g_error_copy (made->error);
  return NULL;
}

/* The newest is the first. */
static void
keep_made (GstOctCalibrations *c, const GstOctMadeCalibration *made)
{
  guint last = G_N_ELEMENTS (c->made) - 1, i;

  for (i = 0; i < last && c->made[i].samples != made->samples; i++)
    ;
  clear_made (&c->made[i]);
  memmove (&c->made[1], &c->made[0], i * sizeof c->made[0]);
  c->made[0] = *made;
  if (made->calibration != NULL)
    oct_calibration_ref (made->calibration);
  else
    c->made[0].error = g_error_copy (made->error);
}

/* Without the object lock. */
static void
make_own (GstOctMadeCalibration *made, const OctCalibration *upstream,
    const OctCalibrationSettings *settings)
{
  made->calibration =
      oct_calibration_new_on (upstream, settings, made->samples, &made->error);
  if (made->error != NULL)
    gst_oct_error_name_property (&made->error, "`calibration`");
}

OctCalibration *
gst_oct_calibrations_ref (
    GstOctCalibrations *c, GstElement *element, guint samples, GError **error)
{
  GstOctMadeCalibration made = { .samples = samples };
  OctCalibrationSettings settings;
  g_autoptr (OctCalibration) upstream = NULL;
  OctCalibration *found = NULL;
  guint i;

  GST_OBJECT_LOCK (element);
  if (oct_calibration_settings_empty (&c->settings)) {
    found = ref_upstream (c, samples, error);
    GST_OBJECT_UNLOCK (element);
    return found;
  }
  for (i = 0; i < G_N_ELEMENTS (c->made); i++) {
    if (c->made[i].samples == samples
        && c->made[i].generation == c->generation) {
      found = ref_made (&c->made[i], error);
      GST_OBJECT_UNLOCK (element);
      return found;
    }
  }
  made.generation = c->generation;
  oct_calibration_settings_copy (&settings, &c->settings);
  upstream = c->upstream != NULL ? oct_calibration_ref (c->upstream) : NULL;
  GST_OBJECT_UNLOCK (element);

  make_own (&made, upstream, &settings);
  oct_calibration_settings_clear (&settings);
  GST_OBJECT_LOCK (element);
  keep_made (c, &made);
  GST_OBJECT_UNLOCK (element);
  found = ref_made (&made, error);
  clear_made (&made);
  return found;
}

OctCalibration *
gst_oct_calibrations_peek (const GstOctCalibrations *c, guint samples)
{
  guint i;

  if (oct_calibration_settings_empty (&c->settings))
    return ref_upstream (c, samples, NULL);
  for (i = 0; i < G_N_ELEMENTS (c->made); i++)
    if (c->made[i].samples == samples && c->made[i].calibration != NULL)
      return oct_calibration_ref (c->made[i].calibration);
  return NULL;
}

static void
install_double (GObjectClass *klass, guint id, const char *name,
    const char *nick, const char *blurb, double low, double high,
    GParamFlags flags)
{
  g_object_class_install_property (klass, id,
      g_param_spec_double (name, nick, blurb, low, high, 0.0, flags));
}

void
gst_oct_calibration_install_properties (
    GObjectClass *klass, gboolean everything)
{
  GParamFlags flags =
      G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING;

  g_object_class_install_property (klass, GST_OCT_PROP_CALIBRATION,
      g_param_spec_string ("calibration", "Calibration",
          "CSV file with a header line and one line per sample; columns "
          "wavelength_nm, k_index, dispersion_rad, background (none = the "
          "one of the file or virtual system, or from upstream)",
          NULL, flags));
  if (!everything)
    return;
  install_double (klass, GST_OCT_PROP_WAVELENGTH_MIN, "wavelength-min",
      "Wavelength of the first sample",
      "Wavelength of the first sample in nm, the others follow linearly "
      "(0 = not given)",
      0.0, 1e6, flags);
  install_double (klass, GST_OCT_PROP_WAVELENGTH_MAX, "wavelength-max",
      "Wavelength of the last sample",
      "Wavelength of the last sample in nm (0 = not given)", 0.0, 1e6, flags);
  g_object_class_install_property (klass, GST_OCT_PROP_K_POLYNOMIAL,
      g_param_spec_string ("k-polynomial", "Wavenumber polynomial",
          "Coefficients \"c0,c1,...\" in samples: uniform wavenumber j of N is "
          "read at sample c0 + c1 x + c2 x^2 + ..., x = j/(N-1)",
          NULL, flags));
  install_double (klass, GST_OCT_PROP_DISPERSION_A2, "dispersion-a2",
      "Second-order dispersion",
      "Phase -a2 (k - kc)^2 to multiply by, in um^2 (k in rad/um)", -1e9, 1e9,
      flags);
  install_double (klass, GST_OCT_PROP_DISPERSION_A3, "dispersion-a3",
      "Third-order dispersion",
      "Phase -a3 (k - kc)^3 to multiply by, in um^3 (k in rad/um)", -1e9, 1e9,
      flags);
}

gboolean
gst_oct_calibration_set_property (
    OctCalibrationSettings *settings, guint id, const GValue *value)
{
  switch (id) {
  case GST_OCT_PROP_CALIBRATION:
    oct_calibration_settings_set_file (settings, g_value_get_string (value));
    return TRUE;
  case GST_OCT_PROP_WAVELENGTH_MIN:
    settings->wavelength_min = g_value_get_double (value);
    return TRUE;
  case GST_OCT_PROP_WAVELENGTH_MAX:
    settings->wavelength_max = g_value_get_double (value);
    return TRUE;
  case GST_OCT_PROP_K_POLYNOMIAL:
    g_free (settings->k_polynomial);
    settings->k_polynomial = g_value_dup_string (value);
    return TRUE;
  case GST_OCT_PROP_DISPERSION_A2:
    settings->a2 = g_value_get_double (value);
    return TRUE;
  case GST_OCT_PROP_DISPERSION_A3:
    settings->a3 = g_value_get_double (value);
    return TRUE;
  default:
    return FALSE;
  }
}

gboolean
gst_oct_calibration_get_property (
    const OctCalibrationSettings *settings, guint id, GValue *value)
{
  switch (id) {
  case GST_OCT_PROP_CALIBRATION:
    g_value_set_string (value, settings->file);
    return TRUE;
  case GST_OCT_PROP_WAVELENGTH_MIN:
    g_value_set_double (value, settings->wavelength_min);
    return TRUE;
  case GST_OCT_PROP_WAVELENGTH_MAX:
    g_value_set_double (value, settings->wavelength_max);
    return TRUE;
  case GST_OCT_PROP_K_POLYNOMIAL:
    g_value_set_string (value, settings->k_polynomial);
    return TRUE;
  case GST_OCT_PROP_DISPERSION_A2:
    g_value_set_double (value, settings->a2);
    return TRUE;
  case GST_OCT_PROP_DISPERSION_A3:
    g_value_set_double (value, settings->a3);
    return TRUE;
  default:
    return FALSE;
  }
}
