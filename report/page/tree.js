// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Boxes in boxes: device, then the scopes of the ops' names, towers first among
// them. A box makes its children when it is opened, so that a graph of 100,000
// ops costs what is seen of it. More than kCrowd children are bundled by order.
'use strict';
const kCrowd = 36;

class Box {
  /** `ops` in order; `skip` characters of their names are those of the box. */
  constructor(graph, parent, name, ops, skip) {
    this.graph = graph;
    this.parent = parent;
    this.name = name;
    this.ops = ops;
    this.skip = skip;
    this.isOpen = false;
    this.made = null;
    this.device = parent ? parent.device : -1;
    this.level = parent ? parent.level + 1 : 0;
  }

  get isOp() { return false; }

  get children() {
    if (!this.made)
      this.made = this.bundle(this.split());
    return this.made;
  }

  /** The next part of the names divides the ops. */
  split() {
    const scopes = new Map(), children = [];
    for (const op of this.ops) {
      const name = this.graph.ops.name[op];
      const slash = name.indexOf('/', this.skip);
      if (slash < 0) {
        children.push(new OpBox(this.graph, this, op, this.skip));
        continue;
      }
      const scope = name.slice(this.skip, slash);
      if (!scopes.has(scope)) {
        const box = new Box(this.graph, this, scope, [], slash + 1);
        scopes.set(scope, box);
        children.push(box);
      }
      scopes.get(scope).ops.push(op);
    }
    // A scope of one op is no scope.
    return children.map(child => child.isOp || child.ops.length > 1
        ? child : new OpBox(this.graph, this, child.ops[0], this.skip));
  }

  /** In an order in which most values flow forward. */
  bundle(children) {
    children.sort((a, b) => a.place - b.place);
    if (children.length <= kCrowd)
      return children;
    // Whole scopes stay; only loose ops are bundled, unless scopes are many.
    const scopes = children.filter(child => !child.isOp);
    const loose = scopes.length < kCrowd / 2
        ? children.filter(child => child.isOp) : children;
    const rest = loose === children ? [] : scopes;
    const size = Math.max(12, Math.ceil(loose.length / (kCrowd / 2)));
    const bundles = [];
    for (let begin = 0; begin < loose.length; begin += size) {
      const part = loose.slice(begin, begin + size);
      const first = part[0].name, last = part[part.length - 1].name;
      const bundle = new Bundle(this.graph, this, `${first} … ${last}`, part);
      bundles.push(bundle);
    }
    return [...rest, ...bundles].sort((a, b) => a.place - b.place);
  }

  /** The child that holds an op. */
  childOf(op) {
    return this.children.find(child => child.ops.includes(op));
  }

  get size() { return this.ops.length; }

  /** The mean place of its ops in the graph. */
  get place() {
    if (this.mean === undefined)
      this.mean = this.ops.reduce((sum, op) => sum + op, 0) / this.ops.length;
    return this.mean;
  }

  bytes() { return this.ops.reduce((sum, op) => sum + this.graph.bytes(op), 0); }
}

/** Loose ops that follow each other. */
class Bundle extends Box {
  constructor(graph, parent, name, parts) {
    super(graph, parent, name,
          [].concat(...parts.map(part => part.ops)).sort((a, b) => a - b), 0);
    this.parts = parts;
  }
  split() {
    for (const part of this.parts) {
      part.parent = this;
      part.level = this.level + 1;
    }
    return this.parts;
  }
}

class OpBox extends Box {
  constructor(graph, parent, op, skip) {
    super(graph, parent, graph.ops.name[op].slice(skip), [op], skip);
    this.op = op;
  }
  get isOp() { return true; }
  get children() { return []; }
}

/** The box around everything, open, with a child per device. */
function makeTree(graph) {
  const all = Array.from({length: graph.count}, (_, op) => op);
  const root = new Box(graph, null, graph.name, all, 0);
  root.isOpen = true;
  const byDevice = new Map();
  for (const op of all) {
    const device = graph.device(op);
    if (!byDevice.has(device)) {
      const found = devices.list[device];
      const box = new Box(graph, root, found ? found.short : 'no device', [], 0);
      box.device = device;
      byDevice.set(device, box);
    }
    byDevice.get(device).ops.push(op);
  }
  // CPUs first: variables are read there, and towers follow.
  root.made = [...byDevice.values()].sort((a, b) =>
      isHost(b) - isHost(a) || a.device - b.device);
  // What can be read at once is open from the start.
  let shown = 0;
  if (graph.count <= 20000)
    for (const box of root.made) {
      const count = box.children.length;
      box.isOpen = shown + count <= kCrowd;
      shown += box.isOpen ? count : 0;
    }
  return root;
}

function isHost(box) {
  const found = devices.list[box.device];
  return found && found.isCpu ? 1 : 0;
}

/**
 * What flows between the children of an open box: a list of
 * {from, to, bytes, values}, with a value once per child that uses it.
 */
function flowsOf(box) {
  const graph = box.graph, children = box.children;
  const owner = new Map();
  children.forEach((child, index) => {
    for (const op of child.ops)
      owner.set(op, index);
  });
  const flows = new Map(), seen = new Set();
  for (const op of box.ops) {
    const to = owner.get(op);
    for (const value of graph.ops.operands[op]) {
      const maker = graph.maker[value], from = owner.get(maker);
      if (from === undefined || from === to)
        continue;
      if (box.parent === null && graph.isCloned(maker))
        continue;
      const once = value * children.length + to;
      if (seen.has(once))
        continue;
      seen.add(once);
      const key = from * children.length + to;
      if (!flows.has(key))
        flows.set(key, {from, to, bytes: 0, values: []});
      const flow = flows.get(key);
      flow.bytes += graph.valueBytes[value];
      flow.values.push(value);
    }
  }
  return [...flows.values()];
}
