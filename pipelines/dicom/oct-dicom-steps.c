/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-dicom-steps.h"
#include "oct-dicom-apart.h"
#include "oct-dicom-case.h"
#include "oct-dicom-deadline.h"
#include "oct-dicom-link.h"
#include "oct-dicom-net.h"
#include "oct-dicom-queue.h"
#include "oct-dicom-step.h"
#include "oct-file-write.h"
#include "oct-file.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Seconds between tries without progress: doubled each time up to this. */
#define LONGEST_DELAY 60

typedef struct {
  const OctDicomOptions *options;
  OctDicomQueue *queue;
} Steps;

/* A step that has begun and not ended. */
typedef struct {
  char *uid;
  OctDicomStep step;
  char *protocol;
} Open;

static void
open_free (gpointer data)
{
  Open *open = data;

  oct_dicom_step_clear (&open->step);
  g_free (open->protocol);
  g_free (open->uid);
  g_free (open);
}

static gboolean
steps_have (
    const Steps *steps, const char *folder, const char *uid, const char *ending)
{
  g_autofree char *path =
      oct_dicom_queue_make_path (steps->queue, folder, uid, ending);
  struct stat status;

  return lstat (path, &status) == 0;
}

/* The UID in the name of a file with this ending, or NULL. */
static char *
steps_get_uid (const char *name, const char *ending)
{
  g_autofree char *uid = NULL;

  if (!g_str_has_suffix (name, ending))
    return NULL;
  uid = g_strndup (name, strlen (name) - strlen (ending));
  return oct_dicom_is_uid (uid) ? g_steal_pointer (&uid) : NULL;
}

static gboolean
steps_list (
    const Steps *steps, const char *folder, GPtrArray *names, GError **error)
{
  g_autofree char *path =
      g_build_filename (steps->options->queue, folder, NULL);

  return oct_file_list_folder (path, names, error);
}

static gboolean
steps_fail (GError **error, const char *path, int code)
{
  g_set_error (error, OCT_DICOM_ERROR, OCT_DICOM_ERROR_QUEUE,
      "The message '%s' of a step cannot be written: %s; give --queue a folder "
      "of yours on a disk with room",
      path, g_strerror (code));
  return FALSE;
}

static gboolean
steps_write (const Steps *steps, const char *uid, const char *ending,
    GBytes *bytes, GError **error)
{
  g_autofree char *path =
      oct_dicom_queue_make_path (steps->queue, "steps", uid, ending);
  gsize size = 0;
  const void *data = bytes != NULL ? g_bytes_get_data (bytes, &size) : "";
  int code = oct_file_replace (path, data, size, 0600);

  return code == 0 || steps_fail (error, path, code);
}

/* ------------------------------------------------------------------- open steps */

/* NULL if it has ended, is known, was told since, or is not valid. */
static Open *
find_begin (
    const Steps *steps, const char *folder, const char *name, GHashTable *known)
{
  g_autofree char *uid = steps_get_uid (name, ".begin");
  g_autofree char *path = NULL;
  Open *open;

  if (uid == NULL || g_hash_table_contains (known, uid)
      || steps_have (steps, "steps", uid, ".end")
      || steps_have (steps, "told", uid, ".end"))
    return NULL;
  path = oct_dicom_queue_make_path (steps->queue, folder, uid, ".begin");
  open = g_new0 (Open, 1);
  if (oct_dicom_step_read (path, &open->step, &open->protocol)) {
    open->uid = g_steal_pointer (&uid);
    return open;
  }
  if (steps_have (steps, folder, uid, ".begin"))
    g_printerr (
        "Warning: '%s' is not a message of a step any more; remove it.\n",
        path);
  open_free (open);
  return NULL;
}

