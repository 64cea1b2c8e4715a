/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Places of A-lines, their files, and the weights that make a raster of them,
 * against the float64 reference in Python.
 */
#include "oct-remap.h"
#include "oct-scan-places.h"

#include "oct-test.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>
#include <sys/resource.h>

/* 40 A-lines at random, one of them nowhere, to 8 x 6 pixels. */
static const double vector_x[] = { 4.6259, 5.9812, 1.7015, -0.9526, 6.1736, NAN,
  1.2938, 3.5409, 7.9595, 4.5996, 0.9378, 4.5129, -0.6789, 3.1959, 4.6630,
  3.4719, -0.8939, 5.2283, 2.3258, 6.4704, 1.4084, 3.5881, 4.7575, -0.1765,
  3.5700, 2.2514, -0.4667, 1.9073, 6.3470, 7.8087, 4.4455, 5.0881, 2.9628,
  2.6225, 7.7105, 5.0459, 6.8667, 0.1845, 7.5045, 4.1275 };
static const double vector_y[] = { 5.3062, 0.7701, 5.1465, 4.7933, 2.4086, NAN,
  2.2543, 2.9861, 4.6005, 5.9255, 0.3314, -0.4534, 2.7255, 5.4409, 2.7203,
  0.9207, 0.5487, 0.6041, -0.7248, 0.2926, 5.1922, 4.9683, 4.2570, 2.9027,
  5.1315, 3.2877, 1.8665, 0.2638, 1.8113, 3.2324, 3.5565, 0.2678, 0.8671,
  -0.0972, 0.7013, 1.2778, 3.7199, 4.9543, 5.3514, 0.2319 };
static const float vector_lines[] = { 0.1925f, 0.9279f, 0.5523f, 0.1806f,
  0.8841f, 0.6416f, 0.5697f, 0.3763f, 0.4110f, 0.2395f, 0.0381f, 0.8762f,
  0.4677f, 0.5476f, 0.3222f, 0.7513f, 0.0252f, 0.3722f, 0.0304f, 0.1229f,
  0.9671f, 0.6578f, 0.4282f, 0.5237f, 0.8728f, 0.3442f, 0.5903f, 0.6837f,
  0.3554f, 0.5191f, 0.7652f, 0.9092f, 0.1511f, 0.9334f, 0.0052f, 0.7530f,
  0.8105f, 0.1368f, 0.4189f, 0.8153f };

/* remap.py weights () @ lines: nearest with hole 1, local with width 1 and hole
 * 1, local with width 1.4 and hole 9 */
