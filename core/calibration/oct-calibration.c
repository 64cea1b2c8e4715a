/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-calibration.h"

#include "oct-calibration-axis.h"
#include "oct-calibration-check.h"
#include "oct-calibration-csv.h"
#include "oct-calibration-polynomial.h"
#include "oct-calibration-settings.h"
#include "oct-file.h"

#include <math.h>
#include <string.h>

struct _OctCalibration {
  gatomicrefcount references;
  guint samples;
  /* [samples] or NULL; sample_dispersion is that of the samples where it is
   * known there, dispersion that of the uniform wavenumbers in any case */
  double *positions, *nodes, *dispersion, *sample_dispersion, *background;
  double k_min, k_max; /* rad/um, 0 when not known */
};

static gboolean
calibration_given (const char *text)
{
  return text && *text;
}

/* The wavelength at a position that may lie outside of the pixels, where it
 * goes on as between the last two. */
static double
wavelength_at (const double *nm, guint n, double position)
{
  guint i = CLAMP (position, 0, n - 2);

  return nm[i] + (nm[i + 1] - nm[i]) * (position - i);
}

/* The scale of an axis that k_index rules. */
static gboolean
set_scale (OctCalibration *c, const OctCalibrationSource *source,
    const double *nm, GError **error)
{
  guint n = c->samples;
  double first = wavelength_at (nm, n, c->positions[0]);
  double last = wavelength_at (nm, n, c->positions[n - 1]);

  if (last < first && first <= OCT_CALIBRATION_MAX_WAVELENGTH
      && last >= OCT_CALIBRATION_MIN_WAVELENGTH) {
    c->k_min = oct_calibration_wavenumber (first);
    c->k_max = oct_calibration_wavenumber (last);
    return TRUE;
  }
  g_set_error (error, OCT_ERROR, source->code,
      "%s: k_index runs from wavelength %.10g nm to %.10g nm, but ascending "
      "wavenumbers, thus falling wavelengths, are expected; reverse the order "
      "of k_index (and of dispersion_rad, with the opposite sign)",
      source->name, first, last);
  return FALSE;
}

/* Where the samples and the uniform wavenumbers lie, by one of the two. */
static gboolean
set_axis (OctCalibration *c, const OctCalibrationSource *source,
    const double *k_index, const double *k_position, GError **error)
{
  const OctCalibrationSource inverse = { source->name, NULL, source->code };
  guint n = c->samples;

  if (k_index != NULL) {
    c->positions = g_memdup2 (k_index, n * sizeof *k_index);
    oct_calibration_axis_from_k_index (k_index, n, c->nodes);
    return TRUE;
  }
  memcpy (c->nodes, k_position, n * sizeof *k_position);
  c->positions = g_new (double, n);
  oct_calibration_axis_from_k_position (k_position, n, c->positions);
  return oct_calibration_check_k_index (&inverse, c->positions, n, error);
}

/* From columns that have been checked. */
static OctCalibration *
calibration_assemble (guint samples, const OctCalibrationSource *source,
    const OctCalibrationColumns *columns, GError **error)
{
  const double *nm = columns->values[OCT_COLUMN_WAVELENGTH];
  const double *k_index = columns->values[OCT_COLUMN_K_INDEX];
  const double *k_position = columns->values[OCT_COLUMN_K_POSITION];
  const double *phase = columns->values[OCT_COLUMN_DISPERSION];
  g_autoptr (OctCalibration) c = g_new0 (OctCalibration, 1);
  gsize bytes = samples * sizeof (double);

  g_atomic_ref_count_init (&c->references);
  c->samples = samples;
  if (k_index || k_position || nm)
    c->nodes = g_new (double, samples);
  if (k_index || k_position) {
    if (!set_axis (c, source, k_index, k_position, error))
      return NULL;
    if (nm && !set_scale (c, source, nm, error))
      return NULL;
    if (columns->wavelength_min > 0) {
      c->k_min = oct_calibration_wavenumber (columns->wavelength_max);
      c->k_max = oct_calibration_wavenumber (columns->wavelength_min);
    }
  } else if (nm) {
    c->positions = g_new (double, samples);
    oct_calibration_axis_from_wavelengths (
        nm, samples, c->positions, c->nodes, &c->k_min, &c->k_max);
  }
  c->dispersion = g_memdup2 (phase, bytes);
  if (phase && nm && !k_index && !k_position) {
    c->sample_dispersion = g_memdup2 (phase, bytes);
    oct_calibration_axis_to_uniform (c->nodes, phase, samples, c->dispersion);
  }
  c->background = g_memdup2 (columns->values[OCT_COLUMN_BACKGROUND], bytes);
  return g_steal_pointer (&c);
}

