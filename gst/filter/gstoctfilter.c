/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstoctfilter.h"
#include "gstoctaccess.h"
#include "gstoctallocation.h"
#include "gstocterror.h"
#include "gstoctinstall.h"
#include "gstoctoperator.h"
#include "gstoctorder.h"
#include "gstoctoutputs.h"
#include "gstoctpinned.h"
#include "gstoctscatterevents.h"
#include "oct-sequence.h"

/* also of gstoctfiltercaps.c */
GST_DEBUG_CATEGORY (gst_oct_filter_debug);
#define GST_CAT_DEFAULT gst_oct_filter_debug

static const GstOctProperty rows[] = {
  GST_OCT_PLACE_ROWS,
};
static const GstOctProperties properties =
    GST_OCT_PROPERTIES (GstOctPlace, rows);
static GstOctHolder holder = { .properties = &properties };

typedef struct {
  GstOctPlace place;

  /* set by any thread, taken by the streaming thread */
  gint stale;

  GstOctChoice choice;

  /* streaming thread */
  GstOctInfo input, output;
  const GstOctInfo *asked; /* input that configure() is asked for */
  GstOctPurpose purpose;
  const OctBackend *backend;
  OctOperation operation; /* OCT_N_OPERATIONS: that of the class */
  GstOctOperator *op;     /* runs it, NULL until caps are known */
  GstOctAccess *access;   /* the same */
  gboolean offers;        /* to accept values that are not computed yet */
  gboolean defers;        /* the next element agreed to that */
  gboolean deferred;      /* this buffer */
  GstOctOutputs outputs;
  gboolean input_on_gpu, output_on_gpu;
  guint32 refused_event; /* see gst_oct_calibration_event_take() */
  gboolean ended;        /* by an error that was posted: nothing may follow */
  GstPadChainFunction chain; /* that of the base class */

  GstOctCalibrations calibrations; /* under the object lock */
} GstOctFilterPrivate;

/* clang-format off */
G_DEFINE_ABSTRACT_TYPE_WITH_CODE (GstOctFilter, gst_oct_filter,
    GST_TYPE_BASE_TRANSFORM, G_ADD_PRIVATE (GstOctFilter)
    GST_DEBUG_CATEGORY_INIT (gst_oct_filter_debug, "octfilter", 0,
        "OCT elements"))
/* clang-format on */

#define PRIVATE(filter)                                                        \
  ((GstOctFilterPrivate *)gst_oct_filter_get_instance_private (filter))

static OctOperation
get_operation (GstOctFilter *filter)
{
  GstOctFilterPrivate *priv = PRIVATE (filter);

  return priv->operation < OCT_N_OPERATIONS
             ? priv->operation
             : GST_OCT_FILTER_GET_CLASS (filter)->operation;
}

/* Before other caps, or the end. */
static void
drop_access (GstOctFilter *filter)
{
  GstOctFilterPrivate *priv = PRIVATE (filter);

  if (priv->op != NULL && gst_oct_access_enter (priv->access, NULL)) {
    gst_oct_operator_free (priv->op);
    gst_oct_access_leave (priv->access);
  }
  priv->op = NULL;
  g_clear_pointer (&priv->access, gst_oct_access_free);
}

/* ------------------------------------------------- interface to subclasses */

const GstOctInfo *
gst_oct_filter_get_input (GstOctFilter *filter)
{
  return PRIVATE (filter)->asked;
}

const GstOctInfo *
gst_oct_filter_get_output (GstOctFilter *filter)
{
  return &PRIVATE (filter)->output;
}

gboolean
gst_oct_filter_set_plan (GstOctFilter *filter, OctOperation operation,
    gconstpointer params, GError **error)
{
  GstOctFilterPrivate *priv = PRIVATE (filter);

  if (!gst_oct_info_check_clock (priv->asked, operation, error))
    return FALSE;
  if (priv->purpose != GST_OCT_TO_USE)
    return gst_oct_operator_check (operation, params, error);
  if (!gst_oct_operator_set (priv->op, operation, params, error))
    return FALSE;
  priv->operation = operation;
  GST_INFO_OBJECT (filter, "%s backend, rows of %u values to %u",
      priv->backend->name, priv->input.columns, priv->output.columns);
  return TRUE;
}

