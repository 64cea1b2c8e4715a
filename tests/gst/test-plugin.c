/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The descriptions of the plugin and its elements, in gst-inspect-1.0 and in
 * programs that list them. */
#include "oct-test.h"

static GstPlugin *
load (void)
{
  GstPlugin *plugin = gst_plugin_load_by_name ("oct");

  fail_unless (plugin != NULL);
  return plugin;
}

GST_START_TEST (test_plugin)
{
  g_autoptr (GstPlugin) plugin = load ();

  fail_unless_equals_string (gst_plugin_get_license (plugin), "LGPL");
  fail_unless_equals_string (gst_plugin_get_version (plugin), OCT_TEST_VERSION);
  fail_unless_equals_string (gst_plugin_get_source (plugin), "gst-oct");
  fail_unless (g_str_has_prefix (gst_plugin_get_package (plugin), "gst-oct"));
  fail_unless (
      g_uri_is_valid (gst_plugin_get_origin (plugin), G_URI_FLAGS_NONE, NULL));
}
GST_END_TEST;

static void
check_factory (GstElementFactory *factory)
{
  static const char *const keys[] = { GST_ELEMENT_METADATA_LONGNAME,
    GST_ELEMENT_METADATA_DESCRIPTION, GST_ELEMENT_METADATA_AUTHOR };
  static const char *const kinds[] = { "Source", "Sink", "Filter", "Converter",
    "Analyzer", "Effect", "Generic", "Bin" };
  const char *name = GST_OBJECT_NAME (factory);
  const char *klass =
      gst_element_factory_get_metadata (factory, GST_ELEMENT_METADATA_KLASS);
  gboolean is_known = FALSE;

  for (guint i = 0; i < G_N_ELEMENTS (keys); i++) {
    const char *text = gst_element_factory_get_metadata (factory, keys[i]);

    fail_unless (text != NULL && *text != '\0', "%s has no %s", name, keys[i]);
  }
  fail_unless (klass != NULL, "%s has no class", name);
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    is_known |= strstr (klass, kinds[i]) != NULL;
  fail_unless (is_known, "%s is a '%s', which no program knows", name, klass);
  fail_unless (
      gst_element_factory_get_num_pad_templates (factory) > 0, "%s", name);
}

GST_START_TEST (test_elements)
{
  g_autoptr (GstPlugin) plugin = load ();
  GList *features =
      gst_registry_get_feature_list_by_plugin (gst_registry_get (), "oct");
  guint elements = 0;

  for (GList *i = features; i != NULL; i = i->next) {
    GstPluginFeature *feature = gst_plugin_feature_load (i->data);

    fail_unless (feature != NULL);
    /* of two of one name gst-inspect-1.0 describes the feature, and
     * "gst-inspect-1.0 oct" is to list the elements of the plugin */
    fail_if (g_str_equal (GST_OBJECT_NAME (feature), "oct"));
    if (GST_IS_ELEMENT_FACTORY (feature)) {
      check_factory (GST_ELEMENT_FACTORY (feature));
      elements++;
    }
    gst_object_unref (feature);
  }
  /* those of the table in README.md at least */
  fail_unless (elements >= 17, "%u elements", elements);
  gst_plugin_feature_list_free (features);
}
GST_END_TEST;

static Suite *
plugin_suite (void)
{
  Suite *suite = suite_create ("plugin");
  TCase *tcase = tcase_create ("metadata");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, test_plugin);
  tcase_add_test (tcase, test_elements);
  return suite;
}

GST_CHECK_MAIN (plugin);
