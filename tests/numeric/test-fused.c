/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The chain in one pass against the same operations one by one, and both
 * against the definitions in double precision, which stand here: sequences with
 * random settings, always the same ones.
 */
#include "numeric.h"
#include "oct-sequence.h"
#include "oct-window.h"

#include <complex.h>
#include <math.h>
#include <string.h>

#define CASES 300
#define MAX_SAMPLES 512

/* What is done; a NULL table: no such step. */
typedef struct {
  guint samples, lines, length, first_bin, bins;
  OctSampleFormat format;
  gboolean has_background, has_resample, has_dispersion, has_fft;
  OctBackgroundMode mode;
  OctResampleMethod method;
  guint upsample;
  OctWindow window_kind;
  gsize in_stride, out_stride, image_stride;
  OctLogscaleParams image;
  double positions[MAX_SAMPLES], phase[MAX_SAMPLES];
  double window[MAX_SAMPLES], stored[MAX_SAMPLES];
  guint8 *raw;  /* [lines][in_stride] */
  guint8 *mean; /* OCT_MEAN_SIZE */
  OctStep *steps[OCT_SEQUENCE_MAX];
  guint n;
} Case;

/* ------------------------------------------------------------------ cases */

static guint
choose (GRand *rand, const guint *values, guint count)
{
  return values[g_rand_int_range (rand, 0, (gint32)count)];
}

#define CHOOSE(rand, ...)                                                      \
  choose (rand, (const guint[]){ __VA_ARGS__ },                                \
      G_N_ELEMENTS (((const guint[]){ __VA_ARGS__ })))

static gboolean
toss (GRand *rand)
{
  return g_rand_boolean (rand);
}

static guint
next_power (guint value)
{
  guint power = 1;

  while (power < value)
    power *= 2;
  return power;
}

static void
fill_tables (Case *c, GRand *rand)
{
  double bend = g_rand_double_range (rand, -0.3, 0.3);

  for (guint i = 0; i < c->samples; i++) {
    double x = c->samples > 1 ? i / (c->samples - 1.0) : 0;
    c->positions[i] = (c->samples - 1) * (x + bend * x * (1 - x));
    /* some beyond the ends, which are clamped, and some in any order */
    if (g_rand_int_range (rand, 0, 20) == 0)
      c->positions[i] = g_rand_double_range (rand, -2, c->samples + 1);
    c->phase[i] = 30 * (x - 0.5) * (x - 0.5);
    c->stored[i] = 90 + 20 * sin (9 * x);
  }
  oct_window_fill (c->window_kind, c->samples, NULL, c->window);
}

static void
fill_raw (Case *c, GRand *rand)
{
  guint values = c->samples * (c->format == OCT_SAMPLE_CF32 ? 2 : 1);

  c->raw = g_malloc0 (c->in_stride * c->lines);
  for (guint line = 0; line < c->lines; line++) {
    guint8 *row = c->raw + line * c->in_stride;
    double phase = g_rand_double_range (rand, 0, 6);
    for (guint i = 0; i < values; i++) {
      double value = 120 + 60 * cos (0.7 * i + phase) + 20 * cos (1.9 * i)
                     + g_rand_double_range (rand, -15, 15);
      if (c->format == OCT_SAMPLE_U8)
        row[i] = (guint8)value;
      else if (c->format == OCT_SAMPLE_U16)
        ((guint16 *)row)[i] = (guint16)(200 * value);
      else
        ((float *)row)[i] = (float)(value - 100);
    }
  }
}

static void
add_step (Case *c, OctOperation operation, gconstpointer params)
{
  g_autoptr (GError) error = NULL;

  c->steps[c->n++] = oct_step_new (operation, params, &error);
  g_assert_no_error (error);
}

static OctBackgroundParams
background_params (const Case *c)
{
  return (OctBackgroundParams){ .format = c->format,
    .samples = c->samples,
    .lines = c->lines,
    .mode = c->mode,
    .found = c->mode == OCT_BACKGROUND_BSCAN,
    .background = c->stored };
}

