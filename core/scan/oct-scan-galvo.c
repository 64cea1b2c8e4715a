/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-scan-galvo.h"

#include <math.h>
#include <string.h>

#define ORDER 4 /* y, y', u, and how much u changes until the end of the step */
#define LEAST_RATE 1e-3
#define MOST_RATE 1e9

typedef double Matrix[ORDER][ORDER];

struct _OctScanGalvo {
  gboolean lags;
  guint whole; /* samples of dead time, and */
  double part; /* a part of one */
  /* the step to the sample that is reached `part` after the last one, and the
   * rest of the way; rows y and y' */
  Matrix first, second;
  double state[OCT_SCAN_AXES][2]; /* y, y' / w */
  double input[OCT_SCAN_AXES];    /* u at the last sample */
  OctScanPoint *past;             /* [whole + 2] a ring */
  guint next;                     /* place of the next sample in it */
};

static void
galvo_multiply (Matrix a, Matrix b, Matrix product)
{
  Matrix sum = { { 0 } };

  for (guint i = 0; i < ORDER; i++)
    for (guint j = 0; j < ORDER; j++)
      for (guint k = 0; k < ORDER; k++)
        sum[i][j] += a[i][k] * b[k][j];
  memcpy (product, sum, sizeof sum);
}

/* exp (a), by halving until a Taylor series of 16 terms is exact. */
static void
galvo_exponentiate (Matrix a, Matrix result)
{
  Matrix term = { { 0 } };
  double largest = 0;
  gint halvings;

  for (guint i = 0; i < ORDER; i++)
    for (guint j = 0; j < ORDER; j++)
      largest = MAX (largest, fabs (a[i][j]));
  halvings = largest > 0.05 ? (gint)ceil (log2 (largest / 0.05)) : 0;
  memset (result, 0, sizeof (Matrix));
  for (guint i = 0; i < ORDER; i++) {
    term[i][i] = result[i][i] = 1;
    for (guint j = 0; j < ORDER; j++)
      a[i][j] = ldexp (a[i][j], -halvings);
  }
  for (guint n = 1; n <= 16; n++) {
    galvo_multiply (term, a, term);
    for (guint i = 0; i < ORDER; i++)
      for (guint j = 0; j < ORDER; j++)
        result[i][j] += term[i][j] /= n;
  }
  for (gint i = 0; i < halvings; i++)
    galvo_multiply (result, result, result);
}

/* The step over `time` seconds; in place of y' it has y' / w. */
static void
galvo_plan (double w, double damping, double time, Matrix step)
{
  Matrix a = { { 0, w * time, 0, 0 },
    { -w * time, -2 * damping * w * time, w * time, 0 }, { 0, 0, 0, 1 },
    { 0, 0, 0, 0 } };

  galvo_exponentiate (a, step);
}

OctScanGalvo *
oct_scan_galvo_new (
    double frequency, double damping, double dead, double rate, GError **error)
{
  double samples = dead * rate, w = 2 * G_PI * frequency;
  OctScanGalvo *galvo;

  if (!(rate >= LEAST_RATE && rate <= MOST_RATE)
      || !(frequency >= 0 && frequency <= MOST_RATE)
      || !(damping >= 0.01 && damping <= 10)
      || !(samples >= 0 && samples <= OCT_SCAN_GALVO_MOST_DEAD)) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "Mirrors of %g Hz, damping %g and a dead time of %g s, with %g samples "
        "per s, are not possible; set 0 to 1e9 Hz, 0.01 to 10, at most %u "
        "samples, and 0.001 to 1e9 samples per s.",
        frequency, damping, dead, rate, OCT_SCAN_GALVO_MOST_DEAD);
    return NULL;
  }
  galvo = g_new0 (OctScanGalvo, 1);
  galvo->lags = frequency > 0;
  galvo->whole = (guint)floor (samples);
  galvo->part = samples - floor (samples);
  galvo->past = g_new0 (OctScanPoint, galvo->whole + 2);
  galvo_plan (w, damping, galvo->part / rate, galvo->first);
  galvo_plan (w, damping, (1 - galvo->part) / rate, galvo->second);
  return galvo;
}

void
oct_scan_galvo_free (OctScanGalvo *galvo)
{
  if (galvo == NULL)
    return;
  g_free (galvo->past);
  g_free (galvo);
}

static void
galvo_step (Matrix step, double from, double to, double state[2])
{
  double y = state[0], v = state[1];

  for (guint i = 0; i < 2; i++)
    state[i] = step[i][0] * y + step[i][1] * v + step[i][2] * from
               + step[i][3] * (to - from);
}

OctScanPoint
oct_scan_galvo_follow (OctScanGalvo *galvo, const OctScanPoint *sample)
{
  guint size = galvo->whole + 2, now = galvo->next;
  OctScanPoint at;

  galvo->past[now] = *sample;
  galvo->next = (now + 1) % size;
  for (guint axis = 0; axis < OCT_SCAN_AXES; axis++) {
    /* u bends where a sample comes out of the dead time */
    double bend = galvo->past[(now + 1) % size].at[axis];
    double later = galvo->past[(now + 2) % size].at[axis];
    double end = bend + (later - bend) * (1 - galvo->part);
    double *state = galvo->state[axis];

    galvo_step (galvo->first, galvo->input[axis], bend, state);
    galvo_step (galvo->second, bend, end, state);
    galvo->input[axis] = end;
    at.at[axis] = galvo->lags ? state[0] : end;
  }
  return at;
}
