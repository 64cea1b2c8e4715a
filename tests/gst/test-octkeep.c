/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * octkeep: the last seconds, as they came, in files of their own.
 */
#include "oct-test-files.h"
#include "oct-test-source.h"

#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>

/* 1000 B-scans a second, so that 20 are 20 ms */
#define SPECTRA "octsrc samples=64 lines=8 line-rate=8000 "
#define VIDEO "video/x-vp8,width=32,height=16,framerate=1000/1"
#define GROUP 10

typedef struct {
  GstHarness *harness;
  GstElement *keep;
  GstBus *bus;
} Video;

static void
video_begin (Video *v)
{
  g_autofree char *location = oct_test_file_path ("kept");

  v->harness = gst_harness_new ("octkeep");
  v->keep = v->harness->element;
  v->bus = gst_bus_new ();
  gst_element_set_bus (v->keep, v->bus);
  g_object_set (v->keep, "location", location, NULL);
  gst_harness_set_src_caps_str (v->harness, VIDEO);
}

static void
video_end (Video *v)
{
  gst_element_set_bus (v->keep, NULL);
  gst_harness_teardown (v->harness);
  gst_object_unref (v->bus);
}

/* Images first .. first + count - 1 of 1 ms; every GROUP-th can be decoded by
 * itself.  Each has 100 bytes, of its number. */
static void
video_push (Video *v, guint first, guint count)
{
  for (guint i = first; i < first + count; i++) {
    GstBuffer *buffer = gst_harness_create_buffer (v->harness, 100);

    gst_buffer_memset (buffer, 0, (guint8)i, 100);
    GST_BUFFER_PTS (buffer) = i * GST_MSECOND;
    GST_BUFFER_DURATION (buffer) = GST_MSECOND;
    if (i % GROUP != 0)
      GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DELTA_UNIT);
    fail_unless_equals_int (gst_harness_push (v->harness, buffer), GST_FLOW_OK);
  }
}

static char *
keep (GstElement *element)
{
  char *location = NULL;

  g_signal_emit_by_name (element, "keep", &location);
  return location;
}

/* Waits for the message about the file, and returns how many images it says. */
static guint
wait_for (GstBus *bus, const char *location)
{
  guint images = 0;

  for (;;) {
    g_autoptr (GstMessage) message =
        gst_bus_timed_pop_filtered (bus, GST_CLOCK_TIME_NONE,
            GST_MESSAGE_ELEMENT | GST_MESSAGE_WARNING | GST_MESSAGE_ERROR);
    const GstStructure *s = gst_message_get_structure (message);

    fail_unless_equals_int (GST_MESSAGE_TYPE (message), GST_MESSAGE_ELEMENT);
    if (!gst_structure_has_name (s, "oct-kept"))
      continue;
    fail_unless_equals_string (
        gst_structure_get_string (s, "location"), location);
    fail_unless (gst_structure_get_uint (s, "images", &images));
    return images;
  }
}

/* The sentence of the next warning, which has `word`. */
static void
wait_for_warning (GstBus *bus, const char *word)
{
  g_autoptr (GstMessage) message = gst_bus_timed_pop_filtered (
      bus, GST_CLOCK_TIME_NONE, GST_MESSAGE_WARNING | GST_MESSAGE_ERROR);
  g_autoptr (GError) error = NULL;

  fail_unless_equals_int (GST_MESSAGE_TYPE (message), GST_MESSAGE_WARNING);
  gst_message_parse_warning (message, &error, NULL);
  fail_unless (strstr (error->message, word) != NULL, "%s", error->message);
}

static void
count_image (GstElement *sink, GstBuffer *buffer, GstPad *pad, gpointer data)
{
  GArray *numbers = data;
  guint8 value = 0;

  if (numbers->len == 0)
    fail_unless_equals_uint64 (GST_BUFFER_PTS (buffer), 0);
  fail_unless_equals_int (gst_buffer_extract (buffer, 0, &value, 1), 1);
  g_array_append_val (numbers, value);
}

