/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-dicom-work.h"
#include "oct-dicom-deadline.h"
#include "oct-dicom-deliver.h"
#include "oct-dicom-doors.h"
#include "oct-file.h"

#include <glib/gstdio.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Seconds between tries that made no progress: doubled each time up to this. */
#define LONGEST_DELAY 60
/* Seconds for connections to --listen to end in after the last commitment. */
#define LAST_ANSWER 5
/* Seconds between looks at the queue and at --watch. */
#define LOOK 1

typedef struct {
  OctDicomReports reports;
  const OctDicomOptions *options;
  OctDicomDoors *doors; /* or NULL */
  GHashTable *watched;  /* names: "size time" of each, after a WatchedState */
  gboolean unwatched;   /* it was said that --watch cannot be listed */
  pid_t delivery;       /* 0: none goes on */
  gint64 next;          /* no delivery before this time, us */
  guint delay;          /* s */
  guint tries;          /* without progress */
  guint best, total;    /* steps that were left, and objects */
  gboolean broken;      /* the last delivery failed */
  gboolean lost;        /* the queue cannot be listed */
  gint64 ended;         /* all was done then, us; 0: not yet */
} Work;

static volatile sig_atomic_t work_stopped;

static void
work_on_stop (int number)
{
  work_stopped = 1;
}

static void
work_on_child (int number)
{
}

/* ------------------------------------------------------------------------ adding */

static gboolean
add_file (Work *work, const char *path, GError **error)
{
  OctDicomObject object;
  /* a name of several lines is shown in one */
  g_autofree char *shown = g_strdup (path);

  g_strdelimit (shown, "\r\n", ' ');
  switch (oct_dicom_queue_add (work->reports.queue, path, &object, error)) {
  case OCT_DICOM_ADDED:
    g_print ("queued %s: %s\n", object.instance, shown);
    return TRUE;
  case OCT_DICOM_ADDED_BEFORE:
    g_print ("in the queue already %s: %s\n", object.instance, shown);
    return TRUE;
  case OCT_DICOM_ADDED_SECURED:
    g_print ("committed before %s: %s\n", object.instance, shown);
    return TRUE;
  default:
    return FALSE;
  }
}

static void
print_error (GError *error)
{
  g_strdelimit (error->message, "\r\n", ' ');
  g_printerr ("Error: %s.\n", error->message);
}

static gboolean
list_watched (Work *work, GPtrArray *names)
{
  g_autoptr (GError) error = NULL;

  if (oct_file_list_folder (work->options->watch, names, &error)) {
    work->unwatched = FALSE;
    return TRUE;
  }
  if (!work->unwatched)
    g_printerr ("Warning: %s; it is looked at again.\n", error->message);
  work->unwatched = TRUE;
  return FALSE;
}

/* The state of a file, before its "size time". */
typedef enum {
  WATCHED_NEW = '?',  /* it may grow */
  WATCHED_DONE = '+', /* it is in the queue, or never will be */
  WATCHED_BAD = '!',  /* the queue had no room for it, say: it is tried again */
} WatchedState;

static WatchedState
add_watched (Work *work, const char *path, WatchedState before)
{
  g_autoptr (GError) error = NULL;
  gboolean final;

  if (add_file (work, path, &error))
    return WATCHED_DONE;
  final = g_error_matches (error, OCT_DICOM_ERROR, OCT_DICOM_ERROR_FILE);
  if (final || before != WATCHED_BAD)
    print_error (error);
  return final ? WATCHED_DONE : WATCHED_BAD;
}

/* Files that have come since the last look, and stopped growing. */
static void
look_at_folder (Work *work)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);

  if (!list_watched (work, names))
    return;
  for (guint i = 0; i < names->len; i++) {
    const char *name = g_ptr_array_index (names, i);
    g_autofree char *path = g_build_filename (work->options->watch, name, NULL);
    g_autofree char *state = NULL;
    WatchedState next = WATCHED_NEW;
    const char *before;
    GStatBuf status;

    if (*name == '.' || !g_str_has_suffix (name, ".dcm")
        || g_lstat (path, &status) != 0 || !S_ISREG (status.st_mode))
      continue;
    state = g_strdup_printf ("%" G_GINT64_FORMAT " %" G_GINT64_FORMAT,
        (gint64)status.st_size, (gint64)status.st_mtime);
    before = g_hash_table_lookup (work->watched, name);
    if (before != NULL && g_str_equal (before + 1, state)) {
      if (*before == WATCHED_DONE)
        continue;
      next = add_watched (work, path, (WatchedState)*before);
    }
    g_hash_table_insert (work->watched, g_strdup (name),
        g_strdup_printf ("%c%s", (char)next, state));
  }
}

