/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-dicom-worklist.h"
#include "oct-dicom-case.h"
#include "oct-dicom-deadline.h"
#include "oct-dicom-link.h"
#include "oct-dicom-net.h"
#include "oct-file.h"
#include "oct-terminal.h"

#include <json-glib/json-glib.h>
#include <errno.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Those that oct-live shows, and the characters of each. */
#define MOST_CASES 500
#define MOST_LABEL 80

typedef struct {
  char *texts[OCT_DICOM_FIELDS];
  char *label; /* as oct-live shows it */
} Entry;

typedef struct {
  const OctDicomQuery *query;
  GPtrArray *entries;
  guint others;   /* answers to another question */
  gboolean bytes; /* some are not in the character set that they name */
} Answers;

/* -------------------------------------------------------------------- answers */

static void
entry_free (gpointer data)
{
  Entry *entry = data;

  for (guint i = 0; i < OCT_DICOM_FIELDS; i++)
    g_free (entry->texts[i]);
  g_free (entry->label);
  g_free (entry);
}

/* A name as people write it: the parts of its first group with spaces. */
static char *
make_name (const char *name)
{
  char *text = g_strdup (name);

  text[strcspn (text, "=")] = '\0';
  g_strdelimit (text, "^", ' ');
  return g_strstrip (text);
}

/* Name, ID and accession number; the name gives way if they are too long. */
static char *
entry_make_label (char *const *texts)
{
  g_autofree char *name = make_name (texts[OCT_DICOM_NAME]);
  g_autofree char *numbers = g_strdup_printf (
      " | %s | %s", texts[OCT_DICOM_ID], texts[OCT_DICOM_ACCESSION]);
  glong room = MAX (MOST_LABEL - g_utf8_strlen (numbers, -1), 1);
  g_autofree char *some =
      g_utf8_substring (name, 0, MIN (room, g_utf8_strlen (name, -1)));
  g_autofree char *all = g_strconcat (some, numbers, NULL);
  g_autofree char *label =
      g_utf8_substring (all, 0, MIN (MOST_LABEL, g_utf8_strlen (all, -1)));
  const char *start = label;

  /* oct-live takes a line that begins so for a comment */
  while (*start == '#' || *start == ' ')
    start++;
  return g_strchomp (g_strdup (start));
}

static gboolean
fits (const char *wanted, const char *got)
{
  return *wanted == '\0' || *got == '\0' || g_str_equal (wanted, got);
}

static gboolean
fits_date (const char *wanted, const char *got)
{
  if (strlen (wanted) != 17 || *got == '\0')
    return fits (wanted, got);
  return strncmp (got, wanted, 8) >= 0 && strcmp (got, wanted + 9) <= 0;
}

static void
on_found (const char *const *texts, gpointer data)
{
  Answers *answers = data;
  const OctDicomQuery *query = answers->query;
  Entry *entry = g_new0 (Entry, 1);

  for (guint i = 0; i < OCT_DICOM_FIELDS; i++)
    entry->texts[i] = oct_dicom_case_clean (texts[i]);
  for (guint i = 0; i < OCT_DICOM_FIELDS; i++)
    answers->bytes = answers->bytes || !g_utf8_validate (texts[i], -1, NULL);
  entry->label = entry_make_label (entry->texts);
  if (fits_date (query->date, entry->texts[OCT_DICOM_DATE])
      && fits (query->modality, entry->texts[OCT_DICOM_MODALITY])
      && fits (query->station, entry->texts[OCT_DICOM_STATION])) {
    g_ptr_array_add (answers->entries, entry);
    return;
  }
  answers->others++;
  entry_free (entry);
}

static gint
compare_entries (gconstpointer a, gconstpointer b)
{
  const Entry *one = *(Entry *const *)a, *two = *(Entry *const *)b;
  int order = strcmp (one->texts[OCT_DICOM_DATE], two->texts[OCT_DICOM_DATE]);

  if (order == 0)
    order = strcmp (one->texts[OCT_DICOM_TIME], two->texts[OCT_DICOM_TIME]);
  return order != 0 ? order : strcmp (one->label, two->label);
}

