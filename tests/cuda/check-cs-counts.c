/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Compressive sensing of counts in one pass with the removal of their
 * background: on the device, against the two operations one by one on the CPU.
 */
#include "check-cs.h"
#include "oct-sequence.h"

#include <math.h>
#include <string.h>

/* Relative l2 of all A-scans: that of octcs alone, see check-cs.c. */
#define TOLERANCE 1e-3

typedef struct {
  OctSampleFormat format;
  OctBackgroundMode mode;
  guint samples, lines, bscans; /* lines: of a B-scan */
  OctCsSolver solver;
  guint padding; /* samples after a row */
} CountsCase;

typedef struct {
  OctBackgroundParams background;
  OctCsParams cs;
  double *nodes, *window, *stored;
  guint32 *column;
  guint all; /* A-lines */
  gsize in_row, in_bytes, mean_bytes, out_row, out_bytes;
  guint8 *input, *expected, *result;
} Work;

static void
work_init (Work *w, const CountsCase *c)
{
  g_autofree double *axis = g_new (double, c->samples);
  gsize size = oct_sample_format_size (c->format);

  *w = (Work){ .nodes = g_new (double, c->samples),
    .window = g_new (double, c->samples),
    .stored = g_new (double, c->samples),
    .column = g_new (guint32, c->samples),
    .all = c->lines * c->bscans };
  check_cs_nodes (CS_NODES_RISING, c->samples, axis);
  w->cs.kept = check_cs_mask (c->samples, 0.4, 7, w->column);
  for (guint i = 0; i < c->samples; i++)
    w->stored[i] = (c->format == OCT_SAMPLE_U8 ? 120 : 30000) + 0.37 * (i % 50);
  for (guint i = 0; i < w->cs.kept; i++) {
    w->nodes[i] = axis[w->column[i]];
    w->window[i] = 1;
  }
  w->background = (OctBackgroundParams){ .format = c->format,
    .samples = c->samples,
    .lines = w->all,
    .bscans = c->bscans,
    .mode = c->mode,
    .background = w->stored };
  w->cs.format = OCT_SAMPLE_F32;
  w->cs.samples = w->cs.columns = c->samples;
  w->cs.lines = w->all;
  w->cs.bscans = c->bscans;
  w->cs.column = w->column;
  w->cs.nodes = w->nodes;
  w->cs.window = w->window;
  w->cs.transform = OCT_CS_NUDFT;
  w->cs.grid = oct_nufft_grid_length (c->samples, 1.25);
  w->cs.width = 6;
  w->cs.solver = c->solver;
  w->cs.iterations = 6;
  w->cs.tau = 2;
  w->cs.depth_bins = c->samples / 2;
  w->in_row = (c->samples + c->padding) * size;
  w->in_bytes = w->in_row * w->all;
  w->mean_bytes = OCT_MEAN_SIZE (c->samples, c->lines);
  w->out_row = w->cs.depth_bins * 8;
  w->out_bytes = w->out_row * w->all;
  w->input = g_malloc (w->in_bytes);
  w->expected = g_malloc (w->out_bytes);
  w->result = g_malloc (w->out_bytes);
}

static void
work_clear (Work *w)
{
  g_free (w->nodes);
  g_free (w->window);
  g_free (w->stored);
  g_free (w->column);
  g_free (w->input);
  g_free (w->expected);
  g_free (w->result);
}

