/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-live-message.h"

#include <gio/gio.h>
#include <gst/sdp/gstsdpmessage.h>
#include <string.h>

#define MAX_ATTRIBUTES 100
#define PAYLOAD "96" /* the one that oct-live-viewer.c offers */

static gboolean
answer_refuse (GError **error, const char *reason)
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
    return answer_refuse (error, "it is not about encrypted video");
  if (gst_sdp_media_get_port (media) == 0
      || gst_sdp_media_formats_len (media) < 1
      || !g_str_equal (gst_sdp_media_get_format (media, 0), PAYLOAD))
    return answer_refuse (error, "the browser does not take H.264");
  if (gst_sdp_media_attributes_len (media) > MAX_ATTRIBUTES
      || gst_sdp_message_attributes_len (message) > MAX_ATTRIBUTES)
    return answer_refuse (error, "it is too long");
  map = gst_sdp_media_get_attribute_val (media, "rtpmap");
  if (map == NULL || g_ascii_strcasecmp (map, PAYLOAD " H264/90000") != 0)
    return answer_refuse (error, "the browser does not take H.264");
  if (!is_made_of (gst_sdp_media_get_attribute_val (media, "mid"), 1, 32, "-"))
    return answer_refuse (error, "it does not name the stream");
  if (gst_sdp_media_get_attribute_val (media, "recvonly") == NULL)
    return answer_refuse (error, "the browser does not want to receive");
  setup = get_attribute (message, "setup");
  if (g_strcmp0 (setup, "active") != 0 && g_strcmp0 (setup, "passive") != 0)
    return answer_refuse (error, "it does not say who begins");
  return TRUE;
}

/* RFC 8839: ufrag of 4 and password of 22 ice-chars at least; RFC 8122. */
static gboolean
check_keys (const GstSDPMessage *message, GError **error)
{
  const char *print = get_attribute (message, "fingerprint");

  if (!is_made_of (get_attribute (message, "ice-ufrag"), 4, 256, "+/")
      || !is_made_of (get_attribute (message, "ice-pwd"), 22, 256, "+/"))
    return answer_refuse (error, "it has no password for the connection");
  if (print == NULL || g_ascii_strncasecmp (print, "sha-256 ", 8) != 0
      || !is_made_of (print + 8, 95, 95, ":"))
    return answer_refuse (error, "it has no fingerprint of the browser's key");
  return TRUE;
}

/* ------------------------------------------------------------------ candidates
 */

/* The next word of a line, which it ends; NULL at the end. */
static char *
next_word (char **line)
{
  char *word = *line, *end;

  if (word == NULL)
    return NULL;
  end = strchr (word, ' ');
  *line = end != NULL ? end + 1 : NULL;
  if (end != NULL)
    *end = '\0';
  return word;
}

/* Digits alone, without a sign or a space. */
static gboolean
answer_is_number (const char *text, guint64 least, guint64 most)
{
  gsize length = text != NULL ? strlen (text) : 0;
  guint64 value;

  if (length < 1 || length > 10 || strspn (text, "0123456789") != length)
    return FALSE;
  value = g_ascii_strtoull (text, NULL, 10);
  return value >= least && value <= most;
}

static gboolean
is_one_of (const char *text, const char *const *words)
{
  for (; text != NULL && *words != NULL; words++)
    if (g_ascii_strcasecmp (text, *words) == 0)
      return TRUE;
  return FALSE;
}

/* An IP address, or the name with which a browser hides it (mDNS). */
static gboolean
is_address (const char *text)
{
  gsize length = text != NULL ? strlen (text) : 0;

  if (length == 0 || length > 253)
    return FALSE;
  return g_hostname_is_ip_address (text)
         || (g_str_has_suffix (text, ".local")
             && is_made_of (text, 7, 253, "-."));
}

/* After the type: checks pairs of words that we know, ignores others. */
static gboolean
check_extensions (char *rest)
{
  static const char *const tcp_types[] = { "active", "passive", "so", NULL };
  char *name, *value;

  while ((name = next_word (&rest)) != NULL) {
    value = next_word (&rest);
    if (value == NULL || *name == '\0' || *value == '\0')
      return FALSE;
    if ((g_str_equal (name, "raddr") && !is_address (value))
        || (g_str_equal (name, "rport") && !answer_is_number (value, 0, 65535))
        || (g_str_equal (name, "tcptype") && !is_one_of (value, tcp_types))
        || (g_str_equal (name, "generation")
            && !answer_is_number (value, 0, G_MAXUINT32))
        || (g_str_equal (name, "ufrag") && !is_made_of (value, 4, 256, "+/"))
        || (g_str_equal (name, "network-id")
            && !answer_is_number (value, 0, G_MAXUINT16))
        || (g_str_equal (name, "network-cost")
            && !answer_is_number (value, 0, G_MAXUINT16)))
      return FALSE;
  }
  return TRUE;
}

