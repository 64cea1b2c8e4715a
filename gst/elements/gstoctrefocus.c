/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-octrefocus
 *
 * Brings all depths of a volume into focus: what lies above or below the focus of
 * the beam is blurred, and its phases say how. The focus is found by itself.
 *
 * |[
 * gst-launch-1.0 octsrc lines=64 bscans=64 bscans-per-buffer=0 num-buffers=2
 *   ! octreconstruct mode=background depth-bins=256 output=ascans
 *   ! octrefocus x-spacing=3e-6 y-spacing=3e-6 automatic=false focus-depth=4e-4
 *   ! octlogscale ! octenface ! videoconvert ! autovideosink
 * ]|
 */
#include "gstoctrefocus.h"
#include "gstoctbus.h"
#include "gstocterror.h"
#include "gstoctphases.h"
#include "gstoctscanmask.h"
#include "gstoctscanmeta.h"
#include "gstoctscanpath.h"

GST_DEBUG_CATEGORY_STATIC (gst_oct_refocus_debug);
#define GST_CAT_DEFAULT gst_oct_refocus_debug

typedef struct {
  gboolean automatic, align;
  double focus_depth; /* metres of air */
  guint modes;
  double x_spacing, y_spacing, z_spacing; /* metres, 0: as the stream says */
  double wavelength, refractive_index;
} Settings;

struct _GstOctRefocus {
  GstOctFilter parent;

  /* streaming thread */
  gboolean automatic;
  double z_spacing;      /* metres of air */
  gboolean told_unclear; /* once for a start */
  gboolean told_single, told_incomplete;
  gboolean asked; /* see gst_oct_phases_check() */
};

G_DEFINE_TYPE (GstOctRefocus, gst_oct_refocus, GST_TYPE_OCT_FILTER);
GST_OCT_REGISTER_DEFINE (
    octrefocus, "octrefocus", GST_RANK_NONE, GST_TYPE_OCT_REFOCUS);

static const GstOctProperty rows[] = {
  { "automatic", "Automatic",
      "Finds the focus, and with `modes` aberrations, in each volume",
      GST_OCT_PROPERTY_LIVE, NULL,
      GST_OCT_BOOLEAN (Settings, automatic, TRUE) },
  { "focus-depth", "Focus",
      "automatic=false: depth of the focus in metres, of air, from the zero "
      "delay on",
      GST_OCT_PROPERTY_LIVE, NULL,
      GST_OCT_DOUBLE (Settings, focus_depth, -1.0, 1.0, 0.0) },
  { "modes", "Modes",
      "automatic=true: what is found besides the focus (1 = nothing, 2, 3 = "
      "astigmatism, 4, 5 = coma, 6 = spherical aberration)",
      GST_OCT_PROPERTY_LIVE, NULL,
      GST_OCT_UINT (Settings, modes, 1, OCT_REFOCUS_MODES, 1) },
  { "align", "Align",
      "Takes off the phases by which each B-scan differs from the one before",
      GST_OCT_PROPERTY_LIVE, NULL, GST_OCT_BOOLEAN (Settings, align, TRUE) },
  { "x-spacing", "Spacing of A-lines",
      "Distance between A-lines in metres (0 = as the stream says)",
      GST_OCT_PROPERTY_LIVE, NULL,
      GST_OCT_DOUBLE (Settings, x_spacing, 0.0, 1.0, 0.0) },
  { "y-spacing", "Spacing of B-scans",
      "Distance between B-scans in metres (0 = as the stream says)",
      GST_OCT_PROPERTY_LIVE, NULL,
      GST_OCT_DOUBLE (Settings, y_spacing, 0.0, 1.0, 0.0) },
  { "z-spacing", "Spacing of depths",
      "Distance between depths in metres of air (0 = as the stream says)",
      GST_OCT_PROPERTY_LIVE, NULL,
      GST_OCT_DOUBLE (Settings, z_spacing, 0.0, 1.0, 0.0) },
  { "wavelength", "Wavelength",
      "Centre wavelength in metres (0 = as the stream says)",
      GST_OCT_PROPERTY_LIVE, NULL,
      GST_OCT_DOUBLE (Settings, wavelength, 0.0, 1e-4, 0.0) },
  { "refractive-index", "Refractive index", "Refractive index of the sample",
      GST_OCT_PROPERTY_LIVE, NULL,
      GST_OCT_DOUBLE (Settings, refractive_index, 1.0, 4.0, OCT_TISSUE_INDEX) },
};
static const GstOctProperties properties = GST_OCT_PROPERTIES (Settings, rows);

static void
gst_oct_refocus_transform_structure (GstOctFilter *filter,
    gconstpointer settings, GstPadDirection direction, const GstStructure *from,
    GstCaps *result)
{
  gst_caps_append_structure (result, gst_structure_copy (from));
}

/* ----------------------------------------------------------------- settings */