static const double vector_rasters[3][48] = {
  { 0.0381000, 0.0381000, 0.6837000, 0.9334000, 0.8153000, 0.9092000, 0.1229000,
      0.1229000, 0.5903000, 0.0381000, 0.6837000, 0.1511000, 0.7513000,
      0.7530000, 0.9279000, 0.0052000, 0.5903000, 0.5697000, 0.5697000,
      0.0000000, 0.3222000, 0.7530000, 0.3554000, 0.3554000, 0.5237000,
      0.5697000, 0.3442000, 0.3763000, 0.3763000, 0.3222000, 0.8841000,
      0.8105000, 0.1368000, 0.0000000, 0.3442000, 0.0000000, 0.7652000,
      0.4282000, 0.8105000, 0.8105000, 0.1368000, 0.9671000, 0.5523000,
      0.5476000, 0.6578000, 0.1925000, 0.0000000, 0.4189000 },
  { -0.0385414, 0.0656408, 0.5074195, 0.7119003, 0.8126457, 0.8419707,
      0.1519554, 0.0299979, 0.2510956, 0.3569887, 0.4228796, 0.3688820,
      0.6655264, 0.6882629, 0.7011977, 0.2220630, 0.5256465, 0.4922536,
      0.4629962, 0.0000000, 0.4981061, 0.5647246, 0.6557319, 0.4187650,
      0.4866576, 0.4892385, 0.4717509, 0.4117305, 0.4496764, 0.5579158,
      0.7153664, 0.6568476, 0.3649764, 0.0000000, 0.5196800, 0.0000000,
      0.6193528, 0.4877090, 0.6033388, 0.6985676, 0.2542040, 0.5330481,
      0.6652941, 0.6801452, 0.5676796, 0.2117468, 0.0000000, 0.4425968 },
  { -0.0385414, 0.0656408, 0.4986144, 0.6712887, 0.8084463, 0.7945244,
      0.2638691, 0.0299979, 0.2510956, 0.3569887, 0.4228796, 0.3688820,
      0.6478172, 0.6866357, 0.6051485, 0.2231327, 0.5256465, 0.4922536,
      0.4629962, 0.4260263, 0.4981061, 0.5647246, 0.6557319, 0.4187650,
      0.4866576, 0.4892385, 0.4717509, 0.4117305, 0.4496764, 0.5579158,
      0.7153664, 0.6568476, 0.3649764, 0.4798412, 0.5196800, 0.5088787,
      0.6112449, 0.4877090, 0.6033388, 0.6985676, 0.2542040, 0.5330481,
      0.6652941, 0.6801452, 0.5621615, 0.2117468, 0.4032110, 0.4425968 },
};
static const OctScanRemapSettings vector_settings[3] = {
  { OCT_SCAN_REMAP_NEAREST, 8, 6, 1.0, 1.0 },
  { OCT_SCAN_REMAP_LOCAL, 8, 6, 1.0, 1.0 },
  { OCT_SCAN_REMAP_LOCAL, 8, 6, 1.4, 9.0 },
};

static OctScanRemap *
remap (const OctScanRemapSettings *settings, const double *x, const double *y,
    guint count)
{
  GError *error = NULL;
  OctScanRemap *map = oct_scan_remap_new (settings, x, y, count, &error);

  g_assert_no_error (error);
  return map;
}

/* Row `row` of the raster of lines[map->count], one depth each, on the CPU; `seen`
 * NULL: all have come. */
static void
make_row (const OctScanRemap *map, guint row, gconstpointer lines,
    const guint8 *seen, OctSampleFormat format, OctScanRemapOf of, gpointer to)
{
  const OctRemapTable *table = oct_backend_cpu ()->remap;
  OctRemapParams params = { map, format, 1, map->count, of, seen, NULL };
  gsize value = oct_sample_format_size (format);
  OctPlane plane = { (gpointer)lines,
    format == OCT_SAMPLE_CF32 ? value : map->count * value };
  OctFrame frame = {
    { { to, format == OCT_SAMPLE_CF32 ? value : map->columns * value } }
  };
  OctRemap *made = table->create (&params, NULL, NULL);

  g_assert_nonnull (made);
  g_assert_true (table->store (made, 0, &plane, seen, NULL));
  g_assert_true (table->fetch (made, row, seen == NULL, &frame, NULL));
  table->destroy (made);
}

/* Weights are stored as float: sums of 12 of them, below 2, are right to 2e-6. */
static void
test_reference (void)
{
  for (guint k = 0; k < 3; k++) {
    g_autoptr (OctScanRemap) map = remap (
        &vector_settings[k], vector_x, vector_y, G_N_ELEMENTS (vector_lines));
    float lines[2 * G_N_ELEMENTS (vector_lines)] = { 0 }, row[2 * 8];

    for (guint i = 0; i < G_N_ELEMENTS (vector_lines); i++)
      lines[2 * i] = vector_lines[i];
    g_assert_cmpuint (map->holes, ==, k < 2 ? 4 : 0);
    for (guint y = 0; y < 6; y++) {
      make_row (
          map, y, lines, NULL, OCT_SAMPLE_CF32, OCT_SCAN_REMAP_COMPLEX, row);
      for (guint x = 0; x < 8; x++)
        g_assert_cmpfloat_with_epsilon (
            row[2 * x], vector_rasters[k][8 * y + x], 2e-6);
    }
  }
}

