/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-calibrate-parts.h"

#include <math.h>
#include <string.h>

#include "oct-calibration-csv.h"
#include "oct-options.h"

#define SUMMARY                                                                \
  "Makes the calibration of a spectrometer from mirrors at one or more\n"      \
  "depths, or measures one: docs/calibration.md."
#define EXAMPLES                                                               \
  "Examples:\n"                                                                \
  "  oct-calibrate --mirror m1.npy m2.npy --same-side --output "               \
  "calibration.csv\n"                                                          \
  "  oct-calibrate --mirror deep.npy --other-side shallow.npy --background "   \
  "dark.npy \\\n"                                                              \
  "    --output calibration.csv --plot calibration.svg\n"                      \
  "  oct-calibrate --mirror m*.raw --samples 2048 --step-um 100 --centre-nm "  \
  "845 \\\n"                                                                   \
  "    --output calibration.csv\n"                                             \
  "  oct-calibrate --check calibration.csv --mirror m1.npy m2.npy\n"           \
  "  oct-calibrate --clock mirror-with-clock.npy"

static gboolean
calibrate_options_is_number (const char *text)
{
  double number;

  return oct_calibration_parse_number (text, strlen (text), &number);
}

/* The option whose list `argument` begins, or NULL. */
static const char *
find_list (const char *argument)
{
  static const char *const lists[] = { "--mirror", "--other-side",
    "--background", "--depth-um" };

  for (guint i = 0; i < G_N_ELEMENTS (lists); i++)
    if (g_str_equal (argument, lists[i]))
      return lists[i];
  return NULL;
}

/* "--mirror a b" as "--mirror=a --mirror=b": so a shell may write m*.npy.
 * *lacking: a list that has no value before the next option, or NULL. */
static char **
expand_lists (char **arguments, const char **lacking)
{
  g_autoptr (GStrvBuilder) expanded = g_strv_builder_new ();
  const char *list = NULL;
  gboolean empty = FALSE;

  *lacking = NULL;
  for (guint i = 0; arguments[i] != NULL; i++) {
    g_autofree char *joined = NULL;
    const char *argument = arguments[i];
    gboolean value = i > 0 && list != NULL
                     && (*argument != '-'
                         || (g_str_equal (list, "--depth-um")
                             && calibrate_options_is_number (argument)));

    if (value) {
      joined = g_strconcat (list, "=", argument, NULL);
      g_strv_builder_add (expanded, joined);
      empty = FALSE;
      continue;
    }
    if (empty)
      *lacking = list;
    list = i > 0 ? find_list (argument) : NULL;
    empty = list != NULL;
    if (list == NULL)
      g_strv_builder_add (expanded, argument);
  }
  if (empty)
    *lacking = list;
  return g_strv_builder_end (expanded);
}

static gboolean
calibrate_options_fail (GError **error, const char *sentence)
{
  g_set_error_literal (
      error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE, sentence);
  return FALSE;
}

static gboolean
check_scale (OctCalibrateOptions *o, GError **error)
{
  for (guint i = 0; o->depths_um != NULL && o->depths_um[i] != NULL; i++) {
    if (calibrate_options_is_number (o->depths_um[i]))
      continue;
    g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
        "--depth-um takes numbers in um, one per mirror; '%s' is none.",
        o->depths_um[i]);
    return FALSE;
  }
  if (o->depths_um != NULL && !isnan (o->step_um))
    return calibrate_options_fail (
        error, "Give --step-um or --depth-um, not both.");
  if (!isnan (o->step_um) && !(fabs (o->step_um) > 0 && isfinite (o->step_um)))
    return calibrate_options_fail (error,
        "--step-um is the distance from each mirror to the "
        "next in um, and not 0.");
  if ((o->wavelength_min != 0) != (o->wavelength_max != 0)
      || o->wavelength_min > o->wavelength_max
      || (o->wavelength_min != 0
          && !(o->wavelength_min >= 1 && o->wavelength_max <= 1e6
               && o->wavelength_min < o->wavelength_max)))
    return calibrate_options_fail (error,
        "--wavelength-min and --wavelength-max are the "
        "shortest and the longest wavelength of the pixels in "
        "nm; give both.");
  if (o->centre_nm != 0
      && (o->wavelength_min != 0
          || !(o->centre_nm >= 1 && o->centre_nm <= 1e6)))
    return calibrate_options_fail (error,
        "--centre-nm is the wavelength of the source in nm, "
        "for --step-um or --depth-um; give it or "
        "--wavelength-min and --wavelength-max, not both.");
  if (o->centre_nm != 0 && isnan (o->step_um) && o->depths_um == NULL)
    return calibrate_options_fail (error,
        "--centre-nm gives wavelengths together with distances "
        "of the mirrors; add --step-um or --depth-um.");
  if (o->wavelengths != NULL && !g_str_equal (o->wavelengths, "rising")
      && !g_str_equal (o->wavelengths, "falling"))
    return calibrate_options_fail (error,
        "--wavelength is rising or falling, from the first "
        "sample to the last.");
  o->falling = g_strcmp0 (o->wavelengths, "falling") == 0;
  return TRUE;
}

