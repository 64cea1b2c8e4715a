/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * How long a browser may keep a frame before it shows it: an extension of RTP
 * headers of WebRTC
 * (http://www.webrtc.org/experiments/rtp-hdrext/playout-delay).
 *
 * The property jitterBufferTarget of a page sets only the least delay.
 * Chromium's receiver shows a frame as soon as it is decoded if the least delay
 * is 0 and the largest is 500 ms or less, and it learns the largest from this
 * extension alone.
 */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

#define OCT_LIVE_PLAYOUT_URI                                                   \
  "http://www.webrtc.org/experiments/rtp-hdrext/playout-delay"
/* Between the extensions of one byte, 1 to 14, with which others have to agree
 * only in the description of the session. */
#define OCT_LIVE_PLAYOUT_ID 1

/* Has `payloader` (a GstRTPBasePayload) write it into each packet: no least
 * delay, and 100 ms as the largest. */
void oct_live_playout_add (GstElement *payloader);

G_END_DECLS
