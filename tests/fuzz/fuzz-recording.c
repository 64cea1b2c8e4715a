/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Any bytes as the text of a recording: values within the promises of
 * oct-recording.h that survive being written and read again, or an error that
 * can be shown. */
#include "fuzz-error.h"
#include "oct-recording.h"

#include <math.h>
#include <string.h>

int LLVMFuzzerTestOneInput (const guint8 *data, gsize size);

static void
assert_finite (const double *values, guint n)
{
  for (guint i = 0; values && i < n; i++)
    g_assert_true (isfinite (values[i]));
}

static void
check_calibration (const OctCalibration *c, guint samples)
{
  if (!c)
    return;
  g_assert_cmpuint (oct_calibration_get_samples (c), ==, samples);
  assert_finite (oct_calibration_get_positions (c), samples);
  assert_finite (oct_calibration_get_nodes (c), samples);
  assert_finite (oct_calibration_get_dispersion (c), samples);
  assert_finite (oct_calibration_get_background (c), samples);
  g_assert_true (isfinite (oct_calibration_get_z_spacing (c, samples)));
}

/* In order, from the first B-scan on. */
static void
check_masks (const OctRecordingInfo *info)
{
  guint64 least = 0;

  g_assert_true (info->first_bscan == 0 || info->first_bscan < info->bscans);
  for (guint i = 0; info->masks != NULL && i < info->masks->len; i++) {
    const OctRecordingMask *mask =
        &g_array_index (info->masks, OctRecordingMask, i);

    g_assert_true (i > 0 ? mask->frame >= least : mask->frame == 0);
    g_assert_cmpuint (mask->number, <, OCT_RECORDING_MAX_MASKS);
    least = mask->frame + 1;
  }
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  g_auto (OctRecordingInfo) info = { 0 }, again = { 0 };
  g_autofree char *text = NULL, *second = NULL;
  g_autoptr (GError) error = NULL;

  if (!oct_recording_parse (
          "Recording 'x.oct'", (const char *)data, size, &info, &error)) {
    g_assert_error (error, OCT_ERROR, OCT_ERROR_FORMAT);
    fuzz_refuse (error);
    return 0;
  }
  g_assert_cmpuint (info.samples, >=, 1);
  g_assert_cmpuint (info.lines, >=, 1);
  g_assert_cmpuint (
      (guint64)info.samples * info.lines, <=, OCT_MAX_BSCAN_VALUES);
  g_assert_true (info.line_rate >= 0.0 && isfinite (info.line_rate));
  check_calibration (info.calibration, info.samples);
  check_masks (&info);
  text = oct_recording_format (&info);
  g_assert_true (oct_recording_parse ("x", text, strlen (text), &again, NULL));
  second = oct_recording_format (&again);
  g_assert_cmpstr (text, ==, second);
  return 0;
}
