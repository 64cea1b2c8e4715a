/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * A launch line as a sequence of operations of the reference.
 */
#include "oct-test-reference.h"
#include "oct-reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The data passed from one element to the next. */
typedef struct {
  Complex *values; /* [bscans][lines][columns] */
  guint bscans, lines, columns;
  OctSampleFormat format;
  gboolean wavenumbers; /* uniform ones, else samples of the spectrometer */
  OctReferenceCalibration *calibration; /* of an element before, or NULL */
} State;

/* Words of an element: its name and property=value. */
static const char *
get_text (char **words, const char *property, const char *otherwise)
{
  gsize length = strlen (property);

  for (guint i = 1; words[i] != NULL; i++)
    if (strncmp (words[i], property, length) == 0 && words[i][length] == '=')
      return words[i] + length + 1;
  return otherwise;
}

static double
get_number (char **words, const char *property, double otherwise)
{
  const char *text = get_text (words, property, NULL);

  return text != NULL ? g_ascii_strtod (text, NULL) : otherwise;
}

static guint
get_choice (char **words, const char *property, const char *const *choices)
{
  const char *text = get_text (words, property, choices[0]);

  for (guint i = 0; choices[i] != NULL; i++)
    if (g_str_equal (choices[i], text))
      return i;
  g_error ("%s: %s=%s", words[0], property, text);
}

/* -------------------------------------------------------------- calibration */

/* Columns of a CSV with a header of names; NULL where there is none. */
static OctReferenceCalibration *
read_calibration (const char *path, guint samples)
{
  static const char *const names[] = { "wavelength_nm", "k_index",
    "dispersion_rad", "background" };
  double *columns[G_N_ELEMENTS (names)] = { NULL };
  g_autofree char *text = NULL;
  g_auto (GStrv) lines = NULL, header = NULL;
  OctReferenceCalibration *calibration;

  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  lines = g_strsplit (text, "\n", -1);
  header = g_strsplit (lines[0], ",", -1);
  for (guint column = 0; header[column] != NULL; column++) {
    guint which = 0;
    while (!g_str_equal (g_strstrip (header[column]), names[which]))
      g_assert_cmpint (++which, <, G_N_ELEMENTS (names));
    columns[which] = g_new (double, samples);
    for (guint i = 0; i < samples; i++) {
      g_auto (GStrv) cells = g_strsplit (lines[1 + i], ",", -1);
      columns[which][i] = g_ascii_strtod (cells[column], NULL);
    }
  }
  calibration = oct_reference_calibration_new (
      samples, columns[0], columns[1], columns[2], columns[3]);
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    g_free (columns[i]);
  return calibration;
}

/* That of the element's own file from here on. */
static void
take_calibration (State *state, char **words)
{
  const char *path = get_text (words, "calibration", NULL);

  if (path == NULL)
    return;
  g_clear_pointer (&state->calibration, oct_reference_calibration_free);
  state->calibration = read_calibration (path, state->columns);
}

/* ----------------------------------------------------------------- elements */

/* All B-scans through one plan of the operation. */
static void
apply (State *state, OctOperation operation, gconstpointer params)
{
  GError *error = NULL;
  g_autoptr (OctReference) plan = oct_reference_new (operation, params, &error);
  OctStepShape in, out;
  Complex *result;

  g_assert_no_error (error);
  in = oct_reference_get_input (plan);
  out = oct_reference_get_output (plan);
  g_assert_cmpint (in.rows, ==, state->lines);
  g_assert_cmpint (in.values, ==, state->columns);
  result = g_new (Complex, (gsize)state->bscans * out.rows * out.values);
  for (guint n = 0; n < state->bscans; n++)
    oct_reference_run (plan, state->values + (gsize)n * in.rows * in.values,
        NULL, result + (gsize)n * out.rows * out.values);
  g_free (state->values);
  state->values = result;
  state->lines = out.rows;
  state->columns = out.values;
  state->format = out.format;
}

static void
run_octdcsub (State *state, char **words)
{
  const char *modes[OCT_N_BACKGROUND_MODES + 1] = { NULL };
  const char *file = get_text (words, "background", NULL);
  g_autofree double *mean = g_new0 (double, state->columns);
  OctBackgroundParams params = { .format = state->format,
    .samples = state->columns,
    .lines = state->lines,
    .running_weight = get_number (words, "running-weight", NAN),
    .high_pass_lines = (guint)get_number (words, "high-pass-lines", 31) };

  for (guint i = 0; i < OCT_N_BACKGROUND_MODES; i++)
    modes[i] = oct_background_modes[i].nick;
  params.mode = get_choice (words, "mode", modes);
  take_calibration (state, words);
  if (file != NULL) { /* the mean of its lines */
    g_autoptr (OctArray) stored = oct_array_load (file);
    for (guint row = 0; row < stored->rows; row++)
      for (guint i = 0; i < state->columns; i++)
        mean[i] += oct_array_get (stored, row, i, 0) / stored->rows;
    params.background = mean;
  } else if (state->calibration != NULL) {
    params.background = state->calibration->background;
  }
  apply (state, OCT_OPERATION_BACKGROUND, &params);
}

