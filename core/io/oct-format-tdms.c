/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * TDMS of National Instruments, as LabVIEW and NI-SCOPE save it ("TDMS File
 * Format Internal Structure", National Instruments).
 *
 * Segments follow each other.  Each has a lead-in, a list of objects with their
 * properties, and values: those of each channel one after the other, or
 * interleaved, as often as the segment has room for them.  A segment lists only
 * the objects that have changed; the others go on.
 *
 * A channel, "/'group'/'channel'", is one row of values.  `samples` and `lines`
 * divide it into B-scans.
 */
#include "oct-formats.h"

#include "oct-file.h"

#include <string.h>

#define LEAD_IN 28
#define MAX_LIST (16 * 1024 * 1024) /* bytes of the objects of a segment */
#define MAX_SEGMENTS 4000000
#define MAX_CHANNELS 4096
#define MAX_PIECES (4 * 1024 * 1024) /* of all channels, some 48 bytes each */
#define BLOCK 65536
#define NOT_CLOSED G_MAXUINT64 /* the length of a segment that was not ended */

/* The contents of a segment. */
enum {
  HAS_OBJECTS = 1 << 1,
  HAS_NEW_LIST = 1 << 2,
  HAS_VALUES = 1 << 3,
  IS_INTERLEAVED = 1 << 5,
  IS_BIG_ENDIAN = 1 << 6,
};

/* The lengths of the index of an object that are none. */
enum {
  INDEX_AS_BEFORE = 0,
  INDEX_NONE = -1,
  INDEX_DAQMX = 0x1269,
  INDEX_DAQMX_DIGITAL = 0x1369,
};

enum { TYPE_STRING = 0x20, TYPE_TIME = 0x44 };

/* Values of a channel in the chunks of one segment. */
typedef struct {
  guint64 first;  /* of the channel's values */
  guint64 offset; /* of that in the file */
  guint64 values; /* in a chunk */
  guint64 chunks, chunk_bytes;
  guint step; /* bytes from a value to the next */
} Piece;

typedef struct {
  char *path;
  gboolean has_index;
  guint type;
  guint64 values, bytes; /* in a chunk */
  gboolean is_listed;    /* in the list of the segment */
  gboolean is_left_out;  /* it has none in this segment */
  gboolean is_mixed;     /* its type has changed */
  OctStored stored;
  gboolean is_number; /* `stored` is set */
  guint64 announced;  /* values in all segments */
  guint64 present;    /* of those, in the file */
  GArray *pieces;     /* of Piece */
} Channel;

/* The file while it is listed. */
typedef struct {
  OctOpening *opening;
  GArray *channels;    /* of Channel */
  GHashTable *numbers; /* path (of the channel) to number + 1 */
  GArray *list;        /* guint: the channels of the segment, in order */
  GPtrArray *active;   /* of Channel: those of them with values */
  guint pieces;        /* of all channels */
} Listing;

/* After it was opened. */
typedef struct {
  char *file;
  int fd; /* of the reader */
  GArray *pieces;
  gsize values; /* of a B-scan */
  guint size;   /* of a value */
} Content;

/* ------------------------------------------------------------------ numbers */

/* The rest of a list of objects. */
typedef struct {
  const guint8 *at;
  gsize left;
  gboolean swapped;
} Cursor;

static const guint8 *
tdms_take (Cursor *cursor, guint64 size)
{
  const guint8 *taken = cursor->at;

  if (size > cursor->left)
    return NULL;
  cursor->at += size;
  cursor->left -= (gsize)size;
  return taken;
}

static guint64
tdms_get (const guint8 *bytes, guint size, gboolean swapped)
{
  guint64 value = 0;

  for (guint i = 0; i < size; i++)
    value |= (guint64)bytes[swapped ? size - 1 - i : i] << (8 * i);
  return value;
}

static gboolean
tdms_take_number (Cursor *cursor, guint size, guint64 *value)
{
  const guint8 *bytes = tdms_take (cursor, size);

  if (bytes != NULL)
    *value = tdms_get (bytes, size, cursor->swapped);
  return bytes != NULL;
}

/* Not ended by a zero. */
static const char *
tdms_take_text (Cursor *cursor, gsize *length)
{
  guint64 size;

  if (!tdms_take_number (cursor, 4, &size))
    return NULL;
  *length = (gsize)size;
  return (const char *)tdms_take (cursor, size);
}

/* Bytes of a value, 0: not one that is known. */
static guint
tdms_get_size (guint type)
{
  static const struct {
    guint type, size;
  } sizes[] = { { 1, 1 }, { 2, 2 }, { 3, 4 }, { 4, 8 }, { 5, 1 }, { 6, 2 },
    { 7, 4 }, { 8, 8 }, { 9, 4 }, { 10, 8 }, { 11, 16 }, { 0x19, 4 },
    { 0x1a, 8 }, { 0x1b, 16 }, { 0x21, 1 }, { TYPE_TIME, 16 }, { 0x08000c, 8 },
    { 0x10000d, 16 } };

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    if (sizes[i].type == type)
      return sizes[i].size;
  return 0;
}

/* FALSE: it is not a number, or one that cannot be spectra. */
static gboolean
tdms_find_stored (guint type, gboolean swapped, OctStored *stored)
{
  char kind = type >= 1 && type <= 4                                    ? 'i'
              : type >= 5 && type <= 8                                  ? 'u'
              : type == 9 || type == 10 || type == 0x19 || type == 0x1a ? 'f'
                                                                        : '\0';

  return kind != '\0'
         && oct_stored_find (kind, tdms_get_size (type),
             swapped && tdms_get_size (type) > 1, stored);
}

/* ------------------------------------------------------------------ objects */

static gboolean
tdms_set_damaged (const Listing *listing, const char *why, GError **error)
{
  g_set_error (error, OCT_ERROR, OCT_ERROR_FORMAT,
      "%s is not a whole TDMS file: %s; copy it again", listing->opening->file,
      why);
  return FALSE;
}

static void
tdms_clear_channel (gpointer data)
{
  Channel *channel = data;

  g_free (channel->path);
  g_array_unref (channel->pieces);
}

static Channel *
tdms_get_channel (const Listing *listing, guint number)
{
  return &g_array_index (listing->channels, Channel, number);
}

/* The channel of that path, a new one if there is none yet; in the list of the
 * segment.  G_MAXUINT: too many. */
static guint
tdms_list_channel (Listing *listing, const char *path, gsize length)
{
  g_autofree char *name = g_strndup (path, length);
  guint number =
      GPOINTER_TO_UINT (g_hash_table_lookup (listing->numbers, name));

  if (number == 0) {
    Channel channel = { .pieces = g_array_new (FALSE, FALSE, sizeof (Piece)) };

    if (listing->channels->len >= MAX_CHANNELS)
      return G_MAXUINT;
    channel.path = g_strdup (name);
    g_array_append_val (listing->channels, channel);
    number = listing->channels->len;
    g_hash_table_insert (
        listing->numbers, g_steal_pointer (&name), GUINT_TO_POINTER (number));
  }
  number--;
  if (!tdms_get_channel (listing, number)->is_listed)
    g_array_append_val (listing->list, number);
  tdms_get_channel (listing, number)->is_listed = TRUE;
  return number;
}

/* The type and the number of values of a chunk. */
static gboolean
tdms_take_index (
    Listing *listing, Channel *channel, Cursor *cursor, GError **error)
{
  guint64 type, dims, values, bytes, limit = listing->opening->file_size;

  if (!tdms_take_number (cursor, 4, &type)
      || !tdms_take_number (cursor, 4, &dims)
      || !tdms_take_number (cursor, 8, &values))
    return tdms_set_damaged (listing, "a list of objects is cut off", error);
  if (type == TYPE_STRING) {
    if (!tdms_take_number (cursor, 8, &bytes))
      return tdms_set_damaged (listing, "a list of objects is cut off", error);
  } else {
    guint size = tdms_get_size ((guint)type);

    if (size == 0 || dims != 1)
      return tdms_set_damaged (
          listing, "a channel has a type that is not known", error);
    bytes = values > G_MAXUINT64 / size ? G_MAXUINT64 : values * size;
  }
  /* a segment that was not ended may announce more than there is */
  if (bytes > limit && bytes > (guint64)1 << 48)
    return tdms_set_damaged (
        listing, "a channel has more values than any file", error);
  if (channel->has_index && channel->type != type && channel->announced > 0)
    channel->is_mixed = TRUE;
  channel->has_index = TRUE;
  channel->type = (guint)type;
  channel->values = values;
  channel->bytes = bytes;
  return TRUE;
}

static gboolean
tdms_skip_properties (Listing *listing, Cursor *cursor, GError **error)
{
  guint64 count;
  gsize length;

  if (!tdms_take_number (cursor, 4, &count))
    return tdms_set_damaged (listing, "a list of objects is cut off", error);
  for (guint64 i = 0; i < count; i++) {
    guint64 type;
    gboolean ok = tdms_take_text (cursor, &length) != NULL
                  && tdms_take_number (cursor, 4, &type);

    if (ok && type == TYPE_STRING)
      ok = tdms_take_text (cursor, &length) != NULL;
    else if (ok && type != 0)
      ok = tdms_get_size ((guint)type) > 0
           && tdms_take (cursor, tdms_get_size ((guint)type)) != NULL;
    if (!ok)
      return tdms_set_damaged (listing, "a property is cut off", error);
  }
  return TRUE;
}

static gboolean
tdms_set_daqmx (const Listing *listing, GError **error)
{
  g_set_error (error, OCT_ERROR, OCT_ERROR_FORMAT,
      "%s has values as NI-DAQmx logs them (scaled later), which cannot be "
      "read; write the values of DAQmx Read with TDMS Write, or save them as "
      ".npy",
      listing->opening->file);
  return FALSE;
}

/* A channel that stays in the list has no values in this segment. */
static void
tdms_leave_out (Listing *listing, const char *path, gsize length)
{
  g_autofree char *name = g_strndup (path, length);
  guint number =
      GPOINTER_TO_UINT (g_hash_table_lookup (listing->numbers, name));

  if (number > 0)
    tdms_get_channel (listing, number - 1)->is_left_out = TRUE;
}

/* One object: its path, its index, its properties. */
static gboolean
tdms_take_object (Listing *listing, Cursor *cursor, GError **error)
{
  gsize length;
  const char *path = tdms_take_text (cursor, &length);
  guint64 index;
  Channel *channel;
  guint number;

  if (path == NULL || !tdms_take_number (cursor, 4, &index))
    return tdms_set_damaged (listing, "a list of objects is cut off", error);
  if (index == INDEX_DAQMX || index == INDEX_DAQMX_DIGITAL)
    return tdms_set_daqmx (listing, error);
  if (index == (guint32)INDEX_NONE) {
    tdms_leave_out (listing, path, length);
    return tdms_skip_properties (listing, cursor, error);
  }
  number = tdms_list_channel (listing, path, length);
  if (number == G_MAXUINT)
    return tdms_set_damaged (listing, "it has too many channels", error);
  channel = tdms_get_channel (listing, number);
  channel->is_left_out = FALSE;
  if (index == INDEX_AS_BEFORE && !channel->has_index)
    return tdms_set_damaged (
        listing, "a channel is as before, but there is none before", error);
  if (index != INDEX_AS_BEFORE
      && !tdms_take_index (listing, channel, cursor, error))
    return FALSE;
  return tdms_skip_properties (listing, cursor, error);
}

static void
tdms_clear_list (Listing *listing)
{
  for (guint i = 0; i < listing->list->len; i++)
    tdms_get_channel (listing, g_array_index (listing->list, guint, i))
        ->is_listed = FALSE;
  g_array_set_size (listing->list, 0);
}

/* The channels with values in the segment, in order; those after it without a
 * list of objects have the same. */
static void
tdms_list_active (Listing *listing)
{
  g_ptr_array_set_size (listing->active, 0);
  for (guint i = 0; i < listing->list->len; i++) {
    Channel *channel =
        tdms_get_channel (listing, g_array_index (listing->list, guint, i));

    if (!channel->is_left_out && channel->bytes > 0)
      g_ptr_array_add (listing->active, channel);
  }
}

static gboolean
tdms_take_objects (Listing *listing, guint64 offset, guint64 size,
    guint32 contents, GError **error)
{
  g_autofree guint8 *bytes = NULL;
  Cursor cursor = { .swapped = (contents & IS_BIG_ENDIAN) != 0 };
  guint64 count;

  if ((contents & HAS_OBJECTS) == 0)
    return TRUE;
  if (contents & HAS_NEW_LIST)
    tdms_clear_list (listing);
  size = MIN (size, listing->opening->file_size - offset);
  if (size > MAX_LIST)
    return tdms_set_damaged (listing, "a list of objects is too long", error);
  bytes = g_malloc (size + 1);
  if (oct_file_read (listing->opening->fd, offset, bytes, size) != (gssize)size)
    return tdms_set_damaged (listing, "it cannot be read", error);
  cursor.at = bytes;
  cursor.left = size;
  if (!tdms_take_number (&cursor, 4, &count))
    return tdms_set_damaged (listing, "a list of objects is cut off", error);
  for (guint64 i = 0; i < count; i++)
    if (!tdms_take_object (listing, &cursor, error))
      return FALSE;
  tdms_list_active (listing);
  return TRUE;
}

/* ------------------------------------------------------------------- values */

/* The bytes of a chunk, of MAX_CHANNELS below 2^48 each.  *step: those of one
 * value of all channels, 0 if they cannot be interleaved. */
static guint64
tdms_measure_chunk (const GPtrArray *active, guint *step)
{
  guint64 sum = 0, values = 0;
  gboolean alike = TRUE;

  *step = 0;
  for (guint i = 0; i < active->len; i++) {
    const Channel *channel = g_ptr_array_index (active, i);

    alike &=
        channel->type != TYPE_STRING && (i == 0 || channel->values == values);
    values = channel->values;
    sum += channel->bytes;
    *step += tdms_get_size (channel->type);
  }
  if (!alike)
    *step = 0;
  return sum;
}

static void
tdms_add_piece (Listing *listing, Channel *channel, Piece piece,
    guint64 announced, gboolean swapped)
{
  OctStored stored;

  if (channel->values == 0)
    return;
  if (tdms_find_stored (channel->type, swapped, &stored)) {
    channel->is_mixed |= channel->is_number && stored != channel->stored;
    channel->stored = stored;
    channel->is_number = TRUE;
  }
  piece.first = channel->present;
  piece.values = channel->values;
  channel->announced += announced * channel->values;
  channel->present += piece.chunks * channel->values;
  if (piece.chunks == 0)
    return;
  g_array_append_val (channel->pieces, piece);
  listing->pieces++;
}

/* `size`: bytes of values that the segment announces, or NOT_CLOSED. */
static gboolean
tdms_take_values (Listing *listing, guint64 offset, guint64 size,
    guint32 contents, GError **error)
{
  gboolean interleaved = (contents & IS_INTERLEAVED) != 0;
  guint64 there = listing->opening->file_size - offset, place = offset;
  const GPtrArray *active = listing->active;
  guint step;
  guint64 chunk;

  /* segments without a whole chunk take no time, however many they are */
  if ((contents & HAS_VALUES) == 0 || size < active->len)
    return TRUE;
  chunk = tdms_measure_chunk (active, &step);
  if (chunk == 0)
    return TRUE;
  if (interleaved && step == 0)
    return tdms_set_damaged (
        listing, "interleaved channels do not have the same length", error);
  if (size == NOT_CLOSED)
    size = there;
  if (listing->pieces + active->len > MAX_PIECES) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_FORMAT,
        "%s was written in so many small pieces that its channels have more "
        "than %d of them, which is the most that is read; put them together "
        "with TDMS Defragment of LabVIEW, or save the channel of the spectra "
        "alone.",
        listing->opening->file, MAX_PIECES);
    return FALSE;
  }
  for (guint i = 0; i < active->len; i++) {
    Channel *channel = g_ptr_array_index (active, i);
    guint own = tdms_get_size (channel->type);
    Piece piece = { .offset = place,
      .chunks = MIN (size, there) / chunk,
      .chunk_bytes = chunk,
      .step = interleaved ? step : own };

    tdms_add_piece (
        listing, channel, piece, size / chunk, (contents & IS_BIG_ENDIAN) != 0);
    place += interleaved ? own : channel->bytes;
  }
  return TRUE;
}

