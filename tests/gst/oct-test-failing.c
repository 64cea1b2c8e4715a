/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-test-failing.h"
#include "oct-test-faults.h"
#include "oct-test.h"

/* all that remember earlier B-scans */
#define CHAIN                                                                  \
  " ! octdcsub name=background mode=running running-weight=0.2"                \
  " wavelength-min=800 wavelength-max=880%s"                                   \
  " ! octkresample name=resample%s"                                            \
  " ! octdispersion name=dispersion a2=40%s"                                   \
  " ! octfft name=fft%s"                                                       \
  " ! octlogscale name=logscale range=contrast range-smoothing=0.5%s"

/* ---------------------------------------------------------------- pipelines */

/* Those that are not stopped. */
static GPtrArray *pipelines;

static void
free_image (gpointer image)
{
  if (image != NULL)
    oct_array_free (image);
}

static char *
describe (guint bscans, const char *backend, gboolean queues, const char *sink)
{
  g_autofree char *behind =
      g_strdup_printf (" backend=%s%s", backend, queues ? " ! queue" : "");
  g_autofree char *chain =
      g_strdup_printf (CHAIN, behind, behind, behind, behind, behind);

  return g_strdup_printf ("octsrc samples=256 lines=24 num-buffers=%u%s%s%s",
      bscans, queues ? " ! queue" : "", chain, sink);
}

GstElement *
failing_launch (const char *launch)
{
  g_autoptr (GError) error = NULL;
  GstElement *pipeline = gst_parse_launch (launch, &error);

  fail_unless (error == NULL, "%s: %s", launch, error ? error->message : "");
  g_ptr_array_add (pipelines, pipeline);
  return pipeline;
}

GstElement *
failing_make (
    guint bscans, const char *backend, gboolean queues, const char *sink)
{
  g_autofree char *launch = describe (bscans, backend, queues, sink);

  return failing_launch (launch);
}

const char *
failing_backend (void)
{
  return oct_test_on_gpu () ? "cuda" : "cpu";
}

void
failing_stop (GstElement *pipeline)
{
  fail_unless_equals_int (gst_element_set_state (pipeline, GST_STATE_NULL),
      GST_STATE_CHANGE_SUCCESS);
  g_ptr_array_remove (pipelines, pipeline);
  gst_object_unref (pipeline);
}

void
failing_begin (void)
{
  pipelines = g_ptr_array_new ();
}

void
failing_end (void)
{
  while (pipelines->len > 0)
    failing_stop (pipelines->pdata[0]);
  g_ptr_array_unref (pipelines);
}

static void
add_image (FailingImages *images, GstSample *sample)
{
  GstBuffer *buffer = gst_sample_get_buffer (sample);
  OctArray *image = NULL;
  GstMapInfo map;

  /* every image is there, mapped or not */
  fail_unless_equals_uint64 (GST_BUFFER_OFFSET (buffer), images->len);
  if (gst_buffer_map (buffer, &map, GST_MAP_READ)) {
    gst_buffer_unmap (buffer, &map);
    image = oct_test_read (buffer, gst_sample_get_caps (sample));
  }
  g_ptr_array_add (images, image);
  gst_sample_unref (sample);
}

FailingImages *
failing_collect (GstElement *pipeline, GstMessage **message)
{
  FailingImages *images = g_ptr_array_new_with_free_func (free_image);
  GstElement *sink = gst_bin_get_by_name (GST_BIN (pipeline), "sink");
  GstBus *bus = gst_element_get_bus (pipeline);
  gboolean eos = FALSE;
  guint idle = 0;

  *message = NULL;
  while (!eos && idle < 1200) {
    GstSample *sample = NULL;

    g_signal_emit_by_name (sink, "try-pull-sample", 50 * GST_MSECOND, &sample);
    if (*message == NULL)
      *message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR);
    if (sample != NULL)
      add_image (images, sample);
    else
      g_object_get (sink, "eos", &eos, NULL);
    idle = sample != NULL ? 0 : idle + 1;
    if (*message != NULL && idle == 10)
      break;
  }
  fail_unless (idle < 1200, "neither images nor an error nor the end");
  if (*message == NULL)
    *message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR);
  gst_object_unref (bus);
  gst_object_unref (sink);
  return images;
}

