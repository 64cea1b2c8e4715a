/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The documented error limit of the whole chain in float32 arithmetic. */
#define ROW_TOLERANCE 1e-5

/* ------------------------------------------------------------------- arrays */

OctArray *
oct_array_new (char kind, guint size, guint rows, guint columns)
{
  OctArray *array = g_new (OctArray, 1);

  array->kind = kind;
  array->size = size;
  array->rows = rows;
  array->columns = columns;
  array->data = g_malloc0 ((gsize)size * rows * columns);
  return array;
}

void
oct_array_free (OctArray *array)
{
  g_free (array->data);
  g_free (array);
}

OctArray *
oct_array_load (const char *path)
{
  g_autofree char *content = NULL, *header = NULL;
  const char *descr, *shape;
  gsize length, start;
  guint size, rows, columns;
  char kind;
  OctArray *array;

  fail_unless (
      g_file_get_contents (path, &content, &length, NULL), "no %s", path);
  fail_unless (length > 10 && memcmp (content, "\x93NUMPY\x01", 7) == 0);
  start = 10 + (guint8)content[8] + ((gsize)(guint8)content[9] << 8);
  fail_unless (start <= length);
  header = g_strndup (content + 10, start - 10);
  fail_unless (strstr (header, "'fortran_order': False") != NULL);
  descr = strstr (header, "'descr': '");
  shape = strstr (header, "'shape': (");
  fail_unless (descr != NULL && shape != NULL);
  fail_unless (sscanf (descr + 11, "%c%u", &kind, &size) == 2);
  switch (sscanf (shape + 10, "%u, %u", &rows, &columns)) {
  case 1:
    columns = rows;
    rows = 1;
    break;
  case 2:
    break;
  default:
    fail ("%s: shape not understood", path);
  }
  fail_unless_equals_int (length - start, (gsize)size * rows * columns);
  array = oct_array_new (kind, size, rows, columns);
  memcpy (array->data, content + start, length - start);
  return array;
}

OctArray *
oct_array_rows (const OctArray *array, guint first, guint rows)
{
  gsize row = (gsize)array->size * array->columns;
  OctArray *part;

  fail_unless (first + rows <= array->rows);
  part = oct_array_new (array->kind, array->size, rows, array->columns);
  memcpy (part->data, array->data + first * row, rows * row);
  return part;
}

double
oct_array_get (const OctArray *array, guint row, guint column, guint part)
{
  gsize i = (gsize)row * array->columns + column;

  switch (array->kind) {
  case 'u':
    if (part == 1)
      return 0.0;
    return array->size == 1 ? array->data[i]
                            : ((const guint16 *)array->data)[i];
  case 'f':
    return part == 1 ? 0.0 : ((const float *)array->data)[i];
  default:
    return ((const float *)array->data)[2 * i + part];
  }
}

gboolean
oct_array_equal (const OctArray *a, const OctArray *b)
{
  return a->kind == b->kind && a->size == b->size && a->rows == b->rows
         && a->columns == b->columns
         && memcmp (a->data, b->data, (gsize)a->size * a->rows * a->columns)
                == 0;
}

/* --------------------------------------------------------------- comparison */

static double
row_error (const OctArray *found, const OctArray *expected, guint row)
{
  double error = 0.0, norm = 0.0;
  guint i, part;

  for (i = 0; i < expected->columns; i++) {
    for (part = 0; part < 2; part++) {
      double e = oct_array_get (expected, row, i, part);

      error += pow (oct_array_get (found, row, i, part) - e, 2);
      norm += e * e;
    }
  }
  /* zeros have to come out as zeros; not-a-number is an error too */
  if (error == 0.0)
    return 0.0;
  return norm > 0.0 && isfinite (error) ? sqrt (error / norm) : HUGE_VAL;
}

double
oct_test_error (const OctArray *found, const OctArray *expected)
{
  double worst = 0.0;
  guint row;

  fail_unless_equals_int (found->rows, expected->rows);
  fail_unless_equals_int (found->columns, expected->columns);
  for (row = 0; row < expected->rows; row++)
    worst = MAX (worst, row_error (found, expected, row));
  return worst;
}

