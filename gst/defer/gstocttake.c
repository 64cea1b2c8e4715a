/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstocttake.h"

typedef enum {
  IDLE,
  GATHERING, /* B-scans are needed */
  WORKING,   /* the thread is at work */
} State;

struct _GstOctTake {
  GstElement *element;
  const GstOctTakeKind *kind;
  GMutex lock; /* for `thread` and to begin */
  GThread *thread;
  guint wanted;   /* B-scans; does not change from a beginning to its end */
  gint state;     /* atomic */
  gint cancelled; /* atomic */

  /* streaming thread, and then the thread */
  GPtrArray *bscans; /* GstOctAside */
  guint count;       /* B-scans in them */
};

GstOctTake *
gst_oct_take_new (GstElement *element, const GstOctTakeKind *kind)
{
  GstOctTake *take = g_new0 (GstOctTake, 1);

  take->element = element;
  take->kind = kind;
  take->bscans =
      g_ptr_array_new_with_free_func ((GDestroyNotify)gst_oct_aside_free);
  g_mutex_init (&take->lock);
  return take;
}

static void
take_forget (GstOctTake *take)
{
  g_ptr_array_set_size (take->bscans, 0);
  take->count = 0;
}

static void
take_join (GstOctTake *take)
{
  GThread *thread;

  g_mutex_lock (&take->lock);
  thread = g_steal_pointer (&take->thread);
  g_mutex_unlock (&take->lock);
  if (thread != NULL)
    g_thread_join (thread);
}

void
gst_oct_take_free (GstOctTake *take)
{
  gst_oct_take_stop (take);
  g_ptr_array_unref (take->bscans);
  g_mutex_clear (&take->lock);
  g_free (take);
}

gboolean
gst_oct_take_begin (GstOctTake *take, guint bscans)
{
  gboolean idle;

  g_mutex_lock (&take->lock);
  idle = g_atomic_int_get (&take->state) == IDLE;
  if (idle) {
    take->wanted = CLAMP (bscans, 1, GST_OCT_TAKE_MOST);
    g_atomic_int_set (&take->state, GATHERING);
  }
  g_mutex_unlock (&take->lock);
  return idle;
}

void
gst_oct_take_stop (GstOctTake *take)
{
  g_atomic_int_set (&take->cancelled, TRUE);
  take_join (take);
  take_forget (take);
  g_atomic_int_set (&take->state, IDLE);
  g_atomic_int_set (&take->cancelled, FALSE);
}

gboolean
gst_oct_take_wants (GstOctTake *take)
{
  return g_atomic_int_get (&take->state) == GATHERING;
}

static gpointer
take_run (gpointer data)
{
  GstOctTake *take = data;
  const GstOctTakeKind *kind = take->kind;
  g_autoptr (GError) error = NULL;
  gpointer result = kind->find (take->bscans, &take->cancelled, &error);

  take_forget (take);
  /* done() may begin the next one */
  if (!g_atomic_int_get (&take->cancelled)) {
    g_atomic_int_set (&take->state, IDLE);
    kind->done (take->element, result, error);
  }
  if (result != NULL)
    kind->free_result (result);
  return NULL;
}

/* ------------------------------------------------------------------ B-scans */

void
gst_oct_take_add (GstOctTake *take, GstBuffer *buffer, const GstOctInfo *info,
    gboolean on_gpu, const GstOctBscanNumber *number)
{
  guint most = take->kind->lines;
  g_autoptr (GError) error = NULL;
  GstOctInfo there;
  GstOctAside *aside;

  gst_oct_info_of_buffer (&there, info, buffer);
  /* spectra of another kind start again */
  if (take->bscans->len > 0
      && !gst_oct_info_same_bscans (
          info, gst_oct_aside_get_info (take->bscans->pdata[0])))
    take_forget (take);
  aside = gst_oct_aside_new (buffer, &there, on_gpu,
      gst_oct_lines_spread (
          there.rows, most > 0 ? most * there.bscans : there.rows),
      &error);
  if (aside == NULL) {
    take_forget (take);
    g_atomic_int_set (&take->state, IDLE);
    take->kind->done (take->element, NULL, error);
    return;
  }
  if (number != NULL)
    gst_oct_aside_set_number (aside, number);
  g_ptr_array_add (take->bscans, aside);
  take->count += there.bscans;
  if (take->count < take->wanted)
    return;
  take_join (take); /* of the one before, which is done */
  g_atomic_int_set (&take->state, WORKING);
  g_mutex_lock (&take->lock);
  take->thread = g_thread_new (take->kind->thread, take_run, take);
  g_mutex_unlock (&take->lock);
}