/* NULL with an error. */
static GPtrArray *
list_open (const Steps *steps, GError **error)
{
  /* in the order in which another process moves a message meanwhile */
  static const char *const folders[] = { "steps", "told" };
  g_autoptr (GHashTable) known = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GPtrArray) all = g_ptr_array_new_with_free_func (open_free);

  for (guint i = 0; i < G_N_ELEMENTS (folders); i++) {
    g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);

    if (!steps_list (steps, folders[i], names, error))
      return NULL;
    for (guint j = 0; j < names->len; j++) {
      Open *open =
          find_begin (steps, folders[i], g_ptr_array_index (names, j), known);

      if (open == NULL)
        continue;
      g_hash_table_add (known, open->uid);
      g_ptr_array_add (all, open);
    }
  }
  return g_steal_pointer (&all);
}

/* The open step that the options and the objects are about. */
static Open *
find_open (
    const Steps *steps, GPtrArray *all, const char *study, GError **error)
{
  const OctDicomOptions *o = steps->options;
  g_autoptr (GString) names = g_string_new (NULL);
  Open *found = NULL;
  guint count = 0;

  for (guint i = 0; i < all->len; i++) {
    Open *open = g_ptr_array_index (all, i);

    if (o->step != NULL
            ? !g_str_equal (open->uid, o->step)
            : *study != '\0' && !g_str_equal (open->step.study, study))
      continue;
    found = open;
    count++;
    g_string_append_printf (names, "%s%s", count > 1 ? ", " : "", open->uid);
  }
  if (count > 1)
    g_set_error (error, OCT_DICOM_ERROR, OCT_DICOM_ERROR_FILE,
        "%u steps are in progress, %s; give the UID of one with --step", count,
        names->str);
  else if (count == 0)
    g_set_error (error, OCT_DICOM_ERROR, OCT_DICOM_ERROR_FILE,
        "No step%s%s is in progress in the queue '%s'; `oct-dicom step begin` "
        "begins one",
        o->step != NULL  ? " "
        : *study != '\0' ? " of the study "
                         : "",
        o->step != NULL ? o->step : study, o->queue);
  else if (*study != '\0' && !g_str_equal (found->step.study, study))
    g_set_error (error, OCT_DICOM_ERROR, OCT_DICOM_ERROR_FILE,
        "The step %s is of the study %s, and the objects of %s; give it its "
        "own objects",
        found->uid, found->step.study, study);
  else
    return found;
  return NULL;
}

/* --------------------------------------------------------------------- messages */

static gboolean
add_begin (const Steps *steps, char *const *texts, GError **error)
{
  const OctDicomOptions *o = steps->options;
  g_autoptr (GPtrArray) all = list_open (steps, error);
  g_autofree char *uid = NULL;
  g_autoptr (GBytes) bytes = NULL;

  if (all == NULL)
    return FALSE;
  for (guint i = 0; i < all->len; i++) {
    const Open *open = g_ptr_array_index (all, i);

    if (!g_str_equal (open->step.study, texts[OCT_DICOM_STUDY])
        || !g_str_equal (open->step.scheduled, texts[OCT_DICOM_STEP_ID]))
      continue;
    g_print ("in progress already %s: %s\n", open->uid, o->files[0]);
    return TRUE;
  }
  uid = oct_dicom_make_uid ();
  bytes =
      oct_dicom_step_make_begin ((const char *const *)texts, uid, o->peer.aet);
  if (!steps_write (steps, uid, ".begin", bytes, error))
    return FALSE;
  g_print ("begun %s: %s\n", uid, o->files[0]);
  return TRUE;
}

static gboolean
begin_step (const Steps *steps, GError **error)
{
  const OctDicomOptions *o = steps->options;
  g_autofree char *text = oct_dicom_case_read (o->from, error);
  char *texts[OCT_DICOM_FIELDS] = { NULL };
  gboolean good = FALSE;

  if (text == NULL
      || !oct_dicom_case_get_texts (
          text, o->files[0], o->scheduled, texts, error))
    return FALSE;
  if (oct_dicom_is_uid (texts[OCT_DICOM_STUDY]))
    good = add_begin (steps, texts, error);
  else
    g_set_error (error, OCT_DICOM_ERROR, OCT_DICOM_ERROR_FILE,
        "The case '%s' has '%s' for the UID of its study, which is none; have "
        "the worklist server give it one",
        o->files[0], texts[OCT_DICOM_STUDY]);
  for (guint i = 0; i < OCT_DICOM_FIELDS; i++)
    g_free (texts[i]);
  return good;
}

