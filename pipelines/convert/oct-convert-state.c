/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-convert.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

/* What has become of an archive. */
typedef struct {
  guint complete, incomplete;            /* of those: with B-scans missing */
  guint64 bytes;                         /* of spectra that are complete */
  GPtrArray *failed, *missing, *damaged; /* sentences or paths */
} State;

char *
oct_convert_sum_file (const char *path, GError **error)
{
  g_autoptr (GChecksum) checksum = g_checksum_new (G_CHECKSUM_SHA256);
  g_autofree guint8 *block = g_malloc (1 << 20);
  int fd = open (path, O_RDONLY | O_CLOEXEC);
  ssize_t n = -1;

  while (fd >= 0 && (n = read (fd, block, 1 << 20)) > 0)
    g_checksum_update (checksum, block, n);
  if (n < 0)
    g_set_error (error, G_FILE_ERROR, g_file_error_from_errno (errno),
        "'%s' cannot be read again for its checksum: %s.", path,
        g_strerror (errno));
  if (fd >= 0)
    close (fd);
  return n == 0 ? g_strdup (g_checksum_get_string (checksum)) : NULL;
}

/* A sentence of what is wrong with the volumes, or NULL. */
static char *
check_sums (const OctConvertManifest *manifest, const OctConvertInput *input,
    const char *folder)
{
  GPtrArray *outputs = oct_convert_manifest_get_outputs (manifest, input);
  GPtrArray *sums = oct_convert_manifest_get_sums (manifest, input);

  for (guint i = 0; i < outputs->len; i++) {
    g_autofree char *path = g_build_filename (folder, outputs->pdata[i], NULL);
    g_autoptr (GError) error = NULL;
    g_autofree char *sum = NULL;

    if (*(const char *)sums->pdata[i] == '\0')
      return g_strdup_printf ("%s: it was converted without --checksums", path);
    sum = oct_convert_sum_file (path, &error);
    if (sum == NULL)
      return g_strdup (error->message);
    if (!g_str_equal (sum, sums->pdata[i]))
      return g_strdup_printf (
          "%s: its SHA-256 is %s, but %s is in the manifest; remove it to have "
          "it converted again",
          path, sum, (const char *)sums->pdata[i]);
  }
  return NULL;
}

static void
add_input (State *state, const OctConvertManifest *manifest,
    const OctConvertInput *input, const char *folder, const char *options,
    gboolean checksums)
{
  const char *failure =
      oct_convert_manifest_get_failure (manifest, input, options);
  g_autofree char *problem = NULL;

  if (failure != NULL) {
    g_ptr_array_add (
        state->failed, g_strdup_printf ("%s: %s", input->path, failure));
  } else if (!oct_convert_manifest_has (manifest, input, options)) {
    g_ptr_array_add (state->missing, g_strdup (input->path));
  } else if (checksums
             && (problem = check_sums (manifest, input, folder)) != NULL) {
    g_ptr_array_add (state->damaged, g_steal_pointer (&problem));
  } else {
    state->complete++;
    state->bytes += input->size;
    state->incomplete +=
        *oct_convert_manifest_get_note (manifest, input) != '\0';
  }
}

static void
print_list (const char *title, GPtrArray *lines)
{
  if (lines->len > 0)
    g_print ("\n%s:\n", title);
  for (guint i = 0; i < lines->len; i++)
    g_print ("  %s\n", (const char *)lines->pdata[i]);
}

gboolean
oct_convert_print_state (const OctConvertManifest *manifest, GPtrArray *inputs,
    const char *folder, const char *options, gboolean checksums,
    GPtrArray *problems, GError **error)
{
  g_autoptr (GPtrArray) failed = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GPtrArray) missing = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GPtrArray) damaged = g_ptr_array_new_with_free_func (g_free);
  State state = { .failed = failed, .missing = missing, .damaged = damaged };
  gboolean ok;

  for (guint i = 0; i < inputs->len && !oct_launch_interrupted (); i++)
    add_input (&state, manifest, inputs->pdata[i], folder, options, checksums);
  if (oct_launch_interrupted ()) {
    g_set_error_literal (
        error, G_IO_ERROR, G_IO_ERROR_CANCELLED, "Interrupted.");
    return FALSE;
  }
  g_print ("  complete        %6u, %.2f GB of spectra\n"
           "  incomplete      %6u of them, B-scans are missing and black\n"
           "  failed          %6u\n  not converted   %6u\n",
      state.complete, (double)state.bytes * 1e-9, state.incomplete, failed->len,
      missing->len);
  if (checksums)
    g_print ("  damaged         %6u\n", damaged->len);
  print_list ("Failed", failed);
  print_list ("Not converted", missing);
  print_list ("Damaged", damaged);
  print_list ("Not looked into", problems);
  ok = state.complete == inputs->len && problems->len == 0;
  if (ok)
    g_print ("\nComplete: all %u files are converted.\n", inputs->len);
  else
    g_print ("\nNot complete: %u of %u files are not converted%s.\n",
        inputs->len - state.complete, inputs->len,
        problems->len > 0 ? ", and folders could not be read" : "");
  return ok;
}
