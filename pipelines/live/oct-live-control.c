/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-live-control.h"

#define RECORDING_IS_OFF                                                       \
  "Recording is off; start oct-live with --record FOLDER."

static gboolean
live_control_refuse (GError **error, const char *sentence)
{
  g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_FAILED, sentence);
  return FALSE;
}

static gboolean
live_control_set (OctLive *live, const OctLiveMessage *message, GError **error)
{
  OctLiveSettings settings;

  oct_live_graph_get_settings (live->graph, &settings);
  oct_live_settings_copy (&message->settings, message->given, &settings);
  return oct_live_graph_set_settings (live->graph, &settings, error);
}

static gboolean
live_control_look (OctLive *live, const OctLiveMessage *message, GError **error)
{
  OctLiveStage *stage = oct_live_graph_get_stage (live->graph);
  OctLiveLook look;

  oct_live_stage_get_look (stage, &look);
  for (guint i = 0; i < OCT_LIVE_N_LOOKS; i++)
    if (message->looks & G_GUINT64_CONSTANT (1) << i)
      look.values[i] = message->look.values[i];
  return oct_live_stage_set_look (stage, &look, error);
}

void
oct_live_control_end_recording (OctLive *live)
{
  const char *said = NULL;
  gint64 from, till;

  if (live->recording == NULL)
    return;
  if (oct_live_graph_get_gap (live->graph, &from, &till))
    said = oct_live_recording_add_gap (live->recording, from, till, TRUE);
  if (said != NULL)
    g_printerr ("Note: %s\n", said);
  oct_live_recording_stop (live->recording);
}

static gboolean
live_control_note (OctLive *live, const char *text, GError **error)
{
  if (live->recording == NULL)
    return live_control_refuse (error, RECORDING_IS_OFF);
  return oct_live_recording_add_note (live->recording, text, error);
}

/* A recording that goes on has it as a note. */
static void
live_control_label (OctLive *live, const OctLiveMessage *message)
{
  g_autofree char *said = NULL;

  oct_live_label_set (
      &live->label, message->text, message->side, message->shown);
  said = oct_live_label_describe (&live->label);
  if (live->recording != NULL)
    (void)oct_live_recording_add_note (
        live->recording, said != NULL ? said : "No case", NULL);
}

/* Whether another scan was asked for, and its volume has not begun. */
static gboolean
live_control_is_scan_due (const OctLive *live)
{
  GstEvent *asked =
      live->scanner != NULL ? oct_scanner_get_asked (live->scanner) : NULL;

  return asked != NULL && !oct_live_track_is_on (live->track, asked);
}

static gboolean
live_control_is_tuning (OctLive *live)
{
  OctLiveFocus focus;

  oct_live_graph_get_focus (live->graph, &focus);
  return focus.looking && focus.what == OCT_LIVE_FIND_DELAY;
}

static gboolean
live_control_record (OctLive *live, gboolean on, GError **error)
{
  g_autofree char *label = oct_live_label_describe (&live->label);

  if (live->recording == NULL)
    return live_control_refuse (error, RECORDING_IS_OFF);
  if (!on)
    oct_live_control_end_recording (live);
  else if (live_control_is_tuning (live))
    return live_control_refuse (error,
        "The delay of the mirrors is being found, which changes the scan; "
        "record when that is done.");
  else if (oct_live_graph_get_trouble (live->graph) != NULL
           && !live->records_screen)
    return live_control_refuse (
        error, "There are no pictures to record; begin when they come again.");
  else if (live_control_is_scan_due (live))
    return live_control_refuse (error,
        "The scan changes at the end of this volume, and a recording keeps its "
        "scan; begin it when the scan has changed.");
  else if (!oct_live_recording_start (live->recording, label, error))
    return FALSE;
  else
    g_clear_pointer (&live->recording_note, g_free);
  return TRUE;
}

static gboolean
live_control_keep (OctLive *live, GError **error)
{
  g_autofree char *label = oct_live_label_describe (&live->label);
  const char *sentence;

  if (live->kept == NULL)
    return live_control_refuse (error,
        "Nothing can be kept; start oct-live with --record FOLDER "
        "--keep-seconds N.");
  return oct_live_kept_keep (live->kept, label, &sentence)
         || live_control_refuse (error, sentence);
}

/* A recording keeps the size of its pictures, and says one path. */
static gboolean
live_control_scan (OctLive *live, const OctLiveBeam *beam, GError **error)
{
  OctScannerScan scan = { oct_scanner_find_pattern (beam->pattern), beam->width,
    beam->height, beam->x, beam->y, beam->angle };

  if (live->scanner == NULL)
    return live_control_refuse (
        error, "There is no scanner; start oct-live with --scan PATTERN.");
  if (scan.pattern == NULL)
    return live_control_refuse (
        error, "This pattern does not exist here; choose another one.");
  if (live->recording != NULL && oct_live_recording_is_active (live->recording))
    return live_control_refuse (
        error, "A recording keeps its scan; end it, and change the scan then.");
  return oct_scanner_change (live->scanner, &scan, error);
}

