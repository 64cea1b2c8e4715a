/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The text of a zarr.json: whatever it says is checked here, once. */
#include <json-glib/json-glib.h>
#include <math.h>
#include <string.h>

#include "oct-zarr.h"

/* Objects and arrays within each other; json-glib uses the stack for them. */
#define DEEPEST 64
/* A word of the text in a message. */
#define MAX_SHOWN 40

static gboolean zarr_refuse (const char *file, GError **error,
    const char *found, ...) G_GNUC_PRINTF (3, 4);

static gboolean
zarr_refuse (const char *file, GError **error, const char *found, ...)
{
  g_autofree char *text = NULL;
  va_list arguments;

  va_start (arguments, found);
  text = g_strdup_vprintf (found, arguments);
  va_end (arguments);
  g_set_error (error, OCT_ERROR, OCT_ERROR_FORMAT,
      "%s is a Zarr store that cannot be read: %s", file, text);
  return FALSE;
}

static char *
show (const char *word)
{
  g_autofree char *valid = g_utf8_make_valid (word, -1);

  if (g_utf8_strlen (valid, -1) > MAX_SHOWN)
    strcpy (g_utf8_offset_to_pointer (valid, MAX_SHOWN - 3), "...");
  for (char *c = valid; *c != '\0'; c++)
    if (g_ascii_iscntrl (*c))
      *c = '?';
  return g_steal_pointer (&valid);
}

/* ------------------------------------------------------------------ members */

/* The JsonObject or JsonArray of a node, NULL: it has another type. */
static gpointer
node_get (JsonNode *node, JsonNodeType type)
{
  if (node == NULL || json_node_get_node_type (node) != type)
    return NULL;
  return type == JSON_NODE_OBJECT ? (gpointer)json_node_get_object (node)
                                  : (gpointer)json_node_get_array (node);
}

/* The same of a member. */
static gpointer
get_member (JsonObject *object, const char *name, JsonNodeType type)
{
  return object != NULL ? node_get (json_object_get_member (object, name), type)
                        : NULL;
}

static const char *
node_get_text (JsonNode *node)
{
  return node != NULL && JSON_NODE_HOLDS_VALUE (node)
                 && json_node_get_value_type (node) == G_TYPE_STRING
             ? json_node_get_string (node)
             : NULL;
}

static const char *
get_text (JsonObject *object, const char *name)
{
  return object != NULL ? node_get_text (json_object_get_member (object, name))
                        : NULL;
}

static gboolean
node_get_number (JsonNode *node, double *number)
{
  if (node == NULL || !JSON_NODE_HOLDS_VALUE (node))
    return FALSE;
  if (json_node_get_value_type (node) == G_TYPE_INT64)
    *number = (double)json_node_get_int (node);
  else if (json_node_get_value_type (node) == G_TYPE_DOUBLE)
    *number = json_node_get_double (node);
  else
    return FALSE;
  return TRUE;
}

/* Element `i` of an array that is an object, or NULL. */
static JsonObject *
element_object (JsonArray *array, guint i)
{
  return array != NULL && i < json_array_get_length (array)
             ? node_get (json_array_get_element (array, i), JSON_NODE_OBJECT)
             : NULL;
}

/* Whole numbers from 1 on; FALSE: others, too few or too many. */
static gboolean
get_lengths (
    JsonObject *object, const char *name, guint *dims, guint64 *lengths)
{
  JsonArray *array = get_member (object, name, JSON_NODE_ARRAY);
  guint count = array != NULL ? json_array_get_length (array) : 0;

  if (count == 0 || count > OCT_ZARR_MAX_DIMS || (*dims != 0 && count != *dims))
    return FALSE;
  *dims = count;
  for (guint i = 0; i < count; i++) {
    JsonNode *node = json_array_get_element (array, i);
    double number;

    if (!node_get_number (node, &number) || !(number >= 1.0) || number > 9e15
        || number != floor (number))
      return FALSE;
    lengths[i] = (guint64)number;
  }
  return TRUE;
}

