/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Colour maps: a colour for every grey level of an image.
 */
#pragma once

#include "oct-backend.h"
#include "oct-transfer.h"

G_BEGIN_DECLS

typedef enum {
  OCT_COLORMAP_VIRIDIS,
  OCT_COLORMAP_HOT,
  OCT_COLORMAP_GREY,
  OCT_COLORMAP_DEPTH,
  OCT_COLORMAP_DOPPLER,
  OCT_N_COLORMAPS
} OctColormap;

typedef struct {
  const char *nick;        /* as in the property `map` */
  const char *description; /* one line */
  OctTransferStops stops;  /* linear between them; no heed of extinctions */
} OctColormapInfo;

/* Static table, indexed by OctColormap. */
extern const OctColormapInfo oct_colormaps[OCT_N_COLORMAPS];

/* "viridis, hot, ... or depth", all of the table, for errors; static. */
const char *oct_colormap_get_names (void);

/* Red, green and blue of all grey levels, rounded to nearest; outside the stops
 * the colour of the nearest. */
void oct_colormap_fill (
    const OctTransferStops *stops, guint8 colors[OCT_COLORMAP_VALUES]);

/* Reads a text file as oct_transfer_read() does; the extinction of a line may
 * be left out, and does not count. */
OctTransferStops *oct_colormap_read (const char *path, GError **error);
/* The same of its text; `name` for errors. */
OctTransferStops *oct_colormap_parse (
    const char *text, gsize length, const char *name, GError **error);

/* See oct-params.h. */
gboolean oct_check_colormap (const OctColormapParams *params, GError **error);

/* The video pixel of each grey level, from the table of the params. */
typedef struct {
  guint8 rgba[256][4];
  guint8 luma[256];
  gint32 blue[256], red[256]; /* see oct_bt709_chroma() */
} OctColormapTable;

void oct_colormap_make_table (
    const OctColormapParams *params, OctColormapTable *table);

G_END_DECLS
