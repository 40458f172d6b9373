/* Canvas, damage, text and pictures: pure memory, no SDL. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "canvas.h"
#include "png.h"
#include "font.h"
#include "layer.h"
#include "layout.h"
#include "ui_world.h"
#include "utf8.h"

static uint32_t at(const struct cv *cv, int x, int y)
{
	return cv->px[y * cv->w + x] & 0xffffff;
}

static int count(const struct cv *cv, uint32_t colour)
{
	int n = 0;
	for (int i = 0; i < cv->w * cv->h; i++)
		n += (cv->px[i] & 0xffffff) == colour;
	return n;
}

Test(canvas, fill_is_clipped_to_buffer_and_clip)
{
	struct cv cv;
	cr_assert(cv_init(&cv, 20, 10));
	cv_fill(&cv, rect_make(-5, -5, 100, 100), 0x112233);
	cr_assert_eq(count(&cv, 0x112233), 200);
	cv_push_clip(&cv, rect_make(2, 2, 3, 3));
	cv_push_clip(&cv, rect_make(4, 0, 50, 50));
	cv_fill(&cv, rect_make(0, 0, 20, 10), 0xff0000);
	cv_pop_clip(&cv);
	cr_assert_eq(count(&cv, 0xff0000), 3, "the clips intersect");
	cv_pop_clip(&cv);
	cv_hatch(&cv, rect_make(-4, -4, 60, 60), 3, 0x00ff00);
	cv_round(&cv, rect_make(-4, -4, 60, 60), 5, 0x0000ff);
	cv_round_frame(&cv, rect_make(15, 5, 60, 60), 5, 2, 0x0000ff);
	cv_arrow(&cv, rect_make(-3, -3, 60, 60), -1, 0x0000ff);
	cv_fini(&cv);
	cv_fini(&cv);
}

Test(canvas, sizes_that_cannot_be)
{
	struct cv cv;
	cr_assert_not(cv_init(&cv, 0, 10));
	cr_assert(cv_init(&cv, 4, 4));
	cr_assert_not(cv_resize(&cv, 40000, 4));
	cr_assert_eq(cv.w, 4, "the old buffer stays");
	cv_fini(&cv);
}

Test(canvas, frame_draws_the_edge_only)
{
	struct cv cv;
	cr_assert(cv_init(&cv, 10, 10));
	cv_frame(&cv, rect_make(1, 1, 6, 5), 1, 0xffffff);
	cr_assert_eq(count(&cv, 0xffffff), 2 * 6 + 2 * 3);
	cr_assert_eq(at(&cv, 2, 2), 0);
	cv_fini(&cv);
}

Test(canvas, hatch_is_anchored_to_its_rectangle)
{
	struct cv a, b;
	cr_assert(cv_init(&a, 30, 30));
	cr_assert(cv_init(&b, 30, 30));
	cv_hatch(&a, rect_make(3, 4, 12, 12), 4, 0xffffff);
	cv_push_clip(&b, rect_make(0, 0, 9, 30));
	cv_hatch(&b, rect_make(3, 4, 12, 12), 4, 0xffffff);
	cv_pop_clip(&b);
	cv_push_clip(&b, rect_make(9, 0, 21, 30));
	cv_hatch(&b, rect_make(3, 4, 12, 12), 4, 0xffffff);
	cr_assert_arr_eq(a.px, b.px, 900 * sizeof *a.px, "painting in parts gives the same pixels");
	cv_fini(&a);
	cv_fini(&b);
}

Test(canvas, mix_is_exact_at_both_ends)
{
	cr_assert_eq(cv_mix(0x123456, 0xfedcba, 0), 0xff123456u);
	cr_assert_eq(cv_mix(0x123456, 0xfedcba, 256), 0xfffedcbau);
	cr_assert_eq(cv_mix(0x000000, 0xffffff, 128) & 0xff, 127);
	struct cv cv;
	cr_assert(cv_init(&cv, 2, 1));
	cv_blend(&cv, rect_make(0, 0, 1, 1), 0xffffff, 255);
	cr_assert_eq(at(&cv, 0, 0), 0xffffff);
	cv_fini(&cv);
}

Test(damage, covers_everything_and_stays_short)
{
	struct damage d = {.count = 0};
	for (int i = 0; i < 500; i++) {
		struct cv_rect r = rect_make(i * 37 % 800, i * 91 % 600, 5 + i % 7, 3);
		damage_add(&d, r);
		cr_assert_leq(d.count, DAMAGE_RECTS);
	}
	for (int i = 0; i < 500; i++) {
		int x = i * 37 % 800, y = i * 91 % 600;
		bool covered = false;
		for (int k = 0; k < d.count; k++)
			covered = covered || rect_has(d.rect[k], x, y);
		cr_assert(covered, "rectangle %d is not covered", i);
	}
}

Test(damage, neighbours_become_one_and_far_ones_do_not)
{
	struct damage d = {.count = 0};
	damage_add(&d, rect_make(0, 0, 10, 10));
	damage_add(&d, rect_make(10, 0, 10, 10));
	cr_assert_eq(d.count, 1);
	damage_add(&d, rect_make(500, 500, 10, 10));
	cr_assert_eq(d.count, 2);
	damage_add(&d, rect_make(5, 5, 0, 10));
	cr_assert_eq(d.count, 2, "nothing is added for an empty rectangle");
	cr_assert(rect_same(d.rect[0], rect_make(0, 0, 20, 10)));
}

Test(layer, gives_back_what_was_under_it)
{
	struct cv cv;
	struct layer layer = {.on = false};
	cr_assert(cv_init(&cv, 40, 30));
	cv_hatch(&cv, rect_make(0, 0, 40, 30), 5, 0x808080);
	uint32_t before[1200];
	memcpy(before, cv.px, sizeof before);
	cr_assert(layer_save(&layer, &cv, rect_make(-10, 5, 30, 100)));
	cv_fill(&cv, rect_make(0, 5, 20, 25), 0xffffff);
	layer_restore(&layer, &cv);
	cr_assert_arr_eq(before, cv.px, sizeof before);
	cr_assert_not(layer_save(&layer, &cv, rect_make(100, 100, 5, 5)), "outside");
	layer_fini(&layer);
	cv_fini(&cv);
}

Test(layout, cutting_never_gives_more_than_there_is)
{
	struct cv_rect r = rect_make(0, 0, 100, 50);
	struct cv_rect top = cut_top(&r, 20);
	struct cv_rect rest = cut_bottom(&r, 1000);
	cr_assert(rect_same(top, rect_make(0, 0, 100, 20)));
	cr_assert(rect_same(rest, rect_make(0, 20, 100, 30)));
	cr_assert_eq(r.h, 0);
	cr_assert_eq(cut_left(&rest, -5).w, 0);
	cr_assert_eq(clamp_int(5, 9, 3), 9, "low wins");
}

Test(utf8, every_byte_sequence_decodes)
{
	const char *p = "\xc3\xa9";
	cr_assert_eq(utf8_next(&p), 0xe9u);
	cr_assert_eq(*p, 0);
	cr_assert_eq(utf8_next(&p), 0u, "the end stays the end");
	static const char *const bad[] = {
	    "\x80", "\xc0\xaf", "\xe2\x82", "\xed\xa0\x80", "\xf5\x80", "\xff"};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		p = bad[i];
		cr_assert_eq(utf8_next(&p), 0xfffdu);
		cr_assert_eq(p, bad[i] + 1, "one byte at a time");
	}
	cr_assert_eq(utf8_before("a\xe2\x82\xac", 4), 1u);
	cr_assert_eq(utf8_after("\xe2\x82\xac", 0), 3u);
	cr_assert_eq(utf8_after("", 0), 0u);
}

Test(text, names_of_java)
{
	static const char *const names[][2] = {
	    {"a\xed\xa0\xbd\xed\xb8\x80z", "a\xf0\x9f\x98\x80z"}, /* U+1F600 */
	    {"\xed\xaf\xbf\xed\xbf\xbf", "\xf4\x8f\xbf\xbf"},     /* U+10FFFF */
	    {"\xed\xa0\xbd", "\xed\xa0\xbd"},                     /* half of a pair */
	    {"\xed\xb8\x80\xed\xa0\xbd", "\xed\xb8\x80\xed\xa0\xbd"},
	    {"caf\xc3\xa9", "caf\xc3\xa9"}, {"", ""}};
	char text[32];
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		strcpy(text, names[i][0]);
		utf8_from_java(text);
		cr_assert_str_eq(text, names[i][1]);
	}
	utf8_from_java(NULL);
}

