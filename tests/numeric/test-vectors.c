/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Every case of vectors/cases.ini: an operation, or the whole chain, against
 * the result of the float64 reference (make_vectors.py).
 */
#include "numeric.h"
#include "oct-window.h"

#include <math.h>
#include <string.h>

/* Largest relative l2 error of an A-line.  A float32 has 6e-8; the transform
 * and the spline add a few of those up. */
#define SPECTRUM_TOLERANCE 5e-7
#define A_SCAN_TOLERANCE 5e-7
#define CHAIN_TOLERANCE 1e-6
/* Two roundings of the result, and what is left of a 16 bit mean in the low
 * float. */
#define BACKGROUND_RELATIVE 1.3e-7
#define BACKGROUND_ABSOLUTE 1e-9
/* Grey levels, of 255 as of 65535: the levels are within 0.02 of the exact
 * ones, so only a value next to a half can round the other way. */
#define IMAGE_TOLERANCE 1
/* Part of the pixels that may do so, and after the whole chain, where the
 * darkest pixel sets the range and has the largest relative error. */
#define IMAGE_DIFFERENT 0.005
#define CHAIN_IMAGE_DIFFERENT 0.05

static GKeyFile *cases;

static char *
get_text (const char *name, const char *key)
{
  GError *error = NULL;
  char *text = g_key_file_get_string (cases, name, key, &error);

  g_assert_no_error (error);
  return text;
}

static guint
get_choice (const char *name, const char *key, const char *const *choices)
{
  g_autofree char *text = get_text (name, key);

  for (guint i = 0; choices[i] != NULL; i++)
    if (strcmp (text, choices[i]) == 0)
      return i;
  g_error ("%s: %s is %s", name, key, text);
}

static double
get_number (const char *name, const char *key, double otherwise)
{
  return g_key_file_has_key (cases, name, key, NULL)
             ? g_key_file_get_double (cases, name, key, NULL)
             : otherwise;
}

static Array *
get_array (const char *name, const char *key)
{
  g_autofree char *file = get_text (name, key);

  return array_load (g_test_get_filename (G_TEST_DIST, "vectors", file, NULL));
}

static OctSampleFormat
sample_format (const Array *array)
{
  if (array->kind == 'u')
    return array->size == 1 ? OCT_SAMPLE_U8 : OCT_SAMPLE_U16;
  return array->kind == 'f' ? OCT_SAMPLE_F32 : OCT_SAMPLE_CF32;
}

/* Relative l2 error of every row; a row of zeros must come out as zeros. */
static void
compare_rows (const Array *found, const Array *expected, double tolerance)
{
  double worst = 0;

  g_assert_cmpint (found->rows, ==, expected->rows);
  g_assert_cmpint (found->columns, ==, expected->columns);
  for (guint row = 0; row < found->rows; row++) {
    double error = 0, power = 0;
    for (guint i = 0; i < found->columns; i++) {
      for (guint part = 0; part < (found->kind == 'c' ? 2u : 1u); part++) {
        double value = array_get (expected, row, i, part);
        double difference = array_get (found, row, i, part) - value;
        error += difference * difference;
        power += value * value;
      }
    }
    g_assert_cmpfloat (sqrt (error), <=, tolerance * sqrt (power));
    if (power > 0)
      worst = MAX (worst, sqrt (error / power));
  }
  g_test_message ("largest relative l2 error %.2e", worst);
}

static void
compare_values (
    const Array *found, const Array *expected, double relative, double absolute)
{
  for (guint row = 0; row < found->rows; row++) {
    for (guint i = 0; i < found->columns; i++) {
      double value = array_get (expected, row, i, 0);
      g_assert_cmpfloat (fabs (array_get (found, row, i, 0) - value), <=,
          relative * fabs (value) + absolute);
    }
  }
}

