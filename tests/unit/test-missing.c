/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Files that announce more B-scans than they have: the number is the one that
 * they announce, what is missing is named, and the others are read. */
#define OCT_TEST_READER_FOLDER OCT_TEST_VECTORS "/files"
#include "oct-test-vectors.h"

#include "oct-lines.h"
#include "oct-missing.h"

#define NONE ((OctReaderSettings){ 0 })

typedef struct {
  const char *name;
  OctReaderSettings settings;
  guint64 announced, frames;
  guint64 missing; /* a bit for each B-scan */
  double step;
  const char *says;
} Case;

/* Checks the reader's report, and each B-scan that is there. */
static void
assert_missing (OctReader *reader, const Case *c)
{
  const OctReaderInfo *info = oct_reader_get_info (reader);
  g_autofree char *says = oct_reader_describe_missing (reader);
  guint count = 0;

  g_test_message ("%s: %s", c->name, says);
  g_assert_cmpuint (info->announced, ==, c->announced);
  g_assert_cmpuint (info->frames, ==, c->frames);
  for (guint64 frame = 0; frame < c->announced; frame++) {
    gboolean missing = c->missing >> frame & 1;

    count += missing;
    g_assert_cmpint (oct_reader_lacks (reader, frame), ==, missing);
    if (!missing)
      oct_test_assert_bscan (reader, frame, c->step);
  }
  g_assert_cmpuint (oct_reader_count_missing (reader), ==, count);
  if (c->says == NULL) {
    g_assert_null (says);
    return;
  }
  g_assert_nonnull (says);
  g_assert_nonnull (strstr (says, c->says));
}

/* A B-scan that is missing is refused by itself. */
static void
assert_not_read (OctReader *reader, guint64 frame)
{
  const OctReaderInfo *info = oct_reader_get_info (reader);
  gsize row = info->samples * oct_sample_format_size (info->sample_format);
  g_autofree guint8 *values = g_malloc (info->lines * row);
  GError *error = NULL;

  g_assert_false (oct_reader_read (reader, frame, values, row, &error));
  oct_test_assert_error (&error, OCT_ERROR_READ, "", "copy it again", NULL);
  g_assert_true (oct_reader_lacks (reader, frame));
}

static void G_GNUC_UNUSED
check_cases (const Case *cases, guint n)
{
  for (guint i = 0; i < n; i++) {
    g_autoptr (OctReader) reader =
        open_vector (cases[i].name, cases[i].settings);

    assert_missing (reader, &cases[i]);
    for (guint64 frame = 0; frame < cases[i].frames; frame++)
      if (oct_reader_lacks (reader, frame))
        assert_not_read (reader, frame);
  }
}

/* ------------------------------------------------------------------ the list */

static void
test_list (void)
{
  g_autoptr (OctMissing) missing = oct_missing_new ();
  g_autofree char *some = NULL, *many = NULL, *none = NULL;

  none = oct_missing_describe (missing);
  g_assert_cmpstr (none, ==, "");
  oct_missing_add (missing, 5, 3, "lost");
  oct_missing_add (missing, 2, 1, "not there");
  /* around the one that is there */
  oct_missing_add (missing, 4, 5, "damaged");
  g_assert_cmpuint (oct_missing_count (missing), ==, 6);
  for (guint i = 0; i < 12; i++)
    g_assert_cmpint (
        oct_missing_has (missing, i), ==, i == 2 || (i >= 4 && i <= 8));
  some = oct_missing_describe (missing);
  g_assert_cmpstr (some, ==,
      "B-scan 2 (not there), B-scan 4 (damaged), B-scans 5 to 7 (lost), B-scan "
      "8 (damaged)");
  g_assert_cmpuint (oct_missing_cut_end (missing, 9), ==, 4);
  g_assert_cmpuint (oct_missing_cut_end (missing, 10), ==, 10);
  g_assert_cmpuint (oct_missing_cut_end (missing, 3), ==, 2);
  for (guint i = 20; i < 60; i += 2)
    oct_missing_add (missing, i, 1, "lost");
  g_assert_cmpuint (oct_missing_count (missing), ==, 26);
  many = oct_missing_describe (missing);
  g_assert_nonnull (strstr (many, "B-scan 26 (lost) and 16 more"));
}

