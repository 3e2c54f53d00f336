// The maps by which HAProxy finds the host of a request (config/haproxy.cfg reads them):
//
// tokens.map   SHA-256 of the API token: programs reach their practice wherever it is
// hooks.map    the hook's or the practice's id in the path of an inbound hook
// names.map    the name that the request was sent to: people, links in mails, and all that the other maps do not know
//
// A request that reaches another host than that of its practice is handed on there, for as long as that host remembers the move. So a
// map that is some minutes old refuses nothing.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Directory, gather } from './directory.ts';
import { addressRecords, type Fleet, namesOf, readFleet } from './file.ts';
import { tellHaproxy } from './tell-haproxy.ts';
import { readTextIfThere, writeWhole } from './text-file.ts';

const RELOAD = 'systemctl reload haproxy';

/** What stands in a map is one word: anything else would be another line, or another host. */
const WORD = /^[A-Za-z0-9._-]{1,253}$/;
const POLICY_HOSTS = ['mta-sts.in.', 'mta-sts.bounce.'];

type Lines = Map<string, string>;

/** The lines of a map that lead to one of these hosts. */
const linesTo = (text: string, hosts: ReadonlySet<string>): (readonly [key: string, host: string])[] =>
  text.split('\n').flatMap((line) => {
    const [key = '', host = ''] = line.split(' ');
    return hosts.has(host) ? [[key, host] as const] : [];
  });

const textOf = (lines: Lines): string =>
  [...lines]
    .filter(([key]) => WORD.test(key))
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([key, host]) => `${key} ${host}\n`)
    .join('');

/** The files' texts, with their names as keys. `before`: the text of the file that is there: what it says of hosts that do not answer now stays. */
export const mapsOf = (
  fleet: Fleet,
  { placed, silent }: Directory,
  before: (file: string) => string,
): Readonly<Record<string, string>> => {
  const kept = (file: string): Lines => new Map(linesTo(before(file), new Set(silent.keys())));
  const [tokens, hooks, names] = ['tokens.map', 'hooks.map', 'names.map'].map(kept) as [Lines, Lines, Lines];
  for (const { host, id, ...known } of placed) {
    for (const token of known.tokens) tokens.set(token, host);
    for (const hook of [id, ...known.hooks]) hooks.set(hook, host);
    for (const name of known.hosts) for (const label of POLICY_HOSTS) names.set(label + name, host);
  }
  for (const [key, host] of Object.entries(fleet.hosts))
    for (const name of namesOf(host)) names.set(name, fleet.heirOf(key));
  return {
    'tokens.map': textOf(tokens),
    'hooks.map': textOf(hooks),
    'names.map': textOf(names),
    'addresses.zone': addressRecords(fleet),
  };
};

export interface WrittenMaps {
  readonly said: readonly string[];
  /** Whether each host answered and no practice is there twice. */
  readonly isWhole: boolean;
}

/** Where maps are written, and the admin socket of the HAProxy that is told of them. */
export interface MapsValues {
  readonly out: string;
  readonly socket: string | undefined;
}

/** Writes what has changed, each file whole, and tells HAProxy. Throws CommandError where it cannot be told. */
export const writeMaps = async (fleetFile: string, { out, socket }: MapsValues): Promise<WrittenMaps> => {
  const fleet = readFleet(fleetFile);
  const directory = await gather(fleet);
  await mkdir(out, { recursive: true, mode: 0o750 });
  const before = (name: string): string => readTextIfThere(join(out, name)) ?? '';
  const changed: string[] = [];
  const said: string[] = [];
  const files = mapsOf(fleet, directory, before);
  for (const [name, text] of Object.entries(files)) {
    const count = text.split('\n').length - 1;
    const isNew = readTextIfThere(join(out, name)) !== text;
    if (isNew) await writeWhole(join(out, name), text);
    if (isNew) changed.push(name);
    said.push(`${join(out, name)}: ${count} ${count === 1 ? 'line' : 'lines'}${isNew ? '' : ', unchanged'}`);
  }
  for (const [host, why] of directory.silent)
    said.push(`SILENT: ${host} does not answer, so what the maps say of it stays: ${why}`);
  said.push(...directory.twice);
  const maps = Object.fromEntries(Object.entries(files).filter(([name]) => name.endsWith('.map')));
  if (socket !== undefined) {
    // Also what has not changed: nobody knows what a former command had told it.
    await tellHaproxy(socket, out, maps);
    said.push('HAProxy goes by them');
  } else if (changed.some((name) => name in maps)) said.push(`tell HAProxy: ${RELOAD}, or name its --socket`);
  if (changed.includes('addresses.zone')) said.push('tell the DNS: these addresses have changed');
  return { said, isWhole: directory.silent.size === 0 && directory.twice.length === 0 };
};
