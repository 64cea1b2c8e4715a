/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The dispersion of scenes whose dispersion is known: simulated tissue and
 * mirrors, and a real B-scan to which a known one is added.
 */
#include "oct-autofocus.h"

#include "oct-backend.h"
#include "oct-simulation-scene.h"
#include "oct-test.h"

static OctAutofocus
find (const float *spectra, guint lines, gboolean third)
{
  OctAutofocusParams params = { .samples = SIM_N,
    .lines = lines,
    .first = OCT_AUTOFOCUS_FIRST_BIN,
    .third = third };
  OctAutofocus found = { 0 };

  g_assert_true (oct_autofocus_find (&params, spectra, &found, NULL));
  g_test_message ("%u lines: %.2f %.2f +- %.2f %.2f rad, contrast %.3f, "
                  "%u evaluations",
      found.lines, found.c2, found.c3, found.error2, found.error3,
      found.contrast, found.evaluations);
  return found;
}

static void
assert_found (const OctAutofocus *found, double c2, double c3, double limit)
{
  g_autoptr (GError) error = NULL;

  oct_autofocus_check (found, &error);
  g_assert_no_error (error);
  g_assert_cmpfloat (fabs (found->c2 - c2), <, limit);
  g_assert_cmpfloat (fabs (found->c3 - c3), <, MAX (2 * limit, 4));
  /* what parts of the lines differ by */
  g_assert_cmpfloat (found->error2, <, 3);
}

/* Limits of the definition: 1.5 rad with 200 lines, 4 with 20. */
static void
test_tissue (void)
{
  static const struct {
    guint lines;
    double limit;
  } cases[] = { { 200, 1.5 }, { 50, 2.5 }, { 20, 4 } };
  static const double phases[][2] = { { 25, 0 }, { -64, 36 } };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    for (guint p = 0; p < G_N_ELEMENTS (phases); p++)
      for (guint seed = 1; seed <= 2; seed++) {
        guint lines = cases[i].lines;
        g_autofree float *spectra = g_new (float, (gsize)lines *SIM_N);
        Simulation sim;
        OctAutofocus found;

        simulation_init (&sim, seed, 0);
        simulation_tissue (&sim, lines, phases[p][0], phases[p][1], spectra);
        found = find (spectra, lines, TRUE);
        g_assert_cmpuint (found.lines, ==, lines);
        assert_found (&found, phases[p][0], phases[p][1], cases[i].limit);
        simulation_clear (&sim);
      }
}

/* spectra[lines][SIM_N] of a mirror that is tilted by 0.3 um a line */
static float *
make_mirror (guint lines, double amplitude, double c2, double c3)
{
  g_autofree Complex *fields = g_new0 (Complex, (gsize)lines * SIM_N);
  float *spectra = g_new (float, (gsize)lines *SIM_N);
  Simulation sim;

  simulation_init (&sim, 3, 0);
  for (guint line = 0; line < lines; line++)
    simulation_reflect (
        &sim, 300 + 0.3 * line, amplitude, fields + (gsize)line * SIM_N);
  simulation_expose (&sim, lines, fields, c2, c3, spectra);
  simulation_clear (&sim);
  return spectra;
}

/* Also such dispersion as is beyond the usual range, and none. */
static void
test_mirror (void)
{
  static const double phases[][2] = { { 40, 10 }, { 0, 0 }, { -140, 5 },
    { 230, -20 } };

  for (guint p = 0; p < G_N_ELEMENTS (phases); p++) {
    g_autofree float *spectra =
        make_mirror (64, 0.1, phases[p][0], phases[p][1]);
    OctAutofocus found = find (spectra, 64, TRUE);

    assert_found (&found, phases[p][0], phases[p][1], 0.3);
    if (phases[p][0] == 0)
      g_assert_cmpfloat (fabs (found.gain), <, 0.001);
  }
}

static void
test_second_order_alone (void)
{
  g_autofree float *spectra = make_mirror (64, 0.1, 40, 0);
  OctAutofocus found = find (spectra, 64, FALSE);

  assert_found (&found, 40, 0, 0.3);
  g_assert_cmpfloat (found.c3, ==, 0);
  g_assert_cmpfloat (found.error3, ==, 0);
}

