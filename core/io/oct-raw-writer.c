/* SPDX-License-Identifier: LGPL-2.1-or-later */
#define _FILE_OFFSET_BITS 64

#include "oct-raw-writer.h"

#include "oct-file-mode.h"
#include "oct-file.h"
#include "oct-file-write.h"
#include "oct-lost-lines.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Written data are on the disk within a second. */
#define SYNC_TIME (300 * G_TIME_SPAN_MILLISECOND)

typedef struct {
  guint number;
  dev_t dev; /* which file it is */
  ino_t ino;
  guint64 frames;
  gboolean gone;
} Part;

struct _OctRawWriter {
  char *base;
  guint64 part_size;
  guint mode;
  GArray *parts; /* Part; the last one is being written; streaming thread */
  guint samples, lines, value_size; /* 0 before the first description */
  guint8 *row_buffer;               /* a B-scan, where rows have gaps */
  gboolean failed;
  gint64 text_size;      /* of the text that was written last; 0: none yet */
  GPtrArray *masks;      /* OctScanMask, by their numbers */
  OctScanPlaces *places; /* NULL: not known */

  GThread *thread;
  GMutex lock;
  GCond wake;
  gboolean stop, new_part;
  int fd;          /* of the part being written, -1 = none */
  int lost_fd;     /* of the text of lost A-lines, -1 = none */
  guint64 written; /* bytes of it */
  GQueue finished; /* fds of parts before, which the thread closes */
  OctRawWriterStats stats;
  int sync_error; /* errno, 0 = none */
};

static char *
get_text_path (const OctRawWriter *writer)
{
  return g_strconcat (writer->base, OCT_RECORDING_SUFFIX, NULL);
}

static void
raw_writer_set_error (GError **error, const char *path, int code)
{
  g_autofree char *file = oct_file_describe ("Recording", path);

  if (code == ENOSPC || code == EDQUOT)
    g_set_error (error, OCT_ERROR, OCT_ERROR_DISK_FULL,
        "%s cannot go on, the disk is full; what was recorded is kept, make "
        "room or record to another disk",
        file);
  else
    g_set_error (error, OCT_ERROR, OCT_ERROR_WRITE,
        "%s cannot be written: %s; set `location` to a folder on a disk that "
        "works",
        file, g_strerror (code));
}

static gsize
get_frame_size (const OctRawWriter *writer)
{
  return (gsize)writer->samples * writer->lines * writer->value_size;
}

/* ------------------------------------------------------------------ syncing */

/* Returns: errno, 0 when all is well. */
static int
sync_file (int fd)
{
  int code = fdatasync (fd) == 0 ? 0 : errno;

  /* some file systems have no such thing */
  if (code == EINVAL || code == ENOSYS)
    code = 0;
  (void)posix_fadvise (fd, 0, 0, POSIX_FADV_DONTNEED);
  return code;
}

/* Without the lock: the files are closed nowhere else. */
static int
sync_files (OctRawWriter *writer, int current, int lost, GQueue *finished,
    gboolean is_new)
{
  int code = 0, fd;

  while (!g_queue_is_empty (finished)) {
    int failure;

    fd = GPOINTER_TO_INT (g_queue_pop_head (finished));
    failure = sync_file (fd);
    code = code != 0 ? code : failure;
    /* oct_raw_writer_check() looks after sizes */
    failure = oct_file_end (fd, 0);
    code = code != 0 ? code : failure;
  }
  /* first: it tells the losses in the B-scans */
  if (lost >= 0)
    code = code != 0 ? code : sync_file (lost);
  if (current >= 0)
    code = code != 0 ? code : sync_file (current);
  if (is_new)
    oct_file_sync_folder (writer->base);
  return code;
}

static gpointer
raw_writer_run (gpointer data)
{
  OctRawWriter *writer = data;
  gboolean stop = FALSE;

  g_mutex_lock (&writer->lock);
  while (!stop) {
    gint64 until = g_get_monotonic_time () + SYNC_TIME;
    GQueue finished = G_QUEUE_INIT;
    gboolean is_new;
    int current, lost, code;

    while (!writer->stop
           && g_cond_wait_until (&writer->wake, &writer->lock, until))
      ;
    stop = writer->stop;
    current = writer->fd;
    lost = writer->lost_fd;
    is_new = writer->new_part;
    writer->new_part = FALSE;
    finished = writer->finished;
    g_queue_init (&writer->finished);
    g_mutex_unlock (&writer->lock);
    code = sync_files (writer, current, lost, &finished, is_new);
    g_mutex_lock (&writer->lock);
    if (writer->sync_error == 0)
      writer->sync_error = code;
  }
  g_mutex_unlock (&writer->lock);
  return NULL;
}

