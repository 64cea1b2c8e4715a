/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Launchers of the kernels, one per .cu file.  All pointers are device
 * pointers, strides are bytes.  A launcher queues its kernel and returns the
 * error of the launch; it never waits.
 */
#pragma once

#include "oct-align-values.h"
#include "oct-angio-values.h"
#include "oct-contrast.h"
#include "oct-registration.h"

#include <cuda_runtime_api.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  cudaStream_t stream;
  /* the device can start a kernel while the one before is ending (Hopper's
   * programmatic dependent launch) */
  int overlap;
} OctCudaQueue;

/* Whether the current device can run the kernels of this build: an error of
 * CUDA when not, and the compute capability of the oldest that can, times 100.
 */
cudaError_t oct_cuda_find_kernels (int *oldest);

/* [lines] rows in, as many out */
typedef struct {
  const void *in;
  size_t in_stride;
  void *out;
  size_t out_stride;
  uint32_t lines;
  uint32_t samples; /* of one row out */
} OctCudaRows;

typedef enum {
  OCT_CUDA_BACKGROUND_MEAN,
  OCT_CUDA_BACKGROUND_RUNNING,
  OCT_CUDA_BACKGROUND_TABLE,
  OCT_CUDA_BACKGROUND_SUMS,
} OctCudaBackgroundMode;

typedef struct {
  OctCudaRows rows;
  uint32_t sample_size; /* bytes: 1 and 2 are counts, 4 is float */
  OctCudaBackgroundMode mode;
  /* float2 [samples] (high, low), TABLE; NULL is zero; or uint32_t [samples]
   * sums of the counts of all lines, SUMS */
  const void *table;
  double *running; /* [samples], RUNNING */
  double running_weight;
  int forget; /* nothing in `running` yet */
  /* oct_cuda_launch_mean() of counts alone: zeros between the B-scans, [bscans]
   * of oct_cuda_mean_scratch() bytes */
  uint32_t *scratch;
  /* the same for MEAN and counts: B-scans of rows.lines each, one after the
   * other, whose sums are `out_step` bytes apart; 1 for all else */
  uint32_t bscans;
  size_t out_step;
  uint32_t processors; /* of the device */
  /* [lines] what was fitted of `table` to the A-lines, TABLE alone; NULL: it is
   * removed as it is */
  const float4 *fits;
} OctCudaBackground;

cudaError_t oct_cuda_launch_background (
    const OctCudaBackground *background, OctCudaQueue queue);

/* Finds the background of MEAN and RUNNING without removing it: rows.out is
 * sums for MEAN and counts (exact, to be divided by the lines), else (high,
 * low), both as `table`.  One launch that depends only on the one before it. */
cudaError_t oct_cuda_launch_mean (
    const OctCudaBackground *background, OctCudaQueue queue);
cudaError_t oct_cuda_launch_mean_of_floats (
    const OctCudaBackground *background, OctCudaQueue queue);
/* Bytes of `scratch`. */
size_t oct_cuda_mean_scratch (uint32_t samples);

/* The median of the lines, which nothing is removed of: rows.out as `table`.
 * `memory`: bytes that a block has for its A-lines, oct_cuda_median_memory() of
 * those that it can have. */
cudaError_t oct_cuda_launch_median (
    const OctCudaBackground *background, uint32_t memory, OctCudaQueue queue);
uint32_t oct_cuda_median_memory (uint32_t block_memory);

/* Less the mean of `width` A-lines around each; rows.in and rows.out are not
 * the same memory. */
cudaError_t oct_cuda_launch_high_pass (const OctCudaRows *rows,
    uint32_t sample_size, uint32_t width, OctCudaQueue queue);

/* A background to be fitted to every A-line, oct-fit.h. */
typedef struct {
  OctCudaRows rows;     /* without out */
  uint32_t sample_size; /* bytes: 1 and 2 are counts, 4 is float */
  const float2 *table;  /* [samples] (high, low) */
  int terms;
  float4 *fits; /* [lines] e0, e1, e2, 0 */
} OctCudaFit;

cudaError_t oct_cuda_launch_fit (const OctCudaFit *fit, OctCudaQueue queue);

/* How the A-lines that count are divided, on the device. */
typedef struct {
  uint32_t runs, run; /* number, A-lines of each; 0 A-lines: none counts */
} OctCudaDivision;

/* The fixed pattern, see OCT_BACKGROUND_FIXED_PATTERN.  The launchers in their
 * order, the second and the third for each first_row; between them the
 * transforms.  Values of transforms are float, or float2 where is_complex. */
