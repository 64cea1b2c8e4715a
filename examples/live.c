/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * A live application: images, measurements, settings while images are made.
 *
 *     live [SOURCE [SINK]]
 *
 * SOURCE and SINK are elements as gst-launch-1.0 takes them: raw spectra, and grey
 * images.  Commands, a line each: a (autofocus), u (undo it), m DB (white, in dB),
 * q (quit).
 */
#include <gst/gst.h>
#include <stdio.h>
#include <unistd.h>

#define SOURCE                                                                 \
  "octsrc is-live=true lines=256 bscans=1 line-rate=7680 dispersion-a2=30"
/* The elements of gst-oct are found where it is installed. */
#define FIND_IT                                                                \
  "In the folder of the project, meson devenv -C build -w \"$PWD\" opens a "   \
  "shell in which GStreamer finds gst-oct."
#define SINK "videoconvert ! autovideosink"

typedef struct {
  GMainLoop *loop;
  GstElement *pipeline, *reconstruct, *image;
  int status;
} Application;

/* The messages of elements: docs/messages.md. */
static void
on_result (Application *self, const GstStructure *result)
{
  double depth, snr, a2;

  /* a field whose value is not known is left out */
  if (gst_structure_has_name (result, "oct-meter")) {
    if (gst_structure_get (result, "peak-um", G_TYPE_DOUBLE, &depth, "snr",
            G_TYPE_DOUBLE, &snr, NULL))
      printf ("oct-meter: peak at %.1f um, SNR %.1f dB\n", depth, snr);
  } else if (gst_structure_has_name (result, "oct-autofocus")) {
    g_object_get (self->reconstruct, "a2", &a2, NULL);
    printf ("autofocus: %s, a2 = %.2f; %s\n",
        gst_structure_get_string (result, "result"), a2,
        gst_structure_get_string (result, "text"));
  }
}

static gboolean
on_message (GstBus *bus, GstMessage *message, gpointer data)
{
  Application *self = data;
  g_autoptr (GError) error = NULL;

  switch (GST_MESSAGE_TYPE (message)) {
  case GST_MESSAGE_ERROR:
    gst_message_parse_error (message, &error, NULL);
    printf ("error: %s\n", error->message);
    self->status = 1;
    g_main_loop_quit (self->loop);
    break;
  case GST_MESSAGE_WARNING:
    gst_message_parse_warning (message, &error, NULL);
    printf ("warning: %s\n", error->message);
    break;
  case GST_MESSAGE_EOS:
    g_main_loop_quit (self->loop);
    break;
  case GST_MESSAGE_ELEMENT:
    on_result (self, gst_message_get_structure (message));
    break;
  default:
    break;
  }
  return G_SOURCE_CONTINUE;
}

/* Action signals, and a property that is set while images are made. */
static gboolean
on_input (GIOChannel *channel, GIOCondition condition, gpointer data)
{
  Application *self = data;
  g_autofree char *line = NULL;
  gboolean done = TRUE;
  double max;

  if (g_io_channel_read_line (channel, &line, NULL, NULL, NULL)
          != G_IO_STATUS_NORMAL
      || line[0] == 'q') {
    g_main_loop_quit (self->loop);
    return G_SOURCE_REMOVE;
  }
  if (line[0] == 'a')
    g_signal_emit_by_name (self->reconstruct, "autofocus", &done);
  else if (line[0] == 'u')
    g_signal_emit_by_name (self->reconstruct, "undo-autofocus", &done);
  else if (line[0] == 'm') {
    char *end;
    double white = g_ascii_strtod (line + 1, &end);

    if (end == line + 1 || *g_strstrip (end) != '\0') {
      printf ("m needs a number, as m 70\n");
      return G_SOURCE_CONTINUE;
    }
    g_object_set (self->image, "max", white, NULL);
    gst_util_set_object_arg (G_OBJECT (self->image), "range", "manual");
    g_object_get (self->image, "max", &max, NULL);
    printf ("max = %g dB\n", max);
  }
  if (!done)
    printf ("%s\n", line[0] == 'a' ? "a search is under way already"
                                   : "there is nothing to undo");
  return G_SOURCE_CONTINUE;
}

int
main (int argc, char **argv)
{
  Application self = { 0 };
  g_autoptr (GError) error = NULL;
  g_autofree char *text = NULL;
  g_autoptr (GIOChannel) input = g_io_channel_unix_new (STDIN_FILENO);
  GstBus *bus;

  gst_init (&argc, &argv);
  setvbuf (stdout, NULL, _IOLBF, 0);
  text = g_strdup_printf ("%s ! octreconstruct name=reconstruct output=ascans "
                          "! octmeter interval=1 "
                          "! octlogscale name=image range-smoothing=0.9 ! %s",
      argc > 1 ? argv[1] : SOURCE, argc > 2 ? argv[2] : SINK);
  self.pipeline =
      gst_parse_launch_full (text, NULL, GST_PARSE_FLAG_FATAL_ERRORS, &error);
  if (self.pipeline == NULL) {
    fprintf (stderr, "%s\n", error->message);
    if (g_error_matches (
            error, GST_PARSE_ERROR, GST_PARSE_ERROR_NO_SUCH_ELEMENT))
      fprintf (stderr, FIND_IT "\n");
    return 1;
  }
  self.reconstruct =
      gst_bin_get_by_name (GST_BIN (self.pipeline), "reconstruct");
  self.image = gst_bin_get_by_name (GST_BIN (self.pipeline), "image");
  self.loop = g_main_loop_new (NULL, FALSE);
  bus = gst_element_get_bus (self.pipeline);
  gst_bus_add_watch (bus, on_message, &self);
  g_io_add_watch (input, G_IO_IN | G_IO_HUP, on_input, &self);

  gst_element_set_state (self.pipeline, GST_STATE_PLAYING);
  g_main_loop_run (self.loop);
  gst_element_set_state (self.pipeline, GST_STATE_NULL);

  gst_bus_remove_watch (bus);
  gst_object_unref (bus);
  gst_object_unref (self.image);
  gst_object_unref (self.reconstruct);
  gst_object_unref (self.pipeline);
  g_main_loop_unref (self.loop);
  return self.status;
}
