/* SPDX-License-Identifier: LGPL-2.1-or-later */
/** The common parts of the DICOM files of volumes and of pictures en face.
 * C++, for core/io/oct-volume-file-dicom*.cc alone. */
#pragma once

#include <dcmtk/config/osconfig.h>

#include <dcmtk/dcmdata/dctk.h>

extern "C" {
#include "oct-volume-file-kinds.h"
}

/* One dataset with the first thing that went wrong: the calls are many and
 * fail for one reason alone, memory. */
struct Writer {
  DcmItem *item;
  OFBool ok;

  void text (const DcmTagKey &key, const char *value)
  {
    ok = ok && item->putAndInsertString (key, value).good ();
  }
  void number (const DcmTagKey &key, double value)
  {
    char digits[G_ASCII_DTOSTR_BUF_SIZE];

    text (key, g_ascii_formatd (digits, sizeof digits, "%.9g", value));
  }
  void real (const DcmTagKey &key, float value)
  {
    ok = ok && item->putAndInsertFloat32 (key, value).good ();
  }
  void long_real (const DcmTagKey &key, double value)
  {
    ok = ok && item->putAndInsertFloat64 (key, value).good ();
  }
  void count (const DcmTagKey &key, Uint16 value)
  {
    ok = ok && item->putAndInsertUint16 (key, value).good ();
  }
  void long_count (const DcmTagKey &key, Uint32 value)
  {
    ok = ok && item->putAndInsertUint32 (key, value).good ();
  }
  void long_count_2 (const DcmTagKey &key, Uint32 first, Uint32 second)
  {
    DcmElement *element = NULL;

    long_count (key, first);
    ok = ok && item->findAndGetElement (key, element).good ()
         && element->putUint32 (second, 1).good ();
  }
  void empty (const DcmTagKey &key)
  {
    ok = ok && item->insertEmptyElement (key).good ();
  }
  /* a new item at the end of a sequence */
  Writer in (const DcmTagKey &sequence)
  {
    DcmItem *inner = NULL;
    OFBool made = item->findOrCreateSequenceItem (sequence, inner, -2).good ();

    ok = ok && made && inner != NULL;
    return Writer{ inner, ok };
  }
  void code (const DcmTagKey &sequence, const char *value, const char *scheme,
      const char *meaning)
  {
    Writer inner = in (sequence);

    if (!inner.ok)
      return;
    inner.text (DCM_CodeValue, value);
    inner.text (DCM_CodingSchemeDesignator, scheme);
    inner.text (DCM_CodeMeaning, meaning);
    ok = ok && inner.ok;
  }
};

typedef struct {
  char date[16], time[16], both[32];
} Moment;

/* The modules of patient, study and series; `modality`: of the series. */
void oct_dicom_put_patient_and_study (Writer &w, const OctVolumeFileInfo *info,
    const Moment *now, const char *modality);

/* The tags of the user, over those of before: OCT_ERROR_SETTINGS. */
gboolean oct_dicom_put_tags (
    DcmItem *item, const OctVolumeFileInfo *info, GError **error);

/* That names, identifiers and dates were left out, and by which rules. */
void oct_dicom_put_deidentified (Writer &w);

/* Equipment and synchronization. */
void oct_dicom_put_equipment (Writer &w);

/* The attributes of every image and of its pixels: grey levels of 8 or 16 bit,
 * `frames` frames. */
void oct_dicom_put_pixel_format (Writer &w, const OctVolumeFileInfo *info,
    const Moment *now, const char *image_class, const char *image_type);

/* The attributes required of every ophthalmic instrument, and the eye. */
void oct_dicom_put_eye (Writer &w);

/* Whether a picture en face can be written: OCT_ERROR_SETTINGS. */
gboolean oct_dicom_check_enface (const OctVolumeFileInfo *info, GError **error);

/* Patient, study and eye of the DICOM file `path`, a volume, and a reference to
 * it.  OCT_ERROR_READ, _FORMAT. */
gboolean oct_dicom_put_source (DcmItem *item, const char *path, GError **error);

/* All modules of a picture en face but its pixels. */
void oct_dicom_put_enface (
    Writer &w, const OctVolumeFileInfo *info, const Moment *now);
