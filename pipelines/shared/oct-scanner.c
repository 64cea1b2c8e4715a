/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-scanner.h"
#include "oct-launch.h"
#include "oct-options.h"
#include "oct-scan-relay.h"
#include "oct/oct.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#define FOLDER "oct-scan-XXXXXX"
#define FILE_NAME "path.txt"
#define GENERATOR "oct-scanner"
#define MOST_UM 1e7
#define MOST_RATE 1e7
#define MOST_DELAY 1.0
/* Numbers that are kept: size, centre and angle, and with the delay. */
#define N_SCAN 5
#define N_KEPT 7
/* For the beam to come to rest, and for a sink to be closed. */
#define CLOSING_TIME (3 * G_TIME_SPAN_SECOND)
/* For the path to be made, which computes and waits for nobody. */
#define PATH_TIME (60 * GST_SECOND)

static const char *const patterns[] = { "raster", "radial", "spiral",
  "spiral-angular", "lissajous", "rosette", NULL };

/* Properties of octscangen. */
static const char *const delays[] = { "delay-x", "delay-y" };

/* Shared with the thread of the pipeline. */
typedef struct {
  GstElement *pipeline;
  GMutex lock;
  GCond cond;
  gboolean stop, stopped;
  gboolean over; /* nothing is sent any more */
} Drive;

struct _OctScanner {
  OctScannerScan scan;
  char *properties; /* of --scanner, or "" */
  double delay[2];  /* seconds */
  gboolean tuned;   /* it is not that of `properties` */
  gboolean tuning;  /* the source has not told the path since it was set */
  guint lines, bscans, rate;
  char *sink;   /* or NULL */
  char *folder; /* of the files */
  char *path;
  GstEvent *asked; /* the path of the last change, or NULL */
  Drive *drive;    /* atomically counted; NULL: nothing is driven */
  OctScanRelay *relay;
  void (*changed) (gpointer data); /* or NULL */
  gpointer data;
};

/* ------------------------------------------------------------------ options */

void
oct_scanner_options_add (GOptionContext *context, OctScannerOptions *options)
{
  const GOptionEntry entries[] = {
    { "scan", 0, 0, G_OPTION_ARG_STRING, &options->pattern,
        "Drive a scanner: raster, radial, spiral, spiral-angular, lissajous or "
        "rosette; the virtual OCT system looks along it",
        "PATTERN" },
    { "size-um", 0, 0, G_OPTION_ARG_STRING, &options->size,
        "--scan: width and height in micrometres; of round ones the diameter "
        "(default: 5000)",
        "W[xH]" },
    { "centre-um", 0, 0, G_OPTION_ARG_STRING, &options->centre,
        "--scan: its middle, from that of the scanner (default: 0,0)", "X,Y" },
    { "angle", 0, 0, G_OPTION_ARG_DOUBLE, &options->angle,
        "--scan: turns it about its middle, in degrees from x to y", "D" },
    { "scan-rate", 0, 0, G_OPTION_ARG_DOUBLE, &options->rate,
        "--scan: A-lines per second (default: as the digitizer says, else "
        "10240)",
        "HZ" },
    { "scanner", 0, 0, G_OPTION_ARG_STRING, &options->properties,
        "--scan: properties of octscangen, as \"limit-velocity-x=2000 "
        "volts-per-unit-x=0.5\"",
        "PROPERTIES" },
    { "scan-sink", 0, 0, G_OPTION_ARG_STRING, &options->sink,
        "--scan: elements that take its samples, as \"audioconvert ! alsasink "
        "device=hw:1\" (default: none)",
        "PIPELINE" },
    { NULL },
  };

  options->angle = NAN;
  oct_options_add (context, "Scanner", entries, NULL);
}

/* Sizes and places in um, degrees. */
static gboolean
scanner_is_scan (const double numbers[5])
{
  return numbers[0] > 0.0 && numbers[0] <= MOST_UM && numbers[1] > 0.0
         && numbers[1] <= MOST_UM && fabs (numbers[2]) <= MOST_UM
         && fabs (numbers[3]) <= MOST_UM && fabs (numbers[4]) <= 360.0;
}

