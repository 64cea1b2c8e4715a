/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The bytes of the extension in packets, against its description: an element of
 * one byte, 12 bits of the least and 12 of the largest delay in units of 10 ms
 * (http://www.webrtc.org/experiments/rtp-hdrext/playout-delay). */
#include "oct-live-playout.h"

#include <gst/app/gstappsink.h>
#include <gst/rtp/rtp.h>

static void
test_packets (void)
{
  static const guint8 none_to_100_ms[] = { 0x00, 0x00, 0x0a };
  g_autoptr (GError) error = NULL;
  g_autoptr (GstElement) pipeline = gst_parse_launch (
      "fakesrc num-buffers=1 format=time sizetype=fixed sizemax=5000 "
      "filltype=zero ! "
      "application/x-test ! rtpgstpay name=pay mtu=1200 ! "
      "appsink name=sink sync=false",
      &error);
  g_autoptr (GstElement) sink = NULL, pay = NULL;
  guint packets = 0;

  g_assert_no_error (error);
  sink = gst_bin_get_by_name (GST_BIN (pipeline), "sink");
  pay = gst_bin_get_by_name (GST_BIN (pipeline), "pay");
  oct_live_playout_add (pay);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  for (;;) {
    g_autoptr (GstSample) sample =
        gst_app_sink_pull_sample (GST_APP_SINK (sink));
    GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
    g_autofree char *uri = NULL;
    gpointer data;
    guint size;

    if (sample == NULL)
      break;
    gst_structure_get (gst_caps_get_structure (gst_sample_get_caps (sample), 0),
        "extmap-1", G_TYPE_STRING, &uri, NULL);
    g_assert_cmpstr (
        uri, ==, "http://www.webrtc.org/experiments/rtp-hdrext/playout-delay");
    g_assert_true (gst_rtp_buffer_map (
        gst_sample_get_buffer (sample), GST_MAP_READ, &rtp));
    g_assert_true (
        gst_rtp_buffer_get_extension_onebyte_header (&rtp, 1, 0, &data, &size));
    g_assert_cmpmem (data, size, none_to_100_ms, sizeof none_to_100_ms);
    gst_rtp_buffer_unmap (&rtp);
    packets++;
  }
  /* 5000 bytes in packets of 1200 */
  g_assert_cmpuint (packets, >=, 5);
  gst_element_set_state (pipeline, GST_STATE_NULL);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  gst_init (NULL, NULL);
  g_test_add_func ("/live-playout/packets", test_packets);
  return g_test_run ();
}
