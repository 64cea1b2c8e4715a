/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The table of file formats: one row each.
 */
#pragma once

#include "oct-opening.h"

G_BEGIN_DECLS

typedef struct {
  guint offset, size; /* size 0: the end of the list */
  const char *bytes;
} OctMagic;

/* All texts are static. */
typedef struct {
  OctFileFormat format;
  const char *nick, *blurb; /* of octsrc's `format`; NULL: cannot be set */
  const char *name;         /* "a NumPy .npy file" */
  const char *media;        /* of the type that its first bytes show, or NULL */
  OctMagic magics[5];       /* any of these; a zero ends the list */
  /* if that is not enough, or instead; NULL: the first bytes decide */
  gboolean (*probe) (const OctOpening *opening);
  /* Error: OCT_ERROR_FORMAT, _SETTINGS, _READ.  NULL: it is recognised and
   * refused. */
  gboolean (*open) (OctOpening *opening, GError **error);
  /* Adds the files that belong to `path`, if its name is one of the format;
   * NULL: there are none. */
  void (*list_files) (const char *path, GPtrArray *files);
  const char *needs;   /* the part that this build lacks to read it, or NULL */
  const char *package; /* Debian package of that */
  const char *advice;  /* what to do with one that is refused */
} OctFormat;

/* Opens as the format that is set, or as that of the file. */
gboolean oct_format_open (OctOpening *opening, GError **error);

/* Row `n` of the table; NULL after the last one. */
const OctFormat *oct_format_get (guint n);

/* Whether the first bytes of `opening` are those of the format. */
gboolean oct_format_fits (const OctFormat *format, const OctOpening *opening);

G_END_DECLS
