/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Runs a sequence on the GPU and the operations of the CPU, and compares.
 *
 * As in check-case.c all B-scans are queued before the first result is fetched.
 * The mean of all of them is found into the same memory.
 */
#include "fused-case.h"

#include "oct-nufft.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Properties of an image. */
static const struct {
  const char *name;
  guint pixel_size;
  /* levels that one value may be off, and those of which there may be a few */
  guint most, many;
  guint full;
} formats[] = {
  [OCT_IMAGE_GRAY8] = { "gray8", 1, 1, 0, 255 },
  [OCT_IMAGE_GRAY16] = { "gray16", 2, 64, 8, 65535 },
  [OCT_IMAGE_NV12] = { "nv12", 1, 1, 0, 255 },
  [OCT_IMAGE_RGBA] = { "rgba", 4, 1, 0, 255 },
};

/* ------------------------------------------------------------------ steps */

static void
add_step (FusedSteps *steps, OctOperation operation, gconstpointer params)
{
  GError *error = NULL;
  OctStep *step = oct_step_new (operation, params, &error);

  if (step == NULL) {
    printf ("Bail out! %s\n", error->message);
    exit (1);
  }
  steps->steps[steps->n++] = step;
}

static void
fill_tables (FusedSteps *steps, const FusedCase *test)
{
  guint samples = test->samples;

  steps->stored = g_new (double, samples);
  steps->positions = g_new (double, samples);
  steps->phase = g_new (double, samples);
  steps->window = g_new (double, samples);
  for (guint i = 0; i < samples; i++) {
    double x = i / (samples - 1.0);

    steps->stored[i] = test->format == OCT_SAMPLE_F32 ? 0.3 * sin (0.01 * i)
                                                      : 100.1 + 0.037 * i;
    /* beyond both ends, and some whole numbers */
    steps->positions[i] = -1 + (samples + 1) * x * (1.1 - 0.1 * x);
    if (i % 17 == 0)
      steps->positions[i] = floor (steps->positions[i]);
    steps->phase[i] = 120 * (x - 0.5) * (x - 0.5) + 7 * x;
  }
  steps->nodes = g_new (double, samples);
  if (test->oversampling > 0) {
    g_autoptr (GRand) random = g_rand_new_with_seed (samples);

    nodes_fill (test->nodes, samples, random, steps->nodes);
    /* steps of any size may add up to more than one period */
    if (test->nodes == NODES_RANDOM) {
      double factor = (samples - 1) / steps->nodes[samples - 1];

      for (guint i = 0; i < samples; i++)
        steps->nodes[i] *= factor;
    }
  }
  oct_window_fill (test->window, samples, NULL, steps->window);
}

gboolean
fused_case_finds (const FusedCase *test)
{
  return test->remove != REMOVE_ABSENT
         && oct_background_modes[test->remove].is_found;
}

gboolean
fused_case_takes_source (const FusedCase *test)
{
  return fused_case_finds (test) && test->remove != OCT_BACKGROUND_A_LINE
         && !oct_background_modes[test->remove].is_stored;
}

