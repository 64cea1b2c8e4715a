/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-scan-tuner.h"
#include "oct-fourier.h"

#include <math.h>
#include <string.h>

#define EDGE 0.05 /* of the A-lines, at either side */
#define OVERLAP 8 /* A-lines that two B-scans have in common at least */
#define NEAR 16   /* values at either side of the largest one */
#define UP 16     /* interpolated values for each A-line */
#define PARABOLA (UP / 2)
#define ROUNDING                                                               \
  1e-20 /* energy of the roundings of a mean, part of the power */

/* One pair of B-scans. */
typedef struct {
  double shift, correlation;
  gboolean at_end; /* the largest value is the last one that was looked at */
} Pair;

typedef struct {
  const OctScanSweeps *sweeps;
  guint edge, lines; /* A-lines left out at each side, and those between */
  guint reach;
  guint length; /* of the transform, a power of two */
  OctFourier *fourier;
  double complex *row; /* [length] a depth of both B-scans */
  double complex *sum; /* [length] cross spectrum of all depths */
  double *energy[2];   /* [lines + 1] of the A-lines before each */
  double power[2];     /* of all values, with their means */
  double *r;           /* [2 reach + 1] */
} Tuner;

static void
tuner_init (Tuner *tuner, const OctScanSweeps *sweeps)
{
  guint n;

  *tuner = (Tuner){ .sweeps = sweeps, .edge = (guint)(EDGE * sweeps->lines) };
  n = tuner->lines = sweeps->lines - 2 * tuner->edge;
  tuner->reach = MIN (MAX (OCT_SCAN_TUNER_REACH, n / 4), n - OVERLAP);
  tuner->length = 1;
  while (tuner->length < 2 * n)
    tuner->length *= 2;
  tuner->fourier = oct_fourier_new (tuner->length);
  tuner->row = g_new (double complex, tuner->length);
  tuner->sum = g_new (double complex, tuner->length);
  tuner->r = g_new (double, 2 * (gsize)tuner->reach + 1);
  for (guint i = 0; i < 2; i++)
    tuner->energy[i] = g_new (double, (gsize)n + 1);
}

static void
tuner_clear (Tuner *tuner)
{
  oct_fourier_free (tuner->fourier);
  g_free (tuner->row);
  g_free (tuner->sum);
  g_free (tuner->r);
  for (guint i = 0; i < 2; i++)
    g_free (tuner->energy[i]);
}

/* ----------------------------------------------------------- one pair: r (l) */

/* A-line i of those that are used, from left to right. */
static double
tuner_get (const Tuner *tuner, guint sweep, guint line, guint depth)
{
  const OctScanSweeps *s = tuner->sweeps;
  guint at = tuner->edge + line;

  if (s->reverse[sweep])
    at = s->lines - 1 - at;
  return s->amplitudes[((gsize)sweep * s->lines + at) * s->depths + depth];
}

/* Puts a depth of B-scan `sweep` into the row, as its real part, and that of
 * the next one as its imaginary part. */
static void
tuner_take_depth (Tuner *tuner, guint sweep, guint depth)
{
  guint n = tuner->lines;
  double mean[2] = { 0, 0 };

  for (guint part = 0; part < 2; part++) {
    for (guint i = 0; i < n; i++)
      mean[part] += tuner_get (tuner, sweep + part, i, depth);
    mean[part] /= n;
  }
  for (guint i = 0; i < tuner->length; i++) {
    double a, b;

    if (i >= n) {
      tuner->row[i] = 0;
      continue;
    }
    a = tuner_get (tuner, sweep, i, depth);
    b = tuner_get (tuner, sweep + 1, i, depth);
    tuner->power[0] += a * a;
    tuner->power[1] += b * b;
    a -= mean[0];
    b -= mean[1];
    tuner->row[i] = a + b * I;
    tuner->energy[0][i + 1] += a * a;
    tuner->energy[1][i + 1] += b * b;
  }
}

/* Adds B conj (A) of the row, which has the transform A + i B of two real
 * rows. */
static void
tuner_add_spectrum (Tuner *tuner)
{
  guint m = tuner->length;

  oct_fourier_forward (tuner->fourier, tuner->row);
  for (guint q = 0; q < m; q++) {
    double complex z = tuner->row[q], mirror = conj (tuner->row[(m - q) % m]);

    tuner->sum[q] += (z - mirror) / (2 * I) * conj ((z + mirror) / 2);
  }
}