FailingImages *
failing_expect_from (guint bscans, const char *sink)
{
  GstElement *pipeline = failing_make (bscans, "cpu", FALSE, sink);
  GstMessage *message;
  FailingImages *images;

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  images = failing_collect (pipeline, &message);
  fail_unless (message == NULL);
  fail_unless_equals_int (images->len, bscans);
  failing_stop (pipeline);
  return images;
}

FailingImages *
failing_expect (guint bscans)
{
  return failing_expect_from (bscans, FAILING_SINK);
}

guint
failing_check_images (FailingImages *found, FailingImages *expected)
{
  guint i, mapped = 0;

  fail_unless (found->len <= expected->len);
  for (i = 0; i < found->len; i++) {
    if (found->pdata[i] == NULL)
      continue;
    GST_INFO ("B-scan %u", i);
    oct_test_compare (found->pdata[i], expected->pdata[i], 1);
    mapped++;
  }
  return mapped;
}

/* ------------------------------------------------------------------ messages
 */

static const char *
factory_of (GstMessage *message)
{
  return GST_OBJECT_NAME (
      gst_element_get_factory (GST_ELEMENT (GST_MESSAGE_SRC (message))));
}

void
failing_check_message (
    GstMessage *message, const char *element, const char *words)
{
  g_autoptr (GError) error = NULL;

  fail_unless (message != NULL, "no error was posted");
  gst_message_parse_error (message, &error, NULL);
  g_print ("%s: %s\n", GST_MESSAGE_SRC_NAME (message), error->message);
  if (element != NULL) {
    fail_unless_equals_string (GST_MESSAGE_SRC_NAME (message), element);
  } else {
    fail_unless (g_str_has_prefix (factory_of (message), "oct")
                     && !g_str_equal (factory_of (message), "octsrc"),
        "the first error is from %s", GST_MESSAGE_SRC_NAME (message));
  }
  fail_unless (error->domain == GST_RESOURCE_ERROR);
  fail_unless (strstr (error->message, words) != NULL, "'%s' is not in '%s'",
      words, error->message);
}

void
failing_check_other_messages (GstElement *pipeline)
{
  GstBus *bus = gst_element_get_bus (pipeline);
  GstMessage *message;

  while ((message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR)) != NULL) {
    g_autoptr (GError) error = NULL;

    gst_message_parse_error (message, &error, NULL);
    if (g_str_equal (factory_of (message), "octsrc")) {
      fail_unless (strstr (error->message, "element after it has failed"),
          "'%s'", error->message);
    } else {
      fail_unless (g_str_equal (factory_of (message), "queue"), "%s: %s",
          GST_MESSAGE_SRC_NAME (message), error->message);
    }
    gst_message_unref (message);
  }
  gst_object_unref (bus);
}

static guint
count_all_runs (void)
{
  guint i, sum = 0;

  for (i = 0; i < OCT_N_OPERATIONS; i++)
    sum += oct_test_count_runs (i);
  return sum;
}

void
failing_check_stopped (void)
{
  guint runs = count_all_runs ();

  g_usleep (100000);
  fail_unless_equals_int (count_all_runs (), runs);
}

void
failing_check_good (const char *backend, FailingImages *expected)
{
  GstElement *pipeline =
      failing_make (FAILING_BSCANS, backend, FALSE, FAILING_SINK);
  GstMessage *message;
  FailingImages *images;

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  images = failing_collect (pipeline, &message);
  fail_unless (message == NULL);
  fail_unless_equals_int (
      failing_check_images (images, expected), FAILING_BSCANS);
  g_ptr_array_unref (images);
  failing_stop (pipeline);
}
