/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-live-stage.h"
#include "oct-live-flow.h"

#include "oct-insert.h"
#include "oct/oct.h"

#include <math.h>
#include <string.h>

/* Time between two checks while a scene is shown, ms; B-scans that came longer
 * ago than OF_NOW are not of the present, us. */
#define TICK 100
#define OF_NOW G_TIME_SPAN_SECOND
/* A scan of more B-scans is not a volume that could be shown. */
#define MOST_BSCANS 8192

struct _OctLiveStage {
  OctLiveStageEvents events;
  gpointer data;
  OctLiveStreams *streams;
  OctLiveScreen *screen; /* NULL: there is no microscope */
  OctLiveScan known;
  OctLiveLook look;
  gboolean gpu;
  gboolean has_depth; /* of the plane: chosen, by people or once by itself */
  guint timer;        /* while there is a scene */

  GMutex lock;
  OctLiveScene *scene; /* NULL: B-scans are shown */
  OctLiveScan scan;    /* of the last image; lines are 0 before */
  gint64 taken_at;     /* that, monotonic us */
  guint idle;          /* source: the scan has changed */
};

OctLiveStage *
oct_live_stage_new (const OctLiveScan *known, OctLiveShow show,
    OctLiveStreams *streams, const OctLiveStageEvents *events, gpointer data)
{
  OctLiveStage *stage = g_new0 (OctLiveStage, 1);

  g_mutex_init (&stage->lock);
  stage->known = *known;
  stage->scan = *known;
  stage->scan.bscans = 1;
  stage->streams = streams;
  stage->events = *events;
  stage->data = data;
  oct_live_look_init (&stage->look);
  stage->look.values[OCT_LIVE_SHOW] = show;
  return stage;
}

void
oct_live_stage_set_screen (OctLiveStage *stage, OctLiveScreen *screen)
{
  stage->screen = screen;
}

/* -------------------------------------------------------------------- scenes
 */

/* The plane of one depth begins at the tissue, and not in the middle of the
 * volume, where it may be dark. */
static void
begin_depth (OctLiveStage *stage)
{
  double part;

  if (stage->has_depth || !oct_live_scene_find_brightest (stage->scene, &part))
    return;
  stage->has_depth = TRUE;
  g_mutex_lock (&stage->lock);
  stage->look.values[OCT_LIVE_AT_Z] = part;
  g_mutex_unlock (&stage->lock);
  oct_live_scene_set (stage->scene, &stage->look);
  stage->events.changed (NULL, stage->data);
}

static gboolean
on_tick (gpointer data)
{
  OctLiveStage *stage = data;
  gint64 taken_at;

  begin_depth (stage);
  g_mutex_lock (&stage->lock);
  taken_at = stage->taken_at;
  g_mutex_unlock (&stage->lock);
  /* an old picture must not be taken for a present one */
  if (g_get_monotonic_time () - taken_at < OF_NOW)
    oct_live_scene_repeat (stage->scene);
  return G_SOURCE_CONTINUE;
}

static void
end_scene (OctLiveStage *stage)
{
  OctLiveScene *scene = stage->scene;

  if (scene == NULL)
    return;
  g_source_remove (stage->timer);
  stage->timer = 0;
  /* in this order no late picture comes between the B-scans */
  oct_live_scene_close (scene);
  g_mutex_lock (&stage->lock);
  stage->scene = NULL;
  g_mutex_unlock (&stage->lock);
  oct_live_scene_free (scene);
}

static gboolean
stage_has_screen (OctLiveStage *stage)
{
  return stage->screen != NULL && oct_live_screen_takes (stage->screen);
}

/* The planes' places are parts of the volume, and their lines those of whole
 * B-scans. */