/* Whether there is more than the roundings of the means. */
static gboolean
tuner_has_structure (const Tuner *tuner)
{
  for (guint i = 0; i < 2; i++)
    if (!(tuner->energy[i][tuner->lines] > ROUNDING * tuner->power[i]))
      return FALSE;
  return TRUE;
}

static gboolean
tuner_is_cancelled (const Tuner *tuner)
{
  const gint *cancelled = tuner->sweeps->cancelled;

  return cancelled != NULL && g_atomic_int_get (cancelled);
}

/* Writes r (l) of l = -reach .. reach; 0 without structure. */
static void
tuner_correlate (Tuner *tuner, guint sweep)
{
  gint n = (gint)tuner->lines, reach = (gint)tuner->reach;
  gint m = (gint)tuner->length;
  gboolean structure;

  memset (tuner->sum, 0, tuner->length * sizeof *tuner->sum);
  for (guint i = 0; i < 2; i++) {
    memset (tuner->energy[i], 0, ((gsize)n + 1) * sizeof (double));
    tuner->power[i] = 0;
  }
  for (guint depth = 0;
       depth < tuner->sweeps->depths && !tuner_is_cancelled (tuner); depth++) {
    tuner_take_depth (tuner, sweep, depth);
    tuner_add_spectrum (tuner);
  }
  oct_fourier_backward (tuner->fourier, tuner->sum);
  for (gint i = 0; i < n; i++)
    for (guint k = 0; k < 2; k++)
      tuner->energy[k][i + 1] += tuner->energy[k][i];
  structure = tuner_has_structure (tuner);
  for (gint l = -reach; l <= reach; l++) {
    gint first = MAX (0, -l), end = MIN (n, n - l);
    double a = tuner->energy[0][end] - tuner->energy[0][first];
    double b = tuner->energy[1][end + l] - tuner->energy[1][first + l];
    double both = structure && a > 0 && b > 0 ? sqrt (a) * sqrt (b) : 0;

    tuner->r[l + reach] = both > 0 ? creal (tuner->sum[(l + m) % m]) / both : 0;
  }
}

/* -------------------------------------------------- one pair: the largest one */

/* q[count] at every 1/UP, z[count UP]: a straight line from end to end, and
 * Fourier's series of the rest. */
static void
interpolate (const double *q, guint count, double *z)
{
  double slope = (q[count - 1] - q[0]) / (count - 1);
  double complex series[NEAR + 1];
  guint most = count / 2;

  for (guint k = 0; k <= most; k++) {
    series[k] = 0;
    for (guint i = 0; i < count; i++)
      series[k] += (q[i] - q[0] - slope * i)
                   * cexp (-2 * G_PI * I * (double)((k * i) % count) / count);
  }
  for (guint j = 0; j < count * UP; j++) {
    double sum = creal (series[0]);

    for (guint k = 1; k <= most; k++)
      sum += 2
             * creal (series[k]
                      * cexp (2 * G_PI * I * (double)((k * j) % (count * UP))
                              / (count * UP)));
    z[j] =
        sum / count + q[0] + slope * MIN ((double)j / UP, (double)(count - 1));
  }
}

/* The top of a parabola through z[-PARABOLA .. PARABOLA], in steps from z[0]. */
static double
find_top (const double *z)
{
  double n = 0, t2 = 0, t4 = 0, y = 0, ty = 0, t2y = 0, slope, bend;

  for (gint t = -PARABOLA; t <= PARABOLA; t++) {
    n++;
    t2 += t * t;
    t4 += (double)t * t * t * t;
    y += z[t];
    ty += t * z[t];
    t2y += t * t * z[t];
  }
  slope = ty / t2;
  bend = (n * t2y - t2 * y) / (n * t4 - t2 * t2);
  return bend < 0 ? CLAMP (-slope / (2 * bend), -PARABOLA, PARABOLA) : 0;
}

