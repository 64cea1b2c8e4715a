/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-octreconstruct
 *
 * From raw spectra to images: the elements between them, chosen by the method
 * of reconstruction, which can be another one at any time.
 *
 * |[
 * gst-launch-1.0 octsrc num-buffers=100 ! octreconstruct method=nufft !
 * videoconvert ! autovideosink
 * ]|
 */
#include "gstoctreconstruct.h"
#include "gstoctdevices.h"
#include "gstocterror.h"
#include "gstoctforward.h"
#include "gstocthistory.h"
#include "gstoctorder.h"
#include "gstoctfound.h"
#include "gstoctpath.h"

GST_DEBUG_CATEGORY_STATIC (gst_oct_reconstruct_debug);
#define GST_CAT_DEFAULT gst_oct_reconstruct_debug

struct _GstOctReconstruct {
  GstBin parent;

  GstPad *sinkpad, *srcpad;

  GRecMutex lock; /* for the following; elements in `path` stay the same */
  GstOctPath path;
  GstOctMethod wanted; /* the property */
  guint frozen;        /* bits of the elements whose settings are not all set */
  gboolean running;    /* B-scans may be on their way */

  char *device_list;      /* the property `devices`, or NULL */
  GstOctDevices *devices; /* between READY and PAUSED only another one */

  GstOctHistory history; /* of what the elements have found */

  gint change_due; /* atomic: with the next B-scan */
  /* Taken for writing while elements are linked anew, and for reading by what
   * must not meet that: events, queries, changes of state.  The streaming
   * thread only tries to write: a seek waits for it. */
  GRWLock traffic;
  GThread *changer; /* atomic: the streaming thread during a change */

  /* of the changer, about the trial */
  gboolean delivered; /* A-scans have come */
  GError *problem;
  GstOctPart complained; /* GST_OCT_N_PARTS: none of the elements */
};

enum {
  PROP_0,
  PROP_METHOD,
  PROP_METHOD_IN_USE,
  PROP_OUTPUT,
  PROP_DEVICES,
  PROP_FORWARDED
};

#define DCSUB (1u << GST_OCT_PART_DCSUB)
#define KRESAMPLE (1u << GST_OCT_PART_KRESAMPLE)
#define DISPERSION (1u << GST_OCT_PART_DISPERSION)
#define FFT (1u << GST_OCT_PART_FFT)
#define NUFFT (1u << GST_OCT_PART_NUFFT)
#define CS (1u << GST_OCT_PART_CS)
#define LOGSCALE (1u << GST_OCT_PART_LOGSCALE)
#define TRANSFORMS (FFT | NUFFT | CS)
#define ALL ((1u << GST_OCT_N_PARTS) - 1)

/* Described as by the last of the elements that have it. */
static const GstOctForward forwards[] = {
  { "backend", ALL, .of_computer = TRUE },
  { "cuda-device-id", ALL, .of_computer = TRUE },
  { "calibration", DCSUB },
  { "wavelength-min", DCSUB },
  { "wavelength-max", DCSUB },
  { "wavelength-polynomial", DCSUB },
  { "k-polynomial", DCSUB },
  { "flip", DCSUB },
  { "k-warp", DCSUB },
  { "axis", DCSUB, .at_start = TRUE },
  { "mode", DCSUB },
  { "running-weight", DCSUB },
  { "high-pass-lines", DCSUB },
  { "background", DCSUB },
  { "background-spectrum", DCSUB },
  { "interpolation", KRESAMPLE, "method", "method=resample" },
  { "a2", DISPERSION },
  { "a3", DISPERSION },
  { "phase2", DISPERSION },
  { "phase3", DISPERSION },
  { "autofocus-order", DISPERSION },
  { "window", TRANSFORMS },
  { "depth-start", TRANSFORMS },
  { "depth-bins", TRANSFORMS },
  { "mask", CS, NULL, "method=cs" },
  { "sampling-rate", CS, NULL, "method=cs" },
  { "mask-file", CS, NULL, "method=cs" },
  { "solver", CS, NULL, "method=cs" },
  { "iterations", CS, NULL, "method=cs" },
  { "tau", CS, NULL, "method=cs" },
  { "noise", CS, NULL, "method=cs" },
  { "scale", LOGSCALE },
  { "range", LOGSCALE },
  { "min", LOGSCALE },
  { "max", LOGSCALE },
  { "range-smoothing", LOGSCALE },
};

