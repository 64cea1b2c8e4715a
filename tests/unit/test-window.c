/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-window.h"

#include "oct-test.h"
#include "vectors/vectors.h"

#define N G_N_ELEMENTS (window_t)

static void
test_against_reference (void)
{
  static const struct {
    OctWindow kind;
    const double *expected, *at_t;
  } cases[] = {
    { OCT_WINDOW_HANN, window_hann, window_hann_at_t },
    { OCT_WINDOW_NONE, window_none, window_none_at_t },
    { OCT_WINDOW_HAMMING, window_hamming, window_hamming_at_t },
    { OCT_WINDOW_BLACKMAN, window_blackman, window_blackman_at_t },
    { OCT_WINDOW_TUKEY, window_tukey, NULL },
    { OCT_WINDOW_GAUSSIAN, window_gaussian, NULL },
  };
  double window[N];

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    oct_window_fill (cases[i].kind, N, NULL, window);
    oct_test_assert_close (window, cases[i].expected, N, 1e-14);
    if (!cases[i].at_t)
      continue;
    oct_window_fill (cases[i].kind, N, window_t, window);
    oct_test_assert_close (window, cases[i].at_t, N, 1e-14);
  }
}

static void
test_power_and_symmetry (void)
{
  static const guint sizes[] = { 3, 4, 17, 1024, 65536 };

  for (guint kind = 0; kind < OCT_N_WINDOWS; kind++) {
    for (guint s = 0; s < G_N_ELEMENTS (sizes); s++) {
      guint n = sizes[s];
      g_autofree double *window = g_new (double, n);
      double power = 0;

      oct_window_fill (kind, n, NULL, window);
      for (guint i = 0; i < n; i++) {
        power += window[i] * window[i] / n;
        g_assert_cmpfloat_with_epsilon (window[i], window[n - 1 - i], 1e-9);
      }
      g_assert_cmpfloat_with_epsilon (power, 1, 1e-9);
    }
  }
}

/* A window that is zero at each of its few samples would lose the signal. */
static void
test_tiny (void)
{
  for (guint kind = 0; kind < OCT_N_WINDOWS; kind++) {
    double window[2] = { -1, -1 }, t[2] = { -3, 7 };

    oct_window_fill (kind, 0, NULL, window);
    g_assert_cmpfloat (window[0], ==, -1);
    oct_window_fill (kind, 1, NULL, window);
    g_assert_cmpfloat (window[0], ==, 1);
    oct_window_fill (kind, 1, t, window);
    g_assert_cmpfloat (window[0], ==, 1);
    g_assert_cmpfloat (window[1], ==, -1);
    oct_window_fill (kind, 2, t, window);
    g_assert_cmpfloat_with_epsilon (window[0], 1, 1e-12);
    g_assert_cmpfloat_with_epsilon (window[1], 1, 1e-12);
  }
}

static void
test_table (void)
{
  for (guint kind = 0; kind < OCT_N_WINDOWS; kind++) {
    g_assert_nonnull (oct_windows[kind].nick);
    g_assert_nonnull (oct_windows[kind].description);
    g_assert_cmpfloat_with_epsilon (oct_windows[kind].shape (0.5), 1, 1e-12);
  }
  g_assert_cmpstr (oct_windows[OCT_WINDOW_HANN].nick, ==, "hann");
  g_assert_cmpstr (oct_windows[OCT_WINDOW_GAUSSIAN].nick, ==, "gaussian");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/window/reference", test_against_reference);
  g_test_add_func ("/window/power-and-symmetry", test_power_and_symmetry);
  g_test_add_func ("/window/tiny", test_tiny);
  g_test_add_func ("/window/table", test_table);
  return g_test_run ();
}
