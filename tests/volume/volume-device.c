/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "volume-device.h"

#include <gmodule.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void
volume_device_end_unless (gboolean ok, GError *error)
{
  if (ok)
    return;
  printf ("Bail out! %s\n", error != NULL ? error->message : "no reason given");
  exit (1);
}

static const OctDevice *
load (const char *path)
{
  GModule *module = g_module_open (path, G_MODULE_BIND_LAZY);
  const OctDevice *device;
  g_autoptr (GError) error = NULL;
  gpointer symbol;

  if (module == NULL || !g_module_symbol (module, OCT_DEVICE_SYMBOL, &symbol)) {
    printf ("1..0 # SKIP %s\n", g_module_error ());
    return NULL;
  }
  g_module_make_resident (module);
  device = ((OctDeviceGet)symbol) (&error);
  if (device == NULL)
    printf ("1..0 # SKIP %s\n", error->message);
  return device;
}

gboolean
volume_device_open (VolumeDevice *d, const char *module)
{
  const OctBackend *backend;
  GError *error = NULL;

  *d = (VolumeDevice){ .name = "cpu",
    .table = oct_backend_cpu ()->volume,
    .sections = oct_backend_cpu ()->sections,
    .volume_cs = oct_backend_cpu ()->volume_cs,
    .remap = oct_backend_cpu ()->remap };
  if (module == NULL)
    return TRUE;
  d->device = load (module);
  if (d->device == NULL)
    return FALSE;
  backend = d->device->backend;
  d->name = backend->name;
  d->table = backend->volume;
  d->sections = backend->sections;
  d->volume_cs = backend->volume_cs;
  d->remap = backend->remap;
  d->stream = d->device->stream_new (TRUE, &error);
  volume_device_expect (d->stream != NULL, error);
  return TRUE;
}

void
volume_device_begin (VolumeDevice *device, int *argc, char ***argv)
{
  g_autofree char *module = NULL;
  GOptionEntry options[] = { { "module", 0, 0, G_OPTION_ARG_FILENAME, &module,
                                 "The CUDA backend (liboctcuda.so)", "FILE" },
    { NULL } };
  g_autoptr (GOptionContext) context = g_option_context_new (NULL);
  GError *error = NULL;
  gboolean ok;

  g_option_context_add_main_entries (context, options, NULL);
  /* those of g_test_init() */
  g_option_context_set_ignore_unknown_options (context, TRUE);
  ok = g_option_context_parse (context, argc, argv, &error);
  volume_device_end_unless (ok, error);
  if (!volume_device_open (device, module))
    exit (77);
}

gpointer
volume_device_alloc (const VolumeDevice *d, gsize size)
{
  GError *error = NULL;
  gpointer memory;

  if (d->device == NULL)
    return g_malloc (size);
  memory = d->device->alloc (size, &error);
  volume_device_expect (memory != NULL, error);
  return memory;
}

void
volume_device_free (const VolumeDevice *d, gpointer memory)
{
  if (d->device == NULL)
    g_free (memory);
  else
    d->device->free (memory);
}

static void
copy (const VolumeDevice *d, OctCopy direction, gpointer dest,
    gconstpointer src, gsize size, gpointer stream)
{
  GError *error = NULL;

  volume_device_expect (d->device->copy (direction, dest, size, src, size, size,
                            1, stream, &error),
      error);
  volume_device_wait (d, stream);
}

void
volume_device_upload (
    const VolumeDevice *d, gpointer dest, gconstpointer src, gsize size)
{
  if (d->device == NULL)
    memcpy (dest, src, size);
  else
    copy (d, OCT_COPY_UPLOAD, dest, src, size, d->stream);
}

void
volume_device_download (const VolumeDevice *d, gpointer dest, gconstpointer src,
    gsize size, gpointer stream)
{
  if (d->device == NULL)
    memcpy (dest, src, size);
  else
    copy (d, OCT_COPY_DOWNLOAD, dest, src, size, stream);
}

void
volume_device_wait (const VolumeDevice *d, gpointer stream)
{
  GError *error = NULL;

  if (d->device != NULL)
    volume_device_expect (
        d->device->stream_synchronize (stream, &error), error);
}

static guint n_checks, n_failed;

void
volume_report (const VolumeDevice *device, gboolean ok, const char *format, ...)
{
  g_autofree char *text = NULL;
  va_list args;

  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  printf (
      "%s %u - %s: %s\n", ok ? "ok" : "not ok", ++n_checks, device->name, text);
  n_failed += !ok;
}

int
volume_report_end (void)
{
  printf ("1..%u\n# %u of %u failed\n", n_checks, n_failed, n_checks);
  return n_failed > 0;
}
