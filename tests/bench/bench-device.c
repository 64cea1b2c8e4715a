/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "bench-device.h"
#include "oct-device.h"

#include <gmodule.h>
#include <string.h>

/* Sources used in turn, as B-scans of a file are */
#define SOURCES 16

static const OctDevice *
get_device (void)
{
  static const OctDevice *device;
  static gboolean asked = FALSE;

  if (!asked) {
    const char *folder = g_getenv ("OCT_CUDA_MODULE_PATH");
    g_autofree char *file = g_build_filename (
        folder != NULL ? folder : ".", OCT_DEVICE_MODULE, NULL);
    GModule *module = g_module_open (file, G_MODULE_BIND_LAZY);
    gpointer get = NULL;

    asked = TRUE;
    if (module != NULL && g_module_symbol (module, OCT_DEVICE_SYMBOL, &get))
      device = ((OctDeviceGet)get) (NULL);
  }
  return device;
}

gsize
bench_device_free_memory (void)
{
  const OctDevice *device = get_device ();

  return device != NULL ? device->free_memory () : 0;
}

double
bench_device_upload_rate (gsize bytes, guint count)
{
  const OctDevice *device = get_device ();
  gpointer source[SOURCES], target, stream;
  gint64 start;

  if (device == NULL || !(target = device->alloc (bytes, NULL)))
    return 0;
  stream = device->stream_new (FALSE, NULL);
  for (guint i = 0; i < SOURCES; i++) {
    source[i] = device->alloc_host (bytes, NULL);
    memset (source[i], (int)i, bytes);
  }
  for (guint i = 0; i < SOURCES; i++)
    device->copy (OCT_COPY_UPLOAD, target, bytes, source[i], bytes, bytes, 1,
        stream, NULL);
  device->stream_synchronize (stream, NULL);
  start = g_get_monotonic_time ();
  for (guint i = 0; i < count; i++)
    device->copy (OCT_COPY_UPLOAD, target, bytes, source[i % SOURCES], bytes,
        bytes, 1, stream, NULL);
  device->stream_synchronize (stream, NULL);
  start = g_get_monotonic_time () - start;
  for (guint i = 0; i < SOURCES; i++)
    device->free_host (source[i]);
  device->stream_free (stream);
  device->free (target);
  return (double)bytes * count / (start * 1e-6);
}
