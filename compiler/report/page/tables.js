// The tables: kernels, nodes, buffers, weights and decisions.

/// Columns of the metrics that the report has.
function metricColumns(hasEstimate) {
  const column = (key, value) => ({title: metrics[key].head, value, show: metrics[key].format, isNumber: true, bar: true});
  return [
    model.runs && column('us', row => row.us),
    hasEstimate && column('estimate', row => row.estimate),
    column('multiply_adds', row => row.multiply_adds),
    column('bytes', row => row.bytes),
  ].filter(each => each);
}

function firstNode(kernel) {
  const group = kernel.groups[0];
  return group ? nameOfGroup(group) : '';
}

function kernelRows() {
  const all = totalOf('us');
  const columns = [
    {title: 'kernel', value: kernel => kernel.name, width: '6.5rem'},
    {title: 'node', value: firstNode, isName: true},
    {title: 'made of', value: kernel => kernel.parts.join(', '), width: 'minmax(0, 0.5fr)'},
    {title: 'tasks', value: kernel => kernel.tasks, isNumber: true, width: '5rem'},
    ...metricColumns(model.kernels.some(kernel => kernel.estimate)),
  ];
  if (model.runs)
    columns.push({title: 'share', value: kernel => kernel.us, show: us => format.share(us, all), isNumber: true, width: '5rem'});
  return {columns, rows: model.kernels, item: kernel => ({kind: 'kernel', kernel}), sorted: columns.findIndex(each => each.bar)};
}

/// Of a kernel of several nodes, each node has the time of the kernel.
function nodeRows() {
  const rows = model.functions.flatMap(fn => fn.nodes.filter(node => node.kind === 'op'));
  for (const node of rows) {
    const group = groupOf(node);
    node.us = group && group.us;
    node.estimate = group && group.estimate;
  }
  const columns = [
    {title: 'node', value: node => node.name, isName: true},
    {title: 'op', value: node => node.op, width: '7.5rem'},
    {title: 'result', value: node => node.results.join(', '), width: 'minmax(0, 0.6fr)'},
    {title: 'kernel', value: node => (groupOf(node) || {}).kernel || '', width: '6.5rem'},
    ...metricColumns(!model.runs && rows.some(node => node.estimate)),
  ];
  if (model.functions.length > 1)
    columns.splice(1, 0, {title: 'function', value: node => node.fn.name, width: '8rem'});
  return {columns, rows, item: node => ({kind: 'node', node}), sorted: columns.findIndex(each => each.bar)};
}

function bufferRows() {
  const rows = model.programs.flatMap(program => program.buffers);
  return {
    columns: [
      {title: 'buffer of', value: nameOfMemory, isName: true},
      {title: 'type', value: buffer => buffer.type + (buffer.scratch ? ' scratch' : '') + (buffer.host ? ' of the host' : '')},
      {title: 'bytes', value: buffer => buffer.bytes, show: format.bytes, isNumber: true, bar: true},
      {title: 'offset', value: buffer => buffer.offset, show: format.exact, isNumber: true},
      {title: 'first', value: buffer => buffer.first, isNumber: true, width: '5rem'},
      {title: 'last', value: buffer => buffer.last, isNumber: true, width: '5rem'},
      {title: 'tasks', value: buffer => buffer.tasks.length, isNumber: true, width: '5rem'},
    ],
    rows, item: buffer => ({kind: 'buffer', memory: buffer}), sorted: 2,
  };
}

/// Weights and variables by their offsets: functions share them.
function weightsOfModel() {
  const known = new Map();
  for (const program of model.programs)
    for (const memory of [...program.weights || [], ...program.variables || []]) {
      const key = memory.kind + ' ' + memory.offset;
      if (!known.has(key) || known.get(key).bytes < memory.bytes)
        known.set(key, memory);
    }
  return [...known.values()];
}

function weightRows() {
  const rows = weightsOfModel(), all = rows.reduce((sum, row) => sum + row.bytes, 0);
  const user = weight => {
    const task = weight.program.schedule.tasks[weight.tasks[0]];
    return task ? nameOfTask(task) : '';
  };
  return {
    columns: [
      {title: 'weight', value: nameOfMemory, isName: true},
      {title: 'kind', value: weight => weight.kind, width: '6rem'},
      {title: 'type', value: weight => weight.type},
      {title: 'bytes', value: weight => weight.bytes, show: format.bytes, isNumber: true, bar: true},
      {title: 'share', value: weight => weight.bytes, show: bytes => format.share(bytes, all), isNumber: true, width: '5rem'},
      {title: 'first user', value: user, isName: true},
    ],
    rows, item: weight => ({kind: weight.kind, memory: weight}), sorted: 3,
  };
}

function decisionRows() {
  return {
    columns: [
      {title: 'kind', value: remark => remark.kind, width: '7rem'},
      {title: 'node', value: remark => remark.node, width: 'minmax(0, 0.5fr)'},
      {title: 'decision', value: remark => remark.text},
    ],
    rows: report.remarks || [], item: remark => ({kind: 'remark', remark}), sorted: 0,
  };
}

const tableKinds = {
  kernels: ['Kernels', kernelRows],
  nodes: ['Nodes', nodeRows],
  buffers: ['Buffers', bufferRows],
  weights: ['Weights', weightRows],
  decisions: ['Decisions', decisionRows],
};

/// A view with one table, which is made when it is shown first.
class TableView {
  constructor(kind, actions) {
    this.kind = kind;
    this.actions = actions;
    this.element = el('section', {class: 'view table', 'aria-label': tableKinds[kind][0]});
  }

  show() {
    if (this.grid)
      return;
    const {columns, rows, item, sorted} = tableKinds[this.kind][1]();
    this.grid = new Grid(this.kind, columns, rows, row => this.actions.select(item(row)), sorted);
    this.element.append(this.grid.element);
  }

  reveal(row) {
    this.show();
    this.grid.reveal(row);
  }
}