/* Seconds, as octscangen takes them. */
static gboolean
scanner_is_delay (const double delay[2])
{
  return fabs (delay[0]) <= MOST_DELAY && fabs (delay[1]) <= MOST_DELAY;
}

/* Whether --scanner gives this property. */
static gboolean
scanner_gives (const OctScannerOptions *o, const char *name)
{
  return o->properties != NULL && strstr (o->properties, name) != NULL;
}

/* `kept` of older versions has no delay. */
void
oct_scanner_options_use_kept (OctScannerOptions *o, const char *kept)
{
  double numbers[N_KEPT] = { 0 };
  guint n = 0;
  char *end;

  while (kept != NULL && *kept != '\0' && n < N_KEPT) {
    numbers[n++] = g_ascii_strtod (kept, &end);
    kept = end != kept ? end : NULL;
  }
  if (kept == NULL || *kept != '\0' || (n != N_SCAN && n != N_KEPT)
      || !scanner_is_scan (numbers) || !scanner_is_delay (numbers + N_SCAN))
    return;
  if (o->size == NULL) {
    o->width = numbers[0];
    o->height = numbers[1];
  }
  if (o->centre == NULL) {
    o->x = numbers[2];
    o->y = numbers[3];
  }
  if (!o->has_angle)
    o->angle = numbers[4];
  for (guint i = 0; i < 2; i++)
    if (!scanner_gives (o, delays[i]))
      o->delay[i] = numbers[N_SCAN + i];
}

static gboolean
scanner_refuse (GError **error, const char *sentence)
{
  g_set_error_literal (
      error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE, sentence);
  return FALSE;
}

/* One or two numbers with `between` between them, in any language. */
static gboolean
scanner_read_pair (const char *text, char between, double *a, double *b)
{
  char *end;

  *a = g_ascii_strtod (text, &end);
  if (end == text || (*end != between && *end != '\0'))
    return FALSE;
  *b = *a;
  if (*end == '\0')
    return TRUE;
  text = end + 1;
  *b = g_ascii_strtod (text, &end);
  return end != text && *end == '\0';
}

gboolean
oct_scanner_options_check (OctScannerOptions *o, GError **error)
{
  o->width = o->height = 5000.0;
  o->x = o->y = 0.0;
  o->has_angle = !isnan (o->angle);
  if (!o->has_angle)
    o->angle = 0.0;
  if (o->pattern == NULL)
    return (o->size == NULL && o->centre == NULL && !o->has_angle
               && o->rate == 0.0 && o->properties == NULL && o->sink == NULL)
           || scanner_refuse (error,
               "--size-um, --centre-um, --angle, --scan-rate, --scanner and "
               "--scan-sink belong to --scan, the pattern.");
  if (!g_strv_contains (patterns, o->pattern))
    return scanner_refuse (error,
        "--scan is raster, radial, spiral, spiral-angular, lissajous or "
        "rosette.");
  if (o->size != NULL
      && (!scanner_read_pair (o->size, 'x', &o->width, &o->height)
          || !(o->width > 0.0 && o->width <= MOST_UM)
          || !(o->height > 0.0 && o->height <= MOST_UM)))
    return scanner_refuse (error,
        "--size-um is a width, or width and height, in micrometres above 0, as "
        "in --size-um 5000x3000.");
  if (o->centre != NULL
      && (strchr (o->centre, ',') == NULL
          || !scanner_read_pair (o->centre, ',', &o->x, &o->y)
          || !(fabs (o->x) <= MOST_UM && fabs (o->y) <= MOST_UM)))
    return scanner_refuse (error,
        "--centre-um is a place in micrometres, x and y, as in --centre-um "
        "500,-200.");
  if (!(fabs (o->angle) <= 360.0))
    return scanner_refuse (error, "--angle is -360 to 360 degrees.");
  if (o->rate != 0.0 && !(o->rate >= 1.0 && o->rate <= MOST_RATE))
    return scanner_refuse (
        error, "--scan-rate is 1 to 10000000 A-lines per second.");
  return TRUE;
}

