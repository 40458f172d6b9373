/*
 * Style and script of the flame graph. Both stand in sections of character data behind comment
 * signs, so that an XML parser leaves them alone, and one of HTML too.
 */
#include "flame_layout.h"

static const char *const style[] = {
    ".flame { font: 12px 'DejaVu Sans Mono', Menlo, Consolas, monospace; background: #ffffff; }\n"
    ".flame text { fill: #202428; white-space: pre; }\n"
    ".flame .title { font-size: 17px; font-weight: bold; }\n"
    ".flame .paper { fill: #ffffff; }\n"
    ".flame g text { fill: #16181c; pointer-events: none; }\n"
    ".flame g rect { rx: 2px; }\n"
    ".flame .j0 rect { fill: #f4b266; } .flame .j1 rect { fill: #f0a04b; }\n"
    ".flame .j2 rect { fill: #f7c385; }\n"
    ".flame .n0 rect { fill: #b39ddb; } .flame .n1 rect { fill: #a48bd3; }\n"
    ".flame .n2 rect { fill: #c4b2e4; }\n"
    ".flame .v0 rect { fill: #d98880; } .flame .v1 rect { fill: #d07a71; }\n"
    ".flame .v2 rect { fill: #e29c95; }\n"
    ".flame .c0 rect { fill: #8ec5a4; } .flame .c1 rect { fill: #7dba96; }\n"
    ".flame .c2 rect { fill: #a1d1b4; }\n"
    ".flame .o0 rect, .flame .o1 rect, .flame .o2 rect,\n"
    ".flame .r0 rect, .flame .r1 rect, .flame .r2 rect { fill: #c9ced6; }\n",
    ".flame .hit rect { fill: #e05297; }\n"
    ".flame .above { opacity: 0.55; }\n"
    ".flame .frames g { cursor: pointer; }\n"
    ".flame .frames g:hover rect { stroke: #202428; stroke-width: 1px; }\n"
    ".flame .button { display: none; cursor: pointer; fill: #1f5fbf; }\n"
    ".flame.live .button { display: inline; }\n"
    "@media (prefers-color-scheme: dark) {\n"
    ".flame { background: #16181c; } .flame .paper { fill: #16181c; }\n"
    ".flame text { fill: #e4e7eb; } .flame g text { fill: #16181c; }\n"
    ".flame .button { fill: #86b4f5; }\n"
    ".flame .frames g:hover rect { stroke: #ffffff; } }\n",
};

