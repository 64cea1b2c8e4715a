/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-test-faults.h"
#include "oct-test-cuda.h"
#include "gstoctcuda.h"
#include "oct-operation.h"

static GMutex lock;
static OctFault fault;
static OctOperation fault_operation;
static guint fault_calls; /* to let pass */
static gboolean happened;
static guint runs[OCT_N_OPERATIONS];
static gint waits;  /* atomic */
static gint passes; /* atomic: whether they are allowed */

void
oct_test_fault_set (OctFault what, OctOperation operation, guint n)
{
  g_mutex_lock (&lock);
  fault = what;
  fault_operation = operation;
  fault_calls = n;
  happened = FALSE;
  g_mutex_unlock (&lock);
}

void
oct_test_allow_passes (gboolean allow)
{
  g_atomic_int_set (&passes, allow);
}

gboolean
oct_test_fault_happened (void)
{
  gboolean result;

  g_mutex_lock (&lock);
  result = happened;
  g_mutex_unlock (&lock);
  return result;
}

guint
oct_test_count_runs (OctOperation operation)
{
  guint result;

  g_mutex_lock (&lock);
  result = runs[operation];
  g_mutex_unlock (&lock);
  return result;
}

guint
oct_test_count_waits (void)
{
  return (guint)g_atomic_int_get (&waits);
}

/* Whether it is this call. */
static gboolean
is_due (OctFault what, OctOperation operation)
{
  gboolean due = FALSE;

  g_mutex_lock (&lock);
  if (fault == what && operation == fault_operation && !happened)
    due = happened = fault_calls-- == 0;
  g_mutex_unlock (&lock);
  return due;
}

static gboolean
call_fails (OctFault what, GError **error)
{
  if (!is_due (what, fault_operation))
    return FALSE;
  g_set_error (error, OCT_ERROR,
      what == OCT_FAULT_ALLOC || what == OCT_FAULT_ALLOC_HOST
          ? OCT_ERROR_MEMORY
          : OCT_ERROR_DEVICE,
      "The call of the test failed on the GPU: fault %d.", what);
  return TRUE;
}

/* --------------------------------------------------------------- operations */

/* The tables of a backend between it and the elements. */
typedef struct {
  OctBackend backend;
  const OctFusedTable *fused;
  OctFusedTable fused_between;
  const OctOperationTable *real[OCT_N_OPERATIONS];
  OctOperationTable tables[OCT_N_OPERATIONS];
} Between;

static Between cpu, cuda;

static gboolean
run_operation (const Between *between, OctOperation operation, OctPlan *plan,
    const OctFrame *in, const OctFrame *out, gpointer stream, GError **error)
{
  const OctOperationTable *real = between->real[operation];

  g_mutex_lock (&lock);
  runs[operation]++;
  g_mutex_unlock (&lock);
  if (is_due (OCT_FAULT_STRAY, operation))
    oct_test_cuda_stray (stream);
  if (!real->run (plan, in, out, stream, error))
    return FALSE;
  if (!is_due (OCT_FAULT_RUN, operation))
    return TRUE;
  g_set_error (error, OCT_ERROR, OCT_ERROR_DEVICE,
      "The test made the operation %s of the backend %s fail",
      oct_operation_get_name (operation), between->backend.name);
  return FALSE;
}

static OctPlan *
create_plan (const Between *between, OctOperation operation,
    gconstpointer params, GError **error)
{
  if (!is_due (OCT_FAULT_CREATE, operation))
    return between->real[operation]->create (params, error);
  g_set_error (error, OCT_ERROR, OCT_ERROR_MEMORY,
      "The test made memory for the operation %s of the backend %s short",
      oct_operation_get_name (operation), between->backend.name);
  return NULL;
}

static gboolean
update_plan (const Between *between, OctOperation operation, OctPlan *plan,
    gconstpointer params)
{
  gboolean fails;

  g_mutex_lock (&lock);
  fails =
      fault == OCT_FAULT_CREATE && operation == fault_operation && !happened;
  g_mutex_unlock (&lock);
  return !fails && between->real[operation]->update (plan, params);
}

