/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The table of operations that a backend (CPU, CUDA) fills in.  The elements
 * in gst/ see nothing of a backend but this table.
 *
 * An operation is a plan: create (params) -> run (in, out, stream) -> destroy.
 * create() allocates and precomputes all that run() needs; run() allocates
 * nothing.  Plans are made when caps or properties change, never per buffer.  One
 * plan is used by one thread at a time; different plans by any threads.
 *
 * Arrays: one B-scan is [lines][values], the value runs fastest; rows are
 * `stride` bytes apart.  Definitions of every operation are those of
 * docs/elements (unitary transforms, window of unit mean square, ...).
 *
 * Several B-scans may follow each other in one frame: `lines` are all A-lines
 * then, and `bscans` of the same number each, where an operation minds which of
 * them belong together.  0 counts as 1.  A frame of spectra or A-scans may have
 * fewer B-scans than the plan is made for (OctFrame); memory and results are
 * the same as with a plan for that many.
 */
#pragma once

#include "oct-align-params.h"
#include "oct-kclock-params.h"
#include "oct-refocus-params.h"
#include "oct-types.h"

G_BEGIN_DECLS

/* Every operation: row (NAME, name, parameters).  This list makes the enum, the
 * tables of the backends and of the reference, and the lists of the tests; the
 * description of each operation is in oct-operation.c. */
/* clang-format off */
#define OCT_OPERATIONS(row)                                                    \
  row (BACKGROUND, background, OctBackgroundParams)                            \
  row (MEAN, mean, OctBackgroundParams)                                        \
  row (RESAMPLE, resample, OctResampleParams)                                  \
  row (DISPERSION, dispersion, OctDispersionParams)                            \
  row (FFT, fft, OctFftParams)                                                 \
  row (LOGSCALE, logscale, OctLogscaleParams)                                  \
  row (NUFFT, nufft, OctNufftParams)                                           \
  row (NUDFT, nudft, OctNufftParams)                                           \
  row (CS, cs, OctCsParams)                                                    \
  row (COLORMAP, colormap, OctColormapParams)                                  \
  row (FLIP, flip, OctFlipParams)                                              \
  row (SPECKLE, speckle, OctSpeckleParams)                                     \
  row (SHARPEN, sharpen, OctSharpenParams)                                     \
  row (AVERAGE, average, OctAverageParams)                                     \
  row (ALIGN, align, OctAlignParams)                                           \
  row (ANGIO, angio, OctAngioParams)                                           \
  row (DOPPLER, doppler, OctDopplerParams)                                     \
  row (DYNAMIC, dynamic, OctDynamicParams)                                     \
  row (REFOCUS, refocus, OctRefocusParams)                                     \
  row (KCLOCK, kclock, OctKclockParams)
/* clang-format on */

#define OCT_OPERATION_ID(NAME, name, params) OCT_OPERATION_##NAME,
typedef enum {
  OCT_OPERATIONS (OCT_OPERATION_ID) OCT_N_OPERATIONS
} OctOperation;
#undef OCT_OPERATION_ID

/* Conversion to float and removal of the spectrum of the source:
 * U8, U16 or F32 [lines][samples] -> F32 [lines][samples].  Each of several
 * B-scans has a mean of its own, and the running mean goes through them in
 * turn. */
typedef enum {
  /* A[j][i] - mean_j A[j][i] over the lines of this B-scan (Shafer 2.1, 2.2);
   * values that are not finite do not count in the mean */
  OCT_BACKGROUND_BSCAN,
  /* minus r, where first r += weight (mean - r) with the mean of this B-scan,
   * so that weight 1 is BSCAN; r = mean at the first */
  OCT_BACKGROUND_RUNNING,
  /* minus `background` */
  OCT_BACKGROUND_STORED,
  /* conversion alone */
  OCT_BACKGROUND_NONE,
  /* minus the fixed pattern by minimum variance (S. Moon, S.-W. Lee and Z.
   * Chen, Opt. Express 18, 24395 (2010)), the part common to all A-lines: with
   * b the mean of this B-scan, the brightness of an A-line is g[j] = sum_i
   * A[j][i] b[i] / sum_i b[i]^2; those that are brighter than OCT_PATTERN_DARK,
   * and have finite values alone, count: U of them, in R = max (1, min (U /
   * OCT_PATTERN_LEAST, OCT_PATTERN_RUNS)) runs of U / R consecutive A-lines.
   * For every frequency of the A[j] / g[j] it is the mean over that run in
   * which the variance is least, the first of those in which it is no more than
   * rounding, OCT_PATTERN_ROUNDING^2 sum_i b[i]^2.  b if no A-line counts.
   * Fitted to every A-line, see below. */
  OCT_BACKGROUND_FIXED_PATTERN,
  /* minus `background`, fitted to every A-line, see below */
  OCT_BACKGROUND_STORED_SCALED,
  /* minus the median over the lines of this B-scan, of an even number the mean
   * of the two in the middle; values that are not finite do not count */
  OCT_BACKGROUND_MEDIAN,
  /* minus the mean of the A-line itself, its finite values: 1 fitted to it */
  OCT_BACKGROUND_A_LINE,
  /* A[j][i] minus the mean of A[k][i], k = j - h .. j + h, h = high_pass_lines
   * / 2; the first and the last A-line stand in for those that are not there;
   * values that are not finite do not count */
  OCT_BACKGROUND_HIGH_PASS,
  /* minus the fixed pattern, fitted to every A-line */
  OCT_BACKGROUND_FIXED_PATTERN_SCALED,
  OCT_N_BACKGROUND_MODES
} OctBackgroundMode;

