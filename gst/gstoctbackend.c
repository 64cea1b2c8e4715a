/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstoctbackend.h"
#include "gstoctcuda.h"

GType
gst_oct_backend_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
    { GST_OCT_BACKEND_AUTO, "CUDA where there is a usable GPU, else CPU",
        "auto" },
    { GST_OCT_BACKEND_CUDA, "NVIDIA GPU, an error without one", "cuda" },
    { GST_OCT_BACKEND_CPU, "CPU", "cpu" },
    { 0, NULL, NULL },
  };

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_enum_register_static ("GstOctBackend", values));
  return type;
}

void
gst_oct_backend_install_properties (
    GObjectClass *klass, guint backend_id, guint device_id)
{
  g_object_class_install_property (klass, backend_id,
      g_param_spec_enum ("backend", "Backend", "Where to compute",
          GST_TYPE_OCT_BACKEND, GST_OCT_BACKEND_AUTO,
          G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS
              | GST_PARAM_MUTABLE_READY));
  g_object_class_install_property (klass, device_id,
      g_param_spec_int ("cuda-device-id", "CUDA device",
          "Number of the GPU to use (-1 = that of the other elements, else the "
          "first)",
          -1, G_MAXINT, -1,
          G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS
              | GST_PARAM_MUTABLE_READY));
}

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
