/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-scan-relay.h"
#include "oct/oct.h"

#include <glib/gstdio.h>

/* Paths that a new source gets: more cannot be on their way through the
 * scanner's output, since each takes a volume. */
#define MOST_PATHS 16u

struct _OctScanRelay {
  GMutex lock;
  GWeakRef source;
  gboolean counted;
  GStatBuf socket; /* of the ring whose A-lines are those of the scanner */
  gboolean has_socket;
  GQueue paths; /* of GstEvent */
};

OctScanRelay *
oct_scan_relay_new (void)
{
  OctScanRelay *relay = g_atomic_rc_box_new0 (OctScanRelay);

  g_mutex_init (&relay->lock);
  g_weak_ref_init (&relay->source, NULL);
  g_queue_init (&relay->paths);
  return relay;
}

static void
scan_relay_clear (gpointer data)
{
  OctScanRelay *relay = data;

  g_mutex_clear (&relay->lock);
  g_weak_ref_clear (&relay->source);
  g_queue_clear_full (&relay->paths, (GDestroyNotify)gst_event_unref);
}

void
oct_scan_relay_unref (OctScanRelay *relay)
{
  g_atomic_rc_box_release_full (relay, scan_relay_clear);
}

/* A program makes its socket anew when it is started. */
static gboolean
scan_relay_find_socket (GstElement *source, GStatBuf *found)
{
  g_autofree char *path = NULL;

  g_object_get (source, "socket", &path, NULL);
  return path != NULL && g_stat (path, found) == 0;
}

/* Whether A-lines of this counted source are not those of the scanner: of
 * another program than that of the first source, or of one that came back. */
static gboolean
scan_relay_is_other (OctScanRelay *relay, GstElement *source)
{
  guint64 reconnects = 0;
  GStatBuf now, first;
  gboolean has;

  g_mutex_lock (&relay->lock);
  has = relay->has_socket;
  first = relay->socket;
  g_mutex_unlock (&relay->lock);
  g_object_get (source, "reconnects", &reconnects, NULL);
  return reconnects > 0
         || (has && scan_relay_find_socket (source, &now)
             && (now.st_dev != first.st_dev || now.st_ino != first.st_ino
                 || now.st_mtim.tv_sec != first.st_mtim.tv_sec
                 || now.st_mtim.tv_nsec != first.st_mtim.tv_nsec));
}

/* A source with A-lines of its own takes it for the next volume. */
static void
scan_relay_send (
    OctScanRelay *relay, GstElement *source, GstEvent *event, gboolean counted)
{
  GstEvent *copy = gst_event_copy (event);

  if (!counted || scan_relay_is_other (relay, source))
    gst_structure_remove_field (
        gst_event_writable_structure (copy), GST_OCT_SCAN_PATH_FIRST);
  gst_element_send_event (source, copy);
}

/* Not under the lock: a source that is just being closed takes its time. */
void
oct_scan_relay_tell (OctScanRelay *relay, GstEvent *event)
{
  g_autoptr (GstElement) source = NULL;
  gboolean counted;

  g_mutex_lock (&relay->lock);
  g_queue_push_tail (&relay->paths, gst_event_ref (event));
  if (relay->paths.length > MOST_PATHS)
    gst_event_unref (g_queue_pop_head (&relay->paths));
  source = g_weak_ref_get (&relay->source);
  counted = relay->counted;
  g_mutex_unlock (&relay->lock);
  if (source != NULL)
    scan_relay_send (relay, source, event, counted);
}

/* Streaming thread of octscangen, before the A-lines of the path. */
static GstPadProbeReturn
scan_relay_on_event (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  GstEvent *event = GST_PAD_PROBE_INFO_EVENT (info);

  if (GST_EVENT_TYPE (event) == GST_EVENT_CUSTOM_DOWNSTREAM_STICKY
      && gst_event_has_name (event, GST_OCT_SCAN_PATH_EVENT_NAME))
    oct_scan_relay_tell (data, event);
  return GST_PAD_PROBE_OK;
}

void
oct_scan_relay_watch (OctScanRelay *relay, GstBin *bin, const char *name)
{
  g_autoptr (GstElement) element = gst_bin_get_by_name (bin, name);
  g_autoptr (GstPad) pad = gst_element_get_static_pad (element, "src");

  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM,
      scan_relay_on_event, g_atomic_rc_box_acquire (relay),
      (GDestroyNotify)oct_scan_relay_unref);
}

void
oct_scan_relay_set_source (
    OctScanRelay *relay, GstElement *source, gboolean counted)
{
  g_autoptr (GPtrArray) paths =
      g_ptr_array_new_with_free_func ((GDestroyNotify)gst_event_unref);

  g_mutex_lock (&relay->lock);
  g_weak_ref_set (&relay->source, source);
  relay->counted = counted;
  if (counted && !relay->has_socket)
    relay->has_socket = scan_relay_find_socket (source, &relay->socket);
  for (GList *i = relay->paths.head; i != NULL; i = i->next)
    g_ptr_array_add (paths, gst_event_ref (i->data));
  g_mutex_unlock (&relay->lock);
  for (guint i = 0; i < paths->len; i++)
    scan_relay_send (relay, source, paths->pdata[i], counted);
}

gboolean
oct_scan_relay_is_counted (OctScanRelay *relay)
{
  gboolean counted;

  g_mutex_lock (&relay->lock);
  counted = relay->counted;
  g_mutex_unlock (&relay->lock);
  return counted;
}

gboolean
oct_scan_relay_is_broken (OctScanRelay *relay)
{
  g_autoptr (GstElement) source = g_weak_ref_get (&relay->source);

  return source != NULL && oct_scan_relay_is_counted (relay)
         && scan_relay_is_other (relay, source);
}