static gboolean
set_nothing_error (GError **error)
{
  g_set_error_literal (error, OCT_ERROR, OCT_ERROR_SETTINGS,
      "No calibration is given; set `calibration` to a CSV file, or "
      "`wavelength-min` and `wavelength-max`, or `k-polynomial`");
  return FALSE;
}

OctCalibration *
oct_calibration_new_from_arrays (guint samples, const double *wavelength_nm,
    const double *k_index, const double *dispersion_rad,
    const double *background, GError **error)
{
  const OctCalibrationSource source = { "Calibration", NULL, OCT_ERROR_FORMAT };
  OctCalibrationColumns columns = { 0 };

  if (!oct_calibration_check_samples (samples, error))
    return NULL;
  if (!wavelength_nm && !k_index && !dispersion_rad && !background) {
    set_nothing_error (error);
    return NULL;
  }
  columns.values[OCT_COLUMN_WAVELENGTH] = wavelength_nm;
  columns.values[OCT_COLUMN_K_INDEX] = k_index;
  columns.values[OCT_COLUMN_DISPERSION] = dispersion_rad;
  columns.values[OCT_COLUMN_BACKGROUND] = background;
  if (!oct_calibration_check_columns (&source, &columns, samples, error))
    return NULL;
  return calibration_assemble (samples, &source, &columns, error);
}

OctCalibration *
oct_calibration_new_from_values (guint samples, const double *positions,
    const double *nodes, const double *dispersion,
    const double *sample_dispersion, const double *background, double k_min,
    double k_max, GError **error)
{
  const OctCalibrationSource source = { "Calibration", NULL, OCT_ERROR_FORMAT };
  const OctCalibrationColumns columns = {
    .values = { [OCT_COLUMN_DISPERSION] = dispersion,
        [OCT_COLUMN_BACKGROUND] = background }
  };
  gsize bytes = samples * sizeof (double);
  OctCalibration *c;

  if (!oct_calibration_check_samples (samples, error))
    return NULL;
  if (!positions && !nodes && !dispersion && !sample_dispersion
      && !background) {
    set_nothing_error (error);
    return NULL;
  }
  if (!oct_calibration_check_columns (&source, &columns, samples, error)
      || !oct_calibration_check_values (&source, samples, positions, nodes,
          dispersion, sample_dispersion, k_min, k_max, error))
    return NULL;
  c = g_new0 (OctCalibration, 1);
  g_atomic_ref_count_init (&c->references);
  c->samples = samples;
  c->positions = g_memdup2 (positions, bytes);
  c->nodes = g_memdup2 (nodes, bytes);
  c->dispersion = g_memdup2 (dispersion, bytes);
  c->sample_dispersion = g_memdup2 (sample_dispersion, bytes);
  c->background = g_memdup2 (background, bytes);
  c->k_min = k_min;
  c->k_max = k_max;
  return c;
}

/* k_index [samples] from the coefficients in `text`. */
static double *
evaluate_k_polynomial (const char *text, guint samples, GError **error)
{
  const OctCalibrationSource source = { "`k-polynomial`", NULL,
    OCT_ERROR_SETTINGS };
  g_autofree double *k_index = g_new (double, samples);

  if (!oct_calibration_polynomial (source.name, "0,1023", text, 0,
          1.0 / (samples - 1), samples, k_index, error)
      || !oct_calibration_check_k_index (&source, k_index, samples, error))
    return NULL;
  return g_steal_pointer (&k_index);
}

/* Wavelengths [samples] in nm. */
static double *
evaluate_wavelengths (const char *text, guint samples, GError **error)
{
  const OctCalibrationSource source = { "`wavelength-polynomial`", NULL,
    OCT_ERROR_SETTINGS };
  g_autofree double *nm = g_new (double, samples);

  if (!oct_calibration_polynomial (
          source.name, "790.2,0.0538,-1e-6", text, 0, 1, samples, nm, error)
      || !oct_calibration_check_wavelengths (&source, nm, samples, error))
    return NULL;
  return g_steal_pointer (&nm);
}