void
oct_test_compare (const OctArray *found, const OctArray *expected, guint levels)
{
  guint row, i;

  fail_unless_equals_int (found->rows, expected->rows);
  fail_unless_equals_int (found->columns, expected->columns);
  if (expected->kind != 'u') {
    double error = oct_test_error (found, expected);

    fail_unless (error < ROW_TOLERANCE, "relative l2 error of %g", error);
    return;
  }
  fail_unless_equals_int (found->size, expected->size);
  for (row = 0; row < expected->rows; row++) {
    for (i = 0; i < expected->columns; i++) {
      double is = oct_array_get (found, row, i, 0);
      double should = oct_array_get (expected, row, i, 0);

      fail_unless (fabs (is - should) <= levels,
          "%g instead of %g at depth %u of A-line %u", is, should, row, i);
    }
  }
}

/* ----------------------------------------------------------------- harness */

char *
oct_test_launch (const char *launch)
{
  return oct_test_cuda_launch (oct_test_in_folder (launch));
}

/* Errors and warnings alone: a message left on the bus holds its element,
 * which holds the bus. */
static GstBusSyncReply
keep_errors (GstBus *bus, GstMessage *message, gpointer unused)
{
  if (GST_MESSAGE_TYPE (message) & (GST_MESSAGE_ERROR | GST_MESSAGE_WARNING))
    return GST_BUS_PASS;
  gst_message_unref (message);
  return GST_BUS_DROP;
}

GstHarness *
oct_test_harness (const char *launch)
{
  g_autofree char *full = oct_test_launch (launch);
  GstHarness *harness = gst_harness_new_parse (full);
  GstBus *bus = gst_bus_new ();

  fail_unless (harness != NULL, "%s", full);
  gst_bus_set_sync_handler (bus, keep_errors, NULL, NULL);
  gst_element_set_bus (harness->element, bus);
  gst_object_unref (bus);
  return harness;
}

GstBus *
oct_test_bus (GstHarness *harness)
{
  GstBus *bus = gst_element_get_bus (harness->element);

  /* the harness holds it for as long as it lives */
  gst_object_unref (bus);
  return bus;
}

GstCaps *
oct_test_caps (const OctArray *array, guint lines, const char *axis)
{
  gint samples = array->columns;

  if (array->kind == 'u')
    return gst_caps_new_simple ("video/x-raw", "format", G_TYPE_STRING,
        array->size == 1 ? "GRAY8" : "GRAY16_LE", "width", G_TYPE_INT, samples,
        "height", G_TYPE_INT, lines, "framerate", GST_TYPE_FRACTION, 30, 1,
        NULL);
  if (array->kind == 'c' && (axis == NULL || g_str_equal (axis, "depth")))
    return gst_caps_new_simple ("application/x-oct-ascans", "format",
        G_TYPE_STRING, "CF32LE", "samples", G_TYPE_INT, samples, "lines",
        G_TYPE_INT, lines, "framerate", GST_TYPE_FRACTION, 30, 1, NULL);
  return gst_caps_new_simple ("application/x-oct-spectra", "format",
      G_TYPE_STRING, array->kind == 'c' ? "CF32LE" : "F32LE", "axis",
      G_TYPE_STRING, axis != NULL ? axis : "wavelength", "samples", G_TYPE_INT,
      samples, "lines", G_TYPE_INT, lines, "framerate", GST_TYPE_FRACTION, 30,
      1, NULL);
}

void
oct_test_set_src_caps (GstHarness *harness, GstCaps *caps)
{
  if (oct_test_wants_gpu_memory (harness)) {
    caps = gst_caps_make_writable (caps);
    gst_caps_set_features_simple (
        caps, gst_caps_features_new ("memory:CUDAMemory", NULL));
  }
  gst_harness_set_src_caps (harness, caps);
}

