/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The chain in one pass against the same operations one by one, and both
 * against the definitions in double precision: sequences with random settings,
 * always the same ones.
 */
#include "chain-case.h"
#include "numeric.h"
#include "oct-nufft.h"

#include <math.h>
#include <string.h>

#define CASES 300

/* ----------------------------------------------------------------- running */

static OctSequence *
sequence_new (const ChainCase *c, OctOperation last, gboolean fuse)
{
  g_autoptr (GError) error = NULL;
  OctSequence *sequence;
  guint failed;

  if (!fuse)
    g_setenv ("OCT_FUSE", "0", TRUE);
  sequence = oct_sequence_new (
      oct_backend_cpu (), c->steps, c->n, 1, last, &failed, &error);
  g_unsetenv ("OCT_FUSE");
  g_assert_no_error (error);
  return sequence;
}

static void
run (OctSequence *sequence, const ChainCase *c, OctPlan *last,
    const OctFrame *out)
{
  g_autoptr (GError) error = NULL;
  OctFrame in = { { { c->raw, c->in_stride }, { c->mean, 0 } } };
  guint failed;

  oct_sequence_run (sequence, &in, last, out, NULL, &failed, &error);
  g_assert_no_error (error);
}

/* Rows of all lines. */
static guint8 *
run_rows (const ChainCase *c, gboolean fuse)
{
  guint8 *rows = g_malloc0 (c->out_stride * c->lines);
  OctFrame out = { { { rows, c->out_stride } } };
  OctSequence *sequence = sequence_new (c, OCT_N_OPERATIONS, fuse);

  g_assert_true (oct_sequence_is_fused (sequence) == (fuse && c->n >= 2));
  run (sequence, c, NULL, &out);
  oct_sequence_free (sequence);
  return rows;
}

static OctFrame
image_frame (const ChainCase *c, guint8 *image)
{
  return (OctFrame){ { { image, c->image_stride },
      { image + c->image_stride * c->bins, c->image_stride } } };
}

static gsize
image_size (const ChainCase *c)
{
  return c->image_stride * (c->bins + (c->bins + 1) / 2);
}

/* Two images of the same B-scan, the second with the history of the first. */
static guint8 *
run_image (const ChainCase *c, gboolean fuse)
{
  guint8 *image = g_malloc0 (image_size (c));
  OctFrame out = image_frame (c, image);
  OctSequence *sequence = sequence_new (c, OCT_OPERATION_LOGSCALE, fuse);
  OctPlan *plan = plan_new (OCT_OPERATION_LOGSCALE, &c->image);

  g_assert_true (oct_sequence_is_fused (sequence) == fuse);
  run (sequence, c, plan, &out);
  run (sequence, c, plan, &out);
  plan_free (OCT_OPERATION_LOGSCALE, plan);
  oct_sequence_free (sequence);
  return image;
}

/* The same from A-scans that are there. */
static guint8 *
image_of_rows (const ChainCase *c, guint8 *rows)
{
  guint8 *image = g_malloc0 (image_size (c));
  OctFrame in = { { { rows, c->out_stride } } }, out = image_frame (c, image);
  OctPlan *plan = plan_new (OCT_OPERATION_LOGSCALE, &c->image);

  plan_run (OCT_OPERATION_LOGSCALE, plan, &in, &out);
  plan_run (OCT_OPERATION_LOGSCALE, plan, &in, &out);
  plan_free (OCT_OPERATION_LOGSCALE, plan);
  return image;
}

/* -------------------------------------------------------------- comparing */

static complex double
row_value (const ChainCase *c, const guint8 *rows, guint line, guint i)
{
  const float *row = (const float *)(rows + line * c->out_stride);

  return c->has_fft || c->has_dispersion ? row[2 * i] + I * row[2 * i + 1]
                                         : row[i];
}

static double
norm (const complex double *values, guint count)
{
  double sum = 0;

  for (guint i = 0; i < count; i++)
    sum += creal (values[i] * conj (values[i]));
  return sqrt (sum);
}

