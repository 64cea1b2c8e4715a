/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Steps and sequences of them: their guarantees other than the values, and that
 * a sequence gives the same as its operations one after the other.
 */
#include "numeric.h"
#include "oct-sequence.h"
#include "oct-window.h"

#include <math.h>
#include <string.h>

/* more than a block of A-lines, no multiple of one */
#define SAMPLES 256u
#define LINES 37u
#define DEPTH 100u

typedef struct {
  double positions[SAMPLES], phase[SAMPLES], window[SAMPLES], stored[SAMPLES];
  OctBackgroundParams background;
  OctResampleParams resample;
  OctDispersionParams dispersion;
  OctFftParams fft;
} Chain;

static Chain *
chain_new (void)
{
  Chain *chain = g_new0 (Chain, 1);

  for (guint i = 0; i < SAMPLES; i++) {
    double x = i / (SAMPLES - 1.0);
    chain->positions[i] = (SAMPLES - 1) * (x + 0.1 * x * (1 - x));
    chain->phase[i] = 30 * (x - 0.5) * (x - 0.5);
    chain->stored[i] = 1000 + 100 * x;
  }
  oct_window_fill (OCT_WINDOW_HANN, SAMPLES, NULL, chain->window);
  chain->background = (OctBackgroundParams){ .format = OCT_SAMPLE_U16,
    .samples = SAMPLES,
    .lines = LINES,
    .mode = OCT_BACKGROUND_BSCAN,
    .found = TRUE };
  chain->resample = (OctResampleParams){ .samples = SAMPLES,
    .lines = LINES,
    .method = OCT_RESAMPLE_CUBIC,
    .upsample = 1,
    .positions = chain->positions };
  chain->dispersion = (OctDispersionParams){
    .samples = SAMPLES, .lines = LINES, .phase = chain->phase
  };
  chain->fft = (OctFftParams){ .format = OCT_SAMPLE_CF32,
    .samples = SAMPLES,
    .lines = LINES,
    .length = SAMPLES,
    .depth_start = 3,
    .depth_bins = DEPTH,
    .window = chain->window };
  return chain;
}

static guint16 *
make_counts (void)
{
  guint16 *counts = g_new (guint16, SAMPLES * LINES);
  GRand *rand = g_rand_new_with_seed (5);

  for (guint i = 0; i < SAMPLES * LINES; i++)
    counts[i] = (guint16)(2000 + 900 * sin (0.11 * (i % SAMPLES) + i / SAMPLES)
                          + g_rand_int_range (rand, 0, 100));
  g_rand_free (rand);
  return counts;
}

static OctFrame
frame (gpointer data, gsize stride)
{
  return (OctFrame){ .planes = { { data, stride } } };
}

static OctStep *
step_new (OctOperation operation, gconstpointer params)
{
  g_autoptr (GError) error = NULL;
  OctStep *step = oct_step_new (operation, params, &error);

  g_assert_no_error (error);
  return step;
}

static void
run_once (OctOperation operation, gconstpointer params, const OctFrame *in,
    const OctFrame *out)
{
  OctPlan *plan = plan_new (operation, params);

  plan_run (operation, plan, in, out);
  plan_free (operation, plan);
}

static void
test_copies (void)
{
  g_autofree Chain *chain = chain_new ();
  g_autoptr (OctStep) step = step_new (OCT_OPERATION_FFT, &chain->fft);
  const OctFftParams *params = oct_step_get_params (step);
  OctStepShape in = oct_step_get_input (step), out = oct_step_get_output (step);
  double first = chain->window[100];

  chain->window[100] = 77;
  chain->fft.depth_bins = 1;
  g_assert_cmpuint (params->depth_bins, ==, DEPTH);
  g_assert_cmpfloat (params->window[100], ==, first);
  g_assert_cmpuint (oct_step_shape_size (&in), ==, LINES * SAMPLES * 8);
  g_assert_cmpuint (oct_step_shape_size (&out), ==, LINES * DEPTH * 8);
  g_assert_cmpint (oct_step_get_operation (step), ==, OCT_OPERATION_FFT);
}

