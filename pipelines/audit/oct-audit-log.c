/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-audit-log.h"
#include "oct-audit-check.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* How often a disk that takes nothing is tried again, ms. */
#define AGAIN 1000

struct _OctAuditLog {
  char *path;
  GThread *thread;
  gint any_lost; /* atomic */

  GMutex lock;
  GCond changed;
  GQueue waiting; /* texts of events, with the lock as all to `problem` */
  gboolean closing;
  gint64 lost; /* events that no line has told yet */
  char *problem;

  /* of the thread */
  int file;
  OctAuditChain end;
  gboolean torn; /* a line that failed may be in the file, or a part of it */
};

/* -------------------------------------------------------------------- the file
 */

static gboolean
audit_file_fail (const char *path, int code, GError **error)
{
  g_set_error (error, G_IO_ERROR, g_io_error_from_errno (code),
      "The audit '%s' cannot be written: %s.", path, g_strerror (code));
  return FALSE;
}

/* Whether these are all bytes of a file, a part of its first line. */
static gboolean
audit_file_is_begun (const char *text, gsize length)
{
  static const char begin[] = "{\"number\":";
  gsize size = MIN (length, sizeof begin - 1);

  return memcmp (text, begin, size) == 0
         && memchr (text, '\n', length - 1) == NULL;
}

/* The chain at the end of a file that is there already.  Its last line may be a
 * part of one, which gets an end here. */
static gboolean
audit_file_find_end (
    const char *path, int file, gint64 size, OctAuditChain *end, GError **error)
{
  gint64 from = MAX (size - 2 * OCT_AUDIT_LINE, 0);
  gsize length = (gsize)(size - from), skipped = 0;
  g_autofree char *tail = g_malloc (length);
  ssize_t got = pread (file, tail, length, from);
  OctAuditChain found;
  const char *stop;

  if (got != (ssize_t)length)
    return audit_file_fail (path, got < 0 ? errno : EIO, error);
  if (from > 0) { /* in the middle of a line */
    stop = memchr (tail, '\n', length);
    skipped = stop != NULL ? (gsize)(stop - tail) + 1 : length;
  }
  if (!oct_audit_find_end (tail + skipped, length - skipped, &found)) {
    if (from > 0 || !audit_file_is_begun (tail, length)) {
      g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA,
          "'%s' is not an audit of oct-live; name another file.", path);
      return FALSE;
    }
    found.number = end->number;
  }
  if (tail[length - 1] != '\n' && write (file, "\n", 1) != 1)
    return audit_file_fail (path, errno, error);
  *end = found;
  return TRUE;
}

/* -1 with an error.  `end` stays as it is then, and if the file is new: the
 * chain goes on in it. */
static int
audit_file_open (const char *path, OctAuditChain *end, GError **error)
{
  int file = open (path,
      O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
  struct stat status;
  gboolean ok;

  if (file < 0 || fstat (file, &status) != 0) {
    (void)audit_file_fail (path, errno, error);
    if (file >= 0)
      close (file);
    return -1;
  }
  ok = S_ISREG (status.st_mode);
  if (!ok)
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_NOT_REGULAR_FILE,
        "The audit '%s' is not a file; name one.", path);
  else if (!(ok = flock (file, LOCK_EX | LOCK_NB) == 0))
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_BUSY,
        "Another program writes the audit '%s'; give each one of its own.",
        path);
  else if (status.st_size > 0)
    ok = audit_file_find_end (path, file, status.st_size, end, error);
  if (ok)
    return file;
  close (file);
  return -1;
}

/* Whether the file is not any more the one of that name. */
static gboolean
audit_file_is_gone (const char *path, int file)
{
  struct stat here, there;

  return fstat (file, &here) == 0
         && (stat (path, &there) != 0 || here.st_ino != there.st_ino
             || here.st_dev != there.st_dev);
}

/* ------------------------------------------------------------------ the thread
 */

static void
audit_log_tell (OctAuditLog *log, char *sentence)
{
  g_mutex_lock (&log->lock);
  if (log->problem == NULL)
    log->problem = g_steal_pointer (&sentence);
  g_mutex_unlock (&log->lock);
  g_free (sentence);
}

/* Goes on after the rest of a line that failed, in the file: whole, a part
 * of it, or nothing. */
