/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-live-finder.h"
#include "oct-digitizer.h"
#include "oct-launch.h"

#include <gio/gio.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#define SOCKETS "/proc/net/unix"
/* Flags and type there: it listens, SOCK_SEQPACKET. */
#define LISTENS 0x10000
#define MESSAGES 5
#define MOST_SOCKETS 16
#define MOST_FILES 500
#define MOST_NAME 300 /* bytes, less than a message of a page may have */
#define GREY "video/x-raw,format=GRAY16_LE"

const char *const oct_live_found_names[OCT_LIVE_N_FOUND] = {
  [OCT_LIVE_FOUND_VIRTUAL] = "virtual",
  [OCT_LIVE_FOUND_GIVEN] = "given",
  [OCT_LIVE_FOUND_CAMERA] = "camera",
  [OCT_LIVE_FOUND_DIGITIZER] = "digitizer",
  [OCT_LIVE_FOUND_FILE] = "file",
  [OCT_LIVE_FOUND_MICROSCOPE] = "microscope",
  [OCT_LIVE_FOUND_CALIBRATION] = "calibration",
};

static void
found_free (gpointer data)
{
  OctLiveFound *one = data;

  g_free (one->key);
  g_free (one->label);
  g_free (one->argument);
  g_free (one);
}

GPtrArray *
oct_live_found_new (void)
{
  return g_ptr_array_new_with_free_func (found_free);
}

void
oct_live_found_add (GPtrArray *found, OctLiveFoundKind kind, const char *name,
    const char *label, char *argument)
{
  OctLiveFound *one = g_new0 (OctLiveFound, 1);

  one->kind = kind;
  one->key = *name != '\0'
                 ? g_strdup_printf ("%s:%s", oct_live_found_names[kind], name)
                 : g_strdup (oct_live_found_names[kind]);
  one->label = g_utf8_make_valid (label, -1);
  one->argument = argument;
  g_ptr_array_add (found, one);
}

/* Whether a message can name it. */
static gboolean
finder_can_name (const char *name)
{
  if (strlen (name) > MOST_NAME || !g_utf8_validate (name, -1, NULL))
    return FALSE;
  for (; *name != '\0'; name = g_utf8_next_char (name))
    if (!g_unichar_isprint (g_utf8_get_char (name)))
      return FALSE;
  return TRUE;
}

/* ------------------------------------------------------------------ cameras */

static GList *
finder_get_devices (const char *provider)
{
  g_autoptr (GstDeviceProviderFactory) factory =
      gst_device_provider_factory_find (provider);
  g_autoptr (GstDeviceProvider) made =
      factory != NULL ? gst_device_provider_factory_get (factory) : NULL;

  return made != NULL ? gst_device_provider_get_devices (made) : NULL;
}

static void
finder_add_cameras (GPtrArray *found)
{
  GList *devices = finder_get_devices ("octcameraprovider");

  for (GList *i = devices; i != NULL; i = i->next) {
    g_autoptr (GstStructure) about = gst_device_get_properties (i->data);
    g_autofree char *label = gst_device_get_display_name (i->data);
    const char *camera = gst_structure_get_string (about, "camera");

    if (camera != NULL && finder_can_name (camera))
      oct_live_found_add (found, OCT_LIVE_FOUND_CAMERA, camera, label,
          g_strdup_printf ("--oct-camera=%s", camera));
  }
  g_list_free_full (devices, gst_object_unref);
}

/* Devices of Linux with grey levels of 16 bits may be cameras of spectra; all
 * others are microscopes. */
static void
finder_add_videos (GPtrArray *found)
{
  g_autoptr (GstCaps) grey = gst_caps_from_string (GREY);
  GList *devices = finder_get_devices ("v4l2deviceprovider");

  for (GList *i = devices; i != NULL; i = i->next) {
    g_autoptr (GstStructure) about = gst_device_get_properties (i->data);
    g_autoptr (GstCaps) caps = gst_device_get_caps (i->data);
    g_autofree char *label = gst_device_get_display_name (i->data);
    const char *path =
        about != NULL ? gst_structure_get_string (about, "device.path") : NULL;

    if (path == NULL || !g_str_has_prefix (path, "/dev/video")
        || strspn (path + strlen ("/dev/video"), "0123456789")
               != strlen (path + strlen ("/dev/video")))
      continue;
    if (caps != NULL && gst_caps_can_intersect (caps, grey))
      oct_live_found_add (found, OCT_LIVE_FOUND_CAMERA, path, label,
          g_strdup_printf ("--source=v4l2src device=%s ! " GREY, path));
    else if (gst_device_has_classes (i->data, "Video/Source"))
      oct_live_found_add (found, OCT_LIVE_FOUND_MICROSCOPE, path, label,
          g_strdup_printf ("--microscope=%s", path));
  }
  g_list_free_full (devices, gst_object_unref);
}

