/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstoctscangensettings.h"
#include "gstocterror.h"
#include "oct-scan-curve.h"
#include "oct-scan-places.h"

#include <math.h>

#define LIVE GST_OCT_PROPERTY_LIVE
#define SCAN "scan"
#define LONGEST 1e4 /* mm */
#define MOST_SECONDS 1.0

static void
free_scan_curve (gpointer curve)
{
  oct_scan_curve_free (curve);
}

static gpointer
open_scan_curve (const char *path)
{
  return oct_file_content_new (
      path, oct_scan_curve_read_content, free_scan_curve);
}

static const GstOctFileType scan_curve_file = { open_scan_curve,
  (gpointer (*) (gpointer))oct_file_content_ref,
  (void (*) (gpointer))oct_file_content_unref };

static const GEnumValue scan_patterns[] = {
  { OCT_SCAN_RASTER, "B-scans below each other", "raster" },
  { OCT_SCAN_RADIAL, "B-scans through the middle", "radial" },
  { OCT_SCAN_SPIRAL, "A spiral of constant velocity", "spiral" },
  { OCT_SCAN_SPIRAL_ANGULAR, "A spiral with as many A-lines in each turn",
      "spiral-angular" },
  { OCT_SCAN_LISSAJOUS, "Two sines, closed", "lissajous" },
  { OCT_SCAN_ROSETTE, "Petals through the middle, closed", "rosette" },
  { OCT_SCAN_FILE, "The places in the file of `location`", "file" },
  { 0, NULL, NULL },
};
static const GEnumValue scan_ways[] = {
  { GST_OCT_SCAN_ONE_WAY, "All in the same direction", "false" },
  { GST_OCT_SCAN_BOTH_WAYS, "Every second one backwards", "true" },
  { GST_OCT_SCAN_AUTO_WAYS, "Both ways for radial, one way for others",
      "auto" },
  { 0, NULL, NULL },
};
static GST_OCT_DEFINE_ENUM (get_scan_pattern_type, "GstOctScanPattern",
    scan_patterns) static GST_OCT_DEFINE_ENUM (get_scan_ways_type,
    "GstOctScanWays", scan_ways)

    static const GstOctProperty scan_gen_properties[] = {
      { "pattern", "Pattern", "Places of the A-lines", LIVE, SCAN,
          GST_OCT_ENUM (GstOctScanGenSettings, pattern, get_scan_pattern_type,
              OCT_SCAN_RASTER) },
      { "location", "Location",
          "File of pattern=file: a row of x and y in mm, and 0 where the beam "
          "is not "
          "active, for each A-line; an empty row begins a new B-scan",
          LIVE, SCAN,
          GST_OCT_FILE (
              GstOctScanGenSettings, location, curve, &scan_curve_file) },
      { "line-rate", "Line rate",
          "A-lines per second in Hz, which are the samples per second of the "
          "output",
          0, NULL,
          GST_OCT_UINT (
              GstOctScanGenSettings, line_rate, 1, 10000000, 100000) },
      { "lines", "Lines",
          "A-lines per B-scan; of a spiral, Lissajous or rosette per piece, "
          "and "
          "spiral-angular per turn",
          LIVE, SCAN,
          GST_OCT_UINT (GstOctScanGenSettings, lines, 2, OCT_MAX_LINES, 512) },
      { "bscans", "B-scans",
          "B-scans per volume; of a spiral, Lissajous or rosette pieces "
          "(spiral: "
          "without `pitch`)",
          LIVE, SCAN,
          GST_OCT_UINT (GstOctScanGenSettings, bscans, 1, OCT_MAX_LINES, 512) },
      { "width", "Width", "Width of the volume in mm; round ones: the diameter",
          LIVE, SCAN,
          GST_OCT_DOUBLE (GstOctScanGenSettings, width, 1e-6, LONGEST, 6.0) },
      { "height", "Height", "Height of the volume in mm (raster, lissajous)",
          LIVE, SCAN,
          GST_OCT_DOUBLE (GstOctScanGenSettings, height, 1e-6, LONGEST, 6.0) },
      { "angle", "Angle",
          "Turns the volume about its middle, in degrees from x to y", LIVE,
          SCAN,
          GST_OCT_DOUBLE (GstOctScanGenSettings, angle, -360.0, 360.0, 0.0) },
      { "offset-x", "Offset x", "Middle of the volume in mm", LIVE, SCAN,
          GST_OCT_DOUBLE (
              GstOctScanGenSettings, offset_x, -LONGEST, LONGEST, 0.0) },
      { "offset-y", "Offset y", "Middle of the volume in mm, downwards", LIVE,
          SCAN,
          GST_OCT_DOUBLE (
              GstOctScanGenSettings, offset_y, -LONGEST, LONGEST, 0.0) },
      { "bidirectional", "Bidirectional",
          "Every second B-scan backwards; spirals: every second volume inwards",
          LIVE, SCAN,
          GST_OCT_ENUM (GstOctScanGenSettings, bidirectional,
              get_scan_ways_type, GST_OCT_SCAN_AUTO_WAYS) },
      { "repeats", "Repeats",
          "How often each B-scan is taken (raster, radial, file)", LIVE, SCAN,
          GST_OCT_UINT (GstOctScanGenSettings, repeats, 1, 65536, 1) },
      { "group", "Group",
          "B-scans that are taken one after the other before they are repeated",
          LIVE, SCAN,
          GST_OCT_UINT (GstOctScanGenSettings, group, 1, 65536, 1) },
      { "pitch", "Pitch",
          "Distance of the turns of a spiral in mm (0 = such that it has "
          "`lines` x "
          "`bscans` A-lines)",
          LIVE, SCAN,
          GST_OCT_DOUBLE (GstOctScanGenSettings, pitch, 0.0, LONGEST, 0.0) },
      { "cycles", "Cycles",
          "Cycles of a Lissajous in x, with one more in y; of a rosette along "
          "the "
          "radius, with as many turns and one more (0 = 0.45 times the square "
          "root "
          "of the A-lines)",
          LIVE, SCAN,
          GST_OCT_UINT (GstOctScanGenSettings, cycles, 0, G_MAXINT / 2, 0) },
      { "settle", "Settle",
          "Time in s at constant velocity before the first A-line of a B-scan",
          LIVE, SCAN,
          GST_OCT_DOUBLE (
              GstOctScanGenSettings, settle, 0.0, MOST_SECONDS, 0.0) },
      { "smooth", "Smooth",
          "Time in s over which the path is averaged, which limits the jerk to "
          "twice "
          "the acceleration in this time",
          LIVE, SCAN,
          GST_OCT_DOUBLE (
              GstOctScanGenSettings, smooth, 0.0, MOST_SECONDS, 0.0) },
      { "delay-x", "Delay x",
          "Time in s by which the mirror of x is late; the output is as much "
          "earlier",
          LIVE, SCAN,
          GST_OCT_DOUBLE (GstOctScanGenSettings, delay_x, -MOST_SECONDS,
              MOST_SECONDS, 0.0) },
      { "delay-y", "Delay y", "The same of y", LIVE, SCAN,
          GST_OCT_DOUBLE (GstOctScanGenSettings, delay_y, -MOST_SECONDS,
              MOST_SECONDS, 0.0) },
      { "galvo-frequency", "Galvo frequency",
          "Natural frequency of the mirrors in Hz: the output is what has "
          "mirrors of "
          "second order follow the path (0 = it is the path itself)",
          LIVE, SCAN,
          GST_OCT_DOUBLE (
              GstOctScanGenSettings, galvo_frequency, 0.0, 1e6, 0.0) },
      { "galvo-damping", "Galvo damping", "Damping ratio of the mirrors", LIVE,
          SCAN,
          GST_OCT_DOUBLE (
              GstOctScanGenSettings, galvo_damping, 0.01, 10.0, 0.8) },
#define LIMIT(name, nick, blurb, member, most, first)                          \
  {                                                                            \
    name, nick, blurb, 0, NULL,                                                \
        GST_OCT_DOUBLE (GstOctScanGenSettings, member, 1e-6, most, first)      \
  }
      LIMIT ("limit-amplitude-x", "Limit of amplitude x",
          "The farthest from the middle in mm", amplitude_x, LONGEST, 5.0),
      LIMIT ("limit-amplitude-y", "Limit of amplitude y",
          "The farthest from the middle in mm", amplitude_y, LONGEST, 5.0),
      LIMIT ("limit-velocity-x", "Limit of velocity x", "In mm/s", velocity_x,
          1e9, 1e4),
      LIMIT ("limit-velocity-y", "Limit of velocity y", "In mm/s", velocity_y,
          1e9, 1e4),
      LIMIT ("limit-acceleration-x", "Limit of acceleration x", "In mm/s^2",
          acceleration_x, 1e12, 5e6),
      LIMIT ("limit-acceleration-y", "Limit of acceleration y", "In mm/s^2",
          acceleration_y, 1e12, 5e6),
#undef LIMIT
      { "volts-per-unit-x", "Volts per mm x",
          "Output for one mm of x; below 0: the other way round", 0, NULL,
          GST_OCT_DOUBLE (GstOctScanGenSettings, volts_x, -1e6, 1e6, 0.64) },
      { "volts-per-unit-y", "Volts per mm y", "The same of y", 0, NULL,
          GST_OCT_DOUBLE (GstOctScanGenSettings, volts_y, -1e6, 1e6, 0.64) },
      { "volts-offset-x", "Offset x in V", "Output in the middle", 0, NULL,
          GST_OCT_DOUBLE (GstOctScanGenSettings, zero_x, -1e6, 1e6, 0.0) },
      { "volts-offset-y", "Offset y in V", "Output in the middle", 0, NULL,
          GST_OCT_DOUBLE (GstOctScanGenSettings, zero_y, -1e6, 1e6, 0.0) },
      { "full-scale", "Full scale",
          "Volts of the converter that the number 1 of the output stands for",
          0, NULL,
          GST_OCT_DOUBLE (GstOctScanGenSettings, full_scale, 1e-3, 1e6, 10.0) },
      { "gate", "Gate",
          "A third channel that is 1 where the beam is at an A-line, else 0", 0,
          NULL, GST_OCT_BOOLEAN (GstOctScanGenSettings, gate, FALSE) },
      { "scan-output", "Scan output",
          "File to write the places of the A-lines of a volume to, for "
          "`scan-file` of octdaqsrc; written again when other settings come "
          "into force",
          0, NULL, GST_OCT_STRING (GstOctScanGenSettings, scan_output) },
      { "samples-per-buffer", "Samples per buffer", "Samples in each buffer", 0,
          NULL,
          GST_OCT_UINT (GstOctScanGenSettings, samples, 1, 1 << 20, 1024) },
      { "volumes", "Volumes",
          "Volumes to take before the beam goes to rest and the stream ends (0 "
          "= "
          "without end)",
          0, NULL,
          GST_OCT_UINT64 (GstOctScanGenSettings, volumes, 0, G_MAXUINT64, 0) },
      { "is-live", "Is live",
          "Deliver each buffer when its time has come, not as fast as possible",
          0, NULL, GST_OCT_BOOLEAN (GstOctScanGenSettings, is_live, FALSE) },
    };
