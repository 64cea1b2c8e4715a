/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The transform of A-lines side by side: plans.
 *
 * A length of radices r1 r2 ... is transformed in as many steps (decimation in
 * frequency).  Step 1 leaves r1 consecutive transforms of the columns' length.
 * They are computed one after the other in the same way, so that from step 2 on
 * the data stays in the L1 cache.  The last step writes the requested bins in
 * order.  A length with a larger prime factor becomes a convolution of a fast
 * length (Bluestein 1970).
 */
#include "oct-cpu-lanes-fft.h"

#include "oct-cpu-lanes-kernels.h"
#include "oct-cpu-private.h"

#include <math.h>
#include <string.h>

#define VALUE OCT_LANES_VALUE
#define VALUE_BYTES (VALUE * sizeof (float))
#define MAX_STEPS 20
/* Values of padding between rows after the first step, if the length is a power
 * of two.  Otherwise all rows would share the same cache sets. */
#define PADDING 2

typedef struct {
  guint radix;
  guint columns;   /* length of the transforms left to the next steps */
  float *twiddles; /* [columns][radix - 1][2]; NULL in the last step */
} Step;

typedef enum {
  KIND_COMPLEX,
  KIND_HALF, /* real values of even length: `inner` has half of it */
  KIND_REAL, /* real values of odd length: `inner` has the same */
} Kind;

struct _OctLanesFft {
  guint length;
  gboolean backward;
  Kind kind;
  const OctLanesKernels *kernels;
  /* fast lengths */
  Step steps[MAX_STEPS];
  guint n_steps; /* 0: length 1 */
  gsize row;     /* floats from row to row after the first step */
  /* real: complex transform; other lengths: forward, of the convolution */
  OctLanesFft *inner;
  float *twiddles; /* KIND_HALF: [length / 2 + 1][2] for separate() */
  float *chirp;    /* [length][2] exp (-i pi n^2 / length), or NULL: fast */
  float *filter;   /* [inner->length][2] transform of its conjugate, / length */
  gsize scratch;   /* bytes */
};

/* ---------------------------------------------------------------- machine */

static guint most_floats = 16; /* floats of the widest vector */

/* The width of the widest vectors of the processor. */
static guint
cpu_lanes_fft_find_width (void)
{
#ifdef OCT_LANES_X86
  __builtin_cpu_init ();
  if (__builtin_cpu_supports ("avx512f") && __builtin_cpu_supports ("avx512bw")
      && __builtin_cpu_supports ("avx512cd")
      && __builtin_cpu_supports ("avx512dq")
      && __builtin_cpu_supports ("avx512vl"))
    return 16;
  if (__builtin_cpu_supports ("avx2") && __builtin_cpu_supports ("fma")
      && __builtin_cpu_supports ("bmi2"))
    return 8;
#endif
  return 4;
}

static const OctLanesKernels *
find_kernels (void)
{
#ifdef OCT_LANES_X86
  guint width = MIN (cpu_lanes_fft_find_width (), most_floats);

  if (width == 16)
    return &oct_lanes_kernels_avx512;
  if (width == 8)
    return &oct_lanes_kernels_avx2;
#endif
  return &oct_lanes_kernels_baseline;
}

gboolean
oct_lanes_fft_set_width (guint floats)
{
  most_floats = floats;
  return floats <= cpu_lanes_fft_find_width ();
}

/* ---------------------------------------------------------------- lengths */

/* Relative time of a step for one value. */
static const struct {
  guint radix;
  double cost;
} radices[] = { { 16, 2.2 }, { 15, 2.5 }, { 12, 2.2 }, { 10, 2.2 }, { 9, 2.2 },
  { 8, 1.8 }, { 7, 2.2 }, { 6, 1.8 }, { 5, 1.7 }, { 4, 1.5 }, { 3, 1.5 },
  { 2, 1.4 } };

/* The cheapest radices with this product, in falling order, from entry `from`
 * of the table on.  Returns their cost; infinity: there are none. */
