/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-convert-parts.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "oct-convert-records.h"
#include "oct-file-write.h"
#include "oct-file.h"
#include "oct-number.h"

#define PREFIX "oct-convert"
#define BEGINNING "input,bytes,changed,options,state,output,sha256,message"
#define HEADER BEGINNING ",written,files,output_bytes,output_changed\n"

/* More than the manifest of any archive. */
#define MAX_BYTES ((guint64)1 << 30)

/* Times are limited to this, so that the next record can have a later one. */
#define MOST_TIME (G_MAXINT64 / 2)

/* Manifests of earlier versions end before WRITTEN, or before FILES. */
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
  FILES,
  OUTPUT_BYTES,
  OUTPUT_CHANGED,
  N_FIELDS
};

/* The first two are of one length: one takes the place of the other. */
static const char *const states[] = { [OCT_CONVERT_MOVING] = "move",
  [OCT_CONVERT_DONE] = "done",
  [OCT_CONVERT_FAILED] = "failed" };

/* The last time that an input was in a state. */
typedef struct {
  char *version;      /* of the input and the options; NULL: never */
  gint64 at;          /* us since 1970, 0 if the manifest does not contain it */
  GPtrArray *outputs; /* OctConvertOutput */
  char *message;
  GString *lines;     /* the records of it, for another manifest */
  gboolean elsewhere; /* not in the manifest's own file */
} Said;

/* The records of an input.  The newest counts, whichever manifest has it. */
typedef struct {
  Said said[G_N_ELEMENTS (states)];
} Known;

/* Says that an output is this file, and of which input it was made. */
typedef struct {
  char *input;
  gint64 at;
  OctConvertFile file; /* changed < 0: it is not known */
} Claim;

struct _OctConvertManifest {
  char *folder, *table, *path;
  int fd;
  gboolean own;    /* the file that is being read is its own */
  gboolean broken; /* a part of a record is in the file and stays there */
  GString *moving; /* the records of the files being moved, in the file ... */
  off_t moving_at; /* ... here */
  GArray *moving_states; /* places of their states in them, gsize */
  GHashTable *known;     /* Known by input */
  GHashTable *claims;    /* GPtrArray of Claim by output */
};

/* ------------------------------------------------------------------ reading */

static void
known_free (gpointer data)
{
  Known *known = data;

  for (guint i = 0; i < G_N_ELEMENTS (known->said); i++) {
    g_free (known->said[i].version);
    g_free (known->said[i].message);
    g_ptr_array_unref (known->said[i].outputs);
    g_string_free (known->said[i].lines, TRUE);
  }
  g_free (known);
}

static Known *
get_known (OctConvertManifest *manifest, const char *input)
{
  Known *known = g_hash_table_lookup (manifest->known, input);

  if (known != NULL)
    return known;
  known = g_new0 (Known, 1);
  for (guint i = 0; i < G_N_ELEMENTS (known->said); i++) {
    known->said[i].outputs = oct_convert_outputs_new ();
    known->said[i].lines = g_string_new (NULL);
  }
  g_hash_table_insert (manifest->known, g_strdup (input), known);
  return known;
}

static void
claim_free (gpointer data)
{
  Claim *claim = data;

  g_free (claim->input);
  g_free (claim);
}

static void
add_claim (OctConvertManifest *manifest, const OctConvertOutput *output,
    const char *input, gint64 at)
{
  GPtrArray *claims = g_hash_table_lookup (manifest->claims, output->name);
  Claim *claim;

  if (claims == NULL) {
    claims = g_ptr_array_new_with_free_func (claim_free);
    g_hash_table_insert (manifest->claims, g_strdup (output->name), claims);
  }
  claim = g_new0 (Claim, 1);
  claim->input = g_strdup (input);
  claim->at = at;
  claim->file = output->file;
  g_ptr_array_add (claims, claim);
}

GPtrArray *
oct_convert_outputs_new (void)
{
  return g_ptr_array_new_with_free_func (oct_convert_output_free);
}

void
oct_convert_output_free (gpointer data)
{
  OctConvertOutput *output = data;

  g_free (output->name);
  g_free (output->sum);
  g_free (output);
}

static gboolean
manifest_same_name (gconstpointer output, gconstpointer name)
{
  return g_str_equal (((const OctConvertOutput *)output)->name, name);
}

static gint64
get_number (char **fields, guint count, guint field, gint64 otherwise)
{
  return count > field && *fields[field] != '\0'
             ? g_ascii_strtoll (fields[field], NULL, 10)
             : otherwise;
}

