/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Scan patterns and the ways between them: known answers, limits in thousands
 * of random settings and changes, files and errors.  tests/quality/scan.py
 * compares the same with the float64 reference.
 */
#include "oct-scan-path.h"
#include "oct-scan-stream.h"

#include "oct-test.h"

#define DT 1e-5

/* Those of docs/scanning.md. */
static const OctScanSettings typical = { .kind = OCT_SCAN_RASTER,
  .line_rate = 1 / DT,
  .lines = 256,
  .bscans = 8,
  .width = 6,
  .height = 6,
  .repeats = 1,
  .group = 1,
  .limits = { { 5, 5 }, { 1e4, 1e4 }, { 5e6, 5e6 } } };
static const OctScanDrive plain = { .smooth = 1 };

/* The largest part of each limit that finite differences of points[n] take. */
static double
find_most (const OctScanLimits *l, double dt, const OctScanPoint *p, guint n)
{
  double most = 0;

  for (guint c = 0; c < 2; c++)
    for (guint i = 0; i < n; i++) {
      most = MAX (most, fabs (p[i].at[c]) / l->amplitude[c]);
      if (i >= 1)
        most = MAX (
            most, fabs (p[i].at[c] - p[i - 1].at[c]) / dt / l->velocity[c]);
      if (i >= 2)
        most =
            MAX (most, fabs (p[i].at[c] - 2 * p[i - 1].at[c] + p[i - 2].at[c])
                           / (dt * dt) / l->acceleration[c]);
    }
  return most;
}

static OctScanPath *
make_path (const OctScanSettings *settings)
{
  GError *error = NULL;
  OctScanPath *path = oct_scan_path_new (settings, &error);

  g_assert_no_error (error);
  return path;
}

/* -------------------------------------------------------------------- joins */

static void
assert_near (double got, double expected, double tolerance)
{
  if (!(fabs (got - expected) <= tolerance))
    g_error ("%.17g is not %.17g", got, expected);
}

/* Rest to rest 2 sqrt (d / a), with a limit d / v + v / a; turning 2 v / a. */
static void
test_known_times (void)
{
  assert_near (oct_scan_join_time (1, 0, 0, 4, 100), 1, 1e-12);
  assert_near (oct_scan_join_time (10, 0, 0, 1, 2), 7, 1e-12);
  assert_near (oct_scan_join_time (0, 3, -3, 2, 10), 3, 1e-12);
  assert_near (oct_scan_join_time (0, 0, 0, 1, 1), 0, 1e-12);
  assert_near (oct_scan_join_time (1.5, 1, 2, 1, 2), 1, 1e-12);
  assert_near (oct_scan_join_time (-1.5, -1, -2, 1, 2), 1, 1e-12);
}

/* The least time found by search: farthest in a time is full acceleration to
 * the highest velocity and back, summed in small steps. */
static double
search_time (double d, double v0, double v1, double a, double v)
{
  double low = fabs (v1 - v0) / a, high = 100;

  for (guint i = 0; i < 60; i++) {
    double t = (low + high) / 2, reach[2];

    for (int side = 0; side < 2; side++) {
      double s = side ? -1 : 1, sum = 0;
      const guint steps = 4000;

      for (guint k = 0; k < steps; k++) {
        double now = (k + 0.5) * t / steps;

        sum += s * MIN (MIN (s * v0 + a * now, s * v1 + a * (t - now)), v) * t
               / steps;
      }
      reach[side] = sum;
    }
    /* what is out of reach once may be in reach before: from below, the first */
    if (reach[1] <= d && d <= reach[0])
      high = t;
    else
      low = t;
  }
  return high;
}

/* The closed form is the least time at all: what can be reached grows with the
 * time wherever the ends' velocities allow any. */
static void
test_least_times (void)
{
  g_autoptr (GRand) r = g_rand_new_with_seed (1);

  for (guint i = 0; i < 60; i++) {
    double v = g_rand_double_range (r, 0.5, 2);
    double a = g_rand_double_range (r, 0.5, 2);
    double d = g_rand_double_range (r, -6, 6);
    /* one end at rest: there is one least time and no gap after it */
    double v0 = i % 2 ? 0 : g_rand_double_range (r, -v, v);
    double v1 = i % 2 ? g_rand_double_range (r, -v, v) : 0;

    d += copysign (2 * v * v / a, d);
    assert_near (oct_scan_join_time (d, v0, v1, a, v),
        search_time (d, v0, v1, a, v), 1e-5);
  }
}

