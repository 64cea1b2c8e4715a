/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-cpu-half.h"

#include "oct-cpu-fftw.h"
#include "oct-cpu-private.h"
#include "oct-cpu-vector.h"
#include "oct-simd.h"

#include <math.h>
#include <string.h>

gboolean
oct_cpu_half_init (OctCpuHalf *half, guint length, GError **error)
{
  half->half = length / 2;
  if (!(half->turn_swapped = oct_cpu_alloc (length, sizeof (float), error))
      || !(half->turn = oct_cpu_alloc (length, sizeof (float), error))
      || !(half->forward =
               oct_cpu_fftw_plan (OCT_CPU_FFTW_FORWARD, half->half, error))) {
    oct_cpu_half_clear (half);
    return FALSE;
  }
  for (guint i = 0; i < half->half; i++) {
    double angle = -2 * G_PI * i / length;
    half->turn_swapped[2 * i] = (float)cos (angle);
    half->turn_swapped[2 * i + 1] = (float)-cos (angle);
    half->turn[2 * i] = half->turn[2 * i + 1] = (float)sin (angle);
  }
  return TRUE;
}

void
oct_cpu_half_clear (OctCpuHalf *half)
{
  oct_cpu_free (half->turn_swapped);
  oct_cpu_free (half->turn);
  memset (half, 0, sizeof *half);
}

/* z[half] is a copy of z[0] */
OCT_INLINE void
separate (const float *z, const OctCpuHalf *plan, guint first, guint count,
    const float *factors, float *restrict out)
{
  const OctVector conjugate = { 1, -1, 1, -1, 1, -1, 1, -1 };
  gsize end = 2 * (gsize)plan->half;
  guint i = 0;

  for (; i + OCT_VECTOR / 2 <= count && first + i + 4 <= plan->half;
       i += OCT_VECTOR / 2) {
    gsize at = 2 * (gsize)(first + i);
    OctVector a = *(const OctVector *)(z + at);
    OctVector b = *(const OctVector *)(z + end - at - 6);
    OctVector difference, sum;
    b = OCT_PICK (b, b, 6, 7, 4, 5, 2, 3, 0, 1) * conjugate;
    difference = a - b;
    sum = (a + b)
          + OCT_PICK (difference, difference, 1, 0, 3, 2, 5, 4, 7, 6)
                * *(const OctVector *)(plan->turn_swapped + at)
          + difference * *(const OctVector *)(plan->turn + at);
    if (factors != NULL) {
      const float *f = factors + i;
      sum *= (OctVector){ f[0], f[0], f[1], f[1], f[2], f[2], f[3], f[3] };
    }
    *(OctVector *)(out + 2 * i) = sum;
  }
  for (; i < count; i++) {
    gsize at = 2 * (gsize)(first + i);
    const float *a = z + at, *b = z + end - at;
    float real = a[0] - b[0], imaginary = a[1] + b[1];
    float factor = factors != NULL ? factors[i] : 1;
    /* at H itself: exp (-i pi) */
    float c = at < end ? plan->turn_swapped[at] : -1;
    float s = at < end ? plan->turn[at] : 0;
    out[2 * i] = factor * ((a[0] + b[0]) + imaginary * c + real * s);
    out[2 * i + 1] = factor * ((a[1] - b[1]) - real * c + imaginary * s);
  }
}

OCT_VECTORISED static void
separate_plain (const float *z, const OctCpuHalf *plan, guint first,
    guint count, float *restrict out)
{
  separate (z, plan, first, count, NULL, out);
}

OCT_VECTORISED static void
separate_scaled (const float *z, const OctCpuHalf *plan, guint first,
    guint count, const float *factors, float *restrict out)
{
  separate (z, plan, first, count, factors, out);
}

void
oct_cpu_half_run (const OctCpuHalf *half, const float *x,
    fftwf_complex *spectrum, guint first, guint count, const float *factors,
    float *out)
{
  const float *z = (const float *)spectrum;

  fftwf_execute_dft (half->forward, (fftwf_complex *)x, spectrum);
  memcpy (spectrum[half->half], spectrum[0], sizeof (fftwf_complex));
  if (factors != NULL)
    separate_scaled (z, half, first, count, factors, out);
  else
    separate_plain (z, half, first, count, out);
}

gboolean
oct_cpu_half_add_back (OctCpuHalf *half, GError **error)
{
  half->backward = oct_cpu_fftw_plan (OCT_CPU_FFTW_BACKWARD, half->half, error);
  return half->backward != NULL;
}

OCT_VECTORISED static void
join (const OctCpuHalf *plan, const float *x, float *restrict z)
{
  const OctVector conjugate = { 1, -1, 1, -1, 1, -1, 1, -1 };
  gsize end = 2 * (gsize)plan->half, at = 0;

  for (; at + OCT_VECTOR <= end; at += OCT_VECTOR) {
    OctVector a = *(const OctVector *)(x + at);
    OctVector b = *(const OctVector *)(x + end - at - 6);
    OctVector difference;
    b = OCT_PICK (b, b, 6, 7, 4, 5, 2, 3, 0, 1) * conjugate;
    difference = a - b;
    *(OctVector *)(z + at) =
        (a + b)
        - OCT_PICK (difference, difference, 1, 0, 3, 2, 5, 4, 7, 6)
              * *(const OctVector *)(plan->turn_swapped + at)
        + difference * *(const OctVector *)(plan->turn + at);
  }
  for (; at < end; at += 2) {
    const float *a = x + at, *b = x + end - at;
    float real = a[0] - b[0], imaginary = a[1] + b[1];
    float c = plan->turn_swapped[at], s = plan->turn[at];
    z[at] = (a[0] + b[0]) - imaginary * c + real * s;
    z[at + 1] = (a[1] - b[1]) + real * c + imaginary * s;
  }
}

void
oct_cpu_half_run_back (const OctCpuHalf *half, const fftwf_complex *bins,
    fftwf_complex *spectrum, float *x)
{
  join (half, (const float *)bins, (float *)spectrum);
  fftwf_execute_dft (half->backward, spectrum, (fftwf_complex *)x);
}
