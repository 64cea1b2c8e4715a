/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-test-cuda.h"

#include <dlfcn.h>
#include <gst/check/gstcheck.h>
#include <gst/video/video.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

gboolean
oct_test_on_gpu (void)
{
  const char *backend = getenv ("OCT_TEST_BACKEND");

  return backend != NULL && strcmp (backend, "cuda") == 0;
}

gboolean
oct_test_skips_on_gpu (const char *reason)
{
  if (oct_test_on_gpu ())
    g_print ("SKIP of a test on the GPU: %s\n", reason);
  return oct_test_on_gpu ();
}

/* Whether a word of a launch line is an element with a backend.  octsrc and
 * octcolormap choose theirs in every test. */
static gboolean
needs_backend (const char *word)
{
  GstElement *element;
  gboolean has_backend;

  if (!g_str_has_prefix (word, "oct") || strcmp (word, "octsrc") == 0
      || strcmp (word, "octcolormap") == 0)
    return FALSE;
  element = gst_element_factory_make (word, NULL);
  if (element == NULL)
    return FALSE;
  gst_object_ref_sink (element);
  has_backend =
      g_object_class_find_property (G_OBJECT_GET_CLASS (element), "backend")
      != NULL;
  gst_object_unref (element);
  return has_backend;
}

char *
oct_test_cuda_launch (char *launch)
{
  g_auto (GStrv) words = g_strsplit (launch, " ", -1);
  guint i;

  if (!oct_test_on_gpu ())
    return launch;
  for (i = 0; words[i] != NULL; i++) {
    if (needs_backend (words[i])) {
      char *forced = g_strconcat (words[i], " backend=cuda", NULL);

      g_free (words[i]);
      words[i] = forced;
    }
  }
  g_free (launch);
  return g_strjoinv (" ", words);
}

gboolean
oct_test_wants_gpu_memory (GstHarness *harness)
{
  const char *const names[] = { "octkresample", "octdispersion", "octfft",
    "octnufft", "octcs", "octlogscale", "octalign", "octangio", "octdoppler",
    "octdynamic", "octrefocus", NULL };
  GstPad *pad = gst_pad_get_peer (harness->srcpad);
  gboolean wants = FALSE;

  while (pad != NULL && GST_IS_GHOST_PAD (pad)) {
    GstPad *target = gst_ghost_pad_get_target (GST_GHOST_PAD (pad));

    gst_object_unref (pad);
    pad = target;
  }
  if (pad != NULL && oct_test_on_gpu ()) {
    GstElement *element = gst_pad_get_parent_element (pad);
    GstElementFactory *factory = gst_element_get_factory (element);

    /* elements that are parts of others have none */
    wants =
        factory != NULL && g_strv_contains (names, GST_OBJECT_NAME (factory));
    gst_object_unref (element);
  }
  gst_clear_object (&pad);
  return wants;
}

GstBuffer *
oct_test_place (GstHarness *harness, GstBuffer *buffer)
{
  GstObject *context;

  if (!oct_test_wants_gpu_memory (harness))
    return buffer;
  context = oct_test_cuda_context_of (harness);
  buffer = oct_test_cuda_buffer (context, buffer);
  gst_object_unref (context);
  return buffer;
}

#ifdef HAVE_CUDA

#  define GST_USE_UNSTABLE_API
#  include <gst/cuda/gstcudacontext.h>
#  include <gst/cuda/gstcudamemory.h>
#  include <gst/cuda/gstcudautils.h>

/* Not linked: a machine that builds may not have the driver. */
static gpointer
driver_symbol (const char *name)
{
  static void *library;

  if (library == NULL)
    library = dlopen ("libcuda.so.1", RTLD_NOW);
  return library != NULL ? dlsym (library, name) : NULL;
}

