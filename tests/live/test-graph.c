/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reconstructions that fail: the pictures go on with the one before.  The list
 * of methods is the test's own, in place of oct-methods.c. */
#include "oct-method-names.h"
#include "oct-live-graph.h"

#include <string.h>

/* After which something counts as not coming at all, however busy the machine
 * is. */
#define PATIENCE (300 * G_TIME_SPAN_SECOND)

static const OctMethod methods[] = {
  { "good", "Good", "resample", "cubic" },
  { "other", "Good too", "nufft", NULL },
  { "kind", "Good as well", "resample", "linear" },
  { "first", "Fails at once", "cs", NULL },
  { "later", "Fails in use", "cs", NULL },
  { "setting", "Has an impossible setting", "cs", NULL },
  { "swallows", "Gives nothing", "cs", NULL },
  { NULL },
};

const OctMethod *
oct_methods (void)
{
  return methods;
}

static gint left; /* B-scans until octcs fails; atomic, < 0: none */
static gint swallows;

/* Probe after octcs. */
static GstPadProbeReturn
on_ascans (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  g_autoptr (GstElement) cs = gst_pad_get_parent_element (pad);

  if (!g_atomic_int_dec_and_test (&left))
    return GST_PAD_PROBE_OK;
  GST_ELEMENT_ERROR (
      cs, STREAM, FAILED, ("Failed after iterations as requested."), (NULL));
  gst_buffer_unref (GST_PAD_PROBE_INFO_BUFFER (info));
  GST_PAD_PROBE_INFO_DATA (info) = NULL;
  GST_PAD_PROBE_INFO_FLOW_RETURN (info) = GST_FLOW_ERROR;
  return GST_PAD_PROBE_HANDLED;
}

/* In front of it. */
static GstPadProbeReturn
on_spectra (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  return g_atomic_int_get (&swallows) ? GST_PAD_PROBE_DROP : GST_PAD_PROBE_OK;
}

static void
prepare (GstElement *reconstruct)
{
  g_autoptr (GObject) cs =
      gst_child_proxy_get_child_by_name (GST_CHILD_PROXY (reconstruct), "cs");
  g_autoptr (GstPad) in = gst_element_get_static_pad (GST_ELEMENT (cs), "sink");
  g_autoptr (GstPad) out = gst_element_get_static_pad (GST_ELEMENT (cs), "src");

  if (g_object_get_data (cs, "prepared") != NULL)
    return;
  g_object_set_data (cs, "prepared", cs);
  gst_pad_add_probe (in, GST_PAD_PROBE_TYPE_BUFFER, on_spectra, NULL, NULL);
  gst_pad_add_probe (out, GST_PAD_PROBE_TYPE_BUFFER, on_ascans, NULL, NULL);
}

void
oct_method_use (GstElement *reconstruct, const OctMethod *method)
{
  prepare (reconstruct);
  if (g_str_equal (method->method, "cs")) {
    g_atomic_int_set (&left, g_str_equal (method->id, "first")   ? 1
                             : g_str_equal (method->id, "later") ? 8
                                                                 : -1);
    g_atomic_int_set (&swallows, g_str_equal (method->id, "swallows"));
    g_object_set (reconstruct, "sampling-rate",
        g_str_equal (method->id, "setting") ? 0.0 : 0.5, NULL);
  }
  if (method->interpolation != NULL)
    gst_util_set_object_arg (
        G_OBJECT (reconstruct), "interpolation", method->interpolation);
  gst_util_set_object_arg (G_OBJECT (reconstruct), "method", method->method);
}

static GMutex lock;
static GList *chains; /* all that were in use, references */

/* Chains come to the pipeline of the pictures in whichever thread changes them.
 */