/* Fitted: of A-line j is removed b[i] (1 + e0 + e1 x + e2 x^2), x = 2 i /
 * (samples - 1) - 1, where e, of every A-line its own, makes the sum of
 * (A[j][i] - that)^2 least over the samples where both are finite; e1 and e2
 * are 0 if there are too few of them (oct-fit.h). */

#define OCT_PATTERN_RUNS 9u
#define OCT_PATTERN_LEAST 16u
#define OCT_PATTERN_DARK 0.1
#define OCT_PATTERN_ROUNDING 1e-6
#define OCT_HIGH_PASS_MOST 32767u

typedef struct {
  OctSampleFormat format; /* of the input: U8, U16 or F32 */
  guint samples, lines, bscans;
  OctBackgroundMode mode;
  double running_weight; /* (0, 1], RUNNING only */
  /* odd, 3 .. OCT_HIGH_PASS_MOST, HIGH_PASS only */
  guint high_pass_lines;
  /* [samples] counts, STORED and STORED_SCALED only; copied */
  const double *background;
  /* for modes that find the background to remove (oct_background_modes):
   * OCT_OPERATION_MEAN with the same parameters has found it, and it is
   * planes[1].data of the input, of B-scan after B-scan OCT_MEAN_SIZE (samples,
   * lines of one) bytes */
  gboolean found;
} OctBackgroundParams;

/* Bytes of the result of OCT_OPERATION_MEAN for one B-scan, `planes[0].data` of
 * its output: in a layout that its backend chooses, aligned to 16 bytes, with
 * the fits to the A-lines from OCT_MEAN_FITS on.  The operation keeps the
 * history of the running mean; removing it later has none. */
#define OCT_MEAN_FITS(samples) (((gsize)(samples) + 7) / 8 * 64)
#define OCT_MEAN_SIZE(samples, lines)                                          \
  (OCT_MEAN_FITS (samples) + ((gsize)(lines) + 3) / 4 * 64)

/* Resampling along the A-line: out[j] = in at position positions[j], clamped
 * to [0, samples - 1].  F32 -> F32, same samples. */
typedef enum {
  OCT_RESAMPLE_CUBIC,   /* natural cubic spline through all samples */
  OCT_RESAMPLE_LINEAR,  /* Shafer 4.1, Jian */
  OCT_RESAMPLE_LANCZOS, /* 8 taps (a = 4), normalised to unit sum */
} OctResampleMethod;

typedef struct {
  guint samples, lines;
  OctResampleMethod method;
  /* 1, or 2: the A-line is first doubled in length by FFT, zero padding,
   * inverse FFT (Shafer 2.2.2, 4.3, algorithm 4.6; Nyquist bin
   * halved), then read at 2 positions */
  guint upsample;
  const double *positions; /* [samples], in samples of the input; copied */
} OctResampleParams;

/* out = in exp(+i phase).  F32 -> CF32, same samples. */
typedef struct {
  guint samples, lines;
  const double *phase; /* [samples] rad; copied */
} OctDispersionParams;

/* out[q] = N^-1/2 sum_n window[n] in[n] exp (-2 pi i n q / length), N the
 * samples, for q = depth_start .. depth_start + depth_bins - 1.
 * F32 or CF32 [lines][samples] -> CF32 [lines][depth_bins]. */
typedef struct {
  OctSampleFormat format; /* of the input: F32 or CF32 */
  guint samples, lines;
  guint length; /* of the transform, >= samples (zero padding) */
  /* depth_start + depth_bins <= length / 2 */
  guint depth_start, depth_bins;
  const double *window; /* [samples]; copied */
} OctFftParams;

/* Spectra at non-uniform wavenumbers to A-scans, "type 1":
 *   out[q] = N^-1/2 sum_n window[n] in[n] exp (-2 pi i nodes[n] q / N),
 * N the samples, for q = depth_start .. depth_start + depth_bins - 1.
 * F32 or CF32 [lines][samples] -> CF32 [lines][depth_bins].
 *
 * By gridding (oct-nufft.h; Chan & Tang 2010, Xu 2014) or exactly, as the
 * sum that stands here; the exact transforms take no heed of kernel, grid,
 * width and weights. */