Test(text, ellipsis_and_alignment)
{
	struct fonts fonts;
	struct cv cv;
	cr_assert(fonts_block(&fonts, 100));
	cr_assert(cv_init(&cv, 200, 20));
	struct font *font = fonts.face[FONT_UI];
	cr_assert_eq(text_width(font, "abc"), 18);
	cr_assert_eq(text_width(font, "0"), text_width(font, "1"), "figures are tabular");
	text_in(&cv, font, rect_make(0, 0, 40, 20), TEXT_LEFT, 0xffffff, "abcdefghijkl");
	for (int y = 0; y < 20; y++)
		for (int x = 40; x < 200; x++)
			cr_assert_eq(at(&cv, x, y), 0u, "painted outside at %d,%d", x, y);
	cv_fill(&cv, rect_make(0, 0, 200, 20), 0);
	text_in(&cv, font, rect_make(0, 0, 200, 20), TEXT_RIGHT, 0xffffff, "I");
	bool found = false;
	for (int y = 0; y < 20; y++)
		found = found || at(&cv, 196, y) != 0;
	cr_assert(found, "right-aligned text ends at the right");
	cv_fini(&cv);
	fonts_fini(&fonts);
}

Test(text, breaks_at_spaces_and_inside_long_words)
{
	struct fonts fonts;
	cr_assert(fonts_block(&fonts, 100));
	struct font *font = fonts.face[FONT_UI];
	const char *next;
	cr_assert_eq(text_break(font, "one two three", 6 * 8, &next), 7u);
	cr_assert_str_eq(next, "three");
	cr_assert_eq(text_break(font, "abcdefgh", 6 * 3, &next), 3u);
	cr_assert_str_eq(next, "defgh");
	cr_assert_eq(text_break(font, "abc", 1, &next), 1u, "at least one character");
	cr_assert_eq(text_break(font, "ab\ncd", 600, &next), 2u);
	cr_assert_str_eq(next, "cd");
	struct cv_rect r = rect_make(0, 0, 6 * 3, 0);
	cr_assert_eq(text_paragraph(NULL, font, r, 0, "abcdefgh"), 3 * font_height(font));
	fonts_fini(&fonts);
}

