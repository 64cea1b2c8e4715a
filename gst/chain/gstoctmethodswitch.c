/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstoctmethodswitch.h"
#include "gstocterror.h"
#include "gstoctfilter.h"

GST_DEBUG_CATEGORY_EXTERN (gst_oct_reconstruct_debug);
#define GST_CAT_DEFAULT gst_oct_reconstruct_debug

gboolean
gst_oct_method_switch_link (GstOctMethodSwitch *self, GError **error)
{
  gboolean ok;

  g_atomic_int_set (&self->change_due, FALSE);
  if (!gst_oct_path_check (&self->path, self->wanted, error)) {
    gst_oct_path_unlink (&self->path);
    return FALSE;
  }
  ok = gst_oct_path_link (&self->path, self->wanted);
  gst_oct_path_remove_unused (&self->path);
  if (!ok)
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "The elements of method=%s do not go together with what is in front of "
        "octreconstruct or after it; choose another method.",
        gst_oct_method_name (self->wanted));
  return ok;
}

void
gst_oct_method_switch_update (GstOctMethodSwitch *self)
{
  gboolean changed;
  GstOctMethod before;

  g_rec_mutex_lock (&self->lock);
  before = self->path.method;
  if (self->running) {
    g_atomic_int_set (&self->change_due, TRUE);
  } else if (g_rw_lock_writer_trylock (&self->traffic)) {
    gst_oct_method_switch_link (self, NULL);
    g_rw_lock_writer_unlock (&self->traffic);
  }
  changed = self->path.method != before;
  g_rec_mutex_unlock (&self->lock);
  if (changed)
    g_object_notify (G_OBJECT (self->bin), "method-in-use");
}

void
gst_oct_method_switch_stop (GstOctMethodSwitch *self)
{
  g_rec_mutex_lock (&self->lock);
  self->running = FALSE;
  g_rec_mutex_unlock (&self->lock);
}

void
gst_oct_method_switch_finish (GstOctMethodSwitch *self)
{
  gboolean changed;

  g_rec_mutex_lock (&self->lock);
  self->running = FALSE;
  changed = self->path.method != self->wanted;
  gst_oct_method_switch_link (self, NULL);
  changed &= self->path.method == self->wanted;
  g_rec_mutex_unlock (&self->lock);
  if (changed)
    g_object_notify (G_OBJECT (self->bin), "method-in-use");
}

gboolean
gst_oct_method_switch_is_trying (GstOctMethodSwitch *self)
{
  return g_atomic_pointer_get (&self->changer) == g_thread_self ();
}

gboolean
gst_oct_method_switch_hold (GstOctMethodSwitch *self)
{
  if (gst_oct_method_switch_is_trying (self))
    return FALSE;
  g_rw_lock_reader_lock (&self->traffic);
  return TRUE;
}

void
gst_oct_method_switch_release (GstOctMethodSwitch *self, gboolean held)
{
  if (held)
    g_rw_lock_reader_unlock (&self->traffic);
}

/* ---------------------------------------------------------------- the trial */

static GstOctChoice *
method_switch_get_choice (GstOctMethodSwitch *self, guint part)
{
  return gst_oct_filter_get_choice (GST_OCT_FILTER (self->path.parts[part]));
}

/* Locked, with the traffic held. */
static void
begin_change (GstOctMethodSwitch *self, GstOctMethod method)
{
  g_atomic_pointer_set (&self->changer, g_thread_self ());
  self->complained = GST_OCT_N_PARTS;
  self->delivered = FALSE;
  for (guint i = 0; i < GST_OCT_N_PARTS; i++)
    gst_oct_choice_keep (method_switch_get_choice (self, i), &self->kept[i]);
  if (!gst_oct_path_check (&self->path, method, &self->problem))
    return;
  if (!gst_oct_path_link (&self->path, method) && self->problem == NULL)
    g_set_error (&self->problem, OCT_ERROR, OCT_ERROR_SETTINGS,
        "Its elements do not go together with what is in front of them or "
        "after them.");
}

/* Seldom does anybody else hold the links, and not for long; but a seek may
 * wait for this thread, and finds all of it done then. */
static gboolean
try_for_links (GstOctMethodSwitch *self)
{
  for (guint i = 0; i < 100; i++) {
    if (g_rw_lock_writer_trylock (&self->traffic))
      return TRUE;
    g_usleep (1000);
  }
  return FALSE;
}

/* Back to the previous method, unless B-scans have ended meanwhile.  Without a
 * problem nothing is known of the method, and the next B-scan is another
 * trial. */