void
fused_steps_init (FusedSteps *steps, const FusedCase *test, guint bscans)
{
  guint samples = test->samples, lines = test->lines * bscans;
  guint length = test->length > 0 ? test->length : samples;
  guint bins = test->depth_bins > 0 ? test->depth_bins : length / 2;

  memset (steps, 0, sizeof (*steps));
  fill_tables (steps, test);
  steps->background = (OctBackgroundParams){ .format = test->format,
    .samples = samples,
    .lines = lines,
    .bscans = bscans,
    .mode = test->remove == REMOVE_ABSENT ? OCT_BACKGROUND_NONE : test->remove,
    .running_weight = 0.3,
    .background = steps->stored };
  steps->resample = (OctResampleParams){ samples, lines,
    test->method == RESAMPLE_ABSENT ? 0 : test->method, MAX (test->upsample, 1),
    steps->positions };
  steps->dispersion = (OctDispersionParams){ samples, lines, steps->phase };
  steps->fft =
      (OctFftParams){ test->dispersion ? OCT_SAMPLE_CF32 : OCT_SAMPLE_F32,
        samples, lines, length, test->depth_start, bins, steps->window };
  steps->nufft = (OctNufftParams){ .format = steps->fft.format,
    .samples = samples,
    .lines = lines,
    .depth_start = (gint)test->depth_start,
    .depth_bins = bins,
    .grid = oct_nufft_grid_length (samples, MAX (test->oversampling, 1)),
    .width = test->width,
    .nodes = steps->nodes,
    .window = steps->window };
  steps->logscale = test->logscale;
  steps->logscale.depth_bins = bins;
  steps->logscale.lines = lines;
  steps->logscale.bscans = bscans;
  if (test->remove != REMOVE_ABSENT) {
    OctBackgroundParams background = steps->background;
    background.found = fused_case_finds (test);
    add_step (steps, OCT_OPERATION_BACKGROUND, &background);
  }
  if (test->method != RESAMPLE_ABSENT)
    add_step (steps, OCT_OPERATION_RESAMPLE, &steps->resample);
  if (test->dispersion)
    add_step (steps, OCT_OPERATION_DISPERSION, &steps->dispersion);
  if (test->oversampling > 0)
    add_step (steps, OCT_OPERATION_NUFFT, &steps->nufft);
  else
    add_step (steps, OCT_OPERATION_FFT, &steps->fft);
}

void
fused_steps_clear (FusedSteps *steps)
{
  for (guint i = 0; i < steps->n; i++)
    oct_step_unref (steps->steps[i]);
  g_free (steps->stored);
  g_free (steps->positions);
  g_free (steps->phase);
  g_free (steps->window);
  g_free (steps->nodes);
}

/* ----------------------------------------------------------------- shapes */

/* Where everything is in memory. */
typedef struct {
  gsize in_size, in_row, in_offset, in_bytes;
  gsize out_row, out_stride, out_rows, chroma_row, chroma_stride, chroma_rows;
  gsize out_bytes;
} Sizes;

static Sizes
find_sizes (const FusedCase *test, const FusedSteps *steps)
{
  Sizes s = { .in_size = oct_sample_format_size (test->format) };
  guint bins = steps->fft.depth_bins, lines = test->lines;
  gsize pixel = formats[test->logscale.format].pixel_size;

  s.in_row = (test->samples + test->padding) * s.in_size;
  s.in_offset = test->offset * s.in_size;
  s.in_bytes = s.in_offset + s.in_row * lines;
  if (test->image) {
    s.out_row = pixel * lines;
    s.out_stride = s.out_row + lines % 3 * pixel;
    s.out_rows = bins;
    if (test->logscale.format == OCT_IMAGE_NV12) {
      s.chroma_row = (lines + 1) / 2 * 2;
      s.chroma_stride = s.chroma_row + 6;
      s.chroma_rows = (bins + 1) / 2;
    }
  } else {
    s.out_row = 8 * bins;
    s.out_stride = s.out_row + bins % 2 * 8;
    s.out_rows = lines;
  }
  s.out_bytes = s.out_stride * s.out_rows + s.chroma_stride * s.chroma_rows;
  return s;
}

static OctFrame
out_frame (const Sizes *s, gpointer data)
{
  return (OctFrame){ { { data, s->out_stride },
      { (guint8 *)data + s->out_stride * s->out_rows, s->chroma_stride } } };
}

static OctFrame
in_frame (const Sizes *s, gpointer data, gpointer mean)
{
  return (OctFrame){ { { (guint8 *)data + s->in_offset, s->in_row },
      { mean, 0 } } };
}

static OctLogscaleParams
updated (const FusedCase *test, const FusedSteps *steps, guint bscan)
{
  OctLogscaleParams params =
      bscan >= 2 && test->update != NULL ? *test->update : steps->logscale;

  params.depth_bins = steps->logscale.depth_bins;
  params.lines = steps->logscale.lines;
  params.format = steps->logscale.format;
  return params;
}

