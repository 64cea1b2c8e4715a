/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Any bytes as a worklist of lines of JSON, the first line being the case: tags of
 * one line with keywords of ours, clean texts, or an error. */
#include "fuzz-error.h"
#include "oct-dicom-case.h"

#include <string.h>

G_DEFINE_QUARK (oct - dicom - error, oct_dicom_error)

int LLVMFuzzerTestOneInput (const guint8 *data, gsize size);

static void
check_clean (const char *text)
{
  g_assert_true (g_utf8_validate (text, -1, NULL));
  for (const char *c = text; *c != '\0'; c = g_utf8_next_char (c))
    g_assert_true (g_unichar_isprint (g_utf8_get_char (c)));
}

static void
check_tags (const char *tags)
{
  g_auto (GStrv) list = g_strsplit (tags, ";", -1);

  check_clean (tags);
  g_assert_null (strchr (tags, '\\'));
  for (guint i = 0; list[i] != NULL; i++) {
    gboolean known = *tags == '\0';

    for (guint j = 0; j < OCT_DICOM_FIELDS; j++) {
      const char *name = oct_dicom_field_name ((OctDicomField)j);

      known = known
              || (g_str_has_prefix (list[i], name)
                  && list[i][strlen (name)] == '=');
    }
    g_assert_true (known);
  }
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  g_autofree char *all = g_strndup ((const char *)data, size);
  char *line = strchr (all, '\n');
  g_autoptr (GError) error = NULL;
  g_autoptr (GError) other = NULL;
  char *texts[OCT_DICOM_FIELDS] = { NULL };
  g_autofree char *tags = NULL;

  if (line == NULL || !g_utf8_validate (all, line - all, NULL))
    return 0;
  *line++ = '\0';
  tags = oct_dicom_case_get_tags (line, all, &error);
  if (tags != NULL)
    check_tags (tags);
  else
    fuzz_refuse (error);
  if (!oct_dicom_case_get_texts (line, all, NULL, texts, &other))
    fuzz_refuse (other);
  for (guint i = 0; i < OCT_DICOM_FIELDS; i++) {
    g_assert_true ((texts[i] != NULL) == (other == NULL));
    if (texts[i] != NULL)
      check_clean (texts[i]);
    g_free (texts[i]);
  }
  return 0;
}