static gboolean
on_element_added (GSignalInvocationHint *hint, guint count,
    const GValue *values, gpointer data)
{
  GstObject *bin = g_value_get_object (&values[0]);
  GstElement *element = g_value_get_object (&values[1]);
  g_autoptr (GstElement) dispersion = NULL;

  if (g_strcmp0 (GST_OBJECT_NAME (bin), "oct-live") != 0
      || !GST_IS_BIN (element))
    return TRUE;
  dispersion = gst_bin_get_by_name (GST_BIN (element), "dispersion");
  if (dispersion == NULL)
    return TRUE;
  g_mutex_lock (&lock);
  chains = g_list_prepend (chains, gst_object_ref (element));
  g_mutex_unlock (&lock);
  return TRUE;
}

typedef struct {
  OctLiveGraph *graph;
  guint changes, troubles, gaps;
  char *problem;
  double gap; /* the last one, s */
} Test;

static void
on_not_begun (const char *message, gpointer data)
{
  g_error ("The source has not begun: %s", message);
}

static void
on_trouble (gpointer data)
{
  ((Test *)data)->troubles++;
}

static void
on_settings (const char *problem, gpointer data)
{
  Test *test = data;

  test->changes++;
  g_free (test->problem);
  test->problem = g_strdup (problem);
}

static void
on_gap (gint64 from, gint64 till, gpointer data)
{
  Test *test = data;

  test->gaps++;
  test->gap = (till - from) / 1e6;
}

static void
on_shown (const char *problem, gpointer data)
{
  g_assert_null (problem);
}

static guint64
get_frames (Test *test)
{
  OctLiveCounts counts;

  oct_live_graph_get_counts (test->graph, &counts);
  return counts.frames;
}

static void
wait_for_frames (Test *test, guint count)
{
  guint64 wanted = get_frames (test) + count;
  gint64 until = g_get_monotonic_time () + PATIENCE;

  while (get_frames (test) < wanted) {
    g_assert_cmpint (g_get_monotonic_time (), <, until);
    g_main_context_iteration (NULL, FALSE);
    g_usleep (1000);
  }
}

static void
wait_for_changes (Test *test, guint count)
{
  gint64 until = g_get_monotonic_time () + PATIENCE;

  while (test->changes < count) {
    g_assert_cmpint (g_get_monotonic_time (), <, until);
    g_main_context_iteration (NULL, FALSE);
    g_usleep (1000);
  }
}

static const char *
get_method (Test *test)
{
  OctLiveSettings settings;

  oct_live_graph_get_settings (test->graph, &settings);
  return settings.method;
}

static void
wish (Test *test, const char *method, double a2)
{
  g_autoptr (GError) error = NULL;
  OctLiveSettings settings;

  oct_live_graph_get_settings (test->graph, &settings);
  settings.method = method;
  settings.a2 = a2;
  oct_live_graph_set_settings (test->graph, &settings, &error);
  g_assert_no_error (error);
}

static void
begin (Test *test)
{
  static const OctLiveGraphEvents events = { on_not_begun, on_trouble,
    on_settings, on_gap, NULL, on_shown };
  static const OctSourceOptions file = { 0 };
  const OctLiveSource source = { .file = &file,
    .source = "octsrc is-live=true samples=256 lines=16 bscans=1 "
              "line-rate=800",
    .bitrate = 1000 };
  g_autoptr (GError) error = NULL;

  *test = (Test){ .graph = oct_live_graph_new (&source, &error) };
  g_assert_no_error (error);
  oct_live_graph_start (test->graph, &events, test);
  wait_for_frames (test, 3);
}

static void
end (Test *test)
{
  gint64 until = g_get_monotonic_time () + PATIENCE;

  while (!oct_live_graph_free (test->graph))
    g_assert_cmpint (g_get_monotonic_time (), <, until);
  g_free (test->problem);
  g_list_free_full (g_steal_pointer (&chains), gst_object_unref);
  while (g_main_context_iteration (NULL, FALSE))
    ;
}

static void
assert_refused (Test *test, const char *method, const char *words)
{
  wish (test, method, 0.0);
  wait_for_changes (test, 1);
  g_assert_nonnull (test->problem);
  if (strstr (test->problem, words) == NULL)
    g_error ("%s: \"%s\" lacks \"%s\"", method, test->problem, words);
  g_assert_cmpstr (get_method (test), ==, "good");
  g_assert_false (oct_live_graph_is_changing (test->graph));
  wait_for_frames (test, 5);
  g_assert_cmpuint (test->changes, ==, 1);
  g_assert_cmpuint (test->troubles, ==, 0);
  test->changes = 0;
}

