/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Messages that pages may send, and refused ones. */
#include "oct-live-message.h"

#include "oct-live-json.h"

#include <math.h>
#include <string.h>

#define SET "{\"type\":\"set\"}"
#define ANSWERED(sdp) "{\"type\":\"answer\",\"sdp\":\"" sdp "\"}"

static OctLiveMessage *
parse (const char *text)
{
  g_autoptr (GError) error = NULL;
  OctLiveMessage *message =
      oct_live_message_parse (text, strlen (text), &error);

  g_assert_no_error (error);
  g_assert_nonnull (message);
  return message;
}

static void
refuse (const char *text, gsize length)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (OctLiveMessage) message =
      oct_live_message_parse (text, length, &error);

  g_assert_null (message);
  g_assert_nonnull (error);
  g_assert_true (g_str_has_suffix (error->message, "."));
}

#define CHOICE                                                                 \
  "\"type\":\"begin\",\"microscope\":\"\",\"calibration\":\"\","               \
  "\"instrument\":\"Bench 3\",\"flow\":false,\"record\":true,"
#define CHOSEN CHOICE "\"source\":\"virtual\",\"save\":\" A b \""

static void
test_begin (void)
{
  static const char *const wrong[] = {
    "{" CHOICE "\"save\":\"\"}",
    "{" CHOICE "\"save\":\"\",\"source\":1}",
    "{" CHOICE "\"save\":\"\",\"source\":\"a\\nb\"}",
    "{" CHOSEN ",\"bscans\":0}",
    "{" CHOSEN ",\"bscans\":1.5}",
    "{" CHOSEN ",\"bscans\":\"16\"}",
    "{" CHOSEN ",\"refractive-index\":0.5}",
    "{" CHOSEN ",\"width-um\":1e300}",
    "{" CHOSEN ",\"data\":\"/etc/passwd\"}",
    "{" CHOSEN ",\"source\":\"given\",\"images\":\"fakesrc\"}",
    "{\"type\":\"seek\",\"files\":\"/\"}",
    "{\"type\":\"leave\",\"on\":true}",
  };
  g_autoptr (OctLiveMessage) begin =
      parse ("{" CHOSEN ",\"bscans\":16,\"width-um\":2500.5}");
  g_autoptr (OctLiveMessage) quit = parse ("{\"type\":\"quit\"}");
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();
  g_auto (GStrv) arguments = NULL;
  static const char *const right[] = { "--bscans=16", "--width-um=2500.5",
    "--instrument=Bench 3", "--save-instrument=A b", NULL };

  g_assert_cmpint (begin->type, ==, OCT_LIVE_BEGIN);
  g_assert_cmpstr (begin->begin.source, ==, "virtual");
  g_assert_true (begin->begin.record);
  oct_live_begin_add_arguments (&begin->begin, builder);
  arguments = g_strv_builder_end (builder);
  g_assert_true (g_strv_equal ((const char *const *)arguments, right));
  g_assert_cmpint (quit->type, ==, OCT_LIVE_QUIT);
  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++)
    refuse (wrong[i], strlen (wrong[i]));
}

/* An instrument keeps it as a text, which is read as a message again. */
static void
test_begin_again (void)
{
  g_autoptr (OctLiveMessage) begin =
      parse ("{" CHOSEN ",\"repeats\":4,\"refractive-index\":1.34}");
  JsonBuilder *builder = oct_live_json_begin ("begin");
  g_autofree char *text = NULL, *again_text = NULL;
  g_autoptr (OctLiveMessage) again = NULL;

  oct_live_begin_add (&begin->begin, builder);
  text = oct_live_json_finish (builder);
  again = parse (text);
  g_assert_cmpstr (again->begin.save, ==, "A b");
  g_assert_cmpuint (again->begin.given, ==, begin->begin.given);
  g_assert_cmpfloat (again->begin.numbers[OCT_LIVE_BEGIN_INDEX], ==, 1.34);
  builder = oct_live_json_begin ("begin");
  oct_live_begin_add (&again->begin, builder);
  again_text = oct_live_json_finish (builder);
  g_assert_cmpstr (again_text, ==, text);
}

