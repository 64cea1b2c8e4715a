/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The frames of a WebSocket that are let through. */
#include "oct-live-frames.h"
#include "oct-live-message.h"

#include <string.h>

#define SECOND G_TIME_SPAN_SECOND

/* A masked frame with `length` bytes; `first` is its first byte. */
static GByteArray *
make (guint8 first, gsize length)
{
  GByteArray *frame = g_byte_array_new ();
  guint8 head[14] = { first, 0x80 };
  gsize size = 2;

  if (length < 126)
    head[1] |= length;
  else if (length < 65536) {
    head[1] |= 126;
    head[2] = length >> 8;
    head[3] = length;
    size = 4;
  } else {
    head[1] |= 127;
    for (guint i = 0; i < 8; i++)
      head[2 + i] = (guint64)length >> (56 - 8 * i);
    size = 10;
  }
  g_byte_array_append (frame, head, size + 4);
  g_byte_array_set_size (frame, size + 4 + length);
  memset (frame->data + size + 4, 0x55, length);
  return frame;
}

static const char *
give (OctLiveFrames *frames, guint8 first, gsize length, gint64 now)
{
  g_autoptr (GByteArray) frame = make (first, length);
  guint begun = 0;
  const char *wrong =
      oct_live_frames_take (frames, frame->data, frame->len, now, &begun);

  g_assert_true (wrong != NULL || begun == 1);
  return wrong;
}

static void
test_messages (void)
{
  static const gsize lengths[] = { 0, 1, 125, 126, 127, 1000,
    OCT_LIVE_MAX_MESSAGE };
  OctLiveFrames frames;

  oct_live_frames_init (&frames, 0);
  for (guint i = 0; i < G_N_ELEMENTS (lengths); i++) {
    g_assert_null (give (&frames, 0x81, lengths[i], 0)); /* text */
    g_assert_null (give (&frames, 0x82, lengths[i], 0)); /* binary */
  }
  g_assert_nonnull (give (&frames, 0x81, OCT_LIVE_MAX_MESSAGE + 1, 0));
}

/* Byte by byte and in one piece are the same. */
static void
test_pieces (void)
{
  static const guint8 kinds[] = { 0x01, 0x00, 0x89, 0x00, 0x80, 0x81, 0x8a };
  static const gsize lengths[] = { 300, 0, 125, 5, 66, 7, 0 };
  g_autoptr (GByteArray) all = g_byte_array_new ();
  OctLiveFrames whole, single;
  guint of_whole = 0, of_single = 0;

  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++) {
    g_autoptr (GByteArray) frame = make (kinds[i], lengths[i]);

    g_byte_array_append (all, frame->data, frame->len);
  }
  oct_live_frames_init (&whole, 0);
  oct_live_frames_init (&single, 0);
  g_assert_null (
      oct_live_frames_take (&whole, all->data, all->len, 0, &of_whole));
  for (guint i = 0; i < all->len; i++)
    g_assert_null (
        oct_live_frames_take (&single, all->data + i, 1, 0, &of_single));
  g_assert_cmpuint (of_whole, ==, G_N_ELEMENTS (kinds));
  g_assert_cmpuint (of_single, ==, G_N_ELEMENTS (kinds));
}

/* A message that does not end. */
static void
test_parts (void)
{
  OctLiveFrames frames;
  gsize sum = 30000;

  oct_live_frames_init (&frames, 0);
  g_assert_null (give (&frames, 0x01, 30000, 0));
  g_assert_nonnull (give (&frames, 0x00, 30000, 0));
  /* also by lengths whose sum comes round */
  oct_live_frames_init (&frames, 0);
  g_assert_null (give (&frames, 0x01, sum, 0));
  {
    static const guint8 most[] = { 0x00, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
      0xff, 0xff, 0xf0, 1, 2, 3, 4 };
    guint begun = 0;

    g_assert_nonnull (
        oct_live_frames_take (&frames, most, sizeof most, 0, &begun));
  }
  /* empty parts take no bytes, but time */
  oct_live_frames_init (&frames, 0);
  g_assert_null (give (&frames, 0x01, 0, 0));
  for (guint i = 1; i < OCT_LIVE_MAX_PARTS; i++)
    g_assert_null (give (&frames, 0x00, 0, 0));
  g_assert_nonnull (give (&frames, 0x00, 0, 0));
  /* the next message begins anew */
  oct_live_frames_init (&frames, 0);
  for (guint i = 0; i < 10; i++) {
    g_assert_null (give (&frames, 0x01, 20000, 0));
    g_assert_null (give (&frames, 0x80, 10000, 0));
  }
}

static void
test_order (void)
{
  static const guint8 wrong[] = { 0x00, 0x80, 0x83, 0x87, 0x8b, 0x8f, 0x09,
    0x08, 0xc1, 0xa1, 0x91 };
  OctLiveFrames frames;

  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++) {
    oct_live_frames_init (&frames, 0);
    g_assert_nonnull (give (&frames, wrong[i], 1, 0));
  }
  oct_live_frames_init (&frames, 0);
  g_assert_null (give (&frames, 0x01, 1, 0));
  g_assert_nonnull (give (&frames, 0x81, 1, 0));
  oct_live_frames_init (&frames, 0);
  g_assert_nonnull (give (&frames, 0x89, 126, 0));
  {
    guint8 unmasked[] = { 0x81, 0x01, 'a' };
    guint begun = 0;

    oct_live_frames_init (&frames, 0);
    g_assert_nonnull (
        oct_live_frames_take (&frames, unmasked, sizeof unmasked, 0, &begun));
  }
}

/* Pings, pongs and closings, also between the parts of a message. */
static void
test_control (void)
{
  static const guint8 kinds[] = { 0x88, 0x89, 0x8a };

  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++) {
    OctLiveFrames frames;
    gint64 now = 0;

    oct_live_frames_init (&frames, now);
    g_assert_null (give (&frames, 0x01, 1, now));
    for (guint j = 0; j < OCT_LIVE_CONTROL_BURST; j++)
      g_assert_null (give (&frames, kinds[i], 4, now));
    for (guint j = 0; j < 100; j++)
      g_assert_null (give (
          &frames, kinds[i], 0, now += SECOND / OCT_LIVE_CONTROL_RATE + 1));
    g_assert_nonnull (give (&frames, kinds[i], 0, now));
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/live/frames/messages", test_messages);
  g_test_add_func ("/live/frames/pieces", test_pieces);
  g_test_add_func ("/live/frames/parts", test_parts);
  g_test_add_func ("/live/frames/order", test_order);
  g_test_add_func ("/live/frames/control", test_control);
  return g_test_run ();
}
