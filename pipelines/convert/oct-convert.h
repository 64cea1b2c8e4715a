/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * oct-convert: files of spectra to files of volumes, one file or an archive.
 */
#pragma once

#include <gio/gio.h>

#include "oct-launch.h"
#include "oct-sensing.h"

G_BEGIN_DECLS

/* ------------------------------------------------------------------ inputs */

typedef struct {
  char *path; /* canonical */
  char *name; /* where it goes in the output folder, without ending */
  guint64 size;
  gint64 changed; /* time of its last change, us since 1970 */
} OctConvertInput;

/* Files, and files in folders (and in theirs) whose ending octsrc knows, in the
 * order of their paths; raw parts of recordings are left to those, and nothing
 * is taken from the folder `output`.  What cannot be looked into is listed in
 * `problems` (sentences).  Two files of one name that differ in their endings
 * keep them.  NULL with a sentence where a path is missing or none is found. */
GPtrArray *oct_convert_find_inputs (
    char **paths, const char *output, GPtrArray *problems, GError **error);

/* Leaves those of part `part` of `parts` (from 1): the same for whoever asks,
 * with as many bytes in each as files allow. */
void oct_convert_take_part (GPtrArray *inputs, guint part, guint parts);

/* ---------------------------------------------------------------- manifest */

/* What has been done, a CSV file in the output folder: a line for each file
 * that was written, or for each input that failed.  The newest lines of an input
 * count.  Several programs, each with another part of an archive, have one each.
 */
typedef struct _OctConvertManifest OctConvertManifest;

/* `part` 0: the only one.  Reads all manifests of the folder.  NULL with a
 * sentence, also where another program is at work on this part. */
OctConvertManifest *oct_convert_manifest_open (
    const char *folder, guint part, guint parts, GError **error);
void oct_convert_manifest_close (OctConvertManifest *manifest);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (OctConvertManifest, oct_convert_manifest_close)

/* Whether this input, as it is now, was converted with these options (a text
 * that differs where they do), and its files are there. */
gboolean oct_convert_manifest_has (const OctConvertManifest *manifest,
    const OctConvertInput *input, const char *options);

/* Why it failed the last time, as it is now and with these options, or NULL. */
const char *oct_convert_manifest_get_failure (
    const OctConvertManifest *manifest, const OctConvertInput *input,
    const char *options);
/* Files of the last time, of this input, their SHA-256 or "", and what was said
 * of them; NULL, NULL and "": none. */
GPtrArray *oct_convert_manifest_get_outputs (
    const OctConvertManifest *manifest, const OctConvertInput *input);
GPtrArray *oct_convert_manifest_get_sums (
    const OctConvertManifest *manifest, const OctConvertInput *input);
const char *oct_convert_manifest_get_note (
    const OctConvertManifest *manifest, const OctConvertInput *input);
/* The input whose file this is, or NULL: it is not known here. */
const char *oct_convert_manifest_get_owner (
    const OctConvertManifest *manifest, const char *output);

/* One of these, on the disk when it returns.  `outputs`: paths relative to the
 * folder, `sums`: their SHA-256 or "".  `note`: what is to be said of it. */
gboolean oct_convert_manifest_add (OctConvertManifest *manifest,
    const OctConvertInput *input, const char *options, GPtrArray *outputs,
    GPtrArray *sums, const char *note, GError **error);
gboolean oct_convert_manifest_add_failure (OctConvertManifest *manifest,
    const OctConvertInput *input, const char *options, const char *message,
    GError **error);
/* Takes what others say into this one. */
gboolean oct_convert_manifest_merge (
    OctConvertManifest *manifest, GError **error);

/* SHA-256 of a file as sha256sum prints it; NULL with a sentence. */
char *oct_convert_sum_file (const char *path, GError **error);

/* Prints what of the inputs has been converted with these options into `folder`,
 * and which not; `checksums`: reads the volumes to compare them with theirs.
 * `problems`: what could not be looked into.  FALSE where anything is not as it
 * should be, or with an error where it was interrupted. */
gboolean oct_convert_print_state (const OctConvertManifest *manifest,
    GPtrArray *inputs, const char *folder, const char *options,
    gboolean checksums, GPtrArray *problems, GError **error);

/* ------------------------------------------------------------- work folders */

/* Each file is converted in a folder of its own within the output folder, whose
 * name says what is converted in it and how often that was begun: what a program
 * leaves that is killed, or crashes, tells the next one. */
typedef struct _OctConvertWork OctConvertWork;

/* `folder` is that of the volumes, `part` as for the manifest, which must be
 * locked: all that is left of this part is of a program that has ended. */
OctConvertWork *oct_convert_work_open (
    const char *folder, guint part, guint parts);
/* Removes what is still left of earlier programs where `all` was tried. */
void oct_convert_work_close (OctConvertWork *work, gboolean all);

/* How often it was begun, as it is now and with these options, by programs that
 * ended without a word of it. */
guint oct_convert_work_count (const OctConvertWork *work,
    const OctConvertInput *input, const char *options);

/* An empty folder for it, NULL with a sentence. */
char *oct_convert_work_begin (OctConvertWork *work,
    const OctConvertInput *input, const char *options, GError **error);
/* It was converted, has failed, or was stopped by who started the program:
 * removes that folder. */
void oct_convert_work_end (const char *folder);

/* ---------------------------------------------------------------- one file */

typedef struct {
  OctSourceOptions source; /* data is that of each file */
  char *format;            /* of octvolumesink: ending of the files */
  char *method;            /* id of an OctMethod, NULL = the default */
  OctSensingOptions sensing;
  char *mode;      /* of octdcsub, NULL = its own */
  double min, max; /* dB, both 0: by the contrast of the images */
  double width_um, length_um, refractive_index;
  gint bscans;
  gboolean ascans; /* in place of images */
  char *dicom_tags;
  guint file_mode; /* permissions of the files */
} OctConvertOptions;

/* Has an octreconstruct use the method, the settings of compressive sensing and
 * the background.  FALSE with a sentence on the option that is wrong. */
gboolean oct_convert_set_method (
    const OctConvertOptions *options, GstElement *reconstruct, GError **error);

/* Called about ten times a second; FALSE stops. */
typedef gboolean (*OctConvertProgress) (
    guint64 bscans, guint64 all, gpointer data);

/* Converts it into `folder`, which may have nothing in it.  The files there are
 * complete when it returns TRUE; `missing`: B-scans that are black in them, or
 * that the file announces and lacks.  FALSE with a sentence, or G_IO_ERROR_CANCELLED where it was
 * stopped. */
gboolean oct_convert_file (const OctConvertOptions *options,
    const OctConvertInput *input, const char *folder,
    OctConvertProgress progress, gpointer data, guint64 *missing,
    GError **error);

G_END_DECLS