static double
cpu_lanes_fft_factorise (guint length, guint from, guint *found, guint *count)
{
  double best = INFINITY;

  *count = 0;
  if (length == 1)
    return 0;
  for (guint i = from; i < G_N_ELEMENTS (radices); i++) {
    guint rest[MAX_STEPS], n;
    double cost;
    if (length % radices[i].radix != 0)
      continue;
    cost = radices[i].cost
           + cpu_lanes_fft_factorise (length / radices[i].radix, i, rest, &n);
    if (cost < best) {
      best = cost;
      found[0] = radices[i].radix;
      memcpy (found + 1, rest, n * sizeof *rest);
      *count = n + 1;
    }
  }
  return best;
}

static gboolean
is_fast (guint length)
{
  for (guint prime = 2; prime <= 7; prime++)
    while (length % prime == 0)
      length /= prime;
  return length == 1;
}

/* The fastest length of the convolution. */
static guint
convolution_length (guint length)
{
  guint found[MAX_STEPS], count, best = 0;
  double least = INFINITY;

  for (guint n = 2 * length - 1; n <= 4 * length; n++) {
    double cost;
    /* more than this is enough to look at */
    if (best > 0 && n > best + best / 8)
      break;
    if (!is_fast (n))
      continue;
    cost = n * cpu_lanes_fft_factorise (n, 0, found, &count);
    if (cost < least) {
      least = cost;
      best = n;
    }
  }
  return best;
}

/* ------------------------------------------------------------------ plans */

/* exp (-2 pi i k / n) */
static void
cpu_lanes_fft_unit (guint64 k, guint64 n, double *to)
{
  double angle = 2 * G_PI * (double)(k % n) / (double)n;

  to[0] = cos (angle);
  to[1] = -sin (angle);
}

static gboolean
make_step (Step *step, GError **error)
{
  guint radix = step->radix, length = radix * step->columns;

  if (step->columns == 1)
    return TRUE;
  step->twiddles = oct_cpu_alloc (
      (gsize)step->columns * (radix - 1), 2 * sizeof (float), error);
  if (step->twiddles == NULL)
    return FALSE;
  for (guint j = 0; j < step->columns; j++) {
    for (guint k = 1; k < radix; k++) {
      float *twiddle = step->twiddles + 2 * ((gsize)j * (radix - 1) + k - 1);
      double exact[2];
      cpu_lanes_fft_unit ((guint64)j * k, length, exact);
      twiddle[0] = (float)exact[0];
      twiddle[1] = (float)exact[1];
    }
  }
  return TRUE;
}

static gboolean
make_steps (OctLanesFft *fft, GError **error)
{
  guint found[MAX_STEPS], left = fft->length;

  cpu_lanes_fft_factorise (fft->length, 0, found, &fft->n_steps);
  for (guint i = 0; i < fft->n_steps; i++) {
    left /= found[i];
    fft->steps[i] = (Step){ .radix = found[i], .columns = left };
    if (!make_step (&fft->steps[i], error))
      return FALSE;
  }
  if (fft->n_steps > 1) {
    guint columns = fft->steps[0].columns;
    fft->row = (gsize)(columns + (columns % 16 == 0 ? PADDING : 0)) * VALUE;
    fft->scratch = fft->steps[0].radix * fft->row * sizeof (float);
  }
  return TRUE;
}

/* Transform in double, of values `stride` apart, for tables: `twiddles` are
 * those of all `length` values. */
static void
transform_double (const double *in, guint stride, guint n,
    const double *twiddles, guint length, double *out)
{
  guint prime = 2, columns;
  double re[7], im[7];

  if (n == 1) {
    out[0] = in[0];
    out[1] = in[1];
    return;
  }
  while (n % prime != 0)
    prime++;
  columns = n / prime;
  for (guint e = 0; e < prime; e++)
    transform_double (in + 2 * (gsize)e * stride, stride * prime, columns,
        twiddles, length, out + 2 * (gsize)e * columns);
  for (guint j = 0; j < columns; j++) {
    for (guint k = 0; k < prime; k++) {
      re[k] = im[k] = 0;
      for (guint e = 0; e < prime; e++) {
        const double *value = out + 2 * ((gsize)e * columns + j);
        guint64 turned = (guint64)e * (k * columns + j) % n;
        const double *w = twiddles + 2 * (turned * (length / n));
        re[k] += value[0] * w[0] - value[1] * w[1];
        im[k] += value[0] * w[1] + value[1] * w[0];
      }
    }
    for (guint k = 0; k < prime; k++) {
      out[2 * ((gsize)k * columns + j)] = re[k];
      out[2 * ((gsize)k * columns + j) + 1] = im[k];
    }
  }
}

