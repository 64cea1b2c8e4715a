/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Zarr version 3 and OME-Zarr 0.5 (ngff.openmicroscopy.org/0.5): a folder, of
 * which the path is given, or that of its zarr.json.  The array of a group is
 * the first, largest one of its image, or that of `dataset`.
 *
 * Chunks are unpacked in blocks: all chunks along the last dimension.  Those
 * read last are kept, as B-scans share them.
 */
#include "oct-formats.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "oct-file-tree.h"
#include "oct-file.h"
#include "oct-layout.h"
#include "oct-zarr.h"

/* Bytes of the blocks that are kept. */
#define MAX_KEPT ((guint64)512 << 20)
/* Files, and B-scans, that are looked for before anything is read. */
#define MAX_PLACES (1u << 24)

#define NEVER_WRITTEN "its chunks were never written"
#define NEVER_CAME "it never came while the store was written"

/* Chunks along the last dimension: [chunk of all others][last dimension]. */
typedef struct {
  guint64 number;  /* in the grid of the dimensions before the last */
  gboolean absent; /* none of its chunks is there */
  guint8 *values;
} Block;

typedef struct {
  char *file;
  OctZarrArray array;
  OctZarrStore *store;
  guint size;        /* bytes of a value */
  guint64 row;       /* values of the last dimension */
  guint64 rows;      /* of a block */
  GPtrArray *blocks; /* kept, the one used last at the end */
  guint most;        /* how many are kept */
  guint8 *chunk;
  guint64 bscan; /* bytes of a B-scan */
} Content;

static void
block_free (gpointer data)
{
  Block *block = data;

  g_free (block->values);
  g_free (block);
}

static void
zarr_close_content (gpointer data)
{
  Content *content = data;

  oct_zarr_store_free (content->store);
  g_ptr_array_unref (content->blocks);
  g_free (content->chunk);
  g_free (content->file);
  g_free (content);
}

/* ------------------------------------------------------------------ reading */

/* Copies a chunk to its columns of the block. */
static void
place_chunk (const Content *content, guint64 column, guint8 *values)
{
  const OctZarrArray *array = &content->array;
  guint64 width = array->chunk[array->dims - 1];
  guint64 from = column * width;
  gsize part = (gsize)(MIN (width, content->row - from) * content->size);

  for (guint64 row = 0; row < content->rows; row++)
    memcpy (values + (row * content->row + from) * content->size,
        content->chunk + row * width * content->size, part);
}

/* FALSE: a chunk is damaged. */
static gboolean
unpack_block (Content *content, Block *block)
{
  const OctZarrArray *array = &content->array;
  guint last = array->dims - 1;
  guint64 place[OCT_ZARR_MAX_DIMS], rest = block->number;
  guint64 columns =
      (array->shape[last] + array->chunk[last] - 1) / array->chunk[last];

  for (guint i = last; i-- > 0;) {
    guint64 count = (array->shape[i] + array->chunk[i] - 1) / array->chunk[i];

    place[i] = rest % count;
    rest /= count;
  }
  block->absent = TRUE;
  for (place[last] = 0; place[last] < columns; place[last]++) {
    OctZarrFound found =
        oct_zarr_store_read (content->store, place, content->chunk);

    if (found == OCT_ZARR_DAMAGED)
      return FALSE;
    block->absent = block->absent && found == OCT_ZARR_ABSENT;
    place_chunk (content, place[last], block->values);
  }
  return TRUE;
}

/* NULL: it is damaged. */
static const Block *
get_block (Content *content, guint64 number)
{
  Block *block;

  for (guint i = content->blocks->len; i-- > 0;) {
    block = content->blocks->pdata[i];
    if (block->number != number)
      continue;
    if (i + 1 < content->blocks->len) {
      (void)g_ptr_array_steal_index (content->blocks, i);
      g_ptr_array_add (content->blocks, block);
    }
    return block;
  }
  if (content->blocks->len >= content->most)
    block = g_ptr_array_steal_index (content->blocks, 0);
  else
    block = g_new0 (Block, 1);
  if (block->values == NULL)
    block->values =
        g_try_malloc ((gsize)(content->rows * content->row * content->size));
  block->number = number;
  if (block->values != NULL && unpack_block (content, block)) {
    g_ptr_array_add (content->blocks, block);
    return block;
  }
  block_free (block);
  return NULL;
}

