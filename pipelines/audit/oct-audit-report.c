/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-audit-report.h"
#include "oct-audit-files.h"
#include "oct-options.h"

#include <string.h>

/* Pictures of one report, and rows of a table of measurements. */
#define MOST_PICTURES 40
#define MOST_ROWS 200
/* Bytes of a text that is shown, and of measurements that are read. */
#define MOST_TEXT 65536
#define MOST_MEASUREMENTS (64 << 20)

#define STYLE                                                                  \
  "body{font:11pt/1.45 sans-serif;color:#111;max-width:58em;margin:2em auto;"  \
  "padding:0 1em}h1{font-size:1.5em;margin:0}h2{font-size:1.2em;"              \
  "border-bottom:1px solid #999;margin:1.6em 0 .5em}h3{font-size:1em;"         \
  "margin:1.2em 0 .3em}.label{font-size:1.3em;margin:.2em 0 1em}"              \
  "table{border-collapse:collapse;width:100%;font-size:.9em;margin:.4em 0}"    \
  "th,td{text-align:left;vertical-align:top;padding:.2em .6em .2em 0;"         \
  "border-bottom:1px solid #ddd;overflow-wrap:anywhere}th{color:#444;"         \
  "white-space:nowrap}.n{text-align:right;white-space:nowrap}"                 \
  ".t{white-space:nowrap}pre{white-space:pre-wrap;background:#f4f4f4;"         \
  "padding:.5em;font-size:.85em}code,pre,.label{overflow-wrap:anywhere}"       \
  "code{font-size:.8em}.good{color:#060}.bad{color:#a00;font-weight:bold}"     \
  "img{max-width:100%;border:1px solid #999;display:block;margin:.4em 0}"      \
  "figure{margin:0 0 1em;break-inside:avoid}section{break-inside:auto}"        \
  "tr,img{break-inside:avoid}h2,h3{break-after:avoid}"                         \
  "@media print{body{margin:0;max-width:none;font-size:9.5pt}}"

typedef struct {
  const OctAuditReport *report;
  GString *text;
  GPtrArray *names; /* of all recordings and kept moments */
  guint pictures;
  guint good, bad, open; /* recordings that are proven, are not, cannot be */
} Page;

/* ---------------------------------------------------------------------- text */

/* Whether a character changes the direction of the text around it, or is none
 * that is seen. */
static gboolean
report_is_hidden (gunichar c)
{
  GUnicodeType type = g_unichar_type (c);

  return type == G_UNICODE_CONTROL || type == G_UNICODE_FORMAT
         || type == G_UNICODE_LINE_SEPARATOR
         || type == G_UNICODE_PARAGRAPH_SEPARATOR;
}

/* Any text as text of HTML, also in quotation marks; `lines`: line ends stay. */
static void
report_add_text (GString *text, const char *words, gboolean lines)
{
  for (const char *c = words; *c != '\0'; c = g_utf8_next_char (c)) {
    gunichar one = g_utf8_get_char (c);

    if (one == '&')
      g_string_append (text, "&amp;");
    else if (one == '<')
      g_string_append (text, "&lt;");
    else if (one == '>')
      g_string_append (text, "&gt;");
    else if (one == '"')
      g_string_append (text, "&quot;");
    else if (one == '\'')
      g_string_append (text, "&#39;");
    else if (report_is_hidden (one) && !(lines && (one == '\n' || one == '\t')))
      g_string_append_printf (text, "[U+%04X]", (guint)one);
    else
      g_string_append_unichar (text, one);
  }
}

/* A name of a file may be any bytes. */
static void
report_add_name (GString *text, const char *name)
{
  g_autofree char *valid = g_utf8_make_valid (name, -1);

  report_add_text (text, valid, FALSE);
}

static void
report_add_row (GString *text, const char *name, const char *words)
{
  g_string_append_printf (text, "<tr><th>%s</th><td>", name);
  report_add_text (text, words, FALSE);
  g_string_append (text, "</td></tr>\n");
}

