/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstoctfilter.h"
#include "gstoctallocation.h"
#include "gstoctbackend.h"
#include "gstocterror.h"

GST_DEBUG_CATEGORY_STATIC (gst_oct_filter_debug);
#define GST_CAT_DEFAULT gst_oct_filter_debug

typedef struct {
  /* properties, under the object lock */
  GstOctBackendChoice backend_choice;
  gint cuda_device_id;
  OctCalibrationSettings settings;

  /* set by any thread, taken by the streaming thread */
  gint stale;

  /* streaming thread */
  GstOctInfo input, output;
  const OctBackend *backend;
  OctPlan *plan;
  OctCalibration *own_calibration;      /* of `settings`; under object lock */
  OctCalibration *upstream_calibration; /* of the event; under object lock */
} GstOctFilterPrivate;

enum { PROP_0, PROP_BACKEND, PROP_CUDA_DEVICE_ID };

/* clang-format off */
G_DEFINE_ABSTRACT_TYPE_WITH_CODE (GstOctFilter, gst_oct_filter,
    GST_TYPE_BASE_TRANSFORM, G_ADD_PRIVATE (GstOctFilter)
    GST_DEBUG_CATEGORY_INIT (gst_oct_filter_debug, "octfilter", 0,
        "OCT elements"))
/* clang-format on */

#define PRIVATE(filter)                                                       \
  ((GstOctFilterPrivate *) gst_oct_filter_get_instance_private (filter))

static const OctOperationTable *
get_operation (GstOctFilter *filter)
{
  return PRIVATE (filter)
      ->backend->operations[GST_OCT_FILTER_GET_CLASS (filter)->operation];
}

static void
drop_plan (GstOctFilter *filter)
{
  GstOctFilterPrivate *priv = PRIVATE (filter);

  if (priv->plan != NULL)
    get_operation (filter)->destroy (priv->plan);
  priv->plan = NULL;
}

/* ------------------------------------------------- interface to subclasses */

const GstOctInfo *
gst_oct_filter_get_input (GstOctFilter *filter)
{
  return &PRIVATE (filter)->input;
}

const GstOctInfo *
gst_oct_filter_get_output (GstOctFilter *filter)
{
  return &PRIVATE (filter)->output;
}

gboolean
gst_oct_filter_set_plan (
    GstOctFilter *filter, gconstpointer params, GError **error)
{
  GstOctFilterPrivate *priv = PRIVATE (filter);
  const OctOperationTable *operation = get_operation (filter);

  if (priv->plan != NULL && operation->update != NULL
      && operation->update (priv->plan, params))
    return TRUE;
  drop_plan (filter);
  priv->plan = operation->create (params, error);
  if (priv->plan != NULL)
    GST_INFO_OBJECT (filter, "%s on the %s backend, %ux%u to %ux%u",
        operation->name, priv->backend->name, priv->input.columns,
        priv->input.rows, priv->output.columns, priv->output.rows);
  return priv->plan != NULL;
}

gboolean
gst_oct_filter_has_plan (GstOctFilter *filter)
{
  return PRIVATE (filter)->plan != NULL;
}

gboolean
gst_oct_filter_has_own_calibration (GstOctFilter *filter)
{
  gboolean own;

  GST_OBJECT_LOCK (filter);
  own = !oct_calibration_settings_empty (&PRIVATE (filter)->settings);
  GST_OBJECT_UNLOCK (filter);
  return own;
}

OctCalibration *
gst_oct_filter_ref_calibration (
    GstOctFilter *filter, guint samples, GError **error)
{
  GstOctFilterPrivate *priv = PRIVATE (filter);
  OctCalibration *found = NULL;
  GError *local = NULL;

  GST_OBJECT_LOCK (filter);
  if (!oct_calibration_settings_empty (&priv->settings)) {
    if (priv->own_calibration == NULL
        || oct_calibration_get_samples (priv->own_calibration) != samples) {
      g_clear_pointer (&priv->own_calibration, oct_calibration_unref);
      priv->own_calibration
          = oct_calibration_new (&priv->settings, samples, &local);
      if (local != NULL)
        gst_oct_error_name_property (&local, "`calibration`");
    }
    found = priv->own_calibration;
  } else if (priv->upstream_calibration != NULL) {
    guint given = oct_calibration_get_samples (priv->upstream_calibration);

    if (given == samples)
      found = priv->upstream_calibration;
    else
      g_set_error (&local, OCT_ERROR, OCT_ERROR_SETTINGS,
          "The calibration that came from upstream is for %u samples, but the "
          "spectra have %u; set a calibration with %u rows on octsrc or "
          "octdcsub.",
          given, samples, samples);
  }
  if (found != NULL)
    oct_calibration_ref (found);
  GST_OBJECT_UNLOCK (filter);
  if (local != NULL)
    g_propagate_error (error, local);
  return found;
}

