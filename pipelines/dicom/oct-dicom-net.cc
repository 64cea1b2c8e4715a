/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The services; associations are in oct-dicom-link.cc. */
#include "oct-dicom-inside.h"

#include <dcmtk/dcmnet/diutil.h>

extern "C" {
#include "oct-dicom-link.h"
#include "oct-dicom-net.h"
#include "oct-volume-file-kinds.h"
}

/* Reports of commitment: objects, and bytes of their dataset. */
#define MOST_REPORTED 5000
#define MOST_REPORT (64ul * 1024 * 1024)

char *
oct_dicom_make_uid (void)
{
  return oct_volume_file_make_uid ();
}

/* --------------------------------------------------------------------- files */

static gboolean
take_uid (DcmItem *item, const DcmTagKey &key, char *uid)
{
  OFString text;

  if (item == NULL || item->findAndGetOFString (key, text).bad ()
      || !oct_dicom_is_uid (text.c_str ()))
    return FALSE;
  g_strlcpy (uid, text.c_str (), OCT_DICOM_UID);
  return TRUE;
}

gboolean
oct_dicom_inspect (const char *path, OctDicomObject *object, GError **error)
{
  DcmFileFormat file;
  char inner[OCT_DICOM_UID], inner_class[OCT_DICOM_UID];
  OFBool read = OFFalse;

  try {
    /* pixels stay on the disk */
    read = file.loadFile (path, EXS_Unknown, EGL_noChange, 4096, ERM_fileOnly)
               .good ();
  } catch (const std::exception &) {
    read = OFFalse;
  }
  if (read
      && take_uid (file.getMetaInfo (), DCM_TransferSyntaxUID, object->transfer)
      && take_uid (
          file.getMetaInfo (), DCM_MediaStorageSOPClassUID, object->sop_class)
      && take_uid (
          file.getMetaInfo (), DCM_MediaStorageSOPInstanceUID, object->instance)
      && take_uid (file.getDataset (), DCM_SOPInstanceUID, inner)
      && take_uid (file.getDataset (), DCM_SOPClassUID, inner_class)
      && g_str_equal (inner, object->instance)
      && g_str_equal (inner_class, object->sop_class)) {
    if (!take_uid (file.getDataset (), DCM_StudyInstanceUID, object->study))
      *object->study = '\0';
    if (!take_uid (file.getDataset (), DCM_SeriesInstanceUID, object->series))
      *object->series = '\0';
    return TRUE;
  }
  g_set_error (error, OCT_DICOM_ERROR, OCT_DICOM_ERROR_FILE,
      "'%s' is not a whole DICOM file with the same UIDs in its header and in "
      "its "
      "data; only such files can be sent",
      path);
  return FALSE;
}

/* ---------------------------------------------------------------------- echo */

gboolean
oct_dicom_echo (OctDicomLink *link, GError **error)
{
  DIC_US status = 0xffff;
  DcmDataset *detail = NULL;
  OFCondition done =
      DIMSE_echoUser (link->association, link->association->nextMsgID++,
          DIMSE_NONBLOCKING, link->timeout, &status, &detail);

  delete detail;
  if (done.bad ())
    return oct_dicom_link_fail (link, done, "C-ECHO", error);
  return status == STATUS_Success
         || oct_dicom_link_refuse (link, "C-ECHO", status, error);
}

/* ------------------------------------------------------------------ worklist */

static const DcmTagKey fields[] = { DCM_PatientName, DCM_PatientID,
  DCM_PatientBirthDate, DCM_PatientSex, DCM_AccessionNumber,
  DCM_StudyInstanceUID, DCM_RequestedProcedureDescription,
  DCM_RequestedProcedureID, DCM_ReferringPhysicianName,
  DCM_ScheduledStationAETitle, DCM_ScheduledProcedureStepStartDate,
  DCM_ScheduledProcedureStepStartTime, DCM_Modality,
  DCM_ScheduledProcedureStepDescription, DCM_ScheduledProcedureStepID };

