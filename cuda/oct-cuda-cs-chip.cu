/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Compressive sensing of A-lines that stay on the chip from their samples to
 * the result (core/oct-cs.h): one block for a complex A-line or for two real
 * ones, which are the real and the imaginary parts of the cells.
 *
 * T is Toeplitz, in the modes of one diagonal over Size cells.  In place of x
 * and T x the residual g = T x - b is kept, which T s of every step s = x' - x
 * is added to: one transform forth and one back for each step but the last.
 * The step length needs <s, T s> = sum band |F s|^2, which the cells give, and
 * |s|^2; both are summed between barriers that are there anyway.
 *
 * A-lines are scaled by powers of two to the same size, so that neither of a
 * pair drowns the other; one that is not finite is calculated as zeros.
 */
#include "oct-cuda-cs-chip.cuh"
#include "oct-cuda-cs-values.cuh"

/* What threads of a block exchange beside the transform. */
template <int Warps> struct Exchange {
  uint32_t largest[2][Warps];
  float sums[2][2][2][Warps]; /* [turn][steps, energies][A-line] */
  float sigma;
  uint32_t bins[2][BINS], chosen[2], rank[2];
};

/* The A-lines of a thread: two of them, or of one the modes q and -q. */
struct Modes {
  float2 x[2][SLOTS], g[2][SLOTS];
};

