/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-convert.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#define PREFIX "oct-convert"
#define HEADER                                                                 \
  "input,bytes,changed,options,state,output,sha256,message,written\n"

/* Manifests of earlier versions have no WRITTEN. */
enum {
  INPUT,
  BYTES,
  CHANGED,
  OPTIONS,
  STATE,
  OUTPUT,
  SUM,
  MESSAGE,
  WRITTEN,
  N_FIELDS
};

/* What is known of an input.  The newest counts, whichever manifest it is in. */
typedef struct {
  /* what was made of it the last time; NULL: nothing */
  char *made;         /* bytes, time, options */
  gint64 made_at;     /* us since 1970, 0 where the manifest does not say */
  GPtrArray *outputs; /* names of files */
  GPtrArray *sums;    /* SHA-256 of each, or "" */
  char *note;
  /* what failed the last time; NULL: nothing */
  char *failed; /* bytes, time, options */
  gint64 failed_at;
  char *failure; /* why */
  /* the records of all this, for another manifest */
  GString *made_lines, *failed_lines;
  gboolean made_elsewhere,
      failed_elsewhere; /* not in the manifest's own file */
} Known;

/* Whose file it is. */
typedef struct {
  char *input;
  gint64 at;
} Owner;

struct _OctConvertManifest {
  char *folder, *path;
  int fd;
  gboolean own;       /* the file that is being read is its own */
  GHashTable *known;  /* Known by input */
  GHashTable *owners; /* Owner by output */
};

/* ---------------------------------------------------------------------- CSV */

/* RFC 4180: in quotes, with quotes doubled. */
static void
append_field (GString *line, const char *text, char end)
{
  g_autoptr (GString) quoted = g_string_new (text);

  g_string_replace (quoted, "\"", "\"\"", 0);
  g_string_append_printf (line, "\"%s\"%c", quoted->str, end);
}

/* The next record of `text`, NULL at its end or where it is cut off. */
static char **
take_record (const char **text)
{
  g_autoptr (GPtrArray) fields = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GString) field = g_string_new (NULL);
  gboolean quoted = FALSE;
  const char *c;

  for (c = *text; *c != '\0'; c++) {
    if (*c == '"' && quoted && c[1] == '"') {
      g_string_append_c (field, *c++);
    } else if (*c == '"') {
      quoted = !quoted;
    } else if (!quoted && (*c == ',' || *c == '\n')) {
      g_ptr_array_add (fields, g_strdup (field->str));
      g_string_truncate (field, 0);
      if (*c == '\n')
        break;
    } else {
      g_string_append_c (field, *c);
    }
  }
  if (*c == '\0')
    return NULL;
  *text = c + 1;
  g_ptr_array_add (fields, NULL);
  g_ptr_array_set_free_func (fields, NULL);
  return (char **)g_ptr_array_free (g_steal_pointer (&fields), FALSE);
}

/* ------------------------------------------------------------------ reading */

static void
known_free (gpointer data)
{
  Known *known = data;

  g_free (known->made);
  g_free (known->failed);
  g_free (known->note);
  g_free (known->failure);
  g_ptr_array_unref (known->outputs);
  g_ptr_array_unref (known->sums);
  g_string_free (known->made_lines, TRUE);
  g_string_free (known->failed_lines, TRUE);
  g_free (known);
}

static Known *
get_known (OctConvertManifest *manifest, const char *input)
{
  Known *known = g_hash_table_lookup (manifest->known, input);

  if (known != NULL)
    return known;
  known = g_new0 (Known, 1);
  known->outputs = g_ptr_array_new_with_free_func (g_free);
  known->sums = g_ptr_array_new_with_free_func (g_free);
  known->made_lines = g_string_new (NULL);
  known->failed_lines = g_string_new (NULL);
  g_hash_table_insert (manifest->known, g_strdup (input), known);
  return known;
}

static void
owner_free (gpointer data)
{
  Owner *owner = data;

  g_free (owner->input);
  g_free (owner);
}

static void
take_owner (OctConvertManifest *manifest, const char *output, const char *input,
    gint64 at)
{
  const Owner *before = g_hash_table_lookup (manifest->owners, output);
  Owner *owner;

  if (before != NULL && before->at > at)
    return;
  owner = g_new0 (Owner, 1);
  owner->input = g_strdup (input);
  owner->at = at;
  g_hash_table_insert (manifest->owners, g_strdup (output), owner);
}

