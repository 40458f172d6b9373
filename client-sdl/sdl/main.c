#define _XOPEN_SOURCE 700 /* realpath. NOLINT(bugprone-reserved-identifier) */
/* gcspy-view: parses arguments, then runs the application in a shell. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <gcspy/token.h>

#include "help.h"
#include "memory_use.h"
#include "native_names.h"
#include "now.h"
#include "shell.h"
#include "whole_file.h"

static int complain(const char *text, int code)
{
	fprintf(stderr, "gcspy-view: %s\n", text);
	return code;
}

static int print(void (*text)(struct textbuf *out))
{
	struct textbuf out = {0};
	text(&out);
	bool ok = !out.failed && fputs(textbuf_text(&out), stdout) >= 0 && fflush(stdout) == 0;
	textbuf_fini(&out);
	return ok ? 0 : complain("cannot write to standard output", 1);
}

static void version_text(struct textbuf *out)
{
	textbuf_puts(out, "gcspy-view " GCS_VERSION_STRING "\n");
}

/* Relative to this program's folder, in a build folder or an installation; end with NULL. */
static const char *const agent_places[] = {
    "/../lib/libgcspyagent.so", "/../lib/gcspy/libgcspyagent.so", "/./libgcspyagent.so", NULL};
static const char *const tool_places[] = {"/./gcspy", NULL};
static const char *const sample_places[] = {"/../share/gcspy/leak.gcspy", NULL};

/* The first of those paths that exists, or NULL. */
static const char *find_beside(const char *const *places, char *path, size_t size)
{
	char self[512];
	ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
	if (n <= 0)
		return NULL;
	self[n] = 0;
	*strrchr(self, '/') = 0;
	for (; *places != NULL; places++) {
		char place[1200], real[PATH_MAX];
		snprintf(place, sizeof place, "%s%s", self, *places);
		if (access(place, R_OK) != 0 || realpath(place, real) == NULL)
			continue;
		if ((size_t)snprintf(path, size, "%s", real) < size)
			return path;
	}
	return NULL;
}

/* Outline fonts if installed, otherwise the built-in font. */
static bool fonts_auto(struct fonts *fonts, int scale)
{
	return fonts_ttf(fonts, scale) || fonts_block(fonts, scale);
}

/* Opens the settings that the arguments choose; an error is reported and not fatal. */
static void open_settings(struct settings *settings, struct cli *cli, char *note, size_t size)
{
	char path[1024];
	struct gcs_error err;
	const char *file = cli->settings;
	settings_init(settings);
	*note = 0;
	if (cli->no_settings || (file == NULL && cli_unattended(cli)))
		return;
	if (file == NULL && !view_state_path(path, sizeof path))
		return;
	if (!settings_open(settings, file != NULL ? file : path, &err)) {
		snprintf(note, size, "%s", err.text);
		fprintf(stderr, "gcspy-view: %s\n", err.text);
	}
	view_state_arguments(settings, cli);
}

static int run_in(const struct shell_ops *ops, struct shell *shell, const struct cli *cli,
    const struct app_options *options, struct settings *settings, const char *note)
{
	struct runner run = {0};
	struct gcs_error err;
	if (!app_init(&run.app, options, &err))
		return complain(err.text, 1);
	int code;
	view_state_begin(&run.app, settings, cli);
	if (*note != 0)
		app_toast(&run.app, "%s", note);
	if (!runner_start(&run, cli, &err)) {
		code = complain(err.text, run.exit_code);
	} else if (!ops->loop(shell, &run, &err)) {
		code = complain(err.text, 1);
	} else {
		code = runner_finish(&run);
	}
	runner_fini(&run);
	return code;
}

static int run_program(struct cli *cli)
{
	struct gcs_error err;
	char token[GCS_MAX_TOKEN + 1] = "", warning[GCS_TOKEN_WARNING] = "";
	if (cli->token_file != NULL &&
	    gcs_token_read(cli->token_file, token, warning, &err) != GCS_OK)
		return complain(err.text, 2);
	if (warning[0] != '\0')
		fprintf(stderr, "gcspy-view: warning: %s\n", warning);
	static bool (*const make_fonts[])(struct fonts *, int) = {[CLI_FONT_AUTO] = fonts_auto,
	    [CLI_FONT_TTF] = fonts_ttf,
	    [CLI_FONT_BLOCK] = fonts_block};
	const struct shell_ops *ops = cli->present == CLI_PRESENT_NONE ? &shell_none : &shell_sdl;
	int width, height, scale;
	struct settings settings;
	char note[400];
	open_settings(&settings, cli, note, sizeof note);
	struct shell *shell = ops->open(cli, &width, &height, &scale, &err);
	if (shell == NULL)
		return complain(err.text, 1);
	/* After SDL, which turns the signals that end programs into events. */
	whole_files_guard();
	native_names_use();
	struct source_options source = {.token = token[0] != 0 ? token : NULL,
	    .play = cli->play,
	    .wake = ops->wake,
	    .context = shell};
	char agent[600], sample[600], tool[600];
	struct app_options options = {
	    .width = width,
	    .height = height,
	    .scale = cli->scale > 0 ? cli->scale : scale,
	    .theme = cli->theme,
	    .make_fonts = make_fonts[cli->font],
	    .opener = {.open = source_open, .context = &source},
	    .clipboard = ops->clipboard(shell),
	    .drop = ops->drop,
	    .wake = ops->wake,
	    .wake_context = shell,
	    .history_bytes = (uint64_t)cli->history_mib << 20,
	    .guided = !cli_unattended(cli),
	    .now_ms = now_ms(),
	    .agent_path = find_beside(agent_places, agent, sizeof agent),
	    .sample_path = find_beside(sample_places, sample, sizeof sample),
	    .tool_path = find_beside(tool_places, tool, sizeof tool),
	};
	int code = run_in(ops, shell, cli, &options, &settings, note);
	settings_close(&settings, &err);
	ops->close(shell);
	return code;
}

int main(int argc, char **argv)
{
	struct cli cli;
	struct gcs_error err;
	memory_bound();
	if (!cli_parse(&cli, argc, argv, &err))
		return complain(err.text, 2);
	switch (cli.action) {
	case CLI_HELP:
		return print(cli_help);
	case CLI_VERSION:
		return print(version_text);
	case CLI_LIST_KEYS:
		return print(help_markdown);
	case CLI_RUN:
		break;
	}
	return run_program(&cli);
}