/* ----------------------------------------------------------------- segments */

static gboolean
tdms_list (Listing *listing, GError **error)
{
  const OctOpening *opening = listing->opening;
  guint64 place = 0;
  guint8 lead[LEAD_IN];

  for (guint n = 0; place < opening->file_size; n++) {
    guint32 contents;
    guint64 next, start, values;
    gboolean swapped;

    if (n >= MAX_SEGMENTS)
      return tdms_set_damaged (listing, "it has too many segments", error);
    /* what was written last can be cut off */
    if (oct_file_read (opening->fd, place, lead, LEAD_IN) != LEAD_IN)
      return n > 0 || tdms_set_damaged (listing, "it is too short", error);
    if (memcmp (lead, "TDSm", 4) != 0)
      return tdms_set_damaged (
          listing, "a segment does not begin as it has to", error);
    contents = (guint32)tdms_get (lead + 4, 4, FALSE);
    swapped = (contents & IS_BIG_ENDIAN) != 0;
    next = tdms_get (lead + 12, 8, swapped);
    start = tdms_get (lead + 20, 8, swapped);
    place += LEAD_IN;
    if (start > opening->file_size - place
        || (next != NOT_CLOSED && (next < start || next > G_MAXINT64)))
      return n > 0
             || tdms_set_damaged (
                 listing, "a segment lies beyond the end of the file", error);
    if (!tdms_take_objects (listing, place, start, contents, error))
      return FALSE;
    values = next == NOT_CLOSED ? NOT_CLOSED : next - start;
    if (!tdms_take_values (listing, place + start, values, contents, error))
      return FALSE;
    if (next == NOT_CLOSED || next > opening->file_size - place)
      return TRUE;
    place += next;
  }
  return TRUE;
}

