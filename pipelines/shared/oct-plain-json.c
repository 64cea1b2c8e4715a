/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-plain-json.h"

#include <string.h>

/* From the quote at `text` to the one that ends the string; NULL if it is not
 * valid JSON.  Halves of UTF-16 pairs are refused: after one, json-glib 1.6
 * takes the closing quote for a part of the string. */
static const char *
skip_string (const char *text, const char *end)
{
  for (text++; text < end && *text != '"'; text++) {
    if ((guchar)*text < ' ')
      return NULL;
    if (*text != '\\')
      continue;
    text++;
    if (text < end && *text == 'u') {
      for (guint i = 1; i <= 4; i++)
        if (end - text <= i || !g_ascii_isxdigit (text[i]))
          return NULL;
      if ((text[1] == 'd' || text[1] == 'D')
          && g_ascii_xdigit_value (text[2]) >= 8)
        return NULL;
      text += 4;
    } else if (text == end || strchr ("\"\\/bfnrt", *text) == NULL) {
      return NULL;
    }
  }
  return text < end ? text : NULL;
}

gboolean
oct_plain_json_is_object (const char *text, gsize length)
{
  const char *end = text + length;
  gboolean opened = FALSE, closed = FALSE;

  for (; text < end; text++) {
    gboolean inside = opened && !closed;

    if (strchr (" \t\r\n", *text) != NULL)
      continue;
    if (*text == '{' && !opened)
      opened = TRUE;
    else if (*text == '}' && inside)
      closed = TRUE;
    else if (*text == '"' && inside)
      text = skip_string (text, end);
    else if (!inside
             || (!g_ascii_isalnum (*text) && strchr ("+-.,:", *text) == NULL))
      return FALSE;
    if (text == NULL)
      return FALSE;
  }
  return closed;
}
