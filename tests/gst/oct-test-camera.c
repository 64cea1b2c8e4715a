/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-test-camera.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#define LONGEST (60 * G_TIME_SPAN_SECOND)

/* PixelFormats that Aravis' camera does not announce. */
static const struct {
  const char *name;
  guint32 code;
  guint bits;
  gboolean pairs;
} more_formats[] = {
  { "Mono10", 0x01100003, 10, FALSE },
  { "Mono12", 0x01100005, 12, FALSE },
  { "Mono14", 0x01100025, 14, FALSE },
  { "Mono10p", 0x010a0046, 10, FALSE },
  { "Mono12p", 0x010c0047, 12, FALSE },
  { "Mono14p", 0x010e0104, 14, FALSE },
  { "Mono10Packed", 0x010c0004, 10, TRUE },
  { "Mono12Packed", 0x010c0006, 12, TRUE },
};

/* ------------------------------------------------------------------- values */

guint
oct_test_camera_value (guint seed, gsize i, guint bits)
{
  guint mask = (1u << bits) - 1;

  return (guint)(seed + i * 37 * (seed % 61 + 1)) & mask;
}

/* Bit by bit, as the Pixel Format Naming Convention draws them. */
static void
put_value (guint8 *bytes, gsize i, guint value, guint bits, gboolean pairs)
{
  for (guint bit = 0; bit < bits; bit++) {
    gsize place = i * bits + bit;

    if (pairs) {
      guint low = bits - 8;

      /* the first and the third byte are the upper bits of a value, the second
       * one is the lower bits of both */
      place = i / 2 * 24
              + (bit >= low ? i % 2 * 16 + bit - low : 8 + i % 2 * 4 + bit);
    }
    if (value >> bit & 1)
      bytes[place / 8] |= (guint8)(1u << place % 8);
  }
}

static void
fill_frame (ArvBuffer *buffer, void *data, guint32 exposure, guint32 gain,
    ArvPixelFormat format)
{
  gsize size, count = (gsize)arv_buffer_get_image_width (buffer)
                      * (gsize)arv_buffer_get_image_height (buffer);
  guint8 *bytes = (guint8 *)arv_buffer_get_data (buffer, &size);
  guint bits = ARV_PIXEL_FORMAT_BIT_PER_PIXEL (format), step = bits;
  guint seed = arv_buffer_get_frame_id (buffer) % 251;
  gboolean pairs = FALSE;

  for (guint i = 0; i < G_N_ELEMENTS (more_formats); i++)
    if (more_formats[i].code == format) {
      bits = more_formats[i].bits;
      pairs = more_formats[i].pairs;
    }
  step = pairs ? 12 : step;
  memset (bytes, 0, count * step / 8);
  for (gsize i = 0; i < count; i++) {
    guint value = oct_test_camera_value (seed, i, bits);

    if (step == 16)
      ((guint16 *)(gpointer)bytes)[i] = GUINT16_TO_LE ((guint16)value);
    else
      put_value (bytes, i, value, bits, pairs);
  }
}

gboolean
oct_test_camera_is_frame (GstBuffer *buffer, gsize count, guint bits)
{
  GstMapInfo map;
  gboolean same = TRUE;
  guint seed;

  fail_unless (gst_buffer_map (buffer, &map, GST_MAP_READ));
  fail_unless_equals_int (map.size, count * (bits == 8 ? 1 : 2));
  seed = bits == 8 ? map.data[0] : GST_READ_UINT16_LE (map.data);
  for (gsize i = 0; i < count && same; i++)
    same = (bits == 8 ? map.data[i] : GST_READ_UINT16_LE (map.data + 2 * i))
           == oct_test_camera_value (seed, i, bits);
  gst_buffer_unmap (buffer, &map);
  return same;
}

/* ------------------------------------------------------------------- camera */

/* The description of Aravis' camera with more formats. */
static char *
write_description (void)
{
  g_autoptr (ArvFakeCamera) camera = arv_fake_camera_new ("GV01");
  g_autoptr (GString) more = g_string_new ("<EnumEntry Name=\"Mono16\"");
  g_autoptr (GString) entries = g_string_new (NULL);
  g_autoptr (GString) text = NULL;
  char *path = NULL;
  gsize size;
  const char *xml = arv_fake_camera_get_genicam_xml (camera, &size);
  int fd = g_file_open_tmp ("oct-camera-XXXXXX.xml", &path, NULL);

  fail_unless (fd >= 0);
  close (fd);
  text = g_string_new_len (xml, (gssize)size);
  for (guint i = 0; i < G_N_ELEMENTS (more_formats); i++)
    g_string_append_printf (entries,
        "<EnumEntry Name=\"%s\" NameSpace=\"Standard\"><Value>%u</Value>"
        "</EnumEntry>\n",
        more_formats[i].name, more_formats[i].code);
  g_string_append (entries, more->str);
  fail_unless_equals_int (
      g_string_replace (text, more->str, entries->str, 1), 1);
  fail_unless (g_file_set_contents (path, text->str, (gssize)text->len, NULL));
  return path;
}