/* --------------------------------------------------------------- digitizers */

/* A socket of another user may be anything. */
static gboolean
finder_trusts (const char *path)
{
  g_autofree char *name = g_path_get_basename (path);
  GStatBuf status;

  return (strstr (name, "daq") != NULL || strstr (name, "oct") != NULL)
         && finder_can_name (path) && g_lstat (path, &status) == 0
         && S_ISSOCK (status.st_mode)
         && (status.st_uid == geteuid () || status.st_uid == 0);
}

static void
finder_add_digitizer (GPtrArray *found, const char *path)
{
  OctDigitizerOptions options = { .socket = (char *)path, .clock_jitter = 1.0 };
  g_autofree char *label = NULL;
  OctDigitizerRing ring;

  if (!oct_digitizer_look (&options, 0, &ring, NULL))
    return;
  label = g_strdup_printf ("%s: %u A-lines in a B-scan, %.4g kHz%s", path,
      ring.lines, ring.line_rate / 1e3, ring.has_clock ? ", with k-clock" : "");
  oct_live_found_add (found, OCT_LIVE_FOUND_DIGITIZER, path, label,
      g_strdup_printf ("--daq=%s", path));
}

static void
finder_add_digitizers (GPtrArray *found)
{
  g_autofree char *text = NULL;
  g_auto (GStrv) lines = NULL;
  guint count = 0;

  if (!g_file_get_contents (SOCKETS, &text, NULL, NULL))
    return;
  lines = g_strsplit (text, "\n", -1);
  for (guint i = 0; lines[i] != NULL && count < MOST_SOCKETS; i++) {
    const char *path = strchr (lines[i], '/');
    unsigned int flags, type;

    if (path == NULL || path == lines[i] || path[-1] != ' '
        || sscanf (lines[i], "%*s %*x %*x %x %x", &flags, &type) != 2
        || (flags & LISTENS) == 0 || type != MESSAGES || !finder_trusts (path))
      continue;
    finder_add_digitizer (found, path);
    count++;
  }
}

/* -------------------------------------------------------------------- files */

static gint
finder_compare_names (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *)a, *(const char *const *)b);
}

static void
finder_add_file (GPtrArray *found, const char *folder, const char *name)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);
  gboolean spectra = oct_source_is_spectra (name);

  oct_live_found_add (found,
      spectra ? OCT_LIVE_FOUND_FILE : OCT_LIVE_FOUND_CALIBRATION, name, name,
      g_strdup_printf ("--%s=%s", spectra ? "data" : "calibration", path));
}

/* A link leads out of the folder. */
static gboolean
finder_takes_file (const char *folder, const char *name)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);
  GStatBuf status;

  return (oct_source_is_spectra (name) || g_str_has_suffix (name, ".csv"))
         && finder_can_name (name) && g_lstat (path, &status) == 0
         && S_ISREG (status.st_mode);
}

static void
finder_add_files (GPtrArray *found, const char *folder)
{
  g_autoptr (GDir) entries = g_dir_open (folder, 0, NULL);
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  const char *name;

  while (entries != NULL && (name = g_dir_read_name (entries)) != NULL)
    if (finder_takes_file (folder, name))
      g_ptr_array_add (names, g_strdup (name));
  g_ptr_array_sort (names, finder_compare_names);
  for (guint i = 0; i < MIN (names->len, MOST_FILES); i++)
    finder_add_file (found, folder, g_ptr_array_index (names, i));
}

void
oct_live_find (GPtrArray *found, const char *folder)
{
  finder_add_cameras (found);
  finder_add_digitizers (found);
  if (folder != NULL)
    finder_add_files (found, folder);
  finder_add_videos (found);
}
