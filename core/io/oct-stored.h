/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * How one value lies in a file: its type, its size, its order of bytes, and its
 * type on delivery.  One table for all formats and for raw files.
 */
#pragma once

#include <string.h>

#include "oct-types.h"

G_BEGIN_DECLS

/* Rows of the table.  Those that are found more often come first: of several
 * that would fit, oct_stored_guess() names the first. */
typedef enum {
  OCT_STORED_U1,
  OCT_STORED_U2,
  OCT_STORED_U2_BE,
  OCT_STORED_I1,
  OCT_STORED_I2,
  OCT_STORED_I2_BE,
  OCT_STORED_F4,
  OCT_STORED_F4_BE,
  OCT_STORED_F2,
  OCT_STORED_F2_BE,
  OCT_STORED_F8,
  OCT_STORED_F8_BE,
  OCT_STORED_I4,
  OCT_STORED_I4_BE,
  OCT_STORED_U4,
  OCT_STORED_U4_BE,
  OCT_STORED_I8,
  OCT_STORED_I8_BE,
  OCT_STORED_U8,
  OCT_STORED_U8_BE,
  OCT_STORED_COUNT
} OctStored;

typedef struct {
  const char *nick, *blurb;  /* of octsrc's `sample-format` */
  char kind;                 /* 'u': without sign, 'i': with sign, 'f': float */
  guint size;                /* bytes of a value */
  gboolean swapped;          /* its highest byte comes first */
  OctSampleFormat delivered; /* U8, U16 or F32 */
  /* Converts `count` values to those delivered; NULL: they are the same.  F32
   * holds whole numbers up to 2^24 exactly and rounds others to the nearest
   * float.  `from` needs no alignment. */
  void (*load) (gconstpointer from, gsize count, gpointer to);
} OctStoredType;

/* One value of `size` bytes, 1, 2, 4 or 8, as it is. */
static inline void
oct_stored_copy_value (guint8 *to, const guint8 *from, gsize size)
{
  switch (size) {
  case 1:
    *to = *from;
    break;
  case 2:
    memcpy (to, from, 2);
    break;
  case 4:
    memcpy (to, from, 4);
    break;
  default:
    memcpy (to, from, 8);
  }
}

/* Static. */
const OctStoredType *oct_stored_get (OctStored stored);

/* The row of a type; FALSE: there is none. */
gboolean oct_stored_find (
    char kind, guint64 size, gboolean swapped, OctStored *stored);

/* By its nick; NULL: gray16-le.  FALSE with OCT_ERROR_SETTINGS and a sentence
 * that lists all of them. */
gboolean oct_stored_parse (const char *nick, OctStored *stored, GError **error);

/* "gray16-le, gray8, ...": all nicks, static. */
const char *oct_stored_list (void);

/* The help text of --sample-format, with all nicks; static. */
const char *oct_stored_describe_option (void);

/* The likely type of the values of a raw file: `stored` if that is possible,
 * else the type in which neighbouring samples differ least, as those of spectra
 * do.  `bytes`: some A-lines, without a header. */
OctStored oct_stored_guess (OctStored stored, const guint8 *bytes, gsize size);

G_END_DECLS
