/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The non-uniform transforms beside the reference: what gridding
 * loses, symmetry, equality with the FFT, nodes that change, and
 * what is refused.
 */
#include "numeric.h"
#include "oct-nufft.h"
#include "oct-window.h"
#include "gridding-errors.h"

#include <math.h>
#include <string.h>

#define LINES 5u

/* Wavenumbers of a spectrometer linear in wavelength, as positions on their
 * uniform axis: rising. */
static double *
spectrometer_nodes (guint samples, double nm_min, double nm_max)
{
  double *nodes = g_new (double, samples);
  double low = 1 / nm_max, high = 1 / nm_min;

  for (guint n = 0; n < samples; n++) {
    double nm = nm_max + (nm_min - nm_max) * n / (samples - 1);
    nodes[n] = (1 / nm - low) / (high - low) * (samples - 1);
  }
  return nodes;
}

static float *
random_values (guint count, guint32 seed)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (seed);
  float *values = g_new (float, count);

  /* the sum of twelve is nearly a normal distribution */
  for (guint i = 0; i < count; i++) {
    double sum = -6;
    for (guint k = 0; k < 12; k++)
      sum += g_rand_double (random);
    values[i] = (float)sum;
  }
  return values;
}

/* [lines] rows of in_row floats to as many of out_row */
static float *
run (OctOperation operation, const OctNufftParams *params, const float *in,
    guint in_row, guint out_row)
{
  float *out = g_new (float, (gsize)params->lines *out_row);
  OctFrame from = { { { (gpointer)in, in_row * sizeof (float) } } };
  OctFrame to = { { { out, out_row * sizeof (float) } } };
  OctPlan *plan = plan_new (operation, params);

  plan_run (operation, plan, &from, &to);
  plan_free (operation, plan);
  return out;
}

static double
difference (const float *a, const float *b, guint count)
{
  double error = 0, power = 0;

  for (guint i = 0; i < count; i++) {
    error += ((double)a[i] - b[i]) * ((double)a[i] - b[i]);
    power += (double)b[i] * b[i];
  }
  return sqrt (error / power);
}

/* One kernel, oversampling and width against the exact transform: within 20 %
 * of the error of the reference, and for the float32 of both 3e-7 (found:
 * 1.4e-7 and 1.8e-7), with weights computed in it 1.3e-6. */
static void
check_gridding (
    guint i, const OctNufftParams *base, const float *in, const float *exact)
{
  double rounding = base->weights == OCT_WEIGHTS_PRECOMPUTED ? 3e-7 : 1.3e-6;
  OctNufftParams params = *base;
  guint bins = params.depth_bins;
  double expected = gridding_errors[i].error, error;
  g_autofree float *found = NULL;

  params.kernel = gridding_errors[i].kernel;
  params.grid =
      oct_nufft_grid_length (params.samples, gridding_errors[i].oversampling);
  params.width = gridding_errors[i].width;
  found = run (OCT_OPERATION_NUFFT, &params, in, params.samples, 2 * bins);
  error = difference (found, exact, 2 * bins * params.lines);
  g_test_message ("kernel %d, oversampling %g, width %u: %.3g, reference %.3g",
      params.kernel, gridding_errors[i].oversampling, params.width, error,
      expected);
  g_assert_cmpfloat (error, <, 1.2 * expected + rounding);
  g_assert_cmpfloat (error, >, 0.8 * expected - rounding);
}

static void
test_gridding (gconstpointer weights)
{
  const guint samples = 2048, bins = 1024, lines = 8;
  g_autofree double *nodes = spectrometer_nodes (samples, 725, 965);
  g_autofree double *window = g_new (double, samples);
  g_autofree float *in = random_values (samples * lines, 3);
  g_autofree float *exact = NULL;
  OctNufftParams params = { .format = OCT_SAMPLE_F32,
    .samples = samples,
    .lines = lines,
    .depth_bins = bins,
    .weights = (OctWeights)GPOINTER_TO_INT (weights),
    .nodes = nodes,
    .window = window };

  oct_window_fill (OCT_WINDOW_NONE, samples, NULL, window);
  exact = run (OCT_OPERATION_NUDFT, &params, in, samples, 2 * bins);
  for (guint i = 0; i < G_N_ELEMENTS (gridding_errors); i++)
    check_gridding (i, &params, in, exact);
}

