/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Volumes that are filled in, compared with the reference: all methods, A-scans
 * and spectra, sizes that are not multiples of a block, and A-lines that never
 * came; and measures of volumes whose figures are known.  With --module
 * PATH/liboctcuda.so the same on a GPU.
 */
#include "oct-volume-cs.h"
#include "reference-volume-cs.h"
#include "signals.h"
#include "volume-check.h"

#include "../unit/oct-test.h"

typedef struct {
  const char *name;
  guint lines, bscans, columns;
  gboolean spectra, whole;
  double rate;
  OctScanMaskKind kind;
  guint lost; /* B-scan of the mask that never comes; the next one begins with
                 an A-line of NaN; 0: none */
  gboolean same_samples;
  guint dark; /* so many-th A-lines that were taken are 0; 0: none */
} Case;

static const Case cases[] = {
  { "a-scans", 12, 9, 21, FALSE, FALSE, 1, OCT_SCAN_MASK_SCATTERED, 0 },
  { "whole a-scans", 12, 9, 16, FALSE, TRUE, 1, OCT_SCAN_MASK_SAME_LINES, 0 },
  { "lost a-scans", 11, 8, 33, FALSE, FALSE, 1, OCT_SCAN_MASK_SAME_LINES, 2 },
  { "one B-scan", 25, 1, 7, FALSE, FALSE, 1, OCT_SCAN_MASK_SCATTERED, 0 },
  { "spectra", 13, 7, 36, TRUE, FALSE, 1, OCT_SCAN_MASK_SCATTERED, 0 },
  { "lost spectra", 10, 8, 40, TRUE, TRUE, 1, OCT_SCAN_MASK_SCATTERED, 3 },
  { "odd spectra", 9, 8, 27, TRUE, FALSE, 1, OCT_SCAN_MASK_SAME_LINES, 0 },
  /* lengths of all radices, and of primes that have none */
  { "long lines", 70, 22, 5, FALSE, FALSE, 1, OCT_SCAN_MASK_SCATTERED, 0 },
  { "prime lines", 37, 26, 18, FALSE, FALSE, 1, OCT_SCAN_MASK_SAME_LINES, 0 },
  { "even lines", 64, 30, 3, FALSE, FALSE, 1, OCT_SCAN_MASK_SCATTERED, 0 },
  { "prime spectra", 8, 6, 2 * 29, TRUE, FALSE, 1, OCT_SCAN_MASK_SCATTERED, 0 },
  { "half of spectra", 16, 10, 64, TRUE, FALSE, 0.5, OCT_SCAN_MASK_SCATTERED,
      0 },
};

/* A-scans of a part of the samples: lengths of all radices, odd ones and
 * primes, 16 masks and one, the least that is allowed, one sample left out, and
 * A-lines that are dark or never come. */
static const Case parts[] = {
  { "half of the samples", 16, 6, 64, TRUE, FALSE, 0.5, OCT_SCAN_MASK_SCATTERED,
      0 },
  { "the same half", 16, 6, 64, TRUE, TRUE, 0.5, OCT_SCAN_MASK_SAME_LINES, 0,
      TRUE },
  { "eight of 36", 13, 5, 36, TRUE, FALSE, 8.0 / 36, OCT_SCAN_MASK_SCATTERED,
      0 },
  { "all but one", 7, 4, 40, TRUE, FALSE, 39.0 / 40, OCT_SCAN_MASK_SCATTERED,
      0 },
  { "odd", 9, 8, 45, TRUE, FALSE, 0.4, OCT_SCAN_MASK_SAME_LINES, 0 },
  { "prime", 8, 6, 59, TRUE, FALSE, 0.6, OCT_SCAN_MASK_SCATTERED, 0 },
  { "dark and lost", 21, 8, 50, TRUE, TRUE, 0.5, OCT_SCAN_MASK_SCATTERED, 2,
      FALSE, 5 },
};