/* The identities of the files, each object once. */
static GArray *
inspect_files (const OctDicomOptions *o, GError **error)
{
  g_autoptr (GArray) objects =
      g_array_new (FALSE, TRUE, sizeof (OctDicomObject));
  g_autoptr (GHashTable) known =
      g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  for (guint i = 0; o->files[i] != NULL; i++) {
    OctDicomObject object;

    if (!oct_dicom_inspect_apart (o->files[i], &object) || *object.study == '\0'
        || *object.series == '\0') {
      g_set_error (error, OCT_DICOM_ERROR, OCT_DICOM_ERROR_FILE,
          "'%s' is not a whole DICOM file with the UIDs of an object, its "
          "series and its study; only such files belong to a step",
          o->files[i]);
      return NULL;
    }
    if (objects->len > 0
        && !g_str_equal (
            object.study, g_array_index (objects, OctDicomObject, 0).study)) {
      g_set_error (error, OCT_DICOM_ERROR, OCT_DICOM_ERROR_FILE,
          "'%s' is of another study than '%s'; a step is of one study",
          o->files[i], o->files[0]);
      return NULL;
    }
    if (g_hash_table_add (known, g_strdup (object.instance)))
      g_array_append_val (objects, object);
  }
  return g_steal_pointer (&objects);
}

static gboolean
end_step (const Steps *steps, GError **error)
{
  const OctDicomOptions *o = steps->options;
  gboolean completed = o->command == OCT_DICOM_STEP_COMPLETE;
  g_autoptr (GArray) objects = inspect_files (o, error);
  g_autoptr (GPtrArray) all = objects != NULL ? list_open (steps, error) : NULL;
  const OctDicomObject *first;
  g_autoptr (GBytes) bytes = NULL;
  const Open *open;

  if (all == NULL)
    return FALSE;
  first = (const OctDicomObject *)(gpointer)objects->data;
  open = find_open (steps, all, objects->len > 0 ? first->study : "", error);
  if (open == NULL)
    return FALSE;
  bytes = oct_dicom_step_make_end (open->uid, completed ? -1 : o->reason_index,
      open->protocol, first, objects->len);
  if (!steps_write (steps, open->uid, ".end", bytes, error))
    return FALSE;
  g_print ("%s %s: %u objects\n", completed ? "completed" : "discontinued",
      open->uid, objects->len);
  return TRUE;
}

/* Adds what the command says, one process after the other. */
static gboolean
add_message (const Steps *steps, GError **error)
{
  int lock;
  gboolean good;

  if (steps->options->command == OCT_DICOM_STEP_TELL)
    return TRUE;
  lock = oct_dicom_queue_take_lock (steps->queue, "adding.lock", LOCK_EX);
  if (lock < 0)
    return steps_fail (error, "adding.lock", errno);
  good = steps->options->command == OCT_DICOM_STEP_BEGIN
             ? begin_step (steps, error)
             : end_step (steps, error);
  close (lock);
  return good;
}

/* ---------------------------------------------------------------------- telling */

typedef struct {
  char *uid;
  gboolean ends;
  struct timespec time;
} Message;

static void
message_free (gpointer data)
{
  Message *message = data;

  g_free (message->uid);
  g_free (message);
}

static gint
compare_messages (gconstpointer a, gconstpointer b)
{
  const Message *one = *(const Message *const *)a;
  const Message *two = *(const Message *const *)b;

  if (one->time.tv_sec != two->time.tv_sec)
    return one->time.tv_sec < two->time.tv_sec ? -1 : 1;
  if (one->time.tv_nsec != two->time.tv_nsec)
    return one->time.tv_nsec < two->time.tv_nsec ? -1 : 1;
  return (gint)one->ends - (gint)two->ends;
}

