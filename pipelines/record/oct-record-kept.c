/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-record-kept.h"

#include "oct-moment.h"
#include "oct-terminal.h"

#include <poll.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

enum { VIDEO, SPECTRA, N_PARTS };

struct _OctRecordKept {
  OctMoment *parts[N_PARTS]; /* NULL: not held */
  gboolean failed;           /* one of all */
};

static volatile sig_atomic_t asked;

static void
on_signal (int number)
{
  asked = TRUE;
}

void
oct_record_kept_catch_signal (void)
{
  struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_RESTART };

  sigemptyset (&action.sa_mask);
  sigaction (SIGUSR1, &action, NULL);
}

static gboolean
kept_hold (OctRecordKept *kept, guint part, const OctMomentSettings *settings,
    GstPad *pad, GstPad *calibration, GError **error)
{
  kept->parts[part] = oct_moment_new (settings, error);
  if (kept->parts[part] == NULL)
    return FALSE;
  oct_moment_watch (kept->parts[part], pad, calibration);
  return TRUE;
}

static gboolean
kept_hold_spectra (OctRecordKept *kept, OctMomentSettings *settings,
    const OctRecordProgramOptions *options, GstElement *pipeline,
    GError **error)
{
  g_autofree char *location =
      g_strconcat (options->output, "-kept-spectra", NULL);
  g_autoptr (GstPad) pad = oct_record_pipeline_get_spectra (pipeline);
  g_autoptr (GstPad) calibration =
      oct_record_pipeline_get_calibration (pipeline);

  settings->kind = OCT_MOMENT_SPECTRA;
  settings->location = location;
  settings->memory = (guint64)options->keep_memory * OCT_MOMENT_MEGABYTE;
  return kept_hold (kept, SPECTRA, settings, pad, calibration, error);
}

OctRecordKept *
oct_record_kept_new (const OctRecordProgramOptions *options,
    GstElement *pipeline, GError **error)
{
  g_autofree char *location = g_strconcat (
      options->output != NULL ? options->output : "", "-kept", NULL);
  OctMomentSettings settings = { .kind = OCT_MOMENT_IMAGES,
    .location = location,
    .file_mode = options->file_mode,
    .seconds = (guint)options->keep_seconds,
    .bitrate = (guint)options->bitrate };
  g_autoptr (GstPad) images = NULL;
  OctRecordKept *kept;

  if (options->keep_seconds == 0)
    return NULL;
  kept = g_new0 (OctRecordKept, 1);
  images = oct_record_pipeline_get_images (pipeline);
  if (kept_hold (kept, VIDEO, &settings, images, NULL, error)
      && (options->keep_memory == 0
          || kept_hold_spectra (kept, &settings, options, pipeline, error)))
    return kept;
  oct_record_kept_free (kept);
  return NULL;
}

/* Whether Enter was pressed in our terminal.  A program in the background would
 * be stopped by reading it. */
static gboolean
kept_is_key_pressed (void)
{
  struct pollfd terminal = { .fd = STDIN_FILENO, .events = POLLIN };
  char text[256];
  gssize size;

  if (!isatty (STDIN_FILENO) || tcgetpgrp (STDIN_FILENO) != getpgrp ()
      || poll (&terminal, 1, 0) != 1 || !(terminal.revents & POLLIN))
    return FALSE;
  size = read (STDIN_FILENO, text, sizeof text);
  return size > 0 && memchr (text, '\n', (gsize)size) != NULL;
}

static void
kept_print (OctRecordKept *kept)
{
  const char *line = isatty (STDERR_FILENO) ? "\n" : "";
  gboolean failed;
  char *sentence;

  for (guint i = 0; i < N_PARTS; i++)
    while (kept->parts[i] != NULL
           && (sentence = oct_moment_take_result (kept->parts[i], &failed))
                  != NULL) {
      oct_terminal_rewrite ();
      if (failed)
        g_printerr ("%sError (keep): %s\n", line, sentence);
      else
        g_print ("%s\n", sentence);
      kept->failed |= failed;
      g_free (sentence);
    }
}

void
oct_record_kept_watch (OctRecordKept *kept)
{
  gboolean wanted = asked;

  if (wanted) /* a signal that comes here is for this time, too */
    asked = FALSE;
  if (kept == NULL) {
    if (wanted)
      g_printerr ("Note: nothing is held that could be kept; start with "
                  "--keep-seconds N.\n");
    return;
  }
  if (kept_is_key_pressed () || wanted)
    for (guint i = 0; i < N_PARTS; i++)
      if (kept->parts[i] != NULL)
        (void)oct_moment_keep (kept->parts[i], NULL);
  kept_print (kept);
}

gboolean
oct_record_kept_end (OctRecordKept *kept)
{
  if (kept == NULL)
    return TRUE;
  for (guint i = 0; i < N_PARTS; i++)
    if (kept->parts[i] != NULL)
      oct_moment_end (kept->parts[i]);
  kept_print (kept);
  return !kept->failed;
}

void
oct_record_kept_free (OctRecordKept *kept)
{
  if (kept == NULL)
    return;
  for (guint i = 0; i < N_PARTS; i++)
    oct_moment_free (kept->parts[i]);
  g_free (kept);
}
