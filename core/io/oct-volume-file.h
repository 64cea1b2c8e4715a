/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Writes volumes as other programs read them.  One file is one volume, complete
 * on the disk or not there.
 *
 * A volume is slices [bscan][row][column]: images have the depth downwards and
 * A-lines from left to right, A-scans are a row each with the depth running
 * fastest.  Pictures en face are slices, too, with a row for each B-scan or as
 * many as were asked for; each is a file of its own as a rule (bscans = 1).
 */
#pragma once

#include <glib.h>
#include "oct-types.h"

G_BEGIN_DECLS

typedef enum {
  OCT_VOLUME_FILE_AUTO, /* as the name ends */
  OCT_VOLUME_FILE_NPY,
  OCT_VOLUME_FILE_NIFTI,
  OCT_VOLUME_FILE_TIFF,
  OCT_VOLUME_FILE_HDF5,
  OCT_VOLUME_FILE_DICOM,
} OctVolumeFileKind;

typedef enum {
  OCT_VOLUME_VIEW_BSCANS, /* slices are B-scans */
  OCT_VOLUME_VIEW_ENFACE, /* slices are pictures from above */
} OctVolumeView;

typedef struct {
  OctSampleFormat voxel; /* U8, U16: grey levels; CF32: complex A-scans */
  OctVolumeView view;
  guint bscans, rows, columns;
  guint repeats; /* B-scans that follow each other at one place; 0 and 1: one */
  /* from an A-line, B-scan, depth to the next, metres; 0: not known.  En face:
   * x and y, from a column and a row to the next; z is not used. */
  double x_spacing, y_spacing, z_spacing;
  /* by which depths in air were divided for z_spacing, written if the format
   * can store it; 0: not known */
  double refractive_index;

  /* DICOM alone: volumes of one recording share the first two, 64 characters
   * at most, and are counted; what else is known, "Keyword=value;..." by the
   * keywords of the standard, or NULL */
  const char *study_uid, *series_uid;
  guint64 number;    /* from 0 */
  double bscan_time; /* from a B-scan to the next, seconds; 0: not known */
  const char *tags;
  /* en face: the DICOM file of the volume that was looked at, or NULL */
  const char *source;
} OctVolumeFileInfo;

/* A new unique identifier as DICOM has it (2.25. and a UUID), to be freed. */
char *oct_volume_file_make_uid (void);

/* The n-th kind that a user can choose, this build may lack some; NULL: there
 * are no more.  Texts are static. */
const char *oct_volume_file_describe (
    guint n, OctVolumeFileKind *kind, const char **blurb);

/* The kind of a file with this name.  OCT_VOLUME_FILE_AUTO with
 * OCT_ERROR_SETTINGS if the ending is unknown. */
OctVolumeFileKind oct_volume_file_guess (const char *path, GError **error);

/* Whether such volumes can be written: OCT_ERROR_SETTINGS names the impossible
 * setting, before there is a volume. */
gboolean oct_volume_file_check (
    OctVolumeFileKind kind, const OctVolumeFileInfo *info, GError **error);

/* Whether the file `path` can be made: nothing has its name yet, and its folder
 * can be written to.  OCT_ERROR_WRITE. */
gboolean oct_volume_file_check_new (const char *path, GError **error);

/* Writes `voxels`, tightly packed, as the file `path`, which must not exist,
 * with the permissions `mode`, whatever the umask.  While it is written it is
 * PATH.part; it is on the disk under its name when this returns.
 * OCT_ERROR_WRITE, _DISK_FULL (before anything is written, if that can be
 * seen), _SETTINGS. */
gboolean oct_volume_file_write (OctVolumeFileKind kind, const char *path,
    const OctVolumeFileInfo *info, gconstpointer voxels, guint mode,
    GError **error);

G_END_DECLS
