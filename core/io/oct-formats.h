/* SPDX-License-Identifier: LGPL-2.1-or-later */
/** The functions of all formats, for the table in oct-format.c. */
#pragma once

#include "oct-opening.h"

G_BEGIN_DECLS

gboolean oct_format_open_raw (OctOpening *opening, GError **error);
/* The same with `packing`; its sizes are set. */
gboolean oct_format_open_packed (OctOpening *opening, GError **error);
gboolean oct_format_open_npy (OctOpening *opening, GError **error);
gboolean oct_format_open_mat (OctOpening *opening, GError **error);
gboolean oct_format_open_hdf5 (OctOpening *opening, GError **error);
gboolean oct_format_open_thorlabs (OctOpening *opening, GError **error);
gboolean oct_format_open_srr (OctOpening *opening, GError **error);
gboolean oct_format_open_tiff (OctOpening *opening, GError **error);
gboolean oct_format_open_octproz (OctOpening *opening, GError **error);
gboolean oct_format_open_unp (OctOpening *opening, GError **error);
gboolean oct_format_open_bioptigen (OctOpening *opening, GError **error);
gboolean oct_format_open_tdms (OctOpening *opening, GError **error);
gboolean oct_format_open_zarr (OctOpening *opening, GError **error);
/* By its name. */
gboolean oct_format_is_unp (const OctOpening *opening);
/* Settings of OCTproZ are next to it. */
gboolean oct_format_is_octproz (const OctOpening *opening);

void oct_format_list_srr (const char *path, GPtrArray *files);
void oct_format_list_unp (const char *path, GPtrArray *files);
void oct_format_list_octproz (const char *path, GPtrArray *files);
/* The text file of a Zarr store, or NULL: `path` is not one; g_free() it. */
char *oct_format_find_store (const char *path);
void oct_format_list_zarr (const char *path, GPtrArray *files);

G_END_DECLS