/* 4000 joins of two axes: limits, arrival, and how much longer than the slower
 * axis needs alone. */
static void
test_joins (void)
{
  g_autoptr (GRand) r = g_rand_new_with_seed (2);
  guint late = 0;

  for (guint i = 0; i < 4000; i++) {
    OctScanLimits l = { .amplitude = { 1e9, 1e9 } };
    OctScanState from = { 0 }, to = { 0 };
    g_autoptr (GArray) p = g_array_new (FALSE, FALSE, sizeof (OctScanPoint));
    g_autoptr (GError) error = NULL;
    OctScanPoint ends[3] = { 0 };
    double time = 0, scale[] = { 0.01, 0.3, 5 };

    for (guint c = 0; c < 2; c++) {
      l.velocity[c] = g_rand_double_range (r, 200, 2000);
      l.acceleration[c] = g_rand_double_range (r, 2e5, 2e6);
      from.velocity.at[c] = g_rand_double_range (r, -1, 1) * l.velocity[c];
      to.velocity.at[c] = g_rand_double_range (r, -1, 1) * l.velocity[c];
      to.position.at[c] =
          g_rand_double_range (r, -2, 2) * scale[g_rand_int_range (r, 0, 3)];
      time =
          MAX (time, oct_scan_join_time (to.position.at[c], from.velocity.at[c],
                         to.velocity.at[c], l.acceleration[c], l.velocity[c]));
      ends[0].at[c] = -from.velocity.at[c] * DT;
      ends[2].at[c] = to.position.at[c] + to.velocity.at[c] * DT;
    }
    g_array_append_vals (p, ends, 2);
    g_assert_true (oct_scan_join (&from, &to, &l, DT, p, &error));
    g_assert_no_error (error);
    late += p->len - 1 > MAX (1, ceil (time / DT - 1e-6));
    g_array_append_val (p, to.position);
    g_array_append_val (p, ends[2]);
    g_assert_cmpfloat (
        find_most (&l, DT, (OctScanPoint *)(void *)p->data, p->len), <=,
        1 + 1e-6);
  }
  /* of times that another axis cannot take */
  g_assert_cmpuint (late, <, 4000 * 3 / 100);
}

/* A way whose mean profile leaves the amplitude: x has to wait for y. */
static void
test_amplitude (void)
{
  const OctScanLimits l = { { 5, 5 }, { 1e4, 1e4 }, { 5e6, 5e4 } };
  const OctScanState from = { { { 4.9, -4 } }, { { 900, 0 } } };
  const OctScanState to = { { { -4.9, 4 } }, { { 900, 0 } } };
  g_autoptr (GArray) p = g_array_new (FALSE, FALSE, sizeof (OctScanPoint));

  g_assert_true (oct_scan_join (&from, &to, &l, DT, p, NULL));
  /* 4.9 + v^2 / 2 a = 4.981 */
  g_assert_cmpfloat (
      find_most (&l, DT, (OctScanPoint *)(void *)p->data, p->len), <=,
      1 + 1e-6);
}

/* ----------------------------------------------------------------- patterns */

/* Middles of pixels, and repeats that run the same way as each other. */
static void
test_raster (void)
{
  OctScanSettings s = typical;
  static const guint order[] = { 0, 1, 0, 1, 0, 1, 2, 3, 2, 3, 2, 3 };
  g_autoptr (OctScanPattern) pattern = NULL;

  s.lines = 8;
  s.bscans = 4;
  s.width = 8;
  s.height = 4;
  s.repeats = 3;
  s.group = 2;
  s.bidirectional = TRUE;
  pattern = oct_scan_pattern_new (&s, NULL);
  g_assert_cmpuint (pattern->sweeps->len, ==, 12);
  for (guint i = 0; i < 12; i++) {
    const OctScanSweep *sweep =
        &g_array_index (pattern->sweeps, OctScanSweep, i);

    g_assert_cmpuint (sweep->bscan, ==, order[i]);
    g_assert_cmpuint (sweep->repeat, ==, i % 6 / 2);
    g_assert_cmpint (sweep->reverse, ==, order[i] % 2);
    for (guint k = 0; k < 8; k++) {
      const OctScanPoint *p =
          &g_array_index (pattern->points, OctScanPoint, sweep->first + k);

      assert_near (p->at[0], sweep->reverse ? 3.5 - k : k - 3.5, 1e-12);
      assert_near (p->at[1], sweep->bscan - 1.5, 1e-12);
    }
  }
}

