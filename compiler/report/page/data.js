// Reads the report, and connects nodes, groups, kernels, tasks and buffers.

const report = JSON.parse(document.getElementById('data').textContent);

const elementBits = {index: 64};

/// The bytes of a tensor such as `1x10xf32` or `memref<1x10xf32>`.
function bytesOfType(type) {
  const parts = type.replace(/^(tensor|memref)<(.*)>$/, '$2').split('x');
  const element = parts.pop();
  const bits = elementBits[element] || Number((/(\d+)$/.exec(element.split(',')[0]) || [0, 0])[1]);
  return parts.reduce((product, size) => product * (Number(size) || 0), Math.ceil(bits / 8));
}

/// Tasks of one step share its time, if there is a profile, by their estimates.
function shareTimes(tasks, runs) {
  const steps = new Map();
  for (const task of tasks)
    steps.set(task.step, [...(steps.get(task.step) || []), task]);
  for (const step of steps.values()) {
    const hasTime = step.some(task => task.us !== undefined);
    const us = step.reduce((sum, task) => sum + (task.us || 0), 0);
    const calls = Math.max(0, ...step.map(task => task.calls || 0));
    const all = step.reduce((sum, task) => sum + (task.estimated_ns || 1), 0);
    for (const task of step) {
      task.together = step.length;
      if (!hasTime)
        continue;
      task.calls = calls / runs;
      task.us = us / runs * (task.estimated_ns || 1) / all;
    }
  }
}

function connectTasks(program, groups, runs) {
  const tasks = program.schedule.tasks;
  tasks.forEach((task, number) => {
    task.number = number;
    task.program = program;
    task.buffers = [];
    task.weights = [];
    const group = groups[task.group];
    if (group)
      group.tasks.push(task);
  });
  shareTimes(tasks, runs || 1);
  for (const copy of program.copies || [])
    if (runs && copy.us !== undefined) {
      copy.us /= runs;
      copy.calls /= runs;
    }
  const connect = (list, key, kind) => (list || []).forEach((memory, number) => {
    memory.number = number;
    memory.kind = kind;
    memory.program = program;
    for (const task of memory.tasks)
      tasks[task][key].push(memory);
  });
  connect(program.buffers, 'buffers', 'buffer');
  connect(program.weights, 'weights', 'weight');
  connect(program.variables, 'weights', 'variable');
}

function connectNodes(fn, groups) {
  fn.nodes.forEach((node, id) => {
    node.id = id;
    node.fn = fn;
    node.inputs = node.inputs || [];
    node.results = node.results || [];
    node.users = [];
    node.bytes = node.results.reduce((sum, type) => sum + bytesOfType(type), 0);
    if (!node.name)
      node.name = {result: 'next values', input: 'input', output: 'output'}[node.kind] || node.op || 'loop variable';
  });
  for (const node of fn.nodes) {
    for (const [from] of node.inputs)
      fn.nodes[from].users.push(node.id);
    const group = groups[node.group];
    if (group && node.kind === 'op') {
      group.nodes.push(node);
      group.fn = fn;
    }
  }
}

/// What views measure nodes, kernels and tasks by.
const metrics = {
  us: {title: 'time', head: 'time', format: format.time},
  estimate: {title: 'estimated time', head: 'estimate', format: format.time},
  multiply_adds: {title: 'multiply-adds', head: 'mul-adds', format: format.count},
  bytes: {title: 'bytes', head: 'bytes', format: format.bytes},
};

function connectReport() {
  const groups = report.groups || [], functions = report.graph || [];
  const programs = (report.plan || {}).programs || [];
  const runs = report.profile && Math.max(1, report.profile.runs);
  const kernels = new Map();
  for (const kernel of report.kernels || [])
    kernels.set(kernel.name, Object.assign(kernel, {groups: [], tasksOf: [], number: kernels.size}));
  groups.forEach((group, number) => {
    group.number = number;
    group.nodes = [];
    group.tasks = [];
    group.bytes = group.bytes_read + group.bytes_written;
    group.kernelOf = kernels.get(group.kernel);
    if (group.kernelOf)
      group.kernelOf.groups.push(group);
  });
  functions.forEach((fn, number) => {
    fn.number = number;
    connectNodes(fn, groups);
  });
  for (const program of programs) {
    connectTasks(program, groups, runs);
    program.fn = functions.find(fn => fn.name === program.function);
    for (const task of program.schedule.tasks)
      if (kernels.has(task.kernel))
        kernels.get(task.kernel).tasksOf.push(task);
  }
  for (const group of groups) {
    const sum = (key, factor) => group.tasks.reduce((all, task) => all + (task[key] || 0) * factor, 0);
    group.us = runs ? sum('us', 1) : undefined;
    group.estimate = group.tasks.some(task => task.estimated_ns !== undefined) ? sum('estimated_ns', 1e-3) : undefined;
    group.schedules = (report.schedules || []).filter(each => each.kernel === group.kernel);
  }
  for (const kernel of kernels.values()) {
    const sum = key => kernel.groups.reduce((all, group) => all + (group[key] || 0), 0);
    kernel.us = runs ? kernel.tasksOf.reduce((all, task) => all + (task.us || 0), 0) : undefined;
    kernel.estimate = kernel.tasksOf.reduce((all, task) => all + (task.estimated_ns || 0) / 1e3, 0);
    kernel.multiply_adds = sum('multiply_adds');
    kernel.bytes = sum('bytes');
  }
  const metric = runs ? 'us' : groups.some(group => group.estimate) ? 'estimate' : 'multiply_adds';
  return {functions, groups, kernels: [...kernels.values()], programs, runs, metric,
          plan: report.plan || {}, kernelNamed: name => kernels.get(name)};
}

const model = connectReport();

/// The group of a node, if a kernel computes it.
function groupOf(node) {
  return node.kind === 'op' ? model.groups[node.group] : undefined;
}

/// Ops that only move values. Kernels of other scopes may have copies of them.
function isMoving(node) {
  return ['broadcast', 'reshape', 'transpose'].includes(node.op);
}

/// The most expensive node of a kernel, which has the kernel's name.
function mainNode(group) {
  const rank = node => node.multiply_adds || (isMoving(node) ? -1 : 0);
  return group.nodes.reduce((most, node) => rank(node) > rank(most) ? node : most);
}

function nameOfGroup(group) {
  return group.nodes.length ? mainNode(group).name : group.node;
}

/// The sum of a metric over a program.
function totalOf(metric) {
  return model.groups.reduce((sum, group) => sum + (group[metric] || 0), 0);
}

/// The name of the main node of a task.
function nameOfTask(task) {
  const group = model.groups[task.group];
  return group ? nameOfGroup(group) : task.node || task.kernel;
}

/// The name for a buffer, a weight or a variable.
function nameOfMemory(memory) {
  const first = memory.program.schedule.tasks[memory.tasks[0]];
  return memory.node || (first ? nameOfTask(first) : `${memory.kind} ${memory.type.replace(/^memref<(.*)>$/, '$1')}`);
}