/* In any order, as the B-scans of several volumes are noted. */
static void
test_list_joins (void)
{
  static const guint order[] = { 9, 3, 7, 5, 4, 8, 1 };
  g_autoptr (OctMissing) missing = oct_missing_new ();
  g_autofree char *text = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (order); i++)
    oct_missing_add (missing, order[i], 1, "lost");
  text = oct_missing_describe (missing);
  g_assert_cmpstr (text, ==,
      "B-scan 1 (lost), B-scans 3 to 5 (lost), B-scans 7 to 9 (lost)");
  g_assert_cmpuint (oct_missing_count (missing), ==, 7);
}

/* --------------------------------------------------------------- flat files */

static void
test_npy_cut (void)
{
  static const char header[] =
      "\x93NUMPY\1\0\x76\0{'descr': '<u2', 'fortran_order': False, 'shape': "
      "(4, 2, 3), }";
  g_autofree char *file = g_strnfill (128 + 4 * 12, ' ');
  guint16 values[24];
  g_autoptr (OctReader) reader = NULL;

  for (guint i = 0; i < 24; i++)
    values[i] = (guint16)(9 * i);
  memcpy (file, header, sizeof header - 1);
  file[127] = '\n';
  memcpy (file + 128, values, sizeof values);
  /* within the third */
  reader =
      oct_test_open (oct_test_write ("cut.npy", file, 128 + 2 * 12 + 5), NONE);
  g_assert_cmpuint (oct_reader_get_info (reader)->leftover_bytes, ==, 5);
  g_assert_cmpuint (oct_reader_get_info (reader)->bscans, ==, 4);
  assert_missing (reader,
      &(Case){ "npy", NONE, 4, 2, 0xc, 9,
          "has 4 B-scans, but 2 of them are missing: B-scans 2 to 3 (the file "
          "ends too early)" });
}

/* ------------------------------------------------------------ other formats */

static char *
write_counting (const char *name, guint count)
{
  g_autofree guint16 *counts = g_new (guint16, count);

  for (guint i = 0; i < count; i++)
    counts[i] = (guint16)(10 * i);
  return g_strdup (oct_test_write (name, counts, count * 2));
}

/* 2 volumes of 3 B-scans of 2 lines of 4 samples, two BM-scans a place or not */
static void
write_unp_xml (guint frames, guint repeats)
{
  g_autofree char *text = g_strdup_printf (
      "<Monster><Volume_Size Height=\"2\" Number_of_Frames=\"%u\" "
      "Number_of_Volumes=\"2\" Width=\"4\"/><Scanning_Parameters "
      "X_Scan_Range=\"1907\" Number_of_BM_scans=\"%u\" /></Monster>",
      frames, repeats);

  oct_test_write ("scan.xml", text, strlen (text));
}

/* At a B-scan, and within one. */
static void
test_unp (void)
{
  static const guint left[] = { 0, 3 };

  write_unp_xml (3, 1);
  for (guint i = 0; i < G_N_ELEMENTS (left); i++) {
    g_autofree char *path = write_counting ("scan.unp", 4 * 8 + left[i]);
    g_autoptr (OctReader) reader = oct_test_open (path, NONE);

    g_assert_cmpuint (oct_reader_get_info (reader)->bscans, ==, 3);
    g_assert_cmpuint (
        oct_reader_get_info (reader)->leftover_bytes, ==, 2 * left[i]);
    assert_missing (
        reader, &(Case){ "unp", NONE, 6, 4, 0x30, 10,
                    "6 B-scans, but 2 of them are missing: B-scans 4 to 5" });
  }
}

/* Number_of_Frames has the repeats in it. */
static void
test_unp_repeats (void)
{
  static const struct {
    guint frames, repeats, expected;
  } cases[] = { { 6, 2, 2 }, { 6, 3, 3 }, { 6, 1, 1 }, { 6, 4, 0 } };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *path = write_counting ("scan.unp", 12 * 8);
    g_autoptr (OctReader) reader = NULL;

    write_unp_xml (cases[i].frames, cases[i].repeats);
    reader = oct_test_open (path, NONE);
    g_assert_cmpuint (
        oct_reader_get_info (reader)->repeats, ==, cases[i].expected);
    g_assert_cmpuint (oct_reader_get_info (reader)->bscans, ==, 6);
    g_assert_cmpuint (oct_reader_get_info (reader)->frames, ==, 12);
    g_assert_null (oct_reader_describe_missing (reader));
    for (guint frame = 12; frame-- > 0;)
      oct_test_assert_bscan (reader, frame, 10);
  }
}

