/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * octcamerasrc with Aravis' simulated cameras: frames that are held do not
 * change, those that are lost are counted, and cameras that misbehave.
 */
#include "gstoctcameratime.h"
#include "gstoctscanmeta.h"
#include "oct-test-camera.h"

#include <gst/video/video.h>
#include <string.h>

#define WIDTH 64
#define HEIGHT 16
#define SIZE ",width=64,height=16"
#define GRAY8 "video/x-raw,format=GRAY8" SIZE
#define FAST GRAY8 ",framerate=1000/1"

/* --------------------------------------------------------- numbers and times */

GST_START_TEST (test_count)
{
  /* wraps past 0 as GigE Vision does, then two lost around the wrap */
  static const guint64 ids[] = { 7, 8, 11, 65535, 1, 65534, 3, 3, 2 };
  static const guint64 lost[] = { 0, 0, 2, 65523, 0, 65532, 3, 0, 0 };
  GstOctCameraCount count = { 0 }, wide = { 0 };
  guint64 number = 0;

  for (guint i = 0; i < G_N_ELEMENTS (ids); i++) {
    fail_unless_equals_uint64 (gst_oct_camera_count (&count, ids[i]), lost[i]);
    number += i > 0 ? lost[i] + 1 : 0;
    fail_unless_equals_uint64 (count.number, number);
  }
  gst_oct_camera_count_anew (&count);
  fail_unless_equals_uint64 (gst_oct_camera_count (&count, 900), 0);
  fail_unless_equals_uint64 (count.number, number + 1);
  /* of 64 bits, from 0 */
  fail_unless_equals_uint64 (gst_oct_camera_count (&wide, 0), 0);
  fail_unless_equals_uint64 (gst_oct_camera_count (&wide, 70000), 69999);
  fail_unless_equals_uint64 (gst_oct_camera_count (&wide, 70001), 0);
  fail_unless_equals_uint64 (wide.number, 70001);
}
GST_END_TEST;

/* A frame every 10 ms, that is here 3 ms later and up to 40 ms more by chance:
 * its time is right but for the drift of the clocks, 100 in a million. */
GST_START_TEST (test_time)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (3);
  GstOctCameraTime time = { 0 };
  GstClockTime before = 0;

  for (guint i = 0; i < 2000; i++) {
    GstClockTime taken = (i + 1) * 10 * GST_MSECOND;
    guint64 camera = 777 * GST_SECOND + taken + taken / 10000;
    GstClockTime arrival =
        taken + 3 * GST_MSECOND
        + (i % 7 == 0 ? 0
                      : (GstClockTime)g_rand_int_range (random, 0, 40000000));
    GstClockTime found = gst_oct_camera_time (&time, camera, arrival);

    fail_unless (found >= before && found <= arrival);
    /* 64 frames are 640 ms, in which the clocks part by 64 us */
    if (i >= 7)
      fail_unless (ABS (GST_CLOCK_DIFF (taken + 3 * GST_MSECOND, found))
                       <= 70 * (gint64)GST_USECOND,
          "frame %u: %" G_GINT64_FORMAT, i,
          GST_CLOCK_DIFF (taken + 3 * GST_MSECOND, found));
    before = found;
  }
}
GST_END_TEST;

/* Clocks that say nothing: none, one that stands still, one in us. */
GST_START_TEST (test_time_distrusted)
{
  for (guint kind = 0; kind < 3; kind++) {
    GstOctCameraTime time = { 0 };

    for (guint i = 0; i < 1000; i++) {
      GstClockTime arrival = (i + 1) * 10 * GST_MSECOND;
      guint64 camera = kind == 0   ? 0
                       : kind == 1 ? 5
                                   : 5 * GST_SECOND + arrival / 1000;
      GstClockTime found = gst_oct_camera_time (&time, camera, arrival);

      fail_unless (found <= arrival);
      /* after four seconds it is known */
      if (kind < 2 || i > 410)
        fail_unless_equals_uint64 (found, arrival);
    }
  }
}
GST_END_TEST;

/* --------------------------------------------------------------------- held */