/* ------------------------------------------------------------------ writing */

static gboolean
check_new (const char *path, GError **error)
{
  g_autofree char *file = oct_file_describe ("Recording", path);

  if (!g_file_test (path, G_FILE_TEST_EXISTS))
    return TRUE;
  g_set_error (error, OCT_ERROR, OCT_ERROR_WRITE,
      "%s exists already, and recordings are never overwritten; set `location` "
      "to another name",
      file);
  return FALSE;
}

/* Creates the text, empty until the first B-scan: it reserves the name. */
static gboolean
take_text (const char *path, guint mode, GError **error)
{
  int fd = oct_file_mode_create (path, O_WRONLY, mode);

  if (fd >= 0)
    close (fd);
  else if (errno != EEXIST || check_new (path, error))
    raw_writer_set_error (error, path, errno);
  return fd >= 0;
}

static gboolean
check_folder (const char *base, GError **error)
{
  g_autofree char *folder = g_path_get_dirname (base);

  if (g_access (folder, W_OK | X_OK) == 0)
    return TRUE;
  raw_writer_set_error (error, base, errno);
  return FALSE;
}

OctRawWriter *
oct_raw_writer_new (
    const char *base, guint64 part_size, guint mode, GError **error)
{
  g_autofree char *text = g_strconcat (base, OCT_RECORDING_SUFFIX, NULL);
  g_autofree char *part = NULL;
  g_autofree char *places = NULL;
  g_autofree char *lost = NULL;
  OctRawWriter *writer;

  if (!check_new (text, error) || !check_folder (base, error))
    return NULL;
  /* one of a later number would end this recording when it comes there, or be
   * played as if it belonged to it */
  part = oct_recording_find_part (base, 0);
  if (part == NULL)
    part = oct_recording_find_mask (base);
  places = oct_recording_places_path (base);
  lost = oct_recording_lost_path (base);
  if (!check_new (places, error) || !check_new (lost, error))
    return NULL;
  if ((part != NULL && !check_new (part, error))
      || !take_text (text, mode, error))
    return NULL;
  writer = g_new0 (OctRawWriter, 1);
  writer->base = g_strdup (base);
  writer->part_size = part_size;
  writer->mode = mode;
  writer->parts = g_array_new (FALSE, FALSE, sizeof (Part));
  writer->masks =
      g_ptr_array_new_with_free_func ((GDestroyNotify)oct_scan_mask_unref);
  writer->fd = writer->lost_fd = -1;
  g_queue_init (&writer->finished);
  g_mutex_init (&writer->lock);
  g_cond_init (&writer->wake);
  writer->thread = g_thread_new ("oct-raw-sync", raw_writer_run, writer);
  return writer;
}

/* One that is gone while it is recorded into; errors show when it is used. */
static void
make_folder (const OctRawWriter *writer)
{
  g_autofree char *folder = g_path_get_dirname (writer->base);

  /* users who can read the files can enter */
  (void)g_mkdir_with_parents (
      folder, writer->mode | 0700 | (writer->mode & 0444) >> 2);
}

/* A crash leaves the old file or the new one. */
static gboolean
raw_writer_write_text (const OctRawWriter *writer, const char *path,
    const char *text, gsize size, GError **error)
{
  int code;

  make_folder (writer);
  code = oct_file_replace (path, text, size, (int)writer->mode);
  if (code != 0)
    raw_writer_set_error (error, path, code);
  return code == 0;
}

static gboolean
write_mask (const OctRawWriter *writer, guint number, GError **error)
{
  g_autofree char *path = oct_recording_mask_path (writer->base, number);
  gsize size;
  g_autofree char *text =
      oct_scan_mask_format (writer->masks->pdata[number], &size);

  return raw_writer_write_text (writer, path, text, size, error);
}

static gboolean
has_mask (const OctRawWriter *writer, guint number)
{
  const OctScanMask *mask = writer->masks->pdata[number];
  g_autofree char *path = oct_recording_mask_path (writer->base, number);
  GStatBuf status;

  /* as oct_scan_mask_format() makes it */
  return g_stat (path, &status) == 0
         && (guint64)status.st_size
                >= ((guint64)mask->lines + 1) * mask->bscans;
}

