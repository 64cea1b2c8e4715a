/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-live-scene.h"
#include "oct-live-flow.h"
#include "oct-live-levels.h"

#include "oct-contrast.h"
#include "oct-launch.h"
#include "oct/oct.h"

#include <gst/app/gstappsink.h>
#include <gst/app/gstappsrc.h>
#include <gst/video/video.h>
#include <math.h>

/* A B-scan that is dropped here is missing in the volume, which keeps the
 * previous one: as many wait as come while a picture is being drawn. */
#define IN                                                                     \
  "appsrc name=in is-live=true format=time max-bytes=134217728 "               \
  "max-buffers=128 "                                                           \
  "leaky-type=downstream ! "
#define OUT                                                                    \
  "appsink name=out%u sync=false async=false max-buffers=1 drop=true "         \
  "wait-on-eos=false enable-last-sample=false"

/* Some bytes each: a recording that goes on has to have its memory. */
#define MOST_PIXELS (1u << 29)
/* Volumes that take longer are shown while they grow, s. */
#define LONG_VOLUME 1.5
/* A CPU draws small pictures, which get coarser while a hand moves something if
 * one takes longer, ms.  After a rest of so long, us, they may take half of the
 * time from one volume to the next, up to a second. */
#define MOVING_TIME 120
#define REST (400 * G_TIME_SPAN_MILLISECOND)
#define CALM_PART 0.5
#define MOST_CALM_TIME 1000
#define RATE "25/1"
/* Three planes in one picture: the distance between them, and how often it is
 * put together. */
#define EN_FACE 3 /* in the corner that the planes leave */
#define GAP_LEVEL 40
#define TOGETHER (40 * G_TIME_SPAN_MILLISECOND)
/* A picture is given again after so long. */
#define AGAIN (250 * G_TIME_SPAN_MILLISECOND)

typedef struct {
  OctLiveScene *scene;
  guint index;
} Output;

struct _OctLiveScene {
  OctLiveSceneEvents events;
  gpointer data;
  OctLiveLook look;
  gboolean gpu;
  GstElement *pipeline, *in;
  GstElement *ascans;                      /* NULL: it takes none */
  GstElement *makers[OCT_LIVE_MAX_PANELS]; /* octvolume or the like */
  Output outputs[OCT_LIVE_MAX_PANELS];
  guint n_outputs, watch;
  guint calm_time; /* ms for a picture while nothing is moved; 0 = any */
  gint64 moved_at; /* monotonic, us; 0 = nothing is moved */
  OctLivePanel panels[OCT_LIVE_MAX_PANELS], size;

  GMutex lock;
  gboolean closed;
  GstSample *parts[OCT_LIVE_MAX_PANELS]; /* the last picture of each plane */
  gboolean fresh;                        /* the picture lacks one of them */
  GstBuffer *last;                       /* picture that was given */
  GstCaps *last_caps;
  gint64 given_at; /* monotonic, us */
};

/* ------------------------------------------------------------- the pipelines
 */

/* Sections and projections get the same.  octvolume assumes what is not known
 * itself: it finds the depths that have signal.  Images of flow are one of each
 * place. */
static void
scene_set_spacings (
    GstElement *maker, const OctLiveScan *scan, const OctLiveLook *look)
{
  gboolean is_volume = look->values[OCT_LIVE_SHOW] == OCT_LIVE_VOLUME;
  double size[3];

  if (g_object_class_find_property (G_OBJECT_GET_CLASS (maker), "y-spacing")
      == NULL)
    return;
  oct_live_scan_get_size (scan, size);
  if (is_volume) {
    size[0] = scan->width;
    size[1] = scan->length;
    size[2] = scan->z_spacing > 0.0 ? size[2] : 0.0;
  }
  g_object_set (maker, "bscans",
      oct_live_look_moves (look) ? oct_live_scan_count_places (scan)
                                 : scan->bscans,
      "x-spacing", size[0] / MAX (1, scan->lines), "y-spacing",
      size[1] / MAX (1, (gint)oct_live_scan_count_places (scan) - 1),
      "refractive-index", MAX (1.0, scan->refractive_index), "z-spacing",
      size[2] * MAX (1.0, scan->refractive_index) / MAX (1, scan->depths),
      NULL);
}

