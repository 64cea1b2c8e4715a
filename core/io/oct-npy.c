/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-npy.h"

#include <string.h>

/* numpy.ndarray itself has at most 64 */
#define MAX_DIMS 64

/* How NumPy names types besides "u2", with the bits of a value after it. */
static const struct {
  const char *name;
  char kind;
} names[] = { { "uint", 'u' }, { "int", 'i' }, { "float", 'f' } };

/* A piece of the text that is being parsed, not terminated. */
typedef struct {
  const char *at, *end;
} Text;

/* The Python dictionary of the header, as it stands there. */
typedef struct {
  Text descr;
  gboolean fortran_order;
  guint dims;
  guint64 shape[OCT_NPY_MAX_DIMS];
  gboolean has_descr, has_order, has_shape;
  gboolean structured; /* 'descr' is a list of fields, not read any further */
} Dictionary;

static void
skip_space (Text *text)
{
  while (text->at < text->end && (*text->at == ' ' || *text->at == '\n'))
    text->at++;
}

/* Consumes `wanted`, and the spaces before it, when it comes next. */
static gboolean
npy_take (Text *text, const char *wanted)
{
  gsize length = strlen (wanted);

  skip_space (text);
  if ((gsize)(text->end - text->at) < length
      || memcmp (text->at, wanted, length) != 0)
    return FALSE;
  text->at += length;
  return TRUE;
}

static gboolean
npy_equals (Text text, const char *wanted)
{
  return npy_take (&text, wanted) && text.at == text.end;
}

/* A Python string of printable ASCII without escapes. */
static gboolean
take_string (Text *text, Text *string)
{
  char quote;

  if (npy_take (text, "'"))
    quote = '\'';
  else if (npy_take (text, "\""))
    quote = '"';
  else
    return FALSE;

  string->at = text->at;
  for (; text->at < text->end && *text->at != quote; text->at++)
    if (*text->at == '\\' || !g_ascii_isprint (*text->at))
      return FALSE;
  string->end = text->at;
  if (text->at == text->end)
    return FALSE;
  text->at++;
  return TRUE;
}

static gboolean
take_number (Text *text, guint64 *number)
{
  const char *start;

  skip_space (text);
  start = text->at;
  *number = 0;
  for (; text->at < text->end && g_ascii_isdigit (*text->at); text->at++)
    if (!g_uint64_checked_mul (number, *number, 10)
        || !g_uint64_checked_add (number, *number, *text->at - '0'))
      return FALSE;
  if (text->at == start || (*start == '0' && text->at > start + 1))
    return FALSE;
  npy_take (text, "L"); /* of Python 2 */
  return TRUE;
}

/* A Python tuple: (), (a,), (a, b) or (a, b,) */
static gboolean
take_shape (Text *text, Dictionary *dictionary)
{
  gboolean comma = TRUE;

  if (!npy_take (text, "("))
    return FALSE;
  for (dictionary->dims = 0; !npy_take (text, ")"); dictionary->dims++) {
    guint64 number;

    if (!comma || dictionary->dims == MAX_DIMS || !take_number (text, &number))
      return FALSE;
    if (dictionary->dims < G_N_ELEMENTS (dictionary->shape))
      dictionary->shape[dictionary->dims] = number;
    comma = npy_take (text, ",");
  }
  return comma || dictionary->dims > 1;
}

/* Returns: NULL, or the error in the entry. */
static const char *
npy_take_entry (Text *text, Dictionary *dictionary)
{
  Text key;

  if (!take_string (text, &key) || !npy_take (text, ":"))
    return "a name in quotes and a colon expected";

  if (npy_equals (key, "descr") && !dictionary->has_descr) {
    dictionary->has_descr = TRUE;
    dictionary->structured = npy_take (text, "[");
    if (dictionary->structured)
      return "a structured type";
    return take_string (text, &dictionary->descr) ? NULL : "bad 'descr'";
  }
  if (npy_equals (key, "fortran_order") && !dictionary->has_order) {
    dictionary->has_order = TRUE;
    dictionary->fortran_order = npy_take (text, "True");
    return dictionary->fortran_order || npy_take (text, "False")
               ? NULL
               : "bad 'fortran_order'";
  }
  if (npy_equals (key, "shape") && !dictionary->has_shape) {
    dictionary->has_shape = TRUE;
    return take_shape (text, dictionary) ? NULL : "bad 'shape'";
  }
  return "an unknown or repeated name";
}

