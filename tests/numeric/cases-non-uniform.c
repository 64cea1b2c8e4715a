/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Spectra at any wavenumbers to A-scans, and compressive sensing.
 */
#include "cases.h"
#include "oct-cs.h"
#include "oct-nufft.h"
#include "signals.h"

#include <math.h>
#include <string.h>

/* --------------------------------------------------------- gridded, exact */

/* The start of a case's name, and the parameters shared by several cases. */
typedef struct {
  gboolean real, gridded;
  OctKernel kernel;
  guint grid, width; /* 0: 2 samples, 4 */
  gint start;
  guint bins; /* 0: the deeper half */
  OctWeights weights;
  const char *window;
} Way;

static double *
window_at (const char *nick, guint samples, const double *nodes, guint count)
{
  g_autofree double *even = g_new (double, samples);
  double *window = cases_doubles (count);

  oct_reference_window (nick, samples, NULL, even);
  for (guint n = 0; n < count; n++)
    window[n] = even[(guint)CLAMP (rint (nodes[n]), 0, samples - 1)];
  return window;
}

static void
add_transform (GRand *random, const Way *way, const char *label,
    const double *nodes, guint samples)
{
  OctNufftParams params = { .format =
                                way->real ? OCT_SAMPLE_F32 : OCT_SAMPLE_CF32,
    .samples = samples,
    .lines = 5,
    .depth_start = way->start,
    .depth_bins = way->bins ? way->bins : samples / 2 - (guint)way->start,
    .kernel = way->kernel,
    .grid = way->grid ? way->grid : 2 * samples,
    .width = way->width ? way->width : 4,
    .weights = way->weights };
  double *own = cases_doubles (samples);

  memcpy (own, nodes, samples * sizeof (double));
  params.nodes = own;
  params.window =
      window_at (way->window ? way->window : "hann", samples, nodes, samples);
  cases_add (g_strdup_printf ("%s-%s-%s", way->gridded ? "nufft" : "nudft",
                 way->real ? "real" : "complex", label),
      way->gridded ? OCT_OPERATION_NUFFT : OCT_OPERATION_NUDFT, &params,
      sizeof params,
      array_noise (random, params.lines, samples, way->real ? 'f' : 'c', 1));
}

static void
add_sizes (GRand *random, Way way)
{
  static const char *const kernels[] = { "kb", "gauss" };
  static const guint sizes[] = { 101, 128 };

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++) {
    guint n = sizes[i];
    g_autofree double *nodes = g_new (double, n);
    char label[64];

    signal_nodes (random, n, -0.3, n - 0.6, 0.8, nodes);
    g_snprintf (label, sizeof label, "%u", n);
    way.gridded = FALSE;
    add_transform (random, &way, label, nodes, n);
    way.gridded = TRUE;
    for (guint kernel = 0; kernel < G_N_ELEMENTS (kernels); kernel++) {
      Way fly = way;
      way.kernel = fly.kernel = kernel;
      g_snprintf (label, sizeof label, "%s-%u", kernels[kernel], n);
      add_transform (random, &way, label, nodes, n);
      fly.grid = 160;
      fly.width = 6;
      fly.weights = OCT_WEIGHTS_ON_THE_FLY;
      g_snprintf (label, sizeof label, "%s-%u-on-the-fly", kernels[kernel], n);
      add_transform (random, &fly, label, nodes, n);
    }
  }
}

/* Nodes that fall, lie in other periods, at the edges, with a gap, are uniform,
 * and few of them. */
static void
add_nodes (GRand *random, Way way)
{
  double nodes[96], falling[96], other[96];
  Way crop = way, few = way;

  signal_nodes (random, 96, -0.3, 95.4, 0.8, nodes);
  for (guint n = 0; n < 96; n++)
    falling[n] = nodes[95 - n];
  way.grid = 120;
  way.width = 6;
  add_transform (random, &way, "falling", falling, 96);
  crop.grid = 120;
  crop.width = 5;
  crop.start = 7;
  crop.bins = 13;
  add_transform (random, &crop, "crop", nodes, 96);
  way.width = 5;
  way.grid = 144;
  /* k_index that covers a part of the spectrometer */
  signal_nodes (random, 96, -80.2, 170.7, 0.8, other);
  add_transform (random, &way, "periods", other, 96);
  signal_nodes (random, 96, 100.1, 150, 0.8, other);
  add_transform (random, &way, "behind", other, 96);
  way.grid = 120;
  way.width = 7;
  for (guint n = 0; n < 96; n++)
    other[n] = -0.5 + n * 96. / 95;
  add_transform (random, &way, "edges", other, 96);
  for (guint n = 0; n < 96; n++)
    other[n] = n;
  add_transform (random, &way, "uniform", other, 96);
  way.grid = 126;
  way.width = 3;
  signal_nodes (random, 48, 0, 20, 0.8, other);
  signal_nodes (random, 48, 80, 95, 0.8, other + 48);
  add_transform (random, &way, "gap", other, 96);
  few.window = "none";
  for (guint samples = 2; samples <= 5; samples++) {
    g_autofree char *label = g_strdup_printf ("%u", samples);
    if (samples == 4)
      continue;
    few.grid = 2 * samples;
    signal_nodes (random, samples, 0.1, samples - 1.2, 0.8, other);
    add_transform (random, &few, label, other, samples);
  }
}

