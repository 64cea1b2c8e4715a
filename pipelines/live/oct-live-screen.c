/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-live-screen.h"
#include "oct-live-eye.h"
#include "oct-live-marks.h"
#include "oct-live-microscope.h"

#include "oct-launch.h"

#include <gst/app/gstappsink.h>
#include <gst/app/gstappsrc.h>
#include <math.h>
#include <string.h>

/* Time inside of the pipeline is counted in pictures, so that the compositor,
 * which is not live, makes one of each set that it gets, at once. */
#define MIX                                                                    \
  "compositor name=mix background=black ! capsfilter "                         \
  "caps=\"video/x-raw,format=I420,colorimetry=bt709,width=%d,height=%d,"       \
  "framerate=%d/1\" ! overlaycomposition name=marks ! appsink name=out "       \
  "sync=false async=false max-buffers=2 enable-last-sample=false"
#define IN                                                                     \
  " appsrc name=%s%u format=time max-bytes=0 max-buffers=0 ! "                 \
  "videocrop name=%s-crop%u ! mix."

#define TICK 200 /* ms */
/* A picture that is so old is dark, and says so, us. */
#define OLD (2 * G_TIME_SPAN_SECOND)
#define DARK 0.35
/* For recordings, us: after so long without a picture, and how late that is. */
#define REPEAT (250 * G_TIME_SPAN_MILLISECOND)
#define LATE (150 * GST_MSECOND)
/* Viewers who come later need one. */
#define AGAIN (400 * G_TIME_SPAN_MILLISECOND)
/* A picture may come a little early, part of the time from one to the next. */
#define EARLY 0.9
#define MOST_INSIDE 2 /* sets of pictures in the pipeline */
#define TIMES 16      /* of those, a power of two and more than that */

enum { FIELD, OCT, N_PARTS };
static const char *const part_names[N_PARTS] = { "field", "oct" };

typedef struct {
  GstSample *last;
  gint64 came_at; /* monotonic us, 0: never */
  GstElement *in[OCT_LIVE_EYES];
  GstPad *pads[OCT_LIVE_EYES]; /* of the compositor */
  gint old;                    /* seconds, as it is drawn; 0: it is not old */
  double aspect;
} Part;

struct _OctLiveScreen {
  OctLiveScreenSettings settings;
  char *aim_path;
  OctLiveScreenEvents events;
  gpointer data;
  OctLiveMicroscope *microscope;
  GstElement *pipeline;
  guint eyes, watch, timer;
  gint closed; /* atomic */
  gint on;     /* atomic: the layout has the field */

  GMutex lock;
  Part parts[N_PARTS];
  OctLiveLayout layout;
  OctLiveEyeChoice choice;
  OctLivePlaces places;
  gboolean moved; /* something of the state has, since people were told */
  GstCaps
      *refused; /* of a field that the compositor has failed with, or NULL */
  guint64 made, left;
  GstClockTime times[TIMES];
  GstClockTime next, last; /* times of pictures */
  gint64 made_at;          /* monotonic, us */
  gboolean waits;          /* something new is in no picture */
  OctLiveScreenView view;
  gboolean has_path;
  OctLiveArea area;
  OctLiveAim aims[OCT_LIVE_EYES];
  GPtrArray *still; /* marks: of the area and of old pictures */
  gboolean redraw;

  GMutex marks_lock;
  GstVideoOverlayComposition *marks;
};

/* --------------------------------------------------------------------- marks
 */

/* The place on the screen of a place of the scan. */
static gboolean
screen_map (OctLiveScreen *screen, guint box, const OctLiveSpot *at,
    OctLiveSpot *pixels)
{
  const OctLiveBox *field = &screen->places.field[box];
  guint eye = screen->choice == OCT_LIVE_EYE_BOTH ? box : screen->places.eye;

  if (screen->aims[eye].sized != screen->area.sized
      || !oct_live_aim_map (&screen->aims[eye], at, pixels))
    return FALSE;
  pixels->x = field->x + pixels->x * field->width;
  pixels->y = field->y + pixels->y * field->height;
  return TRUE;
}

