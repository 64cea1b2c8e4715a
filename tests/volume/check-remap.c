/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * A-lines of paths to the rows of rasters, compared with the reference in double
 * precision: images of 8 and 16 bit and A-scans, sizes that are not multiples of
 * a block, rows with padding, A-lines that are lost and come later, and rows that
 * are made while B-scans come.  With --module PATH/liboctcuda.so the same on a
 * GPU.
 */
#include "reference-remap.h"
#include "signals.h"
#include "volume-check.h"

#include "../unit/oct-test.h"

#include <math.h>
#include <string.h>

typedef enum { IN_ORDER, LOSE_LINES, ROLLING } How;

static const char *const hows[] = { "in order", "lost", "rolling" };

typedef struct {
  guint lines, bscans, depths, columns, rows;
  guint padding; /* values after each row, of input and output */
} Size;

static const Size sizes[] = {
  { 1, 1, 1, 1, 1, 0 },
  { 7, 3, 1, 5, 4, 0 },
  { 40, 9, 33, 17, 19, 0 },
  { 33, 20, 130, 65, 9, 5 },
  { 64, 16, 64, 64, 16, 0 },
  { 100, 10, 257, 33, 25, 3 },
  { 31, 6, 1024, 40, 4, 2 },
  { 5, 7, 4099, 9, 3, 1 },
};

typedef struct {
  const Size *size;
  OctSampleFormat format;
  OctScanRemapOf of;
  OctScanRemapMethod method;
  How how;
  double hole;
} Case;

static gboolean
is_image (const Case *c)
{
  return c->format != OCT_SAMPLE_CF32;
}

/* A-lines at random in and around the raster: all kinds of neighbourhoods. */
static OctScanRemap *
make_map (const Case *c, GRand *random)
{
  const Size *s = c->size;
  OctScanRemapSettings settings = { c->method, s->columns, s->rows, 1.0,
    c->hole };
  guint count = s->lines * s->bscans;
  g_autofree double *x = g_new (double, count), *y = g_new (double, count);
  GError *error = NULL;
  OctScanRemap *map;

  for (guint i = 0; i < count; i++) {
    x[i] = g_rand_double_range (random, -1, s->columns + 0.5);
    y[i] = g_rand_double_range (random, -1, s->rows + 0.5);
  }
  map = oct_scan_remap_new (&settings, x, y, count, &error);
  g_assert_no_error (error);
  return map;
}

/* Values that a format holds, of A-lines: what is not there may be anything. */
static Complex *
make_lines (const Case *c, GRand *random)
{
  gsize n = (gsize)c->size->lines * c->size->bscans * c->size->depths;
  Complex *lines = g_new (Complex, n);

  for (gsize i = 0; i < n; i++) {
    if (c->format == OCT_SAMPLE_U8)
      lines[i] = g_rand_int (random) & G_MAXUINT8;
    else if (c->format == OCT_SAMPLE_U16)
      lines[i] = g_rand_int (random) & G_MAXUINT16;
    else if (i % 97 == 0)
      lines[i] = 0;
    else {
      Complex v = signal_complex (random);

      /* squares leave the range of a float at 1e30 */
      lines[i] = CMPLX ((float)creal (v), (float)cimag (v))
                 * (i / c->size->depths % 50 == 0 ? 0x1p100 : 1);
    }
  }
  return lines;
}

static void
put_value (const Case *c, guint8 *to, Complex v)
{
  if (c->format == OCT_SAMPLE_U8)
    *to = (guint8)creal (v);
  else if (c->format == OCT_SAMPLE_U16)
    memcpy (to, &(guint16){ (guint16)creal (v) }, 2);
  else
    memcpy (to, (float[]){ (float)creal (v), (float)cimag (v) }, 8);
}

static Complex
get_value (const Case *c, const guint8 *from)
{
  float parts[2];
  guint16 grey;

  if (c->format == OCT_SAMPLE_U8)
    return *from;
  if (c->format == OCT_SAMPLE_U16) {
    memcpy (&grey, from, sizeof grey);
    return grey;
  }
  memcpy (parts, from, sizeof parts);
  return CMPLX (parts[0], parts[1]);
}

#define POISON 0xa5

/* Bytes of a row, and rows, of a B-scan of `lines` A-lines. */
static gsize
get_stride (const Case *c, guint lines, guint *rows)
{
  guint columns = is_image (c) ? lines : c->size->depths;

  *rows = is_image (c) ? c->size->depths : lines;
  return (columns + c->size->padding) * oct_sample_format_size (c->format);
}