GstOctChoice *
gst_oct_filter_get_choice (GstOctFilter *filter)
{
  return &PRIVATE (filter)->choice;
}

const GstOctPlace *
gst_oct_filter_get_place (GstOctFilter *filter)
{
  return &PRIVATE (filter)->place;
}

GstOctCalibrations *
gst_oct_filter_get_calibrations (GstOctFilter *filter)
{
  return &PRIVATE (filter)->calibrations;
}

void
gst_oct_filter_changed (GstOctFilter *filter, gboolean affects_caps)
{
  g_atomic_int_set (&PRIVATE (filter)->stale, TRUE);
  if (affects_caps)
    gst_base_transform_reconfigure_src (GST_BASE_TRANSFORM (filter));
}

void
gst_oct_filter_forget (GstOctFilter *filter)
{
  if (PRIVATE (filter)->op != NULL)
    gst_oct_operator_reset (PRIVATE (filter)->op);
}

static const char *
get_history (GstOctFilter *filter, gconstpointer settings, const char **instead)
{
  GstOctFilterClass *klass = GST_OCT_FILTER_GET_CLASS (filter);

  return klass->get_history ? klass->get_history (settings, instead) : NULL;
}

gboolean
gst_oct_filter_check_history (
    GstOctFilter *filter, const char *devices, GError **error)
{
  g_autoptr (GstOctSettings) settings =
      gst_oct_choice_ref (&PRIVATE (filter)->choice);
  const char *instead = NULL, *history;

  history = get_history (filter, gst_oct_settings_get (settings), &instead);
  if (history != NULL)
    gst_oct_branch_refuse_history (
        GST_ELEMENT (filter), history, instead, devices, error);
  return history == NULL;
}

void
gst_oct_filter_set_device (GstOctFilter *filter, gint id)
{
  GstOctPlace *place = &PRIVATE (filter)->place;

  if (place->cuda_device_id == id)
    return;
  /* a context that it was handed before may be one of another GPU */
  gst_oct_place_stop (place, GST_ELEMENT (filter));
  place->cuda_device_id = id;
  g_object_notify (G_OBJECT (filter), "cuda-device-id");
}

/* The GstOctTry of the choice. */
static gboolean
filter_try_settings (GstElement *element, gconstpointer settings,
    GstOctPurpose purpose, GError **error)
{
  GstOctFilter *filter = GST_OCT_FILTER (element);
  const char *instead = NULL,
             *history = get_history (filter, settings, &instead);

  if (history != NULL
      && !gst_oct_branch_allows_history (element, history, instead, error))
    return FALSE;
  PRIVATE (filter)->purpose = purpose;
  return GST_OCT_FILTER_GET_CLASS (filter)->configure (
      filter, settings, purpose, error);
}

static char *
describe_settings (
    GstElement *element, gconstpointer settings, const char *group)
{
  GstOctFilter *filter = GST_OCT_FILTER (element);
  GstOctFilterClass *klass = GST_OCT_FILTER_GET_CLASS (filter);

  return klass->describe != NULL ? klass->describe (filter, settings, group)
                                 : NULL;
}

/* --------------------------------------------------------------------- caps */