OctCalibration *
gst_oct_filter_ref_upstream_calibration (GstOctFilter *filter)
{
  OctCalibration *calibration;

  GST_OBJECT_LOCK (filter);
  calibration = PRIVATE (filter)->upstream_calibration;
  if (calibration != NULL)
    oct_calibration_ref (calibration);
  GST_OBJECT_UNLOCK (filter);
  return calibration;
}

void
gst_oct_filter_set_upstream_calibration (
    GstOctFilter *filter, OctCalibration *calibration)
{
  GstOctFilterPrivate *priv = PRIVATE (filter);

  oct_calibration_ref (calibration);
  GST_OBJECT_LOCK (filter);
  g_clear_pointer (&priv->upstream_calibration, oct_calibration_unref);
  priv->upstream_calibration = calibration;
  GST_OBJECT_UNLOCK (filter);
}

void
gst_oct_filter_property_changed (GstOctFilter *filter, gboolean affects_caps)
{
  g_atomic_int_set (&PRIVATE (filter)->stale, TRUE);
  if (affects_caps)
    gst_base_transform_reconfigure_src (GST_BASE_TRANSFORM (filter));
}

void
gst_oct_filter_set_calibration_property (
    GstOctFilter *filter, guint id, const GValue *value, GParamSpec *pspec)
{
  GstOctFilterPrivate *priv = PRIVATE (filter);
  gboolean known;

  GST_OBJECT_LOCK (filter);
  known = gst_oct_calibration_set_property (&priv->settings, id, value);
  if (known)
    g_clear_pointer (&priv->own_calibration, oct_calibration_unref);
  GST_OBJECT_UNLOCK (filter);
  if (known)
    gst_oct_filter_property_changed (filter, TRUE);
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (G_OBJECT (filter), id, pspec);
}

void
gst_oct_filter_get_calibration_property (
    GstOctFilter *filter, guint id, GValue *value, GParamSpec *pspec)
{
  gboolean known;

  GST_OBJECT_LOCK (filter);
  known = gst_oct_calibration_get_property (
      &PRIVATE (filter)->settings, id, value);
  GST_OBJECT_UNLOCK (filter);
  if (!known)
    G_OBJECT_WARN_INVALID_PROPERTY_ID (G_OBJECT (filter), id, pspec);
}

void
gst_oct_filter_class_describe (GstOctFilterClass *klass, OctOperation operation,
    const char *long_name, const char *description, const char *sink_caps,
    const char *src_caps)
{
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  g_autoptr (GstCaps) sink = gst_caps_from_string (sink_caps);
  g_autoptr (GstCaps) src = gst_caps_from_string (src_caps);

  klass->operation = operation;
  gst_element_class_set_static_metadata (element_class, long_name,
      "Filter/Converter/Video", description, "The gst-oct developers");
  gst_element_class_add_pad_template (element_class,
      gst_pad_template_new ("sink", GST_PAD_SINK, GST_PAD_ALWAYS, sink));
  gst_element_class_add_pad_template (element_class,
      gst_pad_template_new ("src", GST_PAD_SRC, GST_PAD_ALWAYS, src));
}

/* --------------------------------------------------------------------- caps */

static GstCaps *
transform_caps (GstBaseTransform *trans, GstPadDirection direction,
    GstCaps *caps, GstCaps *filter_caps)
{
  GstOctFilter *filter = GST_OCT_FILTER (trans);
  GstOctFilterClass *klass = GST_OCT_FILTER_GET_CLASS (filter);
  GstPad *other
      = direction == GST_PAD_SINK ? trans->srcpad : trans->sinkpad;
  g_autoptr (GstCaps) all = gst_caps_new_empty ();
  g_autoptr (GstCaps) templ = gst_pad_get_pad_template_caps (other);
  GstCaps *result;
  guint i;

  for (i = 0; i < gst_caps_get_size (caps); i++)
    klass->transform_structure (
        filter, direction, gst_caps_get_structure (caps, i), all);
  result = gst_caps_intersect_full (all, templ, GST_CAPS_INTERSECT_FIRST);
  if (filter_caps != NULL) {
    GstCaps *both = gst_caps_intersect_full (
        filter_caps, result, GST_CAPS_INTERSECT_FIRST);

    gst_caps_unref (result);
    result = both;
  }
  GST_DEBUG_OBJECT (filter, "%" GST_PTR_FORMAT " becomes %" GST_PTR_FORMAT,
      caps, result);
  return result;
}

