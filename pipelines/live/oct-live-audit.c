/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-live-audit.h"
#include "oct-options.h"

#include <unistd.h>

/* The price for an OctPurse: six visits at once, two a second in the long run. */
#define VISIT 10.0
#define MOST_FIELDS 6
#define N_ROLES (OCT_ROLE_CONTROL + 1)

struct _OctLiveAudit {
  OctAuditLog *log;
  /* by role: strangers must not hide what others do, nor viewers what is
   * controlled */
  OctPurse purses[N_ROLES];
  guint64 untold[N_ROLES]; /* visits */
  guint64 set;             /* settings that were changed, bits by their place */
  OctVisitor setter;
};

/* Names of the events of commands. */
static const char *const commands[] = {
  [OCT_LIVE_RECORD] = "record",
  [OCT_LIVE_KEEP] = "keep",
  [OCT_LIVE_FOCUS] = "focus",
  [OCT_LIVE_REFINE] = "refine",
  [OCT_LIVE_BACKGROUND] = "background",
  [OCT_LIVE_LABEL] = "label",
  [OCT_LIVE_NOTE] = "note",
  [OCT_LIVE_SCAN] = "scan",
  [OCT_LIVE_SCREEN] = "screen",
  [OCT_LIVE_AIM] = "aim",
  [OCT_LIVE_TUNE] = "tune",
  [OCT_LIVE_BEGIN] = "begin",
  [OCT_LIVE_LEAVE] = "leave",
  [OCT_LIVE_QUIT] = "quit",
};

typedef struct {
  OctAuditField all[MOST_FIELDS];
  guint count;
} Fields;

static void
fields_add (Fields *fields, const char *name, const char *text, gint64 number)
{
  g_return_if_fail (fields->count < MOST_FIELDS);
  fields->all[fields->count++] = (OctAuditField){ name, text, number };
}

static const char *
audit_role (const OctVisitor *visitor)
{
  static const char *const roles[] = { "nobody", "view", "control" };

  return visitor != NULL ? roles[visitor->role] : "pedal";
}

/* `session`: to hold the text of the field. */
static void
fields_add_visitor (Fields *fields, const OctVisitor *visitor, char session[17])
{
  fields_add (fields, "by", audit_role (visitor), 0);
  if (visitor == NULL)
    return;
  fields_add (fields, "address", visitor->address, 0);
  if (visitor->session == 0)
    return;
  g_snprintf (session, 17, "%016" G_GINT64_MODIFIER "x", visitor->session);
  fields_add (fields, "session", session, 0);
}

OctLiveAudit *
oct_live_audit_new (const char *path, GError **error)
{
  OctAuditLog *log = oct_audit_log_open (path, error);
  const OctAuditField fields[] = {
    { "program", "oct-live", 0 },
    { "version", oct_version_get (), 0 },
    { "computer", g_get_host_name (), 0 },
    { "user", g_get_user_name (), 0 },
    { "process", NULL, getpid () },
  };
  OctLiveAudit *audit;

  if (log == NULL)
    return NULL;
  audit = g_new0 (OctLiveAudit, 1);
  audit->log = log;
  for (guint i = 0; i < N_ROLES; i++)
    oct_purse_init (&audit->purses[i], g_get_monotonic_time ());
  oct_live_audit_add (audit, "program begun", fields, G_N_ELEMENTS (fields));
  return audit;
}

void
oct_live_audit_add (OctLiveAudit *audit, const char *event,
    const OctAuditField *fields, guint n_fields)
{
  if (audit != NULL)
    oct_audit_log_add (audit->log, event, fields, n_fields);
}

void
oct_live_audit_visit (
    OctLiveAudit *audit, const char *event, const OctVisitor *visitor)
{
  Fields fields = { 0 };
  char session[17];

  if (audit == NULL)
    return;
  if (!oct_purse_spend (
          &audit->purses[visitor->role], VISIT, g_get_monotonic_time ())) {
    audit->untold[visitor->role]++;
    return;
  }
  fields_add_visitor (&fields, visitor, session);
  oct_live_audit_add (audit, event, fields.all, fields.count);
}

/* ------------------------------------------------------------------- commands
 */

static void
audit_tell_set (OctLiveAudit *audit)
{
  g_autoptr (GString) names = g_string_new (NULL);
  Fields fields = { 0 };
  char session[17];

  if (audit->set == 0)
    return;
  for (guint i = 0; i < OCT_LIVE_N_SETTINGS; i++)
    if ((audit->set & G_GUINT64_CONSTANT (1) << i) != 0)
      g_string_append_printf (names, "%s%s", names->len > 0 ? " " : "",
          oct_live_settings_table[i].name);
  audit->set = 0;
  fields_add_visitor (&fields, &audit->setter, session);
  fields_add (&fields, "settings", names->str, 0);
  oct_live_audit_add (audit, "set", fields.all, fields.count);
}

