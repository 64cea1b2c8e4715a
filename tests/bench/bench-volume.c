/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Speed of a renderer of volumes: storing, showing and each mode, seen from
 * several sides; and of sections.
 *
 *   bench-volume --lines 256 --bscans 200 --depth 1024 --width 640 --height 480
 *
 * --save writes the first picture of each mode as a PPM file.
 */
#include "volume-device.h"
#include "volumes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static gint lines = 256, bscans = 200, depth = 1024, decimation = 0;
static gint width = 640, height = 480, threads = 0, repetitions = 8, coarse = 1;
static double x_um = 23.4, y_um = 30, z_um = 2.5, zoom = 1.2, pitch = 38;
static char *save = NULL, *json_path = NULL, *module = NULL;
static VolumeDevice device;

static GOptionEntry options[] = {
  { "lines", 0, 0, G_OPTION_ARG_INT, &lines, "A-lines of a B-scan", "N" },
  { "bscans", 0, 0, G_OPTION_ARG_INT, &bscans, "B-scans of a volume", "N" },
  { "depth", 0, 0, G_OPTION_ARG_INT, &depth, "Depths of an image", "N" },
  { "decimation", 0, 0, G_OPTION_ARG_INT, &decimation,
      "Depths that are one voxel (0 = as octvolume chooses)", "N" },
  { "width", 0, 0, G_OPTION_ARG_INT, &width, "Pixels of a picture", "N" },
  { "height", 0, 0, G_OPTION_ARG_INT, &height, "Pixels of a picture", "N" },
  { "threads", 0, 0, G_OPTION_ARG_INT, &threads, "0 = one per core", "N" },
  { "coarseness", 0, 0, G_OPTION_ARG_INT, &coarse, "Of the rays", "N" },
  { "repetitions", 0, 0, G_OPTION_ARG_INT, &repetitions, "Views timed", "N" },
  { "zoom", 0, 0, G_OPTION_ARG_DOUBLE, &zoom, "Of the camera", "X" },
  { "pitch", 0, 0, G_OPTION_ARG_DOUBLE, &pitch, "Of the camera", "X" },
  { "save", 0, 0, G_OPTION_ARG_FILENAME, &save,
      "Write pictures to PREFIX-MODE.ppm", "PREFIX" },
  { "module", 0, 0, G_OPTION_ARG_FILENAME, &module,
      "The CUDA backend (liboctcuda.so)", "FILE" },
  { "json", 0, 0, G_OPTION_ARG_FILENAME, &json_path,
      "Write the results to FILE too", "FILE" },
  { NULL },
};

/* B-scans while a picture is made: few enough for it not to be ready before. */
#define STORED_MEANWHILE 4

static const char *const modes[OCT_N_VOLUME_MODES] = { "full", "once", "alpha",
  "mip", "mean" };

static double
seconds (clockid_t clock)
{
  struct timespec t;

  clock_gettime (clock, &t);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}

static int
compare (gconstpointer a, gconstpointer b)
{
  double x = *(const double *)a, y = *(const double *)b;

  return x < y ? -1 : x > y;
}

typedef struct {
  double began, cpu_began;
  GArray *wall, *cpu;
} Watch;

static void
watch_init (Watch *w)
{
  w->wall = g_array_new (FALSE, FALSE, sizeof (double));
  w->cpu = g_array_new (FALSE, FALSE, sizeof (double));
}

static void
watch_begin (Watch *w)
{
  w->began = seconds (CLOCK_MONOTONIC);
  w->cpu_began = seconds (CLOCK_PROCESS_CPUTIME_ID);
}

static void
watch_end (Watch *w)
{
  double wall = seconds (CLOCK_MONOTONIC) - w->began;
  double cpu = seconds (CLOCK_PROCESS_CPUTIME_ID) - w->cpu_began;

  g_array_append_val (w->wall, wall);
  g_array_append_val (w->cpu, cpu);
}