static gsize
find_value (const Case *c, gsize stride, guint line, guint z)
{
  gsize value = oct_sample_format_size (c->format);

  return is_image (c) ? z * stride + line * value : line * stride + z * value;
}

static void
store (OctRemap *remap, const Case *c, guint bscan, const Complex *lines,
    const guint8 *valid)
{
  guint n = c->size->lines, depths = c->size->depths, rows;
  gsize stride = get_stride (c, n, &rows);
  g_autofree guint8 *values = g_malloc (stride * rows);
  gpointer there = volume_device_alloc (&tried, stride * rows);
  OctPlane plane = { there, stride };
  GError *error = NULL;
  gboolean ok;

  memset (values, POISON, stride * rows);
  lines += (gsize)bscan * n * depths;
  for (guint i = 0; i < n; i++)
    for (guint z = 0; z < depths && (valid == NULL || valid[i] != 0); z++)
      put_value (c, values + find_value (c, stride, i, z),
          lines[(gsize)i * depths + z]);
  volume_device_upload (&tried, there, values, stride * rows);
  ok = tried.remap->store (remap, bscan, &plane, valid, &error);
  volume_device_expect (ok, error);
  volume_device_wait (&tried, tried.stream);
  volume_device_free (&tried, there);
}

typedef struct {
  guint compared, holes, wrong, spoilt;
} Found;

static void
compare_pixel (const Case *c, const Complex *expected, const guint8 *found,
    gsize stride, guint column, Found *result)
{
  double most = c->format == OCT_SAMPLE_U8 ? G_MAXUINT8 : G_MAXUINT16;
  double largest = 0;

  for (guint z = 0; z < c->size->depths; z++)
    largest = fmax (largest, cabs (expected[z]));
  for (guint z = 0; z < c->size->depths; z++) {
    Complex is = get_value (c, found + find_value (c, stride, column, z));
    Complex of =
        is_image (c) ? fmin (fmax (creal (expected[z]), 0), most) : expected[z];

    result->compared++;
    /* grey levels are rounded, of sums of 12 floats of up to 12 times that
     * range, each right to 6e-8; amplitudes of different A-lines cancel */
    if (is_image (c))
      result->wrong += !(cabs (is - of) <= 0.5 + most * 2e-6);
    else
      result->wrong += !(cabs (is - of) <= 1e-5 * fmax (cabs (of), largest));
  }
}

static void
compare_row (OctRemap *remap, const OctRemapParams *p, const Case *c, guint row,
    const Complex *lines, gboolean all, Found *result)
{
  guint columns = c->size->columns, rows;
  gsize stride = get_stride (c, columns, &rows), bytes = stride * rows;
  gsize used = stride - c->size->padding * oct_sample_format_size (c->format);
  g_autofree guint8 *found = g_malloc (bytes);
  g_autofree Complex *expected = g_new (Complex, c->size->depths);
  gpointer there = volume_device_alloc (&tried, bytes);
  OctFrame to = { { { there, stride } } };
  GError *error = NULL;
  gboolean ok;

  memset (found, POISON, bytes);
  volume_device_upload (&tried, there, found, bytes);
  ok = tried.remap->fetch (remap, row, all, &to, &error);
  volume_device_expect (ok, error);
  volume_device_download (&tried, found, there, bytes, tried.stream);
  volume_device_free (&tried, there);
  for (guint i = 0; i < columns; i++) {
    double sure = oct_reference_remap_pixel (
        p, lines, p->seen, (gsize)row * columns + i, expected);

    if (sure < 1e-5)
      continue;
    compare_pixel (c, expected, found, stride, i, result);
    result->holes += cabs (expected[0]) == 0;
  }
  for (guint i = 0; i < rows; i++)
    for (gsize k = used; k < stride; k++)
      result->spoilt += found[i * stride + k] != POISON;
}

/* Half of the A-lines of a B-scan are lost in the first volume. */
static void
choose_valid (const Case *c, guint volume, GRand *random, guint8 *valid)
{
  for (guint i = 0; i < c->size->lines; i++)
    valid[i] = c->how != LOSE_LINES || volume > 0 || g_rand_boolean (random);
}

