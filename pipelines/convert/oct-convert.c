/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * oct-convert: reconstructs files of spectra, one or an archive of them, to
 * volumes that other programs read.  convert.sh builds it and runs it.
 *
 * Each file is converted into a folder of its own within the output folder and
 * moved to its place when it is complete; the manifest says so then.  A file
 * that a run has begun and not completed is begun again.
 */
#include "oct-convert-parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "oct-method-names.h"
#include "oct-number.h"
#include "oct-terminal.h"
#include "oct-types.h"
#include "oct-options.h"

#define MAX_UM 1e6
#define MOST_REPEATS 64
#define MOST_LINE_RATE 1e9
/* A file at which so many programs in a row have died is left out. */
#define MAX_BEGUN 2
/* All files are converted, but of some B-scans are missing. */
#define STATUS_INCOMPLETE 3

typedef struct {
  OctConvertOptions file;
  char **inputs;
  char *output, *part, *mode, *table;
  gboolean checksums, summary;
  guint part_number, parts;
  char *text; /* that differs if the volumes would */
} Options;

/* The progress, for the terminal. */
typedef struct {
  guint files, at, done, skipped, failed;
  guint incomplete;          /* of those that were done */
  guint all_incomplete;      /* and of those that were done before */
  guint64 bytes, bytes_done; /* of all to be converted; of those that were */
  guint64 bytes_now;         /* of the file under way */
  gint64 start, shown;       /* monotonic */
  GPtrArray *failures;       /* sentences, of folders too */
  guint unread;              /* folders */
} Work;

/* ----------------------------------------------------------------- terminal */

static char *
format_rate (const Work *work, double more)
{
  double time =
      (double)(g_get_monotonic_time () - work->start) / G_USEC_PER_SEC;
  double rate = time > 0.0 ? ((double)work->bytes_done + more) / time : 0.0;
  double left =
      rate > 0.0
          ? ((double)work->bytes - (double)work->bytes_done - more) / rate
          : 0.0;

  return g_strdup_printf ("%.2f GB/s, %u:%02u left", rate * 1e-9,
      (guint)(left / 60.0), (guint)fmod (left, 60.0));
}

static gboolean
on_progress (guint64 bscans, guint64 all, gpointer data)
{
  Work *work = data;
  double part = all > 0 ? (double)bscans / (double)all : 0.0;
  gint64 now = g_get_monotonic_time ();
  g_autofree char *rate = NULL;

  if (!isatty (STDOUT_FILENO) || now - work->shown < G_USEC_PER_SEC / 5)
    return TRUE;
  work->shown = now;
  rate = format_rate (work, part * (double)work->bytes_now);
  oct_terminal_rewrite ();
  g_print ("  B-scan %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT
           ", file %u of %u, %s   ",
      bscans, all, work->at, work->files, rate);
  return TRUE;
}

static void
print_line (const Work *work, const OctConvertInput *input, const char *text)
{
  oct_terminal_rewrite ();
  g_print ("[%u/%u] %s: %s\n", work->at, work->files, input->path, text);
}

static void
print_summary (const Work *work)
{
  double time =
      (double)(g_get_monotonic_time () - work->start) / G_USEC_PER_SEC;

  g_print (
      "\n  converted       %6u\n  incomplete      %6u of them, B-scans are "
      "missing\n"
      "  done before     %6u\n"
      "  failed          %6u\n  not begun       %6u\n"
      "  read            %9.2f GB in %.1f s, %.2f GB/s\n",
      work->done, work->incomplete, work->skipped, work->failed,
      work->files - work->done - work->skipped - work->failed,
      (double)work->bytes_done * 1e-9, time,
      time > 0.0 ? (double)work->bytes_done * 1e-9 / time : 0.0);
  for (guint i = 0; i < work->failures->len; i++)
    g_print ("%s  %s\n", i == 0 ? "\nFailed:\n" : "",
        (char *)work->failures->pdata[i]);
}

/* --------------------------------------------------------------------- work */