/* Which block a row of the array is in, and which row of that. */
static guint64
find_row (const Content *content, guint64 row, guint64 *number)
{
  const OctZarrArray *array = &content->array;
  guint64 within = 0, step = 1, blocks = 1;

  *number = 0;
  for (guint i = array->dims - 1; i-- > 0;) {
    guint64 at = row % array->shape[i];

    row /= array->shape[i];
    within += at % array->chunk[i] * step;
    step *= array->chunk[i];
    *number += at / array->chunk[i] * blocks;
    blocks *= (array->shape[i] + array->chunk[i] - 1) / array->chunk[i];
  }
  return within;
}

/* Bytes of the values from `offset` on; *absent: no chunk of them is there. */
static gboolean
zarr_read_values (Content *content, guint64 offset, guint8 *dest, gsize size,
    gboolean *absent)
{
  guint64 row_bytes = content->row * content->size;

  *absent = TRUE;
  while (size > 0) {
    guint64 at = offset % row_bytes, number, row;
    gsize part = (gsize)MIN (size, row_bytes - at);
    const Block *block;

    row = find_row (content, offset / row_bytes, &number);
    block = get_block (content, number);
    if (block == NULL)
      return FALSE;
    *absent = *absent && block->absent;
    memcpy (dest, block->values + row * row_bytes + at, part);
    dest += part;
    offset += part;
    size -= part;
  }
  return TRUE;
}

static gboolean
zarr_fetch (gpointer data, guint64 offset, gpointer dest, gsize size)
{
  gboolean absent;

  return zarr_read_values (data, offset, dest, size, &absent);
}

static gboolean
zarr_read_bscan (gpointer data, guint64 frame, gpointer values, GError **error)
{
  Content *content = data;
  gboolean absent;

  if (!zarr_read_values (content, frame * content->bscan, values,
          (gsize)content->bscan, &absent))
    return oct_missing_set_unread (
        content->file, frame, OCT_MISSING_DAMAGED, error);
  if (!absent)
    return TRUE;
  return oct_missing_set_unread (
      content->file, frame, NEVER_WRITTEN "; copy the folder again", error);
}

static const OctContainer container = { zarr_read_bscan, zarr_close_content,
  TRUE };

/* ------------------------------------------------------- chunks that are there
 */

typedef struct {
  const OctZarrArray *array;
  guint64 files;
  char *link;    /* in place of a folder of them, or NULL */
  guint8 *there; /* [places] of files in the dimensions before the last
                        two, or NULL */
} Look;

static guint
count_leading (const OctZarrArray *array)
{
  return array->dims > 2 ? array->dims - 2 : 0;
}

/* Whether a name that is not a key is the beginning of one, "c/0". */
static gboolean
is_folder_of_keys (const OctZarrArray *array, const char *path)
{
  if (array->separator != '/')
    return FALSE;
  if (array->has_prefix && (path[0] != 'c' || (path[1] != '/' && path[1] != 0)))
    return FALSE;
  return strspn (path + array->has_prefix, "/0123456789")
         == strlen (path + array->has_prefix);
}

