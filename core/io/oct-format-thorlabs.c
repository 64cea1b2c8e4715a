/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Thorlabs .oct: a ZIP archive with Header.xml and the entries that it lists,
 * data/Spectral0.data and so on, of one B-scan or several each.  Names have
 * slashes or backslashes.
 *
 * Chirp.data says where each pixel lies on the axis of uniform wavenumbers, 0
 * the shortest wavelength (as public readers of such files use it); apodization
 * lines, without the sample's light, are the background.
 */
#include "oct-formats.h"

#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <unistd.h>
#include <zip.h>

#define MAX_HEADER (64u << 20)
#define MAX_ENTRIES 1000000
#define MAX_REGIONS 16
#define SPECTRAL "data/spectral"
#define NO_ENTRY G_MAXUINT64

typedef struct {
  guint start, end; /* lines */
} Region;

/* The description of one entry in Header.xml. */
typedef struct {
  guint samples, lines, bytes;
  guint n_scan, n_apo;
  Region scan[MAX_REGIONS], apo[MAX_REGIONS];
} Layout;

typedef struct {
  /* while it is being parsed */
  Layout current;
  gboolean in_file;
  GString *path; /* "/Ocity/Image/SizeReal/SizeZ" */

  gboolean has_layout, differ;
  Layout layout;
  guint entries; /* of spectra that it lists, through the last one */
  gboolean is_signed;
  double centre_nm, scaling, range_mm, pixels, refractive_index;
  double x_mm, x_pixels, y_mm, y_pixels, repeats; /* of the image, a place */
} Header;

typedef struct {
  char *file;
  zip_t *zip;
  GHashTable
      *names;      /* of entries, in small letters with slashes -> index + 1 */
  GArray *entries; /* guint64: of the spectra, or NO_ENTRY */
  guint per_entry; /* B-scans */
  Layout layout;

  /* an entry is unpacked from its beginning, once for all of its B-scans */
  zip_file_t *open; /* NULL: none */
  guint64 open_entry;
  guint64 at; /* bytes of it that have been unpacked */
  /* no more than those before can be unpacked of this one, or NO_ENTRY */
  guint64 damaged_entry, damaged_at;
} Content;

/* --------------------------------------------------------------- Header.xml */

/* "ScanRegionStart0": the end of a region is in its own attribute. */
static void
take_region (const char *name, const char *prefix, guint value, Region *regions)
{
  gsize length = strlen (prefix);
  gboolean end;
  guint64 number;

  if (!g_str_has_prefix (name, prefix))
    return;
  end = g_str_has_prefix (name + length, "End");
  if (!end && !g_str_has_prefix (name + length, "Start"))
    return;
  if (!g_ascii_string_to_unsigned (
          name + length + (end ? 3 : 5), 10, 0, MAX_REGIONS - 1, &number, NULL))
    return;
  if (end)
    regions[number].end = value;
  else
    regions[number].start = value;
}

static guint
thorlabs_get_number (const char *text)
{
  guint64 number;

  return g_ascii_string_to_unsigned (text, 10, 0, G_MAXINT, &number, NULL)
             ? (guint)number
             : 0;
}

static void
thorlabs_on_start (GMarkupParseContext *context, const char *element,
    const char **names, const char **values, gpointer data, GError **error)
{
  Header *header = data;
  Layout *current = &header->current;

  g_string_append_printf (header->path, "/%s", element);
  header->in_file = strcmp (element, "DataFile") == 0;
  if (!header->in_file)
    return;
  memset (current, 0, sizeof *current);
  for (guint i = 0; names[i] != NULL; i++) {
    guint number = thorlabs_get_number (values[i]);

    if (strcmp (names[i], "SizeZ") == 0)
      current->samples = number;
    else if (strcmp (names[i], "SizeX") == 0)
      current->lines = number;
    else if (strcmp (names[i], "BytesPerPixel") == 0)
      current->bytes = number;
    take_region (names[i], "ScanRegion", number, current->scan);
    take_region (names[i], "ApoRegion", number, current->apo);
  }
}