Test(text, unknown_characters_are_boxes_and_many_glyphs_fit)
{
	struct fonts fonts;
	cr_assert(fonts_block(&fonts, 100));
	struct font *font = fonts.face[FONT_UI];
	for (uint32_t c = 0x400; c < 0x900; c++) {
		const struct font_glyph *g = font_glyph(font, c);
		cr_assert_eq(g->code, c);
		cr_assert_not_null(g->cover);
	}
	cr_assert_eq(font_glyph(font, 'A')->advance, 6);
	fonts_fini(&fonts);
}

static void round_trip(int w, int h, bool many_colours)
{
	char path[] = "/tmp/gcspy-png-XXXXXX";
	int fd = mkstemp(path);
	cr_assert_geq(fd, 0);
	close(fd);
	uint32_t *px = malloc((size_t)(w * h) * sizeof *px);
	for (int i = 0; i < w * h; i++)
		px[i] = 0xff000000u |
			(many_colours ? (uint32_t)i * 7919u & 0xffffffu : (uint32_t)(i % 200));
	struct gcs_error err;
	cr_assert_eq(png_write(path, px, w, h, &err), GCS_OK);
	int rw = 0, rh = 0;
	uint32_t *back = png_read(path, &rw, &rh);
	cr_assert_not_null(back);
	cr_assert(rw == w && rh == h);
	cr_assert_arr_eq(px, back, (size_t)(w * h) * sizeof *px);
	free(px);
	free(back);
	remove(path);
}

Test(png, round_trip_with_palette_and_with_many_colours)
{
	round_trip(31, 17, false);
	round_trip(60, 40, true);
	round_trip(1, 1, false);
}

Test(png, says_which_file_cannot_be_written)
{
	struct gcs_error err = {.text = ""};
	uint32_t px = 0;
	cr_assert_eq(png_write("/nowhere/at/all.png", &px, 1, 1, &err), GCS_IO);
	cr_assert_not_null(strstr(err.text, "/nowhere/at/all.png"));
}