/* Where the operation runs and how its B-scans get there. */
static gboolean
choose_access (GstOctFilter *filter, const GstOctInfo *input,
    gboolean input_on_gpu, const GstOctInfo *output, gboolean output_on_gpu,
    GError **error)
{
  GstOctFilterPrivate *priv = PRIVATE (filter);
  GstOctCuda *cuda = input_on_gpu || output_on_gpu
                         ? gst_oct_place_get_cuda (&priv->place)
                         : NULL;
  const OctBackend *backend;
  GstOctAccess *access;
  gboolean keep;

  if (priv->access != NULL && input_on_gpu == priv->input_on_gpu
      && output_on_gpu == priv->output_on_gpu
      && gst_oct_info_same_layout (&priv->input, input)
      && gst_oct_info_same_layout (&priv->output, output))
    return TRUE;
  if ((input_on_gpu || output_on_gpu) && cuda == NULL) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_DEVICE,
        "%s was asked for memory on a GPU and was started without one; set "
        "`backend` before the start, the same on all elements.",
        gst_oct_element_type_name (GST_ELEMENT (filter)));
    return FALSE;
  }
  backend = cuda != NULL ? gst_oct_cuda_get_device (cuda)->backend
                         : oct_backend_cpu ();
  /* what is known of the B-scans before stays as long as they are of a size */
  keep = priv->op != NULL && backend == priv->backend
         && gst_oct_info_same_bscans (&priv->input, input)
         && gst_oct_info_same_bscans (&priv->output, output);
  if (!keep)
    drop_access (filter);
  access = gst_oct_access_new (
      cuda, input, input_on_gpu, output, output_on_gpu, error);
  if (access == NULL)
    return FALSE;
  priv->backend = backend;
  priv->input_on_gpu = input_on_gpu;
  priv->output_on_gpu = output_on_gpu;
  g_clear_pointer (&priv->access, gst_oct_access_free);
  priv->access = access;
  if (!keep)
    priv->op = gst_oct_operator_new (GST_ELEMENT (filter), backend);
  priv->offers = oct_may_fuse ();
  return TRUE;
}

/* If nothing is linked downstream, the base class proposes the input caps as
 * output, whatever they are; the possible output caps replace them. */
static GstCaps *
gst_oct_filter_fixate_caps (GstBaseTransform *trans, GstPadDirection direction,
    GstCaps *caps, GstCaps *othercaps)
{
  GstCaps *possible = GST_BASE_TRANSFORM_GET_CLASS (trans)->transform_caps (
      trans, direction, caps, NULL);

  if (gst_caps_can_intersect (possible, othercaps)) {
    gst_caps_unref (possible);
  } else {
    gst_caps_unref (othercaps);
    othercaps = possible;
  }
  return GST_BASE_TRANSFORM_CLASS (gst_oct_filter_parent_class)
      ->fixate_caps (trans, direction, caps, othercaps);
}

/* In the streaming thread, before a negotiation for such an input. */
static void
filter_prepare (GstOctFilter *filter, const GstOctInfo *input)
{
  GstOctFilterPrivate *priv = PRIVATE (filter);

  priv->asked = input;
  gst_oct_choice_negotiate (&priv->choice);
  priv->asked = &priv->input;
}

static void
prepare_for_caps (GstOctFilter *filter, GstEvent *event)
{
  GstOctInfo info;
  GstCaps *caps;

  gst_event_parse_caps (event, &caps);
  /* caps that are none of ours are refused by the negotiation */
  if (gst_oct_info_from_caps (&info, caps, NULL))
    filter_prepare (filter, &info);
}

static GstFlowReturn
gst_oct_filter_submit_input_buffer (
    GstBaseTransform *trans, gboolean is_discont, GstBuffer *buffer)
{
  GstOctFilter *filter = GST_OCT_FILTER (trans);
  GstOctFilterPrivate *priv = PRIVATE (filter);

  gst_oct_properties_sync (
      GST_OBJECT (trans), &trans->segment, GST_BUFFER_PTS (buffer));
  if (priv->access != NULL && gst_oct_choice_is_stale (&priv->choice)) {
    filter_prepare (filter, &priv->input);
    /* now: the thread that set the property may not have asked for it yet */
    gst_base_transform_reconfigure_src (trans);
  }
  return GST_BASE_TRANSFORM_CLASS (gst_oct_filter_parent_class)
      ->submit_input_buffer (trans, is_discont, buffer);
}

