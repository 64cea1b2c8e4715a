/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * How coarse pictures get that would take too long.
 */
#include "gstoctpace.h"

/* Settles for pictures whose rays take `rays` seconds where all are cast. */
static guint
settle (GstOctPace *pace, double most, double rays, double fixed)
{
  guint now = MAX (1, pace->coarseness);

  for (guint i = 0; i < 20; i++)
    now = gst_oct_pace_next (pace, most, fixed + rays / now / now, fixed);
  return now;
}

static void
test_rays (void)
{
  GstOctPace pace = { 0 };

  g_assert_cmpuint (settle (&pace, 0.04, 0.03, 0), ==, 1);
  /* a ninth of them is made in time, a quarter is not */
  g_assert_cmpuint (settle (&pace, 0.04, 0.3, 0), ==, 3);
  g_assert_cmpuint (settle (&pace, 0.04, 100, 0), ==, GST_OCT_PACE_COARSEST);
  g_assert_cmpuint (settle (&pace, 0.04, 0.03, 0), ==, 1);
  /* any time */
  g_assert_cmpuint (settle (&pace, 0, 100, 0), ==, 1);
}

/* Time that is not spent on rays does not become less with fewer of them. */
static void
test_fixed (void)
{
  GstOctPace pace = { 0 };

  g_assert_cmpuint (settle (&pace, 0.1, 0.04, 0.05), ==, 1);
  g_assert_cmpuint (settle (&pace, 0.1, 0.15, 0.05), ==, 2);
  /* no time is left: a quarter of it for rays */
  g_assert_cmpuint (settle (&pace, 0.1, 0.04, 0.3), ==, 2);
  g_assert_cmpuint (settle (&pace, 0.1, 0.015, 0.3), ==, 1);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/pace/rays", test_rays);
  g_test_add_func ("/pace/fixed", test_fixed);
  return g_test_run ();
}
