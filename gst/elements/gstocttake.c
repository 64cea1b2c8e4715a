/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstocttake.h"

#include <math.h>

/* A-lines of each B-scan: the noise of their mean is far below that of a single
 * one. */
#define LINES_OF_EACH 256

typedef enum {
  IDLE,
  GATHERING, /* B-scans are needed */
  AVERAGING, /* the thread is at work */
} State;

struct _GstOctTake {
  GstElement *element;
  GstOctTakeDone done;
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
gst_oct_take_new (GstElement *element, GstOctTakeDone done)
{
  GstOctTake *take = g_new0 (GstOctTake, 1);

  take->element = element;
  take->done = done;
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

/* ------------------------------------------------------------------ the mean
 */

static double
take_get_value (OctSampleFormat format, gconstpointer values, gsize i)
{
  if (format == OCT_SAMPLE_U8)
    return ((const guint8 *)values)[i];
  if (format == OCT_SAMPLE_U16)
    return ((const guint16 *)values)[i];
  return ((const float *)values)[i];
}

/* A value of a float file that is not a finite number does not count. */
static gboolean
take_add_lines (GstOctAside *aside, double *sum, guint *counts, guint *lines,
    GError **error)
{
  const GstOctInfo *info = gst_oct_aside_get_info (aside);
  gconstpointer values = gst_oct_aside_read (aside, error);
  gsize size = (gsize)gst_oct_aside_get_lines (aside) * info->columns;

  if (values == NULL)
    return FALSE;
  for (gsize i = 0; i < size; i++) {
    double value = take_get_value (info->format, values, i);

    if (!isfinite (value))
      continue;
    sum[i % info->columns] += value;
    counts[i % info->columns]++;
  }
  *lines += gst_oct_aside_get_lines (aside);
  return TRUE;
}

/* sum[samples] becomes the mean. */
static gboolean
take_divide (double *sum, const guint *counts, guint samples, GError **error)
{
  double total = 0;

  for (guint i = 0; i < samples; i++) {
    sum[i] = counts[i] > 0 ? sum[i] / counts[i] : 0;
    total += fabs (sum[i]);
  }
  if (total > 0)
    return TRUE;
  g_set_error_literal (error, OCT_ERROR, OCT_ERROR_FORMAT,
      "The spectra are zero everywhere, which is not a background; let the "
      "light of the reference arm reach the camera and take it again.");
  return FALSE;
}

static gpointer
take_run (gpointer data)
{
  GstOctTake *take = data;
  guint samples = gst_oct_aside_get_info (take->bscans->pdata[0])->columns;
  g_autofree double *sum = g_new0 (double, samples);
  g_autofree guint *counts = g_new0 (guint, samples);
  g_autoptr (GError) error = NULL;
  gboolean ok = TRUE;
  guint lines = 0;

  for (guint i = 0; ok && i < take->bscans->len; i++)
    ok =
        !g_atomic_int_get (&take->cancelled)
        && take_add_lines (take->bscans->pdata[i], sum, counts, &lines, &error);
  ok = ok && take_divide (sum, counts, samples, &error);
  take_forget (take);
  if (g_atomic_int_get (&take->cancelled))
    return NULL;
  /* done() may begin the next one */
  g_atomic_int_set (&take->state, IDLE);
  take->done (take->element, ok ? sum : NULL, samples, lines, error);
  return NULL;
}

/* ------------------------------------------------------------------ B-scans */

void
gst_oct_take_add (GstOctTake *take, GstBuffer *buffer, const GstOctInfo *info,
    gboolean on_gpu)
{
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
      gst_oct_lines_spread (there.rows, LINES_OF_EACH * there.bscans), &error);
  if (aside == NULL) {
    take_forget (take);
    g_atomic_int_set (&take->state, IDLE);
    take->done (take->element, NULL, info->columns, 0, error);
    return;
  }
  g_ptr_array_add (take->bscans, aside);
  take->count += there.bscans;
  if (take->count < take->wanted)
    return;
  take_join (take); /* of the one before, which is done */
  g_atomic_int_set (&take->state, AVERAGING);
  g_mutex_lock (&take->lock);
  take->thread = g_thread_new ("oct-background", take_run, take);
  g_mutex_unlock (&take->lock);
}
