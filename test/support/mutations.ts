// Damaged copies of a sample, the same ones on every run: bytes changed, pieces cut out, doubled or moved, line ends
// swapped, random bytes put in. For parsers of what comes from outside.
import { randomFrom } from './soak.ts';

const PIECES = [
  '\r\n',
  '\n',
  '\r',
  '\r\n\r\n',
  '--',
  '"',
  ';',
  ':',
  '\0',
  '\t',
  '=?UTF-8?Q?',
  '%',
  ' '.repeat(200),
  'A'.repeat(2_000),
];

export function* mutations(sample: Buffer, count: number, seed: number): Generator<Buffer> {
  const random = randomFrom(seed);
  const below = (limit: number): number => Math.floor(random() * limit);
  for (let made = 0; made < count; made += 1) {
    let damaged = sample;
    for (let change = 0; change <= below(4); change += 1) {
      const start = below(damaged.length + 1);
      const end = Math.min(damaged.length, start + below(60));
      const [before, piece, after] = [
        damaged.subarray(0, start),
        damaged.subarray(start, end),
        damaged.subarray(end),
      ];
      const inserted = Buffer.from(PIECES[below(PIECES.length)] ?? '', 'latin1');
      const pieces: readonly (readonly Buffer[])[] = [
        [before, after],
        [before, piece, piece, after],
        [before, inserted, piece, after],
        [before, inserted, after],
        [after, piece, before],
        [before, Buffer.from(piece.map((byte) => byte ^ (1 << below(8)))), after],
        [before],
      ];
      damaged = Buffer.concat(pieces[below(pieces.length)] ?? [damaged]);
    }
    yield damaged;
  }
}
