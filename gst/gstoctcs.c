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
#include "gstocterror.h"
#include "gstoctsampling.h"
#include "oct-cs.h"

GST_DEBUG_CATEGORY_STATIC (gst_oct_cs_debug);
#define GST_CAT_DEFAULT gst_oct_cs_debug

#define DEFAULT_ITERATIONS 15 /* Xu, Huang and Kang 2014, figure 2 */
#define DEFAULT_TAU 3.0

#define SPECTRA_CAPS                                                           \
  GST_OCT_CAPS_SPECTRA ("{ F32LE, CF32LE }", "{ wavelength, wavenumber }")

/* Properties that have to go together. */
typedef struct {
  OctCsTransform transform;
  GstOctSampling sampling;
} Choice;

static void
copy_choice (Choice *to, const Choice *from)
{
  to->transform = from->transform;
  gst_oct_sampling_copy (&to->sampling, &from->sampling);
}

static void
clear_choice (Choice *choice)
{
  gst_oct_sampling_clear (&choice->sampling);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Choice, clear_choice)

struct _GstOctCS {
  GstOctFilter parent;

  GstOctAScans ascans;
  GstOctGridding gridding;

  /* under the object lock */
  Choice wanted;       /* the properties */
  Choice former;       /* what the last plan was made with */
  gboolean has_former; /* there was one since the start */
  guint iterations;
  double tau, noise;
  guint kept; /* of the last plan, 0: none */
  /* samples of a whole A-line, 0: not known yet, when rows have `columns` */
  struct {
    guint columns, samples;
  } found;
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

/* The properties, and what did before them when there is that: they are set one
 * after the other while the picture is live. */
static gboolean
get_choices (GstOctCS *self, Choice *wanted, Choice *former)
{
  gboolean has_former;

  GST_OBJECT_LOCK (self);
  copy_choice (wanted, &self->wanted);
  has_former = self->has_former;
  if (has_former)
    copy_choice (former, &self->former);
  GST_OBJECT_UNLOCK (self);
  return has_former;
}

/* Samples of a whole A-line when the rows of the input have `columns`, for the
 * caps: from files that are read here. */
static void
prepare (GstOctFilter *filter, guint columns)
{
  GstOctCS *self = GST_OCT_CS (filter);
  g_auto (Choice) wanted = { 0 }, former = { 0 };
  g_autoptr (OctCalibration) calibration = NULL, other = NULL;
  gboolean has_former = get_choices (self, &wanted, &former);
  guint samples;

  /* what is wrong is said when the first B-scan comes */
  if (!gst_oct_sampling_find_samples (
          &wanted.sampling, filter, columns, &samples, &calibration, NULL)
      && has_former)
    gst_oct_sampling_find_samples (
        &former.sampling, filter, columns, &samples, &other, NULL);
  GST_OBJECT_LOCK (self);
  self->found.columns = columns;
  self->found.samples = samples;
  GST_OBJECT_UNLOCK (self);
}

static void
transform_structure (GstOctFilter *filter, GstPadDirection direction,
    const GstStructure *from, GstCaps *result)
{
  GstOctCS *self = GST_OCT_CS (filter);
  g_autoptr (GstStructure) whole = gst_structure_copy (from);
  guint samples = 0;
  gint columns;

  /* the depths are those of A-lines with no sample left out */
  if (direction == GST_PAD_SINK
      && gst_structure_get_int (from, "samples", &columns)) {
    GST_OBJECT_LOCK (self);
    if (self->found.columns == (guint)columns)
      samples = self->found.samples;
    GST_OBJECT_UNLOCK (self);
    if (samples != 0)
      gst_structure_set (whole, "samples", G_TYPE_INT, (gint)samples, NULL);
    else
      gst_structure_remove_field (whole, "samples");
  }
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
  gboolean at_nearest;  /* what is kept stands for uniform wavenumbers */
  guint kept;           /* of the following */
  guint32 *place;       /* of the window */
  guint32 *column;      /* of the input */
  double *nodes;
} Tables;

static void
clear_tables (Tables *tables)
{
  g_clear_pointer (&tables->calibration, oct_calibration_unref);
  g_free (tables->mask);
  g_free (tables->place);
  g_free (tables->column);
  g_free (tables->nodes);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Tables, clear_tables)

static gboolean
find_wavenumbers (
    GstOctFilter *filter, Choice *choice, Tables *t, GError **error)
{
  const GstOctInfo *input = gst_oct_filter_get_input (filter);

  if (!gst_oct_sampling_find_samples (&choice->sampling, filter, input->columns,
          &t->samples, &t->calibration, error))
    return FALSE;
  if (input->axis == GST_OCT_AXIS_WAVENUMBER)
    return TRUE;
  g_clear_pointer (&t->calibration, oct_calibration_unref);
  t->calibration =
      gst_oct_filter_ref_wavenumbers (filter, t->samples, "", error);
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
static void
list_samples (Tables *t, const guint32 *column_of)
{
  g_autofree guint32 *nearest = NULL;

  if (t->at_nearest) {
    nearest = g_new (guint32, t->samples);
    oct_mask_find_nearest (t->samples, t->pixels, nearest);
  }
  t->place = g_new (guint32, t->samples);
  t->column = g_new (guint32, t->samples);
  t->nodes = g_new (double, t->samples);
  for (guint i = 0; i < t->samples; i++) {
    guint n = t->at_nearest ? nearest[i] : i;
    if (!t->mask[n])
      continue;
    t->place[t->kept] = i;
    t->column[t->kept] = column_of[n];
    t->nodes[t->kept] = t->at_nearest || t->pixels == NULL ? i : t->pixels[i];
    t->kept++;
  }
}

/* window[kept] */
static double *
make_window (const Tables *t, OctWindow kind)
{
  double *window = g_new (double, t->samples);

  oct_window_fill (kind, t->samples, t->at_nearest ? NULL : t->pixels, window);
  /* in place: no sample comes before its own */
  for (guint i = 0; i < t->kept; i++)
    window[i] = window[t->place[i]];
  return window;
}

/* FALSE when the FFT is asked for samples that are not uniform. */
static gboolean
check_axis (const Choice *choice, gboolean uniform, GError **error)
{
  if (uniform || choice->transform != OCT_CS_FFT
      || choice->sampling.kind == OCT_MASK_LINEAR_K
      || choice->sampling.kind == GST_OCT_MASK_FILE)
    return TRUE;
  g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
      "transform=fft of octcs needs spectra that are uniform in wavenumber, "
      "but these are not (axis=wavelength); set transform=nufft, "
      "mask=linear-k to take the nearest samples, or put octkresample in "
      "front.");
  return FALSE;
}

/* `tables`, zeros, for a choice; FALSE with an error when it does not go
 * together with the spectra, their calibration or in itself. */
static gboolean
make_tables (GstOctCS *self, Choice *choice, Tables *t, GError **error)
{
  GstOctFilter *filter = GST_OCT_FILTER (self);
  guint columns = gst_oct_filter_get_input (filter)->columns;
  g_autofree double *density = NULL;
  g_autofree guint32 *column_of = NULL;

  if (!find_wavenumbers (filter, choice, t, error)
      || !check_axis (choice, t->pixels == NULL, error))
    return FALSE;
  density = get_density (t);
  column_of = g_new (guint32, t->samples);
  t->mask = gst_oct_sampling_make_mask (
      &choice->sampling, t->samples, t->pixels, density, error);
  if (t->mask == NULL || !find_columns (t, columns, column_of, error))
    return FALSE;
  t->at_nearest = choice->transform == OCT_CS_FFT && t->pixels != NULL;
  list_samples (t, column_of);
  if (t->kept > 0)
    return TRUE;
  g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
      "transform=fft of octcs takes the samples that are the nearest to a "
      "uniform wavenumber, and none of the %u that the mask keeps is that; set "
      "transform=nufft, or mask=linear-k.",
      oct_mask_count (t->mask, t->samples));
  return FALSE;
}

