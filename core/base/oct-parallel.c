/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-parallel.h"

#include <stdlib.h>

#define MAX_THREADS 256
/* How long a thread looks for work before it sleeps, in microseconds: the
 * operations of a chain follow each other within that, and waking a sleeper
 * takes as long. */
#define PATIENCE 30

typedef struct {
  OctParallelTask task;
  gpointer data;
  guint count, grain;
  guint next;   /* atomic: first index that nobody has taken */
  guint free;   /* under the lock: threads that may still join */
  guint joined; /* under the lock: threads that have, the caller included */
  gint active;  /* atomic, changed under the lock: workers at it */
  GCond idle;   /* active fell to 0 */
  GList link;
} Job;

static GMutex lock;
static GCond work_came;
static GQueue jobs = G_QUEUE_INIT; /* with free > 0; under the lock */
static gint open_jobs;             /* atomic: length of `jobs` */
static guint workers;              /* started so far; under the lock */
static gint wanted_threads;        /* atomic, 0 = default */

void
oct_parallel_set_threads (guint threads)
{
  g_atomic_int_set (&wanted_threads, (gint)MIN (threads, MAX_THREADS));
}

guint
oct_parallel_get_threads (void)
{
  static gsize fallback = 0;
  gint wanted = g_atomic_int_get (&wanted_threads);

  if (wanted > 0)
    return (guint)wanted;
  if (g_once_init_enter (&fallback)) {
    const char *text = g_getenv ("OCT_THREADS");
    gint threads = text != NULL ? atoi (text) : 0;

    if (threads < 1)
      threads = (gint)g_get_num_processors ();
    g_once_init_leave (&fallback, (gsize)MIN (threads, MAX_THREADS));
  }
  return (guint)fallback;
}

static void
work_on (Job *job, guint thread)
{
  guint first;

  /* next never passes count by more than threads x grain, far from wrapping */
  while (
      (first = (guint)g_atomic_int_add (&job->next, job->grain)) < job->count)
    job->task (job->data, first, MIN (first + job->grain, job->count), thread);
}

/* Waits until `*value` is zero (or is not), for a short while at most. */
static void
look_out (gint *value, gboolean nonzero)
{
  gint64 end = g_get_monotonic_time () + PATIENCE;

  while ((g_atomic_int_get (value) != 0) != nonzero
         && g_get_monotonic_time () < end)
    ;
}

static gpointer
parallel_worker (gpointer unused)
{
  g_mutex_lock (&lock);
  for (;;) {
    Job *job;
    guint thread;

    if (g_queue_is_empty (&jobs)) {
      g_mutex_unlock (&lock);
      look_out (&open_jobs, TRUE);
      g_mutex_lock (&lock);
    }
    while ((job = g_queue_peek_head (&jobs)) == NULL)
      g_cond_wait (&work_came, &lock);
    thread = job->joined++;
    g_atomic_int_inc (&job->active);
    if (--job->free == 0) {
      g_queue_unlink (&jobs, &job->link);
      g_atomic_int_add (&open_jobs, -1);
    }
    g_mutex_unlock (&lock);
    work_on (job, thread);
    g_mutex_lock (&lock);
    if (g_atomic_int_dec_and_test (&job->active))
      g_cond_signal (&job->idle);
  }
  return NULL;
}

/* Call with the lock held. */
static void
start_workers (guint needed)
{
  while (workers < needed) {
    GThread *thread =
        g_thread_try_new ("oct-parallel_worker", parallel_worker, NULL, NULL);

    /* with fewer threads everything is done all the same */
    if (thread == NULL)
      return;
    g_thread_unref (thread);
    workers++;
  }
}

void
oct_parallel_for (guint count, guint grain, guint threads, OctParallelTask task,
    gpointer data)
{
  guint pieces = count / grain + (count % grain != 0);
  Job job = { .task = task, .data = data, .count = count, .grain = grain };

  threads = MIN (MIN (threads, pieces), MAX_THREADS);
  if (threads <= 1) {
    work_on (&job, 0);
    return;
  }
  job.free = threads - 1;
  job.joined = 1;
  job.link.data = &job;
  g_cond_init (&job.idle);
  g_mutex_lock (&lock);
  start_workers (threads - 1);
  g_queue_push_tail_link (&jobs, &job.link);
  g_atomic_int_inc (&open_jobs);
  if (threads > 2)
    g_cond_broadcast (&work_came);
  else
    g_cond_signal (&work_came);
  g_mutex_unlock (&lock);

  work_on (&job, 0);

  g_mutex_lock (&lock);
  if (job.free > 0) {
    g_queue_unlink (&jobs, &job.link);
    g_atomic_int_add (&open_jobs, -1);
    job.free = 0;
  }
  if (g_atomic_int_get (&job.active) != 0) {
    g_mutex_unlock (&lock);
    look_out (&job.active, FALSE);
    g_mutex_lock (&lock);
  }
  while (g_atomic_int_get (&job.active) != 0)
    g_cond_wait (&job.idle, &lock);
  g_mutex_unlock (&lock);
  g_cond_clear (&job.idle);
}