#define HELD 5
#define LONG 10000

typedef struct {
  GstBuffer *buffer;
  char *sum;
} Held;

typedef struct {
  Held held[HELD];
  guint count, changed, released;
  guint64 next; /* number of the frame after the last one */
  GRand *random;
  GHashTable *sums; /* of all frames: how many are different */
} Holder;

static char *
sum_frame (GstBuffer *buffer)
{
  GstMapInfo map;
  char *sum;

  fail_unless (gst_buffer_map (buffer, &map, GST_MAP_READ));
  fail_unless_equals_int (map.size, WIDTH * HEIGHT);
  sum = g_compute_checksum_for_data (G_CHECKSUM_SHA1, map.data, map.size);
  gst_buffer_unmap (buffer, &map);
  return sum;
}

static void
release_held (Holder *holder, guint i)
{
  g_autofree char *sum = sum_frame (holder->held[i].buffer);

  holder->changed += !g_str_equal (sum, holder->held[i].sum);
  holder->released++;
  g_clear_pointer (&holder->held[i].sum, g_free);
  gst_clear_buffer (&holder->held[i].buffer);
}

/* One of those held leaves at random, and the new one takes its place. */
static void
hold_frame (OctTestWatch *watch, GstBuffer *buffer)
{
  Holder *holder = watch->data;
  guint i = holder->count < HELD
                ? holder->count++
                : (guint)g_rand_int_range (holder->random, 0, HELD);

  if (holder->held[i].buffer != NULL)
    release_held (holder, i);
  holder->held[i] = (Held){ gst_buffer_ref (buffer), sum_frame (buffer) };
  g_hash_table_add (holder->sums, g_strdup (holder->held[i].sum));
  fail_unless (GST_BUFFER_OFFSET (buffer) >= holder->next);
  fail_unless (GST_BUFFER_OFFSET (buffer) == holder->next
               || GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_DISCONT));
  holder->next = GST_BUFFER_OFFSET_END (buffer);
  /* the frames that are lost on a busy machine are counted */
  fail_unless_equals_uint64 (
      holder->next, oct_test_watch_get (watch, "frames")
                        + oct_test_watch_get (watch, "lost"));
}

static gboolean
held_long_enough (OctTestWatch *watch)
{
  return watch->frames >= LONG;
}

/* Five of 8 buffers are held: the camera has the others again and again. */
GST_START_TEST (test_held)
{
  Holder holder = { .random = g_rand_new_with_seed (1),
    .sums = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL) };
  OctTestWatch watch;

  oct_test_watch_start (
      &watch, "camera=Fake_1 buffers=8", FAST, hold_frame, &holder);
  oct_test_watch_wait (&watch, held_long_enough);
  gst_element_set_state (watch.pipeline, GST_STATE_NULL);
  fail_unless_equals_uint64 (oct_test_watch_get (&watch, "lost"),
      oct_test_watch_get (&watch, "all-held"));
  oct_test_watch_stop (&watch);
  /* they outlive their source */
  for (guint i = 0; i < HELD; i++)
    release_held (&holder, i);
  fail_unless_equals_int (holder.changed, 0);
  fail_unless (holder.released >= LONG);
  /* else nothing could have been noticed: the pattern has 255 phases */
  fail_unless_equals_int (g_hash_table_size (holder.sums), 255);
  g_hash_table_unref (holder.sums);
  g_rand_free (holder.random);
}
GST_END_TEST;

/* Elements that share and cut the memory of a frame hold it too. */
static void
hold_part (OctTestWatch *watch, GstBuffer *buffer)
{
  GPtrArray *parts = watch->data;
  GstBuffer *part;

  if (parts->len >= 6)
    return;
  part = gst_buffer_copy_region (buffer, GST_BUFFER_COPY_MEMORY, WIDTH, WIDTH);
  g_ptr_array_add (parts, part);
}

static gboolean
has_gone_on (OctTestWatch *watch)
{
  return watch->frames >= 100;
}