/* Numbers, as many as there is room for; returns how many. */
static guint
get_numbers (JsonObject *object, const char *name, double *numbers)
{
  JsonArray *array = get_member (object, name, JSON_NODE_ARRAY);
  guint count = array != NULL ? json_array_get_length (array) : 0;

  if (count > OCT_ZARR_MAX_DIMS)
    return 0;
  for (guint i = 0; i < count; i++)
    if (!node_get_number (json_array_get_element (array, i), &numbers[i]))
      return 0;
  return count;
}

/* -------------------------------------------------------------------- array */

/* "bytes" and its order, the only codec that makes bytes of numbers here. */
static gboolean
codecs_take_bytes (const char *file, JsonObject *codec, OctZarrArray *array,
    char kind, guint size, GError **error)
{
  const char *name = get_text (codec, "name");
  const char *endian = get_text (
      get_member (codec, "configuration", JSON_NODE_OBJECT), "endian");
  g_autofree char *shown = show (name != NULL ? name : "");

  if (g_strcmp0 (name, "bytes") != 0)
    return zarr_refuse (file, error,
        "its values are stored by the codec '%s', but only bytes is known; "
        "save them with that, without transposing them",
        shown);
  if (size > 1 && g_strcmp0 (endian, "little") != 0
      && g_strcmp0 (endian, "big") != 0)
    return zarr_refuse (file, error,
        "its codec bytes says neither endian little nor big; save it again");
  return oct_stored_find (
      kind, size, g_strcmp0 (endian, "big") == 0, &array->stored);
}

static gboolean
codecs_take_packing (
    const char *file, JsonArray *codecs, OctZarrArray *array, GError **error)
{
  gboolean is_packed = FALSE;

  for (guint i = 1; i < json_array_get_length (codecs); i++) {
    const char *name = get_text (element_object (codecs, i), "name");
    g_autofree char *shown = show (name != NULL ? name : "");
    OctZarrCodec codec;

    if (g_strcmp0 (name, "crc32c") == 0)
      codec = OCT_ZARR_CRC32C;
    else if (g_strcmp0 (name, "zstd") == 0)
      codec = OCT_ZARR_ZSTD;
#ifdef HAVE_ZLIB
    else if (g_strcmp0 (name, "gzip") == 0)
      codec = OCT_ZARR_GZIP;
#endif
    else
      return zarr_refuse (file, error,
          "its chunks are packed with the codec '%s', but zstd, gzip and "
          "crc32c are known; save it with zstd",
          shown);
    if (array->n_codecs == OCT_ZARR_MAX_CODECS
        || (codec != OCT_ZARR_CRC32C && is_packed))
      return zarr_refuse (file, error,
          "its chunks are packed several times; save it with zstd alone");
    is_packed = is_packed || codec != OCT_ZARR_CRC32C;
    array->codecs[array->n_codecs++] = codec;
  }
  return TRUE;
}

static gboolean
take_index (
    const char *file, JsonObject *sharding, OctZarrArray *array, GError **error)
{
  JsonArray *codecs = get_member (sharding, "index_codecs", JSON_NODE_ARRAY);
  guint count = codecs != NULL ? json_array_get_length (codecs) : 0;
  JsonObject *first = element_object (codecs, 0);
  const char *location = get_text (sharding, "index_location");
  const char *endian = get_text (
      get_member (first, "configuration", JSON_NODE_OBJECT), "endian");

  array->index_first = g_strcmp0 (location, "start") == 0;
  array->index_has_sum = count == 2;
  if ((count == 1
          || (count == 2
              && g_strcmp0 (
                     get_text (element_object (codecs, 1), "name"), "crc32c")
                     == 0))
      && g_strcmp0 (get_text (first, "name"), "bytes") == 0
      && g_strcmp0 (endian, "little") == 0
      && (location == NULL || array->index_first
          || g_strcmp0 (location, "end") == 0))
    return TRUE;
  return zarr_refuse (file, error,
      "the index of its shards is stored in a way that is not known, other "
      "than bytes, little endian, and crc32c; save it with these");
}

