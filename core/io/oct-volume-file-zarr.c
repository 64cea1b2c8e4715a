/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * OME-Zarr 0.5 (ngff.openmicroscopy.org/0.5): axes t z y x, of which z is the
 * B-scans, y the depth and x the A-lines; pictures en face follow each other
 * along t.  Written while it is scanned: as soon as SLAB B-scans that follow
 * each other are there, they are on the disk as a shard of each level.
 *
 * Each level halves y and x of the one before it: a pixel is the mean of the
 * two by two pixels that it covers, rounded to the nearest whole number (a half
 * up) in images, and of those that there are at an odd end.  B-scans are not
 * averaged: their distance is often larger than that of A-lines, and they may
 * be repeated.
 */
#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "oct-file-mode.h"
#include "oct-file-tree.h"
#include "oct-volume-file-kinds.h"
#include "oct-zarr.h"

#define DIMS 4
/* B-scans of a shard and of its chunks; rows and columns of a chunk. */
#define SLAB 16
#define TILE 128
#define MAX_LEVELS 6
/* Pixels along an axis of the smallest level at most. */
#define SMALL 256
/* Slabs under way: those of B-scans in any order go to the disk and come
 * back. */
#define MAX_OPEN 4

typedef struct {
  OctZarrArray array;
  guint rows, columns;
  char *path; /* its folder */
} Level;

typedef struct {
  guint number, bscans;
  guint stored;
  guint8 there[SLAB];
  guint8 *levels[MAX_LEVELS]; /* [bscans][rows][columns] */
} Slab;

typedef struct {
  OctVolumeFileInfo info;
  char *quantity, *unit; /* of `info`, which may go */
  char *part, *path;
  guint mode;
  guint slices; /* of the view: the dimension along which there are B-scans */
  guint rows, columns, size;
  guint n_levels;
  Level levels[MAX_LEVELS];
  GPtrArray *open; /* Slab, the one begun first at the beginning */
  guint8 *there;   /* [bscans] that have come */
  guint8 *written; /* [slabs] that are on the disk, in part perhaps */
} Zarr;

static void
slab_free (gpointer data)
{
  Slab *slab = data;

  for (guint i = 0; i < MAX_LEVELS; i++)
    g_free (slab->levels[i]);
  g_free (slab);
}

static void
zarr_free (Zarr *zarr)
{
  for (guint i = 0; i < zarr->n_levels; i++)
    g_free (zarr->levels[i].path);
  g_ptr_array_unref (zarr->open);
  g_free (zarr->there);
  g_free (zarr->written);
  g_free (zarr->quantity);
  g_free (zarr->unit);
  g_free (zarr->part);
  g_free (zarr->path);
  g_free (zarr);
}

/* ----------------------------------------------------------------- metadata */

static void
add_word (GString *text, const char *word)
{
  g_autofree char *valid = g_utf8_make_valid (word, -1);

  g_string_append_c (text, '"');
  for (const char *c = valid; *c != '\0'; c++)
    if (*c == '"' || *c == '\\')
      g_string_append_printf (text, "\\%c", *c);
    else if ((guchar)*c < 0x20)
      g_string_append_printf (text, "\\u%04x", (guint)*c);
    else
      g_string_append_c (text, *c);
  g_string_append_c (text, '"');
}

static void
add_double (GString *text, double number)
{
  char buffer[G_ASCII_DTOSTR_BUF_SIZE];

  g_string_append (
      text, g_ascii_formatd (buffer, sizeof buffer, "%.9g", number));
}

static void
add_lengths (GString *text, const guint64 *lengths)
{
  for (guint i = 0; i < DIMS; i++)
    g_string_append_printf (
        text, "%s%" G_GUINT64_FORMAT, i > 0 ? ", " : "[", lengths[i]);
  g_string_append_c (text, ']');
}

/* From an index of each axis to the next, s and micrometres; 0: not known, or
 * not a number of any level. */
