/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-test-source.h"
#include "oct-test-files.h"

static GstPadProbeReturn
watch (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  Source *s = user_data;

  g_mutex_lock (&s->lock);
  if (GST_PAD_PROBE_INFO_TYPE (info) & GST_PAD_PROBE_TYPE_BUFFER) {
    guint64 time = gst_segment_to_running_time (&s->segment, GST_FORMAT_TIME,
        GST_BUFFER_PTS (GST_PAD_PROBE_INFO_BUFFER (info)));

    g_array_append_val (s->running_times, time);
  } else {
    GstEvent *event = GST_PAD_PROBE_INFO_EVENT (info);

    if (GST_EVENT_TYPE (event) == GST_EVENT_SEGMENT)
      gst_event_copy_segment (event, &s->segment);
    if (GST_EVENT_TYPE (event) == GST_EVENT_EOS
        || GST_EVENT_TYPE (event) == GST_EVENT_SEGMENT_DONE)
      s->eos = TRUE;
  }
  g_mutex_unlock (&s->lock);
  return GST_PAD_PROBE_OK;
}

Source *
source_new (const char *format, ...)
{
  Source *s = g_new0 (Source, 1);
  g_autoptr (GError) error = NULL;
  g_autofree char *launch = NULL;
  GstElement *bin;
  va_list args;

  va_start (args, format);
  launch = g_strdup_vprintf (format, args);
  va_end (args);
  bin = gst_parse_bin_from_description (launch, TRUE, &error);
  fail_unless (bin != NULL && error == NULL, "%s", launch);
  gst_object_ref_sink (bin);
  s->src = gst_bin_get_by_name (GST_BIN (bin), "src");
  s->bus = gst_bus_new ();
  gst_element_set_bus (bin, s->bus);
  s->harness = gst_harness_new_with_element (bin, NULL, "src");
  gst_object_unref (bin);
  s->buffers =
      g_ptr_array_new_with_free_func ((GDestroyNotify)gst_buffer_unref);
  s->running_times = g_array_new (FALSE, FALSE, sizeof (guint64));
  g_mutex_init (&s->lock);
  gst_segment_init (&s->segment, GST_FORMAT_TIME);
  gst_pad_add_probe (s->harness->sinkpad,
      GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, watch, s,
      NULL);
  return s;
}

void
source_free (Source *s)
{
  gst_element_set_state (s->harness->element, GST_STATE_NULL);
  gst_bus_set_flushing (s->bus, TRUE);
  gst_clear_object (&s->src);
  g_ptr_array_unref (s->buffers);
  gst_harness_teardown (s->harness);
  gst_object_unref (s->bus);
  g_array_unref (s->running_times);
  g_mutex_clear (&s->lock);
  g_free (s);
}

void
source_play (Source *s)
{
  gst_harness_play (s->harness);
}

void
source_forget (Source *s)
{
  GstBuffer *buffer;

  while ((buffer = gst_harness_try_pull (s->harness)) != NULL)
    gst_buffer_unref (buffer);
  g_ptr_array_set_size (s->buffers, 0);
  g_mutex_lock (&s->lock);
  s->eos = FALSE;
  g_array_set_size (s->running_times, 0);
  g_mutex_unlock (&s->lock);
}

void
source_stop (Source *s)
{
  gst_element_set_state (s->harness->element, GST_STATE_NULL);
  source_forget (s);
}

GstBuffer *
source_next (Source *s)
{
  GstBuffer *buffer = gst_harness_pull (s->harness);

  fail_unless (buffer != NULL);
  g_ptr_array_add (s->buffers, buffer);
  return buffer;
}

void
source_collect (Source *s)
{
  gint64 deadline = g_get_monotonic_time () + 60 * G_TIME_SPAN_SECOND;
  GstBuffer *buffer;
  gboolean end;

  do {
    g_mutex_lock (&s->lock);
    end = s->eos;
    g_mutex_unlock (&s->lock);
    fail_if (g_get_monotonic_time () > deadline, "the source does not end");
    while ((buffer = gst_harness_try_pull (s->harness)) != NULL)
      g_ptr_array_add (s->buffers, buffer);
    g_usleep (100);
  } while (!end);
}

gboolean
source_seek (Source *s, GstEvent *seek)
{
  source_forget (s);
  return gst_harness_push_upstream_event (s->harness, seek);
}

guint
source_count (Source *s)
{
  return s->buffers->len;
}

GstBuffer *
source_get (Source *s, guint i)
{
  fail_unless (i < s->buffers->len, "only %u buffers came", s->buffers->len);
  return g_ptr_array_index (s->buffers, i);
}

void
source_get_segment (Source *s, GstSegment *segment)
{
  g_mutex_lock (&s->lock);
  gst_segment_copy_into (&s->segment, segment);
  g_mutex_unlock (&s->lock);
}

