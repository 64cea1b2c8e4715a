/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-dicom-deliver.h"
#include "oct-dicom-deadline.h"
#include "oct-dicom-link.h"

#include <sys/stat.h>

/* Objects of one association, and of one question for commitment. */
#define MOST_STORED 200
#define MOST_ASKED 1000
/* Bytes per second that are expected at least. */
#define SLOWEST (64 * 1024)
/* Seconds for a report on the same association if there is a port for others. */
#define SAME_SECONDS 5

/* ---------------------------------------------------------------------- objects */

/* The identities of objects of a stage, at most `most`; those of files that cannot
 * be read any more are left out, with a sentence. */
static GArray *
load_objects (const OctDicomReports *reports, OctDicomStage stage,
    GPtrArray *uids, guint most)
{
  GArray *objects = g_array_new (FALSE, TRUE, sizeof (OctDicomObject));

  for (guint i = 0; i < uids->len && objects->len < most; i++) {
    const char *uid = g_ptr_array_index (uids, i);
    g_autofree char *path =
        oct_dicom_queue_get_path (reports->queue, stage, uid);
    g_autoptr (GError) error = NULL;
    OctDicomObject object;

    if (oct_dicom_inspect (path, &object, &error)
        && g_str_equal (object.instance, uid)) {
      g_array_append_val (objects, object);
      continue;
    }
    /* it was committed or moved meanwhile, or the disk is bad */
    if (g_file_test (path, G_FILE_TEST_EXISTS))
      g_printerr ("Warning: %s.\n",
          error != NULL ? error->message : "A file of the queue was changed");
    oct_dicom_queue_touch (reports->queue, stage, uid);
  }
  return objects;
}

GPtrArray *
oct_dicom_deliver_list_unasked (const OctDicomReports *reports, GError **error)
{
  GPtrArray *sent =
      oct_dicom_queue_list (reports->queue, OCT_DICOM_SENT, error);
  g_autoptr (GHashTable) asked = oct_dicom_queue_get_asked (
      reports->queue, (guint)reports->options->commit_wait);

  for (guint i = sent != NULL ? sent->len : 0; i > 0; i--)
    if (g_hash_table_contains (asked, g_ptr_array_index (sent, i - 1)))
      g_ptr_array_remove_index (sent, i - 1);
  return sent;
}

/* ----------------------------------------------------------------------- storing */

static void
take_stored (OctDicomReports *reports, const OctDicomObject *object)
{
  const OctDicomOptions *o = reports->options;
  g_autoptr (GError) error = NULL;

  g_print ("sent %s\n", object->instance);
  if (!o->no_commit)
    oct_dicom_queue_move (reports->queue, object->instance, OCT_DICOM_SENT);
  else if (!oct_dicom_queue_secure (reports->queue, object->instance,
               o->peer_text, "stored, without commitment", &error))
    g_printerr ("Warning: %s.\n", error->message);
}

/* FALSE: the association is broken; *good FALSE: something was refused. */
static gboolean
store_all (OctDicomReports *reports, OctDicomLink *link, const GArray *objects,
    gboolean *good)
{
  const OctDicomOptions *o = reports->options;

  for (guint i = 0; i < objects->len; i++) {
    const OctDicomObject *object = &g_array_index (objects, OctDicomObject, i);
    g_autofree char *path = oct_dicom_queue_get_path (
        reports->queue, OCT_DICOM_WAITING, object->instance);
    g_autofree char *warning = NULL;
    g_autoptr (GError) error = NULL;
    struct stat status;

    if (stat (path, &status) != 0)
      continue;
    oct_dicom_deadline (
        (guint)(o->peer.timeout + status.st_size / SLOWEST), o->peer_text);
    /* one that breaks the association each time must not hold up the others */
    oct_dicom_queue_touch (reports->queue, OCT_DICOM_WAITING, object->instance);
    if (oct_dicom_store (link, path, object, &warning, &error)) {
      if (warning != NULL)
        g_printerr ("Note: %s: %s.\n", object->instance, warning);
      take_stored (reports, object);
      continue;
    }
    *good = FALSE;
    g_printerr ("Warning: %s was not sent, and will be sent again: %s.\n",
        object->instance, error->message);
    if (!g_error_matches (error, OCT_DICOM_ERROR, OCT_DICOM_ERROR_REFUSED))
      return FALSE;
  }
  return TRUE;
}

/* ------------------------------------------------------------------- commitment */

/* Whether objects of the question have not been settled, which another process
 * may do by --listen. */
static gboolean
is_open (const OctDicomReports *reports, const GArray *objects)
{
  for (guint i = 0; i < objects->len; i++) {
    g_autofree char *path = oct_dicom_queue_get_path (reports->queue,
        OCT_DICOM_SENT, g_array_index (objects, OctDicomObject, i).instance);

    if (g_file_test (path, G_FILE_TEST_EXISTS))
      return TRUE;
  }
  return FALSE;
}