static void
test_screen (void)
{
  static const char *const wrong[] = {
    "{\"type\":\"screen\",\"layout\":\"beside\"}",
    "{\"type\":\"screen\",\"layout\":\"above\",\"eyes\":\"left\"}",
    "{\"type\":\"screen\",\"layout\":0,\"eyes\":\"left\"}",
    "{\"type\":\"screen\",\"layout\":\"oct\",\"eyes\":\"none\"}",
    "{\"type\":\"screen\",\"layout\":\"oct\",\"eyes\":\"left\",\"x\":1}",
    "{\"type\":\"aim\",\"eye\":\"both\",\"corners\":\"\"}",
    "{\"type\":\"aim\",\"eye\":\"left\",\"corners\":\"0,0 1,0 1,1\"}",
    "{\"type\":\"aim\",\"eye\":\"left\",\"corners\":\"0,0 1,0 1,1 0,nan\"}",
    "{\"type\":\"aim\",\"eye\":\"left\",\"corners\":0}",
    "{\"type\":\"aim\",\"eye\":\"left\"}",
  };
  g_autoptr (OctLiveMessage) layout =
      parse ("{\"type\":\"screen\",\"layout\":\"field\",\"eyes\":\"both\"}");
  g_autoptr (OctLiveMessage) aim =
      parse ("{\"type\":\"aim\",\"eye\":\"right\","
             "\"corners\":\"0.25,0 1,0.5 1,1 -3,1\"}");
  g_autoptr (OctLiveMessage) none =
      parse ("{\"type\":\"aim\",\"eye\":\"left\",\"corners\":\"\"}");

  g_assert_cmpint (layout->type, ==, OCT_LIVE_SCREEN);
  g_assert_cmpint (layout->layout, ==, OCT_LIVE_LAYOUT_FIELD);
  g_assert_cmpint (layout->eyes, ==, OCT_LIVE_EYE_BOTH);
  g_assert_true (aim->aimed);
  g_assert_cmpint (aim->eyes, ==, OCT_LIVE_EYE_RIGHT);
  g_assert_cmpfloat (aim->corners[0].x, ==, 0.25);
  /* outside of the picture is for people to hear of, oct-live-aim.h */
  g_assert_cmpfloat (aim->corners[3].x, ==, -3.0);
  g_assert_false (none->aimed);
  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++)
    refuse (wrong[i], strlen (wrong[i]));
}

static void
test_every_type (void)
{
  g_autoptr (OctLiveMessage) watch =
      parse ("{\"type\":\"watch\",\"media\":\"webrtc\"}");
  g_autoptr (OctLiveMessage) jpeg =
      parse ("{\"media\":\"jpeg\",\"type\":\"watch\"}");
  g_autoptr (OctLiveMessage) answer =
      parse ("{\"type\":\"answer\",\"sdp\":\"v=0\\r\\n\"}");
  g_autoptr (OctLiveMessage) candidate =
      parse ("{\"type\":\"candidate\",\"mline\":0,\"candidate\":"
             "\"candidate:1 1 UDP 1 127.0.0.1 9 typ host\"}");
  g_autoptr (OctLiveMessage) ack = parse ("{\"type\":\"ack\",\"number\":12}");
  g_autoptr (OctLiveMessage) keep = parse ("{\"type\":\"keep\"}");
  g_autoptr (OctLiveMessage) record =
      parse ("{\"type\":\"record\",\"on\":true}");
  g_autoptr (OctLiveMessage) focus =
      parse ("{\"type\":\"focus\",\"undo\":false}");
  g_autoptr (OctLiveMessage) undo =
      parse ("{\"type\":\"focus\",\"undo\":true}");
  g_autoptr (OctLiveMessage) refine = parse ("{\"type\":\"refine\"}");
  g_autoptr (OctLiveMessage) background = parse ("{\"type\":\"background\"}");
  g_autoptr (OctLiveMessage) label =
      parse ("{\"type\":\"label\",\"text\":\" Müller 7 "
             "\",\"side\":\"OD\",\"shown\":false}");
  g_autoptr (OctLiveMessage) note = parse ("{\"type\":\"note\",\"text\":\"\"}");
  g_autoptr (OctLiveMessage) meters =
      parse ("{\"type\":\"meters\",\"on\":true}");

  g_assert_cmpint (watch->type, ==, OCT_LIVE_WATCH);
  g_assert_true (watch->webrtc);
  g_assert_false (jpeg->webrtc);
  g_assert_cmpint (answer->type, ==, OCT_LIVE_ANSWER);
  g_assert_cmpstr (answer->sdp, ==, "v=0\r\n");
  g_assert_cmpint (candidate->type, ==, OCT_LIVE_CANDIDATE);
  g_assert_cmpstr (
      candidate->candidate, ==, "candidate:1 1 UDP 1 127.0.0.1 9 typ host");
  g_assert_cmpint (ack->type, ==, OCT_LIVE_ACK);
  g_assert_cmpint (ack->number, ==, 12);
  g_assert_cmpint (keep->type, ==, OCT_LIVE_KEEP);
  g_assert_cmpint (record->type, ==, OCT_LIVE_RECORD);
  g_assert_true (record->on);
  g_assert_cmpint (focus->type, ==, OCT_LIVE_FOCUS);
  g_assert_false (focus->undo);
  g_assert_true (undo->undo);
  g_assert_cmpint (meters->type, ==, OCT_LIVE_METERS);
  g_assert_cmpint (label->type, ==, OCT_LIVE_LABEL);
  g_assert_cmpstr (label->text, ==, "Müller 7");
  g_assert_cmpstr (label->side, ==, "OD");
  g_assert_false (label->shown);
  g_assert_cmpint (note->type, ==, OCT_LIVE_NOTE);
  g_assert_cmpstr (note->text, ==, "");
  g_assert_true (meters->on);
  g_assert_cmpint (refine->type, ==, OCT_LIVE_REFINE);
  g_assert_cmpint (background->type, ==, OCT_LIVE_BACKGROUND);
}