static gboolean
method_switch_revert (
    GstOctMethodSwitch *self, GstOctMethod tried, GstOctMethod former)
{
  gboolean held = try_for_links (self);
  gboolean running;

  g_rec_mutex_lock (&self->lock);
  running = self->running;
  if (running) {
    if (self->problem == NULL)
      g_atomic_int_set (&self->change_due, TRUE);
    else if (self->wanted == tried)
      self->wanted = former;
    gst_oct_path_link (&self->path, former);
    if (self->complained < GST_OCT_N_PARTS)
      gst_oct_path_restart (&self->path, self->complained);
    /* a setting may be one that did not fit when it was set: the settings in
     * force of restarted elements stay in force */
    for (guint i = 0; i < GST_OCT_N_PARTS; i++)
      if ((self->path.linked & (1u << i)) != 0)
        gst_oct_choice_take_back (
            method_switch_get_choice (self, i), &self->kept[i]);
  }
  g_rec_mutex_unlock (&self->lock);
  if (held)
    g_rw_lock_writer_unlock (&self->traffic);
  return running;
}

static void
warn_of_problem (
    GstOctMethodSwitch *self, GstOctMethod refused, GstOctMethod former)
{
  const char *message = self->problem->message;

  GST_ELEMENT_WARNING (self->bin, RESOURCE, SETTINGS,
      ("method=%s is not possible here: %s%s The previous method stays: %s.",
          gst_oct_method_name (refused), message,
          g_str_has_suffix (message, ".") ? "" : ".",
          gst_oct_method_name (former)),
      (NULL));
}

/* Where a change of state is going through the elements, the next B-scan does
 * it. */
static void
tidy_up (GstOctMethodSwitch *self)
{
  if (!g_rw_lock_writer_trylock (&self->traffic)) {
    g_atomic_int_set (&self->change_due, TRUE);
    return;
  }
  g_rec_mutex_lock (&self->lock);
  if (self->running)
    gst_oct_path_remove_unused (&self->path);
  g_rec_mutex_unlock (&self->lock);
  g_rw_lock_writer_unlock (&self->traffic);
}

static void
find_problem (GstOctMethodSwitch *self, GstFlowReturn flow)
{
  if (self->problem != NULL)
    return;
  if (flow == GST_FLOW_NOT_NEGOTIATED
      || (flow == GST_FLOW_OK && !self->delivered))
    g_set_error (&self->problem, OCT_ERROR, OCT_ERROR_SETTINGS,
        "It does not take these spectra, or its images are refused.");
}

/* The B-scan has gone the new way.  Returns whether it was taken there. */
static gboolean
method_switch_end_change (GstOctMethodSwitch *self, GstOctMethod method,
    GstOctMethod former, GstFlowReturn flow)
{
  gboolean reverted, refused;

  find_problem (self, flow);
  GST_INFO_OBJECT (self->bin, "method=%s in place of %s: %s%s%s",
      gst_oct_method_name (method), gst_oct_method_name (former),
      gst_flow_get_name (flow), self->delivered ? ", A-scans came" : "",
      self->problem != NULL ? ", refused" : "");
  /* a seek can come before the elements have tried */
  reverted =
      (self->problem != NULL || (flow == GST_FLOW_FLUSHING && !self->delivered))
      && method_switch_revert (self, method, former);
  refused = reverted && self->problem != NULL;
  tidy_up (self);
  g_atomic_pointer_set (&self->changer, NULL);
  if (refused) {
    warn_of_problem (self, method, former);
    g_object_notify (G_OBJECT (self->bin), "method");
  } else if (!reverted) {
    g_object_notify (G_OBJECT (self->bin), "method-in-use");
  }
  g_clear_error (&self->problem);
  for (guint i = 0; i < GST_OCT_N_PARTS; i++)
    gst_oct_choice_kept_clear (&self->kept[i]);
  return !refused || (flow == GST_FLOW_OK && self->delivered);
}

/* Downstream of the elements that depend on the method. */
static GstPadProbeReturn
gst_oct_method_switch_on_ascans (
    GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  GstOctMethodSwitch *self = data;

  if (gst_oct_method_switch_is_trying (self))
    self->delivered = TRUE;
  return GST_PAD_PROBE_OK;
}

/* In the streaming thread, before the elements that depend on the method: none
 * of them has a B-scan now.  The next one is the trial of another method, and
 * goes the previous way if that fails. */
