/* SPDX-License-Identifier: LGPL-2.1-or-later */
/** The options that the programs of digitizers share. */
#pragma once

#include "oct-daq-board-table.h"

G_BEGIN_DECLS

/* Reads and checks the options, of which the path of the socket is left in
 * `argv`.  Free with oct_daq_board_clear(). */
gboolean oct_daq_board_parse (const OctDaqBoardTable *table,
    OctDaqBoardSettings *settings, int *argc, char ***argv, GError **error);
void oct_daq_board_clear (OctDaqBoardSettings *settings);

/* Bytes of a block of samples of `sample_size` bytes. */
gsize oct_daq_board_block_size (
    const OctDaqBoardSettings *settings, gsize sample_size);

G_END_DECLS