/* New parameters and the end of the history, where it is time for them. */
static void
prepare_logscale (const OctBackend *backend, OctPlan *plan,
    const FusedCase *test, const FusedSteps *steps, guint bscan)
{
  const OctOperationTable *table = backend->operations[OCT_OPERATION_LOGSCALE];
  OctLogscaleParams params = updated (test, steps, bscan);

  if (plan == NULL)
    return;
  if (bscan == 2 && test->update != NULL)
    g_assert_true (table->update (plan, &params));
  if (test->reset && bscan > 0 && bscan == test->bscans - 1)
    table->reset (plan);
}

static OctPlan *
new_plan (
    const OctBackend *backend, OctOperation operation, gconstpointer params)
{
  GError *error = NULL;
  OctPlan *plan = backend->operations[operation]->create (params, &error);

  if (plan == NULL) {
    printf ("Bail out! %s\n", error->message);
    exit (1);
  }
  return plan;
}

static void
run_plan (const OctBackend *backend, OctOperation operation, OctPlan *plan,
    const OctFrame *in, const OctFrame *out, gpointer stream)
{
  GError *error = NULL;

  if (backend->operations[operation]->run (plan, in, out, stream, &error))
    return;
  printf ("Bail out! %s\n", error->message);
  exit (1);
}

/* Errors of two A-scans in single precision, 1e-6 of its root mean square each.
 */
#define ROUNDING 2e-6

/* Black of the automatic range is the weakest value of all.  By how many levels
 * the image moves when that one has the rounding error of the others, and that
 * of the removed background: `left` are the A-scans from which nothing was
 * removed, or NULL.  A source that is fitted in single precision leaves as much
 * of itself as its mode says, and all of that at its own depth, near 0: there
 * it is more than the rounding of an A-scan. */
static double
count_moved (const FusedCase *test, const FusedSteps *steps,
    const float *ascans, const float *left)
{
  gsize count = (gsize)steps->fft.depth_bins * test->lines, weakest = 0;
  double lowest = INFINITY, highest = 0, sum = 0, error, octaves;

  for (gsize i = 0; i < count; i++) {
    double re = ascans[2 * i], im = ascans[2 * i + 1],
           power = re * re + im * im;

    if (!(power < INFINITY))
      continue;
    if (power < lowest)
      weakest = i;
    lowest = MIN (lowest, MAX (power, 1e-20));
    highest = MAX (highest, power);
    sum += power;
  }
  if (!(highest > lowest))
    return 0;
  error = ROUNDING * sqrt (sum / (double)count);
  if (left != NULL)
    error += 2 * oct_background_modes[test->remove].tolerance
             * hypot (left[2 * weakest] - ascans[2 * weakest],
                 left[2 * weakest + 1] - ascans[2 * weakest + 1]);
  octaves = log2 (highest / lowest);
  return formats[test->logscale.format].full / octaves
         * log2 (1 + 2 * error / sqrt (lowest));
}

static gboolean
has_auto (const FusedCase *test)
{
  return test->image
         && (test->logscale.range == OCT_RANGE_AUTO
             || (test->update != NULL
                 && test->update->range == OCT_RANGE_AUTO));
}

/* -------------------------------------------------------------------- CPU */

/* The operations one by one, each of a plan of its own, and what is between
 * them. */
typedef struct {
  OctPlan *plans[OCT_N_OPERATIONS];
  OctPlan *keep; /* OCT_BACKGROUND_NONE */
  float *spectra, *complex_spectra, *ascans, *left;
} Host;