static void
test_scan (void)
{
  g_autoptr (OctLiveMessage) scan =
      parse ("{\"type\":\"scan\",\"pattern\":\"spiral-angular\","
             "\"width\":4000,\"height\":0.5,\"x\":-10.25,\"y\":7,"
             "\"angle\":-30}");

  g_assert_cmpint (scan->type, ==, OCT_LIVE_SCAN);
  g_assert_cmpstr (scan->beam.pattern, ==, "spiral-angular");
  g_assert_cmpfloat (scan->beam.width, ==, 4000.0);
  g_assert_cmpfloat (scan->beam.height, ==, 0.5);
  g_assert_cmpfloat (scan->beam.x, ==, -10.25);
  g_assert_cmpfloat (scan->beam.y, ==, 7.0);
  g_assert_cmpfloat (scan->beam.angle, ==, -30.0);
}

static void
test_settings (void)
{
  g_autoptr (OctLiveMessage) some =
      parse ("{\"type\":\"set\",\"min\":-3.5,\"max\":60}");
  g_autoptr (OctLiveMessage) all =
      parse ("{\"type\":\"set\",\"automatic\":false,\"min\":1,\"max\":2,"
             "\"a2\":-40.25,\"a3\":1e3,\"method\":\"cubic\",\"still\":true,"
             "\"window\":\"blackman\",\"backgroundMode\":\"median\","
             "\"depthStart\":40,\"depthBins\":256,\"average\":4,"
             "\"speckle\":\"lee\","
             "\"solver\":\"sparsa\",\"fill\":\"joint\",\"tau\":2.5,"
             "\"samplingRate\":0.3,\"number\":7,"
             "\"density\":1.5,\"rollOff\":true,\"phase2\":12,"
             "\"phase3\":-0.5}");
  g_autoptr (OctLiveMessage) none = parse ("{\"type\":\"set\"}");
  const OctLiveSettings *set = &all->settings;

  g_assert_cmpint (some->type, ==, OCT_LIVE_SET);
  g_assert_cmpuint (
      some->given, ==, 1 << OCT_LIVE_SETTING_min | 1 << OCT_LIVE_SETTING_max);
  g_assert_cmpfloat (some->settings.min, ==, -3.5);
  g_assert_cmpfloat (some->settings.max, ==, 60.0);
  g_assert_cmpuint (
      all->given, ==, (G_GUINT64_CONSTANT (1) << OCT_LIVE_N_SETTINGS) - 1);
  g_assert_cmpint (all->number, ==, 7);
  g_assert_cmpint (some->number, ==, 0);
  g_assert_cmpfloat (set->phase2, ==, 12.0);
  g_assert_cmpfloat (set->phase3, ==, -0.5);
  g_assert_cmpstr (set->window, ==, "blackman");
  g_assert_cmpstr (set->mode, ==, "median");
  g_assert_cmpint (set->depth_start, ==, 40);
  g_assert_cmpint (set->depth_bins, ==, 256);
  g_assert_cmpint (set->average, ==, 4);
  g_assert_cmpstr (set->speckle, ==, "lee");
  g_assert_cmpstr (set->solver, ==, "sparsa");
  g_assert_cmpstr (set->fill, ==, "joint");
  g_assert_cmpfloat (set->tau, ==, 2.5);
  g_assert_cmpfloat (set->sampling_rate, ==, 0.3);
  g_assert_cmpfloat (set->density, ==, 1.5);
  g_assert_true (set->roll_off && set->still);
  g_assert_false (set->automatic);
  g_assert_cmpfloat (set->a2, ==, -40.25);
  g_assert_cmpfloat (set->a3, ==, 1000.0);
  g_assert_cmpstr (set->method, ==, "cubic");
  g_assert_cmpuint (none->given, ==, 0);
}

/* A state has the values that were set; others stay. */
static void
test_settings_again (void)
{
  static const char text[] = "{\"automatic\":false,\"min\":-2,\"solver\":"
                             "\"sparsa\",\"tau\":2.5,\"rollOff\":true}";
  g_autofree char *message = g_strconcat ("{\"type\":\"set\",", text + 1, NULL);
  g_autoptr (OctLiveMessage) set = parse (message);
  OctLiveSettings settings = { .automatic = TRUE,
    .min = 5.0,
    .max = 60.5,
    .solver = "continued",
    .method = "cubic" };
  JsonBuilder *builder = oct_live_json_begin ("state");
  g_autofree char *said = NULL;

  oct_live_settings_copy (&set->settings, set->given, &settings);
  oct_live_settings_add (&settings, builder);
  said = oct_live_json_finish (builder);
  for (const char *const *part = (const char *const[]){ "\"automatic\":false",
           "\"min\":-2", "\"max\":60.5", "\"solver\":\"sparsa\"", "\"tau\":2.5",
           "\"method\":\"cubic\"", "\"samplingRate\":0", "\"rollOff\":true",
           "\"still\":false", NULL };
       *part != NULL; part++) {
    g_test_message ("%s in %s", *part, said);
    g_assert_nonnull (strstr (said, *part));
  }
}

