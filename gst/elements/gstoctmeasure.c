/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstoctmeasure.h"
#include "oct-meter.h"

#include <math.h>

/* Values of the lines that are measured, some 0.1 s of work. */
#define MOST_VALUES (1u << 18)
#define MOST_LINES 256
#define LEAST_LINES 16

/* Peaks that count for the fall-off, and those that are one depth. */
#define PEAK_SNR 15.0
#define SAME_DEPTH 6.0 /* bins */
#define MOST_DEPTHS 256

GstOctLines
gst_oct_measure_lines (const GstOctInfo *info)
{
  guint of_each = info->rows / info->bscans;
  /* neighbours, for the phase from line to line */
  GstOctLines lines = gst_oct_lines_together (
      of_each, CLAMP (MOST_VALUES / info->columns, LEAST_LINES, MOST_LINES));

  lines.first += info->bscans / 2 * of_each;
  return lines;
}

/* Values that could not be measured are left out. */
static void
measure_add (GstStructure *s, const char *name, double value)
{
  if (isfinite (value))
    gst_structure_set (s, name, G_TYPE_DOUBLE, value, NULL);
}

/* `value` in bins, and also in um. */
static void
add_length (GstStructure *s, const char *name, double value, double z_spacing)
{
  g_autofree char *um = g_strconcat (name, "-um", NULL);

  measure_add (s, name, value);
  if (z_spacing > 0)
    measure_add (s, um, value * z_spacing * 1e6);
}

static void
add_problem (GstStructure *s, const GError *error)
{
  gst_structure_set (s, "problem", G_TYPE_STRING, error->message, NULL);
}

static void
measure_add_curve (
    GstStructure *s, const char *name, const double *values, guint count)
{
  g_autoptr (GstBuffer) buffer =
      gst_buffer_new_memdup (values, count * sizeof *values);

  gst_structure_set (s, name, GST_TYPE_BUFFER, buffer, NULL);
}

/* ------------------------------------------------------------------ A-scans */

static void
add_profile (GstStructure *s, const float *values, guint lines, guint bins)
{
  g_autofree double *db = g_new (double, bins);

  oct_meter_profile (values, lines, bins, db);
  measure_add_curve (s, "curve", db, bins);
}

static void
measure_ascans (GstStructure *s, const float *values, guint lines, guint bins,
    const GstOctMeasureSettings *settings)
{
  g_autoptr (GError) error = NULL;
  OctMeterPeak peak;

  if (settings->curves)
    add_profile (s, values, lines, bins);
  gst_structure_set (
      s, "depth-start", G_TYPE_UINT, settings->depth_start, NULL);
  if (!oct_meter_ascans (values, lines, bins, settings->depth_start,
          settings->first_bin, settings->last_bin, &peak, &error)) {
    add_problem (s, error);
    return;
  }
  gst_structure_set (s, "lines", G_TYPE_UINT, peak.lines, NULL);
  add_length (s, "peak", peak.bin, settings->z_spacing);
  measure_add (s, "level", peak.level);
  add_length (s, "width-3db", peak.width[OCT_METER_3DB], settings->z_spacing);
  add_length (s, "width-6db", peak.width[OCT_METER_6DB], settings->z_spacing);
  add_length (s, "width-20db", peak.width[OCT_METER_20DB], settings->z_spacing);
  measure_add (s, "side-lobe", peak.side_lobe);
  measure_add (s, "noise-floor", peak.floor);
  measure_add (s, "snr", peak.snr);
  measure_add (s, "sensitivity", peak.snr + 20 * settings->optical_density);
  measure_add (s, "phase-noise", peak.phase_noise);
  measure_add (s, "phase-limit", peak.phase_limit);
}

/* ------------------------------------------------------------------ spectra */

