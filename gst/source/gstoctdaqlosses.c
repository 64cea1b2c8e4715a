/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstoctdaqlosses.h"
#include "gstoctbus.h"

#define TELL_TIME G_TIME_SPAN_SECOND

static void
daq_warn_of_losses (
    GstOctDaqLosses *losses, GstElement *element, const GstOctDaqCounters *now)
{
  if (now->overrun > 0 && !losses->warned_overrun)
    GST_ELEMENT_WARNING (element, RESOURCE, READ,
        ("A-lines are lost, %" G_GUINT64_FORMAT " so far, because the elements "
         "after octdaqsrc are slower than the digitizer; make them faster, put "
         "a queue after octdaqsrc, or have the digitizer's program make a ring "
         "of more blocks, or a lossless one if it can wait.",
            now->overrun),
        (NULL));
  losses->warned_overrun |= now->overrun > 0;
  if (now->lost > now->overrun && !losses->warned_lost)
    GST_ELEMENT_WARNING (element, RESOURCE, READ,
        ("The digitizer has lost A-lines, %" G_GUINT64_FORMAT
         " so far, by the word of its program; check its trigger and the load "
         "of this computer.",
            now->lost - now->overrun),
        (NULL));
  losses->warned_lost |= now->lost > now->overrun;
}

void
gst_oct_daq_losses_tell (GstOctDaqLosses *losses, GstElement *element,
    const GstOctDaqCounters *now, gboolean last)
{
  const GstOctDaqCounters *told = &losses->told;
  gint64 time = g_get_monotonic_time ();

  if ((now->lost == told->lost && now->incomplete == told->incomplete)
      || (!last && time < losses->told_at + TELL_TIME))
    return;
  daq_warn_of_losses (losses, element, now);
  gst_oct_bus_post (element,
      gst_structure_new (GST_OCT_DAQ_LOST_MESSAGE, "lost", G_TYPE_UINT64,
          now->lost, "lost-now", G_TYPE_UINT64, now->lost - told->lost,
          "overrun", G_TYPE_UINT64, now->overrun, "incomplete", G_TYPE_UINT64,
          now->incomplete, "incomplete-now", G_TYPE_UINT64,
          now->incomplete - told->incomplete, "frames", G_TYPE_UINT64,
          now->frames, NULL));
  losses->told = *now;
  losses->told_at = time;
}
