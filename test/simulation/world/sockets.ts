// Node's TCP, replaced by pairs of sockets in memory. Chunks of one direction keep their order; when each arrives, and in how many
// pieces, the seed decides. Real servers and clients of HTTP and SMTP run over them.
import http from 'node:http';
import net from 'node:net';
import process from 'node:process';
import { OUTSIDE, type Owner, type Task, world } from './world.ts';

/** How often a chunk arrives in two pieces. */
const SPLIT_SHARE = 0.02;
/** As Linux gives up by itself, after six tries. */
const CONNECT_TIMEOUT_MS = 127_000;
const FIRST_PORT = 40_000;

export interface Listening {
  readonly owner: Owner;
  readonly allowHalfOpen: boolean;
  readonly accept: (socket: SimSocket) => void;
}

/** What a connection to an address meets. */
export type Weather = 'fair' | 'refuses' | 'silent';

export class Network {
  readonly listening = new Map<string, Listening>();
  readonly sockets = new Set<SimSocket>();
  /** Asked at each connection. */
  weatherOf: (address: string, port: number) => Weather = () => 'fair';
  #port = FIRST_PORT;

  nextPort(): number {
    this.#port += 1;
    return this.#port;
  }
  find(address: string, port: number): Listening | undefined {
    return this.listening.get(`${address}:${port}`) ?? this.listening.get(`0.0.0.0:${port}`);
  }
  /** The process is gone: its listeners end, and who is connected to it notices. */
  drop(owner: Owner): void {
    for (const [place, { owner: of }] of this.listening) if (of === owner) this.listening.delete(place);
    for (const socket of this.sockets) if (socket.owner === owner) socket.vanish();
  }
}

let network = new Network();
export const presentNetwork = (): Network => network;
export const beginNetwork = (): Network => {
  network = new Network();
  return network;
};

const failure = (code: string, syscall: string): Error =>
  Object.assign(new Error(`${syscall} ${code}`), { code, syscall, errno: -1 });

type Answered = (error: Error | null) => void;

export class SimSocket extends net.Socket {
  readonly owner: Owner;
  other: SimSocket | null = null;
  readonly place = { address: '127.0.0.1', port: 0, otherAddress: '127.0.0.1', otherPort: 0 };
  #arrivesAt = 0;
  #idleMs = 0;
  #idle: Task | null = null;
  #server: (net.Server & { _connections: number; _emitCloseIfDrained(): void }) | null = null;
  #isEnding = false;

  constructor(options: net.SocketConstructorOpts = {}) {
    super(options);
    this.owner = world().owner;
    network.sockets.add(this);
  }