static gboolean
write_places (const OctRawWriter *writer, GError **error)
{
  g_autofree char *path = oct_recording_places_path (writer->base);
  gsize size;
  g_autofree char *text = oct_scan_places_format (writer->places, &size);

  return raw_writer_write_text (writer, path, text, size, error);
}

/* Or there are none. */
static gboolean
raw_writer_has_places (const OctRawWriter *writer)
{
  g_autofree char *path = oct_recording_places_path (writer->base);
  GStatBuf status;

  /* a row has four bytes at least */
  return writer->places == NULL
         || (g_stat (path, &status) == 0
             && (guint64)status.st_size >= 4 * (guint64)writer->places->count);
}

gboolean
oct_raw_writer_set_places (
    OctRawWriter *writer, OctScanPlaces *places, GError **error)
{
  if (oct_scan_places_equal (writer->places, places))
    return TRUE;
  if (writer->places != NULL) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "The scan path changed from %u B-scans of %u A-lines to another one of "
        "%u of %u, and a recording holds one; begin a new one with another "
        "`location`",
        writer->places->bscans, writer->places->lines, places->bscans,
        places->lines);
    return FALSE;
  }
  writer->places = oct_scan_places_ref (places);
  return write_places (writer, error);
}

gboolean
oct_raw_writer_describe (
    OctRawWriter *writer, const OctRecordingInfo *info, GError **error)
{
  g_autofree char *path = get_text_path (writer);
  g_autofree char *text = oct_recording_format (info);

  if (writer->samples == 0) {
    writer->samples = info->samples;
    writer->lines = info->lines;
    writer->value_size = oct_sample_format_size (info->sample_format);
  }
  for (guint i = 0; i < writer->masks->len; i++)
    if (!has_mask (writer, i) && !write_mask (writer, i, error))
      return FALSE;
  if (!raw_writer_has_places (writer) && !write_places (writer, error))
    return FALSE;
  if (!raw_writer_write_text (writer, path, text, strlen (text), error))
    return FALSE;
  writer->text_size = (gint64)strlen (text);
  return TRUE;
}

/* Whether one recording holds it too. */
static gboolean
check_mask (const OctRawWriter *writer, const OctScanMask *mask, GError **error)
{
  const OctScanMask *first =
      writer->masks->len > 0 ? writer->masks->pdata[0] : NULL;

  if (first != NULL && !oct_scan_mask_same_sizes (mask, first))
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "The scan mask changed from volumes of %u B-scans of %u A-lines to %u "
        "of %u, or takes another number of them, which one recording cannot "
        "hold; begin a new one with another `location`",
        first->bscans, first->lines, mask->bscans, mask->lines);
  else if (writer->masks->len >= OCT_RECORDING_MAX_MASKS)
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "The scan has had %d different masks, more than one recording can "
        "hold; begin a new one with another `location`, or use masks again",
        OCT_RECORDING_MAX_MASKS);
  else
    return TRUE;
  return FALSE;
}

gboolean
oct_raw_writer_add_mask (
    OctRawWriter *writer, OctScanMask *mask, guint *number, GError **error)
{
  GPtrArray *masks = writer->masks;
  g_autofree char *path = NULL;

  for (*number = 0; *number < masks->len; (*number)++)
    if (oct_scan_mask_equal (mask, masks->pdata[*number]))
      return TRUE;
  if (!check_mask (writer, mask, error))
    return FALSE;
  path = oct_recording_mask_path (writer->base, *number);
  if (!check_new (path, error))
    return FALSE;
  g_ptr_array_add (masks, oct_scan_mask_ref (mask));
  return write_mask (writer, *number, error);
}

/* Makes the file of the next part.  A name that another program has taken
 * stands for a part that is lost, as oct_raw_writer_check() then finds.  -1
 * with errno. */
static int
make_part (OctRawWriter *writer, char **path)
{
  int fd = -1;

  make_folder (writer);
  while (fd < 0) {
    const Part taken = { .number = writer->parts->len };

    g_free (*path);
    *path = oct_recording_part_path (writer->base, taken.number);
    /* appended, so that a file truncated by another program has no hole but is
     * too short */
    fd = oct_file_mode_create (*path, O_WRONLY | O_APPEND, writer->mode);
    if (fd < 0 && errno != EEXIST)
      return -1;
    if (fd >= 0)
      continue;
    g_array_append_val (writer->parts, taken);
  }
  return fd;
}

