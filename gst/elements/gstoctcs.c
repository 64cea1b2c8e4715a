/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-octcs
 *
 * Reconstructs A-scans from a part of the spectral samples, by compressive
 * sensing. The background becomes darker, or the camera has to deliver less. It
 * takes the place of octnufft or octfft.
 *
 * |[
 * gst-launch-1.0 octsrc num-buffers=100 ! octdcsub ! octcs sampling-rate=0.4
 *   ! octlogscale ! videoconvert ! autovideosink
 * ]|
 */
#include "gstoctcs.h"
#include "gstoctbus.h"
#include "gstoctascans.h"
#include "gstoctgridding.h"
#include "gstocterror.h"
#include "gstoctsampling.h"
#include "oct-cs.h"

#include <math.h>

GST_DEBUG_CATEGORY_STATIC (gst_oct_cs_debug);
#define GST_CAT_DEFAULT gst_oct_cs_debug

#define DEFAULT_TAU 3.0
/* Part of the noise: a smaller difference from B-scan to B-scan is not
 * reported. */
#define LEAST_CHANGE 0.01

#define SPECTRA_CAPS                                                           \
  GST_OCT_CAPS_SPECTRA ("{ F32LE, CF32LE }", "{ wavelength, wavenumber }")

typedef struct {
  GstOctAScans ascans;
  GstOctGridding gridding;
  GstOctSampling sampling;
  OctCsTransform transform;
  OctCsSolver solver;
  guint iterations; /* 0: as many as usual */
  double tau, noise;
  OctCalibrationSettings calibration;
  guint kept;         /* of the last plan, 0: none */
  double noise_found; /* of one of the last B-scans, counts; 0: none */
} Settings;

struct _GstOctCS {
  GstOctFilter parent;

  double noise_found; /* streaming thread: the one in the settings */
};

G_DEFINE_TYPE (GstOctCS, gst_oct_cs, GST_TYPE_OCT_FILTER);
GST_OCT_REGISTER_DEFINE (octcs, "octcs", GST_RANK_NONE, GST_TYPE_OCT_CS);

static const GEnumValue transforms[] = {
  { OCT_CS_NUFFT, "Non-uniform, by gridding and FFT", "nufft" },
  { OCT_CS_NUDFT, "Non-uniform and exact", "nudft" },
  { OCT_CS_FFT,
      "FFT, for spectra uniform in wavenumber or the nearest samples "
      "(mask=linear-k)",
      "fft" },
  { 0, NULL, NULL },
};

static const GEnumValue solvers[] = {
  { OCT_CS_PERSISTENT,
      "Depths are kept with those around them, above the noise that is found: "
      "needs the fewest steps and keeps weak layers",
      "persistent" },
  { OCT_CS_CONTINUED,
      "Least sum of amplitudes, with a threshold that falls: the same as "
      "sparsa "
      "in half the steps",
      "continued" },
  { OCT_CS_SPARSA, "Least sum of amplitudes, as in Xu, Huang and Kang 2014",
      "sparsa" },
  { 0, NULL, NULL },
};

static GST_OCT_DEFINE_ENUM (get_solver_type, "GstOctCsSolver", solvers)

    static GST_OCT_DEFINE_ENUM (
        get_transform_type, "GstOctCsTransform", transforms)

        static const
    GstOctProperty rows[] = {
      { "transform", "Transform", "Transform used to model the samples",
          GST_OCT_PROPERTY_LIVE, "mask",
          GST_OCT_ENUM (
              Settings, transform, get_transform_type, OCT_CS_NUFFT) },
      GST_OCT_GRIDDING_ROWS (Settings, gridding, "transform=nufft",
          "Cells of the grid per sample, rounded up to an FFT length without "
          "large "
          "prime factors"),
      { "solver", "Solver", "Algorithm that reconstructs the A-scans",
          GST_OCT_PROPERTY_LIVE, "solver",
          GST_OCT_ENUM (Settings, solver, get_solver_type, OCT_CS_PERSISTENT) },
      { "iterations", "Iterations",
          "Steps of the solver, proportional to its computing time (0 = 8 "
          "of persistent and continued, 15 of sparsa; persistent has no more "
          "than 15)",
          GST_OCT_PROPERTY_LIVE, "solver",
          GST_OCT_UINT (Settings, iterations, 0, 1000, 0) },
      { "tau", "Threshold",
          "Threshold in standard deviations of the noise in the A-scan: larger "
          "values remove more noise, and weak structures with it",
          GST_OCT_PROPERTY_RAMPED, NULL,
          GST_OCT_DOUBLE (Settings, tau, 0.0, 1000.0, DEFAULT_TAU) },
      { "noise", "Noise",
          "Standard deviation of the noise of one sample in counts (0 = "
          "estimated in every B-scan); a lower limit for solver=persistent",
          GST_OCT_PROPERTY_RAMPED, NULL,
          GST_OCT_DOUBLE (Settings, noise, 0.0, 1e9, 0.0) },
      { "noise-found", "Noise found",
          "Estimated standard deviation of the noise of one sample in counts, "
          "from one of the last B-scans, to 1 % (0 = none)",
          GST_OCT_PROPERTY_READ_ONLY, NULL,
          GST_OCT_DOUBLE (Settings, noise_found, 0.0, G_MAXDOUBLE, 0.0) },
      { "kept-samples", "Kept samples",
          "Samples of an A-line that the mask in use keeps (0 = none yet)",
          GST_OCT_PROPERTY_READ_ONLY, NULL,
          GST_OCT_UINT (Settings, kept, 0, OCT_MAX_SAMPLES, 0) },
      GST_OCT_SAMPLING_ROWS (Settings, sampling),
      GST_OCT_ASCANS_ROWS (Settings, ascans, "half the samples"),
      GST_OCT_CALIBRATION_AXIS_ROWS (
          Settings, calibration, GST_OCT_PROPERTY_LIVE | GST_OCT_PROPERTY_CAPS),
    };
