/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A JSON file beside each volume, as BIDS has them for microscopy: the fields
 * of the standard, and what it has no words for in an object OCT.
 */
#include "oct-convert-parts.h"

#include <math.h>
#include <string.h>

#include "oct-file-mode.h"
#include "oct-file.h"
#include "oct-types.h"
#include "oct-options.h"
#include "oct/oct.h"

/* The fields of an octmeter of raw spectra, and their names here. */
static const struct {
  const char *field, *name;
} fields[] = { { "maximum", "MaximumCounts" }, { "mean", "MeanCounts" },
  { "saturated", "SaturatedPart" }, { "centre-nm", "CentreWavelength" },
  { "fwhm-nm", "FullWidthHalfMaximum" },
  { "resolution-window-um", "AxialResolution" } };
#define CENTRE 3
#define WIDTH 4

typedef struct {
  guint count;
  double sum, least, most;
} Summary;

struct _OctConvertMeters {
  GMutex lock;
  Summary summaries[G_N_ELEMENTS (fields)];
};

OctConvertMeters *
oct_convert_meters_new (void)
{
  OctConvertMeters *meters = g_new0 (OctConvertMeters, 1);

  g_mutex_init (&meters->lock);
  return meters;
}

void
oct_convert_meters_free (OctConvertMeters *meters)
{
  g_mutex_clear (&meters->lock);
  g_free (meters);
}

void
oct_convert_meters_add (
    OctConvertMeters *meters, const GstStructure *measurement)
{
  g_mutex_lock (&meters->lock);
  for (guint i = 0; i < G_N_ELEMENTS (fields); i++) {
    Summary *summary = &meters->summaries[i];
    double value;

    if (!gst_structure_get_double (measurement, fields[i].field, &value)
        || !isfinite (value))
      continue;
    summary->least = summary->count == 0 ? value : MIN (summary->least, value);
    summary->most = summary->count == 0 ? value : MAX (summary->most, value);
    summary->sum += value;
    summary->count++;
  }
  g_mutex_unlock (&meters->lock);
}

/* -------------------------------------------------------------------- JSON */

char *
oct_convert_sidecar_quote (const char *text)
{
  g_autofree char *valid = g_utf8_make_valid (text, -1);
  g_autoptr (GString) quoted = g_string_new ("\"");

  for (const char *c = valid; *c != '\0'; c++)
    if (*c == '"' || *c == '\\')
      g_string_append_printf (quoted, "\\%c", *c);
    else if ((guchar)*c < 0x20)
      g_string_append_printf (quoted, "\\u%04x", (guint)*c);
    else
      g_string_append_c (quoted, *c);
  g_string_append_c (quoted, '"');
  return g_string_free (g_steal_pointer (&quoted), FALSE);
}

static void
sidecar_add_text (GString *text, const char *name, const char *value)
{
  g_autofree char *quoted = oct_convert_sidecar_quote (value);

  g_string_append_printf (text, "\"%s\": %s", name, quoted);
}

static void
sidecar_add_number (GString *text, double number)
{
  char buffer[G_ASCII_DTOSTR_BUF_SIZE];

  g_string_append (
      text, g_ascii_formatd (buffer, sizeof buffer, "%.9g", number));
}

/* ------------------------------------------------------------------ contents */

/* Micrometres of a pixel: A-line, depth, B-scan; 0: not known. */
static void
get_pixel_size (GstElement *pipeline, double *um)
{
  g_autoptr (GstPad) pad = oct_launch_get_pad (pipeline, "sink", "sink");
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (pad);
  g_autoptr (GstElement) sink =
      gst_bin_get_by_name (GST_BIN (pipeline), "sink");
  const GstStructure *s = gst_caps_get_structure (caps, 0);
  static const char *const names[] = { "x-spacing", "z-spacing", "y-spacing" };
  double index = 1.0;
  gint repeats = 1;

  gst_structure_get_int (s, GST_OCT_REPEATS_FIELD, &repeats);
  repeats = MAX (repeats, 1);
  g_object_get (sink, "refractive-index", &index, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    double spacing = 0.0;

    g_object_get (sink, names[i], &spacing, NULL);
    if (spacing <= 0.0) {
      gst_structure_get_double (s, names[i], &spacing);
      /* caps have that from a place to the next */
      spacing /= i == 2 ? repeats : 1;
    }
    um[i] = spacing > 0.0 ? spacing * 1e6 : 0.0;
  }
  um[1] /= index;
}

static gboolean
add_pixel_size (GString *text, const double *um, GError **error)
{
  if (!(um[0] > 0.0 && um[1] > 0.0)) {
    g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
        "BIDS needs the size of pixels, but the file does not say how far %s "
        "are apart; set %s, or leave out --bids.",
        um[0] > 0.0 ? "depths" : "A-lines",
        um[0] > 0.0 ? "--calibration to a file with wavelengths"
                    : "--width-um");
    return FALSE;
  }
  g_string_append (text, "  \"PixelSize\": [");
  sidecar_add_number (text, um[0]);
  g_string_append (text, ", ");
  sidecar_add_number (text, um[1]);
  if (um[2] > 0.0) {
    g_string_append (text, ", ");
    sidecar_add_number (text, um[2]);
  }
  g_string_append (text, "],\n  \"PixelSizeUnits\": \"um\",\n");
  return TRUE;
}

