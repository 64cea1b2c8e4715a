/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-cpu-volume-cs-parts.h"

#include <math.h>
#include <string.h>

gsize
oct_cpu_volume_cs_lateral_scratch (const OctVolumeCs *cs)
{
  guint most = MAX (cs->lines, cs->bscans);
  gsize fft = 0;

  for (guint i = 0; i < 2; i++)
    fft = MAX (fft, MAX (oct_lanes_fft_scratch (cs->forward[i]),
                        oct_lanes_fft_scratch (cs->backward[i])));
  return 2 * (gsize)most * OCT_CPU_VOLUME_CS_BLOCK * sizeof (float) + fft;
}

const float *
oct_cpu_volume_cs_mask_of (const OctVolumeCs *cs, guint k)
{
  guint number = OCT_VOLUME_CS_MASKS;

  if (k < cs->params.mask->count && cs->valid[k]) {
    guint32 place = cs->params.mask->places[k];

    number =
        (place % cs->lines + 7 * (place / cs->lines)) % OCT_VOLUME_CS_MASKS;
  }
  return cs->masks + (gsize)number * cs->params.columns;
}

void
oct_cpu_volume_cs_adjoint (const OctVolumeCs *cs, guint group,
    const float *spectra, float *volume, float *bins, gpointer scratch)
{
  const OctScanMask *mask = cs->params.mask;
  float scale = (float)(1 / sqrt (cs->params.columns));

  oct_lanes_fft_run_real (cs->to_depths, spectra, bins, 0, cs->depths, scratch);
  memset (bins, 0, OCT_CPU_VOLUME_CS_BLOCK * sizeof (float));
  for (guint lane = 0; lane < OCT_LANES; lane++) {
    guint k = group * OCT_LANES + lane;
    float *to;

    if (k >= mask->count || !cs->valid[k])
      continue;
    to = oct_cpu_volume_cs_line (cs, volume, mask->places[k]);
    for (guint i = 0; i < cs->depths; i++) {
      const float *bin = bins + (gsize)i * OCT_CPU_VOLUME_CS_BLOCK + lane;
      float *block =
          to + (gsize)(i / OCT_LANES) * OCT_CPU_VOLUME_CS_BLOCK + i % OCT_LANES;

      block[0] = bin[0] * scale;
      block[OCT_LANES] = bin[OCT_LANES] * scale;
    }
  }
}
