/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Page-locked memory without a GPU: this program is linked with the files of
 * memory alone and stands for the device, which notes what it is asked for.
 */
#include "gstoctgpushare.h"
#include "gstoctallocation.h"

#include <gst/base/gstbasetransform.h>
#include "gstocterror.h"
#include "gstoctpieces.h"
#include "gstoctpinned.h"
#include "gstoctupload.h"

#include <gst/check/gstcheck.h>
#include <gst/check/gstharness.h>

GST_DEBUG_CATEGORY (gst_oct_cuda_debug);

/* ------------------------------------------------------------------- device */

struct _GstOctCuda {
  gint refs;
};

static GstOctCuda context, other_context;
static guint blocks, events; /* that have not been freed */
static guint waits, pushed, copies;
static gboolean is_full, is_lost;
static GString *posted;

static gpointer
alloc_host (gsize size, GError **error)
{
  fail_unless_equals_int (pushed, 1);
  if (is_full) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_MEMORY, "It is full.");
    return NULL;
  }
  blocks++;
  return g_aligned_alloc (1, size, 64);
}

static void
free_host (gpointer memory)
{
  blocks--;
  g_aligned_free (memory);
}

static gpointer
event_new (GError **error)
{
  events++;
  return g_new (gint, 1);
}

static void
event_free (gpointer event)
{
  events--;
  g_free (event);
}

static gboolean
event_record (gpointer event, gpointer stream, GError **error)
{
  return TRUE;
}

static gboolean
event_synchronize (gpointer event, GError **error)
{
  waits++;
  if (is_lost)
    g_set_error (error, OCT_ERROR, OCT_ERROR_DEVICE, "It is lost.");
  return !is_lost;
}

static gpointer
alloc_device (gsize size, GError **error)
{
  return alloc_host (size, error);
}

static gboolean
stream_wait (gpointer stream, gpointer event, GError **error)
{
  return TRUE;
}

static gboolean
stream_synchronize (gpointer stream, GError **error)
{
  return TRUE;
}

static gboolean
copy_rows (OctCopy direction, gpointer dest, gsize dest_stride,
    gconstpointer src, gsize src_stride, gsize row_bytes, gsize rows,
    gpointer stream, GError **error)
{
  copies++;
  for (gsize i = 0; i < rows; i++)
    memcpy ((guint8 *)dest + i * dest_stride,
        (const guint8 *)src + i * src_stride, row_bytes);
  return TRUE;
}

static const OctDevice device = {
  .alloc = alloc_device,
  .free = free_host,
  .stream_wait = stream_wait,
  .stream_synchronize = stream_synchronize,
  .copy = copy_rows,
  .alloc_host = alloc_host,
  .free_host = free_host,
  .event_new = event_new,
  .event_free = event_free,
  .event_record = event_record,
  .event_synchronize = event_synchronize,
};

const OctDevice *
gst_oct_cuda_get_device (GstOctCuda *cuda)
{
  return &device;
}

gpointer
gst_oct_cuda_get_stream (GstOctCuda *cuda, GstOctStream stream)
{
  return NULL;
}

GstOctCuda *
gst_oct_cuda_ref (GstOctCuda *cuda)
{
  cuda->refs++;
  return cuda;
}

void
gst_oct_cuda_unref (GstOctCuda *cuda)
{
  cuda->refs--;
}

gboolean
gst_oct_cuda_push (GstOctCuda *cuda, GError **error)
{
  pushed++;
  return TRUE;
}

void
gst_oct_cuda_pop (GstOctCuda *cuda)
{
  pushed--;
}

/* no memory of another library */
gpointer
gst_oct_gpu_share_peek (GstBuffer *buffer, GstOctCuda *cuda)
{
  return NULL;
}

void
gst_oct_element_error_at (GstElement *element, GError **error, const char *file,
    const char *function, gint line)
{
  g_string_append (posted, (*error)->message);
  g_clear_error (error);
}

static void
begin (void)
{
  GST_DEBUG_CATEGORY_INIT (gst_oct_cuda_debug, "octcuda", 0, NULL);
  blocks = events = waits = copies = 0;
  is_full = is_lost = FALSE;
  posted = g_string_new (NULL);
}

