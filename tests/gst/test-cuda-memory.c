/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Memory of pipelines on a GPU: what is said where there is too little, and
 * that nothing grows.  Skipped where no GPU is.
 *
 *   test-cuda-memory --soak SECONDS
 *
 * loops one pipeline for so long and prints the memory at intervals.
 */
#include "oct-test-cuda-chains.h"
#include "oct-test-files.h"

#include <stdlib.h>

#define MEBIBYTE 1048576.0

/* B-scans of 64 M values need several times 256 MB at every step. */
#define HUGE_PIPELINE                                                          \
  "octsrc location=%s format=raw samples=16384 lines=4096 "                    \
  "num-buffers=3" FILTERS (CUDA, "") " ! fakesink"

GST_START_TEST (test_out_of_memory)
{
  /* for a B-scan or for an operation, whichever comes first */
  const char *words[] = { "memory", NULL };
  g_autofree char *path =
      oct_test_sparse ("huge-spectra.raw", (gsize)16384 * 4096 * 2);
  g_autofree char *huge = g_strdup_printf (HUGE_PIPELINE, path);
  guint64 before = oct_test_cuda_free_memory ();
  OctTestHoard *hoard = oct_test_cuda_hoard ((guint64)1600 << 20);
  guint i;

  for (i = 0; i < 2; i++)
    fail_if (oct_test_plays (huge, words), "it fits into 1.6 GB");
  oct_test_cuda_free (hoard);
  fail_unless (
      oct_test_plays ("octsrc samples=256 lines=16 num-buffers=4" FILTERS (
                          CUDA, "") " ! fakesink",
          NULL));
  fail_unless (oct_test_plays (huge, NULL));
  fail_unless (oct_test_cuda_free_memory () + (guint64)(64 * MEBIBYTE) > before,
      "%.0f MiB of %.0f MiB are free afterwards",
      oct_test_cuda_free_memory () / MEBIBYTE, before / MEBIBYTE);
  oct_test_remove_files ();
}
GST_END_TEST;

/* Bytes that the process has in memory. */
static double
resident (void)
{
  g_autofree char *text = NULL;
  const char *found;

  fail_unless (g_file_get_contents ("/proc/self/status", &text, NULL, NULL));
  found = strstr (text, "VmRSS:");
  return found != NULL ? g_ascii_strtod (found + 6, NULL) * 1024 : 0;
}

/* Not more after some thousand B-scans than after some hundred. */
GST_START_TEST (test_nothing_grows)
{
  OctTestCounter counter = { 0 };
  GstElement *pipeline = oct_test_start_counted (
      "octsrc samples=256 lines=64" FILTERS (
          CUDA, " ! queue") " ! fakesink name=sink sync=false",
      &counter);
  double host, device, host_end, device_end;

  /* what measures takes host memory itself when it is first used */
  oct_test_cuda_free_memory ();
  oct_test_wait_for (pipeline, &counter, 1000);
  host = resident ();
  device = oct_test_cuda_free_memory ();
  oct_test_wait_for (pipeline, &counter, 5000);
  host_end = resident ();
  device_end = oct_test_cuda_free_memory ();
  g_print ("host %.1f to %.1f MiB, free on the device %.1f to %.1f MiB\n",
      host / MEBIBYTE, host_end / MEBIBYTE, device / MEBIBYTE,
      device_end / MEBIBYTE);
  fail_unless (host_end < host + 8 * MEBIBYTE);
  fail_unless (device_end > device - 8 * MEBIBYTE);
  oct_test_stop (pipeline);
}
GST_END_TEST;

/* A volume that does not fit: how much it needs, how much there is, what to
 * set. */
GST_START_TEST (test_volume_out_of_memory)
{
  const char *launch =
      "octsrc samples=2048 lines=1024 bscans=1024 num-buffers=2" FILTERS (
          CUDA, "") VOLUME CUDA " decimation=1 ! fakesink";
  const char *words[] = { "MB of memory on the GPU", "MB are free",
    "`decimation`", NULL };
  OctTestHoard *hoard = oct_test_cuda_hoard ((guint64)800 << 20);

  fail_if (oct_test_plays (launch, words), "3 GB fit into 0.8");
  oct_test_cuda_free (hoard);
}
GST_END_TEST;