static void child_proxy_init (gpointer iface, gpointer data);

static void
preset_init (gpointer iface, gpointer data)
{
  gst_oct_forward_init_preset (iface, forwards, G_N_ELEMENTS (forwards));
}

/* clang-format off */
G_DEFINE_TYPE_WITH_CODE (GstOctReconstruct, gst_oct_reconstruct, GST_TYPE_BIN,
    G_IMPLEMENT_INTERFACE (GST_TYPE_CHILD_PROXY, child_proxy_init)
    G_IMPLEMENT_INTERFACE (GST_TYPE_PRESET, preset_init))
/* clang-format on */
GST_ELEMENT_REGISTER_DEFINE (
    octreconstruct, "octreconstruct", GST_RANK_NONE, GST_TYPE_OCT_RECONSTRUCT);

/* With the lock, while there are no B-scans: the method that was set where
 * that is possible. */
static gboolean
rebuild (GstOctReconstruct *self, GError **error)
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
        "octreconstruct or behind it; choose another method.",
        gst_oct_method_name (self->wanted));
  return ok;
}

/* ---------------------------------------------- another method while playing
 */

static gboolean
is_changer (GstOctReconstruct *self)
{
  return g_atomic_pointer_get (&self->changer) == g_thread_self ();
}

/* With the traffic held and the lock. */
static void
begin_change (GstOctReconstruct *self, GstOctMethod method)
{
  g_atomic_pointer_set (&self->changer, g_thread_self ());
  self->complained = GST_OCT_N_PARTS;
  self->delivered = FALSE;
  if (!gst_oct_path_check (&self->path, method, &self->problem))
    return;
  if (!gst_oct_path_link (&self->path, method) && self->problem == NULL)
    g_set_error (&self->problem, OCT_ERROR, OCT_ERROR_SETTINGS,
        "Its elements do not go together with what is in front of them or "
        "behind them.");
}

/* Seldom does anybody else hold the links, and not for long; but a seek may
 * wait for this thread, and finds all of it done then. */
static gboolean
try_for_links (GstOctReconstruct *self)
{
  for (guint i = 0; i < 100; i++) {
    if (g_rw_lock_writer_trylock (&self->traffic))
      return TRUE;
    g_usleep (1000);
  }
  return FALSE;
}

/* Back to what has worked, unless it has come to an end meanwhile. */
static gboolean
revert (GstOctReconstruct *self, GstOctMethod refused, GstOctMethod former)
{
  gboolean held = try_for_links (self);
  gboolean running;

  g_rec_mutex_lock (&self->lock);
  running = self->running;
  if (running) {
    if (self->wanted == refused)
      self->wanted = former;
    gst_oct_path_link (&self->path, former);
    if (self->complained < GST_OCT_N_PARTS)
      gst_oct_path_restart (&self->path, self->complained);
  }
  g_rec_mutex_unlock (&self->lock);
  if (held)
    g_rw_lock_writer_unlock (&self->traffic);
  return running;
}

static void
warn_of_problem (
    GstOctReconstruct *self, GstOctMethod refused, GstOctMethod former)
{
  const char *message = self->problem->message;

  GST_ELEMENT_WARNING (self, RESOURCE, SETTINGS,
      ("method=%s is not possible here: %s%s The previous method stays: %s.",
          gst_oct_method_name (refused), message,
          g_str_has_suffix (message, ".") ? "" : ".",
          gst_oct_method_name (former)),
      (NULL));
}

/* Where a change of state is going through the elements, the next B-scan does
 * it. */
static void
tidy_up (GstOctReconstruct *self)
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
find_problem (GstOctReconstruct *self, GstFlowReturn flow)
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
end_change (GstOctReconstruct *self, GstOctMethod method, GstOctMethod former,
    GstFlowReturn flow)
{
  gboolean refused;

  find_problem (self, flow);
  refused = self->problem != NULL && revert (self, method, former);
  tidy_up (self);
  g_atomic_pointer_set (&self->changer, NULL);
  if (refused) {
    warn_of_problem (self, method, former);
    g_object_notify (G_OBJECT (self), "method");
  } else {
    g_object_notify (G_OBJECT (self), "method-in-use");
  }
  g_clear_error (&self->problem);
  return !refused || (flow == GST_FLOW_OK && self->delivered);
}

