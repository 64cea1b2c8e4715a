/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-dicom-inside.h"

#include <dcmtk/dcmdata/dcostrmb.h>
#include <sys/stat.h>

extern "C" {
#include "oct-dicom-link.h"
#include "oct-dicom-net.h"
#include "oct-dicom-step.h"
}

#define CLASS UID_ModalityPerformedProcedureStepSOPClass
/* Bytes of the dataset of an answer, which is left out. */
#define MOST_ANSWER (1ul * 1024 * 1024)
/* The error ID of PS3.4, F.7.2.2.2: the step has ended, and stays as it is. */
#define ENDED 0xa710

static const struct {
  const char *code, *meaning;
} reasons[] = { { "110513", "Discontinued for unspecified reason" },
  { "110514", "Incorrect worklist entry selected" },
  { "110500", "Doctor canceled procedure" }, { "110501", "Equipment failure" },
  { "110505", "Patient refused to continue procedure" },
  { "110515", "Patient condition prevented continuing" } };

const char *const oct_dicom_step_reasons[] = { "unspecified", "entry", "doctor",
  "equipment", "refused", "condition", NULL };

G_STATIC_ASSERT (
    G_N_ELEMENTS (reasons) + 1 == G_N_ELEMENTS (oct_dicom_step_reasons));

void
oct_dicom_step_clear (OctDicomStep *step)
{
  g_clear_pointer (&step->scheduled, g_free);
  g_clear_pointer (&step->patient, g_free);
}

/* ------------------------------------------------------------------ datasets */

static void
put (DcmItem *item, const DcmTagKey &key, const char *text)
{
  g_autofree char *one = g_strdup (text);

  /* a backslash would begin another value */
  g_strdelimit (one, "\\", ' ');
  (void)item->putAndInsertString (key, one);
}

static void
put_empty (DcmItem *item, const DcmTagKey &key)
{
  (void)item->insertEmptyElement (key);
}

static DcmItem *
add_item (DcmItem *parent, const DcmTagKey &key)
{
  DcmItem *item = NULL;

  /* it fails for want of memory alone, and then GLib ends the process anyway */
  if (parent->findOrCreateSequenceItem (key, item, -2).bad ())
    g_error ("DCMTK has no memory for a sequence");
  return item;
}

static void
put_now (DcmItem *item, const DcmTagKey &day, const DcmTagKey &time)
{
  g_autoptr (GDateTime) now = g_date_time_new_now_local ();
  g_autofree char *date = g_date_time_format (now, "%Y%m%d");
  g_autofree char *clock = g_date_time_format (now, "%H%M%S");

  put (item, day, date);
  put (item, time, clock);
}

/* The bytes of a file. */
static GBytes *
step_save (DcmFileFormat *file, const char *instance)
{
  DcmDataset *data = file->getDataset ();
  Uint32 most =
      data->calcElementLength (EXS_LittleEndianExplicit, EET_UndefinedLength)
      + 4096;
  char *bytes = (char *)g_malloc (most);
  DcmOutputBufferStream stream (bytes, most);
  offile_off_t length = 0;
  void *start = NULL;

  (void)file->getMetaInfo ()->putAndInsertString (
      DCM_MediaStorageSOPClassUID, CLASS);
  (void)file->getMetaInfo ()->putAndInsertString (
      DCM_MediaStorageSOPInstanceUID, instance);
  file->transferInit ();
  if (file->write (stream, EXS_LittleEndianExplicit, EET_UndefinedLength, NULL,
              EGL_recalcGL, EPD_withoutPadding, 0, 0, 0, EWM_updateMeta)
          .bad ())
    g_error ("A step did not fit its memory");
  file->transferEnd ();
  stream.flushBuffer (start, length);
  return g_bytes_new_take (bytes, (gsize)length);
}

/* The plan: the item of the scheduled step. */
static void
put_scheduled (DcmDataset *data, const char *const *texts)
{
  DcmItem *item = add_item (data, DCM_ScheduledStepAttributesSequence);

  put (item, DCM_StudyInstanceUID, texts[OCT_DICOM_STUDY]);
  put_empty (item, DCM_ReferencedStudySequence);
  put (item, DCM_AccessionNumber, texts[OCT_DICOM_ACCESSION]);
  put (item, DCM_RequestedProcedureID, texts[OCT_DICOM_REQUESTED_ID]);
  put (item, DCM_RequestedProcedureDescription, texts[OCT_DICOM_REQUESTED]);
  put (item, DCM_ScheduledProcedureStepID, texts[OCT_DICOM_STEP_ID]);
  put (item, DCM_ScheduledProcedureStepDescription, texts[OCT_DICOM_STEP]);
  put_empty (item, DCM_ScheduledProtocolCodeSequence);
}

