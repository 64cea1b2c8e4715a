/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The steps between two barriers of oct-cuda-cs-chip.cu, for an A-line or a
 * pair of them.
 *
 * A transform of Size = First x Second x 16 values stays in place in shared
 * memory, Size / 32 threads hold 32 of them each in turn:
 *   n = c1 + 16 e' + C e     modes, e < First, e' < Second, c1 < 16
 *   k = k2 + First k1 + First Second k0            cells, likewise
 * lie at the same places, C k2 + 16 k1 + c1 while the work is half done; C is
 * 16 Second.  Modes to cells: over e (columns), then e', then c1; cells to
 * modes the other way.  Only the outer quarters of the modes are not zero.  The
 * factor that a step owes to those before enters the butterflies of the next:
 * what its values have in common is left to the one after.
 *
 * Loops over a thread's groups and columns are not unrolled: waiting for
 * instructions is what holds up longer code.
 */
#pragma once

#include "oct-cuda-cs-radix.cuh"

/* modes of a thread, in 8 pairs of q and -q */
#define SLOTS 8

template <int First, int Second> struct Chip {
  static constexpr int size = First * Second * 16;
  static constexpr int threads = size / 32;
  static constexpr int columns = Second * 16;
  /* pairs of columns c and -c of a thread, pairs of modes of each column */
  static constexpr int pairs = columns / 2 / threads;
  static constexpr int rows = First / 4;
  /* of 32 banks none is hit twice by a half warp */
  static constexpr int pitch = columns + columns / 16 + 8;
  static constexpr int places = First * pitch;

  static_assert (2 * pairs * rows == SLOTS, "modes of a thread");

  static OCT_INLINE int place (int row, int column)
  {
    return row * pitch + column + column / 16;
  }

  /* Slots: [pair][column of the pair][row].  The mode q of a slot. */
  static OCT_INLINE int mode_of (int t, int slot)
  {
    int pair = t + slot / (2 * rows) * threads, row = slot % rows;
    bool second = slot / rows % 2;

    if (!second)
      return pair + columns * row;
    return (pair == 0 ? columns / 2 : columns - pair) + columns * row;
  }

  /* Column 0 or 1 of a pair. */
  static OCT_INLINE int column_of (int pair, int number)
  {
    return number == 0 ? pair : pair == 0 ? columns / 2 : columns - pair;
  }

  /* The first slot of the first thread: q = 0 and, in place of -q, -Size / 4 */
  static OCT_INLINE bool is_ends (int t, int slot)
  {
    return t == 0 && slot == 0;
  }

  /* Columns 0 and columns / 2 are their own partners, all others each other's.
   * other: modes -q of both columns of a pair in order of q ->
   * high: in order of rows from the last. */
  static OCT_INLINE void to_rows (
      bool own, const float2 (&other)[2][rows], float2 (&high)[2][rows])
  {
#pragma unroll
    for (int r = 0; r < rows; r++) {
      float2 a = r + 1 < rows ? other[0][(r + 1) % rows] : other[0][0];
      high[0][r] = own ? a : other[1][r];
      high[1][r] = own ? other[1][r] : other[0][r];
    }
  }

  static OCT_INLINE void from_rows (
      bool own, const float2 (&high)[2][rows], float2 (&other)[2][rows])
  {
#pragma unroll
    for (int r = 0; r < rows; r++) {
      float2 a = r > 0 ? high[0][(r + rows - 1) % rows] : high[0][rows - 1];
      other[0][r] = own ? a : high[1][r];
      other[1][r] = own ? high[1][r] : high[0][r];
    }
  }

  /* Modes to columns. at[slot] of q, other[slot] of -q. */
  static OCT_INLINE void put_modes (int t, float2 *shared,
      const float2 (&at)[SLOTS], const float2 (&other)[SLOTS])
  {
#pragma unroll
    for (int i = 0; i < pairs; i++) {
      int pair = t + i * threads;
      float2 back[2][rows], high[2][rows], low[2][rows];
#pragma unroll
      for (int r = 0; r < 2 * rows; r++) {
        low[r / rows][r % rows] = at[i * 2 * rows + r];
        back[r / rows][r % rows] = other[i * 2 * rows + r];
      }
      to_rows (pair == 0, back, high);
#pragma unroll 1
      for (int c = 0; c < 2; c++) {
        int column = column_of (pair, c);
        float2 v[First];
        transform_ends<First, 1> (low[0], high[0], v);
#pragma unroll
        for (int e = 0; e < First; e++)
          shared[place (e, column)] = v[e];
#pragma unroll
        for (int r = 0; r < rows; r++) {
          low[0][r] = low[1][r];
          high[0][r] = high[1][r];
        }
      }
    }
  }

  static OCT_INLINE void get_modes (int t, const float2 *shared,
      const float2 *circle, float2 (&at)[SLOTS], float2 (&other)[SLOTS])
  {
#pragma unroll
    for (int i = 0; i < pairs; i++) {
      int pair = t + i * threads;
      float2 back[2][rows], high[2][rows] = {}, low[2][rows] = {};
#pragma unroll 1
      for (int c = 0; c < 2; c++) {
        int column = column_of (pair, c);
        float2 v[First], w = circle[column];
#pragma unroll
        for (int r = 0; r < rows; r++) {
          low[0][r] = low[1][r];
          high[0][r] = high[1][r];
        }
#pragma unroll
        for (int e = 0; e < First; e++)
          v[e] = shared[place (e, column)];
        transform_to_ends<First, -1> (
            v, Turns<First, -1> (make_float2 (w.x, -w.y)), low[1], high[1]);
      }
      from_rows (pair == 0, high, back);
#pragma unroll
      for (int r = 0; r < 2 * rows; r++) {
        at[i * 2 * rows + r] = low[r / rows][r % rows];
        other[i * 2 * rows + r] = back[r / rows][r % rows];
      }
    }
  }

  template <int Sign>
  static OCT_INLINE void middle (
      float2 *shared, int row, int column, const Turns<Second, Sign> &turns)
  {
    float2 *values = shared + place (row, column), v[Second];

#pragma unroll
    for (int e = 0; e < Second; e++)
      v[e] = values[17 * e]; /* column + 16 e, column < 16 */
    transform<Second, Sign> (v, turns);
#pragma unroll
    for (int e = 0; e < Second; e++)
      values[17 * e] = v[e];
  }

  /* Over e', to cells. */
  static OCT_INLINE void forth (int t, float2 *shared, const float2 *circle)
  {
    constexpr int together = 32 / Second;
    int row = t / (16 / together), column = t % (16 / together);
    Turns<Second, 1> turns (circle[16 * row]);

#pragma unroll 1
    for (int i = 0; i < together; i++)
      middle<1> (shared, row, column + i * (16 / together), turns);
  }

  /* Over k1, to modes. */
  static OCT_INLINE void back (int t, float2 *shared, const float2 *circle)
  {
    constexpr int together = 32 / Second;
    int row = t / 16, column = t % 16;
    float2 w = circle[First * column];
    Turns<Second, -1> turns (make_float2 (w.x, -w.y));

#pragma unroll 1
    for (int i = 0; i < together; i++)
      middle<-1> (shared, row + i * (First / together), column, turns);
  }

  /* Sixteen cells of a thread, group 0 or 1; cell i is cell_of (t, group, i).
   */
  static __host__ __device__ __forceinline__ int cell_of (
      int t, int group, int i)
  {
    int run = t + group * threads;

    return run / Second + First * (run % Second) + First * Second * i;
  }

  static OCT_INLINE float2 *run_of (float2 *shared, int t, int group)
  {
    int run = t + group * threads;

    return shared + place (run / Second, 16 * (run % Second));
  }

  /* Cells of one group to columns. */
  static OCT_INLINE void put_cells (
      int t, int group, float2 *shared, float2 (&v)[16])
  {
    float2 *run = run_of (shared, t, group);

    transform<16, -1> (v);
#pragma unroll
    for (int i = 0; i < 16; i++)
      run[i] = v[i];
  }

  /* h = band g, band in the order of the threads; energy += band |g|^2 of the
   * real and of the imaginary parts. */
  static OCT_INLINE void multiply (int t, float2 *shared, const float2 *circle,
      const float4 *band, float2 &energy)
  {
#pragma unroll 1
    for (int group = 0; group < 2; group++) {
      float2 *run = run_of (shared, t, group), v[16];
      const float4 *factors = band + 4 * (t + group * threads);
      float2 w = circle[cell_of (t, group, 0)];
#pragma unroll
      for (int i = 0; i < 16; i++)
        v[i] = run[i];
      transform<16, 1> (v, Turns<16, 1> (w));
#pragma unroll
      for (int i = 0; i < 4; i++) {
        float4 four = factors[i];
        float f[4] = { four.x, four.y, four.z, four.w };
#pragma unroll
        for (int k = 0; k < 4; k++) {
          float2 g = v[4 * i + k];
          float2 h = make_float2 (f[k] * g.x, f[k] * g.y);
          energy.x = fmaf (h.x, g.x, energy.x);
          energy.y = fmaf (h.y, g.y, energy.y);
          v[4 * i + k] = h;
        }
      }
      put_cells (t, group, shared, v);
    }
  }
};