G_STATIC_ASSERT (G_N_ELEMENTS (fields) == OCT_DICOM_FIELDS);

typedef struct {
  OctDicomLink *link;
  T_ASC_PresentationContextID context;
  guint most, count;
  gboolean more, ended;
  OctDicomFound found;
  gpointer data;
} Search;

static void
search_on_answer (void *data, T_DIMSE_C_FindRQ *, int, T_DIMSE_C_FindRSP *,
    DcmDataset *answer)
{
  Search *search = static_cast<Search *> (data);
  OFString texts[OCT_DICOM_FIELDS];
  const char *words[OCT_DICOM_FIELDS];
  DcmItem *step = NULL;

  if (answer == NULL)
    return;
  if (search->count >= search->most) {
    /* a server that does not end is left */
    search->more = TRUE;
    if (!search->ended)
      (void)ASC_abortAssociation (search->link->association);
    search->ended = TRUE;
    return;
  }
  search->count++;
  /* it fails for character sets that are not known */
  (void)answer->convertToUTF8 ();
  (void)answer->findAndGetSequenceItem (
      DCM_ScheduledProcedureStepSequence, step);
  for (guint i = 0; i < OCT_DICOM_FIELDS; i++) {
    DcmItem *item = i < OCT_DICOM_STATION ? answer : step;

    if (item != NULL)
      (void)item->findAndGetOFStringArray (fields[i], texts[i]);
    words[i] = texts[i].c_str ();
  }
  search->found (words, search->data);
}

static OFBool
make_query (DcmDataset *query, const OctDicomQuery *wanted)
{
  DcmItem *step = NULL;
  OFBool ok =
      query->putAndInsertString (DCM_SpecificCharacterSet, "ISO_IR 192").good ()
      && query
             ->findOrCreateSequenceItem (
                 DCM_ScheduledProcedureStepSequence, step)
             .good ();

  for (guint i = 0; ok && i < OCT_DICOM_FIELDS; i++) {
    const char *value = i == OCT_DICOM_DATE       ? wanted->date
                        : i == OCT_DICOM_MODALITY ? wanted->modality
                        : i == OCT_DICOM_STATION  ? wanted->station
                                                  : NULL;
    DcmItem *item = i < OCT_DICOM_STATION ? query : step;

    ok = item->putAndInsertString (fields[i], value != NULL ? value : "")
             .good ();
  }
  return ok;
}

gboolean
oct_dicom_find (OctDicomLink *link, const OctDicomQuery *query, guint most,
    OctDicomFound found, gpointer data, gboolean *more, GError **error)
{
  Search search = { link, 0, most, 0, FALSE, FALSE, found, data };
  T_DIMSE_C_FindRQ request;
  T_DIMSE_C_FindRSP response;
  DcmDataset wanted, *detail = NULL;
  int count = 0;
  OFCondition done;

  memset (&request, 0, sizeof request);
  memset (&response, 0, sizeof response);
  search.context = ASC_findAcceptedPresentationContextID (
      link->association, UID_FINDModalityWorklistInformationModel);
  request.MessageID = link->association->nextMsgID++;
  g_strlcpy (request.AffectedSOPClassUID,
      UID_FINDModalityWorklistInformationModel,
      sizeof request.AffectedSOPClassUID);
  request.DataSetType = DIMSE_DATASET_PRESENT;
  request.Priority = DIMSE_PRIORITY_MEDIUM;
  if (!make_query (&wanted, query))
    return oct_dicom_link_fail (link, EC_MemoryExhausted, "C-FIND", error);
  done = DIMSE_findUser (link->association, search.context, &request, &wanted,
      count, search_on_answer, &search, DIMSE_NONBLOCKING, link->timeout,
      &response, &detail);
  delete detail;
  *more = search.more;
  link->ended = search.ended;
  if (search.ended)
    return TRUE;
  if (done.bad ())
    return oct_dicom_link_fail (link, done, "C-FIND", error);
  return response.DimseStatus == STATUS_Success
         || oct_dicom_link_refuse (link, "C-FIND", response.DimseStatus, error);
}