/* found: as many bytes for a pixel as its size, RGBA too */
static void
compare_images (const Array *found, const Array *expected, double part)
{
  guint different = 0;
  gsize pixels = (gsize)expected->rows * expected->columns;

  for (guint row = 0; row < expected->rows; row++) {
    for (guint i = 0; i < expected->columns; i++) {
      gint value = (gint)array_get (expected, row, i, 0), level;
      if (found->size == 4) {
        const guint8 *rgba =
            (guint8 *)found->data + 4 * ((gsize)row * found->columns + i);
        g_assert_cmpint (rgba[0], ==, rgba[1]);
        g_assert_cmpint (rgba[0], ==, rgba[2]);
        g_assert_cmpint (rgba[3], ==, 255);
        level = rgba[0];
      } else {
        level = (gint)array_get (found, row, i, 0);
      }
      g_assert_cmpint (ABS (level - value), <=, IMAGE_TOLERANCE);
      different += level != value;
    }
  }
  g_test_message ("%u of %" G_GSIZE_FORMAT " pixels differ", different, pixels);
  g_assert_cmpfloat (different, <=, part * (double)pixels);
}

static void
test_background (const char *name)
{
  static const char *const modes[] = { "bscan", "running", "stored", "none",
    NULL };
  g_autoptr (Array) in = get_array (name, "input");
  g_autoptr (Array) expected = get_array (name, "expected");
  g_autoptr (Array) out = array_new ('f', 4, in->rows, in->columns);
  g_autoptr (Array) background = NULL;
  guint scans = (guint)get_number (name, "bscans", 1);
  guint lines = in->rows / scans;
  OctBackgroundParams params = { .format = sample_format (in),
    .samples = in->columns,
    .lines = lines,
    .mode = get_choice (name, "mode", modes),
    .running_weight = get_number (name, "weight", 0) };
  OctPlan *plan;

  if (params.mode == OCT_BACKGROUND_STORED) {
    background = get_array (name, "background");
    params.background = background->data;
  }
  plan = plan_new (OCT_OPERATION_BACKGROUND, &params);
  for (guint scan = 0; scan < scans; scan++) {
    OctFrame from = array_frame (in), to = array_frame (out);
    from.planes[0].data =
        (guint8 *)in->data + scan * lines * from.planes[0].stride;
    to.planes[0].data =
        (guint8 *)out->data + scan * lines * to.planes[0].stride;
    plan_run (OCT_OPERATION_BACKGROUND, plan, &from, &to);
  }
  compare_values (out, expected, BACKGROUND_RELATIVE, BACKGROUND_ABSOLUTE);
  plan_free (OCT_OPERATION_BACKGROUND, plan);
}

static void
run_once (OctOperation operation, gconstpointer params, const Array *in,
    const Array *out)
{
  OctFrame from = array_frame (in), to = array_frame (out);
  OctPlan *plan = plan_new (operation, params);

  plan_run (operation, plan, &from, &to);
  plan_free (operation, plan);
}

static Array *
resample (const char *name, const Array *in)
{
  static const char *const methods[] = { "cubic", "linear", "lanczos", NULL };
  g_autoptr (Array) positions = get_array (name, "positions");
  Array *out = array_new ('f', 4, in->rows, in->columns);
  OctResampleParams params = { .samples = in->columns,
    .lines = in->rows,
    .method = get_choice (name, "method", methods),
    .upsample = (guint)get_number (name, "upsample", 1),
    .positions = positions->data };

  run_once (OCT_OPERATION_RESAMPLE, &params, in, out);
  return out;
}

static Array *
disperse (const char *name, const Array *in)
{
  g_autoptr (Array) phase = get_array (name, "phase");
  Array *out = array_new ('c', 8, in->rows, in->columns);
  OctDispersionParams params = {
    .samples = in->columns, .lines = in->rows, .phase = phase->data
  };

  run_once (OCT_OPERATION_DISPERSION, &params, in, out);
  return out;
}

