/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstoctmodule.h"

#include <gmodule.h>

static char *plugin_folder;

void
gst_oct_module_set_plugin_file (const char *file)
{
  g_free (plugin_folder);
  plugin_folder = file != NULL ? g_path_get_dirname (file) : NULL;
}

static char *
beside_plugin (const char *folder)
{
  return plugin_folder != NULL
             ? g_build_filename (plugin_folder, "..", folder, NULL)
             : NULL;
}

/* Where the module may lie: where the user says, and as seen from the plugin,
 * where it is installed and where it is built. */
static GModule *
open_module (char **reason)
{
  g_autofree char *installed = beside_plugin ("gst-oct");
  g_autofree char *built = beside_plugin ("cuda");
  const char *folders[] = { g_getenv ("OCT_CUDA_MODULE_PATH"), installed,
    built };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (folders); i++) {
    g_autofree char *file = folders[i] != NULL ? g_build_filename (
                                folders[i], OCT_DEVICE_MODULE, NULL)
                                               : NULL;

    if (file != NULL && g_file_test (file, G_FILE_TEST_EXISTS)) {
      GModule *module =
          g_module_open (file, G_MODULE_BIND_LOCAL | G_MODULE_BIND_LAZY);

      if (module == NULL)
        *reason = g_strdup (g_module_error ());
      return module;
    }
  }
  *reason = g_strdup_printf ("%s is not installed", OCT_DEVICE_MODULE);
  return NULL;
}

/* Another version may have other structs: nothing of it is called. */
static gboolean
check_version (GModule *module, GError **error)
{
  gpointer found = NULL;
  const char *version = "an unknown version, as it tells none";

  if (g_module_symbol (module, OCT_DEVICE_VERSION_SYMBOL, &found)
      && found != NULL) {
    version = found;
    if (g_str_equal (version, OCT_DEVICE_VERSION))
      return TRUE;
  }
  g_set_error (error, OCT_ERROR, OCT_ERROR_DEVICE,
      "the CUDA module '%s' is of %s and the plugin of %s; install both from "
      "the same build",
      g_module_name (module), version, OCT_DEVICE_VERSION);
  return FALSE;
}

const OctDevice *
gst_oct_module_load (GError **error)
{
  g_autofree char *reason = NULL;
  GModule *module = open_module (&reason);
  gpointer get = NULL;

  if (module == NULL) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_DEVICE,
        "the CUDA module of the plugin, which needs cuFFT, cannot be loaded "
        "(%s)",
        reason);
    return NULL;
  }
  /* kernels and their run time cannot be unloaded */
  g_module_make_resident (module);
  if (!check_version (module, error))
    return NULL;
  if (g_module_symbol (module, OCT_DEVICE_SYMBOL, &get) && get != NULL)
    return ((OctDeviceGet)get) (error);
  g_set_error (error, OCT_ERROR, OCT_ERROR_DEVICE,
      "the CUDA module '%s' is damaged (there is no %s in it); install it "
      "again",
      g_module_name (module), OCT_DEVICE_SYMBOL);
  return NULL;
}
