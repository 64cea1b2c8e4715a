/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Messages of OpenIGTLink: those that its own library makes and reads, if it is
 * there, and lies. */
#include "oct-igtl.h"

#include "oct-test.h"

#ifdef OCT_HAVE_IGTL
#  include <igtl_header.h>
#  include <igtl_image.h>
#  include <igtl_transform.h>
#  include <igtl_util.h>
#endif

#define TIME G_GINT64_CONSTANT (1700000000250000000)

static const guint8 voxels[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 };

static OctIgtlImage
make_image (void)
{
  return (OctIgtlImage){ .components = 1,
    .scalar = OCT_IGTL_UINT16,
    .size = { 3, 2, 1 },
    .step = { { 0.01, 0, 0 }, { 0, 0, -0.004 }, { 0, 0.02, 0 } },
    .centre = { 1.5, -2.25, 100 },
    .part = { 3, 2, 1 },
    .data = voxels,
    .bytes = sizeof voxels };
}

/* The body of a message, and its header. */
static const guint8 *
open_message (GBytes *message, OctIgtlHeader *header)
{
  g_autoptr (GError) error = NULL;
  gsize size;
  const guint8 *data = g_bytes_get_data (message, &size);

  g_assert_true (oct_igtl_parse_header (data, 1 << 20, header, &error));
  g_assert_cmpuint (header->size, ==, size - OCT_IGTL_HEADER_SIZE);
  return data + OCT_IGTL_HEADER_SIZE;
}

/* The check of CRC-64/ECMA-182 in the catalogue of CRC algorithms, and its
 * definition bit by bit. */
static void
test_checksum (void)
{
  guint8 bytes[100];

  g_assert_cmphex (oct_igtl_get_crc ("123456789", 9), ==,
      G_GUINT64_CONSTANT (0x6c40df5f0b497347));
  for (guint size = 0; size <= sizeof bytes; size++) {
    guint64 crc = 0;

    for (guint i = 0; i < size; i++) {
      bytes[i] = (guint8)(i * i * 37 + size);
      crc ^= (guint64)bytes[i] << 56;
      for (guint bit = 0; bit < 8; bit++)
        crc = crc << 1
              ^ (crc >> 63 ? G_GUINT64_CONSTANT (0x42f0e1eba9ea3693) : 0);
    }
    g_assert_cmphex (oct_igtl_get_crc (bytes, size), ==, crc);
  }
}

static void
check_image (const OctIgtlImage *image)
{
  const OctIgtlImage expected = make_image ();

  g_assert_cmpuint (image->components, ==, 1);
  g_assert_cmpuint (image->scalar, ==, OCT_IGTL_UINT16);
  g_assert_false (image->is_big);
  g_assert_false (image->is_lps);
  g_assert_cmpmem (image->data, image->bytes, voxels, sizeof voxels);
  for (guint i = 0; i < 3; i++) {
    g_assert_cmpuint (image->size[i], ==, expected.size[i]);
    g_assert_cmpuint (image->part[i], ==, expected.size[i]);
    g_assert_cmpuint (image->from[i], ==, 0);
    /* single precision */
    oct_test_assert_close (image->step[i], expected.step[i], 3, 1e-8);
  }
  oct_test_assert_close (image->centre, expected.centre, 3, 1e-8);
}

static void
test_image (void)
{
  const OctIgtlImage image = make_image ();
  g_autoptr (GBytes) message =
      oct_igtl_make_image ("a name of more than twenty letters", TIME, &image);
  g_autoptr (GError) error = NULL;
  OctIgtlHeader header;
  OctIgtlImage got;
  const guint8 *body = open_message (message, &header);

  g_assert_cmpstr (header.type, ==, "IMAGE");
  g_assert_cmpstr (header.name, ==, "a name of more than ");
  g_assert_cmpuint (header.version, ==, 1);
  g_assert_cmpint (ABS (header.time - TIME), <=, 1);
  g_assert_true (oct_igtl_parse_image (&header, body, &got, &error));
  check_image (&got);
}