void
oct_scanner_options_clear (OctScannerOptions *options)
{
  g_free (options->pattern);
  g_free (options->size);
  g_free (options->centre);
  g_free (options->properties);
  g_free (options->sink);
}

/* --------------------------------------------------------------------- path */

const char *const *
oct_scanner_get_patterns (void)
{
  return patterns;
}

const char *
oct_scanner_find_pattern (const char *name)
{
  for (guint i = 0; patterns[i] != NULL; i++)
    if (g_strcmp0 (patterns[i], name) == 0)
      return patterns[i];
  return NULL;
}

static char *
scanner_describe_delay (const OctScanner *scanner)
{
  char text[2][G_ASCII_DTOSTR_BUF_SIZE];

  for (guint i = 0; i < 2; i++)
    g_ascii_dtostr (text[i], sizeof text[i], scanner->delay[i]);
  return g_strdup_printf (
      "%s=%s %s=%s", delays[0], text[0], delays[1], text[1]);
}

/* A launch line of octscangen, without a sink.  A delay that was found counts
 * more than that of --scanner, which counts more than one that was kept.  `path`: the file
 * to write, or NULL. */
static char *
scanner_describe (
    const OctScanner *scanner, const OctScannerScan *scan, const char *path)
{
  const double numbers[] = { scan->width / 1000, scan->height / 1000,
    scan->x / 1000, scan->y / 1000, scan->angle };
  char text[G_N_ELEMENTS (numbers)][G_ASCII_DTOSTR_BUF_SIZE];
  g_autofree char *quoted = path != NULL ? oct_launch_quote (path) : NULL;
  g_autofree char *delay = scanner_describe_delay (scanner);

  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++)
    g_ascii_dtostr (text[i], sizeof text[i], numbers[i]);
  return g_strdup_printf ("octscangen name=" GENERATOR
                          " is-live=true lines=%u bscans=%u "
                          "line-rate=%u %s%s %s %s %s pattern=%s width=%s "
                          "height=%s offset-x=%s offset-y=%s angle=%s",
      scanner->lines, scanner->bscans, scanner->rate,
      quoted != NULL ? "scan-output=" : "", quoted != NULL ? quoted : "",
      scanner->tuned ? "" : delay, scanner->properties,
      scanner->tuned ? delay : "", scan->pattern, text[0], text[1], text[2],
      text[3], text[4]);
}

/* Names of properties become options. */
static void
scanner_name_options (GError *error)
{
  static const char *const names[][2] = { { "set a line-rate of",
                                              "set --scan-rate to" },
    { " of octscangen", " of --scanner" } };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    GString *sentence = g_string_new (error->message);

    g_string_replace (sentence, names[i][0], names[i][1], 0);
    g_free (error->message);
    error->message = g_string_free (sentence, FALSE);
  }
}

/* The event of the path that octscangen has told; `delay`: in which it is that of
 * its properties. */
static GstEvent *
scanner_find_event (GstElement *pipeline, double delay[2])
{
  g_autoptr (GstElement) generator =
      gst_bin_get_by_name (GST_BIN (pipeline), GENERATOR);
  g_autoptr (GstPad) pad = gst_element_get_static_pad (generator, "src");
  GstEvent *event;

  g_object_get (generator, delays[0], &delay[0], delays[1], &delay[1], NULL);
  for (guint i = 0; (event = gst_pad_get_sticky_event (
                         pad, GST_EVENT_CUSTOM_DOWNSTREAM_STICKY, i))
                    != NULL;
       i++) {
    if (gst_event_has_name (event, GST_OCT_SCAN_PATH_EVENT_NAME))
      return event;
    gst_event_unref (event);
  }
  return NULL;
}

/* A spiral that goes out and in has volumes of both ways, which are not those of
 * the source. */
static gboolean
scanner_check_event (const OctScanner *scanner, GstEvent *event, GError **error)
{
  guint bscans = 0;

  gst_structure_get_uint (
      gst_event_get_structure (event), GST_OCT_SCAN_PATH_BSCANS, &bscans);
  return bscans != 2 * scanner->bscans
         || !g_str_has_prefix (scanner->scan.pattern, "spiral")
         || scanner_refuse (error,
             "This scan goes out and in, as a spiral with bidirectional=true "
             "does, and its volumes have twice as many B-scans as those that "
             "come; leave that out of --scanner.");
}

