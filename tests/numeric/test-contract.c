/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The guarantees of oct-backend.h other than the values: strides, in place,
 * threads, containment of values that are not numbers, errors, update and
 * reset.
 */
#include "numeric.h"
#include "oct-window.h"

#include <math.h>
#include <string.h>

/* more than a tile, no multiple of a block, in both directions */
#define SAMPLES 203u
#define LINES 75u
#define DEPTH (SAMPLES / 2)
#define PADDING 36u
#define FILL 0xa5

static double positions[SAMPLES], phase[SAMPLES], window[SAMPLES];
static double nodes[SAMPLES];
static double stored[SAMPLES];

/* Every operation with parameters that make each A-line independent. */
typedef struct {
  const char *name;
  OctOperation operation;
  gconstpointer params;
  guint in_row, out_row; /* bytes */
  guint out_rows;
} Setup;

static const OctBackgroundParams background_params = { .format = OCT_SAMPLE_F32,
  .samples = SAMPLES,
  .lines = LINES,
  .mode = OCT_BACKGROUND_STORED,
  .background = stored };
static const OctBackgroundParams mean_params = { .format = OCT_SAMPLE_F32,
  .samples = SAMPLES,
  .lines = LINES,
  .mode = OCT_BACKGROUND_BSCAN };
static const OctResampleParams cubic_params = { .samples = SAMPLES,
  .lines = LINES,
  .method = OCT_RESAMPLE_CUBIC,
  .upsample = 1,
  .positions = positions };
static const OctResampleParams linear_params = { .samples = SAMPLES,
  .lines = LINES,
  .method = OCT_RESAMPLE_LINEAR,
  .upsample = 2,
  .positions = positions };
static const OctResampleParams lanczos_params = { .samples = SAMPLES,
  .lines = LINES,
  .method = OCT_RESAMPLE_LANCZOS,
  .upsample = 1,
  .positions = positions };
static const OctDispersionParams dispersion_params = {
  .samples = SAMPLES, .lines = LINES, .phase = phase
};
static const OctFftParams real_params = { .format = OCT_SAMPLE_F32,
  .samples = SAMPLES,
  .lines = LINES,
  .length = 256,
  .depth_start = 3,
  .depth_bins = DEPTH,
  .window = window };
static const OctFftParams complex_params = { .format = OCT_SAMPLE_CF32,
  .samples = SAMPLES,
  .lines = LINES,
  .length = SAMPLES,
  .depth_bins = DEPTH,
  .window = window };
static const OctNufftParams nufft_params = { .format = OCT_SAMPLE_F32,
  .samples = SAMPLES,
  .lines = LINES,
  .depth_bins = DEPTH,
  .grid = 256,
  .width = 6,
  .nodes = nodes,
  .window = window };
static const OctNufftParams complex_nufft_params = { .format = OCT_SAMPLE_CF32,
  .samples = SAMPLES,
  .lines = LINES,
  .depth_bins = DEPTH,
  .grid = 256,
  .width = 6,
  .nodes = nodes,
  .window = window };
static const OctLogscaleParams manual_params = { .depth_bins = DEPTH,
  .lines = LINES,
  .range = OCT_RANGE_MANUAL,
  .min = -30,
  .max = 10 };
static const OctLogscaleParams auto_params = {
  .depth_bins = DEPTH, .lines = LINES, .format = OCT_IMAGE_GRAY16
};
static const OctLogscaleParams contrast_params = { .depth_bins = DEPTH,
  .lines = LINES,
  .format = OCT_IMAGE_RGBA,
  .range = OCT_RANGE_CONTRAST };

