/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Any bytes as events of another element: scan paths, masks, calibrations, and
 * metadata of buffers, whose fields have any types and sizes, or are missing.
 * Each element that reads them takes them between its B-scans: they are used,
 * or refused with a sentence. */
#include <gst/gst.h>
#include <math.h>
#include <string.h>

#include "gstoctcalibration.h"
#include "gstoctenface.h"
#include "gstoctfft.h"
#include "gstoctkresample.h"
#include "gstoctrefocus.h"
#include "gstoctremap.h"
#include "gstoctscanmask.h"
#include "gstoctscanmeta.h"
#include "gstoctscanpath.h"
#include "gstoctvolumecs.h"
#include "oct/oct.h"

#define LINES 4
#define BSCANS 3
#define SAMPLES 16
#define MOST_FIELDS 8
#define MOST_BYTES 1024 /* of a buffer */
#define MOST_BSCANS 12

int LLVMFuzzerTestOneInput (const guint8 *data, gsize size);

/* ------------------------------------------------------------------- bytes */

typedef struct {
  const guint8 *data;
  gsize left;
} Bytes;

/* 0 after the end. */
static guint
take (Bytes *bytes)
{
  if (bytes->left == 0)
    return 0;
  bytes->left--;
  return *bytes->data++;
}

static guint64
take_number (Bytes *bytes, guint count)
{
  guint64 value = 0;

  for (guint i = 0; i < count; i++)
    value = value << 8 | take (bytes);
  return value;
}

/* Doubles as they are in programs: some round ones, or any bits. */
static double
take_double (Bytes *bytes)
{
  guint kind = take (bytes);
  guint64 bits;
  double value;

  if (kind < 128)
    return ((double)kind - 64) * 1e-3;
  if (kind < 250)
    return 800.0 + kind;
  bits = take_number (bytes, 8);
  memcpy (&value, &bits, sizeof value);
  return value;
}

static GstBuffer *
take_buffer (Bytes *bytes)
{
  guint kind = take (bytes), count = take (bytes);
  GstBuffer *buffer = gst_buffer_new ();

  /* doubles, or bytes, of one memory or of two */
  for (guint i = 0; i < 1 + (kind >> 7); i++) {
    g_autoptr (GByteArray) values = g_byte_array_new ();

    for (guint j = 0; j < count && values->len < MOST_BYTES; j++) {
      double value = kind & 1 ? take_double (bytes) : 0;
      guint8 byte = kind & 1 ? 0 : (guint8)take (bytes);

      g_byte_array_append (values, kind & 1 ? (guint8 *)&value : &byte,
          kind & 1 ? sizeof value : 1);
    }
    if (values->len > 0) {
      GstBuffer *more = gst_buffer_new_memdup (values->data, values->len);

      buffer = gst_buffer_append (buffer, more);
    }
  }
  return buffer;
}

/* --------------------------------------------------------------- structures */

static const char *const events[] = { GST_OCT_SCAN_PATH_EVENT_NAME,
  GST_OCT_CALIBRATION_EVENT_NAME, GST_OCT_SCAN_MASK_EVENT_NAME };

static const char *const fields[] = { GST_OCT_SCAN_PATH_LINES,
  GST_OCT_SCAN_PATH_BSCANS, GST_OCT_SCAN_PATH_X, GST_OCT_SCAN_PATH_Y,
  GST_OCT_SCAN_PATH_PATTERN, GST_OCT_SCAN_MASK_TAKEN, "mask", "calibration",
  "wavelength-nm", "k-index", "dispersion-rad", "background",
  GST_OCT_SCAN_BSCAN, GST_OCT_SCAN_VOLUME, GST_OCT_SCAN_COUNT,
  GST_OCT_SCAN_PLACE, GST_OCT_SCAN_REPEAT, GST_OCT_SCAN_VALID, "other" };

/* Nothing but a type, as a program that forgets the value. */
static void
set_empty (GstStructure *s, const char *name, GType type)
{
  GValue value = G_VALUE_INIT;

  g_value_init (&value, type);
  gst_structure_take_value (s, name, &value);
}

