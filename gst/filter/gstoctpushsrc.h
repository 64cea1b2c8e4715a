/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Base class of all sources: how they fail, and which caps they offer.
 *
 * Thread-safety: _fail() and _has_failed() are for any thread.
 */
#pragma once

#include <gst/base/gstpushsrc.h>

G_BEGIN_DECLS

#define GST_TYPE_OCT_PUSH_SRC (gst_oct_push_src_get_type ())
G_DECLARE_DERIVABLE_TYPE (
    GstOctPushSrc, gst_oct_push_src, GST, OCT_PUSH_SRC, GstPushSrc)

struct _GstOctPushSrcClass {
  GstPushSrcClass parent_class;

  /* The caps that it can deliver now (transfer full), in any thread; NULL:
   * those of the template, as without this function. */
  GstCaps *(*list_caps) (GstOctPushSrc *self);
};

/* At the start: no error has been posted yet. */
void gst_oct_push_src_begin (GstOctPushSrc *self);

/* Posts the error as a sentence and clears it.  Until the next start no other
 * error is posted, as the base class would add one that says nothing. */
void gst_oct_push_src_fail (GstOctPushSrc *self, GError **error);

gboolean gst_oct_push_src_has_failed (GstOctPushSrc *self);

G_END_DECLS
