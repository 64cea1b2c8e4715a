/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Shared by the programs of this folder: options that name a source of
 * spectra, elements by name, the bus, Ctrl-C.
 */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* Options of octsrc; all zero is the virtual OCT system.  Depths are options of
 * octreconstruct, -1: not given. */
typedef struct {
  char *data, *calibration, *sample_format, *packing;
  char *variable, *dataset; /* of a MATLAB or HDF5 file, or NULL */
  gint samples, lines;
  gint sample_dimension, channel; /* of an array */
  gint64 header_size;
  gint depth_start, depth_bins;
} OctSourceOptions;

/* `has_data`: with --data; a program may take files without an option. */
void oct_source_options_add (
    GOptionContext *context, gboolean has_data, OctSourceOptions *options);

void oct_source_options_clear (OctSourceOptions *options);

/* After parsing; `extra`: an argument that is left over, or NULL.  FALSE with a
 * sentence. */
gboolean oct_source_options_check (
    const OctSourceOptions *options, const char *extra, GError **error);

void oct_source_options_set (
    const OctSourceOptions *options, GstElement *octsrc);

/* `mode` of octreconstruct in all programs: the virtual system knows its
 * background, unless a file replaces its calibration.  The mean of a B-scan has
 * a part of the instrument in it, and draws lines at its depth next to it; a
 * file need not have another background, nor has `source`, a launch line in the
 * place of octsrc, or NULL. */
const char *oct_source_options_get_mode (
    const OctSourceOptions *options, const char *source);

/* Sets the depths that were given, after an instrument has been loaded. */
void oct_source_options_set_depths (
    const OctSourceOptions *options, GstElement *reconstruct);
gboolean oct_source_options_has_depths (const OctSourceOptions *options);

/* TRUE when one of them describes a file that has to be given as --data. */
gboolean oct_source_options_describe_file (const OctSourceOptions *options);

/* Whether the file is a recording that octrawsink has made, which contains its
 * rate: judged by its contents, as files of others have that suffix, too. */
gboolean oct_source_options_is_recording (const OctSourceOptions *options);

/* A-lines per B-scan of the file, which is opened for it; 0 if it cannot be
 * read so, which octsrc reports with a sentence. */
guint oct_source_options_count_lines (const OctSourceOptions *options);

/* Whether a file found in a folder is taken for one of spectra, by its ending; a
 * file that is named is always read. */
gboolean oct_source_is_spectra (const char *name);

/* A text as a value in a launch line, in quotes; to be freed.  g_strescape()
 * makes numbers of letters beyond ASCII, which a launch line does not read. */
char *oct_launch_quote (const char *text);

/* Makes --oct-camera, the name or address of a GenICam camera or "first", the
 * launch line of --source; NULL: nothing was asked for.  FALSE with a sentence
 * if there is a --source already. */
gboolean oct_launch_take_camera (
    const char *camera, char **source, GError **error);

/* Adds a launch line to `bin`, as one bin with the pads that are open in it.
 * The result belongs to `bin`; NULL with GStreamer's own error. */
GstElement *oct_launch_add_part (
    GstBin *bin, const char *description, GError **error);
/* The same with a launch line of ours: NULL with a sentence on the package to
 * install. */
GstElement *oct_launch_add_own_part (
    GstBin *bin, const char *description, GError **error);

/* Each camera source in `bin` that takes its memory back while buffers with it
 * are in use (aravissrc) delivers copies.  For launch lines of users; the parts
 * above have it. */
void oct_launch_copy_camera_frames (GstBin *bin);

/* By name; the elements have to be there. */
void oct_launch_set (GstElement *pipeline, const char *name,
    const char *property, const char *value);
GstPad *oct_launch_get_pad (
    GstElement *pipeline, const char *name, const char *pad);

/* Writes the last buffer that arrived at the sink `name`, as a whole or not at
 * all.  FALSE with a sentence. */
gboolean oct_launch_save_last (
    GstElement *pipeline, const char *name, const char *path, GError **error);

/* As gst_message_parse_error(); names of the elements' properties become
 * options of the programs: `samples` becomes --samples. */
void oct_launch_parse_error (GstMessage *message, GError **error);
/* The sentence of a warning, with names of options too; g_free() it. */
char *oct_launch_describe_warning (GstMessage *message);

/* Waits up to 100 ms for the next message and returns its type: EOS,
 * ASYNC_DONE, WARNING (printed with `show_warnings`), ERROR (then `error` is
 * set), or UNKNOWN when there was none. */
GstMessageType oct_launch_poll (
    GstElement *pipeline, gboolean show_warnings, GError **error);

/* Access to the program's files: from now on files have at most the
 * permissions `text` ("0640", octal; NULL: "0600", their owner alone), and
 * folders can be entered by those who can read the files.  Call before there
 * are threads.  `mode`: the permissions, or NULL.  FALSE with a sentence if
 * `text` is not valid. */
gboolean oct_launch_set_mode (const char *text, guint *mode, GError **error);

/* Gives `part`, which was written if `ok`, the name `path`, and removes it
 * otherwise.  Returns `ok`, or FALSE with a sentence if that fails. */
gboolean oct_launch_finish_file (
    const char *part, const char *path, gboolean ok, GError **error);

/* Makes a folder with those above it; FALSE with a sentence when it cannot be
 * written to. */
gboolean oct_launch_make_folder (const char *path, GError **error);

/* Prints a note if others can read a folder that was there before, or change
 * its contents, although `mode` of the files excludes them. */
void oct_launch_check_folder (const char *path, guint mode);

/* From now on the first Ctrl-C (or SIGTERM) is noted here.  The second one,
 * half a second later or more, ends the program at once, with a sentence and
 * status 128 and the signal, whatever it waits for: a disk may hang.  SIGHUP,
 * which a closed terminal or a lost connection sends, is noted too, however
 * often it comes; a Ctrl-C after it is the second.  Lost readers are
 * ignored. */
void oct_launch_catch_interrupts (void);
gboolean oct_launch_interrupted (void);

/* The second Ctrl-C as above, for a program in which GLib reports the first
 * one: after g_unix_signal_add() of SIGINT and SIGTERM. */
void oct_launch_end_at_second_interrupt (void);
/* ... and of SIGHUP, when that comes: it has ended the program as the first
 * Ctrl-C does. */
void oct_launch_note_hangup (void);

/* For a program that catches signals by itself.  TRUE if it was started to
 * outlive its terminal (nohup): SIGHUP is to be left alone. */
gboolean oct_launch_survives_hangup (void);

/* Elements print important warnings on the terminal, for gst-launch-1.0 -q, and
 * post them: a program that shows warnings calls this to have them printed
 * once. */
void oct_launch_shows_warnings (void);

/* The reader of the output may go away (`oct-record | head`), and files may
 * reach a limit (ulimit -f): from now on that is an error of the write, and
 * ends nothing else. */
void oct_launch_ignore_failed_writes (void);

G_END_DECLS
