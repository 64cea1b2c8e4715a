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

/* ------------------------------------------------------------- properties */

static void
install_size (GObjectClass *klass, guint id, const char *name, const char *nick,
    const char *blurb)
{
  g_object_class_install_property (klass, id,
      g_param_spec_uint (name, nick, blurb, 0, OCT_MAX_SAMPLES, 0,
          G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS
              | GST_PARAM_MUTABLE_PLAYING));
}

void
gst_oct_ascans_install_properties (GObjectClass *klass, gboolean has_length)
{
  g_object_class_install_property (klass, GST_OCT_PROP_WINDOW,
      g_param_spec_enum ("window", "Window",
          "Window along the wavenumber axis, scaled to unit mean square",
          GST_TYPE_OCT_WINDOW, OCT_WINDOW_HANN,
          G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS
              | GST_PARAM_MUTABLE_PLAYING));
  if (has_length)
    install_size (klass, GST_OCT_PROP_LENGTH, "length", "Length",
        "Samples of the transform, filled up with zeros (0 = those of the "
        "spectra)");
  install_size (klass, GST_OCT_PROP_DEPTH_START, "depth-start", "First depth",
      "First depth bin to deliver");
  install_size (klass, GST_OCT_PROP_DEPTH_BINS, "depth-bins", "Depth bins",
      has_length ? "Number of depth bins to deliver (0 = all up to length / 2)"
                 : "Number of depth bins to deliver (0 = all up to half the "
                   "samples)");
  gst_type_mark_as_plugin_api (GST_TYPE_OCT_WINDOW, 0);
}

static guint *
find_size (GstOctAScans *ascans, guint id)
{
  switch (id) {
  case GST_OCT_PROP_LENGTH:
    return &ascans->wanted.length;
  case GST_OCT_PROP_DEPTH_START:
    return &ascans->wanted.start;
  case GST_OCT_PROP_DEPTH_BINS:
    return &ascans->wanted.bins;
  default:
    return NULL;
  }
}

gboolean
gst_oct_ascans_set_property (
    GstOctFilter *filter, GstOctAScans *ascans, guint id, const GValue *value)
{
  guint *size = find_size (ascans, id);

  if (size == NULL && id != GST_OCT_PROP_WINDOW)
    return FALSE;
  GST_OBJECT_LOCK (filter);
  if (size != NULL) {
    *size = g_value_get_uint (value);
    ascans->told = FALSE;
  } else {
    ascans->window = g_value_get_enum (value);
  }
  GST_OBJECT_UNLOCK (filter);
  gst_oct_filter_property_changed (filter, size != NULL);
  return TRUE;
}

gboolean
gst_oct_ascans_get_property (
    GstOctFilter *filter, GstOctAScans *ascans, guint id, GValue *value)
{
  const guint *size = find_size (ascans, id);

  if (size == NULL && id != GST_OCT_PROP_WINDOW)
    return FALSE;
  GST_OBJECT_LOCK (filter);
  if (size != NULL)
    g_value_set_uint (value, *size);
  else
    g_value_set_enum (value, ascans->window);
  GST_OBJECT_UNLOCK (filter);
  return TRUE;
}

/* ----------------------------------------------------------------- depths */

/* What is asked of spectra of `samples` samples, every 0 replaced; FALSE when
 * that is impossible. */
static gboolean
resolve (const GstOctDepths *asked, guint samples, GstOctDepths *depths)
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

/* The transform for spectra of `samples` samples, and what has been `asked` for
 * it.  length, depth-start and depth-bins are set one after the other while the
 * picture is live: until they go together again, what did before stays.  FALSE
 * with OCT_ERROR_SETTINGS when they do not and nothing did. */
static gboolean
choose (GstOctFilter *filter, GstOctAScans *ascans, guint samples,
    GstOctDepths *asked, GstOctDepths *depths, GError **error)
{
  GstOctDepths wanted;
  gboolean fit;

  GST_OBJECT_LOCK (filter);
  *asked = ascans->wanted;
  fit = resolve (asked, samples, depths);
  wanted = *depths;
  if (!fit && ascans->has_former) {
    *asked = ascans->former;
    fit = resolve (asked, samples, depths);
  }
  GST_OBJECT_UNLOCK (filter);
  if (!fit)
    set_depths_error (filter, &wanted, samples, error);
  return fit;
}

