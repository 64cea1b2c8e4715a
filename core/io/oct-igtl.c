/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-igtl.h"

#include <math.h>
#include <string.h>

#define POLYNOMIAL G_GUINT64_CONSTANT (0x42f0e1eba9ea3693)
#define TYPE_SIZE 12
#define NAME_SIZE 20
#define TRANSFORM_SIZE 48
/* code, subcode, name of the error */
#define STATUS_SIZE 30
/* sizes of the parts before and after the content, and a number */
#define EXTENDED_SIZE 12
#define VERSION 1
#define NS G_GINT64_CONSTANT (1000000000)
#define LITTLE 2

/* ----------------------------------------------------------------- checksum */

/* tables[k][i]: the checksum of byte i and k bytes of 0 after it. */
static guint64 tables[8][256];

static void
igtl_fill_tables (void)
{
  for (guint i = 0; i < 256; i++) {
    guint64 crc = (guint64)i << 56;

    for (guint bit = 0; bit < 8; bit++)
      crc = (crc << 1) ^ (crc >> 63 != 0 ? POLYNOMIAL : 0);
    tables[0][i] = crc;
  }
  for (guint k = 1; k < 8; k++)
    for (guint i = 0; i < 256; i++)
      tables[k][i] =
          (tables[k - 1][i] << 8) ^ tables[0][tables[k - 1][i] >> 56];
}

static guint64
igtl_read (const guint8 *from, guint bytes)
{
  guint64 value = 0;

  for (guint i = 0; i < bytes; i++)
    value = value << 8 | from[i];
  return value;
}

guint64
oct_igtl_get_crc (gconstpointer data, gsize size)
{
  static gsize filled = 0;
  const guint8 *bytes = data;
  guint64 crc = 0;

  if (g_once_init_enter (&filled)) {
    igtl_fill_tables ();
    g_once_init_leave (&filled, 1);
  }
  for (; size >= 8; size -= 8, bytes += 8) {
    guint64 x = crc ^ igtl_read (bytes, 8);

    crc = tables[7][x >> 56] ^ tables[6][x >> 48 & 0xff]
          ^ tables[5][x >> 40 & 0xff] ^ tables[4][x >> 32 & 0xff]
          ^ tables[3][x >> 24 & 0xff] ^ tables[2][x >> 16 & 0xff]
          ^ tables[1][x >> 8 & 0xff] ^ tables[0][x & 0xff];
  }
  for (; size > 0; size--, bytes++)
    crc = (crc << 8) ^ tables[0][crc >> 56 ^ *bytes];
  return crc;
}

/* ------------------------------------------------------------------ reading */

static gboolean igtl_refuse (GError **error, const char *format, ...)
    G_GNUC_PRINTF (2, 3);

static gboolean
igtl_refuse (GError **error, const char *format, ...)
{
  va_list list;

  va_start (list, format);
  if (error != NULL)
    *error = g_error_new_valist (OCT_ERROR, OCT_ERROR_FORMAT, format, list);
  va_end (list);
  return FALSE;
}

/* Names end with a 0 or fill their field. */
static void
igtl_read_text (const guint8 *from, gsize size, char *text)
{
  gsize length = 0;

  for (; length < size && from[length] != 0; length++)
    text[length] =
        g_ascii_isprint ((char)from[length]) ? (char)from[length] : '?';
  text[length] = '\0';
}

/* Seconds and their fraction, 32 bits each. */
static gint64
igtl_read_time (const guint8 *from)
{
  guint64 seconds = igtl_read (from, 4), fraction = igtl_read (from + 4, 4);

  return (gint64)(seconds * (guint64)NS + (fraction * (guint64)NS >> 32));
}

gboolean
oct_igtl_parse_header (
    const guint8 *head, guint64 most, OctIgtlHeader *header, GError **error)
{
  *header = (OctIgtlHeader){ .version = (guint)igtl_read (head, 2),
    .time = igtl_read_time (head + 34),
    .size = igtl_read (head + 42, 8),
    .crc = igtl_read (head + 50, 8) };
  igtl_read_text (head + 2, TYPE_SIZE, header->type);
  igtl_read_text (head + 14, NAME_SIZE, header->name);
  if (header->version < 1 || header->version > 3)
    return igtl_refuse (error,
        "The peer sends version %u of OpenIGTLink, and 1 to 3 are understood; "
        "look whether another protocol is at this port",
        header->version);
  if (header->type[0] == '\0')
    return igtl_refuse (
        error, "A message of OpenIGTLink has no type; look at the peer");
  if (header->size <= most)
    return TRUE;
  return igtl_refuse (error,
      "A message %s of %" G_GUINT64_FORMAT
      " bytes is too large, the limit is %" G_GUINT64_FORMAT,
      header->type, header->size, most);
}

