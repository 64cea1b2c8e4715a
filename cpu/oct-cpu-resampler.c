/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-cpu-resampler.h"

#include "oct-cpu-lanes.h"
#include "oct-cpu-private.h"
#include "oct-simd.h"

#include <math.h>
#include <string.h>

#define LANES OCT_LANES
#define VECTORS (LANES / OCT_VECTOR)
#define GUARD OCT_CPU_RESAMPLER_GUARD

#define LINEAR_TAPS 2
#define CUBIC_TAPS 4
#define LANCZOS_A 4
#define LANCZOS_TAPS (2 * LANCZOS_A)

static double
cpu_resampler_sinc (double x)
{
  return x == 0 ? 1 : sin (G_PI * x) / (G_PI * x);
}

/* Weights of the 8 samples from base - 3 on, 0 outside of the A-line. */
static void
cpu_resampler_lanczos_weights (
    double position, guint samples, gint base, double *weights)
{
  double total = 0;

  for (gint tap = 0; tap < LANCZOS_TAPS; tap++) {
    gint i = base + 1 - LANCZOS_A + tap;
    double distance = position - i;
    gboolean inside =
        i >= 0 && i < (gint)samples && fabs (distance) < LANCZOS_A;
    weights[tap] = inside ? cpu_resampler_sinc (distance)
                                * cpu_resampler_sinc (distance / LANCZOS_A)
                          : 0;
    total += weights[tap];
  }
  for (gint tap = 0; tap < LANCZOS_TAPS; tap++)
    weights[tap] /= total;
}

/* Cubic B-splines of the coefficients base - 1 to base + 2, times 6, at the
 * fraction f of the interval. */
static void
cpu_resampler_cubic_weights (double f, double *weights)
{
  double g = 1 - f;

  weights[0] = g * g * g;
  weights[1] = 4 + f * f * (3 * f - 6);
  weights[2] = 4 + g * g * (3 * g - 6);
  weights[3] = f * f * f;
}

static void
cpu_resampler_set_weights (OctCpuResampler *resampler,
    const OctResampleParams *params, const double *scale)
{
  guint fine = resampler->fine, taps = resampler->taps;

  for (guint j = 0; j < resampler->samples; j++) {
    double position =
        params->upsample * CLAMP (params->positions[j], 0, params->samples - 1);
    gint base = (gint)position; /* last interval closed at its end */
    double weights[LANCZOS_TAPS] = { 0 };

    if (resampler->method == OCT_RESAMPLE_LANCZOS) {
      cpu_resampler_lanczos_weights (position, fine, base, weights);
      base += 1 - LANCZOS_A;
    } else {
      base = MAX (0, MIN (base, (gint)fine - 2));
      if (resampler->method == OCT_RESAMPLE_CUBIC) {
        cpu_resampler_cubic_weights (position - base, weights);
        base--;
      } else {
        weights[0] = 1 - (position - base);
        weights[1] = position - base;
      }
    }
    resampler->first[j] = (guint32)(base + GUARD);
    for (guint tap = 0; tap < taps; tap++)
      resampler->weights[(gsize)j * taps + tap] =
          (float)(weights[tap] * (scale != NULL ? scale[j] : 1));
  }
}

static void
cpu_resampler_set_factors (OctCpuResampler *resampler)
{
  double factor = 0;

  resampler->factors[0] = 0;
  for (guint i = 1; i < resampler->fine; i++) {
    factor = 1 / (4 - factor);
    resampler->factors[i] = (float)factor;
  }
}

static gboolean
cpu_resampler_make_transforms (OctCpuResampler *resampler, GError **error)
{
  resampler->forward =
      oct_lanes_fft_new_real (resampler->samples, FALSE, error);
  if (resampler->forward != NULL)
    resampler->backward = oct_lanes_fft_new_real (resampler->fine, TRUE, error);
  return resampler->backward != NULL;
}

gboolean
oct_cpu_resampler_init (OctCpuResampler *resampler,
    const OctResampleParams *params, const double *scale, GError **error)
{
  gboolean is_cubic = params->method == OCT_RESAMPLE_CUBIC;

  resampler->samples = params->samples;
  resampler->fine = params->samples * params->upsample;
  resampler->method = params->method;
  resampler->taps = is_cubic                                ? CUBIC_TAPS
                    : params->method == OCT_RESAMPLE_LINEAR ? LINEAR_TAPS
                                                            : LANCZOS_TAPS;
  if (!(resampler->first =
              oct_cpu_alloc (params->samples, sizeof (guint32), error))
      || !(resampler->weights = oct_cpu_alloc (
               (gsize)params->samples * resampler->taps, sizeof (float), error))
      || (is_cubic
          && !(resampler->factors =
                   oct_cpu_alloc (resampler->fine, sizeof (float), error)))
      || (params->upsample == 2
          && !cpu_resampler_make_transforms (resampler, error))) {
    oct_cpu_resampler_clear (resampler);
    return FALSE;
  }
  cpu_resampler_set_weights (resampler, params, scale);
  if (is_cubic)
    cpu_resampler_set_factors (resampler);
  return TRUE;
}

