/* JVMs by the names of their programs: for "ADDRESS" and "PID" on command lines. Any thread. */
#ifndef GCSPY_DISCOVER_JVM_NAME_H
#define GCSPY_DISCOVER_JVM_NAME_H

#include <stdbool.h>

#include <gcspy/status.h>

/* True if `name` stands for the program as `gcspy list` shows it: "shop.Server", or its last part
 * alone, "Server"; of "/srv/shop.jar" or "mod/shop.Server" likewise, with or without ".jar". */
bool jvm_name_fits(const char *name, const char *program);

/* The process of the only running JVM of that name; else 0: GCS_UNREACHABLE if there is none,
 * GCS_ARGUMENT with the candidates if there are several. */
long jvm_named(const char *name, struct gcs_error *err);

#endif
