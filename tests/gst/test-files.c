/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Files that elements read: nobody who asks an element for its properties or
 * caps waits for a disk, and a file is read once, good or bad, until it is set
 * again or the element starts again.
 *
 * This program is linked with the elements themselves; the linker (--wrap) puts
 * a function between them and the opening of files, which counts and can hold
 * it up as a disk of a network does.
 */
#include "oct-file.h"
#include "oct-test-files.h"
#include "oct-test-linked.h"
#include "oct-test.h"

#define SAMPLES 64
#define LINES 4
#define PATIENCE (20 * G_TIME_SPAN_SECOND)

/* -------------------------------------------------------------------- files */

static GMutex lock;
static GCond changed;
static char *watched; /* path */
static guint opened;  /* times */
static gboolean held; /* the thread that opens it waits */
static gboolean is_waiting;

int __real_oct_file_open (
    const char *what, const char *path, guint64 *size, GError **error);
int __wrap_oct_file_open (
    const char *what, const char *path, guint64 *size, GError **error);

int
__wrap_oct_file_open (
    const char *what, const char *path, guint64 *size, GError **error)
{
  g_mutex_lock (&lock);
  if (g_strcmp0 (path, watched) == 0) {
    opened++;
    is_waiting = TRUE;
    g_cond_broadcast (&changed);
    while (held)
      g_cond_wait (&changed, &lock);
    is_waiting = FALSE;
  }
  g_mutex_unlock (&lock);
  return __real_oct_file_open (what, path, size, error);
}

static void
watch (const char *path, gboolean hold)
{
  g_mutex_lock (&lock);
  g_free (watched);
  watched = g_strdup (path);
  opened = 0;
  held = hold;
  g_mutex_unlock (&lock);
}

static guint
count_opened (void)
{
  guint count;

  g_mutex_lock (&lock);
  count = opened;
  g_mutex_unlock (&lock);
  return count;
}

static void
let_go (void)
{
  g_mutex_lock (&lock);
  held = FALSE;
  g_cond_broadcast (&changed);
  g_mutex_unlock (&lock);
}

/* TRUE when *flag was set within PATIENCE. */
static gboolean
wait_for (const gboolean *flag)
{
  gint64 end = g_get_monotonic_time () + PATIENCE;
  gboolean ok = TRUE;

  g_mutex_lock (&lock);
  while (ok && !*flag)
    ok = g_cond_wait_until (&changed, &lock, end);
  g_mutex_unlock (&lock);
  return ok;
}

static char *
make_mask (const char *name)
{
  g_autoptr (GString) text = g_string_new (NULL);
  guint i;

  for (i = 0; i < SAMPLES; i++)
    g_string_append (text, i % 3 == 0 ? "0\n" : "1\n");
  return oct_test_text (name, text->str);
}

static char *
make_background (const char *name)
{
  g_autofree guint16 *values = g_new0 (guint16, SAMPLES);

  return oct_test_npy (name,
      "{'descr': '<u2', 'fortran_order': False, 'shape': (1, 64), }", values,
      SAMPLES * sizeof *values);
}

static char *
make_file (const char *property)
{
  if (g_str_equal (property, "mask-file"))
    return make_mask ("mask.txt");
  if (g_str_equal (property, "background"))
    return make_background ("background.npy");
  return oct_test_wavelengths ("calibration.csv", SAMPLES);
}

/* ----------------------------------------------------------------- elements */

/* An element that reads files in mid-pipeline, and the input that it needs. */
typedef struct {
  const char *element, *settings, *property;
  char kind;
  guint size;
} Reader;

static const Reader readers[] = {
  { "octdcsub", "", "calibration", 'u', 2 },
  { "octdcsub", "mode=background", "background", 'u', 2 },
  { "octkresample", "", "calibration", 'f', 4 },
  { "octdispersion", "", "calibration", 'f', 4 },
  { "octdispersion", "", "mask-file", 'f', 4 },
  { "octnufft", "", "calibration", 'f', 4 },
  { "octcs", "iterations=1", "calibration", 'f', 4 },
  { "octcs", "iterations=1 mask=file wavelength", "mask-file", 'f', 4 },
};

/* A harness of one of them whose caps are set; its calibration comes from
 * upstream where its file is another one. */
static GstHarness *
make (const Reader *reader, OctArray *input, const char *path)
{
  gboolean needs = g_str_has_suffix (reader->settings, " wavelength");
  g_autofree char *settings = g_strndup (reader->settings,
      strlen (reader->settings) - (needs ? strlen (" wavelength") : 0));
  g_autofree char *launch = g_strdup_printf (
      "%s %s %s=%s", reader->element, settings, reader->property, path);
  GstHarness *harness = oct_test_harness (launch);

  oct_test_set_caps (harness, input, NULL);
  if (needs)
    gst_harness_push_event (
        harness, oct_test_calibration (
                     "wavelength-min=800 wavelength-max=860", SAMPLES));
  return harness;
}

static void
ask_pad (gpointer pad, gpointer data)
{
  gint64 value;

  gst_caps_unref (gst_pad_query_caps (pad, NULL));
  gst_pad_query_duration (pad, GST_FORMAT_TIME, &value);
  gst_pad_query_position (pad, GST_FORMAT_TIME, &value);
}

