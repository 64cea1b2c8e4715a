/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-phantom.h"

#include <math.h>

#include "oct-parallel.h"
#include "oct-phantom-noise.h"
#include "oct-phantom-scene.h"
#include "oct-phantom-spectrometer.h"
#include "oct-phantom-tissue.h"

#define LEAST_SAMPLES 16

/* Camera of the kind such systems use: electrons at full scale and electrons
 * of read noise. */
#define FULL_WELL 2.0e5
#define READ_NOISE 120.0

/* Reflectivity of the mirror, relative to the reference arm. */
#define MIRROR_REFLECTIVITY 0.1

/* A-lines that a thread renders at a time. */
#define GRAIN 16

struct _OctPhantom {
  OctPhantomSettings settings;
  OctSpectrometer spectrometer;
  OctCalibration *calibration;
  OctNoise *noise;
  OctDetector detector;
  guint64 key;
  float *expected; /* [samples] counts, MIRROR */
  OctScene *scene; /* LAYERS */
  guint threads;
  float *spectra; /* [threads][samples] counts, scratch, LAYERS */
};

static gboolean
phantom_check_settings (const OctPhantomSettings *s, GError **error)
{
  if (s->samples < LEAST_SAMPLES || s->samples > OCT_MAX_SAMPLES) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "The phantom cannot have %u samples; set `samples` between %u and %u.",
        s->samples, LEAST_SAMPLES, OCT_MAX_SAMPLES);
    return FALSE;
  }
  if (s->lines < 1 || s->lines > OCT_MAX_LINES) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "The phantom cannot have %u A-lines; set `lines` between 1 and %u.",
        s->lines, OCT_MAX_LINES);
    return FALSE;
  }
  if ((guint64)s->samples * s->lines > OCT_MAX_BSCAN_VALUES) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "A B-scan of the phantom with %u A-lines of %u samples is too large; "
        "set `lines` and `samples` to at most %u values together.",
        s->lines, s->samples, (guint)OCT_MAX_BSCAN_VALUES);
    return FALSE;
  }
  if (s->bscans < 1) {
    g_set_error_literal (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "A volume of the phantom needs a B-scan; set `bscans` to at least 1.");
    return FALSE;
  }
  if (s->sample_format != OCT_SAMPLE_U8 && s->sample_format != OCT_SAMPLE_U16) {
    g_set_error_literal (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "The phantom's camera counts in 8 or 16 bit; set `sample-format` to "
        "gray8 or gray16-le.");
    return FALSE;
  }
  if (!(s->noise >= 0.0 && s->noise <= 1e6)) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "The phantom's noise cannot be %g; set `noise` to 0 (none), 1 (of a "
        "camera) or another positive factor.",
        s->noise);
    return FALSE;
  }
  if (!(s->spot_x >= 0.0 && s->spot_x <= OCT_PHANTOM_MOST_SPOT
          && s->spot_y >= 0.0 && s->spot_y <= OCT_PHANTOM_MOST_SPOT)) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "The phantom's focal spot cannot be %g A-lines by %g B-scans wide; set "
        "`spot-x` and `spot-y` between 0 (none) and %g.",
        s->spot_x, s->spot_y, OCT_PHANTOM_MOST_SPOT);
    return FALSE;
  }
  if ((s->path != NULL || s->follows)
      && (s->kind == OCT_PHANTOM_FLOW || s->spot_x > 0.0 || s->spot_y > 0.0)) {
    g_set_error_literal (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "The phantom follows a scan path with phantom=layers, surgery or "
        "mirror and without a spot; set `phantom` to one of them and `spot-x` "
        "and `spot-y` to 0, or `scan` to none.");
    return FALSE;
  }
  if (!(s->motion >= 0.0 && s->motion <= OCT_PHANTOM_MOST_MOTION
          && s->flow >= 0.0 && s->flow <= OCT_PHANTOM_MOST_MOTION
          && s->jitter >= 0.0 && s->jitter <= OCT_PHANTOM_MOST_JITTER)) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "The phantom cannot have %g of the motion and %g of the flow of a "
        "patient, and a jitter of %g samples; set `motion` and `flow` between "
        "0 and %g, `jitter` between 0 and %g.",
        s->motion, s->flow, s->jitter, OCT_PHANTOM_MOST_MOTION,
        OCT_PHANTOM_MOST_JITTER);
    return FALSE;
  }
  return TRUE;
}

static gboolean
check_depth (const OctPhantom *phantom, GError **error)
{
  double range = phantom->spectrometer.range * 1e-6;
  double depth = phantom->settings.depth;

  if (depth >= 0.0 && depth <= range)
    return TRUE;
  g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
      "The mirror cannot lie at a depth of %g m, the spectrometer with %u "
      "samples sees from 0 to %.6f m; set `depth` within, or more `samples`.",
      depth, phantom->settings.samples, floor (range * 1e6) * 1e-6);
  return FALSE;
}

static void
init_detector (OctPhantom *phantom, double full_scale)
{
  double noise = phantom->settings.noise;
  double counts_per_electron = full_scale / FULL_WELL;
  double read = READ_NOISE * counts_per_electron;

  phantom->detector.noise = phantom->noise;
  phantom->detector.shot = counts_per_electron * noise * noise;
  phantom->detector.read = read * read * noise * noise;
  phantom->detector.full_scale = full_scale;
}

