/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-audit-case.h"

#include <string.h>

/* Labels that an error names. */
#define SHOWN_LABELS 10
#define SHOWN_CHARACTERS 80

static void
audit_event_free (gpointer data)
{
  OctAuditEvent *event = data;

  g_free (event->time);
  g_free (event->event);
  g_free (event->fields);
  g_free (event);
}

static void
audit_recording_free (gpointer data)
{
  OctAuditRecording *recording = data;

  g_free (recording->name);
  g_free (recording->begun);
  g_free (recording->ended);
  g_free (recording->trouble);
  g_free (recording);
}

static void
audit_kept_free (gpointer data)
{
  OctAuditKept *kept = data;

  g_free (kept->time);
  g_free (kept->sentence);
  g_free (kept->name);
  g_free (kept);
}

static void
audit_person_free (gpointer data)
{
  OctAuditPerson *person = data;

  g_free (person->by);
  g_free (person->address);
  g_free (person->first);
  g_free (person->last);
  g_free (person);
}

OctAuditCase *
oct_audit_case_new (const char *label)
{
  OctAuditCase *self = g_new0 (OctAuditCase, 1);

  self->label = g_strdup (label);
  self->spans = g_ptr_array_new_with_free_func (g_free);
  self->events = g_ptr_array_new_with_free_func (audit_event_free);
  self->recordings = g_ptr_array_new_with_free_func (audit_recording_free);
  self->kept = g_ptr_array_new_with_free_func (audit_kept_free);
  self->people = g_ptr_array_new_with_free_func (audit_person_free);
  self->labels = g_ptr_array_new_with_free_func (g_free);
  return self;
}

void
oct_audit_case_free (OctAuditCase *self)
{
  g_free (self->label);
  g_free (self->side);
  g_free (self->program);
  g_ptr_array_unref (self->spans);
  g_ptr_array_unref (self->events);
  g_ptr_array_unref (self->recordings);
  g_ptr_array_unref (self->kept);
  g_ptr_array_unref (self->people);
  g_ptr_array_unref (self->labels);
  g_free (self);
}

/* ------------------------------------------------------------------- fields */

/* "" if it has none. */
static const char *
case_get_text (JsonObject *line, const char *name)
{
  JsonNode *node = json_object_get_member (line, name);

  if (node == NULL || json_node_get_value_type (node) != G_TYPE_STRING)
    return "";
  return json_node_get_string (node);
}

static gint64
case_get_number (JsonObject *line, const char *name)
{
  JsonNode *node = json_object_get_member (line, name);

  if (node == NULL || json_node_get_value_type (node) != G_TYPE_INT64)
    return -1;
  return json_node_get_int (node);
}

static void
case_add_field (
    JsonObject *line, const char *name, JsonNode *value, gpointer text)
{
  static const char *const others[] = { "number", "time", "event", "before",
    NULL };
  const char *before = ((GString *)text)->len > 0 ? "; " : "";

  if (g_strv_contains (others, name))
    return;
  if (json_node_get_value_type (value) == G_TYPE_STRING)
    g_string_append_printf (
        text, "%s%s: %s", before, name, json_node_get_string (value));
  else if (json_node_get_value_type (value) == G_TYPE_INT64)
    g_string_append_printf (text, "%s%s: %" G_GINT64_FORMAT, before, name,
        json_node_get_int (value));
}

static char *
case_describe (JsonObject *line)
{
  GString *text = g_string_new (NULL);

  json_object_foreach_member (line, case_add_field, text);
  return g_string_free (text, FALSE);
}

/* --------------------------------------------------------------- recordings */

static void
case_begin_recording (OctAuditCase *self, JsonObject *line, const char *time)
{
  OctAuditRecording *recording = g_new0 (OctAuditRecording, 1);

  recording->name = g_strdup (case_get_text (line, "name"));
  recording->begun = g_strdup (time);
  recording->mine = self->inside;
  recording->open = TRUE;
  g_ptr_array_add (self->recordings, recording);
}

/* The last one of this name that has not ended. */
static void
case_end_recording (OctAuditCase *self, JsonObject *line, const char *time)
{
  const char *name = case_get_text (line, "name");
  const char *trouble = case_get_text (line, "trouble");

  for (guint i = self->recordings->len; i > 0; i--) {
    OctAuditRecording *recording = self->recordings->pdata[i - 1];

    if (!recording->open || !g_str_equal (recording->name, name))
      continue;
    recording->open = FALSE;
    recording->ended = g_strdup (time);
    recording->trouble = *trouble != '\0' ? g_strdup (trouble) : NULL;
    recording->images = case_get_number (line, "images");
    recording->dropped = case_get_number (line, "dropped");
    recording->bytes = case_get_number (line, "bytes");
    return;
  }
}

/* `take`: those under way are of the case; else no program writes them now. */
static void
case_go_through_open (OctAuditCase *self, gboolean take)
{
  for (guint i = 0; i < self->recordings->len; i++) {
    OctAuditRecording *recording = self->recordings->pdata[i];

    if (take && recording->open)
      recording->mine = recording->earlier = TRUE;
    recording->open &= take;
  }
}

/* -------------------------------------------------------------------- people */

static OctAuditPerson *
case_find_person (OctAuditCase *self, const char *by, const char *address)
{
  OctAuditPerson *person;

  for (guint i = 0; i < self->people->len; i++) {
    person = self->people->pdata[i];
    if (g_str_equal (person->by, by) && g_str_equal (person->address, address))
      return person;
  }
  if (self->people->len >= OCT_AUDIT_MOST_LABELS)
    return NULL;
  person = g_new0 (OctAuditPerson, 1);
  person->by = g_strdup (by);
  person->address = g_strdup (address);
  g_ptr_array_add (self->people, person);
  return person;
}

