/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-dicom-queue.h"
#include "oct-dicom-apart.h"
#include "oct-dicom-link.h"
#include "oct-dicom-net.h"
#include "oct-file-write.h"
#include "oct-file.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define BLOCK (1u << 20)
/* Transactions that nobody reports on are forgotten after a week. */
#define FORGET (7 * 24 * 3600)
/* Bytes of a record or a transaction. */
#define MOST_TEXT (16u << 20)

struct _OctDicomQueue {
  char *path;
  int lock; /* -1: not ours */
};

static const char *const stages[] = { "waiting", "sent" };
static const char *const folders[] = { "waiting", "sent", "committed",
  "transactions", "adding", "steps", "told" };

/* --------------------------------------------------------------------- paths */

char *
oct_dicom_queue_make_path (const OctDicomQueue *queue, const char *folder,
    const char *uid, const char *ending)
{
  g_autofree char *name = g_strconcat (uid, ending, NULL);

  return g_build_filename (queue->path, folder, name, NULL);
}

char *
oct_dicom_queue_get_path (
    const OctDicomQueue *queue, OctDicomStage stage, const char *instance)
{
  return oct_dicom_queue_make_path (queue, stages[stage], instance, ".dcm");
}

static gboolean
queue_has_file (const char *path)
{
  struct stat status;

  return lstat (path, &status) == 0;
}

/* Times of a file, ns. */
static gint64
get_touched (const struct stat *status)
{
  return (gint64)status->st_mtim.tv_sec * G_GINT64_CONSTANT (1000000000)
         + status->st_mtim.tv_nsec;
}

static gboolean
queue_fail (GError **error, OctDicomError code, const char *path, int why)
{
  g_autofree char *shown = oct_file_describe ("The queue's", path);

  g_set_error (error, OCT_DICOM_ERROR, code,
      "%s cannot be used: %s; give --queue a folder of yours on a disk with "
      "room",
      shown, g_strerror (why));
  return FALSE;
}

OctDicomQueue *
oct_dicom_queue_open (const char *path, GError **error)
{
  OctDicomQueue *queue = g_new0 (OctDicomQueue, 1);

  queue->path = g_strdup (path);
  queue->lock = -1;
  for (guint i = 0; i < G_N_ELEMENTS (folders); i++) {
    g_autofree char *folder = g_build_filename (path, folders[i], NULL);

    if (g_mkdir_with_parents (folder, 0700) == 0
        && g_access (folder, R_OK | W_OK | X_OK) == 0)
      continue;
    queue_fail (error, OCT_DICOM_ERROR_SETTINGS, folder, errno);
    oct_dicom_queue_free (queue);
    return NULL;
  }
  return queue;
}

void
oct_dicom_queue_free (OctDicomQueue *queue)
{
  if (queue->lock >= 0)
    close (queue->lock);
  g_free (queue->path);
  g_free (queue);
}