/* Real spectra as complex ones: a[-q] is the conjugate of a[q], and a[q] that
 * of the real transform. */
static void
test_hermitian (void)
{
  const guint samples = 200, bins = 200;
  g_autofree double *nodes = spectrometer_nodes (samples, 800, 890);
  g_autofree double *window = g_new (double, samples);
  g_autofree float *y = random_values (samples * LINES, 7);
  g_autofree float *pairs = g_new0 (float, 2 * samples * LINES);
  OctNufftParams params = { .format = OCT_SAMPLE_CF32,
    .samples = samples,
    .lines = LINES,
    .depth_start = -100,
    .depth_bins = bins,
    .width = 4,
    .grid = 400,
    .nodes = nodes,
    .window = window };

  oct_window_fill (OCT_WINDOW_HANN, samples, nodes, window);
  for (guint i = 0; i < samples * LINES; i++)
    pairs[2 * i] = y[i];
  for (guint exact = 0; exact < 2; exact++) {
    OctOperation operation = exact ? OCT_OPERATION_NUDFT : OCT_OPERATION_NUFFT;
    OctNufftParams half = params;
    g_autofree float *a =
        run (operation, &params, pairs, 2 * samples, 2 * bins);
    g_autofree float *real = NULL;
    half.format = OCT_SAMPLE_F32;
    half.depth_start = 0;
    half.depth_bins = 100;
    real = run (operation, &half, y, samples, 200);
    for (guint line = 0; line < LINES; line++) {
      const float *row = a + (gsize)line * 2 * bins;
      for (gint q = -99; q <= 99; q++) {
        for (gint part = 0; part < 2; part++) {
          float value = row[2 * (q + 100) + part];
          float mirror = row[2 * (100 - q) + part] * (part ? -1 : 1);
          g_assert_cmpfloat (fabs (value - mirror), <, 2e-6);
          if (q >= 0)
            g_assert_cmpfloat (
                fabs (value - real[(gsize)line * 200 + 2 * q + part]), <, 2e-6);
        }
      }
    }
  }
}

/* ----------------------------------------------------------------- ghosts */

/* A complex spectrum [samples] of one mirror at depth bin `depth`. */
static float *
mirror_spectrum (const double *nodes, guint samples, double depth)
{
  float *y = g_new (float, 2 * samples);

  for (guint n = 0; n < samples; n++) {
    double turn = nodes[n] * depth / samples;
    y[2 * n] = (float)cos (2 * G_PI * (turn - rint (turn)));
    y[2 * n + 1] = (float)sin (2 * G_PI * (turn - rint (turn)));
  }
  return y;
}

/* The largest difference from the exact transform, and the largest value of
 * this one more than an eighth of the samples away from the mirror, in dB of
 * the mirror's peak. */
static void
measure_ghosts (
    const OctNufftParams *p, double depth, double *added, double *away)
{
  guint bins = p->depth_bins;
  g_autofree float *y = mirror_spectrum (p->nodes, p->samples, depth);
  g_autofree float *found =
      run (OCT_OPERATION_NUFFT, p, y, 2 * p->samples, 2 * bins);
  g_autofree float *exact =
      run (OCT_OPERATION_NUDFT, p, y, 2 * p->samples, 2 * bins);
  double peak = 0, differs = 0, shows = 0;

  for (guint n = 0; n < p->samples; n++)
    peak += p->window[n] / sqrt (p->samples);
  for (guint i = 0; i < bins; i++) {
    const float *a = found + 2 * i, *b = exact + 2 * i;
    differs = MAX (differs, hypot ((double)a[0] - b[0], (double)a[1] - b[1]));
    if (fabs (p->depth_start + (double)i - depth) > p->samples / 8.0)
      shows = MAX (shows, hypot (a[0], a[1]));
  }
  *added = 20 * log10 (differs / peak + 1e-12);
  *away = 20 * log10 (shows / peak + 1e-12);
}

