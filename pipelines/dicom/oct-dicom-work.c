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
  GHashTable *watched;  /* names that were added: "size time" of each */
  pid_t delivery;       /* 0: none goes on */
  gint64 next;          /* no delivery before this time, us */
  guint delay;          /* s */
  guint tries;          /* without progress */
  guint best, total;    /* steps that were left, and objects */
  gboolean broken;      /* the last delivery failed */
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
add_file (Work *work, const char *path)
{
  g_autoptr (GError) error = NULL;
  OctDicomObject object;

  switch (oct_dicom_queue_add (work->reports.queue, path, &object, &error)) {
  case OCT_DICOM_ADDED:
    g_print ("queued %s: %s\n", object.instance, path);
    return TRUE;
  case OCT_DICOM_ADDED_BEFORE:
    g_print ("in the queue already %s: %s\n", object.instance, path);
    return TRUE;
  case OCT_DICOM_ADDED_SECURED:
    g_print ("committed before %s: %s\n", object.instance, path);
    return TRUE;
  default:
    g_printerr ("Error: %s.\n", error->message);
    return FALSE;
  }
}

/* Files that have come since the last look, and stopped growing. */
static void
look_at_folder (Work *work)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);

  (void)oct_file_list_folder (work->options->watch, names, NULL);
  for (guint i = 0; i < names->len; i++) {
    const char *name = g_ptr_array_index (names, i);
    g_autofree char *path = g_build_filename (work->options->watch, name, NULL);
    g_autofree char *state = NULL;
    const char *before;
    GStatBuf status;

    if (*name == '.' || !g_str_has_suffix (name, ".dcm")
        || g_lstat (path, &status) != 0 || !S_ISREG (status.st_mode))
      continue;
    state = g_strdup_printf ("%" G_GINT64_FORMAT " %" G_GINT64_FORMAT,
        (gint64)status.st_size, (gint64)status.st_mtime);
    before = g_hash_table_lookup (work->watched, name);
    if (before != NULL && *before == '+' && g_str_equal (before + 1, state))
      continue;
    if (before != NULL && g_str_equal (before, state)) {
      (void)add_file (work, path);
      g_hash_table_insert (
          work->watched, g_strdup (name), g_strconcat ("+", state, NULL));
    } else {
      g_hash_table_insert (
          work->watched, g_strdup (name), g_steal_pointer (&state));
    }
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
    oct_dicom_doors_begin_child (parent);
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

/* FALSE: there is nothing more to do, or no use in it. */
static gboolean
go_on (Work *work)
{
  const OctDicomOptions *o = work->options;
  g_autoptr (GPtrArray) waiting =
      oct_dicom_queue_list (work->reports.queue, OCT_DICOM_WAITING);
  g_autoptr (GPtrArray) sent =
      oct_dicom_queue_list (work->reports.queue, OCT_DICOM_SENT);
  g_autoptr (GPtrArray) unasked = NULL;

  measure (work, waiting->len, sent->len);
  if (work->delivery != 0)
    return TRUE;
  if (waiting->len + sent->len == 0)
    return o->stay || has_to_answer (work);
  unasked = oct_dicom_deliver_list_unasked (&work->reports);
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
  /* an object whose store is not complete is sent again next time */
  if (work->delivery != 0)
    kill (work->delivery, SIGKILL);
}

static int
summarize (Work *work)
{
  OctDicomQueue *queue = work->reports.queue;
  g_autoptr (GPtrArray) waiting =
      oct_dicom_queue_list (queue, OCT_DICOM_WAITING);
  g_autoptr (GPtrArray) sent = oct_dicom_queue_list (queue, OCT_DICOM_SENT);

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

  if (!oct_dicom_queue_lock (work->reports.queue)) {
    g_printerr (
        "Note: Another oct-dicom works on the queue '%s', and sends its "
        "objects.\n",
        o->queue);
    return added ? OCT_DICOM_EXIT_PENDING : OCT_DICOM_EXIT_TROUBLE;
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
  Work work = { { o, NULL }, o, NULL, NULL, 0, 0, 1, 0, 0, 0, FALSE, 0 };
  gboolean added = TRUE;
  int status;

  work.reports.queue = oct_dicom_queue_open (o->queue, &error);
  if (work.reports.queue == NULL) {
    g_printerr ("Error: %s.\n", error->message);
    return OCT_DICOM_EXIT_TROUBLE;
  }
  work.watched =
      g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  for (guint i = 0; o->files[i] != NULL; i++)
    added = add_file (&work, o->files[i]) && added;
  status = work_off (&work, added);
  g_clear_pointer (&work.doors, oct_dicom_doors_free);
  g_hash_table_unref (work.watched);
  oct_dicom_queue_free (work.reports.queue);
  return status;
}