static void
report_add_count (GString *text, const char *name, guint64 count)
{
  g_string_append_printf (text,
      "<tr><th>%s</th><td>%" G_GUINT64_FORMAT "</td></tr>\n", name, count);
}

static GDateTime *
report_parse_time (const char *time)
{
  g_autoptr (GTimeZone) utc = g_time_zone_new_utc ();

  return g_date_time_new_from_iso8601 (time, utc);
}

/* "2026-01-31 09:15:02 UTC", or as it is. */
static char *
report_describe_time (const char *time)
{
  g_autoptr (GDateTime) parsed = report_parse_time (time);

  return parsed != NULL ? g_date_time_format (parsed, "%F %T UTC")
                        : g_strdup (time);
}

static void
report_add_time (GString *text, const char *name, const char *time)
{
  g_autofree char *words = report_describe_time (time);

  report_add_row (text, name, words);
}

/* "0:12:07", or NULL if one of the times is not one. */
static char *
report_describe_duration (const char *from, const char *to)
{
  g_autoptr (GDateTime) begin = report_parse_time (from);
  g_autoptr (GDateTime) end = to != NULL ? report_parse_time (to) : NULL;
  gint64 seconds;

  if (begin == NULL || end == NULL)
    return NULL;
  seconds = g_date_time_difference (end, begin) / G_TIME_SPAN_SECOND;
  return g_strdup_printf ("%s%" G_GINT64_FORMAT ":%02d:%02d",
      seconds < 0 ? "-" : "", ABS (seconds) / 3600,
      (int)(ABS (seconds) / 60 % 60), (int)(ABS (seconds) % 60));
}

/* --------------------------------------------------------------------- files */

static void
report_add_picture (Page *page, const char *path, double part)
{
  g_autofree char *picture = page->pictures < MOST_PICTURES
                                 ? oct_audit_files_picture (path, part)
                                 : NULL;

  if (picture == NULL)
    return;
  page->pictures++;
  g_string_append_printf (
      page->text, "<img alt=\"A picture of the file\" src=\"%s\">\n", picture);
}

static void
report_add_files (Page *page, GPtrArray *files)
{
  if (files->len == 0)
    return;
  g_string_append (page->text,
      "<table><tr><th>File</th><th class=n>Bytes</th><th class=n>Images</th>"
      "<th>SHA-256</th></tr>\n");
  for (guint i = 0; i < files->len; i++) {
    const OctAuditFile *file = files->pdata[i];

    g_string_append (page->text, "<tr><td>");
    report_add_name (page->text, file->name);
    g_string_append_printf (page->text,
        "</td><td class=n>%" G_GUINT64_FORMAT "</td><td class=n>", file->bytes);
    if (file->is_video)
      g_string_append_printf (page->text, "%" G_GUINT64_FORMAT, file->frames);
    g_string_append_printf (page->text, "</td><td><code>%s</code>",
        file->sum != NULL ? file->sum : "");
    if (file->problem != NULL) {
      g_string_append (page->text, "<span class=bad>");
      report_add_name (page->text, file->problem);
      g_string_append (page->text, "</span>");
    }
    g_string_append (page->text, "</td></tr>\n");
  }
  g_string_append (page->text, "</table>\n");
}

/* A file of measurements, whose cells have no commas. */
static void
report_add_table (GString *text, const char *csv)
{
  g_auto (GStrv) lines = g_strsplit (csv, "\n", MOST_ROWS + 1);

  g_string_append (text, "<table>\n");
  for (guint i = 0; lines[i] != NULL && i < MOST_ROWS; i++) {
    g_auto (GStrv) cells = g_strsplit (lines[i], ",", 16);

    if (*lines[i] == '\0')
      continue;
    g_string_append (text, "<tr>");
    for (guint k = 0; cells[k] != NULL; k++) {
      g_string_append (text, i == 0 ? "<th>" : "<td>");
      report_add_text (text, cells[k], FALSE);
      g_string_append (text, i == 0 ? "</th>" : "</td>");
    }
    g_string_append (text, "</tr>\n");
  }
  g_string_append (text, "</table>\n");
}

