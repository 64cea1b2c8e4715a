/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* .unp with its XML, and Bioptigen .OCT: written here by the layouts that
 * octopod (which reads the one) and Bioptigen's own example (the other) have.
 */
#include "oct-test-reader.h"

#include <unistd.h>

#define NONE ((OctReaderSettings){ 0 })
#define SPECTRA ((OctReaderSettings){ .format = OCT_FILE_BIOPTIGEN })
#define SIZES                                                                  \
  "<Volume_Size Height=\"2\" Number_of_Frames=\"3\" Number_of_Volumes=\"2\" "  \
  "Width=\"4\"/>"
#define MONSTER                                                                \
  "<?xml version=\"1.0\" ?>\n<Monster>\n  <Name>Goblin</Name>\n  " SIZES       \
  "\n  <Dispersion_Parameters C2=\"0.00e+00\" C3=\"0.00e+00\"/>\n</Monster>\n"

/* Counts that rise by 10. */
static char *
write_counts (const char *name, guint count)
{
  g_autofree guint16 *counts = g_new (guint16, count);

  for (guint i = 0; i < count; i++)
    counts[i] = (guint16)(10 * i);
  return g_strdup (oct_test_write (name, counts, count * 2));
}

static void
write_text (const char *name, const char *text)
{
  oct_test_write (name, text, strlen (text));
}

static void
assert_volume (OctReader *reader, guint frames)
{
  const OctReaderInfo *info = oct_reader_get_info (reader);

  g_assert_cmpint (info->sample_format, ==, OCT_SAMPLE_U16);
  g_assert_cmpuint (info->samples, ==, 4);
  g_assert_cmpuint (info->lines, ==, 2);
  g_assert_cmpuint (info->frames, ==, frames);
  for (guint frame = frames; frame-- > 0;)
    oct_test_assert_bscan (reader, frame, 10);
}

/* ---------------------------------------------------------------------- unp */

/* Names in small letters and an end that is not valid XML are octopod's. */
static void
test_unp (void)
{
  static const struct {
    const char *name, *text;
  } cases[] = {
    { "scan.xml", MONSTER },
    { "scan.xml",
        "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<MonsterList>\n\t<Monster>"
        "\n\t\t<volume_size width=\"4\" height=\"2\" number_of_frames=\"3\" "
        "number_of_volumes=\"2\" />\n\t<\\Monster>\n<\\MonsterList>" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *path = write_counts ("scan.unp", 48);
    g_autoptr (OctReader) reader = NULL;

    write_text (cases[i].name, cases[i].text);
    reader = oct_test_open (path, NONE);
    g_assert_cmpint (oct_reader_get_info (reader)->format, ==, OCT_FILE_UNP);
    g_assert_cmpuint (oct_reader_get_info (reader)->bscans, ==, 3);
    assert_volume (reader, 6);
  }
  g_remove (oct_test_path ("scan.xml"));
}

static void
test_unp_names (void)
{
  g_autofree char *several = write_counts ("scan_one_2T.UNP", 32);
  g_autofree char *other = write_counts ("scan.dat", 48);
  g_autoptr (OctReader) reader = NULL;

  write_text ("scan_one.xml", MONSTER);
  /* it was stopped in its second volume */
  reader = oct_test_open (several, NONE);
  assert_volume (reader, 4);
  oct_test_assert_refused (other, (OctReaderSettings){ .format = OCT_FILE_UNP },
      OCT_ERROR_SETTINGS, "does not end with .unp", "rename it");
}

static void
test_unp_refused (void)
{
  static const struct {
    const char *text, *found;
  } cases[] = {
    { "", "have no sizes" },
    { "<a><b/></a>", "have no sizes" },
    { "<Volume_Size Height=\"2\" Number_of_Frames=\"3\" Width=\"4\"/>",
        "have impossible numbers" },
    { "<Volume_Size Height=\"-2\" Number_of_Frames=\"3\" Width=\"4\" "
      "Number_of_Volumes=\"1\"/>",
        "have impossible numbers" },
    { "<Volume_Size Height=\"2\" Number_of_Frames=\"3\" Width=\"99999999\" "
      "Number_of_Volumes=\"1\"/>",
        "have impossible numbers" },
    { "<!DOCTYPE a [<!ENTITY b 'bbbbbbbb'><!ENTITY c '&b;&b;&b;&b;'>]><a>&c;"
      "</a>",
        "have no sizes" },
    { "<Volume_Size Height=\"2\" Number_of_Frames=\"2\" Width=\"4\" "
      "Number_of_Volumes=\"1\"/>",
        "has 96 bytes, but the settings beside it say 2 B-scans" },
    { "<Volume_Size Height=\"3\" Number_of_Frames=\"3\" Width=\"5\" "
      "Number_of_Volumes=\"1\"/>",
        "has 96 bytes, but the settings beside it say 3 B-scans" },
  };
  g_autofree char *path = write_counts ("bad.unp", 48);
  g_autofree char *lines = g_strnfill ((1u << 20) + 1, '\n');

  oct_test_assert_refused (
      path, NONE, OCT_ERROR_FORMAT, "bad.xml' are missing", "`format` to raw");
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    write_text ("bad.xml", cases[i].text);
    oct_test_assert_refused (
        path, NONE, OCT_ERROR_FORMAT, cases[i].found, "`format` to raw");
  }
  write_text ("bad.xml", lines);
  oct_test_assert_refused (path, NONE, OCT_ERROR_FORMAT,
      "are not text of at most 1 MiB", "`format` to raw");
  write_text ("bad.xml", MONSTER);
  oct_test_assert_refused (path, (OctReaderSettings){ .samples = 5 },
      OCT_ERROR_SETTINGS, "thus samples 4", "`samples` is set to 5");
}

