/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-colormap.h"
#include "oct-bt709.h"
#include "oct-params.h"

#define STOP(grey, red, green, blue)                                           \
  {                                                                            \
    grey,                                                                      \
    {                                                                          \
      red, green, blue, 0                                                      \
    }                                                                          \
  }

const OctColormapInfo oct_colormaps[OCT_N_COLORMAPS] = {
  /* every 17th of the 256 colours that S. van der Walt and N. Smith have put
   * into the public domain (CC0) */
  [OCT_COLORMAP_VIRIDIS] = { "viridis",
      "Dark violet, green, yellow: evenly brighter to the eye",
      { 16, { STOP (0, .267004f, .004874f, .329415f),
                STOP (17, .282656f, .100196f, .422160f),
                STOP (34, .277134f, .185228f, .489898f),
                STOP (51, .253935f, .265254f, .529983f),
                STOP (68, .221989f, .339161f, .548752f),
                STOP (85, .190631f, .407061f, .556089f),
                STOP (102, .163625f, .471133f, .558148f),
                STOP (119, .139147f, .533812f, .555298f),
                STOP (136, .120565f, .596422f, .543611f),
                STOP (153, .134692f, .658636f, .517649f),
                STOP (170, .208030f, .718701f, .472873f),
                STOP (187, .327796f, .773980f, .406640f),
                STOP (204, .477504f, .821444f, .318195f),
                STOP (221, .647257f, .858400f, .209861f),
                STOP (238, .824940f, .884720f, .106217f),
                STOP (255, .993248f, .906157f, .143936f) } } },
  [OCT_COLORMAP_HOT] = { "hot", "Black, red, yellow, white, as iron that glows",
      { 4, { STOP (0, 0, 0, 0), STOP (95.625f, 1, 0, 0),
               STOP (191.25f, 1, 1, 0), STOP (255, 1, 1, 1) } } },
  [OCT_COLORMAP_GREY] = { "grey", "Black to white",
      { 2, { STOP (0, 0, 0, 0), STOP (255, 1, 1, 1) } } },
  /* black: no depth */
  [OCT_COLORMAP_DEPTH] = { "depth",
      "Red, yellow, green, blue for depths (octenface mode=depth), black for "
      "none",
      { 6, { STOP (0, 0, 0, 0), STOP (1, .95f, .30f, .18f),
               STOP (64, .98f, .82f, .25f), STOP (128, .35f, .80f, .35f),
               STOP (192, .20f, .65f, .90f), STOP (255, .28f, .25f, .75f) } } },
  /* about as bright at both ends; 0 of octdoppler is level 128 */
  [OCT_COLORMAP_DOPPLER] = { "doppler",
      "Yellow and red for towards the beam, black for still, blue and cyan for "
      "away (octdoppler)",
      { 5, { STOP (1, 1, .85f, .35f), STOP (64, .85f, .12f, .05f),
               STOP (128, 0, 0, 0), STOP (192, .10f, .25f, .95f),
               STOP (255, .45f, .90f, 1) } } },
};

const char *
oct_colormap_get_names (void)
{
  static gsize names = 0;

  if (g_once_init_enter (&names)) {
    GString *text = g_string_new (oct_colormaps[0].nick);

    for (guint i = 1; i < OCT_N_COLORMAPS; i++)
      g_string_append_printf (text, "%s%s",
          i + 1 < OCT_N_COLORMAPS ? ", " : " or ", oct_colormaps[i].nick);
    g_once_init_leave (&names, (gsize)g_string_free (text, FALSE));
  }
  return (const char *)names;
}

void
oct_colormap_fill (
    const OctTransferStops *stops, guint8 colors[OCT_COLORMAP_VALUES])
{
  for (guint level = 0; level < 256; level++) {
    OctTransferEntry e = oct_transfer_look_up (stops, level);

    colors[3 * level] = (guint8)(255 * e.red + 0.5f);
    colors[3 * level + 1] = (guint8)(255 * e.green + 0.5f);
    colors[3 * level + 2] = (guint8)(255 * e.blue + 0.5f);
  }
}

gboolean
oct_check_colormap (const OctColormapParams *params, GError **error)
{
  if (!oct_check_size (params->width, params->height, error))
    return FALSE;
  if ((params->format != OCT_IMAGE_RGBA && params->format != OCT_IMAGE_NV12)
      || (params->pixel_size != 1 && params->pixel_size != 4)
      || params->values != OCT_COLORMAP_VALUES || params->colors == NULL) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "A picture of format %d with %u colours, of pixels of %u bytes, was "
        "asked for; it can be RGBA or NV12, with 256 colours, of pixels of 1 "
        "or 4 bytes.",
        params->format, params->values / 3, params->pixel_size);
    return FALSE;
  }
  return TRUE;
}

void
oct_colormap_make_table (
    const OctColormapParams *params, OctColormapTable *table)
{
  for (guint level = 0; level < 256; level++) {
    const guint8 *c = params->colors + 3 * level;

    table->rgba[level][0] = c[0];
    table->rgba[level][1] = c[1];
    table->rgba[level][2] = c[2];
    table->rgba[level][3] = 255;
    table->luma[level] = oct_bt709_luma (c[0], c[1], c[2]);
    table->blue[level] = oct_bt709_blue (c[0], c[1], c[2]);
    table->red[level] = oct_bt709_red (c[0], c[1], c[2]);
  }
}
