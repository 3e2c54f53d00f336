// The proof of a consent, from the form to a check without the service: the bytes of the confirmation mail as the relay got them, the
// signed evidence as JSON and as a page, the command, and what is left when the client's address is kept no longer.
import { createHash, createPublicKey, verify as verifySignature } from 'node:crypto';
import { cp, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { runCommandLine } from '#src/app/cli/commands.ts';
import { type ConsentFacts, canonicalJson } from '#src/audience/consent/entry.ts';
import type { Evidence } from '#src/audience/consent/evidence-schema.ts';
import { DAY } from '#src/kernel/time.ts';
import { type List, type Sender, startApp, type TestApp } from '#test/support/app.ts';
import { join, unlimitedSignIn } from '#test/support/people.ts';
import { until } from '#test/support/process.ts';
import { createSmtpReceiver, type SmtpReceiver } from '#test/support/smtp-receiver.ts';
import { visitorAt } from '#test/support/visitor.ts';

const ADDRESS = 'erika@example.org';
const WORDING = 'Ich möchte <b>Neues</b> lesen. <script>alert(1)</script>';
const NIGHTLY = 'remove what is old';

let app: TestApp;
let receiver: SmtpReceiver;
let sender: Sender;
let ahead = 0;

const get = <Body = string>(target: string, token = sender.token, headers = {}) =>
  app.request<Body>('GET', `${sender.base}${target}`, undefined, token, headers);
const evidenceOf = async (address = ADDRESS): Promise<Evidence> => {
  const answer = await get<Evidence>(`/consent/evidence?address=${address}`);
  expect(answer.status, answer.text).toBe(200);
  return answer.body;
};
const factsOf = ({ facts }: Evidence['entries'][number]): ConsentFacts => facts as unknown as ConsentFacts;

const command = async (...args: string[]) => {
  let printed = '';
  const print = (text: string): void => {
    printed += text;
  };
  const exitCode = await runCommandLine(['consent', 'verify', ...args], {
    environment: {},
    signals: { onEnd: () => {}, onReload: () => {} },
    print,
    printAll: async () => {},
    printError: print,
    isTerminal: false,
  });
  return { exitCode, printed };
};
const fileWith = async (name: string, content: unknown): Promise<string> => {
  const file = path.join(app.home, name);
  await writeFile(file, JSON.stringify(content));
  return file;
};
const configFile = (): string => path.join(app.home, 'service.yaml');

const subscribe = async (formUrl: string, address: string, name: string): Promise<void> => {
  const visitor = visitorAt(app.origin, { 'User-Agent': '<i>Firefox</i>', 'Accept-Language': 'de' });
  await visitor.submit(await visitor.open(formUrl), 'Anmelden', { email: address, name });
};

beforeAll(async () => {
  receiver = await createSmtpReceiver();
  app = await startApp({ receiver, clock: { now: () => Date.now() + ahead }, config: unlimitedSignIn });
  sender = await app.createSender({ name: 'Praxis & Partner' });
  await app.completeLegal(sender.practice.id);
  const list = { name: 'Praxisbrief', wording: WORDING };
  const { body } = await app.request<{ form_url: string }>(
    'POST',
    `${sender.base}/lists`,
    list,
    sender.token,
  );
  await subscribe(body.form_url, ADDRESS, '<img src=x onerror=alert(2)>');
  await receiver.waitFor(1);
  const link = /\/api\/public\/confirm\?token=[\w.=-]+/
    .exec(receiver.messages[0]?.content.toString('latin1').replace(/=\r\n/g, '').replaceAll('=3D', '=') ?? '')
    ?.at(0);
  await visitorAt(app.origin).open(`${app.origin}${link}`);
  for (const name of ['anna', 'ben', 'cara']) await subscribe(body.form_url, `${name}@example.org`, name);
  await until('all confirmation mails are in the ledger', async () => {
    const { body: found } = await get<List<{ action: string }>>('/consent');
    return found.data.filter(({ action }) => action === 'mail').length === 4;
  });
});
afterAll(async () => {
  await app?.remove();
  await receiver?.stop();
});

describe('the evidence of one person', () => {
  test('has each step, what was shown, and the mail byte for byte as the relay got it', async () => {
    const { entries, documents, practice, address } = await evidenceOf();
    expect({ practice: practice.name, address }).toEqual({ practice: 'Praxis & Partner', address: ADDRESS });
    const [request, ...others] = entries.map(factsOf);
    expect(request).toMatchObject({ action: 'request', way: 'form', list_name: 'Praxisbrief' });
    expect(others.map(({ action }) => action).toSorted()).toEqual(['confirm', 'mail']);
    const mail = others.find(({ action }) => action === 'mail');
    expect(mail).toMatchObject({ answers: entries[0]?.id, details: { upstream: 'relay' } });
    const contentOf = (hash: string | null | undefined) =>
      Buffer.from(documents[hash ?? '']?.content ?? '', 'base64').toString('latin1');
    expect(contentOf(mail?.mail)).toBe(receiver.messages[0]?.content.toString('latin1'));
    expect(contentOf(mail?.mail)).toMatch(/^DKIM-Signature:/);
    expect(Buffer.from(contentOf(request?.wording), 'latin1').toString()).toBe(WORDING);
    expect(contentOf(request?.form)).toContain('<form');
  });

  test('is right without a mail whose link can still confirm, and says that it comes', async () => {
    const unanswered = await evidenceOf('anna@example.org');
    expect(
      Object.values(unanswered.documents)
        .map(({ kind }) => kind)
        .toSorted(),
    ).toEqual(['form', 'wording']);
    const file = await fileWith('unanswered.json', unanswered);
    expect((await command(file, '--config', configFile())).exitCode).toBe(0);
    const page = await get('/consent/evidence?address=anna@example.org&format=html', sender.token, {
      'Accept-Language': 'de',
    });
    expect(page.text).toContain('noch nicht: Der Link in der Mail gilt noch.');
  });

  test('says nothing of others', async () => {
    const text = JSON.stringify(await evidenceOf());
    for (const name of ['anna', 'ben', 'cara']) expect(text).not.toContain(`${name}@`);
  });

  test('is signed by the key that the service publishes, over canonical JSON', async () => {
    const { signature, ...signed } = await evidenceOf();
    const { body } = await app.request<{ keys: [{ kty: string; x: string }] }>(
      'GET',
      '/.well-known/consent-keys.json',
    );
    const { value, public_key } = signature;
    const publicKey = createPublicKey({ key: body.keys[0], format: 'jwk' });
    expect(publicKey.export({ format: 'pem', type: 'spki' })).toBe(public_key);
    const der = publicKey.export({ format: 'der', type: 'spki' });
    expect(createHash('sha256').update(der).digest('hex')).toBe(signature.fingerprint);
    const signedText = Buffer.from(canonicalJson(signed));
    expect(verifySignature(null, signedText, publicKey, Buffer.from(value, 'base64'))).toBe(true);
  });

  test.each([
    [
      '',
      'Evidence of consent',
      'The subscription was confirmed',
      'en',
      'This sheet by itself proves nothing.',
    ],
    [
      '',
      'Nachweis der Einwilligung',
      'Die Anmeldung wurde bestätigt',
      'de',
      'Dieses Blatt allein beweist nichts.',
    ],
  ])(
    '%sis a page to print in the language of the reader, with all as text (%s)',
    async (_, title, said, language, proves) => {
      const answer = await get(`/consent/evidence?address=${ADDRESS}&format=html`, sender.token, {
        'Accept-Language': language,
      });
      expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'");
      for (const shown of [
        title,
        said,
        '&lt;script&gt;alert(1)',
        '&lt;img src=x',
        '&lt;i&gt;Firefox',
        '&lt;form',
      ])
        expect(answer.text).toContain(shown);
      expect(answer.text).not.toMatch(/<script|<img|<form|<i>|<b>/i);
      // What it proves, and by what.
      expect(answer.text).toContain(proves);
      expect(answer.text).toMatch(/http:\/\/127\.0\.0\.1:\d+\/\.well-known\/consent-keys\.json/);
      expect(answer.text).toContain((await evidenceOf()).signature.fingerprint);
    },
  );

  test('is a file in JSON, and not there for who is in no ledger', async () => {
    const answer = await get(`/consent/evidence?address=${ADDRESS}`);
    expect(answer.headers.get('content-disposition')).toBe('attachment; filename="consent-evidence.json"');
    expect((await get('/consent/evidence?address=nina@example.org')).status).toBe(404);
    expect((await get('/consent/evidence?address=nina')).status).toBe(400);
  });

  test('is the whole practice’s: who is limited to projects gets none', async () => {
    const captured = await startApp({ config: unlimitedSignIn });
    onTestFinished(() => captured.remove());
    const { practice, token, base } = await captured.createSender({ plan: 'gruppe' });
    const { body } = await captured.request<{ id: string }>(
      'POST',
      `${base}/projects`,
      { name: 'West' },
      token,
    );
    const limits = { role_id: 'admin', all_projects: false, project_ids: [body.id] };
    const limited = await join(captured, practice.id, 'limited@praxis.example', limits);
    const ofProject = await captured.createToken(practice.id, { scope: 'project', project_id: body.id });
    for (const target of ['/consent', `/consent/evidence?address=${ADDRESS}`]) {
      expect((await captured.request('GET', base + target, undefined, token)).status).not.toBe(403);
      for (const restricted of [limited.token, ofProject]) {
        const refused = await captured.request('GET', base + target, undefined, restricted);
        expect(refused.body).toMatchObject({ code: 'forbidden', permission: 'lists.manage' });
      }
    }
  });
});

describe('entries over the API', () => {
  test('come newest first, of all or of one person, page by page', async () => {
    interface Entry {
      readonly id: string;
      readonly action: string;
      readonly address: string | null;
      readonly wording: string | null;
      readonly ip: string | null;
    }
    const { body: all } = await get<List<Entry>>('/consent');
    expect(all.data.at(-1)).toMatchObject({ action: 'wording', address: null, wording: WORDING });
    const ofPerson = all.data.filter(({ address }) => address === ADDRESS);
    expect(ofPerson).toHaveLength(3);
    expect(ofPerson.at(-1)).toMatchObject({ action: 'request', ip: '127.0.0.1', wording: WORDING });
    const paged: Entry[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page: List<Entry> = (
        await get<List<Entry>>(`/consent?address=ERIKA@example.org&limit=1${cursor && `&cursor=${cursor}`}`)
      ).body;
      paged.push(...page.data);
      cursor = page.next_cursor;
    }
    expect(paged).toEqual(ofPerson);
  });
});

describe('sendwerk consent verify', () => {
  type Change = (evidence: Evidence & { entries: Record<string, unknown>[] }) => void;
  const changes: readonly (readonly [what: string, change: Change, said: RegExp])[] = [
    [
      'the time of an entry',
      ({ entries }) => Object.assign(entries[1]?.facts ?? {}, { at: '2020-01-01T00:00:00.000Z' }),
      /WRONG: entry \d+ \(.*it is not what was written/,
    ],
    [
      'its number',
      ({ entries }) => Object.assign(entries[1] ?? {}, { seq: 99 }),
      /WRONG: entry 2 .*the way from it to entry 99 is broken/,
    ],
    [
      'the person',
      ({ entries }) => Object.assign(entries[0] ?? {}, { person: '0'.repeat(64) }),
      /WRONG: entry \d+ .*it is not/,
    ],
    [
      'the address',
      ({ entries }) => Object.assign(entries[0]?.openings.address ?? {}, { value: 'eve@example.org' }),
      /WRONG: entry \d+ .*its address is not/,
    ],
    [
      'a document',
      ({ documents }) => Object.assign(Object.values(documents)[0] ?? {}, { content: 'AAAA' }),
      /WRONG: entry \d+ .*its \w+ is not the one/,
    ],
    [
      'a document, gone',
      (evidence) => Object.assign(evidence, { documents: {} }),
      /WRONG: entry \d+ .*its \w+ is missing/,
    ],
    [
      'a link',
      ({ links }) => Object.assign(links.at(-1)?.[0] ?? {}, { digest: '0'.repeat(64) }),
      /WRONG: entry \d+ .*the way from it to the head is broken/,
    ],
    [
      'an entry left out',
      ({ entries, links }) => [entries.splice(1, 1), links.splice(1, 1)],
      /WRONG: entry \d+ .*the way from it to entry \d+ is broken/,
    ],
    [
      'the head',
      ({ head }) => Object.assign(head, { hash: '0'.repeat(64) }),
      /WRONG: entry \d+ .*the way from it to the head is broken/,
    ],
    [
      'the name of the practice',
      ({ practice }) => Object.assign(practice, { name: 'Other' }),
      /WRONG: the signature is wrong/,
    ],
    [
      'the fingerprint',
      ({ signature }) => Object.assign(signature, { fingerprint: '0'.repeat(64) }),
      /WRONG: the public key is not the one of its fingerprint/,
    ],
    [
      'its form',
      (evidence) => Object.assign(evidence, { entries: [] }),
      /WRONG: it is no evidence of consent: entries/,
    ],
  ];
  test.each(changes)('names what was changed in evidence: %s', async (_, change, said) => {
    const evidence = await evidenceOf();
    change(evidence as never);
    const { exitCode, printed } = await command(await fileWith('changed.json', evidence));
    expect(printed).toMatch(said);
    expect(exitCode).toBe(1);
  });

  test('checks the ledger of a practice while its daemon runs, and a copy; with the configuration the head too', async () => {
    const data = path.join(app.home, 'data');
    const byId = await command('--data', data, '--practice', sender.practice.id);
    expect(byId).toMatchObject({ exitCode: 0, printed: expect.stringContaining('HMAC was not checked') });
    const bySlug = await command('--config', configFile(), '--practice', sender.practice.slug);
    expect(bySlug.printed).toContain('head: sealed by this installation\nall right\n');
    expect((await command('--data', data, '--practice', 'nobody')).printed).toMatch(/has no practice nobody/);
    const copy = path.join(app.home, 'copy.db');
    const file = path.join(data, 'tenants', sender.practice.id, 'tenant.db');
    await cp(file, copy);
    await cp(`${file}-wal`, `${copy}-wal`);
    expect((await command(copy, '--config', configFile())).printed).toContain('all right\n');
  });
});

test('the address of the client goes when the practice keeps it no longer, and the chain stays whole', async () => {
  // Unless it chooses, it is kept with the consent.
  ahead = 400 * DAY;
  await app.runJob(NIGHTLY);
  ahead = 0;
  const retention = { consent_ip: 30, consent_user_agent: 60 };
  const changed = await app.request('PATCH', `${sender.base}/retention`, retention, app.adminToken);
  expect(changed.body).toMatchObject({ consent_ip: { days: 30, installation_days: 1_096 } });
  const openings = async (): Promise<string[]> =>
    Object.keys((await evidenceOf()).entries[0]?.openings ?? {});
  await app.runJob(NIGHTLY);
  expect(await openings()).toEqual(expect.arrayContaining(['ip', 'user_agent', 'address', 'name']));
  ahead = 31 * DAY;
  await app.runJob(NIGHTLY);
  expect(await openings()).not.toContain('ip');
  expect(await openings()).toContain('user_agent');
  ahead = 61 * DAY;
  await app.runJob(NIGHTLY);
  expect((await openings()).toSorted()).toEqual(['address', 'form_address', 'name']);
  const later = await fileWith('later.json', await evidenceOf());
  expect((await command(later, '--config', configFile())).exitCode).toBe(0);
  const file = ['--config', configFile(), '--practice', sender.practice.id];
  expect((await command(...file)).printed).toContain('all right\n');
});

test('an entry that is removed by SQL while the daemon runs is named', async () => {
  app.sql(sender.practice.id, 'DROP TRIGGER consent_entries_kept');
  app.sql(sender.practice.id, 'DELETE FROM consent_entries WHERE seq = 2');
  const { exitCode, printed } = await command('--config', configFile(), '--practice', sender.practice.id);
  expect(printed).toContain('WRONG: entry 2: it is missing\n');
  expect(exitCode).toBe(1);
});