static void
note_failure (Work *work, const OctConvertInput *input, const char *message)
{
  g_autofree char *text = g_strdup_printf ("failed: %s", message);

  work->failed++;
  work->bytes -= input->size;
  g_ptr_array_add (
      work->failures, g_strdup_printf ("%s: %s", input->path, message));
  print_line (work, input, text);
}

static void
note_done (
    Work *work, const OctConvertInput *input, guint count, const char *note)
{
  g_autofree char *volumes = oct_number_count (count, "volume");
  g_autofree char *text =
      g_strdup_printf ("%s%s%s", volumes, *note != '\0' ? ", " : "", note);

  work->done++;
  work->incomplete += *note != '\0';
  work->bytes_done += input->size;
  print_line (work, input, text);
}

static OctConvertResult
convert_look (const Options *options, const OctConvertManifest *manifest,
    const OctConvertInput *input)
{
  g_autofree char *changed = NULL;

  return oct_convert_manifest_look (manifest, input, options->text, &changed);
}

static gboolean
convert_is_done_elsewhere (const Options *options, OctConvertManifest *manifest,
    const OctConvertInput *input)
{
  oct_convert_manifest_read_others (manifest);
  return convert_look (options, manifest, input) == OCT_CONVERT_RESULT_DONE;
}

/* Nothing to be done, or nothing that can be done: TRUE. */
static gboolean
convert_pass (const Options *options, const OctConvertManifest *manifest,
    const OctConvertInput *input, Work *work)
{
  g_autofree char *changed = NULL;
  OctConvertResult result =
      oct_convert_manifest_look (manifest, input, options->text, &changed);

  if (result == OCT_CONVERT_RESULT_DONE)
    work->skipped++;
  else if (result == OCT_CONVERT_RESULT_CHANGED)
    note_failure (work, input, changed);
  return result != OCT_CONVERT_RESULT_NONE;
}

/* FALSE if no other file can be converted either. */
static gboolean
convert_one (const Options *options, OctConvertManifest *manifest,
    OctConvertWork *folders, const OctConvertInput *input, Work *work,
    GError **error)
{
  g_autofree char *folder =
      oct_convert_work_begin (folders, input, options->text, error);
  g_autoptr (GError) reason = NULL;
  g_autofree char *note = NULL, *warning = NULL, *message = NULL;
  g_autofree char *failure = NULL;
  guint64 missing = 0;
  guint count = 0;
  gboolean ok;

  if (folder == NULL)
    return FALSE;
  work->bytes_now = input->size;
  ok = oct_convert_file (&options->file, input, folder, on_progress, work,
      &missing, &warning, &reason);
  note = oct_convert_remap_describe_missing (&options->file, missing);
  message = missing > 0 && warning != NULL
                ? g_strdup_printf ("%s (%s)", note, warning)
                : g_strdup (note);
  ok = ok
       && oct_convert_deliver (manifest, options->output, input, options->text,
           folder, options->checksums, message, &count, &reason);
  oct_convert_work_end (folder);
  if (g_error_matches (reason, G_IO_ERROR, G_IO_ERROR_CANCELLED)) {
    g_propagate_error (error, g_steal_pointer (&reason));
    return FALSE;
  }
  if (ok) {
    note_done (work, input, count, note);
    return TRUE;
  }
  if (g_error_matches (reason, G_IO_ERROR, G_IO_ERROR_EXISTS)
      && convert_is_done_elsewhere (options, manifest, input)) {
    work->skipped++;
    print_line (work, input, "another program has converted it meanwhile");
    return TRUE;
  }
  failure = warning != NULL
                ? g_strdup_printf ("%s (%s)", reason->message, warning)
                : g_strdup (reason->message);
  note_failure (work, input, failure);
  return oct_convert_manifest_add_failure (
      manifest, input, options->text, failure, error);
}

