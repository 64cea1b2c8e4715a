/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Transfer functions: the colour and the extinction of every grey level of a
 * volume.
 *
 * The ones that are built in are made for images whose black is the noise floor
 * and whose white is some 35 dB above it, as octlogscale makes them.
 */
#pragma once

#include "oct-types.h"
#include "oct-volume-types.h"

G_BEGIN_DECLS

typedef struct {
  OctTransferEntry entries[OCT_TRANSFER_SIZE];
} OctTransfer;

/* A grey level (0 .. 255) with its values; linear between two of them. */
typedef struct {
  float grey;
  OctTransferEntry entry;
} OctTransferStop;

#define OCT_TRANSFER_MAX_STOPS 256

typedef struct {
  guint n;
  OctTransferStop stops[OCT_TRANSFER_MAX_STOPS];
} OctTransferStops;

typedef enum {
  OCT_TRANSFER_TISSUE,
  OCT_TRANSFER_GREY,
  OCT_TRANSFER_FILE,
} OctTransferKind;

/* The stops of a built-in transfer function; NULL for FILE. */
const OctTransferStops *oct_transfer_get_stops (OctTransferKind kind);

/* Reads a text file: lines of grey, red, green, blue, extinction, separated by
 * commas or blanks.  Ignored: a byte order mark, empty lines, lines that begin
 * with #, and a first line of names, which has no number.  Two stops at least,
 * grey levels rising.  NULL with OCT_ERROR_NOT_FOUND, _READ or _FORMAT and the
 * number of the line; g_free().
 */
OctTransferStops *oct_transfer_read (const char *path, GError **error);
/* The same of its text; `name` for errors. */
OctTransferStops *oct_transfer_parse (
    const char *text, gsize length, const char *name, GError **error);

/* The entry of a grey level: linear between two stops, outside them that of the
 * nearest. */
OctTransferEntry oct_transfer_look_up (
    const OctTransferStops *stops, double grey_level);

/* Fills the table.  Grey levels below `threshold` are transparent, those up to
 * OCT_TRANSFER_EDGE above it less and less; extinctions are multiplied by
 * `opacity`. */
void oct_transfer_fill (const OctTransferStops *stops, double threshold,
    double opacity, OctTransfer *transfer);
#define OCT_TRANSFER_EDGE 12.0

G_END_DECLS
