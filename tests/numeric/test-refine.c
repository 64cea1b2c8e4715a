/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The k map from a scene: of simulated layers seen through a spectrometer that
 * is bent by 4 nm, which nobody knows, with dispersion.  Figures are those of
 * the definition; what counts is how sharp mirrors are afterwards.
 */
#include "oct-refine.h"

#include "oct-calibration.h"
#include "oct-meter.h"
#include "oct-simulation-layers.h"
#include "oct-test.h"

#define LINES 120
#define BEND 4.0
#define C2 SIM_LAYERS_C2

/* Positions of the map that takes wavelengths for linear. */
static void
make_linear_map (double positions[SIM_N])
{
  double k[SIM_N], at[SIM_N];

  for (guint p = 0; p < SIM_N; p++) {
    k[p] = 2e3 * G_PI / (895 - 100.0 * p / (SIM_N - 1));
    at[p] = p;
  }
  for (guint j = 0; j < SIM_N; j++)
    positions[j] = oct_reference_interpolate (
        k, at, SIM_N, k[0] + (k[SIM_N - 1] - k[0]) * j / (SIM_N - 1));
}

/* spectra[LINES][SIM_N] on the axis that `positions` make uniform, without the
 * mean of the lines */
static float *
make_scene (
    Simulation *sim, const SimulationLayers *layers, const double *positions)
{
  g_autofree double *counts = g_new (double, LINES *SIM_N);
  g_autofree double *uniform = g_new (double, LINES *SIM_N);
  float *spectra = g_new (float, LINES *SIM_N);
  double mean;

  for (guint line = 0; line < LINES; line++)
    simulation_expose_layers (sim, layers, counts + line * SIM_N);
  for (guint p = 0; p < SIM_N; p++) {
    mean = 0;
    for (guint line = 0; line < LINES; line++)
      mean += counts[line * SIM_N + p] / LINES;
    for (guint line = 0; line < LINES; line++)
      counts[line * SIM_N + p] -= mean;
  }
  memcpy (sim->positions, positions, sizeof sim->positions);
  simulation_resample (sim, LINES, counts, uniform);
  for (guint i = 0; i < LINES * SIM_N; i++)
    spectra[i] = (float)uniform[i];
  return spectra;
}

static gboolean
find (const float *spectra, OctRefine *found, GError **error)
{
  const OctAutofocusParams params = {
    .samples = SIM_N, .lines = LINES, .first = OCT_AUTOFOCUS_FIRST_BIN
  };
  gboolean ok = oct_refine_find (&params, spectra, found, error);

  g_test_message ("q2 %.4f q3 %.4f, c2 %.1f c3 %.1f, change %.2f rad, spread "
                  "%.2f, gain %.3f, %u evaluations",
      found->values[OCT_REFINE_Q2], found->values[OCT_REFINE_Q3],
      found->values[OCT_REFINE_C2], found->values[OCT_REFINE_C3], found->change,
      found->spread, found->gain, found->evaluations);
  return ok;
}

