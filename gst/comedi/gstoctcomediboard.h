/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * An analog output of a board that Comedi drives, and the command that plays
 * samples: opened, prepared for a stream, begun, triggered, filled, ended.
 *
 * Errors are of OCT_ERROR, with the property to set.  Thread-safety: one thread
 * at a time.
 */
#pragma once

#include "oct-types.h"

G_BEGIN_DECLS

#define GST_OCT_COMEDI_MAX_CHANNELS 3

/* The properties of octcomedisink that can be set; strings may be NULL. */
typedef struct {
  char *library, *device, *channels;
  gint subdevice;     /* -1: the first that fits */
  double range;       /* V; 0: by full_scale */
  double full_scale;  /* V */
  gint clock_input;   /* -1: the board's own clock */
  gint start_input;   /* -1: at once */
  double buffer_time; /* s */
} GstOctComediSettings;

typedef struct _GstOctComediBoard GstOctComediBoard;

typedef enum {
  GST_OCT_COMEDI_OK,
  GST_OCT_COMEDI_FULL,    /* wait for gst_oct_comedi_board_get_file() */
  GST_OCT_COMEDI_STOPPED, /* it has played all that it had */
  GST_OCT_COMEDI_FAILED,  /* with an error */
} GstOctComediResult;

/* Opens and locks the board.  `settings` stays valid until free().  NULL with an
 * error. */
GstOctComediBoard *gst_oct_comedi_board_new (
    const GstOctComediSettings *settings, GError **error);
void gst_oct_comedi_board_free (GstOctComediBoard *board);

/* Chooses outputs, ranges and conversions for a stream of `rate` samples per
 * second of `channels` (1 to GST_OCT_COMEDI_MAX_CHANNELS) values, and asks the
 * board whether it can play it.  *warning: a sentence that the user has to read,
 * or NULL; g_free() it. */
gboolean gst_oct_comedi_board_prepare (GstOctComediBoard *board, guint channels,
    guint rate, char **warning, GError **error);

/* Samples per second that the board makes of it, by its own clock. */
double gst_oct_comedi_board_get_rate (const GstOctComediBoard *board);
/* Bytes of a sample of all channels. */
gsize gst_oct_comedi_board_get_frame (const GstOctComediBoard *board);
/* How long a sample may wait in the board and its driver, s. */
double gst_oct_comedi_board_get_delay (const GstOctComediBoard *board);
int gst_oct_comedi_board_get_file (const GstOctComediBoard *board);

/* volts[n][channels] as samples of the board, n frames.  A voltage that it
 * cannot make is an error or, with `clip`, its largest. */
gboolean gst_oct_comedi_board_convert (const GstOctComediBoard *board,
    const double *volts, guint n, gboolean clip, guint8 *samples,
    GError **error);

/* Hands the command to the board, which waits for samples and the trigger. */
gboolean gst_oct_comedi_board_begin (GstOctComediBoard *board, GError **error);
/* Plays from now on, or from the edge at `start_input` on.  Once. */
gboolean gst_oct_comedi_board_trigger (
    GstOctComediBoard *board, GError **error);
/* Never waits.  *written: bytes, with GST_OCT_COMEDI_OK. */
GstOctComediResult gst_oct_comedi_board_write (GstOctComediBoard *board,
    const guint8 *samples, gsize size, gsize *written, GError **error);
gboolean gst_oct_comedi_board_is_running (GstOctComediBoard *board);
/* Bytes that the driver still has. */
gsize gst_oct_comedi_board_get_contents (GstOctComediBoard *board);
/* Ends the command, whatever it still has.  `volts`: one of each channel that the
 * outputs keep, or NULL: as they are. */
void gst_oct_comedi_board_end (GstOctComediBoard *board, const double *volts);

G_END_DECLS