/* x = 3 sin (2 pi q t) and so on, at the numbers of the formula. */
static void
test_curves (void)
{
  OctScanSettings s = typical;
  const double t = 2 * G_PI * (100 + 0.5) / 1024;

  s.lines = 128;
  s.cycles = 3;
  s.angle = G_PI / 2;
  s.offset[0] = 0.25;
  for (s.kind = OCT_SCAN_SPIRAL_ANGULAR; s.kind <= OCT_SCAN_ROSETTE; s.kind++) {
    g_autoptr (OctScanPattern) pattern = oct_scan_pattern_new (&s, NULL);
    const OctScanPoint *p = &g_array_index (pattern->points, OctScanPoint, 100);
    double x = 3 * sin (3 * t), y = 3 * sin (4 * t);

    if (s.kind == OCT_SCAN_ROSETTE) {
      x = 3 * cos (3 * t) * cos (4 * t);
      y = 3 * cos (3 * t) * sin (4 * t);
    } else if (s.kind == OCT_SCAN_SPIRAL_ANGULAR) {
      x = 3 * 100.5 / 1024 * cos (2 * G_PI * 100.5 / 128);
      y = 3 * 100.5 / 1024 * sin (2 * G_PI * 100.5 / 128);
    }
    assert_near (p->at[0], -y + 0.25, 1e-12);
    assert_near (p->at[1], x, 1e-12);
    g_assert_cmpuint (pattern->points->len, ==, 1024);
  }
}

/* Turns as far apart as the pitch says, steps along it as long, whole pieces. */
static void
test_spiral (void)
{
  OctScanSettings s = typical;
  g_autoptr (OctScanPattern) pattern = NULL, fitted = NULL;
  const OctScanPoint *p;
  guint n;

  s.kind = OCT_SCAN_SPIRAL;
  s.lines = 128;
  s.pitch = 0.03;
  pattern = oct_scan_pattern_new (&s, NULL);
  n = pattern->points->len;
  p = &g_array_index (pattern->points, OctScanPoint, 0);
  g_assert_cmpuint (n % s.lines, ==, 0);
  assert_near (hypot (p[n - 1].at[0], p[n - 1].at[1]), 3, 0.02);
  for (guint i = 1; i < n; i++) {
    g_assert_cmpfloat (hypot (p[i].at[0], p[i].at[1]), >,
        hypot (p[i - 1].at[0], p[i - 1].at[1]));
    if (i > n / 2)
      assert_near (
          hypot (p[i].at[0] - p[i - 1].at[0], p[i].at[1] - p[i - 1].at[1]),
          0.03, 0.001);
  }
  /* without a pitch, as many as asked for */
  s.pitch = 0;
  s.bscans = 100;
  s.bidirectional = TRUE;
  fitted = oct_scan_pattern_new (&s, NULL);
  g_assert_cmpuint (fitted->points->len, ==, 2 * 128 * 100);
  g_assert_cmpuint (fitted->volumes, ==, 2);
  p = &g_array_index (fitted->points, OctScanPoint, 0);
  g_assert_cmpmem (&p[0], sizeof *p, &p[2 * 12800 - 1], sizeof *p);
}

/* The figures of docs/scanning.md: samples from the last A-line of a B-scan to
 * the first of the next one, as an independent closed form says. */
static void
test_flyback (void)
{
  static const struct {
    guint lines;
    gboolean both;
    double samples;
  } rows[] = { { 1024, FALSE, 243 }, { 1024, TRUE, 77 }, { 512, FALSE, 270 },
    { 512, TRUE, 77 }, { 256, FALSE, 331 }, { 256, TRUE, 93 } };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    OctScanSettings s = typical;
    g_autoptr (OctScanPath) path = NULL;

    s.lines = rows[i].lines;
    s.bidirectional = rows[i].both;
    path = make_path (&s);
    g_assert_cmpuint (path->taken, ==, s.lines * 8);
    assert_near ((path->body - path->taken) / 7.0, rows[i].samples, 0.01);
  }
}

