/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Any text as the CSV of a calibration, the first byte choosing the number of
 * samples: finite numbers that can be recorded and read again, or an error that
 * can be shown. */
#include "fuzz-error.h"
#include "oct-calibration-csv.h"
#include "oct-recording.h"

#include <math.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput (const guint8 *data, gsize size);

static void
assert_finite (const double *values, guint n)
{
  for (guint i = 0; values && i < n; i++)
    g_assert_true (isfinite (values[i]));
}

static void
assert_error (const GError *error)
{
  g_assert_error (error, OCT_ERROR, OCT_ERROR_FORMAT);
  fuzz_refuse (error);
}

static void
assert_recorded (OctCalibration *c, guint samples)
{
  const OctRecordingInfo info = { .sample_format = OCT_SAMPLE_U16,
    .samples = samples,
    .lines = 1,
    .calibration = c };
  g_autofree char *text = oct_recording_format (&info);
  g_auto (OctRecordingInfo) back = { 0 };
  g_autoptr (GError) error = NULL;

  oct_recording_parse ("x", text, strlen (text), &back, &error);
  g_assert_no_error (error);
  g_assert_true (oct_calibration_equal (c, back.calibration));
}

/* As the file of a user. */
static OctCalibration *
make_calibration (const guint8 *text, gsize size, guint samples, GError **error)
{
  g_autofree char *path = NULL;
  OctCalibrationSettings settings = { 0 };
  OctCalibration *c;
  int fd = memfd_create ("fuzz", MFD_CLOEXEC);

  g_assert_cmpint (fd, >=, 0);
  g_assert_cmpint (write (fd, text, size), ==, (gssize)size);
  path = g_strdup_printf ("/proc/self/fd/%d", fd);
  settings.file = path;
  c = oct_calibration_new (&settings, samples, error);
  close (fd);
  return c;
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  g_auto (OctCalibrationTable) table = { 0 };
  g_autoptr (OctCalibration) c = NULL;
  g_autoptr (GError) error = NULL;
  guint samples;

  if (size < 1)
    return 0;
  samples = 2 + data[0] % 16;
  if (!oct_calibration_csv_parse ("Calibration file 'x.csv'",
          (const char *)data + 1, size - 1, samples, &table, &error)) {
    assert_error (error);
    return 0;
  }
  c = make_calibration (data + 1, size - 1, samples, &error);
  if (!c) {
    assert_error (error);
    return 0;
  }
  assert_finite (oct_calibration_get_positions (c), samples);
  assert_finite (oct_calibration_get_nodes (c), samples);
  assert_finite (oct_calibration_get_dispersion (c), samples);
  assert_finite (oct_calibration_get_background (c), samples);
  g_assert_true (isfinite (oct_calibration_get_z_spacing (c, samples)));
  assert_recorded (c, samples);
  return 0;
}
