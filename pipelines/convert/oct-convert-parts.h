/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * oct-convert: files of spectra to files of volumes, one file or an archive.
 */
#pragma once

#include <gio/gio.h>

#include "oct-launch.h"
#include "oct-sensing.h"
#include "oct-view.h"

G_BEGIN_DECLS

/* ------------------------------------------------------------------ inputs */

typedef struct {
  char *path;    /* canonical */
  char *name;    /* its place in the output folder, without ending */
  char *further; /* the same for its volumes after the first */
  guint64 size;  /* of all files that it is made of */
  gint64
      changed; /* time of the last change of the file `path`, us since 1970 */
  char *files; /* a text that differs if others of its files do, or "" */
  gboolean is_bids; /* `name` is one of BIDS */
  char *
      person; /* with that: the text of which the label of its subject is made */
} OctConvertInput;

/* Files, and files in folders (and in theirs) whose ending octsrc knows, in the
 * order of their paths.  Files that belong to another one, as parts and further
 * B-scans do, are left to that, and nothing is taken from the folder `output`.
 * `problems` gets a sentence for each place that cannot be read.  Files whose
 * volumes would have one name keep their endings.  NULL with a sentence if a
 * path is missing or none is found. */
GPtrArray *oct_convert_find_inputs (
    char **paths, const char *output, GPtrArray *problems, GError **error);

/* Leaves those of part `part` of `parts` (from 1), with as many bytes in each
 * as files allow.  Every program that calls this gets the same parts. */
void oct_convert_take_part (GPtrArray *inputs, guint part, guint parts);

/* Whether a volume of this name is another input's now, though it was of this
 * one before there was that. */
gboolean oct_convert_input_gives_away (
    const OctConvertInput *input, const char *output);

/* ------------------------------------------------- files in the output folder */

/* Which file it is. */
typedef struct {
  guint64 size;
  gint64 changed; /* us since 1970; below 0: not known, or no regular file */
} OctConvertFile;

typedef struct {
  char *name; /* relative to the output folder */
  char *sum;  /* SHA-256 as sha256sum prints it, or "" */
  OctConvertFile file;
} OctConvertOutput;

GPtrArray *oct_convert_outputs_new (void);
void oct_convert_output_free (gpointer output);

/* Whether a name from anywhere is that of a file in a folder. */
gboolean oct_convert_place_is_inside (const char *name);

/* The following functions follow no link in `name`.  FALSE: nothing has that
 * name. */
gboolean oct_convert_place_look (
    const char *folder, const char *name, OctConvertFile *file);

/* How far the times of two files of one size are apart, us; below 0: they are
 * not the same file, as file systems keep times. */
gint64 oct_convert_place_compare (
    const OctConvertFile *a, const OctConvertFile *b);

/* Moves the file `from` to its place, on the disk when it returns.  FALSE with
 * a sentence; G_IO_ERROR_EXISTS if something is there and is not to be
 * replaced. */
gboolean oct_convert_place_put (const char *folder, const char *name,
    const char *from, gboolean is_there, GError **error);
/* A store goes to the work folder `work`, with which it is removed. */
void oct_convert_place_remove (
    const char *folder, const char *name, const char *work);

/* SHA-256; of a Zarr store, that of the lines of sha256sum for all of its files,
 * sorted by their paths in it.  NULL with a sentence. */
char *oct_convert_place_sum (
    const char *folder, const char *name, GError **error);

/* ---------------------------------------------------------------- manifest */

/* The record of conversions, a CSV file in the output folder: a line for each
 * file written, or for each input that failed.  The newest lines of an input
 * count.  Several programs, each with another part of an archive, have one
 * each. */
typedef struct _OctConvertManifest OctConvertManifest;

typedef enum {
  OCT_CONVERT_MOVING, /* files are complete, and being moved to their places */
  OCT_CONVERT_DONE,   /* they are there */
  OCT_CONVERT_FAILED,
} OctConvertState;

