/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstoctcomediboard.h"
#include "gstoctcomedilibrary.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DEFAULT_DEVICE "/dev/comedi0"
/* The board makes periods in steps of its own clock, and Comedi counts ns: what
 * is told, and what would be another scan. */
#define TOLD_RATE 1e-4
#define WORST_RATE 0.01
/* A range is the one that was asked for if it differs by less. */
#define SAME_RANGE 0.01
/* command_test() mends a command step by step. */
#define MOST_TESTS 5

struct _GstOctComediBoard {
  const GstOctComediSettings *settings;
  GstOctComediLibrary call;
  gpointer device;
  guint subdevice, flags;

  /* of the stream */
  guint channels, rate;
  guint outputs[GST_OCT_COMEDI_MAX_CHANNELS];
  guint ranges[GST_OCT_COMEDI_MAX_CHANNELS];
  guint list[GST_OCT_COMEDI_MAX_CHANNELS]; /* packed, of the command */
  double low[GST_OCT_COMEDI_MAX_CHANNELS], high[GST_OCT_COMEDI_MAX_CHANNELS];
  guint most[GST_OCT_COMEDI_MAX_CHANNELS]; /* largest sample */
  GstOctComediPolynomial convert[GST_OCT_COMEDI_MAX_CHANNELS];
  GstOctComediCommand command;
};

/* ------------------------------------------------------------------- errors */

static const char *
board_get_device (const GstOctComediBoard *board)
{
  const char *device = board->settings->device;

  return device != NULL && *device != '\0' ? device : DEFAULT_DEVICE;
}

static const char *
board_explain (const GstOctComediBoard *board)
{
  const char *text = board->call.strerror (board->call.get_errno ());

  return text != NULL ? text : "no reason";
}

static gboolean
board_is_gone (GstOctComediBoard *board)
{
  return board->call.get_subdevice_flags (board->device, board->subdevice) < 0;
}

/* "Board DEVICE refused CALL (REASON); HINT", or that it is gone. */
static gboolean
board_refused (GstOctComediBoard *board, const char *what, const char *reason,
    const char *hint, GError **error)
{
  g_autofree char *kept = g_strdup (reason);

  if (board_is_gone (board))
    g_set_error (error, OCT_ERROR, OCT_ERROR_DEVICE,
        "The board '%s' is gone while it played, and its mirrors stand "
        "anywhere; connect it, and start again",
        board_get_device (board));
  else
    g_set_error (error, OCT_ERROR, OCT_ERROR_DEVICE,
        "The board '%s' refused %s (%s); %s", board_get_device (board), what,
        kept, hint);
  return FALSE;
}

/* ---------------------------------------------------------------------- open */

static gboolean
board_takes_commands (GstOctComediBoard *board, guint subdevice)
{
  const int flags = board->call.get_subdevice_flags (board->device, subdevice);

  return board->call.get_subdevice_type (board->device, subdevice)
             == GST_OCT_COMEDI_ANALOG_OUTPUT
         && flags >= 0 && (flags & GST_OCT_COMEDI_WRITES_COMMANDS) != 0;
}

static gboolean
board_find_subdevice (GstOctComediBoard *board, GError **error)
{
  const gint wanted = board->settings->subdevice;
  const int n = board->call.get_n_subdevices (board->device);
  int found = -1;

  for (int i = 0; i < n && found < 0; i++)
    if (board_takes_commands (board, (guint)i))
      found = i;
  if (found < 0) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_DEVICE,
        "The board '%s' (%s) has no analog output that takes commands, without "
        "which it cannot play a scan; set `device` of octcomedisink to a board "
        "that has one",
        board_get_device (board), board->call.get_board_name (board->device));
    return FALSE;
  }
  if (wanted >= 0
      && (wanted >= n || !board_takes_commands (board, (guint)wanted))) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "Subdevice %d of the board '%s' is not an analog output that takes "
        "commands; set `subdevice` of octcomedisink to %d, or to -1",
        wanted, board_get_device (board), found);
    return FALSE;
  }
  board->subdevice = (guint)(wanted >= 0 ? wanted : found);
  board->flags =
      (guint)board->call.get_subdevice_flags (board->device, board->subdevice);
  return TRUE;
}

