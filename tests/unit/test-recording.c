/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-raw-writer.h"

#include "oct-test.h"

#include <glib/gstdio.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define SAMPLES 8u
#define LINES 3u
#define FRAME (SAMPLES * LINES * 2)

/* A calibration with every part, odd numbers in all of them. */
static OctCalibration *
make_calibration (guint samples)
{
  g_autofree double *nm = g_new (double, samples);
  g_autofree double *phase = g_new (double, samples);
  g_autofree double *background = g_new (double, samples);
  g_autoptr (GError) error = NULL;
  OctCalibration *c;

  for (guint i = 0; i < samples; i++) {
    nm[i] = 790.0 + 110.0 * sqrt ((i + 1.0) / samples);
    phase[i] = 0.1 * i * i - 1.0 / 3.0;
    background[i] = 100.0 / (i + 1);
  }
  c = oct_calibration_new_from_arrays (
      samples, nm, NULL, phase, background, &error);
  g_assert_no_error (error);
  return c;
}

static void
assert_same_calibration (const OctCalibration *a, const OctCalibration *b)
{
  guint n = oct_calibration_get_samples (a);
  gsize size = n * sizeof (double);
  double a_min = 0, a_max = 0, b_min = 0, b_max = 0;

  g_assert_cmpuint (oct_calibration_get_samples (b), ==, n);
  g_assert_cmpmem (oct_calibration_get_positions (a), size,
      oct_calibration_get_positions (b), size);
  g_assert_cmpmem (
      oct_calibration_get_nodes (a), size, oct_calibration_get_nodes (b), size);
  g_assert_cmpmem (oct_calibration_get_dispersion (a), size,
      oct_calibration_get_dispersion (b), size);
  g_assert_cmpmem (oct_calibration_get_sample_dispersion (a), size,
      oct_calibration_get_sample_dispersion (b), size);
  g_assert_cmpmem (oct_calibration_get_background (a), size,
      oct_calibration_get_background (b), size);
  g_assert_true (oct_calibration_get_k_range (a, &a_min, &a_max));
  g_assert_true (oct_calibration_get_k_range (b, &b_min, &b_max));
  g_assert_cmpfloat (a_min, ==, b_min);
  g_assert_cmpfloat (a_max, ==, b_max);
}

