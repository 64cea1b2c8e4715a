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

/* The backend for buffers in system memory.  NULL with OCT_ERROR_DEVICE and a
 * sentence that names what is missing when CUDA was asked for in vain. */
const OctBackend *gst_oct_backend_choose (
    GstOctBackendChoice choice, gint cuda_device_id, GError **error);

G_END_DECLS
