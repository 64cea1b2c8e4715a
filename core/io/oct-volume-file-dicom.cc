/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* DICOM: an Ophthalmic Tomography Image (PS3.3, A.52.4), a frame per B-scan.
 * The standard names the attributes of such a file; unknown attributes are
 * empty if that is allowed, and can be given by their keywords.  Pictures en
 * face are images of another kind (oct-volume-file-dicom-enface.cc). */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <dcmtk/dcmdata/dcostrmf.h>
#include <dcmtk/dcmdata/dcwcache.h>

#include "oct-volume-file-dicom-writer.h"

/* --------------------------------------------------------------------- tags */

/* Whether a tag describes how the file is made, or its pixels. */
static gboolean
dicom_is_ours (const DcmTag &tag)
{
  static const DcmTagKey keys[] = { DCM_SOPClassUID, DCM_SOPInstanceUID,
    DCM_SpecificCharacterSet, DCM_ImageType, DCM_Modality,
    DCM_FrameOfReferenceUID, DCM_ConcatenationUID };
  guint group = tag.getGroup ();

  for (const DcmTagKey &key : keys)
    if (tag == key)
      return TRUE;
  return group == 0x0002 || group == 0x0028 || group == 0x5200
         || group == 0x7fe0 || tag.getVR ().getEVR () == EVR_SQ;
}

/* The tags that stay in a file without identity: those that describe the
 * instrument, the eye and the scan, and that table E.1-1 of PS3.15 does not
 * name.  Only what is in this list stays, as texts of the user may hold any
 * name. */
static gboolean
is_impersonal (const DcmTag &tag)
{
  static const DcmTagKey keys[] = { DCM_ImageLaterality, DCM_Laterality,
    DCM_BodyPartExamined, DCM_Manufacturer, DCM_ManufacturerModelName,
    DCM_AxialLengthOfTheEye, DCM_HorizontalFieldOfView, DCM_PupilDilated,
    DCM_IntraOcularPressure, DCM_EmmetropicMagnification, DCM_DetectorType,
    DCM_IlluminationWaveLength, DCM_IlluminationPower,
    DCM_IlluminationBandwidth, DCM_DepthSpatialResolution,
    DCM_MaximumDepthDistortion, DCM_AlongScanSpatialResolution,
    DCM_MaximumAlongScanDistortion, DCM_AcrossScanSpatialResolution,
    DCM_MaximumAcrossScanDistortion };

  for (const DcmTagKey &key : keys)
    if (tag == key)
      return TRUE;
  return FALSE;
}

/* `deidentify`: a tag that may name a person is checked, but not put. */
static gboolean
put_tag (DcmItem *item, const char *text, gboolean deidentify, GError **error)
{
  const char *equals = strchr (text, '=');
  g_autofree char *keyword =
      equals != NULL ? g_strndup (text, (gsize)(equals - text)) : NULL;
  DcmElement *element = NULL;
  DcmDataset aside;
  DcmTag tag;

  if (keyword != NULL)
    g_strstrip (keyword);
  if (keyword == NULL || *keyword == '\0'
      || DcmTag::findTagFromName (keyword, tag).bad ()) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "'%s' is no attribute of DICOM; set `dicom-tags` to a text such as "
        "PatientName=Doe^Jane;PatientID=42;ImageLaterality=R",
        text);
    return FALSE;
  }
  if (dicom_is_ours (tag)) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "The DICOM attribute %s follows from the data and cannot be set; leave "
        "it out of `dicom-tags`",
        keyword);
    return FALSE;
  }
  if (deidentify && !is_impersonal (tag)) {
    (void)aside.putAndInsertString (DCM_SpecificCharacterSet, "ISO_IR 192");
    item = &aside;
  }
  if (item->putAndInsertString (tag, equals + 1).good ()
      && item->findAndGetElement (tag, element).good ()
      && element->checkValue ("1-n").good ())
    return TRUE;
  g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
      "The DICOM attribute %s cannot be '%s'; correct it in `dicom-tags`",
      keyword, equals + 1);
  return FALSE;
}

