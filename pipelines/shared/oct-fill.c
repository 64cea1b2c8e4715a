/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-fill.h"
#include "oct/oct.h"

/* The volume that is shown and the next one wait in it; if their number of
 * B-scans is not known, so many at most. */
#define MOST_WAITING 2048
/* Waiting B-scans go on faster, by a tenth of the time. */
#define HURRY 10

/* A name that nobody else uses. */
#define ELEMENT "oct-fill-volumes"
#define LEFT_TO_IT "auto"

#define FILLER                                                                 \
  "octvolumecs name=" ELEMENT " method=%s ! queue name=filled "                \
  "leaky=downstream max-size-bytes=0 max-size-time=0 max-size-buffers=%u"

static const OctFillWay ways[] = {
  { "linear", "between the neighbours (linear, fast)" },
  { "joint", "from all A-lines at once (joint, slow without a GPU)" },
  { LEFT_TO_IT, "by the coherence of neighbours (linear or joint)" },
  { OCT_FILL_OFF, "not filled in (narrower B-scans)" },
  { NULL, NULL },
};

struct _OctFill {
  GstElement *before, *after; /* not references: of the same bin */
  OctFillMasked masked;
  gpointer data;
  const char *wanted; /* atomic */

  /* streaming thread of `before` */
  gboolean has_mask;
  const char *used;   /* NULL: nothing was put in yet */
  GstElement *filler; /* owned by the bin, NULL: none is there */
};

/* Time of the B-scans that a filler delivers: thread of its queue. */
typedef struct {
  gint64 begun; /* monotonic, us: first B-scan of the volume */
  GstClockTime first;
} Pace;

const OctFillWay *
oct_fill_ways (void)
{
  return ways;
}

const char *
oct_fill_find (const char *name)
{
  for (const OctFillWay *way = ways; way->id != NULL; way++)
    if (g_strcmp0 (way->id, name) == 0)
      return way->id;
  return NULL;
}

char *
oct_fill_list (void)
{
  GString *list = g_string_new (NULL);

  for (const OctFillWay *way = ways; way->id != NULL; way++)
    g_string_append_printf (list, "%s%s", list->len > 0 ? ", " : "", way->id);
  return g_string_free (list, FALSE);
}

/* Its place in its volume; 0 if it is not known. */
static guint
get_bscan (GstBuffer *buffer)
{
  GstCustomMeta *meta =
      gst_buffer_get_custom_meta (buffer, GST_OCT_SCAN_META_NAME);
  guint bscan = 0;

  if (meta != NULL)
    gst_structure_get_uint (
        gst_custom_meta_get_structure (meta), GST_OCT_SCAN_BSCAN, &bscan);
  return bscan;
}

/* A volume is filled in at once; its B-scans go on as they were taken, one
 * after the other, for encoders to keep up with and for eyes. */
static GstPadProbeReturn
fill_on_filled (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  Pace *pace = data;
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);
  GstClockTime time = GST_BUFFER_PTS (buffer);
  gint64 now = g_get_monotonic_time (), wait;

  if (!GST_CLOCK_TIME_IS_VALID (time))
    return GST_PAD_PROBE_OK;
  if (get_bscan (buffer) == 0 || time < pace->first) {
    pace->begun = now;
    pace->first = time;
    return GST_PAD_PROBE_OK;
  }
  wait = (gint64)((time - pace->first) / GST_USECOND);
  wait = pace->begun + wait - wait / HURRY - now;
  if (wait > 0)
    g_usleep ((gulong)MIN (wait, G_USEC_PER_SEC));
  return GST_PAD_PROBE_OK;
}

static guint
count_waiting (GstPad *pad)
{
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (pad);
  gint bscans;

  return caps != NULL
                 && gst_structure_get_int (gst_caps_get_structure (caps, 0),
                     GST_OCT_SCAN_BSCANS_FIELD, &bscans)
                 && bscans > 0 && bscans < MOST_WAITING / 2
             ? 2 * (guint)bscans
             : MOST_WAITING;
}

/* NULL if octvolumecs is not installed: it belongs to octlogscale. */
static GstElement *
make_filler (OctFill *fill, const char *way, GstPad *pad)
{
  g_autofree char *line = g_strdup_printf (FILLER, way, count_waiting (pad));
  GstElement *filler = gst_parse_bin_from_description (line, TRUE, NULL);
  g_autoptr (GstElement) queue = NULL;
  g_autoptr (GstPad) filled = NULL;

  if (filler == NULL)
    return NULL;
  queue = gst_bin_get_by_name (GST_BIN (filler), "filled");
  filled = gst_element_get_static_pad (queue, "src");
  gst_pad_add_probe (filled, GST_PAD_PROBE_TYPE_BUFFER, fill_on_filled,
      g_new0 (Pace, 1), g_free);
  return filler;
}

