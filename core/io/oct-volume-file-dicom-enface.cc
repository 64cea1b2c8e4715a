/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* DICOM: a picture en face as an Ophthalmic Photography Image of 8 or 16 bit
 * (PS3.3, A.41 and A.42).
 *
 * There is an image of its own for pictures en face (A.83), but it has to name
 * the surface mesh that the slab was cut along, an instance of Surface
 * Segmentation, and the layer of the retina that it is: neither exists here, and
 * a reference to an instance that does not exist is wrong.  The photograph asks
 * for nothing that is not known or may not be empty. */
#include "oct-volume-file-dicom-writer.h"

/* Attributes of a picture that was measured, in the scanner's own coordinates.
 */
static void
put_photograph (Writer &w, const OctVolumeFileInfo *info)
{
  /* between rows, which are B-scans, then between columns; mm */
  char row[G_ASCII_DTOSTR_BUF_SIZE], column[G_ASCII_DTOSTR_BUF_SIZE];
  g_autofree char *spacing = g_strdup_printf ("%s\\%s",
      g_ascii_formatd (row, sizeof row, "%.9g", info->y_spacing * 1e3),
      g_ascii_formatd (column, sizeof column, "%.9g", info->x_spacing * 1e3));

  w.text (DCM_PixelSpacing, spacing);
  /* as in volumes: A-lines go to the left of the patient, B-scans down */
  w.text (DCM_PatientOrientation, "L\\F");
  w.text (DCM_DerivationDescription, "En face projection of an OCT volume");
  /* The source image is not known, unless it is put over this.  The module of
   * this image wants it empty then (C.8.17.2). */
  w.empty (DCM_SourceImageSequence);
  /* the module of frames asks for their distance in time, even of one */
  w.number (DCM_FrameTime, info->bscan_time * 1e3);
  w.ok =
      w.ok
      && w.item->putAndInsertTagKey (DCM_FrameIncrementPointer, DCM_FrameTime)
             .good ();
}

/* The tags that a picture shares with the volume that it shows. */
static const DcmTagKey shared[] = { DCM_PatientName, DCM_PatientID,
  DCM_PatientBirthDate, DCM_PatientSex, DCM_ReferringPhysicianName,
  DCM_AccessionNumber, DCM_StudyInstanceUID, DCM_StudyID, DCM_StudyDate,
  DCM_StudyTime, DCM_ImageLaterality };

static gboolean
read_source (DcmFileFormat &file, const char *path, GError **error)
{
  g_autofree char *name = g_filename_display_name (path);
  DcmDataset *dataset = file.getDataset ();
  OFString found;
  /* long values, as those of pixels, stay in the file */
  OFCondition read = file.loadFile (path);

  if (read.bad ()) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_READ,
        "%s cannot be read as a DICOM file (%s); set `dicom-source` to that of "
        "the volume, which has to be written before the picture",
        name, read.text ());
    return FALSE;
  }
  if (dataset->findAndGetOFString (DCM_SOPClassUID, found).good ()
      && found == UID_OphthalmicTomographyImageStorage
      && dataset->tagExistsWithValue (DCM_SOPInstanceUID)
      && dataset->tagExistsWithValue (DCM_StudyInstanceUID)
      && dataset->convertToUTF8 ().good ())
    return TRUE;
  g_set_error (error, OCT_ERROR, OCT_ERROR_FORMAT,
      "%s is '%s', and not a volume with its study; set `dicom-source` to a "
      "file of Ophthalmic Tomography Image Storage",
      name, dcmFindNameOfUID (found.c_str (), "of an unknown kind"));
  return FALSE;
}

gboolean
oct_dicom_put_source (DcmItem *item, const char *path, GError **error)
{
  DcmFileFormat file;
  DcmDataset *source = file.getDataset ();
  OFString sop_class, instance, value;

  if (!read_source (file, path, error))
    return FALSE;
  for (const DcmTagKey &key : shared)
    if (source->findAndGetOFStringArray (key, value).good ())
      (void)item->putAndInsertOFStringArray (key, value);
  (void)source->findAndGetOFString (DCM_SOPClassUID, sop_class);
  (void)source->findAndGetOFString (DCM_SOPInstanceUID, instance);
  (void)item->findAndDeleteElement (DCM_SourceImageSequence);
  Writer w = { item, OFTrue };
  Writer reference = w.in (DCM_SourceImageSequence);
  if (reference.ok) {
    reference.text (DCM_ReferencedSOPClassUID, sop_class.c_str ());
    reference.text (DCM_ReferencedSOPInstanceUID, instance.c_str ());
    reference.code (DCM_PurposeOfReferenceCodeSequence, "121322", "DCM",
        "Source image for image processing operation");
  }
  if (reference.ok)
    return TRUE;
  g_set_error (error, OCT_ERROR, OCT_ERROR_MEMORY,
      "DCMTK could not refer to %s, for which the memory may be too small; "
      "leave `dicom-source` out",
      path);
  return FALSE;
}

/* The attributes that the standard requires of a camera. */
static void
put_camera (Writer &w)
{
  w.empty (DCM_PatientEyeMovementCommanded);
  w.empty (DCM_IlluminationTypeCodeSequence);
  w.empty (DCM_ImagePathFilterTypeStackCodeSequence);
  w.empty (DCM_LensesCodeSequence);
}

gboolean
oct_dicom_check_enface (const OctVolumeFileInfo *info, GError **error)
{
  if (info->bscans > 1) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "A DICOM file holds one picture en face, and `bscans` asks for %u; set "
        "`bscans` of octvolumesink to 0",
        info->bscans);
    return FALSE;
  }
  if (info->deidentify && info->source != NULL && *info->source != '\0') {
    g_set_error_literal (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "A picture en face without identity cannot take the patient and the "
        "study of its volume; leave out `dicom-source` or `deidentify`");
    return FALSE;
  }
  if (info->x_spacing > 0.0 && info->y_spacing > 0.0)
    return TRUE;
  g_set_error_literal (error, OCT_ERROR, OCT_ERROR_SETTINGS,
      "A DICOM file has to say how far the pixels of a picture en face are "
      "apart; set `x-spacing` and `y-spacing` of octenface, to what is between "
      "A-lines and between B-scans");
  return FALSE;
}

void
oct_dicom_put_enface (
    Writer &w, const OctVolumeFileInfo *info, const Moment *now)
{
  oct_dicom_put_patient_and_study (w, info, now, "OP");
  oct_dicom_put_equipment (w);
  oct_dicom_put_pixel_format (w, info, now,
      info->voxel == OCT_SAMPLE_U8 ? UID_OphthalmicPhotography8BitImageStorage
                                   : UID_OphthalmicPhotography16BitImageStorage,
      "DERIVED\\PRIMARY\\EN_FACE");
  put_photograph (w, info);
  oct_dicom_put_eye (w);
  put_camera (w);
}
