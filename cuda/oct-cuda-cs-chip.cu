/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SpaRSA on the chip, see oct-cuda-cs-line.cuh; and which sizes there are
 * kernels for.
 */
#include "oct-cuda-cs-line.cuh"

template <int First, int Second, bool Complex>
struct Solver : Line<First, Second, Complex, false> {
  typedef Line<First, Second, Complex, false> Base;
  using Base::p;
  using Base::residuals;
  using Base::shared;
  using Base::t;
  using Base::x;

  __device__ Solver (
      const OctCudaCsChip &p, float2 *cells, typename Base::Shared &shared)
      : Base (p, cells, shared)
  {
  }

  /* One step after a transform. */
  __device__ __forceinline__ void move_all (const float (&inverse)[2],
      const float (&threshold)[2], float2 (&at)[SLOTS], float2 (&other)[SLOTS],
      float (&squares)[2])
  {
    float cut[2] = { threshold[0] * inverse[0], threshold[1] * inverse[1] };

    squares[0] = squares[1] = 0;
#pragma unroll
    for (int s = 0; s < SLOTS; s++) {
      float4 g = residuals[s * Base::threads];
      residuals[s * Base::threads] = g = this->absorbed (s, g, at[s], other[s]);
      this->move_slot (s, g, inverse, cut, at[s], other[s], squares);
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
      for (int w = 0; w < Base::warps; w++) {
        squares += shared.sums[turn][0][l][w];
        energy += shared.sums[turn][1][l][w];
      }
      inverse[l] = inverse_step (squares, energy, p.step_min, p.step_max);
    }
  }

  __device__ __forceinline__ void solve ()
  {
    float2 at[SLOTS], other[SLOTS];
    float inverse[2] = { 1, 1 }, threshold[2], squares[2];

    this->begin (threshold, at, other);
#pragma unroll
    for (int l = 0; l < 2; l++)
      threshold[l] *= p.sigmas ? p.tau * shared.sigma : p.threshold;
    for (uint32_t i = 0;; i++) {
      move_all (inverse, threshold, at, other, squares);
      if (i + 1 == p.iterations)
        break;
      this->put_sums (i % 2, 0, squares[0], squares[1]);
      this->apply (i % 2, at, other);
      step_length (i % 2, inverse);
    }
    this->write (0);
    if (!Complex && this->is_there (1))
      this->write (1);
  }
};

template <int First, int Second, bool Complex>
__global__ void
__launch_bounds__ (Chip<First, Second>::threads,
    512 / Chip<First, Second>::threads) sparsa (OctCudaCsChip p)
{
  extern __shared__ float4 memory[];
  typedef Solver<First, Second, Complex> Solver;
  __shared__ typename Solver::Shared shared;

  begin_kernel ();
  Solver solver (p, (float2 *)memory, shared);
  solver.solve ();
}

/* ------------------------------------------------------------------ host */

static size_t
memory_of_size (uint32_t size)
{
  switch (size) {
  case 1024:
    return memory_of_line<Chip<4, 16> > ();
  case 2048:
    return memory_of_line<Chip<8, 16> > ();
  case 4096:
    return memory_of_line<Chip<16, 16> > ();
  case 8192:
    return memory_of_line<Chip<16, 32> > ();
  default:
    return 0;
  }
}

extern "C" int
oct_cuda_cs_chip_has (uint32_t size)
{
  size_t needed = memory_of_size (size);
  int device = 0, most = 0;

  if (needed == 0 || cudaGetDevice (&device) != cudaSuccess
      || cudaDeviceGetAttribute (
             &most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device)
             != cudaSuccess) {
    cudaGetLastError ();
    return 0;
  }
  return needed + 1024 <= (size_t)most; /* some is in use beside it */
}

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

template <int First, int Second>
static cudaError_t
launch_size (const OctCudaCsChip *p, OctCudaQueue queue)
{
  typedef Chip<First, Second> Layout;

  return launch_lines<Layout> (p->is_complex ? sparsa<First, Second, true>
                                             : sparsa<First, Second, false>,
      p, p->rows.lines, queue);
}

extern "C" cudaError_t
oct_cuda_launch_cs_chip (const OctCudaCsChip *p, OctCudaQueue queue)
{
  switch (p->size) {
  case 1024:
    return launch_size<4, 16> (p, queue);
  case 2048:
    return launch_size<8, 16> (p, queue);
  case 4096:
    return launch_size<16, 16> (p, queue);
  case 8192:
    return launch_size<16, 32> (p, queue);
  default:
    return cudaErrorInvalidValue;
  }
}