GST_START_TEST (test_parts)
{
  g_autoptr (GPtrArray) parts =
      g_ptr_array_new_with_free_func ((GDestroyNotify)gst_buffer_unref);
  OctTestWatch watch;

  oct_test_watch_start (
      &watch, "camera=Fake_1 buffers=8", FAST, hold_part, parts);
  oct_test_watch_wait (&watch, has_gone_on);
  oct_test_watch_stop (&watch);
  for (guint i = 0; i < parts->len; i++) {
    guint8 lines[2][WIDTH];

    /* x + number of the frame + y */
    gst_buffer_extract (g_ptr_array_index (parts, i), 0, lines[1], WIDTH);
    if (i > 0)
      fail_unless (memcmp (lines[0], lines[1], WIDTH) != 0);
    for (guint x = 1; x < WIDTH; x++)
      fail_unless_equals_int (lines[1][x], (lines[1][x - 1] + 1) % 255);
    memcpy (lines[0], lines[1], WIDTH);
  }
}
GST_END_TEST;

/* ------------------------------------------------------------------- losses */

static void
hold_first (OctTestWatch *watch, GstBuffer *buffer)
{
  GPtrArray *held = watch->data;

  if (watch->frames <= 4)
    g_ptr_array_add (held, gst_buffer_ref (buffer));
  if (watch->frames == 5) {
    fail_unless (GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_DISCONT));
    fail_unless (GST_BUFFER_OFFSET (buffer) > 4);
    fail_unless_equals_uint64 (
        GST_BUFFER_OFFSET (buffer) - 4, oct_test_watch_get (watch, "lost"));
  }
}

static gboolean
has_one_more (OctTestWatch *watch)
{
  return watch->frames >= 5;
}

/* All four are held: the camera goes on, and says how many frames are lost. */
GST_START_TEST (test_exhausted)
{
  g_autoptr (GPtrArray) held =
      g_ptr_array_new_with_free_func ((GDestroyNotify)gst_buffer_unref);
  const GstStructure *told;
  GstMessage *message;
  OctTestWatch watch;
  guint64 lost;

  oct_test_watch_start (
      &watch, "camera=Fake_1 buffers=4 timeout=100", FAST, hold_first, held);
  gst_message_unref (oct_test_watch_message (
      &watch, GST_MESSAGE_WARNING, "held all 4 buffers"));
  g_ptr_array_set_size (held, 0);
  oct_test_watch_wait (&watch, has_one_more);
  message =
      oct_test_watch_message (&watch, GST_MESSAGE_ELEMENT, "octcamerasrc-lost");
  told = gst_message_get_structure (message);
  fail_unless (gst_structure_get_uint64 (told, "all-held", &lost));
  fail_unless (lost >= 1);
  gst_message_unref (message);
  oct_test_watch_stop (&watch);
}
GST_END_TEST;

/* Each frame that comes is whole, and the counters explain its number. */
static void
check_number (OctTestWatch *watch, GstBuffer *buffer)
{
  fail_unless (oct_test_camera_is_frame (buffer, WIDTH * HEIGHT, 8));
  fail_unless_equals_uint64 (GST_BUFFER_OFFSET (buffer) + 1,
      oct_test_watch_get (watch, "frames") + oct_test_watch_get (watch, "lost")
          + oct_test_watch_get (watch, "incomplete"));
}

static gboolean
has_lost_some (OctTestWatch *watch)
{
  return watch->frames >= 50 && oct_test_watch_get (watch, "incomplete") >= 10;
}

GST_START_TEST (test_packets)
{
  ArvGvFakeCamera *camera = oct_test_camera_new ();
  OctTestWatch watch;

  g_object_set (camera, "gvsp-lost-ratio", 0.1, NULL);
  oct_test_watch_start (
      &watch, "camera=127.0.0.1", GRAY8 ",framerate=100/1", check_number, NULL);
  oct_test_watch_wait (&watch, has_lost_some);
  gst_message_unref (
      oct_test_watch_message (&watch, GST_MESSAGE_WARNING, "are incomplete"));
  oct_test_watch_stop (&watch);
  g_object_unref (camera);
}
GST_END_TEST;