/* Medians, in milliseconds. */
static void
watch_print (Watch *w, const char *name, GString *json)
{
  double wall, cpu;

  g_array_sort (w->wall, compare);
  g_array_sort (w->cpu, compare);
  wall = 1e3 * g_array_index (w->wall, double, w->wall->len / 2);
  cpu = 1e3 * g_array_index (w->cpu, double, w->cpu->len / 2);
  printf ("%-9s %8.2f ms %8.2f ms of all threads %8.1f per second\n", name,
      wall, cpu, 1e3 / wall);
  g_string_append_printf (json, "%s\"%s\": {\"ms\": %.3f, \"cpu_ms\": %.3f}",
      json->len > 1 ? ", " : "", name, wall, cpu);
  g_array_unref (w->wall);
  g_array_unref (w->cpu);
}

/* The time that 95 % of them stay below, in milliseconds. */
static void
watch_print_late (Watch *w, const char *name, GString *json)
{
  double late;

  g_array_sort (w->wall, compare);
  late = 1e3 * g_array_index (w->wall, double, w->wall->len * 95 / 100);
  printf ("%-9s %8.3f ms, 95th percentile of %u\n", name, late, w->wall->len);
  g_string_append_printf (json, ", \"%s-late\": {\"ms\": %.4f}", name, late);
}

static void
write_ppm (const char *mode, const guint8 *rgba)
{
  g_autofree char *path = g_strdup_printf ("%s-%s.ppm", save, mode);
  FILE *file = fopen (path, "wb");

  if (file == NULL) {
    fprintf (stderr, "%s cannot be written\n", path);
    exit (1);
  }
  fprintf (file, "P6\n%d %d\n255\n", width, height);
  for (gint i = 0; i < width * height; i++)
    fwrite (rgba + 4 * (gsize)i, 1, 3, file);
  fclose (file);
}

static void
fail (GError *error)
{
  fprintf (stderr, "%s\n", error->message);
  exit (1);
}

/* Waits for all queued work. */
static void
wait (OctVolume *volume)
{
  volume_device_wait (&device, device.stream);
  volume_device_wait (&device, device.table->get_stream (volume));
}

static void
measure_mode (OctVolume *volume, OctVolumeLook *look,
    const OctVolumeParams *params, OctVolumeMode mode, GString *json)
{
  OctVolumeCamera camera = {
    .pitch = pitch, .zoom = zoom, .field_of_view = 30
  };
  gsize size = (gsize)width * height * 4;
  gpointer memory = volume_device_alloc (&device, size);
  g_autofree guint8 *rgba = g_malloc (size);
  OctVolumePicture picture = { .format = OCT_IMAGE_RGBA,
    .width = (guint)width,
    .height = (guint)height,
    .n_eyes = 1,
    .frame.planes[0] = { memory, 4 * (gsize)width } };
  GError *error = NULL;
  Watch watch;

  watch_init (&watch);
  look->mode = mode;
  for (gint i = -1; i < repetitions; i++) {
    camera.yaw = -35 + 45.0 * MAX (i, 0);
    oct_volume_camera_get_eye (&camera, oct_volume_get_size_mm (params, look),
        0, picture.width, picture.height, &picture.eyes[0]);
    watch_begin (&watch);
    volume_device_expect (
        device.table->render (volume, look, &picture, &error), error);
    wait (volume);
    /* the first one finds the light */
    if (i >= 0)
      watch_end (&watch);
    else if (save != NULL) {
      volume_device_download (
          &device, rgba, memory, size, device.table->get_stream (volume));
      write_ppm (modes[mode], rgba);
    }
  }
  watch_print (&watch, modes[mode], json);
  volume_device_free (&device, memory);
}

