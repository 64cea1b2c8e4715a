/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Speed of rasters that are made of a spiral in device memory, with as many
 * pixels as A-lines.
 */
#include "check.h"
#include "oct-remap.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define RUNS 5
#define SIDE 512u
#define LINES 512u
#define BINS 1024u

static const struct {
  const char *name;
  OctSampleFormat format;
  OctScanRemapOf of;
} kinds[] = {
  { "8 bit", OCT_SAMPLE_U8, OCT_SCAN_REMAP_AMPLITUDES },
  { "16 bit", OCT_SAMPLE_U16, OCT_SCAN_REMAP_AMPLITUDES },
  { "complex", OCT_SAMPLE_CF32, OCT_SCAN_REMAP_COMPLEX },
  { "amplitudes", OCT_SAMPLE_CF32, OCT_SCAN_REMAP_AMPLITUDES },
};

typedef struct {
  const Check *check;
  OctRemapParams params;
  guint8 *in, *out; /* a B-scan; all rows */
} Bench;

static void
remap_expect (gboolean ok, GError *error)
{
  if (ok)
    return;
  printf ("Bail out! remap: %s\n", error->message);
  exit (1);
}

/* A spiral of turns one pixel apart, an A-line a pixel along it. */
static OctScanRemap *
make_spiral (OctScanRemapMethod method, guint side, guint lines)
{
  guint count = (guint)(G_PI / 4 * side * side) / lines * lines;
  OctScanRemapSettings settings = { method, side, side, 1.0, 1.5 };
  g_autofree double *x = g_new (double, count), *y = g_new (double, count);
  GError *error = NULL;
  OctScanRemap *map;

  for (guint i = 0; i < count; i++) {
    double r = sqrt ((i + 0.5) / G_PI);

    x[i] = (side - 1) / 2.0 + r * cos (2 * G_PI * r);
    y[i] = (side - 1) / 2.0 + r * sin (2 * G_PI * r);
  }
  map = oct_scan_remap_new (&settings, x, y, count, &error);
  remap_expect (map != NULL, error);
  return map;
}

static void
store_all (const Bench *b, OctRemap *remap)
{
  const OctRemapParams *p = &b->params;
  gsize value = oct_sample_format_size (p->format);
  OctPlane plane = { b->in,
    value * (p->format == OCT_SAMPLE_CF32 ? p->depths : p->lines) };
  GError *error = NULL;

  for (guint i = 0; i < p->map->count / p->lines; i++) {
    gboolean ok = b->check->cuda->remap->store (remap, i, &plane, NULL, &error);

    remap_expect (ok, error);
  }
}

static void
fetch_all (const Bench *b, OctRemap *remap)
{
  const OctRemapParams *p = &b->params;
  guint columns = p->map->columns;
  gsize value = oct_sample_format_size (p->format);
  gsize row = value * columns * p->depths;
  OctFrame to = {
    { { NULL, value * (p->format == OCT_SAMPLE_CF32 ? p->depths : columns) } }
  };
  GError *error = NULL;

  for (guint i = 0; i < p->map->rows; i++) {
    gboolean ok;

    to.planes[0].data = b->out + i * row;
    ok = b->check->cuda->remap->fetch (remap, i, TRUE, &to, &error);
    remap_expect (ok, error);
  }
}

/* Milliseconds of a volume. */
static double
measure_remap (const Bench *b, OctRemap *remap,
    void (*work) (const Bench *bench, OctRemap *remap))
{
  cudaStream_t stream = b->check->stream;
  cudaEvent_t start, end;
  float time = 0;

  check_cuda (cudaEventCreate (&start), "event");
  check_cuda (cudaEventCreate (&end), "event");
  for (gint i = -1; i < RUNS; i++) {
    if (i == 0)
      check_cuda (cudaEventRecord (start, stream), "event");
    work (b, remap);
  }
  check_cuda (cudaEventRecord (end, stream), "event");
  check_cuda (cudaEventSynchronize (end), "remap");
  check_cuda (cudaEventElapsedTime (&time, start, end), "event");
  check_cuda (cudaEventDestroy (start), "event");
  check_cuda (cudaEventDestroy (end), "event");
  return time / RUNS;
}

static void
bench_kind (const Bench *b, const char *kind, const char *method)
{
  const OctRemapTable *table = b->check->cuda->remap;
  GError *error = NULL;
  OctRemap *remap = table->create (&b->params, b->check->stream, &error);
  double store, fetch, million = b->params.map->count * 1e-6;

  remap_expect (remap != NULL, error);
  store = measure_remap (b, remap, store_all);
  fetch = measure_remap (b, remap, fetch_all);
  printf ("%u x %u x %u, %-8s %-11s %7.2f ms stored, %7.2f ms made, %7.1f M "
          "A-lines/s, %7.1f made\n",
      b->params.map->columns, b->params.map->rows, b->params.depths, method,
      kind, store, fetch, million / (store + fetch) * 1e3,
      million / fetch * 1e3);
  table->destroy (remap);
}

void
bench_remap (Check *check)
{
  static const char *const methods[] = { "nearest", "local" };
  guint side = check->reduced ? 64 : SIDE;
  gsize row = (gsize)LINES * BINS * 8, raster = (gsize)side * side * BINS * 8;
  Bench bench = { .check = check };

  check_cuda (cudaMalloc ((void **)&bench.in, row), "memory");
  check_cuda (cudaMalloc ((void **)&bench.out, raster), "memory");
  /* floats of about 1e-13 */
  check_cuda (cudaMemset (bench.in, 0x2a, row), "memory");
  check_cuda (cudaDeviceSynchronize (), "memory");
  for (guint method = 0; method < 2; method++) {
    g_autoptr (OctScanRemap) map = make_spiral (
        method == 0 ? OCT_SCAN_REMAP_NEAREST : OCT_SCAN_REMAP_LOCAL, side,
        LINES);
    g_autofree guint8 *seen = g_malloc0 (map->count);

    for (guint i = 0; i < G_N_ELEMENTS (kinds); i++) {
      bench.params = (OctRemapParams){ map, kinds[i].format, BINS, LINES,
        kinds[i].of, seen, NULL };
      bench_kind (&bench, kinds[i].name, methods[method]);
    }
  }
  cudaFree (bench.in);
  cudaFree (bench.out);
}