/* The answer to the question, and then the report, if it comes on the same
 * association.  FALSE: there was no answer, or it was no. */
static gboolean
wait_for_report (OctDicomReports *reports, OctDicomLink *link,
    const GArray *objects, GError **error)
{
  const OctDicomOptions *o = reports->options;
  guint wait = o->listen_address != NULL
                   ? MIN (SAME_SECONDS, (guint)o->commit_wait)
                   : (guint)o->commit_wait;
  gint64 end = g_get_monotonic_time () + o->peer.timeout * G_USEC_PER_SEC;
  gboolean answered = FALSE, was_answered = FALSE;
  OctDicomGot got = OCT_DICOM_GOT_NOTHING;

  oct_dicom_deadline ((guint)o->peer.timeout + wait + 10, o->peer_text);
  while (got != OCT_DICOM_GOT_END && g_get_monotonic_time () < end) {
    got = oct_dicom_reports_receive (reports, link, 1);
    if (!oct_dicom_check_answer (link, &answered, error))
      return FALSE;
    if (answered && !was_answered)
      end = g_get_monotonic_time () + wait * G_USEC_PER_SEC;
    was_answered = answered;
    if (answered && !is_open (reports, objects))
      return TRUE;
  }
  if (answered)
    return TRUE;
  g_set_error (error, OCT_DICOM_ERROR, OCT_DICOM_ERROR_NETWORK,
      "%s did not answer when it was asked for commitment; see its log",
      o->peer_text);
  return FALSE;
}

static int
deliver_fail (const GError *error)
{
  g_printerr ("Warning: %s.\n", error->message);
  return OCT_DICOM_EXIT_TROUBLE;
}

static gboolean
ask_commitment (OctDicomReports *reports, OctDicomLink *link)
{
  const OctDicomOptions *o = reports->options;
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) unasked =
      oct_dicom_deliver_list_unasked (reports, &error);
  g_autoptr (GArray) objects = NULL;
  g_autofree char *transaction = NULL;
  const OctDicomObject *first;

  if (unasked == NULL) {
    (void)deliver_fail (error);
    return FALSE;
  }
  objects = load_objects (reports, OCT_DICOM_SENT, unasked, MOST_ASKED);
  first = (const OctDicomObject *)(gpointer)objects->data;
  if (objects->len == 0)
    return TRUE;
  if (!oct_dicom_link_has (link, OCT_DICOM_COMMITMENT)) {
    g_printerr ("Warning: %s offers no storage commitment; set it up there, or "
                "give --no-commit if stored is enough.\n",
        o->peer_text);
    return FALSE;
  }
  oct_dicom_deadline ((guint)o->peer.timeout, o->peer_text);
  transaction =
      oct_dicom_queue_begin (reports->queue, first, objects->len, &error);
  if (transaction != NULL
      && oct_dicom_ask_commitment (
          link, transaction, first, objects->len, &error)
      && wait_for_report (reports, link, objects, &error))
    return TRUE;
  if (transaction != NULL)
    oct_dicom_queue_close (reports->queue, transaction);
  g_printerr (
      "Warning: No commitment: %s; it is asked again.\n", error->message);
  return FALSE;
}

int
oct_dicom_deliver (OctDicomReports *reports)
{
  const OctDicomOptions *o = reports->options;
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) waiting =
      oct_dicom_queue_list (reports->queue, OCT_DICOM_WAITING, &error);
  g_autoptr (GArray) objects = NULL;
  gboolean good = TRUE, whole;
  OctDicomLink *link;

  if (waiting == NULL)
    return deliver_fail (error);
  /* an archive that answers without an end */
  oct_dicom_limit_memory ();
  objects = load_objects (reports, OCT_DICOM_WAITING, waiting, MOST_STORED);
  oct_dicom_deadline ((guint)o->peer.timeout, o->peer_text);
  link = oct_dicom_link_open (&o->peer, o->no_commit ? 0 : OCT_DICOM_COMMITMENT,
      (const OctDicomObject *)(gpointer)objects->data, objects->len, &error);
  if (link == NULL)
    return deliver_fail (error);
  /* those of an association that broke come first: an object that breaks each of
   * them must not keep the others from being committed */
  if (!o->no_commit)
    good = ask_commitment (reports, link);
  whole = store_all (reports, link, objects, &good);
  if (whole && !o->no_commit)
    good = ask_commitment (reports, link) && good;
  oct_dicom_deadline ((guint)o->peer.timeout, o->peer_text);
  oct_dicom_link_close (link, whole);
  return good && whole ? 0 : OCT_DICOM_EXIT_TROUBLE;
}