static void
get_scale (const Zarr *zarr, double *scale)
{
  const OctVolumeFileInfo *info = &zarr->info;
  gboolean is_enface = info->view == OCT_VOLUME_VIEW_ENFACE;

  scale[0] = is_enface ? 0.0 : info->bscan_time * info->bscans;
  scale[1] = is_enface ? 0.0 : info->y_spacing * 1e6;
  scale[2] = (is_enface ? info->y_spacing : info->z_spacing) * 1e6;
  scale[3] = info->x_spacing * 1e6;
  for (guint i = 0; i < DIMS; i++)
    if (!(scale[i] > 0.0) || !isfinite (scale[i] * (1u << MAX_LEVELS)))
      scale[i] = 0.0;
}

static void
add_axes (GString *text, const double *scale)
{
  static const char *const names[DIMS] = { "t", "z", "y", "x" };

  g_string_append (text, "      \"axes\": [");
  for (guint i = 0; i < DIMS; i++)
    g_string_append_printf (text, "%s{\"name\": \"%s\", \"type\": \"%s\"%s}",
        i > 0 ? ", " : "", names[i], i == 0 ? "time" : "space",
        scale[i] == 0.0 ? ""
        : i == 0        ? ", \"unit\": \"second\""
                        : ", \"unit\": \"micrometer\"");
  g_string_append (text, "],\n");
}

/* The middle of a pixel of level n is that of the 2^n it covers. */
static void
add_datasets (GString *text, const Zarr *zarr, const double *scale)
{
  g_string_append (text, "      \"datasets\": [");
  for (guint n = 0; n < zarr->n_levels; n++) {
    g_string_append_printf (text,
        "%s\n        {\"path\": \"%u\", \"coordinateTransformations\": [\n"
        "          {\"type\": \"scale\", \"scale\": [",
        n > 0 ? "," : "", n);
    for (guint i = 0; i < DIMS; i++) {
      g_string_append (text, i > 0 ? ", " : "");
      add_double (text,
          (scale[i] > 0.0 ? scale[i] : 1.0) * (i >= 2 ? (double)(1u << n) : 1));
    }
    g_string_append (text, "]}");
    if (n > 0) {
      g_string_append (text,
          ",\n          {\"type\": \"translation\", \"translation\": [0, 0");
      for (guint i = 2; i < DIMS; i++) {
        g_string_append (text, ", ");
        add_double (text, (scale[i] > 0.0 ? scale[i] : 1.0)
                              * ((double)(1u << n) - 1.0) / 2.0);
      }
      g_string_append (text, "]}");
    }
    g_string_append (text, "]}");
  }
  g_string_append (text, "],\n");
}

/* Runs of B-scans that have not come: [[first, last], ...]. */
static void
add_missing (GString *text, const Zarr *zarr)
{
  const char *before = "";

  g_string_append (text, "\"missing\": [");
  for (guint i = 0; i < zarr->info.bscans; i++) {
    guint first = i;

    if (zarr->there[i] != 0)
      continue;
    while (i + 1 < zarr->info.bscans && zarr->there[i + 1] == 0)
      i++;
    g_string_append_printf (text, "%s[%u, %u]", before, first, i);
    before = ", ";
  }
  g_string_append_c (text, ']');
}

/* The facts for which OME-Zarr has no words. */
static void
add_oct (GString *text, const Zarr *zarr, gboolean complete)
{
  const OctVolumeFileInfo *info = &zarr->info;

  g_string_append_printf (text,
      "    \"oct\": {\"writer\": \"gst-oct\", \"content\": \"%s\", "
      "\"axes\": %s, \"complete\": %s",
      info->voxel == OCT_SAMPLE_F32 ? "values" : "images",
      info->view == OCT_VOLUME_VIEW_ENFACE
          ? "[\"picture\", \"none\", \"B-scan\", \"A-line\"]"
          : "[\"volume\", \"B-scan\", \"depth\", \"A-line\"]",
      complete ? "true" : "false");
  if (info->repeats > 1)
    g_string_append_printf (text, ", \"repeats\": %u", info->repeats);
  if (info->refractive_index > 0.0) {
    g_string_append (text, ", \"refractive_index\": ");
    add_double (text, info->refractive_index);
  }
  if (zarr->quantity != NULL) {
    g_string_append (text, ", \"quantity\": ");
    add_word (text, zarr->quantity);
    g_string_append (text, ", \"unit\": ");
    add_word (text, zarr->unit != NULL ? zarr->unit : "1");
  }
  /* while it is written, chunks that are not there say it */
  if (complete) {
    g_string_append (text, ", ");
    add_missing (text, zarr);
  }
  g_string_append (text, "}\n");
}

