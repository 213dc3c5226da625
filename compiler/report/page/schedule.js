// The view of the schedule: steps one after the other, and the tasks of a step
// side by side.

class ScheduleView {
  constructor(actions) {
    this.actions = actions;
    this.lanes = new Lanes('Schedule', item => actions.select(item && {kind: 'task', task: item}));
    this.widths = [['step', 'steps of one width']];
    if (model.groups.some(group => group.estimate))
      this.widths.unshift(['estimate', 'estimated time']);
    if (model.runs)
      this.widths.unshift(['us', 'measured time']);
    this.width = this.widths[0][0];
    this.facts = el('span', {class: 'note'});
    this.element = el('section', {class: 'view schedule', 'aria-label': 'Schedule'},
        el('div', {class: 'bar'}, el('label', {for: 'width'}, 'Width'),
           el('select', {id: 'width', onchange: event => this.rescale(event.target.value)},
              this.widths.map(([value, title]) => el('option', {value}, title))),
           el('span', {class: 'key ramp'}), 'share of the longest step',
           el('span', {class: 'spring'}), this.facts),
        this.lanes.element, this.table = el('div', {class: 'below'}));
  }

  show(fn) {
    this.fn = fn;
    const program = this.program = model.programs.find(each => each.fn === fn);
    const tasks = program ? program.schedule.tasks : [];
    const most = tasks.reduce((all, task) => Math.max(all, task.together), 1);
    this.facts.textContent = !tasks.length ? 'This function has no tasks.'
        : `${format.exact(program.schedule.steps)} steps, at most ${most} ${most === 1 ? 'task' : 'tasks'} in one`
        + (model.runs ? `, ${format.time(report.profile.measured_us / model.runs)} per run on `
                        + `${report.profile.threads} ${report.profile.threads === 1 ? 'thread' : 'threads'}` : '');
    // The rows of few tasks do not fill the view, and the table has the rest.
    this.lanes.element.style.setProperty('--lanes', most);
    this.lanes.show(this.chart(tasks));
    this.grid = new Grid('tasks', this.columns(tasks), tasks, task => this.choose(task), 0);
    this.table.replaceChildren(this.grid.element);
  }

  columns(tasks) {
    const has = key => tasks.some(task => task[key] !== undefined);
    return [
      {title: 'step', value: task => task.step, isNumber: true, width: '5.5rem', isUp: true},
      {title: 'node', value: nameOfTask, isName: true},
      {title: 'kernel', value: task => task.kernel, width: '7rem'},
      {title: 'together', value: task => task.together > 1 ? task.together + ' tasks' : '', width: '7rem'},
      has('us') && {title: 'time', value: task => task.us, show: format.time, isNumber: true, bar: true},
      has('calls') && {title: 'calls', value: task => task.calls, show: format.count, isNumber: true, width: '5rem'},
      has('estimated_ns') && {title: 'estimate', value: task => task.estimated_ns / 1e3 || undefined, show: format.time, isNumber: true, bar: true},
    ].filter(column => column);
  }

  choose(task) {
    this.lanes.reveal(task);
    this.actions.select({kind: 'task', task});
  }

  rescale(width) {
    this.width = width;
    this.show(this.fn);
  }

  /// The time of a step's row: the tasks of a shared region have one time.
  timeOf(tasks) {
    if (this.width === 'step')
      return 1;
    const time = tasks.reduce((sum, task) => sum + (this.width === 'us' ? task.us || 0 : (task.estimated_ns || 0) / 1e3), 0);
    return this.width === 'us' ? time : time / (tasks[0].row_wise ? 1 : tasks.length);
  }

  chart(tasks) {
    const steps = new Map();
    for (const task of tasks)
      steps.set(task.step, [...(steps.get(task.step) || []), task]);
    const rects = [], places = new Map();
    let x = 0, width = 1, most = 0;
    for (const [step, group] of steps) {
      const time = this.timeOf(group);
      most = Math.max(most, time);
      places.set(step, [x, x + time]);
      width = Math.max(width, group.length);
      group.forEach((task, lane) => rects.push({x0: x, x1: x + time, y0: lane, y1: lane + 1, time, item: task}));
      x += time;
    }
    const metric = this.width === 'step' ? model.metric : this.width;
    const value = task => metric === 'us' ? task.us : metric === 'estimate' ? (task.estimated_ns || 0) / 1e3
                                                                           : (model.groups[task.group] || {}).multiply_adds;
    const largest = tasks.reduce((all, task) => Math.max(all, value(task) || 0), 0);
    for (const rect of rects)
      Object.assign(rect, {heat: heatOf(value(rect.item), largest), kind: 'heated', label: tailName(nameOfTask(rect.item)), short: shortName(nameOfTask(rect.item)),
                           title: this.titleOf(rect.item)});
    const isTime = this.width !== 'step';
    return {
      rects, bands: this.bandsOf(tasks, places),
      x: {title: isTime ? 'time of a run' : 'steps', size: Math.max(x, 1e-9), format: isTime ? format.time : String, isCounted: !isTime},
      y: {title: 'side by side', size: width, format: tick => String(tick + 1), isCounted: true, isDown: true},
    };
  }

  bandsOf(tasks, places) {
    return ((this.program || {}).regions || []).filter(region => region.kind === 'loop').map(region => {
      const inside = tasks.filter(task => task.at >= region.first && task.at <= region.last);
      if (!inside.length)
        return null;
      return {x0: places.get(inside[0].step)[0], x1: places.get(inside[inside.length - 1].step)[1], label: 'loop ' + region.node};
    }).filter(band => band);
  }

  titleOf(task) {
    const lines = [nameOfTask(task), `${task.kernel}, step ${task.step}`];
    if (task.us !== undefined)
      lines.push(format.time(task.us) + ' per run' + (task.together > 1 ? `, a share of ${task.together} tasks by their estimates` : ''));
    if (task.estimated_ns !== undefined)
      lines.push('estimate ' + format.time(task.estimated_ns / 1e3) + ' per call');
    return lines.join('\n');
  }

  reveal(task) {
    this.lanes.reveal(task);
    this.grid.reveal(task);
  }
}
