/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-octreconstruct
 *
 * Makes images from raw spectra in one element. It contains the elements of the
 * reconstruction, and links them as the #GstOctReconstruct:method needs. The
 * method can be set at any time.
 *
 * |[
 * gst-launch-1.0 octsrc num-buffers=100 ! octreconstruct method=nufft
 *   ! videoconvert ! autovideosink
 * ]|
 */
#include "gstoctreconstruct.h"
#include "gstoctbus.h"
#include "gstoctdevices.h"
#include "gstocterror.h"
#include "gstoctfilter.h"
#include "gstoctforward.h"
#include "gstoctgather.h"
#include "gstocthistory.h"
#include "gstoctorder.h"
#include "gstoctfound.h"
#include "gstoctmethodswitch.h"
#include "gstoctproperties.h"

/* also of gstoctmethodswitch.c */
GST_DEBUG_CATEGORY (gst_oct_reconstruct_debug);
#define GST_CAT_DEFAULT gst_oct_reconstruct_debug

struct _GstOctReconstruct {
  GstBin parent;

  GstPad *sinkpad, *srcpad;
  GstElement *gather; /* a reference; in the bin while it is in use */

  GstOctMethodSwitch methods; /* has the elements, and the lock */

  /* under the lock of `methods` */
  guint frozen; /* bits of the elements whose settings are not all set */
  GstOctGathering gathering; /* the property `gather` */
  gint gathers;              /* atomic: the first element is `gather` */
  char *device_list;         /* the property `devices`, or NULL */
  GstOctDevices *devices;    /* between READY and PAUSED only another one */
  /* `cuda-device-id` as it was set, while `devices` takes its place */
  gint own_ids[GST_OCT_N_PARTS];
  gboolean has_own_ids;

  GstOctHistory history; /* of the results of the elements */
};

