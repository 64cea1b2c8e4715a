/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstoctbackend.h"
#include "gstoctcuda.h"

static const GEnumValue backends[] = {
  { GST_OCT_BACKEND_AUTO, "CUDA where there is a usable GPU, else CPU",
      "auto" },
  { GST_OCT_BACKEND_CUDA, "NVIDIA GPU, an error without one", "cuda" },
  { GST_OCT_BACKEND_CPU, "CPU", "cpu" },
  { 0, NULL, NULL },
};

GST_OCT_DEFINE_ENUM (gst_oct_backend_get_type, "GstOctBackend", backends)

gboolean
gst_oct_backend_check (GstOctBackendChoice choice, GError **error)
{
  g_autoptr (GError) reason = NULL;

  if (choice != GST_OCT_BACKEND_CUDA || gst_oct_cuda_is_usable (&reason))
    return TRUE;
  g_set_error (error, OCT_ERROR, OCT_ERROR_DEVICE,
      "backend=cuda was asked for, but %s; set backend=auto or backend=cpu.",
      reason->message);
  return FALSE;
}

gboolean
gst_oct_backend_may_use_cuda (GstOctBackendChoice choice)
{
  return choice != GST_OCT_BACKEND_CPU && gst_oct_cuda_is_usable (NULL);
}
