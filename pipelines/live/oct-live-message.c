/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-live-message.h"
#include "oct-plain-json.h"

#include <json-glib/json-glib.h>
#include <string.h>

#define MAX_SDP 16384
#define MAX_CANDIDATE 512
#define MAX_TEXT 400 /* of people, bytes */
/* Sizes and places of a scan. */
#define LEAST_UM 0.01
#define MOST_UM 1e7

/* Reads one member into the message, or into the part of it at the member's
 * offset; FALSE when its value is not right. */
typedef gboolean (*Reader) (JsonNode *value, gpointer part);

typedef struct {
  const char *type; /* of the message */
  const char *name;
  Reader read;
  gsize offset;
  gboolean optional;
} Member;

#define AT(member) G_STRUCT_OFFSET (OctLiveMessage, member)

static gboolean
message_fail (GError **error, const char *format, const char *detail)
{
  g_set_error (error, g_quark_from_static_string ("oct-live-message"), 0,
      format, detail);
  return FALSE;
}

/* -------------------------------------------------------------------- values
 */

static const char *
get_string (JsonNode *value, gsize longest)
{
  const char *text = NULL;

  if (json_node_get_value_type (value) == G_TYPE_STRING)
    text = json_node_get_string (value);
  if (text == NULL || strlen (text) > longest
      || !g_utf8_validate (text, -1, NULL))
    return NULL;
  return text;
}

static gboolean
message_read_boolean (JsonNode *value, gpointer part)
{
  gboolean *boolean = part;

  if (json_node_get_value_type (value) != G_TYPE_BOOLEAN)
    return FALSE;
  *boolean = json_node_get_boolean (value);
  return TRUE;
}

static gboolean
read_media (JsonNode *value, gpointer part)
{
  OctLiveMessage *message = part;
  const char *text = get_string (value, 16);

  message->webrtc = g_strcmp0 (text, "webrtc") == 0;
  message->units = g_strcmp0 (text, "webcodecs") == 0;
  return message->webrtc || message->units || g_strcmp0 (text, "jpeg") == 0;
}

static gboolean
read_sdp (JsonNode *value, gpointer part)
{
  OctLiveMessage *message = part;
  message->sdp = g_strdup (get_string (value, MAX_SDP));
  return message->sdp != NULL;
}

static gboolean
read_candidate (JsonNode *value, gpointer part)
{
  OctLiveMessage *message = part;
  const char *text = get_string (value, MAX_CANDIDATE);

  if (text == NULL || !g_str_has_prefix (text, "candidate:"))
    return FALSE;
  for (const char *c = text; *c; c++)
    if (!g_ascii_isprint (*c))
      return FALSE;
  message->candidate = g_strdup (text);
  return TRUE;
}

static gboolean
read_mline (JsonNode *value, gpointer part)
{
  GType type = json_node_get_value_type (value);

  /* one stream is offered */
  return (type == G_TYPE_INT64 && json_node_get_int (value) == 0)
         || (type == G_TYPE_DOUBLE && json_node_get_double (value) == 0.0);
}

static gboolean
read_count (JsonNode *value, gpointer part)
{
  OctLiveMessage *message = part;
  if (json_node_get_value_type (value) != G_TYPE_INT64)
    return FALSE;
  message->number = json_node_get_int (value);
  return message->number >= 0;
}

/* No line ends, and nothing that turns the direction of writing. */
static gboolean
is_one_line (const char *text)
{
  for (; *text; text = g_utf8_next_char (text)) {
    switch (g_unichar_type (g_utf8_get_char (text))) {
    case G_UNICODE_CONTROL:
    case G_UNICODE_FORMAT:
    case G_UNICODE_LINE_SEPARATOR:
    case G_UNICODE_PARAGRAPH_SEPARATOR:
      return FALSE;
    default:
      break;
    }
  }
  return TRUE;
}

static gboolean
read_side (JsonNode *value, gpointer part)
{
  OctLiveMessage *message = part;
  message->side = oct_live_label_find_side (get_string (value, 16));
  return message->side != NULL;
}

/* The index of a name in a list of them; `n`: how many of these are allowed. */
static gboolean
message_find (JsonNode *value, const char *const *names, guint n, guint *found)
{
  const char *text = get_string (value, 16);

  for (*found = 0; *found < n; (*found)++)
    if (g_strcmp0 (text, names[*found]) == 0)
      return TRUE;
  return FALSE;
}

static gboolean
read_layout (JsonNode *value, gpointer part)
{
  OctLiveMessage *message = part;
  return message_find (
      value, oct_live_layout_names, OCT_LIVE_N_LAYOUTS, &message->layout);
}

static gboolean
read_eyes (JsonNode *value, gpointer part)
{
  OctLiveMessage *message = part;
  return message_find (
      value, oct_live_eye_names, OCT_LIVE_N_EYE_CHOICES, &message->eyes);
}

static gboolean
read_eye (JsonNode *value, gpointer part)
{
  OctLiveMessage *message = part;
  return message_find (
      value, oct_live_eye_names, OCT_LIVE_EYES, &message->eyes);
}

