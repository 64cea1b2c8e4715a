/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-audit-check.h"
#include "oct-plain-json.h"

#include <string.h>

#define TOO_LONG "is longer than one of an audit"
/* The next ones can still be counted. */
#define MOST_NUMBER (G_MAXINT64 / 2)

static gboolean
audit_fail (const char *path, guint64 row, GError **error, const char *what)
{
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA,
      "Line %" G_GUINT64_FORMAT " of '%s' %s.", row, path, what);
  return FALSE;
}

static void
audit_hash (const char *text, gsize size, char hash[OCT_AUDIT_HASH + 1])
{
  g_autofree char *made = g_compute_checksum_for_data (
      G_CHECKSUM_SHA256, (const guchar *)text, size);

  g_strlcpy (hash, made, OCT_AUDIT_HASH + 1);
}

static const char *
audit_get_text (JsonObject *line, const char *name)
{
  JsonNode *node = json_object_get_member (line, name);

  if (node == NULL || json_node_get_value_type (node) != G_TYPE_STRING)
    return NULL;
  return json_node_get_string (node);
}

static gint64
audit_get_number (JsonObject *line, const char *name)
{
  JsonNode *node = json_object_get_member (line, name);

  if (node == NULL || json_node_get_value_type (node) != G_TYPE_INT64)
    return -1;
  return json_node_get_int (node);
}

/* As they are written, so that they can be compared as texts. */
static gboolean
audit_is_time (const char *text)
{
  static const char form[] = "0000-00-00T00:00:00.000000Z";

  if (text == NULL || strlen (text) != sizeof form - 1)
    return FALSE;
  for (guint i = 0; i < sizeof form - 1; i++)
    if (form[i] == '0' ? !g_ascii_isdigit (text[i]) : text[i] != form[i])
      return FALSE;
  return TRUE;
}

/* NULL: it is not one of an audit. */
static JsonObject *
audit_parse (const char *text, gsize size)
{
  g_autoptr (JsonParser) parser = json_parser_new ();
  JsonNode *root;
  JsonObject *line;

  if (size == 0 || size > OCT_AUDIT_LINE || text[0] != '{'
      || text[size - 1] != '}' || !g_utf8_validate_len (text, size, NULL)
      || !oct_plain_json_is_object (text, size)
      || !json_parser_load_from_data (parser, text, (gssize)size, NULL))
    return NULL;
  root = json_parser_get_root (parser);
  if (root == NULL || !JSON_NODE_HOLDS_OBJECT (root))
    return NULL;
  line = json_node_get_object (root);
  if (audit_get_number (line, "number") < 1
      || audit_get_number (line, "number") > MOST_NUMBER
      || !audit_is_time (audit_get_text (line, "time"))
      || audit_get_text (line, "event") == NULL
      || audit_get_text (line, "before") == NULL
      || strlen (audit_get_text (line, "before")) != OCT_AUDIT_HASH)
    return NULL;
  return json_object_ref (line);
}

static gboolean
audit_is_after_cut (JsonObject *line)
{
  JsonNode *node = json_object_get_member (line, "cut");

  return node != NULL && json_node_get_value_type (node) == G_TYPE_BOOLEAN
         && json_node_get_boolean (node);
}

static void
audit_advance (OctAuditChain *chain, JsonObject *line)
{
  const char *time = audit_get_text (line, "time");
  gint64 lost = audit_get_number (line, "lost");

  chain->lines++;
  g_strlcpy (chain->whole, chain->hash, sizeof chain->whole);
  chain->number = audit_get_number (line, "number");
  chain->lost += (guint64)MAX (lost, 0);
  if (strcmp (time, chain->last) < 0)
    chain->backwards++;
  if (*chain->first == '\0')
    g_strlcpy (chain->first, time, sizeof chain->first);
  g_strlcpy (chain->last, time, sizeof chain->last);
}

/* The first line of the first file may follow a file that is not there. */
static const char *
audit_find_fault (const OctAuditChain *chain, JsonObject *line)
{
  static const char zeros[] = "00000000000000000000000000000000"
                              "00000000000000000000000000000000";
  gboolean first = chain->lines == 0 && !chain->part;
  gboolean begins = audit_get_number (line, "number") == 1
                    && g_str_equal (audit_get_text (line, "before"), zeros);

  if (first)
    return audit_get_number (line, "number") > 1 || begins
               ? NULL
               : "has the number 1 and the hash of a line before it";
  if (begins)
    return "begins an audit of its own, as after a file that was moved away "
           "while oct-live did not run; check each of both alone";
  if (!g_str_equal (audit_get_text (line, "before"), chain->hash))
    return "does not follow the line before it: one of both was changed, or "
           "lines between them are missing";
  if (chain->lines > 0
      && audit_get_number (line, "number") != chain->number + 1)
    return "has another number than the one after that of the line before it";
  if (chain->part != audit_is_after_cut (line))
    return chain->part
               ? "comes after a line that is damaged"
               : "says that the line before it was cut off, and it is whole";
  return NULL;
}