typedef struct {
  OctCudaRows rows;     /* out: float2 [samples] (high, low) */
  uint32_t sample_size; /* bytes: 1 and 2 are counts, 4 is float */
  const void *found;    /* by oct_cuda_launch_mean(), MEAN */
  float2 *mean;         /* [samples] (high, low) */
  double *square;       /* sum of the squares of the mean */
  float *excess;        /* [lines] 1 / brightness - 1; NaN: it does not count */
  double dark;          /* the least brightness that counts */
  uint32_t *used;       /* [lines] numbers of those that count */
  OctCudaDivision *division;
  uint32_t least, most_runs; /* A-lines of a run; runs */
  float *means;              /* [most_runs][samples] less the mean of all */
  int is_complex;
  uint32_t pitch;                /* values in a row of the spectra */
  void *mean_values;             /* [most_runs][samples] to be transformed, */
  const float2 *mean_spectra;    /* [most_runs][pitch] the result */
  uint32_t first_row, many_rows; /* of all lines, those that are transformed */
  void *values;                  /* [many_rows][samples] to be transformed, */
  const float2 *spectra;         /* [many_rows][pitch] the result */
  double *variances;             /* [most_runs][samples / 2 + 1] sums */
  double rounding;               /* of variances, part of `square` */
  float2 *chosen;                /* [pitch] to be transformed back, */
  const void *chosen_values;     /* [samples] the result, samples times */
} OctCudaFixedPattern;

/* found to mean_values */
cudaError_t oct_cuda_launch_pattern_begin (
    const OctCudaFixedPattern *pattern, OctCudaQueue queue);
/* to values */
cudaError_t oct_cuda_launch_pattern_rows (
    const OctCudaFixedPattern *pattern, OctCudaQueue queue);
/* spectra to variances */
cudaError_t oct_cuda_launch_pattern_powers (
    const OctCudaFixedPattern *pattern, OctCudaQueue queue);
/* variances and mean_spectra to chosen */
cudaError_t oct_cuda_launch_pattern_choose (
    const OctCudaFixedPattern *pattern, OctCudaQueue queue);
/* chosen_values to rows.out */
cudaError_t oct_cuda_launch_pattern_end (
    const OctCudaFixedPattern *pattern, OctCudaQueue queue);

typedef enum {
  OCT_CUDA_RESAMPLE_CUBIC,
  OCT_CUDA_RESAMPLE_LINEAR,
  OCT_CUDA_RESAMPLE_LANCZOS,
} OctCudaResampleMethod;

#define OCT_CUDA_LANCZOS_TAPS 8

/* Output j is a sum over the taps of weights and values: samples of the row
 * (LINEAR: 2, LANCZOS: 8) or coefficients of B-splines (CUBIC: 4).  The values
 * of first[j] may lie up to 4 before the row and 4 after it, with weight 0. */
typedef struct {
  OctCudaRows rows; /* in and out may be the same */
  uint32_t length;  /* values of one row in */
  OctCudaResampleMethod method;
  const int32_t *first; /* [samples] */
  /* [samples][taps], LANCZOS [2][samples][4] */
  const float *weights;
  float *scratch;  /* [blocks][row], where a row does not fit shared memory */
  uint32_t blocks; /* with scratch */
} OctCudaResample;

/* Floats of working memory that one row of that length takes. */
size_t oct_cuda_resample_row (uint32_t length);
/* Whether such a row fits shared memory; prepares the kernels for it. */
cudaError_t oct_cuda_resample_prepare (uint32_t length, int *fits);
cudaError_t oct_cuda_launch_resample (
    const OctCudaResample *resample, OctCudaQueue queue);
/* Spectrum of rows of n values -> spectrum of rows of 2 n: bins 0 .. n / 2 of
 * [lines][pitch] -> [lines][n + 1], tightly packed, Nyquist bin halved. */
cudaError_t oct_cuda_launch_pad_spectrum (const float2 *in, size_t pitch,
    float2 *out, uint32_t n, uint32_t lines, OctCudaQueue queue);

/* F32 -> CF32, table[samples] = exp (+i phase). */
cudaError_t oct_cuda_launch_dispersion (
    const OctCudaRows *rows, const float2 *table, OctCudaQueue queue);

typedef struct {
  OctCudaRows rows; /* rows.samples: of one row in */
  int is_complex;
  uint32_t length;
  uint32_t depth_start, depth_bins;
  /* [samples] with the factors of the transform; NULL for the launch of the
   * window alone: ones */
  const float *window;
  const float2 *turns; /* [length] twiddle factors exp (-2 pi i k / length),
                          own FFT only */
} OctCudaFft;

/* Whether oct_cuda_launch_fft() knows this length; otherwise cuFFT does it
 * between window and crop. */
int oct_cuda_fft_has (uint32_t length, int is_complex);
cudaError_t oct_cuda_launch_fft (const OctCudaFft *fft, OctCudaQueue queue);
/* Windowed and zero padded rows -> [lines][length], tightly packed; complex
 * where the samples are, and may be where they are not. */
cudaError_t oct_cuda_launch_window (const OctCudaFft *fft, void *padded,
    int complex_padded, OctCudaQueue queue);
