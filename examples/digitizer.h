/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The data that digitizer.c writes to shared memory and from-digitizer.c reads:
 * blocks of any number of A-lines, as a digitizer delivers them, each A-line
 * with its place in the scan.  It is an example; replace it by the data of your
 * system.
 */
#pragma once

#include <glib.h>

#define DIGITIZER_MAGIC 0x3154434f /* "OCT1" */

typedef enum {
  DIGITIZER_CALIBRATION, /* three columns of doubles, see below */
  DIGITIZER_LINES,       /* for each A-line a DigitizerLine and its counts */
  DIGITIZER_END,         /* nothing more will come */
} DigitizerKind;

/* At the beginning of every block. */
typedef struct {
  guint32 magic;
  guint32 kind;
  guint32 samples; /* of an A-line */
  guint32 lines;   /* in this block */
} DigitizerBlock;

/* In front of the counts of an A-line, which are guint16. */
typedef struct {
  guint64 trigger; /* A-lines since the start, lost ones and flyback included */
  guint32 volume;
  guint16 bscan; /* in the volume */
  guint16 line;  /* in the B-scan; DIGITIZER_FLYBACK: the mirror moves back */
} DigitizerLine;

#define DIGITIZER_FLYBACK G_MAXUINT16

/* Columns of DIGITIZER_CALIBRATION, [samples] each. */
enum {
  DIGITIZER_WAVELENGTH, /* nm */
  DIGITIZER_DISPERSION, /* rad, to multiply by exp (+i phase) */
  DIGITIZER_SOURCE,     /* counts without a sample */
  DIGITIZER_COLUMNS
};

/* The scan of this example. */
#define DIGITIZER_RATE 100000 /* A-lines per second */
#define DIGITIZER_SAMPLES 1024
#define DIGITIZER_BSCAN_LINES 100
#define DIGITIZER_FLYBACK_LINES 20
#define DIGITIZER_BSCANS 5 /* per volume */
