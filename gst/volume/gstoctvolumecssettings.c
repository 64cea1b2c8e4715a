/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstoctvolumecssettings.h"
#include "gstoctascans.h"
#include "gstocterror.h"

static const GEnumValue methods[] = {
  { GST_OCT_VOLUME_CS_METHOD_AUTO,
      "By the measured coherence of neighbouring A-lines", "auto" },
  { GST_OCT_VOLUME_CS_METHOD_LINEAR,
      "Amplitudes between those of the neighbours", "linear" },
  { GST_OCT_VOLUME_CS_METHOD_JOINT,
      "All A-lines at once, with their phase (compressive sensing)", "joint" },
  { GST_OCT_VOLUME_CS_METHOD_ENVELOPE,
      "Each A-line from a part of its samples, by the envelope of its "
      "neighbours",
      "envelope" },
  { GST_OCT_VOLUME_CS_METHOD_PAPER,
      "A-scans, then amplitudes along one direction, then the other, by basis "
      "pursuit, as published",
      "paper" },
  { 0, NULL, NULL },
};

static const GEnumValue bases[] = {
  { OCT_VOLUME_CS_WAVELET, "Daubechies wavelet transform, 4 vanishing moments",
      "wavelet" },
  { OCT_VOLUME_CS_COSINE, "Discrete cosine transform", "cosine" },
  { OCT_VOLUME_CS_FOURIER, "Discrete Fourier transform", "fourier" },
  { 0, NULL, NULL },
};
static GST_OCT_DEFINE_ENUM (get_basis_type, "GstOctVolumeCsBasis",
    bases) static GST_OCT_DEFINE_ENUM (get_method_type, "GstOctVolumeCsMethod",
    methods)

    static const GstOctProperty rows[] = {
      { "method", "Method",
          "How the A-lines are reconstructed that the scan left out", 0, NULL,
          GST_OCT_ENUM (GstOctVolumeCsSettings, method, get_method_type,
              GST_OCT_VOLUME_CS_METHOD_AUTO) },
      { "scan-mask-file", "Scan mask file",
          "Text file with a row for every B-scan of a volume, of 0 or 1 for "
          "every "
          "A-line (none = the mask of octsrc)",
          0, NULL, GST_OCT_STRING (GstOctVolumeCsSettings, mask_file) },
      { "spot-x", "Width of the spot along a B-scan",
          "Full width at half maximum of the amplitude of the focal spot along "
          "a B-scan, in A-lines, for method=joint (0 = from the coherence of "
          "neighbouring A-lines)",
          0, NULL,
          GST_OCT_DOUBLE (GstOctVolumeCsSettings, spot_x, 0.0, 1000.0, 0.0) },
      { "spot-y", "Width of the spot across B-scans",
          "Full width at half maximum of the amplitude of the focal spot "
          "across B-scans, in B-scans, for method=joint (0 = from the "
          "coherence of neighbouring B-scans)",
          0, NULL,
          GST_OCT_DOUBLE (GstOctVolumeCsSettings, spot_y, 0.0, 1000.0, 0.0) },
      { "noise", "Noise",
          "Root mean square of the noise of A-scans of all samples, for "
          "method=joint and envelope (0 = that of the darkest depths)",
          0, NULL,
          GST_OCT_DOUBLE (GstOctVolumeCsSettings, noise, 0.0, 1e9, 0.0) },
      { "tau", "Threshold",
          "Threshold in multiples of the noise, for method=joint: larger "
          "values remove more noise, and weak structures with it",
          0, NULL,
          GST_OCT_DOUBLE (
              GstOctVolumeCsSettings, tau, 0.0, 1000.0, OCT_VOLUME_CS_TAU) },
      { "iterations", "Iterations",
          "Steps of the solver (0 = 25 for joint, 15 for each of the four "
          "passes of envelope, at most 150 for paper, and for linear where "
          "samples are missing)",
          0, NULL, GST_OCT_UINT (GstOctVolumeCsSettings, steps, 0, 1000, 0) },
      { "basis", "Basis",
          "Transform in which amplitudes along a line are sparse, for "
          "method=paper",
          0, NULL,
          GST_OCT_ENUM (GstOctVolumeCsSettings, basis, get_basis_type,
              OCT_VOLUME_CS_WAVELET) },
      { "window", "Window",
          "Window along the wavenumber axis of spectra, scaled to unit mean "
          "square",
          0, NULL,
          GST_OCT_ENUM (GstOctVolumeCsSettings, window, gst_oct_window_get_type,
              OCT_WINDOW_HANN) },
      { "sampling-rate", "Sampling rate",
          "Part of the samples of spectra that is used, above 0", 0, NULL,
          GST_OCT_DOUBLE (GstOctVolumeCsSettings, rate, 0.0, 1.0, 1.0) },
      { "seed", "Seed",
          "Seed of the random choice of these samples; the same one gives the "
          "same masks",
          0, NULL,
          GST_OCT_UINT64 (GstOctVolumeCsSettings, seed, 0, G_MAXUINT64, 100) },
      { "same-samples", "Same samples",
          "All A-lines use the same samples, as published (false = "
          "neighbouring "
          "A-lines use different ones, by 16 masks)",
          0, NULL,
          GST_OCT_BOOLEAN (GstOctVolumeCsSettings, same_samples, FALSE) },
      { "chosen", "Method in use",
          "The method that is set, or that method=auto has chosen (none = not "
          "known yet)",
          GST_OCT_PROPERTY_READ_ONLY, NULL,
          GST_OCT_STRING (GstOctVolumeCsSettings, chosen) },
      { "reason", "Reason", "Why that method is in use (none = not known yet)",
          GST_OCT_PROPERTY_READ_ONLY, NULL,
          GST_OCT_STRING (GstOctVolumeCsSettings, reason) },
      { "coherence-x", "Coherence of A-lines",
          "Measured coherence of neighbouring A-lines of a B-scan, from 0 "
          "(nothing in common) to 1 (the same, phase included); -1 = no two "
          "neighbours were taken",
          GST_OCT_PROPERTY_READ_ONLY, NULL,
          GST_OCT_DOUBLE (
              GstOctVolumeCsSettings, coherence_x, -1.0, 1.0, -1.0) },
      { "coherence-y", "Coherence of B-scans",
          "Measured coherence of the same A-line of neighbouring B-scans, from "
          "0 (nothing in common) to 1 (the same, phase included); -1 = no two "
          "neighbours were taken",
          GST_OCT_PROPERTY_READ_ONLY, NULL,
          GST_OCT_DOUBLE (
              GstOctVolumeCsSettings, coherence_y, -1.0, 1.0, -1.0) },
      { "spot-x-found", "Spot along a B-scan that is used",
          "Full width at half maximum of the focal spot along a B-scan, in "
          "A-lines (0 = not known)",
          GST_OCT_PROPERTY_READ_ONLY, NULL,
          GST_OCT_DOUBLE (
              GstOctVolumeCsSettings, found_x, 0.0, G_MAXDOUBLE, 0.0) },
      { "spot-y-found", "Spot across B-scans that is used",
          "Full width at half maximum of the focal spot across B-scans, in "
          "B-scans (0 = not known)",
          GST_OCT_PROPERTY_READ_ONLY, NULL,
          GST_OCT_DOUBLE (
              GstOctVolumeCsSettings, found_y, 0.0, G_MAXDOUBLE, 0.0) },
      { "noise-found", "Noise that is used",
          "Root mean square of the noise of A-scans of all samples (0 = not "
          "known)",
          GST_OCT_PROPERTY_READ_ONLY, NULL,
          GST_OCT_DOUBLE (
              GstOctVolumeCsSettings, noise_found, 0.0, G_MAXDOUBLE, 0.0) },
      { "phase-step-x", "Phase step of A-lines",
          "Mean phase step from an A-line to the next, in rad, that "
          "method=joint takes out of the last volume and puts back in (0 = "
          "none that matters)",
          GST_OCT_PROPERTY_READ_ONLY, NULL,
          GST_OCT_DOUBLE (
              GstOctVolumeCsSettings, phase_step_x, -G_PI, G_PI, 0.0) },
      { "phase-step-y", "Phase step of B-scans",
          "Mean phase step from a B-scan to the next, in rad, likewise",
          GST_OCT_PROPERTY_READ_ONLY, NULL,
          GST_OCT_DOUBLE (
              GstOctVolumeCsSettings, phase_step_y, -G_PI, G_PI, 0.0) },
      { "missing", "Missing A-lines",
          "A-lines of the scan that never came, or had values that are not "
          "finite, since the start",
          GST_OCT_PROPERTY_READ_ONLY, NULL,
          GST_OCT_UINT64 (GstOctVolumeCsSettings, missing, 0, G_MAXUINT64, 0) },
    };
