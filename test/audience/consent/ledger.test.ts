// The chain of consent, and what someone who can write the file does to it. Each change is made by SQL, and found by the command.
import { createHash, createSecretKey } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { runCommandLine } from '#src/app/cli/commands.ts';
import {
  canonicalJson,
  digestOf,
  genesisOf,
  hashOf,
  reachOf,
  wayBetween,
} from '#src/audience/consent/entry.ts';
import { appendConsent, forgetPerson, headMac, type Ledger } from '#src/audience/consent/ledger.ts';
import { consentStore } from '#src/audience/consent/store.ts';
import { verifyLedger } from '#src/audience/consent/verify-ledger.ts';
import type { ListRow } from '#src/audience/lists/store.ts';
import { writeMemory } from '#src/kernel/db/memory.ts';
import { openReadOnly, type TenantDb } from '#src/kernel/db/sqlite.ts';
import { DAY } from '#src/kernel/time.ts';
import { audienceKeys, insertList } from '#test/support/audience.ts';
import { openTenantDb, type SampleTenant } from '#test/support/storage.ts';

const { ledger } = audienceKeys;
const ENTRIES = 20;

let tenant: SampleTenant;
let list: ListRow;
const person = (number: number): Buffer => createHash('sha256').update(`person ${number}`).digest();
/** In a transaction of its own. The third entry of each four is a mail. */
const append = (number: number, by: Ledger = ledger) => {
  const entry = appendConsent(
    tenant.db,
    by,
    {
      action: number % 4 === 3 ? 'mail' : 'request',
      way: 'form',
      list,
      person: person(number % 5),
      personal: { address: `ada${number}@example.org`, ip: '192.0.2.7', user_agent: null },
      withWording: true,
      form: '<form>…</form>',
      ...(number % 4 === 3 && {
        mail: Buffer.from(`To: ada${number}@example.org\r\n\r\nPlease confirm.\r\n`),
      }),
    },
    number,
  );
  writeMemory(tenant.db);
  return entry;
};

beforeEach(async () => {
  tenant = await openTenantDb();
  list = insertList(tenant.db);
  for (let number = 1; number <= ENTRIES; number += 1) append(number);
});

test('nobody learns from a commitment whose value is the same, nor tries values out on it', () => {
  const entries = tenant.db
    .prepare<[], { facts_json: string }>('SELECT facts_json FROM consent_entries')
    .all()
    .map(({ facts_json }) => JSON.parse(facts_json).commitments.ip as string);
  expect(new Set(entries).size).toBe(ENTRIES);
  const plain = createHash('sha256').update('192.0.2.7').digest('hex');
  for (const commitment of entries) expect(commitment).toMatch(/^[0-9a-f]{64}$/);
  expect(entries).not.toContain(plain);
});

test('each value of an entry has a salt of its own: one that is opened says nothing of the others', () => {
  const salts = tenant.db
    .prepare<[], string>('SELECT openings_json FROM consent_entries')
    .pluck()
    .all()
    .map((json) => Object.values<{ salt: string }>(JSON.parse(json)).map(({ salt }) => salt));
  expect(salts.map(({ length }) => length)).toEqual(Array(ENTRIES).fill(2));
  expect(new Set(salts.flat()).size).toBe(2 * ENTRIES);
  for (const salt of salts.flat()) expect(Buffer.from(salt, 'base64').length).toBeGreaterThanOrEqual(16);
});

/** What the command prints of the file, and its exit code. */
const verify = async (...more: string[]) => {
  let printed = '';
  const exitCode = await runCommandLine(['consent', 'verify', tenant.db.name, ...more], {
    environment: {},
    signals: { onEnd: () => {}, onReload: () => {} },
    print: (text) => {
      printed += text;
    },
    printAll: async () => {},
    isTerminal: false,
    printError: (text) => {
      printed += text;
    },
  });
  return { exitCode, printed };
};
const idOf = (seq: number): string => consentStore(tenant.db).bySeq(seq)?.id ?? '';
/** As someone does who can write the file: the triggers are no protection from them. */
const force = (...statements: readonly string[]): void => {
  for (const name of ['unchanged', 'kept', 'not_replaced'])
    tenant.db.exec(`DROP TRIGGER consent_entries_${name}`);
  for (const statement of statements) tenant.db.exec(statement);
};