static void
open_host (Host *h, const OctBackend *cpu, const FusedCase *test,
    const FusedSteps *steps)
{
  gsize values = (gsize)test->samples * test->lines;
  gsize bins = (gsize)steps->fft.depth_bins * test->lines;
  OctBackgroundParams none = steps->background;

  *h = (Host){ .spectra = g_new (float, values),
    .complex_spectra = g_new (float, 2 * values),
    .ascans = g_new (float, 2 * bins) };
  h->plans[OCT_OPERATION_BACKGROUND] =
      new_plan (cpu, OCT_OPERATION_BACKGROUND, &steps->background);
  h->plans[OCT_OPERATION_RESAMPLE] =
      new_plan (cpu, OCT_OPERATION_RESAMPLE, &steps->resample);
  h->plans[OCT_OPERATION_DISPERSION] =
      new_plan (cpu, OCT_OPERATION_DISPERSION, &steps->dispersion);
  if (test->oversampling > 0)
    h->plans[OCT_OPERATION_NUFFT] =
        new_plan (cpu, OCT_OPERATION_NUFFT, &steps->nufft);
  else
    h->plans[OCT_OPERATION_FFT] =
        new_plan (cpu, OCT_OPERATION_FFT, &steps->fft);
  if (test->image)
    h->plans[OCT_OPERATION_LOGSCALE] =
        new_plan (cpu, OCT_OPERATION_LOGSCALE, &steps->logscale);
  if (has_auto (test) && test->remove != REMOVE_ABSENT
      && oct_background_modes[test->remove].tolerance > 0) {
    none.mode = OCT_BACKGROUND_NONE;
    h->keep = new_plan (cpu, OCT_OPERATION_BACKGROUND, &none);
    h->left = g_new (float, 2 * bins);
  }
}

static void
close_host (Host *h, const OctBackend *cpu)
{
  for (guint i = 0; i < OCT_N_OPERATIONS; i++)
    if (h->plans[i] != NULL)
      cpu->operations[i]->destroy (h->plans[i]);
  if (h->keep != NULL)
    cpu->operations[OCT_OPERATION_BACKGROUND]->destroy (h->keep);
  g_free (h->spectra);
  g_free (h->complex_spectra);
  g_free (h->ascans);
  g_free (h->left);
}

/* A-scans of one B-scan, of which `remove` has removed the background. */
static void
transform_cpu (const Host *h, const OctBackend *cpu, const FusedCase *test,
    OctPlan *remove, const OctFrame *in, const OctFrame *out)
{
  OctFrame real = { { { h->spectra, 4 * test->samples } } };
  OctFrame turned = { { { h->complex_spectra, 8 * test->samples } } };
  OctOperation last =
      test->oversampling > 0 ? OCT_OPERATION_NUFFT : OCT_OPERATION_FFT;

  run_plan (cpu, OCT_OPERATION_BACKGROUND, remove, in, &real, NULL);
  if (test->method != RESAMPLE_ABSENT)
    run_plan (cpu, OCT_OPERATION_RESAMPLE, h->plans[OCT_OPERATION_RESAMPLE],
        &real, &real, NULL);
  if (test->dispersion)
    run_plan (cpu, OCT_OPERATION_DISPERSION, h->plans[OCT_OPERATION_DISPERSION],
        &real, &turned, NULL);
  run_plan (
      cpu, last, h->plans[last], test->dispersion ? &turned : &real, out, NULL);
}

/* Returns: see count_moved(), the most of all. */
static double
run_cpu (const OctBackend *cpu, const FusedCase *test, const FusedSteps *steps,
    const Sizes *s, guint8 **inputs, guint8 **outputs)
{
  double moved = 0;
  gsize row = 8 * (gsize)steps->fft.depth_bins;
  Host h;

  open_host (&h, cpu, test, steps);
  for (guint b = 0; b < test->bscans; b++) {
    OctFrame in = in_frame (s, inputs[b], NULL);
    OctFrame out = out_frame (s, outputs[b]);
    OctFrame depth = { { { h.ascans, row } } };
    OctFrame left = { { { h.left, row } } };

    transform_cpu (&h, cpu, test, h.plans[OCT_OPERATION_BACKGROUND], &in,
        test->image ? &depth : &out);
    if (!test->image)
      continue;
    prepare_logscale (cpu, h.plans[OCT_OPERATION_LOGSCALE], test, steps, b);
    if (h.keep != NULL)
      transform_cpu (&h, cpu, test, h.keep, &in, &left);
    if (has_auto (test))
      moved = MAX (moved, count_moved (test, steps, h.ascans, h.left));
    run_plan (cpu, OCT_OPERATION_LOGSCALE, h.plans[OCT_OPERATION_LOGSCALE],
        &depth, &out, NULL);
  }
  close_host (&h, cpu);
  return moved;
}

