/* No window: the loop sleeps on a condition variable, frames stay in the canvas. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "now.h"
#include "shell.h"
#include "thread.h"

struct shell {
	pthread_mutex_t lock;
	pthread_cond_t woken;
	bool wake;
	char clipboard[65536];
};

static struct shell *none_open(
    const struct cli *cli, int *width, int *height, int *scale, struct gcs_error *err)
{
	struct shell *shell = calloc(1, sizeof *shell);
	if (shell == NULL) {
		gcs_fail(err, GCS_NOMEM, "out of memory");
		return NULL;
	}
	pthread_mutex_init(&shell->lock, NULL);
	thread_cond_init(&shell->woken);
	*width = cli->width;
	*height = cli->height;
	*scale = 100;
	return shell;
}

static void none_wake(void *context)
{
	struct shell *shell = context;
	pthread_mutex_lock(&shell->lock);
	shell->wake = true;
	pthread_cond_signal(&shell->woken);
	pthread_mutex_unlock(&shell->lock);
}

static void put_text(void *context, const char *text)
{
	struct shell *shell = context;
	snprintf(shell->clipboard, sizeof shell->clipboard, "%s", text);
}

static void get_text(void *context, char *text, size_t size)
{
	const struct shell *shell = context;
	snprintf(text, size, "%s", shell->clipboard);
}

static struct ui_clipboard none_clipboard(struct shell *shell)
{
	return (struct ui_clipboard){.put = put_text, .get = get_text, .context = shell};
}

static void sleep_until_woken(struct shell *shell, int wait_ms)
{
	const uint64_t until = wait_ms < 0 ? UINT64_MAX : now_ns() + (uint64_t)wait_ms * 1000000u;
	pthread_mutex_lock(&shell->lock);
	while (!shell->wake && thread_cond_until(&shell->woken, &shell->lock, until))
		continue;
	shell->wake = false;
	pthread_mutex_unlock(&shell->lock);
}

static bool none_loop(struct shell *shell, struct runner *run, struct gcs_error *err)
{
	(void)err;
	while (runner_turn(run, now_ms())) {
		app_frame(&run->app);
		damage_clear(&run->app.cv.damage);
		sleep_until_woken(shell, runner_wait_ms(run));
	}
	return true;
}

static void none_close(struct shell *shell)
{
	if (shell == NULL)
		return;
	pthread_cond_destroy(&shell->woken);
	pthread_mutex_destroy(&shell->lock);
	free(shell);
}

const struct shell_ops shell_none = {
    .open = none_open,
    .wake = none_wake,
    .clipboard = none_clipboard,
    .loop = none_loop,
    .close = none_close,
};