typedef enum {
  OCT_KERNEL_KAISER_BESSEL,
  OCT_KERNEL_GAUSSIAN,
} OctKernel;

typedef enum {
  /* in double precision on the host when the nodes are given */
  OCT_WEIGHTS_PRECOMPUTED,
  /* in single precision by the backend itself, much faster: for nodes that
   * change from B-scan to B-scan */
  OCT_WEIGHTS_ON_THE_FLY,
} OctWeights;

typedef struct {
  OctSampleFormat format; /* of the spectra: F32 or CF32 */
  guint samples, lines;
  /* -(samples / 2) <= depth_start (0 for real spectra), depth_start +
   * depth_bins <= (samples + 1) / 2; A-scans that are shown begin at 0 or
   * deeper */
  gint depth_start;
  guint depth_bins;
  OctKernel kernel;
  guint grid;  /* cells for `samples` modes, see oct_nufft_grid_length() */
  guint width; /* of the kernel, in cells of the grid */
  OctWeights weights;
  /* [samples] positions on the uniform wavenumber axis, in samples of it,
   * rising or falling (oct_calibration_get_nodes()); copied */
  const double *nodes;
  const double *window; /* [samples] at the nodes; copied */
} OctNufftParams;

/* Under-sampled spectra to A-scans, by compressive sensing (Xu, Huang and Kang,
 * Opt. Express 22, 14871 (2014)): every A-line on its own,
 *   y[i] = window[i] in[column[i]], i < kept,
 *   (A x)[i] = N^-1/2 sum_q x[q] exp (+2 pi i nodes[i] q / N),
 * q = -(N/2) .. (N-1)/2; x by a fixed number of steps of a solver from x = 0
 * (oct-cs.h), and then q = depth_start .. depth_start + depth_bins - 1.
 * F32 or CF32 [lines][columns] -> CF32 [lines][depth_bins].  A value that is
 * not finite spoils the whole of its own A-line, and no other. */
typedef enum {
  /* min over x of 1/2 |A x - y|^2 + threshold |x|_1 by SpaRSA */
  OCT_CS_SPARSA,
  /* the same minimum in fewer steps: the threshold decreases to its set value
   */
  OCT_CS_CONTINUED,
  /* keeps depths whose neighbourhood is above the residual */
  OCT_CS_PERSISTENT,
  OCT_CS_N_SOLVERS
} OctCsSolver;

typedef enum {
  /* A by gridding, as kernel, grid and width say; a backend that is as fast
   * with the exact A may take that */
  OCT_CS_NUFFT,
  OCT_CS_NUDFT, /* A exact; no heed of kernel, grid and width */
  OCT_CS_FFT,   /* A exact; nodes are different whole numbers, 0 .. N - 1 */
} OctCsTransform;

typedef struct {
  OctSampleFormat format; /* of the spectra: F32 or CF32 */
  guint samples;          /* N, of an A-line with none left out */
  guint lines, bscans;
  guint columns; /* of a row of the input: N, or less when it is compact */
  guint kept;    /* samples that are used, 1 .. N */
  /* [kept] < columns, where in a row each of them stands, in any order and any
   * of them several times; copied */
  const guint32 *column;
  /* [kept] their positions on the uniform wavenumber axis, in samples of it,
   * rising or falling; copied */
  const double *nodes;
  const double *window; /* [kept] at the nodes; copied */
  OctCsTransform transform;
  OctKernel kernel;
  guint grid;  /* see OctNufftParams */
  guint width; /* of the kernel, in cells of the grid */
  OctCsSolver solver;
  guint iterations; /* steps, 1 .. oct_cs_limits[solver].most */
  /* >= 0, in units of sigma_A, the standard deviation of A^H of the noise
   * alone, sigma_A = noise (sum_i window[i]^2 / N)^1/2: the threshold, or what
   * the last step of OCT_CS_PERSISTENT leaves */
  double tau;
  /* standard deviation of the noise of one sample in counts (of complex
   * samples, the root of the mean |n|^2), > 0; or 0: sigma_A is found, as
   * oct-cs.h says.  For OCT_CS_PERSISTENT what it finds at least */
  double noise;
  guint depth_start, depth_bins; /* depth_start + depth_bins <= (N + 1) / 2 */
} OctCsParams;

/* A-scans to an image, depth downwards:
 * CF32 [lines][depth_bins] -> [depth_bins][lines] of 8 or 16 bit.  Each of
 * several B-scans is an image, with a range of its own that goes into the
 * history in turn: `out` of run() are `bscans` frames.
 * v = 10 log10 max (|a|^2, 1e-20) or |a|^2; full (v - min) / (max - min)
 * rounded to nearest and clamped, full = 255 or 65535 (Shafer 2.8 to 2.10).
 * A range of no extent, or of no value at all, gives an image of zeros,
 * not-a-number gives 0. */
typedef enum {
  OCT_SCALE_LOG,
  OCT_SCALE_LINEAR,
} OctScale;