/* The record of the volumes in `folder`; the manifests themselves are in `table`,
 * which may be the same folder.  `part` 0: the only one.  Reads all manifests there.  NULL with a
 * sentence, also if another program is at work on this part. */
OctConvertManifest *oct_convert_manifest_open (const char *folder,
    const char *table, guint part, guint parts, GError **error);
void oct_convert_manifest_close (OctConvertManifest *manifest);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (OctConvertManifest, oct_convert_manifest_close)

/* Reads the other manifests again, which other programs may have changed. */
void oct_convert_manifest_read_others (OctConvertManifest *manifest);

typedef enum {
  OCT_CONVERT_RESULT_NONE,    /* it is to be converted */
  OCT_CONVERT_RESULT_DONE,    /* its files are there, as they were written */
  OCT_CONVERT_RESULT_CHANGED, /* somebody has changed or replaced them */
} OctConvertResult;

/* Whether this input, as it is now, was converted with these options (a text
 * that differs if they do).  `changed`: a sentence on files that were changed,
 * or NULL; to be freed. */
OctConvertResult oct_convert_manifest_look (const OctConvertManifest *manifest,
    const OctConvertInput *input, const char *options, char **changed);

/* Why it failed the last time, as it is now and with these options, or NULL. */
const char *oct_convert_manifest_get_failure (
    const OctConvertManifest *manifest, const OctConvertInput *input,
    const char *options);
/* Files (OctConvertOutput) of the last time that it was in this state, and the
 * note on them when they were done; NULL and "": none. */
GPtrArray *oct_convert_manifest_get_outputs (const OctConvertManifest *manifest,
    const OctConvertInput *input, OctConvertState state);
const char *oct_convert_manifest_get_note (
    const OctConvertManifest *manifest, const OctConvertInput *input);
/* Calls `check` with each input that was converted and each output of it that is
 * there, until it returns FALSE.  FALSE: it has. */
typedef gboolean (*OctConvertOutputCheck) (
    const char *input, const char *output, gpointer data);
gboolean oct_convert_manifest_foreach_output (
    const OctConvertManifest *manifest, OctConvertOutputCheck check,
    gpointer data);
/* The input of which the file was made that is there, or NULL: it is not known
 * here. */
const char *oct_convert_manifest_get_owner (const OctConvertManifest *manifest,
    const char *output, const OctConvertFile *file);

/* The following records are on the disk when the functions return.  `note`: a
 * sentence on the outputs (OctConvertOutput). */
gboolean oct_convert_manifest_begin_move (OctConvertManifest *manifest,
    const OctConvertInput *input, const char *options, GPtrArray *outputs,
    const char *note, GError **error);
/* All that were named to the last one are in their places. */
gboolean oct_convert_manifest_end_move (
    OctConvertManifest *manifest, const OctConvertInput *input, GError **error);
gboolean oct_convert_manifest_add_failure (OctConvertManifest *manifest,
    const OctConvertInput *input, const char *options, const char *message,
    GError **error);
/* Adds the records of the other manifests to this one. */
gboolean oct_convert_manifest_merge (
    OctConvertManifest *manifest, GError **error);

/* Moves the files in the folder `work` to their places in `folder` and records
 * it: a file that is there without being in the manifest is somebody else's,
 * and only files made of the same input are replaced.  `count`: how many there
 * were.  FALSE with a sentence; G_IO_ERROR_EXISTS: something else is there. */
gboolean oct_convert_deliver (OctConvertManifest *manifest, const char *folder,
    const OctConvertInput *input, const char *options, const char *work,
    gboolean checksums, const char *note, guint *count, GError **error);

/* Prints which of the inputs have been converted with these options into
 * `folder`, and which not; `checksums`: reads the volumes to compare them with
 * theirs.  `problems`: the places that could not be read.  FALSE if anything is
 * not as it should be, or with an error if it was interrupted. */
