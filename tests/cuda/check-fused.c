/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Cases of sequences in one pass, and of the mean that is found before.
 *
 * Names begin with "fused" ("nufft" is in those with a non-uniform transform)
 * or "mean".
 */
#include "fused-case.h"

static const guint lengths[] = { 256, 512, 1024, 2048, 4096, 8192 };

/* So many A-lines that two share a thread, on GPUs with up to MOST_PROCESSORS;
 * an odd number. */
#define MOST_PROCESSORS 148

static guint
many_lines (guint length)
{
  /* more than MANY_BLOCKS blocks of them, and than fit with one per thread, for
   * each processor: see lines_for_two() of oct-cuda-pass-parts.cuh */
  guint two = 6 * MAX (2048 / length, 1), one = 16384 / length;

  return MOST_PROCESSORS * MAX (two, one) + 1;
}

static const OctLogscaleParams images[] = {
  { .range = OCT_RANGE_AUTO },
  { .range = OCT_RANGE_CONTRAST },
};

/* One kernel; turn: what else is different. */
static void
check_kernel (Check *check, FusedCase test, guint turn)
{
  test.remove = turn % N_REMOVES;
  if (test.remove == OCT_BACKGROUND_HIGH_PASS) /* no part of a sequence */
    test.remove = OCT_BACKGROUND_BSCAN;
  test.window = turn % OCT_N_WINDOWS;
  test.padding = turn % 3 * 8;
  if (test.format != OCT_SAMPLE_F32 && test.remove == REMOVE_ABSENT)
    test.remove = OCT_BACKGROUND_BSCAN;
  /* where the source stays, the weakest values are rounding errors of it */
  test.fill =
      turn % 2 && fused_case_takes_source (&test) ? FILL_FRINGES : FILL_RANDOM;
  fused_case (check, &test, "kernel");
  test.image = TRUE;
  test.logscale = images[turn % 2];
  fused_case (check, &test, "kernel");
  test.logscale = images[(turn + 1) % 2];
  if (!check->reduced)
    fused_case (check, &test, "kernel");
}

/* Every kernel there is: with few A-lines and each format, and with many. */
static void
check_kernels (Check *check)
{
  guint turn = 0;

  for (guint l = 0; l < G_N_ELEMENTS (lengths); l++)
    for (guint method = 0; method <= RESAMPLE_ABSENT; method++)
      for (guint kind = 0; kind < 8; kind++) {
        gboolean many = kind >= 6;
        FusedCase test = { .samples = lengths[l],
          .lines = many ? many_lines (lengths[l]) : 5,
          .dispersion = kind % 2,
          .format = many ? (check->reduced ? 0 : turn % 3) : kind / 2,
          .method = method,
          .bscans = many ? 1 : 3 };

        check_kernel (check, test, turn++);
      }
}

/* Offsets of rows, the bytes after them, and all backgrounds that can be
 * removed. */
static void
check_rows (Check *check)
{
  static const guint lines[] = { 1, 2, 3, 75 };

  for (guint format = OCT_SAMPLE_U8; format <= OCT_SAMPLE_F32; format++)
    for (guint remove = 0; remove < N_REMOVES; remove++)
      for (guint kind = 0; kind < 16; kind++) {
        FusedCase test = { .samples = kind % 2 ? 1024 : 512,
          .lines = lines[kind / 4],
          .format = format,
          .padding = kind % 4,
          .offset = (kind + 2) % 3,
          .remove = remove,
          .method = kind % 4,
          .dispersion = kind / 2 % 2,
          .fill = FILL_FRINGES,
          .bscans = 3 };

        if (format != OCT_SAMPLE_F32 && remove == REMOVE_ABSENT)
          continue;
        fused_case (check, &test, "rows");
      }
}

