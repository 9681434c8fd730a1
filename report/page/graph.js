// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The drawing: boxes, what flows between them, zoom, and the chosen op with its
// inputs and users wherever they are.
'use strict';
const kPad = 16, kHead = 34;

class Drawing {
  constructor(svg, choose) {
    this.svg = svg;
    this.choose = choose;
    this.world = drawn('g', {});
    this.marks();
    svg.append(this.world);
    this.scale = 1;
    this.x = this.y = 0;
    this.chosen = null;
    this.listen();
  }

  marks() {
    const defs = drawn('defs', {});
    for (const kind of ['plain', 'cross']) {
      const marker = drawn('marker', {
        id: 'head-' + kind, viewBox: '0 0 8 8', refX: 7, refY: 4,
        markerWidth: kind === 'cross' ? 13 : 7,
        markerHeight: kind === 'cross' ? 13 : 7, orient: 'auto',
        markerUnits: 'userSpaceOnUse',
      });
      marker.append(drawn('path', {d: 'M0 0 8 4 0 8z', class: 'head ' + kind}));
      defs.append(marker);
    }
    this.svg.append(defs);
  }

  show(graph) {
    this.graph = graph;
    this.root = graph.tree || (graph.tree = makeTree(graph));
    this.chosen = null;
    this.draw();
    this.fit();
  }

  draw() {
    const focus = document.activeElement && document.activeElement.dataset
        ? document.activeElement.dataset.path : null;
    this.places = new Map();
    this.world.replaceChildren();
    this.measure(this.root);
    this.root.x = this.root.y = 0;
    this.paintInside(this.root, this.world, 0, 0);
    this.paintNear();
    if (focus) {
      const again = this.world.querySelector(`[data-path="${CSS.escape(focus)}"]`);
      if (again)
        again.focus({preventScroll: true});
    }
  }

  measure(box) {
    if (box.isOpen && !box.isOp) {
      const children = box.children;
      children.forEach(child => this.measure(child));
      box.flows = flowsOf(box);
      const size = layOut(children, box.flows, box.parent ? kNarrow : kWide);
      box.width = Math.max(size.width + 2 * kPad, this.titleWidth(box));
      box.height = size.height + kHead + kPad;
      box.inset = (box.width - size.width) / 2;
      return;
    }
    box.width = this.titleWidth(box);
    box.height = 44;
  }

  titleWidth(box) {
    const mark = box.isOp ? 0 : 2;
    const letters = Math.min(30, Math.max(box.name.length + mark,
                                          this.under(box).length - 2));
    return Math.max(96, letters * 7.2 + 26);
  }

  /** The second line of a box. */
  under(box) {
    if (box.isOp)
      return this.graph.kind(box.op) +
          (this.graph.ops.results[box.op].length
              ? ' · ' + this.graph.types(box.op)[0] : '');
    return countText(box.size, 'op');
  }

  pathOf(box) {
    return box.parent ? this.pathOf(box.parent) + '\u0001' +
        (box.isOp ? 'op:' : '') + box.device + ':' + box.name : '';
  }

  paintInside(box, into, x, y) {
    const group = drawn('g', {});
    const left = x + (box.parent ? box.inset : 0);
    const top = y + (box.parent ? kHead : 0);
    const labels = drawn('g', {});
    for (const flow of box.flows)
      this.paintFlow(box, flow, group, labels, left, top);
    into.append(group);
    for (const child of box.children)
      this.paintBox(child, group, left + child.x, top + child.y);
    group.append(labels);
  }

  paintBox(box, into, x, y) {
    const kind = box.isOp ? 'op' : box.isOpen ? 'open' : 'shut';
    const group = drawn('g', {
      class: 'box ' + kind, tabindex: 0, role: 'button',
      'aria-label': box.isOp ? `op ${box.name}` : `${box.name}, ${this.under(box)}`,
    });
    if (!box.isOp)
      group.setAttribute('aria-expanded', box.isOpen);
    group.dataset.path = this.pathOf(box);
    if (box.isOp)
      group.dataset.op = this.graph.ops.name[box.op];
    group.box = box;
    tint(group, box.device);
    if (this.chosen && this.chosen === box)
      group.classList.add('chosen');
    group.append(drawn('rect', {x, y, width: box.width, height: box.height,
                                rx: box.isOp ? 6 : 10}));
    this.title(box, group, x, y);
    into.append(group);
    this.places.set(box, {x, y});
    if (box.isOpen && !box.isOp)
      this.paintInside(box, into, x, y);
  }