/* Sizes that can be multiplied without a look from here on. */
static gboolean
check_sizes (const char *file, OctZarrArray *array, guint size, GError **error)
{
  guint64 bytes = size, inner = 1;

  for (guint i = 0; i < array->dims; i++) {
    if (array->shard[i] % array->chunk[i] != 0)
      return zarr_refuse (file, error,
          "a shard of %" G_GUINT64_FORMAT " values in dimension %u is not a "
          "multiple of its chunks of %" G_GUINT64_FORMAT "; save it again",
          array->shard[i], i + 1, array->chunk[i]);
    if (!g_uint64_checked_mul (&bytes, bytes, array->chunk[i])
        || bytes > OCT_ZARR_MAX_CHUNK
        || !g_uint64_checked_mul (
            &inner, inner, array->shard[i] / array->chunk[i])
        || inner > OCT_ZARR_MAX_INNER)
      return zarr_refuse (file, error,
          "one of its chunks has more than %u MB, or one of its shards more "
          "than %u chunks; save it with smaller ones",
          OCT_ZARR_MAX_CHUNK >> 20, OCT_ZARR_MAX_INNER);
  }
  return TRUE;
}

static gboolean
take_codecs (const char *file, JsonObject *root, OctZarrArray *array, char kind,
    guint size, GError **error)
{
  JsonArray *codecs = get_member (root, "codecs", JSON_NODE_ARRAY);
  JsonObject *first = element_object (codecs, 0);
  JsonObject *sharding = NULL;

  memcpy (array->chunk, array->shard, sizeof array->chunk);
  if (g_strcmp0 (get_text (first, "name"), "sharding_indexed") == 0) {
    guint dims = array->dims;

    sharding = get_member (first, "configuration", JSON_NODE_OBJECT);
    array->sharded = TRUE;
    if (json_array_get_length (codecs) != 1
        || !get_lengths (sharding, "chunk_shape", &dims, array->chunk))
      return zarr_refuse (file, error,
          "its shards are packed again, or do not say the shape of their "
          "chunks; save it with the codec sharding_indexed alone");
    if (!take_index (file, sharding, array, error))
      return FALSE;
    codecs = get_member (sharding, "codecs", JSON_NODE_ARRAY);
    first = element_object (codecs, 0);
  }
  if (first == NULL)
    return zarr_refuse (
        file, error, "it does not say its codecs; save it again");
  return codecs_take_bytes (file, first, array, kind, size, error)
         && codecs_take_packing (file, codecs, array, error)
         && check_sizes (file, array, size, error);
}

/* The name of a type, "uint16". */
static gboolean
zarr_parse_type (const char *name, char *kind, guint *size)
{
  static const struct {
    const char *name;
    char kind;
    guint size;
  } types[] = { { "uint8", 'u', 1 }, { "uint16", 'u', 2 }, { "uint32", 'u', 4 },
    { "uint64", 'u', 8 }, { "int8", 'i', 1 }, { "int16", 'i', 2 },
    { "int32", 'i', 4 }, { "int64", 'i', 8 }, { "float16", 'f', 2 },
    { "float32", 'f', 4 }, { "float64", 'f', 8 } };

  for (guint i = 0; i < G_N_ELEMENTS (types); i++)
    if (g_strcmp0 (name, types[i].name) == 0) {
      *kind = types[i].kind;
      *size = types[i].size;
      return TRUE;
    }
  return FALSE;
}

static gboolean
is_whole_of (double number, char kind, guint size)
{
  double end = ldexp (1.0, (gint)size * 8 - (kind == 'i'));

  return number == floor (number) && number < end
         && number >= (kind == 'i' ? -end : 0.0);
}

