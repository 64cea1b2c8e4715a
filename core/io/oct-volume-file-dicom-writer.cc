/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The modules that both kinds of DICOM files have. */
#include "oct-volume-file-dicom-writer.h"

void
oct_dicom_put_patient_and_study (Writer &w, const OctVolumeFileInfo *info,
    const Moment *now, const char *modality)
{
  static const DcmTagKey unknown[] = { DCM_PatientName, DCM_PatientID,
    DCM_PatientBirthDate, DCM_PatientSex, DCM_ReferringPhysicianName,
    DCM_AccessionNumber };

  for (const DcmTagKey &key : unknown)
    w.empty (key);
  w.text (DCM_StudyInstanceUID, info->study_uid);
  w.text (DCM_StudyID, "1");
  w.text (DCM_StudyDate, now->date);
  w.text (DCM_StudyTime, now->time);
  w.text (DCM_SeriesInstanceUID, info->series_uid);
  w.text (DCM_SeriesNumber, "1");
  w.text (DCM_Modality, modality);
}

void
oct_dicom_put_deidentified (Writer &w)
{
  w.text (DCM_PatientIdentityRemoved, "YES");
  w.code (DCM_DeidentificationMethodCodeSequence, "113100", "DCM",
      "Basic Application Confidentiality Profile");
  w.text (DCM_LongitudinalTemporalInformationModified, "REMOVED");
}

void
oct_dicom_put_equipment (Writer &w)
{
  g_autofree char *uid = oct_volume_file_make_uid ();

  w.text (DCM_Manufacturer, "gst-oct");
  w.text (DCM_ManufacturerModelName, "octvolumesink");
  w.text (DCM_DeviceSerialNumber, "0");
  w.text (DCM_SoftwareVersions, "gst-oct");
  w.text (DCM_SynchronizationFrameOfReferenceUID, uid);
  w.text (DCM_SynchronizationTrigger, "NO TRIGGER");
  w.text (DCM_AcquisitionTimeSynchronized, "N");
}

void
oct_dicom_put_pixel_format (Writer &w, const OctVolumeFileInfo *info,
    const Moment *now, const char *image_class, const char *image_type)
{
  Uint16 bits = info->voxel == OCT_SAMPLE_U8 ? 8 : 16;
  g_autofree char *uid = oct_volume_file_make_uid ();
  g_autofree char *number =
      g_strdup_printf ("%u", (guint)(info->number % G_MAXINT32 + 1));
  g_autofree char *frames = g_strdup_printf ("%u", info->bscans);

  w.text (DCM_SOPClassUID, image_class);
  w.text (DCM_SOPInstanceUID, uid);
  w.text (DCM_InstanceNumber, number);
  w.text (DCM_SpecificCharacterSet, "ISO_IR 192");
  w.text (DCM_ImageType, image_type);
  w.text (DCM_ContentDate, now->date);
  w.text (DCM_ContentTime, now->time);
  w.text (DCM_AcquisitionDateTime, now->both);
  w.text (DCM_AcquisitionNumber, number);
  w.count (DCM_SamplesPerPixel, 1);
  w.text (DCM_PhotometricInterpretation, "MONOCHROME2");
  w.text (DCM_NumberOfFrames, frames);
  w.count (DCM_Rows, (Uint16)info->rows);
  w.count (DCM_Columns, (Uint16)info->columns);
  w.count (DCM_BitsAllocated, bits);
  w.count (DCM_BitsStored, bits);
  w.count (DCM_HighBit, bits - 1);
  w.count (DCM_PixelRepresentation, 0);
  w.text (DCM_PresentationLUTShape, "IDENTITY");
  w.text (DCM_LossyImageCompression, "00");
  w.text (DCM_BurnedInAnnotation, "NO");
}

void
oct_dicom_put_eye (Writer &w)
{
  w.empty (DCM_HorizontalFieldOfView);
  w.empty (DCM_RefractiveStateSequence);
  w.empty (DCM_EmmetropicMagnification);
  w.empty (DCM_IntraOcularPressure);
  w.empty (DCM_PupilDilated);
  w.code (DCM_AcquisitionDeviceTypeCodeSequence, "392012008", "SCT",
      "Optical Coherence Tomography Scanner");
  w.empty (DCM_LightPathFilterTypeStackCodeSequence);
  w.text (DCM_DetectorType, "CMOS");
  w.text (DCM_ImageLaterality, "B");
  w.code (DCM_AnatomicRegionSequence, "81745001", "SCT", "Eye");
}