static void
thorlabs_on_end (GMarkupParseContext *context, const char *element,
    gpointer data, GError **error)
{
  Header *header = data;

  g_string_truncate (header->path, header->path->len - strlen (element) - 1);
  header->in_file = FALSE;
}

static char *
format_thorlabs_normalise (const char *name)
{
  char *result = g_ascii_strdown (name, -1);

  g_strdelimit (result, "\\", '/');
  return g_strstrip (result);
}

/* Number of "data/Spectral12.data", or -1; a second camera has another name. */
static gint
get_spectral_number (const char *normalised)
{
  const char *digits = normalised + strlen (SPECTRAL);
  char *end;
  guint64 number;

  if (!g_str_has_prefix (normalised, SPECTRAL) || !g_ascii_isdigit (*digits))
    return -1;
  number = g_ascii_strtoull (digits, &end, 10);
  return strcmp (end, ".data") == 0 && number < MAX_ENTRIES ? (gint)number : -1;
}

static void
take_data_file (Header *header, const char *text)
{
  g_autofree char *name = format_thorlabs_normalise (text);
  gint number = get_spectral_number (name);

  if (number < 0)
    return;
  header->entries = MAX (header->entries, (guint)number + 1);
  if (!header->has_layout)
    header->layout = header->current;
  else if (memcmp (&header->layout, &header->current, sizeof header->layout)
           != 0)
    header->differ = TRUE;
  header->has_layout = TRUE;
}

static void
on_text (GMarkupParseContext *context, const char *text, gsize length,
    gpointer data, GError **error)
{
  Header *header = data;
  const struct {
    const char *path;
    double *number;
  } numbers[] = {
    { "/Ocity/Instrument/CentralWavelength", &header->centre_nm },
    { "/Ocity/Instrument/BinaryToElectronCountScaling", &header->scaling },
    { "/Ocity/Acquisition/RefractiveIndex", &header->refractive_index },
    { "/Ocity/Image/SizeReal/SizeZ", &header->range_mm },
    { "/Ocity/Image/SizePixel/SizeZ", &header->pixels },
    { "/Ocity/Image/SizeReal/SizeX", &header->x_mm },
    { "/Ocity/Image/SizePixel/SizeX", &header->x_pixels },
    { "/Ocity/Image/SizeReal/SizeY", &header->y_mm },
    { "/Ocity/Image/SizePixel/SizeY", &header->y_pixels },
    { "/Ocity/Acquisition/SpeckleAveraging/SlowAxis", &header->repeats },
  };
  g_autofree char *value = g_strstrip (g_strndup (text, length));

  if (header->in_file) {
    take_data_file (header, value);
    return;
  }
  if (strcmp (header->path->str, "/Ocity/Instrument/RawDataIsSigned") == 0)
    header->is_signed = g_ascii_strcasecmp (value, "False") != 0;
  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++)
    if (strcmp (header->path->str, numbers[i].path) == 0)
      *numbers[i].number = g_ascii_strtod (value, NULL);
}

static gboolean
thorlabs_set_damaged (const char *file, const char *what, GError **error)
{
  g_set_error (error, OCT_ERROR, OCT_ERROR_FORMAT,
      "%s is not a whole Thorlabs .oct archive: %s; copy it again, or save it "
      "with its spectra (raw data) in ThorImage OCT",
      file, what);
  return FALSE;
}

/* Regions that follow each other, within the lines; *n are there. */
static gboolean
check_regions (const Region *regions, guint lines, guint *n)
{
  guint end = 0;

  for (*n = 0; *n < MAX_REGIONS && regions[*n].end > 0; ++*n) {
    if (regions[*n].start < end || regions[*n].end <= regions[*n].start
        || regions[*n].end > lines)
      return FALSE;
    end = regions[*n].end;
  }
  return TRUE;
}

