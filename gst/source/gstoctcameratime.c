/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstoctcameratime.h"

/* GigE Vision, block_id: 0 is left out. */
#define WRAP 65535

/* How far the camera's clock may be from ours: frames wait, here and in the
 * camera, before they are looked at. */
#define WAITING (2 * GST_SECOND)

guint64
gst_oct_camera_count (GstOctCameraCount *count, guint64 id)
{
  guint64 step = 1;

  if (!count->begun)
    step = 0;
  else if (id > count->id)
    step = id - count->id;
  else if (id > 0 && id < count->id && count->id <= WRAP
           && id + WRAP - count->id <= WRAP / 2)
    step = id + WRAP - count->id;
  count->begun = TRUE;
  count->id = id;
  count->number += step;
  return step > 0 ? step - 1 : 0;
}

void
gst_oct_camera_count_anew (GstOctCameraCount *count)
{
  if (!count->begun)
    return;
  count->id = G_MAXUINT64;
}

/* Whether both clocks have gone on alike since the first frame. */
static gboolean
agrees (const GstOctCameraTime *time, guint64 camera, GstClockTime arrival)
{
  double here = (double)arrival - (double)time->first_arrival;
  double there = (double)camera - (double)time->first_camera;

  return ABS (here - there) <= 0.5 * here + (double)WAITING;
}

static gint64
find_shortest (const GstOctCameraTime *time)
{
  gint64 shortest = time->delays[0];

  for (guint i = 1; i < time->count; i++)
    shortest = MIN (shortest, time->delays[i]);
  return shortest;
}

GstClockTime
gst_oct_camera_time (
    GstOctCameraTime *time, guint64 camera, GstClockTime arrival)
{
  gint64 mapped = (gint64)arrival;

  if (time->first_camera == 0) {
    time->first_camera = camera;
    time->first_arrival = arrival;
  } else if (camera <= time->camera || !agrees (time, camera, arrival)) {
    time->distrusted = TRUE;
  }
  time->camera = camera;
  if (camera != 0 && !time->distrusted) {
    time->delays[time->next] = (gint64)(arrival - camera);
    time->next = (time->next + 1) % GST_OCT_CAMERA_DELAYS;
    time->count = MAX (time->count, time->next);
    if (time->next == 0)
      time->count = GST_OCT_CAMERA_DELAYS;
    mapped = (gint64)camera + find_shortest (time);
  }
  time->time =
      CLAMP ((guint64)MAX (mapped, 0), MIN (time->time, arrival), arrival);
  return time->time;
}