GstFlowReturn
oct_test_push_buffer (GstHarness *harness, GstBuffer *buffer)
{
  return gst_harness_push (harness, oct_test_place (harness, buffer));
}

void
oct_test_set_caps (GstHarness *harness, const OctArray *array, const char *axis)
{
  oct_test_set_src_caps (harness, oct_test_caps (array, array->rows, axis));
}

static GstBuffer *
copy_rows (
    const guint8 *data, gsize row, guint rows, gsize offset, gsize stride)
{
  GstBuffer *buffer =
      gst_buffer_new_allocate (NULL, offset + rows * stride, NULL);
  guint i;

  /* what is not to be read is not zero, so that reading it shows */
  gst_buffer_memset (buffer, 0, 0xa5, offset + rows * stride);
  for (i = 0; i < rows; i++)
    gst_buffer_fill (buffer, offset + i * stride, data + i * row, row);
  return buffer;
}

GstBuffer *
oct_test_buffer (const OctArray *array, guint first, guint rows)
{
  gsize row = (gsize)array->columns * array->size;
  gsize stride = array->kind == 'u' ? GST_ROUND_UP_4 (row) : row;

  rows = rows != 0 ? rows : array->rows;
  fail_unless (first + rows <= array->rows);
  return copy_rows (array->data + first * row, row, rows, 0, stride);
}

GstBuffer *
oct_test_strided_buffer (const OctArray *array, gsize offset, gsize stride)
{
  gsize row = (gsize)array->columns * array->size;
  gsize offsets[GST_VIDEO_MAX_PLANES] = { offset };
  gint strides[GST_VIDEO_MAX_PLANES] = { stride };
  GstBuffer *buffer = copy_rows (array->data, row, array->rows, offset, stride);

  gst_buffer_add_video_meta_full (buffer, GST_VIDEO_FRAME_FLAG_NONE,
      array->size == 1 ? GST_VIDEO_FORMAT_GRAY8 : GST_VIDEO_FORMAT_GRAY16_LE,
      array->columns, array->rows, 1, offsets, strides);
  return buffer;
}

static OctArray *
read_video (GstBuffer *buffer, GstCaps *caps)
{
  GstVideoInfo info;
  GstVideoFrame frame;
  OctArray *array;
  guint row, i, size, chroma;

  fail_unless (gst_video_info_from_caps (&info, caps));
  fail_unless (gst_video_frame_map (&frame, &info, buffer, GST_MAP_READ));
  size = GST_VIDEO_FRAME_COMP_PSTRIDE (&frame, 0);
  array = oct_array_new ('u', size, info.height, info.width);
  for (row = 0; row < array->rows; row++)
    memcpy (array->data + (gsize)row * array->columns * size,
        GST_VIDEO_FRAME_PLANE_DATA (&frame, 0)
            + (gsize)row * GST_VIDEO_FRAME_PLANE_STRIDE (&frame, 0),
        array->columns * size);
  if (GST_VIDEO_FRAME_FORMAT (&frame) == GST_VIDEO_FORMAT_NV12) {
    chroma = (array->columns + 1) / 2 * 2;
    for (row = 0; row < (array->rows + 1) / 2; row++) {
      const guint8 *data =
          (guint8 *)GST_VIDEO_FRAME_PLANE_DATA (&frame, 1)
          + (gsize)row * GST_VIDEO_FRAME_PLANE_STRIDE (&frame, 1);

      for (i = 0; i < chroma; i++)
        fail_unless_equals_int (data[i], 128);
    }
  }
  gst_video_frame_unmap (&frame);
  return array;
}