/* ------------------------------------------------------------------- limits */

static void
draw_settings (GRand *r, const OctScanLimits *limits, OctScanSettings *s)
{
  double size = g_rand_double_range (r, 0.02, 1.1) * limits->amplitude[0];

  *s = typical;
  s->kind = (OctScanKind)g_rand_int_range (r, 0, OCT_SCAN_FILE);
  s->lines = (guint)g_rand_int_range (r, 2, 80);
  s->bscans = (guint)g_rand_int_range (r, 1, 8);
  s->width = 2 * size;
  s->height = 2 * size * g_rand_double_range (r, 0.1, 1);
  s->angle = g_rand_double_range (r, -4, 4);
  s->offset[0] = g_rand_double_range (r, -0.3, 0.3) * limits->amplitude[0];
  s->offset[1] = g_rand_double_range (r, -0.3, 0.3) * limits->amplitude[1];
  s->bidirectional = g_rand_boolean (r);
  s->repeats = (guint)g_rand_int_range (r, 1, 3);
  s->group = (guint)g_rand_int_range (r, 1, 4);
  s->settle = g_rand_int_range (r, 0, 2) * g_rand_double_range (r, 0, 3e-4);
  s->smooth = g_rand_int_range (r, 0, 2) * g_rand_double_range (r, 0, 3e-4);
  s->limits = *limits;
}

/* A path for these settings, at the line rate that a refusal names; NULL: it
 * names none.  The named one works, and is not needlessly low. */
static OctScanPath *
make_slower (OctScanSettings *s, guint *refused)
{
  g_autoptr (GError) error = NULL;
  OctScanPath *path = oct_scan_path_new (s, &error);
  const char *named;
  double rate;

  if (path != NULL)
    return path;
  ++*refused;
  g_assert_error (error, OCT_ERROR, OCT_ERROR_SETTINGS);
  g_assert_nonnull (strstr (error->message, "times limit-"));
  named = strstr (error->message, "a line-rate of at most ");
  if (named == NULL) {
    /* a spiral of few turns is longer or shorter as its pitch changes, and one
     * sample to settle takes longer at a lower rate */
    g_assert_true (s->kind == OCT_SCAN_SPIRAL || s->settle > 0
                   || strstr (error->message, "limit-amplitude") != NULL);
    return NULL;
  }
  rate = g_ascii_strtod (named + strlen ("a line-rate of at most "), NULL);
  g_assert_cmpfloat (rate, <, s->line_rate);
  if (s->kind != OCT_SCAN_SPIRAL && s->settle == 0 && s->smooth == 0) {
    s->line_rate = ceil (rate * 1.01) + 1;
    g_assert_null (oct_scan_path_new (s, NULL));
  }
  s->line_rate = rate;
  path = oct_scan_path_new (s, NULL);
  g_assert_nonnull (path);
  return path;
}

/* From rest through three random paths and back, with changes of the drive: no
 * difference of any samples is over a limit. */
static gboolean
try_changes (GRand *r, guint *refused)
{
  OctScanLimits l;
  OctScanSettings s;
  OctScanDrive drive = plain;
  OctScanPoint points[400];
  guint8 active[400];
  g_autoptr (OctScanPath) path = NULL;
  g_autoptr (OctScanStream) stream = NULL;
  g_autoptr (GArray) all = g_array_new (FALSE, FALSE, sizeof (OctScanPoint));
  double rate;
  guint got, passes = 0;

  for (guint c = 0; c < 2; c++) {
    l.amplitude[c] = g_rand_double_range (r, 1, 5);
    l.velocity[c] = pow (10, g_rand_double_range (r, 3, 4.5));
    l.acceleration[c] = pow (10, g_rand_double_range (r, 6, 7.3));
  }
  draw_settings (r, &l, &s);
  path = make_slower (&s, refused);
  if (path == NULL)
    return FALSE;
  rate = s.line_rate;
  drive.smooth = oct_scan_smooth_count (&s);
  drive.delay[0] = g_rand_double_range (r, -1e-4, 3e-4);
  drive.delay[1] = g_rand_double_range (r, -1e-4, 3e-4);
  stream = oct_scan_stream_new (path, &drive, 0);
  while ((got = oct_scan_stream_read (stream, points, active, 400)) == 400) {
    g_autoptr (OctScanPath) next = NULL;

    g_array_append_vals (all, points, got);
    if (++passes == 12)
      oct_scan_stream_stop (stream);
    if (passes > 10 || passes % 3 != 0)
      continue;
    draw_settings (r, &l, &s);
    s.line_rate = rate;
    next = oct_scan_path_new (&s, NULL);
    if (next == NULL)
      continue;
    if (g_rand_int_range (r, 0, 3) == 0)
      drive.delay[0] = g_rand_double_range (r, -1e-4, 3e-4);
    drive.smooth = oct_scan_smooth_count (&s);
    oct_scan_stream_change (stream, next, &drive);
  }
  g_array_append_vals (all, points, got);
  g_assert_cmpfloat (
      find_most (&l, 1 / rate, (OctScanPoint *)(void *)all->data, all->len), <=,
      1 + 1e-6);
  /* from rest to rest in the middle */
  for (guint c = 0; c < 2; c++) {
    g_assert_cmpfloat (g_array_index (all, OctScanPoint, 0).at[c], ==, 0);
    assert_near (
        g_array_index (all, OctScanPoint, all->len - 1).at[c], 0, 1e-9);
  }
  return TRUE;
}

