// The check of a host's records against a real DNS server: a table of zones, good and broken, with what is to be said of
// every record; and that what the check advises puts things right.
// @module-tag debian/knot

import { generateKeyPairSync } from 'node:crypto';
import dgram from 'node:dgram';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { refusals } from '#src/app/refusals.ts';
import { checkHost } from '#src/domains/check/check-host.ts';
import type { CheckedRecord, HostCheck, HostFacts } from '#src/domains/records/host-check.ts';
import { zoneFile } from '#src/domains/zones/resource-record.ts';
import { createZones } from '#src/domains/zones/zone.ts';
import { createDnsLookup } from '#src/kernel/dns-lookup.ts';
import { inEnglish, speakerOf } from '#src/kernel/say.ts';
import { dkimRecord } from '#src/mail/dkim-key.ts';
import {
  goodZone,
  otherZones,
  quoted,
  SERVICE,
  type ZoneLines,
  type ZoneRow,
  zoneRows,
} from '#test/flows/dns-zone-rows.ts';
import { type Knot, type KnotZone, startKnot } from '#test/support/knot.ts';

const MANAGED_SUFFIX = 'praxis.test';

const rsa = (): string =>
  dkimRecord(generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey, 'rsa-sha256');
const records: Readonly<Record<string, string>> = {
  t1: rsa(),
  t2: rsa(),
  t3: dkimRecord(generateKeyPairSync('ed25519').publicKey, 'ed25519-sha256'),
  own: rsa(),
  other: rsa(),
  unknown: rsa(),
};
const recordOf = (name: string): string => {
  const record = records[name];
  if (record === undefined) throw new Error(`no key ${name}`);
  return record;
};

/** `{{own}}`, and what may have happened to it. */
const fill = (text: string): string => {
  const [, name, what] = /^\{\{(\w+)(?: (\w+))?\}\}$/.exec(text) ?? [];
  if (name === undefined) return text;
  const record = recordOf(name);
  if (what === 'cut') return quoted(record.slice(0, -100));
  return quoted(what === 'testing' ? record.replace('k=rsa;', 'k=rsa; t=y:s;') : record);
};

const zoneText = (apex: string, lines: ZoneLines): string =>
  [
    `$ORIGIN ${apex}.`,
    '$TTL 300',
    '@ SOA ns hostmaster 1 3600 600 1209600 300',
    '@ NS ns',
    'ns A 127.0.0.1',
    ...Object.entries(lines).flatMap(([key, values]) => values.map((value) => `${key} ${fill(value)}`)),
    '',
  ].join('\n');

const serviceZones = createZones({
  serviceHost: SERVICE,
  managedSuffix: MANAGED_SUFFIX,
  addresses: ['192.0.2.10'],
  nameservers: [],
  hostmaster: `hostmaster@${SERVICE}`,
  mtaSts: { mode: 'testing', maxAge: 604_800_000 },
  serial: () => 1,
  findToken: () => null,
  findManagedHost: () => null,
});
const serviceContents = {
  // `other` is published with a key that is not the one it should have.
  tokens: ['t1', 't2', 't3']
    .map((token) => ({ token, text: recordOf(token) }))
    .concat({ token: 'other', text: recordOf('own') }),
  managedHosts: [{ slug: 'berg', tokens: ['t1', 't2', 't3'] }],
};

const sharedZones: readonly KnotZone[] = [
  ...serviceZones.apexes.map((name) => ({
    name,
    text: [...zoneFile(serviceZones.zoneRecords(name, serviceContents))].join(''),
  })),
  ...Object.entries(otherZones).map(([name, lines]) => ({ name, text: zoneText(name, lines) })),
  // A zone without SOA is not loaded.
  { name: 'broken.example', text: '$ORIGIN broken.example.\n$TTL 300\n@ NS ns\nns A 127.0.0.1\n' },
];