static void
check_lines (Check *check)
{
  static const guint lines[] = { 1, 2, 3, 4, 5, 64, 75, 256, 529, 1000, 4001,
    16001 };

  for (guint i = 0; i < G_N_ELEMENTS (lines); i++)
    for (guint kind = 0; kind < 6; kind++) {
      FusedCase test = { .samples = kind < 4 ? 2048 : 256,
        .lines = lines[i],
        .format = kind % 2 ? OCT_SAMPLE_U16 : OCT_SAMPLE_U8,
        .dispersion = kind / 2 % 2,
        .image = TRUE,
        .logscale = images[(i + kind) % 2],
        .fill = FILL_FRINGES,
        .bscans = lines[i] > 1000 ? 1 : 3 };

      if (check->reduced && lines[i] > 75)
        continue;
      if (lines[i] > 1000 && kind / 2 != 1)
        continue;
      fused_case (check, &test, "lines");
      test.image = FALSE;
      fused_case (check, &test, "lines");
    }
}

/* Depths, formats, scales and ranges of images, with a history. */
static void
check_images (Check *check)
{
  static const struct {
    guint start, bins;
  } depths[] = { { 0, 0 }, { 0, 63 }, { 20, 301 }, { 511, 1 }, { 3, 64 },
    { 100, 412 } };
  static const guint lines[] = { 75, 2, 1, 33 };
  OctLogscaleParams update = {
    .scale = OCT_SCALE_LOG, .range = OCT_RANGE_CONTRAST, .range_smoothing = 0.6
  };

  for (guint d = 0; d < G_N_ELEMENTS (depths); d++)
    for (guint kind = 0; kind < 24; kind++)
      for (guint more = 0; more < 2; more++) {
        guint scale = kind / 12;
        FusedCase test = { .samples = 1024,
          .lines = lines[(kind + d) % G_N_ELEMENTS (lines)],
          .format = OCT_SAMPLE_U16,
          .dispersion = (kind + d) % 2,
          .depth_start = depths[d].start,
          .depth_bins = depths[d].bins,
          .image = TRUE,
          .logscale = { .format = kind % 4,
              .range = kind / 4 % 3,
              .scale = scale,
              .min = scale == OCT_SCALE_LOG ? 20 : 0,
              .max = scale == OCT_SCALE_LOG ? 110 : 1e9,
              .range_smoothing = more ? 0.8 : 0 },
          .update = more ? &update : NULL,
          .fill = FILL_RANDOM,
          .reset = more,
          .bscans = more ? 5 : 3 };

        if (check->reduced && kind % 5 != 0)
          continue;
        update.range = (kind + 1) / 4 % 3;
        update.min = test.logscale.min;
        update.max = test.logscale.max;
        update.scale = scale;
        fused_case (check, &test, more ? "image, another range" : "image");
        if (!more)
          continue;
        test.in_turn = TRUE;
        fused_case (check, &test, "image, in turn with single operations");
        test.in_turn = FALSE;
        update.scale = 1 - scale;
        update.range = OCT_RANGE_AUTO;
        fused_case (check, &test, "image, another scale");
      }
}

/* Values of all kinds, and rows of depths that are not whole warps. */
static void
check_fills (Check *check)
{
  for (Fill fill = 0; fill < FILL_LOST_COLUMNS; fill++)
    for (guint kind = 0; kind < 12; kind++) {
      guint format = kind % 3;
      FusedCase test = { .samples = kind / 6 ? 256 : 2048,
        .lines = 12 + kind % 2,
        .format = format,
        .method = kind % 4,
        .dispersion = kind / 3 % 2,
        .fill = fill,
        .bscans = 2 };

      /* floats of one value have no fringes but rounding errors; counts only
       * know some */
      if (format == OCT_SAMPLE_F32
              ? fill == FILL_CONSTANT || fill == FILL_SATURATED
              : fill > FILL_SATURATED)
        continue;
      if (fill == FILL_ALL_NAN)
        test.image = TRUE;
      if (fill != FILL_ALL_NAN)
        fused_case (check, &test, "values");
      if (fill == FILL_LOUD_LINE || fill == FILL_DYNAMIC)
        continue;
      test.image = TRUE;
      test.logscale = images[kind / 2 % 2];
      fused_case (check, &test, "values");
    }
}

/* ------------------------------------------------- non-uniform transforms */

static const Nodes one_period[] = { NODES_SPECTROMETER, NODES_RISING,
  NODES_RANDOM, NODES_PART };