GBytes *
oct_dicom_step_make_begin (
    const char *const *texts, const char *instance, const char *aet)
{
  /* those that have to be there, with a value or without (Table F.7.2-1); the
   * reason of a discontinuation too, as N-SET may change only what is there */
  static const DcmTagKey empty[] = { DCM_ReferencedPatientSequence,
    DCM_PerformedStationName, DCM_PerformedLocation,
    DCM_PerformedProcedureTypeDescription, DCM_ProcedureCodeSequence,
    DCM_PerformedProcedureStepEndDate, DCM_PerformedProcedureStepEndTime,
    DCM_PerformedProcedureStepDiscontinuationReasonCodeSequence,
    DCM_PerformedProtocolCodeSequence, DCM_PerformedSeriesSequence };
  DcmFileFormat file;
  DcmDataset *data = file.getDataset ();
  g_autofree char *number =
      g_strdup_printf ("%" G_GINT64_FORMAT, g_get_real_time () / 1000);
  const char *modality = texts[OCT_DICOM_MODALITY];
  /* it has 16 characters at most, and so has that of a study */
  gboolean short_enough =
      g_utf8_strlen (texts[OCT_DICOM_REQUESTED_ID], -1) <= 16;

  put (data, DCM_SpecificCharacterSet, "ISO_IR 192");
  put_scheduled (data, texts);
  put (data, DCM_PatientName, texts[OCT_DICOM_NAME]);
  put (data, DCM_PatientID, texts[OCT_DICOM_ID]);
  put (data, DCM_PatientBirthDate, texts[OCT_DICOM_BIRTH]);
  put (data, DCM_PatientSex, texts[OCT_DICOM_SEX]);
  for (guint i = 0; i < G_N_ELEMENTS (empty); i++)
    put_empty (data, empty[i]);
  put (data, DCM_PerformedProcedureStepID, number);
  put (data, DCM_PerformedStationAETitle, aet);
  put_now (data, DCM_PerformedProcedureStepStartDate,
      DCM_PerformedProcedureStepStartTime);
  put (data, DCM_PerformedProcedureStepStatus, "IN PROGRESS");
  put (data, DCM_PerformedProcedureStepDescription, texts[OCT_DICOM_STEP]);
  put (data, DCM_Modality, *modality != '\0' ? modality : "OPT");
  put (data, DCM_StudyID, short_enough ? texts[OCT_DICOM_REQUESTED_ID] : "");
  return step_save (&file, instance);
}

/* ----------------------------------------------------------------------- ends */

static gboolean
is_image (const char *sop_class)
{
  for (int i = 0; i < numberOfDcmImageSOPClassUIDs; i++)
    if (g_str_equal (dcmImageSOPClassUIDs[i], sop_class))
      return TRUE;
  return FALSE;
}

static DcmItem *
add_series (DcmDataset *data, const char *uid, const char *protocol)
{
  static const DcmTagKey empty[] = { DCM_PerformingPhysicianName,
    DCM_OperatorsName, DCM_SeriesDescription, DCM_RetrieveAETitle,
    DCM_ReferencedImageSequence,
    DCM_ReferencedNonImageCompositeSOPInstanceSequence };
  DcmItem *series = add_item (data, DCM_PerformedSeriesSequence);

  put (series, DCM_ProtocolName, protocol);
  put (series, DCM_SeriesInstanceUID, uid);
  for (guint i = 0; i < G_N_ELEMENTS (empty); i++)
    put_empty (series, empty[i]);
  return series;
}

/* The series of all objects, each with its own. */
static void
put_objects (DcmDataset *data, const char *protocol,
    const OctDicomObject *objects, guint count)
{
  g_autoptr (GHashTable) known = g_hash_table_new (g_str_hash, g_str_equal);

  for (guint i = 0; i < count; i++) {
    const OctDicomObject *object = &objects[i];
    DcmItem *series = (DcmItem *)g_hash_table_lookup (known, object->series);
    DcmItem *reference;

    if (series == NULL) {
      series = add_series (data, object->series, protocol);
      g_hash_table_insert (known, (gpointer)object->series, series);
    }
    reference = add_item (
        series, is_image (object->sop_class)
                    ? DCM_ReferencedImageSequence
                    : DCM_ReferencedNonImageCompositeSOPInstanceSequence);
    put (reference, DCM_ReferencedSOPClassUID, object->sop_class);
    put (reference, DCM_ReferencedSOPInstanceUID, object->instance);
  }
}

