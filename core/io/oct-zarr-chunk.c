/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Chunks and shards: packed, unpacked, and found in a folder. */
#define _FILE_OFFSET_BITS 64
#include "oct-zarr.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>
#ifdef HAVE_ZLIB
#  include <zlib.h>
#endif

#include "oct-file.h"

/* Fast, and small enough: images of speckle are mostly noise. */
#define ZSTD_LEVEL 1

/* An entry of an index has the offset and the bytes of a chunk; both of these: it is
 * absent. */
#define ENTRY 16
#define ABSENT G_MAXUINT64

#define SUM_BYTES 4

/* ---------------------------------------------------------------- checksums */

guint32
oct_zarr_crc32c (const guint8 *data, gsize size)
{
  static guint32 table[256];
  static gsize made = 0;
  guint32 sum = G_MAXUINT32;

  if (g_once_init_enter (&made)) {
    for (guint32 i = 0; i < 256; i++) {
      guint32 value = i;

      for (guint bit = 0; bit < 8; bit++)
        value = (value >> 1) ^ ((value & 1) != 0 ? 0x82F63B78u : 0);
      table[i] = value;
    }
    g_once_init_leave (&made, 1);
  }
  for (gsize i = 0; i < size; i++)
    sum = (sum >> 8) ^ table[(sum ^ data[i]) & 0xff];
  return ~sum;
}

static guint32
get_sum (const guint8 *at)
{
  guint32 sum;

  memcpy (&sum, at, sizeof sum);
  return GUINT32_FROM_LE (sum);
}

static guint64
zarr_get_number (const guint8 *at)
{
  guint64 number;

  memcpy (&number, at, sizeof number);
  return GUINT64_FROM_LE (number);
}

static void
zarr_add_number (GByteArray *bytes, guint64 number)
{
  guint64 little = GUINT64_TO_LE (number);

  g_byte_array_append (bytes, (const guint8 *)&little, sizeof little);
}

/* -------------------------------------------------------------------- sizes */

gsize
oct_zarr_get_chunk_bytes (const OctZarrArray *array)
{
  gsize bytes = oct_stored_get (array->stored)->size;

  for (guint i = 0; i < array->dims; i++)
    bytes *= (gsize)array->chunk[i];
  return bytes;
}

guint64
oct_zarr_count_inner (const OctZarrArray *array)
{
  guint64 count = 1;

  for (guint i = 0; i < array->dims; i++)
    count *= array->shard[i] / array->chunk[i];
  return count;
}

/* --------------------------------------------------------------------- keys */

char *
oct_zarr_make_key (const OctZarrArray *array, const guint64 *place)
{
  g_autoptr (GString) key = g_string_new (array->has_prefix ? "c" : NULL);

  for (guint i = 0; i < array->dims; i++) {
    if (i > 0 || array->has_prefix)
      g_string_append_c (key, array->separator);
    g_string_append_printf (key, "%" G_GUINT64_FORMAT, place[i]);
  }
  return g_string_free (g_steal_pointer (&key), FALSE);
}

gboolean
oct_zarr_parse_key (const OctZarrArray *array, const char *key, guint64 *place)
{
  g_autofree char *same = NULL;
  const char *at = key;

  if (array->has_prefix && (*at++ != 'c' || *at++ != array->separator))
    return FALSE;
  for (guint i = 0; i < array->dims; i++) {
    char *end;

    if (i > 0 && *at++ != array->separator)
      return FALSE;
    place[i] = g_ascii_strtoull (at, &end, 10);
    if (end == at || place[i] > (array->shape[i] - 1) / array->shard[i])
      return FALSE;
    at = end;
  }
  /* as it would be written: no "+1", no "01" */
  same = oct_zarr_make_key (array, place);
  return *at == '\0' && strcmp (same, key) == 0;
}

/* ------------------------------------------------------------------- codecs */

static gboolean
unpack_gzip (const guint8 *packed, gsize size, guint8 *to, gsize bytes)
{
#ifdef HAVE_ZLIB
  z_stream stream = { .next_in = (Bytef *)(gsize)packed,
    .avail_in = (uInt)size,
    .next_out = to,
    .avail_out = (uInt)bytes };
  gboolean ok;

  if (size > G_MAXUINT || bytes > G_MAXUINT
      || inflateInit2 (&stream, 15 + 32) != Z_OK)
    return FALSE;
  ok = inflate (&stream, Z_FINISH) == Z_STREAM_END && stream.avail_out == 0;
  inflateEnd (&stream);
  return ok;
#else
  return FALSE;
#endif
}

