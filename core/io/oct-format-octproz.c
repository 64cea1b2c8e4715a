/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Recordings of OCTproZ: NAME_raw.raw, flat samples, little endian, with its
 * settings next to it in NAME_meta.txt (or NAME.ini, as its settings are saved
 * by hand), an .ini file as Qt writes it.
 *
 * OCTproZ uses the settings as follows, with x = j / (N - 1) and N samples in
 * an A-line:
 *   sample j of the axis of uniform wavenumbers is read at
 *     c0 + c1 x + c2 x^2 + c3 x^3 samples,
 *   then multiplied by exp (i p), p = d0 + d1 x + d2 x^2 + d3 x^3,
 *   and transformed by the inverse transform, exp (+i 2 pi j n / N).
 * Ours is the forward one, which gives the conjugate of the same A-scan where
 * the phase is -p.
 */
#include "oct-formats.h"

#include "oct-file.h"

#include <math.h>
#include <string.h>

#define MAX_SETTINGS (1u << 20)
#define MAX_CURVE (16u << 20)
#define PROCESSING "processing"

typedef struct {
  char *path, *file; /* "Settings 'x_meta.txt'", begins messages */
  GKeyFile *keys;
} Settings;

static void
clear_settings (Settings *settings)
{
  g_free (settings->path);
  g_free (settings->file);
  g_clear_pointer (&settings->keys, g_key_file_unref);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Settings, clear_settings)

/* ------------------------------------------------------------ settings file */

/* `path` without `end`, whatever its case, and with `new_end` instead; NULL: it
 * has another end. */
static char *
replace_end (const char *path, const char *end, const char *new_end)
{
  gsize size = strlen (path), end_size = strlen (end);

  if (size <= end_size || g_ascii_strcasecmp (path + size - end_size, end) != 0)
    return NULL;
  return g_strdup_printf ("%.*s%s", (int)(size - end_size), path, new_end);
}

static GKeyFile *
parse_settings (const char *text, gsize size)
{
  g_autoptr (GKeyFile) keys = g_key_file_new ();

  return g_key_file_load_from_data (keys, text, size, G_KEY_FILE_NONE, NULL)
                 && g_key_file_has_key (keys, PROCESSING, "resampling_c0", NULL)
             ? g_steal_pointer (&keys)
             : NULL;
}

/* The first of the names that settings have; FALSE: there is none, or nothing
 * of OCTproZ in it. */
static gboolean
find_settings (const char *path, Settings *settings)
{
  static const char *const ends[][2] = { { "_raw.raw", "_meta.txt" },
    { "_raw.raw", ".ini" }, { ".raw", "_meta.txt" }, { ".raw", ".ini" } };

  for (guint i = 0; i < G_N_ELEMENTS (ends); i++) {
    g_autofree char *beside = replace_end (path, ends[i][0], ends[i][1]);
    g_autofree char *text = NULL;
    gsize size;

    if (beside == NULL)
      continue;
    text = oct_file_read_text (
        "Settings", beside, MAX_SETTINGS, "less", &size, NULL);
    settings->keys = text != NULL ? parse_settings (text, size) : NULL;
    if (settings->keys == NULL)
      continue;
    settings->file = oct_file_describe ("Settings", beside);
    settings->path = g_steal_pointer (&beside);
    return TRUE;
  }
  return FALSE;
}

gboolean
oct_format_is_octproz (const OctOpening *opening)
{
  g_auto (Settings) settings = { 0 };

  return find_settings (opening->path, &settings);
}

