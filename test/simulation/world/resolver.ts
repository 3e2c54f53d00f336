// Node's resolver, replaced by one that knows what the simulation's zones say.
import dns from 'node:dns';
import dnsPromises from 'node:dns/promises';
import { world } from './world.ts';

export type Zones = ReadonlyMap<string, Readonly<Record<string, readonly unknown[]>>>;

/** What the resolver does with a question. */
export type ResolverMood = 'fair' | 'servfail' | 'silent';

/** What the service publishes itself: its name server is asked by no one else here. */
export type OwnRecords = (name: string, type: string) => readonly unknown[];

interface Resolving {
  zones: Zones;
  moodOf: (name: string) => ResolverMood;
  own: OwnRecords;
}

const resolving: Resolving = { zones: new Map(), moodOf: () => 'fair', own: () => [] };

export const answerBy = (zones: Zones, moodOf: Resolving['moodOf'], own: OwnRecords): void => {
  resolving.own = own;
  resolving.zones = zones;
  resolving.moodOf = moodOf;
};

const TIMEOUT_MS = 6_000;

const fail = (code: string): Error => Object.assign(new Error(`query ${code}`), { code });

const query = <T>(name: string, type: string): Promise<T[]> =>
  new Promise((resolve, reject) => {
    const mood = resolving.moodOf(name);
    const answer = (): void => {
      if (mood !== 'fair') {
        reject(fail(mood === 'silent' ? 'ETIMEOUT' : 'ESERVFAIL'));
        return;
      }
      const zone = resolving.zones.get(name.toLowerCase());
      const records = zone?.[type] ?? resolving.own(name.toLowerCase(), type);
      if (records && records.length > 0) resolve([...records] as T[]);
      else reject(fail(zone ? 'ENODATA' : 'ENOTFOUND'));
    };
    if (mood === 'silent') world().post(world().owner, world().now + TIMEOUT_MS, answer);
    else world().complete(answer);
  });

class SimResolver {
  setServers(): void {}
  getServers(): string[] {
    return ['127.0.0.1'];
  }
  cancel(): void {}
  resolveTxt = (name: string) => query(name, 'TXT');
  resolveCname = (name: string) => query(name, 'CNAME');
  resolveMx = (name: string) => query(name, 'MX');
  resolveNs = (name: string) => query(name, 'NS');
  resolve4 = (name: string) => query(name, 'A');
  resolve6 = (name: string) => query(name, 'AAAA');
  resolvePtr = (name: string) => query(name, 'PTR');
  reverse = (address: string) => query(`${address.split('.').reverse().join('.')}.in-addr.arpa`, 'PTR');
  resolveSoa = async (name: string) => (await query(name, 'SOA'))[0];
  resolve = (name: string, type = 'A') => query(name, type);
}

export const installResolver = (): void => {
  Object.assign(dnsPromises, { Resolver: SimResolver });
  Object.assign(dns.promises, { Resolver: SimResolver });
};