void
oct_cpu_resampler_clear (OctCpuResampler *resampler)
{
  oct_cpu_free (resampler->first);
  oct_cpu_free (resampler->weights);
  oct_cpu_free (resampler->factors);
  oct_lanes_fft_free (resampler->forward);
  oct_lanes_fft_free (resampler->backward);
  memset (resampler, 0, sizeof *resampler);
}

gsize
oct_cpu_resampler_size (const OctCpuResampler *resampler)
{
  return ((gsize)resampler->fine + 2 * GUARD) * LANES;
}

/* bytes of the bins that upsampling pads with zeros */
static gsize
bins_size (const OctCpuResampler *resampler)
{
  return ((gsize)resampler->samples + 1) * 2 * LANES * sizeof (float);
}

gsize
oct_cpu_resampler_scratch (const OctCpuResampler *resampler)
{
  if (resampler->forward == NULL)
    return 0;
  return bins_size (resampler)
         + MAX (oct_lanes_fft_scratch (resampler->forward),
             oct_lanes_fft_scratch (resampler->backward));
}

/* Doubles the length of the A-lines, in place, by zero padding of their
 * transforms (Shafer 2.2.2, 4.3, algorithm 4.6). */
static void
cpu_resampler_upsample (
    const OctCpuResampler *resampler, float *values, gpointer scratch)
{
  guint samples = resampler->samples, bins = samples / 2 + 1;
  float *spectrum = scratch, *end = spectrum + (gsize)bins * 2 * LANES;
  gpointer rest = (guint8 *)scratch + bins_size (resampler);
  float scale = 1.f / (float)samples;

  oct_lanes_fft_run_real (resampler->forward, values, spectrum, 0, bins, rest);
  for (float *at = spectrum; at < end; at++)
    *at *= scale;
  /* the Nyquist bin becomes two bins of the longer transform */
  if (samples % 2 == 0)
    for (float *at = end - 2 * LANES; at < end; at++)
      *at *= 0.5f;
  memset (end, 0, (gsize)(samples + 1 - bins) * 2 * LANES * sizeof (float));
  oct_lanes_fft_run_back_real (resampler->backward, spectrum, values, rest);
}

/* One sample of the elimination, then of the substitution, for all A-lines. */
OCT_INLINE void
eliminate (float factor, OctVector *c, OctVector *carry)
{
  for (guint k = 0; k < VECTORS; k++)
    c[k] = carry[k] = factor * c[k] - factor * carry[k];
}

OCT_INLINE void
substitute (float factor, OctVector *c, OctVector *carry)
{
  for (guint k = 0; k < VECTORS; k++)
    c[k] = carry[k] = c[k] - factor * carry[k];
}

/* Natural spline: c[i-1] + 4 c[i] + c[i+1] = y[i], and no second derivative at
 * both ends: there 6 c = y.  Every sample waits for the one before, so the
 * elimination goes from both ends at the same time, over `left` and `right`
 * samples that meet in the middle, and back. */
OCT_VECTORISED static void
find_coefficients (const float *factors, guint samples, float *values)
{
  const float sixth = 1.f / 6;
  guint right = (samples - 2) / 2, left = samples - 2 - right;
  OctVector *c = (OctVector *)values;
  OctVector *end = c + (gsize)(samples - 1) * VECTORS;
  OctVector *middle = c + (gsize)left * VECTORS;
  float share = 1 / (1 - factors[left] * factors[right]);
  OctVector from[VECTORS], to[VECTORS];

  for (guint k = 0; k < VECTORS; k++) {
    c[k] = from[k] = c[k] * sixth;
    end[k] = to[k] = end[k] * sixth;
  }
  for (gsize i = 1; i <= right; i++) {
    eliminate (factors[i], c + i * VECTORS, from);
    eliminate (factors[i], end - i * VECTORS, to);
  }
  if (left > right)
    eliminate (factors[left], middle, from);
  for (guint k = 0; k < VECTORS; k++) {
    from[k] = share * (from[k] - factors[left] * to[k]);
    to[k] -= factors[right] * from[k];
    middle[k] = from[k];
    middle[VECTORS + k] = to[k];
  }
  if (left > right && right > 0)
    substitute (factors[right], c + (gsize)right * VECTORS, from);
  for (gsize i = right; i-- > 1;) {
    substitute (factors[i], c + i * VECTORS, from);
    substitute (factors[i], end - i * VECTORS, to);
  }
}

