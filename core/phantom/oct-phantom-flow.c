/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-phantom-flow.h"

#include <math.h>
#include <string.h>

#include "oct-parallel.h"
#include "oct-phantom-vessels.h"
#include "oct-simd.h"

/* Surface below zero delay, um of tissue. */
#define SURFACE 50.0

/* Static scatterers are so far apart across B-scans, um; as A-lines are along
 * them. */
#define ROW OCT_FLOW_X

/* Scatterers that are farther from the beam are not seen: um, and A-lines. */
#define REACH (1.6 * OCT_FLOW_SPOT)
#define REACH_LINES 5

/* Light from all bins of the strongest layer together
 * (oct-phantom-structure.c). */
#define BRIGHTNESS 0.20

/* Layers to this depth, um; dB of the strongest. */
static const struct {
  double end, scattering;
} layers[] = {
  { 9.0, 0.0 },
  { 45.0, -9.0 },
  { 58.0, -3.0 },
  { 120.0, -7.0 },
  { 200.0, -4.0 },
  { 285.0, -8.0 },
  { 300.0, -1.0 },
  { 1e6, -6.0 },
};
#define ATTENUATION 0.030 /* dB per um */

/* Blood scatters less than the layer that it is in, and takes more light. */
#define BLOOD 0.7
#define SHADOW 0.06 /* dB per um */

struct _OctFlow {
  OctPhantomSettings settings;
  OctSynthesis synthesis;
  const OctNoise *noise;
  guint64 key;
  OctVessels vessels;
  double step; /* um of tissue from depth to depth */
  double k_centre, k_least;
  double line_time, bscan_time; /* s */
  guint lines, places, repeats;
  guint columns;    /* of static scatterers: lines, and a reach at either end */
  double norm;      /* of the weights of the spot */
  float *amplitude; /* [columns][depths] of the scatterers */
};

/* One B-scan on its way. */
typedef struct {
  const OctFlow *flow;
  double start;  /* its time, s */
  double beam_y; /* um */
  float *sums;   /* [reach + lines + reach][2][depths] */
  gint16 *
      fields; /* particles that may be seen, where they have been stirred to in the middle of
   * the B-scan */
  const OctParticle *near;
  guint n_near;
  guint64 jitter_key;
} Scan;

double
oct_flow_get_line_rate (const OctPhantomSettings *settings)
{
  return settings->line_rate > 0.0 ? settings->line_rate : OCT_FLOW_LINE_RATE;
}

double
oct_flow_get_bscan_rate (const OctPhantomSettings *settings)
{
  if (settings->volume_rate > 0.0)
    return settings->volume_rate * settings->bscans;
  return settings->line_rate > 0.0
             ? settings->line_rate / settings->lines
             : OCT_FLOW_LINE_RATE / (OCT_FLOW_BSCAN * settings->lines);
}

/* Depth of the surface, um; vessels lie below the flat one. */
static double
flow_get_surface (const OctFlow *flow, double x)
{
  double turns = x / (flow->lines * OCT_FLOW_X);

  return SURFACE + 7.0 * sin (2.0 * G_PI * 1.1 * turns + 0.5)
         + 2.0 * sin (2.0 * G_PI * 5.3 * turns);
}

/* Layers follow the surface, each a little less than the one above. */
static void
fill_amplitude (const OctFlow *flow, gint column, float *amplitude)
{
  double x = column * OCT_FLOW_X;
  double surface = flow_get_surface (flow, x), bend = surface - SURFACE;
  double brightest = BRIGHTNESS / sqrt (flow->synthesis.depths);
  guint layer = 0;

  for (guint q = 0; q < flow->synthesis.depths; q++) {
    double depth = q * flow->step - surface;

    amplitude[q] = 0.0f;
    if (depth < 0.0)
      continue;
    while (depth + bend * depth / 200.0 > layers[layer].end)
      layer++;
    amplitude[q] = brightest
                   * exp (G_LN10 / 20.0
                          * (layers[layer].scattering - ATTENUATION * depth));
  }
}

