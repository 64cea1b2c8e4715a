/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-live-track.h"
#include "oct-live-json.h"
#include "oct/oct.h"

#include <math.h>
#include <string.h>

/* Pages get whole micrometres. */
#define MICROMETRE 1e-6
/* Sources that pass a path on round its numbers; m. */
#define ROUNDING 1e-12
/* Points of a path that pages get, about; more are not seen on a screen. */
#define MOST_POINTS 8192u
#define MOST_BSCANS 1024u
/* Ranges of lost A-lines that pages get. */
#define MOST_RANGES 512u
#define MOST_VALUES (1u << 26)

typedef struct {
  guint first, count;
} Range;

/* The A-lines of a volume. */
typedef struct {
  GArray *ranges; /* of Range, those that never came */
  guint64 lost;
} Volume;

typedef struct {
  char *pattern;
  guint lines, bscans; /* 0: no path */
  double *x, *y;       /* [bscans][lines] m */
} Path;

struct _OctLiveTrack {
  void (*changed) (gpointer data);
  gpointer data;
  GstPad *pad; /* that is watched, or NULL */
  gulong probe;

  GMutex lock;
  gboolean closed;
  Path path;
  gboolean begun;       /* B-scans come, of volume `number` */
  guint64 number;       /* of the present volume */
  guint next;           /* B-scan of it that comes next */
  guint bscan;          /* that has come last */
  Volume present, last; /* last: the one before; without ranges: none is over */
};

static void
track_clear_path (Path *path)
{
  g_free (path->pattern);
  g_free (path->x);
  g_free (path->y);
  *path = (Path){ 0 };
}

static void
track_clear (gpointer data)
{
  OctLiveTrack *track = data;

  track_clear_path (&track->path);
  g_array_unref (track->present.ranges);
  g_array_unref (track->last.ranges);
  g_mutex_clear (&track->lock);
}

static void
track_release (gpointer track)
{
  g_atomic_rc_box_release_full (track, track_clear);
}

OctLiveTrack *
oct_live_track_new (void (*changed) (gpointer data), gpointer data)
{
  OctLiveTrack *track = g_atomic_rc_box_new0 (OctLiveTrack);

  g_mutex_init (&track->lock);
  track->changed = changed;
  track->data = data;
  track->present.ranges = g_array_new (FALSE, FALSE, sizeof (Range));
  track->last.ranges = g_array_new (FALSE, FALSE, sizeof (Range));
  return track;
}

static void
track_leave (OctLiveTrack *track)
{
  if (track->pad != NULL)
    gst_pad_remove_probe (track->pad, track->probe);
  gst_clear_object (&track->pad);
}

void
oct_live_track_free (OctLiveTrack *track)
{
  track_leave (track);
  track->closed = TRUE;
  track_release (track);
}

/* --------------------------------------------------------- streaming thread */

static void
track_lose (OctLiveTrack *track, guint first, guint count)
{
  GArray *ranges = track->present.ranges;
  Range *last =
      ranges->len > 0 ? &g_array_index (ranges, Range, ranges->len - 1) : NULL;
  Range range = { first, count };

  if (count == 0)
    return;
  track->present.lost += count;
  if (last != NULL && last->first + last->count == first)
    last->count += count;
  else if (ranges->len < MOST_RANGES)
    g_array_append_val (ranges, range);
}

/* B-scans of the present volume before `bscan` that have not come. */
static void
track_skip (OctLiveTrack *track, guint bscan)
{
  if (bscan > track->next)
    track_lose (track, track->next * track->path.lines,
        (bscan - track->next) * track->path.lines);
  track->next = MAX (track->next, bscan);
}

static void
track_end_volume (OctLiveTrack *track)
{
  Volume last = track->last;

  track_skip (track, track->path.bscans);
  track->last = track->present;
  track->present = last;
  g_array_set_size (track->present.ranges, 0);
  track->present.lost = 0;
  track->next = 0;
}

/* Nothing is known of volumes before. */
static void
track_begin (OctLiveTrack *track)
{
  track->begun = FALSE;
  track->next = track->bscan = 0;
  track->present.lost = track->last.lost = 0;
  g_array_set_size (track->present.ranges, 0);
  g_array_set_size (track->last.ranges, 0);
}

