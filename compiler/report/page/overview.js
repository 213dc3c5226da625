// The first view: what is slow, and what is large. And the last one: how the
// program was compiled.

const shownRows = 12;

/// A list of bars, largest first.
function barList(rows, text, value, show, select, all) {
  const sorted = rows.filter(row => value(row) > 0).sort((a, b) => value(b) - value(a));
  const most = sorted.length ? value(sorted[0]) : 0, sum = all || sorted.reduce((total, row) => total + value(row), 0);
  return el('ol', {class: 'bars'}, sorted.slice(0, shownRows).map(row => el('li', {},
      el('button', {type: 'button', '--part': 100 * value(row) / most + '%', title: text(row), onclick: () => select(row)},
         el('span', {class: 'name'}, nameCell(text(row))), el('span', {class: 'amount'}, show(value(row))),
         el('span', {class: 'share'}, format.share(value(row), sum))))));
}

function card(title, hint, ...children) {
  return el('section', {class: 'card'}, el('h2', {}, title), hint ? el('p', {class: 'hint'}, hint) : null, ...children);
}

class Overview {
  constructor(actions) {
    this.actions = actions;
    const metric = model.metric, {title, format: show} = metrics[metric];
    const select = kind => thing => actions.select({kind: kind(thing), [kind(thing) === 'group' ? 'group' : 'memory']: thing}, true);
    const nameOf = group => nameOfGroup(group) + (group.nodes.length > 1 ? ` +${group.nodes.length - 1}` : '');
    const cards = [];
    if (model.groups.length)
      cards.push(card(model.runs ? 'Slowest kernels' : 'Kernels by ' + title,
                      model.runs ? `Measured over ${format.exact(model.runs)} runs on ${report.profile.threads} threads; times are per run.`
                                 : '--report-profile shows measured times here.',
                      barList(model.groups, nameOf, group => group[metric] || 0, show, select(() => 'group'))));
    const weights = weightsOfModel();
    if (weights.length)
      cards.push(card('Largest weights', `${format.bytes(model.plan.weights_bytes)} of weights as kernels read them: packed, and without duplicates.`,
                      barList(weights, nameOfMemory, weight => weight.bytes, format.bytes, select(weight => weight.kind))));
    const peak = this.peak();
    if (peak)
      cards.push(card('Memory at the peak', `${format.bytes(peak.bytes)} are live at ${cut(peak.name, 40)}; the arena has ${format.bytes(model.plan.arena_bytes)}.`,
                      barList(peak.buffers, buffer => nameOfMemory(buffer) + (buffer.scratch ? ' (scratch)' : ''), buffer => buffer.bytes, format.bytes,
                              select(() => 'buffer'), peak.bytes)));
    const byOp = this.byOp(metric);
    if (byOp.length)
      cards.push(card('By operator', 'A kernel of several nodes counts as its most expensive operator.',
                      barList(byOp, row => row.op + ' × ' + row.count, row => row.value, show, row => actions.search(row.op))));
    this.element = el('section', {class: 'view overview', 'aria-label': 'Overview'}, this.figures(), el('div', {class: 'cards'}, cards, this.interfaces()));
  }

  /// The numbers that a user asks for first.
  figures() {
    const products = report.products || [], size = products.reduce((sum, file) => sum + file.bytes, 0), plan = model.plan;
    const adds = totalOf('multiply_adds');
    const figure = (title, value, hint) => value ? el('div', {class: 'figure', title: hint}, el('strong', {}, value), el('span', {}, title)) : null;
    return el('div', {class: 'figures'},
        model.runs ? figure('per run', format.time(report.profile.measured_us / model.runs), 'measured around the call') : null,
        figure('files', size ? format.bytes(size) : '', products.map(file => file.file + ': ' + format.bytes(file.bytes)).join('\n')),
        figure('weights', plan.weights_bytes ? format.bytes(plan.weights_bytes) : '', 'constants in the library'),
        figure('arena', plan.arena_bytes !== undefined ? format.bytes(plan.arena_bytes) : '', 'working memory of a context'),
        figure('multiply-adds', format.count(adds), 'one call of each kernel'),
        figure('kernels', format.exact(model.kernels.length), 'functions; several nodes may share one'),
        figure('nodes', format.exact(model.functions.reduce((sum, fn) => sum + fn.nodes.filter(node => node.kind === 'op').length, 0)), 'after the optimizations of the graph'),
        figure('compile time', format.time(1e6 * (report.stages || []).reduce((sum, stage) => sum + stage.seconds, 0)), 'the sum of all stages'));
  }