/* Has octscangen check a scan and write its file `path`, or NULL: its first buffer
 * does.  The event of its path, or NULL with a sentence. */
static GstEvent *
scanner_make_path (OctScanner *scanner, const OctScannerScan *scan,
    const char *path, GError **error)
{
  g_autofree char *start = scanner_describe (scanner, scan, path);
  g_autofree char *line =
      g_strconcat (start, " is-live=false num-buffers=1 ! fakesink", NULL);
  g_autoptr (GError) reason = NULL;
  g_autoptr (GstElement) pipeline =
      gst_parse_launch_full (line, NULL, GST_PARSE_FLAG_FATAL_ERRORS, &reason);
  g_autoptr (GstBus) bus = NULL;
  g_autoptr (GstMessage) message = NULL;
  GstEvent *event = NULL;

  if (pipeline == NULL) {
    g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
        "--scan and --scanner are not possible: %s.", reason->message);
    return NULL;
  }
  bus = gst_element_get_bus (pipeline);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  message = gst_bus_timed_pop_filtered (
      bus, PATH_TIME, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  if (message != NULL && GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS)
    event = scanner_find_event (pipeline, scanner->delay);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  if (event != NULL) {
    if (!scanner_check_event (scanner, event, error))
      gst_clear_event (&event);
    return event;
  }
  if (message == NULL) {
    g_set_error_literal (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
        "The path of --scan was not made within a minute; take fewer A-lines.");
    return NULL;
  }
  gst_message_parse_error (message, &reason, NULL);
  scanner_name_options (reason);
  g_propagate_error (error, g_steal_pointer (&reason));
  return NULL;
}

OctScanner *
oct_scanner_new (const OctScannerOptions *options, guint lines, guint bscans,
    double rate, GError **error)
{
  OctScanner *scanner = g_new0 (OctScanner, 1);
  g_autoptr (GstEvent) event = NULL;

  scanner->folder = g_dir_make_tmp (FOLDER, error);
  if (scanner->folder == NULL) {
    oct_scanner_free (scanner);
    return NULL;
  }
  scanner->path = g_build_filename (scanner->folder, FILE_NAME, NULL);
  scanner->scan = (OctScannerScan){ oct_scanner_find_pattern (options->pattern),
    options->width, options->height, options->x, options->y, options->angle };
  memcpy (scanner->delay, options->delay, sizeof scanner->delay);
  scanner->properties =
      g_strdup (options->properties != NULL ? options->properties : "");
  scanner->lines = lines;
  scanner->bscans = bscans;
  scanner->rate = (guint)(options->rate > 0.0 ? options->rate : rate);
  scanner->sink = g_strdup (options->sink);
  scanner->relay = oct_scan_relay_new ();
  event = scanner_make_path (scanner, &scanner->scan, scanner->path, error);
  if (event == NULL) {
    oct_scanner_free (scanner);
    return NULL;
  }
  /* a file does not say the pattern */
  oct_scan_relay_tell (scanner->relay, event);
  return scanner;
}

const char *
oct_scanner_get_path (const OctScanner *scanner)
{
  return scanner->path;
}

/* -------------------------------------------------------------------- drive */

static void
drive_clear (gpointer data)
{
  Drive *drive = data;

  gst_object_unref (drive->pipeline);
  g_mutex_clear (&drive->lock);
  g_cond_clear (&drive->cond);
}

static void
drive_release (gpointer drive)
{
  g_atomic_rc_box_release_full (drive, drive_clear);
}