/* FALSE with an error if it is there and not a finite number. */
static gboolean
octproz_get_number (
    const Settings *settings, const char *key, double *number, GError **error)
{
  g_autofree char *text =
      g_key_file_get_value (settings->keys, PROCESSING, key, NULL);
  g_autofree char *shown = NULL;
  char *end;

  *number = 0.0;
  if (text == NULL)
    return TRUE;
  *number = g_ascii_strtod (g_strstrip (text), &end);
  if (end != text && *end == '\0' && isfinite (*number))
    return TRUE;
  shown = oct_array_show_name (text);
  g_set_error (error, OCT_ERROR, OCT_ERROR_FORMAT,
      "%s say %s=%s, but a number is expected; copy them again, or set "
      "`format` to raw, `samples`, `lines` and `calibration`",
      settings->file, key, shown);
  return FALSE;
}

static gboolean
is_on (const Settings *settings, const char *key)
{
  g_autofree char *text =
      g_key_file_get_value (settings->keys, PROCESSING, key, NULL);

  return text != NULL && g_ascii_strcasecmp (g_strstrip (text), "true") == 0;
}

/* -------------------------------------------------------------------- sizes */

typedef struct {
  guint64 bits, samples, lines, bscans, buffers; /* bscans: per buffer */
} Sizes;

static gboolean
octproz_get_count (GKeyFile *keys, const char *group, const char *key,
    guint64 most, guint64 *count)
{
  g_autofree char *text = g_key_file_get_value (keys, group, key, NULL);

  return text != NULL
         && g_ascii_string_to_unsigned (
             g_strstrip (text), 10, 1, most, count, NULL);
}

static gboolean
get_sizes (GKeyFile *keys, const char *group, Sizes *sizes)
{
  return octproz_get_count (keys, group, "bit_depth", 32, &sizes->bits)
         && octproz_get_count (
             keys, group, "width", OCT_MAX_SAMPLES, &sizes->samples)
         && octproz_get_count (
             keys, group, "height", OCT_MAX_LINES, &sizes->lines)
         && octproz_get_count (keys, group, "depth", G_MAXINT, &sizes->bscans)
         && octproz_get_count (
             keys, group, "buffers_per_volume", G_MAXINT, &sizes->buffers);
}

/* "Virtual OCT System" of "Virtual%20OCT%20System", in quotation marks or not.
 */
static char *
unescape_name (const char *text)
{
  char *name = g_uri_unescape_string (text, NULL);
  gsize size = name != NULL ? strlen (name) : 0;

  if (size >= 2 && name[0] == '"' && name[size - 1] == '"') {
    memmove (name, name + 1, size - 2);
    name[size - 2] = '\0';
  }
  return name != NULL ? name : g_strdup (text);
}

/* The sizes of the acquisition system that was in use, or, if that is unknown,
 * of the only one that has sizes.  *system: its name if it is known. */
static gboolean
octproz_find_sizes (const Settings *settings, Sizes *sizes, char **system)
{
  g_auto (GStrv) groups = g_key_file_get_groups (settings->keys, NULL);
  g_autofree char *active = g_key_file_get_value (
      settings->keys, "main_window_settings", "main_active_system", NULL);
  guint found = 0;

  *system = active != NULL ? unescape_name (g_strstrip (active)) : NULL;
  for (guint i = 0; groups[i] != NULL; i++) {
    g_autofree char *name = unescape_name (groups[i]);
    Sizes these;

    if ((*system != NULL && strcmp (name, *system) != 0)
        || !get_sizes (settings->keys, groups[i], &these))
      continue;
    *sizes = these;
    found++;
  }
  return found == 1;
}

/* Takes the sizes from the reader's settings if the file does not have them;
 * each system stores its own. */
static gboolean
take_set_sizes (OctOpening *opening, const Settings *settings,
    const char *system, Sizes *sizes, GError **error)
{
  const OctReaderSettings *set = opening->settings;
  g_autofree char *shown =
      oct_array_show_name (system != NULL ? system : "of several, or of none");

  if (set->samples == 0 || set->lines == 0) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "%s do not tell the sizes of the B-scans (acquisition system: %s); set "
        "`samples`, `lines`, and `sample-format` and `bscans` where they "
        "apply",
        settings->file, shown);
    return FALSE;
  }
  *sizes = (Sizes){ 8 * oct_stored_get (set->stored)->size, set->samples,
    set->lines, 0, 1 };
  opening->stored = set->stored;
  return TRUE;
}

