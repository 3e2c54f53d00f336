// Node's asynchronous calls of files and of compression, replaced: what they do is done at once, when the seed lets the call complete.
// So no thread of Node's pool decides an order.
import fs from 'node:fs';
import zlib from 'node:zlib';
import { world } from './world.ts';

// biome-ignore lint/suspicious/noExplicitAny: the calls are handed through as they are.
type Call = (...args: any[]) => any;

/** After a time that the seed draws. */
const soon = <T>(work: () => T): Promise<T> =>
  new Promise((resolve, reject) => {
    world().complete(() => {
      try {
        resolve(work());
      } catch (error) {
        reject(error);
      }
    });
  });

interface ReadInto {
  readonly buffer?: Buffer;
  readonly offset?: number;
  readonly length?: number;
  readonly position?: number | null;
}

/** An open file (fs.promises.open). */
class SimHandle {
  readonly fd: number;
  #isOpen = true;
  constructor(fd: number) {
    this.fd = fd;
  }
  read(into: Buffer | ReadInto = {}, at?: number | ReadInto, length?: number, position?: number | null) {
    const isBuffer = ArrayBuffer.isView(into);
    const rest = isBuffer && typeof at === 'object' ? at : isBuffer ? { offset: at, length, position } : into;
    const buffer = isBuffer ? (into as Buffer) : ((into as ReadInto).buffer ?? Buffer.alloc(16_384));
    const offset = (rest as ReadInto).offset ?? 0;
    const most = (rest as ReadInto).length ?? buffer.byteLength - offset;
    return soon(() => ({
      bytesRead: fs.readSync(this.fd, buffer, offset, most, (rest as ReadInto).position ?? null),
      buffer,
    }));
  }
  write(data: Buffer | string, ...rest: unknown[]) {
    return soon(() => ({ bytesWritten: (fs.writeSync as Call)(this.fd, data, ...rest), buffer: data }));
  }
  writeFile(data: Buffer | string) {
    return soon(() => fs.writeFileSync(this.fd, data));
  }
  appendFile(data: Buffer | string) {
    return this.writeFile(data);
  }
  readFile(options?: BufferEncoding) {
    return soon(() => (options === undefined ? fs.readFileSync(this.fd) : fs.readFileSync(this.fd, options)));
  }
  stat(options?: fs.StatOptions) {
    return soon(() => fs.fstatSync(this.fd, options ?? {}));
  }
  truncate(length = 0) {
    return soon(() => fs.ftruncateSync(this.fd, length));
  }
  chmod(mode: number) {
    return soon(() => fs.fchmodSync(this.fd, mode));
  }
  utimes(accessed: number, modified: number) {
    return soon(() => fs.futimesSync(this.fd, accessed, modified));
  }
  sync() {
    return soon(() => fs.fsyncSync(this.fd));
  }
  datasync() {
    return soon(() => fs.fdatasyncSync(this.fd));
  }
  close() {
    return soon(() => {
      if (this.#isOpen) fs.closeSync(this.fd);
      this.#isOpen = false;
    });
  }
  [Symbol.asyncDispose]() {
    return this.close();
  }
}

/** `callback` forms whose results are one value: the same call without Sync, its answer after a while. */
const callbackOf =
  (sync: Call) =>
  (...args: unknown[]): void => {
    const done = args.pop() as (error: unknown, result?: unknown, more?: unknown) => void;
    soon(() => sync(...args)).then(
      (result) => done(null, result, args[1]),
      (error) => done(error),
    );
  };

export const installFiles = (): void => {
  const from = fs as unknown as Record<string, Call>;
  for (const name of Object.keys(fs.promises)) {
    const sync = from[`${name}Sync`];
    if (sync) Object.assign(fs.promises, { [name]: (...args: unknown[]) => soon(() => sync(...args)) });
  }
  Object.assign(fs.promises, {
    open: (path: string, flags?: string, mode?: number) =>
      soon(() => new SimHandle(fs.openSync(path, flags ?? 'r', mode))),
  });
  for (const name of Object.keys(fs)) {
    const sync = from[`${name}Sync`];
    if (sync && typeof from[name] === 'function') Object.assign(fs, { [name]: callbackOf(sync) });
  }
  const pack = zlib as unknown as Record<string, Call>;
  for (const name of Object.keys(zlib)) {
    const sync = pack[`${name}Sync`];
    if (sync && typeof pack[name] === 'function') Object.assign(zlib, { [name]: callbackOf(sync) });
  }
};