/* Where nothing is linked behind, the base class proposes the input caps as
 * output, whatever they are; the output is then what it would be. */
static GstCaps *
fixate_caps (GstBaseTransform *trans, GstPadDirection direction, GstCaps *caps,
    GstCaps *othercaps)
{
  GstCaps *possible = transform_caps (trans, direction, caps, NULL);

  if (gst_caps_can_intersect (possible, othercaps)) {
    gst_caps_unref (possible);
  } else {
    gst_caps_unref (othercaps);
    othercaps = possible;
  }
  return GST_BASE_TRANSFORM_CLASS (gst_oct_filter_parent_class)
      ->fixate_caps (trans, direction, caps, othercaps);
}

static gboolean
set_caps (GstBaseTransform *trans, GstCaps *incaps, GstCaps *outcaps)
{
  GstOctFilter *filter = GST_OCT_FILTER (trans);
  GstOctFilterPrivate *priv = PRIVATE (filter);
  const OctOperationTable *operation = get_operation (filter);
  GstOctInfo input, output;
  g_autoptr (GError) error = NULL;

  if (!gst_oct_info_from_caps (&input, incaps, &error)
      || !gst_oct_info_from_caps (&output, outcaps, &error)) {
    gst_oct_element_error (GST_ELEMENT (filter), &error);
    return FALSE;
  }
  /* A new framerate or z-spacing alone changes nothing for the operation, and
   * what it knows of the B-scans before stays. */
  if (!gst_oct_info_same_layout (&priv->input, &input)
      || !gst_oct_info_same_layout (&priv->output, &output))
    drop_plan (filter);
  priv->input = input;
  priv->output = output;
  gst_base_transform_set_in_place (trans,
      operation->in_place && priv->input.size == priv->output.size
          && !priv->input.is_video);
  g_atomic_int_set (&priv->stale, TRUE);
  return TRUE;
}

static gboolean
transform_size (GstBaseTransform *trans, GstPadDirection direction,
    GstCaps *caps, gsize size, GstCaps *othercaps, gsize *othersize)
{
  GstOctInfo info;

  /* The caps alone decide: a buffer with padded rows is larger than they say. */
  if (!gst_oct_info_from_caps (&info, othercaps, NULL))
    return FALSE;
  *othersize = info.size;
  return TRUE;
}

static gboolean
get_unit_size (GstBaseTransform *trans, GstCaps *caps, gsize *size)
{
  GstOctInfo info;

  if (!gst_oct_info_from_caps (&info, caps, NULL))
    return FALSE;
  *size = info.size;
  return TRUE;
}

/* ------------------------------------------------------------------ buffers */

static gboolean
propose_allocation (
    GstBaseTransform *trans, GstQuery *decide_query, GstQuery *query)
{
  if (!GST_BASE_TRANSFORM_CLASS (gst_oct_filter_parent_class)
           ->propose_allocation (trans, decide_query, query))
    return FALSE;
  if (PRIVATE (GST_OCT_FILTER (trans))->input.is_video)
    gst_query_add_allocation_meta (query, GST_VIDEO_META_API_TYPE, NULL);
  return TRUE;
}

static gboolean
decide_allocation (GstBaseTransform *trans, GstQuery *query)
{
  return gst_oct_decide_allocation (GST_ELEMENT (trans), query);
}

typedef struct {
  OctFrame frame;
  gboolean is_video;
  GstVideoFrame video;
  GstBuffer *buffer;
  GstMapInfo map;
} MappedFrame;

static void
unmap_frame (MappedFrame *mapped)
{
  if (mapped->is_video)
    gst_video_frame_unmap (&mapped->video);
  else
    gst_buffer_unmap (mapped->buffer, &mapped->map);
}

/* Whether a buffer's GstVideoMeta, if any, is of the size that the caps say. */
static gboolean
video_meta_fits (GstBuffer *buffer, const GstVideoInfo *info)
{
  const GstVideoMeta *meta = gst_buffer_get_video_meta (buffer);

  return meta == NULL
      || (meta->format == GST_VIDEO_INFO_FORMAT (info)
          && (gint) meta->width == GST_VIDEO_INFO_WIDTH (info)
          && (gint) meta->height == GST_VIDEO_INFO_HEIGHT (info));
}

/* Whether the memory reaches to the end of every plane: mapping believes
 * whatever offsets and strides a GstVideoMeta has. */