/* The source, which differs from B-scan to B-scan, with fringes. */
static void
fill (Work *w, const CountsCase *c, guint32 seed)
{
  g_autofree double *axis = g_new (double, c->samples);
  g_autofree float *row = g_new (float, c->samples);
  GRand *random = g_rand_new_with_seed (seed);
  double scale = c->format == OCT_SAMPLE_U8 ? 0.1 : 10;

  check_cs_nodes (CS_NODES_RISING, c->samples, axis);
  memset (w->input, CHECK_POISON, w->in_bytes);
  for (guint line = 0; line < w->all; line++) {
    guint8 *to = w->input + line * w->in_row;
    guint bscan = line / c->lines;

    check_cs_row (axis, c->samples, FALSE, 5, random, row);
    for (guint i = 0; i < c->samples; i++) {
      double value = w->stored[i] + scale * (30. * bscan + i % 7 + row[i]);

      if (c->format == OCT_SAMPLE_U8)
        to[i] = (guint8)CLAMP (value, 0, 255);
      else
        ((guint16 *)to)[i] = (guint16)CLAMP (value, 0, 65535);
    }
  }
  g_rand_free (random);
}

/* One operation after the other. */
static gboolean
run_cpu (const Check *check, Work *w, const CountsCase *c, GError **error)
{
  const OctOperationTable *removes =
      check->cpu->operations[OCT_OPERATION_BACKGROUND];
  const OctOperationTable *solves = check->cpu->operations[OCT_OPERATION_CS];
  gsize row = c->samples * sizeof (float);
  g_autofree float *spectra = g_malloc (row * w->all);
  OctFrame in = { { { w->input, w->in_row } } };
  OctFrame between = { { { spectra, row } } };
  OctFrame out = { { { w->expected, w->out_row } } };
  OctPlan *plans[2] = { removes->create (&w->background, error),
    solves->create (&w->cs, error) };
  gboolean done = plans[0] != NULL && plans[1] != NULL
                  && removes->run (plans[0], &in, &between, NULL, error)
                  && solves->run (plans[1], &between, &out, NULL, error);

  if (plans[0] != NULL)
    removes->destroy (plans[0]);
  if (plans[1] != NULL)
    solves->destroy (plans[1]);
  return done;
}

/* In one pass; *fused: whether it was. */
static gboolean
run_pass (const Check *check, Work *w, const OctFrame *in, const OctFrame *out,
    gboolean *fused, GError **error)
{
  const OctOperationTable *solves = check->cuda->operations[OCT_OPERATION_CS];
  OctBackgroundParams found = w->background;
  OctSequence *sequence = NULL;
  OctPlan *plan = solves->create (&w->cs, error);
  OctStep *step;
  gboolean done = FALSE;
  guint failed;

  found.found =
      found.mode != OCT_BACKGROUND_STORED && found.mode != OCT_BACKGROUND_NONE;
  step = oct_step_new (OCT_OPERATION_BACKGROUND, &found, error);
  if (plan != NULL && step != NULL)
    sequence = oct_sequence_new (check->cuda, &step, 1, OCT_BSCANS (&found),
        OCT_OPERATION_CS, &failed, error);
  *fused = sequence != NULL && oct_sequence_is_fused (sequence);
  if (sequence != NULL) {
    done = oct_sequence_run (
        sequence, in, plan, out, check->stream, &failed, error);
    check_cuda (cudaStreamSynchronize (check->stream), "pass");
    oct_sequence_free (sequence);
  }
  if (step != NULL)
    oct_step_unref (step);
  if (plan != NULL)
    solves->destroy (plan);
  return done;
}