/* The bytes of a number of the type that is stored. */
static gboolean
make_fill (OctZarrArray *array, char kind, guint size, JsonNode *node)
{
  const char *word = node_get_text (node);
  guint8 bytes[8] = { 0 };
  double number = 0.0;

  if (word != NULL && kind == 'f' && strcmp (word, "NaN") == 0)
    number = (double)NAN;
  else if (word != NULL && kind == 'f' && strcmp (word, "Infinity") == 0)
    number = (double)INFINITY;
  else if (word != NULL && kind == 'f' && strcmp (word, "-Infinity") == 0)
    number = -(double)INFINITY;
  else if (!node_get_number (node, &number))
    return FALSE;
  if (kind == 'f' && size == 8) {
    memcpy (bytes, &number, 8);
  } else if (kind == 'f' && size == 4) {
    float single = (float)number;

    memcpy (bytes, &single, 4);
  } else if (kind == 'f') {
    /* half: the sum of two of its NaNs is one */
    if (isnan (number))
      memcpy (bytes, "\x00\x7e", 2);
    else if (number != 0.0)
      return FALSE;
  } else if (!is_whole_of (number, kind, size)) {
    return FALSE;
  } else {
    gint64 whole = json_node_get_int (node);

    memcpy (bytes, &whole, size);
  }
  for (guint i = 0; i < size; i++)
    array->fill[i] =
        bytes[oct_stored_get (array->stored)->swapped ? size - 1 - i : i];
  return TRUE;
}

static gboolean
take_keys (
    const char *file, JsonObject *root, OctZarrArray *array, GError **error)
{
  JsonObject *encoding =
      get_member (root, "chunk_key_encoding", JSON_NODE_OBJECT);
  const char *name = get_text (encoding, "name");
  const char *separator = get_text (
      get_member (encoding, "configuration", JSON_NODE_OBJECT), "separator");

  array->has_prefix = g_strcmp0 (name, "default") == 0;
  array->separator = array->has_prefix ? '/' : '.';
  if (separator != NULL)
    array->separator = separator[0];
  if ((array->has_prefix || g_strcmp0 (name, "v2") == 0)
      && (separator == NULL || g_str_equal (separator, "/")
          || g_str_equal (separator, ".")))
    return TRUE;
  return zarr_refuse (file, error,
      "its chunk_key_encoding, the names of its chunks, is none of default and "
      "v2 with / or .; save it with default");
}

static gboolean
take_array (
    const char *file, JsonObject *root, OctZarrArray *array, GError **error)
{
  JsonObject *grid = get_member (root, "chunk_grid", JSON_NODE_OBJECT);
  const char *type = get_text (root, "data_type");
  JsonArray *transformers =
      get_member (root, "storage_transformers", JSON_NODE_ARRAY);
  g_autofree char *shown = show (type != NULL ? type : "");
  char kind = 'u';
  guint size = 1;

  if (!zarr_parse_type (type, &kind, &size))
    return zarr_refuse (file, error,
        "its data_type is '%s', but real numbers such as uint16 or float32 are "
        "expected; save it as one of them",
        shown);
  if (!get_lengths (root, "shape", &array->dims, array->shape))
    return zarr_refuse (file, error,
        "its shape is not one to %u lengths from 1 on; save an array with "
        "values",
        OCT_ZARR_MAX_DIMS);
  if (g_strcmp0 (get_text (grid, "name"), "regular") != 0
      || !get_lengths (get_member (grid, "configuration", JSON_NODE_OBJECT),
          "chunk_shape", &array->dims, array->shard))
    return zarr_refuse (file, error,
        "its chunk_grid is not regular, with a length from 1 on for each of "
        "its %u dimensions; save it again",
        array->dims);
  if (transformers != NULL && json_array_get_length (transformers) > 0)
    return zarr_refuse (file, error,
        "it has storage_transformers, which are not known; save it without "
        "them");
  if (!take_keys (file, root, array, error)
      || !take_codecs (file, root, array, kind, size, error))
    return FALSE;
  if (make_fill (
          array, kind, size, json_object_get_member (root, "fill_value")))
    return TRUE;
  return zarr_refuse (file, error,
      "its fill_value is not a number of its type; save it with 0");
}

/* -------------------------------------------------------------------- group */

/* In metres or seconds; 0: the unit is not known. */
static double
get_unit (const char *name)
{
  static const struct {
    const char *name;
    double value;
  } units[] = { { "micrometer", 1e-6 }, { "millimeter", 1e-3 },
    { "nanometer", 1e-9 }, { "centimeter", 1e-2 }, { "meter", 1.0 },
    { "second", 1.0 }, { "millisecond", 1e-3 }, { "microsecond", 1e-6 } };

  for (guint i = 0; i < G_N_ELEMENTS (units); i++)
    if (g_strcmp0 (name, units[i].name) == 0)
      return units[i].value;
  return 0.0;
}

