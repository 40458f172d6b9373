(function () {
'use strict';
Array.prototype.forEach.call(document.querySelectorAll('svg.chart'), function (svg) {
  var note = svg.parentNode.querySelector('.note');
  svg.addEventListener('mouseover', function (e) {
    var at = e.target, title = null;
    while (at !== svg && title === null) {
      title = at.querySelector('title'); at = at.parentNode;
    }
    note.textContent = title === null ? '' : title.textContent;
  });
  svg.addEventListener('mouseleave', function () { note.textContent = ''; });
});
}());
