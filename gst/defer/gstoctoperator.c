/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstoctoperator.h"
#include "gstocterror.h"

struct _GstOctOperator {
  GstElement *owner;
  const OctBackend *backend;

  OctOperation operation; /* OCT_N_OPERATIONS: not set */
  OctStep *step;          /* NULL: the operation is none */
  OctPlan *plan;          /* of `operation` */
  gboolean plan_is_old;   /* it has not seen the step yet */

  OctPlan *mean;    /* of OCT_OPERATION_MEAN, if that is to be found */
  gpointer removed; /* the means that are removed at once */
  gsize removed_size;
  GstOctRunner *runner; /* NULL until something is pending */
  /* black and white, see gst_oct_operator_want_range() */
  gboolean wants_range, has_range;
  double range[2];
};

static const OctOperationTable *
get_table (GstOctOperator *op)
{
  return op->backend->operations[op->operation];
}

GstOctOperator *
gst_oct_operator_new (GstElement *owner, const OctBackend *backend)
{
  GstOctOperator *op = g_new0 (GstOctOperator, 1);

  op->owner = owner;
  op->backend = backend;
  op->operation = OCT_N_OPERATIONS;
  return op;
}

static void
clear_mean (GstOctOperator *op)
{
  if (op->mean != NULL)
    op->backend->operations[OCT_OPERATION_MEAN]->destroy (op->mean);
  op->mean = NULL;
  if (op->removed != NULL)
    op->backend->free (op->removed);
  op->removed = NULL;
  op->removed_size = 0;
}

void
gst_oct_operator_clear (GstOctOperator *op)
{
  if (op->plan != NULL)
    get_table (op)->destroy (op->plan);
  op->plan = NULL;
  clear_mean (op);
  g_clear_pointer (&op->step, oct_step_unref);
  op->operation = OCT_N_OPERATIONS;
}

void
gst_oct_operator_free (GstOctOperator *op)
{
  gst_oct_operator_clear (op);
  g_clear_pointer (&op->runner, gst_oct_runner_unref);
  g_free (op);
}

void
gst_oct_operator_reset (GstOctOperator *op)
{
  if (op->plan != NULL && get_table (op)->reset != NULL)
    get_table (op)->reset (op->plan);
  if (op->mean != NULL)
    op->backend->operations[OCT_OPERATION_MEAN]->reset (op->mean);
}

double
gst_oct_operator_get_found (GstOctOperator *op)
{
  if (op->plan == NULL || get_table (op)->get_found == NULL)
    return 0;
  return get_table (op)->get_found (op->plan);
}

void
gst_oct_operator_get_counts (
    GstOctOperator *op, guint64 counts[OCT_MOST_COUNTS])
{
  memset (counts, 0, OCT_MOST_COUNTS * sizeof *counts);
  if (op->plan != NULL && get_table (op)->get_counts != NULL)
    get_table (op)->get_counts (op->plan, counts);
}

void
gst_oct_operator_want_range (GstOctOperator *op)
{
  op->wants_range = TRUE;
}

gboolean
gst_oct_operator_take_range (GstOctOperator *op, double range[2])
{
  gboolean has_range = op->has_range;

  memcpy (range, op->range, sizeof op->range);
  op->has_range = FALSE;
  return has_range;
}

/* After a B-scan, while it is in `stream`. */
static void
find_range (GstOctOperator *op, gpointer stream)
{
  if (!op->wants_range || op->plan == NULL || get_table (op)->get_range == NULL)
    return;
  op->wants_range = FALSE;
  op->has_range = get_table (op)->get_range (op->plan, stream, op->range);
}

gboolean
gst_oct_operator_is_set (GstOctOperator *op)
{
  return op->operation != OCT_N_OPERATIONS;
}

/* ---------------------------------------------------------------- settings */

/* Whether the backend has the operation, be it done now or later. */
static gboolean
check_backend (GstOctOperator *op, OctOperation operation, GError **error)
{
  if (op->backend->operations[operation] != NULL)
    return TRUE;
  g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
      "The %s backend of this build cannot do what is asked of %s; set "
      "backend=cpu.",
      op->backend->name, gst_oct_element_type_name (op->owner));
  return FALSE;
}

