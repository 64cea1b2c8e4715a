/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Speed of the operations of a backend, one after the other over whole
 * B-scans, as the elements of a pipeline run them; and, where it is built in,
 * of FFTW alone on the same machine in the same run.
 *
 *   bench-operations --samples 2048 --lines 1000 --json result.json
 *
 * With --fused, in turn with the chain, the same as a sequence of steps, as
 * elements run it that hand steps on (oct-sequence.h).
 */
#include "bench-fftw.h"
#include "oct-cs.h"
#include "oct-mask.h"
#include "oct-nufft.h"
#include "oct-sequence.h"
#include "oct-window.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static gint samples = 2048, lines = 1000, threads = 0, repetitions = 50;
static gint buffers = 3;
static gboolean no_dispersion = FALSE, contrast = FALSE, fused = FALSE;
static char *method = NULL, *backend_name = NULL, *json_path = NULL;
static char *background_text = NULL, *upsample_text = NULL, *transform = NULL;
static double oversampling = 1.25;
static gint width = 6, iterations;
static char *solver_text;
static double sampling_rate = 0.4, noise = 0;

static GOptionEntry options[] = {
  { "samples", 0, 0, G_OPTION_ARG_INT, &samples, "Samples of an A-line", "N" },
  { "lines", 0, 0, G_OPTION_ARG_INT, &lines, "A-lines of a B-scan", "N" },
  { "threads", 0, 0, G_OPTION_ARG_INT, &threads, "0 = one per core", "N" },
  { "background", 0, 0, G_OPTION_ARG_STRING, &background_text,
      "Background: bscan, median, fixed-pattern, ... as `mode` of octdcsub",
      "NAME" },
  { "method", 0, 0, G_OPTION_ARG_STRING, &method,
      "Resampling: cubic, linear, lanczos", "NAME" },
  { "upsample", 0, 0, G_OPTION_ARG_STRING, &upsample_text,
      "Upsampling before: 1, 2", "N" },
  { "transform", 0, 0, G_OPTION_ARG_STRING, &transform,
      "fft (after the resampling), nufft or nudft; fft-cs, nufft-cs, nudft-cs",
      "NAME" },
  { "sampling-rate", 0, 0, G_OPTION_ARG_DOUBLE, &sampling_rate,
      "Part of the samples that compressive sensing takes", "R" },
  { "solver", 0, 0, G_OPTION_ARG_STRING, &solver_text,
      "Of compressive sensing: persistent (default), continued, sparsa",
      "NAME" },
  { "iterations", 0, 0, G_OPTION_ARG_INT, &iterations,
      "Steps of compressive sensing", "N" },
  { "noise", 0, 0, G_OPTION_ARG_DOUBLE, &noise,
      "Counts, for compressive sensing (0 = estimated)", "X" },
  { "oversampling", 0, 0, G_OPTION_ARG_DOUBLE, &oversampling,
      "Cells of the NUFFT's grid per sample", "R" },
  { "kernel-width", 0, 0, G_OPTION_ARG_INT, &width,
      "Width of the NUFFT's kernel in cells", "W" },
  { "no-dispersion", 0, 0, G_OPTION_ARG_NONE, &no_dispersion,
      "Real spectra, without the dispersion operation", NULL },
  { "contrast", 0, 0, G_OPTION_ARG_NONE, &contrast,
      "range=contrast instead of auto", NULL },
  { "fused", 0, 0, G_OPTION_ARG_NONE, &fused,
      "The chain also in one pass, in turn with one by one", NULL },
  { "repetitions", 0, 0, G_OPTION_ARG_INT, &repetitions, "B-scans timed", "N" },
  { "buffers", 0, 0, G_OPTION_ARG_INT, &buffers,
      "Buffers of every kind, used in turn", "N" },
  { "backend", 0, 0, G_OPTION_ARG_STRING, &backend_name, "cpu", "NAME" },
  { "json", 0, 0, G_OPTION_ARG_FILENAME, &json_path,
      "Write the results to FILE too", "FILE" },
  { NULL },
};