static void
test_looks (void)
{
  g_autoptr (OctLiveMessage) none = parse ("{\"type\":\"look\"}");
  g_autoptr (OctLiveMessage) some =
      parse ("{\"type\":\"look\",\"show\":\"planes\",\"yaw\":-12.5,\"zoom\":2,"
             "\"stereo\":true,\"flatten\":false,\"rendering\":\"mip\","
             "\"slabMode\":\"max\",\"atZ\":1,\"cropTop\":0.25}");

  g_assert_cmpint (none->type, ==, OCT_LIVE_LOOK);
  g_assert_cmpuint (none->looks, ==, 0);
  g_assert_cmpuint (some->looks, ==,
      1 << OCT_LIVE_SHOW | 1 << OCT_LIVE_YAW | 1 << OCT_LIVE_ZOOM
          | 1 << OCT_LIVE_STEREO | 1 << OCT_LIVE_FLATTEN
          | 1 << OCT_LIVE_RENDERING | 1 << OCT_LIVE_SLAB_MODE
          | 1 << OCT_LIVE_AT_Z | 1 << OCT_LIVE_CROP_TOP);
  g_assert_cmpfloat (some->look.values[OCT_LIVE_SHOW], ==, OCT_LIVE_PLANES);
  g_assert_cmpfloat (some->look.values[OCT_LIVE_YAW], ==, -12.5);
  g_assert_cmpfloat (some->look.values[OCT_LIVE_ZOOM], ==, 2.0);
  g_assert_cmpfloat (some->look.values[OCT_LIVE_STEREO], ==, 1.0);
  g_assert_cmpfloat (some->look.values[OCT_LIVE_FLATTEN], ==, 0.0);
  g_assert_cmpstr (
      oct_live_look_get_choice (&some->look, OCT_LIVE_RENDERING), ==, "mip");
  g_assert_cmpstr (
      oct_live_look_get_choice (&some->look, OCT_LIVE_SLAB_MODE), ==, "max");
  g_assert_cmpfloat (some->look.values[OCT_LIVE_AT_Z], ==, 1.0);
  g_assert_cmpfloat (some->look.values[OCT_LIVE_CROP_TOP], ==, 0.25);
}

static void
test_looks_of_motion (void)
{
  g_autoptr (OctLiveMessage) message =
      parse ("{\"type\":\"look\",\"show\":\"doppler\",\"flowLeast\":4.5,"
             "\"flowWindow\":\"7\",\"flowMode\":\"max\",\"dopplerBetween\":"
             "\"repeats\",\"dopplerRange\":2,\"dynamicFrames\":64}");
  const double *values = message->look.values;

  g_assert_cmpuint (message->looks, ==,
      G_GUINT64_CONSTANT (1) << OCT_LIVE_SHOW
          | G_GUINT64_CONSTANT (1) << OCT_LIVE_FLOW_LEAST
          | G_GUINT64_CONSTANT (1) << OCT_LIVE_FLOW_WINDOW
          | G_GUINT64_CONSTANT (1) << OCT_LIVE_FLOW_MODE
          | G_GUINT64_CONSTANT (1) << OCT_LIVE_DOPPLER_BETWEEN
          | G_GUINT64_CONSTANT (1) << OCT_LIVE_DOPPLER_RANGE
          | G_GUINT64_CONSTANT (1) << OCT_LIVE_DYNAMIC_FRAMES);
  g_assert_true (oct_live_look_moves (&message->look));
  g_assert_cmpfloat (values[OCT_LIVE_SHOW], ==, OCT_LIVE_DOPPLER);
  g_assert_cmpfloat (values[OCT_LIVE_FLOW_LEAST], ==, 4.5);
  g_assert_cmpstr (
      oct_live_look_get_choice (&message->look, OCT_LIVE_FLOW_WINDOW), ==, "7");
  g_assert_cmpstr (
      oct_live_look_get_choice (&message->look, OCT_LIVE_FLOW_MODE), ==, "max");
  g_assert_cmpstr (
      oct_live_look_get_choice (&message->look, OCT_LIVE_DOPPLER_BETWEEN), ==,
      "repeats");
  g_assert_cmpfloat (values[OCT_LIVE_DOPPLER_RANGE], ==, 2.0);
  g_assert_cmpfloat (values[OCT_LIVE_DYNAMIC_FRAMES], ==, 64.0);
}

