/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-live-message.h"

#include <gst/sdp/gstsdpmessage.h>
#include <string.h>

#define MAX_ATTRIBUTES 100
#define PAYLOAD "96" /* what oct-live-viewer.c offers */

static gboolean
refuse (GError **error, const char *reason)
{
  g_set_error (error, g_quark_from_static_string ("oct-live-answer"), 0,
      "The browser's answer cannot be used: %s.", reason);
  return FALSE;
}

/* Looks in the media, then in the whole session. */
static const char *
get_attribute (const GstSDPMessage *message, const char *name)
{
  const GstSDPMedia *media = gst_sdp_message_get_media (message, 0);
  const char *value = gst_sdp_media_get_attribute_val (media, name);

  return value != NULL ? value
                       : gst_sdp_message_get_attribute_val (message, name);
}

static gboolean
is_made_of (const char *text, gsize shortest, gsize longest, const char *extra)
{
  gsize length = text != NULL ? strlen (text) : 0;

  if (length < shortest || length > longest)
    return FALSE;
  for (; *text; text++)
    if (!g_ascii_isalnum (*text) && strchr (extra, *text) == NULL)
      return FALSE;
  return TRUE;
}

static gboolean
check_media (const GstSDPMessage *message, GError **error)
{
  const GstSDPMedia *media = gst_sdp_message_get_media (message, 0);
  const char *map, *setup;

  if (g_strcmp0 (gst_sdp_media_get_media (media), "video") != 0
      || g_strcmp0 (gst_sdp_media_get_proto (media), "UDP/TLS/RTP/SAVPF") != 0)
    return refuse (error, "it is not about encrypted video");
  if (gst_sdp_media_get_port (media) == 0
      || gst_sdp_media_formats_len (media) < 1
      || !g_str_equal (gst_sdp_media_get_format (media, 0), PAYLOAD))
    return refuse (error, "the browser does not take H.264");
  if (gst_sdp_media_attributes_len (media) > MAX_ATTRIBUTES
      || gst_sdp_message_attributes_len (message) > MAX_ATTRIBUTES)
    return refuse (error, "it is too long");
  map = gst_sdp_media_get_attribute_val (media, "rtpmap");
  if (map == NULL || g_ascii_strcasecmp (map, PAYLOAD " H264/90000") != 0)
    return refuse (error, "the browser does not take H.264");
  if (!is_made_of (gst_sdp_media_get_attribute_val (media, "mid"), 1, 32, "-"))
    return refuse (error, "it does not name the stream");
  if (gst_sdp_media_get_attribute_val (media, "recvonly") == NULL)
    return refuse (error, "the browser does not want to receive");
  setup = get_attribute (message, "setup");
  if (g_strcmp0 (setup, "active") != 0 && g_strcmp0 (setup, "passive") != 0)
    return refuse (error, "it does not say who begins");
  return TRUE;
}

/* RFC 8839: ufrag of 4 and password of 22 ice-chars at least; RFC 8122. */
static gboolean
check_keys (const GstSDPMessage *message, GError **error)
{
  const char *print = get_attribute (message, "fingerprint");

  if (!is_made_of (get_attribute (message, "ice-ufrag"), 4, 256, "+/")
      || !is_made_of (get_attribute (message, "ice-pwd"), 22, 256, "+/"))
    return refuse (error, "it has no password for the connection");
  if (print == NULL || g_ascii_strncasecmp (print, "sha-256 ", 8) != 0
      || !is_made_of (print + 8, 95, 95, ":"))
    return refuse (error, "it has no fingerprint of the browser's key");
  return TRUE;
}

gboolean
oct_live_answer_check (const char *sdp, GError **error)
{
  GstSDPMessage *message = NULL;
  gboolean ok;

  if (!g_str_has_prefix (sdp, "v=0"))
    return refuse (error, "it is no session description");
  if (gst_sdp_message_new_from_text (sdp, &message) != GST_SDP_OK)
    return refuse (error, "it is no session description");
  if (gst_sdp_message_medias_len (message) != 1)
    ok = refuse (error, "it is not about one stream");
  else
    ok = check_media (message, error) && check_keys (message, error);
  gst_sdp_message_free (message);
  return ok;
}
