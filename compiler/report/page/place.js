// Places the shown boxes of a tree, each open box by a layout of its own.
//
// An edge from outside enters an open box at a port, and goes on inside.

const leafHeight = 38, headHeight = 24, boxPadding = 12, kernelGap = 16;

const measureText = (() => {
  const context = document.createElement('canvas').getContext('2d');
  const widths = new Map();
  return text => {
    if (!context)
      return text.length * 7;
    context.font = '12px system-ui, sans-serif';
    if (!widths.has(text))
      widths.set(text, context.measureText(text).width);
    return widths.get(text);
  };
})();

function titleOf(box) {
  return box.scope ? box.scope + '/' + box.label : box.label;
}

/// The second line of a box.
function subtitleOf(box) {
  if (box.isLeaf)
    return [box.node.op || box.node.kind, box.node.results[0]].filter(text => text).join(' · ');
  if (box.kind === 'kernel')
    return box.group.ops.join(', ');
  const count = countLeaves(box);
  return count + (count === 1 ? ' node' : ' nodes');
}

function countLeaves(box) {
  if (box.leaves === undefined) {
    box.leaves = 0;
    const stack = [box];
    while (stack.length) {
      const each = stack.pop();
      box.leaves += each.isLeaf ? 1 : 0;
      stack.push(...each.children);
    }
  }
  return box.leaves;
}

function sizeClosed(box) {
  box.title = cut(titleOf(box), 34);
  box.subtitle = cut(subtitleOf(box), 36);
  const room = box.isLeaf ? 24 : 36;
  box.w = Math.max(76, Math.min(270, Math.max(measureText(box.title) + room, measureText(box.subtitle) * 0.9 + room)));
  box.h = leafHeight;
}

/// The open boxes, inner ones first.
function openBoxes(root) {
  const open = [root];
  for (let i = 0; i < open.length; ++i)
    for (const child of open[i].children)
      if (child.isOpen)
        open.push(child);
  return open.reverse();
}

/// Adds the parts of an edge to the levels that it passes.
function addEdge(levels, from, to) {
  const path = box => {
    const boxes = [];
    for (let at = box; at; at = at.parent)
      boxes.unshift(at);
    return boxes;
  };
  const a = path(from), b = path(to);
  let common = 0;
  while (common + 1 < a.length && common + 1 < b.length && a[common + 1] === b[common + 1])
    ++common;
  // An edge between a loop and its own nodes is no line.
  if (common + 1 >= a.length || common + 1 >= b.length)
    return;
  const link = (level, source, target, keys) => {
    const key = keys.join(' ');
    const known = level.edges.get(key) || {source, target, ends: new Set(), from};
    known.ends.add(to);
    level.edges.set(key, known);
  };
  const port = (level, rank) => {
    const key = rank + from.id;
    if (!level.ports.has(key))
      level.ports.set(key, {w: 2, h: 0, rank, key, isPort: true});
    return level.ports.get(key);
  };
  for (let i = a.length - 1; i > common + 1; --i) {
    const level = levels.get(a[i - 1]), target = port(level, 'last');
    link(level, a[i], target, [a[i].id, 'out', from.id]);
  }
  for (let i = common + 2; i < b.length; ++i) {
    const level = levels.get(b[i - 1]), source = port(level, 'first');
    link(level, source, b[i], ['in', from.id, b[i].id]);
  }
  link(levels.get(a[common]), a[common + 1], b[common + 1], [from.id, a[common + 1].id, b[common + 1].id]);
}

function addEdges(tree, fn, levels) {
  const seen = new Set();
  for (const node of fn.nodes) {
    if (!isDrawn(node))
      continue;
    const to = shownBox(tree, node.id);
    for (const [id] of node.inputs) {
      if (!isDrawn(fn.nodes[id]))
        continue;
      const from = shownBox(tree, id);
      const key = from.id + ' ' + to.id;
      if (from === to || seen.has(key))
        continue;
      seen.add(key);
      addEdge(levels, from, to);
    }
  }
}

/// Where an edge of a level starts or ends beside the middle of an item: at a
/// port of an open box, else spread over the width.
function offsetAt(levels, item, key) {
  const level = levels.get(item);
  const port = level && level.ports.get(key);
  return port ? port.x + boxPadding + (level.shift || 0) - item.w / 2 : 0;
}

function layoutLevel(levels, box) {
  const level = levels.get(box);
  const items = [...box.children, ...level.ports.values()];
  items.forEach((item, i) => item.at = i);
  const edges = [...level.edges.values()].map(edge => ({
    from: edge.source.at, to: edge.target.at, edge,
    start: edge.source.isPort ? 0 : offsetAt(levels, edge.source, 'last' + edge.from.id),
    end: edge.target.isPort ? 0 : offsetAt(levels, edge.target, 'first' + edge.from.id),
  }));
  const size = layoutLayered(items, edges, box.kind === 'kernel' ? kernelGap : layerGap);
  for (const edge of edges)
    Object.assign(edge.edge, {points: edge.points, isDirect: edge.isDirect});
  const head = box.parent ? headHeight : 0;
  const least = box.parent ? Math.min(300, measureText(titleOf(box)) + 110) : 0;
  level.shift = Math.max(0, (least - size.w - 2 * boxPadding) / 2);
  box.w = size.w + 2 * (boxPadding + level.shift);
  box.h = size.h + head + 2 * boxPadding;
  level.head = head;
}

/// The shown boxes and the edges between them, with absolute places.
function placeTree(tree, fn) {
  let id = 0;
  const levels = new Map(), boxes = [], edges = [];
  const open = openBoxes(tree.root);
  for (const box of open) {
    levels.set(box, {edges: new Map(), ports: new Map()});
    for (const child of box.children) {
      child.id = ++id;
      if (!child.isOpen)
        sizeClosed(child);
      else
        child.title = cut(titleOf(child), 44);
    }
  }
  addEdges(tree, fn, levels);
  for (const box of open)
    layoutLevel(levels, box);
  tree.root.left = tree.root.top = 0;
  for (const box of open.reverse()) {
    const level = levels.get(box);
    const dx = box.left + boxPadding + level.shift, dy = box.top + level.head + boxPadding;
    for (const child of box.children) {
      child.left = dx + child.x - child.w / 2;
      child.top = dy + child.y - child.h / 2;
      boxes.push(child);
    }
    for (const edge of level.edges.values()) {
      edge.points = edge.points.map(([x, y]) => [x + dx, y + dy]);
      // Lines reach the border of an open box.
      if (edge.source.isPort)
        edge.points[0][1] = box.top;
      if (edge.target.isPort)
        edge.points[edge.points.length - 1][1] = box.top + box.h;
      edges.push(edge);
    }
  }
  return {boxes, edges, w: tree.root.w, h: tree.root.h};
}

/// The path of a line through points, down from each and down into each.
function linePath(points) {
  const round = n => Math.round(n * 10) / 10;
  let path = 'M' + round(points[0][0]) + ' ' + round(points[0][1]);
  for (let i = 1; i < points.length; ++i) {
    const [x0, y0] = points[i - 1], [x, y] = points[i];
    if (Math.abs(x - x0) + Math.abs(y - y0) < 0.1)
      continue;
    const bend = (y - y0) / 2;
    path += Math.abs(x - x0) < 0.5 ? 'L' + round(x) + ' ' + round(y)
                                   : 'C' + [x0, y0 + bend, x, y - bend, x, y].map(round).join(' ');
  }
  return path;
}
