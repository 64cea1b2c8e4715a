/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * HDF5's library is not made for several threads in all builds of it, and what
 * it prints of errors is for programmers: whoever calls it does so between
 * these two, one thread at a time, and nothing is printed meanwhile.
 */
#pragma once

void oct_hdf5_enter (void);
void oct_hdf5_leave (void);