/* Complex spectra, depths of either sign. */
static void
add_all_modes (GRand *random)
{
  Way all = {
    .gridded = TRUE, .grid = 120, .width = 6, .start = -45, .bins = 90
  };
  Way exact = { .start = -45, .bins = 91 };
  Way negative = all;
  double nodes[91];

  signal_nodes (random, 90, -0.3, 89.4, 0.8, nodes);
  add_transform (random, &all, "all-modes", nodes, 90);
  negative.start = -40;
  negative.bins = 7;
  add_transform (random, &negative, "negative", nodes, 90);
  signal_nodes (random, 91, -0.3, 90.4, 0.8, nodes);
  add_transform (random, &exact, "all-modes", nodes, 91);
}

void
cases_add_non_uniform (GRand *random)
{
  for (guint real = 0; real < 2; real++) {
    Way way = { .real = real };
    add_sizes (random, way);
    for (guint gridded = 0; gridded < 2; gridded++) {
      way.gridded = gridded;
      add_nodes (random, way);
    }
  }
  add_all_modes (random);
}

/* ------------------------------------------------------ compressive sensing */

static const char *const transforms[] = {
  [OCT_CS_NUFFT] = "nufft", [OCT_CS_NUDFT] = "nudft", [OCT_CS_FFT] = "fft"
};

typedef struct {
  OctCsSolver solver;
  OctCsTransform transform;
  OctKernel kernel;
  guint grid, width; /* 0: 1.25 samples, 6 */
  gboolean real, compact;
  guint iterations; /* 0: as many as usual */
  double tau, noise;
  const char *window;   /* NULL: none */
  guint start, bins;    /* 0: all */
  const guint *nearest; /* the sample that each position takes, or NULL */
} Sensing;

/* Spectra of a few mirrors at `nodes`, with noise of 3 counts. */
static Array *
array_mirrors (GRand *random, guint lines, const double *nodes, guint samples)
{
  Array *array = array_new ('f', 4, lines, samples);

  for (guint line = 0; line < lines; line++) {
    double depths[4], sizes[4];
    for (guint m = 0; m < 4; m++) {
      depths[m] = g_rand_int_range (random, 1, (gint)(samples / 2));
      sizes[m] = g_rand_double_range (random, 20, 400);
    }
    for (guint n = 0; n < samples; n++) {
      double value = 3 * signal_normal (random);
      for (guint m = 0; m < 4; m++)
        value += sizes[m] / sqrt (samples)
                 * cos (2 * G_PI * nodes[n] * depths[m] / samples);
      array_set (array, (gsize)line * samples + n, value);
    }
  }
  return array;
}

static OctCsParams
sensing_params (
    const Sensing *s, const double *nodes, const gboolean *kept, guint samples)
{
  g_autofree double *window = NULL;
  guint32 *column = (guint32 *)cases_doubles (samples);
  double *at = cases_doubles (samples), *own_window;
  OctCsParams p = { .format = s->real ? OCT_SAMPLE_F32 : OCT_SAMPLE_CF32,
    .samples = samples,
    .column = column,
    .nodes = at,
    .transform = s->transform,
    .kernel = s->kernel,
    .grid = s->grid ? s->grid : 2 * ((5 * samples + 7) / 8),
    .width = s->width ? s->width : 6,
    .solver = s->solver,
    .iterations =
        s->iterations ? s->iterations : oct_cs_limits[s->solver].usual,
    .tau = s->tau,
    .noise = s->noise,
    .depth_start = s->start,
    .depth_bins = s->bins ? s->bins : samples / 2 - s->start };

  for (guint n = 0; n < samples; n++) {
    if (!kept[n])
      continue;
    column[p.kept] = s->compact ? p.kept : s->nearest ? s->nearest[n] : n;
    at[p.kept++] = nodes[n];
  }
  own_window = window_at (s->window ? s->window : "none", samples, at, p.kept);
  p.window = own_window;
  p.columns = s->compact ? p.kept : samples;
  return p;
}