static void
audit_gather_set (OctLiveAudit *audit, const OctLiveMessage *message,
    const OctVisitor *visitor)
{
  if (visitor->session != audit->setter.session
      || !g_str_equal (visitor->address, audit->setter.address))
    audit_tell_set (audit);
  audit->setter = *visitor;
  audit->set |= message->given;
}

/* As on the command line. */
static char *
audit_describe_scan (const OctLiveBeam *beam)
{
  return g_strdup_printf ("%s, %.10gx%.10g um at %.10g,%.10g um, %.10g degrees",
      beam->pattern, beam->width, beam->height, beam->x, beam->y, beam->angle);
}

void
oct_live_audit_command (OctLiveAudit *audit, const OctLiveMessage *message,
    const OctVisitor *visitor, const GError *error)
{
  g_autofree char *scan = NULL;
  Fields fields = { 0 };
  char session[17];

  if (audit == NULL || message->type == OCT_LIVE_LOOK
      || message->type == OCT_LIVE_SEEK)
    return;
  if (message->type == OCT_LIVE_SET && error == NULL) {
    audit_gather_set (audit, message, visitor);
    return;
  }
  audit_tell_set (audit);
  fields_add_visitor (&fields, visitor, session);
  if (message->type == OCT_LIVE_RECORD)
    fields_add (&fields, "on", NULL, message->on);
  if (message->type == OCT_LIVE_FOCUS)
    fields_add (&fields, "undo", NULL, message->undo);
  if (message->type == OCT_LIVE_LABEL || message->type == OCT_LIVE_NOTE)
    fields_add (&fields, "text", message->text, 0);
  if (message->type == OCT_LIVE_LABEL && message->side != NULL)
    fields_add (&fields, "side", message->side, 0);
  if (message->type == OCT_LIVE_SCAN) {
    scan = audit_describe_scan (&message->beam);
    fields_add (&fields, "scan", scan, 0);
  }
  if (message->type == OCT_LIVE_SCREEN)
    fields_add (&fields, "layout", oct_live_layout_names[message->layout], 0);
  if (message->type == OCT_LIVE_SCREEN || message->type == OCT_LIVE_AIM)
    fields_add (&fields, "eyes", oct_live_eye_names[message->eyes], 0);
  if (message->type == OCT_LIVE_BEGIN) {
    fields_add (&fields, "source", message->begin.source, 0);
    fields_add (&fields, "instrument", message->begin.instrument, 0);
  }
  if (error != NULL)
    fields_add (&fields, "refused", error->message, 0);
  oct_live_audit_add (audit,
      message->type == OCT_LIVE_SET ? "set" : commands[message->type],
      fields.all, fields.count);
}

/* ------------------------------------------------------------------------ time
 */

/* Visits that were too many, when there is room for them again. */
static void
audit_tell_untold (OctLiveAudit *audit, OctRole role)
{
  const OctVisitor visitor = { .role = role };
  const OctAuditField fields[] = { { "by", audit_role (&visitor), 0 },
    { "count", NULL, (gint64)audit->untold[role] } };

  oct_live_audit_add (audit, "more visits", fields, G_N_ELEMENTS (fields));
  audit->untold[role] = 0;
}

char *
oct_live_audit_tick (OctLiveAudit *audit)
{
  if (audit == NULL)
    return NULL;
  audit_tell_set (audit);
  for (guint i = 0; i < N_ROLES; i++)
    if (audit->untold[i] > 0
        && oct_purse_spend (&audit->purses[i], VISIT, g_get_monotonic_time ()))
      audit_tell_untold (audit, i);
  return oct_audit_log_take_problem (audit->log);
}

gboolean
oct_live_audit_free (OctLiveAudit *audit, const char *reason)
{
  const OctAuditField why = { "reason", reason, 0 };
  gboolean whole;

  if (audit == NULL)
    return TRUE;
  audit_tell_set (audit);
  for (guint i = 0; i < N_ROLES; i++)
    if (audit->untold[i] > 0)
      audit_tell_untold (audit, i);
  oct_live_audit_add (audit, "program ended", &why, reason != NULL ? 1 : 0);
  whole = oct_audit_log_close (audit->log);
  g_free (audit);
  return whole;
}