static gboolean
convert_check_output (const Options *options, GError **error)
{
  g_autofree char *output = g_canonicalize_filename (options->output, NULL);

  for (guint i = 0; options->inputs[i] != NULL; i++) {
    g_autofree char *input = g_canonicalize_filename (options->inputs[i], NULL);

    if (g_str_equal (input, output)) {
      g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT,
          "The volumes cannot go where the spectra are, '%s'; set --output to "
          "another folder.",
          input);
      return FALSE;
    }
  }
  return TRUE;
}

/* One at which programs died: it may be damaged so that it ends this one too. */
static gboolean
convert_leave_out (const Options *options, OctConvertManifest *manifest,
    OctConvertWork *folders, const OctConvertInput *input, Work *work,
    GError **error)
{
  g_autofree char *folder =
      oct_convert_work_begin (folders, input, options->text, error);
  g_autofree char *message = g_strdup_printf (
      "%u programs in a row ended while they converted it, they were killed or "
      "have crashed; it is left out this time.",
      MAX_BEGUN);

  if (folder == NULL)
    return FALSE;
  oct_convert_work_end (folder);
  note_failure (work, input, message);
  return oct_convert_manifest_add_failure (
      manifest, input, options->text, message, error);
}

/* Those at which a program died come last, for the others to be done first. */
static gboolean
run_all (const Options *options, OctConvertManifest *manifest,
    OctConvertWork *folders, GPtrArray *inputs, Work *work, GError **error)
{
  g_autoptr (GPtrArray) later = g_ptr_array_new ();
  gboolean ok = TRUE;

  work->files = inputs->len;
  work->start = g_get_monotonic_time ();
  for (guint i = 0; i < inputs->len; i++)
    if (convert_look (options, manifest, inputs->pdata[i])
        != OCT_CONVERT_RESULT_DONE)
      work->bytes += ((OctConvertInput *)inputs->pdata[i])->size;
  for (guint i = 0; ok && i < inputs->len; i++) {
    OctConvertInput *input = inputs->pdata[i];

    work->at = i + 1;
    if (convert_pass (options, manifest, input, work))
      continue;
    if (oct_convert_work_count (folders, input, options->text) > 0)
      g_ptr_array_add (later, input);
    else
      ok = convert_one (options, manifest, folders, input, work, error);
  }
  for (guint i = 0; ok && i < later->len; i++) {
    OctConvertInput *input = later->pdata[i];

    work->at = inputs->len - later->len + i + 1;
    if (oct_convert_work_count (folders, input, options->text) >= MAX_BEGUN)
      ok = convert_leave_out (options, manifest, folders, input, work, error);
    else
      ok = convert_one (options, manifest, folders, input, work, error);
  }
  print_summary (work);
  return ok;
}

static gboolean
run_part (const Options *options, OctConvertManifest *manifest,
    GPtrArray *inputs, Work *work, GError **error)
{
  OctConvertWork *folders = oct_convert_work_open (
      options->output, options->part_number, options->parts);
  gboolean ok = run_all (options, manifest, folders, inputs, work, error);

  oct_convert_work_close (folders, ok);
  return ok;
}

/* Inputs that are converted and of which B-scans are missing. */
static void
convert_count_incomplete (const Options *options,
    const OctConvertManifest *manifest, GPtrArray *inputs, Work *work)
{
  for (guint i = 0; i < inputs->len; i++)
    work->all_incomplete +=
        convert_look (options, manifest, inputs->pdata[i])
            == OCT_CONVERT_RESULT_DONE
        && *oct_convert_manifest_get_note (manifest, inputs->pdata[i]) != '\0';
}

/* Of those that are converted. */
static gboolean
convert_write_tables (const Options *options,
    const OctConvertManifest *manifest, GPtrArray *inputs, GError **error)
{
  g_autoptr (GPtrArray) done = g_ptr_array_new ();

  for (guint i = 0; i < inputs->len; i++)
    if (convert_look (options, manifest, inputs->pdata[i])
        == OCT_CONVERT_RESULT_DONE)
      g_ptr_array_add (done, inputs->pdata[i]);
  return done->len == 0
         || oct_convert_bids_write_tables (options->output,
             options->file.deidentify ? "OCT" : NULL, done,
             options->file.file_mode, error);
}