static gboolean
board_take (GstOctComediBoard *board, GError **error)
{
  const int file = board->call.fileno (board->device);

  if (board->call.lock (board->device, board->subdevice) < 0) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_DEVICE,
        "Another program uses the analog output of the board '%s' (%s); end "
        "that program, or set `device` or `subdevice` of octcomedisink to "
        "another output",
        board_get_device (board), board_explain (board));
    return FALSE;
  }
  /* of several outputs, the one that write() means */
  board->call.set_write_subdevice (board->device, board->subdevice);
  if (board->call.get_write_subdevice (board->device)
      != (int)board->subdevice) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_DEVICE,
        "The driver of the board '%s' does not write to subdevice %u; set "
        "`subdevice` of octcomedisink to %d",
        board_get_device (board), board->subdevice,
        board->call.get_write_subdevice (board->device));
    return FALSE;
  }
  return fcntl (file, F_SETFL, fcntl (file, F_GETFL) | O_NONBLOCK) >= 0
         || board_refused (board, "to be written to without waiting",
             g_strerror (errno), "update its driver", error);
}

GstOctComediBoard *
gst_oct_comedi_board_new (const GstOctComediSettings *settings, GError **error)
{
  GstOctComediBoard *board = g_new0 (GstOctComediBoard, 1);

  board->settings = settings;
  if (gst_oct_comedi_load (settings->library, &board->call, error)) {
    board->device = board->call.open (board_get_device (board));
    if (board->device == NULL)
      g_set_error (error, OCT_ERROR, OCT_ERROR_DEVICE,
          "The device '%s' cannot be opened (%s); load the driver of the board "
          "and get the right to write to this file, or set `device` of "
          "octcomedisink to the board's",
          board_get_device (board), board_explain (board));
    else if (board_find_subdevice (board, error) && board_take (board, error))
      return board;
  }
  gst_oct_comedi_board_free (board);
  return NULL;
}

void
gst_oct_comedi_board_free (GstOctComediBoard *board)
{
  if (board == NULL)
    return;
  if (board->device != NULL)
    board->call.close (board->device);
  g_free (board);
}

/* ------------------------------------------------------------------ channels */

static gboolean
board_parse_channels (GstOctComediBoard *board, GError **error)
{
  const char *text = board->settings->channels;
  g_auto (GStrv) parts = NULL;
  const int n = board->call.get_n_channels (board->device, board->subdevice);
  guint count;

  for (guint i = 0; i < board->channels; i++)
    board->outputs[i] = i;
  if (text != NULL && *text != '\0') {
    parts = g_strsplit (text, ",", -1);
    count = g_strv_length (parts);
    for (guint i = 0; i < count && i < board->channels; i++) {
      guint64 value;

      if (!g_ascii_string_to_unsigned (
              g_strstrip (parts[i]), 10, 0, G_MAXUINT16, &value, NULL))
        count = 0;
      else
        board->outputs[i] = (guint)value;
    }
    if (count != board->channels) {
      g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
          "`channels` of octcomedisink is '%.60s', and the scan has %u "
          "channels; set it to so many numbers of outputs, as 0,1",
          text, board->channels);
      return FALSE;
    }
  }
  for (guint i = 0; i < board->channels; i++) {
    gboolean twice = FALSE;

    for (guint k = 0; k < i; k++)
      twice |= board->outputs[k] == board->outputs[i];
    if (!twice && (int)board->outputs[i] < n)
      continue;
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "The scan has %u channels, and the board '%s' has the outputs 0 to %d; "
        "set `channels` of octcomedisink to different ones of these%s",
        board->channels, board_get_device (board), n - 1,
        board->channels > 2 ? ", or `gate` of octscangen to false" : "");
    return FALSE;
  }
  return TRUE;
}

/* The least is the best of the ranges; negative: this one does not fit. */
static double
board_judge_range (
    const GstOctComediBoard *board, const GstOctComediRange *range)
{
  const double wanted = board->settings->range;
  const double full = board->settings->full_scale;

  /* limits of ranges are rounded */
  if (range->unit != 0 || !(range->max > range->min))
    return -1;
  if (wanted > 0.0)
    return fabs (range->max - wanted) <= SAME_RANGE * wanted
               /* the one with both signs comes first */
               ? MAX (2 + range->min / range->max, 0)
               : -1;
  return range->max >= full * (1 - 1e-6) && range->min <= -full * (1 - 1e-6)
             ? range->max - range->min
             : -1;
}