/* Says, once for a setting, that it is impossible and what is delivered in its
 * place. */
static void
warn_of_former (GstOctFilter *filter, GstOctAScans *ascans, guint samples,
    const GstOctDepths *former)
{
  g_autofree char *kept = NULL;
  GError *error = NULL;
  GstOctDepths wanted;
  gboolean possible;

  GST_OBJECT_LOCK (filter);
  possible = resolve (&ascans->wanted, samples, &wanted);
  if (possible)
    ascans->told = FALSE;
  GST_OBJECT_UNLOCK (filter);
  if (possible)
    return;
  set_depths_error (filter, &wanted, samples, &error);
  kept = g_strdup_printf (
      "Until then the former range is kept: %u depth bins from bin %u on of a "
      "transform of length %u.",
      former->bins, former->start, former->length);
  gst_oct_element_warn_former (
      GST_ELEMENT (filter), &ascans->told, &error, kept);
}

static void
set_z_spacing (
    GstOctFilter *filter, guint samples, guint length, GstStructure *to)
{
  g_autoptr (OctCalibration) calibration =
      gst_oct_filter_peek_calibration (filter, samples);
  double z = calibration != NULL
                 ? oct_calibration_get_z_spacing (calibration, length)
                 : 0.0;

  if (z > 0.0)
    gst_structure_set (to, "z-spacing", G_TYPE_DOUBLE, z, NULL);
}

void
gst_oct_ascans_transform_structure (GstOctFilter *filter, GstOctAScans *ascans,
    GstPadDirection direction, const GstStructure *from, const char *spectra,
    GstCaps *result)
{
  GstStructure *to;
  gint samples;

  if (direction == GST_PAD_SRC) {
    to = gst_structure_from_string (spectra, NULL);
  } else {
    to = gst_structure_from_string (GST_OCT_CAPS_ASCANS, NULL);
    if (gst_structure_get_int (from, "samples", &samples)) {
      GstOctDepths asked, depths;

      /* Sizes that do not go together are reported with a sentence when the
       * first B-scan comes; here there is none to report with. */
      if (!choose (filter, ascans, samples, &asked, &depths, NULL))
        depths.bins = 1;
      gst_structure_set (to, "samples", G_TYPE_INT, (gint)depths.bins, NULL);
      set_z_spacing (filter, samples, depths.length, to);
    }
  }
  gst_oct_structure_copy_field (from, "lines", to, "lines");
  gst_oct_structure_copy_field (from, "framerate", to, "framerate");
  gst_caps_append_structure (result, to);
}

/* A property was set between the negotiation and the first B-scan of these
 * caps: `columns` bins that there are, for the moment until caps for it come,
 * those that lie nearest to what is asked for. */
static void
fit_columns (GstOctDepths *depths, guint columns)
{
  guint all;

  depths->length = MAX (depths->length, 2 * columns);
  all = depths->length / 2;
  depths->start = MIN (depths->start, all - columns);
  depths->bins = columns;
}

gboolean
gst_oct_ascans_configure (GstOctFilter *filter, GstOctAScans *ascans,
    guint samples, GstOctDepths *depths, OctWindow *window, GError **error)
{
  const GstOctInfo *output = gst_oct_filter_get_output (filter);
  GstOctDepths asked;

  if (!choose (filter, ascans, samples, &asked, depths, error))
    return FALSE;
  warn_of_former (filter, ascans, samples, depths);
  if (depths->bins != output->columns && gst_oct_filter_has_plan (filter)) {
    depths->bins = 0;
    return TRUE;
  }
  GST_OBJECT_LOCK (filter);
  ascans->former = asked;
  ascans->has_former = TRUE;
  *window = ascans->window;
  GST_OBJECT_UNLOCK (filter);
  if (depths->bins != output->columns)
    fit_columns (depths, output->columns);
  return TRUE;
}
