/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The flow phantom against physics: Doppler phases of blood, still tissue,
 * the coherence of the spot, the motion of the sample, the trigger. */
#include "oct-phantom-flow.h"
#include "oct-phantom-vessels.h"
#include "phantom-test.h"

#define SAMPLES 1024
#define LINES 256
#define DEPTHS (SAMPLES / 2)

/* um of tissue from bin to bin, of zero delay to the surface */
#define BIN (3.245 / OCT_TISSUE_INDEX)
#define SURFACE 50.0

typedef struct {
  guint bscans, repeats;
  double motion, flow, jitter, noise;
} Flow;

static OctPhantom *
make_flow (Flow flow)
{
  OctPhantomSettings settings = { .kind = OCT_PHANTOM_FLOW,
    .samples = SAMPLES,
    .lines = LINES,
    .bscans = flow.bscans,
    .repeats = flow.repeats,
    .sample_format = OCT_SAMPLE_U16,
    .noise = flow.noise,
    .seed = 3,
    .motion = flow.motion,
    .flow = flow.flow,
    .jitter = flow.jitter };
  g_autoptr (GError) error = NULL;
  OctPhantom *phantom = oct_phantom_new (&settings, &error);

  g_assert_no_error (error);
  return phantom;
}

static double
get_depth (guint q)
{
  OctSpectrometer s;
  double step;

  oct_spectrometer_init (&s, SAMPLES);
  step = s.z_spacing;
  oct_spectrometer_clear (&s);
  return q * step;
}

/* a[from .. end of lines][n depths from q on, `step` bins apart][2] */
static double *
find_a_scans (OctPhantom *phantom, const guint16 *bscan, guint from, guint end,
    guint q, guint n, guint step)
{
  double *a = g_new (double, (gsize)(end - from) * n * 2);
  double bin = get_depth (1);

  for (guint line = from; line < end; line++)
    for (guint i = 0; i < n; i++)
      find_a_scan (phantom, bscan + (gsize)line * SAMPLES, SAMPLES,
          (q + i * step) * bin, a + ((gsize)(line - from) * n + i) * 2);
  return a;
}

/* sum[4] += b a*, |a|^2, |b|^2 */
static void
add_product (const double a[2], const double b[2], double sum[4])
{
  sum[0] += b[0] * a[0] + b[1] * a[1];
  sum[1] += b[1] * a[0] - b[0] * a[1];
  sum[2] += a[0] * a[0] + a[1] * a[1];
  sum[3] += b[0] * b[0] + b[1] * b[1];
}

static double
get_coherence (const double sum[4])
{
  return hypot (sum[0], sum[1]) / sqrt (sum[2] * sum[3]);
}

/* 4 pi n T v cos (angle) / lambda from an A-line to the next, of blood whose
 * speed along the beam is v cos (angle); twice the speed, twice the phase. */
static void
check_doppler (double flow)
{
  g_autoptr (OctPhantom) phantom =
      make_flow ((Flow){ .bscans = 1600, .repeats = 40, .flow = flow });
  /* at this place no vessel goes along the B-scan */
  const guint first = 14 * 40;
  g_autofree guint8 *mask = g_new (guint8, LINES * DEPTHS);
  g_autofree float *speed = g_new (float, LINES *DEPTHS);
  /* the middle of the largest vessel, a quarter of the way along */
  const guint from = LINES / 4 - 4, end = LINES / 4 + 5, n = 12;
  double sum[4] = { 0 }, expected[2] = { 0 }, found, phase, fastest = 0.0;
  guint top = 0, bottom = 0, q;

  g_assert_true (oct_phantom_get_truth (phantom, first, mask, speed));
  for (q = 0; q < DEPTHS; q++) {
    if (mask[LINES / 4 * DEPTHS + q] != 2)
      continue;
    top = top == 0 ? q : top;
    bottom = q;
    fastest = MAX (fastest, fabs (speed[LINES / 4 * DEPTHS + q]));
  }
  /* 80 um; the axis falls and rises by 16 um in 500 um, that is by up to 0.2 */
  g_assert_cmpfloat (fabs ((bottom - top + 1) * BIN - 80.0), <, 4.0);
  g_assert_cmpfloat (fastest, <=, 24e3 * flow * 16.0 * 2.0 * G_PI / 500.0);
  g_assert_cmpfloat (fastest, >, 1e3 * flow);
  q = (top + bottom) / 2 - n;
  for (guint frame = first; frame < first + 40; frame++) {
    g_autofree guint16 *bscan = render (phantom, frame, SAMPLES, LINES);
    g_autofree double *a = find_a_scans (phantom, bscan, from, end, q, n, 2);

    for (guint line = 0; line + 1 < end - from; line++)
      for (guint i = 0; i < n; i++) {
        const double *one = a + ((gsize)line * n + i) * 2;
        double power = one[0] * one[0] + one[1] * one[1];
        double v = speed[(from + line) * DEPTHS + q + 2 * i];
        double turn =
            4.0 * G_PI * OCT_TISSUE_INDEX * v / OCT_FLOW_LINE_RATE / 0.845;

        add_product (one, one + n * 2, sum);
        expected[0] += power * cos (turn);
        expected[1] += power * sin (turn);
      }
  }
  found = atan2 (sum[1], sum[0]);
  phase = atan2 (expected[1], expected[0]);
  g_test_message ("flow %g: %.3f rad, %.3f expected", flow, found, phase);
  g_assert_cmpfloat (fabs (phase), >, 0.2 * flow);
  g_assert_cmpfloat (fabs (found - phase), <, 0.04 * fabs (phase) + 0.02);
}

