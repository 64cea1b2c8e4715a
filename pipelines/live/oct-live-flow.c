/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-live-flow.h"

#include <math.h>

/* Two places may wait, or a few B-scans, 128 MB at most: with more, pictures
 * would come late.  A place that has lost B-scans shows what the others have. */
#define ASCANS                                                                 \
  "appsrc name=ascans is-live=true format=time max-bytes=134217728 "           \
  "max-buffers=%u "                                                            \
  "leaky-type=downstream ! "
#define FEWEST_WAITING 16
#define IMAGES                                                                 \
  "appsrc name=in is-live=true format=time max-bytes=0 max-buffers=8 "         \
  "leaky-type=downstream ! " TO_PANEL
/* To a panel; size and number follow. */
#define TO_PANEL                                                               \
  "videoscale add-borders=false ! "                                            \
  "capsfilter caps=\"video/x-raw,width=%d,height=%d,pixel-aspect-ratio=1/1\" " \
  "! "
#define OUT                                                                    \
  "appsink name=out%u sync=false async=false max-buffers=1 drop=true "         \
  "wait-on-eos=false enable-last-sample=false "
#define GREY "capsfilter caps=video/x-raw,format=GRAY8 ! "
#define RGBA "capsfilter caps=video/x-raw,format=RGBA ! "
#define RATE "25/1"

/* docs/elements/octangio.md says which method suits B-scans, and which pictures
 * from above. */
#define FLOW                                                                   \
  ASCANS "octalign repeats=%u ! tee name=aligned "                             \
         "aligned. ! octangio name=make0 method=index repeats=%u ! " GREY      \
             TO_PANEL "octcolormap map=hot ! " RGBA OUT
#define ABOVE                                                                  \
  "aligned. ! octangio name=make1 repeats=%u ! " GREY                          \
  "octenface name=make2 update=scan ! "                                        \
  "capsfilter caps=video/x-raw,format=GRAY8,width=%d,height=%d,"               \
  "framerate=" RATE " ! " OUT
#define DOPPLER                                                                \
  ASCANS                                                                       \
  "octdoppler name=make0 repeats=%u refractive-index=%s ! " GREY TO_PANEL      \
  "octcolormap map=doppler ! " RGBA OUT
#define DYNAMIC ASCANS "octdynamic name=make0 repeats=%u ! " RGBA TO_PANEL OUT

/* As octangio compares. */
#define MOST_REPEATS 64

static OctLiveShow
flow_get_show (const OctLiveLook *look)
{
  return (OctLiveShow)look->values[OCT_LIVE_SHOW];
}

static gboolean
compares_repeats (const OctLiveLook *look)
{
  return flow_get_show (look) == OCT_LIVE_FLOW
         || (flow_get_show (look) == OCT_LIVE_DOPPLER
             && look->values[OCT_LIVE_DOPPLER_BETWEEN] != 0.0);
}

const char *
oct_live_flow_check (const OctLiveScan *scan, const OctLiveLook *look)
{
  if (!oct_live_look_moves (look))
    return NULL;
  if (!scan->spectra)
    return "These pictures come finished from their source: what moves is "
           "found in spectra; start oct-live with --source or --data.";
  if (compares_repeats (look) && scan->repeats < 2)
    return flow_get_show (look) == OCT_LIVE_FLOW
               ? "This source has no repeats: flow is what changes between "
                 "two or more B-scans of one place; start oct-live with "
                 "--repeats N if the source takes N of them at each place."
               : "This source has no repeats: set Doppler to compare A-lines, "
                 "or start oct-live with --repeats N if the source takes N "
                 "B-scans at each place.";
  if (flow_get_show (look) == OCT_LIVE_FLOW && scan->repeats > MOST_REPEATS)
    return "This source takes more than 64 B-scans at each place: flow is "
           "found in up to 64; start oct-live with --repeats N, a smaller "
           "number.";
  if (flow_get_show (look) == OCT_LIVE_DYNAMIC && scan->repeats < 2
      && scan->bscans > 1)
    return "This source has no repeats: fluctuation is seen in B-scans of one "
           "place; hold the beam there and start oct-live with --bscans 1, or "
           "with --repeats N if it takes N of them at each place.";
  return NULL;
}

/* ------------------------------------------------------------------- layout */