const GstOctProperties gst_oct_scan_gen_properties =
    GST_OCT_PROPERTIES (GstOctScanGenSettings, scan_gen_properties);

/* ---------------------------------------------------------------- core/scan */

static gboolean
scan_gen_is_bidirectional (const GstOctScanGenSettings *s)
{
  return s->bidirectional == GST_OCT_SCAN_AUTO_WAYS
             ? s->pattern == OCT_SCAN_RADIAL
             : s->bidirectional == GST_OCT_SCAN_BOTH_WAYS;
}

static OctScanSettings
scan_gen_to_core (const GstOctScanGenSettings *s)
{
  return (OctScanSettings){ .kind = s->pattern,
    .line_rate = s->line_rate,
    .lines = s->lines,
    .bscans = s->bscans,
    .width = s->width,
    .height = s->height,
    .angle = s->angle * G_PI / 180,
    .offset = { s->offset_x, s->offset_y },
    .bidirectional = scan_gen_is_bidirectional (s),
    .repeats = s->repeats,
    .group = s->group,
    .pitch = s->pitch,
    .cycles = s->cycles,
    .settle = s->settle,
    .smooth = s->smooth,
    .limits = { .amplitude = { s->amplitude_x, s->amplitude_y },
        .velocity = { s->velocity_x, s->velocity_y },
        .acceleration = { s->acceleration_x, s->acceleration_y } } };
}

