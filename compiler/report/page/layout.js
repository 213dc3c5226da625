// Layered layout of a graph (Sugiyama et al., 1981), in time that is linear in
// nodes and edges for a fixed number of sweeps.
//
// Long edges of one source share a chain of virtual nodes, so that a value with
// many late users has one line.

const layerGap = 30, portGap = 14, nodeGap = 22, virtualGap = 9, sweeps = 6;

/// Reverses edges that close a cycle: scopes can form some.
function withoutCycles(count, edges) {
  const next = Array.from({length: count}, () => []);
  edges.forEach((edge, i) => next[edge.from].push(i));
  const state = new Uint8Array(count), reversed = new Set();
  for (let root = 0; root < count; ++root) {
    if (state[root])
      continue;
    const stack = [[root, 0]];
    state[root] = 1;
    while (stack.length) {
      const top = stack[stack.length - 1];
      if (top[1] === next[top[0]].length) {
        state[top[0]] = 2;
        stack.pop();
        continue;
      }
      const i = next[top[0]][top[1]++], to = edges[i].to;
      if (state[to] === 1)
        reversed.add(i);
      else if (!state[to]) {
        state[to] = 1;
        stack.push([to, 0]);
      }
    }
  }
  return edges.map((edge, i) => reversed.has(i) ? {from: edge.to, to: edge.from, edge, reversed: true}
                                                : {from: edge.from, to: edge.to, edge, reversed: false});
}

/// The longest path from a source. Sources move down to their first user.
function layersOf(items, edges) {
  const count = items.length, layer = new Int32Array(count), waits = new Int32Array(count);
  const next = Array.from({length: count}, () => []);
  for (const {from, to} of edges) {
    next[from].push(to);
    ++waits[to];
  }
  const isSource = Array.from(waits, number => number === 0);
  const order = [];
  for (let i = 0; i < count; ++i)
    if (!waits[i])
      order.push(i);
  for (let i = 0; i < order.length; ++i)
    for (const to of next[order[i]]) {
      layer[to] = Math.max(layer[to], layer[order[i]] + 1);
      if (--waits[to] === 0)
        order.push(to);
    }
  let last = 0;
  for (let i = 0; i < count; ++i) {
    if (isSource[i] && next[i].length && items[i].rank !== 'first')
      layer[i] = next[i].reduce((least, to) => Math.min(least, layer[to]), Infinity) - 1;
    last = Math.max(last, layer[i]);
  }
  items.forEach((item, i) => {
    if (item.rank === 'last')
      layer[i] = last + 1;
  });
  return layer;
}

/// Layers of cells: a cell is an item, or a virtual node of a long edge.
function cellsOf(items, edges, layer) {
  const cells = items.map((item, i) => ({item: i, layer: layer[i], w: item.w, h: item.h, up: [], down: []}));
  const farthest = new Map();
  for (const {from, to} of edges)
    if (layer[to] - layer[from] > 1)
      farthest.set(from, Math.max(farthest.get(from) || 0, layer[to]));
  // Without a limit, a hostile graph has a quadratic number of virtual nodes.
  let room = 4 * items.length + 4000;
  const chains = new Map();
  const span = ([from, end]) => end - layer[from];
  for (const source of [...farthest].sort((a, b) => span(a) - span(b))) {
    room -= span(source);
    if (room < 0)
      break;
    const chain = [];
    for (let at = layer[source[0]] + 1; at < source[1]; ++at) {
      chain.push(cells.length);
      cells.push({item: -1, layer: at, w: 1, h: 0, up: [], down: []});
    }
    chains.set(source[0], chain);
  }
  const link = (a, b, weight, offset) => {
    const start = {x: offset[0]}, end = {x: offset[1]};
    cells[a].down.push({cell: b, weight, end: start, otherEnd: end});
    cells[b].up.push({cell: a, weight, end, otherEnd: start});
  };
  for (const edge of edges) {
    const chain = chains.get(edge.from), span = layer[edge.to] - layer[edge.from];
    const [start, end] = edge.reversed ? [0, 0] : [edge.edge.start || 0, edge.edge.end || 0];
    if (span <= 1) {
      edge.way = [];
      link(edge.from, edge.to, 1, [start, end]);
    } else if (chain) {
      edge.way = chain.slice(0, span - 1);
      if (!chain.isLinked) {
        link(edge.from, chain[0], 0.4, [start, 0]);
        for (let i = 1; i < chain.length; ++i)
          link(chain[i - 1], chain[i], 8, [0, 0]);
        chain.isLinked = true;
      }
      link(chain[span - 2], edge.to, 0.4, [0, end]);
    } else {
      edge.way = [];
      edge.isDirect = true;
    }
  }
  // Chains are straight.
  for (const cell of cells)
    if (cell.down.length === 1 && cells[cell.down[0].cell].up.length === 1)
      cell.down[0].weight = cells[cell.down[0].cell].up[0].weight = 8;
  return cells;
}