GBytes *
oct_dicom_step_make_end (const char *instance, int reason, const char *protocol,
    const OctDicomObject *objects, guint count)
{
  DcmFileFormat file;
  DcmDataset *data = file.getDataset ();

  put (data, DCM_SpecificCharacterSet, "ISO_IR 192");
  put (data, DCM_PerformedProcedureStepStatus,
      reason < 0 ? "COMPLETED" : "DISCONTINUED");
  put_now (data, DCM_PerformedProcedureStepEndDate,
      DCM_PerformedProcedureStepEndTime);
  if (reason >= 0) {
    DcmItem *code = add_item (
        data, DCM_PerformedProcedureStepDiscontinuationReasonCodeSequence);

    put (code, DCM_CodeValue, reasons[reason].code);
    put (code, DCM_CodingSchemeDesignator, "DCM");
    put (code, DCM_CodeMeaning, reasons[reason].meaning);
  }
  put_objects (data, protocol, objects, count);
  if (count == 0) {
    /* a step that has ended has a series, also without an object (note 2) */
    g_autofree char *uid = oct_dicom_make_uid ();

    (void)add_series (data, uid, protocol);
  }
  return step_save (&file, instance);
}

/* -------------------------------------------------------------------- reading */

static gboolean
step_load (const char *path, DcmFileFormat *file)
{
  struct stat status;

  /* a pipe would keep the reader waiting for good */
  if (lstat (path, &status) != 0 || !S_ISREG (status.st_mode))
    return FALSE;
  try {
    return file
        ->loadFile (
            path, EXS_Unknown, EGL_noChange, DCM_MaxReadLength, ERM_fileOnly)
        .good ();
  } catch (const std::exception &) {
    return FALSE;
  }
}

gboolean
oct_dicom_step_read (const char *path, OctDicomStep *step, char **protocol)
{
  DcmFileFormat file;
  DcmItem *scheduled = NULL;
  OFString study, id, patient, what;

  if (!step_load (path, &file)
      || file.getDataset ()
             ->findAndGetSequenceItem (
                 DCM_ScheduledStepAttributesSequence, scheduled)
             .bad ()
      || scheduled->findAndGetOFString (DCM_StudyInstanceUID, study).bad ()
      || !oct_dicom_is_uid (study.c_str ()))
    return FALSE;
  (void)scheduled->findAndGetOFString (DCM_ScheduledProcedureStepID, id);
  (void)file.getDataset ()->findAndGetOFString (DCM_PatientID, patient);
  (void)file.getDataset ()->findAndGetOFString (
      DCM_PerformedProcedureStepDescription, what);
  g_strlcpy (step->study, study.c_str (), OCT_DICOM_UID);
  step->scheduled = g_strdup (id.c_str ());
  step->patient = g_strdup (patient.c_str ());
  /* this one must have a value */
  *protocol = g_strdup (what.empty () ? "OCT" : what.c_str ());
  return TRUE;
}

/* -------------------------------------------------------------------- telling */

static OFCondition
send_step (OctDicomLink *link, T_ASC_PresentationContextID context,
    gboolean begins, const char *instance, DcmDataset *data, DIC_US number)
{
  T_DIMSE_Message message;
  T_DIMSE_N_CreateRQ *create = &message.msg.NCreateRQ;
  T_DIMSE_N_SetRQ *set = &message.msg.NSetRQ;

  memset (&message, 0, sizeof message);
  if (begins) {
    message.CommandField = DIMSE_N_CREATE_RQ;
    create->MessageID = number;
    create->DataSetType = DIMSE_DATASET_PRESENT;
    create->opts = O_NCREATE_AFFECTEDSOPINSTANCEUID;
    g_strlcpy (
        create->AffectedSOPClassUID, CLASS, sizeof create->AffectedSOPClassUID);
    g_strlcpy (create->AffectedSOPInstanceUID, instance,
        sizeof create->AffectedSOPInstanceUID);
  } else {
    message.CommandField = DIMSE_N_SET_RQ;
    set->MessageID = number;
    set->DataSetType = DIMSE_DATASET_PRESENT;
    g_strlcpy (
        set->RequestedSOPClassUID, CLASS, sizeof set->RequestedSOPClassUID);
    g_strlcpy (set->RequestedSOPInstanceUID, instance,
        sizeof set->RequestedSOPInstanceUID);
  }
  return DIMSE_sendMessageUsingMemoryData (
      link->association, context, &message, NULL, data, NULL, NULL);
}

static void
limit_answer (void *data, unsigned long bytes)
{
  OctDicomLink *link = static_cast<OctDicomLink *> (data);

  if (bytes > MOST_ANSWER && !link->ended) {
    link->ended = TRUE;
    (void)ASC_abortAssociation (link->association);
  }
}