/* Positions after the correction, as an element with `k-warp` reads them. */
static void
correct (const double *positions, const double warp[4], double *corrected)
{
  g_autofree char *text = oct_refine_compose (warp, NULL, NULL);
  g_autoptr (OctCalibration) base = oct_calibration_new_from_arrays (
      SIM_N, NULL, positions, NULL, NULL, NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (OctCalibration) on = oct_calibration_new_on (
      base, &(OctCalibrationSettings){ .k_warp = text }, SIM_N, &error);

  g_assert_no_error (error);
  memcpy (
      corrected, oct_calibration_get_positions (on), SIM_N * sizeof *corrected);
}

/* Width at -6 dB in bins of a mirror. */
static double
find_width (Simulation *sim, double depth, const double *positions,
    double phase2, double phase3)
{
  enum { N_LINES = 8 };
  g_autofree double *counts = g_new (double, N_LINES *SIM_N);
  g_autofree double *uniform = g_new (double, N_LINES *SIM_N);
  g_autofree float *ascans = g_new (float, N_LINES *SIM_N);
  g_autoptr (OctMeterFft) fft = oct_meter_fft_new (SIM_N);
  double window[SIM_N], dark[SIM_N], re[SIM_N], im[SIM_N];
  OctMeterPeak peak;

  simulation_detect (sim, NULL, FALSE, dark);
  for (guint line = 0; line < N_LINES; line++) {
    Complex field[SIM_N] = { 0 };

    simulation_reflect_pixels (sim, depth, 0.05, field);
    simulation_detect (sim, field, FALSE, counts + line * SIM_N);
    for (guint p = 0; p < SIM_N; p++)
      counts[line * SIM_N + p] -= dark[p];
  }
  memcpy (sim->positions, positions, sizeof sim->positions);
  simulation_resample (sim, N_LINES, counts, uniform);
  oct_window_fill (OCT_WINDOW_HANN, SIM_N, NULL, window);
  for (guint line = 0; line < N_LINES; line++) {
    for (guint j = 0; j < SIM_N; j++) {
      double x = 2.0 * j / (SIM_N - 1) - 1;
      double phase = -x * x * (phase2 + phase3 * x);
      double value = uniform[line * SIM_N + j] * window[j];

      re[j] = value * cos (phase);
      im[j] = value * sin (phase);
    }
    oct_meter_fft_run (fft, re, im);
    for (guint i = 0; i < SIM_N / 2; i++) {
      ascans[(line * SIM_N / 2 + i) * 2] = (float)re[i];
      ascans[(line * SIM_N / 2 + i) * 2 + 1] = (float)im[i];
    }
  }
  g_assert_true (
      oct_meter_ascans (ascans, N_LINES, SIM_N / 2, 0, 20, 0, &peak, NULL));
  return peak.width[OCT_METER_6DB];
}

static void
test_deep (void)
{
  static const double depths[] = { 120, 300, 600, 900 };

  for (guint seed = 1; seed <= 3; seed++) {
    double linear[SIM_N], right[SIM_N], corrected[SIM_N];
    g_autofree float *spectra = NULL;
    g_autoptr (GError) error = NULL;
    double before, after;
    OctRefine found;
    Simulation sim;

    simulation_init (&sim, seed, BEND);
    memcpy (right, sim.positions, sizeof right);
    make_linear_map (linear);
    spectra = make_scene (&sim, &simulation_deep, linear);
    g_assert_true (find (spectra, &found, &error));
    g_assert_no_error (error);
    g_assert_true (oct_refine_check (&found, &error));
    correct (linear, found.warp, corrected);
    before = simulation_find_bend (&sim, linear);
    after = simulation_find_bend (&sim, corrected);
    g_test_message ("error %.2f -> %.2f rad per 100 bins", before, after);
    g_assert_cmpfloat (simulation_find_bend (&sim, right), <, 0.01);
    g_assert_cmpfloat (before, >, 1.2);
    g_assert_cmpfloat (after, <, 0.25);
    g_assert_cmpfloat (found.gain, >, 0);
    for (guint i = 0; i < G_N_ELEMENTS (depths); i++) {
      double ideal = find_width (&sim, depths[i], right, C2, 0);
      double width =
          find_width (&sim, depths[i], corrected, found.phase2, found.phase3);
      double former = find_width (&sim, depths[i], linear, C2, 0);

      g_test_message ("%g um: %.3f bins, %.3f before, %.3f ideal", depths[i],
          width, former, ideal);
      g_assert_cmpfloat (width, <, 1.05 * ideal);
      if (depths[i] > 500)
        g_assert_cmpfloat (former, >, 1.5 * ideal);
    }
    simulation_clear (&sim);
  }
}

/* Positions that are right are not changed. */
static void
test_right_already (void)
{
  g_autofree float *spectra = NULL;
  g_autoptr (GError) error = NULL;
  double right[SIM_N];
  OctRefine found;
  Simulation sim;

  simulation_init (&sim, 1, 0);
  memcpy (right, sim.positions, sizeof right);
  spectra = make_scene (&sim, &simulation_deep, right);
  g_assert_true (find (spectra, &found, &error));
  g_assert_cmpfloat (found.change, <, OCT_REFINE_SAME);
  simulation_clear (&sim);
}

static void
assert_refused (const float *spectra, const char *words)
{
  g_autoptr (GError) error = NULL;
  OctRefine found;

  g_assert_false (find (spectra, &found, &error));
  g_assert_error (error, OCT_ERROR, OCT_ERROR_FORMAT);
  g_test_message ("%s", error->message);
  g_assert_nonnull (strstr (error->message, words));
}

/* Where the depths cannot tell, nothing is changed. */
static void
test_narrow (void)
{
  for (guint seed = 1; seed <= 3; seed++) {
    g_autofree float *spectra = NULL;
    double linear[SIM_N];
    Simulation sim;

    simulation_init (&sim, seed, BEND);
    make_linear_map (linear);
    spectra = make_scene (&sim, &simulation_narrow, linear);
    assert_refused (spectra, "close together");
    simulation_clear (&sim);
  }
}

static void
test_nothing (void)
{
  g_autofree float *spectra = g_new0 (float, LINES *SIM_N);
  g_autoptr (GRand) random = g_rand_new_with_seed (7);

  assert_refused (spectra, "finite values");
  for (guint i = 0; i < LINES * SIM_N; i++)
    spectra[i] = (float)signal_normal (random);
  assert_refused (spectra, "noise");
  for (guint i = 0; i < LINES * SIM_N; i++)
    spectra[i] = NAN;
  assert_refused (spectra, "finite values");
}

static void
test_cancelled (void)
{
  g_autofree float *spectra = NULL;
  g_autoptr (GError) error = NULL;
  double right[SIM_N];
  gint cancelled = TRUE;
  OctAutofocusParams params = { .samples = SIM_N,
    .lines = LINES,
    .first = OCT_AUTOFOCUS_FIRST_BIN,
    .cancelled = &cancelled };
  OctRefine found;
  Simulation sim;

  simulation_init (&sim, 1, 0);
  memcpy (right, sim.positions, sizeof right);
  spectra = make_scene (&sim, &simulation_deep, right);
  g_assert_false (oct_refine_find (&params, spectra, &found, &error));
  g_assert_no_error (error);
  simulation_clear (&sim);
}

/* Two corrections in one: read through the second, then through the first. */
static void
test_compose (void)
{
  const double warp[] = { 0.01, -0.02, 0.05, 0.01 };
  g_autoptr (GError) error = NULL;
  g_autofree char *text =
      oct_refine_compose (warp, "0.02,0.01,-0.04,0.03", &error);
  g_auto (GStrv) fields = g_strsplit (text, ",", 0);

  g_assert_no_error (error);
  for (double x = -1; x <= 1; x += 0.125) {
    double t = x + warp[0] + x * (warp[1] + x * (warp[2] + x * warp[3]));
    double expected = t - x + 0.02 + 0.01 * t - 0.04 * t * t + 0.03 * t * t * t;
    double found = 0;

    for (guint i = g_strv_length (fields); i-- > 0;)
      found = found * x + g_ascii_strtod (fields[i], NULL);
    g_assert_cmpfloat_with_epsilon (found, expected, 1e-5);
  }
  g_assert_null (oct_refine_compose (warp, "1,x", &error));
  g_assert_error (error, OCT_ERROR, OCT_ERROR_SETTINGS);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/refine/deep", test_deep);
  g_test_add_func ("/refine/right-already", test_right_already);
  g_test_add_func ("/refine/narrow", test_narrow);
  g_test_add_func ("/refine/nothing", test_nothing);
  g_test_add_func ("/refine/cancelled", test_cancelled);
  g_test_add_func ("/refine/compose", test_compose);
  return g_test_run ();
}
