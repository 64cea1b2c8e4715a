/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Temporary files of spectra and calibrations.
 */
#pragma once

#include <glib.h>

/* Path of `name` in a folder that is there until the test ends; g_free() it. */
char *oct_test_file_path (const char *name);

/* Writes (over) such a file and returns its path. */
char *oct_test_file (const char *name, gconstpointer data, gsize size);
char *oct_test_text (const char *name, const char *text);

/* A file of zeros that takes no room on the disk. */
char *oct_test_sparse (const char *name, guint64 size);

/* Bytes that differ from one sample, line and B-scan to the next. */
GBytes *oct_test_pattern (gsize size);

/* A version 1.0 .npy file: the dictionary as it is given, then the data. */
char *oct_test_npy (
    const char *name, const char *dictionary, gconstpointer data, gsize size);

/* Column wavelength_nm of `rows` rows, 800 nm and up, 0.1 nm each. */
char *oct_test_wavelengths (const char *name, guint rows);

/* Removes the folder and all in it. */
void oct_test_remove_files (void);
