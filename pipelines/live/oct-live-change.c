/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-live-change.h"

/* A-lines of a trial: enough for any reconstruction to be made and to work, and
 * few enough not to be felt in the picture. */
#define TRIAL_LINES 64

static gint running; /* trials; atomic */

struct _OctLiveTrial {
  const OctMethod *method;
  double a2, a3;
  GstPad *spectra;
  gulong probe;
  GList *contexts;  /* GstContext: the GPU that the spectra are on */
  gint depths;      /* wanted, 0 = any */
  gint taken;       /* atomic: a B-scan is here */
  GstBuffer *bscan; /* the thread's, as all below */
  GstCaps *caps;
  GPtrArray *events;  /* sticky ones besides caps and segment */
  gboolean delivered; /* A-scans have come out */
  gint delivered_depths;
  char *problem;
  OctLiveTriedFunc func; /* main thread; NULL: given up */
  gpointer data;
};

/* ------------------------------------------------------------------ the trial
 */

static void
clear_trial (gpointer data)
{
  OctLiveTrial *trial = data;

  gst_object_unref (trial->spectra);
  g_list_free_full (trial->contexts, (GDestroyNotify)gst_context_unref);
  g_clear_pointer (&trial->bscan, gst_buffer_unref);
  g_clear_pointer (&trial->caps, gst_caps_unref);
  g_ptr_array_unref (trial->events);
  g_free (trial->problem);
}

static void
release (gpointer trial)
{
  g_atomic_rc_box_release_full (trial, clear_trial);
}

static gboolean
on_tried (gpointer data)
{
  OctLiveTrial *trial = data;
  OctLiveTriedFunc func = trial->func;

  trial->func = NULL;
  if (func != NULL)
    func (trial->problem, trial->data);
  return G_SOURCE_REMOVE;
}

static GstFlowReturn
on_ascans (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  OctLiveTrial *trial = g_object_get_data (G_OBJECT (pad), "trial");
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (pad);

  gst_buffer_unref (buffer);
  trial->delivered = TRUE;
  if (caps != NULL)
    gst_structure_get_int (
        gst_caps_get_structure (caps, 0), "samples", &trial->delivered_depths);
  return GST_FLOW_OK;
}

static gboolean
on_event (GstPad *pad, GstObject *parent, GstEvent *event)
{
  gst_event_unref (event);
  return TRUE;
}

/* The first error on the bus, else what is said without one. */
static char *
find_problem (OctLiveTrial *trial, GstElement *pipeline)
{
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  g_autoptr (GstMessage) message =
      gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR);
  g_autoptr (GError) error = NULL;

  if (message != NULL) {
    gst_message_parse_error (message, &error, NULL);
    return g_strdup (error->message);
  }
  if (!trial->delivered)
    return g_strdup ("This reconstruction does not take these spectra; choose "
                     "another one.");
  if (trial->depths != 0 && trial->delivered_depths != trial->depths)
    return g_strdup_printf (
        "This reconstruction gives %d depths and not %d as those before; "
        "choose another one.",
        trial->delivered_depths, trial->depths);
  return NULL;
}

/* The first A-lines where they lie in main memory. */
static void
shorten (OctLiveTrial *trial)
{
  const GstStructure *structure = gst_caps_get_structure (trial->caps, 0);
  gsize size = gst_buffer_get_size (trial->bscan);
  GstBuffer *part;
  gint lines = 0;

  gst_structure_get_int (structure, "lines", &lines);
  if (!gst_caps_features_is_equal (gst_caps_get_features (trial->caps, 0),
          GST_CAPS_FEATURES_MEMORY_SYSTEM_MEMORY)
      || lines <= TRIAL_LINES || size % (guint)lines != 0)
    return;
  part = gst_buffer_copy_region (trial->bscan, GST_BUFFER_COPY_MEMORY, 0,
      size / (guint)lines * TRIAL_LINES);
  gst_buffer_unref (trial->bscan);
  trial->bscan = part;
  trial->caps = gst_caps_make_writable (trial->caps);
  gst_caps_set_simple (trial->caps, "lines", G_TYPE_INT, TRIAL_LINES, NULL);
}