describe('the chain', () => {
  test('is right as it was written, and says that the head was not checked without the key', async () => {
    const { exitCode, printed } = await verify();
    expect(printed).toMatch(/^consent ledger of Praxis /);
    expect(printed).toContain(`entries: ${ENTRIES}, the last one with the hash `);
    expect(printed).toMatch(/HMAC was not checked.*\nall right\n$/);
    expect(exitCode).toBe(0);
    expect(verifyLedger(tenant.db, ledger.key(tenant.tenantId))).toMatchObject({
      entries: ENTRIES,
      fault: null,
    });
  });

  test.each([
    ['UPDATE consent_entries SET facts_json = facts_json'],
    ['DELETE FROM consent_entries WHERE seq = 20'],
    [
      "INSERT OR REPLACE INTO consent_entries (seq, id, address_hash, facts_json, openings_json, hash) SELECT seq, 'x', NULL, '{}', '{}', hash FROM consent_entries WHERE seq = 1",
    ],
  ])('is append-only for who goes by the rules: %s', (statement) => {
    expect(() => tenant.db.exec(statement)).toThrow('the consent ledger is append-only');
  });

  test('has canonical JSON, and hashes that anyone can compute', () => {
    expect(canonicalJson({ b: [1, null, true], a: { 'ü"': 'é\n', z: undefined } })).toBe(
      '{"a":{"ü\\"":"é\\n"},"b":[1,null,true]}',
    );
    const { id, hash, facts_json, address_hash } = consentStore(tenant.db).bySeq(1) ?? expect.fail();
    const sha = (...parts: readonly (string | Buffer)[]) =>
      parts.reduce((made, part) => made.update(part), createHash('sha256')).digest();
    const genesis = sha(`sendwerk consent ledger 1 ${tenant.tenantId}`);
    const digest = sha(`[1,"${id}","${address_hash?.toString('hex')}",${facts_json}]`);
    expect(hash).toEqual(sha(Buffer.from('0000000000000001', 'hex'), genesis, genesis, digest));
    expect(facts_json).not.toMatch(/ada1|192\.0\.2/);
  });

  test.each([
    [1, 2],
    [3, 20],
    [8, 8],
    [1, 1_048_576],
    [524_289, 1_048_575],
  ])('has a short way from entry %i to %i', (from, to) => {
    const way = wayBetween(from, to);
    expect([from, ...way].at(-1)).toBe(to);
    const steps = way.map((seq, index) => ({ seq, before: way[index - 1] ?? from }));
    expect(steps.filter(({ seq, before }) => before !== seq - 1 && before !== reachOf(seq))).toEqual([]);
    expect(way.length).toBeLessThanOrEqual(210);
  });
});

describe('what was changed by SQL is named', () => {
  const swap = (left: number, right: number): string[] => [
    `UPDATE consent_entries SET seq = -1 WHERE seq = ${left}`,
    `UPDATE consent_entries SET seq = ${left} WHERE seq = ${right}`,
    `UPDATE consent_entries SET seq = ${right} WHERE seq = -1`,
  ];
  /** A copy of the entry is put in its place, and the others move up. */
  const insertAt = (seq: number): string[] => [
    `CREATE TEMP TABLE moved AS SELECT * FROM consent_entries WHERE seq >= ${seq}`,
    `DELETE FROM consent_entries WHERE seq > ${seq}`,
    'INSERT INTO consent_entries (seq, id, address_hash, facts_json, openings_json, hash) SELECT seq + 1, id, address_hash, facts_json, openings_json, hash FROM moved WHERE seq > ' +
      `${seq}`,
    `INSERT INTO consent_entries (seq, id, address_hash, facts_json, openings_json, hash) SELECT seq + 1, 'forged', address_hash, facts_json, openings_json, hash FROM moved WHERE seq = ${seq} AND NOT EXISTS (SELECT 1 FROM consent_entries WHERE seq = ${seq} + 1)`,
  ];
  const changes: readonly (readonly [what: string, statements: readonly string[], said: RegExp])[] = [
    ...[1, 11, ENTRIES].flatMap((seq) => [
      [
        `the facts of entry ${seq}`,
        [
          `UPDATE consent_entries SET facts_json = replace(facts_json, '"consent"', '"contract"') WHERE seq = ${seq}`,
        ],
        new RegExp(`^WRONG: entry ${seq} \\([0-9a-f-]{36}\\): it is not what was written`, 'm'),
      ] as const,
      [
        `the person of entry ${seq}`,
        [`UPDATE consent_entries SET address_hash = x'00' WHERE seq = ${seq}`],
        new RegExp(`^WRONG: entry ${seq} \\(.*it is not what was written`, 'm'),
      ] as const,
      [
        `the hash of entry ${seq}`,
        [`UPDATE consent_entries SET hash = zeroblob(32) WHERE seq = ${seq}`],
        new RegExp(`^WRONG: entry ${seq} \\(.*it is not what was written`, 'm'),
      ] as const,
      [
        `the address of entry ${seq}`,
        [
          `UPDATE consent_entries SET openings_json = replace(openings_json, 'ada', 'bob') WHERE seq = ${seq}`,
        ],
        new RegExp(`^WRONG: entry ${seq} \\(.*its address is not the one that was written`, 'm'),
      ] as const,
      [
        `entry ${seq}, which is gone`,
        [`DELETE FROM consent_entries WHERE seq = ${seq}`],
        new RegExp(`^WRONG: entry ${seq}: it is missing$`, 'm'),
      ] as const,
    ]),
    [
      'some of the end',
      ['DELETE FROM consent_entries WHERE seq > 17'],
      /entry 18: it is missing, and so are all up to entry 20$/m,
    ],
    [
      'the end, with a head that fits',
      [
        'DELETE FROM consent_entries WHERE seq = 20',
        'UPDATE consent_head SET seq = 19, hash = (SELECT hash FROM consent_entries WHERE seq = 19)',
      ],
      /^WRONG: entry 20: it is missing$/m,
    ],
    ['an entry put in the middle', insertAt(11), /^WRONG: entry 12 /m],
    [
      'an entry put before the first',
      [`UPDATE consent_entries SET seq = 0 WHERE seq = 1`],
      /^WRONG: entry 0 .*cannot have this number$/m,
    ],
    ['two entries in another order', swap(10, 11), /^WRONG: entry 10 /m],
    ['the first two in another order', swap(1, 2), /^WRONG: entry 1 /m],
    ['the last two in another order', swap(19, 20), /^WRONG: entry 19 /m],
    [
      'the wording',
      ["UPDATE consent_documents SET content = x'030000' WHERE kind = 'wording'"],
      /^WRONG: entry 1 .*its wording is not the one/m,
    ],
    [
      'the form, which is gone',
      ["DELETE FROM consent_documents WHERE kind = 'form'"],
      /^WRONG: entry 1 .*its form is missing$/m,
    ],
    [
      'the mails, which are gone',
      ["DELETE FROM consent_documents WHERE kind = 'mail'"],
      /^WRONG: entry 3 .*its mail is missing$/m,
    ],
  ];
  test.each(changes)('%s', async (_, statements, said) => {
    force(...statements);
    const { exitCode, printed } = await verify();
    expect(printed).toMatch(said);
    expect(exitCode).toBe(1);
  });
});

