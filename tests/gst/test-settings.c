/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Properties that are for the time before the start, set while images are made:
 * they are refused with a warning, whatever negotiates next, and nothing else
 * happens.
 */
#include "oct-daq.h"

#include <math.h>
#include "oct-fake-comedi.h"
#include "oct-test-files.h"
#include "oct-test-peer.h"
#include "oct-test.h"

#include <string.h>

#define SOURCE "octsrc samples=256 lines=16 is-live=true line-rate=1600"
#define SINK " ! fakesink name=sink sync=false"

/* Every element of the plugin is in one of them; '@' is a folder, PORT
 * a free one. */
static const char *const launches[] = {
  SOURCE " ! tee name=tee ! queue ! octrawsink location=@/scan async=false"
         " tee. ! queue ! octdcsub ! octkresample ! octdispersion ! octfft"
         " ! octlogscale" SINK,
  SOURCE
  " ! octmeter ! octgather bscans=2 ! octdcsub ! octnufft ! octlogscale" SINK,
#ifdef HAVE_ARAVIS
  "octcamerasrc camera=Fake_1 ! video/x-raw,format=GRAY8,width=256,height=16"
  " ! octreconstruct wavelength-min=790 wavelength-max=900" SINK,
#endif
  "octdaqsrc socket=@/daq ! octreconstruct" SINK,
  "octdaqsrc socket=@/daq k-clock=true ! octkclock ! octdcsub ! octfft"
  " ! octlogscale" SINK,
  SOURCE " ! tee name=tee ! queue ! octkeep location=@/kept async=false"
         " tee. ! queue ! octdcsub ! octcs iterations=1 ! octlogscale" SINK,
  SOURCE " ! octreconstruct" SINK,
  "octscangen lines=64 bscans=4 width=1 height=1 is-live=true" SINK,
  "octscangen lines=64 bscans=4 width=1 height=1 is-live=true ! tee name=tee"
  " ! queue ! octcomedisink library=\"" FAKE_COMEDI_LIBRARY "\""
  " tee. ! queue" SINK,
  "octimagesrc source::samples=256 source::lines=16 source::is-live=true"
  " source::line-rate=1600" SINK,
  SOURCE " ! octscatter name=s octcollect name=c" SINK
         " s. ! octreconstruct ! c. s. ! octreconstruct ! c.",
  /* not live: it would warn of volumes of which a B-scan was dropped */
  "octsrc samples=256 lines=16 bscans=4 scan-mask=scattered ! octdcsub"
  " ! octnufft ! octvolumecs ! octlogscale" SINK,
  /* without light, which takes most of the time: its settings are live */
  SOURCE " bscans=4 ! octreconstruct ! octvolume update=scan mode=mip"
         " ! video/x-raw,width=32,height=32" SINK,
  SOURCE " ! octreconstruct ! octaverage ! octspeckle ! octsharpen ! octflip"
         " ! octcolormap" SINK,
  /* a background that keeps the phases, of which they would warn */
  SOURCE " bscans=1 ! octreconstruct mode=a-line output=ascans ! tee name=tee"
         " ! queue"
         " ! octdoppler quantity=phase"
         " ! fakesink tee. ! queue ! octdynamic" SINK,
  SOURCE " ! octreconstruct mode=a-line output=ascans ! octalign repeats=2"
         " ! octangio repeats=2" SINK,
  SOURCE " bscans=4 bscans-per-buffer=4 ! octreconstruct mode=a-line"
         " output=ascans ! octrefocus x-spacing=3e-6 y-spacing=3e-6"
         " automatic=false ! octlogscale" SINK,
  SOURCE " bscans=4 ! octreconstruct ! octenface update=scan" SINK,
  "octsrc samples=256 lines=16 bscans=16 scan=spiral ! octreconstruct"
  " ! octremap" SINK,
  SOURCE " bscans=4 ! octreconstruct ! octslice update=scan" SINK,
  SOURCE " bscans=4 ! octreconstruct ! tee name=tee ! queue ! octvolumesink"
         " location=@/volume.npy async=false tee. ! queue" SINK,
  SOURCE " ! octreconstruct ! octigtlsink port=PORT async=false sync=false"
         " x-spacing=1e-5 y-spacing=1e-5 z-spacing=3e-6"
         " octigtlsrc port=PORT" SINK,
};