/* Complex spectra of one mirror, at depths of either sign, shown and not.  A
 * mirror lies within half the samples of 0, and on a grid of as many cells as
 * samples no other depth of a half is one with it.  The remaining ghost is the
 * copy of the mirror that sampling itself makes a whole number of samples away,
 * smeared over the more depths the less even the nodes are, times the
 * transmission of the kernel there: at the edge of B depths ghat (M - B/2) /
 * ghat (B/2). That is the limit of the row, for all depths (M/B = 2) and for
 * 100 of 256 (5.1), with some dB of smear left in hand; a grid of 1.25 B cells
 * is above all of them (20 to 77 dB down where these are 36 to 112). */
static void
test_ghosts (gconstpointer data)
{
  static const struct {
    OctKernel kernel;
    double oversampling;
    guint width;
    double whole, part; /* dB */
  } settings[] = { { OCT_KERNEL_KAISER_BESSEL, 1.25, 6, -100, -100 },
    { OCT_KERNEL_KAISER_BESSEL, 1.25, 4, -70, -90 },
    { OCT_KERNEL_KAISER_BESSEL, 2, 4, -70, -90 },
    { OCT_KERNEL_KAISER_BESSEL, 1.25, 2, -32, -40 },
    { OCT_KERNEL_GAUSSIAN, 1.25, 6, -64, -82 } };
  static const double depths[] = { -0.43, -0.31, -0.2, -0.05, 0.02, 0.1, 0.22,
    0.35, 0.43 };
  const guint samples = 512;
  gboolean wide = GPOINTER_TO_INT (data);
  g_autofree double *nodes =
      spectrometer_nodes (samples, wide ? 725 : 800, wide ? 965 : 880);
  g_autofree double *window = g_new (double, samples);

  oct_window_fill (OCT_WINDOW_HANN, samples, nodes, window);
  for (guint i = 0; i < 2 * G_N_ELEMENTS (settings); i++) {
    guint k = i / 2;
    gboolean part = i % 2;
    OctNufftParams params = { .format = OCT_SAMPLE_CF32,
      .samples = samples,
      .lines = 1,
      .depth_start = part ? 60 : 0,
      .depth_bins = part ? 100 : samples / 2,
      .kernel = settings[k].kernel,
      .grid = oct_nufft_grid_length (samples, settings[k].oversampling),
      .width = settings[k].width,
      .nodes = nodes,
      .window = window };
    double limit = part ? settings[k].part : settings[k].whole;
    double worst = -300, worst_away = -300, added, away;

    for (guint m = 0; m < G_N_ELEMENTS (depths); m++) {
      measure_ghosts (&params, depths[m] * samples, &added, &away);
      worst = MAX (worst, added);
      /* the copy begins 0.91 of the samples deeper, where they are densest */
      if (depths[m] > -0.35)
        worst_away = MAX (worst_away, away);
    }
    g_test_message ("kernel %d, %g, width %u, %u depths: %.1f, away %.1f dB",
        params.kernel, settings[k].oversampling, params.width,
        params.depth_bins, worst, worst_away);
    g_assert_cmpfloat (worst, <, limit);
    /* the exact transform of a narrow spectrum has no copy there either */
    if (!wide && k == 0)
      g_assert_cmpfloat (worst_away, <, -100);
  }
}

