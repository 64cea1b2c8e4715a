/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstoctsrcsettings.h"
#include "gstoctcalibration.h"
#include "gstoctscanmeta.h"

#define MAX_FILE_FORMATS 32

/* Those of the table of formats. */
static GType
get_file_format_type (void)
{
  static GEnumValue values[MAX_FILE_FORMATS + 2] = { { OCT_FILE_AUTO,
      "By the content of the file", "auto" } };
  static gsize type = 0;

  if (g_once_init_enter (&type)) {
    OctFileFormat format;
    const char *nick, *blurb;

    for (guint n = 0;
         (nick = oct_reader_describe_format (n, &format, &blurb)) != NULL;
         n++) {
      g_assert (n < MAX_FILE_FORMATS);
      values[n + 1] = (GEnumValue){ (gint)format, blurb, nick };
    }
    g_once_init_leave (
        &type, g_enum_register_static ("GstOctFileFormat", values));
  }
  return type;
}

/* Those of the table of types. */
static GType
get_sample_format_type (void)
{
  static GEnumValue values[OCT_STORED_COUNT + 1];
  static gsize type = 0;

  if (g_once_init_enter (&type)) {
    for (guint i = 0; i < OCT_STORED_COUNT; i++) {
      const OctStoredType *row = oct_stored_get ((OctStored)i);

      values[i] = (GEnumValue){ (gint)i, row->blurb, row->nick };
    }
    g_once_init_leave (
        &type, g_enum_register_static ("GstOctSampleFormat", values));
  }
  return type;
}

static const GEnumValue packings[] = {
  { OCT_PACKING_NONE, "Each value in bytes of its own", "none" },
  { OCT_PACKING_MONO12P, "Two values of 12 bits in three bytes, lowest first",
      "mono12p" },
  { OCT_PACKING_MONO12PACKED,
      "Two values of 12 bits in three bytes, their lowest four in the middle",
      "mono12packed" },
  { 0, NULL, NULL },
};

static const GEnumValue phantoms[] = {
  { OCT_PHANTOM_LAYERS, "Layered, moving tissue and an instrument tip",
      "layers" },
  { OCT_PHANTOM_MIRROR, "A mirror at `depth`", "mirror" },
  { OCT_PHANTOM_SURGERY,
      "For volumes: tissue that beats, an incision, a moving instrument",
      "surgery" },
  { OCT_PHANTOM_FLOW,
      "Tissue with blood flow in vessels, which moves with the pulse", "flow" },
  { 0, NULL, NULL },
};

static const GEnumValue scan_masks[] = {
  { GST_OCT_SCAN_MASK_NONE, "Whole volumes", "none" },
  { GST_OCT_SCAN_MASK_SAME_LINES,
      "Random B-scans, and the same random A-lines of each", "same-lines" },
  { GST_OCT_SCAN_MASK_SCATTERED,
      "All B-scans, and different random A-lines of each", "scattered" },
  { GST_OCT_SCAN_MASK_FILE, "As `scan-mask-file` says", "file" },
  { 0, NULL, NULL },
};

static const GEnumValue scan_looks[] = {
  { GST_OCT_SCAN_LOOK_NONE, "A raster, whose spacings are not known", "none" },
  { OCT_SCAN_RASTER, "B-scans below each other", "raster" },
  { OCT_SCAN_RADIAL, "B-scans through the middle", "radial" },
  { OCT_SCAN_SPIRAL, "A spiral of constant velocity", "spiral" },
  { OCT_SCAN_SPIRAL_ANGULAR, "A spiral with as many A-lines in each turn",
      "spiral-angular" },
  { OCT_SCAN_LISSAJOUS, "Two sines, closed", "lissajous" },
  { OCT_SCAN_ROSETTE, "Petals through the middle, closed", "rosette" },
  { OCT_SCAN_FILE, "The places in `scan-file`", "file" },
  { 0, NULL, NULL },
};

