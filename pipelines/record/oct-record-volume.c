/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-record-volume.h"

#include <math.h>

#define MOST_BSCANS 8192
#define MOST_UM 1e6
#define MOST_TURN 3600.0

/* One volume per second, as large as the phantom is. */
#define VIRTUAL_BSCANS 64
#define VIRTUAL_WIDTH_UM 3800.0
#define VIRTUAL_LENGTH_UM 3200.0

/* B-scans that there is no time for are missing in a volume, which keeps the
 * previous ones.  One range of grey levels for all B-scans.  Films have 25
 * pictures per second, as players expect it, however often volumes come. */
#define BRANCH                                                                 \
  "ascans. ! queue leaky=downstream max-size-buffers=32 max-size-bytes=0 "     \
  "max-size-time=0 ! octlogscale name=volume-grey range=contrast "             \
  "range-smoothing=0.99 ! octvolume name=volume mode=once "                    \
  "pitch=34 zoom=0.9 max-render-time=200 ! video/x-raw,framerate=25/1 ! "      \
  "videorate skip-to-first=true ! videoconvert ! "                             \
  "video/x-raw,format=I420,colorimetry=bt709,framerate=25/1 ! "                \
  "capsfilter name=film ! fakesink sync=false async=false"

const char *
oct_record_volume_check (const OctRecordVolume *volume, gboolean scans)
{
  if (scans && (volume->width_um != 0.0 || volume->length_um != 0.0))
    return "--scan has its size from --size-um; leave out --width-um and "
           "--length-um.";
  if (!volume->wanted
      && ((volume->bscans != 0 && !scans) || volume->width_um != 0.0
          || volume->length_um != 0.0 || volume->turn_rate != 0.0))
    return "--bscans, --width-um, --length-um and --turn-rate describe the "
           "film "
           "of --volume.";
  if (volume->bscans < 0 || volume->bscans > MOST_BSCANS || volume->bscans == 1)
    return "--bscans is the number of B-scans in a volume, 2 to 8192.";
  if (!(volume->width_um >= 0.0 && volume->width_um <= MOST_UM)
      || !(volume->length_um >= 0.0 && volume->length_um <= MOST_UM))
    return "--width-um and --length-um are sizes of a volume in micrometres, "
           "up "
           "to 1000000.";
  if (!(fabs (volume->turn_rate) <= MOST_TURN))
    return "--turn-rate is in degrees per second, up to 3600.";
  return NULL;
}

const char *
oct_record_volume_describe (void)
{
  return BRANCH;
}

/* Spacings follow from sizes once caps say how many A-lines there are. */
typedef struct {
  double width, length; /* metres, 0 = not known */
  gint bscans;
  gint lines, depths; /* of the B-scans that come; 0: none yet */
} Sizes;

/* A digitizer can be started again with others. */
static void
sizes_take (Sizes *sizes, gint lines, gint depths)
{
  if (sizes->lines > 0 && (lines != sizes->lines || depths != sizes->depths))
    g_printerr ("Note: B-scans have %d A-lines and %d depths now, and had %d "
                "and %d before; the film of --volume goes on with them.\n",
        lines, depths, sizes->lines, sizes->depths);
  sizes->lines = lines;
  sizes->depths = depths;
}

static GstPadProbeReturn
on_event (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  GstEvent *event = GST_PAD_PROBE_INFO_EVENT (info);
  g_autoptr (GstElement) element = gst_pad_get_parent_element (pad);
  Sizes *sizes = data;
  GstCaps *caps;
  gint lines = 0, depths = 0;

  if (GST_EVENT_TYPE (event) != GST_EVENT_CAPS || element == NULL)
    return GST_PAD_PROBE_OK;
  gst_event_parse_caps (event, &caps);
  gst_structure_get (gst_caps_get_structure (caps, 0), "width", G_TYPE_INT,
      &lines, "height", G_TYPE_INT, &depths, NULL);
  sizes_take (sizes, lines, depths);
  if (sizes->width > 0.0 && lines > 0)
    g_object_set (element, "x-spacing", sizes->width / lines, NULL);
  if (sizes->length > 0.0 && sizes->bscans > 1)
    g_object_set (
        element, "y-spacing", sizes->length / (sizes->bscans - 1), NULL);
  return GST_PAD_PROBE_OK;
}

void
oct_record_volume_set_up (const OctRecordVolume *volume, GstElement *pipeline,
    gboolean virtual_system)
{
  g_autoptr (GstElement) octsrc =
      gst_bin_get_by_name (GST_BIN (pipeline), "octsrc");
  g_autoptr (GstElement) film =
      gst_bin_get_by_name (GST_BIN (pipeline), "volume");
  g_autoptr (GstPad) pad = gst_element_get_static_pad (film, "sink");
  Sizes *sizes = g_new (Sizes, 1);

  *sizes = (Sizes){ .width = volume->width_um * 1e-6,
    .length = volume->length_um * 1e-6,
    .bscans = volume->bscans };
  if (virtual_system) {
    gst_util_set_object_arg (G_OBJECT (octsrc), "phantom", "surgery");
    if (sizes->bscans == 0)
      sizes->bscans = VIRTUAL_BSCANS;
    if (volume->width_um == 0.0)
      sizes->width = VIRTUAL_WIDTH_UM * 1e-6;
    if (volume->length_um == 0.0)
      sizes->length = VIRTUAL_LENGTH_UM * 1e-6;
  }
  if (octsrc != NULL && sizes->bscans > 0)
    g_object_set (octsrc, "bscans", sizes->bscans, NULL);
  g_object_set (
      film, "bscans", sizes->bscans, "turn-rate", volume->turn_rate, NULL);
  gst_pad_add_probe (
      pad, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, on_event, sizes, g_free);
}

GstPad *
oct_record_volume_get_film (GstElement *pipeline)
{
  return oct_launch_get_pad (pipeline, "film", "src");
}
