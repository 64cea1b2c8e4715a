/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * A-scans to an image: range and mapping.
 *
 * The range is found by one kernel, as the smallest and largest power in device
 * memory; the next one makes the mapping of it, once in every block, while the
 * A-scans of the block are on their way.  Powers are not negative, so their
 * bits as integers are in the same order.  highest[] holds the bits plus one,
 * so that nothing at all is less than the power 0.
 *
 * For the contrast range (oct-contrast.h) the last block of the kernel computes
 * both ends, from the results of all blocks: sums of the depth bands, added in
 * a fixed order, and a histogram.  Every block counts its own in shared memory
 * and adds places that are not 0, a few hundred, to the one in device memory;
 * the last block leaves that empty for the next B-scan.
 */
#include "oct-cuda-powers.cuh"

#include <cfloat>

#define POWER_FLOOR 1e-20f

#define FIND_THREADS (32 * OCT_CONTRAST_BANDS)
#define FIND_BLOCKS 500

#define TILE_LINES 64
#define TILE_DEPTH 32
#define MAP_THREADS 256
#define MAPPINGS_THREADS 128u

__device__ __forceinline__ float
power_of (float2 a)
{
  return a.x * a.x + a.y * a.y;
}

__device__ __forceinline__ float
power_of (float power)
{
  return power;
}

__host__ __device__ static OctCudaMapping
make_mapping (bool is_log, double full, double min, double max)
{
  /* without an extent every level is below 0 */
  OctCudaMapping map = { 0, -1, (float)full, 0 };
  double reference;

  if (!(max > min))
    return map;
  if (!is_log) {
    map.scale = (float)(full / (max - min));
    map.offset = (float)min;
    return map;
  }
  /* counted from the octave of the minimum, the terms stay small */
  reference = floor (min / DB_PER_OCTAVE);
  reference = reference < -1e6 ? -1e6 : reference > 1e6 ? 1e6 : reference;
  map.reference = (int32_t)reference;
  map.scale = (float)(full * DB_PER_OCTAVE / (max - min));
  map.offset = (float)((reference * DB_PER_OCTAVE - min) * full / (max - min));
  return map;
}

extern "C" OctCudaMapping
oct_cuda_make_mapping (int is_log, double full, double min, double max)
{
  return make_mapping (is_log, full, min, max);
}

extern "C" uint32_t
oct_cuda_extent_blocks (uint32_t lines)
{
  return lines < FIND_BLOCKS ? lines : FIND_BLOCKS;
}

template <typename Value>
__device__ __forceinline__ Value
warp_sum (Value value)
{
  for (int offset = 16; offset > 0; offset /= 2)
    value += __shfl_xor_sync (~0u, value, offset);
  return value;
}

__device__ __forceinline__ float
warp_min (float value)
{
  for (int offset = 16; offset > 0; offset /= 2)
    value = fminf (value, __shfl_xor_sync (~0u, value, offset));
  return value;
}

__device__ __forceinline__ float
warp_max (float value)
{
  for (int offset = 16; offset > 0; offset /= 2)
    value = fmaxf (value, __shfl_xor_sync (~0u, value, offset));
  return value;
}

/* Adds the smallest and largest of the block to those of the B-scan. */
__device__ __forceinline__ void
add_extent (const OctCudaFindRange &find, float lowest, float highest)
{
  __shared__ float lows[OCT_CONTRAST_BANDS], highs[OCT_CONTRAST_BANDS];
  uint32_t lane = threadIdx.x % 32;

  lowest = warp_min (lowest);
  highest = warp_max (highest);
  if (lane == 0) {
    lows[threadIdx.x / 32] = lowest;
    highs[threadIdx.x / 32] = highest;
  }
  __syncthreads ();
  if (threadIdx.x >= 32)
    return;
  lowest = warp_min (lows[lane % OCT_CONTRAST_BANDS]);
  highest = warp_max (highs[lane % OCT_CONTRAST_BANDS]);
  if (lane == 0)
    atomicMin (&find.statistics->lowest, __float_as_uint (lowest));
  if (lane == 1 && highest >= 0)
    atomicMax (&find.statistics->highest, __float_as_uint (highest) + 1);
}

/* Smallest and largest power that one thread has seen. */
struct Extent {
  float lowest = INFINITY, highest = -1;

