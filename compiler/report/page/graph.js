// The view of the graph: nodes in scopes and kernels, which open and close.

const largestScale = 2.5;

class GraphView {
  constructor(actions) {
    this.actions = actions;
    this.view = {x: 0, y: 0, k: 1};
    this.trees = new Map();
    this.colour = model.runs || model.metric === 'estimate' ? model.metric : 'kernel';
    this.svg = draw('svg', {class: 'canvas', tabindex: 0, role: 'group', 'aria-label':
        'Graph. Arrow keys go to operands, users and neighbours; Enter shows details; Space opens a box.'});
    this.map = el('canvas', {class: 'minimap', width: 150, height: 190, 'aria-hidden': 'true'});
    this.scene = new Scene(this.svg, {
      hue: (box, group) => this.colour === 'kernel' && group ? hueOf(group.kernelOf && group.kernelOf.number) : null,
      heat: box => this.heat(box),
      badge: box => this.badge(box),
      describe: box => this.describe(box),
    });
    const picker = el('select', {id: 'colour', onchange: event => this.recolour(event.target.value)},
                      this.colours().map(([value, title]) => el('option', {value, selected: value === this.colour}, title)));
    this.host = el('div', {class: 'drawing'}, this.svg, this.map);
    this.element = el('section', {class: 'view graph', 'aria-label': 'Graph'},
        el('div', {class: 'bar'},
           el('label', {for: 'colour'}, 'Colour'), picker,
           el('button', {type: 'button', onclick: () => this.openAll(false)}, 'Close all'),
           el('button', {type: 'button', onclick: () => this.openAll(true)}, 'Open all'),
           this.legend = el('span', {class: 'legend'}),
           el('span', {class: 'spring'}), this.note = el('span', {class: 'note'})),
        this.host);
    this.host.append(zoomButtons(this.host, this));
    enablePanZoom(this.svg, this);
    this.redraw = onceAFrame(() => this.move());
    this.svg.addEventListener('click', event => this.click(event));
    this.svg.addEventListener('dblclick', event => this.toggle(this.boxAt(event)));
    this.svg.addEventListener('keydown', event => this.key(event));
    this.svg.addEventListener('focus', () => this.enter());
    this.map.addEventListener('pointerdown', event => this.jump(event));
    this.map.addEventListener('pointermove', event => event.buttons && this.jump(event));
    new ResizeObserver(() => this.resize()).observe(this.host);
  }

  colours() {
    const names = [['kernel', 'by kernel']];
    if (model.runs)
      names.push(['us', 'by time']);
    if (model.groups.some(group => group.estimate))
      names.push(['estimate', 'by estimated time']);
    return [...names, ['multiply_adds', 'by multiply-adds'], ['bytes', 'by bytes']];
  }

  show(fn) {
    this.fn = fn;
    if (!this.trees.has(fn))
      this.trees.set(fn, buildTree(fn));
    this.tree = this.trees.get(fn);
    this.place();
    this.fitted = false;
    this.resize();
  }

  resize() {
    if (!this.fn || !this.host.clientWidth)
      return;
    if (!this.fitted)
      this.fit();
    this.move();
  }

  place() {
    this.placed = placeTree(this.tree, this.fn);
    this.scene.show(this.placed);
    const leaves = this.placed.boxes.filter(box => !box.isOpen || box.group);
    this.most = this.colour === 'kernel' ? 0 : leaves.reduce((most, box) => Math.max(most, box.measure(this.colour)), 0);
    this.note.textContent = `${format.exact(leaves.filter(box => !box.isOpen).length)} boxes for ${format.exact(this.fn.nodes.filter(isDrawn).length)} nodes`;
    this.legend.replaceChildren(...this.legendOf());
    this.drawMap();
  }

  legendOf() {
    if (this.colour === 'kernel')
      return [el('span', {class: 'key stripes'}), 'one colour, one kernel'];
    // A profile may be of another function.
    if (!this.most)
      return [`this function has no ${metrics[this.colour].title}`];
    return ['0', el('span', {class: 'key ramp'}), metrics[this.colour].format(this.most)];
  }

  /// Of a kernel of several nodes, the box has the colour and not each node.
  heat(box) {
    const isTime = this.colour === 'us' || this.colour === 'estimate';
    if (this.colour === 'kernel' || (box.isOpen && !(isTime && box.group)) || (isTime && box.parent.group && box.parent.isOpen))
      return 0;
    return heatOf(box.measure(this.colour), this.most);
  }