static double
distance (const ChainCase *c, const guint8 *rows, const complex double *wanted,
    double level)
{
  double sum = 0;

  for (guint line = 0; line < c->lines; line++)
    for (guint i = 0; i < c->bins; i++) {
      complex double d =
          row_value (c, rows, line, i) - wanted[line * c->bins + i];
      sum += creal (d * conj (d));
    }
  /* a single spectrum without its mean is nothing to compare with */
  return sqrt (sum)
         / MAX (MAX (norm (wanted, c->bins * c->lines), level), 1e-3);
}

static double
distance_of_rows (
    const ChainCase *c, const guint8 *a, const guint8 *b, double level)
{
  g_autofree complex double *wanted =
      g_new (complex double, c->lines * c->bins);

  for (guint line = 0; line < c->lines; line++)
    for (guint i = 0; i < c->bins; i++)
      wanted[line * c->bins + i] = row_value (c, b, line, i);
  return distance (c, a, wanted, level);
}

static void
test_rows (void)
{
  double worst = 0, level;

  for (guint seed = 0; seed < CASES; seed++) {
    ChainCase *c = chain_case_new (seed);
    g_autofree complex double *wanted = chain_case_exact (c, &level);
    g_autofree guint8 *one_by_one = run_rows (c, FALSE);
    g_autofree guint8 *fused = run_rows (c, TRUE);
    double error = distance (c, fused, wanted, level);

    g_test_message ("%u: %u samples x %u, format %d, %u steps: %.2g, %.2g one "
                    "by one",
        seed, c->samples, c->lines, c->format, c->n, error,
        distance (c, one_by_one, wanted, level));
    worst = MAX (worst, error);
    g_assert_cmpfloat (error, <, 1e-6);
    g_assert_cmpfloat (distance_of_rows (c, fused, one_by_one, level), <, 1e-5);
    chain_case_free (c);
  }
  g_test_message ("largest error %.2g", worst);
}

/* Images of the same A-scans: the same, but for sums in another order. */
static void
test_images (void)
{
  for (guint seed = 0; seed < CASES; seed++) {
    ChainCase *c = chain_case_new (seed);
    guint others = 0, size = (guint)image_size (c);
    gboolean is_wide = c->image.format == OCT_IMAGE_GRAY16;

    if (c->has_fft) {
      g_autofree guint8 *rows = run_rows (c, TRUE);
      g_autofree guint8 *wanted = image_of_rows (c, rows);
      g_autofree guint8 *image = run_image (c, TRUE);

      if (c->n < 2) /* these A-scans were made otherwise */
        memcpy (wanted, image, size);
      for (guint i = 0; i < size; i++) {
        gint a = is_wide ? ((guint16 *)image)[i / 2] : image[i];
        gint b = is_wide ? ((guint16 *)wanted)[i / 2] : wanted[i];
        g_assert_cmpint (abs (a - b), <=, 1);
        others += a != b;
      }
      if (others > 0)
        g_test_message ("%u: %u of %u differ, range %d", seed, others, size,
            c->image.range);
      g_assert_cmpuint (others, <=, size / 1000);
      if (c->image.range != OCT_RANGE_CONTRAST)
        g_assert_cmpuint (others, ==, 0);
    }
    chain_case_free (c);
  }
}

/* Grey levels of the whole chain. */
static void
test_images_one_by_one (void)
{
  guint all = 0, others = 0;

  for (guint seed = 0; seed < CASES; seed++) {
    ChainCase *c = chain_case_new (seed);

    if (c->has_fft && c->image.format != OCT_IMAGE_GRAY16
        && !chain_case_takes_all (c)) {
      g_autofree guint8 *wanted = run_image (c, FALSE);
      g_autofree guint8 *image = run_image (c, TRUE);
      guint different = 0;

      for (gsize i = 0; i < image_size (c); i++) {
        g_assert_cmpint (abs (image[i] - wanted[i]), <=, 1);
        different += image[i] != wanted[i];
      }
      if (different > 0)
        g_test_message ("%u: %u of %u differ, range %d scale %d", seed,
            different, (guint)image_size (c), c->image.range, c->image.scale);
      others += different;
      all += c->bins * c->lines;
    }
    chain_case_free (c);
  }
  g_test_message ("%u of %u differ", others, all);
  g_assert_cmpuint (others, <=, all / 1000);
}