enum {
  PROP_0,
  PROP_METHOD,
  PROP_METHOD_IN_USE,
  PROP_OUTPUT,
  PROP_GATHER,
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
GST_OCT_REGISTER_DEFINE (
    octreconstruct, "octreconstruct", GST_RANK_NONE, GST_TYPE_OCT_RECONSTRUCT);

static void
gst_oct_reconstruct_handle_message (GstBin *bin, GstMessage *message)
{
  GstOctReconstruct *self = GST_OCT_RECONSTRUCT (bin);

  if (GST_MESSAGE_SRC (message)
          == GST_OBJECT (self->methods.path.parts[GST_OCT_PART_DISPERSION])
      || GST_MESSAGE_SRC (message)
             == GST_OBJECT (self->methods.path.parts[GST_OCT_PART_DCSUB]))
    message = gst_oct_found_take (&self->history, GST_ELEMENT (self), message);
  if (self->devices != NULL && GST_STATE (self) >= GST_STATE_PAUSED
      && !gst_oct_method_switch_is_trying (&self->methods))
    message = gst_oct_devices_take_message (self->devices, message);
  if (message == NULL)
    return;
  if (gst_oct_method_switch_takes_message (&self->methods, message))
    gst_message_unref (message);
  else
    GST_BIN_CLASS (gst_oct_reconstruct_parent_class)
        ->handle_message (bin, message);
}

/* --------------------------------------------------------------------- pads */

/* Serialized events come in the streaming thread. */
static gboolean
gst_oct_reconstruct_sink_event (GstPad *pad, GstObject *parent, GstEvent *event)
{
  GstOctReconstruct *self = GST_OCT_RECONSTRUCT (parent);
  gboolean held = !GST_EVENT_IS_SERIALIZED (event)
                  && gst_oct_method_switch_hold (&self->methods);
  gboolean ok = gst_pad_event_default (pad, parent, event);

  gst_oct_method_switch_release (&self->methods, held);
  return ok;
}

static gboolean
gst_oct_reconstruct_src_event (GstPad *pad, GstObject *parent, GstEvent *event)
{
  GstOctReconstruct *self = GST_OCT_RECONSTRUCT (parent);
  gboolean held = gst_oct_method_switch_hold (&self->methods);
  gboolean ok = gst_pad_event_default (pad, parent, event);

  gst_oct_method_switch_release (&self->methods, held);
  return ok;
}

static gboolean
gst_oct_reconstruct_src_query (GstPad *pad, GstObject *parent, GstQuery *query)
{
  GstOctReconstruct *self = GST_OCT_RECONSTRUCT (parent);
  gboolean held = gst_oct_method_switch_hold (&self->methods);
  gboolean ok = gst_pad_query_default (pad, parent, query);

  gst_oct_method_switch_release (&self->methods, held);
  return ok;
}

static gboolean
gst_oct_reconstruct_sink_query (GstPad *pad, GstObject *parent, GstQuery *query)
{
  GstOctReconstruct *self = GST_OCT_RECONSTRUCT (parent);
  gboolean held = !GST_QUERY_IS_SERIALIZED (query)
                  && gst_oct_method_switch_hold (&self->methods);
  gboolean ok = gst_pad_query_default (pad, parent, query);

  gst_oct_method_switch_release (&self->methods, held);
  if (ok && GST_QUERY_TYPE (query) == GST_QUERY_CAPS)
    gst_oct_order_widen (pad, self->srcpad, query);
  return ok;
}

/* A bin has no base class that does it.  The B-scan goes through the elements
 * inside in this thread, so it is the one that gets these values; those that go
 * together get those of the first.  A probe of the input, and of octdcsub,
 * where B-scans come in another thread if they have waited. */
static GstPadProbeReturn
gst_oct_reconstruct_on_bscan (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  GstObject *self = data;
  GstBuffer *bscan =
      (info->type & GST_PAD_PROBE_TYPE_BUFFER_LIST) != 0
          ? gst_buffer_list_get (GST_PAD_PROBE_INFO_BUFFER_LIST (info), 0)
          : GST_PAD_PROBE_INFO_BUFFER (info);
  g_autoptr (GstEvent) event = NULL;
  const GstSegment *segment;

  if (bscan == NULL || !gst_object_has_active_control_bindings (self)
      || g_atomic_int_get (&GST_OCT_RECONSTRUCT (self)->gathers)
             != (pad != GST_OCT_RECONSTRUCT (self)->sinkpad))
    return GST_PAD_PROBE_OK;
  event = gst_pad_get_sticky_event (pad, GST_EVENT_SEGMENT, 0);
  if (event != NULL) {
    gst_event_parse_segment (event, &segment);
    gst_oct_properties_sync (self, segment, GST_BUFFER_PTS (bscan));
  }
  return GST_PAD_PROBE_OK;
}

static GstPad *
reconstruct_add_pad (GstOctReconstruct *self, GstOctPart part, const char *name)
{
  g_autoptr (GstPad) target =
      gst_element_get_static_pad (self->methods.path.parts[part], name);
  GstPadTemplate *template =
      gst_element_class_get_pad_template (GST_ELEMENT_GET_CLASS (self), name);
  GstPad *pad = gst_ghost_pad_new_from_template (name, target, template);

  gst_element_add_pad (GST_ELEMENT (self), pad);
  return pad;
}

/* ------------------------------------------------------------------- states */

static void
reconstruct_set_target (GstPad *ghost, GstPad *target)
{
  gst_ghost_pad_set_target (GST_GHOST_PAD (ghost), target);
  gst_clear_object (&target);
}

/* Locked, in READY or when it is disposed. */
static void
remove_gather (GstOctReconstruct *self)
{
  if (!g_atomic_int_get (&self->gathers))
    return;
  g_atomic_int_set (&self->gathers, FALSE);
  reconstruct_set_target (
      self->sinkpad, gst_element_get_static_pad (
                         self->methods.path.parts[GST_OCT_PART_DCSUB], "sink"));
  gst_element_set_state (self->gather, GST_STATE_NULL);
  gst_bin_remove (GST_BIN (self), self->gather);
}

/* Locked, in READY: in front of octdcsub.  A-scans stay one by one, and several
 * GPUs have B-scans enough. */
static void
add_gather (GstOctReconstruct *self)
{
  GstElement *dcsub = self->methods.path.parts[GST_OCT_PART_DCSUB];

  remove_gather (self);
  if (self->gathering == GST_OCT_GATHER_NEVER || self->devices != NULL
      || self->methods.path.output != GST_OCT_OUTPUT_IMAGES)
    return;
  reconstruct_set_target (self->sinkpad, NULL);
  gst_bin_add (GST_BIN (self), self->gather);
  gst_element_link_pads (self->gather, "src", dcsub, "sink");
  reconstruct_set_target (
      self->sinkpad, gst_element_get_static_pad (self->gather, "sink"));
  g_atomic_int_set (&self->gathers, TRUE);
}

/* Locked, in READY, when nobody else can set it: the first GPU. */
static void
set_first_device (GstOctReconstruct *self, gint id)
{
  for (guint i = 0; i < GST_OCT_N_PARTS; i++) {
    g_object_get (
        self->methods.path.parts[i], "cuda-device-id", &self->own_ids[i], NULL);
    gst_oct_filter_set_device (
        GST_OCT_FILTER (self->methods.path.parts[i]), id);
  }
  self->has_own_ids = TRUE;
}

/* In READY again: what people set. */
static void
restore_device (GstOctReconstruct *self)
{
  g_rec_mutex_lock (&self->methods.lock);
  for (guint i = 0; self->has_own_ids && i < GST_OCT_N_PARTS; i++) {
    GstElement *part = self->methods.path.parts[i];

    /* a failed start does not take all of them back to READY */
    if (GST_STATE (part) > GST_STATE_READY)
      gst_element_set_state (part, GST_STATE_READY);
    gst_oct_filter_set_device (GST_OCT_FILTER (part), self->own_ids[i]);
  }
  self->has_own_ids = FALSE;
  g_rec_mutex_unlock (&self->methods.lock);
}

/* Locked, in READY or when it is disposed: back to the elements of one GPU. */
static void
remove_devices (GstOctReconstruct *self)
{
  if (self->devices == NULL)
    return;
  gst_oct_path_unlink (&self->methods.path);
  gst_clear_object (&self->methods.path.behind);
  g_clear_pointer (&self->devices, gst_oct_devices_free);
  reconstruct_set_target (
      self->sinkpad, gst_element_get_static_pad (
                         self->methods.path.parts[GST_OCT_PART_DCSUB], "sink"));
}

/* The same: several if they are asked for. */
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
  set_first_device (self, g_array_index (ids, gint, 0));
  if (ids->len == 1)
    return TRUE;
  gst_oct_path_unlink (&self->methods.path);
  reconstruct_set_target (self->sinkpad, NULL);
  self->devices = gst_oct_devices_new (GST_BIN (self), self->device_list, ids,
      self->methods.path.parts, GST_OCT_N_PARTS);
  reconstruct_set_target (
      self->sinkpad, gst_oct_devices_get_sink (self->devices));
  self->methods.path.behind = gst_oct_devices_get_own_sink (self->devices);
  reconstruct_set_target (
      self->srcpad, gst_oct_devices_get_src (self->devices));
  return TRUE;
}

