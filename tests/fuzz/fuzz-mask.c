/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Any text as the file of a mask, of samples or of A-lines: zeros and ones of
 * which one is a one, or an error that can be shown. */
#include "fuzz-error.h"
#include "oct-mask.h"
#include "oct-scan-mask.h"

int LLVMFuzzerTestOneInput (const guint8 *data, gsize size);

/* The same of the A-lines of a volume. */
static void
try_scan (const guint8 *data, gsize size)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (OctScanMask) mask = oct_scan_mask_parse (
      "Scan mask file 'x.txt'", (const char *)data, size, &error);

  if (mask == NULL) {
    g_assert_error (error, OCT_ERROR, OCT_ERROR_FORMAT);
    fuzz_refuse (error);
    return;
  }
  g_assert_no_error (error);
  g_assert_cmpuint (mask->count, >, 0);
  g_assert_cmpuint (mask->first[mask->bscans], ==, mask->count);
  for (guint i = 0; i < mask->count; i++)
    g_assert_cmpint (mask->taken[mask->places[i]], ==, 1);
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  g_autoptr (GError) error = NULL;
  guint samples = 0;
  g_autofree guint8 *mask = oct_mask_parse (
      "Mask file 'x.txt'", (const char *)data, size, &samples, &error);

  try_scan (data, size);
  if (mask == NULL) {
    g_assert_error (error, OCT_ERROR, OCT_ERROR_FORMAT);
    fuzz_refuse (error);
    return 0;
  }
  g_assert_no_error (error);
  g_assert_cmpint (samples, <=, OCT_MAX_SAMPLES);
  g_assert_cmpint (oct_mask_count (mask, samples), >, 0);
  for (guint i = 0; i < samples; i++)
    g_assert_cmpint (mask[i], <=, 1);
  return 0;
}