/* Two volumes; the second one has other values. */
static Found
run_volumes (OctRemap *remap, const OctRemapParams *p, const Case *c,
    guint8 *seen, GRand *random)
{
  const Size *s = c->size;
  gsize line = s->depths, count = (gsize)s->lines * s->bscans;
  g_autofree Complex *kept = g_new0 (Complex, count * line);
  g_autofree guint8 *valid = g_malloc (s->lines);
  Found found = { 0 };

  for (guint volume = 0; volume < 2; volume++) {
    g_autofree Complex *lines = make_lines (c, random);

    for (guint b = 0; b < s->bscans; b++) {
      gsize first = (gsize)b * s->lines;
      gboolean all;

      choose_valid (c, volume, random, valid);
      for (guint i = 0; i < s->lines; i++)
        if (valid[i] != 0) {
          seen[first + i] = 1;
          memcpy (kept + (first + i) * line, lines + (first + i) * line,
              line * sizeof *lines);
        }
      store (remap, c, b, lines, c->how == LOSE_LINES ? valid : NULL);
      all = memchr (seen, 0, count) == NULL;
      /* while they come: some rows, and those again that were made before */
      for (guint row = b % 3; c->how == ROLLING && row < s->rows;
           row += 1 + s->rows / 2)
        compare_row (remap, p, c, row, kept, all, &found);
    }
    for (guint row = 0; row < s->rows; row++)
      compare_row (
          remap, p, c, row, kept, memchr (seen, 0, count) == NULL, &found);
  }
  return found;
}

static void
run_case (gconstpointer data)
{
  const Case *c = data;
  g_autoptr (GRand) random = g_rand_new_with_seed (c->size->depths + 1);
  g_autoptr (OctScanRemap) map = make_map (c, random);
  g_autoptr (OctScanRemapUsers) users = NULL;
  g_autofree guint8 *seen = g_malloc0 (map->count);
  OctRemapParams params = { map, c->format, c->size->depths, c->size->lines,
    c->of, seen, NULL };
  GError *error = NULL;
  OctRemap *remap;
  Found found;

  if (c->how == ROLLING) {
    users = oct_scan_remap_users_new (map, c->size->lines, &error);
    g_assert_no_error (error);
    params.users = users;
  }
  remap = tried.remap->create (&params, tried.stream, &error);
  g_assert_no_error (error);
  found = run_volumes (remap, &params, c, seen, random);
  tried.remap->destroy (remap);
  g_test_message ("%u of %u values wrong, %u pixels 0, %u bytes spoilt",
      found.wrong, found.compared, found.holes, found.spoilt);
  g_assert_cmpuint (found.compared, >, 0);
  g_assert_cmpuint (found.wrong, ==, 0);
  g_assert_cmpuint (found.spoilt, ==, 0);
}

/* Parameters and frames that do not fit are refused with a sentence. */
static void
test_refused (void)
{
  static const double zeros[6] = { 0 };
  OctScanRemapSettings settings = { OCT_SCAN_REMAP_LOCAL, 3, 2, 1.0, 1.0 };
  g_autoptr (OctScanRemap) map =
      oct_scan_remap_new (&settings, zeros, zeros, 6, NULL);
  const guint8 seen[6] = { 0 };
  const OctRemapParams wrong[] = {
    { map, OCT_SAMPLE_F32, 4, 3, OCT_SCAN_REMAP_COMPLEX, seen, NULL },
    { map, OCT_SAMPLE_U8, 0, 3, OCT_SCAN_REMAP_COMPLEX, seen, NULL },
    { map, OCT_SAMPLE_U8, 4, 0, OCT_SCAN_REMAP_COMPLEX, seen, NULL },
    { map, OCT_SAMPLE_U8, 4, 4, OCT_SCAN_REMAP_COMPLEX, seen, NULL },
  };
  OctRemapParams right = wrong[3];
  guint8 row[3];
  OctPlane plane = { row, 2 };
  OctFrame frame = { { { row, 2 } } };
  OctRemap *remap;

  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++) {
    g_autoptr (GError) error = NULL;

    g_assert_null (tried.remap->create (&wrong[i], tried.stream, &error));
    g_assert_error (error, OCT_ERROR, OCT_ERROR_SETTINGS);
  }
  right.lines = 3;
  remap = tried.remap->create (&right, tried.stream, NULL);
  g_assert_nonnull (remap);
  for (guint i = 0; i < 2; i++) {
    g_autoptr (GError) error = NULL;

    g_assert_false (i == 0
                        ? tried.remap->store (remap, 0, &plane, NULL, &error)
                        : tried.remap->fetch (remap, 0, FALSE, &frame, &error));
    g_assert_error (error, OCT_ERROR, OCT_ERROR_SETTINGS);
  }
  tried.remap->destroy (remap);
}