/* The content of the body, without the parts that version 2 has around it. */
static gboolean
igtl_find_content (const OctIgtlHeader *header, const guint8 *body,
    const char *type, const guint8 **content, guint64 *size, GError **error)
{
  guint64 before = 0, after = 0;

  if (!g_str_equal (header->type, type))
    return igtl_refuse (
        error, "A message is of type %s, not %s", header->type, type);
  if (oct_igtl_get_crc (body, (gsize)header->size) != header->crc)
    return igtl_refuse (error,
        "The checksum of a message %s is wrong; look at the peer and the "
        "network",
        type);
  if (header->version >= 2) {
    if (header->size >= EXTENDED_SIZE) {
      before = igtl_read (body, 2);
      after = igtl_read (body + 2, 2) + igtl_read (body + 4, 4);
    }
    if (before < EXTENDED_SIZE || before + after > header->size)
      return igtl_refuse (error,
          "A message %s has an extended header that does not fit its "
          "%" G_GUINT64_FORMAT " bytes; look at the peer",
          type, header->size);
  }
  *content = body + before;
  *size = header->size - before - after;
  return TRUE;
}

/* Big endian, of 32 bits; FALSE: infinite or not a number. */
static gboolean
igtl_read_float (const guint8 *from, double *value)
{
  guint32 bits = (guint32)igtl_read (from, 4);
  float number;

  memcpy (&number, &bits, sizeof number);
  *value = (double)number;
  return isfinite (number) != 0;
}

guint
oct_igtl_get_scalar_size (guint scalar)
{
  static const guint8 sizes[] = { 0, 0, 1, 1, 2, 2, 4, 4, 0, 0, 4, 8 };

  return scalar < G_N_ELEMENTS (sizes) ? sizes[scalar] : 0;
}

/* Bytes of the voxels that are in the message; 0: they cannot be. */
static guint64
igtl_count_bytes (const OctIgtlImage *image)
{
  guint64 bytes =
      (guint64)image->components * oct_igtl_get_scalar_size (image->scalar);

  for (guint i = 0; i < 3; i++)
    if (image->size[i] == 0 || image->part[i] == 0
        || image->from[i] + image->part[i] > image->size[i]
        || !g_uint64_checked_mul (&bytes, bytes, image->part[i]))
      return 0;
  return bytes;
}

static gboolean
igtl_read_image (const guint8 *at, OctIgtlImage *image)
{
  gboolean ok = TRUE;

  *image = (OctIgtlImage){ .components = at[2],
    .scalar = at[3],
    .is_big = at[4] != LITTLE,
    .is_lps = at[5] == 2 };
  for (guint i = 0; i < 3; i++) {
    image->size[i] = (guint)igtl_read (at + 6 + 2 * i, 2);
    image->from[i] = (guint)igtl_read (at + 60 + 2 * i, 2);
    image->part[i] = (guint)igtl_read (at + 66 + 2 * i, 2);
    for (guint j = 0; j < 3; j++)
      ok &= igtl_read_float (at + 12 + 12 * i + 4 * j, &image->step[i][j]);
    ok &= igtl_read_float (at + 48 + 4 * i, &image->centre[i]);
  }
  return ok;
}

gboolean
oct_igtl_parse_image (const OctIgtlHeader *header, const guint8 *body,
    OctIgtlImage *image, GError **error)
{
  const guint8 *at;
  guint64 size, bytes;

  if (!igtl_find_content (header, body, "IMAGE", &at, &size, error))
    return FALSE;
  if (size < OCT_IGTL_IMAGE_SIZE)
    return igtl_refuse (error,
        "An image has %" G_GUINT64_FORMAT
        " bytes, and its description alone has %d; look at the peer",
        size, OCT_IGTL_IMAGE_SIZE);
  if (!igtl_read_image (at, image))
    return igtl_refuse (error,
        "An image has a matrix with a value that is not a number; look at the "
        "peer");
  image->data = at + OCT_IGTL_IMAGE_SIZE;
  image->bytes = (gsize)(size - OCT_IGTL_IMAGE_SIZE);
  bytes = igtl_count_bytes (image);
  if (bytes > 0 && bytes == image->bytes)
    return TRUE;
  return igtl_refuse (error,
      "An image has %" G_GSIZE_FORMAT
      " bytes, which do not fit %u x %u x %u voxels of %u components of type "
      "%u, from %u, %u, %u of %u x %u x %u; look at the peer",
      image->bytes, image->part[0], image->part[1], image->part[2],
      image->components, image->scalar, image->from[0], image->from[1],
      image->from[2], image->size[0], image->size[1], image->size[2]);
}

gboolean
oct_igtl_parse_transform (const OctIgtlHeader *header, const guint8 *body,
    double matrix[12], GError **error)
{
  const guint8 *at;
  guint64 size;
  gboolean ok = TRUE;

  if (!igtl_find_content (header, body, "TRANSFORM", &at, &size, error))
    return FALSE;
  if (size != TRANSFORM_SIZE)
    return igtl_refuse (error,
        "A transform has %" G_GUINT64_FORMAT " bytes, not %d; look at the peer",
        size, TRANSFORM_SIZE);
  for (guint column = 0; column < 4; column++)
    for (guint row = 0; row < 3; row++)
      ok &= igtl_read_float (
          at + 4 * (3 * column + row), &matrix[4 * row + column]);
  return ok
         || igtl_refuse (error,
             "A transform has a value that is not a number; look at the peer");
}