/* The settings with their file. */
static gboolean
scan_gen_make_core (
    const GstOctScanGenSettings *s, OctScanSettings *core, GError **error)
{
  g_autoptr (GError) local = NULL;

  *core = scan_gen_to_core (s);
  if (s->pattern != OCT_SCAN_FILE)
    return TRUE;
  if (s->curve == NULL) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "octscangen has pattern=file, but no file; set `location` to a text "
        "with "
        "a row of x and y in mm for each A-line.");
    return FALSE;
  }
  core->curve = oct_file_content_get (s->curve, &local);
  if (core->curve != NULL)
    return TRUE;
  gst_oct_error_name_property (&local, "`location` of octscangen");
  g_propagate_error (error, g_steal_pointer (&local));
  return FALSE;
}

/* Without `scan-output` nobody asks for places that are not B-scans. */
static gboolean
scan_gen_make_places (const GstOctScanGenSettings *s,
    const OctScanSettings *core, OctScanPlaces **places, GError **error)
{
  gboolean writes = s->scan_output != NULL && *s->scan_output != '\0';
  g_autofree char *text = NULL;
  gsize length;

  *places = oct_scan_places_new_from_settings (core, writes ? error : NULL);
  if (!writes)
    return TRUE;
  if (*places == NULL)
    return FALSE;
  text = oct_scan_places_format (*places, &length);
  if (oct_file_write_text ("Scan file", s->scan_output, text, length, error))
    return TRUE;
  gst_oct_error_name_property (error, "`scan-output` of octscangen");
  return FALSE;
}