static Array *
transform (const char *name, const Array *in)
{
  g_autoptr (Array) window = get_array (name, "window");
  guint length = (guint)get_number (name, "length", in->columns);
  guint start = (guint)get_number (name, "start", 0);
  guint bins = (guint)get_number (name, "bins", length / 2);
  Array *out = array_new ('c', 8, in->rows, bins);
  OctFftParams params = { .format = sample_format (in),
    .samples = in->columns,
    .lines = in->rows,
    .length = length,
    .depth_start = start,
    .depth_bins = bins,
    .window = window->data };

  run_once (OCT_OPERATION_FFT, &params, in, out);
  return out;
}

/* Images of all B-scans below each other. */
static Array *
make_image (const char *name, const Array *in, const OctLogscaleParams *params)
{
  guint scans = (guint)get_number (name, "bscans", 1);
  guint size = params->format == OCT_IMAGE_GRAY16 ? 2
               : params->format == OCT_IMAGE_RGBA ? 4
                                                  : 1;
  Array *out = array_new ('u', size, scans * params->depth_bins, params->lines);
  guint chroma_stride = (params->lines + 1) / 2 * 2;
  gsize chroma_size = (gsize)chroma_stride * ((params->depth_bins + 1) / 2);
  g_autofree guint8 *chroma = g_malloc0 (chroma_size + 1);
  OctPlan *plan = plan_new (OCT_OPERATION_LOGSCALE, params);

  for (guint scan = 0; scan < scans; scan++) {
    OctFrame from = array_frame (in), to = array_frame (out);
    from.planes[0].data =
        (guint8 *)in->data + scan * params->lines * from.planes[0].stride;
    to.planes[0].data =
        (guint8 *)out->data + scan * params->depth_bins * to.planes[0].stride;
    if (params->format == OCT_IMAGE_NV12)
      to.planes[1] = (OctPlane){ chroma, chroma_stride };
    plan_run (OCT_OPERATION_LOGSCALE, plan, &from, &to);
  }
  if (params->format == OCT_IMAGE_NV12)
    for (gsize i = 0; i < chroma_size; i++)
      g_assert_cmpint (chroma[i], ==, 128);
  g_assert_cmpint (chroma[chroma_size], ==, 0);
  plan_free (OCT_OPERATION_LOGSCALE, plan);
  return out;
}

static void
test_resample (const char *name)
{
  g_autoptr (Array) in = get_array (name, "input");
  g_autoptr (Array) expected = get_array (name, "expected");
  g_autoptr (Array) out = resample (name, in);

  compare_rows (out, expected, SPECTRUM_TOLERANCE);
}

static void
test_dispersion (const char *name)
{
  g_autoptr (Array) in = get_array (name, "input");
  g_autoptr (Array) expected = get_array (name, "expected");
  g_autoptr (Array) out = disperse (name, in);

  compare_rows (out, expected, SPECTRUM_TOLERANCE);
}

/* The window of the vectors is the one of the core, too. */
static void
check_window (const char *name, const Array *in)
{
  g_autofree char *kind = get_text (name, "kind");
  g_autoptr (Array) window = get_array (name, "window");
  g_autofree double *ours = g_new (double, in->columns);
  guint i;

  for (i = 0; i < OCT_N_WINDOWS; i++)
    if (strcmp (oct_windows[i].nick, kind) == 0)
      break;
  g_assert_cmpint (i, <, OCT_N_WINDOWS);
  oct_window_fill (i, in->columns, NULL, ours);
  for (i = 0; i < in->columns; i++)
    g_assert_cmpfloat (fabs (ours[i] - array_get (window, 0, i, 0)), <, 1e-12);
}

static void
test_fft (const char *name)
{
  g_autoptr (Array) in = get_array (name, "input");
  g_autoptr (Array) expected = get_array (name, "expected");
  g_autoptr (Array) out = transform (name, in);

  check_window (name, in);
  compare_rows (out, expected, A_SCAN_TOLERANCE);
}

/* Weights of float32, those on the fly of a Bessel function of that accuracy,
 * and exact sums, which nearly cancel for A-lines of a few samples. */
#define GRIDDED_TOLERANCE 1e-6
#define ON_THE_FLY_TOLERANCE 2e-6
#define EXACT_TOLERANCE 2e-6

