/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstoctremapper.h"
#include "oct-remap.h"

struct _GstOctRemapper {
  GstOctPassage *passage;
  OctScanRemap *map;
  OctScanRemapUsers *users; /* NULL: not rolling */
  guint8 *seen;             /* [map->count] */
  guint there;              /* of them */
  OctRemapParams params;
  const OctRemapTable *table;
  OctRemap *remap;
};

static gboolean
remapper_make (GstOctRemapper *r, GError **error)
{
  r->table = gst_oct_passage_get_backend (r->passage)->remap;
  if (r->table == NULL) {
    g_set_error_literal (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "This build cannot make rasters on a GPU; set backend=cpu, and let "
        "B-scans come in host memory.");
    return FALSE;
  }
  if (!gst_oct_passage_enter (r->passage, error))
    return FALSE;
  r->remap = r->table->create (
      &r->params, gst_oct_passage_get_stream (r->passage), error);
  gst_oct_passage_leave (r->passage);
  return r->remap != NULL;
}

static OctRemapParams
remapper_get_params (
    const GstOctRemapper *r, const GstOctInfo *input, gboolean complex)
{
  guint rows = input->rows / input->bscans;

  return (OctRemapParams){ .map = r->map,
    .format = input->format,
    .depths = input->is_video ? rows : input->columns,
    .lines = input->is_video ? input->columns : rows,
    .of = complex ? OCT_SCAN_REMAP_COMPLEX : OCT_SCAN_REMAP_AMPLITUDES,
    .seen = r->seen,
    .users = r->users };
}

GstOctRemapper *
gst_oct_remapper_new (GstOctCuda *cuda, const GstOctInfo *input,
    gboolean input_on_gpu, OctScanRemap *map, gboolean complex,
    gboolean rolling, GError **error)
{
  GstOctRemapper *r = g_new0 (GstOctRemapper, 1);
  gboolean ok;

  r->map = map;
  r->seen = g_malloc0 (map->count);
  r->params = remapper_get_params (r, input, complex);
  if (rolling) {
    r->users = oct_scan_remap_users_new (map, r->params.lines, error);
    r->params.users = r->users;
  }
  ok = !rolling || r->users != NULL;
  if (ok)
    r->passage = gst_oct_passage_new (cuda, input, input_on_gpu, error);
  if (r->passage == NULL || !remapper_make (r, error))
    g_clear_pointer (&r, gst_oct_remapper_free);
  return r;
}

void
gst_oct_remapper_free (GstOctRemapper *r)
{
  if (r->passage != NULL)
    gst_oct_passage_forget_output (r->passage);
  if (r->remap != NULL && gst_oct_passage_enter (r->passage, NULL)) {
    r->table->destroy (r->remap);
    gst_oct_passage_leave (r->passage);
  }
  g_clear_pointer (&r->passage, gst_oct_passage_free);
  g_clear_pointer (&r->users, oct_scan_remap_users_free);
  oct_scan_remap_free (r->map);
  g_free (r->seen);
  g_free (r);
}

GstOctPassage *
gst_oct_remapper_get_passage (GstOctRemapper *r)
{
  return r->passage;
}

gboolean
gst_oct_remapper_store (GstOctRemapper *r, guint image, guint bscan,
    const guint8 *valid, GError **error)
{
  guint lines = r->params.lines;
  guint8 *seen = r->seen + (gsize)bscan * lines;
  OctFrame frame = gst_oct_passage_get_bscan (r->passage, image,
      r->params.format == OCT_SAMPLE_CF32 ? lines : r->params.depths);
  gboolean ok;

  if (valid != NULL)
    valid += (gsize)image * lines;
  for (guint i = 0; i < lines; i++) {
    if (seen[i] != 0 || (valid != NULL && valid[i] == 0))
      continue;
    seen[i] = 1;
    r->there++;
  }
  if (!gst_oct_passage_enter (r->passage, error))
    return FALSE;
  ok = r->table->store (r->remap, bscan, &frame.planes[0], valid, error);
  gst_oct_passage_leave (r->passage);
  return ok;
}

guint8 *
gst_oct_remapper_find_taken (const GstOctRemapper *r)
{
  guint8 *taken = g_malloc ((gsize)r->map->columns * r->map->rows);

  oct_scan_remap_find_taken (
      r->map, r->there == r->map->count ? NULL : r->seen, taken);
  return taken;
}

static gboolean
remapper_fetch_to (GstOctRemapper *r, guint row, GstBuffer *out, GError **error)
{
  gboolean ok;
  OctFrame to;

  if (!gst_oct_passage_begin_output (r->passage, &out, &to, error))
    return FALSE;
  ok = r->table->fetch (r->remap, row, r->there == r->map->count, &to, error);
  return gst_oct_passage_end_output (r->passage, ok, error);
}

GstFlowReturn
gst_oct_remapper_fetch (
    GstOctRemapper *r, guint row, GstBuffer **out, GError **error)
{
  g_autoptr (GstBuffer) buffer = NULL;
  GstFlowReturn ret = gst_oct_passage_acquire (r->passage, &buffer, error);

  if (ret != GST_FLOW_OK)
    return ret;
  if (!remapper_fetch_to (r, row, buffer, error))
    return GST_FLOW_ERROR;
  *out = g_steal_pointer (&buffer);
  return GST_FLOW_OK;
}
