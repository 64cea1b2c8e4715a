/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Steps of compressive sensing (oct-cs.h): a step is two FFTs, a band of a
 * matrix between them (oct-cpu-cs-operator.c), and one pass over the modes, or
 * two if a depth depends on its neighbours.
 */
#include "oct-cpu-cs-solver.h"
#include "oct-cpu-private.h"
#include "oct-simd.h"

#include <math.h>
#include <string.h>

/* modes that are added up in single precision */
#define SUM_MODES 32
#define AROUND (2 * OCT_CS_REACH + 1) /* odd */

/* The modes that there are, partners and all. */
static double
cpu_cs_solver_count_modes (const OctCpuCsOperator *op)
{
  return op->parts == 2 ? op->modes : op->modes + (double)op->paired - 1;
}

/* Parameters and results of a pass over the modes, per lane. */
typedef struct {
  float inverse[OCT_LANES];                /* 1 / step */
  float cut[OCT_LANES];                    /* for |u| or the mean power */
  float kappa[OCT_LANES], part[OCT_LANES]; /* (w - kappa) part; part = scale */
  double squares[OCT_LANES], sum[OCT_LANES]; /* sums of |s|^2 and w */
} Pass;

/* Some modes of one vector of lanes; adds to both sums. */
typedef void (*PassSome) (const OctCpuCsBlock *block, guint first, guint count,
    guint lane, const Pass *pass, OctVector *squares, OctVector *sum);

/* Modes first .. first + count - 1, which have the same weight. */
OCT_INLINE void
pass_alike (const OctCpuCsBlock *block, guint first, guint count, double weight,
    PassSome some, Pass *pass)
{
  for (guint n; count > 0; first += n, count -= n) {
    n = MIN (count, SUM_MODES);
    for (guint lane = 0; lane < OCT_LANES; lane += OCT_VECTOR) {
      OctVector squares = { 0 }, sum = { 0 };
      some (block, first, n, lane, pass, &squares, &sum);
      for (guint k = 0; k < OCT_VECTOR; k++) {
        pass->squares[lane + k] += weight * squares[k];
        pass->sum[lane + k] += weight * sum[k];
      }
    }
  }
}

/* All modes.  Inlined, so that `some` is inlined too. */
OCT_INLINE void
pass_all (const OctCpuCsOperator *op, const OctCpuCsBlock *block, PassSome some,
    Pass *pass)
{
  memset (pass->squares, 0, sizeof pass->squares);
  memset (pass->sum, 0, sizeof pass->sum);
  if (op->parts == 2) {
    pass_alike (block, 0, op->modes, 1, some, pass);
    return;
  }
  /* modes that have a partner count twice */
  pass_alike (block, 0, 1, 1, some, pass);
  pass_alike (block, 1, op->paired - 1, 2, some, pass);
  pass_alike (block, op->paired, op->modes - op->paired, 1, some, pass);
}

/* a vector of lanes */
#define PART(values, at) (*(const OctVector *)((values) + (at)))

/* ------------------------------------------------------- the l1 minimum */

/* x' = soft (x - inverse g, cut), change = x' - x */
OCT_INLINE void
shrink_some (const OctCpuCsBlock *block, guint first, guint count, guint lane,
    const Pass *pass, OctVector *squares, OctVector *sum)
{
  OctVector inverse = PART (pass->inverse, lane);
  OctVector cut = PART (pass->cut, lane);

  for (guint i = first; i < first + count; i++) {
    gsize at = (gsize)i * 2 * OCT_LANES + lane;
    OctVector u[2], old[2], size, factor;
    for (guint part = 0; part < 2; part++) {
      gsize here = at + part * OCT_LANES;
      old[part] = PART (block->x, here);
      u[part] = old[part] - inverse * PART (block->g, here);
    }
    factor = u[0] * u[0] + u[1] * u[1];
    for (guint k = 0; k < OCT_VECTOR; k++)
      size[k] = sqrtf (factor[k]);
    /* NaN compares false: NaN times 0 stays NaN */
    factor = (OctVector)((OctSelection)(1 - cut / size) & (size > cut));
    for (guint part = 0; part < 2; part++) {
      gsize here = at + part * OCT_LANES;
      OctVector value = u[part] * factor, change = value - old[part];
      *squares += change * change;
      *(OctVector *)(block->x + here) = value;
      *(OctVector *)(block->change + here) = change;
    }
  }
}