static int
look_at_key (int folder, const char *base, const char *path, gboolean is_folder,
    gpointer data)
{
  Look *look = data;
  const OctZarrArray *array = look->array;
  guint64 place[OCT_ZARR_MAX_DIMS], at = 0;

  if (is_folder)
    return 0;
  if (!oct_zarr_parse_key (array, path, place)) {
    struct stat about;

    if (look->link == NULL && is_folder_of_keys (array, path)
        && fstatat (folder, base, &about, AT_SYMLINK_NOFOLLOW) == 0
        && S_ISLNK (about.st_mode))
      look->link = g_strdup (path);
    return 0;
  }
  look->files++;
  for (guint i = 0; i < count_leading (array); i++)
    at = at * ((array->shape[i] - 1) / array->shard[i] + 1) + place[i];
  if (look->there != NULL)
    look->there[at] = 1;
  return 0;
}

/* Notes B-scans without a file; they follow each other as in the array. */
static void
note_absent (OctOpening *opening, const Look *look, guint64 frames)
{
  const OctZarrArray *array = look->array;
  guint leading = count_leading (array);
  guint64 first = 0; /* of those without a file that follow each other */

  for (guint64 frame = 0; frame < frames; frame++) {
    guint64 rest = frame, at = 0, step = 1;

    for (guint i = leading; i-- > 0;) {
      at += rest % array->shape[i] / array->shard[i] * step;
      step *= (array->shape[i] - 1) / array->shard[i] + 1;
      rest /= array->shape[i];
    }
    if (look->there[at] == 0)
      continue;
    if (first < frame)
      oct_missing_add (opening->missing, first, frame - first, NEVER_WRITTEN);
    first = frame + 1;
  }
  if (first < frames)
    oct_missing_add (opening->missing, first, frames - first, NEVER_WRITTEN);
}

/* A few bytes can announce any number of B-scans. */
static gboolean
find_absent (
    OctOpening *opening, const Content *content, int folder, GError **error)
{
  const OctZarrArray *array = &content->array;
  Look look = { .array = array };
  guint64 frames = opening->info.announced, places = 1, most, values = 1;
  guint64 bscan = (guint64)opening->info.lines * opening->info.samples;
  gboolean plain = opening->container == &container && array->dims > 2
                   && opening->info.samples == array->shape[array->dims - 1]
                   && opening->info.lines == array->shape[array->dims - 2];
  g_autofree guint8 *there = NULL;
  g_autofree char *link = NULL;
  int failed;

  for (guint i = 0; i < count_leading (array); i++)
    if (!g_uint64_checked_mul (
            &places, places, (array->shape[i] - 1) / array->shard[i] + 1)
        || places > MAX_PLACES) {
      plain = FALSE;
      break;
    }
  if (plain)
    there = look.there = g_malloc0 ((gsize)places);
  /* what cannot be listed cannot be read, and reading says why */
  failed = oct_file_tree_walk (folder, ".", look_at_key, &look);
  link = look.link;
  if (link != NULL) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_FORMAT,
        "%s has a link '%s' in place of a folder of its chunks, and links in a "
        "store are not followed; copy it with the files themselves (cp -rL)",
        opening->file, link);
    return FALSE;
  }
  if (failed != 0)
    return oct_opening_check_present (opening, frames, 0, error);
  for (guint i = 0; i < array->dims; i++)
    if (!g_uint64_checked_mul (
            &values, values, MIN (array->shard[i], array->shape[i])))
      values = G_MAXUINT64 / 2;
  if (!g_uint64_checked_mul (&most, look.files, values / bscan + 1))
    most = frames;
  if (!oct_opening_check_present (opening, frames, MIN (most, frames), error))
    return FALSE;
  /* of more, each is found when it is read */
  if (plain && frames <= MAX_PLACES)
    note_absent (opening, &look, frames);
  return TRUE;
}

/* ------------------------------------------------------------------ opening */

