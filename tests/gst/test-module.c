/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Modules that the plugin finds in the place of its own: of another version or
 * of one that tells none, whose structs may be others, and such as are none.
 */
#include "gstoctmodule.h"
#include "oct-test-files.h"

#include <gst/check/gstcheck.h>
#include <unistd.h>

/* A folder with this fake module, or that file, as the CUDA module; `name`
 * NULL: with none. */
static void
install (const char *name, const char *text)
{
  g_autofree char *module = NULL, *folder = NULL;

  if (text != NULL)
    module = oct_test_text (OCT_DEVICE_MODULE, text);
  else
    module = oct_test_file_path (OCT_DEVICE_MODULE);
  folder = g_path_get_dirname (module);
  if (name != NULL) {
    g_autofree char *target = g_build_filename (OCT_TEST_MODULES, name, NULL);

    fail_unless (g_file_test (target, G_FILE_TEST_EXISTS), "%s", target);
    fail_unless_equals_int (symlink (target, module), 0);
  }
  g_setenv ("OCT_CUDA_MODULE_PATH", folder, TRUE);
}

/* The sentence, as an element says it, holds both. */
static void
check_refused (const char *word, const char *other)
{
  g_autoptr (GError) error = NULL;

  fail_unless (gst_oct_module_load (&error) == NULL);
  fail_unless (g_error_matches (error, OCT_ERROR, OCT_ERROR_DEVICE));
  GST_INFO ("%s", error->message);
  fail_unless (strstr (error->message, word) != NULL
                   && strstr (error->message, other) != NULL,
      "%s", error->message);
}

GST_START_TEST (test_same)
{
  g_autoptr (GError) error = NULL;

  install ("libfake-same.so", NULL);
  fail_unless (gst_oct_module_load (&error) != NULL, "%s",
      error != NULL ? error->message : "");
  fail_unless (error == NULL);
}
GST_END_TEST

GST_START_TEST (test_other_version)
{
  install ("libfake-other.so", NULL);
  check_refused ("is of version 0.0.9-abc and", OCT_DEVICE_VERSION);
}
GST_END_TEST

GST_START_TEST (test_no_version)
{
  install ("libfake-silent.so", NULL);
  check_refused ("unknown version", OCT_DEVICE_VERSION);
}
GST_END_TEST

GST_START_TEST (test_damaged)
{
  install ("libfake-damaged.so", NULL);
  check_refused ("is damaged", OCT_DEVICE_SYMBOL);
}
GST_END_TEST

GST_START_TEST (test_no_module)
{
  install (NULL, NULL);
  check_refused ("cannot be loaded", "is not installed");
}
GST_END_TEST

GST_START_TEST (test_text)
{
  install (NULL, "this is not a module");
  check_refused ("cannot be loaded", OCT_DEVICE_MODULE);
}
GST_END_TEST

/* A change of any shared struct is another version. */
GST_START_TEST (test_version)
{
  fail_unless (g_str_has_prefix (OCT_DEVICE_VERSION, "version "));
  fail_unless (strlen (strrchr (OCT_DEVICE_VERSION, '-')) > 16);
}
GST_END_TEST

static Suite *
octmodule_suite (void)
{
  Suite *suite = suite_create ("octmodule");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_checked_fixture (tcase, NULL, oct_test_remove_files);
  tcase_add_test (tcase, test_same);
  tcase_add_test (tcase, test_other_version);
  tcase_add_test (tcase, test_no_version);
  tcase_add_test (tcase, test_damaged);
  tcase_add_test (tcase, test_no_module);
  tcase_add_test (tcase, test_text);
  tcase_add_test (tcase, test_version);
  return suite;
}

GST_CHECK_MAIN (octmodule);