/* [lines][pitch] complex -> depth_bins of every row from depth_start on. */
cudaError_t oct_cuda_launch_crop (const OctCudaFft *fft, const float2 *spectra,
    size_t pitch, OctCudaQueue queue);

/* The tables of oct-nufft.h in device memory. */
typedef struct {
  uint32_t samples, width, grid, cells, origin;
  const int32_t *lowest;     /* [samples] */
  const float *node_weights; /* [samples][width] */
} OctCudaGrid;

/* node_weights from offset[samples] and window[samples]; parameter is beta, or
 * t, or 0 for uniform nodes. */
cudaError_t oct_cuda_launch_node_weights (const OctCudaGrid *grid,
    const float *offset, const float *window, float parameter, int is_gaussian,
    float *node_weights, OctCudaQueue queue);
/* cell_weights[tap][cells]: weights of the samples from first[cell] on. */
cudaError_t oct_cuda_launch_cell_weights (const OctCudaGrid *grid,
    const uint32_t *first, uint32_t taps, float *cell_weights,
    OctCudaQueue queue);

/* Samples to cells: in [lines][samples] -> cells [lines][grid].  Cells are
 * complex where the samples are, and may be where they are not. */
typedef struct {
  const void *in;
  size_t in_stride;
  uint32_t lines;
  int complex_samples, complex_cells;
  const float2 *shifts; /* [samples], complex samples are multiplied by; NULL */
  OctCudaGrid grid;
  uint32_t taps;
  const uint32_t *first;     /* [cells] */
  const float *cell_weights; /* [taps][cells] */
  void *cells;
} OctCudaGather;

cudaError_t oct_cuda_launch_gather (
    const OctCudaGather *gather, OctCudaQueue queue);

/* Between the transform of the cells, [lines][pitch], and A-scans,
 * [lines][depth_bins].  Real cells have the bins 0 .. grid / 2. */
typedef struct {
  uint32_t lines, grid;
  int is_complex;
  int32_t first_mode; /* of the first depth bin */
  uint32_t depth_bins;
  const float *factors; /* [depth_bins] */
} OctCudaModes;

/* Spectra of the cells to A-scans. */
cudaError_t oct_cuda_launch_pick_modes (const OctCudaModes *modes,
    const float2 *spectra, void *out, size_t out_stride, OctCudaQueue queue);

/* Samples to A-scans in one pass, for some lengths of the grid.  The samples
 * that reach a cell follow each other round a circle of samples + taps, which
 * begins again after the last one; with real samples two cells have the same
 * first. */
typedef struct {
  OctCudaRows rows; /* rows.samples: of one row in */
  int is_complex;
  uint32_t grid, taps; /* taps: an even number */
  int32_t first_mode;  /* of the first depth bin; of real samples 0 or more */
  uint32_t depth_bins;
  const float2 *shifts; /* [samples], complex samples are multiplied by; NULL */
  const uint32_t *first; /* [grid] */
  const float *weights;  /* [taps][grid] */
  const float *factors;  /* [depth_bins] */
  const float2 *turns;   /* [grid] twiddle factors exp (-2 pi i k / grid) */
  uint32_t processors, memory; /* of the device: bytes that a block can have */
} OctCudaFused;

/* Whether there is a kernel for is_complex, grid, taps and rows.samples, and
 * what the device has. */
cudaError_t oct_cuda_fused_prepare (OctCudaFused *fused, int *fits);
/* first and weights, for nodes over one period of the grid; taps: of
 * oct_cuda_gridding_circle(). */
cudaError_t oct_cuda_launch_fused_weights (const OctCudaGrid *grid,
    int is_complex, uint32_t taps, uint32_t *first, float *weights,
    OctCudaQueue queue);
cudaError_t oct_cuda_launch_fused (OctCudaFused *fused, OctCudaQueue queue);

/* The exact transform as a product of half precision numbers with sums in
 * single precision.  Every number is the sum of a high and a low half, and
 * (a + b)(c + d) = a c + b c + a d but for the last bits: rows of the matrix
 * are [high][high][low], rows of data [high][low][high], each of `pitch`
 * halves, the last ones 0. */
typedef struct {
  uint32_t samples;
  int32_t depth_start;
  uint32_t depth_bins;
  /* rows are real and imaginary parts of the depth bins, columns samples or,
   * with 2 parts, those of samples */
  int parts;
  uint32_t pitch;
  double scale;
  const double *nodes, *window; /* [samples] */
  void *matrix;                 /* halves [rows][3][pitch] */
} OctCudaNudftMatrix;

cudaError_t oct_cuda_launch_nudft_matrix (
    const OctCudaNudftMatrix *matrix, OctCudaQueue queue);
/* Rows of `values` floats, each times the power of two that fits them to
 * halves: -> halves [lines][3][pitch], exponents [lines]. */
cudaError_t oct_cuda_launch_nudft_split (const void *in, size_t in_stride,
    uint32_t values, uint32_t lines, void *halves, uint32_t pitch,
    int32_t *exponents, OctCudaQueue queue);