/* Behind the elements that depend on the method. */
static GstPadProbeReturn
on_ascans (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  GstOctReconstruct *self = data;

  if (is_changer (self))
    self->delivered = TRUE;
  return GST_PAD_PROBE_OK;
}

/* In the streaming thread, in front of the elements that depend on the method:
 * none of them has a B-scan now.  The next one is the trial of another method,
 * and goes the previous way where that fails. */
static GstPadProbeReturn
on_bscan (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  GstOctReconstruct *self = data;
  GstBuffer *bscan = GST_PAD_PROBE_INFO_BUFFER (info);
  GstFlowReturn flow = GST_FLOW_ERROR;
  GstOctMethod method, former;
  gboolean change;

  if (!g_atomic_int_get (&self->change_due)
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
  if (!end_change (self, method, former, flow))
    return GST_PAD_PROBE_OK;
  gst_buffer_unref (bscan);
  GST_PAD_PROBE_INFO_DATA (info) = NULL;
  GST_PAD_PROBE_INFO_FLOW_RETURN (info) = flow;
  return GST_PAD_PROBE_HANDLED;
}

/* The element inside that depends on the method and has sent it;
 * GST_OCT_N_PARTS: another one. */
static GstOctPart
find_sender (GstOctReconstruct *self, GstMessage *message)
{
  for (guint i = GST_OCT_PART_DCSUB + 1; i < GST_OCT_PART_LOGSCALE; i++)
    if (GST_MESSAGE_SRC (message) == GST_OBJECT (self->path.parts[i]))
      return i;
  return GST_OCT_N_PARTS;
}

/* What speaks against a method that is being tried ends nothing. */
static gboolean
keep_problem (GstOctReconstruct *self, GstOctPart sender, GError **error)
{
  if (!is_changer (self))
    return FALSE;
  if (self->problem == NULL) {
    self->problem = g_steal_pointer (error);
    self->complained = sender;
  }
  return TRUE;
}

/* Whether people need not hear of it.  That a negotiation has failed is a
 * warning of the base class without a reason: where it counts the pipeline ends
 * with an error, and where a seek or a change came in between it is repeated.
 */
static gboolean
take_message (GstOctReconstruct *self, GstMessage *message)
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
gst_oct_reconstruct_handle_message (GstBin *bin, GstMessage *message)
{
  GstOctReconstruct *self = GST_OCT_RECONSTRUCT (bin);

  if (GST_MESSAGE_SRC (message)
          == GST_OBJECT (self->path.parts[GST_OCT_PART_DISPERSION])
      || GST_MESSAGE_SRC (message)
             == GST_OBJECT (self->path.parts[GST_OCT_PART_DCSUB]))
    message = gst_oct_found_take (&self->history, GST_ELEMENT (self), message);
  if (self->devices != NULL && GST_STATE (self) >= GST_STATE_PAUSED
      && !is_changer (self))
    message = gst_oct_devices_take_message (self->devices, message);
  if (take_message (GST_OCT_RECONSTRUCT (bin), message))
    gst_message_unref (message);
  else
    GST_BIN_CLASS (gst_oct_reconstruct_parent_class)
        ->handle_message (bin, message);
}

/* --------------------------------------------------------------------- pads */

/* Of other threads than the changer's. */
static gboolean
hold_links (GstOctReconstruct *self)
{
  if (is_changer (self))
    return FALSE;
  g_rw_lock_reader_lock (&self->traffic);
  return TRUE;
}

static void
let_go (GstOctReconstruct *self, gboolean held)
{
  if (held)
    g_rw_lock_reader_unlock (&self->traffic);
}

/* Serialized events come in the streaming thread. */
static gboolean
gst_oct_reconstruct_sink_event (GstPad *pad, GstObject *parent, GstEvent *event)
{
  GstOctReconstruct *self = GST_OCT_RECONSTRUCT (parent);
  gboolean held = !GST_EVENT_IS_SERIALIZED (event) && hold_links (self);
  gboolean ok = gst_pad_event_default (pad, parent, event);

  let_go (self, held);
  return ok;
}

static gboolean
gst_oct_reconstruct_src_event (GstPad *pad, GstObject *parent, GstEvent *event)
{
  GstOctReconstruct *self = GST_OCT_RECONSTRUCT (parent);
  gboolean held = hold_links (self);
  gboolean ok = gst_pad_event_default (pad, parent, event);

  let_go (self, held);
  return ok;
}

static gboolean
gst_oct_reconstruct_src_query (GstPad *pad, GstObject *parent, GstQuery *query)
{
  GstOctReconstruct *self = GST_OCT_RECONSTRUCT (parent);
  gboolean held = hold_links (self);
  gboolean ok = gst_pad_query_default (pad, parent, query);

  let_go (self, held);
  return ok;
}

static gboolean
gst_oct_reconstruct_sink_query (GstPad *pad, GstObject *parent, GstQuery *query)
{
  GstOctReconstruct *self = GST_OCT_RECONSTRUCT (parent);
  gboolean held = !GST_QUERY_IS_SERIALIZED (query) && hold_links (self);
  gboolean ok = gst_pad_query_default (pad, parent, query);

  let_go (self, held);
  if (ok && GST_QUERY_TYPE (query) == GST_QUERY_CAPS)
    gst_oct_order_widen (pad, self->srcpad, query);
  return ok;
}

static GstPad *
add_pad (GstOctReconstruct *self, GstOctPart part, const char *name)
{
  g_autoptr (GstPad) target =
      gst_element_get_static_pad (self->path.parts[part], name);
  GstPadTemplate *template =
      gst_element_class_get_pad_template (GST_ELEMENT_GET_CLASS (self), name);
  GstPad *pad = gst_ghost_pad_new_from_template (name, target, template);

  gst_element_add_pad (GST_ELEMENT (self), pad);
  return pad;
}

/* ------------------------------------------------------------------- states */

static void
set_target (GstPad *ghost, GstPad *target)
{
  gst_ghost_pad_set_target (GST_GHOST_PAD (ghost), target);
  gst_clear_object (&target);
}

/* With the lock, in READY: back to the elements of one GPU. */
static void
remove_devices (GstOctReconstruct *self)
{
  if (self->devices == NULL)
    return;
  gst_oct_path_unlink (&self->path);
  gst_clear_object (&self->path.behind);
  g_clear_pointer (&self->devices, gst_oct_devices_free);
  set_target (self->sinkpad, gst_element_get_static_pad (
                                 self->path.parts[GST_OCT_PART_DCSUB], "sink"));
}

/* The same: several where they are asked for. */
static gboolean
add_devices (GstOctReconstruct *self, GError **error)
{
  g_autoptr (GArray) ids = NULL;

  remove_devices (self);
  if (self->device_list == NULL || *self->device_list == '\0')
    return TRUE;
  ids = gst_oct_devices_parse (self->device_list, error);
  if (ids == NULL)
    return FALSE;
  g_object_set (self, "cuda-device-id", g_array_index (ids, gint, 0), NULL);
  if (ids->len == 1)
    return TRUE;
  gst_oct_path_unlink (&self->path);
  set_target (self->sinkpad, NULL);
  self->devices = gst_oct_devices_new (
      GST_BIN (self), ids, self->path.parts, GST_OCT_N_PARTS);
  set_target (self->sinkpad, gst_oct_devices_get_sink (self->devices));
  self->path.behind = gst_oct_devices_get_own_sink (self->devices);
  set_target (self->srcpad, gst_oct_devices_get_src (self->devices));
  return TRUE;
}

static gboolean
prepare (GstOctReconstruct *self)
{
  g_autoptr (GError) error = NULL;
  GstOctMethod before;
  gboolean changed;

  g_rec_mutex_lock (&self->lock);
  before = self->path.method;
  self->running = add_devices (self, &error) && rebuild (self, &error);
  changed = self->path.method != before;
  g_rec_mutex_unlock (&self->lock);
  if (changed)
    g_object_notify (G_OBJECT (self), "method-in-use");
  if (error == NULL)
    return TRUE;
  gst_oct_element_error (GST_ELEMENT (self), &error);
  return FALSE;
}

static void
set_running (GstOctReconstruct *self, gboolean running)
{
  g_rec_mutex_lock (&self->lock);
  self->running = running;
  g_rec_mutex_unlock (&self->lock);
}

/* A change that no B-scan has come for is made now. */
static void
finish (GstOctReconstruct *self)
{
  gboolean changed;

  g_rec_mutex_lock (&self->lock);
  self->running = FALSE;
  changed = self->path.method != self->wanted;
  rebuild (self, NULL);
  changed &= self->path.method == self->wanted;
  g_rec_mutex_unlock (&self->lock);
  if (changed)
    g_object_notify (G_OBJECT (self), "method-in-use");
}

static GstStateChangeReturn
gst_oct_reconstruct_change_state (GstElement *element, GstStateChange change)
{
  GstOctReconstruct *self = GST_OCT_RECONSTRUCT (element);
  GstStateChangeReturn ret;
  gboolean held;

  if (change == GST_STATE_CHANGE_READY_TO_PAUSED && !prepare (self))
    return GST_STATE_CHANGE_FAILURE;
  if (change == GST_STATE_CHANGE_PAUSED_TO_READY)
    set_running (self, FALSE);
  held = hold_links (self);
  ret = GST_ELEMENT_CLASS (gst_oct_reconstruct_parent_class)
            ->change_state (element, change);
  let_go (self, held);
  if (change == GST_STATE_CHANGE_PAUSED_TO_READY
      || (change == GST_STATE_CHANGE_READY_TO_PAUSED
          && ret == GST_STATE_CHANGE_FAILURE))
    finish (self);
  return ret;
}

/* -------------------------------------------------------------- properties */

/* What was set before the start is done at once, for people to see it, or at
 * the latest on the way to PAUSED; what is impossible may be possible by then.
 */
static void
settings_changed (GstOctReconstruct *self)
{
  gboolean changed;
  GstOctMethod before;

  g_rec_mutex_lock (&self->lock);
  before = self->path.method;
  if (self->running) {
    g_atomic_int_set (&self->change_due, TRUE);
  } else if (g_rw_lock_writer_trylock (&self->traffic)) {
    rebuild (self, NULL);
    g_rw_lock_writer_unlock (&self->traffic);
  }
  changed = self->path.method != before;
  g_rec_mutex_unlock (&self->lock);
  if (changed)
    g_object_notify (G_OBJECT (self), "method-in-use");
}

static void
set_method (GstOctReconstruct *self, GstOctMethod method)
{
  g_rec_mutex_lock (&self->lock);
  self->wanted = method;
  g_rec_mutex_unlock (&self->lock);
  settings_changed (self);
}

/* What is set on the bin together counts together in the elements, see
 * gst_oct_choice_set(): until dispatch_properties_changed(). */
static void
freeze (GstOctReconstruct *self, guint parts)
{
  g_rec_mutex_lock (&self->lock);
  for (guint i = 0; i < GST_OCT_N_PARTS; i++)
    if ((parts & ~self->frozen & (1u << i)) != 0)
      g_object_freeze_notify (G_OBJECT (self->path.parts[i]));
  self->frozen |= parts;
  g_rec_mutex_unlock (&self->lock);
}

static void
gst_oct_reconstruct_dispatch_properties_changed (
    GObject *object, guint n_pspecs, GParamSpec **pspecs)
{
  GstOctReconstruct *self = GST_OCT_RECONSTRUCT (object);
  guint frozen;

  g_rec_mutex_lock (&self->lock);
  frozen = self->frozen;
  self->frozen = 0;
  g_rec_mutex_unlock (&self->lock);
  for (guint i = 0; i < GST_OCT_N_PARTS; i++)
    if ((frozen & (1u << i)) != 0)
      g_object_thaw_notify (G_OBJECT (self->path.parts[i]));
  G_OBJECT_CLASS (gst_oct_reconstruct_parent_class)
      ->dispatch_properties_changed (object, n_pspecs, pspecs);
}

static void
gst_oct_reconstruct_set_property (
    GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  GstOctReconstruct *self = GST_OCT_RECONSTRUCT (object);

  if (gst_oct_element_refuses_property (GST_ELEMENT (object), pspec))
    return;
  if (id == PROP_OUTPUT) {
    g_rec_mutex_lock (&self->lock);
    self->path.output = (GstOctOutput)g_value_get_enum (value);
    g_rec_mutex_unlock (&self->lock);
    settings_changed (self);
  } else if (id == PROP_DEVICES) {
    g_rec_mutex_lock (&self->lock);
    g_free (self->device_list);
    self->device_list = g_value_dup_string (value);
    g_rec_mutex_unlock (&self->lock);
  } else if (id == PROP_METHOD) {
    set_method (self, (GstOctMethod)g_value_get_enum (value));
  } else if (id >= PROP_FORWARDED) {
    freeze (self, forwards[id - PROP_FORWARDED].parts);
    gst_oct_forward_set (&forwards[id - PROP_FORWARDED], self->path.parts,
        GST_OCT_N_PARTS, value);
    /* the axis may be another one */
    if (forwards[id - PROP_FORWARDED].at_start)
      settings_changed (self);
  } else {
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
  }
}

static void
gst_oct_reconstruct_get_property (
    GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  GstOctReconstruct *self = GST_OCT_RECONSTRUCT (object);

  if (id == PROP_METHOD || id == PROP_METHOD_IN_USE) {
    g_rec_mutex_lock (&self->lock);
    g_value_set_enum (
        value, (gint)(id == PROP_METHOD ? self->wanted : self->path.method));
    g_rec_mutex_unlock (&self->lock);
  } else if (id == PROP_OUTPUT) {
    g_rec_mutex_lock (&self->lock);
    g_value_set_enum (value, (gint)self->path.output);
    g_rec_mutex_unlock (&self->lock);
  } else if (id == PROP_DEVICES) {
    g_rec_mutex_lock (&self->lock);
    g_value_set_string (value, self->device_list);
    g_rec_mutex_unlock (&self->lock);
  } else if (id >= PROP_FORWARDED) {
    gst_oct_forward_get (
        &forwards[id - PROP_FORWARDED], self->path.parts, value);
  } else {
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
  }
}

static GObject *
gst_oct_reconstruct_get_child_by_name (GstChildProxy *proxy, const char *name)
{
  GstOctReconstruct *self = GST_OCT_RECONSTRUCT (proxy);
  GstOctPart part = gst_oct_part_find (name);

  if (part < GST_OCT_N_PARTS)
    return g_object_ref (G_OBJECT (self->path.parts[part]));
  /* those of further GPUs */
  return G_OBJECT (gst_bin_get_by_name (GST_BIN (self), name));
}

/* Also those that the method does without: they are there for the next. */
static void
child_proxy_init (gpointer iface, gpointer data)
{
  ((GstChildProxyInterface *)iface)->get_child_by_name =
      gst_oct_reconstruct_get_child_by_name;
}

/* ------------------------------------------------------------------ signals */

static gboolean
ask_dispersion (GstOctReconstruct *self, const char *signal)
{
  gboolean taken = FALSE;

  g_signal_emit_by_name (
      self->path.parts[GST_OCT_PART_DISPERSION], signal, &taken);
  return taken;
}

static gboolean
autofocus (GstOctReconstruct *self)
{
  return ask_dispersion (self, "autofocus");
}

/* Of spectra that are uniform already nobody reads a k map. */
static gboolean
refine (GstOctReconstruct *self)
{
  gboolean uniform;

  g_rec_mutex_lock (&self->lock);
  uniform = gst_oct_path_is_uniform (&self->path);
  g_rec_mutex_unlock (&self->lock);
  return !uniform && ask_dispersion (self, "refine");
}

static gboolean
take_background (GstOctReconstruct *self, guint bscans)
{
  gboolean taken = FALSE;

  g_signal_emit_by_name (
      self->path.parts[GST_OCT_PART_DCSUB], "take-background", bscans, &taken);
  return taken;
}

static gboolean
undo (GstOctReconstruct *self)
{
  return gst_oct_found_undo (&self->history, GST_ELEMENT (self));
}

static char *
make_calibration_csv (GstOctReconstruct *self)
{
  char *text = NULL;

  g_signal_emit_by_name (
      self->path.parts[GST_OCT_PART_DISPERSION], "calibration-csv", &text);
  return text;
}

static gboolean
save_calibration (GstOctReconstruct *self, const char *path)
{
  gboolean saved = FALSE;

  g_signal_emit_by_name (self->path.parts[GST_OCT_PART_DISPERSION],
      "save-calibration", path, &saved);
  return saved;
}

/* Those of octdispersion and octdcsub, whose messages they have; to undo is one
 * for all of them, as what was done last is what people want to take back. */
static void
add_signals (GType type)
{
  g_signal_new_class_handler ("autofocus", type,
      G_SIGNAL_RUN_LAST | G_SIGNAL_ACTION, G_CALLBACK (autofocus), NULL, NULL,
      NULL, G_TYPE_BOOLEAN, 0);
  g_signal_new_class_handler ("refine", type,
      G_SIGNAL_RUN_LAST | G_SIGNAL_ACTION, G_CALLBACK (refine), NULL, NULL,
      NULL, G_TYPE_BOOLEAN, 0);
  g_signal_new_class_handler ("undo-autofocus", type,
      G_SIGNAL_RUN_LAST | G_SIGNAL_ACTION, G_CALLBACK (undo), NULL, NULL, NULL,
      G_TYPE_BOOLEAN, 0);
  g_signal_new_class_handler ("undo-background", type,
      G_SIGNAL_RUN_LAST | G_SIGNAL_ACTION, G_CALLBACK (undo), NULL, NULL, NULL,
      G_TYPE_BOOLEAN, 0);
  g_signal_new_class_handler ("take-background", type,
      G_SIGNAL_RUN_LAST | G_SIGNAL_ACTION, G_CALLBACK (take_background), NULL,
      NULL, NULL, G_TYPE_BOOLEAN, 1, G_TYPE_UINT);
  g_signal_new_class_handler ("calibration-csv", type,
      G_SIGNAL_RUN_LAST | G_SIGNAL_ACTION, G_CALLBACK (make_calibration_csv),
      NULL, NULL, NULL, G_TYPE_STRING, 0);
  g_signal_new_class_handler ("save-calibration", type,
      G_SIGNAL_RUN_LAST | G_SIGNAL_ACTION, G_CALLBACK (save_calibration), NULL,
      NULL, NULL, G_TYPE_BOOLEAN, 1, G_TYPE_STRING);
}

/* ------------------------------------------------------------------- object */

static void
gst_oct_reconstruct_finalize (GObject *object)
{
  GstOctReconstruct *self = GST_OCT_RECONSTRUCT (object);

  gst_clear_object (&self->path.behind);
  gst_oct_path_clear (&self->path);
  g_free (self->device_list);
  gst_oct_history_clear (&self->history);
  g_rec_mutex_clear (&self->lock);
  g_rw_lock_clear (&self->traffic);
  G_OBJECT_CLASS (gst_oct_reconstruct_parent_class)->finalize (object);
}

/* Those of the elements inside. */
static void
add_template (GstElementClass *klass, const char *name, guint of)
{
  GstCaps *caps = gst_caps_new_empty ();
  GstPadDirection direction = GST_PAD_UNKNOWN;

  for (guint i = 0; i < GST_OCT_N_PARTS; i++) {
    GstElementClass *inner;
    GstPadTemplate *template;

    if ((of & (1u << i)) == 0)
      continue;
    inner = g_type_class_ref (gst_oct_part_get_type (i));
    template = gst_element_class_get_pad_template (inner, name);
    direction = GST_PAD_TEMPLATE_DIRECTION (template);
    gst_caps_append (caps, gst_pad_template_get_caps (template));
    g_type_class_unref (inner);
  }
  gst_element_class_add_pad_template (
      klass, gst_pad_template_new (name, direction, GST_PAD_ALWAYS, caps));
  gst_caps_unref (caps);
}

static void
gst_oct_reconstruct_class_init (GstOctReconstructClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);

  GST_DEBUG_CATEGORY_INIT (
      gst_oct_reconstruct_debug, "octreconstruct", 0, "OCT reconstruction");
  object_class->set_property = gst_oct_reconstruct_set_property;
  object_class->get_property = gst_oct_reconstruct_get_property;
  object_class->dispatch_properties_changed =
      gst_oct_reconstruct_dispatch_properties_changed;
  object_class->finalize = gst_oct_reconstruct_finalize;
  element_class->change_state = gst_oct_reconstruct_change_state;
  GST_BIN_CLASS (klass)->handle_message = gst_oct_reconstruct_handle_message;
  g_object_class_install_property (object_class, PROP_METHOD,
      g_param_spec_enum ("method", "Method", "How spectra become A-scans",
          GST_TYPE_OCT_METHOD, GST_OCT_METHOD_RESAMPLE,
          G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS
              | GST_PARAM_MUTABLE_PLAYING));
  g_object_class_install_property (object_class, PROP_METHOD_IN_USE,
      g_param_spec_enum ("method-in-use", "Method in use",
          "Method of the present images: a new one is used from the next "
          "B-scan "
          "on, if it is possible",
          GST_TYPE_OCT_METHOD, GST_OCT_METHOD_RESAMPLE,
          G_PARAM_READABLE | G_PARAM_STATIC_STRINGS));
  g_object_class_install_property (object_class, PROP_OUTPUT,
      g_param_spec_enum ("output", "Output", "What is delivered",
          GST_TYPE_OCT_OUTPUT, GST_OCT_OUTPUT_IMAGES,
          G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS
              | GST_PARAM_MUTABLE_READY));
  g_object_class_install_property (object_class, PROP_DEVICES,
      g_param_spec_string ("devices", "GPUs",
          "Several GPUs that share the B-scans, such as \"0,1\", in place of "
          "`cuda-device-id`; in and out is host memory then",
          NULL,
          G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS
              | GST_PARAM_MUTABLE_READY));
  for (guint i = 0; i < G_N_ELEMENTS (forwards); i++)
    gst_oct_forward_install (object_class, PROP_FORWARDED + i, &forwards[i],
        gst_oct_part_get_type (
            (GstOctPart)g_bit_nth_msf (forwards[i].parts, -1)));
  add_signals (G_TYPE_FROM_CLASS (klass));
  add_template (element_class, "sink", DCSUB);
  add_template (element_class, "src", LOGSCALE | FFT);
  gst_element_class_set_static_metadata (element_class, "OCT reconstruction",
      "Filter/Converter/Video",
      "Turns raw spectra into images, by the method that is set",
      "The gst-oct developers");
  gst_type_mark_as_plugin_api (GST_TYPE_OCT_METHOD, 0);
  gst_type_mark_as_plugin_api (GST_TYPE_OCT_OUTPUT, 0);
}

