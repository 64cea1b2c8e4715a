/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-live-source.h"
#include "oct-launch.h"
#include "oct-live-virtual.h"
#include "oct-scanner.h"

/* Adds the user's part, whose description may end in caps; images that come
 * sooner than their time stamps say wait for their time. */
static GstElement *
add_users_part (GstBin *pipeline, const char *description, const char *option,
    GError **error)
{
  g_autofree char *timed = g_strconcat (description, " ! clocksync", NULL);
  g_autoptr (GError) reason = NULL;
  GstElement *part = oct_launch_add_part (pipeline, timed, &reason);

  if (part == NULL)
    g_set_error (error, GST_CORE_ERROR, GST_CORE_ERROR_FAILED,
        "%s \"%s\" is not a valid pipeline: %s.", option, description,
        reason->message);
  return part;
}

/* Its program may be away for a moment, as the source is tried again then. */
static GstElement *
add_digitizer (const OctLiveSource *source, GstBin *pipeline,
    OctDigitizerRing *ring, GError **error)
{
  g_autofree char *line = NULL;

  if (!oct_digitizer_look (source->digitizer, 0, ring, error))
    return NULL;
  if (source->spectra != NULL && !ring->is_raw) {
    g_set_error_literal (error, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
        "--keep-memory takes samples of 8 or 16 bits as they were measured, "
        "which this digitizer does not deliver; leave it out.");
    return NULL;
  }
  line = oct_digitizer_describe (source->digitizer, ring, source->scan_file);
  return oct_launch_add_own_part (pipeline, line, error);
}

static const char *
describe_octsrc (const OctLiveSource *source)
{
  if (source->file->data != NULL)
    return "octsrc name=octsrc loop=true ! clocksync";
  return source->scan_file != NULL
             ? oct_live_virtual_describe (FALSE, source->scan_bscans)
             : oct_live_virtual_describe (source->flow, source->bscans);
}

/* As the file says itself, if nobody else does. */
static void
set_scan (GstElement *octsrc, const OctLiveSource *source)
{
  if (source->bscans > 0)
    g_object_set (octsrc, "bscans", source->bscans, NULL);
  if (source->repeats > 0)
    g_object_set (octsrc, "repeats", source->repeats, NULL);
}

static GstElement *
add_octsrc (const OctLiveSource *source, GstBin *pipeline, GError **error)
{
  GstElement *part =
      oct_launch_add_own_part (pipeline, describe_octsrc (source), error);
  g_autoptr (GstElement) octsrc = NULL;

  if (part == NULL)
    return NULL;
  octsrc = gst_bin_get_by_name (GST_BIN (part), "octsrc");
  if (source->file->data != NULL) {
    oct_source_options_set (source->file, octsrc);
    g_object_set (octsrc, "line-rate", source->line_rate, NULL);
    set_scan (octsrc, source);
  } else if (source->scan_file != NULL) {
    oct_live_virtual_follow (octsrc, source->scan_file, source->scan_lines,
        source->scan_bscans, OCT_SCANNER_VIRTUAL_RATE);
  } else {
    oct_live_virtual_set (
        octsrc, source->flow, source->bscans, source->repeats);
  }
  return part;
}

static GstElement *
live_source_make (const OctLiveSource *source, GstBin *pipeline,
    OctDigitizerRing *ring, GError **error)
{
  *ring = (OctDigitizerRing){ 0 };
  if (source->images != NULL)
    return add_users_part (pipeline, source->images, "--images", error);
  if (source->source != NULL)
    return add_users_part (pipeline, source->source, "--source", error);
  if (source->digitizer != NULL)
    return add_digitizer (source, pipeline, ring, error);
  return add_octsrc (source, pipeline, error);
}

static void
live_source_connect (const OctLiveSource *source, GstElement *part)
{
  g_autoptr (GstElement) element = gst_bin_get_by_name (GST_BIN (part),
      source->digitizer != NULL ? OCT_DIGITIZER_NAME : "octsrc");
  g_autoptr (GstPad) pad = gst_element_get_static_pad (part, "src");

  if (source->scanner != NULL && element != NULL)
    oct_scanner_set_source (
        source->scanner, element, source->digitizer != NULL);
  if (source->track != NULL && pad != NULL)
    oct_live_track_watch (source->track, pad);
}

static gboolean
is_like_file (GstElement *source)
{
  static const GstFormat formats[] = { GST_FORMAT_BYTES, GST_FORMAT_TIME,
    GST_FORMAT_DEFAULT };

  g_autoptr (GstQuery) latency = gst_query_new_latency ();
  gboolean live = FALSE;

  if (gst_element_query (source, latency))
    gst_query_parse_latency (latency, &live, NULL, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (formats) && !live; i++) {
    g_autoptr (GstQuery) query = gst_query_new_seeking (formats[i]);
    gboolean seekable = FALSE;

    if (!gst_element_query (source, query))
      continue;
    gst_query_parse_seeking (query, NULL, &seekable, NULL, NULL);
    if (seekable)
      return TRUE;
  }
  return FALSE;
}

gboolean
oct_live_source_is_file (GstBin *pipeline)
{
  GstIterator *sources = gst_bin_iterate_recurse (pipeline);
  GValue item = G_VALUE_INIT;
  gboolean found = FALSE;

  while (!found && gst_iterator_next (sources, &item) == GST_ITERATOR_OK) {
    GstElement *element = g_value_get_object (&item);

    found = GST_OBJECT_FLAG_IS_SET (element, GST_ELEMENT_FLAG_SOURCE)
            && !GST_IS_BIN (element) && is_like_file (element);
    g_value_reset (&item);
  }
  g_value_unset (&item);
  gst_iterator_free (sources);
  return found;
}

GstElement *
oct_live_source_add (const OctLiveSource *source, GstBin *pipeline,
    OctDigitizerRing *ring, GError **error)
{
  GstElement *part = live_source_make (source, pipeline, ring, error);

  if (part != NULL && source->images == NULL)
    live_source_connect (source, part);
  return part;
}
