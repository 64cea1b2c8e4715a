/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-dicom-reports.h"
#include "oct-dicom-deadline.h"
#include "oct-dicom-link.h"

/* Seconds of a connection to --listen. */
#define SERVE_SECONDS 60

static gboolean
on_known (const char *transaction, gpointer data)
{
  const OctDicomReports *reports = data;

  if (oct_dicom_queue_knows (reports->queue, transaction))
    return TRUE;
  g_printerr ("Note: %s reported on a transaction that is not ours, %s; the "
              "report is refused.\n",
      reports->options->peer_text, transaction);
  return FALSE;
}

static void
on_report (const char *transaction, const char *sop_class, const char *instance,
    guint reason, gpointer data)
{
  const OctDicomReports *reports = data;
  const char *archive = reports->options->peer_text;
  g_autofree char *how = g_strdup_printf ("committed %s", transaction);
  g_autoptr (GError) error = NULL;

  oct_dicom_queue_close (reports->queue, transaction);
  if (oct_dicom_queue_is_secured (reports->queue, instance))
    return; /* it says so again */
  if (!oct_dicom_queue_asks (
          reports->queue, transaction, sop_class, instance)) {
    g_printerr (
        "Note: %s reported on the object %s, which was not asked for in "
        "the transaction %s, or was sent again since; that is left out.\n",
        archive, instance, transaction);
  } else if (reason != 0) {
    g_printerr (
        "Warning: %s did not commit %s: %s (%04Xh); it is sent again.\n",
        archive, instance, oct_dicom_reason_text (reason), reason);
    oct_dicom_queue_touch (reports->queue, OCT_DICOM_SENT, instance);
    oct_dicom_queue_move (reports->queue, instance, OCT_DICOM_WAITING);
  } else if (!oct_dicom_queue_secure (
                 reports->queue, instance, archive, how, &error)) {
    g_printerr ("Warning: %s.\n", error->message);
  } else {
    g_print ("committed %s\n", instance);
  }
}

OctDicomGot
oct_dicom_reports_receive (
    OctDicomReports *reports, OctDicomLink *link, guint seconds)
{
  return oct_dicom_receive (link, seconds, on_known, on_report, reports);
}

int
oct_dicom_reports_serve (OctDicomReports *reports, int fd)
{
  const OctDicomOptions *o = reports->options;
  g_autoptr (GError) error = NULL;
  OctDicomLink *link;
  OctDicomGot got;

  oct_dicom_limit_memory ();
  oct_dicom_deadline (SERVE_SECONDS, "A connection to --listen");
  link = oct_dicom_link_accept (&o->peer, fd, &error);
  if (link == NULL) {
    g_printerr ("Note: %s.\n", error->message);
    return OCT_DICOM_EXIT_TROUBLE;
  }
  do
    got = oct_dicom_reports_receive (reports, link, (guint)o->peer.timeout);
  while (got == OCT_DICOM_GOT_REPORT || got == OCT_DICOM_GOT_OTHER);
  oct_dicom_link_close (link, FALSE);
  return 0;
}