static OctLiveShow
get_show (const OctLiveLook *look)
{
  return (OctLiveShow)look->values[OCT_LIVE_SHOW];
}

/* Pictures of volumes that grow come as often as those that are moved. */
static guint
get_calm_time (const OctLiveScan *scan)
{
  double period = scan->rate > 0.0 ? scan->bscans / scan->rate : 0.0;

  if (period > LONG_VOLUME)
    return MOVING_TIME;
  return (guint)CLAMP (
      CALM_PART * period * 1000.0, MOVING_TIME, MOST_CALM_TIME);
}

static char *
describe_volume (OctLiveScene *scene, const OctLiveScan *scan)
{
  gboolean stereo = scene->look.values[OCT_LIVE_STEREO] != 0.0;
  gboolean grows = scan->rate > 0.0 && scan->bscans / scan->rate > LONG_VOLUME;
  gint width = scene->gpu ? 1280 : 640, height = scene->gpu ? 960 : 480;

  /* each eye has the shape of a monitor, which draws its half over all of it */
  if (stereo) {
    width = scene->gpu ? 1920 : 960;
    height = scene->gpu ? 540 : 270;
  }
  scene->size = (OctLivePanel){ 0, 0, width, height };
  if (!scene->gpu)
    scene->calm_time = get_calm_time (scan);
  return g_strdup_printf (IN
      "octvolume name=make0 update=%s ! "
      "capsfilter caps=video/x-raw,format=NV12,width=%d,height=%d,"
      "framerate=" RATE " ! " OUT,
      grows ? "scan" : "volume", width, height, 0);
}

static char *
describe_en_face (OctLiveScene *scene, const OctLiveScan *scan)
{
  double size[3], scale;

  oct_live_scan_get_size (scan, size);
  scale = (scene->gpu ? 1080 : 720) / MAX (size[0], size[1]);
  scene->size = (OctLivePanel){ 0, 0, oct_live_scan_round (scale * size[0]),
    oct_live_scan_round (scale * size[1]) };
  return g_strdup_printf (IN "octenface name=make0 update=scan ! "
                             "capsfilter caps=video/x-raw,format=GRAY8,"
                             "width=%d,height=%d,framerate=" RATE " ! " OUT,
      scene->size.width, scene->size.height, 0);
}

/* A B-scan, next to it the plane across, below it that of one depth, and in the
 * corner that is left the projection en face: edges that touch are the same,
 * and no margins are left, as lines and clicks are placed by parts of a plane.
 * Half a B-scan is seen before the first and after the last. */
static void
lay_out (OctLiveScene *scene, const OctLiveScan *scan)
{
  double size[3], scale;
  guint places = oct_live_scan_count_places (scan);
  gint x, y, z;

  oct_live_scan_get_size (scan, size);
  if (places > 1)
    size[1] *= (double)places / (places - 1);
  scale = MIN ((scene->gpu ? 1440 : 960) / (size[0] + size[1]),
      (scene->gpu ? 1080 : 720) / (size[2] + size[1]));
  x = oct_live_scan_round (scale * size[0]);
  y = oct_live_scan_round (scale * size[1]);
  z = oct_live_scan_round (scale * size[2]);
  scene->panels[0] = (OctLivePanel){ 0, 0, x, z };
  scene->panels[1] = (OctLivePanel){ x + OCT_LIVE_PANEL_GAP, 0, y, z };
  scene->panels[2] = (OctLivePanel){ 0, z + OCT_LIVE_PANEL_GAP, x, y };
  scene->panels[EN_FACE] =
      (OctLivePanel){ x + OCT_LIVE_PANEL_GAP, z + OCT_LIVE_PANEL_GAP,
        oct_live_scan_round (y * MIN (1.0, size[0] / size[1])),
        oct_live_scan_round (y * MIN (1.0, size[1] / size[0])) };
  scene->size = (OctLivePanel){ 0, 0, x + OCT_LIVE_PANEL_GAP + y,
    z + OCT_LIVE_PANEL_GAP + y };
}

