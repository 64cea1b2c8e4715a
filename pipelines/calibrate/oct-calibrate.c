/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * oct-calibrate: from spectra of mirrors to the calibration that octkresample,
 * octdispersion and octdcsub use, with a report of its quality.
 */
#include "oct-calibrate-parts.h"

#include <glib/gstdio.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "oct-lines.h"
#include "oct-repeat.h"
#include "oct-terminal.h"

#define MIN_SAMPLES 64
#define AS_GOOD 0.1 /* dB, of two calibrations */
#define SAME 0.01   /* samples or rad, of two curves; files have six digits */
#define NEARLY 0.5  /* the same of two fits to the same mirrors */
#define AGREES 1.25 /* width over the narrowest, with the existing one */

/* A file of mirrors that is read: its lines become one mirror, or one per
 * B-scan. */
typedef struct {
  const OctCalibrateOptions *options;
  OctMirrorSet *set;
  GPtrArray *backgrounds; /* double[samples] */
  guint seen;             /* mirrors so far */
  gboolean written;       /* the calibration */
  gboolean poor;          /* the one to check */
} Reading;

static gboolean G_GNUC_PRINTF (2, 3)
    calibrate_fail (GError **error, const char *format, ...)
{
  va_list arguments;

  va_start (arguments, format);
  if (error != NULL)
    *error =
        g_error_new_valist (OCT_ERROR, OCT_ERROR_FORMAT, format, arguments);
  va_end (arguments);
  return FALSE;
}

static void G_GNUC_PRINTF (2, 3)
    calibrate_note (OctMirrorSet *set, const char *format, ...)
{
  va_list arguments;

  va_start (arguments, format);
  g_ptr_array_add (set->notes, g_strdup_vprintf (format, arguments));
  va_end (arguments);
}

static char *
calibrate_describe (const char *path)
{
  g_autofree char *base = g_path_get_basename (path);
  g_autofree char *shown = g_filename_display_name (base);

  return g_strdup_printf ("'%s'", shown);
}

static gboolean
check_samples (Reading *r, const char *path, guint samples, GError **error)
{
  if (samples < MIN_SAMPLES)
    return calibrate_fail (error,
        "'%s' has %u samples per A-line, but %u and more are needed; name a "
        "file of spectra.",
        path, samples, MIN_SAMPLES);
  if (r->set == NULL)
    r->set = oct_mirror_set_new (samples);
  if (r->set->samples != samples)
    return calibrate_fail (error,
        "'%s' has %u samples per A-line, but the files before it have %u; name "
        "files of one spectrometer with the same settings.",
        path, samples, r->set->samples);
  return TRUE;
}

/* Files read with the wrong type or number of samples may have fringes all the
 * same.  The wrong type explains bytes that are left over. */
static void
note_flaws (Reading *r, const char *path, const OctLines *lines)
{
  g_autofree char *name = calibrate_describe (path);

  if (lines->doubt != NULL)
    calibrate_note (r->set, "%s", lines->doubt);
  else if (lines->leftover_bytes > 0)
    calibrate_note (r->set,
        "%s ends with %" G_GUINT64_FORMAT
        " bytes that are less than a whole %s of %u samples; if it was not cut "
        "off, correct --samples, --lines or --header-size: the calibration is "
        "wrong otherwise.",
        name, lines->leftover_bytes,
        r->options->each_bscan ? "B-scan" : "A-line", lines->samples);
}

static gboolean
is_same_file (const char *a, const char *b)
{
  GStatBuf x, y;

  return g_stat (a, &x) == 0 && g_stat (b, &y) == 0 && x.st_dev == y.st_dev
         && x.st_ino == y.st_ino;
}

/* A mirror that is subtracted from itself leaves noise, and one that is
 * subtracted from images leaves its fringes in them. */
