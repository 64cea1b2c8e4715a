/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-phantom-scene.h"

#include <math.h>
#include <string.h>

#include "oct-parallel.h"
#include "oct-phantom-flow.h"
#include "oct-phantom-spot.h"
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
 * B-scan's mean spectrum free of tissue.  With a spot it hits the pivot: turns
 * from A-line to A-line are detail that the spot could not show. */
#define PIVOT_TURNS 0.21

struct _OctScene {
  const OctSpectrometer *spectrometer;
  OctTissue *tissue; /* without a spot */
  OctSpot *spot;     /* or this, */
  OctFlow *flow;     /* or this */
  guint64 seed;
  guint columns; /* of either */
  guint lines, bscans;
  guint
      wide; /* columns of the sample: A-lines of a B-scan, if it is a raster */
  double *path;     /* [bscans][lines][2] as in the settings, or NULL */
  gboolean is_path; /* else a raster */
  gboolean is_still;
  guint repeats, places; /* B-scans at each place of a volume */
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
    guint64 seed, const OctPhantomSettings *settings, double peak)
{
  OctScene *scene = g_new0 (OctScene, 1);
  guint samples = spectrometer->samples;
  guint n;

  scene->spectrometer = spectrometer;
  scene->seed = seed;
  scene->lines = settings->lines;
  scene->bscans = settings->bscans;
  scene->repeats = MAX (settings->repeats, 1);
  scene->places = MAX (settings->bscans / scene->repeats, 1);
  scene->wide = scene->lines;
  scene->is_still = settings->still;
  scene->is_path = settings->path != NULL || settings->follows;
  if (scene->is_path) {
    gsize count = (gsize)scene->lines * scene->bscans;

    if (settings->path != NULL)
      scene->path = g_memdup2 (settings->path, count * 2 * sizeof (double));
    scene->wide = scene->places = (guint)MAX (rint (sqrt (count)), 2);
    if (settings->columns > 0)
      scene->wide = scene->places = settings->columns;
  }
  scene->is_surgery = settings->kind == OCT_PHANTOM_SURGERY;
  if (settings->kind == OCT_PHANTOM_FLOW) {
    scene->flow = oct_flow_new (spectrometer, noise, seed, settings);
  } else if (settings->spot_x > 0.0 || settings->spot_y > 0.0) {
    /* of one place over and over there are no other B-scans to be seen */
    scene->spot = oct_spot_new (spectrometer, noise, seed, settings->spot_x,
        scene->places > 1 ? settings->spot_y : 0.0);
    scene->columns = oct_spot_get_columns (scene->spot);
  } else {
    scene->tissue =
        oct_tissue_new (spectrometer, noise, seed, scene->places > 1);
    scene->columns = scene->tissue->columns;
  }
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
  oct_spot_free (scene->spot);
  oct_flow_free (scene->flow);
  g_free (scene->background);
  g_free (scene->fringe);
  g_free (scene->k_turns);
  g_free (scene->dispersion);
  g_free (scene->path);
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
  moment->tip = across * scene->wide;
  moment->tip_depth = (INSTRUMENT_DEPTH + 0.02 * sin (2.0 * G_PI * 3.0 * pass))
                      * scene->spectrometer->range;
}

/* The place of the first A-line in columns, from one that always exists;
 * `slow`: where the B-scan is in its volume. */
static double
get_lateral (const OctScene *scene, guint64 frame, double slow)
{
  guint width = MIN (scene->wide, scene->columns);
  double lateral = DRIFT * sin (get_angle (frame, DRIFT_PERIOD))
                   + 0.05 * sin (2.0 * G_PI * 1.1 * slow)
                   + 0.02 * sin (2.0 * G_PI * 2.7 * slow + 1.0);

  return lateral * width;
}

/* The column of the first A-line. */
static guint
get_column (const OctScene *scene, guint64 frame, double slow)
{
  return scene->columns + (gint)rint (get_lateral (scene, frame, slow));
}

/* Computes the parts of the A-lines of a scene without a spot, at `slow`, which
 * is at place `place` of the volume, or between two. */