static void
track_take_valid (OctLiveTrack *track, const GstStructure *s, guint bscan)
{
  guint lines = track->path.lines;
  g_autoptr (GstBuffer) valid = NULL;
  g_autofree guint8 *values = g_malloc (lines);

  if (!gst_structure_get (s, GST_OCT_SCAN_VALID, GST_TYPE_BUFFER, &valid, NULL)
      || gst_buffer_extract (valid, 0, values, lines) != lines)
    return;
  for (guint i = 0; i < lines; i++)
    if (values[i] == 0)
      track_lose (track, bscan * lines + i, 1);
}

/* One B-scan travels in each buffer along a path. */
static void
track_take_bscan (OctLiveTrack *track, const GstStructure *s)
{
  guint bscan, bscans;
  guint64 volume;

  if (!gst_structure_get (s, GST_OCT_SCAN_BSCAN, G_TYPE_UINT, &bscan,
          GST_OCT_SCAN_BSCANS, G_TYPE_UINT, &bscans, GST_OCT_SCAN_VOLUME,
          G_TYPE_UINT64, &volume, NULL)
      || bscans != track->path.bscans || bscan >= bscans)
    return;
  if (!track->begun)
    track->next = bscan; /* what came before is not lost */
  else if (volume != track->number)
    track_end_volume (track);
  track->begun = TRUE;
  track->number = volume;
  track_skip (track, bscan);
  track_take_valid (track, s, bscan);
  track->next = bscan + 1;
  track->bscan = bscan;
}

static double *
track_copy_axis (const GstStructure *s, const char *name, gsize count)
{
  g_autoptr (GstBuffer) buffer = NULL;
  g_autofree double *values = g_new (double, count);

  if (!gst_structure_get (s, name, GST_TYPE_BUFFER, &buffer, NULL)
      || gst_buffer_extract (buffer, 0, values, count * sizeof (double))
             != count * sizeof (double))
    return NULL;
  return g_steal_pointer (&values);
}

/* FALSE: it is not valid, which elements downstream report. */
static gboolean
track_read_path (const GstStructure *s, Path *path)
{
  guint lines = 0, bscans = 0;
  guint64 count;

  *path = (Path){ 0 };
  gst_structure_get (s, GST_OCT_SCAN_PATH_LINES, G_TYPE_UINT, &lines,
      GST_OCT_SCAN_PATH_BSCANS, G_TYPE_UINT, &bscans, NULL);
  count = (guint64)lines * bscans;
  if (count == 0 || count > MOST_VALUES)
    return FALSE;
  path->lines = lines;
  path->bscans = bscans;
  path->x = track_copy_axis (s, GST_OCT_SCAN_PATH_X, count);
  path->y = track_copy_axis (s, GST_OCT_SCAN_PATH_Y, count);
  path->pattern =
      g_strdup (gst_structure_get_string (s, GST_OCT_SCAN_PATH_PATTERN));
  return path->x != NULL && path->y != NULL;
}

static gboolean
track_on_changed (gpointer data)
{
  OctLiveTrack *track = data;

  if (!track->closed)
    track->changed (track->data);
  return G_SOURCE_REMOVE;
}

static void
track_take_path (OctLiveTrack *track, const GstStructure *s)
{
  Path path;

  if (!track_read_path (s, &path)) {
    track_clear_path (&path);
    return;
  }
  g_mutex_lock (&track->lock);
  track_clear_path (&track->path);
  track->path = path;
  track_begin (track);
  g_mutex_unlock (&track->lock);
  g_idle_add_full (G_PRIORITY_HIGH, track_on_changed,
      g_atomic_rc_box_acquire (track), track_release);
}

static GstPadProbeReturn
track_on_data (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  OctLiveTrack *track = data;
  GstCustomMeta *meta;
  GstEvent *event;

  if (GST_PAD_PROBE_INFO_TYPE (info) & GST_PAD_PROBE_TYPE_BUFFER) {
    meta = gst_buffer_get_custom_meta (
        GST_PAD_PROBE_INFO_BUFFER (info), GST_OCT_SCAN_META_NAME);
    g_mutex_lock (&track->lock);
    if (meta != NULL && track->path.lines > 0)
      track_take_bscan (track, gst_custom_meta_get_structure (meta));
    g_mutex_unlock (&track->lock);
    return GST_PAD_PROBE_OK;
  }
  event = GST_PAD_PROBE_INFO_EVENT (info);
  if (GST_EVENT_TYPE (event) == GST_EVENT_CUSTOM_DOWNSTREAM_STICKY
      && gst_event_has_name (event, GST_OCT_SCAN_PATH_EVENT_NAME))
    track_take_path (track, gst_event_get_structure (event));
  return GST_PAD_PROBE_OK;
}