static gboolean
check_layout (const char *file, Header *header, GError **error)
{
  Layout *layout = &header->layout;

  if (!header->has_layout)
    return thorlabs_set_damaged (
        file, "its Header.xml lists no spectra (data/Spectral0.data)", error);
  if (header->differ)
    return thorlabs_set_damaged (
        file, "its spectra are of several sizes, but one is expected", error);
  if (layout->samples == 0 || layout->bytes < 1 || layout->bytes > 2
      || (layout->bytes == 1 && header->is_signed))
    return thorlabs_set_damaged (
        file, "its spectra are not of 16 bit, or of 8 bit without sign", error);
  /* a single A-line */
  layout->lines = MAX (layout->lines, 1);
  if ((guint64)layout->lines * layout->samples > OCT_MAX_BSCAN_VALUES)
    return thorlabs_set_damaged (file, "its B-scans are too large", error);
  if (!check_regions (layout->scan, layout->lines, &layout->n_scan)
      || !check_regions (layout->apo, layout->lines, &layout->n_apo))
    return thorlabs_set_damaged (file,
        "regions of its B-scans overlap or reach beyond their lines", error);
  if (layout->n_scan == 0) {
    layout->n_scan = 1;
    layout->scan[0].start =
        layout->n_apo > 0 ? layout->apo[layout->n_apo - 1].end : 0;
    layout->scan[0].end = layout->lines;
  }
  return layout->scan[0].start < layout->scan[0].end
         || thorlabs_set_damaged (file, "its B-scans have no lines", error);
}

