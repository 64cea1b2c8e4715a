/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-calibration-settings.h"

#include "oct-file.h"

#include <string.h>

static gboolean
calibration_settings_given (const char *text)
{
  return text && *text;
}

gboolean
oct_calibration_settings_empty (const OctCalibrationSettings *s)
{
  return oct_calibration_settings_change_only (s) && s->a2 == 0 && s->a3 == 0
         && s->c2 == 0 && s->c3 == 0 && !s->flip
         && !calibration_settings_given (s->k_warp)
         && !calibration_settings_given (s->background);
}

gboolean
oct_calibration_settings_change_only (const OctCalibrationSettings *s)
{
  return !calibration_settings_given (s->file)
         && !calibration_settings_given (s->wavelength_polynomial)
         && !calibration_settings_given (s->k_polynomial)
         && s->wavelength_min == 0 && s->wavelength_max == 0;
}

gboolean
oct_calibration_settings_equal (
    const OctCalibrationSettings *a, const OctCalibrationSettings *b)
{
  return a->content == b->content && g_strcmp0 (a->file, b->file) == 0
         && g_strcmp0 (a->wavelength_polynomial, b->wavelength_polynomial) == 0
         && g_strcmp0 (a->k_polynomial, b->k_polynomial) == 0
         && g_strcmp0 (a->k_warp, b->k_warp) == 0
         && g_strcmp0 (a->background, b->background) == 0
         && !a->flip == !b->flip && a->c2 == b->c2 && a->c3 == b->c3
         && a->wavelength_min == b->wavelength_min
         && a->wavelength_max == b->wavelength_max && a->a2 == b->a2
         && a->a3 == b->a3;
}

void
oct_calibration_settings_clear (OctCalibrationSettings *s)
{
  g_free (s->file);
  g_clear_pointer (&s->content, oct_file_content_unref);
  g_free (s->wavelength_polynomial);
  g_free (s->k_polynomial);
  g_free (s->k_warp);
  g_free (s->background);
  memset (s, 0, sizeof *s);
}

void
oct_calibration_settings_copy (
    OctCalibrationSettings *to, const OctCalibrationSettings *from)
{
  *to = *from;
  to->file = g_strdup (from->file);
  to->wavelength_polynomial = g_strdup (from->wavelength_polynomial);
  to->k_polynomial = g_strdup (from->k_polynomial);
  to->k_warp = g_strdup (from->k_warp);
  to->background = g_strdup (from->background);
  if (from->content != NULL)
    oct_file_content_ref (from->content);
}

void
oct_calibration_settings_set_file (OctCalibrationSettings *s, const char *file)
{
  char *copy = g_strdup (file);

  g_free (s->file);
  s->file = copy;
  oct_calibration_settings_forget_file (s);
}

void
oct_calibration_settings_forget_file (OctCalibrationSettings *s)
{
  g_clear_pointer (&s->content, oct_file_content_unref);
  if (calibration_settings_given (s->file))
    s->content = oct_file_content_new (
        s->file, oct_calibration_csv_load, (GDestroyNotify)g_bytes_unref);
}

gboolean
oct_calibration_settings_read (const OctCalibrationSettings *s, guint samples,
    OctCalibrationTable *table, GError **error)
{
  g_autofree char *file = NULL;
  const GBytes *text;
  const char *data;
  gsize size;

  if (s->content == NULL)
    return oct_calibration_csv_read (s->file, samples, table, error);
  text = oct_file_content_get (s->content, error);
  if (text == NULL)
    return FALSE;
  file = oct_file_describe ("Calibration file", s->file);
  data = g_bytes_get_data ((GBytes *)text, &size);
  return oct_calibration_csv_parse (
      file, data != NULL ? data : "", size, samples, table, error);
}

guint
oct_calibration_settings_count_rows (const OctCalibrationSettings *s)
{
  g_auto (OctCalibrationTable) table = { 0 };

  if (!calibration_settings_given (s->file))
    return 0;
  oct_calibration_settings_read (s, 2, &table, NULL);
  return table.rows;
}