static const float *
get_amplitude (const OctFlow *flow, gint column)
{
  gint at = CLAMP (column + REACH_LINES, 0, (gint)flow->columns - 1);

  return flow->amplitude + at * (gsize)flow->synthesis.depths;
}

/* A factor of the weights of the spot, so that the mean square of a sum of
 * scatterers is that of one. */
static double
get_spot_norm (void)
{
  double sum = 0.0;

  for (gint i = -REACH_LINES; i <= REACH_LINES; i++)
    sum += exp (-4.0 * i * i * ROW * ROW / (OCT_FLOW_SPOT * OCT_FLOW_SPOT));
  return 1.0 / sqrt (sum);
}

static double
flow_get_weight (const OctFlow *flow, double off)
{
  return flow->norm * exp (-2.0 * off * off / (OCT_FLOW_SPOT * OCT_FLOW_SPOT));
}

OctFlow *
oct_flow_new (const OctSpectrometer *spectrometer, const OctNoise *noise,
    guint64 seed, const OctPhantomSettings *settings)
{
  OctFlow *flow = g_new0 (OctFlow, 1);

  flow->settings = *settings;
  oct_synthesis_init (&flow->synthesis, spectrometer);
  flow->noise = noise;
  flow->key = oct_noise_hash (seed, 5);
  flow->step = spectrometer->z_spacing / OCT_TISSUE_INDEX;
  flow->k_centre = spectrometer->k_centre;
  flow->k_least = spectrometer->k[spectrometer->samples - 1];
  flow->line_time = 1.0 / oct_flow_get_line_rate (settings);
  flow->bscan_time = 1.0 / oct_flow_get_bscan_rate (settings);
  flow->lines = settings->lines;
  flow->repeats = MAX (settings->repeats, 1);
  flow->places = MAX (settings->bscans / flow->repeats, 1);
  flow->norm = get_spot_norm ();
  flow->columns = flow->lines + 2 * REACH_LINES;
  flow->amplitude = g_new (float, flow->columns *(gsize)flow->synthesis.depths);
  for (guint c = 0; c < flow->columns; c++)
    fill_amplitude (flow, (gint)c - REACH_LINES,
        flow->amplitude + c * (gsize)flow->synthesis.depths);
  oct_vessels_init (&flow->vessels, oct_noise_hash (seed, 6),
      flow->lines * OCT_FLOW_X, flow->places * OCT_FLOW_Y, settings->flow);
  return flow;
}

void
oct_flow_free (OctFlow *flow)
{
  if (flow == NULL)
    return;
  oct_synthesis_clear (&flow->synthesis);
  oct_vessels_clear (&flow->vessels);
  g_free (flow->amplitude);
  g_free (flow);
}

/* Where the beam is on the sample when A-line `line` is taken, and how deep the
 * sample is. */
static void
find_beam (
    const OctFlow *flow, double time, double line, double y, double beam[3])
{
  oct_vessels_get_motion (time, beam);
  for (guint i = 0; i < 3; i++)
    beam[i] *= flow->settings.motion;
  beam[0] += line * OCT_FLOW_X;
  beam[1] += y;
}

static double
get_beam_y (const OctFlow *flow, guint64 frame)
{
  guint bscan = frame % MAX (flow->settings.bscans, 1);

  return (bscan / flow->repeats + 0.5) * OCT_FLOW_Y;
}

/* ----------------------------------------------------------- what stands still
 */

OCT_VECTORISED static void
add_static (guint count, const gint16 *restrict deviates,
    const gint16 *restrict deviates_im, const float *restrict amplitude,
    float weight, float *restrict re, float *restrict im)
{
  for (guint q = 0; q < count; q++) {
    re[q] += weight * amplitude[q] * deviates[q];
    im[q] += weight * amplitude[q] * deviates_im[q];
  }
}

/* amplitude[depths] without the scatterers that blood has replaced at (x, y),
 * and darker below it. */