/* 10 000 random settings. */
static void
test_limits (void)
{
  g_autoptr (GRand) r = g_rand_new_with_seed (3);
  guint taken = 0, refused = 0;

  for (guint i = 0; i < 10000; i++)
    taken += try_changes (r, &refused);
  g_test_message ("%u taken, %u refused first", taken, refused);
  /* the test sees both sides */
  g_assert_cmpuint (taken, >, 5000);
  g_assert_cmpuint (refused, >, 1000);
}

/* ------------------------------------------------------------------- stream */

/* Samples of a stream until it ends. */
static GArray *
read_all (OctScanStream *stream, GArray *gates)
{
  GArray *all = g_array_new (FALSE, FALSE, sizeof (OctScanPoint));
  OctScanPoint points[97];
  guint8 active[97];
  guint got;

  do {
    got = oct_scan_stream_read (stream, points, active, 97);
    g_array_append_vals (all, points, got);
    g_array_append_vals (gates, active, got);
  } while (got == 97);
  g_assert_cmpuint (oct_scan_stream_read (stream, points, active, 97), ==, 0);
  return all;
}

/* As many volumes as asked for, with the A-lines where the pattern has them:
 * also after averaging, and for a beam that is late. */
static void
test_places (void)
{
  OctScanSettings s = typical;
  g_autoptr (OctScanPattern) pattern = NULL;
  g_autoptr (OctScanPath) path = NULL;
  const guint late[] = { 0, 7 };

  s.smooth = 20 * DT;
  s.settle = 5 * DT;
  s.bidirectional = TRUE;
  pattern = oct_scan_pattern_new (&s, NULL);
  path = make_path (&s);
  for (guint k = 0; k < 2; k++) {
    OctScanDrive drive = { .smooth = oct_scan_smooth_count (&s),
      .delay = { late[k] * DT, late[k] * DT } };
    g_autoptr (OctScanStream) stream = oct_scan_stream_new (path, &drive, 3);
    g_autoptr (GArray) gates = g_array_new (FALSE, FALSE, 1);
    g_autoptr (GArray) all = read_all (stream, gates);
    guint n = 0;

    for (guint i = 0; i < all->len; i++) {
      const OctScanPoint *where, *sent;

      if (!g_array_index (gates, guint8, i))
        continue;
      where = &g_array_index (
          pattern->points, OctScanPoint, n++ % pattern->points->len);
      sent = &g_array_index (all, OctScanPoint, i - late[k]);
      assert_near (sent->at[0], where->at[0], 1e-9);
      assert_near (sent->at[1], where->at[1], 1e-9);
    }
    g_assert_cmpuint (n, ==, 3 * 8 * 256);
  }
}

/* A mirror of second order is in its place at each A-line: simulated in steps
 * of a hundredth of a sample. */
