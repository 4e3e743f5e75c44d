// Where each snapshot stands: columns are stretches of time, rows are lanes that a chain keeps.
//
// Columns: a sweep in time order. A snapshot goes into the current column unless one of its causes stands there, or the
// column is full; then a column begins. So time never runs backwards from left to right, and every link that time allows
// points forward.
// Rows: as in the picture of a version history. A snapshot takes the lane of its primary cause when nothing else has
// continued it, else the nearest lane that is free all the way from its cause. Snapshots without links stand below all
// lanes, so that many of them do not push the chains apart.

export const COLUMN = 216;
export const ROW = 92;

const LOOK_BACK = 12;

/**
 * Give every node `column` and `row`, `x` and `y`.
 * @param {object[]} nodes in time order, with `causes` (the primary one first) and `linked`
 * @returns {{columns: object[][], left: number, right: number, top: number, bottom: number}}
 */
export function layout(nodes) {
  const columns = assignColumns(nodes);
  assignRows(columns);
  let top = 0;
  let bottom = 0;
  for (const node of nodes) {
    node.x = node.column * COLUMN;
    node.y = node.row * ROW;
    top = Math.min(top, node.y);
    bottom = Math.max(bottom, node.y);
  }
  for (const column of columns) column.sort((a, b) => a.row - b.row);
  return { columns, left: 0, right: Math.max(0, columns.length - 1) * COLUMN, top, bottom };
}

function assignColumns(nodes) {
  const full = Math.max(6, Math.ceil(Math.sqrt(nodes.length) / 1.5));
  const columns = [];
  let current = [];
  for (const node of nodes) node.column = -1;
  for (const node of nodes) {
    const follows = node.causes.some((cause) => cause.column === columns.length);
    if (current.length && (follows || current.length >= full)) {
      columns.push(current);
      current = [];
    }
    node.column = columns.length;
    current.push(node);
  }
  if (current.length) columns.push(current);
  return columns;
}

function assignRows(columns) {
  const taken = new Map(); // row -> last column in which something stands or passes
  let lowest = -1;
  for (const [number, column] of columns.entries()) {
    for (const node of column) {
      if (!node.linked) continue;
      const cause = node.causes.find((other) => other.column < number);
      const from = Math.max(cause ? cause.column : number - 1, number - LOOK_BACK);
      node.row = nearestFree(taken, cause ? cause.row : 0, from);
      taken.set(node.row, number);
      lowest = Math.max(lowest, node.row);
    }
  }
  for (const column of columns) {
    column.filter((node) => !node.linked).forEach((node, place) => { node.row = lowest + 1 + place; });
  }
}

function nearestFree(taken, wanted, from) {
  for (let distance = 0; ; distance += 1) {
    for (const row of distance ? [wanted + distance, wanted - distance] : [wanted]) {
      if ((taken.get(row) ?? -Infinity) <= from) return row;
    }
  }
}
