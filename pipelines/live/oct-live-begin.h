/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The choices of a page before the start (oct-live-setup.h), and the options of
 * the program that they become: a closed list.
 *
 * Nothing of this touches a network or GStreamer.
 */
#pragma once

#include <json-glib/json-glib.h>

G_BEGIN_DECLS

/* An option that takes a number; its name without dashes is that in messages,
 * too. */
typedef struct {
  const char *option;
  gboolean whole;
  double least, most;
} OctLiveBeginNumber;

enum {
  OCT_LIVE_BEGIN_SAMPLES,
  OCT_LIVE_BEGIN_LINES,
  OCT_LIVE_BEGIN_BSCANS,
  OCT_LIVE_BEGIN_REPEATS,
  OCT_LIVE_BEGIN_WIDTH,
  OCT_LIVE_BEGIN_LENGTH,
  OCT_LIVE_BEGIN_INDEX,
  OCT_LIVE_BEGIN_KEEP,
  OCT_LIVE_N_BEGIN_NUMBERS
};

/* Static table. */
extern const OctLiveBeginNumber
    oct_live_begin_numbers[OCT_LIVE_N_BEGIN_NUMBERS];

/* Texts are one line in UTF-8, "" for none. */
typedef struct {
  char *source, *microscope, *calibration; /* keys (oct-live-finder.h) */
  char *instrument, *save;                 /* names */
  gboolean flow, record;
  guint given; /* 1 << number of those given */
  double numbers[OCT_LIVE_N_BEGIN_NUMBERS];
} OctLiveBegin;

void oct_live_begin_clear (OctLiveBegin *begin);
void oct_live_begin_copy (const OctLiveBegin *from, OctLiveBegin *to);

/* Reads the numbers that `object` has, and counts them; the name of one that is
 * not allowed, or NULL. */
const char *oct_live_begin_read_numbers (
    JsonObject *object, OctLiveBegin *begin, guint *known);

/* Adds all as members of an object: those of a message "begin". */
void oct_live_begin_add (const OctLiveBegin *begin, JsonBuilder *builder);

/* Adds arguments of the command line that are of numbers, `flow` and the
 * instrument. */
void oct_live_begin_add_arguments (
    const OctLiveBegin *begin, GStrvBuilder *arguments);

G_END_DECLS