static char *
make_group_text (const Zarr *zarr, gboolean complete)
{
  g_autofree char *name = g_path_get_basename (zarr->path);
  g_autoptr (GString) text =
      g_string_new ("{\n  \"zarr_format\": 3,\n  \"node_type\": \"group\",\n"
                    "  \"attributes\": {\n    \"ome\": {\"version\": \"0.5\", "
                    "\"multiscales\": [{\n      \"name\": ");
  double scale[DIMS];

  get_scale (zarr, scale);
  add_word (text, name);
  g_string_append (text, ",\n");
  add_axes (text, scale);
  add_datasets (text, zarr, scale);
  g_string_append (text,
      "      \"type\": \"mean\",\n      \"metadata\": {\"description\": \"the "
      "mean of 2 by 2 pixels of y and x of the level before\"}\n    }]},\n");
  add_oct (text, zarr, complete);
  g_string_append (text, "  }\n}\n");
  return g_string_free (g_steal_pointer (&text), FALSE);
}

static char *
make_array_text (const Zarr *zarr, const OctZarrArray *array)
{
  static const char *const types[] = { [OCT_SAMPLE_U8] = "uint8",
    [OCT_SAMPLE_U16] = "uint16",
    [OCT_SAMPLE_F32] = "float32" };
  g_autoptr (GString) text = g_string_new (
      "{\n  \"zarr_format\": 3,\n  \"node_type\": \"array\",\n  \"shape\": ");

  add_lengths (text, array->shape);
  g_string_append_printf (text,
      ",\n  \"data_type\": \"%s\",\n  \"chunk_grid\": {\"name\": \"regular\", "
      "\"configuration\": {\"chunk_shape\": ",
      types[zarr->info.voxel]);
  add_lengths (text, array->shard);
  g_string_append (text,
      "}},\n  \"chunk_key_encoding\": {\"name\": \"default\", "
      "\"configuration\": {\"separator\": \"/\"}},\n  \"fill_value\": 0,\n"
      "  \"codecs\": [{\"name\": \"sharding_indexed\", \"configuration\": {\n"
      "    \"chunk_shape\": ");
  add_lengths (text, array->chunk);
  g_string_append (text,
      ",\n    \"codecs\": [{\"name\": \"bytes\", \"configuration\": "
      "{\"endian\": \"little\"}}, {\"name\": \"zstd\", \"configuration\": "
      "{\"level\": 1, \"checksum\": true}}],\n    \"index_codecs\": "
      "[{\"name\": "
      "\"bytes\", \"configuration\": {\"endian\": \"little\"}}, {\"name\": "
      "\"crc32c\"}],\n    \"index_location\": \"end\"}}],\n"
      "  \"dimension_names\": [\"t\", \"z\", \"y\", \"x\"],\n"
      "  \"attributes\": {}\n}\n");
  return g_string_free (g_steal_pointer (&text), FALSE);
}

static gboolean
write_text (const Zarr *zarr, const char *folder, char *text, GError **error)
{
  g_autofree char *path = g_build_filename (folder, OCT_ZARR_METADATA, NULL);
  int code =
      oct_file_replace (path, text, strlen (text), (int)(zarr->mode & 0666));

  g_free (text);
  if (code != 0)
    oct_volume_file_set_error (error, zarr->part, code);
  return code == 0;
}

/* ------------------------------------------------------------------ opening */

/* Readers of the files may look into the folders. */
static int
zarr_make_folder (const Zarr *zarr, const char *path)
{
  guint mode = (zarr->mode & 0666) | ((zarr->mode & 0444) >> 2);

  if (g_mkdir (path, 0700) != 0)
    return errno;
  /* file systems without permissions have their own */
  (void)chmod (path, (mode_t)(mode | 0700));
  return 0;
}