static gboolean
board_choose_range (GstOctComediBoard *board, guint i, GError **error)
{
  const guint output = board->outputs[i];
  const int n =
      board->call.get_n_ranges (board->device, board->subdevice, output);
  g_autoptr (GString) all = g_string_new (NULL);
  double best = G_MAXDOUBLE;

  for (int k = 0; k < n; k++) {
    const GstOctComediRange *range = board->call.get_range (
        board->device, board->subdevice, output, (guint)k);
    const double value = range != NULL ? board_judge_range (board, range) : -1;

    if (range != NULL && range->unit == 0)
      g_string_append_printf (all, "%s%g to %g V", all->len > 0 ? ", " : "",
          range->min, range->max);
    if (value < 0 || value >= best)
      continue;
    best = value;
    board->ranges[i] = (guint)k;
    board->low[i] = range->min;
    board->high[i] = range->max;
  }
  if (best < G_MAXDOUBLE)
    return TRUE;
  if (board->settings->range > 0.0)
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "Output %u of the board '%s' has no range up to %g V, only %s; set "
        "`range` of octcomedisink to the upper end of one of these",
        output, board_get_device (board), board->settings->range,
        all->len > 0 ? all->str : "ranges that are not voltages");
  else
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "A full scale of %g V is more than output %u of the board '%s' has "
        "(%s); set `full-scale` of octscangen and of octcomedisink to less, or "
        "`range` to the upper end of a range",
        board->settings->full_scale, output, board_get_device (board),
        all->len > 0 ? all->str : "ranges that are not voltages");
  return FALSE;
}

/* The board's calibration; NULL: it has none, or none that is in a file. */
static gpointer
board_read_calibration (GstOctComediBoard *board, char **warning)
{
  char *path;
  gpointer calibration;

  if (!(board->flags & GST_OCT_COMEDI_SOFT_CALIBRATED))
    return NULL;
  path = board->call.get_default_calibration_path (board->device);
  calibration = path != NULL ? board->call.parse_calibration_file (path) : NULL;
  if (calibration == NULL)
    *warning = g_strdup_printf (
        "The board '%s' has no calibration (%s), and its voltages may be wrong "
        "by some per cent; run comedi_soft_calibrate once.",
        board_get_device (board), path != NULL ? path : "no file");
  free (path);
  return calibration;
}

static gboolean
board_set_conversions (GstOctComediBoard *board, char **warning, GError **error)
{
  gpointer calibration = board_read_calibration (board, warning);
  gboolean ok = TRUE;

  for (guint i = 0; ok && i < board->channels; i++) {
    const guint output = board->outputs[i], range = board->ranges[i];

    board->most[i] =
        board->call.get_maxdata (board->device, board->subdevice, output);
    board->list[i] = GST_OCT_COMEDI_CHANNEL (output, range);
    if (calibration != NULL
        && board->call.get_softcal_converter (board->subdevice, output, range,
               GST_OCT_COMEDI_FROM_PHYSICAL, calibration, &board->convert[i])
               == 0)
      continue;
    ok = board->call.get_hardcal_converter (board->device, board->subdevice,
             output, range, GST_OCT_COMEDI_FROM_PHYSICAL, &board->convert[i])
         == 0;
  }
  if (calibration != NULL)
    board->call.cleanup_calibration (calibration);
  for (guint i = 0; ok && i < board->channels; i++)
    ok = board->convert[i].order < G_N_ELEMENTS (board->convert[i].coefficients)
         && board->most[i] > 0;
  return ok
         || board_refused (board, "to say how it makes voltages",
             board_explain (board), "calibrate it with comedi_calibrate",
             error);
}

/* ------------------------------------------------------------------- command */

static void
board_make_command (GstOctComediBoard *board)
{
  const GstOctComediSettings *s = board->settings;

  board->command = (GstOctComediCommand){ .subdevice = board->subdevice,
    .flags = GST_OCT_COMEDI_WRITE,
    .start_source =
        s->start_input >= 0 ? GST_OCT_COMEDI_EXTERNAL : GST_OCT_COMEDI_INTERNAL,
    .start_argument =
        s->start_input >= 0 ? GST_OCT_COMEDI_EDGE (s->start_input) : 0,
    .scan_source =
        s->clock_input >= 0 ? GST_OCT_COMEDI_EXTERNAL : GST_OCT_COMEDI_TIMER,
    .scan_argument = s->clock_input >= 0
                         ? GST_OCT_COMEDI_EDGE (s->clock_input)
                         : (guint)rint (MIN (1e9 / board->rate, 4e9)),
    .convert_source = GST_OCT_COMEDI_NOW,
    .scan_end_source = GST_OCT_COMEDI_COUNT,
    .scan_end_argument = board->channels,
    .stop_source = GST_OCT_COMEDI_NONE,
    .channels = board->list,
    .n_channels = board->channels };
}

