/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The gridding kernels of weights on the fly, in single precision, against
 * their definitions in double, with the accuracy stated in oct-nufft-kernel.h,
 * which the errors of gridding that they enter are too large to show.
 */
#include "oct-nufft-kernel.h"

#include <glib.h>

#define WINDOW 0.7

/* I0 by its power series, all terms of which are positive. */
static double
bessel_i0 (double x)
{
  double term = 1, sum = 1;

  for (guint k = 1; term > 1e-17 * sum; k++)
    sum += term *= x * x / 4 / ((double)k * k);
  return sum;
}

/* Beyond the beta of every oversampling and width there is. */
static void
test_bessel (void)
{
  double worst = 0;

  g_assert_cmpfloat (oct_kernel_i0 (0), ==, 1);
  /* Abramowitz and Stegun, table 9.8: exp (-x) I0 (x) at 1, 5 and 10 */
  g_assert_cmpfloat (fabs (bessel_i0 (1) * exp (-1) - 0.4657596077), <, 1e-9);
  g_assert_cmpfloat (fabs (bessel_i0 (5) * exp (-5) - 0.1835408126), <, 1e-9);
  g_assert_cmpfloat (fabs (bessel_i0 (10) * exp (-10) - 0.1278333372), <, 1e-9);
  for (guint i = 0; i <= 300000; i++) {
    float x = (float)i * 1e-4f;
    double expected = bessel_i0 (x);
    worst = MAX (worst, fabs (oct_kernel_i0 (x) - expected) / expected);
  }
  g_test_message ("relative error up to %.2g", worst);
  g_assert_cmpfloat (worst, <, 5e-7);
}

static void
check_weights (double oversampling, int width, double *bessel, double *gaussian)
{
  double root = width / oversampling * (oversampling - 0.5);
  float beta = (float)(G_PI * sqrt (root * root - 0.8));
  float t = (float)(oversampling * width / (8 * G_PI * (oversampling - 0.5)));
  float table[8], weights[8];

  for (int m = 0; m < width; m++)
    table[m] = (float)exp (-pow (m - width / 2, 2) / (4 * t));
  for (int i = 0; i < 1000; i++) {
    /* of the lowest cell that a sample reaches */
    float offset = (float)(-width / 2.0 + i / 1000.0);

    oct_kernel_kaiser_bessel (beta, width, offset, (float)WINDOW, weights);
    for (int m = 0; m < width; m++) {
      double x = 2 * ((double)offset + m) / width;
      double expected =
          WINDOW / width * bessel_i0 (beta * sqrt ((1 - x) * (1 + x)));
      *bessel = fmax (*bessel, fabs (weights[m] / expected - 1));
    }
    oct_kernel_gaussian (t, width, offset, (float)WINDOW, table, weights);
    for (int m = 0; m < width; m++) {
      double expected = WINDOW * exp (-pow ((double)offset + m, 2) / (4 * t));
      *gaussian = fmax (*gaussian, fabs (weights[m] / expected - 1));
    }
  }
}

static void
test_weights (void)
{
  static const double oversamplings[] = { 1.25, 1.5, 2, 4 };
  double bessel = 0, gaussian = 0;

  for (guint i = 0; i < G_N_ELEMENTS (oversamplings); i++)
    for (int width = 2; width <= 8; width++)
      check_weights (oversamplings[i], width, &bessel, &gaussian);
  g_test_message ("relative errors up to %.2g and %.2g", bessel, gaussian);
  g_assert_cmpfloat (bessel, <, 1e-5);
  g_assert_cmpfloat (gaussian, <, 2e-6);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/bessel", test_bessel);
  g_test_add_func ("/weights", test_weights);
  return g_test_run ();
}
