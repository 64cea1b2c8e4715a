/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-dicom-options.h"
#include "oct-dicom-link.h"
#include "oct-dicom-step.h"
#include "oct-options.h"

#include <string.h>

#define SUMMARY                                                                \
  "Talks to the systems of a hospital by DICOM: docs/hospital.md.\n\n"         \
  "Commands:\n"                                                                \
  "  echo       asks whether a system answers\n"                               \
  "  worklist   lists the patients of the day, for people, programs and "      \
  "oct-live\n"                                                                 \
  "  tags CASE  prints the --dicom-tags of a case of a worklist\n"             \
  "  video FILE makes a DICOM file of a film (MP4 with H.264)\n"               \
  "  send FILE  puts DICOM files into a queue, sends them to the archive and " \
  "has\n"                                                                      \
  "             it commit itself to keep them\n"                               \
  "  commit     goes on with a queue\n"                                        \
  "  step begin CASE           tells that a case of a worklist is in "         \
  "progress\n"                                                                 \
  "  step complete FILE...     tells that it is completed, with these "        \
  "objects\n"                                                                  \
  "  step discontinue FILE...  tells that it is not completed\n"               \
  "  step tell                 goes on with a queue"
#define EXAMPLES                                                               \
  "Examples:\n"                                                                \
  "  oct-dicom echo --peer ARCHIVE@pacs.hospital:11112\n"                      \
  "  oct-dicom worklist --peer WORKLIST@ris.hospital:104 --output cases.txt "  \
  "--every 60\n"                                                               \
  "  oct-dicom send --peer ARCHIVE@pacs.hospital:11112 --queue ~/queue "       \
  "--listen 0.0.0.0:11113 *.dcm"

static gboolean dicom_options_fail (GError **error, const char *format, ...)
    G_GNUC_PRINTF (2, 3);

static gboolean
dicom_options_fail (GError **error, const char *format, ...)
{
  va_list list;
  g_autofree char *sentence = NULL;

  va_start (list, format);
  sentence = g_strdup_vprintf (format, list);
  va_end (list);
  g_set_error_literal (
      error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE, sentence);
  return FALSE;
}

static gboolean
take_port (const char *text, guint *port)
{
  guint64 value;

  if (!g_ascii_string_to_unsigned (text, 10, 1, 65535, &value, NULL))
    return FALSE;
  *port = (guint)value;
  return TRUE;
}

static gboolean
take_peer (OctDicomOptions *o, GError **error)
{
  const char *at = o->peer_text != NULL ? strrchr (o->peer_text, '@') : NULL;
  const char *colon = at != NULL ? strrchr (at, ':') : NULL;

  if (colon == NULL || colon == at + 1 || !take_port (colon + 1, &o->peer.port))
    return dicom_options_fail (error,
        "--peer takes the AE title, the host and the port of a system, such as "
        "ARCHIVE@pacs.hospital:11112, not '%s'.",
        o->peer_text != NULL ? o->peer_text : "");
  o->peer.peer_aet = g_strndup (o->peer_text, (gsize)(at - o->peer_text));
  o->peer.host = g_strndup (at + 1, (gsize)(colon - at - 1));
  /* DCMTK takes a colon for that of the port */
  if (strchr (o->peer.host, ':') != NULL)
    return dicom_options_fail (error,
        "--peer takes a name or an IPv4 address, not '%s'; give the host a "
        "name.",
        o->peer.host);
  if (!oct_dicom_is_title (o->peer.peer_aet)
      || !oct_dicom_is_title (o->peer.aet))
    return dicom_options_fail (error,
        "AE titles have 1 to 16 characters of ASCII without backslash, not "
        "'%s' "
        "and '%s'.",
        o->peer.aet, o->peer.peer_aet);
  return TRUE;
}

static gboolean
take_tls (OctDicomOptions *o, GError **error)
{
  if ((o->peer.certificate == NULL) != (o->peer.key == NULL)
      || (o->peer.certificate != NULL && o->peer.authority == NULL))
    return dicom_options_fail (error,
        "--cert and --key belong together, and need --ca with the certificates "
        "that are trusted.");
  if (o->listen_text != NULL && o->peer.authority != NULL
      && o->peer.certificate == NULL)
    return dicom_options_fail (
        error, "--listen with TLS needs a certificate: give --cert and --key.");
  return TRUE;
}

