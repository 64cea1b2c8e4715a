/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Measurements of octmeter during a recording, in files next to the
 * recording: OUTPUT-spectra.csv and OUTPUT-ascans.csv with a line for each
 * measurement, and, once it has ended, OUTPUT-meters.csv with the mean, the
 * least and the most of every field.
 *
 * Images are worth more than measurements: if these cannot be written, a note
 * is printed on the terminal, once, and the recording goes on.
 */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct _OctMeasurements OctMeasurements;

/* FALSE with a sentence when one of the files exists. */
gboolean oct_measurements_check (const char *output, GError **error);

/* `mode`: permissions of the files, whatever the umask. */
/* The names of all of them, with `separator` between, to be freed. */
char *oct_measurements_list (const char *output, const char *separator);

OctMeasurements *oct_measurements_new (const char *output, guint mode);
void oct_measurements_free (OctMeasurements *measurements);

/* Any thread; waits for nothing.  Takes a message's structure "oct-meter"; more
 * than one of a kind in OCT_MEASUREMENTS_TIME is left out. */
#define OCT_MEASUREMENTS_TIME (900 * G_TIME_SPAN_MILLISECOND)
void oct_measurements_add (
    OctMeasurements *measurements, const GstStructure *measurement);

/* Called by one thread, which may have to wait for the disk: writes the
 * measurements added since; `last`: and then the summary. */
void oct_measurements_write (OctMeasurements *measurements, gboolean last);

G_END_DECLS
