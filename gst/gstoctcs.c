/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-octcs
 *
 * Makes A-scans of a part of the samples of the spectra, by compressive
 * sensing: with less background noise, and less to be read from the camera.
 *
 * |[
 * gst-launch-1.0 octsrc num-buffers=100 ! octdcsub ! octcs sampling-rate=0.4 !
 * octlogscale ! videoconvert ! autovideosink
 * ]|
 */
#include "gstoctcs.h"
#include "gstoctascans.h"
#include "gstoctgridding.h"
#include "gstoctsampling.h"
#include "oct-cs.h"

GST_DEBUG_CATEGORY_STATIC (gst_oct_cs_debug);
#define GST_CAT_DEFAULT gst_oct_cs_debug

#define DEFAULT_ITERATIONS 15 /* Xu, Huang and Kang 2014, figure 2 */
#define DEFAULT_TAU 3.0

#define SPECTRA_CAPS                                                           \
  GST_OCT_CAPS_SPECTRA ("{ F32LE, CF32LE }", "{ wavelength, wavenumber }")

struct _GstOctCS {
  GstOctFilter parent;

  GstOctAScans ascans;
  GstOctGridding gridding;
  GstOctSampling sampling;

  /* under the object lock */
  OctCsTransform transform;
  guint iterations;
  double tau, noise;
  guint kept; /* of the last plan, 0: none */
};

enum {
  PROP_0,
  PROP_TRANSFORM,
  PROP_ITERATIONS,
  PROP_TAU,
  PROP_NOISE,
  PROP_KEPT_SAMPLES,
};

G_DEFINE_TYPE (GstOctCS, gst_oct_cs, GST_TYPE_OCT_FILTER);
GST_ELEMENT_REGISTER_DEFINE (octcs, "octcs", GST_RANK_NONE, GST_TYPE_OCT_CS);

#define GST_TYPE_OCT_CS_TRANSFORM (transform_get_type ())
static GType
transform_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
    { OCT_CS_NUFFT, "Non-uniform, by gridding and FFT", "nufft" },
    { OCT_CS_NUDFT, "Non-uniform and exact", "nudft" },
    { OCT_CS_FFT,
        "FFT, for spectra uniform in wavenumber or the nearest samples "
        "(mask=linear-k)",
        "fft" },
    { 0, NULL, NULL },
  };

  if (g_once_init_enter (&type))
    g_once_init_leave (
        &type, g_enum_register_static ("GstOctCsTransform", values));
  return type;
}

static void
transform_structure (GstOctFilter *filter, GstPadDirection direction,
    const GstStructure *from, GstCaps *result)
{
  GstOctCS *self = GST_OCT_CS (filter);
  g_autoptr (GstStructure) whole = gst_structure_copy (from);
  gint columns;

  /* the depths are those of A-lines with no sample left out */
  if (direction == GST_PAD_SINK
      && gst_structure_get_int (from, "samples", &columns))
    gst_structure_set (whole, "samples", G_TYPE_INT,
        (gint)gst_oct_sampling_get_samples (
            filter, &self->sampling, (guint)columns),
        NULL);
  gst_oct_ascans_transform_structure (
      filter, &self->ascans, direction, whole, SPECTRA_CAPS, result);
}

/* ------------------------------------------------------------------- plans */

/* Tables of one plan. */
typedef struct {
  guint samples; /* of a whole A-line */
  OctCalibration *calibration;
  const double *pixels; /* [samples] their nodes; NULL: uniform */
  guint8 *mask;         /* [samples] */
  guint32 *column;      /* [kept] */
  double *nodes, *window;
} Tables;

static void
clear_tables (Tables *tables)
{
  g_clear_pointer (&tables->calibration, oct_calibration_unref);
  g_free (tables->mask);
  g_free (tables->column);
  g_free (tables->nodes);
  g_free (tables->window);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Tables, clear_tables)