static gboolean
set_twice_error (
    const char *file, OctColumn column, const char *property, GError **error)
{
  g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
      "%s has a column %s, but %s set too; remove one of them", file,
      oct_column_names[column], property);
  return FALSE;
}

/* A column that a property gives, in place of none. */
static gboolean
set_column (OctCalibrationTable *table, const char *file, OctColumn column,
    const char *property, double *values, GError **error)
{
  if (table->values[column] == NULL) {
    table->values[column] = values;
    return values != NULL;
  }
  g_free (values);
  return set_twice_error (file, column, property, error);
}

static double *
make_linear (double first, double last, guint samples)
{
  double *values = g_new (double, samples);

  for (guint i = 0; i < samples; i++)
    values[i] = first + (last - first) * i / (samples - 1);
  return values;
}

static gboolean
add_wavelengths (const OctCalibrationSettings *s, const char *file,
    guint samples, OctCalibrationTable *table, OctCalibrationColumns *columns,
    GError **error)
{
  const OctCalibrationSource range = { "`wavelength-min` and `wavelength-max`",
    NULL, OCT_ERROR_SETTINGS };

  if (calibration_given (s->wavelength_polynomial) && s->wavelength_min > 0) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "`wavelength-polynomial` is set, but `wavelength-min` and "
        "`wavelength-max` are set too; remove one or the others");
    return FALSE;
  }
  if (calibration_given (s->wavelength_polynomial))
    return set_column (table, file, OCT_COLUMN_WAVELENGTH,
        "`wavelength-polynomial` is",
        table->values[OCT_COLUMN_WAVELENGTH] == NULL
            ? evaluate_wavelengths (s->wavelength_polynomial, samples, error)
            : NULL,
        error);
  if (!(s->wavelength_min > 0))
    return TRUE;
  if (!set_column (table, file, OCT_COLUMN_WAVELENGTH,
          "`wavelength-min` and `wavelength-max` are",
          make_linear (s->wavelength_min, s->wavelength_max, samples), error)
      || !oct_calibration_check_wavelengths (
          &range, table->values[OCT_COLUMN_WAVELENGTH], samples, error))
    return FALSE;
  columns->wavelength_min = s->wavelength_min;
  columns->wavelength_max = s->wavelength_max;
  return TRUE;
}

/* Adds the values of the properties to the columns of the file. */
static gboolean
add_properties (const OctCalibrationSettings *s, const char *file,
    guint samples, OctCalibrationTable *table, OctCalibrationColumns *columns,
    GError **error)
{
  if (calibration_given (s->k_polynomial)
      && table->values[OCT_COLUMN_K_POSITION] != NULL)
    return set_twice_error (
        file, OCT_COLUMN_K_POSITION, "`k-polynomial` is", error);
  if (calibration_given (s->k_polynomial)
      && !set_column (table, file, OCT_COLUMN_K_INDEX, "`k-polynomial` is",
          table->values[OCT_COLUMN_K_INDEX] == NULL
              ? evaluate_k_polynomial (s->k_polynomial, samples, error)
              : NULL,
          error))
    return FALSE;
  if (!add_wavelengths (s, file, samples, table, columns, error))
    return FALSE;
  for (guint i = 0; i < OCT_N_COLUMNS; i++)
    columns->values[i] = table->values[i];
  /* they give the ends of the axis and not which pixel has which */
  if (s->wavelength_min > 0
      && (columns->values[OCT_COLUMN_K_INDEX]
          || columns->values[OCT_COLUMN_K_POSITION]))
    columns->values[OCT_COLUMN_WAVELENGTH] = NULL;
  return TRUE;
}

/* The same for spectra whose samples are in the opposite order. */
static void
calibration_flip (OctCalibration *c)
{
  for (guint i = 0; c->positions != NULL && i < c->samples; i++)
    c->positions[i] = c->samples - 1 - c->positions[i];
  if (c->nodes != NULL)
    oct_calibration_axis_turn (c->nodes, c->samples);
  if (c->sample_dispersion != NULL)
    oct_calibration_axis_turn (c->sample_dispersion, c->samples);
  if (c->background != NULL)
    oct_calibration_axis_turn (c->background, c->samples);
}