  title(box, group, x, y) {
    const cut = (text, most) =>
        text.length > most ? text.slice(0, most - 1) + '…' : text;
    const most = Math.max(12, Math.floor((box.width - 22) / 7.1));
    const name = drawn('text', {x: x + 12, y: y + (box.isOpen ? 22 : 18)});
    name.textContent = (box.isOp ? '' : box.isOpen ? '▾ ' : '▸ ') +
        cut(box.name, most - (box.isOp ? 0 : 2));
    if (box.level === 1)
      name.setAttribute('class', 'device');
    const full = drawn('title', {});
    full.textContent = box.isOp ? this.graph.ops.name[box.op] : box.name;
    group.append(full, name);
    if (box.isOpen)
      return;
    const sub = drawn('text', {x: x + 12, y: y + 35, class: 'sub'});
    sub.textContent = cut(this.under(box), Math.floor((box.width - 20) / 6));
    group.append(sub);
  }

  paintFlow(box, flow, into, labels, left, top) {
    const isCross = box.parent === null;
    const points = flow.points.map(([x, y]) => [x + left, y + top]);
    const kind = isCross ? 'cross' : 'plain';
    into.append(drawn('path', {
      d: curve(points), class: 'wire ' + kind,
      'stroke-width': 1 + Math.min(2.6, 0.65 * Math.log10(1 + flow.bytes / 1000)),
      'marker-end': `url(#head-${kind})`,
    }));
    if (!isCross)
      return;
    const from = box.children[flow.from], to = box.children[flow.to];
    const link = linksOf(this.graph.name).find(
        l => l.source === from.device && l.target === to.device);
    const bytes = link && link.bytes ? link.bytes : flow.bytes;
    const count = link && link.bytes ? link.edges.length : flow.values.length;
    // By the end where there is more room: many lines may meet at the other.
    const busy = end => box.flows.reduce(
        (sum, other) => sum + (other.from === end) + (other.to === end), 0);
    const [x, y] = along(points, busy(flow.from) > busy(flow.to) ? 0.8 : 0.4);
    const label = drawn('text', {x, y, class: 'label', tabindex: 0, role: 'button'});
    label.textContent = `${bytesText(bytes)} · ${count}`;
    label.flow = {flow, from, to};
    labels.append(label);
  }

  /** The smallest visible box around an op. */
  visible(op) {
    let box = this.root;
    while (box.isOpen && !box.isOp)
      box = box.childOf(op);
    return box;
  }

  paintNear() {
    if (!this.chosen || !this.chosen.isOp)
      return;
    const op = this.chosen.op, layer = drawn('g', {'pointer-events': 'none'});
    const middle = box => {
      const {x, y} = this.places.get(box);
      return {x: x + box.width / 2, top: y, bottom: y + box.height};
    };
    const join = (from, to) => {
      if (from === to)
        return;
      const a = middle(from), b = middle(to);
      const points = a.bottom < b.top ? [[a.x, a.bottom], [b.x, b.top]]
                                      : [[a.x, a.top], [b.x, b.bottom]];
      const kind = from.device === to.device ? 'plain' : 'cross';
      layer.append(drawn('path', {d: curve(points), class: 'wire near ' + kind,
                                  'marker-end': `url(#head-${kind})`}));
    };
    const drawnTo = new Set();
    for (const input of this.graph.inputs(op)) {
      const box = this.visible(input);
      if (!drawnTo.has(box))
        join(box, this.chosen);
      drawnTo.add(box);
    }
    drawnTo.clear();
    for (const user of this.graph.users(op).slice(0, 200)) {
      const box = this.visible(user);
      if (!drawnTo.has(box))
        join(this.chosen, box);
      drawnTo.add(box);
    }
    this.world.append(layer);
  }

  toggle(box) {
    const before = this.places.get(box);
    box.isOpen = !box.isOpen;
    this.draw();
    // What was clicked stays under the pointer.
    const after = this.places.get(box);
    if (before && after)
      this.move((before.x - after.x) * this.scale, (before.y - after.y) * this.scale);
  }

  /** Opens what is around an op and puts it in the middle. */
  reveal(op) {
    let box = this.root;
    while (!box.isOp) {
      box.isOpen = true;
      box = box.childOf(op);
    }
    this.chosen = box;
    this.draw();
    const {x, y} = this.places.get(box);
    const room = this.room();
    this.scale = Math.max(this.scale, 0.8);
    this.x = room.width / 2 - (x + box.width / 2) * this.scale;
    this.y = room.height / 2 - (y + box.height / 2) * this.scale;
    this.apply();
    return box;
  }