/* The chirp and the transform of its conjugate; double[6 inner->length] as
 * scratch. */
static void
fill_chirp (OctLanesFft *fft, double *scratch)
{
  guint n = fft->length, long_n = fft->inner->length;
  double *twiddles = scratch, *wave = twiddles + 2 * (gsize)long_n;
  double *result = wave + 2 * (gsize)long_n;

  memset (wave, 0, 2 * sizeof *wave * long_n);
  for (guint i = 0; i < long_n; i++)
    cpu_lanes_fft_unit (i, long_n, twiddles + 2 * (gsize)i);
  for (guint i = 0; i < n; i++) {
    double exact[2];
    cpu_lanes_fft_unit ((guint64)i * i, 2 * (guint64)n, exact);
    fft->chirp[2 * (gsize)i] = (float)exact[0];
    fft->chirp[2 * (gsize)i + 1] = (float)exact[1];
    for (guint side = 0; side < 2; side++) {
      gsize at = 2 * (gsize)(side == 0 ? i : (long_n - i) % long_n);
      wave[at] = exact[0] / long_n;
      wave[at + 1] = -exact[1] / long_n;
    }
  }
  transform_double (wave, 1, long_n, twiddles, long_n, result);
  for (gsize i = 0; i < 2 * (gsize)long_n; i++)
    fft->filter[i] = (float)result[i];
}

static gboolean
make_convolution (OctLanesFft *fft, GError **error)
{
  guint n = convolution_length (fft->length);
  double *scratch;

  if (!(fft->inner = oct_lanes_fft_new (n, FALSE, error))
      || !(fft->chirp = oct_cpu_alloc (fft->length, 2 * sizeof (float), error))
      || !(fft->filter = oct_cpu_alloc (n, 2 * sizeof (float), error))
      || !(scratch = oct_cpu_alloc (n, 6 * sizeof (double), error)))
    return FALSE;
  fill_chirp (fft, scratch);
  oct_cpu_free (scratch);
  fft->scratch = n * VALUE_BYTES + fft->inner->scratch;
  return TRUE;
}

static OctLanesFft *
cpu_lanes_fft_new_plan (guint length, gboolean backward, Kind kind)
{
  OctLanesFft *fft = g_new0 (OctLanesFft, 1);

  fft->length = length;
  fft->backward = backward;
  fft->kind = kind;
  fft->kernels = find_kernels ();
  return fft;
}

OctLanesFft *
oct_lanes_fft_new (guint length, gboolean backward, GError **error)
{
  OctLanesFft *fft = cpu_lanes_fft_new_plan (length, backward, KIND_COMPLEX);
  gboolean made = is_fast (length) ? make_steps (fft, error)
                                   : make_convolution (fft, error);

  if (!made)
    g_clear_pointer (&fft, oct_lanes_fft_free);
  return fft;
}

OctLanesFft *
oct_lanes_fft_new_real (guint length, gboolean backward, GError **error)
{
  gboolean even = length % 2 == 0;
  guint complex_length = even ? length / 2 : length;
  OctLanesFft *fft =
      cpu_lanes_fft_new_plan (length, backward, even ? KIND_HALF : KIND_REAL);

  fft->inner = oct_lanes_fft_new (complex_length, backward, error);
  if (fft->inner != NULL && even)
    fft->twiddles =
        oct_cpu_alloc ((gsize)length / 2 + 1, 2 * sizeof (float), error);
  if (fft->inner == NULL || (even && fft->twiddles == NULL)) {
    oct_lanes_fft_free (fft);
    return NULL;
  }
  for (guint q = 0; even && q <= length / 2; q++) {
    double exact[2];
    cpu_lanes_fft_unit (q, length, exact);
    fft->twiddles[2 * (gsize)q] = (float)(exact[0] / 2);
    fft->twiddles[2 * (gsize)q + 1] = (float)(exact[1] / 2);
  }
  fft->scratch = complex_length * VALUE_BYTES + fft->inner->scratch;
  return fft;
}

