/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-convert-parts.h"

/* Empty if no option was given, as before there were these options. */
static char *
describe_sensing (const OctSensingOptions *s)
{
  return s->solver == NULL && s->tau == -1 && s->sampling_rate == -1
             ? g_strdup ("")
             : g_strdup_printf (" %s %a %a", s->solver != NULL ? s->solver : "",
                 s->tau, s->sampling_rate);
}

static char *
describe_depths (const OctSourceOptions *s)
{
  return oct_source_options_has_depths (s)
             ? g_strdup_printf (" %d %d", s->depth_start, s->depth_bins)
             : g_strdup ("");
}

static char *
describe_view (const OctViewOptions *v)
{
  return v->to == 0.0 && v->average == 1 && v->window == NULL && !v->speckle
             ? g_strdup ("")
             : g_strdup_printf (" view %a %a %d %s %d", v->from, v->to,
                 v->average, v->window != NULL ? v->window : "", v->speckle);
}

static char *
describe_cameras (const OctConvertOptions *f)
{
  return f->crop_start != 0 || f->crop_end != 0
             ? g_strdup_printf (" crop %d %d", f->crop_start, f->crop_end)
             : g_strdup ("");
}

static char *
describe_flow (const OctConvertOptions *f)
{
  g_autofree char *flow =
      f->flow || f->doppler ? g_strdup_printf (
          " %s %d %a", f->flow ? "flow" : "doppler", f->repeats, f->line_rate)
                            : g_strdup ("");

  return g_strconcat (
      flow, f->bids ? " bids" : "", f->deidentify ? " deidentify" : "", NULL);
}

static char *
describe_remap (const OctConvertOptions *f)
{
  g_autofree char *remap =
      f->remap ? g_strconcat (
          " remap ", f->remap_settings != NULL ? f->remap_settings : "", NULL)
               : g_strdup ("");

  return f->flip != NULL ? g_strconcat (remap, " flip ", f->flip, NULL)
                         : g_steal_pointer (&remap);
}

char *
oct_convert_describe (const OctConvertOptions *f)
{
  const OctSourceOptions *s = &f->source;
  g_autofree char *calibration = NULL;
  g_autofree char *sensing = NULL;
  g_autofree char *depths = NULL;
  g_autofree char *frames = NULL;
  g_autofree char *flow = NULL;
  g_autofree char *view = NULL;
  g_autofree char *remap = describe_remap (f);
  g_autofree char *text = NULL;
  char *sum;

  g_autofree char *packing =
      s->packing != NULL ? g_strconcat (" ", s->packing, NULL) : g_strdup ("");
  g_autofree char *axes =
      s->sample_dimension != 0 || s->channel != 0
          ? g_strdup_printf (" axes %d %d", s->sample_dimension, s->channel)
          : g_strdup ("");

  if (s->calibration != NULL)
    (void)g_file_get_contents (s->calibration, &calibration, NULL, NULL);
  sensing = describe_sensing (&f->sensing);
  depths = describe_depths (s);
  frames = describe_cameras (f);
  flow = describe_flow (f);
  view = describe_view (&f->view);
  text = g_strdup_printf (
      "%s %d %s %s %a %a %a %a %a %d %s %d %d %s %" G_GINT64_FORMAT
      " %s %s %s%s%s%s%s%s%s%s%s",
      f->format, f->ascans, f->method != NULL ? f->method : "",
      f->view.background != NULL ? f->view.background : "", f->min, f->max,
      f->width_um, f->length_um, f->refractive_index, f->bscans,
      f->dicom_tags != NULL ? f->dicom_tags : "", s->samples, s->lines,
      s->sample_format != NULL ? s->sample_format : "", s->header_size,
      s->variable != NULL ? s->variable : "",
      s->dataset != NULL ? s->dataset : "",
      calibration != NULL ? calibration : "", packing, axes, sensing, depths,
      frames, flow, view, remap);
  sum = g_compute_checksum_for_string (G_CHECKSUM_SHA256, text, -1);
  sum[12] = '\0';
  return sum;
}
