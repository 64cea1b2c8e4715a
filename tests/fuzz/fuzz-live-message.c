/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Any bytes as a page's message to oct-live: a message within the promises of
 * oct-live-message.h, or an error that can be shown. */
#include "fuzz-error.h"
#include "oct-live-message.h"

#include <math.h>
#include <string.h>

int LLVMFuzzerTestOneInput (const guint8 *data, gsize size);

static void
check_error (GError *error)
{
  fuzz_refuse (error);
  g_assert_true (g_str_has_suffix (error->message, "."));
}

static void
check_answer (const char *sdp)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *taken = oct_live_answer_take (sdp, &error);

  if (taken != NULL)
    g_assert_no_error (error);
  else
    check_error (error);
}

/* Session descriptions are their own language: they are tried directly too. */
static void
try_as_answer (const guint8 *data, gsize size)
{
  g_autofree char *text = g_strndup ((const char *)data, size);

  if (g_utf8_validate (text, -1, NULL))
    check_answer (text);
}

/* Those that were not given are 0, as sampling_rate must not be if it is. */
static void
check_settings (const OctLiveSettings *s)
{
  g_assert_true (isfinite (s->min) && fabs (s->min) <= 1000.0);
  g_assert_true (isfinite (s->max) && fabs (s->max) <= 1000.0);
  g_assert_true (isfinite (s->a2) && fabs (s->a2) <= 1e9);
  g_assert_true (isfinite (s->a3) && fabs (s->a3) <= 1e9);
  g_assert_true (isfinite (s->phase2) && fabs (s->phase2) <= 1e6);
  g_assert_true (isfinite (s->phase3) && fabs (s->phase3) <= 1e6);
  g_assert_true (s->density >= 0.0 && s->density <= 10.0);
  g_assert_true (s->tau >= 0.0 && s->tau <= 1000.0);
  g_assert_true (s->sampling_rate >= 0.0 && s->sampling_rate <= 1.0);
  for (guint i = 0; i < OCT_LIVE_N_SETTINGS; i++) {
    const OctLiveSetting *setting = &oct_live_settings_table[i];
    const char *const *place = oct_live_setting_at (setting, s);

    g_assert_true (setting->kind != OCT_LIVE_CHOICE || *place == NULL
                   || (**place != '\0' && strlen (*place) <= 32));
  }
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (OctLiveMessage) message =
      oct_live_message_parse ((const char *)data, size, &error);

  try_as_answer (data, size);
  if (message == NULL) {
    check_error (error);
    return 0;
  }
  g_assert_no_error (error);
  g_assert_cmpuint (size, <=, OCT_LIVE_MAX_MESSAGE);
  check_settings (&message->settings);
  g_assert_cmpuint (message->mline, ==, 0);
  g_assert_cmpint (message->number, >=, 0);
  g_assert_cmpint (message->type == OCT_LIVE_ANSWER, ==, message->sdp != NULL);
  g_assert_cmpint (
      message->type == OCT_LIVE_CANDIDATE, ==, message->candidate != NULL);
  if (message->sdp != NULL)
    check_answer (message->sdp);
  return 0;
}