static char *
describe_planes (OctLiveScene *scene, const OctLiveScan *scan)
{
  static const char *const planes[] = { "bscan", "cross", "depth" };
  GString *text = g_string_new (IN "tee name=bscans");

  lay_out (scene, scan);
  for (guint i = 0; i < G_N_ELEMENTS (planes); i++)
    g_string_append_printf (text,
        " bscans. ! octslice name=make%u plane=%s update=scan ! "
        "capsfilter caps=video/x-raw,format=GRAY8,width=%d,height=%d,"
        "framerate=" RATE " ! " OUT,
        i, planes[i], scene->panels[i].width, scene->panels[i].height, i);
  g_string_append_printf (text,
      " bscans. ! octenface name=make%u update=scan ! "
      "capsfilter caps=video/x-raw,format=GRAY8,width=%d,height=%d,"
      "framerate=" RATE " ! " OUT,
      EN_FACE, scene->panels[EN_FACE].width, scene->panels[EN_FACE].height,
      EN_FACE);
  return g_string_free (text, FALSE);
}

/* ------------------------------------------------------------------ pictures
 */

/* Call with the lock held. */
static void
scene_give (OctLiveScene *scene)
{
  g_autoptr (GstBuffer) copy = gst_buffer_copy (scene->last);

  GST_BUFFER_PTS (copy) = gst_util_get_timestamp ();
  GST_BUFFER_DTS (copy) = GST_BUFFER_DURATION (copy) = GST_CLOCK_TIME_NONE;
  scene->given_at = g_get_monotonic_time ();
  scene->events.picture (copy, scene->last_caps, scene->data);
}

/* The picture is in colour if parts are. */
static gboolean
has_colours (OctLiveScene *scene)
{
  return oct_live_look_moves (&scene->look);
}

static void
scene_copy_row (const guint8 *in, gint width, gboolean widen, guint8 *out)
{
  for (gint x = 0; widen && x < width; x++) {
    memset (out + 4 * x, in[x], 3);
    out[4 * x + 3] = 255;
  }
  if (!widen)
    memcpy (out, in, width);
}

/* `out`: of the whole picture, with `bytes` for a pixel. */
static void
copy_panel (GstSample *part, const OctLivePanel *panel, gint bytes, guint8 *out,
    gint stride)
{
  GstVideoInfo info;
  GstVideoFrame frame;
  const guint8 *in;
  gboolean grey;

  if (part == NULL
      || !gst_video_info_from_caps (&info, gst_sample_get_caps (part))
      || info.width != panel->width || info.height != panel->height
      || !gst_video_frame_map (
          &frame, &info, gst_sample_get_buffer (part), GST_MAP_READ))
    return;
  grey = GST_VIDEO_INFO_FORMAT (&info) == GST_VIDEO_FORMAT_GRAY8;
  in = GST_VIDEO_FRAME_PLANE_DATA (&frame, 0);
  for (gint row = 0; row < panel->height; row++)
    scene_copy_row (in + (gsize)row * GST_VIDEO_FRAME_PLANE_STRIDE (&frame, 0),
        grey ? panel->width : bytes * panel->width, grey && bytes > 1,
        out + (gsize)(panel->y + row) * stride + bytes * panel->x);
  gst_video_frame_unmap (&frame);
}

