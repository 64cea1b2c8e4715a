/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Any text as a scan file: B-scans of two places or more, which can be written
 * and read again, or an error that can be shown. */
#include "fuzz-error.h"
#include "oct-scan-curve.h"
#include "oct-scan-places.h"

#include <math.h>

int LLVMFuzzerTestOneInput (const guint8 *data, gsize size);

/* A curve of any shape has the same places after they were written. */
static void
try_places (const OctScanCurve *curve)
{
  OctScanSettings settings = {
    .kind = OCT_SCAN_FILE, .lines = 2, .repeats = 1, .group = 1, .curve = curve
  };
  g_autoptr (GError) error = NULL;
  g_autoptr (OctScanPlaces) places =
      oct_scan_places_new_from_settings (&settings, &error);
  g_autoptr (OctScanPlaces) again = NULL;
  g_autoptr (OctScanCurve) second = NULL;
  g_autofree char *text = NULL;
  gsize length;

  if (places == NULL) {
    g_assert_error (error, OCT_ERROR, OCT_ERROR_SETTINGS);
    fuzz_refuse (error);
    return;
  }
  g_assert_cmpuint (places->count, ==, places->lines * places->bscans);
  text = oct_scan_places_format (places, &length);
  second = oct_scan_curve_parse ("Scan file 'x.txt'", text, length, &error);
  g_assert_no_error (error);
  settings.curve = second;
  settings.lines = places->lines;
  again = oct_scan_places_new_from_settings (&settings, &error);
  g_assert_no_error (error);
  g_assert_true (oct_scan_places_equal (places, again));
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (OctScanCurve) curve = oct_scan_curve_parse (
      "Scan file 'x.txt'", (const char *)data, size, &error);

  if (curve == NULL) {
    g_assert_error (error, OCT_ERROR, OCT_ERROR_FORMAT);
    fuzz_refuse (error);
    return 0;
  }
  g_assert_no_error (error);
  g_assert_cmpuint (curve->points->len, >=, 2);
  g_assert_cmpuint (curve->points->len, ==, curve->active->len);
  g_assert_cmpuint (curve->firsts->len, >=, 1);
  for (guint i = 0; i < curve->firsts->len; i++) {
    guint first = g_array_index (curve->firsts, guint, i);
    guint end = i + 1 < curve->firsts->len
                    ? g_array_index (curve->firsts, guint, i + 1)
                    : curve->points->len;

    g_assert_cmpuint (first + 2, <=, end);
  }
  for (guint i = 0; i < curve->points->len; i++) {
    const OctScanPoint *p = &g_array_index (curve->points, OctScanPoint, i);

    g_assert_true (isfinite (p->at[0]) && isfinite (p->at[1]));
    g_assert_cmpint (g_array_index (curve->active, guint8, i), <=, 1);
  }
  try_places (curve);
  return 0;
}