static const Setup setups[] = {
  { "background", OCT_OPERATION_BACKGROUND, &background_params, SAMPLES * 4,
      SAMPLES * 4, LINES },
  { "background-mean", OCT_OPERATION_BACKGROUND, &mean_params, SAMPLES * 4,
      SAMPLES * 4, LINES },
  { "cubic", OCT_OPERATION_RESAMPLE, &cubic_params, SAMPLES * 4, SAMPLES * 4,
      LINES },
  { "linear-upsample", OCT_OPERATION_RESAMPLE, &linear_params, SAMPLES * 4,
      SAMPLES * 4, LINES },
  { "lanczos", OCT_OPERATION_RESAMPLE, &lanczos_params, SAMPLES * 4,
      SAMPLES * 4, LINES },
  { "dispersion", OCT_OPERATION_DISPERSION, &dispersion_params, SAMPLES * 4,
      SAMPLES * 8, LINES },
  { "fft-real", OCT_OPERATION_FFT, &real_params, SAMPLES * 4, DEPTH * 8,
      LINES },
  { "fft-complex", OCT_OPERATION_FFT, &complex_params, SAMPLES * 8, DEPTH * 8,
      LINES },
  { "nufft-real", OCT_OPERATION_NUFFT, &nufft_params, SAMPLES * 4, DEPTH * 8,
      LINES },
  { "nufft-complex", OCT_OPERATION_NUFFT, &complex_nufft_params, SAMPLES * 8,
      DEPTH * 8, LINES },
  { "nudft-real", OCT_OPERATION_NUDFT, &nufft_params, SAMPLES * 4, DEPTH * 8,
      LINES },
  { "nudft-complex", OCT_OPERATION_NUDFT, &complex_nufft_params, SAMPLES * 8,
      DEPTH * 8, LINES },
  { "image-manual", OCT_OPERATION_LOGSCALE, &manual_params, DEPTH * 8, LINES,
      DEPTH },
  { "image-auto", OCT_OPERATION_LOGSCALE, &auto_params, DEPTH * 8, LINES * 2,
      DEPTH },
  { "image-contrast", OCT_OPERATION_LOGSCALE, &contrast_params, DEPTH * 8,
      LINES * 4, DEPTH },
};

static void
fill_tables (void)
{
  for (guint i = 0; i < SAMPLES; i++) {
    double x = (double)i / (SAMPLES - 1);
    positions[i] = (SAMPLES - 1) * x * (1.1 - 0.1 * x);
    phase[i] = 10 * x * x;
    nodes[i] = (SAMPLES - 1) * x * (0.9 + 0.1 * x);
    stored[i] = 3 * x;
  }
  oct_window_fill (OCT_WINDOW_HANN, SAMPLES, NULL, window);
}

/* Random floats between -1 and 1, the rows `stride` bytes apart. */
static guint8 *
random_rows (guint row_bytes, gsize stride)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (7);
  guint8 *rows = g_malloc (stride * LINES);

  memset (rows, FILL, stride * LINES);
  for (guint line = 0; line < LINES; line++)
    for (guint i = 0; i < row_bytes / 4; i++)
      ((float *)(rows + line * stride))[i] =
          (float)g_rand_double_range (random, -1, 1);
  return rows;
}

/* Runs a fresh plan; the result has rows of out_row + padding bytes. */
static guint8 *
run_setup (const Setup *setup, guint8 *in, guint padding)
{
  gsize stride = setup->out_row + padding;
  guint8 *out = g_malloc (stride * setup->out_rows);
  OctFrame from = { { { in, setup->in_row + padding }, { NULL, 0 } } };
  OctFrame to = { { { out, stride }, { NULL, 0 } } };
  OctPlan *plan = plan_new (setup->operation, setup->params);

  memset (out, FILL, stride * setup->out_rows);
  plan_run (setup->operation, plan, &from, &to);
  plan_free (setup->operation, plan);
  return out;
}

static void
test_stride (gconstpointer data)
{
  const Setup *setup = data;
  g_autofree guint8 *in = random_rows (setup->in_row, setup->in_row);
  g_autofree guint8 *wide =
      random_rows (setup->in_row, setup->in_row + PADDING);
  g_autofree guint8 *expected = run_setup (setup, in, 0);
  g_autofree guint8 *found = run_setup (setup, wide, PADDING);

  for (guint row = 0; row < setup->out_rows; row++) {
    const guint8 *bytes = found + row * (setup->out_row + PADDING);
    g_assert_cmpmem (
        bytes, setup->out_row, expected + row * setup->out_row, setup->out_row);
    for (guint i = 0; i < PADDING; i++)
      g_assert_cmpint (bytes[setup->out_row + i], ==, FILL);
  }
}