static gboolean
find_wavenumbers (GstOctFilter *filter, Tables *t, GError **error)
{
  GError *local = NULL;

  if (gst_oct_filter_get_input (filter)->axis == GST_OCT_AXIS_WAVENUMBER) {
    t->calibration =
        gst_oct_filter_ref_calibration (filter, t->samples, &local);
    if (local != NULL)
      g_propagate_error (error, local);
    return local == NULL;
  }
  t->calibration = gst_oct_filter_ref_wavenumbers (filter, t->samples, error);
  if (t->calibration == NULL)
    return FALSE;
  t->pixels = oct_calibration_get_nodes (t->calibration);
  return TRUE;
}

/* The light of the source at the samples, g_free(); NULL when not known. */
static double *
get_density (const Tables *t)
{
  const double *background = NULL, *positions = NULL;
  double *density;

  if (t->calibration != NULL)
    background = oct_calibration_get_background (t->calibration);
  if (background == NULL)
    return NULL;
  if (t->pixels == NULL)
    positions = oct_calibration_get_positions (t->calibration);
  density = g_new (double, t->samples);
  for (guint i = 0; i < t->samples; i++) {
    double at = positions != NULL ? CLAMP (positions[i], 0, t->samples - 1) : i;
    density[i] = background[(guint)(at + 0.5)];
  }
  return density;
}

/* Of spectra that hold the kept samples only, which of them stands where;
 * FALSE when the rows have another length. */
static gboolean
find_columns (
    const Tables *t, guint columns, guint32 *column_of, GError **error)
{
  guint kept = oct_mask_count (t->mask, t->samples), next = 0;

  for (guint n = 0; n < t->samples; n++) {
    column_of[n] = columns == t->samples ? n : next;
    next += t->mask[n];
  }
  if (columns == t->samples || columns == kept)
    return TRUE;
  g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
      "The spectra have %u samples, but the mask of octcs keeps %u of %u; "
      "deliver all %u or the kept ones alone, or set another `mask` or "
      "`calibration`.",
      columns, kept, t->samples, t->samples);
  return FALSE;
}

/* The kept samples where they lie or, `at_nearest`, where the nearest uniform
 * wavenumbers are that they stand for. */
static guint
list_samples (
    Tables *t, gboolean at_nearest, OctWindow kind, const guint32 *column_of)
{
  g_autofree guint32 *nearest = NULL;
  g_autofree double *window = g_new (double, t->samples);
  guint kept = 0;

  if (at_nearest) {
    nearest = g_new (guint32, t->samples);
    oct_mask_find_nearest (t->samples, t->pixels, nearest);
  }
  oct_window_fill (kind, t->samples, at_nearest ? NULL : t->pixels, window);
  t->column = g_new (guint32, t->samples);
  t->nodes = g_new (double, t->samples);
  t->window = g_new (double, t->samples);
  for (guint i = 0; i < t->samples; i++) {
    guint n = at_nearest ? nearest[i] : i;
    if (!t->mask[n])
      continue;
    t->column[kept] = column_of[n];
    t->nodes[kept] = at_nearest || t->pixels == NULL ? i : t->pixels[i];
    t->window[kept] = window[i];
    kept++;
  }
  return kept;
}

/* FALSE when the FFT is asked for samples that are not uniform. */
static gboolean
check_axis (GstOctCS *self, gboolean uniform, GError **error)
{
  gboolean possible;

  GST_OBJECT_LOCK (self);
  possible = uniform || self->transform != OCT_CS_FFT
             || self->sampling.kind == OCT_MASK_LINEAR_K
             || self->sampling.kind == GST_OCT_MASK_FILE;
  GST_OBJECT_UNLOCK (self);
  if (!possible)
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "transform=fft of octcs needs spectra that are uniform in wavenumber, "
        "but these are not (axis=wavelength); set transform=nufft, "
        "mask=linear-k to take the nearest samples, or put octkresample in "
        "front.");
  return possible;
}

static gboolean
make_tables (GstOctCS *self, OctWindow kind, Tables *t, OctCsParams *params,
    GError **error)
{
  GstOctFilter *filter = GST_OCT_FILTER (self);
  g_autofree double *density = NULL;
  g_autofree guint32 *column_of = g_new (guint32, t->samples);

  if (!find_wavenumbers (filter, t, error)
      || !check_axis (self, t->pixels == NULL, error))
    return FALSE;
  density = get_density (t);
  t->mask = gst_oct_sampling_make_mask (
      filter, &self->sampling, t->samples, t->pixels, density, error);
  if (t->mask == NULL || !find_columns (t, params->columns, column_of, error))
    return FALSE;
  params->samples = t->samples;
  params->kept = list_samples (
      t, params->transform == OCT_CS_FFT && t->pixels != NULL, kind, column_of);
  params->column = t->column;
  params->nodes = t->nodes;
  params->window = t->window;
  return TRUE;
}