static void
screen_add_line (OctLiveScreen *screen, GPtrArray *marks, guint box,
    const OctLiveSpot *places, guint count, OctLiveMark mark)
{
  g_autofree OctLiveSpot *pixels = g_new (OctLiveSpot, count);
  const OctLiveBox nothing = { 0 };
  const OctLiveBox *above = screen->layout == OCT_LIVE_LAYOUT_INSET
                                ? &screen->places.oct[box]
                                : &nothing;

  for (guint i = 0; i < count; i++)
    if (!screen_map (screen, box, &places[i], &pixels[i]))
      return;
  oct_live_marks_add_line (marks, &screen->places.field[box], above, pixels,
      count, mark == OCT_LIVE_MARK_AREA, mark);
}

static void
screen_add_old (OctLiveScreen *screen, guint which)
{
  static const char *const names[] = { "microscope", "OCT" };
  const Part *part = &screen->parts[which];
  g_autofree char *words =
      part->came_at == 0 ? g_strdup_printf ("No %s picture yet", names[which])
                         : g_strdup_printf ("No new %s picture for %d s",
                             names[which], part->old);
  const OctLiveBox *boxes =
      which == FIELD ? screen->places.field : screen->places.oct;

  for (guint i = 0; part->old > 0 && i < OCT_LIVE_EYES; i++)
    oct_live_marks_add_words (screen->still, &boxes[i], words);
}

/* The area and old pictures; call with the lock held. */
static void
screen_draw_still (OctLiveScreen *screen)
{
  if (!screen->redraw)
    return;
  screen->redraw = FALSE;
  g_ptr_array_set_size (screen->still, 0);
  for (guint i = 0; i < OCT_LIVE_EYES; i++)
    if (screen->places.field[i].width > 0 && screen->area.count > 0)
      screen_add_line (screen, screen->still, i, screen->area.outline,
          screen->area.count, OCT_LIVE_MARK_AREA);
  for (guint which = 0; which < N_PARTS; which++)
    screen_add_old (screen, which);
}

/* Call with the lock held. */
static void
screen_draw (OctLiveScreen *screen)
{
  g_autoptr (GPtrArray) lines = oct_live_marks_new ();
  GstVideoOverlayComposition *marks, *former;
  OctLiveSpot ends[2];

  screen_draw_still (screen);
  for (guint i = 0; i < OCT_LIVE_EYES; i++) {
    if (screen->places.field[i].width == 0 || screen->area.count == 0)
      continue;
    if (screen->view.across >= 0.0) {
      oct_live_area_get_across (&screen->area, screen->view.across, ends);
      screen_add_line (screen, lines, i, ends, 2, OCT_LIVE_MARK_ACROSS);
    }
    if (screen->view.bscan >= 0.0) {
      oct_live_area_get_bscan (&screen->area, screen->view.bscan, ends);
      screen_add_line (screen, lines, i, ends, 2, OCT_LIVE_MARK_BSCAN);
    }
  }
  marks = oct_live_marks_join (screen->still, lines);
  g_mutex_lock (&screen->marks_lock);
  former = screen->marks;
  screen->marks = marks;
  g_mutex_unlock (&screen->marks_lock);
  if (former != NULL)
    gst_video_overlay_composition_unref (former);
}

/* The compositor's thread. */
static GstVideoOverlayComposition *
screen_on_draw (GstElement *element, GstSample *sample, gpointer data)
{
  OctLiveScreen *screen = data;
  GstVideoOverlayComposition *marks;

  g_mutex_lock (&screen->marks_lock);
  marks = screen->marks != NULL
              ? gst_video_overlay_composition_ref (screen->marks)
              : NULL;
  g_mutex_unlock (&screen->marks_lock);
  return marks;
}

/* -------------------------------------------------------------------- layout
 */

static void
screen_put (GstPad *pad, const OctLiveBox *box, gboolean above, gboolean old)
{
  if (pad == NULL)
    return;
  g_object_set (pad, "xpos", box->x, "ypos", box->y, "width",
      MAX (2, box->width), "height", MAX (2, box->height), "alpha",
      box->width == 0 ? 0.0
      : old           ? DARK
                      : 1.0,
      "zorder", above ? 2 : 1, NULL);
}