static void
set_field (GstStructure *s, const char *name, Bytes *bytes)
{
  static const char *const patterns[] = { "spiral", "raster", "", "x y\n#" };
  g_autoptr (GstBuffer) buffer = NULL;

  switch (take (bytes) % 14) {
  case 0:
  case 1:
    gst_structure_set (s, name, G_TYPE_UINT, take (bytes), NULL);
    break;
  case 2:
  case 3:
  case 4:
    buffer = take_buffer (bytes);
    gst_structure_set (s, name, GST_TYPE_BUFFER, buffer, NULL);
    break;
  case 5:
    gst_structure_set (
        s, name, G_TYPE_UINT, (guint)take_number (bytes, 4), NULL);
    break;
  case 6:
    gst_structure_set (s, name, G_TYPE_INT, (gint)take_number (bytes, 4), NULL);
    break;
  case 7:
    gst_structure_set (s, name, G_TYPE_UINT64, take_number (bytes, 8), NULL);
    break;
  case 8:
    gst_structure_set (s, name, G_TYPE_DOUBLE, take_double (bytes), NULL);
    break;
  case 9:
    gst_structure_set (s, name, G_TYPE_STRING,
        patterns[take (bytes) % G_N_ELEMENTS (patterns)], NULL);
    break;
  case 10:
    set_empty (s, name, G_TYPE_STRING);
    break;
  case 11:
    set_empty (s, name, GST_TYPE_BUFFER);
    break;
  case 12:
    set_empty (s, name, GST_TYPE_OCT_CALIBRATION);
    break;
  default:
    set_empty (s, name, gst_oct_scan_mask_get_type ());
  }
}

static void
set_fields (GstStructure *s, Bytes *bytes)
{
  guint count = take (bytes) % MOST_FIELDS;

  for (guint i = 0; i < count; i++)
    set_field (s, fields[take (bytes) % G_N_ELEMENTS (fields)], bytes);
}

/* A path that is right but for its places and sizes, as nearly all bytes make
 * none. */
static void
set_path (GstStructure *s, Bytes *bytes)
{
  guint lines = take (bytes) % 8, bscans = take (bytes) % 8;
  gsize count = (gsize)lines * bscans + take (bytes) / 128;
  const char *const axes[] = { GST_OCT_SCAN_PATH_X, GST_OCT_SCAN_PATH_Y };

  gst_structure_set (s, GST_OCT_SCAN_PATH_LINES, G_TYPE_UINT, lines,
      GST_OCT_SCAN_PATH_BSCANS, G_TYPE_UINT, bscans, NULL);
  for (guint axis = 0; axis < 2; axis++) {
    double *values = g_new (double, MAX (count, 1));
    g_autoptr (GstBuffer) buffer = NULL;

    for (gsize i = 0; i < count; i++)
      values[i] = take_double (bytes);
    buffer = gst_buffer_new_wrapped (values, count * sizeof (double));
    gst_structure_set (s, axes[axis], GST_TYPE_BUFFER, buffer, NULL);
  }
}

static GstEvent *
take_event (Bytes *bytes)
{
  guint kind = take (bytes);
  GstStructure *s =
      gst_structure_new_empty (events[kind % G_N_ELEMENTS (events)]);

  if (kind < 96 && kind % G_N_ELEMENTS (events) == 0)
    set_path (s, bytes);
  set_fields (s, bytes);
  return gst_event_new_custom (kind & 128 ? GST_EVENT_CUSTOM_DOWNSTREAM
                                          : GST_EVENT_CUSTOM_DOWNSTREAM_STICKY,
      s);
}