/* The status of the answer, and the error ID that it gives, or 0. */
static OFCondition
receive_answer (OctDicomLink *link, gboolean begins, DIC_US number,
    DIC_US *status, Uint16 *why)
{
  T_ASC_PresentationContextID context = 0;
  T_DIMSE_Message message;
  DcmDataset *detail = NULL, *data = NULL;
  OFCondition done;
  gboolean right, has_data;

  memset (&message, 0, sizeof message);
  done = DIMSE_receiveCommand (link->association, DIMSE_NONBLOCKING,
      link->timeout, &context, &message, &detail);
  if (detail != NULL)
    (void)detail->findAndGetUint16 (DCM_ErrorID, *why);
  delete detail;
  if (done.bad ())
    return done;
  if (begins) {
    right = message.CommandField == DIMSE_N_CREATE_RSP
            && message.msg.NCreateRSP.MessageIDBeingRespondedTo == number;
    *status = message.msg.NCreateRSP.DimseStatus;
    has_data = message.msg.NCreateRSP.DataSetType != DIMSE_DATASET_NULL;
  } else {
    right = message.CommandField == DIMSE_N_SET_RSP
            && message.msg.NSetRSP.MessageIDBeingRespondedTo == number;
    *status = message.msg.NSetRSP.DimseStatus;
    has_data = message.msg.NSetRSP.DataSetType != DIMSE_DATASET_NULL;
  }
  if (!right)
    return makeDcmnetCondition (
        DIMSEC_UNEXPECTEDRESPONSE, OF_error, "it answered another question");
  /* the attributes as the peer has them, of which none is asked for */
  if (has_data)
    done = DIMSE_receiveDataSetInMemory (link->association, DIMSE_NONBLOCKING,
        link->timeout, &context, &data, limit_answer, link);
  delete data;
  return done;
}

static OctDicomTold
judge (const OctDicomLink *link, gboolean begins, gboolean again, DIC_US status,
    Uint16 why, char **note, GError **error)
{
  const char *what = begins ? "N-CREATE" : "N-SET";

  if (status == STATUS_N_Success)
    return OCT_DICOM_STEP_TOLD;
  if (status == STATUS_N_Warning_RequestedOptionalAttributesNotSupported
      || status == STATUS_N_AttributeListError
      || status == STATUS_N_AttributeValueOutOfRange) {
    *note = g_strdup_printf (
        "%s took it, and has something to say, with the status %04Xh",
        link->name, status);
    return OCT_DICOM_STEP_TOLD;
  }
  /* the UID is of nobody else, so this is from a time when the answer was lost */
  if ((begins && status == STATUS_N_DuplicateSOPInstance)
      || (!begins && again && status == STATUS_N_ProcessingFailure
          && (why == 0 || why == ENDED))) {
    *note = g_strdup_printf ("%s knew it already", link->name);
    return OCT_DICOM_STEP_TOLD;
  }
  oct_dicom_link_refuse (link, what, status, error);
  return OCT_DICOM_STEP_REFUSED;
}

/* The order of the messages is by their names, so each has to be what its name says. */
static gboolean
step_has_name (const char *path, const char *instance, gboolean begins)
{
  g_autofree char *name = g_path_get_basename (path);
  g_autofree char *right =
      g_strconcat (instance, begins ? ".begin" : ".end", NULL);

  return g_str_equal (name, right);
}

OctDicomTold
oct_dicom_step_tell (OctDicomLink *link, const char *path, gboolean again,
    char **note, GError **error)
{
  T_ASC_PresentationContextID context =
      ASC_findAcceptedPresentationContextID (link->association, CLASS);
  DIC_US number = link->association->nextMsgID++;
  DcmFileFormat file;
  OFString instance, state;
  OFCondition done;
  gboolean begins = FALSE;
  DIC_US status = 0xffff;
  Uint16 why = 0;

  *note = NULL;
  if (!step_load (path, &file)
      || file.getMetaInfo ()
             ->findAndGetOFString (DCM_MediaStorageSOPInstanceUID, instance)
             .bad ()
      || !oct_dicom_is_uid (instance.c_str ())
      || file.getDataset ()
             ->findAndGetOFString (DCM_PerformedProcedureStepStatus, state)
             .bad ()
      || !step_has_name (
          path, instance.c_str (), begins = state == "IN PROGRESS")) {
    oct_dicom_link_set_error (error, OCT_DICOM_ERROR_FILE,
        "'%s' is not a message of a step any more; remove it", path);
    return OCT_DICOM_STEP_REFUSED;
  }
  done = send_step (
      link, context, begins, instance.c_str (), file.getDataset (), number);
  if (done.good ())
    done = receive_answer (link, begins, number, &status, &why);
  if (done.good ())
    return judge (link, begins, again, status, why, note, error);
  oct_dicom_link_fail (link, done, begins ? "N-CREATE" : "N-SET", error);
  return OCT_DICOM_STEP_BROKEN;
}
