/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Instruments by name: presets of octreconstruct, with all that belongs to a
 * spectrometer, in GStreamer's folder of the user.
 */
#pragma once

#include "oct-method-names.h"
#include "oct-launch.h"

G_BEGIN_DECLS

/* Options of a program. */
typedef struct {
  char *load, *save; /* names, or NULL */
} OctInstrumentOptions;

void oct_instrument_options_add (
    GOptionContext *context, OctInstrumentOptions *options);
void oct_instrument_options_clear (OctInstrumentOptions *options);

/* Directions of a scan whose two ends have words. */
typedef enum {
  OCT_ENDS_SCAN, /* first and last A-line of a B-scan */
  OCT_ENDS_SLOW, /* first and last B-scan of a volume */
  OCT_N_ENDS
} OctEnds;

/* Words for the ends of the directions, first and last with a comma between
 * them, as in "left,right"; of options, NULL: not given. */
typedef struct {
  char *words[OCT_N_ENDS];
} OctEndsOptions;

/* Adds --scan-ends and --slow-ends. */
void oct_ends_options_add (GOptionContext *context, OctEndsOptions *options);
/* FALSE with a sentence: they are not two short words each. */
gboolean oct_ends_options_check (const OctEndsOptions *options, GError **error);
void oct_ends_options_clear (OctEndsOptions *options);

/* Words that oct_instrument_load() has read, or that were set here after it;
 * oct_instrument_save() saves them.  NULL: none. */
void oct_instrument_set_ends (
    GstElement *reconstruct, const OctEndsOptions *options);
const char *oct_instrument_get_ends (GstElement *reconstruct, OctEnds ends);

/* The scan that is kept with an instrument (oct_scanner_write_scan()), to be
 * freed; NULL: none. */
char *oct_instrument_get_scan (const char *name);
/* The one that oct_instrument_save() saves; without it the former one stays. */
void oct_instrument_set_scan (GstElement *reconstruct, const char *scan);

/* The names of all, to be freed; those that were started last come first. */
char **oct_instrument_list (void);
/* How it was started last, as oct_instrument_note_start() was told, to be freed;
 * NULL: not known. */
char *oct_instrument_get_start (const char *name);
/* It was started now; `start`: NULL leaves what is known of it. */
void oct_instrument_note_start (const char *name, const char *start);
void oct_instrument_remove (const char *name);
/* Whether oct_instrument_save() takes the name; FALSE with a sentence. */
gboolean oct_instrument_check_name (const char *name, GError **error);

/* Before anything else is set on it: has octreconstruct work as for that
 * instrument; NULL: none.  `calibration`, a file or NULL, then replaces all
 * values of the instrument for wavelengths, wavenumbers and dispersion, and its
 * stored spectrum if the file has one.  FALSE with a sentence that names the
 * instruments that there are. */
gboolean oct_instrument_load (GstElement *reconstruct, const char *name,
    const char *calibration, GError **error);

/* Saves the settings of `reconstruct`, its words for the ends of directions,
 * and `calibration`, a file or NULL, that may be set elsewhere; an instrument
 * of that name is replaced.  FALSE with a sentence. */
gboolean oct_instrument_save (GstElement *reconstruct, const char *name,
    const char *calibration, GError **error);

/* Gives an octmeter of its raw spectra the wavelengths and the window that are
 * set on it. */
void oct_instrument_copy_axis (GstElement *reconstruct, GstElement *meter);

/* Sets octlogscale, after it, to make grey levels as octreconstruct would;
 * `range` is the kind of range to use if that is automatic, to be freed.
 * Settings of the program stay if the instrument says nothing of them. */
void oct_instrument_set_contrast (
    GstElement *reconstruct, GstElement *logscale, char **range);

/* The same with the range as it is set there. */
void oct_instrument_use_contrast (
    GstElement *reconstruct, GstElement *logscale);

/* The word for a choice that is set on an element. */
const char *oct_instrument_get_nick (GstElement *element, const char *property);

/* The method that is set on it. */
const OctMethod *oct_instrument_get_method (GstElement *reconstruct);

G_END_DECLS
