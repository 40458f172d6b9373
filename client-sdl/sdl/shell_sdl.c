/* The window: translates SDL's events and presents the canvas. */
#include <SDL.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "layout.h"
#include "now.h"
#include "present.h"
#include "shell.h"

struct shell {
	SDL_Window *window;
	const struct present_ops *present;
	void *presenter;
	Uint32 wake_event;
	atomic_bool wake_posted;       /* one wake-up in SDL's queue is enough */
	atomic_uint_least64_t woke_us; /* time of the first wake-up since the last frame; 0: none */
	/* By kind, the time of the oldest unhandled input (0: none), and of the oldest one that the
	 * next frame shows. */
	atomic_uint_least64_t came_us[LATENCY_KINDS];
	uint64_t seen_us[LATENCY_KINDS];
	bool push_all;
};

static uint64_t now_us(void)
{
	return now_ns() / 1000;
}

/* LATENCY_KINDS: no input. */
static enum latency_kind input_of(const SDL_Event *sdl)
{
	switch (sdl->type) {
	case SDL_MOUSEMOTION:
		return sdl->motion.state != 0 ? LATENCY_DRAG : LATENCY_HOVER;
	case SDL_MOUSEBUTTONDOWN:
	case SDL_MOUSEBUTTONUP:
		return LATENCY_CLICK;
	case SDL_MOUSEWHEEL:
		return LATENCY_WHEEL;
	case SDL_KEYDOWN:
	case SDL_TEXTINPUT:
		return LATENCY_KEY;
	default:
		return LATENCY_KINDS;
	}
}

/* Called on the thread that reports the event, which may be another one. */
static int note_input(void *context, SDL_Event *sdl)
{
	struct shell *shell = context;
	const enum latency_kind kind = input_of(sdl);
	uint64_t none = 0;
	if (kind != LATENCY_KINDS)
		atomic_compare_exchange_strong(&shell->came_us[kind], &none, now_us());
	return 0;
}

static void sdl_close(struct shell *shell)
{
	if (shell == NULL)
		return;
	SDL_DelEventWatch(note_input, shell);
	if (shell->presenter != NULL)
		shell->present->close(shell->presenter);
	if (shell->window != NULL)
		SDL_DestroyWindow(shell->window);
	free(shell);
	SDL_Quit();
}

static bool create_window(
    struct shell *shell, const struct cli *cli, const struct present_ops *present)
{
	if (present->prepare != NULL)
		present->prepare();
	struct cli fitting = *cli;
	SDL_Rect usable;
	if (SDL_GetDisplayUsableBounds(0, &usable) == 0)
		cli_fit(&fitting, usable.w, usable.h);
	shell->window = SDL_CreateWindow("GCspy", SDL_WINDOWPOS_UNDEFINED, SDL_WINDOWPOS_UNDEFINED,
	    fitting.width, fitting.height, SDL_WINDOW_RESIZABLE | SDL_WINDOW_ALLOW_HIGHDPI);
	if (shell->window == NULL)
		return false;
	shell->present = present;
	shell->presenter = present->open(shell->window);
	if (shell->presenter != NULL)
		return true;
	SDL_DestroyWindow(shell->window);
	shell->window = NULL;
	return false;
}

static bool open_window(struct shell *shell, const struct cli *cli)
{
	const char *driver = SDL_GetCurrentVideoDriver();
	bool no_surface = driver != NULL && strcmp(driver, "wayland") == 0;
	switch (cli->present) {
	case CLI_PRESENT_SURFACE:
		return create_window(shell, cli, &present_surface);
	case CLI_PRESENT_TEXTURE:
		return create_window(shell, cli, &present_texture);
	case CLI_PRESENT_AUTO:
	case CLI_PRESENT_NONE:
		break;
	}
	return (!no_surface && create_window(shell, cli, &present_surface)) ||
	       create_window(shell, cli, &present_texture);
}

