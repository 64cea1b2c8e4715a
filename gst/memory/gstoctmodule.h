/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The CUDA module: where it lies, and whether it is of the same build as this
 * plugin.  Knows nothing of CUDA.
 */
#pragma once

#include "oct-device.h"

G_BEGIN_DECLS

/* Call once, before anything else: the module lies next to the plugin. */
void gst_oct_module_set_plugin_file (const char *file);

/* Loads the module and leaves it loaded.  NULL with OCT_ERROR_DEVICE and a
 * clause that names the missing part, or its version and that of this plugin if
 * they differ; nothing of such a module is called. */
const OctDevice *gst_oct_module_load (GError **error);

G_END_DECLS