static void
test_refused (void)
{
  Test test;

  begin (&test);
  assert_refused (&test, "first", "Failed after iterations");
  assert_refused (&test, "setting", "sampling rate is 0");
  assert_refused (&test, "swallows", "does not take");
  wish (&test, "other", 0.0);
  wait_for_changes (&test, 1);
  g_assert_null (test.problem);
  g_assert_cmpstr (get_method (&test), ==, "other");
  /* from one kind of interpolation to another there is nothing to be tried */
  wish (&test, "good", 0.0);
  wait_for_changes (&test, 2);
  wish (&test, "kind", 0.0);
  wait_for_changes (&test, 3);
  g_assert_null (test.problem);
  g_assert_cmpstr (get_method (&test), ==, "kind");
  g_assert_cmpuint (test.troubles, ==, 0);
  end (&test);
}

/* A method that works in its trial and fails later is replaced by the one
 * before. */
static void
test_reverted (void)
{
  Test test;

  begin (&test);
  wish (&test, "other", 0.0);
  wait_for_changes (&test, 1);
  wish (&test, "later", 0.0);
  wait_for_changes (&test, 2);
  g_assert_null (test.problem);
  g_assert_cmpstr (get_method (&test), ==, "later");
  wait_for_changes (&test, 3);
  g_assert_nonnull (test.problem);
  g_assert_nonnull (strstr (test.problem,
      "The reconstruction \"Fails in use\" has failed, and \"Good too\" is "
      "used again: Failed after iterations"));
  g_assert_cmpstr (get_method (&test), ==, "other");
  wait_for_frames (&test, 30);
  g_assert_cmpuint (test.troubles, ==, 0);
  g_assert_cmpuint (test.changes, ==, 3);
  /* what is recorded has to say it */
  g_assert_cmpuint (test.gaps, ==, 1);
  g_assert_cmpfloat (test.gap, >, 0.0);
  end (&test);
}

/* The pipeline of the pictures now. */
static GstElement *
get_pipeline (void)
{
  GstObject *pipeline = NULL;

  g_mutex_lock (&lock);
  for (GList *i = chains; i != NULL && pipeline == NULL; i = i->next)
    pipeline = gst_object_get_parent (i->data);
  g_mutex_unlock (&lock);
  return GST_ELEMENT (pipeline);
}

/* At least so long: nothing comes meanwhile. */
static void
wait (double seconds)
{
  gint64 until = g_get_monotonic_time () + (gint64)(seconds * 1e6);

  while (g_get_monotonic_time () < until) {
    g_main_context_iteration (NULL, FALSE);
    g_usleep (1000);
  }
}

static void
wait_for_gap (Test *test)
{
  gint64 until = g_get_monotonic_time () + PATIENCE;

  while (test->gaps == 0) {
    g_assert_cmpint (g_get_monotonic_time (), <, until);
    g_main_context_iteration (NULL, FALSE);
    g_usleep (1000);
  }
}

static GstPadProbeReturn
on_held (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  return GST_PAD_PROBE_OK;
}

/* Outside of the source, right after a change that has nothing to do with it.
 */
static void
test_suspected (void)
{
  g_autoptr (GstElement) pipeline = NULL, end_element = NULL;
  Test test;

  begin (&test);
  wish (&test, "other", 0.0);
  wait_for_changes (&test, 1);
  pipeline = get_pipeline ();
  end_element = gst_bin_get_by_name (GST_BIN (pipeline), "end");
  GST_ELEMENT_ERROR (end_element, RESOURCE, FAILED, ("No memory."), (NULL));
  wait_for_changes (&test, 2);
  g_assert_cmpstr (get_method (&test), ==, "good");
  g_assert_nonnull (strstr (test.problem, "right after the change"));
  g_assert_nonnull (strstr (test.problem, "may be why"));
  g_assert_nonnull (strstr (test.problem, "No memory."));
  wait_for_frames (&test, 5);
  g_assert_cmpuint (test.gaps, ==, 1);
  g_assert_cmpuint (test.troubles, ==, 0);
  end (&test);
}