void
oct_lanes_fft_free (OctLanesFft *fft)
{
  if (fft == NULL)
    return;
  for (guint i = 0; i < fft->n_steps; i++)
    oct_cpu_free (fft->steps[i].twiddles);
  oct_lanes_fft_free (fft->inner);
  oct_cpu_free (fft->twiddles);
  oct_cpu_free (fft->chirp);
  oct_cpu_free (fft->filter);
  g_free (fft);
}

gsize
oct_lanes_fft_scratch (const OctLanesFft *fft)
{
  return fft->scratch;
}

/* ---------------------------------------------------------------- running */

/* Steps from number `number` on, of consecutive values; their bin k is bin
 * start + k step of the whole transform. */
static void
run_steps (const OctLanesFft *fft, guint number, float *work,
    OctLanesTarget *target, gssize start, gssize step)
{
  const Step *here = &fft->steps[number];
  gsize row = (gsize)here->columns * VALUE;

  if (number + 1 == fft->n_steps) {
    target->start = start;
    target->block_step = 0;
    target->step = step;
    fft->kernels->last[here->radix](work, 0, 1, target);
    return;
  }
  fft->kernels->pass[here->radix](work, row, here->twiddles, here->columns);
  if (number + 2 == fft->n_steps) {
    target->start = start;
    target->block_step = step;
    target->step = step * here->radix;
    fft->kernels->last[here->columns](work, 0, here->radix, target);
    return;
  }
  for (guint k = 0; k < here->radix; k++)
    run_steps (fft, number + 1, work + k * row, target,
        start + (gssize)k * step, step * here->radix);
}

/* source->in and target->out may be the same. */
static void
run_fast (const OctLanesFft *fft, const OctLanesSource *source, float *work,
    OctLanesTarget *target)
{
  const Step *here = &fft->steps[0];

  target->length = fft->length;
  if (fft->n_steps <= 1) {
    float values[OCT_LANES_MAX_RADIX * VALUE] __attribute__ ((aligned (64)));
    const float *in = source->in;
    if (source->read != NULL) {
      source->read (source->data, 0, 1, fft->length, values);
      in = values;
    }
    target->start = target->block_step = 0;
    target->step = 1;
    fft->kernels->last[fft->length](in, source->flip, 1, target);
    return;
  }
  fft->kernels->first[here->radix](
      source, work, fft->row, here->twiddles, here->columns);
  for (guint k = 0; k < here->radix; k++)
    run_steps (fft, 1, work + k * fft->row, target, k, here->radix);
}

/* Reads all values into `values`. */
static void
cpu_lanes_fft_read_all (
    const OctLanesSource *source, guint length, float *values)
{
  for (guint first = 0; first < length; first += OCT_LANES_MAX_RADIX)
    source->read (source->data, first, 1,
        MIN (OCT_LANES_MAX_RADIX, length - first),
        values + (gsize)first * VALUE);
}

static void
run_convolution (const OctLanesFft *fft, const OctLanesSource *source,
    const OctLanesTarget *target, gpointer scratch)
{
  const OctLanesFft *inner = fft->inner;
  const OctLanesKernels *kernels = fft->kernels;
  float *values = scratch, *work = values + (gsize)inner->length * VALUE;
  const float *in = source->in;
  OctLanesSource from = { .in = values };
  OctLanesTarget to = { .out = values, .count = inner->length };

  if (source->read != NULL) {
    cpu_lanes_fft_read_all (source, fft->length, values);
    in = values;
  }
  kernels->multiply (in, source->flip, fft->chirp, fft->length, values, 0);
  memset (values + (gsize)fft->length * VALUE, 0,
      (inner->length - fft->length) * VALUE_BYTES);
  run_fast (inner, &from, work, &to);
  kernels->multiply (values, 0, fft->filter, inner->length, values, 0);
  to.count = fft->length;
  from.flip = to.flip = VALUE / 2;
  run_fast (inner, &from, work, &to);
  for (guint i = 0, some, q = (guint)target->first; i < target->count;
       i += some, q = 0) {
    float *out = target->out + (gsize)i * VALUE;
    some = MIN ((guint)target->count - i, fft->length - q);
    if (target->write != NULL)
      out = values + (gsize)q * VALUE;
    kernels->multiply (values + (gsize)q * VALUE, 0, fft->chirp + 2 * (gsize)q,
        some, out, target->flip);
    for (guint k = 0; target->write != NULL && k < some;
         k += OCT_LANES_MAX_RADIX)
      target->write (target->data, q + k, 1,
          MIN (OCT_LANES_MAX_RADIX, some - k), out + (gsize)k * VALUE);
  }
}