/* Images that are where the renderer works: one by one, and in one call. */
static void
measure_store (
    OctVolume *volume, const VolumeSize *size, gpointer images, GString *json)
{
  static const char *const names[] = { "store", "store-all", "show" };
  Watch watches[3];
  GError *error = NULL;

  for (guint i = 0; i < 3; i++)
    watch_init (&watches[i]);
  for (gint i = 0; i < repetitions; i++) {
    OctFrame frame = { .planes[0] = { images, size->lines } };

    watch_begin (&watches[0]);
    for (guint b = 0; b < size->bscans; b++) {
      OctFrame one = { .planes[0] = {
                           volume_at (size, images, 0, 0, b), size->lines } };

      volume_device_expect (
          device.table->store (volume, &one, b, 1, device.stream, &error),
          error);
    }
    wait (volume);
    watch_end (&watches[0]);
    watch_begin (&watches[1]);
    volume_device_expect (device.table->store (volume, &frame, 0, size->bscans,
                              device.stream, &error),
        error);
    wait (volume);
    watch_end (&watches[1]);
    watch_begin (&watches[2]);
    volume_device_expect (
        device.table->show (volume, device.stream, &error), error);
    wait (volume);
    watch_end (&watches[2]);
  }
  for (guint i = 0; i < 3; i++)
    watch_print (&watches[i], names[i], json);
}

/* From images to a picture, again and again. */
static void
measure_volumes (OctVolume *volume, OctVolumeLook *look,
    const OctVolumeParams *params, const VolumeSize *size, gpointer images,
    GString *json)
{
  OctVolumeCamera camera = {
    .yaw = -35, .pitch = pitch, .zoom = zoom, .field_of_view = 30
  };
  gsize bytes = (gsize)width * height * 4;
  gpointer memory = volume_device_alloc (&device, bytes);
  g_autofree guint8 *rgba = g_malloc (bytes);
  OctVolumePicture picture = { .format = OCT_IMAGE_NV12,
    .width = (guint)width & ~1u,
    .height = (guint)height & ~1u,
    .n_eyes = 1 };
  OctFrame frame = { .planes[0] = { images, size->lines } };
  GError *error = NULL;
  Watch watch;

  watch_init (&watch);
  look->mode = OCT_VOLUME_FULL;
  picture.frame = (OctFrame){
    .planes = { { memory, picture.width },
        { (guint8 *)memory + (gsize)picture.width * picture.height,
            picture.width } }
  };
  oct_volume_camera_get_eye (&camera, oct_volume_get_size_mm (params, look), 0,
      picture.width, picture.height, &picture.eyes[0]);
  for (gint i = 0; i < repetitions; i++) {
    watch_begin (&watch);
    volume_device_expect (device.table->store (volume, &frame, 0, size->bscans,
                              device.stream, &error),
        error);
    volume_device_expect (
        device.table->show (volume, device.stream, &error), error);
    volume_device_expect (
        device.table->render (volume, look, &picture, &error), error);
    volume_device_download (&device, rgba, memory,
        (gsize)picture.width * picture.height * 3 / 2,
        device.table->get_stream (volume));
    watch_end (&watch);
  }
  watch_print (&watch, "volumes", json);
  volume_device_free (&device, memory);
}

/* Pictures for two eyes beside each other, 1024 x 1024 each. */
static void
measure_stereo (OctVolume *volume, OctVolumeLook *look,
    const OctVolumeParams *params, GString *json)
{
  const guint side = 1024;
  OctVolumeCamera camera = {
    .pitch = pitch, .zoom = zoom, .field_of_view = 30
  };
  gpointer memory = volume_device_alloc (&device, 8 * (gsize)side * side);
  OctVolumePicture picture = { .format = OCT_IMAGE_RGBA,
    .width = 2 * side,
    .height = side,
    .n_eyes = 2,
    .frame.planes[0] = { memory, 8 * (gsize)side } };
  GError *error = NULL;
  Watch watch;

  watch_init (&watch);
  look->mode = OCT_VOLUME_FULL;
  for (gint i = -1; i < repetitions; i++) {
    for (guint eye = 0; eye < 2; eye++) {
      camera.yaw = -35 + 45.0 * MAX (i, 0) + (eye == 0 ? -2 : 2);
      oct_volume_camera_get_eye (&camera, oct_volume_get_size_mm (params, look),
          0, side, side, &picture.eyes[eye]);
    }
    watch_begin (&watch);
    volume_device_expect (
        device.table->render (volume, look, &picture, &error), error);
    wait (volume);
    if (i >= 0)
      watch_end (&watch);
  }
  watch_print (&watch, "stereo", json);
  volume_device_free (&device, memory);
}