/* ------------------------------------------------------------------ reading */

/* The piece with value `first`. */
static const Piece *
tdms_find_piece (const GArray *pieces, guint64 first)
{
  guint low = 0, high = pieces->len;

  while (high - low > 1) {
    guint middle = low + (high - low) / 2;

    if (g_array_index (pieces, Piece, middle).first <= first)
      low = middle;
    else
      high = middle;
  }
  return &g_array_index (pieces, Piece, low);
}

/* Values that are `step` bytes apart.  Returns `count` or, as oct_file_read(),
 * less. */
static gssize
tdms_read_apart (const Content *content, guint64 offset, guint step,
    gsize count, guint8 *values)
{
  g_autofree guint8 *block = NULL;
  gsize most = MAX (1, BLOCK / step);
  gssize got;

  if (step == content->size) {
    got = oct_file_read (content->fd, offset, values, count * step);
    return got < 0 ? got : got / (gssize)step;
  }
  block = g_malloc (most * step);
  for (gsize done = 0; done < count; done += most) {
    gsize n = MIN (most, count - done);
    gsize bytes = (n - 1) * step + content->size;

    got = oct_file_read (content->fd, offset + done * step, block, bytes);
    if (got != (gssize)bytes)
      return MIN (got, 0);
    for (gsize i = 0; i < n; i++)
      oct_stored_copy_value (
          values + (done + i) * content->size, block + i * step, content->size);
  }
  return (gssize)count;
}

