/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Compressive sensing along the A-line with a dense matrix, by the solvers that
 * oct-cs.h defines: SpaRSA as printed in Xu, Huang and Kang, Opt. Express
 * 22, 14871 (2014), with the corrections named there, the residual being that
 * of the samples; and the two that take fewer steps.
 */
#include "reference-plan.h"

#include <math.h>
#include <stdlib.h>

typedef struct {
  guint kept, modes;
  guint first;                  /* of the modes that there are */
  Complex *matrix;              /* A, [kept][modes], of q = -(N/2) .. (N-1)/2 */
  Complex *y;                   /* [kept] */
  Complex *x, *next, *gradient; /* [modes] */
  Complex *residual, *after;    /* [kept] */
  double *power, *weight;       /* [modes] */
  double step;
  double nu, kappa; /* of OCT_CS_PERSISTENT */
} Line;

/* A without gridding: N^-1/2 exp (+2 pi i nodes[i] q / N). */
static Complex
exact_element (const OctCsParams *p, double node, gint q)
{
  double cycles = node / p->samples * q;

  return cexp (2 * G_PI * I * (cycles - rint (cycles))) / sqrt (p->samples);
}

/* And with it: N^-1/2 / ghat (q) sum_l G (l - u_i) exp (+2 pi i l q / M). */
static void
fill_gridded_row (const OctCsParams *p, const ReferenceGrid *grid,
    const Complex *turns, double node, Complex *row)
{
  double u = node * grid->cells / p->samples, weights[64];
  gint first = (gint)ceil (u - grid->width / 2.0), half = p->samples / 2;

  g_assert_cmpint (grid->width, <=, G_N_ELEMENTS (weights));
  for (gint m = 0; m < (gint)grid->width; m++)
    weights[m] = reference_kernel (grid, first + m - u);
  for (gint q = -half; q < (gint)p->samples - half; q++) {
    Complex sum = 0;
    for (gint m = 0; m < (gint)grid->width; m++)
      sum +=
          weights[m]
          * conj (turns[reference_wrap ((gint64)(first + m) * q, grid->cells)]);
    row[q + half] =
        sum / reference_kernel_transform (grid, q) / sqrt (p->samples);
  }
}

/* Whether the mode of even N without a partner, which real A-scans leave out,
 * is the first one. */
static gboolean
lacks_first (const OctCsParams *p)
{
  return p->format == OCT_SAMPLE_F32 && p->samples % 2 == 0
         && !reference_are_uniform (p->nodes, p->kept);
}

static Complex *
new_matrix (const OctCsParams *p)
{
  gboolean uniform = reference_are_uniform (p->nodes, p->kept);
  gboolean gridded = p->transform == OCT_CS_NUFFT && !uniform;
  OctNufftParams all = { .format = OCT_SAMPLE_F32,
    .samples = p->samples,
    .kernel = p->kernel,
    .grid = p->grid,
    .width = p->width };
  ReferenceGrid grid =
      gridded ? reference_choose_grid (&all) : (ReferenceGrid){ 0 };
  g_autofree Complex *turns = gridded ? reference_turns (grid.cells) : NULL;
  Complex *matrix = g_new (Complex, (gsize)p->kept * p->samples);
  gint half = (gint)(p->samples / 2);

  for (guint i = 0; i < p->kept; i++) {
    double node = uniform ? rint (p->nodes[i]) : p->nodes[i];
    Complex *row = matrix + (gsize)i * p->samples;

    if (gridded)
      fill_gridded_row (p, &grid, turns, node, row);
    for (guint m = 0; !gridded && m < p->samples; m++)
      row[m] = exact_element (p, node, (gint)m - half);
    if (lacks_first (p))
      row[0] = 0;
  }
  return matrix;
}

/* u |u|^-1 max (|u| - a, 0) */
static Complex
soft (Complex u, double a)
{
  double size = cabs (u);

  return size > a ? u * ((size - a) / size) : 0;
}

/* gradient = A^H residual */
static void
find_gradient (Line *l)
{
  for (guint m = 0; m < l->modes; m++)
    l->gradient[m] = 0;
  for (guint i = 0; i < l->kept; i++) {
    const Complex *row = l->matrix + (gsize)i * l->modes;
    for (guint m = 0; m < l->modes; m++)
      l->gradient[m] += conj (row[m]) * l->residual[i];
  }
}