static GstPadProbeReturn
gst_oct_method_switch_on_bscan (
    GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  GstOctMethodSwitch *self = data;
  GstBuffer *bscan = GST_PAD_PROBE_INFO_BUFFER (info);
  GstFlowReturn flow = GST_FLOW_ERROR;
  GstOctMethod method, former;
  gboolean change;

  /* what is set during a trial is for the next B-scan: this is the one that is
   * being tried, and comes by once more */
  if (gst_oct_method_switch_is_trying (self)
      || !g_atomic_int_get (&self->change_due)
      || !g_rw_lock_writer_trylock (&self->traffic))
    return GST_PAD_PROBE_OK;
  g_rec_mutex_lock (&self->lock);
  g_atomic_int_set (&self->change_due, FALSE);
  method = self->wanted;
  former = self->path.method;
  change = self->running && method != former;
  if (change)
    begin_change (self, method);
  else if (self->running)
    gst_oct_path_remove_unused (&self->path);
  g_rec_mutex_unlock (&self->lock);
  g_rw_lock_writer_unlock (&self->traffic);
  if (!change)
    return GST_PAD_PROBE_OK;
  if (self->problem == NULL)
    flow = gst_pad_push (pad, gst_buffer_ref (bscan));
  /* in the middle of a negotiation a seek looks like its failure */
  if (flow == GST_FLOW_NOT_NEGOTIATED && GST_PAD_IS_FLUSHING (pad))
    flow = GST_FLOW_FLUSHING;
  if (!method_switch_end_change (self, method, former, flow))
    return GST_PAD_PROBE_OK;
  gst_buffer_unref (bscan);
  GST_PAD_PROBE_INFO_DATA (info) = NULL;
  GST_PAD_PROBE_INFO_FLOW_RETURN (info) = flow;
  return GST_PAD_PROBE_HANDLED;
}

/* The element inside that depends on the method and has sent it;
 * GST_OCT_N_PARTS: another one. */
static GstOctPart
find_sender (GstOctMethodSwitch *self, GstMessage *message)
{
  for (guint i = GST_OCT_PART_DCSUB + 1; i < GST_OCT_PART_LOGSCALE; i++)
    if (GST_MESSAGE_SRC (message) == GST_OBJECT (self->path.parts[i]))
      return i;
  return GST_OCT_N_PARTS;
}

/* A problem of a method that is being tried ends nothing. */
static gboolean
keep_problem (GstOctMethodSwitch *self, GstOctPart sender, GError **error)
{
  if (!gst_oct_method_switch_is_trying (self))
    return FALSE;
  if (self->problem == NULL) {
    self->problem = g_steal_pointer (error);
    self->complained = sender;
  }
  return TRUE;
}

/* That a negotiation has failed is a warning of the base class without a
 * reason: if it counts, the pipeline ends with an error, and if a seek or a
 * change came in between, it is repeated. */
gboolean
gst_oct_method_switch_takes_message (
    GstOctMethodSwitch *self, GstMessage *message)
{
  GstOctPart sender = find_sender (self, message);
  g_autoptr (GError) error = NULL;

  if (sender == GST_OCT_N_PARTS)
    return FALSE;
  switch (GST_MESSAGE_TYPE (message)) {
  case GST_MESSAGE_ERROR:
    gst_message_parse_error (message, &error, NULL);
    return keep_problem (self, sender, &error);
  case GST_MESSAGE_WARNING:
    gst_message_parse_warning (message, &error, NULL);
    return g_error_matches (error, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT)
           || (g_error_matches (
                   error, GST_CORE_ERROR, GST_CORE_ERROR_NEGOTIATION)
               && keep_problem (self, sender, &error));
  default:
    return FALSE;
  }
}

static void
add_probe (
    GstOctMethodSwitch *self, GstOctPart part, GstPadProbeCallback callback)
{
  g_autoptr (GstPad) pad =
      gst_element_get_static_pad (self->path.parts[part], "src");

  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, callback, self, NULL);
}

/* ------------------------------------------------------------------- object */

void
gst_oct_method_switch_init (GstOctMethodSwitch *self, GstBin *bin)
{
  self->bin = bin;
  g_rec_mutex_init (&self->lock);
  g_rw_lock_init (&self->traffic);
  gst_oct_path_init (&self->path, bin);
  gst_oct_path_link (&self->path, GST_OCT_METHOD_RESAMPLE);
  add_probe (self, GST_OCT_PART_DCSUB, gst_oct_method_switch_on_bscan);
  for (guint i = GST_OCT_PART_FFT; i < GST_OCT_PART_LOGSCALE; i++)
    add_probe (self, i, gst_oct_method_switch_on_ascans);
}

void
gst_oct_method_switch_clear (GstOctMethodSwitch *self)
{
  gst_clear_object (&self->path.behind);
  gst_oct_path_clear (&self->path);
  g_rec_mutex_clear (&self->lock);
  g_rw_lock_clear (&self->traffic);
}
