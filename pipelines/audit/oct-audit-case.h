/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * One case of an audit: the events from its label to the next label or the end of
 * the program, with all recordings that were made meanwhile.
 */
#pragma once

#include <gio/gio.h>
#include <json-glib/json-glib.h>

G_BEGIN_DECLS

/* More events and labels are counted only. */
#define OCT_AUDIT_MOST_EVENTS 5000
#define OCT_AUDIT_MOST_LABELS 1000

typedef struct {
  char *time, *event;
  char *fields; /* as text, or "" */
} OctAuditEvent;

typedef struct {
  char *name;
  char *begun, *ended; /* times; ended NULL: the audit has no end of it */
  char *trouble;       /* or NULL */
  gint64 images, dropped, bytes; /* of its end */
  gboolean mine;                 /* it is of the case */
  gboolean earlier;              /* and began before it */
  gboolean open;                 /* it may end still */
} OctAuditRecording;

typedef struct {
  char *time, *sentence;
  char *name; /* of the file, without its ending; NULL: trouble */
} OctAuditKept;

typedef struct {
  char *by, *address; /* address "": a pedal */
  char *first, *last; /* times */
  guint commands, refused;
} OctAuditPerson;

/* All texts are from the audit, and may hold anything that is UTF-8. */
typedef struct {
  char *label;           /* NULL: all events are one case */
  GPtrArray *spans;      /* of times: begin, end, begin, end ... */
  GPtrArray *events;     /* OctAuditEvent */
  guint64 more;          /* events that are not in `events` */
  GPtrArray *recordings; /* OctAuditRecording, those of other cases too */
  GPtrArray *kept;       /* OctAuditKept */
  GPtrArray *people;     /* OctAuditPerson, of commands */
  GPtrArray *labels;     /* all labels of the audit, once each */
  char *side;            /* of the last label of the case, or NULL */
  char *program;         /* fields of the last program begun, or NULL */
  gboolean inside;
} OctAuditCase;

/* `label`: NULL for all events. */
OctAuditCase *oct_audit_case_new (const char *label);
void oct_audit_case_free (OctAuditCase *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (OctAuditCase, oct_audit_case_free)

/* A sound line of the audit, in order. */
void oct_audit_case_take (OctAuditCase *self, JsonObject *line);

/* After the last line; `time`: its time.  FALSE with a sentence: the audit does
 * not have this label. */
gboolean oct_audit_case_end (
    OctAuditCase *self, const char *time, GError **error);

G_END_DECLS