/* Takes the powers of two out of the products. */
cudaError_t oct_cuda_launch_nudft_rescale (void *out, size_t out_stride,
    uint32_t values, uint32_t lines, const int32_t *exponents,
    OctCudaQueue queue);

/* As oct-cs.h has them. */
#define OCT_CUDA_CS_REACH 4
#define OCT_CUDA_CS_SHRINK 1.3f
#define OCT_CUDA_CS_KAPPA_MAX 0.5f
#define OCT_CUDA_CS_CONTINUE 1.5f

/* Compressive sensing, oct-cs.h, with all iterates of an A-line on the
 * chip; T in the modes of one diagonal over `size` cells. */
typedef struct {
  OctCudaRows rows; /* samples: of one row in */
  int is_complex;
  /* real samples: bytes; 4 is float, 1 and 2 are counts, of which the background
   * is removed, TABLE or SUMS, that of the next B-scan table_step bytes on */
  uint32_t sample_size;
  OctCudaBackgroundMode mode;
  const void *table; /* NULL: nothing is removed */
  size_t table_step;
  uint32_t samples; /* N, at most size / 2 */
  uint32_t modes;   /* q = 0 .. modes - 1 */
  uint32_t kept;
  const uint32_t *column; /* [kept] */
  uint32_t size;
  /* [taps][size] weight and, as bits, number of a sample; cells in the order of
   * oct_cuda_cs_chip_cells() */
  uint32_t taps;
  const float2 *gridding;
  /* [size / 4 + 1] what follows the FFT of these cells, 0 where there is no
   * mode; half of it for real samples */
  const float *factors;
  /* [size / 32][2][16] in the order of the threads, over size; real samples:
   * half of it */
  const float4 *band;
  const float2 *circle; /* [size / 8] exp (2 pi i k / size) */
  int nyquist;          /* real samples and N = size / 2 only */
  uint32_t iterations;
  float step_min, step_max;
  float threshold; /* where `sigmas` is NULL */
  float tau;
  float *sigmas; /* [noise_lines] of A-lines, their median is that to use */
  uint32_t noise_lines;
  uint32_t depth_start, depth_bins;
  /* of the solvers that are not SpaRSA */
  float rate;     /* kept / N */
  int spread;     /* makes `sigmas`, with A-lines from all over the B-scan */
  float *told;    /* [noise_lines] the same for the host, which may read it */
  uint32_t bscan; /* A-lines of a B-scan; the last B-scan's go to `told` */
} OctCudaCsChip;

/* Whether there is a kernel for that number of cells on the current device. */
int oct_cuda_cs_chip_has (uint32_t size);
/* cells[size]: which cell stands where in `gridding`; thread t of the block
 * reads every (size / 32)th from t on. */
void oct_cuda_cs_chip_cells (uint32_t size, uint32_t *cells);
cudaError_t oct_cuda_launch_cs_chip (
    const OctCudaCsChip *chip, OctCudaQueue queue);
/* With `threshold` the least of nu, or to find `sigmas`. */
cudaError_t oct_cuda_launch_cs_persistent (
    const OctCudaCsChip *chip, OctCudaQueue queue);
cudaError_t oct_cuda_launch_cs_continued (
    const OctCudaCsChip *chip, OctCudaQueue queue);

/* The same in passes over memory with cuFFT between them. */
typedef struct {
  float squares, energy; /* |s|^2 and <s, T s> of the last move */
  int32_t exponent;      /* the A-line is times 2^-exponent */
  int32_t is_bad;        /* not finite, calculated as zeros */
} OctCudaCsLine;

/* The step of one A-line, for the solvers of few steps. */
typedef struct {
  float length, kappa;
} OctCudaCsStep;

typedef struct {
  OctCudaRows rows; /* of the B-scan; samples: of one row in */
  uint32_t lines;   /* that are worked on together */
  uint32_t first_line;
  int spread;     /* for the noise: lines from all over the B-scan */
  int real_input; /* of A-lines that are calculated as complex ones */
  int is_complex; /* modes -negative .. modes - negative - 1, else all >= 0 */
  uint32_t all_samples;
  uint32_t kept;
  const uint32_t *column; /* [kept] */
  uint32_t modes, negative;
  uint32_t length, pitch; /* of the FFT, of a row of its spectrum */
  /* see OctCsTables and OctNufftTables */
  uint32_t diagonals, origin, cells, taps;
  const float *band, *factors, *gridding_factors, *cell_weights;
  const uint32_t *first;
  /* float or, complex, float2 */
  void *samples;         /* [lines][kept] */
  void *grid;            /* [lines][length] */
  void *product;         /* the same, where the band is of one diagonal */
  float2 *spectrum;      /* [lines][pitch] */
  float2 *x, *g;         /* [lines][modes] */
  OctCudaCsLine *states; /* [lines] */
  int is_first;          /* of all steps: the FFT has brought b */
  float step_min, step_max;
  float threshold; /* where `sigmas` is NULL */
  float tau;
  float *sigmas; /* [noise_lines]; spread: [lines] */
  uint32_t noise_lines;
  uint32_t depth_start, depth_bins;
  /* of the solvers that are not SpaRSA */
  OctCudaCsStep *steps;           /* [lines] */
  float *power;                   /* [lines][modes] of u */
  uint32_t iteration, iterations; /* the step that is made, and how many */
  float rate;                     /* kept / N */
  float *told;                    /* see OctCudaCsChip */
  uint32_t bscan;
} OctCudaCsPasses;