OCT_VECTORISED static void
cpu_cs_solver_shrink (
    const OctCpuCsOperator *op, const OctCpuCsBlock *block, Pass *pass)
{
  pass_all (op, block, shrink_some, pass);
}

/* Step k of OCT_CS_SPARSA and OCT_CS_CONTINUED. */
static void
shrink_step (const OctCpuCsOperator *op, const OctCpuCsSolve *solve, guint k,
    OctCpuCsBlock *block, Pass *pass)
{
  gint last = MAX ((gint)solve->steps - 2, 1);
  double part = solve->solver == OCT_CS_CONTINUED
                    ? OCT_CS_CONTINUE * MAX (0, 1 - (double)k / last)
                    : 0;

  for (guint lane = 0; lane < OCT_LANES; lane++) {
    double threshold = (double)solve->tau * solve->sigma / block->scale[lane];
    double above =
        part * sqrt (block->squares[lane] / cpu_cs_solver_count_modes (op));
    pass->cut[lane] = (float)MAX (threshold, above) * pass->inverse[lane];
  }
  cpu_cs_solver_shrink (op, block, pass);
}

/* --------------------------------------------------------------- persistent */

/* The power of u = x - inverse g.  Then u is not stored: computing it again
 * needs less memory traffic. */
OCT_VECTORISED static void
cpu_cs_solver_find_powers (
    const OctCpuCsBlock *block, guint modes, const float *inverses)
{
  for (guint i = 0; i < modes; i++) {
    float *power = block->power + (gsize)(i + OCT_CS_REACH) * OCT_LANES;
    for (guint lane = 0; lane < OCT_LANES; lane += OCT_VECTOR) {
      gsize at = (gsize)i * 2 * OCT_LANES + lane;
      OctVector inverse = PART (inverses, lane), sum = { 0 };
      for (guint part = 0; part < 2; part++, at += OCT_LANES) {
        OctVector u = PART (block->x, at) - inverse * PART (block->g, at);
        sum += u * u;
      }
      *(OctVector *)(power + lane) = sum;
    }
  }
}

/* The mode at place `at` of the circle, which may be before the first mode or
 * after the last. */
static guint
mode_at (const OctCpuCsOperator *op, gint at)
{
  gint circle = (gint)cpu_cs_solver_count_modes (op), mode = at % circle;

  if (mode < 0)
    mode += circle;
  return (guint)(mode < (gint)op->modes ? mode : circle - mode);
}

static void
close_circle (const OctCpuCsOperator *op, const OctCpuCsBlock *block)
{
  for (gint i = -OCT_CS_REACH; i < OCT_CS_REACH; i++) {
    gint at = i < 0 ? i : (gint)op->modes + i;
    memcpy (block->power + (gsize)(at + OCT_CS_REACH) * OCT_LANES,
        block->power + (gsize)(mode_at (op, at) + OCT_CS_REACH) * OCT_LANES,
        OCT_LANES * sizeof *block->power);
  }
}

/* w of a mode and a vector of lanes */
OCT_INLINE void
weigh (const OctCpuCsBlock *block, guint mode, guint lane, const float *cuts,
    OctVector *w)
{
  const float *around = block->power + (gsize)mode * OCT_LANES + lane;
  OctVector power = PART (around, 0), cut = PART (cuts, lane), rest = { 0 };

  /* two sums at the same time: each addition waits for the one before */
  for (guint k = 1; k < AROUND; k += 2) {
    power += PART (around, k * OCT_LANES);
    rest += PART (around, (k + 1) * OCT_LANES);
  }
  power += rest;
  power *= 1.0f / AROUND;
  *w = (OctVector)((OctSelection)(1 - cut / power) & (power > cut));
}