/* `whole`: [lines][samples], real; taken */
static void
add_sensing (const char *label, const Sensing *s, const double *nodes,
    const gboolean *kept, Array *whole)
{
  guint samples = whole->columns;
  OctCsParams params = sensing_params (s, nodes, kept, samples);
  g_autofree double *phase = g_new0 (double, samples);
  g_autoptr (Array) real = whole, turned = NULL;
  Array *in;

  if (!s->real)
    signal_dispersion (samples, phase);
  turned = array_turned (real, phase);
  params.lines = whole->rows;
  in = array_new (
      s->real ? 'f' : 'c', s->real ? 4 : 8, whole->rows, params.columns);
  for (guint line = 0; line < whole->rows; line++)
    for (guint n = 0, i = 0; n < samples; n++) {
      if (s->compact && !kept[n])
        continue;
      array_set (in, (gsize)line * params.columns + i++,
          CMPLX (
              array_get (turned, line, n, 0), array_get (turned, line, n, 1)));
    }
  cases_add (g_strdup_printf ("cs-%s-%s-%s-%s", oct_cs_limits[s->solver].name,
                 transforms[s->transform], s->real ? "real" : "complex", label),
      OCT_OPERATION_CS, &params, sizeof params, in)
      ->seldom = samples > 1000;
}

/* kept[samples], of which a part is set */
static void
choose_kept (GRand *random, guint samples, double rate, gboolean *kept)
{
  guint wanted = (guint)rint (rate * samples);

  memset (kept, 0, samples * sizeof (gboolean));
  while (wanted > 0) {
    guint n = (guint)g_rand_int_range (random, 0, (gint)samples);
    wanted -= !kept[n];
    kept[n] = TRUE;
  }
}

static void
add_sensing_sizes (GRand *random, OctCsSolver solver)
{
  static const guint sizes[] = { 101, 128 };

  for (guint k = 0; k < G_N_ELEMENTS (sizes); k++) {
    guint n = sizes[k];
    double nodes[128], whole[128];
    gboolean kept[128];

    signal_nodes (random, n, 0.1, n - 1.3, 0.3, nodes);
    choose_kept (random, n, 0.4, kept);
    for (guint i = 0; i < n; i++)
      whole[i] = i;
    for (guint i = 0; i < 2 * 2 * 4; i++) {
      Sensing s = { .solver = solver,
        .real = i % 2,
        .iterations = i / 2 % 2 ? 15 : 1,
        .transform = i / 4 < 2 ? OCT_CS_NUFFT : (OctCsTransform)(i / 4 - 1),
        .kernel = i / 4 == 1 ? OCT_KERNEL_GAUSSIAN : OCT_KERNEL_KAISER_BESSEL,
        .tau = 3,
        .noise = 3 };
      const double *at = s.transform == OCT_CS_FFT ? whole : nodes;
      g_autofree char *label = g_strdup_printf ("%u-%u%s", n, s.iterations,
          s.kernel == OCT_KERNEL_GAUSSIAN ? "-gauss" : "");
      add_sensing (label, &s, at, kept, array_mirrors (random, 3, at, n));
    }
  }
}

/* One transform, real or complex, in every other respect. */
static void
add_sensing_ways (
    GRand *random, Sensing s, const double *at, const gboolean *kept)
{
  double falling[96];
  gboolean some[96];
  Sensing other = s;
  Array *line;

  for (guint n = 0; n < 96; n++)
    falling[n] = at[95 - n];
  add_sensing (
      "falling", &s, falling, kept, array_mirrors (random, 3, falling, 96));
  other.window = "hann";
  add_sensing ("hann", &other, at, kept, array_mirrors (random, 3, at, 96));
  other = s;
  other.start = 7;
  other.bins = 13;
  add_sensing ("crop", &other, at, kept, array_mirrors (random, 3, at, 96));
  other = s;
  other.compact = TRUE;
  add_sensing ("compact", &other, at, kept, array_mirrors (random, 3, at, 96));
  for (guint n = 0; n < 96; n++)
    some[n] = TRUE;
  add_sensing ("all-kept", &s, at, some, array_mirrors (random, 3, at, 96));
  other = s;
  other.tau = 0;
  other.iterations = 5;
  add_sensing (
      "no-threshold", &other, at, kept, array_mirrors (random, 3, at, 96));
  for (guint n = 0; n < 96; n++)
    some[n] = n == 40;
  /* there after two steps, as saturated ones below; more would divide what
   * rounding left by itself: even two computations in double differ by 1e-4 */
  other = s;
  other.tau = 0.1;
  other.iterations = 3;
  add_sensing ("one-kept", &other, at, some, array_mirrors (random, 3, at, 96));
  add_sensing ("one-line", &s, at, kept, array_mirrors (random, 1, at, 96));
  add_sensing ("zeros", &s, at, kept, array_constant (2, 96, 'f', 4, 0));
  other = s;
  other.iterations = 3;
  add_sensing (
      "saturated", &other, at, kept, array_constant (2, 96, 'f', 4, 65535));
  line = array_mirrors (random, 4, at, 96);
  for (guint n = 0; n < 96; n++)
    some[n] = kept[n];
  some[50] = TRUE;
  array_set (line, 96 + 50, NAN);
  array_set (line, 2 * 96 + 50, INFINITY);
  add_sensing ("not-finite", &s, at, some, line);
  other = s;
  other.noise = 0; /* estimated; from 32 of the 37 lines */
  other.iterations = 5;
  add_sensing (
      "estimated", &other, at, kept, array_mirrors (random, 37, at, 96));
}

