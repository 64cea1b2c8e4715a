/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-calibrate-parts.h"

#include <math.h>
#include <stdlib.h>

#include "oct-calibration-axis.h"
#include "oct-file-write.h"
#include "oct-number.h"

/* Part by which two ways to the span of wavenumbers may differ. */
#define SPANS_AGREE 0.03
/* Times one another: one of them is in other units. */
#define SPANS_DIFFER 3.0
/* Times the wavenumber in the middle: from it to both sides there are no more
 * than two. */
#define WIDEST 1.5

void
oct_calibrate_columns_clear (OctCalibrateColumns *c)
{
  g_clear_pointer (&c->wavelength_nm, g_free);
  g_clear_pointer (&c->k_index, g_free);
  g_clear_pointer (&c->dispersion, g_free);
  g_clear_pointer (&c->background, g_free);
}

static void G_GNUC_PRINTF (2, 3)
    calibrate_columns_note (OctMirrorSet *set, const char *format, ...)
{
  va_list arguments;

  va_start (arguments, format);
  g_ptr_array_add (set->notes, g_strdup_vprintf (format, arguments));
  va_end (arguments);
}

/* rad/um, from positions of the mirrors; 0: there are none. */
static double
find_span (OctMirrorSet *set, const OctCalibrateOptions *o)
{
  guint count = set->used->len;
  g_autofree double *positions = g_new (double, count);
  OctMirrorScale scale = { 0 };
  double span;
  guint off = 0;

  for (guint i = 0; i < count; i++) {
    positions[i] = oct_mirror_set_get_used (set, i)->position;
    if (isnan (positions[i]))
      return 0;
  }
  if (!oct_mirror_fit_find_scale (set->fit, positions, &scale)) {
    calibrate_columns_note (set,
        "Depths are not known in um: that takes two mirrors at "
        "different positions.");
    return 0;
  }
  for (guint i = 0; i < count; i++)
    off += scale.off[i];
  if (off > 0 && count - off < 3) {
    calibrate_columns_note (set,
        "The positions of the mirrors do not fit to their depths, and "
        "which of them is wrong is not certain: %s.",
        o->wavelength_min > 0 ? "the wavelengths alone give the scale in um"
                              : "depths are not known in um");
    oct_mirror_scale_clear (&scale);
    return 0;
  }
  for (guint i = 0; i < count; i++)
    if (scale.off[i])
      calibrate_columns_note (set,
          "The depth of %s does not fit to its position as those of the others "
          "do; it was not used for the scale in um.",
          oct_mirror_set_get_used (set, i)->name);
  if (scale.error_um > 0.02 * fabs (positions[count - 1] - positions[0]))
    calibrate_columns_note (set,
        "The positions of the mirrors deviate by %.1f um from their depths: "
        "the "
        "scale in um is uncertain.",
        scale.error_um);
  span = scale.k_span;
  oct_mirror_scale_clear (&scale);
  return span;
}

/* Distances in mm, or in nm, make wavelengths that no light has. */
static gboolean
check_span (const OctCalibrateOptions *o, double span, GError **error)
{
  const char *option = isnan (o->step_um) ? "--depth-um" : "--step-um";

  if (span > 0 && o->wavelength_min > 0) {
    double given = oct_calibration_wavenumber (o->wavelength_min)
                   - oct_calibration_wavenumber (o->wavelength_max);

    if (span > given / SPANS_DIFFER && span < given * SPANS_DIFFER)
      return TRUE;
    g_set_error (error, OCT_ERROR, OCT_ERROR_FORMAT,
        "Positions of the mirrors say that the pixels span %.4g rad/um, and "
        "the wavelengths say %.4g, which cannot both be right; correct %s, "
        "which is in um, or the wavelengths, which are in nm.",
        span, given, option);
    return FALSE;
  }
  if (o->centre_nm > 0
      && span > WIDEST * oct_calibration_wavenumber (o->centre_nm)) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_FORMAT,
        "Positions of the mirrors say that the pixels span %.4g rad/um around "
        "%.4g, and no light does; correct %s, which is in um, or --centre-nm.",
        span, oct_calibration_wavenumber (o->centre_nm), option);
    return FALSE;
  }
  return TRUE;
}