static void
init_mirror (OctPhantom *phantom, double full_scale)
{
  guint samples = phantom->settings.samples;
  g_autofree double *relative = g_new (double, samples);
  guint n;

  oct_spectrometer_see_mirror (&phantom->spectrometer,
      phantom->settings.depth * 1e6, MIRROR_REFLECTIVITY, relative);
  phantom->expected = g_new (float, samples);
  for (n = 0; n < samples; n++)
    phantom->expected[n] = relative[n] * OCT_SPECTROMETER_LEVEL * full_scale;
}

static void
init_layers (OctPhantom *phantom, double full_scale)
{
  const OctPhantomSettings *settings = &phantom->settings;

  phantom->scene = oct_scene_new (&phantom->spectrometer, phantom->noise,
      oct_noise_hash (settings->seed, 2), settings,
      OCT_SPECTROMETER_LEVEL * full_scale);
  phantom->spectra = g_new (float, (gsize)phantom->threads * settings->samples);
}

OctPhantom *
oct_phantom_new (const OctPhantomSettings *settings, GError **error)
{
  g_autoptr (OctPhantom) phantom = NULL;
  double full_scale;

  if (!phantom_check_settings (settings, error))
    return NULL;
  full_scale = settings->sample_format == OCT_SAMPLE_U8 ? 255.0 : 4095.0;
  phantom = g_new0 (OctPhantom, 1);
  phantom->settings = *settings;
  phantom->threads = oct_parallel_get_threads ();
  oct_spectrometer_init (&phantom->spectrometer, settings->samples);
  if (settings->kind == OCT_PHANTOM_MIRROR && !check_depth (phantom, error))
    return NULL;
  phantom->calibration =
      oct_spectrometer_calibrate (&phantom->spectrometer, full_scale, error);
  if (!phantom->calibration)
    return NULL;
  phantom->noise = oct_noise_new (oct_noise_hash (settings->seed, 0));
  phantom->key = oct_noise_hash (settings->seed, 1);
  init_detector (phantom, full_scale);
  if (settings->kind == OCT_PHANTOM_MIRROR)
    init_mirror (phantom, full_scale);
  else
    init_layers (phantom, full_scale);
  return g_steal_pointer (&phantom);
}

void
oct_phantom_free (OctPhantom *phantom)
{
  if (!phantom)
    return;
  g_clear_pointer (&phantom->scene, oct_scene_free);
  g_clear_pointer (&phantom->calibration, oct_calibration_unref);
  oct_spectrometer_clear (&phantom->spectrometer);
  g_free (phantom->expected);
  g_free (phantom->spectra);
  g_free (phantom->noise);
  g_free (phantom);
}

OctCalibration *
oct_phantom_get_calibration (OctPhantom *phantom)
{
  return phantom->calibration;
}

gboolean
oct_phantom_get_truth (
    OctPhantom *phantom, guint64 frame, guint8 *mask, float *speed)
{
  OctFlow *flow = phantom->scene ? oct_scene_get_flow (phantom->scene) : NULL;

  if (flow == NULL)
    return FALSE;
  oct_flow_get_truth (flow, frame, mask, speed);
  return TRUE;
}

/* One B-scan on its way. */
typedef struct {
  const OctPhantom *phantom;
  OctSceneFrame moment;
  guint64 key;
  guint8 *dest;
  gsize stride;
} Rendering;

static void
render_lines (gpointer data, guint first, guint end, guint thread)
{
  const Rendering *rendering = data;
  const OctPhantom *phantom = rendering->phantom;
  const OctPhantomSettings *settings = &phantom->settings;
  float *spectrum = phantom->scene
                        ? phantom->spectra + (gsize)thread * settings->samples
                        : NULL;

  for (guint line = first; line < end; line++) {
    if (spectrum)
      oct_scene_fill_line (phantom->scene, &rendering->moment, line, spectrum);
    oct_detector_read (&phantom->detector,
        oct_noise_hash (rendering->key, line), settings->sample_format,
        settings->samples, spectrum ? spectrum : phantom->expected,
        rendering->dest + line * rendering->stride);
  }
}

/* `places`: [lines][2] fractions of the sample, or NULL. */
static void
phantom_render (OctPhantom *phantom, guint64 frame, const double *places,
    gpointer dest, gsize stride)
{
  Rendering rendering = { .phantom = phantom,
    .key = oct_noise_hash (phantom->key, frame),
    .dest = dest,
    .stride = stride };

  if (phantom->scene)
    oct_scene_set_frame (phantom->scene, frame, places, &rendering.moment);
  oct_parallel_for (phantom->settings.lines, GRAIN, phantom->threads,
      render_lines, &rendering);
  oct_scene_clear_frame (&rendering.moment);
}

void
oct_phantom_render (
    OctPhantom *phantom, guint64 frame, gpointer dest, gsize stride)
{
  g_return_if_fail (!phantom->settings.follows);
  phantom_render (phantom, frame, NULL, dest, stride);
}

void
oct_phantom_render_along (OctPhantom *phantom, guint64 frame,
    const OctScanPoint *places, gpointer dest, gsize stride)
{
  guint lines = phantom->settings.lines;
  g_autofree double *fractions = g_new (double, 2 * (gsize)lines);

  g_return_if_fail (phantom->settings.follows);
  for (guint i = 0; i < lines; i++)
    for (guint axis = 0; axis < OCT_SCAN_AXES; axis++)
      fractions[2 * (gsize)i + axis] =
          places[i].at[axis] / OCT_PHANTOM_SAMPLE + 0.5;
  phantom_render (phantom, frame, fractions, dest, stride);
}