/* Multiplies by a scale of the list, if there is one of as many dimensions. */
static void
take_scale (JsonObject *object, OctZarrImage *image)
{
  JsonArray *list =
      get_member (object, "coordinateTransformations", JSON_NODE_ARRAY);
  double scale[OCT_ZARR_MAX_DIMS];

  for (guint i = 0; list != NULL && i < json_array_get_length (list); i++) {
    JsonObject *step = element_object (list, i);

    if (g_strcmp0 (get_text (step, "type"), "scale") != 0
        || get_numbers (step, "scale", scale) != image->dims)
      continue;
    for (guint k = 0; k < image->dims; k++)
      image->scale[k] *= scale[k];
  }
}

/* The runs of B-scans that octvolumesink has not got. */
static void
zarr_parse_missing (JsonObject *oct, OctZarrImage *image)
{
  JsonArray *axes = get_member (oct, "axes", JSON_NODE_ARRAY);
  JsonArray *runs = get_member (oct, "missing", JSON_NODE_ARRAY);
  guint count = runs != NULL ? json_array_get_length (runs) : 0;

  /* pictures en face are not B-scans */
  if (count == 0 || axes == NULL || json_array_get_length (axes) < 2
      || g_strcmp0 (node_get_text (json_array_get_element (axes, 1)), "B-scan")
             != 0)
    return;
  image->missing = g_array_new (FALSE, FALSE, sizeof (OctZarrRun));
  for (guint i = 0; i < count; i++) {
    JsonArray *ends =
        node_get (json_array_get_element (runs, i), JSON_NODE_ARRAY);
    double first, last;
    OctZarrRun run;

    if (ends == NULL || json_array_get_length (ends) != 2
        || !node_get_number (json_array_get_element (ends, 0), &first)
        || !node_get_number (json_array_get_element (ends, 1), &last)
        || !(first >= 0.0 && first <= last && last < 9e15))
      continue;
    run = (OctZarrRun){ (guint64)first, (guint64)last };
    g_array_append_val (image->missing, run);
  }
}

static gboolean
take_group (
    const char *file, JsonObject *root, OctZarrImage *image, GError **error)
{
  JsonObject *attributes = get_member (root, "attributes", JSON_NODE_OBJECT);
  JsonObject *oct = get_member (attributes, "oct", JSON_NODE_OBJECT);
  JsonObject *ome = get_member (attributes, "ome", JSON_NODE_OBJECT);
  JsonObject *first =
      element_object (get_member (ome, "multiscales", JSON_NODE_ARRAY), 0);
  JsonObject *dataset =
      element_object (get_member (first, "datasets", JSON_NODE_ARRAY), 0);
  JsonArray *axes = get_member (first, "axes", JSON_NODE_ARRAY);
  guint dims = axes != NULL ? json_array_get_length (axes) : 0;

  if (first == NULL)
    return TRUE;
  image->has_images = get_text (oct, "content") != NULL;
  zarr_parse_missing (oct, image);
  image->path = g_strdup (get_text (dataset, "path"));
  if (image->path == NULL || !oct_zarr_path_is_inside (image->path))
    return zarr_refuse (file, error,
        "the path of its image is missing, or leads out of its folder; save it "
        "again");
  if (dims == 0 || dims > OCT_ZARR_MAX_DIMS)
    return TRUE;
  image->dims = dims;
  for (guint i = 0; i < dims; i++)
    image->scale[i] = get_unit (get_text (element_object (axes, i), "unit"));
  take_scale (dataset, image);
  take_scale (first, image);
  for (guint i = 0; i < dims; i++)
    if (!(image->scale[i] > 0.0) || !isfinite (image->scale[i]))
      image->scale[i] = 0.0;
  return TRUE;
}

/* --------------------------------------------------------------------- text */