static gboolean
take_listen (OctDicomOptions *o, GError **error)
{
  const char *colon;

  if (o->listen_text == NULL)
    return TRUE;
  colon = strrchr (o->listen_text, ':');
  o->listen_address = colon != NULL ? g_strndup (
                          o->listen_text, (gsize)(colon - o->listen_text))
                                    : g_strdup ("127.0.0.1");
  if (!take_port (colon != NULL ? colon + 1 : o->listen_text, &o->listen_port))
    return dicom_options_fail (error,
        "--listen takes a port, or an address and a port, such as "
        "0.0.0.0:11113, not '%s'.",
        o->listen_text);
  return TRUE;
}

/* Days as 20261121 or 20261121-20261124. */
static gboolean
is_date (const char *text)
{
  gsize length = strlen (text);

  return (length == 8 && strspn (text, "0123456789") == 8)
         || (length == 17 && text[8] == '-' && strspn (text, "0123456789") == 8
             && strspn (text + 9, "0123456789") == 8);
}

static gboolean
check_worklist (OctDicomOptions *o, GError **error)
{
  if (o->date != NULL && !g_str_equal (o->date, "any") && !is_date (o->date))
    return dicom_options_fail (error,
        "--date takes a day as YYYYMMDD, two of them with - between them, or "
        "any, not '%s'.",
        o->date);
  if (o->modality == NULL)
    o->modality = g_strdup ("OPT");
  if (o->station == NULL)
    o->station = g_strdup (o->peer.aet);
  if (g_str_equal (o->modality, "any"))
    *o->modality = '\0';
  if (g_str_equal (o->station, "any"))
    *o->station = '\0';
  if (strlen (o->modality) > 16
      || (*o->station != '\0' && !oct_dicom_is_title (o->station)))
    return dicom_options_fail (error,
        "--modality takes a code such as OPT, and --station an AE title, or "
        "any.");
  if (o->every < 0 || o->every > 86400 || (o->every > 0 && o->output == NULL))
    return dicom_options_fail (
        error, "--every takes 0 to 86400 seconds, and needs --output.");
  return TRUE;
}

static gboolean
check_queue (OctDicomOptions *o, GError **error)
{
  if (o->queue == NULL)
    return dicom_options_fail (error,
        "Give a folder for the objects that are not yet committed: --queue "
        "FOLDER.");
  if (o->retries < 0 || o->retries > 1000 || o->commit_wait < 1
      || o->commit_wait > 86400)
    return dicom_options_fail (error,
        "--retries takes 0 to 1000, and --commit-wait 1 to 86400 seconds.");
  if (o->command == OCT_DICOM_SEND && o->files[0] == NULL && o->watch == NULL)
    return dicom_options_fail (
        error, "oct-dicom send takes DICOM files, or --watch FOLDER.");
  if (o->watch != NULL && !o->stay)
    return dicom_options_fail (error, "--watch FOLDER needs --stay.");
  return TRUE;
}

static gboolean
check_step (OctDicomOptions *o, GError **error)
{
  const char *const *words = oct_dicom_step_reasons;

  if (o->command == OCT_DICOM_STEP_BEGIN
      && (o->from == NULL || o->files[0] == NULL || o->files[1] != NULL))
    return dicom_options_fail (error,
        "oct-dicom step begin takes one case and --from FILE, which worklist "
        "--output has written.");
  while (*words != NULL && g_strcmp0 (*words, o->reason) != 0)
    words++;
  if (o->reason == NULL)
    words = oct_dicom_step_reasons;
  if (*words == NULL) {
    g_autofree char *all =
        g_strjoinv (", ", (char **)(gpointer)oct_dicom_step_reasons);

    return dicom_options_fail (
        error, "--reason takes one of %s, not '%s'.", all, o->reason);
  }
  o->reason_index = (int)(words - oct_dicom_step_reasons);
  return TRUE;
}