static char *
make_version (const char *bytes, const char *changed, const char *files,
    const char *options)
{
  return g_strjoin (" ", bytes, changed, files, options, NULL);
}

/* Records of several outputs with one time belong together; those of a later
 * time replace them, but the outputs written before stay known. */
static void
take_state (OctConvertManifest *manifest, Said *said, char **fields,
    guint count, const char *line, gsize size)
{
  gint64 at = CLAMP (get_number (fields, count, WRITTEN, 0), 0, MOST_TIME);
  g_autofree char *version = make_version (fields[BYTES], fields[CHANGED],
      count > FILES ? fields[FILES] : "", fields[OPTIONS]);
  OctConvertOutput *output = g_new0 (OctConvertOutput, 1);

  output->name = g_strdup (fields[OUTPUT]);
  output->sum = g_strdup (fields[SUM]);
  output->file.size = (guint64)get_number (fields, count, OUTPUT_BYTES, 0);
  output->file.changed = get_number (fields, count, OUTPUT_CHANGED, -1);
  if (*output->name != '\0')
    add_claim (manifest, output, fields[INPUT], at);
  if (said->version != NULL && at < said->at) {
    oct_convert_output_free (output);
    return;
  }
  if (said->version == NULL || at > said->at
      || !g_str_equal (said->version, version)) {
    g_free (said->version);
    said->version = g_steal_pointer (&version);
    said->at = at;
    g_ptr_array_set_size (said->outputs, 0);
    g_string_truncate (said->lines, 0);
    g_free (said->message);
    said->message = g_strdup (fields[MESSAGE]);
  }
  said->elsewhere = !manifest->own;
  if (g_ptr_array_find_with_equal_func (
          said->outputs, output->name, manifest_same_name, NULL)) {
    oct_convert_output_free (output);
    return;
  }
  g_ptr_array_add (said->outputs, output);
  g_string_append_len (said->lines, line, (gssize)size);
}

static gboolean
is_number (const char *text)
{
  return *text != '\0' && strspn (text, "-0123456789") == strlen (text);
}

/* Nothing is believed that names a place outside the output folder. */
static gboolean
take_fields (char **fields, const char *line, gsize size, gpointer data)
{
  OctConvertManifest *manifest = data;
  guint count = g_strv_length (fields);

  if (count > MESSAGE && g_str_equal (fields[INPUT], "input"))
    return TRUE;
  if ((count != WRITTEN && count != FILES && count != N_FIELDS)
      || !is_number (fields[BYTES]) || !is_number (fields[CHANGED]))
    return FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (states); i++) {
    Known *known;

    if (!g_str_equal (fields[STATE], states[i]))
      continue;
    if (i == OCT_CONVERT_FAILED ? *fields[OUTPUT] != '\0'
                                : !oct_convert_place_is_inside (fields[OUTPUT]))
      return FALSE;
    known = get_known (manifest, fields[INPUT]);
    take_state (manifest, &known->said[i], fields, count, line, size);
    return TRUE;
  }
  return FALSE;
}

/* How many bytes were records. */
static gsize
read_text (OctConvertManifest *manifest, const char *path, const char *text,
    gsize size)
{
  guint damaged = 0;
  gsize read =
      oct_convert_records_read (text, size, take_fields, manifest, &damaged);

  if (damaged > 0) {
    g_autofree char *lines = oct_number_count (damaged, "line");
    const char *be = oct_number_be (damaged);

    g_printerr ("Note: %s of '%s' %s damaged, or %s files outside the folder, "
                "and %s left out.\n",
        lines, path, be, damaged == 1 ? "names" : "name", be);
  }
  return read;
}

/* All of a regular file, with *size; NULL with errno. */
static char *
read_file (int fd, gsize *size)
{
  struct stat status;
  char *text;
  gsize done = 0;
  ssize_t n = 1;

  if (fstat (fd, &status) != 0)
    return NULL;
  if (!S_ISREG (status.st_mode) || (guint64)status.st_size > MAX_BYTES) {
    errno = S_ISREG (status.st_mode) ? EFBIG : EINVAL;
    return NULL;
  }
  text = g_malloc ((gsize)status.st_size + 1);
  while (done < (gsize)status.st_size && n != 0) {
    n = pread (fd, text + done, (gsize)status.st_size - done, (off_t)done);
    if (n < 0 && errno != EINTR) {
      g_free (text);
      return NULL;
    }
    done += n > 0 ? (gsize)n : 0;
  }
  *size = done;
  return text;
}