static Pair
tuner_find_shift (const Tuner *tuner)
{
  gint count = 2 * (gint)tuner->reach + 1, top = 0, first, near, best;
  double z[(2 * NEAR + 1) * UP];

  for (gint i = 1; i < count; i++)
    if (tuner->r[i] > tuner->r[top])
      top = i;
  if (top == 0 || top == count - 1)
    return (Pair){ top - (gint)tuner->reach, tuner->r[top], TRUE };
  first = MAX (0, top - NEAR);
  near = MIN (count, top + NEAR + 1) - first;
  interpolate (tuner->r + first, (guint)near, z);
  best = (top - first - 1) * UP;
  for (gint j = best; j <= (top - first + 1) * UP; j++)
    if (z[j] > z[best])
      best = j;
  best = CLAMP (best, PARABOLA, near * UP - PARABOLA - 1);
  return (Pair){ first - (gint)tuner->reach + (best + find_top (z + best)) / UP,
    tuner->r[top], FALSE };
}

/* ---------------------------------------------------------------- all of them */

static gboolean
tuner_check (const OctScanSweeps *s, GError **error)
{
  gsize count = (gsize)s->sweeps * s->lines * s->depths;
  gboolean pairs = FALSE;

  if (s->lines < OCT_SCAN_TUNER_LEAST_LINES || s->lines > OCT_MAX_LINES
      || s->depths < 1) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "The delay was to be found in B-scans of %u A-lines of %u depths; %u "
        "to %u A-lines and at least one depth are needed, set `lines` of the "
        "scan.",
        s->lines, s->depths, OCT_SCAN_TUNER_LEAST_LINES, OCT_MAX_LINES);
    return FALSE;
  }
  for (guint i = 0; i + 1 < s->sweeps && !pairs; i++)
    pairs = !s->reverse[i] != !s->reverse[i + 1]
            && (s->apart == NULL || !s->apart[i + 1]);
  if (!pairs) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "None of %u B-scans came right after one in the opposite direction, "
        "and the delay is found from such pairs; take a raster with "
        "bidirectional=true and more B-scans.",
        s->sweeps);
    return FALSE;
  }
  for (gsize i = 0; i < count; i++)
    if (!isfinite (s->amplitudes[i])) {
      g_set_error (error, OCT_ERROR, OCT_ERROR_FORMAT,
          "An A-line of B-scan %u has a value that is not a finite number; the "
          "delay is found from numbers, mend what comes before.",
          (guint)(i / s->lines / s->depths));
      return FALSE;
    }
  return TRUE;
}

/* Means of neighbours, which have a drift with opposite signs. */
static void
average_pairs (const double *lags, guint n, OctScanTuning *found)
{
  double sum = 0, squares = 0;

  found->error = NAN;
  found->lag = lags[0];
  if (n == 1)
    return;
  for (guint i = 0; i + 1 < n; i++)
    sum += (lags[i] + lags[i + 1]) / 2;
  found->lag = sum / (n - 1);
  if (n == 2)
    return;
  for (guint i = 0; i + 1 < n; i++) {
    double off = (lags[i] + lags[i + 1]) / 2 - found->lag;

    squares += off * off;
  }
  found->error = sqrt (squares / (n - 1) / MAX (1.0, (n - 1) / 2.0));
}

/* Standard deviation of pairs of each order, which have the same drift; 0 with
 * less than 3. */
static double
get_spread (const double *lags, guint n)
{
  double sum[2] = { 0, 0 }, squares = 0;

  for (guint i = 0; i < n; i++)
    sum[i % 2] += lags[i];
  for (guint i = 0; i < n; i++) {
    double off = lags[i] - sum[i % 2] / ((n + 1 - i % 2) / 2);

    squares += off * off;
  }
  return n > 2 ? sqrt (squares / (n - 2)) : 0;
}

