/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The solvers of few steps on the chip, see oct-cuda-cs-line.cuh and
 * oct-cs.h.  Beside what SpaRSA needs they take |g|^2, which is known to
 * all threads one barrier later; and persistent shrinkage takes the power of
 * the depths around, which stands where the cells were until the next transform
 * begins: two more barriers.
 */
#include "oct-cuda-cs-line.cuh"
#include "oct-cuda-cs-solvers.cuh"

/* Values that threads of a block exchange, apart from the steps. */
template <int Warps> struct MoreExchange {
  float gradients[2][Warps]; /* |g|^2 */
  float weights[2][Warps];   /* of w */
};

template <int First, int Second, bool Complex, bool Spread>
struct Steps : Line<First, Second, Complex, Spread> {
  typedef Line<First, Second, Complex, Spread> Base;
  typedef typename Base::Layout Layout;
  typedef MoreExchange<Base::warps> More;
  using Base::p;
  using Base::residuals;
  using Base::shared;
  using Base::t;

  static constexpr int lines = Complex ? 1 : 2; /* of a block */

  More &more;
  float alpha[2];

  __device__ Steps (const OctCudaCsChip &p, float2 *cells,
      typename Base::Shared &shared, More &more)
      : Base (p, cells, shared), more (more)
  {
  }

  /* Whether there is the first or the second mode of a slot: of complex A-lines
   * q and -q; of real ones q and, at the ends, N / 2. */
  __device__ __forceinline__ bool has_mode (int s, bool second) const
  {
    uint32_t q = Layout::mode_of (t, s);

    if (!second)
      return q < p.modes;
    if (!Complex)
      return Layout::is_ends (t, s) && p.nyquist;
    return (Layout::is_ends (t, s) ? Layout::size / 4 : q) <= p.samples / 2;
  }

  __device__ __forceinline__ float count_modes () const
  {
    return (float)(Complex || p.nyquist ? p.samples : 2 * p.modes - 1);
  }

  /* Sums of the warps, for sum_of(). */
  static __device__ __forceinline__ void put_of_warp (
      float (&sums)[2][Base::warps], float a, float b)
  {
    a = sum_of_warp (a);
    if (!Complex)
      b = sum_of_warp (b);
    if (threadIdx.x % 32 == 0) {
      sums[0][threadIdx.x / 32] = a;
      if (!Complex)
        sums[1][threadIdx.x / 32] = b;
    }
  }

  static __device__ __forceinline__ float sum_of (
      const float (&sums)[Base::warps])
  {
    float sum = 0;

#pragma unroll
    for (int w = 0; w < Base::warps; w++)
      sum += sums[w];
    return sum;
  }

  /* g += what a transform has brought, and |g|^2 of this thread to the others
   */
  __device__ __forceinline__ void absorb_all (
      const float2 (&at)[SLOTS], const float2 (&other)[SLOTS])
  {
    float gradient[2] = { 0, 0 };

#pragma unroll
    for (int s = 0; s < SLOTS; s++) {
      float4 g =
          this->absorbed (s, residuals[s * Base::threads], at[s], other[s]);
      residuals[s * Base::threads] = g;
      if (Complex) {
        gradient[0] +=
            has_mode (s, false) ? square (make_float2 (g.x, g.y)) : 0;
        gradient[0] += has_mode (s, true) ? square (make_float2 (g.z, g.w)) : 0;
      } else if (Layout::is_ends (t, s)) {
        float behind = has_mode (s, true) ? 1 : 0;
        gradient[0] += fmaf (behind * g.y, g.y, g.x * g.x);
        gradient[1] += fmaf (behind * g.w, g.w, g.z * g.z);
      } else if (has_mode (s, false)) {
        gradient[0] = fmaf (2, square (make_float2 (g.x, g.y)), gradient[0]);
        gradient[1] = fmaf (2, square (make_float2 (g.z, g.w)), gradient[1]);
      }
    }
    put_of_warp (more.gradients, gradient[0], gradient[1]);
  }

  __device__ __forceinline__ float rms_gradient (int l) const
  {
    return sqrtf (sum_of (more.gradients[l]) / count_modes ());
  }

