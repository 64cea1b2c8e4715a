/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Speed of volumes that are filled in, method by method: of all A-lines that
 * were taken to the whole volume, without storing and fetching.
 *
 *   bench-volume-cs --samples 2048 --lines 1000 --bscans 250 --rate 0.18
 *
 * A-scans have half as many depths as spectra have samples.  --compare: the
 * same volumes on the CPU too, and by how much they differ.
 */
#include "volume-device.h"

#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static gint samples = 1024, lines = 256, bscans = 200, repetitions = 5;
static double rate = 0.18, spectral_rate = 0.25;
static char *module = NULL, *only = NULL;
static gboolean compare_too = FALSE;

static GOptionEntry options[] = {
  { "samples", 0, 0, G_OPTION_ARG_INT, &samples, "Of a spectrum", "N" },
  { "lines", 0, 0, G_OPTION_ARG_INT, &lines, "A-lines of a B-scan", "N" },
  { "bscans", 0, 0, G_OPTION_ARG_INT, &bscans, "B-scans of a volume", "N" },
  { "rate", 0, 0, G_OPTION_ARG_DOUBLE, &rate, "Part of the A-lines", "X" },
  { "spectral-rate", 0, 0, G_OPTION_ARG_DOUBLE, &spectral_rate,
      "Part of the samples, where not all are used", "X" },
  { "repetitions", 0, 0, G_OPTION_ARG_INT, &repetitions, "Volumes timed", "N" },
  { "only", 0, 0, G_OPTION_ARG_STRING, &only, "Methods with this name",
      "NAME" },
  { "compare", 0, 0, G_OPTION_ARG_NONE, &compare_too, "With the CPU", NULL },
  { "module", 0, 0, G_OPTION_ARG_FILENAME, &module,
      "The CUDA backend (liboctcuda.so)", "FILE" },
  { NULL },
};

typedef struct {
  const char *name;
  gboolean spectra;
  OctVolumeCsMethod method;
  OctVolumeCsBasis basis;
  guint steps;
  gboolean part; /* of the samples, `spectral_rate` */
  double phase_step_x;
} Kind;

static const Kind kinds[] = {
  { "joint A-scans", FALSE, OCT_VOLUME_CS_JOINT, 0, OCT_VOLUME_CS_STEPS },
  { "joint spectra", TRUE, OCT_VOLUME_CS_JOINT, 0, OCT_VOLUME_CS_STEPS },
  { "joint part", TRUE, OCT_VOLUME_CS_JOINT, 0, OCT_VOLUME_CS_STEPS, TRUE },
  /* phase steps of 1 rad from A-line to A-line */
  { "joint A-scans, steps", FALSE, OCT_VOLUME_CS_JOINT, 0, OCT_VOLUME_CS_STEPS,
      FALSE, 1 },
  { "joint spectra, steps", TRUE, OCT_VOLUME_CS_JOINT, 0, OCT_VOLUME_CS_STEPS,
      FALSE, 1 },
  { "linear", FALSE, OCT_VOLUME_CS_LINEAR, 0, 1 },
  { "paper wavelet", FALSE, OCT_VOLUME_CS_PAPER, OCT_VOLUME_CS_WAVELET,
      OCT_VOLUME_CS_PAPER_STEPS },
  { "paper cosine", FALSE, OCT_VOLUME_CS_PAPER, OCT_VOLUME_CS_COSINE,
      OCT_VOLUME_CS_PAPER_STEPS },
  { "paper fourier", FALSE, OCT_VOLUME_CS_PAPER, OCT_VOLUME_CS_FOURIER,
      OCT_VOLUME_CS_PAPER_STEPS },
  { "envelope", TRUE, OCT_VOLUME_CS_ENVELOPE, 0, OCT_VOLUME_CS_ENVELOPE_STEPS,
      TRUE },
  /* the paper's first step, and all three */
  { "linear spectra", TRUE, OCT_VOLUME_CS_LINEAR, 0, OCT_VOLUME_CS_PAPER_STEPS,
      TRUE },
  { "paper spectra", TRUE, OCT_VOLUME_CS_PAPER, OCT_VOLUME_CS_COSINE,
      OCT_VOLUME_CS_PAPER_STEPS, TRUE },
};

