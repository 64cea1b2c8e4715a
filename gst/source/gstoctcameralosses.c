/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstoctcameralosses.h"
#include "gstoctbus.h"

#define TELL_TIME G_TIME_SPAN_SECOND

static void
warn_of_lost (
    GstElement *element, const GstOctCameraCounters *now, guint buffers)
{
  if (now->all_held > 0)
    GST_ELEMENT_WARNING (element, RESOURCE, READ,
        ("Frames of the camera are lost, %" G_GUINT64_FORMAT
         " so far, because the elements after octcamerasrc hold all %u "
         "buffers; "
         "make them faster, put a leaky queue before the slow one, or set "
         "`buffers` to more.",
            now->lost, buffers),
        (NULL));
  else
    GST_ELEMENT_WARNING (element, RESOURCE, READ,
        ("Frames of the camera are lost on their way, %" G_GUINT64_FORMAT
         " so far; check the cable and the load of this computer, and for "
         "GigE Vision the packet size and the size of receive buffers.",
            now->lost),
        (NULL));
}

static void
warn_of_losses (GstOctCameraLosses *losses, GstElement *element,
    const GstOctCameraCounters *now, guint buffers)
{
  if (now->lost > 0 && !losses->warned_lost)
    warn_of_lost (element, now, buffers);
  losses->warned_lost |= now->lost > 0;
  if (now->incomplete > 0 && !losses->warned_incomplete
      && !losses->warned_others)
    GST_ELEMENT_WARNING (element, RESOURCE, READ,
        ("Frames of the camera are incomplete, %" G_GUINT64_FORMAT
         " so far; check the cable, and for GigE Vision the packet size and "
         "the "
         "size of receive buffers.",
            now->incomplete),
        (NULL));
  losses->warned_incomplete |= now->incomplete > 0;
}

void
gst_oct_camera_losses_tell (GstOctCameraLosses *losses, GstElement *element,
    const GstOctCameraCounters *now, guint buffers, gboolean last)
{
  const GstOctCameraCounters *told = &losses->told;
  gint64 time = g_get_monotonic_time ();

  if ((now->lost == told->lost && now->incomplete == told->incomplete)
      || (!last && time < losses->told_at + TELL_TIME))
    return;
  warn_of_losses (losses, element, now, buffers);
  gst_oct_bus_post (element,
      gst_structure_new (GST_OCT_CAMERA_LOST_MESSAGE, "lost", G_TYPE_UINT64,
          now->lost, "lost-now", G_TYPE_UINT64, now->lost - told->lost,
          "all-held", G_TYPE_UINT64, now->all_held, "incomplete", G_TYPE_UINT64,
          now->incomplete, "incomplete-now", G_TYPE_UINT64,
          now->incomplete - told->incomplete, "frames", G_TYPE_UINT64,
          now->frames, NULL));
  losses->told = *now;
  losses->told_at = time;
}

void
gst_oct_camera_losses_warn_of_others (
    GstOctCameraLosses *losses, GstElement *element, const char *reason)
{
  if (!losses->warned_others)
    GST_ELEMENT_WARNING (element, STREAM, FORMAT,
        ("%s, so it is left out; leave size and PixelFormat of the camera as "
         "they are while it runs, or start again.",
            reason),
        (NULL));
  losses->warned_others = TRUE;
}