gboolean
oct_test_has_device (void)
{
  pid_t child = fork ();
  int status = 1, count = 0;

  if (child == 0) {
    CUresult (*init) (unsigned int) = driver_symbol ("cuInit");
    CUresult (*get_count) (int *) = driver_symbol ("cuDeviceGetCount");

    _exit (init == NULL || get_count == NULL || init (0) != CUDA_SUCCESS
           || get_count (&count) != CUDA_SUCCESS || count == 0);
  }
  return child > 0 && waitpid (child, &status, 0) == child && status == 0;
}

GstObject *
oct_test_cuda_context_new (void)
{
  GstCudaContext *context;

  fail_unless (gst_cuda_load_library ());
  gst_cuda_memory_init_once ();
  context = gst_cuda_context_new (0);
  fail_unless (context != NULL, "no CUDA context");
  return GST_OBJECT (context);
}

GstObject *
oct_test_cuda_context_of (GstHarness *harness)
{
  GstQuery *query = gst_query_new_context ("gst.cuda.context");
  GstCudaContext *found = NULL;
  GstContext *context = NULL;

  fail_unless (gst_cuda_load_library ());
  gst_cuda_memory_init_once ();
  fail_unless (gst_pad_peer_query (harness->srcpad, query),
      "the element has no CUDA context to share");
  gst_query_parse_context (query, &context);
  fail_unless (
      gst_cuda_handle_set_context (harness->element, context, -1, &found));
  fail_unless (found != NULL);
  gst_query_unref (query);
  return GST_OBJECT (found);
}

/* GstCuda knows no format of ours: one row of pixels of four bytes. */
static GstMemory *
allocate (GstCudaContext *context, gsize size)
{
  GstCudaAllocator *allocator =
      (GstCudaAllocator *)gst_allocator_find (GST_CUDA_MEMORY_TYPE_NAME);
  GstVideoInfo info;
  GstMemory *memory;

  gst_video_info_set_format (
      &info, GST_VIDEO_FORMAT_RGBA, (guint)((size + 3) / 4), 1);
#  if GST_CHECK_VERSION(1, 24, 0)
  memory = gst_cuda_allocator_alloc (allocator, context, NULL, &info);
#  else
  memory = gst_cuda_allocator_alloc (allocator, context, &info);
#  endif
  fail_unless (memory != NULL);
  gst_object_unref (allocator);
  return memory;
}

GstBuffer *
oct_test_cuda_buffer (GstObject *context, GstBuffer *buffer)
{
  gsize size = gst_buffer_get_size (buffer);
  GstBuffer *result;
  GstMemory *memory;
  GstMapInfo map;

  if (gst_is_cuda_memory (gst_buffer_peek_memory (buffer, 0)))
    return buffer;
  result = gst_buffer_new ();
  memory = allocate (GST_CUDA_CONTEXT (context), size);
  fail_unless (gst_memory_map (memory, &map, GST_MAP_WRITE));
  gst_buffer_extract (buffer, 0, map.data, size);
  gst_memory_unmap (memory, &map);
  /* not before: what is cut off cannot be mapped by GstCuda 1.22 */
  gst_memory_resize (memory, 0, (gssize)size);
  gst_buffer_append_memory (result, memory);
  gst_buffer_copy_into (result, buffer, GST_BUFFER_COPY_METADATA, 0, (gsize)-1);
  gst_buffer_unref (buffer);
  return result;
}

/* ---------------------------------------------------------- memory of a GPU */

struct _OctTestHoard {
  GstObject *context;
  GArray *blocks; /* of CUdeviceptr */
};

guint
oct_test_cuda_devices (void)
{
  CUresult (*get_count) (int *) = driver_symbol ("cuDeviceGetCount");
  int count = 0;

  /* which initialises the driver */
  gst_object_unref (oct_test_cuda_context_new ());
  fail_unless (get_count (&count) == CUDA_SUCCESS);
  return (guint)count;
}

