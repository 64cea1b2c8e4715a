/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-test-mirrors.h"
#include "oct-calibration-text.h"
#include "oct-phantom.h"
#include "oct-scan-galvo.h"
#include "oct-test-files.h"
#include "oct-test-pipelines.h"

#include <math.h>
#include <string.h>

#define FREQUENCY OCT_TEST_MIRRORS_FREQUENCY
#define DAMPING OCT_TEST_MIRRORS_DAMPING
#define LINES OCT_TEST_MIRRORS_LINES
#define BSCANS OCT_TEST_MIRRORS_BSCANS
#define SAMPLES OCT_TEST_MIRRORS_SAMPLES
#define RATE OCT_TEST_MIRRORS_RATE
#define WIDTH OCT_TEST_MIRRORS_WIDTH
#define VOLTS 0.64
#define FULL_SCALE 10.0
#define COLUMNS 320u /* of the sample: speckle is 4 A-lines wide */

/* Samples of x, y and the gate, of two volumes. */
static double *
drive_mirrors (double delay, gsize *count)
{
  g_autofree char *path = oct_test_file_path ("volts");
  g_autofree char *launch = g_strdup_printf (
      "octscangen line-rate=100000 lines=%u bscans=%u width=%g height=1e-4 "
      "bidirectional=true settle=0.0005 volumes=2 gate=true delay-x=%.9f "
      "! audio/x-raw,format=F64LE ! filesink location=%s",
      LINES, BSCANS, WIDTH, delay, path);
  char *data;
  gsize size;

  fail_unless (oct_test_plays (launch, NULL));
  fail_unless (g_file_get_contents (path, &data, &size, NULL));
  *count = size / (3 * sizeof (double));
  return (double *)(gpointer)data;
}

/* Where mirrors that follow these samples are at the A-lines of the second
 * volume, [BSCANS][LINES] mm. */
OctScanPoint *
oct_test_mirrors_follow (double delay)
{
  g_autoptr (OctScanGalvo) galvo =
      oct_scan_galvo_new (FREQUENCY, DAMPING, 0, RATE, NULL);
  OctScanPoint *places = g_new (OctScanPoint, BSCANS * LINES);
  g_autofree double *samples = NULL;
  guint taken = 0;
  gsize count;

  samples = drive_mirrors (delay, &count);
  for (gsize i = 0; i < count; i++) {
    const double *s = samples + 3 * i;
    OctScanPoint at = oct_scan_galvo_follow (
        galvo, &(OctScanPoint){
                   { s[0] * FULL_SCALE / VOLTS, s[1] * FULL_SCALE / VOLTS } });

    if (s[2] != 0 && taken++ >= BSCANS * LINES)
      places[taken - 1 - BSCANS * LINES] = at;
  }
  fail_unless_equals_int (taken, 2 * BSCANS * LINES);
  return places;
}

/* The raw spectra of a still sample along these places, and the calibration. */
void
oct_test_mirrors_take (const OctScanPoint *places, double noise)
{
  g_autoptr (OctPhantom) phantom =
      oct_phantom_new (&(OctPhantomSettings){ .kind = OCT_PHANTOM_LAYERS,
                           .samples = SAMPLES,
                           .lines = LINES,
                           .bscans = BSCANS,
                           .sample_format = OCT_SAMPLE_U16,
                           .noise = noise,
                           .seed = 3,
                           .follows = TRUE,
                           .columns = COLUMNS,
                           .still = TRUE },
          NULL);
  g_autofree guint16 *spectra = g_new (guint16, BSCANS * LINES * SAMPLES);
  g_autofree char *text =
      oct_calibration_format (oct_phantom_get_calibration (phantom), NULL);

  for (guint b = 0; b < BSCANS; b++)
    oct_phantom_render_along (phantom, b, places + b * LINES,
        spectra + b * LINES * SAMPLES, SAMPLES * sizeof *spectra);
  g_free (oct_test_file (
      "spectra.raw", spectra, BSCANS * LINES * SAMPLES * sizeof *spectra));
  g_free (oct_test_file ("calibration.csv", text, strlen (text)));
}

