/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Runs one case on both backends and compares.
 *
 * All B-scans of a case are queued on the device before the first result is
 * fetched, updates in between, so that parameters which overtake the work in
 * flight are found.  The stream does not wait for the NULL stream, so that work
 * left there is found too.
 */
#include "check.h"
#include "sweep.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_RELATIVE_L2 1e-5

const char *const fill_names[N_FILLS] = { "random", "fringes", "constant",
  "saturated", "dynamic", "nan-line", "loud-line", "all-nan", "lost-columns",
  "tissue", "moved", "repeats", "flow", "sweeps" };

void
check_cuda (cudaError_t status, const char *what)
{
  if (status == cudaSuccess)
    return;
  printf ("Bail out! %s: %s\n", what, cudaGetErrorString (status));
  exit (1);
}

static gsize
shape_bytes (const Shape *shape)
{
  return (gsize)(shape->row + shape->padding) * shape->rows;
}

static double
float_value (Fill fill, GRand *random, guint line, guint lines, double x)
{
  switch (fill) {
  case FILL_CONSTANT:
    return 3.25;
  case FILL_SATURATED:
    return 1e15;
  case FILL_DYNAMIC:
    return pow (10, g_rand_double_range (random, -12, 6))
           * (g_rand_boolean (random) ? 1 : -1);
  case FILL_ALL_NAN:
    return NAN;
  case FILL_NAN_LINE:
    if (line == lines / 2)
      return NAN;
    if (line == lines / 3 && lines > 2)
      return INFINITY;
    break;
  case FILL_LOUD_LINE:
    if (line == lines / 2)
      return NAN;
    if (line == lines / 3)
      return 1e6 * g_rand_double_range (random, -1, 1);
    break;
  case FILL_TISSUE:
    if (g_rand_boolean (random))
      return 0;
    return (x < 1. / 64 ? 1e3 : exp (-6 * x))
           * g_rand_double_range (random, -1, 1);
  default:
    break;
  }
  return g_rand_double_range (random, -1, 1);
}

static guint
count_value (Fill fill, GRand *random, guint largest, double x)
{
  switch (fill) {
  case FILL_CONSTANT:
    return largest / 3;
  case FILL_SATURATED:
    return largest;
  case FILL_FRINGES:
    return (guint)(0.8 * largest * exp (-4 * (x - 0.5) * (x - 0.5))
                   * (1 + 0.02 * g_rand_double_range (random, -1, 1)));
  default:
    return g_rand_int (random) & largest;
  }
}

void
check_fill (const Case *test, guint8 *data, GRand *random)
{
  const Shape *shape = &test->in;
  guint size = (guint)oct_sample_format_size (test->in_format);
  guint values = shape->row / size;

  memset (data, CHECK_POISON, shape_bytes (shape));
  for (guint line = 0; line < shape->rows; line++) {
    guint8 *row = data + (gsize)line * (shape->row + shape->padding);
    for (guint i = 0; i < values; i++) {
      double x = (double)i / values;
      switch (test->in_format) {
      case OCT_SAMPLE_U8:
        row[i] = (guint8)count_value (test->fill, random, 255, x);
        break;
      case OCT_SAMPLE_U16:
        ((guint16 *)row)[i] =
            (guint16)count_value (test->fill, random, 65535, x);
        break;
      case OCT_SAMPLE_F32:
        ((float *)row)[i] =
            (float)float_value (test->fill, random, line, shape->rows, x);
        break;
      case OCT_SAMPLE_CF32:
        ((float *)row)[2 * i] =
            (float)float_value (test->fill, random, line, shape->rows, x);
        ((float *)row)[2 * i + 1] =
            (float)float_value (test->fill, random, line, shape->rows, x);
      }
    }
  }
}

/* A grain of three by three pixels, 0 to 1. */
static double
grain (gint y, gint x)
{
  guint32 mixed = (guint32)(y / 3) * 2654435761u ^ (guint32)(x / 3) * 40503u;

  mixed = (mixed ^ mixed >> 15) * 2246822519u;
  return (mixed >> 8) / 16777216.;
}