static void
run_octkresample (State *state, char **words)
{
  static const char *const methods[] = { "cubic", "linear", "lanczos", NULL };
  OctResampleParams params = { .samples = state->columns,
    .lines = state->lines,
    .method = get_choice (words, "method", methods),
    .upsample = (guint)get_number (words, "upsample", 1) };

  take_calibration (state, words);
  params.positions = state->calibration->positions;
  apply (state, OCT_OPERATION_RESAMPLE, &params);
  state->wavenumbers = TRUE;
}

static void
run_octdispersion (State *state, char **words)
{
  g_autofree double *phase = g_new0 (double, state->columns);
  OctDispersionParams params = {
    .samples = state->columns, .lines = state->lines, .phase = phase
  };

  take_calibration (state, words);
  if (state->calibration != NULL)
    oct_reference_calibration_phase (state->calibration, !state->wavenumbers,
        get_number (words, "a2", 0), get_number (words, "a3", 0), phase);
  apply (state, OCT_OPERATION_DISPERSION, &params);
}

static void
run_octfft (State *state, char **words)
{
  g_autofree double *window = g_new (double, state->columns);
  guint length = (guint)get_number (words, "length", state->columns);
  guint start = (guint)get_number (words, "depth-start", 0);
  OctFftParams params = { .format = state->format,
    .samples = state->columns,
    .lines = state->lines,
    .length = length,
    .depth_start = start,
    .depth_bins = (guint)get_number (words, "depth-bins", length / 2 - start),
    .window = window };

  oct_reference_window (
      get_text (words, "window", "hann"), state->columns, NULL, window);
  apply (state, OCT_OPERATION_FFT, &params);
}

static const char *const kernels[] = { "kaiser-bessel", "gaussian", NULL };

static guint
get_grid (char **words, guint samples)
{
  return oct_reference_fast_length (
      get_number (words, "oversampling", 1.25) * samples);
}

static void
run_octnufft (State *state, char **words)
{
  guint samples = state->columns;
  g_autofree double *window = g_new (double, samples);
  guint start = (guint)get_number (words, "depth-start", 0);
  OctNufftParams params = { .format = state->format,
    .samples = samples,
    .lines = state->lines,
    .depth_start = (gint)start,
    .depth_bins = (guint)get_number (words, "depth-bins", samples / 2 - start),
    .kernel = get_choice (words, "kernel", kernels),
    .grid = get_grid (words, samples),
    .width = (guint)get_number (words, "kernel-width", 6),
    .window = window };
  gboolean exact = g_str_equal (get_text (words, "method", "nufft"), "nudft");

  take_calibration (state, words);
  params.nodes = state->calibration->nodes;
  oct_reference_window (
      get_text (words, "window", "hann"), samples, params.nodes, window);
  apply (state, exact ? OCT_OPERATION_NUDFT : OCT_OPERATION_NUFFT, &params);
}

/* [samples] of a mask file; returns how many are kept. */
static guint
read_kept (const char *path, guint32 *column)
{
  g_autofree char *text = NULL;
  g_auto (GStrv) lines = NULL;
  guint kept = 0, place = 0;

  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  lines = g_strsplit (text, "\n", -1);
  for (guint i = 0; lines[i] != NULL; i++)
    if (lines[i][0] == '0' || lines[i][0] == '1') {
      if (lines[i][0] == '1')
        column[kept++] = place;
      place++;
    }
  return kept;
}

static void
run_octcs (State *state, char **words)
{
  static const char *const transforms[] = { "nufft", "nudft", "fft", NULL };
  static const char *const solvers[] = { "persistent", "continued", "sparsa",
    NULL };
  static const OctCsSolver values[] = { OCT_CS_PERSISTENT, OCT_CS_CONTINUED,
    OCT_CS_SPARSA };
  guint samples = state->columns;
  g_autofree double *nodes = g_new (double, samples);
  g_autofree double *window = g_new (double, samples);
  g_autofree guint32 *column = g_new (guint32, samples);
  guint start = (guint)get_number (words, "depth-start", 0);
  OctCsParams params = { .format = state->format,
    .samples = samples,
    .lines = state->lines,
    .columns = samples,
    .kept = read_kept (get_text (words, "mask-file", NULL), column),
    .column = column,
    .nodes = nodes,
    .window = window,
    .transform = get_choice (words, "transform", transforms),
    .kernel = get_choice (words, "kernel", kernels),
    .grid = get_grid (words, samples),
    .width = (guint)get_number (words, "kernel-width", 6),
    .solver = values[get_choice (words, "solver", solvers)],
    .iterations = (guint)get_number (words, "iterations", NAN),
    .tau = get_number (words, "tau", 3),
    .noise = get_number (words, "noise", 0),
    .depth_start = start,
    .depth_bins =
        (guint)get_number (words, "depth-bins", samples / 2 - start) };

  take_calibration (state, words);
  for (guint n = 0; n < samples; n++)
    nodes[n] = state->wavenumbers ? n : state->calibration->nodes[n];
  oct_reference_window (
      get_text (words, "window", "hann"), samples, nodes, window);
  for (guint i = 0; i < params.kept; i++) {
    nodes[i] = nodes[column[i]];
    window[i] = window[column[i]];
  }
  apply (state, OCT_OPERATION_CS, &params);
}