static void
test_in_place (gconstpointer data)
{
  const Setup *setup = data;
  g_autofree guint8 *memory = random_rows (setup->in_row, setup->in_row);
  g_autofree guint8 *expected = run_setup (setup, memory, 0);
  OctFrame frame = { { { memory, setup->in_row }, { NULL, 0 } } };
  OctPlan *plan;

  if (!oct_operation_is_in_place (setup->operation)) {
    g_test_skip ("the rows of input and output differ");
    return;
  }
  plan = plan_new (setup->operation, setup->params);
  plan_run (setup->operation, plan, &frame, &frame);
  plan_free (setup->operation, plan);
  g_assert_cmpmem (
      memory, setup->out_row * LINES, expected, setup->out_row * LINES);
}

/* The same plan, so that the same instructions run. */
static void
test_threads (gconstpointer data)
{
  const Setup *setup = data;
  g_autofree guint8 *in = random_rows (setup->in_row, setup->in_row);
  gsize size = (gsize)setup->out_row * setup->out_rows;
  g_autofree guint8 *expected = g_malloc (size);
  OctFrame from = { { { in, setup->in_row }, { NULL, 0 } } };
  OctFrame to = { { { expected, setup->out_row }, { NULL, 0 } } };
  static const guint counts[] = { 2, 3, 7, 0, 64 };
  OctPlan *plan;

  oct_backend_cpu_set_threads (7);
  plan = plan_new (setup->operation, setup->params);
  oct_backend_cpu_set_threads (1);
  plan_run (setup->operation, plan, &from, &to);
  for (guint i = 0; i < G_N_ELEMENTS (counts); i++) {
    g_autofree guint8 *found = g_malloc0 (size);
    to.planes[0].data = found;
    oct_backend_cpu_set_threads (counts[i]);
    plan_run (setup->operation, plan, &from, &to);
    g_assert_cmpmem (found, size, expected, size);
  }
  oct_backend_cpu_set_threads (0);
  plan_free (setup->operation, plan);
}

/* A-lines 20 and 41 have a NaN or an infinite value; the others must not
 * change.  Images: automatic ranges leave them out, so the same range comes
 * from a B-scan where other A-lines are in their place. */
static void
test_containment (gconstpointer data)
{
  const Setup *setup = data;
  g_autofree guint8 *in = random_rows (setup->in_row, setup->in_row);
  g_autofree guint8 *expected = NULL;
  g_autofree guint8 *found = NULL;
  gboolean image = setup->operation == OCT_OPERATION_LOGSCALE;
  guint row = setup->in_row, pixel = setup->out_row / LINES;

  if (setup->params == &mean_params || setup->params == &contrast_params) {
    g_test_skip ("a mean is of all A-lines by definition");
    return;
  }
  memcpy (in + 20 * row, in + 19 * row, row);
  memcpy (in + 41 * row, in + 19 * row, row);
  expected = run_setup (setup, in, 0);
  for (guint i = 0; i < row / 4; i++) {
    ((float *)(in + 20 * row))[i] = NAN;
    ((float *)(in + 41 * row))[i] = i % 2 ? -INFINITY : INFINITY;
  }
  found = run_setup (setup, in, 0);
  for (guint i = 0; i < setup->out_rows; i++) {
    guint8 *a = found + i * setup->out_row, *b = expected + i * setup->out_row;
    if (image) {
      for (guint k = 0; k < pixel; k++) {
        g_assert_cmpint (a[20 * pixel + k], ==, 0);
        g_assert_cmpint (a[41 * pixel + k], ==, 255);
      }
      memcpy (a + 20 * pixel, b + 20 * pixel, pixel);
      memcpy (a + 41 * pixel, b + 41 * pixel, pixel);
    } else if (i == 20 || i == 41) {
      g_assert_false (isfinite (((float *)a)[1]));
      continue;
    }
    g_assert_cmpmem (a, setup->out_row, b, setup->out_row);
  }
}