gboolean
oct_igtl_parse_status (const OctIgtlHeader *header, const guint8 *body,
    guint *code, char **text, GError **error)
{
  const guint8 *at;
  guint64 size;

  if (!igtl_find_content (header, body, "STATUS", &at, &size, error))
    return FALSE;
  if (size < STATUS_SIZE)
    return igtl_refuse (error,
        "A status has %" G_GUINT64_FORMAT
        " bytes, not %d or more; look at the peer",
        size, STATUS_SIZE);
  *code = (guint)igtl_read (at, 2);
  size = MIN (size - STATUS_SIZE, OCT_IGTL_MOST_TEXT);
  *text = g_malloc0 ((gsize)size + 1);
  igtl_read_text (at + STATUS_SIZE, (gsize)size, *text);
  return TRUE;
}

/* ------------------------------------------------------------------ writing */

static void
igtl_write (guint8 *to, guint bytes, guint64 value)
{
  for (guint i = bytes; i-- > 0; value >>= 8)
    to[i] = (guint8)value;
}

static void
igtl_write_float (guint8 *to, double value)
{
  float number = (float)value;
  guint32 bits;

  memcpy (&bits, &number, sizeof bits);
  igtl_write (to, 4, bits);
}

/* A message with a body of zeros. */
static guint8 *
igtl_begin (const char *type, const char *name, gint64 time, gsize size)
{
  guint8 *message = g_try_malloc0 (OCT_IGTL_HEADER_SIZE + size);

  if (message == NULL)
    return NULL;
  igtl_write (message, 2, VERSION);
  memcpy (message + 2, type, strlen (type));
  memcpy (message + 14, name, MIN (strlen (name), NAME_SIZE));
  igtl_write (message + 34, 4, (guint64)(time / NS));
  igtl_write (message + 38, 4, ((guint64)(time % NS) << 32) / (guint64)NS);
  igtl_write (message + 42, 8, size);
  return message;
}

static GBytes *
igtl_end (guint8 *message, gsize size)
{
  igtl_write (
      message + 50, 8, oct_igtl_get_crc (message + OCT_IGTL_HEADER_SIZE, size));
  return g_bytes_new_take (message, OCT_IGTL_HEADER_SIZE + size);
}

GBytes *
oct_igtl_make_image (const char *name, gint64 time, const OctIgtlImage *image)
{
  gsize size = OCT_IGTL_IMAGE_SIZE + image->bytes;
  guint8 *message = igtl_begin ("IMAGE", name, time, size), *at;

  if (message == NULL)
    return NULL;
  at = message + OCT_IGTL_HEADER_SIZE;
  igtl_write (at, 2, 1);
  at[2] = (guint8)image->components;
  at[3] = (guint8)image->scalar;
  at[4] = image->is_big ? 1 : LITTLE;
  at[5] = image->is_lps ? 2 : 1;
  for (guint i = 0; i < 3; i++) {
    igtl_write (at + 6 + 2 * i, 2, image->size[i]);
    igtl_write (at + 66 + 2 * i, 2, image->size[i]);
    for (guint j = 0; j < 3; j++)
      igtl_write_float (at + 12 + 12 * i + 4 * j, image->step[i][j]);
    igtl_write_float (at + 48 + 4 * i, image->centre[i]);
  }
  memcpy (at + OCT_IGTL_IMAGE_SIZE, image->data, image->bytes);
  return igtl_end (message, size);
}

GBytes *
oct_igtl_make_transform (const char *name, gint64 time, const double matrix[12])
{
  guint8 *message = igtl_begin ("TRANSFORM", name, time, TRANSFORM_SIZE);

  if (message == NULL)
    return NULL;
  for (guint column = 0; column < 4; column++)
    for (guint row = 0; row < 3; row++)
      igtl_write_float (message + OCT_IGTL_HEADER_SIZE + 4 * (3 * column + row),
          matrix[4 * row + column]);
  return igtl_end (message, TRANSFORM_SIZE);
}

GBytes *
oct_igtl_make_status (
    const char *name, gint64 time, OctIgtlCode code, const char *text)
{
  gsize length = MIN (strlen (text), OCT_IGTL_MOST_TEXT);
  /* text ends with a 0 */
  gsize size = STATUS_SIZE + length + 1;
  guint8 *message = igtl_begin ("STATUS", name, time, size);

  if (message == NULL)
    return NULL;
  igtl_write (message + OCT_IGTL_HEADER_SIZE, 2, code);
  memcpy (message + OCT_IGTL_HEADER_SIZE + STATUS_SIZE, text, length);
  return igtl_end (message, size);
}
