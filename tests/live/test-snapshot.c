/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Single pictures, and an end that does not wait for one. */
#include "oct-live-snapshot.h"

#include <string.h>

#define WIDTH 32
#define HEIGHT 16

/* ------------------------------------------------ memory that takes its time
 */

static GMutex lock;
static GCond cond;
static gboolean held, reached;

typedef struct {
  GstMemory memory;
  guint8 data[WIDTH * HEIGHT];
} SlowMemory;

typedef GstAllocator SlowAllocator;
typedef GstAllocatorClass SlowAllocatorClass;
static GType slow_allocator_get_type (void);
G_DEFINE_TYPE (SlowAllocator, slow_allocator, GST_TYPE_ALLOCATOR)

static gpointer
map (GstMemory *memory, gsize size, GstMapFlags flags)
{
  g_mutex_lock (&lock);
  reached = TRUE;
  g_cond_broadcast (&cond);
  while (held)
    g_cond_wait (&cond, &lock);
  g_mutex_unlock (&lock);
  return ((SlowMemory *)memory)->data;
}

static void
unmap (GstMemory *memory)
{
}

static void
free_memory (GstAllocator *allocator, GstMemory *memory)
{
  g_free (memory);
}

static void
slow_allocator_class_init (SlowAllocatorClass *class)
{
  class->free = free_memory;
}

static void
slow_allocator_init (SlowAllocator *allocator)
{
  allocator->mem_map = map;
  allocator->mem_unmap = unmap;
}

/* ----------------------------------------------------------------------- tests
 */

static GstSample *
get_image (gpointer data)
{
  g_autoptr (GstCaps) caps = gst_caps_new_simple ("video/x-raw", "format",
      G_TYPE_STRING, "GRAY8", "width", G_TYPE_INT, WIDTH, "height", G_TYPE_INT,
      HEIGHT, "framerate", GST_TYPE_FRACTION, 30, 1, NULL);
  g_autoptr (GstBuffer) buffer = gst_buffer_new ();
  SlowMemory *memory = g_new0 (SlowMemory, 1);

  gst_memory_init (&memory->memory, 0, data, NULL, sizeof memory->data, 0, 0,
      sizeof memory->data);
  gst_buffer_append_memory (buffer, &memory->memory);
  return gst_sample_new (buffer, caps, NULL, NULL);
}

typedef struct {
  guint told, pictures;
} Count;

static void
on_done (GBytes *png, gpointer data)
{
  Count *count = data;

  count->told++;
  if (png == NULL)
    return;
  g_assert_cmpuint (g_bytes_get_size (png), >, 8);
  g_assert_cmpint (memcmp (g_bytes_get_data (png, NULL), "\x89PNG", 4), ==, 0);
  count->pictures++;
}

static void
test_picture (void)
{
  g_autoptr (GstAllocator) allocator =
      gst_object_ref_sink (g_object_new (slow_allocator_get_type (), NULL));
  OctLiveSnapshots *snapshots = oct_live_snapshots_new (get_image, allocator);
  Count count = { 0 };

  oct_live_snapshots_ask (snapshots, on_done, &count);
  while (count.told == 0)
    g_main_context_iteration (NULL, TRUE);
  g_assert_cmpuint (count.pictures, ==, 1);
  while (!oct_live_snapshots_free (snapshots))
    ;
}

static GBytes *
make_deep (guint16 level)
{
  g_autoptr (GstCaps) caps = gst_caps_new_simple ("video/x-raw", "format",
      G_TYPE_STRING, "GRAY16_LE", "width", G_TYPE_INT, WIDTH, "height",
      G_TYPE_INT, HEIGHT, "framerate", GST_TYPE_FRACTION, 30, 1, "colorimetry",
      G_TYPE_STRING, "1:4:0:0", NULL); /* as of octlogscale */
  g_autoptr (GstBuffer) buffer =
      gst_buffer_new_allocate (NULL, 2 * WIDTH * HEIGHT, NULL);
  g_autoptr (GstSample) sample = NULL;
  GstMapInfo map;

  gst_buffer_map (buffer, &map, GST_MAP_WRITE);
  for (guint i = 0; i < WIDTH * HEIGHT; i++)
    GST_WRITE_UINT16_LE (map.data + 2 * i, level);
  gst_buffer_unmap (buffer, &map);
  sample = gst_sample_new (buffer, caps, NULL, NULL);
  return oct_live_snapshot_make (sample);
}

/* An image of 16 bit keeps its last bit; the head of the file says its depth. */
static void
test_deep (void)
{
  g_autoptr (GBytes) dark = make_deep (0x4321), bright = make_deep (0x4322);
  const guint8 *head = g_bytes_get_data (dark, NULL);

  g_assert_cmpuint (g_bytes_get_size (dark), >, 26);
  g_assert_cmpuint (head[24], ==, 16); /* bits */
  g_assert_cmpuint (head[25], ==, 0);  /* grey */
  g_assert_false (g_bytes_equal (dark, bright));
}

/* A thread that gets no time holds up nothing; it hangs for good here. */
static void
test_end_does_not_wait (void)
{
  g_autoptr (GstAllocator) allocator =
      gst_object_ref_sink (g_object_new (slow_allocator_get_type (), NULL));
  OctLiveSnapshots *snapshots = oct_live_snapshots_new (get_image, allocator);
  Count count = { 0 };

  held = TRUE;
  reached = FALSE;
  oct_live_snapshots_ask (snapshots, on_done, &count);
  g_mutex_lock (&lock);
  while (!reached)
    g_cond_wait (&cond, &lock);
  g_mutex_unlock (&lock);
  oct_live_snapshots_ask (snapshots, on_done, &count);
  g_assert_false (oct_live_snapshots_free (snapshots));
  g_assert_cmpuint (count.told, ==, 2);
  g_assert_cmpuint (count.pictures, ==, 0);
  g_mutex_lock (&lock);
  held = FALSE;
  g_cond_broadcast (&cond);
  g_mutex_unlock (&lock);
  while (!oct_live_snapshots_free (snapshots))
    ;
  while (g_main_context_iteration (NULL, FALSE))
    ;
  g_assert_cmpuint (count.told, ==, 2);
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/live/snapshot/picture", test_picture);
  g_test_add_func ("/live/snapshot/deep", test_deep);
  g_test_add_func ("/live/snapshot/end-does-not-wait", test_end_does_not_wait);
  return g_test_run ();
}