/* Every kernel there is, of A-lines that are whole chunks of eight samples and
 * such that are not. */
static void
check_nufft_kernels (Check *check)
{
  static const struct {
    guint samples;
    double oversampling;
    gboolean dispersion;
    guint width;
  } grids[] = { { 1024, 1.25, FALSE, 6 }, { 1023, 1.25, FALSE, 4 },
    { 1024, 1.5, FALSE, 5 }, { 1024, 2, FALSE, 4 }, { 2048, 1.25, FALSE, 6 },
    { 2046, 1.25, FALSE, 4 }, { 2048, 1.5, FALSE, 5 }, { 2048, 2, FALSE, 3 },
    { 4096, 1.25, FALSE, 4 }, { 640, 1.25, TRUE, 6 }, { 768, 1.25, TRUE, 6 },
    { 1024, 1.25, TRUE, 6 }, { 1021, 1.5, TRUE, 4 }, { 1280, 1.25, TRUE, 6 },
    { 1536, 1.25, TRUE, 4 }, { 2048, 1.25, TRUE, 6 }, { 2047, 2, TRUE, 4 },
    { 2560, 1.25, TRUE, 4 } };
  guint turn = 0;

  for (guint g = 0; g < G_N_ELEMENTS (grids); g++)
    for (guint kind = 0; kind < 5; kind++) {
      gboolean many = kind >= 3;
      FusedCase test = { .samples = grids[g].samples,
        .lines = many ? many_lines (grids[g].samples) : 5 + kind,
        .format = kind % 3,
        .method = RESAMPLE_ABSENT,
        .dispersion = grids[g].dispersion,
        .oversampling = grids[g].oversampling,
        .width = grids[g].width,
        .nodes = one_period[many ? 0 : turn % 3],
        .bscans = many ? 1 : 3 };

      if (many && check->reduced)
        continue;
      check_kernel (check, test, turn++);
    }
}

/* Where rows begin, depths, all that can be removed, and images. */
static void
check_nufft_rows (Check *check)
{
  static const struct {
    guint start, bins;
  } depths[] = { { 0, 0 }, { 0, 63 }, { 20, 301 }, { 511, 1 }, { 3, 64 },
    { 100, 412 } };
  static const guint lines[] = { 1, 2, 3, 75 };
  OctLogscaleParams update = { .range = OCT_RANGE_CONTRAST,
    .range_smoothing = 0.6 };

  for (guint format = OCT_SAMPLE_U8; format <= OCT_SAMPLE_F32; format++)
    for (guint remove = 0; remove < N_REMOVES; remove++)
      for (guint kind = 0; kind < 12; kind++) {
        FusedCase test = { .samples = 1024,
          .lines = lines[(kind + remove) % 4],
          .format = format,
          .padding = kind % 4,
          .offset = (kind + 2) % 3,
          .remove = remove,
          .method = RESAMPLE_ABSENT,
          .oversampling = 1.25,
          .width = 6,
          .nodes = one_period[kind / 2 % 3],
          .dispersion = kind % 2,
          .depth_start = depths[(kind + format) % 6].start,
          .depth_bins = depths[(kind + format) % 6].bins,
          .bscans = 3 };
        gboolean finds = fused_case_takes_source (&test);

        /* not where the source stays: see check_kernel() */
        test.fill = finds ? FILL_FRINGES : FILL_RANDOM;

        if (format != OCT_SAMPLE_F32 && remove == REMOVE_ABSENT)
          continue;
        if (check->reduced && kind % 4 != remove % 4)
          continue;
        /* nor where it is all that a single depth is a part of */
        if (test.depth_bins == 1 && !finds)
          test.depth_start = test.depth_bins = 0;
        fused_case (check, &test, "rows");
        /* a range of a few values is all rounding errors */
        if (test.depth_bins == 1)
          continue;
        test.image = TRUE;
        test.bscans = 5;
        test.logscale = images[kind / 2 % 2];
        test.update = kind % 3 == 0 ? &update : NULL;
        test.in_turn = kind % 3 == 1;
        fused_case (check, &test, "rows");
      }
}

