/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-live-filters.h"

#include <gst/base/gstbasetransform.h>

typedef struct {
  GstElement *element; /* not a reference: of the bin */
  gint works;          /* atomic */
} Filter;

struct _OctLiveFilters {
  Filter average, speckle;
};

static const char *const speckle_filters[] = { OCT_LIVE_NO_SPECKLE_FILTER,
  "median", "bilateral", "lee", NULL };

/* The streaming thread switches it, between two images. */
static GstPadProbeReturn
filter_on_image (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  Filter *filter = data;
  GstBaseTransform *transform = GST_BASE_TRANSFORM (filter->element);
  gboolean passes = !g_atomic_int_get (&filter->works);

  if (gst_base_transform_is_passthrough (transform) != passes)
    gst_base_transform_set_passthrough (transform, passes);
  return GST_PAD_PROBE_OK;
}

static void
filter_begin (Filter *filter, GstBin *bin, const char *name)
{
  g_autoptr (GstElement) element = gst_bin_get_by_name (bin, name);
  g_autoptr (GstPad) pad = gst_element_get_static_pad (element, "sink");

  filter->element = element;
  gst_pad_add_probe (
      pad, GST_PAD_PROBE_TYPE_BUFFER, filter_on_image, filter, NULL);
}

OctLiveFilters *
oct_live_filters_new (GstBin *bin)
{
  OctLiveFilters *filters = g_new0 (OctLiveFilters, 1);

  filter_begin (&filters->average, bin, "average");
  filter_begin (&filters->speckle, bin, "speckle");
  g_object_set_data_full (G_OBJECT (bin), "oct-filters", filters, g_free);
  return filters;
}

void
oct_live_filters_set (OctLiveFilters *filters, gint frames, const char *speckle)
{
  gboolean has_speckle = !g_str_equal (speckle, OCT_LIVE_NO_SPECKLE_FILTER);

  g_object_set (filters->average.element, "frames", frames, NULL);
  g_atomic_int_set (&filters->average.works, frames > 1);
  if (has_speckle)
    gst_util_set_object_arg (
        G_OBJECT (filters->speckle.element), "method", speckle);
  g_atomic_int_set (&filters->speckle.works, has_speckle);
}

const char *
oct_live_filters_find (const char *speckle)
{
  for (const char *const *name = speckle_filters; *name != NULL; name++)
    if (g_strcmp0 (*name, speckle) == 0)
      return *name;
  return NULL;
}
