/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-moment.h"

#include "oct-encoder.h"
#include "oct-tap.h"

#include <unistd.h>

/* The time that images may wait for an encoder, or spectra to be copied. */
#define QUEUE (2 * GST_SECOND)
/* Some seconds of video that comes encoded. */
#define MOST_WAITING (32 * 1024 * 1024)
#define MOST_SECONDS 600

struct _OctMoment {
  OctMomentKind kind;
  GstElement *pipeline, *keep;
  GstAppSrc *source;
  GstPad *pad, *calibration; /* or NULL */
  OctTap *tap;               /* of `pad`, or NULL */
  gint changed;              /* atomic: the tap has ended, as caps have */
};

/* ------------------------------------------------------------------ options */

static gboolean
moment_refuse (GError **error, const char *sentence)
{
  g_set_error_literal (
      error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE, sentence);
  return FALSE;
}

gboolean
oct_moment_check_options (
    gint seconds, gint memory, gboolean has_folder, GError **error)
{
  guint64 all = (guint64)sysconf (_SC_PHYS_PAGES)
                * (guint64)sysconf (_SC_PAGESIZE) / OCT_MOMENT_MEGABYTE;

  if (seconds < 0 || seconds > MOST_SECONDS || (seconds > 0 && !has_folder))
    return moment_refuse (error,
        "--keep-seconds is between 1 and 600, or 0 for off, and needs a place "
        "for the files: --record or --output.");
  if (memory < 0 || (memory > 0 && seconds == 0))
    return moment_refuse (error,
        "--keep-memory is in MB, and needs --keep-seconds, the length of what "
        "is held.");
  if (2 * (guint64)memory <= all)
    return TRUE;
  g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
      "--keep-memory %d needs twice as much while a file is written, and this "
      "computer has %" G_GUINT64_FORMAT " MB; give at most %" G_GUINT64_FORMAT
      ".",
      memory, all, all / 2);
  return FALSE;
}

/* ----------------------------------------------------------------- pipeline */

/* octkeep and what has to be between `source` and it. */
static GstElement *
moment_make_middle (const OctMomentSettings *settings, GError **error)
{
  const OctEncoderSettings encoder = { .bitrate = settings->bitrate };

  switch (settings->kind) {
  case OCT_MOMENT_H264:
    return gst_parse_bin_from_description_full (
        "h264parse", TRUE, NULL, GST_PARSE_FLAG_FATAL_ERRORS, error);
  case OCT_MOMENT_IMAGES:
    return oct_encoder_new (&encoder, NULL, error);
  case OCT_MOMENT_SPECTRA:
    break;
  }
  return gst_element_factory_make ("identity", NULL);
}

static gboolean
moment_build (
    OctMoment *moment, const OctMomentSettings *settings, GError **error)
{
  g_autoptr (GError) reason = NULL;
  GstElement *source = oct_tap_make_source (OCT_TAP_FROM_ZERO);
  GstElement *middle = moment_make_middle (settings, &reason);
  GstElement *keep = gst_element_factory_make ("octkeep", NULL);

  moment->pipeline = gst_object_ref_sink (gst_pipeline_new (NULL));
  /* results of files that are finished while it stops are read, too */
  gst_pipeline_set_auto_flush_bus (GST_PIPELINE (moment->pipeline), FALSE);
  if (source != NULL && middle != NULL && keep != NULL) {
    gst_bin_add_many (GST_BIN (moment->pipeline), source, middle, keep, NULL);
    moment->source = gst_object_ref (GST_APP_SRC (source));
    moment->keep = gst_object_ref (keep);
    if (gst_element_link_many (source, middle, keep, NULL))
      return TRUE;
  }
  g_set_error (error, GST_CORE_ERROR, GST_CORE_ERROR_MISSING_PLUGIN,
      "--keep-seconds cannot be used here: %s; install "
      "gstreamer1.0-plugins-bad, and name the folder of this plugin in "
      "GST_PLUGIN_PATH.",
      reason != NULL ? reason->message : "an element is missing");
  return FALSE;
}