/* Locked: a setting with a history would fail on all GPUs. */
static gboolean
check_history (GstOctReconstruct *self, GError **error)
{
  GstOctPath *path = &self->methods.path;

  for (guint i = 0; self->devices != NULL && i < GST_OCT_N_PARTS; i++)
    if ((path->linked & (1u << i)) != 0
        && !gst_oct_filter_check_history (
            GST_OCT_FILTER (path->parts[i]), self->device_list, error))
      return FALSE;
  return TRUE;
}

static gboolean
reconstruct_prepare (GstOctReconstruct *self)
{
  g_autoptr (GError) error = NULL;
  GstOctMethod before;
  gboolean changed;

  g_rec_mutex_lock (&self->methods.lock);
  before = self->methods.path.method;
  remove_gather (self);
  self->methods.running = add_devices (self, &error)
                          && gst_oct_method_switch_link (&self->methods, &error)
                          && check_history (self, &error);
  if (self->methods.running)
    add_gather (self);
  changed = self->methods.path.method != before;
  g_rec_mutex_unlock (&self->methods.lock);
  if (changed)
    g_object_notify (G_OBJECT (self), "method-in-use");
  if (error == NULL)
    return TRUE;
  restore_device (self);
  gst_oct_element_error (GST_ELEMENT (self), &error);
  return FALSE;
}