static gboolean
check_backgrounds (const OctCalibrateOptions *o, GError **error)
{
  char **const lists[] = { o->mirrors, o->other_side };

  for (guint i = 0; o->backgrounds != NULL && o->backgrounds[i] != NULL; i++)
    for (guint list = 0; list < G_N_ELEMENTS (lists); list++)
      for (guint m = 0; lists[list] != NULL && lists[list][m] != NULL; m++)
        if (is_same_file (o->backgrounds[i], lists[list][m]))
          return calibrate_fail (error,
              "'%s' is given as a mirror and as a background; a background is "
              "recorded with the mirror blocked: name that file, or leave "
              "--background out.",
              o->backgrounds[i]);
  return TRUE;
}

/* It would cancel its own depth. */
static gboolean
check_sides (const OctCalibrateOptions *o, GError **error)
{
  for (guint i = 0; o->other_side != NULL && o->other_side[i] != NULL; i++)
    for (guint m = 0; o->mirrors[m] != NULL; m++)
      if (is_same_file (o->mirrors[m], o->other_side[i]))
        return calibrate_fail (error,
            "'%s' is given on both sides of the zero delay; a mirror is on "
            "one: "
            "name it after --mirror or after --other-side.",
            o->mirrors[m]);
  return TRUE;
}

static gboolean
read_backgrounds (Reading *r, GError **error)
{
  for (guint i = 0;
       r->options->backgrounds != NULL && r->options->backgrounds[i] != NULL;
       i++) {
    const char *path = r->options->backgrounds[i];
    g_autoptr (OctLines) lines =
        oct_lines_read (path, &r->options->reader, G_MAXUINT64, error);

    if (lines == NULL || !check_samples (r, path, lines->samples, error))
      return FALSE;
    note_flaws (r, path, lines);
    g_ptr_array_add (r->backgrounds, oct_lines_average (lines));
  }
  return TRUE;
}

/* um along the scan, NAN: unknown. */
static double
get_position (const Reading *r)
{
  const OctCalibrateOptions *o = r->options;

  if (!isnan (o->step_um))
    return r->seen * o->step_um;
  if (o->depths_um != NULL && r->seen < g_strv_length (o->depths_um))
    return g_ascii_strtod (o->depths_um[r->seen], NULL);
  return NAN;
}

/* Whether the fringe of a mirror makes its A-lines suspicious: they do not
 * agree, or have no fringe. */
static gboolean
is_doubtful (const OctFringe *fringe)
{
  return fringe->lines < fringe->given || fringe->snr < OCT_FRINGE_MIN_SNR;
}

/* Whether A-lines of so many samples can be those of a file that repeats every
 * `period`.  Two halves of a source's spectrum may be alike, and neighbours of
 * different brightness: if all A-lines agree, a multiple proves nothing. */
static gboolean
is_right_length (guint samples, guint period, gboolean doubtful)
{
  /* one sample is the error of the shortest files */
  return period == 0 || abs ((gint)period - (gint)samples) <= 1
         || (!doubtful && (samples % period == 0 || period % samples == 0));
}

/* A-lines of another length than the file has are cut at places that differ
 * from line to line.  Some of them agree all the same, and make a
 * calibration. */
static gboolean
check_repeat (const Reading *r, const char *path, guint64 frame,
    const OctFringe *fringe, GError **error)
{
  g_autoptr (OctLines) first = NULL;
  g_autofree char *agree = NULL;
  gboolean doubtful = is_doubtful (fringe);
  guint period;

  /* of many B-scans in a file the first one will do */
  if (!doubtful && frame != 0 && frame != G_MAXUINT64)
    return TRUE;
  first = oct_lines_read_first (
      path, &r->options->reader, frame, OCT_REPEAT_VALUES, error);
  if (first == NULL)
    return FALSE;
  period =
      oct_repeat_find (first->values, (gsize)first->lines * first->samples);
  if (is_right_length (first->samples, period, doubtful))
    return TRUE;
  if (fringe->lines < fringe->given)
    agree = g_strdup_printf (", and only %u of %u agree with each other",
        fringe->lines, fringe->given);
  return calibrate_fail (error,
      "The A-lines of '%s' are taken to have %u samples%s, while the square of "
      "its fringe repeats every %u samples; correct %s.",
      path, first->samples, agree != NULL ? agree : "", period,
      r->options->reader.samples > 0
          ? "--samples, or --sample-format and --packing"
          : "the shape of the array in the file");
}