/* -------------------------------------------------------------------- GPU */

/* On the device. */
typedef struct {
  OctSequence *fused, *separate;
  OctPlan *mean, *logscale;
  gpointer found;
  gpointer in[MAX_STEPS], out[MAX_STEPS];
} Device;

static OctSequence *
new_sequence (const Check *check, const FusedCase *test,
    const FusedSteps *steps, gboolean fuse, GError **error)
{
  OctOperation last = test->image ? OCT_OPERATION_LOGSCALE : OCT_N_OPERATIONS;
  OctSequence *sequence;
  guint failed;

  if (!fuse)
    g_setenv ("OCT_FUSE", "0", TRUE);
  sequence = oct_sequence_new (
      check->cuda, steps->steps, steps->n, 1, last, &failed, error);
  g_unsetenv ("OCT_FUSE");
  return sequence;
}

static void
open_device (const Check *check, const FusedCase *test, const FusedSteps *steps,
    const Sizes *s, guint8 **inputs, Device *d, GError **error)
{
  memset (d, 0, sizeof (*d));
  d->fused = new_sequence (check, test, steps, TRUE, error);
  if (test->in_turn)
    d->separate = new_sequence (check, test, steps, FALSE, error);
  d->mean = new_plan (check->cuda, OCT_OPERATION_MEAN, &steps->background);
  if (test->image)
    d->logscale =
        new_plan (check->cuda, OCT_OPERATION_LOGSCALE, &steps->logscale);
  check_cuda (
      cudaMalloc (&d->found, OCT_MEAN_SIZE (test->samples, test->lines)),
      "memory");
  for (guint b = 0; b < test->bscans; b++) {
    check_cuda (cudaMalloc (&d->in[b], s->in_bytes), "memory");
    check_cuda (
        cudaMemcpy (d->in[b], inputs[b], s->in_bytes, cudaMemcpyHostToDevice),
        "upload");
    check_cuda (cudaMalloc (&d->out[b], s->out_bytes), "memory");
    check_cuda (cudaMemset (d->out[b], CHECK_POISON, s->out_bytes), "poison");
  }
  check_cuda (cudaMemset (d->found, CHECK_POISON,
                  OCT_MEAN_SIZE (test->samples, test->lines)),
      "poison");
  check_cuda (cudaDeviceSynchronize (), "inputs");
}

static void
close_device (const Check *check, const FusedCase *test, Device *d)
{
  const OctBackend *cuda = check->cuda;

  g_clear_pointer (&d->fused, oct_sequence_free);
  g_clear_pointer (&d->separate, oct_sequence_free);
  cuda->operations[OCT_OPERATION_MEAN]->destroy (d->mean);
  if (d->logscale != NULL)
    cuda->operations[OCT_OPERATION_LOGSCALE]->destroy (d->logscale);
  check_cuda (cudaFree (d->found), "free");
  for (guint b = 0; b < test->bscans; b++) {
    check_cuda (cudaFree (d->in[b]), "free");
    check_cuda (cudaFree (d->out[b]), "free");
  }
}