static void
make_steps (Case *c)
{
  OctBackgroundParams background = background_params (c);
  OctResampleParams resample = { .samples = c->samples,
    .lines = c->lines,
    .method = c->method,
    .upsample = c->upsample,
    .positions = c->positions };
  OctDispersionParams dispersion = {
    .samples = c->samples, .lines = c->lines, .phase = c->phase
  };
  OctFftParams fft = { .format =
                           c->has_dispersion || c->format == OCT_SAMPLE_CF32
                               ? OCT_SAMPLE_CF32
                               : OCT_SAMPLE_F32,
    .samples = c->samples,
    .lines = c->lines,
    .length = c->length,
    .depth_start = c->first_bin,
    .depth_bins = c->bins,
    .window = c->window };

  if (c->has_background)
    add_step (c, OCT_OPERATION_BACKGROUND, &background);
  if (c->has_resample)
    add_step (c, OCT_OPERATION_RESAMPLE, &resample);
  if (c->has_dispersion)
    add_step (c, OCT_OPERATION_DISPERSION, &dispersion);
  if (c->has_fft)
    add_step (c, OCT_OPERATION_FFT, &fft);
}

/* What octdcsub does at once. */
static void
find_mean (Case *c)
{
  OctBackgroundParams params = background_params (c);
  OctFrame in = { { { c->raw, c->in_stride } } }, out = { { { 0 } } };
  OctPlan *plan;

  c->mean = g_malloc (OCT_MEAN_SIZE (c->samples));
  if (!c->has_background || !params.found)
    return;
  params.found = FALSE;
  out.planes[0] = (OctPlane){ c->mean, OCT_MEAN_SIZE (c->samples) };
  plan = plan_new (OCT_OPERATION_MEAN, &params);
  plan_run (OCT_OPERATION_MEAN, plan, &in, &out);
  plan_free (OCT_OPERATION_MEAN, plan);
}

static void
choose_image (Case *c, GRand *rand)
{
  c->image = (OctLogscaleParams){ .depth_bins = c->bins,
    .lines = c->lines,
    .format = CHOOSE (rand, OCT_IMAGE_GRAY8, OCT_IMAGE_GRAY16, OCT_IMAGE_NV12,
        OCT_IMAGE_RGBA),
    .scale = CHOOSE (rand, OCT_SCALE_LOG, OCT_SCALE_LINEAR),
    .range =
        CHOOSE (rand, OCT_RANGE_AUTO, OCT_RANGE_MANUAL, OCT_RANGE_CONTRAST),
    .range_smoothing = 0.5 };
  c->image.min = c->image.scale == OCT_SCALE_LOG ? 10 : 100;
  c->image.max = c->image.scale == OCT_SCALE_LOG ? 70 : 1e6;
  c->image_stride = ((gsize)c->lines + 1) / 2 * 2 * 4 + 4 * CHOOSE (rand, 0, 9);
}

static Case *
case_new (guint seed)
{
  GRand *rand = g_rand_new_with_seed (seed);
  Case *c = g_new0 (Case, 1);

  c->samples = CHOOSE (
      rand, 2, 3, 16, 31, 64, 97, 100, 128, 200, 256, 257, 300, 384, 512);
  c->lines = CHOOSE (rand, 1, 15, 16, 17, 75);
  c->format = CHOOSE (
      rand, OCT_SAMPLE_U8, OCT_SAMPLE_U16, OCT_SAMPLE_F32, OCT_SAMPLE_CF32);
  c->has_background = c->format == OCT_SAMPLE_U8 || c->format == OCT_SAMPLE_U16
                      || (c->format == OCT_SAMPLE_F32 && toss (rand));
  c->has_resample = c->format != OCT_SAMPLE_CF32 && toss (rand);
  c->has_dispersion = c->format != OCT_SAMPLE_CF32 && toss (rand);
  c->has_fft = g_rand_int_range (rand, 0, 4) > 0
               || !(c->has_background || c->has_resample || c->has_dispersion);
  c->mode = CHOOSE (
      rand, OCT_BACKGROUND_BSCAN, OCT_BACKGROUND_STORED, OCT_BACKGROUND_NONE);
  c->method = CHOOSE (
      rand, OCT_RESAMPLE_CUBIC, OCT_RESAMPLE_LINEAR, OCT_RESAMPLE_LANCZOS);
  c->upsample = CHOOSE (rand, 1, 1, 2);
  c->window_kind = (OctWindow)g_rand_int_range (rand, 0, OCT_N_WINDOWS);
  c->length = choose (rand,
      (const guint[]){ c->samples, c->samples, next_power (c->samples),
          2 * c->samples, c->samples + 17 },
      5);
  c->bins = toss (rand)
                ? c->length / 2
                : (guint)g_rand_int_range (rand, 1, (gint)c->length / 2 + 1);
  c->first_bin =
      (guint)g_rand_int_range (rand, 0, (gint)(c->length / 2 - c->bins) + 1);
  c->in_stride = c->samples * oct_sample_format_size (c->format)
                 + 8 * CHOOSE (rand, 0, 0, 1, 5);
  choose_image (c, rand);
  fill_tables (c, rand);
  fill_raw (c, rand);
  find_mean (c);
  make_steps (c);
  if (!c->has_fft)
    c->bins = c->samples;
  c->out_stride = c->bins * (c->has_fft || c->has_dispersion ? 8 : 4)
                  + 8 * CHOOSE (rand, 0, 0, 1, 5);
  g_rand_free (rand);
  return c;
}

