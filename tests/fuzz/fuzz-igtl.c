/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Any bytes as messages of OpenIGTLink: values within the promises of
 * oct-igtl.h, or an error that can be shown.  The checksum is made right, or no
 * body would ever be read. */
#include "fuzz-error.h"
#include "oct-igtl.h"

#include <math.h>

int LLVMFuzzerTestOneInput (const guint8 *data, gsize size);

static void
fuzz_take_image (const OctIgtlHeader *header, const guint8 *body)
{
  g_autoptr (GError) error = NULL;
  OctIgtlImage image;

  if (!oct_igtl_parse_image (header, body, &image, &error)) {
    fuzz_refuse (error);
    return;
  }
  g_assert_cmpuint (oct_igtl_get_scalar_size (image.scalar), >, 0);
  g_assert_true (image.data >= body);
  g_assert_true (image.data + image.bytes <= body + header->size);
  g_assert_cmpuint (image.bytes, ==,
      (gsize)image.part[0] * image.part[1] * image.part[2] * image.components
          * oct_igtl_get_scalar_size (image.scalar));
  for (guint i = 0; i < 3; i++) {
    g_assert_cmpuint (image.from[i] + image.part[i], <=, image.size[i]);
    g_assert_true (isfinite (image.centre[i]));
  }
}

static void
fuzz_take_others (const OctIgtlHeader *header, const guint8 *body)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *text = NULL;
  double matrix[12];
  guint code;

  if (oct_igtl_parse_transform (header, body, matrix, &error))
    for (guint i = 0; i < G_N_ELEMENTS (matrix); i++)
      g_assert_true (isfinite (matrix[i]));
  else
    fuzz_refuse (error);
  g_clear_error (&error);
  if (oct_igtl_parse_status (header, body, &code, &text, &error))
    g_assert_true (g_utf8_validate (text, -1, NULL));
  else
    fuzz_refuse (error);
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  g_autoptr (GError) error = NULL;
  OctIgtlHeader header;

  if (size < OCT_IGTL_HEADER_SIZE)
    return 0;
  if (!oct_igtl_parse_header (
          data, size - OCT_IGTL_HEADER_SIZE, &header, &error)) {
    fuzz_refuse (error);
    return 0;
  }
  data += OCT_IGTL_HEADER_SIZE;
  header.crc = oct_igtl_get_crc (data, header.size);
  fuzz_take_image (&header, data);
  fuzz_take_others (&header, data);
  return 0;
}