/* Samples to `grid`. */
cudaError_t oct_cuda_launch_cs_begin (
    const OctCudaCsPasses *passes, OctCudaQueue queue);
/* `spectrum` to g and x and, for the FFT, `spectrum`. */
cudaError_t oct_cuda_launch_cs_advance (
    const OctCudaCsPasses *passes, OctCudaQueue queue);
/* The same by the other solvers; persistent: in its last step x alone, and the
 * noise is written or `sigmas` made. */
cudaError_t oct_cuda_launch_cs_step (
    const OctCudaCsPasses *passes, int persistent, OctCudaQueue queue);
/* `grid` to `product`. */
cudaError_t oct_cuda_launch_cs_multiply (
    const OctCudaCsPasses *passes, OctCudaQueue queue);
cudaError_t oct_cuda_launch_cs_write (
    const OctCudaCsPasses *passes, OctCudaQueue queue);

/* level = (exponent - reference) scale + log2 (mantissa) scale + offset (log),
 * (power - offset) scale (linear); then clamped to [0, full] and rounded. */
typedef struct {
  float scale, offset, full;
  int32_t reference;
} OctCudaMapping;

/* The contribution of one block of A-scans to the noise floor. */
typedef struct {
  double sums[OCT_CONTRAST_BANDS]; /* of log2 power or power */
  unsigned long long counts[OCT_CONTRAST_BANDS];
} OctCudaExtent;

typedef struct {
  double min, max; /* in dB when is_log, else power */
  int32_t is_valid, is_log;
} OctCudaHistory;

/* Statistics of the powers of one B-scan. */
typedef struct {
  /* order of powers as integers: that of their bits; see oct-cuda-logscale.cu
   */
  uint32_t lowest, highest;
  uint32_t blocks_done;
  int32_t contrast_is_valid; /* some values count */
  /* in dB for logarithmic images, or power */
  double contrast_min, contrast_max;
  /* these are 0 between the B-scans: of log2 power times 2^16 in the depth
   * bands, by a pass that finds them beside the powers */
  unsigned long long sums[OCT_CONTRAST_BANDS];
  uint32_t counts[OCT_CONTRAST_BANDS];
  uint32_t histogram[OCT_CONTRAST_BINS];
} OctCudaStatistics;

/* Kept in device memory from B-scan to B-scan.  B-scans use one of the elements
 * and make the other ready for the next one, so that all blocks of a kernel see
 * the same values. */
typedef struct {
  OctCudaHistory history[2];
  OctCudaStatistics statistics[2];
} OctCudaRange;

/* Values of lowest and highest before any power is seen. */
#define OCT_CUDA_NO_LOWEST 0x7f800000u
#define OCT_CUDA_NO_HIGHEST 0u

/* A-scans, [lines][depth_bins] complex values or their powers. */
typedef struct {
  const void *in;
  size_t in_stride;
  uint32_t lines, depth_bins;
  int is_power;
} OctCudaAscans;

typedef struct {
  OctCudaAscans ascans;
  int is_log, contrast;   /* contrast: noise floor and histogram instead */
  OctCudaExtent *extents; /* [oct_cuda_extent_blocks (lines)] */
  OctCudaStatistics *statistics;
} OctCudaFindRange;

uint32_t oct_cuda_extent_blocks (uint32_t lines);
cudaError_t oct_cuda_launch_find_range (
    const OctCudaFindRange *find, OctCudaQueue queue);
/* The mapping of a range, on the host. */
OctCudaMapping oct_cuda_make_mapping (
    int is_log, double full, double min, double max);

typedef struct {
  void *out;
  void *chroma; /* NV12, or NULL */
} OctCudaImage;

/* Images of one launch at most. */
#define OCT_CUDA_MAP_IMAGES 16

typedef struct {
  OctCudaAscans ascans; /* of one B-scan, the others follow it */
  uint32_t bscans;      /* more than 1 without `statistics` only */
  int is_log;
  uint32_t pixel_size; /* bytes: 1, 2 or 4 (RGBA) */
  OctCudaImage images[OCT_CUDA_MAP_IMAGES];
  size_t out_stride, chroma_stride;
  /* where `statistics` is NULL: of every B-scan, on the device; where that is
   * NULL, too, the same for all */
  const OctCudaMapping *mappings;
  OctCudaMapping mapping;
  const OctCudaStatistics *statistics;
  int is_behind_find;      /* launched next to oct_cuda_launch_find_range() */
  OctCudaStatistics *next; /* made ready for another B-scan */
  OctCudaHistory *history; /* [2] */
  double full;
  int contrast;
  double smoothing; /* weight of the history */
  int forget;       /* the history first */
  uint32_t turn;    /* which history is that before this B-scan */
} OctCudaMap;

