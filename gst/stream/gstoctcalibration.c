/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstoctcalibration.h"
#include "gstocterror.h"
#include "oct/oct.h"

/* clang-format off */
G_DEFINE_BOXED_TYPE (OctCalibration, gst_oct_calibration,
    oct_calibration_ref, oct_calibration_unref)
/* clang-format on */

GstEvent *
gst_oct_calibration_event_new (OctCalibration *calibration)
{
  return gst_event_new_custom (GST_EVENT_CUSTOM_DOWNSTREAM_STICKY,
      gst_structure_new (GST_OCT_CALIBRATION_EVENT_NAME, "calibration",
          GST_TYPE_OCT_CALIBRATION, calibration, NULL));
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
  static const char *const names[] = { GST_OCT_CALIBRATION_WAVELENGTH,
    GST_OCT_CALIBRATION_K_INDEX, GST_OCT_CALIBRATION_DISPERSION,
    GST_OCT_CALIBRATION_BACKGROUND };
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
      || !gst_event_has_name (*event, GST_OCT_CALIBRATION_EVENT_NAME))
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

#define QUERY_NAME "oct-next-calibration"

OctCalibration *
gst_oct_calibration_ask (GstPad *sink_pad, guint samples)
{
  OctCalibration *found = NULL;
  GstQuery *query = gst_query_new_custom (GST_QUERY_CUSTOM,
      gst_structure_new (QUERY_NAME, "samples", G_TYPE_UINT, samples, NULL));

  if (gst_pad_peer_query (sink_pad, query))
    gst_structure_get (gst_query_get_structure (query), "calibration",
        GST_TYPE_OCT_CALIBRATION, &found, NULL);
  gst_query_unref (query);
  return found;
}

gboolean
gst_oct_calibration_query_parse (GstQuery *query, guint *samples)
{
  const GstStructure *fields = gst_query_get_structure (query);

  return GST_QUERY_TYPE (query) == GST_QUERY_CUSTOM && fields != NULL
         && gst_structure_has_name (fields, QUERY_NAME)
         && gst_structure_get_uint (fields, "samples", samples);
}

void
gst_oct_calibration_query_answer (GstQuery *query, OctCalibration *calibration)
{
  gst_structure_set (gst_query_writable_structure (query), "calibration",
      GST_TYPE_OCT_CALIBRATION, calibration, NULL);
}

static void
clear_made (GstOctMadeCalibration *made)
{
  oct_calibration_settings_clear (&made->settings);
  g_clear_pointer (&made->upstream, oct_calibration_unref);
  g_clear_pointer (&made->calibration, oct_calibration_unref);
  g_clear_error (&made->error);
  made->samples = 0;
}

void
gst_oct_calibrations_forget (GstOctCalibrations *calibrations)
{
  guint i;

  for (i = 0; i < G_N_ELEMENTS (calibrations->made); i++)
    clear_made (&calibrations->made[i]);
  g_clear_pointer (&calibrations->upstream, oct_calibration_unref);
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
  return other;
}

/* For an element without settings: the one from upstream. */
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

static const GstOctMadeCalibration *
find_made (const GstOctCalibrations *c, const OctCalibrationSettings *own,
    guint samples)
{
  guint i;

  for (i = 0; i < G_N_ELEMENTS (c->made); i++)
    if (c->made[i].samples == samples
        && oct_calibration_settings_equal (&c->made[i].settings, own)
        && (!oct_calibration_settings_change_only (own)
            || c->made[i].upstream == c->upstream))
      return &c->made[i];
  return NULL;
}

/* Stores `made` as the first, the newest; takes over its references. */
static void
keep_made (GstOctCalibrations *c, const GstOctMadeCalibration *made)
{
  guint last = G_N_ELEMENTS (c->made) - 1, i;

  for (i = 0; i < last; i++)
    if (c->made[i].samples == made->samples
        && oct_calibration_settings_equal (
            &c->made[i].settings, &made->settings))
      break;
  clear_made (&c->made[i]);
  memmove (&c->made[1], &c->made[0], i * sizeof c->made[0]);
  c->made[0] = *made;
}

OctCalibration *
gst_oct_calibrations_ref (GstOctCalibrations *c, GstElement *element,
    const OctCalibrationSettings *own, guint samples, GError **error)
{
  GstOctMadeCalibration made = { .samples = samples };
  const GstOctMadeCalibration *known;
  OctCalibration *found = NULL;

  GST_OBJECT_LOCK (element);
  if (own == NULL || oct_calibration_settings_empty (own)) {
    found = ref_upstream (c, samples, error);
    GST_OBJECT_UNLOCK (element);
    return found;
  }
  known = find_made (c, own, samples);
  if (known == NULL) {
    oct_calibration_settings_copy (&made.settings, own);
    if (c->upstream != NULL && oct_calibration_settings_change_only (own))
      made.upstream = oct_calibration_ref (c->upstream);
    GST_OBJECT_UNLOCK (element);

    made.calibration = oct_calibration_new_on (
        made.upstream, &made.settings, samples, &made.error);
    if (made.error != NULL)
      gst_oct_error_name_property (&made.error, "`calibration`");
    GST_OBJECT_LOCK (element);
    keep_made (c, &made);
    known = &c->made[0];
  }
  if (known->calibration != NULL)
    found = oct_calibration_ref (known->calibration);
  else if (error != NULL)
    *error = g_error_copy (known->error);
  GST_OBJECT_UNLOCK (element);
  return found;
}

OctCalibration *
gst_oct_calibrations_peek (const GstOctCalibrations *c,
    const OctCalibrationSettings *own, guint samples)
{
  const GstOctMadeCalibration *known;

  if (own == NULL || oct_calibration_settings_empty (own))
    return ref_upstream (c, samples, NULL);
  known = find_made (c, own, samples);
  return known != NULL && known->calibration != NULL
             ? oct_calibration_ref (known->calibration)
             : NULL;
}

/* ---------------------------------------------------------------- properties
 */

static gpointer
open_calibration (const char *path)
{
  OctCalibrationSettings settings = { 0 };

  oct_calibration_settings_set_file (&settings, path);
  g_free (settings.file);
  return settings.content;
}

const GstOctFileType gst_oct_calibration_file = { open_calibration,
  (gpointer (*) (gpointer))oct_file_content_ref,
  (void (*) (gpointer))oct_file_content_unref };
