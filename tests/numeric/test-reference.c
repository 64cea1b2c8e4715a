/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Every operation of a backend, and whole chains of them, against the reference
 * (tests/reference) on the same input: the CPU, and the reference's own table,
 * which is the same but for rounding at the ends.
 */
#include "cases.h"
#include "oct-window.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gridding-errors.h"

/* Largest relative l2 error of an A-line.  A float32 has 6e-8; the transform
 * and the spline add a few of those up. */
#define SPECTRUM_TOLERANCE 5e-7
#define A_SCAN_TOLERANCE 5e-7
#define CHAIN_TOLERANCE 1e-6
/* Builds with sanitizers have no versions of the loops for newer processors,
 * and so no fused multiply-adds, which round once in place of twice. */
#ifdef __SANITIZE_ADDRESS__
#  define ROUNDINGS 2
#else
#  define ROUNDINGS 1
#endif
/* Weights of float32, those on the fly of a Bessel function of that accuracy,
 * and exact sums, which nearly cancel for A-lines of a few samples: found
 * 7e-7 with fused multiply-adds and 2.3e-6 without. */
#define GRIDDED_TOLERANCE 1e-6
#define ON_THE_FLY_TOLERANCE 2e-6
#define EXACT_TOLERANCE (ROUNDINGS * 2e-6)
/* As documented.  Most are below 2e-5; but each step takes its length from the
 * two before, and near the minimum that is a ratio of rounding errors.
 * Saturated spectra converge in two steps: more say nothing. */
#define SENSING_TOLERANCE 1e-3
#define SENSING_FFT_TOLERANCE 1e-4
/* Rad, where values of a window nearly cancel. */
#define DOPPLER_TOLERANCE (ROUNDINGS * 1e-5)
/* Variances of nearly still values, and a part of the noise that was taken off
 * them, which is large if they are hardly above it. */
#define DYNAMIC_TOLERANCE (ROUNDINGS * 2e-4)
#define DYNAMIC_NOISE (ROUNDINGS * 1e-6)
/* Parts of half the rate: next to it and to 0 an arc cosine makes of a part of
 * 1e-6 the root of twice that, 1.4e-3 rad of pi, in each of two variances. */
#define FREQUENCY_TOLERANCE (ROUNDINGS * 1e-3)
/* Two roundings of the result, and the part of a 16 bit mean that stays in the
 * low float. */
#define BACKGROUND_RELATIVE 1.3e-7
#define BACKGROUND_ABSOLUTE 1e-9
/* Grey levels, of 255 as of 65535: the levels are within 0.02 of the exact
 * ones, so only a value next to a half can round the other way; after the whole
 * chain within one level. */
#define IMAGE_TOLERANCE 1
#define IMAGE_LEVEL 0.52
#define CHAIN_IMAGE_LEVEL 1
/* The levels of a filter of images, relative to the largest: sums of float32
 * with weights are within 4e-7, and an unsharp mask takes the difference to
 * them up to ten times.  A level this near to a half, 0.001 of 255, can round
 * the other way; all others are exact. */
#define FILTER_LEVEL 4e-6
/* Phases and shifts from sums over noisy values, and turns by them. */
#define ALIGNED_TOLERANCE 5e-5
/* Slopes over depth, from the phase between two halves that cancel. */
#define SLOPE_TOLERANCE 2e-4
/* An angle that is next to the end of a bin of the histogram can be in the
 * other one: found 5e-3, of 90 values. */
#define HISTOGRAM_TOLERANCE 1e-2
/* Transforms along both directions and back, for A-lines that are dark beside
 * bright ones (10 to 100 times 1e-7); and a focus that is found, whose sharpness is a sum of float32. */
#define REFOCUSED_TOLERANCE (ROUNDINGS * 1e-5)
#define FOCUS_TOLERANCE 1e-4
/* Levels of motion, relative to the largest: the little that is left of R less
 * the noise and still tissue has the rounding of both. */
#define FLOW_LEVEL 2e-5
/* Single samples next to where two parabolas of the reference meet, which can be
 * read from either; all others are within 1e-6 with the background of counts, and
 * 1e-4 of a fringe.  FULL beyond the end of a sweep has the phase of its last
 * sample, whatever that is. */
