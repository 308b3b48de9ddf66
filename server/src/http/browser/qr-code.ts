import { type Html, html } from './page.ts';

/**
 * QR codes as in ISO/IEC 18004: bytes, error correction L, the sizes that a link of some length needs. For each version its
 * codewords, the error correction of a block, the blocks, and where alignment patterns are.
 */
const versions: Record<number, { codewords: number; correction: number; blocks: number; aligned: number[] }> = {
  4: { codewords: 100, correction: 20, blocks: 1, aligned: [6, 26] },
  5: { codewords: 134, correction: 26, blocks: 1, aligned: [6, 30] },
  6: { codewords: 172, correction: 18, blocks: 2, aligned: [6, 34] },
  7: { codewords: 196, correction: 20, blocks: 2, aligned: [6, 22, 38] },
  8: { codewords: 242, correction: 24, blocks: 2, aligned: [6, 24, 42] },
  9: { codewords: 292, correction: 30, blocks: 2, aligned: [6, 26, 46] },
};
const masks: ((x: number, y: number) => boolean)[] = [
  (x, y) => (x + y) % 2 === 0,
  (_, y) => y % 2 === 0,
  (x) => x % 3 === 0,
  (x, y) => (x + y) % 3 === 0,
  (x, y) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2 === 0,
  (x, y) => ((x * y) % 2) + ((x * y) % 3) === 0,
  (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2 === 0,
  (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2 === 0,
];
const quiet = 4;

/** The code as an image; null if the text is too long for one that a phone reads easily. */
export function qrCode(text: string, label: string): Html | null {
  const modules = qrModules(text);
  if (!modules) return null;
  const side = modules.length + 2 * quiet;
  const path = modules.flatMap((row, y) => row.map((dark, x) => (dark ? `M${x + quiet} ${y + quiet}h1v1h-1z` : '')));
  return html`<svg class="qr" role="img" aria-label="${label}" viewBox="0 0 ${side} ${side}" shape-rendering="crispEdges">
<path fill="#fff" d="M0 0h${side}v${side}h-${side}z"/><path fill="#000" d="${path.join('')}"/>
</svg>`;
}

/** Rows of modules, true for dark. */
export function qrModules(text: string): boolean[][] | null {
  const bytes = Buffer.from(text);
  // Two bytes are taken by the mode, the length and the end.
  const version = Object.keys(versions)
    .map(Number)
    .find((each) => bytes.length + 2 <= dataBytesOf(each));
  if (version === undefined) return null;
  const grid = makeGrid(version);
  const codewords = [...codewordsOf(bytes, version)];
  const bits = codewords.flatMap((word) => bitsOf(word, 8));
  for (const [index, [x, y]] of freePlaces(grid).entries()) put(grid, x, y, bits[index] ?? false);
  const drawn = masks.map((mask, number) => masked(grid, mask, number));
  return drawn.reduce((best, each) => (penaltyOf(each) < penaltyOf(best) ? each : best));
}

function dataBytesOf(version: number): number {
  const { codewords = 0, correction = 0, blocks = 0 } = versions[version] ?? {};
  return codewords - correction * blocks;
}

/** The data in blocks, each with its error correction, one codeword of each block after another. */
function codewordsOf(bytes: Buffer, version: number): number[] {
  const { correction = 0, blocks = 1 } = versions[version] ?? {};
  const room = dataBytesOf(version);
  const bits = [bitsOf(0b0100, 4), bitsOf(bytes.length, 8), ...[...bytes].map((byte) => bitsOf(byte, 8)), bitsOf(0, 4)];
  const data = (bits.flat().map(Number).join('').match(/.{8}/g) ?? []).map((eight) => Number.parseInt(eight, 2));
  for (let pad = 0xec; data.length < room; pad ^= 0xec ^ 0x11) data.push(pad);
  // In these versions, all blocks are equally long.
  const length = room / blocks;
  const parts = Array.from({ length: blocks }, (_, index) => data.slice(index * length, (index + 1) * length));
  return [...interleaved(parts), ...interleaved(parts.map((part) => remainderOf(part, correction)))];
}

function interleaved(parts: number[][]): number[] {
  return (parts[0] ?? []).flatMap((_, index) => parts.map((part) => part[index] ?? 0));
}

/** Reed-Solomon over GF(256) with 0x11d. */
function remainderOf(data: number[], degree: number): number[] {
  let divisor = [1];
  for (let power = 0, root = 1; power < degree; power++, root = times(root, 2))
    divisor = [...divisor, 0].map((each, index) => each ^ times(divisor[index - 1] ?? 0, root));
  let rest = Array<number>(degree).fill(0);
  for (const byte of data) {
    const factor = byte ^ (rest[0] ?? 0);
    rest = [...rest.slice(1), 0].map((each, index) => each ^ times(divisor[index + 1] ?? 0, factor));
  }
  return rest;
}

function times(a: number, b: number): number {
  let product = 0;
  for (let bit = 7; bit >= 0; bit--) product = (product << 1) ^ ((product >> 7) * 0x11d) ^ (((b >> bit) & 1) * a);
  return product;
}

type Grid = { dark: boolean[][]; taken: boolean[][] };

/** Everything but the data and what says which mask it has. */
function makeGrid(version: number): Grid {
  const size = version * 4 + 17;
  const rows = () => Array.from({ length: size }, () => Array<boolean>(size).fill(false));
  const grid = { dark: rows(), taken: rows() };
  for (let each = 0; each < size; each++) {
    put(grid, 6, each, each % 2 === 0, true);
    put(grid, each, 6, each % 2 === 0, true);
  }
  for (const [x, y] of [
    [3, 3],
    [size - 4, 3],
    [3, size - 4],
  ] as const)
    ringsAround(grid, x, y, 4);
  const { aligned = [] } = versions[version] ?? {};
  for (const x of aligned) for (const y of aligned) if (!isFinder(x, y, size)) ringsAround(grid, x, y, 2);
  drawFormat(grid, 0);
  if (version >= 7)
    for (const [index, dark] of bitsOf((version << 12) | checkOf(version, 12, 0x1f25), 18)
      .toReversed()
      .entries()) {
      const [a, b] = [size - 11 + (index % 3), Math.floor(index / 3)];
      put(grid, a, b, dark, true);
      put(grid, b, a, dark, true);
    }
  return grid;
}

function isFinder(x: number, y: number, size: number): boolean {
  return (x === 6 && y === 6) || (x === 6 && y === size - 7) || (x === size - 7 && y === 6);
}

/** Squares around a center, every other one dark. */
function ringsAround(grid: Grid, centerX: number, centerY: number, radius: number): void {
  for (let dy = -radius; dy <= radius; dy++)
    for (let dx = -radius; dx <= radius; dx++) {
      const distance = Math.max(Math.abs(dx), Math.abs(dy));
      const dark = radius === 4 ? distance !== 2 && distance !== 4 : distance !== 1;
      put(grid, centerX + dx, centerY + dy, dark, true);
    }
}

/** Which error correction and mask it has, twice. */
function drawFormat(grid: Grid, mask: number): void {
  const size = grid.dark.length;
  const data = (0b01 << 3) | mask;
  const bits = bitsOf(((data << 10) | checkOf(data, 10, 0x537)) ^ 0x5412, 15).toReversed();
  for (const [index, dark] of bits.entries()) {
    const around = index < 6 ? index : index < 8 ? index + 1 : index === 8 ? 7 : 14 - index;
    if (index < 8) put(grid, 8, around, dark, true);
    else put(grid, around, 8, dark, true);
    if (index < 8) put(grid, size - 1 - index, 8, dark, true);
    else put(grid, 8, size - 15 + index, dark, true);
  }
  put(grid, 8, size - 8, true, true);
}

/** The remainder of a BCH code. */
function checkOf(data: number, bits: number, generator: number): number {
  let rest = data;
  for (let each = 0; each < bits; each++) rest = (rest << 1) ^ ((rest >> (bits - 1)) * generator);
  return rest;
}

/** In pairs of columns from the right, up and down in turn. */
function freePlaces({ dark, taken }: Grid): [x: number, y: number][] {
  const size = dark.length;
  const places: [number, number][] = [];
  for (let right = size - 1; right >= 1; right -= 2) {
    if (right === 6) right = 5;
    for (let step = 0; step < size; step++)
      for (const x of [right, right - 1]) {
        const y = ((right + 1) & 2) === 0 ? size - 1 - step : step;
        if (!taken[y]?.[x]) places.push([x, y]);
      }
  }
  return places;
}

function masked({ dark, taken }: Grid, mask: (x: number, y: number) => boolean, number: number): boolean[][] {
  const rows = dark.map((row, y) => row.map((each, x) => (taken[y]?.[x] ? each : each !== mask(x, y))));
  drawFormat({ dark: rows, taken: taken.map((row) => [...row]) }, number);
  return rows;
}

/** How hard it is to read: runs, blocks, what looks like a corner, and too much of one color. */
function penaltyOf(rows: boolean[][]): number {
  const columns = rows.map((_, x) => rows.map((row) => row[x] ?? false));
  let penalty = 0;
  for (const line of [...rows, ...columns]) {
    const text = line.map(Number).join('');
    for (const [run] of text.matchAll(/0{5,}|1{5,}/g)) penalty += run.length - 2;
    penalty += 40 * [...text.matchAll(/(?=00001011101|10111010000)/g)].length;
  }
  for (let y = 1; y < rows.length; y++)
    for (let x = 1; x < rows.length; x++) {
      const square = [rows[y]?.[x], rows[y - 1]?.[x], rows[y]?.[x - 1], rows[y - 1]?.[x - 1]];
      if (square.every((each) => each === square[0])) penalty += 3;
    }
  const share = rows.flat().filter(Boolean).length / rows.length ** 2;
  return penalty + 10 * Math.floor(Math.abs(share * 100 - 50) / 5);
}

function put({ dark, taken }: Grid, x: number, y: number, isDark: boolean, isTaken = false): void {
  const [row, fixed] = [dark[y], taken[y]];
  if (!row || !fixed || x < 0 || x >= row.length) return;
  row[x] = isDark;
  if (isTaken) fixed[x] = true;
}

function bitsOf(value: number, count: number): boolean[] {
  return Array.from({ length: count }, (_, index) => ((value >> (count - 1 - index)) & 1) === 1);
}