/* Returns: NULL, or the error; text->at is then its place. */
static const char *
parse_dictionary (Text *text, Dictionary *dictionary)
{
  gboolean comma = TRUE;

  if (!npy_take (text, "{"))
    return "'{' expected";
  while (!npy_take (text, "}")) {
    const char *wrong;

    if (!comma)
      return "',' or '}' expected";
    wrong = npy_take_entry (text, dictionary);
    if (wrong)
      return wrong;
    comma = npy_take (text, ",");
  }
  skip_space (text);
  if (text->at < text->end)
    return "text after '}'";
  if (!dictionary->has_descr || !dictionary->has_order
      || !dictionary->has_shape)
    return "'descr', 'fortran_order' or 'shape' missing";
  return NULL;
}

static gboolean
npy_damaged (const char *file, const char *wrong, gsize where, GError **error)
{
  g_set_error (error, OCT_ERROR, OCT_ERROR_FORMAT,
      "%s has a damaged NumPy header (%s at byte %" G_GSIZE_FORMAT
      "); save the array again with numpy.save(file, a)",
      file, wrong, where);
  return FALSE;
}

/* Finds the text of the dictionary in the file. */
static gboolean
npy_locate (const char *file, const guint8 *data, gsize size, Text *text,
    GError **error)
{
  guint64 start, length;

  if (size < OCT_NPY_MAGIC_SIZE
      || memcmp (data, OCT_NPY_MAGIC, OCT_NPY_MAGIC_SIZE) != 0) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_FORMAT,
        "%s is not a NumPy .npy file (it does not begin with \\x93NUMPY); set "
        "`format` to what it is, or save it with numpy.save(file, a)",
        file);
    return FALSE;
  }
  if (size < 10)
    return npy_damaged (file, "end of the file", size, error);
  if (data[6] < 1 || data[6] > 3 || data[7] != 0) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_FORMAT,
        "%s is a NumPy file of version %u.%u, but 1.0 to 3.0 are known; save "
        "the array with numpy.lib.format.write_array(f, a, version=(1, 0))",
        file, data[6], data[7]);
    return FALSE;
  }

  start = data[6] == 1 ? 10 : 12;
  length = data[8] | (guint)data[9] << 8;
  if (data[6] > 1) {
    if (size < 12)
      return npy_damaged (file, "end of the file", size, error);
    length |= (guint64)data[10] << 16 | (guint64)data[11] << 24;
  }
  if (start + length > OCT_NPY_MAX_HEADER) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_FORMAT,
        "%s has a NumPy header of %" G_GUINT64_FORMAT " bytes, but at most %u "
        "are expected; save a plain array with numpy.save(file, a)",
        file, start + length, OCT_NPY_MAX_HEADER);
    return FALSE;
  }
  if (start + length > size)
    return npy_damaged (file, "end of the file", size, error);
  text->at = (const char *)data + start;
  text->end = text->at + length;
  return TRUE;
}

static gboolean
refuse_type (const char *file, Text descr, GError **error)
{
  g_set_error (error, OCT_ERROR, OCT_ERROR_FORMAT,
      "%s holds values of NumPy type '%.*s', but whole numbers of 1 to 8 bytes "
      "or floats of 2 to 8 bytes are expected; save it with "
      "numpy.save(file, a.astype('<f4'))",
      file, (int)MIN (descr.end - descr.at, 32), descr.at);
  return FALSE;
}

/* "u2" or "uint16" */
static gboolean
take_kind (Text *code, char *kind, guint64 *size)
{
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (npy_take (code, names[i].name)) {
      *kind = names[i].kind;
      if (!take_number (code, size) || *size % 8 != 0)
        return FALSE;
      *size /= 8;
      return code->at == code->end;
    }
  if (code->at == code->end)
    return FALSE;
  *kind = *code->at++;
  return take_number (code, size) && code->at == code->end;
}

