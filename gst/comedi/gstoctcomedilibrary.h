/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Comedi's library, which is loaded at run time: so a package of this plugin
 * does not need it, and the element is there and says so.
 *
 * Types, numbers and functions are those of comedi.h and comedilib.h 0.11 (the
 * manual of Comedilib, https://www.comedi.org/doc/), in its order of arguments.
 */
#pragma once

#include "oct-types.h"

G_BEGIN_DECLS

#define GST_OCT_COMEDI_LIBRARY "libcomedi.so.0"

#define GST_OCT_COMEDI_ANALOG_OUTPUT 2 /* a type of a subdevice */
#define GST_OCT_COMEDI_OUTPUT 1        /* a direction */
/* flags of a subdevice */
#define GST_OCT_COMEDI_SOFT_CALIBRATED 0x2000
#define GST_OCT_COMEDI_WRITES_COMMANDS 0x4000
#define GST_OCT_COMEDI_RUNNING 0x08000000
#define GST_OCT_COMEDI_WIDE 0x10000000 /* samples of 32 bits, else 16 */
/* flags and sources of a command */
#define GST_OCT_COMEDI_WRITE 0x40u
#define GST_OCT_COMEDI_NONE 0x01u
#define GST_OCT_COMEDI_NOW 0x02u
#define GST_OCT_COMEDI_TIMER 0x10u
#define GST_OCT_COMEDI_COUNT 0x20u
#define GST_OCT_COMEDI_EXTERNAL 0x40u
#define GST_OCT_COMEDI_INTERNAL 0x80u
/* An input of TRIG_EXT, whose rising edges count. */
#define GST_OCT_COMEDI_EDGE(input) (0x40000000u | (guint)(input))
#define GST_OCT_COMEDI_INPUT(argument) ((argument)&0xffffu)
/* Output `channel` with `range`, against ground. */
#define GST_OCT_COMEDI_CHANNEL(channel, range) ((range) << 16 | (channel))
#define GST_OCT_COMEDI_GROUND 0u
/* A conversion to samples. */
#define GST_OCT_COMEDI_FROM_PHYSICAL 1

/* comedi_range */
typedef struct {
  double min, max;
  guint unit; /* 0: volts */
} GstOctComediRange;

/* comedi_polynomial_t */
typedef struct {
  double coefficients[4], origin;
  guint order;
} GstOctComediPolynomial;

/* comedi_cmd */
typedef struct {
  guint subdevice, flags;
  guint start_source, start_argument;
  guint scan_source, scan_argument;
  guint convert_source, convert_argument;
  guint scan_end_source, scan_end_argument;
  guint stop_source, stop_argument;
  guint *channels;
  guint n_channels;
  gpointer data;
  guint data_length;
} GstOctComediCommand;

/* comedi_NAME(); `device` is a comedi_t. */
typedef struct {
  gpointer (*open) (const char *file);
  int (*close) (gpointer device);
  int (*fileno) (gpointer device);
  int (*get_errno) (void);
  const char *(*strerror) (int number);
  const char *(*get_board_name) (gpointer device);
  int (*get_n_subdevices) (gpointer device);
  int (*get_subdevice_type) (gpointer device, guint subdevice);
  int (*get_subdevice_flags) (gpointer device, guint subdevice);
  int (*get_n_channels) (gpointer device, guint subdevice);
  guint (*get_maxdata) (gpointer device, guint subdevice, guint channel);
  int (*get_n_ranges) (gpointer device, guint subdevice, guint channel);
  GstOctComediRange *(*get_range) (
      gpointer device, guint subdevice, guint channel, guint range);
  int (*lock) (gpointer device, guint subdevice);
  int (*set_write_subdevice) (gpointer device, guint subdevice);
  int (*get_write_subdevice) (gpointer device);
  int (*set_buffer_size) (gpointer device, guint subdevice, guint bytes);
  int (*get_max_buffer_size) (gpointer device, guint subdevice);
  int (*get_buffer_size) (gpointer device, guint subdevice);
  int (*get_buffer_contents) (gpointer device, guint subdevice);
  int (*get_hardware_buffer_size) (
      gpointer device, guint subdevice, int direction);
  int (*command_test) (gpointer device, GstOctComediCommand *command);
  int (*command) (gpointer device, GstOctComediCommand *command);
  int (*internal_trigger) (gpointer device, guint subdevice, guint number);
  int (*cancel) (gpointer device, guint subdevice);
  int (*data_write) (gpointer device, guint subdevice, guint channel,
      guint range, guint reference, guint value);
  char *(*get_default_calibration_path) (gpointer device);
  gpointer (*parse_calibration_file) (const char *path);
  void (*cleanup_calibration) (gpointer calibration);
  int (*get_softcal_converter) (guint subdevice, guint channel, guint range,
      int direction, gconstpointer calibration,
      GstOctComediPolynomial *polynomial);
  int (*get_hardcal_converter) (gpointer device, guint subdevice, guint channel,
      guint range, int direction, GstOctComediPolynomial *polynomial);
} GstOctComediLibrary;

/* Fills `library` with the functions in the file `name` (NULL or "":
 * GST_OCT_COMEDI_LIBRARY), which stays loaded.  FALSE with OCT_ERROR_NOT_FOUND. */
gboolean gst_oct_comedi_load (
    const char *name, GstOctComediLibrary *library, GError **error);

G_END_DECLS