/* Links are not followed, and a pipe does not make it wait. */
static int
manifest_open_file (const char *path, int flags)
{
  return open (path, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
}

void
oct_convert_manifest_read_others (OctConvertManifest *manifest)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);

  manifest->own = FALSE;
  /* one that cannot be read counts as empty: its volumes are not replaced */
  (void)oct_file_list_folder (manifest->table, names, NULL);
  for (guint i = 0; i < names->len; i++) {
    const char *name = names->pdata[i];
    g_autofree char *path = g_build_filename (manifest->table, name, NULL);
    g_autofree char *text = NULL;
    gsize size;
    int fd;

    if (!g_str_has_prefix (name, PREFIX) || !g_str_has_suffix (name, ".csv")
        || g_str_equal (path, manifest->path))
      continue;
    fd = manifest_open_file (path, O_RDONLY);
    text = fd >= 0 ? read_file (fd, &size) : NULL;
    if (text != NULL)
      (void)read_text (manifest, path, text, size);
    if (fd >= 0)
      close (fd);
  }
  manifest->own = TRUE;
}

static void
manifest_set_error (
    const OctConvertManifest *manifest, int code, GError **error)
{
  g_set_error (error, G_FILE_ERROR, g_file_error_from_errno (code),
      "The manifest '%s' cannot be written: %s; set --output to another "
      "folder.",
      manifest->path,
      code == ELOOP    ? "it is a link to another file"
      : code == EINVAL ? "it is not a regular file"
                       : g_strerror (code));
}

/* A record that was cut off by a crash goes, as it would take the next one with
 * it: it has no end of line. */
static gboolean
manifest_begin (OctConvertManifest *manifest, GError **error)
{
  g_autofree char *text = NULL;
  gsize size = 0, left;
  int code = 0;

  text = read_file (manifest->fd, &size);
  if (text == NULL) {
    manifest_set_error (manifest, errno, error);
    return FALSE;
  }
  /* a part of the header: a disk was full */
  if (size > 0 && strncmp (text, BEGINNING, MIN (size, strlen (BEGINNING))) != 0
      && text[0] != '"') {
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA,
        "'%s' is not a manifest of oct-convert, which begins with '%s'; rename "
        "it, or set --output to another folder.",
        manifest->path, BEGINNING);
    return FALSE;
  }
  left = read_text (manifest, manifest->path, text, size);
  if (left < size && text[size - 1] == '\n') {
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA,
        "'%s' is damaged (a quote has no end); repair it, or remove it to have "
        "everything converted again.",
        manifest->path);
    return FALSE;
  }
  if (left < size && ftruncate (manifest->fd, (off_t)left) != 0)
    code = errno;
  if (code == 0 && lseek (manifest->fd, 0, SEEK_END) < 0)
    code = errno;
  if (code == 0 && left == 0)
    code = oct_file_write_all (manifest->fd, HEADER, strlen (HEADER));
  if (code == 0)
    code = oct_file_sync (manifest->fd);
  if (code == 0)
    oct_file_sync_folder (manifest->path);
  else
    manifest_set_error (manifest, code, error);
  return code == 0;
}

static gboolean
is_in_place (const OctConvertManifest *manifest)
{
  struct stat here, there;

  return fstat (manifest->fd, &here) == 0 && lstat (manifest->path, &there) == 0
         && here.st_dev == there.st_dev && here.st_ino == there.st_ino;
}

static gboolean
open_and_lock (OctConvertManifest *manifest, GError **error)
{
  manifest->fd = manifest_open_file (manifest->path, O_RDWR | O_CREAT);
  if (manifest->fd >= 0 && flock (manifest->fd, LOCK_EX | LOCK_NB) == 0
      && is_in_place (manifest))
    return TRUE;
  if (manifest->fd >= 0 && (errno == EWOULDBLOCK || !is_in_place (manifest)))
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_BUSY,
        "Another program is at work with '%s'; wait for it, or convert another "
        "--part.",
        manifest->path);
  else
    manifest_set_error (manifest, errno, error);
  return FALSE;
}