/* For FILL_MOVED: B-scan number `step` of the case. */
static void
fill_moved (const Case *test, guint8 *data, guint step, GRand *random)
{
  const OctAverageParams *p = test->params;
  const Shape *shape = &test->in;
  guint rows = shape->rows / OCT_BSCANS (p), parts = MAX (1, p->parts);

  for (guint line = 0; line < shape->rows; line++) {
    guint8 *row = data + (gsize)line * (shape->row + shape->padding);
    gint k = (gint)(step * OCT_BSCANS (p) + line / rows);

    for (guint i = 0; i < p->values; i++) {
      gint y = (gint)(line % rows) + 1000 + k * k % 7 * 2;
      gint x = (gint)(i / parts) + 1000 + k * k % 5 * 3;
      double level = 60 + 120 * grain (y, x) + 40 * sin (y / 13. + x / 29.)
                     + 20 * g_rand_double (random);

      if (p->format == OCT_SAMPLE_U8) {
        row[i] = (guint8)(level / (1 + i % parts));
      } else if (p->format == OCT_SAMPLE_U16) {
        ((guint16 *)row)[i] = (guint16)(257 * level);
      } else {
        ((float *)row)[2 * i] = (float)(level * cos (level));
        ((float *)row)[2 * i + 1] = (float)(level * sin (level));
      }
    }
  }
}

/* For FILL_REPEATS: frame number `step` of the case, of one B-scan or two. */
static void
fill_repeats (const Check *check, const Case *test, guint8 *data, guint step,
    GRand *random)
{
  const Shape *shape = &test->in;
  guint depth = shape->row / (2 * sizeof (float));
  guint bscans = test->operation == OCT_OPERATION_ALIGN
                     ? OCT_BSCANS ((const OctAlignParams *)test->params)
                     : 1;
  guint rows = shape->rows / bscans;
  /* a line through the phases is clear only if neighbours have much in common:
   * no A-lines that are new, no half shifts */
  gboolean has_line =
      test->operation == OCT_OPERATION_ALIGN
      && ((const OctAlignParams *)test->params)->phase == OCT_PHASE_LINE;
  GRand *tissue = NULL;

  for (guint line = 0; line < shape->rows; line++) {
    float *row = (float *)(data + (gsize)line * (shape->row + shape->padding));
    double shift = 0.7 * (step * bscans + line / rows) + 0.002 * (line % rows);
    double turn = g_rand_double_range (random, -G_PI, G_PI);
    double slope = has_line ? g_rand_double_range (random, -8, 8) / depth : 0;
    double part = has_line ? 0 : shift - floor (shift), before[2] = { 0 };

    if (line % rows == 0) {
      g_clear_pointer (&tissue, g_rand_free);
      tissue = g_rand_new_with_seed (check->seed + 1);
    }
    for (guint q = 0; q < depth; q++) {
      double weight = (q % 2 ? -1 : 1) * exp (-2. * q / depth), value[2],
             mix[2];
      GRand *from = !has_line && line % 5 == 4 ? random : tissue;
      double angle = turn + slope * q;

      for (guint k = 0; k < 2; k++) {
        value[k] = g_rand_double_range (from, -1, 1);
        mix[k] = weight * ((1 - part) * value[k] + part * before[k])
                 + 0.02 * g_rand_double (random);
        before[k] = value[k];
      }
      row[2 * q] = (float)(mix[0] * cos (angle) - mix[1] * sin (angle));
      row[2 * q + 1] = (float)(mix[0] * sin (angle) + mix[1] * cos (angle));
    }
  }
  g_clear_pointer (&tissue, g_rand_free);
}

/* For FILL_FLOW: the phase of a value of a B-scan, and its brightness. */
static double
flow_phase (guint line, guint lines, guint i, guint values, guint step)
{
  double across = 2. * line / lines - 1, down = 3. * i / values - 1;
  double inside = MAX (0, 1 - across * across - down * down);

  return 0.3 * line + 0.4 * step + inside * (0.9 * line + 0.5 * step);
}

static double
flow_brightness (guint line, guint i, guint values, guint step)
{
  return exp (-3. * i / values) * (0.5 + grain (0, (gint)i))
         * (1 + 0.2 * sin (step * (1 + 2 * grain ((gint)line, (gint)i))));
}