/* A-lines of a wide spot: neighbours are alike, with their phase. */
static Complex *
make_given (const Case *c, const OctScanMask *mask)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (c->columns);
  Complex *given = g_new (Complex, (gsize)mask->count * c->columns);

  for (guint k = 0; k < mask->count; k++)
    for (guint i = 0; i < c->columns; i++) {
      double x = mask->places[k] % c->lines, y = mask->places[k] / c->lines;
      Complex v = 100 * cexp (I * (0.3 * x + 0.2 * y + 1.7 * i)) / (1 + 0.1 * i)
                  + 40 * cos (0.15 * x * y) + signal_complex (random);
      if (c->dark > 0 && k % c->dark == 0)
        v = 0;
      given[(gsize)k * c->columns + i] = c->spectra ? creal (v) : v;
    }
  return given;
}

/* Rows of `bytes` in all, where the backend works. */
static void
store_rows (OctVolumeCs *cs, guint y, const float *values, gsize stride,
    gsize bytes, gboolean whole)
{
  gpointer rows = volume_device_alloc (&tried, bytes);
  OctPlane plane = { rows, stride };
  GError *error = NULL;

  volume_device_upload (&tried, rows, values, bytes);
  g_assert_true (tried.volume_cs->store (cs, y, &plane, whole, &error));
  g_assert_no_error (error);
  volume_device_wait (&tried, tried.stream);
  volume_device_free (&tried, rows);
}

static void
fetch_rows (OctVolumeCs *cs, guint y, guint first, guint count, guint lines,
    float *values)
{
  gsize row = count * 2 * sizeof (float);
  gpointer rows = volume_device_alloc (&tried, lines * row);
  OctPlane plane = { rows, row };

  g_assert_true (tried.volume_cs->fetch (cs, y, first, count, &plane, NULL));
  volume_device_download (&tried, values, rows, lines * row, tried.stream);
  volume_device_free (&tried, rows);
}

static void
store_bscan (OctVolumeCs *cs, const Case *c, const OctScanMask *mask, guint y,
    const Complex *given, gboolean spoilt)
{
  guint parts = c->spectra ? 1 : 2, rows = c->whole ? c->lines : 0;
  g_autofree float *values = NULL;

  rows = MAX (rows, mask->first[y + 1] - mask->first[y]);
  /* what does not count may be anything */
  values = g_new (float, (gsize)(rows + 1) * c->columns * parts);
  for (gsize i = 0; i < (gsize)(rows + 1) * c->columns * parts; i++)
    values[i] = NAN;
  for (guint k = mask->first[y]; k < mask->first[y + 1]; k++) {
    guint row = c->whole ? mask->places[k] - y * c->lines : k - mask->first[y];
    float *to = values + (gsize)row * c->columns * parts;

    for (guint i = 0; i < c->columns; i++) {
      to[i * parts] = (float)creal (given[(gsize)k * c->columns + i]);
      if (parts == 2)
        to[i * parts + 1] = (float)cimag (given[(gsize)k * c->columns + i]);
    }
    if (spoilt && k == mask->first[y])
      to[c->columns / 2] = INFINITY;
  }
  store_rows (cs, y, values, c->columns * parts * sizeof (float),
      (gsize)(rows + 1) * c->columns * parts * sizeof (float), c->whole);
}

static void
compare (OctVolumeCs *cs, const Case *c, const Complex *expected)
{
  guint depths = c->spectra ? c->columns / 2 : c->columns;
  guint first = depths / 3, count = depths - first;
  g_autofree float *found = g_new (float, (gsize)c->lines *count * 2);
  double error = 0, norm = 0;

  for (guint y = 0; y < c->bscans; y++) {
    fetch_rows (cs, y, first, count, c->lines, found);
    for (guint x = 0; x < c->lines; x++)
      for (guint i = 0; i < count; i++) {
        const float *f = found + 2 * ((gsize)x * count + i);
        Complex e = expected[((gsize)y * c->lines + x) * depths + first + i];
        double d = cabs (CMPLX (f[0], f[1]) - e);
        error += d * d;
        norm += cabs (e) * cabs (e);
      }
  }
  g_test_message ("relative error %.2g", sqrt (error / norm));
  g_assert_cmpfloat (norm, >, 0);
  g_assert_cmpfloat (sqrt (error / norm), <, 3e-6);
}