static void
ask (GstElement *element)
{
  guint n, i;
  g_autofree GParamSpec **specs =
      g_object_class_list_properties (G_OBJECT_GET_CLASS (element), &n);

  for (i = 0; i < n; i++) {
    GValue value = G_VALUE_INIT;

    g_value_init (&value, specs[i]->value_type);
    g_object_get_property (G_OBJECT (element), specs[i]->name, &value);
    g_value_unset (&value);
  }
  g_list_foreach (element->pads, ask_pad, NULL);
}

/* -------------------------------------------------------------------- tests
 */

typedef struct {
  GstElement *element;
  GstHarness *harness;
  OctArray *input;
  gboolean done;
} Job;

static void
finish_job (Job *job)
{
  g_mutex_lock (&lock);
  job->done = TRUE;
  g_cond_broadcast (&changed);
  g_mutex_unlock (&lock);
}

static gpointer
ask_in_thread (gpointer data)
{
  Job *job = data;

  ask (job->element);
  /* a property is set, too, in the middle of it */
  if (job->harness != NULL)
    g_object_set (job->element, "qos", FALSE, NULL);
  else
    g_object_set (job->element, "blocksize", 4096u, NULL);
  finish_job (job);
  return NULL;
}

static gpointer
push_in_thread (gpointer data)
{
  Job *job = data;
  GstFlowReturn ret =
      oct_test_push_buffer (job->harness, oct_test_buffer (job->input, 0, 0));

  finish_job (job);
  return GINT_TO_POINTER (ret);
}

/* Loops over the readers.  The file is held up from the start or, set anew,
 * while B-scans pass. */
static void
answer_while_reading (const Reader *reader, gboolean later)
{
  g_autofree char *path = make_file (reader->property);
  g_autofree char *other = g_strconcat (path, ".other", NULL);
  g_autoptr (OctArray) input =
      oct_array_new (reader->kind, reader->size, LINES, SAMPLES);
  GstHarness *harness;
  GstElement *element;
  Job push, question;
  GThread *pusher, *asker;

  harness = make (reader, input, later ? path : other);
  element = gst_harness_find_element (harness, reader->element);
  if (later) {
    g_autofree char *text = NULL;
    gsize size;

    fail_unless_equals_int (
        oct_test_push_buffer (harness, oct_test_buffer (input, 0, 0)),
        GST_FLOW_OK);
    fail_unless (g_file_get_contents (path, &text, &size, NULL));
    fail_unless (g_file_set_contents (other, text, (gssize)size, NULL));
    watch (other, TRUE);
    g_object_set (element, reader->property, other, NULL);
  } else {
    watch (path, TRUE);
    g_object_set (element, reader->property, path, NULL);
  }
  push = (Job){ element, harness, input, FALSE };
  question = push;
  pusher = g_thread_new ("push", push_in_thread, &push);
  fail_unless (wait_for (&is_waiting), "the file is not read");
  asker = g_thread_new ("ask", ask_in_thread, &question);
  fail_unless (wait_for (&question.done),
      "%s does not answer while it reads a file", reader->element);
  let_go ();
  fail_unless (wait_for (&push.done));
  fail_unless_equals_int (
      GPOINTER_TO_INT (g_thread_join (pusher)), GST_FLOW_OK);
  g_thread_join (asker);
  fail_unless_equals_int (count_opened (), 1);
  oct_test_assert_quiet (oct_test_bus (harness));
  gst_object_unref (element);
  gst_harness_teardown (harness);
}

GST_START_TEST (test_answers_at_the_start)
{
  answer_while_reading (&readers[__i__], FALSE);
}
GST_END_TEST

GST_START_TEST (test_answers_later)
{
  answer_while_reading (&readers[__i__], TRUE);
}
GST_END_TEST

/* The same of octsrc, whose own thread reads a file that is set anew. */
GST_START_TEST (test_source_answers)
{
  g_autofree char *path = make_file ("calibration");
  GstElement *pipeline = gst_parse_launch (
      "octsrc name=source samples=64 lines=4 ! fakesink", NULL);
  GstElement *source = gst_bin_get_by_name (GST_BIN (pipeline), "source");
  GstBus *bus = gst_element_get_bus (pipeline);
  Job question = { source, NULL, NULL, FALSE };
  GThread *asker;

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  fail_unless_equals_int (
      gst_element_get_state (pipeline, NULL, NULL, 20 * GST_SECOND),
      GST_STATE_CHANGE_SUCCESS);
  watch (path, TRUE);
  g_object_set (source, "calibration", path, NULL);
  fail_unless (wait_for (&is_waiting), "the file is not read");
  asker = g_thread_new ("ask", ask_in_thread, &question);
  fail_unless (wait_for (&question.done),
      "octsrc does not answer while it reads a file");
  let_go ();
  g_thread_join (asker);
  oct_test_assert_quiet (bus);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  fail_unless_equals_int (count_opened (), 1);
  gst_object_unref (bus);
  gst_object_unref (source);
  gst_object_unref (pipeline);
}
GST_END_TEST