void
source_check_caps (Source *s, const char *caps)
{
  g_autoptr (GstCaps) expected = gst_caps_from_string (caps);
  g_autoptr (GstCaps) found = gst_pad_get_current_caps (s->harness->sinkpad);

  fail_unless (found != NULL, "no caps");
  fail_unless (gst_caps_is_subset (found, expected), "%s is not %s",
      gst_caps_to_string (found), caps);
}

void
source_check_stamps (GstBuffer *buffer, guint64 n, gint fps_n, gint fps_d)
{
  GstClockTime start = gst_util_uint64_scale (n, GST_SECOND * fps_d, fps_n);
  GstClockTime end = gst_util_uint64_scale (n + 1, GST_SECOND * fps_d, fps_n);

  fail_unless_equals_uint64 (GST_BUFFER_OFFSET (buffer), n);
  fail_unless_equals_uint64 (GST_BUFFER_OFFSET_END (buffer), n + 1);
  fail_unless_equals_uint64 (GST_BUFFER_PTS (buffer), start);
  fail_unless_equals_uint64 (GST_BUFFER_DURATION (buffer), end - start);
}

void
source_check_run (Source *s, guint64 first, guint count, gint fps_n, gint fps_d)
{
  guint i;

  fail_unless_equals_int (s->buffers->len, count);
  for (i = 0; i < count; i++) {
    GstBuffer *buffer = source_get (s, i);

    source_check_stamps (buffer, first + i, fps_n, fps_d);
    fail_unless_equals_int (
        GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_DISCONT), i == 0);
  }
}

void
source_check_scan (
    Source *s, guint i, guint bscan, guint bscans, guint64 volume)
{
  GstOctScanPosition scan = oct_test_get_scan_position (source_get (s, i));

  fail_unless (scan.bscans != 0);
  fail_unless_equals_int (scan.bscan, bscan);
  fail_unless_equals_int (scan.bscans, bscans);
  fail_unless_equals_uint64 (scan.volume, volume);
}

/* One value per B-scan, its number, 16 values each. */
static char *
numbered_file (void)
{
  guint16 data[8][16];
  guint i, j;

  for (i = 0; i < 8; i++)
    for (j = 0; j < 16; j++)
      data[i][j] = i;
  return oct_test_file ("numbered.raw", data, sizeof data);
}

Source *
source_numbered (const char *more)
{
  g_autofree char *path = numbered_file ();

  return source_new (
      "octsrc name=src location=%s samples=8 lines=2 bscans=3 %s", path, more);
}

void
source_check_numbers (Source *s, guint start, guint count)
{
  guint i;

  source_check_run (s, start, count, 30, 1);
  for (i = 0; i < count; i++) {
    guint16 found;

    gst_buffer_extract (source_get (s, i), 0, &found, 2);
    fail_unless_equals_int (found, (start + i) % 8);
  }
}

void
source_check_same (Source *a, Source *b)
{
  fail_unless_equals_int (source_count (a), source_count (b));
  for (guint i = 0; i < source_count (a); i++) {
    GstBuffer *x = source_get (a, i), *y = source_get (b, i);
    GstMapInfo map;

    fail_unless (gst_buffer_map (x, &map, GST_MAP_READ));
    fail_unless_equals_uint64 (gst_buffer_get_size (y), map.size);
    fail_unless (
        gst_buffer_memcmp (y, 0, map.data, map.size) == 0, "B-scan %u", i);
    gst_buffer_unmap (x, &map);
    fail_unless_equals_uint64 (GST_BUFFER_PTS (x), GST_BUFFER_PTS (y));
    fail_unless_equals_uint64 (
        GST_BUFFER_DURATION (x), GST_BUFFER_DURATION (y));
  }
}

void
source_check_warning (GstBus *bus, const char *word, const char *another)
{
  GstMessage *message = gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING);
  GError *warning = NULL;

  fail_unless (message != NULL, "no warning");
  gst_message_parse_warning (message, &warning, NULL);
  fail_unless (strstr (warning->message, word) != NULL
                   && strstr (warning->message, another) != NULL,
      "%s", warning->message);
  g_error_free (warning);
  gst_message_unref (message);
  fail_unless (gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING) == NULL);
}

void
oct_test_run_to_end (const char *launch)
{
  GstElement *pipeline = gst_parse_launch (launch, NULL);
  GstBus *bus = gst_element_get_bus (pipeline);
  GstMessage *message;

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  message = gst_bus_timed_pop_filtered (
      bus, 60 * GST_SECOND, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  fail_unless (message != NULL, "%s does not end", launch);
  fail_unless_equals_string (GST_MESSAGE_TYPE_NAME (message), "eos");
  gst_message_unref (message);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (bus);
  gst_object_unref (pipeline);
}

char *
oct_test_record (const char *name, const char *source, const char *properties)
{
  char *path = oct_test_file_path (name);
  g_autofree char *launch = g_strdup_printf (
      "%s ! octrawsink location=%s %s", source, path, properties);

  oct_test_run_to_end (launch);
  return path;
}