static void
case_free (Case *c)
{
  for (guint i = 0; i < c->n; i++)
    oct_step_unref (c->steps[i]);
  g_free (c->raw);
  g_free (c->mean);
  g_free (c);
}

/* ------------------------------------------------ the definitions, in double
 */

static double
raw_value (const Case *c, guint line, guint i)
{
  const guint8 *row = c->raw + line * c->in_stride;

  if (c->format == OCT_SAMPLE_U8)
    return row[i];
  if (c->format == OCT_SAMPLE_U16)
    return ((const guint16 *)row)[i];
  return ((const float *)row)[i];
}

static void
exact_background (const Case *c, double *spectra)
{
  for (guint i = 0; i < c->samples; i++) {
    double removed = 0;

    if (c->has_background && c->mode == OCT_BACKGROUND_BSCAN)
      for (guint line = 0; line < c->lines; line++)
        removed += raw_value (c, line, i) / c->lines;
    else if (c->has_background && c->mode == OCT_BACKGROUND_STORED)
      removed = c->stored[i];
    for (guint line = 0; line < c->lines; line++)
      spectra[line * c->samples + i] = raw_value (c, line, i) - removed;
  }
}

/* Second derivatives / 6 of the natural spline. */
static void
exact_moments (const double *y, guint n, double *moments)
{
  double factors[2 * MAX_SAMPLES] = { 0 };

  memset (moments, 0, n * sizeof *moments);
  for (guint i = 1; i + 1 < n; i++) {
    factors[i] = 1 / (4 - factors[i - 1]);
    moments[i] = factors[i] * (y[i - 1] - 2 * y[i] + y[i + 1] - moments[i - 1]);
  }
  for (guint i = n - 1; i-- > 1;)
    moments[i] -= factors[i] * moments[i + 1];
}

static double
exact_lanczos (const double *y, guint n, double position)
{
  gint base = (gint)floor (position);
  double sum = 0, total = 0;

  for (gint i = base - 3; i <= base + 4; i++) {
    double x = G_PI * (position - i);
    double weight = x == 0                ? 1
                    : fabs (x) < 4 * G_PI ? 4 * sin (x) * sin (x / 4) / (x * x)
                                          : 0;

    if (i < 0 || i >= (gint)n)
      continue;
    sum += weight * y[i];
    total += weight;
  }
  return sum / total;
}

/* Twice as many samples by zero padding of the transform, the bin of half the
 * length halved. */
static void
exact_upsample (const double *y, guint n, double *fine)
{
  complex double bins[MAX_SAMPLES / 2 + 1], turns[2 * MAX_SAMPLES];

  for (guint i = 0; i < 2 * n; i++)
    turns[i] = cexp (G_PI * I * i / n);
  for (guint q = 0; q <= n / 2; q++) {
    bins[q] = 0;
    for (guint i = 0; i < n; i++)
      bins[q] += y[i] * conj (turns[2 * (q * i % n)]) / n;
    if (q > 0 && 2 * q < n)
      bins[q] *= 2;
  }
  for (guint i = 0; i < 2 * n; i++) {
    fine[i] = 0;
    for (guint q = 0; q <= n / 2; q++)
      fine[i] += creal (bins[q] * turns[q * i % (2 * n)]);
  }
}