#define KCLOCK_TOLERANCE 2e-3
#define KCLOCK_FULL_TOLERANCE 1e-2
/* Part of the pixels that may do so, and after the whole chain, where the
 * darkest pixel sets the range and has the largest relative error: its error of
 * 2e-7 of an A-line 10^4 times as large is 0.02 dB, and moves all levels by up
 * to 0.08.  Found: 2 % with fused multiply-adds, 6 % without. */
#define IMAGE_DIFFERENT 0.005
#define CHAIN_IMAGE_DIFFERENT (ROUNDINGS * 0.05)

/* ------------------------------------------------------------------ running */

/* One B-scan of an array, as a backend sees it. */
static OctFrame
frame_of (const Array *array, guint scan, guint scans)
{
  OctFrame frame = array_frame (array);

  frame.planes[0].data =
      (guint8 *)array->data
      + scan * (array->rows / scans) * frame.planes[0].stride;
  return frame;
}

static gboolean
is_flow (const Step *step)
{
  return step->operation == OCT_OPERATION_DOPPLER
         || step->operation == OCT_OPERATION_DYNAMIC;
}

/* Whether a step makes an image of A-scans in this format. */
static gboolean
is_image_of (const Step *step, OctImageFormat format)
{
  if (step->operation == OCT_OPERATION_LOGSCALE)
    return ((const OctLogscaleParams *)step->params)->format == format;
  return step->operation == OCT_OPERATION_ANGIO
         && ((const OctAngioParams *)step->params)->format == format;
}

/* Array for the output of a step for all B-scans, in floats. */
static Array *
new_output (const Step *step, const OctStepShape *shape, guint bscans)
{
  guint rows = bscans * shape->rows;

  if (is_image_of (step, OCT_IMAGE_RGBA))
    return array_new ('u', 4, rows, shape->values);
  return array_new (shape->format == OCT_SAMPLE_F32    ? 'f'
                    : shape->format == OCT_SAMPLE_CF32 ? 'c'
                                                       : 'u',
      (guint)oct_sample_format_size (shape->format), rows, shape->values);
}

/* One step of a backend on all B-scans; `noise`: what it has found of the last.
 */
static Array *
run_step (const OctBackend *backend, const Step *step,
    const OctStepShape *shape, const Array *in, guint bscans, double *noise)
{
  const OctOperationTable *table = backend->operations[step->operation];
  Array *out = new_output (step, shape, bscans);
  gsize stride = (shape->values + 1) / 2 * 2;
  gsize size = stride * ((shape->rows + 1) / 2);
  g_autofree guint8 *chroma = g_malloc0 (size + 1);
  GError *error = NULL;
  OctPlan *plan = table->create (step->params, &error);

  g_assert_no_error (error);
  for (guint scan = 0; scan < bscans; scan++) {
    OctFrame from = frame_of (in, scan, bscans);
    OctFrame to = frame_of (out, scan, bscans);
    if (is_image_of (step, OCT_IMAGE_NV12))
      to.planes[1] = (OctPlane){ chroma, stride };
    g_assert_true (table->run (plan, &from, &to, NULL, &error));
    g_assert_no_error (error);
  }
  for (gsize i = 0; is_image_of (step, OCT_IMAGE_NV12) && i < size; i++)
    g_assert_cmpint (chroma[i], ==, 128);
  g_assert_cmpint (chroma[size], ==, 0);
  *noise = table->get_found != NULL ? table->get_found (plan) : 0;
  table->destroy (plan);
  return out;
}

/* The same in double precision; `exact`: of images, before they are rounded. */
static Complex *
run_reference (const Step *step, const Complex *in, guint bscans,
    OctStepShape *shape, gboolean exact, double *noise)
{
  GError *error = NULL;
  g_autoptr (OctReference) plan =
      oct_reference_new (step->operation, step->params, &error);
  OctStepShape from;
  Complex *out;
  gsize in_size, out_size;

  g_assert_no_error (error);
  from = oct_reference_get_input (plan);
  *shape = oct_reference_get_output (plan);
  in_size = (gsize)from.rows * from.values;
  out_size = (gsize)shape->rows * shape->values;
  out = g_new (Complex, bscans * out_size);
  for (guint scan = 0; scan < bscans; scan++) {
    g_autofree double *levels = exact ? g_new (double, out_size) : NULL;
    if (exact)
      oct_reference_run_levels (plan, in + scan * in_size, levels);
    else
      oct_reference_run (
          plan, in + scan * in_size, NULL, out + scan * out_size);
    for (gsize i = 0; exact && i < out_size; i++)
      out[scan * out_size + i] = levels[i];
  }
  *noise = oct_reference_get_found (plan);
  return out;
}