/* Any thread of the pipeline. */
static GstBusSyncReply
drive_on_message (GstBus *bus, GstMessage *message, gpointer data)
{
  Drive *drive = data;
  g_autoptr (GError) error = NULL;

  if ((GST_MESSAGE_TYPE (message) & (GST_MESSAGE_ERROR | GST_MESSAGE_EOS))
      != 0) {
    g_mutex_lock (&drive->lock);
    drive->over = TRUE;
    g_mutex_unlock (&drive->lock);
  }
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR) {
    gst_message_parse_error (message, &error, NULL);
    g_printerr (
        "Error: the scanner is not driven any more: %s\n", error->message);
  }
  if ((GST_MESSAGE_TYPE (message) & (GST_MESSAGE_ERROR | GST_MESSAGE_EOS)) != 0)
    return GST_BUS_PASS;
  gst_message_unref (message);
  return GST_BUS_DROP;
}

/* The life of the pipeline: a sink can take its time to be opened, as a pipe
 * that nobody reads yet. */
static gpointer
drive_run (gpointer data)
{
  Drive *drive = data;
  g_autoptr (GstBus) bus = gst_element_get_bus (drive->pipeline);
  g_autoptr (GstMessage) message = NULL;

  gst_element_set_state (drive->pipeline, GST_STATE_PLAYING);
  g_mutex_lock (&drive->lock);
  while (!drive->stop)
    g_cond_wait (&drive->cond, &drive->lock);
  g_mutex_unlock (&drive->lock);
  /* the end of the stream comes when the beam is at rest */
  if (gst_element_send_event (drive->pipeline, gst_event_new_eos ()))
    message = gst_bus_timed_pop_filtered (
        bus, GST_CLOCK_TIME_NONE, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  gst_element_set_state (drive->pipeline, GST_STATE_NULL);
  g_mutex_lock (&drive->lock);
  drive->stopped = TRUE;
  g_cond_broadcast (&drive->cond);
  g_mutex_unlock (&drive->lock);
  drive_release (drive);
  return NULL;
}

static Drive *
drive_new (GstElement *pipeline)
{
  Drive *drive = g_atomic_rc_box_new0 (Drive);
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);

  drive->pipeline = gst_object_ref_sink (pipeline);
  g_mutex_init (&drive->lock);
  g_cond_init (&drive->cond);
  gst_bus_set_sync_handler (bus, drive_on_message, drive, NULL);
  return drive;
}

static void
drive_start (Drive *drive)
{
  g_thread_unref (
      g_thread_new ("oct-scanner", drive_run, g_atomic_rc_box_acquire (drive)));
}

void
oct_scanner_start (OctScanner *scanner)
{
  g_autofree char *start = NULL, *line = NULL;
  g_autoptr (GError) reason = NULL;
  GstElement *pipeline;

  if (scanner->sink == NULL)
    return;
  start = scanner_describe (scanner, &scanner->scan, NULL);
  line = g_strconcat (start, " ! ", scanner->sink, NULL);
  pipeline =
      gst_parse_launch_full (line, NULL, GST_PARSE_FLAG_FATAL_ERRORS, &reason);
  if (pipeline != NULL) {
    scanner->drive = drive_new (pipeline);
    oct_scan_relay_watch (scanner->relay, GST_BIN (pipeline), GENERATOR);
    drive_start (scanner->drive);
  } else
    g_printerr ("Error: the scanner is not driven, as --scan-sink is not a "
                "valid pipeline: %s\n",
        reason->message);
}

/* -------------------------------------------------------------------- change */

void
oct_scanner_set_source (
    OctScanner *scanner, GstElement *source, gboolean counted)
{
  oct_scan_relay_set_source (scanner->relay, source, counted);
}

void
oct_scanner_get_scan (const OctScanner *scanner, OctScannerScan *scan)
{
  *scan = scanner->scan;
}

char *
oct_scanner_write_scan (const OctScanner *scanner)
{
  const OctScannerScan *scan = &scanner->scan;
  const double numbers[N_KEPT] = { scan->width, scan->height, scan->x, scan->y,
    scan->angle, scanner->delay[0], scanner->delay[1] };
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++) {
    char number[G_ASCII_DTOSTR_BUF_SIZE];

    g_ascii_dtostr (number, sizeof number, numbers[i]);
    g_string_append_printf (text, "%s%s", i > 0 ? " " : "", number);
  }
  return g_string_free (text, FALSE);
}

void
oct_scanner_set_changed (
    OctScanner *scanner, void (*changed) (gpointer data), gpointer data)
{
  scanner->changed = changed;
  scanner->data = data;
}