gboolean oct_convert_print_state (const OctConvertManifest *manifest,
    GPtrArray *inputs, const char *folder, const char *options,
    gboolean checksums, GPtrArray *problems, GError **error);

/* ------------------------------------------------------------- work folders */

/* Each file is converted in a folder of its own within the output folder, whose
 * name says which input is converted in it and how often that was begun: the
 * folder left by a program that is killed, or crashes, tells the next one. */
typedef struct _OctConvertWork OctConvertWork;

/* `folder` is that of the volumes, `part` as for the manifest, which must be
 * locked: all folders left of this part are of programs that have ended. */
OctConvertWork *oct_convert_work_open (
    const char *folder, guint part, guint parts);
/* Removes the rest of earlier programs if `all` files were tried. */
void oct_convert_work_close (OctConvertWork *work, gboolean all);

/* How often it was begun, as it is now and with these options, by programs that
 * ended without reporting on it. */
guint oct_convert_work_count (const OctConvertWork *work,
    const OctConvertInput *input, const char *options);

/* An empty folder for it, NULL with a sentence. */
char *oct_convert_work_begin (OctConvertWork *work,
    const OctConvertInput *input, const char *options, GError **error);
/* It was converted, has failed, or the user has stopped the program: removes
 * that folder. */
void oct_convert_work_end (const char *folder);

/* -------------------------------------------------------------------- BIDS */

/* Gives the inputs their names in BIDS, by the labels in their names and folders
 * ("sub-A", "sample-B"), or by these themselves where there are none.  FALSE with a
 * sentence: a label is empty, two would have one name, or two folders of people
 * one subject. */
gboolean oct_convert_bids_name_inputs (GPtrArray *inputs, GError **error);

/* The same for inputs of this run and of earlier ones, whose volumes are there.
 * FALSE with a sentence: two folders of people would be one subject. */
gboolean oct_convert_bids_check_earlier (
    GPtrArray *inputs, const OctConvertManifest *manifest, GError **error);

/* The name of a file that octvolumesink has called `base` + `rest`, with a run
 * if there are several volumes.  NULL with a sentence: there is a run already. */
char *oct_convert_bids_name_volume (
    const char *base, const char *rest, gboolean several, GError **error);

/* The tables of a dataset in the output folder: what is there already stays,
 * and the inputs are added.  `title`: of a new dataset, or NULL: the name of the
 * folder.  FALSE with a sentence. */
gboolean oct_convert_bids_write_tables (const char *folder, const char *title,
    GPtrArray *inputs, guint mode, GError **error);

/* The label after "KEY-" in the name of an input or an output of BIDS, or NULL;
 * g_free() it. */
char *oct_convert_bids_get_label (const char *name, const char *key);

/* ----------------------------------------------------------- without identity */

/* The folder of the manifests, which tell whose volumes these are: that of the
 * user, `table`, or if that is NULL one that only this user can read and that
 * oct_convert_deidentify_close() removes.  NULL with a sentence: the table would
 * lie beside the volumes, or one of an earlier run does.  g_free() it. */
char *oct_convert_deidentify_open (
    const char *output, const char *table, GError **error);
/* `folder` as oct_convert_deidentify_open() has returned it, or NULL. */
void oct_convert_deidentify_close (const char *folder, const char *table);

/* Gives the inputs names of numbers alone: those that they had in an earlier
 * run, by the manifest, else new ones in random order; and puts them in the order
 * of these.  Inputs that have names of BIDS keep to its rules, and inputs of one
 * subject and sample stay together. */
void oct_convert_deidentify_name_inputs (
    GPtrArray *inputs, const OctConvertManifest *manifest);

/* Measurements of the octmeter of a pipeline. */
typedef struct _OctConvertMeters OctConvertMeters;
OctConvertMeters *oct_convert_meters_new (void);
void oct_convert_meters_free (OctConvertMeters *meters);
/* Any thread. */
void oct_convert_meters_add (
    OctConvertMeters *meters, const GstStructure *measurement);