static void
count_corrupted (OctTestWatch *watch, GstBuffer *buffer)
{
  guint *corrupted = watch->data;

  if (GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_CORRUPTED))
    (*corrupted)++;
  else
    fail_unless (oct_test_camera_is_frame (buffer, WIDTH * HEIGHT, 8));
}

static gboolean
has_corrupted (OctTestWatch *watch)
{
  return *(guint *)watch->data >= 5;
}

GST_START_TEST (test_kept_incomplete)
{
  ArvGvFakeCamera *camera = oct_test_camera_new ();
  guint corrupted = 0;
  OctTestWatch watch;

  g_object_set (camera, "gvsp-lost-ratio", 0.1, NULL);
  oct_test_watch_start (&watch, "camera=127.0.0.1 keep-incomplete=true",
      GRAY8 ",framerate=100/1", count_corrupted, &corrupted);
  oct_test_watch_wait (&watch, has_corrupted);
  oct_test_watch_stop (&watch);
  g_object_unref (camera);
}
GST_END_TEST;

/* ------------------------------------------------------------------ formats */

static const struct {
  const char *name;
  guint bits;
} formats[] = { { "Mono8", 8 }, { "Mono10", 10 }, { "Mono12", 12 },
  { "Mono14", 14 }, { "Mono16", 16 }, { "Mono10p", 10 }, { "Mono12p", 12 },
  { "Mono14p", 14 }, { "Mono10Packed", 10 }, { "Mono12Packed", 12 } };

static guint bits_now;

static void
check_values (OctTestWatch *watch, GstBuffer *buffer)
{
  fail_unless (oct_test_camera_is_frame (buffer, WIDTH * HEIGHT, bits_now));
}

GST_START_TEST (test_formats)
{
  ArvGvFakeCamera *camera = oct_test_camera_new ();
  g_autofree char *properties = g_strdup_printf (
      "camera=127.0.0.1 features=PixelFormat=%s", formats[__i__].name);
  g_autofree char *caps = g_strdup_printf ("video/x-raw,format=%s" SIZE,
      formats[__i__].bits == 8 ? "GRAY8" : "GRAY16_LE");
  OctTestWatch watch;

  bits_now = formats[__i__].bits;
  oct_test_watch_start (&watch, properties, caps, check_values, NULL);
  oct_test_watch_wait_frames (&watch, 20);
  oct_test_watch_stop (&watch);
  g_object_unref (camera);
}
GST_END_TEST;

/* Lines of an odd length, downstream of which rows have GStreamer's strides (a
 * queue says that any will do; an element that says nothing gets padding). */
static void
check_odd (OctTestWatch *watch, GstBuffer *buffer)
{
  GstVideoInfo info;
  GstVideoFrame frame;
  const guint8 *row;

  gst_video_info_set_format (&info, GST_VIDEO_FORMAT_GRAY16_LE, 33, 16);
  fail_unless (gst_video_frame_map (&frame, &info, buffer, GST_MAP_READ));
  row = GST_VIDEO_FRAME_PLANE_DATA (&frame, 0);
  for (guint y = 0; y < 16; y++)
    for (guint x = 0; x < 33; x++)
      fail_unless_equals_int (
          GST_READ_UINT16_LE (
              row + y * GST_VIDEO_FRAME_PLANE_STRIDE (&frame, 0) + 2 * x),
          oct_test_camera_value (
              GST_READ_UINT16_LE (row), y * 33 + x, bits_now));
  gst_video_frame_unmap (&frame);
}

GST_START_TEST (test_strides)
{
  static const char *const rests[] = {
    "video/x-raw,format=GRAY16_LE,width=33,height=16",
    "video/x-raw,format=GRAY16_LE,width=33,height=16 ! octgather bscans=1"
  };
  ArvGvFakeCamera *camera = oct_test_camera_new ();
  OctTestWatch watch;

  bits_now = __i__ / 2 == 0 ? 16 : 12;
  oct_test_watch_start (&watch,
      bits_now == 16 ? "camera=127.0.0.1 features=PixelFormat=Mono16"
                     : "camera=127.0.0.1 features=PixelFormat=Mono12p",
      rests[__i__ % 2], check_odd, NULL);
  oct_test_watch_wait_frames (&watch, 5);
  oct_test_watch_stop (&watch);
  g_object_unref (camera);
}
GST_END_TEST;

