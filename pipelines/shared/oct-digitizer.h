/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Options of programs for spectra of a digitizer, whose program writes them
 * into a ring in shared memory (docs/digitizers.md).
 */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* As they were given; `socket` NULL: no digitizer. */
typedef struct {
  char *socket;
  double clock_delay, clock_jitter; /* samples */
} OctDigitizerOptions;

/* The contents of the ring. */
typedef struct {
  gboolean has_clock;  /* a channel of a k-clock */
  gboolean is_uniform; /* samples come uniform in wavenumber */
  gboolean is_raw;     /* of 8 or 16 bits, for recordings of raw spectra */
  guint lines, bscans; /* of a B-scan, of a volume; bscans 0: not known */
  double line_rate;    /* A-lines per second; 0: not known */
} OctDigitizerRing;

/* Adds --daq, --clock-delay and --clock-jitter. */
void oct_digitizer_options_add (
    GOptionContext *context, OctDigitizerOptions *options);
/* After parsing: FALSE with a sentence. */
gboolean oct_digitizer_options_check (
    const OctDigitizerOptions *options, GError **error);
void oct_digitizer_options_clear (OctDigitizerOptions *options);

/* Looks into the header of the ring, and leaves it again; waits for its program
 * up to `patience` ms.  FALSE with a sentence. */
gboolean oct_digitizer_look (const OctDigitizerOptions *options, guint patience,
    OctDigitizerRing *ring, GError **error);

/* The name of the element in it. */
#define OCT_DIGITIZER_NAME "octdaqsrc"

/* A launch line of octdaqsrc; to be freed.  `scan_file`: the places of its
 * A-lines, or NULL. */
char *oct_digitizer_describe (const OctDigitizerOptions *options,
    const OctDigitizerRing *ring, const char *scan_file);

/* The elements between the raw spectra and octreconstruct, as
 * "octkclock ... ! ", or ""; to be freed. */
char *oct_digitizer_describe_clock (
    const OctDigitizerOptions *options, const OctDigitizerRing *ring);

/* `axis` of octreconstruct after that, which it needs before it is linked. */
const char *oct_digitizer_get_axis (const OctDigitizerRing *ring);

/* A-lines that never came so far, of the octdaqsrc in `bin`, from wherever its
 * launch line is; 0 if there is none. */
guint64 oct_digitizer_count_lost (GstBin *bin);

G_END_DECLS