OctArray *
oct_test_read (GstBuffer *buffer, GstCaps *caps)
{
  const GstStructure *s = gst_caps_get_structure (caps, 0);
  gboolean complex;
  gint samples, lines, bscans;
  OctArray *array;
  gsize size;

  if (gst_structure_has_name (s, "video/x-raw"))
    return read_video (buffer, caps);
  complex = g_str_equal (gst_structure_get_string (s, "format"), "CF32LE");
  fail_unless (gst_structure_get_int (s, "samples", &samples));
  fail_unless (gst_structure_get_int (s, "lines", &lines));
  if (gst_structure_get_int (s, "bscans", &bscans))
    lines *= bscans;
  array = oct_array_new (complex ? 'c' : 'f', complex ? 8 : 4, lines, samples);
  size = (gsize)array->size * lines * samples;
  fail_unless_equals_uint64 (gst_buffer_get_size (buffer), size);
  gst_buffer_extract (buffer, 0, array->data, size);
  return array;
}

OctArray *
oct_test_push (GstHarness *harness, GstBuffer *buffer)
{
  GstCaps *caps;
  GstBuffer *result;
  OctArray *array;

  fail_unless_equals_int (oct_test_push_buffer (harness, buffer), GST_FLOW_OK);
  /* on a GPU octreconstruct has a thread of its own */
  result = gst_harness_pull (harness);
  fail_unless (result != NULL);
  caps = gst_pad_get_current_caps (harness->sinkpad);
  array = oct_test_read (result, caps);
  gst_caps_unref (caps);
  gst_buffer_unref (result);
  return array;
}

GBytes *
oct_test_pull_bytes (GstHarness *harness)
{
  GstBuffer *buffer = gst_harness_pull (harness);
  GstMapInfo map;
  GBytes *bytes;

  fail_unless (buffer != NULL);
  fail_unless (gst_buffer_map (buffer, &map, GST_MAP_READ));
  bytes = g_bytes_new (map.data, map.size);
  gst_buffer_unmap (buffer, &map);
  gst_buffer_unref (buffer);
  return bytes;
}

OctArray *
oct_test_run (GstHarness *harness, const OctArray *input, const char *axis)
{
  oct_test_set_caps (harness, input, axis);
  return oct_test_push (harness, oct_test_buffer (input, 0, 0));
}

void
oct_test_set (GstHarness *harness, const char *factory, const char *property,
    const char *value)
{
  GstElement *element = gst_harness_find_element (harness, factory);
  g_autofree char *full = value != NULL ? oct_test_in_folder (value) : NULL;

  fail_unless (element != NULL);
  if (full != NULL)
    gst_util_set_object_arg (G_OBJECT (element), property, full);
  else
    g_object_set (element, property, NULL, NULL);
  gst_object_unref (element);
}

/* `data`: property=value */
static GstPadProbeReturn
set_with_caps (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  g_auto (GStrv) words = NULL;
  GstElement *element;

  if (GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info)) != GST_EVENT_CAPS)
    return GST_PAD_PROBE_OK;
  words = g_strsplit (data, "=", 2);
  element = gst_pad_get_parent_element (pad);
  gst_util_set_object_arg (G_OBJECT (element), words[0], words[1]);
  gst_object_unref (element);
  return GST_PAD_PROBE_REMOVE;
}

void
oct_test_set_with_caps (GstHarness *harness, const char *factory,
    const char *property, const char *value)
{
  GstElement *element = gst_harness_find_element (harness, factory);
  GstPad *pad = gst_element_get_static_pad (element, "src");

  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, set_with_caps,
      g_strdup_printf ("%s=%s", property, value), g_free);
  gst_object_unref (pad);
  gst_object_unref (element);
}

GstStructure *
oct_test_output (GstHarness *harness)
{
  GstCaps *caps = gst_pad_get_current_caps (harness->sinkpad);
  GstStructure *s;

  fail_unless (caps != NULL);
  s = gst_structure_copy (gst_caps_get_structure (caps, 0));
  gst_caps_unref (caps);
  return s;
}