static gboolean
scan_gen_check_volts (const GstOctScanGenSettings *s, const OctScanDrive *drive,
    guint axis, GError **error)
{
  OctScanSettings core = scan_gen_to_core (s);
  double reach = oct_scan_drive_reach (drive, &core.limits, axis);
  double volts = fabs (reach * (axis == 0 ? s->volts_x : s->volts_y))
                 + fabs (axis == 0 ? s->zero_x : s->zero_y);
  char name = axis == 0 ? 'x' : 'y';

  if (volts <= s->full_scale)
    return TRUE;
  g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
      "The scanner's limits of %c reach %.4g mm, which are %.4g V, but the "
      "full "
      "scale of the output is %.4g V; set `volts-per-unit-%c` and `full-scale` "
      "as your converter has them, or `limit-amplitude-%c` to less.",
      name, reach, volts, s->full_scale, name, name);
  return FALSE;
}

/* FALSE with OCT_ERROR_SETTINGS if the limits are beyond the full scale of the
 * output. */
static gboolean
scan_gen_make_drive (
    const GstOctScanGenSettings *s, OctScanDrive *drive, GError **error)
{
  OctScanSettings core = scan_gen_to_core (s);

  *drive = (OctScanDrive){ .smooth = oct_scan_smooth_count (&core),
    .delay = { s->delay_x, s->delay_y },
    .frequency = s->galvo_frequency,
    .damping = s->galvo_damping };
  return scan_gen_check_volts (s, drive, 0, error)
         && scan_gen_check_volts (s, drive, 1, error);
}

void
gst_oct_scan_gen_made_clear (GstOctScanGenMade *made)
{
  g_clear_pointer (&made->path, oct_scan_path_unref);
  g_clear_pointer (&made->places, oct_scan_places_unref);
}

gboolean
gst_oct_scan_gen_make (const GstOctScanGenSettings *s, gboolean to_use,
    GstOctScanGenMade *made, GError **error)
{
  OctScanSettings core;

  *made = (GstOctScanGenMade){ 0 };
  if (!scan_gen_make_drive (s, &made->drive, error)
      || !scan_gen_make_core (s, &core, error))
    return FALSE;
  made->path = oct_scan_path_new (&core, error);
  if (made->path == NULL
      || (to_use && !scan_gen_make_places (s, &core, &made->places, error))) {
    gst_oct_scan_gen_made_clear (made);
    return FALSE;
  }
  return TRUE;
}
