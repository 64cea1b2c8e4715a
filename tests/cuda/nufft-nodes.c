/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "nufft-nodes.h"

const char *const nodes_names[N_NODES] = { "spectrometer", "rising", "random",
  "beyond", "periods", "part", "uniform", "uniform falling" };

gboolean
nodes_uniform (Nodes kind, guint samples)
{
  return kind == NODES_UNIFORM || kind == NODES_UNIFORM_FALLING
         || (samples == 2 && kind <= NODES_RISING);
}

void
nodes_fill (Nodes kind, guint samples, GRand *random, double *nodes)
{
  double last = samples - 1, position = 0;

  for (guint n = 0; n < samples; n++) {
    double x = n / last; /* N = 1 does not occur */
    double k = 1 / (725 + 240 * x), low = 1 / 965., high = 1 / 725.;
    double curved = last * (k - low) / (high - low);

    switch (kind) {
    case NODES_SPECTROMETER:
      nodes[n] = curved;
      break;
    case NODES_RISING:
      nodes[n] = last - curved;
      break;
    case NODES_RANDOM:
      nodes[n] = position;
      position += g_rand_double_range (random, 0.1, 1.9);
      break;
    case NODES_BEYOND:
      nodes[n] = -3.7 + (samples + 5.9) * x;
      break;
    case NODES_PERIODS:
      nodes[n] = -0.3 * samples + 2.5 * (last - curved);
      break;
    case NODES_PART:
      nodes[n] = 0.3 * samples + 0.4 * curved;
      break;
    case NODES_UNIFORM:
      nodes[n] = n;
      break;
    default:
      nodes[n] = last - n;
    }
  }
}