static void
test_text_and_back (void)
{
  g_auto (OctRecordingInfo) info = { OCT_SAMPLE_U8, 2048, 500, 7, 70000.0 / 3.0,
    G_GINT64_CONSTANT (1777882500250001), make_calibration (2048), NULL };
  g_auto (OctRecordingInfo) back = { 0 };
  g_autofree char *text = oct_recording_format (&info);
  g_autoptr (GError) error = NULL;

  g_assert_null (strstr (text, "missing"));
  g_assert_null (strstr (text, "calibration-until"));
  g_free (text);
  oct_recording_info_add_gap (&info, 100, 12);
  oct_recording_info_add_gap (&info, 340, 1);
  info.bscans = 8;
  info.repeats = 4;
  info.bscan_rate = 100.0 / 3.0;
  info.wavelength = 8.5e-7;
  info.k_clock = TRUE;
  info.calibration_until = G_GUINT64_CONSTANT (5000000000);
  info.measurements =
      g_strsplit ("scan; 1-spectra.csv|scan é-ascans.csv", "|", -1);
  text = oct_recording_format (&info);
  oct_recording_parse ("x", text, strlen (text), &back, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (back.gaps->len, ==, 2);
  g_assert_cmpmem (back.gaps->data, 2 * sizeof (OctRecordingGap),
      info.gaps->data, 2 * sizeof (OctRecordingGap));
  g_assert_cmpint (back.sample_format, ==, OCT_SAMPLE_U8);
  g_assert_cmpuint (back.samples, ==, 2048);
  g_assert_cmpuint (back.lines, ==, 500);
  g_assert_cmpuint (back.bscans, ==, 8);
  g_assert_cmpuint (back.repeats, ==, 4);
  g_assert_cmpfloat (back.line_rate, ==, 70000.0 / 3.0);
  g_assert_cmpfloat (back.bscan_rate, ==, 100.0 / 3.0);
  g_assert_cmpfloat (back.wavelength, ==, 8.5e-7);
  g_assert_true (back.k_clock);
  g_assert_cmpint (back.start_time, ==, info.start_time);
  g_assert_cmpuint (back.calibration_until, ==, info.calibration_until);
  g_assert_true (g_strv_equal ((const char *const *)back.measurements,
      (const char *const *)info.measurements));
  assert_same_calibration (info.calibration, back.calibration);
}

#define HEAD "[oct-recording]\nversion=1\nsample-format=gray16-le\n"
#define SIZES HEAD "samples=4\nlines=3\n"

/* Texts that a user may have written, and words of the error for each. */
static const struct {
  const char *text, *words[2];
} wrong[] = {
  { "", { "first line", "[oct-recording]" } },
  { "samples=4", { "first line", ".oct" } },
  { "[oct-recording]\n", { "version", "whole number" } },
  { "[oct-recording]\nversion=2\n", { "newer version", "version 2" } },
  { "[oct-recording]\nversion=1\nsamples=4\nlines=3\n",
      { "sample-format", "gray16-le" } },
  { HEAD "samples=0\nlines=3\n", { "samples", "1 to 65536" } },
  { HEAD "samples=65537\nlines=3\n", { "samples", "1 to 65536" } },
  { HEAD "samples=4.5\nlines=3\n", { "samples", "whole number" } },
  { HEAD "samples=4\n", { "lines", "1 to 65536" } },
  { HEAD "samples=65536\nlines=65536\n", { "lines", "67108864" } },
  { SIZES "bscans-per-volume=-1\n", { "bscans-per-volume", "1 to" } },
  { SIZES "line-rate=0\n", { "line-rate", "above 0" } },
  { SIZES "line-rate=nan\n", { "line-rate", "above 0" } },
  { SIZES "line-rate=fast\n", { "line-rate", "above 0" } },
  { SIZES "bscan-rate=-1\n", { "bscan-rate", "above 0" } },
  { SIZES "wavelength=850\n", { "wavelength", "up to 0.0001" } },
  { SIZES "k-clock=yes\n", { "k-clock", "true or false" } },
  { SIZES "start-time=yesterday\n", { "start-time", "08:15:00" } },
  { SIZES "missing=100\n", { "missing", "100:12" } },
  { SIZES "missing=100:0\n", { "missing", "100:12" } },
  { SIZES "missing=-1:3\n", { "missing", "100:12" } },
  { SIZES "missing=7:1;6:1\n", { "missing", "100:12" } },
  { SIZES "first-bscan=3\n", { "first-bscan", "below" } },
  { SIZES "bscans-per-volume=3\nfirst-bscan=3\n", { "first-bscan", "below" } },
  { SIZES "bscans-per-volume=3\nfirst-bscan=-1\n",
      { "first-bscan", "whole number" } },
  { SIZES "repeats=0\n", { "repeats", "1 to" } },
  { SIZES "bscans-per-volume=6\nrepeats=4\n", { "repeats", "divides" } },
  { SIZES "scan-masks=0\n", { "scan-masks", "0:0;512:1;" } },
  { SIZES "scan-masks=1:0\n", { "scan-masks", "begins with B-scan 0" } },
  { SIZES "scan-masks=0:64\n", { "scan-masks", "at most 64 masks" } },
  { SIZES "scan-masks=0:0;6:1;6:2\n", { "scan-masks", "0:0;512:1;" } },
  { SIZES "scan-masks=0:0;-6:1\n", { "scan-masks", "0:0;512:1;" } },
  { SIZES "measurements=\\x\n", { "measurements", "names of files" } },
  { SIZES "measurements="
          ";;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;"
          "\n",
      { "measurements", "at most 64" } },
  { SIZES "calibration-until=0\n", { "calibration-until", "number" } },
  { SIZES "calibration-until=-3\n", { "calibration-until", "number" } },
  { SIZES "calibration-until=1.5\n", { "calibration-until", "number" } },
  { SIZES "[calibration]\n", { "No calibration", "calibration" } },
  { SIZES "[calibration]\npositions=0;1;2\nnodes=0;1;2;3\n",
      { "positions", "list of 4" } },
  { SIZES "[calibration]\npositions=0;1;2;inf\nnodes=0;1;2;3\n",
      { "positions", "list of 4" } },
  { SIZES "[calibration]\npositions=0;1;2;x\nnodes=0;1;2;3\n",
      { "positions", "list of 4" } },
  { SIZES "[calibration]\npositions=0;1;2;3\n", { "together", "x" } },
  { SIZES "[calibration]\npositions=0;2;1;3\nnodes=0;1;2;3\n",
      { "positions", "rise" } },
  { SIZES "[calibration]\npositions=0;1;2;9\nnodes=0;1;2;3\n",
      { "positions", "samples" } },
  { SIZES "[calibration]\ndispersion=0;1;2;3\nk-min=7\nk-max=6\n",
      { "k-min", "smaller" } },
  { SIZES "[calibration]\ndispersion=0;1;2;1e300\n", { "dispersion", "rad" } },
  { SIZES "[calibration]\ndispersion=0;1;2;3\nsample-dispersion=0;1;2;3\n",
      { "sample-dispersion", "nodes" } },
  { SIZES "[calibration]\nsample-dispersion=0;1;2\n",
      { "sample-dispersion", "list of 4" } },
  { SIZES "[calibration]\npositions=0;1;2;3\nnodes=0;1;2;3\n"
          "dispersion=0;1;2;3\nsample-dispersion=0;1;2;1e300\n",
      { "sample-dispersion is 1e+300", "rad" } },
};

static void
test_wrong_text (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++) {
    g_auto (OctRecordingInfo) info = { 0 };
    GError *error = NULL;

    g_test_message ("%s", wrong[i].text);
    g_assert_false (oct_recording_parse ("Recording 'x.oct'", wrong[i].text,
        strlen (wrong[i].text), &info, &error));
    g_assert_null (info.calibration);
    oct_test_assert_error (
        &error, OCT_ERROR_FORMAT, wrong[i].words[0], wrong[i].words[1], NULL);
  }
}

