/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * For programs that are linked with the elements themselves, to put something
 * between them and what they call.
 */
#pragma once

#include <glib.h>

/* Registers them in place of the plugin's, after gst_check_init(). */
void oct_test_register_elements (void);
