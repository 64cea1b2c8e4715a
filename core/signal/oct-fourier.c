/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-fourier.h"

#include <math.h>
#include <string.h>

struct _OctFourier {
  guint length, padded;     /* padded: a power of two */
  double complex *twiddles; /* [padded / 2] exp (-2 pi i j / padded) */
  double complex *work;     /* [padded] */
  /* for a length that is not a power of two: exp (-i pi j^2 / length), the
   * transform of its conjugate, and the sum itself */
  double complex *chirp, *kernel, *sum;
};

static double complex *
new_complex (guint n)
{
  return g_new0 (double complex, n);
}

/* Stockham's form: no bit reversal.  The result is in x. */
static void
fourier_transform (const OctFourier *f, double complex *x)
{
  double complex *from = x, *to = f->work, *swap;

  for (guint half = f->padded / 2, run = 1; half >= 1; half /= 2, run *= 2) {
    for (guint j = 0; j < half; j++) {
      double complex w = f->twiddles[j * run];

      for (guint i = 0; i < run; i++) {
        double complex a = from[j * run + i];
        double complex b = from[(j + half) * run + i];
        double complex d = a - b;

        to[2 * j * run + i] = a + b;
        to[(2 * j + 1) * run + i] =
            (creal (w) * creal (d) - cimag (w) * cimag (d))
            + I * (creal (w) * cimag (d) + cimag (w) * creal (d));
      }
    }
    swap = from;
    from = to;
    to = swap;
  }
  if (from != x)
    memcpy (x, from, sizeof *x * f->padded);
}

/* x_q = conj-symmetric convolution of the chirped values with the chirp. */
static void
transform_any_length (const OctFourier *f, double complex *x)
{
  for (guint j = 0; j < f->padded; j++)
    f->sum[j] = j < f->length ? x[j] * f->chirp[j] : 0;
  fourier_transform (f, f->sum);
  for (guint q = 0; q < f->padded; q++)
    f->sum[q] = conj (f->sum[q] * f->kernel[q]);
  fourier_transform (f, f->sum);
  for (guint q = 0; q < f->length; q++)
    x[q] = conj (f->sum[q]) / f->padded * f->chirp[q];
}

static void
prepare_any_length (OctFourier *f)
{
  f->chirp = new_complex (f->length);
  f->kernel = new_complex (f->padded);
  f->sum = new_complex (f->padded);
  for (guint j = 0; j < f->length; j++) {
    /* j^2 in full: a large phase would lose its digits */
    guint64 square = (guint64)j * j % (2 * (guint64)f->length);

    f->chirp[j] = cexp (-I * G_PI * (double)square / f->length);
    f->kernel[j] = conj (f->chirp[j]);
    if (j > 0)
      f->kernel[f->padded - j] = f->kernel[j];
  }
  fourier_transform (f, f->kernel);
}

OctFourier *
oct_fourier_new (guint length)
{
  OctFourier *f = g_new0 (OctFourier, 1);

  f->length = length;
  f->padded = 1;
  while (f->padded < length)
    f->padded *= 2;
  if (f->padded != length)
    while (f->padded < 2 * length - 1)
      f->padded *= 2;
  f->twiddles = new_complex (MAX (f->padded / 2, 1));
  f->work = new_complex (f->padded);
  for (guint j = 0; j < f->padded / 2; j++)
    f->twiddles[j] = cexp (-2 * I * G_PI * j / f->padded);
  if (f->padded != length)
    prepare_any_length (f);
  return f;
}

void
oct_fourier_free (OctFourier *f)
{
  if (f == NULL)
    return;
  g_free (f->twiddles);
  g_free (f->work);
  g_free (f->chirp);
  g_free (f->kernel);
  g_free (f->sum);
  g_free (f);
}

void
oct_fourier_forward (OctFourier *f, double complex *x)
{
  if (f->chirp != NULL)
    transform_any_length (f, x);
  else
    fourier_transform (f, x);
}

void
oct_fourier_backward (OctFourier *f, double complex *x)
{
  for (guint j = 0; j < f->length; j++)
    x[j] = conj (x[j]);
  oct_fourier_forward (f, x);
  for (guint j = 0; j < f->length; j++)
    x[j] = conj (x[j]) / f->length;
}
