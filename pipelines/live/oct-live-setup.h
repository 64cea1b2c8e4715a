/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The choice of a source on the page, before the start (--setup): the sources that
 * were found, and the one that was chosen.
 *
 * A page chooses by the keys of a list that was made here, and by names of
 * instruments; it can name no file, device or pipeline.  Its choice
 * becomes arguments of the command line, which are read and checked as those of
 * a terminal.  Main thread.
 */
#pragma once

#include "oct-live-begin.h"
#include "oct-live-options.h"

G_BEGIN_DECLS

typedef struct _OctLiveSetup OctLiveSetup;

/* `arguments`: the command line, `options`: the same, read.  `changed`: pages
 * have to get another report. */
OctLiveSetup *oct_live_setup_new (char *const *arguments,
    const OctLiveOptions *options, void (*changed) (gpointer data),
    gpointer data);
/* FALSE: a thread still searches, and will free it. */
gboolean oct_live_setup_free (OctLiveSetup *setup);

/* Asks from now on; `problem`: why again, one sentence, or NULL. */
void oct_live_setup_ask (OctLiveSetup *setup, const char *problem);
/* Searches again. */
void oct_live_setup_seek (OctLiveSetup *setup);
/* The message for a page.  One that only watches gets no lists. */
JsonBuilder *oct_live_setup_report (
    const OctLiveSetup *setup, gboolean control);

/* Chooses; FALSE with a sentence.  Nothing is taken any more then. */
gboolean oct_live_setup_choose (
    OctLiveSetup *setup, const OctLiveBegin *begin, GError **error);
/* Moves what was chosen into `options`, which is empty; FALSE if nothing was. */
gboolean oct_live_setup_take (OctLiveSetup *setup, OctLiveOptions *options);

/* Pictures have come: the next start offers the instrument first. */
void oct_live_setup_succeed (OctLiveSetup *setup);
/* None will come: an instrument that was saved for it is not kept. */
void oct_live_setup_fail (OctLiveSetup *setup);

G_END_DECLS