/* The text of a zarr.json in a folder; NULL with an error. */
static char *
zarr_read_text (
    const OctOpening *opening, int folder, gsize *size, GError **error)
{
  guint64 bytes = 0;
  int fd = oct_zarr_open_inside (folder, OCT_ZARR_METADATA, &bytes);
  g_autofree char *text = NULL;
  gssize got = -1;

  if (fd >= 0 && bytes <= OCT_ZARR_MAX_TEXT) {
    text = g_malloc ((gsize)bytes + 1);
    got = oct_file_read (fd, 0, text, (gsize)bytes);
  }
  if (fd >= 0)
    close (fd);
  if (got >= 0) {
    text[got] = '\0';
    *size = (gsize)got;
    return g_steal_pointer (&text);
  }
  g_set_error (error, OCT_ERROR, OCT_ERROR_FORMAT,
      "%s is a Zarr store whose array has no " OCT_ZARR_METADATA
      " of at most 1 MB that can be read; copy the whole folder again",
      opening->file);
  return NULL;
}

/* Opens the folder of the array that is meant; -1 with an error. */
static int
open_folder_of (
    const OctOpening *opening, int root, const char *path, GError **error)
{
  g_auto (GStrv) parts = g_strsplit (path, "/", -1);
  g_autofree char *shown = oct_array_show_name (path);
  int at = fcntl (root, F_DUPFD_CLOEXEC, 0);

  for (guint i = 0; at >= 0 && parts[i] != NULL; i++) {
    int next =
        openat (at, parts[i], O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

    close (at);
    at = next;
  }
  if (at < 0)
    g_set_error (error, OCT_ERROR, OCT_ERROR_FORMAT,
        "%s has no folder '%s' in it, where its array should be; copy the "
        "whole folder again, or set `dataset` to the path of an array",
        opening->file, shown);
  return at;
}

/* Metres from an A-line and a B-scan to the next, if the image has them.  A-lines
 * are the rows of spectra and the columns of images. */
static void
take_spacing (
    OctOpening *opening, const OctZarrArray *array, const OctZarrImage *image)
{
  if (image->dims != array->dims || array->dims < 3
      || opening->info.lines != array->shape[array->dims - 2]
      || opening->info.samples != array->shape[array->dims - 1])
    return;
  opening->info.x_spacing =
      image->scale[array->dims - (image->has_images ? 1 : 2)];
  opening->info.y_spacing = image->scale[array->dims - 3];
}

/* The B-scans that the image names as missing.  Their chunks may be there, as
 * they hold other B-scans, too. */
static void
zarr_take_missing (
    OctOpening *opening, const OctZarrArray *array, const OctZarrImage *image)
{
  guint64 frames = opening->info.announced;

  if (image->missing == NULL || image->dims != array->dims || array->dims < 3
      || frames != array->shape[array->dims - 3])
    return;
  for (guint i = 0; i < image->missing->len; i++) {
    const OctZarrRun *run = &g_array_index (image->missing, OctZarrRun, i);

    if (run->first < frames)
      oct_missing_add (opening->missing, run->first,
          MIN (run->last, frames - 1) - run->first + 1, NEVER_CAME);
  }
}

/* `folder` is that of the array, and taken. */
static gboolean
open_array (OctOpening *opening, int folder, const OctZarrArray *array,
    const OctZarrImage *image, GError **error)
{
  Content *content = g_new0 (Content, 1);
  guint last = array->dims - 1;
  OctArray found = { 0 };
  OctShape shape = { 0 };
  g_autofree char *text = NULL;
  guint64 bytes;

  opening->container = &container;
  opening->content = content;
  opening->stored = array->stored;
  content->file = g_strdup (opening->file);
  content->array = *array;
  content->store = oct_zarr_store_new (folder, array);
  content->blocks = g_ptr_array_new_with_free_func (block_free);
  content->size = oct_stored_get (array->stored)->size;
  content->row = array->shape[last];
  content->rows =
      oct_zarr_get_chunk_bytes (array) / content->size / array->chunk[last];
  oct_array_set_shape (&found, array->dims, array->shape);
  if (found.why_not != NULL
      || !g_uint64_checked_mul (
          &bytes, content->rows * content->size, content->row)
      || bytes > MAX_KEPT) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_FORMAT,
        "%s is a Zarr store whose array %s, and cannot be read; save it with "
        "two to five dimensions, and chunks of fewer B-scans",
        opening->file,
        found.why_not != NULL ? found.why_not
                              : "needs more than 512 MB for one row of chunks");
    return FALSE;
  }
  content->most = (guint)CLAMP (MAX_KEPT / bytes, 1, 4096);
  content->chunk = g_malloc (oct_zarr_get_chunk_bytes (array));
  shape.text = text = oct_array_describe_shape (&found, FALSE);
  shape.dims = found.dims;
  memcpy (shape.lengths, found.shape, sizeof shape.lengths);
  if (!oct_opening_take_array (opening, &shape, zarr_fetch, error))
    return FALSE;
  content->bscan =
      (guint64)opening->info.lines * opening->info.samples * content->size;
  take_spacing (opening, array, image);
  zarr_take_missing (opening, array, image);
  return find_absent (opening, content, folder, error);
}