/* x' = (w - kappa) part u, change = x' - x */
OCT_INLINE void
persist_some (const OctCpuCsBlock *block, guint first, guint count, guint lane,
    const Pass *pass, OctVector *squares, OctVector *sum)
{
  OctVector inverse = PART (pass->inverse, lane);
  OctVector kappa = PART (pass->kappa, lane);
  OctVector scale = PART (pass->part, lane);

  for (guint i = first; i < first + count; i++) {
    gsize at = (gsize)i * 2 * OCT_LANES + lane;
    OctVector w, factor;
    weigh (block, i, lane, pass->cut, &w);
    factor = (w - kappa) * scale;
    *sum += w;
    for (guint part = 0; part < 2; part++, at += OCT_LANES) {
      OctVector old = PART (block->x, at);
      OctVector value = factor * (old - inverse * PART (block->g, at));
      OctVector change = value - old;
      *squares += change * change;
      *(OctVector *)(block->x + at) = value;
      *(OctVector *)(block->change + at) = change;
    }
  }
}

OCT_VECTORISED static void
persist (const OctCpuCsOperator *op, const OctCpuCsBlock *block, Pass *pass)
{
  pass_all (op, block, persist_some, pass);
}

/* x = w^1/2 u, in counts */
OCT_VECTORISED static void
conclude (const OctCpuCsBlock *block, guint modes, const Pass *pass)
{
  for (guint i = 0; i < modes; i++)
    for (guint lane = 0; lane < OCT_LANES; lane += OCT_VECTOR) {
      gsize at = (gsize)i * 2 * OCT_LANES + lane;
      OctVector w, root;
      weigh (block, i, lane, pass->cut, &w);
      for (guint k = 0; k < OCT_VECTOR; k++)
        root[k] = sqrtf (w[k]);
      root *= PART (block->scale, lane);
      for (guint part = 0; part < 2; part++, at += OCT_LANES)
        *(OctVector *)(block->x + at) =
            root
            * (PART (block->x, at)
                - PART (pass->inverse, lane) * PART (block->g, at));
    }
}

/* Step k of OCT_CS_PERSISTENT. */
static void
persist_step (const OctCpuCsOperator *op, const OctCpuCsSolve *solve, guint k,
    OctCpuCsBlock *block, Pass *pass)
{
  gboolean last = k + 1 == solve->steps;
  double lambda = last ? (double)solve->tau * solve->tau / 6 : OCT_CS_SHRINK;

  cpu_cs_solver_find_powers (block, op->modes, pass->inverse);
  close_circle (op, block);
  for (guint lane = 0; lane < OCT_LANES; lane++) {
    double nu = sqrt (block->squares[lane] / cpu_cs_solver_count_modes (op));
    nu = MAX (nu, solve->sigma / block->scale[lane]);
    pass->cut[lane] = (float)(lambda * pow (nu * pass->inverse[lane], 2));
    pass->kappa[lane] = block->kappa[lane];
    pass->part[lane] = 1 / (1 - block->kappa[lane]);
    block->noise[lane] =
        block->finite[lane] ? (float)nu * block->scale[lane] : NAN;
  }
  if (last) {
    conclude (block, op->modes, pass);
    return;
  }
  persist (op, block, pass);
  for (guint lane = 0; lane < OCT_LANES; lane++)
    block->kappa[lane] = (float)MIN (
        pass->sum[lane] / cpu_cs_solver_count_modes (op), OCT_CS_KAPPA_MAX);
}

/* -------------------------------------------------------------- all of it */

/* The largest sample of each A-line, and whether all are finite. */
OCT_VECTORISED static void
look_at (const OctCpuCsOperator *op, const guint32 *column, const float *rows,
    float *largest, gboolean *finite)
{
  guint row = op->parts * OCT_LANES;
  float check[OCT_LANES] = { 0 };

  for (guint i = 0; i < op->tables.gridding.samples; i++)
    for (guint k = 0; k < row; k += OCT_LANES) {
      const float *from = rows + (gsize)column[i] * row + k;
      for (guint lane = 0; lane < OCT_LANES; lane++) {
        float size = fabsf (from[lane]);
        check[lane] += 0 * from[lane];
        largest[lane] = size > largest[lane] ? size : largest[lane];
      }
    }
  for (guint lane = 0; lane < OCT_LANES; lane++)
    finite[lane] = check[lane] == 0;
}