gboolean
oct_dicom_put_tags (
    DcmItem *item, const OctVolumeFileInfo *info, GError **error)
{
  g_auto (GStrv) list =
      g_strsplit (info->tags != NULL ? info->tags : "", ";", -1);

  /* UTF-8 is checked, as it is written: names have more than ASCII */
  (void)item->putAndInsertString (DCM_SpecificCharacterSet, "ISO_IR 192");
  for (guint i = 0; list[i] != NULL; i++)
    if (*g_strstrip (list[i]) != '\0'
        && !put_tag (item, list[i], info->deidentify, error))
      return FALSE;
  return TRUE;
}

/* ------------------------------------------------------------------ modules */

/* `deidentify`: a date that is none, as some attributes may not be empty. */
static void
get_moment (Moment *moment, gboolean deidentify)
{
  g_autoptr (GDateTime) now = deidentify
                                  ? g_date_time_new_utc (1900, 1, 1, 0, 0, 0.0)
                                  : g_date_time_new_now_local ();
  g_autofree char *date = g_date_time_format (now, "%Y%m%d");
  g_autofree char *time = g_date_time_format (now, "%H%M%S");

  g_strlcpy (moment->date, date, sizeof moment->date);
  g_strlcpy (moment->time, time, sizeof moment->time);
  g_snprintf (moment->both, sizeof moment->both, "%s%s", date, time);
}

static void
put_volume (Writer &w, const OctVolumeFileInfo *info)
{
  g_autofree char *concatenation = oct_volume_file_make_uid ();
  g_autofree char *source = oct_volume_file_make_uid ();

  w.long_real (DCM_AcquisitionDuration, info->bscan_time * info->bscans);
  w.empty (DCM_AcquisitionContextSequence);
  /* The module of this image asks for a concatenation (C.8.17.7), of one file
   * if all of it is in one. */
  w.text (DCM_ConcatenationUID, concatenation);
  w.text (DCM_SOPInstanceUIDOfConcatenationSource, source);
  w.long_count (DCM_ConcatenationFrameOffsetNumber, 0);
  w.count (DCM_InConcatenationNumber, 1);
  w.count (DCM_InConcatenationTotalNumber, 1);
}

/* The attributes that the standard requires of a tomograph.  Resolutions are
 * the distances of the voxels, in um, as nothing else is known. */
static void
put_tomograph (Writer &w, const OctVolumeFileInfo *info)
{
  w.empty (DCM_AxialLengthOfTheEye);
  w.real (DCM_IlluminationWaveLength, 0.0f);
  w.real (DCM_IlluminationPower, 0.0f);
  w.real (DCM_IlluminationBandwidth, 0.0f);
  w.real (DCM_DepthSpatialResolution, (float)(info->z_spacing * 1e6));
  w.real (DCM_MaximumDepthDistortion, 0.0f);
  w.real (DCM_AlongScanSpatialResolution, (float)(info->x_spacing * 1e6));
  w.real (DCM_MaximumAlongScanDistortion, 0.0f);
  w.real (DCM_AcrossScanSpatialResolution, (float)(info->y_spacing * 1e6));
  w.real (DCM_MaximumAcrossScanDistortion, 0.0f);
}

/* The standard has an attribute for the index in images of vessels alone, and
 * none for repeats. */
static void
put_comments (Writer &w, const OctVolumeFileInfo *info)
{
  char number[G_ASCII_DTOSTR_BUF_SIZE];
  g_autoptr (GString) text = g_string_new (NULL);

  if (info->repeats > 1)
    g_string_append_printf (text, "repeats %u", info->repeats);
  if (info->refractive_index > 0.0)
    g_string_append_printf (text,
        "%sDepths in air were divided by the refractive index %s",
        text->len > 0 ? "; " : "",
        g_ascii_formatd (
            number, sizeof number, "%.9g", info->refractive_index));
  if (text->len > 0)
    w.text (DCM_ImageComments, text->str);
}

/* ----------------------------------------------------------- where frames are
 */

static void
put_dimensions (Writer &w)
{
  g_autofree char *uid = oct_volume_file_make_uid ();
  Writer organization = w.in (DCM_DimensionOrganizationSequence);

  if (organization.ok)
    organization.text (DCM_DimensionOrganizationUID, uid);
  for (guint i = 0; i < 2; i++) {
    Writer index = w.in (DCM_DimensionIndexSequence);

    if (!index.ok)
      break;
    index.text (DCM_DimensionOrganizationUID, uid);
    w.ok = w.ok
           && index.item
                  ->putAndInsertTagKey (DCM_DimensionIndexPointer,
                      i == 0 ? DCM_StackID : DCM_InStackPositionNumber)
                  .good ()
           && index.item
                  ->putAndInsertTagKey (
                      DCM_FunctionalGroupPointer, DCM_FrameContentSequence)
                  .good ();
  }
}

