/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Every operation of the CUDA backend against the CPU backend, with random
 * and edge inputs; with --reference against tests/reference; with --bench the
 * speed of the operations.
 *
 *   check-operations --module PATH/liboctcuda.so
 *   check-operations --module PATH/liboctcuda.so --reference
 *   check-operations --module PATH/liboctcuda.so --bench
 *
 * Exits with 77 (skipped) where there is no device.
 */
#include "check.h"
#include "oct-reference.h"

#include <gmodule.h>
#include <stdio.h>
#include <string.h>

#define SKIPPED 77

static char *module_path = NULL, *filter = NULL;
static gboolean do_bench = FALSE, reduced = FALSE, with_reference = FALSE;
static gint seed = 1, samples = 2048, lines = 1000;

static GOptionEntry options[] = {
  { "module", 0, 0, G_OPTION_ARG_FILENAME, &module_path,
      "The CUDA backend (liboctcuda.so)", "FILE" },
  { "filter", 0, 0, G_OPTION_ARG_STRING, &filter,
      "Only cases with TEXT in their name", "TEXT" },
  { "seed", 0, 0, G_OPTION_ARG_INT, &seed, "Seed of the inputs", "N" },
  { "reduced", 0, 0, G_OPTION_ARG_NONE, &reduced,
      "Small cases or the first benchmark alone, for tools that slow down",
      NULL },
  { "reference", 0, 0, G_OPTION_ARG_NONE, &with_reference,
      "Small cases against the reference in double precision, not the CPU",
      NULL },
  { "bench", 0, 0, G_OPTION_ARG_NONE, &do_bench, "Measure speed", NULL },
  { "samples", 0, 0, G_OPTION_ARG_INT, &samples, "of --bench", "N" },
  { "lines", 0, 0, G_OPTION_ARG_INT, &lines, "of --bench", "N" },
  { NULL },
};

/* The backend, or NULL after saying why not. */
static const OctBackend *
load_backend (void)
{
  GModule *module = g_module_open (module_path, G_MODULE_BIND_LAZY);
  gpointer symbol;
  GError *error = NULL;
  const OctDevice *device;

  if (module == NULL) {
    printf ("1..0 # SKIP %s\n", g_module_error ());
    return NULL;
  }
  g_module_make_resident (module);
  if (!g_module_symbol (module, OCT_DEVICE_SYMBOL, &symbol)) {
    printf ("1..0 # SKIP %s\n", g_module_error ());
    return NULL;
  }
  device = ((OctDeviceGet)symbol) (&error);
  if (device == NULL)
    printf ("1..0 # SKIP %s\n", error->message);
  g_clear_error (&error);
  return device != NULL ? device->backend : NULL;
}

int
main (int argc, char **argv)
{
  g_autoptr (GOptionContext) context =
      g_option_context_new ("- CUDA operations against CPU operations");
  GError *error = NULL;
  Check check = { 0 };

  g_option_context_add_main_entries (context, options, NULL);
  if (!g_option_context_parse (context, &argc, &argv, &error)
      || module_path == NULL) {
    g_printerr ("%s\n", error != NULL ? error->message : "--module is needed");
    return 2;
  }
  check.cuda = load_backend ();
  if (check.cuda == NULL)
    return SKIPPED;
  check.cpu = oct_backend_cpu ();
  check.seed = (guint32)seed;
  check.filter = filter;
  check.reduced = reduced;
  check.reference = with_reference ? oct_backend_reference () : NULL;
  check_cuda (cudaStreamCreateWithFlags (&check.stream, cudaStreamNonBlocking),
      "stream");
  if (do_bench) {
    if (filter == NULL
        || (strcmp (filter, "cs") != 0 && strcmp (filter, "fused") != 0
            && strcmp (filter, "filters") != 0
            && strcmp (filter, "refocus") != 0 && strcmp (filter, "kclock") != 0
            && strcmp (filter, "remap") != 0))
      bench (&check, (guint)samples, (guint)lines);
    if (filter == NULL || strcmp (filter, "fused") == 0)
      bench_fused (&check);
    if (filter == NULL || strcmp (filter, "filters") == 0)
      bench_filters (&check);
    if (filter == NULL || strcmp (filter, "refocus") == 0)
      bench_refocus (&check);
    if (filter == NULL || strcmp (filter, "kclock") == 0)
      bench_kclock (&check);
    if (filter == NULL || strcmp (filter, "remap") == 0)
      bench_remap (&check);
    if (filter == NULL || strcmp (filter, "cs") == 0)
      bench_cs (&check, (guint)samples, (guint)lines);
    return 0;
  }
  check_background (&check);
  check_dispersion (&check);
  check_resample (&check);
  check_fft (&check);
  check_logscale (&check);
  check_colormap (&check);
  check_filters (&check);
  check_repeats (&check);
  check_flow (&check);
  check_kclock (&check);
  check_nufft (&check);
  if (!with_reference) { /* that these are compared with anyway, or errors */
    check_cs (&check);
    check_cs_counts (&check);
    check_fused (&check);
    check_errors (&check);
  }
  printf (
      "1..%u\n# %u of %u failed\n", check.cases, check.failures, check.cases);
  return check.failures > 0;
}
