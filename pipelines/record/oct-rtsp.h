/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * An RTSP server for H.264 that passes a pad: all viewers get the same video,
 * encoded once (by TCP), and one that does not take it holds up nobody else.
 */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct _OctRtsp OctRtsp;

/* Listens at address:port (0 = any free one) for the path /oct; `password`: of
 * the user "oct", or NULL.  NULL with an error of one sentence. */
OctRtsp *oct_rtsp_new (GstPad *pad, const char *address, guint port,
    const char *password, GError **error);

/* Belongs to the server. */
const char *oct_rtsp_get_url (const OctRtsp *rtsp);

void oct_rtsp_free (OctRtsp *rtsp);

G_END_DECLS