static gboolean
add_mirror (
    Reading *r, const char *path, guint64 frame, double side, GError **error)
{
  g_autoptr (OctLines) lines =
      oct_lines_read (path, &r->options->reader, frame, error);
  g_autofree char *name = calibrate_describe (path);
  const double *background = NULL;
  OctFringe *fringe;

  if (lines == NULL || !check_samples (r, path, lines->samples, error))
    return FALSE;
  if (frame != G_MAXUINT64) {
    g_autofree char *file = g_steal_pointer (&name);

    name = g_strdup_printf ("%s[%" G_GUINT64_FORMAT "]", file, frame);
  }
  if (frame == 0 || frame == G_MAXUINT64)
    note_flaws (r, path, lines);
  if (r->backgrounds->len > 0)
    background = g_ptr_array_index (r->backgrounds,
        r->backgrounds->len > 1 ? MIN (r->seen, r->backgrounds->len - 1) : 0);
  fringe =
      oct_fringe_new (lines->values, lines->lines, lines->samples, background);
  oct_mirror_set_add (r->set, name, fringe, side, get_position (r));
  r->seen++;
  return check_repeat (r, path, frame, fringe, error);
}

static gboolean
calibrate_add_file (Reading *r, const char *path, double side, GError **error)
{
  guint64 frames = 1;

  if (!r->options->each_bscan)
    return add_mirror (r, path, G_MAXUINT64, side, error);
  for (guint64 frame = 0; frame < frames; frame++) {
    g_autoptr (OctLines) lines = NULL;

    if (frame == 0) {
      lines = oct_lines_read (path, &r->options->reader, 0, error);
      if (lines == NULL)
        return FALSE;
      frames = lines->frames;
    }
    if (!add_mirror (r, path, frame, side, error))
      return FALSE;
  }
  return TRUE;
}

static gboolean
check_counts (const Reading *r, GError **error)
{
  guint depths = r->options->depths_um != NULL
                     ? g_strv_length (r->options->depths_um)
                     : r->seen;

  if (depths != r->seen)
    return calibrate_fail (error,
        "--depth-um has %u values for %u mirrors; give one per mirror, in "
        "their order.",
        depths, r->seen);
  if (r->backgrounds->len > 1 && r->backgrounds->len != r->seen)
    return calibrate_fail (error,
        "There are %u backgrounds for %u mirrors; give one for all, or one "
        "per mirror in their order.",
        r->backgrounds->len, r->seen);
  return TRUE;
}

static gboolean
calibrate_read_all (Reading *r, GError **error)
{
  const OctCalibrateOptions *o = r->options;
  double side = o->same_side || o->other_side != NULL ? 1 : 0;

  if (!check_backgrounds (o, error) || !check_sides (o, error)
      || !read_backgrounds (r, error))
    return FALSE;
  for (guint i = 0; o->mirrors[i] != NULL; i++)
    if (!calibrate_add_file (r, o->mirrors[i], side, error))
      return FALSE;
  for (guint i = 0; o->other_side != NULL && o->other_side[i] != NULL; i++)
    if (!calibrate_add_file (r, o->other_side[i], -1, error))
      return FALSE;
  return check_counts (r, error);
}

/* Before the work, so that nothing is computed for nothing. */
static gboolean
calibrate_check_output (const char *path, GError **error)
{
  g_autofree char *folder = g_path_get_dirname (path);

  if (!g_file_test (folder, G_FILE_TEST_IS_DIR))
    return calibrate_fail (error,
        "there is no folder '%s' for '%s'; make it, or name another one.",
        folder, path);
  if (g_file_test (path, G_FILE_TEST_IS_DIR))
    return calibrate_fail (error, "'%s' is a folder; name a file in it.", path);
  return TRUE;
}

static OctCalibration *
calibrate_load (const char *path, guint samples, GError **error)
{
  OctCalibrationSettings settings = { .file = (char *)path };

  return oct_calibration_new (&settings, samples, error);
}

