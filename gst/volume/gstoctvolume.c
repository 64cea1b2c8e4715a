/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-octvolume
 *
 * Makes pictures of volumes, by ray casting: images of B-scans go in, rendered
 * video comes out. It works on an NVIDIA GPU or on the CPU, and needs no
 * display.
 *
 * |[
 * gst-launch-1.0 octsrc bscans=64 lines=128 num-buffers=192
 *   ! octreconstruct range-smoothing=0.99
 *   ! octvolume turn-rate=20
 *   ! videoconvert ! autovideosink
 * ]|
 */
#include "gstoctvolume.h"
#include "gstoctbus.h"
#include "gstoctpace.h"
#include "gstoctvolumecaps.h"
#include "gstoctvolumefilter.h"
#include "gstoctvolumesettings.h"
#include "oct-volume-noise.h"

/* Values that are measured on the volumes, and used for pictures. */
typedef struct {
  gboolean begun;
  OctVolumeParams params; /* of the volumes of `frame` */
  OctVolumeLevels levels;
  double noise;            /* threshold above it */
  double window_threshold; /* that the window is for */
  OctVolumeWindow window;
  OctVolumeFrame frame; /* depths that fit into pictures */
  double face_white;
} Found;

struct _GstOctVolume {
  GstOctVolumeFilter parent;

  /* under the stream lock of the sink pad */
  GstOctVolumeSettings used; /* a shallow copy, of the settings in force */
  OctTransfer transfer;
  OctVolumeLook look;
  Found found;
  double filled; /* threshold of `transfer` */
  GstOctPace pace;

  /* under the object lock */
  GstOctHand hand;
  guint eye_width, eye_height;
};

G_DEFINE_TYPE (GstOctVolume, gst_oct_volume, GST_TYPE_OCT_VOLUME_FILTER);
GST_OCT_REGISTER_DEFINE (
    octvolume, "octvolume", GST_RANK_NONE, GST_TYPE_OCT_VOLUME);

static void
gst_oct_volume_set_spacing (OctVolumeLook *look, const GstOctVoxel *voxel)
{
  look->x_spacing = voxel->x;
  look->y_spacing = voxel->y;
  look->z_spacing = voxel->z;
}

static gboolean
is_stereo (const GstOctVolumeSettings *settings)
{
  return settings->stereo == GST_OCT_STEREO_SIDE_BY_SIDE;
}

static gboolean
refuse_stereo (guint width, GError **error)
{
  g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
      "Pictures for two eyes are %u pixels wide, but the width must be a "
      "multiple of 4; set it in the caps after octvolume.",
      width);
  return FALSE;
}

static gboolean
gst_oct_volume_configure (GstOctVolumeFilter *filter, gconstpointer data,
    GstOctPurpose purpose, GError **error)
{
  GstOctVolume *self = GST_OCT_VOLUME (filter);
  const GstOctVolumeSettings *settings = data;
  GstOctVoxel voxel =
      gst_oct_volume_filter_get_voxel_of (filter, &settings->common);
  OctVolumeLook look;

  if (filter->has_output && is_stereo (settings)
      && filter->output.columns % 4 != 0)
    return refuse_stereo (filter->output.columns, error);
  if (!gst_oct_volume_settings_get_look (settings, &look, error))
    return FALSE;
  gst_oct_volume_set_spacing (&look, &voxel);
  look.transfer = &self->transfer;
  if (voxel.x > 0 && !oct_volume_look_check (&look, error))
    return FALSE;
  if (purpose == GST_OCT_TO_TRY)
    return TRUE;
  self->used = *settings;
  filter->spares_time = settings->max_render_time > 0;
  self->look = look;
  self->filled = -1;
  return TRUE;
}

/* --------------------------------------------------------------------- caps */

/* Those of `caps` that two eyes side by side can have. */
static GstCaps *
keep_stereo (const GstCaps *caps)
{
  g_autoptr (GstCaps) widths =
      gst_caps_from_string ("video/x-raw(ANY), width = (int) [ 16, 8192, 4 ]");

  return gst_caps_intersect_full (
      (GstCaps *)caps, widths, GST_CAPS_INTERSECT_FIRST);
}

