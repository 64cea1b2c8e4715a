/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The messages that elements of this plugin post and their action signals, in
 * one table.  gst-inspect-1.0 shows it, with the address of the page of the
 * element, and so does docs/messages.md.
 */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* As GST_ELEMENT_REGISTER_DEFINE, with the messages and signals in the
 * description of the element. */
#define GST_OCT_REGISTER_DEFINE(element, name, rank, type)                     \
  GST_ELEMENT_REGISTER_DEFINE_WITH_CODE (                                      \
      element, name, rank, type, gst_oct_bus_describe (type, name))

void gst_oct_bus_describe (GType type, const char *name);

/* An element message with this structure, which it takes.  A message that is
 * not in the table, or a field that is not, is an error of the program and
 * reported as such. */
GstMessage *gst_oct_bus_message_new (
    GstObject *sender, GstStructure *structure);

/* Posts one. */
void gst_oct_bus_post (GstElement *element, GstStructure *structure);

G_END_DECLS