/* --------------------------------------------------------------- comparison */

/* A-lines of the input with a NaN or infinite value. */
static gboolean
is_lost (const Case *test, guint row)
{
  for (guint i = 0; i < test->in->columns; i++)
    for (guint part = 0; part < 2; part++)
      if (!isfinite (array_get (test->in, row, i, part)))
        return TRUE;
  return FALSE;
}

/* Relative l2 error of every A-line; a line of zeros must come out as zeros,
 * and of one that was lost all must be lost. */
static void
compare_rows (const Case *test, const Array *found, const Complex *expected,
    double tolerance)
{
  double worst = 0;

  for (guint row = 0; row < found->rows; row++) {
    double error = 0, power = 0;
    /* values that are not finite count as 0 */
    gboolean lost = test->steps[0].operation != OCT_OPERATION_ALIGN
                    && test->steps[0].operation != OCT_OPERATION_REFOCUS
                    && is_lost (test, row);
    for (guint i = 0; i < found->columns; i++) {
      Complex should = expected[(gsize)row * found->columns + i];
      Complex is =
          CMPLX (array_get (found, row, i, 0), array_get (found, row, i, 1));
      if (lost) {
        g_assert_false (isfinite (creal (should)));
        g_assert_false (isfinite (creal (is)) && isfinite (cimag (is)));
        continue;
      }
      error += pow (cabs (is - should), 2);
      power += pow (cabs (should), 2);
    }
    g_assert_cmpfloat (sqrt (error), <=, tolerance * sqrt (power));
    if (power > 0)
      worst = MAX (worst, sqrt (error / power));
  }
  g_test_message ("largest relative l2 error %.2e", worst);
}

/* Squares of the background that is fitted to the A-lines of a B-scan; 0 where
 * it is as bright as they are. */
static double
fitted_power (const Case *test, guint scan)
{
  const OctBackgroundParams *params = test->steps[0].params;
  double power = 0;

  if (oct_background_modes[params->mode].terms < 2)
    return 0;
  for (guint i = 0; i < params->samples; i++) {
    double sum = 0;
    guint count = 0;
    for (guint line = 0; line < params->lines; line++) {
      double value = array_get (test->in, scan * params->lines + line, i, 0);
      sum += isfinite (value) ? value : 0;
      count += isfinite (value) != 0;
    }
    if (oct_background_modes[params->mode].is_stored)
      power += pow (params->background[i], 2);
    else if (count > 0)
      power += pow (sum / count, 2);
  }
  return power;
}

/* The remainder of an A-line after the removal of a background that is known
 * with an error.  The tolerance is relative to the input: the A-line, or the
 * background that was fitted to it. */
static void
compare_removed (const Case *test, const Array *found, const Complex *expected,
    double tolerance)
{
  guint lines = ((const OctBackgroundParams *)test->steps[0].params)->lines;
  double worst = 0, background = 0;

  for (guint row = 0; row < found->rows; row++) {
    double error = 0, power;
    if (row % lines == 0)
      background = fitted_power (test, row / lines);
    power = background;
    for (guint i = 0; i < found->columns; i++) {
      double should = creal (expected[(gsize)row * found->columns + i]);
      double is = array_get (found, row, i, 0);
      g_assert_cmpint (isfinite (is), ==, isfinite (should));
      if (!isfinite (is))
        continue;
      error += pow (is - should, 2);
      power += pow (should, 2) + pow (array_get (test->in, row, i, 0), 2);
    }
    g_assert_cmpfloat (sqrt (error), <=, tolerance * sqrt (power));
    if (power > 0)
      worst = MAX (worst, sqrt (error / power));
  }
  g_test_message ("largest l2 error relative to the A-line %.2e", worst);
}