/* Values of all kinds. */
static void
check_nufft_fills (Check *check)
{
  static const Fill fills[] = { FILL_SATURATED, FILL_NAN_LINE, FILL_LOUD_LINE,
    FILL_ALL_NAN };

  for (guint i = 0; i < G_N_ELEMENTS (fills); i++)
    for (guint kind = 0; kind < 6; kind++) {
      guint format = fills[i] == FILL_SATURATED ? kind % 2 : OCT_SAMPLE_F32;
      FusedCase test = { .samples = 2048,
        .lines = 12 + kind % 2,
        .format = format,
        .method = RESAMPLE_ABSENT,
        .oversampling = 1.25,
        .width = 6,
        .nodes = one_period[kind % 3],
        .dispersion = kind / 3,
        .fill = fills[i],
        .bscans = 2 };

      test.image = fills[i] == FILL_ALL_NAN;
      fused_case (check, &test, "values");
      if (test.image || fills[i] == FILL_LOUD_LINE)
        continue;
      test.image = TRUE;
      test.logscale = images[kind % 2];
      fused_case (check, &test, "values");
    }
}

/* More weights, more lines, and nodes and numbers of cells that no kernel is
 * for. */
static void
check_nufft_others (Check *check)
{
  static const guint lines[] = { 64, 256, 1000, 16001 };
  FusedCase base = { .samples = 1024,
    .lines = 9,
    .format = OCT_SAMPLE_U16,
    .method = RESAMPLE_ABSENT,
    .oversampling = 1.25,
    .width = 6,
    .image = TRUE,
    .fill = FILL_FRINGES,
    .bscans = 3 };
  FusedCase test = base;

  test.nodes = NODES_PART;
  fused_case (check, &test, "dense");
  test.dispersion = TRUE;
  fused_case (check, &test, "dense");
  for (guint i = 0; i < 2 * G_N_ELEMENTS (lines) && !check->reduced; i++) {
    test = base;
    test.samples = 2048;
    test.lines = lines[i / 2];
    test.dispersion = i % 2;
    test.bscans = 1;
    test.logscale = images[0];
    fused_case (check, &test, "lines");
    test.logscale = images[1];
    fused_case (check, &test, "lines");
  }
  test = base;
  test.separate = TRUE;
  test.nodes = NODES_PERIODS;
  fused_case (check, &test, "more than one period");
  test.nodes = NODES_UNIFORM;
  test.samples = 1000;
  fused_case (check, &test, "uniform");
  test.nodes = NODES_SPECTROMETER;
  fused_case (check, &test, "another number of cells");
}

/* All B-scans of a buffer by the same launches: what differs between them is
 * what was found of each. */
static void
check_together (Check *check)
{
  static const OctLogscaleParams logscales[] = {
    { .range = OCT_RANGE_AUTO, .range_smoothing = 0.8 },
    { .range = OCT_RANGE_CONTRAST,
        .range_smoothing = 0.5,
        .format = OCT_IMAGE_NV12 },
    { .range = OCT_RANGE_MANUAL,
        .min = -20,
        .max = 60,
        .format = OCT_IMAGE_RGBA },
    { .range = OCT_RANGE_CONTRAST, .scale = OCT_SCALE_LINEAR },
    { .range = OCT_RANGE_AUTO, .format = OCT_IMAGE_GRAY16 },
  };
  static const guint lines[] = { 1, 5, 64, 700 };

  for (guint turn = 0; turn < 120; turn++) {
    FusedCase test = { .samples = turn % 7 == 0 ? 2048 : 1024,
      .lines = lines[turn % G_N_ELEMENTS (lines)],
      .format = turn % 3,
      .padding = turn % 5 == 0 ? 3 : 0,
      .remove = turn / 3 % OCT_N_BACKGROUND_MODES,
      .method = turn / 2 % 4,
      .dispersion = turn / 8 % 2,
      .image = turn % 4 > 0,
      .logscale = logscales[turn / 4 % G_N_ELEMENTS (logscales)],
      .bscans = turn % 2 ? MAX_STEPS : 3,
      .together = TRUE };

    /* where the source stays, the weakest values are rounding errors of it */
    test.fill = fused_case_takes_source (&test) ? FILL_FRINGES : FILL_RANDOM;
    if (test.method == RESAMPLE_ABSENT) {
      test.oversampling = turn % 3 ? 1.25 : 2;
      test.width = turn % 3 ? 6 : 4;
      test.nodes = NODES_SPECTROMETER;
    }
    if (check->reduced && test.lines > 64)
      continue;
    fused_case (check, &test, "");
    test.in_parts = TRUE;
    fused_case (check, &test, "in parts");
  }
}