static const char *const script[] = {
    "window.gcspySearches = [];\n"
    "Array.prototype.forEach.call(document.querySelectorAll('svg.flame'), function (svg) {\n"
    "'use strict';\n"
    "function part(name) { return document.getElementById(svg.id + '-' + name); }\n"
    "var frames = part('frames'), details = part('details'), matched = part('matched');\n"
    "var top = +frames.getAttribute('data-top'), rows = +frames.getAttribute('data-rows');\n"
    "var icicle = frames.getAttribute('data-icicle') === '1';\n"
    "var left = 12, width = 1176, row = 18, column = 7.3, still = details.textContent;\n"
    "var nodes = Array.prototype.map.call(frames.children, function (g) {\n"
    "  var rect = g.querySelector('rect'), words = g.querySelector('title').textContent;\n"
    "  var y = +rect.getAttribute('y');\n"
    "  var depth = Math.round((y - top) / row);\n"
    "  return { g: g, rect: rect, text: g.querySelector('text'), words: words,\n"
    "    name: words.split('\\n')[0], kind: g.getAttribute('class').charAt(0),\n"
    "    x: (+rect.getAttribute('x') - left) / width, w: +rect.getAttribute('width') / width,\n"
    "    depth: icicle ? depth : rows - 1 - depth };\n"
    "});\n"
    "var root = nodes[0], at = root;\n",
    "function columns(text) {\n"
    "  var n = 0;\n"
    "  Array.from(text).forEach(function (c) { n += c.codePointAt(0) > 0x10ff ? 2 : 1; });\n"
    "  return n;\n"
    "}\n"
    "function shortened(n) {\n"
    "  if (n.kind === 'o' || n.kind === 'r') { return n.name; }\n"
    "  var parts = n.name.split('`').pop().split('.');\n"
    "  return parts.slice(n.kind === 'c' ? -1 : -2).join('.');\n"
    "}\n"
    "function label(n, pixels) {\n"
    "  var room = Math.floor((pixels - 8) / column);\n"
    "  if (room < 3) { return ''; }\n"
    "  if (columns(n.name) <= room) { return n.name; }\n"
    "  var name = Array.from(shortened(n));\n"
    "  if (columns(name.join('')) <= room) { return name.join(''); }\n"
    "  while (columns(name.join('')) > room - 1) { name.pop(); }\n"
    "  return name.join('') + '\\u2026';\n"
    "}\n"
    "function place(n, x, w, above) {\n"
    "  var y = top + (icicle ? n.depth : rows - 1 - n.depth) * row;\n"
    "  n.g.style.display = 'inline';\n"
    "  n.g.classList.toggle('above', above);\n"
    "  n.rect.setAttribute('x', x); n.rect.setAttribute('y', y);\n"
    "  n.rect.setAttribute('width', w);\n"
    "  n.text.setAttribute('x', x + 4); n.text.setAttribute('y', y + 13);\n"
    "  n.text.textContent = label(n, w);\n"
    "}\n",
    "function show(n) {\n"
    "  var little = 1e-6, end = n.x + n.w;\n"
    "  at = n;\n"
    "  nodes.forEach(function (m) {\n"
    "    if (m.depth < n.depth && m.x <= n.x + little && m.x + m.w >= end - little) {\n"
    "      place(m, left, width, true);\n"
    "    } else if (m.depth >= n.depth && m.x >= n.x - little && m.x + m.w <= end + little) {\n"
    "      place(m, left + (m.x - n.x) / n.w * width, m.w / n.w * width, false);\n"
    "    } else {\n"
    "      m.g.style.display = 'none';\n"
    "    }\n"
    "  });\n"
    "}\n"
    "function pattern(words) {\n"
    "  try { return new RegExp(words, 'i'); } catch (e) {\n"
    "    return new RegExp(words.replace(/[.*+?^${}()|[\\]\\\\]/g, '\\\\$&'), 'i');\n"
    "  }\n"
    "}\n"
    "function search(words) {\n"
    "  var test = words ? pattern(words) : null, hits = [];\n"
    "  nodes.forEach(function (n) {\n"
    "    var hit = test !== null && n !== root && test.test(n.name);\n"
    "    n.g.classList.toggle('hit', hit);\n"
    "    if (hit) { hits.push(n); }\n"
    "  });\n",
    "  /* A hit above another one counts once. */\n"
    "  hits.sort(function (a, b) { return a.x - b.x || a.depth - b.depth; });\n"
    "  var end = -1, sum = 0;\n"
    "  hits.forEach(function (n) {\n"
    "    if (n.x >= end - 1e-6) { sum += n.w; end = n.x + n.w; }\n"
    "  });\n"
    "  matched.textContent = test === null ? '' :\n"
    "    'matched ' + (100 * sum / root.w).toFixed(1) + ' %';\n"
    "  return test;\n"
    "}\n"
    "function ask() {\n"
    "  var field = document.getElementById('words');\n"
    "  if (field) { field.focus(); field.select(); return; }\n"
    "  var words = window.prompt('Search in names (regular expression)', '');\n"
    "  if (words !== null) { search(words); }\n"
    "}\n"
    "function reset() {\n"
    "  show(root); search('');\n"
    "  var field = document.getElementById('words');\n"
    "  if (field) { field.value = ''; field.dispatchEvent(new Event('input')); }\n"
    "}\n"
    "nodes.forEach(function (n) {\n"
    "  n.g.addEventListener('click', function () { show(n); });\n"
    "  n.g.addEventListener('mouseover', function () {\n"
    "    details.textContent = n.words.split('\\n').slice(1).join(', ');\n"
    "  });\n"
    "  n.g.addEventListener('mouseout', function () { details.textContent = still; });\n"
    "});\n",
    "part('search').addEventListener('click', ask);\n"
    "part('reset').addEventListener('click', reset);\n"
    "part('flip').addEventListener('click', function () {\n"
    "  icicle = !icicle; show(at);\n"
    "});\n"
    "document.addEventListener('keydown', function (e) {\n"
    "  if (e.key === 'Escape') { reset(); }\n"
    "  if (e.key === '/' && e.target.tagName !== 'INPUT') { e.preventDefault(); ask(); }\n"
    "});\n"
    "svg.classList.add('live');\n"
    "window.gcspySearches.push(search);\n"
    "});\n"
    "window.gcspySearch = function (words) {\n"
    "  return window.gcspySearches.map(function (f) { return f(words); })[0];\n"
    "};\n",
};

static void put_guarded(struct text *t, const char *const *parts, size_t count)
{
	text_raw(t, "/*<![CDATA[*/\n");
	for (size_t i = 0; i < count; i++)
		text_raw(t, parts[i]);
	text_raw(t, "/*]]>*/");
}

void flame_style(struct text *t)
{
	put_guarded(t, style, sizeof style / sizeof style[0]);
}

void flame_script(struct text *t)
{
	put_guarded(t, script, sizeof script / sizeof script[0]);
}
