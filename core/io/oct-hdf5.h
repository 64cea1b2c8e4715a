/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Not all builds of HDF5's library are safe for several threads, and its
 * printed errors are for programmers: call it between these two only, which
 * admit one thread at a time and turn printing off.
 */
#pragma once

void oct_hdf5_enter (void);
void oct_hdf5_leave (void);
