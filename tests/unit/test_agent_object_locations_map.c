/* The heap map's streams of sampled objects, on the synthetic VM (S8, F15). */
#include "object_locations_suite.h"

static void set_used(struct gcs_snapshot *s, uint32_t tile, int64_t bytes)
{
	const struct gcs_model *m = gcs_snapshot_model(s);
	for (uint32_t i = 0; i < m->space_count; i++)
		if (strcmp(m->spaces[i].name, "G1 regions") == 0)
			gcs_snapshot_write(
			    s, i, gcs_space_find_stream(&m->spaces[i], "Used"))[tile] = bytes;
}

/* The stream has what begins in each tile; it stays while objects move, and goes with sampling. */
Test(agent_places, stream_of_the_map)
{
	const char *g1 = "G1 regions";
	const uint64_t at[] = {R(1), R(3), R(3) + 8, R(3) + GRAIN - 8, R(6), 0};
	open_all(world_build_g1, at, 6);
	driver->capture(heap, raw);
	struct gcs_snapshot *s = map(NULL, NULL, 0);
	cr_assert(object_locations_map(object_locations, 0, server, &ticket, s));
	cr_assert_eq(value(s, g1, STREAM_SAMPLED_NAME, 0), 0);
	cr_assert_eq(value(s, g1, STREAM_SAMPLED_NAME, 1), SIZE);
	cr_assert_eq(value(s, g1, STREAM_SAMPLED_NAME, 3), 2 * SIZE + 8);
	cr_assert_eq(value(s, g1, STREAM_SAMPLED_NAME, 4), SIZE - 8, "the rest of the last one");
	cr_assert_eq(value(s, g1, STREAM_SAMPLED_NAME, 6), 24, "no more than is used");
	cr_assert_eq(summary(s, g1, STREAM_SAMPLED_NAME, 0), 5 * SIZE, "all of them are alive");
	slots[0] = R(2);
	cr_assert(
	    object_locations_map(object_locations, 2, server, &ticket, s), "of another moment");
	cr_assert_eq(value(s, g1, STREAM_SAMPLED_NAME, 1), SIZE);
	const int64_t all = summary(s, g1, STREAM_SAMPLED_NAME, 0);
	set_used(s, 3, 10);
	cr_assert(object_locations_map(object_locations, 2, server, &ticket, s));
	cr_assert_eq(value(s, g1, STREAM_SAMPLED_NAME, 1), SIZE);
	cr_assert_eq(value(s, g1, STREAM_SAMPLED_NAME, 3), 10, "less is in use now");
	cr_assert_eq(summary(s, g1, STREAM_SAMPLED_NAME, 0), all - (2 * SIZE + 8) + 10);
	set_used(s, 3, GRAIN);
	cr_assert(object_locations_map(object_locations, 0, server, &ticket, s));
	cr_assert_eq(value(s, g1, STREAM_SAMPLED_NAME, 1), 0);
	cr_assert_eq(
	    value(s, g1, STREAM_SAMPLED_NAME, 2), value(s, g1, "Used", 2), "less than SIZE");
	atomic_store(&sampler.interval, 0);
	cr_assert(object_locations_map(object_locations, 0, server, &ticket, s));
	cr_assert_eq(value(s, g1, STREAM_SAMPLED_NAME, 3), 0);
	cr_assert_eq(summary(s, g1, STREAM_SAMPLED_NAME, 0), 0);
	cr_assert_eq(gcs_snapshot_check(s, &err), GCS_OK, "%s", err.text);
	gcs_snapshot_unref(s);
	close_all();
}

