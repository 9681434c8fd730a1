// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory over time, bytes per link, devices: what the programs of the file say.
'use strict';

function row(cells, head) {
  const line = make('tr');
  for (const cell of cells) {
    const isNumber = cell && cell.number !== undefined;
    line.append(make(head ? 'th' : 'td', {class: isNumber ? 'n' : null},
                     isNumber ? cell.number : cell));
  }
  return line;
}
const n = text => ({number: String(text)});

function tableOf(head, rows) {
  return make('table', {}, make('thead', {}, row(head, true)),
              make('tbody', {}, ...rows.map(cells => row(cells, false))));
}

/** A canvas: instructions from left to right, the arena from bottom to top. */
function drawPlan(canvas, program, marked) {
  const width = canvas.clientWidth || 1000, height = 280;
  const dense = window.devicePixelRatio || 1;
  canvas.width = width * dense;
  canvas.height = height * dense;
  canvas.style.height = height + 'px';
  const pen = canvas.getContext('2d');
  pen.scale(dense, dense);
  const style = getComputedStyle(document.documentElement);
  const colour = name => style.getPropertyValue(name).trim();
  const isDark = matchMedia('(prefers-color-scheme: dark)').matches;
  const left = 66, top = 12, right = width - 12, bottom = height - 26;
  const steps = Math.max(1, program.instructions), arena = Math.max(1, program.arena);
  const px = step => left + (right - left) * step / steps;
  const py = offset => bottom - (bottom - top) * offset / arena;
  pen.font = '11px system-ui, sans-serif';
  pen.fillStyle = colour('--soft');
  pen.textAlign = 'right';
  for (let i = 0; i <= 4; ++i) {
    const y = py(arena * i / 4);
    pen.fillText(bytesText(program.arena * i / 4), left - 8, y + 4);
    pen.fillRect(left, y, right - left, 0.25);
  }
  const ticks = Math.min(10, steps);
  for (let i = 0; i <= ticks; ++i) {
    const step = Math.round(steps * i / ticks);
    pen.textAlign = i === ticks ? 'right' : 'center';
    pen.fillText('#' + step, px(step), height - 8);
  }
  const boxes = [];
  program.slots.forEach(([name, size, offset, first, last], index) => {
    const box = {index, x: px(first), y: py(offset + size),
                 w: Math.max(1, px(last + 1) - px(first)),
                 h: Math.max(0.6, py(offset) - py(offset + size))};
    boxes.push(box);
    const hue = index * 47 % 360, isMarked = index === marked;
    pen.fillStyle = `hsl(${hue} 46% ${isDark ? 36 : 76}%)`;
    pen.fillRect(box.x, box.y, box.w, box.h);
    if (box.w > 2.5 && box.h > 2.5 || isMarked) {
      pen.strokeStyle = isMarked ? colour('--ink') : colour('--card');
      pen.lineWidth = isMarked ? 2 : 0.7;
      pen.strokeRect(box.x, box.y, box.w, box.h);
    }
    if (box.w < 46 || box.h < 12)
      return;
    pen.save();
    pen.beginPath();
    pen.rect(box.x, box.y, box.w - 3, box.h);
    pen.clip();
    pen.fillStyle = colour('--ink');
    pen.textAlign = 'left';
    pen.fillText(`${name || '%' + index}  ${bytesText(size)}`, box.x + 4,
                 box.y + box.h / 2 + 4);
    pen.restore();
  });
  return boxes;
}

function showTip(event, ...lines) {
  let tip = document.getElementById('tip');
  if (!tip) {
    tip = make('div', {id: 'tip'});
    document.body.append(tip);
  }
  tip.hidden = !event;
  if (!event)
    return;
  tip.replaceChildren(...lines.map(line => make('div', {}, line)));
  tip.style.left = Math.min(event.clientX + 14, innerWidth - 430) + 'px';
  tip.style.top = event.clientY + 16 + 'px';
}

function showPlan(into, program, title) {
  into.append(make('h2', {}, title, ' ', deviceChip(devices.number(program.device))));
  const ratio = program.live ? (program.arena / program.live).toFixed(3) : '1.000';
  into.append(make('p', {class: 'hint'},
      `Arena ${bytesText(program.arena)}, at most ${bytesText(program.live)} live ` +
      `at once (ratio ${ratio}), ${countText(program.instructions, 'instruction')}.`));
  if (!program.slots.length)
    return;
  const canvas = make('canvas', {class: 'plan', role: 'img',
      'aria-label': `Memory plan: ${program.slots.length} buffers in an arena of ` +
                    bytesText(program.arena) + '; the largest are listed below'});
  into.append(canvas);
  let boxes = drawPlan(canvas, program, -1);
  canvas.addEventListener('pointermove', event => {
    const x = event.offsetX, y = event.offsetY;
    const found = boxes.findLast(box => x >= box.x && x <= box.x + box.w &&
                                 y >= box.y && y <= box.y + box.h);
    boxes = drawPlan(canvas, program, found ? found.index : -1);
    if (!found)
      return showTip(null);
    const [name, size, offset, first, last, line, type] = program.slots[found.index];
    showTip(event, name || 'without a name', `${type}, ${bytesText(size)} at ${offset}`,
            `lives from #${first} to #${last}` + (line ? `, line ${line}` : ''));
  });
  canvas.addEventListener('pointerleave', () => {
    showTip(null);
    boxes = drawPlan(canvas, program, -1);
  });
  const largest = [...program.slots].sort((a, b) => b[1] - a[1]).slice(0, 8);
  into.append(tableOf(
      ['Largest buffers', 'Type', n('Bytes'), n('Lives'), n('Line')],
      largest.map(slot => [slot[0] || '–', slot[6], n(slot[1].toLocaleString('en')),
                           n(`#${slot[3]} – #${slot[4]}`), n(slot[5] || '')])));
}

