/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * MATLAB files of version 5 to 7.2: MathWorks, "MAT-File Format", chapter 1.
 *
 * Arrays are compressed one by one unless they were saved with -v6.  A B-scan
 * is the next piece of zlib's output: played from the first to the last, the
 * file is read once, and never more than a B-scan is in memory.
 */
#include "oct-formats.h"

#include "oct-file.h"
#include "oct-layout.h"

#include <errno.h>
#include <string.h>
#include <zlib.h>

#define HEADER_SIZE 128
#define TAG_SIZE 8
#define MAX_VARIABLES 4096
#define MAX_NAME_SIZE 1024
#define MAX_DIMS 32

/* types of elements */
enum {
  MI_INT8 = 1,
  MI_UINT8 = 2,
  MI_INT16 = 3,
  MI_UINT16 = 4,
  MI_INT32 = 5,
  MI_UINT32 = 6,
  MI_SINGLE = 7,
  MI_DOUBLE = 9,
  MI_INT64 = 12,
  MI_UINT64 = 13,
  MI_MATRIX = 14,
  MI_COMPRESSED = 15,
};

/* classes of arrays */
enum {
  MX_CELL = 1,
  MX_STRUCT = 2,
  MX_OBJECT = 3,
  MX_CHAR = 4,
  MX_SPARSE = 5,
  MX_DOUBLE = 6,
  MX_UINT64 = 15,
};

#define FLAG_LOGICAL 0x0200
#define FLAG_COMPLEX 0x0800

/* An element of the file, read from its beginning on. */
typedef struct {
  int fd;
  gboolean swapped; /* the other byte order */
  gboolean compressed;
  guint64 start, size; /* in the file */
  guint64 next;        /* byte of the file to read next */
  guint64 position;    /* bytes given */
  z_stream zlib;
  gboolean zlib_open;
  guint8 input[16384];
} Element;

typedef struct {
  guint type;
  guint64 size;
  gboolean small; /* the data is in the tag */
  guint8 data[4];
} Tag;

/* An array that is being read. */
typedef struct {
  char *file;
  Element element;
  guint64 data; /* byte of the element where values begin */
  gsize bscan;  /* values of a B-scan */
  gsize size;   /* of a value in the file */
} Content;

/* FALSE: a type that no numbers have. */
static gboolean
stored_as (guint type, gboolean swapped, OctStored *stored)
{
  static const struct {
    char kind;
    guint size;
  } types[] = {
    [MI_INT8] = { 'i', 1 },
    [MI_UINT8] = { 'u', 1 },
    [MI_INT16] = { 'i', 2 },
    [MI_UINT16] = { 'u', 2 },
    [MI_INT32] = { 'i', 4 },
    [MI_UINT32] = { 'u', 4 },
    [MI_SINGLE] = { 'f', 4 },
    [MI_DOUBLE] = { 'f', 8 },
    [MI_INT64] = { 'i', 8 },
    [MI_UINT64] = { 'u', 8 },
  };

  return type < G_N_ELEMENTS (types)
         && oct_stored_find (
             types[type].kind, types[type].size, swapped, stored);
}

/* ----------------------------------------------------------------- elements */

static void
element_close (Element *element)
{
  if (element->zlib_open)
    inflateEnd (&element->zlib);
  element->zlib_open = FALSE;
}

/* To the beginning of its content. */
static gboolean
element_rewind (Element *element)
{
  element_close (element);
  element->next = element->start;
  element->position = 0;
  memset (&element->zlib, 0, sizeof element->zlib);
  if (element->compressed)
    element->zlib_open = inflateInit (&element->zlib) == Z_OK;
  return !element->compressed || element->zlib_open;
}

static gboolean
mat_fetch (Element *element, gpointer dest, gsize size, gsize *got)
{
  guint64 left = element->start + element->size - element->next;
  gssize n =
      oct_file_read (element->fd, element->next, dest, (gsize)MIN (size, left));

  if (n < 0)
    return FALSE;
  element->next += (guint64)n;
  *got = (gsize)n;
  return TRUE;
}