static GST_OCT_DEFINE_ENUM (get_scan_look_type, "GstOctScanLook",
    scan_looks) static GST_OCT_DEFINE_ENUM (get_scan_mask_type,
    "GstOctScanMaskChoice",
    scan_masks) static GST_OCT_DEFINE_ENUM (get_phantom_type, "GstOctPhantom",
    phantoms) static GST_OCT_DEFINE_ENUM (get_packing_type, "GstOctPacking",
    packings)

    static const GstOctProperty rows[] = {
      { "location", "File",
          "File of spectra, or .oct of a recording (none = the virtual OCT "
          "system)",
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
      { "repeats", "Repeated B-scans",
          "B-scans that are taken one after the other at each place of a "
          "volume, all of them counted by `bscans` (0 = as the file says, else "
          "1)",
          0, NULL,
          GST_OCT_UINT (GstOctSrcSettings, input.repeats, 0, G_MAXINT, 0) },
      { "bscans-per-buffer", "B-scans per buffer",
          "B-scans that travel together in one buffer (0 = those of a volume); "
          "more are faster where B-scans are small",
          0, NULL,
          GST_OCT_UINT (GstOctSrcSettings, per_buffer, 0, OCT_MAX_LINES, 1) },
      { "sample-format", "Sample format",
          "Stored samples of raw files, and of the virtual system (gray16-le "
          "or gray8)",
          0, NULL,
          GST_OCT_ENUM (GstOctSrcSettings, input.reader.stored,
              get_sample_format_type, OCT_STORED_U2) },
      { "header-size", "Header size",
          "Bytes before the first sample of a raw file", 0, NULL,
          GST_OCT_UINT64 (
              GstOctSrcSettings, input.reader.header_size, 0, G_MAXINT64, 0) },
      { "packing", "Packing",
          "How a raw file packs samples of 12 bits, which are delivered as 16 "
          "bits",
          0, NULL,
          GST_OCT_ENUM (GstOctSrcSettings, input.reader.packing,
              get_packing_type, OCT_PACKING_NONE) },
      { "variable", "Variable",
          "Which variable of a MATLAB file has the spectra (none = the only "
          "one that can have them)",
          0, NULL, GST_OCT_STRING (GstOctSrcSettings, input.reader.variable) },
      { "dataset", "Dataset",
          "Which dataset of an HDF5 file, or channel of a TDMS file, has the "
          "spectra (none = the only one that can have them)",
          0, NULL, GST_OCT_STRING (GstOctSrcSettings, input.reader.dataset) },
      { "sample-dimension", "Sample dimension",
          "Which dimension of an array has the samples, 1 is the first (0 = "
          "the last one, and the first one of MATLAB); 2 for raw files and "
          "TIFF whose frames have an A-line in each column",
          0, NULL,
          GST_OCT_UINT (GstOctSrcSettings, input.reader.sample_dimension, 0,
              OCT_READER_MAX_DIMS, 0) },
      { "channel", "Channel",
          "Which channel of an array is read, whose last dimension (MATLAB: "
          "first) is channels, 1 is the first (0 = the only one)",
          0, NULL,
          GST_OCT_UINT (GstOctSrcSettings, input.reader.channel, 0,
              OCT_READER_MAX_CHANNELS, 0) },
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
      { "volume-rate", "Volume rate",
          "Volumes per second, in place of `line-rate` (0 = not given)", 0,
          NULL,
          GST_OCT_DOUBLE (GstOctSrcSettings, volume_rate, 0.0, 1e6, 0.0) },
      { "phantom", "Phantom", "What the virtual system looks at", 0, NULL,
          GST_OCT_ENUM (GstOctSrcSettings, input.phantom.kind, get_phantom_type,
              OCT_PHANTOM_LAYERS) },
      { "depth", "Depth", "phantom=mirror: depth of the mirror in metres", 0,
          NULL,
          GST_OCT_DOUBLE (
              GstOctSrcSettings, input.phantom.depth, 0.0, 1.0, 0.5e-3) },
      { "motion", "Motion",
          "phantom=flow: motion of the sample as a multiple of a patient's, by "
          "pulse and breathing (0 = none)",
          0, NULL,
          GST_OCT_DOUBLE (GstOctSrcSettings, input.phantom.motion, 0.0,
              OCT_PHANTOM_MOST_MOTION, 1.0) },
      { "flow", "Flow",
          "phantom=flow: speeds of the blood as a multiple of usual ones (0 = "
          "it stands)",
          0, NULL,
          GST_OCT_DOUBLE (GstOctSrcSettings, input.phantom.flow, 0.0,
              OCT_PHANTOM_MOST_MOTION, 1.0) },
      { "jitter", "Trigger jitter",
          "phantom=flow: how early or late A-lines are triggered, samples root "
          "mean square",
          0, NULL,
          GST_OCT_DOUBLE (GstOctSrcSettings, input.phantom.jitter, 0.0,
              OCT_PHANTOM_MOST_JITTER, 0.0) },
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
      { "spot-x", "Spot along a B-scan",
          "Virtual system, not phantom=mirror: full width at half maximum of "
          "the amplitude of the focal spot along a B-scan, in A-lines (both "
          "spots 0 = none)",
          0, NULL,
          GST_OCT_DOUBLE (GstOctSrcSettings, input.phantom.spot_x, 0.0,
              OCT_PHANTOM_MOST_SPOT, 0.0) },
      { "spot-y", "Spot across B-scans",
          "Virtual system, not phantom=mirror: full width at half maximum of "
          "the amplitude of the focal spot across B-scans, in B-scans (both "
          "spots 0 = none)",
          0, NULL,
          GST_OCT_DOUBLE (GstOctSrcSettings, input.phantom.spot_y, 0.0,
              OCT_PHANTOM_MOST_SPOT, 0.0) },
      { "scan", "Scan",
          "Virtual system, phantom=layers, surgery or mirror: the path along "
          "which it looks at its sample of 6 mm; octremap makes a raster of it",
          0, NULL,
          GST_OCT_ENUM (GstOctSrcSettings, input.look.pattern,
              get_scan_look_type, GST_OCT_SCAN_LOOK_NONE) },
      { "scan-width", "Width of the scan",
          "Width, height and diameter of the path of `scan` in mm (not of "
          "scan=file)",
          0, NULL,
          GST_OCT_DOUBLE (GstOctSrcSettings, input.look.width, 0.001, 100.0,
              GST_OCT_SCAN_SAMPLE) },
      { "scan-file", "Scan file",
          "File of scan=file: a row of x and y in mm for each A-line, as "
          "octscangen reads it",
          0, NULL, GST_OCT_STRING (GstOctSrcSettings, input.look.file) },
      { "scan-mask", "Scan mask",
          "Which A-lines of a volume are delivered, for octvolumecs to fill in "
          "the others",
          0, NULL,
          GST_OCT_ENUM (GstOctSrcSettings, input.cut.kind, get_scan_mask_type,
              GST_OCT_SCAN_MASK_NONE) },
      { "scan-rate", "Scan rate",
          "Part of the A-lines of a volume that is delivered, above 0 (not for "
          "scan-mask=file)",
          0, NULL,
          GST_OCT_DOUBLE (GstOctSrcSettings, input.cut.rate, 0.0, 1.0, 0.36) },
      { "scan-max-gap", "Largest gap of the scan",
          "Largest number of neighbouring A-lines, and of neighbouring "
          "B-scans, that are left out (0 = 1.6 divided by the part of them "
          "that is taken)",
          0, NULL,
          GST_OCT_UINT (
              GstOctSrcSettings, input.cut.max_gap, 0, OCT_MAX_LINES, 0) },
      { "scan-seed", "Seed of the scan",
          "Seed of the random choice of A-lines; the same one gives the same "
          "mask",
          0, NULL,
          GST_OCT_UINT64 (
              GstOctSrcSettings, input.cut.seed, 0, G_MAXUINT64, 11) },
      { "scan-mask-file", "Scan mask file",
          "Text file with a row for every B-scan of a volume, of 0 or 1 for "
          "every A-line (scan-mask=file)",
          0, NULL, GST_OCT_STRING (GstOctSrcSettings, input.cut.file) },
      { "scan-mask-output", "Scan mask output",
          "File to write the scan mask to, for a scanner to take the same "
          "A-lines (none = not written)",
          0, NULL, GST_OCT_STRING (GstOctSrcSettings, input.cut.output) },
      GST_OCT_BACKEND_ROWS (GstOctSrcSettings, backend, cuda_device_id),
      GST_OCT_CALIBRATION_ROWS (
          GstOctSrcSettings, calibration, GST_OCT_PROPERTY_LIVE),
    };
const GstOctProperties gst_oct_src_properties =
    GST_OCT_PROPERTIES (GstOctSrcSettings, rows);

/* An empty text means none, as gst-launch-1.0 location="" has it. */
static void
forget_empty (char **text)
{
  if (*text != NULL && **text == '\0')
    g_clear_pointer (text, g_free);
}

gboolean
gst_oct_src_settings_changed (
    GstOctSrcSettings *settings, const GstOctProperty *row)
{
  forget_empty (&settings->input.location);
  forget_empty (&settings->input.reader.variable);
  forget_empty (&settings->input.reader.dataset);
  forget_empty (&settings->input.look.file);
  return g_strcmp0 (row->group, "calibration") == 0;
}

double
gst_oct_src_settings_get_bscan_rate (
    const GstOctSrcSettings *settings, const GstOctInput *input)
{
  const OctReaderInfo *info = gst_oct_input_get_info (input);

  if (settings->volume_rate > 0.0)
    return settings->volume_rate * info->bscans;
  return settings->line_rate > 0.0 ? settings->line_rate / info->lines
                                   : gst_oct_input_get_bscan_rate (input);
}

gboolean
gst_oct_src_settings_check_live (
    const GstOctSrcSettings *settings, const GstOctInput *input, GError **error)
{
  if (gst_oct_src_settings_get_bscan_rate (settings, input) > 0.0)
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

  /* elements would leave their numbers out of account */
  if (info->bscans > GST_OCT_SCAN_MOST_BSCANS) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "Volumes of %u B-scans were asked for; one has at most %d, set "
        "`bscans` to that or less.",
        info->bscans, GST_OCT_SCAN_MOST_BSCANS);
    return 0;
  }
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

