// The panel beside the views: all that the report knows of the selected thing.

class Details {
  constructor(actions) {
    this.actions = actions;
    this.body = el('div', {class: 'details-body'});
    this.element = el('aside', {class: 'details', 'aria-label': 'Details', tabindex: -1}, this.body);
    this.show(null);
  }

  show(item) {
    this.item = item;
    const parts = item ? this[item.kind](item) : [];
    this.element.classList.toggle('hidden', !item);
    this.body.replaceChildren(...parts.flat(Infinity).filter(part => part));
    this.element.scrollTop = 0;
  }

  head(kind, title, ...links) {
    const close = el('button', {type: 'button', class: 'close', title: 'Close (Escape)', 'aria-label': 'Close the details',
                                onclick: () => this.actions.select(null)}, '×');
    return [close, el('p', {class: 'kind'}, kind), el('h2', {title}, title),
            links.some(link => link) ? el('p', {class: 'links'}, links.filter(link => link)) : null];
  }

  /// A button that shows a thing in another view.
  go(text, view, item) {
    if (!tabs.some(([name]) => name === view))
      return null;
    return el('button', {type: 'button', class: 'link', onclick: () => this.actions.go(view, item)}, text);
  }

  facts(...rows) {
    return el('dl', {}, rows.filter(row => row && row[1] !== undefined && row[1] !== null && row[1] !== '')
        .flatMap(([title, value]) => [el('dt', {}, title), el('dd', {}, value)]));
  }

  list(title, things, text, item, most = 40) {
    if (!things.length)
      return null;
    const line = thing => el('li', {}, item(thing)
        ? el('button', {type: 'button', class: 'link', onclick: () => this.actions.select(item(thing), true)}, text(thing)) : text(thing));
    return [el('h3', {}, `${title} (${things.length})`), el('ul', {}, things.slice(0, most).map(line)),
            things.length > most ? el('p', {class: 'hint'}, `and ${things.length - most} more`) : null];
  }

  nodes(title, ids, fn, text) {
    return this.list(title, ids, text || (id => `${fn.nodes[id].name} · ${fn.nodes[id].op || fn.nodes[id].kind}`),
                     id => ({kind: 'node', node: fn.nodes[Array.isArray(id) ? id[0] : id]}));
  }

  /// The times and sizes of a kernel's call.
  costs(group) {
    const calls = group.tasks.reduce((sum, task) => sum + (task.calls || 0), 0);
    const isShared = group.tasks.some(task => task.together > 1);
    return this.facts(
        model.runs && ['time per run', format.time(group.us) + ' · ' + format.share(group.us, totalOf('us'))
                       + (isShared ? ' (a share of its step)' : '')],
        model.runs && ['calls per run', format.count(calls)],
        group.estimate && ['estimate per call', format.time(group.estimate)],
        group.multiply_adds && ['multiply-adds', format.exact(group.multiply_adds)],
        model.runs && group.us > 0 && group.multiply_adds && ['rate', format.digits(2 * group.multiply_adds * calls / group.us / 1e3) + ' GFLOP/s'],
        ['bytes read', format.bytes(group.bytes_read)], ['bytes written', format.bytes(group.bytes_written)],
        ['step', group.tasks.map(task => task.step).join(', ')]);
  }

  schedules(group) {
    const skipped = ['node', 'kernel'];
    return group.schedules.map(schedule => [el('h3', {}, 'Schedule'), this.facts(
        ...Object.entries(schedule).filter(([key]) => !skipped.includes(key))
            .map(([key, value]) => [key.replaceAll('_', ' '), Array.isArray(value) ? value.join(', ') : key === 'cycles' ? format.exact(value) : String(value)]))]);
  }

  node({node}) {
    const group = groupOf(node), fn = node.fn, others = group ? group.nodes.filter(each => each !== node) : [];
    const text = ([id, result]) => {
      const from = fn.nodes[id];
      return `${from.name}${result ? ':' + result : ''} · ${from.kind === 'constant' ? 'constant' : from.op || from.kind} · ${from.results[result] || ''}`;
    };
    return [
      this.head(node.op ? node.op : node.kind, node.name,
                isDrawn(node) && this.go('Graph', 'graph', {kind: 'node', node}), node.kind === 'op' && this.go('Nodes', 'nodes', node),
                group && group.kernelOf && this.go('Kernels', 'kernels', group.kernelOf),
                group && group.tasks[0] && this.go('Schedule', 'schedule', group.tasks[0])),
      this.facts(...node.results.map((type, i) => [node.results.length > 1 ? 'result ' + i : 'result', type]),
                 ['bytes of results', format.bytes(node.bytes)],
                 node.multiply_adds && ['multiply-adds', format.exact(node.multiply_adds)],
                 node.variable && ['variable', node.variable],
                 node.parent !== undefined && ['inside', fn.nodes[node.parent].name],
                 model.functions.length > 1 && ['function', fn.name]),
      this.nodes('Operands', node.inputs, fn, text),
      this.nodes('Users', [...new Set(node.users)], fn),
      group ? [el('h3', {}, others.length ? `Kernel ${group.kernel || ''}, of ${group.nodes.length} nodes` : `Kernel ${group.kernel || ''}`), this.costs(group)] : null,
      others.length ? this.nodes('Also in the kernel', others.map(each => each.id), fn) : null,
      group ? this.memoryOf(group) : null, group ? this.schedules(group) : null,
    ];
  }