/* Says, once for a setting, that it is impossible and what stays. */
static void
warn_of_former (GstOctCS *self, const Choice *former, GError **error)
{
  g_autoptr (GEnumClass) masks = g_type_class_ref (GST_TYPE_OCT_MASK);
  g_autoptr (GEnumClass) transforms =
      g_type_class_ref (GST_TYPE_OCT_CS_TRANSFORM);
  g_autofree char *kept = g_strdup_printf (
      "Until then the former samples are used: mask=%s, transform=%s.",
      g_enum_get_value (masks, former->sampling.kind)->value_nick,
      g_enum_get_value (transforms, (gint)former->transform)->value_nick);

  gst_oct_element_warn_former (
      GST_ELEMENT (self), &self->wanted.sampling.told, error, kept);
}

/* The choice that is wanted and its tables or, when they are impossible, those
 * that did before: properties end no pipeline that makes images.  (What did
 * before is tried with the calibration and caps in force.) */
static gboolean
choose (GstOctCS *self, Choice *choice, Tables *tables, GError **error)
{
  g_auto (Choice) former = { 0 };
  gboolean has_former = get_choices (self, choice, &former);
  GError *local = NULL;

  if (make_tables (self, choice, tables, &local)) {
    GST_OBJECT_LOCK (self);
    self->wanted.sampling.told = FALSE;
    GST_OBJECT_UNLOCK (self);
    return TRUE;
  }
  clear_tables (tables);
  *tables = (Tables){ 0 };
  if (!has_former || !make_tables (self, &former, tables, NULL)) {
    g_propagate_error (error, local);
    return FALSE;
  }
  warn_of_former (self, &former, &local);
  /* `mask-output` is no part of what does not go together */
  g_free (former.sampling.output);
  former.sampling.output = g_strdup (choice->sampling.output);
  copy_choice (choice, &former);
  return TRUE;
}