/* The display's density as a scale in steps of 25 %; 100 if unknown. */
static int scale_of_display(SDL_Window *window, int pixels, int points)
{
	float dpi = 0;
	int display = SDL_GetWindowDisplayIndex(window);
	if (pixels > points)
		return clamp_int(pixels * 4 / points * 25, 100, 300);
	if (display < 0 || SDL_GetDisplayDPI(display, &dpi, NULL, NULL) != 0 || dpi < 120 ||
	    dpi > 400)
		return 100;
	return clamp_int((int)(dpi / 96.0f * 4.0f) * 25, 100, 300);
}

/* Without a display, SDL may choose a driver that draws into memory, invisibly. */
static bool is_unseen(void)
{
	const char *driver = SDL_GetCurrentVideoDriver();
	return SDL_getenv("SDL_VIDEODRIVER") == NULL && driver != NULL &&
	       strcmp(driver, "offscreen") == 0;
}

static struct shell *sdl_open(
    const struct cli *cli, int *width, int *height, int *scale, struct gcs_error *err)
{
	if (SDL_Init(SDL_INIT_VIDEO) != 0) {
		gcs_fail(err, GCS_IO, "no window: %s (--present none works without a display)",
		    SDL_GetError());
		return NULL;
	}
	if (!cli_unattended(cli) && is_unseen()) {
		gcs_fail(err, GCS_IO,
		    "no display: set DISPLAY or WAYLAND_DISPLAY; --screenshot FILE saves an image "
		    "and --dump writes text without one");
		SDL_Quit();
		return NULL;
	}
	struct shell *shell = calloc(1, sizeof *shell);
	if (shell == NULL || !open_window(shell, cli)) {
		gcs_fail(err, GCS_IO, "no window: %s", SDL_GetError());
		sdl_close(shell);
		return NULL;
	}
	SDL_SetWindowMinimumSize(shell->window, 320, 240);
	shell->wake_event = SDL_RegisterEvents(1);
	shell->push_all = true;
	SDL_GetWindowSizeInPixels(shell->window, width, height);
	int points;
	SDL_GetWindowSize(shell->window, &points, NULL);
	*scale = scale_of_display(shell->window, *width, points);
	SDL_StartTextInput();
	SDL_AddEventWatch(note_input, shell);
	return shell;
}

static void sdl_wake(void *context)
{
	struct shell *shell = context;
	uint64_t none = 0;
	atomic_compare_exchange_strong(&shell->woke_us, &none, now_us());
	if (atomic_exchange(&shell->wake_posted, true))
		return;
	SDL_Event ev = {.type = shell->wake_event};
	if (SDL_PushEvent(&ev) <= 0) /* the queue is full, so the loop wakes up anyway */
		atomic_store(&shell->wake_posted, false);
}

static bool sdl_drop(void *context, const char *path)
{
	(void)context;
	SDL_Event ev = {.type = SDL_DROPFILE};
	ev.drop.file = SDL_strdup(path);
	return ev.drop.file != NULL && SDL_PushEvent(&ev) > 0;
}

static void put_text(void *context, const char *text)
{
	(void)context;
	SDL_SetClipboardText(text);
}

static void get_text(void *context, char *text, size_t size)
{
	(void)context;
	char *owned = SDL_GetClipboardText();
	snprintf(text, size, "%s", owned != NULL ? owned : "");
	SDL_free(owned);
}

static struct ui_clipboard sdl_clipboard(struct shell *shell)
{
	return (struct ui_clipboard){.put = put_text, .get = get_text, .context = shell};
}

