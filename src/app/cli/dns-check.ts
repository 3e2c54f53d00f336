// `sendwerk dns check` compares the public DNS with the operator's zones: each record set of the service host, one
// managed host with its keys as a sample of all, and the reverse names of the addresses.

import { type CheckedSet, wantedReverse } from '#src/domains/zones/zone-check.ts';
import type { Environment } from '#src/kernel/config/secrets.ts';
import { createDnsLookup } from '#src/kernel/dns-lookup.ts';
import { checkRelays, checkSets, wantedOf } from '../installed-zones.ts';
import { clean, paragraph, table } from './admin-text.ts';
import type { CommandResult } from './config.ts';
import { withInstalledZones } from './dns.ts';

const isFine = ({ status }: CheckedSet): boolean => status === 'ok';

const explained = ({ status, type, name, values, found, required, hint }: CheckedSet): string => {
  const expected = values.length === 0 ? 'any' : values.join(' | ');
  const lines = [
    `expected: ${expected}`,
    ...(status === 'error' ? [] : [`found:    ${found.length === 0 ? 'nothing' : found.join(' | ')}`]),
    hint,
  ];
  const head = [status, type, name, ...(required ? [] : ['(not required)'])].join(' ');
  return `\n${clean(head)}\n${paragraph(lines.join('\n'))}`;
};

const verdict = (bad: readonly CheckedSet[], all: number): string => {
  const required = bad.filter(({ required: isRequired }) => isRequired).length;
  if (bad.length === 0) return `\nall ${all} are right\n`;
  return `\n${bad.length} of ${all} are not right, ${required === 0 ? 'none of them required' : `${required} of them required`}\n`;
};

/** Exit code 1 if a required set is wrong, missing or could not be looked up. */
export const dnsCheck = (file: string, environment: Environment): Promise<CommandResult> =>
  withInstalledZones(file, environment, async (installed) => {
    const { config } = installed;
    const lookup = createDnsLookup(config.dns.resolvers);
    const reverse = config.dns.zones.addresses.map((address) => wantedReverse(address, config.service.host));
    const wanted = [...wantedOf(installed), ...reverse];
    const [sets, relays] = await Promise.all([
      checkSets(lookup, wanted, config.dns.authoritative !== null),
      checkRelays(lookup, config),
    ]);
    const checked = [...sets, ...relays];
    const bad = checked.filter((set) => !isFine(set));
    const rows = checked.map(({ status, type, name }) => [status, type, name]);
    const output = [
      table(['STATUS', 'TYPE', 'NAME'], rows, 'nothing to check'),
      ...bad.map(explained),
      verdict(bad, checked.length),
    ].join('');
    return { exitCode: bad.some(({ required }) => required) ? 1 : 0, output };
  });