/* ------------------------------------------------------------------- storage */

gboolean
oct_dicom_store (OctDicomLink *link, const char *path,
    const OctDicomObject *object, char **warning, GError **error)
{
  T_ASC_PresentationContextID context = ASC_findAcceptedPresentationContextID (
      link->association, object->sop_class, object->transfer);
  T_DIMSE_C_StoreRQ request;
  T_DIMSE_C_StoreRSP response;
  DcmDataset *detail = NULL;
  OFCondition done;
  DIC_US status;

  *warning = NULL;
  if (context == 0)
    return oct_dicom_link_set_error (error, OCT_DICOM_ERROR_REFUSED,
        "%s takes no objects of the class %s in the transfer syntax %s; "
        "convert "
        "them, or set it up for them",
        link->name, object->sop_class, object->transfer);
  memset (&request, 0, sizeof request);
  memset (&response, 0, sizeof response);
  request.MessageID = link->association->nextMsgID++;
  g_strlcpy (request.AffectedSOPClassUID, object->sop_class,
      sizeof request.AffectedSOPClassUID);
  g_strlcpy (request.AffectedSOPInstanceUID, object->instance,
      sizeof request.AffectedSOPInstanceUID);
  request.DataSetType = DIMSE_DATASET_PRESENT;
  request.Priority = DIMSE_PRIORITY_MEDIUM;
  done = DIMSE_storeUser (link->association, context, &request, path, NULL,
      NULL, NULL, DIMSE_NONBLOCKING, link->timeout, &response, &detail);
  delete detail;
  if (done.bad ())
    return oct_dicom_link_fail (link, done, "C-STORE", error);
  if ((response.opts & O_STORE_AFFECTEDSOPINSTANCEUID) != 0
      && !g_str_equal (response.AffectedSOPInstanceUID, object->instance))
    return oct_dicom_link_set_error (error, OCT_DICOM_ERROR_NETWORK,
        "%s answered for another object than the one that was sent",
        link->name);
  status = response.DimseStatus;
  if (status == STATUS_Success)
    return TRUE;
  /* warnings, and one that it has already */
  if (DICOM_WARNING_STATUS (status)
      || status == STATUS_N_DuplicateSOPInstance) {
    *warning = g_strdup_printf ("%s stored it with the status %04Xh (%s)",
        link->name, status, DU_cstoreStatusString (status));
    return TRUE;
  }
  return oct_dicom_link_refuse (link, "C-STORE", status, error);
}

/* ---------------------------------------------------------------- commitment */

static OFBool
make_request (DcmDataset *request, const char *transaction,
    const OctDicomObject *objects, guint count)
{
  OFBool ok =
      request->putAndInsertString (DCM_TransactionUID, transaction).good ();

  for (guint i = 0; ok && i < count; i++) {
    DcmItem *item = NULL;

    ok = request->findOrCreateSequenceItem (DCM_ReferencedSOPSequence, item, -2)
             .good ()
         && item->putAndInsertString (
                    DCM_ReferencedSOPClassUID, objects[i].sop_class)
                .good ()
         && item->putAndInsertString (
                    DCM_ReferencedSOPInstanceUID, objects[i].instance)
                .good ();
  }
  return ok;
}

