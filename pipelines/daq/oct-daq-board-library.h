/* SPDX-License-Identifier: LGPL-2.1-or-later */
/** The library of a maker, which is loaded when the program runs, and memory for
 * its boards. */
#pragma once

#include "oct-daq-board-table.h"

G_BEGIN_DECLS

/* A function of a library, and where its address goes. */
typedef struct {
  const char *name;
  gsize offset;
} OctDaqBoardFunction;

/* Loads `library` and puts the addresses of `n` functions into the struct
 * `functions`.  It stays loaded: drivers with threads of their own do not like
 * to be unloaded. */
gboolean oct_daq_board_load (const OctDaqBoardTable *table, const char *library,
    const OctDaqBoardFunction *names, guint n, gpointer functions,
    GError **error);

/* Memory that begins with a page, all of it there; NULL with an error.  Free
 * with free(). */
gpointer oct_daq_board_allocate (gsize size, GError **error);

/* "DEVICE refused CALL with error CODE (TEXT); HINT." */
void oct_daq_board_refused (GError **error, const char *device,
    const char *call, guint code, const char *text, const char *hint);

G_END_DECLS