/* The calibration has a phase already: the rest is looked for. */
static void
test_on_top_of_a_phase (void)
{
  g_autofree float *spectra = make_mirror (32, 0.1, 40, 10);
  double phase[SIM_N];
  OctAutofocusParams params = { .samples = SIM_N,
    .lines = 32,
    .phase = phase,
    .first = OCT_AUTOFOCUS_FIRST_BIN,
    .third = TRUE };
  OctAutofocus found = { 0 };

  for (guint n = 0; n < SIM_N; n++) {
    double x = 2.0 * n / (SIM_N - 1) - 1;

    phase[n] = -(60 * x * x - 5 * x * x * x);
  }
  g_assert_true (oct_autofocus_find (&params, spectra, &found, NULL));
  assert_found (&found, -20, 15, 0.3);
}

/* The rest of the source's spectrum lies at zero delay, and phases that
 * sharpen the scene spread it over the first depths: it does not belong to
 * the scene. */
static void
test_background_left (void)
{
  static const double phases[][2] = { { 40, 10 }, { -64, 36 } };

  for (guint p = 0; p < G_N_ELEMENTS (phases); p++) {
    g_autofree float *spectra =
        make_mirror (32, 0.02, phases[p][0], phases[p][1]);
    OctAutofocus found;

    for (guint i = 0; i < 32 * SIM_N; i++)
      spectra[i] += (float)(2800 * exp (-pow ((i % SIM_N - 500.0) / 310, 2)));
    found = find (spectra, 32, TRUE);
    assert_found (&found, phases[p][0], phases[p][1], 0.3);
  }
}

/* Noise alone, of any number of lines, does not give a result. */
static void
test_noise (void)
{
  static const guint lines[] = { 16, 50, 200 };

  for (guint i = 0; i < G_N_ELEMENTS (lines); i++) {
    g_autofree float *spectra = make_mirror (lines[i], 0, 0, 0);
    OctAutofocus found = find (spectra, lines[i], TRUE);
    g_autoptr (GError) error = NULL;

    g_assert_false (oct_autofocus_check (&found, &error));
    oct_test_assert_error (&error, OCT_ERROR_FORMAT, "noise", "mirror", NULL);
  }
}

static void
test_bad_lines (void)
{
  g_autofree float *spectra = make_mirror (40, 0.1, 40, 10);
  g_autoptr (GError) error = NULL;
  OctAutofocusParams params = { .samples = SIM_N,
    .lines = 40,
    .first = OCT_AUTOFOCUS_FIRST_BIN,
    .third = TRUE };
  OctAutofocus found = { 0 };

  for (guint line = 0; line < 24; line++)
    spectra[line * SIM_N + 7] = line % 3 ? NAN : INFINITY;
  g_assert_true (oct_autofocus_find (&params, spectra, &found, NULL));
  g_assert_cmpuint (found.lines, ==, 16);
  assert_found (&found, 40, 10, 0.3);
  memset (spectra, 0, 39 * SIM_N * sizeof *spectra);
  g_assert_false (oct_autofocus_find (&params, spectra, &found, &error));
  oct_test_assert_error (&error, OCT_ERROR_FORMAT, "16", "40", " 1 ", NULL);
  params.samples = 40;
  g_assert_false (oct_autofocus_find (&params, spectra, &found, &error));
  oct_test_assert_error (&error, OCT_ERROR_SETTINGS, "40 samples", NULL);
}

static void
test_cancel (void)
{
  g_autofree float *spectra = make_mirror (16, 0.1, 40, 10);
  gint cancelled = TRUE;
  g_autoptr (GError) error = NULL;
  OctAutofocusParams params = { .samples = SIM_N,
    .lines = 16,
    .first = OCT_AUTOFOCUS_FIRST_BIN,
    .third = TRUE,
    .cancelled = &cancelled };
  OctAutofocus found = { 0 };

  g_assert_false (oct_autofocus_find (&params, spectra, &found, &error));
  g_assert_no_error (error);
  g_assert_cmpuint (found.evaluations, ==, 0);
}

/* ------------------------------------------------------------- a real B-scan
 */

