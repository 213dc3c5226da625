// The view of the arena: buffers over the tasks of a run.

/// The bytes that are live at each moment.
function liveBytes(program) {
  const live = new Float64Array(program.moments + 1);
  for (const buffer of program.buffers) {
    if (buffer.host)
      continue;
    live[buffer.first] += buffer.bytes;
    live[Math.min(buffer.last, program.moments - 1) + 1] -= buffer.bytes;
  }
  for (let i = 1; i < live.length; ++i)
    live[i] += live[i - 1];
  return live;
}

class MemoryView {
  constructor(actions) {
    this.actions = actions;
    this.lanes = new Lanes('Memory plan', item => actions.select(item && {kind: item.kind, memory: item}));
    this.facts = el('span', {class: 'note'});
    this.element = el('section', {class: 'view memory', 'aria-label': 'Memory plan'},
        el('div', {class: 'bar'}, el('span', {class: 'key area'}), 'buffer',
           el('span', {class: 'key scratch'}), 'scratch of a kernel',
           el('span', {class: 'key live'}), 'live bytes', el('span', {class: 'key bound'}), 'lower bound of any plan',
           el('span', {class: 'spring'}), this.facts),
        this.lanes.element);
  }

  show(fn) {
    const program = model.programs.find(each => each.fn === fn);
    this.program = program;
    const buffers = program ? program.buffers.filter(buffer => !buffer.host) : [];
    if (!buffers.length) {
      this.facts.textContent = 'This function has no buffers in the arena.';
      this.lanes.show({x: {title: '', size: 1, format: () => ''}, y: {title: '', size: 1, format: () => ''}, rects: []});
      return;
    }
    const live = liveBytes(program), arena = model.plan.arena_bytes;
    const peak = live.reduce((most, bytes) => Math.max(most, bytes), 0);
    const bound = model.plan.max_live_bytes;
    const steps = [];
    for (let i = 0; i < program.moments; ++i)
      steps.push([i, live[i]], [i + 1, live[i]]);
    const atPeak = program.schedule.tasks.find(task => live[task.at] === peak);
    this.facts.textContent = `most live: ${format.bytes(peak)}` + (atPeak ? ` at ${cut(tailName(nameOfTask(atPeak)), 36)}` : '');
    this.lanes.show({
      x: {title: 'tasks in the order of a run', size: program.moments, format: String, isCounted: true},
      y: {title: 'offset in the arena', size: Math.max(arena, 1) * 1.04, format: format.bytes, isBinary: true},
      rects: buffers.map(buffer => this.rectOf(buffer)),
      bands: (program.regions || []).filter(region => region.kind === 'loop')
          .map(region => ({x0: region.first, x1: region.last + 1, label: 'loop ' + region.node})),
      lines: [
        {kind: 'live', points: steps},
        {kind: 'bound', points: [[0, bound], [program.moments, bound]], label: 'lower bound ' + format.bytes(bound), isBelow: true},
        {kind: 'arena', points: [[0, arena], [program.moments, arena]], label: 'arena ' + format.bytes(arena)},
      ],
    });
  }

  rectOf(buffer) {
    const task = buffer.program.schedule.tasks[buffer.tasks[0]];
    const kernel = task && model.kernelNamed(task.kernel);
    const name = nameOfMemory(buffer);
    return {
      x0: buffer.first, x1: buffer.last + 1, y0: buffer.offset, y1: buffer.offset + buffer.bytes, item: buffer,
      kind: buffer.scratch ? 'scratch' : '', hue: buffer.scratch || !kernel ? null : hueOf(kernel.number), label: tailName(name), short: shortName(name),
      title: [name + (buffer.scratch ? ' (scratch)' : ''), format.bytes(buffer.bytes) + ' at offset ' + format.exact(buffer.offset),
              buffer.type, 'live from ' + buffer.first + ' to ' + buffer.last].join('\n'),
    };
  }

  reveal(buffer) {
    this.lanes.reveal(buffer);
  }
}