/* Nothing is left behind. */
static void
end (void)
{
  fail_unless_equals_int (blocks, 0);
  fail_unless_equals_int (events, 0);
  fail_unless_equals_int (pushed, 0);
  fail_unless_equals_int (context.refs, 0);
  g_string_free (posted, TRUE);
}

/* -------------------------------------------------------------------- tests */

/* 1000 bytes after 100 hidden ones, and followed by 28, on cache lines.  All
 * can be written to. */
static GstMemory *
alloc (GstElement *element)
{
  GstAllocator *allocator = gst_oct_pinned_allocator_new (&context, element);
  GstAllocationParams params = { 0, 63, 100, 28 };
  GstMemory *memory = gst_allocator_alloc (allocator, 1000, &params);
  gsize offset, maxsize;
  GstMapInfo map;

  gst_object_unref (allocator);
  fail_unless_equals_uint64 (
      gst_memory_get_sizes (memory, &offset, &maxsize), 1000);
  fail_unless_equals_uint64 (offset, 100);
  fail_unless (maxsize >= 1128);
  fail_unless (gst_memory_map (memory, &map, GST_MAP_WRITE));
  fail_unless_equals_uint64 (((gsize)map.data - 100) % 64, 0);
  memset (map.data - 100, 7, 1128);
  gst_memory_unmap (memory, &map);
  return memory;
}

GST_START_TEST (test_pinned)
{
  GstMemory *memory = alloc (NULL);
  GstMapInfo map;

  fail_unless_equals_int (blocks, 1);
  fail_unless (gst_oct_pinned_is (memory, &context));
  fail_if (gst_oct_pinned_is (memory, &other_context));
  fail_unless (gst_memory_map (memory, &map, GST_MAP_READ));
  fail_unless (map.data == gst_oct_pinned_peek (memory));
  gst_memory_unmap (memory, &map);
  gst_memory_unref (memory);
}
GST_END_TEST

/* Mapping it, whole or in part, waits for a download, and once. */
GST_START_TEST (test_download)
{
  GstMemory *memory = alloc (NULL), *part = gst_memory_share (memory, 10, 20);
  GstMapInfo map;

  fail_unless_equals_int (waits, 0);
  fail_unless (gst_oct_pinned_mark (memory, NULL, NULL));
  fail_unless_equals_int (waits, 0);
  fail_unless (gst_memory_map (part, &map, GST_MAP_READ));
  fail_unless (map.data == (guint8 *)gst_oct_pinned_peek (memory) + 10);
  fail_unless_equals_uint64 (map.size, 20);
  fail_unless_equals_int (waits, 1);
  gst_memory_unmap (part, &map);
  fail_unless (gst_memory_map (memory, &map, GST_MAP_READ));
  fail_unless_equals_int (waits, 1);
  gst_memory_unmap (memory, &map);
  gst_memory_unref (part);
  gst_memory_unref (memory);
}
GST_END_TEST

/* An image that did not come is none, and one message says why. */
GST_START_TEST (test_lost)
{
  GstElement *element = gst_pipeline_new (NULL);
  GstMemory *memory = alloc (element);
  GstMapInfo map;
  guint i;

  fail_unless (gst_oct_pinned_mark (memory, NULL, NULL));
  is_lost = TRUE;
  for (i = 0; i < 2; i++)
    fail_if (gst_memory_map (memory, &map, GST_MAP_READ));
  fail_unless_equals_string (posted->str, "It is lost.");
  gst_memory_unref (memory);
  gst_object_unref (element);
}
GST_END_TEST

/* Where none can be locked there is ordinary memory, for which copies wait. */
GST_START_TEST (test_full)
{
  GstMemory *memory;

  is_full = TRUE;
  memory = alloc (NULL);
  fail_if (gst_oct_pinned_is (memory, &context));
  gst_memory_unref (memory);
  fail_unless_equals_string (posted->str, "");
}
GST_END_TEST

/* -------------------------------------------------------------------- pools
 */

/* A pool of a display, say. */
typedef GstBufferPool SpecialPool;
typedef GstBufferPoolClass SpecialPoolClass;
static GType special_pool_get_type (void);
G_DEFINE_TYPE (SpecialPool, special_pool, GST_TYPE_BUFFER_POOL)

static void
special_pool_class_init (SpecialPoolClass *klass)
{
}

static void
special_pool_init (SpecialPool *pool)
{
}