/* --------------------------------------------------------- features, trigger */

static char *
read_feature (OctTestWatch *watch, ArvGvFakeCamera *camera, guint32 address)
{
  guint32 value = 0;

  arv_fake_camera_read_register (
      arv_gv_fake_camera_get_fake_camera (camera), address, &value);
  return g_strdup_printf ("%u", value);
}

/* The software trigger of the camera, pulled by us: as many frames as triggers. */
GST_START_TEST (test_trigger)
{
  ArvGvFakeCamera *camera = oct_test_camera_new ();
  ArvFakeCamera *fake = arv_gv_fake_camera_get_fake_camera (camera);
  g_autofree char *exposure = NULL, *mode = NULL;
  OctTestWatch watch;

  oct_test_watch_start (&watch,
      "camera=127.0.0.1 trigger=Software timeout=200 "
      "features=\"ExposureTimeAbs=2000 GainRaw=3\"",
      GRAY8, NULL, NULL);
  /* none comes by itself */
  gst_message_unref (oct_test_watch_message (
      &watch, GST_MESSAGE_WARNING, "check its trigger"));
  g_mutex_lock (&watch.lock);
  fail_unless_equals_int (watch.frames, 0);
  g_mutex_unlock (&watch.lock);
  for (guint i = 0; i < 3; i++) {
    arv_fake_camera_write_register (
        fake, ARV_FAKE_CAMERA_REGISTER_TRIGGER_SOFTWARE, 1);
    oct_test_watch_wait_frames (&watch, 1);
  }
  exposure =
      read_feature (&watch, camera, ARV_FAKE_CAMERA_REGISTER_EXPOSURE_TIME_US);
  fail_unless_equals_string (exposure, "2000");
  mode = read_feature (&watch, camera, ARV_FAKE_CAMERA_REGISTER_TRIGGER_MODE);
  fail_unless_equals_string (mode, "1");
  oct_test_watch_stop (&watch);
  g_object_unref (camera);
}
GST_END_TEST;

/* The camera keeps its size, 512 x 512 of 8 bit, whatever size elements
 * downstream would like. */
GST_START_TEST (test_as_it_is_set)
{
  OctTestWatch watch;
  GstPad *pad;
  GstCaps *caps;
  GstStructure *s;
  gint size[2];

  oct_test_watch_start (&watch, "camera=Fake_1",
      "octreconstruct wavelength-min=790 wavelength-max=900 ! "
      "videoconvert ! videoscale ! video/x-raw,width=640,height=512",
      NULL, NULL);
  oct_test_watch_wait_frames (&watch, 1);
  pad = gst_element_get_static_pad (watch.source, "src");
  caps = gst_pad_get_current_caps (pad);
  s = gst_caps_get_structure (caps, 0);
  fail_unless_equals_string (gst_structure_get_string (s, "format"), "GRAY8");
  gst_structure_get_int (s, "width", &size[0]);
  gst_structure_get_int (s, "height", &size[1]);
  fail_unless_equals_int (size[0], 512);
  fail_unless_equals_int (size[1], 512);
  if (gst_structure_get_int (s, "bscans", &size[0]))
    fail_unless_equals_int (size[0], 1);
  gst_caps_unref (caps);
  gst_object_unref (pad);
  oct_test_watch_stop (&watch);
}
GST_END_TEST;

static void
check_place (OctTestWatch *watch, GstBuffer *buffer)
{
  GstOctScanPosition position;

  fail_unless (gst_oct_scan_meta_get (buffer, &position));
  fail_unless_equals_int (
      position.bscan, (gint)(GST_BUFFER_OFFSET (buffer) % 7));
  fail_unless_equals_uint64 (position.volume, GST_BUFFER_OFFSET (buffer) / 7);
  fail_unless_equals_int (position.bscans, 7);
  fail_unless_equals_int (position.count, 1);
}

