/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * A false libcomedi.so.0 with one board: the functions that octcomedisink calls,
 * with the rules of Comedi for their order.  It notes the samples that it plays
 * as fast as they come, and runs dry when it is asked for its contents and
 * has nothing: so only the end of a stream is one.
 *
 * The board: subdevice 0 is an analog input, 1 an analog output without commands
 * and 2 the one with commands, of 4 outputs.
 */
#pragma once

#include <glib.h>

/* in the path of libraries of the tests */
#define FAKE_COMEDI_LIBRARY "libfake-comedi.so"
#define FAKE_COMEDI_DEVICE "/dev/comedi7"
#define FAKE_COMEDI_STEP 50 /* ns of its clock */
#define FAKE_COMEDI_INPUTS 8

typedef struct {
  /* of the board, before it is opened; zeros but for `maxdata` and `send` */
  guint maxdata;
  guint send;            /* bytes of its buffer, about */
  guint step;            /* ns of its clock; 0: FAKE_COMEDI_STEP */
  gboolean wide, soft;   /* samples of 32 bits; calibrated by software */
  gboolean uncalibrated; /* and its file is not there */
  gboolean no_commands, locked, other_subdevice, no_range, no_inputs;
  const char *failing; /* name of the call that fails */
  guint underrun_at;   /* frames; 0: never */
  guint stand_at;      /* frames at which its clock stands; 0: never */
} FakeComediBoard;

/* Forgets everything, and takes this board. */
void fake_comedi_reset (const FakeComediBoard *board);

/* The edge at the start input. */
void fake_comedi_edge (void);
/* Its clock runs again. */
void fake_comedi_go_on (void);
/* It was pulled out. */
void fake_comedi_pull (void);

/* Frames played so far, and bytes that wait. */
guint fake_comedi_count (void);
guint fake_comedi_get_waiting (void);
/* Copies of the samples that were played, guint [frame][channel], and of the calls, words
 * with blanks between; faults of the program are "WRONG:..." */
GArray *fake_comedi_get_played (void);
char *fake_comedi_get_calls (void);