  /* 1 / step, from the sums of step i - 1 */
  __device__ __forceinline__ void step_length (uint32_t i, float (&inverse)[2])
  {
#pragma unroll
    for (int l = 0; l < lines; l++) {
      if (i > 0)
        alpha[l] =
            next_length (alpha[l], sum_of (shared.sums[(i - 1) % 2][0][l]),
                sum_of (shared.sums[(i - 1) % 2][1][l]), p.rate, p.step_max);
      inverse[l] = 1 / alpha[l];
    }
    if (Complex)
      inverse[1] = inverse[0];
  }
};

/* --------------------------------------------------------------- continued */

template <int First, int Second, bool Complex>
struct Continued : Steps<First, Second, Complex, false> {
  typedef Steps<First, Second, Complex, false> Base;
  using Base::p;
  using Base::residuals;
  using Base::shared;

  using Base::Base;

  __device__ __forceinline__ void solve ()
  {
    float2 at[SLOTS], other[SLOTS];
    float inverse[2], cut[2], least[2], squares[2];

    this->begin (least, at, other);
#pragma unroll
    for (int l = 0; l < 2; l++) {
      least[l] *= p.sigmas ? p.tau * shared.sigma : p.threshold;
      this->alpha[l] = p.rate;
    }
    for (uint32_t i = 0;; i++) {
      float above = continued_part (i, p.iterations);
      this->absorb_all (at, other);
      __syncthreads ();
      this->step_length (i, inverse);
#pragma unroll
      for (int l = 0; l < Base::lines; l++)
        cut[l] = inverse[l] * fmaxf (least[l], above * this->rms_gradient (l));
      squares[0] = squares[1] = 0;
#pragma unroll
      for (int s = 0; s < SLOTS; s++)
        this->move_slot (s, residuals[s * Base::threads], inverse, cut, at[s],
            other[s], squares);
      if (i + 1 == p.iterations)
        break;
      this->put_sums (i % 2, 0, squares[0], squares[1]);
      this->apply (i % 2, at, other);
    }
    this->write (0);
    if (!Complex && this->is_there (1))
      this->write (1);
  }
};

/* --------------------------------------------------------------- persistent */

template <int First, int Second, bool Complex>
struct Persistent : Steps<First, Second, Complex, true> {
  typedef Steps<First, Second, Complex, true> Base;
  typedef typename Base::Layout Layout;
  using Base::more;
  using Base::p;
  using Base::residuals;
  using Base::t;
  using Base::x;

  /* Powers of two real A-lines, or of a complex one. */
  typedef typename std::conditional<Complex, float, float2>::type Power;

  using Base::Base;

  /* powers()[i], i from -REACH to the number of places + REACH: that of mode i,
   * of complex A-lines i - N / 2; the circle goes on beyond both ends. */
  __device__ __forceinline__ Power *powers () const
  {
    return (Power *)this->cells + REACH;
  }

  /* Sets a place below `places` on a circle of `count`, and its image beyond
   * the other end. */
  __device__ __forceinline__ void put_power (int place, Power power) const
  {
    int count = (int)p.samples;

    powers ()[place] = power;
    if (Complex) {
      if (place < REACH)
        powers ()[place + count] = power;
      if (place >= count - REACH)
        powers ()[place - count] = power;
    } else {
      int behind, places = (int)p.modes + p.nyquist;
      count = p.nyquist ? count : 2 * places - 1;
      behind = count - place;
      if (place > 0 && place <= REACH)
        powers ()[-place] = power;
      if (behind >= places && behind < places + REACH)
        powers ()[behind] = power;
    }
  }

  /* u in place of at and other, of two A-lines or of q and -q, and its power to
   * the others */
  __device__ __forceinline__ void begin_step (
      const float (&inverse)[2], float2 (&at)[SLOTS], float2 (&other)[SLOTS])
  {
#pragma unroll
    for (int s = 0; s < SLOTS; s++) {
      int q = Layout::mode_of (t, s);
      bool ends = Layout::is_ends (t, s);
      float4 g = residuals[s * Base::threads];
      float2 a = make_float2 (fmaf (-inverse[0], g.x, x[0][s].x),
          fmaf (-inverse[0], g.y, x[0][s].y));
      float2 b = make_float2 (fmaf (-inverse[1], g.z, x[1][s].x),
          fmaf (-inverse[1], g.w, x[1][s].y));
      at[s] = a;
      other[s] = b;
      if constexpr (Complex) {
        int half = (int)p.samples / 2;
        if (this->has_mode (s, false))
          put_power (half + q, square (a));
        if (this->has_mode (s, true))
          put_power (ends ? 0 : half - q, square (b));
      } else if (ends) {
        put_power (0, make_float2 (a.x * a.x, b.x * b.x));
        if (this->has_mode (s, true))
          put_power (Layout::size / 4, make_float2 (a.y * a.y, b.y * b.y));
      } else if (this->has_mode (s, false)) {
        put_power (q, make_float2 (square (a), square (b)));
      }
    }
  }