/* `table`: the folder of the manifests. */
static gboolean
convert_run_with (
    const Options *options, const char *table, Work *work, GError **error)
{
  g_autoptr (GPtrArray) inputs = NULL;
  g_autoptr (OctConvertManifest) manifest = NULL;
  gboolean ok;

  inputs = oct_convert_find_inputs (
      options->inputs, options->output, work->failures, error);
  work->unread = work->failures->len;
  if (inputs == NULL || !oct_launch_make_folder (options->output, error)
      || !oct_launch_make_folder (table, error))
    return FALSE;
  oct_launch_check_folder (options->output, 0600);
  if (options->table != NULL)
    oct_launch_check_folder (table, 0600);
  if (options->file.bids && !oct_convert_bids_name_inputs (inputs, error))
    return FALSE;
  if (options->parts > 0)
    oct_convert_take_part (inputs, options->part_number, options->parts);
  manifest = oct_convert_manifest_open (
      options->output, table, options->part_number, options->parts, error);
  if (manifest == NULL)
    return FALSE;
  if (options->file.deidentify)
    oct_convert_deidentify_name_inputs (inputs, manifest);
  else if (options->file.bids
           && !oct_convert_bids_check_earlier (inputs, manifest, error))
    return FALSE;
  ok = options->summary
           ? oct_convert_manifest_merge (manifest, error)
                 && oct_convert_print_state (manifest, inputs, options->output,
                     options->text, options->checksums, work->failures, error)
           : run_part (options, manifest, inputs, work, error);
  /* programs at work on other parts would write the same tables */
  if (options->file.bids && options->parts == 0)
    ok = convert_write_tables (options, manifest, inputs, ok ? error : NULL)
         && ok;
  if (ok)
    convert_count_incomplete (options, manifest, inputs, work);
  return ok;
}

static gboolean
convert_run (const Options *options, Work *work, GError **error)
{
  g_autofree char *table = NULL;
  gboolean ok;

  if (!convert_check_output (options, error))
    return FALSE;
  table = options->file.deidentify ? oct_convert_deidentify_open (
              options->output, options->table, error)
                                   : g_strdup (options->output);
  ok = table != NULL && convert_run_with (options, table, work, error);
  if (options->file.deidentify)
    oct_convert_deidentify_close (table, options->table);
  return ok;
}

/* ------------------------------------------------------------------ options */

static const char *const formats[] = { "npy", "nii", "tif", "h5", "dcm", "zarr",
  NULL };

/* NULL, or the error, one sentence. */
static const char *
convert_check_flow (const OctConvertOptions *f)
{
  if (f->ascans + f->flow + f->doppler > 1)
    return "Volumes hold one of --ascans, --flow and --doppler.";
  if (f->doppler && g_str_equal (f->format, "dcm"))
    return "--doppler needs --format npy, nii, tif, h5 or zarr: DICOM holds "
           "images.";
  if (f->bids && !g_str_equal (f->format, "zarr")
      && !g_str_equal (f->format, "tif"))
    return "--bids needs --format zarr or tif: BIDS has no others of images of "
           "OCT.";
  if ((f->repeats != 0 && !f->flow) || (f->line_rate != 0.0 && !f->doppler))
    return "--repeats belongs to --flow, and --line-rate to --doppler.";
  if (f->repeats < 0 || f->repeats == 1 || f->repeats > MOST_REPEATS
      || !(f->line_rate >= 0.0 && f->line_rate <= MOST_LINE_RATE))
    return "--repeats is the number of B-scans at each place, 2 to 64, and "
           "--line-rate is 0 to 1e9.";
  return NULL;
}

