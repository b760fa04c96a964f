'use strict';

// Draws what is in <script id="figures">, and makes the tables sort and filter. Everything the
// page shows is in the page: it asks the network for nothing.
(() => {
  const figures = JSON.parse(document.getElementById('figures').textContent);
  const SVG = 'http://www.w3.org/2000/svg';  // a name, never fetched

  const NAMED = {
    gemm: '#3a6fd8', convolution: '#2b8fae', attention: '#8b57d3', softmax: '#d2548c', norm: '#dd8427',
    elementwise: '#2c9d76', reduction: '#b89412', copy: '#6f7f90', optimizer: '#a9563d',
    communication: '#d24a43', range: '#8596aa', other: '#7d8a99',
    compute: '#3a6fd8', memory: '#2c9d76', balanced: '#b89412', latency: '#d2548c',
    unknown: '#7d8a99',
  };
  const SPARE = ['#3a6fd8', '#2c9d76', '#dd8427', '#8b57d3', '#d2548c', '#b89412', '#a9563d',
                 '#2b8fae', '#6f7f90', '#d24a43'];
  const given = new Map();
  function colour(group) {
    if (NAMED[group]) return NAMED[group];
    if (!given.has(group)) given.set(group, SPARE[given.size % SPARE.length]);
    return given.get(group);
  }

  function scaled(value, units) {
    let i = 0;
    while (Math.abs(value) >= 999.95 && i + 1 < units.length) { value /= 1000; ++i; }
    const digits = Math.abs(value) >= 99.995 ? 1 : Math.abs(value) >= 9.9995 ? 2 : 3;
    return (i === 0 && Number.isInteger(value) ? value : value.toFixed(digits)) + ' ' + units[i];
  }
  const time = (ns) => scaled(ns, ['ns', 'us', 'ms', 's']);
  const tick = (text) => text.replace(/\.0+ /, ' ');  // "100.0 us" as "100 us"
  const rate = (v) =>
      scaled(v, ['FLOP/s', 'kFLOP/s', 'MFLOP/s', 'GFLOP/s', 'TFLOP/s', 'PFLOP/s']);
  const bytes = (v) => scaled(v, ['B/s', 'kB/s', 'MB/s', 'GB/s', 'TB/s']);

  function element(parent, name, attributes, text) {
    const svg = parent.namespaceURI === SVG || name === 'svg';
    const made = svg ? document.createElementNS(SVG, name) : document.createElement(name);
    for (const [key, value] of Object.entries(attributes || {})) made.setAttribute(key, value);
    if (text !== undefined) made.textContent = text;
    parent.appendChild(made);
    return made;
  }

  const tip = element(document.body, 'div', {id: 'tip', role: 'tooltip'});
  function show_tip(event, text) {
    tip.textContent = text;
    tip.style.visibility = 'visible';
    const x = Math.min(event.clientX + 14, innerWidth - tip.offsetWidth - 8);
    const y = Math.min(event.clientY + 14, innerHeight - tip.offsetHeight - 8);
    tip.style.left = x + 'px';
    tip.style.top = y + 'px';
  }
  const hide_tip = () => { tip.style.visibility = 'hidden'; };

  // ---- tables -----------------------------------------------------------------------------

  function value_of(row, column) {
    const cell = row.cells[column];
    const number = cell.dataset.v;
    return number === undefined ? cell.textContent : number === '' ? null : Number(number);
  }
  function compare(a, b) {
    if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1;  // absent ones last
    return typeof a === 'number' && typeof b === 'number' ? a - b
                                                          : String(a).localeCompare(String(b));
  }
  function make_sortable(table) {
    const heads = [...table.tHead.rows[0].cells];
    heads.forEach((head, column) => {
      head.querySelector('button').addEventListener('click', () => {
        const numeric = head.classList.contains('number');
        const down = head.getAttribute('aria-sort') === 'descending';
        const up = head.getAttribute('aria-sort') === 'ascending';
        const descending = up ? true : down ? false : numeric;
        heads.forEach((other) => other.removeAttribute('aria-sort'));
        head.setAttribute('aria-sort', descending ? 'descending' : 'ascending');
        const rows = [...table.tBodies[0].rows].map((row) => [value_of(row, column), row]);
        rows.sort((a, b) => {
          const absent = a[0] === null || b[0] === null;
          return descending && !absent ? compare(b[0], a[0]) : compare(a[0], b[0]);
        });
        table.tBodies[0].append(...rows.map((entry) => entry[1]));
      });
    });
  }
  function make_filter(section) {
    const input = section.querySelector('input');
    const count = section.querySelector('.count');
    const rows = [...section.querySelector('tbody').rows];
    input.addEventListener('input', () => {
      const wanted = input.value.toLowerCase();
      let shown = 0;
      for (const row of rows) {
        row.hidden = !row.textContent.toLowerCase().includes(wanted);
        if (!row.hidden) ++shown;
      }
      const all = rows.length === 1 ? '1 row' : rows.length + ' rows';
      count.textContent = shown === rows.length ? all : shown + ' of ' + all;
    });
  }

  // ---- timeline ---------------------------------------------------------------------------

  const GUTTER = 170, ROW = 22, TOP = 24;

  function decode(lane) {
    const start = new Float64Array(lane.s.length), end = new Float64Array(lane.s.length);
    let at = 0;
    for (let i = 0; i < lane.s.length; ++i) {
      at += lane.s[i];
      start[i] = at;
      end[i] = at + lane.d[i];
    }
    const tiles = (lane.t || []).map(([from, to, count, packed]) => ({from, to, count, packed}));
    return {name: lane.name, start, end, label: lane.l, count: lane.n, tiles};
  }

  // A tile holds every span of a stretch of its lane; it is unpacked when someone looks that closely.
  async function unpack(tile) {
    const bytes = Uint8Array.from(atob(tile.packed), (c) => c.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'));
    const data = new Uint8Array(await new Response(stream).arrayBuffer());
    const bars = {start: new Float64Array(tile.count), end: new Float64Array(tile.count),
                  label: new Uint32Array(tile.count)};
    let at = 0, before = tile.from;
    function number() {
      let value = 0, scale = 1;
      for (;;) {
        const byte = data[at++];
        value += (byte & 127) * scale;
        if (byte < 128) return value;
        scale *= 128;
      }
    }
    for (let i = 0; i < tile.count; ++i) {
      before += number();
      bars.start[i] = before;
      bars.end[i] = before + number();
      bars.label[i] = number();
    }
    return bars;
  }
  function draw_timeline(section, data) {
    const canvas = section.querySelector('canvas');
    const lanes = data.lanes.map(decode);
    const whole = [0, Math.max(data.span, 1)];
    let view = whole.slice();
    let bars = 0, detail = 0;

    const x_of = (t, width) => GUTTER + (t - view[0]) / (view[1] - view[0]) * (width - GUTTER);
    const t_of = (x, width) => view[0] + (x - GUTTER) / (width - GUTTER) * (view[1] - view[0]);

    function draw_axis(context, width, height, style) {
      const room = Math.max(2, Math.floor((width - GUTTER) / 110));
      const raw = (view[1] - view[0]) / room;
      const power = 10 ** Math.floor(Math.log10(raw));
      const step = [1, 2, 5, 10].map((k) => k * power).find((k) => k >= raw);
      context.fillStyle = style.getPropertyValue('--soft');
      context.strokeStyle = style.getPropertyValue('--line');
      context.beginPath();
      for (let t = Math.ceil(view[0] / step) * step; t <= view[1]; t += step) {
        const x = Math.round(x_of(t, width)) + .5;
        context.moveTo(x, TOP - 6);
        context.lineTo(x, height);
        context.fillText(tick(time(Math.round(t * 1000) / 1000)), x + 4, 12);
      }
      context.stroke();
    }
    const CLOSE = 40000;  // spans of a lane in view, below which each is drawn for itself
    // What to draw of a lane: its tiles where few enough spans are in view and all are unpacked.
    function parts_of(lane) {
      const seen = lane.tiles.filter((tile) => tile.to >= view[0] && tile.from <= view[1]);
      const count = seen.reduce((sum, tile) => sum + tile.count, 0);
      if (seen.length === 0 || (count > CLOSE && seen.length > 2)) return [lane];
      const missing = seen.filter((tile) => !tile.bars);
      for (const tile of missing) {
        if (tile.asked || !('DecompressionStream' in window)) continue;
        tile.asked = true;
        unpack(tile).then((bars) => { tile.bars = bars; draw(); });
      }
      return missing.length > 0 ? [lane] : seen.map((tile) => tile.bars);
    }
    function draw_lane(context, all, y, width) {
      for (const part of parts_of(all)) {
        if (part !== all) detail += part.start.length;
        draw_bars(context, part, y, width);
      }
    }
    function draw_bars(context, lane, y, width) {
      let filled = GUTTER - 1, last = null;
      for (let i = 0; i < lane.start.length; ++i) {
        if (lane.end[i] < view[0] || lane.start[i] > view[1]) continue;
        const left = Math.max(GUTTER, x_of(lane.start[i], width));
        const right = Math.min(width, Math.max(left + 1, x_of(lane.end[i], width)));
        const group = data.groups[data.labels[lane.label[i]][1]];
        // Bars narrower than a pixel that fall on one already drawn add nothing to see.
        if (right <= filled && group === last) continue;
        context.fillStyle = colour(group);
        context.fillRect(left, y + 3, right - left, ROW - 6);
        ++bars;
        filled = right;
        last = group;
        if (right - left > 60) {
          context.fillStyle = '#fff';
          const text = data.labels[lane.label[i]][0];
          const fits = Math.floor((right - left - 8) / 6.6);
          context.fillText(text.length > fits ? text.slice(0, fits - 1) + '\u2026' : text, left + 4,
                           y + 15);
        }
      }
    }
    function draw() {
      const style = getComputedStyle(document.documentElement);
      const width = canvas.clientWidth, height = TOP + lanes.length * ROW + 4;
      const ratio = window.devicePixelRatio || 1;
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
      canvas.style.height = height + 'px';
      const context = canvas.getContext('2d');
      context.scale(ratio, ratio);
      context.font = '11.5px system-ui, sans-serif';
      bars = 0;
      detail = 0;
      draw_axis(context, width, height, style);
      lanes.forEach((lane, i) => {
        const y = TOP + i * ROW;
        context.fillStyle = style.getPropertyValue('--ink');
        context.fillText(lane.name.length > 26 ? lane.name.slice(0, 25) + '\u2026' : lane.name, 2,
                         y + 15);
        draw_lane(context, lane, y, width);
      });
      section.dataset.bars = bars;
      section.dataset.detail = detail;
    }
    function zoom(factor, at) {
      const left = at - (at - view[0]) * factor, right = at + (view[1] - at) * factor;
      const span = Math.max(right - left, 10);
      view = [Math.max(whole[0], left), Math.min(whole[1], left + span)];
      draw();
    }
    function pan(by) {
      const span = view[1] - view[0];
      const left = Math.min(Math.max(whole[0], view[0] + by), whole[1] - span);
      view = [left, left + span];
      draw();
    }
    function find(event) {
      const box = canvas.getBoundingClientRect();
      const lane = lanes[Math.floor((event.clientY - box.top - TOP) / ROW)];
      if (!lane || event.clientX - box.left < GUTTER) return null;
      const t = t_of(event.clientX - box.left, box.width);
      const slack = (view[1] - view[0]) / (box.width - GUTTER);
      for (const part of parts_of(lane)) {
        for (let i = part.start.length - 1; i >= 0; --i) {
          if (part.start[i] <= t + slack && part.end[i] >= t - slack) return [part, i];
        }
      }
      return null;
    }
    let drag = null;
    canvas.addEventListener('wheel', (event) => {
      event.preventDefault();
      const box = canvas.getBoundingClientRect();
      zoom(event.deltaY > 0 ? 1.25 : 0.8, t_of(event.clientX - box.left, box.width));
    }, {passive: false});
    canvas.addEventListener('pointerdown', (event) => {
      drag = event.clientX;
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener('pointerup', () => { drag = null; });
    canvas.addEventListener('pointermove', (event) => {
      if (drag !== null) {
        const width = canvas.clientWidth - GUTTER;
        pan((drag - event.clientX) / width * (view[1] - view[0]));
        drag = event.clientX;
        return;
      }
      const hit = find(event);
      if (!hit) return hide_tip();
      const [lane, i] = hit;
      const label = data.labels[lane.label[i]];
      const merged = lane.count && lane.count[i] > 1
          ? ', the longest of ' + lane.count[i] + ' drawn as one' : '';
      show_tip(event, label[0] + ' \u2014 ' + time(lane.end[i] - lane.start[i]) + ' at ' +
                          time(lane.start[i]) + ' (' + data.groups[label[1]] + merged + ')');
    });
    canvas.addEventListener('pointerleave', hide_tip);
    canvas.addEventListener('dblclick', () => { view = whole.slice(); draw(); });
    canvas.addEventListener('keydown', (event) => {
      const span = view[1] - view[0], middle = (view[0] + view[1]) / 2;
      if (event.key === '+') zoom(0.8, middle);
      else if (event.key === '-') zoom(1.25, middle);
      else if (event.key === 'ArrowLeft') pan(-span / 8);
      else if (event.key === 'ArrowRight') pan(span / 8);
      else if (event.key === 'Escape') { view = whole.slice(); draw(); }
      else return;
      event.preventDefault();
    });
    addEventListener('resize', draw);
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', draw);
    legend(section, data.groups.map((name) => [name, '']));
    draw();
  }
  function legend(section, entries) {
    const list = element(section, 'ul', {class: 'legend'});
    for (const [name, text] of entries) {
      const item = element(list, 'li');
      element(item, 'i', {style: 'background:' + colour(name)});
      item.append(name + ' ');
      if (text) element(item, 'b', {}, text);
    }
  }

  // ---- treemap ----------------------------------------------------------------------------

  // "void at::native::gemm<float>(int)" as "gemm<float>(int)": what tells kernels apart comes first.
  function bare(name) {
    const text = name.replace(/^void /, '').replace(/(<unnamed>|\(anonymous namespace\))::/g, '');
    const head = text.search(/[<(]/);
    const scope = text.lastIndexOf('::', head < 0 ? text.length : head - 1);
    return scope < 0 ? text : text.slice(scope + 2);
  }

  // Squarified: rows are filled while that makes their tiles less oblong.
  function tile(items, x, y, width, height, place) {
    let rest = items.slice();
    let sum = rest.reduce((a, item) => a + item.value, 0);
    while (rest.length > 0 && width > 0 && height > 0) {
      const side = Math.min(width, height);
      const scale = width * height / sum;
      let row = [], row_sum = 0, best = Infinity;
      while (row.length < rest.length) {
        const next = rest[row.length].value;
        const total = (row_sum + next) * scale;
        const biggest = (row.length ? row[0].value : next) * scale;
        const worst = Math.max(side * side * biggest / (total * total),
                               total * total / (side * side * next * scale));
        if (worst > best) break;
        best = worst;
        row.push(rest[row.length]);
        row_sum += next;
      }
      const thick = row_sum * scale / side;
      let at = 0;
      for (const item of row) {
        const length = item.value / row_sum * side;
        if (width >= height) place(item, x, y + at, thick, length);
        else place(item, x + at, y, length, thick);
        at += length;
      }
      if (width >= height) { x += thick; width -= thick; } else { y += thick; height -= thick; }
      rest = rest.slice(row.length);
      sum -= row_sum;
    }
  }
  function draw_breakdown(section, data) {
    const groups = new Map();
    for (const [label, group, value] of data.slices) {
      if (!groups.has(group)) groups.set(group, {name: group, value: 0, slices: []});
      const entry = groups.get(group);
      entry.value += value;
      entry.slices.push({label, value, group});
    }
    const ordered = [...groups.values()].sort((a, b) => b.value - a.value);
    const total = ordered.reduce((a, group) => a + group.value, 0);
    const share = (value) => (100 * value / total).toFixed(1) + '%';
    const amount = (value) => data.unit === 'ns' ? time(value) : value.toFixed(1) + ' ' + data.unit;
    const stack = element(section, 'div', {class: 'stack'});
    for (const group of ordered) {
      element(stack, 'i', {style: 'width:' + share(group.value) + ';background:' +
                                      colour(group.name), title: group.name});
    }
    const width = 1200, height = 340;
    const svg = element(section, 'svg', {viewBox: '0 0 ' + width + ' ' + height, role: 'img',
                                         'aria-label': data.title});
    tile(ordered, 0, 0, width, height, (group, gx, gy, gw, gh) => {
      group.slices.sort((a, b) => b.value - a.value);
      tile(group.slices, gx, gy, gw, gh, (slice, x, y, w, h) => {
        const box = element(svg, 'rect', {class: 'slice', x, y, width: w, height: h,
                                          fill: colour(slice.group)});
        const text = slice.label + ' \u2014 ' + amount(slice.value) + ', ' + share(slice.value);
        box.addEventListener('pointermove', (event) => show_tip(event, text));
        box.addEventListener('pointerleave', hide_tip);
        const fits = Math.floor((w - 10) / 7.2);
        if (h > 18 && fits > 4) {
          const label = bare(slice.label);
          const name = label.length > fits ? label.slice(0, fits - 1) + '\u2026' : label;
          element(svg, 'text', {class: 'slice-text', x: x + 5, y: y + 15}, name);
          if (h > 34) {
            element(svg, 'text', {class: 'slice-text', x: x + 5, y: y + 30}, share(slice.value));
          }
        }
      });
    });
    legend(section, ordered.map((group) => [group.name, share(group.value)]));
  }

  // ---- roofline ---------------------------------------------------------------------------

  // Names beside the points, the longest-running first; one that would lie on another is moved down,
  // and left to the table where there is no room.
  function name_points(svg, points, left, right) {
    const taken = [];
    for (const point of points.sort((a, b) => b.ns - a.ns)) {
      const [, number, name] = point.text.match(/^(#\d+ )?(.*)$/s);
      const label = (number || '') + bare(name);
      const text = label.length > 34 ? label.slice(0, 33) + '\u2026' : label;
      const wide = text.length * 6.6;
      const x = point.x + point.r + 5 + wide < right ? point.x + point.r + 5
                                                     : Math.max(left, point.x - point.r - 5 - wide);
      let y = point.y + 4;
      const hits = () => taken.some((box) => Math.abs(box.y - y) < 13 && box.x < x + wide &&
                                             x < box.x + box.wide);
      for (let tries = 0; tries < 8 && hits(); ++tries) y += 13;
      if (hits()) continue;
      taken.push({x, y, wide});
      element(svg, 'text', {class: 'point-name', x, y}, text);
    }
  }
  function draw_roofline(section, data) {
    const width = 1200, height = 430, left = 76, right = 290, top = 12, bottom = 44;
    const ridge = data.ceilings.map((ceiling) => ceiling.rate / data.bytes_per_second);
    const xs = data.points.map((point) => point.intensity).concat(ridge);
    const ys = data.points.map((point) => point.rate).concat(
        data.ceilings.map((ceiling) => ceiling.rate));
    const floor10 = (v) => Math.floor(Math.log10(v)), ceil10 = (v) => Math.ceil(Math.log10(v));
    const x0 = floor10(Math.min(...xs) / 1.5), x1 = ceil10(Math.max(...xs) * 1.5);
    const y0 = floor10(Math.min(...ys) / 1.5), y1 = ceil10(Math.max(...ys) * 1.2);
    const x_of = (v) => left + (Math.log10(v) - x0) / (x1 - x0) * (width - left - right);
    const y_of = (v) => height - bottom - (Math.log10(v) - y0) / (y1 - y0) * (height - top - bottom);
    const svg = element(section, 'svg', {viewBox: '0 0 ' + width + ' ' + height, role: 'img',
                                         'aria-label': 'Roofline of ' + data.title});
    for (let e = x0; e <= x1; ++e) {
      const x = x_of(10 ** e);
      element(svg, 'line', {class: 'axis', x1: x, x2: x, y1: top, y2: height - bottom});
      element(svg, 'text', {class: 'tick', x, y: height - bottom + 16, 'text-anchor': 'middle'},
              e < 0 ? (10 ** e).toFixed(-e) : String(10 ** e));
    }
    for (let e = y0; e <= y1; ++e) {
      const y = y_of(10 ** e);
      element(svg, 'line', {class: 'axis', x1: left, x2: width - right, y1: y, y2: y});
      element(svg, 'text', {class: 'tick', x: left - 8, y: y + 4, 'text-anchor': 'end'},
              tick(scaled(10 ** e, ['', 'k', 'M', 'G', 'T', 'P'])));
    }
    element(svg, 'text', {class: 'tick', x: (left + width - right) / 2, y: height - 8,
                          'text-anchor': 'middle'}, 'Arithmetic intensity, FLOP per byte of DRAM');
    element(svg, 'text', {class: 'tick', x: 14, y: (height - bottom) / 2, 'text-anchor': 'middle',
                          transform: 'rotate(-90 14 ' + (height - bottom) / 2 + ')'}, 'FLOP/s');
    const names = data.ceilings.map((ceiling) => ceiling.name);
    let label_y = -Infinity;
    [...data.ceilings].sort((a, b) => b.rate - a.rate).forEach((ceiling) => {
      const bend = ceiling.rate / data.bytes_per_second;
      const foot = Math.max(10 ** x0, 10 ** y0 / data.bytes_per_second);
      const path = 'M' + x_of(foot) + ' ' + y_of(foot * data.bytes_per_second) + 'L' + x_of(bend) +
          ' ' + y_of(ceiling.rate) + 'L' + (width - right) + ' ' + y_of(ceiling.rate);
      element(svg, 'path', {class: 'roof', d: path});
      label_y = Math.max(label_y + 15, y_of(ceiling.rate) + 4);
      element(svg, 'text', {x: width - right + 8, y: label_y},
              ceiling.name + ', ' + rate(ceiling.rate));
    });
    const longest = Math.max(...data.points.map((point) => point.ns), 1);
    for (const point of data.points) {
      const dot = element(svg, 'circle', {
        class: 'point', cx: x_of(point.intensity), cy: y_of(point.rate),
        r: 4 + 8 * Math.sqrt(point.ns / longest),
        fill: SPARE[Math.max(0, names.indexOf(point.ceiling)) % SPARE.length],
      });
      const text = point.label + ' \u2014 ' + rate(point.rate) + ' at ' +
          point.intensity.toPrecision(4) + ' FLOP/B, ' + time(point.ns) + ', under ' + point.ceiling;
      dot.addEventListener('pointermove', (event) => show_tip(event, text));
      dot.addEventListener('pointerleave', hide_tip);
    }
    name_points(svg, data.points.map((point) => ({
      x: x_of(point.intensity), y: y_of(point.rate), text: point.label, ns: point.ns,
      r: 4 + 8 * Math.sqrt(point.ns / longest),
    })), left, width - right);
    const list = element(section, 'ul', {class: 'legend'});
    names.forEach((name, i) => {
      const item = element(list, 'li');
      element(item, 'i', {style: 'background:' + SPARE[i % SPARE.length]});
      item.append(name);
    });
    element(list, 'li', {}, 'DRAM ' + bytes(data.bytes_per_second) + ', size by duration');
  }

  // ---- all --------------------------------------------------------------------------------

  document.querySelectorAll('section.table').forEach((section) => {
    make_sortable(section.querySelector('table'));
    make_filter(section);
  });
  if (figures.timeline) draw_timeline(document.getElementById('timeline'), figures.timeline);
  if (figures.breakdown) draw_breakdown(document.getElementById('breakdown'), figures.breakdown);
  figures.rooflines.forEach(
      (data, i) => draw_roofline(document.getElementById('roofline-' + i), data));
  document.body.dataset.ready = 'yes';
})();