/* k[samples] in rad/um, g_free(); NULL: not known */
static double *
make_wavenumbers (const GstOctInfo *info, const OctCalibration *calibration)
{
  const double *nodes;
  double k_min, k_max, *k;

  if (calibration == NULL
      || oct_calibration_get_samples (calibration) != info->columns
      || !oct_calibration_get_k_range (calibration, &k_min, &k_max))
    return NULL;
  nodes = info->axis == GST_OCT_AXIS_WAVENUMBER
              ? NULL
              : oct_calibration_get_nodes (calibration);
  k = g_new (double, info->columns);
  for (guint i = 0; i < info->columns; i++)
    k[i] = k_min
           + (k_max - k_min) * (nodes != NULL ? nodes[i] : i)
                 / (info->columns - 1);
  return k;
}

static void
measure_camera (GstStructure *s, const GstOctInfo *info, const double *mean,
    const double *variance, const GstOctMeasureSettings *settings)
{
  const OctCalibration *calibration = settings->calibration;
  const double *nodes =
      calibration != NULL
              && oct_calibration_get_samples (calibration) == info->columns
          ? oct_calibration_get_nodes (calibration)
          : NULL;
  g_autoptr (GError) error = NULL;
  OctMeterCamera camera;

  if (!oct_meter_camera (mean, variance, info->columns, &camera, &error)) {
    add_problem (s, error);
    return;
  }
  measure_add (s, "camera-gain", camera.gain);
  measure_add (s, "read-noise", camera.read);
  measure_add (s, "intensity-noise", camera.intensity);
  measure_add (s, "shot-noise-floor",
      oct_meter_shot_noise_floor (
          mean, info->columns, camera.gain, nodes, settings->window));
}

static void
measure_light (GstStructure *s, const GstOctInfo *info, const double *light,
    const GstOctMeasureSettings *settings)
{
  g_autofree double *k = make_wavenumbers (info, settings->calibration);
  g_autoptr (GError) error = NULL;
  OctMeterSource source;

  if (!oct_meter_source (
          light, info->columns, k, settings->window, &source, &error)) {
    add_problem (s, error);
    return;
  }
  measure_add (s, "centroid", source.centroid);
  measure_add (s, "fwhm", source.fwhm);
  measure_add (s, "centre-nm", source.centre_nm);
  measure_add (s, "fwhm-nm", source.fwhm_nm);
  measure_add (s, "resolution-formula-um", source.formula_um);
  measure_add (s, "resolution-spectrum-um", source.bare_um);
  measure_add (s, "resolution-hann-um", source.hann_um);
  measure_add (s, "resolution-window-um", source.window_um);
}

/* That of a full pixel, which is known from the largest only if cameras end
 * there. */
static void
add_full_level (GstStructure *s, const GstOctMeasureSettings *settings,
    const double *full, double largest, guint count)
{
  double level = settings->saturation_level;

  if (level == 0 && !oct_meter_is_full_scale (largest))
    return;
  measure_add (s, "full", level > 0 ? level : largest);
  if (settings->curves)
    measure_add_curve (s, "curve-full", full, count);
}

/* The counts of a pixel without light, 0: not known. */
static double
take_black_level (GstStructure *s, const double *mean, const double *variance,
    guint samples, guint lines, const GstOctMeasureSettings *settings)
{
  double level = settings->black_level >= 0
                     ? settings->black_level
                     : oct_meter_black_level (mean, variance, samples, lines);

  measure_add (s, "black-level", level);
  return isfinite (level) ? level : 0;
}

static void
measure_spectra (GstStructure *s, const GstOctInfo *info, gconstpointer values,
    guint lines, const GstOctMeasureSettings *settings)
{
  g_autofree double *mean = g_new (double, info->columns);
  g_autofree double *variance = g_new (double, info->columns);
  g_autofree double *light = g_new (double, info->columns);
  g_autofree double *full = g_new (double, info->columns);
  OctMeterLines found = oct_meter_lines (info->format, values,
      gst_oct_info_row_size (info), lines, info->columns,
      settings->saturation_level, mean, variance, full);
  double sum = 0, black = 0;

  if (found.lines == 0) {
    gst_structure_set (s, "problem", G_TYPE_STRING,
        "No line of the spectra has finite values alone; look at what the "
        "source delivers.",
        NULL);
    return;
  }
  if (info->is_video)
    black = take_black_level (
        s, mean, variance, info->columns, found.lines, settings);
  for (guint i = 0; i < info->columns; i++) {
    sum += mean[i] / info->columns;
    /* without its mean a spectrum is fringes: their size */
    light[i] = info->is_video ? mean[i] - black
                              : sqrt (mean[i] * mean[i] + variance[i]);
  }
  gst_structure_set (s, "lines", G_TYPE_UINT, found.lines, NULL);
  measure_add (s, "maximum", found.largest);
  if (info->is_video) {
    measure_add (s, "mean", sum);
    measure_add (s, "saturated", found.full);
    add_full_level (s, settings, full, found.largest, info->columns);
  }
  if (settings->curves)
    measure_add_curve (
        s, "curve", info->is_video ? mean : light, info->columns);
  if (info->columns > 1)
    measure_light (s, info, light, settings);
  if (settings->source_only && info->is_video)
    measure_camera (s, info, light, variance, settings);
}