  __device__ __forceinline__ void add (float power)
  {
    lowest = fminf (lowest, power);
    /* not-a-number is not */
    highest = fmaxf (highest, power <= FLT_MAX ? power : -1);
  }
};

/* Sum and number of the values of one thread that count. */
template <bool Log> struct Sum {
  float sum = 0;
  uint32_t count = 0;

  __device__ __forceinline__ void add (float power, uint32_t *histogram)
  {
    int32_t exponent;
    float fraction;

    if (!is_counted (power))
      return;
    fraction = log2_parts (power, &exponent);
    sum += Log ? (float)exponent + fraction : power;
    count++;
    atomicAdd (&histogram[contrast_bin (power)], 1u);
  }
};

/* Calls `each` with the values of the A-scans of this block, of depths `first`
 * to `end` - 1 by the lanes of a warp, two A-scans at a time; calls `after`
 * after some of them. */
template <typename Value, typename Each, typename After>
__device__ __forceinline__ void
for_values (const OctCudaAscans &ascans, uint32_t first, uint32_t end,
    Each each, After after)
{
  const Value *in = (const Value *)ascans.in;

  for (uint32_t line = blockIdx.x; line < ascans.lines; line += 2 * gridDim.x) {
    bool both = line + gridDim.x < ascans.lines;
    const Value *one = row_of (in, ascans.in_stride, line);
    const Value *other =
        row_of (in, ascans.in_stride, both ? line + gridDim.x : line);
#pragma unroll 4
    for (uint32_t i = first + threadIdx.x % 32; i < end; i += 32) {
      Value value = one[i], other_value = other[i];
      each (value);
      if (both)
        each (other_value);
    }
    after ();
  }
}

/* Warp b takes depth band b. */
template <typename Value>
__device__ __forceinline__ void
find_extent (const OctCudaFindRange &find)
{
  uint32_t band = threadIdx.x / 32, depth_bins = find.ascans.depth_bins;
  Extent mine;

  for_values<Value> (
      find.ascans, depth_bins * band / OCT_CONTRAST_BANDS,
      depth_bins * (band + 1) / OCT_CONTRAST_BANDS,
      [&] (Value value) { mine.add (power_of (value)); }, [] () {});
  add_extent (find, mine.lowest, mine.highest);
}

/* Adds the statistics of the A-scans of this block: warp b has depth band b. */
template <bool Log, typename Value>
__device__ __forceinline__ void
add_contrast (const OctCudaFindRange &find)
{
  __shared__ uint32_t histogram[OCT_CONTRAST_BINS];
  uint32_t band = threadIdx.x / 32, depth_bins = find.ascans.depth_bins;
  Sum<Log> mine;
  double sum = 0;

  for (uint32_t i = threadIdx.x; i < OCT_CONTRAST_BINS; i += FIND_THREADS)
    histogram[i] = 0;
  __syncthreads ();
  for_values<Value> (
      find.ascans, oct_contrast_band (depth_bins, band),
      oct_contrast_band (depth_bins, band + 1),
      [&] (Value value) { mine.add (exact_power_of (value), histogram); },
      [&] () {
        /* a float for some values of a few A-scans alone */
        sum += mine.sum;
        mine.sum = 0;
      });
  sum = warp_sum (sum);
  mine.count = warp_sum (mine.count);
  if (threadIdx.x % 32 == 0) {
    find.extents[blockIdx.x].sums[band] = sum;
    find.extents[blockIdx.x].counts[band] = mine.count;
  }
  __syncthreads ();
  for (uint32_t i = threadIdx.x; i < OCT_CONTRAST_BINS; i += FIND_THREADS)
    if (histogram[i] > 0)
      atomicAdd (&find.statistics->histogram[i], histogram[i]);
}

/* The lowest mean over a depth band, put together in a fixed order, and the
 * number of all values that count; for every thread. */
