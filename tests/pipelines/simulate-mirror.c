/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* simulate-mirror FILE [NAME=VALUE]...: writes A-lines of a mirror as 16 bit
 * counts; without NAME=VALUE as MIRROR_CAMERA has it, 500 um deep, one A-line.
 */
#include "../unit/mirror-camera.h"

#include <stdlib.h>
#include <string.h>

int
main (int argc, char **argv)
{
  MirrorCamera camera = MIRROR_CAMERA;
  double depth = 500, lines = 1, samples = camera.samples, seed = camera.seed;
  const struct {
    const char *name;
    double *value;
  } settings[] = { { "depth", &depth }, { "lines", &lines },
    { "samples", &samples }, { "seed", &seed }, { "fwhm", &camera.fwhm },
    { "span", &camera.span }, { "bend", &camera.bend }, { "a2", &camera.a2 },
    { "reflectivity", &camera.reflectivity }, { "ghost", &camera.ghost },
    { "ghost-distance", &camera.ghost_distance }, { "level", &camera.level },
    { "drift", &camera.drift }, { "ripple", &camera.ripple },
    { "ripples", &camera.ripples } };
  g_autofree double *counts = NULL;
  g_autofree guint16 *stored = NULL;

  for (int i = 2; i < argc; i++) {
    g_auto (GStrv) parts = g_strsplit (argv[i], "=", 2);
    guint which = 0;

    while (which < G_N_ELEMENTS (settings)
           && g_strcmp0 (parts[0], settings[which].name) != 0)
      which++;
    g_assert (which < G_N_ELEMENTS (settings) && parts[1] != NULL);
    *settings[which].value = g_ascii_strtod (parts[1], NULL);
  }
  g_assert (argc > 1);
  camera.samples = (guint)samples;
  camera.seed = (guint)seed;
  counts = g_new (double, camera.samples *(gsize)lines);
  stored = g_new (guint16, camera.samples * (gsize)lines);
  mirror_camera_see (&camera, depth, (guint)lines, counts);
  for (gsize i = 0; i < camera.samples * (gsize)lines; i++)
    stored[i] = (guint16)counts[i];
  return g_file_set_contents (argv[1], (const char *)stored,
             camera.samples * (gsize)lines * sizeof *stored, NULL)
             ? EXIT_SUCCESS
             : EXIT_FAILURE;
}
