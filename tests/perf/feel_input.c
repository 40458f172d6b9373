/*
 * From input to pixel in the real window: the program's own shell, a connection to a server with
 * 100,000 tiles and ten events a second (feel_world.h) in another process, and a thread that moves
 * the pointer, clicks, turns the wheel, presses keys and drags along the timeline. What is told goes
 * from the moment at which SDL gets an event to the end of presenting the frame that shows it.
 *
 *	SDL_VIDEODRIVER=dummy feel-input [SECONDS [VIEW-KEY]]
 *
 * VIEW-KEY is the key of a view, 1 to 7. The code is 1 if a median exceeds 33 ms.
 */
#include <SDL.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <gcspy/server.h>

#include "feel_world.h"
#include "memory_use.h"
#include "shell.h"

#define GOAL_MS 33

static unsigned seconds = 20;
static char view_key = '1';

static void must(bool ok, const char *what)
{
	if (!ok) {
		fprintf(stderr, "feel-input: %s\n", what);
		exit(1);
	}
}

static void nap(unsigned ms)
{
	nanosleep(&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L}, NULL);
}

/* The program under view, until it is killed. */
static void serve(int tell)
{
	struct gcs_error err = {.text = ""};
	const struct gcs_server_options options = {.name = "A large program", .port = 0};
	struct gcs_server *server = gcs_server_create(&options, &err);
	must(server != NULL && gcs_server_add_event(server, &feel_event, NULL, &err) == GCS_OK,
	    err.text);
	for (uint32_t i = 0; i < FEEL_GROUPS; i++) {
		const struct gcs_group group = feel_group(i);
		must(gcs_server_add_group(server, &group, NULL, &err) == GCS_OK, err.text);
	}
	for (uint32_t i = 0; i < FEEL_SPACES; i++) {
		char name[32];
		const struct gcs_space space = feel_space(i, name, sizeof name);
		must(gcs_server_add_space(server, &space, NULL, &err) == GCS_OK, err.text);
	}
	must(gcs_server_start(server, &err) == GCS_OK, err.text);
	const int port = gcs_server_port(server);
	must(write(tell, &port, sizeof port) == sizeof port, "pipe");
	bool first = true;
	for (unsigned step = 0;; nap(FEEL_EVENT_MS)) {
		struct gcs_ticket ticket;
		if (gcs_server_enter(server, 0, &ticket)) {
			struct gcs_snapshot *s = gcs_server_begin(server, &ticket);
			must(s != NULL && feel_fill(s, step++, first), "feel_fill");
			first = false;
			gcs_server_publish(server, &ticket, s);
		}
		gcs_server_leave(server, &ticket);
	}
}

/* The user. */

static void push(SDL_Event ev, unsigned then_ms)
{
	SDL_PushEvent(&ev);
	nap(then_ms);
}

static void move(int x, int y, bool pressed, unsigned then_ms)
{
	SDL_Event ev = {.type = SDL_MOUSEMOTION};
	ev.motion.x = x;
	ev.motion.y = y;
	ev.motion.state = pressed ? SDL_BUTTON_LMASK : 0;
	push(ev, then_ms);
}

static void button(int x, int y, bool down, unsigned then_ms)
{
	SDL_Event ev = {.type = down ? SDL_MOUSEBUTTONDOWN : SDL_MOUSEBUTTONUP};
	ev.button.x = x;
	ev.button.y = y;
	ev.button.button = SDL_BUTTON_LEFT;
	push(ev, then_ms);
}

static void wheel(int x, int y, int by, unsigned then_ms)
{
	SDL_Event ev = {.type = SDL_MOUSEWHEEL};
	ev.wheel.y = by;
	ev.wheel.mouseX = x;
	ev.wheel.mouseY = y;
	push(ev, then_ms);
}

static void key(SDL_Keycode code, unsigned then_ms)
{
	SDL_Event ev = {.type = SDL_KEYDOWN};
	ev.key.keysym.sym = code;
	push(ev, then_ms);
}

static void type(char letter, unsigned then_ms)
{
	SDL_Event ev = {.type = SDL_TEXTINPUT};
	ev.text.text[0] = letter;
	push(ev, then_ms);
}