/* One message of this type alone, and its words. */
static GError *
take_message (GstBus *bus, GstMessageType type, va_list words)
{
  GstMessage *message = gst_bus_pop_filtered (bus, type);
  const char *name = gst_message_type_get_name (type), *word;
  GError *error = NULL;

  fail_unless (message != NULL, "no %s was posted", name);
  if (type == GST_MESSAGE_WARNING)
    gst_message_parse_warning (message, &error, NULL);
  else
    gst_message_parse_error (message, &error, NULL);
  gst_message_unref (message);
  while ((word = va_arg (words, const char *)) != NULL)
    fail_unless (strstr (error->message, word) != NULL, "'%s' is not in '%s'",
        word, error->message);
  message = gst_bus_pop_filtered (bus, type);
  fail_unless (message == NULL, "more than one %s was posted", name);
  return error;
}

void
oct_test_assert_error (GstBus *bus, ...)
{
  va_list words;

  va_start (words, bus);
  g_error_free (take_message (bus, GST_MESSAGE_ERROR, words));
  va_end (words);
}

void
oct_test_assert_refused_live (GstBus *bus, ...)
{
  g_autoptr (GError) error = NULL;
  va_list words;

  va_start (words, bus);
  error = take_message (bus, GST_MESSAGE_WARNING, words);
  va_end (words);
  fail_unless (
      g_error_matches (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS),
      "%s %d", g_quark_to_string (error->domain), error->code);
  oct_test_assert_quiet (bus);
}

void
oct_test_assert_quiet (GstBus *bus)
{
  GstMessage *message =
      gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR | GST_MESSAGE_WARNING);

  fail_unless (message == NULL, "there is a message: %" GST_PTR_FORMAT,
      (gpointer)message);
}

/* ------------------------------------------------------ calibration, B-scans
 */

GstEvent *
oct_test_calibration (const char *properties, guint samples)
{
  g_autofree char *launch = g_strdup_printf ("octdcsub %s", properties);
  GstHarness *harness = oct_test_harness (launch);
  g_autoptr (OctArray) input = oct_array_new ('u', 1, 1, samples);
  g_autoptr (OctArray) output = oct_test_run (harness, input, NULL);
  GstEvent *event = gst_pad_get_sticky_event (
      harness->sinkpad, GST_EVENT_CUSTOM_DOWNSTREAM_STICKY, 0);

  fail_unless (event != NULL, "octdcsub %s sent no calibration", properties);
  gst_harness_teardown (harness);
  return event;
}

void
oct_test_add_scan_meta (
    GstBuffer *buffer, guint bscan, guint bscans, guint64 volume)
{
  g_autoptr (GstPlugin) plugin = gst_plugin_load_by_name ("oct");
  GstCustomMeta *meta = gst_buffer_add_custom_meta (buffer, "GstOctScanMeta");

  fail_unless (meta != NULL, "the plugin makes no GstOctScanMeta known");
  gst_structure_set (gst_custom_meta_get_structure (meta), "bscan", G_TYPE_UINT,
      bscan, "bscans", G_TYPE_UINT, bscans, "volume", G_TYPE_UINT64, volume,
      "count", G_TYPE_UINT, 1, NULL);
}

void
oct_test_lose_lines (GstBuffer *buffer, guint lines, guint first, guint n)
{
  GstCustomMeta *meta = gst_buffer_get_custom_meta (buffer, "GstOctScanMeta");
  GstStructure *fields = gst_custom_meta_get_structure (meta);
  GstBuffer *valid = NULL;

  if (!gst_structure_get (fields, "valid", GST_TYPE_BUFFER, &valid, NULL)) {
    valid = gst_buffer_new_allocate (NULL, lines, NULL);
    gst_buffer_memset (valid, 0, 1, lines);
  }
  valid = gst_buffer_make_writable (valid);
  gst_buffer_memset (valid, first, 0, n);
  gst_structure_set (fields, "valid", GST_TYPE_BUFFER, valid, NULL);
  gst_buffer_unref (valid);
}