/* An operation that has a history or makes images cannot be a step; impossible
 * parameters are refused with the sentence of the operation. */
static void
test_refused (void)
{
  g_autofree Chain *chain = chain_new ();
  OctLogscaleParams image = { .depth_bins = DEPTH, .lines = LINES };
  g_autoptr (GError) error = NULL;

  chain->background.found = FALSE;
  g_assert_false (
      oct_step_is_possible (OCT_OPERATION_BACKGROUND, &chain->background));
  chain->background.mode = OCT_BACKGROUND_RUNNING;
  g_assert_false (
      oct_step_is_possible (OCT_OPERATION_BACKGROUND, &chain->background));
  chain->background.mode = OCT_BACKGROUND_NONE;
  g_assert_true (
      oct_step_is_possible (OCT_OPERATION_BACKGROUND, &chain->background));
  g_assert_false (oct_step_is_possible (OCT_OPERATION_LOGSCALE, &image));
  g_assert_null (oct_step_new (OCT_OPERATION_LOGSCALE, &image, &error));
  g_assert_error (error, OCT_ERROR, OCT_ERROR_SETTINGS);
  g_clear_error (&error);
  chain->fft.depth_bins = SAMPLES;
  g_assert_null (oct_step_new (OCT_OPERATION_FFT, &chain->fft, &error));
  g_assert_error (error, OCT_ERROR, OCT_ERROR_SETTINGS);
  g_assert_nonnull (strstr (error->message, "256 depth bins"));
}

/* A mean that is found first and removed later is the mean of the operation
 * that does both, also with a history. */
static void
test_found (gconstpointer mode)
{
  g_autofree Chain *chain = chain_new ();
  g_autofree guint16 *counts = make_counts ();
  g_autofree float *both = g_new (float, SAMPLES *LINES);
  g_autofree float *later = g_new (float, SAMPLES *LINES);
  g_autofree guint8 *mean = g_malloc (OCT_MEAN_SIZE (SAMPLES, LINES));
  OctBackgroundParams at_once = chain->background;
  OctFrame in = frame (counts, SAMPLES * 2);
  OctFrame to_both = frame (both, SAMPLES * 4);
  OctFrame to_later = frame (later, SAMPLES * 4);
  OctFrame to_mean = frame (mean, OCT_MEAN_SIZE (SAMPLES, LINES));
  OctPlan *plan, *mean_plan;

  at_once.found = FALSE;
  at_once.mode = GPOINTER_TO_INT (mode);
  at_once.running_weight = 0.3;
  at_once.background = chain->stored;
  plan = plan_new (OCT_OPERATION_BACKGROUND, &at_once);
  mean_plan = plan_new (OCT_OPERATION_MEAN, &at_once);
  for (guint turn = 0; turn < 3; turn++) {
    OctBackgroundParams found = at_once;
    OctFrame with_mean = in;

    for (guint i = 0; i < SAMPLES * LINES; i++)
      counts[i] = (guint16)(counts[i] + (i * (turn + 1)) % 17);
    plan_run (OCT_OPERATION_BACKGROUND, plan, &in, &to_both);
    plan_run (OCT_OPERATION_MEAN, mean_plan, &in, &to_mean);
    found.found = TRUE;
    with_mean.planes[1] = to_mean.planes[0];
    run_once (OCT_OPERATION_BACKGROUND, &found, &with_mean, &to_later);
    g_assert_cmpmem (both, SAMPLES * LINES * 4, later, SAMPLES * LINES * 4);
  }
  plan_free (OCT_OPERATION_BACKGROUND, plan);
  plan_free (OCT_OPERATION_MEAN, mean_plan);
}

/* Relative l2 of the difference. */
static double
difference (const float *values, const float *wanted, guint count)
{
  double error = 0, all = 0;

  for (guint i = 0; i < count; i++) {
    error += pow ((double)values[i] - wanted[i], 2);
    all += pow (wanted[i], 2);
  }
  return sqrt (error / all);
}

