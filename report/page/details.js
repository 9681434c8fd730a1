// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The panel beside the drawing: the record of an op, a box or a transfer.
'use strict';

function definitions(rows) {
  const list = make('dl');
  for (const [name, value] of rows)
    if (value !== null && value !== undefined && value !== '')
      list.append(make('dt', {}, name), make('dd', {}, value));
  return list;
}

function opLinks(graph, ops, go) {
  const list = make('ul', {class: 'plain'});
  for (const op of ops.slice(0, 24))
    list.append(make('li', {},
        make('button', {class: 'go', onclick: () => go(op)}, graph.ops.name[op]),
        ' ', deviceChip(graph.device(op))));
  if (ops.length > 24)
    list.append(make('li', {class: 'hint'}, `and ${ops.length - 24} more`));
  return list;
}

function recordOf(table, row) {
  const reason = reasonText(table, row), parts = [];
  if (reason)
    parts.push(make('h3', {}, 'Why this device'),
               make('p', {class: 'why', id: 'why'}, reason));
  const others = alternatives(table, row);
  if (others.length > 1) {
    const body = make('tbody');
    for (const [device, text] of others)
      body.append(make('tr', {}, make('td', {}, deviceChip(device)),
                       make('td', {}, text)));
    parts.push(make('h3', {}, 'The devices'),
               make('table', {id: 'alternatives'}, body));
  }
  return parts;
}

function showOp(panel, graph, op, go) {
  const ops = graph.ops, inputs = graph.inputs(op), users = graph.users(op);
  panel.replaceChildren(
      make('h2', {id: 'op-name'}, ops.name[op]),
      deviceChip(ops.device[op]),
      definitions([
        ['Kind', graph.kind(op)],
        ['Result', graph.types(op).join(', ')],
        ['Bytes', ops.results[op].length ? bytesText(graph.bytes(op)) : null],
        ['Tower', ops.replica[op] < 0 ? null : String(ops.replica[op])],
        ['Line', lineText(ops.line[op])],
      ]),
      ...recordOf(ops, op));
  if (inputs.length)
    panel.append(make('h3', {}, 'Reads'), opLinks(graph, inputs, go));
  if (users.length)
    panel.append(make('h3', {}, 'Read by'), opLinks(graph, users, go));
}

function showBox(panel, graph, box) {
  const kinds = new Map();
  for (const op of box.ops)
    kinds.set(graph.kind(op), (kinds.get(graph.kind(op)) || 0) + 1);
  const body = make('tbody');
  for (const [kind, count] of [...kinds].sort((a, b) => b[1] - a[1]).slice(0, 12))
    body.append(make('tr', {}, make('td', {}, kind),
                     make('td', {class: 'n'}, count.toLocaleString('en'))));
  panel.replaceChildren(
      make('h2', {}, box.name), deviceChip(box.device),
      definitions([['Ops', box.size.toLocaleString('en')],
                   ['Results', bytesText(box.bytes())]]),
      make('h3', {}, 'Kinds of ops'), make('table', {}, body));
}

function showFlow(panel, graph, {flow, from, to}, go) {
  const link = linksOf(graph.name).find(
      l => l.source === from.device && l.target === to.device);
  const values = [...flow.values].sort(
      (a, b) => graph.valueBytes[b] - graph.valueBytes[a]);
  const body = make('tbody');
  for (const value of values.slice(0, 30)) {
    const op = graph.maker[value];
    body.append(make('tr', {},
        make('td', {}, make('button', {class: 'go', onclick: () => go(op)},
                            graph.ops.name[op])),
        make('td', {class: 'n'}, bytesText(graph.valueBytes[value]))));
  }
  panel.replaceChildren(
      make('h2', {}, `${from.name} → ${to.name}`),
      definitions([
        ['Bytes a step', bytesText(link ? link.bytes : flow.bytes)],
        ['Messages', link ? String(link.messages) : null],
        ['Values', String(flow.values.length)],
      ]),
      make('h3', {}, 'Largest values'), make('table', {}, body));
}

function showGraph(panel, graph) {
  const onDevice = new Map(), reasons = new Map();
  for (let op = 0; op < graph.count; ++op) {
    onDevice.set(graph.device(op), (onDevice.get(graph.device(op)) || 0) + 1);
    if (graph.ops.rule && graph.ops.rule[op] >= 0) {
      const name = report.rules[graph.ops.rule[op]];
      reasons.set(name, (reasons.get(name) || 0) + 1);
    }
  }
  const table = (rows, cell) => {
    const body = make('tbody');
    for (const [key, count] of rows)
      body.append(make('tr', {}, make('td', {}, cell(key)),
                       make('td', {class: 'n'}, count.toLocaleString('en'))));
    return make('table', {}, body);
  };
  panel.replaceChildren(
      make('h2', {}, graph.name),
      make('p', {class: 'hint'},
           'Click a box to open it, an op for why it is where it is, bytes for ' +
           'what is sent. Drag to move, scroll to zoom.'),
      definitions([
        ['Ops', graph.count.toLocaleString('en')],
        ['Towers', graph.replicas > 1 ? String(graph.replicas) : null],
        ['Policy', report.policy],
        ['Fetches', graph.fetches.map(fetch => fetch[0]).join(', ')],
      ]),
      make('h3', {}, 'Ops per device'),
      table([...onDevice].sort((a, b) => a[0] - b[0]), deviceChip));
  if (reasons.size)
    panel.append(make('h3', {}, 'What decided'),
                 table([...reasons].sort((a, b) => b[1] - a[1]), key => key));
}