/* Takes the first of both that is known; FALSE: neither is. */
static gboolean
refocus_choose_length (double set, double of_stream, const char *property,
    const char *meaning, double *length, GError **error)
{
  *length = set > 0 ? set : of_stream;
  if (*length > 0)
    return TRUE;
  g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
      "The stream does not say the %s, which octrefocus needs; set `%s` of "
      "octrefocus to it, in metres.",
      meaning, property);
  return FALSE;
}

static gboolean
refocus_check_repeats (const GstOctInfo *input, GError **error)
{
  if (input->repeats == 1)
    return TRUE;
  g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
      "The stream has %u B-scans at each place, and octrefocus takes volumes "
      "of one; put octaverage mode=block frames=%u before it.",
      input->repeats, input->repeats);
  return FALSE;
}

static gboolean
gst_oct_refocus_configure (GstOctFilter *filter, gconstpointer data,
    GstOctPurpose purpose, GError **error)
{
  GstOctRefocus *self = GST_OCT_REFOCUS (filter);
  const Settings *settings = data;
  const GstOctInfo *input = gst_oct_filter_get_input (filter);
  OctRefocusParams params = { .depth_bins = input->columns,
    .lines = input->rows,
    .bscans = input->bscans,
    .depth_start = input->depth_start,
    .align = settings->align,
    .automatic = settings->automatic,
    .modes = settings->modes };
  double z_spacing, wavelength;

  if (!refocus_check_repeats (input, error)
      || !refocus_choose_length (settings->x_spacing, input->x_spacing,
          "x-spacing", "distance between A-lines", &params.x_spacing, error)
      || !refocus_choose_length (settings->y_spacing, input->y_spacing,
          "y-spacing", "distance between B-scans", &params.y_spacing, error)
      || !refocus_choose_length (settings->z_spacing, input->z_spacing,
          "z-spacing", "distance between depths", &z_spacing, error)
      || !refocus_choose_length (settings->wavelength, input->wavelength,
          "wavelength", "centre wavelength", &wavelength, error))
    return FALSE;
  params.z_spacing = z_spacing / settings->refractive_index;
  params.wavenumber = 2 * G_PI * settings->refractive_index / wavelength;
  params.focus = settings->focus_depth / z_spacing;
  if (!gst_oct_filter_set_plan (filter, OCT_OPERATION_REFOCUS, &params, error))
    return FALSE;
  if (purpose == GST_OCT_TO_USE) {
    self->automatic = settings->automatic;
    self->z_spacing = z_spacing;
  }
  return TRUE;
}

/* ------------------------------------------------------------------- stream */

/* Posts what was found in a volume. */
static void
gst_oct_refocus_found (GstOctFilter *filter, double value)
{
  GstOctRefocus *self = GST_OCT_REFOCUS (filter);
  gboolean found = value != 0;

  if (!self->automatic)
    return;
  gst_oct_bus_post (GST_ELEMENT (self),
      gst_structure_new ("oct-refocus", "found", G_TYPE_BOOLEAN, found,
          "focus-depth", G_TYPE_DOUBLE, value * self->z_spacing, NULL));
  if (found || self->told_unclear)
    return;
  self->told_unclear = TRUE;
  GST_ELEMENT_WARNING (self, STREAM, DECODE,
      ("No depth makes this volume clearly sharper, so octrefocus left it as "
       "it "
       "is; set `automatic` to false and `focus-depth` to the depth of the "
       "focus, if it is known."),
      (NULL));
}

/* Whether a volume lacks B-scans that were lost on the way: those of the next
 * one came in their place, or none. */
static gboolean
refocus_is_incomplete (GstOctRefocus *self, GstBuffer *buffer)
{
  const GstOctInfo *input = gst_oct_filter_get_input (GST_OCT_FILTER (self));
  GstOctScanPosition position;
  GstOctInfo there;

  if (!gst_oct_scan_meta_get (buffer, &position)
      || position.bscans != input->bscans || input->bscans < 2)
    return FALSE;
  gst_oct_info_of_buffer (&there, input, buffer);
  return position.bscan > 0 || there.bscans < input->bscans;
}

static void
refocus_tell_of_incomplete (GstOctRefocus *self)
{
  if (self->told_incomplete)
    return;
  self->told_incomplete = TRUE;
  GST_ELEMENT_WARNING (self, STREAM, DECODE,
      ("A volume came without all of its B-scans; octrefocus leaves out such "
       "volumes. If the source is too fast for this computer, lower its "
       "rate."),
      (NULL));
}

/* B-scans of two volumes in a buffer would be taken for one. */
static gboolean
refocus_check_volume (GstOctRefocus *self, GstBuffer *buffer, GError **error)
{
  guint64 count = gst_oct_filter_get_input (GST_OCT_FILTER (self))->bscans;
  GstOctScanPosition position;

  if (!gst_oct_scan_meta_get (buffer, &position) || position.bscans < 2
      || position.bscan + count <= position.bscans)
    return TRUE;
  g_set_error (error, OCT_ERROR, OCT_ERROR_FORMAT,
      "A buffer has %u B-scans from number %u of a volume of %u on, so some "
      "are of the next volume, and octrefocus takes those of one; set "
      "`bscans-per-buffer` of octsrc, or `bscans` of octgather, to %u.",
      (guint)count, position.bscan, position.bscans, position.bscans);
  return FALSE;
}

