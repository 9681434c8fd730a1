// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The data of the page, and the words for it. Names come from a file that
// anybody may have written: they are only ever set as text, never as markup.
'use strict';
const data = JSON.parse(document.getElementById('data').textContent);
const report = data.report;

function bytesText(bytes) {
  const units = ['B', 'KB', 'MB', 'GB', 'TB'];
  let unit = 0;
  while (bytes >= 999.5 && unit + 1 < units.length) {
    bytes /= 1000;
    ++unit;
  }
  return (unit && bytes < 9.95 ? bytes.toFixed(1) : Math.round(bytes)) + ' ' +
         units[unit];
}

/** "12: y = relu(x)": a line of the source, where it is known. */
function lineText(line) {
  if (!line)
    return null;
  const text = data.source[line];
  return text ? line + ': ' + text : String(line);
}

function countText(count, one, many) {
  return count.toLocaleString('en') + ' ' + (count === 1 ? one : many || one + 's');
}

/** A new element: attributes by name, then children, texts among them. */
function make(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {}))
    if (name.startsWith('on'))
      element.addEventListener(name.slice(2), value);
    else if (value !== undefined && value !== null)
      element.setAttribute(name, value);
  element.append(...children.filter(child => child !== null));
  return element;
}

function drawn(tag, attributes) {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const name in attributes)
    element.setAttribute(name, attributes[name]);
  return element;
}

const kHues = [24, 158, 268, 340, 96, 194, 48, 300, 130, 228];

/** Devices of the report and of the programs, each once. */
const devices = (() => {
  const list = [], byName = new Map();
  for (const [name, short] of data.devices) {
    byName.set(name, list.length);
    list.push({name, short, isCpu: /device:CPU:/.test(name)});
  }
  let other = 0;
  for (const device of list)
    device.hue = device.isCpu ? 215 : kHues[other++ % kHues.length];
  return {list, number: name => byName.get(name)};
})();

/** Colours as variables of a style. */
function tint(element, device) {
  const found = devices.list[device];
  element.style.setProperty('--h', found ? found.hue : 0);
  if (!found || found.isCpu)
    element.style.setProperty('--s', found ? '18%' : '0%');
  return element;
}

function deviceChip(device) {
  const found = devices.list[device];
  return tint(make('span', {class: 'chip', title: found ? found.name : null},
                   found ? found.short : 'no device'), device);
}

/** One graph of the report with what is asked of it again and again. */
class Graph {
  constructor(source) {
    this.name = source.name;
    this.replicas = source.replicas;
    this.fetches = source.fetches;
    this.ops = source.ops;
    this.count = source.ops.name.length;
    this.maker = [];
    this.valueBytes = [];
    this.firstValue = [];
    for (let op = 0; op < this.count; ++op) {
      this.firstValue.push(this.maker.length);
      for (const type of this.ops.results[op]) {
        this.maker.push(op);
        this.valueBytes.push(report.types[type][1]);
      }
    }
  }

  kind(op) { return report.kinds[this.ops.kind[op]]; }
  device(op) { return this.ops.device[op]; }

  types(op) { return this.ops.results[op].map(type => report.types[type][0]); }

  bytes(op) {
    return this.ops.results[op].reduce(
        (sum, type) => sum + report.types[type][1], 0);
  }

  inputs(op) { return [...new Set(this.ops.operands[op].map(v => this.maker[v]))]; }

  users(op) {
    const first = this.firstValue[op];
    const end = first + this.ops.results[op].length;
    const users = [];
    for (let other = op + 1; other < this.count; ++other)
      if (this.ops.operands[other].some(v => v >= first && v < end))
        users.push(other);
    return users;
  }

  find(name) { return this.ops.name.indexOf(name); }

  /** Whether a value is copied to where it is used instead of being sent. */
  isCloned(op) {
    const kind = this.kind(op);
    return kind === 'Const' || kind === 'StepState';
  }
}

const graphs = [];
for (const source of report ? report.graphs : [])
  graphs.push(new Graph(source));

/** Programs, edges and messages of a graph, as the file has them. */
function planOf(name) {
  return data.graphs.find(graph => graph.name === name);
}

const linkCache = new Map();

/** Bytes and messages between devices: [{source, target, bytes, ...}]. */
function linksOf(name) {
  if (!linkCache.has(name))
    linkCache.set(name, findLinks(planOf(name)));
  return linkCache.get(name);
}

function findLinks(plan) {
  const links = new Map();
  if (!plan)
    return [];
  const link = (source, target) => {
    const from = devices.number(plan.programs[source].device);
    const to = devices.number(plan.programs[target].device);
    const key = from + '>' + to;
    if (!links.has(key))
      links.set(key, {source: from, target: to, bytes: 0, messages: 0, edges: []});
    return links.get(key);
  };
  for (const edge of plan.edges) {
    const found = link(edge[0], edge[1]);
    found.bytes += edge[2];
    found.edges.push(edge);
  }
  for (const [source, target, count] of plan.messages)
    link(source, target).messages += count;
  return [...links.values()].sort((a, b) => b.bytes - a.bytes);
}

/** Why something is where it is: a sentence, or null. */
function reasonText(table, row) {
  return !table.why || table.why[row] < 0 ? null : report.reasons[table.why[row]];
}

/** Every device of the set with why it was not taken: [device, text]. */
function alternatives(table, row) {
  if (!table.others || table.others[row] < 0)
    return [];
  const list = [];
  for (const [first, last, why, cost] of report.others[table.others[row]])
    for (let device = first; device <= last; ++device) {
      const isChosen = device === table.device[row];
      let text = isChosen ? 'chosen' : why < 0 ? 'possible' : report.reasons[why];
      if (cost !== undefined && !isChosen)
        text += `, ${cost < 0 ? '−' : '+'}` +
            `${(Math.abs(cost) * 1e6).toPrecision(3)} µs a step`;
      list.push([device, text]);
    }
  return list;
}