/* Local planes are exact for a plane, but for the weight that is added to the
 * slopes, 1e-3 of the least of them. */
static void
test_plane (void)
{
  enum { N = 3000 };
  OctScanRemapSettings settings = { OCT_SCAN_REMAP_LOCAL, 50, 40, 1.0, 1.5 };
  g_autofree double *x = g_new (double, N), *y = g_new (double, N);
  g_autofree float *lines = g_new0 (float, 2 * N);
  g_autoptr (OctScanRemap) map = NULL;
  g_autoptr (GRand) random = g_rand_new_with_seed (3);
  float row[2 * 50];
  guint off = 0;

  for (guint i = 0; i < N; i++) {
    x[i] = g_rand_double_range (random, -1, 51);
    y[i] = g_rand_double_range (random, -1, 41);
    lines[2 * i] = (float)(1 + 0.01 * x[i] - 0.02 * y[i]);
  }
  map = remap (&settings, x, y, N);
  for (guint j = 0; j < 40; j++) {
    make_row (
        map, j, lines, NULL, OCT_SAMPLE_CF32, OCT_SCAN_REMAP_COMPLEX, row);
    for (guint i = 0; i < 50; i++)
      off += !(fabs (row[2 * i] - (1 + 0.01 * i - 0.02 * j)) < 1e-3);
  }
  /* means, where the plane would lean on one A-line too much */
  g_assert_cmpuint (off, <, 40);
}

/* Every pixel against all A-lines, which lie in two heaps or in a small one. */
static void
check_nearest (double spread, double hole)
{
  enum { N = 400 };
  OctScanRemapSettings settings = { OCT_SCAN_REMAP_NEAREST, 30, 20, 1.0, hole };
  double x[N], y[N];
  g_autoptr (OctScanRemap) map = NULL;
  g_autoptr (GRand) random = g_rand_new_with_seed (4);

  for (guint i = 0; i < N; i++) {
    /* two heaps, so that most cells are empty, and some far outside */
    double middle = i % 2 == 0 ? 3 : 24;

    x[i] = 3 + spread * (middle - 3) + g_rand_double_range (random, -4, 4);
    y[i] = middle / 2 * spread + g_rand_double_range (random, -4, 4);
    if (i % 50 == 0)
      x[i] = 1e300;
  }
  map = remap (&settings, x, y, N);
  for (guint p = 0; p < 600; p++) {
    double best = G_MAXDOUBLE;
    guint at = 0;

    for (guint i = 0; i < N; i++) {
      double d = hypot (x[i] - p % 30, y[i] - p / 30);

      if (d < best) {
        best = d;
        at = i;
      }
    }
    g_assert_cmpint (map->taken[p], ==, best <= hole);
    if (map->taken[p])
      g_assert_cmpuint (map->line[map->first[p]], ==, at);
  }
  g_assert_cmpint (map->holes > 0, ==, hole < 20);
}

static void
test_nearest (void)
{
  check_nearest (1, 3);
  check_nearest (1, 30);
  check_nearest (0, 3);
  check_nearest (0, 40);
}

/* A line that is longer than there may be cells, in both directions. */
static void
test_long_line (void)
{
  enum { N = 60000 };
  g_autofree double *along = g_new (double, N), *zeros = g_new0 (double, N);

  for (guint i = 0; i < N; i++)
    along[i] = i;
  for (guint k = 0; k < 4; k++) {
    gboolean down = k % 2;
    OctScanRemapSettings settings = { k < 2 ? OCT_SCAN_REMAP_NEAREST
                                            : OCT_SCAN_REMAP_LOCAL,
      down ? 1 : N, down ? N : 1, 1.0, 0.9 };
    g_autoptr (OctScanRemap) map =
        remap (&settings, down ? zeros : along, down ? along : zeros, N);

    g_assert_cmpuint (map->holes, ==, 0);
    for (guint i = 0; i < N; i++)
      g_assert_cmpuint (map->line[map->first[i]], ==, i);
  }
}