/* Fewer bytes than `size` come at the end or where something is wrong. */
static gsize
inflate_some (Element *element, guint8 *dest, gsize size)
{
  z_stream *zlib = &element->zlib;
  gsize got, done = 0;

  while (done < size) {
    gsize part = MIN (size - done, 1u << 30);
    int status;

    if (zlib->avail_in == 0) {
      if (!mat_fetch (element, element->input, sizeof element->input, &got)
          || got == 0)
        break;
      zlib->next_in = element->input;
      zlib->avail_in = (uInt)got;
    }
    zlib->next_out = dest + done;
    zlib->avail_out = (uInt)part;
    status = inflate (zlib, Z_NO_FLUSH);
    done += part - zlib->avail_out;
    if (status != Z_OK)
      break;
  }
  return done;
}

/* FALSE if there is less, or nothing can be read. */
static gboolean
element_read (Element *element, gpointer dest, gsize size)
{
  gsize got = 0;

  if (element->compressed)
    got = inflate_some (element, dest, size);
  else if (!mat_fetch (element, dest, size, &got))
    return FALSE;
  element->position += got;
  return got == size;
}

static gboolean
element_seek (Element *element, guint64 position)
{
  guint8 waste[16384];

  if (!element->compressed) {
    if (position > element->size)
      return FALSE;
    element->next = element->start + position;
    element->position = position;
    return TRUE;
  }
  if (position < element->position && !element_rewind (element))
    return FALSE;
  while (element->position < position)
    if (!element_read (
            element, waste, MIN (sizeof waste, position - element->position)))
      return FALSE;
  return TRUE;
}

static guint32
get_u32 (const Element *element, const guint8 *bytes)
{
  guint32 value;

  memcpy (&value, bytes, sizeof value);
  return element->swapped ? GUINT32_SWAP_LE_BE (value) : value;
}

static gboolean
read_tag (Element *element, Tag *tag)
{
  guint8 bytes[TAG_SIZE];
  guint32 first;

  if (!element_read (element, bytes, sizeof bytes))
    return FALSE;
  first = get_u32 (element, bytes);
  tag->small = first >> 16 != 0;
  tag->type = first & 0xffff;
  tag->size = tag->small ? first >> 16 : get_u32 (element, bytes + 4);
  memcpy (tag->data, bytes + 4, sizeof tag->data);
  return !tag->small || tag->size <= sizeof tag->data;
}

/* Reads a tag, its data of at most `most` bytes, and the padding after it; the
 * data ends with a zero, and the caller frees it. */
static guint8 *
read_small (Element *element, gsize most, Tag *tag)
{
  g_autofree guint8 *data = NULL;
  guint8 padding[8];

  if (!read_tag (element, tag) || tag->size > most)
    return NULL;
  data = g_malloc0 (tag->size + 1);
  if (tag->small)
    memcpy (data, tag->data, tag->size);
  else if (!element_read (element, data, tag->size)
           || !element_read (element, padding, -tag->size & 7))
    return NULL;
  return g_steal_pointer (&data);
}

/* ---------------------------------------------------------------- variables */

static const char *
judge_class (guint class, guint flags)
{
  if (class == MX_SPARSE)
    return "is sparse";
  if (class == MX_CHAR)
    return "is text";
  if (class == MX_CELL)
    return "is a cell array";
  if (class == MX_STRUCT || class == MX_OBJECT)
    return "is a structure";
  if (class < MX_DOUBLE || class > MX_UINT64)
    return "is an object";
  if (flags & FLAG_COMPLEX)
    return "is complex";
  return flags & FLAG_LOGICAL ? "is logical" : NULL;
}