/* The same. */
static const char *
convert_check_deidentify (const Options *o)
{
  if (o->table != NULL && !o->file.deidentify)
    return "--table belongs to --deidentify; without it the manifest is in the "
           "folder of --output.";
  if (o->file.deidentify && o->part != NULL)
    return "--deidentify numbers all files of a run; leave out --part.";
  if (o->file.deidentify && o->summary && o->table == NULL)
    return "--summary with --deidentify needs --table, the folder with the "
           "manifest.";
  return NULL;
}

static gboolean
convert_check (Options *o, GError **error)
{
  OctConvertOptions *f = &o->file;
  const char *problem = NULL;
  char after;

  if (f->format == NULL)
    f->format = g_strdup (f->bids ? "zarr" : "nii");
  if (o->inputs == NULL)
    problem = "No file is named.";
  else if (o->output == NULL)
    problem = "--output is missing, the folder for the volumes.";
  else if (!g_strv_contains (formats, f->format))
    problem = "--format is npy, nii, tif, h5, dcm or zarr.";
  else if (f->source.data != NULL)
    problem = "The files are named without --data.";
  else if (f->ascans
           && (g_str_equal (f->format, "tif") || g_str_equal (f->format, "dcm")
               || g_str_equal (f->format, "zarr")))
    problem = "--ascans needs --format npy, nii or h5: the others hold images.";
  else if (f->bscans < 0 || !(f->width_um >= 0.0 && f->width_um <= MAX_UM)
           || !(f->length_um >= 0.0 && f->length_um <= MAX_UM)
           || !(f->refractive_index >= 1.0 && f->refractive_index <= 4.0))
    problem = "--bscans is not negative, --width-um and --length-um are 0 to "
              "1000000, and --refractive-index is 1 to 4.";
  else if (f->crop_start < 0 || f->crop_end < 0)
    problem = "--crop-start and --crop-end are not negative.";
  else if (f->length_um > 0.0 && f->bscans == 1)
    problem = "--length-um is from the first B-scan to the last, but --bscans "
              "is 1; set it to 2 or more, or leave it out.";
  else if ((f->min != 0.0 || f->max != 0.0) && !(f->max > f->min))
    problem = "--max is above --min.";
  else if (o->part != NULL
           && (sscanf (o->part, "%u/%u%c", &o->part_number, &o->parts, &after)
                   != 2
               || o->part_number < 1 || o->part_number > o->parts))
    problem = "--part is K/N, the K-th of N parts, such as 1/4.";
  else if (o->part != NULL && o->summary)
    problem = "--summary is of all parts; leave out --part.";
  else if ((f->ascans || f->flow || f->doppler)
           && (f->view.average != 1 || f->view.speckle))
    problem =
        "--average and --speckle are for images, but --ascans, --flow and "
        "--doppler write others; leave one of them out.";
  else if (f->view.depths != NULL && oct_source_options_has_depths (&f->source))
    problem = OCT_VIEW_DEPTHS_TWICE;
  else if ((problem = convert_check_flow (f)) == NULL
           && (problem = oct_convert_remap_check (f)) == NULL)
    problem = convert_check_deidentify (o);
  f->view.index = f->refractive_index;
  if (problem == NULL)
    return oct_view_options_check (&f->view, error)
           && oct_source_options_check (&f->source, NULL, error);
  g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE, "%s", problem);
  return FALSE;
}

#define SUMMARY                                                                \
  "Reconstructs files of spectra, or all files of a folder, to volumes for\n"  \
  "other programs.  Files that were converted before are left as they are.\n"  \
  "A file that fails is reported, and the others go on."