void
oct_lanes_fft_run_through (const OctLanesFft *fft, OctLanesRead read,
    OctLanesWrite write, gpointer data, const float *in, float *out,
    guint first, guint count, gpointer scratch)
{
  guint flip = fft->backward ? VALUE / 2 : 0;
  OctLanesSource source = {
    .in = in, .read = read, .data = data, .flip = flip
  };
  OctLanesTarget target = { .out = out,
    .write = write,
    .data = data,
    .first = first,
    .count = count,
    .flip = flip };

  g_assert (
      fft->kind == KIND_COMPLEX && first < fft->length && count <= fft->length);
  if (fft->chirp != NULL)
    run_convolution (fft, &source, &target, scratch);
  else
    run_fast (fft, &source, scratch, &target);
}

void
oct_lanes_fft_run (const OctLanesFft *fft, const float *in, float *out,
    guint first, guint count, gpointer scratch)
{
  oct_lanes_fft_run_through (
      fft, NULL, NULL, NULL, in, out, first, count, scratch);
}

void
oct_lanes_fft_run_real_through (const OctLanesFft *fft, OctLanesRead read,
    gpointer data, const float *factors, float *out, guint first, guint count,
    gpointer scratch)
{
  guint n = fft->inner->length;
  float *values = scratch, *rest = values + (gsize)n * VALUE;

  g_assert (fft->kind == KIND_HALF && !fft->backward
            && first + count <= fft->length / 2 + 1);
  oct_lanes_fft_run_through (
      fft->inner, read, NULL, data, NULL, values, 0, n, rest);
  fft->kernels->separate (values, n, fft->twiddles, factors, first, count, out);
}

void
oct_lanes_fft_run_real (const OctLanesFft *fft, const float *in, float *out,
    guint first, guint count, gpointer scratch)
{
  guint n = fft->inner->length;
  float *values = scratch, *rest = values + (gsize)n * VALUE;

  g_assert (fft->kind != KIND_COMPLEX && !fft->backward
            && first + count <= fft->length / 2 + 1);
  if (fft->kind == KIND_HALF) {
    oct_lanes_fft_run (fft->inner, in, values, 0, n, rest);
    fft->kernels->separate (values, n, fft->twiddles, NULL, first, count, out);
    return;
  }
  for (gsize i = 0; i < n; i++) {
    memcpy (values + i * VALUE, in + i * (VALUE / 2), VALUE_BYTES / 2);
    memset (values + i * VALUE + VALUE / 2, 0, VALUE_BYTES / 2);
  }
  oct_lanes_fft_run (fft->inner, values, out, first, count, rest);
}

void
oct_lanes_fft_run_back_real (
    const OctLanesFft *fft, const float *in, float *out, gpointer scratch)
{
  guint n = fft->inner->length;
  float *values = scratch, *rest = values + (gsize)n * VALUE;

  g_assert (fft->kind != KIND_COMPLEX && fft->backward);
  if (fft->kind == KIND_HALF) {
    fft->kernels->join (in, n, fft->twiddles, values);
    oct_lanes_fft_run (fft->inner, values, out, 0, n, rest);
    return;
  }
  memcpy (values, in, ((gsize)n / 2 + 1) * VALUE_BYTES);
  for (guint lane = VALUE / 2; lane < VALUE; lane++)
    values[lane] *= 0;
  for (guint q = n / 2 + 1; q < n; q++) {
    for (guint lane = 0; lane < VALUE / 2; lane++) {
      const float *from = in + (gsize)(n - q) * VALUE + lane;
      values[(gsize)q * VALUE + lane] = from[0];
      values[(gsize)q * VALUE + VALUE / 2 + lane] = -from[VALUE / 2];
    }
  }
  oct_lanes_fft_run (fft->inner, values, values, 0, n, rest);
  for (gsize i = 0; i < n; i++)
    memcpy (out + i * (VALUE / 2), values + i * VALUE, VALUE_BYTES / 2);
}
