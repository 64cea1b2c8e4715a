/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-fill.h"
#include "oct-insert.h"
#include "oct/oct.h"

/* The volume that is shown and the next one wait in it; if their number of
 * B-scans is not known, so many at most. */
#define MOST_WAITING 2048
/* A name that nobody else uses. */
#define ELEMENT "oct-fill-volumes"
#define LEFT_TO_IT "auto"

#define FILLER "octvolumecs name=" ELEMENT " method=%s"

static const OctFillWay ways[] = {
  { "linear", "between the neighbours (linear, fast)" },
  { "joint", "from all A-lines at once (joint, slow without a GPU)" },
  { LEFT_TO_IT, "by the coherence of neighbours (linear or joint)" },
  { OCT_FILL_OFF, "not filled in (narrower B-scans)" },
  { NULL, NULL },
};

struct _OctFill {
  OctFillMasked masked;
  gpointer data;
  const char *wanted; /* atomic */

  /* streaming thread of `before` */
  gboolean has_mask;
  const char *used; /* NULL: nothing was put in yet */
  OctInsert insert;
};

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
make_filler (const char *way, GstPad *pad)
{
  g_autofree char *line = g_strdup_printf (FILLER, way);

  return g_str_equal (way, OCT_FILL_OFF)
             ? NULL
             : oct_insert_make_paced (line, count_waiting (pad));
}

static GstPadProbeReturn
fill_take_buffer (OctFill *fill, GstPad *pad, GstPadProbeInfo *info)
{
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);
  const char *wanted = g_atomic_pointer_get (&fill->wanted);
  gboolean same = fill->used != NULL ? g_str_equal (wanted, fill->used)
                                     : g_str_equal (wanted, OCT_FILL_OFF);

  /* in mid-volume only at the very beginning */
  if (!fill->has_mask || same
      || (fill->used != NULL && oct_insert_get_bscan (buffer) > 0))
    return GST_PAD_PROBE_OK;
  fill->used = wanted;
  oct_insert_change (&fill->insert, make_filler (wanted, pad));
  return oct_insert_push_again (pad, info);
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

  *fill = (OctFill){ .masked = masked,
    .data = data,
    .wanted = oct_fill_find (way),
    .insert = { before, after, NULL } };
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
