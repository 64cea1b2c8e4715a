/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Which backend an element runs on.
 */
#pragma once

#include "gstoctproperties.h"
#include "oct-backend.h"

G_BEGIN_DECLS

typedef enum {
  GST_OCT_BACKEND_AUTO,
  GST_OCT_BACKEND_CUDA,
  GST_OCT_BACKEND_CPU,
} GstOctBackendChoice;

GType gst_oct_backend_get_type (void);

#define GST_OCT_BACKEND_ROWS(settings, backend, device)                        \
  { "backend", "Backend", "Where to compute", 0, NULL,                         \
    GST_OCT_ENUM (                                                             \
        settings, backend, gst_oct_backend_get_type, GST_OCT_BACKEND_AUTO) },  \
  {                                                                            \
    "cuda-device-id", "CUDA device",                                           \
        "Number of the GPU to use (-1 = that of the other elements, else the " \
        "first)",                                                              \
        0, NULL, GST_OCT_INT (settings, device, -1, G_MAXINT, -1)              \
  }

/* FALSE with OCT_ERROR_DEVICE and a sentence that names the missing part if
 * CUDA is insisted on and cannot work. */
gboolean gst_oct_backend_check (GstOctBackendChoice choice, GError **error);

/* Whether the choice allows CUDA and it works in this process. */
gboolean gst_oct_backend_may_use_cuda (GstOctBackendChoice choice);

G_END_DECLS