/* Puts in the rows of that many B-scans, how far they are apart, how often each
 * is repeated, and what they are of (mask, NULL: whole volumes). */
static void
describe_count (const OctReaderInfo *info, const OctScanMask *mask, guint count,
    GstStructure *s)
{
  if (gst_structure_has_name (s, "video/x-raw"))
    gst_structure_set (
        s, "height", G_TYPE_INT, (gint)(info->lines * count), NULL);
  else
    gst_structure_set (s, "lines", G_TYPE_INT, (gint)info->lines, NULL);
  if (info->x_spacing > 0.0)
    gst_structure_set (s, "x-spacing", G_TYPE_DOUBLE, info->x_spacing, NULL);
  if (info->y_spacing > 0.0)
    gst_structure_set (s, "y-spacing", G_TYPE_DOUBLE, info->y_spacing, NULL);
  if (info->repeats > 1)
    gst_structure_set (
        s, GST_OCT_REPEATS_FIELD, G_TYPE_INT, (gint)info->repeats, NULL);
  if (mask != NULL
      && (mask->lines != info->lines || mask->bscans != info->bscans))
    gst_structure_set (s, GST_OCT_SCAN_LINES_FIELD, G_TYPE_INT,
        (gint)mask->lines, GST_OCT_SCAN_BSCANS_FIELD, G_TYPE_INT,
        (gint)mask->bscans, NULL);
  if (count > 1)
    gst_structure_set (s, GST_OCT_BSCANS_FIELD, G_TYPE_INT, (gint)count, NULL);
}