static void
set_moving_place (const OctScene *scene, guint64 frame, double place,
    double slow, OctSceneFrame *moment)
{
  guint bscan = frame % scene->bscans;
  guint position = (guint)(place / SPECKLE_BSCANS);
  double between = place / SPECKLE_BSCANS - position;

  moment->column = get_column (scene, frame, slow);
  moment->realisations[0] = get_realisation (scene, position);
  moment->realisations[1] = get_realisation (scene, position + 1);
  /* Independent fields: the squares of the weights sum to one. */
  moment->mix[0] = cos (0.5 * G_PI * between);
  moment->mix[1] = sin (0.5 * G_PI * between);
  if (scene->is_surgery) {
    moment->instrument = TRUE;
    oct_surgery_set_moment (
        &moment->surgery, frame / scene->bscans, bscan, scene->bscans);
    moment->surgery.slow = slow;
    return;
  }
  moment->shift_start = get_shift (scene, frame, slow);
  moment->shift_end = get_shift (scene, frame + 1, slow);
  set_instrument (scene, frame, slow, moment);
}

static void
set_moving_frame (const OctScene *scene, guint64 frame, OctSceneFrame *moment)
{
  guint place = frame % scene->bscans / scene->repeats;

  set_moving_place (scene, scene->is_still ? 0 : frame, place,
      (double)place / scene->places, moment);
}

/* The moment of an A-line on a path, and its place in columns of the sample. */
static double
set_path_place (const OctScene *scene, guint64 frame, const double *at,
    OctSceneFrame *moment)
{
  /* what is not a number, too */
  double across = fmax (fmin (at[0], 2.0), -1.0);
  double slow = fmax (fmin (at[1], 2.0), -1.0);

  double lateral = get_lateral (scene, frame, slow);

  set_moving_place (scene, frame, (slow + 1.0) * scene->places, slow, moment);
  moment->column = scene->columns + (guint)(gint)floor (lateral);
  moment->between = lateral - floor (lateral);
  return across * scene->wide;
}

/* The same of place `place` of the volume that begins with B-scan `first`, with
 * everything where it is at that time: a scan keeps its phase where nothing
 * moves.  `place` may lie outside of the volume. */
static void
set_still_frame (
    const OctScene *scene, guint64 first, gint place, OctSceneFrame *moment)
{
  double slow = (double)place / scene->places;

  moment->column = get_column (scene, first, slow);
  if (scene->is_surgery) {
    moment->instrument = TRUE;
    oct_surgery_set_moment (
        &moment->surgery, first / scene->bscans, 0, scene->bscans);
    moment->surgery.slow = slow;
    return;
  }
  moment->shift_start = moment->shift_end = get_shift (scene, first, slow);
  set_instrument (scene, first, slow, moment);
}

/* The instrument as seen by an A-line. */
typedef struct {
  double cover;  /* how much of the A-line it covers, 0 to 1 */
  double depth;  /* of its surface, um */
  double light;  /* relative reflectivity of the metal */
  guint64 place; /* on its surface */
} Metal;

/* One that is flat, tilted, and passes. */
static void
find_flat_metal (const OctScene *scene, const OctSceneFrame *moment,
    double line, Metal *metal)
{
  double from_tip = line - moment->tip;
  double to_end = moment->tip + INSTRUMENT_WIDTH * scene->wide - line;
  double inside = MIN (from_tip, to_end) / INSTRUMENT_EDGE + 0.5;
  double across = from_tip / scene->wide;

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
    double line, Metal *metal)
{
  double depth, facing, along;

  if (!oct_surgery_hit_instrument (
          &moment->surgery, line / scene->wide, &depth, &facing, &along))
    return;
  metal->cover = MIN (1.0, along * scene->wide / INSTRUMENT_EDGE)
                 * MIN (1.0, 4.0 * facing);
  metal->light = 2.0 * (0.3 + 0.7 * facing);
  metal->depth = depth * scene->spectrometer->range;
  metal->place = along * scene->wide * 0.5;
}

static void
find_metal (const OctScene *scene, const OctSceneFrame *moment, double line,
    Metal *metal)
{
  memset (metal, 0, sizeof *metal);
  if (scene->is_surgery)
    find_round_metal (scene, moment, line, metal);
  else
    find_flat_metal (scene, moment, line, metal);
}

/* How much of the light of tissue comes back. */
static double
get_light (const OctScene *scene, const OctSceneFrame *moment, double line,
    const Metal *metal)
{
  double passes = 1.0 - metal->cover * (1.0 - INSTRUMENT_SHADOW);

  if (!scene->is_surgery)
    return passes;
  return passes * oct_surgery_get_light (&moment->surgery, line / scene->wide);
}

/* The metal is brushed: it glitters along, the same in every B-scan. */
static double
get_reflection (const OctScene *scene, const Metal *metal)
{
  double glitter = 0.35 + oct_noise_uniform (scene->seed, metal->place);

  return INSTRUMENT_REFLECTIVITY * metal->cover * metal->light * glitter;
}