/* Borders between the planes are grey; those of motion stay black. */
static void
draw_borders (OctLiveScene *scene, guint8 *out, gint stride)
{
  gint x = scene->panels[1].x, y = scene->panels[2].y;

  if (has_colours (scene))
    return;

  for (gint row = 0; row < scene->size.height; row++)
    memset (out + (gsize)row * stride + x - OCT_LIVE_PANEL_GAP, GAP_LEVEL,
        OCT_LIVE_PANEL_GAP);
  for (gint row = y - OCT_LIVE_PANEL_GAP; row < y; row++)
    memset (out + (gsize)row * stride, GAP_LEVEL, scene->size.width);
}

/* Call with the lock held. */
static void
put_together (OctLiveScene *scene)
{
  GstVideoInfo info;
  GstMapInfo map;
  GstBuffer *picture;
  gint bytes = has_colours (scene) ? 4 : 1;

  gst_video_info_set_format (&info,
      bytes > 1 ? GST_VIDEO_FORMAT_RGBA : GST_VIDEO_FORMAT_GRAY8,
      scene->size.width, scene->size.height);
  GST_VIDEO_INFO_FPS_N (&info) = 25;
  GST_VIDEO_INFO_FPS_D (&info) = 1;
  picture = gst_buffer_new_allocate (NULL, GST_VIDEO_INFO_SIZE (&info), NULL);
  gst_buffer_map (picture, &map, GST_MAP_WRITE);
  memset (map.data, 0, map.size);
  for (gsize i = 3; bytes > 1 && i < map.size; i += 4)
    map.data[i] = 255;
  for (guint i = 0; i < scene->n_outputs; i++)
    copy_panel (scene->parts[i], &scene->panels[i], bytes, map.data,
        GST_VIDEO_INFO_PLANE_STRIDE (&info, 0));
  draw_borders (scene, map.data, GST_VIDEO_INFO_PLANE_STRIDE (&info, 0));
  gst_buffer_unmap (picture, &map);
  gst_clear_caps (&scene->last_caps);
  scene->last_caps = gst_video_info_to_caps (&info);
  gst_clear_buffer (&scene->last);
  scene->last = picture;
  scene->fresh = FALSE;
}

/* Call with the lock held; takes the sample. */
static void
take_part (OctLiveScene *scene, guint index, GstSample *sample)
{
  g_clear_pointer (&scene->parts[index], gst_sample_unref);
  scene->parts[index] = sample;
  scene->fresh = TRUE;
  /* all come one after the other, unless one alone is moved */
  if (index + 1 < scene->n_outputs
      && g_get_monotonic_time () - scene->given_at < TOGETHER)
    return;
  put_together (scene);
  scene_give (scene);
}

static GstFlowReturn
scene_on_picture (GstAppSink *sink, gpointer data)
{
  Output *output = data;
  OctLiveScene *scene = output->scene;
  GstSample *sample = gst_app_sink_pull_sample (sink);

  if (sample == NULL)
    return GST_FLOW_OK;
  g_mutex_lock (&scene->lock);
  if (scene->closed) {
    gst_sample_unref (sample);
  } else if (scene->n_outputs > 1) {
    take_part (scene, output->index, sample);
  } else {
    gst_buffer_replace (&scene->last, gst_sample_get_buffer (sample));
    gst_caps_replace (&scene->last_caps, gst_sample_get_caps (sample));
    scene_give (scene);
    gst_sample_unref (sample);
  }
  g_mutex_unlock (&scene->lock);
  return GST_FLOW_OK;
}

static void
set_time (OctLiveScene *scene, guint milliseconds)
{
  if (scene->calm_time != 0)
    g_object_set (scene->makers[0], "max-render-time", milliseconds, NULL);
}

void
oct_live_scene_repeat (OctLiveScene *scene)
{
  if (scene->moved_at != 0
      && g_get_monotonic_time () - scene->moved_at > REST) {
    scene->moved_at = 0;
    set_time (scene, scene->calm_time);
  }
  g_mutex_lock (&scene->lock);
  if (scene->fresh)
    put_together (scene);
  if (scene->last != NULL && !scene->closed
      && g_get_monotonic_time () - scene->given_at > AGAIN)
    scene_give (scene);
  g_mutex_unlock (&scene->lock);
}