static void
take_meta (Bytes *bytes, GstBuffer *buffer)
{
  guint kind = take (bytes);
  GstCustomMeta *meta;

  if (kind < 64)
    return;
  if (kind < 192) {
    gst_oct_scan_meta_set (
        buffer, &(GstOctScanPosition){ .bscan = kind % BSCANS,
                    .bscans = BSCANS,
                    .volume = take (bytes),
                    .count = 1 });
    meta = gst_buffer_get_custom_meta (buffer, GST_OCT_SCAN_META_NAME);
  } else {
    meta = gst_buffer_add_custom_meta (buffer, GST_OCT_SCAN_META_NAME);
  }
  set_fields (gst_custom_meta_get_structure (meta), bytes);
}

/* ----------------------------------------------------------------- sentences */

static void
check_error (const GError *error)
{
  if (error == NULL)
    return;
  g_assert_true (g_utf8_validate (error->message, -1, NULL));
  /* for replay --tell */
  g_debug ("refused: %s", error->message);
}

/* Sentences of the element on events and B-scans. */
static void
check_messages (GstBus *bus)
{
  GstMessage *message;

  while ((message = gst_bus_pop (bus)) != NULL) {
    g_autoptr (GError) error = NULL;

    if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR)
      gst_message_parse_error (message, &error, NULL);
    else if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_WARNING)
      gst_message_parse_warning (message, &error, NULL);
    check_error (error);
    gst_message_unref (message);
  }
}

/* ------------------------------------------------------------------ elements */

static const struct {
  GType (*type) (void);
  const char *caps;
  gsize size; /* of a B-scan */
} readers[] = {
  { gst_oct_remap_get_type,
      "application/x-oct-ascans, format=CF32LE, samples=16, lines=4, "
      "framerate=30/1",
      LINES *SAMPLES * 8 },
  { gst_oct_remap_get_type,
      "video/x-raw, format=GRAY8, width=4, height=16, framerate=30/1",
      LINES *SAMPLES },
  { gst_oct_volume_cs_get_type,
      "application/x-oct-ascans, format=CF32LE, samples=16, lines=4, "
      "framerate=30/1",
      LINES *SAMPLES * 8 },
  { gst_oct_refocus_get_type,
      "application/x-oct-ascans, format=CF32LE, samples=16, lines=4, "
      "framerate=30/1",
      LINES *SAMPLES * 8 },
  { gst_oct_enface_get_type,
      "video/x-raw, format=GRAY8, width=4, height=16, framerate=30/1",
      LINES *SAMPLES },
  { gst_oct_kresample_get_type,
      "application/x-oct-spectra, format=F32LE, samples=16, lines=4, "
      "framerate=30/1, axis=wavelength",
      LINES *SAMPLES * 4 },
  { gst_oct_fft_get_type,
      "application/x-oct-spectra, format=F32LE, samples=16, lines=4, "
      "framerate=30/1, axis=wavenumber",
      LINES *SAMPLES * 4 },
};

static GstFlowReturn
drop_buffer (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  gst_buffer_unref (buffer);
  return GST_FLOW_OK;
}

static gboolean
drop_event (GstPad *pad, GstObject *parent, GstEvent *event)
{
  gst_event_unref (event);
  return TRUE;
}

static void
push_bscan (GstPad *pad, gsize size, Bytes *bytes)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, size, NULL);

  gst_buffer_memset (buffer, 0, (guint8)take (bytes), size);
  take_meta (bytes, buffer);
  gst_pad_push (pad, buffer);
}

static void
feed (GstPad *pad, guint reader, Bytes *bytes)
{
  g_autoptr (GstCaps) caps = gst_caps_from_string (readers[reader].caps);
  GstSegment segment;

  g_assert_nonnull (caps);
  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_pad_push_event (pad, gst_event_new_stream_start ("fuzz"));
  gst_pad_push_event (pad, gst_event_new_caps (caps));
  gst_pad_push_event (pad, gst_event_new_segment (&segment));
  for (guint i = 0; i < MOST_BSCANS && bytes->left > 0; i++) {
    if (i == 0 || take (bytes) < 64)
      gst_pad_push_event (pad, take_event (bytes));
    push_bscan (pad, readers[reader].size, bytes);
  }
  gst_pad_push_event (pad, gst_event_new_eos ());
}

