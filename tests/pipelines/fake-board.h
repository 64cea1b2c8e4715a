/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Shared by the false libraries of digitizers: the signal that they deliver,
 * the troubles that they make, and a log of the calls and of their faults.
 *
 *   OCT_FAKE_LOG=FILE        a line for each call, "wrong: ..." for a fault
 *   OCT_FAKE_FAIL=CALL=CODE  the first call of that name returns CODE, or
 *   OCT_FAKE_FAIL=CALL=CODE@N  the Nth one
 *   OCT_FAKE_OVERFLOW=N      the board is full before block N, or "all"
 *   OCT_FAKE_PAUSE=N         a timeout comes before each Nth block
 *   OCT_FAKE_BITS=N          of a sample
 *   OCT_FAKE_US=N            a block takes so long
 */
#pragma once

#include <glib.h>

/* Triggers that come while a board stands still after an overflow. */
#define FAKE_LOST 1000u
/* Fills memory that the board can write at any time. */
#define FAKE_POISON 0xa5

/* A call of `name`: the code that it has to return, or 0. */
guint32 fake_call (const char *name);
/* A fault of the program. */
void fake_wrong (const char *format, ...) G_GNUC_PRINTF (1, 2);

/* Bits of a sample, `usual` if it is not told. */
guint fake_bits (guint usual);

typedef enum {
  FAKE_BLOCK,
  FAKE_TIMEOUT,
  FAKE_OVERFLOW,
  FAKE_INTERRUPTED /* a signal came */
} FakeEvent;

/* The next event while the board runs. */
FakeEvent fake_next (void);

/* Triggers come while the board stands still. */
void fake_lose (void);
/* Number of the trigger of the next A-line, and counts it. */
guint64 fake_trigger (void);
/* 16 bits. */
guint16 fake_value (guint64 trigger, guint input, guint sample);