/* No error, and nothing comes. */
static void
test_hangs (void)
{
  g_autoptr (GstElement) pipeline = NULL, dcsub = NULL;
  g_autoptr (GstPad) pad = NULL;
  Test test;
  gulong id;

  begin (&test);
  pipeline = get_pipeline ();
  dcsub = gst_bin_get_by_name (GST_BIN (pipeline), "dcsub");
  pad = gst_element_get_static_pad (dcsub, "src");
  id = gst_pad_add_probe (
      pad, GST_PAD_PROBE_TYPE_BLOCK_DOWNSTREAM, on_held, NULL, NULL);
  wait (8.0);
  g_assert_cmpuint (test.gaps, ==, 0);
  gst_pad_remove_probe (pad, id);
  wait_for_gap (&test);
  wait_for_frames (&test, 5);
  g_assert_cmpuint (test.gaps, ==, 1);
  g_assert_cmpfloat (test.gap, >, 7.0);
  /* it may be the source's own affair */
  g_assert_cmpuint (test.troubles, ==, 0);
  end (&test);
}

/* Checks the chain that is in the pipeline of the pictures. */
static void
assert_a2 (double expected)
{
  guint found = 0;

  g_mutex_lock (&lock);
  for (GList *i = chains; i != NULL; i = i->next) {
    g_autoptr (GstObject) parent = gst_object_get_parent (i->data);
    g_autoptr (GstElement) dispersion =
        gst_bin_get_by_name (GST_BIN (i->data), "dispersion");
    double a2;

    if (parent == NULL || !g_str_equal (GST_OBJECT_NAME (parent), "oct-live"))
      continue;
    found++;
    g_object_get (dispersion, "a2", &a2, NULL);
    g_assert_cmpfloat (a2, ==, expected);
  }
  g_mutex_unlock (&lock);
  g_assert_cmpuint (found, ==, 1);
}

static void
focus (Test *test, gboolean undo, const char *words)
{
  g_autoptr (GError) error = NULL;
  gboolean ok = undo ? oct_live_graph_undo (test->graph, &error)
                     : oct_live_graph_find (
                         test->graph, OCT_LIVE_FIND_DISPERSION, &error);

  g_assert_true (ok == (error == NULL));
  g_assert_true (ok == (words == NULL));
  if (words != NULL && strstr (error->message, words) == NULL)
    g_error ("\"%s\" lacks \"%s\"", error->message, words);
}

/* The dispersion is found, used, told as a setting, and taken back; another
 * setting made meanwhile stays. */
static void
test_focus (void)
{
  OctLiveSettings settings;
  OctLiveFocus state;
  Test test;

  begin (&test);
  focus (&test, TRUE, "undo");
  wish (&test, "good", 300.0);
  focus (&test, FALSE, NULL);
  focus (&test, FALSE, "already");
  oct_live_graph_get_focus (test.graph, &state);
  g_assert_true (state.looking && !state.undoable);
  oct_live_graph_get_settings (test.graph, &settings);
  settings.min = 7.0;
  g_assert_true (oct_live_graph_set_settings (test.graph, &settings, NULL));
  wait_for_changes (&test, 1);
  g_assert_null (test.problem);
  oct_live_graph_get_focus (test.graph, &state);
  g_test_message ("%s", state.note);
  g_assert_true (!state.looking && state.undoable);
  oct_live_graph_get_settings (test.graph, &settings);
  g_assert_cmpfloat (settings.a2, >, -5.0);
  g_assert_cmpfloat (settings.a2, <, 5.0);
  g_assert_cmpfloat (settings.min, ==, 7.0);
  assert_a2 (settings.a2);
  focus (&test, TRUE, NULL);
  wait_for_changes (&test, 2);
  oct_live_graph_get_settings (test.graph, &settings);
  g_assert_cmpfloat (settings.a2, ==, 300.0);
  assert_a2 (300.0);
  focus (&test, TRUE, "undo");
  wait_for_frames (&test, 5);
  g_assert_cmpuint (test.troubles, ==, 0);
  g_assert_cmpuint (test.gaps, ==, 0);
  end (&test);
}

