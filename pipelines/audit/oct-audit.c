/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * oct-audit: checks the audits that oct-live --audit writes.  docs/live-security.md
 * describes their use.
 */
#include "oct-audit-check.h"
#include "oct-audit-report.h"
#include "oct-terminal.h"
#include "oct-options.h"

#include <gst/gst.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  char **files, *hash;
  char *report, *label, *folder;
  OctAuditCase *one; /* for the report, or NULL */
  gboolean list, found;
} Audit;

static void
audit_print_member (
    JsonObject *line, const char *name, JsonNode *value, gpointer data)
{
  GString *text = data;

  if (g_str_equal (name, "number") || g_str_equal (name, "time")
      || g_str_equal (name, "event") || g_str_equal (name, "before"))
    return;
  if (json_node_get_value_type (value) == G_TYPE_STRING)
    g_string_append_printf (
        text, "; %s: %s", name, json_node_get_string (value));
  else if (json_node_get_value_type (value) == G_TYPE_INT64)
    g_string_append_printf (
        text, "; %s: %" G_GINT64_FORMAT, name, json_node_get_int (value));
}

static void
audit_on_line (JsonObject *line, const char *hash, gpointer data)
{
  Audit *audit = data;
  g_autoptr (GString) text = NULL;

  audit->found |=
      audit->hash != NULL && g_ascii_strcasecmp (audit->hash, hash) == 0;
  if (audit->one != NULL)
    oct_audit_case_take (audit->one, line);
  if (!audit->list)
    return;
  text = g_string_new (NULL);
  g_string_printf (text, "%s %s", json_object_get_string_member (line, "time"),
      json_object_get_string_member (line, "event"));
  json_object_foreach_member (line, audit_print_member, text);
  g_strdelimit (text->str, "\n", ' ');
  g_print ("%s\n", text->str);
}

static void
audit_print_summary (const OctAuditChain *chain)
{
  gint64 first = chain->number - (gint64)chain->lines + 1;

  g_print ("The chain is whole: %" G_GUINT64_FORMAT
           " events from %s to %s.\nHash of the last line: %s\n",
      chain->lines, chain->first, chain->last, chain->whole);
  if (first != 1)
    g_print ("Note: it begins with event %" G_GINT64_FORMAT
             "; name the earlier files before it.\n",
        first);
  if (chain->lost > 0)
    g_print ("Note: %" G_GUINT64_FORMAT
             " events could not be written, as the lines after them say.\n",
        chain->lost);
  if (chain->cut > 0)
    g_print ("Note: %" G_GUINT64_FORMAT
             " lines are cut off, as the computer stopped or wrote them.\n",
        chain->cut);
  if (chain->backwards > 0)
    g_print ("Note: the clock was set back %" G_GUINT64_FORMAT " times.\n",
        chain->backwards);
}

static gboolean
audit_is_hash (const char *text)
{
  return strlen (text) == OCT_AUDIT_HASH
         && strspn (text, "0123456789abcdefABCDEF") == OCT_AUDIT_HASH;
}

static gboolean
audit_report (Audit *audit, const OctAuditChain *chain, GError **error)
{
  const OctAuditReport report = { audit->one, chain, audit->files,
    audit->folder };

  if (audit->one == NULL)
    return TRUE;
  if (!oct_audit_case_end (audit->one, chain->last, error)
      || !oct_audit_report_write (&report, audit->report, error))
    return FALSE;
  g_print ("Report: %s\n", audit->report);
  return TRUE;
}

static int
audit_run (Audit *audit)
{
  OctAuditChain chain = { 0 };
  g_autoptr (GError) reason = NULL;

  for (char **file = audit->files; *file != NULL; file++) {
    g_autoptr (GError) error = NULL;

    if (!oct_audit_check (*file, &chain, audit_on_line, audit, &error)) {
      g_printerr ("Error: %s\n", error->message);
      return EXIT_FAILURE;
    }
  }
  audit_print_summary (&chain);
  if (audit->hash != NULL && !audit->found) {
    g_printerr ("Error: no line has the hash %s: lines were removed, or all of "
                "the audit was made anew.\n",
        audit->hash);
    return EXIT_FAILURE;
  }
  if (audit_report (audit, &chain, &reason))
    return EXIT_SUCCESS;
  g_printerr ("Error: %s\n", reason->message);
  return EXIT_FAILURE;
}

/* NULL, or a sentence. */
static const char *
audit_find_wrong (const Audit *audit)
{
  if (audit->files == NULL)
    return "Name the audit, a FILE of oct-live --audit.";
  if (audit->hash != NULL && !audit_is_hash (audit->hash))
    return "--hash is not a hash of a line, which has 64 hex digits; give all "
           "of it.";
  if (audit->report == NULL && (audit->label != NULL || audit->folder != NULL))
    return "--case and --recordings belong to --report FILE.";
  return NULL;
}

int
main (int argc, char **argv)
{
  Audit audit = { 0 };
  const GOptionEntry entries[] = {
    { "hash", 0, 0, G_OPTION_ARG_STRING, &audit.hash,
        "Hash of a line that was noted elsewhere: it has to be there", "HEX" },
    { "list", 0, 0, G_OPTION_ARG_NONE, &audit.list, "Print all events", NULL },
    { "report", 0, 0, G_OPTION_ARG_FILENAME, &audit.report,
        "Write a report of a case, HTML for a browser and for printing",
        "FILE" },
    { "case", 0, 0, G_OPTION_ARG_STRING, &audit.label,
        "--report: of the case with this label (default: all events)",
        "LABEL" },
    { "recordings", 0, 0, G_OPTION_ARG_FILENAME, &audit.folder,
        "--report: folder of the recordings, whose images are counted", "DIR" },
    { G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &audit.files, NULL,
        "FILE..." },
    { NULL }
  };
  g_autoptr (GOptionContext) context = g_option_context_new (NULL);
  g_autoptr (GError) error = NULL;
  const char *wrong = NULL;
  int status;

  setlocale (LC_ALL, "");
  oct_terminal_begin ();
  g_option_context_set_summary (context,
      "Checks that no line of an audit of oct-live was changed, removed or "
      "added.\nFiles that were moved away come before those that follow them.");
  g_option_context_add_main_entries (context, entries, NULL);
  oct_options_add_help (context);
  if (!g_option_context_parse (context, &argc, &argv, &error)
      || (wrong = audit_find_wrong (&audit)) != NULL) {
    g_printerr ("Error: %s\n", error != NULL ? error->message : wrong);
    return EXIT_FAILURE;
  }
  if (audit.report != NULL) {
    gst_init (NULL, NULL);
    audit.one = oct_audit_case_new (audit.label);
  }
  status = audit_run (&audit);
  g_clear_pointer (&audit.one, oct_audit_case_free);
  g_strfreev (audit.files);
  g_free (audit.hash);
  g_free (audit.report);
  g_free (audit.label);
  g_free (audit.folder);
  return status;
}