test('a value cannot be made shorter by calling its beginning a part of the salt', async () => {
  const { openings_json } = consentStore(tenant.db).bySeq(3) ?? expect.fail();
  const { address, ...others } = JSON.parse(openings_json);
  const salt = Buffer.concat([Buffer.from(address.salt, 'base64'), Buffer.from(address.value.slice(0, 1))]);
  const shorter = { salt: salt.toString('base64'), value: address.value.slice(1) };
  tenant.db
    .prepare('UPDATE consent_entries SET openings_json = ? WHERE seq = 3')
    .run(JSON.stringify({ ...others, address: shorter }));
  expect((await verify()).printed).toMatch(/^WRONG: entry 3 .*its address is not the one that was written$/m);
});

describe('what was written with all its hashes right, but without the key', () => {
  /** Entries from that number on are chained again, and the head follows them; its HMAC cannot. */
  const chainAgain = (from: number): void => {
    tenant.db.exec('DROP TRIGGER IF EXISTS consent_entries_unchanged');
    const store = consentStore(tenant.db);
    const hashAt = (seq: number) => store.bySeq(seq)?.hash ?? genesisOf(tenant.tenantId);
    let seq = from;
    for (let row = store.bySeq(seq); row; row = store.bySeq(seq)) {
      const digest = digestOf({ ...row, person: row.address_hash });
      const hash = hashOf({ seq, former: hashAt(seq - 1), reached: hashAt(reachOf(seq)), digest });
      tenant.db.prepare('UPDATE consent_entries SET hash = ? WHERE seq = ?').run(hash, seq);
      seq += 1;
    }
    tenant.db.prepare('UPDATE consent_head SET seq = ?, hash = ?').run(seq - 1, hashAt(seq - 1));
  };
  const appendForged = (): void => {
    tenant.db.exec(
      "INSERT INTO consent_entries (seq, id, address_hash, facts_json, openings_json, hash) SELECT 21, 'forged', address_hash, facts_json, openings_json, hash FROM consent_entries WHERE seq = 20",
    );
    chainAgain(21);
  };

  test.each([
    ['an entry behind the last', () => appendForged(), 21],
    [
      'an entry in the middle, and all behind it',
      () => {
        force(
          `UPDATE consent_entries SET facts_json = replace(facts_json, '"consent"', '"contract"') WHERE seq = 11`,
        );
        chainAgain(11);
      },
      20,
    ],
    [
      'the end cut off, without a trace',
      () => {
        force(
          'DELETE FROM consent_entries WHERE seq = 20',
          "UPDATE sqlite_sequence SET seq = 19 WHERE name = 'consent_entries'",
        );
        chainAgain(19);
      },
      19,
    ],
  ])('%s is found by the HMAC of the head, also after the service has written more', (_, forge, last) => {
    forge();
    const what = expect.stringMatching(/^the HMAC of the head is wrong/);
    expect(verifyLedger(tenant.db, null).fault).toBeNull();
    expect(verifyLedger(tenant.db, ledger.key(tenant.tenantId)).fault).toEqual({
      seq: last,
      id: idOf(last),
      what,
    });
    append(30);
    expect(verifyLedger(tenant.db, ledger.key(tenant.tenantId)).fault).toMatchObject({ seq: last + 1, what });
  });

  test('the head of another practice does not fit, nor that of another key', () => {
    const { seq, hash } = consentStore(tenant.db).head() ?? expect.fail();
    consentStore(tenant.db).putHead({
      seq,
      hash,
      mac: headMac(ledger.key(tenant.tenantId), 'another', seq, hash),
    });
    expect(verifyLedger(tenant.db, ledger.key(tenant.tenantId)).fault).toMatchObject({ seq });
    consentStore(tenant.db).putHead({
      seq,
      hash,
      mac: headMac(ledger.key(tenant.tenantId), tenant.tenantId, seq, hash),
    });
    expect(verifyLedger(tenant.db, ledger.key(tenant.tenantId)).fault).toBeNull();
    expect(verifyLedger(tenant.db, createSecretKey(Buffer.alloc(32, 9))).fault).toMatchObject({ seq });
  });

  test('a head whose HMAC has another length is a wrong one, and keeps nothing from being written', () => {
    tenant.db.exec("UPDATE consent_head SET mac = x'00'");
    append(30);
    expect(verifyLedger(tenant.db, ledger.key(tenant.tenantId)).fault).toMatchObject({ seq: 21 });
  });

  test('an entry without its head is not the service’s', async () => {
    tenant.db.exec(
      "INSERT INTO consent_entries (seq, id, address_hash, facts_json, openings_json, hash) SELECT 21, 'forged', address_hash, facts_json, openings_json, hash FROM consent_entries WHERE seq = 20",
    );
    expect((await verify()).printed).toMatch(/^WRONG: entry 21 \(forged\)/m);
  });
});