int
oct_dicom_queue_take_lock (
    const OctDicomQueue *queue, const char *name, int how)
{
  g_autofree char *path = g_build_filename (queue->path, name, NULL);
  int fd = open (path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  int locked, code;

  if (fd < 0)
    return -1;
  do
    locked = flock (fd, how);
  while (locked != 0 && errno == EINTR);
  if (locked == 0)
    return fd;
  code = errno;
  close (fd);
  errno = code;
  return -1;
}

gboolean
oct_dicom_queue_lock (OctDicomQueue *queue, GError **error)
{
  g_autofree char *path = g_build_filename (queue->path, "lock", NULL);

  queue->lock = oct_dicom_queue_take_lock (queue, "lock", LOCK_EX | LOCK_NB);
  if (queue->lock >= 0)
    return TRUE;
  if (errno != EWOULDBLOCK)
    return queue_fail (error, OCT_DICOM_ERROR_QUEUE, path, errno);
  g_set_error (error, OCT_DICOM_ERROR, OCT_DICOM_ERROR_BUSY,
      "Another oct-dicom works on the queue '%s', and sends its objects",
      queue->path);
  return FALSE;
}

/* -------------------------------------------------------------------- adding */

/* Hex digits of a file's SHA-256, or NULL with errno. */
static char *
get_checksum (const char *path, guint64 *size)
{
  GChecksum *sum = g_checksum_new (G_CHECKSUM_SHA256);
  g_autofree guint8 *block = g_malloc (BLOCK);
  int fd = open (path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  gssize got = -1;
  char *text = NULL;

  *size = 0;
  while (fd >= 0 && (got = oct_file_read (fd, *size, block, BLOCK)) > 0) {
    g_checksum_update (sum, block, got);
    *size += (guint64)got;
  }
  if (fd >= 0)
    close (fd);
  if (got == 0)
    text = g_strdup (g_checksum_get_string (sum));
  g_checksum_free (sum);
  return text;
}

/* Whether the record of a commitment has this checksum. */
static gboolean
record_has (const char *record, const char *checksum)
{
  g_autofree char *text =
      oct_file_read_text ("Record", record, MOST_TEXT, "a text", NULL, NULL);

  return text != NULL && strstr (text, checksum) != NULL;
}

/* Whether there is an object of this UID: *same if it is the same file. */
static OctDicomAdded
find_object (const OctDicomQueue *queue, const char *part, const char *instance,
    gboolean *same)
{
  g_autofree char *record =
      oct_dicom_queue_make_path (queue, "committed", instance, ".txt");
  guint64 size;
  g_autofree char *checksum = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (stages); i++) {
    g_autofree char *path =
        oct_dicom_queue_get_path (queue, (OctDicomStage)i, instance);
    g_autofree char *other = NULL;

    if (!queue_has_file (path))
      continue;
    checksum = get_checksum (part, &size);
    other = get_checksum (path, &size);
    /* NULL: it has gone on to the next stage meanwhile */
    if (other == NULL) {
      g_clear_pointer (&checksum, g_free);
      continue;
    }
    *same = g_strcmp0 (checksum, other) == 0;
    return OCT_DICOM_ADDED_BEFORE;
  }
  if (!queue_has_file (record))
    return OCT_DICOM_ADDED;
  checksum = get_checksum (part, &size);
  *same = checksum != NULL && record_has (record, checksum);
  return OCT_DICOM_ADDED_SECURED;
}

/* A copy, on the disk when its name has been given.  Returns: errno. */
static int
copy_to (int from, guint64 size, int to)
{
  g_autofree guint8 *block = g_malloc (BLOCK);
  guint64 done = 0;
  gssize got;

  while ((got = oct_file_read (from, done, block, BLOCK)) > 0) {
    int code = oct_file_write_all (to, block, (guint64)got);

    if (code != 0)
      return code;
    done += (guint64)got;
  }
  return got < 0 ? errno : done < size ? EIO : 0;
}

static OctDicomAdded
queue_add_part (OctDicomQueue *queue, int fd, const char *part,
    const char *path, OctDicomObject *object, GError **error)
{
  OctDicomAdded added = OCT_DICOM_NOT_ADDED;
  g_autofree char *place = NULL;
  gboolean same = TRUE;
  int code = 0;

  if (!oct_dicom_inspect_apart (part, object)) {
    g_set_error (error, OCT_DICOM_ERROR, OCT_DICOM_ERROR_FILE,
        "'%s' is not a whole DICOM file with the same UIDs in its header and "
        "in "
        "its data; only such files can be sent",
        path);
  } else if ((added = find_object (queue, part, object->instance, &same))
             == OCT_DICOM_ADDED) {
    place =
        oct_dicom_queue_get_path (queue, OCT_DICOM_WAITING, object->instance);
    code = oct_file_end_as_new (fd, 0, part, place);
    if (code == 0)
      return OCT_DICOM_ADDED;
    queue_fail (error, OCT_DICOM_ERROR_QUEUE, place, code);
    return OCT_DICOM_NOT_ADDED;
  } else if (!same) {
    g_set_error (error, OCT_DICOM_ERROR, OCT_DICOM_ERROR_FILE,
        "'%s' has the SOP instance UID %s of another file that was sent; write "
        "it "
        "again, with a UID of its own",
        path, object->instance);
    added = OCT_DICOM_NOT_ADDED;
  }
  close (fd);
  g_unlink (part);
  return added;
}

/* Copies of processes that were killed; with the lock of those that add. */
static void
remove_parts (const OctDicomQueue *queue)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *folder = g_build_filename (queue->path, "adding", NULL);

  (void)oct_file_list_folder (folder, names, NULL);
  for (guint i = 0; i < names->len; i++) {
    g_autofree char *path =
        g_build_filename (folder, g_ptr_array_index (names, i), NULL);

    g_unlink (path);
  }
}

OctDicomAdded
oct_dicom_queue_add (OctDicomQueue *queue, const char *path,
    OctDicomObject *object, GError **error)
{
  g_autofree char *part =
      g_build_filename (queue->path, "adding", "part", NULL);
  OctDicomAdded added = OCT_DICOM_NOT_ADDED;
  guint64 size = 0;
  int from = oct_file_open ("File", path, &size, error);
  int lock, to, code;

  if (from < 0)
    return OCT_DICOM_NOT_ADDED;
  /* one after the other */
  lock = oct_dicom_queue_take_lock (queue, "adding.lock", LOCK_EX);
  if (lock >= 0)
    remove_parts (queue);
  to = lock >= 0 ? open (
           part, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600)
                 : -1;
  code = to >= 0 ? copy_to (from, size, to) : errno;
  if (to >= 0 && code == 0) {
    added = queue_add_part (queue, to, part, path, object, error);
  } else {
    queue_fail (error, OCT_DICOM_ERROR_QUEUE, part, code);
    if (to >= 0)
      close (to);
    g_unlink (part);
  }
  close (from);
  if (lock >= 0)
    close (lock);
  return added;
}

