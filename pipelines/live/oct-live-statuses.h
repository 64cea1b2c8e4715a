/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The statuses that a page has to answer, one a second.  On a slow link or a
 * busy computer an answer comes after the next statuses were sent; it counts as
 * long as the page is not silent.  A page is silent that leaves statuses without
 * an answer: while oct-live has no time to send any, there is nothing to answer.
 *
 * Main thread.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* A page that leaves so many statuses in a row without an answer is given up. */
#define OCT_LIVE_SILENCE 10
/* Statuses whose answers count: some more than that. */
#define OCT_LIVE_STATUSES 16

typedef struct {
  struct {
    gint64 number; /* by chance, so that it cannot be guessed */
    gint64 sent;   /* monotonic, us */
    guint meters;  /* `meters` then */
  } statuses[OCT_LIVE_STATUSES];
  guint count;        /* sent so far */
  guint meters, read; /* measurements sent, and those surely read */
  guint unanswered;   /* sent since the newest answered one */
  double round_trip;  /* of the newest status, ms; 0 = not known */
} OctLiveStatuses;

/* The number of the next status, below 2^53 as JavaScript's numbers.  The first
 * one: all of `self` is 0. */
gint64 oct_live_statuses_send (OctLiveStatuses *self, gint64 now);

/* The page returns `number`: it has read that status and everything sent before
 * it.  Other numbers than those of the last statuses do not count. */
void oct_live_statuses_answer (
    OctLiveStatuses *self, gint64 number, gint64 now);

G_END_DECLS
