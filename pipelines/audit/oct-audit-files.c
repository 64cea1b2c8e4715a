/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-audit-files.h"
#include "oct-playable.h"

#include <errno.h>
#include <fcntl.h>
#include <gst/gst.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BLOCK (1 << 20)
/* A damaged file must not hold up a report for ever. */
#define PATIENCE (20 * GST_SECOND)
#define PICTURE                                                                \
  "filesrc name=file ! decodebin ! videoconvert ! videoscale ! "               \
  "video/x-raw,width=[1,480],pixel-aspect-ratio=1/1 ! jpegenc ! "              \
  "fakesink name=sink sync=false"

static void
file_free (gpointer data)
{
  OctAuditFile *file = data;

  g_free (file->name);
  g_free (file->path);
  g_free (file->sum);
  g_free (file->problem);
  g_free (file);
}

static gboolean
files_is_of (const char *file, const char *name)
{
  gsize size = strlen (name);

  return size > 0 && strncmp (file, name, size) == 0
         && (file[size] == '.' || file[size] == '-');
}

/* Whether a recording with a longer name has it. */
static gboolean
files_is_of_other (const char *file, const char *name, GPtrArray *names)
{
  for (guint i = 0; i < names->len; i++)
    if (strlen (names->pdata[i]) > strlen (name)
        && files_is_of (file, names->pdata[i]))
      return TRUE;
  return FALSE;
}

/* Returns: errno, 0. */
static int
files_sum (int fd, OctAuditFile *file)
{
  g_autoptr (GChecksum) checksum = g_checksum_new (G_CHECKSUM_SHA256);
  g_autofree guint8 *block = g_malloc (BLOCK);
  ssize_t n;

  while ((n = read (fd, block, BLOCK)) > 0) {
    g_checksum_update (checksum, block, n);
    file->bytes += (guint64)n;
  }
  if (n < 0)
    return errno;
  file->sum = g_strdup (g_checksum_get_string (checksum));
  return 0;
}

/* FALSE: it is not a file, or a link. */
static gboolean
files_look (OctAuditFile *file)
{
  gboolean mp4 = g_str_has_suffix (file->name, ".mp4");
  g_autoptr (GError) error = NULL;
  struct stat status;
  int fd = open (file->path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK),
      code;

  if (fd < 0 && errno == ELOOP)
    return FALSE;
  if (fd >= 0 && (fstat (fd, &status) != 0 || !S_ISREG (status.st_mode))) {
    close (fd);
    return FALSE;
  }
  code = fd < 0 ? errno : files_sum (fd, file);
  if (fd >= 0)
    close (fd);
  file->is_video = mp4 || g_str_has_suffix (file->name, ".mkv");
  if (code != 0)
    file->problem = g_strdup (g_strerror (code));
  else if (file->is_video
           && !oct_playable_count (file->path, mp4, 0, &file->frames, &error))
    file->problem = g_strdup (error->message);
  return TRUE;
}

static int
files_compare (gconstpointer a, gconstpointer b)
{
  return strcmp (
      (*(OctAuditFile *const *)a)->name, (*(OctAuditFile *const *)b)->name);
}

GPtrArray *
oct_audit_files_find (
    const char *folder, const char *name, GPtrArray *names, GError **error)
{
  g_autoptr (GPtrArray) files = g_ptr_array_new_with_free_func (file_free);
  g_autoptr (GDir) open = g_dir_open (folder, 0, error);
  const char *entry;

  if (open == NULL)
    return NULL;
  while ((entry = g_dir_read_name (open)) != NULL) {
    OctAuditFile *file;

    if (!files_is_of (entry, name) || files_is_of_other (entry, name, names))
      continue;
    file = g_new0 (OctAuditFile, 1);
    file->name = g_strdup (entry);
    file->path = g_build_filename (folder, entry, NULL);
    if (files_look (file))
      g_ptr_array_add (files, file);
    else
      file_free (file);
  }
  g_ptr_array_sort (files, files_compare);
  return g_steal_pointer (&files);
}

static char *
files_take_picture (GstElement *pipeline)
{
  g_autoptr (GstElement) sink =
      gst_bin_get_by_name (GST_BIN (pipeline), "sink");
  g_autoptr (GstSample) sample = NULL;
  g_autofree char *base64 = NULL;
  GstBuffer *buffer;
  GstMapInfo map;

  g_object_get (sink, "last-sample", &sample, NULL);
  buffer = sample != NULL ? gst_sample_get_buffer (sample) : NULL;
  if (buffer == NULL || !gst_buffer_map (buffer, &map, GST_MAP_READ))
    return NULL;
  base64 = g_base64_encode (map.data, map.size);
  gst_buffer_unmap (buffer, &map);
  return g_strconcat ("data:image/jpeg;base64,", base64, NULL);
}

char *
oct_audit_files_picture (const char *path, double part)
{
  GstElement *pipeline =
      gst_parse_launch_full (PICTURE, NULL, GST_PARSE_FLAG_FATAL_ERRORS, NULL);
  g_autoptr (GstElement) file = NULL;
  gint64 duration = 0;
  char *picture = NULL;

  if (pipeline == NULL)
    return NULL;
  file = gst_bin_get_by_name (GST_BIN (pipeline), "file");
  g_object_set (file, "location", path, NULL);
  gst_element_set_state (pipeline, GST_STATE_PAUSED);
  if (gst_element_get_state (pipeline, NULL, NULL, PATIENCE)
      == GST_STATE_CHANGE_SUCCESS) {
    if (gst_element_query_duration (pipeline, GST_FORMAT_TIME, &duration)
        && duration > 0
        && gst_element_seek_simple (pipeline, GST_FORMAT_TIME,
            GST_SEEK_FLAG_FLUSH | GST_SEEK_FLAG_ACCURATE,
            (gint64)(part * (double)duration)))
      (void)gst_element_get_state (pipeline, NULL, NULL, PATIENCE);
    picture = files_take_picture (pipeline);
  }
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (pipeline);
  return picture;
}

char *
oct_audit_files_read (const OctAuditFile *file, guint64 most)
{
  g_autofree char *text = NULL;
  gsize size;

  if (file->bytes > most
      || !g_file_get_contents (file->path, &text, &size, NULL)
      || !g_utf8_validate (text, (gssize)size, NULL))
    return NULL;
  return g_steal_pointer (&text);
}