/* --------------------------------------------------------------------- output */

static char *
make_json (const Entry *entry)
{
  g_autoptr (JsonBuilder) builder = json_builder_new ();
  g_autoptr (JsonNode) root = NULL;

  json_builder_begin_object (builder);
  json_builder_set_member_name (builder, "case");
  json_builder_add_string_value (builder, entry->label);
  for (guint i = 0; i < OCT_DICOM_FIELDS; i++) {
    json_builder_set_member_name (builder, oct_dicom_field_name (i));
    json_builder_add_string_value (builder, entry->texts[i]);
  }
  json_builder_end_object (builder);
  root = json_builder_get_root (builder);
  return json_to_string (root, FALSE);
}

static char *
make_all_json (GPtrArray *entries)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < entries->len; i++) {
    g_autofree char *line = make_json (g_ptr_array_index (entries, i));

    g_string_append_printf (text, "%s\n", line);
  }
  return g_string_free (text, FALSE);
}

/* Pads by characters, which printf does not. */
static void
append_cell (GString *row, const char *text, glong width)
{
  g_string_append (row, text);
  for (glong i = g_utf8_strlen (text, -1); i < width; i++)
    g_string_append_c (row, ' ');
}

static void
print_table (GPtrArray *entries)
{
  static const struct {
    OctDicomField field;
    const char *title;
  } columns[] = { { OCT_DICOM_DATE, "date" }, { OCT_DICOM_TIME, "time" },
    { OCT_DICOM_NAME, "patient" }, { OCT_DICOM_ID, "ID" },
    { OCT_DICOM_BIRTH, "born" }, { OCT_DICOM_ACCESSION, "accession" },
    { OCT_DICOM_STEP, "procedure" } };
  glong widths[G_N_ELEMENTS (columns)];

  for (guint i = 0; i < G_N_ELEMENTS (columns); i++) {
    widths[i] = (glong)strlen (columns[i].title) + 2;
    for (guint j = 0; j < entries->len; j++) {
      const Entry *entry = g_ptr_array_index (entries, j);

      widths[i] = MAX (
          widths[i], g_utf8_strlen (entry->texts[columns[i].field], -1) + 2);
    }
  }
  for (guint j = 0; j <= entries->len; j++) {
    const Entry *entry = j > 0 ? g_ptr_array_index (entries, j - 1) : NULL;
    g_autoptr (GString) row = g_string_new (NULL);

    for (guint i = 0; i < G_N_ELEMENTS (columns); i++)
      append_cell (row,
          entry != NULL ? entry->texts[columns[i].field] : columns[i].title,
          widths[i]);
    g_print ("%s\n", g_strchomp (row->str));
  }
}

/* The file of oct-live, and that of tags. */
static gboolean
write_files (const OctDicomOptions *o, GPtrArray *entries, GError **error)
{
  g_autofree char *path = g_strconcat (o->output, ".jsonl", NULL);
  g_autofree char *json = make_all_json (entries);
  g_autoptr (GString) cases = g_string_new (NULL);

  for (guint i = 0; i < entries->len; i++)
    g_string_append_printf (
        cases, "%s\n", ((const Entry *)g_ptr_array_index (entries, i))->label);
  /* that of the tags first, so that every case that is shown has some */
  return oct_file_write_text ("Worklist", path, json, strlen (json), error)
         && oct_file_write_text (
             "Worklist", o->output, cases->str, cases->len, error);
}

/* -------------------------------------------------------------------- commands */