static void
fill_flow (const Case *test, guint8 *data, guint step, GRand *random)
{
  const Shape *shape = &test->in;
  guint values = shape->row / (2 * sizeof (float));

  for (guint line = 0; line < shape->rows; line++) {
    float *row = (float *)(data + (gsize)line * (shape->row + shape->padding));

    for (guint i = 0; i < values; i++) {
      double phase = 6 * grain (1, 3 * (gint)i)
                     + flow_phase (line, shape->rows, i, values, step);
      double size = flow_brightness (line, i, values, step);

      row[2 * i] = (float)(size * cos (phase)
                           + 0.01 * g_rand_double_range (random, -1, 1));
      row[2 * i + 1] = (float)(size * sin (phase)
                               + 0.01 * g_rand_double_range (random, -1, 1));
      if (step % 2 == 1 && shape->rows > 4 && line == shape->rows / 2)
        row[2 * i + i % 2] = NAN;
    }
  }
}

/* For FILL_SWEEPS. */
static void
fill_sweeps (const Case *test, guint8 *data, guint step, GRand *random)
{
  const OctKclockParams *p = test->params;
  const Shape *shape = &test->in;
  const Sweep sweep = { .samples = p->samples,
    .cycles = 0.19 * p->samples,
    .chirp = 0.35,
    .edge = 0.4,
    .snr = 30,
    .jitter = 0.5 * p->max_jitter,
    .bend = 0.05,
    .depth = 0.6 };
  const gsize values = 2 * (gsize)p->samples;
  g_autofree double *sweeps = g_new (double, values * shape->rows);

  sweep_fill (&sweep, random, shape->rows, sweeps);
  for (guint line = 0; line < shape->rows; line++) {
    guint8 *row = data + (gsize)line * (shape->row + shape->padding);

    for (guint i = 0; i < values; i++) {
      double value = sweeps[line * values + i];

      if (step % 2 && shape->rows > 4 && line % 9 == 3 && i >= p->samples)
        value = 0;
      if (step % 2 && shape->rows > 4 && line % 9 == 5 && i > 3 * values / 4)
        value = -value;
      if (p->format == OCT_SAMPLE_U8)
        row[i] = (guint8)lrint (128 + 60 * value);
      else if (p->format == OCT_SAMPLE_U16)
        ((guint16 *)row)[i] = (guint16)lrint (32768 + 15000 * value);
      else
        ((float *)row)[i] = (float)value;
    }
  }
}

/* For FILL_LOST_COLUMNS. */
static void
lose_columns (const Case *test, guint8 *data)
{
  const Shape *shape = &test->in;

  for (guint line = 0; line < shape->rows; line++) {
    float *row = (float *)(data + (gsize)line * (shape->row + shape->padding));
    for (guint i = 0; i < shape->row / sizeof (float); i += 3)
      row[i] = NAN;
  }
}

static Shape
chroma_shape (const Case *test)
{
  Shape shape = { (test->out.row + 1) / 2 * 2, (test->out.rows + 1) / 2, 6 };

  return shape;
}

/* Where the second plane begins: pairs of bytes do at even addresses. */
static gsize
chroma_start (const Shape *shape)
{
  return (shape_bytes (shape) + 1) / 2 * 2;
}

static gsize
frame_bytes (const Case *test, const Shape *shape, gboolean nv12)
{
  Shape chroma = chroma_shape (test);

  return nv12 ? chroma_start (shape) + shape_bytes (&chroma)
              : shape_bytes (shape);
}

/* The image that comes in has the size of the one that goes out. */
static gsize
in_bytes (const Case *test)
{
  return frame_bytes (test, &test->in, test->nv12_in);
}

static void
fill_chroma (const Case *test, guint8 *data, GRand *random)
{
  for (gsize i = chroma_start (&test->in); i < in_bytes (test); i++)
    data[i] = (guint8)g_rand_int_range (random, 0, 256);
}

/* Plane 0 and, after it, plane 1. */
static OctFrame
frame_of (const Case *test, gpointer data, gboolean output)
{
  const Shape *shape = output ? &test->out : &test->in;
  OctFrame frame = { { { data, shape->row + shape->padding } } };

  if (output ? test->nv12 : test->nv12_in) {
    Shape chroma = chroma_shape (test);
    frame.planes[1].data = (guint8 *)data + chroma_start (shape);
    frame.planes[1].stride = chroma.row + chroma.padding;
  }
  return frame;
}

