/*
 * The table of commands behind keys, help overlay, command palette, scripts and docs/keys.md.
 * Commands are run by app_commands.c or by the view that is shown.
 */
#ifndef GCSPY_CLIENT_COMMANDS_H
#define GCSPY_CLIENT_COMMANDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "input.h"

/* When a command can run. */
enum command_when {
	WHEN_ANY,
	WHEN_DATA, /* there is a snapshot, live or old */
	WHEN_LIVE, /* connected */
	WHEN_IDLE  /* not connected */
};

/* X(id, section, keys separated by spaces, arguments, help, when) */
#define COMMANDS(X)                                                                                \
	X(pause_resume, "Program", "Space", "", "Pause or resume; play or pause a recording",      \
	    WHEN_LIVE)                                                                             \
	X(step, "Program", ".", "", "Run to the next event, then pause", WHEN_LIVE)                \
	X(collect, "Program", "Ctrl+G", "[now]", "Collect garbage, which pauses the program",      \
	    WHEN_ANY)                                                                              \
	X(count_objects, "Program", "", "[HOW]", "Count objects, which lengthens pauses: on, off", \
	    WHEN_LIVE)                                                                             \
	X(ask, "Program", "Shift+Q", "[PLUGIN KEY=VALUE ...]",                                     \
	    "Ask a plugin about the program or the selected tile", WHEN_DATA)                      \
	X(connect, "Program", "Ctrl+L", "[ADDRESS]", "Connect to a server or open a file",         \
	    WHEN_ANY)                                                                              \
	X(open, "Program", "Ctrl+O", "[FILE]", "Browse folders for a recording and open it",       \
	    WHEN_ANY)                                                                              \
	X(open_sample, "Program", "Ctrl+Shift+O", "",                                              \
	    "Open the sample recording of a memory leak", WHEN_ANY)                                \
	X(start, "Program", "Alt+Home", "", "Show the start screen: other programs, recent files", \
	    WHEN_ANY)                                                                              \
	X(disconnect, "Program", "Shift+F5", "", "Disconnect or stop reconnecting", WHEN_ANY)      \
	X(reconnect, "Program", "F5", "", "Reconnect to the same server", WHEN_IDLE)               \
	X(auto_retry, "Program", "Shift+R", "", "Turn automatic reconnect on or off", WHEN_ANY)    \
	X(step_back, "Recording", ",", "", "Go to the previous event", WHEN_LIVE)                  \
	X(skip_forward, "Recording", "Alt+Right", "", "Go forward ten events", WHEN_LIVE)          \
	X(skip_back, "Recording", "Alt+Left", "", "Go back ten events", WHEN_LIVE)                 \
	X(first_event, "Recording", "Ctrl+Home", "", "Go to the first event", WHEN_LIVE)           \
	X(last_event, "Recording", "Ctrl+End", "", "Go to the last event", WHEN_LIVE)              \
	X(slower, "Recording", "<", "", "Halve the playback speed", WHEN_LIVE)                     \
	X(faster, "Recording", ">", "", "Double the playback speed", WHEN_LIVE)                    \
	X(backwards, "Recording", "Ctrl+B", "", "Reverse the playback direction", WHEN_LIVE)       \
	X(loop, "Recording", "Shift+L", "", "Turn looping playback on or off", WHEN_LIVE)          \
	X(play_speed, "Recording", "", "X", "Speed: a factor, 1/s, every 250 ms, compensated",     \
	    WHEN_LIVE)                                                                             \
	X(play_original, "Recording", "", "", "Play at the recorded speed", WHEN_LIVE)             \
	X(play_fast, "Recording", "", "", "Play as fast as possible", WHEN_LIVE)                   \
	X(play_each_second, "Recording", "", "", "Play one event per second", WHEN_LIVE)           \
	X(play_compensated, "Recording", "", "", "Play with GCspy's own overhead subtracted",      \
	    WHEN_LIVE)                                                                             \
	X(seek, "Recording", "", "PLACE", "Go to an event number or a time: 1:30, 2.5s",           \
	    WHEN_LIVE)                                                                             \
	X(record, "Recording", "Ctrl+R", "[FILE]", "Record to a file; offline: save the history",  \
	    WHEN_DATA)                                                                             \
	X(live, "Time", "L", "", "Return to the live program", WHEN_DATA)                          \
	X(pause_program, "Time", "", "", "Pause or resume the program while looking back",         \
	    WHEN_LIVE)                                                                             \
	X(range_begin, "Time", "B", "[PLACE]", "Start a time range here", WHEN_DATA)               \
	X(range_end, "Time", "Shift+B", "[PLACE]", "End the time range here", WHEN_DATA)           \
	X(range_clear, "Time", "", "", "Clear the time range", WHEN_DATA)                          \
	X(range, "Time", "", "FROM TO", "Select a time range by events or times", WHEN_DATA)       \
	X(bookmark, "Time", "M", "[at=PLACE] [NOTE]", "Add or remove a bookmark here", WHEN_DATA)  \
	X(bookmark_prev, "Time", "Ctrl+Left", "", "Go to the previous bookmark", WHEN_DATA)        \
	X(bookmark_next, "Time", "Ctrl+Right", "", "Go to the next bookmark", WHEN_DATA)           \
	X(time_scale, "Time", "", "[HOW]", "Timeline zoom: in, out, earlier, later or all",        \
	    WHEN_DATA)                                                                             \
	X(stream_next, "Spaces", "]", "", "Colour the active space by the next stream", WHEN_DATA) \
	X(stream_prev, "Spaces", "[", "", "Colour the active space by the previous one",           \
	    WHEN_DATA)                                                                             \
	X(stream, "Spaces", "", "[NAME]", "Colour by the named stream or one from a menu",         \
	    WHEN_DATA)                                                                             \
	X(space_next, "Spaces", "N", "", "Make the next space active", WHEN_DATA)                  \
	X(space_prev, "Spaces", "P", "", "Make the previous space active", WHEN_DATA)              \
	X(space, "Spaces", "", "NAME", "Make the named space active", WHEN_DATA)                   \
	X(toggle_group, "Spaces", "G", "[NAME]", "Collapse or expand the active group", WHEN_DATA) \
	X(expression, "Spaces", "X", "[TEXT]", "Colour the active space by an expression",         \
	    WHEN_DATA)                                                                             \
	X(split, "Spaces", "Shift+S", "[NAME]", "Show one more stream in each tile; off: one",     \
	    WHEN_DATA)                                                                             \
	X(order, "Spaces", "Y", "[KIND]", "Sort tiles: address, falling, rising", WHEN_DATA)       \
	X(columns, "Spaces", "", "N", "Tiles per row; 0: as many as fit", WHEN_DATA)               \
	X(tile_size, "Spaces", "", "[SIZE]",                                                       \
	    "Keep the size of the active space's tiles, or let them fit", WHEN_DATA)               \
	X(pin, "Spaces", "J", "", "Pin the active space to the top, or unpin it", WHEN_DATA)       \
	X(hide, "Spaces", "Shift+J", "", "Hide the active space", WHEN_DATA)                       \
	X(fold, "Spaces", "Shift+G", "", "Fold the active space to one line, or unfold it",        \
	    WHEN_DATA)                                                                             \
	X(show_hidden, "Spaces", "", "[NAME]", "Show hidden spaces again", WHEN_DATA)              \
	X(summary, "Spaces", "Shift+Y", "", "Show the summary of the active space", WHEN_DATA)     \
	X(space_colours, "Spaces", "", "[KEY=COLOUR]", "Choose the colours of the active space",   \
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
	X(look_closer, "Tiles", "Z", "", "Zoom into the memory of the selected tile", WHEN_LIVE)   \
	X(look_back, "Tiles", "Shift+Z", "", "Close the active zoom or the last one", WHEN_LIVE)   \
	X(tile_sites, "Tiles", "C", "[PLACE]", "Call sites of the marked or selected tiles",       \
	    WHEN_DATA)                                                                             \
	X(mark, "Tiles", "'", "[FROM TO]", "Start marking a range of tiles; again: extend",        \
	    WHEN_DATA)                                                                             \
	X(mark_add, "Tiles", "\"", "[FROM TO]", "Start marking another range of tiles", WHEN_DATA) \
	X(mark_remove, "Tiles", "", "[FROM TO]", "Unmark a range of tiles", WHEN_DATA)             \
	X(clear_markers, "Tiles", "Shift+Delete", "", "Clear all marks in the active space",       \
	    WHEN_DATA)                                                                             \
	X(compare_tiles, "Tiles", "", "FILE [EVENT]",                                              \
	    "Compare tiles with an event in a recording", WHEN_DATA)                               \
	X(equal, "Tiles", "V", "", "Outline tiles with the same value", WHEN_DATA)                 \
	X(find, "Tiles", "Ctrl+F", "[TEXT]", "Find an address or a name; filter call sites",       \
	    WHEN_ANY)                                                                              \
	X(overview, "View", "F3", "", "Show the overview: heap, pauses and rates over time",       \
	    WHEN_ANY)                                                                              \
	X(heap_map, "View", "1", "", "Show the heap map: spaces and their tiles", WHEN_ANY)        \
	X(leaks, "View", "F4", "[JOIN]", "Show what survives and grows, by frame, class or site",  \
	    WHEN_ANY)                                                                              \
	X(call_sites, "View", "2", "", "Show the call sites of sampled allocations", WHEN_ANY)     \
	X(flame_graph, "View", "3", "", "Show the flame graph of sampled allocations", WHEN_ANY)   \
	X(call_tables, "View", "4", "", "Show call sites as a tree of callers", WHEN_ANY)          \
	X(charts, "View", "6", "", "Show charts of the active space", WHEN_ANY)                    \
	X(events, "View", "7", "", "Show event counters, filters, latest events", WHEN_ANY)        \
	X(triggers, "View", "8", "", "Show triggers and what has fired", WHEN_ANY)                 \
	X(plugins, "View", "9", "", "Show plugins: questions to the program, and answers",         \
	    WHEN_ANY)                                                                              \
	X(zoom_in, "View", "+ = W", "", "Larger tiles", WHEN_DATA)                                 \
	X(zoom_out, "View", "- S", "", "Smaller tiles", WHEN_DATA)                                 \
	X(zoom_fit, "View", "0", "", "Fit the tiles to the window", WHEN_DATA)                     \
	X(pan_left, "View", "A", "", "Pan left or up", WHEN_DATA)                                  \
	X(pan_right, "View", "D", "", "Pan right or down", WHEN_DATA)                              \
	X(layout, "View", "Shift+M", "[NAME]", "Lay spaces out as wrapped or proportional",        \
	    WHEN_DATA)                                                                             \
	X(recency, "View", "Shift+V", "", "Fade tiles that have not changed recently", WHEN_DATA)  \
	X(scroll_up, "View", "PageUp", "", "Scroll up one page", WHEN_DATA)                        \
	X(scroll_down, "View", "PageDown", "", "Scroll down one page", WHEN_DATA)                  \
	X(chart, "View", "Shift+K", "[NAME]", "Next chart: bars, histogram, line, ...", WHEN_ANY)  \
	X(chart_add, "View", "Shift+N", "[NAME]", "Add a stream to the line chart", WHEN_DATA)     \
	X(chart_y, "View", "Shift+X", "[NAME]", "Change the y axis of the scatter plot",           \
	    WHEN_DATA)                                                                             \
	X(history, "History", "5", "[KEY=VALUE]", "Show the history graph or change a setting",    \
	    WHEN_ANY)                                                                              \
	X(history_settings, "History", "Shift+H", "", "Show the settings of the history graph",    \
	    WHEN_ANY)                                                                              \
	X(history_go, "History", "", "[SECONDS]", "Go to the time at the cursor, or another",      \
	    WHEN_DATA)                                                                             \
	X(history_png, "History", "", "[FILE]", "Save the whole graph as a PNG image", WHEN_DATA)  \
	X(sites_kind, "Call sites", "K", "[KIND]", "Samples: live, recent, frequent or allocated", \
	    WHEN_ANY)                                                                              \
	X(sites_filter, "Call sites", "/", "[TEXT]", "Filter by class, method or thread",          \
	    WHEN_ANY)                                                                              \
	X(sites_sort, "Call sites", "O", "[COLUMN]", "Sort by the next column", WHEN_ANY)          \
	X(sites_reverse, "Call sites", "Shift+O", "", "Reverse the sort order", WHEN_ANY)          \
	X(sites_plumbing, "Call sites", "H", "", "Show or hide runtime frames", WHEN_ANY)          \
	X(sites_new, "Call sites", "Shift+I", "",                                                  \
	    "Show or hide what no collection has judged yet", WHEN_ANY)                            \
	X(library, "Call sites", "", "[PREFIX...]", "Prefixes of library classes, or none",        \
	    WHEN_ANY)                                                                              \
	X(sites_refresh, "Call sites", "R", "", "Refresh the samples now", WHEN_ANY)               \
	X(sites_auto, "Call sites", "Shift+A", "", "Turn automatic refresh on or off", WHEN_ANY)   \
	X(sites_sample, "Call sites", "E", "[INTERVAL]",                                           \
	    "Sample every 512 KiB; 0 turns sampling off", WHEN_LIVE)                               \
	X(site_tiles, "Call sites", "T", "[NUMBER]",                                               \
	    "Show the selected call site on the heap map", WHEN_ANY)                               \
	X(site_holders, "Call sites", "Ctrl+Y", "[NUMBER]",                                        \
	    "Ask what holds the live objects of a call site", WHEN_LIVE)                           \
	X(sites_save, "Call sites", "Ctrl+S", "[FILE]", "Save the profile (compressed)", WHEN_ANY) \
	X(age_band, "Call sites", "Shift+E", "[FROM TO]",                                          \
	    "Only objects aged FROM to below TO, or all", WHEN_ANY)                                \
	X(compare, "Call sites", "Ctrl+D", "[FILE]", "Compare with this point in time, or a file", \
	    WHEN_ANY)                                                                              \
	X(compare_file, "Call sites", "", "[FILE]",                                                \
	    "Browse for a recording and compare call sites with it", WHEN_DATA)                    \
	X(flame_measure, "Call sites", "Shift+U", "", "Frame width: bytes or objects", WHEN_ANY)   \
	X(flame_way, "Call sites", "Shift+F", "", "Root at the bottom or at the top", WHEN_ANY)    \
	X(flame_holders, "Call sites", "Ctrl+Shift+Y", "[STATE]",                                  \
	    "Flame graph of what holds the objects that were asked about", WHEN_ANY)               \
	X(collapse_recursion, "Call sites", "Shift+C", "", "Collapse or expand recursive calls",   \
	    WHEN_ANY)                                                                              \
	X(sites_group, "Call sites", "Shift+T", "[GROUP]",                                         \
	    "Rows: site, class, frame, thread, package, or a tree", WHEN_ANY)                      \
	X(frame, "Call sites", "", "NAME", "Select the largest frame with this name", WHEN_ANY)    \
	X(open_frame, "Call sites", "Enter", "", "Zoom into the frame; expand or collapse row",    \
	    WHEN_ANY)                                                                              \
	X(frame_out, "Call sites", "Backspace", "", "Zoom out of the frame", WHEN_ANY)             \
	X(expand_all, "Call sites", "*", "", "Expand all rows below, or all groups", WHEN_ANY)     \
	X(filter, "Events", "", "EVENT KEY=VALUE",                                                 \
	    "Filter: enabled=no delay=50 pause=yes period=10", WHEN_DATA)                          \
	X(enable_events, "Events", "", "[EVENT]", "Enable all events or one", WHEN_DATA)           \
	X(disable_events, "Events", "", "[EVENT]", "Disable all events or one", WHEN_DATA)         \
	X(clear_delays, "Events", "", "[EVENT]", "Clear the delay after all events or one",        \
	    WHEN_DATA)                                                                             \
	X(clear_pauses, "Events", "", "[EVENT]", "Clear the pause after all events or one",        \
	    WHEN_DATA)                                                                             \
	X(reset_periods, "Events", "", "[EVENT]", "Reset the period of all events or one",         \
	    WHEN_DATA)                                                                             \
	X(update, "Events", "U", "[MS]", "Time between updates; 0: at each event", WHEN_DATA)      \
	X(trigger, "Events", "!", "[name=N do=... when=CONDITION]",                                \
	    "Set a trigger, or type its condition", WHEN_ANY)                                      \
	X(trigger_switch, "Events", "", "NAME", "Switch a trigger on or off", WHEN_ANY)            \
	X(trigger_remove, "Events", "", "NAME", "Remove a trigger", WHEN_ANY)                      \
	X(fired_prev, "Events", "Ctrl+Up", "", "Go to the previous fired trigger", WHEN_DATA)      \
	X(fired_next, "Events", "Ctrl+Down", "", "Go to the next fired trigger", WHEN_DATA)        \
	X(default_filters, "Events", "", "[EVENT]", "Reset all filters, or those of one event",    \
	    WHEN_DATA)                                                                             \
	X(side_panel, "Window", "Q", "", "Show or hide the side panel", WHEN_ANY)                  \
	X(side_up, "Window", "Shift+PageUp", "", "Scroll the side panel up", WHEN_DATA)            \
	X(side_down, "Window", "Shift+PageDown", "", "Scroll the side panel down", WHEN_DATA)      \
	X(side_wider, "Window", "Shift+Left", "", "Make the side panel wider", WHEN_DATA)          \
	X(side_narrower, "Window", "Shift+Right", "", "Make the side panel narrower", WHEN_DATA)   \
	X(general_info, "Window", "I", "", "Show information about the server", WHEN_DATA)         \
	X(settings, "Window", "Ctrl+,", "", "Change the settings of the window", WHEN_ANY)         \
	X(context_menu, "Window", "Shift+F10", "", "Menu of what is selected; also right click",   \
	    WHEN_ANY)                                                                              \
	X(help, "Window", "? F1", "", "Show all keys and commands", WHEN_ANY)                      \
	X(command_palette, "Window", "Ctrl+K Ctrl+Shift+P", "", "Find and run a command",          \
	    WHEN_ANY)                                                                              \
	X(theme, "Window", "F9", "[NAME]", "Next theme: dark, light, high contrast", WHEN_ANY)     \
	X(colours, "Window", "F8", "[NAME]", "Next ramp: viridis, cividis, grey, classic",         \
	    WHEN_ANY)                                                                              \
	X(scale_up, "Window", "Ctrl++ Ctrl+=", "", "Larger text and controls", WHEN_ANY)           \
	X(scale_down, "Window", "Ctrl+-", "", "Smaller text and controls", WHEN_ANY)               \
	X(scale_reset, "Window", "Ctrl+0", "", "Text and controls at their normal size", WHEN_ANY) \
	X(frame_overlay, "Window", "F12", "", "Show frame times, input lag, bytes received",       \
	    WHEN_ANY)                                                                              \
	X(layout_save, "Window", "", "NAME", "Save view, side panel, theme and scale", WHEN_ANY)   \
	X(layout_use, "Window", "", "NAME", "Restore a saved layout", WHEN_ANY)                    \
	X(layout_forget, "Window", "", "NAME", "Delete a saved layout", WHEN_ANY)                  \
	X(layout_undo, "Window", "Ctrl+Z", "", "Undo the last layout change", WHEN_ANY)            \
	X(go_back, "Window", "Ctrl+Alt+Left", "", "Go back to the previous view, space and tile",  \
	    WHEN_ANY)                                                                              \
	X(go_forward, "Window", "Ctrl+Alt+Right", "", "Go forward again", WHEN_ANY)                \
	X(next_focus, "Window", "Tab", "", "Focus the next control", WHEN_ANY)                     \
	X(prev_focus, "Window", "Shift+Tab", "", "Focus the previous control", WHEN_ANY)           \
	X(back, "Window", "Escape", "", "Back one step: close, leave, deselect", WHEN_ANY)         \
	X(copy, "Output", "Ctrl+C", "", "Copy the focused panel as text", WHEN_ANY)                \
	X(export_png, "Output", "Ctrl+E", "[FILE]", "Save the window as a PNG image", WHEN_ANY)    \
	X(export_svg, "Output", "Ctrl+Shift+E", "[FILE]", "Save the view as an SVG image",         \
	    WHEN_ANY)                                                                              \
	X(dump, "Output", "", "[FILE]", "Write the contents of the window as text", WHEN_ANY)      \
	X(quit, "Window", "Ctrl+Q", "", "Quit gcspy-view", WHEN_ANY)

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

/* The command with that name (n bytes), or COMMAND_COUNT. */
enum command_id command_find(const char *name, size_t n);

/* The command of a key; a letter with Shift falls back to the plain letter. */
enum command_id command_of_key(struct keystroke stroke);

/* True if the command requires an argument, which the palette and menus ask for. */
bool command_needs_argument(enum command_id id);

/* Rows by which a command moves the selection in a table with that many rows per page; 0: none. */
int64_t command_rows(enum command_id id, int page);

/* Minimum score of a command whose name or help contains the pattern verbatim. */
#define COMMAND_MATCH_WHOLE 1000

/* How well a typed pattern matches a command: all of its letters in order, the earlier and the
 * closer together the better. 0: no match. */
int command_match(enum command_id id, const char *pattern);
int command_match_text(const char *text, const char *pattern); /* likewise */

#endif