static void
exact_resample (const Case *c, double *samples)
{
  guint n = c->samples * c->upsample;
  double y[2 * MAX_SAMPLES], m[2 * MAX_SAMPLES];

  if (c->upsample == 2)
    exact_upsample (samples, c->samples, y);
  else
    memcpy (y, samples, n * sizeof *y);
  exact_moments (y, n, m);
  for (guint j = 0; j < c->samples; j++) {
    double position = c->upsample * CLAMP (c->positions[j], 0, c->samples - 1);
    guint base = MIN ((guint)position, n - 2);
    double f = position - base, g = 1 - f;

    if (c->method == OCT_RESAMPLE_LANCZOS)
      samples[j] = exact_lanczos (y, n, position);
    else
      samples[j] = g * y[base] + f * y[base + 1];
    if (c->method == OCT_RESAMPLE_CUBIC)
      samples[j] += (g * g * g - g) * m[base] + (f * f * f - f) * m[base + 1];
  }
}

static void
exact_fft (const Case *c, const complex double *spectrum, complex double *out)
{
  g_autofree complex double *turns = g_new (complex double, c->length);

  for (guint i = 0; i < c->length; i++)
    turns[i] = cexp (-2 * G_PI * I * i / c->length);
  for (guint q = 0; q < c->bins; q++) {
    complex double sum = 0;
    guint64 bin = c->first_bin + q;

    for (guint i = 0; i < c->samples; i++)
      sum += c->window[i] * spectrum[i] * turns[bin * i % c->length];
    out[q] = sum / sqrt (c->samples);
  }
}

/* Square of the norm of what is transformed, in all bins of the transform
 * together. */
static double
energy (const Case *c, const complex double *spectrum)
{
  double sum = 0;

  for (guint i = 0; i < c->samples; i++)
    sum += pow (cabs (spectrum[i]) * (c->has_fft ? c->window[i] : 1), 2);
  return c->has_fft ? sum * c->length / c->samples : sum;
}

/* [lines][bins], of which the imaginary parts are 0 where rows are real.
 * `level`: the norm of so many values on the average of all bins: rounding
 * errors of strong bins are in all of them. */
static complex double *
exact_rows (const Case *c, double *level)
{
  gboolean is_complex = c->format == OCT_SAMPLE_CF32;
  complex double *rows = g_new (complex double, c->lines * c->bins);
  g_autofree double *spectra = g_new (double, c->lines * c->samples);
  complex double spectrum[MAX_SAMPLES];

  *level = 0;
  if (!is_complex)
    exact_background (c, spectra);
  for (guint line = 0; line < c->lines; line++) {
    double *real = spectra + line * c->samples;

    if (c->has_resample)
      exact_resample (c, real);
    for (guint i = 0; i < c->samples; i++) {
      spectrum[i] = is_complex ? raw_value (c, line, 2 * i)
                                     + I * raw_value (c, line, 2 * i + 1)
                               : real[i];
      if (c->has_dispersion)
        spectrum[i] *= cexp (I * c->phase[i]);
    }
    if (c->has_fft)
      exact_fft (c, spectrum, rows + line * c->bins);
    else
      memcpy (rows + line * c->bins, spectrum, c->bins * sizeof *rows);
    *level += energy (c, spectrum);
  }
  *level = sqrt (*level * c->bins / (c->has_fft ? c->length : c->samples));
  return rows;
}

/* ----------------------------------------------------------------- running */

static OctSequence *
sequence_new (const Case *c, OctOperation last, gboolean fuse)
{
  g_autoptr (GError) error = NULL;
  OctSequence *sequence;
  guint failed;

  if (!fuse)
    g_setenv ("OCT_FUSE", "0", TRUE);
  sequence = oct_sequence_new (
      oct_backend_cpu (), c->steps, c->n, last, &failed, &error);
  g_unsetenv ("OCT_FUSE");
  g_assert_no_error (error);
  return sequence;
}

static void
run (OctSequence *sequence, const Case *c, OctPlan *last, const OctFrame *out)
{
  g_autoptr (GError) error = NULL;
  OctFrame in = { { { c->raw, c->in_stride }, { c->mean, 0 } } };
  guint failed;

  oct_sequence_run (sequence, &in, last, out, NULL, &failed, &error);
  g_assert_no_error (error);
}