/* The wavelengths of the pixels, from the options and the mirrors. */
static void
calibrate_columns_fill_wavelengths (OctCalibrateColumns *c, OctMirrorSet *set,
    const OctCalibrateOptions *o, double span)
{
  if (o->wavelength_min > 0) {
    double low = oct_calibration_wavenumber (o->wavelength_max);
    double high = oct_calibration_wavenumber (o->wavelength_min);
    double middle = (low + high) / 2, given = high - low;

    if (span > 0 && fabs (given / span - 1) > SPANS_AGREE)
      calibrate_columns_note (set,
          "Positions of the mirrors say that the pixels span %.4f rad/um, the "
          "wavelengths %.4f; the positions are taken.",
          span, given);
    span = span > 0 ? span : given;
    low = 2e3 * G_PI / (middle - span / 2);
    high = 2e3 * G_PI / (middle + span / 2);
    c->wavelength_nm = g_new (double, set->samples);
    oct_mirror_fit_fill_wavelengths_between (set->fit, o->falling ? low : high,
        o->falling ? high : low, c->wavelength_nm);
  } else if (o->centre_nm > 0 && span > 0) {
    c->wavelength_nm = g_new (double, set->samples);
    oct_mirror_fit_fill_wavelengths (
        set->fit, span, o->centre_nm, !o->falling, c->wavelength_nm);
  }
  if (span > 0)
    c->bin_um = G_PI * (set->samples - 1.0) / (set->samples * span);
}

/* Wavenumbers ascend along the uniform axis: if wavelengths rise it is read
 * backwards, and phases change their sign. */
static void
turn_round (OctCalibrateColumns *c)
{
  for (guint i = 0; i < c->samples / 2; i++) {
    guint other = c->samples - 1 - i;
    double swap = c->k_index[i];

    c->k_index[i] = c->k_index[other];
    c->k_index[other] = swap;
    swap = c->dispersion[i];
    c->dispersion[i] = c->dispersion[other];
    c->dispersion[other] = swap;
  }
  for (guint i = 0; i < c->samples; i++)
    c->dispersion[i] = -c->dispersion[i];
}

gboolean
oct_calibrate_columns_fill (OctCalibrateColumns *c, OctMirrorSet *set,
    const OctCalibrateOptions *o, const double *background, GError **error)
{
  g_autoptr (OctCalibration) tried = NULL;
  double span;

  c->samples = set->samples;
  c->k_index = g_new (double, set->samples);
  c->dispersion = g_new (double, set->samples);
  c->background = g_memdup2 (background, set->samples * sizeof *background);
  oct_mirror_fit_fill_columns (set->fit, 1, c->k_index, c->dispersion);
  span = find_span (set, o);
  if (!check_span (o, span, error))
    return FALSE;
  calibrate_columns_fill_wavelengths (c, set, o, span);
  if (c->wavelength_nm != NULL && !o->falling)
    turn_round (c);
  if (c->bin_um > 0 && c->wavelength_nm == NULL)
    calibrate_columns_note (set,
        "Depths in um are known, but no wavelength: the calibration "
        "is without a scale; add --centre-nm.");
  /* as the elements will read it */
  tried = oct_calibration_new_from_arrays (c->samples, c->wavelength_nm,
      c->k_index, c->dispersion, c->background, error);
  if (tried != NULL)
    return TRUE;
  g_prefix_error (error, "The fringes give no calibration that can be used: ");
  return FALSE;
}

static void
calibrate_columns_append_number (
    GString *text, const char *format, double value)
{
  char buffer[G_ASCII_DTOSTR_BUF_SIZE];

  if (text->len > 0 && text->str[text->len - 1] != '\n')
    g_string_append_c (text, ',');
  g_string_append (
      text, g_ascii_formatd (buffer, sizeof buffer, format, value));
}

gboolean
oct_calibrate_columns_write (const OctCalibrateColumns *c,
    const OctMirrorSet *set, const char *path, GError **error)
{
  g_autoptr (GDateTime) now = g_date_time_new_now_local ();
  g_autofree char *date = g_date_time_format (now, "%Y-%m-%d %H:%M");
  g_autoptr (GString) text = g_string_new (NULL);
  g_autofree char *target = realpath (path, NULL); /* NULL: nothing is there */
  g_autofree char *mirrors = oct_number_count (set->used->len, "mirror");
  int code;

  g_string_append_printf (
      text, "# made by oct-calibrate, %s, of %s\n", date, mirrors);
  g_string_append_printf (text, "%sk_index,dispersion_rad%s\n",
      c->wavelength_nm != NULL ? "wavelength_nm," : "",
      c->background != NULL ? ",background" : "");
  for (guint i = 0; i < c->samples; i++) {
    if (c->wavelength_nm != NULL)
      calibrate_columns_append_number (text, "%.6f", c->wavelength_nm[i]);
    calibrate_columns_append_number (text, "%.6f", c->k_index[i]);
    calibrate_columns_append_number (text, "%.6f", c->dispersion[i]);
    if (c->background != NULL)
      calibrate_columns_append_number (text, "%.9g", c->background[i]);
    g_string_append_c (text, '\n');
  }
  /* a link stays one, and its target is replaced */
  code = oct_file_replace (
      target != NULL ? target : path, text->str, text->len, -1);
  if (code != 0)
    oct_file_set_write_error (error, path, code);
  return code == 0;
}