static gsize
out_bytes (const Case *test)
{
  return frame_bytes (test, &test->out, test->nv12);
}

/* inputs, outputs: [steps] in the memory of the backend */
static gboolean
run_plan (const OctBackend *backend, const Case *test, guint8 **inputs,
    guint8 **outputs, cudaStream_t stream, GError **error)
{
  const OctOperationTable *table = backend->operations[test->operation];
  OctPlan *plan = table->create (test->params, error);
  gboolean done = plan != NULL;

  for (guint step = 0; done && step < test->steps; step++) {
    OctFrame in = frame_of (test, inputs[step], FALSE);
    OctFrame out = frame_of (test, outputs[step], TRUE);
    if ((step == 2 || (step > 2 && test->in_turn)) && test->update != NULL
        && !table->update (plan, step % 2 ? test->params : test->update)) {
      g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS, "no update");
      done = FALSE;
      break;
    }
    if (step > 0 && step == test->steps - 1 && test->reset)
      table->reset (plan);
    done = table->run (plan, &in, &out, stream, error);
  }
  if (plan != NULL)
    table->destroy (plan);
  return done;
}

static void
run_cuda (const Check *check, const Case *test, guint8 **inputs,
    guint8 **outputs, GError **error)
{
  gsize in_size = in_bytes (test), out_size = out_bytes (test);
  gpointer in[MAX_STEPS] = { NULL }, out[MAX_STEPS] = { NULL };
  gboolean done;

  for (guint step = 0; step < test->steps; step++) {
    check_cuda (cudaMalloc (&in[step], in_size), "memory");
    check_cuda (
        cudaMemcpy (in[step], inputs[step], in_size, cudaMemcpyHostToDevice),
        "upload");
    out[step] = in[step];
    if (test->in_place)
      continue;
    check_cuda (cudaMalloc (&out[step], out_size), "memory");
    check_cuda (cudaMemset (out[step], CHECK_POISON, out_size), "poison");
  }
  check_cuda (cudaDeviceSynchronize (), "inputs");
  done = run_plan (
      check->cuda, test, (guint8 **)in, (guint8 **)out, check->stream, error);
  check_cuda (cudaStreamSynchronize (check->stream), test->name);
  for (guint step = 0; step < test->steps; step++) {
    if (done)
      check_cuda (cudaMemcpy (outputs[step], out[step], out_size,
                      cudaMemcpyDeviceToHost),
          "download");
    check_cuda (cudaFree (in[step]), "free");
    if (!test->in_place)
      check_cuda (cudaFree (out[step]), "free");
  }
}

gboolean
check_is_lost (Fill fill, guint line, guint lines)
{
  if (fill == FILL_LOUD_LINE)
    return line == lines / 2;
  return fill == FILL_NAN_LINE
         && (line == lines / 2 || (line == lines / 3 && lines > 2));
}

/* Squares of the differences and of the values, summed. */
typedef struct {
  double difference, total;
} Sums;

static char *
compare_line (
    const float *a, const float *b, guint line, guint values, Sums *sums)
{
  for (guint i = 0; i < values; i++) {
    if (isfinite (a[i]) != isfinite (b[i]))
      return g_strdup_printf (
          "line %u value %u: %g instead of %g", line, i, b[i], a[i]);
    if (!isfinite (a[i]))
      continue;
    sums->difference += ((double)a[i] - b[i]) * ((double)a[i] - b[i]);
    sums->total += (double)a[i] * a[i];
  }
  return NULL;
}

static char *
sums_problem (const Sums *sums, double rounding)
{
  if (sums->difference <= MAX_RELATIVE_L2 * MAX_RELATIVE_L2 * sums->total
      || sums->difference <= rounding * rounding)
    return NULL;
  return g_strdup_printf ("relative l2 %g of %g",
      sqrt (sums->difference / sums->total), sqrt (sums->total));
}

