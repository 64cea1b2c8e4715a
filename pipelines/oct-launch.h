/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * What the programs of this folder share: options that name a source of
 * spectra, elements by name, the bus, Ctrl-C.
 */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* Of octsrc; all zero is the virtual OCT system. */
typedef struct {
  char *data, *calibration, *sample_format;
  gint samples, lines;
  gint64 header_size;
} OctSourceOptions;

void oct_source_options_add (
    GOptionContext *context, OctSourceOptions *options);

void oct_source_options_clear (OctSourceOptions *options);

/* After parsing; `extra`: an argument that is left over, or NULL.  FALSE with a
 * sentence. */
gboolean oct_source_options_check (
    const OctSourceOptions *options, const char *extra, GError **error);

void oct_source_options_set (
    const OctSourceOptions *options, GstElement *octsrc);

/* By name; the elements have to be there. */
void oct_launch_set (GstElement *pipeline, const char *name,
    const char *property, const char *value);
GstPad *oct_launch_get_pad (
    GstElement *pipeline, const char *name, const char *pad);

/* Waits up to 100 ms for the next message and returns its type: EOS,
 * ASYNC_DONE, WARNING (printed with `show_warnings`), ERROR (then `error` is
 * set), or UNKNOWN when there was none. */
GstMessageType oct_launch_poll (
    GstElement *pipeline, gboolean show_warnings, GError **error);

/* Makes a folder with those above it; FALSE with a sentence when it cannot be
 * written to. */
gboolean oct_launch_make_folder (const char *path, GError **error);

/* From now on the first Ctrl-C (or SIGTERM) is told here, and ends the program
 * only when it comes again. */
void oct_launch_catch_interrupts (void);
gboolean oct_launch_interrupted (void);

G_END_DECLS