GstStructure *
oct_test_mirrors_wait (GstElement *pipeline)
{
  GstBus *bus = gst_element_get_bus (pipeline);
  GstStructure *s = NULL;

  while (s == NULL) {
    GstMessage *message = gst_bus_timed_pop_filtered (bus, 60 * GST_SECOND,
        (GstMessageType)(GST_MESSAGE_ELEMENT | GST_MESSAGE_ERROR));

    fail_unless (message != NULL, "no result after a minute");
    fail_unless (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ELEMENT);
    if (gst_message_has_name (message, "oct-tune"))
      s = gst_structure_copy (gst_message_get_structure (message));
    gst_message_unref (message);
  }
  g_print ("%s\n", gst_structure_get_string (s, "text"));
  gst_object_unref (bus);
  return s;
}

gboolean
oct_test_mirrors_tune (GstElement *bin, const char *name, guint bscans)
{
  GstElement *element = gst_bin_get_by_name (GST_BIN (bin), name);
  gboolean begun = FALSE;

  g_signal_emit_by_name (element, "tune", bscans, &begun);
  gst_object_unref (element);
  return begun;
}

double
oct_test_mirrors_get (const GstStructure *message, const char *field)
{
  double value = NAN;

  fail_unless (
      gst_structure_get_double (message, field, &value), "no %s", field);
  return value;
}

void
oct_test_mirrors_check_delay (const GstStructure *message)
{
  double lines = oct_test_mirrors_get (message, "delay-lines");

  g_print ("lag %.4f, found %.4f +- %.4f\n", OCT_TEST_MIRRORS_LAG, lines,
      oct_test_mirrors_get (message, "delay-error"));
  fail_unless (fabs (lines - OCT_TEST_MIRRORS_LAG) < 0.02);
  fail_unless (fabs (oct_test_mirrors_get (message, "delay")
                     - lines / OCT_TEST_MIRRORS_RATE)
               < 1e-12);
}

static guint8
make_level (gint column, guint depth)
{
  guint32 h = (guint32)column * 0x9E3779B1u + depth * 0x85EBCA6Bu;

  h = (h ^ (h >> 15)) * 0xC2B2AE35u;
  return (guint8)((h ^ (h >> 13)) & 255);
}

void
oct_test_mirrors_draw (guint8 *pixels, gboolean back, gint late)
{
  const gint wide = OCT_TEST_MIRRORS_WIDE;

  for (guint z = 0; z < OCT_TEST_MIRRORS_HIGH; z++)
    for (gint x = 0; x < wide; x++)
      *pixels++ = make_level (back ? wide - 1 - x + late : x - late, z);
}

GstHarness *
oct_test_mirrors_harness (const char *element, guint images)
{
  g_autofree char *caps = g_strdup_printf (
      "video/x-raw, format=GRAY8, width=%u, height=%u, framerate=10/1%s",
      OCT_TEST_MIRRORS_WIDE, OCT_TEST_MIRRORS_HIGH * images,
      images > 1 ? ", bscans=4" : "");
  GstHarness *harness = oct_test_harness (element);

  gst_bus_set_sync_handler (oct_test_bus (harness), NULL, NULL, NULL);
  gst_harness_set_src_caps_str (harness, caps);
  return harness;
}

GstStructure *
oct_test_mirrors_wait_for_harness (GstHarness *harness)
{
  GstMessage *message = gst_bus_timed_pop_filtered (
      oct_test_bus (harness), 60 * GST_SECOND, GST_MESSAGE_ELEMENT);
  GstStructure *s;

  fail_unless (message != NULL, "no result after a minute");
  s = gst_structure_copy (gst_message_get_structure (message));
  g_print ("%s\n", gst_structure_get_string (s, "text"));
  gst_message_unref (message);
  return s;
}
