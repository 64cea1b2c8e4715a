/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Renderers of either backend for programs that have no GStreamer: memory where
 * they work, and copies.  A failure ends the program with a sentence.
 */
#pragma once

#include "oct-device.h"
#include "oct-remap.h"
#include "oct-volume-cs.h"
#include "oct-volume.h"

typedef struct {
  const char *name;
  const OctVolumeTable *table, *sections;
  const OctVolumeCsTable *volume_cs;
  const OctRemapTable *remap;
  const OctDevice *device; /* NULL: the CPU */
  gpointer stream;         /* that images are stored in */
} VolumeDevice;

/* `module`: liboctcuda.so, or NULL for the CPU.  FALSE after saying why it
 * cannot be used. */
gboolean volume_device_open (VolumeDevice *device, const char *module);

/* The same with the module that --module names, if it is given, which it takes
 * from the arguments; ends the program if that is not possible, with 77 if the
 * tests are to be skipped. */
void volume_device_begin (VolumeDevice *device, int *argc, char ***argv);

gpointer volume_device_alloc (const VolumeDevice *device, gsize size);
void volume_device_free (const VolumeDevice *device, gpointer memory);
/* Both wait until the copy is done; `stream`: after the work in it. */
void volume_device_upload (
    const VolumeDevice *device, gpointer dest, gconstpointer src, gsize size);
void volume_device_download (const VolumeDevice *device, gpointer dest,
    gconstpointer src, gsize size, gpointer stream);
void volume_device_wait (const VolumeDevice *device, gpointer stream);

/* Ends the program where there is an error. */
void volume_device_end_unless (gboolean ok, GError *error);
/* The same for a call that sets `error`, which is read after the call. */
#define volume_device_expect(call, error)                                      \
  do {                                                                         \
    gboolean ok_ = (call);                                                     \
    volume_device_end_unless (ok_, error);                                     \
  } while (0)

/* A line of the TAP protocol for a check on a device; and the last one, returns
 * the exit status. */
void volume_report (const VolumeDevice *device, gboolean ok, const char *format,
    ...) G_GNUC_PRINTF (3, 4);
int volume_report_end (void);