/* Both B-scans below each other or side by side, and the view from above beside
 * or below them: the way in which they are largest. */
static void
flow_lay_out (const double size[3], gboolean above, gint most_width,
    gint most_height, OctLivePanel panels[OCT_LIVE_MAX_PANELS],
    OctLivePanel *all)
{
  const double x = size[0], z = size[2], y = above ? size[1] : 0.0;
  const double sizes[3][2] = { { above ? 2 * x : x, MAX (2 * z, y) },
    { above ? 3 * x : 2 * x, MAX (z, y) }, { 2 * x, z + y } };
  double best = 0.0;
  guint way = 0;
  gint w, d, h;

  for (guint i = 0; i < (above ? 3 : 2); i++) {
    double scale = MIN (most_width / sizes[i][0], most_height / sizes[i][1]);

    if (scale > best) {
      best = scale;
      way = i;
    }
  }
  w = oct_live_scan_round (best * x);
  d = oct_live_scan_round (best * z);
  h = oct_live_scan_round (best * y);
  panels[0] = (OctLivePanel){ 0, 0, w, d };
  panels[1] = way == 0 ? (OctLivePanel){ 0, d + OCT_LIVE_PANEL_GAP, w, d }
                       : (OctLivePanel){ w + OCT_LIVE_PANEL_GAP, 0, w, d };
  panels[2] = way == 2 ? (OctLivePanel){ 0, d + OCT_LIVE_PANEL_GAP, w, h }
                       : (OctLivePanel){ panels[1].x + w + OCT_LIVE_PANEL_GAP,
                           0, w, h };
  *all = (OctLivePanel){ 0 };
  for (guint i = 0; i < (above ? 3 : 2); i++) {
    all->width = MAX (all->width, panels[i].x + panels[i].width);
    all->height = MAX (all->height, panels[i].y + panels[i].height);
  }
}

char *
oct_live_flow_describe (const OctLiveScan *scan, const OctLiveLook *look,
    gint most_width, gint most_height, OctLivePanel panels[OCT_LIVE_MAX_PANELS],
    guint *n, OctLivePanel *size)
{
  gboolean above = flow_get_show (look) == OCT_LIVE_FLOW
                   && oct_live_scan_count_places (scan) > 1;
  guint repeats = scan->repeats > 1 ? scan->repeats : 0;
  guint waiting = MAX (FEWEST_WAITING, 2 * repeats);
  GString *text = g_string_new (NULL);
  char index[G_ASCII_DTOSTR_BUF_SIZE];
  const OctLivePanel *p = panels;
  double metres[3];

  oct_live_scan_get_size (scan, metres);
  flow_lay_out (metres, above, most_width, most_height, panels, size);
  *n = above ? 3 : 2;
  g_string_append_printf (text, IMAGES OUT, p[0].width, p[0].height, 0);
  if (flow_get_show (look) == OCT_LIVE_FLOW)
    g_string_append_printf (
        text, FLOW, waiting, repeats, repeats, p[1].width, p[1].height, 1);
  else if (flow_get_show (look) == OCT_LIVE_DOPPLER)
    g_string_append_printf (text, DOPPLER, waiting, repeats,
        g_ascii_dtostr (index, sizeof index, MAX (1.0, scan->refractive_index)),
        p[1].width, p[1].height, 1);
  else
    g_string_append_printf (
        text, DYNAMIC, waiting, repeats, p[1].width, p[1].height, 1);
  if (above)
    g_string_append_printf (text, ABOVE, repeats, p[2].width, p[2].height, 2);
  return g_string_free (text, FALSE);
}

/* ------------------------------------------------------------------ velocity */

double
oct_live_flow_get_half_turn (
    const OctLiveScan *scan, const OctLiveLook *look, const char **unit)
{
  /* of one A-scan and the next, as octdoppler compares them */
  double rate = compares_repeats (look) ? scan->rate : scan->line_rate;
  double angle = look->values[OCT_LIVE_DOPPLER_ANGLE] * G_PI / 180.0;
  double half_turn = 1e3 * scan->wavelength * rate
                     / (4.0 * MAX (1.0, scan->refractive_index) * cos (angle));

  *unit = half_turn > 0.0 ? "mm/s" : "rad";
  return half_turn > 0.0 ? half_turn : G_PI;
}
