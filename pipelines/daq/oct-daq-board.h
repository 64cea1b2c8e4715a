/* SPDX-License-Identifier: LGPL-2.1-or-later */
/** The program of a digitizer: the ring, the loop, signals, statistics. */
#pragma once

#include "oct-daq-board-table.h"

G_BEGIN_DECLS

/* The program: its exit status. */
int oct_daq_board_main (const OctDaqBoardTable *table, int argc, char *argv[]);

G_END_DECLS