static gboolean
audit_log_mend (OctAuditLog *log, GError **error)
{
  struct stat status;

  if (!log->torn)
    return TRUE;
  if (fstat (log->file, &status) != 0)
    return audit_file_fail (log->path, errno, error);
  if (status.st_size > 0
      && !audit_file_find_end (
          log->path, log->file, status.st_size, &log->end, error))
    return FALSE;
  log->torn = FALSE;
  return TRUE;
}

static gboolean
audit_log_follow_path (OctAuditLog *log, GError **error)
{
  int file;

  if (!audit_file_is_gone (log->path, log->file))
    return TRUE;
  file = audit_file_open (log->path, &log->end, error);
  if (file < 0)
    return FALSE;
  close (log->file);
  log->file = file;
  audit_log_tell (log,
      g_strdup_printf ("The audit '%s' was moved or deleted; it goes on in a "
                       "new file of that name.",
          log->path));
  return TRUE;
}

/* The whole line or nothing of it, if the file can be cut. */
static gboolean
audit_log_append (
    OctAuditLog *log, const char *line, gsize size, GError **error)
{
  gint64 begin = lseek (log->file, 0, SEEK_END);
  ssize_t written = write (log->file, line, size);
  int code = written < 0 ? errno : ENOSPC;

  if (written == (ssize_t)size && fdatasync (log->file) == 0)
    return TRUE;
  if (written == (ssize_t)size)
    code = errno;
  log->torn = begin < 0 || ftruncate (log->file, begin) != 0;
  return audit_file_fail (log->path, code, error);
}

static gboolean
audit_log_write (OctAuditLog *log, const char *event, GError **error)
{
  g_autoptr (GString) line = g_string_new (NULL);
  g_autofree char *hash = NULL;

  if (!audit_log_mend (log, error) || !audit_log_follow_path (log, error))
    return FALSE;
  g_string_printf (
      line, "{\"number\":%" G_GINT64_FORMAT ",", log->end.number + 1);
  if (log->end.part)
    g_string_append (line, "\"cut\":true,");
  /* without its braces */
  g_string_append_len (line, event + 1, (gssize)strlen (event) - 2);
  g_string_append_printf (line, ",\"before\":\"%s\"}", log->end.hash);
  hash = g_compute_checksum_for_data (
      G_CHECKSUM_SHA256, (const guchar *)line->str, line->len);
  g_string_append_c (line, '\n');
  if (!audit_log_append (log, line->str, line->len, error))
    return FALSE;
  log->end.number++;
  g_strlcpy (log->end.hash, hash, sizeof log->end.hash);
  log->end.part = FALSE;
  return TRUE;
}

/* Waits for an event.  NULL: there will be no more. */
static char *
audit_log_pop (OctAuditLog *log)
{
  char *event;

  g_mutex_lock (&log->lock);
  while (g_queue_is_empty (&log->waiting) && !log->closing)
    g_cond_wait (&log->changed, &log->lock);
  event = g_queue_pop_head (&log->waiting);
  g_mutex_unlock (&log->lock);
  return event;
}

/* Waits before the next try.  FALSE: the log is being closed. */
static gboolean
audit_log_wait (OctAuditLog *log)
{
  gint64 until = g_get_monotonic_time () + AGAIN * G_TIME_SPAN_MILLISECOND;
  gboolean waits;

  g_mutex_lock (&log->lock);
  while (!log->closing && g_cond_wait_until (&log->changed, &log->lock, until))
    ;
  waits = !log->closing;
  g_mutex_unlock (&log->lock);
  return waits;
}

static gpointer
audit_log_run (gpointer data)
{
  OctAuditLog *log = data;
  char *event;

  while ((event = audit_log_pop (log)) != NULL) {
    gboolean written = FALSE, again = TRUE;

    for (gboolean told = FALSE; !written && again; told = TRUE) {
      g_autoptr (GError) error = NULL;

      /* once more at the end */
      again = !told || audit_log_wait (log);
      written = audit_log_write (log, event, &error);
      if (!written && !told)
        audit_log_tell (log, g_strdup (error->message));
    }
    if (!written)
      g_atomic_int_set (&log->any_lost, TRUE);
    g_free (event);
  }
  return NULL;
}

