/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The beam on the sample as pages get it: paths, losses of the last volume.
 */
#include "oct-live-json.h"
#include "oct-live-track.h"

#include <string.h>

#define LINES 8u
#define BSCANS 4u

typedef struct {
  OctLiveTrack *track;
  GstPad *pad;
  guint changed;
} Beam;

static void
beam_on_changed (gpointer data)
{
  ((Beam *)data)->changed++;
}

static GstFlowReturn
beam_swallow (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  gst_buffer_unref (buffer);
  return GST_FLOW_OK;
}

static GstBuffer *
wrap (const double *values, guint count)
{
  gsize size = count * sizeof *values;

  return gst_buffer_new_wrapped (g_memdup2 (values, size), size);
}

/* A-line i of B-scan j is at x = i mm and y = -j `step`. */
static GstEvent *
make_path (const char *pattern, double step)
{
  double x[LINES * BSCANS], y[LINES * BSCANS];
  g_autoptr (GstBuffer) x_buffer = NULL;
  g_autoptr (GstBuffer) y_buffer = NULL;

  for (guint i = 0; i < LINES * BSCANS; i++) {
    x[i] = i % LINES * 1e-3;
    y[i] = i / LINES * -step;
  }
  x_buffer = wrap (x, LINES * BSCANS);
  y_buffer = wrap (y, LINES * BSCANS);
  return gst_event_new_custom (GST_EVENT_CUSTOM_DOWNSTREAM_STICKY,
      gst_structure_new ("application/x-oct-scan-path", "lines", G_TYPE_UINT,
          LINES, "bscans", G_TYPE_UINT, BSCANS, "x", GST_TYPE_BUFFER, x_buffer,
          "y", GST_TYPE_BUFFER, y_buffer, "pattern", G_TYPE_STRING, pattern,
          NULL));
}

static void
beam_tell_path (Beam *beam, const char *pattern)
{
  gst_pad_push_event (beam->pad, make_path (pattern, 1e-3));
}

/* A B-scan without A-lines `lost` .. `end` - 1. */
static void
beam_push (Beam *beam, guint64 volume, guint bscan, guint lost, guint end)
{
  GstBuffer *buffer = gst_buffer_new ();
  GstStructure *s = gst_custom_meta_get_structure (
      gst_buffer_add_custom_meta (buffer, "GstOctScanMeta"));
  guint8 valid[LINES];
  g_autoptr (GstBuffer) bytes = NULL;

  gst_structure_set (s, "bscan", G_TYPE_UINT, bscan, "bscans", G_TYPE_UINT,
      BSCANS, "volume", G_TYPE_UINT64, volume, "count", G_TYPE_UINT, 1, NULL);
  for (guint i = 0; i < LINES; i++)
    valid[i] = i < lost || i >= end;
  bytes = gst_buffer_new_memdup (valid, sizeof valid);
  if (end > lost)
    gst_structure_set (s, "valid", GST_TYPE_BUFFER, bytes, NULL);
  g_assert_cmpint (gst_pad_push (beam->pad, buffer), ==, GST_FLOW_OK);
}

static GstPad *
make_pad (GstPad **peer)
{
  GstPad *pad = gst_object_ref_sink (gst_pad_new ("src", GST_PAD_SRC));
  GstSegment segment;

  *peer = gst_object_ref_sink (gst_pad_new ("sink", GST_PAD_SINK));
  gst_pad_set_chain_function (*peer, beam_swallow);
  gst_pad_set_active (*peer, TRUE);
  gst_pad_set_active (pad, TRUE);
  g_assert_cmpint (gst_pad_link (pad, *peer), ==, GST_PAD_LINK_OK);
  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_pad_push_event (pad, gst_event_new_stream_start ("beam"));
  gst_pad_push_event (pad, gst_event_new_segment (&segment));
  return pad;
}

/* The text of a status, to be freed. */
static char *
beam_read (Beam *beam)
{
  JsonBuilder *builder = oct_live_json_begin ("status");

  oct_live_track_add_status (beam->track, builder);
  return oct_live_json_finish (builder);
}

static void
beam_check (Beam *beam, const char *expected)
{
  g_autofree char *text = beam_read (beam);

  if (strstr (text, expected) == NULL)
    g_error ("%s is not in %s", expected, text);
}