static gboolean
read_corners (JsonNode *value, gpointer part)
{
  OctLiveMessage *message = part;
  const char *text = get_string (value, MAX_TEXT);

  if (text == NULL)
    return FALSE;
  message->aimed = *text != '\0';
  return !message->aimed || oct_live_aim_parse_corners (text, message->corners);
}

static gboolean
read_pattern (JsonNode *value, gpointer part)
{
  OctLiveMessage *message = part;
  const char *text = get_string (value, sizeof message->beam.pattern - 1);

  for (const char *c = text; c != NULL && *c; c++)
    if (!g_ascii_islower (*c) && *c != '-')
      return FALSE;
  return text != NULL
         && g_strlcpy (
                message->beam.pattern, text, sizeof message->beam.pattern)
                > 0;
}

/* Refuses NaN, too. */
static gboolean
read_within (JsonNode *value, double least, double most, double *number)
{
  GType type = json_node_get_value_type (value);

  if (type != G_TYPE_DOUBLE && type != G_TYPE_INT64)
    return FALSE;
  *number = type == G_TYPE_INT64 ? (double)json_node_get_int (value)
                                 : json_node_get_double (value);
  return *number >= least && *number <= most;
}

static gboolean
read_size (JsonNode *value, gpointer part)
{
  return read_within (value, LEAST_UM, MOST_UM, part);
}

static gboolean
read_place (JsonNode *value, gpointer part)
{
  return read_within (value, -MOST_UM, MOST_UM, part);
}

static gboolean
read_angle (JsonNode *value, gpointer part)
{
  return read_within (value, -360.0, 360.0, part);
}

/* Names and keys are as they were offered: nothing is stripped. */
static gboolean
read_name (JsonNode *value, gpointer part)
{
  const char *text = get_string (value, MAX_TEXT);
  char **name = part;

  if (text == NULL || !is_one_line (text))
    return FALSE;
  *name = g_strdup (text);
  return TRUE;
}

static gboolean
message_read_text (JsonNode *value, gpointer part)
{
  char **text = part;

  if (!read_name (value, text))
    return FALSE;
  g_strstrip (*text);
  return TRUE;
}

/* ------------------------------------------------------------------- objects
 */

static const char *const types[] = {
  [OCT_LIVE_WATCH] = "watch",
  [OCT_LIVE_ANSWER] = "answer",
  [OCT_LIVE_CANDIDATE] = "candidate",
  [OCT_LIVE_ACK] = "ack",
  [OCT_LIVE_DECODED] = "decoded",
  [OCT_LIVE_SET] = "set",
  [OCT_LIVE_RECORD] = "record",
  [OCT_LIVE_KEEP] = "keep",
  [OCT_LIVE_FOCUS] = "focus",
  [OCT_LIVE_REFINE] = "refine",
  [OCT_LIVE_BACKGROUND] = "background",
  [OCT_LIVE_METERS] = "meters",
  [OCT_LIVE_LABEL] = "label",
  [OCT_LIVE_NOTE] = "note",
  [OCT_LIVE_SCAN] = "scan",
  [OCT_LIVE_TUNE] = "tune",
  [OCT_LIVE_LOOK] = "look",
  [OCT_LIVE_SCREEN] = "screen",
  [OCT_LIVE_AIM] = "aim",
  [OCT_LIVE_BEGIN] = "begin",
  [OCT_LIVE_SEEK] = "seek",
  [OCT_LIVE_LEAVE] = "leave",
  [OCT_LIVE_QUIT] = "quit",
};

static const Member members[] = {
  { "watch", "media", read_media },
  { "answer", "sdp", read_sdp },
  { "candidate", "mline", read_mline },
  { "candidate", "candidate", read_candidate },
  { "ack", "number", read_count },
  { "decoded", "number", read_count },
  { "set", "number", read_count, 0, TRUE },
  { "record", "on", message_read_boolean, AT (on) },
  { "focus", "undo", message_read_boolean, AT (undo) },
  { "meters", "on", message_read_boolean, AT (on) },
  { "label", "text", message_read_text, AT (text) },
  { "label", "side", read_side },
  { "label", "shown", message_read_boolean, AT (shown) },
  { "note", "text", message_read_text, AT (text) },
  { "scan", "pattern", read_pattern },
  { "scan", "width", read_size, AT (beam.width) },
  { "scan", "height", read_size, AT (beam.height) },
  { "scan", "x", read_place, AT (beam.x) },
  { "scan", "y", read_place, AT (beam.y) },
  { "scan", "angle", read_angle, AT (beam.angle) },
  { "screen", "layout", read_layout },
  { "screen", "eyes", read_eyes },
  { "aim", "eye", read_eye },
  { "aim", "corners", read_corners },
  { "begin", "source", read_name, AT (begin.source) },
  { "begin", "microscope", read_name, AT (begin.microscope) },
  { "begin", "calibration", read_name, AT (begin.calibration) },
  { "begin", "instrument", read_name, AT (begin.instrument) },
  { "begin", "save", message_read_text, AT (begin.save) },
  { "begin", "flow", message_read_boolean, AT (begin.flow) },
  { "begin", "record", message_read_boolean, AT (begin.record) },
};