static void
compare_values (const Array *found, const Complex *expected)
{
  for (guint row = 0; row < found->rows; row++)
    for (guint i = 0; i < found->columns; i++) {
      double should = creal (expected[(gsize)row * found->columns + i]);
      double is = array_get (found, row, i, 0);
      if (isfinite (should))
        g_assert_cmpfloat (fabs (is - should), <=,
            BACKGROUND_RELATIVE * fabs (should) + BACKGROUND_ABSOLUTE);
      else
        g_assert_false (isfinite (is));
    }
}

/* Grey of one pixel; R, G, B the same and alpha full. */
static gint
get_grey (const Array *image, guint row, guint i)
{
  const guint8 *rgba =
      (guint8 *)image->data + 4 * ((gsize)row * image->columns + i);

  if (image->size != 4)
    return (gint)array_get (image, row, i, 0);
  g_assert_cmpint (rgba[0], ==, rgba[1]);
  g_assert_cmpint (rgba[0], ==, rgba[2]);
  g_assert_cmpint (rgba[3], ==, 255);
  return rgba[0];
}

static void
compare_images (
    const Array *found, const Complex *levels, double nearest, double part)
{
  guint different = 0;
  double full = found->size == 2 ? 65535 : 255;
  gsize pixels = (gsize)found->rows * found->columns;

  for (guint row = 0; row < found->rows; row++)
    for (guint i = 0; i < found->columns; i++) {
      double level = creal (levels[(gsize)row * found->columns + i]);
      gint should = (gint)CLAMP (rint (level), 0, full);
      gint is = get_grey (found, row, i);
      g_assert_cmpint (ABS (is - should), <=, IMAGE_TOLERANCE);
      g_assert_cmpfloat (fabs (is - CLAMP (level, 0, full)), <=, nearest);
      different += is != should;
    }
  g_test_message ("%u of %" G_GSIZE_FORMAT " pixels differ", different, pixels);
  g_assert_cmpfloat (different, <=, part * (double)pixels);
}

/* Integers, and the levels of filters, which are not rounded. */
static void
compare_levels (const Array *found, const Complex *exact)
{
  double margin = FILTER_LEVEL * (found->size == 2 ? 65535 : 255);

  for (guint row = 0; row < found->rows; row++)
    for (guint i = 0; i < found->columns; i++) {
      double level = creal (exact[(gsize)row * found->columns + i]);

      g_assert_cmpfloat (
          fabs (array_get (found, row, i, 0) - level), <=, 0.5 + margin);
    }
}

/* The unit of errors: a radian, the whole of a variance, the highest
 * frequency, 10 dB. */
static double
flow_unit (const Step *step)
{
  const OctDopplerParams *doppler = step->params;
  const OctDynamicParams *dynamic = step->params;

  if (step->operation == OCT_OPERATION_DOPPLER)
    return doppler->quantity == OCT_DOPPLER_PHASE ? doppler->scale : 1;
  return dynamic->quantity == OCT_DYNAMIC_FREQUENCY ? dynamic->rate / 2 : 10;
}

static double
flow_tolerance (const Step *step, double should)
{
  const OctDynamicParams *dynamic = step->params;

  if (step->operation == OCT_OPERATION_DOPPLER)
    return DOPPLER_TOLERANCE;
  if (dynamic->quantity == OCT_DYNAMIC_FREQUENCY)
    return FREQUENCY_TOLERANCE;
  return DYNAMIC_TOLERANCE + DYNAMIC_NOISE * pow (10, -should / 10);
}

static void
compare_flow (const Case *test, const Array *found, const Complex *expected)
{
  double unit = flow_unit (&test->steps[0]), worst = 0;

  for (guint row = 0; row < found->rows; row++)
    for (guint i = 0; i < found->columns; i++) {
      double should = creal (expected[(gsize)row * found->columns + i]);
      double error = fabs (array_get (found, row, i, 0) - should) / unit;

      g_assert_true (isfinite (array_get (found, row, i, 0)));
      g_assert_cmpfloat (error, <=, flow_tolerance (&test->steps[0], should));
      worst = MAX (worst, error);
    }
  g_test_message ("largest error %.2e", worst);
}