/* No pass, and still the same. */
static void
check_separate (Check *check)
{
  FusedCase base = { .samples = 1024,
    .lines = 9,
    .format = OCT_SAMPLE_U16,
    .dispersion = TRUE,
    .image = TRUE,
    .fill = FILL_FRINGES,
    .bscans = 3,
    .separate = TRUE };
  FusedCase test = base;

  test.upsample = 2;
  fused_case (check, &test, "upsampled");
  test.together = test.in_parts = TRUE;
  fused_case (check, &test, "upsampled, in parts");
  test = base;
  test.length = 2048;
  fused_case (check, &test, "longer FFT");
  test.together = test.in_parts = TRUE;
  fused_case (check, &test, "longer FFT, in parts");
  test = base;
  test.samples = 1000;
  fused_case (check, &test, "no power of two");
  test.samples = 128;
  fused_case (check, &test, "too short");
}

/* ------------------------------------------------------------------- mean */

/* NULL when both are the same but for rounding, and not finite alike. */
static char *
floats_problem (const float *expected, const float *found, gsize count,
    double rounding, guint bscan)
{
  double difference = 0, all = 0;

  for (gsize i = 0; i < count; i++) {
    gboolean is_number = expected[i] - expected[i] == 0;

    if (is_number != (found[i] - found[i] == 0))
      return g_strdup_printf ("B-scan %u value %" G_GSIZE_FORMAT
                              ": %g instead of %g",
          bscan, i, found[i], expected[i]);
    if (!is_number)
      continue;
    difference +=
        ((double)found[i] - expected[i]) * ((double)found[i] - expected[i]);
    all += (double)expected[i] * expected[i];
  }
  if (difference <= 1e-12 * all || difference <= rounding * rounding)
    return NULL;
  return g_strdup_printf (
      "B-scan %u: squares of differences %g of %g", bscan, difference, all);
}