static gboolean
raw_writer_begin_part (OctRawWriter *writer, GError **error)
{
  g_autofree char *path = NULL;
  int fd = make_part (writer, &path);
  Part part = { 0 };
  struct stat status;

  if (fd < 0 || fstat (fd, &status) != 0) {
    raw_writer_set_error (error, path, errno);
    if (fd >= 0)
      close (fd);
    return FALSE;
  }
  part.number = writer->parts->len;
  part.dev = status.st_dev;
  part.ino = status.st_ino;
  g_array_append_val (writer->parts, part);
  g_mutex_lock (&writer->lock);
  if (writer->fd >= 0)
    g_queue_push_tail (&writer->finished, GINT_TO_POINTER (writer->fd));
  writer->fd = fd;
  writer->written = 0;
  writer->new_part = TRUE;
  g_mutex_unlock (&writer->lock);
  return TRUE;
}

/* ----------------------------------------------------------------- watching */

static gboolean
raw_writer_is_there (const OctRawWriter *writer, const Part *part)
{
  g_autofree char *path = oct_recording_part_path (writer->base, part->number);
  struct stat status;

  if (stat (path, &status) == 0)
    return status.st_dev == part->dev && status.st_ino == part->ino
           && (guint64)status.st_size >= part->frames * get_frame_size (writer);
  /* an unreadable folder gives no information */
  return errno == EACCES;
}

gboolean
oct_raw_writer_check (OctRawWriter *writer, OctRawLoss *loss)
{
  guint64 first = 0;

  for (guint i = 0; i < writer->parts->len; i++) {
    Part *part = &g_array_index (writer->parts, Part, i);

    if (part->gone)
      continue;
    if (raw_writer_is_there (writer, part)) {
      first += part->frames;
      continue;
    }
    part->gone = TRUE;
    *loss = (OctRawLoss){ oct_recording_part_path (writer->base, part->number),
      part->number, first, part->frames, i + 1 == writer->parts->len };
    g_mutex_lock (&writer->lock);
    writer->stats.parts -= part->frames > 0;
    writer->stats.frames -= part->frames;
    writer->stats.bytes -= part->frames * get_frame_size (writer);
    writer->stats.lost += part->frames;
    g_mutex_unlock (&writer->lock);
    return TRUE;
  }
  return FALSE;
}

gboolean
oct_raw_writer_has_text (OctRawWriter *writer)
{
  g_autofree char *path = get_text_path (writer);
  GStatBuf status;

  for (guint i = 0; i < writer->masks->len; i++)
    if (!has_mask (writer, i))
      return FALSE;
  if (!raw_writer_has_places (writer))
    return FALSE;
  /* notes of the user's own make it longer */
  return g_stat (path, &status) == 0 && status.st_size >= writer->text_size;
}

/* Whether a B-scan more goes into the part being written. */
static gboolean
raw_writer_has_room (const OctRawWriter *writer)
{
  const Part *last;

  if (writer->parts->len == 0)
    return FALSE;
  last = &g_array_index (writer->parts, Part, writer->parts->len - 1);
  return !last->gone
         && writer->written + get_frame_size (writer) <= writer->part_size;
}

/* ------------------------------------------------------------------ B-scans */

/* Rows without the gaps between them. */
static gconstpointer
raw_writer_pack (OctRawWriter *writer, gconstpointer data, gsize stride)
{
  gsize row = (gsize)writer->samples * writer->value_size;

  if (stride == row)
    return data;
  if (writer->row_buffer == NULL)
    writer->row_buffer = g_malloc (row * writer->lines);
  for (guint i = 0; i < writer->lines; i++)
    memcpy (
        writer->row_buffer + i * row, (const guint8 *)data + i * stride, row);
  return writer->row_buffer;
}

/* Makes the text with the first of them.  Returns: errno, 0. */
static int
raw_writer_begin_lost (OctRawWriter *writer)
{
  g_autofree char *path = oct_recording_lost_path (writer->base);
  int fd;

  if (writer->lost_fd >= 0)
    return 0;
  make_folder (writer);
  fd = oct_file_mode_create (path, O_WRONLY | O_APPEND, writer->mode);
  if (fd < 0)
    return errno;
  g_mutex_lock (&writer->lock);
  writer->lost_fd = fd;
  writer->new_part = TRUE;
  g_mutex_unlock (&writer->lock);
  return 0;
}

/* Writes those of the next B-scan, whose part has begun.  Returns: errno, 0. */
static int
raw_writer_lose_lines (OctRawWriter *writer, const guint8 *valid)
{
  const Part *part =
      &g_array_index (writer->parts, Part, writer->parts->len - 1);
  g_autoptr (GString) text = g_string_new (NULL);
  int code;

  if (valid == NULL || memchr (valid, 0, writer->lines) == NULL)
    return 0;
  oct_lost_lines_format (
      part->number, part->frames, valid, writer->lines, text);
  code = raw_writer_begin_lost (writer);
  return code != 0 ? code
                   : oct_file_write_all (writer->lost_fd, text->str, text->len);
}