static gboolean
video_frame_fits (const GstVideoFrame *frame)
{
  guint i;

  for (i = 0; i < MIN (2, GST_VIDEO_FRAME_N_PLANES (frame)); i++) {
    const GstMapInfo *map = &frame->map[frame->meta != NULL ? i : 0];
    gssize row = (gssize) GST_VIDEO_FRAME_COMP_WIDTH (frame, i)
        * GST_VIDEO_FRAME_COMP_PSTRIDE (frame, i);
    gssize stride = GST_VIDEO_FRAME_PLANE_STRIDE (frame, i);
    gsize start
        = (guint8 *) GST_VIDEO_FRAME_PLANE_DATA (frame, i) - map->data;

    if (stride < row
        || start + (GST_VIDEO_FRAME_COMP_HEIGHT (frame, i) - 1) * stride + row
            > map->size)
      return FALSE;
  }
  return TRUE;
}

static gboolean
map_frame (MappedFrame *mapped, GstOctInfo *info, GstBuffer *buffer,
    GstMapFlags flags, GError **error)
{
  gsize size = gst_buffer_get_size (buffer);
  guint i;

  memset (&mapped->frame, 0, sizeof mapped->frame);
  mapped->is_video = info->is_video;
  mapped->buffer = buffer;
  if (info->is_video) {
    if (video_meta_fits (buffer, &info->video)
        && gst_video_frame_map (&mapped->video, &info->video, buffer,
            flags | GST_VIDEO_FRAME_MAP_FLAG_NO_REF)) {
      if (!video_frame_fits (&mapped->video)) {
        gst_video_frame_unmap (&mapped->video);
        goto wrong;
      }
      for (i = 0; i < MIN (2, GST_VIDEO_FRAME_N_PLANES (&mapped->video)); i++) {
        mapped->frame.planes[i].data
            = GST_VIDEO_FRAME_PLANE_DATA (&mapped->video, i);
        mapped->frame.planes[i].stride
            = GST_VIDEO_FRAME_PLANE_STRIDE (&mapped->video, i);
      }
      return TRUE;
    }
  } else if (size == info->size
      && gst_buffer_map (buffer, &mapped->map, flags)) {
    mapped->frame.planes[0].data = mapped->map.data;
    mapped->frame.planes[0].stride = gst_oct_info_row_size (info);
    return TRUE;
  }

wrong:
  g_set_error (error, OCT_ERROR, OCT_ERROR_FORMAT,
      "A buffer of %" G_GSIZE_FORMAT " bytes arrived, one B-scan of %u x %u "
      "values has %" G_GSIZE_FORMAT " bytes; check the caps of the source.",
      size, info->columns, info->rows, info->size);
  return FALSE;
}

/* Brings the plan up to date.  While a new negotiation is under way the plan
 * for the caps in force does one more buffer. */
static gboolean
ensure_plan (GstOctFilter *filter, GError **error)
{
  GstOctFilterPrivate *priv = PRIVATE (filter);

  if (priv->plan != NULL
      && GST_PAD_NEEDS_RECONFIGURE (GST_BASE_TRANSFORM_SRC_PAD (filter)))
    return TRUE;
  if (!g_atomic_int_compare_and_exchange (&priv->stale, TRUE, FALSE)
      && priv->plan != NULL)
    return TRUE;
  return GST_OCT_FILTER_GET_CLASS (filter)->configure (filter, error);
}

static GstFlowReturn
transform (GstBaseTransform *trans, GstBuffer *inbuf, GstBuffer *outbuf)
{
  GstOctFilter *filter = GST_OCT_FILTER (trans);
  GstOctFilterPrivate *priv = PRIVATE (filter);
  gboolean in_place = inbuf == outbuf, ok = FALSE;
  g_autoptr (GError) error = NULL;
  MappedFrame in, out;

  if (!ensure_plan (filter, &error))
    goto failed;
  if (!map_frame (&in, &priv->input, inbuf,
          in_place ? GST_MAP_READWRITE : GST_MAP_READ, &error))
    goto failed;
  if (in_place) {
    ok = get_operation (filter)->run (
        priv->plan, &in.frame, &in.frame, NULL, &error);
  } else if (map_frame (&out, &priv->output, outbuf, GST_MAP_WRITE, &error)) {
    ok = get_operation (filter)->run (
        priv->plan, &in.frame, &out.frame, NULL, &error);
    unmap_frame (&out);
  }
  unmap_frame (&in);
  if (ok)
    return GST_FLOW_OK;

failed:
  if (error == NULL)
    g_set_error (&error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "The operation failed without saying why.");
  gst_oct_element_error (GST_ELEMENT (filter), &error);
  return GST_FLOW_ERROR;
}