static void
push_and_ask (GstHarness *harness, GstElement *element, OctArray *input)
{
  guint i;

  for (i = 0; i < 50; i++) {
    ask (element);
    if (i % 10 == 0)
      oct_test_push_buffer (harness, oct_test_buffer (input, 0, 0));
    /* and another negotiation, as of an element that is linked anew */
    if (i % 10 == 5)
      gst_harness_push_upstream_event (harness, gst_event_new_reconfigure ());
  }
}

/* Whatever is asked, a file is read once, and once more for every time that it
 * is set or the element starts. */
static void
read_once (const Reader *reader, const char *path)
{
  g_autoptr (OctArray) input =
      oct_array_new (reader->kind, reader->size, LINES, SAMPLES);
  GstHarness *harness;
  GstElement *element;

  watch (path, FALSE);
  harness = make (reader, input, path);
  element = gst_harness_find_element (harness, reader->element);
  push_and_ask (harness, element, input);
  fail_unless_equals_int (count_opened (), 1);
  g_object_set (element, reader->property, path, NULL);
  push_and_ask (harness, element, input);
  fail_unless_equals_int (count_opened (), 2);
  gst_object_unref (element);
  gst_harness_teardown (harness);

  watch (path, FALSE);
  harness = make (reader, input, path);
  element = gst_harness_find_element (harness, reader->element);
  oct_test_push_buffer (harness, oct_test_buffer (input, 0, 0));
  gst_element_set_state (harness->element, GST_STATE_NULL);
  gst_element_set_state (harness->element, GST_STATE_PLAYING);
  gst_harness_push_event (harness, gst_event_new_stream_start ("again"));
  oct_test_set_caps (harness, input, NULL);
  if (g_str_has_suffix (reader->settings, " wavelength"))
    gst_harness_push_event (
        harness, oct_test_calibration (
                     "wavelength-min=800 wavelength-max=860", SAMPLES));
  push_and_ask (harness, element, input);
  fail_unless_equals_int (count_opened (), 2);
  gst_object_unref (element);
  gst_harness_teardown (harness);
}

GST_START_TEST (test_good_is_read_once)
{
  g_autofree char *path = make_file (readers[__i__].property);

  read_once (&readers[__i__], path);
}
GST_END_TEST

GST_START_TEST (test_bad_is_read_once)
{
  const char *npy =
      "{'descr': '<u2', 'fortran_order': False, 'shape': (1, 3), }";
  g_autofree char *path =
      g_str_equal (readers[__i__].property, "background")
          ? oct_test_npy ("bad.npy", npy, "abcdef", 6)
          : oct_test_text ("bad.txt", "this is not a number\n");

  read_once (&readers[__i__], path);
}
GST_END_TEST

GST_START_TEST (test_missing_is_read_once)
{
  g_autofree char *path = oct_test_file_path ("missing.txt");

  read_once (&readers[__i__], path);
}
GST_END_TEST

/* A swept source sends a calibration with every B-scan: the files of the
 * elements are not read for each. */
GST_START_TEST (test_not_with_every_calibration)
{
  g_autofree char *path = make_file (readers[__i__].property);
  g_autoptr (OctArray) input =
      oct_array_new (readers[__i__].kind, readers[__i__].size, LINES, SAMPLES);
  GstHarness *harness;
  guint i;

  watch (path, FALSE);
  harness = make (&readers[__i__], input, path);
  for (i = 0; i < 10; i++) {
    g_autofree char *properties =
        g_strdup_printf ("wavelength-min=800 wavelength-max=%u", 860 + i);

    gst_harness_push_event (
        harness, oct_test_calibration (properties, SAMPLES));
    fail_unless_equals_int (
        oct_test_push_buffer (harness, oct_test_buffer (input, 0, 0)),
        GST_FLOW_OK);
  }
  fail_unless_equals_int (count_opened (), 1);
  gst_harness_teardown (harness);
}
GST_END_TEST

static void
end (void)
{
  let_go ();
  watch (NULL, FALSE);
  oct_test_remove_files ();
}

static Suite *
octfiles_suite (void)
{
  Suite *suite = suite_create ("octfiles");
  TCase *tcase = tcase_create ("general");
  guint n = G_N_ELEMENTS (readers);

  suite_add_tcase (suite, tcase);
  tcase_add_checked_fixture (tcase, NULL, end);
  tcase_add_loop_test (tcase, test_answers_at_the_start, 0, n);
  tcase_add_loop_test (tcase, test_answers_later, 0, n);
  tcase_add_test (tcase, test_source_answers);
  tcase_add_loop_test (tcase, test_good_is_read_once, 0, n);
  tcase_add_loop_test (tcase, test_bad_is_read_once, 0, n);
  tcase_add_loop_test (tcase, test_missing_is_read_once, 0, n);
  tcase_add_loop_test (tcase, test_not_with_every_calibration, 0, n);
  return suite;
}

int
main (int argc, char **argv)
{
  gst_check_init (&argc, &argv);
  oct_test_register_elements ();
  return gst_check_run_suite (octfiles_suite (), "octfiles", __FILE__);
}
