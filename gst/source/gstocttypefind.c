/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstocttypefind.h"

#include "oct-reader.h"
#include "oct-recording.h"

#include <string.h>

/* Signatures lie here; those of archives are sure further on only. */
#define FIRST 2048
#define ARCHIVE 65536

/* The first bytes, at most `most`.  Where nobody knows how many there are, as
 * many as there are to a factor of two. */
static const guint8 *
typefind_peek (GstTypeFind *find, guint64 most, guint *size)
{
  guint64 length = gst_type_find_get_length (find);
  const guint8 *bytes = NULL;

  *size = (guint)(length > 0 ? MIN (length, most) : most);
  while (*size > 0 && (bytes = gst_type_find_peek (find, 0, *size)) == NULL)
    *size = length > 0 ? 0 : *size / 2;
  return bytes;
}

static gboolean
typefind_recognise (GstTypeFind *find, guint64 most)
{
  guint size;
  const guint8 *bytes = typefind_peek (find, most, &size);
  const char *media = bytes != NULL ? oct_reader_recognise (bytes, size) : NULL;

  if (media == NULL)
    return FALSE;
  gst_type_find_suggest_empty_simple (find, GST_TYPE_FIND_MAXIMUM, media);
  return TRUE;
}

static void
find_type (GstTypeFind *find, gpointer data)
{
  const guint8 *begin = gst_type_find_peek (find, 0, 4);

  if (begin == NULL || typefind_recognise (find, FIRST))
    return;
  if (memcmp (begin, "PK\3\4", 4) == 0)
    typefind_recognise (find, ARCHIVE);
}

gboolean
gst_oct_type_find_register (GstPlugin *plugin)
{
  g_autoptr (GstCaps) caps = gst_caps_new_empty ();
  const char *media;

  for (guint n = 0; (media = oct_reader_get_media_type (n)) != NULL; n++)
    gst_caps_append (caps, gst_caps_new_empty_simple (media));
  /* not the name of the plugin, which gst-inspect-1.0 would take it for */
  return gst_type_find_register (plugin, "octspectra", GST_RANK_SECONDARY,
      find_type, "npy,mat,h5,hdf5,oct,srr", caps, NULL, NULL);
}