static gboolean
drive_is_over (Drive *drive)
{
  gboolean over;

  g_mutex_lock (&drive->lock);
  over = drive->over;
  g_mutex_unlock (&drive->lock);
  return over;
}

GstEvent *
oct_scanner_get_asked (const OctScanner *scanner)
{
  return scanner->drive != NULL && drive_is_over (scanner->drive)
             ? NULL
             : scanner->asked;
}

const char *
oct_scanner_get_fixed (const OctScanner *scanner)
{
  if (scanner->drive != NULL && drive_is_over (scanner->drive))
    return "The scanner is not driven any more; look at the terminal for the "
           "reason, and start the program again.";
  if (!oct_scan_relay_is_counted (scanner->relay))
    return NULL;
  if (scanner->drive == NULL)
    return "The scanner is not driven from here; start the program with "
           "--scan-sink to change its scan.";
  /* nobody knows any more which A-line of the scanner its first one was */
  return oct_scan_relay_is_broken (scanner->relay)
             ? "The program of the digitizer was started again, and its "
               "A-lines are not those of the scanner any more; start both "
               "programs again to change the scan."
             : NULL;
}

/* All at once, as they are taken together or not. */
static void
scanner_set (OctScanner *scanner, const OctScannerScan *scan)
{
  g_autoptr (GstElement) generator =
      gst_bin_get_by_name (GST_BIN (scanner->drive->pipeline), GENERATOR);

  g_object_freeze_notify (G_OBJECT (generator));
  gst_util_set_object_arg (G_OBJECT (generator), "pattern", scan->pattern);
  g_object_set (generator, "width", scan->width / 1000, "height",
      scan->height / 1000, "offset-x", scan->x / 1000, "offset-y",
      scan->y / 1000, "angle", scan->angle, NULL);
  g_object_thaw_notify (G_OBJECT (generator));
}

/* A pitch, as of --scanner, makes volumes of another size. */
static gboolean
scanner_check_size (
    const OctScanner *scanner, const GstEvent *event, GError **error)
{
  guint lines = 0, bscans = 0;

  gst_structure_get (gst_event_get_structure ((GstEvent *)event),
      GST_OCT_SCAN_PATH_LINES, G_TYPE_UINT, &lines, GST_OCT_SCAN_PATH_BSCANS,
      G_TYPE_UINT, &bscans, NULL);
  if (lines == scanner->lines && bscans == scanner->bscans)
    return TRUE;
  g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
      "This scan has %u B-scans of %u A-lines, but volumes of %u B-scans of %u "
      "are taken; leave what changes that out of --scanner, as pitch.",
      bscans, lines, scanner->bscans, scanner->lines);
  return FALSE;
}

gboolean
oct_scanner_change (
    OctScanner *scanner, const OctScannerScan *scan, GError **error)
{
  const char *fixed = oct_scanner_get_fixed (scanner);
  g_autoptr (GstEvent) event = NULL;

  if (fixed != NULL)
    return scanner_refuse (error, fixed);
  event = scanner_make_path (scanner, scan, NULL, error);
  if (event == NULL || !scanner_check_size (scanner, event, error))
    return FALSE;
  if (scanner->drive != NULL)
    scanner_set (scanner, scan);
  else
    oct_scan_relay_tell (scanner->relay, event);
  scanner->scan = *scan;
  gst_event_replace (&scanner->asked, event);
  if (scanner->changed != NULL)
    scanner->changed (scanner->data);
  return TRUE;
}

/* ---------------------------------------------------------------------- tune */

void
oct_scanner_get_delay (const OctScanner *scanner, double delay[2])
{
  memcpy (delay, scanner->delay, sizeof scanner->delay);
}

gboolean
oct_scanner_has_mirrors (const OctScanner *scanner)
{
  return oct_scan_relay_is_counted (scanner->relay);
}