static void
add_uniform (GRand *random, OctCsSolver solver, const gboolean *kept)
{
  guint nearest[96];
  double at[96];

  for (guint n = 0; n < 96; n++) {
    at[n] = n;
    nearest[n] = (guint)CLAMP (rint (n + 3 * sin (n / 15.)), 0, 95);
  }
  for (guint i = 0; i < 2; i++) {
    Sensing s = { .solver = solver,
      .real = i,
      .transform = OCT_CS_FFT,
      .tau = 3,
      .noise = 3,
      .nearest = nearest };
    /* each takes its nearest sample, some of them two */
    add_sensing ("nearest", &s, at, kept, array_mirrors (random, 3, at, 96));
    s.nearest = NULL;
    s.transform = OCT_CS_NUFFT;
    add_sensing ("uniform", &s, at, kept, array_mirrors (random, 3, at, 96));
    s.transform = OCT_CS_NUDFT;
    add_sensing ("uniform", &s, at, kept, array_mirrors (random, 3, at, 96));
  }
}

/* The paper's: 2048 samples, 725 to 965 nm. */
static void
add_paper (GRand *random, OctCsSolver solver)
{
  static const struct {
    OctCsTransform transform;
    guint grid, width;
  } ways[] = { { OCT_CS_NUFFT, 2560, 6 }, { OCT_CS_NUFFT, 4096, 3 },
    { OCT_CS_NUDFT, 2560, 6 } };
  static double nodes[2048];
  static gboolean kept[2048];

  for (guint n = 0; n < 2048; n++) {
    double k = 1 / (965 - 240. * n / 2047);
    nodes[n] = (k - 1 / 965.) / (1 / 725. - 1 / 965.) * 2047;
  }
  for (guint i = 0; i < G_N_ELEMENTS (ways); i++) {
    Sensing s = { .solver = solver,
      .real = TRUE,
      .transform = ways[i].transform,
      .grid = ways[i].grid,
      .width = ways[i].width,
      .bins = 600,
      .tau = 3,
      .noise = 3 };
    g_autofree char *label = g_strdup_printf ("2048-%u", ways[i].width);
    choose_kept (random, 2048, 0.4, kept);
    add_sensing (
        label, &s, nodes, kept, array_mirrors (random, 2, nodes, 2048));
  }
}

static void
add_solver (GRand *random, OctCsSolver solver)
{
  double nodes[96], whole[96];
  gboolean kept[96];

  add_sensing_sizes (random, solver);
  signal_nodes (random, 96, -0.3, 95.4, 0.3, nodes);
  choose_kept (random, 96, 0.4, kept);
  for (guint n = 0; n < 96; n++)
    whole[n] = n;
  for (guint i = 0; i < 2 * G_N_ELEMENTS (transforms); i++) {
    Sensing s = {
      .solver = solver, .real = i % 2, .transform = i / 2, .tau = 3, .noise = 3
    };
    add_sensing_ways (
        random, s, s.transform == OCT_CS_FFT ? whole : nodes, kept);
  }
  add_uniform (random, solver, kept);
  add_paper (random, solver);
}

void
cases_add_sensing (GRand *random)
{
  for (guint solver = 0; solver < OCT_CS_N_SOLVERS; solver++) {
    /* an additional solver does not change the cases after it */
    g_autoptr (GRand) own = g_rand_new_with_seed (40 + solver);
    add_solver (solver == OCT_CS_SPARSA ? random : own, solver);
  }
}
