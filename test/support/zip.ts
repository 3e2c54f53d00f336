// Writes ZIP archives (APPNOTE.TXT 4.3) of a few parts.
import { crc32, deflateRawSync } from 'node:zlib';

const fields = (...values: readonly (readonly [bytes: 2 | 4, value: number])[]): Buffer =>
  Buffer.concat(
    values.map(([bytes, value]) => {
      const field = Buffer.alloc(bytes);
      field.writeUIntLE(value, 0, bytes);
      return field;
    }),
  );

export const zipOf = (parts: Readonly<Record<string, string | Buffer>>): Buffer => {
  const local: Buffer[] = [];
  const central: Buffer[] = [];
  let at = 0;
  for (const [path, content] of Object.entries(parts)) {
    const name = Buffer.from(path);
    const bytes = Buffer.from(content);
    const packed = deflateRawSync(bytes);
    const common = fields(
      [2, 20],
      [2, 0],
      [2, 8],
      [4, 0],
      [4, crc32(bytes)],
      [4, packed.length],
      [4, bytes.length],
    );
    const head = Buffer.concat([fields([4, 0x04034b50]), common, fields([2, name.length], [2, 0]), name]);
    const place = fields([2, name.length], [2, 0], [2, 0], [2, 0], [2, 0], [4, 0], [4, at]);
    central.push(Buffer.concat([fields([4, 0x02014b50], [2, 20]), common, place, name]));
    local.push(head, packed);
    at += head.length + packed.length;
  }
  const directory = Buffer.concat(central);
  const count = central.length;
  const end = fields(
    [4, 0x06054b50],
    [2, 0],
    [2, 0],
    [2, count],
    [2, count],
    [4, directory.length],
    [4, at],
    [2, 0],
  );
  return Buffer.concat([...local, directory, end]);
};