/* Those to tell, the oldest first.  NULL with an error. */
static GPtrArray *
list_messages (const Steps *steps, GError **error)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GPtrArray) messages =
      g_ptr_array_new_with_free_func (message_free);

  if (!steps_list (steps, "steps", names, error))
    return NULL;
  for (guint i = 0; i < names->len; i++) {
    const char *name = g_ptr_array_index (names, i);
    g_autofree char *path =
        g_build_filename (steps->options->queue, "steps", name, NULL);
    char *begin = steps_get_uid (name, ".begin");
    char *uid = begin != NULL ? begin : steps_get_uid (name, ".end");
    struct stat status;
    Message *message;

    if (uid == NULL || lstat (path, &status) != 0) {
      g_free (uid);
      continue;
    }
    message = g_new0 (Message, 1);
    message->uid = uid;
    message->ends = begin == NULL;
    message->time = status.st_mtim;
    g_ptr_array_add (messages, message);
  }
  g_ptr_array_sort (messages, compare_messages);
  return g_steal_pointer (&messages);
}

static void
take_told (const Steps *steps, const Message *message, const char *ending)
{
  g_autofree char *from =
      oct_dicom_queue_make_path (steps->queue, "steps", message->uid, ending);
  g_autofree char *to =
      oct_dicom_queue_make_path (steps->queue, "told", message->uid, ending);

  if (g_rename (from, to) != 0) {
    g_printerr ("Warning: '%s' was told and stays in the queue: %s.\n", from,
        g_strerror (errno));
    return;
  }
  oct_file_sync_folder (to);
  g_print (
      "told %s: %s\n", message->uid, message->ends ? "its end" : "in progress");
}

/* FALSE: the association is broken; *good FALSE: something was not told. */
static gboolean
tell_one (const Steps *steps, OctDicomLink *link, const Message *message,
    gboolean *good)
{
  const OctDicomOptions *o = steps->options;
  const char *ending = message->ends ? ".end" : ".begin";
  gboolean again = steps_have (steps, "steps", message->uid, ".asked");
  g_autofree char *path =
      oct_dicom_queue_make_path (steps->queue, "steps", message->uid, ending);
  g_autofree char *asked =
      oct_dicom_queue_make_path (steps->queue, "steps", message->uid, ".asked");
  g_autofree char *note = NULL;
  g_autoptr (GError) error = NULL;
  OctDicomTold told = OCT_DICOM_STEP_REFUSED;

  /* its beginning was refused, and the warning has said so */
  if (message->ends && steps_have (steps, "steps", message->uid, ".begin")) {
    *good = FALSE;
    return TRUE;
  }
  oct_dicom_deadline ((guint)o->peer.timeout, o->peer_text);
  if (!message->ends
      || steps_write (steps, message->uid, ".asked", NULL, &error))
    told = oct_dicom_step_tell (link, path, again, &note, &error);
  if (message->ends && told != OCT_DICOM_STEP_BROKEN)
    g_unlink (asked);
  if (note != NULL)
    g_printerr ("Note: %s: %s.\n", message->uid, note);
  if (told == OCT_DICOM_STEP_TOLD) {
    take_told (steps, message, ending);
    return TRUE;
  }
  *good = FALSE;
  g_printerr ("Warning: The %s of the step %s was not told, and will be told "
              "again: %s.\n",
      message->ends ? "end" : "beginning", message->uid, error->message);
  return told != OCT_DICOM_STEP_BROKEN;
}

/* In a process of its own, which ends if the peer keeps it waiting; its exit
 * status. */