static void
run_case_in (const Case *c, OctVolumeCsMethod method, OctVolumeCsBasis basis,
    double phase_step_x, double phase_step_y)
{
  const OctVolumeCsTable *table = tried.volume_cs;
  double taken = method == OCT_VOLUME_CS_ENVELOPE ? 1 : 0.5;
  OctScanMaskSettings scan = { c->kind, c->lines, c->bscans, taken, 3, 6 };
  g_autoptr (GError) error = NULL;
  g_autoptr (OctScanMask) mask =
      c->bscans > 1 || c->kind == OCT_SCAN_MASK_SCATTERED
          ? oct_scan_mask_new (&scan, &error)
          : NULL;
  OctVolumeCsParams params = { mask, c->spectra, c->columns, OCT_WINDOW_HANN,
    c->rate, 100, c->same_samples };
  gboolean pursuit =
      method == OCT_VOLUME_CS_PAPER || method == OCT_VOLUME_CS_LINEAR;
  OctVolumeCsSettings settings = { method, 4, 2, 1.5, 0.5, pursuit ? 60 : 12,
    basis, phase_step_x, phase_step_y };
  g_autofree Complex *given = make_given (c, mask), *expected = NULL;
  g_autofree guint8 *there = g_malloc (mask->count);
  guint depths = c->spectra ? c->columns / 2 : c->columns;
  OctVolumeCs *cs = table->create (&params, tried.stream, &error);
  OctVolumeCsMeasures measures;

  g_assert_no_error (error);
  memset (there, 1, mask->count);
  /* twice: nothing is left of the first volume */
  for (guint n = 0; n < 2; n++) {
    table->clear (cs);
    for (guint i = 0; i < mask->taken_bscans; i++) {
      guint y = mask->bscan_of[n == 0 ? i : mask->taken_bscans - 1 - i];
      gboolean lost = n == 1 && c->lost > 0 && i == c->lost;
      gboolean spoilt = n == 1 && c->lost > 0 && i == c->lost + 1;

      for (guint k = mask->first[y]; k < mask->first[y + 1]; k++)
        there[k] = !lost && !(spoilt && k == mask->first[y]);
      if (!lost)
        store_bscan (cs, c, mask, y, given, spoilt);
    }
    g_assert_true (table->measure (cs, &measures, &error));
    g_assert_true (table->fill (cs, &settings, &error));
    g_assert_no_error (error);
  }
  expected = g_new (Complex, (gsize)c->lines * c->bscans * depths);
  oct_reference_fill_volume (&params, &settings, given, there, expected);
  compare (cs, c, expected);
  table->destroy (cs);
}

static void
run_case (const Case *c, OctVolumeCsMethod method)
{
  run_case_in (c, method, OCT_VOLUME_CS_WAVELET, 0, 0);
}

static void
test_joint (gconstpointer data)
{
  run_case (data, OCT_VOLUME_CS_JOINT);
  /* steps of one direction, of both, and as large as there are */
  run_case_in (data, OCT_VOLUME_CS_JOINT, OCT_VOLUME_CS_WAVELET, 0.3, 0);
  run_case_in (data, OCT_VOLUME_CS_JOINT, OCT_VOLUME_CS_WAVELET, -1.1, 0.2);
  run_case_in (data, OCT_VOLUME_CS_JOINT, OCT_VOLUME_CS_WAVELET, 0, -G_PI);
}

static void
test_linear (gconstpointer data)
{
  run_case (data, OCT_VOLUME_CS_LINEAR);
}

