// `fleet.yaml`: the hosts of a fleet, each with a registry of its own. Which practice is where is not in it: the hosts say that.
import { isIPv6 } from 'node:net';
import { parseDocument } from 'yaml';
import { z } from 'zod';
import * as v from '#src/kernel/config/values.ts';
import { checkedText } from '#src/kernel/expected.ts';
import { ConfigError, readYaml } from '#src/kernel/yaml-file.ts';
import { CommandError } from '../command.ts';
import { readText, writeWhole } from './text-file.ts';

const MAX_ADDRESSES = 8;

const hostSchema = z.strictObject({
  /** Where the other hosts and these commands reach its API; what comes for a practice that has moved there is handed on to it. */
  url: v.origin,
  /** Its service.host: commands know by it on which host they run. */
  name: v.hostName,
  /** Further names of it in requests, such as that of its public_origin where it is another one. */
  names: v.listOf(v.hostName).optional(),
  /** Where its mail comes in, and its proxy where it has one of its own. */
  address: z.array(v.ipAddress).max(MAX_ADDRESSES).optional(),
  /** A file with its admin token. */
  token_file: v.secretFile,
  /** A copy of its configuration, with paths of copies of its secrets: for when the host is lost. */
  config: v.filePath.optional(),
  /** The host is lost, and that one has taken over what it had. */
  heir: v.text(31).optional(),
});
export type FleetHost = z.output<typeof hostSchema>;

const HOST_KEY = /^[a-z0-9][a-z0-9_-]{0,30}$/;
const fleetSchema = z.strictObject({
  hosts: z
    .record(
      checkedText('lower-case letters, digits, hyphens and underscores', (text) => HOST_KEY.test(text)),
      hostSchema,
    )
    .meta({ expected: 'a mapping of hosts' }),
});

export interface Fleet {
  /** Keys are their short names, which are those of the proxy's backends. */
  readonly hosts: Readonly<Record<string, FleetHost>>;
  /** The living host that answers for this one: itself, or its heir, or the heir's. */
  readonly heirOf: (host: string) => string;
}

/** Throws CommandError where heirs lead nowhere or round in a circle. */
const heirsIn = (hosts: Fleet['hosts'], file: string): Fleet['heirOf'] => {
  const follow = (host: string, passed: readonly string[]): string => {
    const next = hosts[host]?.heir;
    if (next === undefined) return host;
    if (hosts[next] === undefined || passed.includes(next))
      throw new CommandError(`${file}: hosts.${host}.heir: ${next} is no host that lives`);
    return follow(next, [...passed, next]);
  };
  for (const host of Object.keys(hosts)) follow(host, [host]);
  return (host) => follow(host, [host]);
};

/** Throws CommandError, or ConfigError with the problems of the file. */
export const readFleet = (file: string): Fleet => {
  const { value, problems } = readYaml(file, readText(file), fleetSchema);
  if (problems.length > 0 || value.hosts === undefined) throw new ConfigError(problems);
  return { hosts: value.hosts, heirOf: heirsIn(value.hosts, file) };
};

/** Throws CommandError where the fleet has no such host. */
export const hostNamed = ({ hosts }: Pick<Fleet, 'hosts'>, name: string): FleetHost => {
  const host = hosts[name];
  if (host === undefined)
    throw new CommandError(
      `there is no host ${name} in the fleet; these are: ${Object.keys(hosts).join(', ')}`,
    );
  return host;
};

/** The host with that service.host. Throws CommandError where the fleet has none. */
export const hostHere = ({ hosts }: Fleet, serviceHost: string): string => {
  const found = Object.entries(hosts).find(([, { name }]) => name === serviceHost)?.[0];
  if (found === undefined)
    throw new CommandError(`the fleet has no host with the name ${serviceHost}, which is service.host here`);
  return found;
};

/** Writes down that the host is lost. What a person wrote in the file stays as it is. */
export const noteHeir = async (file: string, host: string, heir: string): Promise<void> => {
  const document = parseDocument(readText(file));
  document.setIn(['hosts', host, 'heir'], heir);
  await writeWhole(file, document.toString({ lineWidth: 0 }));
};

/** The names by which requests reach the host. */
export const namesOf = ({ name, names = [], url }: FleetHost): string[] => [
  ...new Set([name, `mta-sts.${name}`, new URL(url).hostname, ...names]),
];

/** Where mail for each host's name goes: to its own address, or to that of its heir. For the zone that has these names. */
export const addressRecords = ({ hosts, heirOf }: Fleet): string =>
  Object.entries(hosts)
    .flatMap(([key, { name }]) =>
      (hosts[heirOf(key)]?.address ?? []).map(
        (address) => `${name}. 300 IN ${isIPv6(address) ? 'AAAA' : 'A'} ${address}\n`,
      ),
    )
    .join('');