/* A recording of OCTproZ is whole buffers, of two B-scans here. */
static void
test_octproz (void)
{
  static const char settings[] =
      "[processing]\nresampling_c0=0\n[Virtual%20OCT%20System]\nbit_depth=16\n"
      "width=4\nheight=2\ndepth=2\nbuffers_per_volume=2\n";
  g_autofree char *path = write_counting ("scan_raw.raw", 5 * 8);
  g_autoptr (OctReader) reader = NULL;

  oct_test_write ("scan_meta.txt", settings, strlen (settings));
  reader = oct_test_open (path, NONE);
  g_assert_cmpuint (oct_reader_get_info (reader)->bscans, ==, 4);
  assert_missing (
      reader, &(Case){ "octproz", NONE, 6, 5, 0x20, 10,
                  "1 of them is missing: B-scan 5 (the file ends too early)" });
}

static void
put_number (GByteArray *file, guint32 number)
{
  g_byte_array_append (file, (const guint8 *)&number, 4);
}

static void
put_entry (GByteArray *file, const char *name, gconstpointer value, guint size)
{
  put_number (file, (guint32)strlen (name));
  g_byte_array_append (file, (const guint8 *)name, (guint)strlen (name));
  put_number (file, size);
  if (value != NULL)
    g_byte_array_append (file, value, size);
}

/* The second of four frames is shorter, and the last one is not there. */
static void
test_bioptigen (void)
{
  static const guint32 numbers[] = { 4, 2, 4, 3 };
  g_autoptr (GByteArray) file = g_byte_array_new ();
  g_autoptr (OctReader) reader = NULL;
  guint16 values[8];

  g_byte_array_append (file, (const guint8 *)"\1\2\3\4\x71\0", 6);
  put_entry (file, "FRAMEHEADER", NULL, 0);
  put_entry (file, "FRAMECOUNT", &numbers[0], 4);
  put_entry (file, "LINECOUNT", &numbers[1], 4);
  put_entry (file, "LINELENGTH", &numbers[2], 4);
  put_number (file, 0);
  for (guint frame = 0; frame < 3; frame++) {
    for (guint i = 0; i < 8; i++)
      values[i] = (guint16)(10 * (8 * frame + i));
    put_entry (file, "FRAMEDATA", NULL, 0);
    put_entry (file, "FRAMESAMPLES", values, frame == 1 ? 8 : 16);
    put_number (file, 0);
  }
  reader = oct_test_open (oct_test_write ("eye.OCT", file->data, file->len),
      (OctReaderSettings){ .format = OCT_FILE_BIOPTIGEN });
  g_assert_cmpuint (oct_reader_get_info (reader)->bscans, ==, 4);
  assert_missing (
      reader, &(Case){ "bioptigen", NONE, 4, 3, 0xa, 10,
                  "B-scan 1 (it has another size), B-scan 3 (the file ends" });
  assert_not_read (reader, 1);
}

#define SRR_NAME "Data_Y%04u_YTotal3_B%04u_BTotal2_Ganymede.srr"

/* Three places with two repeats; the first file is missing, and the fourth has
 * no last line.  Apodization is then that of the second. */
static void
test_srr (void)
{
  static const char header[] =
      "size1=8 size2=5 aporegions=1,0,2 scanregions=1,2,5 ";
  g_autofree char *last = g_strdup_printf (SRR_NAME, 3, 2);
  g_autoptr (OctReader) reader = NULL;
  GError *error = NULL;
  guint16 values[24];
  const double *background;

  for (guint frame = 1; frame < 6; frame++) {
    g_autofree char *name =
        g_strdup_printf (SRR_NAME, frame / 2 + 1, frame % 2 + 1);
    g_autoptr (GString) file = g_string_new (NULL);

    g_string_printf (file, "headersize=%u\n%s", (guint)strlen (header), header);
    for (guint i = 0; i < (frame == 3 ? 4 : 5) * 8; i++) {
      guint16 value =
          i < 16 ? 100 + 10 * frame + i % 8 : 7 * (frame * 24 + i - 16);

      g_string_append_len (file, (const char *)&value, 2);
    }
    oct_test_write (name, file->str, file->len);
  }
  reader = oct_test_open (oct_test_path (last), NONE);
  g_assert_cmpuint (oct_reader_get_info (reader)->bscans, ==, 6);
  g_assert_cmpuint (oct_reader_get_info (reader)->repeats, ==, 2);
  assert_missing (reader,
      &(Case){ "srr", NONE, 6, 6, 0x9, 7,
          "B-scan 0 (Data_Y0001_YTotal3_B0001_BTotal2_Ganymede.srr is not "
          "there, or cannot be read), B-scan 3 "
          "(Data_Y0002_YTotal3_B0002_BTotal2_Ganymede.srr is cut off)" });
  background =
      oct_calibration_get_background (oct_reader_get_calibration (reader));
  for (guint i = 0; i < 8; i++)
    g_assert_cmpfloat (background[i], ==, 110 + i);
  /* one that is there for the last time */
  g_remove (oct_test_path (last));
  g_assert_false (oct_reader_read (reader, 5, values, 16, &error));
  oct_test_assert_error (
      &error, OCT_ERROR_NOT_FOUND, last, "does not exist", NULL);
  g_assert_true (oct_reader_lacks (reader, 5));
  g_assert_cmpuint (oct_reader_count_missing (reader), ==, 3);
}