static char *
make_version (const char *bytes, const char *changed, const char *options)
{
  return g_strjoin (" ", bytes, changed, options, NULL);
}

/* Lines of one input that were written together belong together; those of
 * another time take their place, but what they wrote stays known. */
static void
manifest_take_done (OctConvertManifest *manifest, Known *known, char **fields,
    const char *version, gint64 at)
{
  take_owner (manifest, fields[OUTPUT], fields[INPUT], at);
  if (known->made != NULL && at < known->made_at)
    return;
  if (known->made == NULL || at > known->made_at
      || !g_str_equal (known->made, version)) {
    g_free (known->made);
    known->made = g_strdup (version);
    known->made_at = at;
    g_ptr_array_set_size (known->outputs, 0);
    g_ptr_array_set_size (known->sums, 0);
    g_string_truncate (known->made_lines, 0);
    known->made_elsewhere = FALSE;
  }
  if (!g_ptr_array_find_with_equal_func (
          known->outputs, fields[OUTPUT], g_str_equal, NULL)) {
    g_ptr_array_add (known->outputs, g_strdup (fields[OUTPUT]));
    g_ptr_array_add (known->sums, g_strdup (fields[SUM]));
  }
  g_free (known->note);
  known->note = g_strdup (fields[MESSAGE]);
}

static void
take_failed (Known *known, char **fields, const char *version, gint64 at)
{
  if (known->failed != NULL && at < known->failed_at)
    return;
  g_free (known->failed);
  known->failed = g_strdup (version);
  known->failed_at = at;
  g_free (known->failure);
  known->failure = g_strdup (fields[MESSAGE]);
}

/* `line`: the record as it was written. */
static void
manifest_take (
    OctConvertManifest *manifest, char **fields, const char *line, gsize size)
{
  g_autofree char *version = NULL;
  guint count = g_strv_length (fields);
  Known *known;
  gint64 at;

  /* other lines: the header, or what a person has made of it */
  if (count < WRITTEN || count > N_FIELDS
      || (!g_str_equal (fields[STATE], "done")
          && !g_str_equal (fields[STATE], "failed")))
    return;
  at = count > WRITTEN ? g_ascii_strtoll (fields[WRITTEN], NULL, 10) : 0;
  version = make_version (fields[BYTES], fields[CHANGED], fields[OPTIONS]);
  known = get_known (manifest, fields[INPUT]);
  if (g_str_equal (fields[STATE], "done")) {
    manifest_take_done (manifest, known, fields, version, at);
    if (at == known->made_at && g_str_equal (version, known->made)) {
      g_string_append_len (known->made_lines, line, (gssize)size);
      known->made_elsewhere = !manifest->own;
    }
  } else {
    take_failed (known, fields, version, at);
    if (at == known->failed_at) {
      g_string_truncate (known->failed_lines, 0);
      g_string_append_len (known->failed_lines, line, (gssize)size);
      known->failed_elsewhere = !manifest->own;
    }
  }
}

/* Returns what is left of `text`: nothing, or a record that was cut off. */
static const char *
read_text (OctConvertManifest *manifest, const char *text)
{
  const char *line = text;
  char **fields;

  while ((fields = take_record (&text)) != NULL) {
    manifest_take (manifest, fields, line, (gsize)(text - line));
    g_strfreev (fields);
    line = text;
  }
  return text;
}

static void
read_others (OctConvertManifest *manifest)
{
  g_autoptr (GDir) folder = g_dir_open (manifest->folder, 0, NULL);
  const char *name;

  while (folder != NULL && (name = g_dir_read_name (folder)) != NULL) {
    g_autofree char *path = g_build_filename (manifest->folder, name, NULL);
    g_autofree char *text = NULL;

    /* one that cannot be read says that nothing was done */
    if (g_str_has_prefix (name, PREFIX) && g_str_has_suffix (name, ".csv")
        && !g_str_equal (path, manifest->path)
        && g_file_get_contents (path, &text, NULL, NULL))
      read_text (manifest, text);
  }
}

/* A record that was cut off by a crash goes, as it would take the next one with
 * it: it has no end of line. */
