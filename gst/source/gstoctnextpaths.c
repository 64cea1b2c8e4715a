/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstoctnextpaths.h"
#include "gstoctscanpath.h"
#include "oct/oct.h"

/* A program may send paths of different A-lines faster than volumes come. */
#define MOST_WAITING 16u

typedef struct {
  OctScanPlaces *places;
  gboolean has_first;
  guint64 first; /* A-line; or has_first FALSE: of the next volume */
} NextPath;

static void
next_path_free (gpointer data)
{
  NextPath *next = data;

  oct_scan_places_unref (next->places);
  g_free (next);
}

static void
next_path_forget_first (NextPath *next)
{
  next->has_first = FALSE;
  next->first = 0;
}

/* Those of the same A-line stay in the order in which they came. */
static gint
next_path_compare (gconstpointer a, gconstpointer b, gpointer data)
{
  const NextPath *one = a, *other = b;

  return one->first <= other->first ? -1 : 1;
}

/* Nobody would have an A-line of the path that waits. */
static gboolean
next_path_replaces (const NextPath *next, const NextPath *waiting)
{
  return next->has_first == waiting->has_first && next->first == waiting->first
         && next->places->lines == waiting->places->lines
         && next->places->bscans == waiting->places->bscans;
}

/* Takes `next`.  Returns the oldest path if there are too many, else NULL. */
static NextPath *
next_paths_add (GstOctNextPaths *paths, NextPath *next)
{
  for (GList *i = paths->waiting.head; i != NULL; i = i->next)
    if (next_path_replaces (next, i->data)) {
      next_path_free (i->data);
      g_queue_delete_link (&paths->waiting, i);
      break;
    }
  g_queue_insert_sorted (&paths->waiting, next, next_path_compare, NULL);
  return paths->waiting.length > MOST_WAITING
             ? g_queue_pop_head (&paths->waiting)
             : NULL;
}

void
gst_oct_next_paths_init (GstOctNextPaths *paths)
{
  g_mutex_init (&paths->lock);
  g_queue_init (&paths->waiting);
}

void
gst_oct_next_paths_clear (GstOctNextPaths *paths)
{
  g_queue_clear_full (&paths->waiting, next_path_free);
  g_mutex_clear (&paths->lock);
}

gboolean
gst_oct_next_paths_offer (
    GstOctNextPaths *paths, GstElement *element, GstEvent *event)
{
  OctScanPlaces *places;
  NextPath *next, *left_out;

  if (GST_EVENT_TYPE (event) != GST_EVENT_CUSTOM_DOWNSTREAM_STICKY
      || !gst_event_has_name (event, GST_OCT_SCAN_PATH_EVENT_NAME))
    return FALSE;
  places = gst_oct_scan_path_event_take (event, element);
  if (places == NULL)
    return TRUE;
  next = g_new0 (NextPath, 1);
  next->places = places;
  next->has_first = gst_oct_scan_path_event_get_first (event, &next->first);
  g_mutex_lock (&paths->lock);
  if (paths->recounted)
    next_path_forget_first (next);
  left_out = next_paths_add (paths, next);
  g_mutex_unlock (&paths->lock);
  if (left_out == NULL)
    return TRUE;
  GST_ELEMENT_WARNING (element, STREAM, FORMAT,
      ("More than %u scan paths wait for their A-lines: the one from A-line "
       "%" G_GUINT64_FORMAT
       " on is left out, and the path before it holds there; send paths when "
       "fewer of them wait.",
          MOST_WAITING, left_out->first),
      (NULL));
  next_path_free (left_out);
  return TRUE;
}

/* Whether it holds for B-scan `bscan`. */
static gboolean
next_path_has_begun (const GstOctNextPaths *paths, const NextPath *next,
    guint64 bscan, guint lines, guint bscans)
{
  /* no part of its volume has come; after a jump back nothing has */
  if (!next->has_first)
    return !paths->begun || bscan < paths->last || bscans == 0
           || bscan / bscans > (paths->last - 1) / bscans;
  return bscan >= next->first / lines;
}

static gboolean
next_path_check (
    const NextPath *next, GstElement *element, guint lines, guint bscans)
{
  const OctScanPlaces *places = next->places;

  if (places->lines != lines || places->bscans != bscans) {
    GST_ELEMENT_WARNING (element, STREAM, FORMAT,
        ("A scan path of %u B-scans of %u A-lines was sent, but the volumes "
         "have %u B-scans of %u, and the path before it stays; send one of "
         "this size.",
            places->bscans, places->lines, bscans, lines),
        (NULL));
    return FALSE;
  }
  if (next->has_first && next->first % places->count != 0) {
    GST_ELEMENT_WARNING (element, STREAM, FORMAT,
        ("A scan path begins with A-line %" G_GUINT64_FORMAT
         ", within a volume of %u A-lines, and the path before it stays; "
         "start the scanner and the digitizer together.",
            next->first, places->count),
        (NULL));
    return FALSE;
  }
  return TRUE;
}

/* The oldest one if it has begun, else NULL. */
static NextPath *
next_paths_pop (
    GstOctNextPaths *paths, guint64 bscan, guint lines, guint bscans)
{
  NextPath *next;

  g_mutex_lock (&paths->lock);
  next = g_queue_peek_head (&paths->waiting);
  if (next != NULL && next_path_has_begun (paths, next, bscan, lines, bscans))
    g_queue_pop_head (&paths->waiting);
  else
    next = NULL;
  g_mutex_unlock (&paths->lock);
  return next;
}

OctScanPlaces *
gst_oct_next_paths_take (GstOctNextPaths *paths, GstElement *element,
    guint64 bscan, guint count, guint lines, guint bscans)
{
  OctScanPlaces *found = NULL;
  NextPath *next;

  while ((next = next_paths_pop (paths, bscan, lines, bscans)) != NULL) {
    if (next_path_check (next, element, lines, bscans)) {
      g_clear_pointer (&found, oct_scan_places_unref);
      found = oct_scan_places_ref (next->places);
    }
    next_path_free (next);
  }
  paths->begun = TRUE;
  paths->last = bscan + count;
  return found;
}

void
gst_oct_next_paths_restart (GstOctNextPaths *paths, gboolean recounted)
{
  g_mutex_lock (&paths->lock);
  paths->recounted = recounted;
  for (GList *i = paths->waiting.head; i != NULL; i = i->next)
    next_path_forget_first (i->data);
  g_mutex_unlock (&paths->lock);
  paths->begun = FALSE;
}
