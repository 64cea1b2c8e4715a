/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The score of oct-autofocus.h, on blocks of A-lines side by side.
 */
#include "oct-autofocus.h"

#include "oct-cpu-block.h"
#include "oct-cpu-grey.h"
#include "oct-cpu-lanes-fft.h"
#include "oct-cpu-private.h"
#include "oct-simd.h"
#include "oct-window.h"

#include <math.h>
#include <string.h>

/* Bins whose powers are added in single precision. */
#define CHUNK 32
/* Less than any power that counts: log2 of 0 is not finite. */
#define LEAST 1e-30f

typedef struct {
  const OctAutofocusParams *params;
  guint first, count;  /* bins */
  guint lines, blocks; /* lines that count */
  float *spectra;      /* [blocks][samples][lane], with the window */
  float *factors;      /* [samples][2] */
  float *values;       /* [samples][2][lane] */
  float *bins;         /* [count][2][lane] */
  OctLanesFft *fft;
  gpointer scratch;
} Scorer;

/* sums[lane] of the powers, and logs[lane] of power log2 power */
OCT_VECTORISED static void
cpu_autofocus_add_powers (
    const float *restrict bins, guint count, double *sums, double *logs)
{
  for (guint start = 0; start < count; start += CHUNK) {
    guint end = MIN (start + CHUNK, count);
    float sum[OCT_LANES] __attribute__ ((aligned (64))) = { 0 };
    float log[OCT_LANES] __attribute__ ((aligned (64))) = { 0 };

    for (guint i = start; i < end; i++) {
      const float *re = bins + (gsize)i * 2 * OCT_LANES;
      const float *im = re + OCT_LANES;

      for (guint lane = 0; lane < OCT_LANES; lane++) {
        float power = re[lane] * re[lane] + im[lane] * im[lane] + LEAST;
        gint32 exponent;
        float fraction = oct_cpu_log2 (oct_cpu_bits (power), &exponent);

        sum[lane] += power;
        log[lane] += power * ((float)exponent + fraction);
      }
    }
    for (guint lane = 0; lane < OCT_LANES; lane++) {
      sums[lane] += sum[lane];
      logs[lane] += log[lane];
    }
  }
}

/* scores[lane] of a block */
static void
cpu_autofocus_score_block (
    Scorer *scorer, guint block, double scores[OCT_LANES])
{
  guint samples = scorer->params->samples;
  const float *spectra = scorer->spectra + (gsize)block * samples * OCT_LANES;
  double sums[OCT_LANES] = { 0 }, logs[OCT_LANES] = { 0 };

  oct_cpu_block_turn (spectra, scorer->factors, 0, 1, samples, scorer->values);
  oct_lanes_fft_run (scorer->fft, scorer->values, scorer->bins, scorer->first,
      scorer->count, scorer->scratch);
  cpu_autofocus_add_powers (scorer->bins, scorer->count, sums, logs);
  for (guint lane = 0; lane < OCT_LANES; lane++)
    scores[lane] = logs[lane] * G_LN2 / sums[lane] - log (sums[lane]);
}

static double
cpu_autofocus_score (
    gpointer data, guint part, guint parts, double c2, double c3)
{
  Scorer *scorer = data;
  const OctAutofocusParams *params = scorer->params;
  guint first = scorer->lines * part / parts;
  guint end = scorer->lines * (part + 1) / parts;
  double sum = 0;

  for (guint n = 0; n < params->samples; n++) {
    double x = 2.0 * n / (params->samples - 1) - 1;
    double phase =
        (params->phase != NULL ? params->phase[n] : 0) - x * x * (c2 + c3 * x);

    scorer->factors[2 * n] = (float)cos (phase);
    scorer->factors[2 * n + 1] = (float)sin (phase);
  }
  for (guint block = first / OCT_LANES; block * OCT_LANES < end; block++) {
    double scores[OCT_LANES];

    cpu_autofocus_score_block (scorer, block, scores);
    for (guint lane = 0; lane < OCT_LANES; lane++) {
      guint line = block * OCT_LANES + lane;

      if (line >= first && line < end)
        sum += scores[lane];
    }
  }
  return sum / (end - first);
}

static gboolean
line_counts (const float *spectrum, guint samples, double *power)
{
  double sum = 0;

  for (guint i = 0; i < samples; i++)
    sum += (double)spectrum[i] * spectrum[i];
  *power = sum;
  return isfinite (sum) && sum > 0;
}

/* Stores a line scaled to unit power, far from the limits of single precision.
 * The score does not depend on the scale. */
static void
cpu_autofocus_add_line (
    Scorer *scorer, const float *spectrum, double power, const double *window)
{
  guint samples = scorer->params->samples;
  guint block = scorer->lines / OCT_LANES, lane = scorer->lines % OCT_LANES;
  float *to = scorer->spectra + (gsize)block * samples * OCT_LANES + lane;

  for (guint i = 0; i < samples; i++)
    to[(gsize)i * OCT_LANES] = (float)(spectrum[i] * window[i] / sqrt (power));
  scorer->lines++;
}

/* Removes the first `cut` bins on either side of zero delay from a block.  The
 * residual spectrum of the source is not dispersed: phases that make the scene
 * sharp would spread it over bins that are scored.  The block is already
 * windowed, so that it does not leak into other bins. */
