// A small authoritative DNS over UDP whose records a test changes while it runs: it stands for the whole public DNS. Of a
// CNAME it gives the CNAME only, as a server does that does not hold the target. Names of the service itself are asked of
// the application's own DNS.
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { AUTHORITATIVE_ANSWER, decode, encode } from 'dns-packet';

export type ZoneType = 'A' | 'AAAA' | 'CNAME' | 'MX' | 'NS' | 'PTR' | 'TXT';

export interface DnsZone {
  /** For `dns.resolvers`. */
  readonly address: string;
  /** In the place of what was there. An MX as `10 mail.example.org`; a TXT is split into strings where it is long. */
  set(name: string, type: ZoneType, ...values: readonly string[]): void;
  /** As the API lists records to publish. */
  publish(
    records: readonly {
      readonly name: string;
      readonly type: ZoneType;
      readonly value: string;
      readonly priority: number | null;
    }[],
  ): void;
  remove(name: string, type?: ZoneType): void;
  clear(): void;
  /** Names at or below it (with an empty one: all) are answered with that, or not at all; null: as usual again. */
  fail(name: string, how: 'SERVFAIL' | 'REFUSED' | 'silence' | null): void;
  /** Names at or below it are asked of the DNS at that port of this host. */
  delegate(name: string, port: number): void;
  /** Names asked for so far, each as often as it was. */
  readonly asked: readonly string[];
  stop(): Promise<void>;
}

const RCODES = { NOERROR: 0, SERVFAIL: 2, NXDOMAIN: 3, REFUSED: 5 } as const;
const STRING_OCTETS = 255;

/** All names are within the root, whose name is empty. */
const isWithin = (name: string, domain: string): boolean =>
  domain === '' || `.${name}`.endsWith(`.${domain}`);

const toData = (type: ZoneType, value: string): unknown => {
  if (type === 'MX') {
    const [preference, exchange] = value.split(' ');
    return { preference: Number(preference), exchange };
  }
  if (type !== 'TXT') return value;
  const octets = Buffer.from(value);
  return Array.from({ length: Math.max(1, Math.ceil(octets.length / STRING_OCTETS)) }, (_, index) =>
    octets.subarray(index * STRING_OCTETS, (index + 1) * STRING_OCTETS),
  );
};

/** The answer of another server, its octets as they came. */
const relay = async (query: Buffer, port: number): Promise<Buffer> => {
  const socket = createSocket('udp4');
  try {
    socket.send(query, port, '127.0.0.1');
    const [answer] = await once(socket, 'message', { signal: AbortSignal.timeout(2_000) });
    return answer;
  } finally {
    socket.close();
  }
};

export async function startDnsZone(): Promise<DnsZone> {
  const records = new Map<string, Map<ZoneType, readonly string[]>>();
  const failures = new Map<string, 'SERVFAIL' | 'REFUSED' | 'silence'>();
  const delegations = new Map<string, number>();
  const asked: string[] = [];

  const respond = (query: Buffer): Buffer | null => {
    const { id, flags, questions } = decode(query);
    const [question] = questions;
    if (question === undefined) return null;
    const name = question.name.toLowerCase();
    const failure = [...failures].find(([domain]) => isWithin(name, domain))?.[1];
    if (failure === 'silence') return null;
    const here = records.get(name);
    const types: readonly ZoneType[] = here?.has('CNAME') ? ['CNAME'] : [question.type as ZoneType];
    const answers = types.flatMap((type) =>
      (here?.get(type) ?? []).map((value) => ({
        name: question.name,
        type,
        ttl: 0,
        data: toData(type, value),
      })),
    );
    const exists = [...records.keys()].some((other) => isWithin(other, name));
    const rcode = RCODES[failure ?? (exists ? 'NOERROR' : 'NXDOMAIN')];
    return encode({
      type: 'response',
      id,
      // Recursion desired comes back as it was asked.
      flags: AUTHORITATIVE_ANSWER | (flags & 0x0100) | rcode,
      questions,
      answers: failure === undefined ? answers : [],
    });
  };

  const socket: Socket = createSocket('udp4');
  socket.on('message', async (query, { port, address }) => {
    const name = decode(query).questions[0]?.name.toLowerCase() ?? '';
    asked.push(name);
    const other = [...delegations].find(([domain]) => isWithin(name, domain))?.[1];
    const answer = other === undefined ? respond(query) : await relay(query, other).catch(() => null);
    if (answer !== null) socket.send(answer, port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');

  const set: DnsZone['set'] = (name, type, ...values) => {
    const key = name.toLowerCase();
    records.set(key, (records.get(key) ?? new Map()).set(type, values));
  };
  const remove: DnsZone['remove'] = (name, type) => {
    const key = name.toLowerCase();
    if (type !== undefined) records.get(key)?.delete(type);
    if (type === undefined || records.get(key)?.size === 0) records.delete(key);
  };
  return {
    address: `127.0.0.1:${socket.address().port}`,
    set,
    publish: (wanted) => {
      for (const { name, type, value, priority } of wanted)
        set(name, type, priority === null ? value : `${priority} ${value}`);
    },
    remove,
    clear: () => records.clear(),
    fail: (name, how) => {
      if (how === null) failures.delete(name);
      else failures.set(name, how);
    },
    delegate: (name, port) => {
      delegations.set(name, port);
    },
    asked,
    stop: async () => {
      const closed = once(socket, 'close');
      socket.close();
      await closed;
    },
  };
}