/* Caps that could not be settled are tried again with the next buffer.  An
 * error that ends the pipeline is posted once, and nothing follows, even if
 * there is enough memory by then. */
static void
filter_end (GstOctFilter *filter, GError **error)
{
  if (!PRIVATE (filter)->ended)
    gst_oct_element_error (GST_ELEMENT (filter), error);
  PRIVATE (filter)->ended = TRUE;
}

static gboolean
may_work_in_place (GstOctFilter *filter)
{
  GstOctFilterPrivate *priv = PRIVATE (filter);

  return oct_operation_is_in_place (get_operation (filter))
         && priv->input.size == priv->output.size && !priv->input.is_video
         && priv->input_on_gpu == priv->output_on_gpu;
}

static gboolean
gst_oct_filter_set_caps (
    GstBaseTransform *trans, GstCaps *incaps, GstCaps *outcaps)
{
  GstOctFilter *filter = GST_OCT_FILTER (trans);
  GstOctFilterPrivate *priv = PRIVATE (filter);
  GstOctInfo input, output;
  g_autoptr (GError) error = NULL;

  /* A new framerate or z-spacing alone changes nothing for the operation, and
   * what it knows of the B-scans before stays. */
  if (!gst_oct_info_from_caps (&input, incaps, &error)
      || !gst_oct_info_from_caps (&output, outcaps, &error)) {
    gst_oct_element_error (GST_ELEMENT (filter), &error);
    return FALSE;
  }
  if (!choose_access (filter, &input, gst_oct_caps_is_on_gpu (incaps), &output,
          gst_oct_caps_is_on_gpu (outcaps), &error)) {
    filter_end (filter, &error);
    return FALSE;
  }
  priv->input = input;
  priv->output = output;
  /* see decide_allocation() */
  gst_base_transform_set_in_place (
      trans, !priv->offers && may_work_in_place (filter));
  g_atomic_int_set (&priv->stale, TRUE);
  return TRUE;
}

/* ------------------------------------------------------------------ buffers */

static gboolean
gst_oct_filter_propose_allocation (
    GstBaseTransform *trans, GstQuery *decide_query, GstQuery *query)
{
  GstOctFilter *filter = GST_OCT_FILTER (trans);
  GstOctFilterPrivate *priv = PRIVATE (filter);
  GstOctCuda *cuda = gst_oct_place_get_cuda (&priv->place);

  if (!GST_BASE_TRANSFORM_CLASS (gst_oct_filter_parent_class)
           ->propose_allocation (trans, decide_query, query))
    return FALSE;
  if (priv->input.is_video) {
    gst_query_add_allocation_meta (query, GST_VIDEO_META_API_TYPE, NULL);
    if (priv->input_on_gpu)
      gst_query_add_allocation_meta (query, GST_OCT_READER_API_TYPE, NULL);
  } else if (priv->offers) {
    gst_query_add_allocation_meta (query, GST_OCT_PENDING_API_TYPE, NULL);
  }
  if (priv->output_on_gpu && !priv->input_on_gpu && cuda != NULL)
    gst_oct_propose_pinned_pool (cuda, &priv->input, query);
  return TRUE;
}

/* Where the allocators say it is in the log alone. */
static void
post_no_memory (GstOctFilter *filter)
{
  GstOctFilterPrivate *priv = PRIVATE (filter);
  gboolean gpu = priv->input_on_gpu || priv->output_on_gpu;
  g_autoptr (GError) error =
      gst_oct_no_memory_new (gpu ? gst_oct_place_get_cuda (&priv->place) : NULL,
          priv->output_on_gpu, &priv->output);

  filter_end (filter, &error);
}

/* Brings the plan up to date.  While a new negotiation is under way the plan
 * for the caps in force does one more buffer. */
