/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The audit: its chain over restarts and files that are moved, what a check finds,
 * and a disk that takes nothing. */
#include "oct-audit-check.h"
#include "oct-audit-log.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

static char *folder;
static gint keeps_all; /* atomic: as a file that can only grow (chattr +a) */

/* Before that of the C library. */
int
ftruncate (int file, off_t size)
{
  if (!g_atomic_int_get (&keeps_all))
    return (int)syscall (SYS_ftruncate, file, size);
  errno = EPERM;
  return -1;
}

static char *
audit_path (const char *name)
{
  return g_build_filename (folder, name, NULL);
}

static void
audit_write (const char *path, guint count)
{
  g_autoptr (GError) error = NULL;
  OctAuditLog *log = oct_audit_log_open (path, &error);

  g_assert_no_error (error);
  for (guint i = 0; i < count; i++)
    oct_audit_log_add (log, "event", &(OctAuditField){ "index", NULL, i }, 1);
  g_assert_true (oct_audit_log_close (log));
}

static char *
audit_read (const char *path)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GMappedFile) file = g_mapped_file_new (path, FALSE, &error);

  g_assert_no_error (error);
  if (g_mapped_file_get_length (file) == 0)
    return g_strdup ("");
  return g_strndup (
      g_mapped_file_get_contents (file), g_mapped_file_get_length (file));
}

/* NULL: the audit is sound; else the sentence. */
static char *
audit_check (const char *path, OctAuditChain *chain)
{
  g_autoptr (GError) error = NULL;

  *chain = (OctAuditChain){ 0 };
  return oct_audit_check (path, chain, NULL, NULL, &error)
             ? NULL
             : g_strdup (error->message);
}

static void
assert_sound (const char *path, guint lines)
{
  OctAuditChain chain;
  g_autofree char *fault = audit_check (path, &chain);

  g_assert_cmpstr (fault, ==, NULL);
  g_assert_cmpuint (chain.lines, ==, lines);
}

static void
assert_unsound (
    const char *path, const char *text, gssize size, const char *expected)
{
  OctAuditChain chain;
  g_autofree char *fault = NULL;

  g_assert_true (g_file_set_contents (path, text, size, NULL));
  fault = audit_check (path, &chain);
  g_assert_nonnull (fault);
  g_assert_nonnull (strstr (fault, expected));
}

/* Lines have numbers from 1, and the SHA-256 of the line before. */
static void
test_chain (void)
{
  g_autofree char *path = audit_path ("chain"), *text = NULL;
  g_auto (GStrv) lines = NULL;

  audit_write (path, 3);
  audit_write (path, 2);
  assert_sound (path, 5);
  text = audit_read (path);
  lines = g_strsplit (text, "\n", -1);
  g_assert_cmpuint (g_strv_length (lines), ==, 6);
  g_assert_nonnull (strstr (lines[0],
      "\"before\":\"0000000000000000000000000000000000000000000000000000000000"
      "000000\"}"));
  for (guint i = 0; i < 5; i++) {
    g_autofree char *hash =
        g_compute_checksum_for_string (G_CHECKSUM_SHA256, lines[i], -1);
    g_autofree char *number = g_strdup_printf ("{\"number\":%u,", i + 1);

    g_assert_true (g_str_has_prefix (lines[i], number));
    if (i < 4)
      g_assert_nonnull (strstr (lines[i + 1], hash));
  }
}

