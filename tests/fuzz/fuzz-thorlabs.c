/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Any bytes as the Header.xml of a Thorlabs .oct archive, whose other entries
 * are whole: what a fuzzer does to the archive itself seldom leaves a header.
 * That is for fuzz-file. */
#include "fuzz-reader.h"

#include <zip.h>

#define SAMPLES 16
#define LINES 5

static void
add (zip_t *archive, const char *name, gconstpointer data, gsize size)
{
  zip_source_t *source = zip_source_buffer (archive, data, size, 0);
  zip_int64_t index =
      zip_file_add (archive, name, source, ZIP_FL_OVERWRITE | ZIP_FL_ENC_UTF_8);

  g_assert_cmpint (index, >=, 0);
  g_assert_cmpint (
      zip_set_file_compression (archive, (zip_uint64_t)index, ZIP_CM_STORE, 0),
      ==, 0);
}

static void
remove_file (void)
{
  g_autofree char *folder = g_path_get_dirname (fuzz_files[0]);

  unlink (fuzz_files[0]);
  rmdir (folder);
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  static const gint16 spectra[LINES * SAMPLES];
  static const float dark[SAMPLES];
  const OctReaderSettings settings = { .format = OCT_FILE_THORLABS };
  float chirp[SAMPLES];
  zip_t *archive;

  if (fuzz_files[0] == NULL) {
    g_autofree char *folder = g_dir_make_tmp ("fuzz-XXXXXX", NULL);

    g_assert_nonnull (folder);
    fuzz_files[0] = g_build_filename (folder, "x.oct", NULL);
    atexit (remove_file);
  }
  for (guint i = 0; i < SAMPLES; i++)
    chirp[i] = (float)i + 0.01f * (float)(i * i);
  archive = zip_open (fuzz_files[0], ZIP_CREATE | ZIP_TRUNCATE, NULL);
  g_assert_nonnull (archive);
  add (archive, "Header.xml", data, size);
  add (archive, "data/Spectral0.data", spectra, sizeof spectra);
  add (archive, "data/Spectral1.data", spectra, sizeof spectra);
  add (archive, "data/Chirp.data", chirp, sizeof chirp);
  add (archive, "data/OffsetErrors.data", dark, sizeof dark);
  g_assert_cmpint (zip_close (archive), ==, 0);
  fuzz_open_path (fuzz_files[0], &settings);
  return 0;
}
