/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-phantom-scene.h"

#include <math.h>

#include "oct-simd.h"

/* Axial movement of the tissue: amplitudes as fractions of the imaging range,
 * periods in B-scans (breathing, pulse, unrest). */
static const struct {
  double amplitude;
  guint period;
  double phase;
} movements[] = {
  { 0.010, 311, 0.0 },
  { 0.0012, 67, 1.0 },
  { 0.006, 1511, 2.0 },
};

/* Lateral drift, fraction of the B-scan's width, period in B-scans. */
#define DRIFT 0.04
#define DRIFT_PERIOD 2203

/* B-scans after which the speckle is another one. */
#define SPECKLE_BSCANS 4

/* The instrument: one pass, B-scans at least (volumes when there are any), of
 * which it is in view for about the first half. */
#define PASS_BSCANS 480
#define PASS_VOLUMES 12
#define INSTRUMENT_WIDTH 0.16 /* of the B-scan */
#define INSTRUMENT_TILT 0.22  /* range per B-scan's width */
#define INSTRUMENT_DEPTH 0.075
#define INSTRUMENT_REFLECTIVITY 0.07
#define INSTRUMENT_SHADOW 0.02 /* amplitude that comes back from below */
#define INSTRUMENT_EDGE 3.0    /* A-lines over which it begins and ends */

/* Turns of all fringes' phase from A-line to A-line: the beam misses the pivot
 * of the scanner's mirror a little, as it does in most systems.  It keeps the
 * B-scan's mean spectrum free of tissue. */
#define PIVOT_TURNS 0.21

struct _OctScene {
  const OctSpectrometer *spectrometer;
  OctTissue *tissue;
  guint64 seed;
  guint lines, bscans;
  gboolean is_surgery;
  float *background; /* [samples] counts */
  float *fringe;     /* [samples] counts of a fringe of unit amplitude */
  float *k_turns;    /* [samples] turns of a fringe per um, from the centre's */
  float *dispersion; /* [samples] turns */
};

/* A fringe or a shift of all of them; phases in turns. */
typedef struct {
  float carrier; /* at the central wavenumber */
  float depth;   /* um */
  float amplitude;
} Fringe;

/* exp (2 pi i x), error below 1e-5 for |x| up to some hundred turns.  Reduced
 * by the addition that rounds to whole turns, since not every instruction set
 * can round; then minimax polynomials of half the angle, within a quarter
 * turn, and the double-angle formulas. */
static inline void
turn_to_phasor (float x, float *re, float *im)
{
  const float rounder = 12582912.0f; /* 1.5 * 2^23 */
  float whole = (x + rounder) - rounder;
  float half = (x - whole) * (float)G_PI;
  float square = half * half;
  float sine, cosine;

  sine = 2.7525562e-6f;
  sine = sine * square - 1.9840874e-4f;
  sine = sine * square + 8.3333310e-3f;
  sine = sine * square - 1.6666667e-1f;
  sine = (sine * square + 1.0f) * half;
  cosine = -2.6051615e-7f;
  cosine = cosine * square + 2.4760495e-5f;
  cosine = cosine * square - 1.3888378e-3f;
  cosine = cosine * square + 4.1666638e-2f;
  cosine = cosine * square - 0.5f;
  cosine = cosine * square + 1.0f;
  *re = 1.0f - 2.0f * sine * sine;
  *im = 2.0f * sine * cosine;
}

OCT_VECTORISED static void
see_tissue (guint samples, const float *restrict background,
    const float *restrict fringe, const float *restrict k_turns, Fringe move,
    const gint16 *restrict field, float *restrict spectrum)
{
  const gint16 *restrict field_im = field + samples;
  guint n;

  for (n = 0; n < samples; n++) {
    float re, im;

    turn_to_phasor (move.carrier + k_turns[n] * move.depth, &re, &im);
    spectrum[n] =
        background[n]
        + fringe[n] * move.amplitude * (field[n] * re - field_im[n] * im);
  }
}

/* The same for speckle half way between two realisations. */
OCT_VECTORISED static void
see_mixed_tissue (guint samples, const float *restrict background,
    const float *restrict fringe, const float *restrict k_turns, Fringe move,
    const gint16 *restrict field, const gint16 *restrict other,
    const float mix[2], float *restrict spectrum)
{
  const gint16 *restrict field_im = field + samples;
  const gint16 *restrict other_im = other + samples;
  float first = mix[0] * move.amplitude;
  float second = mix[1] * move.amplitude;
  guint n;

  for (n = 0; n < samples; n++) {
    float re, im;
    float x = first * field[n] + second * other[n];
    float y = first * field_im[n] + second * other_im[n];

    turn_to_phasor (move.carrier + k_turns[n] * move.depth, &re, &im);
    spectrum[n] = background[n] + fringe[n] * (x * re - y * im);
  }
}