static int
tell_all (const Steps *steps)
{
  const OctDicomOptions *o = steps->options;
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) messages = list_messages (steps, &error);
  gboolean good = TRUE, whole = TRUE;
  OctDicomLink *link = NULL;

  oct_dicom_limit_memory ();
  oct_dicom_deadline ((guint)o->peer.timeout, o->peer_text);
  if (messages != NULL)
    link = oct_dicom_link_open (&o->peer, OCT_DICOM_STEPS, NULL, 0, &error);
  if (link == NULL) {
    g_printerr ("Warning: %s.\n", error->message);
    return OCT_DICOM_EXIT_TROUBLE;
  }
  for (guint i = 0; whole && i < messages->len; i++)
    whole = tell_one (steps, link, g_ptr_array_index (messages, i), &good);
  oct_dicom_deadline ((guint)o->peer.timeout, o->peer_text);
  oct_dicom_link_close (link, whole);
  return good && whole ? 0 : OCT_DICOM_EXIT_TROUBLE;
}

static void
tell_apart (const Steps *steps)
{
  pid_t parent = getpid (), child = fork ();
  int status = 0;

  if (child == 0) {
    oct_dicom_begin_child (parent);
    _exit (tell_all (steps));
  }
  while (child > 0 && waitpid (child, &status, 0) < 0 && errno == EINTR)
    ;
  if (WIFSIGNALED (status))
    g_printerr ("Warning: An association with %s ended by the signal %d; it is "
                "tried again.\n",
        steps->options->peer_text, WTERMSIG (status));
}

/* The number of messages to tell; -1: nobody knows, and it was said. */
static int
count_messages (const Steps *steps)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) messages = list_messages (steps, &error);

  if (messages != NULL)
    return (int)messages->len;
  g_printerr ("Error: %s.\n", error->message);
  return -1;
}

static int
steps_loop (const Steps *steps)
{
  const OctDicomOptions *o = steps->options;
  guint delay = 1, tries = 0;

  for (;;) {
    int before = count_messages (steps), after;

    if (before < 0)
      return OCT_DICOM_EXIT_TROUBLE;
    if (before == 0 && !o->stay)
      return 0;
    if (before > 0)
      tell_apart (steps);
    after = count_messages (steps);
    if (after < before || after == 0) {
      tries = 0;
      delay = 1;
      if (after != 0)
        continue;
      if (!o->stay)
        return 0;
    } else if (++tries > (guint)o->retries && !o->stay) {
      g_printerr ("Warning: %d messages of steps were not told; they stay in "
                  "the queue '%s', with which `oct-dicom step tell` goes on.\n",
          after, o->queue);
      return OCT_DICOM_EXIT_PENDING;
    }
    sleep (delay);
    delay = after > 0 ? MIN (2 * delay, LONGEST_DELAY) : 1;
  }
}

/* Alone; a message that another process added at the end, and left to this one
 * because of its lock, is told, too. */
static int
steps_tell (const Steps *steps)
{
  int status, lock;

  do {
    lock = oct_dicom_queue_take_lock (
        steps->queue, "steps.lock", LOCK_EX | LOCK_NB);
    if (lock < 0 && errno == EWOULDBLOCK) {
      g_printerr (
          "Note: Another oct-dicom tells the steps of the queue '%s', and "
          "this one, too.\n",
          steps->options->queue);
      return OCT_DICOM_EXIT_PENDING;
    }
    if (lock < 0) {
      g_printerr ("Error: The queue's steps.lock cannot be used: %s; give "
                  "--queue a folder of yours.\n",
          g_strerror (errno));
      return OCT_DICOM_EXIT_TROUBLE;
    }
    status = steps_loop (steps);
    close (lock);
  } while (status == 0 && count_messages (steps) > 0);
  return status;
}

int
oct_dicom_steps_run (const OctDicomOptions *o)
{
  g_autoptr (GError) error = NULL;
  Steps steps = { o, oct_dicom_queue_open (o->queue, &error) };
  int status = OCT_DICOM_EXIT_TROUBLE;

  if (steps.queue != NULL && add_message (&steps, &error)) {
    status = steps_tell (&steps);
  } else {
    g_strdelimit (error->message, "\r\n", ' ');
    g_printerr ("Error: %s.\n", error->message);
  }
  g_clear_pointer (&steps.queue, oct_dicom_queue_free);
  return status;
}
