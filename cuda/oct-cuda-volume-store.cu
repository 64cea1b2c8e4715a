/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Volumes on the screen: images to voxels, and where there is nothing to see.
 */
#include "oct-cuda-volume-parts.h"

#define THREADS 256

/* Voxels of a block of smooth_kernel(). */
#define TX 64
#define TZ 16
/* Words of four voxels in a row of them, with one more on each side. */
#define WORDS (TX / 4 + 2)
#define ROW (4 * WORDS)

#define CELL OCT_VOLUME_CELL

__device__ __forceinline__ int
limit (int a, int last)
{
  a = a < 0 ? 0 : a;
  return a < last ? a : last;
}

/* -------------------------------------------------------------------- store */

/* Four A-lines a thread; WIDE: as one word. */
template <int PIXEL, bool WIDE>
__global__ void
store_kernel (OctCudaVolumeStore s)
{
  uint32_t x = 4 * (blockIdx.x * 32 + threadIdx.x % 32);
  uint32_t z = blockIdx.y * 8 + threadIdx.x / 32, b = blockIdx.z;
  uint32_t some = s.decimation < s.depth ? s.decimation : 1;
  uint32_t sums[4], word = 0;
  const uint8_t *from;

  if (x >= s.nx || z >= s.nz)
    return;
  if (s.decimation == s.depth)
    some = s.decimation;
  from = s.images + ((size_t)b * s.depth + (size_t)z * s.decimation) * s.stride
         + (size_t)x * PIXEL;
  for (int i = 0; i < 4; i++)
    sums[i] = some / 2;
  for (uint32_t k = 0; k < some; k++, from += s.stride) {
    if (WIDE) {
      uint32_t w = *(const uint32_t *)from;

      for (int i = 0; i < 4; i++)
        sums[i] += w >> 8 * i & 255;
    } else {
      for (int i = 0; i < 4; i++)
        sums[i] += from[(size_t)(x + i < s.nx ? i : s.nx - 1 - x) * PIXEL];
    }
  }
  for (int i = 0; i < 4; i++)
    word |= (sums[i] >> (31 - __clz (some))) << 8 * i;
  *(uint32_t *)(s.raw + ((size_t)b * s.nz + z) * s.raw_row + x) = word;
}

extern "C" cudaError_t
oct_cuda_launch_volume_store (
    const OctCudaVolumeStore *s, cudaStream_t stream)
{
  dim3 grid ((s->nx + 127) / 128, (s->nz + 7) / 8, s->bscans);
  bool wide = s->pixel_size == 1 && (size_t)s->images % 4 == 0
              && s->stride % 4 == 0 && s->nx % 4 == 0;

  if (s->pixel_size == 4)
    store_kernel<4, false><<<grid, THREADS, 0, stream>>> (*s);
  else if (wide)
    store_kernel<1, true><<<grid, THREADS, 0, stream>>> (*s);
  else
    store_kernel<1, false><<<grid, THREADS, 0, stream>>> (*s);
  return cudaGetLastError ();
}

/* ---------------------------------------------------------------- smoothing */

/* Four voxels at x of a row, those beyond its ends as the outermost. */
__device__ __forceinline__ uint32_t
read_word (const uint8_t *row, int x, int nx)
{
  uint32_t word = 0;

  if (x >= 0 && x + 4 <= nx)
    return *(const uint32_t *)(row + x);
  for (int i = 0; i < 4; i++)
    word |= (uint32_t)row[limit (x + i, nx - 1)] << 8 * i;
  return word;
}

/* Smallest and largest of 8 x 8 voxels and one more each way: eight threads
 * each. */
