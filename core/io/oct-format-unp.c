/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * .unp of octopod and Bioptigen's research systems: flat samples of 16 bits,
 * little endian, volume by volume, with an XML file next to them that has the
 * sizes; the width is the length of an A-line:
 *
 *   <Volume_Size Width="1024" Height="500" Number_of_Frames="100"
 *       Number_of_Volumes="1"/>
 *   <Scanning_Parameters Number_of_BM_scans="4"/>
 *
 * The frames are B-scans, those that were repeated at a place one after the
 * other: 25 places here, with 4 BM-scans each.
 *
 * It is NAME.xml of NAME.unp, or, if one recording has several, of
 * NAME_anything.unp.
 */
#include "oct-formats.h"

#include "oct-file.h"

#include <string.h>

#define MAX_XML (1u << 20)

typedef struct {
  guint64 samples, lines, bscans, volumes, repeats; /* 0: unknown */
  gboolean found, found_scan;
} Sizes;

gboolean
oct_format_is_unp (const OctOpening *opening)
{
  gsize size = strlen (opening->path);

  return size > 4 && g_ascii_strcasecmp (opening->path + size - 4, ".unp") == 0;
}

/* Names are in capitals or not: there are two programs that write them. */
static void
unp_on_start (GMarkupParseContext *context, const char *element,
    const char **names, const char **values, gpointer data, GError **error)
{
  Sizes *sizes = data;
  const struct {
    const char *element, *name;
    guint64 *value, most;
  } attributes[] = {
    { "volume_size", "width", &sizes->samples, OCT_MAX_SAMPLES },
    { "volume_size", "height", &sizes->lines, OCT_MAX_LINES },
    { "volume_size", "number_of_frames", &sizes->bscans, G_MAXINT },
    { "volume_size", "number_of_volumes", &sizes->volumes, G_MAXINT },
    { "scanning_parameters", "number_of_bm_scans", &sizes->repeats, G_MAXINT },
  };
  gboolean *found = g_ascii_strcasecmp (element, "volume_size") == 0
                        ? &sizes->found
                    : g_ascii_strcasecmp (element, "scanning_parameters") == 0
                        ? &sizes->found_scan
                        : NULL;

  /* the first of each */
  if (found == NULL || *found)
    return;
  *found = TRUE;
  for (guint i = 0; names[i] != NULL; i++)
    for (guint a = 0; a < G_N_ELEMENTS (attributes); a++)
      if (g_ascii_strcasecmp (element, attributes[a].element) == 0
          && g_ascii_strcasecmp (names[i], attributes[a].name) == 0
          && !g_ascii_string_to_unsigned (
              values[i], 10, 1, attributes[a].most, attributes[a].value, NULL))
        *attributes[a].value = 0;
}

/* Bytes after the sizes do not matter; one of the programs ends its file with
 * some that are not XML. */
static gboolean
parse_sizes (const char *text, gsize size, Sizes *sizes)
{
  static const GMarkupParser parser = { .start_element = unp_on_start };
  g_autoptr (GMarkupParseContext) context =
      g_markup_parse_context_new (&parser, 0, sizes, NULL);

  memset (sizes, 0, sizeof *sizes);
  g_markup_parse_context_parse (context, text, (gssize)size, NULL);
  return sizes->found;
}

/* The text of NAME.xml, or of the same name up to its last "_". */
static char *
read_xml (const char *path, gsize *size, char **file)
{
  g_autofree char *stem = g_strndup (path, strlen (path) - 4);
  g_autofree char *first = g_strconcat (stem, ".xml", NULL);
  g_autofree char *second = NULL;
  char *cut = strrchr (stem, '_');
  char *text =
      oct_file_read_text ("Settings", first, MAX_XML, "less", size, NULL);

  *file = oct_file_describe ("Settings", first);
  if (text != NULL || cut == NULL || strchr (cut, G_DIR_SEPARATOR) != NULL)
    return text;
  *cut = '\0';
  second = g_strconcat (stem, ".xml", NULL);
  text = oct_file_read_text ("Settings", second, MAX_XML, "less", size, NULL);
  if (text != NULL) {
    g_free (*file);
    *file = oct_file_describe ("Settings", second);
  }
  return text;
}

