// Draws placed boxes and lines, only those in view.

/// Below this scale, text is not readable.
const textScale = 0.32;
/// Boxes around the view are drawn, too, so that a small move draws nothing.
const margin = 0.4;

/// The share of a metric in the largest box, for colours.
function heatOf(value, most) {
  return value > 0 && most > 0 ? Math.pow(value / most, 0.85) : 0;
}

class Scene {
  constructor(svg, events) {
    this.svg = svg;
    this.events = events;
    this.lines = draw('path', {class: 'lines'});
    this.direct = draw('path', {class: 'lines direct'});
    this.active = draw('path', {class: 'lines active'});
    this.back = draw('g', {});
    this.front = draw('g', {});
    this.world = draw('g', {class: 'world'}, this.back, this.lines, this.direct, this.active, this.front);
    svg.append(this.world);
    this.shown = new Map();
    this.placed = {boxes: [], edges: [], w: 0, h: 0};
  }

  /// Shows other boxes. The drawn ones go.
  show(placed) {
    this.placed = placed;
    for (const edge of placed.edges) {
      edge.path = linePath(edge.points);
      edge.top = Math.min(edge.points[0][1], edge.points[edge.points.length - 1][1]);
      edge.bottom = Math.max(edge.points[0][1], edge.points[edge.points.length - 1][1]);
      edge.left = edge.points.reduce((least, point) => Math.min(least, point[0]), Infinity);
      edge.right = edge.points.reduce((most, point) => Math.max(most, point[0]), -Infinity);
    }
    for (const element of this.shown.values())
      element.remove();
    this.shown.clear();
    this.drawn = null;
  }

  /// Moves the drawing, and draws what has come into view.
  move(view, width, height) {
    this.world.setAttribute('transform', `translate(${view.x} ${view.y}) scale(${view.k})`);
    this.svg.classList.toggle('coarse', view.k < textScale);
    const area = {left: -view.x / view.k, top: -view.y / view.k,
                  right: (width - view.x) / view.k, bottom: (height - view.y) / view.k};
    const old = this.drawn;
    if (old && area.left >= old.left && area.top >= old.top && area.right <= old.right && area.bottom <= old.bottom
        && old.isCoarse === view.k < textScale)
      return;
    const dx = (area.right - area.left) * margin, dy = (area.bottom - area.top) * margin;
    this.drawn = {left: area.left - dx, top: area.top - dy, right: area.right + dx, bottom: area.bottom + dy,
                  isCoarse: view.k < textScale};
    this.update();
  }

  isIn(item) {
    const area = this.drawn;
    return item.left <= area.right && item.top <= area.bottom
        && (item.right === undefined ? item.left + item.w : item.right) >= area.left
        && (item.bottom === undefined ? item.top + item.h : item.bottom) >= area.top;
  }

  update() {
    if (!this.drawn)
      return;
    const wanted = new Set(this.placed.boxes.filter(box => this.isIn(box) || box === this.focused));
    for (const [box, element] of this.shown)
      if (!wanted.has(box) || element.isCoarse !== this.drawn.isCoarse) {
        if (box === this.focused && wanted.has(box))
          continue;
        element.remove();
        this.shown.delete(box);
      }
    for (const box of wanted)
      if (!this.shown.has(box)) {
        const element = this.element(box);
        element.isCoarse = this.drawn.isCoarse;
        this.shown.set(box, element);
        (box.isOpen ? this.back : this.front).append(element);
      }
    const lines = [], direct = [];
    for (const edge of this.placed.edges)
      if (this.isIn(edge))
        (edge.isDirect ? direct : lines).push(edge.path);
    this.lines.setAttribute('d', lines.join(''));
    this.direct.setAttribute('d', direct.join(''));
    this.highlight(this.selected);
  }

  element(box) {
    const group = box.node ? groupOf(box.node) : box.group;
    const hue = this.events.hue(box, group), heat = this.events.heat(box);
    const kind = box.node && box.isLeaf ? box.node.kind : box.kind;
    const element = draw('g', {
      class: ['box', kind, box.isOpen ? 'open' : 'closed', hue === null ? 'plain' : 'hued'].join(' '),
      transform: `translate(${Math.round(box.left * 10) / 10} ${Math.round(box.top * 10) / 10})`,
      role: 'button', tabindex: box === this.focused ? 0 : -1, 'aria-label': this.events.describe(box),
      'aria-expanded': box.isLeaf ? null : String(box.isOpen),
      '--hue': hue, '--heat': Math.round(heat * 100) + '%',
    });
    element.box = box;
    element.append(draw('rect', {class: 'frame', width: box.w, height: box.h, rx: box.isOpen ? 9 : 6}));
    if (group && !box.isOpen)
      element.append(draw('rect', {class: 'stripe', width: 5, height: box.h, rx: 2}));
    if (this.drawn.isCoarse)
      return element;
    const text = box.isLeaf ? 12 : 24;
    if (!box.isLeaf)
      element.append(draw('path', {class: 'toggle', d: box.isOpen ? 'M8 10l4 5 4-5z' : 'M10 8l5 4-5 4z'}),
                     draw('rect', {class: 'toggle-area', width: 24, height: 24}));
    element.append(draw('text', {class: 'title', x: text, y: 16}, box.title));
    const badge = this.events.badge(box);
    if (!box.isOpen)
      element.append(draw('text', {class: 'subtitle', x: text, y: 30}, box.subtitle));
    else if (badge)
      element.append(draw('text', {class: 'subtitle', x: box.w - 10, y: 16, 'text-anchor': 'end'}, badge));
    return element;
  }

  /// Marks a box, the lines at it and the boxes at their ends.
  highlight(selected) {
    this.selected = selected;
    const paths = [], near = new Set();
    if (selected)
      for (const edge of this.placed.edges)
        if (edge.from === selected || edge.ends.has(selected)) {
          paths.push(edge.path);
          near.add(edge.from);
          edge.ends.forEach(end => edge.from === selected && near.add(end));
        }
    this.active.setAttribute('d', paths.join(''));
    for (const [box, element] of this.shown) {
      element.classList.toggle('selected', box === selected);
      element.classList.toggle('near', box !== selected && near.has(box));
    }
  }

  /// Gives the focus of the keyboard to a box.
  focus(box, isActive) {
    const before = this.shown.get(this.focused);
    if (before)
      before.setAttribute('tabindex', -1);
    this.focused = box;
    if (box && this.drawn && !this.shown.has(box))
      this.update();
    const element = this.shown.get(box);
    if (!element)
      return;
    element.setAttribute('tabindex', 0);
    if (isActive)
      element.focus({preventScroll: true});
  }
}
