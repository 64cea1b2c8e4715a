/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-remapped.h"
#include "oct-insert.h"
#include "oct/oct.h"

#include <math.h>

#define MOST_WAITING 2048
#define NAME "oct-remapped"
#define GPU_MEMORY "memory:CUDAMemory"

/* Streaming thread of `before`. */
typedef struct {
  guint waiting; /* B-scans of the raster, at most; 0: no path is known */
  OctInsert insert;
} Remapped;

/* B-scans of two volumes: the raster has as many pixels as the path A-lines,
 * and mostly as many B-scans. */
static guint
remapped_count_waiting (const GstStructure *path)
{
  guint lines = 0, bscans = 0;

  gst_structure_get (path, GST_OCT_SCAN_PATH_LINES, G_TYPE_UINT, &lines,
      GST_OCT_SCAN_PATH_BSCANS, G_TYPE_UINT, &bscans, NULL);
  return (guint)CLAMP (
      4.0 * MAX (sqrt ((double)lines * bscans), bscans), 16.0, MOST_WAITING);
}

/* octremap may take system memory alone, which octreconstruct delivers from the
 * next B-scan on. */
static gboolean
remapped_is_on_gpu (GstPad *pad)
{
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (pad);

  return caps != NULL
         && gst_caps_features_contains (
             gst_caps_get_features (caps, 0), GPU_MEMORY);
}

static GstPadProbeReturn
remapped_on_ascans (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  Remapped *remapped = data;
  GstEvent *event;

  if (GST_PAD_PROBE_INFO_TYPE (info) & GST_PAD_PROBE_TYPE_BUFFER) {
    if (remapped->waiting == 0 || remapped->insert.part != NULL)
      return GST_PAD_PROBE_OK;
    oct_insert_change (&remapped->insert,
        oct_insert_make_paced ("octremap name=" NAME, remapped->waiting));
    return remapped_is_on_gpu (pad) ? GST_PAD_PROBE_DROP
                                    : oct_insert_push_again (pad, info);
  }
  event = GST_PAD_PROBE_INFO_EVENT (info);
  if (GST_EVENT_TYPE (event) == GST_EVENT_CUSTOM_DOWNSTREAM_STICKY
      && gst_event_has_name (event, GST_OCT_SCAN_PATH_EVENT_NAME))
    remapped->waiting =
        remapped_count_waiting (gst_event_get_structure (event));
  return GST_PAD_PROBE_OK;
}

void
oct_remapped_add (GstElement *before, GstElement *after)
{
  g_autoptr (GstPad) pad = gst_element_get_static_pad (before, "src");
  Remapped *remapped = g_new0 (Remapped, 1);

  remapped->insert = (OctInsert){ before, after, NULL };
  gst_pad_add_probe (pad,
      GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM,
      remapped_on_ascans, remapped, g_free);
}

GstElement *
oct_remapped_find (GstBin *pipeline)
{
  return gst_bin_get_by_name (pipeline, NAME);
}