#ifdef HAVE_ZIP
static void
test_thorlabs (void)
{
  static const Case cases[] = {
    { "missing-entry.oct", { 0 }, 6, 6, 0x8, 7,
        "6 B-scans, but 1 of them is missing: B-scan 3 (data/Spectral3.data is "
        "not in the archive)" },
    { "missing-first.oct", { 0 }, 6, 6, 0x1, 7, "B-scan 0 (data/Spectral0" },
    { "short-entry.oct", { 0 }, 6, 6, 0x8, 7,
        "B-scan 3 (data/Spectral3.data has 80 bytes, not 160)" },
    { "empty-entry.oct", { 0 }, 6, 6, 0x8, 7,
        "B-scan 3 (data/Spectral3.data has 0 bytes, not 160)" },
    { "short-several.oct", { 0 }, 6, 4, 0x30, 7,
        "B-scans 4 to 5 (data/Spectral1.data has 240 bytes, not 480)" },
  };

  check_cases (cases, G_N_ELEMENTS (cases));
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (OctReader) reader = open_vector (cases[i].name, NONE);
    const double *background =
        oct_calibration_get_background (oct_reader_get_calibration (reader));

    g_assert_cmpuint (oct_reader_get_info (reader)->bscans, ==, 6);
    for (guint s = 0; s < 16; s++)
      g_assert_cmpfloat (background[s], ==, 100 + s);
  }
}

/* No entry is looked into that is not there, nor each of its B-scans. */
static void
test_thorlabs_last_only (void)
{
  GError *error = open_bad_vector ("bad-last-only.oct", NONE);

  oct_test_assert_error (&error, OCT_ERROR_FORMAT,
      "has 100000000000 B-scans, but only 100000 are there", "alone", NULL);
}