static void
test_looks_refused (void)
{
  /* the members after the type; the last ones: no others are allowed */
  static const char *const members[] = { "\"yaw\":361", "\"yaw\":-1e300",
    "\"yaw\":1e400", "\"yaw\":\"0\"", "\"yaw\":true", "\"yaw\":null",
    "\"yaw\":[0]", "\"pitch\":90.1", "\"pitch\":-91", "\"zoom\":0",
    "\"zoom\":0.1", "\"zoom\":-1", "\"zoom\":21", "\"panX\":11",
    "\"panY\":-10.5", "\"threshold\":-1.5", "\"threshold\":256",
    "\"opacity\":-0.1", "\"opacity\":101", "\"stereo\":1",
    "\"stereo\":\"side-by-side\"", "\"flatten\":0", "\"flatten\":null",
    "\"show\":1", "\"show\":\"\"", "\"show\":\"body\"", "\"show\":true",
    "\"show\":[\"volume\"]", "\"rendering\":\"file\"",
    "\"rendering\":\"full \"", "\"slabMode\":\"depth\"", "\"slabStart\":1e6",
    "\"slabThickness\":-1", "\"cropLeft\":-0.01", "\"cropBottom\":1.01",
    "\"flowLeast\":12.5", "\"flowWindow\":3", "\"flowWindow\":\"4\"",
    "\"flowMode\":\"sum\"", "\"flowMode\":true", "\"flowStart\":-1",
    "\"dopplerBetween\":\"bscans\"", "\"dopplerBetween\":false",
    "\"dopplerRange\":-0.1", "\"dopplerAngle\":90", "\"dopplerLeast\":41",
    "\"dynamicFrames\":1", "\"dynamicFastest\":0", "\"show\":\"angio\"",
    "\"cutX\":2", "\"atX\":-0.1", "\"atY\":1.5", "\"atZ\":\"half\"",
    "\"bscans\":64", "\"transferFile\":\"/etc\"", "\"clipPlane\":\"0 0 1 0\"",
    "\"yaw\":1,\"on\":true", "\"yaw\":1,\"\":0" };

  for (guint i = 0; i < G_N_ELEMENTS (members); i++) {
    g_autofree char *text =
        g_strdup_printf ("{\"type\":\"look\",%s}", members[i]);

    g_test_message ("%s", text);
    refuse (text, strlen (text));
  }
}

/* Combinations of settings, and the initial ones of pages. */
static void
test_looks_checked (void)
{
  OctLiveLook look;

  oct_live_look_init (&look);
  g_assert_cmpfloat (look.values[OCT_LIVE_SHOW], ==, OCT_LIVE_BSCANS);
  g_assert_null (oct_live_look_check (&look));
  for (guint i = 0; i < OCT_LIVE_N_LOOKS; i++) {
    const OctLiveLookField *field = &oct_live_look_fields[i];

    g_assert_nonnull (field->name);
    if (field->choices == NULL) {
      g_assert_cmpfloat (field->first, >=, field->least);
      g_assert_cmpfloat (field->first, <=, field->most);
    }
  }
  look.values[OCT_LIVE_CROP_LEFT] = 0.5;
  look.values[OCT_LIVE_CROP_RIGHT] = 0.6;
  g_assert_null (oct_live_look_check (&look));
  look.values[OCT_LIVE_CROP_RIGHT] = 0.5;
  g_assert_nonnull (oct_live_look_check (&look));
  look.values[OCT_LIVE_CROP_RIGHT] = 0.4;
  g_assert_nonnull (oct_live_look_check (&look));
  look.values[OCT_LIVE_CROP_RIGHT] = 1.0;
  look.values[OCT_LIVE_CROP_BOTTOM] = 0.02;
  g_assert_nonnull (oct_live_look_check (&look));
}

/* Texts of people have up to 400 bytes. */
static void
test_longest_text (void)
{
  for (guint length = 400; length <= 401; length++) {
    g_autofree char *words = g_strnfill (length, 'a');
    g_autofree char *long_note =
        g_strdup_printf ("{\"type\":\"note\",\"text\":\"%s\"}", words);

    if (length > 400) {
      refuse (long_note, strlen (long_note));
    } else {
      g_autoptr (OctLiveMessage) longest = parse (long_note);

      g_assert_cmpuint (strlen (longest->text), ==, length);
    }
  }
}

static void
test_scan_refused (void)
{
  static const char *const texts[] = {
    "{\"type\":\"scan\",\"pattern\":\"raster\",\"width\":0,"
    "\"height\":1,\"x\":0,\"y\":0,\"angle\":0}",
    "{\"type\":\"scan\",\"pattern\":\"raster\",\"width\":-1,"
    "\"height\":1,\"x\":0,\"y\":0,\"angle\":0}",
    "{\"type\":\"scan\",\"pattern\":\"raster\",\"width\":1e8,"
    "\"height\":1,\"x\":0,\"y\":0,\"angle\":0}",
    "{\"type\":\"scan\",\"pattern\":\"raster\",\"width\":true,"
    "\"height\":1,\"x\":0,\"y\":0,\"angle\":0}",
    "{\"type\":\"scan\",\"pattern\":\"raster\",\"width\":\"1\","
    "\"height\":1,\"x\":0,\"y\":0,\"angle\":0}",
    "{\"type\":\"scan\",\"pattern\":\"raster\",\"width\":1,"
    "\"height\":1,\"x\":0,\"y\":0,\"angle\":361}",
    "{\"type\":\"scan\",\"pattern\":\"Raster\",\"width\":1,"
    "\"height\":1,\"x\":0,\"y\":0,\"angle\":0}",
    "{\"type\":\"scan\",\"pattern\":\"\",\"width\":1,"
    "\"height\":1,\"x\":0,\"y\":0,\"angle\":0}",
    "{\"type\":\"scan\",\"pattern\":\"a-pattern-of-a-long-name\",\"width\":1,"
    "\"height\":1,\"x\":0,\"y\":0,\"angle\":0}",
    "{\"type\":\"scan\",\"pattern\":\"raster\",\"width\":1,"
    "\"height\":1,\"x\":0,\"y\":0,\"angle\":0,\"more\":1}",
    "{\"type\":\"scan\",\"pattern\":\"raster\"}"
  };

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    refuse (texts[i], strlen (texts[i]));
}

