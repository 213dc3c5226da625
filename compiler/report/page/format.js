// Builds elements, and formats numbers, bytes and times.
'use strict';

/// The namespace of drawings, from an element of the page.
const drawingSpace = document.querySelector('svg').namespaceURI;

function fill(element, attributes, children) {
  for (const [key, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false)
      continue;
    if (key.startsWith('on'))
      element.addEventListener(key.slice(2), value);
    else if (key.startsWith('--'))
      element.style.setProperty(key, value);
    else
      element.setAttribute(key, value === true ? '' : value);
  }
  for (const child of children.flat())
    if (child !== null && child !== undefined && child !== false)
      element.append(child);
  return element;
}

/// An element of the page. Children are elements or text; text is never markup.
function el(tag, attributes, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/// An element of a drawing.
function draw(tag, attributes, ...children) {
  return fill(document.createElementNS(drawingSpace, tag), attributes, children);
}

const format = {
  /// 1234567 is `1.23 M`.
  count(n) {
    if (n === null || n === undefined)
      return '';
    for (const [unit, factor] of [['T', 1e12], ['G', 1e9], ['M', 1e6], ['k', 1e4]])
      if (Math.abs(n) >= factor)
        return format.digits(n / (unit === 'k' ? 1e3 : factor)) + ' ' + unit;
    return Number.isInteger(n) ? String(n) : format.digits(n);
  },
  /// Three digits.
  digits(n) {
    if (n === 0)
      return '0';
    const whole = Math.abs(n);
    return n.toFixed(whole >= 100 || Number.isInteger(n) ? 0 : whole >= 10 ? 1 : 2);
  },
  exact(n) {
    return n === null || n === undefined ? '' : n.toLocaleString('en');
  },
  bytes(n) {
    if (n === null || n === undefined)
      return '';
    for (const [unit, factor] of [['GiB', 2 ** 30], ['MiB', 2 ** 20], ['KiB', 2 ** 10]])
      if (n >= factor)
        return format.digits(n / factor) + ' ' + unit;
    return n + ' B';
  },
  /// Of microseconds.
  time(us) {
    if (us === null || us === undefined)
      return '';
    if (us >= 1e6)
      return format.digits(us / 1e6) + ' s';
    if (us >= 1e3)
      return format.digits(us / 1e3) + ' ms';
    if (us >= 1 || us === 0)
      return format.digits(us) + ' µs';
    return format.digits(us * 1e3) + ' ns';
  },
  share(part, all) {
    return all > 0 ? (100 * part / all).toFixed(1) + ' %' : '';
  },
};

/// The last part of a name with slashes.
function shortName(name) {
  return name.slice(name.lastIndexOf('/') + 1) || name;
}

/// The last two parts of a name, which differ where layers repeat.
function tailName(name) {
  return name.split('/').slice(-2).join('/');
}

/// A name whose scope may be cut, and its last part not.
function nameCell(name) {
  const last = shortName(name), scope = name.slice(0, name.length - last.length);
  return el('span', {class: 'path'}, el('span', {class: 'scope'}, scope), el('span', {class: 'last'}, last));
}

/// At most `most` characters, cut in the middle.
function cut(text, most) {
  if (text.length <= most)
    return text;
  const head = Math.ceil((most - 1) * 0.6);
  return text.slice(0, head) + '…' + text.slice(text.length - (most - 1 - head));
}

/// The hue of a thing with a number, such as a kernel: neighbours differ.
function hueOf(number) {
  return number === undefined || number < 0 ? null : Math.round((number * 137.5 + 210) % 360);
}
