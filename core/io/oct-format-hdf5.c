/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * HDF5 files, also those that MATLAB writes with -v7.3: one dataset of numbers,
 * read slab by slab.
 */
/* the names of 1.10, which later versions have too */
#define H5_USE_110_API
#include "oct-formats.h"
#include "oct-hdf5.h"
#include "oct-layout.h"

#include <hdf5.h>
#include <string.h>

#define MAX_OBJECTS 65536
#define MAX_DATASETS 4096
/* Limit of the chunks that hold one B-scan: they are kept unpacked for the next
 * one. */
#define MAX_CHUNK_BYTES (256u << 20)
/* Each chunk is looked up if some were never written. */
#define MAX_CHUNKS (4u << 20)
#define MAX_LINE_RATE 1e9

static GMutex library;
/* others in this process may want its output */
static H5E_auto2_t printer;
static void *printer_data;

void
oct_hdf5_enter (void)
{
  g_mutex_lock (&library);
  H5Eget_auto2 (H5E_DEFAULT, &printer, &printer_data);
  H5Eset_auto2 (H5E_DEFAULT, NULL, NULL);
}

void
oct_hdf5_leave (void)
{
  H5Eset_auto2 (H5E_DEFAULT, printer, printer_data);
  g_mutex_unlock (&library);
}

typedef struct {
  char *file;
  hid_t h5, set, space, memory, type;
  guint rank;                     /* of the file's dataset */
  guint axes[OCT_ARRAY_MAX_DIMS]; /* of those that count */
  guint64 lengths[OCT_ARRAY_MAX_DIMS];
  OctAxes roles; /* of these */
  guint lines, samples;
} Content;

/* ------------------------------------------------------------------ finding */

typedef struct {
  GArray *arrays;
  gboolean matlab;
  guint objects;
} Search;

/* The class that MATLAB gave a dataset; NULL: numbers, or not by MATLAB. */
static const char *
judge_matlab_class (hid_t set)
{
  char class[32] = "";
  hid_t attribute, type, space;

  if (H5Aexists (set, "MATLAB_class") <= 0)
    return NULL;
  attribute = H5Aopen (set, "MATLAB_class", H5P_DEFAULT);
  type = attribute >= 0 ? H5Aget_type (attribute) : H5I_INVALID_HID;
  space = attribute >= 0 ? H5Aget_space (attribute) : H5I_INVALID_HID;
  if (type >= 0 && H5Tget_class (type) == H5T_STRING
      && H5Tis_variable_str (type) == 0 && H5Tget_size (type) < sizeof class
      && H5Sget_simple_extent_npoints (space) == 1)
    H5Aread (attribute, type, class);
  if (space >= 0)
    H5Sclose (space);
  if (type >= 0)
    H5Tclose (type);
  if (attribute >= 0)
    H5Aclose (attribute);
  if (strcmp (class, "char") == 0)
    return "is text";
  if (strcmp (class, "cell") == 0)
    return "is a cell array";
  if (strcmp (class, "struct") == 0)
    return "is a structure";
  if (strcmp (class, "logical") == 0)
    return "is logical";
  return H5Aexists (set, "MATLAB_empty") > 0 ? "is empty" : NULL;
}

static const char *
judge_type (hid_t set)
{
  hid_t type = H5Dget_type (set);
  H5T_class_t class = H5Tget_class (type);
  gsize size = H5Tget_size (type);

  H5Tclose (type);
  if (class == H5T_COMPOUND)
    return "is complex, or has several fields";
  if ((class != H5T_INTEGER && class != H5T_FLOAT) || size == 0 || size > 8)
    return "holds no plain numbers";
  return NULL;
}

/* The bytes of all chunks that a B-scan lies in. */
static guint64
count_chunk_bytes (const OctArray *array, const OctAxes *roles, guint rank,
    const hsize_t *chunk, gsize value_size)
{
  guint64 bytes = value_size;

  for (guint i = 0; i < rank; i++)
    if (!g_uint64_checked_mul (&bytes, bytes, chunk[i]))
      return G_MAXUINT64;
  for (guint i = 0; i < array->dims; i++) {
    guint64 length = chunk[array->axes[i]];
    guint64 n = array->shape[i] / MAX (length, 1) + 1;

    if ((i == roles->sample || i == roles->line)
        && !g_uint64_checked_mul (&bytes, bytes, n))
      return G_MAXUINT64;
  }
  return bytes;
}