typedef enum {
  /* smallest to largest v of this B-scan; values that are not finite do not
   * count */
  OCT_RANGE_AUTO,
  /* min and max as given (in dB for LOG, |a|^2 for LINEAR) */
  OCT_RANGE_MANUAL,
  /* min: the noise floor, that is the lowest mean of v over one of eight equal
   * depth bands; max: the v that one of 1000 values is above, and at least 15
   * dB above min.  Rows near zero delay, values that are not finite and zeros
   * (|a|^2 up to 1e-20) do not count; see oct-contrast.h */
  OCT_RANGE_CONTRAST,
} OctRange;

typedef enum {
  OCT_IMAGE_GRAY8,
  OCT_IMAGE_GRAY16, /* little endian */
  OCT_IMAGE_NV12,   /* plane 0 as GRAY8, plane 1 filled with 128 */
  OCT_IMAGE_RGBA,   /* grey in R, G, B; alpha 255; GPU memory only */
} OctImageFormat;

typedef struct {
  guint depth_bins, lines, bscans;
  OctImageFormat format;
  OctScale scale;
  OctRange range;
  double min, max; /* MANUAL only; min < max */
  /* [0, 1): weight of the range of the B-scans before; 0 = this one alone */
  double range_smoothing;
} OctLogscaleParams;

/* An image in colours: U8 [height][width], of pixels of `pixel_size` bytes the
 * first -> RGBA, or NV12 (BT.709, 16 .. 235; chroma of the mean colour of two
 * by two pixels, at an odd edge of those that there are): colors[3 v] and the
 * next two are red, green and blue of grey level v. */
#define OCT_COLORMAP_VALUES 768u

typedef struct {
  guint width, height;
  guint pixel_size;      /* bytes from one grey level to the next, 1 or 4 */
  OctImageFormat format; /* OCT_IMAGE_RGBA or OCT_IMAGE_NV12 */
  guint values;          /* OCT_COLORMAP_VALUES */
  const guint8 *colors;  /* [values]; copied */
} OctColormapParams;

/* Images the right way round: [height][width] -> the same size and format, of
 * all planes; `bscans` images may stand below each other.
 * Column x of the result is where the beam was at u = (2 x + 1) / width - 1 of
 * the field, -1 .. 1, or at -u for a mirrored image.  At that place A-line
 *   s (u) = ((t + 1) width - 1) / 2,
 *   t = u, or asin (u sin h) / h, h = duty pi / 2, of a beam that moves as a
 *   sine and is recorded for `duty` of the way from one turn to the next,
 * was taken; on the way back with -u in place of u, and way_back_shift A-lines
 * later.  L is linear between A-lines, and beyond the ends as the last one: a
 * pixel is L (s (x)), or for the sine, whose A-lines are dense near the turns,
 * the mean of L from s (x - 1/2) to s (x + 1/2); rounded to nearest.  The
 * chroma of NV12 is an image of half the size, with half the shift. */
typedef enum {
  OCT_WAY_BACK_NONE,
  OCT_WAY_BACK_ODD, /* B-scans 1, 3, ... counted from 0 */
  OCT_WAY_BACK_EVEN,
} OctWayBack;

typedef enum {
  OCT_MOTION_LINEAR,
  OCT_MOTION_SINE,
} OctMotion;

typedef struct {
  guint width, height, bscans;
  OctImageFormat format;
  gboolean depth, lateral; /* upside down, mirrored */
  OctWayBack way_back;
  guint first;           /* number of the first B-scan of the frame */
  guint volume;          /* numbers begin again after so many, 0: they go on */
  double way_back_shift; /* A-lines, -OCT_MAX_LINES .. OCT_MAX_LINES */
  OctMotion motion;
  double duty; /* (0, 1], SINE only */
} OctFlipParams;

/* Grey images with less speckle: [height][width] -> the same size and format,
 * `bscans` images may stand below each other.  Only the first value of RGBA
 * counts, and the result is grey; the chroma of NV12 becomes 128.  A pixel v
 * becomes, from the v[i] of the `size` x `size` pixels around it, the nearest
 * of its image for those that are not there:
 *   BILATERAL (Tomasi and Manduchi, ICCV 1998): sum w[i] v[i] / sum w[i], w[i] =
 *     exp (-(dx^2 + dy^2) / (2 spatial_sigma^2) - (v[i] - v)^2 / (2 sigma^2));
 *   MEDIAN: the one in the middle;
 *   LEE (J.-S. Lee, IEEE Trans. PAMI 2, 165 (1980), additive noise): m + k (v -
 *     m), m and q the mean and the variance of the v[i], k = max (0, q -
 *     sigma^2) / q, 0 where q is 0;
 * rounded to nearest.  sigma is in levels of 255, of all formats. */
typedef enum {
  OCT_SPECKLE_BILATERAL,
  OCT_SPECKLE_MEDIAN,
  OCT_SPECKLE_LEE,
  OCT_N_SPECKLE_METHODS
} OctSpeckleMethod;

