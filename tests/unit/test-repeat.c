/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The length of A-lines from the values of a file, of sources of which it is
 * known, and numbers beside a limit. */
#include "oct-number.h"
#include "oct-repeat.h"
#include "oct-test.h"

#include <math.h>

typedef struct {
  guint samples, lines;
  double bin, noise; /* noise: rms, over the amplitude of the fringe */
  double width;      /* of the source, over the record; 0: the same light in all
                        samples */
} Source;

static double
draw (GRand *random)
{
  double u = 1 - g_rand_double (random), v = g_rand_double (random);

  return sqrt (-2 * log (u)) * cos (2 * G_PI * v);
}

/* Fringes of one mirror, each of another phase. */
static double *
fringes_new (const Source *s)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (s->samples);
  double *values = g_new (double, (gsize)s->samples * s->lines);

  for (guint line = 0; line < s->lines; line++) {
    double phase = g_rand_double_range (random, 0, 2 * G_PI);

    for (guint i = 0; i < s->samples; i++) {
      double x = i / (s->samples - 1.0) - 0.5;
      double light = s->width > 0 ? exp (-pow (x / s->width, 2)) : 1;

      values[(gsize)line * s->samples + i] =
          1000 + light * cos (2 * G_PI * s->bin * x + 30 * x * x + phase)
          + s->noise * draw (random);
    }
  }
  return values;
}

static void
test_lengths (void)
{
  static const Source sources[] = { { 900, 200, 95, 0.3, 0.28 },
    { 1024, 100, 20, 0.3, 0.2 }, { 1025, 300, 300, 0.5, 0.28 },
    { 2048, 100, 700, 0.1, 0.4 }, { 448, 1000, 60, 0.5, 0.28 } };

  for (guint i = 0; i < G_N_ELEMENTS (sources); i++) {
    const Source *s = &sources[i];
    g_autofree double *values = fringes_new (s);

    g_assert_cmpuint (
        oct_repeat_find (values, (gsize)s->samples * s->lines), ==, s->samples);
    /* wherever a file begins */
    g_assert_cmpuint (oct_repeat_find (values + s->samples / 3,
                          (gsize)s->samples * (s->lines - 1)),
        ==, s->samples);
  }
}

/* Noise, constant values, few A-lines: nothing repeats for certain. */
static void
test_uncertain (void)
{
  static const Source sources[] = { { 900, 300, 95, 1e3, 0.28 },
    { 900, 60, 95, 0, 0.28 }, { 900, 1, 95, 0, 0.28 } };
  g_autofree double *same = g_new0 (double, 100000);

  for (guint i = 0; i < G_N_ELEMENTS (sources); i++) {
    const Source *s = &sources[i];
    g_autofree double *values = fringes_new (s);

    g_test_message ("source %u", i);
    g_assert_cmpuint (
        oct_repeat_find (values, (gsize)s->samples * s->lines), ==, 0);
  }
  g_assert_cmpuint (oct_repeat_find (same, 100000), ==, 0);
}

/* Light that is the same in all samples shows its A-lines at their ends alone:
 * these, or nothing, and never the period of the fringe. */
static void
test_flat (void)
{
  static const Source sources[] = { { 900, 300, 95, 0, 0 },
    { 900, 300, 95, 0.3, 0 }, { 1024, 300, 20, 0.1, 0 } };

  for (guint i = 0; i < G_N_ELEMENTS (sources); i++) {
    const Source *s = &sources[i];
    g_autofree double *values = fringes_new (s);
    guint found = oct_repeat_find (values, (gsize)s->samples * s->lines);

    if (found != 0)
      g_assert_cmpuint (found, ==, s->samples);
  }
}

static void
check_number (double value, double limit, guint decimals, const char *expected)
{
  g_autofree char *text = oct_number_beside (value, limit, decimals);

  g_assert_cmpstr (text, ==, expected);
}

/* One of them, none, several. */
static void
test_count (void)
{
  static const struct {
    guint64 count;
    const char *text, *be;
  } counts[] = {
    { 0, "0 B-scans", "are" },
    { 1, "1 B-scan", "is" },
    { 2, "2 B-scans", "are" },
    { G_MAXUINT64, "18446744073709551615 B-scans", "are" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (counts); i++) {
    g_autofree char *text = oct_number_count (counts[i].count, "B-scan");

    g_assert_cmpstr (text, ==, counts[i].text);
    g_assert_cmpstr (oct_number_be (counts[i].count), ==, counts[i].be);
  }
}

/* A sentence does not contradict itself. */
static void
test_numbers (void)
{
  check_number (9.4, 15, 0, "9");
  check_number (14.4, 15, 0, "14");
  check_number (14.6, 15, 0, "14.6");
  check_number (14.97, 15, 0, "14.97");
  check_number (15, 15, 0, "15");
  check_number (15.3, 15, 0, "15.3");
  check_number (0.52, 0.5, 1, "0.52");
  check_number (0.503, 0.5, 1, "0.503");
  check_number (0.6, 0.5, 1, "0.6");
  check_number (12.31, 12.34, 1, "12.31");
  check_number (12.34, 12.31, 1, "12.34");
  check_number (-14.6, -15, 0, "-14.6");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/repeat/lengths", test_lengths);
  g_test_add_func ("/repeat/uncertain", test_uncertain);
  g_test_add_func ("/repeat/flat", test_flat);
  g_test_add_func ("/number/beside", test_numbers);
  g_test_add_func ("/number/count", test_count);
  return g_test_run ();
}