/* One A-line, none, all at one place, all on a line: means, or holes. */
static void
test_degenerate (void)
{
  static const double zeros[20] = { 0 }, nowhere[2] = { NAN, INFINITY };
  OctScanRemapSettings settings = { OCT_SCAN_REMAP_LOCAL, 3, 2, 1.0, 1.2 };
  g_autoptr (OctScanRemap) one = remap (&settings, zeros, zeros, 1);
  g_autoptr (OctScanRemap) heap = remap (&settings, zeros, zeros, 20);
  g_autoptr (OctScanRemap) none = remap (&settings, nowhere, nowhere, 2);
  guint8 lines[20], row[3];

  memset (lines, 100, sizeof lines);
  g_assert_cmpuint (one->holes, ==, 3);
  g_assert_cmpuint (none->holes, ==, 6);
  make_row (one, 0, lines, NULL, OCT_SAMPLE_U8, 0, row);
  g_assert_cmpint (row[0], ==, 100);
  g_assert_cmpint (row[1], ==, 100);
  g_assert_cmpint (row[2], ==, 0);
  make_row (heap, 1, lines, NULL, OCT_SAMPLE_U8, 0, row);
  g_assert_cmpint (row[0], ==, 100);
  make_row (none, 0, lines, NULL, OCT_SAMPLE_U8, 0, row);
  g_assert_cmpint (row[0], ==, 0);
}

/* Weights of A-lines that have not come go to the others; grey levels stay in
 * their range though weights are below 0. */
static void
test_seen (void)
{
  g_autoptr (OctScanRemap) map = remap (
      &vector_settings[2], vector_x, vector_y, G_N_ELEMENTS (vector_lines));
  guint8 seen[40], lines[40], row[8];
  guint16 deep[40], deep_row[8];
  guint changed = 0;

  for (guint i = 0; i < 40; i++) {
    seen[i] = i % 3 != 0;
    lines[i] = seen[i] ? 200 : 0;
    deep[i] = i % 2 ? G_MAXUINT16 : 0;
  }
  for (guint y = 0; y < 6; y++) {
    make_row (map, y, lines, seen, OCT_SAMPLE_U8, 0, row);
    for (guint x = 0; x < 8; x++)
      g_assert_true (row[x] == 200 || row[x] == 0);
    make_row (map, y, lines, NULL, OCT_SAMPLE_U8, 0, row);
    for (guint x = 0; x < 8; x++)
      changed += row[x] != 200;
    make_row (map, y, deep, NULL, OCT_SAMPLE_U16, 0, deep_row);
    for (guint x = 0; x < 8; x++) {
      double sum = 0;

      for (guint i = map->first[8 * y + x]; i < map->first[8 * y + x + 1]; i++)
        sum += (double)map->weight[i] * deep[map->line[i]];
      g_assert_cmpfloat_with_epsilon (
          deep_row[x], CLAMP (sum, 0, G_MAXUINT16), 0.51);
    }
  }
  g_assert_cmpuint (changed, >, 10);
  memset (seen, 0, sizeof seen);
  make_row (map, 0, lines, seen, OCT_SAMPLE_U8, 0, row);
  g_assert_cmpint (row[0], ==, 0);
}

/* With A-lines lost at random, no pixel is brighter than twice the brightest
 * A-line, as weights that cancel each other would make it: it is a hole.  The
 * others are the weighted mean in double precision, of weights that are right
 * to 1e-7 each. */