/* The operations, each on its own with memory of the test. */
static void
run_chain (const Chain *chain, const guint16 *counts, gpointer mean, float *out)
{
  g_autofree float *spectra = g_new (float, SAMPLES *LINES);
  g_autofree float *turned = g_new (float, 2 * SAMPLES * LINES);
  OctBackgroundParams at_once = chain->background;
  OctFrame in = frame ((gpointer)counts, SAMPLES * 2);
  OctFrame real = frame (spectra, SAMPLES * 4);
  OctFrame complex = frame (turned, SAMPLES * 8);
  OctFrame to_mean = frame (mean, OCT_MEAN_SIZE (SAMPLES, LINES));
  OctFrame to = frame (out, DEPTH * 8);

  at_once.found = FALSE;
  run_once (OCT_OPERATION_MEAN, &at_once, &in, &to_mean);
  run_once (OCT_OPERATION_BACKGROUND, &at_once, &in, &real);
  run_once (OCT_OPERATION_RESAMPLE, &chain->resample, &real, &real);
  run_once (OCT_OPERATION_DISPERSION, &chain->dispersion, &real, &complex);
  run_once (OCT_OPERATION_FFT, &chain->fft, &complex, &to);
}

static void
test_chain (gconstpointer fuse)
{
  g_autofree Chain *chain = chain_new ();
  g_autofree guint16 *counts = make_counts ();
  g_autofree guint8 *mean = g_malloc (OCT_MEAN_SIZE (SAMPLES, LINES));
  g_autofree float *wanted = g_new (float, 2 * DEPTH * LINES);
  g_autofree float *found = g_new (float, 2 * DEPTH * LINES);
  OctFrame in = frame (counts, SAMPLES * 2), to = frame (found, DEPTH * 8);
  OctStep *steps[] = { step_new (OCT_OPERATION_BACKGROUND, &chain->background),
    step_new (OCT_OPERATION_RESAMPLE, &chain->resample),
    step_new (OCT_OPERATION_DISPERSION, &chain->dispersion),
    step_new (OCT_OPERATION_FFT, &chain->fft) };
  g_autoptr (GError) error = NULL;
  OctSequence *sequence;
  guint failed = 99;

  run_chain (chain, counts, mean, wanted);
  if (fuse == NULL)
    g_setenv ("OCT_FUSE", "0", TRUE);
  sequence = oct_sequence_new (
      oct_backend_cpu (), steps, 4, 1, OCT_N_OPERATIONS, &failed, &error);
  g_unsetenv ("OCT_FUSE");
  g_assert_no_error (error);
  g_assert_true (oct_sequence_is (sequence, steps, 4, 1, OCT_N_OPERATIONS));
  g_assert_false (oct_sequence_is (sequence, steps, 3, 1, OCT_N_OPERATIONS));
  g_assert_true (oct_sequence_is_fused (sequence) == (fuse != NULL));
  in.planes[1].data = mean;
  g_assert_true (
      oct_sequence_run (sequence, &in, NULL, &to, NULL, &failed, &error));
  g_assert_cmpfloat (difference (found, wanted, 2 * DEPTH * LINES), <, 1e-6);
  oct_sequence_free (sequence);
  for (guint i = 0; i < 4; i++)
    oct_step_unref (steps[i]);
}