/* The four digits of "\\uD83D" at `text`, whose end is at `end`; -1: there are
 * none. */
static gint
get_unit_of_utf16 (const char *text, const char *end)
{
  gint unit = 0;

  if (end - text < 6 || text[0] != '\\' || text[1] != 'u')
    return -1;
  for (guint i = 2; i < 6; i++) {
    if (!g_ascii_isxdigit (text[i]))
      return -1;
    unit = unit * 16 + g_ascii_xdigit_value (text[i]);
  }
  return unit;
}

/* From the backslash at `text` to the last byte of the escape; NULL: it is
 * not valid.  After half a pair of UTF-16 json-glib 1.6 takes the closing quote
 * for a part of the string. */
static const char *
skip_escape (const char *text, const char *end)
{
  gint unit;

  if (end - text < 2)
    return NULL;
  if (text[1] != 'u')
    return memchr ("\"\\/bfnrt", text[1], 8) != NULL ? text + 1 : NULL;
  unit = get_unit_of_utf16 (text, end);
  if (unit < 0 || (unit & 0xfc00) == 0xdc00)
    return NULL;
  if ((unit & 0xfc00) != 0xd800)
    return text + 5;
  unit = get_unit_of_utf16 (text + 6, end);
  return unit >= 0 && (unit & 0xfc00) == 0xdc00 ? text + 11 : NULL;
}

/* json-glib reads more than JSON: in comments and between single quotes are
 * quotes that do not count, and brackets after them that do. */
static gboolean
is_plain_and_flat (const char *text, gsize size)
{
  const char *end = text + size;
  gboolean quoted = FALSE;
  guint deep = 0;

  for (; text < end; text++) {
    if (quoted && *text == '\\') {
      text = skip_escape (text, end);
      if (text == NULL)
        return FALSE;
    } else if (*text == '"') {
      quoted = !quoted;
    } else if (quoted) {
      continue;
    } else if (*text == '{' || *text == '[') {
      if (++deep > DEEPEST)
        return FALSE;
    } else if (*text == '}' || *text == ']') {
      deep -= deep > 0;
    } else if (!g_ascii_isalnum (*text)
               && strchr (" \t\r\n+-.,:", *text) == NULL) {
      return FALSE;
    }
  }
  return !quoted;
}

static gboolean
take_root (const char *file, JsonObject *root, OctZarrNode *node,
    OctZarrArray *array, OctZarrImage *image, GError **error)
{
  double version = 0.0;
  const char *type = get_text (root, "node_type");

  if (!node_get_number (json_object_get_member (root, "zarr_format"), &version)
      || version != 3.0)
    return zarr_refuse (file, error,
        "its zarr_format is not 3; convert it with a current version of Zarr");
  if (g_strcmp0 (type, "array") == 0) {
    *node = OCT_ZARR_IS_ARRAY;
    return take_array (file, root, array, error);
  }
  *node = OCT_ZARR_IS_GROUP;
  if (g_strcmp0 (type, "group") == 0)
    return take_group (file, root, image, error);
  return zarr_refuse (
      file, error, "its node_type is neither array nor group; save it again");
}

gboolean
oct_zarr_parse (const char *file, const char *text, gsize size,
    OctZarrNode *node, OctZarrArray *array, OctZarrImage *image, GError **error)
{
  g_autoptr (JsonParser) parser = json_parser_new ();
  JsonNode *root;

  memset (array, 0, sizeof *array);
  memset (image, 0, sizeof *image);
  if (size > OCT_ZARR_MAX_TEXT || memchr (text, '\0', size) != NULL
      || !is_plain_and_flat (text, size)
      || !g_utf8_validate (text, (gssize)size, NULL)
      || !json_parser_load_from_data (parser, text, (gssize)size, NULL)
      || (root = json_parser_get_root (parser)) == NULL
      || !JSON_NODE_HOLDS_OBJECT (root))
    return zarr_refuse (file, error,
        "its " OCT_ZARR_METADATA
        " is not an object of JSON, or is longer than 1 "
        "MB; copy it again");
  return take_root (
      file, json_node_get_object (root), node, array, image, error);
}
