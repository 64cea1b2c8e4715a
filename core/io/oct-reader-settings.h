/* SPDX-License-Identifier: LGPL-2.1-or-later */
/** The settings and the contents of files of spectra (oct-reader.h). */
#pragma once

#include "oct-stored.h"

G_BEGIN_DECLS

typedef enum {
  OCT_FILE_AUTO, /* by the first bytes of the file */
  OCT_FILE_RAW,
  OCT_FILE_NPY,
  OCT_FILE_MAT,  /* MATLAB 5 to 7.2 */
  OCT_FILE_HDF5, /* also MATLAB 7.3 */
  OCT_FILE_THORLABS,
  OCT_FILE_SRR,
  OCT_FILE_OCTPROZ,
  OCT_FILE_TIFF,
  OCT_FILE_UNP, /* of octopod */
  OCT_FILE_BIOPTIGEN,
  OCT_FILE_TDMS, /* of National Instruments */
  OCT_FILE_ZARR, /* version 3, a folder */
} OctFileFormat;

/* How values of 12 bits lie in a raw file (GenICam's names). */
typedef enum {
  OCT_PACKING_NONE,
  OCT_PACKING_MONO12P,
  OCT_PACKING_MONO12PACKED,
} OctPacking;

/* Limits of arrays: [volumes][B-scans][lines][samples][channels]. */
#define OCT_READER_MAX_DIMS 5
#define OCT_READER_MAX_CHANNELS 64

/* The user's settings; 0 = not given, the file decides (or the file's format
 * needs it and opening fails with a sentence that says which to set).
 *
 * .npy: one dimension is one A-line, two are [lines][samples], one B-scan or,
 * with `lines` set, as many as there are; three are [bscans][lines][samples],
 * which `bscans` may divide into several volumes; a dimension before them is
 * several volumes, a short one after four of them channels.  Any other setting
 * that is not the shape of the file, or a header size, is OCT_ERROR_SETTINGS.
 * C and Fortran order.
 * MATLAB and HDF5: the same for one of their arrays.  [samples][lines][bscans]
 * in MATLAB is [bscans][lines][samples] in HDF5.  Dimensions of length 1 do not
 * count.
 * In all formats, unsigned integers of 8 and 16 bit stay as they are, and other
 * numbers are delivered as float (oct-stored.h).
 * Without `bscans` all B-scans of a raw file, or of two dimensions, are one
 * volume.  A file shorter than it says gives its whole B-scans; the others are
 * missing. */
typedef struct {
  OctFileFormat format;
  guint samples, lines, bscans;    /* per A-line, per B-scan, per volume */
  OctStored stored;                /* raw files only */
  guint64 header_size;             /* raw files only: bytes to skip */
  OctPacking packing;              /* raw files of U2 only */
  guint sample_dimension, channel; /* of an array, from 1 on; the first also of
                                      frames, 2: spectra are their columns */
  char *variable, *dataset; /* MATLAB and HDF5: name of an array, or NULL: the
                               only one that may be spectra; either will do */
} OctReaderSettings;

/* The content of the file. */
typedef struct {
  OctFileFormat format;          /* what it is, not AUTO */
  OctSampleFormat sample_format; /* of the values delivered: U8, U16 or F32 */
  guint samples, lines, bscans;  /* bscans: per volume */
  guint64 frames;    /* B-scans through the last whole one in the file, >= 1 */
  guint64 announced; /* as many as the file says, >= frames; those that are not
                        there are missing (below) */
  guint64 leftover_bytes; /* at the end, less than one B-scan */
  /* B-scans that were taken at each place, one after the other; 0 = unknown.
   * They are all counted: a volume has `bscans` / `repeats` places. */
  guint repeats;
  double line_rate;            /* A-lines per second, 0 = unknown */
  double bscan_rate;           /* B-scans per second, 0 = line_rate / lines */
  double x_spacing, y_spacing; /* m between A-lines, places; 0 = unknown */
  double wavelength;           /* centre, m, as the file says it; 0 = unknown */
} OctReaderInfo;

/* By the name that octsrc has for it, NULL = none.  FALSE with
 * OCT_ERROR_SETTINGS and a sentence that says what there is. */
gboolean oct_packing_parse (
    const char *name, OctPacking *packing, GError **error);

/* Checks the options of programs, which are signed numbers: FALSE with
 * OCT_ERROR_SETTINGS and a sentence. */
gboolean oct_array_options_check (
    gint sample_dimension, gint channel, GError **error);

G_END_DECLS