OCT_VECTORISED static void
add_reflector (guint samples, const float *restrict fringe,
    const float *restrict k_turns, const float *restrict dispersion,
    Fringe reflector, float *restrict spectrum)
{
  guint n;

  for (n = 0; n < samples; n++) {
    float re, im;

    turn_to_phasor (
        reflector.carrier + dispersion[n] + k_turns[n] * reflector.depth, &re,
        &im);
    spectrum[n] += fringe[n] * reflector.amplitude * re;
  }
}

OctScene *
oct_scene_new (const OctSpectrometer *spectrometer, const OctNoise *noise,
    guint64 seed, guint lines, guint bscans, double peak, gboolean is_surgery)
{
  OctScene *scene = g_new0 (OctScene, 1);
  guint samples = spectrometer->samples;
  guint n;

  scene->spectrometer = spectrometer;
  scene->seed = seed;
  scene->lines = lines;
  scene->bscans = bscans;
  scene->is_surgery = is_surgery;
  scene->tissue = oct_tissue_new (spectrometer, noise, seed, bscans > 1);
  scene->background = g_new (float, samples);
  scene->fringe = g_new (float, samples);
  scene->k_turns = g_new (float, samples);
  scene->dispersion = g_new (float, samples);
  for (n = 0; n < samples; n++) {
    double source = spectrometer->source[n] * peak;

    scene->background[n] = source;
    scene->fringe[n] = 2.0 * source;
    scene->k_turns[n] = (spectrometer->k[n] - spectrometer->k_centre) / G_PI;
    scene->dispersion[n] = spectrometer->dispersion[n] / (2.0 * G_PI);
  }
  return scene;
}

void
oct_scene_free (OctScene *scene)
{
  oct_tissue_free (scene->tissue);
  g_free (scene->background);
  g_free (scene->fringe);
  g_free (scene->k_turns);
  g_free (scene->dispersion);
  g_free (scene);
}

/* 2 pi frame / period, exact however long the phantom has been running. */
static double
get_angle (guint64 frame, guint64 period)
{
  return 2.0 * G_PI * (double)(frame % period) / (double)period;
}

static double
get_shift (const OctScene *scene, guint64 frame, double slow)
{
  double shift = 0.012 * sin (2.0 * G_PI * 0.9 * slow)
                 + 0.006 * sin (2.0 * G_PI * 2.1 * slow + 1.0);
  guint i;

  for (i = 0; i < G_N_ELEMENTS (movements); i++)
    shift +=
        movements[i].amplitude
        * sin (get_angle (frame, movements[i].period) + movements[i].phase);
  return shift * scene->spectrometer->range;
}

/* Even positions take the speckle from one half of the realisations, odd ones
 * from the other, so that neighbours always differ. */
static guint
get_realisation (const OctScene *scene, guint position)
{
  guint half = scene->tissue->realisations / 2;

  return (position % 2) * half
         + oct_noise_hash (scene->seed, position) % MAX (half, 1);
}

static void
set_instrument (
    const OctScene *scene, guint64 frame, double slow, OctSceneFrame *moment)
{
  guint64 period =
      MAX ((guint64)PASS_BSCANS, (guint64)PASS_VOLUMES * scene->bscans);
  /* Not yet there in the very first B-scan, but soon. */
  double pass = (double)((frame + period / 64) % period) / period;
  double across = 1.25 - 3.2 * pass + 0.15 * slow;

  moment->instrument = across > -INSTRUMENT_WIDTH && across < 1.0;
  moment->tip = across * scene->lines;
  moment->tip_depth = (INSTRUMENT_DEPTH + 0.02 * sin (2.0 * G_PI * 3.0 * pass))
                      * scene->spectrometer->range;
}

void
oct_scene_set_frame (
    const OctScene *scene, guint64 frame, OctSceneFrame *moment)
{
  guint bscan = frame % scene->bscans;
  double slow = (double)bscan / scene->bscans;
  guint width = MIN (scene->lines, scene->tissue->columns);
  double lateral = DRIFT * sin (get_angle (frame, DRIFT_PERIOD))
                   + 0.05 * sin (2.0 * G_PI * 1.1 * slow)
                   + 0.02 * sin (2.0 * G_PI * 2.7 * slow + 1.0);
  guint position = bscan / SPECKLE_BSCANS;
  double between = (double)(bscan % SPECKLE_BSCANS) / SPECKLE_BSCANS;

  moment->column = scene->tissue->columns + (gint)rint (lateral * width);
  moment->realisations[0] = get_realisation (scene, position);
  moment->realisations[1] = get_realisation (scene, position + 1);
  /* Independent fields: the squares of the weights sum to one. */
  moment->mix[0] = cos (0.5 * G_PI * between);
  moment->mix[1] = sin (0.5 * G_PI * between);
  if (scene->is_surgery) {
    moment->instrument = TRUE;
    oct_surgery_set_moment (
        &moment->surgery, frame / scene->bscans, bscan, scene->bscans);
    return;
  }
  moment->shift_start = get_shift (scene, frame, slow);
  moment->shift_end = get_shift (scene, frame + 1, slow);
  set_instrument (scene, frame, slow, moment);
}