static void
test_galvo (void)
{
  OctScanSettings s = typical;
  const double w = 2 * G_PI * 2000, z = 0.8, h = DT / 100;
  const OctScanDrive drive = { .smooth = 21,
    .delay = { 2 * z / w, 2 * z / w },
    .frequency = 2000,
    .damping = z };
  g_autoptr (OctScanPattern) pattern = NULL;
  g_autoptr (OctScanPath) path = NULL;
  g_autoptr (OctScanStream) stream = NULL;
  g_autoptr (GArray) gates = g_array_new (FALSE, FALSE, 1);
  g_autoptr (GArray) all = NULL;
  double y = 0, v = 0, error = 0;
  guint n = 0;

  s.smooth = 20 * DT;
  s.bidirectional = TRUE;
  pattern = oct_scan_pattern_new (&s, NULL);
  path = make_path (&s);
  stream = oct_scan_stream_new (path, &drive, 1);
  all = read_all (stream, gates);
  for (guint i = 0; i + 1 < all->len; i++) {
    double from = g_array_index (all, OctScanPoint, i).at[0];
    double to = g_array_index (all, OctScanPoint, i + 1).at[0];

    if (g_array_index (gates, guint8, i)) {
      const OctScanPoint *p =
          &g_array_index (pattern->points, OctScanPoint, n++);

      error = MAX (error, fabs (y - p->at[0]));
    }
    for (guint k = 0; k < 100; k++) {
      double u = from + (to - from) * (k + 0.5) / 100;

      v += h * (w * w * (u - y) - 2 * z * w * v);
      y += h * v;
    }
  }
  g_assert_cmpuint (n, ==, 2048);
  /* the step between A-lines is 23 um; 0.3 um rms is the reference's */
  g_assert_cmpfloat (error, <, 2e-3);
}

/* A closed curve goes on without a way, also when a change is taken back. */
static void
test_closed (void)
{
  OctScanSettings s = typical;
  g_autoptr (OctScanPath) path = NULL, other = NULL;
  g_autoptr (OctScanStream) stream = NULL;
  g_autoptr (GArray) gates = g_array_new (FALSE, FALSE, 1);
  g_autoptr (GArray) all = NULL;
  guint first = 0, last;

  other = make_path (&s);
  s.kind = OCT_SCAN_LISSAJOUS;
  s.bscans = 64;
  s.cycles = 6;
  path = make_path (&s);
  g_assert_cmpuint (path->count, ==, path->taken);
  stream = oct_scan_stream_new (path, &plain, 3);
  oct_scan_stream_change (stream, other, &plain);
  oct_scan_stream_change (stream, path, &plain);
  all = read_all (stream, gates);
  while (!g_array_index (gates, guint8, first))
    first++;
  for (last = gates->len; !g_array_index (gates, guint8, last - 1);)
    last--;
  g_assert_cmpuint (last - first, ==, 3 * path->count);
}

/* It stops after the B-scan, not after the volume. */
static void
test_stop (void)
{
  g_autoptr (OctScanPath) path = make_path (&typical);
  g_autoptr (OctScanStream) stream = oct_scan_stream_new (path, &plain, 0);
  g_autoptr (GArray) gates = g_array_new (FALSE, FALSE, 1);
  g_autoptr (GArray) all = NULL;
  guint n = 0;

  oct_scan_stream_stop (stream);
  all = read_all (stream, gates);
  for (guint i = 0; i < gates->len; i++)
    n += g_array_index (gates, guint8, i);
  g_assert_cmpuint (n, ==, typical.lines);
}

/* ------------------------------------------------------------ files, errors */

static OctScanCurve *
parse (const char *text, GError **error)
{
  return oct_scan_curve_parse ("Scan file 'x.txt'", text, strlen (text), error);
}

static void
test_file (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (OctScanCurve) curve = parse ("# a comment\n0 0\n0.01 0 1 # two\n"
                                          "0.02, 0, 0\r\n\n\n1 1\n1.01 1",
      &error);
  OctScanSettings s = typical;
  g_autoptr (OctScanPath) path = NULL;

  g_assert_no_error (error);
  g_assert_cmpuint (curve->points->len, ==, 5);
  g_assert_cmpuint (curve->firsts->len, ==, 2);
  g_assert_cmpuint (g_array_index (curve->firsts, guint, 1), ==, 3);
  s.kind = OCT_SCAN_FILE;
  s.curve = curve;
  path = make_path (&s);
  g_assert_cmpuint (path->taken, ==, 4);
  g_assert_cmpint (path->active[2], ==, 0);
}