const apexOf = (row: ZoneRow): string => `${row.zone}.example`;
const hostOf = (row: ZoneRow): string => (row.sub === undefined ? apexOf(row) : `${row.sub}.${apexOf(row)}`);
const linesOf = (row: ZoneRow): ZoneLines => ({ ...goodZone(hostOf(row), row.sub ?? ''), ...row.change });

const factsOf = (row: ZoneRow): HostFacts => ({
  host: hostOf(row),
  kind: 'custom',
  serviceHost: SERVICE,
  keys: (row.keys ?? ['t1', 't2', 't3']).map((key) => {
    const selector = key.replace('!', '');
    return { selector, record: recordOf(selector), imported: key.startsWith('!') };
  }),
  bimi: row.bimi ?? { logoUrl: null, certificateUrl: null },
});

/** As the rows name it. */
const keyOf = (apex: string, { name, type }: Pick<CheckedRecord, 'name' | 'type'>): string =>
  `${name === apex ? '@' : name.slice(0, -apex.length - 1)} ${type}`;

/** All advice is known in it. */
const german = speakerOf('de', refusals('de'));

const allOf = (check: HostCheck): CheckedRecord[] => [...check.records, ...check.inbound];
const checkRow = (knot: Knot, row: ZoneRow): Promise<HostCheck> =>
  checkHost(createDnsLookup([knot.server]), factsOf(row));

let knot: Knot;
let healed: Knot;
const firstChecks = new Map<string, HostCheck>();

const isToHeal = (row: ZoneRow, record: CheckedRecord): boolean =>
  record.type === 'TXT' &&
  record.status !== 'ok' &&
  record.status !== 'error' &&
  row.unhealed?.[keyOf(apexOf(row), record)] === undefined;

const healedLines = (row: ZoneRow, check: HostCheck): ZoneLines => {
  const lines: Record<string, readonly string[]> = { ...linesOf(row) };
  for (const record of allOf(check).filter((each) => isToHeal(row, each))) {
    const key = keyOf(apexOf(row), record);
    const isOther = (value: string) => !record.found.some((text) => quoted(text) === value);
    lines[key] = [
      quoted(record.value),
      ...(key === '@ TXT'
        ? (lines[key] ?? []).filter((value) => /verification/.test(value) && isOther(value))
        : []),
    ];
    lines[key.replace(/ TXT$/, ' CNAME')] = [];
  }
  return lines;
};

beforeAll(async () => {
  knot = await startKnot([
    ...sharedZones,
    ...zoneRows.map((row) => ({ name: apexOf(row), text: zoneText(apexOf(row), linesOf(row)) })),
  ]);
  for (const row of zoneRows) firstChecks.set(row.zone, await checkRow(knot, row));
  healed = await startKnot([
    ...sharedZones,
    ...zoneRows.map((row) => {
      const check = firstChecks.get(row.zone);
      if (!check) throw new Error(`${row.zone} was not checked`);
      return { name: apexOf(row), text: zoneText(apexOf(row), healedLines(row, check)) };
    }),
  ]);
});
afterAll(async () => {
  await knot?.stop();
  await healed?.stop();
});

const verdicts = (apex: string, all: readonly CheckedRecord[]) =>
  Object.fromEntries(
    all.map((record) => [keyOf(apex, record), { status: record.status, hint: inEnglish(record.hint) }]),
  );