static gboolean
filter_ensure_plan (GstOctFilter *filter, GError **error)
{
  GstOctFilterPrivate *priv = PRIVATE (filter);

  /* a property was set after filter_prepare(): the negotiation since did not
   * know of it */
  if (gst_oct_choice_is_stale (&priv->choice))
    gst_base_transform_reconfigure_src (GST_BASE_TRANSFORM (filter));
  if (gst_oct_operator_is_set (priv->op)
      && GST_PAD_NEEDS_RECONFIGURE (GST_BASE_TRANSFORM_SRC_PAD (filter)))
    return TRUE;
  if (!g_atomic_int_compare_and_exchange (&priv->stale, TRUE, FALSE)
      && gst_oct_operator_is_set (priv->op))
    return TRUE;
  return gst_oct_choice_configure (&priv->choice, error);
}

/* The base class says that a pool cannot be activated, and not why. */
static gboolean
activate_pool (GstBaseTransform *trans)
{
  g_autoptr (GstBufferPool) pool = gst_base_transform_get_buffer_pool (trans);

  return pool == NULL || gst_base_transform_is_in_place (trans)
         || gst_buffer_pool_is_active (pool)
         || gst_buffer_pool_set_active (pool, TRUE);
}

/* Tries to output a buffer whose values are computed downstream. */
static GstFlowReturn
try_to_defer (GstOctFilter *filter, GstBuffer *input, GstBuffer **output)
{
  GstOctFilterPrivate *priv = PRIVATE (filter);
  GstBaseTransform *trans = GST_BASE_TRANSFORM (filter);
  GstMemory *memory = NULL;
  g_autoptr (GError) error = NULL;
  gboolean ok = gst_oct_access_enter (priv->access, &error);

  if (ok) {
    ok = filter_ensure_plan (filter, &error);
    if (ok && gst_oct_operator_can_defer (priv->op, priv->access)) {
      memory = gst_oct_operator_defer (
          priv->op, priv->access, &priv->input, input, &error);
      ok = memory != NULL;
    }
    if (!ok)
      gst_oct_operator_clear (priv->op);
    gst_oct_access_leave (priv->access);
  }
  if (!ok) {
    gst_oct_element_error (GST_ELEMENT (filter), &error);
    return GST_FLOW_ERROR;
  }
  if (memory == NULL)
    return GST_FLOW_OK;
  priv->deferred = TRUE;
  *output = gst_buffer_new ();
  gst_buffer_append_memory (*output, memory);
  GST_BASE_TRANSFORM_GET_CLASS (trans)->copy_metadata (trans, input, *output);
  return GST_FLOW_OK;
}

static GstFlowReturn
gst_oct_filter_prepare_output_buffer (
    GstBaseTransform *trans, GstBuffer *input, GstBuffer **output)
{
  GstOctFilter *filter = GST_OCT_FILTER (trans);
  GstOctFilterPrivate *priv = PRIVATE (filter);
  GstFlowReturn ret = GST_FLOW_ERROR;

  priv->deferred = FALSE;
  if (priv->ended)
    return ret;
  if (priv->defers) {
    ret = try_to_defer (filter, input, output);
    if (ret != GST_FLOW_OK || priv->deferred)
      return ret;
    ret = GST_FLOW_ERROR;
  }
  if (gst_oct_outputs_begin_block (
          &priv->outputs, trans, priv->access, input, output))
    return GST_FLOW_OK;
  if (activate_pool (trans))
    ret = GST_BASE_TRANSFORM_CLASS (gst_oct_filter_parent_class)
              ->prepare_output_buffer (trans, input, output);
  if (ret == GST_FLOW_ERROR)
    post_no_memory (GST_OCT_FILTER (trans));
  return ret;
}