/* Brings a plan up to date if the backend can, which keeps the history, or
 * makes another one: *made, else NULL.  FALSE: `plan` may be half of each. */
static gboolean
renew_plan (GstOctOperator *op, OctPlan *plan, OctOperation operation,
    gconstpointer params, OctPlan **made, GError **error)
{
  const OctOperationTable *table = op->backend->operations[operation];

  *made = NULL;
  if (plan != NULL && table->update != NULL && table->update (plan, params))
    return TRUE;
  *made = table->create (params, error);
  return *made != NULL;
}

/* Whether the mean of a B-scan, or of all so far, is computed apart from its
 * removal, by a plan with the history; `found` are the parameters of the
 * removal then. */
static gboolean
has_mean (GstOctOperator *op, OctOperation operation, gconstpointer params,
    OctBackgroundParams *found)
{
  if (operation != OCT_OPERATION_BACKGROUND
      || oct_step_is_possible (operation, params)
      || oct_background_modes[((const OctBackgroundParams *)params)->mode]
             .is_apart)
    return FALSE;
  *found = *(const OctBackgroundParams *)params;
  found->found = TRUE;
  return TRUE;
}

/* Parameters of the plan for a step that is run at once: the mean of one B-scan
 * is found and removed by one operation then, which is faster. */
static gconstpointer
get_params_at_once (
    gconstpointer params, gboolean mean, OctBackgroundParams *at_once)
{
  if (!mean)
    return params;
  *at_once = *(const OctBackgroundParams *)params;
  at_once->found = at_once->mode != OCT_BACKGROUND_BSCAN;
  return at_once;
}

/* The results of settings: all are made before any previous one is freed. */
typedef struct {
  OctStep *step;
  OctPlan *plan, *mean; /* NULL: none, or the previous one */
  gpointer removed;     /* the same */
  gsize removed_size;   /* that is needed */
  gboolean begun;       /* to bring the previous plan up to date */
} Made;

/* Plans for a step are made when they are needed first, and kept up to date
 * from then on. */
static gboolean
operator_make (GstOctOperator *op, OctOperation operation, gconstpointer params,
    Made *made, GError **error)
{
  OctBackgroundParams found, at_once;
  gboolean mean = has_mean (op, operation, params, &found);
  gconstpointer removal = mean ? &found : params;
  OctPlan *plan = op->operation == operation ? op->plan : NULL;

  if (!check_backend (op, operation, error))
    return FALSE;
  if (!oct_step_is_possible (operation, removal)) {
    if (!gst_oct_operator_check (operation, params, error))
      return FALSE;
  } else {
    made->step = oct_step_new (operation, removal, error);
    if (made->step == NULL)
      return FALSE;
  }
  if (mean && !check_backend (op, OCT_OPERATION_MEAN, error))
    return FALSE;
  if (mean)
    made->removed_size =
        OCT_BSCANS (&found)
        * OCT_MEAN_SIZE (found.samples, found.lines / OCT_BSCANS (&found));
  if (mean && made->removed_size > op->removed_size) {
    made->removed = op->backend->alloc (made->removed_size, error);
    if (made->removed == NULL)
      return FALSE;
  }
  made->begun = plan != NULL;
  if ((made->step == NULL || op->plan != NULL)
      && !renew_plan (op, plan, operation,
          get_params_at_once (removal, mean, &at_once), &made->plan, error))
    return FALSE;
  return !mean
         || renew_plan (
             op, op->mean, OCT_OPERATION_MEAN, params, &made->mean, error);
}

static void
destroy_plan (GstOctOperator *op, OctOperation operation, OctPlan *plan)
{
  if (plan != NULL)
    op->backend->operations[operation]->destroy (plan);
}

