/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Arrays of Zarr version 3 (Zarr core specification 3.0, the codecs bytes,
 * gzip, zstd, crc32c and sharding_indexed), in folders: a text, zarr.json, and
 * a file for each chunk, or for each shard of chunks.
 */
#pragma once

#include "oct-stored.h"

G_BEGIN_DECLS

#define OCT_ZARR_METADATA "zarr.json"
/* A zarr.json may be as long as that; an array's has some hundred bytes. */
#define OCT_ZARR_MAX_TEXT (1u << 20)

#define OCT_ZARR_MAX_DIMS 8
#define OCT_ZARR_MAX_CODECS 4
/* Bytes of one chunk, unpacked, and chunks of one shard. */
#define OCT_ZARR_MAX_CHUNK (512u << 20)
#define OCT_ZARR_MAX_INNER (1u << 20)

/* From bytes to bytes. */
typedef enum {
  OCT_ZARR_GZIP,
  OCT_ZARR_ZSTD,
  OCT_ZARR_CRC32C,
} OctZarrCodec;

typedef struct {
  guint dims;                       /* 1 to OCT_ZARR_MAX_DIMS */
  guint64 shape[OCT_ZARR_MAX_DIMS]; /* slowest first, none 0 */
  guint64 shard[OCT_ZARR_MAX_DIMS]; /* values of a file in each dimension */
  guint64 chunk[OCT_ZARR_MAX_DIMS]; /* of a chunk: the same without shards */
  OctStored stored;
  guint8 fill[8]; /* the value of chunks that are not there, as stored */
  gboolean sharded, index_first, index_has_sum;
  gboolean has_prefix; /* keys begin with "c" */
  char separator;      /* of keys */
  guint n_codecs;
  OctZarrCodec codecs[OCT_ZARR_MAX_CODECS]; /* in the order of packing */
} OctZarrArray;

/* ----------------------------------------------------------------- metadata */

typedef enum {
  OCT_ZARR_IS_ARRAY,
  OCT_ZARR_IS_GROUP,
} OctZarrNode;

/* B-scans, the first and the last one. */
typedef struct {
  guint64 first, last;
} OctZarrRun;

/* An image of an OME-Zarr group, its largest array. */
typedef struct {
  char *path;                      /* of the array in the group, or NULL */
  guint dims;                      /* of the next; 0: there are none */
  double scale[OCT_ZARR_MAX_DIMS]; /* from a voxel to the next, m or s, 0: not
                                      known */
  gboolean has_images;             /* of octvolumesink: depths are rows */
  GArray *missing; /* of OctZarrRun, those that octvolumesink has not got; or
                      NULL */
} OctZarrImage;

/* Reads the text of a zarr.json, a group or an array.  `file` begins the
 * messages.  FALSE with OCT_ERROR_FORMAT: what is not valid, or what cannot be
 * read here.  `image`: g_free() its path, and g_array_unref() its runs. */
gboolean oct_zarr_parse (const char *file, const char *text, gsize size,
    OctZarrNode *node, OctZarrArray *array, OctZarrImage *image,
    GError **error);

/* Whether it names something within the folder that it is in: no "..", no
 * absolute path. */
gboolean oct_zarr_path_is_inside (const char *path);

/* ------------------------------------------------------------------- chunks */

/* CRC-32C (RFC 3720, polynomial 0x1EDC6F41, reflected). */
guint32 oct_zarr_crc32c (const guint8 *data, gsize size);

/* Bytes of a chunk, unpacked; chunks of a shard. */
gsize oct_zarr_get_chunk_bytes (const OctZarrArray *array);
guint64 oct_zarr_count_inner (const OctZarrArray *array);

/* The name of a file by its place in the grid of files, "c/0/3/0"; g_free()
 * it. */
char *oct_zarr_make_key (const OctZarrArray *array, const guint64 *place);
/* The reverse: FALSE, the array has no such key. */
gboolean oct_zarr_parse_key (
    const OctZarrArray *array, const char *key, guint64 *place);

/* Unpacks packed[size], which is changed, to a whole chunk; FALSE: it is
 * damaged, or has another size. */
gboolean oct_zarr_unpack (
    const OctZarrArray *array, guint8 *packed, gsize size, guint8 *chunk);

/* A whole shard of the array: `chunks` in the order of the index, each packed
 * with the codecs zstd or none, NULL: it is not there.  Fails for nothing but
 * memory: NULL. */
GByteArray *oct_zarr_pack_shard (
    const OctZarrArray *array, guint8 *const *chunks, guint64 count);

/* ------------------------------------------------------------------ reading */

typedef struct _OctZarrStore OctZarrStore;

typedef enum {
  OCT_ZARR_THERE,
  OCT_ZARR_ABSENT,
  OCT_ZARR_DAMAGED,
} OctZarrFound;

/* `folder`: descriptor of that of the array, which the store closes. */
OctZarrStore *oct_zarr_store_new (int folder, const OctZarrArray *array);
void oct_zarr_store_free (OctZarrStore *store);

/* Reads the chunk at `place` of the grid of chunks to values[chunk], the fill
 * value if it is absent. */
OctZarrFound oct_zarr_store_read (
    OctZarrStore *store, const guint64 *place, guint8 *values);

/* A file within a folder, on the way to which no link is followed.  Returns: a
 * descriptor of a regular file, -1 with errno. */
int oct_zarr_open_inside (int folder, const char *path, guint64 *size);

G_END_DECLS