/* Whether a mended source and argument are still those that were asked for. */
static gboolean
board_keeps_input (guint source, guint argument, gint wanted)
{
  return wanted < 0
         || (source == GST_OCT_COMEDI_EXTERNAL
             && GST_OCT_COMEDI_INPUT (argument) == (guint)wanted);
}

static gboolean
board_test_command (GstOctComediBoard *board, GError **error)
{
  const GstOctComediSettings *s = board->settings;
  GstOctComediCommand *command = &board->command;
  int result = -1;

  board_make_command (board);
  for (guint i = 0; i < MOST_TESTS && result != 0; i++)
    result = board->call.command_test (board->device, command);
  if (!board_keeps_input (
          command->scan_source, command->scan_argument, s->clock_input)) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "The analog output of the board '%s' has no clock at input %d; set "
        "`clock-input` of octcomedisink to an input that it has, or to -1 for "
        "the board's own clock",
        board_get_device (board), s->clock_input);
    return FALSE;
  }
  if (!board_keeps_input (
          command->start_source, command->start_argument, s->start_input)) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "The analog output of the board '%s' cannot be started at input %d; "
        "set `start-input` of octcomedisink to an input that it has, or to -1",
        board_get_device (board), s->start_input);
    return FALSE;
  }
  if (result != 0) {
    g_autofree char *reason = result < 0 ? g_strdup (board_explain (board))
                                         : g_strdup_printf ("test %d", result);

    return board_refused (board, "a scan of these channels and this rate",
        reason,
        "set `line-rate` of octscangen, `channels`, `clock-input` and "
        "`start-input` to what "
        "it has",
        error);
  }
  return TRUE;
}

static gboolean
board_check_rate (GstOctComediBoard *board, char **warning, GError **error)
{
  const double rate = gst_oct_comedi_board_get_rate (board);
  const double off = fabs (rate / board->rate - 1);

  if (off > WORST_RATE) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "The board '%s' plays %g samples per second at best in place of the %u "
        "of the scan; set `line-rate` of octscangen to this",
        board_get_device (board), rate, board->rate);
    return FALSE;
  }
  if (off > TOLD_RATE && *warning == NULL)
    *warning = g_strdup_printf (
        "The board '%s' plays %.10g samples per second in place of the %u of "
        "the scan; set `line-rate` of octscangen to a rate that the board has.",
        board_get_device (board), rate, board->rate);
  return TRUE;
}

static void
board_set_buffer (GstOctComediBoard *board)
{
  const gsize frame = gst_oct_comedi_board_get_frame (board);
  double bytes = board->settings->buffer_time * board->rate * (double)frame;
  const int most =
      board->call.get_max_buffer_size (board->device, board->subdevice);

  if (most > 0)
    bytes = MIN (bytes, most);
  /* one that is refused leaves the driver's own */
  board->call.set_buffer_size (board->device, board->subdevice,
      (guint)CLAMP (bytes, 2.0 * (double)frame, G_MAXINT));
}

gboolean
gst_oct_comedi_board_prepare (GstOctComediBoard *board, guint channels,
    guint rate, char **warning, GError **error)
{
  *warning = NULL;
  board->channels = channels;
  board->rate = rate;
  if (!board_parse_channels (board, error))
    return FALSE;
  for (guint i = 0; i < channels; i++)
    if (!board_choose_range (board, i, error))
      return FALSE;
  if (!board_set_conversions (board, warning, error)
      || !board_test_command (board, error)
      || !board_check_rate (board, warning, error))
    return FALSE;
  board_set_buffer (board);
  return TRUE;
}

double
gst_oct_comedi_board_get_rate (const GstOctComediBoard *board)
{
  return board->command.scan_source == GST_OCT_COMEDI_TIMER
                 && board->command.scan_argument > 0
             ? 1e9 / board->command.scan_argument
             : board->rate;
}

gsize
gst_oct_comedi_board_get_frame (const GstOctComediBoard *board)
{
  return board->channels
         * (board->flags & GST_OCT_COMEDI_WIDE ? sizeof (guint32)
                                               : sizeof (guint16));
}

double
gst_oct_comedi_board_get_delay (const GstOctComediBoard *board)
{
  const int driver =
      board->call.get_buffer_size (board->device, board->subdevice);
  const int own = board->call.get_hardware_buffer_size (
      board->device, board->subdevice, GST_OCT_COMEDI_OUTPUT);

  return ((double)MAX (driver, 0) + MAX (own, 0))
         / (double)gst_oct_comedi_board_get_frame (board)
         / gst_oct_comedi_board_get_rate (board);
}

