/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-number.h"

#include <math.h>

#define MOST_DECIMALS 9

static gint
number_compare (double a, double b)
{
  return (a > b) - (a < b);
}

char *
oct_number_beside (double value, double limit, guint decimals)
{
  for (; decimals < MOST_DECIMALS; decimals++) {
    double scale = pow (10, decimals);

    if (number_compare (rint (value * scale), rint (limit * scale))
        == number_compare (value, limit))
      break;
  }
  return g_strdup_printf ("%.*f", (int)decimals, value);
}

char *
oct_number_count (guint64 count, const char *one)
{
  return g_strdup_printf (
      "%" G_GUINT64_FORMAT " %s%s", count, one, count == 1 ? "" : "s");
}

const char *
oct_number_be (guint64 count)
{
  return count == 1 ? "is" : "are";
}
