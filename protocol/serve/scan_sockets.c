/*
 * Agents that are known by their sockets alone: of JVMs whose processes cannot be seen from here, as in another
 * container of the same pod, and of other servers. Who connects to a socket is the socket's affair.
 */
#include <glob.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "now.h"
#include "targets.h"
#include "text.h"

/* The file's name without ".sock", as a program. */
static void name_socket(struct target_identity *is, const char *path)
{
	static const char ending[] = ".sock";
	const char *slash = strrchr(path, '/'), *name = slash == NULL ? path : slash + 1;
	size_t length = strlen(name);
	if (length > sizeof ending - 1 && strcmp(name + length - (sizeof ending - 1), ending) == 0)
		length -= sizeof ending - 1;
	snprintf(is->program, sizeof is->program, "%.*s", (int)length, name);
	text_clean(is->program);
	snprintf(is->socket, sizeof is->socket, "%s", path);
	text_clean(is->socket);
}

static void look_at_socket(struct targets *t, const char *path)
{
	struct target_identity is = {.pid = 0};
	struct stat st;
	struct gcs_error err = {.status = GCS_OK};
	char address[sizeof is.socket + sizeof "unix:"];
	bool known;
	name_socket(&is, path);
	if (strcmp(is.socket, path) != 0 || stat(path, &st) != 0 || !S_ISSOCK(st.st_mode) ||
	    !target_is_wanted(t, &is))
		return;
	struct target *target = target_due(t, 0, path, &known);
	if (target != NULL && !known) {
		target_release(t, target);
		target = NULL;
	}
	if (!known)
		target = target_add(t, &is);
	if (target == NULL)
		return;
	snprintf(address, sizeof address, "unix:%s", path);
	struct gcs_client *client = target_client(t, address, &err);
	target_connect(t, target, client, address, err.text);
	target_release(t, target);
}

void targets_scan_sockets(struct targets *t, bool (*stop)(void))
{
	glob_t found;
	if (t->options.sockets == NULL || glob(t->options.sockets, 0, NULL, &found) != 0)
		return;
	for (size_t i = 0; i < found.gl_pathc && !stop(); i++)
		look_at_socket(t, found.gl_pathv[i]);
	globfree(&found);
}