static void
put_shared_groups (
    Writer &w, const OctVolumeFileInfo *info, const char *laterality)
{
  Writer shared = w.in (DCM_SharedFunctionalGroupsSequence);
  /* rows are depths; mm */
  g_autofree char *pixels = NULL;
  char row[G_ASCII_DTOSTR_BUF_SIZE], column[G_ASCII_DTOSTR_BUF_SIZE];

  if (!shared.ok)
    return;
  pixels = g_strdup_printf ("%s\\%s",
      g_ascii_formatd (row, sizeof row, "%.9g", info->z_spacing * 1e3),
      g_ascii_formatd (column, sizeof column, "%.9g", info->x_spacing * 1e3));
  Writer measures = shared.in (DCM_PixelMeasuresSequence);
  if (measures.ok) {
    measures.text (DCM_PixelSpacing, pixels);
    measures.number (DCM_SliceThickness, info->y_spacing * 1e3);
  }
  /* A-lines run towards the patient's left, depth towards the back */
  Writer orientation = shared.in (DCM_PlaneOrientationSequence);
  if (orientation.ok)
    orientation.text (DCM_ImageOrientationPatient, "1\\0\\0\\0\\1\\0");
  Writer anatomy = shared.in (DCM_FrameAnatomySequence);
  if (anatomy.ok) {
    anatomy.text (DCM_FrameLaterality, laterality);
    anatomy.code (DCM_AnatomicRegionSequence, "81745001", "SCT", "Eye");
  }
  w.ok = measures.ok && orientation.ok && anatomy.ok;
}

static void
put_frame_groups (
    Writer &w, const OctVolumeFileInfo *info, guint bscan, const Moment *now)
{
  Writer frame = w.in (DCM_PerFrameFunctionalGroupsSequence);
  char down[G_ASCII_DTOSTR_BUF_SIZE];
  g_autofree char *position = NULL;

  if (!frame.ok)
    return;
  Writer content = frame.in (DCM_FrameContentSequence);
  if (content.ok) {
    content.text (DCM_FrameReferenceDateTime, now->both);
    content.text (DCM_FrameAcquisitionDateTime, now->both);
    content.long_real (DCM_FrameAcquisitionDuration, info->bscan_time * 1e3);
    content.text (DCM_StackID, "1");
    content.long_count (DCM_InStackPositionNumber, bscan + 1);
    content.long_count_2 (DCM_DimensionIndexValues, 1, bscan + 1);
  }
  /* B-scans go down */
  position = g_strdup_printf (
      "0\\0\\%s", g_ascii_formatd (down, sizeof down, "%.9g",
                      bscan > 0 ? -1e3 * info->y_spacing * bscan : 0.0));
  Writer place = frame.in (DCM_PlanePositionSequence);
  if (place.ok)
    place.text (DCM_ImagePositionPatient, position);
  w.ok = w.ok && content.ok && place.ok;
}

/* --------------------------------------------------------------------- file */

static OFBool
put_pixels (DcmItem *item, const OctVolumeFileInfo *info, const guint8 *voxels)
{
  guint64 size = oct_volume_file_get_size (info);

  if (info->voxel == OCT_SAMPLE_U8)
    return item
        ->putAndInsertUint8Array (DCM_PixelData, voxels, (unsigned long)size)
        .good ();
  return item
      ->putAndInsertUint16Array (DCM_PixelData,
          reinterpret_cast<const Uint16 *> (voxels), (unsigned long)(size / 2))
      .good ();
}