/* From the chain that is in the pipeline of the pictures. */
static GstElement *
get_reconstruct (void)
{
  g_autoptr (GstElement) pipeline = get_pipeline ();

  return gst_bin_get_by_name (GST_BIN (pipeline), "reconstruct");
}

static void
assert_chain (const char *warp, double a2, const char *mode, gboolean taken)
{
  g_autoptr (GstElement) reconstruct = get_reconstruct ();
  g_autofree char *found = NULL, *background = NULL;
  double found_a2;

  g_object_get (reconstruct, "k-warp", &found, "a2", &found_a2,
      "background-spectrum", &background, NULL);
  g_assert_cmpstr (found, ==, warp);
  g_assert_cmpfloat (found_a2, ==, a2);
  g_assert_true ((background != NULL) == taken);
  g_assert_cmpstr (oct_instrument_get_nick (reconstruct, "mode"), ==, mode);
}

/* As octreconstruct says it of a scene that tells wavenumbers, which the
 * virtual one does not. */
static void
find_wavenumbers (Test *test, const char *warp, double a2)
{
  g_autoptr (GstElement) reconstruct = get_reconstruct ();
  guint before = test->changes;

  g_object_set (reconstruct, "k-warp", warp, "a2", a2, NULL);
  gst_element_post_message (
      reconstruct, gst_message_new_element (GST_OBJECT (reconstruct),
                       gst_structure_new ("oct-autofocus", "result",
                           G_TYPE_STRING, "changed", "k-warp", G_TYPE_STRING,
                           warp, "a2", G_TYPE_DOUBLE, a2, "a3", G_TYPE_DOUBLE,
                           0.0, "text", G_TYPE_STRING, "Found.", NULL)));
  wait_for_changes (test, before + 1);
}

static void
find (Test *test, OctLiveFind what)
{
  g_autoptr (GError) error = NULL;
  guint before = test->changes;

  oct_live_graph_find (test->graph, what, &error);
  g_assert_no_error (error);
  wait_for_changes (test, before + 1);
  g_assert_null (test->problem);
}

static void
undo (Test *test, const char *what)
{
  g_autoptr (GError) error = NULL;
  OctLiveFocus state;

  oct_live_graph_get_focus (test->graph, &state);
  g_assert_cmpstr (state.undoes, ==, what);
  oct_live_graph_undo (test->graph, &error);
  g_assert_no_error (error);
  oct_live_graph_get_focus (test->graph, &state);
  g_test_message ("%s", state.note);
}

/* Each time what was done last is taken back, and nothing else, whatever people
 * have set in between; also by pictures of a source that has failed since. */
static void
test_undo_in_order (void)
{
  g_autoptr (GstElement) pipeline = NULL, source = NULL;
  OctLiveSettings settings;
  OctLiveFocus state;
  double found;
  Test test;

  begin (&test);
  find_wavenumbers (&test, "0,0,0.01", 4.0);
  wish (&test, "good", 300.0);
  find (&test, OCT_LIVE_FIND_DISPERSION);
  oct_live_graph_get_settings (test.graph, &settings);
  found = settings.a2;
  g_assert_cmpfloat (found, <, 200.0);
  g_assert_cmpstr (settings.k_warp, ==, "0,0,0.01");
  find (&test, OCT_LIVE_FIND_BACKGROUND);
  wait_for_frames (&test, 3);
  assert_chain ("0,0,0.01", found, "background-scaled", TRUE);

  pipeline = get_pipeline ();
  source = gst_bin_get_by_name (GST_BIN (pipeline), "dcsub");
  GST_ELEMENT_ERROR (source, RESOURCE, FAILED, ("Unplugged."), (NULL));
  while (oct_live_graph_get_trouble (test.graph) == NULL)
    g_main_context_iteration (NULL, TRUE);
  undo (&test, "background");
  while (oct_live_graph_get_trouble (test.graph) != NULL)
    g_main_context_iteration (NULL, TRUE);
  wait_for_frames (&test, 3);
  assert_chain ("0,0,0.01", found, "bscan", FALSE);

  undo (&test, "dispersion");
  assert_chain ("0,0,0.01", 300.0, "bscan", FALSE);
  undo (&test, "wavenumbers and dispersion");
  assert_chain (NULL, 0.0, "bscan", FALSE);
  oct_live_graph_get_focus (test.graph, &state);
  g_assert_false (state.undoable);
  focus (&test, TRUE, "undo");
  wait_for_frames (&test, 3);
  end (&test);
}