static void
wait_for_others (void)
{
  static int lock = -1;
  g_autofree char *path =
      g_build_filename (g_get_tmp_dir (), "oct-test-camera.lock", NULL);

  if (lock >= 0)
    return;
  lock = g_open (path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  fail_unless (lock >= 0);
  fail_unless_equals_int (flock (lock, LOCK_EX), 0);
}

ArvGvFakeCamera *
oct_test_camera_new (void)
{
  g_autofree char *path = NULL;
  ArvGvFakeCamera *camera;

  wait_for_others ();
  path = write_description ();
  camera = arv_gv_fake_camera_new_full ("127.0.0.1", "GV01", path);
  g_unlink (path);
  fail_unless (arv_gv_fake_camera_is_running (camera));
  arv_fake_camera_set_fill_pattern (
      arv_gv_fake_camera_get_fake_camera (camera), fill_frame, NULL);
  return camera;
}

/* -------------------------------------------------------------------- watch */

static GstPadProbeReturn
on_watched_frame (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  OctTestWatch *watch = data;

  g_mutex_lock (&watch->lock);
  watch->frames++;
  if (watch->on_frame != NULL)
    watch->on_frame (watch, GST_PAD_PROBE_INFO_BUFFER (info));
  g_cond_signal (&watch->changed);
  g_mutex_unlock (&watch->lock);
  return GST_PAD_PROBE_OK;
}

void
oct_test_watch_start (OctTestWatch *watch, const char *properties,
    const char *rest, OctTestOnFrame on_frame, gpointer data)
{
  g_autofree char *launch = g_strdup_printf (
      "octcamerasrc name=source %s ! %s ! fakesink name=sink sync=false "
      "async=false enable-last-sample=false",
      properties, rest);
  GstElement *sink;
  GstPad *pad;

  *watch = (OctTestWatch){ .on_frame = on_frame, .data = data };
  g_mutex_init (&watch->lock);
  g_cond_init (&watch->changed);
  watch->pipeline = gst_parse_launch (launch, NULL);
  fail_unless (watch->pipeline != NULL);
  watch->source = gst_bin_get_by_name (GST_BIN (watch->pipeline), "source");
  sink = gst_bin_get_by_name (GST_BIN (watch->pipeline), "sink");
  pad = gst_element_get_static_pad (sink, "sink");
  gst_pad_add_probe (
      pad, GST_PAD_PROBE_TYPE_BUFFER, on_watched_frame, watch, NULL);
  gst_object_unref (pad);
  gst_object_unref (sink);
  gst_element_set_state (watch->pipeline, GST_STATE_PLAYING);
}

void
oct_test_watch_wait (OctTestWatch *watch, OctTestIsDone is_done)
{
  gint64 until = g_get_monotonic_time () + LONGEST;

  g_mutex_lock (&watch->lock);
  while (!is_done (watch))
    fail_unless (g_cond_wait_until (&watch->changed, &watch->lock, until),
        "after %u frames", watch->frames);
  g_mutex_unlock (&watch->lock);
}

void
oct_test_watch_wait_frames (OctTestWatch *watch, guint frames)
{
  gint64 until = g_get_monotonic_time () + LONGEST;

  g_mutex_lock (&watch->lock);
  frames += watch->frames;
  while (watch->frames < frames)
    fail_unless (g_cond_wait_until (&watch->changed, &watch->lock, until),
        "%u of %u frames", watch->frames, frames);
  g_mutex_unlock (&watch->lock);
}

static char *
get_message_text (GstMessage *message)
{
  g_autoptr (GError) error = NULL;

  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR)
    gst_message_parse_error (message, &error, NULL);
  else if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_WARNING)
    gst_message_parse_warning (message, &error, NULL);
  else if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_INFO)
    gst_message_parse_info (message, &error, NULL);
  else
    return g_strdup (
        gst_structure_get_name (gst_message_get_structure (message)));
  return g_strdup (error->message);
}

GstMessage *
oct_test_watch_message (
    OctTestWatch *watch, GstMessageType type, const char *word)
{
  GstBus *bus = gst_element_get_bus (watch->pipeline);
  GstMessage *message;

  while ((message = gst_bus_timed_pop_filtered (
              bus, LONGEST * GST_USECOND, type | GST_MESSAGE_ERROR))
         != NULL) {
    g_autofree char *text = get_message_text (message);

    if (GST_MESSAGE_TYPE (message) == type && strstr (text, word) != NULL)
      break;
    fail_if (
        GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR, "error: %s", text);
    gst_message_unref (message);
  }
  gst_object_unref (bus);
  fail_unless (message != NULL, "no message with '%s'", word);
  return message;
}

void
oct_test_watch_stop (OctTestWatch *watch)
{
  gst_element_set_state (watch->pipeline, GST_STATE_NULL);
  gst_object_unref (watch->source);
  gst_object_unref (watch->pipeline);
  g_mutex_clear (&watch->lock);
  g_cond_clear (&watch->changed);
}

guint64
oct_test_watch_get (OctTestWatch *watch, const char *counter)
{
  guint64 count;

  g_object_get (watch->source, counter, &count, NULL);
  return count;
}