gboolean
oct_zarr_unpack (
    const OctZarrArray *array, guint8 *packed, gsize size, guint8 *chunk)
{
  gsize bytes = oct_zarr_get_chunk_bytes (array);
  g_autofree guint8 *held = NULL;

  for (guint i = array->n_codecs; i-- > 0;) {
    gsize wanted = bytes;
    guint8 *to;
    gboolean ok;

    if (array->codecs[i] == OCT_ZARR_CRC32C) {
      if (size < SUM_BYTES
          || oct_zarr_crc32c (packed, size - SUM_BYTES)
                 != get_sum (packed + size - SUM_BYTES))
        return FALSE;
      size -= SUM_BYTES;
      continue;
    }
    /* sums that were added before it was packed follow the values */
    for (guint k = 0; k < i; k++)
      wanted += SUM_BYTES;
    to = g_try_malloc (wanted);
    if (to == NULL)
      return FALSE;
    ok = array->codecs[i] == OCT_ZARR_GZIP
             ? unpack_gzip (packed, size, to, wanted)
             : ZSTD_decompress (to, wanted, packed, size) == wanted;
    g_free (held);
    held = packed = to;
    size = wanted;
    if (!ok)
      return FALSE;
  }
  if (size != bytes)
    return FALSE;
  memcpy (chunk, packed, bytes);
  return TRUE;
}

/* FALSE: there is no memory. */
static gboolean
append_packed (
    GByteArray *shard, ZSTD_CCtx *context, const guint8 *chunk, gsize bytes)
{
  gsize bound = ZSTD_compressBound (bytes), packed;
  guint at = shard->len;

  if (at + bound > G_MAXUINT / 2)
    return FALSE;
  g_byte_array_set_size (shard, (guint)(at + bound));
  packed = ZSTD_compress2 (context, shard->data + at, bound, chunk, bytes);
  if (ZSTD_isError (packed))
    return FALSE;
  g_byte_array_set_size (shard, (guint)(at + packed));
  return TRUE;
}

GByteArray *
oct_zarr_pack_shard (
    const OctZarrArray *array, guint8 *const *chunks, guint64 count)
{
  gsize bytes = oct_zarr_get_chunk_bytes (array);
  g_autoptr (GByteArray) shard = g_byte_array_new ();
  g_autoptr (GByteArray) index = g_byte_array_new ();
  ZSTD_CCtx *context = ZSTD_createCCtx ();
  gboolean ok = context != NULL;
  guint32 sum;

  if (ok) {
    ZSTD_CCtx_setParameter (context, ZSTD_c_compressionLevel, ZSTD_LEVEL);
    ZSTD_CCtx_setParameter (context, ZSTD_c_checksumFlag, 1);
  }
  for (guint64 i = 0; ok && i < count; i++) {
    guint at = shard->len;

    ok = chunks[i] == NULL || append_packed (shard, context, chunks[i], bytes);
    zarr_add_number (index, chunks[i] != NULL ? at : ABSENT);
    zarr_add_number (index, chunks[i] != NULL ? shard->len - at : ABSENT);
  }
  ZSTD_freeCCtx (context);
  if (!ok)
    return NULL;
  sum = GUINT32_TO_LE (oct_zarr_crc32c (index->data, index->len));
  g_byte_array_append (index, (const guint8 *)&sum, sizeof sum);
  g_byte_array_append (shard, index->data, index->len);
  return g_steal_pointer (&shard);
}

/* -------------------------------------------------------------------- files */

gboolean
oct_zarr_path_is_inside (const char *path)
{
  g_auto (GStrv) parts = g_strsplit (path, "/", -1);

  for (guint i = 0; parts[i] != NULL; i++)
    if (*parts[i] == '\0' || strcmp (parts[i], ".") == 0
        || strcmp (parts[i], "..") == 0)
      return FALSE;
  return parts[0] != NULL;
}

int
oct_zarr_open_inside (int folder, const char *path, guint64 *size)
{
  g_auto (GStrv) parts = g_strsplit (path, "/", -1);
  int at = fcntl (folder, F_DUPFD_CLOEXEC, 0);
  struct stat status;

  for (guint i = 0; at >= 0 && parts[i] != NULL; i++) {
    gboolean last = parts[i + 1] == NULL;
    /* a pipe would wait */
    int next = openat (at, parts[i],
        O_RDONLY | O_NOFOLLOW | O_CLOEXEC | (last ? O_NONBLOCK : O_DIRECTORY));
    int code = errno;

    close (at);
    errno = code;
    at = next;
  }
  if (at < 0)
    return -1;
  if (fstat (at, &status) == 0 && S_ISREG (status.st_mode)) {
    *size = (guint64)status.st_size;
    return at;
  }
  close (at);
  errno = EINVAL;
  return -1;
}

/* -------------------------------------------------------------------- store */

struct _OctZarrStore {
  OctZarrArray array;
  int folder;
  gsize bytes;   /* of a chunk */
  guint64 inner; /* chunks of a shard */

