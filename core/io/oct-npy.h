/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The header of NumPy's .npy files, versions 1.0 to 3.0: NumPy Enhancement
 * Proposal 1, "A simple file format for NumPy arrays".
 */
#pragma once

#include "oct-stored.h"

G_BEGIN_DECLS

#define OCT_NPY_MAGIC "\x93NUMPY"
#define OCT_NPY_MAGIC_SIZE 6

/* The longest header accepted, including the magic and the length before it.
 * That of an array of plain numbers has 128 bytes; only structured types make
 * longer ones. */
#define OCT_NPY_MAX_HEADER 65536

/* [volumes][B-scans][lines][samples][channels] */
#define OCT_NPY_MAX_DIMS 5

typedef struct {
  OctStored stored;
  guint dims;                      /* 1 to OCT_NPY_MAX_DIMS */
  guint64 shape[OCT_NPY_MAX_DIMS]; /* none 0; the product times the size of one
                                      value is less than 2^63 */
  gboolean fortran_order;          /* the first one runs fastest */
  guint64 data_offset;             /* bytes from the start of the file */
} OctNpyHeader;

/* Parses the first `size` bytes of a file; OCT_NPY_MAX_HEADER are enough.
 * `file` begins the messages ("File 'x.npy'").  Error: OCT_ERROR_FORMAT, with
 * the NumPy call that mends the file. */
gboolean oct_npy_parse_header (const char *file, const guint8 *data, gsize size,
    OctNpyHeader *header, GError **error);

/* "(10, 512)"; g_free() it. */
char *oct_npy_describe_shape (const OctNpyHeader *header);

G_END_DECLS