static void
test_unp_damaged (void)
{
  g_autofree char *raw = write_counts ("damaged.unp", 48);
  g_autofree char *path = NULL;

  write_text ("damaged.xml", MONSTER);
  path = g_strdup (oct_test_path ("damaged.xml"));
  oct_test_damage (path, "damaged.xml", "damaged.unp", NONE, 1);
}

/* ---------------------------------------------------------------- Bioptigen */

static void
put_u32 (GByteArray *file, guint32 number)
{
  g_byte_array_append (file, (const guint8 *)&number, 4);
}

static void
put_entry (GByteArray *file, const char *name, gconstpointer value, guint size)
{
  put_u32 (file, (guint32)strlen (name));
  g_byte_array_append (file, (const guint8 *)name, (guint)strlen (name));
  put_u32 (file, size);
  if (value != NULL)
    g_byte_array_append (file, value, size);
}

static void
put_number (GByteArray *file, const char *name, guint32 number)
{
  put_entry (file, name, &number, 4);
}

/* `lines`: of each frame, 0 = not told by it; `told`: of the header. */
static GByteArray *
make_bioptigen (guint frames, guint told, guint lines, gboolean doppler)
{
  GByteArray *file = g_byte_array_new ();
  const double depth = 3.4;
  guint16 values[8], doppler_values[8] = { 1, 2, 3 };

  g_byte_array_append (file, (const guint8 *)"\1\2\3\4\x71\0", 6);
  put_entry (file, "FRAMEHEADER", NULL, 1234);
  put_number (file, "FRAMECOUNT", frames);
  put_number (file, "LINECOUNT", told);
  put_number (file, "LINELENGTH", 4);
  put_number (file, "SAMPLEFORMAT", 2);
  put_entry (file, "DESCRIPTION", "eye", 3);
  put_entry (file, "SCANDEPTH", &depth, 8);
  put_entry (file, "CONFIG", "any bytes FRAMECOUNT", 20);
  put_u32 (file, 0);
  for (guint frame = 0; frame < frames; frame++) {
    for (guint i = 0; i < 8; i++)
      values[i] = (guint16)(10 * (8 * frame + i));
    put_entry (file, "FRAMEDATA", NULL, 99);
    put_entry (file, "FRAMEDATETIME", "0123456789abcdef", 16);
    put_entry (file, "FRAMETIMESTAMP", &depth, 8);
    if (lines > 0)
      put_number (file, "FRAMELINES", lines);
    put_entry (file, "FRAMESAMPLES", values, 16);
    if (doppler)
      put_entry (file, "DOPPLERSAMPLES", doppler_values, 16);
    put_u32 (file, 0);
  }
  return file;
}