static void
run_cuda (const Check *check, const FusedCase *test, const FusedSteps *steps,
    const Sizes *s, guint8 **inputs, guint8 **outputs, GError **error)
{
  gboolean done = TRUE;
  Device d;
  guint failed;

  open_device (check, test, steps, s, inputs, &d, error);
  if (*error == NULL
      && (d.fused == NULL || oct_sequence_is_fused (d.fused) == test->separate))
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS, "%s",
        test->separate ? "there is a pass" : "there is no pass");
  for (guint b = 0; b < test->bscans && done && *error == NULL; b++) {
    OctFrame in = in_frame (s, d.in[b], d.found);
    OctFrame out = out_frame (s, d.out[b]);
    OctFrame to_mean = {
      { { d.found, OCT_MEAN_SIZE (test->samples, test->lines) } }
    };

    if (fused_case_finds (test))
      run_plan (check->cuda, OCT_OPERATION_MEAN, d.mean, &in, &to_mean,
          check->stream);
    prepare_logscale (check->cuda, d.logscale, test, steps, b);
    done = oct_sequence_run (test->in_turn && b % 2 ? d.separate : d.fused, &in,
        d.logscale, &out, check->stream, &failed, error);
  }
  check_cuda (cudaStreamSynchronize (check->stream), "run");
  for (guint b = 0; b < test->bscans && done && *error == NULL; b++)
    check_cuda (
        cudaMemcpy (outputs[b], d.out[b], s->out_bytes, cudaMemcpyDeviceToHost),
        "download");
  close_device (check, test, &d);
}

/* The plans for all B-scans in a frame. */
typedef struct {
  OctSequence *sequence;
  OctPlan *mean, *logscale;
} Together;

/* `n` of the B-scans of a frame, from `first` on. */
static void
run_some (const Check *check, const FusedCase *test, const Together *t,
    const OctFrame *all, const OctFrame *out, guint first, guint n,
    GError **error)
{
  gsize mean_size = OCT_MEAN_SIZE (test->samples, test->lines);
  OctFrame in = oct_frame_get_bscan (all, first, test->lines, mean_size);
  OctFrame to_mean = { { { in.planes[1].data, mean_size } } };
  guint failed;

  in.lines = n < test->bscans ? n * test->lines : 0;
  if (fused_case_finds (test))
    run_plan (
        check->cuda, OCT_OPERATION_MEAN, t->mean, &in, &to_mean, check->stream);
  oct_sequence_run (t->sequence, &in, t->logscale, out + first, check->stream,
      &failed, error);
}

/* Frames of one, one and the others, after one of all that leaves no trace. */
static void
run_parts (const Check *check, const FusedCase *test, const Together *t,
    const OctFrame *all, const OctFrame *out, GError **error)
{
  guint first = 0, n;

  run_some (check, test, t, all, out, 0, test->bscans, error);
  check->cuda->operations[OCT_OPERATION_MEAN]->reset (t->mean);
  if (t->logscale != NULL)
    check->cuda->operations[OCT_OPERATION_LOGSCALE]->reset (t->logscale);
  for (guint part = 0; first < test->bscans && *error == NULL; part++) {
    n = part < 2 ? 1 : test->bscans - first;
    run_some (check, test, t, all, out, first, n, error);
    first += n;
  }
}