__device__ static double
find_floor (const OctCudaFindRange &find, unsigned long long *total)
{
  __shared__ double means[OCT_CONTRAST_BANDS];
  __shared__ unsigned long long counts[OCT_CONTRAST_BANDS];
  uint32_t band = threadIdx.x / 32, lane = threadIdx.x % 32;
  double sum = 0, lowest = INFINITY;
  unsigned long long count = 0;

#pragma unroll 4
  for (uint32_t block = lane; block < gridDim.x; block += 32) {
    sum += __ldcg (&find.extents[block].sums[band]);
    count += __ldcg (&find.extents[block].counts[band]);
  }
  sum = warp_sum (sum);
  count = warp_sum (count);
  if (lane == 0) {
    means[band] = count > 0 ? sum / (double)count : INFINITY;
    counts[band] = count;
  }
  __syncthreads ();
  *total = 0;
  for (int i = 0; i < OCT_CONTRAST_BANDS; i++) {
    lowest = means[i] < lowest ? means[i] : lowest;
    *total += counts[i];
  }
  return lowest;
}

/* The sum of `value` over the threads in front of this one. */
__device__ __forceinline__ unsigned long long
sum_before (uint32_t value)
{
  __shared__ unsigned long long sums[FIND_THREADS / 32];
  uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  unsigned long long sum = value;

  for (int offset = 1; offset < 32; offset *= 2) {
    unsigned long long before = __shfl_up_sync (~0u, sum, offset);
    sum += lane >= offset ? before : 0;
  }
  if (lane == 31)
    sums[warp] = sum;
  __syncthreads ();
  for (uint32_t i = 0; i < warp; i++)
    sum += sums[i];
  return sum - value;
}

/* Both ends of the contrast range, by the last block; the histogram is emptied.
 * Threads hold bins from the brightest downwards. */
template <bool Log>
__device__ static void
find_contrast (const OctCudaFindRange &find)
{
  constexpr int bins = (OCT_CONTRAST_BINS + FIND_THREADS - 1) / FIND_THREADS;
  OctCudaStatistics *statistics = find.statistics;
  unsigned long long total, above, more;
  double low = find_floor (find, &total);
  uint32_t counts[bins], sum = 0;

#pragma unroll
  for (int i = 0; i < bins; i++) {
    int bin = OCT_CONTRAST_BINS - 1 - ((int)threadIdx.x * bins + i);
    counts[i] = 0;
    if (bin >= 0) {
      counts[i] = __ldcg (&statistics->histogram[bin]);
      statistics->histogram[bin] = 0;
    }
    sum += counts[i];
  }
  more = sum_before (sum);
  above = total / OCT_CONTRAST_ABOVE;
  if (threadIdx.x == 0 && total == 0)
    statistics->contrast_is_valid = 0;
  if (above < more || above >= more + sum)
    return;
#pragma unroll
  for (int i = 0; i < bins; i++) {
    if (above >= more && above < more + counts[i])
      set_contrast<Log> (statistics, low,
          OCT_CONTRAST_BINS - 1 - (threadIdx.x * bins + i), counts[i], more,
          above);
    more += counts[i];
  }
}

template <bool Contrast, bool Log, typename Value>
__global__ void
__launch_bounds__ (FIND_THREADS) find_range (OctCudaFindRange find)
{
  __shared__ bool is_last;

  /* In this order: when map_image() starts, the A-scans are complete, and it
   * reads them while this kernel is running. */
  begin_kernel ();
  let_next_start ();
  if constexpr (!Contrast) {
    find_extent<Value> (find);
  } else {
    add_contrast<Log, Value> (find);
    __threadfence ();
    __syncthreads ();
    if (threadIdx.x == 0)
      is_last = atomicInc (&find.statistics->blocks_done, gridDim.x - 1)
                == gridDim.x - 1;
    __syncthreads ();
    if (is_last) {
      __threadfence ();
      find_contrast<Log> (find);
    }
  }
}

template <typename Value>
static cudaError_t
launch_find (const OctCudaFindRange *find, OctCudaQueue queue)
{
  uint32_t blocks = oct_cuda_extent_blocks (find->ascans.lines);

  if (find->contrast)
    return launch (queue,
        find->is_log ? find_range<true, true, Value>
                     : find_range<true, false, Value>,
        blocks, FIND_THREADS, 0, *find);
  /* the powers have the order of their logarithms */
  return launch (
      queue, find_range<false, false, Value>, blocks, FIND_THREADS, 0, *find);
}

extern "C" cudaError_t
oct_cuda_launch_find_range (const OctCudaFindRange *find, OctCudaQueue queue)
{
  return find->ascans.is_power ? launch_find<float> (find, queue)
                               : launch_find<float2> (find, queue);
}

