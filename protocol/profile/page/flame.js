window.gcspySearches = [];
Array.prototype.forEach.call(document.querySelectorAll('svg.flame'), function (svg) {
'use strict';
function part(name) { return document.getElementById(svg.id + '-' + name); }
var frames = part('frames'), details = part('details'), matched = part('matched');
var top = +frames.getAttribute('data-top'), rows = +frames.getAttribute('data-rows');
var icicle = frames.getAttribute('data-icicle') === '1';
var left = 12, width = 1176, row = 18, column = 7.3, still = details.textContent;
var nodes = Array.prototype.map.call(frames.children, function (g) {
  var rect = g.querySelector('rect'), words = g.querySelector('title').textContent;
  var y = +rect.getAttribute('y');
  var depth = Math.round((y - top) / row);
  return { g: g, rect: rect, text: g.querySelector('text'), words: words,
    name: words.split('\n')[0], kind: g.getAttribute('class').charAt(0),
    x: (+rect.getAttribute('x') - left) / width, w: +rect.getAttribute('width') / width,
    depth: icicle ? depth : rows - 1 - depth };
});
var root = nodes[0], at = root;
function columns(text) {
  var n = 0;
  Array.from(text).forEach(function (c) { n += c.codePointAt(0) > 0x10ff ? 2 : 1; });
  return n;
}
function shortened(n) {
  if (n.kind === 'o' || n.kind === 'r') { return n.name; }
  /* A slash is part of the names of hidden classes. */
  var words = n.kind === 'c' ? n.name : n.name.split('`').pop(), slash = words.indexOf('/');
  var end = slash < 0 ? words.length : slash;
  var parts = words.slice(0, end).split('.');
  return parts.slice(n.kind === 'c' ? -1 : -2).join('.') + words.slice(end);
}
function label(n, pixels) {
  var room = Math.floor((pixels - 8) / column);
  if (room < 3) { return ''; }
  if (columns(n.name) <= room) { return n.name; }
  var name = Array.from(shortened(n));
  if (columns(name.join('')) <= room) { return name.join(''); }
  while (columns(name.join('')) > room - 1) { name.pop(); }
  return name.join('') + '\u2026';
}
function place(n, x, w, above) {
  var y = top + (icicle ? n.depth : rows - 1 - n.depth) * row;
  n.g.style.display = 'inline';
  n.g.classList.toggle('above', above);
  n.rect.setAttribute('x', x); n.rect.setAttribute('y', y);
  n.rect.setAttribute('width', w);
  n.text.setAttribute('x', x + 4); n.text.setAttribute('y', y + 13);
  n.text.textContent = label(n, w);
}
function show(n) {
  var little = 1e-6, end = n.x + n.w;
  at = n;
  nodes.forEach(function (m) {
    if (m.depth < n.depth && m.x <= n.x + little && m.x + m.w >= end - little) {
      place(m, left, width, true);
    } else if (m.depth >= n.depth && m.x >= n.x - little && m.x + m.w <= end + little) {
      place(m, left + (m.x - n.x) / n.w * width, m.w / n.w * width, false);
    } else {
      m.g.style.display = 'none';
    }
  });
}
function pattern(words) {
  try { return new RegExp(words, 'i'); } catch (e) {
    return new RegExp(words.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'), 'i');
  }
}
function search(words) {
  var test = words ? pattern(words) : null, hits = [];
  nodes.forEach(function (n) {
    var hit = test !== null && n !== root && test.test(n.name);
    n.g.classList.toggle('hit', hit);
    if (hit) { hits.push(n); }
  });
  /* A hit above another one counts once. */
  hits.sort(function (a, b) { return a.x - b.x || a.depth - b.depth; });
  var end = -1, sum = 0;
  hits.forEach(function (n) {
    if (n.x >= end - 1e-6) { sum += n.w; end = n.x + n.w; }
  });
  matched.textContent = test === null ? '' :
    'matched ' + (100 * sum / root.w).toFixed(1) + ' %';
  return test;
}
function ask() {
  var field = document.getElementById('words');
  if (field) { field.focus(); field.select(); return; }
  var words = window.prompt('Search in names (regular expression)', '');
  if (words !== null) { search(words); }
}
function reset() {
  show(root); search('');
  var field = document.getElementById('words');
  if (field) { field.value = ''; field.dispatchEvent(new Event('input')); }
}
nodes.forEach(function (n) {
  n.g.addEventListener('click', function () { show(n); });
  n.g.addEventListener('mouseover', function () {
    details.textContent = n.words.split('\n').slice(1).join(', ');
  });
  n.g.addEventListener('mouseout', function () { details.textContent = still; });
});
part('search').addEventListener('click', ask);
part('reset').addEventListener('click', reset);
part('flip').addEventListener('click', function () {
  icicle = !icicle; show(at);
});
document.addEventListener('keydown', function (e) {
  if (e.key === 'Escape') { reset(); }
  if (e.key === '/' && e.target.tagName !== 'INPUT') { e.preventDefault(); ask(); }
});
svg.classList.add('live');
window.gcspySearches.push(search);
});
window.gcspySearch = function (words) {
  return window.gcspySearches.map(function (f) { return f(words); })[0];
};