static GstFlowReturn
transform_ip (GstBaseTransform *trans, GstBuffer *buffer)
{
  return transform (trans, buffer, buffer);
}

/* ---------------------------------------------------------- events, states */

static gboolean
sink_event (GstBaseTransform *trans, GstEvent *event)
{
  GstOctFilter *filter = GST_OCT_FILTER (trans);
  GstOctFilterPrivate *priv = PRIVATE (filter);
  g_autoptr (OctCalibration) calibration
      = gst_oct_calibration_event_parse (event);

  if (calibration != NULL) {
    GST_DEBUG_OBJECT (filter, "calibration for %u samples from upstream",
        oct_calibration_get_samples (calibration));
    gst_oct_filter_set_upstream_calibration (filter, calibration);
    gst_oct_filter_property_changed (filter, TRUE);
  }
  if (GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_STOP && priv->plan != NULL
      && get_operation (filter)->reset != NULL)
    get_operation (filter)->reset (priv->plan);
  return GST_BASE_TRANSFORM_CLASS (gst_oct_filter_parent_class)
      ->sink_event (trans, event);
}

static gboolean
start (GstBaseTransform *trans)
{
  GstOctFilter *filter = GST_OCT_FILTER (trans);
  GstOctFilterPrivate *priv = PRIVATE (filter);
  g_autoptr (GError) error = NULL;

  priv->backend = gst_oct_backend_choose (
      priv->backend_choice, priv->cuda_device_id, &error);
  if (priv->backend == NULL) {
    gst_oct_element_error (GST_ELEMENT (filter), &error);
    return FALSE;
  }
  return TRUE;
}

static gboolean
stop (GstBaseTransform *trans)
{
  GstOctFilter *filter = GST_OCT_FILTER (trans);
  GstOctFilterPrivate *priv = PRIVATE (filter);

  drop_plan (filter);
  GST_OBJECT_LOCK (filter);
  g_clear_pointer (&priv->upstream_calibration, oct_calibration_unref);
  GST_OBJECT_UNLOCK (filter);
  return TRUE;
}

/* ------------------------------------------------------------------- object */

static void
set_property (
    GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  GstOctFilterPrivate *priv = PRIVATE (GST_OCT_FILTER (object));

  switch (id) {
    case PROP_BACKEND:
      priv->backend_choice = g_value_get_enum (value);
      break;
    case PROP_CUDA_DEVICE_ID:
      priv->cuda_device_id = g_value_get_int (value);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
  }
}

static void
get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  GstOctFilterPrivate *priv = PRIVATE (GST_OCT_FILTER (object));

  switch (id) {
    case PROP_BACKEND:
      g_value_set_enum (value, priv->backend_choice);
      break;
    case PROP_CUDA_DEVICE_ID:
      g_value_set_int (value, priv->cuda_device_id);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
  }
}

static void
finalize (GObject *object)
{
  GstOctFilterPrivate *priv = PRIVATE (GST_OCT_FILTER (object));

  oct_calibration_settings_clear (&priv->settings);
  g_clear_pointer (&priv->own_calibration, oct_calibration_unref);
  g_clear_pointer (&priv->upstream_calibration, oct_calibration_unref);
  G_OBJECT_CLASS (gst_oct_filter_parent_class)->finalize (object);
}

static void
gst_oct_filter_class_init (GstOctFilterClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstBaseTransformClass *trans_class = GST_BASE_TRANSFORM_CLASS (klass);

  object_class->set_property = set_property;
  object_class->get_property = get_property;
  object_class->finalize = finalize;
  trans_class->transform_caps = transform_caps;
  trans_class->fixate_caps = fixate_caps;
  trans_class->set_caps = set_caps;
  trans_class->transform_size = transform_size;
  trans_class->get_unit_size = get_unit_size;
  trans_class->propose_allocation = propose_allocation;
  trans_class->decide_allocation = decide_allocation;
  trans_class->transform = transform;
  trans_class->transform_ip = transform_ip;
  trans_class->sink_event = sink_event;
  trans_class->start = start;
  trans_class->stop = stop;
  gst_oct_backend_install_properties (
      object_class, PROP_BACKEND, PROP_CUDA_DEVICE_ID);
  gst_type_mark_as_plugin_api (GST_TYPE_OCT_FILTER, 0);
  gst_type_mark_as_plugin_api (GST_TYPE_OCT_BACKEND, 0);
}

static void
gst_oct_filter_init (GstOctFilter *filter)
{
  PRIVATE (filter)->cuda_device_id = -1;
}