double
check_rounding (
    const OctBackgroundParams *params, const guint8 *input, gsize stride)
{
  const OctBackgroundModeInfo *info = &oct_background_modes[params->mode];
  double sum = 0, tolerance = info->tolerance;

  if (tolerance == 0)
    return 0;
  /* The mean of random A-lines is weaker than they are by the root of their
   * number, and its rounding is not; what is fitted to an A-line has the same
   * relative error as the pattern. */
  if (info->has_pattern && info->terms > 0)
    tolerance = MAX (tolerance, 6e-8 * sqrt (params->lines));
  for (guint line = 0; line < params->lines; line++) {
    const guint8 *row = input + line * stride;
    for (guint i = 0; i < params->samples; i++) {
      double value = params->format == OCT_SAMPLE_U8 ? row[i]
                     : params->format == OCT_SAMPLE_U16
                         ? ((const guint16 *)row)[i]
                         : ((const float *)row)[i];
      sum += isfinite (value) ? value * value : 0;
      if (info->is_stored)
        sum += params->background[i] * params->background[i];
    }
  }
  return tolerance * sqrt (sum);
}

/* With the parameters before and after the update. */
static double
find_rounding (const Case *test, const guint8 *input)
{
  gsize stride = test->in.row + test->in.padding;
  double rounding = check_rounding (test->params, input, stride);

  if (test->update != NULL)
    rounding = MAX (rounding, check_rounding (test->update, input, stride));
  return rounding;
}

char *
check_compare_floats (const CheckRows *rows, Fill fill, gboolean all,
    const guint8 *expected, const guint8 *found)
{
  gboolean each_alone = fill == FILL_LOUD_LINE;
  Sums sums = { 0, 0 };

  for (guint line = 0; line < rows->rows; line++) {
    const float *a = (const float *)(expected + line * rows->stride);
    const float *b = (const float *)(found + line * rows->stride);
    char *problem;
    if (!all && check_is_lost (fill, line, rows->rows))
      continue;
    if (each_alone)
      sums = (Sums){ 0, 0 };
    problem = compare_line (a, b, line, rows->row / 4, &sums);
    if (problem == NULL && each_alone)
      problem = sums_problem (&sums, rows->rounding);
    if (problem != NULL)
      return problem;
  }
  return each_alone ? NULL : sums_problem (&sums, rows->rounding);
}

static char *
compare_image (const Case *test, const guint8 *expected, const guint8 *found)
{
  guint values = test->out.row / (test->pixel_size == 2 ? 2 : 1);
  gsize stride = test->out.row + test->out.padding;

  for (guint row = 0; row < test->out.rows; row++) {
    const guint8 *a = expected + row * stride, *b = found + row * stride;
    for (guint i = 0; i < values; i++) {
      gint x = test->pixel_size == 2 ? ((const guint16 *)a)[i] : a[i];
      gint y = test->pixel_size == 2 ? ((const guint16 *)b)[i] : b[i];
      if (ABS (x - y) > (gint)test->tolerance)
        return g_strdup_printf (
            "row %u value %u: %d instead of %d", row, i, y, x);
    }
  }
  return NULL;
}

char *
check_compare_padding (const CheckRows *rows, const guint8 *found)
{
  for (guint row = 0; row < rows->rows; row++)
    for (gsize i = rows->row; i < rows->stride; i++)
      if (found[row * rows->stride + i] != CHECK_POISON)
        return g_strdup_printf (
            "row %u: written %u behind the end", row, (guint)(i - rows->row));
  return NULL;
}

static gboolean
differ (const guint8 *a, const guint8 *b, gsize bytes, guint tolerance)
{
  for (gsize i = 0; i < bytes; i++)
    if (ABS (a[i] - b[i]) > (gint)tolerance)
      return TRUE;
  return FALSE;
}

static char *
compare (gconstpointer data, const guint8 *expected, const guint8 *found)
{
  const Case *test = data;
  Shape chroma = chroma_shape (test);
  gsize size = chroma_start (&test->out);
  CheckRows rows = { test->out.row, test->out.rows,
    test->out.row + test->out.padding, test->rounding };
  char *problem =
      test->pixel_size > 0
          ? compare_image (test, expected, found)
          : check_compare_floats (&rows, test->fill,
              test->operation == OCT_OPERATION_BACKGROUND, expected, found);

  if (problem == NULL)
    problem = check_compare_padding (&rows, found);
  if (problem == NULL && test->nv12
      && differ (expected + size, found + size, shape_bytes (&chroma),
          test->nv12_in ? test->tolerance : 0))
    problem = g_strdup ("chroma differs");
  return problem;
}

