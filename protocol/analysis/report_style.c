/* Style and script of the page. Everything can be read without the script. */
#include "report_page.h"
#include "sites_table.h"

static const char *const style[] = {
    ":root { color-scheme: light dark; --ink: #202428; --weak: #5b6470; --paper: #ffffff;\n"
    "  --line: #d8dce2; --raised: #f4f6f8; --accent: #1f5fbf; }\n"
    "@media (prefers-color-scheme: dark) { :root { --ink: #e4e7eb; --weak: #9ba4b3;\n"
    "  --paper: #16181c; --line: #353b45; --raised: #1f2229; --accent: #86b4f5; } }\n"
    "body { font: 14px/1.45 system-ui, 'DejaVu Sans', sans-serif; margin: 24px auto;\n"
    "  max-width: 1200px; padding: 0 16px; color: var(--ink); background: var(--paper); }\n"
    "h1 { font-size: 24px; margin: 0 0 8px; overflow-wrap: anywhere; }\n"
    "h2 { font-size: 18px; margin: 36px 0 8px; padding-bottom: 4px;\n"
    "  border-bottom: 1px solid var(--line); }\n"
    "h3 { font-size: 15px; margin: 20px 0 6px; } p { margin: 4px 0; } li { margin: 6px 0; }\n"
    "a { color: var(--accent); } nav a { margin-right: 14px; }\n"
    ".facts { display: grid; grid-template-columns: max-content 1fr; gap: 2px 16px; }\n"
    ".facts dt { color: var(--weak); } .facts dd { margin: 0; overflow-wrap: anywhere; }\n"
    ".small, .note, .key, footer { color: var(--weak); font-size: 12px; }\n"
    ".note { min-height: 1.5em; } figure { margin: 0 0 16px; } figcaption h3 { margin: 8px 0; }\n"
    ".key { margin-right: 14px; white-space: nowrap; } .sample { vertical-align: -2px; }\n"
    "caption { text-align: left; font-weight: bold; padding: 14px 0 4px; }\n"
    "th[scope=row] { text-align: left; font-weight: normal; }\n"
    "table.key td.words { font: inherit; color: var(--weak); }\n",
    "svg.chart, svg.flame { display: block; width: 100%; height: auto; }\n"
    "svg.chart { font: 12px system-ui, 'DejaVu Sans', sans-serif; fill: var(--ink); }\n"
    ".chart .grid { stroke: var(--line); stroke-width: 1; }\n"
    ".chart .up { text-anchor: end; } .chart .along { text-anchor: middle; }\n"
    ".chart .line { fill: none; stroke-width: 1.4; } .chart .band { stroke-opacity: 0.35; }\n"
    ".line.before, .band.before { stroke: #d55e00; } rect.before { fill: #d55e00; }\n"
    ".line.after, .band.after { stroke: #0072b2; } rect.after { fill: #0072b2; }\n"
    ".line.committed, .band.committed { stroke: #808894; } .line.committed {\n"
    "  stroke-dasharray: 5 3; } rect.committed { fill: #808894; }\n"
    ".chart .hit { fill: transparent; } .chart .hit:hover { fill: #80889466; }\n"
    ".chart .mean { stroke: var(--ink); fill: none; } .chart .full { stroke: #d55e00;\n"
    "  stroke-width: 1.5; } .chart .side { fill: var(--raised); }\n"
    ".chart .bars { stroke: #d55e00; fill: none; }\n"
    ".chart .rate rect { fill: #009e73; } .chart .most { stroke: #009e73; stroke-opacity: 0.45; }\n"
    ".chart image, img.map { image-rendering: pixelated; }\n"
    ".maps { display: grid; grid-template-columns: repeat(auto-fit, minmax(360px, 1fr));\n"
    "  gap: 16px; } img.map { max-width: 100%; height: auto; background: var(--raised); }\n"
    ".k0, rect.k0 { fill: #0072b2; } .k1, rect.k1 { fill: #e69f00; }\n"
    ".k2, rect.k2 { fill: #009e73; } .k3, rect.k3 { fill: #d55e00; }\n"
    ".k4, rect.k4 { fill: #cc79a7; } .k5, rect.k5 { fill: #56b4e9; }\n"
    ".k6, rect.k6 { fill: #b8a800; } .k7, rect.k7 { fill: #7a5195; }\n"
    ".k8, rect.k8 { fill: #2f4b7c; } .k9, rect.k9 { fill: #a05195; }\n"
    ".k10, rect.k10 { fill: #6b8e23; } .k11, rect.k11 { fill: #808894; }\n",
    "@media print { body { max-width: none; margin: 0; font-size: 11px; } nav, .note,\n"
    "  .button, #words { display: none; } figure, tr, li { break-inside: avoid; }\n"
    "  h2, h3 { break-after: avoid; } svg, img { print-color-adjust: exact;\n"
    "  -webkit-print-color-adjust: exact; } }\n",
};

/* What a title says is shown below the picture at once, without the browser's delay. */
static const char script[] =
    "/*<![CDATA[*/\n"
    "(function () {\n"
    "'use strict';\n"
    "Array.prototype.forEach.call(document.querySelectorAll('svg.chart'), function (svg) {\n"
    "  var note = svg.parentNode.querySelector('.note');\n"
    "  svg.addEventListener('mouseover', function (e) {\n"
    "    var at = e.target, title = null;\n"
    "    while (at !== svg && title === null) {\n"
    "      title = at.querySelector('title'); at = at.parentNode;\n"
    "    }\n"
    "    note.textContent = title === null ? '' : title.textContent;\n"
    "  });\n"
    "  svg.addEventListener('mouseleave', function () { note.textContent = ''; });\n"
    "});\n"
    "}());\n"
    "/*]]>*/";

void report_style(struct text *t)
{
	for (size_t i = 0; i < sizeof style / sizeof style[0]; i++)
		text_raw(t, style[i]);
	sites_table_style(t);
}

void report_script(struct text *t)
{
	text_raw(t, script);
	text_raw(t, "</script>\n<script>");
	sites_table_script(t);
}