  memoryOf(group) {
    const buffers = [...new Set(group.tasks.flatMap(task => task.buffers))], weights = [...new Set(group.tasks.flatMap(task => task.weights))];
    const text = memory => `${nameOfMemory(memory)}${memory.scratch ? ' (scratch)' : ''} · ${format.bytes(memory.bytes)}`;
    return [this.list('Buffers', buffers, text, memory => ({kind: 'buffer', memory})),
            this.list('Weights', weights, text, memory => ({kind: memory.kind, memory}))];
  }

  group({group}) {
    return [
      this.head(`${group.kernel || 'kernel'}, of ${group.nodes.length} ${group.nodes.length === 1 ? 'node' : 'nodes'}`, nameOfGroup(group),
                group.nodes.length && this.go('Graph', 'graph', {kind: 'group', group}), group.kernelOf && this.go('Kernels', 'kernels', group.kernelOf),
                group.tasks[0] && this.go('Schedule', 'schedule', group.tasks[0])),
      this.facts(['ops', group.ops.join(', ')], ['result', group.result]),
      this.costs(group),
      group.fn ? this.nodes('Nodes', group.nodes.map(node => node.id), group.fn) : null,
      this.memoryOf(group), this.schedules(group),
    ];
  }

  kernel({kernel}) {
    const text = group => `${nameOfGroup(group)}` + (model.runs ? ' · ' + format.time(group.us) : '');
    return [
      this.head('kernel', kernel.name, kernel.groups[0] && kernel.groups[0].nodes.length && this.go('Graph', 'graph', {kind: 'group', group: kernel.groups[0]}),
                this.go('Kernels', 'kernels', kernel)),
      this.facts(['made of', kernel.parts.join(', ')], ['operands', kernel.takes], ['tasks', kernel.tasks],
                 model.runs && ['time per run', format.time(kernel.us) + ' · ' + format.share(kernel.us, totalOf('us'))],
                 ['multiply-adds', format.exact(kernel.multiply_adds)], ['bytes', format.bytes(kernel.bytes)]),
      this.list('Uses', kernel.groups, text, group => ({kind: 'group', group})),
      kernel.groups[0] ? this.schedules(kernel.groups[0]) : null,
    ];
  }

  scope({box}) {
    const metric = model.metric, groups = [...box.groups()].sort((a, b) => (b[metric] || 0) - (a[metric] || 0));
    return [
      this.head(box.kind, box.path || box.title),
      this.facts(['nodes', format.exact(countLeaves(box))], ['kernels', format.exact(groups.length)],
                 ...Object.entries(metrics).filter(([key]) => box.measure(key)).map(([key, {title, format: show}]) => [title, show(box.measure(key))])),
      this.list('Kernels by ' + metrics[metric].title, groups,
                group => `${nameOfGroup(group)} · ${metrics[metric].format(group[metric] || 0)}`, group => ({kind: 'group', group}), 20),
    ];
  }

  task({task}) {
    const group = model.groups[task.group], kernel = model.kernelNamed(task.kernel);
    return [
      this.head('task ' + task.number + ' in step ' + task.step, nameOfTask(task), this.go('Schedule', 'schedule', task),
                group && group.nodes.length && this.go('Graph', 'graph', {kind: 'group', group}), kernel && this.go('Kernels', 'kernels', kernel)),
      this.facts(['kernel', task.kernel], task.together > 1 && ['side by side', task.together + ' tasks'],
                 task.row_wise && ['fusion', 'row by row with its neighbours'],
                 model.runs && ['time per run', format.time(task.us)], model.runs && ['calls per run', format.count(task.calls)],
                 task.estimated_ns !== undefined && ['estimate per call', format.time(task.estimated_ns / 1e3)]),
      group ? [this.memoryOf(group), group.fn ? this.nodes('Nodes', group.nodes.map(node => node.id), group.fn) : null, this.schedules(group)] : null,
    ];
  }

  buffer(item) {
    return this.memory(item, 'buffers', 'Memory plan');
  }

  weight(item) {
    return this.memory(item, 'weights');
  }

  variable(item) {
    return this.memory(item, 'weights');
  }

  memory({memory}, table, drawing) {
    const tasks = memory.tasks.map(number => memory.program.schedule.tasks[number]);
    return [
      this.head(memory.scratch ? 'scratch of a kernel' : memory.kind, nameOfMemory(memory),
                drawing && this.go(drawing, 'memory', memory), this.go(tableKinds[table][0], table, memory)),
      this.facts(['bytes', `${format.bytes(memory.bytes)} (${format.exact(memory.bytes)})`], ['offset', format.exact(memory.offset)],
                 ['type', memory.type], memory.first !== undefined && ['live', `from ${memory.first} to ${memory.last}`]),
      this.list('Tasks that use it', tasks, task => `${nameOfTask(task)} · ${task.kernel}`, task => ({kind: 'task', task})),
    ];
  }

  remark({remark}) {
    const node = model.functions.flatMap(fn => fn.nodes).find(each => each.kind === 'op' && shortName(each.name) === shortName(remark.node));
    return [this.head('decision: ' + remark.kind, remark.node || 'the whole program', node && this.go('Graph', 'graph', {kind: 'node', node})),
            el('p', {class: 'text'}, remark.text)];
  }
}