guint8 **
check_new_arrays (guint count, gsize bytes)
{
  guint8 **arrays = g_new0 (guint8 *, count + 1);

  for (guint i = 0; i < count; i++) {
    arrays[i] = g_malloc (bytes);
    memset (arrays[i], CHECK_POISON, bytes);
  }
  return arrays;
}

char *
check_compare_runs (guint bscans, gsize bytes, guint8 **expected,
    guint8 **found, guint8 **again,
    char *(*compare) (
        gconstpointer data, const guint8 *expected, const guint8 *found),
    gconstpointer data)
{
  for (guint b = 0; b < bscans; b++) {
    g_autofree char *problem = compare (data, expected[b], found[b]);
    if (problem == NULL && memcmp (found[b], again[b], bytes) != 0)
      problem = g_strdup ("two runs differ");
    if (problem != NULL)
      return g_strdup_printf ("B-scan %u: %s", b, problem);
  }
  return NULL;
}

/* NULL when both backends agree, else a sentence. */
static char *
run_case (const Check *check, Case *test)
{
  gsize in_size = in_bytes (test), out_size = out_bytes (test);
  guint8 **inputs = check_new_arrays (test->steps, in_size);
  guint8 **expected = check_new_arrays (test->steps, out_size);
  guint8 **found = check_new_arrays (test->steps, out_size);
  guint8 **again = check_new_arrays (test->steps, out_size);
  GRand *random = g_rand_new_with_seed (check->seed + check->cases);
  GError *error = NULL;
  char *problem = NULL;

  for (guint step = 0; step < test->steps; step++) {
    check_fill (test, inputs[step], random);
    if (test->nv12_in)
      fill_chroma (test, inputs[step], random);
    if (test->fill == FILL_MOVED)
      fill_moved (test, inputs[step], step, random);
    if (test->fill == FILL_REPEATS)
      fill_repeats (check, test, inputs[step], step, random);
    else if (test->fill == FILL_SWEEPS)
      fill_sweeps (test, inputs[step], step, random);
    else if (test->fill == FILL_FLOW)
      fill_flow (test, inputs[step], step, random);
    if (test->fill == FILL_LOST_COLUMNS && step % 2 == 0)
      lose_columns (test, inputs[step]);
    if (test->operation == OCT_OPERATION_BACKGROUND)
      test->rounding = MAX (test->rounding, find_rounding (test, inputs[step]));
  }
  if (run_plan (check->reference != NULL ? check->reference : check->cpu, test,
          inputs, expected, NULL, &error))
    run_cuda (check, test, inputs, found, &error);
  if (error == NULL)
    run_cuda (check, test, inputs, again, &error);
  if (error != NULL)
    problem = g_strdup (error->message);
  else
    problem = check_compare_runs (
        test->steps, out_size, expected, found, again, compare, test);
  g_clear_error (&error);
  g_rand_free (random);
  g_strfreev ((char **)inputs);
  g_strfreev ((char **)expected);
  g_strfreev ((char **)found);
  g_strfreev ((char **)again);
  return problem;
}

gboolean
check_has (const Check *check, const char *name)
{
  return check->filter == NULL || strstr (name, check->filter) != NULL;
}

void
check_report (Check *check, char *name, char *problem)
{
  check->cases++;
  check->failures += problem != NULL;
  printf ("%sok %u - %s%s%s\n", problem != NULL ? "not " : "", check->cases,
      name, problem != NULL ? ": " : "", problem != NULL ? problem : "");
  fflush (stdout);
  g_free (name);
  g_free (problem);
}

void
check_case (Check *check, Case *test)
{
  g_autofree char *name = test->name;

  if (test->steps == 0)
    test->steps = 1;
  if (check_has (check, name)
      && !(check->reduced && shape_bytes (&test->in) > 250000)
      && !(check->reference != NULL && shape_bytes (&test->in) > 20000))
    check_report (check,
        g_strdup_printf ("%s, %s", name, fill_names[test->fill]),
        run_case (check, test));
}
