/*
 * Plays a trace (F22): a thread shows one snapshot after the other at a chosen speed, forwards or
 * backwards; it can stop, step, seek and loop. The visualiser plays a file with it, and `gcspy
 * replay` serves one. All functions may be called from any thread, but not from `show`.
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
	bool at_end;         /* shows the last readable event first instead of the first one */
	uint64_t longest_ms; /* maximum time between two events; 0: as recorded */
	/*
	 * Shows a snapshot, on the player's thread. It may block, and the player waits with it, as
	 * when a client of the server holds the program. `position` is that of the snapshot.
	 */
	void (*show)(
	    void *context, struct gcs_snapshot *snapshot, const struct gcs_position *position);
	/* The position has changed in another way: speed, loop, an end. On any thread; must not
	 * block. May be NULL. */
	void (*changed)(void *context);
	void *context;
};

/* Starts at the first event or at the last one, which it shows at once. Takes over the trace, which gcs_player_destroy
 * closes. NULL without memory or threads; the caller then keeps the trace. */
GCS_API struct gcs_player *gcs_player_create(
    struct gcs_trace *trace, const struct gcs_player_options *options, struct gcs_error *err);

/* Ends the thread, which must not be blocked in `show` for ever. NULL has no effect. */
GCS_API void gcs_player_destroy(struct gcs_player *player);

/* The speed is clamped to the limits of control.h. At an end, a speed away from it plays. */
GCS_API void gcs_player_set_speed(struct gcs_player *player, double speed);
GCS_API void gcs_player_set_loop(struct gcs_player *player, bool loop);

/* Performs a request by one of the other functions here. */
GCS_API void gcs_player_control(struct gcs_player *player, const struct gcs_seek *request);

/* Jumps to a place, or to the last readable one before it, shows it at any speed, and continues from
 * there. */
GCS_API void gcs_player_seek(struct gcs_player *player, uint64_t place);

/* Jumps to the last place not later than `time_ns` of the server's clock. */
GCS_API void gcs_player_seek_time(struct gcs_player *player, uint64_t time_ns);

/* Moves by `places` from the current place, at most to an end. */
GCS_API void gcs_player_move(struct gcs_player *player, int64_t places);

/* True while a jump, by seek or move, is pending. May be called from `show`. */
GCS_API bool gcs_player_jumps(struct gcs_player *player);

GCS_API void gcs_player_position(struct gcs_player *player, struct gcs_position *position);

/* The newest profile of that kind at or before the current place, which the caller frees; NULL if
 * none was recorded or it is damaged. Waits while a snapshot is decoded, but not for `show`. */
GCS_API struct gcs_profile *gcs_player_profile(
    struct gcs_player *player, enum gcs_profile_kind kind, struct gcs_error *err);

/* The newest answer of that plugin at or before the current place, which the caller frees
 * (gcs_plugin_free); NULL if none was recorded. Waits likewise. */
GCS_API struct gcs_trace_answer *gcs_player_answer(
    struct gcs_player *player, const char *plugin, struct gcs_error *err);

/* gcs_trace_moment at a place. Waits likewise. */
GCS_API struct gcs_snapshot *gcs_player_moment(
    struct gcs_player *player, uint64_t place, struct gcs_error *err);

/* gcs_trace_readable forwards from a place. Waits likewise. */
GCS_API uint64_t gcs_player_readable(struct gcs_player *player, uint64_t place);

GCS_END_DECLS

#endif