/* The texts beside a recording, notes and measurements. */
static void
report_add_beside (Page *page, GPtrArray *files)
{
  for (guint i = 0; i < files->len; i++) {
    const OctAuditFile *file = files->pdata[i];
    gboolean meters = g_str_has_suffix (file->name, "-meters.csv");
    g_autofree char *words = NULL;

    if (!meters && !g_str_has_suffix (file->name, ".txt")
        && !g_str_has_suffix (file->name, "-notes.csv"))
      continue;
    words = oct_audit_files_read (file, MOST_TEXT);
    if (words == NULL)
      continue;
    g_string_append (page->text, "<p>");
    report_add_name (page->text, file->name);
    g_string_append (page->text, ":</p>\n");
    if (meters) {
      report_add_table (page->text, words);
    } else {
      g_string_append (page->text, "<pre>");
      report_add_text (page->text, words, TRUE);
      g_string_append (page->text, "</pre>\n");
    }
  }
}

/* The numbers in two columns of a line of measurements; FALSE: it has none. */
static gboolean
report_read_numbers (const char *line, const int columns[2], guint64 numbers[2])
{
  g_auto (GStrv) cells = g_strsplit (line, ",", -1);
  int count = (int)g_strv_length (cells);

  for (guint i = 0; i < 2; i++)
    if (columns[i] < 0 || columns[i] >= count
        || !g_ascii_string_to_unsigned (
            cells[columns[i]], 10, 0, G_MAXUINT64, &numbers[i], NULL))
      return FALSE;
  return TRUE;
}

static void
report_find_columns (const char *line, int columns[2])
{
  g_auto (GStrv) names = g_strsplit (line, ",", -1);

  columns[0] = columns[1] = -1;
  for (int i = 0; names[i] != NULL; i++)
    if (g_str_equal (names[i], "bscans"))
      columns[0] = i;
    else if (g_str_equal (names[i], "missing"))
      columns[1] = i;
}

/* Each measurement has the B-scans of the source so far, and those that are
 * missing by its numbers. */
static void
report_add_missing (Page *page, const OctAuditFile *file)
{
  g_autofree char *words = oct_audit_files_read (file, MOST_MEASUREMENTS);
  g_auto (GStrv) lines = g_strsplit (words != NULL ? words : "", "\n", -1);
  guint64 first[2], last[2], numbers[2];
  int columns[2];
  guint count = 0;

  if (lines[0] == NULL)
    return;
  report_find_columns (lines[0], columns);
  for (guint i = 1; lines[i] != NULL; i++)
    if (report_read_numbers (lines[i], columns, numbers)) {
      memcpy (count == 0 ? first : last, numbers, sizeof numbers);
      count++;
    }
  if (count < 2 || last[0] < first[0] || last[1] < first[1])
    return;
  g_string_append_printf (page->text,
      "<p class=%s>By the numbers of the source, %" G_GUINT64_FORMAT
      " B-scans were missing from the first measurement to the last, in which "
      "%" G_GUINT64_FORMAT " came.</p>\n",
      last[1] > first[1] ? "bad" : "good", last[1] - first[1],
      last[0] - first[0]);
}

/* `frames`: in the videos; FALSE: one cannot be read. */
static gboolean
report_count (GPtrArray *files, guint64 *frames, guint *videos)
{
  gboolean whole = TRUE;

  *frames = 0;
  *videos = 0;
  for (guint i = 0; i < files->len; i++) {
    const OctAuditFile *file = files->pdata[i];

    *videos += file->is_video;
    *frames += file->frames;
    whole &= !file->is_video || file->problem == NULL;
  }
  return whole;
}

/* ---------------------------------------------------------------- recordings */