/* A part of the samples of all A-lines, one of them no number. */
static void
test_envelope (void)
{
  static const Case all = { "all lines", 19, 11, 64, TRUE, TRUE, 0.5,
    OCT_SCAN_MASK_SCATTERED, 2 };

  run_case (&all, OCT_VOLUME_CS_ENVELOPE);
}

/* The three bases, of A-scans that do not fill their blocks. */
static void
test_paper (void)
{
  static const Case some = { "some lines", 20, 13, 37, FALSE, FALSE, 1,
    OCT_SCAN_MASK_SAME_LINES, 2 };

  for (guint basis = 0; basis <= OCT_VOLUME_CS_FOURIER; basis++)
    run_case_in (&some, OCT_VOLUME_CS_PAPER, basis, 0, 0);
}

/* One direction alone has something missing: the other is left as it is. */
static void
test_paper_directions (void)
{
  static const Case rows = { "one B-scan", 23, 1, 19, FALSE, FALSE, 1,
    OCT_SCAN_MASK_SCATTERED, 0 };
  static const Case columns = { "whole B-scans", 1, 14, 19, FALSE, FALSE, 1,
    OCT_SCAN_MASK_SAME_LINES, 0 };

  for (guint basis = 0; basis <= OCT_VOLUME_CS_FOURIER; basis++) {
    run_case_in (&rows, OCT_VOLUME_CS_PAPER, basis, 0, 0);
    run_case_in (&columns, OCT_VOLUME_CS_PAPER, basis, 0, 0);
  }
}

/* All three steps, of spectra. */
static void
test_paper_spectra (void)
{
  static const Case some = { "spectra", 20, 9, 48, TRUE, FALSE, 0.5,
    OCT_SCAN_MASK_SAME_LINES, 2, TRUE };

  for (guint basis = 0; basis <= OCT_VOLUME_CS_FOURIER; basis++)
    run_case_in (&some, OCT_VOLUME_CS_PAPER, basis, 0, 0);
}

#define LONG 128u
#define MANY_LINES 19u

/* A-scan of A-line `x`: three mirrors. */
static Complex
get_mirror (guint x, guint z)
{
  return z == 3 + x          ? 50.0
         : z == 30           ? 20 * cexp (I * x)
         : z == LONG / 2 - 2 ? -8.0 * I
                             : 0;
}

/* The sparsest A-scan is the true one where a few mirrors are all there is.  No
 * reference is needed: the spectra were made of it.  Steps are left out: the
 * last one changed it by 0.45 % at most; later ones would add up to a few times
 * that, and 2 % are allowed. */
static void
test_mirrors (void)
{
  const OctVolumeCsTable *table = tried.volume_cs;
  OctScanMaskSettings scan = { OCT_SCAN_MASK_SCATTERED, MANY_LINES, 1, 1, 0,
    0 };
  g_autoptr (OctScanMask) mask = oct_scan_mask_new (&scan, NULL);
  OctVolumeCsParams params = { mask, TRUE, LONG, OCT_WINDOW_NONE, 0.4, 1 };
  OctVolumeCsSettings settings = { .method = OCT_VOLUME_CS_LINEAR,
    .steps = OCT_VOLUME_CS_PAPER_STEPS };
  float rows[MANY_LINES * LONG];
  OctVolumeCsMeasures m;
  double error = 0, norm = 0;

  /* 0.997 keeps all: nothing is left to be found */
  for (guint all = 0; all < 2; all++) {
    OctVolumeCs *cs;

    params.rate = all ? 0.997 : 0.4;
    cs = table->create (&params, tried.stream, NULL);
    for (guint x = 0; x < MANY_LINES; x++)
      for (guint n = 0; n < LONG; n++) {
        rows[x * LONG + n] = 0;
        for (guint z = 1; z < LONG / 2; z++)
          rows[x * LONG + n] +=
              (float)(2 / sqrt (LONG)
                      * creal (get_mirror (x, z)
                               * cexp (2 * G_PI * I * z * n / LONG)));
      }
    store_rows (cs, 0, rows, LONG * sizeof (float), sizeof rows, TRUE);
    g_assert_true (table->measure (cs, &m, NULL));
    g_assert_true (table->fill (cs, &settings, NULL));
    fetch_rows (cs, 0, 0, LONG / 2, MANY_LINES, rows);
    for (guint x = 0; x < MANY_LINES; x++)
      for (guint z = 0; z < LONG / 2; z++) {
        const float *v = rows + 2 * (x * LONG / 2 + z);
        error += pow (cabs (CMPLX (v[0], v[1]) - get_mirror (x, z)), 2);
        norm += pow (cabs (get_mirror (x, z)), 2);
      }
    g_test_message ("relative error %.2g", sqrt (error / norm));
    g_assert_cmpfloat (sqrt (error / norm), <, all ? 1e-6 : 0.02);
    error = norm = 0;
    table->destroy (cs);
  }
}