/* Whether images go to page-locked memory when downstream offers `pool`. */
static gboolean
uses_pinned (GstBufferPool *offered)
{
  GstElement *element = gst_pipeline_new (NULL);
  GstAllocator *allocator = gst_oct_pinned_allocator_new (&context, NULL);
  GstCaps *caps = gst_caps_from_string ("video/x-raw, format=(string)NV12, "
                                        "width=(int)24, height=(int)16, "
                                        "framerate=(fraction)30/1");
  GstQuery *query = gst_query_new_allocation (caps, TRUE);
  GstBufferPool *pool = NULL;
  GstBuffer *buffer = NULL;
  guint size, min, max;
  gboolean pinned;

  gst_query_add_allocation_meta (query, GST_VIDEO_META_API_TYPE, NULL);
  if (offered != NULL)
    gst_query_add_allocation_pool (query, offered, 24 * 16 * 3 / 2, 3, 3);
  fail_unless (gst_oct_decide_allocation (element, query, NULL, allocator));
  gst_query_parse_nth_allocation_pool (query, 0, &pool, &size, &min, &max);
  fail_unless (size >= 24 * 16 * 3 / 2);
  fail_unless_equals_int (min, offered != NULL ? 3 : 0);
  fail_unless (gst_buffer_pool_set_active (pool, TRUE));
  fail_unless_equals_int (
      gst_buffer_pool_acquire_buffer (pool, &buffer, NULL), GST_FLOW_OK);
  pinned = gst_buffer_n_memory (buffer) == 1
           && gst_oct_pinned_is (gst_buffer_peek_memory (buffer, 0), &context);
  /* never fewer than downstream was promised, and no limit of its own kind */
  fail_unless_equals_int (max, pinned ? 0 : 3);
  gst_buffer_unref (buffer);
  gst_buffer_pool_set_active (pool, FALSE);
  gst_object_unref (pool);
  gst_query_unref (query);
  gst_caps_unref (caps);
  gst_object_unref (allocator);
  gst_object_unref (element);
  return pinned;
}

static void
set_allocator (GstBufferPool *pool, GstAllocator *allocator)
{
  GstStructure *config = gst_buffer_pool_get_config (pool);

  gst_buffer_pool_config_set_allocator (config, allocator, NULL);
  gst_buffer_pool_config_set_params (config, NULL, 24 * 16 * 3 / 2, 3, 3);
  fail_unless (gst_buffer_pool_set_config (pool, config));
}

/* Ordinary memory is offered for want of a better, other memory is not. */
GST_START_TEST (test_offered_pools)
{
  GstBufferPool *ordinary = gst_video_buffer_pool_new ();
  GstBufferPool *plain = gst_buffer_pool_new ();
  GstBufferPool *other = gst_buffer_pool_new ();
  GstBufferPool *special = g_object_new (special_pool_get_type (), NULL);
  GstAllocator *usual = gst_allocator_find (GST_ALLOCATOR_SYSMEM);
  GstAllocator *foreign = gst_oct_pinned_allocator_new (&other_context, NULL);

  gst_object_ref_sink (special);
  set_allocator (plain, usual);
  set_allocator (other, foreign);
  fail_unless (uses_pinned (NULL));
  fail_unless (uses_pinned (ordinary));
  fail_unless (uses_pinned (plain));
  fail_if (uses_pinned (special));
  fail_if (uses_pinned (other));
  gst_object_unref (ordinary);
  gst_object_unref (plain);
  gst_object_unref (other);
  gst_object_unref (special);
  gst_object_unref (usual);
  gst_object_unref (foreign);
  fail_unless_equals_int (other_context.refs, 0);
}
GST_END_TEST

/* ----------------------------------------------------------------- next ones
 */

/* Stands for the filters of nvcodec, by their type's name. */
typedef GstBaseTransform GstCudaBaseTransform;
typedef GstBaseTransformClass GstCudaBaseTransformClass;
static GType gst_cuda_base_transform_get_type (void);
G_DEFINE_TYPE (
    GstCudaBaseTransform, gst_cuda_base_transform, GST_TYPE_BASE_TRANSFORM)

static GstFlowReturn
transform_ip (GstBaseTransform *filter, GstBuffer *buffer)
{
  return GST_FLOW_OK;
}