/* The same bits from any number of threads. */
static void
test_threads (void)
{
  for (guint seed = 0; seed < CASES; seed += 7) {
    ChainCase *c = chain_case_new (seed);
    g_autofree guint8 *wanted = NULL, *wanted_image = NULL;

    for (guint threads = 1; threads <= 3; threads++) {
      guint8 *rows, *image = NULL;

      oct_backend_cpu_set_threads (threads);
      rows = run_rows (c, TRUE);
      if (c->has_fft)
        image = run_image (c, TRUE);
      if (threads == 1) {
        wanted = rows;
        wanted_image = image;
        continue;
      }
      g_assert_cmpmem (
          wanted, c->out_stride * c->lines, rows, c->out_stride * c->lines);
      if (image != NULL)
        g_assert_cmpmem (wanted_image, image_size (c), image, image_size (c));
      g_free (rows);
      g_free (image);
    }
    oct_backend_cpu_set_threads (0);
    chain_case_free (c);
  }
}

/* Fewer threads than the plan was made for, and more. */
static void
test_threads_change (void)
{
  ChainCase *c = chain_case_new (1);
  OctPlan *plan = plan_new (OCT_OPERATION_LOGSCALE, &c->image);
  g_autofree guint8 *rows = g_malloc0 (c->out_stride * c->lines);
  g_autofree guint8 *wanted = run_rows (c, TRUE);
  OctFrame out = { { { rows, c->out_stride } } };
  OctSequence *sequence = sequence_new (c, OCT_N_OPERATIONS, TRUE);

  for (guint threads = 1; threads < 6; threads += 2) {
    oct_backend_cpu_set_threads (threads);
    memset (rows, 0, c->out_stride * c->lines);
    run (sequence, c, NULL, &out);
    g_assert_cmpmem (
        wanted, c->out_stride * c->lines, rows, c->out_stride * c->lines);
  }
  oct_backend_cpu_set_threads (0);
  oct_sequence_free (sequence);
  plan_free (OCT_OPERATION_LOGSCALE, plan);
  chain_case_free (c);
}

/* A NaN or infinite value spoils its own A-line and no others, also in the next
 * B-scan. */
static void
test_not_finite (void)
{
  static const float values[] = { NAN, INFINITY, -INFINITY };
  guint tested = 0;

  for (guint seed = 0; seed < CASES; seed++) {
    ChainCase *c = chain_case_new (seed);
    guint line = c->lines / 2, i = c->samples / 2;

    if (c->format < OCT_SAMPLE_F32 || c->n < 2 || !c->has_fft
        || c->window[i] == 0)
      c->lines = 0;
    if (c->lines > 1) {
      g_autofree guint8 *wanted = run_rows (c, TRUE);
      g_autofree guint8 *rows = g_malloc0 (c->out_stride * c->lines);
      float *value = (float *)(c->raw + line * c->in_stride) + i,
            before = *value;
      OctFrame out = { { { rows, c->out_stride } } };
      OctSequence *sequence = sequence_new (c, OCT_N_OPERATIONS, TRUE);
      /* linear and Lanczos may not read it */
      gboolean is_read = !c->has_resample || c->method == OCT_RESAMPLE_CUBIC;

      *value = values[tested++ % 3];
      run (sequence, c, NULL, &out);
      for (guint other = 0; other < c->lines; other++)
        if (other != line)
          g_assert_cmpmem (rows + other * c->out_stride, c->bins * 8,
              wanted + other * c->out_stride, c->bins * 8);
      for (guint k = 0; is_read && k < c->bins; k++)
        g_assert_false (isfinite (cabs (row_value (c, rows, line, k))));
      *value = before;
      run (sequence, c, NULL, &out);
      g_assert_cmpmem (
          wanted, c->out_stride * c->lines, rows, c->out_stride * c->lines);
      oct_sequence_free (sequence);
    }
    chain_case_free (c);
  }
  g_assert_cmpuint (tested, >, 10);
}