/* All B-scans in one frame, of which the images are apart. */
static void
run_together (const Check *check, const FusedCase *test, const Sizes *s,
    guint8 **inputs, guint8 **outputs, GError **error)
{
  OctOperation last = test->image ? OCT_OPERATION_LOGSCALE : OCT_N_OPERATIONS;
  gsize rows = s->in_row * test->lines,
        all = s->in_offset + test->bscans * rows;
  gsize mean_size = test->bscans * OCT_MEAN_SIZE (test->samples, test->lines);
  OctFrame in, out[MAX_STEPS];
  guint8 *in_memory, *out_memory;
  Together t = { 0 };
  FusedSteps steps;
  gpointer found;
  guint failed;

  fused_steps_init (&steps, test, test->bscans);
  t.sequence = oct_sequence_new (
      check->cuda, steps.steps, steps.n, test->bscans, last, &failed, error);
  t.mean = new_plan (check->cuda, OCT_OPERATION_MEAN, &steps.background);
  if (test->image)
    t.logscale = new_plan (check->cuda, last, &steps.logscale);
  check_cuda (cudaMalloc (&found, mean_size), "memory");
  check_cuda (cudaMemset (found, CHECK_POISON, mean_size), "poison");
  check_cuda (cudaMalloc ((void **)&in_memory, all), "memory");
  check_cuda (
      cudaMalloc ((void **)&out_memory, test->bscans * s->out_bytes), "memory");
  check_cuda (
      cudaMemset (out_memory, CHECK_POISON, test->bscans * s->out_bytes),
      "poison");
  for (guint b = 0; b < test->bscans; b++) {
    check_cuda (cudaMemcpy (in_memory + s->in_offset + b * rows,
                    inputs[b] + s->in_offset, rows, cudaMemcpyHostToDevice),
        "upload");
    out[b] = out_frame (s, out_memory + b * s->out_bytes);
  }
  in = in_frame (s, in_memory, found);
  if (t.sequence != NULL
      && oct_sequence_is_fused (t.sequence) == test->separate)
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS, "%s",
        test->separate ? "there is a pass" : "there is no pass");
  if (*error == NULL && test->in_parts)
    run_parts (check, test, &t, &in, out, error);
  else if (*error == NULL)
    run_some (check, test, &t, &in, out, 0, test->bscans, error);
  check_cuda (cudaStreamSynchronize (check->stream), "run");
  for (guint b = 0; b < test->bscans && *error == NULL; b++)
    check_cuda (cudaMemcpy (outputs[b], out_memory + b * s->out_bytes,
                    s->out_bytes, cudaMemcpyDeviceToHost),
        "download");
  g_clear_pointer (&t.sequence, oct_sequence_free);
  check->cuda->operations[OCT_OPERATION_MEAN]->destroy (t.mean);
  if (t.logscale != NULL)
    check->cuda->operations[last]->destroy (t.logscale);
  check_cuda (cudaFree (found), "free");
  check_cuda (cudaFree (in_memory), "free");
  check_cuda (cudaFree (out_memory), "free");
  fused_steps_clear (&steps);
}

/* ---------------------------------------------------------------- compare */

static char *
compare_image (const FusedCase *test, double moved, const Sizes *s,
    const guint8 *expected, const guint8 *found)
{
  guint size = formats[test->logscale.format].pixel_size == 2 ? 2 : 1;
  guint most = formats[test->logscale.format].most + (guint)moved;
  guint many = formats[test->logscale.format].many + (guint)moved;
  gsize values = s->out_row / size, differ = 0, allowed;

  for (gsize row = 0; row < s->out_rows; row++) {
    const guint8 *a = expected + row * s->out_stride;
    const guint8 *b = found + row * s->out_stride;

    for (gsize i = 0; i < values; i++) {
      gint x = size == 2 ? ((const guint16 *)a)[i] : a[i];
      gint y = size == 2 ? ((const guint16 *)b)[i] : b[i];

      if (ABS (x - y) > (gint)most)
        return g_strdup_printf ("row %" G_GSIZE_FORMAT " value %" G_GSIZE_FORMAT
                                ": %d instead of %d",
            row, i, y, x);
      differ += ABS (x - y) > (gint)many;
    }
  }
  /* so many are rounded to the next level */
  allowed =
      (gsize)((double)(values * s->out_rows) * (0.001 + moved - floor (moved)));
  if (differ <= MAX (allowed, 3))
    return NULL;
  return g_strdup_printf ("%" G_GSIZE_FORMAT " of %" G_GSIZE_FORMAT
                          " values differ",
      differ, values * s->out_rows);
}

/* The data for one comparison. */
typedef struct {
  const FusedCase *test;
  Sizes sizes;
  double moved;
} Comparison;

static char *
compare (gconstpointer data, const guint8 *expected, const guint8 *found)
{
  const Comparison *comparison = data;
  const FusedCase *test = comparison->test;
  const Sizes *s = &comparison->sizes;
  CheckRows rows = { (guint)s->out_row, (guint)s->out_rows, s->out_stride };
  gsize size = s->out_stride * s->out_rows;
  char *problem =
      test->image
          ? compare_image (test, comparison->moved, s, expected, found)
          : check_compare_floats (&rows, test->fill, FALSE, expected, found);

  if (problem == NULL)
    problem = check_compare_padding (&rows, found);
  if (problem == NULL
      && memcmp (expected + size, found + size, s->out_bytes - size) != 0)
    problem = g_strdup ("chroma differs");
  return problem;
}