static gboolean
gst_oct_volume_check_caps (
    GstOctVolumeFilter *filter, gconstpointer settings, GError **error)
{
  g_autoptr (GstCaps) all = NULL, stereo = NULL;
  gint width = 0;

  if (!is_stereo (settings))
    return TRUE;
  all = gst_pad_peer_query_caps (filter->src, NULL);
  stereo = keep_stereo (all);
  if (gst_caps_is_empty (all) || !gst_caps_is_empty (stereo))
    return TRUE;
  gst_structure_get_int (gst_caps_get_structure (all, 0), "width", &width);
  return refuse_stereo ((guint)width, error);
}

static GstCaps *
gst_oct_volume_choose_caps (GstOctVolumeFilter *filter, gconstpointer settings,
    GstCaps *possible, gint n, gint d)
{
  g_autoptr (GstCaps) stereo =
      is_stereo (settings) ? keep_stereo (possible) : NULL;

  if (stereo != NULL && !gst_caps_is_empty (stereo)) {
    gst_caps_unref (possible);
    possible = g_steal_pointer (&stereo);
  }
  return gst_oct_volume_caps_fixate (possible,
      gst_oct_place_get_cuda (&filter->place) != NULL, is_stereo (settings), n,
      d);
}

static gboolean
gst_oct_volume_take_caps (GstOctVolumeFilter *filter, gconstpointer settings,
    const GstOctInfo *output, GError **error)
{
  GstOctVolume *self = GST_OCT_VOLUME (filter);
  gboolean stereo = is_stereo (settings);

  if (stereo && output->columns % 4 != 0)
    return refuse_stereo (output->columns, error);
  GST_OBJECT_LOCK (self);
  self->eye_width = output->columns / (stereo ? 2 : 1);
  self->eye_height = output->rows;
  GST_OBJECT_UNLOCK (self);
  return TRUE;
}

/* ----------------------------------------------------------------- pictures */

static void
choose_coarseness (GstOctVolume *self, gboolean fine)
{
  GstOctRenderer *renderer = GST_OCT_VOLUME_FILTER (self)->renderer;

  if (fine)
    self->look.coarseness = 1;
  else
    self->look.coarseness = gst_oct_pace_next (&self->pace,
        self->used.max_render_time * 1e-3, gst_oct_renderer_get_time (renderer),
        gst_oct_renderer_get_fixed_time (renderer));
}

static gboolean
is_projection (const GstOctVolumeSettings *settings)
{
  return settings->mode == OCT_VOLUME_MIP || settings->mode == OCT_VOLUME_MEAN;
}

/* With a threshold of 0 noise is seen as well: nothing depends on where there
 * is more. */
static gboolean
shows_all (const GstOctVolumeSettings *settings)
{
  return settings->threshold == 0;
}

/* Grey levels that a live picture may change by without anybody seeing that it
 * does, and that is followed slowly. */
#define SMALL_CHANGE OCT_TRANSFER_EDGE

static void
find_window (Found *found, double threshold, gboolean slowly)
{
  OctVolumeWindow *w = &found->window, now;

  oct_volume_window_find (&found->levels, threshold, &now);
  if (slowly)
    now = (OctVolumeWindow){ oct_volume_follow (
                                 w->mip_low, now.mip_low, SMALL_CHANGE),
      oct_volume_follow (w->mip_high, now.mip_high, SMALL_CHANGE),
      oct_volume_follow (w->low, now.low, SMALL_CHANGE),
      oct_volume_follow (w->gain, now.gain, w->gain / 4) };
  *w = now;
  found->window_threshold = threshold;
}

/* With unknown lateral spacings the volume is assumed to be as wide as it was,
 * so that it keeps its shape, unless the depths that have signal are now that
 * many times as many or as few. */
#define OTHER_SHAPE 1.5

/* Values that follow the signal of a new volume, above its noise: a hand
 * that changes `threshold` does not move the picture. */