  /* the file that was read last */
  char *key; /* NULL: none */
  int fd;    /* -1: it is absent */
  guint64 size;
  guint8 *index; /* of a shard; NULL: it is damaged */
};

OctZarrStore *
oct_zarr_store_new (int folder, const OctZarrArray *array)
{
  OctZarrStore *store = g_new0 (OctZarrStore, 1);

  store->array = *array;
  store->folder = folder;
  store->bytes = oct_zarr_get_chunk_bytes (array);
  store->inner = oct_zarr_count_inner (array);
  store->fd = -1;
  return store;
}

static void
forget_file (OctZarrStore *store)
{
  if (store->fd >= 0)
    close (store->fd);
  store->fd = -1;
  g_clear_pointer (&store->key, g_free);
  g_clear_pointer (&store->index, g_free);
}

void
oct_zarr_store_free (OctZarrStore *store)
{
  if (store == NULL)
    return;
  forget_file (store);
  close (store->folder);
  g_free (store);
}

/* NULL: it is damaged. */
static guint8 *
read_index (const OctZarrStore *store)
{
  gsize entries = (gsize)store->inner * ENTRY;
  gsize bytes = entries + (store->array.index_has_sum ? SUM_BYTES : 0);
  g_autofree guint8 *index = NULL;

  if (bytes > store->size)
    return NULL;
  index = g_malloc (bytes);
  if (oct_file_read (store->fd,
          store->array.index_first ? 0 : store->size - bytes, index, bytes)
          != (gssize)bytes
      || (store->array.index_has_sum
          && oct_zarr_crc32c (index, entries) != get_sum (index + entries)))
    return NULL;
  return g_steal_pointer (&index);
}

static OctZarrFound
open_file (OctZarrStore *store, const guint64 *place)
{
  g_autofree char *key = oct_zarr_make_key (&store->array, place);

  if (g_strcmp0 (key, store->key) != 0) {
    forget_file (store);
    store->fd = oct_zarr_open_inside (store->folder, key, &store->size);
    /* a link, or no right to read it, is not the same as nothing */
    if (store->fd < 0 && errno != ENOENT && errno != ENOTDIR)
      return OCT_ZARR_DAMAGED;
    store->key = g_steal_pointer (&key);
    if (store->fd >= 0 && store->array.sharded)
      store->index = read_index (store);
  }
  if (store->fd < 0)
    return OCT_ZARR_ABSENT;
  return store->array.sharded && store->index == NULL ? OCT_ZARR_DAMAGED
                                                      : OCT_ZARR_THERE;
}

static OctZarrFound
read_packed (OctZarrStore *store, guint64 offset, guint64 size, guint8 *values)
{
  g_autofree guint8 *packed = NULL;

  /* no codec makes more of it, but for its own few bytes */
  if (offset > store->size || size > store->size - offset
      || size > (guint64)store->bytes + store->bytes / 8 + 65536)
    return OCT_ZARR_DAMAGED;
  packed = g_try_malloc (size > 0 ? (gsize)size : 1);
  if (packed == NULL
      || oct_file_read (store->fd, offset, packed, (gsize)size) != (gssize)size)
    return OCT_ZARR_DAMAGED;
  return oct_zarr_unpack (&store->array, packed, (gsize)size, values)
             ? OCT_ZARR_THERE
             : OCT_ZARR_DAMAGED;
}

static void
fill_chunk (const OctZarrStore *store, guint8 *values)
{
  gsize size = oct_stored_get (store->array.stored)->size;

  for (gsize i = 0; i < store->bytes; i += size)
    memcpy (values + i, store->array.fill, size);
}

OctZarrFound
oct_zarr_store_read (OctZarrStore *store, const guint64 *place, guint8 *values)
{
  const OctZarrArray *array = &store->array;
  guint64 file[OCT_ZARR_MAX_DIMS], at = 0, offset = 0, size = 0;
  OctZarrFound found;

  for (guint i = 0; i < array->dims; i++) {
    guint64 inner = array->shard[i] / array->chunk[i];

    file[i] = place[i] / inner;
    at = at * inner + place[i] % inner;
  }
  found = open_file (store, file);
  if (found == OCT_ZARR_THERE && array->sharded) {
    offset = zarr_get_number (store->index + at * ENTRY);
    size = zarr_get_number (store->index + at * ENTRY + 8);
    if (offset == ABSENT && size == ABSENT)
      found = OCT_ZARR_ABSENT;
  } else {
    size = store->size;
  }
  if (found == OCT_ZARR_THERE)
    found = read_packed (store, offset, size, values);
  if (found == OCT_ZARR_ABSENT)
    fill_chunk (store, values);
  return found;
}