void
oct_format_list_unp (const char *path, GPtrArray *files)
{
  const OctOpening opening = { .path = path };
  g_autofree char *stem = NULL, *first = NULL, *second = NULL;
  char *cut;

  if (!oct_format_is_unp (&opening))
    return;
  stem = g_strndup (path, strlen (path) - 4);
  first = g_strconcat (stem, ".xml", NULL);
  oct_format_add_file (files, first);
  cut = strrchr (stem, '_');
  if (cut == NULL || strchr (cut, G_DIR_SEPARATOR) != NULL)
    return;
  *cut = '\0';
  second = g_strconcat (stem, ".xml", NULL);
  oct_format_add_file (files, second);
}

static gboolean
unp_find_sizes (const OctOpening *opening, Sizes *sizes, GError **error)
{
  g_autofree char *file = NULL, *text = NULL;
  gsize size = 0;

  if (!oct_format_is_unp (opening)) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "The name of %s does not end with .unp, so the file of its settings "
        "cannot be found; rename it, or set `format` to raw, `samples` and "
        "`lines`",
        opening->file);
    return FALSE;
  }
  text = read_xml (opening->path, &size, &file);
  if (text != NULL && parse_sizes (text, size, sizes) && sizes->samples > 0
      && sizes->lines > 0 && sizes->bscans > 0 && sizes->volumes > 0)
    return TRUE;
  g_set_error (error, OCT_ERROR, OCT_ERROR_FORMAT,
      "%s %s, but a Volume_Size with Width, Height, Number_of_Frames and "
      "Number_of_Volumes is expected, which says how to read the .unp file; "
      "put the XML file beside it, or set `format` to raw, `samples` and "
      "`lines`",
      file,
      text == NULL   ? "are missing, or are not text of at most 1 MiB"
      : sizes->found ? "have impossible numbers in it"
                     : "have no sizes");
  return FALSE;
}

gboolean
oct_format_open_unp (OctOpening *opening, GError **error)
{
  Sizes sizes;
  guint64 shape[3], bscan, stated;
  g_autofree char *text = NULL;

  if (!oct_opening_check_raw_only (opening, "an .unp file", error)
      || !oct_opening_check_unnamed (opening, error)
      || !unp_find_sizes (opening, &sizes, error))
    return FALSE;
  opening->stored = OCT_STORED_U2;
  bscan = sizes.samples * sizes.lines * 2;
  stated = sizes.bscans * sizes.volumes;
  shape[0] = stated;
  shape[1] = sizes.lines;
  shape[2] = sizes.samples;
  /* less than that was stopped before its end, or cut off */
  if (opening->file_size / bscan > stated
      || (opening->file_size / bscan == stated
          && opening->file_size % bscan != 0)) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_FORMAT,
        "%s has %" G_GUINT64_FORMAT " bytes, but the settings beside it say "
        "%" G_GUINT64_FORMAT " B-scans of %" G_GUINT64_FORMAT
        " lines of %" G_GUINT64_FORMAT " samples of 16 bits; copy both again, "
        "or set `format` to raw, `samples` and `lines`",
        opening->file, opening->file_size, stated, sizes.lines, sizes.samples);
    return FALSE;
  }
  text = g_strdup_printf ("%" G_GUINT64_FORMAT " x %" G_GUINT64_FORMAT
                          " x %" G_GUINT64_FORMAT,
      shape[0], shape[1], shape[2]);
  if (!oct_opening_take_shape (opening, 3, shape, text, error))
    return FALSE;
  if (opening->settings->bscans == 0)
    opening->info.bscans = (guint)sizes.bscans;
  if (sizes.bscans % MAX (sizes.repeats, 1) == 0)
    opening->info.repeats = (guint)sizes.repeats;
  return TRUE;
}
