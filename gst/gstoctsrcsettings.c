/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstoctsrcsettings.h"
#include "gstoctcalibration.h"

static const GEnumValue file_formats[] = {
  { OCT_FILE_AUTO, "By the content of the file", "auto" },
  { OCT_FILE_RAW, "Flat samples after a header of `header-size`", "raw" },
  { OCT_FILE_NPY, "NumPy array of 1, 2 or 3 dimensions", "npy" },
  { 0, NULL, NULL },
};

static const GEnumValue sample_formats[] = {
  { OCT_SAMPLE_U16, "Unsigned 16 bit, little endian", "gray16-le" },
  { OCT_SAMPLE_U8, "Unsigned 8 bit", "gray8" },
  { 0, NULL, NULL },
};

static const GEnumValue phantoms[] = {
  { OCT_PHANTOM_LAYERS, "Layered, moving tissue and an instrument tip",
      "layers" },
  { OCT_PHANTOM_MIRROR, "A mirror at `depth`", "mirror" },
  { 0, NULL, NULL },
};

static GST_OCT_DEFINE_ENUM (get_file_format_type, "GstOctFileFormat",
    file_formats) static GST_OCT_DEFINE_ENUM (get_sample_format_type,
    "GstOctSampleFormat",
    sample_formats) static GST_OCT_DEFINE_ENUM (get_phantom_type,
    "GstOctPhantom", phantoms)

    static const GstOctProperty rows[] = {
      { "location", "File",
          "File of spectra: raw, .npy, or .oct of a recording (none = the "
          "virtual OCT system)",
          0, NULL, GST_OCT_STRING (GstOctSrcSettings, input.location) },
      { "format", "File format", "How the file is stored", 0, NULL,
          GST_OCT_ENUM (GstOctSrcSettings, input.reader.format,
              get_file_format_type, OCT_FILE_AUTO) },
      { "samples", "Samples",
          "Samples per A-line (0 = as the file says; virtual system: 2048)", 0,
          NULL,
          GST_OCT_UINT (
              GstOctSrcSettings, input.reader.samples, 0, OCT_MAX_SAMPLES, 0) },
      { "lines", "Lines",
          "A-lines per B-scan (0 = as the file says; virtual system: 512)", 0,
          NULL,
          GST_OCT_UINT (
              GstOctSrcSettings, input.reader.lines, 0, OCT_MAX_LINES, 0) },
      { "bscans", "B-scans",
          "B-scans per volume (0 = as the file says; virtual system: 256)", 0,
          NULL,
          GST_OCT_UINT (
              GstOctSrcSettings, input.reader.bscans, 0, G_MAXINT, 0) },
      { "bscans-per-buffer", "B-scans per buffer",
          "B-scans that travel together in one buffer (0 = those of a volume); "
          "more are faster where B-scans are small",
          0, NULL,
          GST_OCT_UINT (GstOctSrcSettings, per_buffer, 0, OCT_MAX_LINES, 1) },
      { "sample-format", "Sample format",
          "Stored samples of raw files and of the virtual system", 0, NULL,
          GST_OCT_ENUM (GstOctSrcSettings, input.reader.sample_format,
              get_sample_format_type, OCT_SAMPLE_U16) },
      { "header-size", "Header size",
          "Bytes before the first sample of a raw file", 0, NULL,
          GST_OCT_UINT64 (
              GstOctSrcSettings, input.reader.header_size, 0, G_MAXINT64, 0) },
      { "loop", "Loop", "Start again at the end of the file", 0, NULL,
          GST_OCT_BOOLEAN (GstOctSrcSettings, loop, FALSE) },
      { "preload", "Preload",
          "Hold the whole file in memory and deliver from there", 0, NULL,
          GST_OCT_BOOLEAN (GstOctSrcSettings, input.preload, FALSE) },
      { "line-rate", "Line rate",
          "A-lines per second, for time stamps and is-live (0 = as a recording "
          "says, else as fast as possible, stamped as 30 B-scans per second)",
          0, NULL,
          GST_OCT_DOUBLE (GstOctSrcSettings, line_rate, 0.0, 1e9, 0.0) },
      { "phantom", "Phantom", "What the virtual system looks at", 0, NULL,
          GST_OCT_ENUM (GstOctSrcSettings, input.phantom.kind, get_phantom_type,
              OCT_PHANTOM_LAYERS) },
      { "depth", "Depth", "phantom=mirror: depth of the mirror in metres", 0,
          NULL,
          GST_OCT_DOUBLE (
              GstOctSrcSettings, input.phantom.depth, 0.0, 1.0, 0.5e-3) },
      { "noise", "Noise",
          "Virtual system: shot and read noise as a multiple of a real "
          "camera's (0 = none)",
          0, NULL,
          GST_OCT_DOUBLE (
              GstOctSrcSettings, input.phantom.noise, 0.0, 1000.0, 1.0) },
      { "seed", "Seed", "Virtual system: the same seed gives the same spectra",
          0, NULL,
          GST_OCT_UINT (
              GstOctSrcSettings, input.phantom.seed, 0, G_MAXUINT, 1) },
      GST_OCT_BACKEND_ROWS (GstOctSrcSettings, backend, cuda_device_id),
      GST_OCT_CALIBRATION_ROWS (
          GstOctSrcSettings, calibration, GST_OCT_PROPERTY_LIVE),
    };