/* A last operation with a plan of the caller. */
static void
test_last (void)
{
  g_autofree Chain *chain = chain_new ();
  g_autofree guint16 *counts = make_counts ();
  g_autofree guint8 *mean = g_malloc (OCT_MEAN_SIZE (SAMPLES, LINES));
  g_autofree float *a_scans = g_new (float, 2 * DEPTH * LINES);
  g_autofree guint8 *wanted = g_new (guint8, DEPTH * LINES);
  g_autofree guint8 *found = g_new (guint8, DEPTH * LINES);
  /* not in dB, where so few pixels are too few to count those whose level is
   * a matter of rounding: numeric-fused does */
  OctLogscaleParams params = {
    .depth_bins = DEPTH, .lines = LINES, .scale = OCT_SCALE_LINEAR
  };
  OctFrame in = frame (counts, SAMPLES * 2), to = frame (found, LINES);
  OctFrame from = frame (a_scans, DEPTH * 8), to_wanted = frame (wanted, LINES);
  OctStep *steps[] = { step_new (OCT_OPERATION_BACKGROUND, &chain->background),
    step_new (OCT_OPERATION_RESAMPLE, &chain->resample),
    step_new (OCT_OPERATION_DISPERSION, &chain->dispersion),
    step_new (OCT_OPERATION_FFT, &chain->fft) };
  OctPlan *plan = plan_new (OCT_OPERATION_LOGSCALE, &params);
  g_autoptr (GError) error = NULL;
  guint failed = 99, others = 0;
  OctSequence *sequence = oct_sequence_new (
      oct_backend_cpu (), steps, 4, 1, OCT_OPERATION_LOGSCALE, &failed, &error);

  g_assert_no_error (error);
  run_chain (chain, counts, mean, a_scans);
  run_once (OCT_OPERATION_LOGSCALE, &params, &from, &to_wanted);
  in.planes[1].data = mean;
  g_assert_true (
      oct_sequence_run (sequence, &in, plan, &to, NULL, &failed, &error));
  /* a value on the border between two grey levels may go either way */
  for (guint i = 0; i < DEPTH * LINES; i++) {
    g_assert_cmpint (abs (found[i] - wanted[i]), <=, 1);
    others += found[i] != wanted[i];
  }
  g_assert_cmpuint (others, <, DEPTH * LINES / 1000);
  oct_sequence_free (sequence);
  plan_free (OCT_OPERATION_LOGSCALE, plan);
  for (guint i = 0; i < 4; i++)
    oct_step_unref (steps[i]);
}

/* The step that fails is named. */
static void
test_failed (void)
{
  g_autofree Chain *chain = chain_new ();
  g_autofree guint16 *counts = make_counts ();
  g_autofree float *found = g_new (float, 2 * DEPTH * LINES);
  OctFrame in = frame (counts, SAMPLES), to = frame (found, DEPTH * 8);
  OctStep *steps[2];
  g_autoptr (GError) error = NULL;
  guint failed = 99;
  OctSequence *sequence;

  chain->background.mode = OCT_BACKGROUND_NONE;
  chain->background.found = FALSE;
  chain->fft.format = OCT_SAMPLE_F32;
  steps[0] = step_new (OCT_OPERATION_BACKGROUND, &chain->background);
  steps[1] = step_new (OCT_OPERATION_FFT, &chain->fft);
  g_setenv ("OCT_FUSE", "0", TRUE);
  sequence = oct_sequence_new (
      oct_backend_cpu (), steps, 2, 1, OCT_N_OPERATIONS, &failed, &error);
  g_unsetenv ("OCT_FUSE");
  g_assert_false (
      oct_sequence_run (sequence, &in, NULL, &to, NULL, &failed, &error));
  g_assert_error (error, OCT_ERROR, OCT_ERROR_SETTINGS);
  g_assert_cmpuint (failed, ==, 0);
  oct_sequence_free (sequence);
  for (guint i = 0; i < 2; i++)
    oct_step_unref (steps[i]);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/step/copies", test_copies);
  g_test_add_func ("/step/refused", test_refused);
  for (gint mode = 0; mode < OCT_N_BACKGROUND_MODES; mode++) {
    g_autofree char *path =
        g_strconcat ("/step/found/", oct_background_modes[mode].nick, NULL);
    if (oct_background_modes[mode].is_found)
      g_test_add_data_func (path, GINT_TO_POINTER (mode), test_found);
  }
  g_test_add_data_func ("/sequence/one-by-one", NULL, test_chain);
  g_test_add_data_func ("/sequence/fused", "", test_chain);
  g_test_add_func ("/sequence/last", test_last);
  g_test_add_func ("/sequence/failed", test_failed);
  return g_test_run ();
}
