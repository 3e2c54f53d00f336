// Node's random numbers and its slow hashes, replaced by draws of the simulation and by fast ones.
import crypto from 'node:crypto';
import { world } from './world.ts';

const BYTES_A_DRAW = 4;

const fill = (bytes: Uint8Array): void => {
  const { dice } = world();
  for (let at = 0; at < bytes.length; at += BYTES_A_DRAW) {
    const draw = Math.floor(dice.next() * 2 ** 32);
    for (let byte = 0; byte < BYTES_A_DRAW && at + byte < bytes.length; byte += 1)
      bytes[at + byte] = (draw >>> (8 * byte)) & 0xff;
  }
};

const randomBytes = (size: number): Buffer => {
  const bytes = Buffer.alloc(size);
  fill(bytes);
  return bytes;
};

type Done = (error: Error | null, result: Buffer) => void;
interface Argon2 {
  readonly message: Buffer | string;
  readonly nonce: Buffer;
  readonly tagLength: number;
}

export const installRandomness = (): void => {
  const between = (first: number, second?: number): number => {
    const [least, most] = second === undefined ? [0, first] : [first, second];
    return least + Math.floor(world().dice.next() * (most - least));
  };
  const view = (bytes: ArrayBufferView): Uint8Array =>
    new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const uuid = (): `${string}-${string}-${string}-${string}-${string}` => {
    const bytes = randomBytes(16);
    bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x40, 6);
    bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
    const hex = bytes.toString('hex');
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
  };
  const getRandomValues = <T extends ArrayBufferView>(bytes: T): T => {
    fill(view(bytes));
    return bytes;
  };
  Object.assign(crypto, {
    randomBytes,
    randomFillSync: (bytes: ArrayBufferView, offset = 0, size = bytes.byteLength - offset) => {
      fill(view(bytes).subarray(offset, offset + size));
      return bytes;
    },
    randomInt: between,
    randomUUID: uuid,
    // Real argon2 takes tens of milliseconds, which is its purpose, and not what is looked at here.
    argon2: (_algorithm: string, { message, nonce, tagLength }: Argon2, done: Done) => {
      const tag = crypto
        .hash('sha512', Buffer.concat([Buffer.from(message), nonce]), 'buffer')
        .subarray(0, tagLength);
      world().complete(() => done(null, tag));
    },
  });
  Object.assign(globalThis.crypto, { randomUUID: uuid, getRandomValues });
  Math.random = () => world().dice.next();
};