/// The first order is that of a walk from the sources, which keeps chains
/// together.
function firstOrder(cells, layers) {
  const seen = new Uint8Array(cells.length);
  for (let root = 0; root < cells.length; ++root) {
    if (seen[root] || cells[root].up.length)
      continue;
    const stack = [root];
    while (stack.length) {
      const at = stack.pop();
      if (seen[at])
        continue;
      seen[at] = 1;
      layers[cells[at].layer].push(at);
      for (let i = cells[at].down.length - 1; i >= 0; --i)
        stack.push(cells[at].down[i].cell);
    }
  }
}

/// The number of crossings between a layer and the next one.
function crossingsBelow(cells, layer, width) {
  const tree = new Int32Array(width + 1);
  let crossings = 0, all = 0;
  for (const at of layer) {
    const ends = cells[at].down.map(link => cells[link.cell].order);
    for (const end of ends) {
      crossings += all;
      for (let i = end + 1; i > 0; i -= i & -i)
        crossings -= tree[i];
    }
    for (const end of ends) {
      ++all;
      for (let i = end + 1; i <= width; i += i & -i)
        ++tree[i];
    }
  }
  return crossings;
}

/// Orders each layer by the median of its neighbours, down and up in turns, and
/// keeps the order with the fewest crossings.
function orderLayers(cells, layers) {
  const number = () => layers.forEach(layer => layer.forEach((at, i) => cells[at].order = i));
  const count = () => layers.reduce(
      (sum, layer, i) => sum + (i + 1 < layers.length ? crossingsBelow(cells, layer, layers[i + 1].length) : 0), 0);
  number();
  let least = count(), best = layers.map(layer => layer.slice());
  for (let sweep = 0; sweep < sweeps && least > 0; ++sweep) {
    const isDown = sweep % 2 === 0;
    for (const layer of isDown ? layers : layers.slice().reverse()) {
      for (const at of layer) {
        const links = isDown ? cells[at].up : cells[at].down;
        const orders = links.map(link => cells[link.cell].order).sort((a, b) => a - b);
        const middle = orders.length >> 1;
        cells[at].key = !orders.length ? cells[at].order
                        : orders.length % 2 ? orders[middle] : (orders[middle - 1] + orders[middle]) / 2;
      }
      layer.sort((a, b) => cells[a].key - cells[b].key || cells[a].order - cells[b].order);
      layer.forEach((at, i) => cells[at].order = i);
    }
    const crossings = count();
    if (crossings < least) {
      least = crossings;
      best = layers.map(layer => layer.slice());
    }
  }
  best.forEach((layer, i) => layers[i] = layer);
  number();
}

/// Moves the cells of a layer as near as possible to the places they want, in
/// their order and with gaps: least squares, by pooling neighbours.
function settle(cells, layer, wants, weights) {
  const blocks = [];
  let offset = 0;
  layer.forEach((at, i) => {
    const cell = cells[at], before = cells[layer[i - 1]];
    if (before)
      offset += before.w / 2 + cell.w / 2 + (before.item < 0 && cell.item < 0 ? virtualGap : nodeGap);
    cell.offset = offset;
    let block = {sum: weights[i] * (wants[i] - offset), weight: weights[i], first: i};
    while (blocks.length && blocks[blocks.length - 1].sum / blocks[blocks.length - 1].weight >= block.sum / block.weight) {
      const last = blocks.pop();
      block = {sum: last.sum + block.sum, weight: last.weight + block.weight, first: last.first};
    }
    blocks.push(block);
  });
  blocks.forEach((block, b) => {
    const end = b + 1 < blocks.length ? blocks[b + 1].first : layer.length;
    for (let i = block.first; i < end; ++i)
      cells[layer[i]].x = block.sum / block.weight + cells[layer[i]].offset;
  });
}