/* Uniform nodes, rising and falling, give the FFT, to rounding. */
static void
test_uniform (gconstpointer format)
{
  static const guint sizes[] = { 128, 101, 2048, 2 };

  for (guint i = 0; i < 2 * G_N_ELEMENTS (sizes); i++) {
    guint samples = sizes[i / 2], bins = samples / 2;
    guint parts = GPOINTER_TO_INT (format) == OCT_SAMPLE_CF32 ? 2 : 1;
    guint row = samples * parts;
    g_autofree double *nodes = g_new (double, samples);
    g_autofree double *window = g_new (double, samples);
    g_autofree float *in = random_values (row * LINES, 8);
    g_autofree float *rising = g_new (float, row *LINES);
    g_autofree float *found = NULL;
    g_autofree float *expected = g_new (float, 2 * bins * LINES);
    OctNufftParams params = { .format = GPOINTER_TO_INT (format),
      .samples = samples,
      .lines = LINES,
      .depth_bins = bins,
      .grid = oct_nufft_grid_length (samples, 1.25),
      .width = 6,
      .nodes = nodes,
      .window = window };
    OctFftParams fft = { .format = params.format,
      .samples = samples,
      .lines = LINES,
      .length = samples,
      .depth_bins = bins,
      .window = window };
    OctFrame from = { { { rising, row * sizeof (float) } } };
    OctFrame to = { { { expected, 2 * bins * sizeof (float) } } };
    OctPlan *plan;

    /* symmetric, so that it serves both directions; 1e-9: as from a file */
    oct_window_fill (OCT_WINDOW_HAMMING, samples, NULL, window);
    for (guint n = 0; n < samples; n++) {
      guint place = i % 2 ? samples - 1 - n : n;
      nodes[n] = place + 1e-9 * sin (n);
      for (guint line = 0; line < LINES; line++)
        memcpy (rising + (gsize)line * row + place * parts,
            in + (gsize)line * row + n * parts, parts * sizeof (float));
    }
    found = run (OCT_OPERATION_NUFFT, &params, in, row, 2 * bins);
    plan = plan_new (OCT_OPERATION_FFT, &fft);
    plan_run (OCT_OPERATION_FFT, plan, &from, &to);
    plan_free (OCT_OPERATION_FFT, plan);
    g_assert_cmpfloat (difference (found, expected, 2 * bins * LINES), <, 5e-7);
  }
}

/* Nodes that are nearly uniform, by more than OCT_NUFFT_UNIFORM, are not taken
 * for uniform, which would show in the A-scans; those that differ by less are,
 * and give those of whole numbers, bit for bit. */
static void
test_nearly_uniform (gconstpointer format)
{
  const guint samples = 128;
  const double near[] = { 5e-3, 1e-5, 0.9 * OCT_NUFFT_UNIFORM, 0 };
  gboolean is_complex = GPOINTER_TO_INT (format) == OCT_SAMPLE_CF32;
  guint bins = is_complex ? samples : samples / 2;
  guint row = samples * (is_complex ? 2 : 1);
  g_autofree double *nodes = g_new (double, samples);
  g_autofree double *window = g_new (double, samples);
  g_autofree float *in = random_values (row * LINES, 12);
  g_autofree float *last = NULL;
  OctNufftParams params = { .format = GPOINTER_TO_INT (format),
    .samples = samples,
    .lines = LINES,
    .depth_start = is_complex ? -(gint)(samples / 2) : 0,
    .depth_bins = bins,
    .grid = oct_nufft_grid_length (samples, 2),
    .width = 8,
    .nodes = nodes,
    .window = window };

  oct_window_fill (OCT_WINDOW_NONE, samples, NULL, window);
  for (guint i = 0; i < G_N_ELEMENTS (near); i++) {
    gboolean uniform = near[i] < OCT_NUFFT_UNIFORM;
    g_autofree float *found = NULL, *exact = NULL;
    for (guint n = 0; n < samples; n++)
      nodes[n] = n + near[i] * sin (n);
    nodes[0] = 0; /* within the axis */
    nodes[samples - 1] = samples - 1;
    g_assert_cmpuint (
        oct_nufft_grid_of (&params), ==, uniform ? samples : params.grid);
    found = run (OCT_OPERATION_NUFFT, &params, in, row, 2 * bins);
    exact = run (OCT_OPERATION_NUDFT, &params, in, row, 2 * bins);
    g_test_message (
        "%g: %.2g", near[i], difference (found, exact, 2 * bins * LINES));
    /* single precision, and 2 pi / 2 times the distance at the edge */
    g_assert_cmpfloat (difference (found, exact, 2 * bins * LINES), <,
        uniform ? 2e-6 + G_PI * near[i] : 2e-6);
    if (last != NULL && uniform)
      g_assert_cmpmem (found, 2 * bins * LINES * sizeof (float), last,
          2 * bins * LINES * sizeof (float));
    if (uniform) {
      g_free (last);
      last = g_steal_pointer (&found);
    }
  }
}