template <int First, int Second, bool Complex, bool Estimate> struct Solver {
  typedef Chip<First, Second> Layout;
  static constexpr int threads = Layout::threads;
  static constexpr int warps = threads / 32;
  typedef Exchange<warps> Shared;

  const OctCudaCsChip &p;
  float2 *cells;
  Shared &shared;
  int t;
  const char *in[2];
  float2 *out[2];
  bool bad[2];
  float scale[2], unscale[2];
  Modes modes;

  __device__ Solver (const OctCudaCsChip &p, float2 *cells, Shared &shared)
      : p (p), cells (cells), shared (shared), t (threadIdx.x)
  {
#pragma unroll
    for (int i = 0; i < 2; i++) {
      uint32_t number = Complex ? blockIdx.x : 2 * blockIdx.x + i;
      uint32_t count = Estimate ? p.noise_lines : p.rows.lines;
      uint32_t line =
          Estimate ? (2 * number + 1) * p.rows.lines / (2 * count) : number;
      bool is_there = number < count && (!Complex || i == 0);
      in[i] =
          is_there ? (const char *)p.rows.in + p.rows.in_stride * line : NULL;
      out[i] = is_there && !Estimate
                   ? row_of ((float2 *)p.rows.out, p.rows.out_stride, line)
                   : NULL;
    }
  }

  /* cells[i] = sample i of both A-lines, scaled */
  __device__ __forceinline__ void read_samples ()
  {
    uint32_t largest[2] = { 0, 0 };

    for (uint32_t i = t; i < p.kept; i += threads) {
      uint32_t column = __ldg (&p.column[i]);
      float2 value;
      if (Complex) {
        value = ((const float2 *)in[0])[column];
      } else {
        value.x = ((const float *)in[0])[column];
        value.y = in[1] ? ((const float *)in[1])[column] : 0;
      }
      cells[i] = value;
      largest[0] = max (largest[0], __float_as_uint (fabsf (value.x)));
      largest[1] = max (largest[1], __float_as_uint (fabsf (value.y)));
    }
#pragma unroll
    for (int l = 0; l < 2; l++) {
      largest[l] = largest_of_warp (largest[l]);
      if (t % 32 == 0)
        shared.largest[l][t / 32] = largest[l];
    }
    if (!Estimate && p.sigmas && t < 32) {
      float sigma = median_of_warp (
          t < p.noise_lines ? __ldcg (&p.sigmas[t]) : no_number ());
      if (t == 0)
        shared.sigma = sigma;
    }
    __syncthreads ();
#pragma unroll
    for (int l = 0; l < 2; l++)
#pragma unroll
      for (int w = 0; w < warps; w++)
        largest[l] = max (largest[l], shared.largest[l][w]);
    if (Complex)
      largest[0] = largest[1] = max (largest[0], largest[1]);
#pragma unroll
    for (int l = 0; l < 2; l++) {
      int exponent = exponent_of (largest[l]);
      bad[l] = largest[l] >= NOT_FINITE;
      scale[l] = power_of_two (-exponent);
      unscale[l] = power_of_two (exponent);
    }
    for (uint32_t i = t; i < p.kept; i += threads) {
      float2 value = cells[i];
      cells[i] = make_float2 (
          bad[0] ? 0 : scale[0] * value.x, bad[1] ? 0 : scale[1] * value.y);
    }
    __syncthreads ();
  }

  /* Residual of x = 0, -b. */
  __device__ __forceinline__ void begin ()
  {
    float2 v[2][16] = {};
    float2 at[SLOTS], other[SLOTS];

    read_samples ();
    for (uint32_t tap = 0; tap < p.taps; tap++) {
      const float2 *entries = p.gridding + tap * Layout::size + t;
#pragma unroll
      for (int i = 0; i < 32; i++) {
        float2 entry = __ldg (&entries[i * threads]);
        float2 value = cells[__float_as_uint (entry.y)];
        v[i / 16][i % 16].x = fmaf (entry.x, value.x, v[i / 16][i % 16].x);
        v[i / 16][i % 16].y = fmaf (entry.x, value.y, v[i / 16][i % 16].y);
      }
    }
    __syncthreads ();
    Layout::put_cells (t, 0, cells, v[0]);
    Layout::put_cells (t, 1, cells, v[1]);
    __syncthreads ();
    Layout::back (t, cells, p.circle);
    __syncthreads ();
    Layout::get_modes (t, cells, p.circle, at, other);
#pragma unroll
    for (int s = 0; s < SLOTS; s++) {
      int q = Layout::mode_of (t, s);
      float a = __ldg (&p.factors[q]), b = a;
      if (Layout::is_ends (t, s))
        b = __ldg (&p.factors[Layout::size / 4]);
      at[s] = make_float2 (-a * at[s].x, -a * at[s].y);
      other[s] = make_float2 (-b * other[s].x, -b * other[s].y);
#pragma unroll
      for (int l = 0; l < 2; l++)
        modes.x[l][s] = modes.g[l][s] = make_float2 (0, 0);
    }
    absorb (at, other);
  }

  /* g += what the transform has brought */
  __device__ __forceinline__ void absorb (
      const float2 (&at)[SLOTS], const float2 (&other)[SLOTS])
  {
#pragma unroll
    for (int s = 0; s < SLOTS; s++) {
      float2 a = at[s], b = other[s], &g = modes.g[0][s], &h = modes.g[1][s];
      if (Complex) {
        g = make_float2 (g.x + a.x, g.y + a.y);
        h = make_float2 (h.x + b.x, h.y + b.y);
      } else if (Layout::is_ends (t, s)) {
        g = make_float2 (g.x + 2 * a.x, g.y + 2 * b.x);
        h = make_float2 (h.x + 2 * a.y, h.y + 2 * b.y);
      } else {
        g = make_float2 (g.x + (a.x + b.x), g.y + (a.y - b.y));
        h = make_float2 (h.x + (a.y + b.y), h.y + (b.x - a.x));
      }
    }
  }

  /* One SpaRSA step; squares: |x' - x|^2 of this thread. */
  __device__ __forceinline__ void move_all (const float (&inverse)[2],
      const float (&threshold)[2], float2 (&at)[SLOTS], float2 (&other)[SLOTS],
      float (&squares)[2])
  {
    float cut[2] = { threshold[0] * inverse[0], threshold[1] * inverse[1] };

    squares[0] = squares[1] = 0;
#pragma unroll
    for (int s = 0; s < SLOTS; s++) {
      uint32_t q = Layout::mode_of (t, s);
      bool ends = Layout::is_ends (t, s);
      if (Complex) {
        uint32_t behind = ends ? Layout::size / 4 : q;
        at[s] = move (modes.x[0][s], modes.g[0][s], inverse[0], cut[0],
            q < p.modes, false);
        other[s] = move (modes.x[1][s], modes.g[1][s], inverse[0], cut[0],
            behind <= p.samples / 2, false);
        squares[0] += square (at[s]) + square (other[s]);
      } else {
        bool there = q < p.modes;
        float2 a = move (
            modes.x[0][s], modes.g[0][s], inverse[0], cut[0], there, ends);
        float2 b = move (
            modes.x[1][s], modes.g[1][s], inverse[1], cut[1], there, ends);
        if (ends) {
          if (!p.nyquist)
            modes.x[0][s].y = modes.x[1][s].y = a.y = b.y = 0;
          at[s] = make_float2 (a.x, b.x);
          other[s] = make_float2 (a.y, b.y);
          squares[0] += square (a);
          squares[1] += square (b);
        } else {
          at[s] = make_float2 (a.x - b.y, a.y + b.x);
          other[s] = make_float2 (a.x + b.y, b.x - a.y);
          squares[0] = fmaf (2, square (a), squares[0]);
          squares[1] = fmaf (2, square (b), squares[1]);
        }
      }
    }
  }

  /* Sums of the warps, for step_length(); what: 0 |s|^2, 1 <s, T s> */
  __device__ __forceinline__ void put_sums (
      uint32_t turn, int what, float a, float b)
  {
    a = sum_of_warp (a);
    if (!Complex)
      b = sum_of_warp (b);
    if (t % 32 == 0) {
      shared.sums[turn][what][0][t / 32] = a;
      if (!Complex)
        shared.sums[turn][what][1][t / 32] = b;
    }
  }

  /* 1 / step of both A-lines */
  __device__ __forceinline__ void step_length (
      uint32_t turn, float (&inverse)[2])
  {
#pragma unroll
    for (int l = 0; l < (Complex ? 1 : 2); l++) {
      float squares = 0, energy = 0;
#pragma unroll
      for (int w = 0; w < warps; w++) {
        squares += shared.sums[turn][0][l][w];
        energy += shared.sums[turn][1][l][w];
      }
      inverse[l] = inverse_step (squares, energy, p.step_min, p.step_max);
    }
  }

  /* g += T s */
  __device__ __forceinline__ void apply (
      uint32_t turn, float2 (&at)[SLOTS], float2 (&other)[SLOTS])
  {
    float2 energy = make_float2 (0, 0);

    Layout::put_modes (t, cells, at, other);
    __syncthreads ();
    Layout::forth (t, cells, p.circle);
    __syncthreads ();
    Layout::multiply (t, cells, p.circle, p.band, energy);
    if (Complex)
      put_sums (turn, 1, energy.x + energy.y, 0);
    else /* the band has half its values, for the sum of a pair */
      put_sums (turn, 1, 2 * energy.x, 2 * energy.y);
    __syncthreads ();
    Layout::back (t, cells, p.circle);
    __syncthreads ();
    Layout::get_modes (t, cells, p.circle, at, other);
    absorb (at, other);
  }

  __device__ __forceinline__ void write (int l)
  {
#pragma unroll
    for (int s = 0; s < SLOTS; s++) {
      uint32_t q = Layout::mode_of (t, s), bin = q - p.depth_start;
      float2 x = modes.x[l][s];
      if (!Complex && Layout::is_ends (t, s))
        x.y = 0;
      x = make_float2 (unscale[l] * x.x, unscale[l] * x.y);
      if (bad[l])
        x.x = x.y = no_number ();
      if (bin < p.depth_bins)
        out[l][bin] = x;
    }
  }

  __device__ __forceinline__ void solve ()
  {
    float2 at[SLOTS], other[SLOTS];
    float inverse[2] = { 1, 1 }, threshold[2], squares[2];

    begin ();
#pragma unroll
    for (int l = 0; l < 2; l++)
      threshold[l] = scale[l] * (p.sigmas ? p.tau * shared.sigma : p.threshold);
    for (uint32_t i = 0;; i++) {
      move_all (inverse, threshold, at, other, squares);
      if (i + 1 == p.iterations)
        break;
      put_sums (i % 2, 0, squares[0], squares[1]);
      apply (i % 2, at, other);
      step_length (i % 2, inverse);
    }
    write (0);
    if (!Complex && out[1])
      write (1);
  }

  /* ------------------------------------------------------------- estimate */

  /* Whether a mode counts in the estimate. */
  __device__ __forceinline__ bool is_deep (int s) const
  {
    uint32_t q = Layout::mode_of (t, s);
    return q >= p.samples / 4 && q < p.modes;
  }

  /* sigma from the median of |g| over the deeper modes, by the digits of its
   * square */
  __device__ __forceinline__ void find_sigma (float (&sigma)[2])
  {
    constexpr int count = Complex ? 1 : 2;
    uint32_t prefix[2] = { 0, 0 };

    if (t < 2)
      shared.rank[t] = (p.modes - p.samples / 4 - 1) / 2;
    for (int shift = 24; shift >= 0; shift -= 8) {
      for (uint32_t i = t; i < 2 * BINS; i += threads)
        shared.bins[i / BINS][i % BINS] = 0;
      __syncthreads ();
#pragma unroll
      for (int s = 0; s < SLOTS; s++)
#pragma unroll
        for (int l = 0; l < count; l++) {
          float2 g = modes.g[l][s];
          if (!Complex && Layout::is_ends (t, s))
            g.y = 0;
          uint32_t key = __float_as_uint (square (g));
          if (is_deep (s) && (shift == 24 || key >> (shift + 8) == prefix[l]))
            atomicAdd (&shared.bins[l][key >> shift & (BINS - 1)], 1);
        }
      __syncthreads ();
      for (int l = t / 32; l < count; l += warps)
        choose_bin (shared.bins[l], t % 32, shared.rank[l], shared.chosen[l]);
      __syncthreads ();
#pragma unroll
      for (int l = 0; l < count; l++)
        prefix[l] = prefix[l] << 8 | shared.chosen[l];
    }
#pragma unroll
    for (int l = 0; l < count; l++)
      sigma[l] = sigma_of (prefix[l]);
  }

  __device__ __forceinline__ void estimate ()
  {
    float2 at[SLOTS], other[SLOTS];
    float inverse[2] = { 1, 1 }, sigma[2] = { 0, 0 }, threshold[2], squares[2];

    begin ();
    for (uint32_t i = 0;; i++) {
      find_sigma (sigma);
      if (i == p.iterations)
        break;
      threshold[0] = p.tau * sigma[0];
      threshold[1] = p.tau * sigma[1];
      move_all (inverse, threshold, at, other, squares);
      put_sums (i % 2, 0, squares[0], squares[1]);
      apply (i % 2, at, other);
      step_length (i % 2, inverse);
    }
    if (t == 0)
      for (int l = 0; l < (Complex ? 1 : 2); l++)
        if (in[l])
          p.sigmas[Complex ? blockIdx.x : 2 * blockIdx.x + l] =
              bad[l] ? no_number () : unscale[l] * sigma[l];
  }
};