static void
test_many_gaps (void)
{
  g_auto (OctRecordingInfo) info = { OCT_SAMPLE_U8, 4, 3, 0, 0, 0, NULL, NULL };
  g_auto (OctRecordingInfo) back = { 0 };
  g_autofree char *text = NULL;
  guint64 missing = 0;

  for (guint i = 0; i < 3 * OCT_RECORDING_MAX_GAPS; i++)
    oct_recording_info_add_gap (&info, i, 2);
  text = oct_recording_format (&info);
  g_assert_true (oct_recording_parse ("x", text, strlen (text), &back, NULL));
  g_assert_cmpuint (back.gaps->len, ==, OCT_RECORDING_MAX_GAPS);
  for (guint i = 0; i < back.gaps->len; i++)
    missing += g_array_index (back.gaps, OctRecordingGap, i).count;
  g_assert_cmpuint (missing, ==, 6 * OCT_RECORDING_MAX_GAPS);
}

/* text[size] must be refused. */
static void
assert_refused (const char *text, gsize size, const char *word, const char *too)
{
  g_auto (OctRecordingInfo) info = { 0 };
  GError *error = NULL;

  g_assert_false (
      oct_recording_parse ("Recording 'x.oct'", text, size, &info, &error));
  g_assert_null (info.gaps);
  oct_test_assert_error (&error, OCT_ERROR_FORMAT, word, too, NULL);
}

/* `head` and then `item` again and again, `size` bytes in all. */
static GString *
repeat (const char *head, const char *item, gsize size)
{
  GString *text = g_string_sized_new (size);

  g_string_append (text, head);
  while (text->len < size)
    g_string_append (text, item);
  g_string_truncate (text, size);
  return text;
}

#define MIB ((gsize)1 << 20)

/* The sentences are of the checks before anything is split into items, which
 * takes twenty times the text's size. */
static void
test_huge_text (void)
{
  g_autoptr (GString) missing = repeat (SIZES "missing=", "1:1;", 30 * MIB);
  g_autoptr (GString) keys = repeat (SIZES, "a=\n", 16 * MIB);
  g_autoptr (GString) list =
      repeat (SIZES "[calibration]\npositions=", "0;", 16 * MIB);
  GError *error = NULL;

  oct_test_write ("huge.oct", missing->str, missing->len);
  g_assert_null (oct_recording_open (oct_test_path ("huge.oct"), &error));
  oct_test_assert_error (
      &error, OCT_ERROR_FORMAT, "has 31457280 bytes", "16777216", NULL);
  assert_refused (missing->str, missing->len, "has 31457280 bytes", "16777216");
  assert_refused (
      missing->str, 16 * MIB, "`missing` has 41", "at most 4096 are possible");
  assert_refused (keys->str, keys->len, "lines, at most 4096", "raw files");
  assert_refused (
      list->str, list->len, "`positions` has 8388", "at most 4 are possible");
  g_assert_cmpint (
      truncate (oct_test_path ("huge.oct"), (off_t)1 << 40), ==, 0);
  g_assert_null (oct_recording_open (oct_test_path ("huge.oct"), &error));
  oct_test_assert_error (
      &error, OCT_ERROR_FORMAT, "has 1099511627776 bytes", NULL);
}

