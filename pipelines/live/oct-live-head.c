/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-live-head.h"

#include "oct-head.h"

#include <string.h>

#define MAX_LINES 100
#define MAX_TARGET 8192
#define MAX_HOST 260

#define BAD_REQUEST 400
#define FORBIDDEN 403
#define NOT_FOUND 404
#define METHOD_NOT_ALLOWED 405
#define TOO_LARGE 413
#define URI_TOO_LONG 414
#define EXPECTATION_FAILED 417
#define HEAD_TOO_LARGE 431

static const char not_http[] =
    "This is not a request that oct-live understands.\n";
static const char too_long[] = "The request is too long.\n";
static const char elsewhere[] = "Other sites may not use oct-live.\n";

typedef struct {
  OctLiveHead *head;
  const char *target; /* as it was sent */
  const char *host, *origin, *site;
  gboolean upgrade; /* in whatever way it is asked for */
} Request;

static gboolean
head_refuse (OctLiveHead *head, guint status, const char *sentence)
{
  head->status = status;
  head->sentence = sentence;
  return FALSE;
}

/* Whether a list of words (RFC 9110, 5.6.1) has one of them. */
static gboolean
has_word (const char *list, const char *word)
{
  g_auto (GStrv) words = g_strsplit (list, ",", -1);

  for (guint i = 0; words[i] != NULL; i++)
    if (g_ascii_strcasecmp (g_strstrip (words[i]), word) == 0)
      return TRUE;
  return FALSE;
}

/* --------------------------------------------------------------- request line
 */

/* Characters of a path and a query by RFC 3986; no NUL by its number. */
static gboolean
is_target (const char *target)
{
  if (*target != '/')
    return FALSE;
  for (const char *c = target; *c; c++) {
    if (*c == '%') {
      if (!g_ascii_isxdigit (c[1]) || !g_ascii_isxdigit (c[2])
          || (c[1] == '0' && c[2] == '0'))
        return FALSE;
    } else if (!g_ascii_isalnum (*c)
               && strchr ("-._~!$&'()*+,;=:@/?[]", *c) == NULL)
      return FALSE;
  }
  return TRUE;
}

static gboolean
take_request (
    const char *method, const char *target, const char *version, gpointer data)
{
  Request *request = data;
  OctLiveHead *head = request->head;

  if (!g_str_equal (version, "HTTP/1.1") && !g_str_equal (version, "HTTP/1.0"))
    return head_refuse (head, BAD_REQUEST, not_http);
  if (!g_str_equal (method, "GET") && !g_str_equal (method, "HEAD"))
    return head_refuse (head, METHOD_NOT_ALLOWED, "Only GET is allowed.\n");
  if (strlen (target) > MAX_TARGET)
    return head_refuse (head, URI_TOO_LONG, "The address is too long.\n");
  if (!is_target (target))
    return head_refuse (head, BAD_REQUEST, not_http);
  request->target = target;
  return TRUE;
}

/* -------------------------------------------------------------------- headers
 */

/* Browsers send each of these once; two of them may be read in two ways. */
static gboolean
head_keep (const char **where, const char *value, OctLiveHead *head)
{
  if (*where != NULL)
    return head_refuse (head, BAD_REQUEST, not_http);
  *where = value;
  return TRUE;
}

static gboolean
take_header (const char *name, const char *value, gpointer data)
{
  Request *request = data;
  OctLiveHead *head = request->head;

  if (g_ascii_strcasecmp (name, "Host") == 0)
    return head_keep (&request->host, value, head);
  if (g_ascii_strcasecmp (name, "Origin") == 0)
    return head_keep (&request->origin, value, head);
  if (g_ascii_strcasecmp (name, "Sec-Fetch-Site") == 0)
    return head_keep (&request->site, value, head);
  if ((g_ascii_strcasecmp (name, "Content-Length") == 0
          && !g_str_equal (value, "0"))
      || g_ascii_strcasecmp (name, "Transfer-Encoding") == 0)
    return head_refuse (
        head, TOO_LARGE, "A request to oct-live has nothing but its head.\n");
  if (g_ascii_strcasecmp (name, "Expect") == 0)
    return head_refuse (head, EXPECTATION_FAILED,
        "A request to oct-live has nothing but its head.\n");
  if (g_ascii_strcasecmp (name, "Upgrade") == 0
      || g_ascii_strcasecmp (name, "HTTP2-Settings") == 0
      || g_ascii_strncasecmp (name, "Sec-WebSocket-", 14) == 0
      || (g_ascii_strcasecmp (name, "Connection") == 0
          && has_word (value, "upgrade")))
    request->upgrade = TRUE;
  return TRUE;
}

/* ------------------------------------------------------------------ judgement
 */

static gboolean
head_is_host (const char *host)
{
  return *host != '\0' && strlen (host) <= MAX_HOST
         && strspn (host, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                          "0123456789.:[]-_")
                == strlen (host);
}

static gboolean
is_own_origin (const Request *request, gboolean tls)
{
  const char *scheme = tls ? "https://" : "http://";

  return request->origin != NULL && g_str_has_prefix (request->origin, scheme)
         && g_ascii_strcasecmp (
                request->origin + strlen (scheme), request->host)
                == 0;
}

static gboolean
head_judge (const Request *request, gboolean tls, OctLiveHead *head)
{
  const char *site = request->site;
  gboolean page = request->target[1] == '\0' || request->target[1] == '?';

  if (request->host == NULL)
    return head_refuse (head, BAD_REQUEST,
        "The request names no host; ask with HTTP/1.1 and a Host header.\n");
  if (!head_is_host (request->host))
    return head_refuse (head, BAD_REQUEST, not_http);
  /* a client that opens a WebSocket has to prove that it is our page; for
   * pictures and scripts it is enough that a browser does not say otherwise */
  if (request->upgrade
      && (!is_own_origin (request, tls)
          || (site != NULL && !g_str_equal (site, "same-origin"))))
    return head_refuse (head, FORBIDDEN, elsewhere);
  if (request->upgrade && !g_str_equal (request->target, OCT_LIVE_SOCKET_PATH))
    return head_refuse (head, NOT_FOUND, "There is nothing here.\n");
  if (!page && request->origin != NULL && !is_own_origin (request, tls))
    return head_refuse (head, FORBIDDEN, elsewhere);
  if (!page && site != NULL && !g_str_equal (site, "same-origin")
      && !g_str_equal (site, "none"))
    return head_refuse (head, FORBIDDEN, elsewhere);
  head->upgrade = request->upgrade;
  return TRUE;
}

OctLiveHead
oct_live_head_check (const char *text, gsize length, gboolean tls)
{
  static const OctHeadReader reader = { take_request, take_header };
  g_autofree char *copy = g_malloc (length + 1);
  OctLiveHead head = { 0 };
  Request request = { .head = &head };

  memcpy (copy, text, length);
  copy[length] = '\0';
  if (length > OCT_LIVE_MAX_HEAD) {
    head_refuse (&head, HEAD_TOO_LARGE, too_long);
    return head;
  }
  switch (oct_head_read (copy, length, MAX_LINES, &reader, &request)) {
  case OCT_HEAD_FINE:
    head_judge (&request, tls, &head);
    break;
  case OCT_HEAD_TOO_LONG:
    head_refuse (&head, HEAD_TOO_LARGE, too_long);
    break;
  case OCT_HEAD_MALFORMED:
    head_refuse (&head, BAD_REQUEST, not_http);
    break;
  case OCT_HEAD_REFUSED:
    break;
  }
  return head;
}
