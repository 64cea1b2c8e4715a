/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-live-eye.h"

typedef struct {
  GstElement *crop;     /* not owned: it owns the pad of the probe */
  const char *property; /* the side that is taken off */
  const char *size;     /* field of caps */
} Eye;

/* Streaming thread: with the caps of the frames, so that no frame of another size
 * meets the crop. */
static GstPadProbeReturn
eye_on_event (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  const Eye *eye = data;
  GstEvent *event = GST_PAD_PROBE_INFO_EVENT (info);
  gint size = 0;
  GstCaps *caps;

  if (GST_EVENT_TYPE (event) != GST_EVENT_CAPS)
    return GST_PAD_PROBE_OK;
  gst_event_parse_caps (event, &caps);
  gst_structure_get_int (gst_caps_get_structure (caps, 0), eye->size, &size);
  g_object_set (eye->crop, eye->property, size / 2, NULL);
  return GST_PAD_PROBE_OK;
}

void
oct_live_eye_crop (GstElement *crop, OctLiveStereo stereo, guint eye)
{
  static const char *const sides[2][OCT_LIVE_EYES] = { { "right", "left" },
    { "bottom", "top" } };
  gboolean above = stereo == OCT_LIVE_STEREO_TOP;
  g_autoptr (GstPad) pad = gst_element_get_static_pad (crop, "sink");
  Eye *closure = g_new (Eye, 1);

  *closure = (Eye){ crop, sides[above][eye], above ? "height" : "width" };
  gst_pad_add_probe (
      pad, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, eye_on_event, closure, g_free);
}