/* A plan that is updated with other nodes gives the results of a new one for
 * them: jitter, other directions, more periods, uniform and back, and crowded
 * at the end, where a kernel reaches more samples than there was room for with
 * the previous nodes; and nothing is left of the NaNs in the B-scan before. */
static void
test_update (gconstpointer data)
{
  OctOperation operation = GPOINTER_TO_INT (data);
  const OctOperationTable *table = operation_table (operation);
  const guint samples = 96, bins = 20;
  guint in_row = samples, out_row = 2 * bins;
  g_autoptr (GRand) random = g_rand_new_with_seed (9);
  g_autofree double *nodes = spectrometer_nodes (samples, 800, 890);
  g_autofree double *window = g_new (double, samples);
  g_autofree float *in = random_values (in_row * LINES, 10);
  g_autofree float *bad = g_new (float, in_row *LINES);
  g_autofree float *found = g_new (float, out_row *LINES);
  OctNufftParams params = { .format = OCT_SAMPLE_F32,
    .samples = samples,
    .lines = LINES,
    .depth_bins = bins,
    .grid = oct_nufft_grid_length (samples, 1.5),
    .width = 5,
    .nodes = nodes,
    .window = window };
  OctFrame from = { { { in, in_row * sizeof (float) } } };
  OctFrame bad_from = { { { bad, in_row * sizeof (float) } } };
  OctFrame to = { { { found, out_row * sizeof (float) } } };
  OctPlan *plan;
  guint kept = 0;

  for (guint i = 0; i < in_row * LINES; i++)
    bad[i] = NAN;
  oct_window_fill (OCT_WINDOW_HANN, samples, nodes, window);
  plan = plan_new (operation, &params);
  for (guint turn = 0; turn < 12; turn++) {
    g_autofree float *expected = NULL;
    double stretch = turn == 8 ? 2.5 : 1, sign = turn % 4 == 3 ? -1 : 1;

    params.weights =
        turn % 2 ? OCT_WEIGHTS_ON_THE_FLY : OCT_WEIGHTS_PRECOMPUTED;
    params.depth_start = 7 * (gint)(turn % 5);
    for (guint n = 0; n < samples; n++) {
      double x = turn == 5 ? n : n + 0.4 * g_rand_double (random);
      if (turn == 10)
        x = (samples - 1)
            - (samples - 1 - n) * (samples - 1.0 - n) / (samples - 1);
      nodes[n] = sign * stretch * x + (sign < 0 ? samples - 1 : 0);
    }
    plan_run (operation, plan, &bad_from, &to);
    if (table->update (plan, &params)) {
      kept++;
    } else {
      plan_free (operation, plan);
      plan = plan_new (operation, &params);
    }
    plan_run (operation, plan, &from, &to);
    expected = run (operation, &params, in, in_row, out_row);
    g_assert_cmpmem (found, out_row * LINES * sizeof (float), expected,
        out_row * LINES * sizeof (float));
  }
  /* all but those with another grid */
  g_assert_cmpint (kept, >=, 9);
  nodes[7] = NAN;
  g_assert_false (table->update (plan, &params));
  plan_free (operation, plan);
}

