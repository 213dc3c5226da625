// The page: views, search, selection, and the address of what is shown.

const views = {};
const state = {view: 'overview', fn: model.functions.find(fn => model.programs.some(program => program.fn === fn)) || model.functions[0]};

const actions = {
  /// Shows the details of a thing. `follows` also shows it in the current view.
  select(item, follows) {
    details.show(item);
    if (follows && item)
      follow(item);
    remember(item);
  },
  /// Shows a thing in a view.
  go(view, item) {
    const fn = item && functionOf(item);
    if (fn && fn !== state.fn)
      chooseFunction(fn);
    showView(view);
    if (view === 'graph' && item.kind === 'node')
      views.graph.showNode(item.node.id);
    else if (view === 'graph' && item.kind === 'group')
      views.graph.showGroup(item.group);
    else if (item)
      views[view].reveal(item);
  },
  search(text) {
    showView('nodes');
    views.nodes.grid.search.value = text;
    views.nodes.grid.filter();
  },
};

function functionOf(item) {
  if (item.kind === 'node')
    return item.node.fn;
  return item.kind === 'group' ? item.group.fn : (item.program || {}).fn;
}

/// Shows a selected thing in the current view, if the view has it.
function follow(item) {
  if (state.view === 'graph' && (item.kind === 'group' ? item.group.nodes.length : item.kind === 'node' && isDrawn(item.node)))
    actions.go('graph', item);
  else if (state.view === 'schedule' && item.kind === 'task')
    actions.go('schedule', item.task);
  else if (state.view === 'memory' && item.kind === 'buffer')
    actions.go('memory', item.memory);
}

const details = new Details(actions);

/// The views of what the report has: a compilation may end before the plan.
const tabs = [
  ['overview', 'Overview', () => new Overview(actions)],
  ['graph', 'Graph', () => new GraphView(actions), model.functions.length],
  ['memory', 'Memory', () => new MemoryView(actions), model.programs.length],
  ['schedule', 'Schedule', () => new ScheduleView(actions), model.programs.length],
  ...Object.entries(tableKinds).map(([kind, [title, rows]]) => [kind, title, () => new TableView(kind, actions), rows().rows.length]),
  ['build', 'Build', () => new BuildView()],
].filter(([, , , count]) => count !== 0);

const main = el('main', {});
const tabList = el('div', {class: 'tabs', role: 'tablist', 'aria-label': 'Views'}, tabs.map(([name, title]) =>
    el('button', {type: 'button', role: 'tab', id: 'tab-' + name, 'aria-selected': 'false', tabindex: -1, onclick: () => showView(name)}, title)));

tabList.addEventListener('keydown', event => {
  const at = tabs.findIndex(([name]) => name === state.view);
  const next = {ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1}[event.key];
  if (next === undefined)
    return;
  const [name] = tabs[(next + tabs.length) % tabs.length];
  showView(name);
  document.getElementById('tab-' + name).focus();
  event.preventDefault();
});

/// Makes a view when it is shown first.
function showView(name) {
  state.view = name;
  const old = main.firstChild;
  if (!views[name]) {
    views[name] = tabs.find(each => each[0] === name)[2]();
    views[name].element.id = 'view-' + name;
    views[name].element.setAttribute('role', 'tabpanel');
    views[name].element.setAttribute('aria-labelledby', 'tab-' + name);
  }
  const {element} = views[name];
  if (old !== element)
    main.replaceChildren(element);
  for (const tab of tabList.children) {
    const isShown = tab.id === 'tab-' + name;
    tab.setAttribute('aria-selected', isShown);
    tab.setAttribute('tabindex', isShown ? 0 : -1);
  }
  // A drawing needs the size that it has on the page.
  if (views[name].shownFor !== state.fn || !state.fn) {
    views[name].shownFor = state.fn;
    views[name].show(state.fn);
  }
  remember(details.item);
}

function chooseFunction(fn) {
  state.fn = fn;
  picker.value = fn.number;
  showView(state.view);
}

/// The address has the view and the selected node, so that a link leads there.
function remember(item) {
  let address = '#' + state.view;
  if (item && item.kind === 'node')
    address += '/' + item.node.fn.number + '/' + item.node.id;
  if (location.hash !== address)
    history.replaceState(null, '', address);
}

function readAddress() {
  const [view, fn, id] = location.hash.slice(1).split('/');
  showView(tabs.some(([name]) => name === view) ? view : 'overview');
  const node = fn !== undefined && model.functions[fn] && model.functions[fn].nodes[id];
  if (!node)
    return;
  details.show({kind: 'node', node});
  if (view === 'graph' && isDrawn(node))
    actions.go('graph', {kind: 'node', node});
}

// The search over everything that has a name.

const mostHits = 30;