typedef struct {
  const char *path;
  OctAuditChain *chain;
  OctAuditLine each;
  gpointer data;
  guint64 row;
} AuditWalk;

static gboolean
audit_take_line (AuditWalk *walk, const char *text, gsize size, GError **error)
{
  g_autoptr (JsonObject) line = audit_parse (text, size);
  OctAuditChain *chain = walk->chain;
  const char *fault;

  walk->row++;
  if (size > OCT_AUDIT_LINE)
    return audit_fail (walk->path, walk->row, error, TOO_LONG);
  if (line == NULL && chain->part)
    return audit_fail (
        walk->path, MAX (walk->row - 1, 1), error, "is not one of an audit");
  fault = line != NULL ? audit_find_fault (chain, line) : NULL;
  if (fault != NULL)
    return audit_fail (walk->path, walk->row, error, fault);
  audit_hash (text, size, chain->hash);
  chain->part = line == NULL;
  chain->cut += chain->part ? 1 : 0;
  if (line != NULL)
    audit_advance (chain, line);
  if (line != NULL && walk->each != NULL)
    walk->each (line, walk->chain->hash, walk->data);
  return TRUE;
}

/* The whole lines in `text`; *used: their bytes. */
static gboolean
audit_take_lines (
    AuditWalk *walk, const char *text, gsize size, gsize *used, GError **error)
{
  const char *stop;

  for (*used = 0; (stop = memchr (text + *used, '\n', size - *used)) != NULL;
       *used = (gsize)(stop - text) + 1)
    if (!audit_take_line (
            walk, text + *used, (gsize)(stop - text) - *used, error))
      return FALSE;
  if (size - *used <= OCT_AUDIT_LINE)
    return TRUE;
  return audit_fail (walk->path, walk->row + 1, error, TOO_LONG);
}

static gboolean
audit_take_stream (AuditWalk *walk, GInputStream *stream, GError **error)
{
  g_autofree char *text = g_malloc (2 * OCT_AUDIT_LINE);
  gsize size = 0, used;
  gssize got;

  while ((got = g_input_stream_read (
              stream, text + size, 2 * OCT_AUDIT_LINE - size, NULL, error))
         > 0) {
    size += (gsize)got;
    if (!audit_take_lines (walk, text, size, &used, error))
      return FALSE;
    size -= used;
    memmove (text, text + used, size);
  }
  return got == 0 && (size == 0 || audit_take_line (walk, text, size, error));
}

gboolean
oct_audit_check (const char *path, OctAuditChain *chain, OctAuditLine each,
    gpointer data, GError **error)
{
  g_autoptr (GFile) file = g_file_new_for_path (path);
  g_autoptr (GFileInputStream) stream = g_file_read (file, NULL, error);
  AuditWalk walk = { path, chain, each, data, 0 };

  if (stream == NULL
      || !audit_take_stream (&walk, G_INPUT_STREAM (stream), error))
    return FALSE;
  /* the last line may be a part: a program may be writing it */
  if (chain->lines > 0)
    return TRUE;
  return audit_fail (path, MAX (walk.row, 1), error,
      "is not one of an audit, as --audit of oct-live writes it");
}

gboolean
oct_audit_find_end (const char *tail, gsize size, OctAuditChain *chain)
{
  const char *end = tail + size;
  gboolean found = FALSE;

  *chain = (OctAuditChain){ 0 };
  for (const char *next, *at = tail; at < end; at = next) {
    const char *stop = memchr (at, '\n', (gsize)(end - at));
    gsize length = (gsize)((stop != NULL ? stop : end) - at);
    g_autoptr (JsonObject) line = audit_parse (at, length);

    next = stop != NULL ? stop + 1 : end;
    audit_hash (at, length, chain->hash);
    chain->part = line == NULL;
    found |= line != NULL;
    if (line != NULL)
      audit_advance (chain, line);
  }
  return found;
}
