(function () {
'use strict';
var tables = document.querySelectorAll('table.sites');
Array.prototype.forEach.call(tables, function (table) {
var body = table.tBodies[0];
var heads = Array.prototype.slice.call(table.tHead.rows[0].cells);
function value(row, i) {
  var cell = row.cells[i], v = cell.getAttribute('data-value');
  return v === null ? cell.textContent : +v;
}
heads.forEach(function (head, i) {
  head.addEventListener('click', function () {
    var down = !head.classList.contains('down');
    heads.forEach(function (h) { h.classList.remove('up', 'down'); });
    head.classList.add(down ? 'down' : 'up');
    Array.prototype.slice.call(body.rows).sort(function (a, b) {
      var x = value(a, i), y = value(b, i), order = x > y ? -1 : x < y ? 1 : 0;
      return down ? order : -order;
    }).forEach(function (row) { body.appendChild(row); });
  });
});
});
if (tables.length === 0) { return; }
var field = document.getElementById('words');
field.parentNode.hidden = false;
field.addEventListener('input', function () {
  var test = window.gcspySearch(field.value);
  Array.prototype.forEach.call(tables, function (table) {
    Array.prototype.forEach.call(table.tBodies[0].rows, function (row) {
      row.hidden = test !== null && !test.test(row.textContent);
    });
  });
});
}());