/* In double, as a narrow range is the difference of two large values. */
__device__ __forceinline__ double
to_scale (float power, bool is_log)
{
  int32_t exponent;
  float fraction;

  if (!is_log)
    return power;
  fraction = log2_parts (fmaxf (power, POWER_FLOOR), &exponent);
  return DB_PER_OCTAVE * ((double)exponent + fraction);
}

__device__ __forceinline__ double
history_value (double value, bool was_log, bool is_log)
{
  if (was_log == is_log)
    return value;
  return is_log ? 10 * log10 (fmax (value, 1e-20)) : pow (10, value / 10);
}

/* Without fused operations: equal ranges stay equal. */
__device__ __forceinline__ double
smoothed (double history, double value, double weight)
{
  return __dadd_rn (__dmul_rn (weight, history), __dmul_rn (1 - weight, value));
}

/* Results of earlier kernels are read past the L1 cache, which may hold those
 * of an earlier B-scan. */

/* The ends of the range that was found; false where there is none. */
__device__ __forceinline__ bool
read_found (const OctCudaMap &map, const OctCudaStatistics &found, double *min,
    double *max)
{
  uint32_t lowest = __ldcg (&found.lowest), highest = __ldcg (&found.highest);

  if (map.contrast) {
    *min = __ldcg (&found.contrast_min);
    *max = __ldcg (&found.contrast_max);
    return __ldcg (&found.contrast_is_valid) != 0;
  }
  if (highest == OCT_CUDA_NO_HIGHEST)
    return false;
  *min = to_scale (__uint_as_float (lowest), map.is_log);
  *max = to_scale (__uint_as_float (highest - 1), map.is_log);
  return true;
}

__device__ __forceinline__ OctCudaHistory
read_history (const OctCudaMap &map)
{
  const OctCudaHistory *from = &map.history[map.turn];
  OctCudaHistory history = { __ldcg (&from->min), __ldcg (&from->max),
    __ldcg (&from->is_valid), __ldcg (&from->is_log) };

  if (map.forget)
    history.is_valid = 0;
  return history;
}

/* The next one of the history, whose range the B-scan is shown with. */
__device__ __forceinline__ void
add_to_history (
    const OctCudaMap &map, OctCudaHistory &history, double min, double max)
{
  double weight = history.is_valid ? map.smoothing : 0;

  if (weight > 0) {
    bool was_log = history.is_log;
    min = smoothed (
        history_value (history.min, was_log, map.is_log), min, weight);
    max = smoothed (
        history_value (history.max, was_log, map.is_log), max, weight);
  }
  history = { min, max, 1, map.is_log };
}

__device__ __forceinline__ void
make_ready (OctCudaStatistics *statistics)
{
  statistics->lowest = OCT_CUDA_NO_LOWEST;
  statistics->highest = OCT_CUDA_NO_HIGHEST;
}

/* The mapping of the range that was found, smoothed with the history; the first
 * block leaves the history of the next B-scan.  Called by the first thread of
 * every block. */
__device__ static OctCudaMapping
find_mapping (const OctCudaMap &map)
{
  OctCudaHistory history = read_history (map);
  double min = 0, max = 0;

  if (read_found (map, *map.statistics, &min, &max)) {
    add_to_history (map, history, min, max);
    min = history.min;
    max = history.max;
  }
  if (blockIdx.x == 0) {
    map.history[1 - map.turn] = history;
    for (uint32_t i = 0; i < map.n_next; i++)
      make_ready (&map.next[i]);
  }
  return make_mapping (map.is_log, map.full, min, max);
}

/* One block: all threads read the ranges that were found, the first one takes
 * them through the history, in order. */