static gboolean
is_fused (OctStep *const *steps, guint n, OctOperation last)
{
  guint failed;
  g_autoptr (GError) error = NULL;
  OctSequence *sequence =
      oct_sequence_new (oct_backend_cpu (), steps, n, 1, last, &failed, &error);
  gboolean fused;

  g_assert_no_error (error);
  fused = oct_sequence_is_fused (sequence);
  oct_sequence_free (sequence);
  return fused;
}

/* Sequences that no pass is for. */
static void
test_refused (void)
{
  ChainCase *c = chain_case_new (0);
  OctResampleParams resample = { .samples = c->samples,
    .lines = c->lines,
    .upsample = 2,
    .positions = c->positions };
  OctFftParams fft = { .format = OCT_SAMPLE_CF32,
    .samples = c->samples,
    .lines = c->lines,
    .length = c->samples,
    .depth_bins = c->samples / 2,
    .window = c->window };
  OctDispersionParams dispersion = {
    .samples = c->samples, .lines = c->lines, .phase = c->phase
  };
  OctNufftParams nufft = { .format = OCT_SAMPLE_F32,
    .samples = c->samples,
    .lines = c->lines,
    .depth_bins = c->samples / 2,
    .nodes = c->stored,
    .window = c->window };
  OctStep *steps[5];

  for (guint i = 0; i < c->n; i++)
    oct_step_unref (c->steps[i]);
  c->n = 0;
  for (guint i = 0; i < c->samples; i++)
    c->stored[i] = i;
  chain_case_add (c, OCT_OPERATION_RESAMPLE, &resample);
  chain_case_add (c, OCT_OPERATION_DISPERSION, &dispersion);
  chain_case_add (c, OCT_OPERATION_FFT, &fft);
  chain_case_add (c, OCT_OPERATION_NUDFT, &nufft);
  nufft.grid = oct_nufft_grid_length (c->samples, 1.5);
  nufft.width = 4;
  chain_case_add (c, OCT_OPERATION_NUFFT, &nufft);
  memcpy (steps, c->steps, sizeof steps);

  /* one alone */
  g_assert_false (is_fused (&steps[1], 1, OCT_N_OPERATIONS));
  g_assert_false (is_fused (&steps[2], 1, OCT_N_OPERATIONS));
  /* no image of spectra */
  g_assert_false (is_fused (&steps[1], 1, OCT_OPERATION_LOGSCALE));
  g_assert_true (is_fused (&steps[2], 1, OCT_OPERATION_LOGSCALE));
  g_assert_true (is_fused (&steps[1], 2, OCT_N_OPERATIONS));
  g_assert_true (is_fused (&steps[0], 3, OCT_N_OPERATIONS));
  /* another order, other operations */
  g_assert_false (
      is_fused ((OctStep *[]){ steps[0], steps[0] }, 2, OCT_N_OPERATIONS));
  g_assert_false (
      is_fused ((OctStep *[]){ steps[0], steps[3] }, 2, OCT_N_OPERATIONS));
  g_assert_false (is_fused (&steps[3], 1, OCT_OPERATION_LOGSCALE));
  g_assert_false (
      is_fused ((OctStep *[]){ steps[0], steps[4] }, 2, OCT_N_OPERATIONS));
  g_assert_false (is_fused (&steps[4], 1, OCT_N_OPERATIONS));
  g_assert_true (is_fused (&steps[4], 1, OCT_OPERATION_LOGSCALE));
  chain_case_free (c);
}

/* ------------------------------------------------------ compressive sensing */