OctConvertManifest *
oct_convert_manifest_open (const char *folder, const char *table, guint part,
    guint parts, GError **error)
{
  OctConvertManifest *manifest = g_new0 (OctConvertManifest, 1);
  g_autofree char *name =
      part == 0 ? g_strdup (PREFIX ".csv")
                : g_strdup_printf (PREFIX "-%u-of-%u.csv", part, parts);

  manifest->folder = g_strdup (folder);
  manifest->table = g_strdup (table);
  manifest->path = g_build_filename (table, name, NULL);
  manifest->known =
      g_hash_table_new_full (g_str_hash, g_str_equal, g_free, known_free);
  manifest->moving = g_string_new (NULL);
  manifest->moving_states = g_array_new (FALSE, FALSE, sizeof (gsize));
  manifest->claims = g_hash_table_new_full (
      g_str_hash, g_str_equal, g_free, (GDestroyNotify)g_ptr_array_unref);
  if (open_and_lock (manifest, error)) {
    oct_convert_manifest_read_others (manifest);
    if (manifest_begin (manifest, error))
      return manifest;
  }
  oct_convert_manifest_close (manifest);
  return NULL;
}

void
oct_convert_manifest_close (OctConvertManifest *manifest)
{
  if (manifest->fd >= 0)
    close (manifest->fd);
  g_hash_table_unref (manifest->known);
  g_hash_table_unref (manifest->claims);
  g_string_free (manifest->moving, TRUE);
  g_array_unref (manifest->moving_states);
  g_free (manifest->path);
  g_free (manifest->table);
  g_free (manifest->folder);
  g_free (manifest);
}

/* ----------------------------------------------------------------- questions */

/* The last time that the input was in this state, or NULL. */
static const Said *
find_said (const OctConvertManifest *manifest, const OctConvertInput *input,
    OctConvertState state)
{
  const Known *known = g_hash_table_lookup (manifest->known, input->path);

  return known != NULL && known->said[state].version != NULL
             ? &known->said[state]
             : NULL;
}

static char *
get_version (const OctConvertInput *input, const char *options)
{
  g_autofree char *bytes = g_strdup_printf ("%" G_GUINT64_FORMAT, input->size);
  g_autofree char *changed =
      g_strdup_printf ("%" G_GINT64_FORMAT, input->changed);

  return make_version (bytes, changed, input->files, options);
}

const char *
oct_convert_manifest_get_owner (const OctConvertManifest *manifest,
    const char *output, const OctConvertFile *file)
{
  const GPtrArray *claims = g_hash_table_lookup (manifest->claims, output);
  const Claim *best = NULL;
  gint64 best_apart = -1;

  for (guint i = 0; claims != NULL && i < claims->len; i++) {
    const Claim *claim = claims->pdata[i];
    /* earlier versions did not store which file it was */
    gint64 apart = claim->file.changed < 0
                       ? G_MAXINT64
                       : oct_convert_place_compare (&claim->file, file);

    if (apart < 0
        || (best != NULL
            && (apart > best_apart
                || (apart == best_apart && claim->at < best->at))))
      continue;
    best = claim;
    best_apart = apart;
  }
  return best != NULL ? best->input : NULL;
}

gboolean
oct_convert_manifest_foreach_output (const OctConvertManifest *manifest,
    OctConvertOutputCheck check, gpointer data)
{
  GHashTableIter at;
  gpointer input, known;

  g_hash_table_iter_init (&at, manifest->known);
  while (g_hash_table_iter_next (&at, &input, &known)) {
    GPtrArray *outputs = ((Known *)known)->said[OCT_CONVERT_DONE].outputs;

    for (guint i = 0; outputs != NULL && i < outputs->len; i++) {
      const OctConvertOutput *output = outputs->pdata[i];
      OctConvertFile file;

      if (oct_convert_place_look (manifest->folder, output->name, &file)
          && !check (input, output->name, data))
        return FALSE;
    }
  }
  return TRUE;
}

/* Whether the file that is there is the one that was written. */
static gboolean
is_written (const OctConvertManifest *manifest, const OctConvertOutput *output,
    const OctConvertFile *there)
{
  g_autofree char *sum = NULL;

  if (output->file.changed < 0)
    return there->changed >= 0;
  if (oct_convert_place_compare (&output->file, there) >= 0)
    return TRUE;
  if (there->changed < 0 || there->size != output->file.size
      || *output->sum == '\0')
    return FALSE;
  /* a copy, perhaps */
  sum = oct_convert_place_sum (manifest->folder, output->name, NULL);
  return g_strcmp0 (sum, output->sum) == 0;
}