/* A line that was changed, removed, added, exchanged or cut in the middle. */
static void
test_tampering (void)
{
  g_autofree char *path = audit_path ("tampered"), *text = NULL;
  g_autofree char *changed = NULL, *removed = NULL, *doubled = NULL,
                  *broken = NULL, *endless = NULL;
  g_auto (GStrv) lines = NULL;
  char *place;

  audit_write (path, 4);
  text = audit_read (path);
  lines = g_strsplit (text, "\n", -1);
  changed = g_strdup (text);
  place = strstr (changed, "\"index\":1");
  place[8] = '7';
  assert_unsound (path, changed, -1, "Line 3 of ");
  removed = g_strjoin ("\n", lines[0], lines[2], lines[3], "", NULL);
  assert_unsound (path, removed, -1, "Line 2 of ");
  doubled = g_strjoin ("\n", lines[0], lines[1], lines[1], lines[2], "", NULL);
  assert_unsound (path, doubled, -1, "Line 3 of ");
  broken = g_strdup (text);
  strstr (broken, "\"index\":1")[0] = '\0';
  assert_unsound (path, broken, (gssize)strlen (text), "Line 3 of ");
  endless = g_strnfill (4 * OCT_AUDIT_LINE, 'x');
  assert_unsound (path, endless, -1, "longer than");
  assert_unsound (path, "a text\n", -1, "not one of an audit");
  assert_unsound (path, "", -1, "not one of an audit");
  /* at its end nothing shows it but a hash that was noted */
  g_assert_true (
      g_file_set_contents (path, text, strstr (text, lines[3]) - text, NULL));
  assert_sound (path, 3);
}

/* The power fails within a line: the next line says so. */
static void
test_cut (void)
{
  g_autofree char *path = audit_path ("cut"), *text = NULL;
  OctAuditChain chain;

  audit_write (path, 3);
  text = audit_read (path);
  g_assert_cmpint (truncate (path, (off_t)strlen (text) - 30), ==, 0);
  g_assert_null (audit_check (path, &chain));
  g_assert_cmpuint (chain.lines, ==, 2);
  g_assert_cmpuint (chain.cut, ==, 1);
  audit_write (path, 2);
  g_assert_null (audit_check (path, &chain));
  g_assert_cmpuint (chain.lines, ==, 4);
  g_assert_cmpuint (chain.cut, ==, 1);
  g_assert_cmpint (chain.number, ==, 4);
}

/* Also if it was the first line, of which any part may be there. */
static void
test_cut_first (void)
{
  for (guint size = 1; size < 60; size += 29) {
    g_autofree char *name = g_strdup_printf ("cut-first-%u", size);
    g_autofree char *path = audit_path (name);
    OctAuditChain chain;

    audit_write (path, 1);
    g_assert_cmpint (truncate (path, size), ==, 0);
    audit_write (path, 2);
    g_assert_null (audit_check (path, &chain));
    g_assert_cmpuint (chain.lines, ==, 2);
    g_assert_cmpuint (chain.cut, ==, 1);
  }
}

/* The hash to note is that of a line that will be found again. */
static void
test_cut_hash (void)
{
  g_autofree char *path = audit_path ("cut-hash"), *text = NULL, *hash = NULL;
  g_auto (GStrv) lines = NULL;
  OctAuditChain chain;

  audit_write (path, 3);
  text = audit_read (path);
  lines = g_strsplit (text, "\n", -1);
  hash = g_compute_checksum_for_string (G_CHECKSUM_SHA256, lines[1], -1);
  g_assert_cmpint (truncate (path, (off_t)strlen (text) - 30), ==, 0);
  g_assert_null (audit_check (path, &chain));
  g_assert_true (chain.part);
  g_assert_cmpstr (chain.whole, ==, hash);
}

#define ZEROS "0000000000000000000000000000000000000000000000000000000000000000"
#define TIME "2026-01-31T09:15:02.123456Z"

/* Files of somebody who wants the check to end, or to say something else. */
static void
test_hostile (void)
{
  static const char *const lines[] = {
    "{\"number\":9223372036854775807,\"time\":\"" TIME
    "\",\"event\":\"x\",\"before\":\"" ZEROS "\"}\nx\n",
    "{\"number\":1,\"time\":\"a\\nThe chain is whole\",\"event\":\"x\","
    "\"before\":\"" ZEROS "\"}\nx\n",
    "{\"number\":1,\"time\":\"" TIME "\",\"event\":\"x\",\"a\":[],"
    "\"before\":\"" ZEROS "\"}\nx\n",
    "{\"number\":1,\"time\":\"" TIME "\",\"event\":\"\xff\","
    "\"before\":\"" ZEROS "\"}\nx\n",
  };
  g_autofree char *path = audit_path ("hostile"), *first = NULL;

  for (guint depth = 60000; depth <= 129000; depth += 69000) {
    g_autofree char *open = g_strnfill (depth, '[');
    g_autofree char *deep = g_strdup_printf ("{\"a\":%s\nx\n", open);

    assert_unsound (path, deep, -1, "Line 1 of ");
  }
  for (guint i = 0; i < G_N_ELEMENTS (lines); i++)
    assert_unsound (path, lines[i], -1, "not one of an audit");
  first = g_strdup_printf ("{\"number\":1,\"time\":\"%s\",\"event\":\"x\","
                           "\"before\":\"1%063d\"}\n",
      TIME, 0);
  assert_unsound (path, first, -1, "the hash of a line before it");
}