static void
test_longest_lists (void)
{
  g_autoptr (GString) gaps =
      repeat (SIZES "missing=", "7:1;", strlen (SIZES "missing=") + 4096 * 4);
  g_autofree char *one_more = g_strconcat (gaps->str, "7:1;", NULL);
  g_auto (OctRecordingInfo) info = { 0 };
  g_autoptr (GError) error = NULL;

  oct_recording_parse ("x", gaps->str, gaps->len, &info, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (info.gaps->len, ==, 4096);
  assert_refused (
      one_more, strlen (one_more), "`missing` has 4097 values", "4096");
}

/* The longest text that can be written, with room for a user's remarks. */
static void
test_largest_text (void)
{
  const guint n = OCT_MAX_SAMPLES;
  g_auto (OctRecordingInfo) info = { OCT_SAMPLE_U16, n, 1024, G_MAXINT,
    1e9 / 3.0, G_GINT64_CONSTANT (9999999999999999), NULL, NULL };
  g_auto (OctRecordingInfo) back = { 0 };
  g_autofree double *axis = g_new (double, n), *long_values = g_new (double, n);
  g_autofree char *text = NULL;
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < n; i++) {
    axis[i] = i + (i == 0 ? 1e-9 : 1e-6) / 3.0;
    long_values[i] = -1.2345678901234567e-100;
  }
  info.calibration = oct_calibration_new_from_values (n, axis, axis,
      long_values, long_values, long_values, 20.0 / 3.0, 22.0 / 3.0, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < 2 * OCT_RECORDING_MAX_GAPS; i++)
    oct_recording_info_add_gap (&info, G_MAXUINT64, G_MAXUINT64);
  info.calibration_until = G_MAXINT64;
  text = oct_recording_format (&info);
  g_assert_cmpuint (strlen (text), >, 7 * MIB);
  g_assert_cmpuint (strlen (text), <, 12 * MIB);
  oct_recording_parse ("x", text, strlen (text), &back, &error);
  g_assert_no_error (error);
  assert_same_calibration (info.calibration, back.calibration);
  g_assert_cmpuint (back.gaps->len, ==, OCT_RECORDING_MAX_GAPS);
  g_assert_cmpuint (
      g_array_index (back.gaps, OctRecordingGap, 0).frame, ==, G_MAXINT64);
}

/* Values that no camera has must not make a recording that cannot be read. */
static void
test_odd_values (void)
{
  const double rates[] = { 1e9, 1.1e9, 1e300, INFINITY, NAN, -1.0 };
  const gint64 times[] = { -1, 1, 999999 };

  for (guint i = 0; i < G_N_ELEMENTS (rates); i++) {
    OctRecordingInfo info = { OCT_SAMPLE_U8, 4, 3, 0, rates[i],
      times[i % G_N_ELEMENTS (times)], NULL, NULL };
    g_auto (OctRecordingInfo) back = { 0 };
    g_autofree char *text = oct_recording_format (&info);
    g_autoptr (GError) error = NULL;

    oct_recording_parse ("x", text, strlen (text), &back, &error);
    g_assert_no_error (error);
    g_assert_cmpfloat (back.line_rate, ==, i == 0 ? 1e9 : 0.0);
    g_assert_cmpint (back.start_time, ==, MAX (info.start_time, 0));
  }
}