static void
cut_vessels (const OctFlow *flow, gint column, double y, float *amplitude)
{
  gint depths = (gint)flow->synthesis.depths;

  memcpy (amplitude, get_amplitude (flow, column), depths * sizeof (float));
  for (guint n = 0; n < flow->vessels.n_vessels; n++) {
    double top, bottom;
    float shadow;
    gint first, end;

    if (!oct_vessel_cross (
            &flow->vessels.vessels[n], column * OCT_FLOW_X, y, &top, &bottom))
      continue;
    first = MAX (0, (gint)ceil ((top + SURFACE) / flow->step));
    end = MIN (depths, (gint)ceil ((bottom + SURFACE) / flow->step));
    shadow = (float)exp (-G_LN10 / 20.0 * SHADOW * (bottom - top));
    for (gint q = first; q < end; q++)
      amplitude[q] = 0.0f;
    for (gint q = MAX (0, end); q < depths; q++)
      amplitude[q] *= shadow;
  }
}

/* sum[2][depths] of column `column` with all rows that the beam at y sees. */
static void
add_rows (
    const OctFlow *flow, gint column, double y, float *amplitude, float *sum)
{
  guint depths = flow->synthesis.depths;
  gint middle = (gint)rint (y / ROW);

  memset (sum, 0, 2 * (gsize)depths * sizeof (float));
  for (gint row = middle - REACH_LINES; row <= middle + REACH_LINES; row++) {
    guint64 key =
        oct_noise_hash (oct_noise_hash (flow->key, (guint64)(gint64)column),
            (guint64)(gint64)row);
    guint64 key_im = oct_noise_hash (key, G_MAXUINT32);
    float weight =
        flow_get_weight (flow, row * ROW - y) * M_SQRT1_2 / OCT_NOISE_UNIT;

    cut_vessels (flow, column, row * ROW, amplitude);
    for (guint start = 0; start < depths; start += OCT_NOISE_SEGMENT) {
      guint segment = start / OCT_NOISE_SEGMENT;

      add_static (MIN (OCT_NOISE_SEGMENT, depths - start),
          oct_noise_segment (flow->noise, key, segment),
          oct_noise_segment (flow->noise, key_im, segment), amplitude + start,
          weight, sum + start, sum + depths + start);
    }
  }
}

static void
flow_add_columns (gpointer data, guint first, guint end, guint thread)
{
  const Scan *scan = data;
  const OctFlow *flow = scan->flow;
  guint depths = flow->synthesis.depths;
  g_autofree float *amplitude = g_new (float, depths);

  for (; first < end; first++) {
    gint column = (gint)first - REACH_LINES;
    double beam[3];

    find_beam (flow, scan->start + column * flow->line_time, column,
        scan->beam_y, beam);
    add_rows (flow, column, beam[1], amplitude,
        scan->sums + first * 2 * (gsize)depths);
  }
}

OCT_VECTORISED static void
flow_add_weighted (gsize count, const float *restrict values, float weight,
    float *restrict sum)
{
  for (gsize i = 0; i < count; i++)
    sum[i] += weight * values[i];
}

/* line[2][depths] of the columns that the beam at x sees. */
static void
add_columns_at (const Scan *scan, double x, float *line)
{
  const OctFlow *flow = scan->flow;
  gsize size = 2 * (gsize)flow->synthesis.depths;
  gint middle = (gint)rint (x / OCT_FLOW_X);

  memset (line, 0, size * sizeof (float));
  for (gint c = middle - REACH_LINES; c <= middle + REACH_LINES; c++) {
    /* at both ends the sample goes on as it is there */
    gint at =
        CLAMP (c + REACH_LINES, 0, (gint)flow->lines + 2 * REACH_LINES - 1);

    flow_add_weighted (size, scan->sums + at * size,
        flow_get_weight (flow, c * OCT_FLOW_X - x), line);
  }
}

/* ------------------------------------------------------------------ what moves
 */

/* A scatterer between two depths, by linear interpolation; the phase of each is
 * that of the place itself at the central wavenumber. */