static void
wait_for_text (const char *path)
{
  for (;;) {
    g_autofree char *there = audit_read (path);

    if (*there != '\0')
      return;
    g_usleep (1000);
  }
}

/* logrotate moves the file: the chain goes on in the next. */
static void
test_moved (void)
{
  g_autofree char *path = audit_path ("moved"), *old = audit_path ("moved.1");
  g_autofree char *problem = NULL;
  g_autoptr (GError) error = NULL;
  OctAuditLog *log = oct_audit_log_open (path, &error);
  OctAuditChain chain = { 0 };

  oct_audit_log_add (log, "one", NULL, 0);
  wait_for_text (path);
  g_assert_cmpint (g_rename (path, old), ==, 0);
  oct_audit_log_add (log, "two", NULL, 0);
  while (!g_file_test (path, G_FILE_TEST_EXISTS))
    g_usleep (1000);
  while (problem == NULL)
    problem = oct_audit_log_take_problem (log);
  g_assert_nonnull (strstr (problem, "was moved or deleted"));
  g_assert_true (oct_audit_log_close (log));
  g_assert_true (oct_audit_check (old, &chain, NULL, NULL, &error));
  g_assert_true (oct_audit_check (path, &chain, NULL, NULL, &error));
  g_assert_cmpuint (chain.lines, ==, 2);
  g_assert_cmpint (chain.number, ==, 2);
}

static void
wait_for_problem (OctAuditLog *log, const char *expected)
{
  g_autofree char *problem = NULL;

  while (problem == NULL) {
    problem = oct_audit_log_take_problem (log);
    g_usleep (1000);
  }
  g_assert_nonnull (strstr (problem, expected));
}