/* Phases of uniform wavenumbers stay where they are on the axis. */
static gboolean
calibration_warp (OctCalibration *c, const char *text, GError **error)
{
  const OctCalibrationSource source = { "The k map with `k-warp`", NULL,
    OCT_ERROR_SETTINGS };
  g_autofree double *shift = g_new (double, c->samples);

  if (!oct_calibration_polynomial ("`k-warp`", "0,0,0.01", text, -1,
          2.0 / (c->samples - 1), c->samples, shift, error)
      || !oct_calibration_check_range (&source, "the shift", shift, c->samples,
          -1, 1, "give a smaller one in `k-warp`", error))
    return FALSE;
  oct_calibration_axis_shift (c->positions, shift, c->samples);
  if (!oct_calibration_check_k_index (&source, c->positions, c->samples, error))
    return FALSE;
  oct_calibration_axis_from_k_index (c->positions, c->samples, c->nodes);
  g_clear_pointer (&c->sample_dispersion, g_free);
  return TRUE;
}

/* A phase at the samples needs the positions of the samples. */
static gboolean
check_at_samples (const OctCalibration *c, gboolean at_samples, GError **error)
{
  if (!at_samples || (c != NULL && c->nodes != NULL))
    return TRUE;
  g_set_error_literal (error, OCT_ERROR, OCT_ERROR_SETTINGS,
      "The dispersion of samples that are not uniform in wavenumber needs "
      "their wavelengths, but the calibration has none; add a wavelength_nm "
      "or k_index column to the calibration file");
  return FALSE;
}

/* Wojtkowski et al., Ultrahigh-resolution, high-speed, Fourier domain optical
 * coherence tomography and methods for dispersion compensation, Opt. Express
 * 12, 2404 (2004). */
static gboolean
polynomial_phase (const OctCalibration *c, gboolean at_samples, double a2,
    double a3, double *phase, GError **error)
{
  double k_min, k_max, centre;

  if (!oct_calibration_get_k_range (c, &k_min, &k_max)) {
    g_set_error_literal (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        c->positions != NULL
            ? "The dispersion coefficients a2 and a3 need the wavelengths, but "
              "the calibration has only k_index (or `k-polynomial`), which "
              "does not contain them; set `wavelength-min` and "
              "`wavelength-max` beside it, or give a calibration file with a "
              "k_index and a wavelength_nm column"
            : "The dispersion coefficients a2 and a3 need the wavelengths, but "
              "the calibration has none; set `wavelength-min` and "
              "`wavelength-max`, or add a wavelength_nm column to the "
              "calibration file");
    return FALSE;
  }
  centre = 0.5 * (k_min + k_max);
  for (guint i = 0; i < c->samples; i++) {
    double place = (at_samples ? c->nodes[i] : i) / (c->samples - 1);
    double k = k_min + (k_max - k_min) * place - centre;

    phase[i] = -(a2 * k * k + a3 * k * k * k);
    /* written so that not-a-number is refused */
    if (!(fabs (phase[i]) <= OCT_CALIBRATION_MAX_PHASE)) {
      g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
          "The dispersion coefficients a2 = %.10g um^2 and a3 = %.10g um^3 "
          "give a phase of %.10g rad, but at most %.10g is expected; set them "
          "in um^2 and um^3",
          a2, a3, phase[i], OCT_CALIBRATION_MAX_PHASE);
      return FALSE;
    }
  }
  return TRUE;
}

gboolean
oct_calibration_add_phase (const OctCalibration *c, gboolean at_samples,
    guint samples, double c2, double c3, double *phase, GError **error)
{
  if ((c2 == 0 && c3 == 0) || !check_at_samples (c, at_samples, error))
    return c2 == 0 && c3 == 0;
  for (guint i = 0; i < samples; i++) {
    double x = 2 * (at_samples ? c->nodes[i] : i) / (samples - 1) - 1;

    phase[i] -= x * x * (c2 + c3 * x);
    /* written so that not-a-number is refused */
    if (fabs (phase[i]) <= OCT_CALIBRATION_MAX_PHASE)
      continue;
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "The dispersion coefficients c2 = %.10g rad and c3 = %.10g rad give a "
        "phase of %.10g rad, but at most %.10g is expected; set them in rad",
        c2, c3, phase[i], OCT_CALIBRATION_MAX_PHASE);
    return FALSE;
  }
  return TRUE;
}

