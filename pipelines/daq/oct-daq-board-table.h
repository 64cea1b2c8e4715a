/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The programs of digitizers share their options, the ring, the loop, and the
 * loading of a maker's library.  Each one is a table of functions for its
 * boards.
 */
#pragma once

#include "oct-daq.h"

#include <glib.h>

G_BEGIN_DECLS

/* Parts of the memory that a board writes begin at multiples of it, bytes. */
#define OCT_DAQ_BOARD_PAGE 4096u
/* A wait of the loop, ms: so long a signal can have to wait. */
#define OCT_DAQ_BOARD_WAIT 100u

typedef enum {
  OCT_DAQ_CLOCK_INTERNAL,
  OCT_DAQ_CLOCK_K,        /* each edge of the input takes a sample */
  OCT_DAQ_CLOCK_REFERENCE /* 10 MHz, to which the board locks */
} OctDaqClock;

/* The options, checked as far as every board has the same limits. */
typedef struct {
  char *library, *device, *channel_names, *clock_name, *coupling, *edge;
  gint samples, lines, bscans, repeats, block_lines;
  gint blocks;  /* of the ring */
  gint buffers; /* blocks that the board writes before it needs one again */
  gint count, readers;
  gint range, impedance;    /* of the inputs: mV, ohm */
  gint trigger_level;       /* mV */
  gint trigger_delay;       /* samples after the trigger */
  gint pretrigger;          /* samples before the trigger */
  double sample_rate;       /* Hz */
  double line_rate;         /* A-lines per s; 0: not known */
  double first_nm, last_nm; /* wavelengths; 0: not known */
  gboolean lossless;
  /* of boards of some makers only: */
  gint trigger_range;                  /* mV; 0: TTL */
  gboolean bscan_trigger;              /* a block begins with a B-scan */
  double good_clock_us, dead_clock_us; /* of a k-clock within a sweep */
  /* what the names mean: */
  OctDaqClock clock;
  gboolean ac, falling;
  guint channels;                  /* that are on */
  guint inputs[OCT_DAQ_CHANNELS];  /* which one of the board each is */
  guint32 kinds[OCT_DAQ_CHANNELS]; /* OCT_DAQ_OCT, ... */
} OctDaqBoardSettings;

/* How the board delivers samples. */
typedef struct {
  guint32 sample_format; /* OCT_DAQ_U8, OCT_DAQ_U16 or OCT_DAQ_I16 */
  char name[64];
} OctDaqBoardFormat;

typedef enum {
  OCT_DAQ_BOARD_FAILED,
  OCT_DAQ_BOARD_BLOCK,
  OCT_DAQ_BOARD_TIMEOUT, /* not enough triggers yet */
  OCT_DAQ_BOARD_OVERFLOW /* A-lines were lost, and the board stands still */
} OctDaqBoardStatus;

/* The functions of one maker's boards.  An error is a sentence that says which
 * option to set. */
typedef struct {
  const char *program, *maker;
  const char *library; /* its name, if --library is not set */
  const char *device;  /* the same of --device */
  const char *device_help;
  gint pretrigger; /* the same of --pretrigger */
  const char *pretrigger_help;
  /* Adds options that only these boards have. */
  void (*add_options) (GOptionContext *context, OctDaqBoardSettings *settings);
  /* Loads the library and sets the board up.  `settings` stay valid. */
  gpointer (*open) (const OctDaqBoardSettings *settings,
      OctDaqBoardFormat *format, GError **error);
  /* Begins; again after stop(). */
  gboolean (*start) (gpointer board, GError **error);
  /* Waits for a block, OCT_DAQ_BOARD_WAIT at most. */
  OctDaqBoardStatus (*wait) (gpointer board, GError **error);
  /* Copies that block, [channels][lines][samples], and gives its memory back to
   * the board. */
  gboolean (*take) (gpointer board, void *block, GError **error);
  void (*stop) (gpointer board);
  void (*close) (gpointer board); /* it is stopped */
} OctDaqBoardTable;

G_END_DECLS