/* A text between quotation marks of JSON; g_free() it. */
char *oct_convert_sidecar_quote (const char *text);

/* ---------------------------------------------------------------- one file */

typedef struct {
  OctSourceOptions source; /* data is that of each file */
  char *format;            /* of octvolumesink: ending of the files */
  char *method;            /* id of an OctMethod, NULL = the default */
  OctSensingOptions sensing;
  OctViewOptions view;
  double min, max; /* dB, both 0: by the contrast of the images */
  double width_um, length_um, refractive_index;
  gint bscans;
  gint crop_start, crop_end; /* A-lines left out of each B-scan: flyback */
  gboolean ascans;           /* in place of images */
  gboolean flow, doppler;    /* the same: vessels, velocities */
  gint repeats;              /* B-scans at each place, 0: as the file says */
  double line_rate;          /* A-lines per second, 0: as the file says */
  char *dicom_tags;
  guint file_mode;             /* permissions of the files */
  gboolean bids;               /* with a JSON file beside each volume */
  gboolean deidentify;         /* no names, identifiers and dates */
  gboolean remap;              /* a raster of a scan along a path */
  char *remap_settings, *flip; /* of octremap and octflip, or NULL */
} OctConvertOptions;

/* A code that differs if the options, or the calibration, would give other
 * volumes of the same input; g_free() it. */
char *oct_convert_describe (const OctConvertOptions *options);

/* --remap, --remap-settings and --flip. */
void oct_convert_remap_add_options (
    GOptionContext *context, OctConvertOptions *options);
/* After parsing: NULL, or the error, one sentence. */
const char *oct_convert_remap_check (const OctConvertOptions *options);
/* Elements after octreconstruct, each with " ! " after it, or ""; g_free() it. */
char *oct_convert_remap_describe (const OctConvertOptions *options);
/* Sets these elements of `pipeline`.  FALSE with a sentence: they have no such
 * settings, or what is set does not fit to each other. */
gboolean oct_convert_remap_use (
    const OctConvertOptions *options, GstElement *pipeline, GError **error);
/* B-scans of a volume of the path that has come to octremap; 0: there is none. */
guint oct_convert_remap_get_bscans (GstElement *pipeline);
/* B-scans of the path that octremap lacked; 0 without --remap. */
guint64 oct_convert_remap_get_missing (GstElement *pipeline);
/* "2 B-scans are missing and black", or what there is in place of them; "" if
 * none are missing.  g_free() it. */
char *oct_convert_remap_describe_missing (
    const OctConvertOptions *options, guint64 missing);

/* Whether the name of an output is that of a JSON file beside a volume. */
gboolean oct_convert_is_sidecar (const char *name);

/* Before the pipeline stops: writes a JSON file beside each volume in
 * `folder`.  FALSE with a sentence. */
gboolean oct_convert_sidecar_write (const OctConvertOptions *options,
    const OctConvertInput *input, GstElement *pipeline,
    OctConvertMeters *meters, const char *folder, GError **error);

/* Whether a pipeline with these options can be made.  FALSE with a sentence on
 * the option that is wrong. */
gboolean oct_convert_check_pipeline (
    const OctConvertOptions *options, GError **error);

/* Called about ten times a second; FALSE stops. */
typedef gboolean (*OctConvertProgress) (
    guint64 bscans, guint64 all, gpointer data);

/* Converts it into `folder`, which must be empty.  The files there are complete
 * when it returns TRUE; `missing`: B-scans that are black in them, or that the
 * file announces and lacks; `warning`, NULL before and to be freed: the
 * sentence on the file that says which they are, if there is one.  FALSE with a
 * sentence, or G_IO_ERROR_CANCELLED if it was stopped. */
gboolean oct_convert_file (const OctConvertOptions *options,
    const OctConvertInput *input, const char *folder,
    OctConvertProgress progress, gpointer data, guint64 *missing,
    char **warning, GError **error);

G_END_DECLS