guint64
oct_test_cuda_free_memory (void)
{
  CUresult (*get_info) (size_t *, size_t *) = driver_symbol ("cuMemGetInfo_v2");
  static GstObject *context; /* kept: it takes memory of the GPU itself */
  size_t available = 0, total = 0;

  if (context == NULL)
    context = oct_test_cuda_context_new ();
  fail_unless (gst_cuda_context_push (GST_CUDA_CONTEXT (context)));
  fail_unless (get_info (&available, &total) == CUDA_SUCCESS);
  gst_cuda_context_pop (NULL);
  return available;
}

OctTestHoard *
oct_test_cuda_hoard (guint64 rest)
{
  CUresult (*get_info) (size_t *, size_t *) = driver_symbol ("cuMemGetInfo_v2");
  CUresult (*alloc) (CUdeviceptr *, size_t) = driver_symbol ("cuMemAlloc_v2");
  OctTestHoard *hoard = g_new0 (OctTestHoard, 1);
  size_t available = 0, total = 0, step = (size_t)4 << 30;

  hoard->context = oct_test_cuda_context_new ();
  hoard->blocks = g_array_new (FALSE, FALSE, sizeof (CUdeviceptr));
  fail_unless (gst_cuda_context_push (GST_CUDA_CONTEXT (hoard->context)));
  while (get_info (&available, &total) == CUDA_SUCCESS && available > rest
         && step >= (1 << 20)) {
    CUdeviceptr block;

    if (available - rest >= step && alloc (&block, step) == CUDA_SUCCESS)
      g_array_append_val (hoard->blocks, block);
    else
      step /= 2;
  }
  gst_cuda_context_pop (NULL);
  return hoard;
}

void
oct_test_cuda_free (OctTestHoard *hoard)
{
  CUresult (*release) (CUdeviceptr) = driver_symbol ("cuMemFree_v2");
  guint i;

  fail_unless (gst_cuda_context_push (GST_CUDA_CONTEXT (hoard->context)));
  for (i = 0; i < hoard->blocks->len; i++)
    release (g_array_index (hoard->blocks, CUdeviceptr, i));
  gst_cuda_context_pop (NULL);
  g_array_unref (hoard->blocks);
  gst_object_unref (hoard->context);
  g_free (hoard);
}

/* ---------------------------------------------------- kernels of the tests */

/* For the driver to compile, so that this program needs no CUDA compiler: one
 * waits for a value that is not zero, the other for about a millisecond and
 * then writes to address 16. */
static const char kernels[] = ".version 7.0\n"
                              ".target sm_75\n"
                              ".address_size 64\n"
                              ".visible .entry hold (.param .u64 flag)\n"
                              "{\n"
                              "  .reg .pred %is_zero;\n"
                              "  .reg .b64 %address;\n"
                              "  .reg .b32 %value;\n"
                              "  ld.param.u64 %address, [flag];\n"
                              "wait:\n"
                              "  ld.volatile.global.u32 %value, [%address];\n"
                              "  setp.eq.u32 %is_zero, %value, 0;\n"
                              "  @%is_zero bra wait;\n"
                              "  ret;\n"
                              "}\n"
                              ".visible .entry stray ()\n"
                              "{\n"
                              "  .reg .pred %early;\n"
                              "  .reg .b64 %start, %now, %address;\n"
                              "  .reg .b32 %value;\n"
                              "  mov.u64 %start, %clock64;\n"
                              "wait:\n"
                              "  mov.u64 %now, %clock64;\n"
                              "  sub.u64 %now, %now, %start;\n"
                              "  setp.lt.u64 %early, %now, 2000000;\n"
                              "  @%early bra wait;\n"
                              "  mov.u64 %address, 16;\n"
                              "  mov.u32 %value, 1;\n"
                              "  st.global.u32 [%address], %value;\n"
                              "  ret;\n"
                              "}\n";