/* One volume on one device. */
typedef struct {
  const VolumeDevice *device;
  const Kind *kind;
  OctVolumeCsParams params;
  OctVolumeCsSettings settings;
  OctVolumeCs *cs;
} Volume;

static void
expect (gboolean ok, GError *const *error)
{
  volume_device_expect (ok, *error);
}

/* Depths that are alike with their phase from line to line, and noise. */
static void
fill_row (GRand *random, guint32 place, const Volume *v, float *row)
{
  guint n = v->params.columns, parts = v->params.spectra ? 1 : 2;
  double x = place % (guint)lines, y = place / (guint)lines;
  float complex lateral = (float complex)cexp (I * (0.03 * x + 0.05 * y));
  float complex along = lateral, turn = (float complex)cexp (1.7 * I);

  for (guint i = 0; i < n; i++) {
    guint32 bits = g_rand_int (random);
    float re = (float)(bits & 65535) / 65536 - 0.5f;
    float im = (float)(bits >> 16) / 65536 - 0.5f;

    along *= turn;
    row[i * parts] = 20 * crealf (along) / (1 + 0.01f * i) + re;
    if (parts == 2)
      row[2 * i + 1] = 20 * cimagf (along) / (1 + 0.01f * i) + im;
  }
}

static void
store (Volume *v)
{
  const OctScanMask *mask = v->params.mask;
  gsize row = v->params.columns * (v->params.spectra ? 1 : 2) * sizeof (float);
  g_autoptr (GRand) random = g_rand_new_with_seed (1);
  float *host = g_malloc (row * (guint)lines);
  gpointer memory = volume_device_alloc (v->device, row * (guint)lines);
  OctPlane plane = { memory, row };

  for (guint y = 0; y < mask->bscans; y++) {
    guint count = mask->first[y + 1] - mask->first[y];
    GError *error = NULL;

    for (guint i = 0; i < count; i++)
      fill_row (random, mask->places[mask->first[y] + i], v,
          host + i * (row / sizeof (float)));
    if (count == 0)
      continue;
    volume_device_upload (v->device, memory, host, row * count);
    expect (
        v->device->volume_cs->store (v->cs, y, &plane, FALSE, &error), &error);
    volume_device_wait (v->device, v->device->stream);
  }
  volume_device_free (v->device, memory);
  g_free (host);
}

static Volume
volume_new (const VolumeDevice *device, const Kind *kind)
{
  gboolean envelope = kind->method == OCT_VOLUME_CS_ENVELOPE;
  OctScanMaskSettings scan = { OCT_SCAN_MASK_SCATTERED, (guint)lines,
    (guint)bscans, envelope ? 1 : rate, 0, 1 };
  Volume v = { .device = device, .kind = kind };
  GError *error = NULL;
  OctScanMask *mask = oct_scan_mask_new (&scan, &error);

  expect (mask != NULL, &error);
  v.params = (OctVolumeCsParams){ mask, kind->spectra,
    (guint)(kind->spectra ? samples : samples / 2), OCT_WINDOW_HANN,
    kind->part ? spectral_rate : 1, 100 };
  v.settings = (OctVolumeCsSettings){ kind->method, 6, 6, 0.5,
    OCT_VOLUME_CS_TAU, kind->steps, kind->basis, kind->phase_step_x };
  v.cs = device->volume_cs->create (&v.params, device->stream, &error);
  expect (v.cs != NULL, &error);
  oct_scan_mask_unref (mask);
  store (&v);
  return v;
}