/* Lines for a calibration are those of the B-scans that are there. */
static void
test_lines (void)
{
  g_autofree char *path = oct_test_vector_path ("missing-first.oct");
  const OctReaderSettings settings = NONE;
  g_autoptr (OctLines) lines = NULL;
  GError *error = NULL;

  lines = oct_lines_read (path, &settings, G_MAXUINT64, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (lines->lines, ==, 5 * 3);
  for (guint i = 0; i < 5 * 3 * 16; i++)
    g_assert_cmpfloat (lines->values[i], ==, 7 * (3 * 16 + i));
  g_assert_null (oct_lines_read (path, &settings, 0, &error));
  oct_test_assert_error (
      &error, OCT_ERROR_READ, "B-scan 0 is missing", "copy it again", NULL);
}

/* A wrong checksum shows only when the entry is read. */
static void
test_thorlabs_checksum (void)
{
  g_autofree char *vector = oct_test_vector_path ("stored-slashes.oct");
  g_autofree char *data = NULL, *at = NULL;
  g_autoptr (OctReader) reader = NULL;
  gsize size;

  g_assert_true (g_file_get_contents (vector, &data, &size, NULL));
  /* after its name, in its own header */
  for (gsize i = 0; i + 48 < size; i++)
    if (memcmp (data + i, "PK\3\4", 4) == 0
        && memcmp (data + i + 30, "data/Spectral0.data", 19) == 0)
      data[i + 49 + 5 * 32 - 1] ^= 1;
  reader = oct_test_open (oct_test_write ("crc.oct", data, size), NONE);
  g_assert_null (oct_reader_describe_missing (reader));
  assert_not_read (reader, 0);
  assert_missing (reader,
      &(Case){ "checksum", NONE, 2, 2, 0x1, 7, "B-scan 0 (it is damaged)" });
}
#endif

#ifdef HAVE_HDF5
static void
test_hdf5 (void)
{
  static const Case cases[] = {
    { "hole.h5", { 0 }, 6, 6, 0x8, 900,
        "6 B-scans, but 1 of them is missing: B-scan 3 (never written)" },
    { "hole-in-part.h5", { 0 }, 6, 6, 0x8, 900, "B-scan 3 (never written)" },
    { "stopped.h5", { 0 }, 8, 4, 0xf0, 900, "B-scans 4 to 7 (never" },
    { "hole-in-lines.h5", { .lines = 2 }, 6, 6, 0x18, 900,
        "B-scans 3 to 4 (never written)" },
    { "hole-in-lines.h5", { .lines = 3 }, 4, 2, 0xc, 900,
        "B-scans 2 to 3 (never written)" },
    /* lines 5 to 9 */
    { "hole-across-lines.h5", { .lines = 2 }, 6, 6, 0x1c, 900,
        "B-scans 2 to 4 (never written)" },
    { "hole-across-lines.h5", { .lines = 3 }, 4, 1, 0xe, 900,
        "B-scans 1 to 3 (never written)" },
    /* the fourth of two volumes, and the others of the third */
    { "hole-in-volumes.h5", { .sample_dimension = 4 }, 12, 12, 0x788, 200,
        "B-scan 3 (never written), B-scans 7 to 10 (never written)" },
    { "hole-in-turned.h5", { .sample_dimension = 1 }, 12, 12, 0x788, 200,
        "12 B-scans, but 5 of them are missing" },
    { "hole-in-channels.h5", { .channel = 1 }, 12, 12, 0x88, 200,
        "B-scan 3 (never written), B-scan 7 (never written)" },
    { "hole-in-channels.h5", { .channel = 2 }, 12, 12, 0x700, 600,
        "B-scans 8 to 10 (never written)" },
    { "one-channel.h5", { .channel = 2 }, 12, 12, 0, 600, NULL },
  };
  GError *error = NULL;

  check_cases (cases, G_N_ELEMENTS (cases));
  error = open_bad_vector ("million.h5",
      (OctReaderSettings){ .samples = 32 }); /* short for a scan */
  oct_test_assert_error (&error, OCT_ERROR_FORMAT,
      "has 1000000 B-scans, but only 1 are there", "alone", NULL);
  error =
      open_bad_vector ("one-channel.h5", (OctReaderSettings){ .channel = 1 });
  oct_test_assert_error (&error, OCT_ERROR_FORMAT,
      "has 12 B-scans, but only 0 are there", "alone", NULL);
  error = open_bad_vector ("hole-in-line.h5", NONE);
  oct_test_assert_error (&error, OCT_ERROR_FORMAT,
      "has 1 B-scans, but only 0 are there: missing are B-scan 0 (never "
      "written)",
      "alone", NULL);
  error = open_bad_vector (
      "scattered.h5", (OctReaderSettings){ .sample_dimension = 4 });
  oct_test_assert_error (&error, OCT_ERROR_FORMAT,
      "has only 8 of 4096 pieces (chunks), more than can be looked for",
      "chunks of one B-scan", NULL);
}
#endif

#ifdef HAVE_ZLIB
/* Data packed after the damage cannot be read. */
static void
test_mat (void)
{
  g_autofree char *path = oct_test_vector_path ("noise.mat");
  g_autofree char *data = NULL, *says = NULL;
  g_autoptr (OctReader) reader = NULL;
  guint16 values[12];
  guint read = 0;
  gsize size;

  g_assert_true (g_file_get_contents (path, &data, &size, NULL));
  reader = oct_test_open (oct_test_write ("cut.mat", data, size / 2), NONE);
  for (guint frame = 0; frame < 200; frame++)
    read += oct_reader_read (reader, frame, values, 8, NULL);
  g_assert_cmpuint (read, >, 80);
  g_assert_cmpuint (oct_reader_count_missing (reader), ==, 200 - read);
  says = oct_reader_describe_missing (reader);
  g_assert_nonnull (strstr (says, "to 199 (it is damaged)"));
}
#endif

#ifdef HAVE_TIFF
static void
test_tiff (void)
{
  static const Case cases[] = {
    { "imagej-large.tif", { 0 }, 6, 6, 0, 900, NULL },
    { "imagej-large-swapped.tif", { 0 }, 6, 6, 0, 900, NULL },
    { "imagej-large-strip.tif", { 0 }, 3, 3, 0, 2, NULL },
    { "tall.tif", { .lines = 3 }, 6, 6, 0, 900, NULL },
    { "tall-strips.tif", { .lines = 3 }, 6, 6, 0, 900, NULL },
    { "tall-tiles.tif", { .lines = 3 }, 6, 6, 0, 900, NULL },
    { "tall.tif", { 0 }, 1, 1, 0, 900, NULL },
    { "imagej-large.tif", { .lines = 1 }, 18, 18, 0, 900, NULL },
  };
  static const guint order[] = { 5, 0, 3, 4, 1, 2 };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (OctReader) reader =
        open_vector (cases[i].name, cases[i].settings);
    const OctReaderInfo *info = oct_reader_get_info (reader);

    g_test_message ("%s", cases[i].name);
    g_assert_cmpuint (info->announced, ==, cases[i].announced);
    g_assert_cmpuint (info->bscans, ==, cases[i].announced);
    g_assert_null (oct_reader_describe_missing (reader));
    for (guint n = 0; n < MIN (info->frames, G_N_ELEMENTS (order)); n++)
      oct_test_assert_bscan (
          reader, MIN (order[n], info->frames - 1), cases[i].step);
  }
}