static OctLiveScreenView
stage_view_scene (OctLiveStage *stage, GstCaps *caps)
{
  const GstStructure *s = gst_caps_get_structure (caps, 0);
  gint width = 0, height = 0;
  double values[OCT_LIVE_N_LOOKS];
  OctLiveScreenView view = { .bscan = -1.0, .across = -1.0 };
  guint places;

  g_mutex_lock (&stage->lock);
  memcpy (values, stage->look.values, sizeof values);
  view.width = stage->scan.width;
  view.length = stage->scan.length;
  places = oct_live_scan_count_places (&stage->scan);
  g_mutex_unlock (&stage->lock);
  gst_structure_get_int (s, "width", &width);
  gst_structure_get_int (s, "height", &height);
  /* a 3-D monitor draws each half over all of itself */
  if (values[OCT_LIVE_SHOW] == OCT_LIVE_VOLUME && values[OCT_LIVE_STEREO] != 0)
    width /= 2;
  if (height > 0)
    view.aspect = (double)width / height;
  if (values[OCT_LIVE_SHOW] != OCT_LIVE_PLANES || places < 2)
    return view;
  view.across = values[OCT_LIVE_AT_X];
  view.bscan =
      MIN (places - 1.0, floor (values[OCT_LIVE_AT_Y] * places)) / (places - 1);
  return view;
}

/* A streaming thread of the scene. */
static void
stage_on_picture (GstBuffer *picture, GstCaps *caps, gpointer data)
{
  OctLiveStage *stage = data;
  OctLiveScreenView view;

  if (!stage_has_screen (stage)) {
    oct_live_streams_show (stage->streams, picture, caps);
    return;
  }
  view = stage_view_scene (stage, caps);
  oct_live_screen_take (
      stage->screen, picture, caps, GST_BUFFER_PTS (picture), &view);
}

static void
stage_on_failed (const char *message, gpointer data)
{
  OctLiveStage *stage = data;
  g_autofree char *sentence = g_strdup_printf (
      "%s cannot be shown, and B-scans are again: %s",
      oct_live_look_moves (&stage->look) ? "What moves" : "Volumes", message);

  g_printerr ("%s\n", sentence);
  end_scene (stage);
  stage->look.values[OCT_LIVE_SHOW] = OCT_LIVE_BSCANS;
  stage->events.changed (sentence, stage->data);
}

static void
get_scan (OctLiveStage *stage, OctLiveScan *scan)
{
  g_mutex_lock (&stage->lock);
  *scan = stage->scan;
  g_mutex_unlock (&stage->lock);
}

/* NULL, or why there is nothing to show by that look: one sentence. */
static const char *
check_look (OctLiveStage *stage, const OctLiveLook *look)
{
  OctLiveScan scan;

  get_scan (stage, &scan);
  if (oct_live_look_moves (look))
    return oct_live_flow_check (&scan, look);
  return look->values[OCT_LIVE_SHOW] != OCT_LIVE_BSCANS && scan.bscans < 2
             ? "These B-scans are not of a volume; start oct-live with "
               "--bscans N, the number of B-scans in one."
             : NULL;
}

/* Begins a scene for the look and the scan; B-scans if there is none of it. */
static gboolean
begin_scene (OctLiveStage *stage, GError **error)
{
  static const OctLiveSceneEvents events = { stage_on_picture,
    stage_on_failed };
  OctLiveScene *scene;
  OctLiveScan scan;

  end_scene (stage);
  get_scan (stage, &scan);
  if (stage->look.values[OCT_LIVE_SHOW] == OCT_LIVE_BSCANS
      || check_look (stage, &stage->look) != NULL)
    return TRUE;
  scene = oct_live_scene_new (
      &scan, &stage->look, stage->gpu, &events, stage, error);
  if (scene == NULL)
    return FALSE;
  stage->timer =
      g_timeout_add_full (G_PRIORITY_HIGH, TICK, on_tick, stage, NULL);
  g_mutex_lock (&stage->lock);
  stage->scene = scene;
  g_mutex_unlock (&stage->lock);
  return TRUE;
}

/* Begins the scene again; B-scans are shown if that is not possible.
 * `problem`: or NULL. */
static void
begin_again (OctLiveStage *stage, const char *problem)
{
  g_autoptr (GError) error = NULL;

  if (!begin_scene (stage, &error))
    stage_on_failed (error->message, stage);
  else
    stage->events.changed (problem, stage->data);
}