static void
compare_angio (const Array *found, const Complex *exact)
{
  double full = found->size == 2 ? 65535 : 255;

  for (guint row = 0; row < found->rows; row++)
    for (guint i = 0; i < found->columns; i++)
      g_assert_cmpfloat (
          fabs (get_grey (found, row, i)
                - creal (exact[(gsize)row * found->columns + i])),
          <=, 0.5 + FLOW_LEVEL * full);
}

static void
compare_background (
    const Case *test, const Array *found, const Complex *expected)
{
  OctBackgroundMode mode = ((OctBackgroundParams *)test->steps[0].params)->mode;
  double tolerance = oct_background_modes[mode].tolerance;

  if (tolerance > 0)
    compare_removed (test, found, expected, tolerance);
  else
    compare_values (found, expected);
}

/* Not persistent shrinkage, nor a threshold that it finds: of A-lines of a
 * hundred samples, where one depth more or less matters, its steps make up to
 * 5e-4 of rounding (1e-5 of 2048 samples). */
static gboolean
is_exact_sensing (const OctCsParams *params)
{
  return params->transform == OCT_CS_FFT && params->noise > 0
         && params->solver != OCT_CS_PERSISTENT;
}

static double
tolerance_of (const Case *test)
{
  const Step *step = &test->steps[0];

  if (test->n > 1)
    return CHAIN_TOLERANCE;
  switch (step->operation) {
  case OCT_OPERATION_FFT:
    return A_SCAN_TOLERANCE;
  case OCT_OPERATION_NUFFT:
    return ((const OctNufftParams *)step->params)->weights
                   == OCT_WEIGHTS_ON_THE_FLY
               ? ON_THE_FLY_TOLERANCE
               : GRIDDED_TOLERANCE;
  case OCT_OPERATION_NUDFT:
    return EXACT_TOLERANCE;
  case OCT_OPERATION_CS:
    return is_exact_sensing (step->params) ? SENSING_FFT_TOLERANCE
                                           : SENSING_TOLERANCE;
  case OCT_OPERATION_KCLOCK:
    return ((const OctKclockParams *)step->params)->method == OCT_KCLOCK_FULL
               ? KCLOCK_FULL_TOLERANCE
               : KCLOCK_TOLERANCE;
  case OCT_OPERATION_REFOCUS:
    return ((const OctRefocusParams *)step->params)->automatic
               ? FOCUS_TOLERANCE
               : REFOCUSED_TOLERANCE;
  case OCT_OPERATION_ALIGN:
    switch (((const OctAlignParams *)step->params)->phase) {
    case OCT_PHASE_HISTOGRAM:
      return HISTOGRAM_TOLERANCE;
    case OCT_PHASE_LINE:
      return SLOPE_TOLERANCE;
    default:
      return ALIGNED_TOLERANCE;
    }
  default:
    return SPECTRUM_TOLERANCE;
  }
}

/* ------------------------------------------------------------------ one case
 */

static void
check_case (const OctBackend *backend, const Case *test)
{
  const Step *last = &test->steps[test->n - 1];
  gboolean image = last->operation == OCT_OPERATION_LOGSCALE;
  gsize values = (gsize)test->in->rows * test->in->columns;
  Complex *expected = g_new (Complex, values);
  g_autoptr (Array) found =
      array_part (test->in, test->in->rows, test->in->columns);

  for (gsize i = 0; i < values; i++)
    expected[i] =
        CMPLX (array_get (test->in, 0, i, 0), array_get (test->in, 0, i, 1));
  for (guint k = 0; k < test->n; k++) {
    double noise, expected_noise;
    OctStepShape shape;
    Complex *next = run_reference (&test->steps[k], expected, test->bscans,
        &shape, image && k + 1 == test->n, &expected_noise);
    Array *out = run_step (
        backend, &test->steps[k], &shape, found, test->bscans, &noise);
    g_assert_cmpfloat (
        fabs (noise - expected_noise), <=, SENSING_TOLERANCE * expected_noise);
    g_free (expected);
    expected = next;
    array_free (found);
    found = out;
  }
  if (image)
    compare_images (found, expected,
        test->n > 1 ? CHAIN_IMAGE_LEVEL : IMAGE_LEVEL,
        test->n > 1 ? CHAIN_IMAGE_DIFFERENT : IMAGE_DIFFERENT);
  else if (last->operation == OCT_OPERATION_BACKGROUND)
    compare_background (test, found, expected);
  else if (last->operation == OCT_OPERATION_ANGIO)
    compare_angio (found, expected);
  else if (found->kind == 'u')
    compare_levels (found, expected);
  else if (is_flow (last))
    compare_flow (test, found, expected);
  else
    compare_rows (test, found, expected, tolerance_of (test));
  g_free (expected);
}