/* The shift of tissue, um. */
static double
get_line_shift (const OctScene *scene, const OctSceneFrame *moment, double line)
{
  double along = line / scene->wide;

  if (scene->is_surgery)
    return oct_surgery_get_tissue (&moment->surgery, along)
           * scene->spectrometer->range;
  return moment->shift_start
         + (moment->shift_end - moment->shift_start) * along;
}

/* ------------------------------------------------------------------- spot */

/* One B-scan on its way through the spot. */
typedef struct {
  const OctScene *scene;
  const OctSceneFrame *moments; /* of all places of B-scans in reach */
  gint place;                   /* the one in their middle */
  float *sums;    /* [reach + lines + reach][2][depths] along B-scans */
  gint16 *fields; /* [lines][2][samples] */
} Seeing;

static void
find_place (const OctScene *scene, const OctSceneFrame *moment, gint line,
    gint row, OctSpotPlace *place)
{
  Metal metal;

  find_metal (scene, moment, line, &metal);
  place->column = moment->column + line;
  place->shift = get_line_shift (scene, moment, line);
  place->light = get_light (scene, moment, line, &metal);
  place->metal = metal.cover > 0.0 ? get_reflection (scene, &metal) : 0.0;
  place->metal_depth = metal.depth;
  place->metal_key = oct_noise_hash (line, row);
}

static void
scene_add_bscans (gpointer data, guint first, guint end, guint thread)
{
  const Seeing *seeing = data;
  const OctScene *scene = seeing->scene;
  gint reach_x = oct_spot_get_reach_x (scene->spot);
  gint reach_y = oct_spot_get_reach_y (scene->spot);
  gsize size = 2 * (gsize)(scene->spectrometer->samples / 2);

  for (; first < end; first++) {
    float *sum = seeing->sums + first * size;

    memset (sum, 0, size * sizeof (float));
    for (gint off = -reach_y; off <= reach_y; off++) {
      OctSpotPlace place;

      find_place (scene, &seeing->moments[off + reach_y], (gint)first - reach_x,
          seeing->place + off, &place);
      oct_spot_add_place (scene->spot, &place, seeing->place + off, off, sum);
    }
  }
}

/* Pieces of OCT_PHANTOM_LANES A-lines. */
static void
see_lines (gpointer data, guint first, guint end, guint thread)
{
  const Seeing *seeing = data;
  const OctScene *scene = seeing->scene;
  guint samples = scene->spectrometer->samples;

  for (; first < end; first++) {
    guint line = first * OCT_PHANTOM_LANES;

    oct_spot_see (scene->spot, seeing->sums + line * 2 * (gsize)(samples / 2),
        MIN (OCT_PHANTOM_LANES, scene->lines - line),
        seeing->fields + line * 2 * (gsize)samples);
  }
}

/* [lines][2][samples], g_free() */
static gint16 *
see_bscan (const OctScene *scene, guint64 frame)
{
  guint threads = oct_parallel_get_threads ();
  guint samples = scene->spectrometer->samples;
  guint bscan = frame % scene->bscans;
  gint place = (gint)(bscan / scene->repeats);
  gint reach = oct_spot_get_reach_y (scene->spot);
  guint columns = scene->lines + 2 * oct_spot_get_reach_x (scene->spot);
  g_autofree OctSceneFrame *moments = g_new0 (OctSceneFrame, 2 * reach + 1);
  g_autofree float *sums = g_new (float, columns * 2 * (gsize)(samples / 2));
  gint16 *fields = g_new (gint16, scene->lines * 2 * (gsize)samples);
  Seeing seeing = { scene, moments, place, sums, fields };

  for (gint off = -reach; off <= reach; off++)
    set_still_frame (scene, frame - bscan, place + off, &moments[off + reach]);
  oct_parallel_for (
      columns, OCT_PHANTOM_LANES, threads, scene_add_bscans, &seeing);
  oct_parallel_for ((scene->lines + OCT_PHANTOM_LANES - 1) / OCT_PHANTOM_LANES,
      1, threads, see_lines, &seeing);
  return fields;
}

/* ----------------------------------------------------------------- A-lines */

void
oct_scene_set_frame (const OctScene *scene, guint64 frame, const double *places,
    OctSceneFrame *moment)
{
  if (scene->flow) {
    moment->shifts = g_new (double, scene->lines);
    moment->fields = oct_flow_see (scene->flow, frame, moment->shifts);
  } else if (scene->spot) {
    moment->fields = see_bscan (scene, frame);
  } else if (scene->is_path) {
    moment->frame = scene->is_still ? 0 : frame;
    moment->places =
        places != NULL
            ? places
            : scene->path + 2 * (frame % scene->bscans) * scene->lines;
  } else {
    set_moving_frame (scene, frame, moment);
  }
}