static gboolean
gst_oct_filter_decide_allocation (GstBaseTransform *trans, GstQuery *query)
{
  GstOctFilterPrivate *priv = PRIVATE (GST_OCT_FILTER (trans));
  GstOctCuda *cuda = gst_oct_place_get_cuda (&priv->place);
  g_autoptr (GstAllocator) pinned = NULL;
  g_autoptr (GstBufferPool) pool = NULL;

  /* Caps for a GPU that the element has not are an error of set_caps(). */
  if ((priv->output_on_gpu || priv->input_on_gpu) && cuda == NULL)
    return FALSE;
  gst_oct_access_set_reader (priv->access,
      gst_oct_get_reader (GST_BASE_TRANSFORM_SRC_PAD (trans), query));
  if (priv->output_on_gpu)
    pool = gst_oct_cuda_pool_new (cuda);
  else if (priv->input_on_gpu)
    pinned = gst_oct_pinned_allocator_new (cuda, GST_ELEMENT (trans));
  priv->defers =
      priv->offers && (priv->output_on_gpu || !priv->input_on_gpu)
      && gst_query_find_allocation_meta (query, GST_OCT_PENDING_API_TYPE, NULL);
  if (gst_oct_decide_allocation (GST_ELEMENT (trans), query, pool, pinned))
    return TRUE;
  if (pool != NULL)
    post_no_memory (GST_OCT_FILTER (trans));
  return FALSE;
}

static GstFlowReturn
begin_outputs (GstOctFilter *filter, GstBuffer *input, GstBuffer *first)
{
  GstOctFilterPrivate *priv = PRIVATE (filter);
  g_autoptr (GError) error = NULL;
  guint n = gst_oct_access_expect (priv->access, input,
      oct_operation_needs_all (get_operation (filter)), &error);
  GstFlowReturn ret;

  if (n == 0) {
    filter_end (filter, &error);
    return GST_FLOW_ERROR;
  }
  ret = gst_oct_outputs_begin (&priv->outputs, GST_BASE_TRANSFORM (filter),
      GST_BASE_TRANSFORM_CLASS (gst_oct_filter_parent_class)
          ->prepare_output_buffer,
      input, first, n);
  if (ret == GST_FLOW_ERROR)
    post_no_memory (filter);
  return ret;
}

static GstFlowReturn
gst_oct_filter_generate_output (GstBaseTransform *trans, GstBuffer **output)
{
  *output = gst_oct_outputs_take (&PRIVATE (GST_OCT_FILTER (trans))->outputs);
  return *output != NULL
             ? GST_FLOW_OK
             : GST_BASE_TRANSFORM_CLASS (gst_oct_filter_parent_class)
                   ->generate_output (trans, output);
}

static GstFlowReturn
gst_oct_filter_transform (
    GstBaseTransform *trans, GstBuffer *inbuf, GstBuffer *outbuf)
{
  GstOctFilter *filter = GST_OCT_FILTER (trans);
  GstOctFilterPrivate *priv = PRIVATE (filter);
  g_autoptr (GstElement) failed = NULL;
  g_autoptr (GError) error = NULL;
  GstFlowReturn ret;
  gboolean ok;

  if (priv->deferred)
    return GST_FLOW_OK;
  ret = begin_outputs (filter, inbuf, outbuf);
  if (ret != GST_FLOW_OK)
    return ret;
  ok = gst_oct_access_enter (priv->access, &error);
  if (ok) {
    ok = filter_ensure_plan (filter, &error)
         && gst_oct_operator_run (priv->op, priv->access, inbuf,
             priv->outputs.buffers, &failed, &error);
    if (!ok)
      gst_oct_operator_clear (priv->op);
    gst_oct_access_leave (priv->access);
  }
  gst_oct_outputs_end (&priv->outputs, trans, ok);
  if (ok && GST_OCT_FILTER_GET_CLASS (filter)->found != NULL)
    GST_OCT_FILTER_GET_CLASS (filter)->found (
        filter, gst_oct_operator_get_found (priv->op));
  if (ok)
    return GST_FLOW_OK;
  gst_oct_element_error (
      failed != NULL ? failed : GST_ELEMENT (filter), &error);
  return GST_FLOW_ERROR;
}

GstOctOperator *
gst_oct_filter_get_operator (GstOctFilter *filter)
{
  return PRIVATE (filter)->op;
}

