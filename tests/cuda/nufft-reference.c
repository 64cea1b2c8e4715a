/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "nufft-reference.h"
#include "oct-nufft.h"

#include <math.h>

const char *const nodes_names[N_NODES] = { "spectrometer", "rising", "random",
  "beyond", "periods", "part", "uniform", "uniform falling" };

gboolean
nodes_uniform (Nodes kind, guint samples)
{
  return kind == NODES_UNIFORM || kind == NODES_UNIFORM_FALLING
         || (samples == 2 && kind <= NODES_RISING);
}

void
nodes_fill (Nodes kind, guint samples, GRand *random, double *nodes)
{
  double last = samples - 1, position = 0;

  for (guint n = 0; n < samples; n++) {
    double x = n / last; /* N = 1 does not occur */
    double k = 1 / (725 + 240 * x), low = 1 / 965., high = 1 / 725.;
    double curved = last * (k - low) / (high - low);

    switch (kind) {
    case NODES_SPECTROMETER:
      nodes[n] = curved;
      break;
    case NODES_RISING:
      nodes[n] = last - curved;
      break;
    case NODES_RANDOM:
      nodes[n] = position;
      position += g_rand_double_range (random, 0.1, 1.9);
      break;
    case NODES_BEYOND:
      nodes[n] = -3.7 + (samples + 5.9) * x;
      break;
    case NODES_PERIODS:
      nodes[n] = -0.3 * samples + 2.5 * (last - curved);
      break;
    case NODES_PART:
      nodes[n] = 0.3 * samples + 0.4 * curved;
      break;
    case NODES_UNIFORM:
      nodes[n] = n;
      break;
    default:
      nodes[n] = last - n;
    }
  }
}

/* ------------------------------------------------------------- references */

/* The grid of M cells for the modes that are wanted, shifted around 0 where the
 * spectra are complex. */
typedef struct {
  guint cells, modes;
  gint middle;
} Grid;

static Grid
choose_grid (const OctNufftParams *p)
{
  gboolean shifted = p->format == OCT_SAMPLE_CF32;
  guint modes = shifted ? p->depth_bins : p->samples;
  Grid grid = { p->grid, modes, 0 };

  if (modes != p->samples)
    grid.cells = oct_nufft_grid_length (
        1, MAX ((double)modes * p->grid / p->samples, p->samples));
  if (shifted)
    grid.middle = p->depth_start + (gint)(p->depth_bins / 2);
  return grid;
}

static double
kernel_parameter (const OctNufftParams *p, const Grid *grid)
{
  double r = (double)grid->cells / grid->modes;
  double root = p->width / r * (r - 0.5);

  return p->kernel == OCT_KERNEL_GAUSSIAN
             ? r / (2 * G_PI) * (r / (2 * G_PI)) * G_PI / (r * (r - 0.5))
                   * p->width / 2
             : G_PI * sqrt (root * root - 0.8);
}

static double
kernel_value (const OctNufftParams *p, double parameter, double u)
{
  double x = 2 * u / p->width, term = 1, sum = 1, square;

  if (p->kernel == OCT_KERNEL_GAUSSIAN)
    return exp (-u * u / (4 * parameter));
  square = parameter * parameter * MAX (0, 1 - x * x) / 4;
  for (guint k = 1; k < 60; k++)
    sum += term *= square / ((double)k * k);
  return sum / p->width;
}

static double
kernel_transform (
    const OctNufftParams *p, const Grid *grid, double parameter, gint q)
{
  double angle = 2 * G_PI * q / grid->cells;
  Complex s;

  if (p->kernel == OCT_KERNEL_GAUSSIAN)
    return sqrt (4 * G_PI * parameter) * exp (-parameter * angle * angle);
  s = csqrt (parameter * parameter - pow (angle * p->width / 2, 2));
  return cabs (s) < 1e-9 ? 1 : creal (csinh (s) / s);
}

/* exp (-2 pi i k / length) for all k */
static Complex *
new_turns (guint length)
{
  Complex *turns = g_new (Complex, length);

  for (guint k = 0; k < length; k++)
    turns[k] = cexp (-2 * G_PI * I * k / length);
  return turns;
}

static gint
wrap (gint64 value, gint period)
{
  gint64 rest = value % period;

  return (gint)(rest < 0 ? rest + period : rest);
}

void
reference_gridded (
    const OctNufftParams *p, gboolean adjoint, const Complex *in, Complex *out)
{
  Grid grid = choose_grid (p);
  double parameter = kernel_parameter (p, &grid);
  gint length = (gint)grid.cells, start = p->depth_start - grid.middle;
  g_autofree Complex *turns = new_turns (grid.cells);
  g_autofree Complex *cells = g_new0 (Complex, grid.cells);

  for (gint l = 0; adjoint && l < length; l++) {
    for (guint i = 0; i < p->depth_bins; i++) {
      gint q = start + (gint)i;
      cells[l] += in[i] / kernel_transform (p, &grid, parameter, q)
                  * conj (turns[wrap ((gint64)l * q, length)]);
    }
  }
  for (guint n = 0; n < p->samples; n++) {
    double u = p->nodes[n] * length / p->samples;
    double cycles = p->nodes[n] * grid.middle / p->samples;
    gint first = (gint)ceil (u - p->width / 2.0);
    Complex sum = 0, factor = p->window[n]
                              * cexp (-2 * G_PI * I * (cycles - rint (cycles)));
    for (gint m = 0; m < (gint)p->width; m++) {
      double weight = kernel_value (p, parameter, first + m - u);
      Complex *cell = &cells[wrap (first + m, length)];
      if (adjoint)
        sum += weight * *cell;
      else
        *cell += weight * factor * in[n];
    }
    if (adjoint)
      out[n] = sum * conj (factor) / sqrt (p->samples);
  }
  for (guint i = 0; !adjoint && i < p->depth_bins; i++) {
    gint q = start + (gint)i;
    Complex sum = 0;
    for (gint l = 0; l < length; l++)
      sum += cells[l] * turns[wrap ((gint64)l * q, length)];
    out[i] =
        sum / kernel_transform (p, &grid, parameter, q) / sqrt (p->samples);
  }
}

void
reference_exact (
    const OctNufftParams *p, gboolean adjoint, const Complex *in, Complex *out)
{
  for (guint i = 0; i < (adjoint ? p->samples : p->depth_bins); i++)
    out[i] = 0;
  for (guint n = 0; n < p->samples; n++) {
    double turn = p->nodes[n] / p->samples;
    for (guint i = 0; i < p->depth_bins; i++) {
      double cycles = turn * (p->depth_start + (gint)i);
      Complex factor = p->window[n] / sqrt (p->samples)
                       * cexp (-2 * G_PI * I * (cycles - rint (cycles)));
      if (adjoint)
        out[n] += conj (factor) * in[i];
      else
        out[i] += factor * in[n];
    }
  }
}