static void
test_lost (void)
{
  enum { N = 40, SIZE = 48 };
  g_autoptr (OctScanRemap) map =
      remap (&vector_settings[2], vector_x, vector_y, N);
  g_autoptr (GRand) random = g_rand_new_with_seed (5);
  guint cancelled = 0;

  for (guint round = 0; round < 200; round++) {
    float lines[2 * N] = { 0 }, row[2 * 8];
    guint8 seen[N], taken[SIZE];

    for (guint i = 0; i < N; i++) {
      seen[i] = g_rand_boolean (random);
      lines[2 * i] = (float)g_rand_double (random);
    }
    oct_scan_remap_find_taken (map, seen, taken);
    for (guint p = 0; p < SIZE; p++) {
      double sum = 0, size = 0, value = 0;
      gboolean hole;

      for (guint i = map->first[p]; i < map->first[p + 1]; i++) {
        double weight = seen[map->line[i]] ? (double)map->weight[i] : 0;

        sum += weight;
        size += fabs (weight);
        value += weight * lines[2 * map->line[i]];
      }
      /* not decided within rounding */
      if (fabs (sum - 0.1) < 1e-5 || fabs (sum - size / 2) < 1e-5)
        continue;
      hole = sum < 0.1 || sum < size / 2;
      cancelled += sum >= 0.1 && sum < size / 2;
      g_assert_cmpint (taken[p], ==, !hole);
      make_row (map, p / 8, lines, seen, OCT_SAMPLE_CF32,
          OCT_SCAN_REMAP_COMPLEX, row);
      g_assert_cmpfloat (fabsf (row[2 * (p % 8)]), <=, 2);
      g_assert_cmpfloat_with_epsilon (
          row[2 * (p % 8)], hole ? 0 : value / sum, 2e-5);
    }
  }
  g_assert_cmpuint (cancelled, >, 20);
}

/* Amplitudes with the phase of the nearest. */
static void
test_amplitudes (void)
{
  static const double x[4] = { 0.1, 1.1, 0, 1 }, y[4] = { 0, 0, 1.1, 1.2 };
  static const float lines[8] = { 0, 2, -2, 0, 2, 0, 0, -2 };
  OctScanRemapSettings settings = { OCT_SCAN_REMAP_LOCAL, 1, 1, 1.0, 1.0 };
  g_autoptr (OctScanRemap) map = remap (&settings, x, y, 4);
  float value[2];

  make_row (
      map, 0, lines, NULL, OCT_SAMPLE_CF32, OCT_SCAN_REMAP_AMPLITUDES, value);
  g_assert_cmpfloat_with_epsilon (value[0], 0, 1e-6);
  g_assert_cmpfloat_with_epsilon (value[1], 2, 1e-5);
  make_row (
      map, 0, lines, NULL, OCT_SAMPLE_CF32, OCT_SCAN_REMAP_COMPLEX, value);
  for (guint part = 0; part < 2; part++) {
    double sum = 0;

    for (guint i = 0; i < map->first[1]; i++)
      sum += (double)map->weight[i] * lines[2 * map->line[i] + part];
    g_assert_cmpfloat_with_epsilon (value[part], sum, 1e-5);
  }
  g_assert_cmpfloat (fabs (value[0]), >, 0.1);
}

static void
test_refused (void)
{
  static const OctScanRemapSettings wrong[] = {
    { OCT_SCAN_REMAP_LOCAL, 0, 4, 1, 1 },
    { OCT_SCAN_REMAP_LOCAL, 65536, 65536, 1, 1 },
    { OCT_SCAN_REMAP_LOCAL, 4, 4, 0, 1 },
    { OCT_SCAN_REMAP_LOCAL, 4, 4, 1, NAN },
  };
  static const double x[2] = { 1, NAN }, far[2] = { 1e7, 0 };

  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++) {
    g_autoptr (GError) error = NULL;

    g_assert_null (oct_scan_remap_new (&wrong[i], x, x, 1, &error));
    g_assert_error (error, OCT_ERROR, OCT_ERROR_SETTINGS);
  }
  for (guint i = 0; i < 4; i++) {
    g_autoptr (GError) error = NULL;

    g_assert_null (oct_scan_places_new (i < 2   ? 2
                                        : i < 3 ? 1
                                                : G_MAXUINT,
        i < 3 ? 1 : G_MAXUINT, i == 1 ? far : x, x, 1, NULL, &error));
    g_assert_error (error, OCT_ERROR, OCT_ERROR_SETTINGS);
  }
}