GstStructure *
gst_oct_measure (GstOctAside *aside, const GstOctMeasureSettings *settings)
{
  const GstOctInfo *info = gst_oct_aside_get_info (aside);
  const char *of = info->is_video        ? "spectra"
                   : settings->is_ascans ? "ascans"
                                         : "fringes";
  GstStructure *s = gst_structure_new (
      GST_OCT_MEASUREMENT_NAME, "of", G_TYPE_STRING, of, NULL);
  g_autoptr (GError) error = NULL;
  gconstpointer values = gst_oct_aside_read (aside, &error);

  if (values == NULL)
    add_problem (s, error);
  else if (settings->is_ascans)
    measure_ascans (
        s, values, gst_oct_aside_get_lines (aside), info->columns, settings);
  else
    measure_spectra (
        s, info, values, gst_oct_aside_get_lines (aside), settings);
  if (settings->x_spacing > 0)
    measure_add (s, "x-spacing-um", settings->x_spacing * 1e6);
  if (settings->y_spacing > 0)
    measure_add (s, "y-spacing-um", settings->y_spacing * 1e6);
  return s;
}

/* ----------------------------------------------------------------- roll-off */

struct _GstOctRollOff {
  guint n;
  double bin[MOST_DEPTHS], level[MOST_DEPTHS];
};

GstOctRollOff *
gst_oct_roll_off_new (void)
{
  return g_new0 (GstOctRollOff, 1);
}

void
gst_oct_roll_off_free (GstOctRollOff *roll_off)
{
  g_free (roll_off);
}

void
gst_oct_roll_off_forget (GstOctRollOff *roll_off)
{
  roll_off->n = 0;
}

/* The highest peak of a depth counts. */
static void
take_peak (GstOctRollOff *roll_off, double bin, double level)
{
  guint i = 0;

  while (i < roll_off->n && fabs (roll_off->bin[i] - bin) > SAME_DEPTH)
    i++;
  if (i == MOST_DEPTHS || (i < roll_off->n && roll_off->level[i] >= level))
    return;
  roll_off->bin[i] = bin;
  roll_off->level[i] = level;
  roll_off->n = MAX (roll_off->n, i + 1);
}

void
gst_oct_roll_off_add (GstOctRollOff *roll_off, GstStructure *measurement)
{
  double bin, level, snr, um, slope, lost, mm = 0;

  if (!gst_structure_get (measurement, "peak", G_TYPE_DOUBLE, &bin, "level",
          G_TYPE_DOUBLE, &level, "snr", G_TYPE_DOUBLE, &snr, NULL))
    return;
  if (snr >= PEAK_SNR)
    take_peak (roll_off, bin, level);
  gst_structure_set (
      measurement, "roll-off-depths", G_TYPE_UINT, roll_off->n, NULL);
  if (!oct_meter_roll_off (
          roll_off->bin, roll_off->level, roll_off->n, &slope, &lost))
    return;
  measure_add (measurement, "roll-off", slope);
  measure_add (measurement, "lost-6db", lost);
  if (gst_structure_get_double (measurement, "peak-um", &um) && bin > 0)
    mm = um / bin / 1e3;
  if (mm > 0) {
    measure_add (measurement, "roll-off-mm", slope / mm);
    measure_add (measurement, "lost-6db-mm", lost * mm);
  }
}