/* Keeps about every second sample of the steps before the transform. */
static OctCsParams
sensing_params (ChainCase *c, guint seed, guint32 *column)
{
  OctCsParams params = {
    .format = c->has_dispersion || c->format == OCT_SAMPLE_CF32
                  ? OCT_SAMPLE_CF32
                  : OCT_SAMPLE_F32,
    .samples = c->samples,
    .lines = c->lines,
    .columns = c->samples,
    .column = column,
    .nodes = c->nodes,
    .window = c->window,
    .transform = OCT_CS_FFT,
    .solver = seed / 2 % OCT_CS_N_SOLVERS,
    .iterations = 8,
    .tau = 2,
    .noise = seed % 2 ? 30 : 0,
    .depth_bins = (c->samples + 1) / 2,
  };

  for (guint i = 0; i < c->samples; i++)
    if ((i * 7 + seed) % 5 < 3) {
      column[params.kept] = i;
      c->nodes[params.kept++] = i;
    }
  return params;
}

static void
run_steps (const ChainCase *c, guint n, OctOperation last, OctPlan *plan,
    gboolean fused, const OctFrame *out)
{
  OctFrame in = { { { c->raw, c->in_stride }, { c->mean, 0 } } };
  g_autoptr (GError) error = NULL;
  OctSequence *sequence;
  guint failed;

  sequence = oct_sequence_new (
      oct_backend_cpu (), c->steps, n, 1, last, &failed, &error);
  g_assert_no_error (error);
  g_assert_true (oct_sequence_is_fused (sequence) == fused);
  oct_sequence_run (sequence, &in, plan, out, NULL, &failed, &error);
  g_assert_no_error (error);
  oct_sequence_free (sequence);
}

/* In one pass, or of spectra that were written before: of the same bits, as the
 * solver makes more of rounding errors. */
static guint8 *
run_sensing (
    const ChainCase *c, guint n, const OctCsParams *params, gboolean at_once)
{
  gsize row = params->depth_bins * 8;
  gsize between = c->samples * oct_sample_format_size (params->format);
  guint8 *rows = g_malloc0 (row * c->lines);
  g_autofree guint8 *spectra = g_malloc0 (between * c->lines);
  OctFrame from = { { { spectra, between } } }, out = { { { rows, row } } };
  OctPlan *plan = plan_new (OCT_OPERATION_CS, params);

  if (at_once) {
    run_steps (c, n, OCT_OPERATION_CS, plan, TRUE, &out);
  } else {
    run_steps (c, n, OCT_N_OPERATIONS, NULL, n >= 2, &from);
    plan_run (OCT_OPERATION_CS, plan, &from, &out);
  }
  plan_free (OCT_OPERATION_CS, plan);
  return rows;
}

/* Whatever is in front of it, with any number of threads. */
static void
test_sensing (void)
{
  guint32 column[MAX_SAMPLES];
  guint tested = 0;

  for (guint seed = 0; seed < CASES; seed++) {
    ChainCase *c = chain_case_new (seed);
    guint n = c->n - (c->has_fft ? 1 : 0);
    OctCsParams params = sensing_params (c, seed, column);

    if (n > 0 && c->samples >= 16) {
      gsize size = (gsize)params.depth_bins * 8 * c->lines;
      g_autofree guint8 *wanted = run_sensing (c, n, &params, FALSE);

      tested++;
      for (guint threads = 1; threads <= 3; threads++) {
        g_autofree guint8 *found = NULL;

        oct_backend_cpu_set_threads (threads);
        found = run_sensing (c, n, &params, TRUE);
        g_assert_cmpmem (found, size, wanted, size);
      }
      oct_backend_cpu_set_threads (0);
    }
    chain_case_free (c);
  }
  g_assert_cmpuint (tested, >, 100);
}

