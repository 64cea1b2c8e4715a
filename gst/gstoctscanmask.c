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
  return gst_event_new_custom (GST_EVENT_CUSTOM_DOWNSTREAM_STICKY,
      gst_structure_new (GST_OCT_SCAN_MASK_EVENT_NAME, "mask",
          GST_TYPE_OCT_SCAN_MASK, mask, NULL));
}

OctScanMask *
gst_oct_scan_mask_event_parse (GstEvent *event)
{
  OctScanMask *mask = NULL;

  if (GST_EVENT_TYPE (event) == GST_EVENT_CUSTOM_DOWNSTREAM_STICKY
      && gst_event_has_name (event, GST_OCT_SCAN_MASK_EVENT_NAME))
    gst_structure_get (gst_event_get_structure (event), "mask",
        GST_TYPE_OCT_SCAN_MASK, &mask, NULL);
  return mask;
}
