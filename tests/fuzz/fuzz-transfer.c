/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Any text as the file of a transfer function: grey levels that rise, with
 * values in their range, or an error that can be shown. */
#include "fuzz-error.h"
#include "oct-colormap.h"
#include "oct-transfer.h"

int LLVMFuzzerTestOneInput (const guint8 *data, gsize size);

/* The same text as a colour map: a transfer function is also a colour map,
 * which needs no extinction. */
static void
read_colors (const guint8 *data, gsize size, gboolean is_transfer)
{
  g_autoptr (GError) error = NULL;
  g_autofree OctTransferStops *stops = oct_colormap_parse (
      (const char *)data, size, "Colour map 'x.csv'", &error);
  guint8 colors[OCT_COLORMAP_VALUES];

  if (stops == NULL) {
    g_assert_false (is_transfer);
    g_assert_error (error, OCT_ERROR, OCT_ERROR_FORMAT);
    fuzz_refuse (error);
    return;
  }
  g_assert_no_error (error);
  oct_colormap_fill (stops, colors);
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  g_autoptr (GError) error = NULL;
  g_autofree OctTransferStops *stops = oct_transfer_parse (
      (const char *)data, size, "Transfer function 'x.csv'", &error);
  g_autofree OctTransfer *transfer = NULL;

  read_colors (data, size, stops != NULL);
  if (stops == NULL) {
    g_assert_error (error, OCT_ERROR, OCT_ERROR_FORMAT);
    fuzz_refuse (error);
    return 0;
  }
  g_assert_no_error (error);
  g_assert_cmpuint (stops->n, >=, 2);
  g_assert_cmpuint (stops->n, <=, OCT_TRANSFER_MAX_STOPS);
  for (guint i = 1; i < stops->n; i++)
    g_assert_cmpfloat (stops->stops[i].grey, >, stops->stops[i - 1].grey);
  transfer = g_new (OctTransfer, 1);
  oct_transfer_fill (stops, size % 256, 1, transfer);
  for (guint i = 0; i < OCT_TRANSFER_SIZE; i++) {
    const OctTransferEntry *e = &transfer->entries[i];

    g_assert_true (e->red >= 0 && e->red <= 1 && e->green >= 0 && e->green <= 1
                   && e->blue >= 0 && e->blue <= 1);
    g_assert_true (e->extinction >= 0 && e->extinction <= 10000);
  }
  return 0;
}