/* In the current context; from any thread of a pipeline. */
static void
launch_kernel (const char *name, gpointer stream, void **parameters)
{
  CUresult (*load) (CUmodule *, const void *) =
      driver_symbol ("cuModuleLoadData");
  CUresult (*get_function) (CUfunction *, CUmodule, const char *) =
      driver_symbol ("cuModuleGetFunction");
  CUresult (*launch) (CUfunction, unsigned int, unsigned int, unsigned int,
      unsigned int, unsigned int, unsigned int, unsigned int, CUstream, void **,
      void **) = driver_symbol ("cuLaunchKernel");
  CUmodule module;
  CUfunction function;
  CUresult result = load (&module, kernels);

  if (result != CUDA_SUCCESS)
    g_error ("the driver does not compile the kernels: error %d", result);
  result = get_function (&function, module, name);
  if (result == CUDA_SUCCESS)
    result = launch (function, 1, 1, 1, 1, 1, 1, 0, stream, parameters, NULL);
  if (result != CUDA_SUCCESS)
    g_error ("the kernel %s cannot be launched: error %d", name, result);
}

void
oct_test_cuda_stray (gpointer stream)
{
  launch_kernel ("stray", stream, NULL);
}

struct _OctTestHold {
  GstCudaContext *context;
  volatile guint32 *flag;
};

OctTestHold *
oct_test_cuda_hold (GstElement *element)
{
  CUresult (*alloc) (void **, size_t) = driver_symbol ("cuMemAllocHost_v2");
  OctTestHold *hold = g_new0 (OctTestHold, 1);
  GstQuery *query = gst_query_new_context ("gst.cuda.context");
  GstContext *context = NULL;
  void *flag = NULL, *parameters[] = { &flag };

  fail_unless (gst_pad_query (element->sinkpads->data, query));
  gst_query_parse_context (query, &context);
  fail_unless (
      gst_cuda_handle_set_context (element, context, -1, &hold->context));
  gst_query_unref (query);
  fail_unless (gst_cuda_context_push (hold->context));
  fail_unless (alloc (&flag, sizeof (guint32)) == CUDA_SUCCESS);
  hold->flag = flag;
  *hold->flag = 0;
  /* streams that compute wait for the work in the NULL stream */
  launch_kernel ("hold", NULL, parameters);
  gst_cuda_context_pop (NULL);
  return hold;
}

void
oct_test_cuda_let_go (OctTestHold *hold)
{
  CUresult (*synchronize) (CUstream) = driver_symbol ("cuStreamSynchronize");
  CUresult (*release) (void *) = driver_symbol ("cuMemFreeHost");

  *hold->flag = 1;
  fail_unless (gst_cuda_context_push (hold->context));
  fail_unless (synchronize (NULL) == CUDA_SUCCESS);
  release ((void *)hold->flag);
  gst_cuda_context_pop (NULL);
  gst_object_unref (hold->context);
  g_free (hold);
}

#else /* a build without CUDA: nothing below the first is reached */

gboolean
oct_test_has_device (void)
{
  return FALSE;
}

GstObject *
oct_test_cuda_context_new (void)
{
  return NULL;
}

GstObject *
oct_test_cuda_context_of (GstHarness *harness)
{
  return NULL;
}

GstBuffer *
oct_test_cuda_buffer (GstObject *context, GstBuffer *buffer)
{
  return buffer;
}

guint
oct_test_cuda_devices (void)
{
  return 0;
}

guint64
oct_test_cuda_free_memory (void)
{
  return 0;
}

OctTestHoard *
oct_test_cuda_hoard (guint64 rest)
{
  return NULL;
}

void
oct_test_cuda_free (OctTestHoard *hoard)
{
}

void
oct_test_cuda_stray (gpointer stream)
{
}

OctTestHold *
oct_test_cuda_hold (GstElement *element)
{
  return NULL;
}

void
oct_test_cuda_let_go (OctTestHold *hold)
{
}

#endif

/* Before main(), so that no program has to ask. */
__attribute__ ((constructor)) static void
skip_without_device (void)
{
  if (oct_test_on_gpu () && !oct_test_has_device ()) {
    printf ("SKIP: OCT_TEST_BACKEND=cuda, but there is no GPU to use\n");
    fflush (stdout);
    _exit (77);
  }
}