static GstStateChangeReturn
gst_oct_reconstruct_change_state (GstElement *element, GstStateChange change)
{
  GstOctReconstruct *self = GST_OCT_RECONSTRUCT (element);
  GstStateChangeReturn ret;
  gboolean held;

  if (change == GST_STATE_CHANGE_READY_TO_PAUSED && !reconstruct_prepare (self))
    return GST_STATE_CHANGE_FAILURE;
  if (change == GST_STATE_CHANGE_PAUSED_TO_READY)
    gst_oct_method_switch_stop (&self->methods);
  held = gst_oct_method_switch_hold (&self->methods);
  ret = GST_ELEMENT_CLASS (gst_oct_reconstruct_parent_class)
            ->change_state (element, change);
  gst_oct_method_switch_release (&self->methods, held);
  if (change == GST_STATE_CHANGE_PAUSED_TO_READY
      || (change == GST_STATE_CHANGE_READY_TO_PAUSED
          && ret == GST_STATE_CHANGE_FAILURE)) {
    gst_oct_method_switch_finish (&self->methods);
    restore_device (self);
  }
  return ret;
}

/* -------------------------------------------------------------- properties */

static void
set_method (GstOctReconstruct *self, GstOctMethod method)
{
  g_rec_mutex_lock (&self->methods.lock);
  self->methods.wanted = method;
  g_rec_mutex_unlock (&self->methods.lock);
  gst_oct_method_switch_update (&self->methods);
}

/* Properties that are set on the bin together count together in the elements,
 * see gst_oct_choice_set(): until dispatch_properties_changed(). */
static void
reconstruct_freeze (GstOctReconstruct *self, guint parts)
{
  g_rec_mutex_lock (&self->methods.lock);
  for (guint i = 0; i < GST_OCT_N_PARTS; i++)
    if ((parts & ~self->frozen & (1u << i)) != 0)
      g_object_freeze_notify (G_OBJECT (self->methods.path.parts[i]));
  self->frozen |= parts;
  g_rec_mutex_unlock (&self->methods.lock);
}

static void
gst_oct_reconstruct_dispatch_properties_changed (
    GObject *object, guint n_pspecs, GParamSpec **pspecs)
{
  GstOctReconstruct *self = GST_OCT_RECONSTRUCT (object);
  guint frozen;

  g_rec_mutex_lock (&self->methods.lock);
  frozen = self->frozen;
  self->frozen = 0;
  g_rec_mutex_unlock (&self->methods.lock);
  for (guint i = 0; i < GST_OCT_N_PARTS; i++)
    if ((frozen & (1u << i)) != 0)
      g_object_thaw_notify (G_OBJECT (self->methods.path.parts[i]));
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
    g_rec_mutex_lock (&self->methods.lock);
    self->methods.path.output = (GstOctOutput)g_value_get_enum (value);
    g_rec_mutex_unlock (&self->methods.lock);
    gst_oct_method_switch_update (&self->methods);
  } else if (id == PROP_GATHER) {
    g_rec_mutex_lock (&self->methods.lock);
    self->gathering = (GstOctGathering)g_value_get_enum (value);
    g_rec_mutex_unlock (&self->methods.lock);
  } else if (id == PROP_DEVICES) {
    g_rec_mutex_lock (&self->methods.lock);
    g_free (self->device_list);
    self->device_list = g_value_dup_string (value);
    g_rec_mutex_unlock (&self->methods.lock);
  } else if (id == PROP_METHOD) {
    set_method (self, (GstOctMethod)g_value_get_enum (value));
  } else if (id >= PROP_FORWARDED) {
    reconstruct_freeze (self, forwards[id - PROP_FORWARDED].parts);
    gst_oct_forward_set (&forwards[id - PROP_FORWARDED],
        self->methods.path.parts, GST_OCT_N_PARTS, value);
    /* the axis may be another one */
    if (forwards[id - PROP_FORWARDED].at_start)
      gst_oct_method_switch_update (&self->methods);
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
    g_rec_mutex_lock (&self->methods.lock);
    g_value_set_enum (
        value, (gint)(id == PROP_METHOD ? self->methods.wanted
                                        : self->methods.path.method));
    g_rec_mutex_unlock (&self->methods.lock);
  } else if (id == PROP_OUTPUT) {
    g_rec_mutex_lock (&self->methods.lock);
    g_value_set_enum (value, (gint)self->methods.path.output);
    g_rec_mutex_unlock (&self->methods.lock);
  } else if (id == PROP_GATHER) {
    g_rec_mutex_lock (&self->methods.lock);
    g_value_set_enum (value, (gint)self->gathering);
    g_rec_mutex_unlock (&self->methods.lock);
  } else if (id == PROP_DEVICES) {
    g_rec_mutex_lock (&self->methods.lock);
    g_value_set_string (value, self->device_list);
    g_rec_mutex_unlock (&self->methods.lock);
  } else if (id >= PROP_FORWARDED) {
    gst_oct_forward_get (
        &forwards[id - PROP_FORWARDED], self->methods.path.parts, value);
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
    return g_object_ref (G_OBJECT (self->methods.path.parts[part]));
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
      self->methods.path.parts[GST_OCT_PART_DISPERSION], signal, &taken);
  return taken;
}