/* `tags`: what is said besides, which frames may have to repeat. */
static OFBool
dicom_fill (
    DcmItem *item, DcmItem *tags, OctVolumeFileInfo *info, const guint8 *voxels)
{
  OFString laterality;

  Writer w = { item, OFTrue };
  Moment now;
  g_autofree char *place = oct_volume_file_make_uid ();

  get_moment (&now, info->deidentify);
  if (info->deidentify)
    oct_dicom_put_deidentified (w);
  if (info->view == OCT_VOLUME_VIEW_ENFACE) {
    oct_dicom_put_enface (w, info, &now);
    return w.ok && put_pixels (item, info, voxels);
  }
  if (tags->findAndGetOFString (DCM_ImageLaterality, laterality).bad ()
      || laterality.empty ())
    laterality = "B";
  oct_dicom_put_patient_and_study (w, info, &now, "OPT");
  oct_dicom_put_equipment (w);
  oct_dicom_put_pixel_format (
      w, info, &now, UID_OphthalmicTomographyImageStorage, "ORIGINAL\\PRIMARY");
  put_volume (w, info);
  oct_dicom_put_eye (w);
  put_tomograph (w, info);
  /* the profile leaves out comments, whatever they say */
  if (!info->deidentify)
    put_comments (w, info);
  w.text (DCM_FrameOfReferenceUID, place);
  w.empty (DCM_PositionReferenceIndicator);
  put_dimensions (w);
  put_shared_groups (w, info, laterality.c_str ());
  for (guint i = 0; w.ok && i < info->bscans; i++)
    put_frame_groups (w, info, i, &now);
  return w.ok && put_pixels (item, info, voxels);
}

extern "C" gboolean
oct_volume_file_check_dicom (const OctVolumeFileInfo *info, GError **error)
{
  DcmDataset dataset;

  if (!dcmDataDict.isDictionaryLoaded ()) {
    g_set_error_literal (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "The dictionary of DCMTK is missing, without which no DICOM file can "
        "be written; install it (Debian: libdcmtk17 or later), or set "
        "DCMDICTPATH to it");
    return FALSE;
  }
  if (info->view == OCT_VOLUME_VIEW_ENFACE)
    return oct_dicom_check_enface (info, error)
           && oct_dicom_put_tags (&dataset, info, error);
  if (!(info->x_spacing > 0.0 && info->y_spacing > 0.0
          && info->z_spacing > 0.0)) {
    g_set_error_literal (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "A DICOM file has to say how large its voxels are; set `x-spacing`, "
        "`y-spacing` and `z-spacing`");
    return FALSE;
  }
  return oct_dicom_put_tags (&dataset, info, error);
}

/* Through a stream of our own: DCMTK keeps to itself what fails while its own
 * is flushed and closed. */
static gboolean
save_file (DcmFileFormat &file, int fd, const char *path, guint64 *least,
    GError **error)
{
  /* the stream of DCMTK closes its file */
  int own = dup (fd);
  FILE *out = own >= 0 ? fdopen (own, "wb") : NULL;
  gboolean ok = out != NULL;
  int code = errno;

  if (out != NULL) {
    DcmOutputFileStream stream (out);
    DcmWriteCache cache;

    errno = 0;
    file.transferInit ();
    ok = file.write (stream, EXS_LittleEndianExplicit, EET_ExplicitLength,
                 &cache, EGL_recalcGL, EPD_withoutPadding, 0, 0)
             .good ();
    file.transferEnd ();
    ok = fflush (out) == 0 && ferror (out) == 0 && ok;
    code = errno;
    *least = MAX (*least, (guint64)stream.tell ());
  } else if (own >= 0) {
    close (own);
  }
  if (!ok)
    oct_volume_file_set_error (error, path, code);
  return ok;
}

extern "C" gboolean
oct_volume_file_write_dicom (const OctVolumeFileInfo *given,
    const guint8 *voxels, int fd, const char *path, guint64 *least,
    GError **error)
{
  OctVolumeFileInfo info = *given;
  g_autofree char *study = oct_volume_file_make_uid ();
  g_autofree char *series = oct_volume_file_make_uid ();
  DcmFileFormat file;
  DcmDataset *dataset = file.getDataset ();
  DcmDataset tags;

  if (info.study_uid == NULL)
    info.study_uid = study;
  if (info.series_uid == NULL)
    info.series_uid = series;
  if (!oct_dicom_put_tags (&tags, &info, error))
    return FALSE;
  if (!dicom_fill (dataset, &tags, &info, voxels)) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_WRITE,
        "DCMTK could not put together the DICOM file '%s', for which the "
        "memory may be too small; set `format` to nifti or npy",
        path);
    return FALSE;
  }
  if (info.view == OCT_VOLUME_VIEW_ENFACE && info.source != NULL
      && *info.source != '\0'
      && !oct_dicom_put_source (dataset, info.source, error))
    return FALSE;
  if (!oct_dicom_put_tags (dataset, &info, error))
    return FALSE;
  return save_file (file, fd, path, least, error);
}