/* A choice is in force in the chain and in the measurement of its resolution;
 * one that octreconstruct does not have is refused, and nothing has changed. */
static void
test_window (void)
{
  g_autoptr (GstElement) pipeline = NULL, reconstruct = NULL, meter = NULL;
  g_autoptr (GError) error = NULL;
  OctLiveSettings settings;
  Test test;

  begin (&test);
  pipeline = get_pipeline ();
  reconstruct = gst_bin_get_by_name (GST_BIN (pipeline), "reconstruct");
  meter = gst_bin_get_by_name (GST_BIN (pipeline), "spectra-meter");
  oct_live_graph_get_settings (test.graph, &settings);
  g_assert_cmpstr (settings.window, ==, "hann");
  settings.window = "blackman";
  oct_live_graph_set_settings (test.graph, &settings, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < 2; i++) {
    g_assert_cmpstr (
        oct_instrument_get_nick (reconstruct, "window"), ==, "blackman");
    g_assert_cmpstr (oct_instrument_get_nick (meter, "window"), ==, "blackman");
    wait_for_frames (&test, 3);
    settings.window = "glass";
    g_assert_false (oct_live_graph_set_settings (
        test.graph, &settings, i == 0 ? &error : NULL));
  }
  g_assert_cmpstr (error->message, ==,
      "This window does not exist here; choose one of hann, none, hamming, "
      "blackman, tukey, gaussian.");
  oct_live_graph_get_settings (test.graph, &settings);
  g_assert_cmpstr (settings.window, ==, "blackman");
  end (&test);
}

/* The last wish counts, and what else was set meanwhile is in force with it. */
static void
test_burst (void)
{
  static const char *const wishes[] = { "other", "first", "good", "swallows" };
  Test test;

  begin (&test);
  for (guint i = 0; i < 200; i++) {
    wish (&test, wishes[i % 4], i);
    if (i % 3 == 0)
      g_main_context_iteration (NULL, FALSE);
    g_usleep (i % 7 * 500);
  }
  wish (&test, "other", 3.0);
  wish (&test, "other", 4.0);
  while (oct_live_graph_is_changing (test.graph))
    wait_for_frames (&test, 1);
  g_assert_cmpstr (get_method (&test), ==, "other");
  wait_for_frames (&test, 5);
  assert_a2 (4.0);
  wish (&test, "other", 5.0);
  assert_a2 (5.0);
  g_assert_cmpuint (test.troubles, ==, 0);
  end (&test);
}

/* Ended at any moment of a change. */
static void
test_ended_while_changing (void)
{
  for (guint i = 0; i < 12; i++) {
    Test test;

    begin (&test);
    for (guint k = 0; k < 3; k++) {
      wish (&test, k % 2 == 0 ? "other" : "good", 0.0);
      for (guint n = 0; n < i; n++) {
        g_main_context_iteration (NULL, FALSE);
        g_usleep (2000);
      }
    }
    end (&test);
  }
}

static void
wait_for_trouble (Test *test, gboolean wanted)
{
  gint64 until = g_get_monotonic_time () + PATIENCE;

  while ((oct_live_graph_get_trouble (test->graph) != NULL) != wanted) {
    g_assert_cmpint (g_get_monotonic_time (), <, until);
    g_main_context_iteration (NULL, FALSE);
    g_usleep (1000);
  }
}