/* spectra[lines][SIM_N] with another dispersion: the part of positive depths
 * is turned. */
static void
disperse (float *spectra, guint lines, double c2, double c3)
{
  g_autoptr (OctMeterFft) fft = oct_meter_fft_new (SIM_N);
  double re[SIM_N], im[SIM_N];

  for (guint line = 0; line < lines; line++) {
    float *spectrum = spectra + (gsize)line * SIM_N;

    for (guint i = 0; i < SIM_N; i++) {
      re[i] = spectrum[i];
      im[i] = 0;
    }
    oct_meter_fft_run (fft, re, im);
    memset (re + SIM_N / 2, 0, SIM_N / 2 * sizeof *re);
    memset (im + SIM_N / 2, 0, SIM_N / 2 * sizeof *im);
    oct_meter_fft_run (fft, im, re);
    for (guint i = 0; i < SIM_N; i++) {
      double x = 2.0 * i / (SIM_N - 1) - 1, phase = x * x * (c2 + c3 * x);

      spectrum[i] = re[i] * cos (phase) - im[i] * sin (phase);
    }
  }
}

/* spectra[lines][SIM_N] of raw counts, with the k map of the file beside them;
 * phase[SIM_N]: its dispersion. */
static gboolean
load_cscan (guint bscan, guint lines, float *spectra, double *phase)
{
  const char *folder = g_getenv ("OCT_TEST_DATA");
  g_autofree char *raw = NULL, *csv = NULL, *text = NULL, *data = NULL;
  g_auto (GStrv) rows = NULL;
  g_autofree float *counts = g_new (float, lines *SIM_N);
  double positions[SIM_N], mean[SIM_N] = { 0 };
  const OctOperationTable *resample =
      oct_backend_cpu ()->operations[OCT_OPERATION_RESAMPLE];
  OctResampleParams params = { SIM_N, lines, OCT_RESAMPLE_CUBIC, 1, positions };
  OctFrame from = { .planes = { { counts, SIM_N * sizeof (float) } } };
  OctFrame to = { .planes = { { spectra, SIM_N * sizeof (float) } } };
  OctPlan *plan;

  folder = folder != NULL ? folder : OCT_TEST_DATA;
  raw = g_build_filename (folder, "cscan_100x100x1024_u16.raw", NULL);
  csv = g_build_filename (folder, "calibration.csv", NULL);
  if (!g_file_get_contents (raw, &data, NULL, NULL)
      || !g_file_get_contents (csv, &text, NULL, NULL))
    return FALSE;
  rows = g_strsplit (text, "\n", 0);
  g_assert_true (g_str_has_prefix (rows[0], "k_index,"));
  for (guint i = 0; i < SIM_N; i++) {
    char *end;

    positions[i] = g_ascii_strtod (rows[i + 1], &end);
    phase[i] = g_ascii_strtod (end + 1, NULL);
  }
  for (guint i = 0; i < lines * SIM_N; i++) {
    guint16 count;

    memcpy (&count, data + 2 * ((gsize)bscan * 100 * SIM_N + i), 2);
    counts[i] = GUINT16_FROM_LE (count);
    mean[i % SIM_N] += counts[i] / lines;
  }
  for (guint i = 0; i < lines * SIM_N; i++)
    counts[i] -= (float)mean[i % SIM_N];
  plan = resample->create (&params, NULL);
  g_assert_true (resample->run (plan, &from, &to, NULL, NULL));
  resample->destroy (plan);
  return TRUE;
}

static void
test_cscan (void)
{
  g_autofree float *spectra = g_new (float, 100 * SIM_N);
  OctAutofocus plain, more;
  double phase[SIM_N];

  if (!load_cscan (50, 100, spectra, phase)) {
    g_test_skip ("no C-scan: set OCT_TEST_DATA");
    return;
  }
  plain = find (spectra, 100, TRUE);
  g_assert_cmpfloat (fabs (plain.c2), <, 4);
  disperse (spectra, 100, -35, 12);
  more = find (spectra, 100, TRUE);
  assert_found (&more, plain.c2 - 35, plain.c3 + 12, 1.5);
}

