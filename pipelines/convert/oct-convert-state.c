/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-convert-parts.h"

#include "oct-number.h"

/* How much of an archive is converted. */
typedef struct {
  guint complete, incomplete; /* of those: with B-scans missing */
  guint64 bytes;              /* of spectra that are complete */
  GPtrArray *failed, *missing, *changed, *damaged; /* sentences or paths */
} State;

/* A sentence on the fault of the volumes, or NULL. */
static char *
check_sums (const OctConvertManifest *manifest, const OctConvertInput *input,
    const char *folder)
{
  GPtrArray *outputs =
      oct_convert_manifest_get_outputs (manifest, input, OCT_CONVERT_DONE);

  for (guint i = 0; i < outputs->len; i++) {
    const OctConvertOutput *output = outputs->pdata[i];
    g_autofree char *path = g_build_filename (folder, output->name, NULL);
    g_autoptr (GError) error = NULL;
    g_autofree char *sum = NULL;

    if (*output->sum == '\0')
      return g_strdup_printf ("%s: it was converted without --checksums", path);
    sum = oct_convert_place_sum (folder, output->name, &error);
    if (sum == NULL)
      return g_strdup (error->message);
    if (!g_str_equal (sum, output->sum))
      return g_strdup_printf (
          "%s: its SHA-256 is %s, but %s is in the manifest; remove it to have "
          "it converted again",
          path, sum, output->sum);
  }
  return NULL;
}

static void
add_input (State *state, const OctConvertManifest *manifest,
    const OctConvertInput *input, const char *folder, const char *options,
    gboolean checksums)
{
  g_autofree char *problem = NULL;
  g_autofree char *damage = NULL;
  OctConvertResult result =
      oct_convert_manifest_look (manifest, input, options, &problem);
  const char *failure =
      oct_convert_manifest_get_failure (manifest, input, options);

  if (result == OCT_CONVERT_RESULT_NONE && failure != NULL) {
    g_ptr_array_add (
        state->failed, g_strdup_printf ("%s: %s", input->path, failure));
  } else if (result == OCT_CONVERT_RESULT_NONE) {
    g_ptr_array_add (state->missing, g_strdup (input->path));
  } else if (checksums
             && (damage = check_sums (manifest, input, folder)) != NULL) {
    g_ptr_array_add (state->damaged, g_steal_pointer (&damage));
  } else if (result == OCT_CONVERT_RESULT_CHANGED) {
    g_ptr_array_add (state->changed, g_steal_pointer (&problem));
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
  g_autoptr (GPtrArray) changed = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GPtrArray) damaged = g_ptr_array_new_with_free_func (g_free);
  State state = {
    .failed = failed, .missing = missing, .changed = changed, .damaged = damaged
  };
  g_autofree char *files = oct_number_count (inputs->len, "file");
  gboolean ok;

  for (guint i = 0; i < inputs->len && !oct_launch_interrupted (); i++)
    add_input (&state, manifest, inputs->pdata[i], folder, options, checksums);
  if (oct_launch_interrupted ()) {
    g_set_error_literal (
        error, G_IO_ERROR, G_IO_ERROR_CANCELLED, "Interrupted.");
    return FALSE;
  }
  g_print ("  complete        %6u, %.2f GB of spectra\n"
           "  incomplete      %6u of them, B-scans are missing\n"
           "  failed          %6u\n  not converted   %6u\n"
           "  changed         %6u\n",
      state.complete, (double)state.bytes * 1e-9, state.incomplete, failed->len,
      missing->len, changed->len);
  if (checksums)
    g_print ("  damaged         %6u\n", damaged->len);
  print_list ("Failed", failed);
  print_list ("Not converted", missing);
  print_list ("Changed since", changed);
  print_list ("Damaged", damaged);
  print_list ("Not looked into", problems);
  ok = state.complete == inputs->len && problems->len == 0;
  if (ok && inputs->len == 1)
    g_print ("\nComplete: the file is converted.\n");
  else if (ok)
    g_print ("\nComplete: all %u files are converted.\n", inputs->len);
  else
    g_print ("\nNot complete: %u of %s %s not converted%s.\n",
        inputs->len - state.complete, files,
        oct_number_be (inputs->len - state.complete),
        problems->len > 0 ? ", and some could not be looked into" : "");
  return ok;
}