static uint32_t key_of(SDL_Keycode code)
{
	static const struct {
		SDL_Keycode code;
		uint32_t key;
	} keys[] = {
	    {SDLK_LEFT, KEY_LEFT},
	    {SDLK_RIGHT, KEY_RIGHT},
	    {SDLK_UP, KEY_UP},
	    {SDLK_DOWN, KEY_DOWN},
	    {SDLK_HOME, KEY_HOME},
	    {SDLK_END, KEY_END},
	    {SDLK_PAGEUP, KEY_PAGE_UP},
	    {SDLK_PAGEDOWN, KEY_PAGE_DOWN},
	    {SDLK_RETURN, KEY_ENTER},
	    {SDLK_KP_ENTER, KEY_ENTER},
	    {SDLK_ESCAPE, KEY_ESCAPE},
	    {SDLK_TAB, KEY_TAB},
	    {SDLK_BACKSPACE, KEY_BACKSPACE},
	    {SDLK_DELETE, KEY_DELETE},
	    {SDLK_KP_PLUS, '+'},
	    {SDLK_KP_MINUS, '-'},
	    {SDLK_KP_0, '0'},
	};
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
		if (keys[i].code == code)
			return keys[i].key;
	}
	if (code >= SDLK_F1 && code <= SDLK_F12)
		return KEY_F1 + (uint32_t)(code - SDLK_F1);
	return code >= 32 && code < 127 ? (uint32_t)code : 0;
}

static unsigned mods_of(SDL_Keymod mod)
{
	return (mod & KMOD_CTRL ? MOD_CTRL : 0) | (mod & KMOD_SHIFT ? MOD_SHIFT : 0) |
	       (mod & KMOD_ALT ? MOD_ALT : 0);
}

/* Printable keys also arrive as text, in the user's layout; only the others count here. */
static void on_key(struct app *app, const SDL_KeyboardEvent *key)
{
	struct ui_event ev = {.kind = EV_KEY, .x = -1, .y = -1};
	ev.key = key_of(key->keysym.sym);
	ev.mods = mods_of((SDL_Keymod)key->keysym.mod);
	if (ev.key == 0 || (ev.key < KEY_BASE && (ev.mods & (MOD_CTRL | MOD_ALT)) == 0))
		return;
	/* Ctrl and the plus key, whose unshifted symbol is the equals sign. */
	if (ev.key == '=' && ev.mods & MOD_SHIFT) {
		ev.key = '+';
		ev.mods &= ~MOD_SHIFT;
	}
	app_event(app, &ev);
}

/* Mouse positions are in points, the canvas has pixels. */
static void to_pixels(const struct shell *shell, const struct app *app, int *x, int *y)
{
	int w, h;
	SDL_GetWindowSize(shell->window, &w, &h);
	if (w > 0 && h > 0) {
		*x = *x * app->cv.w / w;
		*y = *y * app->cv.h / h;
	}
}

static void on_mouse(struct shell *shell, struct app *app, const SDL_Event *sdl)
{
	struct ui_event ev = {.mods = mods_of(SDL_GetModState())};
	if (sdl->type == SDL_MOUSEMOTION) {
		ev.kind = EV_MOVE;
		ev.x = sdl->motion.x;
		ev.y = sdl->motion.y;
	} else if (sdl->type == SDL_MOUSEWHEEL) {
		ev.kind = EV_WHEEL;
		/* As the desktop turns it: not undone where that is the "natural" direction. */
		ev.wheel = sdl->wheel.y;
		ev.x = sdl->wheel.mouseX;
		ev.y = sdl->wheel.mouseY;
	} else {
		ev.kind = sdl->type == SDL_MOUSEBUTTONDOWN ? EV_DOWN : EV_UP;
		ev.button = sdl->button.button;
		ev.x = sdl->button.x;
		ev.y = sdl->button.y;
		SDL_CaptureMouse(ev.kind == EV_DOWN ? SDL_TRUE : SDL_FALSE);
	}
	to_pixels(shell, app, &ev.x, &ev.y);
	app_event(app, &ev);
}

static void on_window(struct shell *shell, struct app *app, const SDL_WindowEvent *window)
{
	int w, h;
	switch (window->event) {
	case SDL_WINDOWEVENT_SIZE_CHANGED:
		SDL_GetWindowSizeInPixels(shell->window, &w, &h);
		app_resize(app, w, h);
		shell->push_all = true;
		break;
	case SDL_WINDOWEVENT_EXPOSED:
	case SDL_WINDOWEVENT_SHOWN:
	case SDL_WINDOWEVENT_RESTORED:
		shell->push_all = true;
		break;
	case SDL_WINDOWEVENT_LEAVE:
		app_event(app, &(struct ui_event){.kind = EV_LEAVE, .x = -1, .y = -1});
		break;
	default:
		break;
	}
}

