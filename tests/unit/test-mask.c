/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Masks: how many samples they keep and where, that they are always the same,
 * and their files.
 */
#include "oct-mask.h"

#include "oct-test.h"

#include <unistd.h>

#define SAMPLES 2048u

static guint8 *
make (const OctMaskSettings *settings)
{
  GError *error = NULL;
  guint8 *mask = oct_mask_new (settings, &error);

  g_assert_no_error (error);
  return mask;
}

static guint
count_range (const guint8 *mask, guint first, guint end)
{
  return oct_mask_count (mask + first, end - first);
}

/* All kinds keep as many as the rate says, the same with the same seed and
 * others with another. */
static void
test_counts (void)
{
  static const double rates[] = { 1e-9, 0.1, 0.3, 0.4, 0.9999, 1 };
  static const guint counts[] = { 1, 205, 614, 819, 2048, 2048 };

  for (guint kind = 0; kind <= OCT_MASK_LINEAR_K; kind++) {
    for (guint i = 0; i < G_N_ELEMENTS (rates); i++) {
      OctMaskSettings settings = { .kind = kind,
        .samples = SAMPLES,
        .rate = rates[i],
        .seed = 7,
        .max_gap = SAMPLES };
      g_autofree guint8 *mask = NULL, *again = NULL, *other = NULL;
      if (kind == OCT_MASK_MAX_GAP && counts[i] < 2)
        continue;
      mask = make (&settings);
      again = make (&settings);
      settings.seed = 8;
      other = make (&settings);
      g_assert_cmpint (oct_mask_count (mask, SAMPLES), ==, counts[i]);
      g_assert_cmpmem (mask, SAMPLES, again, SAMPLES);
      for (guint n = 0; n < SAMPLES; n++)
        g_assert_cmpint (mask[n], <=, 1);
      if (counts[i] < SAMPLES)
        g_assert_true (memcmp (mask, other, SAMPLES) != 0);
    }
  }
}

/* The same on every machine, for a camera may have been set up with it: by
 * SplitMix64 and Efraimidis and Spirakis in Python. */
static void
test_known (void)
{
  static const char *const expected[] = { "0010011001010000",
    "1010000100000011", "0110011001000000" };

  for (guint kind = 0; kind <= OCT_MASK_LINEAR_K; kind++) {
    OctMaskSettings settings = {
      .kind = kind, .samples = 16, .rate = 0.3, .seed = 1, .max_gap = 6
    };
    g_autofree guint8 *mask = make (&settings);
    char text[17] = { 0 };
    for (guint i = 0; i < 16; i++)
      text[i] = (char)('0' + mask[i]);
    g_test_message ("%u: %s", kind, text);
    g_assert_cmpstr (text, ==, expected[kind]);
  }
}

/* Samples in proportion to (S / max)^1/2 + 0.1, as long as few are kept. */
static void
test_density (void)
{
  g_autofree double *density = g_new (double, SAMPLES);
  double inside = 0, outside = 0, middle = 0;

  for (guint n = 0; n < SAMPLES; n++)
    density[n] = n < SAMPLES / 2 ? 400 : n < SAMPLES * 3 / 4 ? 4 : -1;
  for (guint seed = 0; seed < 200; seed++) {
    OctMaskSettings settings = { .kind = OCT_MASK_VARIABLE_DENSITY,
      .samples = SAMPLES,
      .rate = 0.02,
      .seed = seed,
      .density = density };
    g_autofree guint8 *mask = make (&settings);
    inside += count_range (mask, 0, SAMPLES / 2) / 2.0;
    middle += count_range (mask, SAMPLES / 2, SAMPLES * 3 / 4);
    outside += count_range (mask, SAMPLES * 3 / 4, SAMPLES);
  }
  /* weights 1.1, 0.2, 0.1; of 41 x 200 samples, and some run out */
  g_assert_cmpfloat (fabs (middle / inside - 0.2 / 1.1), <, 0.03);
  g_assert_cmpfloat (fabs (outside / inside - 0.1 / 1.1), <, 0.02);
}

