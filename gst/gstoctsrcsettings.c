/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstoctsrcsettings.h"
#include "gstoctcalibration.h"

#define DEFAULT_NOISE 1.0
#define DEFAULT_DEPTH 0.5e-3
#define DEFAULT_SEED 1

enum {
  PROP_LOCATION = GST_OCT_SRC_FIRST_SETTING,
  PROP_FORMAT,
  PROP_SAMPLES,
  PROP_LINES,
  PROP_BSCANS,
  PROP_SAMPLE_FORMAT,
  PROP_HEADER_SIZE,
  PROP_LOOP,
  PROP_LINE_RATE,
  PROP_PRELOAD,
  PROP_PHANTOM,
  PROP_DEPTH,
  PROP_NOISE,
  PROP_SEED,
  PROP_BACKEND,
  PROP_CUDA_DEVICE_ID,
};

#define GST_TYPE_OCT_FILE_FORMAT (file_format_get_type ())
static GType
file_format_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
    { OCT_FILE_AUTO, "By the content of the file", "auto" },
    { OCT_FILE_RAW, "Flat samples after a header of `header-size`", "raw" },
    { OCT_FILE_NPY, "NumPy array of 1, 2 or 3 dimensions", "npy" },
    { 0, NULL, NULL },
  };

  if (g_once_init_enter (&type))
    g_once_init_leave (
        &type, g_enum_register_static ("GstOctFileFormat", values));
  return type;
}

#define GST_TYPE_OCT_SAMPLE_FORMAT (sample_format_get_type ())
static GType
sample_format_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
    { OCT_SAMPLE_U16, "Unsigned 16 bit, little endian", "gray16-le" },
    { OCT_SAMPLE_U8, "Unsigned 8 bit", "gray8" },
    { 0, NULL, NULL },
  };

  if (g_once_init_enter (&type))
    g_once_init_leave (
        &type, g_enum_register_static ("GstOctSampleFormat", values));
  return type;
}

#define GST_TYPE_OCT_PHANTOM (phantom_get_type ())
static GType
phantom_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
    { OCT_PHANTOM_LAYERS, "Layered, moving tissue and an instrument tip",
        "layers" },
    { OCT_PHANTOM_MIRROR, "A mirror at `depth`", "mirror" },
    { 0, NULL, NULL },
  };

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_enum_register_static ("GstOctPhantom", values));
  return type;
}

void
gst_oct_src_settings_init (GstOctSrcSettings *settings)
{
  memset (settings, 0, sizeof *settings);
  settings->input.reader.sample_format = OCT_SAMPLE_U16;
  settings->input.phantom.noise = DEFAULT_NOISE;
  settings->input.phantom.depth = DEFAULT_DEPTH;
  settings->input.phantom.seed = DEFAULT_SEED;
  settings->cuda_device_id = -1;
}

void
gst_oct_src_settings_clear (GstOctSrcSettings *settings)
{
  g_clear_pointer (&settings->input.location, g_free);
  oct_calibration_settings_clear (&settings->calibration);
}

/* An empty path means none, as gst-launch-1.0 location="" has it. */
static void
set_location (GstOctInputSettings *input, const char *location)
{
  g_free (input->location);
  input->location =
      location != NULL && *location != '\0' ? g_strdup (location) : NULL;
}