/* Takes `root`, the folder of the store. */
static gboolean
open_store (OctOpening *opening, int root, GError **error)
{
  const OctReaderSettings *settings = opening->settings;
  const char *wanted =
      settings->dataset != NULL ? settings->dataset : settings->variable;
  g_autofree char *text = NULL;
  gsize size = 0;
  OctZarrNode node = OCT_ZARR_IS_GROUP;
  OctZarrArray array;
  OctZarrImage image = { 0 };
  g_autofree char *path = NULL;
  g_autoptr (GArray) missing = NULL;
  gboolean ok = (text = zarr_read_text (opening, root, &size, error)) != NULL
                && oct_zarr_parse (
                    opening->file, text, size, &node, &array, &image, error);
  int folder = -1;

  path = g_steal_pointer (&image.path);
  missing = image.missing;
  if (ok && wanted != NULL && node == OCT_ZARR_IS_GROUP) {
    if (g_strcmp0 (path, wanted) != 0)
      image.dims = 0;
    g_free (path);
    path = g_strdup (wanted + (*wanted == '/'));
  }
  if (ok && node == OCT_ZARR_IS_ARRAY) {
    ok = oct_opening_check_no_names (opening, error);
    folder = ok ? root : -1;
  } else if (ok && (path == NULL || !oct_zarr_path_is_inside (path))) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "%s is a Zarr group without an image of OME-Zarr 0.5, or `dataset` "
        "leads out of it; set `dataset` to the path of an array in it",
        opening->file);
    ok = FALSE;
  } else if (ok) {
    OctZarrImage none = { 0 };

    g_clear_pointer (&text, g_free);
    folder = open_folder_of (opening, root, path, error);
    ok = folder >= 0
         && (text = zarr_read_text (opening, folder, &size, error)) != NULL
         && oct_zarr_parse (
             opening->file, text, size, &node, &array, &none, error);
    g_free (none.path);
    g_clear_pointer (&none.missing, g_array_unref);
    if (ok && node != OCT_ZARR_IS_ARRAY) {
      g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
          "%s has a group where an array is expected; set `dataset` to the "
          "path of an array in it",
          opening->file);
      ok = FALSE;
    }
  }
  if (folder != root)
    close (root);
  if (ok)
    return open_array (opening, folder, &array, &image, error);
  if (folder >= 0)
    close (folder);
  return FALSE;
}

gboolean
oct_format_open_zarr (OctOpening *opening, GError **error)
{
  g_autofree char *parent = g_path_get_dirname (opening->path);
  const char *path =
      g_file_test (opening->path, G_FILE_TEST_IS_DIR) ? opening->path : parent;
  int root;

  if (!oct_opening_check_raw_only (opening, "a Zarr store", error))
    return FALSE;
  root = open (path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (root >= 0)
    return open_store (opening, root, error);
  g_set_error (error, OCT_ERROR, OCT_ERROR_READ,
      "%s is in a folder that cannot be read (%s); allow it", opening->file,
      g_strerror (errno));
  return FALSE;
}