static gboolean
is_for_ready (GParamSpec *spec)
{
  return g_str_has_prefix (g_type_name (spec->owner_type), "GstOct")
         && (spec->flags & G_PARAM_WRITABLE) != 0
         && (spec->flags & GST_PARAM_MUTABLE_READY) != 0
         && (spec->flags
                & (GST_PARAM_MUTABLE_PAUSED | GST_PARAM_MUTABLE_PLAYING))
                == 0;
}

/* ------------------------------------------------------------------- values
 */

/* Another value than the one there is. */
static void
change_value (GParamSpec *spec, GValue *value)
{
  if (G_VALUE_HOLDS_STRING (value)) {
    g_value_set_static_string (value, "/another/one");
  } else if (G_VALUE_HOLDS_BOOLEAN (value)) {
    g_value_set_boolean (value, !g_value_get_boolean (value));
  } else if (G_VALUE_HOLDS_ENUM (value)) {
    const GEnumValue *values = G_PARAM_SPEC_ENUM (spec)->enum_class->values;
    gint now = g_value_get_enum (value);

    g_value_set_enum (value, values[values[1].value == now ? 0 : 1].value);
  } else {
    GValue number = G_VALUE_INIT;

    g_value_init (&number, G_TYPE_DOUBLE);
    g_value_set_double (&number, G_VALUE_HOLDS_DOUBLE (value) ? 0.25 : 3.0);
    if (G_IS_PARAM_SPEC_DOUBLE (spec))
      g_value_set_double (
          &number, MAX (0.25, G_PARAM_SPEC_DOUBLE (spec)->minimum + 0.25));
    if (G_IS_PARAM_SPEC_UINT (spec))
      g_value_set_double (&number, G_PARAM_SPEC_UINT (spec)->minimum + 3.0);
    fail_unless (g_value_transform (&number, value), "%s", spec->name);
    fail_if (g_param_value_validate (spec, value), "%s", spec->name);
  }
}

static char *
show_value (GstElement *element, GParamSpec *spec)
{
  GValue value = G_VALUE_INIT;
  char *shown;

  g_value_init (&value, spec->value_type);
  g_object_get_property (G_OBJECT (element), spec->name, &value);
  shown = g_strdup_value_contents (&value);
  g_value_unset (&value);
  return shown;
}

static void
set_other_value (GstElement *element, GParamSpec *spec)
{
  GValue value = G_VALUE_INIT;

  g_value_init (&value, spec->value_type);
  g_object_get_property (G_OBJECT (element), spec->name, &value);
  change_value (spec, &value);
  g_object_set_property (G_OBJECT (element), spec->name, &value);
  g_value_unset (&value);
}

/* ---------------------------------------------------------------- pipelines */

static gint images; /* atomic: that came to the sink */

static GstPadProbeReturn
count_image (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  g_atomic_int_inc (&images);
  return GST_PAD_PROBE_OK;
}

static void
wait_for_images (guint count)
{
  gint64 end = g_get_monotonic_time () + 30 * G_TIME_SPAN_SECOND;
  gint goal = g_atomic_int_get (&images) + (gint)count;

  while (g_atomic_int_get (&images) < goal) {
    fail_unless (g_get_monotonic_time () < end, "no more images come");
    g_usleep (1000);
  }
}

/* A free one. */
static char *
find_port (void)
{
  guint port;

  close (peer_listen (&port));
  return g_strdup_printf ("%u", port);
}