static void
take_dimensions (
    const Element *element, const guint8 *bytes, guint dims, OctArray *array)
{
  guint64 shape[MAX_DIMS];

  /* the first one runs fastest */
  for (guint i = 0; i < dims; i++) {
    gint32 length = (gint32)get_u32 (element, bytes + 4 * i);

    if (length < 0)
      array->why_not = "has a negative size";
    shape[dims - 1 - i] = (guint64)MAX (length, 0);
  }
  if (array->why_not == NULL)
    oct_array_set_shape (array, dims, shape);
}

/* Reads the header of a matrix, up to its values; FALSE: damaged. */
static gboolean
mat_read_header (Element *element, OctArray *array)
{
  g_autofree guint8 *flags = NULL, *dimensions = NULL, *name = NULL;
  guint32 word;
  Tag tag;

  flags = read_small (element, 8, &tag);
  if (flags == NULL || tag.type != MI_UINT32 || tag.size != 8)
    return FALSE;
  word = get_u32 (element, flags);
  array->why_not = judge_class (word & 0xff, word);
  if (array->why_not != NULL && (word & 0xff) > MX_UINT64) {
    /* the layout of the rest is unknown */
    array->name = g_strdup ("");
    return TRUE;
  }
  dimensions = read_small (element, 4 * MAX_DIMS, &tag);
  if (dimensions == NULL || tag.type != MI_INT32 || tag.size < 8
      || tag.size % 4 != 0)
    return FALSE;
  take_dimensions (element, dimensions, (guint)tag.size / 4, array);
  name = read_small (element, MAX_NAME_SIZE, &tag);
  if (name == NULL || tag.type != MI_INT8)
    return FALSE;
  array->name = g_strdup ((const char *)name);
  return TRUE;
}

static gboolean
mat_damaged (const char *file, guint64 where, GError **error)
{
  g_set_error (error, OCT_ERROR, OCT_ERROR_FORMAT,
      "%s is a damaged or cut off MATLAB file (at byte %" G_GUINT64_FORMAT
      "); copy it again, or save it again in MATLAB",
      file, where);
  return FALSE;
}

/* Opens the element that begins at `where`; *end is the begin of the next one.
 */
static gboolean
element_open (const OctOpening *opening, gboolean swapped, guint64 where,
    Element *element, guint64 *end)
{
  Tag tag;

  memset (element, 0, G_STRUCT_OFFSET (Element, input));
  element->fd = opening->fd;
  element->swapped = swapped;
  element->start = element->next = where;
  element->size = opening->file_size - where;
  if (!read_tag (element, &tag) || tag.small)
    return FALSE;
  element->start = where + TAG_SIZE;
  element->size = MIN (tag.size, opening->file_size - element->start);
  *end = element->start + tag.size;
  element->compressed = tag.type == MI_COMPRESSED;
  if (!element_rewind (element))
    return FALSE;
  if (!element->compressed)
    return tag.type == MI_MATRIX;
  return read_tag (element, &tag) && tag.type == MI_MATRIX && !tag.small;
}

static gboolean
list_variables (
    const OctOpening *opening, gboolean swapped, GArray *arrays, GError **error)
{
  guint64 where = HEADER_SIZE;

  while (where + TAG_SIZE <= opening->file_size) {
    OctArray array = { .place = where };
    Element element;
    gboolean ok;

    if (arrays->len == MAX_VARIABLES) {
      g_set_error (error, OCT_ERROR, OCT_ERROR_FORMAT,
          "%s has more than %u variables; save the spectra alone",
          opening->file, MAX_VARIABLES);
      return FALSE;
    }
    ok = element_open (opening, swapped, array.place, &element, &where)
         && mat_read_header (&element, &array);
    element_close (&element);
    /* without a name: MATLAB's internal data */
    if (ok && *array.name != '\0')
      g_array_append_val (arrays, array);
    else
      oct_array_clear (&array);
    if (!ok)
      return mat_damaged (opening->file, array.place, error);
  }
  return TRUE;
}

/* ------------------------------------------------------------------- values */