/* A raster whose weights take 6 GB, with address space for 1 GB. */
static void
test_no_memory (void)
{
#ifdef __SANITIZE_ADDRESS__
  g_test_skip ("the sanitizer needs address space without a limit");
#else
  static const double zero[1] = { 0 };
  OctScanRemapSettings settings = { OCT_SCAN_REMAP_NEAREST, 8192, 8192, 1, 1 };
  g_autoptr (GError) error = NULL;
  g_autofree char *statm = NULL;
  struct rlimit before, limit;

  g_assert_cmpint (getrlimit (RLIMIT_AS, &before), ==, 0);
  limit = before;
  g_assert_true (g_file_get_contents ("/proc/self/statm", &statm, NULL, NULL));
  limit.rlim_cur = g_ascii_strtoull (statm, NULL, 10) * 4096 + 1000000000;
  g_assert_cmpint (setrlimit (RLIMIT_AS, &limit), ==, 0);
  g_assert_null (oct_scan_remap_new (&settings, zero, zero, 1, &error));
  g_assert_cmpint (setrlimit (RLIMIT_AS, &before), ==, 0);
  g_assert_error (error, OCT_ERROR, OCT_ERROR_MEMORY);
  g_assert_nonnull (strstr (error->message, "columns"));
#endif
}

static OctScanPlaces *
places_of (OctScanKind kind, guint lines, guint bscans)
{
  OctScanSettings settings = { .kind = kind,
    .line_rate = 1e5,
    .lines = lines,
    .bscans = bscans,
    .width = 4,
    .height = 3,
    .repeats = 1,
    .group = 1,
    .limits = { { 10, 10 }, { 1e6, 1e6 }, { 1e9, 1e9 } } };
  GError *error = NULL;
  OctScanPlaces *places = oct_scan_places_new_from_settings (&settings, &error);

  g_assert_no_error (error);
  return places;
}

/* Places that are written are read again, to the last bit, of any shape. */
static void
test_files (void)
{
  static const struct {
    OctScanKind kind;
    guint lines, bscans;
  } shapes[] = { { OCT_SCAN_RASTER, 7, 5 }, { OCT_SCAN_SPIRAL, 16, 16 },
    { OCT_SCAN_LISSAJOUS, 32, 8 }, { OCT_SCAN_ROSETTE, 64, 1 },
    { OCT_SCAN_ROSETTE, 1, 64 } };
  g_autofree char *path =
      g_build_filename (g_get_tmp_dir (), "oct-test-places-XXXXXX", NULL);
  gint fd = g_mkstemp (path);

  g_close (fd, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (shapes); i++) {
    g_autoptr (OctScanPlaces) made =
        places_of (shapes[i].kind, shapes[i].lines, shapes[i].bscans);
    g_autoptr (OctScanPlaces) found = NULL;
    g_autoptr (GError) error = NULL;
    gsize size;
    g_autofree char *text = oct_scan_places_format (made, &size);

    g_assert_cmpuint (made->lines, ==, shapes[i].lines);
    g_assert_cmpuint (made->count, ==, made->lines * made->bscans);
    g_assert_true (g_file_set_contents (path, text, (gssize)size, NULL));
    found = oct_scan_places_read (path, made->lines, &error);
    g_assert_no_error (error);
    g_assert_true (oct_scan_places_equal (made, found));
  }
  g_unlink (path);
}

/* ------------------------------------------------------------------ late mirrors */

static OctScanPlaces *
make_places (OctScanKind kind, gboolean bidirectional)
{
  OctScanSettings settings = { .kind = kind,
    .line_rate = 1e5,
    .lines = 64,
    .bscans = 16,
    .width = 6,
    .height = 1.5,
    .bidirectional = bidirectional,
    .repeats = 1,
    .group = 1,
    .cycles = 2,
    .limits = { { 5, 5 }, { 1e4, 1e4 }, { 5e6, 5e6 } } };
  GError *error = NULL;
  OctScanPlaces *places = oct_scan_places_new_from_settings (&settings, &error);

  g_assert_no_error (error);
  return places;
}