gboolean
oct_raw_writer_append (OctRawWriter *writer, gconstpointer data, gsize stride,
    const guint8 *valid, GError **error)
{
  gsize size = get_frame_size (writer);
  int code = EIO;

  g_return_val_if_fail (size > 0, FALSE);
  if (!writer->failed) {
    if (!raw_writer_has_room (writer)
        && !raw_writer_begin_part (writer, error)) {
      writer->failed = TRUE;
      return FALSE;
    }
    code = raw_writer_lose_lines (writer, valid);
    if (code == 0)
      code = oct_file_write_all (
          writer->fd, raw_writer_pack (writer, data, stride), size);
    if (code != 0)
      (void)!ftruncate (writer->fd, (off_t)writer->written);
  }
  g_mutex_lock (&writer->lock);
  code = code != 0 ? code : writer->sync_error;
  if (code == 0) {
    writer->written += size;
    writer->stats.bytes += size;
    writer->stats.frames++;
    if (g_array_index (writer->parts, Part, writer->parts->len - 1).frames++
        == 0)
      writer->stats.parts++;
  }
  g_mutex_unlock (&writer->lock);
  if (code == 0)
    return TRUE;
  writer->failed = TRUE;
  raw_writer_set_error (error, writer->base, code);
  return FALSE;
}

OctRawWriterStats
oct_raw_writer_get_stats (OctRawWriter *writer)
{
  OctRawWriterStats stats;

  g_mutex_lock (&writer->lock);
  stats = writer->stats;
  g_mutex_unlock (&writer->lock);
  return stats;
}

/* A part that was begun when there was no room for a B-scan any more.  Returns:
 * TRUE when it was there. */
static gboolean
remove_empty_part (const OctRawWriter *writer)
{
  const Part *last = writer->parts->len > 0 ? &g_array_index (
                         writer->parts, Part, writer->parts->len - 1)
                                            : NULL;
  g_autofree char *path = NULL;
  struct stat status;

  if (writer->fd < 0 || last == NULL || last->frames > 0
      || fstat (writer->fd, &status) != 0 || status.st_size != 0
      || !raw_writer_is_there (writer, last))
    return FALSE;
  path = oct_recording_part_path (writer->base, last->number);
  return g_unlink (path) == 0;
}

/* Frees the name of an empty recording again. */
static void
remove_text (const OctRawWriter *writer)
{
  g_autofree char *path = get_text_path (writer);

  g_unlink (path);
  if (writer->places != NULL) {
    g_autofree char *places = oct_recording_places_path (writer->base);

    g_unlink (places);
  }
  if (writer->lost_fd >= 0) {
    g_autofree char *lost = oct_recording_lost_path (writer->base);

    g_unlink (lost);
  }
  for (guint i = 0; i < writer->masks->len; i++) {
    g_autofree char *mask = oct_recording_mask_path (writer->base, i);

    g_unlink (mask);
  }
}

gboolean
oct_raw_writer_close (OctRawWriter *writer, GError **error)
{
  guint removed;
  gboolean ok;

  g_mutex_lock (&writer->lock);
  writer->stop = TRUE;
  g_cond_signal (&writer->wake);
  g_mutex_unlock (&writer->lock);
  g_thread_join (writer->thread);
  removed = remove_empty_part (writer) ? 1 : 0;
  if (writer->fd >= 0) {
    int code = oct_file_end (writer->fd, 0);

    writer->sync_error = writer->sync_error != 0 ? writer->sync_error : code;
  }
  if (writer->lost_fd >= 0) {
    int code = oct_file_end (writer->lost_fd, 0);

    writer->sync_error = writer->sync_error != 0 ? writer->sync_error : code;
  }
  if (writer->parts->len == removed)
    remove_text (writer);
  ok = writer->sync_error == 0 || writer->failed;
  if (!ok)
    raw_writer_set_error (error, writer->base, writer->sync_error);
  g_mutex_clear (&writer->lock);
  g_cond_clear (&writer->wake);
  g_array_unref (writer->parts);
  g_ptr_array_unref (writer->masks);
  g_clear_pointer (&writer->places, oct_scan_places_unref);
  g_free (writer->row_buffer);
  g_free (writer->base);
  g_free (writer);
  return ok;
}