static void
test_bad_files (void)
{
  static const struct {
    const char *text, *says;
  } rows[] = { { "", "no A-lines" }, { "# nothing\n\n", "no A-lines" },
    { "0 0\n", "one A-line alone in the B-scan that ends in line 1" },
    { "0 0\n1 1\n\n2 2\n\n3 3\n4 4\n", "ends in line 5" },
    { "0 a\n1 1\n", "2 or 3 numbers in line 1" },
    { "0 0\n1\n", "2 or 3 numbers in line 2" },
    { "0 0 1 1\n0 0 1 1\n", "in line 1" }, { "0 nan\n0 0\n", "in line 1" },
    { "0 0\n1e999 0\n", "in line 2" }, { "0 0x\n1 1\n", "in line 1" } };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    GError *error = NULL;

    g_assert_null (parse (rows[i].text, &error));
    oct_test_assert_error (
        &error, OCT_ERROR_FORMAT, "Scan file 'x.txt'", rows[i].says, NULL);
  }
}

static void
test_refused (void)
{
  static const struct {
    OctScanSettings change;
    const char *says;
  } rows[] = {
    { { .width = 12 }, "1.20 times limit-amplitude-x" },
    /* 6 mm / 256 at 100 kHz are 2343.75 mm/s */
    { { .limits.velocity = { 1000 } },
        "2.34 times limit-velocity-x at a line rate of 100000 Hz; set a "
        "line-rate of at most 42666 Hz" },
    /* and 0.549 mm to brake from them */
    { { .width = 9.5 }, "limit-amplitude-x to brake and run up outside" },
    { { .kind = OCT_SCAN_LISSAJOUS, .cycles = 100 },
        "times limit-acceleration-y at a line rate of 100000 Hz; set a "
        "line-rate "
        "of at most" },
    { { .kind = OCT_SCAN_LISSAJOUS, .cycles = 257 },
        "`cycles` to at most 256" },
    { { .bscans = 65536, .repeats = 65536 }, "fewer lines, bscans or repeats" },
    { { .settle = 200 }, "`settle` and `smooth`; set fewer" },
    { { .smooth = 400 }, "`settle` and `smooth`; set fewer" },
    { { .kind = OCT_SCAN_SPIRAL, .pitch = 1e-5 }, "larger pitch" },
    { { .kind = OCT_SCAN_SPIRAL, .pitch = 1e-3 }, "larger pitch" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    const OctScanSettings *change = &rows[i].change;
    OctScanSettings s = typical;
    GError *error = NULL;

    s.kind = change->kind;
    s.cycles = change->cycles;
    s.pitch = change->pitch;
    s.settle = change->settle;
    s.smooth = change->smooth;
    /* constant velocity for so long leaves any other scanner's field */
    if (s.settle + s.smooth > 0)
      s.limits.amplitude[0] = 1e7;
    s.lines = change->lines ? change->lines : s.lines;
    s.bscans = change->bscans ? change->bscans : s.bscans;
    s.repeats = change->repeats ? change->repeats : s.repeats;
    s.width = change->width > 0 ? change->width : s.width;
    if (change->limits.velocity[0] > 0)
      s.limits.velocity[0] = change->limits.velocity[0];
    g_assert_null (oct_scan_path_new (&s, &error));
    oct_test_assert_error (&error, OCT_ERROR_SETTINGS, rows[i].says, NULL);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/scan/known-times", test_known_times);
  g_test_add_func ("/scan/least-times", test_least_times);
  g_test_add_func ("/scan/joins", test_joins);
  g_test_add_func ("/scan/amplitude", test_amplitude);
  g_test_add_func ("/scan/raster", test_raster);
  g_test_add_func ("/scan/curves", test_curves);
  g_test_add_func ("/scan/spiral", test_spiral);
  g_test_add_func ("/scan/flyback", test_flyback);
  g_test_add_func ("/scan/limits", test_limits);
  g_test_add_func ("/scan/places", test_places);
  g_test_add_func ("/scan/galvo", test_galvo);
  g_test_add_func ("/scan/closed", test_closed);
  g_test_add_func ("/scan/stop", test_stop);
  g_test_add_func ("/scan/file", test_file);
  g_test_add_func ("/scan/bad-files", test_bad_files);
  g_test_add_func ("/scan/refused", test_refused);
  return g_test_run ();
}