/* A calibration that becomes uniform and ceases to be: the factors are those of
 * another transform, though a kernel one cell wide on a grid of as many cells
 * as samples leaves every size as it is. */
static void
test_uniform_and_back (void)
{
  const guint samples = 96, bins = 48;
  const OctOperationTable *table = operation_table (OCT_OPERATION_NUFFT);
  g_autofree double *curved = spectrometer_nodes (samples, 800, 890);
  g_autofree double *uniform = g_new (double, samples);
  g_autofree double *window = g_new (double, samples);

  oct_window_fill (OCT_WINDOW_NONE, samples, NULL, window);
  for (guint n = 0; n < samples; n++)
    uniform[n] = n;
  for (OctSampleFormat format = OCT_SAMPLE_F32; format <= OCT_SAMPLE_CF32;
       format++) {
    guint row = samples * (format == OCT_SAMPLE_CF32 ? 2 : 1);
    g_autofree float *in = random_values (row * LINES, 11);
    g_autofree float *found = g_new (float, 2 * bins * LINES);
    OctFrame from = { { { in, row * sizeof (float) } } };
    OctFrame to = { { { found, 2 * bins * sizeof (float) } } };
    OctNufftParams params = { .format = format,
      .samples = samples,
      .lines = LINES,
      /* around 0, where nothing is shifted either way */
      .depth_start = format == OCT_SAMPLE_CF32 ? -(gint)(bins / 2) : 0,
      .depth_bins = bins,
      .kernel = OCT_KERNEL_GAUSSIAN,
      .grid = samples,
      .width = 1,
      .nodes = uniform,
      .window = window };
    OctPlan *plan = plan_new (OCT_OPERATION_NUFFT, &params);

    for (guint turn = 0; turn < 4; turn++) {
      g_autofree float *expected = NULL;
      params.nodes = turn % 2 ? curved : uniform;
      if (!table->update (plan, &params)) {
        plan_free (OCT_OPERATION_NUFFT, plan);
        plan = plan_new (OCT_OPERATION_NUFFT, &params);
      }
      plan_run (OCT_OPERATION_NUFFT, plan, &from, &to);
      expected = run (OCT_OPERATION_NUFFT, &params, in, row, 2 * bins);
      g_assert_cmpmem (found, 2 * bins * LINES * sizeof (float), expected,
          2 * bins * LINES * sizeof (float));
    }
    plan_free (OCT_OPERATION_NUFFT, plan);
  }
}

static void
expect_error (const OctNufftParams *params, gboolean gridded, const char *text)
{
  OctOperation operation = gridded ? OCT_OPERATION_NUFFT : OCT_OPERATION_NUDFT;
  g_autoptr (GError) error = NULL;

  g_assert_null (operation_table (operation)->create (params, &error));
  g_assert_error (error, OCT_ERROR, OCT_ERROR_SETTINGS);
  if (strstr (error->message, text) == NULL)
    g_error ("'%s' does not say '%s'", error->message, text);
}