#define MANY 64u
#define DEPTHS 64u

/* Speckle of a known spot: white noise that a Gaussian has gone over; with
 * phase steps, which change nothing but themselves. */
static void
check_measures (double phase_step_x, double phase_step_y)
{
  const OctVolumeCsTable *table = tried.volume_cs;
  OctScanMaskSettings scan = { OCT_SCAN_MASK_SCATTERED, MANY, MANY, 0.4, 4, 2 };
  g_autoptr (OctScanMask) mask = oct_scan_mask_new (&scan, NULL);
  OctVolumeCsParams params = { mask, FALSE, DEPTHS, OCT_WINDOW_NONE, 1, 0 };
  OctVolumeCs *cs = table->create (&params, tried.stream, NULL);
  g_autoptr (GRand) random = g_rand_new_with_seed (1);
  g_autofree Complex *field = g_new0 (Complex, MANY * MANY * DEPTHS);
  g_autofree float *rows = g_new (float, 2 * MANY * DEPTHS);
  const double fx = 6, fy = 3, noise = 0.1;
  OctVolumeCsMeasures m;
  const char *reason;

  /* half of the depths are dark */
  for (guint z = DEPTHS / 2; z < DEPTHS; z++) {
    g_autofree Complex *white = g_new (Complex, MANY * MANY);
    for (guint i = 0; i < MANY * MANY; i++)
      white[i] = signal_complex (random);
    for (gint y = 0; y < (gint)MANY; y++)
      for (gint x = 0; x < (gint)MANY; x++)
        for (gint b = -6; b <= 6; b++)
          for (gint a = -12; a <= 12; a++) {
            guint from = (guint)((y + b + (gint)MANY) % (gint)MANY) * MANY
                         + (guint)(x + a + (gint)MANY) % MANY;
            double w =
                exp (-4 * G_LN2 * (a * a / (fx * fx) + b * b / (fy * fy)));
            field[((guint)y * MANY + (guint)x) * DEPTHS + z] += w * white[from];
          }
  }
  for (guint y = 0; y < MANY; y++) {
    for (guint i = 0; i < MANY * DEPTHS; i++) {
      double phase = phase_step_x * (i / DEPTHS) + phase_step_y * y;
      Complex v = field[y * MANY * DEPTHS + i] * cexp (I * phase)
                  + noise / sqrt (2) * signal_complex (random);
      rows[2 * i] = (float)creal (v);
      rows[2 * i + 1] = (float)cimag (v);
    }
    store_rows (cs, y, rows, 2 * DEPTHS * sizeof (float),
        2 * MANY * DEPTHS * sizeof (float), TRUE);
  }
  g_assert_true (table->measure (cs, &m, NULL));
  g_test_message ("noise %g, coherence %g %g, spot %g %g", m.noise,
      m.coherence_x, m.coherence_y,
      oct_volume_cs_get_spot (m.coherence_x, MANY),
      oct_volume_cs_get_spot (m.coherence_y, MANY));
  g_assert_cmpuint (m.lines, ==, mask->count);
  g_assert_cmpfloat (fabs (m.coherence_x - exp (-2 * G_LN2 / 36)), <, 0.01);
  g_assert_cmpfloat (fabs (m.coherence_y - exp (-2 * G_LN2 / 9)), <, 0.03);
  g_assert_cmpfloat (
      fabs (oct_volume_cs_get_spot (m.coherence_x, MANY) - fx), <, 0.6);
  g_assert_cmpfloat (
      fabs (oct_volume_cs_get_spot (m.coherence_y, MANY) - fy), <, 0.4);
  g_assert_cmpfloat (fabs (m.noise / noise - 1), <, 0.5);
  /* of some 1000 speckles, of a phase difference of 0.28 and 0.57 rad */
  g_assert_cmpfloat (fabs (m.phase_step_x - phase_step_x), <, 0.03);
  g_assert_cmpfloat (fabs (m.phase_step_y - phase_step_y), <, 0.06);
  g_assert_cmpfloat (oct_volume_cs_get_phase_step (m.phase_step_x, fx), ==,
      phase_step_x == 0 ? 0 : m.phase_step_x);
  g_assert_cmpint (
      oct_volume_cs_choose (&params, &m, &reason), ==, OCT_VOLUME_CS_JOINT);
  m.coherence_y = 0.3;
  g_assert_cmpint (
      oct_volume_cs_choose (&params, &m, &reason), ==, OCT_VOLUME_CS_LINEAR);
  g_assert_nonnull (strstr (reason, "too little in common"));
  table->destroy (cs);
}