static void
assert_streams_fail (Test *test, GstElement *element, const char *sentence)
{
  g_autoptr (GstSample) image = NULL;

  GST_ELEMENT_ERROR (element, STREAM, ENCODE, ("No more memory."), (NULL));
  wait_for_trouble (test, TRUE);
  g_assert_cmpstr (oct_live_graph_get_trouble (test->graph), ==, sentence);
  g_assert_null (oct_live_graph_get_image (test->graph));
  wait_for_trouble (test, FALSE);
  wait_for_frames (test, 5);
  image = oct_live_graph_get_image (test->graph);
  g_assert_nonnull (image);
}

/* An error after the images, as of an encoder: the whole stream is started
 * again. */
static void
test_streams_fail (void)
{
  g_autoptr (GstElement) input = NULL, encoder = NULL;
  g_autoptr (GstObject) branches = NULL, pipeline = NULL;
  g_autoptr (GstPad) pad = NULL;
  g_autofree char *sentence = NULL;
  OctLiveInfo info = { 0 };
  Test test;

  begin (&test);
  pad =
      oct_live_streams_get_image_pad (oct_live_graph_get_streams (test.graph));
  input = gst_pad_get_parent_element (pad);
  branches = gst_object_get_parent (GST_OBJECT (input));
  pipeline = gst_object_get_parent (branches);
  encoder = gst_bin_get_by_name (GST_BIN (pipeline), "encoder");
  oct_live_graph_get_info (test.graph, &info);
  sentence = g_strdup_printf ("The encoder %s has failed: No more memory. It "
                              "is being tried again.",
      info.encoder);
  assert_streams_fail (&test, encoder, sentence);
  assert_streams_fail (&test, input,
      "What makes a video of the pictures (appsrc) has failed: No more memory. "
      "It is being tried again.");
  end (&test);
}

static void
assert_mode (
    const char *data, const char *launch, guint bscans, const char *expected)
{
  const OctSourceOptions file = { .data = (char *)data };
  const OctLiveSource source = {
    .file = &file, .source = launch, .bscans = bscans, .bitrate = 1000
  };
  g_autoptr (GError) error = NULL;
  OctLiveGraph *graph = oct_live_graph_new (&source, &error);
  OctLiveSettings settings;

  g_assert_no_error (error);
  oct_live_graph_get_settings (graph, &settings);
  g_assert_cmpstr (settings.mode, ==, expected);
  oct_live_graph_free (graph);
}

/* The virtual system knows its background, with volumes and without them; the
 * mean of a B-scan would draw lines beside the instrument. */
static void
test_background (void)
{
  assert_mode (NULL, NULL, 0, "background");
  assert_mode (NULL, NULL, 16, "background");
  assert_mode ("scan.npy", NULL, 0, "bscan");
  assert_mode (NULL, "octsrc is-live=true", 16, "bscan");
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  gst_object_unref (gst_object_ref_sink (gst_bin_new (NULL)));
  g_signal_add_emission_hook (g_signal_lookup ("element-added", GST_TYPE_BIN),
      0, on_element_added, NULL, NULL);
  g_test_add_func ("/live/graph/background", test_background);
  g_test_add_func ("/live/graph/refused", test_refused);
  g_test_add_func ("/live/graph/reverted", test_reverted);
  g_test_add_func ("/live/graph/suspected", test_suspected);
  g_test_add_func ("/live/graph/hangs", test_hangs);
  g_test_add_func ("/live/graph/focus", test_focus);
  g_test_add_func ("/live/graph/undo-in-order", test_undo_in_order);
  g_test_add_func ("/live/graph/window", test_window);
  g_test_add_func ("/live/graph/burst", test_burst);
  g_test_add_func (
      "/live/graph/ended-while-changing", test_ended_while_changing);
  g_test_add_func ("/live/graph/streams-fail", test_streams_fail);
  return g_test_run ();
}