static void
test_doppler (void)
{
  check_doppler (1.0);
  check_doppler (2.0);
}

/* Whether no blood and no cell is near an A-line. */
static gboolean
is_still (const guint8 *mask, guint line)
{
  guint from = line < 7 ? 0 : line - 7, end = MIN (line + 8, LINES);

  for (; from < end; from++) {
    if (from > 0.30 * LINES && from < 0.50 * LINES)
      return FALSE;
    for (guint q = 0; q < DEPTHS; q++)
      if (mask[from * DEPTHS + q] == 2)
        return FALSE;
  }
  return TRUE;
}

/* Repeats of tissue that stands still are the same, but for the noise; of blood
 * they are not. */
static void
test_repeats (void)
{
  g_autoptr (OctPhantom) clean =
      make_flow ((Flow){ .bscans = 80, .repeats = 2, .flow = 1.0 });
  g_autoptr (OctPhantom) noisy = make_flow (
      (Flow){ .bscans = 80, .repeats = 2, .flow = 1.0, .noise = 1.0 });
  g_autofree guint8 *mask = g_new (guint8, LINES * DEPTHS);
  g_autofree guint16 *first = render (clean, 28, SAMPLES, LINES);
  g_autofree guint16 *second = render (clean, 29, SAMPLES, LINES);
  g_autofree guint16 *other = render (noisy, 29, SAMPLES, LINES);
  guint still = 0, blood = 0, differ = 0;
  double square = 0.0;

  g_assert_true (oct_phantom_get_truth (clean, 28, mask, NULL));
  for (guint line = 0; line < LINES; line++) {
    const guint16 *a = first + line * SAMPLES, *b = second + line * SAMPLES;

    if (is_still (mask, line)) {
      g_assert_cmpmem (a, SAMPLES * 2, b, SAMPLES * 2);
      for (guint n = 0; n < SAMPLES; n++)
        square += pow ((double)other[line * SAMPLES + n] - a[n], 2.0);
      still++;
    } else if (memchr (mask + line * DEPTHS, 2, DEPTHS) != NULL) {
      blood++;
      differ += memcmp (a, b, SAMPLES * 2) != 0;
    }
  }
  g_test_message ("%u A-lines without blood, %u of %u with it differ", still,
      differ, blood);
  g_assert_cmpuint (still, >, 20);
  g_assert_cmpuint (blood, >, 20);
  g_assert_cmpuint (differ, ==, blood);
  /* shot and read noise of a camera whose mean is about 1000 counts */
  g_assert_cmpfloat (square / still / SAMPLES, >, 2.0);
  g_assert_cmpfloat (square / still / SAMPLES, <, 400.0);
}

/* exp (-d^2 / w^2) after d um along the B-scan, and from place to place. */
static void
test_coherence (void)
{
  g_autoptr (OctPhantom) phantom = make_flow ((Flow){ .bscans = 40 });
  const guint from = 120, end = 180, q = 80, n = 30;
  double places[4] = { 0 };
  g_autofree double *last = NULL;

  for (guint step = 1; step <= 3; step++) {
    double d = step * OCT_FLOW_X, sum[4] = { 0 };
    double expected = exp (-d * d / (OCT_FLOW_SPOT * OCT_FLOW_SPOT));

    for (guint frame = 0; frame < 40; frame += 8) {
      g_autofree guint16 *bscan = render (phantom, frame, SAMPLES, LINES);
      g_autofree double *a = find_a_scans (phantom, bscan, from, end, q, n, 3);

      for (gsize at = 0; at < (end - from - step) * n; at++)
        add_product (a + at * 2, a + (at + step * n) * 2, sum);
    }
    g_test_message (
        "%g um: %.3f, %.3f expected", d, get_coherence (sum), expected);
    g_assert_cmpfloat (fabs (get_coherence (sum) - expected), <, 0.06);
  }
  for (guint frame = 0; frame < 6; frame++) {
    g_autofree guint16 *bscan = render (phantom, frame, SAMPLES, LINES);
    double *a = find_a_scans (phantom, bscan, from, end, q, n, 3);

    for (gsize at = 0; last != NULL && at < (end - from) * n; at++)
      add_product (last + at * 2, a + at * 2, places);
    g_free (last);
    last = a;
  }
  g_test_message ("from place to place %.3f", get_coherence (places));
  g_assert_cmpfloat (fabs (get_coherence (places)
                           - exp (-pow (OCT_FLOW_Y / OCT_FLOW_SPOT, 2.0))),
      <, 0.06);
}

