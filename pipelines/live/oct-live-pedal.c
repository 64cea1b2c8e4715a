/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-live-pedal.h"

#include <errno.h>
#include <fcntl.h>
#include <gio/gio.h>
#include <glib-unix.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define EVENTS_AT_ONCE 64 /* a flood leaves time for everything else */
#define TRY_AGAIN 1       /* s */
#define LATEST (10 * G_TIME_SPAN_SECOND) /* an older event has another clock */

struct _OctLivePedal {
  char *device;
  OctLiveGestures gestures;
  OctLivePedalEvents events;
  gpointer data;
  int file;      /* -1: it is gone */
  guint source;  /* of the file, or of looking for it */
  guint timer;   /* of the next deadline */
  gboolean lost; /* events were, up to the next report */
  gsize filled;  /* bytes in `read` */
  struct input_event read[EVENTS_AT_ONCE];
};

static gboolean pedal_on_readable (gint file, GIOCondition what, gpointer data);

/* ------------------------------------------------------------------ the device
 */

/* -1 with an error. */
static int
pedal_open (const char *device, GError **error)
{
  int file = open (device, O_RDONLY | O_NONBLOCK | O_CLOEXEC), version;
  struct stat status;

  if (file < 0) {
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_FAILED,
        "The pedal '%s' cannot be opened (%s); --pedal is a file of "
        "/dev/input/by-id, which members of the group input may read.",
        device, g_strerror (errno));
    return -1;
  }
  if (fstat (file, &status) == 0 && S_ISFIFO (status.st_mode))
    return file;
  if (ioctl (file, EVIOCGVERSION, &version) != 0)
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_FAILED,
        "'%s' is not an input device; --pedal is a file of /dev/input/by-id "
        "whose name ends with -event-kbd or -event-joystick.",
        device);
  else if (ioctl (file, EVIOCGRAB, 1) != 0)
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_FAILED,
        "The pedal '%s' cannot be had for oct-live alone (%s); end the other "
        "program that uses it.",
        device, g_strerror (errno));
  else {
    int clock = CLOCK_MONOTONIC;

    /* a kernel that cannot do so has times of the day, which are not used */
    (void)ioctl (file, EVIOCSCLOCKID, &clock);
    return file;
  }
  close (file);
  return -1;
}

static void
pedal_watch (OctLivePedal *pedal, int file)
{
  pedal->file = file;
  pedal->filled = 0;
  pedal->source = g_unix_fd_add (
      file, G_IO_IN | G_IO_HUP | G_IO_ERR, pedal_on_readable, pedal);
}

static gboolean
on_try_again (gpointer data)
{
  OctLivePedal *pedal = data;
  g_autofree char *sentence = NULL;
  int file = pedal_open (pedal->device, NULL);

  if (file < 0)
    return G_SOURCE_CONTINUE;
  pedal_watch (pedal, file);
  sentence = g_strdup_printf ("The pedal '%s' is there again.", pedal->device);
  pedal->events.tell (sentence, FALSE, pedal->data);
  return G_SOURCE_REMOVE;
}

static void
pedal_lose (OctLivePedal *pedal)
{
  g_autofree char *sentence = g_strdup_printf (
      "The pedal '%s' is gone; it is looked for every second.", pedal->device);

  close (pedal->file);
  pedal->file = -1;
  oct_live_gestures_reset (&pedal->gestures);
  pedal->source = g_timeout_add_seconds (TRY_AGAIN, on_try_again, pedal);
  pedal->events.tell (sentence, TRUE, pedal->data);
}

/* ------------------------------------------------------------------ its presses
 */

static void
pedal_act (OctLivePedal *pedal, OctLivePedalAction action)
{
  if (action != OCT_LIVE_PEDAL_NOTHING)
    pedal->events.act (action, pedal->data);
}

/* When the key was moved: a busy computer may read that much later, and would
 * take two presses for a contact that bounces.  The time of reading if the event
 * has none of this clock. */
static gint64
get_time (const struct input_event *event)
{
  gint64 now = g_get_monotonic_time ();
  gint64 time = now;

  if (event->input_event_sec >= 0
      && event->input_event_sec < G_MAXINT64 / G_USEC_PER_SEC - 1
      && event->input_event_usec >= 0
      && event->input_event_usec < G_USEC_PER_SEC)
    time = (gint64)event->input_event_sec * G_USEC_PER_SEC
           + (gint64)event->input_event_usec;
  return time > now || time < now - LATEST ? now : time;
}

