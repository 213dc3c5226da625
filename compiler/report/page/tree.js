// The hierarchy of a function's nodes: scopes of their names, loops and
// conditionals, and the kernels that compute several nodes.

/// Deeper scopes of hostile names become one.
const deepestScope = 16;
/// The number of boxes that a graph shows at first.
const firstBoxes = 600;

class Box {
  constructor(kind, label, parent) {
    this.kind = kind; // leaf, scope, kernel, loop or region
    this.label = label;
    this.parent = parent;
    this.children = [];
    this.isOpen = false;
    if (parent)
      parent.children.push(this);
  }

  get isLeaf() {
    return this.kind === 'leaf';
  }

  /// The groups that compute the nodes inside, each once.
  groups() {
    const found = new Set(), stack = [this];
    while (stack.length) {
      const box = stack.pop();
      const group = box.node ? groupOf(box.node) : box.group;
      if (group)
        found.add(group);
      stack.push(...box.children);
    }
    return found;
  }

  /// A metric over all kernels inside. A kernel of several nodes counts for the
  /// box that has all of them, and for its nodes by themselves not.
  measure(metric) {
    if (this.node && !this.children.length) {
      const group = groupOf(this.node);
      if (metric === 'multiply_adds')
        return this.node.multiply_adds || 0;
      if (!group)
        return 0;
      return group.nodes.length > 1 && metric !== 'us' && metric !== 'estimate' ? this.node.bytes : group[metric] || 0;
    }
    if (!this.sums)
      this.sums = {};
    if (this.sums[metric] === undefined)
      this.sums[metric] = [...this.groups()].reduce((sum, group) => sum + (group[metric] || 0), 0);
    return this.sums[metric];
  }
}

/// The nodes that a graph draws. Constants, and broadcasts of them, are in the
/// lists of operands alone.
function isDrawn(node) {
  const isConstant = id => node.fn.nodes[id].kind === 'constant';
  return node.kind !== 'constant'
      && !(isMoving(node) && node.inputs.length && node.inputs.every(([id]) => isConstant(id)));
}

function scopeOf(node) {
  const parts = node.name.split('/').filter(part => part);
  parts.pop();
  if (parts.length > deepestScope)
    parts.splice(deepestScope - 1, parts.length, parts.slice(deepestScope - 1).join('/'));
  return parts;
}

function commonScope(scopes) {
  let common = scopes[0];
  for (const scope of scopes) {
    let i = 0;
    while (i < common.length && i < scope.length && common[i] === scope[i])
      ++i;
    common = common.slice(0, i);
  }
  return common;
}

/// The scopes that decide where the box of a kernel is.
function scopesOf(members) {
  const computing = members.filter(node => !isMoving(node));
  return (computing.length ? computing : members).map(scopeOf);
}

/// A kernel has the name of its most expensive node.
function labelOfKernel(group) {
  return shortName(mainNode(group).name) + (group.kernel ? ' · ' + group.kernel : '');
}

function addNode(tree, box, node) {
  const controls = tree.regionsOf.get(node.id);
  const leaf = new Box(controls ? 'loop' : 'leaf', shortName(node.name), box);
  leaf.node = node;
  tree.boxes.set(node.id, leaf);
  if (!controls)
    return;
  leaf.label = node.op + ' ' + shortName(node.name);
  const titles = node.op === 'if' ? ['then', 'else'] : ['condition', 'body'];
  for (const [region, inner] of [...controls].sort((a, b) => a[0] - b[0]))
    tree.waiting.push([inner, new Box('region', titles[region] || 'region ' + region, leaf)]);
}

/// Adds the nodes of a block to its box, by scopes and kernels.
function addNodes(tree, nodes, root) {
  const scopes = new Map(), byGroup = new Map();
  const shared = commonScope(nodes.map(scopeOf));
  const boxOf = path => {
    let box = root, key = '';
    for (const part of path.slice(root === tree.root ? 0 : shared.length)) {
      key += '/' + part;
      if (!scopes.has(key)) {
        scopes.set(key, new Box('scope', part, box));
        scopes.get(key).path = key.slice(1);
      }
      box = scopes.get(key);
    }
    return box;
  };
  for (const node of nodes) {
    const group = groupOf(node);
    if (group && group.nodes.length > 1)
      byGroup.set(group, [...(byGroup.get(group) || []), node]);
  }
  const done = new Set();
  for (const node of nodes) {
    const group = groupOf(node), members = byGroup.get(group);
    if (!members) {
      addNode(tree, boxOf(scopeOf(node)), node);
    } else if (!done.has(group)) {
      done.add(group);
      const box = new Box('kernel', labelOfKernel(group), boxOf(commonScope(scopesOf(members))));
      box.group = group;
      for (const member of members)
        addNode(tree, box, member);
    }
  }
}

/// A scope with one box in it is that box, with both names.
function joinSingles(root) {
  const stack = [root];
  while (stack.length) {
    const box = stack.pop();
    box.children = box.children.map(child => {
      let inner = child, names = [];
      while (inner.kind === 'scope' && inner.children.length === 1) {
        names.push(inner.label);
        inner = inner.children[0];
      }
      inner.parent = box;
      if (names.length && inner.kind === 'scope')
        inner.label = [...names, inner.label].join('/');
      else if (names.length)
        inner.scope = names.join('/');
      return inner;
    });
    stack.push(...box.children);
  }
}

/// Opens boxes, outer ones first, as long as not too much is shown.
function openFirst(root) {
  let shown = root.children.length;
  root.isOpen = true;
  const queue = root.children.slice();
  for (let i = 0; i < queue.length; ++i) {
    const box = queue[i];
    if (box.isLeaf || shown + box.children.length > firstBoxes)
      continue;
    box.isOpen = true;
    shown += box.children.length;
    queue.push(...box.children);
  }
}

function buildTree(fn) {
  const tree = {root: new Box('root', fn.name, null), boxes: new Map(), regionsOf: new Map(), waiting: []};
  const top = [];
  for (const node of fn.nodes.filter(isDrawn)) {
    if (node.parent === undefined) {
      top.push(node);
      continue;
    }
    const regions = tree.regionsOf.get(node.parent) || new Map();
    regions.set(node.region, [...(regions.get(node.region) || []), node]);
    tree.regionsOf.set(node.parent, regions);
  }
  tree.waiting.push([top, tree.root]);
  while (tree.waiting.length)
    addNodes(tree, ...tree.waiting.shift());
  joinSingles(tree.root);
  openFirst(tree.root);
  return tree;
}

/// The innermost box that is shown and has the node.
function shownBox(tree, id) {
  let shown = tree.boxes.get(id);
  for (let box = shown; box; box = box.parent)
    if (!box.isOpen)
      shown = box;
  return shown;
}

/// Opens all boxes around a node.
function reveal(tree, id) {
  let changed = false;
  for (let box = tree.boxes.get(id).parent; box; box = box.parent) {
    changed = changed || !box.isOpen;
    box.isOpen = true;
  }
  return changed;
}
