/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* TIFF stacks as tifffile and libtiff's tools write them (make_formats.py). */
#include "oct-test-reader.h"

#define NONE ((OctReaderSettings){ 0 })

static char *
vector_path (const char *name)
{
  g_autofree char *file = g_strconcat (name, ".tif", NULL);

  return g_build_filename (OCT_TEST_VECTORS, "files", file, NULL);
}

#ifdef HAVE_TIFF
static const struct {
  const char *name;
  OctSampleFormat format;
  guint lines, samples, frames;
  double step;
} stacks[] = {
  { "plain-u1", OCT_SAMPLE_U8, 3, 4, 2, 10 },
  { "plain-u2", OCT_SAMPLE_U16, 3, 4, 2, 1000 },
  { "plain-i2", OCT_SAMPLE_F32, 3, 4, 2, -1000 },
  { "plain-u4", OCT_SAMPLE_F32, 3, 4, 2, 100000 },
  { "plain-f4", OCT_SAMPLE_F32, 3, 4, 2, 0.5 },
  { "plain-f8", OCT_SAMPLE_F32, 3, 4, 2, 0.25 },
  { "swapped", OCT_SAMPLE_U16, 3, 4, 2, 1000 },
  { "big", OCT_SAMPLE_U16, 3, 4, 2, 1000 },
  { "strips", OCT_SAMPLE_U16, 3, 4, 2, 1000 },
  { "tiles", OCT_SAMPLE_U16, 3, 4, 2, 1000 },
  { "wide", OCT_SAMPLE_U16, 37, 50, 2, 1 },
  { "deflated", OCT_SAMPLE_U16, 3, 4, 2, 1000 },
  { "lzw", OCT_SAMPLE_U16, 3, 4, 2, 1000 },
  { "packbits", OCT_SAMPLE_U16, 3, 4, 2, 1000 },
  { "one-page", OCT_SAMPLE_U16, 3, 4, 1, 1000 },
  { "imagej", OCT_SAMPLE_U16, 3, 4, 2, 1000 },
};

static void
test_stacks (void)
{
  static const guint order[] = { 0, 1, 0, 1, 1, 0 };

  for (guint i = 0; i < G_N_ELEMENTS (stacks); i++) {
    g_autofree char *path = vector_path (stacks[i].name);
    g_autoptr (OctReader) reader = oct_test_open (path, NONE);
    const OctReaderInfo *info = oct_reader_get_info (reader);

    g_test_message ("%s", stacks[i].name);
    g_assert_cmpint (info->format, ==, OCT_FILE_TIFF);
    g_assert_cmpint (info->sample_format, ==, stacks[i].format);
    g_assert_cmpuint (info->samples, ==, stacks[i].samples);
    g_assert_cmpuint (info->lines, ==, stacks[i].lines);
    g_assert_cmpuint (info->frames, ==, stacks[i].frames);
    g_assert_cmpuint (info->bscans, ==, stacks[i].frames);
    for (guint n = 0; n < G_N_ELEMENTS (order); n++)
      oct_test_assert_bscan (
          reader, MIN (order[n], info->frames - 1), stacks[i].step);
  }
}

/* The same pages of a camera whose columns are the spectra. */
static void
test_columns (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (stacks); i++) {
    g_autofree char *path = vector_path (stacks[i].name);
    g_autoptr (OctReader) reader =
        oct_test_open (path, (OctReaderSettings){ .sample_dimension = 2 });
    guint lines = stacks[i].samples, samples = stacks[i].lines;
    gsize row = samples * oct_sample_format_size (stacks[i].format);
    g_autofree guint8 *bscan = g_malloc (lines * row);

    g_test_message ("%s", stacks[i].name);
    g_assert_cmpuint (oct_reader_get_info (reader)->samples, ==, samples);
    g_assert_cmpuint (oct_reader_get_info (reader)->lines, ==, lines);
    g_assert_cmpuint (
        oct_reader_get_info (reader)->frames, ==, stacks[i].frames);
    for (guint frame = stacks[i].frames; frame-- > 0;) {
      g_assert_true (oct_reader_read (reader, frame, bscan, row, NULL));
      for (guint line = 0; line < lines; line++)
        for (guint s = 0; s < samples; s++)
          g_assert_cmpfloat (
              oct_test_value (bscan + line * row, stacks[i].format, s), ==,
              stacks[i].step * ((frame * samples + s) * lines + line));
    }
  }
}

static void
test_refused (void)
{
  static const struct {
    const char *name, *found, *advice;
  } cases[] = {
    { "bad-mixed-sizes",
        "page 2 has 2 rows of 4 values of 16 bits, but page 1 has 3 rows",
        "one size" },
    { "bad-mixed-types", "page 2 has 3 rows of 4 values of 32 bits",
        "one size and type" },
    { "bad-colour", "page 1 is in colour", "save it in grey" },
    { "bad-inverted", "page 1 is in colour, or inverted", "save it in grey" },
    { "bad-complex", "values of 64 bits", "8 or 16 bits" },
    { "bad-compression", "compressed in a way (39321)", "without compression" },
  };
  g_autofree char *plain = vector_path ("plain-u2");
  g_autofree char *strips = vector_path ("strips");

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *path = vector_path (cases[i].name);

    oct_test_assert_refused (
        path, NONE, OCT_ERROR_FORMAT, cases[i].found, cases[i].advice);
  }
  oct_test_assert_refused (oct_test_write ("magic.tif", "II*\0", 4), NONE,
      OCT_ERROR_FORMAT, "page 1 is damaged or cut off", "copy it again");
  oct_test_assert_refused (plain, (OctReaderSettings){ .lines = 2 },
      OCT_ERROR_SETTINGS, "2 x 3 x 4, thus lines 3", "`lines` is set to 2");
  oct_test_assert_refused (plain, (OctReaderSettings){ .header_size = 8 },
      OCT_ERROR_SETTINGS, "a TIFF file", "`header-size` is set to 8");
  oct_test_assert_refused (plain, (OctReaderSettings){ .sample_dimension = 1 },
      OCT_ERROR_SETTINGS, "`sample-dimension` is 1", "set it to 2");
  oct_test_assert_refused (plain, (OctReaderSettings){ .dataset = "a" },
      OCT_ERROR_SETTINGS, "`dataset` is set", "leave it empty");
  oct_test_assert_refused (strips,
      (OctReaderSettings){ .format = OCT_FILE_NPY }, OCT_ERROR_FORMAT,
      "not a NumPy .npy file", "set `format`");
}

static void
test_damaged (void)
{
  static const char *const names[] = { "plain-u2", "tiles", "deflated", "big" };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    g_autofree char *path = vector_path (names[i]);

    oct_test_damage (path, "damaged.tif", "damaged.tif", NONE, 1);
  }
}
#else
static void
test_left_out (void)
{
  g_autofree char *path = vector_path ("plain-u2");

  oct_test_assert_refused (
      path, NONE, OCT_ERROR_FORMAT, "made without libtiff", "libtiff-dev");
}
#endif

int
main (int argc, char **argv)
{
  int status;

  g_test_init (&argc, &argv, NULL);
#ifdef HAVE_TIFF
  g_test_add_func ("/tiff/stacks", test_stacks);
  g_test_add_func ("/tiff/columns", test_columns);
  g_test_add_func ("/tiff/refused", test_refused);
  g_test_add_func ("/tiff/damaged", test_damaged);
#else
  g_test_add_func ("/tiff/left-out", test_left_out);
#endif
  status = g_test_run ();
  oct_test_clean ();
  return status;
}
