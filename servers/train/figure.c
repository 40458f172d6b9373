#include "figure.h"

#include <stdio.h>
#include <string.h>

/* Rows and tiles are as large as a screen can show; the user can make a recording of the same run, and
 * look at all of it. */
static const struct figure all[] = {
    {.number = 5,
	.shows = "db: used space of regions, and of cars",
	.look = "history space=Regions\nhistory space+=Cars\nhistory stream=Used space\n"
		"history rows=700\nhistory tile=1\n",
	.parts = {{.options = {"mutator=db", "regions=512"}}}},
    {.number = 6,
	.shows = "reptile: where cars are evacuated to",
	.look =
	    "history space=Cars\nhistory stream=Evacuation\nhistory rows=1000\nhistory tile=1\n",
	.parts = {{.options = {"mutator=reptile", "steps=1"}}}},
    {.number = 7,
	.shows = "gcold: length of trains, evacuation to them, higher references",
	.look = "history space=Trains\nhistory stream=Length\nhistory stream+=Evacuation\n"
		"history stream+=Higher references\nhistory rows=800\nhistory tile=2\n",
	.parts = {{.options = {"mutator=gcold", "steps=300"}}}},
    {.number = 8,
	.shows = "pretzel: length, evacuation, higher references, remembered sets of trains",
	.look = "history space=Trains\nhistory stream=Length\nhistory stream+=Evacuation\n"
		"history stream+=Higher references\nhistory stream+=RS length\nhistory rows=400\n"
		"history tile=3\n",
	.parts = {{.options = {"mutator=pretzel", "steps=1", "fill=8"}}}},
    {.number = 9,
	.shows =
	    "paraffins: remembered sets of cars, without and with popular objects and coarsening",
	.look = "history space=Cars\nhistory stream=RS entries\nhistory rows=800\nhistory tile=1\n",
	.parts = {{.name = "top", .options = {"mutator=paraffins", "popular=0", "coarsen=0"}},
	    {.name = "bottom", .options = {"mutator=paraffins"}}}},
};

const struct figure *figure_at(size_t index)
{
	return index < sizeof all / sizeof all[0] ? &all[index] : NULL;
}

const struct figure *figure_find(uint32_t number)
{
	for (size_t i = 0; figure_at(i) != NULL; i++)
		if (figure_at(i)->number == number)
			return figure_at(i);
	return NULL;
}

bool figure_path(const struct figure_part *part, const char *output, char *path, size_t bytes)
{
	const char *slash = strrchr(output, '/'), *dot = strrchr(output, '.');
	size_t stem = strlen(output);
	if (dot != NULL && (slash == NULL || dot > slash + 1) && dot != output)
		stem = (size_t)(dot - output);
	int length = snprintf(path, bytes, "%.*s%s%s%s", (int)stem, output,
	    part->name != NULL ? "-" : "", part->name != NULL ? part->name : "", output + stem);
	return length > 0 && (size_t)length < bytes;
}