void
oct_live_track_watch (OctLiveTrack *track, GstPad *pad)
{
  track_leave (track);
  g_mutex_lock (&track->lock);
  track_begin (track);
  g_mutex_unlock (&track->lock);
  track->pad = gst_object_ref (pad);
  track->probe = gst_pad_add_probe (pad,
      GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM,
      track_on_data, g_atomic_rc_box_acquire (track), track_release);
}

/* -------------------------------------------------------- screen and pages */

gboolean
oct_live_track_set_area (OctLiveTrack *track, OctLiveArea *area)
{
  const Path *path = &track->path;
  gboolean ok;

  g_mutex_lock (&track->lock);
  ok = oct_live_area_set_path (
      area, path->x, path->y, path->lines, path->bscans, path->pattern);
  g_mutex_unlock (&track->lock);
  return ok;
}

gboolean
oct_live_track_has_path (OctLiveTrack *track)
{
  gboolean has;

  g_mutex_lock (&track->lock);
  has = track->path.lines > 0;
  g_mutex_unlock (&track->lock);
  return has;
}

static gboolean
track_is_same (const Path *a, const Path *b)
{
  gsize count = (gsize)a->lines * a->bscans;
  gboolean same = a->lines == b->lines && a->bscans == b->bscans;

  for (gsize i = 0; same && i < count; i++)
    same = fabs (a->x[i] - b->x[i]) <= ROUNDING
           && fabs (a->y[i] - b->y[i]) <= ROUNDING;
  return same;
}

gboolean
oct_live_track_is_on (OctLiveTrack *track, GstEvent *event)
{
  Path path;
  gboolean is_on = track_read_path (gst_event_get_structure (event), &path);

  g_mutex_lock (&track->lock);
  is_on = is_on && track_is_same (&track->path, &path);
  g_mutex_unlock (&track->lock);
  track_clear_path (&path);
  return is_on;
}

/* Every `step`-th A-line of a B-scan, and the last one. */
static void
track_add_axis (JsonBuilder *builder, const char *name, const Path *path,
    const double *values, guint step, guint bscan_step)
{
  g_autoptr (GArray) points = g_array_new (FALSE, FALSE, sizeof (double));

  for (guint bscan = 0; bscan < path->bscans; bscan += bscan_step) {
    const double *row = values + (gsize)bscan * path->lines;

    for (guint i = 0; i + 1 < path->lines; i += step)
      g_array_append_val (points, row[i]);
    g_array_append_val (points, row[path->lines - 1]);
  }
  oct_live_json_add_steps (
      builder, name, (const double *)points->data, points->len, MICROMETRE);
}

void
oct_live_track_add_path (OctLiveTrack *track, JsonBuilder *builder)
{
  const Path *path = &track->path;
  guint bscan_step, step;

  g_mutex_lock (&track->lock);
  bscan_step = (path->bscans + MOST_BSCANS - 1) / MOST_BSCANS;
  step = MAX (1, path->lines * (path->bscans / bscan_step) / MOST_POINTS);
  oct_live_json_add_string (builder, "pattern", path->pattern);
  oct_live_json_add_number (builder, "lines", path->lines);
  oct_live_json_add_number (builder, "bscans", path->bscans);
  oct_live_json_add_number (builder, "step", step);
  oct_live_json_add_number (builder, "bscanStep", bscan_step);
  track_add_axis (builder, "x", path, path->x, step, bscan_step);
  track_add_axis (builder, "y", path, path->y, step, bscan_step);
  g_mutex_unlock (&track->lock);
}

void
oct_live_track_add_status (OctLiveTrack *track, JsonBuilder *builder)
{
  g_autoptr (GArray) values = g_array_new (FALSE, FALSE, sizeof (double));
  const GArray *ranges;

  g_mutex_lock (&track->lock);
  ranges = track->last.ranges;
  if (track->path.lines == 0) {
    g_mutex_unlock (&track->lock);
    return;
  }
  json_builder_set_member_name (builder, "track");
  json_builder_begin_object (builder);
  oct_live_json_add_number (builder, "bscan", track->bscan);
  oct_live_json_add_number (builder, "volume", (double)track->number);
  oct_live_json_add_number (builder, "lost", (double)track->last.lost);
  for (guint i = 0; i < ranges->len; i++) {
    const Range *range = &g_array_index (ranges, Range, i);
    const double both[2] = { range->first, range->count };

    g_array_append_vals (values, both, 2);
  }
  oct_live_json_add_steps (
      builder, "ranges", (const double *)values->data, values->len, 1.0);
  json_builder_end_object (builder);
  g_mutex_unlock (&track->lock);
}