/* Spaces of blocks, which do not follow one another. */
Test(agent_places, spaces_of_serial)
{
	world_build_serial();
	open_driver((struct heap_limits){.max_tiles = 8192});
	driver->capture(heap, raw);
	struct heap_location place;
	uint32_t found = 0;
	struct gcs_snapshot *s = map(NULL, NULL, 0);
	const struct gcs_model *m = gcs_snapshot_model(s);
	for (uint32_t i = 0; i < m->space_count; i++) {
		const struct gcs_space *space = &m->spaces[i];
		const int64_t *starts =
		    gcs_snapshot_values(s, i, gcs_space_role(space, GCS_ROLE_RANGE_START));
		const int64_t *ends =
		    gcs_snapshot_values(s, i, gcs_space_role(space, GCS_ROLE_RANGE_END));
		const int64_t *control =
		    gcs_snapshot_values(s, i, gcs_space_role(space, GCS_ROLE_CONTROL));
		for (uint32_t t = 0; t < gcs_snapshot_tiles(s, i); t++) {
			const bool in_use = (control[t] & GCS_TILE_USED) != 0;
			const uint64_t last = (uint64_t)ends[t] - 8;
			cr_assert_eq(driver->locate(heap, raw, last, &place), in_use);
			if (!in_use)
				continue;
			cr_assert_eq((int64_t)place.low, starts[t]);
			cr_assert_eq((int64_t)place.high, ends[t]);
			cr_assert_str_eq(place.type, space->name);
			found++;
		}
	}
	cr_assert_gt(found, 3);
	cr_assert_not(driver->locate(heap, raw, 8, &place));
	gcs_snapshot_unref(s);
	close_driver();
}

/* Live samples have their address and region; new ones are not counted as live anywhere. */
Test(agent_places, entries_of_live_samples)
{
	const uint64_t at[] = {R(1) + 8, R(3), 0, R(4)};
	open_all(world_build_g1, at, 4);
	sample_store_tracked(sampler.sample_store, 1)->judged = 0;
	struct gcs_profile *p = profile_of(NULL);
	cr_assert_eq(gcs_profile_entry_count(p), 4u);
	static const char *const regions[] = {"Eden", "Old", "", "Humongous"};
	for (uint32_t i = 0; i < 4; i++) {
		const struct gcs_profile_entry *e = gcs_profile_entry(p, i);
		cr_assert_eq(e->address, at[i]);
		cr_assert_not(e->approximate);
		cr_assert_eq(e->age, i != 1);
		cr_assert_str_eq(
		    e->region == 0 ? "" : gcs_profile_name(p, e->region - 1), regions[i]);
	}
	gcs_profile_free(p);
	p = profile(GCS_PROFILE_LIVE, NULL, SIZE + 1);
	cr_assert_eq(gcs_profile_entry_count(p), 0u);
	gcs_profile_free(p);
	driver->capture(heap, raw);
	struct gcs_snapshot *s = map(NULL, NULL, 0);
	cr_assert(object_locations_map(object_locations, 0, server, &ticket, s));
	cr_assert_eq(value(s, "G1 regions", STREAM_SAMPLED_NAME, 1), SIZE);
	cr_assert_eq(value(s, "G1 regions", STREAM_SAMPLED_NAME, 3), 0, "it is new");
	gcs_snapshot_unref(s);
	close_all();
}