static void
test_refused (void)
{
  static const char *const texts[] = { "", "x", "[]", "{}", "null", "12",
    "{\"type\":\"set\"", "{\"type\":\"set\"} {}", "{\"type\":5}",
    "{\"type\":\"reboot\"}", "{\"type\":\"watch\"}",
    "{\"type\":\"watch\",\"media\":\"rtsp\"}",
    "{\"type\":\"set\",\"min\":\"0\"}", "{\"type\":\"set\",\"min\":null}",
    "{\"type\":\"set\",\"min\":[0]}", "{\"type\":\"set\",\"min\":1e400}",
    "{\"type\":\"set\",\"min\":1001}", "{\"type\":\"set\",\"a2\":1.1e9}",
    "{\"type\":\"set\",\"min\":NaN}", "{\"type\":\"set\",\"automatic\":1}",
    "{\"type\":\"set\",\"method\":\"\"}",
    "{\"type\":\"set\",\"method\":\"a b\"}",
    "{\"type\":\"set\",\"method\":\"abcdefghijklmnopqrstuvwxyzabcdefg\"}",
    "{\"type\":\"set\",\"solver\":\"a b\"}", "{\"type\":\"set\",\"solver\":3}",
    "{\"type\":\"set\",\"fill\":\"\"}", "{\"type\":\"set\",\"fill\":true}",
    "{\"type\":\"set\",\"tau\":-0.1}", "{\"type\":\"set\",\"tau\":1001}",
    "{\"type\":\"set\",\"average\":0}", "{\"type\":\"set\",\"average\":257}",
    "{\"type\":\"set\",\"average\":2.5}",
    "{\"type\":\"set\",\"average\":\"4\"}",
    "{\"type\":\"set\",\"depthStart\":-1}",
    "{\"type\":\"set\",\"depthBins\":65537}",
    "{\"type\":\"set\",\"speckle\":\"lee size=7\"}",
    "{\"type\":\"set\",\"backgroundMode\":4}",
    "{\"type\":\"set\",\"samplingRate\":0}",
    "{\"type\":\"set\",\"samplingRate\":1.01}",
    "{\"type\":\"set\",\"samplingRate\":true}",
    "{\"type\":\"set\",\"location\":\"/etc/passwd\"}",
    "{\"type\":\"record\",\"on\":true,\"folder\":\"/etc\"}",
    "{\"type\":\"keep\",\"folder\":\"/etc\"}",
    "{\"type\":\"record\",\"on\":\"yes\"}", "{\"type\":\"record\"}",
    "{\"type\":\"meters\"}", "{\"type\":\"meters\",\"on\":1}",
    "{\"type\":\"meters\",\"on\":true,\"location\":\"/etc\"}",
    "{\"type\":\"set\",\"density\":-0.1}",
    "{\"type\":\"set\",\"density\":10.1}",
    "{\"type\":\"set\",\"density\":1e999}",
    "{\"type\":\"set\",\"density\":\"2\"}", "{\"type\":\"set\",\"rollOff\":1}",
    "{\"type\":\"set\",\"phase2\":1.1e6}",
    "{\"type\":\"set\",\"phase3\":\"1\"}",
    "{\"type\":\"set\",\"background\":\"1,2\"}",
    "{\"type\":\"set\",\"kWarp\":\"0\"}",
    "{\"type\":\"background\",\"bscans\":1}",
    "{\"type\":\"set\",\"still\":null}", "{\"type\":\"refine\",\"undo\":true}",
    "{\"type\":\"refine\",\"k-warp\":\"0,0,1\"}", "{\"type\":\"focus\"}",
    "{\"type\":\"focus\",\"undo\":0}",
    "{\"type\":\"focus\",\"undo\":true,\"a2\":1}",
    "{\"type\":\"ack\",\"number\":-1}", "{\"type\":\"ack\",\"number\":1.5}",
    "{\"type\":\"candidate\",\"mline\":1,\"candidate\":\"candidate:\"}",
    "{\"type\":\"candidate\",\"mline\":0,\"candidate\":\"other\"}",
    "{\"type\":\"candidate\",\"mline\":0,\"candidate\":\"candidate:\\n\"}",
    "{\"type\":\"candidate\",\"candidate\":\"candidate:\"}",
    "{\"type\":\"note\"}", "{\"type\":\"note\",\"text\":1}",
    "{\"type\":\"note\",\"text\":\"a\\nb\"}",
    "{\"type\":\"note\",\"text\":\"a\\u202eb\"}",
    "{\"type\":\"note\",\"text\":\"a\\u2028b\"}",
    "{\"type\":\"note\",\"text\":\"a\",\"path\":\"/etc\"}",
    "{\"type\":\"label\",\"text\":\"a\",\"side\":\"OD\"}",
    "{\"type\":\"label\",\"text\":\"a\",\"side\":\"up\",\"shown\":true}",
    "{\"type\":\"label\",\"text\":\"a\",\"side\":\"OD\",\"shown\":1}",
    "{\"type\":\"answer\",\"sdp\":7}" };

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++) {
    g_test_message ("%s", texts[i]);
    refuse (texts[i], strlen (texts[i]));
  }
  refuse ("{\"type\":\"set\"}\0", 15);
  refuse ("{\"type\":\"\xff\"}", 12);
}