static void
set_level (Zarr *zarr, guint n)
{
  Level *level = &zarr->levels[n];
  OctZarrArray *array = &level->array;
  guint bscans = zarr->info.bscans;

  level->rows = n == 0 ? zarr->rows : (zarr->levels[n - 1].rows + 1) / 2;
  level->columns =
      n == 0 ? zarr->columns : (zarr->levels[n - 1].columns + 1) / 2;
  level->path = g_strdup_printf ("%s%c%u", zarr->part, G_DIR_SEPARATOR, n);
  array->dims = DIMS;
  for (guint i = 0; i < 2; i++) {
    array->shape[i] = i == zarr->slices ? bscans : 1;
    array->shard[i] = array->chunk[i] =
        i == zarr->slices ? MIN (SLAB, bscans) : 1;
  }
  array->shape[2] = level->rows;
  array->shape[3] = level->columns;
  for (guint i = 2; i < DIMS; i++) {
    array->chunk[i] = MIN (TILE, array->shape[i]);
    array->shard[i] = (array->shape[i] + array->chunk[i] - 1) / array->chunk[i]
                      * array->chunk[i];
  }
  (void)oct_stored_find (zarr->info.voxel == OCT_SAMPLE_F32 ? 'f' : 'u',
      zarr->size, FALSE, &array->stored);
  array->sharded = array->index_has_sum = array->has_prefix = TRUE;
  array->separator = '/';
  array->n_codecs = 1;
  array->codecs[0] = OCT_ZARR_ZSTD;
}

static void
set_levels (Zarr *zarr)
{
  do {
    set_level (zarr, zarr->n_levels++);
  } while (zarr->n_levels < MAX_LEVELS
           && MAX (zarr->levels[zarr->n_levels - 1].rows,
                  zarr->levels[zarr->n_levels - 1].columns)
                  > SMALL);
}

/* All that is in it before the first B-scan. */
static gboolean
write_beginning (Zarr *zarr, GError **error)
{
  for (guint n = 0; n < zarr->n_levels; n++) {
    int code = zarr_make_folder (zarr, zarr->levels[n].path);

    if (code != 0) {
      oct_volume_file_set_error (error, zarr->part, code);
      return FALSE;
    }
    if (!write_text (zarr, zarr->levels[n].path,
            make_array_text (zarr, &zarr->levels[n].array), error))
      return FALSE;
  }
  return write_text (zarr, zarr->part, make_group_text (zarr, FALSE), error);
}

static gpointer
zarr_open (
    const char *path, const OctVolumeFileInfo *info, guint mode, GError **error)
{
  Zarr *zarr = g_new0 (Zarr, 1);
  gboolean turned = info->voxel == OCT_SAMPLE_F32;
  int code;

  zarr->info = *info;
  zarr->quantity = g_strdup (info->quantity);
  zarr->unit = g_strdup (info->unit);
  zarr->path = g_strdup (path);
  zarr->part = g_strconcat (path, ".part", NULL);
  zarr->mode = mode;
  zarr->slices = info->view == OCT_VOLUME_VIEW_ENFACE ? 0 : 1;
  zarr->rows = turned ? info->columns : info->rows;
  zarr->columns = turned ? info->rows : info->columns;
  zarr->size = (guint)oct_sample_format_size (info->voxel);
  zarr->open = g_ptr_array_new_with_free_func (slab_free);
  zarr->there = g_malloc0 (info->bscans);
  zarr->written = g_malloc0 ((info->bscans + SLAB - 1) / SLAB);
  set_levels (zarr);
  code = zarr_make_folder (zarr, zarr->part);
  if (code == 0 && write_beginning (zarr, error))
    return zarr;
  /* a folder that is there is another writer's, which has just begun it */
  if (code == 0)
    (void)oct_file_tree_remove (AT_FDCWD, zarr->part);
  else
    oct_volume_file_set_error (error, zarr->part, code);
  zarr_free (zarr);
  return NULL;
}

/* -------------------------------------------------------------------- slabs */

