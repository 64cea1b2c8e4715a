/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-head.h"

#include <string.h>

gsize
oct_head_find_end (const char *text, gsize length)
{
  for (gsize i = 0; i + 1 < length; i++) {
    if (text[i] != '\n')
      continue;
    if (text[i + 1] == '\n')
      return i + 2;
    if (text[i + 1] == '\r' && i + 2 < length && text[i + 2] == '\n')
      return i + 3;
  }
  return 0;
}

static gboolean
is_token (const char *text)
{
  if (*text == '\0')
    return FALSE;
  for (; *text; text++)
    if (!g_ascii_isalnum (*text) && strchr ("!#$%&'*+-.^_`|~", *text) == NULL)
      return FALSE;
  return TRUE;
}

static OctHeadResult
read_request_line (char *line, const OctHeadReader *reader, gpointer data)
{
  char *target = strchr (line, ' ');
  char *version = target != NULL ? strchr (target + 1, ' ') : NULL;

  if (version == NULL)
    return OCT_HEAD_MALFORMED;
  *target++ = '\0';
  *version++ = '\0';
  if (!is_token (line))
    return OCT_HEAD_MALFORMED;
  return reader->take_request (line, target, version, data) ? OCT_HEAD_FINE
                                                            : OCT_HEAD_REFUSED;
}

static OctHeadResult
head_read_header (char *line, const OctHeadReader *reader, gpointer data)
{
  char *value = strchr (line, ':');

  if (value == NULL)
    return OCT_HEAD_MALFORMED;
  *value++ = '\0';
  /* a line that goes on with the one before begins with a space: no token */
  if (!is_token (line))
    return OCT_HEAD_MALFORMED;
  for (const char *c = value; *c; c++)
    if ((guchar)*c < ' ' && *c != '\t')
      return OCT_HEAD_MALFORMED;
  return reader->take_header (line, g_strstrip (value), data)
             ? OCT_HEAD_FINE
             : OCT_HEAD_REFUSED;
}

/* Every line ends with CR LF, and no byte is NUL. */
OctHeadResult
oct_head_read (char *text, gsize length, guint max_lines,
    const OctHeadReader *reader, gpointer data)
{
  OctHeadResult result = OCT_HEAD_FINE;
  char *line = text;

  if (memchr (text, '\0', length) != NULL)
    return OCT_HEAD_MALFORMED;
  for (guint count = 0; result == OCT_HEAD_FINE; count++) {
    char *end = strchr (line, '\n');

    if (end == NULL || end == text || end[-1] != '\r')
      return OCT_HEAD_MALFORMED;
    end[-1] = '\0';
    if (*line == '\0')
      return count > 0 ? OCT_HEAD_FINE : OCT_HEAD_MALFORMED;
    if (count > max_lines)
      return OCT_HEAD_TOO_LONG;
    result = count == 0 ? read_request_line (line, reader, data)
                        : head_read_header (line, reader, data);
    line = end + 1;
  }
  return result;
}
