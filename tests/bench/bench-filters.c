/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Speed of the filters of images on the CPU, an image of 8 bit at a time:
 *
 *   bench-filters --width 1000 --height 2048
 */
#include "filter-cases.h"

#include <stdlib.h>

static gint width = 1000, height = 2048, repetitions = 20, threads = 0;

static GOptionEntry options[] = {
  { "width", 0, 0, G_OPTION_ARG_INT, &width, "A-lines", "N" },
  { "height", 0, 0, G_OPTION_ARG_INT, &height, "Depths", "N" },
  { "repetitions", 0, 0, G_OPTION_ARG_INT, &repetitions, "Images timed", "N" },
  { "threads", 0, 0, G_OPTION_ARG_INT, &threads, "0 = one per core", "N" },
  { NULL },
};

static int
compare (const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;

  return (x > y) - (x < y);
}

static void
measure (const FilterCase *one, guint8 *in, guint8 *out)
{
  const OctOperationTable *table =
      oct_backend_cpu ()->operations[one->operation];
  OctFrame from = { { { in, (gsize)width } } };
  OctFrame to = { { { out, (gsize)width } } };
  g_autofree double *times = g_new (double, (gsize)repetitions);
  GError *error = NULL;
  OctPlan *plan = table->create (&one->params, &error);

  for (gint i = -2; plan != NULL && i < repetitions; i++) {
    gint64 start = g_get_monotonic_time ();

    if (!table->run (plan, &from, &to, NULL, &error))
      break;
    if (i >= 0)
      times[i] = (double)(g_get_monotonic_time () - start);
  }
  if (error != NULL) {
    g_printerr ("%s: %s\n", one->name, error->message);
    exit (1);
  }
  qsort (times, (size_t)repetitions, sizeof (double), compare);
  g_print ("%-16s %8.2f ms\n", one->name, times[repetitions / 2] * 1e-3);
  table->destroy (plan);
}

int
main (int argc, char **argv)
{
  g_autoptr (GOptionContext) context =
      g_option_context_new ("- speed of the filters of images");
  GError *error = NULL;
  FilterCase cases[N_FILTER_CASES];
  g_autofree guint8 *in = NULL, *out = NULL;
  g_autoptr (GRand) random = g_rand_new_with_seed (1);

  g_option_context_add_main_entries (context, options, NULL);
  if (!g_option_context_parse (context, &argc, &argv, &error)) {
    g_printerr ("%s\n", error->message);
    return 2;
  }
  width = CLAMP (width, 1, (gint)OCT_MAX_SAMPLES);
  height = CLAMP (height, 1, (gint)OCT_MAX_LINES);
  repetitions = MAX (repetitions, 1);
  oct_backend_cpu_set_threads ((guint)MAX (threads, 0));
  in = g_malloc ((gsize)width * (gsize)height);
  out = g_malloc ((gsize)width * (gsize)height);
  for (gsize i = 0; i < (gsize)width * (gsize)height; i++)
    in[i] = (guint8)g_rand_int_range (random, 0, 256);
  filter_cases_fill (cases, (guint)width, (guint)height);
  g_print (
      "%d x %d, %u threads\n", width, height, oct_backend_cpu_get_threads ());
  for (guint i = 0; i < N_FILTER_CASES; i++)
    measure (&cases[i], in, out);
  return 0;
}