static gsize
get_slice_size (const Zarr *zarr, guint n)
{
  return (gsize)zarr->levels[n].rows * zarr->levels[n].columns * zarr->size;
}

/* Copies between a slab [bscan][row][column] and a chunk of it, whose end may
 * lie outside. */
static void
copy_chunk (const Zarr *zarr, const Slab *slab, guint n, guint row,
    guint column, guint8 *chunk, gboolean to_chunk)
{
  const Level *level = &zarr->levels[n];
  gsize width = (gsize)level->array.chunk[3] * zarr->size;
  gsize line = (gsize)level->columns * zarr->size;
  guint rows = (guint)MIN (level->array.chunk[2], level->rows - row);
  gsize part =
      MIN (level->array.chunk[3], level->columns - column) * zarr->size;

  for (guint i = 0; i < slab->bscans; i++)
    for (guint y = 0; y < rows; y++) {
      guint8 *inside = slab->levels[n] + i * get_slice_size (zarr, n)
                       + (row + y) * line + (gsize)column * zarr->size;
      guint8 *outside = chunk + (i * level->array.chunk[2] + y) * width;

      if (to_chunk)
        memcpy (outside, inside, part);
      else
        memcpy (inside, outside, part);
    }
}

/* Chunks of a level, in the order of the index: `visit` gets each. */
static guint
count_chunks (const Level *level)
{
  return (guint)oct_zarr_count_inner (&level->array);
}

static void
find_chunk (const Level *level, guint i, guint *row, guint *column)
{
  guint columns = (guint)(level->array.shard[3] / level->array.chunk[3]);

  *row = i / columns * (guint)level->array.chunk[2];
  *column = i % columns * (guint)level->array.chunk[3];
}

static GByteArray *
pack_slab (const Zarr *zarr, const Slab *slab, guint n)
{
  const Level *level = &zarr->levels[n];
  gsize bytes = oct_zarr_get_chunk_bytes (&level->array);
  guint count = count_chunks (level);
  g_autofree guint8 *values = g_try_malloc0 (bytes * count);
  g_autofree guint8 **chunks = g_new (guint8 *, count);

  if (values == NULL)
    return NULL;
  for (guint i = 0; i < count; i++) {
    guint row, column;

    chunks[i] = values + i * bytes;
    find_chunk (level, i, &row, &column);
    copy_chunk (zarr, slab, n, row, column, chunks[i], TRUE);
  }
  return oct_zarr_pack_shard (&level->array, chunks, count);
}

/* The path of a shard, whose folders are made. */
static char *
make_shard_path (const Zarr *zarr, guint n, guint number, int *code)
{
  guint64 place[DIMS] = { 0 };
  g_autofree char *key = NULL;
  g_auto (GStrv) parts = NULL;
  g_autoptr (GString) path = g_string_new (zarr->levels[n].path);

  place[zarr->slices] = number;
  key = oct_zarr_make_key (&zarr->levels[n].array, place);
  parts = g_strsplit (key, "/", -1);
  *code = 0;
  for (guint i = 0; parts[i] != NULL; i++) {
    g_string_append_printf (path, "%c%s", G_DIR_SEPARATOR, parts[i]);
    if (parts[i + 1] != NULL && *code == 0) {
      *code = zarr_make_folder (zarr, path->str);
      if (*code == EEXIST)
        *code = 0;
    }
  }
  return g_string_free (g_steal_pointer (&path), FALSE);
}

/* Takes its slab off the list, whole or not. */
static gboolean
write_slab (Zarr *zarr, Slab *slab, GError **error)
{
  for (guint n = 0; n < zarr->n_levels; n++) {
    g_autoptr (GByteArray) shard = pack_slab (zarr, slab, n);
    int code = 0;
    g_autofree char *path = make_shard_path (zarr, n, slab->number, &code);

    if (shard == NULL) {
      g_set_error (error, OCT_ERROR, OCT_ERROR_MEMORY,
          "%u B-scans of %u x %u pixels do not fit the memory while they are "
          "packed; deliver less of the depth (`depth-bins`)",
          slab->bscans, zarr->rows, zarr->columns);
      return FALSE;
    }
    if (code == 0)
      code = oct_file_replace (
          path, shard->data, shard->len, (int)(zarr->mode & 0666));
    if (code != 0) {
      oct_volume_file_set_error (error, zarr->part, code);
      return FALSE;
    }
  }
  zarr->written[slab->number] = 1;
  g_ptr_array_remove (zarr->open, slab);
  return TRUE;
}