int
gst_oct_comedi_board_get_file (const GstOctComediBoard *board)
{
  return board->call.fileno (board->device);
}

/* ------------------------------------------------------------------- samples */

static double
board_evaluate (const GstOctComediPolynomial *p, double volts)
{
  double value = 0;

  for (guint i = p->order + 1; i-- > 0;)
    value = value * (volts - p->origin) + p->coefficients[i];
  return value;
}

gboolean
gst_oct_comedi_board_convert (const GstOctComediBoard *board,
    const double *volts, guint n, gboolean clip, guint8 *samples,
    GError **error)
{
  const gboolean wide = (board->flags & GST_OCT_COMEDI_WIDE) != 0;

  for (gsize i = 0; i < (gsize)n * board->channels; i++) {
    const guint c = (guint)(i % board->channels);
    double value = board_evaluate (&board->convert[c], volts[i]);

    if (clip)
      value = CLAMP (value, 0, board->most[c]);
    /* not a number is refused too */
    if (!(value >= -1 && value <= board->most[c] + 1.0)) {
      g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
          "The scan has a sample of %g V for output %u, and the board '%s' "
          "makes %g to %g V; set `full-scale` of octcomedisink to that of "
          "octscangen, or `range` to more",
          volts[i], board->outputs[c], board_get_device (board), board->low[c],
          board->high[c]);
      return FALSE;
    }
    value = rint (CLAMP (value, 0, board->most[c]));
    if (wide)
      ((guint32 *)(gpointer)samples)[i] = (guint32)value;
    else
      ((guint16 *)(gpointer)samples)[i] = (guint16)value;
  }
  return TRUE;
}

/* ---------------------------------------------------------------------- play */

gboolean
gst_oct_comedi_board_begin (GstOctComediBoard *board, GError **error)
{
  /* the driver may have written into the last one */
  GstOctComediCommand command = board->command;

  return board->call.command (board->device, &command) >= 0
         || board_refused (board, "to play the scan", board_explain (board),
             "end other programs that use it, or set `device` or `subdevice`",
             error);
}

gboolean
gst_oct_comedi_board_trigger (GstOctComediBoard *board, GError **error)
{
  return board->settings->start_input >= 0
         || board->call.internal_trigger (board->device, board->subdevice, 0)
                >= 0
         || board_refused (board, "to start", board_explain (board),
             "update its driver, or set `start-input`", error);
}

gboolean
gst_oct_comedi_board_is_running (GstOctComediBoard *board)
{
  const int flags =
      board->call.get_subdevice_flags (board->device, board->subdevice);

  return flags >= 0 && (flags & GST_OCT_COMEDI_RUNNING) != 0;
}

GstOctComediResult
gst_oct_comedi_board_write (GstOctComediBoard *board, const guint8 *samples,
    gsize size, gsize *written, GError **error)
{
  const gssize n = write (gst_oct_comedi_board_get_file (board), samples, size);
  const int reason = errno;

  if (n > 0) {
    *written = (gsize)n;
    return GST_OCT_COMEDI_OK;
  }
  if (n < 0 && (reason == EAGAIN || reason == EINTR))
    return GST_OCT_COMEDI_FULL;
  if (!board_is_gone (board)
      && ((n < 0 && reason == EPIPE)
          || !gst_oct_comedi_board_is_running (board)))
    return GST_OCT_COMEDI_STOPPED;
  if (n == 0)
    return GST_OCT_COMEDI_FULL;
  board_refused (board, "samples", g_strerror (reason),
      "connect it again, or update its driver", error);
  return GST_OCT_COMEDI_FAILED;
}

gsize
gst_oct_comedi_board_get_contents (GstOctComediBoard *board)
{
  return (gsize)MAX (
      board->call.get_buffer_contents (board->device, board->subdevice), 0);
}

void
gst_oct_comedi_board_end (GstOctComediBoard *board, const double *volts)
{
  board->call.cancel (board->device, board->subdevice);
  for (guint i = 0; volts != NULL && i < board->channels; i++) {
    const double value = rint (board_evaluate (&board->convert[i], volts[i]));

    board->call.data_write (board->device, board->subdevice, board->outputs[i],
        board->ranges[i], GST_OCT_COMEDI_GROUND,
        (guint)CLAMP (value, 0, board->most[i]));
  }
}