  /* Sum of the powers around a place. */
  __device__ __forceinline__ Power around (int place) const
  {
    const Power *from = powers () + place - REACH;
    Power sum = from[0];

#pragma unroll
    for (int i = 1; i <= 2 * REACH; i++) {
      if constexpr (Complex) {
        sum += from[i];
      } else {
        sum.x += from[i].x;
        sum.y += from[i].y;
      }
    }
    return sum;
  }

  /* w of the first and second of a slot (complex: q and -q; else the A-lines),
   * 0 where there is no such mode; ends: of N / 2 of both A-lines */
  __device__ __forceinline__ float2 weigh (
      int s, const float (&cut)[2], bool behind) const
  {
    int q = behind ? Layout::size / 4 : Layout::mode_of (t, s);
    bool first = this->has_mode (s, Complex ? false : behind);

    if constexpr (Complex) {
      bool second = this->has_mode (s, true);
      int half = (int)p.samples / 2;
      int place = Layout::is_ends (t, s) ? 0 : half - q;
      float a = first ? around (half + q) : 0, b = second ? around (place) : 0;
      return make_float2 (weight_of (a, cut[0]), weight_of (b, cut[0]));
    } else {
      float2 sum = first ? around (q) : make_float2 (0, 0);
      return make_float2 (weight_of (sum.x, cut[0]), weight_of (sum.y, cut[1]));
    }
  }

  /* x' = (w - kappa) part u of all slots; at, other: x' - x for the transform
   */
  __device__ __forceinline__ void move_all (const float (&cut)[2],
      const float (&kappa)[2], float2 (&at)[SLOTS], float2 (&other)[SLOTS],
      float (&squares)[2], float (&weights)[2])
  {
    float part[2] = { 1 / (1 - kappa[0]), 1 / (1 - kappa[1]) };

    squares[0] = squares[1] = weights[0] = weights[1] = 0;
#pragma unroll
    for (int s = 0; s < SLOTS; s++) {
      bool ends = Layout::is_ends (t, s);
      float2 w = weigh (s, cut, false), behind = w;
      if (!Complex && ends)
        behind = weigh (s, cut, true);
      float count = Complex || ends ? 1 : 2;
      weights[0] = fmaf (count, w.x, weights[0]);
      weights[1] = fmaf (count, w.y, weights[1]);
      if (!Complex && ends) {
        weights[0] += behind.x;
        weights[1] += behind.y;
      }
      bool there[2] = { this->has_mode (s, false),
        this->has_mode (s, Complex) };
      float f0 = there[0] ? part[0] * (w.x - kappa[0]) : 0;
      float f1 = there[1] ? part[1] * (w.y - kappa[1]) : 0;
      float b0 = f0, b1 = f1;
      if (!Complex && ends) {
        bool last = this->has_mode (s, true);
        b0 = last ? part[0] * (behind.x - kappa[0]) : 0;
        b1 = last ? part[1] * (behind.y - kappa[1]) : 0;
      }
      float2 a = take (x[0][s], make_float2 (f0 * at[s].x, b0 * at[s].y));
      float2 b = take (x[1][s], make_float2 (f1 * other[s].x, b1 * other[s].y));
      if (Complex) {
        at[s] = a;
        other[s] = b;
        squares[0] += square (a) + square (b);
      } else {
        this->join_slot (s, a, b, at[s], other[s], squares);
      }
    }
  }

  /* x = w^1/2 u */
  __device__ __forceinline__ void conclude (const float (&cut)[2],
      const float2 (&at)[SLOTS], const float2 (&other)[SLOTS])
  {
#pragma unroll
    for (int s = 0; s < SLOTS; s++) {
      float2 w = weigh (s, cut, false);
      float a = sqrtf (w.x), b = sqrtf (w.y);
      x[0][s] = make_float2 (a * at[s].x, a * at[s].y);
      x[1][s] = make_float2 (b * other[s].x, b * other[s].y);
    }
  }