  /// What a box says of its part of the metric.
  badge(box) {
    const metric = this.colour === 'kernel' ? model.metric : this.colour;
    const value = box.measure(metric);
    return value ? metrics[metric].format(value) : '';
  }

  describe(box) {
    const parts = [box.node ? box.node.name : box.path || titleOf(box), subtitleOf(box)];
    const group = box.node ? groupOf(box.node) : box.group;
    if (group && group.kernel)
      parts.push(group.kernel);
    if (this.badge(box))
      parts.push(this.badge(box));
    return parts.join(', ');
  }

  move() {
    this.scene.move(this.view, this.host.clientWidth, this.host.clientHeight);
    this.drawMap();
  }

  moveBy(dx, dy) {
    this.view.x += dx;
    this.view.y += dy;
    this.keepInside();
    this.redraw();
  }

  scaleBy(factor, x, y) {
    const view = this.view, k = Math.max(0.01, Math.min(largestScale, view.k * factor));
    view.x = x - (x - view.x) * k / view.k;
    view.y = y - (y - view.y) * k / view.k;
    view.k = k;
    this.keepInside();
    this.redraw();
  }

  /// Some part of the graph stays in view.
  keepInside() {
    const view = this.view, w = this.placed.w * view.k, h = this.placed.h * view.k, room = 80;
    view.x = Math.max(room - w, Math.min(this.host.clientWidth - room, view.x));
    view.y = Math.max(room - h, Math.min(this.host.clientHeight - room, view.y));
  }

  /// Shows the whole graph, or its begin where the whole is too small to read.
  fit() {
    const width = this.host.clientWidth, height = this.host.clientHeight, {w, h} = this.placed;
    if (!width || !w)
      return;
    const whole = Math.min((width - 24) / w, (height - 24) / h);
    const again = this.fitted && this.view.k > whole * 1.01;
    const k = Math.min(1.1, again || whole > 0.6 ? whole : Math.max(whole, Math.min(0.85, (width - 24) / w), 0.45));
    this.view = {k, x: (width - w * k) / 2, y: h * k < height ? (height - h * k) / 2 : 12};
    this.fitted = true;
    this.redraw();
  }

  /// Centres a box; a scale at which its text is readable.
  centre(box) {
    const width = this.host.clientWidth, height = this.host.clientHeight;
    const k = Math.max(0.7, Math.min(this.view.k, 1.2));
    const middle = box.isOpen ? Math.min(box.h / 2, height / k / 2 - 20) : box.h / 2;
    this.view = {k, x: width / 2 - (box.left + box.w / 2) * k, y: height / 2 - (box.top + middle) * k};
    this.fitted = true;
    this.move();
  }

  boxAt(event) {
    const element = event.target.closest('.box');
    return element && element.box;
  }

  click(event) {
    const box = this.boxAt(event);
    if (event.target.classList.contains('toggle-area'))
      this.toggle(box);
    else
      this.select(box, true);
  }

  select(box, tells) {
    this.scene.focus(box || this.scene.focused, !!box && tells);
    this.scene.highlight(box);
    if (tells)
      this.actions.select(box ? this.itemOf(box) : null);
  }

  itemOf(box) {
    if (box.node)
      return {kind: 'node', node: box.node};
    return box.group ? {kind: 'group', group: box.group} : {kind: 'scope', box};
  }

  toggle(box) {
    if (!box || box.isLeaf)
      return;
    const x = box.left * this.view.k + this.view.x, y = box.top * this.view.k + this.view.y;
    box.isOpen = !box.isOpen;
    this.place();
    // The box stays under the pointer.
    this.view.x = x - box.left * this.view.k;
    this.view.y = y - box.top * this.view.k;
    this.select(box, false);
    this.move();
    this.scene.focus(box, true);
  }

  openAll(isOpen) {
    const stack = [...this.tree.root.children];
    while (stack.length) {
      const box = stack.pop();
      box.isOpen = isOpen && !box.isLeaf;
      stack.push(...box.children);
    }
    this.place();
    this.fitted = false;
    this.resize();
  }

  recolour(colour) {
    this.colour = colour;
    this.place();
    this.move();
  }

