/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Colour maps: colours that are known, and what their files may be.
 */
#include "oct-colormap.h"

#include <string.h>

/* Published values: viridis by matplotlib, of 256; hot by its definition. */
static void
test_known (void)
{
  static const struct {
    OctColormap map;
    guint level;
    guint8 color[3];
  } known[] = {
    { OCT_COLORMAP_VIRIDIS, 0, { 0x44, 0x01, 0x54 } },
    { OCT_COLORMAP_VIRIDIS, 64, { 0x3b, 0x52, 0x8b } },
    { OCT_COLORMAP_VIRIDIS, 128, { 0x21, 0x91, 0x8c } },
    { OCT_COLORMAP_VIRIDIS, 191, { 0x5c, 0xc8, 0x63 } },
    { OCT_COLORMAP_VIRIDIS, 255, { 0xfd, 0xe7, 0x25 } },
    { OCT_COLORMAP_HOT, 0, { 0, 0, 0 } },
    { OCT_COLORMAP_HOT, 48, { 128, 0, 0 } },
    { OCT_COLORMAP_HOT, 96, { 255, 1, 0 } },
    { OCT_COLORMAP_HOT, 255, { 255, 255, 255 } },
    { OCT_COLORMAP_GREY, 0, { 0, 0, 0 } },
    { OCT_COLORMAP_GREY, 77, { 77, 77, 77 } },
    { OCT_COLORMAP_GREY, 255, { 255, 255, 255 } },
    { OCT_COLORMAP_DEPTH, 0, { 0, 0, 0 } },
  };

  for (guint i = 0; i < G_N_ELEMENTS (known); i++) {
    guint8 colors[OCT_COLORMAP_VALUES];

    oct_colormap_fill (&oct_colormaps[known[i].map].stops, colors);
    for (guint k = 0; k < 3; k++)
      g_assert_cmpint (
          ABS (colors[3 * known[i].level + k] - known[i].color[k]), <=, 2);
  }
}

/* Still is black, towards the beam red, away from it blue, and faster is
 * brighter. */
static void
test_doppler (void)
{
  guint8 c[OCT_COLORMAP_VALUES];
  guint before[2] = { 0, 0 };

  oct_colormap_fill (&oct_colormaps[OCT_COLORMAP_DOPPLER].stops, c);
  for (guint k = 0; k < 3; k++)
    g_assert_cmpint (c[3 * 128 + k], ==, 0);
  for (guint i = 1; i < 128; i++) {
    const guint8 *towards = c + 3 * (128 - i), *away = c + 3 * (128 + i);
    guint sums[2] = { towards[0] + towards[1] + towards[2],
      away[0] + away[1] + away[2] };

    g_assert_cmpint (towards[0], >, towards[2]);
    g_assert_cmpint (away[2], >, away[0]);
    for (guint k = 0; k < 2; k++) {
      g_assert_cmpint (sums[k], >=, before[k]);
      before[k] = sums[k];
    }
  }
}

/* A map that shows more as brighter says so in black and white too. */
static void
test_viridis_rises (void)
{
  guint8 c[OCT_COLORMAP_VALUES];
  double before = 0;

  oct_colormap_fill (&oct_colormaps[OCT_COLORMAP_VIRIDIS].stops, c);
  for (guint i = 0; i < 256; i++) {
    double luma =
        .2126 * c[3 * i] + .7152 * c[3 * i + 1] + .0722 * c[3 * i + 2];

    g_assert_cmpfloat (luma, >=, before - 1);
    before = luma;
  }
  g_assert_cmpfloat (before, >, 200);
}

static void
test_file (void)
{
  static const char text[] = "# grey, red, green, blue\n10 0 0 1\n"
                             "20, 0.5, 0.5, 0.5, 99\n110 1 0 0\n";
  g_autoptr (GError) error = NULL;
  g_autofree OctTransferStops *stops =
      oct_colormap_parse (text, strlen (text), "File 'x'", &error);
  guint8 c[OCT_COLORMAP_VALUES];

  g_assert_no_error (error);
  oct_colormap_fill (stops, c);
  /* before the first and after the last as these */
  g_assert_cmpuint (c[2], ==, 255);
  g_assert_cmpuint (c[3 * 15], ==, 64);
  g_assert_cmpuint (c[3 * 65], ==, 191);
  g_assert_cmpuint (c[3 * 255], ==, 255);
  g_assert_cmpuint (c[3 * 255 + 2], ==, 0);
}

static void
test_wrong (void)
{
  static const struct {
    const char *text, *words;
  } wrong[] = {
    { "", "0 grey levels" },
    { "0 0 0 0\n1 2 3", "line 2 3 numbers" },
    { "0 0 0 0\n1 1 1 2", "blue 2" },
    { "0 0 0 0\n1 1 1 1 1 1", "more than 5 numbers" },
    { "9 0 0 0\n9 1 1 1", "grey level 9 after 9" },
    { "0,O,0,0\n1,1,1,1\n2,1,1,1", "line 1 a value that is not a number" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++) {
    g_autoptr (GError) error = NULL;

    g_assert_null (oct_colormap_parse (
        wrong[i].text, strlen (wrong[i].text), "File 'x'", &error));
    g_assert_error (error, OCT_ERROR, OCT_ERROR_FORMAT);
    g_assert_nonnull (strstr (error->message, wrong[i].words));
    g_assert_null (strstr (error->message, "extinction"));
    if (strstr (error->message, " line ") != NULL)
      g_assert_nonnull (strstr (error->message,
          "set `map` to viridis, hot, grey, depth or doppler."));
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/colormap/known", test_known);
  g_test_add_func ("/colormap/doppler", test_doppler);
  g_test_add_func ("/colormap/viridis-rises", test_viridis_rises);
  g_test_add_func ("/colormap/file", test_file);
  g_test_add_func ("/colormap/wrong", test_wrong);
  return g_test_run ();
}