gboolean
oct_dicom_ask_commitment (OctDicomLink *link, const char *transaction,
    const OctDicomObject *objects, guint count, GError **error)
{
  T_ASC_PresentationContextID context = ASC_findAcceptedPresentationContextID (
      link->association, UID_StorageCommitmentPushModelSOPClass);
  T_DIMSE_Message message;
  T_DIMSE_N_ActionRQ *action = &message.msg.NActionRQ;
  DcmDataset request;
  OFCondition done;

  memset (&message, 0, sizeof message);
  if (!make_request (&request, transaction, objects, count))
    return oct_dicom_link_fail (link, EC_MemoryExhausted, "N-ACTION", error);
  message.CommandField = DIMSE_N_ACTION_RQ;
  action->MessageID = link->association->nextMsgID++;
  action->DataSetType = DIMSE_DATASET_PRESENT;
  action->ActionTypeID = 1;
  g_strlcpy (action->RequestedSOPClassUID,
      UID_StorageCommitmentPushModelSOPClass,
      sizeof action->RequestedSOPClassUID);
  g_strlcpy (action->RequestedSOPInstanceUID,
      UID_StorageCommitmentPushModelSOPInstance,
      sizeof action->RequestedSOPInstanceUID);
  /* a report may come before the answer: oct_dicom_receive() takes both */
  link->asked = action->MessageID;
  link->answered = FALSE;
  done = DIMSE_sendMessageUsingMemoryData (
      link->association, context, &message, NULL, &request, NULL, NULL);
  return done.good () || oct_dicom_link_fail (link, done, "N-ACTION", error);
}

typedef struct {
  OctDicomReport report;
  gpointer data;
  const char *transaction;
} Reporting;

/* Each item of a sequence of a report that names an object. */
static void
take_items (DcmDataset *event, const DcmTagKey &sequence, gboolean failed,
    const Reporting *to)
{
  DcmSequenceOfItems *items = NULL;

  if (event->findAndGetSequence (sequence, items).bad () || items == NULL)
    return;
  for (unsigned long i = 0;
       i < MIN (items->card (), (unsigned long)MOST_REPORTED); i++) {
    char sop_class[OCT_DICOM_UID], instance[OCT_DICOM_UID];
    DcmItem *item = items->getItem (i);
    Uint16 reason = 0;

    if (!take_uid (item, DCM_ReferencedSOPClassUID, sop_class)
        || !take_uid (item, DCM_ReferencedSOPInstanceUID, instance))
      continue;
    /* one without a reason has failed all the same */
    if (failed
        && (item->findAndGetUint16 (DCM_FailureReason, reason).bad ()
            || reason == 0))
      reason = STATUS_N_ProcessingFailure;
    to->report (to->transaction, sop_class, instance, reason, to->data);
  }
}

static OFCondition
answer_event (OctDicomLink *link, T_ASC_PresentationContextID context,
    const T_DIMSE_N_EventReportRQ *request, DIC_US status)
{
  T_DIMSE_Message message;
  T_DIMSE_N_EventReportRSP *answer = &message.msg.NEventReportRSP;

  memset (&message, 0, sizeof message);
  message.CommandField = DIMSE_N_EVENT_REPORT_RSP;
  answer->MessageIDBeingRespondedTo = request->MessageID;
  answer->DataSetType = DIMSE_DATASET_NULL;
  answer->DimseStatus = status;
  answer->EventTypeID = request->EventTypeID;
  g_strlcpy (answer->AffectedSOPClassUID, request->AffectedSOPClassUID,
      sizeof answer->AffectedSOPClassUID);
  g_strlcpy (answer->AffectedSOPInstanceUID, request->AffectedSOPInstanceUID,
      sizeof answer->AffectedSOPInstanceUID);
  answer->opts = O_NEVENTREPORT_AFFECTEDSOPCLASSUID
                 | O_NEVENTREPORT_AFFECTEDSOPINSTANCEUID
                 | O_NEVENTREPORT_EVENTTYPEID;
  return DIMSE_sendMessageUsingMemoryData (
      link->association, context, &message, NULL, NULL, NULL, NULL);
}

static void
limit_report (void *data, unsigned long bytes)
{
  OctDicomLink *link = static_cast<OctDicomLink *> (data);

  if (bytes > MOST_REPORT && !link->ended) {
    link->ended = TRUE;
    (void)ASC_abortAssociation (link->association);
  }
}