/* A plan for other A-lines than those that come. */
static void
test_sensing_refused (void)
{
  guint32 column[MAX_SAMPLES];
  guint8 rows[64];
  ChainCase *c = NULL;
  OctFrame in, out = { { { rows, sizeof rows } } };
  g_autoptr (GError) error = NULL;
  OctCsParams params;
  OctSequence *sequence;
  OctPlan *plan;
  guint failed;

  for (guint seed = 0; c == NULL || c->has_fft || c->samples < 16; seed++) {
    if (c != NULL)
      chain_case_free (c);
    c = chain_case_new (seed);
  }
  in = (OctFrame){ { { c->raw, c->in_stride }, { c->mean, 0 } } };
  params = sensing_params (c, 1, column);
  params.lines++;
  plan = plan_new (OCT_OPERATION_CS, &params);
  sequence = oct_sequence_new (
      oct_backend_cpu (), c->steps, c->n, 1, OCT_OPERATION_CS, &failed, &error);
  g_assert_no_error (error);
  g_assert_false (
      oct_sequence_run (sequence, &in, plan, &out, NULL, &failed, &error));
  g_assert_error (error, OCT_ERROR, OCT_ERROR_SETTINGS);
  g_assert_cmpuint (failed, ==, c->n);
  plan_free (OCT_OPERATION_CS, plan);
  oct_sequence_free (sequence);
  chain_case_free (c);
}

/* Planes that do not fit are an error with a sentence, and nothing is
 * written. */
static void
test_wrong_planes (void)
{
  ChainCase *c = chain_case_new (0);
  guint8 *image;
  OctSequence *sequence;
  OctPlan *plan;
  OctFrame in = { { { c->raw, c->in_stride }, { c->mean, 0 } } }, out;
  guint failed;
  g_autoptr (GError) error = NULL;

  for (guint seed = 1; !c->has_fft || c->n < 3; seed++) {
    chain_case_free (c);
    c = chain_case_new (seed);
  }
  in = (OctFrame){ { { c->raw, c->in_stride }, { c->mean, 0 } } };
  image = g_malloc0 (image_size (c));
  out = image_frame (c, image);
  sequence = sequence_new (c, OCT_OPERATION_LOGSCALE, TRUE);
  plan = plan_new (OCT_OPERATION_LOGSCALE, &c->image);
  in.planes[0].stride = 1;
  g_assert_false (
      oct_sequence_run (sequence, &in, plan, &out, NULL, &failed, &error));
  g_assert_error (error, OCT_ERROR, OCT_ERROR_SETTINGS);
  g_clear_error (&error);
  in.planes[0].stride = c->in_stride;
  out.planes[0].stride = 0;
  g_assert_false (
      oct_sequence_run (sequence, &in, plan, &out, NULL, &failed, &error));
  g_assert_error (error, OCT_ERROR, OCT_ERROR_SETTINGS);
  g_clear_error (&error);
  plan_free (OCT_OPERATION_LOGSCALE, plan);
  out = image_frame (c, image);
  c->image.lines++;
  plan = plan_new (OCT_OPERATION_LOGSCALE, &c->image);
  g_assert_false (
      oct_sequence_run (sequence, &in, plan, &out, NULL, &failed, &error));
  g_assert_error (error, OCT_ERROR, OCT_ERROR_SETTINGS);
  plan_free (OCT_OPERATION_LOGSCALE, plan);
  oct_sequence_free (sequence);
  g_free (image);
  chain_case_free (c);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/fused/rows", test_rows);
  g_test_add_func ("/fused/images", test_images);
  g_test_add_func ("/fused/images/one-by-one", test_images_one_by_one);
  g_test_add_func ("/fused/threads", test_threads);
  g_test_add_func ("/fused/threads/change", test_threads_change);
  g_test_add_func ("/fused/not-finite", test_not_finite);
  g_test_add_func ("/fused/refused", test_refused);
  g_test_add_func ("/fused/sensing", test_sensing);
  g_test_add_func ("/fused/sensing/refused", test_sensing_refused);
  g_test_add_func ("/fused/wrong-planes", test_wrong_planes);
  return g_test_run ();
}