/* FALSE if all is black, as in a missing B-scan. */
static gboolean
find_brightest_row (GstSample *bscan, double *part)
{
  guint64 brightest = 0;
  GstVideoInfo info;
  GstVideoFrame frame;
  gint first, depth_start = 0;

  if (!gst_video_info_from_caps (&info, gst_sample_get_caps (bscan))
      || !gst_video_frame_map (
          &frame, &info, gst_sample_get_buffer (bscan), GST_MAP_READ))
    return FALSE;
  /* the rest of the source's light is near zero delay */
  gst_structure_get_int (
      gst_caps_get_structure (gst_sample_get_caps (bscan), 0),
      GST_OCT_DEPTH_START_FIELD, &depth_start);
  first = MAX (
      (gint)oct_contrast_first_row (info.height + depth_start) - depth_start,
      0);
  for (gint row = first; row < info.height; row++) {
    const guint8 *levels =
        (const guint8 *)GST_VIDEO_FRAME_PLANE_DATA (&frame, 0)
        + (gsize)row * GST_VIDEO_FRAME_PLANE_STRIDE (&frame, 0);
    guint64 sum = 0;

    for (gint x = 0; x < info.width; x++)
      sum += levels[x];
    if (sum > brightest) {
      brightest = sum;
      *part = (row + 0.5) / info.height;
    }
  }
  gst_video_frame_unmap (&frame);
  return brightest > 0;
}

gboolean
oct_live_scene_find_brightest (OctLiveScene *scene, double *part)
{
  gboolean found;

  g_mutex_lock (&scene->lock);
  found = get_show (&scene->look) == OCT_LIVE_PLANES && scene->parts[0] != NULL
          && find_brightest_row (scene->parts[0], part);
  g_mutex_unlock (&scene->lock);
  return found;
}

/* --------------------------------------------------------------- its life */

static gboolean
scene_on_message (GstBus *bus, GstMessage *message, gpointer data)
{
  OctLiveScene *scene = data;
  g_autoptr (GError) error = NULL;

  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_WARNING) {
    g_autofree char *sentence = oct_launch_describe_warning (message);

    g_printerr ("Note: %s\n", sentence);
  } else if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR) {
    oct_launch_parse_error (message, &error);
    /* the callback may free this */
    scene->watch = 0;
    scene->events.failed (error->message, scene->data);
    return G_SOURCE_REMOVE;
  }
  return G_SOURCE_CONTINUE;
}

static void
connect_outputs (OctLiveScene *scene, GstElement *part, const OctLiveScan *scan)
{
  GstAppSinkCallbacks callbacks = { .new_sample = scene_on_picture };

  scene->in = gst_bin_get_by_name (GST_BIN (part), "in");
  if (oct_live_look_moves (&scene->look))
    scene->ascans = gst_bin_get_by_name (GST_BIN (part), "ascans");
  for (guint i = 0; i < scene->n_outputs; i++) {
    g_autofree char *out = g_strdup_printf ("out%u", i);
    g_autoptr (GstElement) sink = gst_bin_get_by_name (GST_BIN (part), out);

    scene->outputs[i] = (Output){ scene, i };
    gst_app_sink_set_callbacks (
        GST_APP_SINK (sink), &callbacks, &scene->outputs[i], NULL);
  }
  for (guint i = 0; i < OCT_LIVE_MAX_PANELS; i++) {
    g_autofree char *make = g_strdup_printf ("make%u", i);

    scene->makers[i] = gst_bin_get_by_name (GST_BIN (part), make);
    if (scene->makers[i] != NULL)
      scene_set_spacings (scene->makers[i], scan, &scene->look);
  }
}

