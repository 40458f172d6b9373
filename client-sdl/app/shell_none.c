/* No window: the loop sleeps on a condition variable, frames stay in the canvas. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "shell.h"

struct shell {
	pthread_mutex_t lock;
	pthread_cond_t woken;
	bool wake;
	char clipboard[65536];
};

static uint64_t now_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000u + (uint64_t)t.tv_nsec / 1000000u;
}

static struct shell *none_open(
    const struct cli *cli, int *width, int *height, int *scale, struct gcs_error *err)
{
	struct shell *shell = calloc(1, sizeof *shell);
	if (shell == NULL) {
		gcs_fail(err, GCS_NOMEM, "out of memory");
		return NULL;
	}
	pthread_condattr_t attr;
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_mutex_init(&shell->lock, NULL);
	pthread_cond_init(&shell->woken, &attr);
	pthread_condattr_destroy(&attr);
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
	struct timespec until;
	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += wait_ms / 1000;
	until.tv_nsec += (wait_ms % 1000) * 1000000L;
	if (until.tv_nsec >= 1000000000L) {
		until.tv_nsec -= 1000000000L;
		until.tv_sec++;
	}
	pthread_mutex_lock(&shell->lock);
	int late = 0;
	while (!shell->wake && late == 0) {
		if (wait_ms < 0)
			pthread_cond_wait(&shell->woken, &shell->lock);
		else
			late = pthread_cond_timedwait(&shell->woken, &shell->lock, &until);
	}
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