/* Those on the archive and its files. */
static void
convert_add_archive_options (GOptionContext *context, Options *o)
{
  OctConvertOptions *f = &o->file;
  /* clang-format off */
  const GOptionEntry entries[] = {
    { "deidentify", 0, 0, G_OPTION_ARG_NONE, &f->deidentify,
      "No names, identifiers and dates in volumes, in what lies beside them and in their names, which become numbers; no manifest",
      NULL },
    { "table", 0, 0, G_OPTION_ARG_FILENAME, &o->table,
      "--deidentify: folder for the manifest, which says which file became which number and lets runs continue",
      "DIR" },
    { "checksums", 0, 0, G_OPTION_ARG_NONE, &o->checksums,
      "SHA-256 of every volume in the manifest", NULL },
    { "part", 0, 0, G_OPTION_ARG_STRING, &o->part,
      "Convert only the K-th of N parts of about equal size", "K/N" },
    { "summary", 0, 0, G_OPTION_ARG_NONE, &o->summary,
      "Convert nothing: list what is converted and what is missing, and join the manifests of the parts; with --checksums, compare the volumes",
      NULL },
    { "mode", 0, 0, G_OPTION_ARG_STRING, &o->mode,
      "Permissions of the volumes, such as 0640 (default: 0600, you alone)",
      "OCTAL" },
    { NULL },
  };
  /* clang-format on */

  oct_options_add (context, "Archive", entries, NULL);
}

static gboolean
convert_parse_options (int *argc, char ***argv, Options *o, GError **error)
{
  OctConvertOptions *f = &o->file;
  /* clang-format off */
  const GOptionEntry volumes[] = {
    { "output", 0, 0, G_OPTION_ARG_FILENAME, &o->output,
      "Folder for the volumes", "DIR" },
    { "format", 0, 0, G_OPTION_ARG_STRING, &f->format,
      "npy, nii (NIfTI, default), tif, h5 (HDF5), dcm (DICOM, which needs "
      "--width-um and --length-um) or zarr (OME-Zarr)", "F" },
    { "bscans", 0, 0, G_OPTION_ARG_INT, &f->bscans,
      "B-scans per volume (default: as the file says)", "N" },
    { "width-um", 0, 0, G_OPTION_ARG_DOUBLE, &f->width_um,
      "Width of a B-scan", "UM" },
    { "length-um", 0, 0, G_OPTION_ARG_DOUBLE, &f->length_um,
      "Length of a volume, from its first B-scan to its last", "UM" },
    { "crop-start", 0, 0, G_OPTION_ARG_INT, &f->crop_start,
      "A-lines at the start of each B-scan to leave out, as flyback", "N" },
    { "crop-end", 0, 0, G_OPTION_ARG_INT, &f->crop_end,
      "A-lines at the end of each B-scan to leave out", "N" },
    { "dicom-tags", 0, 0, G_OPTION_ARG_STRING, &f->dicom_tags,
      "Further attributes of DICOM files: PatientID=42;...", "TAGS" },
    { "bids", 0, 0, G_OPTION_ARG_NONE, &f->bids,
      "Names of BIDS (_OCT), a JSON file beside each volume, and the tables of a dataset (zarr, the default then, or tif)",
      NULL },
    { NULL },
  };
  const GOptionEntry reconstruction[] = {
    { "method", 0, 0, G_OPTION_ARG_STRING, &f->method,
      "Reconstruction: cubic (default), linear, lanczos, nufft, nudft, cs",
      "M" },
    { "ascans", 0, 0, G_OPTION_ARG_NONE, &f->ascans,
      "Complex A-scans in place of images (npy, nii, h5)", NULL },
    { "flow", 0, 0, G_OPTION_ARG_NONE, &f->flow,
      "Images of vessels, from B-scans that are repeated at each place", NULL },
    { "repeats", 0, 0, G_OPTION_ARG_INT, &f->repeats,
      "--flow: B-scans at each place (default: as the file says)", "N" },
    { "doppler", 0, 0, G_OPTION_ARG_NONE, &f->doppler,
      "Velocities along the beam in mm/s (npy, nii, tif, h5, zarr)", NULL },
    { "line-rate", 0, 0, G_OPTION_ARG_DOUBLE, &f->line_rate,
      "--doppler: A-lines per second (default: as the file says)", "R" },
    { "min", 0, 0, G_OPTION_ARG_DOUBLE, &f->min,
      "Black in dB, with --max (default: by the contrast of the images)",
      "DB" },
    { "max", 0, 0, G_OPTION_ARG_DOUBLE, &f->max, "White in dB", "DB" },
    { "refractive-index", 0, 0, G_OPTION_ARG_DOUBLE, &f->refractive_index,
      "Refractive index of the sample (default: " G_STRINGIFY (
          OCT_TISSUE_INDEX) ", tissue; 1: air)", "N" },
    { NULL },
  };
  const GOptionEntry entries[] = {
    { "data", 0, G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_FILENAME, &f->source.data,
      "As the other programs have it; convert_check() says how it is here",
      "FILE" },
    { G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &o->inputs, "",
      "FILE..." },
    { NULL },
  };
  /* clang-format on */
  g_autoptr (GOptionContext) context = g_option_context_new (NULL);

  f->refractive_index = OCT_TISSUE_INDEX;
  g_option_context_set_summary (context, SUMMARY);
  g_option_context_add_main_entries (context, entries, NULL);
  oct_options_add (context, "Volumes", volumes, NULL);
  oct_source_options_add (context, FALSE, &f->source);
  oct_options_add (context, "Reconstruction", reconstruction, NULL);
  oct_sensing_options_add (context, &f->sensing);
  oct_view_options_join (argc, *argv);
  oct_view_options_add (context, FALSE, &f->view);
  oct_convert_remap_add_options (context, f);
  convert_add_archive_options (context, o);
  oct_options_add_help (context);
  return g_option_context_parse (context, argc, argv, error)
         && convert_check (o, error);
}