#define OCT_SPECKLE_LARGEST 7u

typedef struct {
  guint width, height, bscans;
  OctImageFormat format;
  OctSpeckleMethod method;
  guint size;           /* 3, 5 or 7 pixels */
  double sigma;         /* grey levels of 255, 0.01 .. 255; not of MEDIAN */
  double spatial_sigma; /* pixels, 0.01 .. 100; BILATERAL only */
} OctSpeckleParams;

/* Grey images with sharper edges, by an unsharp mask: [height][width] -> the
 * same size and format, `bscans` images may stand below each other.  Formats
 * are treated as by SPECKLE.  A pixel v becomes
 *   v + amount (v - m),
 * m the mean of the pixels around it with the weights g[dy] g[dx],
 *   g[d] = exp (-d^2 / (2 radius^2)) / sum, |d| <= ceil (4 radius), sum g = 1,
 * the nearest pixel of its image for those that are not there; limited to the
 * levels of the format and rounded to nearest.  With amount 0 it is v itself. */
#define OCT_SHARPEN_STRONGEST 10.0
#define OCT_SHARPEN_WIDEST 50u
/* ceil (4 radius) at most */
#define OCT_SHARPEN_REACH (4 * OCT_SHARPEN_WIDEST)

typedef struct {
  guint width, height, bscans;
  OctImageFormat format;
  double amount; /* 0 .. OCT_SHARPEN_STRONGEST */
  double radius; /* standard deviation, pixels, 0.1 .. OCT_SHARPEN_WIDEST */
} OctSharpenParams;

/* Means of frames, value by value: [rows][values] -> the same, and of a second
 * plane of bytes if there is one (NV12).  Every B-scan of a frame is one of
 * them in turn.
 *   RUNNING: of this one and those before, `frames` of them at most;
 *   BLOCK: of this one and those before in its block; a block begins when the
 *     one before has `frames` of them.
 * Counts are rounded to nearest, halves up.  Complex values: (sum a) / n, or of
 * the power ((sum |a|^2) / n)^1/2 with no phase; values that are not finite
 * count as 0.  get_found(): n, of the last frame.
 *   TRANSLATION: the earlier frames are moved to where the last one is, by whole
 * pixels along rows and columns.  oct-registration.h says how far.  A value is
 * then the mean over those n frames that have one there; the last one has all.
 * A second plane, whose pixels are twice as large, moves by half of that,
 * rounded down. */
typedef enum {
  OCT_AVERAGE_RUNNING,
  OCT_AVERAGE_BLOCK,
} OctAverageMode;

typedef enum {
  OCT_AVERAGE_VALUES,
  OCT_AVERAGE_POWER, /* CF32 only */
} OctAverageOf;

typedef enum {
  OCT_REGISTRATION_NONE,
  OCT_REGISTRATION_TRANSLATION,
} OctRegistration;

#define OCT_AVERAGE_MOST 256u
#define OCT_REGISTRATION_MOST 64u

typedef struct {
  OctSampleFormat format; /* U8, U16 or CF32 */
  guint values, rows, bscans;
  guint more_values, more_rows; /* of the second plane, or 0 */
  OctAverageMode mode;
  guint frames; /* 1 .. OCT_AVERAGE_MOST */
  OctAverageOf of;
  OctRegistration registration;
  guint max_shift; /* pixels from frame to frame, 1 .. OCT_REGISTRATION_MOST;
                    * registration only */
  guint parts;     /* values of a pixel, 0 = 1; registration only */
} OctAverageParams;

/* Motion in repeated B-scans of a place (angiography): CF32
 * [lines][depth_bins] -> [depth_bins][lines] of 8 or 16 bit, depth downwards, as
 * LOGSCALE.  Each of several B-scans is one of the repeats in turn, and gives an
 * image: `out` of run() are `bscans` frames.
 *   RUNNING: of this B-scan and those before, `repeats` of them at most;
 *   BLOCK: of all `repeats` B-scans of a block; with those before its last one,
 *     the image is zeros.
 * Values a_1 .. a_n of a pixel are those of the B-scans in which it is neither
 * zero nor without end; with fewer than two it is zero in all that follows.  W is
 * the mean over window_lines x window_bins values, of those that there are.
 *   p = sum |a|^2 / n, r = sum |a - sum a / n|^2 / (n - 1), I = W p, R = W r;
 *   s2: the power of the noise, of single values: `noise`, or found.  In each of
 *     OCT_ANGIO_BANDS bands of depth the median of r over that of a gamma
 *     variable of shape N - 1 and mean 1, N the rounded mean of n; of these the
 *     lowest, v; then s2 += (v - s2) / min (t, OCT_ANGIO_PLACES) with image t
 *     that has one;
 *   e: how much still tissue changes, max (still, median of (R - s2) / I where I
 *     > 10 s2).  Medians are those of the histogram of
 *     oct-angio-values.h, which has the constants too;
 *   d = s2 + e I.
 * Grey levels, full scale for 1 or from `min` to `max` dB, rounded to nearest:
 *   FLOW: min (1, max (0, R - d)^2 / (R I));
 *   INDEX: R / d, dB;
 *   COMPLEX_DIFFERENCE: W [mean over i < n of |a_i+1 - a_i|^2 / 2] / s2, dB;
 *   SPECKLE_VARIANCE: W [mean (|a| - mean |a|)^2] / s2, dB;
 *   NOISE_IMMUNE: (R - s2) / (I - s2), 0 .. 1, and 0 where I < 1.5 s2;
 *   ID_MASK: R / I where R > OCT_ANGIO_SLOPE s2, else 0;
 *   PHASE_VARIANCE: 1 - |W [mean c_i / |c_i|]|, c_i = a_i+1 conj (a_i);
 *   CDV: 1 - |W [mean c_i]| / W [mean (|a_i|^2 + |a_i+1|^2) / 2].
 * A quotient with zero is zero.  get_found(): n of the last image. */
