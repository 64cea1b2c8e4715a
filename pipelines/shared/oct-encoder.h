/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The H.264 encoder that this machine uses: one on the GPU if it works, else
 * x264 on the processor.
 */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct {
  guint bitrate;      /* kbit/s on average, 0 = 8000 */
  guint key_distance; /* frames from one key frame to the next, 0 = those of a
                         third of a second */
  gboolean low_delay; /* for live viewers: the bitrate holds over 0.2 s, not
                         over 2 s as in files */
} OctEncoderSettings;

/* A bin with the first encoder that is installed and gets as far as READY,
 * which one on the GPU does only if there is a GPU: nvh264enc, else x264enc;
 * and the elements that it needs around it: video/x-raw of
 * any format and size in system memory goes in (GRAY8, GRAY16_LE, I420, ...;
 * an odd width or height loses its last column or row, as H.264 needs even
 * ones), H.264 comes out of h264parse, parameter sets before every key frame.
 * The encoder holds no frame back.
 * `name`: of the encoder, for the caller's log, may be NULL; static.
 * A floating reference, NULL with an error. */
GstElement *oct_encoder_new (
    const OctEncoderSettings *settings, const char **name, GError **error);

G_END_DECLS