static void on_event(struct shell *shell, struct app *app, const SDL_Event *sdl)
{
	struct ui_event ev = {.kind = EV_TEXT, .x = -1, .y = -1};
	const enum latency_kind kind = input_of(sdl);
	if (kind != LATENCY_KINDS) {
		const uint64_t came = atomic_exchange(&shell->came_us[kind], 0);
		if (shell->seen_us[kind] == 0)
			shell->seen_us[kind] = came;
	}
	switch (sdl->type) {
	case SDL_QUIT:
		app->quit = true;
		break;
	case SDL_KEYDOWN:
		on_key(app, &sdl->key);
		break;
	case SDL_TEXTINPUT:
		snprintf(ev.text, sizeof ev.text, "%s", sdl->text.text);
		app_event(app, &ev);
		break;
	case SDL_MOUSEMOTION:
	case SDL_MOUSEWHEEL:
	case SDL_MOUSEBUTTONDOWN:
	case SDL_MOUSEBUTTONUP:
		on_mouse(shell, app, sdl);
		break;
	case SDL_DROPFILE:
		app_drop(app, sdl->drop.file);
		SDL_free(sdl->drop.file);
		break;
	case SDL_WINDOWEVENT:
		on_window(shell, app, &sdl->window);
		break;
	default:
		if (sdl->type == shell->wake_event)
			atomic_store(&shell->wake_posted, false);
		break;
	}
}

/* Called when the effect of the input has been presented. */
static void note_latency(struct shell *shell, struct app *app)
{
	const uint64_t now = now_us();
	for (int i = 0; i < LATENCY_KINDS; i++) {
		if (shell->seen_us[i] != 0)
			latency_note(&app->latency, (enum latency_kind)i, now - shell->seen_us[i]);
		shell->seen_us[i] = 0;
	}
}

static bool show(struct shell *shell, struct app *app)
{
	bool painted = app_frame(app);
	bool ok = true;
	if (painted || shell->push_all)
		ok = shell->present->push(shell->presenter, &app->cv, shell->push_all);
	uint64_t woke = atomic_exchange(&shell->woke_us, 0);
	if (painted && woke != 0)
		app->stats.lag_us = now_us() - woke;
	if (painted)
		note_latency(shell, app);
	shell->push_all = false;
	damage_clear(&app->cv.damage);
	return ok;
}

static bool has_work(const struct shell *shell, const struct app *app)
{
	for (int i = 0; i < PANEL_COUNT; i++) {
		if (app->dirty[i])
			return true;
	}
	return shell->push_all;
}

static bool sdl_loop(struct shell *shell, struct runner *run, struct gcs_error *err)
{
	uint64_t last_us = 0;
	while (runner_turn(run, now_us() / 1000)) {
		int wait = runner_wait_ms(run);
		uint64_t now = now_us();
		if (has_work(shell, &run->app)) {
			if (now - last_us >= FRAME_US) {
				last_us = now;
				if (!show(shell, &run->app)) {
					gcs_fail(err, GCS_IO, "cannot paint the window: %s",
					    SDL_GetError());
					return false;
				}
			} else {
				wait = (int)((FRAME_US - (now - last_us)) / 1000) + 1;
			}
		}
		SDL_Event ev;
		if (!SDL_WaitEventTimeout(&ev, wait))
			continue;
		do {
			on_event(shell, &run->app, &ev);
		} while (SDL_PollEvent(&ev));
		if (!has_work(shell, &run->app)) /* nothing is visible */
			memset(shell->seen_us, 0, sizeof shell->seen_us);
	}
	return true;
}

const struct shell_ops shell_sdl = {
    .open = sdl_open,
    .wake = sdl_wake,
    .clipboard = sdl_clipboard,
    .drop = sdl_drop,
    .loop = sdl_loop,
    .close = sdl_close,
};
