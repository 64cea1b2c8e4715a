/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The action signals that gst-inspect-1.0 lists in the descriptions of elements
 * are those of their types, with their arguments, and each element names its
 * page. (A message that the table lacks is a critical warning, which ends the
 * tests that see it.)
 */
#include "oct-test.h"

#include <gst/check/gstcheck.h>

/* "Action signal NAME (ARGUMENT: TYPE, ...), returns TYPE" of a signal. */
static void
check_signal (GstElementFactory *factory, const char *text, guint id)
{
  GSignalQuery query;
  g_autofree char *begin = NULL;
  g_autofree char *returns = NULL;
  g_auto (GStrv) arguments = NULL;
  const char *found, *end;
  g_autofree char *list = NULL;
  guint n;

  g_signal_query (id, &query);
  begin = g_strdup_printf ("Action signal %s (", query.signal_name);
  returns =
      g_strdup_printf ("), returns %s: ", g_type_name (query.return_type));
  found = strstr (text, begin);
  fail_unless (found != NULL, "%s does not tell of its signal %s: %s",
      GST_OBJECT_NAME (factory), query.signal_name, text);
  found += strlen (begin);
  end = strchr (found, ')');
  fail_unless (g_str_has_prefix (end, returns), "%s: %s has not %s",
      GST_OBJECT_NAME (factory), query.signal_name, returns);
  list = g_strndup (found, (gsize)(end - found));
  arguments = g_strsplit (list, ", ", -1);
  n = g_strv_length (arguments);
  fail_unless_equals_int (n, query.n_params);
  for (guint i = 0; i < n; i++) {
    g_autofree char *type =
        g_strconcat (": ", g_type_name (query.param_types[i]), NULL);

    fail_unless (g_str_has_suffix (arguments[i], type), "%s: %s is not%s",
        query.signal_name, arguments[i], type);
  }
}

static guint
count (const char *text, const char *part)
{
  guint n = 0;

  while ((text = strstr (text, part)) != NULL) {
    text += strlen (part);
    n++;
  }
  return n;
}

GST_START_TEST (test_signals)
{
  GList *features =
      gst_registry_get_feature_list_by_plugin (gst_registry_get (), "oct");
  guint n_signals = 0, n_elements = 0;

  for (GList *l = features; l != NULL; l = l->next) {
    GstPluginFeature *loaded =
        gst_plugin_feature_load (GST_PLUGIN_FEATURE (l->data));
    GstElementFactory *factory;
    const char *text, *page;
    g_autofree char *end = NULL;
    g_autofree guint *ids = NULL;
    guint n = 0, actions = 0;

    if (!GST_IS_ELEMENT_FACTORY (loaded)) {
      gst_object_unref (loaded);
      continue;
    }
    factory = GST_ELEMENT_FACTORY (loaded);
    text = gst_element_factory_get_metadata (
        factory, GST_ELEMENT_METADATA_DESCRIPTION);
    page = gst_element_factory_get_metadata (
        factory, GST_ELEMENT_METADATA_DOC_URI);
    end = g_strdup_printf ("/elements/%s.md", GST_OBJECT_NAME (factory));
    fail_unless (page != NULL && g_str_has_suffix (page, end), "%s",
        GST_OBJECT_NAME (factory));
    ids =
        g_signal_list_ids (gst_element_factory_get_element_type (factory), &n);
    for (guint i = 0; i < n; i++) {
      GSignalQuery query;

      g_signal_query (ids[i], &query);
      if (!(query.signal_flags & G_SIGNAL_ACTION))
        continue;
      check_signal (factory, text, ids[i]);
      actions++;
    }
    fail_unless_equals_int (count (text, "Action signal "), actions);
    n_signals += actions;
    n_elements++;
    gst_object_unref (loaded);
  }
  gst_plugin_feature_list_free (features);
  fail_unless (n_elements > 20 && n_signals > 10);
}
GST_END_TEST

static Suite *
bus_suite (void)
{
  Suite *suite = suite_create ("bus");
  TCase *tc = tcase_create ("bus");

  suite_add_tcase (suite, tc);
  tcase_add_test (tc, test_signals);
  return suite;
}

GST_CHECK_MAIN (bus)