__device__ __forceinline__ void
find_extents (const OctCudaVolumeSmooth &s, uint8_t (*tile)[ROW], uint32_t y)
{
  uint32_t t = threadIdx.x / 8, lane = threadIdx.x % 8;
  uint32_t bx = t % (TX / CELL), bz = t / (TX / CELL);
  uint32_t cx = blockIdx.x * (TX / CELL) + bx;
  uint32_t cz = blockIdx.y * (TZ / CELL) + bz;
  int low = 255, high = 0;

  if (threadIdx.x >= 8 * (TX / CELL) * (TZ / CELL))
    return;
  for (uint32_t r = lane; r <= CELL; r += 8)
    for (int i = 0; i <= CELL; i++) {
      int value = tile[bz * CELL + r][bx * CELL + i];

      low = min (low, value);
      high = max (high, value);
    }
  for (int o = 4; o > 0; o /= 2) {
    low = min (low, __shfl_xor_sync (~0u, low, o));
    high = max (high, __shfl_xor_sync (~0u, high, o));
  }
  if (lane == 0 && cx < s.tx && cz < s.tz)
    s.extents[((size_t)y * s.tz + cz) * s.tx + cx] =
        make_uchar2 ((unsigned char)low, (unsigned char)high);
}

/* Binomial over three B-scans, three depths, or five (OUTER), three A-lines. */
template <bool OUTER>
__global__ void __launch_bounds__ (THREADS)
smooth_kernel (OctCudaVolumeSmooth s)
{
  __shared__ __align__ (16) uint16_t sums[TZ + 5][ROW]; /* from z0 - 2, x0 - 4 */
  __shared__ __align__ (16) uint16_t deep[TZ + 1][ROW];
  __shared__ __align__ (16) uint8_t tile[TZ + 1][ROW]; /* from z0, x0 */
  int x0 = blockIdx.x * TX, z0 = blockIdx.y * TZ;
  int y = s.first + blockIdx.z, nx = s.nx, nz = s.nz, last = s.ny - 1;
  size_t slice = s.raw_row * s.nz;
  const uint8_t *a = s.raw + slice * limit (y - 1, last);
  const uint8_t *b = s.raw + slice * y;
  const uint8_t *c = s.raw + slice * limit (y + 1, last);

  for (int i = threadIdx.x; i < (TZ + 5) * WORDS; i += THREADS) {
    int r = i / WORDS, w = i % WORDS;
    size_t row = (size_t)limit (z0 + r - 2, nz - 1) * s.raw_row;
    int x = x0 + 4 * w - 4;
    uint32_t p = read_word (a + row, x, nx), q = read_word (b + row, x, nx);
    uint32_t t = read_word (c + row, x, nx);
    uint32_t even = (p & 0xff00ff) + 2 * (q & 0xff00ff) + (t & 0xff00ff);
    uint32_t odd = (p >> 8 & 0xff00ff) + 2 * (q >> 8 & 0xff00ff)
                   + (t >> 8 & 0xff00ff);

    *(uint2 *)&sums[r][4 * w] = make_uint2 (
        __byte_perm (even, odd, 0x5410), __byte_perm (even, odd, 0x7632));
  }
  __syncthreads ();
  /* two A-lines in a word: sums stay below 2^15 */
  for (int i = threadIdx.x; i < (TZ + 1) * (ROW / 2); i += THREADS) {
    int r = i / (ROW / 2), w = 2 * (i % (ROW / 2));
    uint32_t h[5];

    for (int k = 0; k < 5; k++)
      h[k] = *(const uint32_t *)&sums[r + k][w];
    *(uint32_t *)&deep[r][w] =
        OUTER ? h[0] + h[4] + 4 * (h[1] + h[3]) + 6 * h[2]
              : 4 * (h[1] + 2 * h[2] + h[3]);
  }
  __syncthreads ();
  for (int i = threadIdx.x; i < (TZ + 1) * (TX / 4 + 1); i += THREADS) {
    int r = i / (TX / 4 + 1), w = 4 * (i % (TX / 4 + 1));
    uint32_t word = 0;

    for (int k = 0; k < 4; k++) {
      /* one voxel beyond the block, and no more */
      int at = min (w + k, TX) + 4;
      uint32_t value =
          (deep[r][at - 1] + 2u * deep[r][at] + deep[r][at + 1] + 128) >> 8;

      word |= value << 8 * k;
    }
    *(uint32_t *)&tile[r][w] = word;
  }
  __syncthreads ();
  if (threadIdx.x < TZ * (TX / 16)) {
    int r = threadIdx.x / (TX / 16), w = threadIdx.x % (TX / 16) * 16;
    const uint32_t *from = (const uint32_t *)&tile[r][w];

    if (z0 + r < nz && x0 + w < nx)
      surf3Dwrite (make_uint4 (from[0], from[1], from[2], from[3]), s.voxels,
          x0 + w, z0 + r, y);
  }
  find_extents (s, tile, y);
}