static void
test_non_uniform (const char *name)
{
  static const char *const operations[] = { "nufft", "nufft-adjoint", "nudft",
    "nudft-adjoint", NULL };
  static const char *const kernels[] = { "kb", "gauss", NULL };
  g_autoptr (Array) in = get_array (name, "input");
  g_autoptr (Array) expected = get_array (name, "expected");
  g_autoptr (Array) nodes = get_array (name, "nodes");
  g_autoptr (Array) window = get_array (name, "window");
  g_autoptr (Array) out = NULL;
  guint operation = get_choice (name, "operation", operations);
  gboolean real = get_number (name, "real", 0) != 0, adjoint = operation % 2;
  gboolean on_the_fly = g_key_file_has_key (cases, name, "weights", NULL);
  OctNufftParams params = { .format = real ? OCT_SAMPLE_F32 : OCT_SAMPLE_CF32,
    .samples = nodes->columns,
    .lines = in->rows,
    .depth_start = (gint)get_number (name, "start", 0),
    .depth_bins = (guint)get_number (name, "bins", 0),
    .weights = on_the_fly ? OCT_WEIGHTS_ON_THE_FLY : OCT_WEIGHTS_PRECOMPUTED,
    .nodes = nodes->data,
    .window = window->data };

  if (operation < 2) {
    params.kernel = get_choice (name, "kernel", kernels);
    params.grid = (guint)get_number (name, "grid", 0);
    params.width = (guint)get_number (name, "width", 0);
  }
  if (adjoint && real)
    out = array_new ('f', 4, in->rows, params.samples);
  else
    out = array_new (
        'c', 8, in->rows, adjoint ? params.samples : params.depth_bins);
  run_once (OCT_OPERATION_NUFFT + operation, &params, in, out);
  compare_rows (out, expected,
      operation >= 2 ? EXACT_TOLERANCE
      : on_the_fly   ? ON_THE_FLY_TOLERANCE
                     : GRIDDED_TOLERANCE);
}

/* As promised.  Most are below 2e-5; but each step takes its length from the
 * two before, and near the minimum that is a ratio of what rounding left.
 * Saturated spectra are there after two steps: more say nothing. */
#define SENSING_TOLERANCE 1e-3
#define SENSING_FFT_TOLERANCE 1e-4

static void
test_sensing (const char *name)
{
  static const char *const transforms[] = { "nufft", "nudft", "fft", NULL };
  static const char *const kernels[] = { "kb", "gauss", NULL };
  g_autoptr (Array) in = get_array (name, "input");
  g_autoptr (Array) expected = get_array (name, "expected");
  g_autoptr (Array) kept = get_array (name, "column");
  g_autoptr (Array) nodes = get_array (name, "nodes");
  g_autoptr (Array) window = get_array (name, "window");
  g_autoptr (Array) out = NULL;
  g_autofree guint32 *column = g_new (guint32, kept->columns);
  OctCsParams params = { .format = sample_format (in),
    .samples = (guint)get_number (name, "samples", 0),
    .lines = in->rows,
    .columns = in->columns,
    .kept = kept->columns,
    .column = column,
    .nodes = nodes->data,
    .window = window->data,
    .transform = get_choice (name, "transform", transforms),
    .kernel = get_choice (name, "kernel", kernels),
    .grid = (guint)get_number (name, "grid", 0),
    .width = (guint)get_number (name, "width", 0),
    .iterations = (guint)get_number (name, "iterations", 0),
    .tau = get_number (name, "tau", 0),
    .noise = get_number (name, "noise", 0),
    .depth_start = (guint)get_number (name, "start", 0),
    .depth_bins = (guint)get_number (name, "bins", 0) };

  for (guint i = 0; i < kept->columns; i++)
    column[i] = (guint32)array_get (kept, 0, i, 0);
  out = array_new ('c', 8, in->rows, params.depth_bins);
  run_once (OCT_OPERATION_CS, &params, in, out);
  compare_rows (out, expected,
      params.transform == OCT_CS_FFT ? SENSING_FFT_TOLERANCE
                                     : SENSING_TOLERANCE);
}