static void
test_cpu (gconstpointer test)
{
  check_case (oct_backend_cpu (), test);
}

/* Its conversions, strides and history; its sums are those that it is compared
 * with. */
static void
test_own_table (gconstpointer test)
{
  check_case (oct_backend_reference (), test);
}

/* A background that subtracts the result of OCT_OPERATION_MEAN gives the same
 * as one that computes the mean itself, in every format and with history. */
static void
check_mean (const OctBackend *backend, const Case *test)
{
  const OctOperationTable *mean = backend->operations[OCT_OPERATION_MEAN];
  const OctOperationTable *removal =
      backend->operations[OCT_OPERATION_BACKGROUND];
  OctBackgroundParams params = *(OctBackgroundParams *)test->steps[0].params;
  OctStepShape shape;
  gsize values = (gsize)test->in->rows * test->in->columns;
  g_autofree Complex *in = g_new (Complex, values);
  g_autofree Complex *expected = NULL;
  g_autoptr (Array) out = array_new ('f', 4, test->in->rows, test->in->columns);
  g_autofree gpointer found = NULL;
  OctPlan *finder, *remover;
  double noise;

  for (gsize i = 0; i < values; i++)
    in[i] = array_get (test->in, 0, i, 0);
  expected =
      run_reference (&test->steps[0], in, test->bscans, &shape, FALSE, &noise);
  finder = mean->create (&params, NULL);
  params.found = TRUE;
  remover = removal->create (&params, NULL);
  found = g_malloc (OCT_MEAN_SIZE (params.samples, params.lines));
  for (guint scan = 0; scan < test->bscans; scan++) {
    OctFrame from = frame_of (test->in, scan, test->bscans);
    OctFrame to = frame_of (out, scan, test->bscans);
    OctFrame between = { { { found, 0 } } };
    g_assert_true (mean->run (finder, &from, &between, NULL, NULL));
    from.planes[1].data = found;
    g_assert_true (removal->run (remover, &from, &to, NULL, NULL));
  }
  compare_background (test, out, expected);
  mean->destroy (finder);
  removal->destroy (remover);
}

static void
test_mean (gconstpointer data)
{
  const Case *test = data;
  OctBackgroundMode mode = ((OctBackgroundParams *)test->steps[0].params)->mode;

  if (!oct_background_modes[mode].is_found)
    return;
  check_mean (oct_backend_cpu (), test);
  check_mean (oct_backend_reference (), test);
}

/* An operation that is new needs cases, here and so everywhere else; the mean
 * is tried with those of the background. */
static void
test_all_operations (void)
{
  const GPtrArray *cases = cases_get ();
  gboolean has[OCT_N_OPERATIONS] = { [OCT_OPERATION_MEAN] = TRUE };
  gboolean has_mode[OCT_N_BACKGROUND_MODES] = { FALSE };

  for (guint i = 0; i < cases->len; i++) {
    const Step *step = &((const Case *)cases->pdata[i])->steps[0];
    has[step->operation] = TRUE;
    if (step->operation == OCT_OPERATION_BACKGROUND)
      has_mode[((const OctBackgroundParams *)step->params)->mode] = TRUE;
  }
  for (guint i = 0; i < OCT_N_OPERATIONS; i++)
    if (!has[i])
      g_error (
          "there is no case of the operation %s", oct_operation_get_name (i));
  for (guint i = 0; i < OCT_N_BACKGROUND_MODES; i++)
    if (!has_mode[i])
      g_error ("there is no case of the background mode %s",
          oct_background_modes[i].nick);
}

/* ------------------------------------------------------- windows, kernels */