static gboolean
manifest_begin (OctConvertManifest *manifest, GError **error)
{
  g_autofree char *text = NULL;
  const char *left;
  gsize size;

  if (!g_file_get_contents (manifest->path, &text, &size, error))
    return FALSE;
  manifest->own = TRUE;
  left = read_text (manifest, text);
  if (*left != '\0' && text[size - 1] == '\n') {
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA,
        "'%s' is damaged (a quote has no end); repair it, or remove it to have "
        "everything converted again.",
        manifest->path);
    return FALSE;
  }
  if (ftruncate (manifest->fd, left - text) == 0
      && (left > text || write (manifest->fd, HEADER, strlen (HEADER)) > 0))
    return TRUE;
  g_set_error (error, G_FILE_ERROR, g_file_error_from_errno (errno),
      "'%s' cannot be written: %s; set --output to another folder.",
      manifest->path, g_strerror (errno));
  return FALSE;
}

static gboolean
open_and_lock (OctConvertManifest *manifest, GError **error)
{
  manifest->fd =
      open (manifest->path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (manifest->fd >= 0 && flock (manifest->fd, LOCK_EX | LOCK_NB) == 0)
    return TRUE;
  if (errno == EWOULDBLOCK)
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_BUSY,
        "Another program is at work with '%s'; wait for it, or convert another "
        "--part.",
        manifest->path);
  else
    g_set_error (error, G_FILE_ERROR, g_file_error_from_errno (errno),
        "'%s' cannot be written: %s; set --output to another folder.",
        manifest->path, g_strerror (errno));
  return FALSE;
}

OctConvertManifest *
oct_convert_manifest_open (
    const char *folder, guint part, guint parts, GError **error)
{
  OctConvertManifest *manifest = g_new0 (OctConvertManifest, 1);
  g_autofree char *name =
      part == 0 ? g_strdup (PREFIX ".csv")
                : g_strdup_printf (PREFIX "-%u-of-%u.csv", part, parts);

  manifest->folder = g_strdup (folder);
  manifest->path = g_build_filename (folder, name, NULL);
  manifest->known =
      g_hash_table_new_full (g_str_hash, g_str_equal, g_free, known_free);
  manifest->owners =
      g_hash_table_new_full (g_str_hash, g_str_equal, g_free, owner_free);
  read_others (manifest);
  if (open_and_lock (manifest, error) && manifest_begin (manifest, error))
    return manifest;
  oct_convert_manifest_close (manifest);
  return NULL;
}

void
oct_convert_manifest_close (OctConvertManifest *manifest)
{
  if (manifest->fd >= 0)
    close (manifest->fd);
  g_hash_table_unref (manifest->known);
  g_hash_table_unref (manifest->owners);
  g_free (manifest->path);
  g_free (manifest->folder);
  g_free (manifest);
}

static const Known *
find_known (const OctConvertManifest *manifest, const OctConvertInput *input)
{
  return g_hash_table_lookup (manifest->known, input->path);
}

static char *
get_version (const OctConvertInput *input, const char *options)
{
  return g_strdup_printf ("%" G_GUINT64_FORMAT " %" G_GINT64_FORMAT " %s",
      input->size, input->changed, options);
}

gboolean
oct_convert_manifest_has (const OctConvertManifest *manifest,
    const OctConvertInput *input, const char *options)
{
  g_autofree char *version = get_version (input, options);
  const Known *known = find_known (manifest, input);

  if (known == NULL || g_strcmp0 (known->made, version) != 0)
    return FALSE;
  for (guint i = 0; i < known->outputs->len; i++) {
    const char *name = known->outputs->pdata[i];
    g_autofree char *path = g_build_filename (manifest->folder, name, NULL);

    if (g_strcmp0 (oct_convert_manifest_get_owner (manifest, name), input->path)
            != 0
        || !g_file_test (path, G_FILE_TEST_IS_REGULAR))
      return FALSE;
  }
  return TRUE;
}

GPtrArray *
oct_convert_manifest_get_outputs (
    const OctConvertManifest *manifest, const OctConvertInput *input)
{
  const Known *known = find_known (manifest, input);

  return known != NULL && known->made != NULL ? known->outputs : NULL;
}

GPtrArray *
oct_convert_manifest_get_sums (
    const OctConvertManifest *manifest, const OctConvertInput *input)
{
  const Known *known = find_known (manifest, input);

  return known != NULL && known->made != NULL ? known->sums : NULL;
}