/* also of a backend that comes later */
static gboolean not_offered[OCT_N_OPERATIONS];

static void
offer (Between *between, OctOperation operation)
{
  between->backend.operations[operation] =
      !not_offered[operation] && between->real[operation] != NULL
          ? &between->tables[operation]
          : NULL;
}

void
oct_test_offer_operation (OctOperation operation, gboolean is_offered)
{
  not_offered[operation] = !is_offered;
  offer (&cpu, operation);
  offer (&cuda, operation);
}

typedef OctPlan *(*Create) (gconstpointer params, GError **error);
typedef gboolean (*Update) (OctPlan *plan, gconstpointer params);
typedef gboolean (*Run) (OctPlan *plan, const OctFrame *in, const OctFrame *out,
    gpointer stream, GError **error);

/* operations do not get their own index: functions for every row of both
 * tables */
#define DEFINE(between, NAME, name)                                            \
  static gboolean run_##between##_##name (OctPlan *plan, const OctFrame *in,   \
      const OctFrame *out, gpointer stream, GError **error)                    \
  {                                                                            \
    return run_operation (                                                     \
        &between, OCT_OPERATION_##NAME, plan, in, out, stream, error);         \
  }                                                                            \
  static OctPlan *create_##between##_##name (                                  \
      gconstpointer params, GError **error)                                    \
  {                                                                            \
    return create_plan (&between, OCT_OPERATION_##NAME, params, error);        \
  }                                                                            \
  static gboolean update_##between##_##name (                                  \
      OctPlan *plan, gconstpointer params)                                     \
  {                                                                            \
    return update_plan (&between, OCT_OPERATION_##NAME, plan, params);         \
  }
#define DEFINE_BOTH(NAME, name, params)                                        \
  DEFINE (cpu, NAME, name) DEFINE (cuda, NAME, name)
OCT_OPERATIONS (DEFINE_BOTH)

#define ROW(NAME, name, params) { run_cpu_##name, run_cuda_##name },
static const Run run_functions[][2] = { OCT_OPERATIONS (ROW) };
#undef ROW
#define ROW(NAME, name, params) { create_cpu_##name, create_cuda_##name },
static const Create create_functions[][2] = { OCT_OPERATIONS (ROW) };
#undef ROW
#define ROW(NAME, name, params) { update_cpu_##name, update_cuda_##name },
static const Update update_functions[][2] = { OCT_OPERATIONS (ROW) };
#undef ROW

static gboolean
run_pass (const Between *between, OctPlan *plan, const OctFrame *in,
    OctPlan *last, const OctFrame *out, gpointer stream, GError **error)
{
  if (!between->fused->run (plan, in, last, out, stream, error))
    return FALSE;
  if (!is_due (OCT_FAULT_PASS, fault_operation))
    return TRUE;
  g_set_error (error, OCT_ERROR, OCT_ERROR_DEVICE,
      "The test made the pass of the backend %s fail", between->backend.name);
  return FALSE;
}

#define PASS(between)                                                          \
  static OctPlan *create_pass_##between (                                      \
      const OctStep *const *steps, guint n, guint bscans, OctOperation last)   \
  {                                                                            \
    return g_atomic_int_get (&passes)                                          \
               ? between.fused->create (steps, n, bscans, last)                \
               : NULL;                                                         \
  }                                                                            \
                                                                               \
  static gboolean run_pass_##between (OctPlan *plan, const OctFrame *in,       \
      OctPlan *last, const OctFrame *out, gpointer stream, GError **error)     \
  {                                                                            \
    return run_pass (&between, plan, in, last, out, stream, error);            \
  }
PASS (cpu)
PASS (cuda)