cudaError_t oct_cuda_launch_map (const OctCudaMap *map, OctCudaQueue queue);

/* The mappings of map->bscans B-scans in their order, as launches of one each
 * would make them: `statistics` and `next` are [bscans], images do not count.
 */
cudaError_t oct_cuda_launch_mappings (
    const OctCudaMap *map, OctCudaMapping *mappings, OctCudaQueue queue);

/* Spectra to A-scans or their powers in one pass: background, resampling,
 * dispersion, window and FFT, in the kernels of oct-cuda-pass-parts.cuh. */
typedef enum {
  OCT_CUDA_PASS_CUBIC,
  OCT_CUDA_PASS_LINEAR,
  OCT_CUDA_PASS_LANCZOS,
  OCT_CUDA_PASS_UNIFORM, /* no resampling */
} OctCudaPassMethod;

/* The statistics that a pass finds of the powers. */
typedef enum {
  OCT_CUDA_FIND_NOTHING,
  OCT_CUDA_FIND_EXTENT,
  OCT_CUDA_FIND_CONTRAST, /* logarithmic, at least OCT_CUDA_PASS_LEAST bins */
} OctCudaFind;

#define OCT_CUDA_PASS_LEAST 64

typedef struct {
  /* of one B-scan, the others follow it; samples: of one row in, the length of
   * the FFT */
  OctCudaRows rows;
  uint32_t bscans;
  int is_complex;       /* with dispersion */
  uint32_t sample_size; /* bytes: 1 and 2 are counts, 4 is float */
  /* the samples were there before the work queued before the pass began to run,
   * as are those whose mean was found */
  int is_complete;
  OctCudaBackgroundMode mode; /* TABLE or SUMS */
  const void *table;          /* see OctCudaBackground */
  size_t table_step;          /* bytes from B-scan to B-scan, or 0 */
  OctCudaPassMethod method;
  /* [samples] in the order of the wavenumbers: first value in a row of shared
   * memory (as bits), fraction, factors (real and imaginary part) */
  const float4 *positions;
  const float4 *taps;  /* LANCZOS: [2][samples] */
  const float2 *turns; /* [samples] twiddle factors exp (-2 pi i k / samples) */
  uint32_t depth_start, depth_bins;
  int to_power; /* out is [lines][depth_bins] float, else complex */
  OctCudaFind find;
  OctCudaStatistics *statistics; /* [bscans] */
  uint32_t band_factor;          /* 2^32 / depth_bins, rounded up */
  uint32_t processors;           /* of the device */
} OctCudaPass;

/* Values in front of the first sample of a row in shared memory. */
#define OCT_CUDA_PASS_GUARD 4

/* Whether there is a kernel for rows.samples and is_complex on the current
 * device; prepares it and sets `processors`. */
cudaError_t oct_cuda_pass_prepare (OctCudaPass *pass, int *fits);
cudaError_t oct_cuda_launch_pass (const OctCudaPass *pass, OctCudaQueue queue);

/* The same with the non-uniform FFT in place of resampling and FFT, in the
 * kernels of oct-cuda-nufft-pass.cuh.  Unused: method, positions, taps, turns
 * and depth_start of OctCudaPass, rows and shifts of OctCudaFused. */
typedef struct {
  /* with dispersion: [samples] what the samples are multiplied by; else NULL */
  const float2 *turns;
  float scale; /* of the samples, without dispersion */
} OctCudaNufftPass;

/* Whether there is a kernel for pass->rows.samples, is_complex, grid and taps
 * on the current device; prepares it.  `fused` is as oct_cuda_fused_prepare()
 * leaves it, and so are the processors of `pass`. */
int oct_cuda_nufft_pass_fits (
    const OctCudaPass *pass, const OctCudaFused *fused);
cudaError_t oct_cuda_launch_nufft_pass (const OctCudaPass *pass,
    const OctCudaFused *fused, const OctCudaNufftPass *more,
    OctCudaQueue queue);

/* Grey levels, `pixel_size` bytes apart, to colours: RGBA in planes[0], or luma
 * and chroma.  Tables of 256, see OctColormapTable. */
typedef struct {
  const uint8_t *in;
  size_t in_stride;
  uint32_t width, height, pixel_size;
  uint8_t *planes[2];
  size_t strides[2];
  int is_nv12;
  const uchar4 *rgba;
  const uint8_t *luma;
  const int32_t *blue, *red;
} OctCudaColormap;

