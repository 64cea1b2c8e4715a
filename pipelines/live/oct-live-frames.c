/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-live-frames.h"

#include "oct-live-message.h"

#include <string.h>

#define MAX_CONTROL 125 /* bytes, by the standard */

void
oct_live_frames_init (OctLiveFrames *frames, gint64 now)
{
  *frames = (OctLiveFrames){
    .need = 2, .allowance = OCT_LIVE_CONTROL_BURST, .allowed_at = now
  };
}

static guint64
get_length (const guint8 *header)
{
  guint64 length = header[1] & 0x7f;
  guint bytes = length == 126 ? 2 : length == 127 ? 8 : 0;

  if (bytes == 0)
    return length;
  length = 0;
  for (guint i = 0; i < bytes; i++)
    length = length << 8 | header[2 + i];
  return length;
}

static const char *
begin_control (OctLiveFrames *frames, guint64 length, gint64 now)
{
  guint kind = frames->header[0] & 0x0f;

  if (!(frames->header[0] & 0x80) || length > MAX_CONTROL || kind > 10)
    return "a control frame that the standard does not allow";
  frames->allowance +=
      (now - frames->allowed_at) * 1e-6 * OCT_LIVE_CONTROL_RATE;
  frames->allowance = MIN (frames->allowance, OCT_LIVE_CONTROL_BURST);
  frames->allowed_at = now;
  frames->allowance -= 1.0;
  return frames->allowance < 0.0 ? "too many control frames" : NULL;
}

static const char *
frames_begin_part (OctLiveFrames *frames, guint64 length)
{
  guint kind = frames->header[0] & 0x0f;

  if (kind > 2 || (kind == 0) != frames->within)
    return "parts of messages in a wrong order";
  if (!frames->within) {
    frames->message = 0;
    frames->parts = 0;
  }
  /* the length of one part may be any 64-bit number */
  if (length > OCT_LIVE_MAX_MESSAGE
      || frames->message + length > OCT_LIVE_MAX_MESSAGE)
    return "a message that is too long";
  frames->message += length;
  if (++frames->parts > OCT_LIVE_MAX_PARTS)
    return "a message of too many parts";
  frames->within = !(frames->header[0] & 0x80);
  return NULL;
}

/* The header is there in whole. */
static const char *
begin_frame (OctLiveFrames *frames, gint64 now)
{
  guint64 length = get_length (frames->header);

  frames->left = length;
  frames->have = 0;
  frames->need = 2;
  if (frames->header[0] & 0x70)
    return "a frame of an extension that was not agreed on";
  if (frames->header[0] & 0x08)
    return begin_control (frames, length, now);
  return frames_begin_part (frames, length);
}

/* After the first two bytes it is known how long the header is. */
static const char *
grow_header (OctLiveFrames *frames)
{
  guint length = frames->header[1] & 0x7f;

  if (!(frames->header[1] & 0x80))
    return "a frame without a mask";
  frames->need = 6 + (length == 126 ? 2 : length == 127 ? 8 : 0);
  return NULL;
}

const char *
oct_live_frames_take (OctLiveFrames *frames, const guint8 *data, gsize length,
    gint64 now, guint *begun)
{
  const char *wrong = NULL;

  while (length > 0 && wrong == NULL) {
    gsize some = frames->left > 0 ? MIN (frames->left, length)
                                  : MIN (frames->need - frames->have, length);

    if (frames->left > 0)
      frames->left -= some;
    else {
      memcpy (frames->header + frames->have, data, some);
      frames->have += some;
      if (frames->have == 2 && frames->need == 2)
        wrong = grow_header (frames);
      else if (frames->have == frames->need) {
        wrong = begin_frame (frames, now);
        ++*begun;
      }
    }
    data += some;
    length -= some;
  }
  return wrong;
}