/* `next`: the words of the next element, which may choose the format. */
static void
run_octlogscale (State *state, char **words, const char *next)
{
  static const char *const scales[] = { "log", "linear", NULL };
  static const char *const ranges[] = { "contrast", "auto", "manual", NULL };
  static const OctRange values[] = { OCT_RANGE_CONTRAST, OCT_RANGE_AUTO,
    OCT_RANGE_MANUAL };
  OctLogscaleParams params = { .depth_bins = state->columns,
    .lines = state->lines,
    .format = next != NULL && strstr (next, "GRAY16_LE") != NULL
                  ? OCT_IMAGE_GRAY16
                  : OCT_IMAGE_GRAY8,
    .scale = get_choice (words, "scale", scales),
    .range = values[get_choice (words, "range", ranges)],
    .min = get_number (words, "min", 0),
    .max = get_number (words, "max", 60),
    .range_smoothing = get_number (words, "range-smoothing", 0) };

  apply (state, OCT_OPERATION_LOGSCALE, &params);
}

static void
run_element (State *state, const char *element, const char *next)
{
  static const struct {
    const char *name;
    void (*run) (State *state, char **words);
  } elements[] = { { "octdcsub", run_octdcsub },
    { "octkresample", run_octkresample },
    { "octdispersion", run_octdispersion }, { "octfft", run_octfft },
    { "octnufft", run_octnufft }, { "octcs", run_octcs } };
  g_auto (GStrv) words = NULL;

  g_assert_true (g_shell_parse_argv (element, NULL, &words, NULL));
  if (g_str_equal (words[0], "capsfilter"))
    return;
  if (g_str_equal (words[0], "octlogscale")) {
    run_octlogscale (state, words, next);
    return;
  }
  for (guint i = 0; i < G_N_ELEMENTS (elements); i++)
    if (g_str_equal (words[0], elements[i].name)) {
      elements[i].run (state, words);
      return;
    }
  g_error ("The reference does not know %s", words[0]);
}

/* ------------------------------------------------------------------- arrays */

static State
begin (const OctArray *input, const char *axis, guint bscans)
{
  State state = { .bscans = bscans,
    .lines = input->rows / bscans,
    .columns = input->columns,
    .format = input->kind == 'u'
                  ? input->size == 1 ? OCT_SAMPLE_U8 : OCT_SAMPLE_U16
              : input->kind == 'f' ? OCT_SAMPLE_F32
                                   : OCT_SAMPLE_CF32,
    .wavenumbers = g_strcmp0 (axis, "wavenumber") == 0 };

  state.values = g_new (Complex, (gsize)input->rows * input->columns);
  for (guint row = 0; row < input->rows; row++)
    for (guint i = 0; i < input->columns; i++)
      state.values[(gsize)row * input->columns + i] = CMPLX (
          oct_array_get (input, row, i, 0), oct_array_get (input, row, i, 1));
  return state;
}

static OctArray *
end (State *state)
{
  static const char kinds[] = { 'u', 'u', 'f', 'c' };
  OctArray *array = oct_array_new (kinds[state->format],
      (guint)oct_sample_format_size (state->format),
      state->bscans * state->lines, state->columns);

  for (gsize i = 0; i < (gsize)array->rows * array->columns; i++) {
    double real = creal (state->values[i]);
    if (state->format == OCT_SAMPLE_U8)
      array->data[i] = (guint8)real;
    else if (state->format == OCT_SAMPLE_U16)
      ((guint16 *)array->data)[i] = (guint16)real;
    else if (state->format == OCT_SAMPLE_F32)
      ((float *)array->data)[i] = (float)real;
    else {
      ((float *)array->data)[2 * i] = (float)real;
      ((float *)array->data)[2 * i + 1] = (float)cimag (state->values[i]);
    }
  }
  g_free (state->values);
  g_clear_pointer (&state->calibration, oct_reference_calibration_free);
  return array;
}

OctArray *
oct_test_compute (
    const char *launch, const OctArray *input, const char *axis, guint bscans)
{
  g_autofree char *full = oct_test_in_folder (launch);
  g_auto (GStrv) elements = g_strsplit (full, " ! ", -1);
  State state = begin (input, axis, MAX (1, bscans));

  for (guint i = 0; elements[i] != NULL; i++)
    run_element (&state, elements[i], elements[i + 1]);
  return end (&state);
}

OctArray *
oct_test_expected (const char *name)
{
  const OctTestRow *row;

  for (guint i = 0; (row = oct_test_get_row (i)) != NULL; i++)
    if (g_str_equal (row->name, name)) {
      g_autoptr (OctArray) input = oct_test_input (row->input);
      return oct_test_compute (row->launch, input, row->axis, row->bscans);
    }
  g_error ("There is no case %s", name);
}