static gboolean
run_device (const Check *check, Work *w, gboolean *fused, GError **error)
{
  const OctOperationTable *finds = check->cuda->operations[OCT_OPERATION_MEAN];
  gboolean is_found = w->background.mode != OCT_BACKGROUND_STORED
                      && w->background.mode != OCT_BACKGROUND_NONE;
  gsize mean_bytes = w->mean_bytes * OCT_BSCANS (&w->background);
  gpointer in, mean, out;
  OctPlan *plan = is_found ? finds->create (&w->background, error) : NULL;
  OctFrame from, to_mean, to;
  gboolean done = plan != NULL || !is_found;

  check_cuda (cudaMalloc (&in, w->in_bytes), "memory");
  check_cuda (cudaMalloc (&mean, mean_bytes), "memory");
  check_cuda (cudaMalloc (&out, w->out_bytes), "memory");
  check_cuda (
      cudaMemcpy (in, w->input, w->in_bytes, cudaMemcpyHostToDevice), "upload");
  check_cuda (cudaMemset (out, CHECK_POISON, w->out_bytes), "poison");
  check_cuda (cudaDeviceSynchronize (), "input");
  from = (OctFrame){ { { in, w->in_row }, { mean, 0 } } };
  to_mean = (OctFrame){ { { mean, mean_bytes } } };
  to = (OctFrame){ { { out, w->out_row } } };
  if (done && is_found)
    done = finds->run (plan, &from, &to_mean, check->stream, error);
  done = done && run_pass (check, w, &from, &to, fused, error);
  check_cuda (cudaMemcpy (w->result, out, w->out_bytes, cudaMemcpyDeviceToHost),
      "download");
  if (plan != NULL)
    finds->destroy (plan);
  check_cuda (cudaFree (in), "free");
  check_cuda (cudaFree (mean), "free");
  check_cuda (cudaFree (out), "free");
  return done;
}

static double
relative_l2 (const Work *w)
{
  const float *a = (gconstpointer)w->expected, *b = (gconstpointer)w->result;
  double difference = 0, total = 0;

  for (gsize i = 0; i < w->out_bytes / 4; i++) {
    difference += pow ((double)a[i] - b[i], 2);
    total += (double)a[i] * a[i];
  }
  return sqrt (difference / total);
}

static void
check_counts (Check *check, const CountsCase *c)
{
  const OctBackgroundModeInfo *info = &oct_background_modes[c->mode];
  gboolean fused = FALSE, expects_pass = info->terms == 0 && !info->is_apart;
  Work work;
  GError *error = NULL;
  char *problem = NULL;
  double distance = NAN;
  g_autofree char *name = g_strdup_printf (
      "cs of counts %s %s %u bytes %u x %u x %u", oct_cs_limits[c->solver].name,
      info->nick, (guint)oct_sample_format_size (c->format), c->samples,
      c->lines, c->bscans);

  if (!check_has (check, name) || (check->reduced && c->samples > 600))
    return;
  work_init (&work, c);
  fill (&work, c, check->seed);
  if (run_cpu (check, &work, c, &error)
      && run_device (check, &work, &fused, &error))
    distance = relative_l2 (&work);
  if (error != NULL)
    problem = g_strdup (error->message);
  else if (fused != expects_pass)
    problem = g_strdup (fused ? "in one pass" : "one by one");
  else if (!(distance <= TOLERANCE))
    problem = g_strdup ("too far");
  check_report (
      check, g_strdup_printf ("%s: relative l2 %.2g", name, distance), problem);
  g_clear_error (&error);
  work_clear (&work);
}

void
check_cs_counts (Check *check)
{
  static const OctBackgroundMode modes[] = { OCT_BACKGROUND_BSCAN,
    OCT_BACKGROUND_MEDIAN, OCT_BACKGROUND_STORED, OCT_BACKGROUND_NONE,
    OCT_BACKGROUND_A_LINE };
  static const OctCsSolver solvers[] = { OCT_CS_PERSISTENT, OCT_CS_SPARSA,
    OCT_CS_CONTINUED };

  for (guint k = 0; k < G_N_ELEMENTS (modes) * 12; k++) {
    CountsCase one = { .mode = modes[k / 12],
      .format = k % 2 ? OCT_SAMPLE_U8 : OCT_SAMPLE_U16,
      .solver = solvers[k / 2 % 3],
      .samples = k / 6 % 2 ? 512 : 500,
      .lines = k / 6 % 2 ? 6 : 5,
      .bscans = k / 6 % 2 ? 1 : 3,
      .padding = k % 4 };

    check_counts (check, &one);
    /* too long for the chip */
    one.samples = 9000;
    one.lines = 3;
    if (k % 5 == 0)
      check_counts (check, &one);
  }
}