/* Filters have numbers of 16 bits: not more texts than that are kept. */
static const char *
describe_filter (H5Z_filter_t filter)
{
  g_autofree char *text = g_strdup_printf (
      "is compressed by the HDF5 filter %d, which is not installed here, as "
      "deflate is",
      filter & 0xffff);

  return g_intern_string (text);
}

/* How the values lie in the file: nothing is read from other files, no filter
 * is missing, and there are some: a file of a few bytes can say that it has any
 * number of them, which would all be zero. */
static const char *
judge_layout (hid_t set)
{
  hid_t plist = H5Dget_create_plist (set);
  H5D_layout_t layout = H5Pget_layout (plist);
  const char *why_not = NULL;
  int filters = H5Pget_nfilters (plist);

  if (layout == H5D_VIRTUAL || H5Pget_external_count (plist) > 0)
    why_not = "lies in other files";
  for (int i = 0; why_not == NULL && i < filters; i++) {
    unsigned flags, config;
    size_t n = 0;
    H5Z_filter_t filter =
        H5Pget_filter2 (plist, (unsigned)i, &flags, &n, NULL, 0, NULL, &config);

    if (filter < 0 || H5Zfilter_avail (filter) <= 0)
      why_not = describe_filter (filter);
  }
  if (why_not == NULL && H5Dget_storage_size (set) == 0)
    why_not = "has a size, but nothing was written to it";
  H5Pclose (plist);
  return why_not;
}

static void
look_at_shape (hid_t set, OctArray *array)
{
  hid_t space = H5Dget_space (set);
  hsize_t lengths[H5S_MAX_RANK];
  guint64 shape[H5S_MAX_RANK];
  int rank = H5Sget_simple_extent_ndims (space);

  if (rank <= 0 || H5Sget_simple_extent_dims (space, lengths, NULL) != rank) {
    array->why_not = "has no dimensions";
  } else {
    for (int i = 0; i < rank; i++)
      shape[i] = lengths[i];
    oct_array_set_shape (array, (guint)rank, shape);
  }
  H5Sclose (space);
}

static herr_t
hdf5_look_at (hid_t h5, const char *name, const H5O_info_t *info, void *data)
{
  Search *search = data;
  OctArray array = { 0 };
  hid_t set;

  if (++search->objects > MAX_OBJECTS || search->arrays->len >= MAX_DATASETS)
    return 1;
  /* where MATLAB stores the parts of cells */
  if (info->type != H5O_TYPE_DATASET || (search->matlab && *name == '#'))
    return 0;
  set = H5Dopen2 (h5, name, H5P_DEFAULT);
  if (set < 0)
    return 0;
  array.name = g_strdup (name);
  array.why_not = judge_matlab_class (set);
  if (array.why_not == NULL)
    array.why_not = judge_type (set);
  if (array.why_not == NULL)
    array.why_not = judge_layout (set);
  if (array.why_not == NULL)
    look_at_shape (set, &array);
  g_array_append_val (search->arrays, array);
  H5Dclose (set);
  return 0;
}

/* ------------------------------------------------------------------ reading */

static gboolean
hdf5_read_bscan (gpointer data, guint64 frame, gpointer values, GError **error)
{
  Content *content = data;
  const OctAxes *roles = &content->roles;
  hsize_t start[H5S_MAX_RANK] = { 0 }, count[H5S_MAX_RANK];
  guint64 left = frame;
  gboolean ok;

  for (guint i = 0; i < content->rank; i++)
    count[i] = 1;
  count[content->axes[roles->sample]] = content->samples;
  if (roles->channel != OCT_NO_AXIS)
    start[content->axes[roles->channel]] = roles->channel_read;
  for (guint i = roles->n_bscans; i-- > 0;) {
    guint64 length = content->lengths[roles->bscans[i]];

    start[content->axes[roles->bscans[i]]] = left % length;
    left /= length;
  }
  if (roles->line != OCT_NO_AXIS) {
    count[content->axes[roles->line]] = content->lines;
    /* what is left, if there are no B-scans: `lines` divides the lines */
    start[content->axes[roles->line]] = left * content->lines;
  }
  oct_hdf5_enter ();
  ok = H5Sselect_hyperslab (
           content->space, H5S_SELECT_SET, start, NULL, count, NULL)
           >= 0
       && H5Dread (content->set, content->type, content->memory, content->space,
              H5P_DEFAULT, values)
              >= 0;
  oct_hdf5_leave ();
  return ok
         || oct_missing_set_unread (content->file, frame,
             OCT_MISSING_DAMAGED ", or save it again", error);
}