static void
case_note_command (
    OctAuditCase *self, JsonObject *line, const char *event, const char *time)
{
  static const char *const commands[] = { "record", "keep", "focus", "refine",
    "background", "label", "note", "scan", "set", "tune", NULL };
  OctAuditPerson *person;

  if (!g_strv_contains (commands, event))
    return;
  person = case_find_person (
      self, case_get_text (line, "by"), case_get_text (line, "address"));
  if (person == NULL)
    return;
  if (person->first == NULL)
    person->first = g_strdup (time);
  g_free (person->last);
  person->last = g_strdup (time);
  person->commands++;
  person->refused += json_object_has_member (line, "refused");
}

/* -------------------------------------------------------------------- events */

/* `leaves`: a label that ends the case, and is that of another person. */
static void
case_note_event (OctAuditCase *self, JsonObject *line, const char *event,
    const char *time, gboolean leaves)
{
  OctAuditEvent *noted;

  if (self->events->len >= OCT_AUDIT_MOST_EVENTS) {
    self->more++;
    return;
  }
  noted = g_new0 (OctAuditEvent, 1);
  noted->time = g_strdup (time);
  noted->event = g_strdup (event);
  noted->fields =
      leaves ? g_strdup ("that of another case") : case_describe (line);
  g_ptr_array_add (self->events, noted);
}

/* "Kept the last 30 s: NAME.mkv.", as oct-live says it. */
static void
case_note_kept (OctAuditCase *self, JsonObject *line, const char *time)
{
  OctAuditKept *kept = g_new0 (OctAuditKept, 1);
  const char *files = case_get_text (line, "files");
  const char *name = strrchr (files, ' ');
  const char *end = name != NULL ? strchr (name, '.') : NULL;

  kept->time = g_strdup (time);
  kept->sentence =
      g_strdup (*files != '\0' ? files : case_get_text (line, "trouble"));
  if (end != NULL)
    kept->name = g_strndup (name + 1, (gsize)(end - name - 1));
  g_ptr_array_add (self->kept, kept);
}

static void
case_note_label (OctAuditCase *self, const char *label)
{
  if (*label != '\0' && self->labels->len < OCT_AUDIT_MOST_LABELS
      && !g_ptr_array_find_with_equal_func (
          self->labels, label, g_str_equal, NULL))
    g_ptr_array_add (self->labels, g_strdup (label));
}

static void
case_set_inside (OctAuditCase *self, gboolean inside, const char *time)
{
  if (inside == self->inside)
    return;
  self->inside = inside;
  g_ptr_array_add (self->spans, g_strdup (time));
  if (inside)
    case_go_through_open (self, TRUE);
}

void
oct_audit_case_take (OctAuditCase *self, JsonObject *line)
{
  const char *event = case_get_text (line, "event");
  const char *time = case_get_text (line, "time");
  gboolean begins = g_str_equal (event, "program begun");
  gboolean ends = g_str_equal (event, "program ended"), was = self->inside;
  gboolean labels =
      g_str_equal (event, "label") && !json_object_has_member (line, "refused");

  if (begins) {
    case_go_through_open (self, FALSE);
    g_free (self->program);
    self->program = case_describe (line);
  }
  if (labels)
    case_note_label (self, case_get_text (line, "text"));
  if (self->label == NULL)
    case_set_inside (self, TRUE, time);
  else if (begins || ends)
    case_set_inside (self, FALSE, time);
  else if (labels)
    case_set_inside (
        self, g_str_equal (case_get_text (line, "text"), self->label), time);
  if (g_str_equal (event, "recording begun"))
    case_begin_recording (self, line, time);
  else if (g_str_equal (event, "recording ended"))
    case_end_recording (self, line, time);
  /* a program that begins anew is not an event of the case before */
  if (!self->inside && (!was || begins))
    return;
  case_note_event (self, line, event, time, labels && !self->inside);
  if (labels && self->inside) {
    g_free (self->side);
    self->side = g_strdup (case_get_text (line, "side"));
  }
  case_note_command (self, line, event, time);
  if (g_str_equal (event, "last seconds kept"))
    case_note_kept (self, line, time);
}

/* The beginning of a label, for a sentence. */
static void
case_add_label (GString *text, const char *label)
{
  g_autofree char *start = g_utf8_substring (
      label, 0, MIN (g_utf8_strlen (label, -1), SHOWN_CHARACTERS));

  for (char *c = start; *c != '\0'; c++)
    if (g_ascii_iscntrl (*c))
      *c = ' ';
  g_string_append_printf (text, "%s'%s'", text->len > 0 ? ", " : "", start);
}

gboolean
oct_audit_case_end (OctAuditCase *self, const char *time, GError **error)
{
  g_autoptr (GString) list = g_string_new (NULL);

  if (self->spans->len > 0) {
    if (self->spans->len % 2 != 0)
      g_ptr_array_add (self->spans, g_strdup (time));
    return TRUE;
  }
  for (guint i = 0; i < MIN (self->labels->len, SHOWN_LABELS); i++)
    case_add_label (list, self->labels->pdata[i]);
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND,
      "No event of the audit has the label of --case; its labels are %s%s.",
      list->len > 0 ? list->str : "none at all",
      self->labels->len > SHOWN_LABELS ? " and others" : "");
  return FALSE;
}