OctConvertResult
oct_convert_manifest_look (const OctConvertManifest *manifest,
    const OctConvertInput *input, const char *options, char **changed)
{
  g_autofree char *version = get_version (input, options);
  const Said *done = find_said (manifest, input, OCT_CONVERT_DONE);
  const Said *moving = find_said (manifest, input, OCT_CONVERT_MOVING);
  const char *other = NULL;

  *changed = NULL;
  if (done == NULL || !g_str_equal (done->version, version)
      || (moving != NULL && moving->at >= done->at))
    return OCT_CONVERT_RESULT_NONE;
  for (guint i = 0; i < done->outputs->len; i++) {
    const OctConvertOutput *output = done->outputs->pdata[i];
    OctConvertFile there;
    const char *owner;

    if (oct_convert_input_gives_away (input, output->name)
        || !oct_convert_place_look (manifest->folder, output->name, &there))
      return OCT_CONVERT_RESULT_NONE;
    owner = oct_convert_manifest_get_owner (manifest, output->name, &there);
    if (owner != NULL && !g_str_equal (owner, input->path))
      return OCT_CONVERT_RESULT_NONE;
    if (!is_written (manifest, output, &there))
      other = output->name;
  }
  if (other == NULL)
    return OCT_CONVERT_RESULT_DONE;
  *changed = g_strdup_printf (
      "'%s%s%s' is not the file that was written, its size or its time is "
      "another one; remove it to have it converted again.",
      manifest->folder, G_DIR_SEPARATOR_S, other);
  return OCT_CONVERT_RESULT_CHANGED;
}

GPtrArray *
oct_convert_manifest_get_outputs (const OctConvertManifest *manifest,
    const OctConvertInput *input, OctConvertState state)
{
  const Said *said = find_said (manifest, input, state);

  return said != NULL ? said->outputs : NULL;
}

const char *
oct_convert_manifest_get_note (
    const OctConvertManifest *manifest, const OctConvertInput *input)
{
  const Said *said = find_said (manifest, input, OCT_CONVERT_DONE);

  return said != NULL ? said->message : "";
}

const char *
oct_convert_manifest_get_failure (const OctConvertManifest *manifest,
    const OctConvertInput *input, const char *options)
{
  g_autofree char *version = get_version (input, options);
  const Said *failed = find_said (manifest, input, OCT_CONVERT_FAILED);
  const Said *done = find_said (manifest, input, OCT_CONVERT_DONE);
  const Said *moving = find_said (manifest, input, OCT_CONVERT_MOVING);

  return failed != NULL && g_str_equal (failed->version, version)
                 && (done == NULL || done->at < failed->at)
                 && (moving == NULL || moving->at < failed->at)
             ? failed->message
             : NULL;
}

/* ------------------------------------------------------------------ writing */

/* After all that is known of the input, though clocks of computers differ. */
static gint64
manifest_get_time (OctConvertManifest *manifest, const OctConvertInput *input)
{
  const Known *known = get_known (manifest, input->path);
  gint64 at = g_get_real_time ();

  for (guint i = 0; i < G_N_ELEMENTS (known->said); i++)
    at = MAX (at, known->said[i].at + 1);
  return at;
}

/* Returns the place of the state in `text`. */
static gsize
append_record (GString *text, const OctConvertInput *input, const char *options,
    OctConvertState state, const OctConvertOutput *output, const char *message,
    gint64 at)
{
  gsize place;

  oct_convert_records_append (text, input->path, ',');
  g_string_append_printf (text,
      "%" G_GUINT64_FORMAT ",%" G_GINT64_FORMAT ",%s,", input->size,
      input->changed, options);
  place = text->len;
  g_string_append_printf (text, "%s,", states[state]);
  oct_convert_records_append (text, output != NULL ? output->name : "", ',');
  g_string_append_printf (text, "%s,", output != NULL ? output->sum : "");
  oct_convert_records_append (text, message, ',');
  g_string_append_printf (text, "%" G_GINT64_FORMAT ",%s,", at, input->files);
  if (output != NULL)
    g_string_append_printf (text,
        "%" G_GUINT64_FORMAT ",%" G_GINT64_FORMAT "\n", output->file.size,
        output->file.changed);
  else
    g_string_append (text, ",\n");
  return place;
}

/* All of it is on the disk, or nothing is in the file: a part of a record would
 * take the next one with it. */