static GstElement *
play (const char *launch)
{
  g_autofree char *folder = oct_test_file_path ("");
  g_auto (GStrv) parts = g_strsplit (launch, "@", -1);
  g_autofree char *text = g_strjoinv (folder, parts);
  g_auto (GStrv) ports = g_strsplit (text, "PORT", -1);
  g_autofree char *port = find_port ();
  g_autofree char *full = oct_test_cuda_launch (g_strjoinv (port, ports));
  g_autoptr (GError) error = NULL;
  GstElement *pipeline = gst_parse_launch (full, &error);
  g_autoptr (GstElement) sink = NULL;

  fail_unless (error == NULL, "%s", error != NULL ? error->message : "");
  sink = gst_bin_get_by_name (GST_BIN (pipeline), "sink");
  gst_pad_add_probe (
      sink->sinkpads->data, GST_PAD_PROBE_TYPE_BUFFER, count_image, NULL, NULL);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  wait_for_images (2);
  return pipeline;
}

/* No errors and as many warnings, all of which name the property and the
 * element. */
static void
check_messages (
    GstElement *pipeline, guint warnings, GstElement *element, const char *name)
{
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  GstMessage *message;

  while ((message = gst_bus_pop_filtered (
              bus, GST_MESSAGE_ERROR | GST_MESSAGE_WARNING))) {
    g_autoptr (GError) error = NULL;

    if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR)
      gst_message_parse_error (message, &error, NULL);
    else
      gst_message_parse_warning (message, &error, NULL);
    fail_unless (GST_MESSAGE_TYPE (message) == GST_MESSAGE_WARNING
                     && warnings-- > 0
                     && GST_MESSAGE_SRC (message) == GST_OBJECT (element)
                     && strstr (error->message, name) != NULL,
        "%s", error->message);
    gst_message_unref (message);
  }
  fail_unless_equals_int (warnings, 0);
}

/* --------------------------------------------------------------------- tests
 */

static void
negotiate_again (GstElement *element)
{
  GList *i;

  for (i = element->srcpads; i != NULL; i = i->next)
    gst_pad_send_event (i->data, gst_event_new_reconfigure ());
  /* after a change of caps the next element is asked for memory again, too */
  if (element->srcpads != NULL)
    wait_for_images (2);
}

static void
check_element (GstElement *pipeline, GstElement *element)
{
  guint n, i;
  g_autofree GParamSpec **specs =
      g_object_class_list_properties (G_OBJECT_GET_CLASS (element), &n);

  for (i = 0; i < n; i++) {
    g_autofree char *before = NULL, *after = NULL, *name = NULL;

    if (!is_for_ready (specs[i]))
      continue;
    GST_INFO_OBJECT (element, "%s", specs[i]->name);
    before = show_value (element, specs[i]);
    set_other_value (element, specs[i]);
    after = show_value (element, specs[i]);
    negotiate_again (element);
    name = g_strdup_printf ("`%s` of %s", specs[i]->name,
        GST_OBJECT_NAME (gst_element_get_factory (element)));
    check_messages (pipeline, 1, element, name);
    fail_unless_equals_string (before, after);
  }
}

/* A digitizer, until `done`. */
static gpointer
digitize (gpointer done)
{
  const OctDaqHeader ring = { .sample_format = OCT_DAQ_U16,
    .samples = 256,
    .lines = 16,
    .channels = 2,
    .channel_kind = { OCT_DAQ_OCT, OCT_DAQ_K_CLOCK },
    .wavelength_first = 790.0,
    .wavelength_last = 900.0 };
  g_autofree char *path = oct_test_file_path ("daq");
  OctDaqWriter *writer = oct_daq_open (path, &ring, NULL, NULL);

  while (!g_atomic_int_get ((gint *)done)) {
    guint16 *block = oct_daq_claim (writer, -1);

    for (guint i = 0; i < 256 * 16; i++) {
      block[i] = (guint16)(1000 + i % 256 * (i % 7));
      block[256 * 16 + i] = (guint16)(2000 + 1000 * cos (i % 256 * 1.1));
    }
    oct_daq_publish (writer, NULL);
    g_usleep (10000);
  }
  oct_daq_close (writer);
  return NULL;
}