__global__ void
__launch_bounds__ (MAPPINGS_THREADS)
    find_mappings (OctCudaMap map, OctCudaMapping *mappings)
{
  __shared__ double ranges[MAPPINGS_THREADS][2];
  __shared__ bool is_found[MAPPINGS_THREADS];
  OctCudaHistory history;

  begin_kernel ();
  for (uint32_t i = threadIdx.x; i < map.n_next; i += MAPPINGS_THREADS)
    make_ready (&map.next[i]);
  if (threadIdx.x == 0)
    history = read_history (map);
  for (uint32_t first = 0; first < map.bscans; first += MAPPINGS_THREADS) {
    uint32_t bscan = first + threadIdx.x;
    double *mine = ranges[threadIdx.x];

    mine[0] = mine[1] = 0;
    if (bscan < map.bscans) {
      is_found[threadIdx.x] =
          read_found (map, map.statistics[bscan], &mine[0], &mine[1]);
    }
    __syncthreads ();
    for (uint32_t i = 0;
         threadIdx.x == 0 && i < min (map.bscans - first, MAPPINGS_THREADS);
         i++)
      if (is_found[i]) {
        add_to_history (map, history, ranges[i][0], ranges[i][1]);
        ranges[i][0] = history.min;
        ranges[i][1] = history.max;
      }
    __syncthreads ();
    if (bscan < map.bscans)
      mappings[bscan] = make_mapping (map.is_log, map.full, mine[0], mine[1]);
  }
  if (threadIdx.x == 0)
    map.history[1 - map.turn] = history;
}

/* The mapping of the B-scan of this block; past the L1 cache, too. */
__device__ __forceinline__ OctCudaMapping
get_mapping (const OctCudaMap &map)
{
  float4 v;

  static_assert (sizeof (v) == sizeof (OctCudaMapping), "one access");
  if (map.mappings == NULL)
    return map.mapping;
  v = __ldcg ((const float4 *)&map.mappings[blockIdx.y]);
  return { v.x, v.y, v.z, __float_as_int (v.w) };
}

extern "C" cudaError_t
oct_cuda_launch_mappings (
    const OctCudaMap *map, OctCudaMapping *mappings, OctCudaQueue queue)
{
  return launch (queue, find_mappings, 1, MAPPINGS_THREADS, 0, *map, mappings);
}

/* To the nearest whole level.  Not-a-number is 0, whatever came of it. */
template <bool Log>
__device__ __forceinline__ uint32_t
level_of (float power, const OctCudaMapping &map)
{
  float level;

  if (Log) {
    int32_t exponent;
    float fraction =
        log2_parts (power < POWER_FLOOR ? POWER_FLOOR : power, &exponent);
    level = (float)(exponent - map.reference) * map.scale
            + (fraction * map.scale + map.offset);
  } else {
    level = (power - map.offset) * map.scale;
  }
  level = level > 0 ? level : 0;
  level = level < map.full ? level : map.full;
  return power == power ? __float2uint_rn (level) : 0;
}

template <int PixelSize> struct Pixel;
template <> struct Pixel<1> {
  typedef uint8_t Level, Type;
};
template <> struct Pixel<2> {
  typedef uint16_t Level, Type;
};
template <> struct Pixel<4> {
  typedef uint8_t Level;
  typedef uint32_t Type;
};

template <int PixelSize>
__device__ __forceinline__ typename Pixel<PixelSize>::Type
pixel_of (uint32_t level)
{
  return PixelSize == 4 ? level * 0x010101u | 0xff000000u : level;
}

/* One row of a tile: `lines` pixels of the levels. */
template <int PixelSize>
__device__ __forceinline__ void
write_row (const typename Pixel<PixelSize>::Level *levels, uint32_t lines,
    bool aligned, void *row)
{
  typedef typename Pixel<PixelSize>::Type Type;
  constexpr int group = 4 / PixelSize; /* pixels of 32 bits */
  uint32_t lane = threadIdx.x % 16;

  for (uint32_t i = lane * group; i < lines; i += 16 * group) {
    if (aligned && i + group <= lines) {
      uint32_t pixels = 0;
      for (int k = 0; k < group; k++)
        pixels |= (uint32_t)pixel_of<PixelSize> (levels[i + k])
                  << (8 * PixelSize * k % 32);
      *(uint32_t *)((Type *)row + i) = pixels;
      continue;
    }
    for (uint32_t k = i; k < i + group && k < lines; k++)
      ((Type *)row)[k] = pixel_of<PixelSize> (levels[k]);
  }
}

