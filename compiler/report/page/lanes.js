// A chart of rectangles over two axes, with zoom and pan on both.

const axisLeft = 74, axisBottom = 34, axisTop = 10;
/// Narrower rectangles have no text, and the smallest are drawn as one pixel.
const labelWidth = 46, letterWidth = 6.6, smallest = 0.7;

/// Round numbers between two, at most about `count`.
function ticksBetween(from, to, count, isBinary) {
  const raw = (to - from) / Math.max(1, count);
  if (!(raw > 0))
    return [];
  const base = isBinary ? 2 ** Math.floor(Math.log2(raw)) : 10 ** Math.floor(Math.log10(raw));
  const step = (isBinary ? [1, 2] : [1, 2, 5, 10]).map(factor => factor * base).find(each => each >= raw) || raw;
  const ticks = [];
  for (let i = Math.ceil(from / step); i * step <= to && ticks.length < 60; ++i)
    ticks.push(i * step);
  return ticks;
}

class Lanes {
  /// `chart` has the axes `x` and `y` with `title`, `size`, `format` and
  /// `isBinary`; `rects` with x0, x1, y0, y1, `label`, `short`, `title`, `item`, `hue`,
  /// `heat` and `kind`; `lines` with `points`, `kind` and `title`; and `bands`
  /// with x0, x1 and `label`.
  constructor(name, select) {
    this.select = select;
    this.shown = new Map();
    this.svg = draw('svg', {class: 'canvas', tabindex: 0, role: 'group', 'aria-label':
        name + '. Arrow keys go from one rectangle to the next; Enter shows details; plus and minus zoom.'});
    const clip = 'clip-' + name.replace(/\W/g, '');
    this.clip = draw('rect', {x: axisLeft, y: axisTop});
    this.bands = draw('g', {class: 'bands'});
    this.marks = draw('g', {class: 'marks'});
    this.curves = draw('g', {class: 'curves'});
    this.axes = draw('g', {class: 'axes', 'aria-hidden': 'true'});
    this.svg.append(draw('clipPath', {id: clip}, this.clip), this.axes,
                    draw('g', {'clip-path': `url(#${clip})`}, this.bands, this.marks, this.curves));
    this.tip = el('div', {class: 'tip hidden', role: 'status'});
    this.element = el('div', {class: 'drawing lanes'}, this.svg, this.tip);
    this.element.append(zoomButtons(this.element, this));
    enablePanZoom(this.svg, this);
    this.redraw = onceAFrame(() => this.update());
    this.svg.addEventListener('pointerover', event => this.point(event.target.closest('.mark')));
    this.svg.addEventListener('pointerleave', () => this.point(null));
    this.svg.addEventListener('focusin', event => this.point(event.target.closest('.mark')));
    this.svg.addEventListener('focusout', () => this.point(null));
    this.svg.addEventListener('click', event => this.click(event.target.closest('.mark')));
    this.svg.addEventListener('keydown', event => this.key(event));
    this.svg.addEventListener('focus', () => this.enter());
    new ResizeObserver(() => this.update()).observe(this.element);
  }

  show(chart) {
    this.chart = chart;
    this.kx = this.ky = 1;
    this.x = this.y = 0;
    this.clear();
    this.update();
  }

  clear() {
    for (const element of this.shown.values())
      element.remove();
    this.shown.clear();
  }

  get width() {
    return Math.max(40, this.element.clientWidth - axisLeft - 12);
  }

  get height() {
    return Math.max(40, this.element.clientHeight - axisTop - axisBottom);
  }

  /// From the chart's units to pixels.
  toX(x) {
    return axisLeft + (x / this.chart.x.size * this.kx - this.x) * this.width;
  }

  toY(y) {
    const part = this.chart.y.isDown ? y / this.chart.y.size : 1 - y / this.chart.y.size;
    return axisTop + (part * this.ky - this.y) * this.height;
  }

  fromX(pixel) {
    return ((pixel - axisLeft) / this.width + this.x) / this.kx * this.chart.x.size;
  }

  fromY(pixel) {
    const part = ((pixel - axisTop) / this.height + this.y) / this.ky;
    return (this.chart.y.isDown ? part : 1 - part) * this.chart.y.size;
  }

  fit() {
    this.kx = this.ky = 1;
    this.x = this.y = 0;
    this.redraw();
  }

  moveBy(dx, dy) {
    this.x -= dx / this.width;
    this.y -= dy / this.height;
    this.keepInside();
  }

  scaleBy(factor, x, y, axes) {
    const scale = (k, offset, at, most) => {
      const next = Math.max(1, Math.min(most, k * factor));
      return [next, (offset + at) * next / k - at];
    };
    if (axes !== 'y')
      [this.kx, this.x] = scale(this.kx, this.x, (x - axisLeft) / this.width, Math.max(4, this.chart.x.size * 2));
    if (axes !== 'x')
      [this.ky, this.y] = scale(this.ky, this.y, (y - axisTop) / this.height, 4000);
    this.keepInside();
  }