gboolean
gst_oct_src_settings_set (
    GstOctSrcSettings *settings, guint id, const GValue *value)
{
  switch (id) {
  case PROP_LOCATION:
    set_location (&settings->input, g_value_get_string (value));
    return TRUE;
  case PROP_FORMAT:
    settings->input.reader.format = g_value_get_enum (value);
    return TRUE;
  case PROP_SAMPLES:
    settings->input.reader.samples = g_value_get_uint (value);
    return TRUE;
  case PROP_LINES:
    settings->input.reader.lines = g_value_get_uint (value);
    return TRUE;
  case PROP_BSCANS:
    settings->input.reader.bscans = g_value_get_uint (value);
    return TRUE;
  case PROP_SAMPLE_FORMAT:
    settings->input.reader.sample_format = g_value_get_enum (value);
    return TRUE;
  case PROP_HEADER_SIZE:
    settings->input.reader.header_size = g_value_get_uint64 (value);
    return TRUE;
  case PROP_LOOP:
    settings->loop = g_value_get_boolean (value);
    return TRUE;
  case PROP_LINE_RATE:
    settings->line_rate = g_value_get_double (value);
    return TRUE;
  case PROP_PRELOAD:
    settings->input.preload = g_value_get_boolean (value);
    return TRUE;
  case PROP_PHANTOM:
    settings->input.phantom.kind = g_value_get_enum (value);
    return TRUE;
  case PROP_DEPTH:
    settings->input.phantom.depth = g_value_get_double (value);
    return TRUE;
  case PROP_NOISE:
    settings->input.phantom.noise = g_value_get_double (value);
    return TRUE;
  case PROP_SEED:
    settings->input.phantom.seed = g_value_get_uint (value);
    return TRUE;
  case PROP_BACKEND:
    settings->backend = g_value_get_enum (value);
    return TRUE;
  case PROP_CUDA_DEVICE_ID:
    settings->cuda_device_id = g_value_get_int (value);
    return TRUE;
  default:
    return gst_oct_calibration_set_property (&settings->calibration, id, value);
  }
}

gboolean
gst_oct_src_settings_get (
    const GstOctSrcSettings *settings, guint id, GValue *value)
{
  switch (id) {
  case PROP_LOCATION:
    g_value_set_string (value, settings->input.location);
    return TRUE;
  case PROP_FORMAT:
    g_value_set_enum (value, settings->input.reader.format);
    return TRUE;
  case PROP_SAMPLES:
    g_value_set_uint (value, settings->input.reader.samples);
    return TRUE;
  case PROP_LINES:
    g_value_set_uint (value, settings->input.reader.lines);
    return TRUE;
  case PROP_BSCANS:
    g_value_set_uint (value, settings->input.reader.bscans);
    return TRUE;
  case PROP_SAMPLE_FORMAT:
    g_value_set_enum (value, settings->input.reader.sample_format);
    return TRUE;
  case PROP_HEADER_SIZE:
    g_value_set_uint64 (value, settings->input.reader.header_size);
    return TRUE;
  case PROP_LOOP:
    g_value_set_boolean (value, settings->loop);
    return TRUE;
  case PROP_LINE_RATE:
    g_value_set_double (value, settings->line_rate);
    return TRUE;
  case PROP_PRELOAD:
    g_value_set_boolean (value, settings->input.preload);
    return TRUE;
  case PROP_PHANTOM:
    g_value_set_enum (value, settings->input.phantom.kind);
    return TRUE;
  case PROP_DEPTH:
    g_value_set_double (value, settings->input.phantom.depth);
    return TRUE;
  case PROP_NOISE:
    g_value_set_double (value, settings->input.phantom.noise);
    return TRUE;
  case PROP_SEED:
    g_value_set_uint (value, settings->input.phantom.seed);
    return TRUE;
  case PROP_BACKEND:
    g_value_set_enum (value, settings->backend);
    return TRUE;
  case PROP_CUDA_DEVICE_ID:
    g_value_set_int (value, settings->cuda_device_id);
    return TRUE;
  default:
    return gst_oct_calibration_get_property (&settings->calibration, id, value);
  }
}

#define READY                                                                  \
  (G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_READY)

