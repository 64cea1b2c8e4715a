/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-dicom-case.h"
#include "oct-file.h"

#include <json-glib/json-glib.h>
#include <string.h>

/* Characters of a text of an answer; DICOM's texts of one line have 64. */
#define MOST_TEXT 256
/* Bytes of a file. */
#define MOST_BYTES (8u << 20)

const char *
oct_dicom_field_name (OctDicomField field)
{
  static const char *const names[] = { "PatientName", "PatientID",
    "PatientBirthDate", "PatientSex", "AccessionNumber", "StudyInstanceUID",
    "RequestedProcedureDescription", "RequestedProcedureID",
    "ReferringPhysicianName", "ScheduledStationAETitle",
    "ScheduledProcedureStepStartDate", "ScheduledProcedureStepStartTime",
    "Modality", "ScheduledProcedureStepDescription",
    "ScheduledProcedureStepID" };

  G_STATIC_ASSERT (G_N_ELEMENTS (names) == OCT_DICOM_FIELDS);
  return names[field];
}

/* One line of characters that can be printed, whatever bytes the server sent. */
char *
oct_dicom_case_clean (const char *text)
{
  g_autofree char *valid = g_utf8_make_valid (text, -1);
  GString *clean = g_string_new (NULL);
  guint length = 0;

  for (const char *c = valid; *c != '\0' && length < MOST_TEXT;
       c = g_utf8_next_char (c)) {
    gunichar one = g_utf8_get_char (c);

    if (!g_unichar_isprint (one))
      one = ' ';
    g_string_append_unichar (clean, one);
    length++;
  }
  return g_strstrip (g_string_free (clean, FALSE));
}

/* A text of a line of JSON as a tag can have it: a semicolon would begin the next
 * tag, and a backslash the next value. */
static void
append_tag (GString *tags, JsonObject *object, OctDicomField field)
{
  const char *name = oct_dicom_field_name (field);
  g_autofree char *clean = oct_dicom_case_clean (
      json_object_get_string_member_with_default (object, name, ""));

  g_strdelimit (clean, ";\\", ' ');
  g_strstrip (clean);
  if (*clean != '\0')
    g_string_append_printf (
        tags, "%s%s=%s", tags->len > 0 ? ";" : "", name, clean);
}

static char *
make_tags (JsonObject *object)
{
  static const OctDicomField taken[] = { OCT_DICOM_NAME, OCT_DICOM_ID,
    OCT_DICOM_BIRTH, OCT_DICOM_SEX, OCT_DICOM_ACCESSION, OCT_DICOM_STUDY,
    OCT_DICOM_REFERRER };
  GString *tags = g_string_new (NULL);

  for (guint i = 0; i < G_N_ELEMENTS (taken); i++)
    append_tag (tags, object, taken[i]);
  return g_string_free (tags, FALSE);
}

/* A line that is not ours may have anything there. */
static gboolean
is_text (JsonObject *object, const char *name)
{
  JsonNode *member = json_object_get_member (object, name);

  return member != NULL && JSON_NODE_HOLDS_VALUE (member)
         && json_node_get_value_type (member) == G_TYPE_STRING;
}

/* The line as an object, if it is that of the case; NULL: it is not. */
static JsonObject *
read_case (const char *line, const char *label)
{
  g_autoptr (JsonParser) parser = json_parser_new ();
  JsonNode *root;
  JsonObject *object;

  if (!json_parser_load_from_data (parser, line, -1, NULL))
    return NULL;
  root = json_parser_get_root (parser);
  if (root == NULL || !JSON_NODE_HOLDS_OBJECT (root))
    return NULL;
  object = json_node_get_object (root);
  for (guint i = 0; i < OCT_DICOM_FIELDS; i++)
    if (!is_text (object, oct_dicom_field_name (i)))
      return NULL;
  if (!is_text (object, "case")
      || !g_str_equal (json_object_get_string_member (object, "case"), label))
    return NULL;
  return json_object_ref (object);
}

/* Whether the entries are about the same patient and study. */
static gboolean
are_same (JsonObject *one, JsonObject *two)
{
  g_autofree char *tags = make_tags (one);
  g_autofree char *others = make_tags (two);

  return g_str_equal (tags, others);
}

/* The first entry of the case whose step is `scheduled`, NULL: any; *others: it has
 * other steps, too.  NULL with an error. */
static JsonObject *
find_case (const char *text, const char *label, const char *scheduled,
    gboolean *others, GError **error)
{
  const char *id = oct_dicom_field_name (OCT_DICOM_STEP_ID);
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  g_autoptr (JsonObject) found = NULL;

  *others = FALSE;
  for (guint i = 0; lines[i] != NULL; i++) {
    g_autoptr (JsonObject) object = read_case (lines[i], label);

    if (object == NULL
        || (scheduled != NULL
            && !g_str_equal (
                json_object_get_string_member (object, id), scheduled)))
      continue;
    if (found == NULL) {
      found = g_steal_pointer (&object);
    } else if (!are_same (found, object)) {
      g_set_error (error, OCT_DICOM_ERROR, OCT_DICOM_ERROR_FILE,
          "Two entries of the worklist that differ are called '%s'; write "
          "--dicom-tags by hand, or have one of them changed in the worklist",
          label);
      return NULL;
    } else {
      *others = *others
                || !g_str_equal (json_object_get_string_member (object, id),
                    json_object_get_string_member (found, id));
    }
  }
  if (found == NULL)
    g_set_error (error, OCT_DICOM_ERROR, OCT_DICOM_ERROR_FILE,
        "The worklist has no case '%s'%s%s; give the whole line of the case",
        label, scheduled != NULL ? " with the step " : "",
        scheduled != NULL ? scheduled : "");
  return g_steal_pointer (&found);
}

char *
oct_dicom_case_read (const char *path, GError **error)
{
  return oct_file_read_text (
      "Worklist", path, MOST_BYTES, "lines of JSON", NULL, error);
}

char *
oct_dicom_case_get_tags (const char *text, const char *label, GError **error)
{
  gboolean others;
  g_autoptr (JsonObject) object = find_case (text, label, NULL, &others, error);

  return object != NULL ? make_tags (object) : NULL;
}

gboolean
oct_dicom_case_get_texts (const char *text, const char *label,
    const char *scheduled, char **texts, GError **error)
{
  gboolean others;
  g_autoptr (JsonObject) object =
      find_case (text, label, scheduled, &others, error);

  if (object == NULL)
    return FALSE;
  if (others) {
    g_set_error (error, OCT_DICOM_ERROR, OCT_DICOM_ERROR_FILE,
        "The case '%s' has several steps in the worklist; give the ID of one "
        "with --scheduled",
        label);
    return FALSE;
  }
  for (guint i = 0; i < OCT_DICOM_FIELDS; i++)
    texts[i] = oct_dicom_case_clean (
        json_object_get_string_member (object, oct_dicom_field_name (i)));
  return TRUE;
}
