/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-dicom-video.h"
#include "oct-dicom-deadline.h"
#include "oct-file.h"
#include "oct-video-file.h"

#include <gst/gst.h>
#include <string.h>
#include <unistd.h>

/* The rest of a sentence about a film that is of another kind. */
#define REMEDY                                                                 \
  "the transfer syntax takes MP4 files with one stream of H.264, of 8 bit "    \
  "4:2:0, up to High Profile at level 4.1, with square pixels and whole "      \
  "frames; encode it so"

typedef struct {
  GstElement *pipeline;
  guint films, others;
  char *other; /* the kind of a stream that is none of H.264 */
  guint frames;
  GstClockTime first, last;
} Film;

static gboolean video_fail (GError **error, const char *path,
    const char *format, ...) G_GNUC_PRINTF (3, 4);

static gboolean
video_fail (GError **error, const char *path, const char *format, ...)
{
  va_list list;
  g_autofree char *found = NULL;

  va_start (list, format);
  found = g_strdup_vprintf (format, list);
  va_end (list);
  g_set_error (error, OCT_DICOM_ERROR, OCT_DICOM_ERROR_FILE, "'%s' %s; %s",
      path, found, REMEDY);
  return FALSE;
}

/* -------------------------------------------------------------------- the boxes */

/* The size of the box at `place`, with that of its header; 0: there is none. */
static guint64
read_box (int fd, guint64 place, guint64 left, char *type)
{
  guint8 head[16];
  guint64 size;

  if (oct_file_read (fd, place, head, 16) < 8)
    return 0;
  memcpy (type, head + 4, 4);
  type[4] = '\0';
  size = GST_READ_UINT32_BE (head);
  if (size == 0)
    return left; /* up to the end of the file */
  if (size == 1)
    size = left >= 16 ? GST_READ_UINT64_BE (head + 8) : 0;
  return size >= 8 ? size : 0;
}

/* A file that was cut off has a box that is longer than the file: players show its
 * beginning without a word. */
static gboolean
check_boxes (const char *path, GError **error)
{
  guint64 size = 0, place = 0;
  int fd = oct_file_open ("Film", path, &size, error);
  gboolean good = TRUE;

  if (fd < 0)
    return FALSE;
  while (good && place < size) {
    char type[5] = "";
    guint64 box = read_box (fd, place, size - place, type);

    if (place == 0 && !g_str_equal (type, "ftyp"))
      good = video_fail (error, path, "is not an MP4 file");
    else if (box == 0 || box > size - place)
      good = video_fail (error, path,
          "is cut off or damaged at byte %" G_GUINT64_FORMAT, place);
    place += box;
  }
  if (good && size == 0)
    good = video_fail (error, path, "is empty");
  if (good && size > OCT_VIDEO_FILE_MOST)
    good = video_fail (error, path, "has more than the 4 GB of one object");
  close (fd);
  return good;
}

/* -------------------------------------------------------------------- the frames */

static GstPadProbeReturn
video_on_frame (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  GstClockTime time = GST_BUFFER_PTS (GST_PAD_PROBE_INFO_BUFFER (info));
  Film *film = data;

  film->frames++;
  if (!GST_CLOCK_TIME_IS_VALID (time))
    return GST_PAD_PROBE_OK;
  if (!GST_CLOCK_TIME_IS_VALID (film->first) || time < film->first)
    film->first = time;
  if (!GST_CLOCK_TIME_IS_VALID (film->last) || time > film->last)
    film->last = time;
  return GST_PAD_PROBE_OK;
}

static void
video_on_pad (GstElement *demux, GstPad *pad, gpointer data)
{
  Film *film = data;
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (pad);
  const char *name =
      caps != NULL ? gst_structure_get_name (gst_caps_get_structure (caps, 0))
                   : "a stream of an unknown kind";
  g_autoptr (GstElement) parse = NULL;
  g_autoptr (GstPad) to = NULL;

  if (g_str_equal (name, "video/x-h264") && film->films++ == 0) {
    parse = gst_bin_get_by_name (GST_BIN (film->pipeline), "parse");
    to = gst_element_get_static_pad (parse, "sink");
    (void)gst_pad_link (pad, to);
    return;
  }
  /* nothing more has to be read */
  g_free (film->other);
  film->other = g_strdup (name);
  gst_element_post_message (
      demux, gst_message_new_application (
                 GST_OBJECT (demux), gst_structure_new_empty ("other")));
}