cudaError_t oct_cuda_launch_colormap (
    const OctCudaColormap *colormap, OctCudaQueue queue);

/* OctFlipMap on the device. */
typedef struct {
  const uint32_t *start, *first;
  const float *weights;
} OctCudaFlipMap;

/* One plane of an image the right way round: `rows` of pixels of 1, 2 or 4
 * bytes, `height` for each B-scan. */
typedef struct {
  const uint8_t *in;
  size_t in_stride;
  uint8_t *out;
  size_t out_stride;
  uint32_t width, rows, height, pixel_size;
  int depth;
  /* every second B-scan is one of the way back, counted from `first`, and anew
   * after `volume` of them (0: not) */
  int every_second;
  uint32_t odd, first, volume;
  OctCudaFlipMap maps[2]; /* [on the way back] */
} OctCudaFlip;

cudaError_t oct_cuda_launch_flip (const OctCudaFlip *flip, OctCudaQueue queue);

/* Grey levels, `pixel_size` bytes apart, with less speckle; `bscans` images of
 * `height` rows below each other. */
typedef struct {
  const uint8_t *in;
  size_t in_stride;
  uint8_t *out;
  size_t out_stride;
  int width, height;
  uint32_t bscans, pixel_size;
  uint32_t method, size; /* see OctSpeckleParams */
  /* of powers of two: times the squares of differences and distances */
  float difference, apart;
  float noise; /* variance of the speckle */
  int aligned; /* found by the launcher */
} OctCudaSpeckle;

cudaError_t oct_cuda_launch_speckle (
    const OctCudaSpeckle *speckle, OctCudaQueue queue);

/* Pixels below each other that one thread makes. */
#define OCT_CUDA_SHARPEN_ROWS 8
/* as OCT_SHARPEN_REACH */
#define OCT_CUDA_SHARPEN_REACH 200

/* Grey levels, `pixel_size` bytes apart, by an unsharp mask; see
 * OctSharpenParams. */
typedef struct {
  const uint8_t *in;
  size_t in_stride;
  uint8_t *out;
  size_t out_stride;
  float *means; /* [bscans height][width], of the rows */
  int width, height;
  uint32_t bscans, pixel_size;
  float amount;
  int reach;
  /* of a distance; zeros beyond `reach` */
  float weights[OCT_CUDA_SHARPEN_REACH + OCT_CUDA_SHARPEN_ROWS];
} OctCudaSharpen;

cudaError_t oct_cuda_launch_sharpen (
    const OctCudaSharpen *sharpen, OctCudaQueue queue);

typedef enum {
  OCT_CUDA_AVERAGE_BYTES,
  OCT_CUDA_AVERAGE_WORDS,
  OCT_CUDA_AVERAGE_VALUES, /* complex */
  OCT_CUDA_AVERAGE_POWER,
} OctCudaAverageKind;

/* One plane of a frame to the mean over frames; see OctAverageTurn. */
typedef struct {
  OctCudaAverageKind kind;
  const uint8_t *in;
  size_t in_stride;
  uint8_t *out;
  size_t out_stride;
  uint32_t width, rows; /* values of a row */
  size_t at;            /* number of the first value in the sums */
  size_t values;        /* of one frame in the ring */
  void *ring;           /* or NULL */
  void *sums, *fresh;   /* uint32_t, or double and its parts */
  uint32_t place, count;
  int is_first, replaces, wraps;
} OctCudaAverage;

cudaError_t oct_cuda_launch_average (
    const OctCudaAverage *average, OctCudaQueue queue);

/* The values by which images are compared, see oct-registration.h. */
typedef enum {
  OCT_CUDA_REGISTRATION_BYTES,
  OCT_CUDA_REGISTRATION_WORDS,
  OCT_CUDA_REGISTRATION_COLOURS, /* four bytes a pixel */
  OCT_CUDA_REGISTRATION_COMPLEX,
} OctCudaRegistrationValue;

typedef struct {
  OctCudaRegistrationValue kind;
  const uint8_t *plane; /* the frame, or the mean */
  size_t stride;
  OctRegistrationPlan plan;
  float *mean[OCT_REGISTRATION_LEVELS];  /* [sampled][columns] */
  float *frame[OCT_REGISTRATION_LEVELS]; /* [rows][columns], not the finest */
  double *sums;                          /* [OCT_REGISTRATION_TRIED][6] */
  int *shift;                            /* of the last level: rows, columns */
  int *where; /* [frames][2] of the ring, against the first of all */
  uint32_t place, former; /* of the frame, and the one before, in the ring */
} OctCudaRegistration;

/* Where the frame in `plane` is goes to where[place]. */
cudaError_t oct_cuda_launch_registration_find (
    const OctCudaRegistration *registration, OctCudaQueue queue);
/* Keeps what the next frame is compared with: the mean in `plane`. */
cudaError_t oct_cuda_launch_registration_keep (
    const OctCudaRegistration *registration, OctCudaQueue queue);

