/* A file dropped on the window: one that is not a recording must not close the present
 * connection. */
#include "app.h"

#include <errno.h>
#include <fcntl.h>
#include <gcspy/trace.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Whether the file starts like a recording; otherwise why not. Does not wait for a pipe. */
static const char *flaw_of(const char *path)
{
	static const char magic[] = GCS_TRACE_MAGIC;
	char head[sizeof magic - 1];
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return strerror(errno);
	bool plain = fstat(fd, &st) == 0 && S_ISREG(st.st_mode);
	bool same = plain && read(fd, head, sizeof head) == (ssize_t)sizeof head &&
		    memcmp(head, magic, sizeof head) == 0;
	close(fd);
	return same ? NULL : plain ? "not a GCspy recording (*.gcspy)" : "not a file";
}

bool app_drop(struct app *app, const char *path)
{
	const char *flaw = flaw_of(path);
	const char *slash = strrchr(path, '/');
	if (flaw != NULL) {
		app_toast(app, "%.200s: %s", slash != NULL ? slash + 1 : path, flaw);
		return false;
	}
	if (!app_connect(app, path))
		return false;
	app_close_modal(app);
	return true;
}