/* x = 0, residual A x - y = -y */
static void
begin (Line *l, double step)
{
  l->step = step;
  l->kappa = 0;
  for (guint m = 0; m < l->modes; m++)
    l->x[m] = 0;
  for (guint i = 0; i < l->kept; i++)
    l->residual[i] = -l->y[i];
  find_gradient (l);
}

/* x becomes `next`; the length of the next step is |A s|^2 / |s|^2 (Xu 2014,
 * eq. 14), `still` where there was none. */
static void
take_step (Line *l, double least, double still)
{
  double moved = 0, changed = 0;

  for (guint m = 0; m < l->modes; m++) {
    moved += pow (cabs (l->next[m] - l->x[m]), 2);
    l->x[m] = l->next[m];
  }
  for (guint i = 0; i < l->kept; i++) {
    const Complex *row = l->matrix + (gsize)i * l->modes;
    l->after[i] = -l->y[i];
    for (guint m = 0; m < l->modes; m++)
      l->after[i] += row[m] * l->x[m];
    changed += pow (cabs (l->after[i] - l->residual[i]), 2);
    l->residual[i] = l->after[i];
  }
  l->step = moved > 0 ? CLAMP (changed / moved, least, OCT_CS_STEP_MAX) : still;
  find_gradient (l);
}

static void
shrink (Line *l, double threshold)
{
  for (guint m = 0; m < l->modes; m++)
    l->next[m] = soft (l->x[m] - l->gradient[m] / l->step, threshold / l->step);
}

/* Root of the mean square of the gradient. */
static double
rms_gradient (const Line *l)
{
  double sum = 0;

  for (guint m = l->first; m < l->modes; m++)
    sum += pow (cabs (l->gradient[m]), 2);
  return sqrt (sum / (l->modes - l->first));
}

/* weight[m] = max (0, 1 - lambda (nu / step)^2 / p[m]), p the mean power of u
 * (`next`) over the neighbours on the circle of modes. */
static void
weigh (Line *l, double lambda)
{
  gint count = (gint)(l->modes - l->first);

  for (gint m = 0; m < count; m++) {
    double mean = 0, cut = lambda * pow (l->nu / l->step, 2);
    for (gint d = -OCT_CS_REACH; d <= OCT_CS_REACH; d++)
      mean += l->power[l->first + reference_wrap (m + d, (guint)count)];
    mean /= 2 * OCT_CS_REACH + 1;
    l->weight[l->first + (guint)m] = mean > cut ? 1 - cut / mean : 0;
  }
}

/* One step of OCT_CS_PERSISTENT: `next`. */
static void
persist (Line *l, double floor, double tau, gboolean last)
{
  double sum = 0;

  l->nu = MAX (rms_gradient (l), floor);
  for (guint m = l->first; m < l->modes; m++) {
    l->next[m] = l->x[m] - l->gradient[m] / l->step;
    l->power[m] = pow (cabs (l->next[m]), 2);
  }
  weigh (l, last ? tau * tau / 6 : OCT_CS_SHRINK);
  for (guint m = l->first; m < l->modes; m++) {
    sum += l->weight[m];
    l->next[m] *=
        last ? sqrt (l->weight[m]) : (l->weight[m] - l->kappa) / (1 - l->kappa);
  }
  l->kappa = MIN (sum / (l->modes - l->first), OCT_CS_KAPPA_MAX);
}

/* The threshold of step k of OCT_CS_CONTINUED. */
static double
falling (const Line *l, double threshold, guint k, guint steps)
{
  double part = 1 - (double)k / MAX ((gint)steps - 2, 1);

  return MAX (threshold, OCT_CS_CONTINUE * MAX (0, part) * rms_gradient (l));
}

/* threshold: of the l1 norm, or the least nu */
static void
solve (Line *l, OctCsSolver solver, guint steps, double threshold, double tau)
{
  double rate = (double)l->kept / l->modes;

  begin (l, solver == OCT_CS_SPARSA ? 1 : rate);
  for (guint k = 0; k < steps; k++) {
    if (solver == OCT_CS_PERSISTENT)
      persist (l, threshold, tau, k + 1 == steps);
    else
      shrink (l, solver == OCT_CS_CONTINUED ? falling (l, threshold, k, steps)
                                            : threshold);
    if (solver == OCT_CS_SPARSA)
      take_step (l, OCT_CS_STEP_MIN, OCT_CS_STEP_MAX);
    else
      take_step (l, rate, l->step);
  }
}

