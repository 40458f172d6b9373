/* Runs the visualiser on a recording. It is another program, which knows the Train no better than any other
 * server: it is given a script that chooses what to show. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "figure.h"

/* Colours of the paper: white is nothing, darker is more, unused tiles are grey. */
static const char common[] = "wait live\n"
			     "theme light\n"
			     "history\n"
			     "history low=white\n"
			     "history high=black\n"
			     "history zero=white\n"
			     "history unused=#d8d8d8\n"
			     "history fill=off\n"
			     "history totals=off\n"
			     "history pauses=off\n";

bool figure_find_viewer(char *path, size_t bytes)
{
	static const char name[] = "/gcspy-view";
	ssize_t length = readlink("/proc/self/exe", path, bytes);
	char *slash = NULL;
	if (length > 0 && (size_t)length < bytes) {
		path[length] = 0;
		slash = strrchr(path, '/');
	}
	if (slash != NULL && (size_t)(slash - path) + sizeof name <= bytes) {
		memcpy(slash, name, sizeof name);
		if (access(path, X_OK) == 0)
			return true;
	}
	const char *at = getenv("PATH");
	while (at != NULL && *at != 0) {
		int folder = (int)strcspn(at, ":");
		int made = snprintf(path, bytes, "%.*s%s", folder, at, name);
		if (folder > 0 && made > 0 && (size_t)made < bytes && access(path, X_OK) == 0)
			return true;
		at += folder + (at[folder] == ':');
	}
	return false;
}

static bool write_script(const struct figure *figure, const char *path)
{
	FILE *file = fopen(path, "w");
	if (file == NULL)
		return false;
	fprintf(file, "%s%swait answer\nhistory_png figure.png\nquit\n", common, figure->look);
	return fclose(file) == 0;
}

/* In the child: its files are in the folder. Standard output is for the program's own summary. */
static void run_viewer(const char *viewer, const char *folder)
{
	sigset_t none;
	int output = open("/dev/null", O_WRONLY);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (output >= 0)
		dup2(output, STDOUT_FILENO);
	if (chdir(folder) == 0 && setenv("SDL_VIDEODRIVER", "dummy", 1) == 0)
		execl(viewer, viewer, "./run.gcspy", "--no-settings", "--present", "none", "--font",
		    "ttf", "--script", "./steps", (char *)NULL);
	_exit(127);
}

static bool copy(const char *from, const char *to)
{
	char buffer[65536];
	FILE *in = fopen(from, "rb"), *out = in != NULL ? fopen(to, "wb") : NULL;
	bool good = out != NULL;
	size_t got;
	while (good && (got = fread(buffer, 1, sizeof buffer, in)) > 0)
		good = fwrite(buffer, 1, got, out) == got;
	good = good && !ferror(in);
	if (out != NULL)
		good = fclose(out) == 0 && good;
	if (in != NULL)
		fclose(in);
	return good;
}

bool figure_draw(const struct figure *figure, const char *viewer, const char *folder,
    const char *output, char *why, size_t why_bytes)
{
	char steps[2100], picture[2100];
	int status = 0;
	snprintf(steps, sizeof steps, "%s/steps", folder);
	snprintf(picture, sizeof picture, "%s/figure.png", folder);
	if (!write_script(figure, steps)) {
		snprintf(why, why_bytes, "cannot write %s: %s", steps, strerror(errno));
		return false;
	}
	pid_t child = fork();
	if (child == 0)
		run_viewer(viewer, folder);
	while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	bool drawn = child > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
	errno = 0;
	bool copied = drawn && copy(picture, output);
	if (!drawn)
		snprintf(why, why_bytes, "%s could not draw the figure", viewer);
	else if (!copied)
		snprintf(why, why_bytes, "cannot write %s: %s", output, strerror(errno));
	unlink(steps);
	unlink(picture);
	return copied;
}