static const GstOctProperties properties = GST_OCT_PROPERTIES (Settings, rows);

static void
gst_oct_cs_transform_structure (GstOctFilter *filter, gconstpointer data,
    GstPadDirection direction, const GstStructure *from, GstCaps *result)
{
  const Settings *settings = data;
  g_autoptr (GstStructure) whole = gst_structure_copy (from);
  guint samples;
  gint columns;

  /* the depths are those of A-lines with no sample left out */
  if (direction == GST_PAD_SINK
      && gst_structure_get_int (from, "samples", &columns)) {
    samples = gst_oct_sampling_peek_samples (
        &settings->sampling, filter, &settings->calibration, columns);
    if (samples != 0)
      gst_structure_set (whole, "samples", G_TYPE_INT, (gint)samples, NULL);
    else
      gst_structure_remove_field (whole, "samples");
  }
  gst_oct_ascans_transform_structure (filter, &settings->ascans,
      &settings->calibration, direction, whole, SPECTRA_CAPS, result);
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
    GstOctFilter *filter, const Settings *settings, Tables *t, GError **error)
{
  const OctCalibrationSettings *own = &settings->calibration;
  const GstOctInfo *input = gst_oct_filter_get_input (filter);

  if (!gst_oct_sampling_find_samples (&settings->sampling, filter, own,
          input->columns, &t->samples, &t->calibration, error))
    return FALSE;
  if (input->axis == GST_OCT_AXIS_WAVENUMBER)
    return TRUE;
  g_clear_pointer (&t->calibration, oct_calibration_unref);
  t->calibration =
      gst_oct_filter_ref_wavenumbers (filter, own, t->samples, "", error);
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

/* Finds the column of each sample, also in spectra that hold the kept samples
 * only; FALSE if the rows have another length. */
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
check_axis (const Settings *settings, gboolean uniform, GError **error)
{
  if (uniform || settings->transform != OCT_CS_FFT
      || settings->sampling.kind == OCT_MASK_LINEAR_K
      || settings->sampling.kind == GST_OCT_MASK_FILE)
    return TRUE;
  g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
      "transform=fft of octcs needs spectra that are uniform in wavenumber, "
      "but these are not (axis=wavelength); set transform=nufft, "
      "mask=linear-k to take the nearest samples, or put octkresample in "
      "front.");
  return FALSE;
}

/* FALSE when so few samples are kept that nearly any A-scan goes with them. */
static gboolean
check_kept (const Tables *t, GError **error)
{
  guint of = oct_mask_count (t->mask, t->samples);
  guint least = MIN (OCT_MASK_LEAST, t->samples);

  if (t->kept >= least)
    return TRUE;
  if (of >= least)
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "transform=fft of octcs takes the samples that are the nearest to a "
        "uniform wavenumber. The mask keeps %u samples, but only %u such ones, "
        "and an A-scan needs %u at least; set transform=nufft, or "
        "mask=linear-k.",
        of, t->kept, least);
  else
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "The mask of octcs keeps %u of the %u samples of an A-line, but an "
        "A-scan needs %u at least; set a higher `sampling-rate`, or a "
        "`mask-file` that keeps more.",
        of, t->samples, least);
  return FALSE;
}

/* `tables`, zeros; FALSE with an error when the settings do not go together
 * with the spectra, their calibration or in themselves. */
