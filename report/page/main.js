// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tabs, the search, and the address: #graph=train&tab=graph&select=NAME.
'use strict';
(() => {
  const byId = id => document.getElementById(id);
  const tabs = ['graph', 'memory', 'links', 'devices'];
  const names = data.graphs.map(graph => graph.name);
  const state = {graph: data.start, tab: 'graph', select: null};
  const panel = byId('details');
  const drawing = new Drawing(byId('canvas'), chosen);
  const current = () => graphs.find(graph => graph.name === state.graph);

  byId('title').textContent = data.model.name || 'model';
  names.forEach(name => byId('graphs').append(make('option', {value: name}, name)));
  devices.list.forEach((_, index) => byId('legend').append(deviceChip(index)));

  /** What a click in the drawing chose. */
  function chosen({box, flow}) {
    const graph = current();
    state.select = box && box.isOp ? graph.ops.name[box.op] : null;
    if (flow)
      showFlow(panel, graph, flow, go);
    else if (!box)
      showGraph(panel, graph);
    else if (box.isOp)
      showOp(panel, graph, box.op, go);
    else
      showBox(panel, graph, box);
    if (box || flow)
      closer();
    remember();
  }

  function closer() {
    panel.append(make('button', {class: 'close', 'aria-label': 'Close',
                                 onclick: clear}, '×'));
  }

  function clear() {
    drawing.chosen = null;
    drawing.draw();
    chosen({});
  }

  function go(op) {
    chosen({box: drawing.reveal(op)});
  }

  function remember() {
    const parts = new URLSearchParams();
    for (const key of ['graph', 'tab', 'select'])
      if (state[key])
        parts.set(key, state[key]);
    history.replaceState(null, '', '#' + parts);
  }

  function showTab(tab) {
    state.tab = tab;
    for (const name of tabs) {
      byId('view-' + name).hidden = name !== tab;
      byId('tab-' + name).setAttribute('aria-selected', name === tab);
      byId('tab-' + name).tabIndex = name === tab ? 0 : -1;
    }
    showTip(null);
    if (tab === 'memory')
      showMemory(byId('view-memory'), state.graph);
    if (tab === 'links')
      showLinks(byId('view-links'), state.graph);
    if (tab === 'devices')
      showDevices(byId('view-devices'), state.graph);
    remember();
  }

  function showOne(name) {
    state.graph = name;
    state.select = null;
    byId('graphs').value = name;
    const graph = current();
    if (graph) {
      drawing.show(graph);
      showGraph(panel, graph);
    } else {
      panel.replaceChildren(make('p', {class: 'hint'},
          'The file says nothing of the ops of this graph. Compile it again from ' +
          'model.tfir to see them; memory, links and devices are known.'));
    }
    showTab(state.tab);
  }

  function find(text) {
    const list = byId('found'), graph = current();
    list.replaceChildren();
    const wanted = text.trim().toLowerCase();
    list.hidden = !wanted || !graph;
    if (list.hidden)
      return [];
    const hits = [];
    for (let op = 0; op < graph.count && hits.length < 60; ++op)
      if (graph.ops.name[op].toLowerCase().includes(wanted))
        hits.push(op);
    for (const op of hits)
      list.append(make('li', {}, make('button', {class: 'go', onclick: () => pick(op)},
          graph.ops.name[op], ' ', deviceChip(graph.device(op)))));
    if (!hits.length)
      list.append(make('li', {class: 'hint'}, 'No op has this in its name.'));
    return hits;
  }

  function pick(op) {
    byId('found').hidden = true;
    byId('find').value = '';
    if (state.tab !== 'graph')
      showTab('graph');
    go(op);
  }

  function readAddress() {
    const parts = new URLSearchParams(location.hash.slice(1));
    if (tabs.includes(parts.get('tab')))
      state.tab = parts.get('tab');
    const wanted = parts.get('select');
    showOne(names.includes(parts.get('graph')) ? parts.get('graph') : state.graph);
    const op = wanted !== null && current() ? current().find(wanted) : -1;
    if (op >= 0)
      go(op);
  }

  tabs.forEach((tab, index) => {
    byId('tab-' + tab).addEventListener('click', () => showTab(tab));
    byId('tab-' + tab).addEventListener('keydown', event => {
      const step = {ArrowLeft: -1, ArrowRight: 1}[event.key];
      if (!step)
        return;
      const next = tabs[(index + step + tabs.length) % tabs.length];
      showTab(next);
      byId('tab-' + next).focus();
    });
  });
  byId('graphs').addEventListener('change', event => showOne(event.target.value));
  byId('find').addEventListener('input', event => find(event.target.value));
  byId('find').addEventListener('keydown', event => {
    if (event.key !== 'Enter')
      return;
    const hits = find(event.target.value);
    if (hits.length)
      pick(hits[0]);
  });
  byId('zoom-in').addEventListener('click', () => drawing.zoom(1.25));
  byId('zoom-out').addEventListener('click', () => drawing.zoom(0.8));
  byId('zoom-fit').addEventListener('click', () => drawing.fit());
  byId('close-all').addEventListener('click', () => drawing.closeAll());
  addEventListener('keydown', event => {
    if (event.key === 'Escape') {
      byId('found').hidden = true;
      if (current())
        clear();
    }
  });
  addEventListener('resize', () => state.tab === 'memory' && showTab('memory'));
  matchMedia('(prefers-color-scheme: dark)').addEventListener(
      'change', () => state.tab === 'memory' && showTab('memory'));
  readAddress();
  document.documentElement.dataset.ready = 'yes';
})();