/* Puts in the rate and the length that phases need, if they are known, and that
 * there is a k-clock. */
static void
describe_optics (
    const GstOctSrcSettings *settings, GstOctInput *input, GstStructure *s)
{
  double wavelength = gst_oct_input_get_wavelength (input);
  double rate = settings->line_rate > 0.0 ? settings->line_rate
                                          : gst_oct_input_get_line_rate (input);
  gint n = 0, d = 1;

  if (rate > 0.0)
    gst_util_double_to_fraction (rate, &n, &d);
  if (n > 0)
    gst_structure_set (
        s, GST_OCT_LINE_RATE_FIELD, GST_TYPE_FRACTION, n, d, NULL);
  if (gst_oct_wavelength_is_possible (wavelength))
    gst_structure_set (
        s, GST_OCT_WAVELENGTH_FIELD, G_TYPE_DOUBLE, wavelength, NULL);
  if (gst_oct_input_has_k_clock (input))
    gst_structure_set (s, GST_OCT_K_CLOCK_FIELD, G_TYPE_BOOLEAN, TRUE, NULL);
}

/* Puts in the B-scans per second, any rate if they are not known. */
static void
describe_framerate (const GstOctSrcSettings *settings, const GstOctInput *input,
    GstStructure *s)
{
  double rate = gst_oct_src_settings_get_bscan_rate (settings, input);
  gint n, d;

  if (rate > 0.0) {
    gst_util_double_to_fraction (rate, &n, &d);
    gst_structure_set (s, "framerate", GST_TYPE_FRACTION, MAX (n, 1), d, NULL);
  } else {
    gst_structure_set (s, "framerate", GST_TYPE_FRACTION_RANGE, 1, G_MAXINT,
        G_MAXINT, 1, NULL);
  }
}

GstStructure *
gst_oct_src_settings_describe (
    const GstOctSrcSettings *settings, GstOctInput *input, guint count)
{
  const OctReaderInfo *info = gst_oct_input_get_info (input);
  GstStructure *s;

  if (info->sample_format == OCT_SAMPLE_F32)
    s = gst_structure_new (GST_OCT_SPECTRA_NAME, "format", G_TYPE_STRING,
        "F32LE", "axis", G_TYPE_STRING, "wavelength", "samples", G_TYPE_INT,
        (gint)info->samples, NULL);
  else
    s = gst_structure_new ("video/x-raw", "format", G_TYPE_STRING,
        info->sample_format == OCT_SAMPLE_U8 ? "GRAY8" : "GRAY16_LE", "width",
        G_TYPE_INT, (gint)info->samples, NULL);
  describe_count (info, gst_oct_input_get_scan_mask (input, 0), count, s);
  describe_framerate (settings, input, s);
  describe_optics (settings, input, s);
  return s;
}
