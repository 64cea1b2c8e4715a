/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstoctsrcopen.h"
#include "gstoctcuda.h"
#include "gstocterror.h"
#include "gstoctpinned.h"

GST_DEBUG_CATEGORY_EXTERN (gst_oct_src_debug);
#define GST_CAT_DEFAULT gst_oct_src_debug

/* Preloaded data lie where the GPU can fetch them at full rate.  FALSE with an
 * error if a GPU was asked for and is not available. */
static gboolean
make_pinned_allocator (GstElement *element, const GstOctSrcSettings *settings,
    GstOctCudaSlot *slot, GstAllocator **allocator, GError **error)
{
  g_autoptr (GError) reason = NULL;
  GstOctCuda *cuda =
      gst_oct_cuda_ensure (element, settings->cuda_device_id, slot, &reason);

  if (cuda != NULL) {
    *allocator = gst_oct_pinned_allocator_new (cuda, NULL);
    return TRUE;
  }
  /* another `cuda-device-id` gets another one */
  gst_oct_cuda_forget (element, slot);
  if (settings->backend == GST_OCT_BACKEND_CUDA) {
    g_propagate_error (error, g_steal_pointer (&reason));
    return FALSE;
  }
  GST_WARNING_OBJECT (
      element, "%s The file is kept in ordinary memory.", reason->message);
  return TRUE;
}

GstOctInput *
gst_oct_src_open (GstElement *element, GstOctSrcSettings *settings,
    GstOctCudaSlot *slot, GError **error)
{
  g_autoptr (GstAllocator) allocator = NULL;
  GstOctInput *input;

  if (!gst_oct_backend_check (settings->backend, error))
    return NULL;
  if (settings->input.preload
      && gst_oct_backend_may_use_cuda (settings->backend)
      && !make_pinned_allocator (element, settings, slot, &allocator, error))
    return NULL;
  settings->input.allocator = allocator;
  settings->input.phantom.line_rate = settings->line_rate;
  settings->input.phantom.volume_rate = settings->volume_rate;
  input = gst_oct_input_open (&settings->input, error);
  settings->input.allocator = NULL;
  return input;
}

OctCalibration *
gst_oct_src_open_calibration (GstElement *element,
    const GstOctSrcSettings *from, GstOctInput *input, GError **error)
{
  OctCalibration *carried = gst_oct_input_get_calibration (input);
  OctCalibrationSettings settings;
  OctCalibration *calibration = NULL;

  /* a copy, as reading the file may take its time */
  GST_OBJECT_LOCK (element);
  oct_calibration_settings_copy (&settings, &from->calibration);
  GST_OBJECT_UNLOCK (element);
  if (!oct_calibration_settings_empty (&settings)) {
    calibration = oct_calibration_new_on (
        carried, &settings, gst_oct_input_get_info (input)->samples, error);
    if (calibration == NULL)
      gst_oct_error_name_property (error, "`calibration` of octsrc");
  } else if (carried != NULL) {
    calibration = oct_calibration_ref (carried);
  }
  oct_calibration_settings_clear (&settings);
  return calibration;
}

void
gst_oct_src_warn_about_flaws (
    GstElement *element, const GstOctInput *input, const char *location)
{
  g_autofree char *flaws = gst_oct_input_describe_flaws (input, location);

  if (flaws == NULL)
    return;
  GST_ELEMENT_WARNING (element, STREAM, FORMAT, ("%s", flaws), (NULL));
  /* gst-launch-1.0 -q shows no warning; other programs would say it twice */
  if (g_strcmp0 (g_get_prgname (), "gst-launch-1.0") == 0)
    g_message ("%s", flaws);
}