describe('a table of zones', () => {
  test('has at least 40 zones, each of its own name', () => {
    expect(zoneRows.length).toBeGreaterThanOrEqual(40);
    expect(new Set(zoneRows.map(({ zone }) => zone)).size).toBe(zoneRows.length);
  });

  test.each(zoneRows)('$zone: $says', (row) => {
    const check = firstChecks.get(row.zone);
    if (!check) throw new Error(`${row.zone} was not checked`);
    const apex = apexOf(row);
    const all = allOf(check);
    expect(all.filter(({ hint }) => !german.knows(hint)).map(({ hint }) => inEnglish(hint))).toEqual([]);
    const expected = Object.fromEntries(
      all.map((record) => {
        const [status, hint] = row.expect[keyOf(apex, record)] ?? ['ok', ''];
        const part = typeof hint === 'string' ? expect.stringContaining(hint) : expect.stringMatching(hint);
        return [keyOf(apex, record), { status, hint: hint === '' ? '' : part }];
      }),
    );
    expect(verdicts(apex, all)).toEqual(expected);
    for (const [key, value] of Object.entries(row.values ?? {}))
      expect(all.find((record) => keyOf(apex, record) === key)?.value).toBe(value);
    // A row that names what is not looked at would say nothing.
    expect(Object.keys(expected)).toEqual(expect.arrayContaining(Object.keys(row.expect)));
    expect(check.conflicts.map(({ name }) => name)).toEqual(row.conflicts ?? []);
    const required = all.filter((record) => record.required);
    expect(check.ok).toBe(required.every(({ status }) => status === 'ok') && check.conflicts.length === 0);
    const dkim = all.filter(({ purpose }) => purpose === 'dkim');
    expect(check.dkimVerified).toBe(dkim.every(({ status }) => status === 'ok'));
  });

  test.each(zoneRows)('$zone: what is advised puts it right', async (row) => {
    const before = firstChecks.get(row.zone);
    if (!before) throw new Error(`${row.zone} was not checked`);
    const after = allOf(await checkRow(healed, row));
    const touched = allOf(before).filter((record) => isToHeal(row, record));
    for (const { name, type } of touched) {
      const now = after.find((record) => record.name === name && record.type === type);
      expect({
        name,
        status: now?.status,
        hint: now && inEnglish(now.hint),
        found: now?.found,
      }).toMatchObject({
        name,
        status: 'ok',
      });
    }
  });
});

test('a managed host is verified from the start', async () => {
  const facts: HostFacts = {
    host: `berg.${MANAGED_SUFFIX}`,
    kind: 'managed',
    serviceHost: SERVICE,
    keys: ['t1', 't2', 't3'].map((selector) => ({ selector, record: recordOf(selector), imported: false })),
    bimi: { logoUrl: null, certificateUrl: null },
  };
  const check = await checkHost(createDnsLookup([knot.server]), facts);
  expect(check).toMatchObject({ ok: true, dkimVerified: true, conflicts: [] });
  expect(allOf(check).filter(({ status }) => status !== 'ok')).toEqual([]);
});

describe('what could not be found out is no finding', () => {
  const facts = (zone: string): HostFacts => factsOf({ says: '', zone, change: {}, expect: {} });
  const expectErrors = (check: HostCheck, hint: string) => {
    expect(allOf(check).map(({ status }) => status)).toEqual(allOf(check).map(() => 'error'));
    for (const record of allOf(check)) expect(inEnglish(record.hint)).toContain(hint);
    expect(check).toMatchObject({ ok: false, dkimVerified: false, conflicts: [] });
  };

  test('a zone that the server cannot load: SERVFAIL', async () => {
    expectErrors(await checkHost(createDnsLookup([knot.server]), facts('broken')), 'SERVFAIL');
  });

  test('a zone that the server does not have: REFUSED', async () => {
    expectErrors(await checkHost(createDnsLookup([knot.server]), facts('elsewhere')), 'REFUSED');
  });

  test('a server that does not answer', async () => {
    const silent = dgram.createSocket('udp4').bind(0, '127.0.0.1');
    await once(silent, 'listening');
    try {
      const lookup = createDnsLookup([`127.0.0.1:${silent.address().port}`], { tryMs: 100 });
      expectErrors(await checkHost(lookup, facts('good')), 'no name server answered in time');
    } finally {
      silent.close();
    }
  });

  test('a domain that does not exist is missing', async () => {
    const check = await checkHost(createDnsLookup([knot.server]), {
      ...facts('good'),
      host: 'gone.senders.example',
      kind: 'managed',
    });
    for (const { status, required } of allOf(check)) if (required) expect(status).toBe('missing');
  });
});