gboolean
oct_live_candidate_check (const char *line)
{
  static const char *const transports[] = { "udp", "tcp", NULL };
  static const char *const types[] = { "host", "srflx", "prflx", "relay",
    NULL };
  g_autofree char *copy = NULL;
  char *rest;

  if (!g_str_has_prefix (line, "candidate:"))
    return FALSE;
  rest = copy = g_strdup (line + strlen ("candidate:"));
  /* foundation, component, transport, priority, address, port, "typ", type */
  return is_made_of (next_word (&rest), 1, 32, "+/")
         && answer_is_number (next_word (&rest), 1, 256)
         && is_one_of (next_word (&rest), transports)
         && answer_is_number (next_word (&rest), 1, G_MAXINT32)
         && is_address (next_word (&rest))
         && answer_is_number (next_word (&rest), 1, 65535)
         && g_strcmp0 (next_word (&rest), "typ") == 0
         && is_one_of (next_word (&rest), types) && check_extensions (rest);
}

gboolean
oct_live_candidate_is_usable (const char *line)
{
  g_auto (GStrv) words = NULL;

  if (!oct_live_candidate_check (line))
    return FALSE;
  /* foundation, component, transport, priority, address */
  words = g_strsplit (line, " ", 6);
  return answer_is_number (words[1], 1, 1)
         && g_hostname_is_ip_address (words[4]);
}

/* An answer may bring candidates along. */
static gboolean
check_candidates (const GstSDPMessage *message, GError **error)
{
  const GstSDPMedia *media = gst_sdp_message_get_media (message, 0);

  for (guint i = 0; i < gst_sdp_media_attributes_len (media); i++) {
    const GstSDPAttribute *attribute = gst_sdp_media_get_attribute (media, i);
    g_autofree char *line = g_strconcat (
        "candidate:", attribute->value != NULL ? attribute->value : "", NULL);

    if (g_strcmp0 (attribute->key, "candidate") == 0
        && !oct_live_candidate_check (line))
      return answer_refuse (error, "it names an address in a wrong way");
  }
  return gst_sdp_message_get_attribute_val (message, "candidate") == NULL
         || answer_refuse (error, "it names an address in a wrong place");
}

/* The attributes that GStreamer's WebRTC needs in an answer to our offer. */
static const char *const needed[] = { "candidate", "end-of-candidates",
  "fingerprint", "fmtp", "group", "ice-options", "ice-pwd", "ice-ufrag", "mid",
  "msid-semantic", "recvonly", "rtcp", "rtcp-fb", "rtcp-mux", "rtcp-rsize",
  "rtpmap", "setup", NULL };

static gboolean
is_needed (const GstSDPAttribute *attribute)
{
  g_autofree char *line = g_strconcat ("candidate:", attribute->value, NULL);

  return is_one_of (attribute->key, needed)
         && (g_strcmp0 (attribute->key, "candidate") != 0
             || oct_live_candidate_is_usable (line));
}

/* Removes everything else, which the libraries need not see. */
static char *
answer_reduce (GstSDPMessage *message)
{
  GstSDPMedia *media = (GstSDPMedia *)gst_sdp_message_get_media (message, 0);

  for (guint i = gst_sdp_media_attributes_len (media); i-- > 0;)
    if (!is_needed (gst_sdp_media_get_attribute (media, i)))
      gst_sdp_media_remove_attribute (media, i);
  for (guint i = gst_sdp_message_attributes_len (message); i-- > 0;)
    if (!is_needed (gst_sdp_message_get_attribute (message, i)))
      gst_sdp_message_remove_attribute (message, i);
  return gst_sdp_message_as_text (message);
}

char *
oct_live_answer_take (const char *sdp, GError **error)
{
  GstSDPMessage *message = NULL;
  char *taken = NULL;

  if (!g_str_has_prefix (sdp, "v=0")
      || gst_sdp_message_new_from_text (sdp, &message) != GST_SDP_OK) {
    answer_refuse (error, "it is not a session description");
    return NULL;
  }
  if (gst_sdp_message_medias_len (message) != 1)
    answer_refuse (error, "it is not about one stream");
  else if (check_media (message, error) && check_keys (message, error)
           && check_candidates (message, error))
    taken = answer_reduce (message);
  gst_sdp_message_free (message);
  return taken;
}
