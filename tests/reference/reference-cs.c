/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Compressive sensing along the A-line with a dense matrix: SpaRSA as printed
 * in Xu, Huang and Kang, Opt. Express 22, 14871 (2014), with the corrections
 * that core/oct-cs.h names; the residual is that of the samples.
 */
#include "reference-plan.h"

#include <math.h>
#include <stdlib.h>

typedef struct {
  guint kept, modes;
  Complex *matrix;              /* A, [kept][modes], of q = -(N/2) .. (N-1)/2 */
  Complex *y;                   /* [kept] */
  Complex *x, *next, *gradient; /* [modes] */
  Complex *residual, *after;    /* [kept] */
  double step;
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
    /* the mode of even N without a partner, which real A-scans leave out */
    if (p->format == OCT_SAMPLE_F32 && p->samples % 2 == 0 && !uniform)
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
begin (Line *l)
{
  l->step = 1;
  for (guint m = 0; m < l->modes; m++)
    l->x[m] = 0;
  for (guint i = 0; i < l->kept; i++)
    l->residual[i] = -l->y[i];
  find_gradient (l);
}

/* One SpaRSA step (Xu 2014, lines 12 to 18; eq. 14 for the next length). */
static void
step (Line *l, double threshold)
{
  double moved = 0, changed = 0;

  for (guint m = 0; m < l->modes; m++) {
    l->next[m] = soft (l->x[m] - l->gradient[m] / l->step, threshold / l->step);
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
  l->step = moved > 0
                ? CLAMP (changed / moved, OCT_CS_STEP_MIN, OCT_CS_STEP_MAX)
                : OCT_CS_STEP_MAX;
  find_gradient (l);
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

/* Median of |gradient| over the deeper half of the modes, / (ln 2)^1/2. */
static double
noise_of_line (const Line *l)
{
  gint first = (gint)(l->modes / 4), last = ((gint)l->modes - 1) / 2;
  g_autofree double *sizes = g_new (double, last - first + 1);

  for (gint q = first; q <= last; q++)
    sizes[q - first] = cabs (l->gradient[q + (gint)(l->modes / 2)]);
  return median (sizes, (guint)(last - first + 1)) / sqrt (log (2));
}

/* y; FALSE when a value is no finite number */
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

/* sigma_A, from at most 32 lines (core/oct-cs.h, "Estimated noise") */
static double
estimate_noise (const OctCsParams *p, const Complex *in, Line *l)
{
  guint lines = MIN (p->lines, OCT_CS_NOISE_LINES), found = 0;
  double sigmas[OCT_CS_NOISE_LINES];

  for (guint i = 0; i < lines; i++) {
    guint line = (guint)((2 * (guint64)i + 1) * p->lines / (2 * lines));
    if (!take_samples (p, in + (gsize)line * p->columns, l))
      continue;
    begin (l);
    for (guint k = 0; k < OCT_CS_NOISE_STEPS; k++)
      step (l, OCT_CS_NOISE_TAU * noise_of_line (l));
    sigmas[found++] = noise_of_line (l);
  }
  return found > 0 ? median (sigmas, found) : 0;
}

static double
known_noise (const OctCsParams *p)
{
  double sum = 0;

  for (guint i = 0; i < p->kept; i++)
    sum += p->window[i] * p->window[i];
  return p->noise * sqrt (sum / p->samples);
}

void
reference_cs (
    OctReference *plan, const Complex *in, const double *mean, Complex *out)
{
  const OctCsParams *p = plan->params;
  g_autofree Complex *matrix = new_matrix (p);
  g_autofree Complex *work = g_new0 (Complex, 3 * (p->kept + p->samples));
  Line l = { .kept = p->kept,
    .modes = p->samples,
    .matrix = matrix,
    .y = work,
    .residual = work + p->kept,
    .after = work + 2 * p->kept,
    .x = work + 3 * p->kept,
    .next = work + 3 * p->kept + p->samples,
    .gradient = work + 3 * p->kept + 2 * p->samples };
  double threshold =
      p->tau * (p->noise > 0 ? known_noise (p) : estimate_noise (p, in, &l));

  for (guint line = 0; line < p->lines; line++) {
    gboolean finite = take_samples (p, in + (gsize)line * p->columns, &l);
    if (finite) {
      begin (&l);
      for (guint k = 0; k < p->iterations; k++)
        step (&l, threshold);
    }
    for (guint i = 0; i < p->depth_bins; i++)
      out[(gsize)line * p->depth_bins + i] =
          finite ? l.x[p->samples / 2 + p->depth_start + i] : CMPLX (NAN, NAN);
  }
}
