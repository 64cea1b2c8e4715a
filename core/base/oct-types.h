/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Terms shared by every part of the plugin: sample formats, axes, errors.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Storage of one value of a spectrum, an A-scan or an image. */
typedef enum {
  OCT_SAMPLE_U8,   /* camera counts, one byte */
  OCT_SAMPLE_U16,  /* camera counts, little endian */
  OCT_SAMPLE_F32,  /* real spectra, native float */
  OCT_SAMPLE_CF32, /* complex, float pairs (re, im) */
} OctSampleFormat;

/* Bytes of one value. */
static inline gsize
oct_sample_format_size (OctSampleFormat format)
{
  switch (format) {
  case OCT_SAMPLE_U8:
    return 1;
  case OCT_SAMPLE_U16:
    return 2;
  case OCT_SAMPLE_F32:
    return 4;
  case OCT_SAMPLE_CF32:
    return 8;
  }
  return 0;
}

/* Limits that keep every size of one B-scan well inside 31 bits. */
#define OCT_MAX_SAMPLES 65536u
#define OCT_MAX_LINES 65536u

/* Values of one B-scan: complex spectra of that size are one block of 512 MiB,
 * what was seen to work in GPU memory too (16384 lines of 4096 samples). */
#define OCT_MAX_BSCAN_VALUES (1u << 26)

/* Depths in caps and calibrations are lengths of air, half the path of the
 * light.  Pictures and files show lengths in the sample: those of air divided
 * by its refractive index.  Nobody who says nothing has another default: soft
 * tissue, within 3 % for wavelengths from 800 to 1300 nm. */
#define OCT_TISSUE_INDEX 1.38

#define OCT_ERROR (oct_error_quark ())

/* Every message is one sentence for a laboratory user: what was found, what
 * was expected, what to set. */
typedef enum {
  OCT_ERROR_NOT_FOUND, /* a file is missing */
  OCT_ERROR_READ,      /* a file exists and cannot be opened or read */
  OCT_ERROR_FORMAT,    /* a file's content is malformed or does not fit */
  OCT_ERROR_SETTINGS,  /* a property or a combination of them is impossible */
  OCT_ERROR_MEMORY,    /* out of memory, on host or device */
  OCT_ERROR_DEVICE,    /* no usable device, or it failed */
  OCT_ERROR_WRITE,     /* a file cannot be made or written */
  OCT_ERROR_DISK_FULL, /* there is no room for the data */
} OctError;

GQuark oct_error_quark (void);

G_END_DECLS