static Fringe
make_fringe (const OctScene *scene, guint line, double depth, double amplitude)
{
  double turns =
      scene->spectrometer->k_centre * depth / G_PI + PIVOT_TURNS * line;
  Fringe fringe = { turns - floor (turns), depth, amplitude };

  return fringe;
}

/* What an A-line sees of the instrument. */
typedef struct {
  double cover;  /* how much of the A-line it covers, 0 to 1 */
  double depth;  /* of its surface, um */
  double light;  /* of what covers, how much comes back */
  guint64 place; /* on its surface */
} Metal;

/* One that is flat, tilted, and passes. */
static void
find_flat_metal (const OctScene *scene, const OctSceneFrame *moment, guint line,
    Metal *metal)
{
  double from_tip = line - moment->tip;
  double to_end = moment->tip + INSTRUMENT_WIDTH * scene->lines - line;
  double inside = MIN (from_tip, to_end) / INSTRUMENT_EDGE + 0.5;
  double across = from_tip / scene->lines;

  if (!moment->instrument)
    return;
  metal->cover = CLAMP (inside, 0.0, 1.0);
  metal->light = 1.0;
  metal->depth = moment->tip_depth
                 - (across - INSTRUMENT_WIDTH) * INSTRUMENT_TILT
                       * scene->spectrometer->range;
  metal->place = (from_tip + INSTRUMENT_EDGE) * 0.5;
}

static void
find_round_metal (const OctScene *scene, const OctSceneFrame *moment,
    guint line, Metal *metal)
{
  double depth, facing, along;

  if (!oct_surgery_hit_instrument (&moment->surgery,
          (double)line / scene->lines, &depth, &facing, &along))
    return;
  metal->cover = MIN (1.0, along * scene->lines / INSTRUMENT_EDGE)
                 * MIN (1.0, 4.0 * facing);
  metal->light = 2.0 * (0.3 + 0.7 * facing);
  metal->depth = depth * scene->spectrometer->range;
  metal->place = along * scene->lines * 0.5;
}

/* The metal is brushed: it glitters along, the same in every B-scan. */
static void
add_metal (
    const OctScene *scene, guint line, const Metal *metal, float *spectrum)
{
  double fall_off =
      oct_spectrometer_get_fall_off (scene->spectrometer, metal->depth);
  double glitter = 0.35 + oct_noise_uniform (scene->seed, metal->place);
  Fringe fringe = make_fringe (scene, line, metal->depth,
      INSTRUMENT_REFLECTIVITY * metal->cover * metal->light * glitter
          * fall_off);

  add_reflector (scene->spectrometer->samples, scene->fringe, scene->k_turns,
      scene->dispersion, fringe, spectrum);
}

void
oct_scene_fill_line (const OctScene *scene, const OctSceneFrame *moment,
    guint line, float *spectrum)
{
  const OctTissue *tissue = scene->tissue;
  guint column = moment->column + line;
  double along = (double)line / scene->lines;
  double shift = scene->is_surgery
                     ? oct_surgery_get_tissue (&moment->surgery, along)
                           * scene->spectrometer->range
                     : moment->shift_start
                           + (moment->shift_end - moment->shift_start) * along;
  Metal metal = { 0 };
  double light;
  Fringe move;
  const gint16 *field =
      oct_tissue_get_field (tissue, moment->realisations[0], column);

  if (scene->is_surgery)
    find_round_metal (scene, moment, line, &metal);
  else
    find_flat_metal (scene, moment, line, &metal);
  light = 1.0 - metal.cover * (1.0 - INSTRUMENT_SHADOW);
  move = make_fringe (scene, line, shift, light * OCT_TISSUE_FIELD_UNIT);
  if (tissue->realisations > 1 && moment->mix[1] > 0.0f)
    see_mixed_tissue (tissue->samples, scene->background, scene->fringe,
        scene->k_turns, move, field,
        oct_tissue_get_field (tissue, moment->realisations[1], column),
        moment->mix, spectrum);
  else
    see_tissue (tissue->samples, scene->background, scene->fringe,
        scene->k_turns, move, field, spectrum);
  if (metal.cover > 0.0)
    add_metal (scene, line, &metal, spectrum);
}
