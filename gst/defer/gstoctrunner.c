/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstoctrunner.h"

struct _GstOctRunner {
  gint references;
  const OctBackend *backend;
  GstOctCuda *cuda;

  GMutex lock;
  OctSequence *sequence; /* NULL: none yet */
};

GstOctRunner *
gst_oct_runner_new (const OctBackend *backend, GstOctCuda *cuda)
{
  GstOctRunner *runner = g_new0 (GstOctRunner, 1);

  runner->references = 1;
  runner->backend = backend;
  if (cuda != NULL)
    runner->cuda = gst_oct_cuda_ref (cuda);
  g_mutex_init (&runner->lock);
  return runner;
}

GstOctRunner *
gst_oct_runner_ref (GstOctRunner *runner)
{
  g_atomic_int_inc (&runner->references);
  return runner;
}

static gboolean
runner_enter (GstOctRunner *runner, GError **error)
{
  return runner->cuda == NULL || gst_oct_cuda_push (runner->cuda, error);
}

static void
runner_leave (GstOctRunner *runner)
{
  if (runner->cuda != NULL)
    gst_oct_cuda_pop (runner->cuda);
}

void
gst_oct_runner_unref (GstOctRunner *runner)
{
  if (!g_atomic_int_dec_and_test (&runner->references))
    return;
  if (runner_enter (runner, NULL)) {
    g_clear_pointer (&runner->sequence, oct_sequence_free);
    runner_leave (runner);
  }
  if (runner->cuda != NULL)
    gst_oct_cuda_unref (runner->cuda);
  g_mutex_clear (&runner->lock);
  g_free (runner);
}

const OctBackend *
gst_oct_runner_get_backend (GstOctRunner *runner)
{
  return runner->backend;
}

GstOctCuda *
gst_oct_runner_get_cuda (GstOctRunner *runner)
{
  return runner->cuda;
}

/* A sequence for these steps: that of the B-scan before, or a new one. */
static gboolean
runner_prepare (GstOctRunner *runner, const GstOctPending *pending,
    OctOperation last, guint *failed, GError **error)
{
  if (runner->sequence != NULL
      && oct_sequence_is (
          runner->sequence, pending->steps, pending->n, pending->bscans, last))
    return TRUE;
  g_clear_pointer (&runner->sequence, oct_sequence_free);
  runner->sequence = oct_sequence_new (runner->backend, pending->steps,
      pending->n, pending->bscans, last, failed, error);
  if (runner->sequence == NULL)
    return FALSE;
  GST_DEBUG_OBJECT (pending->owners[pending->n - 1],
      "%u operations on the %s backend: %s",
      pending->n + (last != OCT_N_OPERATIONS ? 1 : 0), runner->backend->name,
      oct_sequence_is_fused (runner->sequence) ? "in one pass" : "one by one");
  return TRUE;
}

gboolean
gst_oct_runner_run (GstOctRunner *runner, const GstOctPending *pending,
    OctOperation last, OctPlan *plan, const OctFrame *to, GstElement **failed,
    GError **error)
{
  OctFrame from = gst_oct_origin_get_frame (pending->origin);
  gpointer stream = runner->cuda != NULL ? gst_oct_cuda_get_stream (
                        runner->cuda, GST_OCT_STREAM_COMPUTE)
                                         : NULL;
  guint step = pending->n;
  gboolean ok;

  if (!runner_enter (runner, error)) {
    *failed = NULL;
    return FALSE;
  }
  g_mutex_lock (&runner->lock);
  ok = runner_prepare (runner, pending, last, &step, error)
       && oct_sequence_run (
           runner->sequence, &from, plan, to, stream, &step, error);
  g_mutex_unlock (&runner->lock);
  /* the order of the streams holds even when an operation failed */
  ok = gst_oct_origin_used (pending->origin, ok ? error : NULL) && ok;
  runner_leave (runner);
  if (!ok)
    *failed = step < pending->n ? pending->owners[step] : NULL;
  return ok;
}