static guint64
multiply_or_most (guint64 a, guint64 b)
{
  guint64 product;

  return g_uint64_checked_mul (&product, a, b) ? product : G_MAXUINT64;
}

/* Whole B-scans, else the sizes are those of another recording.  Recordings are
 * whole buffers, unless they were cut off. */
static gboolean
take_sizes (OctOpening *opening, const Sizes *sizes, GError **error)
{
  guint64 bscan =
      sizes->samples * sizes->lines * oct_stored_get (opening->stored)->size;
  guint64 buffer = multiply_or_most (bscan, MAX (sizes->bscans, 1));
  guint64 buffers =
      opening->file_size / buffer + (opening->file_size % buffer != 0);
  guint64 shape[3] = { buffers * MAX (sizes->bscans, 1), sizes->lines,
    sizes->samples };
  guint64 volume = sizes->bscans * sizes->buffers;
  g_autofree char *text = g_strdup_printf (
      "%" G_GUINT64_FORMAT " x %" G_GUINT64_FORMAT " x %" G_GUINT64_FORMAT,
      shape[0], shape[1], shape[2]);

  if (opening->file_size % bscan != 0) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_FORMAT,
        "%s has %" G_GUINT64_FORMAT " bytes, which are not whole B-scans of "
        "%" G_GUINT64_FORMAT " lines of %" G_GUINT64_FORMAT
        " samples of %" G_GUINT64_FORMAT
        " bits, as the settings beside it say; "
        "copy both again, "
        "or set `format` to raw, `samples` and `lines`",
        opening->file, opening->file_size, sizes->lines, sizes->samples,
        sizes->bits);
    return FALSE;
  }
  if (!oct_opening_take_shape (opening, 3, shape, text, error))
    return FALSE;
  if (opening->settings->bscans == 0 && volume != 0)
    opening->info.bscans = (guint)MIN (volume, G_MAXINT);
  return TRUE;
}

/* -------------------------------------------------------------- calibration */

/* values[n] of the polynomial in j / (n - 1) with the coefficients KEY0 to
 * KEY3. */
static gboolean
octproz_fill_polynomial (const Settings *settings, const char *key,
    double *values, guint n, GError **error)
{
  double c[4];

  for (guint i = 0; i < 4; i++) {
    g_autofree char *name = g_strdup_printf ("%s%u", key, i);

    if (!octproz_get_number (settings, name, &c[i], error))
      return FALSE;
  }
  for (guint j = 0; j < n; j++) {
    double x = (double)j / (n - 1);

    values[j] = c[0] + x * (c[1] + x * (c[2] + x * c[3]));
  }
  return TRUE;
}

/* Lines "number;value" below a line of titles; how many there are. */
static guint
parse_curve (const char *text, double *values, guint n)
{
  const char *line = strchr (text, '\n');
  guint count = 0;

  while (line != NULL && line[1] != '\0') {
    const char *value = strpbrk (line + 1, ";\n");
    char *end;

    if (value == NULL || *value != ';')
      break;
    if (count < n)
      values[count] = g_ascii_strtod (value + 1, &end);
    if (count < n && (end == value + 1 || !isfinite (values[count])))
      break;
    count++;
    line = strchr (value, '\n');
  }
  return count;
}

/* The curve that was loaded from a file is looked for next to the recording:
 * where it was on that computer does not matter. */
static char *
make_curve_path (const char *recording, const Settings *settings)
{
  g_autofree char *there = g_key_file_get_value (
      settings->keys, PROCESSING, "custom_resampling_filepath", NULL);
  g_autofree char *known = unescape_name (there != NULL ? there : "");
  const char *slash = MAX (strrchr (known, '/'), strrchr (known, '\\'));
  const char *name = slash != NULL ? slash + 1 : known;
  g_autofree char *folder = g_path_get_dirname (recording);

  return g_build_filename (
      folder, *name != '\0' ? name : "resampling.csv", NULL);
}