extern "C" cudaError_t
oct_cuda_launch_volume_smooth (
    const OctCudaVolumeSmooth *s, cudaStream_t stream)
{
  dim3 grid ((s->nx + TX - 1) / TX, (s->nz + TZ - 1) / TZ, s->count);

  if (s->outer)
    smooth_kernel<true><<<grid, THREADS, 0, stream>>> (*s);
  else
    smooth_kernel<false><<<grid, THREADS, 0, stream>>> (*s);
  return cudaGetLastError ();
}

/* ------------------------------------------------------------------- blocks */

__global__ void
cells_kernel (OctCudaVolumeCells s)
{
  uint32_t x = blockIdx.x * 32 + threadIdx.x % 32;
  uint32_t z = blockIdx.y * 8 + threadIdx.x / 32, y = blockIdx.z;
  int low = 255, high = 0;

  if (x >= s.gx || z >= s.gz)
    return;
  for (uint32_t i = y * CELL; i <= min ((y + 1) * CELL, s.ny - 1); i++) {
    uchar2 e = s.extents[((size_t)i * s.tz + z) * s.tx + x];

    low = min (low, (int)e.x);
    high = max (high, (int)e.y);
  }
  s.cells[((size_t)y * s.gz + z) * s.gx + x] =
      make_uchar2 ((unsigned char)low, (unsigned char)high);
}

/* Blocks beside each other are those of 8 x 8 voxels. */
extern "C" cudaError_t
oct_cuda_launch_volume_cells (
    const OctCudaVolumeCells *s, cudaStream_t stream)
{
  dim3 grid ((s->gx + 31) / 32, (s->gz + 7) / 8, s->gy);

  cells_kernel<<<grid, THREADS, 0, stream>>> (*s);
  return cudaGetLastError ();
}

__global__ void
seen_kernel (OctCudaVolumeCells s, uint32_t n)
{
  uint32_t i = blockIdx.x * THREADS + threadIdx.x;

  if (i < n) {
    uchar2 e = s.cells[i];
    uint32_t from = e.x > 0 ? e.x - 1 : 0, to = min (e.y + 2, 256);

    s.scratch[i] = s.seen[to] != s.seen[from] ? 0 : OCT_VOLUME_FAR;
  }
}

/* Along one axis, where distances along those before are known: a block at k
 * with a distance d along the others is max (k, d) away. */
__global__ void
spread_kernel (const uint8_t *from, uint8_t *to, uint32_t n, uint32_t step,
    uint32_t count)
{
  uint32_t i = blockIdx.x * THREADS + threadIdx.x;
  int at, best;

  if (i >= n)
    return;
  at = i / step % count;
  best = from[i];
  for (int k = 1; k < best; k++) {
    int other = OCT_VOLUME_FAR;

    if (at >= k)
      other = min (other, (int)from[i - (size_t)k * step]);
    if (at + k < (int)count)
      other = min (other, (int)from[i + (size_t)k * step]);
    best = min (best, max (other, k));
  }
  to[i] = (uint8_t)best;
}

extern "C" cudaError_t
oct_cuda_launch_volume_distances (
    const OctCudaVolumeCells *s, cudaStream_t stream)
{
  uint32_t n = s->gx * s->gy * s->gz, blocks = (n + THREADS - 1) / THREADS;

  seen_kernel<<<blocks, THREADS, 0, stream>>> (*s, n);
  spread_kernel<<<blocks, THREADS, 0, stream>>> (
      s->scratch, s->distance, n, 1, s->gx);
  spread_kernel<<<blocks, THREADS, 0, stream>>> (
      s->distance, s->scratch, n, s->gx, s->gz);
  spread_kernel<<<blocks, THREADS, 0, stream>>> (
      s->scratch, s->distance, n, s->gx * s->gz, s->gy);
  return cudaGetLastError ();
}