static void
take_out (OctFill *fill)
{
  GstElement *filler = g_steal_pointer (&fill->filler);

  if (filler == NULL) {
    gst_element_unlink (fill->before, fill->after);
    return;
  }
  gst_element_unlink (fill->before, filler);
  gst_element_unlink (filler, fill->after);
  gst_element_set_locked_state (filler, TRUE);
  gst_element_set_state (filler, GST_STATE_NULL);
  gst_bin_remove (GST_BIN (GST_OBJECT_PARENT (filler)), filler);
}

/* In the streaming thread, while the filler to be removed holds no B-scans but
 * those in its queue. */
static void
fill_change (OctFill *fill, GstPad *pad, const char *way)
{
  GstElement *filler =
      g_str_equal (way, OCT_FILL_OFF) ? NULL : make_filler (fill, way, pad);

  fill->used = way;
  take_out (fill);
  if (filler == NULL) {
    gst_element_link_pads (fill->before, "src", fill->after, "sink");
    return;
  }
  fill->filler = filler;
  gst_bin_add (GST_BIN (GST_OBJECT_PARENT (fill->before)), filler);
  gst_element_link_pads (filler, "src", fill->after, "sink");
  gst_element_sync_state_with_parent (filler);
  gst_element_link_pads (fill->before, "src", filler, "sink");
}

/* A newly linked element gets its events with the next push: this buffer is
 * pushed again. */
static GstPadProbeReturn
fill_take_buffer (OctFill *fill, GstPad *pad, GstPadProbeInfo *info)
{
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);
  const char *wanted = g_atomic_pointer_get (&fill->wanted);
  gboolean same = fill->used != NULL ? g_str_equal (wanted, fill->used)
                                     : g_str_equal (wanted, OCT_FILL_OFF);

  /* in mid-volume only at the very beginning */
  if (!fill->has_mask || same || (fill->used != NULL && get_bscan (buffer) > 0))
    return GST_PAD_PROBE_OK;
  fill_change (fill, pad, wanted);
  GST_PAD_PROBE_INFO_FLOW_RETURN (info) =
      gst_pad_push (pad, gst_buffer_ref (buffer));
  gst_buffer_unref (buffer);
  GST_PAD_PROBE_INFO_DATA (info) = NULL;
  return GST_PAD_PROBE_HANDLED;
}

static GstPadProbeReturn
on_ascans (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  OctFill *fill = data;
  GstEvent *event;

  if (GST_PAD_PROBE_INFO_TYPE (info) & GST_PAD_PROBE_TYPE_BUFFER)
    return fill_take_buffer (fill, pad, info);
  event = GST_PAD_PROBE_INFO_EVENT (info);
  if (!fill->has_mask
      && GST_EVENT_TYPE (event) == GST_EVENT_CUSTOM_DOWNSTREAM_STICKY
      && gst_event_has_name (event, GST_OCT_SCAN_MASK_EVENT_NAME)) {
    fill->has_mask = TRUE;
    if (fill->masked != NULL)
      fill->masked (fill->data);
  }
  return GST_PAD_PROBE_OK;
}

OctFill *
oct_fill_new (GstElement *before, GstElement *after, const char *way,
    OctFillMasked masked, gpointer data)
{
  g_autoptr (GstPad) pad = gst_element_get_static_pad (before, "src");
  OctFill *fill = g_new0 (OctFill, 1);

  *fill = (OctFill){ before, after, masked, data, oct_fill_find (way) };
  gst_pad_add_probe (pad,
      GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM,
      on_ascans, fill, g_free);
  return fill;
}

void
oct_fill_set (OctFill *fill, const char *way)
{
  g_atomic_pointer_set (&fill->wanted, (gpointer)oct_fill_find (way));
}

gboolean
oct_fill_is_from (OctFill *fill, GstMessage *message)
{
  return g_strcmp0 (GST_MESSAGE_SRC_NAME (message), ELEMENT) == 0;
}

gboolean
oct_fill_is_chosen (OctFill *fill)
{
  return g_str_equal (g_atomic_pointer_get (&fill->wanted), LEFT_TO_IT);
}