static gboolean
fill_phase (const OctCalibration *c, gboolean at_samples,
    const OctCalibrationSettings *s, double *phase, GError **error)
{
  return oct_calibration_fill_phase (c, at_samples, s->a2, s->a3, phase, error)
         && oct_calibration_add_phase (
             c, at_samples, c->samples, s->c2, s->c3, phase, error);
}

static gboolean
add_polynomial_phase (
    OctCalibration *c, const OctCalibrationSettings *s, GError **error)
{
  g_autofree double *uniform = g_new (double, c->samples);
  g_autofree double *samples = NULL;

  if (!fill_phase (c, FALSE, s, uniform, error))
    return FALSE;
  if (c->nodes) {
    samples = g_new (double, c->samples);
    if (!fill_phase (c, TRUE, s, samples, error))
      return FALSE;
  }
  g_free (c->dispersion);
  g_free (c->sample_dispersion);
  c->dispersion = g_steal_pointer (&uniform);
  c->sample_dispersion = g_steal_pointer (&samples);
  return TRUE;
}

static gboolean
replace_background (OctCalibration *c, const char *text, GError **error)
{
  const OctCalibrationSource source = { "`background-spectrum`", NULL,
    OCT_ERROR_SETTINGS };
  g_autofree double *values =
      oct_calibration_parse_spectrum (source.name, text, c->samples, error);

  if (values == NULL
      || !oct_calibration_check_range (&source, "background", values,
          c->samples, -G_MAXFLOAT, G_MAXFLOAT, "give counts of the camera",
          error))
    return FALSE;
  g_free (c->background);
  c->background = g_steal_pointer (&values);
  return TRUE;
}

/* Applies the settings other than the calibration itself, which may come from
 * elsewhere. */
static gboolean
calibration_change (
    OctCalibration *c, const OctCalibrationSettings *s, GError **error)
{
  if ((s->flip || calibration_given (s->k_warp)) && c->positions == NULL) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "`%s` is set, but there are no wavelengths and no k_index that it "
        "could change; give them, or remove it",
        s->flip ? "flip" : "k-warp");
    return FALSE;
  }
  if (s->flip)
    calibration_flip (c);
  if (calibration_given (s->k_warp) && !calibration_warp (c, s->k_warp, error))
    return FALSE;
  if (calibration_given (s->background)
      && !replace_background (c, s->background, error))
    return FALSE;
  return (s->a2 == 0 && s->a3 == 0 && s->c2 == 0 && s->c3 == 0)
         || add_polynomial_phase (c, s, error);
}

OctCalibration *
oct_calibration_new (
    const OctCalibrationSettings *settings, guint samples, GError **error)
{
  g_auto (OctCalibrationTable) table = { 0 };
  g_autofree char *file = NULL;
  g_autoptr (OctCalibration) c = NULL;
  OctCalibrationSource source = { "Calibration", NULL, OCT_ERROR_FORMAT };
  OctCalibrationColumns columns = { 0 };

  if (oct_calibration_settings_empty (settings)) {
    set_nothing_error (error);
    return NULL;
  }
  if (!oct_calibration_check_samples (samples, error)
      || !oct_calibration_check_wavelength_range (settings, error))
    return NULL;
  if (calibration_given (settings->file)) {
    if (!oct_calibration_settings_read (settings, samples, &table, error))
      return NULL;
    file = oct_file_describe ("Calibration file", settings->file);
    source.name = file;
    source.lines = table.lines;
    memcpy (columns.values, table.values, sizeof columns.values);
    if (!oct_calibration_check_columns (&source, &columns, samples, error))
      return NULL;
  }
  if (!add_properties (settings, file, samples, &table, &columns, error))
    return NULL;
  c = calibration_assemble (samples, &source, &columns, error);
  if (c && !calibration_change (c, settings, error))
    return NULL;
  return g_steal_pointer (&c);
}

