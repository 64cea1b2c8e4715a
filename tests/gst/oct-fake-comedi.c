/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-fake-comedi.h"
#include "gstoctcomedilibrary.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#define OUTPUT 2u
#define OUTPUTS 4u

static struct {
  GMutex lock;
  GCond changed;
  FakeComediBoard board;
  GString *calls;
  GArray *played; /* guint */
  int file;       /* of the program */
  int inside;     /* the other end */
  gboolean open, locked, busy, running, triggered, gone, stands, stop;
  gboolean draining; /* plays what it has, and then there is nothing */
  guint channels, frames, buffer;
  guint8 part[4]; /* of a value */
  guint n_part;
  gboolean external;
  GThread *player;
  int error;
} fake;

/* ------------------------------------------------------------------- control */

/* A program that does not reset it has a usual board. */
static void __attribute__ ((constructor)) fake_load (void)
{
  fake_comedi_reset (&(FakeComediBoard){ .maxdata = 65535, .send = 1 << 18 });
}

void
fake_comedi_reset (const FakeComediBoard *board)
{
  g_mutex_lock (&fake.lock);
  fake.board = *board;
  if (fake.calls == NULL) {
    fake.calls = g_string_new (NULL);
    fake.played = g_array_new (FALSE, FALSE, sizeof (guint));
  }
  g_string_truncate (fake.calls, 0);
  g_array_set_size (fake.played, 0);
  fake.frames = fake.n_part = 0;
  fake.gone = FALSE;
  fake.stands = board->stand_at > 0;
  g_mutex_unlock (&fake.lock);
}

void
fake_comedi_go_on (void)
{
  g_mutex_lock (&fake.lock);
  fake.stands = FALSE;
  g_cond_broadcast (&fake.changed);
  g_mutex_unlock (&fake.lock);
}

guint
fake_comedi_count (void)
{
  guint count;

  g_mutex_lock (&fake.lock);
  count = fake.frames;
  g_mutex_unlock (&fake.lock);
  return count;
}

static guint
fake_get_waiting (void)
{
  int bytes = 0;

  return fake.busy && ioctl (fake.inside, FIONREAD, &bytes) == 0 ? (guint)bytes
                                                                 : 0;
}

guint
fake_comedi_get_waiting (void)
{
  guint bytes;

  g_mutex_lock (&fake.lock);
  bytes = fake_get_waiting ();
  g_mutex_unlock (&fake.lock);
  return bytes;
}

GArray *
fake_comedi_get_played (void)
{
  GArray *copy;

  g_mutex_lock (&fake.lock);
  copy = g_array_copy (fake.played);
  g_mutex_unlock (&fake.lock);
  return copy;
}

char *
fake_comedi_get_calls (void)
{
  char *copy;

  g_mutex_lock (&fake.lock);
  copy = g_strdup (fake.calls->str);
  g_mutex_unlock (&fake.lock);
  return copy;
}

static void
fake_note (const char *name)
{
  g_mutex_lock (&fake.lock);
  g_string_append_printf (
      fake.calls, "%s%s", fake.calls->len > 0 ? " " : "", name);
  g_mutex_unlock (&fake.lock);
}

/* A call that is noted: TRUE if it fails. */
static gboolean
fake_call (const char *name)
{
  fake_note (name);
  fake.error = EIO;
  return fake.gone || g_strcmp0 (fake.board.failing, name) == 0;
}