static gboolean
parse_type (const char *file, Text descr, OctNpyHeader *header, GError **error)
{
  Text code = descr;
  gboolean complex;
  char order = '=', kind = '\0';
  guint64 size = 0;

  if (code.at < code.end && strchr ("<>=|", *code.at))
    order = *code.at++;
  complex = code.at < code.end && *code.at == 'c';
  /* '|' says that the order does not matter, true for bytes alone */
  if (take_kind (&code, &kind, &size) && (size == 1 || order != '|')
      && oct_stored_find (kind, size,
          order == '>' || (order == '=' && G_BYTE_ORDER == G_BIG_ENDIAN),
          &header->stored))
    return TRUE;
  if (!complex)
    return refuse_type (file, descr, error);
  g_set_error (error, OCT_ERROR, OCT_ERROR_FORMAT,
      "%s holds complex values (NumPy type '%.*s'): these are A-scans already, "
      "but spectra are expected; give A-scans to octlogscale, as "
      "examples/ascans_from_numpy.py does, or, if they are spectra, save them "
      "with numpy.save(file, a.real.astype('<f4'))",
      file, (int)MIN (descr.end - descr.at, 32), descr.at);
  return FALSE;
}

static gboolean
check_shape (const char *file, const OctNpyHeader *header, GError **error)
{
  g_autofree char *shape = NULL;
  guint64 bytes = oct_stored_get (header->stored)->size;
  guint i;

  if (header->dims < 1 || header->dims > OCT_NPY_MAX_DIMS) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_FORMAT,
        "%s holds an array of %u dimensions, but 1 to %u are expected "
        "([volumes][B-scans][lines][samples][channels]); save it with "
        "numpy.save(file, a.reshape(bscans, lines, samples))",
        file, header->dims, OCT_NPY_MAX_DIMS);
    return FALSE;
  }
  shape = oct_npy_describe_shape (header);
  for (i = 0; i < header->dims; i++) {
    if (header->shape[i] == 0) {
      g_set_error (error, OCT_ERROR, OCT_ERROR_FORMAT,
          "%s holds an empty array of shape %s; save an array with values",
          file, shape);
      return FALSE;
    }
    if (!g_uint64_checked_mul (&bytes, bytes, header->shape[i])
        || bytes > G_MAXINT64) {
      g_set_error (error, OCT_ERROR, OCT_ERROR_FORMAT,
          "%s claims the impossible shape %s; save the array again with "
          "numpy.save(file, a)",
          file, shape);
      return FALSE;
    }
  }
  return TRUE;
}

gboolean
oct_npy_parse_header (const char *file, const guint8 *data, gsize size,
    OctNpyHeader *header, GError **error)
{
  Dictionary dictionary = { 0 };
  Text text;
  const char *wrong;

  if (!npy_locate (file, data, size, &text, error))
    return FALSE;
  wrong = parse_dictionary (&text, &dictionary);
  if (dictionary.structured) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_FORMAT,
        "%s holds records of several fields, but one array of numbers is "
        "expected; save a single field with numpy.save(file, a['name'])",
        file);
    return FALSE;
  }
  if (wrong)
    return npy_damaged (file, wrong, text.at - (const char *)data, error);

  memset (header, 0, sizeof *header);
  if (!parse_type (file, dictionary.descr, header, error))
    return FALSE;
  header->dims = dictionary.dims;
  memcpy (header->shape, dictionary.shape, sizeof header->shape);
  if (!check_shape (file, header, error))
    return FALSE;
  header->fortran_order = dictionary.fortran_order && header->dims > 1;
  header->data_offset = text.end - (const char *)data;
  return TRUE;
}

char *
oct_npy_describe_shape (const OctNpyHeader *header)
{
  GString *shape = g_string_new ("(");
  guint i;

  for (i = 0; i < header->dims; i++)
    g_string_append_printf (
        shape, "%s%" G_GUINT64_FORMAT, i ? ", " : "", header->shape[i]);
  g_string_append (shape, header->dims == 1 ? ",)" : ")");
  return g_string_free (shape, FALSE);
}