OctMoment *
oct_moment_new (const OctMomentSettings *settings, GError **error)
{
  OctMoment *moment = g_new0 (OctMoment, 1);

  moment->kind = settings->kind;
  if (!moment_build (moment, settings, error)) {
    oct_moment_free (moment);
    return NULL;
  }
  g_object_set (moment->keep, "location", settings->location, "file-mode",
      settings->file_mode, "seconds", (double)settings->seconds, NULL);
  if (settings->memory > 0)
    g_object_set (moment->keep, "memory", settings->memory, NULL);
  gst_element_set_state (moment->pipeline, GST_STATE_PLAYING);
  return moment;
}

/* ------------------------------------------------------------------- stream */

/* Streaming thread; the tap takes no other caps, and a new one does. */
static void
moment_on_ended (const char *reason, gpointer data)
{
  OctMoment *moment = data;

  g_atomic_int_set (&moment->changed, reason != NULL);
}

static void
moment_tap (OctMoment *moment)
{
  oct_tap_free (moment->tap);
  g_atomic_int_set (&moment->changed, FALSE);
  moment->tap = oct_tap_new (moment->pad, moment->source, OCT_TAP_FROM_ZERO,
      QUEUE, moment->calibration, moment_on_ended, moment);
}

void
oct_moment_watch (OctMoment *moment, GstPad *pad, GstPad *calibration)
{
  gst_object_replace ((GstObject **)&moment->pad, GST_OBJECT (pad));
  gst_object_replace (
      (GstObject **)&moment->calibration, (GstObject *)calibration);
  moment_tap (moment);
}

void
oct_moment_push (OctMoment *moment, GstBuffer *buffer, GstCaps *caps)
{
  g_autoptr (GstSample) sample = gst_sample_new (buffer, caps, NULL, NULL);

  if (gst_app_src_get_current_level_bytes (moment->source) < MOST_WAITING)
    gst_app_src_push_sample (moment->source, sample);
}

/* --------------------------------------------------------------------- keep */

gboolean
oct_moment_keep (OctMoment *moment, const char *comment)
{
  g_autofree char *location = NULL;

  g_object_set (moment->keep, "comment", comment, NULL);
  g_signal_emit_by_name (moment->keep, "keep", &location);
  return location != NULL;
}

static char *
moment_describe (const OctMoment *moment, const GstStructure *s)
{
  g_autofree char *name =
      g_path_get_basename (gst_structure_get_string (s, "location"));
  guint64 duration = 0;

  gst_structure_get_uint64 (s, "duration", &duration);
  return g_strdup_printf ("Kept the last %.0f s%s: %s.",
      (double)duration / GST_SECOND,
      moment->kind == OCT_MOMENT_SPECTRA ? " of spectra" : "", name);
}

char *
oct_moment_take_result (OctMoment *moment, gboolean *failed)
{
  g_autoptr (GstBus) bus = gst_element_get_bus (moment->pipeline);
  g_autoptr (GError) error = NULL;
  GstMessage *message;
  char *sentence = NULL;

  if (g_atomic_int_get (&moment->changed))
    moment_tap (moment);
  while (sentence == NULL
         && (message = gst_bus_pop_filtered (bus,
                 GST_MESSAGE_ELEMENT | GST_MESSAGE_WARNING | GST_MESSAGE_ERROR))
                != NULL) {
    *failed = GST_MESSAGE_TYPE (message) != GST_MESSAGE_ELEMENT;
    if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_WARNING)
      gst_message_parse_warning (message, &error, NULL);
    else if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR)
      gst_message_parse_error (message, &error, NULL);
    else if (gst_message_has_name (message, "oct-kept"))
      sentence = moment_describe (moment, gst_message_get_structure (message));
    if (error != NULL)
      sentence = g_strdup (error->message);
    gst_message_unref (message);
  }
  return sentence;
}

void
oct_moment_end (OctMoment *moment)
{
  g_clear_pointer (&moment->tap, oct_tap_free);
  gst_element_set_state (moment->pipeline, GST_STATE_NULL);
}

void
oct_moment_free (OctMoment *moment)
{
  if (moment == NULL)
    return;
  oct_moment_end (moment);
  gst_clear_object (&moment->pad);
  gst_clear_object (&moment->calibration);
  gst_clear_object (&moment->source);
  gst_clear_object (&moment->keep);
  gst_clear_object (&moment->pipeline);
  g_free (moment);
}