static void
report_add_verdict (Page *page, guint *count, const char *sentence)
{
  (*count)++;
  g_string_append_printf (page->text, "<p class=%s>%s</p>\n",
      count == &page->good ? "good" : "bad", sentence);
}

/* The counts of the program that wrote, and those of the files as they are. */
static void
report_judge (Page *page, const OctAuditRecording *recording, GPtrArray *files)
{
  g_autofree char *sentence = NULL;
  guint64 frames;
  guint videos;

  if (recording->ended == NULL) {
    report_add_verdict (page, &page->open,
        "The audit has no end of this recording: the program was stopped, or "
        "still records.");
    return;
  }
  if (files == NULL || recording->images < 0) {
    report_add_verdict (page, &page->open,
        files == NULL ? "Its files were not looked at."
                      : "The audit does not say how many images it has.");
    return;
  }
  if (!report_count (files, &frames, &videos) || videos == 0)
    sentence = g_strdup (videos == 0 ? "Its files are not in the folder."
                                     : "One of its files cannot be read.");
  else if (frames != (guint64)recording->images)
    sentence =
        g_strdup_printf ("The program wrote %" G_GINT64_FORMAT
                         " images, and the files have %" G_GUINT64_FORMAT ".",
            recording->images, frames);
  else if (recording->dropped != 0 || recording->trouble != NULL)
    sentence = g_strdup_printf ("The files have the %" G_GUINT64_FORMAT
                                " images that were written; %" G_GINT64_FORMAT
                                " were dropped.",
        frames, MAX (recording->dropped, 0));
  if (sentence != NULL) {
    report_add_verdict (page, &page->bad, sentence);
    return;
  }
  sentence = g_strdup_printf (
      "Nothing was lost on the way to the disk: the program was given "
      "%" G_GUINT64_FORMAT " images, dropped none, and the files have "
      "%" G_GUINT64_FORMAT ".",
      frames, frames);
  report_add_verdict (page, &page->good, sentence);
}

static void
report_add_counts (Page *page, const OctAuditRecording *recording)
{
  g_autofree char *duration =
      report_describe_duration (recording->begun, recording->ended);

  g_string_append (page->text, "<table>\n");
  report_add_time (page->text, "Begun", recording->begun);
  report_add_time (page->text, "Ended",
      recording->ended != NULL ? recording->ended : "not in the audit");
  if (duration != NULL)
    report_add_row (page->text, "Duration", duration);
  if (recording->ended != NULL) {
    report_add_count (
        page->text, "Images", (guint64)MAX (recording->images, 0));
    report_add_count (
        page->text, "Dropped", (guint64)MAX (recording->dropped, 0));
    report_add_count (page->text, "Bytes", (guint64)MAX (recording->bytes, 0));
  }
  if (recording->earlier)
    report_add_row (page->text, "Note",
        "It began before the case, and shows more than it.");
  if (recording->trouble != NULL)
    report_add_row (page->text, "Trouble", recording->trouble);
  g_string_append (page->text, "</table>\n");
}

static const OctAuditFile *
report_find_video (GPtrArray *files)
{
  for (guint i = 0; i < files->len; i++)
    if (((OctAuditFile *)files->pdata[i])->is_video)
      return files->pdata[i];
  return NULL;
}

/* *files: NULL without a folder. */
static gboolean
report_find_files (
    Page *page, const char *name, GPtrArray **files, GError **error)
{
  *files = NULL;
  if (page->report->folder == NULL)
    return TRUE;
  *files =
      oct_audit_files_find (page->report->folder, name, page->names, error);
  return *files != NULL;
}

/* `part`: place of the picture in the first video. */
static void
report_show_files (Page *page, GPtrArray *files, double part)
{
  const OctAuditFile *video = report_find_video (files);

  for (guint i = 0; i < files->len; i++)
    if (g_str_has_suffix (
            ((OctAuditFile *)files->pdata[i])->name, "-spectra.csv"))
      report_add_missing (page, files->pdata[i]);
  if (video != NULL)
    report_add_picture (page, video->path, part);
  report_add_files (page, files);
  report_add_beside (page, files);
}

