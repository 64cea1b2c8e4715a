/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Any bytes into the parser of .npy headers: an answer within the promises of
 * oct-npy.h, or an error that can be shown. */
#include "fuzz-error.h"
#include "oct-npy.h"

int LLVMFuzzerTestOneInput (const guint8 *data, gsize size);

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *shape = NULL;
  OctNpyHeader header;
  guint64 product = 1;

  if (!oct_npy_parse_header ("File 'x.npy'", data, size, &header, &error)) {
    g_assert_error (error, OCT_ERROR, OCT_ERROR_FORMAT);
    fuzz_refuse (error);
    return 0;
  }
  g_assert_no_error (error);
  g_assert_cmpuint (header.dims, >=, 1);
  g_assert_cmpuint (header.dims, <=, OCT_NPY_MAX_DIMS);
  g_assert_cmpuint (header.stored, <, OCT_STORED_COUNT);
  g_assert_cmpuint (header.data_offset, <=, size);
  g_assert_cmpuint (header.data_offset, <=, OCT_NPY_MAX_HEADER);
  for (guint i = 0; i < header.dims; i++) {
    g_assert_cmpuint (header.shape[i], >, 0);
    g_assert_true (g_uint64_checked_mul (&product, product, header.shape[i]));
  }
  g_assert_cmpuint (product, <=, G_MAXINT64);
  shape = oct_npy_describe_shape (&header);
  g_assert_nonnull (shape);
  return 0;
}