function showMemory(into, name) {
  const plan = planOf(name);
  into.replaceChildren();
  if (!plan || !plan.programs.length)
    return into.append(make('p', {class: 'hint'}, 'This graph has no program.'));
  plan.programs.forEach((program, index) =>
      showPlan(into, program, `Program ${index}`));
}

function showLinks(into, name) {
  const links = linksOf(name);
  into.replaceChildren(make('h2', {}, 'What is sent in a step'));
  if (!links.length)
    return into.append(make('p', {class: 'hint'},
                            'Nothing: the graph has one program.'));
  const most = Math.max(...links.map(link => link.bytes));
  const share = bytes => {
    const bar = make('div');
    bar.style.width = most ? 100 * bytes / most + '%' : '0';
    return make('div', {class: 'share'}, bar);
  };
  const sum = key => links.reduce((total, link) => total + link[key], 0);
  const edges = links.reduce((total, link) => total + link.edges.length, 0);
  into.append(tableOf(
      ['From', 'To', n('Bytes'), n('Messages'), n('Values'), ''],
      [...links.map(link => [deviceChip(link.source), deviceChip(link.target),
                             n(link.bytes.toLocaleString('en')), n(link.messages),
                             n(link.edges.length), share(link.bytes)]),
       ['All', '', n(sum('bytes').toLocaleString('en')), n(sum('messages')),
        n(edges), '']]));
  const largest = [].concat(...links.map(link => link.edges.map(
      edge => ({link, edge})))).sort((a, b) => b.edge[2] - a.edge[2]).slice(0, 40);
  into.append(make('h2', {}, 'Largest transfers'), tableOf(
      ['Value', 'From', 'To', n('Bytes'), n('Line'), ''],
      largest.map(({link, edge}) => [
        edge[3] || '–', deviceChip(link.source), deviceChip(link.target),
        n(edge[2].toLocaleString('en')), n(edge[4] || ''),
        edge[5] ? `collective ${edge[5]}` : ''])));
}

function showDevices(into, name) {
  const plan = planOf(name), graph = graphs.find(g => g.name === name);
  into.replaceChildren(make('h2', {}, 'Devices'));
  const rows = devices.list.map((device, index) => {
    const sum = {index, ops: 0, programs: 0, arena: 0, variables: 0, constants: 0};
    for (const program of plan ? plan.programs : [])
      if (devices.number(program.device) === index) {
        ++sum.programs;
        sum.arena += program.arena;
        sum.constants += program.constants;
      }
    for (const variable of data.variables)
      if (devices.number(variable[2]) === index)
        sum.variables += variable[1];
    if (graph)
      sum.ops = graph.ops.device.reduce((count, d) => count + (d === index), 0);
    sum.all = sum.arena + sum.variables + sum.constants;
    return sum;
  });
  const most = Math.max(1, ...rows.map(sum => sum.all));
  const stack = sum => {
    const bar = make('div', {class: 'stack', title: 'arena, variables, constants'});
    [['arena', 205], ['variables', 30], ['constants', 280]].forEach(([key, hue]) => {
      const part = make('div', {title: `${key} ${bytesText(sum[key])}`});
      part.style.width = 100 * sum[key] / most + '%';
      part.style.background = `hsl(${hue} 60% 58%)`;
      bar.append(part);
    });
    return bar;
  };
  const big = bytes => n(bytes.toLocaleString('en'));
  into.append(tableOf(
      ['Device', 'Full name', n('Ops'), n('Programs'), n('Arena'), n('Variables'),
       n('Constants'), n('All bytes'), ''],
      rows.map(sum => [deviceChip(sum.index), devices.list[sum.index].name,
                       n(sum.ops.toLocaleString('en')), n(sum.programs), big(sum.arena),
                       big(sum.variables), big(sum.constants), big(sum.all),
                       stack(sum)])));
  into.append(make('h2', {}, 'Variables'), tableOf(
      ['Name', 'Device', n('Bytes'), ''],
      [...data.variables].sort((a, b) => b[1] - a[1]).slice(0, 200).map(variable => [
        variable[0], deviceChip(devices.number(variable[2])),
        n(variable[1].toLocaleString('en')),
        variable[3] ? `copy of ${variable[3]}` : ''])));
  into.append(make('h2', {}, 'Model'), definitions([
    ['Made by', data.model.producer],
    ['File', data.model.size.toLocaleString('en') + ' bytes'],
    ['Digest', data.model.digest],
    ['Flags', data.model.flags.join(' ')],
  ]));
}