static gboolean
octcs_make_tables (
    GstOctFilter *filter, const Settings *settings, Tables *t, GError **error)
{
  guint columns = gst_oct_filter_get_input (filter)->columns;
  g_autofree double *density = NULL;
  g_autofree guint32 *column_of = NULL;

  if (!find_wavenumbers (filter, settings, t, error)
      || !check_axis (settings, t->pixels == NULL, error))
    return FALSE;
  density = get_density (t);
  column_of = g_new (guint32, t->samples);
  t->mask = gst_oct_sampling_make_mask (
      &settings->sampling, t->samples, t->pixels, density, error);
  if (t->mask == NULL || !find_columns (t, columns, column_of, error))
    return FALSE;
  t->at_nearest = settings->transform == OCT_CS_FFT && t->pixels != NULL;
  list_samples (t, column_of);
  return check_kept (t, error);
}

static void
fill_params (GstOctFilter *filter, const Settings *settings, const Tables *t,
    OctCsParams *params)
{
  const GstOctInfo *input = gst_oct_filter_get_input (filter);

  params->format = input->format;
  params->lines = input->rows;
  params->bscans = input->bscans;
  params->columns = input->columns;
  params->transform = settings->transform;
  params->kernel = settings->gridding.kernel;
  params->grid =
      oct_nufft_grid_length (t->samples, settings->gridding.oversampling);
  params->width = settings->gridding.width;
  params->solver = settings->solver;
  params->iterations = settings->iterations > 0
                           ? settings->iterations
                           : oct_cs_limits[settings->solver].usual;
  params->tau = settings->tau;
  params->noise = settings->noise;
  params->samples = t->samples;
  params->kept = t->kept;
  params->column = t->column;
  params->nodes = t->nodes;
}

static gboolean
gst_oct_cs_configure (GstOctFilter *filter, gconstpointer data,
    GstOctPurpose purpose, GError **error)
{
  const Settings *settings = data;
  g_auto (Tables) tables = { 0 };
  g_autofree double *window = NULL;
  OctCsParams params = { 0 };
  GstOctDepths depths;
  guint kept;

  if (!octcs_make_tables (filter, settings, &tables, error)
      || !gst_oct_ascans_resolve (
          filter, &settings->ascans, tables.samples, purpose, &depths, error))
    return FALSE;
  /* the camera gets the mask in use, and a file that cannot be written does not
   * fit */
  if (purpose != GST_OCT_FOR_CAPS
      && !gst_oct_sampling_write_mask (
          &settings->sampling, tables.mask, tables.samples, error))
    return FALSE;
  fill_params (filter, settings, &tables, &params);
  window = make_window (&tables, settings->ascans.window);
  params.window = window;
  params.depth_start = depths.start;
  params.depth_bins = depths.bins;
  if (!gst_oct_filter_set_plan (filter, OCT_OPERATION_CS, &params, error))
    return FALSE;
  kept = oct_mask_count (tables.mask, tables.samples);
  if (purpose == GST_OCT_TO_USE)
    gst_oct_choice_set_found (gst_oct_filter_get_choice (filter),
        G_STRUCT_OFFSET (Settings, kept), &kept, sizeof kept);
  return TRUE;
}

static void
gst_oct_cs_found (GstOctFilter *filter, double noise)
{
  GstOctCS *self = GST_OCT_CS (filter);

  if (fabs (noise - self->noise_found) <= LEAST_CHANGE * self->noise_found)
    return;
  self->noise_found = noise;
  gst_oct_choice_set_found (gst_oct_filter_get_choice (filter),
      G_STRUCT_OFFSET (Settings, noise_found), &noise, sizeof noise);
}

static char *
gst_oct_cs_describe (
    GstOctFilter *filter, gconstpointer data, const char *group)
{
  const Settings *settings = data;
  guint samples = gst_oct_sampling_peek_samples (&settings->sampling, filter,
      &settings->calibration, gst_oct_filter_get_input (filter)->columns);

  return gst_oct_ascans_describe (&settings->ascans, samples, group);
}

static void
gst_oct_cs_class_init (GstOctCSClass *klass)
{
  GstOctFilterClass *filter_class = GST_OCT_FILTER_CLASS (klass);

  GST_DEBUG_CATEGORY_INIT (
      gst_oct_cs_debug, "octcs", 0, "OCT compressive sensing");
  filter_class->transform_structure = gst_oct_cs_transform_structure;
  filter_class->configure = gst_oct_cs_configure;
  filter_class->found = gst_oct_cs_found;
  filter_class->describe = gst_oct_cs_describe;
  gst_oct_filter_class_describe (filter_class,
      &(GstOctFilterDescription){ .operation = OCT_OPERATION_CS,
          .properties = &properties,
          .long_name = "OCT compressive sensing",
          .description = "Makes A-scans of a part of the samples of spectra",
          .sink_caps = SPECTRA_CAPS,
          .src_caps = GST_OCT_CAPS_ASCANS,
          .downloads = TRUE });
}

static void
gst_oct_cs_init (GstOctCS *self)
{
}