static gboolean
report_add_recordings (Page *page, GError **error)
{
  GPtrArray *all = page->report->one->recordings;
  guint count = 0;

  for (guint i = 0; i < all->len; i++) {
    const OctAuditRecording *recording = all->pdata[i];
    g_autoptr (GPtrArray) files = NULL;

    if (!recording->mine)
      continue;
    if (count++ == 0)
      g_string_append (page->text, "<h2>Recordings</h2>\n");
    if (!report_find_files (page, recording->name, &files, error))
      return FALSE;
    g_string_append (page->text, "<section><h3>");
    report_add_text (page->text, recording->name, FALSE);
    g_string_append (page->text, "</h3>\n");
    report_judge (page, recording, files);
    report_add_counts (page, recording);
    if (files != NULL)
      report_show_files (page, files, 0.5);
    g_string_append (page->text, "</section>\n");
  }
  return TRUE;
}

/* "Kept at ...: the last 3.0 s, 90 images": FALSE: it does not say that. */
static gboolean
report_find_images (const OctAuditFile *file, guint64 *images)
{
  g_autofree char *words = oct_audit_files_read (file, MOST_TEXT);
  char *end = words != NULL ? strstr (words, " images\n") : NULL;
  char *begin = end;

  while (begin != NULL && begin > words && g_ascii_isdigit (begin[-1]))
    begin--;
  if (begin == end || strchr (words, '\n') < end)
    return FALSE;
  *images = g_ascii_strtoull (begin, NULL, 10);
  return TRUE;
}

/* The count of the program is in the text beside the file. */
static void
report_judge_kept (Page *page, GPtrArray *files)
{
  guint64 frames, images;
  guint videos;
  gboolean whole = report_count (files, &frames, &videos);

  if (files->len == 0)
    g_string_append (
        page->text, "<p class=bad>Its file is not in the folder.</p>\n");
  for (guint i = 0; i < files->len; i++)
    if (videos > 0
        && g_str_has_suffix (((OctAuditFile *)files->pdata[i])->name, ".txt")
        && report_find_images (files->pdata[i], &images))
      g_string_append_printf (page->text,
          "<p class=%s>The program kept %" G_GUINT64_FORMAT
          " images, and the file has %" G_GUINT64_FORMAT ".</p>\n",
          whole && images == frames ? "good" : "bad", images, frames);
}

/* The picture is that of the moment, at the end of the file. */
static gboolean
report_add_kept (Page *page, GError **error)
{
  GPtrArray *all = page->report->one->kept;

  if (all->len > 0)
    g_string_append (page->text, "<h2>Kept moments</h2>\n");
  for (guint i = 0; i < all->len; i++) {
    const OctAuditKept *kept = all->pdata[i];
    g_autofree char *time = report_describe_time (kept->time);
    g_autoptr (GPtrArray) files = NULL;

    g_string_append (page->text, "<section><h3>");
    report_add_text (page->text, time, FALSE);
    g_string_append_printf (
        page->text, "</h3>\n<p%s>", kept->name != NULL ? "" : " class=bad");
    report_add_text (page->text, kept->sentence, FALSE);
    g_string_append (page->text, "</p>\n");
    if (kept->name != NULL
        && !report_find_files (page, kept->name, &files, error))
      return FALSE;
    if (files != NULL) {
      report_judge_kept (page, files);
      report_show_files (page, files, 0.97);
    }
    g_string_append (page->text, "</section>\n");
  }
  return TRUE;
}

/* -------------------------------------------------------------------- events */