static void
cut_zero_delay (Scorer *scorer, guint block, guint cut,
    const OctLanesFft *forward, const OctLanesFft *backward, gpointer scratch)
{
  guint samples = scorer->params->samples;
  float *spectra = scorer->spectra + (gsize)block * samples * OCT_LANES;
  float *bins = scorer->values; /* [samples / 2 + 1][2][lane] */
  float scale = 1.0f / (float)samples;

  oct_lanes_fft_run_real (forward, spectra, bins, 0, samples / 2 + 1, scratch);
  memset (bins, 0, (gsize)cut * 2 * OCT_LANES * sizeof *bins);
  oct_lanes_fft_run_back_real (backward, bins, spectra, scratch);
  for (gsize i = 0; i < (gsize)samples * OCT_LANES; i++)
    spectra[i] *= scale;
}

static gboolean
cut_all (Scorer *scorer, GError **error)
{
  guint samples = scorer->params->samples;
  guint cut = scorer->params->first * 3 / 4;
  OctLanesFft *forward = oct_lanes_fft_new_real (samples, FALSE, error);
  OctLanesFft *backward =
      forward != NULL ? oct_lanes_fft_new_real (samples, TRUE, error) : NULL;
  gpointer scratch = backward != NULL ? oct_cpu_alloc (1,
                         MAX (oct_lanes_fft_scratch (forward),
                             oct_lanes_fft_scratch (backward)),
                         error)
                                      : NULL;

  gboolean ok = scratch != NULL;

  for (guint block = 0; ok && block < scorer->blocks; block++)
    cut_zero_delay (scorer, block, cut, forward, backward, scratch);
  oct_cpu_free (scratch);
  oct_lanes_fft_free (forward);
  oct_lanes_fft_free (backward);
  return ok;
}

static gboolean
load_lines (Scorer *scorer, const float *spectra, GError **error)
{
  const OctAutofocusParams *params = scorer->params;
  guint samples = params->samples;
  g_autofree double *window = g_new (double, samples);
  guint wanted = MIN (params->lines, OCT_AUTOFOCUS_LINES);

  oct_window_fill (OCT_WINDOW_HANN, samples, NULL, window);
  memset (scorer->spectra, 0,
      (gsize)scorer->blocks * samples * OCT_LANES * sizeof (float));
  for (guint i = 0; i < wanted; i++) {
    guint line = wanted > 1
                     ? (guint)((guint64)i * (params->lines - 1) / (wanted - 1))
                     : 0;
    const float *spectrum = spectra + (gsize)line * samples;
    double power;

    if (line_counts (spectrum, samples, &power))
      cpu_autofocus_add_line (scorer, spectrum, power, window);
  }
  if (scorer->lines >= OCT_AUTOFOCUS_MIN_LINES)
    return cut_all (scorer, error);
  g_set_error (error, OCT_ERROR, OCT_ERROR_FORMAT,
      "To find the dispersion takes %u A-lines or more, but of %u only %u have "
      "finite values that are not all zero; check what the source delivers, or "
      "set `lines` larger.",
      OCT_AUTOFOCUS_MIN_LINES, params->lines, scorer->lines);
  return FALSE;
}

static void
clear_scorer (Scorer *scorer)
{
  oct_cpu_free (scorer->spectra);
  oct_cpu_free (scorer->factors);
  oct_cpu_free (scorer->values);
  oct_cpu_free (scorer->bins);
  oct_lanes_fft_free (scorer->fft);
  oct_cpu_free (scorer->scratch);
}

static gboolean
make_scorer (Scorer *scorer, const OctAutofocusParams *params, GError **error)
{
  const gsize lanes = OCT_LANES * sizeof (float);
  guint end = params->end > 0 ? MIN (params->end, params->samples / 2)
                              : params->samples / 2;

  if (params->first + 2 > end) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "Spectra of %u samples are too short to find the dispersion: the "
        "depths that show it begin at bin %u.",
        params->samples, params->first);
    return FALSE;
  }
  scorer->params = params;
  scorer->first = params->first;
  scorer->count = end - params->first;
  scorer->blocks =
      (MIN (params->lines, OCT_AUTOFOCUS_LINES) + OCT_LANES - 1) / OCT_LANES;
  return (scorer->spectra = oct_cpu_alloc (
              (gsize)MAX (scorer->blocks, 1) * params->samples, lanes, error))
         && (scorer->factors =
                 oct_cpu_alloc (params->samples, 2 * sizeof (float), error))
         && (scorer->values = oct_cpu_alloc (params->samples, 2 * lanes, error))
         && (scorer->bins = oct_cpu_alloc (scorer->count, 2 * lanes, error))
         && (scorer->fft = oct_lanes_fft_new (params->samples, FALSE, error))
         && (scorer->scratch =
                 oct_cpu_alloc (1, oct_lanes_fft_scratch (scorer->fft), error));
}

gboolean
oct_autofocus_find (const OctAutofocusParams *params, const float *spectra,
    OctAutofocus *found, GError **error)
{
  Scorer scorer = { 0 };
  gboolean ok = make_scorer (&scorer, params, error)
                && load_lines (&scorer, spectra, error)
                && oct_autofocus_search (cpu_autofocus_score, &scorer,
                    params->third, params->former, params->cancelled, found);

  found->lines = scorer.lines;
  clear_scorer (&scorer);
  return ok;
}