static void
refocus_tell_of_single (GstOctRefocus *self, GstBuffer *buffer)
{
  const GstOctInfo *input = gst_oct_filter_get_input (GST_OCT_FILTER (self));

  if (self->told_single || input->bscans != 1)
    return;
  self->told_single = TRUE;
  GST_ELEMENT_WARNING (self, STREAM, FORMAT,
      ("A buffer has one B-scan, so octrefocus focuses along its A-lines "
       "alone; "
       "set `bscans-per-buffer` of octsrc to 0, or put octgather after the "
       "source with `bscans` set to those of a volume."),
      (NULL));
}

static GstFlowReturn
gst_oct_refocus_submit_input_buffer (
    GstBaseTransform *trans, gboolean is_discont, GstBuffer *buffer)
{
  GstOctRefocus *self = GST_OCT_REFOCUS (trans);
  g_autoptr (GError) error = NULL;

  gst_oct_phases_check (trans, &self->asked);
  if (refocus_is_incomplete (self, buffer)) {
    refocus_tell_of_incomplete (self);
    gst_buffer_unref (buffer);
    return GST_FLOW_OK;
  }
  if (!refocus_check_volume (self, buffer, &error)) {
    gst_oct_element_error (GST_ELEMENT (self), &error);
    gst_buffer_unref (buffer);
    return GST_FLOW_ERROR;
  }
  refocus_tell_of_single (self, buffer);
  return GST_BASE_TRANSFORM_CLASS (gst_oct_refocus_parent_class)
      ->submit_input_buffer (trans, is_discont, buffer);
}

/* A-lines elsewhere than on a raster would be taken for neighbours. */
static gboolean
gst_oct_refocus_sink_event (GstBaseTransform *trans, GstEvent *event)
{
  g_autoptr (OctScanMask) mask = gst_oct_scan_mask_event_parse (event);
  g_autoptr (OctScanPlaces) places =
      gst_oct_scan_path_event_parse (event, NULL);

  if (mask != NULL && mask->count < (guint64)mask->lines * mask->bscans)
    GST_ELEMENT_WARNING (trans, STREAM, FORMAT,
        ("The scan takes %u of the %u A-lines of a volume, and octrefocus "
         "takes them for neighbours; put octvolumecs before it to fill in the "
         "others.",
            mask->count, mask->lines * mask->bscans),
        (NULL));
  if (places != NULL && !g_str_equal (places->pattern, "raster"))
    GST_ELEMENT_WARNING (trans, STREAM, FORMAT,
        ("The scan is a curve (%s), and octrefocus takes its A-lines for those "
         "of a raster; put octremap before it.",
            places->pattern),
        (NULL));
  return GST_BASE_TRANSFORM_CLASS (gst_oct_refocus_parent_class)
      ->sink_event (trans, event);
}

static gboolean
gst_oct_refocus_start (GstBaseTransform *trans)
{
  GstOctRefocus *self = GST_OCT_REFOCUS (trans);

  self->told_unclear = self->told_single = self->told_incomplete = FALSE;
  self->asked = FALSE;
  return GST_BASE_TRANSFORM_CLASS (gst_oct_refocus_parent_class)->start (trans);
}

static void
gst_oct_refocus_class_init (GstOctRefocusClass *klass)
{
  GstBaseTransformClass *trans_class = GST_BASE_TRANSFORM_CLASS (klass);
  GstOctFilterClass *filter_class = GST_OCT_FILTER_CLASS (klass);

  GST_DEBUG_CATEGORY_INIT (
      gst_oct_refocus_debug, "octrefocus", 0, "OCT numerical refocusing");
  filter_class->transform_structure = gst_oct_refocus_transform_structure;
  filter_class->configure = gst_oct_refocus_configure;
  filter_class->found = gst_oct_refocus_found;
  trans_class->submit_input_buffer = gst_oct_refocus_submit_input_buffer;
  trans_class->sink_event = gst_oct_refocus_sink_event;
  trans_class->start = gst_oct_refocus_start;
  gst_oct_filter_class_describe (filter_class,
      &(GstOctFilterDescription){ .operation = OCT_OPERATION_REFOCUS,
          .properties = &properties,
          .long_name = "OCT numerical refocusing",
          .description = "Brings all depths of a volume into focus",
          .sink_caps = GST_OCT_CAPS_ASCANS,
          .src_caps = GST_OCT_CAPS_ASCANS });
}

static void
gst_oct_refocus_init (GstOctRefocus *self)
{
}