  /// Shows a node, in open boxes, and selects it.
  showNode(id) {
    if (reveal(this.tree, id))
      this.place();
    const box = this.tree.boxes.get(id);
    this.centre(box);
    this.select(box, false);
  }

  showGroup(group) {
    const box = group.nodes.length && this.tree.boxes.get(group.nodes[0].id);
    if (!box)
      return;
    this.showNode(group.nodes[0].id);
    const kernel = box.parent.group === group ? box.parent : box;
    this.centre(kernel);
    this.select(kernel, false);
  }

  /// The keyboard enters at the box that has had the focus, or at the first.
  enter() {
    const boxes = this.placed.boxes;
    if (!boxes.includes(this.scene.focused) && boxes.length)
      this.scene.focus(boxes.reduce((first, box) => box.top < first.top ? box : first), false);
  }

  key(event) {
    const box = event.target.box;
    const ways = {ArrowDown: [0, 1], ArrowUp: [0, -1], ArrowLeft: [-1, 0], ArrowRight: [1, 0]};
    if (event.key === 'Enter' && box)
      this.select(box, true);
    else if (event.key === ' ' && box)
      this.toggle(box);
    else if (box && ways[event.key])
      this.step(box, ...ways[event.key]);
    else
      return;
    event.preventDefault();
  }

  /// Goes to the next box: down to a user, up to an operand, else to the side.
  step(box, dx, dy) {
    const middle = each => [each.left + each.w / 2, each.top + (each.isOpen ? 0 : each.h / 2)];
    const [x, y] = middle(box);
    let next = [];
    for (const edge of this.placed.edges)
      if (dy > 0 && edge.from === box)
        next.push(...edge.ends);
      else if (dy < 0 && edge.ends.has(box))
        next.push(edge.from);
    if (!next.length || dx)
      next = this.placed.boxes.filter(each => {
        const [ox, oy] = middle(each);
        return each !== box && (dx ? (ox - x) * dx > 1 && Math.abs(oy - y) < 60 : (oy - y) * dy > 1);
      });
    const distance = each => Math.hypot(middle(each)[0] - x, (middle(each)[1] - y) * (dx ? 3 : 1));
    if (!next.length)
      return;
    const nearest = next.reduce((best, each) => distance(each) < distance(best) ? each : best);
    this.scene.focus(nearest, true);
    this.scene.highlight(nearest);
    this.keepInView(nearest);
  }

  /// Moves the view so that a box is in it.
  keepInView(box) {
    const {x, y, k} = this.view, width = this.host.clientWidth, height = this.host.clientHeight;
    const left = box.left * k + x, top = box.top * k + y;
    if (left < 10 || top < 10 || left + Math.min(box.w * k, width - 20) > width || top + Math.min(box.h * k, 60) > height)
      this.centre(box);
  }

  drawMap() {
    const context = this.map.getContext('2d'), {w, h} = this.placed;
    if (!context || !w)
      return;
    const size = [this.map.width, this.map.height], k = Math.min(size[0] / w, size[1] / h);
    this.mapScale = k;
    // A graph that is in view as a whole needs no map.
    const {x, y, k: scale} = this.view;
    const isWhole = x >= -20 && y >= -20 && x + w * scale <= this.host.clientWidth + 20 && y + h * scale <= this.host.clientHeight + 20;
    this.map.classList.toggle('hidden', isWhole);
    if (isWhole)
      return;
    const style = getComputedStyle(this.map);
    context.clearRect(0, 0, ...size);
    context.fillStyle = style.getPropertyValue('--muted');
    const dx = this.mapLeft = (size[0] - w * k) / 2;
    for (const box of this.placed.boxes)
      if (!box.isOpen)
        context.fillRect(dx + box.left * k, box.top * k, Math.max(1, box.w * k), Math.max(0.6, box.h * k));
    context.strokeStyle = style.getPropertyValue('--accent');
    context.lineWidth = 1.5;
    context.strokeRect(dx - x / scale * k, -y / scale * k, this.host.clientWidth / scale * k, this.host.clientHeight / scale * k);
  }

  jump(event) {
    const box = this.map.getBoundingClientRect();
    const x = (event.clientX - box.left - this.mapLeft) / this.mapScale, y = (event.clientY - box.top) / this.mapScale;
    this.view.x = this.host.clientWidth / 2 - x * this.view.k;
    this.view.y = this.host.clientHeight / 2 - y * this.view.k;
    this.keepInside();
    this.redraw();
  }
}