/* A demuxer finds images from .. from + count - 1 in the file. */
static void
check_video (const char *location, guint from, guint count)
{
  g_autofree char *line = g_strdup_printf (
      "filesrc location=%s ! matroskademux ! fakesink name=sink "
      "signal-handoffs=true sync=false",
      location);
  g_autoptr (GError) error = NULL;
  g_autoptr (GstElement) pipeline = gst_parse_launch (line, &error);
  g_autoptr (GstElement) sink = NULL;
  g_autoptr (GstBus) bus = NULL;
  g_autoptr (GstMessage) end = NULL;
  g_autoptr (GArray) numbers = g_array_new (FALSE, FALSE, 1);

  g_assert_no_error (error);
  sink = gst_bin_get_by_name (GST_BIN (pipeline), "sink");
  bus = gst_element_get_bus (pipeline);
  g_signal_connect (sink, "handoff", G_CALLBACK (count_image), numbers);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  end = gst_bus_timed_pop_filtered (
      bus, GST_CLOCK_TIME_NONE, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  fail_unless_equals_int (GST_MESSAGE_TYPE (end), GST_MESSAGE_EOS);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  fail_unless_equals_int (numbers->len, count);
  for (guint i = 0; i < count; i++)
    fail_unless_equals_int (
        g_array_index (numbers, guint8, i), (guint8)(from + i));
}

/* ------------------------------------------------------------------ spectra */

/* A source that begins anew has times from 0 on: no file goes back in time. */
GST_START_TEST (test_spectra_anew)
{
  g_autofree char *path = oct_test_file_path ("anew"), *location = NULL;
  GstHarness *harness = gst_harness_new ("octkeep");
  GstElement *element = harness->element;
  GstBus *bus = gst_bus_new ();

  gst_element_set_bus (element, bus);
  g_object_set (element, "location", path, NULL);
  gst_harness_set_src_caps_str (harness,
      "video/x-raw,format=GRAY16_LE,width=4,height=2,framerate=1000/1");
  for (guint i = 0; i < 30; i++) {
    GstBuffer *buffer = gst_harness_create_buffer (harness, 16);

    gst_buffer_memset (buffer, 0, 0, 16);
    GST_BUFFER_PTS (buffer) = (i < 18 ? 500 + i : i - 18) * GST_MSECOND;
    GST_BUFFER_DURATION (buffer) = GST_MSECOND;
    fail_unless_equals_int (gst_harness_push (harness, buffer), GST_FLOW_OK);
  }
  location = keep (element);
  fail_unless_equals_int (wait_for (bus, location), 12);
  gst_element_set_bus (element, NULL);
  gst_harness_teardown (harness);
  gst_object_unref (bus);
}
GST_END_TEST

/* A path of one B-scan of two A-lines, `length` m apart. */
static GstEvent *
make_path (double length)
{
  const double places[2][2] = { { 0.0, length }, { 0.0, 0.0 } };
  g_autoptr (GstBuffer) x = gst_buffer_new_memdup (places[0], sizeof places[0]);
  g_autoptr (GstBuffer) y = gst_buffer_new_memdup (places[1], sizeof places[1]);

  return gst_event_new_custom (GST_EVENT_CUSTOM_DOWNSTREAM_STICKY,
      gst_structure_new ("application/x-oct-scan-path", "lines", G_TYPE_UINT, 2,
          "bscans", G_TYPE_UINT, 1, "x", GST_TYPE_BUFFER, x, "y",
          GST_TYPE_BUFFER, y, NULL));
}

/* A file says one scan path: only the B-scans along the last one are kept.  The
 * same one again changes nothing. */
GST_START_TEST (test_spectra_of_one_path)
{
  static const double lengths[] = { 1e-3, 1e-3, 2e-3, 2e-3 };
  g_autofree char *path = oct_test_file_path ("path"), *location = NULL;
  g_autofree char *file = NULL, *text = NULL, *end = NULL;
  GstHarness *harness = gst_harness_new ("octkeep");
  GstElement *element = harness->element;
  GstBus *bus = gst_bus_new ();

  gst_element_set_bus (element, bus);
  g_object_set (element, "location", path, NULL);
  gst_harness_set_src_caps_str (harness,
      "video/x-raw,format=GRAY16_LE,width=4,height=2,framerate=1000/1");
  for (guint i = 0; i < 20; i++) {
    GstBuffer *buffer = gst_harness_create_buffer (harness, 16);

    if (i % 5 == 0)
      fail_unless (
          gst_harness_push_event (harness, make_path (lengths[i / 5])));
    gst_buffer_memset (buffer, 0, 0, 16);
    GST_BUFFER_PTS (buffer) = i * GST_MSECOND;
    GST_BUFFER_DURATION (buffer) = GST_MSECOND;
    fail_unless_equals_int (gst_harness_push (harness, buffer), GST_FLOW_OK);
  }
  location = keep (element);
  fail_unless_equals_int (wait_for (bus, location), 10);
  end = g_strndup (location, strlen (location) - strlen (".oct"));
  file = g_strconcat (end, "-scan-path.txt", NULL);
  fail_unless (g_file_get_contents (file, &text, NULL, NULL));
  fail_unless (strstr (text, "\n2 0") != NULL, "%s", text);
  gst_element_set_bus (element, NULL);
  gst_harness_teardown (harness);
  gst_object_unref (bus);
}
GST_END_TEST

/* The last 20 of 90 B-scans, with their calibration, as octsrc delivers them. */
GST_START_TEST (test_spectra)
{
  g_autofree char *path = oct_test_file_path ("moment");
  g_autofree char *line = g_strdup_printf (SPECTRA
      "num-buffers=90 ! octkeep name=keep seconds=0.02 location=%s",
      path);
  g_autoptr (GstElement) pipeline = gst_parse_launch (line, NULL);
  g_autoptr (GstElement) element =
      gst_bin_get_by_name (GST_BIN (pipeline), "keep");
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  g_autoptr (Source) direct = source_new (SPECTRA "num-buffers=90 name=src");
  g_autoptr (Source) played = NULL;
  g_autofree char *location = NULL;
  double held;

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  gst_message_unref (gst_bus_timed_pop_filtered (
      bus, GST_CLOCK_TIME_NONE, GST_MESSAGE_EOS | GST_MESSAGE_ERROR));
  g_object_get (element, "held", &held, NULL);
  fail_unless (held > 0.0199 && held < 0.0201, "%g s", held);
  location = keep (element);
  fail_unless (g_str_has_prefix (location, path));
  fail_unless_equals_int (wait_for (bus, location), 20);
  gst_element_set_state (pipeline, GST_STATE_NULL);

  played = source_new ("octsrc name=src location=%s ! octdcsub ! octkresample",
      location); /* which wants a calibration */
  source_play (direct);
  source_collect (direct);
  source_play (played);
  source_collect (played);
  fail_unless_equals_int (source_count (played), 20);
  source_stop (played);
  g_clear_pointer (&played, source_free);
  played = source_new ("octsrc name=src location=%s", location);
  source_play (played);
  source_collect (played);
  for (guint i = 0; i < 20; i++) {
    GstBuffer *one = source_get (played, i);
    gsize size = gst_buffer_get_size (one);
    g_autofree guint8 *bytes = g_malloc (size);

    fail_unless_equals_int (gst_buffer_extract (one, 0, bytes, size), size);
    fail_unless (
        gst_buffer_memcmp (source_get (direct, 70 + i), 0, bytes, size) == 0,
        "B-scan %u", i);
  }
}
GST_END_TEST

/* -------------------------------------------------------------------- video */

/* 12 ms of images 0 to 34 begin with 23, which needs 20. */
GST_START_TEST (test_groups)
{
  g_autofree char *location = NULL;
  Video v;

  video_begin (&v);
  g_object_set (v.keep, "seconds", 0.1, NULL);
  video_push (&v, 3, 7); /* what cannot be decoded is left out */
  fail_unless (keep (v.keep) == NULL);
  wait_for_warning (v.bus, "Nothing has come yet");
  video_push (&v, 10, 135);
  location = keep (v.keep);
  /* 100 ms before the end of image 144 is in the group of 40 */
  fail_unless_equals_int (wait_for (v.bus, location), 105);
  check_video (location, 40, 105);
  video_end (&v);
}
GST_END_TEST

/* Kept twice in a row, and while more comes: two files, nothing replaced. */
GST_START_TEST (test_twice)
{
  g_autofree char *one = NULL, *two = NULL, *three = NULL;
  guint kept;
  Video v;

  video_begin (&v);
  video_push (&v, 0, 25);
  one = keep (v.keep);
  video_push (&v, 25, 5);
  two = keep (v.keep);
  three = keep (v.keep);
  video_push (&v, 30, 10);
  fail_unless (strcmp (one, two) != 0);
  fail_unless (strcmp (one, three) != 0 && strcmp (two, three) != 0);
  fail_unless_equals_int (wait_for (v.bus, one), 25);
  fail_unless_equals_int (wait_for (v.bus, two), 30);
  fail_unless_equals_int (wait_for (v.bus, three), 30);
  check_video (one, 0, 25);
  check_video (two, 0, 30);
  g_object_get (v.keep, "kept", &kept, NULL);
  fail_unless_equals_int (kept, 3);
  video_end (&v);
}
GST_END_TEST

/* As many groups as fit, and never one without its first image. */
GST_START_TEST (test_memory)
{
  g_autofree char *location = NULL;
  guint64 bytes;
  Video v;

  video_begin (&v);
  g_object_set (v.keep, "memory", (guint64)2500, NULL);
  video_push (&v, 0, 48);
  g_object_get (v.keep, "held-bytes", &bytes, NULL);
  fail_unless_equals_uint64 (bytes, 1800); /* groups of 30 and 40 */
  location = keep (v.keep);
  fail_unless_equals_int (wait_for (v.bus, location), 18);
  check_video (location, 30, 18);
  /* one group that is too large: nothing, until the next begins */
  g_object_set (v.keep, "memory", (guint64)500, NULL);
  video_push (&v, 50, 8);
  fail_unless (keep (v.keep) == NULL);
  wait_for_warning (v.bus, "Nothing has come yet");
  video_end (&v);
}
GST_END_TEST

/* A file has one format, and what was before a flush is another stream. */
GST_START_TEST (test_forgotten)
{
  g_autofree char *location = NULL;
  Video v;

  video_begin (&v);
  video_push (&v, 0, 10);
  gst_harness_set_src_caps_str (
      v.harness, "video/x-vp8,width=64,height=16,framerate=1000/1");
  video_push (&v, 10, 5);
  location = keep (v.keep);
  fail_unless_equals_int (wait_for (v.bus, location), 5);
  check_video (location, 10, 5);
  gst_harness_push_event (v.harness, gst_event_new_flush_start ());
  gst_harness_push_event (v.harness, gst_event_new_flush_stop (TRUE));
  fail_unless (keep (v.keep) == NULL);
  video_end (&v);
}
GST_END_TEST

/* Cameras have few buffers. */
GST_START_TEST (test_buffers_are_given_back)
{
  GstBuffer *buffer;
  Video v;

  video_begin (&v);
  buffer = gst_harness_create_buffer (v.harness, 100);
  GST_BUFFER_PTS (buffer) = 0;
  gst_harness_push (v.harness, gst_buffer_ref (buffer));
  ASSERT_BUFFER_REFCOUNT (buffer, "buffer", 1);
  gst_buffer_unref (buffer);
  video_end (&v);
}
GST_END_TEST

/* The stream goes on, and what comes later can be kept. */
GST_START_TEST (test_no_folder)
{
  g_autofree char *good = oct_test_file_path ("good");
  g_autofree char *bad = oct_test_file_path ("missing/folder/kept");
  g_autofree char *location = NULL, *lost = NULL;
  Video v;

  video_begin (&v);
  g_object_set (v.keep, "location", bad, NULL);
  video_push (&v, 0, 5);
  lost = keep (v.keep);
  wait_for_warning (v.bus, "could not be kept");
  fail_if (g_file_test (lost, G_FILE_TEST_EXISTS));
  g_object_set (v.keep, "location", good, NULL);
  video_push (&v, 5, 5);
  location = keep (v.keep);
  fail_unless_equals_int (wait_for (v.bus, location), 10);
  check_video (location, 0, 10);
  video_end (&v);
}
GST_END_TEST

static void
limit_files (rlim_t bytes)
{
  struct rlimit limit;

  fail_unless (getrlimit (RLIMIT_FSIZE, &limit) == 0);
  limit.rlim_cur = bytes;
  fail_unless (setrlimit (RLIMIT_FSIZE, &limit) == 0);
}

typedef struct {
  GThread *test;
  GMutex lock; /* held: the writer stands still */
} Holding;

/* The thread that writes waits in its warning, with all that it was to write. */
static GstBusSyncReply
hold_writer (GstBus *bus, GstMessage *message, gpointer data)
{
  Holding *holding = data;

  if (g_thread_self () != holding->test
      && GST_MESSAGE_TYPE (message) == GST_MESSAGE_WARNING) {
    g_mutex_lock (&holding->lock);
    g_mutex_unlock (&holding->lock);
  }
  return GST_BUS_PASS;
}

/* While the disk does not take a file, nothing more is kept than `memory`
 * besides the ring; then it is again. */
GST_START_TEST (test_memory_of_files)
{
  Holding holding = { .test = g_thread_self () };
  g_autofree char *good = oct_test_file_path ("good");
  g_autofree char *bad = oct_test_file_path ("missing/folder/kept");
  g_autofree char *lost = NULL, *location = NULL;
  Video v;

  video_begin (&v);
  g_mutex_init (&holding.lock);
  g_mutex_lock (&holding.lock);
  gst_bus_set_sync_handler (v.bus, hold_writer, &holding, NULL);
  g_object_set (v.keep, "location", bad, "memory", (guint64)2500, NULL);
  video_push (&v, 0, 24);
  lost = keep (v.keep);
  fail_unless (lost != NULL);
  video_push (&v, 24, 10); /* 10 .. 33 are held, 0 .. 23 wait */
  fail_unless (keep (v.keep) == NULL);
  wait_for_warning (v.bus, "disk is too slow");
  g_object_set (v.keep, "location", good, NULL);
  g_mutex_unlock (&holding.lock);
  wait_for_warning (v.bus, "could not be kept");
  while ((location = keep (v.keep)) == NULL) {
    wait_for_warning (v.bus, "disk is too slow"); /* it frees them now */
    g_usleep (1000);
  }
  fail_unless_equals_int (wait_for (v.bus, location), 24);
  check_video (location, 10, 24);
  gst_bus_set_sync_handler (v.bus, NULL, NULL, NULL);
  video_end (&v);
  g_mutex_clear (&holding.lock);
}
GST_END_TEST

/* When it was kept, how much, and of whom. */
GST_START_TEST (test_text)
{
  g_autofree char *location = NULL, *path = NULL, *text = NULL;
  g_autoptr (GError) error = NULL;
  Video v;

  video_begin (&v);
  g_object_set (v.keep, "comment", "Mrs Example, left eye", NULL);
  video_push (&v, 0, 250);
  location = keep (v.keep);
  fail_unless_equals_int (wait_for (v.bus, location), 250);
  path = g_strdup (location);
  strcpy (strrchr (path, '.'), ".txt");
  g_file_get_contents (path, &text, NULL, &error);
  g_assert_no_error (error);
  fail_unless (g_regex_match_simple (
                   "^Kept at \\d\\d:\\d\\d:\\d\\d on "
                   "\\d{4}-\\d\\d-\\d\\d: the last 0\\.2 s, 250 images\n"
                   "Mrs Example, left eye\n$",
                   text, G_REGEX_DOLLAR_ENDONLY, 0),
      "%s", text);
  video_end (&v);
}
GST_END_TEST

/* A disk that takes 1000 bytes: no file that looks whole, nor a part of one. */
GST_START_TEST (test_full_disk)
{
  g_autofree char *location = NULL, *part = NULL;
  Video v;

  signal (SIGXFSZ, SIG_IGN);
  video_begin (&v);
  video_push (&v, 0, 40);
  limit_files (1000);
  location = keep (v.keep);
  wait_for_warning (v.bus, "could not be kept");
  limit_files (RLIM_INFINITY);
  part = g_strconcat (location, ".part", NULL);
  fail_if (g_file_test (location, G_FILE_TEST_EXISTS));
  fail_if (g_file_test (part, G_FILE_TEST_EXISTS));
  video_end (&v);
}
GST_END_TEST

/* A recording of spectra says how many there are. */
GST_START_TEST (test_full_disk_of_spectra)
{
  g_autofree char *path = oct_test_file_path ("moment"), *location = NULL;
  g_autofree char *line = g_strdup_printf (
      SPECTRA "num-buffers=40 ! octkeep name=keep location=%s", path);
  g_autoptr (GstElement) pipeline = gst_parse_launch (line, NULL);
  g_autoptr (GstElement) element =
      gst_bin_get_by_name (GST_BIN (pipeline), "keep");
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);

  signal (SIGXFSZ, SIG_IGN);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  gst_message_unref (gst_bus_timed_pop_filtered (
      bus, GST_CLOCK_TIME_NONE, GST_MESSAGE_EOS | GST_MESSAGE_ERROR));
  limit_files (20 * 64 * 8 * 2); /* a B-scan has 1024 bytes */
  location = keep (element);
  wait_for_warning (bus, "holds 20 of 40 images");
  limit_files (RLIM_INFINITY);
  gst_element_set_state (pipeline, GST_STATE_NULL);
}
GST_END_TEST