static void
install_file_properties (GObjectClass *klass)
{
  g_object_class_install_property (klass, PROP_LOCATION,
      g_param_spec_string ("location", "File",
          "File of spectra: raw, .npy, or .oct of a recording (none = the "
          "virtual OCT system)",
          NULL, READY));
  g_object_class_install_property (klass, PROP_FORMAT,
      g_param_spec_enum ("format", "File format", "How the file is stored",
          GST_TYPE_OCT_FILE_FORMAT, OCT_FILE_AUTO, READY));
  g_object_class_install_property (klass, PROP_SAMPLES,
      g_param_spec_uint ("samples", "Samples",
          "Samples per A-line (0 = as the file says; virtual system: 2048)", 0,
          OCT_MAX_SAMPLES, 0, READY));
  g_object_class_install_property (klass, PROP_LINES,
      g_param_spec_uint ("lines", "Lines",
          "A-lines per B-scan (0 = as the file says; virtual system: 512)", 0,
          OCT_MAX_LINES, 0, READY));
  g_object_class_install_property (klass, PROP_BSCANS,
      g_param_spec_uint ("bscans", "B-scans",
          "B-scans per volume (0 = as the file says; virtual system: 256)", 0,
          G_MAXINT, 0, READY));
  g_object_class_install_property (klass, PROP_SAMPLE_FORMAT,
      g_param_spec_enum ("sample-format", "Sample format",
          "Stored samples of raw files and of the virtual system",
          GST_TYPE_OCT_SAMPLE_FORMAT, OCT_SAMPLE_U16, READY));
  g_object_class_install_property (klass, PROP_HEADER_SIZE,
      g_param_spec_uint64 ("header-size", "Header size",
          "Bytes before the first sample of a raw file", 0, G_MAXINT64, 0,
          READY));
  g_object_class_install_property (klass, PROP_LOOP,
      g_param_spec_boolean (
          "loop", "Loop", "Start again at the end of the file", FALSE, READY));
  g_object_class_install_property (klass, PROP_PRELOAD,
      g_param_spec_boolean ("preload", "Preload",
          "Hold the whole file in memory and deliver from there", FALSE,
          READY));
}

static void
install_system_properties (GObjectClass *klass)
{
  g_object_class_install_property (klass, PROP_LINE_RATE,
      g_param_spec_double ("line-rate", "Line rate",
          "A-lines per second, for time stamps and is-live (0 = as a recording "
          "says, else as fast as possible, stamped as 30 B-scans per second)",
          0.0, 1e9, 0.0, READY));
  g_object_class_install_property (klass, PROP_PHANTOM,
      g_param_spec_enum ("phantom", "Phantom",
          "What the virtual system looks at", GST_TYPE_OCT_PHANTOM,
          OCT_PHANTOM_LAYERS, READY));
  g_object_class_install_property (klass, PROP_DEPTH,
      g_param_spec_double ("depth", "Depth",
          "phantom=mirror: depth of the mirror in metres", 0.0, 1.0,
          DEFAULT_DEPTH, READY));
  g_object_class_install_property (klass, PROP_NOISE,
      g_param_spec_double ("noise", "Noise",
          "Virtual system: shot and read noise as a multiple of a real "
          "camera's (0 = none)",
          0.0, 1000.0, DEFAULT_NOISE, READY));
  g_object_class_install_property (klass, PROP_SEED,
      g_param_spec_uint ("seed", "Seed",
          "Virtual system: the same seed gives the same spectra", 0, G_MAXUINT,
          DEFAULT_SEED, READY));
  gst_oct_backend_install_properties (klass, PROP_BACKEND, PROP_CUDA_DEVICE_ID);
  gst_oct_calibration_install_properties (klass);
}

void
gst_oct_src_settings_install (GObjectClass *klass)
{
  install_file_properties (klass);
  install_system_properties (klass);
  gst_type_mark_as_plugin_api (GST_TYPE_OCT_FILE_FORMAT, 0);
  gst_type_mark_as_plugin_api (GST_TYPE_OCT_SAMPLE_FORMAT, 0);
  gst_type_mark_as_plugin_api (GST_TYPE_OCT_PHANTOM, 0);
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