static void
add_particle (const OctFlow *flow, double depth, double amplitude, float *line)
{
  guint depths = flow->synthesis.depths;
  double at = depth / flow->step, whole = floor (at);
  double air = depth * OCT_TISSUE_INDEX;

  if (whole < 0.0 || whole + 1.0 >= depths)
    return;
  for (guint i = 0; i < 2; i++) {
    double bin = (whole + i) * flow->step * OCT_TISSUE_INDEX;
    double turns = (flow->k_least * bin + flow->k_centre * (air - bin)) / G_PI;
    float angle = (float)(2.0 * G_PI * (turns - floor (turns)));
    float part = (float)(amplitude * (i == 0 ? 1.0 - at + whole : at - whole));
    guint q = (guint)whole + i;

    line[q] += part * cosf (angle);
    line[depths + q] += part * sinf (angle);
  }
}

/* The particles that A-line `line` sees. */
static void
add_particles (const Scan *scan, guint line, const double beam[3], float *sum)
{
  const OctFlow *flow = scan->flow;
  double time = scan->start + line * flow->line_time;
  const double reach[2] = { REACH, REACH };
  /* power of static scatterers, whose cells are these, as of particles */
  double unit =
      BLOOD / sqrt (flow->vessels.density * OCT_FLOW_X * ROW * flow->step);

  for (guint i = 0; i < scan->n_near; i++) {
    const OctParticle *particle = &scan->near[i];
    double x, y, z, weight;
    guint q;

    if (!oct_vessels_find (
            &flow->vessels, particle, time, beam, reach, &x, &y, &z))
      continue;
    z += SURFACE;
    q = (guint)CLAMP (z / flow->step, 0.0, flow->synthesis.depths - 1.0);
    weight = flow_get_weight (flow, x - beam[0]) * flow_get_weight (flow, y);
    add_particle (
        flow, z, weight * unit * particle->sign * flow->amplitude[q], sum);
  }
}

/* The trigger comes `late` samples late: phases turn in proportion to the
 * depth. */
static void
turn_late (const OctFlow *flow, double late, float *line)
{
  guint depths = flow->synthesis.depths;

  for (guint q = 0; q < depths; q++) {
    float angle = (float)(G_PI * late * q / depths);
    float c = cosf (angle), s = sinf (angle);
    float re = line[q], im = line[depths + q];

    line[q] = re * c - im * s;
    line[depths + q] = re * s + im * c;
  }
}

static void
flow_see_line (const Scan *scan, guint line, float *sum)
{
  const OctFlow *flow = scan->flow;
  double beam[3];

  find_beam (
      flow, scan->start + line * flow->line_time, line, scan->beam_y, beam);
  add_columns_at (scan, beam[0], sum);
  add_particles (scan, line, beam, sum);
  if (flow->settings.jitter > 0.0)
    turn_late (flow,
        flow->settings.jitter
            * oct_vessels_stir (
                oct_noise_hash (scan->jitter_key, line), 0.0, 1.0),
        sum);
}

/* Pieces of OCT_PHANTOM_LANES A-lines. */
static void
flow_see_lines (gpointer data, guint first, guint end, guint thread)
{
  const Scan *scan = data;
  const OctFlow *flow = scan->flow;
  const OctSynthesis *synthesis = &flow->synthesis;
  gsize depths = synthesis->depths, samples = synthesis->samples;
  gsize plane = (gsize)synthesis->grid * OCT_PHANTOM_LANES;
  g_autofree float *sum = g_new (float, 2 * depths);
  g_autofree float *grid = oct_synthesis_new_grid (synthesis);
  g_autofree gint16 *lanes = g_new (gint16, OCT_PHANTOM_LANES * 2 * samples);

  for (; first < end; first++) {
    guint line = first * OCT_PHANTOM_LANES;
    guint count = MIN (OCT_PHANTOM_LANES, flow->lines - line);

    oct_synthesis_clear_grid (synthesis, grid);
    for (guint lane = 0; lane < count; lane++) {
      flow_see_line (scan, line + lane, sum);
      oct_synthesis_place (synthesis, sum, grid + lane);
      oct_synthesis_place (synthesis, sum + depths, grid + plane + lane);
    }
    oct_synthesis_see (synthesis, grid, lanes);
    memcpy (scan->fields + line * 2 * samples, lanes,
        count * 2 * samples * sizeof (gint16));
  }
}