/* Reads all of it; the caps after the parser, or NULL. */
static GstCaps *
read_film (Film *film, const char *path, GError **error)
{
  g_autoptr (GstElement) file = NULL, demux = NULL, parse = NULL;
  g_autoptr (GstPad) pad = NULL;
  g_autoptr (GstBus) bus = NULL;
  g_autoptr (GstMessage) message = NULL;
  g_autoptr (GstCaps) caps = NULL;

  film->pipeline =
      gst_parse_launch_full ("filesrc name=file ! qtdemux name=demux "
                             "h264parse name=parse ! fakesink "
                             "name=frames async=false sync=false",
          NULL, GST_PARSE_FLAG_FATAL_ERRORS, error);
  if (film->pipeline == NULL)
    return NULL;
  file = gst_bin_get_by_name (GST_BIN (film->pipeline), "file");
  demux = gst_bin_get_by_name (GST_BIN (film->pipeline), "demux");
  parse = gst_bin_get_by_name (GST_BIN (film->pipeline), "parse");
  pad = gst_element_get_static_pad (parse, "src");
  bus = gst_element_get_bus (film->pipeline);
  g_object_set (file, "location", path, NULL);
  gst_pad_add_probe (
      pad, GST_PAD_PROBE_TYPE_BUFFER, video_on_frame, film, NULL);
  g_signal_connect (demux, "pad-added", G_CALLBACK (video_on_pad), film);
  gst_element_set_state (film->pipeline, GST_STATE_PLAYING);
  message = gst_bus_timed_pop_filtered (bus, GST_CLOCK_TIME_NONE,
      GST_MESSAGE_EOS | GST_MESSAGE_ERROR | GST_MESSAGE_APPLICATION);
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR) {
    g_autoptr (GError) reason = NULL;

    gst_message_parse_error (message, &reason, NULL);
    g_strdelimit (reason->message, "\r\n", ' ');
    video_fail (error, path, "cannot be read (%s)", reason->message);
  } else if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS) {
    caps = gst_pad_get_current_caps (pad);
  }
  gst_element_set_state (film->pipeline, GST_STATE_NULL);
  return g_steal_pointer (&caps);
}

/* --------------------------------------------------------------- the syntax */

static gboolean
check_profile (const GstStructure *caps, const char *path, GError **error)
{
  static const char *const profiles[] = { "constrained-baseline", "main",
    "high", "progressive-high", "constrained-high", NULL };
  static const char *const levels[] = { "1", "1b", "1.1", "1.2", "1.3", "2",
    "2.1", "2.2", "3", "3.1", "3.2", "4", "4.1", NULL };
  const char *profile = gst_structure_get_string (caps, "profile");
  const char *level = gst_structure_get_string (caps, "level");

  if (profile == NULL || !g_strv_contains (profiles, profile))
    return video_fail (error, path, "has the profile '%s'",
        profile != NULL ? profile : "unknown");
  if (level == NULL || !g_strv_contains (levels, level))
    return video_fail (
        error, path, "has the level %s", level != NULL ? level : "unknown");
  return TRUE;
}

static gboolean
video_check_caps (const GstStructure *caps, const char *path,
    OctVideoInfo *info, GError **error)
{
  const char *structure =
      gst_structure_get_string (caps, "coded-picture-structure");
  const char *chroma = gst_structure_get_string (caps, "chroma-format");
  gint width = 0, height = 0, n = 1, d = 1;

  if (!check_profile (caps, path, error))
    return FALSE;
  if (!gst_structure_get_int (caps, "width", &width)
      || !gst_structure_get_int (caps, "height", &height) || width < 1
      || height < 1 || width > G_MAXUINT16 || height > G_MAXUINT16)
    return video_fail (error, path, "has frames of an unknown size");
  if (g_strcmp0 (structure, "frame") != 0)
    return video_fail (error, path, "is interlaced, or may be");
  if (chroma != NULL && !g_str_equal (chroma, "4:2:0"))
    return video_fail (error, path, "has the chroma format %s", chroma);
  if (gst_structure_get_fraction (caps, "pixel-aspect-ratio", &n, &d) && n != d)
    return video_fail (error, path, "has pixels of %d:%d", n, d);
  info->columns = (guint)width;
  info->rows = (guint)height;
  return TRUE;
}

/* That of the frames as they came; one frame has that of the stream. */
static double
get_frame_time (const Film *film, const GstStructure *caps)
{
  gint n = 0, d = 1;

  if (film->frames > 1 && GST_CLOCK_TIME_IS_VALID (film->last)
      && film->last > film->first)
    return (double)(film->last - film->first) / GST_SECOND / (film->frames - 1);
  if (gst_structure_get_fraction (caps, "framerate", &n, &d) && n > 0)
    return (double)d / n;
  return 1.0;
}

static gboolean
look_at_film (const char *path, OctVideoInfo *info, GError **error)
{
  Film film = { .first = GST_CLOCK_TIME_NONE, .last = GST_CLOCK_TIME_NONE };
  g_autoptr (GError) failure = NULL;
  g_autoptr (GstCaps) caps = read_film (&film, path, &failure);
  gboolean good = FALSE;

  if (film.other != NULL)
    video_fail (error, path, "has a stream of %s%s", film.other,
        film.films > 1 ? " besides" : "");
  else if (failure != NULL)
    g_propagate_error (error, g_steal_pointer (&failure));
  else if (caps == NULL || film.frames == 0)
    video_fail (error, path, "has no frames");
  else
    good =
        video_check_caps (gst_caps_get_structure (caps, 0), path, info, error);
  if (good) {
    info->frames = film.frames;
    info->frame_time = get_frame_time (&film, gst_caps_get_structure (caps, 0));
  }
  g_clear_pointer (&film.other, g_free);
  gst_clear_object (&film.pipeline);
  return good;
}

int
oct_dicom_video_run (const OctDicomOptions *o)
{
  OctVideoInfo info = { .tags = o->tags };
  g_autoptr (GError) error = NULL;

  gst_init (NULL, NULL);
  if (check_boxes (o->files[0], &error)
      && look_at_film (o->files[0], &info, &error)
      && oct_video_file_write (o->files[0], o->output, &info, &error)) {
    g_print ("%s: %u frames of %u x %u\n", o->output, info.frames, info.columns,
        info.rows);
    return 0;
  }
  g_strdelimit (error->message, "\r\n", ' ');
  g_printerr ("Error: %s.\n", error->message);
  return OCT_DICOM_EXIT_TROUBLE;
}
