/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstoctplaces.h"
#include "gstoctcaps.h"
#include "gstoctfilter.h"
#include "gstoctrepeats.h"

void
gst_oct_places_forget (GstOctPlaces *places)
{
  places->has_last = FALSE;
  places->begin = GST_CLOCK_TIME_NONE;
  gst_clear_buffer (&places->held);
}

/* ------------------------------------------------------------------- results
 */

static GstFlowReturn
places_send_held (GstOctPlaces *places, GstBaseTransform *trans)
{
  GstBuffer *buffer = g_steal_pointer (&places->held);

  if (buffer == NULL)
    return GST_FLOW_OK;
  places->incomplete++;
  GST_DEBUG_OBJECT (
      trans, "a place has lost B-scans, %u so far", places->incomplete);
  buffer = gst_buffer_make_writable (buffer);
  gst_oct_repeats_stamp (buffer, places->begin, places->repeats);
  return gst_pad_push (GST_BASE_TRANSFORM_SRC_PAD (trans), buffer);
}

static void
places_get (const GstOctPlaces *places, const GstOctScanPosition *position,
    guint *place, guint *repeat)
{
  gst_oct_scan_position_get_place (
      position, 0, MAX (1, places->repeats), place, repeat);
}

/* Whether a B-scan does not follow the last one at its place. */
static gboolean
places_begin_with (
    const GstOctPlaces *places, const GstOctScanPosition *position)
{
  guint place, repeat, last_place, last_repeat;

  places_get (places, position, &place, &repeat);
  places_get (places, &places->last, &last_place, &last_repeat);
  return position->volume != places->last.volume || place != last_place
         || repeat <= last_repeat;
}

gboolean
gst_oct_places_take (GstOctPlaces *places, GstBaseTransform *trans,
    GstBuffer *buffer, GstFlowReturn *ret)
{
  GstOctScanPosition position;
  gboolean has_place = gst_oct_scan_meta_get (buffer, &position)
                       && (position.bscans > 1 || position.has_place);
  gboolean is_new =
      has_place && places->has_last && places_begin_with (places, &position);

  *ret = is_new ? places_send_held (places, trans) : GST_FLOW_OK;
  if (is_new)
    gst_oct_filter_forget (GST_OCT_FILTER (trans));
  places->has_last = has_place;
  if (has_place)
    places->last = position;
  return is_new;
}

/* Whether the last B-scan is the last one of its place. */
static gboolean
places_are_complete (const GstOctPlaces *places)
{
  guint place, repeat;

  if (!places->has_last)
    return FALSE;
  places_get (places, &places->last, &place, &repeat);
  return repeat + 1 == places->repeats;
}

GstFlowReturn
gst_oct_places_finish (
    GstOctPlaces *places, GstBuffer *in, GstBuffer *out, guint count)
{
  if (places->repeats < 2)
    return GST_FLOW_OK;
  if (count == 1)
    places->begin = GST_BUFFER_PTS (in);
  gst_clear_buffer (&places->held);
  if (count < places->repeats && !places_are_complete (places)) {
    places->held = gst_buffer_ref (out);
    return GST_BASE_TRANSFORM_FLOW_DROPPED;
  }
  places->incomplete += count < places->repeats;
  gst_oct_repeats_stamp (out, places->begin, places->repeats);
  return GST_FLOW_OK;
}

void
gst_oct_places_event (
    GstOctPlaces *places, GstBaseTransform *trans, GstEvent *event)
{
  if (GST_EVENT_TYPE (event) == GST_EVENT_EOS)
    (void)places_send_held (places, trans);
  if (GST_EVENT_TYPE (event) != GST_EVENT_FLUSH_STOP
      && GST_EVENT_TYPE (event) != GST_EVENT_SEGMENT)
    return;
  gst_oct_places_forget (places);
  gst_oct_filter_forget (GST_OCT_FILTER (trans));
}

/* ---------------------------------------------------------------------- caps
 */

static void
places_copy_depths (const GstStructure *from, GstStructure *to)
{
  gst_oct_structure_copy_field (from, "z-spacing", to, "z-spacing");
  gst_oct_structure_copy_field (
      from, GST_OCT_DEPTH_START_FIELD, to, GST_OCT_DEPTH_START_FIELD);
}

GstStructure *
gst_oct_places_make_images (
    const GstStructure *ascans, const char *formats, gboolean is_grey)
{
  GstStructure *to =
      gst_oct_video_structure (formats, ascans, "lines", "samples");

  places_copy_depths (ascans, to);
  if (is_grey)
    gst_structure_set (
        to, "colorimetry", G_TYPE_STRING, GST_OCT_FULL_RANGE, NULL);
  if (gst_structure_has_field (ascans, GST_OCT_BSCANS_FIELD))
    gst_structure_set (to, GST_OCT_BSCANS_FIELD, G_TYPE_INT, 1, NULL);
  return to;
}

GstStructure *
gst_oct_places_make_values (
    const GstStructure *ascans, const char *quantity, const char *unit)
{
  GstStructure *to = gst_structure_from_string (GST_OCT_CAPS_VALUES, NULL);

  gst_oct_structure_copy_field (ascans, "samples", to, "samples");
  gst_oct_structure_copy_field (ascans, "lines", to, "lines");
  gst_oct_structure_copy_field (
      ascans, GST_OCT_BSCANS_FIELD, to, GST_OCT_BSCANS_FIELD);
  gst_oct_structure_copy_scan (ascans, to);
  places_copy_depths (ascans, to);
  gst_structure_set (to, GST_OCT_QUANTITY_FIELD, G_TYPE_STRING, quantity,
      GST_OCT_UNIT_FIELD, G_TYPE_STRING, unit, NULL);
  return to;
}

GstStructure *
gst_oct_places_make_ascans (const GstStructure *from)
{
  GstStructure *to = gst_structure_from_string (GST_OCT_CAPS_ASCANS, NULL);
  gboolean is_video = gst_structure_has_name (from, "video/x-raw");

  gst_oct_structure_copy_field (
      from, is_video ? "height" : "samples", to, "samples");
  gst_oct_structure_copy_field (
      from, is_video ? "width" : "lines", to, "lines");
  if (!is_video)
    gst_oct_structure_copy_field (
        from, GST_OCT_BSCANS_FIELD, to, GST_OCT_BSCANS_FIELD);
  gst_oct_structure_copy_scan (from, to);
  return to;
}