static void
add_probe (
    GstOctReconstruct *self, GstOctPart part, GstPadProbeCallback callback)
{
  g_autoptr (GstPad) pad =
      gst_element_get_static_pad (self->path.parts[part], "src");

  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, callback, self, NULL);
}

static void
gst_oct_reconstruct_init (GstOctReconstruct *self)
{
  g_rec_mutex_init (&self->lock);
  g_rw_lock_init (&self->traffic);
  gst_oct_path_init (&self->path, GST_BIN (self));
  gst_oct_path_link (&self->path, GST_OCT_METHOD_RESAMPLE);
  self->sinkpad = add_pad (self, GST_OCT_PART_DCSUB, "sink");
  self->srcpad = self->path.end = add_pad (self, GST_OCT_PART_LOGSCALE, "src");
  gst_pad_set_event_function (self->sinkpad, gst_oct_reconstruct_sink_event);
  gst_pad_set_query_function (self->sinkpad, gst_oct_reconstruct_sink_query);
  gst_pad_set_event_function (self->srcpad, gst_oct_reconstruct_src_event);
  gst_pad_set_query_function (self->srcpad, gst_oct_reconstruct_src_query);
  gst_oct_order_init (self->sinkpad);
  add_probe (self, GST_OCT_PART_DCSUB, on_bscan);
  for (guint i = GST_OCT_PART_FFT; i < GST_OCT_PART_LOGSCALE; i++)
    add_probe (self, i, on_ascans);
}