static gboolean
convert_check_method (const Options *options, GError **error)
{
  g_autofree char *list = NULL;

  if (oct_methods ()->id == NULL) {
    g_set_error_literal (error, GST_CORE_ERROR, GST_CORE_ERROR_MISSING_PLUGIN,
        "GStreamer does not find octreconstruct; set GST_PLUGIN_PATH to its "
        "folder.");
    return FALSE;
  }
  if (options->file.method == NULL
      || oct_method_find (options->file.method) != NULL)
    return TRUE;
  list = oct_method_list ();
  g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
      "--method is one of %s, not '%s'.", list, options->file.method);
  return FALSE;
}

static void
clear_options (Options *o)
{
  oct_source_options_clear (&o->file.source);
  g_free (o->file.format);
  g_free (o->file.method);
  oct_sensing_options_clear (&o->file.sensing);
  oct_view_options_clear (&o->file.view);
  g_free (o->file.dicom_tags);
  g_free (o->file.remap_settings);
  g_free (o->file.flip);
  g_strfreev (o->inputs);
  g_free (o->output);
  g_free (o->part);
  g_free (o->mode);
  g_free (o->table);
  g_free (o->text);
}

int
main (int argc, char **argv)
{
  Options options = { 0 };
  Work work = { 0 };
  g_autoptr (GError) error = NULL;
  int status = EXIT_SUCCESS;

  oct_terminal_begin ();
  work.failures = g_ptr_array_new_with_free_func (g_free);
  if (!convert_parse_options (&argc, &argv, &options, &error)
      || !oct_launch_set_mode (options.mode, &options.file.file_mode, &error)) {
    status = 2;
  } else {
    oct_launch_catch_interrupts ();
    gst_init (NULL, NULL);
    oct_launch_shows_warnings ();
    options.text = oct_convert_describe (&options.file);
    if (!convert_check_method (&options, &error)
        || !oct_convert_check_pipeline (&options.file, &error))
      status = 2;
    else if (!convert_run (&options, &work, &error) || work.failed > 0
             || work.unread > 0)
      status = EXIT_FAILURE;
    else if (work.all_incomplete > 0)
      status = STATUS_INCOMPLETE;
  }
  if (error != NULL)
    g_printerr ("%s%s%s\n", status == 2 ? "" : "Error: ", error->message,
        status == 2 ? " See --help." : "");
  g_ptr_array_unref (work.failures);
  clear_options (&options);
  return status;
}