/* One plane of a frame to the mean of `count` frames, all of which lie as the
 * last one does. */
typedef struct {
  OctCudaAverageKind kind;
  const uint8_t *in;
  size_t in_stride;
  uint8_t *out;
  size_t out_stride;
  uint32_t width, rows, parts; /* values of a row, of a pixel */
  size_t at;                   /* number of the first value in a frame */
  size_t values;               /* of one frame in the ring */
  void *ring;
  const int *where; /* [frames][2] */
  uint32_t place, count, frames;
  int half; /* pixels are twice as large */
} OctCudaMoved;

cudaError_t oct_cuda_launch_moved (
    const OctCudaMoved *moved, OctCudaQueue queue);

/* What is found of the repeats of a place, on the device. */
typedef struct {
  uint32_t counts[OCT_ANGIO_BANDS][OCT_ANGIO_BINS]; /* of r */
  uint32_t still_counts[OCT_ANGIO_BINS];
  unsigned long long there; /* repeats of the values in counts */
  OctAngioNoise found;
  float noise, still; /* of this image */
} OctCudaAngioFound;

/* What moves, see OctAngioParams; the launchers in their order. */
typedef struct {
  const float2 *in; /* the newest repeat */
  size_t in_stride;
  float2 *ring;          /* [repeats][lines][depth_bins] */
  uint32_t first, count; /* the oldest one, and how many there are */
  uint32_t place;        /* of the newest */
  int keeps;             /* it goes into the ring */
  uint32_t repeats, lines, depth_bins;
  /* of the method, in the place of r; 0: r itself */
  int is_difference, is_amplitude;
  float *mean, *power; /* [lines][depth_bins] */
  float *R, *I;
  uint32_t window_lines, window_bins;
  OctCudaAngioFound *statistics;
  double noise, least_still; /* noise 0: found */
  OctAngioShow show;
  int is_log, is_black;
  OctCudaMapping mapping;
  uint32_t pixel_size;
  uint8_t *out;
  size_t out_stride;
} OctCudaAngio;

/* r and p, and the noise */
cudaError_t oct_cuda_launch_angio_find (
    const OctCudaAngio *angio, OctCudaQueue queue);
/* R and I, and how much still tissue changes */
cudaError_t oct_cuda_launch_angio_windows (
    const OctCudaAngio *angio, OctCudaQueue queue);
/* the image, or a black one */
cudaError_t oct_cuda_launch_angio_show (
    const OctCudaAngio *angio, OctCudaQueue queue);

#define OCT_CUDA_ALIGN_LAGS 65 /* 2 OCT_ALIGN_FARTHEST + 1 */
#define OCT_CUDA_ALIGN_LATERAL_LAGS (2 * OCT_ALIGN_LATERAL + 1)

/* How repeats are aligned, on the device. */
typedef struct {
  float noise,
      least;   /* of this repeat; of values that say whether it is good */
  float along; /* shift along the A-lines */
  int is_good;
  uint32_t kept; /* repeats of this place in the mean */
} OctCudaAlignFound;

/* Repeated B-scans moved onto the first of a place, see OctAlignParams; the
 * launchers in their order. */
typedef struct {
  const float2 *in;
  size_t in_stride;
  float2 *out;
  size_t out_stride;
  uint32_t lines, depth_bins, groups, most;
  int is_axial, is_lateral;
  int phase; /* OctAlignPhase */
  int may_reject;
  double least_coherence; /* 1 - reject */
  float2 *mean;           /* [lines][depth_bins] */
  float2 *moved;          /* the same, if is_lateral */
  float2 *weighted;       /* the same, for OCT_PHASE_LINE */
  float *lags;            /* [lines][OCT_CUDA_ALIGN_LAGS] */
  float *group_lags;      /* [groups][OCT_CUDA_ALIGN_LAGS] */
  float *shifts;          /* [groups] */
  double *bands;          /* [lines][OCT_ALIGN_BANDS] */
  double *lateral;        /* [lines][2 OCT_CUDA_ALIGN_LATERAL_LAGS] */
  double *powers;         /* [lines][2] */
  double *coherent;       /* [lines][4] */
  OctCudaAlignFound *found;
} OctCudaAlign;

/* The first of a place. */
cudaError_t oct_cuda_launch_align_begin (
    const OctCudaAlign *align, OctCudaQueue queue);
/* Noise and axial shifts. */
cudaError_t oct_cuda_launch_align_find (
    const OctCudaAlign *align, OctCudaQueue queue);
/* The shift along the A-lines, if is_lateral. */
cudaError_t oct_cuda_launch_align_lateral (
    const OctCudaAlign *align, OctCudaQueue queue);
/* Moved, turned, and kept or rejected. */
cudaError_t oct_cuda_launch_align_finish (
    const OctCudaAlign *align, OctCudaQueue queue);

#ifdef __cplusplus
}
#endif
