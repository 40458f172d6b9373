/*
 * The one table of commands: keys, help overlay, command palette, script steps and docs/keys.md all
 * come from it. What a command does is in app_commands.c, or in the view that is open.
 */
#ifndef GCSPY_CLIENT_COMMANDS_H
#define GCSPY_CLIENT_COMMANDS_H

#include <stdbool.h>
#include <stddef.h>

#include "input.h"

/* When a command can run. */
enum command_when {
	WHEN_ANY,
	WHEN_DATA, /* there is a picture, live or old */
	WHEN_LIVE, /* connected */
	WHEN_IDLE  /* not connected */
};

/* X(id, section, keys separated by spaces, arguments, help, when) */
#define COMMANDS(X)                                                                                \
	X(pause_resume, "Program", "Space", "", "Pause, resume; play or hold a recording",         \
	    WHEN_LIVE)                                                                             \
	X(step, "Program", ".", "", "Run to the next event and pause there", WHEN_LIVE)            \
	X(connect, "Program", "Ctrl+L", "[ADDRESS]", "Connect to a server, or open a file",        \
	    WHEN_ANY)                                                                              \
	X(open, "Program", "Ctrl+O", "[FILE]", "Open a recording, from a list of files", WHEN_ANY) \
	X(open_sample, "Program", "Ctrl+Shift+O", "",                                              \
	    "Open the sample recording, of a small leak", WHEN_ANY)                                \
	X(disconnect, "Program", "Shift+F5", "", "Disconnect, or stop retrying", WHEN_ANY)         \
	X(reconnect, "Program", "F5", "", "Connect again to the same server", WHEN_IDLE)           \
	X(auto_retry, "Program", "Shift+R", "", "Retry a lost connection, or stop that", WHEN_ANY) \
	X(step_back, "Recording", ",", "", "Go back to the event before", WHEN_LIVE)               \
	X(skip_forward, "Recording", "Alt+Right", "", "Go forward by ten events", WHEN_LIVE)       \
	X(skip_back, "Recording", "Alt+Left", "", "Go back by ten events", WHEN_LIVE)              \
	X(first_event, "Recording", "Ctrl+Home", "", "Go to the first event", WHEN_LIVE)           \
	X(last_event, "Recording", "Ctrl+End", "", "Go to the last event", WHEN_LIVE)              \
	X(slower, "Recording", "<", "", "Play half as fast", WHEN_LIVE)                            \
	X(faster, "Recording", ">", "", "Play twice as fast", WHEN_LIVE)                           \
	X(backwards, "Recording", "Ctrl+B", "", "Play in the other direction", WHEN_LIVE)          \
	X(loop, "Recording", "Shift+L", "", "Begin again at the end, or stop that", WHEN_LIVE)     \
	X(play_speed, "Recording", "", "X", "A factor, 1/s, every 250 ms, compensated", WHEN_LIVE) \
	X(play_original, "Recording", "", "", "Play as fast as it was recorded", WHEN_LIVE)        \
	X(play_fast, "Recording", "", "", "Play as fast as possible", WHEN_LIVE)                   \
	X(play_each_second, "Recording", "", "", "Play one event per second", WHEN_LIVE)           \
	X(play_compensated, "Recording", "", "", "Play without the time of the server's own cost", \
	    WHEN_LIVE)                                                                             \
	X(seek, "Recording", "", "PLACE", "Go to an event by its place, or to 1:30, 2.5s",         \
	    WHEN_LIVE)                                                                             \
	X(record, "Recording", "Ctrl+R", "[FILE]", "Record into a file, or stop that", WHEN_LIVE)  \
	X(live, "Time", "L", "", "Back to the newest moment of a live program", WHEN_DATA)         \
	X(pause_program, "Time", "", "", "Pause or resume the program while looking back",         \
	    WHEN_LIVE)                                                                             \
	X(range_begin, "Time", "B", "", "Choose a part of time: it begins here", WHEN_DATA)        \
	X(range_end, "Time", "Shift+B", "", "The chosen part of time ends here", WHEN_DATA)        \
	X(range_clear, "Time", "", "", "Give up the chosen part of time", WHEN_DATA)               \
	X(range, "Time", "", "FROM TO", "Choose a part of time by events or times", WHEN_DATA)     \
	X(bookmark, "Time", "M", "[NOTE]", "Bookmark this moment, or remove that", WHEN_DATA)      \
	X(bookmark_prev, "Time", "Ctrl+Left", "", "Go to the bookmark before", WHEN_DATA)          \
	X(bookmark_next, "Time", "Ctrl+Right", "", "Go to the next bookmark", WHEN_DATA)           \
	X(time_scale, "Time", "", "[HOW]", "The strip: in, out, earlier, later or all", WHEN_DATA) \
	X(stream_next, "Spaces", "]", "", "Colour the active space by the next stream", WHEN_DATA) \
	X(stream_prev, "Spaces", "[", "", "Colour the active space by the previous one",           \
	    WHEN_DATA)                                                                             \
	X(stream, "Spaces", "", "[NAME]", "Colour by the named stream, or choose from a menu",     \
	    WHEN_DATA)                                                                             \
	X(space_next, "Spaces", "N", "", "Make the next space active", WHEN_DATA)                  \
	X(space_prev, "Spaces", "P", "", "Make the previous space active", WHEN_DATA)              \
	X(space, "Spaces", "", "NAME", "Make the named space active", WHEN_DATA)                   \
	X(toggle_group, "Spaces", "G", "[NAME]", "Collapse or open the active group", WHEN_DATA)   \
	X(expression, "Spaces", "X", "[TEXT]", "Colour the active space by an expression",         \
	    WHEN_DATA)                                                                             \
	X(split, "Spaces", "Shift+S", "[NAME]", "Show one more stream in each tile; off: one",     \
	    WHEN_DATA)                                                                             \
	X(order, "Spaces", "Y", "[KIND]", "Order tiles: address, falling, rising", WHEN_DATA)      \
	X(columns, "Spaces", "", "N", "So many tiles to a row; 0: as many as fit", WHEN_DATA)      \
	X(pin, "Spaces", "J", "", "Keep the active space on top, or let it go", WHEN_DATA)         \
	X(hide, "Spaces", "Shift+J", "", "Hide the active space", WHEN_DATA)                       \
	X(show_hidden, "Spaces", "", "[NAME]", "Show hidden spaces again", WHEN_DATA)              \
	X(summary, "Spaces", "Shift+Y", "", "Summary of the active space", WHEN_DATA)              \
	X(space_colours, "Spaces", "", "[KEY=COLOUR]", "Colours of the active space, in a dialog", \
	    WHEN_DATA)                                                                             \
	X(tile_left, "Tiles", "Left", "", "Select the previous tile", WHEN_DATA)                   \
	X(tile_right, "Tiles", "Right", "", "Select the next tile", WHEN_DATA)                     \
	X(tile_up, "Tiles", "Up", "", "Select the tile above", WHEN_DATA)                          \
	X(tile_down, "Tiles", "Down", "", "Select the tile below", WHEN_DATA)                      \
	X(tile_first, "Tiles", "Home", "", "Select the first tile of the active space", WHEN_DATA) \
	X(tile_last, "Tiles", "End", "", "Select the last tile of the active space", WHEN_DATA)    \
	X(select, "Tiles", "", "SPACE TILE", "Select a tile by space name and tile number",        \
	    WHEN_DATA)                                                                             \
	X(reveal, "Tiles", "F", "", "Centre the selected tile; again: fit it", WHEN_DATA)          \
	X(look_closer, "Tiles", "Z", "", "Show the selected tile in finer blocks", WHEN_LIVE)      \
	X(look_back, "Tiles", "Shift+Z", "", "Give up the active zoom, or the last one",           \
	    WHEN_LIVE)                                                                             \
	X(tile_sites, "Tiles", "C", "[PLACE]", "Call sites of the marked or selected tiles",       \
	    WHEN_DATA)                                                                             \
	X(mark, "Tiles", "'", "[FROM TO]", "Begin a range of marked tiles; again: extend it",      \
	    WHEN_DATA)                                                                             \
	X(mark_add, "Tiles", "\"", "[FROM TO]", "Begin one more range of marked tiles", WHEN_DATA) \
	X(mark_remove, "Tiles", "", "[FROM TO]", "Take tiles out of the marked ones", WHEN_DATA)   \
	X(clear_markers, "Tiles", "Shift+Delete", "", "Clear the active space's marks", WHEN_DATA) \
	X(compare_tiles, "Tiles", "", "FILE [EVENT]",                                              \
	    "Compare tiles with an event of a recording", WHEN_DATA)                               \
	X(equal, "Tiles", "V", "", "Frame tiles with the selected one's value", WHEN_DATA)         \
	X(find, "Tiles", "Ctrl+F", "[TEXT]", "Find an address, a name; filter call sites",         \
	    WHEN_ANY)                                                                              \
	X(heap_map, "View", "1", "", "The heap map: spaces and their tiles", WHEN_ANY)             \
	X(call_sites, "View", "2", "", "The call sites of sampled allocations", WHEN_ANY)          \
	X(flame_graph, "View", "3", "", "The flame graph of sampled allocations", WHEN_ANY)        \
	X(call_tables, "View", "4", "", "Callers and callees as tables", WHEN_ANY)                 \
	X(charts, "View", "6", "", "Charts of the active space", WHEN_ANY)                         \
	X(events, "View", "7", "", "Events: counters, filters, the last ones", WHEN_ANY)           \
	X(zoom_in, "View", "+ = W", "", "Larger tiles", WHEN_DATA)                                 \
	X(zoom_out, "View", "- S", "", "Smaller tiles", WHEN_DATA)                                 \
	X(zoom_fit, "View", "0", "", "Tiles as large as the window has room for", WHEN_DATA)       \
	X(pan_left, "View", "A", "", "Move to the left, or up", WHEN_DATA)                         \
	X(pan_right, "View", "D", "", "Move to the right, or down", WHEN_DATA)                     \
	X(layout, "View", "Shift+M", "[NAME]", "Wrapped or proportional bands", WHEN_DATA)         \
	X(recency, "View", "Shift+V", "", "Fade tiles that have not changed lately", WHEN_DATA)    \
	X(scroll_up, "View", "PageUp", "", "Scroll up by a page", WHEN_DATA)                       \
	X(scroll_down, "View", "PageDown", "", "Scroll down by a page", WHEN_DATA)                 \
	X(chart, "View", "Shift+K", "[NAME]", "The next chart: bars, histogram, line, ...",        \
	    WHEN_ANY)                                                                              \
	X(chart_add, "View", "Shift+N", "[NAME]", "Another stream in the line chart", WHEN_DATA)   \
	X(chart_y, "View", "Shift+X", "[NAME]", "Another stream upwards in the scatter plot",      \
	    WHEN_DATA)                                                                             \
	X(history, "History", "5", "[KEY=VALUE]", "History graph, or one of its settings",         \
	    WHEN_ANY)                                                                              \
	X(history_settings, "History", "Shift+H", "", "Settings of the history graph", WHEN_ANY)   \
	X(history_go, "History", "", "[SECONDS]", "Go to the cursor's moment, or to another",      \
	    WHEN_DATA)                                                                             \
	X(history_png, "History", "", "[FILE]", "Save all of the graph as a PNG picture",          \
	    WHEN_DATA)                                                                             \
	X(sites_kind, "Call sites", "K", "[KIND]", "Live, recent, frequent or allocated",          \
	    WHEN_ANY)                                                                              \
	X(sites_filter, "Call sites", "/", "[TEXT]", "Filter by class, method or thread",          \
	    WHEN_ANY)                                                                              \
	X(sites_sort, "Call sites", "O", "[COLUMN]", "Sort by the next column", WHEN_ANY)          \
	X(sites_reverse, "Call sites", "Shift+O", "", "Sort the other way round", WHEN_ANY)        \
	X(sites_plumbing, "Call sites", "H", "", "Show or hide plumbing frames", WHEN_ANY)         \
	X(sites_refresh, "Call sites", "R", "", "Ask for new samples now", WHEN_ANY)               \
	X(sites_auto, "Call sites", "Shift+A", "", "Ask every few seconds, or stop that",          \
	    WHEN_ANY)                                                                              \
	X(sites_sample, "Call sites", "E", "[INTERVAL]", "Sample every 512 KiB; 0 turns it off",   \
	    WHEN_LIVE)                                                                             \
	X(site_tiles, "Call sites", "T", "[NUMBER]", "Where the selected site lies in the heap",   \
	    WHEN_ANY)                                                                              \
	X(sites_save, "Call sites", "Ctrl+S", "[FILE]", "Save the profile, compressed", WHEN_ANY)  \
	X(age_band, "Call sites", "Shift+E", "[FROM TO]", "Only ages FROM up to below TO, or all", \
	    WHEN_ANY)                                                                              \
	X(compare, "Call sites", "Ctrl+D", "[FILE]", "Compare with now (tiles, too), or a file",   \
	    WHEN_ANY)                                                                              \
	X(flame_measure, "Call sites", "Shift+U", "", "Frames as wide as bytes, or objects",       \
	    WHEN_ANY)                                                                              \
	X(flame_way, "Call sites", "Shift+F", "", "The root at the bottom, or on top", WHEN_ANY)   \
	X(collapse_recursion, "Call sites", "Shift+C", "", "Collapse what calls itself, or not",   \
	    WHEN_ANY)                                                                              \
	X(calls_table, "Call sites", "Shift+T", "[TABLE]", "Top-down, bottom-up, sandwich METHOD", \
	    WHEN_ANY)                                                                              \
	X(frame, "Call sites", "", "NAME", "Select the largest frame of that name", WHEN_ANY)      \
	X(open_frame, "Call sites", "Enter", "", "Zoom into the frame; open or close the row",     \
	    WHEN_ANY)                                                                              \
	X(frame_out, "Call sites", "Backspace", "", "Zoom out of the frame", WHEN_ANY)             \
	X(expand_all, "Call sites", "*", "", "Open all rows below it, or all groups", WHEN_ANY)    \
	X(filter, "Events", "", "EVENT KEY=VALUE", "enabled=no delay=50 pause=yes period=10",      \
	    WHEN_DATA)                                                                             \
	X(enable_events, "Events", "", "[EVENT]", "Send every event, or one", WHEN_DATA)           \
	X(disable_events, "Events", "", "[EVENT]", "Send no event, or not that one", WHEN_DATA)    \
	X(clear_delays, "Events", "", "[EVENT]", "No delay after events, or after one", WHEN_DATA) \
	X(clear_pauses, "Events", "", "[EVENT]", "No pause after events, or after one", WHEN_DATA) \
	X(reset_periods, "Events", "", "[EVENT]", "Send each occurrence of events, or of one",     \
	    WHEN_DATA)                                                                             \
	X(default_filters, "Events", "", "[EVENT]", "Send all events at once, or one", WHEN_DATA)  \
	X(side_panel, "Window", "Q", "", "Show or hide the side panel", WHEN_ANY)                  \
	X(side_up, "Window", "Shift+PageUp", "", "Scroll the side panel up", WHEN_DATA)            \
	X(side_down, "Window", "Shift+PageDown", "", "Scroll the side panel down", WHEN_DATA)      \
	X(side_wider, "Window", "Shift+Left", "", "Make the side panel wider", WHEN_DATA)          \
	X(side_narrower, "Window", "Shift+Right", "", "Make the side panel narrower", WHEN_DATA)   \
	X(general_info, "Window", "I", "", "General information about the server", WHEN_DATA)      \
	X(help, "Window", "? F1", "", "All keys", WHEN_ANY)                                        \
	X(command_palette, "Window", "Ctrl+K Ctrl+Shift+P", "", "Find and run a command",          \
	    WHEN_ANY)                                                                              \
	X(theme, "Window", "F9", "[NAME]", "Next theme: dark, light, high contrast", WHEN_ANY)     \
	X(colours, "Window", "F8", "[NAME]", "Next ramp: viridis, cividis, grey, classic",         \
	    WHEN_ANY)                                                                              \
	X(scale_up, "Window", "Ctrl++ Ctrl+=", "", "Larger text and controls", WHEN_ANY)           \
	X(scale_down, "Window", "Ctrl+-", "", "Smaller text and controls", WHEN_ANY)               \
	X(scale_reset, "Window", "Ctrl+0", "", "Text and controls at their normal size", WHEN_ANY) \
	X(frame_overlay, "Window", "F12", "", "Show frame times, lag and bytes", WHEN_ANY)         \
	X(layout_save, "Window", "", "NAME", "Keep view, side panel, theme and scale", WHEN_ANY)   \
	X(layout_use, "Window", "", "NAME", "Use a layout that was kept", WHEN_ANY)                \
	X(layout_forget, "Window", "", "NAME", "Forget a layout", WHEN_ANY)                        \
	X(layout_undo, "Window", "Ctrl+Z", "", "The layout before the last change", WHEN_ANY)      \
	X(go_back, "Window", "Ctrl+Alt+Left", "", "Where you were before: view, space, tile",      \
	    WHEN_ANY)                                                                              \
	X(go_forward, "Window", "Ctrl+Alt+Right", "", "Forward again to where you came from",      \
	    WHEN_ANY)                                                                              \
	X(next_focus, "Window", "Tab", "", "Give the keyboard to the next control", WHEN_ANY)      \
	X(prev_focus, "Window", "Shift+Tab", "", "Give the keyboard to the previous control",      \
	    WHEN_ANY)                                                                              \
	X(back, "Window", "Escape", "", "One step back: close, leave, deselect", WHEN_ANY)         \
	X(copy, "Output", "Ctrl+C", "", "Copy the panel in focus as text", WHEN_ANY)               \
	X(export_png, "Output", "Ctrl+E", "[FILE]", "Save the window as a PNG picture", WHEN_ANY)  \
	X(export_svg, "Output", "Ctrl+Shift+E", "[FILE]", "Save the view as an SVG picture",       \
	    WHEN_ANY)                                                                              \
	X(dump, "Output", "", "[FILE]", "Write the content of the window as text", WHEN_ANY)       \
	X(quit, "Window", "Ctrl+Q", "", "Leave", WHEN_ANY)

enum command_id {
#define X(id, section, keys, args, help, when) COMMAND_##id,
	COMMANDS(X)
#undef X
	    COMMAND_COUNT
};

struct command {
	const char *name;
	const char *section;
	const char *keys;
	const char *args; /* "" none, "[X]" optional, "X" needed */
	const char *help;
	enum command_when when;
};

const struct command *command_at(enum command_id id);

/* The command of that name (n bytes); COMMAND_COUNT if there is none. */
enum command_id command_find(const char *name, size_t n);

/* The command that a key runs; a letter with Shift falls back to the plain letter. */
enum command_id command_of_key(struct keystroke stroke);

/* True when the command cannot run without an argument (such ones are not in the palette). */
bool command_needs_argument(enum command_id id);

/* Points of a command whose name or help contains the pattern as it stands; at least. */
#define COMMAND_MATCH_WHOLE 1000

/* How well a typed pattern fits a command: all of its letters in order, early and together is
 * better. 0: it does not fit. */
int command_match(enum command_id id, const char *pattern);

#endif