/* Mean level of the peaks, dB. */
static double
find_level (const OctMirrorSet *set)
{
  double sum = 0;

  for (guint i = 0; i < set->used->len; i++)
    sum += oct_mirror_set_get_used (set, i)->after.level;
  return sum / set->used->len;
}

/* Refuses to replace a file whose contents would be lost: one that is not a
 * calibration of such mirrors, or has columns that the new one lacks.
 * `existing`: NULL if there is no file. */
static gboolean
check_replaced (const char *path, const OctCalibrateColumns *columns,
    OctCalibration **existing, GError **error)
{
  g_autoptr (GError) reason = NULL;
  double k_min, k_max;

  *existing = NULL;
  if (!g_file_test (path, G_FILE_TEST_EXISTS))
    return TRUE;
  *existing = calibrate_load (path, columns->samples, &reason);
  if (*existing == NULL)
    return calibrate_fail (error,
        "'%s' is there already and is not a calibration of %u samples; it is "
        "left as it is: name another --output.  (%s)",
        path, columns->samples, reason->message);
  if (columns->wavelength_nm == NULL
      && oct_calibration_get_k_range (*existing, &k_min, &k_max))
    return calibrate_fail (error,
        "'%s' is there already and has wavelengths, which the calibration that "
        "was found has not; it is left as it is: give --wavelength-min and "
        "--wavelength-max, or name another --output.",
        path);
  if (columns->background == NULL
      && oct_calibration_get_background (*existing) != NULL)
    return calibrate_fail (error,
        "'%s' is there already and has a background, which the calibration "
        "that was found has not; it is left as it is: give --background, or "
        "name another --output.",
        path);
  return TRUE;
}

/* Whether both read the spectrum at the same places, with the same phase.  A
 * calibration with wavelengths that rise has the other direction than one
 * without, and the other sign. */
static gboolean
is_same_curve (const OctCalibrateColumns *columns,
    const OctCalibration *existing, double limit)
{
  const double *a = columns->k_index, *d = columns->dispersion;
  const double *b = oct_calibration_get_positions (existing);
  const double *e = oct_calibration_get_dispersion (existing);
  double forward = 0, backward = 0;
  guint n = columns->samples;

  for (guint i = 0; i < n; i++) {
    guint other = n - 1 - i;

    forward = MAX (forward, fabs (a[i] - b[i]));
    forward = MAX (forward, fabs (d[i] - (e != NULL ? e[i] : 0)));
    backward = MAX (backward, fabs (a[i] - b[other]));
    backward = MAX (backward, fabs (d[i] + (e != NULL ? e[other] : 0)));
  }
  return MIN (forward, backward) < limit;
}

static gboolean
has_dispersion (const double *dispersion, guint n)
{
  for (guint i = 0; dispersion != NULL && i < n; i++)
    if (fabs (dispersion[i]) >= SAME)
      return TRUE;
  return FALSE;
}

/* Near one depth a calibration that is wrong elsewhere is as sharp. */
static gboolean
is_close (const OctMirrorSet *set)
{
  return oct_mirror_fit_get_spread (set->fit) < OCT_MIRROR_SET_CLOSE;
}

/* Whether the new calibration has wavelengths or a background, and the existing
 * one has not. */
static gboolean
adds_columns (
    const OctCalibrateColumns *columns, const OctCalibration *existing)
{
  double k_min, k_max;

  return (columns->wavelength_nm != NULL
             && !oct_calibration_get_k_range (existing, &k_min, &k_max))
         || (columns->background != NULL
             && oct_calibration_get_background (existing) == NULL);
}

/* How far the existing curve may be from that of mirrors close together: as two
 * fits to such mirrors are, or not at all if it was made of more of them, or
 * its origin is unknown. */
static double
choose_limit (const char *path, const OctMirrorSet *set)
{
  g_autofree char *text = NULL;
  guint count = 0;

  if (!g_file_get_contents (path, &text, NULL, NULL)
      || sscanf (text, "# made by oct-calibrate, %*s %*s of %u mirror", &count)
             != 1)
    return SAME;
  return count > 0 && count <= set->used->len ? NEARLY : SAME;
}