typedef enum {
  OCT_ANGIO_FLOW,
  OCT_ANGIO_INDEX,
  OCT_ANGIO_COMPLEX_DIFFERENCE,
  OCT_ANGIO_SPECKLE_VARIANCE,
  OCT_ANGIO_NOISE_IMMUNE,
  OCT_ANGIO_ID_MASK,
  OCT_ANGIO_PHASE_VARIANCE,
  OCT_ANGIO_CDV,
  OCT_N_ANGIO_METHODS
} OctAngioMethod;

#define OCT_ANGIO_MOST 64u
#define OCT_ANGIO_WIDEST 31u

typedef struct {
  guint depth_bins, lines, bscans;
  OctImageFormat format;
  OctAngioMethod method;
  OctAverageMode mode;
  guint repeats;                   /* 1 .. OCT_ANGIO_MOST */
  guint window_lines, window_bins; /* odd, 1 .. OCT_ANGIO_WIDEST */
  double still;                    /* 0 .. 1 */
  double noise;                    /* |a|^2, 0: found */
  double min, max;                 /* dB, min < max */
} OctAngioParams;

/* Motion along the beam: CF32 [lines][depth_bins] of A-scans a -> F32
 * [lines][depth_bins], or an image [depth_bins][lines].  Values whose power is not
 * finite, or above OCT_FLOW_MOST, count as 0.  With W[v] the sum of v over the `window_lines` x
 * `window_bins` values around it, of those that there are:
 *   PHASE: scale arg W[c] (Kasai), c = b a* exp (-i bulk);
 *   VARIANCE: 1 - |W[c]| / W[p - s2], p = (|a|^2 + |b|^2) / 2, limited to 0 .. 1;
 *     1 if W[p - s2] is not above 0.
 * LINES: b is the A-line after a, of the same B-scan.  The last A-line has none
 * after it, and the values of the one before it.  REPEATS: b is the next of the
 * `repeats` B-scans of a place, a the one before it; c and p are sums over those
 * that came.  A place begins when the one before has all of its repeats.  Without
 * any pair of a and b all is 0.  get_found(): B-scans of the place, of LINES 1.
 *   bulk: the phase of the tissue, of every A-line x: of a histogram of arg (b a*)
 * over the A-lines x - bulk_lines / 2 .. x + bulk_lines / 2, of OCT_DOPPLER_BULK
 * bins, weights |b a*|, each shared by the two bins with the nearest middles, then
 * smoothed by 1 2 1, the largest, refined by a parabola through the logarithms of the
 * three (Makita et al., Opt. Express 14, 7821 (2006), without weights).
 *   s2: `noise`, or if that is 0, the lowest mean of p over one of eight equal
 * bands of depth, 0 if there are fewer bins.  A phase is 0 if W[p] < least W[s2].
 *   unwrap: phases as those next to them have it: the least squares of Ghiglia and
 * Romero (J. Opt. Soc. Am. A 11, 107 (1994)) by cosine transforms, less its median
 * over the phases that `least` made 0, then whole turns added to each phase that
 * bring it nearest to that, and taken from all as many as are in the median of the
 * others.
 * Images, rounded to nearest: 128 + 127 v / range, limited to 1 .. 255, of v =
 * PHASE; 255 v of VARIANCE. */
typedef enum {
  OCT_DOPPLER_LINES,
  OCT_DOPPLER_REPEATS,
} OctDopplerBetween;

typedef enum {
  OCT_DOPPLER_PHASE,
  OCT_DOPPLER_VARIANCE,
} OctDopplerQuantity;

#define OCT_DOPPLER_WIDEST 31u
#define OCT_DOPPLER_BULK_WIDEST 255u
#define OCT_DOPPLER_BULK 36u
#define OCT_FLOW_BANDS 8u
/* so that sums and their squares are finite */
#define OCT_FLOW_MOST 1e30f

