/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The interface of gst-oct for a program, or an element of your own: names of
 * media types, of the metadata of buffers and of the calibration event.  There
 * is no library to link; everything else is GStreamer.  docs/caps.md and
 * docs/examples.md describe it, examples/ uses it.
 */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* ------------------------------------------------------------ media types
 *
 * One buffer is one B-scan, or as many as the field GST_OCT_BSCANS_FIELD of its
 * caps says, tightly packed.  Rows are A-lines; the sample, or the depth, runs
 * fastest.  Raw spectra are video/x-raw, GRAY16_LE or GRAY8, width = samples,
 * height = A-lines. */

/* format: F32LE, or CF32LE (pairs of real and imaginary part); axis: wavelength
 * or wavenumber; samples, lines, framerate */
#define GST_OCT_SPECTRA_NAME "application/x-oct-spectra"
/* format: CF32LE; samples (depth bins), lines, framerate; z-spacing in metres,
 * if it is known */
#define GST_OCT_ASCANS_NAME "application/x-oct-ascans"
/* what was found of each value of A-scans, laid out as they are; format: F32LE;
 * samples (depth bins), lines, framerate; quantity and unit */
#define GST_OCT_VALUES_NAME "application/x-oct-values"
/* string: velocity, phase, variance, frequency, ... */
#define GST_OCT_QUANTITY_FIELD "quantity"
/* string: "mm/s", "rad", "Hz", "dB", "1" of a number */
#define GST_OCT_UNIT_FIELD "unit"

/* int: B-scans in one buffer, 1 if the caps do not say it */
#define GST_OCT_BSCANS_FIELD "bscans"
/* int: bins from zero delay to the first one of A-scans; absent: 0 */
#define GST_OCT_DEPTH_START_FIELD "depth-start"
/* int: A-lines of a whole B-scan and B-scans of a whole volume, if a scan mask
 * (below) leaves some out; absent: none is left out */
#define GST_OCT_SCAN_LINES_FIELD "scan-lines"
#define GST_OCT_SCAN_BSCANS_FIELD "scan-bscans"
/* int: B-scans that are taken one after the other at each place of a volume:
 * B-scan n is repeat n % repeats of place n / repeats.  All of them count as
 * B-scans, and y-spacing is that of places.  Absent: 1 */
#define GST_OCT_REPEATS_FIELD "repeats"
/* fraction: A-lines per second within a B-scan, in Hz.  The frame rate times
 * the A-lines is less, as the scanner flies back between B-scans.  Absent: not
 * known */
#define GST_OCT_LINE_RATE_FIELD "line-rate"
/* double: centre wavelength in metres; absent: not known */
#define GST_OCT_WAVELENGTH_FIELD "wavelength"
/* boolean: the samples of an A-line are followed by as many of the k-clock of a
 * swept source, so that a row has twice the samples; absent: not so */
#define GST_OCT_K_CLOCK_FIELD "k-clock"

/* ------------------------------------------------------------ scan position
 *
 * The B-scans in a buffer and their volume: a GstCustomMeta of this name.
 * gst_buffer_get_custom_meta() reads it, gst_buffer_add_custom_meta() makes one
 * in a buffer that is writable, gst_custom_meta_get_structure() has its fields.
 * GStreamer knows the name as soon as the plugin is loaded: after the first
 * element of it was made, or after gst_plugin_load_by_name ("oct").
 *
 * Every element passes it on, with all of its fields, also those that you add
 * (those of the first buffer where octgather makes one buffer of several).
 * Integers of any type are accepted; a meta without bscan or bscans is ignored.
 */
#define GST_OCT_SCAN_META_NAME "GstOctScanMeta"
/* guint: index in the volume, 0 .. bscans - 1, of the first B-scan */
#define GST_OCT_SCAN_BSCAN "bscan"
/* guint: B-scans per volume, 1 or more */
#define GST_OCT_SCAN_BSCANS "bscans"
/* guint64: number of the volume since the start; absent: 0 */
#define GST_OCT_SCAN_VOLUME "volume"
/* guint: B-scans in this buffer, of as many volumes as it takes; absent: 1 */
#define GST_OCT_SCAN_COUNT "count"
/* guint, both or neither: place in the volume of the first B-scan, from 0 on,
 * and which of the repeats at that place it is.  They win over the division of
 * bscan by GST_OCT_REPEATS_FIELD, as for repeats that are interleaved.  The
 * other B-scans of the buffer follow: the next repeat, after the last one
 * repeat 0 of the next place. */