/* As the light of the spectra was measured. */
static void
add_light (GString *text, const Summary *summaries)
{
  if (summaries[CENTRE].count == 0)
    return;
  g_string_append (text, ",\n    \"LightSource\": {\"CentreWavelength\": ");
  sidecar_add_number (text, summaries[CENTRE].sum / summaries[CENTRE].count);
  if (summaries[WIDTH].count > 0) {
    g_string_append (text, ", \"FullWidthHalfMaximum\": ");
    sidecar_add_number (text, summaries[WIDTH].sum / summaries[WIDTH].count);
  }
  g_string_append (text, ", \"Units\": \"nm\"}");
}

static void
add_meters (GString *text, const Summary *summaries)
{
  const char *before = "";

  g_string_append (text, ",\n    \"Meters\": {");
  for (guint i = 0; i < G_N_ELEMENTS (fields); i++) {
    const Summary *summary = &summaries[i];

    if (summary->count == 0 || i == CENTRE || i == WIDTH)
      continue;
    g_string_append_printf (
        text, "%s\"%s\": {\"Mean\": ", before, fields[i].name);
    sidecar_add_number (text, summary->sum / summary->count);
    g_string_append (text, ", \"Minimum\": ");
    sidecar_add_number (text, summary->least);
    g_string_append (text, ", \"Maximum\": ");
    sidecar_add_number (text, summary->most);
    g_string_append_printf (text, ", \"Measurements\": %u}", summary->count);
    before = ", ";
  }
  g_string_append_c (text, '}');
}

/* The file that was named, or that of the spectra has it. */
static gboolean
add_calibration (
    GString *text, const OctConvertOptions *options, GError **error)
{
  const char *path = options->source.calibration;
  g_autofree char *base = path != NULL ? g_path_get_basename (path) : NULL;
  g_autofree char *content = NULL;
  g_autofree char *sum = NULL;
  gsize size;

  g_string_append (text, ",\n    \"Calibration\": {");
  if (path == NULL) {
    sidecar_add_text (text, "Source", "as the file of spectra has it");
  } else {
    if (!g_file_get_contents (path, &content, &size, error))
      return FALSE;
    sum = g_compute_checksum_for_data (
        G_CHECKSUM_SHA256, (const guchar *)content, size);
    if (!options->deidentify) {
      sidecar_add_text (text, "File", base);
      g_string_append (text, ", ");
    }
    sidecar_add_text (text, "SHA256", sum);
  }
  g_string_append_c (text, '}');
  return TRUE;
}

static char *
make_sidecar (const OctConvertOptions *options, const OctConvertInput *input,
    GstElement *pipeline, OctConvertMeters *meters, GError **error)
{
  g_autoptr (GString) text = g_string_new ("{\n");
  g_autofree char *base = g_path_get_basename (input->path);
  g_autofree char *version = g_strconcat ("gst-oct ", oct_version_get (), NULL);
  double um[3];
  gboolean ok;

  get_pixel_size (pipeline, um);
  if (!add_pixel_size (text, um, error))
    return NULL;
  g_string_append (text, "  ");
  sidecar_add_text (text, "SoftwareVersions", version);
  g_string_append (text, ",\n  \"OCT\": {\n    \"PixelAxes\": [\"A-line\", "
                         "\"depth\", \"B-scan\"],\n    ");
  if (!options->deidentify) {
    sidecar_add_text (text, "Input", base);
    g_string_append (text, ",\n    ");
  }
  sidecar_add_text (text, "Contents",
      options->flow      ? "vessels"
      : options->doppler ? "velocities"
                         : "images");
  g_string_append (text, ",\n    ");
  sidecar_add_text (text, "Method",
      options->method != NULL ? options->method : oct_methods ()->id);
  g_string_append (text, ",\n    \"RefractiveIndex\": ");
  sidecar_add_number (text, options->refractive_index);
  /* the meter may still be at work */
  g_mutex_lock (&meters->lock);
  add_light (text, meters->summaries);
  add_meters (text, meters->summaries);
  g_mutex_unlock (&meters->lock);
  ok = add_calibration (text, options, error);
  g_string_append (text, "\n  }\n}\n");
  return ok ? g_string_free (g_steal_pointer (&text), FALSE) : NULL;
}

/* ------------------------------------------------------------------ writing */

/* "NAME.ome.zarr" and "NAME-1.tif" to "NAME.json" and "NAME-1.json". */
static char *
make_sidecar_path (
    const OctConvertInput *input, const char *folder, const char *volume)
{
  g_autofree char *base = g_path_get_basename (input->name);
  gsize stem = strlen (base) + strcspn (volume + strlen (base), ".");
  g_autofree char *name = g_strdup_printf ("%.*s.json", (int)stem, volume);

  return g_build_filename (folder, name, NULL);
}

gboolean
oct_convert_sidecar_write (const OctConvertOptions *options,
    const OctConvertInput *input, GstElement *pipeline,
    OctConvertMeters *meters, const char *folder, GError **error)
{
  g_autoptr (GPtrArray) volumes = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *text =
      oct_file_list_folder (folder, volumes, error)
          ? make_sidecar (options, input, pipeline, meters, error)
          : NULL;

  for (guint i = 0; text != NULL && i < volumes->len; i++) {
    g_autofree char *path =
        make_sidecar_path (input, folder, volumes->pdata[i]);

    if (!oct_file_mode_write (path, text, -1, options->file_mode & 0666, error))
      return FALSE;
  }
  return text != NULL;
}
