/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-reference.h"
#include "oct-window.h"

#include "oct-test.h"

/* At its own samples and at positions of others, some of them outside. */
static void
test_against_reference (void)
{
  static const double t[] = { -0.5, 0.1, 0.9, 2.3, 3.7, 4.4, 5.9, 7.2, 8.4 };
  enum { N = G_N_ELEMENTS (t) };
  double window[N], expected[N];

  for (guint kind = 0; kind < OCT_N_WINDOWS; kind++) {
    oct_window_fill (kind, N, NULL, window);
    oct_reference_window (oct_windows[kind].nick, N, NULL, expected);
    oct_test_assert_close (window, expected, N, 1e-14);
    oct_window_fill (kind, N, t, window);
    oct_reference_window (oct_windows[kind].nick, N, t, expected);
    oct_test_assert_close (window, expected, N, 1e-14);
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