static gboolean
check (OctDicomOptions *o, GError **error)
{
  gboolean is_step = o->command >= OCT_DICOM_STEP_BEGIN;
  gboolean takes_files = o->command == OCT_DICOM_SEND
                         || o->command == OCT_DICOM_TAGS
                         || o->command == OCT_DICOM_VIDEO
                         || (is_step && o->command != OCT_DICOM_STEP_TELL);

  if (!takes_files && o->files[0] != NULL)
    return dicom_options_fail (
        error, "This command takes no files, not '%s'.", o->files[0]);
  if (o->command == OCT_DICOM_TAGS) {
    if (o->from == NULL || o->files[0] == NULL || o->files[1] != NULL)
      return dicom_options_fail (error,
          "oct-dicom tags takes one case and --from FILE, "
          "which worklist --json has printed.");
    return TRUE;
  }
  if (o->command == OCT_DICOM_VIDEO) {
    if (o->output == NULL || o->files[0] == NULL || o->files[1] != NULL)
      return dicom_options_fail (
          error, "oct-dicom video takes one MP4 file and --output FILE.");
    return TRUE;
  }
  if (o->peer.timeout < 1 || o->peer.timeout > 3600)
    return dicom_options_fail (error, "--timeout takes 1 to 3600 seconds.");
  if (!take_peer (o, error) || !take_tls (o, error) || !take_listen (o, error))
    return FALSE;
  if (o->command == OCT_DICOM_WORKLIST_LIST)
    return check_worklist (o, error);
  if (is_step && !check_step (o, error))
    return FALSE;
  return o->command == OCT_DICOM_ECHO || check_queue (o, error);
}

static gboolean
take_command (OctDicomOptions *o, int argc, char **argv, GError **error)
{
  /* each of one word, or of two */
  static const char *const names[][2] = { { "echo" }, { "worklist" },
    { "send" }, { "commit" }, { "tags" }, { "video" }, { "step", "begin" },
    { "step", "complete" }, { "step", "discontinue" }, { "step", "tell" } };

  for (guint i = 0; argc > 1 && i < G_N_ELEMENTS (names); i++)
    if (g_str_equal (argv[1], names[i][0])
        && (names[i][1] == NULL
            || (argc > 2 && g_str_equal (argv[2], names[i][1])))) {
      o->command = (OctDicomCommand)i;
      o->files = g_strdupv (argv + (names[i][1] == NULL ? 2 : 3));
      return TRUE;
    }
  if (argc > 1 && g_str_equal (argv[1], "step"))
    return dicom_options_fail (error,
        "oct-dicom step takes begin, complete, discontinue or tell, not '%s'.",
        argc > 2 ? argv[2] : "");
  return dicom_options_fail (error,
      "oct-dicom takes one of the commands echo, worklist, tags, send, commit, "
      "step and video first, not '%s'.",
      argc > 1 ? argv[1] : "");
}

static void
add_queue_entries (GOptionContext *context, OctDicomOptions *o)
{
  const GOptionEntry entries[] = {
    { "queue", 0, 0, G_OPTION_ARG_FILENAME, &o->queue,
        "send, commit, step: folder with copies of the objects until they are "
        "committed, and with messages of steps until they are told",
        "FOLDER" },
    { "watch", 0, 0, G_OPTION_ARG_FILENAME, &o->watch,
        "send: put every .dcm file that appears in FOLDER into the queue",
        "FOLDER" },
    { "stay", 0, 0, G_OPTION_ARG_NONE, &o->stay,
        "send, commit, step: do not end when the queue is empty, and never "
        "give "
        "up",
        NULL },
    { "listen", 0, 0, G_OPTION_ARG_STRING, &o->listen_text,
        "send, commit: take reports of commitment here too (the address is "
        "127.0.0.1 if it is left out)",
        "[ADDRESS:]PORT" },
    { "retries", 0, 0, G_OPTION_ARG_INT, &o->retries,
        "send, commit, step: give up after so many tries one after the other "
        "without "
        "progress (8)",
        "N" },
    { "commit-wait", 0, 0, G_OPTION_ARG_INT, &o->commit_wait,
        "send, commit: ask for commitment again after so many seconds without "
        "a "
        "report (60)",
        "S" },
    { "no-commit", 0, 0, G_OPTION_ARG_NONE, &o->no_commit,
        "send, commit: the archive has no storage commitment; stored is enough",
        NULL },
    { NULL },
  };

  g_option_context_add_main_entries (context, entries, NULL);
}

static void
add_step_entries (GOptionContext *context, OctDicomOptions *o)
{
  const GOptionEntry entries[] = {
    { "scheduled", 0, 0, G_OPTION_ARG_STRING, &o->scheduled,
        "step begin: the ID of the step, for a case that has several", "ID" },
    { "step", 0, 0, G_OPTION_ARG_STRING, &o->step,
        "step complete, discontinue: the UID of the step (the one in progress "
        "of the study of FILE)",
        "UID" },
    { "reason", 0, 0, G_OPTION_ARG_STRING, &o->reason,
        "step discontinue: unspecified, entry (the wrong case was chosen), "
        "doctor, equipment, refused or condition (unspecified)",
        "WORD" },
    { NULL },
  };

  g_option_context_add_main_entries (context, entries, NULL);
}