  keepInside() {
    this.x = Math.max(0, Math.min(this.kx - 1, this.x));
    this.y = Math.max(0, Math.min(this.ky - 1, this.y));
    this.redraw();
  }

  update() {
    if (!this.chart || !this.element.clientWidth)
      return;
    this.clip.setAttribute('width', this.width);
    this.clip.setAttribute('height', this.height);
    this.drawAxes();
    this.drawBands();
    const right = axisLeft + this.width, bottom = axisTop + this.height;
    const wanted = new Map();
    for (const rect of this.chart.rects) {
      const x = this.toX(rect.x0), x1 = this.toX(rect.x1), a = this.toY(rect.y0), b = this.toY(rect.y1);
      const y = Math.min(a, b), y1 = Math.max(a, b);
      if (x1 < axisLeft || x > right || y1 < axisTop || y > bottom)
        continue;
      if (((x1 - x) < smallest / 4 || (y1 - y) < smallest / 4) && rect !== this.focused)
        continue;
      wanted.set(rect, [x, y, Math.max(smallest, x1 - x), Math.max(smallest, y1 - y)]);
    }
    for (const [rect, element] of this.shown)
      if (!wanted.has(rect)) {
        element.remove();
        this.shown.delete(rect);
      }
    for (const [rect, box] of wanted)
      this.place(rect, ...box);
    this.drawCurves();
  }

  place(rect, x, y, w, h) {
    let element = this.shown.get(rect);
    if (!element) {
      element = draw('g', {
        class: 'mark ' + (rect.kind || '') + (rect.hue === null || rect.hue === undefined ? ' plain' : ' hued'),
        role: 'button', tabindex: rect === this.focused ? 0 : -1, 'aria-label': rect.title,
        '--hue': rect.hue, '--heat': Math.round((rect.heat || 0) * 100) + '%',
      }, draw('rect', {}), draw('text', {}));
      element.rect = rect;
      element.classList.toggle('selected', rect.item === this.selected && !!rect.item);
      this.shown.set(rect, element);
      this.marks.append(element);
    }
    const [frame, text] = element.children;
    // Gaps of half a pixel keep neighbours apart.
    const gap = w > 4 ? 0.5 : 0;
    for (const [key, value] of Object.entries({x: x + gap, y: y + gap, width: Math.max(smallest, w - 2 * gap), height: Math.max(smallest, h - 2 * gap)}))
      frame.setAttribute(key, Math.round(value * 100) / 100);
    const left = Math.max(x, axisLeft), room = Math.min(x + w, axisLeft + this.width) - left;
    const most = Math.max(3, Math.floor((room - 8) / letterWidth));
    const label = h > 13 && (room > labelWidth || (rect.short.length <= 4 && rect.short.length * letterWidth + 6 < room)) ? rect.label.length > most ? cut(rect.short, most) : rect.label : '';
    if (text.textContent !== label)
      text.textContent = label;
    if (label) {
      text.setAttribute('x', left + 4);
      text.setAttribute('y', y + Math.min(h / 2, 22) + 4);
    }
  }

  drawAxes() {
    const {x, y} = this.chart, right = axisLeft + this.width, bottom = axisTop + this.height;
    const parts = [];
    for (const tick of ticksBetween(this.fromX(axisLeft), this.fromX(right), this.width / 90)) {
      const at = this.toX(tick + (x.isCounted ? 0.5 : 0));
      if (at > right || (x.isCounted && !Number.isInteger(tick)))
        continue;
      parts.push(draw('path', {class: 'grid', d: `M${at} ${axisTop}V${bottom}`}),
                 draw('text', {x: at, y: bottom + 15, 'text-anchor': 'middle'}, x.format(tick)));
    }
    const ends = [this.fromY(bottom), this.fromY(axisTop)].sort((a, b) => a - b);
    for (const tick of ticksBetween(...ends, this.height / 40, y.isBinary)) {
      const at = this.toY(tick + (y.isCounted ? 0.5 : 0));
      if (at > bottom || (y.isCounted && !Number.isInteger(tick)))
        continue;
      parts.push(draw('path', {class: 'grid', d: `M${axisLeft} ${at}H${right}`}),
                 draw('text', {x: axisLeft - 6, y: at + 4, 'text-anchor': 'end'}, y.format(tick)));
    }
    parts.push(draw('text', {class: 'axis-title', x: axisLeft + this.width / 2, y: bottom + 30, 'text-anchor': 'middle'}, x.title),
               draw('text', {class: 'axis-title', transform: `translate(12 ${axisTop + this.height / 2}) rotate(-90)`, 'text-anchor': 'middle'}, y.title));
    this.axes.replaceChildren(...parts);
  }

  drawBands() {
    this.bands.replaceChildren(...(this.chart.bands || []).flatMap(band => {
      const x = this.toX(band.x0), w = Math.max(1, this.toX(band.x1) - x);
      return [draw('rect', {x, y: axisTop, width: w, height: this.height}),
              w > 50 ? draw('text', {x: Math.max(x, axisLeft) + 5, y: axisTop + 13}, cut(band.label, Math.floor(w / letterWidth))) : ''];
    }));
  }

