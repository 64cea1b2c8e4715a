/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Any text as the file of a mask: zeros and ones of which one is a one, or an
 * error that can be shown. */
#include "oct-mask.h"

int LLVMFuzzerTestOneInput (const guint8 *data, gsize size);

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  g_autoptr (GError) error = NULL;
  guint samples = 0;
  g_autofree guint8 *mask = oct_mask_parse (
      "Mask file 'x.txt'", (const char *)data, size, &samples, &error);

  if (mask == NULL) {
    g_assert_error (error, OCT_ERROR, OCT_ERROR_FORMAT);
    g_assert_true (g_utf8_validate (error->message, -1, NULL));
    return 0;
  }
  g_assert_no_error (error);
  g_assert_cmpint (samples, <=, OCT_MAX_SAMPLES);
  g_assert_cmpint (oct_mask_count (mask, samples), >, 0);
  for (guint i = 0; i < samples; i++)
    g_assert_cmpint (mask[i], <=, 1);
  return 0;
}