static void
add_worklist_entries (GOptionContext *context, OctDicomOptions *o)
{
  const GOptionEntry entries[] = {
    { "date", 0, 0, G_OPTION_ARG_STRING, &o->date,
        "worklist: YYYYMMDD, or two of them with - between, or any (today)",
        "DAY" },
    { "modality", 0, 0, G_OPTION_ARG_STRING, &o->modality,
        "worklist: a code of DICOM, or any (OPT)", "CODE" },
    { "station", 0, 0, G_OPTION_ARG_STRING, &o->station,
        "worklist: AE title for which patients are planned, or any (that of "
        "--aet)",
        "AET" },
    { "json", 0, 0, G_OPTION_ARG_NONE, &o->json,
        "worklist: print a line of JSON for each patient", NULL },
    { "output", 0, 0, G_OPTION_ARG_FILENAME, &o->output,
        "worklist: write a file for oct-live --worklist, and FILE.jsonl for "
        "tags; video: the DICOM file",
        "FILE" },
    { "every", 0, 0, G_OPTION_ARG_INT, &o->every,
        "worklist: do so again every S seconds (0 = once)", "S" },
    { "dicom-tags", 0, 0, G_OPTION_ARG_STRING, &o->tags,
        "video: patient and others, as oct-dicom tags prints them",
        "KEYWORD=VALUE;..." },
    { "from", 0, 0, G_OPTION_ARG_FILENAME, &o->from,
        "tags, step begin: lines of JSON that worklist has written", "FILE" },
    { NULL },
  };

  g_option_context_add_main_entries (context, entries, NULL);
}

gboolean
oct_dicom_options_parse (
    OctDicomOptions *o, int *argc, char ***argv, GError **error)
{
  const GOptionEntry entries[] = {
    { "peer", 0, 0, G_OPTION_ARG_STRING, &o->peer_text,
        "The other system: its AE title, host and port", "AET@HOST:PORT" },
    { "aet", 0, 0, G_OPTION_ARG_STRING, &o->peer.aet, "Our AE title (OCT)",
        "AET" },
    { "timeout", 0, 0, G_OPTION_ARG_INT, &o->peer.timeout,
        "Seconds that the other system has for an answer (30)", "S" },
    { "ca", 0, 0, G_OPTION_ARG_FILENAME, &o->peer.authority,
        "TLS: trust these certificates (PEM)", "FILE" },
    { "cert", 0, 0, G_OPTION_ARG_FILENAME, &o->peer.certificate,
        "TLS: our certificate (PEM)", "FILE" },
    { "key", 0, 0, G_OPTION_ARG_FILENAME, &o->peer.key, "TLS: its key (PEM)",
        "FILE" },
    { NULL },
  };
  g_autoptr (GOptionContext) context =
      g_option_context_new ("COMMAND [FILE...]");

  o->peer.timeout = 30;
  o->peer.aet = g_strdup ("OCT");
  o->retries = 8;
  o->commit_wait = 60;
  g_option_context_set_summary (context, SUMMARY);
  g_option_context_set_description (context, EXAMPLES);
  g_option_context_add_main_entries (context, entries, NULL);
  add_worklist_entries (context, o);
  add_queue_entries (context, o);
  add_step_entries (context, o);
  oct_options_add_help (context);
  return g_option_context_parse (context, argc, argv, error)
         && take_command (o, *argc, *argv, error) && check (o, error);
}

void
oct_dicom_options_clear (OctDicomOptions *o)
{
  char **texts[] = { &o->peer.aet, &o->peer.peer_aet, &o->peer.host,
    &o->peer.authority, &o->peer.certificate, &o->peer.key, &o->peer_text,
    &o->listen_text, &o->listen_address, &o->date, &o->modality, &o->station,
    &o->output, &o->from, &o->queue, &o->watch, &o->step, &o->scheduled,
    &o->reason, &o->tags };

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    g_clear_pointer (texts[i], g_free);
  g_clear_pointer (&o->files, g_strfreev);
}