static void
test_transform_and_status (void)
{
  const double pose[12] = { 0, 1, 0, 4.5, -1, 0, 0, -8, 0, 0, 1, 0.25 };
  g_autoptr (GBytes) moved = oct_igtl_make_transform ("probe", TIME, pose);
  g_autoptr (GBytes) said =
      oct_igtl_make_status ("oct", TIME, OCT_IGTL_NOT_READY, "no source");
  g_autoptr (GError) error = NULL;
  g_autofree char *text = NULL;
  OctIgtlHeader header;
  double got[12];
  guint code;
  const guint8 *body = open_message (moved, &header);

  g_assert_true (oct_igtl_parse_transform (&header, body, got, &error));
  oct_test_assert_close (got, pose, 12, 0.0);
  g_assert_false (oct_igtl_parse_status (&header, body, &code, &text, &error));
  oct_test_assert_error (&error, OCT_ERROR_FORMAT, "TRANSFORM", "STATUS", NULL);
  body = open_message (said, &header);
  g_assert_true (oct_igtl_parse_status (&header, body, &code, &text, &error));
  g_assert_cmpuint (code, ==, OCT_IGTL_NOT_READY);
  g_assert_cmpstr (text, ==, "no source");
}

/* ---------------------------------------------------------------------- lies */

typedef struct {
  guint at;      /* in the message */
  guint8 value;  /* that is written there */
  gboolean sums; /* with a checksum that is right */
  const char *words;
} Lie;

static void
test_lies (void)
{
  static const Lie lies[] = {
    { 1, 4, TRUE, "version 4" }, { 2, 0, TRUE, "no type" },
    { 42, 1, TRUE, "too large" }, { 58 + 72, 99, FALSE, "checksum" },
    { 58 + 2, 0, TRUE, "0 components" },
    { 58 + 2, 255, TRUE, "255 components" }, { 58 + 3, 9, TRUE, "type 9" },
    { 58 + 3, 200, TRUE, "type 200" }, { 58 + 7, 0, TRUE, "of 0 x 2 x 1" },
    { 58 + 7, 2, TRUE, "of 2 x 2 x 1" }, { 58 + 61, 1, TRUE, "from 1, 0, 0" },
    { 58 + 67, 0, TRUE, "0 x 2 x 1 voxels" },
    { 58 + 66, 255, TRUE, "65283 x 2 x 1 voxels" },
    { 58 + 12, 0x7f, TRUE, "not a number" }, /* with 0x7f8..., see below */
  };
  const OctIgtlImage image = make_image ();
  g_autoptr (GBytes) message = oct_igtl_make_image ("oct", TIME, &image);

  for (guint i = 0; i < G_N_ELEMENTS (lies); i++) {
    gsize size;
    const guint8 *right = g_bytes_get_data (message, &size);
    g_autofree guint8 *wrong = g_memdup2 (right, size);
    g_autoptr (GError) error = NULL;
    OctIgtlHeader header;
    OctIgtlImage got;

    wrong[lies[i].at] = lies[i].value;
    if (lies[i].at == 58 + 12)
      wrong[58 + 13] = 0xc0; /* a NaN */
    if (oct_igtl_parse_header (wrong, 1 << 20, &header, &error)) {
      if (lies[i].sums)
        header.crc = oct_igtl_get_crc (wrong + 58, size - 58);
      g_assert_false (oct_igtl_parse_image (&header, wrong + 58, &got, &error));
    }
    oct_test_assert_error (&error, OCT_ERROR_FORMAT, lies[i].words, NULL);
  }
}

/* Version 2 has a header before the content and data after it. */
static void
test_extended (void)
{
  guint8 body[12 + 48 + 5] = { 0, 12, 0, 2, 0, 0, 0, 3 };
  const OctIgtlHeader header = { .version = 2,
    .type = "TRANSFORM",
    .size = sizeof body,
    .crc = oct_igtl_get_crc (body, sizeof body) };
  OctIgtlHeader wrong = header;
  g_autoptr (GError) error = NULL;
  double matrix[12];

  g_assert_true (oct_igtl_parse_transform (&header, body, matrix, &error));
  for (guint i = 0; i < 256; i++) {
    if (i == 12)
      continue;
    body[1] = (guint8)i;
    wrong.crc = oct_igtl_get_crc (body, sizeof body);
    g_assert_false (oct_igtl_parse_transform (&wrong, body, matrix, &error));
    oct_test_assert_error (&error, OCT_ERROR_FORMAT, NULL);
  }
  for (wrong.size = 0; wrong.size < 12; wrong.size++) {
    wrong.crc = oct_igtl_get_crc (body, wrong.size);
    g_assert_false (oct_igtl_parse_transform (&wrong, body, matrix, &error));
    oct_test_assert_error (&error, OCT_ERROR_FORMAT, "extended", NULL);
  }
}

/* ---------------------------------------------------------- the other library */