GstOctScanPosition
oct_test_get_scan_position (GstBuffer *buffer)
{
  GstOctScanPosition position = { 0 };
  GstCustomMeta *meta = gst_buffer_get_custom_meta (buffer, "GstOctScanMeta");

  if (meta != NULL)
    fail_unless (
        gst_structure_get (gst_custom_meta_get_structure (meta), "bscan",
            G_TYPE_UINT, &position.bscan, "bscans", G_TYPE_UINT,
            &position.bscans, "volume", G_TYPE_UINT64, &position.volume,
            "count", G_TYPE_UINT, &position.count, NULL),
        "%" GST_PTR_FORMAT, gst_custom_meta_get_structure (meta));
  position.has_place =
      meta != NULL
      && gst_structure_get (gst_custom_meta_get_structure (meta), "place",
          G_TYPE_UINT, &position.place, "repeat", G_TYPE_UINT, &position.repeat,
          NULL);
  return position;
}

guint
oct_test_read_mask (const char *path, guint samples, guint *places)
{
  g_autofree char *text = NULL;
  guint kept = 0, place = 0, i;

  fail_unless (g_file_get_contents (path, &text, NULL, NULL));
  for (i = 0; text[i] != '\0'; i++) {
    if (text[i] == '1')
      places[kept++] = place;
    place += text[i] == '0' || text[i] == '1';
  }
  fail_unless_equals_int (place, samples);
  return kept;
}

OctArray *
oct_test_keep_samples (const OctArray *input, const char *path)
{
  g_autofree guint *places = g_new (guint, input->columns);
  guint kept = oct_test_read_mask (path, input->columns, places);
  OctArray *some;
  guint row, i;

  some = oct_array_new (input->kind, input->size, input->rows, kept);
  for (row = 0; row < input->rows; row++)
    for (i = 0; i < kept; i++)
      memcpy (some->data + (row * kept + i) * input->size,
          input->data + (row * input->columns + places[i]) * input->size,
          input->size);
  return some;
}

/* -------------------------------------------------------------------- cases */

static const OctTestRow *
find_row (const char *prefix, guint i)
{
  const OctTestRow *row;
  guint n, found = 0;

  for (n = 0; (row = oct_test_get_row (n)) != NULL; n++)
    if (g_str_has_prefix (row->name, prefix) && found++ == i)
      return row;
  return NULL;
}

guint
oct_test_count_cases (const char *prefix)
{
  guint count = 0;

  while (find_row (prefix, count) != NULL)
    count++;
  return count;
}

OctTestCase *
oct_test_get_case (const char *prefix, guint i)
{
  const OctTestRow *row = find_row (prefix, i);
  OctTestCase *found = g_new0 (OctTestCase, 1);

  fail_unless (row != NULL);
  GST_INFO ("case %s", row->name);
  found->name = row->name;
  found->launch = row->launch;
  found->axis = row->axis;
  found->input_name = row->input;
  found->bscans = MAX (1, row->bscans);
  found->input = oct_test_input (row->input);
  found->expected =
      oct_test_compute (row->launch, found->input, row->axis, found->bscans);
  return found;
}

void
oct_test_free_case (OctTestCase *test_case)
{
  oct_array_free (test_case->input);
  oct_array_free (test_case->expected);
  g_free (test_case);
}

void
oct_test_run_case (const char *prefix, guint i)
{
  g_autoptr (OctTestCase) test = oct_test_get_case (prefix, i);
  GstHarness *harness = oct_test_harness (test->launch);
  guint lines = test->input->rows / test->bscans;
  guint rows = test->expected->rows / test->bscans;
  guint n;

  oct_test_set_src_caps (
      harness, oct_test_caps (test->input, lines, test->axis));
  for (n = 0; n < test->bscans; n++) {
    g_autoptr (OctArray) expected =
        oct_array_rows (test->expected, n * rows, rows);
    g_autoptr (OctArray) found = oct_test_push (
        harness, oct_test_buffer (test->input, n * lines, lines));

    oct_test_compare (found, expected, 1);
  }
  gst_harness_teardown (harness);
}

const char *
oct_test_vectors (void)
{
  const char *elsewhere = g_getenv ("OCT_TEST_VECTORS");

  return elsewhere != NULL ? elsewhere : OCT_TEST_VECTORS;
}
