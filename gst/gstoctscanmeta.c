/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstoctscanmeta.h"

GType
gst_oct_scan_meta_api_get_type (void)
{
  static gsize type = 0;
  /* no tags: valid whatever happens to the values of the B-scan */
  static const gchar *tags[] = { NULL };

  if (g_once_init_enter (&type))
    g_once_init_leave (
        &type, gst_meta_api_type_register ("GstOctScanMetaAPI", tags));
  return type;
}

static gboolean
scan_meta_init (GstMeta *meta, gpointer params, GstBuffer *buffer)
{
  GstOctScanMeta *scan = (GstOctScanMeta *)meta;

  scan->bscan = 0;
  scan->bscans = 1;
  scan->volume = 0;
  scan->count = 1;
  return TRUE;
}

static gboolean
scan_meta_transform (GstBuffer *dest, GstMeta *meta, GstBuffer *buffer,
    GQuark type, gpointer data)
{
  GstOctScanMeta *scan = (GstOctScanMeta *)meta;
  GstOctScanMeta *copy = gst_buffer_add_oct_scan_meta (
      dest, scan->bscan, scan->bscans, scan->volume);

  if (copy == NULL)
    return FALSE;
  copy->count = scan->count;
  return TRUE;
}

const GstMetaInfo *
gst_oct_scan_meta_get_info (void)
{
  static const GstMetaInfo *info = NULL;

  if (g_once_init_enter ((GstMetaInfo **)&info)) {
    const GstMetaInfo *registered =
        gst_meta_register (GST_OCT_SCAN_META_API_TYPE, "GstOctScanMeta",
            sizeof (GstOctScanMeta), scan_meta_init, NULL, scan_meta_transform);
    g_once_init_leave ((GstMetaInfo **)&info, (GstMetaInfo *)registered);
  }
  return info;
}

GstOctScanMeta *
gst_buffer_add_oct_scan_meta (
    GstBuffer *buffer, guint bscan, guint bscans, guint64 volume)
{
  GstOctScanMeta *scan = (GstOctScanMeta *)gst_buffer_add_meta (
      buffer, gst_oct_scan_meta_get_info (), NULL);

  if (scan != NULL) {
    scan->bscan = bscan;
    scan->bscans = bscans;
    scan->volume = volume;
  }
  return scan;
}

void
gst_oct_scan_meta_select (GstOctScanMeta *scan, guint first, guint count)
{
  guint64 bscan = (guint64)scan->bscan + first;

  scan->bscan = (guint)(bscan % MAX (1, scan->bscans));
  scan->volume += bscan / MAX (1, scan->bscans);
  scan->count = count;
}

GstOctScanMeta *
gst_buffer_get_oct_scan_meta (GstBuffer *buffer)
{
  return (GstOctScanMeta *)gst_buffer_get_meta (
      buffer, GST_OCT_SCAN_META_API_TYPE);
}