const GstOctProperties gst_oct_volume_cs_properties =
    GST_OCT_PROPERTIES (GstOctVolumeCsSettings, rows);

void
gst_oct_volume_cs_settings_mark (void)
{
  gst_type_mark_as_plugin_api (get_method_type (), 0);
  gst_type_mark_as_plugin_api (get_basis_type (), 0);
}

const char *
gst_oct_volume_cs_get_nick (OctVolumeCsMethod method)
{
  return method == OCT_VOLUME_CS_JOINT      ? "joint"
         : method == OCT_VOLUME_CS_ENVELOPE ? "envelope"
         : method == OCT_VOLUME_CS_PAPER    ? "paper"
                                            : "linear";
}

OctVolumeCsParams
gst_oct_volume_cs_settings_get_params (
    const GstOctVolumeCsSettings *s, const GstOctInfo *input)
{
  return (OctVolumeCsParams){
    .spectra = input->format == OCT_SAMPLE_F32,
    .columns = input->columns,
    .window = s->window,
    .rate = s->rate,
    .seed = s->seed,
    .same_samples = s->same_samples,
  };
}

static OctVolumeCsMethod
get_method (GstOctVolumeCsMethodChoice method)
{
  return method == GST_OCT_VOLUME_CS_METHOD_JOINT      ? OCT_VOLUME_CS_JOINT
         : method == GST_OCT_VOLUME_CS_METHOD_ENVELOPE ? OCT_VOLUME_CS_ENVELOPE
         : method == GST_OCT_VOLUME_CS_METHOD_PAPER    ? OCT_VOLUME_CS_PAPER
                                                       : OCT_VOLUME_CS_LINEAR;
}