static void
test_measures (void)
{
  check_measures (0, 0);
  check_measures (0.9, -0.4);
}

/* Nothing came, or zeros alone. */
static void
test_dark (void)
{
  const OctVolumeCsTable *table = tried.volume_cs;
  OctScanMaskSettings scan = { OCT_SCAN_MASK_SAME_LINES, 8, 8, 0.5, 3, 2 };
  g_autoptr (OctScanMask) mask = oct_scan_mask_new (&scan, NULL);
  OctVolumeCsParams params = { mask, FALSE, 5, OCT_WINDOW_NONE, 1, 0 };
  float rows[8 * 5 * 2] = { 0 };

  for (guint n = 0; n < 4; n++) {
    OctVolumeCs *cs = table->create (&params, tried.stream, NULL);
    OctVolumeCsSettings settings = {
      n % 2 == 0 ? OCT_VOLUME_CS_JOINT : OCT_VOLUME_CS_LINEAR, 2, 2, 0, 0.1, 5
    };
    OctVolumeCsMeasures m;

    memset (rows, 0, sizeof rows);
    for (guint y = 0; n >= 2 && y < 8; y++)
      store_rows (cs, y, rows, sizeof rows / 8, sizeof rows, TRUE);
    g_assert_true (table->measure (cs, &m, NULL));
    g_assert_cmpuint (m.lines, ==, n >= 2 ? mask->count : 0);
    g_assert_true (table->fill (cs, &settings, NULL));
    memset (rows, 1, sizeof rows);
    fetch_rows (cs, 3, 0, 5, 8, rows);
    for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
      g_assert_cmpfloat (rows[i], ==, 0);
    table->destroy (cs);
  }
}