#define GST_OCT_SCAN_PLACE "place"
#define GST_OCT_SCAN_REPEAT "repeat"
/* GstBuffer: a byte for every A-line of every B-scan in this buffer, as the
 * source took them; 0: it is lost, and its values, zeros, are of no use.
 * octremap leaves it out, octvolumecs fills it in, octvolume, octenface and
 * octslice show its neighbour, octrawsink keeps that it is lost.  Absent: none
 * is lost */
#define GST_OCT_SCAN_VALID "valid"
/* gboolean: the volume is a raster that octremap has made before the end of the
 * scan (update=scan), of new A-lines and those of the volume before; pictures
 * show it, octvolumesink leaves it out.  Absent: FALSE */
#define GST_OCT_SCAN_UNFINISHED "unfinished"

/* ------------------------------------------------------------ calibration
 *
 * A sticky event GST_EVENT_CUSTOM_DOWNSTREAM_STICKY whose structure has this
 * name, sent after the caps and before the first buffer, and again when the
 * calibration changes.  Each field is a GstBuffer of one double (of this
 * machine's byte order) per sample of an A-line; leave out what you do not
 * have, but send one at least.  The columns are those of the file of
 * docs/calibration.md. */
#define GST_OCT_CALIBRATION_EVENT_NAME "application/x-oct-calibration"
/* wavelength of each sample in nm, rising or falling */
#define GST_OCT_CALIBRATION_WAVELENGTH "wavelength-nm"
/* for each of the uniform wavenumbers, the sample (with fractions) to read */
#define GST_OCT_CALIBRATION_K_INDEX "k-index"
/* phase to multiply by, in rad (exp (+i phase)): at each sample if wavelengths
 * come without k-index, else at each uniform wavenumber */
#define GST_OCT_CALIBRATION_DISPERSION "dispersion-rad"
/* spectrum of the source, in counts */
#define GST_OCT_CALIBRATION_BACKGROUND "background"

/* ------------------------------------------------------------ scan mask
 *
 * Which A-lines of a volume there are, where a scan leaves some out: a sticky
 * event as above with this name, sent before the first buffer, and again when
 * the mask changes.  octvolumecs fills in the others, octrawsink keeps the
 * mask.  Other fields are for the elements. */
#define GST_OCT_SCAN_MASK_EVENT_NAME "application/x-oct-scan-mask"
/* guint: A-lines of a whole B-scan, 1 or more */
#define GST_OCT_SCAN_MASK_LINES "lines"
/* GstBuffer: a byte for every A-line of every B-scan of a whole volume, the
 * A-line fastest; 0: it is left out */
#define GST_OCT_SCAN_MASK_TAKEN "taken"

/* -------------------------------------------------------------- scan path
 *
 * Where the beam is at each A-line of a volume, if the scan is not a raster: a sticky
 * event as above with this name, sent after the caps and before the first
 * buffer, and again when the path changes.  octremap makes a raster of it,
 * octrawsink keeps it.  A volume is as many B-scans as the scan position says;
 * a piece of a curve counts as a B-scan.
 * octscangen sends it ahead of the voltages.  Sent to octdaqsrc or octsrc
 * (gst_element_send_event()), it is another path of volumes of the same size,
 * which goes on downstream before the first B-scan of it. */
#define GST_OCT_SCAN_PATH_EVENT_NAME "application/x-oct-scan-path"
/* guint: A-lines of a B-scan, and B-scans of a volume */
#define GST_OCT_SCAN_PATH_LINES "lines"
#define GST_OCT_SCAN_PATH_BSCANS "bscans"
/* GstBuffer, of bscans x lines doubles of this machine's byte order, in the
 * order in which A-lines are taken: metres from the middle of the scanner, y
 * downwards */
#define GST_OCT_SCAN_PATH_X "x"
#define GST_OCT_SCAN_PATH_Y "y"
/* string, may be absent: raster, spiral, ..., file */
#define GST_OCT_SCAN_PATH_PATTERN "pattern"
/* guint64, of octscangen and for octdaqsrc: A-lines taken along other paths
 * before this one, whole volumes of them, since the scanner was started.
 * Absent: the path holds from the next volume on */
#define GST_OCT_SCAN_PATH_FIRST "first-line"

G_END_DECLS