static void
test_errors (void)
{
  enum { SAMPLES = 64 };
  double nodes[SAMPLES], broken[SAMPLES], window[SAMPLES], other[SAMPLES];
  OctNufftParams good = { .format = OCT_SAMPLE_F32,
    .samples = SAMPLES,
    .lines = LINES,
    .depth_bins = SAMPLES / 2,
    .width = 5,
    .grid = 96,
    .nodes = nodes,
    .window = window };

  for (guint n = 0; n < SAMPLES; n++) {
    nodes[n] = 0.9 * n + 0.001 * n * n;
    window[n] = other[n] = 1;
  }
  other[3] = INFINITY;
#define EXPECT(gridded, text, ...)                                             \
  do {                                                                         \
    OctNufftParams params = good;                                              \
    memcpy (broken, nodes, sizeof broken);                                     \
    __VA_ARGS__;                                                               \
    expect_error (&params, gridded, text);                                     \
  } while (0)
  for (guint gridded = 0; gridded < 2; gridded++) {
    EXPECT (gridded, "0 values", params.samples = 0);
    EXPECT (gridded, "x 0 A-lines", params.lines = 0);
    EXPECT (gridded, "format 1", params.format = OCT_SAMPLE_U16);
    EXPECT (gridded, "0 depth bins", params.depth_bins = 0);
    EXPECT (gridded, "33 depth bins from bin 0", params.depth_bins = 33);
    EXPECT (gridded, "from bin 1 on", params.depth_start = 1);
    EXPECT (gridded, "from bin -1 on", params.depth_start = -1);
    EXPECT (gridded, "from bin -33 on", params.depth_start = -33;
            params.format = OCT_SAMPLE_CF32);
    EXPECT (gridded, "axis is missing", params.nodes = NULL);
    EXPECT (gridded, "window is missing", params.window = NULL);
    EXPECT (gridded, "sample 3 of 64", params.window = other);
    EXPECT (gridded, "sample 9 of 64", params.nodes = broken; broken[9] = NAN);
    EXPECT (gridded, "samples 9 and 10", params.nodes = broken;
            broken[10] = broken[9]);
    EXPECT (gridded, "samples 19 and 20", params.nodes = broken;
            broken[20] = 1);
    EXPECT (gridded, "check the calibration", params.nodes = broken;
            broken[63] = 1e6);
  }
  EXPECT (TRUE, "97 cells", params.grid = 97);
  EXPECT (TRUE, "62 cells", params.grid = 62);
  EXPECT (TRUE, "400 cells", params.grid = 400);
  EXPECT (TRUE, "0 cells wide", params.width = 0);
  EXPECT (TRUE, "17 cells wide", params.width = 17);
  EXPECT (TRUE, "kernel 2", params.kernel = 2);
  EXPECT (TRUE, "no Kaiser-Bessel kernel 1 cells wide", params.width = 1);
#undef EXPECT
}

/* Nodes so dense somewhere that the weights grow out of proportion: refused in
 * words, by updates too, and for the exact transform no matter. */
static void
test_crowded (void)
{
  const guint samples = 16384;
  g_autofree double *nodes = g_new (double, samples);
  g_autofree double *window = g_new (double, samples);
  g_autofree double *even = spectrometer_nodes (samples, 800, 890);
  OctNufftParams params = { .format = OCT_SAMPLE_F32,
    .samples = samples,
    .lines = 1,
    .depth_bins = 8,
    .grid = oct_nufft_grid_length (samples, 1.25),
    .width = 6,
    .nodes = nodes,
    .window = window };
  OctNufftParams good = params;
  OctPlan *plan;

  oct_window_fill (OCT_WINDOW_NONE, samples, NULL, window);
  for (guint n = 0; n < samples; n++)
    nodes[n] = n == 0 ? 0 : samples - 2 + (double)n / samples;
  good.nodes = even;
  expect_error (&params, TRUE, "Samples 1 to 16383 lie so close together, at ");
  expect_error (&params, TRUE, "weights would take 1.3 GiB, where 1 is");
  expect_error (&params, TRUE, "check the calibration, or use method=nudft");
  plan = plan_new (OCT_OPERATION_NUFFT, &good);
  g_assert_false (
      operation_table (OCT_OPERATION_NUFFT)->update (plan, &params));
  plan_free (OCT_OPERATION_NUFFT, plan);
  plan_free (OCT_OPERATION_NUDFT, plan_new (OCT_OPERATION_NUDFT, &params));
}

/* Light sources as they are: the longest A-lines over an octave, and a swept
 * source whose wavenumber turns at either end, also over many periods. */