/* Another file is put at its place for a while, which does not end the chain. */
static void
test_replaced (void)
{
  g_autofree char *path = audit_path ("replaced"),
                  *old = audit_path ("replaced.1");
  g_autoptr (GError) error = NULL;
  OctAuditLog *log = oct_audit_log_open (path, &error);
  OctAuditChain chain = { 0 };

  oct_audit_log_add (log, "one", NULL, 0);
  wait_for_text (path);
  g_assert_cmpint (g_rename (path, old), ==, 0);
  g_assert_true (g_file_set_contents (path, "a diary\n", -1, NULL));
  oct_audit_log_add (log, "two", NULL, 0);
  wait_for_problem (log, "is not an audit");
  g_assert_cmpint (g_unlink (path), ==, 0);
  g_assert_true (oct_audit_log_close (log));
  oct_audit_check (old, &chain, NULL, NULL, &error);
  g_assert_no_error (error);
  oct_audit_check (path, &chain, NULL, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (chain.lines, ==, 2);
}

/* A file that was moved while nobody wrote it is an audit of its own, which the
 * check says. */
static void
test_two_audits (void)
{
  g_autofree char *old = audit_path ("two.1"), *path = audit_path ("two");
  g_autoptr (GError) error = NULL;
  OctAuditChain chain = { 0 };

  audit_write (old, 2);
  audit_write (path, 2);
  g_assert_true (oct_audit_check (old, &chain, NULL, NULL, NULL));
  g_assert_false (oct_audit_check (path, &chain, NULL, NULL, &error));
  g_assert_nonnull (strstr (error->message, "begins an audit of its own"));
}

/* Two programs do not write one audit; other files and devices are not audits. */
static void
test_refused (void)
{
  g_autofree char *path = audit_path ("refused"), *other = audit_path ("other"),
                  *link = audit_path ("link"), *pipe = audit_path ("pipe");
  g_autoptr (GError) error = NULL;
  OctAuditLog *log = oct_audit_log_open (path, NULL);

  g_assert_null (oct_audit_log_open (path, &error));
  g_assert_nonnull (strstr (error->message, "Another program writes"));
  g_clear_error (&error);
  g_assert_true (oct_audit_log_close (log));
  g_assert_true (g_file_set_contents (other, "a diary\n", -1, NULL));
  g_assert_null (oct_audit_log_open (other, &error));
  g_assert_nonnull (strstr (error->message, "is not an audit"));
  g_clear_error (&error);
  g_assert_cmpint (symlink (other, link), ==, 0);
  g_assert_null (oct_audit_log_open (link, &error));
  g_clear_error (&error);
  g_assert_cmpint (mkfifo (pipe, 0600), ==, 0);
  g_assert_null (oct_audit_log_open (pipe, &error));
  g_assert_nonnull (strstr (error->message, "is not a file"));
  g_clear_error (&error);
  g_assert_null (oct_audit_log_open ("/nowhere/audit", &error));
  g_assert_nonnull (strstr (error->message, "cannot be written"));
}

/* Text from anywhere stays in its line. */
static void
test_texts (void)
{
  g_autofree char *path = audit_path ("texts"), *text = NULL,
                  *large = g_strnfill (100000, 'a'),
                  *half = g_strconcat (large + 100001 - OCT_AUDIT_TEXT,
                      "\xc3\xa4 and more", NULL);
  const OctAuditField fields[] = { { "evil", "a\n\"}{\\\x1b[2J\xff", 0 },
    { "large", large, 0 }, { "half", half, 0 } };
  OctAuditLog *log = oct_audit_log_open (path, NULL);

  oct_audit_log_add (log, "text", fields, G_N_ELEMENTS (fields));
  g_assert_true (oct_audit_log_close (log));
  assert_sound (path, 1);
  text = audit_read (path);
  g_assert_true (strchr (text, '\n') == text + strlen (text) - 1);
  g_assert_null (strchr (text, '\x1b'));
  g_assert_cmpuint (strlen (text), <, 3 * OCT_AUDIT_TEXT);
  /* only the byte that is not valid is replaced: none is cut within a
   * character */
  g_assert_null (strstr (strstr (text, "\xef\xbf\xbd") + 1, "\xef\xbf\xbd"));
  g_assert_nonnull (strstr (text, "a\",\"before\""));
}

/* An audit with two lines has no room for a third. */
static struct rlimit
fill_disk (void)
{
  struct rlimit none, before;

  g_assert_cmpint (getrlimit (RLIMIT_FSIZE, &before), ==, 0);
  none = before;
  none.rlim_cur = 400;
  signal (SIGXFSZ, SIG_IGN);
  g_assert_cmpint (setrlimit (RLIMIT_FSIZE, &none), ==, 0);
  return before;
}

/* A full disk is told, and events wait for room.  Those that find none are told
 * by the next one, or by the result of the end. */
static void
test_full (void)
{
  g_autofree char *path = audit_path ("full"), *problem = NULL;
  OctAuditLog *log = oct_audit_log_open (path, NULL);
  struct rlimit before = fill_disk ();
  OctAuditChain chain;

  oct_audit_log_add (log, "one", NULL, 0);
  oct_audit_log_add (log, "two", NULL, 0);
  oct_audit_log_add (log, "three", NULL, 0);
  while (problem == NULL)
    problem = oct_audit_log_take_problem (log);
  g_assert_nonnull (strstr (problem, "cannot be written"));
  assert_sound (path, 2);
  g_assert_cmpint (setrlimit (RLIMIT_FSIZE, &before), ==, 0);
  g_assert_true (oct_audit_log_close (log));
  assert_sound (path, 3);

  log = oct_audit_log_open (path, NULL);
  before = fill_disk ();
  for (guint i = 0; i < OCT_AUDIT_MOST_WAITING + 10; i++)
    oct_audit_log_add (log, "many", NULL, 0);
  g_assert_cmpint (setrlimit (RLIMIT_FSIZE, &before), ==, 0);
  do { /* until one has room to wait */
    oct_audit_log_add (log, "last", NULL, 0);
    g_usleep (1000);
    g_assert_null (audit_check (path, &chain));
  } while (chain.lines < 100);
  g_assert_false (oct_audit_log_close (log));
  g_assert_null (audit_check (path, &chain));
  g_assert_cmpuint (chain.lost, >=, 9); /* one may be on its way to the disk */

  log = oct_audit_log_open (path, NULL);
  before = fill_disk ();
  oct_audit_log_add (log, "never", NULL, 0);
  g_assert_false (oct_audit_log_close (log));
  g_assert_cmpint (setrlimit (RLIMIT_FSIZE, &before), ==, 0);
  g_assert_null (audit_check (path, &chain));
}

/* A part of a line that cannot be taken out of the file stays in the chain, also
 * if the file is moved then. */
static void
test_torn (void)
{
  g_autoptr (GError) error = NULL;

  for (guint moves = 0; moves < 2; moves++) {
    g_autofree char *path = audit_path (moves ? "torn-moved" : "torn");
    g_autofree char *old = g_strconcat (path, ".1", NULL);
    OctAuditLog *log = oct_audit_log_open (path, NULL);
    struct rlimit before = fill_disk ();
    OctAuditChain chain = { 0 };

    g_atomic_int_set (&keeps_all, TRUE);
    oct_audit_log_add (log, "one", NULL, 0);
    oct_audit_log_add (log, "two", NULL, 0);
    oct_audit_log_add (log, "three", NULL, 0);
    wait_for_problem (log, "cannot be written");
    if (moves)
      g_assert_cmpint (g_rename (path, old), ==, 0);
    g_atomic_int_set (&keeps_all, FALSE);
    g_assert_cmpint (setrlimit (RLIMIT_FSIZE, &before), ==, 0);
    g_assert_true (oct_audit_log_close (log));
    if (moves)
      oct_audit_check (old, &chain, NULL, NULL, &error);
    g_assert_no_error (error);
    oct_audit_check (path, &chain, NULL, NULL, &error);
    g_assert_no_error (error);
    g_assert_cmpuint (chain.lines, ==, 3);
    g_assert_cmpuint (chain.cut, ==, 1);
  }
}

/* Events that are lost right before the end are told, too. */
static void
test_lost_at_end (void)
{
  g_autofree char *path = audit_path ("lost");
  OctAuditLog *log = oct_audit_log_open (path, NULL);
  struct rlimit before = fill_disk ();
  OctAuditChain chain;

  oct_audit_log_add (log, "one", NULL, 0);
  oct_audit_log_add (log, "two", NULL, 0);
  oct_audit_log_add (log, "three", NULL, 0);
  wait_for_problem (log, "cannot be written");
  for (guint i = 0; i < OCT_AUDIT_MOST_WAITING + 10; i++)
    oct_audit_log_add (log, "many", NULL, 0);
  g_assert_cmpint (setrlimit (RLIMIT_FSIZE, &before), ==, 0);
  g_assert_false (oct_audit_log_close (log));
  g_assert_null (audit_check (path, &chain));
  g_assert_cmpuint (chain.lost, ==, 10);
}

int
main (int argc, char **argv)
{
  g_autofree char *command = NULL;
  int status;

  g_test_init (&argc, &argv, NULL);
  folder = g_dir_make_tmp ("oct-audit-XXXXXX", NULL);
  g_test_add_func ("/audit/chain", test_chain);
  g_test_add_func ("/audit/tampering", test_tampering);
  g_test_add_func ("/audit/cut", test_cut);
  g_test_add_func ("/audit/cut-first", test_cut_first);
  g_test_add_func ("/audit/cut-hash", test_cut_hash);
  g_test_add_func ("/audit/hostile", test_hostile);
  g_test_add_func ("/audit/moved", test_moved);
  g_test_add_func ("/audit/replaced", test_replaced);
  g_test_add_func ("/audit/two-audits", test_two_audits);
  g_test_add_func ("/audit/refused", test_refused);
  g_test_add_func ("/audit/texts", test_texts);
  g_test_add_func ("/audit/full", test_full);
  g_test_add_func ("/audit/torn", test_torn);
  g_test_add_func ("/audit/lost-at-end", test_lost_at_end);
  status = g_test_run ();
  command = g_strdup_printf ("rm -r '%s'", folder);
  return system (command) == 0 ? status : 1;
}
