/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstoctscanmask.h"
#include "oct/oct.h"

/* clang-format off */
G_DEFINE_BOXED_TYPE (OctScanMask, gst_oct_scan_mask, oct_scan_mask_ref,
    oct_scan_mask_unref)
/* clang-format on */

GstEvent *
gst_oct_scan_mask_event_new (OctScanMask *mask)
{
  g_autoptr (GstBuffer) taken =
      gst_buffer_new_memdup (mask->taken, (gsize)mask->lines * mask->bscans);

  return gst_event_new_custom (GST_EVENT_CUSTOM_DOWNSTREAM_STICKY,
      gst_structure_new (GST_OCT_SCAN_MASK_EVENT_NAME, "mask",
          GST_TYPE_OCT_SCAN_MASK, mask, GST_OCT_SCAN_MASK_LINES, G_TYPE_UINT,
          mask->lines, GST_OCT_SCAN_MASK_TAKEN, GST_TYPE_BUFFER, taken, NULL));
}

/* The mask in an event of an application. */
static OctScanMask *
read_fields (const GstStructure *s)
{
  g_autoptr (GstBuffer) taken = NULL;
  g_autoptr (GError) error = NULL;
  OctScanMask *mask = NULL;
  GstMapInfo map;
  guint lines = 0;

  gst_structure_get (s, GST_OCT_SCAN_MASK_LINES, G_TYPE_UINT, &lines,
      GST_OCT_SCAN_MASK_TAKEN, GST_TYPE_BUFFER, &taken, NULL);
  if (lines == 0 || taken == NULL
      || !gst_buffer_map (taken, &map, GST_MAP_READ)) {
    g_message ("An event " GST_OCT_SCAN_MASK_EVENT_NAME
               " is ignored, because it lacks `lines` (uint, 1 or more) or "
               "`taken` (buffer); send it with both.");
    return NULL;
  }
  if (map.size % lines == 0 && map.size / lines <= OCT_SCAN_MASK_MAX_LINES)
    mask = oct_scan_mask_new_from_array (
        lines, (guint)(map.size / lines), map.data, &error);
  else
    g_set_error (&error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "A mask of %" G_GSIZE_FORMAT " bytes does not hold whole B-scans of %u "
        "A-lines; send one byte for each",
        map.size, lines);
  gst_buffer_unmap (taken, &map);
  if (mask == NULL)
    g_message ("An event " GST_OCT_SCAN_MASK_EVENT_NAME " is ignored: %s.",
        error->message);
  return mask;
}

OctScanMask *
gst_oct_scan_mask_event_parse (GstEvent *event)
{
  const GstStructure *s = gst_event_get_structure (event);
  OctScanMask *mask = NULL;

  if (GST_EVENT_TYPE (event) != GST_EVENT_CUSTOM_DOWNSTREAM_STICKY
      || !gst_event_has_name (event, GST_OCT_SCAN_MASK_EVENT_NAME))
    return NULL;
  if (!gst_structure_has_field (s, "mask"))
    return read_fields (s);
  gst_structure_get (s, "mask", GST_TYPE_OCT_SCAN_MASK, &mask, NULL);
  return mask;
}