/* A beam of constant velocity is late by as many A-lines, also at the ends of
 * B-scans, of which the next one runs back although it is as near as the next
 * A-line; y does not change.  A curve that is closed goes on from its end to
 * its beginning: places between two A-lines lie on their chord, which is within
 * (2 pi 3 / 1024)^2 / 8 of the curve, times the radius of 3 mm. */
static void
test_late (void)
{
  static const double delays[] = { 0, 0.25, 12.7, -3, 500.5 };

  for (guint k = 0; k < G_N_ELEMENTS (delays); k++) {
    const double late[] = { delays[k], -delays[k] };
    g_autoptr (OctScanPlaces) raster = make_places (OCT_SCAN_RASTER, TRUE);
    g_autoptr (OctScanPlaces) curve = make_places (OCT_SCAN_LISSAJOUS, FALSE);
    g_autoptr (OctScanPlaces) moved =
        oct_scan_places_new_late (raster, late, NULL);
    g_autoptr (OctScanPlaces) turned =
        oct_scan_places_new_late (curve, late, NULL);

    for (guint i = 0; i < raster->count; i++) {
      double way = i / 64 % 2 == 0 ? 1 : -1, t[2];

      g_assert_cmpfloat_with_epsilon (moved->points[i].at[0],
          raster->points[i].at[0] - way * delays[k] * 6 / 64, 1e-9);
      g_assert_cmpfloat (moved->points[i].at[1], ==, raster->points[i].at[1]);
      for (guint axis = 0; axis < 2; axis++)
        t[axis] = 2 * G_PI * (i + 0.5 - late[axis]) / curve->count;
      g_assert_cmpfloat_with_epsilon (
          turned->points[i].at[0], 3 * sin (2 * t[0]), 2e-4);
      g_assert_cmpfloat_with_epsilon (
          turned->points[i].at[1], 0.75 * sin (3 * t[1]), 2e-4);
    }
  }
}

static void
test_late_refused (void)
{
  static const double bad[][2] = { { 5000, 0 }, { 0, NAN }, { -INFINITY, 0 } };
  const double x[4] = { 0, 1, 2, 3 }, late[] = { 1, 1 };
  g_autoptr (OctScanPlaces) places =
      oct_scan_places_new (4, 1, x, x, 1, NULL, NULL);
  g_autoptr (OctScanPlaces) single =
      oct_scan_places_new (1, 4, x, x, 1, NULL, NULL);
  GError *error = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (bad); i++) {
    g_assert_null (oct_scan_places_new_late (places, bad[i], &error));
    oct_test_assert_error (&error, OCT_ERROR_SETTINGS, "A-lines late", NULL);
  }
  g_assert_null (oct_scan_places_new_late (single, late, &error));
  oct_test_assert_error (
      &error, OCT_ERROR_SETTINGS, "B-scans of 1 A-lines", NULL);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/remap/reference", test_reference);
  g_test_add_func ("/remap/plane", test_plane);
  g_test_add_func ("/remap/nearest", test_nearest);
  g_test_add_func ("/remap/long-line", test_long_line);
  g_test_add_func ("/remap/degenerate", test_degenerate);
  g_test_add_func ("/remap/seen", test_seen);
  g_test_add_func ("/remap/lost", test_lost);
  g_test_add_func ("/remap/amplitudes", test_amplitudes);
  g_test_add_func ("/remap/refused", test_refused);
  g_test_add_func ("/remap/no-memory", test_no_memory);
  g_test_add_func ("/places/files", test_files);
  g_test_add_func ("/scan-remap/late", test_late);
  g_test_add_func ("/scan-remap/late-refused", test_late_refused);
  return g_test_run ();
}
