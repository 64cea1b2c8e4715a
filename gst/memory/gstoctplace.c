/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstoctplace.h"

gboolean
gst_oct_place_start (GstOctPlace *place, GstElement *element, GError **error)
{
  g_autoptr (GError) reason = NULL;

  g_atomic_int_set (&place->failed, FALSE);
  if (place->backend == GST_OCT_BACKEND_CPU
      || (place->backend == GST_OCT_BACKEND_AUTO
          && !gst_oct_cuda_is_usable (NULL)))
    return TRUE;
  if (!gst_oct_backend_check (place->backend, error))
    return FALSE;
  place->cuda = gst_oct_cuda_ensure (
      element, place->cuda_device_id, &place->slot, &reason);
  if (place->cuda != NULL)
    return TRUE;
  /* another `cuda-device-id` gets another one */
  gst_oct_cuda_forget (element, &place->slot);
  if (place->backend == GST_OCT_BACKEND_AUTO) {
    GST_WARNING_OBJECT (element, "%s The CPU is used.", reason->message);
    g_atomic_int_set (&place->failed, TRUE);
    return TRUE;
  }
  g_propagate_error (error, g_steal_pointer (&reason));
  return FALSE;
}

void
gst_oct_place_stop (GstOctPlace *place, GstElement *element)
{
  place->cuda = NULL;
  gst_oct_cuda_forget (element, &place->slot);
}

GstOctCuda *
gst_oct_place_get_cuda (const GstOctPlace *place)
{
  return place->cuda;
}

gboolean
gst_oct_place_may_use_cuda (const GstOctPlace *place)
{
  return place->backend == GST_OCT_BACKEND_CUDA
         || (!g_atomic_int_get (&place->failed)
             && gst_oct_backend_may_use_cuda (place->backend));
}

gboolean
gst_oct_place_insists (const GstOctPlace *place)
{
  return place->backend == GST_OCT_BACKEND_CUDA
         && gst_oct_cuda_is_usable (NULL);
}

void
gst_oct_place_set_context (
    GstOctPlace *place, GstElement *element, GstContext *context)
{
  if (gst_oct_backend_may_use_cuda (place->backend))
    gst_oct_cuda_set_context (
        element, context, place->cuda_device_id, &place->slot);
}

#define PLACE_NAME "GstOctPlace"
#define PLACE_FIELD "is-on-gpu"

gboolean
gst_oct_place_is_on_gpu (GstPad *src)
{
  g_autoptr (GstQuery) query = gst_query_new_custom (GST_QUERY_CUSTOM,
      gst_structure_new (PLACE_NAME, PLACE_FIELD, G_TYPE_BOOLEAN, FALSE, NULL));
  gboolean is_on_gpu = FALSE;

  return gst_pad_peer_query (src, query)
         && gst_structure_get_boolean (
             gst_query_get_structure (query), PLACE_FIELD, &is_on_gpu)
         && is_on_gpu;
}

gboolean
gst_oct_place_answer_query (
    GstOctPlace *place, GstElement *element, GstQuery *query)
{
  if (GST_QUERY_TYPE (query) == GST_QUERY_CUSTOM
      && gst_query_get_structure (query) != NULL
      && gst_structure_has_name (gst_query_get_structure (query), PLACE_NAME)) {
    gst_structure_set (gst_query_writable_structure (query), PLACE_FIELD,
        G_TYPE_BOOLEAN, place->cuda != NULL, NULL);
    return TRUE;
  }
  if (GST_QUERY_TYPE (query) != GST_QUERY_CONTEXT)
    return FALSE;
  return gst_oct_cuda_answer_query (element, query, &place->slot);
}