/* The eye that is seen in a box of the field; one that is not has the other. */
static guint
screen_get_eye (OctLiveScreen *screen, guint box)
{
  return (box + screen->places.eye) % screen->eyes;
}

/* Call with the lock held. */
static void
screen_lay_out (OctLiveScreen *screen)
{
  OctLivePlaces places = { 0 };
  gboolean field_above = screen->layout == OCT_LIVE_LAYOUT_FIELD;

  oct_live_layout_find (screen->layout, screen->choice, screen->settings.width,
      screen->settings.height, screen->parts[FIELD].aspect,
      screen->parts[OCT].aspect, &places);
  screen->moved |= memcmp (&places, &screen->places, sizeof places) != 0;
  screen->places = places;
  screen->redraw = TRUE;
  for (guint i = 0; i < screen->eyes; i++) {
    screen_put (screen->parts[FIELD].pads[screen_get_eye (screen, i)],
        &places.field[i], field_above, screen->parts[FIELD].old > 0);
    screen_put (screen->parts[OCT].pads[i], &places.oct[i], !field_above,
        screen->parts[OCT].old > 0);
  }
}

/* ----------------------------------------------------------------- composing
 */

static GstSample *
screen_make_black (gint width, gint height)
{
  const gsize size = (gsize)width * height;
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, size, NULL);
  g_autoptr (GstCaps) caps = gst_caps_new_simple ("video/x-raw", "format",
      G_TYPE_STRING, "GRAY8", "width", G_TYPE_INT, width, "height", G_TYPE_INT,
      height, "framerate", GST_TYPE_FRACTION, 0, 1, NULL);
  GstSample *black;

  gst_buffer_memset (buffer, 0, 0, size);
  black = gst_sample_new (buffer, caps, NULL, NULL);
  gst_buffer_unref (buffer);
  return black;
}

/* Call with the lock held. */
static void
screen_push_part (OctLiveScreen *screen, Part *part)
{
  g_autoptr (GstBuffer) buffer =
      gst_buffer_copy (gst_sample_get_buffer (part->last));
  g_autoptr (GstSample) sample = NULL;
  GstClockTime begin = gst_util_uint64_scale_round (
      screen->made, GST_SECOND, screen->settings.rate);
  GstClockTime end = gst_util_uint64_scale_round (
      screen->made + 1, GST_SECOND, screen->settings.rate);

  GST_BUFFER_PTS (buffer) = begin;
  GST_BUFFER_DTS (buffer) = GST_CLOCK_TIME_NONE;
  GST_BUFFER_DURATION (buffer) = end - begin;
  sample =
      gst_sample_new (buffer, gst_sample_get_caps (part->last), NULL, NULL);
  for (guint i = 0; i < screen->eyes; i++)
    gst_app_src_push_sample (GST_APP_SRC (part->in[i]), sample);
}

/* Makes a picture of the last ones; call with the lock held. */
static void
screen_compose (OctLiveScreen *screen)
{
  GstClockTime time = screen->next;

  /* no picture goes back in time */
  if (screen->last != 0 && time <= screen->last)
    time = screen->last + GST_MSECOND;
  screen->last = screen->times[screen->made % TIMES] = time;
  screen_draw (screen);
  for (guint which = 0; which < N_PARTS; which++)
    screen_push_part (screen, &screen->parts[which]);
  screen->made++;
  screen->made_at = g_get_monotonic_time ();
  screen->waits = FALSE;
}

/* Call with the lock held. */
static void
screen_compose_in_time (OctLiveScreen *screen)
{
  gint64 now = g_get_monotonic_time ();
  gint64 wait = (gint64)(EARLY * G_TIME_SPAN_SECOND / screen->settings.rate);

  screen->waits = TRUE;
  if (g_atomic_int_get (&screen->on) && !g_atomic_int_get (&screen->closed)
      && now - screen->made_at >= wait
      && screen->made - screen->left < MOST_INSIDE)
    screen_compose (screen);
}