  peak() {
    let best = null;
    for (const program of model.programs) {
      if (!program.buffers.length)
        continue;
      const live = liveBytes(program);
      for (let at = 0; at < program.moments; ++at)
        if (!best || live[at] > best.bytes)
          best = {bytes: live[at], at, program};
    }
    if (!best || !best.bytes)
      return null;
    best.buffers = best.program.buffers.filter(buffer => !buffer.host && buffer.first <= best.at && buffer.last >= best.at);
    const task = best.program.schedule.tasks.find(each => each.at >= best.at);
    best.name = task ? nameOfTask(task) : 'the end';
    return best;
  }

  byOp(metric) {
    const sums = new Map();
    for (const group of model.groups) {
      const first = group.nodes.length ? mainNode(group) : {op: group.ops[0]};
      const row = sums.get(first.op) || {op: first.op || 'other', value: 0, count: 0};
      row.value += group[metric] || 0;
      ++row.count;
      sums.set(first.op, row);
    }
    return [...sums.values()];
  }

  interfaces() {
    const line = tensor => el('li', {}, el('code', {}, tensor.name || tensor.tensor || '?'), ' ', el('span', {class: 'type'}, tensor.type.replace(/^tensor<(.*)>$/, '$1')));
    return (report.signatures || []).map(signature => card('Function ' + signature.name, '',
        el('h3', {}, 'Inputs'), el('ul', {class: 'tensors'}, (signature.inputs || []).map(line)),
        el('h3', {}, 'Outputs'), el('ul', {class: 'tensors'}, (signature.outputs || []).map(line))));
  }

  show() {}
}

/// How the program was compiled: stages, files, options and processor.
class BuildView {
  constructor() {
    this.element = el('section', {class: 'view build', 'aria-label': 'Build'});
  }

  show() {
    if (this.element.firstChild)
      return;
    const stages = (report.stages || []).map((stage, order) => ({order, ...stage}));
    const files = [...(report.model || []).map(file => ({kind: 'model', ...file})), ...(report.products || []).map(file => ({kind: 'product', ...file}))];
    const target = report.target || {};
    const row = (title, value) => value ? [el('dt', {}, title), el('dd', {}, value)] : [];
    const stageGrid = new Grid('stages', [
      {title: 'order', value: stage => stage.order, isNumber: true, width: '5rem'},
      {title: 'stage', value: stage => stage.stage},
      {title: 'seconds', value: stage => stage.seconds, show: seconds => format.time(seconds * 1e6), isNumber: true, bar: true, width: '12rem'},
    ], stages, () => {}, 2);
    const fileGrid = new Grid('files', [
      {title: 'kind', value: file => file.kind, width: '6rem'},
      {title: 'file', value: file => file.file, width: 'minmax(0, 0.6fr)'},
      {title: 'bytes', value: file => file.bytes, show: format.bytes, isNumber: true, bar: true},
      {title: 'SHA-256', value: file => file.sha256},
    ], files, () => {}, 0);
    for (const [grid, rows] of [[stageGrid, stages], [fileGrid, files]])
      grid.table.style.setProperty('height', Math.min(12, rows.length + 1) * rowHeight + 34 + 'px');
    this.element.append(
        el('h2', {}, 'Provenance'),
        el('dl', {class: 'provenance'}, row('source', report.source), row('compiler', report.compiler),
           row('options', (report.arguments || []).join(' ')), row('processor', [target.cpu, target.triple].filter(text => text).join(', ')),
           row('features', target.features && target.features.replaceAll(',', ' ')), row('profile', report.profile && report.profile.file)),
        el('h2', {}, 'Compile time'), stageGrid.element, el('h2', {}, 'Files'), fileGrid.element);
  }
}
