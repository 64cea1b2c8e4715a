/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-live-statuses.h"

#include <errno.h>
#include <sys/random.h>
#include <unistd.h>

gint64
oct_live_statuses_send (OctLiveStatuses *self, gint64 now)
{
  guint at = self->count++ % OCT_LIVE_STATUSES;
  guint64 number;

  if (getentropy (&number, sizeof number) != 0)
    g_error ("The system gives no random numbers: %s.", g_strerror (errno));
  self->statuses[at].number = (gint64)(number >> 11);
  self->statuses[at].sent = now;
  self->statuses[at].meters = self->meters;
  self->unanswered++;
  return self->statuses[at].number;
}

void
oct_live_statuses_answer (OctLiveStatuses *self, gint64 number, gint64 now)
{
  guint kept = MIN (self->count, OCT_LIVE_STATUSES);

  for (guint i = 1; i <= kept; i++) {
    guint at = (self->count - i) % OCT_LIVE_STATUSES;

    if (self->statuses[at].number != number)
      continue;
    if (i > self->unanswered)
      return; /* it was answered, or a newer one */
    self->unanswered = i - 1;
    self->read = self->statuses[at].meters;
    if (i == 1)
      self->round_trip = (double)(now - self->statuses[at].sent) / 1e3;
    return;
  }
}