static gboolean
check_window (OctCalibrateOptions *o, GError **error)
{
  g_autoptr (GString) names = g_string_new (NULL);

  if (o->window_name == NULL)
    return TRUE;
  for (o->window = 0; o->window < OCT_N_WINDOWS; o->window++) {
    if (g_str_equal (oct_windows[o->window].nick, o->window_name))
      break;
    g_string_append_printf (
        names, "%s%s", names->len > 0 ? ", " : "", oct_windows[o->window].nick);
  }
  if (o->window == OCT_N_WINDOWS) {
    g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
        "--window is one of %s, not '%s'.", names->str, o->window_name);
    return FALSE;
  }
  return o->plot != NULL
         || calibrate_options_fail (error,
             "--window is that of the A-scans in the plot; add --plot FILE, or "
             "leave it out.");
}

static gboolean
is_same_path (const char *a, const char *b)
{
  g_autofree char *x = a != NULL ? g_canonicalize_filename (a, NULL) : NULL;
  g_autofree char *y = b != NULL ? g_canonicalize_filename (b, NULL) : NULL;

  return x != NULL && g_strcmp0 (x, y) == 0;
}

/* How the files are read. */
static gboolean
calibrate_options_check_reader (OctCalibrateOptions *o, GError **error)
{
  if (o->samples < 0 || o->lines < 0 || o->header_size < 0)
    return calibrate_options_fail (error,
        "--samples, --lines and --header-size are not "
        "negative.");
  if (!oct_array_options_check (o->sample_dimension, o->channel, error)
      || !oct_stored_parse (o->sample_format, &o->reader.stored, error))
    return FALSE;
  o->reader.samples = o->samples;
  o->reader.lines = o->lines;
  o->reader.header_size = o->header_size;
  o->reader.sample_dimension = (guint)o->sample_dimension;
  o->reader.channel = (guint)o->channel;
  return oct_packing_parse (o->packing, &o->reader.packing, error);
}

static gboolean
calibrate_options_check_files (OctCalibrateOptions *o, GError **error)
{
  if (o->clock != NULL) {
    if (o->mirrors != NULL || o->other_side != NULL || o->backgrounds != NULL
        || o->output != NULL || o->check != NULL || o->plot != NULL)
      return calibrate_options_fail (error,
          "--clock finds the delay of octkclock and makes no calibration; "
          "leave --mirror, --other-side, --background, --output, --check and "
          "--plot out.");
    return calibrate_options_check_reader (o, error);
  }
  if (o->mirrors == NULL && o->other_side == NULL)
    return calibrate_options_fail (error,
        "No mirror is given: name the files of their spectra "
        "with --mirror FILE...");
  if (o->mirrors == NULL)
    return calibrate_options_fail (error,
        "All mirrors are on the other side than the sample; "
        "give --mirror FILE... for those on its side, or all "
        "of them where the sample will be on their side.");
  if ((o->output != NULL) == (o->check != NULL))
    return calibrate_options_fail (error,
        "Give --output CSV to make a calibration, or --check "
        "CSV to measure one.");
  if (g_strcmp0 (o->output, "") == 0 || g_strcmp0 (o->check, "") == 0)
    return calibrate_options_fail (
        error, "--output and --check take the name of a file, not nothing.");
  if (is_same_path (o->output, o->plot))
    return calibrate_options_fail (error,
        "--output and --plot are the same file, and the plot would overwrite "
        "the calibration; give two names.");
  if (o->same_side && o->other_side != NULL)
    return calibrate_options_fail (
        error, "Give --other-side or --same-side, not both.");
  if (!calibrate_options_check_reader (o, error))
    return FALSE;
  return o->plot == NULL || oct_calibrate_plot_check (o->plot, error);
}

