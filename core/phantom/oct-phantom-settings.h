/* SPDX-License-Identifier: LGPL-2.1-or-later */
/** The settings of the virtual system (oct-phantom.h). */
#pragma once

#include "oct-types.h"

G_BEGIN_DECLS

typedef enum {
  /* layered scattering tissue with speckle, moving slowly, through which an
   * instrument tip passes */
  OCT_PHANTOM_LAYERS,
  /* one mirror at `depth`, the same in every A-line */
  OCT_PHANTOM_MIRROR,
  /* the same tissue for volumes: a dome that beats with the pulse, an incision,
   * vessels on the surface, and forceps that move in front of them */
  OCT_PHANTOM_SURGERY,
  /* layers in which blood flows and cells stir, and which moves with the pulse
   * (oct-phantom-flow.h) */
  OCT_PHANTOM_FLOW,
} OctPhantomKind;

typedef struct {
  OctPhantomKind kind;
  guint samples, lines, bscans; /* bscans: per volume */
  guint repeats; /* of them at each place of the slow axis, one after the other;
                    0 and 1: one */
  OctSampleFormat sample_format; /* U8 or U16 */
  double depth;                  /* of the mirror, metres (MIRROR) */
  double noise; /* 1 = shot and read noise of a real camera, 0 = none */
  guint seed;
  /* The focal spot that the sample is seen with (not MIRROR): full widths at
   * half maximum of its amplitude, in A-lines and in places of B-scans, 0 to
   * OCT_PHANTOM_MOST_SPOT.  Neighbours have the coherence exp (-2 ln 2 / F^2),
   * from 2 lines on; below the weights of three lines are too coarse.  With
   * both 0 the sample moves all the time, its speckle is 3.7 columns of the
   * sample wide, and phases turn from A-line to A-line.  Else it stands still
   * while a volume is taken, and a width of 0 is that of one line. */
  double spot_x, spot_y;
  /* FLOW: A-lines and volumes per s, 0 = of OCT_FLOW_LINE_RATE and OCT_FLOW_BSCAN;
   * factors of the motion of the sample and of the speeds of blood, 1 = as in a
   * patient, 0 = none; samples (root mean square) by which the trigger of an
   * A-line comes late or early */
  double line_rate, volume_rate, motion, flow, jitter;
  /* LAYERS and SURGERY without a spot: where the A-lines of a volume are,
   * [bscans][lines] pairs across and along the slow axis in fractions of the
   * sample's width, which are copied; what lies outside of [-1, 2] looks like
   * its edge.  NULL: a raster. */
  const double *path;
  /* The same, but oct_phantom_render_along() says where A-lines are. */
  gboolean follows;
  /* Along a path: columns of the sample in its width (speckle is 3.7 wide);
   * 0: as a raster of as many A-lines has. */
  guint columns;
  /* LAYERS and SURGERY without a spot: all is where it is at the first moment. */
  gboolean still;
} OctPhantomSettings;

/* The side of the sample along a path, mm. */
#define OCT_PHANTOM_SAMPLE 6.0

#define OCT_PHANTOM_MOST_SPOT 32.0
#define OCT_PHANTOM_MOST_MOTION 100.0
#define OCT_PHANTOM_MOST_JITTER 10.0

G_END_DECLS