/* Loops over the pipelines. */
GST_START_TEST (test_refused_while_playing)
{
  gint done = FALSE; /* atomic */
  GThread *digitizer = strstr (launches[__i__], "octdaqsrc") != NULL
                           ? g_thread_new ("digitizer", digitize, &done)
                           : NULL;
  GstElement *pipeline = play (launches[__i__]);
  GList *i;

  for (i = GST_BIN_CHILDREN (pipeline); i != NULL; i = i->next)
    check_element (pipeline, i->data);
  wait_for_images (2);
  check_messages (pipeline, 0, NULL, NULL);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (pipeline);
  g_atomic_int_set (&done, TRUE);
  if (digitizer != NULL)
    g_thread_join (digitizer);
}
GST_END_TEST

/* The pipelines hold every element there is. */
GST_START_TEST (test_all_elements)
{
  GList *features =
      gst_registry_get_feature_list_by_plugin (gst_registry_get (), "oct");
  guint elements = 0, k;
  GList *i;

  for (i = features; i != NULL; i = i->next) {
    gboolean found = FALSE;

    if (!GST_IS_ELEMENT_FACTORY (i->data))
      continue;
    elements++;
    for (k = 0; k < G_N_ELEMENTS (launches); k++)
      found |= strstr (launches[k], GST_OBJECT_NAME (i->data)) != NULL;
    fail_unless (found, "%s", GST_OBJECT_NAME (i->data));
  }
  gst_plugin_feature_list_free (features);
  fail_unless (elements >= 9);
}
GST_END_TEST

/* Before the start, and again after the stop, the settings are accepted. */
GST_START_TEST (test_taken_when_stopped)
{
  const GstState states[] = { GST_STATE_NULL, GST_STATE_READY };
  GList *features =
      gst_registry_get_feature_list_by_plugin (gst_registry_get (), "oct");
  GList *feature;
  guint k, i, n;

  for (feature = features; feature != NULL; feature = feature->next) {
    GstElement *element;
    g_autofree GParamSpec **specs = NULL;

    if (!GST_IS_ELEMENT_FACTORY (feature->data))
      continue;
    element = gst_element_factory_create (feature->data, NULL);
    specs = g_object_class_list_properties (G_OBJECT_GET_CLASS (element), &n);
    /* a sink is started on the way to READY already */
    for (k = 0; k < (GST_OBJECT_FLAG_IS_SET (element, GST_ELEMENT_FLAG_SINK)
                         ? 1
                         : G_N_ELEMENTS (states));
         k++) {
      fail_unless_equals_int (
          gst_element_set_state (element, states[k]), GST_STATE_CHANGE_SUCCESS);
      for (i = 0; i < n; i++) {
        g_autofree char *before = NULL, *after = NULL;
        /* the second time it is that value already */
        if (!is_for_ready (specs[i]) || specs[i]->value_type == G_TYPE_STRING
            || (k == 1 && !G_IS_PARAM_SPEC_BOOLEAN (specs[i])))
          continue;
        before = show_value (element, specs[i]);
        set_other_value (element, specs[i]);
        after = show_value (element, specs[i]);
        fail_if (g_str_equal (before, after), "`%s`", specs[i]->name);
      }
    }
    gst_element_set_state (element, GST_STATE_NULL);
    gst_object_unref (element);
  }
  gst_plugin_feature_list_free (features);
}
GST_END_TEST

static Suite *
octsettings_suite (void)
{
  Suite *suite = suite_create ("octsettings");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_checked_fixture (tcase, NULL, oct_test_remove_files);
  tcase_add_loop_test (
      tcase, test_refused_while_playing, 0, G_N_ELEMENTS (launches));
  tcase_add_test (tcase, test_all_elements);
  tcase_add_test (tcase, test_taken_when_stopped);
  return suite;
}

GST_CHECK_MAIN (octsettings);