static void
gst_cuda_base_transform_class_init (GstCudaBaseTransformClass *klass)
{
  static GstStaticPadTemplate sink = GST_STATIC_PAD_TEMPLATE (
      "sink", GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS_ANY);
  static GstStaticPadTemplate src = GST_STATIC_PAD_TEMPLATE (
      "src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS_ANY);

  klass->transform_ip = transform_ip;
  gst_element_class_add_static_pad_template (GST_ELEMENT_CLASS (klass), &sink);
  gst_element_class_add_static_pad_template (GST_ELEMENT_CLASS (klass), &src);
}

static void
gst_cuda_base_transform_init (GstCudaBaseTransform *filter)
{
}

/* The reader of images if these elements follow; none of them answers the
 * query. */
static GstOctReader
reader_of (GstElement *first, GstElement *second)
{
  GstElement *pipeline = gst_pipeline_new (NULL);
  GstElement *source = gst_element_factory_make ("identity", NULL);
  g_autoptr (GstPad) pad = gst_element_get_static_pad (source, "src");
  g_autoptr (GstCaps) caps = gst_caps_new_empty_simple ("video/x-raw");
  g_autoptr (GstQuery) query = gst_query_new_allocation (caps, FALSE);
  GstOctReader result;

  gst_bin_add_many (GST_BIN (pipeline), source, first, NULL);
  fail_unless (gst_element_link (source, first));
  if (second != NULL) {
    gst_bin_add (GST_BIN (pipeline), second);
    fail_unless (gst_element_link (first, second));
  }
  result = gst_oct_get_reader (pad, query);
  gst_object_unref (pipeline);
  return result;
}

static GstElement *
filter_new (gboolean passthrough)
{
  GstElement *filter = g_object_new (gst_cuda_base_transform_get_type (), NULL);

  gst_base_transform_set_passthrough (GST_BASE_TRANSFORM (filter), passthrough);
  return filter;
}

#define make(name) gst_element_factory_make (name, NULL)
#define assert_reader(found, expected)                                         \
  fail_unless_equals_int (found, GST_OCT_READER_##expected)

/* No wait for an image whose reader is ordered after ours on the stream; for
 * any other reader there is one. */
GST_START_TEST (test_reader)
{
  GstElement *lonely = make ("identity");
  g_autoptr (GstPad) pad = gst_element_get_static_pad (lonely, "src");
  g_autoptr (GstCaps) caps = gst_caps_new_empty_simple ("video/x-raw");
  g_autoptr (GstQuery) query = gst_query_new_allocation (caps, FALSE);

  assert_reader (gst_oct_get_reader (pad, query), ANY);
  assert_reader (reader_of (make ("fakesink"), NULL), ANY);
  assert_reader (reader_of (filter_new (FALSE), NULL), FILTER);
  assert_reader (reader_of (make ("capsfilter"), filter_new (FALSE)), FILTER);
  assert_reader (reader_of (make ("capsfilter"), make ("fakesink")), ANY);
  assert_reader (reader_of (make ("capsfilter"), NULL), ANY);
  /* the next element gets our image itself */
  assert_reader (reader_of (filter_new (TRUE), make ("fakesink")), ANY);
  assert_reader (reader_of (make ("queue"), filter_new (FALSE)), ANY);
  assert_reader (reader_of (make ("identity"), filter_new (FALSE)), ANY);
  gst_object_unref (lonely);
}
GST_END_TEST

/* The same with an element of ours in the end.  Takes the harness. */
static GstOctReader
reader_through (GstHarness *h)
{
  g_autoptr (GstCaps) caps = gst_caps_from_string (
      "video/x-raw,format=GRAY8,width=8,height=2,framerate=30/1");
  g_autoptr (GstQuery) query = gst_query_new_allocation (caps, FALSE);
  GstOctReader result;

  gst_harness_add_propose_allocation_meta (h, GST_OCT_READER_API_TYPE, NULL);
  gst_harness_set_src_caps (h, gst_caps_ref (caps));
  /* for which it is agreed upon */
  fail_unless_equals_int (
      gst_harness_push (h, gst_buffer_new_allocate (NULL, 16, NULL)),
      GST_FLOW_OK);
  gst_pad_peer_query (h->srcpad, query);
  result = gst_oct_get_reader (h->srcpad, query);
  gst_harness_teardown (h);
  return result;
}

static GstHarness *
harness_of (GstElement *element)
{
  GstHarness *h = gst_harness_new_with_element (element, "sink", "src");

  gst_object_unref (element);
  return h;
}

/* Elements that pass on our image itself pass on its reader too.  One that
 * reads it and outputs another image does not, nor one that also sends it
 * elsewhere. */
GST_START_TEST (test_own_reader)
{
  assert_reader (reader_through (harness_of (make ("queue"))), OWN);
  assert_reader (reader_through (harness_of (make ("identity"))), OWN);
  assert_reader (reader_through (harness_of (make ("capsfilter"))), OWN);
  assert_reader (reader_through (harness_of (filter_new (TRUE))), OWN);
  assert_reader (reader_through (harness_of (filter_new (FALSE))), FILTER);
  assert_reader (reader_through (gst_harness_new_parse (
                     "videoconvert ! capsfilter caps=video/x-raw,format=I420")),
      ANY);
  assert_reader (
      reader_through (gst_harness_new_parse ("tee name=t ! queue ! identity")),
      OWN);
  assert_reader (
      reader_through (gst_harness_new_parse (
          "tee name=t ! queue ! fakesink async=false sync=false t. ! queue")),
      ANY);
}
GST_END_TEST

/* ------------------------------------------------------------------- blocks */

static GstBuffer *
buffer_of (GstMemory *block, gsize offset, gsize size)
{
  GstBuffer *buffer = gst_buffer_new ();

  gst_buffer_append_memory (
      buffer, gst_oct_pinned_part_new (block, offset, size));
  return buffer;
}

/* Images of a block have one download and wait for it; when nobody has any of
 * them the block is used again, and not before. */
GST_START_TEST (test_block)
{
  GstAllocator *allocator = gst_oct_pinned_allocator_new (&context, NULL);
  GstMemory *block = gst_oct_pinned_block_new (allocator, 1024), *other;
  GstBuffer *images[4];
  GstMapInfo map;
  gconstpointer data = gst_oct_pinned_peek (block);

  for (guint i = 0; i < 4; i++)
    images[i] = buffer_of (block, i * 256, 200);
  gst_memory_unref (block);
  fail_unless (gst_oct_pinned_are_parts (images, 4, 256));
  fail_if (gst_oct_pinned_are_parts (images, 4, 200));
  fail_unless (
      gst_oct_pinned_mark (gst_buffer_peek_memory (images[0], 0), NULL, NULL));
  for (guint i = 0; i < 4; i++) {
    fail_unless (gst_buffer_map (images[i], &map, GST_MAP_READWRITE));
    fail_unless (map.data == (const guint8 *)data + i * 256);
    fail_unless_equals_uint64 (map.size, 200);
    gst_buffer_unmap (images[i], &map);
  }
  fail_unless_equals_int (waits, 1);
  for (guint i = 0; i < 3; i++)
    gst_buffer_unref (images[i]);
  other = gst_oct_pinned_block_new (allocator, 1024);
  fail_if (gst_oct_pinned_peek (other) == data);
  gst_buffer_unref (images[3]);
  gst_memory_unref (other);
  block = gst_oct_pinned_block_new (allocator, 1024);
  fail_unless (gst_oct_pinned_peek (block) == data);
  gst_memory_unref (block);
  fail_unless_equals_int (blocks, 2);
  /* images of another size */
  block = gst_oct_pinned_block_new (allocator, 2048);
  fail_unless_equals_int (blocks, 1);
  gst_memory_unref (block);
  gst_object_unref (allocator);
}
GST_END_TEST

/* ------------------------------------------------------------------ uploads */

#define PIECE 64 /* bytes: 4 rows of 16 */

static GstBuffer *
whole_of (GstBuffer *const *pieces, guint n)
{
  GstBuffer *whole = gst_buffer_new ();

  for (guint i = 0; i < n; i++)
    fail_unless (gst_oct_pieces_append (whole, pieces[i], PIECE));
  return whole;
}

static void
upload (GstOctUploads *uploads, GstBuffer *buffer, guint n, guint expected)
{
  GstOctUpload *upload;
  OctFrame frame;

  copies = 0;
  fail_unless (gst_oct_cuda_push (&context, NULL));
  upload = gst_oct_uploads_begin (uploads, buffer, NULL);
  fail_unless (upload != NULL);
  frame = gst_oct_upload_get_frame (upload);
  fail_unless_equals_int (frame.lines, n < 4 ? n * 4 : 0);
  for (guint i = 0; i < n * PIECE; i++)
    fail_unless_equals_int (((guint8 *)frame.planes[0].data)[i], 1 + i / PIECE);
  fail_unless_equals_int (copies, expected);
  /* a camera gets its buffers back at once */
  fail_unless_equals_int (GST_MINI_OBJECT_REFCOUNT_VALUE (buffer),
      gst_oct_pinned_is_ours (buffer) ? 2 : 1);
  gst_oct_upload_unref (upload);
  gst_oct_cuda_pop (&context);
}

/* B-scans that were put together are fetched memory by memory to one block,
 * those that follow each other in one memory with one copy; fewer of them to
 * the begin of the block. */
GST_START_TEST (test_pieces)
{
  g_autoptr (GstCaps) caps = gst_caps_from_string (
      "video/x-raw,format=GRAY8,width=16,height=16,bscans=4,framerate=30/1");
  GstAllocator *allocator = gst_oct_pinned_allocator_new (&context, NULL);
  GstMemory *all = gst_allocator_alloc (allocator, 4 * PIECE, NULL);
  GstBuffer *apart[4], *parts[4], *pinned[4], *whole;
  GstOctUploads *uploads;
  GstOctInfo info;
  GstMapInfo map;

  fail_unless (gst_oct_info_from_caps (&info, caps, NULL));
  fail_unless (gst_memory_map (all, &map, GST_MAP_WRITE));
  for (guint i = 0; i < 4 * PIECE; i++)
    map.data[i] = (guint8)(1 + i / PIECE);
  gst_memory_unmap (all, &map);
  for (guint i = 0; i < 4; i++) {
    apart[i] = gst_buffer_new_allocate (NULL, PIECE, NULL);
    gst_buffer_memset (apart[i], 0, (guint8)(1 + i), PIECE);
    parts[i] = gst_buffer_new ();
    gst_buffer_append_memory (
        parts[i], gst_memory_share (all, i * PIECE, PIECE));
    pinned[i] = gst_buffer_new ();
    gst_buffer_append_memory (
        pinned[i], gst_allocator_alloc (allocator, PIECE, NULL));
    gst_buffer_memset (pinned[i], 0, (guint8)(1 + i), PIECE);
  }
  fail_unless (gst_oct_cuda_push (&context, NULL));
  uploads = gst_oct_uploads_new (&context, &info, 0, NULL);
  gst_oct_cuda_pop (&context);
  fail_unless (uploads != NULL);
  upload (uploads, apart[0], 1, 1);
  for (guint n = 1; n <= 4; n++) {
    upload (uploads, whole = whole_of (apart, n), n, n);
    gst_buffer_unref (whole);
    upload (uploads, whole = whole_of (pinned, n), n, n);
    gst_buffer_unref (whole);
    upload (uploads, whole = whole_of (parts, n), n, 1);
    gst_buffer_unref (whole);
  }
  for (guint i = 0; i < 4; i++)
    fail_unless_equals_int (GST_MINI_OBJECT_REFCOUNT_VALUE (apart[i]), 1);
  gst_oct_uploads_unref (uploads);
  for (guint i = 0; i < 4; i++) {
    fail_unless_equals_int (GST_MINI_OBJECT_REFCOUNT_VALUE (pinned[i]), 1);
    gst_buffer_unref (apart[i]);
    gst_buffer_unref (parts[i]);
    gst_buffer_unref (pinned[i]);
  }
  gst_memory_unref (all);
  gst_object_unref (allocator);
}
GST_END_TEST

static Suite *
octpinned_suite (void)
{
  Suite *suite = suite_create ("octpinned");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_checked_fixture (tcase, begin, end);
  tcase_add_test (tcase, test_pinned);
  tcase_add_test (tcase, test_download);
  tcase_add_test (tcase, test_lost);
  tcase_add_test (tcase, test_full);
  tcase_add_test (tcase, test_offered_pools);
  tcase_add_test (tcase, test_reader);
  tcase_add_test (tcase, test_own_reader);
  tcase_add_test (tcase, test_block);
  tcase_add_test (tcase, test_pieces);
  return suite;
}

GST_CHECK_MAIN (octpinned);