static void
report_add_people (Page *page)
{
  GPtrArray *all = page->report->one->people;

  if (all->len == 0)
    return;
  g_string_append (page->text,
      "<h2>Commands came from</h2>\n<table><tr><th>Who</th><th>Address</th>"
      "<th>First</th><th>Last</th><th class=n>Commands</th>"
      "<th class=n>Refused</th></tr>\n");
  for (guint i = 0; i < all->len; i++) {
    const OctAuditPerson *person = all->pdata[i];
    const char *const cells[] = { person->by, person->address, person->first,
      person->last };

    g_string_append (page->text, "<tr>");
    for (guint k = 0; k < G_N_ELEMENTS (cells); k++) {
      g_string_append (page->text, k < 2 ? "<td>" : "<td class=t>");
      report_add_text (page->text, cells[k], FALSE);
      g_string_append (page->text, "</td>");
    }
    g_string_append_printf (page->text,
        "<td class=n>%u</td><td class=n>%u</td></tr>\n", person->commands,
        person->refused);
  }
  g_string_append (page->text, "</table>\n");
}

static void
report_add_events (Page *page)
{
  const OctAuditCase *one = page->report->one;

  g_string_append (page->text, "<h2>Events</h2>\n<table>\n");
  for (guint i = 0; i < one->events->len; i++) {
    const OctAuditEvent *event = one->events->pdata[i];

    g_string_append (page->text, "<tr><td class=t>");
    report_add_text (page->text, event->time, FALSE);
    g_string_append (page->text, "</td><td>");
    report_add_text (page->text, event->event, FALSE);
    g_string_append (page->text, "</td><td>");
    report_add_text (page->text, event->fields, FALSE);
    g_string_append (page->text, "</td></tr>\n");
  }
  g_string_append (page->text, "</table>\n");
  if (one->more > 0)
    g_string_append_printf (page->text,
        "<p>And %" G_GUINT64_FORMAT " others; oct-audit --list prints "
        "them.</p>\n",
        one->more);
}

static void
report_add_audit (Page *page)
{
  const OctAuditChain *chain = page->report->chain;

  g_string_append (page->text, "<h2>The audit</h2>\n<table>\n");
  for (char *const *path = page->report->audits; *path != NULL; path++) {
    g_autofree char *name = g_path_get_basename (*path);
    g_autofree char *valid = g_utf8_make_valid (name, -1);

    report_add_row (page->text, "File", valid);
  }
  report_add_count (page->text, "Events", chain->lines);
  report_add_row (page->text, "From", chain->first);
  report_add_row (page->text, "To", chain->last);
  report_add_count (page->text, "Events that were lost", chain->lost);
  report_add_count (page->text, "Lines that are cut off", chain->cut);
  report_add_count (
      page->text, "Times the clock was set back", chain->backwards);
  g_string_append_printf (page->text,
      "<tr><th>Hash of the last line</th><td><code>%s</code></td></tr>\n"
      "</table>\n",
      chain->whole);
  g_string_append (page->text,
      "<p>Each line of the audit has the SHA-256 of the line before it, and "
      "the chain is whole. A person with write access can make all of it anew: "
      "compare the hash with one that was noted elsewhere. The images of a "
      "recording were counted by the program when it wrote them, and again "
      "for this report by reading each file to its end. Images that the "
      "source itself lost, by its numbers, are those that are missing in the "
      "measurements.</p>\n");
}

/* ---------------------------------------------------------------------- page */

static void
report_add_spans (Page *page)
{
  const GPtrArray *spans = page->report->one->spans;

  for (guint i = 0; i + 1 < spans->len; i += 2) {
    g_autofree char *duration =
        report_describe_duration (spans->pdata[i], spans->pdata[i + 1]);

    report_add_time (page->text, "Begin", spans->pdata[i]);
    report_add_time (page->text, "End", spans->pdata[i + 1]);
    if (duration != NULL)
      report_add_row (page->text, "Duration", duration);
  }
}