static int
compare (const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;

  return (x > y) - (x < y);
}

/* The value that (n - 1) / 2 others precede in order. */
static double
median (double *values, guint count)
{
  qsort (values, count, sizeof (double), compare);
  return values[(count - 1) / 2];
}

/* Reads y; FALSE when a value is NaN or infinite. */
static gboolean
take_samples (const OctCsParams *p, const Complex *row, Line *l)
{
  gboolean finite = TRUE;

  for (guint i = 0; i < p->kept; i++) {
    Complex value = row[p->column[i]];
    l->y[i] = p->window[i] * value;
    finite = finite && isfinite (creal (value)) && isfinite (cimag (value));
  }
  return finite;
}

/* sigma_A, from at most 32 lines (oct-cs.h, "Noise") */
static double
find_noise (const OctCsParams *p, const Complex *in, Line *l)
{
  guint lines = MIN (p->lines, OCT_CS_NOISE_LINES), found = 0;
  double sigmas[OCT_CS_NOISE_LINES];

  for (guint i = 0; i < lines; i++) {
    guint line = (guint)((2 * (guint64)i + 1) * p->lines / (2 * lines));
    if (!take_samples (p, in + (gsize)line * p->columns, l))
      continue;
    solve (l, OCT_CS_PERSISTENT, OCT_CS_NOISE_STEPS, 0, 0);
    sigmas[found++] = l->nu;
  }
  return found > 0 ? median (sigmas, found) : 0;
}

/* The same from nu of all lines, NaN of those that are not finite. */
static double
noise_of_lines (const OctCsParams *p, const double *levels)
{
  guint lines = MIN (p->lines, OCT_CS_NOISE_LINES), found = 0;
  double sigmas[OCT_CS_NOISE_LINES];

  for (guint i = 0; i < lines; i++) {
    double level = levels[(2 * (guint64)i + 1) * p->lines / (2 * lines)];
    if (!isnan (level))
      sigmas[found++] = level;
  }
  return found > 0 ? median (sigmas, found) : 0;
}

static double
noise_gain (const OctCsParams *p)
{
  double sum = 0;

  for (guint i = 0; i < p->kept; i++)
    sum += p->window[i] * p->window[i];
  return sqrt (sum / p->samples);
}

void
reference_cs (
    OctReference *plan, const Complex *in, const double *mean, Complex *out)
{
  const OctCsParams *p = plan->params;
  g_autofree Complex *matrix = new_matrix (p);
  g_autofree Complex *work = g_new0 (Complex, 3 * (p->kept + p->samples));
  g_autofree double *weights = g_new0 (double, 2 * (gsize)p->samples);
  Line l = { .kept = p->kept,
    .modes = p->samples,
    .first = lacks_first (p),
    .matrix = matrix,
    .y = work,
    .residual = work + p->kept,
    .after = work + 2 * p->kept,
    .x = work + 3 * p->kept,
    .next = work + 3 * p->kept + p->samples,
    .gradient = work + 3 * p->kept + 2 * p->samples,
    .power = weights,
    .weight = weights + p->samples };
  g_autofree double *levels = g_new (double, p->lines);
  gboolean finds = p->noise == 0 && p->solver != OCT_CS_PERSISTENT;
  double gain = noise_gain (p);
  double sigma = finds ? find_noise (p, in, &l) : p->noise * gain;
  double threshold = p->solver == OCT_CS_PERSISTENT ? sigma : p->tau * sigma;

  for (guint line = 0; line < p->lines; line++) {
    gboolean finite = take_samples (p, in + (gsize)line * p->columns, &l);
    if (finite)
      solve (&l, p->solver, p->iterations, threshold, p->tau);
    levels[line] = finite ? l.nu : NAN;
    for (guint i = 0; i < p->depth_bins; i++)
      out[(gsize)line * p->depth_bins + i] =
          finite ? l.x[p->samples / 2 + p->depth_start + i] : CMPLX (NAN, NAN);
  }
  if (p->solver == OCT_CS_PERSISTENT)
    sigma = noise_of_lines (p, levels);
  plan->found = finds || p->solver == OCT_CS_PERSISTENT ? sigma / gain : 0;
}