void
oct_scene_clear_frame (OctSceneFrame *moment)
{
  g_clear_pointer (&moment->fields, g_free);
  g_clear_pointer (&moment->shifts, g_free);
}

OctFlow *
oct_scene_get_flow (const OctScene *scene)
{
  return scene->flow;
}

static Fringe
make_fringe (const OctScene *scene, guint line, double depth, double amplitude)
{
  double turns =
      scene->spectrometer->k_centre * depth / G_PI + PIVOT_TURNS * line;
  Fringe fringe = { turns - floor (turns), depth, amplitude };

  return fringe;
}

static void
scene_add_metal (
    const OctScene *scene, guint line, const Metal *metal, float *spectrum)
{
  double fall_off =
      oct_spectrometer_get_fall_off (scene->spectrometer, metal->depth);
  Fringe fringe = make_fringe (
      scene, line, metal->depth, get_reflection (scene, metal) * fall_off);

  add_reflector (scene->spectrometer->samples, scene->fringe, scene->k_turns,
      scene->dispersion, fringe, spectrum);
}

static void
fill_field (const OctScene *scene, const OctSceneFrame *moment, guint line,
    float *spectrum)
{
  double shift = moment->shifts ? moment->shifts[line] : 0.0;
  double turns = scene->spectrometer->k_centre * shift / G_PI;
  guint samples = scene->spectrometer->samples;
  Fringe move = { turns - floor (turns), shift, OCT_TISSUE_FIELD_UNIT };

  see_tissue (samples, scene->background, scene->fringe, scene->k_turns, move,
      moment->fields + line * 2 * (gsize)samples, spectrum);
}

/* The field `part` of the way from column `column` to the next one, linear
 * between both, as speckle is wider than a column: in the tissue, or made in
 * blend[2][samples]. */
static const gint16 *
find_field (const OctTissue *tissue, guint realisation, guint column,
    float part, gint16 *restrict blend)
{
  const gint16 *one = oct_tissue_get_field (tissue, realisation, column);
  const gint16 *next = oct_tissue_get_field (tissue, realisation, column + 1);

  if (part == 0.0f)
    return one;
  for (guint n = 0; n < 2 * tissue->samples; n++)
    blend[n] = (gint16)lrintf (one[n] + part * (float)(next[n] - one[n]));
  return blend;
}

/* A-line `line`, which is at `at` columns. */
static void
fill_place (const OctScene *scene, const OctSceneFrame *moment, guint line,
    double at, float *spectrum)
{
  const OctTissue *tissue = scene->tissue;
  guint samples = scene->spectrometer->samples;
  double whole = floor (at + moment->between);
  float part = (float)(at + moment->between - whole);
  /* they repeat, and left of the sample there are as many as it has */
  guint column = moment->column + (whole < 0 ? scene->columns * scene->wide : 0)
                 + (guint)(gint)whole;
  g_autofree gint16 *blends =
      part > 0.0f ? g_new (gint16, 4 * (gsize)samples) : NULL;
  gint16 *other = part > 0.0f ? blends + 2 * (gsize)samples : NULL;
  const gint16 *field;
  Metal metal;
  Fringe move;

  field = find_field (tissue, moment->realisations[0], column, part, blends);
  find_metal (scene, moment, at, &metal);
  move = make_fringe (scene, line, get_line_shift (scene, moment, at),
      get_light (scene, moment, at, &metal) * OCT_TISSUE_FIELD_UNIT);
  if (tissue->realisations > 1 && moment->mix[1] > 0.0f)
    see_mixed_tissue (samples, scene->background, scene->fringe, scene->k_turns,
        move, field,
        find_field (tissue, moment->realisations[1], column, part, other),
        moment->mix, spectrum);
  else
    see_tissue (samples, scene->background, scene->fringe, scene->k_turns, move,
        field, spectrum);
  if (metal.cover > 0.0)
    scene_add_metal (scene, line, &metal, spectrum);
}

void
oct_scene_fill_line (const OctScene *scene, const OctSceneFrame *moment,
    guint line, float *spectrum)
{
  OctSceneFrame own = { 0 };

  if (moment->fields) {
    fill_field (scene, moment, line, spectrum);
  } else if (scene->is_path) {
    double at = set_path_place (
        scene, moment->frame, moment->places + 2 * (gsize)line, &own);

    fill_place (scene, &own, line, at, spectrum);
  } else {
    fill_place (scene, moment, line, line, spectrum);
  }
}