/* Without a spectrum it is a Gaussian half as wide as the samples. */
static void
test_no_density (void)
{
  OctMaskSettings settings = {
    .kind = OCT_MASK_VARIABLE_DENSITY, .samples = SAMPLES, .rate = 0.02
  };
  double nothing[SAMPLES] = { 0 };
  double expected[2] = { 0 }, found[2] = { 0 };
  g_autofree guint8 *even = NULL;

  for (guint n = 0; n < SAMPLES; n++) {
    double x = (n - 1023.5) / 1024;
    expected[n >= 512 && n < 1536] += exp (-2 * G_LN2 * x * x) + 0.1;
  }
  for (settings.seed = 0; settings.seed < 400; settings.seed++) {
    g_autofree guint8 *mask = make (&settings);
    guint middle = count_range (mask, 512, 1536);
    found[1] += middle;
    found[0] += oct_mask_count (mask, SAMPLES) - middle;
  }
  g_assert_cmpfloat (
      fabs (found[0] / found[1] - expected[0] / expected[1]), <, 0.03);
  settings.density = nothing;
  even = make (&settings);
  g_assert_cmpint (oct_mask_count (even, SAMPLES), ==, 41);
}

static void
test_gaps (void)
{
  for (guint gap = 2; gap < 20; gap++) {
    OctMaskSettings settings = { .kind = OCT_MASK_MAX_GAP,
      .samples = SAMPLES - gap,
      .rate = 0.4,
      .seed = gap,
      .max_gap = gap };
    g_autofree guint8 *mask = make (&settings);
    guint missing = 0, longest = 0;
    for (guint n = 0; n < settings.samples; n++) {
      missing = mask[n] ? 0 : missing + 1;
      longest = MAX (longest, missing);
    }
    g_assert_cmpint (longest, <=, gap);
    if (gap < 5)
      g_assert_cmpint (longest, ==, gap);
    g_assert_true (mask[0] && mask[settings.samples - 1]);
  }
}

/* Each kept sample is the nearest to a uniform wavenumber, in either
 * direction. */
static void
test_nearest (void)
{
  double nodes[100];
  guint32 nearest[100];

  for (guint direction = 0; direction < 2; direction++) {
    OctMaskSettings settings = {
      .kind = OCT_MASK_LINEAR_K, .samples = 100, .rate = 0.4, .nodes = nodes
    };
    g_autofree guint8 *mask = NULL, *all = NULL;
    for (guint n = 0; n < 100; n++)
      nodes[direction ? 99 - n : n] = n + 8 * sin (n * G_PI / 99);
    oct_mask_find_nearest (100, nodes, nearest);
    for (guint j = 0; j < 100; j++)
      for (guint n = 0; n < 100; n++)
        g_assert_cmpfloat (
            fabs (nodes[nearest[j]] - j), <=, fabs (nodes[n] - j));
    mask = make (&settings);
    g_assert_cmpint (oct_mask_count (mask, 100), ==, 40);
    /* where samples are dense not all are the nearest to one */
    settings.rate = 1;
    all = make (&settings);
    for (guint n = 0; n < 100; n++) {
      gboolean found = FALSE;
      for (guint j = 0; j < 100; j++)
        found |= nearest[j] == n;
      g_assert_cmpint (all[n], ==, found);
      g_assert_cmpint (mask[n], <=, all[n]);
    }
    g_assert_cmpint (oct_mask_count (all, 100), <, 100);
  }
}

static void
test_refused (void)
{
  static const double rates[] = { 0, -0.1, 1.0000001, NAN, INFINITY };
  OctMaskSettings settings = { .samples = 100 };
  GError *error = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (rates); i++) {
    settings.rate = rates[i];
    g_assert_null (oct_mask_new (&settings, &error));
    g_assert_error (error, OCT_ERROR, OCT_ERROR_SETTINGS);
    g_assert_nonnull (strstr (error->message, "sampling rate"));
    g_clear_error (&error);
  }
  settings.rate = 0.4;
  settings.kind = OCT_MASK_MAX_GAP;
  settings.max_gap = 1;
  g_assert_null (oct_mask_new (&settings, &error));
  g_assert_error (error, OCT_ERROR, OCT_ERROR_SETTINGS);
  g_assert_nonnull (strstr (error->message, "has to keep 51"));
  g_assert_nonnull (strstr (error->message, "keeps 40"));
  g_clear_error (&error);
  settings.samples = 0;
  g_assert_null (oct_mask_new (&settings, &error));
  g_assert_error (error, OCT_ERROR, OCT_ERROR_SETTINGS);
  g_clear_error (&error);
}

/* ------------------------------------------------------------------- files */

static void
check_text (const char *text, const char *expected)
{
  GError *error = NULL;
  guint samples = 0;
  g_autofree guint8 *mask = oct_mask_parse (
      "Mask file 'm.txt'", text, strlen (text), &samples, &error);

  g_assert_no_error (error);
  g_assert_cmpint (samples, ==, strlen (expected));
  for (guint i = 0; i < samples; i++)
    g_assert_cmpint (mask[i], ==, expected[i] - '0');
}

