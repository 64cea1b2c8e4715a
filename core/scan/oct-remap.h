/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * A-lines of a path to the rows of a raster, with the weights of
 * oct-scan-remap.h.
 *
 * Like a renderer this is not an operation: it keeps the newest A-line of every
 * place of the path, and makes rows of them on demand.  A backend has one table
 * of functions for it (OctRemapTable).
 */
#pragma once

#include "oct-backend.h"
#include "oct-scan-remap.h"

G_BEGIN_DECLS

typedef struct {
  /* weights; the caller's, as long as the OctRemap */
  const OctScanRemap *map;
  /* of B-scans and rows.  U8 and U16: images [depths][A-lines]; CF32: A-scans
   * [A-lines][depths] */
  OctSampleFormat format;
  guint depths, lines; /* 1 or more, of a B-scan of the path */
  OctScanRemapOf of;   /* CF32 only */
  /* [map->count] 0 where an A-line has not come; the caller's, and set before
   * store() */
  const guint8 *seen;
  /* rows are made again and again while B-scans come, and a backend may keep
   * the pixels that are the same: those of each B-scan.  The caller's.  NULL:
   * rows are made once for a volume. */
  const OctScanRemapUsers *users;
} OctRemapParams;

/* TRUE, or FALSE with OCT_ERROR_SETTINGS: a format that is not one of these, a
 * size of 0, or a path that is not whole B-scans of `lines`. */
gboolean oct_remap_params_check (const OctRemapParams *params, GError **error);

/* Bytes of an A-line. */
gsize oct_remap_get_line_size (const OctRemapParams *params);

typedef struct _OctRemap OctRemap;

/* One is used by one thread at a time.  Errors: OCT_ERROR_SETTINGS, _MEMORY,
 * _DEVICE.  Frames are where the backend works; on a GPU all is queued in
 * `stream`, which outlives the OctRemap, and nothing waits; NULL on the CPU. */
struct _OctRemapTable {
  OctRemap *(*create) (
      const OctRemapParams *params, gpointer stream, GError **error);
  /* B-scan `bscan` of the path, in the first plane.  `valid` [lines], memory of
   * the host: an A-line that has 0 stays as it was; NULL: all are there. */
  gboolean (*store) (OctRemap *remap, guint bscan, const OctPlane *from,
      const guint8 *valid, GError **error);
  /* Row `row` of the raster.  `all`: every A-line has come at least once.  A
   * second plane, of NV12, becomes grey. */
  gboolean (*fetch) (OctRemap *remap, guint row, gboolean all,
      const OctFrame *to, GError **error);
  void (*destroy) (OctRemap *remap);
};

G_END_DECLS