/* The corners were clicked in the picture, where the present scan is seen. */
static gboolean
live_control_screen (
    OctLive *live, const OctLiveMessage *message, GError **error)
{
  if (live->screen == NULL)
    return live_control_refuse (error,
        "There is no microscope; start oct-live with --microscope SOURCE.");
  if (message->type == OCT_LIVE_SCREEN)
    oct_live_screen_set_layout (live->screen, message->layout, message->eyes);
  else
    return oct_live_screen_set_aim (live->screen, (guint)message->eyes,
        message->aimed ? message->corners : NULL, error);
  return TRUE;
}

/* It belongs to the scan, and a recording keeps that. */
static gboolean
live_control_tune (OctLive *live, GError **error)
{
  const char *untunable;

  if (live->scanner == NULL)
    return live_control_refuse (
        error, "There is no scanner; start oct-live with --scan PATTERN.");
  if (live->recording != NULL && oct_live_recording_is_active (live->recording))
    return live_control_refuse (error,
        "A recording keeps its scan; end it, and tune the mirrors then.");
  untunable = oct_scanner_get_untunable (live->scanner);
  if (untunable != NULL)
    return live_control_refuse (error, untunable);
  return oct_live_graph_find (live->graph, OCT_LIVE_FIND_DELAY, error);
}

/* A recording belongs to its source. */
static gboolean
live_control_leave (OctLive *live, GError **error)
{
  if (live->setup == NULL)
    return live_control_refuse (error,
        "The source is that of the command line; start oct-live with --setup "
        "to choose it on the page.");
  if (live->recording != NULL && oct_live_recording_is_active (live->recording))
    return live_control_refuse (error,
        "A recording is being made; end it, and choose another source then.");
  live->leave (FALSE, live->leave_data);
  return TRUE;
}

/* Commands before a source is chosen. */
static gboolean
live_control_choose (
    OctLive *live, const OctLiveMessage *message, GError **error)
{
  switch (message->type) {
  case OCT_LIVE_BEGIN:
    if (!oct_live_setup_choose (live->setup, &message->begin, error))
      return FALSE;
    live->leave (FALSE, live->leave_data);
    return TRUE;
  case OCT_LIVE_SEEK:
    oct_live_setup_seek (live->setup);
    return TRUE;
  case OCT_LIVE_QUIT:
    live->leave (TRUE, live->leave_data);
    return TRUE;
  default:
    return live_control_refuse (
        error, "No source has been chosen yet; choose one and start it.");
  }
}

gboolean
oct_live_control (OctLive *live, const OctLiveMessage *message, GError **error)
{
  if (live->graph == NULL)
    return live_control_choose (live, message, error);
  switch (message->type) {
  case OCT_LIVE_SET:
    return live_control_set (live, message, error);
  case OCT_LIVE_LOOK:
    return live_control_look (live, message, error);
  case OCT_LIVE_RECORD:
    return live_control_record (live, message->on, error);
  case OCT_LIVE_KEEP:
    return live_control_keep (live, error);
  case OCT_LIVE_FOCUS:
    return message->undo ? oct_live_graph_undo (live->graph, error)
                         : oct_live_graph_find (
                             live->graph, OCT_LIVE_FIND_DISPERSION, error);
  case OCT_LIVE_REFINE:
    return oct_live_graph_find (live->graph, OCT_LIVE_FIND_WAVENUMBERS, error);
  case OCT_LIVE_BACKGROUND:
    return oct_live_graph_find (live->graph, OCT_LIVE_FIND_BACKGROUND, error);
  case OCT_LIVE_LABEL:
    live_control_label (live, message);
    return TRUE;
  case OCT_LIVE_NOTE:
    return live_control_note (live, message->text, error);
  case OCT_LIVE_SCAN:
    return live_control_scan (live, &message->beam, error);
  case OCT_LIVE_SCREEN:
  case OCT_LIVE_AIM:
    return live_control_screen (live, message, error);
  case OCT_LIVE_TUNE:
    return live_control_tune (live, error);
  case OCT_LIVE_BEGIN:
  case OCT_LIVE_SEEK:
  case OCT_LIVE_QUIT:
    return live_control_refuse (error,
        "The source has begun already; choose another one with \"Another "
        "source\".");
  case OCT_LIVE_LEAVE:
    return live_control_leave (live, error);
  case OCT_LIVE_WATCH:
  case OCT_LIVE_ANSWER:
  case OCT_LIVE_CANDIDATE:
  case OCT_LIVE_ACK:
  case OCT_LIVE_DECODED:
  case OCT_LIVE_METERS:
    break;
  }
  g_return_val_if_reached (FALSE);
}