static const GstOctProperties properties =
    GST_OCT_PROPERTIES (GstOctSrcSettings, rows);

void
gst_oct_src_settings_install (GObjectClass *klass)
{
  gst_oct_properties_install (&properties, klass, GST_OCT_SRC_FIRST_SETTING);
}

void
gst_oct_src_settings_init (GstOctSrcSettings *settings)
{
  memset (settings, 0, sizeof *settings);
  gst_oct_properties_init (&properties, settings);
}

void
gst_oct_src_settings_clear (GstOctSrcSettings *settings)
{
  gst_oct_properties_clear (&properties, settings);
}

gboolean
gst_oct_src_settings_set (
    GstOctSrcSettings *settings, guint id, const GValue *value)
{
  const GstOctProperty *row = &rows[id - GST_OCT_SRC_FIRST_SETTING];

  gst_oct_properties_set (row, settings, value);
  /* an empty path means none, as gst-launch-1.0 location="" has it */
  if (settings->input.location != NULL && *settings->input.location == '\0')
    g_clear_pointer (&settings->input.location, g_free);
  return g_strcmp0 (row->group, "calibration") == 0;
}

void
gst_oct_src_settings_get (
    const GstOctSrcSettings *settings, guint id, GValue *value)
{
  gst_oct_properties_get (
      &rows[id - GST_OCT_SRC_FIRST_SETTING], settings, value);
}

double
gst_oct_src_settings_get_line_rate (
    const GstOctSrcSettings *settings, const GstOctInput *input)
{
  return settings->line_rate > 0.0 ? settings->line_rate
                                   : gst_oct_input_get_line_rate (input);
}

gboolean
gst_oct_src_settings_check_live (
    const GstOctSrcSettings *settings, const GstOctInput *input, GError **error)
{
  if (gst_oct_src_settings_get_line_rate (settings, input) > 0.0)
    return TRUE;
  g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
      "octsrc is-live=true delivers at the rate of a camera, but no "
      "`line-rate` is given; set it in A-lines per second");
  return FALSE;
}

guint
gst_oct_src_settings_count_per_buffer (const GstOctSrcSettings *settings,
    const OctReaderInfo *info, GError **error)
{
  guint64 rows =
      MIN (OCT_MAX_LINES, OCT_MAX_BSCAN_VALUES / MAX (1, info->samples));
  guint most = (guint)(rows / MAX (1, info->lines));
  guint count = settings->per_buffer != 0 ? settings->per_buffer : info->bscans;

  /* a single one is for others to refuse */
  if (count <= MAX (1, most))
    return (guint)MIN (count, info->frames);
  g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
      "%u B-scans of %u lines of %u samples were asked for in one buffer%s; at "
      "most %u fit, set `bscans-per-buffer` to that or less.",
      count, info->lines, info->samples,
      settings->per_buffer == 0 ? " (bscans-per-buffer=0: a whole volume)" : "",
      MAX (1, most));
  return 0;
}

void
gst_oct_src_settings_describe_count (
    const OctReaderInfo *info, guint count, GstStructure *s)
{
  if (gst_structure_has_name (s, "video/x-raw"))
    gst_structure_set (
        s, "height", G_TYPE_INT, (gint)(info->lines * count), NULL);
  else
    gst_structure_set (s, "lines", G_TYPE_INT, (gint)info->lines, NULL);
  if (count > 1)
    gst_structure_set (s, GST_OCT_BSCANS_FIELD, G_TYPE_INT, (gint)count, NULL);
}

void
gst_oct_src_settings_describe_framerate (const GstOctSrcSettings *settings,
    const GstOctInput *input, GstStructure *s)
{
  double rate = gst_oct_src_settings_get_line_rate (settings, input);
  gint n, d;

  if (rate > 0.0) {
    gst_util_double_to_fraction (
        rate / gst_oct_input_get_info (input)->lines, &n, &d);
    gst_structure_set (s, "framerate", GST_TYPE_FRACTION, MAX (n, 1), d, NULL);
  } else {
    gst_structure_set (s, "framerate", GST_TYPE_FRACTION_RANGE, 1, G_MAXINT,
        G_MAXINT, 1, NULL);
  }
}