/* How the existing calibration contradicts the new one if its mirrors do not
 * prove it: a sentence, or NULL.  Two mirrors fit each other with any sides and
 * beyond any depth range, and mirrors close together with any dispersion.
 * Without dispersion the existing one knows no sides.  Leaves the peaks after
 * the existing calibration in the set. */
static char *
find_contradiction (
    const char *path, OctMirrorSet *set, const OctCalibration *existing)
{
  const double *positions = oct_calibration_get_positions (existing);
  const double *dispersion = oct_calibration_get_dispersion (existing);
  g_autofree OctMirrorPeak *other = g_new (OctMirrorPeak, set->used->len);
  const OctMirror *worst = NULL;
  guint which = 0;

  if ((oct_mirror_set_is_proven (set) && !is_close (set))
      || !has_dispersion (dispersion, set->samples))
    return NULL;
  if (is_close (set))
    return g_strdup_printf (
        "'%s' is there already and has dispersion, and mirrors at one depth or "
        "close together show too little of it; it is left as it is: add a "
        "mirror that is farther away, or name another --output.",
        path);
  if (positions == NULL) /* nothing that peaks could be measured with */
    return NULL;
  oct_mirror_set_exchange_sides (set);
  oct_mirror_set_measure (set, positions, dispersion);
  for (guint i = 0; i < set->used->len; i++)
    other[i] = oct_mirror_set_get_used (set, i)->after;
  oct_mirror_set_exchange_sides (set);
  oct_mirror_set_measure (set, positions, dispersion);
  for (guint i = 0; i < set->used->len; i++) {
    const OctMirror *mirror = oct_mirror_set_get_used (set, i);

    if ((oct_mirror_get_excess (mirror) > AGREES
            || other[i].level > mirror->after.level + AS_GOOD)
        && (worst == NULL
            || oct_mirror_get_excess (mirror)
                   > oct_mirror_get_excess (worst))) {
      worst = mirror;
      which = i;
    }
  }
  if (worst == NULL)
    return NULL;
  return g_strdup_printf (
      "'%s' is there already and contradicts the calibration that was found: "
      "with it %s is %.2f bins wide on the side where it is taken to be, %.2f "
      "on the other, and its light allows %.2f.  Two depths prove neither "
      "the sides of mirrors nor that none is beyond the depth range, so the "
      "file is left as it is: correct --same-side or --other-side, add a "
      "mirror at a third depth, or name another --output.",
      path, worst->name, worst->after.width_6db, other[which].width_6db,
      worst->ideal.width_6db);
}

/* A calibration that is there already is replaced by one that is better, that
 * is as good and adds columns, or that is the same and that nothing could make
 * better: the mirrors that one is made of cannot show all that is wrong with
 * it. */
static gboolean
check_existing (const char *path, OctMirrorSet *set,
    const OctCalibrateColumns *columns, GError **error)
{
  g_autoptr (OctCalibration) existing = NULL;
  g_autofree char *contradiction = NULL;
  const char *advice = oct_mirror_set_advise (set);
  gboolean has_curve;
  double there = -HUGE_VAL, here;

  if (!check_replaced (path, columns, &existing, error))
    return FALSE;
  has_curve =
      existing != NULL && oct_calibration_get_positions (existing) != NULL;
  if (existing != NULL)
    contradiction = find_contradiction (path, set, existing);
  if (has_curve) {
    oct_mirror_set_measure (set, oct_calibration_get_positions (existing),
        oct_calibration_get_dispersion (existing));
    there = find_level (set);
  }
  oct_mirror_set_measure (set, columns->k_index, columns->dispersion);
  here = find_level (set);
  if (here > there + AS_GOOD)
    return contradiction == NULL || calibrate_fail (error, "%s", contradiction);
  if (here < there - AS_GOOD)
    return calibrate_fail (error,
        "'%s' is there already and makes these mirrors sharper, by %.1f dB, "
        "than the calibration that was found; it is left as it is: name "
        "another --output to have this one too.",
        path, there - here);
  if (has_curve && adds_columns (columns, existing)
      && (is_close (set)
              ? is_same_curve (columns, existing, choose_limit (path, set))
              : contradiction == NULL))
    return TRUE;
  if (has_curve && advice == NULL && is_same_curve (columns, existing, SAME))
    return TRUE;
  if (advice == NULL)
    return calibrate_fail (error,
        "'%s' is there already and is as good for these mirrors; it is left as "
        "it is: name another --output to have this one too.",
        path);
  return calibrate_fail (error,
      "'%s' is there already and is as good for these mirrors, while the "
      "calibration that was found could be better (%s); it is left as it is: "
      "name another --output to have this one too.",
      path, advice);
}

