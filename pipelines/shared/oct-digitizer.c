/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-digitizer.h"
#include "oct-daq.h"
#include "oct-launch.h"
#include "oct-options.h"

#include <errno.h>
#include <math.h>

#define SOURCE "octdaqsrc"
/* Limits of the properties of octkclock. */
#define MOST_DELAY 1000.0
#define MOST_JITTER 32.0
#define USUAL_JITTER 1.0
/* How long the program of the digitizer may take to answer, and how often it is
 * searched for, ms. */
#define ANSWER_TIME 1000
#define SEARCH_TIME 50

void
oct_digitizer_options_add (
    GOptionContext *context, OctDigitizerOptions *options)
{
  const GOptionEntry entries[] = {
    { "daq", 0, 0, G_OPTION_ARG_FILENAME, &options->socket,
        "Spectra of a digitizer: the socket that its program makes, such as "
        "that of oct-daq-sim",
        "SOCKET" },
    { "clock-delay", 0, 0, G_OPTION_ARG_DOUBLE, &options->clock_delay,
        "--daq with a k-clock: samples by which the spectra come after the "
        "clock, as oct-calibrate --clock finds it (default: 0)",
        "N" },
    { "clock-jitter", 0, 0, G_OPTION_ARG_DOUBLE, &options->clock_jitter,
        "--daq with a k-clock: samples by which sweeps may begin sooner or "
        "later (default: 1)",
        "N" },
    { NULL },
  };

  options->clock_jitter = USUAL_JITTER;
  oct_options_add (context, "Digitizer", entries, NULL);
}

static gboolean
digitizer_is_clock_given (const OctDigitizerOptions *options)
{
  return options->clock_delay != 0.0 || options->clock_jitter != USUAL_JITTER;
}

gboolean
oct_digitizer_options_check (const OctDigitizerOptions *options, GError **error)
{
  const char *problem = NULL;

  if (options->socket != NULL && *options->socket == '\0')
    problem = "--daq is the path of the socket that the program of the "
              "digitizer makes, as in --daq /run/oct.";
  else if (!(fabs (options->clock_delay) <= MOST_DELAY))
    problem = "--clock-delay is a number of samples, -1000 to 1000.";
  else if (!(options->clock_jitter >= 0.0
               && options->clock_jitter <= MOST_JITTER))
    problem = "--clock-jitter is a number of samples, 0 to 32.";
  else if (options->socket == NULL && digitizer_is_clock_given (options))
    problem = "--clock-delay and --clock-jitter belong to --daq.";
  if (problem != NULL)
    g_set_error_literal (
        error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE, problem);
  return problem == NULL;
}

void
oct_digitizer_options_clear (OctDigitizerOptions *options)
{
  g_free (options->socket);
}

/* ----------------------------------------------------------------- the ring */

static gboolean
digitizer_has_kind (const OctDaqHeader *header, guint32 kind)
{
  for (guint i = 0; i < header->channels; i++)
    if (header->channel_kind[i] == kind)
      return TRUE;
  return FALSE;
}

static void
digitizer_read (const OctDaqHeader *header, OctDigitizerRing *ring)
{
  gboolean uniform = header->axis == OCT_DAQ_WAVENUMBER;

  *ring = (OctDigitizerRing){
    .has_clock = digitizer_has_kind (header, OCT_DAQ_K_CLOCK) && !uniform,
    .is_uniform = uniform,
    .is_raw = !uniform
              && (header->sample_format == OCT_DAQ_U8
                  || header->sample_format == OCT_DAQ_U16),
    .lines = header->bscan_lines,
    .bscans = header->bscans,
    .line_rate = header->line_rate
  };
}

gboolean
oct_digitizer_look (const OctDigitizerOptions *options, guint patience,
    OctDigitizerRing *ring, GError **error)
{
  gint64 end = g_get_monotonic_time () + patience * G_TIME_SPAN_MILLISECOND;
  char sentence[OCT_DAQ_ERROR] = "";
  OctDaqReader *reader;

  for (;;) {
    reader = oct_daq_reader_open (options->socket, ANSWER_TIME, sentence);
    if (reader != NULL || (errno != ENOENT && errno != ECONNREFUSED)
        || g_get_monotonic_time () >= end)
      break;
    g_usleep (SEARCH_TIME * G_TIME_SPAN_MILLISECOND);
  }
  if (reader == NULL) {
    g_set_error_literal (
        error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_OPEN_READ, sentence);
    return FALSE;
  }
  digitizer_read (oct_daq_reader_header (reader), ring);
  oct_daq_reader_close (reader);
  if (ring->has_clock || !digitizer_is_clock_given (options))
    return TRUE;
  g_set_error_literal (error, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
      "--clock-delay and --clock-jitter are for a k-clock, and the ring of "
      "this "
      "digitizer has no channel of one, or samples that are uniform in "
      "wavenumber already; leave them out.");
  return FALSE;
}

/* ------------------------------------------------------------- launch lines */

char *
oct_digitizer_describe (const OctDigitizerOptions *options,
    const OctDigitizerRing *ring, const char *scan_file)
{
  g_autofree char *socket = oct_launch_quote (options->socket);
  g_autofree char *file =
      scan_file != NULL ? oct_launch_quote (scan_file) : NULL;
  g_autofree char *scan = file != NULL ? g_strdup_printf (
                              " keep-incomplete=true scan-file=%s", file)
                                       : g_strdup ("");

  return g_strdup_printf (SOURCE " name=" OCT_DIGITIZER_NAME " socket=%s%s%s",
      socket, ring->has_clock ? " k-clock=true" : "", scan);
}

char *
oct_digitizer_describe_clock (
    const OctDigitizerOptions *options, const OctDigitizerRing *ring)
{
  char delay[G_ASCII_DTOSTR_BUF_SIZE], jitter[G_ASCII_DTOSTR_BUF_SIZE];

  if (!ring->has_clock)
    return g_strdup ("");
  return g_strdup_printf ("octkclock delay=%s max-jitter=%s ! ",
      g_ascii_dtostr (delay, sizeof delay, options->clock_delay),
      g_ascii_dtostr (jitter, sizeof jitter, options->clock_jitter));
}

const char *
oct_digitizer_get_axis (const OctDigitizerRing *ring)
{
  return ring->has_clock || ring->is_uniform ? "wavenumber" : "auto";
}

guint64
oct_digitizer_count_lost (GstBin *bin)
{
  GstIterator *sources =
      gst_bin_iterate_all_by_element_factory_name (bin, SOURCE);
  GValue value = G_VALUE_INIT;
  guint64 lost = 0;

  if (gst_iterator_next (sources, &value) == GST_ITERATOR_OK)
    g_object_get (g_value_get_object (&value), "lost", &lost, NULL);
  g_value_unset (&value);
  gst_iterator_free (sources);
  return lost;
}