function searchable() {
  const items = [];
  for (const fn of model.functions)
    for (const node of fn.nodes)
      items.push({text: node.name, hint: node.op || node.kind, view: isDrawn(node) ? 'graph' : 'nodes', item: {kind: 'node', node}});
  for (const kernel of model.kernels)
    items.push({text: kernel.name, hint: 'kernel', view: 'kernels', item: {kind: 'kernel', kernel}, row: kernel});
  for (const memory of weightsOfModel())
    items.push({text: nameOfMemory(memory), hint: memory.kind + ' ' + format.bytes(memory.bytes), view: 'weights',
                item: {kind: memory.kind, memory}, row: memory});
  for (const item of items)
    item.key = (item.text + ' ' + item.hint).toLowerCase();
  return items;
}

class Search {
  constructor() {
    this.input = el('input', {type: 'search', id: 'search', placeholder: 'Find a node, kernel or weight  ( / )', role: 'combobox', autocomplete: 'off',
                              'aria-label': 'Find a node, kernel or weight', 'aria-expanded': 'false', 'aria-controls': 'hits', 'aria-autocomplete': 'list'});
    this.hits = el('ul', {id: 'hits', class: 'hits hidden', role: 'listbox', 'aria-label': 'Found'});
    this.element = el('div', {class: 'search'}, this.input, this.hits);
    this.input.addEventListener('input', () => this.find());
    this.input.addEventListener('focus', () => this.find());
    this.input.addEventListener('keydown', event => this.key(event));
    this.input.addEventListener('blur', () => setTimeout(() => this.close(), 150));
    this.hits.addEventListener('mousedown', event => event.preventDefault());
  }

  find() {
    const words = this.input.value.toLowerCase().split(/\s+/).filter(word => word);
    this.items = this.items || searchable();
    this.found = !words.length ? [] : this.items.filter(item => words.every(word => item.key.includes(word)));
    // Names that begin with the text, and short names, come first.
    const rank = item => (item.text.toLowerCase().startsWith(words[0]) ? 0 : shortName(item.text).toLowerCase().startsWith(words[0]) ? 1 : 2) * 1e4 + item.text.length;
    this.found = this.found.sort((a, b) => rank(a) - rank(b)).slice(0, mostHits);
    this.at = this.found.length ? 0 : -1;
    this.list();
  }

  list() {
    this.hits.replaceChildren(...this.found.map((item, i) => el('li', {id: 'hit-' + i, role: 'option', 'aria-selected': String(i === this.at), onclick: () => this.open(item)},
        el('span', {class: 'name'}, item.text), el('span', {class: 'type'}, item.hint))));
    this.hits.classList.toggle('hidden', !this.found.length);
    this.input.setAttribute('aria-expanded', this.found.length > 0);
    if (this.at >= 0) {
      this.input.setAttribute('aria-activedescendant', 'hit-' + this.at);
      this.hits.children[this.at].scrollIntoView({block: 'nearest'});
    } else {
      this.input.removeAttribute('aria-activedescendant');
    }
  }

  close() {
    this.found = [];
    this.at = -1;
    this.list();
  }

  key(event) {
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      const count = (this.found || []).length;
      if (count)
        this.at = (this.at + (event.key === 'ArrowDown' ? 1 : count - 1)) % count;
      this.list();
    } else if (event.key === 'Enter' && this.at >= 0) {
      this.open(this.found[this.at]);
    } else if (event.key === 'Escape') {
      this.input.value = '';
      this.close();
    } else {
      return;
    }
    event.preventDefault();
  }

  open({view, item, row}) {
    this.close();
    details.show(item);
    if (row) {
      actions.go(view, row);
      views[view].grid.focusRow();
    } else if (view === 'graph') {
      actions.go(view, item);
      views.graph.scene.focus(views.graph.scene.focused, true);
    }
    remember(item);
  }
}

const search = new Search();
const picker = el('select', {id: 'function', onchange: event => chooseFunction(model.functions[event.target.value])},
                  model.functions.map(fn => el('option', {value: fn.number, selected: fn === state.fn}, fn.name)));

document.body.append(
    el('header', {}, el('h1', {title: report.source}, report.source || 'weir'),
       model.functions.length > 1 ? el('label', {class: 'function'}, 'Function ', picker) : null, search.element),
    tabList, el('div', {class: 'body'}, main, details.element));

document.addEventListener('keydown', event => {
  if (event.key === 'Escape' && !event.target.closest('input, select'))
    actions.select(null);
  if (event.key !== '/' || event.target.closest('input, select, textarea'))
    return;
  search.input.focus();
  search.input.select();
  event.preventDefault();
});
window.addEventListener('hashchange', readAddress);
readAddress();
document.documentElement.dataset.ready = String(Math.round(performance.now()));