OctCalibration *
oct_calibration_new_on (const OctCalibration *base,
    const OctCalibrationSettings *settings, guint samples, GError **error)
{
  g_autoptr (OctCalibration) c = NULL;
  gsize bytes = samples * sizeof (double);

  if (base == NULL || base->samples != samples
      || !oct_calibration_settings_change_only (settings))
    return oct_calibration_new (settings, samples, error);
  c = g_new (OctCalibration, 1);
  *c = *base;
  g_atomic_ref_count_init (&c->references);
  c->positions = g_memdup2 (base->positions, bytes);
  c->nodes = g_memdup2 (base->nodes, bytes);
  c->dispersion = g_memdup2 (base->dispersion, bytes);
  c->sample_dispersion = g_memdup2 (base->sample_dispersion, bytes);
  c->background = g_memdup2 (base->background, bytes);
  return calibration_change (c, settings, error) ? g_steal_pointer (&c) : NULL;
}

OctCalibration *
oct_calibration_ref (OctCalibration *calibration)
{
  g_atomic_ref_count_inc (&calibration->references);
  return calibration;
}

void
oct_calibration_unref (OctCalibration *calibration)
{
  if (!g_atomic_ref_count_dec (&calibration->references))
    return;
  g_free (calibration->positions);
  g_free (calibration->nodes);
  g_free (calibration->dispersion);
  g_free (calibration->sample_dispersion);
  g_free (calibration->background);
  g_free (calibration);
}

static gboolean
same_values (const double *a, const double *b, guint samples)
{
  if (a == NULL || b == NULL)
    return a == b;
  return memcmp (a, b, samples * sizeof *a) == 0;
}

gboolean
oct_calibration_equal (const OctCalibration *a, const OctCalibration *b)
{
  return a == b
         || (a->samples == b->samples && a->k_min == b->k_min
             && a->k_max == b->k_max
             && same_values (a->positions, b->positions, a->samples)
             && same_values (a->nodes, b->nodes, a->samples)
             && same_values (a->dispersion, b->dispersion, a->samples)
             && same_values (
                 a->sample_dispersion, b->sample_dispersion, a->samples)
             && same_values (a->background, b->background, a->samples));
}

guint
oct_calibration_get_samples (const OctCalibration *calibration)
{
  return calibration->samples;
}

const double *
oct_calibration_get_positions (const OctCalibration *c)
{
  return c->positions;
}

const double *
oct_calibration_get_nodes (const OctCalibration *c)
{
  return c->nodes;
}

const double *
oct_calibration_get_dispersion (const OctCalibration *c)
{
  return c->dispersion;
}

const double *
oct_calibration_get_sample_dispersion (const OctCalibration *c)
{
  return c->sample_dispersion;
}

const double *
oct_calibration_get_background (const OctCalibration *c)
{
  return c->background;
}

gboolean
oct_calibration_get_k_range (
    const OctCalibration *c, double *k_min, double *k_max)
{
  if (c->k_max == 0)
    return FALSE;
  if (k_min)
    *k_min = c->k_min;
  if (k_max)
    *k_max = c->k_max;
  return TRUE;
}

double
oct_calibration_get_wavelength (const OctCalibration *c)
{
  /* rad/um */
  double centre = 0.5 * (c->k_min + c->k_max);

  return c->k_max > 0.0 ? 2.0 * G_PI / centre * 1e-6 : 0.0;
}

gboolean
oct_calibration_fill_phase (const OctCalibration *c, gboolean at_samples,
    double a2, double a3, double *phase, GError **error)
{
  const double *given = c->dispersion;
  g_autofree double *interpolated = NULL;

  if ((a2 != 0 || a3 != 0 || c->dispersion)
      && !check_at_samples (c, at_samples, error))
    return FALSE;
  memset (phase, 0, c->samples * sizeof *phase);
  if ((a2 != 0 || a3 != 0)
      && !polynomial_phase (c, at_samples, a2, a3, phase, error))
    return FALSE;
  if (at_samples && c->sample_dispersion != NULL) {
    given = c->sample_dispersion;
  } else if (at_samples && c->dispersion != NULL) {
    given = interpolated = g_new (double, c->samples);
    oct_calibration_axis_to_samples (
        c->nodes, c->dispersion, c->samples, interpolated);
  }
  for (guint i = 0; given != NULL && i < c->samples; i++)
    phase[i] += given[i];
  return TRUE;
}

double
oct_calibration_get_z_spacing (const OctCalibration *c, guint length)
{
  double period;

  if (c->k_max == 0 || length == 0)
    return 0;
  period = (c->k_max - c->k_min) * c->samples / (c->samples - 1);
  return 1e-6 * G_PI / period * c->samples / length;
}