static gboolean
tdms_read_bscan (gpointer data, guint64 frame, gpointer values, GError **error)
{
  Content *content = data;

  for (gsize done = 0; done < content->values;) {
    guint64 first = frame * content->values + done;
    const Piece *piece = tdms_find_piece (content->pieces, first);
    guint64 chunk = (first - piece->first) / piece->values;
    guint64 inside = (first - piece->first) % piece->values;
    gsize count = (gsize)MIN (content->values - done, piece->values - inside);
    gssize got = tdms_read_apart (content,
        piece->offset + chunk * piece->chunk_bytes + inside * piece->step,
        piece->step, count, (guint8 *)values + done * content->size);

    if (got != (gssize)count)
      return oct_missing_set_short (content->file, frame, got, error);
    done += count;
  }
  return TRUE;
}

static void
tdms_close (gpointer data)
{
  Content *content = data;

  g_array_unref (content->pieces);
  g_free (content->file);
  g_free (content);
}

static const OctContainer container = { tdms_read_bscan, tdms_close };

/* ------------------------------------------------------------------ opening */

/* "/'a'/'b''c'" is a/b'c. */
static char *
tdms_read_path (const char *path)
{
  GString *name = g_string_new (NULL);
  gboolean quoted = FALSE;

  for (const char *c = path; *c != '\0'; c++)
    if (*c != '\'')
      g_string_append_c (name, *c);
    else if (quoted && c[1] == '\'')
      g_string_append_c (name, *c++);
    else
      quoted = !quoted;
  if (name->len > 0 && name->str[0] == '/')
    g_string_erase (name, 0, 1);
  return g_string_free (name, FALSE);
}

