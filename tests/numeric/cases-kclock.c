/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Swept sources with a k-clock.
 */
#include "cases.h"
#include "sweep.h"

#include <math.h>

static const Sweep source = { .samples = 300,
  .cycles = 61,
  .chirp = 0.35,
  .edge = 0.4,
  .snr = 25,
  .jitter = 0.5,
  .depth = 0.9 };

static Array *
array_sweeps (
    GRand *random, const Sweep *sweep, guint lines, char kind, guint size)
{
  gsize values = (gsize)lines * 2 * sweep->samples;
  g_autofree double *sweeps = g_new (double, values);
  Array *array = array_new (kind, size, lines, 2 * sweep->samples);

  sweep_fill (sweep, random, lines, sweeps);
  for (gsize i = 0; i < values; i++)
    array_set (array, i,
        kind == 'f' ? sweeps[i]
        : size == 1 ? rint (128 + 60 * sweeps[i])
                    : rint (32768 + 15000 * sweeps[i]));
  return array;
}

static Case *
add_kclock (const char *name, const OctKclockParams *params, Array *in)
{
  return cases_add (g_strdup_printf ("kclock-%s", name), OCT_OPERATION_KCLOCK,
      params, sizeof *params, in);
}

static OctKclockParams
params_of (const Sweep *sweep, guint lines, OctSampleFormat format)
{
  return (OctKclockParams){ .format = format,
    .samples = sweep->samples,
    .lines = lines,
    .method = OCT_KCLOCK_AUTO,
    .order = 6,
    .average = 256,
    .max_jitter = 1,
    .min_snr = 5 };
}

static void
add_methods (GRand *random)
{
  static const char *const names[] = { "static", "fit", "full", "auto" };

  for (guint i = 0; i < 4; i++) {
    Sweep sweep = source;
    OctKclockParams params = params_of (&source, 20, OCT_SAMPLE_U16);
    params.method = i;
    /* phases of single samples turn over at the ends of the sweep otherwise */
    if (i == OCT_KCLOCK_FULL) {
      sweep.snr = 45;
      sweep.jitter = 0.1;
    }
    add_kclock (names[i], &params, array_sweeps (random, &sweep, 20, 'u', 2));
  }
  for (guint i = 0; i < 2; i++) {
    Sweep bent = source;
    OctKclockParams params =
        params_of (&source, 17, i ? OCT_SAMPLE_F32 : OCT_SAMPLE_U8);
    bent.bend = 0.3;
    bent.wave = 0.1;
    params.order = i ? 8 : 6;
    params.falling = i;
    add_kclock (i ? "bent-f" : "bent-u1", &params,
        array_sweeps (random, &bent, 17, i ? 'f' : 'u', i ? 4 : 1));
  }
}

/* Delays of whole cycles, of the spectrum, and sizes. */
static void
add_delays (GRand *random)
{
  static const guint sizes[] = { 128, 131, 250, 257 };
  Sweep late = source;
  OctKclockParams params = params_of (&source, 24, OCT_SAMPLE_U16);

  late.jitter = 6;
  late.late = 2.3;
  params.max_jitter = 7;
  params.delay = 2.3;
  add_kclock ("cycles", &params, array_sweeps (random, &late, 24, 'u', 2));
  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++) {
    g_autofree char *name = g_strdup_printf ("%u-samples", sizes[i]);
    Sweep sized = source;
    sized.samples = sizes[i];
    sized.cycles = 0.19 * sizes[i];
    params = params_of (&sized, 1 + 5 * i, OCT_SAMPLE_F32);
    add_kclock (
        name, &params, array_sweeps (random, &sized, 1 + 5 * i, 'f', 4));
  }
}

/* Several frames: the reference is renewed by all, or by some of the A-lines. */
static void
add_renewals (GRand *random)
{
  for (guint i = 0; i < 2; i++) {
    OctKclockParams params = params_of (&source, 20, OCT_SAMPLE_U16);
    Case *test;

    params.average = i ? 8 : 30;
    test = add_kclock (i ? "some" : "renewed", &params,
        array_sweeps (random, &source, 60, 'u', 2));
    test->bscans = 3;
  }
}

/* A-lines that are refused, and frames without a clock between others. */
static void
add_faults (GRand *random)
{
  guint n = source.samples;
  Sweep quiet = source;
  OctKclockParams params = params_of (&source, 20, OCT_SAMPLE_F32);
  Array *in;
  Case *test;

  in = array_sweeps (random, &source, 20, 'f', 4);
  for (guint i = 0; i < n; i++)
    array_set (in, (3 * 2 + 1) * (gsize)n + i, i % 3 ? 0.1 : -0.2);
  for (guint i = 100; i < 140; i++)
    array_set (in, (7 * 2 + 1) * (gsize)n + i, 0);
  for (guint i = 150; i < n; i++)
    array_set (in, (11 * 2 + 1) * (gsize)n + i, -array_get (in, 11, n + i, 0));
  add_kclock ("faults", &params, in);
  quiet.snr = 60;
  in = array_sweeps (random, &quiet, 80, 'f', 4);
  for (guint line = 20; line < 60; line++)
    for (guint i = n; i < 2 * n; i++)
      array_set (in, (gsize)line * 2 * n + i, 0);
  test = add_kclock ("lost", &params, in);
  test->bscans = 4;
}

void
cases_add_kclock (GRand *random)
{
  add_methods (random);
  add_delays (random);
  add_renewals (random);
  add_faults (random);
}
