/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstoctcamera.h"

#include <gst/video/navigation.h>
#include <math.h>

/* Across the whole picture. */
#define TURN 180.0
#define KEY_TURN 5.0
#define KEY_ZOOM 1.1
#define WHEEL_ZOOM 1.1

static void
camera_turn (GstOctView *view, double yaw, double pitch)
{
  /* -180 .. 180 */
  view->yaw = remainder (view->yaw + yaw, 360.0);
  view->pitch = CLAMP (view->pitch + pitch, -90.0, 90.0);
}

static void
change_size (GstOctView *view, double factor)
{
  view->zoom = CLAMP (
      view->zoom * factor, GST_OCT_VIEW_ZOOM_LEAST, GST_OCT_VIEW_ZOOM_MOST);
}

static void
camera_drag (GstOctHand *hand, double x, double y, guint width, guint height,
    GstOctView *view)
{
  double dx = x - hand->x, dy = y - hand->y;

  hand->x = x;
  hand->y = y;
  if (hand->button == 1) {
    camera_turn (view, -TURN * dx / width, TURN * dy / height);
  } else if (hand->button != 0) {
    view->pan_x = CLAMP (view->pan_x + dx / height, -10.0, 10.0);
    view->pan_y = CLAMP (view->pan_y - dy / height, -10.0, 10.0);
  }
}

static void
press_key (const char *key, GstOctView *view)
{
  if (g_str_equal (key, "Left"))
    camera_turn (view, KEY_TURN, 0);
  else if (g_str_equal (key, "Right"))
    camera_turn (view, -KEY_TURN, 0);
  else if (g_str_equal (key, "Up"))
    camera_turn (view, 0, -KEY_TURN);
  else if (g_str_equal (key, "Down"))
    camera_turn (view, 0, KEY_TURN);
  else if (g_str_equal (key, "plus") || g_str_equal (key, "equal")
           || g_str_equal (key, "+"))
    change_size (view, KEY_ZOOM);
  else if (g_str_equal (key, "minus") || g_str_equal (key, "-"))
    change_size (view, 1 / KEY_ZOOM);
  else if (g_str_equal (key, "Home"))
    *view = (GstOctView){
      .yaw = GST_OCT_VIEW_YAW, .pitch = GST_OCT_VIEW_PITCH, .zoom = 1
    };
}

gboolean
gst_oct_hand_move (GstOctHand *hand, GstEvent *event, guint width, guint height,
    GstOctView *view)
{
  double x, y, dx, dy, pressure;
  guint identifier;
  gint button;
  const gchar *key;

  switch (gst_navigation_event_get_type (event)) {
  case GST_NAVIGATION_EVENT_MOUSE_BUTTON_PRESS:
    if (gst_navigation_event_parse_mouse_button_event (event, &button, &x, &y))
      *hand = (GstOctHand){ .button = (guint)button, .x = x, .y = y };
    return TRUE;
  case GST_NAVIGATION_EVENT_MOUSE_BUTTON_RELEASE:
    hand->button = 0;
    return TRUE;
  case GST_NAVIGATION_EVENT_MOUSE_MOVE:
    if (gst_navigation_event_parse_mouse_move_event (event, &x, &y))
      camera_drag (hand, x, y, width, height, view);
    return TRUE;
  case GST_NAVIGATION_EVENT_MOUSE_SCROLL:
    if (gst_navigation_event_parse_mouse_scroll_event (event, &x, &y, &dx, &dy))
      change_size (view, pow (WHEEL_ZOOM, CLAMP (dy, -10.0, 10.0)));
    return TRUE;
  case GST_NAVIGATION_EVENT_TOUCH_DOWN:
    if (gst_navigation_event_parse_touch_event (
            event, &identifier, &x, &y, &pressure)
        && !hand->touches)
      *hand = (GstOctHand){
        .button = 1, .x = x, .y = y, .touches = TRUE, .finger = identifier
      };
    return TRUE;
  case GST_NAVIGATION_EVENT_TOUCH_MOTION:
    if (gst_navigation_event_parse_touch_event (
            event, &identifier, &x, &y, &pressure)
        && hand->touches && identifier == hand->finger)
      camera_drag (hand, x, y, width, height, view);
    return TRUE;
  case GST_NAVIGATION_EVENT_TOUCH_UP:
    if (gst_navigation_event_parse_touch_up_event (event, &identifier, &x, &y)
        && hand->touches && identifier == hand->finger)
      *hand = (GstOctHand){ 0 };
    return TRUE;
  case GST_NAVIGATION_EVENT_TOUCH_CANCEL:
    *hand = (GstOctHand){ 0 };
    return TRUE;
  case GST_NAVIGATION_EVENT_KEY_PRESS:
    if (gst_navigation_event_parse_key_event (event, &key) && key != NULL)
      press_key (key, view);
    return TRUE;
  default:
    return FALSE;
  }
}