void
oct_format_list_octproz (const char *path, GPtrArray *files)
{
  g_auto (Settings) settings = { 0 };
  g_autofree char *curve = NULL;

  if (!find_settings (path, &settings))
    return;
  g_ptr_array_add (files, g_strdup (settings.path));
  curve = make_curve_path (path, &settings);
  oct_format_add_file (files, curve);
}

static gboolean
fill_curve (const OctOpening *opening, const Settings *settings, double *values,
    guint n, GError **error)
{
  g_autofree char *path = make_curve_path (opening->path, settings);
  g_autofree char *file = oct_file_describe ("file", path);
  g_autofree char *text =
      oct_file_read_text ("File", path, MAX_CURVE, "less", NULL, NULL);

  if (text != NULL && parse_curve (text, values, n) == n)
    return TRUE;
  g_set_error (error, OCT_ERROR, OCT_ERROR_FORMAT,
      "%s say that the curve for the resampling is from a file, but %s %s %u "
      "lines of a number and a value; put it there, or set `format` to raw, "
      "`samples`, `lines` and `calibration`",
      settings->file, file,
      text != NULL ? "does not have" : "is not there, which has", n);
  return FALSE;
}

static gboolean
octproz_make_calibration (
    OctOpening *opening, const Settings *settings, GError **error)
{
  guint n = opening->info.samples;
  g_autofree double *positions = g_new (double, n);
  g_autofree double *phase = g_new (double, n);
  gboolean dispersed = is_on (settings, "dispersion_compensation");
  g_autoptr (GError) local = NULL;

  if (n < 2)
    return TRUE;
  for (guint j = 0; j < n; j++)
    positions[j] = j;
  if (is_on (settings, "resampling")
      && !(is_on (settings, "custom_resampling")
               ? fill_curve (opening, settings, positions, n, error)
               : octproz_fill_polynomial (
                   settings, "resampling_c", positions, n, error)))
    return FALSE;
  if (dispersed
      && !octproz_fill_polynomial (
          settings, "dispersion_compensation_d", phase, n, error))
    return FALSE;
  for (guint j = 0; dispersed && j < n; j++)
    phase[j] = -phase[j];
  opening->calibration = oct_calibration_new_from_arrays (
      n, NULL, positions, dispersed ? phase : NULL, NULL, &local);
  if (opening->calibration != NULL)
    return TRUE;
  g_set_error (error, OCT_ERROR, OCT_ERROR_FORMAT,
      "%s cannot be used for spectra of %u samples: %s; set `format` to raw, "
      "`samples`, `lines` and `calibration`",
      settings->file, n, local->message);
  return FALSE;
}

gboolean
oct_format_open_octproz (OctOpening *opening, GError **error)
{
  g_auto (Settings) settings = { 0 };
  g_autofree char *system = NULL;
  Sizes sizes = { 0 };

  if (!oct_opening_check_raw_only (opening, "a recording of OCTproZ", error)
      || !oct_opening_check_unnamed (opening, error))
    return FALSE;
  if (!find_settings (opening->path, &settings)) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_FORMAT,
        "%s is to be read as a recording of OCTproZ, but its settings "
        "(NAME_meta.txt of NAME_raw.raw, or NAME.ini) are not beside it; put "
        "them there, or set `format` to raw, `samples` and `lines`",
        opening->file);
    return FALSE;
  }
  if (octproz_find_sizes (&settings, &sizes, &system))
    opening->stored = sizes.bits <= 8    ? OCT_STORED_U1
                      : sizes.bits <= 16 ? OCT_STORED_U2
                                         : OCT_STORED_U4;
  else if (!take_set_sizes (opening, &settings, system, &sizes, error))
    return FALSE;
  return take_sizes (opening, &sizes, error)
         && octproz_make_calibration (opening, &settings, error);
}
