/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-chain.h"

const OctMethod *
oct_method_find (const char *id)
{
  for (const OctMethod *method = oct_methods; method->id; method++)
    if (g_strcmp0 (method->id, id) == 0)
      return oct_method_available (method) ? method : NULL;
  return NULL;
}

gboolean
oct_method_available (const OctMethod *method)
{
  GstElementFactory *factory = gst_element_factory_find (method->needs);

  if (factory == NULL)
    return FALSE;
  gst_object_unref (factory);
  return TRUE;
}

char *
oct_method_list (void)
{
  GString *list = g_string_new (NULL);

  for (const OctMethod *method = oct_methods; method->id; method++)
    if (oct_method_available (method))
      g_string_append_printf (
          list, "%s%s", list->len > 0 ? ", " : "", method->id);
  return g_string_free (list, FALSE);
}

void
oct_chain_set_dispersion (GstElement *chain, double a2, double a3)
{
  g_autoptr (GstElement) dispersion =
      gst_bin_get_by_name (GST_BIN (chain), "dispersion");

  g_object_set (dispersion, "a2", a2, "a3", a3, NULL);
}

GstElement *
oct_chain_new (const OctMethod *method, double a2, double a3, GError **error)
{
  GstElement *chain = gst_parse_bin_from_description_full (
      method->elements, TRUE, NULL, GST_PARSE_FLAG_FATAL_ERRORS, error);

  if (chain != NULL)
    oct_chain_set_dispersion (chain, a2, a3);
  return chain;
}