/* The compositor's thread. */
static GstFlowReturn
screen_on_picture (GstAppSink *sink, gpointer data)
{
  OctLiveScreen *screen = data;
  g_autoptr (GstSample) sample = gst_app_sink_pull_sample (sink);
  g_autoptr (GstBuffer) picture = NULL;
  guint64 number;

  if (sample == NULL)
    return GST_FLOW_OK;
  picture = gst_buffer_copy (gst_sample_get_buffer (sample));
  number = gst_util_uint64_scale_round (
      GST_BUFFER_PTS (picture), screen->settings.rate, GST_SECOND);
  GST_BUFFER_DURATION (picture) = GST_CLOCK_TIME_NONE;
  g_mutex_lock (&screen->lock);
  GST_BUFFER_PTS (picture) = screen->times[number % TIMES];
  screen->left = number + 1;
  if (screen->waits)
    screen_compose_in_time (screen);
  g_mutex_unlock (&screen->lock);
  if (g_atomic_int_get (&screen->on) && !g_atomic_int_get (&screen->closed))
    screen->events.picture (
        picture, gst_sample_get_caps (sample), screen->data);
  return GST_FLOW_OK;
}

/* ------------------------------------------------------------------ pictures
 */

/* Call with the lock held.  `time`: of the picture that is new on the screen. */
static void
screen_take_part (OctLiveScreen *screen, guint which, GstBuffer *picture,
    GstCaps *caps, GstClockTime time)
{
  Part *part = &screen->parts[which];

  gst_sample_unref (part->last);
  part->last = gst_sample_new (picture, caps, NULL, NULL);
  part->came_at = g_get_monotonic_time ();
  screen->next = MAX (screen->next, time);
  if (part->old > 0) {
    part->old = 0;
    screen_lay_out (screen);
  }
  screen_compose_in_time (screen);
}

/* Streaming thread of the microscope. */
static void
screen_on_field (GstBuffer *picture, GstCaps *caps, gpointer data)
{
  OctLiveScreen *screen = data;
  const GstStructure *s = gst_caps_get_structure (caps, 0);
  gint width = 0, height = 0;
  double aspect;

  if (!gst_structure_get_int (s, "width", &width)
      || !gst_structure_get_int (s, "height", &height))
    return;
  aspect = oct_live_layout_get_field (screen->settings.stereo, width, height);
  g_mutex_lock (&screen->lock);
  if (screen->refused != NULL && gst_caps_is_equal (caps, screen->refused)) {
    g_mutex_unlock (&screen->lock);
    return;
  }
  if (!gst_caps_is_equal (
          caps, gst_sample_get_caps (screen->parts[FIELD].last))) {
    screen->parts[FIELD].aspect = aspect;
    screen_lay_out (screen);
  }
  screen_take_part (screen, FIELD, picture, caps, GST_BUFFER_PTS (picture));
  g_mutex_unlock (&screen->lock);
  if (!g_atomic_int_get (&screen->closed))
    screen->events.field (
        picture, caps, GST_BUFFER_PTS (picture), FALSE, screen->data);
}

gboolean
oct_live_screen_takes (OctLiveScreen *screen)
{
  return g_atomic_int_get (&screen->on);
}

/* Call with the lock held. */
static void
screen_set_raster (OctLiveScreen *screen, double width, double length)
{
  if (screen->has_path
      || (screen->area.count > 0 && screen->view.width == width
          && screen->view.length == length))
    return;
  oct_live_area_set_raster (&screen->area, width, length);
  screen->redraw = screen->moved = TRUE;
}

void
oct_live_screen_take (OctLiveScreen *screen, GstBuffer *picture, GstCaps *caps,
    GstClockTime time, const OctLiveScreenView *view)
{
  g_mutex_lock (&screen->lock);
  screen_set_raster (screen, view->width, view->length);
  if (screen->parts[OCT].aspect != view->aspect) {
    screen->parts[OCT].aspect = view->aspect;
    screen_lay_out (screen);
  }
  screen->view = *view;
  screen_take_part (screen, OCT, picture, caps, time);
  g_mutex_unlock (&screen->lock);
}

void
oct_live_screen_follow (OctLiveScreen *screen, OctLiveTrack *track)
{
  g_mutex_lock (&screen->lock);
  if (oct_live_track_set_area (track, &screen->area))
    screen->has_path = screen->redraw = screen->moved = TRUE;
  g_mutex_unlock (&screen->lock);
}