/* A row that does not fit is an error, not a write beyond the end. */
static void
test_short_rows (gconstpointer data)
{
  const Setup *setup = data;
  g_autofree guint8 *in = random_rows (setup->in_row, setup->in_row);
  g_autofree guint8 *out = g_malloc ((gsize)setup->out_row * setup->out_rows);
  OctPlan *plan = plan_new (setup->operation, setup->params);

  for (guint which = 0; which < 2; which++) {
    OctFrame from = { { { in, setup->in_row - (which == 0) }, { NULL, 0 } } };
    OctFrame to = { { { out, setup->out_row - (which == 1) }, { NULL, 0 } } };
    g_autoptr (GError) error = NULL;
    g_assert_false (operation_table (setup->operation)
                        ->run (plan, &from, &to, NULL, &error));
    g_assert_error (error, OCT_ERROR, OCT_ERROR_SETTINGS);
  }
  plan_free (setup->operation, plan);
}

/* The parameters of `base` with the bytes of one member replaced. */
#define EXPECT_ERROR(op, type, base, text, ...)                                \
  do {                                                                         \
    type params = base;                                                        \
    g_autoptr (GError) error = NULL;                                           \
    __VA_ARGS__;                                                               \
    g_assert_null (operation_table (op)->create (&params, &error));            \
    g_assert_error (error, OCT_ERROR, OCT_ERROR_SETTINGS);                     \
    if (strstr (error->message, text) == NULL)                                 \
      g_error ("'%s' does not say '%s'", error->message, text);                \
  } while (0)

static void
test_errors_background (void)
{
  double broken[SAMPLES] = { [7] = NAN };

#define EXPECT(text, ...)                                                      \
  EXPECT_ERROR (OCT_OPERATION_BACKGROUND, OctBackgroundParams,                 \
      background_params, text, __VA_ARGS__)
  EXPECT ("0 values x 75 A-lines", params.samples = 0);
  EXPECT ("65537 values", params.samples = 65537);
  EXPECT ("x 0 A-lines", params.lines = 0);
  EXPECT ("1 to 65536 A-lines", params.lines = 65537);
  EXPECT ("sample format", params.format = OCT_SAMPLE_CF32);
  EXPECT ("mode 10", params.mode = OCT_N_BACKGROUND_MODES);
  EXPECT ("stored background", params.background = NULL);
  EXPECT ("sample 7 of 203", params.background = broken);
  EXPECT ("is 0:", params.mode = OCT_BACKGROUND_RUNNING);
  EXPECT ("is 1.5:", params.mode = OCT_BACKGROUND_RUNNING;
          params.running_weight = 1.5);
  EXPECT ("nan", params.mode = OCT_BACKGROUND_RUNNING;
          params.running_weight = NAN);
  EXPECT ("over 30 A-lines", params.mode = OCT_BACKGROUND_HIGH_PASS;
          params.high_pass_lines = 30);
  EXPECT ("over 1 A-lines", params.mode = OCT_BACKGROUND_HIGH_PASS;
          params.high_pass_lines = 1);
  EXPECT ("over 32769 A-lines", params.mode = OCT_BACKGROUND_HIGH_PASS;
          params.high_pass_lines = 32769);
  EXPECT ("stored background", params.mode = OCT_BACKGROUND_STORED_SCALED;
          params.background = NULL);
#undef EXPECT
}