gboolean
oct_calibrate_options_parse (
    OctCalibrateOptions *o, char **arguments, GError **error)
{
  GOptionEntry entries[] = {
    { "mirror", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &o->mirrors,
        "Spectra of a mirror at one depth each, on the side of the zero delay "
        "where samples will be: raw, NumPy, MATLAB, HDF5, Thorlabs, or a "
        "recording",
        "FILE..." },
    { "other-side", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &o->other_side,
        "The same on the other side of the zero delay", "FILE..." },
    { "same-side", 0, 0, G_OPTION_ARG_NONE, &o->same_side,
        "All mirrors are on one side", NULL },
    { "each-bscan", 0, 0, G_OPTION_ARG_NONE, &o->each_bscan,
        "Each B-scan of a file is a mirror at another depth", NULL },
    { "background", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &o->backgrounds,
        "Spectra without the mirror: one file, or one per mirror", "FILE..." },
    { "step-um", 0, 0, G_OPTION_ARG_DOUBLE, &o->step_um,
        "Distance from each mirror to the next, in the order given", "UM" },
    { "depth-um", 0, 0, G_OPTION_ARG_STRING_ARRAY, &o->depths_um,
        "Positions of the mirrors, from any origin", "UM..." },
    { "wavelength-min", 0, 0, G_OPTION_ARG_DOUBLE, &o->wavelength_min,
        "Shortest wavelength of the pixels", "NM" },
    { "wavelength-max", 0, 0, G_OPTION_ARG_DOUBLE, &o->wavelength_max,
        "Longest wavelength of the pixels", "NM" },
    { "centre-nm", 0, 0, G_OPTION_ARG_DOUBLE, &o->centre_nm,
        "Wavelength of the source, with --step-um or --depth-um", "NM" },
    { "wavelength", 0, 0, G_OPTION_ARG_STRING, &o->wavelengths,
        "rising (default) or falling, from the first sample to the last",
        "WAY" },
    { "samples", 0, 0, G_OPTION_ARG_INT, &o->samples,
        "Raw files: samples per A-line", "N" },
    { "lines", 0, 0, G_OPTION_ARG_INT, &o->lines,
        "Raw files: A-lines per B-scan, with --each-bscan", "L" },
    { "sample-format", 0, 0, G_OPTION_ARG_STRING, &o->sample_format,
        oct_stored_describe_option (), "F" },
    { "packing", 0, 0, G_OPTION_ARG_STRING, &o->packing,
        "Raw files of 12 bit: mono12p or mono12packed, as the camera packs it",
        "P" },
    { "header-size", 0, 0, G_OPTION_ARG_INT64, &o->header_size,
        "Raw files: bytes before the first sample", "B" },
    { "variable", 0, 0, G_OPTION_ARG_STRING, &o->reader.variable,
        "MATLAB files: name of the array of spectra", "NAME" },
    { "dataset", 0, 0, G_OPTION_ARG_STRING, &o->reader.dataset,
        "HDF5 or TDMS files: name of the dataset, or of the channel, of "
        "spectra",
        "NAME" },
    { "sample-dimension", 0, 0, G_OPTION_ARG_INT, &o->sample_dimension,
        "Arrays: which dimension has the samples, 1 is the first; raw files "
        "with "
        "--lines, and TIFF: 2 where columns are A-lines",
        "N" },
    { "channel", 0, 0, G_OPTION_ARG_INT, &o->channel,
        "Arrays of several channels: which one, 1 is the first", "N" },
    { "output", 0, 0, G_OPTION_ARG_FILENAME, &o->output,
        "File for the calibration", "CSV" },
    { "check", 0, 0, G_OPTION_ARG_FILENAME, &o->check,
        "Measure this calibration, and make none", "CSV" },
    { "clock", 0, 0, G_OPTION_ARG_FILENAME, &o->clock,
        "A mirror with its k-clock, of every A-line the spectrum and then the "
        "clock: find `delay` of octkclock, and nothing else",
        "FILE" },
    { "plot", 0, 0, G_OPTION_ARG_FILENAME, &o->plot,
        "Draw what was found: .svg or .png", "FILE" },
    { "window", 0, 0, G_OPTION_ARG_STRING, &o->window_name,
        "Window of the A-scans in the plot: hann (default), none, hamming, "
        "blackman, tukey, gaussian",
        "NAME" },
    { NULL },
  };
  g_autoptr (GOptionContext) context = g_option_context_new (NULL);
  const char *lacking;
  g_auto (GStrv) expanded = expand_lists (arguments, &lacking);

  o->step_um = NAN;
  g_option_context_set_summary (context, SUMMARY);
  g_option_context_set_description (context, EXAMPLES);
  g_option_context_add_main_entries (context, entries, NULL);
  oct_options_add_help (context);
  if (!g_option_context_parse_strv (context, &expanded, error))
    return FALSE;
  if (lacking != NULL) {
    g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
        "%s has no value; add one, or leave it out.", lacking);
    return FALSE;
  }
  if (g_strv_length (expanded) > 1) {
    g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
        "'%s' is not an option; spectra of mirrors are given as --mirror "
        "FILE...",
        expanded[1]);
    return FALSE;
  }
  return calibrate_options_check_files (o, error) && check_scale (o, error)
         && check_window (o, error);
}

void
oct_calibrate_options_clear (OctCalibrateOptions *o)
{
  g_strfreev (o->mirrors);
  g_strfreev (o->other_side);
  g_strfreev (o->backgrounds);
  g_strfreev (o->depths_um);
  g_free (o->reader.variable);
  g_free (o->reader.dataset);
  g_free (o->wavelengths);
  g_free (o->sample_format);
  g_free (o->packing);
  g_free (o->window_name);
  g_free (o->output);
  g_free (o->check);
  g_free (o->clock);
  g_free (o->plot);
}