static gboolean
reconstruct_autofocus (GstOctReconstruct *self)
{
  return ask_dispersion (self, "autofocus");
}

/* No element reads a k map of spectra that are uniform already. */
static gboolean
reconstruct_refine (GstOctReconstruct *self)
{
  gboolean uniform;

  g_rec_mutex_lock (&self->methods.lock);
  uniform = gst_oct_path_is_uniform (&self->methods.path);
  g_rec_mutex_unlock (&self->methods.lock);
  return !uniform && ask_dispersion (self, "refine");
}

static gboolean
reconstruct_take_background (GstOctReconstruct *self, guint bscans)
{
  gboolean taken = FALSE;

  g_signal_emit_by_name (self->methods.path.parts[GST_OCT_PART_DCSUB],
      "take-background", bscans, &taken);
  return taken;
}

static gboolean
reconstruct_undo (GstOctReconstruct *self)
{
  return gst_oct_found_undo (&self->history, GST_ELEMENT (self));
}

static char *
reconstruct_make_calibration_csv (GstOctReconstruct *self)
{
  char *text = NULL;

  g_signal_emit_by_name (self->methods.path.parts[GST_OCT_PART_DISPERSION],
      "calibration-csv", &text);
  return text;
}

static gboolean
reconstruct_save_calibration (GstOctReconstruct *self, const char *path)
{
  gboolean saved = FALSE;

  g_signal_emit_by_name (self->methods.path.parts[GST_OCT_PART_DISPERSION],
      "save-calibration", path, &saved);
  return saved;
}

/* Those of octdispersion and octdcsub, whose messages they have; there is one
 * undo for all of them, as people want to undo their last action. */
static void
reconstruct_add_signals (GType type)
{
  g_signal_new_class_handler ("autofocus", type,
      G_SIGNAL_RUN_LAST | G_SIGNAL_ACTION, G_CALLBACK (reconstruct_autofocus),
      NULL, NULL, NULL, G_TYPE_BOOLEAN, 0);
  g_signal_new_class_handler ("refine", type,
      G_SIGNAL_RUN_LAST | G_SIGNAL_ACTION, G_CALLBACK (reconstruct_refine),
      NULL, NULL, NULL, G_TYPE_BOOLEAN, 0);
  g_signal_new_class_handler ("undo-autofocus", type,
      G_SIGNAL_RUN_LAST | G_SIGNAL_ACTION, G_CALLBACK (reconstruct_undo), NULL,
      NULL, NULL, G_TYPE_BOOLEAN, 0);
  g_signal_new_class_handler ("undo-background", type,
      G_SIGNAL_RUN_LAST | G_SIGNAL_ACTION, G_CALLBACK (reconstruct_undo), NULL,
      NULL, NULL, G_TYPE_BOOLEAN, 0);
  g_signal_new_class_handler ("take-background", type,
      G_SIGNAL_RUN_LAST | G_SIGNAL_ACTION,
      G_CALLBACK (reconstruct_take_background), NULL, NULL, NULL,
      G_TYPE_BOOLEAN, 1, G_TYPE_UINT);
  g_signal_new_class_handler ("calibration-csv", type,
      G_SIGNAL_RUN_LAST | G_SIGNAL_ACTION,
      G_CALLBACK (reconstruct_make_calibration_csv), NULL, NULL, NULL,
      G_TYPE_STRING, 0);
  g_signal_new_class_handler ("save-calibration", type,
      G_SIGNAL_RUN_LAST | G_SIGNAL_ACTION,
      G_CALLBACK (reconstruct_save_calibration), NULL, NULL, NULL,
      G_TYPE_BOOLEAN, 1, G_TYPE_STRING);
}

