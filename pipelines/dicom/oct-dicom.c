/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * oct-dicom: worklist, archive, storage commitment and procedure steps of a
 * hospital, for the shell and for services.
 */
#include "oct-dicom-deadline.h"
#include "oct-dicom-link.h"
#include "oct-dicom-net.h"
#include "oct-dicom-options.h"
#include "oct-dicom-video.h"
#include "oct-dicom-steps.h"
#include "oct-dicom-work.h"
#include "oct-dicom-worklist.h"
#include "oct-terminal.h"

#include <locale.h>
#include <signal.h>

static int
run_echo (const OctDicomOptions *o)
{
  g_autoptr (GError) error = NULL;
  OctDicomLink *link;
  gboolean ok = FALSE;

  oct_dicom_limit_memory ();
  oct_dicom_deadline ((guint)o->peer.timeout, o->peer_text);
  link =
      oct_dicom_link_open (&o->peer, OCT_DICOM_VERIFICATION, NULL, 0, &error);
  if (link != NULL) {
    ok = oct_dicom_echo (link, &error);
    oct_dicom_link_close (link, ok);
  }
  if (!ok) {
    g_printerr ("Error: %s.\n", error->message);
    return OCT_DICOM_EXIT_TROUBLE;
  }
  g_print ("%s answers.\n", o->peer_text);
  return 0;
}

static int
run (const OctDicomOptions *o)
{
  g_autoptr (GError) error = NULL;

  signal (SIGPIPE, SIG_IGN);
  if (o->command == OCT_DICOM_TAGS)
    return oct_dicom_tags_run (o);
  if (!oct_dicom_begin (&error)) {
    g_printerr ("Error: %s.\n", error->message);
    return OCT_DICOM_EXIT_TROUBLE;
  }
  switch (o->command) {
  case OCT_DICOM_ECHO:
    return run_echo (o);
  case OCT_DICOM_WORKLIST_LIST:
    return oct_dicom_worklist_run (o);
  case OCT_DICOM_VIDEO:
    return oct_dicom_video_run (o);
  case OCT_DICOM_STEP_BEGIN:
  case OCT_DICOM_STEP_COMPLETE:
  case OCT_DICOM_STEP_DISCONTINUE:
  case OCT_DICOM_STEP_TELL:
    return oct_dicom_steps_run (o);
  default:
    return oct_dicom_work_run (o);
  }
}

int
main (int argc, char **argv)
{
  OctDicomOptions options = { 0 };
  g_autoptr (GError) error = NULL;
  int status = OCT_DICOM_EXIT_OPTIONS;

  setlocale (LC_ALL, "");
  oct_terminal_begin ();
  if (oct_dicom_options_parse (&options, &argc, &argv, &error))
    status = run (&options);
  else
    g_printerr ("Error: %s\n", error->message);
  oct_dicom_options_clear (&options);
  return status;
}
