/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstoctfiller.h"

struct _GstOctFiller {
  GstOctPassage *passage;
  const OctVolumeCsTable *table;
  OctVolumeCs *cs;
};

GstOctPassage *
gst_oct_filler_get_passage (GstOctFiller *f)
{
  return f->passage;
}

static gboolean
make_all (GstOctFiller *f, const OctVolumeCsParams *params, GError **error)
{
  f->table = gst_oct_passage_get_backend (f->passage)->volume_cs;
  if (f->table == NULL) {
    g_set_error_literal (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "This build cannot fill in volumes on a GPU; set backend=cpu, and let "
        "B-scans come in host memory.");
    return FALSE;
  }
  if (!gst_oct_passage_enter (f->passage, error))
    return FALSE;
  f->cs =
      f->table->create (params, gst_oct_passage_get_stream (f->passage), error);
  gst_oct_passage_leave (f->passage);
  return f->cs != NULL;
}

GstOctFiller *
gst_oct_filler_new (GstOctCuda *cuda, const GstOctInfo *input,
    gboolean input_on_gpu, const OctVolumeCsParams *params, GError **error)
{
  GstOctFiller *f = g_new0 (GstOctFiller, 1);

  f->passage = gst_oct_passage_new (cuda, input, input_on_gpu, error);
  if (f->passage == NULL || !make_all (f, params, error))
    g_clear_pointer (&f, gst_oct_filler_free);
  return f;
}

void
gst_oct_filler_free (GstOctFiller *f)
{
  if (f->passage != NULL)
    gst_oct_passage_forget_output (f->passage);
  if (f->cs != NULL && gst_oct_passage_enter (f->passage, NULL)) {
    f->table->destroy (f->cs);
    gst_oct_passage_leave (f->passage);
  }
  g_clear_pointer (&f->passage, gst_oct_passage_free);
  g_free (f);
}

gboolean
gst_oct_filler_store (GstOctFiller *f, guint image, guint lines, guint bscan,
    gboolean whole, GError **error)
{
  OctFrame frame = gst_oct_passage_get_bscan (f->passage, image, lines);
  gboolean ok;

  if (!gst_oct_passage_enter (f->passage, error))
    return FALSE;
  ok = f->table->store (f->cs, bscan, &frame.planes[0], whole, error);
  gst_oct_passage_leave (f->passage);
  return ok;
}

void
gst_oct_filler_clear (GstOctFiller *f)
{
  if (!gst_oct_passage_enter (f->passage, NULL))
    return;
  f->table->clear (f->cs);
  gst_oct_passage_leave (f->passage);
}

gboolean
gst_oct_filler_measure (
    GstOctFiller *f, OctVolumeCsMeasures *measures, GError **error)
{
  gboolean ok;

  if (!gst_oct_passage_enter (f->passage, error))
    return FALSE;
  ok = f->table->measure (f->cs, measures, error);
  gst_oct_passage_leave (f->passage);
  return ok;
}

gboolean
gst_oct_filler_fill (
    GstOctFiller *f, const OctVolumeCsSettings *settings, GError **error)
{
  gboolean ok;

  if (!gst_oct_passage_enter (f->passage, error))
    return FALSE;
  ok = f->table->fill (f->cs, settings, error);
  gst_oct_passage_leave (f->passage);
  return ok;
}

static gboolean
fetch_to (GstOctFiller *f, guint bscan, GstBuffer *out, GError **error)
{
  guint depths = gst_oct_passage_get_output (f->passage)->columns;
  gboolean ok;
  OctFrame to;

  if (!gst_oct_passage_begin_output (f->passage, &out, &to, error))
    return FALSE;
  ok = f->table->fetch (f->cs, bscan, 0, depths, &to.planes[0], error);
  return gst_oct_passage_end_output (f->passage, ok, error);
}

GstFlowReturn
gst_oct_filler_fetch (
    GstOctFiller *f, guint bscan, GstBuffer **out, GError **error)
{
  g_autoptr (GstBuffer) buffer = NULL;
  GstFlowReturn ret = gst_oct_passage_acquire (f->passage, &buffer, error);

  if (ret != GST_FLOW_OK)
    return ret;
  if (!fetch_to (f, bscan, buffer, error))
    return GST_FLOW_ERROR;
  *out = g_steal_pointer (&buffer);
  return GST_FLOW_OK;
}
