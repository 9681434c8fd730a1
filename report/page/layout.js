// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Layers from top to bottom. Nodes come in an order in which most edges lead
// forward; those that do not are drawn upwards. report/Layout.cpp is the
// same for pictures without a script.
'use strict';
const kNarrow = {layer: 46, node: 18};
/** With room for a text on each edge. */
const kWide = {layer: 110, node: 76};

/**
 * `nodes` have width and height and get x and y; `edges` have from and to and
 * get points, from the maker to the user. Gives the size of the whole.
 */
function layOut(nodes, edges, gaps = kNarrow) {
  const layers = layersOf(nodes, edges);
  const slots = [], chains = [];
  nodes.forEach((node, index) => {
    slots.push({node, layer: layers[index], width: node.width, up: [], down: []});
  });
  for (const edge of edges) {
    const [top, bottom] = ends(edge, layers);
    const chain = [top];
    for (let layer = layers[top] + 1; layer < layers[bottom]; ++layer) {
      chain.push(slots.length);
      slots.push({node: null, layer, width: 4, up: [], down: []});
    }
    chain.push(bottom);
    for (let i = 0; i + 1 < chain.length; ++i) {
      slots[chain[i]].down.push(chain[i + 1]);
      slots[chain[i + 1]].up.push(chain[i]);
    }
    chains.push(chain);
  }
  const rows = [];
  slots.forEach((slot, index) => {
    while (rows.length <= slot.layer)
      rows.push([]);
    rows[slot.layer].push(index);
  });
  sortRows(rows, slots);
  const size = placeRows(rows, slots, gaps);
  route(edges, chains, slots, layers);
  return size;
}

/** The end of an edge that is drawn above, then the other. */
function ends(edge, layers) {
  return layers[edge.from] < layers[edge.to] ? [edge.from, edge.to]
                                             : [edge.to, edge.from];
}

function layersOf(nodes, edges) {
  const layers = nodes.map(() => 0);
  const after = nodes.map(() => []), isTarget = nodes.map(() => false);
  for (const {from, to} of edges) {
    after[Math.min(from, to)].push(Math.max(from, to));
    isTarget[Math.max(from, to)] = true;
  }
  for (let node = 0; node < nodes.length; ++node)
    for (const next of after[node])
      layers[next] = Math.max(layers[next], layers[node] + 1);
  // What nothing leads to stands right above its first user.
  for (let node = 0; node < nodes.length; ++node)
    if (!isTarget[node] && after[node].length)
      layers[node] = Math.min(...after[node].map(next => layers[next])) - 1;
  // What has no edge at all fills rows of its own below.
  const loners = nodes.map((_, node) => node)
      .filter(node => !isTarget[node] && !after[node].length);
  if (loners.length > 4 || loners.length === nodes.length) {
    const wide = Math.max(3, Math.ceil(Math.sqrt(loners.length * 1.6)));
    const first = loners.length === nodes.length ? 0 : Math.max(...layers) + 1;
    loners.forEach((node, i) => { layers[node] = first + Math.floor(i / wide); });
  }
  return layers;
}

/** Fewer crossings: by the mean place of the neighbours, down and up. */
function sortRows(rows, slots) {
  const place = slots.map(() => 0);
  const note = row => row.forEach((slot, index) => { place[slot] = index; });
  rows.forEach(note);
  for (let sweep = 0; sweep < 6; ++sweep) {
    const side = sweep % 2 ? 'down' : 'up';
    const order = sweep % 2 ? [...rows].reverse() : rows;
    for (const row of order) {
      const mean = new Map();
      for (const slot of row) {
        const near = slots[slot][side];
        mean.set(slot, near.length
            ? near.reduce((sum, other) => sum + place[other], 0) / near.length
            : place[slot]);
      }
      row.sort((a, b) => mean.get(a) - mean.get(b) || place[a] - place[b]);
      note(row);
    }
  }
}

/** Where slots want to be, moved apart as little as their widths ask. */
function spread(row, slots, wanted, gap) {
  const left = [], right = [];
  let edge = -Infinity;
  row.forEach((slot, i) => {
    left[i] = Math.max(wanted[i], edge);
    edge = left[i] + slots[slot].width + gap;
  });
  edge = Infinity;
  for (let i = row.length - 1; i >= 0; --i) {
    right[i] = Math.min(wanted[i], edge - slots[row[i]].width - gap);
    edge = right[i];
  }
  edge = -Infinity;
  row.forEach((slot, i) => {
    slots[slot].x = Math.max((left[i] + right[i]) / 2, edge);
    edge = slots[slot].x + slots[slot].width + gap;
  });
}

function placeRows(rows, slots, gaps) {
  const gap = gaps.node;
  let y = 0, height = 0;
  for (const row of rows) {
    let x = 0, tallest = 0;
    for (const slot of row) {
      slots[slot].x = x;
      slots[slot].y = y;
      x += slots[slot].width + gap;
      if (slots[slot].node)
        tallest = Math.max(tallest, slots[slot].node.height);
    }
    for (const slot of row)
      slots[slot].row = tallest;
    height = y + tallest;
    y += tallest + gaps.layer;
  }
  const centre = slot => slots[slot].x + slots[slot].width / 2;
  const pull = (row, side) => spread(row, slots, row.map(slot => {
    const near = slots[slot][side];
    if (!near.length)
      return slots[slot].x;
    const mean = near.reduce((sum, other) => sum + centre(other), 0) / near.length;
    return mean - slots[slot].width / 2;
  }), gap);
  for (let sweep = 0; sweep < 4; ++sweep) {
    rows.forEach(row => pull(row, 'up'));
    [...rows].reverse().forEach(row => pull(row, 'down'));
  }
  let first = Infinity, last = 0;
  for (const slot of slots)
    first = Math.min(first, slot.x);
  for (const slot of slots) {
    slot.x -= first;
    last = Math.max(last, slot.x + slot.width);
    if (slot.node) {
      slot.node.x = slot.x;
      slot.node.y = slot.y;
    }
  }
  return {width: slots.length ? last : 0, height};
}

/** Each edge leaves and enters at a point of its own. */
function route(edges, chains, slots, layers) {
  const bottoms = new Map(), tops = new Map();
  const add = (map, slot, index, toward) => {
    if (!map.has(slot))
      map.set(slot, []);
    map.get(slot).push({index, toward});
  };
  chains.forEach((chain, index) => {
    const middle = slot => slots[slot].x + slots[slot].width / 2;
    add(bottoms, chain[0], index, middle(chain[1]));
    add(tops, chain[chain.length - 1], index, middle(chain[chain.length - 2]));
  });
  const starts = [], stops = [];
  const share = (map, into) => {
    for (const [slot, list] of map) {
      list.sort((a, b) => a.toward - b.toward || a.index - b.index);
      const {x, width} = slots[slot];
      list.forEach(({index}, i) => {
        into[index] = x + width * (i + 1) / (list.length + 1);
      });
    }
  };
  share(bottoms, starts);
  share(tops, stops);
  edges.forEach((edge, index) => {
    const chain = chains[index];
    const top = slots[chain[0]], bottom = slots[chain[chain.length - 1]];
    const points = [[starts[index], top.y + top.node.height]];
    for (const slot of chain.slice(1, -1)) {
      const {x, y, row} = slots[slot];
      points.push([x + 2, y], [x + 2, y + row]);
    }
    points.push([stops[index], bottom.y]);
    edge.points = layers[edge.from] < layers[edge.to] ? points : points.reverse();
  });
}
