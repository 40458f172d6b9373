/* A file dropped on the window: one that is not a recording must not close the present
 * connection. */
#include "app.h"

#include <fcntl.h>
#include <string.h>

#include "folder_list.h"

bool app_drop(struct app *app, const char *path)
{
	const char *flaw = folder_file_flaw(AT_FDCWD, path);
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