test('what is written while the ledger is checked is no fault', () => {
  const reader = openReadOnly<TenantDb>(tenant.db.name);
  const store = consentStore(reader);
  const { after } = store;
  vi.spyOn(store, 'after').mockImplementation((seq, limit) => {
    const rows = after(seq, limit);
    if (rows.length === 0) append(30);
    return rows;
  });
  expect(verifyLedger(reader, ledger.key(tenant.tenantId))).toMatchObject({ entries: ENTRIES, fault: null });
  reader.close();
  expect(verifyLedger(tenant.db, ledger.key(tenant.tenantId))).toMatchObject({
    entries: ENTRIES + 1,
    fault: null,
  });
});

test('an erased person leaves entries, of which nothing is in the file any more but their hashes', async () => {
  expect(forgetPerson(tenant.db, person(3))).toEqual({ entries: 4, documents: 1 });
  expect(forgetPerson(tenant.db, person(3))).toEqual({ entries: 0, documents: 0 });
  expect((await verify()).printed).toMatch(/^all right$/m);
  tenant.db.pragma('wal_checkpoint(TRUNCATE)');
  const bytes = (await readFile(tenant.db.name)).toString('latin1');
  const found = Array.from({ length: ENTRIES }, (_, index) => index + 1).filter((number) =>
    bytes.includes(`ada${number}@`),
  );
  expect(found).toEqual([1, 2, 4, 5, 6, 7, 9, 10, 11, 12, 14, 15, 16, 17, 19, 20]);
});

test('what is said of the client is not written where it is kept for no time', () => {
  const kept = () => ({ consent_ip: 0, consent_user_agent: DAY });
  const { seq } = append(40, { ...ledger, kept });
  const { facts_json = '', openings_json = '' } = consentStore(tenant.db).bySeq(seq) ?? {};
  expect(JSON.parse(openings_json)).toEqual({ address: expect.anything() });
  expect(facts_json).not.toContain('"ip"');
});

test.each([
  [['consent', 'verify'], /name either a FILE or a --practice/],
  [['consent', 'verify', '/nowhere/evidence.json'], /\/nowhere\/evidence.json cannot be read/],
  [['consent', 'verify', '--practice', 'praxis'], /--practice needs --data or --config/],
  [['consent', 'verify', '--help'], /^Usage: sendwerk consent verify \[FILE\] \[--practice ID\|SLUG\]/],
])('%s is answered in one line', async (args, said) => {
  let printed = '';
  const print = (text: string): void => {
    printed += text;
  };
  const signals = { onEnd: () => {}, onReload: () => {} };
  await runCommandLine(args, {
    environment: {},
    signals,
    print,
    printAll: async () => {},
    printError: print,
    isTerminal: false,
  });
  expect(printed).toMatch(said);
});