static void
hdf5_close_content (gpointer data)
{
  Content *content = data;

  oct_hdf5_enter ();
  if (content->memory > 0)
    H5Sclose (content->memory);
  if (content->space > 0)
    H5Sclose (content->space);
  if (content->set > 0)
    H5Dclose (content->set);
  if (content->h5 > 0)
    H5Fclose (content->h5);
  oct_hdf5_leave ();
  g_free (content->file);
  g_free (content);
}

static const OctContainer container = { hdf5_read_bscan, hdf5_close_content,
  TRUE };

/* The dataset, with a cache for the chunks of a B-scan: others lie in the same
 * ones.  FALSE with an error if those are too large. */
static gboolean
open_set (Content *content, const OctArray *array, GError **error)
{
  hid_t access = H5Pcreate (H5P_DATASET_ACCESS), plist, type;
  g_autofree char *shown = oct_array_show_name (array->name);
  hsize_t chunk[H5S_MAX_RANK];
  guint64 bytes;
  int rank;

  content->set = H5Dopen2 (content->h5, array->name, H5P_DEFAULT);
  plist = H5Dget_create_plist (content->set);
  type = H5Dget_type (content->set);
  rank = H5Pget_layout (plist) == H5D_CHUNKED
             ? H5Pget_chunk (plist, H5S_MAX_RANK, chunk)
             : 0;
  bytes = rank > 0 ? count_chunk_bytes (
              array, &content->roles, (guint)rank, chunk, H5Tget_size (type))
                   : 0;
  if (rank > 0 && bytes <= MAX_CHUNK_BYTES) {
    H5Pset_chunk_cache (access, 12421, bytes, 1.0);
    H5Dclose (content->set);
    content->set = H5Dopen2 (content->h5, array->name, access);
  }
  H5Tclose (type);
  H5Pclose (plist);
  H5Pclose (access);
  if (bytes <= MAX_CHUNK_BYTES)
    return TRUE;
  g_set_error (error, OCT_ERROR, OCT_ERROR_FORMAT,
      "%s keeps '%s' in pieces (chunks), and those of one B-scan need "
      "%" G_GUINT64_FORMAT
      " bytes, but at most %u are possible; save it with chunks of one B-scan",
      content->file, shown, bytes, MAX_CHUNK_BYTES);
  return FALSE;
}

/* A number that the dataset says of itself, or else the file of all; 0: none. */
static double
hdf5_read_number (const Content *content, const char *name)
{
  const hid_t objects[] = { content->set, content->h5 };
  double number = 0.0;

  for (guint i = 0; i < G_N_ELEMENTS (objects); i++) {
    hid_t attribute, space;

    if (H5Aexists (objects[i], name) <= 0)
      continue;
    attribute = H5Aopen (objects[i], name, H5P_DEFAULT);
    space = H5Aget_space (attribute);
    if (H5Sget_simple_extent_npoints (space) != 1
        || H5Aread (attribute, H5T_NATIVE_DOUBLE, &number) < 0)
      number = 0.0;
    H5Sclose (space);
    H5Aclose (attribute);
    break;
  }
  return number;
}

/* Takes the attributes of the scan that are possible. */
static void
hdf5_read_scan (const Content *content, OctReaderInfo *info)
{
  double repeats = hdf5_read_number (content, "repeats");
  double rate = hdf5_read_number (content, "line_rate");

  if (repeats >= 1.0 && repeats <= G_MAXINT
      && info->frames % (guint)repeats == 0)
    info->repeats = (guint)repeats;
  if (rate > 0.0 && rate <= MAX_LINE_RATE)
    info->line_rate = rate;
  info->wavelength = hdf5_read_number (content, "wavelength");
}

/* The type that values are read as. */
static hid_t
choose_type (hid_t set, OctStored *stored)
{
  hid_t type = H5Dget_type (set), memory = H5T_NATIVE_FLOAT;
  gboolean whole =
      H5Tget_class (type) == H5T_INTEGER && H5Tget_sign (type) == H5T_SGN_NONE;
  gsize size = H5Tget_size (type);

  H5Tclose (type);
  *stored = OCT_STORED_F4;
  if (whole && size == 1) {
    *stored = OCT_STORED_U1;
    memory = H5T_NATIVE_UINT8;
  } else if (whole && size == 2) {
    *stored = OCT_STORED_U2;
    memory = H5T_NATIVE_UINT16;
  }
  return memory;
}

/* ------------------------------------------------- chunks never written */

/* The chunks of a dataset: how many there are along each axis, and how long. */
typedef struct {
  guint rank;
  hsize_t length[H5S_MAX_RANK], count[H5S_MAX_RANK];
} Grid;

