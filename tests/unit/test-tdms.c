/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* TDMS files, written here by the description of National Instruments ("TDMS
 * File Format Internal Structure"). */
#include "oct-test-reader.h"

#include <unistd.h>

#define SIZES ((OctReaderSettings){ .samples = 4, .lines = 2 })

enum { OBJECTS = 2, NEW_LIST = 4, VALUES = 8, INTERLEAVED = 32, SWAPPED = 64 };
enum { I16 = 2, U16 = 6, F32 = 9, F64 = 10, STRING = 0x20, TIME = 0x44 };

#define AS_BEFORE 0u
#define NO_VALUES 0xffffffffu
#define DAQMX 0x1269u

/* A segment in the making. */
typedef struct {
  GByteArray *list, *values;
  guint32 contents, objects;
} Segment;

static void
put (GByteArray *bytes, guint64 value, guint size, gboolean swapped)
{
  for (guint i = 0; i < size; i++) {
    guint8 byte = (guint8)(value >> 8 * (swapped ? size - 1 - i : i));

    g_byte_array_append (bytes, &byte, 1);
  }
}

static void
put_text (GByteArray *bytes, const char *text, gboolean swapped)
{
  put (bytes, strlen (text), 4, swapped);
  g_byte_array_append (bytes, (const guint8 *)text, strlen (text));
}

static Segment
begin (guint32 contents)
{
  Segment s = { g_byte_array_new (), g_byte_array_new (),
    OBJECTS | VALUES | contents, 0 };

  put (s.list, 0, 4, FALSE); /* the number of objects, see end_as() */
  return s;
}

static gboolean
is_swapped (const Segment *s)
{
  return (s->contents & SWAPPED) != 0;
}

/* Without properties. */
static void
add_object (Segment *s, const char *path, guint32 index)
{
  put_text (s->list, path, is_swapped (s));
  put (s->list, index, 4, is_swapped (s));
  if (index == AS_BEFORE || index == NO_VALUES)
    put (s->list, 0, 4, FALSE);
  s->objects++;
}

static void
add_channel (Segment *s, const char *path, guint type, guint count)
{
  add_object (s, path, type == STRING ? 28 : 20);
  put (s->list, type, 4, is_swapped (s));
  put (s->list, 1, 4, is_swapped (s));
  put (s->list, count, 8, is_swapped (s));
  if (type == STRING)
    put (s->list, 8 * count, 8, is_swapped (s));
  /* properties of two kinds */
  put (s->list, 2, 4, is_swapped (s));
  put_text (s->list, "unit_string", is_swapped (s));
  put (s->list, STRING, 4, is_swapped (s));
  put_text (s->list, "V", is_swapped (s));
  put_text (s->list, "wf_start_time", is_swapped (s));
  put (s->list, TIME, 4, is_swapped (s));
  put (s->list, 0, 8, FALSE);
  put (s->list, 0, 8, FALSE);
}

/* Values `first`, first + 10, ... */
static void
add_values (Segment *s, guint type, guint first, guint count)
{
  for (guint i = 0; i < count; i++) {
    guint value = first + 10 * i;
    float single = (float)value;
    double twice = value;
    guint64 bits = value;
    guint size = type == F64 ? 8 : type == F32 ? 4 : 2;

    if (type == F32) {
      guint32 word;

      memcpy (&word, &single, 4);
      bits = word;
    } else if (type == F64) {
      memcpy (&bits, &twice, 8);
    }
    put (s->values, bits, size, is_swapped (s));
  }
}

/* `announced`: bytes of values in the lead-in, G_MAXUINT64: not ended. */
static void
end_as (Segment *s, GByteArray *file, guint64 announced)
{
  gboolean swapped = is_swapped (s);

  for (guint i = 0; i < 4; i++)
    s->list->data[swapped ? 3 - i : i] = (guint8)(s->objects >> 8 * i);
  if ((s->contents & OBJECTS) == 0)
    g_byte_array_set_size (s->list, 0);
  g_byte_array_append (file, (const guint8 *)"TDSm", 4);
  put (file, s->contents, 4, FALSE);
  put (file, 4713, 4, swapped);
  put (file, announced == G_MAXUINT64 ? announced : s->list->len + announced, 8,
      swapped);
  put (file, s->list->len, 8, swapped);
  g_byte_array_append (file, s->list->data, s->list->len);
  g_byte_array_append (file, s->values->data, s->values->len);
  g_byte_array_unref (s->list);
  g_byte_array_unref (s->values);
}

static void
end (Segment *s, GByteArray *file)
{
  end_as (s, file, s->values->len);
}

static char *
save (const char *name, GByteArray *file)
{
  char *path = g_strdup (oct_test_write (name, file->data, file->len));

  g_byte_array_unref (file);
  return path;
}

static void
assert_bscans (const char *path, OctReaderSettings settings,
    OctSampleFormat format, guint frames, guint missing)
{
  g_autoptr (OctReader) reader = oct_test_open (path, settings);
  const OctReaderInfo *info = oct_reader_get_info (reader);
  g_autofree char *text = oct_reader_describe_missing (reader);

  g_assert_cmpint (info->format, ==, OCT_FILE_TDMS);
  g_assert_cmpint (info->sample_format, ==, format);
  g_assert_cmpuint (info->samples, ==, 4);
  g_assert_cmpuint (info->lines, ==, 2);
  g_assert_cmpuint (info->announced, ==, frames + missing);
  g_assert_true ((text != NULL) == (missing > 0));
  for (guint frame = frames; frame-- > 0;)
    oct_test_assert_bscan (reader, frame, 10);
}

/* ------------------------------------------------------------------ content */

/* One channel of every order of bytes and several types, in one piece, in
 * chunks of 3 values, and in segments without lists. */
static void
test_one_channel (void)
{
  static const struct {
    guint type, contents;
    OctSampleFormat format;
  } cases[] = { { U16, 0, OCT_SAMPLE_U16 }, { U16, SWAPPED, OCT_SAMPLE_U16 },
    { I16, 0, OCT_SAMPLE_F32 }, { F32, SWAPPED, OCT_SAMPLE_F32 },
    { F64, 0, OCT_SAMPLE_F32 } };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    for (guint kind = 0; kind < 3; kind++) {
      GByteArray *file = g_byte_array_new ();
      g_autofree char *path = NULL;
      guint chunk = kind == 0 ? 24 : 3;

      for (guint done = 0; done < 24;) {
        guint count = kind < 2 ? 24 : done == 0 ? 6 : 9;
        Segment s = begin (cases[i].contents | (done == 0 ? NEW_LIST : 0));

        if (done == 0) {
          add_object (&s, "/", NO_VALUES);
          add_object (&s, "/'scan'", NO_VALUES);
          add_channel (&s, "/'scan'/'ai0'", cases[i].type, chunk);
        } else {
          s.contents &= ~(guint32)OBJECTS;
        }
        add_values (&s, cases[i].type, 10 * done, count);
        end (&s, file);
        done += count;
      }
      path = save ("one.tdms", file);
      assert_bscans (path, SIZES, cases[i].format, 3, 0);
    }
}

/* Spectra beside a trigger and a text, one after the other and interleaved;
 * the trigger pauses, the list of objects goes on. */
static void
test_several_channels (void)
{
  OctReaderSettings wanted = SIZES;

  for (guint kind = 0; kind < 3; kind++) {
    GByteArray *file = g_byte_array_new ();
    Segment s = begin (NEW_LIST | (kind == 1 ? INTERLEAVED : 0));
    g_autofree char *path = NULL;

    add_channel (&s, "/'a'/'trigger'", F64, 4);
    add_channel (&s, "/'a'/'b''c'", U16, 4);
    if (kind != 1)
      add_channel (&s, "/'a'/'text'", STRING, 1);
    for (guint chunk = 0; chunk < 2; chunk++)
      for (guint i = 0; i < 4; i++) {
        if (kind == 1) {
          add_values (&s, F64, 7, 1);
          add_values (&s, U16, 40 * chunk + 10 * i, 1);
        } else if (i == 0) {
          add_values (&s, F64, 7, 4);
          add_values (&s, U16, 40 * chunk, 4);
          g_byte_array_append (s.values, (const guint8 *)"....text", 8);
        }
      }
    end (&s, file);
    s = begin (0);
    add_object (&s, "/'a'/'trigger'", NO_VALUES);
    if (kind != 1)
      add_object (&s, "/'a'/'text'", NO_VALUES);
    if (kind == 2)
      add_object (&s, "/'a'/'b''c'", AS_BEFORE);
    add_values (&s, U16, 80, 8);
    end (&s, file);
    path = save ("several.tdms", file);
    oct_test_assert_refused (path, SIZES, OCT_ERROR_SETTINGS,
        "several arrays that may be spectra: 'a/trigger'", "set `dataset`");
    wanted.dataset = "a/b'c";
    assert_bscans (path, wanted, OCT_SAMPLE_U16, 2, 0);
  }
}

/* ---------------------------------------------------------------------- ends */

static GByteArray *
make_cut (guint64 announced, guint there)
{
  GByteArray *file = g_byte_array_new ();
  Segment s = begin (NEW_LIST);

  add_channel (&s, "/'a'/'b'", U16, 2);
  add_values (&s, U16, 0, there);
  end_as (&s, file, announced);
  return file;
}

static void
test_cut_off (void)
{
  g_autofree char *cut = save ("cut.tdms", make_cut (4 * 16, 19));
  g_autofree char *open = save ("open.tdms", make_cut (G_MAXUINT64, 19));
  g_autofree char *lies = save ("lies.tdms", make_cut ((guint64)1 << 50, 19));
  GByteArray *file = make_cut (32, 16);
  g_autofree char *next = NULL;

  assert_bscans (cut, SIZES, OCT_SAMPLE_U16, 2, 2);
  /* LabVIEW was stopped: whole chunks count */
  assert_bscans (open, SIZES, OCT_SAMPLE_U16, 2, 0);
  oct_test_assert_refused (
      lies, SIZES, OCT_ERROR_FORMAT, "but only 2 are there", "copy it again");
  /* the next lead-in is cut off */
  g_byte_array_append (file, (const guint8 *)"TDSm\16", 5);
  next = save ("next.tdms", file);
  assert_bscans (next, SIZES, OCT_SAMPLE_U16, 2, 0);
}

static void
test_refused (void)
{
  g_autofree char *good = save ("good.tdms", make_cut (32, 16));
  g_autofree char *empty = NULL, *daqmx = NULL, *index = NULL, *mixed = NULL;
  OctReaderSettings other = SIZES;
  GByteArray *file = g_byte_array_new ();
  Segment s = begin (NEW_LIST);

  oct_test_assert_refused (good, (OctReaderSettings){ .samples = 4 },
      OCT_ERROR_SETTINGS, "the 16 values of channel 'a/b' in one row",
      "set `samples` (values per A-line, now 4) and `lines`");
  other.header_size = 3;
  oct_test_assert_refused (
      good, other, OCT_ERROR_SETTINGS, "`header-size`", "leave it 0");
  other = SIZES;
  other.dataset = "a/c";
  oct_test_assert_refused (
      good, other, OCT_ERROR_SETTINGS, "'a/c'", "set `dataset`");

  add_object (&s, "/'a'/'b'", DAQMX);
  end (&s, file);
  daqmx = save ("daqmx.tdms", file);
  oct_test_assert_refused (
      daqmx, SIZES, OCT_ERROR_FORMAT, "NI-DAQmx", "save them as .npy");

  file = g_byte_array_new ();
  s = begin (NEW_LIST);
  add_object (&s, "/'a'", NO_VALUES);
  end (&s, file);
  empty = save ("empty.tdms", file);
  oct_test_assert_refused (
      empty, SIZES, OCT_ERROR_FORMAT, "has no array", "save the spectra");

  file = make_cut (32, 16);
  s = begin (0);
  add_channel (&s, "/'a'/'b'", F64, 2);
  add_values (&s, F64, 160, 2);
  end (&s, file);
  mixed = save ("mixed.tdms", file);
  oct_test_assert_refused (
      mixed, SIZES, OCT_ERROR_FORMAT, "changes its type", "save the spectra");

  file = g_byte_array_new ();
  g_byte_array_append (file, (const guint8 *)"TDSh 01234567890123456789", 25);
  index = save ("good.tdms_index", file);
  oct_test_assert_refused (index, SIZES, OCT_ERROR_FORMAT,
      "the index of a TDMS file", "name the .tdms file");
}

/* B-scans are counted from 0 in errors, too. */
static void
test_shortened (void)
{
  g_autofree char *path = save ("shortened.tdms", make_cut (64, 32));
  g_autoptr (OctReader) reader = oct_test_open (path, SIZES);
  g_autoptr (GError) error = NULL;
  guint16 values[8];

  g_assert_cmpint (truncate (path, 100), ==, 0);
  g_assert_false (oct_reader_read (reader, 1, values, sizeof values, &error));
  oct_test_assert_error (&error, OCT_ERROR_READ, "B-scan 1 cannot be read",
      "restore the whole file", NULL);
}

/* The list of a segment goes on in those after it: with this many of both, one
 * look at each channel in each segment would take more than the time of a test.
 */
static void
test_many_segments (void)
{
  enum { CHANNELS = 4096, SEGMENTS = 300000 };
  GByteArray *file = g_byte_array_new ();
  Segment s = begin (NEW_LIST);
  g_autofree char *path = NULL;

  for (guint i = 0; i < CHANNELS; i++) {
    g_autofree char *name = g_strdup_printf ("/'a'/'%u'", i);

    add_channel (&s, name, U16, 8);
    add_values (&s, U16, 0, 8);
  }
  end (&s, file);
  for (guint i = 0; i < SEGMENTS; i++) {
    s = begin (0);
    s.contents = VALUES;
    end (&s, file);
  }
  path = save ("segments.tdms", file);
  assert_bscans (path,
      (OctReaderSettings){ .samples = 4, .lines = 2, .dataset = "a/4095" },
      OCT_SAMPLE_U16, 1, 0);
}

/* Memory for each segment of each channel: a file of this size would take 24
 * times as much. */
static void
test_many_pieces (void)
{
  enum { CHANNELS = 4096, SEGMENTS = 1025 };
  GByteArray *file = g_byte_array_new ();
  Segment s = begin (NEW_LIST);
  g_autofree char *path = NULL;
  OctReaderSettings settings = SIZES;
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < CHANNELS; i++) {
    g_autofree char *name = g_strdup_printf ("/'a'/'%u'", i);

    add_channel (&s, name, U16, 1);
    add_values (&s, U16, i, 1);
  }
  end (&s, file);
  for (guint i = 1; i < SEGMENTS; i++) {
    s = begin (0);
    s.contents = VALUES;
    add_values (&s, U16, i, CHANNELS);
    end (&s, file);
    /* so many are read */
    if (i == SEGMENTS - 2) {
      g_autofree char *most =
          g_strdup (oct_test_write ("most.tdms", file->data, file->len));
      g_autoptr (OctReader) reader = oct_test_open (most,
          (OctReaderSettings){ .samples = 4, .lines = 2, .dataset = "a/7" });

      g_assert_cmpuint (
          oct_reader_get_info (reader)->announced, ==, (SEGMENTS - 1) / 8);
    }
  }
  path = save ("pieces.tdms", file);
  settings.dataset = "a/7";
  g_assert_null (oct_reader_open (path, &settings, &error));
  oct_test_assert_error (
      &error, OCT_ERROR_FORMAT, "4194304", "TDMS Defragment", NULL);
}

/* Any byte changed and any end: an error or B-scans, no crash. */
static void
test_damaged (void)
{
  GByteArray *file = make_cut (32, 16);
  Segment s = begin (INTERLEAVED);
  g_autofree char *path = NULL;

  add_channel (&s, "/'a'/'c'", F32, 2);
  add_object (&s, "/'a'/'b'", AS_BEFORE);
  add_values (&s, U16, 0, 18);
  end (&s, file);
  path = save ("whole.tdms", file);
  oct_test_damage (path, "damaged.tdms", "damaged.tdms", SIZES, 1);
}

int
main (int argc, char **argv)
{
  int status;

  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/tdms/one-channel", test_one_channel);
  g_test_add_func ("/tdms/several-channels", test_several_channels);
  g_test_add_func ("/tdms/cut-off", test_cut_off);
  g_test_add_func ("/tdms/refused", test_refused);
  g_test_add_func ("/tdms/shortened", test_shortened);
  g_test_add_func ("/tdms/many-segments", test_many_segments);
  g_test_add_func ("/tdms/many-pieces", test_many_pieces);
  g_test_add_func ("/tdms/damaged", test_damaged);
  status = g_test_run ();
  oct_test_clean ();
  return status;
}