/* -------------------------------------------------------------------- deliveries */

static void
begin_delivery (Work *work)
{
  pid_t parent = getpid (), child;

  work->tries++;
  child = fork ();
  if (child == 0) {
    oct_dicom_begin_child (parent);
    oct_dicom_doors_leave (work->doors);
    _exit (oct_dicom_deliver (&work->reports));
  }
  work->delivery = MAX (child, 0);
  work->next = g_get_monotonic_time () + work->delay * G_USEC_PER_SEC;
  work->delay = MIN (2 * work->delay, LONGEST_DELAY);
}

static void
reap (Work *work)
{
  pid_t child;
  int status;

  while ((child = waitpid (-1, &status, WNOHANG)) > 0) {
    if (child == work->delivery) {
      work->delivery = 0;
      work->broken = status != 0;
      if (WIFSIGNALED (status) && !work_stopped)
        g_printerr (
            "Warning: An association with %s ended by the signal %d; it "
            "is tried again.\n",
            work->options->peer_text, WTERMSIG (status));
    } else if (work->doors != NULL) {
      oct_dicom_doors_forget (work->doors, child);
    }
  }
}

/* Counts the steps that are left, two for a waiting object and one for a sent one;
 * fewer than ever are progress, and more objects a new start. */
static void
measure (Work *work, guint waiting, guint sent)
{
  guint left = 2 * waiting + sent;

  if (left >= work->best && waiting + sent <= work->total) {
    work->total = waiting + sent;
    return;
  }
  work->best = left;
  work->total = waiting + sent;
  work->tries = 0;
  work->delay = 1;
  if (!work->broken)
    work->next = 0;
}

/* Whether an archive that has reported may still wait for our answer. */
static gboolean
has_to_answer (Work *work)
{
  gint64 now = g_get_monotonic_time ();

  if (work->ended == 0)
    work->ended = now;
  return oct_dicom_doors_are_used (work->doors)
         && now - work->ended < LAST_ANSWER * G_USEC_PER_SEC;
}

/* The objects in the queue.  FALSE: nobody knows, and it was said. */
static gboolean
list_both (Work *work, GPtrArray **waiting, GPtrArray **sent)
{
  g_autoptr (GError) error = NULL;

  *waiting =
      oct_dicom_queue_list (work->reports.queue, OCT_DICOM_WAITING, &error);
  *sent = *waiting != NULL ? oct_dicom_queue_list (
              work->reports.queue, OCT_DICOM_SENT, &error)
                           : NULL;
  if (*sent != NULL)
    return TRUE;
  if (!work->lost)
    g_printerr ("Error: %s; the objects in the queue are neither sent nor "
                "committed until `oct-dicom commit` finds them.\n",
        error->message);
  work->lost = TRUE;
  return FALSE;
}

/* FALSE: there is nothing more to do, or no use in it. */
static gboolean
go_on (Work *work)
{
  const OctDicomOptions *o = work->options;
  g_autoptr (GPtrArray) waiting = NULL;
  g_autoptr (GPtrArray) sent = NULL;
  g_autoptr (GPtrArray) unasked = NULL;

  if (!list_both (work, &waiting, &sent))
    return FALSE;
  measure (work, waiting->len, sent->len);
  if (work->delivery != 0)
    return TRUE;
  if (waiting->len + sent->len == 0)
    return o->stay || has_to_answer (work);
  unasked = oct_dicom_deliver_list_unasked (&work->reports, NULL);
  if (unasked == NULL)
    return TRUE; /* the next look says why */
  if ((waiting->len == 0 && unasked->len == 0)
      || g_get_monotonic_time () < work->next)
    return TRUE;
  if (!o->stay && work->tries > (guint)o->retries)
    return FALSE;
  begin_delivery (work);
  return TRUE;
}

/* ------------------------------------------------------------------------ the loop */