static void
volume_find_signal (GstOctVolume *self, const OctVolumeParams *params)
{
  GstOctVolumeFilter *filter = GST_OCT_VOLUME_FILTER (self);
  Found *found = &self->found;
  double white = oct_volume_face_white_find (&found->levels, found->noise);
  OctVolumeExtent extent;
  double part;

  found->face_white =
      oct_volume_follow (found->face_white, white, SMALL_CHANGE);
  if (found->params.lines != params->lines
      || found->params.depth != params->depth
      || found->params.bscans != params->bscans) {
    found->params = *params;
    found->frame.begun = FALSE;
    filter->seen_part = 1;
  }
  if (!oct_volume_extent_find (&found->levels, found->noise, &extent))
    return;
  oct_volume_frame_follow (&found->frame, &extent);
  extent = found->frame.shown;
  part = (double)(extent.last + 1 - extent.first) / OCT_VOLUME_BANDS;
  if (filter->seen_part == 1 || part > OTHER_SHAPE * filter->seen_part
      || filter->seen_part > OTHER_SHAPE * part)
    filter->seen_part = part;
}

/* Measures the values of the look that the settings leave automatic. */
static gboolean
find_look (GstOctVolume *self, const OctVolumeParams *params, GError **error)
{
  GstOctRenderer *renderer = GST_OCT_VOLUME_FILTER (self)->renderer;
  Found *found = &self->found;
  gboolean automatic = self->used.threshold < 0, changed = FALSE;
  double threshold;

  if (!gst_oct_renderer_get_levels (renderer, &found->levels, &changed, error))
    return FALSE;
  if (changed) {
    OctVolumeNoise noise;

    oct_volume_noise_find (&found->levels, &noise);
    found->noise =
        oct_volume_follow (found->noise, noise.threshold, SMALL_CHANGE);
    volume_find_signal (self, params);
  }
  threshold = automatic ? found->noise : self->used.threshold;
  if (is_projection (&self->used)) {
    if (changed || threshold != found->window_threshold || !found->begun)
      find_window (found, threshold, changed && found->begun);
    found->begun = TRUE;
    self->look.window = found->window;
  }
  self->look.face_black = OCT_VOLUME_FACE_BLACK (threshold);
  self->look.face_white =
      shows_all (&self->used) ? OCT_VOLUME_FACE_WHITE : found->face_white;
  if (threshold != self->filled
      && !gst_oct_volume_settings_fill_transfer (
          &self->used, threshold, &self->transfer, error))
    return FALSE;
  self->filled = threshold;
  if (self->used.crop_top < 0) {
    guint first = oct_volume_levels_get_first (params);

    /* between two voxels both are read */
    self->look.crop_low[2] =
        first > 0 ? (first + 0.5) / oct_volume_get_depth (params) : 0;
  }
  return TRUE;
}

/* Turns the camera around the depths that are to fit into the picture; returns
 * how large these are. */
static OctPoint
fit_camera (
    GstOctVolume *self, const OctVolumeParams *params, OctVolumeCamera *camera)
{
  OctPoint size = oct_volume_get_size_mm (params, &self->look);
  OctVolumeExtent extent = OCT_VOLUME_WHOLE_EXTENT;

  if (self->used.fit == GST_OCT_FIT_SIGNAL && !shows_all (&self->used)
      && self->found.frame.begun)
    extent = self->found.frame.shown;
  camera->middle.z =
      size.z
      * ((extent.first + extent.last + 1) * 0.5f / OCT_VOLUME_BANDS - 0.5f);
  size.z *= (float)(extent.last + 1 - extent.first) / OCT_VOLUME_BANDS;
  return size;
}

static gboolean
gst_oct_volume_draw (GstOctVolumeFilter *filter, GstClockTime at, gboolean fine,
    GstBuffer *out, gboolean *coarse, GError **error)
{
  GstOctVolume *self = GST_OCT_VOLUME (filter);
  const OctVolumeParams *params =
      gst_oct_renderer_get_params (filter->renderer);
  OctVolumeCamera camera = gst_oct_volume_settings_get_camera (&self->used,
      GST_CLOCK_TIME_IS_VALID (at) ? (double)at / GST_SECOND : 0.0);
  gboolean stereo = is_stereo (&self->used);
  OctVolumePicture picture = { .n_eyes = stereo ? 2 : 1 };
  GstOctVoxel voxel;
  OctPoint size;

  if (!find_look (self, params, error))
    return FALSE;
  if (self->used.fit == GST_OCT_FIT_VOLUME)
    filter->seen_part = 1;
  voxel = gst_oct_volume_filter_get_voxel (filter, TRUE);
  gst_oct_volume_set_spacing (&self->look, &voxel);
  size = fit_camera (self, params, &camera);
  choose_coarseness (self, fine);
  *coarse = self->look.coarseness > 1;
  for (guint i = 0; i < picture.n_eyes; i++)
    oct_volume_camera_get_eye (&camera, size, stereo ? 2 * (gint)i - 1 : 0,
        filter->output.columns / picture.n_eyes, filter->output.rows,
        &picture.eyes[i]);
  return gst_oct_renderer_render (
      filter->renderer, &self->look, &picture, out, error);
}

