/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-test-reconstruct.h"
#include "oct-test-files.h"

const char *const oct_test_methods[OCT_TEST_METHODS] = { "resample", "nufft",
  "nudft", "cs" };

char *
oct_test_describe_method (const char *method, const char *dispersion,
    const char *interpolation, const char *transform)
{
  if (g_str_equal (method, "resample"))
    return g_strdup_printf (" ! octkresample %s ! octdispersion %s ! octfft %s",
        interpolation, dispersion, transform);
  if (g_str_equal (method, "cs"))
    return g_strdup_printf (
        " ! octdispersion %s ! octcs %s", dispersion, transform);
  return g_strdup_printf (" ! octdispersion %s ! octnufft method=%s %s",
      dispersion, method, transform);
}

GstElement *
oct_test_start_filters (const char *launch)
{
  g_autofree char *full = oct_test_launch (launch);

  return oct_test_start (full);
}

char *
oct_test_spectra_path (void)
{
  char *path = oct_test_file_path ("spectra.raw");
  g_autofree char *launch =
      g_strdup_printf (SOURCE " num-buffers=4 ! filesink location=%s", path);

  if (!g_file_test (path, G_FILE_TEST_EXISTS))
    fail_unless (oct_test_plays (launch, NULL));
  return path;
}