typedef struct {
  guint depth_bins, lines, bscans;
  gboolean values; /* F32; else an image of this format, not GRAY16 */
  OctImageFormat format;
  OctDopplerBetween between;
  guint repeats; /* 1 or more, REPEATS only, and one B-scan then */
  OctDopplerQuantity quantity;
  guint window_lines, window_bins; /* odd, 1 .. OCT_DOPPLER_WIDEST */
  guint bulk_lines; /* odd, 1 .. OCT_DOPPLER_BULK_WIDEST; 0: bulk is 0 */
  double noise;     /* >= 0 */
  double least;     /* >= 0 */
  double scale;     /* of a phase in rad, > 0 */
  double range;     /* > 0 */
  gboolean unwrap;  /* PHASE only */
} OctDopplerParams;

/* How much and how fast A-scans fluctuate: CF32 [lines][depth_bins] of A-scans a ->
 * F32 of the same shape, or an image [depth_bins][lines].  x = |a|, 0 if the power
 * is not finite or above OCT_FLOW_MOST.  Exponential means over about `frames` B-scans of a place, which
 * has `repeats` of them (0: all are of one place), from the first: with the n-th
 * one, g = max (1 / frames, 1 / n), h = max (1 / frames,
 * 1 / (n - 1)),
 *   V0 becomes (1 - g) (V0 + g (x - m)^2), its variance, m becomes m + g (x - m),
 *   V1 becomes V1 + h ((x - last x)^2 - V1), from the second on; all 0 at first.
 * W[v]: the mean of v over the `window_lines` x `window_bins` values around it, of
 * those that there are.
 *   FREQUENCY: rate arccos (1 - W[V1] / (2 W[V0])) / 2 pi, the argument limited to
 *     -1 .. 1; 0 if W[V0] is 0;
 *   ACTIVITY: 10 log10 ((W[V0] - s2 / 2) / (s2 / 2)), the variance in dB above
 *     that of noise; -100 at least, also without a s2; s2 is `noise`, or if that is
 *     0, the lowest mean of |a|^2 over one of eight equal bands of depth, in the
 *     same exponential mean as m;
 *   COLOUR: red, green and blue of hue 2/3 (1 - f) (blue 0, green 1/2, red 1) and
 *     brightness v, f = log (FREQUENCY / min_frequency) / log (max_frequency /
 *     min_frequency), v = (ACTIVITY - min) / (max - min), both limited to 0 .. 1;
 * Images: RGBA of COLOUR; grey of the others, 255 v, and 255 f where v is above 0.
 * Rounded to nearest.  get_found(): B-scans of the place so far. */
typedef enum {
  OCT_DYNAMIC_COLOUR,
  OCT_DYNAMIC_FREQUENCY,
  OCT_DYNAMIC_ACTIVITY,
} OctDynamicQuantity;

#define OCT_DYNAMIC_MOST 65535u
#define OCT_DYNAMIC_WIDEST 31u
#define OCT_DYNAMIC_DARK (-100.0)

typedef struct {
  guint depth_bins, lines, bscans;
  gboolean values; /* F32, not of COLOUR; else an image of this format */
  OctImageFormat format;
  OctDynamicQuantity quantity;
  guint repeats;                       /* 0 or 2 .. */
  guint frames;                        /* 2 .. OCT_DYNAMIC_MOST */
  guint window_lines, window_bins;     /* odd, 1 .. OCT_DYNAMIC_WIDEST */
  double rate;                         /* B-scans of a place per second, > 0 */
  double min_frequency, max_frequency; /* Hz, 0 < min < max */
  double min, max;                     /* dB, min < max */
  double noise;                        /* >= 0 */
} OctDynamicParams;

#define OCT_BSCANS(params) MAX (1u, (params)->bscans)

/* A B-scan, or several, where a backend can read or write it. */
typedef struct {
  gpointer data; /* host pointer for the CPU, device pointer for CUDA */
  gsize stride;  /* bytes from one row to the next */
} OctPlane;

typedef struct {
  OctPlane planes[2]; /* the second for NV12 and means only */
  /* of spectra and A-scans that an operation reads: the A-lines that are there,
   * whole B-scans and no more than those of the plan; 0: as many as those */
  guint lines;
} OctFrame;

/* A-lines of an input for a plan for `most` of them. */
static inline guint
oct_frame_count_lines (const OctFrame *frame, guint most)
{
  return frame->lines > 0 ? MIN (frame->lines, most) : most;
}

/* B-scans of `lines` A-lines each of an input for a plan for `most` of them. */
static inline guint
oct_frame_count_bscans (const OctFrame *frame, guint lines, guint most)
{
  return frame->lines > 0 ? CLAMP (frame->lines / lines, 1, most) : most;
}

/* B-scan number `bscan` of a frame of several, of `lines` A-lines each; means
 * in the second plane are `mean_size` bytes apart. */