const char *
oct_convert_manifest_get_note (
    const OctConvertManifest *manifest, const OctConvertInput *input)
{
  const Known *known = find_known (manifest, input);

  return known != NULL && known->made != NULL ? known->note : "";
}

const char *
oct_convert_manifest_get_failure (const OctConvertManifest *manifest,
    const OctConvertInput *input, const char *options)
{
  g_autofree char *version = get_version (input, options);
  const Known *known = find_known (manifest, input);

  if (known == NULL || g_strcmp0 (known->failed, version) != 0
      || (known->made != NULL && known->made_at > known->failed_at))
    return NULL;
  return known->failure;
}

const char *
oct_convert_manifest_get_owner (
    const OctConvertManifest *manifest, const char *output)
{
  const Owner *owner = g_hash_table_lookup (manifest->owners, output);

  return owner != NULL ? owner->input : NULL;
}

/* ------------------------------------------------------------------ writing */

/* After all that is known of the input, though clocks of computers differ. */
static gint64
manifest_get_time (OctConvertManifest *manifest, const OctConvertInput *input)
{
  const Known *known = get_known (manifest, input->path);

  return MAX (g_get_real_time (), MAX (known->made_at, known->failed_at) + 1);
}

static void
append_record (GString *text, const OctConvertInput *input, const char *options,
    const char *state, const char *output, const char *sum, const char *message,
    gint64 at)
{
  append_field (text, input->path, ',');
  g_string_append_printf (text,
      "%" G_GUINT64_FORMAT ",%" G_GINT64_FORMAT ",%s,%s,", input->size,
      input->changed, options, state);
  append_field (text, output, ',');
  g_string_append_printf (text, "%s,", sum);
  append_field (text, message, ',');
  g_string_append_printf (text, "%" G_GINT64_FORMAT "\n", at);
}

static gboolean
manifest_append (
    OctConvertManifest *manifest, const GString *text, GError **error)
{
  errno = 0;
  if (write (manifest->fd, text->str, text->len) == (ssize_t)text->len
      && fsync (manifest->fd) == 0)
    return TRUE;
  g_set_error (error, G_FILE_ERROR, g_file_error_from_errno (errno),
      "'%s' cannot be written: %s.", manifest->path,
      errno != 0 ? g_strerror (errno) : "the disk is full");
  return FALSE;
}

gboolean
oct_convert_manifest_add (OctConvertManifest *manifest,
    const OctConvertInput *input, const char *options, GPtrArray *outputs,
    GPtrArray *sums, const char *note, GError **error)
{
  g_autoptr (GString) text = g_string_new (NULL);
  gint64 at = manifest_get_time (manifest, input);

  for (guint i = 0; i < outputs->len; i++)
    append_record (text, input, options, "done", outputs->pdata[i],
        sums->pdata[i], note, at);
  if (!manifest_append (manifest, text, error))
    return FALSE;
  (void)read_text (manifest, text->str);
  return TRUE;
}

gboolean
oct_convert_manifest_add_failure (OctConvertManifest *manifest,
    const OctConvertInput *input, const char *options, const char *message,
    GError **error)
{
  g_autoptr (GString) text = g_string_new (NULL);

  append_record (text, input, options, "failed", "", "", message,
      manifest_get_time (manifest, input));
  if (!manifest_append (manifest, text, error))
    return FALSE;
  (void)read_text (manifest, text->str);
  return TRUE;
}

gboolean
oct_convert_manifest_merge (OctConvertManifest *manifest, GError **error)
{
  g_autoptr (GList) inputs = g_hash_table_get_keys (manifest->known);
  g_autoptr (GString) text = g_string_new (NULL);

  inputs = g_list_sort (inputs, (GCompareFunc)strcmp);
  for (const GList *item = inputs; item != NULL; item = item->next) {
    const Known *known = g_hash_table_lookup (manifest->known, item->data);

    if (known->made_elsewhere)
      g_string_append (text, known->made_lines->str);
    if (known->failed_elsewhere && known->failed_at > known->made_at)
      g_string_append (text, known->failed_lines->str);
  }
  if (text->len == 0)
    return TRUE;
  if (!manifest_append (manifest, text, error))
    return FALSE;
  (void)read_text (manifest, text->str);
  return TRUE;
}