static char *
write_file (const char *name, const GByteArray *file, gsize size)
{
  return g_strdup (oct_test_write (name, file->data, size));
}

static void
test_bioptigen (void)
{
  static const struct {
    guint told, lines;
    gboolean doppler;
  } cases[] = { { 2, 2, FALSE }, { 7, 2, TRUE }, { 2, 0, FALSE } };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (GByteArray) file =
        make_bioptigen (5, cases[i].told, cases[i].lines, cases[i].doppler);
    g_autofree char *path = write_file ("eye.OCT", file, file->len);
    g_autoptr (OctReader) reader = oct_test_open (path, SPECTRA);
    g_autofree char *short_path = write_file ("cut.OCT", file, file->len - 30);
    g_autoptr (OctReader) cut = oct_test_open (short_path, SPECTRA);

    g_assert_cmpuint (oct_reader_get_info (reader)->bscans, ==, 5);
    assert_volume (reader, 5);
    assert_volume (cut, 4);
    oct_test_assert_refused (path, NONE, OCT_ERROR_SETTINGS,
        "usually contains images", "set `format` to bioptigen");
  }
}

static void
test_bioptigen_refused (void)
{
  g_autoptr (GByteArray) none = make_bioptigen (0, 2, 2, FALSE);
  g_autoptr (GByteArray) lies = make_bioptigen (2, 2, 3, FALSE);
  g_autoptr (GByteArray) good = make_bioptigen (2, 2, 2, FALSE);
  g_autofree char *path = write_file ("none.OCT", none, none->len);

  oct_test_assert_refused (path, SPECTRA, OCT_ERROR_FORMAT,
      "lacks FRAMECOUNT or LINELENGTH", "copy it again");
  g_free (path);
  path = write_file ("lies.OCT", lies, lies->len);
  oct_test_assert_refused (path, SPECTRA, OCT_ERROR_FORMAT,
      "its frames do not have the sizes", "copy it again");
  g_free (path);
  path = write_file ("cut.OCT", good, 200);
  oct_test_assert_refused (
      path, SPECTRA, OCT_ERROR_FORMAT, "it has no frames", "copy it again");
  g_free (path);
  path = write_file ("cut.OCT", good, 40);
  oct_test_assert_refused (
      path, SPECTRA, OCT_ERROR_FORMAT, "lacks FRAMECOUNT", "copy it again");
  g_free (path);
  path = write_file ("good.OCT", good, good->len);
  oct_test_damage (path, "damaged.OCT", "damaged.OCT", SPECTRA, 1);
}

/* B-scans are counted from 0 in errors, as in all formats. */
static void
test_bioptigen_shortened (void)
{
  g_autoptr (GByteArray) file = make_bioptigen (3, 2, 2, FALSE);
  g_autofree char *path = write_file ("shortened.OCT", file, file->len);
  g_autoptr (OctReader) reader = oct_test_open (path, SPECTRA);
  g_autoptr (GError) error = NULL;
  guint16 values[8];

  g_assert_cmpint (truncate (path, file->len / 2), ==, 0);
  g_assert_false (oct_reader_read (reader, 2, values, sizeof values, &error));
  oct_test_assert_error (&error, OCT_ERROR_READ, "B-scan 2 cannot be read",
      "the file has been shortened; restore the whole file", NULL);
}

int
main (int argc, char **argv)
{
  int status;

  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/unp/read", test_unp);
  g_test_add_func ("/unp/names", test_unp_names);
  g_test_add_func ("/unp/refused", test_unp_refused);
  g_test_add_func ("/unp/damaged", test_unp_damaged);
  g_test_add_func ("/bioptigen/read", test_bioptigen);
  g_test_add_func ("/bioptigen/refused", test_bioptigen_refused);
  g_test_add_func ("/bioptigen/shortened", test_bioptigen_shortened);
  status = g_test_run ();
  oct_test_clean ();
  return status;
}
