/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-transfer.h"

/* Tissue as a surgeon knows it: what scatters little is dark red and lets light
 * through, what scatters much is pale. */
static const OctTransferStops tissue = { 8,
  {
      { 0, { .30f, .10f, .08f, 0 } },
      { 36, { .40f, .14f, .10f, 0 } },
      { 62, { .55f, .24f, .18f, 3 } },
      { 92, { .72f, .41f, .31f, 16 } },
      { 128, { .83f, .56f, .43f, 50 } },
      { 170, { .91f, .69f, .55f, 110 } },
      { 212, { .96f, .82f, .71f, 180 } },
      { 255, { .98f, .96f, .93f, 260 } },
  } };

static const OctTransferStops grey = { 8,
  {
      { 0, { 0, 0, 0, 0 } },
      { 36, { .2f, .2f, .2f, 0 } },
      { 62, { .33f, .33f, .33f, 2.5f } },
      { 92, { .5f, .5f, .5f, 14 } },
      { 128, { .7f, .7f, .7f, 42 } },
      { 170, { .9f, .9f, .9f, 95 } },
      { 210, { 1, 1, 1, 180 } },
      { 255, { 1, 1, 1, 260 } },
  } };

const OctTransferStops *
oct_transfer_get_stops (OctTransferKind kind)
{
  switch (kind) {
  case OCT_TRANSFER_TISSUE:
    return &tissue;
  case OCT_TRANSFER_GREY:
    return &grey;
  default:
    return NULL;
  }
}

/* ------------------------------------------------------------------- filling
 */

static float
transfer_mix (float a, float b, double t)
{
  return (float)(a + (b - a) * t);
}

OctTransferEntry
oct_transfer_look_up (const OctTransferStops *stops, double grey_level)
{
  const OctTransferStop *a, *b;
  guint k = 0;
  double t;

  while (k + 2 < stops->n && grey_level > stops->stops[k + 1].grey)
    k++;
  a = &stops->stops[k];
  b = &stops->stops[k + 1];
  t = CLAMP ((grey_level - a->grey) / (b->grey - a->grey), 0.0, 1.0);
  return (OctTransferEntry){ transfer_mix (a->entry.red, b->entry.red, t),
    transfer_mix (a->entry.green, b->entry.green, t),
    transfer_mix (a->entry.blue, b->entry.blue, t),
    transfer_mix (a->entry.extinction, b->entry.extinction, t) };
}

void
oct_transfer_fill (const OctTransferStops *stops, double threshold,
    double opacity, OctTransfer *transfer)
{
  for (guint i = 0; i < OCT_TRANSFER_SIZE; i++) {
    double level = 255.0 * i / (OCT_TRANSFER_SIZE - 1);
    double seen = threshold > 0 ? CLAMP (
                      (level - threshold) / OCT_TRANSFER_EDGE, 0.0, 1.0)
                                : 1.0;

    transfer->entries[i] = oct_transfer_look_up (stops, level);
    transfer->entries[i].extinction *= (float)(seen * opacity);
  }
}