static gboolean
calibrate_draw (const OctCalibrateOptions *o, const OctMirrorSet *set,
    const OctCalibrateColumns *columns, GError **error)
{
  return o->plot == NULL
         || oct_calibrate_plot (o->plot, o->window, set, columns, error);
}

/* The options that give a scale instead of the wavelengths of the pixels. */
static const char *
advise_scale (const OctCalibrateOptions *o, const OctMirrorSet *set)
{
  /* distances take two depths */
  if (oct_mirror_set_is_one_depth (set))
    return "";
  if (isnan (o->step_um) && o->depths_um == NULL)
    return ", or --step-um and --centre-nm";
  /* they were given, and do not fit, as a note said */
  if (o->centre_nm > 0)
    return isnan (o->step_um) ? ", or correct --depth-um"
                              : ", or correct --step-um";
  return isnan (o->step_um) ? ", or correct --depth-um and add --centre-nm"
                            : ", or correct --step-um and add --centre-nm";
}

static gboolean
calibrate_make (const OctCalibrateOptions *o, Reading *r, GError **error)
{
  g_auto (OctCalibrateColumns) columns = { 0 };
  OctMirrorSet *set = r->set;
  double span = o->wavelength_min > 0 ? 2e3 * G_PI / o->wavelength_min
                                            - 2e3 * G_PI / o->wavelength_max
                                      : 0;

  if (!oct_mirror_set_fit (set, span, error)
      || !oct_calibrate_columns_fill (&columns, set, o,
          r->backgrounds->len == 1 ? g_ptr_array_index (r->backgrounds, 0)
                                   : NULL,
          error)
      || !check_existing (o->output, set, &columns, error)) {
    oct_calibrate_print_notes (set);
    return FALSE;
  }
  oct_calibrate_print_notes (set);
  if (set->fit->rising)
    oct_calibrate_print_peaks (set);
  if (!oct_mirror_set_check (set, error)
      || !oct_calibrate_columns_write (&columns, set, o->output, error))
    return FALSE;
  r->written = TRUE;
  oct_calibrate_print_verdict (set, &columns, NULL, FALSE);
  g_print ("Written: %s\n", o->output);
  if (columns.wavelength_nm == NULL && columns.bin_um == 0)
    g_print ("Note: Images are as sharp with it and have no scale in mm, as no "
             "wavelengths are known; for one give --wavelength-min and "
             "--wavelength-max%s.\n",
        advise_scale (o, set));
  return calibrate_draw (o, set, &columns, error);
}

/* For mirrors whose sides are not given: the first is sharper on the other side
 * than samples are. */
static gboolean
is_for_other_side (OctMirrorSet *set, const OctCalibrateColumns *columns)
{
  double here = find_level (set), there;

  if (oct_mirror_set_get_used (set, 0)->side > 0)
    return FALSE;
  oct_mirror_set_exchange_sides (set);
  oct_mirror_set_measure (set, columns->k_index, columns->dispersion);
  there = find_level (set);
  oct_mirror_set_exchange_sides (set);
  oct_mirror_set_measure (set, columns->k_index, columns->dispersion);
  return here > there + AS_GOOD;
}

/* Measures the peaks.  A calibration for samples on the other side is as good,
 * and not good for the sides as they are given: TRUE, and the sides are
 * exchanged in the set. */