/* Written in other orders, with comments and keys of the future. */
static void
test_text_by_hand (void)
{
  const char *text = "# my scan\n[oct-recording]\nlines=3\ncolour=green\n"
                     "samples=4\nsample-format=gray8\nversion=1\n[future]\n";
  g_auto (OctRecordingInfo) info = { 0 };
  g_autoptr (GError) error = NULL;

  oct_recording_parse ("x", text, strlen (text), &info, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (info.samples, ==, 4);
  g_assert_cmpuint (info.bscans, ==, 0);
  g_assert_cmpfloat (info.line_rate, ==, 0.0);
  g_assert_null (info.calibration);
}

/* ----------------------------------------------------------- files and back */

/* B-scan n: values that tell where they belong. */
static void
fill (guint16 *values, guint n)
{
  for (guint i = 0; i < SAMPLES * LINES; i++)
    values[i] = n * 1000 + i;
}

static OctRawWriter *
new_writer (const char *name, guint64 part_size)
{
  OctRecordingInfo info = { OCT_SAMPLE_U16, SAMPLES, LINES, 0, 90.0, 0, NULL,
    NULL };
  g_autoptr (GError) error = NULL;
  OctRawWriter *writer =
      oct_raw_writer_new (oct_test_path (name), part_size, 0600, &error);

  g_assert_no_error (error);
  oct_raw_writer_describe (writer, &info, &error);
  g_assert_no_error (error);
  return writer;
}

static void
write_frames (const char *name, guint frames, guint64 part_size, gsize stride)
{
  OctRawWriter *writer = new_writer (name, part_size);
  g_autoptr (GError) error = NULL;
  OctRawWriterStats stats;
  guint16 values[SAMPLES * LINES];
  g_autofree guint8 *padded = g_malloc0 (stride * LINES);

  for (guint n = 0; n < frames; n++) {
    fill (values, n);
    for (guint i = 0; i < LINES; i++)
      memcpy (padded + i * stride, values + i * SAMPLES, SAMPLES * 2);
    oct_raw_writer_append (writer, padded, stride, NULL, &error);
    g_assert_no_error (error);
  }
  stats = oct_raw_writer_get_stats (writer);
  g_assert_cmpuint (stats.frames, ==, frames);
  g_assert_cmpuint (stats.bytes, ==, frames * FRAME);
  oct_raw_writer_close (writer, &error);
  g_assert_no_error (error);
}

static OctRecording *
open_good (const char *name, guint frames)
{
  g_autoptr (GError) error = NULL;
  OctRecording *recording = oct_recording_open (oct_test_path (name), &error);

  g_assert_no_error (error);
  g_assert_cmpuint (oct_recording_get_frames (recording), ==, frames);
  return recording;
}

/* Frame `frame` of the recording is the one that was written as `n`. */
static void
assert_frame (OctRecording *recording, guint frame, guint n)
{
  guint16 expected[SAMPLES * LINES], found[SAMPLES * LINES] = { 0 };
  g_autoptr (GError) error = NULL;

  fill (expected, n);
  oct_recording_read (recording, frame, found, SAMPLES * 2, &error);
  g_assert_no_error (error);
  g_assert_cmpmem (found, FRAME, expected, FRAME);
}

static void
test_parts (void)
{
  g_autoptr (OctRecording) recording = NULL;
  GError *error = NULL;

  /* two whole B-scans and a half would fit: parts of 2, 2, 2, 1 */
  write_frames ("parts", 7, FRAME * 5 / 2, SAMPLES * 2);
  g_assert_true (
      g_file_test (oct_test_path ("parts-00003.raw"), G_FILE_TEST_IS_REGULAR));
  g_assert_false (
      g_file_test (oct_test_path ("parts-00004.raw"), G_FILE_TEST_EXISTS));
  g_assert_true (oct_recording_is_one (oct_test_path ("parts.oct")));
  g_assert_false (oct_recording_is_one (oct_test_path ("parts-00000.raw")));
  recording = open_good ("parts.oct", 7);
  for (guint n = 0; n < 7; n++)
    assert_frame (recording, n, n);
  assert_frame (recording, 2, 2);
  g_assert_false (oct_recording_read (recording, 7, NULL, 16, &error));
  oct_test_assert_error (&error, OCT_ERROR_READ, "7 B-scans", NULL);
}

static void
test_rows_with_gaps (void)
{
  g_autoptr (OctRecording) recording = NULL;

  write_frames ("gaps", 3, FRAME * 2, SAMPLES * 2 + 12);
  recording = open_good ("gaps.oct", 3);
  for (guint n = 0; n < 3; n++)
    assert_frame (recording, n, n);
}

/* Smaller than a B-scan: one B-scan each. */
static void
test_tiny_parts (void)
{
  g_autoptr (OctRecording) recording = NULL;

  write_frames ("tiny", 3, 1, SAMPLES * 2);
  recording = open_good ("tiny.oct", 3);
  assert_frame (recording, 2, 2);
}

/* As a crash leaves them: the last part cut off, or just begun; and, by hand,
 * one in the middle. */
static void
test_cut_off (void)
{
  g_autoptr (OctRecording) recording = NULL;

  write_frames ("cut", 6, FRAME * 2, SAMPLES * 2);
  g_assert_cmpint (
      truncate (oct_test_path ("cut-00002.raw"), 2 * FRAME - 1), ==, 0);
  recording = open_good ("cut.oct", 5);
  assert_frame (recording, 4, 4);
  g_clear_pointer (&recording, oct_recording_close);
  g_assert_cmpint (truncate (oct_test_path ("cut-00002.raw"), 0), ==, 0);
  recording = open_good ("cut.oct", 4);
  g_clear_pointer (&recording, oct_recording_close);
  g_assert_cmpint (truncate (oct_test_path ("cut-00001.raw"), FRAME), ==, 0);
  oct_test_write ("cut-00002.raw", "x", 1);
  recording = open_good ("cut.oct", 3);
  assert_frame (recording, 2, 2);
}

static GError *
open_bad (const char *name)
{
  GError *error = NULL;

  g_assert_null (oct_recording_open (oct_test_path (name), &error));
  return error;
}

static void
test_missing_parts (void)
{
  GError *error;

  write_frames ("lost", 6, FRAME * 2, SAMPLES * 2);
  g_remove (oct_test_path ("lost-00001.raw"));
  error = open_bad ("lost.oct");
  oct_test_assert_error (&error, OCT_ERROR_NOT_FOUND, "lost-00001.raw", NULL);
  g_remove (oct_test_path ("lost-00002.raw"));
  oct_recording_close (open_good ("lost.oct", 2));
  g_remove (oct_test_path ("lost-00000.raw"));
  error = open_bad ("lost.oct");
  oct_test_assert_error (
      &error, OCT_ERROR_FORMAT, "lost-00000.raw", "3 lines of 8 samples", NULL);
  error = open_bad ("nowhere.oct");
  oct_test_assert_error (&error, OCT_ERROR_NOT_FOUND, "nowhere.oct", NULL);
}

/* Known answers: B-scans 4, 5, 6 are lost, with a gap among them. */
static void
test_lose_part (void)
{
  g_auto (OctRecordingInfo) info = { OCT_SAMPLE_U8, 8, 3 };
  g_auto (OctRecordingInfo) again = { 0 };
  g_autoptr (GError) error = NULL;
  g_autofree char *text = NULL;

  oct_recording_info_add_gap (&info, 2, 1);
  oct_recording_info_add_gap (&info, 5, 3);
  oct_recording_info_add_gap (&info, 9, 4);
  info.calibration_until = 8;
  g_assert_true (oct_recording_info_lose_part (&info, 3, 4, 3));
  text = oct_recording_format (&info);
  g_assert_nonnull (strstr (text, "missing=2:1;4:6;6:4;\n"));
  g_assert_nonnull (strstr (text, "lost-parts=3;\n"));
  g_assert_cmpuint (info.calibration_until, ==, 5);
  /* and one before it, and one right after the gap */
  g_assert_true (oct_recording_info_lose_part (&info, 1, 0, 2));
  g_assert_true (oct_recording_info_lose_part (&info, 4, 2, 2));
  g_assert_cmpuint (info.calibration_until, ==, 2);
  g_free (text);
  text = oct_recording_format (&info);
  g_assert_nonnull (strstr (text, "missing=0:3;2:12;\n"));
  g_assert_nonnull (strstr (text, "lost-parts=1;3;4;\n"));
  oct_recording_parse ("x", text, strlen (text), &again, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (again.lost_parts->len, ==, 3);
  g_assert_cmpuint (g_array_index (again.lost_parts, guint, 2), ==, 4);
}

static void
test_wrong_lost_parts (void)
{
  const char *const lists[] = { "x", "3", "5;3;", "3;3;", "99999999999;", "-1;",
    "1;;" };

  for (guint i = 0; i < G_N_ELEMENTS (lists); i++) {
    g_autofree char *text =
        g_strdup_printf ("[oct-recording]\nversion=1\nsample-format=gray8\n"
                         "samples=8\nlines=3\nlost-parts=%s\n",
            lists[i]);
    OctRecordingInfo info = { 0 };
    GError *error = NULL;

    g_assert_false (
        oct_recording_parse ("x", text, strlen (text), &info, &error));
    oct_test_assert_error (&error, OCT_ERROR_FORMAT, "lost-parts", NULL);
  }
}

/* Takes what the writer finds to be gone into the text, and tells it. */
static guint64
find_losses (OctRawWriter *writer, OctRecordingInfo *info)
{
  g_autoptr (GError) error = NULL;
  guint64 frames = 0;
  OctRawLoss loss;

  while (oct_raw_writer_check (writer, &loss)) {
    g_assert_true (oct_recording_info_lose_part (
        info, loss.part, loss.first, loss.frames));
    frames += loss.frames;
    g_free (loss.path);
  }
  oct_raw_writer_describe (writer, info, &error);
  g_assert_no_error (error);
  return frames;
}

static void
move_away (const char *name)
{
  g_autofree char *from = g_strdup (oct_test_path (name));
  g_autofree char *to = g_strconcat (from, "-elsewhere", NULL);

  g_assert_cmpint (g_rename (from, to), ==, 0);
}

/* Deleted, replaced, cut off while they are written, the text too: what is left
 * can be played, and is what is counted. */
static void
test_lost_while_writing (void)
{
  g_auto (OctRecordingInfo) info = { OCT_SAMPLE_U16, SAMPLES, LINES };
  OctRawWriter *writer = new_writer ("gone", FRAME * 2);
  g_autoptr (OctRecording) recording = NULL;
  g_autoptr (GError) error = NULL;
  const guint left[] = { 2, 3, 10, 11, 14 };
  guint16 values[SAMPLES * LINES];
  OctRawWriterStats stats;

  for (guint n = 0; n < 15; n++) {
    fill (values, n);
    oct_raw_writer_append (writer, values, SAMPLES * 2, NULL, &error);
    g_assert_no_error (error);
    if (n == 4) { /* parts of 2, 2, 1 */
      g_assert_cmpuint (find_losses (writer, &info), ==, 0);
      g_remove (oct_test_path ("gone-00000.raw"));
      g_remove (oct_test_path ("gone-00002.raw"));
      g_remove (oct_test_path ("gone.oct"));
      g_assert_false (oct_raw_writer_has_text (writer));
      g_assert_cmpuint (find_losses (writer, &info), ==, 3);
      g_assert_true (oct_raw_writer_has_text (writer));
    } else if (n == 6) { /* 5 and 6 */
      g_assert_cmpint (
          truncate (oct_test_path ("gone-00003.raw"), FRAME), ==, 0);
      g_assert_cmpuint (find_losses (writer, &info), ==, 2);
      /* the number of the next one is taken */
      oct_test_write ("gone-00004.raw", values, FRAME);
    } else if (n == 8) { /* 7 and 8 in 5 */
      g_assert_cmpuint (find_losses (writer, &info), ==, 0);
      move_away ("gone-00005.raw");
      oct_test_write ("gone-00005.raw", values, FRAME);
    } else if (n == 9) { /* the first of part 6 */
      move_away ("gone-00006.raw");
      g_assert_cmpuint (find_losses (writer, &info), ==, 3);
    } else if (n == 13) { /* 12 and 13, finished, are found in the end */
      g_remove (oct_test_path ("gone-00008.raw"));
    }
  }
  g_assert_cmpuint (find_losses (writer, &info), ==, 2);
  stats = oct_raw_writer_get_stats (writer);
  g_assert_cmpuint (stats.frames, ==, 5);
  g_assert_cmpuint (stats.lost, ==, 10);
  g_assert_cmpuint (stats.parts, ==, 3);
  g_assert_cmpuint (stats.bytes, ==, 5 * FRAME);
  oct_raw_writer_close (writer, &error);
  g_assert_no_error (error);
  recording = open_good ("gone.oct", 5);
  for (guint n = 0; n < G_N_ELEMENTS (left); n++)
    assert_frame (recording, n, left[n]);
}

/* From the B-scan `full` on the disk takes half a B-scan. */
static void
write_to_full_disk (const char *name, guint full)
{
  OctRawWriter *writer = new_writer (name, FRAME);
  g_autoptr (GError) error = NULL;
  guint16 values[SAMPLES * LINES];
  struct rlimit before, limit;
  OctRawWriterStats stats;

  g_assert_cmpint (getrlimit (RLIMIT_FSIZE, &before), ==, 0);
  signal (SIGXFSZ, SIG_IGN);
  limit = before;
  limit.rlim_cur = FRAME / 2;
  for (guint n = 0; n <= full; n++) {
    if (n == full)
      g_assert_cmpint (setrlimit (RLIMIT_FSIZE, &limit), ==, 0);
    fill (values, n);
    g_assert_true (
        oct_raw_writer_append (writer, values, SAMPLES * 2, NULL, &error)
        == (n < full));
  }
  g_assert_cmpint (setrlimit (RLIMIT_FSIZE, &before), ==, 0);
  g_assert_error (error, OCT_ERROR, OCT_ERROR_WRITE);
  stats = oct_raw_writer_get_stats (writer);
  g_assert_cmpuint (stats.parts, ==, full);
  g_assert_cmpuint (stats.frames, ==, full);
  g_assert_cmpuint (stats.bytes, ==, full * FRAME);
  oct_raw_writer_close (writer, NULL);
}

/* A part that was begun and holds nothing is none, and does not stay. */
static void
test_part_on_full_disk (void)
{
  g_autoptr (OctRecording) recording = NULL;

  write_to_full_disk ("full", 2);
  g_assert_true (
      g_file_test (oct_test_path ("full-00001.raw"), G_FILE_TEST_EXISTS));
  g_assert_false (
      g_file_test (oct_test_path ("full-00002.raw"), G_FILE_TEST_EXISTS));
  recording = open_good ("full.oct", 2);
  assert_frame (recording, 1, 1);
  /* from the start on: the name is free again */
  write_to_full_disk ("nothing", 0);
  g_assert_false (
      g_file_test (oct_test_path ("nothing-00000.raw"), G_FILE_TEST_EXISTS));
  g_assert_false (
      g_file_test (oct_test_path ("nothing.oct"), G_FILE_TEST_EXISTS));
}

/* Nobody else can read them, whatever the umask. */
static void
test_private (void)
{
  const char *const names[] = { "private.oct", "private-00000.raw" };
  mode_t before = umask (0);

  write_frames ("private", 1, FRAME, SAMPLES * 2);
  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    GStatBuf status;

    g_assert_cmpint (g_stat (oct_test_path (names[i]), &status), ==, 0);
    g_assert_cmpint (status.st_mode & 0777, ==, 0600);
  }
  umask (before);
}

static void
test_never_overwrites (void)
{
  GError *error = NULL;

  write_frames ("once", 1, FRAME, SAMPLES * 2);
  g_assert_null (
      oct_raw_writer_new (oct_test_path ("once"), FRAME, 0600, &error));
  oct_test_assert_error (
      &error, OCT_ERROR_WRITE, "once.oct", "overwritten", NULL);
  g_remove (oct_test_path ("once.oct"));
  g_assert_null (
      oct_raw_writer_new (oct_test_path ("once"), FRAME, 0600, &error));
  oct_test_assert_error (&error, OCT_ERROR_WRITE, "once-00000.raw", NULL);
  g_assert_null (
      oct_raw_writer_new (oct_test_path ("nowhere/x"), FRAME, 0600, &error));
  oct_test_assert_error (&error, OCT_ERROR_WRITE, "nowhere", "location", NULL);
}

/* A recording without a calibration, which gets one after the first B-scan. */
static void
test_new_calibration (void)
{
  OctRawWriter *writer = new_writer ("again", FRAME);
  g_auto (OctRecordingInfo) info = { OCT_SAMPLE_U16, SAMPLES, LINES, 0, 0, 0,
    make_calibration (SAMPLES), NULL };
  g_autoptr (OctRecording) recording = NULL;
  g_autoptr (GError) error = NULL;
  guint16 values[SAMPLES * LINES];

  fill (values, 0);
  oct_raw_writer_append (writer, values, SAMPLES * 2, NULL, &error);
  g_assert_no_error (error);
  recording = open_good ("again.oct", 1); /* while it is being written */
  g_assert_null (oct_recording_get_info (recording)->calibration);
  g_clear_pointer (&recording, oct_recording_close);
  oct_raw_writer_describe (writer, &info, &error);
  g_assert_no_error (error);
  recording = open_good ("again.oct", 1);
  assert_same_calibration (
      info.calibration, oct_recording_get_info (recording)->calibration);
  g_assert_true (oct_raw_writer_close (writer, &error));
}

int
main (int argc, char **argv)
{
  int status;

  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/recording/text-and-back", test_text_and_back);
  g_test_add_func ("/recording/wrong-text", test_wrong_text);
  g_test_add_func ("/recording/many-gaps", test_many_gaps);
  g_test_add_func ("/recording/huge-text", test_huge_text);
  g_test_add_func ("/recording/longest-lists", test_longest_lists);
  g_test_add_func ("/recording/largest-text", test_largest_text);
  g_test_add_func ("/recording/odd-values", test_odd_values);
  g_test_add_func ("/recording/text-by-hand", test_text_by_hand);
  g_test_add_func ("/recording/parts", test_parts);
  g_test_add_func ("/recording/part-on-full-disk", test_part_on_full_disk);
  g_test_add_func ("/recording/rows-with-gaps", test_rows_with_gaps);
  g_test_add_func ("/recording/tiny-parts", test_tiny_parts);
  g_test_add_func ("/recording/cut-off", test_cut_off);
  g_test_add_func ("/recording/missing-parts", test_missing_parts);
  g_test_add_func ("/recording/lose-part", test_lose_part);
  g_test_add_func ("/recording/wrong-lost-parts", test_wrong_lost_parts);
  g_test_add_func ("/recording/lost-while-writing", test_lost_while_writing);
  g_test_add_func ("/recording/private", test_private);
  g_test_add_func ("/recording/never-overwrites", test_never_overwrites);
  g_test_add_func ("/recording/new-calibration", test_new_calibration);
  status = g_test_run ();
  oct_test_clean ();
  return status;
}