/* A tile never has more live bytes than used ones. */
Test(agent_places, stream_is_limited_to_used_bytes)
{
	const uint64_t at[] = {R(1), R(3)};
	open_all(world_build_g1, at, 2);
	sample_store_tracked(sampler.sample_store, 0)->p = 1e-7;
	/* An object that covers the humongous region and a bit of the next one. */
	watch(2, R(4));
	sample_store_tracked(sampler.sample_store, 2)->size = GRAIN + 16;
	driver->capture(heap, raw);
	struct gcs_snapshot *s = map(NULL, NULL, 0);
	cr_assert(object_locations_map(object_locations, 0, server, &ticket, s));
	cr_assert_eq(value(s, "G1 regions", STREAM_SAMPLED_NAME, 4), GRAIN);
	cr_assert_eq(value(s, "G1 regions", STREAM_SAMPLED_NAME, 5), 16);
	const int64_t used = value(s, "G1 regions", "Used", 1);
	cr_assert_gt(used, 0);
	cr_assert_eq(value(s, "G1 regions", STREAM_SAMPLED_NAME, 1), used);
	/* The sum may be of more than fits into its tiles, but not of more than is in use. */
	const struct gcs_model *m = gcs_snapshot_model(s);
	const uint32_t id = gcs_model_find_space(m, "G1 regions");
	const int64_t *in_use =
	    gcs_snapshot_values(s, id, gcs_space_find_stream(&m->spaces[id], "Used"));
	int64_t all = 0;
	for (uint32_t i = 0; i < gcs_snapshot_tiles(s, id); i++)
		all += in_use[i];
	cr_assert_eq(summary(s, "G1 regions", STREAM_SAMPLED_NAME, 0), all);
	gcs_snapshot_unref(s);
	close_all();
}

/* Each tile has its error, from the samples in it: 1.96 roots of the sum of s²(1 - p)/p², of what of
 * them lies there. */
Test(agent_places, stream_has_its_errors)
{
	enum { OF = 6 };
	static const double p[OF] = {0.5, 1e-3, 0.25, 1, 0.01, 0.125};
	const char *g1 = "G1 regions";
	const uint64_t at[OF] = {R(3), R(3) + 512, R(3) + GRAIN - 16, R(4), R(1), 0};
	double squares[8] = {0}, all = 0;
	open_all(world_build_g1, at, OF);
	for (uint32_t i = 0; i < OF; i++)
		sample_store_tracked(sampler.sample_store, i)->p = p[i];
	for (uint32_t i = 0; i < OF - 1; i++) {
		const uint64_t region = (at[i] - HEAP) / GRAIN, next = R(region + 1);
		const double variance = SIZE * SIZE * (1 - p[i]) / (p[i] * p[i]);
		const double here = at[i] + SIZE <= next ? 1 : (double)(next - at[i]) / SIZE;
		squares[region] += here * here * variance;
		squares[region + 1] += (1 - here) * (1 - here) * variance;
		all += variance;
	}
	driver->capture(heap, raw);
	struct gcs_snapshot *s = map(NULL, NULL, 0);
	cr_assert(object_locations_map(object_locations, 0, server, &ticket, s));
	for (uint32_t tile = 0; tile < 8; tile++)
		cr_assert_eq(
		    value(s, g1, STREAM_ERROR_NAME, tile), llround(1.96 * sqrt(squares[tile])));
	cr_assert_eq(value(s, g1, STREAM_ERROR_NAME, 2), 0, "no sample, no error");
	cr_assert_gt(value(s, g1, STREAM_ERROR_NAME, 1), value(s, g1, STREAM_SAMPLED_NAME, 1));
	cr_assert_eq(summary(s, g1, STREAM_ERROR_NAME, 0), llround(1.96 * sqrt(all)));
	const uint32_t space = gcs_model_find_space(gcs_snapshot_model(s), g1);
	const struct gcs_space *described = &gcs_snapshot_model(s)->spaces[space];
	cr_assert_eq(gcs_snapshot_errors(s, space, gcs_space_find_stream(described, "Used")), NULL);
	cr_assert_eq(
	    gcs_snapshot_errors(s, space, gcs_space_find_stream(described, STREAM_SAMPLED_NAME))[3],
	    value(s, g1, STREAM_ERROR_NAME, 3));
	atomic_store(&sampler.interval, 0);
	cr_assert(object_locations_map(object_locations, 0, server, &ticket, s));
	cr_assert_eq(value(s, g1, STREAM_ERROR_NAME, 3), 0);
	cr_assert_eq(summary(s, g1, STREAM_ERROR_NAME, 0), 0);
	cr_assert_eq(gcs_snapshot_check(s, &err), GCS_OK, "%s", err.text);
	gcs_snapshot_unref(s);
	close_all();
}