#define EXPECT(condition)                                                      \
  if (!(condition)) {                                                          \
    fake_note ("WRONG:" #condition);                                           \
    fake.error = EINVAL;                                                       \
    return -1;                                                                 \
  }

/* -------------------------------------------------------------------- player */

static void
fake_take (const guint8 *data, gsize size)
{
  const guint width = fake.board.wide ? 4 : 2;

  for (gsize i = 0; i < size; i++) {
    guint value;

    fake.part[fake.n_part++] = data[i];
    if (fake.n_part < width)
      continue;
    fake.n_part = 0;
    if (fake.board.wide) {
      memcpy (&value, fake.part, 4);
    } else {
      guint16 narrow;

      memcpy (&narrow, fake.part, 2);
      value = narrow;
    }
    g_array_append_val (fake.played, value);
  }
  fake.frames = fake.played->len / fake.channels;
}

/* FALSE: at its end.  Under the lock. */
static gboolean
fake_check_events (void)
{
  while (fake.stands && fake.frames >= fake.board.stand_at && !fake.stop)
    g_cond_wait (&fake.changed, &fake.lock);
  if (fake.board.underrun_at > 0 && fake.frames >= fake.board.underrun_at) {
    fake.board.underrun_at = 0;
    fake.running = FALSE;
    fake.draining = TRUE;
    shutdown (fake.inside, SHUT_RD);
  }
  return fake.draining || !fake.stop;
}

static gpointer
fake_play (gpointer nothing)
{
  guint8 data[251];
  gssize n;

  g_mutex_lock (&fake.lock);
  while (fake_check_events ()) {
    g_mutex_unlock (&fake.lock);
    n = read (fake.inside, data, sizeof data);
    g_mutex_lock (&fake.lock);
    if (n <= 0)
      break;
    fake_take (data, (gsize)n);
  }
  fake.running = FALSE;
  g_mutex_unlock (&fake.lock);
  return nothing;
}

static void
fake_start (void)
{
  fake.triggered = TRUE;
  fake.player = g_thread_new ("fake-comedi", fake_play, NULL);
}

void
fake_comedi_edge (void)
{
  g_mutex_lock (&fake.lock);
  if (fake.busy && fake.external && !fake.triggered)
    fake_start ();
  g_mutex_unlock (&fake.lock);
}

static void
fake_end (void)
{
  GThread *player;

  g_mutex_lock (&fake.lock);
  fake.stop = TRUE;
  g_cond_broadcast (&fake.changed);
  player = g_steal_pointer (&fake.player);
  if (fake.busy)
    shutdown (fake.inside, SHUT_RD);
  g_mutex_unlock (&fake.lock);
  if (player != NULL)
    g_thread_join (player);
  g_mutex_lock (&fake.lock);
  if (fake.busy)
    close (fake.inside);
  fake.busy = fake.running = fake.triggered = FALSE;
  fake.n_part = 0;
  /* a part of a frame that a command leaves */
  g_array_set_size (fake.played, fake.frames * fake.channels);
  g_mutex_unlock (&fake.lock);
}

void
fake_comedi_pull (void)
{
  g_mutex_lock (&fake.lock);
  fake.gone = TRUE;
  if (fake.busy)
    shutdown (fake.inside, SHUT_RD);
  g_mutex_unlock (&fake.lock);
}

/* ------------------------------------------------------------------- library */

gpointer comedi_open (const char *file);
int comedi_close (gpointer device);
int comedi_fileno (gpointer device);
int comedi_errno (void);
const char *comedi_strerror (int number);
const char *comedi_get_board_name (gpointer device);
int comedi_get_n_subdevices (gpointer device);
int comedi_get_subdevice_type (gpointer device, guint subdevice);
int comedi_get_subdevice_flags (gpointer device, guint subdevice);
int comedi_get_n_channels (gpointer device, guint subdevice);
guint comedi_get_maxdata (gpointer device, guint subdevice, guint channel);
int comedi_get_n_ranges (gpointer device, guint subdevice, guint channel);
GstOctComediRange *comedi_get_range (
    gpointer device, guint subdevice, guint channel, guint range);
int comedi_lock (gpointer device, guint subdevice);
int comedi_set_write_subdevice (gpointer device, guint subdevice);
int comedi_get_write_subdevice (gpointer device);
int comedi_set_buffer_size (gpointer device, guint subdevice, guint bytes);
int comedi_get_max_buffer_size (gpointer device, guint subdevice);
int comedi_get_buffer_size (gpointer device, guint subdevice);
int comedi_get_buffer_contents (gpointer device, guint subdevice);
int comedi_get_hardware_buffer_size (
    gpointer device, guint subdevice, int direction);
int comedi_command_test (gpointer device, GstOctComediCommand *command);
int comedi_command (gpointer device, GstOctComediCommand *command);
int comedi_internal_trigger (gpointer device, guint subdevice, guint number);
int comedi_cancel (gpointer device, guint subdevice);
int comedi_data_write (gpointer device, guint subdevice, guint channel,
    guint range, guint reference, guint value);
char *comedi_get_default_calibration_path (gpointer device);
gpointer comedi_parse_calibration_file (const char *path);
void comedi_cleanup_calibration (gpointer calibration);
int comedi_get_softcal_converter (guint subdevice, guint channel, guint range,
    int direction, gconstpointer calibration,
    GstOctComediPolynomial *polynomial);
int comedi_get_hardcal_converter (gpointer device, guint subdevice,
    guint channel, guint range, int direction,
    GstOctComediPolynomial *polynomial);

static GstOctComediRange ranges[] = { { -5, 5, 0 }, { 0, 10, 0 },
  { -10, 10, 0 }, { -1, 1, 2 } };

gpointer
comedi_open (const char *file)
{
  if (fake_call ("open")
      || (strcmp (file, FAKE_COMEDI_DEVICE) != 0
          && strcmp (file, "/dev/comedi0") != 0)) {
    fake.error = ENOENT;
    return NULL;
  }
  fake.file = open ("/dev/null", O_RDWR | O_CLOEXEC);
  fake.open = TRUE;
  return &fake;
}

int
comedi_close (gpointer device)
{
  fake_note ("close");
  EXPECT (device == &fake && fake.open)
  EXPECT (!fake.busy)
  close (fake.file);
  fake.open = fake.locked = FALSE;
  return 0;
}

int
comedi_fileno (gpointer device)
{
  return device == &fake && fake.open ? fake.file : -1;
}

int
comedi_errno (void)
{
  return fake.error;
}

const char *
comedi_strerror (int number)
{
  return g_strerror (number);
}

const char *
comedi_get_board_name (gpointer device)
{
  return device == &fake ? "fake-6363" : NULL;
}

int
comedi_get_n_subdevices (gpointer device)
{
  return device == &fake ? 3 : -1;
}

int
comedi_get_subdevice_type (gpointer device, guint subdevice)
{
  return device == &fake ? (subdevice == 0 ? 1 : 2) : -1;
}

int
comedi_get_subdevice_flags (gpointer device, guint subdevice)
{
  int flags = 0;

  if (device != &fake || fake.gone)
    return -1;
  if (subdevice != OUTPUT)
    return 0;
  g_mutex_lock (&fake.lock);
  if (!fake.board.no_commands)
    flags |= GST_OCT_COMEDI_WRITES_COMMANDS;
  if (fake.board.wide)
    flags |= GST_OCT_COMEDI_WIDE;
  if (fake.board.soft)
    flags |= GST_OCT_COMEDI_SOFT_CALIBRATED;
  if (fake.running)
    flags |= GST_OCT_COMEDI_RUNNING;
  g_mutex_unlock (&fake.lock);
  return flags;
}

int
comedi_get_n_channels (gpointer device, guint subdevice)
{
  return device == &fake && subdevice == OUTPUT ? (int)OUTPUTS : -1;
}

guint
comedi_get_maxdata (gpointer device, guint subdevice, guint channel)
{
  return device == &fake && subdevice == OUTPUT && channel < OUTPUTS
             ? fake.board.maxdata
             : 0;
}

int
comedi_get_n_ranges (gpointer device, guint subdevice, guint channel)
{
  return fake.board.no_range ? 0 : (int)G_N_ELEMENTS (ranges);
}

GstOctComediRange *
comedi_get_range (gpointer device, guint subdevice, guint channel, guint range)
{
  return range < G_N_ELEMENTS (ranges) ? &ranges[range] : NULL;
}

int
comedi_lock (gpointer device, guint subdevice)
{
  if (fake_call ("lock") || fake.board.locked) {
    fake.error = EBUSY;
    return -1;
  }
  EXPECT (device == &fake && fake.open && subdevice == OUTPUT)
  fake.locked = TRUE;
  return 0;
}

int
comedi_set_write_subdevice (gpointer device, guint subdevice)
{
  fake_note ("set_write_subdevice");
  return device == &fake && subdevice == OUTPUT ? 0 : -1;
}

int
comedi_get_write_subdevice (gpointer device)
{
  return fake.board.other_subdevice ? 1 : (int)OUTPUT;
}

int
comedi_set_buffer_size (gpointer device, guint subdevice, guint bytes)
{
  fake_note ("set_buffer_size");
  EXPECT (fake.locked && !fake.busy && bytes > 0)
  EXPECT (bytes <= (guint)comedi_get_max_buffer_size (device, subdevice))
  fake.buffer = bytes;
  return (int)bytes;
}

int
comedi_get_max_buffer_size (gpointer device, guint subdevice)
{
  return 65536;
}

int
comedi_get_buffer_size (gpointer device, guint subdevice)
{
  return (int)fake.buffer;
}

/* A board that has nothing more is dry. */
int
comedi_get_buffer_contents (gpointer device, guint subdevice)
{
  guint bytes;

  g_mutex_lock (&fake.lock);
  bytes = fake_get_waiting ();
  if (bytes == 0 && fake.busy && fake.triggered)
    shutdown (fake.inside, SHUT_RD);
  g_mutex_unlock (&fake.lock);
  return (int)bytes;
}

int
comedi_get_hardware_buffer_size (
    gpointer device, guint subdevice, int direction)
{
  return direction == GST_OCT_COMEDI_OUTPUT ? 16 : -1;
}

static gboolean
fake_keep (guint *value, guint kept)
{
  const gboolean same = *value == kept;

  *value = kept;
  return same;
}

/* 1: a source, 3: an argument was mended, as Comedi does. */
int
comedi_command_test (gpointer device, GstOctComediCommand *command)
{
  const guint step = fake.board.step > 0 ? fake.board.step : FAKE_COMEDI_STEP;
  const guint inputs = fake.board.no_inputs ? 0 : GST_OCT_COMEDI_EXTERNAL;
  gboolean same = TRUE;

  if (fake_call ("command_test"))
    return -1;
  EXPECT (
      command->subdevice == OUTPUT && command->flags == GST_OCT_COMEDI_WRITE)
  EXPECT (command->n_channels >= 2 && command->n_channels <= 3)
  same &= fake_keep (&command->start_source,
      command->start_source & (GST_OCT_COMEDI_INTERNAL | inputs));
  same &= fake_keep (&command->scan_source,
      command->scan_source & (GST_OCT_COMEDI_TIMER | inputs));
  same &= fake_keep (&command->convert_source, GST_OCT_COMEDI_NOW);
  same &= fake_keep (&command->scan_end_source, GST_OCT_COMEDI_COUNT);
  same &= fake_keep (&command->stop_source, GST_OCT_COMEDI_NONE);
  if (!same || command->start_source == 0 || command->scan_source == 0)
    return 1;
  same &= fake_keep (&command->scan_end_argument, command->n_channels);
  if (command->start_source == GST_OCT_COMEDI_EXTERNAL)
    same &= fake_keep (&command->start_argument,
        GST_OCT_COMEDI_EDGE (
            MIN (GST_OCT_COMEDI_INPUT (command->start_argument),
                FAKE_COMEDI_INPUTS - 1)));
  if (command->scan_source == GST_OCT_COMEDI_EXTERNAL)
    same &= fake_keep (&command->scan_argument,
        GST_OCT_COMEDI_EDGE (MIN (GST_OCT_COMEDI_INPUT (command->scan_argument),
            FAKE_COMEDI_INPUTS - 1)));
  else
    same &= fake_keep (&command->scan_argument,
        MAX ((command->scan_argument + step / 2) / step * step, 1000));
  return same ? 0 : 3;
}

int
comedi_command (gpointer device, GstOctComediCommand *command)
{
  int ends[2], size = (int)fake.board.send;

  if (fake_call ("command"))
    return -1;
  EXPECT (fake.locked && !fake.busy)
  EXPECT (comedi_command_test (device, command) == 0)
  EXPECT (socketpair (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0)
  setsockopt (ends[0], SOL_SOCKET, SO_SNDBUF, &size, sizeof size);
  fcntl (ends[0], F_SETFL, fcntl (fake.file, F_GETFL) & O_NONBLOCK);
  dup2 (ends[0], fake.file);
  close (ends[0]);
  g_mutex_lock (&fake.lock);
  fake.inside = ends[1];
  fake.channels = command->n_channels;
  fake.external = command->start_source == GST_OCT_COMEDI_EXTERNAL;
  fake.stop = fake.draining = FALSE;
  fake.busy = fake.running = TRUE;
  g_mutex_unlock (&fake.lock);
  return 0;
}

int
comedi_internal_trigger (gpointer device, guint subdevice, guint number)
{
  if (fake_call ("internal_trigger"))
    return -1;
  EXPECT (fake.busy && !fake.external && !fake.triggered)
  EXPECT (fake_comedi_get_waiting () > 0)
  g_mutex_lock (&fake.lock);
  fake_start ();
  g_mutex_unlock (&fake.lock);
  return 0;
}

int
comedi_cancel (gpointer device, guint subdevice)
{
  fake_note ("cancel");
  EXPECT (device == &fake && fake.open && subdevice == OUTPUT)
  fake_end ();
  return 0;
}

int
comedi_data_write (gpointer device, guint subdevice, guint channel, guint range,
    guint reference, guint value)
{
  g_autofree char *name =
      g_strdup_printf ("data_write:%u:%u:%u", channel, range, value);

  if (fake_call (name))
    return -1;
  EXPECT (!fake.busy && subdevice == OUTPUT && reference == 0)
  return 1;
}

char *
comedi_get_default_calibration_path (gpointer device)
{
  return strdup (fake.board.uncalibrated ? "/nonexistent/calibration" : "file");
}

gpointer
comedi_parse_calibration_file (const char *path)
{
  return strcmp (path, "file") == 0 ? &fake.board : NULL;
}

void
comedi_cleanup_calibration (gpointer calibration)
{
  fake_note (calibration == &fake.board ? "cleanup_calibration" : "WRONG:free");
}

/* Offset, gain and curvature of each output, about its middle. */
int
comedi_get_softcal_converter (guint subdevice, guint channel, guint range,
    int direction, gconstpointer calibration,
    GstOctComediPolynomial *polynomial)
{
  const GstOctComediRange *r = &ranges[range];

  EXPECT (direction == GST_OCT_COMEDI_FROM_PHYSICAL && subdevice == OUTPUT)
  *polynomial = (GstOctComediPolynomial){ .order = 3,
    .origin = 0.25,
    .coefficients = { fake.board.maxdata * 0.51 + channel,
        fake.board.maxdata / (r->max - r->min) * 0.97, 1.5, -0.25 } };
  return 0;
}

int
comedi_get_hardcal_converter (gpointer device, guint subdevice, guint channel,
    guint range, int direction, GstOctComediPolynomial *polynomial)
{
  const GstOctComediRange *r = &ranges[range];

  if (fake_call ("get_hardcal_converter"))
    return -1;
  EXPECT (direction == GST_OCT_COMEDI_FROM_PHYSICAL && subdevice == OUTPUT)
  *polynomial = (GstOctComediPolynomial){ .order = 1,
    .origin = r->min,
    .coefficients = { 0, fake.board.maxdata / (r->max - r->min) } };
  return 0;
}
