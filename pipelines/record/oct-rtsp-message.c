/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-rtsp-message.h"

#include "oct-head.h"

#include <string.h>

#define MAX_LINES 40
#define MAX_TARGET 1024
#define MAX_DIGITS 5
#define PACKET                                                                 \
  '$' /* RFC 2326, 10.12: then the channel and two bytes of length */
#define PACKET_HEAD 4

#define BAD_REQUEST 400
#define METHOD_NOT_ALLOWED 405
#define TOO_LARGE 413
#define URI_TOO_LONG 414
#define VERSION_NOT_SUPPORTED 505

typedef struct {
  guint status;
  gboolean has_length;
  gsize body;
} Request;

static gboolean
rtsp_refuse (Request *request, guint status)
{
  request->status = status;
  return FALSE;
}

static gboolean
rtsp_take_request (
    const char *method, const char *target, const char *version, gpointer data)
{
  static const char *const methods[] = { "OPTIONS", "DESCRIBE", "SETUP", "PLAY",
    "PAUSE", "TEARDOWN", "GET_PARAMETER", "SET_PARAMETER", NULL };

  if (!g_str_equal (version, "RTSP/1.0"))
    return rtsp_refuse (data, VERSION_NOT_SUPPORTED);
  if (!g_strv_contains (methods, method))
    return rtsp_refuse (data, METHOD_NOT_ALLOWED);
  if (strlen (target) > MAX_TARGET)
    return rtsp_refuse (data, URI_TOO_LONG);
  if (*target == '\0')
    return rtsp_refuse (data, BAD_REQUEST);
  for (const char *c = target; *c; c++)
    if (!g_ascii_isgraph (*c))
      return rtsp_refuse (data, BAD_REQUEST);
  return TRUE;
}

/* Two lengths, or one with a sign, may be read in two ways. */
static gboolean
take_length (Request *request, const char *value)
{
  gsize digits = strspn (value, "0123456789");

  if (request->has_length || digits == 0 || value[digits] != '\0')
    return rtsp_refuse (request, BAD_REQUEST);
  request->has_length = TRUE;
  request->body = digits <= MAX_DIGITS ? g_ascii_strtoull (value, NULL, 10)
                                       : OCT_RTSP_MAX_BODY + 1;
  return request->body <= OCT_RTSP_MAX_BODY || rtsp_refuse (request, TOO_LARGE);
}

static gboolean
rtsp_take_header (const char *name, const char *value, gpointer data)
{
  if (g_ascii_strcasecmp (name, "Content-Length") == 0)
    return take_length (data, value);
  if (g_ascii_strcasecmp (name, "Transfer-Encoding") == 0)
    return rtsp_refuse (data, BAD_REQUEST);
  return TRUE;
}

static OctRtspMessage
check_packet (const guint8 *bytes, gsize length)
{
  gsize size = length >= PACKET_HEAD ? (gsize)bytes[2] << 8 | bytes[3] : 0;

  if (size > OCT_RTSP_MAX_PACKET)
    return (OctRtspMessage){ .status = TOO_LARGE };
  if (length < PACKET_HEAD || length < PACKET_HEAD + size)
    return (OctRtspMessage){ 0 };
  return (OctRtspMessage){ .length = PACKET_HEAD + size };
}

static OctRtspMessage
check_request (const guint8 *bytes, gsize length)
{
  static const OctHeadReader reader = { rtsp_take_request, rtsp_take_header };
  char head[OCT_RTSP_MAX_HEAD + 1];
  Request request = { 0 };
  OctHeadResult result;
  gsize end;

  end =
      oct_head_find_end ((const char *)bytes, MIN (length, OCT_RTSP_MAX_HEAD));
  if (end == 0)
    return (OctRtspMessage){ .status =
                                 length >= OCT_RTSP_MAX_HEAD ? TOO_LARGE : 0 };
  memcpy (head, bytes, end);
  head[end] = '\0';
  result = oct_head_read (head, end, MAX_LINES, &reader, &request);
  if (result == OCT_HEAD_MALFORMED)
    request.status = BAD_REQUEST;
  else if (result == OCT_HEAD_TOO_LONG)
    request.status = TOO_LARGE;
  if (request.status != 0 || length < end + request.body)
    return (OctRtspMessage){ .status = request.status };
  return (OctRtspMessage){ .length = end + request.body };
}

/* Clients may send an empty line after a body, which no server shall take for a
 * request (RFC 2326, 4; RFC 2616, 4.1).  The library does. */
static gsize
count_empty (const guint8 *bytes, gsize length)
{
  gsize empty = 0;

  while (empty < 2 * OCT_RTSP_MAX_EMPTY && empty + 2 <= length
         && bytes[empty] == '\r' && bytes[empty + 1] == '\n')
    empty += 2;
  return empty;
}

OctRtspMessage
oct_rtsp_message_check (const guint8 *bytes, gsize length)
{
  gsize empty = count_empty (bytes, length);
  OctRtspMessage message;

  bytes += empty;
  length -= empty;
  message = length > 0 && bytes[0] == PACKET ? check_packet (bytes, length)
                                             : check_request (bytes, length);
  if (message.length > 0)
    message.empty = empty;
  return message;
}