void
gst_oct_filter_wait (GstOctFilter *filter)
{
  GstOctAccess *access = PRIVATE (filter)->access;

  if (access != NULL && gst_oct_access_get_cuda (access) != NULL)
    gst_oct_cuda_wait (gst_oct_access_get_cuda (access));
}

static GstFlowReturn
gst_oct_filter_transform_ip (GstBaseTransform *trans, GstBuffer *buffer)
{
  return gst_oct_filter_transform (trans, buffer, buffer);
}

/* To the upstream element, a seek in the middle of a negotiation looks like a
 * failed one, which would end the stream with an error. */
static GstFlowReturn
gst_oct_filter_chain (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  GstFlowReturn ret =
      PRIVATE (GST_OCT_FILTER (parent))->chain (pad, parent, buffer);

  return ret == GST_FLOW_NOT_NEGOTIATED && GST_PAD_IS_FLUSHING (pad)
             ? GST_FLOW_FLUSHING
             : ret;
}

/* ---------------------------------------------------------- events, states */

void
gst_oct_filter_set_upstream_calibration (
    GstOctFilter *filter, OctCalibration *calibration)
{
  gboolean affects_caps;

  GST_OBJECT_LOCK (filter);
  affects_caps = gst_oct_calibrations_set_upstream (
      gst_oct_filter_get_calibrations (filter), calibration);
  GST_OBJECT_UNLOCK (filter);
  if (affects_caps)
    gst_oct_choice_set_stale (gst_oct_filter_get_choice (filter));
  gst_oct_filter_changed (filter, affects_caps);
}

static gboolean
gst_oct_filter_sink_event (GstBaseTransform *trans, GstEvent *event)
{
  GstOctFilter *filter = GST_OCT_FILTER (trans);
  GstOctFilterPrivate *priv = PRIVATE (filter);
  g_autoptr (OctCalibration) calibration = NULL;

  if (!gst_oct_calibration_event_take (
          GST_ELEMENT (filter), &event, &priv->refused_event, &calibration))
    return FALSE;
  if (calibration != NULL) {
    GST_DEBUG_OBJECT (filter, "calibration for %u samples from upstream",
        oct_calibration_get_samples (calibration));
    gst_oct_filter_set_upstream_calibration (filter, calibration);
  }
  if (GST_EVENT_TYPE (event) == GST_EVENT_CAPS)
    prepare_for_caps (filter, event);
  if (GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_STOP) {
    priv->ended = FALSE;
    gst_oct_outputs_clear (&priv->outputs);
    gst_oct_filter_forget (filter);
  }
  return gst_oct_order_sink_event (
      trans, GST_BASE_TRANSFORM_CLASS (gst_oct_filter_parent_class), event);
}

static gboolean
gst_oct_filter_query (
    GstBaseTransform *trans, GstPadDirection direction, GstQuery *query)
{
  if (gst_oct_place_answer_query (
          &PRIVATE (GST_OCT_FILTER (trans))->place, GST_ELEMENT (trans), query))
    return TRUE;
  if (!GST_BASE_TRANSFORM_CLASS (gst_oct_filter_parent_class)
           ->query (trans, direction, query))
    return FALSE;
  if (GST_QUERY_TYPE (query) == GST_QUERY_CAPS)
    gst_oct_order_widen_at (trans, direction, query);
  return TRUE;
}

static void
gst_oct_filter_set_context (GstElement *element, GstContext *context)
{
  gst_oct_place_set_context (
      &PRIVATE (GST_OCT_FILTER (element))->place, element, context);
  GST_ELEMENT_CLASS (gst_oct_filter_parent_class)
      ->set_context (element, context);
}

static gboolean
gst_oct_filter_start (GstBaseTransform *trans)
{
  GstOctFilter *filter = GST_OCT_FILTER (trans);
  GstOctFilterPrivate *priv = PRIVATE (filter);
  g_autoptr (GError) error = NULL;

  priv->backend = oct_backend_cpu ();
  if (gst_oct_place_start (&priv->place, GST_ELEMENT (filter), &error))
    return TRUE;
  gst_oct_element_error (GST_ELEMENT (filter), &error);
  return FALSE;
}