static gboolean
check_scan (const OctLiveScan *scan, const OctLiveLook *look, GError **error)
{
  guint64 pixels = (guint64)scan->lines * scan->depths * scan->bscans;
  const char *problem = oct_live_flow_check (scan, look);

  if (problem != NULL) {
    g_set_error_literal (error, GST_CORE_ERROR, GST_CORE_ERROR_FAILED, problem);
    return FALSE;
  }
  if (pixels <= MOST_PIXELS || look->values[OCT_LIVE_SHOW] >= OCT_LIVE_DOPPLER)
    return TRUE;
  g_set_error (error, GST_CORE_ERROR, GST_CORE_ERROR_FAILED,
      "A volume of %u B-scans of %u A-lines and %u depths is larger than the "
      "512 "
      "million pixels that can be shown; start oct-live with a smaller "
      "--bscans.",
      scan->bscans, scan->lines, scan->depths);
  return FALSE;
}

static char *
scene_describe (OctLiveScene *scene, const OctLiveScan *scan)
{
  scene->n_outputs = 1;
  switch (get_show (&scene->look)) {
  case OCT_LIVE_PLANES:
    scene->n_outputs = 1 + EN_FACE;
    return describe_planes (scene, scan);
  case OCT_LIVE_EN_FACE:
    return describe_en_face (scene, scan);
  case OCT_LIVE_FLOW:
  case OCT_LIVE_DOPPLER:
  case OCT_LIVE_DYNAMIC:
    return oct_live_flow_describe (scan, &scene->look, scene->gpu ? 1440 : 1024,
        scene->gpu ? 1080 : 640, scene->panels, &scene->n_outputs,
        &scene->size);
  case OCT_LIVE_VOLUME:
  case OCT_LIVE_BSCANS:
    break;
  }
  return describe_volume (scene, scan);
}

OctLiveScene *
oct_live_scene_new (const OctLiveScan *scan, const OctLiveLook *look,
    gboolean gpu, const OctLiveSceneEvents *events, gpointer data,
    GError **error)
{
  OctLiveScene *scene;
  g_autoptr (GstBus) bus = NULL;
  g_autofree char *text = NULL;
  GstElement *part;

  if (!check_scan (scan, look, error))
    return NULL;
  scene = g_new0 (OctLiveScene, 1);
  g_mutex_init (&scene->lock);
  scene->events = *events;
  scene->data = data;
  scene->look = *look;
  scene->gpu = gpu;
  scene->pipeline = gst_object_ref_sink (gst_pipeline_new ("oct-live-scene"));
  text = scene_describe (scene, scan);
  part = oct_launch_add_own_part (GST_BIN (scene->pipeline), text, error);
  if (part == NULL) {
    oct_live_scene_free (scene);
    return NULL;
  }
  connect_outputs (scene, part, scan);
  oct_live_scene_set (scene, look);
  set_time (scene, scene->calm_time);
  bus = gst_element_get_bus (scene->pipeline);
  scene->watch = gst_bus_add_watch_full (
      bus, G_PRIORITY_HIGH, scene_on_message, scene, NULL);
  gst_element_set_state (scene->pipeline, GST_STATE_PLAYING);
  return scene;
}

void
oct_live_scene_close (OctLiveScene *scene)
{
  g_mutex_lock (&scene->lock);
  scene->closed = TRUE;
  g_mutex_unlock (&scene->lock);
}

void
oct_live_scene_free (OctLiveScene *scene)
{
  oct_live_scene_close (scene);
  if (scene->watch != 0)
    g_source_remove (scene->watch);
  gst_element_set_state (scene->pipeline, GST_STATE_NULL);
  gst_clear_object (&scene->in);
  gst_clear_object (&scene->ascans);
  for (guint i = 0; i < OCT_LIVE_MAX_PANELS; i++) {
    gst_clear_object (&scene->makers[i]);
    g_clear_pointer (&scene->parts[i], gst_sample_unref);
  }
  gst_object_unref (scene->pipeline);
  gst_clear_buffer (&scene->last);
  gst_clear_caps (&scene->last_caps);
  g_mutex_clear (&scene->lock);
  g_free (scene);
}