static void
test_refused (void)
{
  const OctVolumeCsTable *table = tried.volume_cs;
  OctScanMaskSettings scan = { OCT_SCAN_MASK_SAME_LINES, 8, 8, 0.5, 3, 2 };
  g_autoptr (OctScanMask) mask = oct_scan_mask_new (&scan, NULL);
  OctVolumeCsParams params = { mask, TRUE, 32, OCT_WINDOW_NONE, 0, 0 };
  OctVolumeCsSettings settings = { OCT_VOLUME_CS_JOINT, 2, 2, 0, 0.1, 0 };
  GError *error = NULL;

  g_assert_null (table->create (&params, tried.stream, &error));
  oct_test_assert_error (&error, OCT_ERROR_SETTINGS, "rate is 0", NULL);
  /* 7.04 and 7.68 of 32 */
  params.rate = 0.22;
  g_assert_null (table->create (&params, tried.stream, &error));
  oct_test_assert_error (&error, OCT_ERROR_SETTINGS, "keeps 7 of the 32",
      "needs 8 at least", NULL);
  params.rate = 0.24;
  g_assert_true (oct_volume_cs_params_check (&params, &error));
  params.rate = 0.5;
  g_assert_false (oct_volume_cs_settings_check (&params, &settings, &error));
  oct_test_assert_error (&error, OCT_ERROR_SETTINGS, "0 steps", NULL);
  settings.method = OCT_VOLUME_CS_LINEAR;
  g_assert_false (oct_volume_cs_settings_check (&params, &settings, &error));
  oct_test_assert_error (&error, OCT_ERROR_SETTINGS, "0 steps", NULL);
  settings.method = OCT_VOLUME_CS_ENVELOPE;
  g_assert_false (oct_volume_cs_settings_check (&params, &settings, &error));
  oct_test_assert_error (
      &error, OCT_ERROR_SETTINGS, "all A-lines", "of 64", "joint", NULL);
  params.spectra = FALSE;
  g_assert_false (oct_volume_cs_settings_check (&params, &settings, &error));
  oct_test_assert_error (
      &error, OCT_ERROR_SETTINGS, "A-scans came", "octfft", NULL);
}

/* A-lines that are too long for a block of a GPU. */
static void
test_too_long (void)
{
  const OctVolumeCsTable *table = tried.volume_cs;
  OctScanMaskSettings scan = { OCT_SCAN_MASK_SAME_LINES, 8, 8, 0.5, 3, 2 };
  g_autoptr (OctScanMask) mask = oct_scan_mask_new (&scan, NULL);
  OctVolumeCsParams params = { mask, TRUE, 8200, OCT_WINDOW_NONE, 1, 0 };
  GError *error = NULL;

  g_assert_null (table->create (&params, tried.stream, &error));
  oct_test_assert_error (
      &error, OCT_ERROR_SETTINGS, "8200", "8192", "backend=cpu", NULL);
}

int
main (int argc, char **argv)
{
  volume_device_begin (&tried, &argc, &argv);
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *joint =
        g_strdup_printf ("/volume-cs/joint/%s", cases[i].name);
    g_autofree char *linear =
        g_strdup_printf ("/volume-cs/linear/%s", cases[i].name);

    g_test_add_data_func (joint, &cases[i], test_joint);
    if (!(cases[i].rate < 1))
      g_test_add_data_func (linear, &cases[i], test_linear);
  }
  for (guint i = 0; i < G_N_ELEMENTS (parts); i++) {
    g_autofree char *name =
        g_strdup_printf ("/volume-cs/parts/%s", parts[i].name);

    g_test_add_data_func (name, &parts[i], test_linear);
  }
  g_test_add_func ("/volume-cs/paper-spectra", test_paper_spectra);
  g_test_add_func ("/volume-cs/mirrors", test_mirrors);
  g_test_add_func ("/volume-cs/envelope", test_envelope);
  g_test_add_func ("/volume-cs/paper", test_paper);
  g_test_add_func ("/volume-cs/paper-directions", test_paper_directions);
  g_test_add_func ("/volume-cs/measures", test_measures);
  g_test_add_func ("/volume-cs/dark", test_dark);
  g_test_add_func ("/volume-cs/refused", test_refused);
  if (tried.device != NULL)
    g_test_add_func ("/volume-cs/too-long", test_too_long);
  return g_test_run ();
}