static void
test_errors_spectra (void)
{
  double broken[SAMPLES] = { [7] = INFINITY };

#define EXPECT(text, ...)                                                      \
  EXPECT_ERROR (OCT_OPERATION_RESAMPLE, OctResampleParams, cubic_params, text, \
      __VA_ARGS__)
  EXPECT ("0 values", params.samples = 0);
  EXPECT ("method 5", params.method = 5);
  EXPECT ("by 3", params.upsample = 3);
  EXPECT ("by 0", params.upsample = 0);
  EXPECT ("positions is missing", params.positions = NULL);
  EXPECT ("sample 7 of 203", params.positions = broken);
#undef EXPECT
#define EXPECT(text, ...)                                                      \
  EXPECT_ERROR (OCT_OPERATION_DISPERSION, OctDispersionParams,                 \
      dispersion_params, text, __VA_ARGS__)
  EXPECT ("0 A-lines", params.lines = 0);
  EXPECT ("phase is missing", params.phase = NULL);
  EXPECT ("sample 7 of 203", params.phase = broken);
#undef EXPECT
#define EXPECT(text, ...)                                                      \
  EXPECT_ERROR (OCT_OPERATION_FFT, OctFftParams, real_params, text, __VA_ARGS__)
  EXPECT ("0 values", params.samples = 0);
  EXPECT ("format 1", params.format = OCT_SAMPLE_U16);
  EXPECT ("length of the transform is 202", params.length = 202);
  EXPECT ("is 70000", params.length = 70000);
  EXPECT ("0 depth bins", params.depth_bins = 0);
  EXPECT ("101 depth bins from bin 28", params.depth_start = 28);
  EXPECT ("which has 128", params.depth_start = G_MAXUINT);
  EXPECT ("window is missing", params.window = NULL);
  EXPECT ("sample 7 of 203", params.window = broken);
#undef EXPECT
}

static void
test_errors_image (void)
{
#define EXPECT(text, ...)                                                      \
  EXPECT_ERROR (OCT_OPERATION_LOGSCALE, OctLogscaleParams, manual_params,      \
      text, __VA_ARGS__)
  EXPECT ("0 values", params.depth_bins = 0);
  EXPECT ("0 A-lines", params.lines = 0);
  EXPECT ("format 4", params.format = 4);
  EXPECT ("scale 2", params.scale = 2);
  EXPECT ("range 3", params.range = 3);
  EXPECT ("10 to 10", params.min = 10);
  EXPECT ("nan to 10", params.min = NAN);
  EXPECT ("inf", params.max = INFINITY);
  EXPECT ("smoothing of the range is 1:", params.range_smoothing = 1);
  EXPECT ("below 1", params.range_smoothing = -0.5);
#undef EXPECT
}

/* Sends two lines of one sample of a constant through the plan. */
static double
subtract (OctPlan *plan, guint16 count)
{
  guint16 in[2] = { count, count };
  float out[2];
  OctFrame from = { { { in, 2 }, { NULL, 0 } } };
  OctFrame to = { { { out, 4 }, { NULL, 0 } } };

  plan_run (OCT_OPERATION_BACKGROUND, plan, &from, &to);
  g_assert_cmpfloat (out[0], ==, out[1]);
  return out[0];
}

static void
test_update_background (void)
{
  const OctOperationTable *table = operation_table (OCT_OPERATION_BACKGROUND);
  double dark = 7.25;
  OctBackgroundParams params = { .format = OCT_SAMPLE_U16,
    .samples = 1,
    .lines = 2,
    .mode = OCT_BACKGROUND_RUNNING,
    .running_weight = 0.5 };
  OctPlan *plan = plan_new (OCT_OPERATION_BACKGROUND, &params);

  g_assert_cmpfloat (subtract (plan, 100), ==, 0);
  g_assert_cmpfloat (subtract (plan, 200), ==, 50); /* r = 150 */
  params.running_weight = 0.25;
  g_assert_true (table->update (plan, &params));
  g_assert_cmpfloat (subtract (plan, 250), ==, 75); /* r = 175 */
  params.mode = OCT_BACKGROUND_STORED;
  params.background = &dark;
  g_assert_true (table->update (plan, &params));
  g_assert_cmpfloat (subtract (plan, 10), ==, 2.75);
  params.mode = OCT_BACKGROUND_NONE;
  g_assert_true (table->update (plan, &params));
  g_assert_cmpfloat (subtract (plan, 10), ==, 10);
  params.mode = OCT_BACKGROUND_RUNNING;
  g_assert_true (table->update (plan, &params));
  g_assert_cmpfloat (subtract (plan, 195), ==, 15); /* r = 180 */
  table->reset (plan);
  g_assert_cmpfloat (subtract (plan, 30), ==, 0);
  params.running_weight = 0;
  g_assert_false (table->update (plan, &params));
  params.running_weight = 1;
  params.samples = 2;
  g_assert_false (table->update (plan, &params));
  plan_free (OCT_OPERATION_BACKGROUND, plan);
}