static gboolean
gst_oct_volume_moves (GstOctVolumeFilter *filter)
{
  return GST_OCT_VOLUME (filter)->used.turn_rate != 0;
}

static void
gst_oct_volume_add_stats (GstOctVolumeFilter *filter, GstStructure *stats)
{
  gst_structure_set (stats, "coarseness", G_TYPE_UINT,
      GST_OCT_VOLUME (filter)->pace.coarseness, "threshold", G_TYPE_DOUBLE,
      MAX (0.0, GST_OCT_VOLUME (filter)->filled), NULL);
}

static void
gst_oct_volume_stop (GstOctVolumeFilter *filter)
{
  GstOctVolume *self = GST_OCT_VOLUME (filter);

  self->pace.coarseness = 0;
  self->found = (Found){ 0 };
}

/* --------------------------------------------------------------- navigation */

static void
turn_by_hand (
    GstOctVolume *self, const GstOctView *before, const GstOctView *view)
{
  const double *a = &before->yaw, *b = &view->yaw;

  g_object_freeze_notify (G_OBJECT (self));
  for (guint i = 0; i < G_N_ELEMENTS (gst_oct_view_properties); i++)
    if (a[i] != b[i])
      g_object_set (self, gst_oct_view_properties[i], b[i], NULL);
  g_object_thaw_notify (G_OBJECT (self));
}

static gboolean
gst_oct_volume_navigate (GstOctVolumeFilter *filter, GstEvent *event)
{
  GstOctVolume *self = GST_OCT_VOLUME (filter);
  GstOctView before, view;
  gboolean taken;

  g_object_get (self, "yaw", &before.yaw, "pitch", &before.pitch, "zoom",
      &before.zoom, "pan-x", &before.pan_x, "pan-y", &before.pan_y, NULL);
  view = before;
  GST_OBJECT_LOCK (self);
  taken = gst_oct_hand_move (&self->hand, event, MAX (1, self->eye_width),
      MAX (1, self->eye_height), &view);
  GST_OBJECT_UNLOCK (self);
  if (taken)
    turn_by_hand (self, &before, &view);
  return taken;
}

static void
gst_oct_volume_class_init (GstOctVolumeClass *klass)
{
  GstOctVolumeFilterClass *filter_class = GST_OCT_VOLUME_FILTER_CLASS (klass);

  filter_class->check_caps = gst_oct_volume_check_caps;
  filter_class->configure = gst_oct_volume_configure;
  filter_class->choose_caps = gst_oct_volume_choose_caps;
  filter_class->take_caps = gst_oct_volume_take_caps;
  filter_class->draw = gst_oct_volume_draw;
  filter_class->moves = gst_oct_volume_moves;
  filter_class->navigate = gst_oct_volume_navigate;
  filter_class->add_stats = gst_oct_volume_add_stats;
  filter_class->stop = gst_oct_volume_stop;
  gst_oct_volume_filter_class_describe (filter_class,
      &(GstOctVolumeFilterDescription){ .kind = GST_OCT_RENDERER_RAYS,
          .properties = &gst_oct_volume_properties,
          .common = G_STRUCT_OFFSET (GstOctVolumeSettings, common),
          .long_name = "OCT volume rendering",
          .description = "Makes pictures of volumes of B-scans, by ray casting",
          .caps = GST_OCT_CAPS_PICTURE,
          .gpu_caps = GST_OCT_CAPS_PICTURE });
}

static void
gst_oct_volume_init (GstOctVolume *self)
{
}