static gboolean
read_type (JsonObject *object, OctLiveMessage *message, GError **error)
{
  JsonNode *value = json_object_get_member (object, "type");
  const char *text = value != NULL ? get_string (value, 16) : NULL;

  for (guint i = 0; i < G_N_ELEMENTS (types); i++)
    if (g_strcmp0 (text, types[i]) == 0) {
      message->type = i;
      return TRUE;
    }
  return message_fail (error, "The message has no known \"type\".%s", "");
}

static gboolean
read_look (JsonObject *object, OctLiveMessage *message, GError **error)
{
  g_autoptr (GList) names = json_object_get_members (object);

  for (GList *i = names; i != NULL; i = i->next) {
    JsonNode *value = json_object_get_member (object, i->data);
    guint which = 0;

    if (g_str_equal (i->data, "type"))
      continue;
    if (!oct_live_look_read (&message->look, i->data, value, &which))
      return message_fail (error,
          "A message of type \"look\" has a member that it must not have, or "
          "a value that is not allowed.%s",
          "");
    message->looks |= G_GUINT64_CONSTANT (1) << which;
  }
  return TRUE;
}

static gboolean
message_fail_value (const char *name, GError **error)
{
  return message_fail (error,
      "The message's \"%s\" is missing or has a value that is not allowed.",
      name);
}

/* Counts those that it has. */
static gboolean
read_settings (
    JsonObject *object, OctLiveMessage *message, guint *known, GError **error)
{
  for (guint i = 0; i < OCT_LIVE_N_SETTINGS; i++) {
    const OctLiveSetting *setting = &oct_live_settings_table[i];
    JsonNode *value = json_object_get_member (object, setting->name);

    if (value == NULL)
      continue;
    if (!oct_live_setting_read (setting, value, &message->settings))
      return message_fail_value (setting->name, error);
    message->given |= G_GUINT64_CONSTANT (1) << i;
    *known += 1;
  }
  return TRUE;
}

static gboolean
read_members (JsonObject *object, OctLiveMessage *message, GError **error)
{
  const char *type = types[message->type], *wrong = NULL;
  guint known = 1; /* "type" */

  if (message->type == OCT_LIVE_LOOK)
    return read_look (object, message, error);
  for (guint i = 0; i < G_N_ELEMENTS (members); i++) {
    const Member *member = &members[i];
    JsonNode *value;

    if (!g_str_equal (member->type, type))
      continue;
    value = json_object_get_member (object, member->name);
    if (value == NULL && member->optional)
      continue;
    if (value == NULL
        || !member->read (value, (char *)message + member->offset))
      return message_fail_value (member->name, error);
    known++;
  }
  if (message->type == OCT_LIVE_SET
      && !read_settings (object, message, &known, error))
    return FALSE;
  if (message->type == OCT_LIVE_BEGIN)
    wrong = oct_live_begin_read_numbers (object, &message->begin, &known);
  if (wrong != NULL)
    return message_fail_value (wrong, error);
  if (known != json_object_get_size (object))
    return message_fail (error,
        "A message of type \"%s\" has a member that it must "
        "not have.",
        type);
  return TRUE;
}

static gboolean
check_text (const char *text, gsize length, GError **error)
{
  if (length > OCT_LIVE_MAX_MESSAGE)
    return message_fail (error, "The message is too long.%s", "");
  if (!g_utf8_validate_len (text, length, NULL))
    return message_fail (error, "The message is not text in UTF-8.%s", "");
  if (!oct_plain_json_is_object (text, length))
    return message_fail (
        error, "The message is not one plain JSON object.%s", "");
  return TRUE;
}

OctLiveMessage *
oct_live_message_parse (const char *text, gsize length, GError **error)
{
  /* not an immutable one: 1.10 asserts that its root is immutable, and does not
   * always make it so */
  g_autoptr (JsonParser) parser = json_parser_new ();
  g_autoptr (OctLiveMessage) message = g_new0 (OctLiveMessage, 1);
  JsonNode *root;

  if (!check_text (text, length, error))
    return NULL;
  if (!json_parser_load_from_data (parser, text, length, NULL)) {
    message_fail (error, "The message is not JSON.%s", "");
    return NULL;
  }
  root = json_parser_get_root (parser);
  if (root == NULL || !JSON_NODE_HOLDS_OBJECT (root)) {
    message_fail (error, "The message is not one plain JSON object.%s", "");
    return NULL;
  }
  if (!read_type (json_node_get_object (root), message, error)
      || !read_members (json_node_get_object (root), message, error))
    return NULL;
  return g_steal_pointer (&message);
}

void
oct_live_message_free (OctLiveMessage *message)
{
  g_free (message->sdp);
  g_free (message->candidate);
  g_free (message->text);
  oct_live_settings_free_choices (&message->settings);
  oct_live_begin_clear (&message->begin);
  g_free (message);
}