/* Found and then removed on the GPU, against both at once on the CPU. */
static char *
mean_problem (const Check *check, const OctBackgroundParams *params,
    guint padding, Fill fill)
{
  const OctOperationTable *at_once =
      check->cpu->operations[OCT_OPERATION_BACKGROUND];
  const OctOperationTable *finds = check->cuda->operations[OCT_OPERATION_MEAN];
  const OctOperationTable *removes =
      check->cuda->operations[OCT_OPERATION_BACKGROUND];
  OctBackgroundParams found = *params;
  guint size = (guint)oct_sample_format_size (params->format);
  Case rows = { .in = { size * params->samples, params->lines, padding * size },
    .in_format = params->format,
    .fill = fill };
  gsize in_row = rows.in.row + rows.in.padding, out_row = 4 * params->samples;
  gsize in_bytes = in_row * params->lines, out_bytes = out_row * params->lines;
  g_autofree guint8 *input = g_malloc (in_bytes);
  g_autofree float *expected = g_malloc (out_bytes);
  g_autofree float *result = g_malloc (out_bytes);
  gpointer in, mean, out;
  GRand *random = g_rand_new_with_seed (check->seed);
  GError *error = NULL;
  OctPlan *plans[3];
  char *problem = NULL;

  found.found = TRUE;
  plans[0] = at_once->create (params, &error);
  plans[1] = finds->create (params, &error);
  plans[2] = removes->create (&found, &error);
  g_assert_no_error (error);
  check_cuda (cudaMalloc (&in, in_bytes), "memory");
  check_cuda (
      cudaMalloc (&mean, OCT_MEAN_SIZE (params->samples, params->lines)),
      "memory");
  check_cuda (cudaMalloc (&out, out_bytes), "memory");
  for (guint b = 0; b < 3 && problem == NULL; b++) {
    OctFrame host = { { { input, in_row } } };
    OctFrame host_out = { { { expected, out_row } } };
    OctFrame from = { { { in, in_row }, { mean, 0 } } };
    OctFrame to_mean = {
      { { mean, OCT_MEAN_SIZE (params->samples, params->lines) } }
    };
    OctFrame to = { { { out, out_row } } };

    check_fill (&rows, input, random);
    check_cuda (cudaMemcpyAsync (
                    in, input, in_bytes, cudaMemcpyHostToDevice, check->stream),
        "upload");
    if (!at_once->run (plans[0], &host, &host_out, NULL, &error)
        || !finds->run (plans[1], &from, &to_mean, check->stream, &error)
        || !removes->run (plans[2], &from, &to, check->stream, &error)) {
      problem = g_strdup (error->message);
      g_clear_error (&error);
      break;
    }
    check_cuda (cudaMemcpyAsync (result, out, out_bytes, cudaMemcpyDeviceToHost,
                    check->stream),
        "download");
    check_cuda (cudaStreamSynchronize (check->stream), "mean");
    problem = floats_problem (expected, result,
        (gsize)params->samples * params->lines,
        check_rounding (params, input, in_row), b);
  }
  at_once->destroy (plans[0]);
  finds->destroy (plans[1]);
  removes->destroy (plans[2]);
  g_rand_free (random);
  check_cuda (cudaFree (in), "free");
  check_cuda (cudaFree (mean), "free");
  check_cuda (cudaFree (out), "free");
  return problem;
}

static void
check_mean (Check *check)
{
  static const struct {
    guint samples, lines, padding;
  } sizes[] = { { 1, 1, 0 }, { 2, 3, 1 }, { 5, 1, 0 }, { 17, 33, 3 },
    { 203, 75, 1 }, { 256, 1000, 0 }, { 1023, 10, 2 }, { 2048, 1000, 0 },
    { 2048, 16000, 0 }, { 12, 65536, 4 }, { 8192, 40, 8 }, { 65536, 2, 0 } };
  static const Fill fills[] = { FILL_RANDOM, FILL_FRINGES, FILL_SATURATED,
    FILL_NAN_LINE };

  g_autofree double *stored = g_new (double, 65536);

  for (guint i = 0; i < 65536; i++)
    stored[i] = 20000 + 0.1 * i;
  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    for (guint kind = 0; kind < 12 * OCT_N_BACKGROUND_MODES; kind++) {
      OctBackgroundParams params = { .format = kind % 3,
        .samples = sizes[i].samples,
        .lines = sizes[i].lines,
        .mode = kind / 3 % OCT_N_BACKGROUND_MODES,
        .background = stored,
        .running_weight = 0.3 };
      Fill fill = fills[kind / 3 / OCT_N_BACKGROUND_MODES];
      char *name;

      if (!oct_background_modes[params.mode].is_found)
        continue;
      if (check->reduced && (gsize)params.samples * params.lines > 100000)
        continue;
      if (fill == FILL_SATURATED && params.format == OCT_SAMPLE_F32)
        continue;
      name = g_strdup_printf ("mean %s %u bytes %u x %u padding %u, %s",
          oct_background_modes[params.mode].nick,
          (guint)oct_sample_format_size (params.format), params.samples,
          params.lines, sizes[i].padding, fill_names[fill]);
      if (check_has (check, name))
        check_report (
            check, name, mean_problem (check, &params, sizes[i].padding, fill));
      else
        g_free (name);
    }
}

void
check_fused (Check *check)
{
  check_mean (check);
  check_kernels (check);
  check_rows (check);
  check_lines (check);
  check_images (check);
  check_fills (check);
  check_nufft_kernels (check);
  check_nufft_rows (check);
  check_nufft_fills (check);
  check_nufft_others (check);
  check_together (check);
  check_separate (check);
}