  /** The part of the window that the details do not cover. */
  room() {
    const {width, height} = this.svg.getBoundingClientRect();
    return {width: width > 900 ? width - 410 : width, height};
  }

  closeAll() {
    const close = box => {
      box.isOpen = false;
      if (box.made)
        box.made.forEach(close);
    };
    this.root.children.forEach(close);
    this.draw();
    this.fit();
  }

  fit() {
    const room = this.room();
    const {width, height} = this.root;
    this.scale = Math.min(1.15, Math.max(0.05, Math.min(
        (room.width - 60) / width, (room.height - 110) / height)));
    this.x = (room.width - width * this.scale) / 2;
    this.y = Math.max(54, (room.height - height * this.scale) / 2);
    this.apply();
  }

  apply() {
    this.world.setAttribute('transform',
        `translate(${this.x} ${this.y}) scale(${this.scale})`);
  }

  move(x, y) {
    this.x += x;
    this.y += y;
    this.apply();
  }

  zoom(factor, x, y) {
    const room = this.room();
    const px = x === undefined ? room.width / 2 : x;
    const py = y === undefined ? room.height / 2 : y;
    const scale = Math.min(4, Math.max(0.03, this.scale * factor));
    this.x = px - (px - this.x) * scale / this.scale;
    this.y = py - (py - this.y) * scale / this.scale;
    this.scale = scale;
    this.apply();
  }

  /** A click on an op or a title of a box: chosen, and opened or closed. */
  click(target) {
    if (target.flow)
      return this.choose({flow: target.flow});
    const group = target.closest ? target.closest('.box') : null;
    if (!group) {
      if (this.chosen) {
        this.chosen = null;
        this.draw();
      }
      return this.choose({});
    }
    const box = group.box;
    this.chosen = box;
    if (box.isOp)
      this.draw();
    else
      this.toggle(box);
    this.choose({box});
  }

  listen() {
    const svg = this.svg;
    let from = null, moved = false;
    svg.addEventListener('pointerdown', event => {
      from = {x: event.clientX, y: event.clientY};
      moved = false;
    });
    svg.addEventListener('pointermove', event => {
      if (!from || !(event.buttons & 1))
        return;
      const x = event.clientX - from.x, y = event.clientY - from.y;
      if (!moved && Math.hypot(x, y) < 4)
        return;
      moved = true;
      this.move(x, y);
      from = {x: event.clientX, y: event.clientY};
    });
    svg.addEventListener('click', event => {
      if (!moved)
        this.click(event.target);
      moved = false;
    });
    svg.addEventListener('wheel', event => {
      event.preventDefault();
      const frame = svg.getBoundingClientRect();
      this.zoom(Math.exp(-event.deltaY * 0.0016), event.clientX - frame.left,
                event.clientY - frame.top);
    }, {passive: false});
    svg.addEventListener('keydown', event => {
      const steps = {ArrowLeft: [60, 0], ArrowRight: [-60, 0],
                     ArrowUp: [0, 60], ArrowDown: [0, -60]};
      if (event.key === 'Enter' || event.key === ' ')
        this.click(event.target);
      else if (steps[event.key])
        this.move(...steps[event.key]);
      else if (event.key === '+' || event.key === '-')
        this.zoom(event.key === '+' ? 1.25 : 0.8);
      else
        return;
      event.preventDefault();
    });
  }
}

function curve(points) {
  let path = `M${points[0][0]} ${points[0][1]}`;
  for (let i = 1; i < points.length; ++i) {
    const [x0, y0] = points[i - 1], [x1, y1] = points[i];
    const bend = (y1 - y0) / 2;
    path += x0 === x1 ? `L${x1} ${y1}`
                      : `C${x0} ${y0 + bend} ${x1} ${y1 - bend} ${x1} ${y1}`;
  }
  return path;
}

/** A point on a path of lines, at a part of its length. */
function along(points, part) {
  let length = 0;
  for (let i = 1; i < points.length; ++i)
    length += Math.hypot(points[i][0] - points[i - 1][0],
                         points[i][1] - points[i - 1][1]);
  let rest = length * part;
  for (let i = 1; i < points.length; ++i) {
    const step = Math.hypot(points[i][0] - points[i - 1][0],
                            points[i][1] - points[i - 1][1]);
    if (rest <= step && step > 0) {
      const t = rest / step;
      return [points[i - 1][0] + (points[i][0] - points[i - 1][0]) * t,
              points[i - 1][1] + (points[i][1] - points[i - 1][1]) * t];
    }
    rest -= step;
  }
  return points[points.length - 1];
}