static void
wait_for_something (Work *work, const sigset_t *signals)
{
  const struct timespec look = { LOOK, 0 };
  struct pollfd door = { oct_dicom_doors_get_fd (work->doors), POLLIN, 0 };

  if (ppoll (&door, 1, &look, signals) > 0 && (door.revents & POLLIN) != 0)
    oct_dicom_doors_accept (work->doors, &work->reports);
}

static void
catch_signals (sigset_t *before)
{
  const struct sigaction stop = { .sa_handler = work_on_stop };
  const struct sigaction child = { .sa_handler = work_on_child };
  const struct sigaction ignore = { .sa_handler = SIG_IGN };
  sigset_t blocked;

  sigemptyset (&blocked);
  sigaddset (&blocked, SIGCHLD);
  sigaddset (&blocked, SIGINT);
  sigaddset (&blocked, SIGTERM);
  /* they come during ppoll() alone, so that none is missed */
  sigprocmask (SIG_BLOCK, &blocked, before);
  sigdelset (before, SIGCHLD);
  sigaction (SIGCHLD, &child, NULL);
  sigaction (SIGINT, &stop, NULL);
  sigaction (SIGTERM, &stop, NULL);
  sigaction (SIGPIPE, &ignore, NULL);
}

static void
work_loop (Work *work)
{
  sigset_t before;

  catch_signals (&before);
  while (!work_stopped) {
    reap (work);
    if (work->options->watch != NULL)
      look_at_folder (work);
    if (!go_on (work))
      break;
    wait_for_something (work, &before);
  }
  /* an object whose store is not complete is sent again next time; its process
   * holds the lock, too */
  if (work->delivery != 0) {
    kill (work->delivery, SIGKILL);
    (void)waitpid (work->delivery, NULL, 0);
  }
}

static int
summarize (Work *work)
{
  g_autoptr (GPtrArray) waiting = NULL;
  g_autoptr (GPtrArray) sent = NULL;

  if (!list_both (work, &waiting, &sent))
    return OCT_DICOM_EXIT_TROUBLE;
  if (waiting->len + sent->len == 0)
    return 0;
  g_printerr (
      "Warning: %u objects were not sent and %u not committed; they stay "
      "in the queue '%s', with which `oct-dicom commit` goes on.\n",
      waiting->len, sent->len, work->options->queue);
  return OCT_DICOM_EXIT_PENDING;
}

static int
work_off (Work *work, gboolean added)
{
  const OctDicomOptions *o = work->options;
  g_autoptr (GError) error = NULL;
  int status;

  if (!oct_dicom_queue_lock (work->reports.queue, &error)) {
    gboolean busy =
        g_error_matches (error, OCT_DICOM_ERROR, OCT_DICOM_ERROR_BUSY);

    g_printerr ("%s: %s.\n", busy ? "Note" : "Error", error->message);
    return added && busy ? OCT_DICOM_EXIT_PENDING : OCT_DICOM_EXIT_TROUBLE;
  }
  if (o->listen_address != NULL) {
    work->doors =
        oct_dicom_doors_new (o->listen_address, o->listen_port, &error);
    if (work->doors == NULL) {
      g_printerr ("Error: %s.\n", error->message);
      return OCT_DICOM_EXIT_TROUBLE;
    }
  }
  work_loop (work);
  status = summarize (work);
  return added ? status : OCT_DICOM_EXIT_TROUBLE;
}

int
oct_dicom_work_run (const OctDicomOptions *o)
{
  g_autoptr (GError) error = NULL;
  Work work = { .reports = { o, NULL }, .options = o, .delay = 1 };
  gboolean added = TRUE;
  int status;

  work.reports.queue = oct_dicom_queue_open (o->queue, &error);
  if (work.reports.queue == NULL) {
    g_printerr ("Error: %s.\n", error->message);
    return OCT_DICOM_EXIT_TROUBLE;
  }
  work.watched =
      g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  for (guint i = 0; o->files[i] != NULL; i++) {
    g_autoptr (GError) failure = NULL;

    if (add_file (&work, o->files[i], &failure))
      continue;
    print_error (failure);
    added = FALSE;
  }
  status = work_off (&work, added);
  g_clear_pointer (&work.doors, oct_dicom_doors_free);
  g_hash_table_unref (work.watched);
  oct_dicom_queue_free (work.reports.queue);
  return status;
}
