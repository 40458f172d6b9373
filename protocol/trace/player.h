/*
 * Plays a trace: a thread that shows one snapshot after the other at a chosen speed, forwards or
 * backwards, and that can be told to stand, step, jump and begin again (row F22).
 *
 * The visualiser plays a file with it, and `gcspy replay` serves one. All functions may be called
 * from any thread, but not from `show`.
 */
#ifndef GCSPY_TRACE_PLAYER_H
#define GCSPY_TRACE_PLAYER_H

#include <gcspy/control.h>
#include <gcspy/trace.h>

GCS_BEGIN_DECLS

struct gcs_player;

struct gcs_player_options {
	double speed; /* at the start */
	bool loop;
	uint64_t longest_ms; /* longest time between two events, however long it was; 0: no limit */
	/*
	 * Shows a snapshot; on the player's thread. It may wait, and the player with it: a server
	 * whose client holds the program does. `position` is the player's at this snapshot.
	 */
	void (*show)(
	    void *context, struct gcs_snapshot *snapshot, const struct gcs_position *position);
	/* Something else of the position has changed: speed, loop, an end. On any thread; must not
	 * block. May be NULL. */
	void (*changed)(void *context);
	void *context;
};

/*
 * Starts at the first event, which it shows at once. The trace is the player's from now on: it is
 * closed by gcs_player_destroy, and used by nobody else. NULL without memory or threads; then the
 * trace is still the caller's.
 */
GCS_API struct gcs_player *gcs_player_create(
    struct gcs_trace *trace, const struct gcs_player_options *options, struct gcs_error *err);

/* Ends the thread, which must not wait in `show` for anything that does not come. NULL is fine. */
GCS_API void gcs_player_destroy(struct gcs_player *player);

/* Other speeds are brought within the limits. At an end, a speed that leads away from it plays. */
GCS_API void gcs_player_set_speed(struct gcs_player *player, double speed);
GCS_API void gcs_player_set_loop(struct gcs_player *player, bool loop);

/* Does what somebody who watches wishes: one of the calls around this one. */
GCS_API void gcs_player_wish(struct gcs_player *player, const struct gcs_seek *wish);

/* Jumps to a place, or the last one before it that can be read, and shows it, whatever the speed;
 * then goes on. */
GCS_API void gcs_player_seek(struct gcs_player *player, uint64_t place);

/* Jumps to the last place not later than the time of the server's clock. */
GCS_API void gcs_player_seek_time(struct gcs_player *player, uint64_t time_ns);

/* Moves so many places from where it is, at most to an end. */
GCS_API void gcs_player_move(struct gcs_player *player, int64_t places);

/* True while a jump, by seek or move, waits to be shown. Also from `show`. */
GCS_API bool gcs_player_jumps(struct gcs_player *player);

GCS_API void gcs_player_position(struct gcs_player *player, struct gcs_position *position);

/* The newest profile of that kind not later than the present place, the caller's to free; NULL if
 * none was recorded or it is damaged. Waits for a snapshot being decoded, not for `show`. */
GCS_API struct gcs_profile *gcs_player_profile(
    struct gcs_player *player, enum gcs_profile_kind kind, struct gcs_error *err);

/* The moment at a place, as gcs_trace_moment. Waits likewise. */
GCS_API struct gcs_snapshot *gcs_player_moment(
    struct gcs_player *player, uint64_t place, struct gcs_error *err);

GCS_END_DECLS

#endif
