/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-calibration-text.h"

#include "oct-calibration-csv.h"

/* Wavelengths of the samples in nm; NULL without a scale. */
static double *
make_wavelengths (const OctCalibration *c, guint samples)
{
  const double *nodes = oct_calibration_get_nodes (c);
  double k_min, k_max, *nm;

  if (nodes == NULL || !oct_calibration_get_k_range (c, &k_min, &k_max))
    return NULL;
  nm = g_new (double, samples);
  for (guint i = 0; i < samples; i++)
    nm[i] = 2e3 * G_PI / (k_min + (k_max - k_min) * nodes[i] / (samples - 1));
  return nm;
}

char *
oct_calibration_format (const OctCalibration *c, const char *comment)
{
  guint samples = oct_calibration_get_samples (c);
  g_autofree double *nm = make_wavelengths (c, samples);
  const double *const columns[OCT_N_COLUMNS] = {
    [OCT_COLUMN_WAVELENGTH] = nm,
    [OCT_COLUMN_K_INDEX] = oct_calibration_get_positions (c),
    [OCT_COLUMN_DISPERSION] = oct_calibration_get_dispersion (c),
    [OCT_COLUMN_BACKGROUND] = oct_calibration_get_background (c),
  };
  GString *text = g_string_new (NULL);
  char number[G_ASCII_DTOSTR_BUF_SIZE];

  if (comment != NULL)
    g_string_append_printf (text, "# %s\n", comment);
  for (guint row = 0; row <= samples; row++) {
    const char *comma = "";

    for (guint i = 0; i < OCT_N_COLUMNS; i++) {
      if (columns[i] == NULL)
        continue;
      g_string_append_printf (text, "%s%s", comma,
          row == 0 ? oct_column_names[i]
                   : g_ascii_formatd (number, sizeof number,
                       i == OCT_COLUMN_WAVELENGTH ? "%.12g" : "%.17g",
                       columns[i][row - 1]));
      comma = ",";
    }
    g_string_append_c (text, '\n');
  }
  return g_string_free (text, FALSE);
}