/* Invalid texts that json-glib accepts as JSON, or stumbles over: 1.6 and
 * 1.10 differ, and 1.10 ends the program at several texts in a row. */
static void
test_more_than_json (void)
{
  static const char *const texts[] = { SET SET, SET " " SET " " SET, SET " []",
    "[] " SET, "[] []", "1 " SET, SET " 1", "\"a\" " SET, "null " SET,
    "[" SET "]", "var a = " SET ";", "var a = " SET, "var a = var b = " SET,
    "var a = " SET "; " SET, SET ";", "// x\n" SET, "# x\n" SET, "/* x */" SET,
    SET "/* {} */", SET "//", "{'type':'set'}", "{\"type\":'set'}",
    "{type:\"set\"}", "\xef\xbb\xbf" SET, "{\"type\":\"set\",}", "{,}",
    "{\"type\"}", "{\"type\":}", "{\"type\":\"set\",\"min\":-}",
    "{\"type\":\"set\",\"min\":var}", "{\"type\":\"set\",\"min\":{}}",
    "{\"type\":\"\\163et\"}", "{\"type\":\"\\set\"}", ANSWERED ("\\ud800"),
    ANSWERED ("\\udc00"), ANSWERED ("\\ud800\\ud800"), ANSWERED ("\\u12"),
    ANSWERED ("\n"), ANSWERED ("\t"), ANSWERED ("\\u"), ANSWERED ("\\"),
    "{\"type\":\"answer\",\"sdp\":\"\\ud800\",\"x\":\"} {\"}" };

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++) {
    g_test_message ("%s", texts[i]);
    refuse (texts[i], strlen (texts[i]));
  }
  /* cut off wherever that may be */
  for (gsize i = 0; i < strlen (ANSWERED ("\\u00e4")); i++)
    refuse (ANSWERED ("\\u00e4"), i);
}

/* Valid JSON: brackets and quotes in strings, escapes, blanks, names that are
 * escaped. */
static void
test_all_of_json (void)
{
  g_autoptr (OctLiveMessage) odd =
      parse (ANSWERED ("} { ] [ ' # // /* \\\" \\\\ \\/ \\b\\f\\n\\r\\t \\u00e4"
                       "\\uFFFD \\u007b \xf0\x9f\x98\x80"));
  g_autoptr (OctLiveMessage) spaced =
      parse (" \t\r\n{ \"t\\u0079pe\" :\n\"set\" , \"min\":\t-1.5E+1\r} \n ");

  g_assert_cmpstr (odd->sdp, ==,
      "} { ] [ ' # // /* \" \\ / \b\f\n\r\t \xc3\xa4\xef\xbf\xbd { "
      "\xf0\x9f\x98\x80");
  g_assert_cmpint (spaced->type, ==, OCT_LIVE_SET);
  g_assert_cmpfloat (spaced->settings.min, ==, -15.0);
}

static void
test_sizes (void)
{
  g_autofree char *spaces = g_strnfill (OCT_LIVE_MAX_MESSAGE + 1, ' ');
  g_autofree char *deep = g_strnfill (OCT_LIVE_MAX_MESSAGE, '[');
  g_autofree char *path = g_strnfill (600, 'a');
  g_autofree char *candidate =
      g_strdup_printf ("{\"type\":\"candidate\",\"mline\":0,\"candidate\":"
                       "\"candidate:%s\"}",
          path);

  memcpy (spaces, "{\"type\":\"set\"}", 14);
  refuse (spaces, OCT_LIVE_MAX_MESSAGE + 1);
  oct_live_message_free (
      oct_live_message_parse (spaces, OCT_LIVE_MAX_MESSAGE, NULL));
  refuse (deep, OCT_LIVE_MAX_MESSAGE);
  refuse (candidate, strlen (candidate));
}