static gboolean
measure_either_way (OctMirrorSet *set, const OctCalibrateColumns *columns)
{
  const OctMirror *worst;
  OctVerdict given, other;

  oct_mirror_set_measure (set, columns->k_index, columns->dispersion);
  given = oct_mirror_set_judge (set, &worst);
  if (given == OCT_VERDICT_GOOD)
    return FALSE;
  oct_mirror_set_exchange_sides (set);
  oct_mirror_set_measure (set, columns->k_index, columns->dispersion);
  other = oct_mirror_set_judge (set, &worst);
  if (other != OCT_VERDICT_BAD && other < given)
    return TRUE;
  oct_mirror_set_exchange_sides (set);
  oct_mirror_set_measure (set, columns->k_index, columns->dispersion);
  return FALSE;
}

static gboolean
calibrate_check (const OctCalibrateOptions *o, Reading *r, GError **error)
{
  g_autoptr (OctCalibration) calibration =
      calibrate_load (o->check, r->set->samples, error);
  OctCalibrateColumns columns = { .samples = r->set->samples };
  double k_min, k_max;
  gboolean exchanged, sides_given;

  if (calibration == NULL)
    return FALSE;
  columns.k_index = (double *)oct_calibration_get_positions (calibration);
  columns.dispersion = (double *)oct_calibration_get_dispersion (calibration);
  if (columns.k_index == NULL)
    return calibrate_fail (error,
        "'%s' has neither k_index nor wavelength_nm: there is no resampling "
        "to measure; name a calibration with one of these columns.",
        o->check);
  if (oct_calibration_get_k_range (calibration, &k_min, &k_max))
    columns.bin_um =
        G_PI * (columns.samples - 1.0) / (columns.samples * (k_max - k_min));
  sides_given = oct_mirror_set_get_used (r->set, 0)->side != 0;
  exchanged = measure_either_way (r->set, &columns);
  if (!sides_given && is_for_other_side (r->set, &columns))
    calibrate_note (r->set,
        "%s lies on the other side of the zero delay than the samples that "
        "'%s' is for.",
        oct_mirror_set_get_used (r->set, 0)->name, o->check);
  oct_calibrate_print_notes (r->set);
  oct_calibrate_print_peaks (r->set);
  r->poor =
      !oct_calibrate_print_verdict (r->set, &columns, o->check, exchanged);
  return calibrate_draw (o, r->set, &columns, error);
}

/* FALSE with an error; *poor: the calibration named by --check is not good. */
static gboolean
calibrate_run (const OctCalibrateOptions *o, gboolean *poor, GError **error)
{
  Reading r = { .options = o };
  gboolean ok;

  if (o->clock != NULL)
    return oct_calibrate_clock (o, error);
  ok = o->output == NULL || calibrate_check_output (o->output, error);

  r.backgrounds = g_ptr_array_new_with_free_func (g_free);
  ok = ok && calibrate_read_all (&r, error)
       && oct_mirror_set_sort_out (r.set, error);
  if (!ok && r.set != NULL)
    oct_calibrate_print_notes (r.set);
  ok = ok
       && (o->check != NULL ? calibrate_check (o, &r, error)
                            : calibrate_make (o, &r, error));
  if (o->output != NULL && !r.written)
    g_prefix_error (error, "No calibration is written: ");
  *poor = r.poor;
  oct_mirror_set_free (r.set);
  g_ptr_array_unref (r.backgrounds);
  return ok;
}

int
main (int argc, char **argv)
{
  OctCalibrateOptions options = { 0 };
  g_autoptr (GError) error = NULL;
  gboolean poor = FALSE;
  int status = EXIT_SUCCESS;

  setlocale (LC_CTYPE, ""); /* for names of files; numbers have points */
  oct_terminal_begin ();
  if (!oct_calibrate_options_parse (&options, argv, &error)) {
    g_printerr ("%s See --help.\n", error->message);
    status = 2;
  } else if (!calibrate_run (&options, &poor, &error)) {
    g_printerr ("Error: %s\n", error->message);
    status = EXIT_FAILURE;
  } else if (poor) {
    status = EXIT_FAILURE;
  }
  oct_calibrate_options_clear (&options);
  return status;
}
