#include "client_dialect.h"

#include "decoder_2002.h"
#include "wire_2002.h"

/* GCspy's own dialect. */

static void native_hello(struct wr *w, const struct hello *hello)
{
	frame_preamble(w);
	put_hello(w, hello);
}

static void native_pause(struct wr *w)
{
	put_empty(w, GCS_WIRE_PAUSE);
}

static void native_resume(struct wr *w, bool everyone)
{
	put_number(w, GCS_WIRE_RESUME, everyone ? 1 : 0);
}

static void native_step(struct wr *w)
{
	put_empty(w, GCS_WIRE_STEP);
}

static void native_filter(
    struct wr *w, uint32_t event, uint32_t count, const struct gcs_filter *filters)
{
	(void)count;
	put_filter(w, event, &filters[event]);
}

static void native_leave(struct wr *w)
{
	put_empty(w, GCS_WIRE_CLOSE);
}

const struct client_dialect client_dialect_native = {
    .decoder = &native_decoder,
    .native = true,
    .hello = native_hello,
    .pause = native_pause,
    .resume = native_resume,
    .step = native_step,
    .filter = native_filter,
    .leave = native_leave,
};

/* The dialect of 2002. */

static void old_hello(struct wr *w, const struct hello *hello)
{
	size_t at = w2002_frame_begin(w);
	w2002_put_text(w, W2002_MAGIC, sizeof W2002_MAGIC);
	w2002_put_int(w, W2002_ENDIANNESS);
	wr_u8(w, (hello->flags & GCS_HELLO_PAUSE) != 0);
	w2002_frame_end(w, at);
}

static void old_pause(struct wr *w)
{
	w2002_put_command(w, W2002_PAUSE_REQ);
}

static void old_resume(struct wr *w, bool everyone)
{
	(void)everyone; /* such a server has one client */
	w2002_put_command(w, W2002_RESTART);
}

static void old_step(struct wr *w)
{
	w2002_put_command(w, W2002_PLAY_ONE);
}

static void old_filter(
    struct wr *w, uint32_t event, uint32_t count, const struct gcs_filter *filters)
{
	(void)event;
	size_t at = w2002_command_begin(w, W2002_EVENT_FILTERS);
	w2002_put_short(w, (int16_t)count);
	for (uint32_t i = 0; i < count; i++) {
		wr_u8(w, filters[i].enabled);
		w2002_put_int(w, (int32_t)filters[i].delay_ms);
		wr_u8(w, filters[i].pause);
		w2002_put_int(w, (int32_t)filters[i].period);
	}
	w2002_command_end(w, at);
}

static void old_leave(struct wr *w)
{
	w2002_put_command(w, W2002_SHUTDOWN_REQ);
}

const struct client_dialect client_dialect_2002 = {
    .decoder = &decoder_2002,
    /* The C library of 2002 ends the program when it sends to a closed connection, so wait for its
     * answer, which comes at the next event. */
    .farewell_ms = 2000,
    .hello = old_hello,
    .pause = old_pause,
    .resume = old_resume,
    .step = old_step,
    .filter = old_filter,
    .leave = old_leave,
};

enum gcs_run_state inferred_state_pause(struct inferred_state *b)
{
	return b->paused ? GCS_PAUSED : GCS_PAUSING;
}

enum gcs_run_state inferred_state_resume(struct inferred_state *b)
{
	*b = (struct inferred_state){0};
	return GCS_RUNNING;
}

enum gcs_run_state inferred_state_step(struct inferred_state *b, bool *play)
{
	*play = b->paused;
	b->steps += b->paused;
	return GCS_PAUSING;
}

enum gcs_run_state inferred_state_paused(struct inferred_state *b)
{
	*b = (struct inferred_state){.paused = true};
	return GCS_PAUSED;
}

enum gcs_run_state inferred_state_event(struct inferred_state *b, enum gcs_run_state now)
{
	if (!b->paused)
		return now;
	if (b->steps == 0) /* resumed, but not by this client */
		return inferred_state_resume(b);
	b->steps--;
	return b->steps == 0 ? GCS_PAUSED : GCS_PAUSING;
}