static void
set_kept (GstOctCS *self, guint kept)
{
  gboolean changed;

  GST_OBJECT_LOCK (self);
  changed = self->kept != kept;
  self->kept = kept;
  GST_OBJECT_UNLOCK (self);
  if (changed)
    g_object_notify (G_OBJECT (self), "kept-samples");
}

static gboolean
configure (GstOctFilter *filter, GError **error)
{
  GstOctCS *self = GST_OCT_CS (filter);
  const GstOctInfo *input = gst_oct_filter_get_input (filter);
  OctCsParams params = {
    .format = input->format, .lines = input->rows, .columns = input->columns
  };
  g_auto (Tables) tables = { gst_oct_sampling_get_samples (
      filter, &self->sampling, input->columns) };
  GstOctDepths depths;
  OctWindow kind;

  if (!gst_oct_ascans_configure (
          filter, &self->ascans, tables.samples, &depths, &kind, error))
    return FALSE;
  if (depths.bins == 0)
    return TRUE;
  GST_OBJECT_LOCK (self);
  params.transform = self->transform;
  params.kernel = self->gridding.kernel;
  params.grid =
      oct_nufft_grid_length (tables.samples, self->gridding.oversampling);
  params.width = self->gridding.width;
  params.iterations = self->iterations;
  params.tau = self->tau;
  params.noise = self->noise;
  GST_OBJECT_UNLOCK (self);
  params.depth_start = depths.start;
  params.depth_bins = depths.bins;
  if (!make_tables (self, kind, &tables, &params, error)
      || !gst_oct_filter_set_plan (filter, &params, error))
    return FALSE;
  set_kept (self, oct_mask_count (tables.mask, tables.samples));
  return TRUE;
}

static gboolean
stop (GstBaseTransform *trans)
{
  GstOctCS *self = GST_OCT_CS (trans);

  self->ascans.has_former = FALSE;
  gst_oct_sampling_forget (GST_OCT_FILTER (self), &self->sampling);
  return GST_BASE_TRANSFORM_CLASS (gst_oct_cs_parent_class)->stop (trans);
}

/* -------------------------------------------------------------- properties */

static void
set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  GstOctCS *self = GST_OCT_CS (object);
  GstOctFilter *filter = GST_OCT_FILTER (object);

  GST_OBJECT_LOCK (self);
  switch (id) {
  case PROP_TRANSFORM:
    self->transform = g_value_get_enum (value);
    break;
  case PROP_ITERATIONS:
    self->iterations = g_value_get_uint (value);
    break;
  case PROP_TAU:
    self->tau = g_value_get_double (value);
    break;
  case PROP_NOISE:
    self->noise = g_value_get_double (value);
    break;
  default:
    GST_OBJECT_UNLOCK (self);
    if (!gst_oct_gridding_set_property (filter, &self->gridding, id, value)
        && !gst_oct_sampling_set_property (filter, &self->sampling, id, value)
        && !gst_oct_ascans_set_property (filter, &self->ascans, id, value))
      gst_oct_filter_set_calibration_property (filter, id, value, pspec);
    return;
  }
  GST_OBJECT_UNLOCK (self);
  gst_oct_filter_property_changed (filter, FALSE);
}