/* ------------------------------------------------------------------------- log
 */

OctAuditLog *
oct_audit_log_open (const char *path, GError **error)
{
  OctAuditLog *log = g_new0 (OctAuditLog, 1);

  memset (log->end.hash, '0', OCT_AUDIT_HASH);
  log->file = audit_file_open (path, &log->end, error);
  if (log->file < 0) {
    g_free (log);
    return NULL;
  }
  log->path = g_strdup (path);
  g_mutex_init (&log->lock);
  g_cond_init (&log->changed);
  g_queue_init (&log->waiting);
  log->thread = g_thread_new ("audit", audit_log_run, log);
  return log;
}

static void
audit_add_text (JsonBuilder *builder, const char *name, const char *text)
{
  gsize size = strlen (text);
  g_autofree char *valid = NULL;

  /* not in the middle of a character */
  if (size > OCT_AUDIT_TEXT)
    for (size = OCT_AUDIT_TEXT;
         size > OCT_AUDIT_TEXT - 3 && ((guchar)text[size] & 0xC0) == 0x80;)
      size--;
  valid = g_utf8_make_valid (text, (gssize)size);

  json_builder_set_member_name (builder, name);
  json_builder_add_string_value (builder, valid);
}

static void
audit_add_number (JsonBuilder *builder, const char *name, gint64 number)
{
  json_builder_set_member_name (builder, name);
  json_builder_add_int_value (builder, number);
}

/* `lost`: events before it. */
static char *
audit_make_event (
    const char *event, const OctAuditField *fields, guint n_fields, gint64 lost)
{
  g_autoptr (JsonBuilder) builder = json_builder_new_immutable ();
  g_autoptr (GDateTime) now = g_date_time_new_now_utc ();
  g_autofree char *seconds = g_date_time_format (now, "%Y-%m-%dT%H:%M:%S");
  g_autofree char *time =
      g_strdup_printf ("%s.%06dZ", seconds, g_date_time_get_microsecond (now));
  g_autoptr (JsonNode) root = NULL;

  json_builder_begin_object (builder);
  audit_add_text (builder, "time", time);
  audit_add_text (builder, "event", event);
  for (guint i = 0; i < n_fields; i++)
    if (fields[i].text != NULL)
      audit_add_text (builder, fields[i].name, fields[i].text);
    else
      audit_add_number (builder, fields[i].name, fields[i].number);
  if (lost > 0)
    audit_add_number (builder, "lost", lost);
  json_builder_end_object (builder);
  root = json_builder_get_root (builder);
  return json_to_string (root, FALSE);
}

void
oct_audit_log_add (OctAuditLog *log, const char *event,
    const OctAuditField *fields, guint n_fields)
{
  g_mutex_lock (&log->lock);
  if (g_queue_get_length (&log->waiting) < OCT_AUDIT_MOST_WAITING) {
    g_queue_push_tail (
        &log->waiting, audit_make_event (event, fields, n_fields, log->lost));
    log->lost = 0;
  } else {
    log->lost++;
    g_atomic_int_set (&log->any_lost, TRUE);
  }
  g_cond_signal (&log->changed);
  g_mutex_unlock (&log->lock);
}

char *
oct_audit_log_take_problem (OctAuditLog *log)
{
  char *problem;

  g_mutex_lock (&log->lock);
  problem = g_steal_pointer (&log->problem);
  g_mutex_unlock (&log->lock);
  return problem;
}

gboolean
oct_audit_log_close (OctAuditLog *log)
{
  gboolean whole;

  g_mutex_lock (&log->lock);
  if (log->lost > 0) /* no other event tells them */
    g_queue_push_tail (
        &log->waiting, audit_make_event ("events lost", NULL, 0, log->lost));
  log->closing = TRUE;
  g_cond_signal (&log->changed);
  g_mutex_unlock (&log->lock);
  g_thread_join (log->thread);
  whole = !g_atomic_int_get (&log->any_lost);
  close (log->file);
  g_queue_clear_full (&log->waiting, g_free);
  g_mutex_clear (&log->lock);
  g_cond_clear (&log->changed);
  g_free (log->problem);
  g_free (log->path);
  g_free (log);
  return whole;
}