/* Files that were asked for before the end are written. */
GST_START_TEST (test_stop)
{
  g_autofree char *location = NULL;
  Video v;

  video_begin (&v);
  video_push (&v, 0, 40);
  location = keep (v.keep);
  gst_element_set_state (v.keep, GST_STATE_READY);
  fail_unless (keep (v.keep) == NULL); /* it has forgotten the stream */
  gst_element_set_state (v.keep, GST_STATE_NULL);
  check_video (location, 0, 40);
  fail_unless (keep (v.keep) == NULL);
  video_end (&v);
}
GST_END_TEST

/* Before the start and after the end nothing is held, and that is said. */
GST_START_TEST (test_not_started)
{
  GstElement *element =
      gst_object_ref_sink (gst_element_factory_make ("octkeep", NULL));
  GstBus *bus = gst_bus_new ();

  gst_element_set_bus (element, bus);
  for (guint i = 0; i < 2; i++) {
    g_autofree char *location = keep (element);
    g_autoptr (GstMessage) message =
        gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING);

    fail_unless (location == NULL);
    fail_unless (message != NULL);
    gst_element_set_state (element, GST_STATE_READY);
    gst_element_set_state (element, GST_STATE_NULL);
  }
  gst_element_set_bus (element, NULL);
  gst_object_unref (element);
  gst_object_unref (bus);
}
GST_END_TEST