/* ----------------------------------------------------------------- main thread
 */

/* How old it is in seconds; 0: it is not.  The first one may take its time. */
static gint
screen_get_age (const Part *part, gint64 now)
{
  gint64 age = now - part->came_at;

  if (part->came_at == 0)
    return 1;
  return age > OLD ? (gint)(age / G_TIME_SPAN_SECOND) : 0;
}

/* Call with the lock held. */
static void
screen_look_at_ages (OctLiveScreen *screen, gint64 now)
{
  gboolean changed = FALSE;

  for (guint which = 0; which < N_PARTS; which++) {
    gint old = screen_get_age (&screen->parts[which], now);

    changed |= old != screen->parts[which].old;
    screen->parts[which].old = old;
  }
  if (!changed)
    return;
  screen_lay_out (screen);
  screen->waits = TRUE;
}

/* A file of two tracks waits for both of them. */
static void
screen_repeat_field (OctLiveScreen *screen, gint64 now)
{
  Part *field = &screen->parts[FIELD];
  g_autoptr (GstSample) sample = NULL;
  gboolean none;
  gint64 age;

  g_mutex_lock (&screen->lock);
  none = field->came_at == 0;
  age = now - field->came_at;
  if (field->came_at != 0 && age <= OLD)
    sample = gst_sample_ref (field->last);
  g_mutex_unlock (&screen->lock);
  if (age < REPEAT)
    return;
  if (sample == NULL)
    sample =
        screen_make_black (screen->settings.width, screen->settings.height);
  screen->events.field (gst_sample_get_buffer (sample),
      gst_sample_get_caps (sample), gst_util_get_timestamp () - LATE, none,
      screen->data);
}

static gboolean
screen_on_tick (gpointer data)
{
  OctLiveScreen *screen = data;
  gint64 now = g_get_monotonic_time ();
  gboolean moved;

  screen_repeat_field (screen, now);
  g_mutex_lock (&screen->lock);
  screen_look_at_ages (screen, now);
  if (screen->waits || now - screen->made_at > AGAIN) {
    screen->next = MAX (screen->next, gst_util_get_timestamp ());
    screen_compose_in_time (screen);
  }
  moved = screen->moved;
  screen->moved = FALSE;
  g_mutex_unlock (&screen->lock);
  if (moved)
    screen->events.changed (NULL, screen->data);
  return G_SOURCE_CONTINUE;
}

static void
screen_on_trouble (gpointer data)
{
  OctLiveScreen *screen = data;

  screen->events.changed (NULL, screen->data);
}

/* The compositor has failed: the layout is OCT alone, which
 * needs none, and everything begins again with another layout. */
static void
screen_fail (OctLiveScreen *screen, const char *message)
{
  g_autofree char *sentence = g_strdup_printf (
      "The microscope and OCT cannot be put together, and OCT alone is shown: "
      "%s%s",
      message, g_str_has_suffix (message, ".") ? "" : ".");

  g_printerr ("%s\n", sentence);
  oct_live_screen_set_layout (screen, OCT_LIVE_LAYOUT_OCT, screen->choice);
  gst_element_set_state (screen->pipeline, GST_STATE_NULL);
  g_mutex_lock (&screen->lock);
  screen->made = screen->left = 0;
  /* with another layout it would fail again */
  if (screen->parts[FIELD].came_at != 0)
    gst_caps_replace (
        &screen->refused, gst_sample_get_caps (screen->parts[FIELD].last));
  gst_sample_unref (screen->parts[FIELD].last);
  screen->parts[FIELD].last = screen_make_black (16, 16);
  screen->parts[FIELD].came_at = 0;
  g_mutex_unlock (&screen->lock);
  gst_element_set_state (screen->pipeline, GST_STATE_PLAYING);
  screen->events.changed (sentence, screen->data);
}

static gboolean
screen_on_message (GstBus *bus, GstMessage *message, gpointer data)
{
  OctLiveScreen *screen = data;
  g_autoptr (GError) error = NULL;

  if (GST_MESSAGE_TYPE (message) != GST_MESSAGE_ERROR
      || !oct_live_screen_takes (screen))
    return G_SOURCE_CONTINUE;
  oct_launch_parse_error (message, &error);
  screen_fail (screen, error->message);
  return G_SOURCE_CONTINUE;
}