/* One image of five hundred; the other ones cut off; a damaged second page. */
static void
test_tiff_cut (void)
{
  g_autoptr (OctReader) one = open_vector ("short-imagej.tif", NONE);
  g_autofree char *path = oct_test_vector_path ("imagej-large.tif");
  g_autofree char *plain = oct_test_vector_path ("plain-u2.tif");
  g_autofree char *data = NULL, *pages = NULL, *says = NULL;
  g_autoptr (OctReader) cut = NULL, page = NULL;
  const guint32 nowhere = 0xffffff;
  guint32 first;
  guint16 tags;
  gsize size;

  g_assert_cmpuint (oct_reader_get_info (one)->announced, ==, 500);
  g_assert_cmpuint (oct_reader_get_info (one)->frames, ==, 1);
  oct_test_assert_bscan (one, 0, 1000);
  says = oct_reader_describe_missing (one);
  g_assert_nonnull (strstr (says, "500 B-scans, but 499 of them are missing"));
  g_assert_true (g_file_get_contents (path, &data, &size, NULL));
  cut = oct_test_open (oct_test_write ("cut.tif", data, size - 30), NONE);
  assert_missing (cut, &(Case){ "cut", NONE, 6, 4, 0x30, 900, "4 to 5 (the" });
  /* where the first page says that the second is, there is nothing */
  g_assert_true (g_file_get_contents (plain, &pages, &size, NULL));
  memcpy (&first, pages + 4, sizeof first);
  memcpy (&tags, pages + first, sizeof tags);
  memcpy (pages + first + 2 + 12 * tags, &nowhere, sizeof nowhere);
  page = oct_test_open (oct_test_write ("page.tif", pages, size), NONE);
  assert_missing (
      page, &(Case){ "page", NONE, 2, 1, 0x2, 1000, "B-scan 1 (the file is" });
}
#endif

int
main (int argc, char **argv)
{
  int status;

  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/missing/list", test_list);
  g_test_add_func ("/missing/list-joins", test_list_joins);
  g_test_add_func ("/missing/npy", test_npy_cut);
  g_test_add_func ("/missing/unp", test_unp);
  g_test_add_func ("/missing/unp-repeats", test_unp_repeats);
  g_test_add_func ("/missing/octproz", test_octproz);
  g_test_add_func ("/missing/bioptigen", test_bioptigen);
  g_test_add_func ("/missing/srr", test_srr);
#ifdef HAVE_ZIP
  g_test_add_func ("/missing/thorlabs", test_thorlabs);
  g_test_add_func ("/missing/thorlabs-checksum", test_thorlabs_checksum);
  g_test_add_func ("/missing/thorlabs-last-only", test_thorlabs_last_only);
  g_test_add_func ("/missing/lines", test_lines);
#endif
#ifdef HAVE_HDF5
  g_test_add_func ("/missing/hdf5", test_hdf5);
#endif
#ifdef HAVE_ZLIB
  g_test_add_func ("/missing/mat", test_mat);
#endif
#ifdef HAVE_TIFF
  g_test_add_func ("/missing/tiff", test_tiff);
  g_test_add_func ("/missing/tiff-cut", test_tiff_cut);
#endif
  status = g_test_run ();
  oct_test_clean ();
  return status;
}