  override setNoDelay(): this {
    return this;
  }
  override setKeepAlive(): this {
    return this;
  }
  override ref(): this {
    return this;
  }
  override unref(): this {
    return this;
  }
  override setTimeout(milliseconds: number, callback?: () => void): this {
    this.#idleMs = milliseconds;
    Object.assign(this, { timeout: milliseconds });
    if (callback) {
      if (milliseconds === 0) this.removeListener('timeout', callback);
      else this.once('timeout', callback);
    }
    this.#wind();
    return this;
  }
  #wind(): void {
    if (this.#idle) this.#idle.run = null;
    this.#idle = null;
    if (this.#idleMs > 0 && !this.destroyed)
      this.#idle = world().post(this.owner, world().now + this.#idleMs, () => this.emit('timeout'));
  }

  /** Behind everything that is on its way to the other end. */
  #toOther(run: (other: SimSocket) => void): void {
    const other = this.other;
    if (other === null) return;
    const at = Math.max(world().now + world().latency(), this.#arrivesAt);
    this.#arrivesAt = at;
    world().post(other.owner, at, () => {
      if (!other.destroyed) run(other);
    });
  }

  override _read(): void {}
  override _write(chunk: Buffer, _encoding: BufferEncoding, done: Answered): void {
    if (this.connecting) {
      this.once('connect', () => this._write(chunk, _encoding, done));
      return;
    }
    if (this.other === null) {
      done(failure('EPIPE', 'write'));
      return;
    }
    this.#wind();
    const bytes = Buffer.from(chunk);
    const cut = world().dice.chance(SPLIT_SHARE) ? world().dice.int(0, bytes.length) : 0;
    for (const piece of [bytes.subarray(0, cut), bytes.subarray(cut)])
      if (piece.length > 0) this.#toOther((other) => other.#take(piece));
    done(null);
  }
  override _writev(chunks: readonly { chunk: Buffer; encoding: BufferEncoding }[], done: Answered): void {
    const bytes = chunks.map(({ chunk, encoding }) =>
      typeof chunk === 'string' ? Buffer.from(chunk, encoding) : chunk,
    );
    this._write(Buffer.concat(bytes), 'binary', done);
  }
  override _final(done: Answered): void {
    if (this.connecting) {
      this.once('connect', () => this._final(done));
      return;
    }
    this.#isEnding = true;
    this.#toOther((other) => other.#take(null));
    done(null);
  }
  override _destroy(error: Error | null, done: Answered): void {
    if (this.#idle) this.#idle.run = null;
    Object.assign(this, { connecting: false });
    network.sockets.delete(this);
    if (error === null && !this.#isEnding) this.#toOther((other) => other.#take(null));
    if (error !== null) this.#toOther((other) => other.destroy(failure('ECONNRESET', 'read')));
    this.other = null;
    if (this.#server) {
      this.#server._connections -= 1;
      this.#server._emitCloseIfDrained();
    }
    done(error);
    // Node's sockets say this themselves, when their handle has closed.
    process.nextTick(() => this.emit('close', error !== null));
  }
  #take(chunk: Buffer | null): void {
    this.#wind();
    this.push(chunk);
    // As a handle of Node's does, so that `end` is noticed where no one reads.
    if (chunk === null) this.read(0);
  }

  /** Its process is gone: the other end gets a reset, and nothing happens here any more. */
  vanish(): void {
    const other = this.other;
    network.sockets.delete(this);
    this.other = null;
    if (other)
      world().complete(() => other.destroyed || other.destroy(failure('ECONNRESET', 'read')), other.owner);
  }
  /** Both ends get a reset. */
  reset(): void {
    const other = this.other;
    for (const one of [this, other])
      if (one) world().complete(() => one.destroyed || one.destroy(failure('ECONNRESET', 'read')), one.owner);
  }
  belongTo(server: net.Server): void {
    this.#server = server as never;
    (server as unknown as { _connections: number })._connections += 1;
    Object.assign(this, { server, _server: server });
  }

  open(address: string, port: number, from: string): void {
    Object.assign(this, { connecting: true });
    Object.assign(this.place, {
      address: from,
      port: network.nextPort(),
      otherAddress: address,
      otherPort: port,
    });
    const kind = network.weatherOf(address, port);
    if (kind === 'silent') {
      world().post(this.owner, world().now + CONNECT_TIMEOUT_MS, () =>
        this.destroy(failure('ETIMEDOUT', 'connect')),
      );
      return;
    }
    world().complete(() => {
      if (this.destroyed) return;
      const met = kind === 'refuses' ? undefined : network.find(address, port);
      if (met === undefined) {
        this.destroy(failure('ECONNREFUSED', 'connect'));
        return;
      }
      const mine = world().owner;
      world().owner = met.owner;
      const far = new SimSocket({ allowHalfOpen: met.allowHalfOpen });
      Object.assign(far.place, { address, port, otherAddress: from, otherPort: this.place.port });
      far.other = this;
      this.other = far;
      world().post(met.owner, world().now, () => {
        if (!far.destroyed) met.accept(far);
      });
      world().owner = mine;
      Object.assign(this, { connecting: false });
      this.#wind();
      this.emit('connect');
      this.emit('ready');
    }, this.owner);
  }
}

for (const [name, key] of [
  ['remoteAddress', 'otherAddress'],
  ['remotePort', 'otherPort'],
  ['localAddress', 'address'],
  ['localPort', 'port'],
] as const)
  Object.defineProperty(SimSocket.prototype, name, {
    get(this: SimSocket) {
      return this.place[key];
    },
  });
Object.defineProperties(SimSocket.prototype, {
  remoteFamily: { value: 'IPv4' },
  address: {
    value(this: SimSocket): net.AddressInfo {
      return { address: this.place.address, port: this.place.port, family: 'IPv4' };
    },
  },
});

type Looked = (error: Error | null, address: string | readonly { address: string }[]) => void;
interface ConnectOptions extends net.SocketConstructorOpts {
  readonly host?: string;
  readonly port?: number | string;
  readonly localAddress?: string;
  readonly timeout?: number;
  readonly lookup?: (host: string, options: { all: boolean }, done: Looked) => void;
}

/** `from`: the address of the client, as the server sees it. */
export const connectTo = (options: ConnectOptions, from = '127.0.0.1'): SimSocket => {
  const socket = new SimSocket(
    options.allowHalfOpen === undefined ? {} : { allowHalfOpen: options.allowHalfOpen },
  );
  const { host = '127.0.0.1', lookup } = options;
  const port = Number(options.port);
  Object.assign(socket, { connecting: true });
  if (options.timeout) socket.setTimeout(options.timeout);
  if (net.isIP(host) || host === 'localhost')
    socket.open(host === 'localhost' ? '127.0.0.1' : host, port, from);
  else if (lookup)
    lookup(host, { all: true }, (error, found) => {
      if (error) socket.destroy(error);
      else socket.open(typeof found === 'string' ? found : (found[0]?.address ?? ''), port, from);
    });
  else throw new Error(`the simulation has no resolver of its own for ${host}`);
  return socket;
};

/** The connection of someone outside, whoever runs at the moment: it does not end with a process. */
export const connectFromOutside = (options: ConnectOptions, from?: string): SimSocket => {
  const mine = world().owner;
  world().owner = OUTSIDE;
  try {
    return connectTo(options, from);
  } finally {
    world().owner = mine;
  }
};

type Connect = (options: ConnectOptions, connected?: () => void) => SimSocket;

export const installSockets = (): void => {
  const connect: Connect = (options, connected) => {
    const socket = connectTo(options);
    if (typeof connected === 'function') socket.once('connect', connected);
    return socket;
  };
  Object.assign(net, { connect, createConnection: connect });
  http.Agent.prototype.createConnection = connect as never;

  net.Server.prototype.listen = function listen(this: net.Server, ...args: unknown[]) {
    const [first, second] = args;
    const options =
      typeof first === 'object' && first !== null ? (first as { port: number; host?: string }) : null;
    const wanted = options ? options.port : Number(first);
    const host = options ? options.host : typeof second === 'string' ? second : undefined;
    const done = args.find((arg) => typeof arg === 'function') as (() => void) | undefined;
    if (done) this.once('listening', done);
    const port = wanted || network.nextPort();
    const place = `${host ?? '0.0.0.0'}:${port}`;
    const owner = world().owner;
    const handle = {
      close: () => network.listening.delete(place),
      ref: () => undefined,
      unref: () => undefined,
      getsockname: (out: { address?: string; port?: number; family?: string }) => {
        Object.assign(out, { address: host ?? '0.0.0.0', port, family: 'IPv4' });
        return 0;
      },
    };
    if (network.listening.has(place)) {
      world().complete(() => this.emit('error', failure('EADDRINUSE', 'listen')));
      return this;
    }
    network.listening.set(place, {
      owner,
      allowHalfOpen: (this as unknown as { allowHalfOpen: boolean }).allowHalfOpen,
      accept: (socket) => {
        socket.belongTo(this);
        this.emit('connection', socket);
      },
    });
    Object.assign(this, { _handle: handle });
    world().complete(() => this.emit('listening'));
    return this;
  } as typeof net.Server.prototype.listen;
};