static void
report_add_head (Page *page)
{
  const OctAuditCase *one = page->report->one;
  const char *title = one->label != NULL ? one->label : "all events";
  g_autoptr (GDateTime) now = g_date_time_new_now_utc ();
  g_autofree char *time = g_date_time_format_iso8601 (now);
  g_autofree char *maker =
      g_strdup_printf ("%s, by oct-audit %s", time, oct_version_get ());

  g_string_append (page->text,
      "<!DOCTYPE html>\n<html lang=en><head><meta charset=utf-8>\n"
      "<meta http-equiv=Content-Security-Policy content=\"default-src 'none'; "
      "img-src data:; style-src 'unsafe-inline'\">\n<title>Report: ");
  report_add_text (page->text, title, FALSE);
  g_string_append (page->text,
      "</title>\n<style>" STYLE "</style></head><body>\n<h1>Report of a case"
      "</h1>\n<p class=label>");
  report_add_text (page->text, title, FALSE);
  g_string_append (page->text, "</p>\n<table>\n");
  report_add_spans (page);
  if (one->side != NULL && *one->side != '\0')
    report_add_row (page->text, "Side", one->side);
  if (one->program != NULL)
    report_add_row (page->text, "Program", one->program);
  report_add_row (page->text, "Report made", maker);
}

/* Known when the rest of the page is made. */
static void
report_add_sums (GString *text, const Page *page)
{
  guint count = page->good + page->bad + page->open;

  g_string_append_printf (text, "<tr><th>Recordings</th><td>%u", count);
  if (count > 0)
    g_string_append_printf (text,
        " (without a loss %u, <span%s>with a loss %u</span>, not known %u)",
        page->good, page->bad > 0 ? " class=bad" : "", page->bad, page->open);
  g_string_append_printf (text,
      "</td></tr>\n<tr><th>Kept moments</th><td>%u</td></tr>\n</table>\n",
      page->report->one->kept->len);
}

static gboolean
report_save (const char *path, const GString *text, GError **error)
{
  g_autoptr (GFile) file = g_file_new_for_path (path);
  g_autoptr (GError) reason = NULL;
  g_autoptr (GFileOutputStream) stream =
      g_file_create (file, G_FILE_CREATE_PRIVATE, NULL, &reason);
  gboolean made = stream != NULL;

  if (made
      && g_output_stream_write_all (
          G_OUTPUT_STREAM (stream), text->str, text->len, NULL, NULL, &reason)
      && g_output_stream_close (G_OUTPUT_STREAM (stream), NULL, &reason))
    return TRUE;
  if (made)
    (void)g_file_delete (file, NULL, NULL);
  g_set_error (error, reason->domain, reason->code,
      "The report '%s' cannot be written (%s); set --report to a new file in a "
      "folder of yours.",
      path, reason->message);
  return FALSE;
}

static GPtrArray *
report_list_names (const OctAuditCase *one)
{
  GPtrArray *names = g_ptr_array_new ();

  for (guint i = 0; i < one->recordings->len; i++)
    g_ptr_array_add (
        names, ((OctAuditRecording *)one->recordings->pdata[i])->name);
  for (guint i = 0; i < one->kept->len; i++)
    if (((OctAuditKept *)one->kept->pdata[i])->name != NULL)
      g_ptr_array_add (names, ((OctAuditKept *)one->kept->pdata[i])->name);
  return names;
}

gboolean
oct_audit_report_write (
    const OctAuditReport *report, const char *path, GError **error)
{
  g_autoptr (GString) body = g_string_new (NULL);
  g_autoptr (GString) all = g_string_new (NULL);
  g_autoptr (GPtrArray) names = report_list_names (report->one);
  Page page = { .report = report, .text = body, .names = names };

  if (!report_add_recordings (&page, error) || !report_add_kept (&page, error))
    return FALSE;
  report_add_people (&page);
  report_add_events (&page);
  report_add_audit (&page);
  page.text = all;
  report_add_head (&page);
  report_add_sums (all, &page);
  g_string_append_len (all, body->str, (gssize)body->len);
  g_string_append (all, "</body></html>\n");
  return report_save (path, all, error);
}