OCT_VECTORISED static void
scale_back (const OctCpuCsOperator *op, const float *scale, float *x)
{
  gsize count = (gsize)op->modes * 2 * OCT_LANES;

  for (gsize i = 0; i < count; i += OCT_LANES)
    for (guint lane = 0; lane < OCT_LANES; lane++)
      x[i + lane] *= scale[lane];
}

/* The power of two above a number; 1 if it is 0 or not finite. */
static float
power_of_two (float size)
{
  int exponent;

  if (!(size > 0) || !isfinite (size))
    return 1;
  frexpf (size, &exponent);
  return ldexpf (1, CLAMP (exponent, -120, 120));
}

static void
cpu_cs_solver_begin (const OctCpuCsOperator *op, const guint32 *column,
    const OctCpuCsSolve *solve, OctCpuCsBlock *block)
{
  float largest[OCT_LANES] = { 0 }, inverse[OCT_LANES];

  look_at (op, column, block->rows, largest, block->finite);
  memset (block->x, 0, (gsize)op->modes * 2 * OCT_LANES * sizeof *block->x);
  for (guint lane = 0; lane < OCT_LANES; lane++) {
    block->scale[lane] = power_of_two (largest[lane]);
    inverse[lane] = -1 / block->scale[lane];
    block->kappa[lane] = 0;
    block->step[lane] = solve->solver == OCT_CS_SPARSA ? 1 : op->rate;
  }
  oct_cpu_cs_adjoint (
      op, &block->op, column, block->rows, inverse, block->g, block->squares);
}

/* Lengths of the next steps of all lanes: <s, T s> / |s|^2. */
static void
set_lengths (const OctCpuCsOperator *op, const OctCpuCsSolve *solve,
    const Pass *pass, const double *product, OctCpuCsBlock *block)
{
  gboolean fixed = solve->solver == OCT_CS_SPARSA;
  float least = fixed ? OCT_CS_STEP_MIN : op->rate;

  for (guint lane = 0; lane < OCT_LANES; lane++) {
    if (pass->squares[lane] > 0)
      block->step[lane] = CLAMP (
          (float)(product[lane] / pass->squares[lane]), least, OCT_CS_STEP_MAX);
    else if (fixed)
      block->step[lane] = OCT_CS_STEP_MAX;
  }
}

void
oct_cpu_cs_block_solve (const OctCpuCsOperator *op, const guint32 *column,
    const OctCpuCsSolve *solve, OctCpuCsBlock *block)
{
  double product[OCT_LANES];
  Pass pass;

  cpu_cs_solver_begin (op, column, solve, block);
  for (guint k = 0;; k++) {
    for (guint lane = 0; lane < OCT_LANES; lane++)
      pass.inverse[lane] = 1 / block->step[lane];
    if (solve->solver == OCT_CS_PERSISTENT)
      persist_step (op, solve, k, block, &pass);
    else
      shrink_step (op, solve, k, block, &pass);
    if (k + 1 == solve->steps)
      break;
    oct_cpu_cs_apply (
        op, &block->op, block->change, block->g, product, block->squares);
    set_lengths (op, solve, &pass, product, block);
  }
  if (solve->solver != OCT_CS_PERSISTENT)
    scale_back (op, block->scale, block->x);
}

gsize
oct_cpu_cs_block_divide (const OctCpuCsOperator *op, guint columns,
    guint8 *base, OctCpuCsBlock *block)
{
  gsize row = OCT_LANES * sizeof (float), iterate = op->modes * 2 * row;
  gsize size = oct_cpu_cs_divide (op, base, &block->op);
  float **all[] = { &block->x, &block->g, &block->change };

  for (guint i = 0; i < G_N_ELEMENTS (all); i++, size += iterate)
    *all[i] = (gpointer)(base + size);
  block->power = (gpointer)(base + size);
  size += (op->modes + 2 * OCT_CS_REACH) * row;
  block->rows = (gpointer)(base + size);
  return size + (gsize)columns * op->parts * row;
}