/* Between repeats the phase of all depths turns by 2 k n dz. */
static void
test_motion (void)
{
  g_autoptr (OctPhantom) phantom =
      make_flow ((Flow){ .bscans = 8, .repeats = 8, .motion = 0.5 });
  const guint line = LINES / 2, q = 70, n = 30;
  double rate = OCT_FLOW_LINE_RATE / (OCT_FLOW_BSCAN * LINES);
  g_autofree double *last = NULL;
  double before[3], after[3];

  for (guint frame = 0; frame < 8; frame++) {
    g_autofree guint16 *bscan = render (phantom, frame, SAMPLES, LINES);
    double *a = find_a_scans (phantom, bscan, line, line + 1, q, n, 3);
    double sum[4] = { 0 }, off, turn;

    oct_vessels_get_motion (frame / rate + line / OCT_FLOW_LINE_RATE, after);
    if (last != NULL) {
      for (guint i = 0; i < n; i++)
        add_product (last + 2 * i, a + 2 * i, sum);
      turn =
          4.0 * G_PI / 0.845 * OCT_TISSUE_INDEX * 0.5 * (after[2] - before[2]);
      off = remainder (atan2 (sum[1], sum[0]) - turn, 2.0 * G_PI);
      g_test_message ("%.2f rad, off by %.3f", turn, off);
      g_assert_cmpfloat (fabs (turn), >, 0.5);
      g_assert_cmpfloat (fabs (off), <, 0.15);
    }
    g_free (last);
    last = a;
    memcpy (before, after, sizeof before);
  }
}

/* A late trigger turns phases in proportion to the depth. */
static void
test_jitter (void)
{
  g_autoptr (OctPhantom) still = make_flow ((Flow){ .bscans = 1 });
  g_autoptr (OctPhantom) phantom =
      make_flow ((Flow){ .bscans = 1, .jitter = 0.3 });
  g_autofree guint16 *a_counts = render (still, 0, SAMPLES, LINES);
  g_autofree guint16 *b_counts = render (phantom, 0, SAMPLES, LINES);
  const guint near = 60, deep = 160;
  double square = 0.0, off = 0.0;
  guint count = 0;

  for (guint line = 0; line < LINES; line += 4) {
    double phase[2];

    for (guint i = 0; i < 2; i++) {
      guint q = i == 0 ? near : deep;
      g_autofree double *a =
          find_a_scans (still, a_counts, line, line + 1, q, 9, 1);
      g_autofree double *b =
          find_a_scans (phantom, b_counts, line, line + 1, q, 9, 1);
      double sum[4] = { 0 };

      for (guint k = 0; k < 9; k++)
        add_product (a + 2 * k, b + 2 * k, sum);
      phase[i] = atan2 (sum[1], sum[0]);
    }
    square += phase[1] * phase[1];
    off += pow (phase[1] - phase[0] * (deep + 4.0) / (near + 4.0), 2.0);
    count++;
  }
  g_test_message (
      "%.3f rad, off by %.3f", sqrt (square / count), sqrt (off / count));
  /* 2 pi times 0.3 samples times depth over samples */
  g_assert_cmpfloat (
      fabs (sqrt (square / count) / (2.0 * G_PI * 0.3 * (deep + 4.0) / SAMPLES)
            - 1.0),
      <, 0.25);
  g_assert_cmpfloat (off, <, 0.02 * square);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/phantom/flow/doppler", test_doppler);
  g_test_add_func ("/phantom/flow/repeats", test_repeats);
  g_test_add_func ("/phantom/flow/coherence", test_coherence);
  g_test_add_func ("/phantom/flow/motion", test_motion);
  g_test_add_func ("/phantom/flow/jitter", test_jitter);
  return g_test_run ();
}