/* Phases that are right are not given up for others that seem a little sharper,
 * and those that are off are.  `phase`, or NULL, is right; [lines] spectra. */
static OctAutofocus
find_beside (const float *spectra, guint lines, const double *phase, double c2,
    double c3)
{
  OctAutofocusParams params = { .samples = SIM_N,
    .lines = lines,
    .phase = phase,
    .first = OCT_AUTOFOCUS_FIRST_BIN,
    .former = { c2, c3 },
    .third = TRUE };
  OctAutofocus found = { 0 };

  g_assert_true (oct_autofocus_find (&params, spectra, &found, NULL));
  g_test_message ("from %.0f: %.2f %.2f rad, gain %.4f +- %.4f, certainty %.2f",
      c2, found.c2, found.c3, found.gain, found.gain_error, found.certainty);
  return found;
}

static void
test_certain_tissue (void)
{
  for (guint seed = 1; seed <= 3; seed++) {
    g_autofree float *spectra = g_new (float, (gsize)200 * SIM_N);
    Simulation sim;
    OctAutofocus right, off;

    simulation_init (&sim, seed, 0);
    simulation_tissue (&sim, 200, -64, 36, spectra);
    simulation_clear (&sim);
    right = find_beside (spectra, 200, NULL, -64, 36);
    off = find_beside (spectra, 200, NULL, -60, 36);
    g_assert_false (oct_autofocus_is_certain (&right));
    g_assert_true (oct_autofocus_is_certain (&off));
  }
}

/* An instrument in a sixth of the lines, whose scores change ten times as much
 * as those of tissue. */
static void
test_certain_instrument (void)
{
  g_autofree float *mirror = make_mirror (40, 0.1, -64, 36);

  for (guint seed = 1; seed <= 5; seed++) {
    g_autofree float *spectra = g_new (float, (gsize)256 * SIM_N);
    Simulation sim;
    OctAutofocus right, off;

    simulation_init (&sim, seed, 0);
    simulation_tissue (&sim, 256, -64, 36, spectra);
    simulation_clear (&sim);
    memcpy (spectra + (gsize)30 * seed * SIM_N, mirror,
        (gsize)40 * SIM_N * sizeof *mirror);
    right = find_beside (spectra, 256, NULL, -64, 36);
    off = find_beside (spectra, 256, NULL, -44, 36);
    g_assert_false (oct_autofocus_is_certain (&right));
    g_assert_true (oct_autofocus_is_certain (&off));
  }
}

/* The calibration of the C-scan is made of mirrors: what the surface says
 * differs by up to 2.5 rad, and is no sharper for certain. */
static void
test_certain_cscan (void)
{
  g_autofree float *spectra = g_new (float, (gsize)200 * SIM_N);
  double phase[SIM_N];

  for (guint bscan = 0; bscan < 98; bscan += 14) {
    OctAutofocus right, off;

    if (!load_cscan (bscan, 200, spectra, phase)) {
      g_test_skip ("no C-scan: set OCT_TEST_DATA");
      return;
    }
    right = find_beside (spectra, 200, phase, 0, 0);
    off = find_beside (spectra, 200, phase, 10, 0);
    g_assert_false (oct_autofocus_is_certain (&right));
    g_assert_true (oct_autofocus_is_certain (&off));
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/autofocus/tissue", test_tissue);
  g_test_add_func ("/autofocus/mirror", test_mirror);
  g_test_add_func ("/autofocus/second-order-alone", test_second_order_alone);
  g_test_add_func ("/autofocus/on-top-of-a-phase", test_on_top_of_a_phase);
  g_test_add_func ("/autofocus/background-left", test_background_left);
  g_test_add_func ("/autofocus/noise", test_noise);
  g_test_add_func ("/autofocus/bad-lines", test_bad_lines);
  g_test_add_func ("/autofocus/cancel", test_cancel);
  g_test_add_func ("/autofocus/cscan", test_cscan);
  g_test_add_func ("/autofocus/certain-tissue", test_certain_tissue);
  g_test_add_func ("/autofocus/certain-instrument", test_certain_instrument);
  g_test_add_func ("/autofocus/certain-cscan", test_certain_cscan);
  return g_test_run ();
}