static void
run_reader (guint reader, Bytes *bytes)
{
  GstElement *element =
      gst_object_ref_sink (g_object_new (readers[reader].type (), NULL));
  g_autoptr (GstBus) bus = gst_bus_new ();
  g_autoptr (GstPad) in = gst_element_get_static_pad (element, "sink");
  g_autoptr (GstPad) out = gst_element_get_static_pad (element, "src");
  GstPad *before = gst_object_ref_sink (gst_pad_new ("b", GST_PAD_SRC));
  GstPad *after = gst_object_ref_sink (gst_pad_new ("a", GST_PAD_SINK));

  gst_element_set_bus (element, bus);
  gst_pad_set_chain_function (after, drop_buffer);
  gst_pad_set_event_function (after, drop_event);
  g_assert_cmpint (gst_pad_link (before, in), ==, GST_PAD_LINK_OK);
  g_assert_cmpint (gst_pad_link (out, after), ==, GST_PAD_LINK_OK);
  gst_pad_set_active (after, TRUE);
  g_assert_cmpint (gst_element_set_state (element, GST_STATE_PLAYING), !=,
      GST_STATE_CHANGE_FAILURE);
  gst_pad_set_active (before, TRUE);
  feed (before, reader, bytes);
  gst_pad_set_active (before, FALSE);
  gst_element_set_state (element, GST_STATE_NULL);
  gst_pad_set_active (after, FALSE);
  check_messages (bus);
  gst_bus_set_flushing (bus, TRUE);
  gst_element_set_bus (element, NULL);
  gst_object_unref (before);
  gst_object_unref (after);
  gst_object_unref (element);
}

/* An event is one of the kind, refused with a sentence, or another one. */
static void
parse (GstEvent *event)
{
  g_autoptr (GError) path_error = NULL;
  g_autoptr (GError) error = NULL;
  OctScanPlaces *places = gst_oct_scan_path_event_parse (event, &path_error);
  OctScanMask *mask = gst_oct_scan_mask_event_parse (event);
  GstEvent *own = gst_event_ref (event);
  OctCalibration *calibration = gst_oct_calibration_event_parse (&own, &error);

  g_assert_true (places == NULL || path_error == NULL);
  g_assert_true (calibration == NULL || error == NULL);
  check_error (path_error);
  check_error (error);
  for (guint i = 0; places != NULL && i < places->count; i++)
    g_assert_true (isfinite (places->points[i].at[0])
                   && isfinite (places->points[i].at[1]));
  g_clear_pointer (&places, oct_scan_places_unref);
  g_clear_pointer (&mask, oct_scan_mask_unref);
  g_clear_pointer (&calibration, oct_calibration_unref);
  gst_event_unref (own);
}

static void
ignore_message (
    const char *domain, GLogLevelFlags level, const char *text, gpointer data)
{
}

static void
begin (void)
{
  static gsize begun;

  if (!g_once_init_enter (&begun))
    return;
  /* no other plugins: they take time and have nothing to read */
  g_setenv ("GST_PLUGIN_PATH_1_0", "", TRUE);
  g_setenv ("GST_PLUGIN_PATH", "", TRUE);
  g_setenv ("GST_PLUGIN_SYSTEM_PATH_1_0", "", TRUE);
  g_setenv ("GST_PLUGIN_SYSTEM_PATH", "", TRUE);
  gst_registry_fork_set_enabled (FALSE);
  gst_init (NULL, NULL);
  gst_oct_scan_meta_register ();
  g_log_set_handler (NULL, G_LOG_LEVEL_MESSAGE, ignore_message, NULL);
  g_once_init_leave (&begun, 1);
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  Bytes bytes = { data, size };
  Bytes again;
  guint reader;
  GstEvent *event;

  begin ();
  reader = take (&bytes) % G_N_ELEMENTS (readers);
  again = bytes;
  event = take_event (&again);
  parse (event);
  gst_event_unref (event);
  run_reader (reader, &bytes);
  return 0;
}
