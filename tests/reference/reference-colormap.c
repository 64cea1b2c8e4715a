/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Images in colours: docs/elements/octcolormap.md.
 */
#include "reference-plan.h"

#include <math.h>

static const guint8 *
color_of (const OctColormapParams *p, const Complex *in, guint row, guint x)
{
  guint level = (guint)creal (in[((gsize)row * p->width + x) * p->pixel_size]);

  return p->colors + 3 * level;
}

/* RGBA: all four values; NV12: the luma (ITU-R BT.709, 3.2 and 3.4 with 8
 * bit). */
void
reference_colormap (
    OctReference *plan, const Complex *in, const double *mean, Complex *out)
{
  const OctColormapParams *p = plan->params;

  for (guint row = 0; row < p->height; row++)
    for (guint x = 0; x < p->width; x++) {
      const guint8 *c = color_of (p, in, row, x);
      gsize at = (gsize)row * p->width + x;

      if (p->format == OCT_IMAGE_NV12) {
        out[at] = rint (
            16 + 219 * (.2126 * c[0] + .7152 * c[1] + .0722 * c[2]) / 255);
        continue;
      }
      for (guint i = 0; i < 4; i++)
        out[4 * at + i] = i < 3 ? c[i] : 255;
    }
}

void
oct_reference_chroma (
    const OctColormapParams *p, const Complex *in, double *chroma)
{
  guint columns = (p->width + 1) / 2;

  for (guint y = 0; y < (p->height + 1) / 2; y++)
    for (guint x = 0; x < columns; x++) {
      double rgb[3] = { 0 }, luma;
      guint n = 0;

      for (guint row = 2 * y; row < MIN (2 * y + 2, p->height); row++)
        for (guint i = 2 * x; i < MIN (2 * x + 2, p->width); i++, n++)
          for (guint k = 0; k < 3; k++)
            rgb[k] += color_of (p, in, row, i)[k];
      for (guint k = 0; k < 3; k++)
        rgb[k] /= 255. * n;
      luma = .2126 * rgb[0] + .7152 * rgb[1] + .0722 * rgb[2];
      chroma[2 * ((gsize)y * columns + x)] =
          rint (128 + 224 * (rgb[2] - luma) / 1.8556);
      chroma[2 * ((gsize)y * columns + x) + 1] =
          rint (128 + 224 * (rgb[0] - luma) / 1.5748);
    }
}
