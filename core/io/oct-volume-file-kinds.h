/* SPDX-License-Identifier: LGPL-2.1-or-later */
/** The interface of a kind of volume file to oct-volume-file.c. */
#pragma once

#include "oct-volume-file-info.h"

G_BEGIN_DECLS

/* A volume that is written while it is scanned.  The functions set errors as
 * oct_volume_file_write() does. */
typedef struct {
  /* Makes PATH.part; NULL with an error, and nothing is left. */
  gpointer (*open) (const char *path, const OctVolumeFileInfo *info, guint mode,
      GError **error);
  /* B-scan `bscan`, in any order; one that comes again replaces the first. */
  gboolean (*put) (gpointer stream, guint bscan, const guint8 *pixels,
      gsize stride, GError **error);
  /* The B-scans that have come are on the disk, as PATH; frees the stream, also with an
   * error. */
  gboolean (*end) (gpointer stream, GError **error);
  /* Frees it: PATH.part stays as it is, or goes. */
  void (*leave) (gpointer stream, gboolean remove);
} OctVolumeStreamKind;

extern const OctVolumeStreamKind oct_volume_stream_zarr;

/* All texts are static. */
typedef struct {
  OctVolumeFileKind kind;
  const char *nick, *blurb;
  const char *endings[4];
  const char *name;     /* "NIfTI" */
  gboolean has_complex; /* whether A-scans can be written */
  gboolean has_values;  /* likewise */
  guint64 most;         /* A-lines, depths and B-scans each; 0: any */
  guint64 most_bytes;   /* 0: any */
  /* Writes all of it to `fd`, which is an empty file `path`, and leaves that
   * open; nothing is kept back in buffers.  `least`: bytes that the file must
   * have now, at first those of the voxels.  OCT_ERROR_WRITE, with errno's
   * reason if there is one.  NULL: this build cannot. */
  gboolean (*write) (const OctVolumeFileInfo *info, const guint8 *voxels,
      int fd, const char *path, guint64 *least, GError **error);
  /* what else there is to check, or NULL */
  gboolean (*check) (const OctVolumeFileInfo *info, GError **error);
  const char *package;               /* Debian package that this build lacks */
  const OctVolumeStreamKind *stream; /* in place of `write`, or NULL */
} OctVolumeFormat;

gboolean oct_volume_file_write_tiff (const OctVolumeFileInfo *info,
    const guint8 *voxels, int fd, const char *path, guint64 *least,
    GError **error);
gboolean oct_volume_file_write_hdf5 (const OctVolumeFileInfo *info,
    const guint8 *voxels, int fd, const char *path, guint64 *least,
    GError **error);

gboolean oct_volume_file_write_dicom (const OctVolumeFileInfo *info,
    const guint8 *voxels, int fd, const char *path, guint64 *least,
    GError **error);
/* Whether the tags can be taken; OCT_ERROR_SETTINGS. */
gboolean oct_volume_file_check_dicom (
    const OctVolumeFileInfo *info, GError **error);

/* Whether rows are A-lines, with the depth running fastest. */
gboolean oct_volume_file_is_ascans (const OctVolumeFileInfo *info);

/* Bytes of the whole volume; of one B-scan. */
guint64 oct_volume_file_get_size (const OctVolumeFileInfo *info);
gsize oct_volume_file_get_slice_size (const OctVolumeFileInfo *info);

/* From a row, and from a slice to the next, metres; 0: not known, as for
 * pictures en face, which follow each other in time. */
double oct_volume_file_get_row_spacing (const OctVolumeFileInfo *info);
double oct_volume_file_get_slice_spacing (const OctVolumeFileInfo *info);

/* The error of a file that cannot be written, by errno. */
void oct_volume_file_set_error (GError **error, const char *path, int number);

G_END_DECLS