/* Rows of all lines. */
static guint8 *
run_rows (const Case *c, gboolean fuse)
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
image_frame (const Case *c, guint8 *image)
{
  return (OctFrame){ { { image, c->image_stride },
      { image + c->image_stride * c->bins, c->image_stride } } };
}

static gsize
image_size (const Case *c)
{
  return c->image_stride * (c->bins + (c->bins + 1) / 2);
}

/* Two images of the same B-scan, the second with the history of the first. */
static guint8 *
run_image (const Case *c, gboolean fuse)
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
image_of_rows (const Case *c, guint8 *rows)
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
row_value (const Case *c, const guint8 *rows, guint line, guint i)
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
distance (const Case *c, const guint8 *rows, const complex double *wanted,
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
distance_of_rows (const Case *c, const guint8 *a, const guint8 *b, double level)
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
    Case *c = case_new (seed);
    g_autofree complex double *wanted = exact_rows (c, &level);
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
    case_free (c);
  }
  g_test_message ("largest error %.2g", worst);
}

/* Images of the same A-scans: the same, but for sums in another order. */
static void
test_images (void)
{
  for (guint seed = 0; seed < CASES; seed++) {
    Case *c = case_new (seed);
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
    case_free (c);
  }
}

/* Grey levels of the whole chain. */
static void
test_images_one_by_one (void)
{
  guint all = 0, others = 0;

  for (guint seed = 0; seed < CASES; seed++) {
    Case *c = case_new (seed);

    if (c->has_fft && c->image.format != OCT_IMAGE_GRAY16
        && !(c->mode == OCT_BACKGROUND_BSCAN && c->lines == 1)) {
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
    case_free (c);
  }
  g_test_message ("%u of %u differ", others, all);
  g_assert_cmpuint (others, <=, all / 1000);
}

/* The same bits from any number of threads. */
static void
test_threads (void)
{
  for (guint seed = 0; seed < CASES; seed += 7) {
    Case *c = case_new (seed);
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
    case_free (c);
  }
}

/* Fewer threads than the plan was made for, and more. */
static void
test_threads_change (void)
{
  Case *c = case_new (1);
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
  case_free (c);
}

/* A value that is no finite number spoils its own A-line and nothing of the
 * others, also in the B-scan that comes next. */
static void
test_not_finite (void)
{
  static const float values[] = { NAN, INFINITY, -INFINITY };
  guint tested = 0;

  for (guint seed = 0; seed < CASES; seed++) {
    Case *c = case_new (seed);
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
    case_free (c);
  }
  g_assert_cmpuint (tested, >, 10);
}

static gboolean
is_fused (OctStep *const *steps, guint n, OctOperation last)
{
  guint failed;
  g_autoptr (GError) error = NULL;
  OctSequence *sequence =
      oct_sequence_new (oct_backend_cpu (), steps, n, last, &failed, &error);
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
  Case *c = case_new (0);
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
  OctStep *steps[4];

  for (guint i = 0; i < c->n; i++)
    oct_step_unref (c->steps[i]);
  c->n = 0;
  for (guint i = 0; i < c->samples; i++)
    c->stored[i] = i;
  add_step (c, OCT_OPERATION_RESAMPLE, &resample);
  add_step (c, OCT_OPERATION_DISPERSION, &dispersion);
  add_step (c, OCT_OPERATION_FFT, &fft);
  add_step (c, OCT_OPERATION_NUDFT, &nufft);
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
  case_free (c);
}

/* What does not fit is an error with a sentence, and nothing is written. */
static void
test_wrong_planes (void)
{
  Case *c = case_new (0);
  guint8 *image;
  OctSequence *sequence;
  OctPlan *plan;
  OctFrame in = { { { c->raw, c->in_stride }, { c->mean, 0 } } }, out;
  guint failed;
  g_autoptr (GError) error = NULL;

  for (guint seed = 1; !c->has_fft || c->n < 3; seed++) {
    case_free (c);
    c = case_new (seed);
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
  case_free (c);
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
  g_test_add_func ("/fused/wrong-planes", test_wrong_planes);
  return g_test_run ();
}