GST_START_TEST (test_places)
{
  OctTestWatch watch;

  oct_test_watch_start (&watch, "camera=Fake_1 bscans=7 lines=16",
      "video/x-raw,format=GRAY8,width=64", check_place, NULL);
  oct_test_watch_wait_frames (&watch, 20);
  oct_test_watch_stop (&watch);
}
GST_END_TEST;

/* In PAUSED the camera rests: nothing is lost, and times go on. */
static void
keep_last (OctTestWatch *watch, GstBuffer *buffer)
{
  GstClockTime *last = watch->data;

  fail_unless (
      !GST_CLOCK_TIME_IS_VALID (*last) || GST_BUFFER_PTS (buffer) >= *last);
  *last = GST_BUFFER_PTS (buffer);
}

GST_START_TEST (test_pause)
{
  GstClockTime last = GST_CLOCK_TIME_NONE;
  OctTestWatch watch;

  oct_test_watch_start (&watch, "camera=Fake_1 buffers=4",
      GRAY8 ",framerate=100/1", keep_last, &last);
  for (guint i = 0; i < 3; i++) {
    oct_test_watch_wait_frames (&watch, 5);
    gst_element_set_state (watch.pipeline, GST_STATE_PAUSED);
    gst_element_get_state (watch.pipeline, NULL, NULL, GST_CLOCK_TIME_NONE);
    /* longer than four buffers last */
    g_usleep (100 * G_TIME_SPAN_MILLISECOND);
    gst_element_set_state (watch.pipeline, GST_STATE_PLAYING);
  }
  oct_test_watch_wait_frames (&watch, 5);
  fail_unless_equals_uint64 (oct_test_watch_get (&watch, "all-held"), 0);
  /* and once more from the beginning */
  gst_element_set_state (watch.pipeline, GST_STATE_READY);
  g_mutex_lock (&watch.lock);
  last = GST_CLOCK_TIME_NONE;
  g_mutex_unlock (&watch.lock);
  gst_element_set_state (watch.pipeline, GST_STATE_PLAYING);
  oct_test_watch_wait_frames (&watch, 5);
  oct_test_watch_stop (&watch);
}
GST_END_TEST;

/* ---------------------------------------------------------------- bad inputs */

static const struct {
  const char *properties, *caps, *words[3];
} refused[] = {
  { "camera=Nobody-Has-It", GRAY8,
      { "There is no camera \"Nobody-Has-It\"", "set `camera`" } },
  { "camera=Fake_1 features=ExposureTimeX=20", GRAY8,
      { "has no feature \"ExposureTimeX\"", "`features`" } },
  { "camera=Fake_1 features=Width=many", GRAY8,
      { "refuses Width=many", "it takes a number" } },
  { "camera=Fake_1 features=Width=1000000", GRAY8,
      { "refuses Width=1000000", "set `features`" } },
  { "camera=Fake_1 features=PixelFormat=Mono99", GRAY8,
      { "refuses PixelFormat=Mono99" } },
  { "camera=Fake_1 features=PixelFormat=RGB8", GRAY8,
      { "delivers RGB8", "PixelFormat=Mono12" } },
  { "camera=Fake_1 features=Width", GRAY8,
      { "feature without a value", "write NAME=VALUE" } },
  { "camera=Fake_1 features=AcquisitionStop=1", GRAY8,
      { "takes no value", "its name alone" } },
  { "camera=Fake_1 features=\"'Width\"", GRAY8,
      { "`features` of octcamerasrc cannot be read" } },
  { "camera=Fake_1 trigger=Line99", GRAY8,
      { "refuses the trigger \"Line99\"", "Line0, Software" } },
  { "camera=Fake_1 lines=60000", "video/x-raw",
      { "puts 1 to 2048 lines into a frame, not 60000", "set `lines`" } },
  { "camera=Fake_1", "video/x-raw,format=GRAY8,width=30000",
      { "width=(int)[ 1, 2048 ]", "ask for", "width=(int)30000" } },
  { "camera=Fake_1 features=PixelFormat=Mono8", "video/x-raw,format=GRAY16_LE",
      { "format=(string)GRAY8", "ask for" } },
  { "camera=Fake_1", GRAY8 ",framerate=50000/1",
      { "asked for 50000 frames per second and delivers 1000" } },
};