  drawCurves() {
    this.curves.replaceChildren(...(this.chart.lines || []).flatMap(line => {
      const points = this.envelope(line.points).map(([x, y]) => x.toFixed(1) + ' ' + y.toFixed(1));
      const [x, y] = line.points[0];
      return [draw('path', {class: 'curve ' + line.kind, d: 'M' + points.join('L')}),
              line.label ? draw('text', {class: 'curve-label ' + line.kind, x: axisLeft + this.width - 8, 'text-anchor': 'end',
                                         y: this.toY(y) + (line.isBelow ? 14 : -5)}, line.label) : ''];
    }));
  }

  /// The points of a line in pixels. Of many points in one column, the largest
  /// stands for all.
  envelope(points) {
    const right = axisLeft + this.width;
    const seen = points.map(([x, y]) => [this.toX(x), this.toY(y)])
        .filter(([x], i, all) => (i + 1 === all.length || all[i + 1][0] >= axisLeft - 1) && (i === 0 || all[i - 1][0] <= right + 1));
    if (seen.length < this.width)
      return seen;
    const columns = new Map();
    for (const [x, y] of seen)
      columns.set(Math.round(x), Math.min(y, columns.has(Math.round(x)) ? columns.get(Math.round(x)) : Infinity));
    return [...columns];
  }

  point(mark) {
    this.tip.classList.toggle('hidden', !mark);
    if (!mark)
      return;
    this.tip.replaceChildren(...mark.rect.title.split('\n').map((line, i) => el(i ? 'div' : 'strong', {}, line)));
    const box = mark.getBoundingClientRect(), host = this.element.getBoundingClientRect();
    const left = Math.max(8, Math.min(host.width - this.tip.offsetWidth - 8, box.left - host.left + 8));
    const below = box.bottom - host.top + 8;
    const top = below + this.tip.offsetHeight < host.height ? below : Math.max(4, box.top - host.top - this.tip.offsetHeight - 8);
    this.tip.style.left = left + 'px';
    this.tip.style.top = Math.min(top, host.height - this.tip.offsetHeight - 4) + 'px';
  }

  click(mark) {
    if (mark)
      this.focus(mark.rect, true);
    this.mark(mark ? mark.rect.item : null);
    this.select(mark ? mark.rect.item : null);
  }

  /// Marks the rectangles of a thing.
  mark(item) {
    this.selected = item;
    for (const [rect, element] of this.shown)
      element.classList.toggle('selected', rect.item === item && !!item);
  }

  focus(rect, isActive) {
    const before = this.shown.get(this.focused);
    if (before)
      before.setAttribute('tabindex', -1);
    this.focused = rect;
    this.update();
    const element = this.shown.get(rect);
    if (!element)
      return;
    element.setAttribute('tabindex', 0);
    if (isActive)
      element.focus({preventScroll: true});
  }

  enter() {
    if (!this.focused || !this.chart.rects.includes(this.focused))
      this.focus(this.chart.rects[0], false);
  }

  /// Shows a rectangle in the middle, large enough to see.
  reveal(item) {
    const rect = this.chart.rects.find(each => each.item === item);
    if (!rect)
      return;
    const part = (rect.x1 - rect.x0) / this.chart.x.size;
    this.kx = Math.max(this.kx, Math.min(0.05 / part, this.chart.x.size * 2), 1);
    this.x = (rect.x0 + rect.x1) / 2 / this.chart.x.size * this.kx - 0.5;
    this.mark(item);
    this.focus(rect, false);
    this.keepInside();
  }

  key(event) {
    const rect = event.target.rect;
    const ways = {ArrowDown: [0, 1], ArrowUp: [0, -1], ArrowLeft: [-1, 0], ArrowRight: [1, 0]};
    if (event.key === 'Enter' && rect)
      this.click(event.target);
    else if (rect && ways[event.key])
      this.step(rect, ...ways[event.key]);
    else
      return;
    event.preventDefault();
  }

  step(rect, dx, dy) {
    const middle = each => [this.toX((each.x0 + each.x1) / 2), this.toY((each.y0 + each.y1) / 2)];
    const [x, y] = middle(rect);
    let nearest = null, least = Infinity;
    for (const each of this.chart.rects) {
      const [ox, oy] = middle(each), along = (ox - x) * dx + (oy - y) * dy, beside = Math.abs((ox - x) * dy) + Math.abs((oy - y) * dx);
      if (each !== rect && along > 0.5 && along + 3 * beside < least)
        [nearest, least] = [each, along + 3 * beside];
    }
    if (!nearest)
      return;
    const [ox, oy] = middle(nearest);
    if (ox < axisLeft || ox > axisLeft + this.width)
      this.x += (ox - x) / this.width;
    if (oy < axisTop || oy > axisTop + this.height)
      this.y += (oy - y) / this.height;
    this.keepInside();
    this.focus(nearest, true);
  }
}