const char *
oct_scanner_get_untunable (const OctScanner *scanner)
{
  if (!oct_scanner_has_mirrors (scanner))
    return "The mirrors of the virtual OCT system are not late; tune those of "
           "a "
           "scanner, with --daq and --scan-sink.";
  if (oct_scanner_get_fixed (scanner) != NULL)
    return oct_scanner_get_fixed (scanner);
  return scanner->tuning ? "The delay that was found is in force from the end "
                           "of the volume on; tune again then."
                         : NULL;
}

void
oct_scanner_take_path (OctScanner *scanner)
{
  scanner->tuning = FALSE;
}

static void
scanner_set_delay (OctScanner *scanner)
{
  g_autoptr (GstElement) generator =
      gst_bin_get_by_name (GST_BIN (scanner->drive->pipeline), GENERATOR);

  g_object_freeze_notify (G_OBJECT (generator));
  g_object_set (generator, delays[0], scanner->delay[0], delays[1],
      scanner->delay[1], NULL);
  g_object_thaw_notify (G_OBJECT (generator));
}

static char *
scanner_describe_tuning (
    const OctScanner *scanner, double lag, const GstStructure *found)
{
  double correlation = 0;

  gst_structure_get_double (found, "correlation", &correlation);
  return g_strdup_printf (
      "The mirrors were %.2f A-lines or %.3g us %s (correlation %.2f); from "
      "the next volume on the scan is sent as much %s.",
      fabs (lag), fabs (lag) / scanner->rate * 1e6, lag < 0 ? "ahead" : "late",
      correlation, lag < 0 ? "later" : "earlier");
}

char *
oct_scanner_tune (
    OctScanner *scanner, const GstStructure *found, GError **error)
{
  const char *untunable = oct_scanner_get_untunable (scanner);
  const char *axes = gst_structure_get_string (found, "axes");
  double former[2], lag = 0;
  gboolean tuned = scanner->tuned;
  g_autoptr (GstEvent) event = NULL;

  if (untunable != NULL) {
    (void)scanner_refuse (error, untunable);
    return NULL;
  }
  gst_structure_get_double (found, "delay-lines", &lag);
  memcpy (former, scanner->delay, sizeof former);
  for (guint i = 0; i < 2; i++)
    if (axes != NULL && strchr (axes, "xy"[i]) != NULL)
      scanner->delay[i] += lag / scanner->rate;
  scanner->tuned = TRUE;
  if (!scanner_is_delay (scanner->delay))
    (void)scanner_refuse (error,
        "The delay of the mirrors is more than a second; look whether "
        "--scan-rate is the line rate of the digitizer.");
  else
    event = scanner_make_path (scanner, &scanner->scan, NULL, error);
  if (event == NULL) {
    memcpy (scanner->delay, former, sizeof former);
    scanner->tuned = tuned;
    return NULL;
  }
  scanner_set_delay (scanner);
  scanner->tuning = TRUE;
  if (scanner->changed != NULL)
    scanner->changed (scanner->data);
  return scanner_describe_tuning (scanner, lag, found);
}

/* ----------------------------------------------------------------------- end */

static void
scanner_stop (Drive *drive)
{
  gint64 until = g_get_monotonic_time () + CLOSING_TIME;
  gboolean in_time = TRUE;

  g_mutex_lock (&drive->lock);
  drive->stop = TRUE;
  g_cond_broadcast (&drive->cond);
  while (in_time && !drive->stopped)
    in_time = g_cond_wait_until (&drive->cond, &drive->lock, until);
  g_mutex_unlock (&drive->lock);
  if (!in_time)
    g_printerr ("Note: the sink of the scanner does not end and was left as it "
                "is; the beam may not be at rest.\n");
  drive_release (drive);
}

void
oct_scanner_free (OctScanner *scanner)
{
  if (scanner == NULL)
    return;
  g_clear_pointer (&scanner->drive, scanner_stop);
  g_clear_pointer (&scanner->relay, oct_scan_relay_unref);
  gst_clear_event (&scanner->asked);
  if (scanner->path != NULL)
    g_unlink (scanner->path);
  if (scanner->folder != NULL)
    g_rmdir (scanner->folder);
  g_free (scanner->properties);
  g_free (scanner->sink);
  g_free (scanner->folder);
  g_free (scanner->path);
  g_free (scanner);
}
