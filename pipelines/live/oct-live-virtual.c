/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-live-virtual.h"

/* The virtual system: 512 depths, 30 B-scans per second, one place. */
#define VIRTUAL                                                                \
  "octsrc name=octsrc is-live=true samples=1024 lines=640 line-rate=19200 "    \
  "bscans=1"
/* Volumes of it: surgery, 120 B-scans per second. */
#define VIRTUAL_VOLUME                                                         \
  "octsrc name=octsrc is-live=true phantom=surgery samples=1024 lines=192 "    \
  "line-rate=23040"
/* Blood that flows, 24 B-scans per second.  Those of a place follow each other
 * as fast as that: the sample moves less than a patient's does. */
#define VIRTUAL_FLOW                                                           \
  "octsrc name=octsrc is-live=true phantom=flow motion=0.2 samples=1024 "      \
  "lines=256 line-rate=40000"
#define FLOW_RATE 24.0
#define FLOW_PLACES 48
#define FLOW_REPEATS 4

const char *
oct_live_virtual_describe (gboolean flow, guint bscans)
{
  if (flow)
    return VIRTUAL_FLOW;
  return bscans > 1 ? VIRTUAL_VOLUME : VIRTUAL;
}

void
oct_live_virtual_set (
    GstElement *octsrc, gboolean flow, guint bscans, guint repeats)
{
  if (flow && repeats == 0)
    repeats = FLOW_REPEATS;
  if (bscans == 0)
    bscans = (flow ? FLOW_PLACES : 1) * repeats;
  if (bscans > 0)
    g_object_set (octsrc, "bscans", bscans, NULL);
  if (repeats > 0)
    g_object_set (octsrc, "repeats", repeats, NULL);
  if (flow)
    g_object_set (octsrc, "volume-rate", FLOW_RATE / bscans, NULL);
}

void
oct_live_virtual_follow (GstElement *octsrc, const char *path, guint lines,
    guint bscans, double rate)
{
  gst_util_set_object_arg (G_OBJECT (octsrc), "phantom", "surgery");
  gst_util_set_object_arg (G_OBJECT (octsrc), "scan", "file");
  g_object_set (octsrc, "scan-file", path, "lines", lines, "bscans", bscans,
      "line-rate", rate, NULL);
}