static void
test_windows (void)
{
  static const guint sizes[] = { 9, 101, 128, 2048 };

  for (guint k = 0; k < G_N_ELEMENTS (sizes) * OCT_N_WINDOWS; k++) {
    guint samples = sizes[k / OCT_N_WINDOWS];
    OctWindow kind = k % OCT_N_WINDOWS;
    g_autofree double *ours = g_new (double, samples);
    g_autofree double *expected = g_new (double, samples);
    g_autofree double *at = g_new (double, samples);
    for (guint i = 0; i < samples; i++)
      at[i] = 1.1 * i - 0.04 * samples;
    for (guint round = 0; round < 2; round++) {
      oct_window_fill (kind, samples, round ? at : NULL, ours);
      oct_reference_window (
          oct_windows[kind].nick, samples, round ? at : NULL, expected);
      for (guint i = 0; i < samples; i++)
        g_assert_cmpfloat (fabs (ours[i] - expected[i]), <, 1e-12);
    }
  }
}

/* gridding-errors.h, the limits of gridding in other tests: within 15 % with
 * data of our own (rows of one random line differ by a few per cent), never
 * below the rounding error. */
static void
test_gridding_errors (void)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (11);
  enum { N = 2048 };
  g_autofree Complex *in = g_new (Complex, N);
  g_autofree Complex *exact = g_new (Complex, N / 2);
  g_autofree Complex *gridded = g_new (Complex, N / 2);
  g_autofree double *nodes = g_new (double, N);
  g_autofree double *window = g_new (double, N);
  g_autoptr (Array) noise = array_noise (random, 1, N, 'f', 1);
  OctNufftParams params = { .samples = N,
    .lines = 1,
    .format = OCT_SAMPLE_F32,
    .depth_bins = N / 2,
    .nodes = nodes,
    .window = window };

  for (guint n = 0; n < N; n++) {
    double k = 1 / (965 - 240. * n / (N - 1));
    nodes[n] = (k - 1 / 965.) / (1 / 725. - 1 / 965.) * (N - 1);
    window[n] = 1;
    in[n] = array_get (noise, 0, n, 0);
  }
  oct_reference_exact (&params, in, exact);
  for (guint i = 0; i < G_N_ELEMENTS (gridding_errors); i++) {
    double error = 0, power = 0;
    params.kernel = gridding_errors[i].kernel;
    params.grid =
        oct_reference_fast_length (gridding_errors[i].oversampling * N);
    params.width = gridding_errors[i].width;
    oct_reference_gridded (&params, in, gridded);
    for (guint q = 0; q < N / 2; q++) {
      error += pow (cabs (gridded[q] - exact[q]), 2);
      power += pow (cabs (exact[q]), 2);
    }
    error = sqrt (error / power);
    g_test_message ("kernel %d, oversampling %g, width %u: %.4g, stated %.4g",
        params.kernel, gridding_errors[i].oversampling, params.width, error,
        gridding_errors[i].error);
    g_assert_cmpfloat (error, <, 1.15 * gridding_errors[i].error);
    g_assert_cmpfloat (error, >, 0.85 * gridding_errors[i].error);
  }
}

int
main (int argc, char **argv)
{
  const GPtrArray *cases;

  g_test_init (&argc, &argv, NULL);
  cases = cases_get ();
  for (guint i = 0; i < cases->len; i++) {
    const Case *test = cases->pdata[i];
    g_autofree char *cpu = g_strconcat ("/reference/cpu/", test->name, NULL);
    g_autofree char *own = g_strconcat ("/reference/own/", test->name, NULL);
    g_autofree char *mean = g_strconcat ("/reference/mean/", test->name, NULL);
    g_test_add_data_func (cpu, test, test_cpu);
    if (!test->seldom && !g_str_has_prefix (test->name, "random-"))
      g_test_add_data_func (own, test, test_own_table);
    if (test->n == 1 && test->steps[0].operation == OCT_OPERATION_BACKGROUND)
      g_test_add_data_func (mean, test, test_mean);
  }
  g_test_add_func ("/reference/all-operations", test_all_operations);
  g_test_add_func ("/reference/windows", test_windows);
  g_test_add_func ("/reference/gridding-errors", test_gridding_errors);
  return g_test_run ();
}
