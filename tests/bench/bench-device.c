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

/* Makes the GPU the one of this thread: the module computes on the one that is
 * current, as the plugin does with a context of GStreamer's. */
static gboolean
use_gpu (gint id)
{
  GModule *driver = g_module_open ("libcuda.so.1", G_MODULE_BIND_LAZY);
  int (*init) (unsigned) = NULL;
  int (*get) (int *, int) = NULL;
  int (*retain) (gpointer *, int) = NULL;
  int (*set) (gpointer) = NULL;
  gpointer context = NULL;
  int gpu = 0;

  return driver != NULL && g_module_symbol (driver, "cuInit", (gpointer *)&init)
         && g_module_symbol (driver, "cuDeviceGet", (gpointer *)&get)
         && g_module_symbol (
             driver, "cuDevicePrimaryCtxRetain", (gpointer *)&retain)
         && g_module_symbol (driver, "cuCtxSetCurrent", (gpointer *)&set)
         && init (0) == 0 && get (&gpu, id) == 0 && retain (&context, gpu) == 0
         && set (context) == 0;
}

typedef struct {
  gint id;
  gsize bytes;
  guint count;
} Upload;

static gpointer
upload (gpointer data)
{
  const Upload *job = data;
  double *rate = g_new0 (double, 1);

  if (use_gpu (job->id))
    *rate = bench_device_upload_rate (job->bytes, job->count);
  return rate;
}

double
bench_device_upload_rate_of (GArray *ids, gsize bytes, guint count)
{
  g_autofree GThread **threads = g_new0 (GThread *, ids->len);
  g_autofree Upload *jobs = g_new0 (Upload, ids->len);
  gboolean all = get_device () != NULL;
  double sum = 0;

  for (guint i = 0; i < ids->len; i++) {
    jobs[i] = (Upload){ g_array_index (ids, gint, i), bytes, count };
    threads[i] = g_thread_new ("upload", upload, &jobs[i]);
  }
  for (guint i = 0; i < ids->len; i++) {
    double *rate = g_thread_join (threads[i]);

    all &= *rate > 0;
    sum += *rate;
    g_free (rate);
  }
  return all ? sum : 0;
}