/* B-scans that were written before others of the slab came. */
static gboolean
load_slab (const Zarr *zarr, Slab *slab, GError **error)
{
  for (guint n = 0; n < zarr->n_levels; n++) {
    const Level *level = &zarr->levels[n];
    int folder =
        open (level->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    OctZarrStore *store;
    g_autofree guint8 *chunk =
        g_malloc (oct_zarr_get_chunk_bytes (&level->array));
    OctZarrFound found = OCT_ZARR_THERE;

    if (folder < 0) {
      oct_volume_file_set_error (error, zarr->part, errno);
      return FALSE;
    }
    store = oct_zarr_store_new (folder, &level->array);
    for (guint i = 0; found == OCT_ZARR_THERE && i < count_chunks (level);
         i++) {
      guint64 place[DIMS] = { 0 };
      guint row, column;

      find_chunk (level, i, &row, &column);
      place[zarr->slices] = slab->number;
      place[2] = row / level->array.chunk[2];
      place[3] = column / level->array.chunk[3];
      found = oct_zarr_store_read (store, place, chunk);
      copy_chunk (zarr, slab, n, row, column, chunk, FALSE);
    }
    oct_zarr_store_free (store);
    if (found != OCT_ZARR_THERE) {
      oct_volume_file_set_error (error, zarr->part, EIO);
      return FALSE;
    }
  }
  return TRUE;
}

/* The slab of a B-scan, begun if it is not under way.  NULL with an error. */
static Slab *
get_slab (Zarr *zarr, guint bscan, GError **error)
{
  guint number = bscan / SLAB, first = number * SLAB;
  gboolean has_memory = TRUE;
  Slab *slab;

  for (guint i = 0; i < zarr->open->len; i++) {
    slab = zarr->open->pdata[i];
    if (slab->number == number)
      return slab;
  }
  if (zarr->open->len >= MAX_OPEN
      && !write_slab (zarr, zarr->open->pdata[0], error))
    return NULL;
  slab = g_new0 (Slab, 1);
  slab->number = number;
  slab->bscans = MIN (SLAB, zarr->info.bscans - first);
  g_ptr_array_add (zarr->open, slab);
  for (guint n = 0; n < zarr->n_levels; n++) {
    slab->levels[n] = g_try_malloc0_n (slab->bscans, get_slice_size (zarr, n));
    has_memory = has_memory && slab->levels[n] != NULL;
  }
  for (guint i = 0; i < slab->bscans; i++) {
    slab->there[i] = zarr->there[first + i];
    slab->stored += slab->there[i];
  }
  if (!has_memory)
    g_set_error (error, OCT_ERROR, OCT_ERROR_MEMORY,
        "%u B-scans of %u x %u pixels do not fit the memory; deliver less of "
        "the depth (`depth-bins`)",
        slab->bscans, zarr->rows, zarr->columns);
  else if (zarr->written[number] == 0 || load_slab (zarr, slab, error))
    return slab;
  g_ptr_array_remove (zarr->open, slab);
  return NULL;
}

/* ------------------------------------------------------------------ B-scans */

/* Rows as they come, `stride` bytes apart; values are turned, so that the depth
 * runs downwards as in images. */
static void
take_rows (const Zarr *zarr, const guint8 *pixels, gsize stride, guint8 *to)
{
  gsize row = (gsize)zarr->columns * zarr->size;

  if (zarr->info.voxel != OCT_SAMPLE_F32) {
    for (guint y = 0; y < zarr->rows; y++)
      memcpy (to + y * row, pixels + y * stride, row);
    return;
  }
  for (guint x = 0; x < zarr->columns; x++)
    for (guint y = 0; y < zarr->rows; y++)
      memcpy (
          to + y * row + (gsize)x * 4, pixels + x * stride + (gsize)y * 4, 4);
}

/* Pixels at `at` that lie in the picture, the next one of a row and of a
 * column. */
#define DEFINE_HALVE(TYPE, SUM, MEAN)                                          \
  static void halve_##TYPE (                                                   \
      const TYPE *from, guint rows, guint columns, TYPE *to)                   \
  {                                                                            \
    guint half_rows = (rows + 1) / 2, half_columns = (columns + 1) / 2;        \
                                                                               \
    for (guint y = 0; y < half_rows; y++)                                      \
      for (guint x = 0; x < half_columns; x++) {                               \
        guint down = 2 * y + 1 < rows ? 2 : 1;                                 \
        guint right = 2 * x + 1 < columns ? 2 : 1;                             \
        SUM sum = 0;                                                           \
                                                                               \
        for (guint i = 0; i < down; i++)                                       \
          for (guint k = 0; k < right; k++)                                    \
            sum += from[(gsize)(2 * y + i) * columns + 2 * x + k];             \
        to[(gsize)y * half_columns + x] = (TYPE)MEAN (sum, down * right);      \
      }                                                                        \
  }