/* Microseconds of measuring and filling in. */
static void
fill (Volume *v, double *measured, double *filled)
{
  gint64 begin = g_get_monotonic_time (), between;
  OctVolumeCsMeasures m;
  GError *error = NULL;

  expect (v->device->volume_cs->measure (v->cs, &m, &error), &error);
  between = g_get_monotonic_time ();
  expect (v->device->volume_cs->fill (v->cs, &v->settings, &error), &error);
  volume_device_wait (v->device, v->device->stream);
  *measured = (double)(between - begin);
  *filled = (double)(g_get_monotonic_time () - between);
}

static int
in_order (const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;

  return (x > y) - (x < y);
}

static void
measure (Volume *v)
{
  g_autofree double *measured = g_new (double, (guint)repetitions);
  g_autofree double *filled = g_new (double, (guint)repetitions);
  double first;

  fill (v, &measured[0], &first);
  for (gint i = 0; i < repetitions; i++)
    fill (v, &measured[i], &filled[i]);
  qsort (measured, (guint)repetitions, sizeof *measured, in_order);
  qsort (filled, (guint)repetitions, sizeof *filled, in_order);
  printf ("%-20s %s  measure %9.2f ms  fill %10.2f ms  %8.1f volumes/s"
          "  (%.2f to %.2f; first %.2f ms)\n",
      v->kind->name, v->device->name, measured[repetitions / 2] * 1e-3,
      filled[repetitions / 2] * 1e-3,
      1e6 / (measured[repetitions / 2] + filled[repetitions / 2]),
      filled[0] * 1e-3, filled[repetitions - 1] * 1e-3, first * 1e-3);
  fflush (stdout);
}

static void
fetch (const Volume *v, guint bscan, float *to)
{
  guint depths = oct_volume_cs_get_depths (&v->params);
  gsize row = depths * 2 * sizeof (float), bytes = row * (guint)lines;
  gpointer memory = volume_device_alloc (v->device, bytes);
  OctPlane plane = { memory, row };
  GError *error = NULL;

  expect (v->device->volume_cs->fetch (v->cs, bscan, 0, depths, &plane, &error),
      &error);
  volume_device_download (v->device, to, memory, bytes, v->device->stream);
  volume_device_free (v->device, memory);
}

/* Rms of the difference in units of the rms of the volume. */
static void
compare (const Volume *a, const Volume *b)
{
  gsize n = (gsize)lines * oct_volume_cs_get_depths (&a->params) * 2;
  g_autofree float *p = g_new (float, n), *q = g_new (float, n);
  double error = 0, norm = 0;

  for (guint y = 0; y < (guint)bscans; y++) {
    fetch (a, y, p);
    fetch (b, y, q);
    for (gsize i = 0; i < n; i++) {
      error += ((double)p[i] - q[i]) * ((double)p[i] - q[i]);
      norm += (double)q[i] * q[i];
    }
  }
  printf ("%-20s differs by %.2g\n", a->kind->name, sqrt (error / norm));
  fflush (stdout);
}

int
main (int argc, char **argv)
{
  g_autoptr (GOptionContext) context =
      g_option_context_new ("- volumes that are filled in");
  VolumeDevice device, cpu;
  GError *error = NULL;

  g_option_context_add_main_entries (context, options, NULL);
  if (!g_option_context_parse (context, &argc, &argv, &error)) {
    g_printerr ("%s\n", error->message);
    return 2;
  }
  if (!volume_device_open (&device, module) || !volume_device_open (&cpu, NULL))
    return 77;
  printf ("%d samples x %d A-lines x %d B-scans, %g of the A-lines\n", samples,
      lines, bscans, rate);
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++) {
    Volume v;

    if (only != NULL && strstr (kinds[i].name, only) == NULL)
      continue;
    v = volume_new (&device, &kinds[i]);
    measure (&v);
    if (compare_too) {
      Volume other = volume_new (&cpu, &kinds[i]);

      measure (&other);
      compare (&v, &other);
      cpu.volume_cs->destroy (other.cs);
    }
    device.volume_cs->destroy (v.cs);
  }
  return 0;
}