/* While images are made, a file that cannot be written is a warning. */
static gboolean
write_mask (
    GstOctCS *self, const Choice *choice, const Tables *t, GError **error)
{
  GError *local = NULL;
  gboolean fatal;

  if (gst_oct_sampling_write_mask (
          &choice->sampling, t->mask, t->samples, &local))
    return TRUE;
  GST_OBJECT_LOCK (self);
  fatal = !self->has_former;
  GST_OBJECT_UNLOCK (self);
  if (fatal) {
    g_propagate_error (error, local);
    return FALSE;
  }
  gst_oct_element_warn_former (GST_ELEMENT (self),
      &self->wanted.sampling.told_of_output, &local,
      "The images go on without it.");
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

static void
fill_params (
    GstOctCS *self, const Choice *choice, const Tables *t, OctCsParams *params)
{
  const GstOctInfo *input = gst_oct_filter_get_input (GST_OCT_FILTER (self));

  params->format = input->format;
  params->lines = input->rows;
  params->columns = input->columns;
  params->transform = choice->transform;
  GST_OBJECT_LOCK (self);
  params->kernel = self->gridding.kernel;
  params->grid =
      oct_nufft_grid_length (t->samples, self->gridding.oversampling);
  params->width = self->gridding.width;
  params->iterations = self->iterations;
  params->tau = self->tau;
  params->noise = self->noise;
  GST_OBJECT_UNLOCK (self);
  params->samples = t->samples;
  params->kept = t->kept;
  params->column = t->column;
  params->nodes = t->nodes;
}

static gboolean
configure (GstOctFilter *filter, GError **error)
{
  GstOctCS *self = GST_OCT_CS (filter);
  g_auto (Choice) choice = { 0 };
  g_auto (Tables) tables = { 0 };
  g_autofree double *window = NULL;
  OctCsParams params = { 0 };
  GstOctDepths depths;
  OctWindow kind;

  if (!choose (self, &choice, &tables, error)
      || !gst_oct_ascans_configure (
          filter, &self->ascans, tables.samples, &depths, &kind, error))
    return FALSE;
  if (depths.bins == 0)
    return TRUE;
  if (!write_mask (self, &choice, &tables, error))
    return FALSE;
  fill_params (self, &choice, &tables, &params);
  window = make_window (&tables, kind);
  params.window = window;
  params.depth_start = depths.start;
  params.depth_bins = depths.bins;
  if (!gst_oct_filter_set_plan (filter, &params, error))
    return FALSE;
  GST_OBJECT_LOCK (self);
  copy_choice (&self->former, &choice);
  self->has_former = TRUE;
  GST_OBJECT_UNLOCK (self);
  set_kept (self, oct_mask_count (tables.mask, tables.samples));
  return TRUE;
}

static gboolean
stop (GstBaseTransform *trans)
{
  GstOctCS *self = GST_OCT_CS (trans);

  self->ascans.has_former = FALSE;
  GST_OBJECT_LOCK (self);
  self->has_former = FALSE;
  clear_choice (&self->former);
  self->found.columns = 0;
  gst_oct_mask_file_forget (&self->wanted.sampling.file);
  GST_OBJECT_UNLOCK (self);
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
    self->wanted.transform = g_value_get_enum (value);
    self->wanted.sampling.told = FALSE;
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
        && !gst_oct_sampling_set_property (
            filter, &self->wanted.sampling, id, value)
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
    g_value_set_enum (value, self->wanted.transform);
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
        && !gst_oct_sampling_get_property (
            filter, &self->wanted.sampling, id, value)
        && !gst_oct_ascans_get_property (filter, &self->ascans, id, value))
      gst_oct_filter_get_calibration_property (filter, id, value, pspec);
    return;
  }
  GST_OBJECT_UNLOCK (self);
}

static void
finalize (GObject *object)
{
  clear_choice (&GST_OCT_CS (object)->wanted);
  clear_choice (&GST_OCT_CS (object)->former);
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
  filter_class->prepare = prepare;
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
  gst_oct_sampling_init (&self->wanted.sampling);
  self->iterations = DEFAULT_ITERATIONS;
  self->tau = DEFAULT_TAU;
}