GST_START_TEST (test_refused)
{
  OctTestWatch watch;
  GstMessage *message, *second;
  g_autoptr (GError) error = NULL;
  GstBus *bus;

  oct_test_watch_start (
      &watch, refused[__i__].properties, refused[__i__].caps, NULL, NULL);
  bus = gst_element_get_bus (watch.pipeline);
  message =
      gst_bus_timed_pop_filtered (bus, 60 * GST_SECOND, GST_MESSAGE_ERROR);
  fail_unless (message != NULL);
  gst_message_parse_error (message, &error, NULL);
  for (guint i = 0; i < 3 && refused[__i__].words[i] != NULL; i++)
    fail_unless (strstr (error->message, refused[__i__].words[i]) != NULL,
        "'%s' is not in '%s'", refused[__i__].words[i], error->message);
  gst_message_unref (message);
  gst_element_set_state (watch.pipeline, GST_STATE_NULL);
  /* one sentence for one mistake */
  second = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR);
  fail_unless (second == NULL);
  gst_object_unref (bus);
  oct_test_watch_stop (&watch);
}
GST_END_TEST;

/* Somebody else makes its frames smaller, then as before. */
GST_START_TEST (test_other_size)
{
  ArvGvFakeCamera *camera = oct_test_camera_new ();
  ArvFakeCamera *fake = arv_gv_fake_camera_get_fake_camera (camera);
  OctTestWatch watch;

  bits_now = 8;
  oct_test_watch_start (
      &watch, "camera=127.0.0.1", GRAY8 ",framerate=100/1", check_values, NULL);
  oct_test_watch_wait_frames (&watch, 5);
  arv_fake_camera_write_register (
      fake, ARV_FAKE_CAMERA_REGISTER_WIDTH, WIDTH / 2);
  gst_message_unref (oct_test_watch_message (
      &watch, GST_MESSAGE_WARNING, "leave size and PixelFormat"));
  arv_fake_camera_write_register (fake, ARV_FAKE_CAMERA_REGISTER_WIDTH, WIDTH);
  oct_test_watch_wait_frames (&watch, 5);
  fail_unless (oct_test_watch_get (&watch, "incomplete") >= 1);
  oct_test_watch_stop (&watch);
  g_object_unref (camera);
}
GST_END_TEST;

/* ------------------------------------------------------------------ vanishing */

/* It comes back with the settings of its factory, and gets those of before. */
GST_START_TEST (test_reconnect)
{
  ArvGvFakeCamera *camera = oct_test_camera_new ();
  g_autofree char *exposure = NULL;
  GstClockTime last = GST_CLOCK_TIME_NONE;
  OctTestWatch watch;

  oct_test_watch_start (&watch,
      "camera=127.0.0.1 timeout=300 features=ExposureTimeAbs=2000",
      GRAY8 ",framerate=100/1", keep_last, &last);
  oct_test_watch_wait_frames (&watch, 5);
  g_object_unref (camera);
  gst_message_unref (
      oct_test_watch_message (&watch, GST_MESSAGE_WARNING, "has vanished"));
  camera = oct_test_camera_new ();
  gst_message_unref (
      oct_test_watch_message (&watch, GST_MESSAGE_INFO, "is there again"));
  oct_test_watch_wait_frames (&watch, 5);
  exposure =
      read_feature (&watch, camera, ARV_FAKE_CAMERA_REGISTER_EXPOSURE_TIME_US);
  fail_unless_equals_string (exposure, "2000");
  fail_unless_equals_uint64 (oct_test_watch_get (&watch, "reconnects"), 1);
  oct_test_watch_stop (&watch);
  g_object_unref (camera);
}
GST_END_TEST;