/* Counts are of the last volume that is over, and only of B-scans that were due. */
static void
test_losses (void)
{
  Beam beam = { 0 };
  GstPad *peer;

  beam.track = oct_live_track_new (beam_on_changed, &beam);
  beam.pad = make_pad (&peer);
  oct_live_track_watch (beam.track, beam.pad);
  beam_push (&beam, 0, 0, 0, 0);
  g_assert_false (oct_live_track_has_path (beam.track));
  beam_tell_path (&beam, "raster");
  g_assert_true (oct_live_track_has_path (beam.track));
  /* it begins within a volume: B-scans before are not lost */
  beam_push (&beam, 0, 2, 0, 0);
  beam_push (&beam, 0, 3, 6, 8);
  beam_check (&beam, "\"bscan\":3,\"volume\":0,\"lost\":0,\"ranges\":[]");
  /* the end of a B-scan and the next one are one range; then all to the end */
  beam_push (&beam, 1, 0, 5, 8);
  beam_check (&beam, "\"lost\":2,\"ranges\":[30,2]");
  beam_push (&beam, 1, 2, 0, 2);
  beam_check (&beam, "\"lost\":2,\"ranges\":[30,2]");
  beam_push (&beam, 2, 1, 0, 0);
  beam_check (&beam, "\"bscan\":1,\"volume\":2,\"lost\":21,"
                     "\"ranges\":[5,13,24,8]");
  /* the first B-scan of volume 2 never came */
  beam_push (&beam, 2, 2, 0, 0);
  beam_push (&beam, 2, 3, 0, 0);
  beam_push (&beam, 3, 0, 0, 0);
  beam_check (&beam, "\"lost\":8,\"ranges\":[0,8]");
  /* another path: nothing is known of its last volume */
  beam_tell_path (&beam, "spiral");
  beam_check (&beam, "\"lost\":0,\"ranges\":[]");
  while (beam.changed < 2)
    g_main_context_iteration (NULL, TRUE);
  oct_live_track_free (beam.track);
  gst_object_unref (beam.pad);
  gst_object_unref (peer);
}

/* In micrometres; one that is not valid changes nothing. */
static void
test_path (void)
{
  Beam beam = { 0 };
  JsonBuilder *builder = oct_live_json_begin ("path");
  g_autofree char *text = NULL;
  OctLiveArea area = { 0 };
  GstPad *peer;

  beam.track = oct_live_track_new (beam_on_changed, &beam);
  beam.pad = make_pad (&peer);
  oct_live_track_watch (beam.track, beam.pad);
  g_assert_false (oct_live_track_set_area (beam.track, &area));
  beam_tell_path (&beam, "raster");
  gst_pad_push_event (
      beam.pad, gst_event_new_custom (GST_EVENT_CUSTOM_DOWNSTREAM_STICKY,
                    gst_structure_new ("application/x-oct-scan-path", "lines",
                        G_TYPE_UINT, G_MAXUINT, "bscans", G_TYPE_UINT, 3, "x",
                        G_TYPE_STRING, "no", NULL)));
  /* sources pass it on with other rounding */
  for (guint i = 0; i < 4; i++) {
    static const double steps[] = { 1e-3, 1e-3 + 1e-18, 1.001e-3, 2e-3 };
    g_autoptr (GstEvent) event = make_path ("raster", steps[i]);

    g_assert_cmpint (oct_live_track_is_on (beam.track, event), ==, i < 2);
  }
  oct_live_track_add_path (beam.track, builder);
  text = oct_live_json_finish (builder);
  g_assert_nonnull (strstr (text, "\"pattern\":\"raster\",\"lines\":8,"
                                  "\"bscans\":4,\"step\":1,\"bscanStep\":1,"
                                  "\"x\":[0,1000,2000,3000,4000,5000,6000,7000,"
                                  "0,1000,"));
  g_assert_nonnull (strstr (text, "-3000,-3000]"));
  g_assert_true (oct_live_track_set_area (beam.track, &area));
  g_assert_true (area.sized);
  g_assert_cmpfloat_with_epsilon (area.corners[2].x, 7e-3, 1e-9);
  g_assert_cmpfloat_with_epsilon (area.corners[2].y, -3e-3, 1e-9);
  oct_live_area_clear (&area);
  oct_live_track_free (beam.track);
  gst_object_unref (beam.pad);
  gst_object_unref (peer);
}

int
main (int argc, char *argv[])
{
  g_autoptr (GstPlugin) plugin = NULL;

  g_test_init (&argc, &argv, NULL);
  gst_init (&argc, &argv);
  /* has the meta */
  plugin = gst_plugin_load_by_name ("oct");
  g_assert_nonnull (plugin);
  g_test_add_func ("/live/track/losses", test_losses);
  g_test_add_func ("/live/track/path", test_path);
  return g_test_run ();
}