#ifdef OCT_HAVE_IGTL
static void
test_library_reads (void)
{
  const OctIgtlImage image = make_image ();
  g_autoptr (GBytes) message = oct_igtl_make_image ("oct", TIME, &image);
  gsize size;
  g_autofree guint8 *copy =
      g_bytes_unref_to_data (g_bytes_new (g_bytes_get_data (message, NULL),
                                 g_bytes_get_size (message)),
          &size);
  igtl_header *header = (igtl_header *)copy;
  igtl_image_header *description =
      (igtl_image_header *)(copy + IGTL_HEADER_SIZE);
  float spacing[3], origin[3], i[3], j[3], k[3];

  igtl_header_convert_byte_order (header);
  g_assert_cmpuint (header->version, ==, 1);
  g_assert_cmpstr (header->name, ==, "IMAGE");
  g_assert_cmpstr (header->device_name, ==, "oct");
  g_assert_cmpuint (header->timestamp >> 32, ==, 1700000000);
  g_assert_cmpuint (header->timestamp & 0xffffffff, ==, 1u << 30);
  g_assert_cmphex (
      header->crc, ==, crc64 (copy + IGTL_HEADER_SIZE, header->body_size, 0));
  igtl_image_convert_byte_order (description);
  g_assert_cmpuint (igtl_image_get_data_size (description), ==, sizeof voxels);
  g_assert_cmpuint (
      header->body_size, ==, IGTL_IMAGE_HEADER_SIZE + sizeof voxels);
  igtl_image_get_matrix (spacing, origin, i, j, k, description);
  g_assert_cmpfloat_with_epsilon (spacing[0], 0.01, 1e-7);
  g_assert_cmpfloat_with_epsilon (spacing[1], 0.004, 1e-7);
  g_assert_cmpfloat_with_epsilon (spacing[2], 0.02, 1e-7);
  g_assert_cmpfloat_with_epsilon (j[2], -1.0, 1e-6);
  g_assert_cmpfloat_with_epsilon (origin[1], -2.25, 1e-6);
}

static void
test_library_writes (void)
{
  guint8 message[IGTL_HEADER_SIZE + IGTL_IMAGE_HEADER_SIZE + sizeof voxels] = {
    0
  };
  igtl_header *header = (igtl_header *)message;
  igtl_image_header *description =
      (igtl_image_header *)(message + IGTL_HEADER_SIZE);
  float spacing[3] = { 0.01f, 0.004f, 0.02f },
        origin[3] = { 1.5f, -2.25f, 100 };
  float i[3] = { 1, 0, 0 }, j[3] = { 0, 0, -1 }, k[3] = { 0, 1, 0 };
  g_autoptr (GError) error = NULL;
  OctIgtlHeader got;
  OctIgtlImage image;

  *description = (igtl_image_header){ .version = IGTL_IMAGE_HEADER_VERSION,
    .num_components = 1,
    .scalar_type = IGTL_IMAGE_STYPE_TYPE_UINT16,
    .endian = IGTL_IMAGE_ENDIAN_LITTLE,
    .coord = IGTL_IMAGE_COORD_RAS,
    .size = { 3, 2, 1 },
    .subvol_size = { 3, 2, 1 } };
  igtl_image_set_matrix (spacing, origin, i, j, k, description);
  memcpy (description + 1, voxels, sizeof voxels);
  header->version = 1;
  strcpy (header->name, "IMAGE");
  strcpy (header->device_name, "tracker");
  header->timestamp = (guint64)1700000000 << 32 | 1u << 30;
  header->body_size = IGTL_IMAGE_HEADER_SIZE + sizeof voxels;
  igtl_image_convert_byte_order (description);
  header->crc = crc64 (message + IGTL_HEADER_SIZE, header->body_size, 0);
  igtl_header_convert_byte_order (header);
  g_assert_true (oct_igtl_parse_header (message, 1 << 20, &got, &error));
  g_assert_cmpstr (got.name, ==, "tracker");
  g_assert_cmpint (ABS (got.time - TIME), <=, 1);
  g_assert_true (
      oct_igtl_parse_image (&got, message + IGTL_HEADER_SIZE, &image, &error));
  check_image (&image);
}
#endif

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/igtl/checksum", test_checksum);
  g_test_add_func ("/igtl/image", test_image);
  g_test_add_func ("/igtl/transform-and-status", test_transform_and_status);
  g_test_add_func ("/igtl/lies", test_lies);
  g_test_add_func ("/igtl/extended", test_extended);
#ifdef OCT_HAVE_IGTL
  g_test_add_func ("/igtl/library-reads", test_library_reads);
  g_test_add_func ("/igtl/library-writes", test_library_writes);
#endif
  return g_test_run ();
}
