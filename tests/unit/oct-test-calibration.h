/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Shared by the tests of calibrations: calibrations that are made, or refused.
 */
#pragma once

#include "oct-calibration.h"
#include "oct-test.h"

/* To be unreffed. */
static inline OctCalibration *
oct_test_calibration (OctCalibrationSettings settings, guint samples)
{
  g_autoptr (GError) error = NULL;
  OctCalibration *c = oct_calibration_new (&settings, samples, &error);

  g_assert_no_error (error);
  g_assert_nonnull (c);
  g_assert_cmpuint (oct_calibration_get_samples (c), ==, samples);
  return c;
}

/* The error, to be freed. */
static inline GError *
oct_test_refused_calibration (OctCalibrationSettings settings, guint samples)
{
  GError *error = NULL;

  g_assert_null (oct_calibration_new (&settings, samples, &error));
  return error;
}

/* Those of a file with this content, which is there until the next call. */
static inline OctCalibrationSettings
oct_test_calibration_file (const char *text)
{
  return (OctCalibrationSettings){ .file = (char *)oct_test_write (
                                       "x.csv", text, strlen (text)) };
}
