/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-live-worklist.h"
#include "oct-live-json.h"

#include <gio/gio.h>

struct _OctLiveWorklist {
  GFile *file;
  char **cases;
  gboolean reading;
  gboolean freed;  /* while it was being read: that frees it */
  gboolean failed; /* the terminal has said so */
  void (*changed) (gpointer data);
  gpointer data;
};

OctLiveWorklist *
oct_live_worklist_new (
    const char *path, void (*changed) (gpointer data), gpointer data)
{
  OctLiveWorklist *worklist = g_new0 (OctLiveWorklist, 1);

  worklist->file = g_file_new_for_path (path);
  worklist->cases = g_new0 (char *, 1);
  worklist->changed = changed;
  worklist->data = data;
  return worklist;
}

void
oct_live_worklist_free (OctLiveWorklist *worklist)
{
  worklist->freed = TRUE;
  if (worklist->reading)
    return;
  g_object_unref (worklist->file);
  g_strfreev (worklist->cases);
  g_free (worklist);
}

/* One line as the page and recordings have it. */
static char *
make_case (const char *line)
{
  GString *text = g_string_new (NULL);
  guint length = 0;

  for (; *line != '\0' && length < OCT_LIVE_WORKLIST_LENGTH;
       line = g_utf8_next_char (line)) {
    gunichar c = g_utf8_get_char (line);

    if (!g_unichar_isprint (c))
      continue;
    g_string_append_unichar (text, c);
    length++;
  }
  g_strstrip (text->str);
  return g_string_free (text, FALSE);
}

char **
oct_live_worklist_split (const char *text, gsize length)
{
  g_autoptr (GStrvBuilder) cases = g_strv_builder_new ();
  g_autoptr (GHashTable) known =
      g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autofree char *valid = g_utf8_make_valid (text, (gssize)length);
  g_auto (GStrv) lines = g_strsplit (valid, "\n", -1);

  for (guint i = 0;
       lines[i] != NULL && g_hash_table_size (known) < OCT_LIVE_WORKLIST_CASES;
       i++) {
    char *one = make_case (lines[i]);

    if (*one == '\0' || *one == '#' || g_hash_table_contains (known, one)) {
      g_free (one);
      continue;
    }
    g_strv_builder_add (cases, one);
    g_hash_table_add (known, one);
  }
  return g_strv_builder_end (cases);
}

static gboolean
read_more (const char *text, goffset length, gpointer data)
{
  return length < OCT_LIVE_WORKLIST_BYTES;
}

static void
worklist_on_read (GObject *file, GAsyncResult *result, gpointer data)
{
  OctLiveWorklist *worklist = data;
  g_autoptr (GError) error = NULL;
  g_autofree char *text = NULL;
  g_auto (GStrv) cases = NULL;
  gsize length;

  worklist->reading = FALSE;
  if (worklist->freed) {
    oct_live_worklist_free (worklist);
    return;
  }
  if (!g_file_load_partial_contents_finish (
          G_FILE (file), result, &text, &length, NULL, &error)) {
    if (!worklist->failed)
      g_printerr ("Note: The worklist cannot be read (%s), and its cases "
                  "stay as they are; --worklist takes a text file.\n",
          error->message);
    worklist->failed = TRUE;
    return;
  }
  worklist->failed = FALSE;
  cases = oct_live_worklist_split (
      text, MIN (length, (gsize)OCT_LIVE_WORKLIST_BYTES));
  if (g_strv_equal (
          (const char *const *)cases, (const char *const *)worklist->cases))
    return;
  g_strfreev (worklist->cases);
  worklist->cases = g_steal_pointer (&cases);
  worklist->changed (worklist->data);
}

void
oct_live_worklist_refresh (OctLiveWorklist *worklist)
{
  if (worklist->reading)
    return;
  worklist->reading = TRUE;
  g_file_load_partial_contents_async (
      worklist->file, NULL, read_more, worklist_on_read, worklist);
}

JsonBuilder *
oct_live_worklist_report (const OctLiveWorklist *worklist)
{
  JsonBuilder *builder = oct_live_json_begin ("cases");

  json_builder_set_member_name (builder, "cases");
  json_builder_begin_array (builder);
  for (guint i = 0; worklist->cases[i] != NULL; i++)
    json_builder_add_string_value (builder, worklist->cases[i]);
  json_builder_end_array (builder);
  return builder;
}
