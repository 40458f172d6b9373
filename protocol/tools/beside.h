/* GCspy's libraries, which are in the build's or the installation's folder beside that of this program. */
#ifndef GCSPY_TOOLS_BESIDE_H
#define GCSPY_TOOLS_BESIDE_H

#include <limits.h>
#include <stdbool.h>

/* The absolute path of the library of that file name. */
bool beside_find(const char *name, char path[PATH_MAX]);

#endif
