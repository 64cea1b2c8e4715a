/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-test-linked.h"

#include <gst/gst.h>

void
oct_test_register_elements (void)
{
  const GstPluginDesc *gst_plugin_oct_get_desc (void);
  const GstPluginDesc *desc = gst_plugin_oct_get_desc ();
  GstPlugin *plugin =
      gst_registry_find_plugin (gst_registry_get (), desc->name);

  if (plugin != NULL) {
    gst_registry_remove_plugin (gst_registry_get (), plugin);
    gst_object_unref (plugin);
  }
  if (!gst_plugin_register_static (desc->major_version, desc->minor_version,
          desc->name, desc->description, desc->plugin_init, desc->version,
          desc->license, desc->source, desc->package, desc->origin))
    g_error ("the elements cannot be registered");
}
