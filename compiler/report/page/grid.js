// A table that sorts and searches, and has only the rows in view.

const rowHeight = 28;

class Grid {
  /// Columns have a `title`, a `value` of a row, and perhaps `show`, the text of
  /// that value, `isNumber`, `isName`, `bar` and `width`. `open` gets a row.
  constructor(name, columns, rows, open, sorted) {
    this.columns = columns;
    this.rows = rows;
    this.open = open;
    this.at = 0;
    this.sorted = sorted || 0;
    this.isUp = this.isUpFirst(columns[this.sorted]);
    this.search = el('input', {type: 'search', placeholder: 'Search ' + name, 'aria-label': 'Search ' + name,
                               oninput: () => this.filter()});
    this.count = el('span', {class: 'note', role: 'status'});
    this.heads = columns.map((column, i) => el('div', {class: 'cell' + (column.isNumber ? ' number' : ''), role: 'columnheader'},
        el('button', {type: 'button', onclick: () => this.sort(i)}, column.title, el('span', {class: 'arrow', 'aria-hidden': 'true'}))));
    this.body = el('div', {class: 'rows', role: 'rowgroup'});
    this.scroller = el('div', {class: 'scroller'}, this.body);
    this.table = el('div', {class: 'grid', role: 'table', 'aria-label': name,
                            '--columns': columns.map(column => column.width || (column.isNumber ? '7rem' : 'minmax(0, 1fr)')).join(' ')},
                    el('div', {role: 'rowgroup'}, el('div', {class: 'row head', role: 'row', 'aria-rowindex': 1}, this.heads)),
                    this.scroller);
    this.element = el('div', {class: 'grid-host'}, el('div', {class: 'bar'}, this.search, el('span', {class: 'spring'}), this.count), this.table);
    for (const column of columns)
      if (column.bar)
        column.most = rows.reduce((most, row) => Math.max(most, column.value(row) || 0), 0);
    this.texts = new Map();
    this.redraw = onceAFrame(() => this.update());
    this.scroller.addEventListener('scroll', this.redraw);
    this.body.addEventListener('click', event => this.click(event.target.closest('.row')));
    this.body.addEventListener('keydown', event => this.key(event));
    new ResizeObserver(this.redraw).observe(this.scroller);
    this.filter();
  }

  /// Names begin with the first one, and amounts with the largest.
  isUpFirst(column) {
    return !column.isNumber || !!column.isUp;
  }

  textOf(row) {
    if (!this.texts.has(row))
      this.texts.set(row, this.columns.map(column => {
        const value = column.value(row);
        return column.show && column.isNumber ? '' : String(value === undefined ? '' : value);
      }).join('\n').toLowerCase());
    return this.texts.get(row);
  }

  /// Keeps the rows that have all words of the search.
  filter() {
    const words = this.search.value.toLowerCase().split(/\s+/).filter(word => word);
    this.found = this.rows.filter(row => words.every(word => this.textOf(row).includes(word)));
    this.count.textContent = this.found.length === this.rows.length ? format.exact(this.rows.length) + ' rows'
        : `${format.exact(this.found.length)} of ${format.exact(this.rows.length)} rows`;
    this.at = 0;
    this.order();
  }

  sort(column) {
    this.isUp = column === this.sorted ? !this.isUp : this.isUpFirst(this.columns[column]);
    this.sorted = column;
    this.order();
  }

  order() {
    const {value, isNumber} = this.columns[this.sorted], sign = this.isUp ? 1 : -1;
    const compare = isNumber ? (a, b) => (a === undefined ? -1 : a) - (b === undefined ? -1 : b)
                             : (a, b) => String(a).localeCompare(String(b), 'en', {numeric: true});
    const index = new Map(this.rows.map((row, i) => [row, i]));
    this.found.sort((a, b) => sign * compare(value(a), value(b)) || index.get(a) - index.get(b));
    this.heads.forEach((head, i) => {
      head.setAttribute('aria-sort', i !== this.sorted ? 'none' : this.isUp ? 'ascending' : 'descending');
      head.querySelector('.arrow').textContent = i !== this.sorted ? '' : this.isUp ? ' ▲' : ' ▼';
    });
    this.scroller.scrollTop = 0;
    this.update();
  }

  update() {
    const height = this.scroller.clientHeight || 600, count = this.found.length;
    const first = Math.max(0, Math.floor(this.scroller.scrollTop / rowHeight) - 6);
    const last = Math.min(count, first + Math.ceil(height / rowHeight) + 12);
    const focused = document.activeElement && this.body.contains(document.activeElement);
    this.table.setAttribute('aria-rowcount', count + 1);
    this.body.style.setProperty('height', count * rowHeight + 'px');
    const rows = [];
    for (let i = first; i < last; ++i)
      rows.push(this.rowAt(i));
    this.body.replaceChildren(...rows);
    if (focused)
      this.focusRow();
  }

  rowAt(i) {
    const row = this.found[i];
    const element = el('div', {class: 'row' + (row === this.marked ? ' selected' : ''), role: 'row', 'aria-rowindex': i + 2,
                               tabindex: i === this.at ? 0 : -1},
        this.columns.map(column => {
          const value = column.value(row);
          const text = value === undefined || value === null ? '' : column.show ? column.show(value, row) : String(value);
          const part = column.bar && column.most ? (value || 0) / column.most : 0;
          return el('div', {class: 'cell' + (column.isNumber ? ' number' : '') + (part ? ' bar-cell' : ''), role: 'cell',
                            title: text.length > 12 || column.isNumber ? String(column.isNumber ? format.exact(value) : text) : null,
                            '--part': part ? 100 * part + '%' : null}, column.isName ? nameCell(text) : text);
        }));
    element.style.setProperty('top', i * rowHeight + 'px');
    element.number = i;
    return element;
  }

  click(element) {
    if (!element)
      return;
    this.at = element.number;
    this.marked = this.found[this.at];
    this.update();
    this.focusRow();
    this.open(this.marked);
  }

  key(event) {
    const page = Math.max(1, Math.floor(this.scroller.clientHeight / rowHeight) - 1), last = this.found.length - 1;
    const next = {ArrowDown: this.at + 1, ArrowUp: this.at - 1, PageDown: this.at + page, PageUp: this.at - page, Home: 0, End: last}[event.key];
    if (next !== undefined) {
      this.at = Math.max(0, Math.min(last, next));
      this.showRow();
      this.focusRow();
    } else if (event.key === 'Enter' || event.key === ' ') {
      this.click(event.target.closest('.row'));
    } else {
      return;
    }
    event.preventDefault();
  }

  showRow() {
    const top = this.at * rowHeight, {scrollTop, clientHeight} = this.scroller;
    if (top < scrollTop)
      this.scroller.scrollTop = top;
    else if (top + rowHeight > scrollTop + clientHeight)
      this.scroller.scrollTop = top + rowHeight - clientHeight;
    this.update();
  }

  focusRow() {
    const element = [...this.body.children].find(each => each.number === this.at);
    if (element)
      element.focus({preventScroll: true});
  }

  /// Marks a row and scrolls to it, also if the search would hide it.
  reveal(row) {
    if (!this.found.includes(row)) {
      this.search.value = '';
      this.filter();
    }
    this.at = Math.max(0, this.found.indexOf(row));
    this.marked = row;
    this.showRow();
  }
}