static void
get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  GstOctCS *self = GST_OCT_CS (object);
  GstOctFilter *filter = GST_OCT_FILTER (object);

  GST_OBJECT_LOCK (self);
  switch (id) {
  case PROP_TRANSFORM:
    g_value_set_enum (value, self->transform);
    break;
  case PROP_ITERATIONS:
    g_value_set_uint (value, self->iterations);
    break;
  case PROP_TAU:
    g_value_set_double (value, self->tau);
    break;
  case PROP_NOISE:
    g_value_set_double (value, self->noise);
    break;
  case PROP_KEPT_SAMPLES:
    g_value_set_uint (value, self->kept);
    break;
  default:
    GST_OBJECT_UNLOCK (self);
    if (!gst_oct_gridding_get_property (filter, &self->gridding, id, value)
        && !gst_oct_sampling_get_property (filter, &self->sampling, id, value)
        && !gst_oct_ascans_get_property (filter, &self->ascans, id, value))
      gst_oct_filter_get_calibration_property (filter, id, value, pspec);
    return;
  }
  GST_OBJECT_UNLOCK (self);
}

static void
finalize (GObject *object)
{
  gst_oct_sampling_clear (&GST_OCT_CS (object)->sampling);
  G_OBJECT_CLASS (gst_oct_cs_parent_class)->finalize (object);
}

static void
install_solver_properties (GObjectClass *klass, GParamFlags live)
{
  g_object_class_install_property (klass, PROP_ITERATIONS,
      g_param_spec_uint ("iterations", "Iterations",
          "Steps of the solver; the time that it takes grows with them", 1,
          OCT_CS_MAX_ITERATIONS, DEFAULT_ITERATIONS, live));
  g_object_class_install_property (klass, PROP_TAU,
      g_param_spec_double ("tau", "Threshold",
          "What an A-scan has to exceed, in standard deviations of the noise "
          "in it: more removes more noise and weak structures with it",
          0.0, 1000.0, DEFAULT_TAU, live));
  g_object_class_install_property (klass, PROP_NOISE,
      g_param_spec_double ("noise", "Noise",
          "Standard deviation of the noise of one sample in counts (0 = "
          "estimated from every B-scan)",
          0.0, 1e9, 0.0, live));
  g_object_class_install_property (klass, PROP_KEPT_SAMPLES,
      g_param_spec_uint ("kept-samples", "Kept samples",
          "Samples of an A-line that the mask in use keeps (0 = none yet)", 0,
          OCT_MAX_SAMPLES, 0, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS));
}

static void
install_transform_properties (GObjectClass *klass, GParamFlags live)
{
  g_object_class_install_property (klass, PROP_TRANSFORM,
      g_param_spec_enum ("transform", "Transform",
          "How A-scans and samples belong together", GST_TYPE_OCT_CS_TRANSFORM,
          OCT_CS_NUFFT, live));
  gst_oct_gridding_install_properties (klass, "transform=nufft",
      "Cells of the grid per sample, rounded up to an FFT length without large "
      "prime factors");
}

static void
gst_oct_cs_class_init (GstOctCSClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstOctFilterClass *filter_class = GST_OCT_FILTER_CLASS (klass);
  GParamFlags live =
      G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING;

  GST_DEBUG_CATEGORY_INIT (
      gst_oct_cs_debug, "octcs", 0, "OCT compressive sensing");
  object_class->set_property = set_property;
  object_class->get_property = get_property;
  object_class->finalize = finalize;
  filter_class->transform_structure = transform_structure;
  filter_class->configure = configure;
  GST_BASE_TRANSFORM_CLASS (klass)->stop = stop;
  install_transform_properties (object_class, live);
  install_solver_properties (object_class, live);
  gst_oct_sampling_install_properties (object_class);
  gst_oct_ascans_install_properties (object_class, FALSE);
  gst_oct_calibration_install_properties (object_class, FALSE);
  gst_oct_filter_class_describe (filter_class,
      &(GstOctFilterDescription){ .operation = OCT_OPERATION_CS,
          .long_name = "OCT compressive sensing",
          .description = "Makes A-scans of a part of the samples of spectra",
          .sink_caps = SPECTRA_CAPS,
          .src_caps = GST_OCT_CAPS_ASCANS });
  gst_type_mark_as_plugin_api (GST_TYPE_OCT_CS_TRANSFORM, 0);
}

static void
gst_oct_cs_init (GstOctCS *self)
{
  gst_oct_gridding_init (&self->gridding);
  gst_oct_sampling_init (&self->sampling);
  self->iterations = DEFAULT_ITERATIONS;
  self->tau = DEFAULT_TAU;
}