/* A single bad B-scan of floats must not spoil the running mean. */
static void
test_running_recovers (void)
{
  OctBackgroundParams params = { .format = OCT_SAMPLE_F32,
    .samples = 1,
    .lines = 1,
    .mode = OCT_BACKGROUND_RUNNING,
    .running_weight = 0.5 };
  OctPlan *plan = plan_new (OCT_OPERATION_BACKGROUND, &params);
  static const float counts[] = { NAN, 4, INFINITY, 8 };
  static const float expected[] = { NAN, 0, INFINITY, 2 };

  for (guint i = 0; i < G_N_ELEMENTS (counts); i++) {
    float in = counts[i], out = -1;
    OctFrame from = { { { &in, 4 }, { NULL, 0 } } };
    OctFrame to = { { { &out, 4 }, { NULL, 0 } } };
    plan_run (OCT_OPERATION_BACKGROUND, plan, &from, &to);
    if (isnan (expected[i]))
      g_assert_true (isnan (out));
    else
      g_assert_cmpfloat (out, ==, expected[i]);
  }
  plan_free (OCT_OPERATION_BACKGROUND, plan);
}

/* The image of two A-scans of two bins with these squared magnitudes; the
 * level of the first is returned. */
static guint
level_of (OctPlan *plan, double first, double lowest, double highest)
{
  float in[8] = { (float)sqrt (first), 0, (float)sqrt (lowest), 0,
    (float)sqrt (highest), 0, (float)sqrt (highest), 0 };
  guint8 out[4];
  OctFrame from = { { { in, 16 }, { NULL, 0 } } };
  OctFrame to = { { { out, 2 }, { NULL, 0 } } };

  plan_run (OCT_OPERATION_LOGSCALE, plan, &from, &to);
  return out[0];
}

/* A range of no extent gives zeros, also where the floor is a mean with its
 * rounding: the power of a line minus its own mean, and others. */
static void
test_no_extent (void)
{
  static const double powers[] = { 0, 1e-3, 0.7, 1, 1234.5, 3e9 };
  OctLogscaleParams params = { .depth_bins = 2, .lines = 2 };

  for (guint range = OCT_RANGE_AUTO; range <= OCT_RANGE_CONTRAST; range++) {
    if (range == OCT_RANGE_MANUAL)
      continue;
    for (guint i = 0; i < 2 * G_N_ELEMENTS (powers); i++) {
      double power = powers[i / 2];
      OctPlan *plan;

      params.range = range;
      params.scale = i % 2 ? OCT_SCALE_LINEAR : OCT_SCALE_LOG;
      plan = plan_new (OCT_OPERATION_LOGSCALE, &params);
      g_assert_cmpint (level_of (plan, power, power, power), ==, 0);
      plan_free (OCT_OPERATION_LOGSCALE, plan);
    }
  }
}

static void
test_update_image (void)
{
  const OctOperationTable *table = operation_table (OCT_OPERATION_LOGSCALE);
  OctLogscaleParams params = {
    .depth_bins = 2, .lines = 2, .range_smoothing = 0.5
  };
  OctPlan *plan = plan_new (OCT_OPERATION_LOGSCALE, &params);

  /* 0 to 20 dB, then 10 to 40 dB: smoothed 5 to 30 dB */
  g_assert_cmpint (level_of (plan, 10, 1, 100), ==, 128); /* 127.5 */
  g_assert_cmpint (level_of (plan, 100, 10, 10000), ==, 153);
  params.range = OCT_RANGE_MANUAL;
  params.min = 0;
  params.max = 50;
  g_assert_true (table->update (plan, &params));
  g_assert_cmpint (level_of (plan, 100, 10, 10000), ==, 102);
  /* back: 5 to 30 and 15 to 20 give 10 to 25 dB */
  params.range = OCT_RANGE_AUTO;
  g_assert_true (table->update (plan, &params));
  g_assert_cmpint (level_of (plan, pow (10, 1.6), pow (10, 1.5), 100), ==, 102);
  /* 10 to 25 dB as powers: 10 to 316.2; with 0 and 83.8: 5 to 200 */
  params.scale = OCT_SCALE_LINEAR;
  g_assert_true (table->update (plan, &params));
  g_assert_cmpint (level_of (plan, 44, 0, 200 * 2 - pow (10, 2.5)), ==, 51);
  table->reset (plan);
  g_assert_cmpint (level_of (plan, 4, 0, 10), ==, 102);
  params.range_smoothing = 1;
  g_assert_false (table->update (plan, &params));
  params.range_smoothing = 0;
  params.lines = 3;
  g_assert_false (table->update (plan, &params));
  plan_free (OCT_OPERATION_LOGSCALE, plan);
}