function placeColumns(cells, layers) {
  // The middle of the ends of lines is to be in the middle of the box: if each
  // box of a chain moved to the end of its line, the chain would be slanted.
  for (const cell of cells)
    for (const links of [cell.up, cell.down]) {
      const middle = links.reduce((sum, link) => sum + link.end.x, 0) / Math.max(1, links.length);
      links.forEach(link => link.end.x -= middle);
    }
  for (const layer of layers)
    settle(cells, layer, layer.map(() => 0), layer.map(() => 1));
  // Lines of small graphs are straighter after more sweeps.
  const count = cells.length < 1500 ? 8 * sweeps : 2 * sweeps;
  for (let sweep = 0; sweep < count; ++sweep) {
    const isDown = sweep % 2 === 0;
    for (const layer of isDown ? layers : layers.slice().reverse()) {
      const wants = [], weights = [];
      for (const at of layer) {
        const cell = cells[at];
        let links = isDown ? cell.up : cell.down;
        if (!links.length || sweep >= count / 2)
          links = cell.up.concat(cell.down);
        let sum = 0, weight = 0;
        for (const link of links) {
          sum += link.weight * (cells[link.cell].x + link.otherEnd.x - link.end.x);
          weight += link.weight;
        }
        wants.push(weight ? sum / weight : cell.x);
        weights.push(weight || 0.01);
      }
      settle(cells, layer, wants, weights);
    }
  }
}

/// Places items of a width and a height. `rank` holds an item in the `first` or
/// the `last` layer. Edges have the numbers of their items, and where they start
/// and end beside the middle. Sets x and y of the items, to their middles, and
/// the points of edges. `gap` is between layers. Returns the size of the whole.
function layoutLayered(items, edges, gap = layerGap) {
  if (!items.length)
    return {w: 0, h: 0};
  const directed = withoutCycles(items.length, edges);
  const layer = layersOf(items, directed);
  // Without the empty layers that moved sources leave.
  const used = [...new Set(layer)].sort((a, b) => a - b);
  const rank = new Map(used.map((number, i) => [number, i]));
  layer.forEach((number, i) => layer[i] = rank.get(number));
  const cells = cellsOf(items, directed, layer);
  const layers = Array.from({length: layer.reduce((most, at) => Math.max(most, at), 0) + 1}, () => []);
  firstOrder(cells, layers);
  orderLayers(cells, layers);
  placeColumns(cells, layers);
  let left = Infinity, right = -Infinity;
  for (const cell of cells) {
    left = Math.min(left, cell.x - cell.w / 2);
    right = Math.max(right, cell.x + cell.w / 2);
  }
  let y = 0;
  const tops = [], bottoms = [];
  layers.forEach((cellsHere, i) => {
    const height = cellsHere.reduce((most, at) => Math.max(most, cells[at].h), 0);
    tops.push(y);
    bottoms.push(y + height);
    const isPorts = each => each !== undefined && each.every(at => cells[at].item < 0 || items[cells[at].item].isPort);
    y += height + (isPorts(cellsHere) || isPorts(layers[i + 1]) ? portGap : gap);
  });
  items.forEach((item, i) => {
    item.x = cells[i].x - left;
    item.y = (tops[layer[i]] + bottoms[layer[i]]) / 2;
    item.layer = layer[i];
  });
  for (const {from, to, edge, way, reversed, isDirect} of directed) {
    const a = items[from], b = items[to];
    const points = [[a.x + (reversed ? 0 : edge.start || 0), a.y + a.h / 2]];
    // Beside higher boxes of its layer, a line is straight.
    points.push([points[0][0], bottoms[layer[from]]]);
    for (const at of way)
      points.push([cells[at].x - left, tops[cells[at].layer]], [cells[at].x - left, bottoms[cells[at].layer]]);
    const end = b.x + (reversed ? 0 : edge.end || 0);
    points.push([end, tops[layer[to]]], [end, b.y - b.h / 2]);
    edge.points = reversed ? points.reverse() : points;
    edge.isDirect = isDirect;
  }
  return {w: right - left, h: bottoms[bottoms.length - 1]};
}