static gboolean
thorlabs_parse_header (const char *file, const char *text, gsize size,
    Header *header, GError **error)
{
  static const GMarkupParser parser = { thorlabs_on_start, thorlabs_on_end,
    on_text };
  g_autoptr (GMarkupParseContext) context =
      g_markup_parse_context_new (&parser, 0, header, NULL);
  gsize mark = size >= 3 && memcmp (text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
  g_autoptr (GError) wrong = NULL;
  g_autofree char *what = NULL;
  gboolean ok;

  header->is_signed = TRUE;
  header->path = g_string_new (NULL);
  ok = g_markup_parse_context_parse (
           context, text + mark, (gssize)(size - mark), &wrong)
       && g_markup_parse_context_end_parse (context, &wrong);
  g_string_free (header->path, TRUE);
  if (!ok) {
    /* where, and what: entities are none that XML itself has, say; GLib may cut
     * what it shows of the file in the middle of a character */
    g_autofree char *shown = g_utf8_make_valid (wrong->message, -1);

    what = g_strdup_printf ("its Header.xml is damaged (%s)", shown);
    return thorlabs_set_damaged (file, what, error);
  }
  return check_layout (file, header, error);
}

/* ------------------------------------------------------------------ entries */

static gboolean
format_thorlabs_skip (zip_file_t *entry, guint64 size)
{
  guint8 waste[16384];

  while (size > 0) {
    zip_int64_t n = zip_fread (entry, waste, MIN (size, sizeof waste));

    if (n <= 0)
      return FALSE;
    size -= (guint64)n;
  }
  return TRUE;
}

static gboolean
thorlabs_read_all (zip_file_t *entry, guint8 *dest, guint64 size)
{
  while (size > 0) {
    zip_int64_t n = zip_fread (entry, dest, size);

    if (n <= 0)
      return FALSE;
    dest += n;
    size -= (guint64)n;
  }
  return TRUE;
}

/* To the end of an entry, where libzip compares the data read with the checksum
 * of the archive. */
static gboolean
thorlabs_finish (zip_file_t *entry, guint64 left)
{
  guint8 more;

  return format_thorlabs_skip (entry, left) && zip_fread (entry, &more, 1) == 0;
}

/* All of a small entry, which must have that size if it is not 0; NULL: there
 * is none, it is another, or it is damaged. */
static guint8 *
thorlabs_read_entry (Content *content, const char *name, gsize size, gsize *got)
{
  gpointer index = g_hash_table_lookup (content->names, name);
  g_autofree guint8 *data = NULL;
  zip_file_t *entry;
  zip_stat_t stat;
  gboolean ok;

  if (index == NULL
      || zip_stat_index (content->zip, GPOINTER_TO_SIZE (index) - 1, 0, &stat)
             != 0
      || !(stat.valid & ZIP_STAT_SIZE) || stat.size > MAX_HEADER
      || (size > 0 && stat.size != size))
    return NULL;
  entry = zip_fopen_index (content->zip, GPOINTER_TO_SIZE (index) - 1, 0);
  if (entry == NULL)
    return NULL;
  data = g_malloc (stat.size + 1);
  ok = thorlabs_read_all (entry, data, stat.size);
#ifndef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
  /* data changed by a fuzzer have no right checksum, and would be seen no
   * further */
  ok = ok && thorlabs_finish (entry, 0);
#endif
  zip_fclose (entry);
  *got = stat.size;
  return ok ? g_steal_pointer (&data) : NULL;
}

static void
thorlabs_close_entry (Content *content)
{
  if (content->open != NULL)
    zip_fclose (content->open);
  content->open = NULL;
}

/* To byte `place` of an entry. */
static gboolean
thorlabs_seek (Content *content, guint64 entry, guint64 place)
{
  gboolean ok;

  if (content->open == NULL || content->open_entry != entry
      || content->at > place) {
    thorlabs_close_entry (content);
    content->open = zip_fopen_index (content->zip, entry, 0);
    content->open_entry = entry;
    content->at = 0;
  }
  ok = content->open != NULL
       && format_thorlabs_skip (content->open, place - content->at);
  content->at = place;
  return ok;
}

/* Lines of `regions` of a B-scan, one after the other. */
static gboolean
read_regions (Content *content, guint64 frame, const Region *regions, guint n,
    guint8 *dest)
{
  const Layout *layout = &content->layout;
  guint64 row = (guint64)layout->samples * layout->bytes;
  guint64 bscan = layout->lines * row;
  guint64 first = frame % content->per_entry * bscan;
  guint64 entry =
      g_array_index (content->entries, guint64, frame / content->per_entry);
  gboolean ok = entry != content->damaged_entry || first < content->damaged_at;

  for (guint i = 0; ok && i < n; i++) {
    guint64 size = (regions[i].end - regions[i].start) * row;

    ok = thorlabs_seek (content, entry, first + regions[i].start * row)
         && thorlabs_read_all (content->open, dest, size);
    content->at += size;
    dest += size;
  }
  if (ok && frame % content->per_entry == content->per_entry - 1) {
    ok = thorlabs_finish (content->open, first + bscan - content->at);
    thorlabs_close_entry (content);
  }
  if (ok)
    return TRUE;
  thorlabs_close_entry (content);
  /* the rest of the entry cannot be unpacked either */
  if (entry != content->damaged_entry || first + bscan < content->damaged_at) {
    content->damaged_entry = entry;
    content->damaged_at = first + bscan;
  }
  return FALSE;
}

static gboolean
thorlabs_read_bscan (
    gpointer data, guint64 frame, gpointer values, GError **error)
{
  Content *content = data;

  if (read_regions (
          content, frame, content->layout.scan, content->layout.n_scan, values))
    return TRUE;
  return oct_missing_set_unread (
      content->file, frame, OCT_MISSING_DAMAGED, error);
}

static void
thorlabs_close_content (gpointer data)
{
  Content *content = data;

  thorlabs_close_entry (content);
  if (content->zip != NULL)
    zip_discard (content->zip);
  g_clear_pointer (&content->names, g_hash_table_unref);
  g_clear_pointer (&content->entries, g_array_unref);
  g_free (content->file);
  g_free (content);
}

static const OctContainer container = { thorlabs_read_bscan,
  thorlabs_close_content, TRUE };

/* -------------------------------------------------------------- calibration */

static guint
count_lines (const Region *regions, guint n)
{
  guint lines = 0;

  for (guint i = 0; i < n; i++)
    lines += regions[i].end - regions[i].start;
  return lines;
}

/* The apodization lines of the first B-scan that can be read.  An entry is
 * unpacked from its beginning: if its first B-scan cannot be had, no other can. */
static gboolean
read_apodization (const OctOpening *opening, Content *content, guint8 *values)
{
  for (guint n = 0; n < content->entries->len; n++) {
    guint64 frame = (guint64)n * content->per_entry;

    if (!oct_missing_has (opening->missing, frame)
        && read_regions (
            content, frame, content->layout.apo, content->layout.n_apo, values))
      return TRUE;
  }
  return FALSE;
}

/* The mean of the first B-scan's apodization lines in counts; else what the
 * archive has of the source's spectrum; or NULL.  Offsets of the camera are in
 * it as in the spectra. */
static double *
thorlabs_make_background (
    const OctOpening *opening, Content *content, const Header *header)
{
  const Layout *layout = &content->layout;
  guint lines = count_lines (layout->apo, layout->n_apo), n = layout->samples;
  g_autofree double *mean = g_new0 (double, n);
  gsize size;

  if (lines > 0) {
    g_autofree guint8 *values = g_malloc ((gsize)lines * n * layout->bytes);

    if (!read_apodization (opening, content, values))
      return NULL;
    for (gsize i = 0; i < (gsize)lines * n; i++)
      mean[i % n] += (layout->bytes == 1     ? values[i]
                         : header->is_signed ? ((const gint16 *)values)[i]
                                             : ((const guint16 *)values)[i])
                     / (double)lines;
  } else {
    g_autofree float *spectrum = (float *)thorlabs_read_entry (
        content, "data/apodizationspectrum.data", n * sizeof (float), &size);

    if (spectrum == NULL || !(header->scaling > 0.0))
      return NULL;
    for (guint i = 0; i < n; i++)
      mean[i] = spectrum[i] / header->scaling;
  }
  for (guint i = 0; i < n; i++)
    if (!isfinite (mean[i]))
      return NULL;
  return g_steal_pointer (&mean);
}

/* wavelengths[samples] in nm from the chirp, the centre of the source and the
 * depth that images reach: zmax = N pi / (2 P), P = dK N / (N - 1).  FALSE:
 * the header does not say. */
static gboolean
thorlabs_fill_wavelengths (
    const Header *header, const float *chirp, double *wavelengths)
{
  guint n = header->layout.samples;
  double index =
      header->refractive_index > 0.0 ? header->refractive_index : 1.0;
  double depth = header->range_mm * 1000.0 * index; /* um in air */
  double pixels = MIN (header->pixels, n / 2.0), span, centre;

  if (!(depth > 0.0) || !(pixels >= 1.0) || !(header->centre_nm > 0.0) || n < 2)
    return FALSE;
  span = G_PI * pixels / depth * (n - 1) / n;
  centre = 2.0 * G_PI * 1000.0 / header->centre_nm;
  for (guint i = 0; i < n; i++) {
    double k = centre + span * (0.5 - chirp[i] / (n - 1));

    if (!(k > 2.0 && k < 20.0)) /* 314 nm to 3.1 um */
      return FALSE;
    wavelengths[i] = 2.0 * G_PI * 1000.0 / k;
  }
  return TRUE;
}

static gboolean
thorlabs_make_calibration (
    OctOpening *opening, Content *content, const Header *header, GError **error)
{
  guint n = content->layout.samples;
  g_autofree double *background =
      thorlabs_make_background (opening, content, header);
  g_autofree double *values = g_new (double, n);
  g_autofree float *chirp = NULL;
  g_autoptr (GError) local = NULL;
  gboolean scaled = FALSE;
  gsize size;

  if (g_hash_table_contains (content->names, "data/chirp.data")) {
    chirp = (float *)thorlabs_read_entry (content, "data/chirp.data", 0, &size);
    if (chirp == NULL || size != n * sizeof (float)) {
      g_autofree char *what = g_strdup_printf (
          "its Chirp.data has %" G_GSIZE_FORMAT " bytes that can be read, not "
          "%" G_GSIZE_FORMAT ", one number of 4 bytes for each sample",
          chirp != NULL ? size : 0, n * sizeof (float));

      return thorlabs_set_damaged (opening->file, what, error);
    }
    if (!oct_chirp_check (opening->file, chirp, n, error))
      return FALSE;
    scaled = thorlabs_fill_wavelengths (header, chirp, values);
    if (!scaled)
      oct_chirp_invert (chirp, n, values);
  }
  if (chirp == NULL && background == NULL)
    return TRUE;
  opening->calibration =
      oct_calibration_new_from_arrays (n, scaled ? values : NULL,
          chirp != NULL && !scaled ? values : NULL, NULL, background, &local);
  return opening->calibration != NULL
         || thorlabs_set_damaged (opening->file, local->message, error);
}

/* Metres from one to the next of `count` that are `mm` wide; 0 if it is
 * unknown, or if several were taken at each place. */
static double
get_spacing (double mm, double pixels, guint64 count)
{
  double spacing = mm / pixels / 1000.0;

  return pixels == (double)count && spacing > 0.0 && spacing < 1.0 ? spacing
                                                                   : 0.0;
}

/* ------------------------------------------------------------------ opening */

static gboolean
list_entries (Content *content, GError **error)
{
  zip_int64_t n = zip_get_num_entries (content->zip, 0);

  if (n > MAX_ENTRIES)
    return thorlabs_set_damaged (
        content->file, "it has too many entries", error);
  for (zip_int64_t i = 0; i < n; i++) {
    const char *name =
        zip_get_name (content->zip, (zip_uint64_t)i, ZIP_FL_ENC_RAW);

    if (name != NULL && g_utf8_validate (name, -1, NULL))
      g_hash_table_insert (content->names, format_thorlabs_normalise (name),
          GSIZE_TO_POINTER (i + 1));
  }
  return TRUE;
}

/* Bytes of the n-th entry of spectra, unpacked; 0: it is not there. */
static guint64
get_entry_size (const Content *content, guint n)
{
  guint64 entry = g_array_index (content->entries, guint64, n);
  zip_stat_t stat;

  return entry != NO_ENTRY
                 && zip_stat_index (content->zip, entry, 0, &stat) == 0
                 && (stat.valid & ZIP_STAT_SIZE)
             ? stat.size
             : 0;
}

/* Those that Header.xml lists, and further ones that follow them. */
static gboolean
find_entries (Content *content, guint listed, GError **error)
{
  gboolean any = FALSE;

  for (guint n = 0; n < MAX_ENTRIES; n++) {
    g_autofree char *name = g_strdup_printf (SPECTRAL "%u.data", n);
    gpointer index = g_hash_table_lookup (content->names, name);
    guint64 entry = index != NULL ? GPOINTER_TO_SIZE (index) - 1 : NO_ENTRY;

    if (index == NULL && n >= listed)
      break;
    any = any || index != NULL;
    g_array_append_val (content->entries, entry);
  }
  return any
         || thorlabs_set_damaged (
             content->file, "it has no spectra (data/Spectral0.data)", error);
}

/* The size of more than half of the entries that hold whole B-scans, of any of
 * them where there is none such (Boyer and Moore's vote); 0: of no entry. */
static guint64
find_common_size (const Content *content, guint64 bscan)
{
  guint64 common = 0;
  guint votes = 0;

  for (guint n = 0; n < content->entries->len; n++) {
    guint64 size = get_entry_size (content, n);

    if (size == 0 || size % bscan != 0)
      continue;
    if (votes == 0)
      common = size;
    votes = size == common ? votes + 1 : votes - 1;
  }
  return common;
}

/* Notes the B-scans that are missing if the n-th entry is not of `size` bytes.
 */
static void
note_missing (OctOpening *opening, const Content *content, guint n,
    guint64 bscan, guint64 size)
{
  guint64 got = get_entry_size (content, n), whole = 0;
  guint64 first = (guint64)n * content->per_entry;
  g_autofree char *reason = NULL;

  if (got == size)
    return;
  if (g_array_index (content->entries, guint64, n) == NO_ENTRY) {
    reason = g_strdup_printf ("data/Spectral%u.data is not in the archive", n);
  } else {
    reason = g_strdup_printf ("data/Spectral%u.data has %" G_GUINT64_FORMAT
                              " bytes, not %" G_GUINT64_FORMAT,
        n, got, size);
    whole = got < size ? got / bscan : 0;
  }
  oct_missing_add (
      opening->missing, first + whole, content->per_entry - whole, reason);
}

/* `listed`: how many Header.xml lists. */
static gboolean
find_spectra (
    OctOpening *opening, Content *content, guint listed, GError **error)
{
  const Layout *layout = &content->layout;
  guint64 bscan = (guint64)layout->lines * layout->samples * layout->bytes;
  guint64 size;

  if (!find_entries (content, listed, error))
    return FALSE;
  size = find_common_size (content, bscan);
  if (size == 0)
    return thorlabs_set_damaged (content->file,
        "its spectra do not have the sizes that Header.xml says", error);
  if (size / bscan > G_MAXINT)
    return thorlabs_set_damaged (
        content->file, "its spectra are too large", error);
  content->per_entry = (guint)(size / bscan);
  for (guint n = 0; n < content->entries->len; n++)
    note_missing (opening, content, n, bscan, size);
  return TRUE;
}

static gboolean
open_archive (OctOpening *opening, Content *content, GError **error)
{
  int fd = fcntl (opening->fd, F_DUPFD_CLOEXEC, 0), code;

  content->zip = fd >= 0 ? zip_fdopen (fd, 0, &code) : NULL;
  if (content->zip != NULL)
    return list_entries (content, error);
  if (fd >= 0)
    close (fd);
  return thorlabs_set_damaged (
      opening->file, "the archive is damaged or cut off", error);
}

gboolean
oct_format_open_thorlabs (OctOpening *opening, GError **error)
{
  Content *content = g_new0 (Content, 1);
  OctReaderInfo *info = &opening->info;
  Header header = { 0 };
  g_autofree char *xml = NULL, *text = NULL;
  guint64 shape[3];
  gsize size = 0;
  double n;

  opening->container = &container;
  opening->content = content;
  content->file = g_strdup (opening->file);
  content->names =
      g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  content->entries = g_array_new (FALSE, FALSE, sizeof (guint64));
  content->damaged_entry = NO_ENTRY;
  if (!oct_opening_check_raw_only (opening, "a Thorlabs .oct file", error)
      || !oct_opening_check_unnamed (opening, error)
      || !open_archive (opening, content, error))
    return FALSE;
  xml = (char *)thorlabs_read_entry (content, "header.xml", 0, &size);
  if (xml == NULL)
    return thorlabs_set_damaged (opening->file,
        "its Header.xml is missing, damaged, larger than 64 MiB, or not as "
        "large as the archive says",
        error);
  if (!thorlabs_parse_header (opening->file, xml, size, &header, error))
    return FALSE;
  content->layout = header.layout;
  if (!find_spectra (opening, content, header.entries, error))
    return FALSE;
  opening->stored = header.layout.bytes == 1 ? OCT_STORED_U1
                    : header.is_signed       ? OCT_STORED_I2
                                             : OCT_STORED_U2;
  shape[0] = (guint64)content->entries->len * content->per_entry;
  shape[1] = count_lines (header.layout.scan, header.layout.n_scan);
  shape[2] = header.layout.samples;
  text = g_strdup_printf ("%" G_GUINT64_FORMAT " x %" G_GUINT64_FORMAT
                          " x %" G_GUINT64_FORMAT,
      shape[0], shape[1], shape[2]);
  /* a B-scan without a width across is one place, and SizeY are its repeats */
  n = header.y_mm < 0.0 ? header.y_pixels : header.repeats;
  if (n >= 2.0 && n <= G_MAXINT && shape[0] % (guint)n == 0)
    info->repeats = (guint)n;
  info->x_spacing = get_spacing (header.x_mm, header.x_pixels, shape[1]);
  info->y_spacing = get_spacing (
      header.y_mm, header.y_pixels, shape[0] / MAX (info->repeats, 1));
  info->wavelength = header.centre_nm * 1e-9;
  return oct_opening_take_shape (opening, 3, shape, text, error)
         && thorlabs_make_calibration (opening, content, &header, error);
}