/* --------------------------------------------------------------------- soak */

/* Spectra of eight B-scans of 1000 lines, for octsrc to loop over. */
static char *
write_spectra (void)
{
  char *path = oct_test_sparse ("soak.raw", 0);
  g_autofree char *launch = g_strdup_printf (
      "octsrc samples=2048 lines=1000 num-buffers=8 ! filesink location=%s",
      path);

  fail_unless (oct_test_plays (launch, NULL));
  return path;
}

/* 0 when memory stays as it is. */
static int
soak (guint seconds)
{
  g_autofree char *path = write_spectra ();
  g_autofree char *launch = g_strdup_printf (
      "octsrc location=%s format=raw samples=2048 lines=1000 loop=true "
      "preload=true%s ! fakesink name=sink sync=false",
      path, FILTERS (CUDA, ""));
  guint interval = MAX (1, seconds / 20), passed = 0;
  double host = 0, device = 0, host_end = 0, device_end = 0;
  OctTestCounter counter = { 0 };
  GstElement *pipeline = oct_test_start_counted (launch, &counter);

  oct_test_wait_for (pipeline, &counter, 100);
  oct_test_cuda_free_memory ();
  g_print ("%8s %12s %12s %14s\n", "s", "B-scans", "host MiB", "GPU free MiB");
  while (passed < seconds) {
    g_autofree char *error = NULL;

    g_usleep (interval * G_USEC_PER_SEC);
    passed += interval;
    error = oct_test_take_error (pipeline);
    if (error != NULL) {
      g_printerr ("%s\n", error);
      return 1;
    }
    host_end = resident ();
    device_end = oct_test_cuda_free_memory ();
    if (host == 0) {
      host = host_end;
      device = device_end;
    }
    g_print ("%8u %12d %12.1f %14.1f\n", passed,
        g_atomic_int_get (&counter.count), host_end / MEBIBYTE,
        device_end / MEBIBYTE);
  }
  oct_test_stop (pipeline);
  oct_test_remove_files ();
  g_print ("grown: host %.1f MiB, GPU %.1f MiB\n", (host_end - host) / MEBIBYTE,
      (device - device_end) / MEBIBYTE);
  return host_end - host > 8 * MEBIBYTE || device - device_end > 8 * MEBIBYTE;
}

static guint soak_seconds = 0;

GST_START_TEST (test_soak)
{
  fail_unless_equals_int (soak (soak_seconds), 0);
}
GST_END_TEST;

static Suite *
octsoak_suite (void)
{
  Suite *suite = suite_create ("octsoak");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_set_timeout (tcase, soak_seconds + 120);
  tcase_add_test (tcase, test_soak);
  return suite;
}

static Suite *
octcudamemory_suite (void)
{
  Suite *suite = suite_create ("octcudamemory");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, test_out_of_memory);
  tcase_add_test (tcase, test_volume_out_of_memory);
  tcase_add_test (tcase, test_nothing_grows);
  return suite;
}

int
main (int argc, char **argv)
{
  if (!oct_test_has_device ()) {
    g_print ("SKIP: there is no GPU to use\n");
    return 77;
  }
  if (argc > 2 && g_str_equal (argv[1], "--soak")) {
    soak_seconds = strtoul (argv[2], NULL, 10);
    argc = 1; /* the rest are not GStreamer's options */
  }
  g_setenv ("OCT_TEST_BACKEND", "cuda", TRUE);
  gst_check_init (&argc, &argv);
  if (soak_seconds > 0)
    return gst_check_run_suite (octsoak_suite (), "octsoak", __FILE__);
  return gst_check_run_suite (
      octcudamemory_suite (), "octcudamemory", __FILE__);
}