static void
put_between_passes (Between *between)
{
  gboolean on_gpu = between == &cuda;

  between->fused = between->backend.fused;
  if (between->fused == NULL)
    return;
  between->fused_between = *between->fused;
  between->fused_between.create = on_gpu ? create_pass_cuda : create_pass_cpu;
  between->fused_between.run = on_gpu ? run_pass_cuda : run_pass_cpu;
  between->backend.fused = &between->fused_between;
}

static const OctBackend *
put_between (Between *between, const OctBackend *real)
{
  guint i;

  between->backend = *real;
  for (i = 0; i < OCT_N_OPERATIONS; i++) {
    between->real[i] = real->operations[i];
    if (real->operations[i] == NULL)
      continue;
    between->tables[i] = *real->operations[i];
    between->tables[i].run = run_functions[i][between == &cuda];
    between->tables[i].create = create_functions[i][between == &cuda];
    if (between->tables[i].update != NULL)
      between->tables[i].update = update_functions[i][between == &cuda];
    offer (between, (OctOperation)i);
  }
  put_between_passes (between);
  return &between->backend;
}

const OctBackend *__real_oct_backend_cpu (void);
const OctBackend *__wrap_oct_backend_cpu (void);

const OctBackend *
__wrap_oct_backend_cpu (void)
{
  static gsize once = 0;

  if (g_once_init_enter (&once)) {
    put_between (&cpu, __real_oct_backend_cpu ());
    g_once_init_leave (&once, 1);
  }
  return &cpu.backend;
}

/* ------------------------------------------------------------------- device */

static const OctDevice *real_device;

static gboolean
copy (OctCopy direction, gpointer dest, gsize dest_stride, gconstpointer src,
    gsize src_stride, gsize row_bytes, gsize rows, gpointer stream,
    GError **error)
{
  return !call_fails (OCT_FAULT_COPY, error)
         && real_device->copy (direction, dest, dest_stride, src, src_stride,
             row_bytes, rows, stream, error);
}

static gboolean
event_record (gpointer event, gpointer stream, GError **error)
{
  return !call_fails (OCT_FAULT_EVENT_RECORD, error)
         && real_device->event_record (event, stream, error);
}

static gboolean
event_synchronize (gpointer event, GError **error)
{
  return !call_fails (OCT_FAULT_EVENT_SYNCHRONIZE, error)
         && real_device->event_synchronize (event, error);
}

static gboolean
stream_synchronize (gpointer stream, GError **error)
{
  g_atomic_int_inc (&waits);
  return real_device->stream_synchronize (stream, error);
}

static gboolean
stream_wait (gpointer stream, gpointer event, GError **error)
{
  return !call_fails (OCT_FAULT_STREAM_WAIT, error)
         && real_device->stream_wait (stream, event, error);
}

static gpointer
alloc (gsize size, GError **error)
{
  return call_fails (OCT_FAULT_ALLOC, error) ? NULL
                                             : real_device->alloc (size, error);
}

static gpointer
alloc_host (gsize size, GError **error)
{
  return call_fails (OCT_FAULT_ALLOC_HOST, error)
             ? NULL
             : real_device->alloc_host (size, error);
}

const OctDevice *__real_gst_oct_cuda_get_device (GstOctCuda *shared);
const OctDevice *__wrap_gst_oct_cuda_get_device (GstOctCuda *shared);

const OctDevice *
__wrap_gst_oct_cuda_get_device (GstOctCuda *shared)
{
  static OctDevice device;
  static gsize once = 0;

  if (g_once_init_enter (&once)) {
    real_device = __real_gst_oct_cuda_get_device (shared);
    device = *real_device;
    device.backend = put_between (&cuda, real_device->backend);
    device.copy = copy;
    device.event_record = event_record;
    device.event_synchronize = event_synchronize;
    device.stream_synchronize = stream_synchronize;
    device.stream_wait = stream_wait;
    device.alloc = alloc;
    device.alloc_host = alloc_host;
    g_once_init_leave (&once, 1);
  }
  return &device;
}