/* One B-scan, asked for and stored, while a picture is being made. */
static void
measure_storing (OctVolume *volume, OctVolumeLook *look,
    const OctVolumeParams *params, const VolumeSize *size, gpointer images,
    GString *json)
{
  OctVolumeCamera camera = {
    .yaw = -35, .pitch = pitch, .zoom = zoom, .field_of_view = 30
  };
  gpointer memory = volume_device_alloc (&device, (gsize)width * height * 4);
  OctVolumePicture picture = { .format = OCT_IMAGE_RGBA,
    .width = (guint)width,
    .height = (guint)height,
    .n_eyes = 1,
    .frame.planes[0] = { memory, 4 * (gsize)width } };
  GError *error = NULL;
  Watch watch;

  watch_init (&watch);
  look->mode = OCT_VOLUME_FULL;
  oct_volume_camera_get_eye (&camera, oct_volume_get_size_mm (params, look), 0,
      picture.width, picture.height, &picture.eyes[0]);
  /* one picture at a time, as in a pipeline */
  for (guint b = 0; b < size->bscans; b++) {
    OctFrame one = { .planes[0] = {
                         volume_at (size, images, 0, 0, b), size->lines } };

    if (b % STORED_MEANWHILE == 0) {
      wait (volume);
      volume_device_expect (
          device.table->render (volume, look, &picture, &error), error);
    }
    watch_begin (&watch);
    volume_device_expect (
        device.table->store (volume, &one, b, 1, device.stream, &error), error);
    volume_device_wait (&device, device.stream);
    watch_end (&watch);
  }
  wait (volume);
  watch_print_late (&watch, "storing", json);
  watch_print (&watch, "storing", json);
  volume_device_free (&device, memory);
}

/* All B-scans of a volume are new (`anew`), or none, and a section is made. */
typedef struct {
  const char *name;
  gboolean anew;
  OctEnfaceMode mode;
  gboolean flatten;
  gboolean slice;
} Section;

static const Section sections[] = {
  { "renew", TRUE, 0, FALSE, TRUE },
  { "enface", TRUE, OCT_ENFACE_MEAN, FALSE, FALSE },
  { "enfacemax", TRUE, OCT_ENFACE_MAX, FALSE, FALSE },
  { "flat", TRUE, OCT_ENFACE_MEAN, TRUE, FALSE },
  { "redraw", FALSE, OCT_ENFACE_MEAN, TRUE, FALSE },
  { "slice", FALSE, 0, FALSE, TRUE },
};

static void
draw_section (OctVolume *volume, const Section *section, const VolumeSize *size,
    const OctSectionPicture *picture)
{
  OctSlice oblique = { { 0, 0, 0 },
    { (float)size->lines / width, (float)size->bscans / width, 0 },
    { 0, 0, (float)size->depth / height } };
  OctEnface enface = { .mode = section->mode,
    .thickness = section->flatten ? 60 : size->depth,
    .flatten = section->flatten,
    .surface_rise = 25,
    .surface_radius = 2,
    .is_auto = TRUE };
  GError *error = NULL;

  volume_device_expect (section->slice
                            ? device.sections->slice (volume, &oblique, picture,
                                device.stream, &error)
                            : device.sections->enface (volume, &enface, picture,
                                device.stream, &error),
      error);
}

