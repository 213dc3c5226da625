// Moves and scales a drawing, by pointer, wheel and keys.

const zoomStep = 1.3;

/// A view has `scaleBy(factor, x, y, axes)`, where x and y are in pixels of the
/// host, `moveBy(dx, dy)` and `fit()`.
function enablePanZoom(host, view) {
  const pointers = new Map();
  let moved = 0;
  const at = event => {
    const box = host.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };
  host.addEventListener('wheel', event => {
    event.preventDefault();
    const unit = event.deltaMode === 1 ? 18 : event.deltaMode === 2 ? 200 : 1;
    const delta = (event.deltaY || event.deltaX) * unit;
    view.scaleBy(Math.exp(-Math.max(-240, Math.min(240, delta)) / 400), ...at(event), event.shiftKey ? 'y' : 'x');
  }, {passive: false});
  host.addEventListener('pointerdown', event => {
    if (event.button !== 0 || event.target.closest('button, select, input'))
      return;
    pointers.set(event.pointerId, at(event));
    moved = 0;
  });
  host.addEventListener('pointermove', event => {
    const before = pointers.get(event.pointerId);
    if (!before)
      return;
    const now = at(event);
    moved += Math.hypot(now[0] - before[0], now[1] - before[1]);
    // A click with a hand that trembles is no drag.
    if (moved < 4)
      return;
    if (!host.hasPointerCapture(event.pointerId))
      host.setPointerCapture(event.pointerId);
    if (pointers.size === 2) {
      const other = [...pointers].find(([id]) => id !== event.pointerId)[1];
      const length = to => Math.max(8, Math.hypot(to[0] - other[0], to[1] - other[1]));
      view.scaleBy(length(now) / length(before), other[0], other[1], 'both');
    } else {
      view.moveBy(now[0] - before[0], now[1] - before[1]);
    }
    pointers.set(event.pointerId, now);
  });
  for (const end of ['pointerup', 'pointercancel'])
    host.addEventListener(end, event => pointers.delete(event.pointerId));
  // The click at the end of a drag selects nothing.
  host.addEventListener('click', event => {
    if (moved >= 4)
      event.stopImmediatePropagation();
    moved = 0;
  }, true);
  host.addEventListener('keydown', event => {
    if (event.ctrlKey || event.metaKey || event.altKey)
      return;
    const middle = [host.clientWidth / 2, host.clientHeight / 2];
    const moves = {ArrowLeft: [80, 0], ArrowRight: [-80, 0], ArrowUp: [0, 80], ArrowDown: [0, -80]};
    if (event.key === '+' || event.key === '=')
      view.scaleBy(zoomStep, ...middle, 'both');
    else if (event.key === '-')
      view.scaleBy(1 / zoomStep, ...middle, 'both');
    else if (event.key === '0')
      view.fit();
    else if (event.target === host && moves[event.key])
      view.moveBy(...moves[event.key]);
    else
      return;
    event.preventDefault();
  });
}

/// Buttons that scale a view.
function zoomButtons(host, view) {
  const middle = () => [host.clientWidth / 2, host.clientHeight / 2];
  const button = (text, label, action) =>
      el('button', {type: 'button', title: label, 'aria-label': label, onclick: action}, text);
  return el('div', {class: 'zoom', role: 'group', 'aria-label': 'Zoom'},
            button('+', 'Zoom in (+)', () => view.scaleBy(zoomStep, ...middle(), 'both')),
            button('−', 'Zoom out (-)', () => view.scaleBy(1 / zoomStep, ...middle(), 'both')),
            button('⤢', 'Show all (0)', () => view.fit()));
}

/// Calls `action` once before the next frame, however often it is asked.
function onceAFrame(action) {
  let waits = false;
  return () => {
    if (waits)
      return;
    waits = true;
    requestAnimationFrame(() => {
      waits = false;
      action();
    });
  };
}