#define WHOLE_MEAN(sum, count) (((sum) + (count) / 2) / (count))
#define FLOAT_MEAN(sum, count) ((sum) / (float)(count))

DEFINE_HALVE (guint8, guint, WHOLE_MEAN)
DEFINE_HALVE (guint16, guint, WHOLE_MEAN)
DEFINE_HALVE (gfloat, float, FLOAT_MEAN)

static void
halve (const Zarr *zarr, guint n, const guint8 *from, guint8 *to)
{
  guint rows = zarr->levels[n].rows, columns = zarr->levels[n].columns;

  if (zarr->info.voxel == OCT_SAMPLE_U8)
    halve_guint8 (from, rows, columns, to);
  else if (zarr->info.voxel == OCT_SAMPLE_U16)
    halve_guint16 ((gconstpointer)from, rows, columns, (gpointer)to);
  else
    halve_gfloat ((gconstpointer)from, rows, columns, (gpointer)to);
}

static gboolean
zarr_put (gpointer data, guint bscan, const guint8 *pixels, gsize stride,
    GError **error)
{
  Zarr *zarr = data;
  Slab *slab = get_slab (zarr, bscan, error);
  guint at = bscan % SLAB;

  if (slab == NULL)
    return FALSE;
  take_rows (
      zarr, pixels, stride, slab->levels[0] + at * get_slice_size (zarr, 0));
  for (guint n = 0; n + 1 < zarr->n_levels; n++)
    halve (zarr, n, slab->levels[n] + at * get_slice_size (zarr, n),
        slab->levels[n + 1] + at * get_slice_size (zarr, n + 1));
  slab->stored += slab->there[at] == 0;
  slab->there[at] = zarr->there[bscan] = 1;
  return slab->stored < slab->bscans || write_slab (zarr, slab, error);
}

/* ---------------------------------------------------------------------- end */

static gboolean
zarr_end (gpointer data, GError **error)
{
  Zarr *zarr = data;
  gboolean ok = TRUE;
  int code;

  while (ok && zarr->open->len > 0)
    ok = write_slab (zarr, zarr->open->pdata[0], error);
  ok = ok && write_text (zarr, zarr->part, make_group_text (zarr, TRUE), error);
  if (ok) {
    code = oct_file_give_new_name (zarr->part, zarr->path);
    if (code == 0)
      oct_file_sync_folder (zarr->path);
    else
      oct_volume_file_set_error (error, zarr->path, code);
    ok = code == 0;
  }
  zarr_free (zarr);
  return ok;
}

static void
zarr_leave (gpointer data, gboolean remove)
{
  Zarr *zarr = data;

  if (remove)
    (void)oct_file_tree_remove (AT_FDCWD, zarr->part);
  zarr_free (zarr);
}

const OctVolumeStreamKind oct_volume_stream_zarr = { zarr_open, zarr_put,
  zarr_end, zarr_leave };