static gboolean
on_scan_changed (gpointer data)
{
  OctLiveStage *stage = data;
  const char *problem;

  g_mutex_lock (&stage->lock);
  stage->idle = 0;
  g_mutex_unlock (&stage->lock);
  problem = check_look (stage, &stage->look);
  if (problem != NULL) {
    g_printerr ("Note: %s\n", problem);
    stage->look.values[OCT_LIVE_SHOW] = OCT_LIVE_BSCANS;
  }
  begin_again (stage, problem);
  return G_SOURCE_REMOVE;
}

void
oct_live_stage_free (OctLiveStage *stage)
{
  end_scene (stage);
  if (stage->idle != 0)
    g_source_remove (stage->idle);
  g_mutex_clear (&stage->lock);
  g_free (stage);
}

/* ------------------------------------------------------------------- B-scans
 */

/* Lengths of caps that make sense, others are unknown. */
static double
get_known_length (const GstStructure *s, const char *field, double known)
{
  double length;

  return gst_structure_get_double (s, field, &length) && length > 0.0
                 && length < 1.0
             ? length
             : known;
}

/* Reads the scan from one image. */
static void
read_scan (
    OctLiveStage *stage, GstBuffer *image, GstCaps *caps, OctLiveScan *scan)
{
  const GstStructure *s = gst_caps_get_structure (caps, 0);
  /* known when the plugin is loaded */
  GstCustomMeta *meta =
      gst_meta_get_info (GST_OCT_SCAN_META_NAME) != NULL
          ? gst_buffer_get_custom_meta (image, GST_OCT_SCAN_META_NAME)
          : NULL;
  guint bscans;
  gint width = 0, height = 0, together = 1, repeats, n = 0, d = 1;
  double x, y;

  *scan = stage->known;
  gst_structure_get_int (s, "width", &width);
  gst_structure_get_int (s, "height", &height);
  gst_structure_get_int (s, "bscans", &together);
  scan->z_spacing = get_known_length (s, "z-spacing", scan->z_spacing);
  x = get_known_length (s, "x-spacing", 0.0);
  y = get_known_length (s, "y-spacing", 0.0);
  if (gst_structure_get_int (s, GST_OCT_REPEATS_FIELD, &repeats))
    scan->repeats = (guint)CLAMP (repeats, 1, MOST_BSCANS);
  scan->repeats = MAX (1, scan->repeats);
  scan->wavelength =
      get_known_length (s, GST_OCT_WAVELENGTH_FIELD, scan->wavelength);
  if (gst_structure_get_fraction (s, GST_OCT_LINE_RATE_FIELD, &n, &d) && d > 0)
    scan->line_rate = (double)n / d;
  if (gst_structure_get_fraction (s, "framerate", &n, &d) && d > 0)
    scan->rate = (double)n * MAX (1, together) / d;
  scan->lines = MAX (0, width);
  scan->depths = MAX (0, height) / MAX (1, together);
  if (meta != NULL
      && gst_structure_get_uint (
          gst_custom_meta_get_structure (meta), GST_OCT_SCAN_BSCANS, &bscans))
    scan->bscans = bscans;
  scan->bscans = scan->bscans > MOST_BSCANS ? 1 : MAX (1, scan->bscans);
  if (!(scan->width > 0.0))
    scan->width = x * scan->lines;
  if (!(scan->length > 0.0))
    scan->length = y * ((scan->bscans - 1) / scan->repeats);
}

/* The place of a B-scan of a volume, from 0 to 1; one alone is in the middle. */
static double
stage_get_place (GstBuffer *image, const OctLiveScan *scan)
{
  guint places = oct_live_scan_count_places (scan);
  guint place = oct_insert_get_bscan (image) / MAX (1, scan->repeats);

  return places > 1 ? (double)MIN (place, places - 1) / (places - 1) : 0.5;
}

static void
stage_show_bscan (OctLiveStage *stage, GstBuffer *image, GstCaps *caps,
    GstClockTime time, const OctLiveScan *scan)
{
  double depth =
      scan->z_spacing * scan->depths / MAX (1.0, scan->refractive_index);
  const OctLiveScreenView view = {
    .aspect = scan->width > 0.0 && depth > 0.0 ? scan->width / depth : 0.0,
    .width = scan->width,
    .length = scan->length,
    .bscan = stage_get_place (image, scan),
    .across = -1.0
  };

  oct_live_screen_take (stage->screen, image, caps, time, &view);
}