static gboolean
ask (const OctDicomOptions *o, Answers *answers, gboolean *more, GError **error)
{
  OctDicomLink *link;
  gboolean ok = FALSE;

  oct_dicom_deadline ((guint)o->peer.timeout, o->peer_text);
  link = oct_dicom_link_open (&o->peer, OCT_DICOM_WORKLIST, NULL, 0, error);
  if (link != NULL) {
    ok = oct_dicom_find (
        link, answers->query, MOST_CASES, on_found, answers, more, error);
    oct_dicom_link_close (link, ok);
  }
  oct_dicom_deadline (0, NULL);
  return ok;
}

/* *written: whether what it printed has arrived, which it says if not. */
static gboolean
list_once (const OctDicomOptions *o, gboolean *written, GError **error)
{
  g_autoptr (GDateTime) now = g_date_time_new_now_local ();
  g_autofree char *today = g_date_time_format (now, "%Y%m%d");
  const OctDicomQuery query = { .date = o->date == NULL ? today
                                        : g_str_equal (o->date, "any")
                                            ? ""
                                            : o->date,
    .modality = o->modality,
    .station = o->station };
  g_autoptr (GPtrArray) entries = g_ptr_array_new_with_free_func (entry_free);
  Answers answers = { &query, entries, 0, FALSE };
  gboolean more = FALSE;

  if (!ask (o, &answers, &more, error))
    return FALSE;
  g_ptr_array_sort (entries, compare_entries);
  if (more)
    g_printerr ("Note: %s has more than %u patients; the first are listed, and "
                "--date, --modality and --station leave out others.\n",
        o->peer_text, MOST_CASES);
  if (answers.others > 0)
    g_printerr ("Note: %s gave %u answers for another day, modality or station "
                "than was asked; they are left out, and `any` lists them.\n",
        o->peer_text, answers.others);
  if (answers.bytes)
    g_printerr (
        "Note: %s sent characters that are not in the character set that "
        "it names; they are replaced, so set it up to name the right "
        "one.\n",
        o->peer_text);
  if (o->output != NULL)
    return write_files (o, entries, error);
  if (o->json) {
    g_autofree char *json = make_all_json (entries);

    *written = oct_terminal_write (json);
  } else {
    print_table (entries);
    *written = oct_terminal_write ("");
  }
  return TRUE;
}

/* In a process of its own: its exit status. */
static int
list_and_end (const OctDicomOptions *o)
{
  g_autoptr (GError) error = NULL;
  gboolean written = TRUE;

  oct_dicom_limit_memory ();
  if (list_once (o, &written, &error))
    return written ? 0 : OCT_DICOM_EXIT_TROUBLE;
  g_printerr ("Error: %s.\n", error->message);
  return OCT_DICOM_EXIT_TROUBLE;
}

int
oct_dicom_worklist_run (const OctDicomOptions *o)
{
  for (;;) {
    pid_t parent = getpid (), child = fork ();
    int status = -1;

    if (child == 0) {
      oct_dicom_begin_child (parent);
      _exit (list_and_end (o));
    }
    while (child > 0 && waitpid (child, &status, 0) < 0 && errno == EINTR)
      ;
    if (child < 0 || WIFSIGNALED (status))
      g_printerr (
          "Error: The list of %s could not be read; it is too large, or "
          "not valid.\n",
          o->peer_text);
    if (o->every == 0)
      return status == 0 ? 0 : OCT_DICOM_EXIT_TROUBLE;
    sleep ((guint)o->every);
  }
}

/* ------------------------------------------------------------------------ tags */

int
oct_dicom_tags_run (const OctDicomOptions *o)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *text = oct_dicom_case_read (o->from, &error);
  g_autofree char *tags = NULL;
  g_autofree char *line = NULL;

  if (text != NULL)
    tags = oct_dicom_case_get_tags (text, o->files[0], &error);
  if (tags == NULL) {
    g_printerr ("Error: %s.\n", error->message);
    return OCT_DICOM_EXIT_TROUBLE;
  }
  line = g_strconcat (tags, "\n", NULL);
  return oct_terminal_write (line) ? 0 : OCT_DICOM_EXIT_TROUBLE;
}