static void
measure_sections (const VolumeSize *size, gpointer images, GString *json)
{
  OctVolumeParams params = { size->lines, size->depth, size->bscans, 1, 1 };
  OctFrame frame = { .planes[0] = { images, size->lines } };
  gpointer memory = volume_device_alloc (&device, (gsize)width * height);
  const OctSectionPicture picture = { OCT_IMAGE_GRAY8, (guint)width,
    (guint)height, { { { memory, (gsize)width } } } };
  GError *error = NULL;
  OctVolume *volume = device.sections->create (&params, &error);

  volume_device_expect (volume != NULL, error);
  for (guint i = 0; i < G_N_ELEMENTS (sections); i++) {
    Watch watch;

    watch_init (&watch);
    for (gint k = -1; k < repetitions; k++) {
      watch_begin (&watch);
      volume_device_expect (
          (k >= 0 && !sections[i].anew)
              || (device.sections->store (
                      volume, &frame, 0, size->bscans, device.stream, &error)
                  && device.sections->show (volume, device.stream, &error)),
          error);
      draw_section (volume, &sections[i], size, &picture);
      volume_device_wait (&device, device.stream);
      if (k >= 0)
        watch_end (&watch);
    }
    watch_print (&watch, sections[i].name, json);
  }
  device.sections->destroy (volume);
  volume_device_free (&device, memory);
}

int
main (int argc, char **argv)
{
  g_autoptr (GOptionContext) context = g_option_context_new (NULL);
  g_autofree guint8 *images = NULL;
  gpointer memory;
  gsize bytes;
  g_autofree OctTransfer *transfer = g_new (OctTransfer, 1);
  g_autoptr (GString) json = g_string_new ("{");
  OctVolumeLook look = { .x_spacing = x_um * 1e-3,
    .y_spacing = y_um * 1e-3,
    .z_spacing = z_um * 1e-3,
    .transfer = transfer,
    .window = OCT_VOLUME_WINDOW,
    .face_black = OCT_VOLUME_FACE_BLACK (0),
    .crop_high = { 1, 1, 1 },
    .coarseness = 1 };
  OctVolumeParams params;
  OctVolume *volume;
  VolumeSize size;
  GError *error = NULL;

  g_option_context_add_main_entries (context, options, NULL);
  if (!g_option_context_parse (context, &argc, &argv, &error))
    fail (error);
  if (!volume_device_open (&device, module))
    return 77;
  oct_backend_cpu_set_threads ((guint)threads);
  size = (VolumeSize){ (guint)lines, (guint)depth, (guint)bscans };
  params = (OctVolumeParams){ .lines = size.lines,
    .depth = size.depth,
    .bscans = size.bscans,
    .decimation = decimation > 0 ? (guint)decimation
                                 : oct_volume_choose_decimation (
                                     x_um, y_um, z_um, size.depth),
    .pixel_size = 1 };
  look.coarseness = (guint)coarse;
  oct_transfer_fill (
      oct_transfer_get_stops (OCT_TRANSFER_TISSUE), 0, 1, transfer);
  images = volume_new (&size);
  volume_fill_tissue (&size, images);
  bytes = (gsize)size.lines * size.depth * size.bscans;
  memory = volume_device_alloc (&device, bytes);
  volume_device_upload (&device, memory, images, bytes);
  volume = device.table->create (&params, &error);
  volume_device_expect (volume != NULL, error);
  printf ("%s: %d x %d x %d, %u depths a voxel, %d x %d pixels, %u threads\n",
      device.name, depth, lines, bscans, params.decimation, width, height,
      oct_backend_cpu_get_threads ());
  measure_store (volume, &size, memory, json);
  for (gint mode = 0; mode < OCT_N_VOLUME_MODES; mode++)
    measure_mode (volume, &look, &params, (OctVolumeMode)mode, json);
  measure_stereo (volume, &look, &params, json);
  measure_storing (volume, &look, &params, &size, memory, json);
  measure_volumes (volume, &look, &params, &size, memory, json);
  device.table->destroy (volume);
  measure_sections (&size, memory, json);
  volume_device_free (&device, memory);
  g_string_append (json, "}\n");
  if (json_path != NULL
      && !g_file_set_contents (json_path, json->str, -1, &error))
    fail (error);
  return 0;
}