/* -------------------------------------------------------------------- stages */

typedef struct {
  char *uid;
  gint64 touched; /* ns */
} Place;

static gint
queue_compare (gconstpointer a, gconstpointer b)
{
  const Place *one = a, *two = b;

  if (one->touched != two->touched)
    return one->touched < two->touched ? -1 : 1;
  return strcmp (one->uid, two->uid);
}

/* The UID in a name with this ending, or NULL. */
static char *
get_uid (const char *name, const char *ending)
{
  char *uid;

  if (!g_str_has_suffix (name, ending))
    return NULL;
  uid = g_strndup (name, strlen (name) - strlen (ending));
  if (oct_dicom_is_uid (uid))
    return uid;
  g_free (uid);
  return NULL;
}

GPtrArray *
oct_dicom_queue_list (OctDicomQueue *queue, OctDicomStage stage, GError **error)
{
  GPtrArray *uids = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GError) failure = NULL;
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GArray) places = g_array_new (FALSE, FALSE, sizeof (Place));
  g_autofree char *folder = g_build_filename (queue->path, stages[stage], NULL);

  if (!oct_file_list_folder (folder, names, &failure)) {
    g_set_error_literal (
        error, OCT_DICOM_ERROR, OCT_DICOM_ERROR_QUEUE, failure->message);
    g_ptr_array_unref (uids);
    return NULL;
  }
  for (guint i = 0; i < names->len; i++) {
    const char *name = g_ptr_array_index (names, i);
    g_autofree char *path = g_build_filename (folder, name, NULL);
    g_autofree char *record = NULL;
    Place place = { get_uid (name, ".dcm"), 0 };
    struct stat status;

    if (place.uid == NULL || lstat (path, &status) != 0) {
      g_free (place.uid);
      continue;
    }
    record = oct_dicom_queue_make_path (queue, "committed", place.uid, ".txt");
    /* a process was killed between the record and this */
    if (queue_has_file (record)) {
      g_unlink (path);
      g_free (place.uid);
      continue;
    }
    place.touched = get_touched (&status);
    g_array_append_val (places, place);
  }
  g_array_sort (places, queue_compare);
  for (guint i = 0; i < places->len; i++)
    g_ptr_array_add (uids, g_array_index (places, Place, i).uid);
  return uids;
}

void
oct_dicom_queue_move (
    OctDicomQueue *queue, const char *instance, OctDicomStage to)
{
  OctDicomStage from =
      to == OCT_DICOM_SENT ? OCT_DICOM_WAITING : OCT_DICOM_SENT;
  g_autofree char *old = oct_dicom_queue_get_path (queue, from, instance);
  g_autofree char *path = oct_dicom_queue_get_path (queue, to, instance);

  if (g_rename (old, path) == 0)
    oct_file_sync_folder (path);
}

void
oct_dicom_queue_touch (
    OctDicomQueue *queue, OctDicomStage stage, const char *instance)
{
  g_autofree char *path = oct_dicom_queue_get_path (queue, stage, instance);

  (void)utimensat (AT_FDCWD, path, NULL, 0);
}

/* That of an object, in whatever stage it is. */
static char *
queue_find_checksum (
    const OctDicomQueue *queue, const char *instance, guint64 *size)
{
  for (guint i = 0; i < G_N_ELEMENTS (stages); i++) {
    g_autofree char *path =
        oct_dicom_queue_get_path (queue, (OctDicomStage)i, instance);
    char *checksum = get_checksum (path, size);

    if (checksum != NULL)
      return checksum;
  }
  return NULL;
}

gboolean
oct_dicom_queue_is_secured (const OctDicomQueue *queue, const char *instance)
{
  g_autofree char *record =
      oct_dicom_queue_make_path (queue, "committed", instance, ".txt");

  return queue_has_file (record);
}

gboolean
oct_dicom_queue_secure (OctDicomQueue *queue, const char *instance,
    const char *archive, const char *how, GError **error)
{
  g_autofree char *record =
      oct_dicom_queue_make_path (queue, "committed", instance, ".txt");
  g_autoptr (GDateTime) now = g_date_time_new_now_local ();
  g_autofree char *time = g_date_time_format_iso8601 (now);
  guint64 size = 0;
  g_autofree char *checksum = NULL;
  g_autofree char *text = NULL;
  int code;

  if (queue_has_file (record))
    return TRUE;
  checksum = queue_find_checksum (queue, instance, &size);
  if (checksum == NULL)
    return queue_fail (error, OCT_DICOM_ERROR_QUEUE, instance, ENOENT);
  text = g_strdup_printf ("instance %s\narchive %s\ntime %s\nhow %s\nbytes "
                          "%" G_GUINT64_FORMAT "\nsha256 %s\n",
      instance, archive, time, how, size, checksum);
  code = oct_file_replace (record, text, strlen (text), 0600);
  if (code != 0)
    return queue_fail (error, OCT_DICOM_ERROR_QUEUE, record, code);
  for (guint i = 0; i < G_N_ELEMENTS (stages); i++) {
    g_autofree char *path =
        oct_dicom_queue_get_path (queue, (OctDicomStage)i, instance);

    g_unlink (path);
  }
  return TRUE;
}

