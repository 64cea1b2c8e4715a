/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Messages of OpenIGTLink, by which instruments, trackers and programs of
 * navigation (3D Slicer) exchange images and poses: versions 1 to 3 of the
 * protocol as on http://openigtlink.org/developers/spec.html (J. Tokuda et al.,
 * Int. J. Med. Robotics Comput. Assist. Surg. 5:423, 2009).
 *
 * Everything is read as a peer that lies has written it.  Lengths are in mm and
 * matrices are those of the protocol: columns are steps along the axes of an
 * image, and the place is the centre of it.
 */
#pragma once

#include "oct-types.h"

G_BEGIN_DECLS

#define OCT_IGTL_HEADER_SIZE 58
/* Before the values of an image. */
#define OCT_IGTL_IMAGE_SIZE 72
/* The longest sentence in a status that is sent. */
#define OCT_IGTL_MOST_TEXT 400

typedef struct {
  guint version;           /* 1, 2 or 3 */
  char type[13], name[21]; /* printable ASCII: others are '?' */
  gint64 time;             /* ns since 1970; 0: not known */
  guint64 size;            /* of the body that follows, bytes */
  guint64 crc;             /* of it */
} OctIgtlHeader;

typedef enum {
  OCT_IGTL_UINT8 = 3,
  OCT_IGTL_UINT16 = 5,
} OctIgtlScalar; /* others have the numbers of the protocol */

typedef struct {
  guint components;       /* of a voxel, 1 or more */
  guint scalar;           /* type of a component, see OctIgtlScalar */
  gboolean is_big;        /* components of several bytes are big endian */
  gboolean is_lps;        /* axes are left, posterior, superior; else RAS */
  guint size[3];          /* voxels: columns, rows, slices */
  double step[3][3];      /* from voxel to voxel along each axis, mm */
  double centre[3];       /* of the image, mm */
  guint from[3], part[3]; /* the voxels that are here: first and how many */
  const guint8 *data;     /* of the message; columns run fastest */
  gsize bytes;            /* in `data` */
} OctIgtlImage;

typedef enum {
  OCT_IGTL_OK = 1,
  OCT_IGTL_NOT_READY = 13,
  OCT_IGTL_SHUTDOWN = 19,
} OctIgtlCode; /* others have the numbers of the protocol */

/* CRC-64 of the protocol (ECMA-182, from 0) of data[size]. */
guint64 oct_igtl_get_crc (gconstpointer data, gsize size);

/* head: OCT_IGTL_HEADER_SIZE bytes.  `most`: the largest body that is wanted.
 * FALSE with OCT_ERROR_FORMAT. */
gboolean oct_igtl_parse_header (
    const guint8 *head, guint64 most, OctIgtlHeader *header, GError **error);

/* These take the body, header->size bytes, whose checksum they check.  FALSE
 * with OCT_ERROR_FORMAT: it is not of that type, or is not as the protocol says.
 * The data of `image` belong to `body`. */
gboolean oct_igtl_parse_image (const OctIgtlHeader *header, const guint8 *body,
    OctIgtlImage *image, GError **error);
/* matrix: rows of a 3 x 4 matrix. */
gboolean oct_igtl_parse_transform (const OctIgtlHeader *header,
    const guint8 *body, double matrix[12], GError **error);
/* `text`: printable, to be freed. */
gboolean oct_igtl_parse_status (const OctIgtlHeader *header, const guint8 *body,
    guint *code, char **text, GError **error);

/* Bytes of a component of the type `scalar`; 0: no such type. */
guint oct_igtl_get_scalar_size (guint scalar);

/* Whole messages.  `name`: of the device, at most 20 characters count; `time`:
 * ns since 1970.  The image has all of its voxels; they are copied.  NULL:
 * memory does not suffice. */
GBytes *oct_igtl_make_image (
    const char *name, gint64 time, const OctIgtlImage *image);
GBytes *oct_igtl_make_transform (
    const char *name, gint64 time, const double matrix[12]);
GBytes *oct_igtl_make_status (
    const char *name, gint64 time, OctIgtlCode code, const char *text);

G_END_DECLS
