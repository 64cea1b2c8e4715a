/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Operations of the CUDA backend against the CPU backend: what the parts of
 * check-operations share.
 */
#pragma once

#include "oct-device.h"
#include "oct-operation.h"

#include <cuda_runtime_api.h>

/* The values of a B-scan. */
typedef enum {
  FILL_RANDOM,    /* full range of counts, -1 .. 1 for floats */
  FILL_FRINGES,   /* a source with fringes and noise: small on large */
  FILL_CONSTANT,  /* one value */
  FILL_SATURATED, /* largest count; 1e15 for floats */
  FILL_DYNAMIC,   /* complex floats of magnitudes 1e-12 .. 1e6 */
  FILL_NAN_LINE,  /* random; one A-line is not-a-number, one infinite */
  /* random; one A-line is not-a-number, one a million times the others, each of
   * which is compared alone */
  FILL_LOUD_LINE,
  FILL_ALL_NAN,
  /* random floats; of every second B-scan, from the first on, each third column
   * is not-a-number */
  FILL_LOST_COLUMNS,
  /* floats weaker from sample to sample, the first 1/64 a thousand times as
   * strong; every second one is zero */
  FILL_TISSUE,
  /* counts or complex values of speckle that is elsewhere in every B-scan, with
   * some noise; OCT_OPERATION_AVERAGE only */
  FILL_MOVED,
  /* complex values of tissue that is a little deeper in every B-scan, its
   * A-lines turned, with some noise and a few that are new */
  FILL_REPEATS,
  /* complex values of tissue with a vessel, brightness that changes from B-scan to
   * B-scan, and a line of not-a-number in each second one */
  FILL_FLOW,
  /* a swept source with its k-clock; in every second frame a few A-lines without a
   * clock or with one that hops; OCT_OPERATION_KCLOCK only */
  FILL_SWEEPS,
  N_FILLS
} Fill;

extern const char *const fill_names[N_FILLS];

/* Shape of one side of an operation. */
typedef struct {
  guint row, rows; /* bytes, number */
  guint padding;   /* bytes after every row */
} Shape;

#define MAX_STEPS 8

/* One comparison: some B-scans through a plan of either backend. */
typedef struct {
  char *name; /* with all parameters; owned */
  OctOperation operation;
  gconstpointer params;
  Shape in, out;
  OctSampleFormat in_format;
  guint pixel_size; /* of an image; 0: floats */
  gboolean nv12;    /* out has a second plane */
  gboolean nv12_in; /* in has one too, random bytes */
  guint tolerance;  /* grey levels of an image */
  Fill fill;
  guint steps;          /* B-scans, 1 .. MAX_STEPS */
  gconstpointer update; /* parameters before the third B-scan, or NULL */
  gboolean in_turn;     /* `params` and `update` in turn from there on */
  gboolean reset;       /* before the last B-scan */
  gboolean in_place;
  double rounding; /* see check_rounding(); check_case() finds it */
} Case;

/* The backends and the stream that everything runs in. */
typedef struct {
  const OctBackend *cpu, *cuda;
  /* what cases of one operation are compared with instead of the CPU, the small
   * ones alone; or NULL */
  const OctBackend *reference;
  cudaStream_t stream;
  guint32 seed;
  guint cases, failures;
  const char *filter; /* part of the names to run, or NULL */
  gboolean reduced;   /* small cases alone, for slow checkers */
} Check;

void check_cuda (cudaError_t status, const char *what);
/* Runs a case, prints a line of the TAP protocol, frees the name. */
void check_case (Check *check, Case *test);
/* Whether a case of this name is asked for. */
gboolean check_has (const Check *check, const char *name);
/* Counts a case and prints a line of the TAP protocol; `problem`: what is wrong
 * with it, or NULL.  Frees both. */
void check_report (Check *check, char *name, char *problem);
/* Fills the rows of `in`, and the bytes after them with poison. */
void check_fill (const Case *test, guint8 *data, GRand *random);

/* For the kinds of cases.  Arrays of that many bytes of poison, to be freed
 * with g_strfreev(). */
#define CHECK_POISON 0xa5
guint8 **check_new_arrays (guint count, gsize bytes);
/* Whether check_fill() makes this A-line one that is not finite: what comes of
 * it may be anything, since the backends may spread it differently. */
gboolean check_is_lost (Fill fill, guint line, guint lines);
/* Rows that are compared, of images and A-scans. */
typedef struct {
  guint row, rows; /* bytes, number */
  gsize stride;
  double rounding; /* see check_rounding() */
} CheckRows;
/* l2 norm of the possible rounding error of these A-lines, `stride` bytes
 * apart, after the removal of a background that is found or fitted in single
 * precision; 0 in other modes.  That is relative to the A-lines, or to the
 * background fitted to them: removing the pattern of a single A-line from
 * itself leaves nothing that an error could be relative to. */
double check_rounding (
    const OctBackgroundParams *params, const guint8 *input, gsize stride);
/* NULL when floats are the same to a relative l2 of 1e-5, of all rows together
 * or, of FILL_LOUD_LINE, each, or to `rounding`; else a sentence.  `all`: lost
 * rows as well. */
char *check_compare_floats (const CheckRows *rows, Fill fill, gboolean all,
    const guint8 *expected, const guint8 *found);
/* NULL when nothing was written after the rows. */
char *check_compare_padding (const CheckRows *rows, const guint8 *found);
/* NULL when all B-scans are as `compare` says, and the same in both runs. */
char *check_compare_runs (guint bscans, gsize bytes, guint8 **expected,
    guint8 **found, guint8 **again,
    char *(*compare) (
        gconstpointer data, const guint8 *expected, const guint8 *found),
    gconstpointer data);
/* All cases of one operation. */
void check_background (Check *check);
void check_resample (Check *check);
void check_dispersion (Check *check);
void check_fft (Check *check);
void check_logscale (Check *check);
void check_colormap (Check *check);
void check_filters (Check *check);
/* Alignment of repeats, and what moves in them. */
void check_repeats (Check *check);
void check_flow (Check *check);
void check_kclock (Check *check);
void check_nufft (Check *check);
void check_nufft_properties (Check *check);
void check_cs (Check *check);
/* Counts, in one pass with their background. */
void check_cs_counts (Check *check);
/* Sequences in one pass, and the mean that is found before. */
void check_fused (Check *check);
/* Errors that run() and create() report. */
void check_errors (Check *check);
/* A-lines per second of every operation and of the chain. */
void bench (Check *check, guint samples, guint lines);
void bench_fused (Check *check);
void bench_filters (Check *check);
void bench_refocus (Check *check);
void bench_kclock (Check *check);
void bench_remap (Check *check);
void bench_cs (Check *check, guint samples, guint lines);