/* The pixels of each B-scan are those that have a weight of it. */
static void
test_users (void)
{
  const Case c = { &sizes[3], OCT_SAMPLE_U8, OCT_SCAN_REMAP_AMPLITUDES,
    OCT_SCAN_REMAP_LOCAL, IN_ORDER, 2 };
  g_autoptr (GRand) random = g_rand_new_with_seed (2);
  g_autoptr (OctScanRemap) map = make_map (&c, random);
  g_autoptr (OctScanRemapUsers) users =
      oct_scan_remap_users_new (map, c.size->lines, NULL);
  guint pixels = map->columns * map->rows;

  for (guint b = 0; b < c.size->bscans; b++) {
    gsize at = users->first[b];

    for (guint pixel = 0; pixel < pixels; pixel++) {
      gboolean uses = FALSE;

      for (guint i = map->first[pixel]; i < map->first[pixel + 1]; i++)
        uses = uses || map->line[i] / c.size->lines == b;
      if (uses) {
        g_assert_cmpuint (at, <, users->first[b + 1]);
        g_assert_cmpuint (users->pixel[at++], ==, pixel);
      }
    }
    g_assert_cmpuint (at, ==, users->first[b + 1]);
  }
}

/* The second plane of NV12 becomes grey. */
static void
test_chroma (void)
{
  static const double x[3] = { 0, 1, 2 }, y[3] = { 0 };
  OctScanRemapSettings settings = { OCT_SCAN_REMAP_NEAREST, 3, 1, 1.0, 1.0 };
  g_autoptr (OctScanRemap) map = oct_scan_remap_new (&settings, x, y, 3, NULL);
  const guint8 seen[3] = { 1, 1, 1 };
  OctRemapParams params = { map, OCT_SAMPLE_U8, 3, 3, 0, seen, NULL };
  guint8 image[9] = { 1, 2, 3, 4, 5, 6, 7, 8, 9 }, found[17];
  gpointer there = volume_device_alloc (&tried, sizeof found);
  OctPlane plane = { there, 3 };
  OctFrame to = { { { there, 3 }, { (guint8 *)there + 9, 4 } } };
  OctRemap *remap = tried.remap->create (&params, tried.stream, NULL);

  volume_device_upload (&tried, there, image, sizeof image);
  g_assert_true (tried.remap->store (remap, 0, &plane, NULL, NULL));
  g_assert_true (tried.remap->fetch (remap, 0, TRUE, &to, NULL));
  volume_device_download (&tried, found, there, sizeof found, tried.stream);
  g_assert_cmpmem (found, 9, image, 9);
  for (guint i = 9; i < sizeof found; i++)
    g_assert_cmpint (found[i], ==, 128);
  tried.remap->destroy (remap);
  volume_device_free (&tried, there);
}

static const struct {
  const char *name;
  OctSampleFormat format;
  OctScanRemapOf of;
} formats[] = {
  { "u8", OCT_SAMPLE_U8, OCT_SCAN_REMAP_AMPLITUDES },
  { "u16", OCT_SAMPLE_U16, OCT_SCAN_REMAP_AMPLITUDES },
  { "complex", OCT_SAMPLE_CF32, OCT_SCAN_REMAP_COMPLEX },
  { "amplitudes", OCT_SAMPLE_CF32, OCT_SCAN_REMAP_AMPLITUDES },
};

static void
add_cases (const Size *size, guint format)
{
  static const char *const methods[] = { "nearest", "local" };

  for (guint method = 0; method < 2; method++)
    for (How how = IN_ORDER; how <= ROLLING; how++) {
      g_autofree char *name =
          g_strdup_printf ("/remap/%s/%s %s %u x %u x %u to %u x %u",
              formats[format].name, methods[method], hows[how], size->bscans,
              size->lines, size->depths, size->columns, size->rows);
      Case *c = g_new (Case, 1);

      *c = (Case){ size, formats[format].format, formats[format].of,
        method == 0 ? OCT_SCAN_REMAP_NEAREST : OCT_SCAN_REMAP_LOCAL, how,
        how == ROLLING ? 20 : 1 };
      g_test_add_data_func_full (name, c, (GTestDataFunc)run_case, g_free);
    }
}

int
main (int argc, char **argv)
{
  volume_device_begin (&tried, &argc, &argv);
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    for (guint format = 0; format < G_N_ELEMENTS (formats); format++)
      add_cases (&sizes[i], format);
  g_test_add_func ("/remap/refused", test_refused);
  g_test_add_func ("/remap/users", test_users);
  g_test_add_func ("/remap/chroma", test_chroma);
  return g_test_run ();
}