/* One operation of the chain, or FFTW alone. */
typedef struct {
  const char *name;
  const OctOperationTable *table;
  OctPlan *plan;
  gsize out_row; /* bytes */
  guint out_rows;
  gdouble bytes;    /* read and written for one B-scan, at least */
  guint8 **outputs; /* [buffers], or the inputs again when in place */
  GArray *seconds;  /* of every repetition */
  GArray *cpu;      /* the same, of all threads, whatever else runs */
} Stage;

#define MAX_STAGES 8

/* The chain in one pass: its mean, which is found at once, and the rest. */
typedef struct {
  const OctBackend *backend;
  OctStep *steps[MAX_STAGES];
  guint n;
  OctPlan *apart;   /* a background that is removed before, to */
  gpointer spectra; /* these, NULL: none is */
  OctPlan *mean, *image;
  OctSequence *sequence;
  gpointer mean_values;
  guint8 **outputs;
  GArray *seconds, *cpu;
} Pass;

static Pass pass;

static gint
compare_seconds (gconstpointer a, gconstpointer b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double
median (GArray *values)
{
  g_array_sort (values, compare_seconds);
  return g_array_index (values, double, values->len / 2);
}

static double
now (void)
{
  return (double)g_get_monotonic_time () * 1e-6;
}

static double
cpu_now (void)
{
  return (double)clock () / CLOCKS_PER_SEC;
}

static guint8 **
new_buffers (gsize bytes)
{
  guint8 **result = g_new0 (guint8 *, buffers);

  for (gint i = 0; i < buffers; i++) {
    result[i] = aligned_alloc (64, (bytes + 63) & ~(gsize)63);
    g_assert_nonnull (result[i]);
    memset (result[i], 0, bytes);
  }
  return result;
}

/* Fringes of three mirrors on the spectrum of a source, with noise. */
static guint8 **
make_raw (void)
{
  guint8 **raw = new_buffers ((gsize)samples * lines * 2);
  GRand *random = g_rand_new_with_seed (1);

  for (gint b = 0; b < buffers; b++) {
    guint16 *out = (guint16 *)raw[b];
    for (gint line = 0; line < lines; line++) {
      double phase = g_rand_double (random) * 2 * G_PI;
      for (gint i = 0; i < samples; i++) {
        double x = (double)i / samples;
        double source = 30000 * exp (-8 * (x - 0.5) * (x - 0.5));
        double fringe = 0.2 * cos (900 * x + phase) + 0.02 * cos (2500 * x);
        *out++ = (guint16)(source * (1 + fringe) + 40 * g_rand_double (random));
      }
    }
  }
  g_rand_free (random);
  return raw;
}

static const OctBackend *
find_backend (void)
{
  if (backend_name == NULL || strcmp (backend_name, "cpu") == 0)
    return oct_backend_cpu ();
  g_printerr ("There is no backend '%s' in this build\n", backend_name);
  exit (2);
}

static OctResampleMethod
find_method (void)
{
  if (method == NULL || strcmp (method, "cubic") == 0)
    return OCT_RESAMPLE_CUBIC;
  if (strcmp (method, "linear") == 0)
    return OCT_RESAMPLE_LINEAR;
  if (strcmp (method, "lanczos") == 0)
    return OCT_RESAMPLE_LANCZOS;
  g_printerr ("There is no resampling method '%s'\n", method);
  exit (2);
}

static OctPlan *
make_plan (OctOperation operation, gconstpointer params)
{
  const OctOperationTable *table = pass.backend->operations[operation];
  GError *error = NULL;
  OctPlan *plan = table->create (params, &error);

  if (plan == NULL) {
    g_printerr ("%s: %s\n", oct_operation_get_name (operation), error->message);
    exit (1);
  }
  return plan;
}

static OctBackgroundMode
choose_mode (void)
{
  if (background_text == NULL)
    return OCT_BACKGROUND_BSCAN;
  for (guint mode = 0; mode < OCT_N_BACKGROUND_MODES; mode++)
    if (g_strcmp0 (background_text, oct_background_modes[mode].nick) == 0)
      return mode;
  g_printerr ("there is no background %s\n", background_text);
  exit (1);
}

/* The same operation in the pass. */
static void
add_step (OctOperation operation, gconstpointer params)
{
  OctBackgroundParams found;
  GError *error = NULL;

  if (operation == OCT_OPERATION_LOGSCALE) {
    pass.image = make_plan (operation, params);
    return;
  }
  if (operation == OCT_OPERATION_BACKGROUND
      && oct_background_modes[choose_mode ()].is_apart) {
    pass.apart = make_plan (operation, params);
    pass.spectra = pass.backend->alloc (
        (gsize)samples * (gsize)lines * sizeof (float), &error);
    return;
  }
  if (operation == OCT_OPERATION_BACKGROUND
      && oct_background_modes[choose_mode ()].is_found) {
    pass.mean = make_plan (OCT_OPERATION_MEAN, params);
    pass.mean_values =
        pass.backend->alloc (OCT_MEAN_SIZE (samples, lines), &error);
    found = *(const OctBackgroundParams *)params;
    found.found = TRUE;
    params = &found;
  }
  pass.steps[pass.n++] = oct_step_new (operation, params, &error);
  if (error != NULL) {
    g_printerr ("%s\n", error->message);
    exit (1);
  }
}

static void
add_stage (Stage *stages, guint *count, const OctBackend *backend,
    OctOperation operation, gconstpointer params, gsize out_row, guint out_rows,
    gdouble bytes)
{
  Stage *stage = &stages[*count];
  double start = now ();

  stage->table = backend->operations[operation];
  stage->name = oct_operation_get_name (operation);
  stage->plan = make_plan (operation, params);
  g_print ("plan of %-11s %6.1f ms\n", stage->name, (now () - start) * 1e3);
  stage->out_row = out_row;
  stage->out_rows = out_rows;
  stage->bytes = bytes;
  stage->seconds = g_array_new (FALSE, FALSE, sizeof (double));
  stage->cpu = g_array_new (FALSE, FALSE, sizeof (double));
  if (*count > 0 && oct_operation_is_in_place (operation)
      && stages[*count - 1].out_row == out_row)
    stage->outputs = stages[*count - 1].outputs;
  else
    stage->outputs = new_buffers (out_row * out_rows);
  (*count)++;
  if (fused)
    add_step (operation, params);
}

static OctCsSolver
find_solver (void)
{
  for (guint i = 0; i < OCT_CS_N_SOLVERS; i++)
    if (g_strcmp0 (solver_text, oct_cs_limits[i].name) == 0)
      return i;
  if (solver_text == NULL)
    return OCT_CS_PERSISTENT;
  g_printerr ("There is no solver %s\n", solver_text);
  exit (1);
}

/* Compressive sensing at these positions, instead of a transform. */
static void
add_sensing (const OctBackend *backend, Stage *stages, guint *count,
    const double *positions, OctCsTransform kind, double bytes)
{
  guint n = (guint)samples, kept = 0;
  OctMaskSettings settings = { .samples = n, .rate = sampling_rate, .seed = 1 };
  GError *error = NULL;
  g_autofree guint8 *mask = oct_mask_new (&settings, &error);
  g_autofree guint32 *column = g_new (guint32, n);
  g_autofree double *nodes = g_new (double, n);
  g_autofree double *window = g_new (double, n);
  OctCsParams params = { .format =
                             no_dispersion ? OCT_SAMPLE_F32 : OCT_SAMPLE_CF32,
    .samples = n,
    .lines = (guint)lines,
    .columns = n,
    .column = column,
    .nodes = nodes,
    .window = window,
    .transform = kind,
    .grid = oct_nufft_grid_length (n, oversampling),
    .width = (guint)width,
    .solver = find_solver (),
    .tau = 3,
    .noise = noise,
    .depth_bins = n / 2 };

  if (mask == NULL) {
    g_printerr ("%s\n", error->message);
    exit (1);
  }
  for (guint i = 0; i < n; i++) {
    if (!mask[i])
      continue;
    column[kept] = i;
    nodes[kept] = kind == OCT_CS_FFT ? i : positions[i];
    window[kept++] = 1;
  }
  params.kept = kept;
  params.iterations =
      iterations > 0 ? (guint)iterations : oct_cs_limits[params.solver].usual;
  add_stage (stages, count, backend, OCT_OPERATION_CS, &params,
      n / 2 * 2 * sizeof (float), (guint)lines, bytes);
}

/* Resampling, or nothing where the transform needs none, dispersion, and the
 * transform. */
static void
add_transform (const OctBackend *backend, Stage *stages, guint *count,
    const double *positions, const double *phase, const double *window)
{
  guint n = (guint)samples, l = (guint)lines, depth = n / 2;
  double values = (double)n * l;
  gboolean sensing = transform != NULL && g_str_has_suffix (transform, "-cs");
  gboolean exact = transform != NULL && g_str_has_prefix (transform, "nudft");
  gboolean gridded = transform != NULL && g_str_has_prefix (transform, "nufft");
  OctSampleFormat format = no_dispersion ? OCT_SAMPLE_F32 : OCT_SAMPLE_CF32;
  double bytes = values * (no_dispersion ? 4 : 8) + (double)depth * l * 8;
  OctResampleParams resample = { .samples = n,
    .lines = l,
    .method = find_method (),
    .upsample =
        upsample_text != NULL ? (guint)strtoul (upsample_text, NULL, 10) : 1,
    .positions = positions };
  OctDispersionParams dispersion = { .samples = n, .lines = l, .phase = phase };
  OctFftParams fft = { .format = format,
    .samples = n,
    .lines = l,
    .length = n,
    .depth_bins = depth,
    .window = window };
  /* a table that rises and is not uniform serves as nodes as well */
  OctNufftParams nufft = { .format = format,
    .samples = n,
    .lines = l,
    .depth_bins = depth,
    .grid = oct_nufft_grid_length (n, oversampling),
    .width = (guint)width,
    .nodes = positions,
    .window = window };

  if (transform != NULL && !exact && !gridded
      && !g_str_has_prefix (transform, "fft")) {
    g_printerr ("There is no transform '%s'\n", transform);
    exit (2);
  }
  if (!exact && !gridded)
    add_stage (stages, count, backend, OCT_OPERATION_RESAMPLE, &resample,
        n * sizeof (float), l, values * (4 + 4));
  if (!no_dispersion)
    add_stage (stages, count, backend, OCT_OPERATION_DISPERSION, &dispersion,
        n * 2 * sizeof (float), l, values * (4 + 8));
  if (sensing)
    add_sensing (backend, stages, count, positions,
        exact     ? OCT_CS_NUDFT
        : gridded ? OCT_CS_NUFFT
                  : OCT_CS_FFT,
        bytes);
  else if (exact || gridded)
    add_stage (stages, count, backend,
        exact ? OCT_OPERATION_NUDFT : OCT_OPERATION_NUFFT, &nufft,
        depth * 2 * sizeof (float), l, bytes);
  else
    add_stage (stages, count, backend, OCT_OPERATION_FFT, &fft,
        depth * 2 * sizeof (float), l, bytes);
}

static guint
make_chain (const OctBackend *backend, Stage *stages)
{
  guint n = (guint)samples, l = (guint)lines, depth = n / 2, count = 0;
  double values = (double)n * l;
  g_autofree double *positions = g_new (double, n);
  g_autofree double *phase = g_new (double, n);
  g_autofree double *window = g_new (double, n);
  g_autofree double *stored = g_new (double, n);
  OctBackgroundParams background = { .format = OCT_SAMPLE_U16,
    .samples = n,
    .lines = l,
    .mode = choose_mode (),
    .running_weight = 0.1,
    .high_pass_lines = 31,
    .background = stored };
  OctLogscaleParams logscale = { .depth_bins = depth,
    .lines = l,
    .format = OCT_IMAGE_GRAY8,
    .scale = OCT_SCALE_LOG,
    .range = contrast ? OCT_RANGE_CONTRAST : OCT_RANGE_AUTO };

  for (guint i = 0; i < n; i++) {
    double x = n > 1 ? (double)i / (n - 1) : 0;
    positions[i] = (n - 1) * x * (1 + 0.12 * (1 - x));
    phase[i] = 40 * (x - 0.5) * (x - 0.5);
    stored[i] = 2000;
  }
  oct_window_fill (OCT_WINDOW_HANN, n, NULL, window);
  add_stage (stages, &count, backend, OCT_OPERATION_BACKGROUND, &background,
      n * sizeof (float), l, values * (2 + 2 + 4));
  add_transform (backend, stages, &count, positions, phase, window);
  add_stage (stages, &count, backend, OCT_OPERATION_LOGSCALE, &logscale, l,
      depth, (double)depth * l * (8 + 8 + 1));
  return count;
}

/* Seconds of one turn of the whole chain; those of the stages go to the stages.
 */
static double
run_stages (Stage *stages, guint count, gpointer raw, guint turn, gboolean keep)
{
  OctFrame in = { { { raw, (gsize)samples * 2 } } };
  double first = now (), start = first;
  GError *error = NULL;

  for (guint s = 0; s < count; s++) {
    OctFrame out = { { { stages[s].outputs[turn], stages[s].out_row } } };
    double end, seconds, cpu = cpu_now ();
    if (!stages[s].table->run (stages[s].plan, &in, &out, NULL, &error)) {
      g_printerr ("%s: %s\n", stages[s].name, error->message);
      exit (1);
    }
    end = now ();
    seconds = end - start;
    cpu = cpu_now () - cpu;
    if (keep) {
      g_array_append_val (stages[s].seconds, seconds);
      g_array_append_val (stages[s].cpu, cpu);
    }
    start = end;
    in = out;
  }
  return start - first;
}

static void
make_pass (const Stage *image)
{
  guint failed;
  GError *error = NULL;

  pass.sequence = oct_sequence_new (pass.backend, pass.steps, pass.n, 1,
      OCT_OPERATION_LOGSCALE, &failed, &error);
  if (pass.sequence == NULL) {
    g_printerr ("%s\n", error->message);
    exit (1);
  }
  g_print ("the chain is done %s\n",
      oct_sequence_is_fused (pass.sequence) ? "in one pass" : "step by step");
  pass.outputs = new_buffers (image->out_row * image->out_rows);
  pass.seconds = g_array_new (FALSE, FALSE, sizeof (double));
  pass.cpu = g_array_new (FALSE, FALSE, sizeof (double));
}

static void
run_pass (gsize row, gpointer raw, guint turn, gboolean keep)
{
  OctFrame from = { { { raw, (gsize)samples * 2 } } }, in = from;
  OctFrame mean = { { { pass.mean_values, OCT_MEAN_SIZE (samples, lines) } } };
  OctFrame out = { { { pass.outputs[turn], row } } };
  double cpu = cpu_now (), seconds = now ();
  GError *error = NULL;
  guint failed;

  in.planes[1] = mean.planes[0];
  if (pass.apart != NULL) {
    in.planes[0] = (OctPlane){ pass.spectra, (gsize)samples * sizeof (float) };
    pass.backend->operations[OCT_OPERATION_BACKGROUND]->run (
        pass.apart, &from, &in, NULL, &error);
  }
  if ((pass.mean != NULL
          && !pass.backend->operations[OCT_OPERATION_MEAN]->run (
              pass.mean, &in, &mean, NULL, &error))
      || !oct_sequence_run (
          pass.sequence, &in, pass.image, &out, NULL, &failed, &error)) {
    g_printerr ("%s\n", error->message);
    exit (1);
  }
  seconds = now () - seconds;
  cpu = cpu_now () - cpu;
  if (keep) {
    g_array_append_val (pass.seconds, seconds);
    g_array_append_val (pass.cpu, cpu);
  }
}

/* Seconds of each repetition of the whole chain. */
static GArray *
run_chain (Stage *stages, guint count, guint8 **raw, GArray *cpu)
{
  GArray *total = g_array_new (FALSE, FALSE, sizeof (double));

  for (gint i = -5; i < repetitions; i++) {
    guint turn = (guint)(i + 5) % (guint)buffers;
    double begin = cpu_now (), used;
    double seconds = run_stages (stages, count, raw[turn], turn, i >= 0);

    used = cpu_now () - begin;
    if (i >= 0) {
      g_array_append_val (total, seconds);
      g_array_append_val (cpu, used);
    }
    if (fused)
      run_pass (stages[count - 1].out_row, raw[turn], turn, i >= 0);
  }
  return total;
}

static void
report (
    GString *json, const char *name, GArray *seconds, GArray *cpu, double bytes)
{
  double best, middle = median (seconds);

  best = g_array_index (seconds, double, 0);
  g_print ("%-22s %9.3f ms %9.3f ms %8.2f us/A-line %12.0f A-lines/s %7.1f "
           "GB/s",
      name, middle * 1e3, best * 1e3, middle * 1e6 / lines, lines / middle,
      bytes / middle * 1e-9);
  if (cpu != NULL)
    g_print (" %12.0f A-lines per CPU second", lines / median (cpu));
  g_print ("\n");
  g_string_append_printf (json,
      "%s    {\"name\": \"%s\", \"median_s\": %.6g, \"best_s\": %.6g, "
      "\"alines_per_s\": %.6g, \"gb_per_s\": %.4g}",
      json->len > 0 ? ",\n" : "", name, middle, best, lines / middle,
      bytes / middle * 1e-9);
}

static void
report_fftw (GString *json, const char *name, gboolean real)
{
  double rate = bench_fftw_rate (real, (guint)samples, (guint)lines,
      oct_backend_cpu_get_threads (), (guint)repetitions);

  if (rate == 0)
    return;
  g_print ("%-22s %26s %12.0f A-lines/s\n", name, "", rate);
  g_string_append_printf (
      json, ",\n    {\"name\": \"%s\", \"alines_per_s\": %.6g}", name, rate);
}

static void
write_json (const char *results)
{
  GError *error = NULL;
  g_autofree char *text = g_strdup_printf (
      "{\n  \"backend\": \"%s\", \"samples\": %d, \"lines\": %d, "
      "\"threads\": %u, \"transform\": \"%s\", \"method\": \"%s\", "
      "\"dispersion\": %s, "
      "\"repetitions\": %d,\n  \"results\": [\n%s\n  ]\n}\n",
      backend_name != NULL ? backend_name : "cpu", samples, lines,
      oct_backend_cpu_get_threads (), transform != NULL ? transform : "fft",
      method != NULL ? method : "cubic", no_dispersion ? "false" : "true",
      repetitions, results);

  if (!g_file_set_contents (json_path, text, -1, &error)) {
    g_printerr ("%s\n", error->message);
    exit (1);
  }
}

int
main (int argc, char **argv)
{
  g_autoptr (GOptionContext) context =
      g_option_context_new ("- speed of the operations");
  g_autoptr (GString) json = g_string_new (NULL);
  GError *error = NULL;
  Stage stages[MAX_STAGES] = { 0 };
  guint count;
  guint8 **raw;
  GArray *total, *cpu;
  double bytes = 0;

  g_option_context_add_main_entries (context, options, NULL);
  if (!g_option_context_parse (context, &argc, &argv, &error)) {
    g_printerr ("%s\n", error->message);
    return 2;
  }
  if (samples < 2 || lines < 1 || repetitions < 1 || buffers < 1
      || threads < 0) {
    g_printerr ("Sizes must be positive\n");
    return 2;
  }
  oct_backend_cpu_set_threads ((guint)threads);
  raw = make_raw ();
  pass.backend = find_backend ();
  count = make_chain (pass.backend, stages);
  if (fused)
    make_pass (&stages[count - 1]);
  cpu = g_array_new (FALSE, FALSE, sizeof (double));
  total = run_chain (stages, count, raw, cpu);
  g_print ("\n%d samples x %d A-lines, %u threads, %d B-scans\n"
           "%-22s %12s %12s\n",
      samples, lines, oct_backend_cpu_get_threads (), repetitions, "", "median",
      "best");
  for (guint s = 0; s < count; s++) {
    report (json, stages[s].name, stages[s].seconds, stages[s].cpu,
        stages[s].bytes);
    bytes += stages[s].bytes;
    stages[s].table->destroy (stages[s].plan);
  }
  report (json, "chain", total, cpu, bytes);
  if (fused)
    report (json, "chain, one pass", pass.seconds, pass.cpu,
        (double)samples * lines * 2 * 2 + (double)samples / 2 * lines);
  report_fftw (json, "FFTW alone, complex", FALSE);
  report_fftw (json, "FFTW alone, real", TRUE);
  if (json_path != NULL)
    write_json (json->str);
  return 0;
}