/* FALSE: the dataset is not in chunks. */
static gboolean
get_grid (const Content *content, Grid *grid)
{
  hid_t plist = H5Dget_create_plist (content->set);
  hsize_t lengths[H5S_MAX_RANK];
  gboolean chunked = H5Pget_layout (plist) == H5D_CHUNKED;

  grid->rank = content->rank;
  chunked =
      chunked
      && H5Pget_chunk (plist, H5S_MAX_RANK, grid->length) == (int)content->rank
      && H5Sget_simple_extent_dims (content->space, lengths, NULL)
             == (int)content->rank;
  H5Pclose (plist);
  for (guint i = 0; chunked && i < grid->rank; i++)
    grid->count[i] = (lengths[i] + grid->length[i] - 1) / grid->length[i];
  return chunked;
}

/* The chunk that comes next in the order of the file; FALSE: it was the last. */
static gboolean
next_chunk (const Grid *grid, hsize_t *place)
{
  for (guint i = grid->rank; i-- > 0;) {
    if (++place[i] < grid->count[i])
      return TRUE;
    place[i] = 0;
  }
  return FALSE;
}

/* B-scans follow each other along the dimensions that `roles` says, or, when
 * there is none, along that of the A-lines, or of the samples of a single one,
 * `each` of them at a time. */
typedef struct {
  guint n;
  guint axes[OCT_ARRAY_MAX_DIMS]; /* of the file, slowest first */
  guint64 lengths[OCT_ARRAY_MAX_DIMS];
  guint64 each;
} Order;

static Order
get_order (const Content *content, guint64 frames)
{
  const OctAxes *roles = &content->roles;
  Order order = { .n = roles->n_bscans, .each = 1 };

  for (guint i = 0; i < order.n; i++) {
    order.axes[i] = content->axes[roles->bscans[i]];
    order.lengths[i] = content->lengths[roles->bscans[i]];
  }
  if (order.n == 0) {
    gboolean single = roles->line == OCT_NO_AXIS;

    order =
        (Order){ .n = 1, .each = single ? content->samples : content->lines };
    order.axes[0] = content->axes[single ? roles->sample : roles->line];
    order.lengths[0] = frames;
  }
  return order;
}

/* A chunk holds at most so many B-scans, or a part of each, along the first
 * `dims` of their dimensions. */
static guint64
count_bscans_of_chunk (const Order *order, const Grid *grid, guint dims)
{
  guint64 n = 1;

  for (guint i = 0; i < dims; i++) {
    guint64 length = grid->length[order->axes[i]], each = order->each;

    /* it may begin within a B-scan */
    n *= MIN (order->lengths[i], (length + each - 1) / each + (each > 1));
  }
  return n;
}

/* Notes the B-scans of the chunk at `place` from dimension `i` on, of which
 * those before are at B-scan `before`. */
static void
add_bscans_of_chunk (OctMissing *missing, const Order *order, const Grid *grid,
    const hsize_t *place, guint i, guint64 before)
{
  guint axis = order->axes[i];
  guint64 length = grid->length[axis], each = order->each;
  guint64 from = place[axis] * length / each;
  guint64 end = ((place[axis] + 1) * length + each - 1) / each;

  from = MIN (from, order->lengths[i]);
  end = MIN (end, order->lengths[i]);
  before *= order->lengths[i];
  if (i + 1 == order->n) {
    oct_missing_add (missing, before + from, end - from, "never written");
    return;
  }
  for (; from < end; from++)
    add_bscans_of_chunk (missing, order, grid, place, i + 1, before + from);
}

/* Whether values of the channel that is read lie in the chunk at `place`. */
static gboolean
has_channel (const Content *content, const Grid *grid, const hsize_t *place)
{
  guint axis;

  if (content->roles.channel == OCT_NO_AXIS)
    return TRUE;
  axis = content->axes[content->roles.channel];
  return content->roles.channel_read / grid->length[axis] == place[axis];
}

/* A chunk to which nothing was written is read as zeros, which no camera has
 * seen.  FALSE with an error where hardly any was written. */