/* ------------------------------------------------------------------- object */

/* While the elements are there. */
static void
gst_oct_reconstruct_dispose (GObject *object)
{
  remove_gather (GST_OCT_RECONSTRUCT (object));
  remove_devices (GST_OCT_RECONSTRUCT (object));
  G_OBJECT_CLASS (gst_oct_reconstruct_parent_class)->dispose (object);
}

static void
gst_oct_reconstruct_finalize (GObject *object)
{
  GstOctReconstruct *self = GST_OCT_RECONSTRUCT (object);

  gst_oct_method_switch_clear (&self->methods);
  gst_clear_object (&self->gather);
  g_free (self->device_list);
  gst_oct_history_clear (&self->history);
  G_OBJECT_CLASS (gst_oct_reconstruct_parent_class)->finalize (object);
}

/* Those of the elements inside. */
static void
reconstruct_add_template (GstElementClass *klass, const char *name, guint of)
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
  object_class->dispose = gst_oct_reconstruct_dispose;
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
  g_object_class_install_property (object_class, PROP_GATHER,
      g_param_spec_enum ("gather", "Gathering",
          "Whether short B-scans that wait are worked on together; images, "
          "their order and times are the same",
          GST_TYPE_OCT_GATHERING, GST_OCT_GATHER_AUTO,
          G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS
              | GST_PARAM_MUTABLE_READY));
  g_object_class_install_property (object_class, PROP_DEVICES,
      g_param_spec_string ("devices", "GPUs",
          "Several GPUs that share the B-scans, such as \"0,1\", in place of "
          "`cuda-device-id`; input and output are in system memory then",
          NULL,
          G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS
              | GST_PARAM_MUTABLE_READY));
  for (guint i = 0; i < G_N_ELEMENTS (forwards); i++)
    gst_oct_forward_install (object_class, PROP_FORWARDED + i, &forwards[i],
        gst_oct_part_get_type (
            (GstOctPart)g_bit_nth_msf (forwards[i].parts, -1)));
  reconstruct_add_signals (G_TYPE_FROM_CLASS (klass));
  reconstruct_add_template (element_class, "sink", DCSUB);
  reconstruct_add_template (element_class, "src", LOGSCALE | FFT);
  gst_element_class_set_static_metadata (element_class, "OCT reconstruction",
      "Filter/Converter/Video",
      "Turns raw spectra into images, by the method that is set",
      "The gst-oct developers");
  gst_type_mark_as_plugin_api (GST_TYPE_OCT_METHOD, 0);
  gst_type_mark_as_plugin_api (GST_TYPE_OCT_OUTPUT, 0);
  gst_type_mark_as_plugin_api (GST_TYPE_OCT_GATHERING, 0);
}

static void
gst_oct_reconstruct_init (GstOctReconstruct *self)
{
  g_autoptr (GstPad) dcsub = NULL;

  gst_oct_method_switch_init (&self->methods, GST_BIN (self));
  self->gather = gst_object_ref_sink (g_object_new (GST_TYPE_OCT_GATHER, "name",
      "gather", "bscans", 0, "gpu-only", TRUE, NULL));
  self->sinkpad = reconstruct_add_pad (self, GST_OCT_PART_DCSUB, "sink");
  self->srcpad = self->methods.path.end =
      reconstruct_add_pad (self, GST_OCT_PART_LOGSCALE, "src");
  gst_pad_set_event_function (self->sinkpad, gst_oct_reconstruct_sink_event);
  gst_pad_set_query_function (self->sinkpad, gst_oct_reconstruct_sink_query);
  gst_pad_set_event_function (self->srcpad, gst_oct_reconstruct_src_event);
  gst_pad_set_query_function (self->srcpad, gst_oct_reconstruct_src_query);
  gst_pad_add_probe (self->sinkpad,
      GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_BUFFER_LIST,
      gst_oct_reconstruct_on_bscan, self, NULL);
  dcsub = gst_element_get_static_pad (
      self->methods.path.parts[GST_OCT_PART_DCSUB], "sink");
  gst_pad_add_probe (dcsub, GST_PAD_PROBE_TYPE_BUFFER,
      gst_oct_reconstruct_on_bscan, self, NULL);
  gst_oct_order_init (self->sinkpad);
}
