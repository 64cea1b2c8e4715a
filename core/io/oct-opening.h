/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * A file that is being opened, and the parts that formats share.
 *
 * A format opens a file and describes its content.  Values then lie in the file
 * as they are (flat), from `data_offset` on, or the format reads each B-scan (a
 * container: compressed, in pieces, another order).
 */
#pragma once

#include "oct-calibration.h"
#include "oct-missing.h"
#include "oct-reader-settings.h"

G_BEGIN_DECLS

/* The first bytes of a file, which identify its format. */
#define OCT_FORMAT_HEAD 65536

typedef struct {
  /* Reads B-scan `frame` to values [lines][samples] of the stored type, or
   * [samples][lines] if it is `transposed`.  Never two threads at once.  Error:
   * OCT_ERROR_READ or _FORMAT. */
  gboolean (*read) (
      gpointer content, guint64 frame, gpointer values, GError **error);
  void (*close) (gpointer content);
  /* B-scans can be damaged one by one: one that cannot be read is missing, and
   * the others can be read. */
  gboolean apart;
} OctContainer;

/* Input and output of an opener. */
typedef struct {
  const char *path;
  const char *file; /* "File 'x.npy'", begins the messages */
  int fd;           /* belongs to the reader */
  guint64 file_size;
  const guint8 *head; /* the first bytes, at most OCT_FORMAT_HEAD */
  gsize head_size;
  const OctReaderSettings *settings;

  /* output */
  OctReaderInfo info;
  OctStored stored;
  guint64 data_offset;           /* flat files */
  const OctContainer *container; /* NULL: a flat file */
  gpointer content;              /* for `container`, closed with the reader */
  gboolean transposed;         /* it, or the flat file, has [samples][lines] */
  OctCalibration *calibration; /* a reference, or NULL */
  /* of the `info.announced` B-scans; belongs to the reader, which itself adds
   * those missing at the end of a flat file. */
  OctMissing *missing;
} OctOpening;

/* Adds the file to a list, if it is there. */
void oct_format_add_file (GPtrArray *files, const char *path);
/* Adds the files in the folder of `path` for which `belongs` is TRUE. */
void oct_format_add_beside (GPtrArray *files, const char *path,
    gboolean (*belongs) (const char *name, gconstpointer data),
    gconstpointer data);

/* Takes an array of 1 to 3 dimensions, slowest first, whose last one is the
 * samples of an A-line: checks it against the settings and fills sizes and
 * B-scans of `opening`, whose `stored` and `data_offset` or `container` are set
 * already.  `text`: the shape as its author writes it. */
gboolean oct_opening_take_shape (OctOpening *opening, guint dims,
    const guint64 *shape, const char *text, GError **error);

/* The same for B-scans of `lines` lines of `samples` samples with `wanted`
 * bytes in all, 0 = all there are. */
gboolean oct_opening_count_frames (OctOpening *opening, guint64 samples,
    guint64 lines, guint64 wanted, GError **error);

/* FALSE with an error where hardly any of the B-scans that a file announces is
 * there, at most `present`: a file of a few bytes can announce any number. */
gboolean oct_opening_check_present (const OctOpening *opening,
    guint64 announced, guint64 present, GError **error);

/* FALSE with an error where `header-size` or `packing` are set, which are for
 * raw files. */
gboolean oct_opening_check_raw_only (
    const OctOpening *opening, const char *name, GError **error);

/* Where the uniform wavenumbers lie, in samples, ascending: chirp[n], which
 * rises, the other way round and from its end on, linear between pixels and
 * beyond the ends. */
void oct_chirp_invert (const float *chirp, guint n, double *positions);

/* FALSE with an error if it does not rise. */
gboolean oct_chirp_check (
    const char *file, const float *chirp, guint n, GError **error);

/* ---------------------------------------- files with several arrays in them */

#define OCT_ARRAY_MAX_DIMS OCT_READER_MAX_DIMS

typedef struct {
  char *name;
  const char *why_not; /* "is complex", or NULL: it may be spectra */
  guint dims;          /* without those of length 1 */
  guint64 shape[OCT_ARRAY_MAX_DIMS]; /* slowest first */
  guint axes[OCT_ARRAY_MAX_DIMS];    /* which of the file's these are */
  guint64 place;                     /* the format's own */
} OctArray;

/* For g_array_set_clear_func(). */
void oct_array_clear (gpointer array);

/* `dims` lengths, slowest first; sets `why_not` if they cannot be spectra. */
void oct_array_set_shape (OctArray *array, guint dims, const guint64 *shape);

/* A name from a file for a message: short and in UTF-8; g_free() it. */
char *oct_array_show_name (const char *name);

/* "1024 x 500"; g_free() it. */
char *oct_array_describe_shape (const OctArray *array, gboolean fastest_first);

/* The one that is set, else the only one with two or three dimensions, else the
 * only one at all.  `property`: the property that sets it.  NULL: an error that
 * lists them. */
const OctArray *oct_opening_choose_array (const OctOpening *opening,
    const GArray *arrays, gboolean fastest_first, const char *property,
    GError **error);

/* FALSE with an error if one is set and the file has no names, nor several
 * dimensions to choose from. */
gboolean oct_opening_check_unnamed (const OctOpening *opening, GError **error);
/* The same of frames of a camera, [frames][rows][columns], whose rows are
 * spectra, or, where `sample-dimension` is 2, their columns: it then reads
 * [samples][lines], and `transposed` is set. */
gboolean oct_opening_take_frames (OctOpening *opening, GError **error);
/* The same of a file without names that has dimensions. */
gboolean oct_opening_check_no_names (const OctOpening *opening, GError **error);

G_END_DECLS