static gboolean
find_unwritten (OctOpening *opening, const Content *content, GError **error)
{
  guint64 frames = opening->info.announced, all = 1, most, runs;
  Order order;
  hsize_t place[H5S_MAX_RANK] = { 0 }, offset[H5S_MAX_RANK], size, stored = 0;
  Grid grid;

  if (!get_grid (content, &grid)
      || H5Dget_num_chunks (content->set, content->space, &stored) < 0)
    return TRUE;
  for (guint i = 0; i < grid.rank; i++)
    if (!g_uint64_checked_mul (&all, all, grid.count[i]))
      all = G_MAXUINT64;
  if (stored >= all)
    return TRUE;
  order = get_order (content, frames);
  if (!g_uint64_checked_mul (
          &most, stored, count_bscans_of_chunk (&order, &grid, order.n)))
    most = frames;
  if (!oct_opening_check_present (opening, frames, MIN (most, frames), error))
    return FALSE;
  /* those of a chunk that follow each other are noted at once */
  if (!g_uint64_checked_mul (
          &runs, all, count_bscans_of_chunk (&order, &grid, order.n - 1))
      || runs > MAX_CHUNKS) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_FORMAT,
        "%s has only %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT
        " pieces (chunks), more than can be looked for (%u); save it with "
        "chunks of one B-scan",
        opening->file, (guint64)stored, all, MAX_CHUNKS);
    return FALSE;
  }
  do {
    for (guint i = 0; i < grid.rank; i++)
      offset[i] = place[i] * grid.length[i];
    size = 0;
    if (!has_channel (content, &grid, place)
        || (H5Dget_chunk_storage_size (content->set, offset, &size) >= 0
            && size > 0))
      continue;
    add_bscans_of_chunk (opening->missing, &order, &grid, place, 0, 0);
  } while (next_chunk (&grid, place));
  return TRUE;
}

static gboolean
hdf5_open_array (
    OctOpening *opening, const OctArray *array, gboolean matlab, GError **error)
{
  g_autofree char *text = oct_array_describe_shape (array, matlab);
  OctShape shape = {
    .dims = array->dims, .counted_backwards = matlab, .text = text
  };
  Content *content = opening->content;
  hsize_t values;

  memcpy (shape.lengths, array->shape, sizeof shape.lengths);
  if (!oct_axes_choose (opening, &shape, &content->roles, error)
      || !open_set (content, array, error))
    return FALSE;
  content->space = H5Dget_space (content->set);
  content->rank = (guint)H5Sget_simple_extent_ndims (content->space);
  content->type = choose_type (content->set, &opening->stored);
  memcpy (content->axes, array->axes, sizeof content->axes);
  memcpy (content->lengths, array->shape, sizeof content->lengths);
  if (!oct_opening_take_axes (opening, &shape, &content->roles, error))
    return FALSE;
  opening->transposed = content->roles.line != OCT_NO_AXIS
                        && content->roles.line > content->roles.sample;
  content->samples = opening->info.samples;
  content->lines = opening->info.lines;
  values = (hsize_t)content->samples * content->lines;
  content->memory = H5Screate_simple (1, &values, NULL);
  return find_unwritten (opening, content, error);
}

static gboolean
open_hdf5 (OctOpening *opening, gboolean matlab, GError **error)
{
  g_autoptr (GArray) arrays = g_array_new (FALSE, FALSE, sizeof (OctArray));
  Search search = { arrays, matlab, 0 };
  Content *content = g_new0 (Content, 1);
  const OctArray *array = NULL;

  opening->container = &container;
  opening->content = content;
  content->file = g_strdup (opening->file);
  g_array_set_clear_func (arrays, oct_array_clear);
  oct_hdf5_enter ();
  content->h5 = H5Fopen (opening->path, H5F_ACC_RDONLY, H5P_DEFAULT);
  if (content->h5 < 0)
    g_set_error (error, OCT_ERROR, OCT_ERROR_FORMAT,
        "%s is a damaged or cut off HDF5 file; copy it again, or save it again",
        opening->file);
  else if (H5Ovisit (
               content->h5, H5_INDEX_NAME, H5_ITER_INC, hdf5_look_at, &search)
           != 0)
    g_set_error (error, OCT_ERROR, OCT_ERROR_FORMAT,
        "%s is a damaged HDF5 file, or has more than %u objects; save the "
        "spectra alone",
        opening->file, MAX_OBJECTS);
  else
    array = oct_opening_choose_array (
        opening, arrays, matlab, matlab ? "variable" : "dataset", error);
  if (array != NULL && !hdf5_open_array (opening, array, matlab, error))
    array = NULL;
  if (array != NULL)
    hdf5_read_scan (content, &opening->info);
  oct_hdf5_leave ();
  return array != NULL;
}

gboolean
oct_format_open_hdf5 (OctOpening *opening, GError **error)
{
  return oct_opening_check_raw_only (opening, "an HDF5 file", error)
         && open_hdf5 (opening,
             opening->head_size >= 10
                 && memcmp (opening->head, "MATLAB 7.3", 10) == 0,
             error);
}