/* The chroma of a tile of NV12: one row per two depths. */
__device__ __forceinline__ void
write_chroma (const OctCudaMap &map, uint32_t depth, uint32_t line)
{
  uint32_t width = (map.ascans.lines + 1) / 2 * 2 - line;
  uint32_t height = (map.ascans.depth_bins - depth + 1) / 2;

  width = min (width, TILE_LINES);
  height = min (height, TILE_DEPTH / 2);
  for (uint32_t i = threadIdx.x; i < width * height; i += MAP_THREADS)
    row_of ((uint8_t *)map.images[blockIdx.y].chroma, map.chroma_stride,
        depth / 2 + i / width)[line + i % width] = 128;
}

template <bool Log, int PixelSize, typename Value>
__global__ void
__launch_bounds__ (MAP_THREADS)
    map_image (OctCudaMap map, uint32_t tiles, bool aligned)
{
  typedef typename Pixel<PixelSize>::Level Level;
  /* pitch of 17 words: a warp writes down a column without bank conflicts */
  __shared__ Level levels[TILE_DEPTH][TILE_LINES + 4 / sizeof (Level)];
  __shared__ OctCudaMapping mapping;
  uint32_t line = blockIdx.x % tiles * TILE_LINES;
  uint32_t depth = blockIdx.x / tiles * TILE_DEPTH;
  uint32_t lines = min (map.ascans.lines - line, TILE_LINES);
  uint32_t bins = min (map.ascans.depth_bins - depth, TILE_DEPTH);
  uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  constexpr int warps = MAP_THREADS / 32, rows = TILE_LINES / warps;
  float power[rows];

  /* after find_range() the A-scans are complete; past the L1 cache, which may
   * hold those of an earlier B-scan */
  if (!map.is_behind_find)
    begin_kernel ();
#pragma unroll
  for (int i = 0; i < rows; i++) {
    uint32_t from = min (warp + i * warps, lines - 1);
    power[i] = power_of (
        __ldcg (row_of ((const Value *)map.ascans.in, map.ascans.in_stride,
                    (size_t)blockIdx.y * map.ascans.lines + line + from)
                + depth + min (lane, bins - 1)));
  }
  if (map.is_behind_find)
    begin_kernel ();
  if (map.statistics && threadIdx.x == 0)
    mapping = find_mapping (map);
  else if (threadIdx.x == 0)
    mapping = get_mapping (map);
  __syncthreads ();
#pragma unroll
  for (int i = 0; i < rows; i++)
    levels[lane][warp + i * warps] = (Level)level_of<Log> (power[i], mapping);
  __syncthreads ();
  for (uint32_t i = threadIdx.x / 16; i < bins; i += MAP_THREADS / 16)
    write_row<PixelSize> (levels[i], lines, aligned,
        row_of ((char *)map.images[blockIdx.y].out, map.out_stride, depth + i)
            + (size_t)line * PixelSize);
  if (map.images[blockIdx.y].chroma)
    write_chroma (map, depth, line);
}

template <bool Log, typename Value>
static cudaError_t
launch_scale (const OctCudaMap *map, OctCudaQueue queue)
{
  bool aligned = true;
  uint32_t tiles = (map->ascans.lines + TILE_LINES - 1) / TILE_LINES;
  dim3 grid (tiles * ((map->ascans.depth_bins + TILE_DEPTH - 1) / TILE_DEPTH),
      map->bscans);

  for (uint32_t i = 0; i < map->bscans; i++)
    aligned =
        aligned
        && is_aligned (map->images[i].out, map->out_stride, sizeof (uint32_t));
  switch (map->pixel_size) {
  case 1:
    return launch (queue, map_image<Log, 1, Value>, grid, MAP_THREADS, 0, *map,
        tiles, aligned);
  case 2:
    return launch (queue, map_image<Log, 2, Value>, grid, MAP_THREADS, 0, *map,
        tiles, aligned);
  default:
    return launch (queue, map_image<Log, 4, Value>, grid, MAP_THREADS, 0, *map,
        tiles, aligned);
  }
}

extern "C" cudaError_t
oct_cuda_launch_map (const OctCudaMap *map, OctCudaQueue queue)
{
  if (map->ascans.is_power)
    return map->is_log ? launch_scale<true, float> (map, queue)
                       : launch_scale<false, float> (map, queue);
  return map->is_log ? launch_scale<true, float2> (map, queue)
                     : launch_scale<false, float2> (map, queue);
}