static void *use(void *nothing)
{
	(void)nothing;
	nap(1500); /* connected, with some events on the timeline */
	type('1', 200);
	type('0', 200); /* all tiles in sight */
	type(view_key, 500);
	const time_t end = time(NULL) + (time_t)seconds;
	for (int i = 0; time(NULL) < end; i++) {
		/* In no step with the events. */
		const unsigned pause = 23 + (unsigned)(i * 7 % 31);
		const int x = 60 + i * 37 % 1100, y = 150 + i * 23 % 600;
		for (int k = 0; k < 4; k++)
			move(x + 5 * k, y + 3 * k, false, pause);
		button(x, y, true, pause);
		button(x, y, false, pause);
		key(i % 2 == 0 ? SDLK_RIGHT : SDLK_LEFT, pause);
		wheel(x, y, i % 2 == 0 ? 1 : -1, pause);
		if (i % 4 != 0)
			continue;
		const int at = 900 + i * 13 % 500;
		move(at, 900, false, pause);
		button(at, 900, true, pause);
		for (int k = 0; k < 8; k++)
			move(at + 6 * k, 900, true, pause);
		button(at + 48, 900, false, pause);
		key(SDLK_ESCAPE, pause);
	}
	SDL_Event quit = {.type = SDL_QUIT};
	SDL_PushEvent(&quit);
	return NULL;
}

static bool slow(const struct latency *l)
{
	for (int i = 0; i < LATENCY_KINDS; i++)
		if (latency_part(l, (enum latency_kind)i, 50) > GOAL_MS * 1000)
			return true;
	return false;
}

/* As main.c does it. */
static bool run(int port)
{
	struct cli cli;
	struct gcs_error err = {.text = ""};
	char address[32];
	snprintf(address, sizeof address, "127.0.0.1:%d", port);
	char *words[] = {
	    "feel-input", "--no-settings", "--present", "surface", "--size", "1600x1000", address};
	must(cli_parse(&cli, sizeof words / sizeof *words, words, &err), err.text);
	int width, height, scale;
	struct shell *shell = shell_sdl.open(&cli, &width, &height, &scale, &err);
	must(shell != NULL, err.text);
	struct source_options source = {.wake = shell_sdl.wake, .context = shell};
	const struct app_options options = {.width = width,
	    .height = height,
	    .scale = 100,
	    .make_fonts = fonts_ttf,
	    .opener = {.open = source_open, .context = &source},
	    .clipboard = shell_sdl.clipboard(shell),
	    .wake = shell_sdl.wake,
	    .wake_context = shell,
	    .history_bytes = (uint64_t)cli.history_mib << 20};
	static struct runner runner;
	must(app_init(&runner.app, &options, &err), err.text);
	must(runner_start(&runner, &cli, &err), err.text);
	pthread_t user;
	must(pthread_create(&user, NULL, use, NULL) == 0, "no thread");
	must(shell_sdl.loop(shell, &runner, &err), err.text);
	pthread_join(user, NULL);
	struct textbuf out = {0};
	latency_text(&runner.app.latency, &out);
	fputs(textbuf_text(&out), stdout);
	textbuf_fini(&out);
	printf("%llu events, %llu frames, %.1f MB resident\n",
	    (unsigned long long)runner.app.events, (unsigned long long)runner.app.stats.frames,
	    (double)memory_resident() / 1e6);
	const bool ok = runner.app.events > 0 && !slow(&runner.app.latency);
	runner_fini(&runner);
	shell_sdl.close(shell);
	return ok;
}

int main(int count, char **words)
{
	int tell[2], port;
	seconds = count > 1 ? (unsigned)strtoul(words[1], NULL, 10) : seconds;
	view_key = count > 2 ? words[2][0] : view_key;
	memory_bound();
	must(pipe(tell) == 0, "pipe");
	const pid_t child = fork();
	must(child >= 0, "fork");
	if (child == 0) {
		close(tell[0]);
		serve(tell[1]);
	}
	close(tell[1]);
	must(read(tell[0], &port, sizeof port) == sizeof port, "the server");
	const bool ok = run(port);
	kill(child, SIGTERM);
	waitpid(child, NULL, 0);
	if (!ok)
		fprintf(stderr, "feel-input: slower than the goal\n");
	return ok ? 0 : 1;
}