/* Settings that came to nothing: the previous ones stay. */
static void
operator_forget_made (GstOctOperator *op, OctOperation operation, Made *made)
{
  g_clear_pointer (&made->step, oct_step_unref);
  destroy_plan (op, operation, made->plan);
  destroy_plan (op, OCT_OPERATION_MEAN, made->mean);
  if (made->removed != NULL)
    op->backend->free (made->removed);
  /* an update may have begun */
  if (made->begun)
    op->plan_is_old = TRUE;
}

gboolean
gst_oct_operator_set (GstOctOperator *op, OctOperation operation,
    gconstpointer params, GError **error)
{
  OctBackgroundParams found;
  gboolean had_plan = op->plan != NULL;
  Made made = { 0 };

  if (!operator_make (op, operation, params, &made, error)) {
    operator_forget_made (op, operation, &made);
    return FALSE;
  }
  if (op->plan != NULL && (made.plan != NULL || operation != op->operation)) {
    get_table (op)->destroy (op->plan);
    op->plan = NULL;
  }
  if (made.plan != NULL)
    op->plan = made.plan;
  op->plan_is_old = made.step != NULL && !had_plan;
  if (!has_mean (op, operation, params, &found)) {
    clear_mean (op);
  } else {
    if (made.mean != NULL) {
      destroy_plan (op, OCT_OPERATION_MEAN, op->mean);
      op->mean = made.mean;
    }
    if (made.removed != NULL) {
      if (op->removed != NULL)
        op->backend->free (op->removed);
      op->removed = made.removed;
      op->removed_size = made.removed_size;
    }
  }
  g_clear_pointer (&op->step, oct_step_unref);
  op->step = made.step;
  op->operation = operation;
  return TRUE;
}

gboolean
gst_oct_operator_check (
    OctOperation operation, gconstpointer params, GError **error)
{
  return oct_operation_check (operation, params, error);
}

/* The plan of a step that is run at once. */
static gboolean
operator_ensure_plan (GstOctOperator *op, GError **error)
{
  OctBackgroundParams at_once;
  OctPlan *made;

  if (op->step == NULL || (op->plan != NULL && !op->plan_is_old))
    return TRUE;
  if (!renew_plan (op, op->plan, op->operation,
          get_params_at_once (
              oct_step_get_params (op->step), op->mean != NULL, &at_once),
          &made, error))
    return FALSE;
  if (made != NULL) {
    destroy_plan (op, op->operation, op->plan);
    op->plan = made;
  }
  op->plan_is_old = FALSE;
  return TRUE;
}

/* Whether the mean is to be found before the operation is run at once. */
static gboolean
is_found_before (GstOctOperator *op)
{
  const OctBackgroundParams *params;

  if (op->mean == NULL)
    return FALSE;
  params = oct_step_get_params (op->step);
  return params->mode != OCT_BACKGROUND_BSCAN;
}

/* ----------------------------------------------------------------- pending */

static GstOctRunner *
get_runner (GstOctOperator *op, GstOctAccess *access)
{
  if (op->runner == NULL)
    op->runner =
        gst_oct_runner_new (op->backend, gst_oct_access_get_cuda (access));
  return op->runner;
}

gboolean
gst_oct_operator_can_defer (GstOctOperator *op, GstOctAccess *access)
{
  /* the mean is stored with the fetched B-scan */
  return op->step != NULL
         && (op->mean == NULL || gst_oct_access_get_cuda (access) == NULL
             || gst_oct_access_can_fetch (access));
}

static gboolean
operator_find_mean (GstOctOperator *op, GstOctAccess *access,
    const OctFrame *from, gpointer mean, GError **error)
{
  GstOctCuda *cuda = gst_oct_access_get_cuda (access);
  OctFrame to = { .planes = { { mean, 0 } } };

  return op->backend->operations[OCT_OPERATION_MEAN]->run (op->mean, from, &to,
      cuda != NULL ? gst_oct_cuda_get_stream (cuda, GST_OCT_STREAM_COMPUTE)
                   : NULL,
      error);
}