  /* nu of the last step, as it was before A-lines were scaled */
  __device__ __forceinline__ void tell (const float (&nu)[2]) const
  {
    for (int l = 0; l < Base::lines; l++) {
      uint32_t largest = this->largest_of (l), line = this->number_of (l);
      float level = largest >= NOT_FINITE
                        ? no_number ()
                        : power_of_two (exponent_of (largest)) * nu[l];
      int place = p.spread ? (int)line : noise_place (line, p);
      if (!this->is_there (l) || place < 0)
        continue;
      if (p.spread)
        p.sigmas[place] = level;
      p.told[place] = level;
    }
  }

  __device__ __forceinline__ void solve ()
  {
    float2 at[SLOTS], other[SLOTS];
    float inverse[2], cut[2], kappa[2] = { 0, 0 }, nu[2] = { 0, 0 };
    float least[2], squares[2], weights[2];

    this->begin (least, at, other);
    this->alpha[0] = this->alpha[1] = p.rate;
    least[0] *= p.threshold;
    least[1] *= p.threshold;
    for (uint32_t i = 0;; i++) {
      bool last = i + 1 == p.iterations;
      float lambda = last ? p.tau * p.tau / 6 : SHRINK;
      this->absorb_all (at, other);
      __syncthreads ();
      this->step_length (i, inverse);
#pragma unroll
      for (int l = 0; l < Base::lines; l++) {
        float least_cut;
        nu[l] = fmaxf (this->rms_gradient (l), least[l]);
        least_cut = nu[l] * inverse[l];
        cut[l] = lambda * least_cut * least_cut;
        if (i > 0)
          kappa[l] = fminf (
              this->sum_of (more.weights[l]) / this->count_modes (), KAPPA_MAX);
      }
      if (Complex)
        kappa[1] = kappa[0];
      begin_step (inverse, at, other);
      __syncthreads ();
      if (last)
        break;
      move_all (cut, kappa, at, other, squares, weights);
      this->put_sums (i % 2, 0, squares[0], squares[1]);
      /* a complex A-line has both */
      this->put_of_warp (more.weights,
          Complex ? weights[0] + weights[1] : weights[0], weights[1]);
      __syncthreads ();
      this->apply (i % 2, at, other);
    }
    conclude (cut, at, other);
    if (t == 0)
      tell (nu);
    if (p.spread)
      return;
    this->write (0);
    if (!Complex && this->is_there (1))
      this->write (1);
  }
};

/* -------------------------------------------------------------------- kernels
 */

template <template <int, int, bool> class Solver, int First, int Second,
    bool Complex>
__global__ void
__launch_bounds__ (Chip<First, Second>::threads,
    512 / Chip<First, Second>::threads) few_steps (OctCudaCsChip p)
{
  extern __shared__ float4 memory[];
  typedef Solver<First, Second, Complex> Solving;
  __shared__ typename Solving::Shared shared;
  __shared__ typename Solving::More more;

  begin_kernel ();
  Solving solver (p, (float2 *)memory, shared, more);
  solver.solve ();
}

template <template <int, int, bool> class Solver, int First, int Second>
static cudaError_t
launch_size (const OctCudaCsChip *p, OctCudaQueue queue)
{
  return launch_lines<Chip<First, Second> > (
      p->is_complex ? few_steps<Solver, First, Second, true>
                    : few_steps<Solver, First, Second, false>,
      p, p->spread ? p->noise_lines : p->rows.lines, queue);
}

template <template <int, int, bool> class Solver>
static cudaError_t
launch_solver (const OctCudaCsChip *p, OctCudaQueue queue)
{
  switch (p->size) {
  case 1024:
    return launch_size<Solver, 4, 16> (p, queue);
  case 2048:
    return launch_size<Solver, 8, 16> (p, queue);
  case 4096:
    return launch_size<Solver, 16, 16> (p, queue);
  case 8192:
    return launch_size<Solver, 16, 32> (p, queue);
  default:
    return cudaErrorInvalidValue;
  }
}

extern "C" cudaError_t
oct_cuda_launch_cs_persistent (const OctCudaCsChip *p, OctCudaQueue queue)
{
  return launch_solver<Persistent> (p, queue);
}

extern "C" cudaError_t
oct_cuda_launch_cs_continued (const OctCudaCsChip *p, OctCudaQueue queue)
{
  return launch_solver<Continued> (p, queue);
}
