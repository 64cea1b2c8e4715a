/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-volume-file-dicom-writer.h"

#include <dcmtk/dcmdata/dcostrmb.h>
#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <sys/stat.h>
#include <unistd.h>

extern "C" {
#include "oct-file-write.h"
#include "oct-file.h"
#include "oct-video-file.h"
}

#define BLOCK (1u << 20)

static void
put_film (Writer &w, const OctVideoInfo *info, guint64 bytes, const Moment *now)
{
  g_autofree char *uid = oct_volume_file_make_uid ();
  g_autofree char *frames = g_strdup_printf ("%u", info->frames);
  /* of whole frames, as the attribute is an integer */
  g_autofree char *rate =
      g_strdup_printf ("%.0f", MAX (1.0 / info->frame_time, 1.0));
  double raw = 3.0 * info->rows * info->columns * info->frames;

  w.text (DCM_SOPClassUID, UID_VideoPhotographicImageStorage);
  w.text (DCM_SOPInstanceUID, uid);
  w.text (DCM_SpecificCharacterSet, "ISO_IR 192");
  w.text (DCM_InstanceNumber, "1");
  w.text (DCM_ImageType, "ORIGINAL\\PRIMARY");
  w.text (DCM_ContentDate, now->date);
  w.text (DCM_ContentTime, now->time);
  w.text (DCM_AcquisitionDateTime, now->both);
  w.empty (DCM_PatientOrientation);
  w.empty (DCM_AcquisitionContextSequence);
  w.text (DCM_Manufacturer, "gst-oct");
  /* of both eyes, until the tags say which */
  w.text (DCM_ImageLaterality, "B");
  w.code (DCM_AnatomicRegionSequence, "81745001", "SCT", "Eye");
  w.text (DCM_NumberOfFrames, frames);
  w.number (DCM_FrameTime, info->frame_time * 1e3);
  w.text (DCM_CineRate, rate);
  w.text (DCM_RecommendedDisplayFrameRate, rate);
  w.ok =
      w.ok
      && w.item->putAndInsertTagKey (DCM_FrameIncrementPointer, DCM_FrameTime)
             .good ();
  w.count (DCM_SamplesPerPixel, 3);
  w.text (DCM_PhotometricInterpretation, "YBR_PARTIAL_420");
  w.count (DCM_PlanarConfiguration, 0);
  w.count (DCM_Rows, (Uint16)info->rows);
  w.count (DCM_Columns, (Uint16)info->columns);
  w.count (DCM_BitsAllocated, 8);
  w.count (DCM_BitsStored, 8);
  w.count (DCM_HighBit, 7);
  w.count (DCM_PixelRepresentation, 0);
  w.text (DCM_LossyImageCompression, "01");
  w.number (DCM_LossyImageCompressionRatio, raw / (double)MAX (bytes, 1));
  w.text (DCM_LossyImageCompressionMethod, "ISO_14496_10");
}

/* Everything but the pixels, as the bytes of the file's begin; NULL with an error. */
static GBytes *
make_head (const OctVideoInfo *info, const struct stat *film, GError **error)
{
  g_autofree char *study = oct_volume_file_make_uid ();
  g_autofree char *series = oct_volume_file_make_uid ();
  OctVolumeFileInfo volume = {};
  g_autoptr (GDateTime) time =
      g_date_time_new_from_unix_local (film->st_mtim.tv_sec);
  g_autofree char *both = g_date_time_format (time, "%Y%m%d%H%M%S");
  Moment moment;
  DcmFileFormat file;
  DcmDataset *data = file.getDataset ();
  Writer w = { data, OFTrue };
  void *start = NULL;
  offile_off_t length = 0;

  volume.study_uid = study;
  volume.series_uid = series;
  volume.tags = info->tags;
  g_strlcpy (moment.both, both, sizeof moment.both);
  g_strlcpy (moment.date, both, 9);
  g_strlcpy (moment.time, both + 8, 7);
  oct_dicom_put_patient_and_study (w, &volume, &moment, "XC");
  put_film (w, info, (guint64)film->st_size, &moment);
  if (w.ok && !oct_dicom_put_tags (data, &volume, error))
    return NULL;
  Uint32 most =
      data->calcElementLength (EXS_LittleEndianExplicit, EET_UndefinedLength)
      + 4096;
  char *bytes = (char *)g_malloc (most);
  DcmOutputBufferStream stream (bytes, most);
  file.transferInit ();
  if (w.ok
      && file.write (stream, EXS_MPEG4HighProfileLevel4_1, EET_UndefinedLength,
                 NULL, EGL_recalcGL, EPD_withoutPadding, 0, 0)
             .good ()) {
    file.transferEnd ();
    stream.flushBuffer (start, length);
    return g_bytes_new_take (bytes, (gsize)length);
  }
  g_free (bytes);
  g_set_error_literal (error, OCT_ERROR, OCT_ERROR_MEMORY,
      "DCMTK could not put together the DICOM file of a film, for which the "
      "memory may be too small");
  return NULL;
}

/* One element with an empty table of offsets and one fragment, which has an even
 * number of bytes.  Little endian. */
static int
write_film (int from, guint64 size, int to)
{
  const guint32 padded = (guint32)(size + size % 2);
  const guint8 begin[] = { 0xe0, 0x7f, 0x10, 0x00, 'O', 'B', 0, 0, 0xff, 0xff,
    0xff, 0xff, 0xfe, 0xff, 0x00, 0xe0, 0, 0, 0, 0, 0xfe, 0xff, 0x00, 0xe0,
    (guint8)padded, (guint8)(padded >> 8), (guint8)(padded >> 16),
    (guint8)(padded >> 24) };
  /* the padding, and the end of the element */
  const guint8 end[] = { 0, 0xfe, 0xff, 0xdd, 0xe0, 0, 0, 0, 0 };
  g_autofree guint8 *block = (guint8 *)g_malloc (BLOCK);
  guint64 done = 0;
  int code = oct_file_write_all (to, begin, sizeof begin);

  while (code == 0 && done < size) {
    gssize got = oct_file_read (from, done, block, MIN (BLOCK, size - done));

    if (got <= 0)
      return got < 0 ? errno : EIO;
    code = oct_file_write_all (to, block, (guint64)got);
    done += (guint64)got;
  }
  if (code != 0)
    return code;
  return size % 2 == 1 ? oct_file_write_all (to, end, sizeof end)
                       : oct_file_write_all (to, end + 1, sizeof end - 1);
}

extern "C" gboolean
oct_video_file_write (const char *film, const char *path,
    const OctVideoInfo *info, GError **error)
{
  g_autofree char *part = g_strconcat (path, ".part", NULL);
  guint64 size = 0;
  int from = oct_file_open ("Film", film, &size, error), to, code;
  struct stat status;
  g_autoptr (GBytes) head = NULL;

  if (from < 0)
    return FALSE;
  if (fstat (from, &status) == 0)
    head = make_head (info, &status, error);
  if (head == NULL) {
    close (from);
    return FALSE;
  }
  to = open (part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0666);
  code = to >= 0 ? oct_file_write_all (
             to, g_bytes_get_data (head, NULL), g_bytes_get_size (head))
                 : errno;
  if (code == 0)
    code = write_film (from, size, to);
  close (from);
  if (code == 0) {
    code = oct_file_end_as (to, g_bytes_get_size (head) + size, part, path);
  } else if (to >= 0) {
    close (to);
    g_unlink (part);
  }
  if (code == 0)
    return TRUE;
  oct_file_set_write_error (error, path, code);
  return FALSE;
}