/* Extrapolates the coefficients linearly beyond both ends. */
static void
cpu_resampler_extend (guint samples, float *values)
{
  float *end = values + (gsize)(samples - 1) * LANES;
  gssize inner = samples > 1 ? LANES : 0;

  for (guint lane = 0; lane < LANES; lane++) {
    values[(gssize)lane - LANES] = 2 * values[lane] - values[lane + inner];
    end[LANES + lane] = 2 * end[lane] - end[(gssize)lane - inner];
  }
}

void
oct_cpu_resampler_prepare (
    const OctCpuResampler *resampler, float *values, gpointer scratch)
{
  const gsize guard = GUARD * LANES * sizeof (float);

  if (resampler->forward != NULL)
    cpu_resampler_upsample (resampler, values + GUARD * LANES, scratch);
  /* read with weight 0 */
  memset (values, 0, guard);
  memset (values + ((gsize)GUARD + resampler->fine) * LANES, 0, guard);
  if (resampler->method != OCT_RESAMPLE_CUBIC)
    return;
  values += GUARD * LANES;
  if (resampler->fine > 1)
    find_coefficients (resampler->factors, resampler->fine, values);
  else
    for (guint lane = 0; lane < LANES; lane++)
      values[lane] /= 6;
  cpu_resampler_extend (resampler->fine, values);
}

/* sum over the taps of weights[tap] values[tap], one vector of lanes.  Not
 * returned: targets without vectors have no calling convention for them */
OCT_INLINE void
read_taps (
    const OctVector *values, const float *weights, guint taps, OctVector *sum)
{
  *sum = weights[0] * values[0];
  for (guint tap = 1; tap < taps; tap++)
    *sum += weights[tap] * values[tap * VECTORS];
}

#define DEFINE_READ(name, taps)                                                \
  OCT_VECTORISED static void name (const float *values, const guint32 *first,  \
      const float *weights, guint count, float *out)                           \
  {                                                                            \
    for (guint j = 0; j < count; j++) {                                        \
      const OctVector *from =                                                  \
          (const OctVector *)(values + (gsize)first[j] * LANES);               \
      OctVector *to = (OctVector *)(out + (gsize)j * LANES);                   \
      for (guint k = 0; k < VECTORS; k++)                                      \
        read_taps (from + k, weights + (gsize)j * taps, taps, to + k);         \
    }                                                                          \
  }                                                                            \
                                                                               \
  OCT_VECTORISED static void name##_complex (const float *values,              \
      const guint32 *first, const float *weights, const float *factors,        \
      guint start, guint step, guint count, float *out)                        \
  {                                                                            \
    for (guint i = 0; i < count; i++) {                                        \
      gsize j = start + (gsize)i * step;                                       \
      const OctVector *from =                                                  \
          (const OctVector *)(values + (gsize)first[j] * LANES);               \
      OctVector *to = (OctVector *)(out + (gsize)i * 2 * LANES);               \
      for (guint k = 0; k < VECTORS; k++) {                                    \
        OctVector value;                                                       \
        read_taps (from + k, weights + j * taps, taps, &value);                \
        to[k] = value * factors[2 * j];                                        \
        to[VECTORS + k] = value * factors[2 * j + 1];                          \
      }                                                                        \
    }                                                                          \
  }

DEFINE_READ (read_linear, LINEAR_TAPS)
DEFINE_READ (read_cubic, CUBIC_TAPS)
DEFINE_READ (read_lanczos, LANCZOS_TAPS)

void
oct_cpu_resampler_read (const OctCpuResampler *resampler, const float *values,
    guint start, guint count, float *out)
{
  const guint32 *first = resampler->first + start;
  const float *weights = resampler->weights + (gsize)start * resampler->taps;

  if (resampler->method == OCT_RESAMPLE_CUBIC)
    read_cubic (values, first, weights, count, out);
  else if (resampler->method == OCT_RESAMPLE_LINEAR)
    read_linear (values, first, weights, count, out);
  else
    read_lanczos (values, first, weights, count, out);
}

void
oct_cpu_resampler_read_complex (const OctCpuResampler *resampler,
    const float *values, const float *factors, guint start, guint step,
    guint count, float *out)
{
  const guint32 *first = resampler->first;
  const float *weights = resampler->weights;

  if (resampler->method == OCT_RESAMPLE_CUBIC)
    read_cubic_complex (
        values, first, weights, factors, start, step, count, out);
  else if (resampler->method == OCT_RESAMPLE_LINEAR)
    read_linear_complex (
        values, first, weights, factors, start, step, count, out);
  else
    read_lanczos_complex (
        values, first, weights, factors, start, step, count, out);
}