void
oct_live_stage_take (OctLiveStage *stage, GstBuffer *image, GstCaps *caps)
{
  OctLiveScan scan = { 0 };
  GstClockTime time = GST_BUFFER_PTS (image);
  gboolean has_screen;

  read_scan (stage, image, caps, &scan);
  g_mutex_lock (&stage->lock);
  stage->taken_at = g_get_monotonic_time ();
  if (!oct_live_scan_equal (&scan, &stage->scan) && stage->idle == 0)
    stage->idle =
        g_idle_add_full (G_PRIORITY_HIGH, on_scan_changed, stage, NULL);
  stage->scan = scan;
  /* this stamps the image: nobody else may have it yet */
  has_screen = stage_has_screen (stage);
  oct_live_streams_push (
      stage->streams, image, caps, stage->scene == NULL && !has_screen);
  if (stage->scene == NULL && has_screen)
    stage_show_bscan (stage, image, caps, time, &scan);
  if (stage->scene != NULL)
    oct_live_scene_push (stage->scene, image, caps);
  g_mutex_unlock (&stage->lock);
}

void
oct_live_stage_take_ascans (
    OctLiveStage *stage, GstBuffer *ascans, GstCaps *caps)
{
  g_mutex_lock (&stage->lock);
  if (stage->scene != NULL)
    oct_live_scene_push_ascans (stage->scene, ascans, caps);
  g_mutex_unlock (&stage->lock);
}

void
oct_live_stage_begin (OctLiveStage *stage, gboolean gpu)
{
  stage->gpu = gpu;
  if (stage->scene != NULL)
    begin_again (stage, NULL);
}

/* ------------------------------------------------------------------ settings
 */

guint
oct_live_stage_get_bscans (OctLiveStage *stage)
{
  OctLiveScan scan;

  get_scan (stage, &scan);
  return scan.bscans;
}

void
oct_live_stage_get_size (OctLiveStage *stage, double size[3])
{
  OctLiveScan scan;

  get_scan (stage, &scan);
  oct_live_scan_get_size (&scan, size);
}

double
oct_live_stage_get_half_turn (OctLiveStage *stage, const char **unit)
{
  OctLiveScan scan;

  get_scan (stage, &scan);
  return oct_live_flow_get_half_turn (&scan, &stage->look, unit);
}

void
oct_live_stage_get_look (OctLiveStage *stage, OctLiveLook *look)
{
  *look = stage->look;
}

gboolean
oct_live_stage_set_look (
    OctLiveStage *stage, const OctLiveLook *look, GError **error)
{
  const char *problem = oct_live_look_check (look);
  OctLiveLook former = stage->look;

  if (problem == NULL)
    problem = check_look (stage, look);
  if (problem != NULL) {
    g_set_error_literal (error, GST_CORE_ERROR, GST_CORE_ERROR_FAILED, problem);
    return FALSE;
  }
  g_mutex_lock (&stage->lock);
  stage->look = *look;
  g_mutex_unlock (&stage->lock);
  stage->has_depth |=
      look->values[OCT_LIVE_AT_Z] != former.values[OCT_LIVE_AT_Z];
  if (stage->scene != NULL && oct_live_scene_fits (stage->scene, look)) {
    oct_live_scene_set (stage->scene, look);
    return TRUE;
  }
  if (stage->scene == NULL && look->values[OCT_LIVE_SHOW] == OCT_LIVE_BSCANS)
    return TRUE;
  if (begin_scene (stage, error))
    return TRUE;
  stage->look = former;
  stage->look.values[OCT_LIVE_SHOW] = OCT_LIVE_BSCANS;
  return FALSE;
}

guint
oct_live_stage_get_panels (OctLiveStage *stage,
    OctLivePanel panels[OCT_LIVE_MAX_PANELS], OctLivePanel *size)
{
  *size = (OctLivePanel){ 0 };
  return stage->scene != NULL
             ? oct_live_scene_get_panels (stage->scene, panels, size)
             : 0;
}
