/* SPDX-License-Identifier: LGPL-2.1-or-later */
/** The contents of a volume file (oct-volume-file.h). */
#pragma once

#include "oct-types.h"

G_BEGIN_DECLS

typedef enum {
  OCT_VOLUME_FILE_AUTO, /* as the name ends */
  OCT_VOLUME_FILE_NPY,
  OCT_VOLUME_FILE_NIFTI,
  OCT_VOLUME_FILE_TIFF,
  OCT_VOLUME_FILE_HDF5,
  OCT_VOLUME_FILE_DICOM,
  OCT_VOLUME_FILE_ZARR,
} OctVolumeFileKind;

typedef enum {
  OCT_VOLUME_VIEW_BSCANS, /* slices are B-scans */
  OCT_VOLUME_VIEW_ENFACE, /* slices are pictures from above */
} OctVolumeView;

typedef struct {
  /* U8, U16: grey levels; CF32: complex A-scans; F32: values, laid out as they
   * are */
  OctSampleFormat voxel;
  OctVolumeView view;
  guint bscans, rows, columns;
  guint repeats; /* B-scans that follow each other at one place; 0 and 1: one */
  /* from an A-line, B-scan, depth to the next, metres; 0: not known.  En face:
   * x and y, from a column and a row to the next; z is not used. */
  double x_spacing, y_spacing, z_spacing;
  /* by which depths in air were divided for z_spacing, written if the format
   * can store it; 0: not known */
  double refractive_index;
  /* values alone: what they are, "velocity" and "mm/s", or NULL */
  const char *quantity, *unit;

  /* DICOM alone: volumes of one recording share the first two, 64 characters
   * at most, and are counted; what else is known, "Keyword=value;..." by the
   * keywords of the standard, or NULL */
  const char *study_uid, *series_uid;
  guint64 number;    /* from 0 */
  double bscan_time; /* from a B-scan to the next, seconds; 0: not known */
  const char *tags;
  /* No date, time or comment, of `tags` only those that describe the instrument
   * and the eye, and that this is so (PS3.15, basic profile, table E.1-1).  It
   * cannot go with `source`. */
  gboolean deidentify;
  /* en face: the DICOM file of the volume that was looked at, or NULL */
  const char *source;
} OctVolumeFileInfo;

/* A new unique identifier as DICOM has it (2.25. and a UUID), to be freed. */
char *oct_volume_file_make_uid (void);

G_END_DECLS