#define ANSWER                                                                 \
  "v=0\r\no=- 1 2 IN IP4 127.0.0.1\r\ns=-\r\nt=0 0\r\n"                        \
  "a=group:BUNDLE video0\r\n"                                                  \
  "m=video 9 UDP/TLS/RTP/SAVPF 96\r\nc=IN IP4 0.0.0.0\r\n"                     \
  "a=ice-ufrag:abcd\r\na=ice-pwd:abcdefghijklmnopqrstuv\r\n"                   \
  "a=fingerprint:sha-256 " PRINT "\r\na=setup:active\r\na=mid:video0\r\n"      \
  "a=recvonly\r\na=rtcp-mux\r\na=rtpmap:96 H264/90000\r\n"
#define PRINT                                                                  \
  "00:11:22:33:44:55:66:77:88:99:AA:BB:CC:DD:EE:FF:"                           \
  "00:11:22:33:44:55:66:77:88:99:AA:BB:CC:DD:EE:FF"

static void
test_answers (void)
{
  /* what is taken away from a good answer, and what stands there instead */
  static const char *const changes[][2] = { { "v=0", "w=0" },
    { "m=video", "m=audio" }, { "m=video 9", "m=video 0" },
    { "SAVPF 96", "SAVPF 97" }, { "UDP/TLS/RTP/SAVPF", "RTP/AVP" },
    { "H264", "VP8" }, { "a=mid:video0\r\n", "" }, { "recvonly", "sendonly" },
    { "a=setup:active\r\n", "" }, { "setup:active", "setup:actpass" },
    { "a=ice-ufrag:abcd\r\n", "" }, { "ufrag:abcd", "ufrag:ab d" },
    { "abcdefghijklmnopqrstuv", "short" }, { "sha-256", "sha-1" },
    { ":FF\r\n", ":FF:00\r\n" },
    { "a=rtcp-mux\r\n", "m=video 9 UDP/TLS/RTP/SAVPF 96\r\n" } };
  g_autoptr (GError) good = NULL;

  g_autofree char *taken = oct_live_answer_take (ANSWER, &good);

  g_assert_no_error (good);
  /* all that was there is of use */
  g_assert_cmpstr (taken, ==, ANSWER);
  for (guint i = 0; i < G_N_ELEMENTS (changes); i++) {
    g_autoptr (GError) error = NULL;
    g_autoptr (GString) text = g_string_new (ANSWER);

    g_assert_cmpuint (
        g_string_replace (text, changes[i][0], changes[i][1], 0), >, 0);
    g_test_message ("%s", changes[i][0]);
    g_assert_null (oct_live_answer_take (text->str, &error));
    g_assert_nonnull (error);
  }
}

/* Lines that the libraries would not handle well are removed before. */
static void
test_answer_reduced (void)
{
  g_autoptr (GString) text = g_string_new (ANSWER);
  g_autoptr (GError) error = NULL;
  g_autofree char *taken = NULL;

  g_string_append (text, "a=ssrc:0 cname:x\r\na=strange\r\na=sctp-port:0\r\n"
                         "a=candidate:1 1 udp 1 slow.local 5 typ host\r\n"
                         "a=candidate:1 256 udp 1 192.0.2.1 5 typ host\r\n"
                         "a=candidate:7 1 udp 1 192.0.2.1 5 typ host\r\n");
  taken = oct_live_answer_take (text->str, &error);
  g_assert_no_error (error);
  g_string_assign (text, ANSWER);
  g_string_append (text, "a=candidate:7 1 udp 1 192.0.2.1 5 typ host\r\n");
  g_assert_cmpstr (taken, ==, text->str);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/live/message/screen", test_screen);
  g_test_add_func ("/live/message/begin", test_begin);
  g_test_add_func ("/live/message/begin-again", test_begin_again);
  g_test_add_func ("/live/message/every-type", test_every_type);
  g_test_add_func ("/live/message/scan", test_scan);
  g_test_add_func ("/live/message/scan-refused", test_scan_refused);
  g_test_add_func ("/live/message/settings", test_settings);
  g_test_add_func ("/live/message/settings-again", test_settings_again);
  g_test_add_func ("/live/message/looks", test_looks);
  g_test_add_func ("/live/message/looks-of-motion", test_looks_of_motion);
  g_test_add_func ("/live/message/looks-refused", test_looks_refused);
  g_test_add_func ("/live/message/looks-checked", test_looks_checked);
  g_test_add_func ("/live/message/refused", test_refused);
  g_test_add_func ("/live/message/longest-text", test_longest_text);
  g_test_add_func ("/live/message/more-than-json", test_more_than_json);
  g_test_add_func ("/live/message/all-of-json", test_all_of_json);
  g_test_add_func ("/live/message/sizes", test_sizes);
  g_test_add_func ("/live/answer", test_answers);
  g_test_add_func ("/live/answer-reduced", test_answer_reduced);
  return g_test_run ();
}