GST_START_TEST (test_vanished)
{
  ArvGvFakeCamera *camera = oct_test_camera_new ();
  GstMessage *message;
  OctTestWatch watch;

  oct_test_watch_start (&watch, "camera=127.0.0.1 timeout=300 reconnect=false",
      GRAY8 ",framerate=100/1", NULL, NULL);
  oct_test_watch_wait_frames (&watch, 5);
  g_object_unref (camera);
  message =
      oct_test_watch_message (&watch, GST_MESSAGE_ERROR, "set `reconnect`");
  gst_message_unref (message);
  oct_test_watch_stop (&watch);
}
GST_END_TEST;

/* It can be stopped while it waits for the camera. */
GST_START_TEST (test_stopped_while_away)
{
  ArvGvFakeCamera *camera = oct_test_camera_new ();
  OctTestWatch watch;

  oct_test_watch_start (&watch, "camera=127.0.0.1 timeout=300",
      GRAY8 ",framerate=100/1", NULL, NULL);
  oct_test_watch_wait_frames (&watch, 5);
  g_object_unref (camera);
  gst_message_unref (
      oct_test_watch_message (&watch, GST_MESSAGE_WARNING, "has vanished"));
  oct_test_watch_stop (&watch);
}
GST_END_TEST;

/* ----------------------------------------------------------------- provider */

GST_START_TEST (test_provider)
{
  ArvGvFakeCamera *camera = oct_test_camera_new ();
  GstDeviceMonitor *monitor = gst_device_monitor_new ();
  GstElement *element = NULL;
  GList *devices;

  gst_device_monitor_add_filter (monitor, "Video/Source",
      gst_caps_from_string ("video/x-raw,format=GRAY16_LE"));
  devices = gst_device_monitor_get_devices (monitor);
  for (GList *item = devices; item != NULL; item = item->next) {
    GstDevice *device = item->data;
    g_autofree char *name = gst_device_get_display_name (device), *id = NULL;
    GstStructure *about = gst_device_get_properties (device);

    if (about != NULL
        && g_strcmp0 (
               gst_structure_get_string (about, "camera"), OCT_TEST_CAMERA)
               == 0) {
      fail_unless_equals_string (name, "Aravis Fake GV01");
      element = gst_device_create_element (device, NULL);
      g_object_get (element, "camera", &id, NULL);
      fail_unless_equals_string (id, OCT_TEST_CAMERA);
    }
    gst_clear_structure (&about);
  }
  fail_unless (element != NULL);
  gst_object_unref (element);
  g_list_free_full (devices, gst_object_unref);
  gst_object_unref (monitor);
  g_object_unref (camera);
}
GST_END_TEST;

static Suite *
octcamerasrc_suite (void)
{
  Suite *suite = suite_create ("octcamerasrc");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_set_timeout (tcase, 90);
  tcase_add_test (tcase, test_count);
  tcase_add_test (tcase, test_time);
  tcase_add_test (tcase, test_time_distrusted);
  tcase_add_test (tcase, test_held);
  tcase_add_test (tcase, test_parts);
  tcase_add_test (tcase, test_exhausted);
  tcase_add_test (tcase, test_packets);
  tcase_add_test (tcase, test_kept_incomplete);
  tcase_add_loop_test (tcase, test_formats, 0, G_N_ELEMENTS (formats));
  tcase_add_loop_test (tcase, test_strides, 0, 4);
  tcase_add_test (tcase, test_trigger);
  tcase_add_test (tcase, test_as_it_is_set);
  tcase_add_test (tcase, test_places);
  tcase_add_test (tcase, test_pause);
  tcase_add_loop_test (tcase, test_refused, 0, G_N_ELEMENTS (refused));
  tcase_add_test (tcase, test_other_size);
  tcase_add_test (tcase, test_reconnect);
  tcase_add_test (tcase, test_vanished);
  tcase_add_test (tcase, test_stopped_while_away);
  tcase_add_test (tcase, test_provider);
  return suite;
}

GST_CHECK_MAIN (octcamerasrc);
