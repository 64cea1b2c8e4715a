/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The cases of a worklist, from files that are as they should be and that are
 * not. */
#include "oct-live-worklist.h"

#include <glib/gstdio.h>
#include <string.h>

/* The text is a literal, which may have zeros in it. */
#define CHECK(text, joined) check (text, sizeof (text) - 1, joined)

static void
check (const char *text, gsize length, const char *joined)
{
  g_auto (GStrv) cases = oct_live_worklist_split (text, length);
  g_autofree char *found = g_strjoinv ("|", cases);

  g_assert_cmpstr (found, ==, joined);
}

static void
test_split (void)
{
  CHECK ("", "");
  CHECK ("\n\n", "");
  CHECK ("A\nB", "A|B");
  /* of Windows, with empty lines, remarks, and a case twice */
  CHECK ("# today\r\n  M\xc3\xbcller 7 \r\n\r\n12\r\nM\xc3\xbcller 7\r\n",
      "M\xc3\xbcller 7|12");
  /* no text at all: what can be printed stays */
  CHECK ("a\0b\nc\xff\x1b[2J", "a\xef\xbf\xbd"
                               "b|c\xef\xbf\xbd[2J");
}

static void
test_limits (void)
{
  g_autofree char *line = g_strnfill (3 * OCT_LIVE_WORKLIST_LENGTH, 'x');
  g_autoptr (GString) many = g_string_new (NULL);
  g_auto (GStrv) one = oct_live_worklist_split (line, strlen (line));
  g_auto (GStrv) all = NULL;

  g_assert_cmpuint (g_strv_length (one), ==, 1);
  g_assert_cmpuint (strlen (one[0]), ==, OCT_LIVE_WORKLIST_LENGTH);
  for (guint i = 0; i < 3 * OCT_LIVE_WORKLIST_CASES; i++)
    g_string_append_printf (many, "%u\n", i);
  all = oct_live_worklist_split (many->str, many->len);
  g_assert_cmpuint (g_strv_length (all), ==, OCT_LIVE_WORKLIST_CASES);
}

static void
on_changed (gpointer data)
{
  g_main_loop_quit (data);
}

/* The message with the cases as JSON. */
static char *
report (OctLiveWorklist *worklist)
{
  g_autoptr (JsonBuilder) builder = oct_live_worklist_report (worklist);
  g_autoptr (JsonNode) root = NULL;

  json_builder_end_object (builder);
  root = json_builder_get_root (builder);
  return json_to_string (root, FALSE);
}

static void
test_file (void)
{
  g_autoptr (GMainLoop) loop = g_main_loop_new (NULL, FALSE);
  g_autofree char *path = NULL, *before = NULL, *after = NULL;
  int file = g_file_open_tmp ("oct-worklist-XXXXXX", &path, NULL);
  OctLiveWorklist *worklist = oct_live_worklist_new (path, on_changed, loop);

  g_assert_true (g_close (file, NULL));
  before = report (worklist);
  g_assert_cmpstr (before, ==, "{\"type\":\"cases\",\"cases\":[]}");
  g_assert_true (g_file_set_contents (path, "one\ntwo\n", -1, NULL));
  oct_live_worklist_refresh (worklist);
  oct_live_worklist_refresh (worklist);
  g_main_loop_run (loop);
  after = report (worklist);
  g_assert_cmpstr (
      after, ==, "{\"type\":\"cases\",\"cases\":[\"one\",\"two\"]}");
  /* a file that does not end, and freed while it is read */
  oct_live_worklist_free (worklist);
  worklist = oct_live_worklist_new ("/dev/zero", on_changed, loop);
  oct_live_worklist_refresh (worklist);
  oct_live_worklist_free (worklist);
  while (g_main_context_iteration (NULL, FALSE))
    ;
  g_unlink (path);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/live/worklist/split", test_split);
  g_test_add_func ("/live/worklist/limits", test_limits);
  g_test_add_func ("/live/worklist/file", test_file);
  return g_test_run ();
}