/* ------------------------------------------------------------------ settings
 */

gboolean
oct_live_scene_fits (OctLiveScene *scene, const OctLiveLook *look)
{
  const double *a = scene->look.values, *b = look->values;

  return a[OCT_LIVE_SHOW] == b[OCT_LIVE_SHOW]
         && (get_show (look) != OCT_LIVE_VOLUME
             || a[OCT_LIVE_STEREO] == b[OCT_LIVE_STEREO]);
}

static const char *
get_choice (OctLiveScene *scene, guint value, const OctLiveLook *look)
{
  const char *nick = oct_live_look_get_choice (look, value);

  if (value == OCT_LIVE_RENDERING && g_str_equal (nick, "auto"))
    return scene->gpu ? "full" : "once";
  return nick;
}

static void
set_value (
    GstElement *maker, const char *property, double value, const char *choice)
{
  g_auto (GValue) number = G_VALUE_INIT;

  if (choice != NULL) {
    gst_util_set_object_arg (G_OBJECT (maker), property, choice);
    return;
  }
  /* of integers it becomes one */
  g_value_init (&number, G_TYPE_DOUBLE);
  g_value_set_double (&number, value);
  g_object_set_property (G_OBJECT (maker), property, &number);
}

static void
set_values (OctLiveScene *scene, GstElement *maker, const OctLiveLook *look)
{
  const char *factory = GST_OBJECT_NAME (gst_element_get_factory (maker));

  /* all at once: edges of a crop may pass each other on their way */
  g_object_freeze_notify (G_OBJECT (maker));
  for (guint i = 0; i < OCT_LIVE_N_LOOKS; i++) {
    const OctLiveLookField *field = &oct_live_look_fields[i];
    const char *choice;

    if (g_strcmp0 (field->element, factory) != 0
        || field->show
               != (oct_live_look_moves (look) ? get_show (look)
                                              : OCT_LIVE_BSCANS))
      continue;
    choice = field->choices != NULL ? get_choice (scene, i, look) : NULL;
    set_value (maker, field->property, look->values[i], choice);
    if (field->also != NULL)
      set_value (maker, field->also, look->values[i], choice);
  }
  g_object_thaw_notify (G_OBJECT (maker));
}

void
oct_live_scene_set (OctLiveScene *scene, const OctLiveLook *look)
{
  scene->look = *look;
  set_time (scene, MOVING_TIME);
  scene->moved_at = g_get_monotonic_time ();
  for (guint i = 0; i < OCT_LIVE_MAX_PANELS; i++)
    if (scene->makers[i] != NULL)
      set_values (scene, scene->makers[i], look);
}

void
oct_live_scene_push (OctLiveScene *scene, GstBuffer *image, GstCaps *caps)
{
  g_autoptr (GstCaps) own = gst_caps_ref (caps);
  g_autoptr (GstBuffer) reduced = oct_live_levels_reduce (image, &own);
  g_autoptr (GstSample) sample = gst_sample_new (reduced, own, NULL, NULL);

  if (reduced != NULL)
    gst_app_src_push_sample (GST_APP_SRC (scene->in), sample);
}

void
oct_live_scene_push_ascans (
    OctLiveScene *scene, GstBuffer *ascans, GstCaps *caps)
{
  g_autoptr (GstSample) sample = gst_sample_new (ascans, caps, NULL, NULL);

  if (scene->ascans != NULL)
    gst_app_src_push_sample (GST_APP_SRC (scene->ascans), sample);
}

guint
oct_live_scene_get_panels (OctLiveScene *scene,
    OctLivePanel panels[OCT_LIVE_MAX_PANELS], OctLivePanel *size)
{
  *size = scene->size;
  if (scene->n_outputs < 2)
    return 0;
  for (guint i = 0; i < scene->n_outputs; i++)
    panels[i] = scene->panels[i];
  return scene->n_outputs;
}
