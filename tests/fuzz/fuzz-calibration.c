/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Any text as the CSV of a calibration, the first byte choosing the number of
 * samples: finite numbers, or an error that can be shown. */
#include "oct-calibration-csv.h"
#include "oct-calibration.h"

#include <math.h>

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
  g_assert_true (g_utf8_validate (error->message, -1, NULL));
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
  c = oct_calibration_new_from_arrays (samples,
      table.values[OCT_COLUMN_WAVELENGTH], table.values[OCT_COLUMN_K_INDEX],
      table.values[OCT_COLUMN_DISPERSION], table.values[OCT_COLUMN_BACKGROUND],
      &error);
  if (!c) {
    assert_error (error);
    return 0;
  }
  assert_finite (oct_calibration_get_positions (c), samples);
  assert_finite (oct_calibration_get_nodes (c), samples);
  assert_finite (oct_calibration_get_dispersion (c), samples);
  assert_finite (oct_calibration_get_background (c), samples);
  g_assert_true (isfinite (oct_calibration_get_z_spacing (c, samples)));
  return 0;
}
