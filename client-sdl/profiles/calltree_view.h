/*
 * The call tree of the shown profile, with the data that views of trees share (S6, S8). Small trees
 * are built at once, large ones on a thread; the previous tree is shown meanwhile. A finished tree
 * does not change. Window thread only.
 */
#ifndef GCSPY_CLIENT_CALLTREE_VIEW_H
#define GCSPY_CLIENT_CALLTREE_VIEW_H

#include "calltree.h"

#include "export_text.h"
#include "profiles.h"

#define CALLTREE_METHOD  600   /* bytes of a method's name */
#define CALLTREE_AT_ONCE 6000u /* entries and stacks of profiles that need no thread */

enum calltree_form {
	CALLTREE_DOWN,    /* from the root to the classes */
	CALLTREE_UP,      /* from the classes to their callers */
	CALLTREE_SANDWICH /* two parts: its callers and its callees */
};

struct calltree_request {
	enum calltree_form form;
	bool collapse;
	char method[CALLTREE_METHOD]; /* of a sandwich */
	char thread[SITES_PATTERN];   /* only of threads with such names; "": all */
	/* Borrowed: reference chains in place of the shown profile, and which ones. */
	struct shared_profile *chains;
	uint32_t chains_version;
};

/* A tree, and by node: */
struct calltree_part {
	struct gcs_tree *tree; /* NULL: there is none */
	uint64_t *key;         /* of the names from the root on: the same in the next tree */
	bool *marked;          /* on the way to a site of the heap's selected tile; NULL: none is */
	uint32_t *below;       /* nodes of its subtree, itself included */
	struct calltree_ends {
		uint32_t count, largest; /* of the sites that end at it or below */
	} * ends;
};

struct calltree {
	struct work work;
	struct calltree_request request;
	uint32_t version; /* of the profiles */
	bool runtime_frame;
	bool unknown; /* the growth is not known */
	struct profiles_libraries libraries;
	uint32_t min_age, below_age;
	struct shared_profile *after, *before, *tile;
	/* The result; part 1 only in a sandwich. */
	struct gcs_sites *sites, *sites_before;
	struct calltree_part part[2];
	struct gcs_error err; /* why there is none */
};

/* A node of a made tree, for what the views of trees share; part NULL: no node. */
struct calltree_place {
	const struct calltree *tree;
	const struct calltree_part *part;
	uint32_t node;
};

/* A zeroed one is empty. */
struct calltree_maker {
	struct worker worker;
	struct calltree *made; /* the newest, possibly outdated; NULL: none */
	struct calltree_request request;
	uint32_t version; /* requested; 0: none yet */
	bool waiting;
};

void calltree_maker_fini(struct calltree_maker *maker);

/* Asks for a tree if the newest one is not what is shown or requested, or of other threads than the
 * filter wants; takes one that is ready. True when `made` is another one. */
bool calltree_sync(
    struct calltree_maker *maker, struct app *app, const struct calltree_request *request);

/* A node's total now and, in a difference, before. */
double calltree_value(const struct gcs_node *node, enum gcs_measure measure);
double calltree_base(const struct gcs_node *node, enum gcs_measure measure);

/* From -1 (gone) over 0 to 1 (new): by how much of both a node has changed. */
double calltree_change(const struct gcs_node *node, enum gcs_measure measure);

/* The node with that key, or GCS_NONE. */
uint32_t calltree_find(const struct calltree_part *part, uint64_t key);

/* The largest node of that name, whole or without its package; GCS_NONE if there is none. */
uint32_t calltree_find_name(const struct calltree_part *part, const char *name);

/* By node whether the filter finds it; the part of the whole below such nodes in *matched. False:
 * there is no such search (an open filter, threads) or no memory. */
bool calltree_search(const struct calltree_part *part, const struct sites_filter *filter,
    enum gcs_measure measure, bool *hit, double *matched);

/* The first frame outside the JDK and libraries of the largest site below a node; NULL: none. */
const struct gcs_frame *calltree_own_frame(struct calltree_place place);

/* The name without control characters, whole or without what may be missing. */
char *calltree_put_name(char *text, size_t size, const struct gcs_node *node);
char *calltree_put_short(char *text, size_t size, const struct gcs_node *node);

/* "java.util.HashMap.resize", "HashMap.resize", "resize": the next where one has no room. */
enum calltree_naming { CALLTREE_WHOLE, CALLTREE_SHORT, CALLTREE_METHOD_ONLY, CALLTREE_NAMINGS };
char *calltree_put_as(
    char *text, size_t size, const struct gcs_node *node, enum calltree_naming naming);

/* True, with a message, for a tree without calls because no thread matches the filter. */
bool calltree_lacks_threads(const struct calltree *tree, struct profiles_empty *empty);

/* Figures of a node, a line each: name, tab, value. */
void calltree_figures(struct calltree_place place, struct textbuf *out);

/* Distinguishes the nodes of a tree's parts, also in the next tree; 0 for no node. */
uint64_t calltree_place_key(struct calltree_place place);

/* How many sites are below a node, the numbers of the largest ones, at most PROFILES_KEPT, and the
 * node's short name. */
uint32_t calltree_place_sites(
    struct calltree_place place, uint64_t *numbers, char *name, size_t size);

/* Name and figures in the side panel, or the hint; the same in words, with a name for the node. */
void calltree_side_run(
    struct app *app, struct cv_rect *column, struct calltree_place place, const char *hint);
void calltree_side_text(struct calltree_place place, const char *what, struct textbuf *out);

/* "12 found · 34 % matched" while something is searched, or an error in the filter; else false. */
bool calltree_match_text(
    const struct app *app, bool searched, uint32_t hits, double matched, char *text, size_t size);

/* True, with a message, when there is no tree to show (yet). */
bool calltree_explain_empty(
    const struct calltree *made, const struct app *app, struct profiles_empty *empty);

/* Cuts a bar of buttons off a view of call sites: `count` of its own, then ages, compare, and where
 * calls can be collapsed, recursion. Returns the number of its own button that was pressed, or -1. */
enum { CALLTREE_BUTTONS = 3, CALLTREE_OWN_BUTTONS = 8 };
int calltree_buttons_run(struct app *app, const struct profiles_button *own, int count,
    const bool *collapse, uint32_t first_id, struct cv_rect *r);

#endif