static OctDicomGot
receive_event (OctDicomLink *link, T_ASC_PresentationContextID context,
    const T_DIMSE_N_EventReportRQ *request,
    gboolean (*known) (const char *transaction, gpointer data),
    OctDicomReport report, gpointer data)
{
  T_ASC_PresentationContextID other = context;
  DcmDataset *event = NULL;
  char transaction[OCT_DICOM_UID];
  Reporting to = { report, data, transaction };
  gboolean good;

  if (request->DataSetType != DIMSE_DATASET_PRESENT
      || DIMSE_receiveDataSetInMemory (link->association, DIMSE_NONBLOCKING,
          link->timeout, &other, &event, limit_report, link)
             .bad ()
      || event == NULL) {
    delete event;
    return OCT_DICOM_GOT_END;
  }
  good = g_str_equal (request->AffectedSOPClassUID,
             UID_StorageCommitmentPushModelSOPClass)
         && (request->EventTypeID == 1 || request->EventTypeID == 2)
         && take_uid (event, DCM_TransactionUID, transaction)
         && known (transaction, data);
  if (good) {
    /* before the answer, after which the peer may forget it */
    take_items (event, DCM_ReferencedSOPSequence, FALSE, &to);
    take_items (event, DCM_FailedSOPSequence, TRUE, &to);
  }
  delete event;
  if (answer_event (link, context, request,
          good ? STATUS_Success : STATUS_N_InvalidArgumentValue)
          .bad ())
    return OCT_DICOM_GOT_END;
  return good ? OCT_DICOM_GOT_REPORT : OCT_DICOM_GOT_OTHER;
}

OctDicomGot
oct_dicom_receive (OctDicomLink *link, guint seconds,
    gboolean (*known) (const char *transaction, gpointer data),
    OctDicomReport report, gpointer data)
{
  T_ASC_PresentationContextID context = 0;
  T_DIMSE_Message message;
  DcmDataset *detail = NULL;
  OFCondition done;

  memset (&message, 0, sizeof message);
  if (link->ended)
    return OCT_DICOM_GOT_END;
  done = DIMSE_receiveCommand (link->association, DIMSE_NONBLOCKING,
      (int)seconds, &context, &message, &detail);
  delete detail;
  if (done == DIMSE_NODATAAVAILABLE)
    return OCT_DICOM_GOT_NOTHING;
  if (done.bad ()) {
    if (done == DUL_PEERREQUESTEDRELEASE)
      (void)ASC_acknowledgeRelease (link->association);
    link->ended = TRUE;
    return OCT_DICOM_GOT_END;
  }
  switch (message.CommandField) {
  case DIMSE_N_EVENT_REPORT_RQ:
    return receive_event (
        link, context, &message.msg.NEventReportRQ, known, report, data);
  case DIMSE_C_ECHO_RQ:
    return DIMSE_sendEchoResponse (link->association, context,
               &message.msg.CEchoRQ, STATUS_Success, NULL)
                   .good ()
               ? OCT_DICOM_GOT_OTHER
               : OCT_DICOM_GOT_END;
  case DIMSE_N_ACTION_RSP:
    link->answered =
        message.msg.NActionRSP.MessageIDBeingRespondedTo == link->asked;
    link->status = message.msg.NActionRSP.DimseStatus;
    /* an answer of this service has no data */
    return message.msg.NActionRSP.DataSetType == DIMSE_DATASET_NULL
                   && link->answered
               ? OCT_DICOM_GOT_OTHER
               : OCT_DICOM_GOT_END;
  default:
    return OCT_DICOM_GOT_END;
  }
}

gboolean
oct_dicom_check_answer (
    const OctDicomLink *link, gboolean *answered, GError **error)
{
  *answered = link->answered;
  return !link->answered || link->status == STATUS_Success
         || oct_dicom_link_refuse (link, "N-ACTION", link->status, error);
}

const char *
oct_dicom_reason_text (guint reason)
{
  switch (reason) {
  case 0x0110:
    return "processing failure";
  case 0x0112:
    return "no such object instance";
  case 0x0213:
    return "resource limitation";
  case 0x0122:
    return "referenced SOP class not supported";
  case 0x0119:
    return "class and instance in conflict";
  case 0x0131:
    return "duplicate transaction UID";
  default:
    return "a reason that the standard does not have";
  }
}
