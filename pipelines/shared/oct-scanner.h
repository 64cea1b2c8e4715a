/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Options of programs that drive a scanner with two mirrors, and octscangen
 * with them: its samples to a sink that people choose, the places of its
 * A-lines to a file, which octdaqsrc and octsrc read.
 */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* As they were given; `pattern` NULL: no scanner. */
typedef struct {
  char *pattern, *size, *centre, *properties, *sink;
  double angle, rate; /* degrees; A-lines per second, 0: not given */
  gboolean has_angle; /* it was given, be it 0; after _check() */
  /* of `size` and `centre`, after oct_scanner_options_check() */
  double width, height, x, y; /* um */
  /* of the mirrors of x and y, in seconds, if `properties` do not say it: kept */
  double delay[2];
} OctScannerOptions;

/* A-lines of a B-scan and B-scans of a volume, if nobody says them, and A-lines
 * per second of the virtual system along a path. */
#define OCT_SCANNER_LINES 128
#define OCT_SCANNER_BSCANS 128
#define OCT_SCANNER_VIRTUAL_RATE 10240.0

/* Sentences of the programs. */
#define OCT_SCANNER_NO_SOURCE                                                  \
  "--scan goes with --daq or with the virtual OCT system; leave out --data, "  \
  "--source, --oct-camera and --images."
#define OCT_SCANNER_NO_REPEATS                                                 \
  "--scan takes each place once; leave out --flow and --repeats."

/* Adds --scan, --size-um, --centre-um, --angle, --scan-rate, --scanner and
 * --scan-sink. */
void oct_scanner_options_add (
    GOptionContext *context, OctScannerOptions *options);
/* After parsing: FALSE with a sentence. */
gboolean oct_scanner_options_check (OctScannerOptions *options, GError **error);
void oct_scanner_options_clear (OctScannerOptions *options);

/* After that: size, centre, angle and delay of oct_scanner_write_scan(), for
 * those that were not given.  A text that is not valid, and NULL, change nothing. */
void oct_scanner_options_use_kept (
    OctScannerOptions *options, const char *kept);

/* The scan of a scanner. */
typedef struct {
  const char *pattern;        /* one of oct_scanner_get_patterns() */
  double width, height, x, y; /* um */
  double angle;               /* degrees */
} OctScannerScan;

/* Static, with NULL at the end. */
const char *const *oct_scanner_get_patterns (void);
/* Static; NULL: there is no such pattern. */
const char *oct_scanner_find_pattern (const char *name);

typedef struct _OctScanner OctScanner;

/* Makes the path of volumes of `bscans` B-scans of `lines` A-lines, `rate` of
 * them per second if the options do not say it, and drives nothing yet.  NULL
 * with a sentence: a limit of the scanner is exceeded, or an option is not
 * possible. */
OctScanner *oct_scanner_new (const OctScannerOptions *options, guint lines,
    guint bscans, double rate, GError **error);

/* The file with the places of the A-lines; valid as long as the scanner. */
const char *oct_scanner_get_path (const OctScanner *scanner);

/* Drives it, if there is a sink: returns at once.  A sink that fails is reported
 * on the terminal. */
void oct_scanner_start (OctScanner *scanner);

/* The source that is told of other paths, and of those before if it is made anew;
 * no reference is kept.  `counted`: its A-lines are those of the scanner, as of
 * octdaqsrc, and not of the virtual system. */
void oct_scanner_set_source (
    OctScanner *scanner, GstElement *source, gboolean counted);

/* The scan that was asked for last. */
void oct_scanner_get_scan (const OctScanner *scanner, OctScannerScan *scan);

/* Its size, centre and angle, and the delay of the mirrors, to be kept; to be
 * freed. */
char *oct_scanner_write_scan (const OctScanner *scanner);

/* Called after each change, in the thread of it; `changed` NULL: none is. */
void oct_scanner_set_changed (
    OctScanner *scanner, void (*changed) (gpointer data), gpointer data);

/* NULL, or why another scan is not possible at all, a sentence. */
const char *oct_scanner_get_fixed (const OctScanner *scanner);

/* The event of the path that was asked for last, no new reference; NULL: that of
 * the start was not changed, or it does not come any more. */
GstEvent *oct_scanner_get_asked (const OctScanner *scanner);

/* Another scan of as many A-lines, from the end of a volume on: the source tells
 * its path before the first B-scan of it.  FALSE with a sentence, and nothing
 * changes: a limit of the scanner is exceeded, or it is fixed. */
gboolean oct_scanner_change (
    OctScanner *scanner, const OctScannerScan *scan, GError **error);

/* The delay of the mirrors of x and y in seconds: the scanner is sent as much
 * earlier. */
void oct_scanner_get_delay (const OctScanner *scanner, double delay[2]);

/* Whether the source sees the mirrors of a scanner; FALSE: it is the virtual
 * system. */
gboolean oct_scanner_has_mirrors (const OctScanner *scanner);

/* NULL, or why the delay of the mirrors cannot be found, or set, now. */
const char *oct_scanner_get_untunable (const OctScanner *scanner);

/* Sets the delay by the result of octremap, a structure "oct-tune" that did not
 * fail, from the end of a volume on.  A sentence on it, to be freed; NULL with a
 * sentence, and nothing changes. */
char *oct_scanner_tune (
    OctScanner *scanner, const GstStructure *found, GError **error);

/* The source has told a path: a delay that was set is in force. */
void oct_scanner_take_path (OctScanner *scanner);

/* Takes the beam to rest, waits for it up to a few seconds, and ends.  NULL is
 * allowed. */
void oct_scanner_free (OctScanner *scanner);

G_END_DECLS
