/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-live-notes.h"
#include "oct-file-mode.h"

#include <string.h>

struct _OctLiveNotes {
  char *path;
  guint mode, count;
  GString *text;
  GThreadPool *writer; /* one thread; it alone uses `failed` */
  gboolean failed;
};

/* All of them each time: the file is whole, or as it was before. */
static void
notes_write (gpointer data, gpointer user_data)
{
  OctLiveNotes *notes = user_data;
  g_autofree char *text = data;
  g_autoptr (GError) error = NULL;

  if (notes->failed
      || oct_file_mode_write (notes->path, text, -1, notes->mode, &error))
    return;
  notes->failed = TRUE;
  g_printerr ("Note: %s Notes on this recording are lost; it goes on.\n",
      error->message);
}

OctLiveNotes *
oct_live_notes_new (const char *output, guint mode)
{
  OctLiveNotes *notes = g_new0 (OctLiveNotes, 1);

  notes->path = g_strconcat (output, "-notes.csv", NULL);
  notes->mode = mode;
  notes->text = g_string_new ("seconds,time,note\n");
  notes->writer = g_thread_pool_new (notes_write, notes, 1, FALSE, NULL);
  return notes;
}

void
oct_live_notes_free (OctLiveNotes *notes)
{
  g_thread_pool_free (notes->writer, FALSE, TRUE);
  g_string_free (notes->text, TRUE);
  g_free (notes->path);
  g_free (notes);
}

gboolean
oct_live_notes_add (OctLiveNotes *notes, double seconds, const char *text)
{
  g_autoptr (GDateTime) now = g_date_time_new_now_local ();
  g_autofree char *time = g_date_time_format_iso8601 (now);
  char number[G_ASCII_DTOSTR_BUF_SIZE];

  if (notes->count >= OCT_LIVE_MOST_NOTES)
    return FALSE;
  notes->count++;
  g_string_append_printf (notes->text, "%s,%s,\"",
      g_ascii_formatd (number, sizeof number, "%.3f", seconds), time);
  for (const char *c = *text != '\0' ? text : "mark"; *c; c++)
    g_string_append_printf (notes->text, *c == '"' ? "%c\"" : "%c", *c);
  g_string_append (notes->text, "\"\n");
  g_thread_pool_push (notes->writer, g_strdup (notes->text->str), NULL);
  return TRUE;
}

guint
oct_live_notes_count (OctLiveNotes *notes)
{
  return notes->count;
}