static gboolean
manifest_append (
    OctConvertManifest *manifest, const GString *text, GError **error)
{
  off_t before = lseek (manifest->fd, 0, SEEK_END);
  int code = 0;

  if (manifest->broken)
    code = EIO;
  else if (before < 0)
    code = errno;
  else if (!is_in_place (manifest))
    code = ENOENT;
  if (code != 0) {
    manifest_set_error (manifest, code, error);
    return FALSE;
  }
  code = oct_file_write_all (manifest->fd, text->str, text->len);
  if (code == 0)
    code = oct_file_sync (manifest->fd);
  if (code == 0) {
    (void)read_text (manifest, manifest->path, text->str, text->len);
    return TRUE;
  }
  manifest->broken = ftruncate (manifest->fd, before) != 0;
  manifest_set_error (manifest, code, error);
  return FALSE;
}

gboolean
oct_convert_manifest_add_failure (OctConvertManifest *manifest,
    const OctConvertInput *input, const char *options, const char *message,
    GError **error)
{
  g_autoptr (GString) text = g_string_new (NULL);

  append_record (text, input, options, OCT_CONVERT_FAILED, NULL, message,
      manifest_get_time (manifest, input));
  return manifest_append (manifest, text, error);
}

gboolean
oct_convert_manifest_begin_move (OctConvertManifest *manifest,
    const OctConvertInput *input, const char *options, GPtrArray *outputs,
    const char *note, GError **error)
{
  gint64 at = manifest_get_time (manifest, input);

  g_string_truncate (manifest->moving, 0);
  g_array_set_size (manifest->moving_states, 0);
  for (guint i = 0; i < outputs->len; i++) {
    gsize state = append_record (manifest->moving, input, options,
        OCT_CONVERT_MOVING, outputs->pdata[i], note, at);

    g_array_append_val (manifest->moving_states, state);
  }
  manifest->moving_at = lseek (manifest->fd, 0, SEEK_END);
  return manifest_append (manifest, manifest->moving, error);
}

/* Writes "done" to the file and to the records. */
static int
put_done (OctConvertManifest *manifest, gsize at)
{
  const char *done = states[OCT_CONVERT_DONE];
  gsize size = strlen (done);

  memcpy (manifest->moving->str + at, done, size);
  errno = 0;
  return pwrite (manifest->fd, done, size, manifest->moving_at + (off_t)at)
                 == (ssize_t)size
             ? 0
         : errno != 0 ? errno
                      : EIO;
}

gboolean
oct_convert_manifest_end_move (
    OctConvertManifest *manifest, const OctConvertInput *input, GError **error)
{
  Said *moving = &get_known (manifest, input->path)->said[OCT_CONVERT_MOVING];
  int code = is_in_place (manifest) ? 0 : ENOENT;

  for (guint i = 0; code == 0 && i < manifest->moving_states->len; i++)
    code =
        put_done (manifest, g_array_index (manifest->moving_states, gsize, i));
  if (code == 0)
    code = oct_file_sync (manifest->fd);
  if (code != 0) {
    manifest_set_error (manifest, code, error);
    return FALSE;
  }
  g_clear_pointer (&moving->version, g_free);
  (void)read_text (
      manifest, manifest->path, manifest->moving->str, manifest->moving->len);
  return TRUE;
}

gboolean
oct_convert_manifest_merge (OctConvertManifest *manifest, GError **error)
{
  g_autoptr (GList) inputs = g_hash_table_get_keys (manifest->known);
  g_autoptr (GString) text = g_string_new (NULL);

  inputs = g_list_sort (inputs, (GCompareFunc)strcmp);
  for (const GList *item = inputs; item != NULL; item = item->next) {
    const Said *said =
        ((Known *)g_hash_table_lookup (manifest->known, item->data))->said;

    /* in the order of time; records older than its end do not matter */
    if (said[OCT_CONVERT_MOVING].elsewhere
        && said[OCT_CONVERT_MOVING].at > said[OCT_CONVERT_DONE].at)
      g_string_append (text, said[OCT_CONVERT_MOVING].lines->str);
    if (said[OCT_CONVERT_DONE].elsewhere)
      g_string_append (text, said[OCT_CONVERT_DONE].lines->str);
    if (said[OCT_CONVERT_FAILED].elsewhere
        && said[OCT_CONVERT_FAILED].at > said[OCT_CONVERT_DONE].at)
      g_string_append (text, said[OCT_CONVERT_FAILED].lines->str);
  }
  return text->len == 0 || manifest_append (manifest, text, error);
}