void
oct_live_screen_set_layout (
    OctLiveScreen *screen, OctLiveLayout layout, OctLiveEyeChoice eyes)
{
  g_mutex_lock (&screen->lock);
  screen->layout = layout;
  screen->choice = screen->eyes > 1 ? eyes : OCT_LIVE_EYE_LEFT;
  screen_look_at_ages (screen, g_get_monotonic_time ());
  screen_lay_out (screen);
  g_atomic_int_set (
      &screen->on, layout != OCT_LIVE_LAYOUT_OCT || screen->settings.always);
  screen->made_at = 0;
  screen->next = MAX (screen->next, gst_util_get_timestamp ());
  screen_compose_in_time (screen);
  screen->moved = FALSE;
  g_mutex_unlock (&screen->lock);
}

gboolean
oct_live_screen_set_aim (OctLiveScreen *screen, guint eye,
    const OctLiveSpot picture[OCT_LIVE_AIM_CORNERS], GError **error)
{
  gboolean ok = TRUE;

  g_mutex_lock (&screen->lock);
  if (picture == NULL)
    screen->aims[eye].known = FALSE;
  else
    ok = oct_live_aim_find (&screen->aims[eye], screen->area.corners, picture,
        screen->area.sized, error);
  screen->redraw = screen->waits = TRUE;
  g_mutex_unlock (&screen->lock);
  return ok
         && (screen->aim_path == NULL
             || oct_live_aim_save (screen->aim_path, screen->aims,
                 screen->settings.file_mode, error));
}

void
oct_live_screen_get_state (OctLiveScreen *screen, OctLiveScreenState *state)
{
  g_mutex_lock (&screen->lock);
  *state = (OctLiveScreenState){ .layout = screen->layout,
    .eyes = screen->choice,
    .stereo = screen->eyes > 1,
    .on = g_atomic_int_get (&screen->on),
    .width = screen->settings.width,
    .height = screen->settings.height,
    .places = screen->places,
    .keeps = screen->aim_path != NULL,
    .trouble = oct_live_microscope_get_trouble (screen->microscope) };
  for (guint i = 0; i < OCT_LIVE_EYES; i++)
    state->aimed[i] = screen->aims[i].known
                      && (screen->area.count == 0
                          || screen->aims[i].sized == screen->area.sized);
  g_mutex_unlock (&screen->lock);
}

/* -------------------------------------------------------------- begin and end
 */

static gboolean
screen_make_pipeline (OctLiveScreen *screen, GError **error)
{
  const OctLiveScreenSettings *s = &screen->settings;
  g_autoptr (GString) line = g_string_new (NULL);
  g_autoptr (GstElement) marks = NULL, out = NULL;
  GstAppSinkCallbacks callbacks = { .new_sample = screen_on_picture };
  GstElement *bin;

  g_string_printf (line, MIX, s->width, s->height, s->rate);
  for (guint which = 0; which < N_PARTS; which++)
    for (guint i = 0; i < screen->eyes; i++)
      g_string_append_printf (
          line, IN, part_names[which], i, part_names[which], i);
  screen->pipeline = gst_object_ref_sink (gst_pipeline_new ("oct-live-screen"));
  bin = oct_launch_add_own_part (GST_BIN (screen->pipeline), line->str, error);
  if (bin == NULL)
    return FALSE;
  for (guint which = 0; which < N_PARTS; which++)
    for (guint i = 0; i < screen->eyes; i++) {
      g_autofree char *in = g_strdup_printf ("%s%u", part_names[which], i);
      g_autofree char *crop =
          g_strdup_printf ("%s-crop%u", part_names[which], i);
      g_autoptr (GstPad) pad =
          oct_launch_get_pad (screen->pipeline, crop, "src");
      g_autoptr (GstElement) cropper = NULL;

      screen->parts[which].in[i] = gst_bin_get_by_name (GST_BIN (bin), in);
      screen->parts[which].pads[i] = gst_pad_get_peer (pad);
      cropper = gst_bin_get_by_name (GST_BIN (bin), crop);
      if (which == FIELD && screen->eyes > 1)
        oct_live_eye_crop (cropper, screen->settings.stereo, i);
    }
  marks = gst_bin_get_by_name (GST_BIN (bin), "marks");
  out = gst_bin_get_by_name (GST_BIN (bin), "out");
  g_signal_connect (marks, "draw", G_CALLBACK (screen_on_draw), screen);
  gst_app_sink_set_callbacks (GST_APP_SINK (out), &callbacks, screen, NULL);
  return TRUE;
}

