/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The CUDA module: where it lies, and whether it is of the same build as who
 * loads it.  Knows nothing of CUDA.
 */
#pragma once

#include "oct-device.h"

G_BEGIN_DECLS

/* To be called once, before anything else: the module lies beside the
 * plugin. */
void gst_oct_module_set_plugin_file (const char *file);

/* Loads the module and leaves it loaded.  NULL with OCT_ERROR_DEVICE and a
 * clause that says what is missing, or that names its version and that of this
 * plugin where they differ; nothing of such a module is called. */
const OctDevice *gst_oct_module_load (GError **error);

G_END_DECLS