static OctVolumeCsMethod
choose_method (const GstOctVolumeCsSettings *settings,
    const OctVolumeCsParams *params, const OctVolumeCsMeasures *measures,
    const char **reason)
{
  if (settings->method == GST_OCT_VOLUME_CS_METHOD_AUTO)
    return oct_volume_cs_choose (params, measures, reason);
  *reason = "the property `method` is set to it";
  return get_method (settings->method);
}

void
gst_oct_volume_cs_settings_set_phase_steps (
    OctVolumeCsSettings *use, const OctVolumeCsMeasures *m)
{
  use->phase_step_x =
      oct_volume_cs_get_phase_step (m->phase_step_x, use->spot_x);
  use->phase_step_y =
      oct_volume_cs_get_phase_step (m->phase_step_y, use->spot_y);
}

OctVolumeCsSettings
gst_oct_volume_cs_settings_choose (const GstOctVolumeCsSettings *s,
    const OctVolumeCsParams *params, const OctVolumeCsMeasures *m,
    const char **reason)
{
  const OctScanMask *mask = params->mask;
  OctVolumeCsSettings use = {
    .method = choose_method (s, params, m, reason),
    .spot_x = s->spot_x > 0.0
                  ? s->spot_x
                  : oct_volume_cs_get_spot (m->coherence_x, mask->lines),
    .spot_y = s->spot_y > 0.0
                  ? s->spot_y
                  : oct_volume_cs_get_spot (m->coherence_y, mask->bscans),
    .noise = s->noise > 0.0 ? s->noise : m->noise,
    .tau = s->tau,
    .basis = s->basis,
  };

  gst_oct_volume_cs_settings_set_phase_steps (&use, m);
  use.steps = s->steps > 0 ? s->steps
              : use.method == OCT_VOLUME_CS_ENVELOPE
                  ? OCT_VOLUME_CS_ENVELOPE_STEPS
              : use.method == OCT_VOLUME_CS_JOINT ? OCT_VOLUME_CS_STEPS
                                                  : OCT_VOLUME_CS_PAPER_STEPS;
  return use;
}

/* -------------------------------------------------------------------- masks */

static OctScanMask *
read_mask (const char *file, GError **error)
{
  GError *local = NULL;
  OctScanMask *mask = oct_scan_mask_read (file, &local);

  if (mask != NULL)
    return mask;
  gst_oct_error_name_property (&local, "`scan-mask-file` of octvolumecs");
  g_propagate_error (error, local);
  return NULL;
}

OctScanMask *
gst_oct_volume_cs_settings_find_mask (const GstOctVolumeCsSettings *settings,
    OctScanMask *sent, const OctVolumeCsParams *params, guint lines,
    guint bscans, GError **error)
{
  const char *file = settings->mask_file;
  OctScanMaskSettings all = { OCT_SCAN_MASK_SCATTERED, lines, bscans, 1, 0, 0 };

  if (file != NULL && *file != '\0')
    return read_mask (file, error);
  if (sent != NULL)
    return oct_scan_mask_ref (sent);
  if (params->spectra && params->rate < 1 && bscans > 0)
    return oct_scan_mask_new (&all, error);
  g_set_error_literal (error, OCT_ERROR, OCT_ERROR_SETTINGS,
      "octvolumecs does not know which A-lines of a volume there are; set "
      "`scan-mask` of octsrc, or `scan-mask-file` of octvolumecs to a text "
      "file with a row for every B-scan, of 0 or 1 for every A-line");
  return NULL;
}

gboolean
gst_oct_volume_cs_check_mask (const OctScanMask *m, guint lines, guint bscans,
    gboolean *whole, GError **error)
{
  *whole = lines == m->lines && (bscans == 0 || bscans == m->bscans);
  if (*whole
      || (lines == m->lines_each && (bscans == 0 || bscans == m->taken_bscans)))
    return TRUE;
  if (m->lines_each == 0)
    g_set_error (error, OCT_ERROR, OCT_ERROR_FORMAT,
        "The scan mask is for volumes of %u B-scans of %u A-lines and takes "
        "more of some than of others, but volumes of %u B-scans of %u came; "
        "deliver whole volumes, or set another `scan-mask-file`",
        m->bscans, m->lines, bscans, lines);
  else
    g_set_error (error, OCT_ERROR, OCT_ERROR_FORMAT,
        "The scan mask takes %u A-lines of each of %u B-scans, of volumes of "
        "%u B-scans of %u A-lines, but volumes of %u B-scans of %u came; set "
        "the `scan-mask-file` that the scan was made with",
        m->lines_each, m->taken_bscans, m->bscans, m->lines, bscans, lines);
  return FALSE;
}