static gboolean
tuner_judge (const Tuner *tuner, const OctScanTuning *found, guint at_end,
    double spread, GError **error)
{
  if (!(found->correlation >= OCT_SCAN_TUNER_LEAST_CORRELATION)) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_FORMAT,
        "B-scans of both directions resemble each other by %.2f (1 is the "
        "most), and the delay needs %.2f; take them closer together than a "
        "quarter of the spot, at a place with structure and more signal.",
        found->correlation, OCT_SCAN_TUNER_LEAST_CORRELATION);
    return FALSE;
  }
  if (at_end == 0 && !(spread > OCT_SCAN_TUNER_MOST_SPREAD))
    return TRUE;
  if (at_end == 0) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_FORMAT,
        "%u pairs of B-scans give delays that differ by %.1f A-lines, and at "
        "most %g is expected; take B-scans of more A-lines, closer together, "
        "at a place with structure.",
        found->pairs, spread, OCT_SCAN_TUNER_MOST_SPREAD);
    return FALSE;
  }
  g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
      "The directions of %u of %u pairs of B-scans are %u A-lines apart or "
      "more, and a delay of less than %g A-lines can be found; set a delay "
      "that is about right first, as the data sheet of the mirrors says it.",
      at_end, found->pairs, tuner->reach, tuner->reach / 2.0);
  return FALSE;
}

gboolean
oct_scan_tuner_find (
    const OctScanSweeps *sweeps, OctScanTuning *found, GError **error)
{
  g_autofree double *lags = NULL;
  guint at_end = 0;
  gboolean ok;
  Tuner tuner;

  if (!tuner_check (sweeps, error))
    return FALSE;
  *found = (OctScanTuning){ 0 };
  lags = g_new (double, sweeps->sweeps);
  tuner_init (&tuner, sweeps);
  for (guint i = 0; i + 1 < sweeps->sweeps && !tuner_is_cancelled (&tuner);
       i++) {
    gboolean back = sweeps->reverse[i] != 0;
    Pair pair;

    if (back == (sweeps->reverse[i + 1] != 0)
        || (sweeps->apart != NULL && sweeps->apart[i + 1] != 0))
      continue;
    tuner_correlate (&tuner, i);
    pair = tuner_find_shift (&tuner);
    lags[found->pairs++] = (back ? pair.shift : -pair.shift) / 2;
    found->correlation += pair.correlation;
    at_end += pair.at_end;
  }
  ok = !tuner_is_cancelled (&tuner);
  if (ok) {
    found->correlation /= found->pairs;
    average_pairs (lags, found->pairs, found);
    ok = tuner_judge (
        &tuner, found, at_end, get_spread (lags, found->pairs), error);
  }
  tuner_clear (&tuner);
  return ok;
}

/* -------------------------------------------------------------------- the path */

static double
get_distance (const OctScanPoint *a, const OctScanPoint *b)
{
  return hypot (b->at[0] - a->at[0], b->at[1] - a->at[1]);
}

/* B-scan a runs from one end to the other, and the next one, b, back. */
static gboolean
runs_back (const OctScanPoint *a, const OctScanPoint *b, guint lines)
{
  double most = OCT_SCAN_TUNER_NEAR * get_distance (&a[0], &a[lines - 1]);

  for (guint i = 0; i < lines; i++)
    if (!(get_distance (&a[i], &b[lines - 1 - i]) < most))
      return FALSE;
  return TRUE;
}

gboolean
oct_scan_tuner_check_path (
    const OctScanPlaces *places, gboolean axes[OCT_SCAN_AXES], GError **error)
{
  guint lines = places->lines, bscan = 1;
  double moves[OCT_SCAN_AXES] = { 0, 0 };

  while (bscan < places->bscans
         && runs_back (places->points + (gsize)(bscan - 1) * lines,
             places->points + (gsize)bscan * lines, lines))
    bscan++;
  if (places->bscans < 2 || bscan < places->bscans) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "This pattern does not go forth and back: %s, and the delay of the "
        "mirrors is found from such pairs; take a raster with "
        "bidirectional=true whose B-scans are closer together than an eighth "
        "of their length.",
        places->bscans < 2 ? "it has one B-scan"
                           : "not every B-scan runs back along the one before");
    return FALSE;
  }
  for (bscan = 0; bscan < places->bscans; bscan++) {
    const OctScanPoint *points = places->points + (gsize)bscan * lines;

    for (guint axis = 0; axis < OCT_SCAN_AXES; axis++)
      moves[axis] += fabs (points[lines - 1].at[axis] - points[0].at[axis]);
  }
  for (guint axis = 0; axis < OCT_SCAN_AXES; axis++)
    axes[axis] = moves[axis] > OCT_SCAN_TUNER_LEAST_MOVE * moves[1 - axis];
  return TRUE;
}