/* Those that can come near the beam in the time of a B-scan. */
static OctParticle *
find_near (const OctFlow *flow, double start, double beam_y, guint *n)
{
  const OctVessels *vessels = &flow->vessels;
  OctParticle *near = g_new (OctParticle, vessels->n_particles);
  double time = 0.5 * flow->lines * flow->line_time, beam[3];

  find_beam (flow, start + time, 0.0, beam_y, beam);
  *n = 0;
  for (guint i = 0; i < vessels->n_particles; i++) {
    const OctParticle *particle = &vessels->particles[i];
    const double reach[2] = { INFINITY,
      REACH + fabs (particle->speed) * time + 2.0 };
    double x, y, z;

    if (!oct_vessels_find (
            vessels, particle, start + time, beam, reach, &x, &y, &z))
      continue;
    near[*n] = *particle;
    near[(*n)++].below +=
        particle->stir
        * oct_vessels_stir (particle->key, start + time, particle->rate);
  }
  return near;
}

gint16 *
oct_flow_see (const OctFlow *flow, guint64 frame, double *shifts)
{
  guint threads = oct_parallel_get_threads ();
  gsize samples = flow->synthesis.samples;
  g_autofree float *sums =
      g_new (float, flow->columns * 2 * (gsize)flow->synthesis.depths);
  g_autofree OctParticle *near = NULL;
  Scan scan = { .flow = flow,
    .start = frame * flow->bscan_time,
    .beam_y = get_beam_y (flow, frame),
    .sums = sums,
    .fields = g_new (gint16, flow->lines * 2 * samples),
    .jitter_key = oct_noise_hash (oct_noise_hash (flow->key, 7), frame) };

  near = find_near (flow, scan.start, scan.beam_y, &scan.n_near);
  scan.near = near;
  for (guint line = 0; line < flow->lines; line++) {
    double beam[3];

    find_beam (
        flow, scan.start + line * flow->line_time, line, scan.beam_y, beam);
    shifts[line] = beam[2] * OCT_TISSUE_INDEX;
  }
  oct_parallel_for (
      flow->columns, OCT_PHANTOM_LANES, threads, flow_add_columns, &scan);
  oct_parallel_for ((flow->lines + OCT_PHANTOM_LANES - 1) / OCT_PHANTOM_LANES,
      1, threads, flow_see_lines, &scan);
  return scan.fields;
}

/* ------------------------------------------------------------------- the truth
 */

void
oct_flow_get_truth (
    const OctFlow *flow, guint64 frame, guint8 *mask, float *speed)
{
  guint depths = flow->synthesis.depths;
  double start = frame * flow->bscan_time;

  for (guint line = 0; line < flow->lines; line++) {
    double beam[3];

    find_beam (flow, start + line * flow->line_time, line,
        get_beam_y (flow, frame), beam);
    for (guint q = 0; q < depths; q++) {
      gsize at = (gsize)line * depths + q;
      double z = q * flow->step - SURFACE - beam[2];
      guint8 inside = z + SURFACE >= flow_get_surface (flow, beam[0]) ? 1 : 0;
      double axial = 0.0;

      for (guint n = 0; n < flow->vessels.n_vessels; n++) {
        const OctVessel *vessel = &flow->vessels.vessels[n];
        double top, bottom;

        if (!oct_vessel_cross (vessel, beam[0], beam[1], &top, &bottom)
            || z < top || z > bottom)
          continue;
        inside = 2;
        axial = oct_vessel_get_axial_speed (vessel, beam[0], beam[1], z);
      }
      if (mask != NULL)
        mask[at] = inside;
      if (speed != NULL)
        speed[at] = (float)axial;
    }
  }
}