static void
test_logscale (const char *name)
{
  static const char *const formats[] = { "gray8", "gray16", "nv12", "rgba",
    NULL };
  static const char *const scales[] = { "log", "linear", NULL };
  static const char *const ranges[] = { "auto", "manual", "contrast", NULL };
  g_autoptr (Array) in = get_array (name, "input");
  g_autoptr (Array) expected = get_array (name, "expected");
  g_autoptr (Array) out = NULL;
  OctLogscaleParams params = { .depth_bins = in->columns,
    .lines = in->rows / (guint)get_number (name, "bscans", 1),
    .format = get_choice (name, "format", formats),
    .scale = get_choice (name, "scale", scales),
    .range = get_choice (name, "range", ranges),
    .min = get_number (name, "min", 0),
    .max = get_number (name, "max", 0),
    .range_smoothing = get_number (name, "smoothing", 0) };

  out = make_image (name, in, &params);
  compare_images (out, expected, IMAGE_DIFFERENT);
}

static void
test_chain (const char *name)
{
  g_autoptr (Array) raw = get_array (name, "input");
  g_autoptr (Array) expected = get_array (name, "expected");
  g_autoptr (Array) expected_image = get_array (name, "image");
  g_autoptr (Array) spectra = array_new ('f', 4, raw->rows, raw->columns);
  g_autoptr (Array) uniform = NULL;
  g_autoptr (Array) dispersed = NULL;
  g_autoptr (Array) a_scans = NULL;
  g_autoptr (Array) image = NULL;
  OctBackgroundParams background = { .format = sample_format (raw),
    .samples = raw->columns,
    .lines = raw->rows,
    .mode = OCT_BACKGROUND_BSCAN };
  OctLogscaleParams logscale = { .depth_bins = expected->columns,
    .lines = raw->rows };

  run_once (OCT_OPERATION_BACKGROUND, &background, raw, spectra);
  uniform = resample (name, spectra);
  if (g_key_file_has_key (cases, name, "phase", NULL))
    dispersed = disperse (name, uniform);
  a_scans = transform (name, dispersed != NULL ? dispersed : uniform);
  compare_rows (a_scans, expected, CHAIN_TOLERANCE);
  image = make_image (name, a_scans, &logscale);
  compare_images (image, expected_image, CHAIN_IMAGE_DIFFERENT);
}

static void
test_case (gconstpointer name)
{
  static const struct {
    const char *operation;
    void (*test) (const char *name);
  } tests[] = { { "background", test_background },
    { "resample", test_resample }, { "dispersion", test_dispersion },
    { "fft", test_fft }, { "logscale", test_logscale },
    { "nufft", test_non_uniform }, { "nufft-adjoint", test_non_uniform },
    { "nudft", test_non_uniform }, { "nudft-adjoint", test_non_uniform },
    { "cs", test_sensing }, { "chain", test_chain } };
  g_autofree char *operation = get_text (name, "operation");

  for (guint i = 0; i < G_N_ELEMENTS (tests); i++) {
    if (strcmp (tests[i].operation, operation) == 0) {
      tests[i].test (name);
      return;
    }
  }
  g_error ("There is no operation %s", operation);
}

int
main (int argc, char **argv)
{
  g_auto (GStrv) names = NULL;
  g_autofree char *index = NULL;
  GError *error = NULL;
  int result;

  g_test_init (&argc, &argv, NULL);
  cases = g_key_file_new ();
  index = g_test_build_filename (G_TEST_DIST, "vectors", "cases.ini", NULL);
  g_key_file_load_from_file (cases, index, G_KEY_FILE_NONE, &error);
  g_assert_no_error (error);
  names = g_key_file_get_groups (cases, NULL);
  for (guint i = 0; names[i] != NULL; i++) {
    g_autofree char *path = g_strconcat ("/vectors/", names[i], NULL);
    g_test_add_data_func (path, names[i], test_case);
  }
  result = g_test_run ();
  g_key_file_free (cases);
  return result;
}