static gboolean
gst_oct_filter_stop (GstBaseTransform *trans)
{
  GstOctFilter *filter = GST_OCT_FILTER (trans);
  GstOctFilterPrivate *priv = PRIVATE (filter);

  drop_access (filter);
  gst_oct_outputs_clear (&priv->outputs);
  priv->refused_event = 0;
  priv->ended = FALSE;
  gst_oct_place_stop (&priv->place, GST_ELEMENT (filter));
  GST_OBJECT_LOCK (filter);
  gst_oct_calibrations_forget (&priv->calibrations);
  GST_OBJECT_UNLOCK (filter);
  gst_oct_choice_forget (&priv->choice);
  return TRUE;
}

/* ------------------------------------------------------------------- object */

/* The class is known from here on. */
static void
gst_oct_filter_constructed (GObject *object)
{
  GstOctFilter *filter = GST_OCT_FILTER (object);

  gst_oct_choice_init (&PRIVATE (filter)->choice, GST_ELEMENT (filter),
      GST_OCT_FILTER_GET_CLASS (filter)->properties, filter_try_settings,
      describe_settings);
  G_OBJECT_CLASS (gst_oct_filter_parent_class)->constructed (object);
}

static void
gst_oct_filter_finalize (GObject *object)
{
  GstOctFilterPrivate *priv = PRIVATE (GST_OCT_FILTER (object));

  gst_oct_choice_clear (&priv->choice);
  gst_oct_calibrations_forget (&priv->calibrations);
  gst_oct_place_stop (&priv->place, GST_ELEMENT (object));
  G_OBJECT_CLASS (gst_oct_filter_parent_class)->finalize (object);
}

static void
gst_oct_filter_class_init (GstOctFilterClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstBaseTransformClass *trans_class = GST_BASE_TRANSFORM_CLASS (klass);

  object_class->constructed = gst_oct_filter_constructed;
  object_class->finalize = gst_oct_filter_finalize;
  trans_class->fixate_caps = gst_oct_filter_fixate_caps;
  trans_class->set_caps = gst_oct_filter_set_caps;
  trans_class->submit_input_buffer = gst_oct_filter_submit_input_buffer;
  trans_class->propose_allocation = gst_oct_filter_propose_allocation;
  trans_class->decide_allocation = gst_oct_filter_decide_allocation;
  trans_class->prepare_output_buffer = gst_oct_filter_prepare_output_buffer;
  trans_class->generate_output = gst_oct_filter_generate_output;
  trans_class->transform = gst_oct_filter_transform;
  trans_class->transform_ip = gst_oct_filter_transform_ip;
  trans_class->sink_event = gst_oct_filter_sink_event;
  trans_class->query = gst_oct_filter_query;
  GST_ELEMENT_CLASS (klass)->set_context = gst_oct_filter_set_context;
  trans_class->start = gst_oct_filter_start;
  trans_class->stop = gst_oct_filter_stop;
  holder.offset = G_PRIVATE_OFFSET (GstOctFilter, place);
  gst_oct_holder_install (&holder, object_class, 1);
  gst_type_mark_as_plugin_api (GST_TYPE_OCT_FILTER, 0);
}

static void
gst_oct_filter_init (GstOctFilter *filter)
{
  gst_oct_properties_init (&properties, &PRIVATE (filter)->place);
  PRIVATE (filter)->operation = OCT_N_OPERATIONS;
  PRIVATE (filter)->asked = &PRIVATE (filter)->input;
  PRIVATE (filter)->chain =
      GST_PAD_CHAINFUNC (GST_BASE_TRANSFORM_SINK_PAD (filter));
  gst_pad_set_chain_function (
      GST_BASE_TRANSFORM_SINK_PAD (filter), gst_oct_filter_chain);
  gst_oct_order_init (GST_BASE_TRANSFORM_SINK_PAD (filter));
}