static void
test_not_crowded (void)
{
  const guint samples = OCT_MAX_SAMPLES;
  g_autofree double *nodes = g_new (double, samples);
  g_autofree double *octave = spectrometer_nodes (samples, 500, 1000);
  g_autofree double *window = g_new (double, samples);
  OctNufftParams params = { .format = OCT_SAMPLE_F32,
    .samples = samples,
    .lines = 1,
    .depth_bins = samples / 2,
    .grid = oct_nufft_grid_length (samples, 2),
    .width = 8,
    .window = window };

  oct_window_fill (OCT_WINDOW_NONE, samples, NULL, window);
  for (guint i = 0; i < 3; i++) {
    OctNufftTables tables = { 0 };
    GError *error = NULL;
    for (guint n = 0; n < samples; n++)
      nodes[n] = (i == 2 ? 15.9 : 1) * (samples - 1)
                 * (1 - cos (G_PI * n / (samples - 1))) / 2;
    params.nodes = i == 0 ? octave : nodes;
    g_assert_true (oct_nufft_check (&params, TRUE, NULL));
    /* without computing them: they take a while */
    oct_nufft_tables_set (&tables, &params, FALSE, &error);
    g_assert_no_error (error);
    g_test_message ("%u taps, %.0f MiB", tables.taps,
        4.0 * tables.taps * tables.cells / (1 << 20));
    oct_nufft_tables_clear (&tables);
  }
}

static void
test_grid_length (void)
{
  static const struct {
    guint samples;
    double oversampling;
    guint length;
  } cases[] = { { 2048, 1.25, 2560 }, { 2048, 2, 4096 }, { 2048, 1.5, 3072 },
    { 1024, 1.25, 1280 }, { 1000, 1.25, 1250 }, { 101, 1.25, 128 },
    { 101, 1, 108 }, { 1, 1, 2 }, { 2047, 1.999, 4096 }, { 1000, 1.1, 1120 } };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    g_assert_cmpint (
        oct_nufft_grid_length (cases[i].samples, cases[i].oversampling), ==,
        cases[i].length);
}

int
main (int argc, char **argv)
{
  static const struct {
    const char *path;
    OctOperation operation;
  } operations[] = { { "/update/nufft", OCT_OPERATION_NUFFT },
    { "/update/nudft", OCT_OPERATION_NUDFT } };

  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/gridding/precomputed",
      GINT_TO_POINTER (OCT_WEIGHTS_PRECOMPUTED), test_gridding);
  g_test_add_data_func ("/gridding/on-the-fly",
      GINT_TO_POINTER (OCT_WEIGHTS_ON_THE_FLY), test_gridding);
  g_test_add_func ("/hermitian", test_hermitian);
  g_test_add_data_func ("/ghosts/narrow", GINT_TO_POINTER (0), test_ghosts);
  g_test_add_data_func ("/ghosts/wide", GINT_TO_POINTER (1), test_ghosts);
  g_test_add_data_func (
      "/uniform/real", GINT_TO_POINTER (OCT_SAMPLE_F32), test_uniform);
  g_test_add_data_func (
      "/uniform/complex", GINT_TO_POINTER (OCT_SAMPLE_CF32), test_uniform);
  g_test_add_data_func ("/nearly-uniform/real",
      GINT_TO_POINTER (OCT_SAMPLE_F32), test_nearly_uniform);
  g_test_add_data_func ("/nearly-uniform/complex",
      GINT_TO_POINTER (OCT_SAMPLE_CF32), test_nearly_uniform);
  for (guint i = 0; i < G_N_ELEMENTS (operations); i++)
    g_test_add_data_func (operations[i].path,
        GINT_TO_POINTER (operations[i].operation), test_update);
  g_test_add_func ("/update/uniform-and-back", test_uniform_and_back);
  g_test_add_func ("/errors", test_errors);
  g_test_add_func ("/crowded", test_crowded);
  g_test_add_func ("/not-crowded", test_not_crowded);
  g_test_add_func ("/grid-length", test_grid_length);
  return g_test_run ();
}