/* As the pipeline's pad has sent them, in an order that is allowed. */
static void
push (OctLiveTrial *trial, GstPad *pad)
{
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  shorten (trial);
  gst_pad_push_event (pad, gst_event_new_stream_start ("trial"));
  gst_pad_push_event (pad, gst_event_new_caps (trial->caps));
  gst_pad_push_event (pad, gst_event_new_segment (&segment));
  for (guint i = 0; i < trial->events->len; i++)
    gst_pad_push_event (
        pad, gst_event_ref (g_ptr_array_index (trial->events, i)));
  gst_pad_push (pad, g_steal_pointer (&trial->bscan));
}

static void
try_chain (OctLiveTrial *trial, GstElement *chain)
{
  g_autoptr (GstElement) pipeline =
      gst_object_ref_sink (gst_pipeline_new (NULL));
  g_autoptr (GstPad) in = gst_element_get_static_pad (chain, "sink");
  g_autoptr (GstPad) out = gst_element_get_static_pad (chain, "src");
  g_autoptr (GstPad) source =
      gst_object_ref_sink (gst_pad_new (NULL, GST_PAD_SRC));
  g_autoptr (GstPad) sink =
      gst_object_ref_sink (gst_pad_new (NULL, GST_PAD_SINK));

  gst_bin_add (GST_BIN (pipeline), chain);
  for (GList *i = trial->contexts; i != NULL; i = i->next)
    gst_element_set_context (chain, i->data);
  g_object_set_data (G_OBJECT (sink), "trial", trial);
  gst_pad_set_chain_function (sink, on_ascans);
  gst_pad_set_event_function (sink, on_event);
  gst_pad_set_active (sink, TRUE);
  gst_pad_set_active (source, TRUE);
  gst_pad_link (source, in);
  gst_pad_link (out, sink);
  if (gst_element_set_state (pipeline, GST_STATE_PLAYING)
      != GST_STATE_CHANGE_FAILURE)
    push (trial, source);
  trial->problem = find_problem (trial, pipeline);
  gst_pad_set_active (source, FALSE);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_pad_unlink (source, in);
  gst_pad_unlink (out, sink);
  gst_pad_set_active (sink, FALSE);
}

static gpointer
run (gpointer data)
{
  OctLiveTrial *trial = data;
  g_autoptr (GError) error = NULL;
  GstElement *chain =
      oct_chain_new (trial->method, trial->a2, trial->a3, &error);

  if (chain != NULL)
    try_chain (trial, chain);
  else
    trial->problem = g_strdup (error->message);
  g_idle_add_full (G_PRIORITY_HIGH, on_tried, trial, release);
  g_atomic_int_add (&running, -1);
  return NULL;
}

static gboolean
keep_event (GstPad *pad, GstEvent **event, gpointer data)
{
  OctLiveTrial *trial = data;

  if (GST_EVENT_TYPE (*event) == GST_EVENT_CAPS)
    gst_event_parse_caps (*event, &trial->caps);
  else if (GST_EVENT_TYPE (*event) == GST_EVENT_CUSTOM_DOWNSTREAM_STICKY)
    g_ptr_array_add (trial->events, gst_event_ref (*event));
  return TRUE;
}

static GstPadProbeReturn
on_bscan (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  OctLiveTrial *trial = data;

  if (!g_atomic_int_compare_and_exchange (&trial->taken, FALSE, TRUE))
    return GST_PAD_PROBE_REMOVE;
  gst_pad_sticky_events_foreach (pad, keep_event, trial);
  gst_caps_ref (trial->caps);
  trial->bscan = gst_buffer_ref (GST_PAD_PROBE_INFO_BUFFER (info));
  g_atomic_int_inc (&running);
  g_thread_unref (
      g_thread_new ("oct-live-trial", run, g_atomic_rc_box_acquire (trial)));
  return GST_PAD_PROBE_REMOVE;
}