template <int First, int Second, bool Complex, bool Estimate>
__global__ void
__launch_bounds__ (Chip<First, Second>::threads,
    512 / Chip<First, Second>::threads) sparsa (OctCudaCsChip p)
{
  extern __shared__ float2 cells[];
  typedef Solver<First, Second, Complex, Estimate> Solver;
  __shared__ typename Solver::Shared shared;

  begin_kernel ();
  Solver solver (p, cells, shared);
  if constexpr (Estimate)
    solver.estimate ();
  else
    solver.solve ();
}

/* ------------------------------------------------------------------ host */

template <int First, int Second>
static int
make_order (uint32_t size, uint32_t *cells)
{
  typedef Chip<First, Second> Layout;

  if (size != Layout::size)
    return 0;
  for (int i = 0; i < 32; i++)
    for (int t = 0; t < Layout::threads; t++)
      cells[i * Layout::threads + t] = Layout::cell_of (t, i / 16, i % 16);
  return 1;
}

extern "C" void
oct_cuda_cs_chip_cells (uint32_t size, uint32_t *cells)
{
  (void)(make_order<4, 16> (size, cells) || make_order<8, 16> (size, cells)
         || make_order<16, 16> (size, cells)
         || make_order<16, 32> (size, cells));
}

template <int First, int Second, bool Complex, bool Estimate>
static cudaError_t
launch_kernel (const OctCudaCsChip *p, OctCudaQueue queue)
{
  typedef Chip<First, Second> Layout;
  size_t bytes = Layout::places * sizeof (float2);
  uint32_t lines = Estimate ? p->noise_lines : p->rows.lines;
  cudaError_t status = cudaSuccess;

  if (bytes > 40 * 1024)
    status = cudaFuncSetAttribute (sparsa<First, Second, Complex, Estimate>,
        cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes);
  if (status != cudaSuccess)
    return status;
  return launch (queue, sparsa<First, Second, Complex, Estimate>,
      Complex ? lines : (lines + 1) / 2, Layout::threads, bytes, *p);
}

template <int First, int Second>
static cudaError_t
launch_size (const OctCudaCsChip *p, int estimate, OctCudaQueue queue)
{
  if (p->is_complex)
    return estimate ? launch_kernel<First, Second, true, true> (p, queue)
                    : launch_kernel<First, Second, true, false> (p, queue);
  return estimate ? launch_kernel<First, Second, false, true> (p, queue)
                  : launch_kernel<First, Second, false, false> (p, queue);
}

extern "C" cudaError_t
oct_cuda_launch_cs_chip (
    const OctCudaCsChip *p, int estimate, OctCudaQueue queue)
{
  switch (p->size) {
  case 1024:
    return launch_size<4, 16> (p, estimate, queue);
  case 2048:
    return launch_size<8, 16> (p, estimate, queue);
  case 4096:
    return launch_size<16, 16> (p, estimate, queue);
  case 8192:
    return launch_size<16, 32> (p, estimate, queue);
  default:
    return cudaErrorInvalidValue;
  }
}