static inline OctFrame
oct_frame_get_bscan (
    const OctFrame *frame, guint bscan, guint lines, gsize mean_size)
{
  OctFrame one = *frame;

  one.lines = MIN (one.lines, lines);
  if (one.planes[0].data != NULL)
    one.planes[0].data = (guint8 *)one.planes[0].data
                         + (gsize)bscan * lines * one.planes[0].stride;
  if (one.planes[1].data != NULL)
    one.planes[1].data = (guint8 *)one.planes[1].data + bscan * mean_size;
  return one;
}

typedef struct _OctPlan OctPlan;

#define OCT_MOST_COUNTS 8u

/* See oct-operation.h for the description that all backends share. */
typedef struct {
  /* Returns: a plan to be freed with destroy(), or NULL with OCT_ERROR_SETTINGS
   * (parameters out of range), _MEMORY or _DEVICE (a resource is missing or
   * failed).  `params`: the struct that OCT_OPERATIONS names; neither it nor
   * the data that it points to are kept. */
  OctPlan *(*create) (gconstpointer params, GError **error);
  /* Takes new parameters without losing history (running mean, smoothed
   * range), which is that of B-scans of a size, however many there are in a
   * frame.  FALSE when a new plan has to be created instead.  NULL: always. */
  gboolean (*update) (OctPlan *plan, gconstpointer params);
  /* One frame.  `stream`: the backend's stream, NULL on the CPU. */
  gboolean (*run) (OctPlan *plan, const OctFrame *in, const OctFrame *out,
      gpointer stream, GError **error);
  /* Forgets history, as after a seek.  NULL when there is none. */
  void (*reset) (OctPlan *plan);
  /* Returns the value found in a B-scan of one of the last frames, in the unit
   * of the parameter: on a device the last ones may still be pending.  0:
   * nothing yet.  NULL: the operation finds nothing. */
  double (*get_found) (OctPlan *plan);
  /* The values of black and white of the last B-scan, in the unit of the
   * parameters: after run(), waits for the stream.  FALSE: nothing yet.  NULL:
   * the operation has no range. */
  gboolean (*get_range) (OctPlan *plan, gpointer stream, double range[2]);
  void (*destroy) (OctPlan *plan);
  /* A-lines since create(), by their kind; `counts` has
   * OCT_MOST_COUNTS values, unused ones 0.  On a device the last ones may still
   * be pending.  NULL: the operation counts nothing. */
  void (*get_counts) (OctPlan *plan, guint64 *counts);
} OctOperationTable;

/* An operation with its parameters, see oct-step.h. */
typedef struct _OctStep OctStep;

/* Several operations in one pass over the data.  Used by oct-sequence.h alone,
 * which runs them one by one if there is no such pass. */
typedef struct {
  /* `bscans`: in a frame, also those of `last`; `last`: the operation that ends
   * the pass with a plan of its own, which run() gets, or OCT_N_OPERATIONS.
   * NULL: there is no pass for these steps.  Steps are referenced by the caller
   * as long as the plan lives. */
  OctPlan *(*create) (
      const OctStep *const *steps, guint n, guint bscans, OctOperation last);
  /* `in`: of the first step; `out`: of the last operation.  An error is that of
   * the last operation. */
  gboolean (*run) (OctPlan *plan, const OctFrame *in, OctPlan *last,
      const OctFrame *out, gpointer stream, GError **error);
  void (*destroy) (OctPlan *plan);
} OctFusedTable;

/* Volumes on the screen, see oct-volume.h. */
typedef struct _OctVolumeTable OctVolumeTable;
/* Volumes that are filled in, see oct-volume-cs.h. */
typedef struct _OctVolumeCsTable OctVolumeCsTable;
/* Scans that become rasters, see oct-remap.h. */
typedef struct _OctRemapTable OctRemapTable;

typedef struct {
  const char *name; /* "cpu", "cuda" */
  /* NULL: it cannot do that */
  const OctOperationTable *operations[OCT_N_OPERATIONS];
  const OctFusedTable *fused;        /* NULL: none */
  const OctVolumeTable *volume;      /* by casting rays; NULL: none */
  const OctVolumeTable *sections;    /* NULL: none */
  const OctVolumeCsTable *volume_cs; /* NULL: none */
  /* Memory that operations can work in, aligned to 64 bytes; NULL with
   * OCT_ERROR_MEMORY. */
  gpointer (*alloc) (gsize size, GError **error);
  void (*free) (gpointer memory);
  const OctRemapTable *remap; /* scans that become rasters; NULL: none */
} OctBackend;

/* The CPU backend (all cores); always there. */
const OctBackend *oct_backend_cpu (void);

/* Number of threads that the CPU backend uses for one operation, 0 = one per
 * core.  For every plan of this process; a plan never uses more than were set
 * when it was created. */
void oct_backend_cpu_set_threads (guint threads);
guint oct_backend_cpu_get_threads (void);

G_END_DECLS