OctLiveTrial *
oct_live_trial_new (const OctMethod *method, double a2, double a3,
    GstElement *pipeline, GstPad *spectra, GstPad *ascans,
    OctLiveTriedFunc func, gpointer data)
{
  OctLiveTrial *trial = g_atomic_rc_box_new0 (OctLiveTrial);
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (ascans);

  trial->method = method;
  trial->a2 = a2;
  trial->a3 = a3;
  trial->spectra = gst_object_ref (spectra);
  trial->contexts = gst_element_get_contexts (pipeline);
  trial->events =
      g_ptr_array_new_with_free_func ((GDestroyNotify)gst_event_unref);
  trial->func = func;
  trial->data = data;
  if (caps != NULL)
    gst_structure_get_int (
        gst_caps_get_structure (caps, 0), "samples", &trial->depths);
  trial->probe = gst_pad_add_probe (spectra, GST_PAD_PROBE_TYPE_BUFFER,
      on_bscan, g_atomic_rc_box_acquire (trial), release);
  return trial;
}

void
oct_live_trial_free (OctLiveTrial *trial)
{
  trial->func = NULL;
  /* the probe is gone already where it has taken a B-scan */
  if (g_atomic_int_compare_and_exchange (&trial->taken, FALSE, TRUE))
    gst_pad_remove_probe (trial->spectra, trial->probe);
  release (trial);
}

gboolean
oct_live_trial_is_any_running (void)
{
  return g_atomic_int_get (&running) > 0;
}

/* ----------------------------------------------------------------- the change
 */

/* What a change needs, kept until the pad has no buffer under way. */
typedef struct {
  GstElement *pipeline, *before, *old, *chain, *after;
  GSourceFunc done;
  gpointer data;
  GDestroyNotify free_data;
} Change;

static void
free_change (gpointer data)
{
  Change *change = data;

  gst_object_unref (change->pipeline);
  gst_object_unref (change->before);
  gst_object_unref (change->old);
  gst_object_unref (change->chain);
  gst_object_unref (change->after);
  if (change->data != NULL)
    change->free_data (change->data);
  g_free (change);
}

static GstPadProbeReturn
on_idle (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  Change *change = data;

  gst_element_unlink (change->before, change->old);
  gst_element_unlink (change->old, change->after);
  gst_element_set_state (change->old, GST_STATE_NULL);
  gst_bin_remove (GST_BIN (change->pipeline), change->old);
  gst_bin_add (GST_BIN (change->pipeline), change->chain);
  if (!gst_element_link (change->chain, change->after)
      || !gst_element_sync_state_with_parent (change->chain)
      || !gst_element_link (change->before, change->chain))
    GST_ELEMENT_ERROR (change->chain, CORE, NEGOTIATION,
        ("The reconstruction cannot be changed to this method."), (NULL));
  g_idle_add_full (G_PRIORITY_HIGH, change->done,
      g_steal_pointer (&change->data), change->free_data);
  return GST_PAD_PROBE_REMOVE;
}

void
oct_live_chain_replace (GstElement *pipeline, GstElement *before,
    GstElement *old, GstElement *chain, GstElement *after, GSourceFunc done,
    gpointer data, GDestroyNotify free_data)
{
  g_autoptr (GstPad) pad = gst_element_get_static_pad (before, "src");
  Change *change = g_new (Change, 1);

  change->pipeline = gst_object_ref (pipeline);
  change->before = gst_object_ref (before);
  change->old = gst_object_ref (old);
  change->chain = gst_object_ref (chain);
  change->after = gst_object_ref (after);
  change->done = done;
  change->data = data;
  change->free_data = free_data;
  gst_pad_add_probe (
      pad, GST_PAD_PROBE_TYPE_IDLE, on_idle, change, free_change);
}
