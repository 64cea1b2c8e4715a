/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-live-png.h"

#include <math.h>
#include <string.h>

/* The signature, and IHDR with length, type and checksum. */
#define HEAD (8 + 4 + 4 + 13 + 4)
#define UNIT_METRE 1

/* CRC-32 of PNG (ISO 3309). */
static guint32
find_checksum (const guint8 *bytes, gsize length)
{
  guint32 checksum = 0xffffffffu;

  for (gsize i = 0; i < length; i++) {
    checksum ^= bytes[i];
    for (guint bit = 0; bit < 8; bit++)
      checksum = checksum >> 1 ^ (checksum & 1 ? 0xedb88320u : 0);
  }
  return ~checksum;
}

static void
append_number (GByteArray *to, guint32 number)
{
  guint32 big = GUINT32_TO_BE (number);

  g_byte_array_append (to, (const guint8 *)&big, sizeof big);
}

static void
append_chunk (GByteArray *to, const char *type, const GByteArray *data)
{
  guint start;

  append_number (to, data->len);
  start = to->len;
  g_byte_array_append (to, (const guint8 *)type, 4);
  g_byte_array_append (to, data->data, data->len);
  append_number (to, find_checksum (to->data + start, to->len - start));
}

static void
append_sizes (GByteArray *to, double x, double y)
{
  g_autoptr (GByteArray) data = g_byte_array_new ();
  const guint8 unit = UNIT_METRE;

  if (!(x > 0.0) || !(y > 0.0) || 1.0 / x >= G_MAXINT32
      || 1.0 / y >= G_MAXINT32)
    return;
  append_number (data, (guint32)lround (1.0 / x));
  append_number (data, (guint32)lround (1.0 / y));
  g_byte_array_append (data, &unit, 1);
  append_chunk (to, "pHYs", data);
}

GBytes *
oct_live_png_describe (
    GBytes *png, double x, double y, const char *const *texts)
{
  gsize length;
  const guint8 *bytes = g_bytes_get_data (png, &length);
  GByteArray *to;

  if (length < HEAD || memcmp (bytes, "\x89PNG\r\n\x1a\n", 8) != 0)
    return g_bytes_ref (png);
  to = g_byte_array_sized_new (length + 1024);
  g_byte_array_append (to, bytes, HEAD);
  append_sizes (to, x, y);
  for (guint i = 0; texts[i] != NULL; i += 2) {
    g_autoptr (GByteArray) data = g_byte_array_new ();

    if (texts[i + 1] == NULL || *texts[i + 1] == '\0')
      continue;
    /* with the zero between keyword and text */
    g_byte_array_append (data, (const guint8 *)texts[i], strlen (texts[i]) + 1);
    /* not compressed; no language, no keyword translated to it */
    if (!g_str_is_ascii (texts[i + 1]))
      g_byte_array_append (data, (const guint8 *)"\0\0\0\0", 4);
    g_byte_array_append (
        data, (const guint8 *)texts[i + 1], strlen (texts[i + 1]));
    append_chunk (to, g_str_is_ascii (texts[i + 1]) ? "tEXt" : "iTXt", data);
  }
  g_byte_array_append (to, bytes + HEAD, length - HEAD);
  return g_byte_array_free_to_bytes (to);
}