/* Without an application: the last seconds before the end. */
GST_START_TEST (test_at_end)
{
  g_autofree char *path = oct_test_file_path ("end"), *folder = NULL;
  g_autofree char *line = g_strdup_printf (SPECTRA
      "num-buffers=9 ! octkeep at-end=true seconds=0.005 location=%s",
      path);
  g_autoptr (GError) error = NULL;
  const char *name;
  guint recordings = 0;
  GDir *dir;

  oct_test_run_to_end (line);
  folder = g_path_get_dirname (path);
  dir = g_dir_open (folder, 0, &error);
  g_assert_no_error (error);
  while ((name = g_dir_read_name (dir)) != NULL)
    recordings +=
        g_str_has_prefix (name, "end-") && g_str_has_suffix (name, ".oct");
  g_dir_close (dir);
  fail_unless_equals_int (recordings, 1);
}
GST_END_TEST

static Suite *
octkeep_suite (void)
{
  Suite *suite = suite_create ("octkeep");
  TCase *tc = tcase_create ("octkeep");

  suite_add_tcase (suite, tc);
  tcase_add_checked_fixture (tc, NULL, oct_test_remove_files);
  tcase_add_test (tc, test_spectra);
  tcase_add_test (tc, test_spectra_anew);
  tcase_add_test (tc, test_spectra_of_one_path);
  tcase_add_test (tc, test_groups);
  tcase_add_test (tc, test_twice);
  tcase_add_test (tc, test_memory);
  tcase_add_test (tc, test_memory_of_files);
  tcase_add_test (tc, test_text);
  tcase_add_test (tc, test_forgotten);
  tcase_add_test (tc, test_buffers_are_given_back);
  tcase_add_test (tc, test_no_folder);
  tcase_add_test (tc, test_full_disk);
  tcase_add_test (tc, test_full_disk_of_spectra);
  tcase_add_test (tc, test_stop);
  tcase_add_test (tc, test_not_started);
  tcase_add_test (tc, test_at_end);
  return suite;
}

GST_CHECK_MAIN (octkeep)