OctLiveScreen *
oct_live_screen_new (const OctLiveScreenSettings *settings, GError **error)
{
  OctLiveScreen *screen = g_new0 (OctLiveScreen, 1);

  g_mutex_init (&screen->lock);
  g_mutex_init (&screen->marks_lock);
  screen->settings = *settings;
  screen->aim_path = g_strdup (settings->aims);
  screen->eyes = settings->stereo != OCT_LIVE_STEREO_NONE ? 2 : 1;
  screen->layout = OCT_LIVE_LAYOUT_BESIDE;
  screen->on = TRUE;
  screen->view = (OctLiveScreenView){ .bscan = -1.0, .across = -1.0 };
  screen->still = oct_live_marks_new ();
  for (guint which = 0; which < N_PARTS; which++) {
    screen->parts[which].last = screen_make_black (16, 16);
    screen->parts[which].old = 1;
  }
  if (settings->aims != NULL
      && !oct_live_aim_load (settings->aims, screen->aims, error)) {
    oct_live_screen_free (screen);
    return NULL;
  }
  screen->microscope = oct_live_microscope_new (settings->source, error);
  if (screen->microscope == NULL || !screen_make_pipeline (screen, error)) {
    oct_live_screen_free (screen);
    return NULL;
  }
  screen_lay_out (screen);
  return screen;
}

void
oct_live_screen_start (
    OctLiveScreen *screen, const OctLiveScreenEvents *events, gpointer data)
{
  static const OctLiveMicroscopeEvents of_microscope = { screen_on_field,
    screen_on_trouble };
  g_autoptr (GstBus) bus = gst_element_get_bus (screen->pipeline);

  screen->events = *events;
  screen->data = data;
  screen->watch = gst_bus_add_watch_full (
      bus, G_PRIORITY_HIGH, screen_on_message, screen, NULL);
  gst_element_set_state (screen->pipeline, GST_STATE_PLAYING);
  screen->timer =
      g_timeout_add_full (G_PRIORITY_HIGH, TICK, screen_on_tick, screen, NULL);
  oct_live_microscope_start (screen->microscope, &of_microscope, screen);
}

gboolean
oct_live_screen_close (OctLiveScreen *screen)
{
  gboolean ended = TRUE;

  g_atomic_int_set (&screen->closed, TRUE);
  g_clear_handle_id (&screen->timer, g_source_remove);
  g_clear_handle_id (&screen->watch, g_source_remove);
  if (screen->microscope != NULL)
    ended = oct_live_microscope_free (screen->microscope);
  screen->microscope = NULL;
  if (screen->pipeline != NULL)
    gst_element_set_state (screen->pipeline, GST_STATE_NULL);
  return ended;
}

void
oct_live_screen_free (OctLiveScreen *screen)
{
  if (screen == NULL)
    return;
  (void)oct_live_screen_close (screen);
  for (guint which = 0; which < N_PARTS; which++) {
    g_clear_pointer (&screen->parts[which].last, gst_sample_unref);
    for (guint i = 0; i < OCT_LIVE_EYES; i++) {
      gst_clear_object (&screen->parts[which].in[i]);
      gst_clear_object (&screen->parts[which].pads[i]);
    }
  }
  gst_clear_object (&screen->pipeline);
  if (screen->marks != NULL)
    gst_video_overlay_composition_unref (screen->marks);
  gst_clear_caps (&screen->refused);
  g_ptr_array_unref (screen->still);
  oct_live_area_clear (&screen->area);
  g_mutex_clear (&screen->lock);
  g_mutex_clear (&screen->marks_lock);
  g_free (screen->aim_path);
  g_free (screen);
}