/* -------------------------------------------------------------- transactions */

/* The line of an object in a transaction.  With the time at which it was touched
 * last: a report does not count if it was sent again, or lost, after the question.
 */
static char *
make_line (
    const OctDicomQueue *queue, const char *sop_class, const char *instance)
{
  gint64 touched = 0;

  for (guint i = 0; i < G_N_ELEMENTS (stages); i++) {
    g_autofree char *path =
        oct_dicom_queue_get_path (queue, (OctDicomStage)i, instance);
    struct stat status;

    if (lstat (path, &status) == 0)
      touched = get_touched (&status);
  }
  return g_strdup_printf (
      "%s %s %" G_GINT64_FORMAT, sop_class, instance, touched);
}

char *
oct_dicom_queue_begin (OctDicomQueue *queue, const OctDicomObject *objects,
    guint count, GError **error)
{
  char *transaction = oct_dicom_make_uid ();
  g_autofree char *path =
      oct_dicom_queue_make_path (queue, "transactions", transaction, ".txt");
  g_autoptr (GString) text = g_string_new (NULL);
  int code;

  for (guint i = 0; i < count; i++) {
    g_autofree char *line =
        make_line (queue, objects[i].sop_class, objects[i].instance);

    g_string_append_printf (text, "%s\n", line);
  }
  code = oct_file_replace (path, text->str, text->len, 0600);
  if (code == 0)
    return transaction;
  queue_fail (error, OCT_DICOM_ERROR_QUEUE, path, code);
  g_free (transaction);
  return NULL;
}

void
oct_dicom_queue_close (OctDicomQueue *queue, const char *transaction)
{
  g_autofree char *path =
      oct_dicom_queue_make_path (queue, "transactions", transaction, ".txt");
  /* closed ones are from 1970; the time of this change stays in st_ctime */
  const struct timespec times[2] = { { 0, 0 }, { 0, 0 } };

  (void)utimensat (AT_FDCWD, path, times, 0);
}

gboolean
oct_dicom_queue_knows (const OctDicomQueue *queue, const char *transaction)
{
  g_autofree char *path =
      oct_dicom_queue_make_path (queue, "transactions", transaction, ".txt");

  return oct_dicom_is_uid (transaction) && queue_has_file (path);
}

/* Its lines. */
static char **
read_transaction (const char *path)
{
  g_autofree char *text =
      oct_file_read_text ("Transaction", path, MOST_TEXT, "a text", NULL, NULL);

  return g_strsplit (text != NULL ? text : "", "\n", -1);
}

gboolean
oct_dicom_queue_asks (const OctDicomQueue *queue, const char *transaction,
    const char *sop_class, const char *instance)
{
  g_autofree char *path =
      oct_dicom_queue_make_path (queue, "transactions", transaction, ".txt");
  g_autofree char *line = make_line (queue, sop_class, instance);
  g_auto (GStrv) lines = read_transaction (path);

  return g_strv_contains ((const char *const *)lines, line);
}

GHashTable *
oct_dicom_queue_get_asked (OctDicomQueue *queue, guint seconds)
{
  GHashTable *asked =
      g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *folder =
      g_build_filename (queue->path, "transactions", NULL);
  gint64 now = g_get_real_time () / G_USEC_PER_SEC;

  (void)oct_file_list_folder (folder, names, NULL);
  for (guint i = 0; i < names->len; i++) {
    g_autofree char *path =
        g_build_filename (folder, g_ptr_array_index (names, i), NULL);
    g_auto (GStrv) lines = NULL;
    struct stat status;

    if (lstat (path, &status) != 0)
      continue;
    if (now - status.st_ctim.tv_sec > FORGET)
      g_unlink (path);
    /* of a clock that was set back, too */
    if (ABS (now - status.st_mtim.tv_sec) >= seconds)
      continue;
    lines = read_transaction (path);
    for (guint j = 0; lines[j] != NULL; j++) {
      g_auto (GStrv) words = g_strsplit (lines[j], " ", 3);

      if (g_strv_length (words) == 3)
        g_hash_table_add (asked, g_strdup (words[1]));
    }
  }
  return asked;
}