static gboolean
mat_read_bscan (gpointer data, guint64 frame, gpointer values, GError **error)
{
  Content *content = data;

  if (element_seek (&content->element,
          content->data + frame * content->bscan * content->size)
      && element_read (
          &content->element, values, content->bscan * content->size))
    return TRUE;
  return oct_missing_set_unread (content->file, frame,
      OCT_MISSING_DAMAGED ", or save it again in MATLAB", error);
}

static void
mat_close_content (gpointer data)
{
  Content *content = data;

  element_close (&content->element);
  g_free (content->file);
  g_free (content);
}

static const OctContainer container = { mat_read_bscan, mat_close_content,
  TRUE };

/* For arrays whose B-scans are not one piece. */
static gboolean
mat_fetch_values (gpointer data, guint64 offset, gpointer dest, gsize size)
{
  Content *content = data;

  return element_seek (&content->element, content->data + offset)
         && element_read (&content->element, dest, size);
}

static guint64
count_values (const OctArray *array)
{
  guint64 count = 1;

  for (guint i = 0; i < array->dims; i++)
    if (!g_uint64_checked_mul (&count, count, array->shape[i]))
      return 0;
  return count;
}

static gboolean
mat_open_array (OctOpening *opening, const OctArray *array, gboolean swapped,
    GError **error)
{
  g_autofree char *text = oct_array_describe_shape (array, TRUE);
  Content *content = g_new0 (Content, 1);
  Element *element = &content->element;
  OctArray again = { 0 };
  OctShape shape = { .counted_backwards = TRUE, .text = text };
  guint64 end, bytes;
  gboolean ok;
  Tag tag;

  opening->container = &container;
  opening->content = content;
  content->file = g_strdup (opening->file);
  ok = element_open (opening, swapped, array->place, element, &end)
       && mat_read_header (element, &again) && read_tag (element, &tag);
  oct_array_clear (&again);
  if (!ok)
    return mat_damaged (opening->file, array->place, error);
  if (!stored_as (tag.type, swapped, &opening->stored))
    return mat_damaged (opening->file, array->place, error);
  content->size = oct_stored_get (opening->stored)->size;
  if (!g_uint64_checked_mul (&bytes, count_values (array), content->size)
      || bytes != tag.size)
    return mat_damaged (opening->file, array->place, error);
  content->data = element->position - (tag.small ? sizeof tag.data : 0);
  shape.dims = array->dims;
  memcpy (shape.lengths, array->shape, sizeof array->shape);
  if (!element->compressed) {
    /* as a flat file has it */
    opening->data_offset = element->start + content->data;
    opening->container = NULL;
    opening->content = NULL;
    mat_close_content (content);
    return oct_opening_take_array (opening, &shape, NULL, error);
  }
  if (!oct_opening_take_array (opening, &shape, mat_fetch_values, error))
    return FALSE;
  content->bscan = (gsize)opening->info.samples * opening->info.lines;
  return TRUE;
}

gboolean
oct_format_open_mat (OctOpening *opening, GError **error)
{
  g_autoptr (GArray) arrays = g_array_new (FALSE, FALSE, sizeof (OctArray));
  const OctArray *array;
  gboolean swapped;

  g_array_set_clear_func (arrays, oct_array_clear);
  if (opening->head_size < HEADER_SIZE
      || (memcmp (opening->head + 126, "IM", 2) != 0
          && memcmp (opening->head + 126, "MI", 2) != 0)) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_FORMAT,
        "%s is not a MATLAB file of version 5 to 7.2 (its header of 128 bytes "
        "is "
        "missing or damaged); set `format` to what it is, or save it again in "
        "MATLAB",
        opening->file);
    return FALSE;
  }
  swapped = opening->head[126] == 'M';
  if (!oct_opening_check_raw_only (opening, "a MATLAB file", error)
      || !list_variables (opening, swapped, arrays, error))
    return FALSE;
  array = oct_opening_choose_array (opening, arrays, TRUE, "variable", error);
  return array != NULL && mat_open_array (opening, array, swapped, error);
}