static GstOctOrigin *
new_origin (GstOctOperator *op, GstOctAccess *access, const GstOctInfo *info,
    GstBuffer *in, GError **error)
{
  GstOctCuda *cuda = gst_oct_access_get_cuda (access);
  GstOctUpload *upload;

  if (cuda == NULL)
    return gst_oct_origin_new (op->backend, info, in,
        op->mean != NULL ? gst_oct_info_mean_size (info) : 0, error);
  if (!gst_oct_access_can_fetch (access))
    return gst_oct_origin_new_on_gpu (cuda, info, in, error);
  upload = gst_oct_access_fetch (access, in, error);
  return upload != NULL ? gst_oct_origin_new_fetched (cuda, upload) : NULL;
}

/* The B-scan as it came, with the steps that are pending on it or, if there are
 * none or a mean has to be found, as the origin of new ones. */
static gboolean
begin_pending (GstOctOperator *op, GstOctAccess *access, const GstOctInfo *info,
    GstBuffer *in, GstOctPending *pending, GError **error)
{
  OctFrame frame;

  if (op->mean == NULL
      && gst_oct_pending_get (in, gst_oct_access_get_cuda (access), pending)
      && pending->n < OCT_SEQUENCE_MAX)
    return TRUE;
  gst_oct_pending_clear (pending);
  pending->bscans = info->bscans;
  pending->origin = new_origin (op, access, info, in, error);
  if (pending->origin == NULL || op->mean == NULL)
    return pending->origin != NULL;
  frame = gst_oct_origin_get_frame (pending->origin);
  gst_oct_origin_begun (pending->origin);
  return operator_find_mean (op, access, &frame, frame.planes[1].data, error);
}

GstMemory *
gst_oct_operator_defer (GstOctOperator *op, GstOctAccess *access,
    const GstOctInfo *info, GstBuffer *in, GError **error)
{
  g_auto (GstOctPending) pending = { 0 };

  if (!begin_pending (op, access, info, in, &pending, error))
    return NULL;
  gst_oct_pending_add (&pending, op->step, op->owner);
  return gst_oct_pending_memory_new (&pending, get_runner (op, access));
}

/* ------------------------------------------------------------------ running */

/* Runs all pending steps, followed by this operation. */
static gboolean
operator_run_pending (GstOctOperator *op, GstOctAccess *access,
    GstOctPending *pending, GstBuffer *const *out, GstElement **failed,
    GError **error)
{
  OctOperation last = OCT_N_OPERATIONS;
  OctFrame from;
  const OctFrame *to;
  gpointer stream;
  gboolean ok;

  if (op->step != NULL)
    gst_oct_pending_add (pending, op->step, op->owner);
  else
    last = op->operation;
  if (!gst_oct_access_begin (access, NULL, out, &from, &to, &stream, error))
    return FALSE;
  ok = gst_oct_runner_run (get_runner (op, access), pending, last,
      op->step != NULL ? NULL : op->plan, to, failed, error);
  if (!ok && *failed != NULL)
    gst_object_ref (*failed);
  if (ok)
    find_range (op, stream);
  return gst_oct_access_end (access, ok, ok ? error : NULL);
}

gboolean
gst_oct_operator_run (GstOctOperator *op, GstOctAccess *access, GstBuffer *in,
    GstBuffer *const *out, GstElement **failed, GError **error)
{
  g_auto (GstOctPending) pending = { 0 };
  OctFrame from;
  const OctFrame *to;
  gpointer stream;
  gboolean ok = TRUE;

  /* what has a mean takes values */
  if (op->mean == NULL && in != out[0]
      && gst_oct_pending_get (in, gst_oct_access_get_cuda (access), &pending)
      && pending.n < OCT_SEQUENCE_MAX)
    return operator_run_pending (op, access, &pending, out, failed, error);
  if (!operator_ensure_plan (op, error)
      || !gst_oct_access_begin (access, in, out, &from, &to, &stream, error))
    return FALSE;
  if (is_found_before (op)) {
    from.planes[1].data = op->removed;
    ok = operator_find_mean (op, access, &from, op->removed, error);
  }
  ok = ok && get_table (op)->run (op->plan, &from, to, stream, error);
  if (ok)
    find_range (op, stream);
  return gst_oct_access_end (access, ok, ok ? error : NULL);
}
