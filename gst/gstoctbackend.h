/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Which backend an element runs on.
 */
#pragma once

#include <gst/gst.h>
#include "oct-backend.h"

G_BEGIN_DECLS

typedef enum {
  GST_OCT_BACKEND_AUTO,
  GST_OCT_BACKEND_CUDA,
  GST_OCT_BACKEND_CPU,
} GstOctBackendChoice;

#define GST_TYPE_OCT_BACKEND (gst_oct_backend_get_type ())
GType gst_oct_backend_get_type (void);

/* Installs the properties `backend` and `cuda-device-id`. */
void gst_oct_backend_install_properties (
    GObjectClass *klass, guint backend_id, guint device_id);

/* FALSE with OCT_ERROR_DEVICE and a sentence that names what is missing when
 * CUDA is insisted on and cannot work. */
gboolean gst_oct_backend_check (GstOctBackendChoice choice, GError **error);

/* Whether the choice allows CUDA and it works in this process. */
gboolean gst_oct_backend_may_use_cuda (GstOctBackendChoice choice);

G_END_DECLS