/* After update() the plan does what a new one would. */
static void
test_update_equals_new (void)
{
  static double other[SAMPLES];
  OctDispersionParams dispersion = dispersion_params;
  OctFftParams fft = complex_params;
  struct {
    Setup setup;
    gpointer params;
  } checks[] = { { setups[5], &dispersion }, { setups[7], &fft } };
  OctPlan *plan;

  for (guint i = 0; i < SAMPLES; i++)
    other[i] = sin (i);
  dispersion.phase = other;
  fft.window = other;
  fft.depth_start = 1;
  fft.depth_bins = DEPTH - 1;
  checks[1].setup.out_row = (DEPTH - 1) * 8;
  for (guint i = 0; i < G_N_ELEMENTS (checks); i++) {
    Setup *setup = &checks[i].setup;
    gsize size = (gsize)setup->out_row * LINES;
    g_autofree guint8 *in = random_rows (setup->in_row, setup->in_row);
    g_autofree guint8 *found = g_malloc (size);
    g_autofree guint8 *expected = NULL;
    OctFrame from = { { { in, setup->in_row }, { NULL, 0 } } };
    OctFrame to = { { { found, setup->out_row }, { NULL, 0 } } };

    plan = plan_new (setup->operation, setup->params);
    g_assert_true (
        operation_table (setup->operation)->update (plan, checks[i].params));
    plan_run (setup->operation, plan, &from, &to);
    setup->params = checks[i].params;
    expected = run_setup (setup, in, 0);
    g_assert_cmpmem (found, size, expected, size);
    plan_free (setup->operation, plan);
  }
  fft.length++;
  plan = plan_new (OCT_OPERATION_FFT, &complex_params);
  g_assert_false (operation_table (OCT_OPERATION_FFT)->update (plan, &fft));
  plan_free (OCT_OPERATION_FFT, plan);
}

static void
test_thread_count (void)
{
  oct_backend_cpu_set_threads (3);
  g_assert_cmpint (oct_backend_cpu_get_threads (), ==, 3);
  oct_backend_cpu_set_threads (0);
  g_assert_cmpint (oct_backend_cpu_get_threads (), ==, g_get_num_processors ());
}

int
main (int argc, char **argv)
{
  static const struct {
    const char *name;
    void (*test) (gconstpointer setup);
  } every[] = { { "stride", test_stride }, { "in-place", test_in_place },
    { "threads", test_threads }, { "containment", test_containment },
    { "short-rows", test_short_rows } };

  g_test_init (&argc, &argv, NULL);
  fill_tables ();
  for (guint t = 0; t < G_N_ELEMENTS (every); t++) {
    for (guint i = 0; i < G_N_ELEMENTS (setups); i++) {
      g_autofree char *path =
          g_strdup_printf ("/%s/%s", every[t].name, setups[i].name);
      g_test_add_data_func (path, &setups[i], every[t].test);
    }
  }
  g_test_add_func ("/errors/background", test_errors_background);
  g_test_add_func ("/errors/spectra", test_errors_spectra);
  g_test_add_func ("/errors/image", test_errors_image);
  g_test_add_func ("/update/background", test_update_background);
  g_test_add_func ("/update/image", test_update_image);
  g_test_add_func ("/no-extent", test_no_extent);
  g_test_add_func ("/update/equals-new", test_update_equals_new);
  g_test_add_func ("/running-recovers", test_running_recovers);
  g_test_add_func ("/thread-count", test_thread_count);
  return g_test_run ();
}