static void
test_texts (void)
{
  check_text ("1", "1");
  check_text ("0\n1\n1\n", "011");
  check_text ("0\r\n1\r\n1", "011");
  check_text ("0\r1\r", "01");
  check_text ("1,0,0 1\t0\n", "10010");
  check_text ("\xEF\xBB\xBF# 1 2 3\n\n 1\n  # none\n0\n#", "10");
}

static void
check_wrong (const char *text, gsize size, const char *words)
{
  GError *error = NULL;
  guint samples;

  g_assert_null (
      oct_mask_parse ("Mask file 'm.txt'", text, size, &samples, &error));
  g_assert_error (error, OCT_ERROR, OCT_ERROR_FORMAT);
  g_test_message ("%s", error->message);
  g_assert_nonnull (strstr (error->message, words));
  g_assert_nonnull (strstr (error->message, "'m.txt'"));
  g_clear_error (&error);
}

static void
test_wrong_texts (void)
{
  g_autofree char *many = g_malloc (2 * (OCT_MAX_SAMPLES + 1));

  check_wrong ("", 0, "none of 0");
  check_wrong ("# empty\n", 8, "none of 0");
  check_wrong ("0\n0\n", 4, "none of 2");
  check_wrong ("1\n2\n", 4, "'2' in line 2");
  check_wrong ("1\n10\n", 5, "'10' in line 2");
  check_wrong ("1\r\n\r\n-1\r\n", 9, "'-1' in line 3");
  check_wrong ("1\n0.5\n", 6, "'0.5' in line 2");
  check_wrong ("mask\n1\n", 7, "'mask' in line 1");
  check_wrong ("1 # kept\n", 9, "'# kept' in line 1");
  check_wrong ("1\n\0\n", 4, "'' in line 2");
  for (guint i = 0; i <= OCT_MAX_SAMPLES; i++)
    memcpy (many + 2 * i, "1\n", 2);
  check_wrong (many, 2 * (OCT_MAX_SAMPLES + 1), "more than 65536");
}

static void
test_files (void)
{
  OctMaskSettings settings = { .samples = 300, .rate = 0.4 };
  g_autofree guint8 *mask = make (&settings), *read = NULL;
  g_autofree char *folder = g_dir_make_tmp ("oct-mask-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "mask.txt", NULL);
  g_autofree char *nowhere = g_build_filename (folder, "no", "mask.txt", NULL);
  GError *error = NULL;
  guint samples = 0;

  g_assert_null (oct_mask_read (path, &samples, &error));
  g_assert_error (error, OCT_ERROR, OCT_ERROR_NOT_FOUND);
  g_clear_error (&error);
  g_assert_null (oct_mask_read (folder, &samples, &error));
  g_assert_error (error, OCT_ERROR, OCT_ERROR_READ);
  g_clear_error (&error);
  g_assert_false (oct_mask_write (nowhere, mask, 300, &error));
  g_assert_error (error, OCT_ERROR, OCT_ERROR_WRITE);
  g_assert_nonnull (strstr (error->message, "cannot be written"));
  g_clear_error (&error);
  g_assert_true (oct_mask_write (path, mask, 300, &error));
  g_assert_no_error (error);
  read = oct_mask_read (path, &samples, &error);
  g_assert_no_error (error);
  g_assert_cmpmem (read, samples, mask, 300);
  g_assert_true (g_file_set_contents (path, "", 0, NULL));
  g_assert_true (truncate (path, 5 << 20) == 0);
  g_assert_null (oct_mask_read (path, &samples, &error));
  g_assert_error (error, OCT_ERROR, OCT_ERROR_FORMAT);
  g_clear_error (&error);
  g_unlink (path);
  g_rmdir (folder);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/mask/counts", test_counts);
  g_test_add_func ("/mask/known", test_known);
  g_test_add_func ("/mask/density", test_density);
  g_test_add_func ("/mask/no-density", test_no_density);
  g_test_add_func ("/mask/gaps", test_gaps);
  g_test_add_func ("/mask/nearest", test_nearest);
  g_test_add_func ("/mask/refused", test_refused);
  g_test_add_func ("/mask/texts", test_texts);
  g_test_add_func ("/mask/wrong-texts", test_wrong_texts);
  g_test_add_func ("/mask/files", test_files);
  return g_test_run ();
}