static void
take_event (OctLivePedal *pedal, const struct input_event *event)
{
  if (event->type == EV_SYN && event->code == SYN_DROPPED) {
    pedal->lost = TRUE;
    oct_live_gestures_reset (&pedal->gestures);
  } else if (event->type == EV_SYN && event->code == SYN_REPORT) {
    pedal->lost = FALSE;
  } else if (event->type == EV_KEY && event->value != 2 && !pedal->lost) {
    /* 2: the key repeats as long as it is down */
    pedal_act (pedal, oct_live_gestures_take (&pedal->gestures, event->code,
                          event->value != 0, get_time (event)));
  }
}

/* FALSE: the pedal is gone. */
static gboolean
read_events (OctLivePedal *pedal)
{
  gssize got;
  gsize count;

  do
    got = read (pedal->file, (guint8 *)pedal->read + pedal->filled,
        sizeof pedal->read - pedal->filled);
  while (got < 0 && errno == EINTR);
  if (got < 0 && errno == EAGAIN)
    return TRUE;
  if (got <= 0)
    return FALSE;
  pedal->filled += (gsize)got;
  count = pedal->filled / sizeof pedal->read[0];
  for (gsize i = 0; i < count; i++)
    take_event (pedal, &pedal->read[i]);
  /* a pipe may end in the middle of one */
  pedal->filled -= count * sizeof pedal->read[0];
  memmove (pedal->read, &pedal->read[count], pedal->filled);
  return TRUE;
}

static gboolean on_deadline (gpointer data);

static void
wait_for_deadline (OctLivePedal *pedal)
{
  gint64 deadline = oct_live_gestures_get_deadline (&pedal->gestures);
  gint64 left = deadline - g_get_monotonic_time ();

  if (pedal->timer != 0)
    g_source_remove (pedal->timer);
  pedal->timer = 0;
  if (deadline != 0)
    pedal->timer =
        g_timeout_add ((guint)(MAX (0, left) / G_TIME_SPAN_MILLISECOND) + 1,
            on_deadline, pedal);
}

static gboolean
pedal_on_readable (gint file, GIOCondition what, gpointer data)
{
  OctLivePedal *pedal = data;
  gboolean there = read_events (pedal);

  if (!there)
    pedal_lose (pedal);
  wait_for_deadline (pedal);
  return there ? G_SOURCE_CONTINUE : G_SOURCE_REMOVE;
}

static gboolean
on_deadline (gpointer data)
{
  OctLivePedal *pedal = data;
  OctLivePedalAction action;

  pedal->timer = 0;
  /* the program may have been busy since the key went up */
  if (pedal->file >= 0)
    (void)read_events (pedal);
  while ((action = oct_live_gestures_expire (
              &pedal->gestures, g_get_monotonic_time ()))
         != OCT_LIVE_PEDAL_NOTHING)
    pedal_act (pedal, action);
  wait_for_deadline (pedal);
  return G_SOURCE_REMOVE;
}

/* ------------------------------------------------------------------------ life
 */

OctLivePedal *
oct_live_pedal_new (const char *device, const char *map,
    const OctLivePedalEvents *events, gpointer data, GError **error)
{
  OctLivePedal *pedal = g_new0 (OctLivePedal, 1);

  pedal->device = g_strdup (device);
  pedal->events = *events;
  pedal->data = data;
  pedal->file = -1;
  if (oct_live_gestures_parse (&pedal->gestures, map, error)) {
    int file = pedal_open (device, error);

    if (file >= 0) {
      pedal_watch (pedal, file);
      return pedal;
    }
  }
  oct_live_pedal_free (pedal);
  return NULL;
}

void
oct_live_pedal_free (OctLivePedal *pedal)
{
  if (pedal->source != 0)
    g_source_remove (pedal->source);
  if (pedal->timer != 0)
    g_source_remove (pedal->timer);
  if (pedal->file >= 0)
    close (pedal->file);
  g_free (pedal->device);
  g_free (pedal);
}