static char *
run_case (const Check *check, const FusedCase *test)
{
  FusedSteps steps;
  GRand *random = g_rand_new_with_seed (check->seed + check->cases);
  guint8 **inputs, **expected, **found, **again;
  GError *error = NULL;
  char *problem = NULL;
  Comparison comparison = { .test = test };
  Sizes s;

  fused_steps_init (&steps, test, 1);
  comparison.sizes = s = find_sizes (test, &steps);
  inputs = check_new_arrays (test->bscans, s.in_bytes);
  expected = check_new_arrays (test->bscans, s.out_bytes);
  found = check_new_arrays (test->bscans, s.out_bytes);
  again = check_new_arrays (test->bscans, s.out_bytes);
  for (guint b = 0; b < test->bscans; b++) {
    Case rows = { .in = { (guint)(test->samples * s.in_size), test->lines,
                      (guint)(test->padding * s.in_size) },
      .in_format = test->format,
      .fill = test->fill };
    check_fill (&rows, inputs[b] + s.in_offset, random);
  }
  comparison.moved = run_cpu (check->cpu, test, &steps, &s, inputs, expected);
  for (guint run = 0; run < 2 && error == NULL; run++) {
    guint8 **to = run == 0 ? found : again;

    if (test->together)
      run_together (check, test, &s, inputs, to, &error);
    else
      run_cuda (check, test, &steps, &s, inputs, to, &error);
  }
  if (error != NULL)
    problem = g_strdup (error->message);
  else
    problem = check_compare_runs (test->bscans, s.out_bytes, expected, found,
        again, compare, &comparison);
  g_clear_error (&error);
  g_rand_free (random);
  g_strfreev ((char **)inputs);
  g_strfreev ((char **)expected);
  g_strfreev ((char **)found);
  g_strfreev ((char **)again);
  fused_steps_clear (&steps);
  return problem;
}

static char *
case_name (const FusedCase *test, const char *what)
{
  static const char *const methods[] = { "cubic", "linear", "lanczos",
    "uniform" };
  static const char *const ranges[] = { "auto", "manual", "contrast" };
  const OctLogscaleParams *p = &test->logscale;
  g_autofree char *image = g_strdup_printf ("%s %s %s smoothing %g",
      formats[p->format].name, p->scale == OCT_SCALE_LOG ? "log" : "linear",
      ranges[p->range], p->range_smoothing);
  g_autofree char *method =
      test->oversampling > 0 ? g_strdup_printf ("nufft %g, %u, %s,",
          test->oversampling, test->width, nodes_names[test->nodes])
                             : g_strdup (methods[test->method]);

  return g_strdup_printf (
      "fused %u bytes %s %s%s %ux%u to %s, bins %u from %u, padding %u "
      "offset %u%s%s%s, %s",
      (guint)oct_sample_format_size (test->format),
      test->remove == REMOVE_ABSENT ? "absent"
                                    : oct_background_modes[test->remove].nick,
      method, test->dispersion ? " compensated" : "", test->samples,
      test->lines, test->image ? image : "A-scans", test->depth_bins,
      test->depth_start, test->padding, test->offset, what[0] != 0 ? " " : "",
      what, test->together ? ", together" : "", fill_names[test->fill]);
}

void
fused_case (Check *check, const FusedCase *test, const char *what)
{
  FusedCase copy = *test;
  char *name;

  /* no part of a sequence */
  if (test->remove == OCT_BACKGROUND_HIGH_PASS)
    return;
  name = case_name (test, what);
  if (copy.bscans == 0)
    copy.bscans = 1;
  if (check_has (check, name))
    check_report (check, name, run_case (check, &copy));
  else
    g_free (name);
}