static GArray *
tdms_make_arrays (const Listing *listing)
{
  GArray *arrays = g_array_new (FALSE, TRUE, sizeof (OctArray));

  g_array_set_clear_func (arrays, oct_array_clear);
  for (guint i = 0; i < listing->channels->len; i++) {
    const Channel *channel = tdms_get_channel (listing, i);
    OctArray array = { .name = tdms_read_path (channel->path), .place = i };

    if (channel->announced == 0)
      array.why_not = "is empty";
    else if (channel->is_mixed)
      array.why_not = "changes its type";
    else if (!channel->is_number)
      array.why_not = "has no real numbers";
    array.dims = 1;
    array.shape[0] = channel->announced;
    g_array_append_val (arrays, array);
  }
  return arrays;
}

/* One row of values, as `samples` and `lines` divide it. */
static gboolean
tdms_take_channel (OctOpening *opening, const Channel *channel,
    const char *name, GError **error)
{
  const OctReaderSettings *settings = opening->settings;
  Content *content;
  guint64 present;

  if (settings->samples == 0 || settings->lines == 0) {
    g_autofree char *shown = oct_array_show_name (name);

    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "%s has the %" G_GUINT64_FORMAT
        " values of channel '%s' in one row; set "
        "`samples` (values per A-line, now %u) and `lines` (A-lines per "
        "B-scan, now %u)",
        opening->file, channel->announced, shown, settings->samples,
        settings->lines);
    return FALSE;
  }
  opening->stored = channel->stored;
  opening->container = &container;
  opening->content = content = g_new0 (Content, 1);
  content->file = g_strdup (opening->file);
  content->fd = opening->fd;
  content->pieces = g_array_ref (channel->pieces);
  content->values = (gsize)settings->samples * settings->lines;
  content->size = oct_stored_get (channel->stored)->size;
  if (!oct_opening_count_frames (opening, settings->samples, settings->lines,
          channel->announced * content->size, error))
    return FALSE;
  present = channel->present / content->values;
  if (present < opening->info.announced)
    oct_missing_add (opening->missing, present,
        opening->info.announced - present, "the file ends too early");
  opening->info.bscans = settings->bscans != 0
                             ? settings->bscans
                             : (guint)MIN (opening->info.frames, G_MAXUINT);
  return oct_opening_check_present (
      opening, opening->info.announced, present, error);
}

gboolean
oct_format_open_tdms (OctOpening *opening, GError **error)
{
  Listing listing = { .opening = opening,
    .channels = g_array_new (FALSE, FALSE, sizeof (Channel)),
    .numbers = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL),
    .list = g_array_new (FALSE, FALSE, sizeof (guint)),
    .active = g_ptr_array_new () };
  const OctArray *array = NULL;
  gboolean ok;

  g_array_set_clear_func (listing.channels, tdms_clear_channel);
  ok = oct_opening_check_raw_only (opening, "a TDMS file", error)
       && tdms_list (&listing, error);
  if (ok) {
    g_autoptr (GArray) arrays = tdms_make_arrays (&listing);

    array = oct_opening_choose_array (opening, arrays, FALSE, "dataset", error);
    ok = array != NULL
         && tdms_take_channel (opening,
             tdms_get_channel (&listing, (guint)array->place), array->name,
             error);
  }
  g_array_unref (listing.list);
  g_ptr_array_unref (listing.active);
  g_hash_table_unref (listing.numbers);
  g_array_unref (listing.channels);
  return ok;
}
