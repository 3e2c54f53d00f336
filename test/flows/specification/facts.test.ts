// The specification's tables of values, each row against the running daemon: what it announces, describes, makes and refuses.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { contentOf } from '#test/fixtures/file-contents.ts';
import { type List, letter, type Sender, startApp, type TestApp } from '#test/support/app.ts';
import { UUID } from '#test/support/asking.ts';
import { checkCells } from '#test/support/cells.ts';
import { listed, specified } from '#test/support/markdown-tables.ts';
import { dereference } from '#test/support/openapi.ts';

interface Schema {
  readonly enum?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
}
interface Described {
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
  readonly paths: Readonly<
    Record<string, Record<string, { responses: Record<string, { description: string }> }>>
  >;
}
interface Score {
  readonly would_refuse: string | null;
  readonly decisions: readonly { readonly gate: string; readonly facts: Readonly<Record<string, unknown>> }[];
}

const facts = specified('facts.md');
const rowsOf = (section: string) =>
  facts.filter((row) => row.section === section).map(({ cells }) => cells as Record<string, string>);

let app: TestApp;
let sender: Sender;
let described: Described;
beforeAll(async () => {
  app = await startApp({
    config: {
      service: { public_origin: 'https://mail.example.com' },
      safe_mode: { allowlist: ['@kollegen.example'], placement_testers: ['seed@example.net'] },
    },
  });
  sender = await app.createSender({ plan: 'praxis' });
  await app.completeLegal(sender.practice.id);
  described = dereference(parse((await app.request('GET', '/openapi.yaml')).text));
});
afterAll(() => app?.remove());

const call = <Body>(method: string, path: string, body?: unknown) =>
  app.request<Body>(method, sender.base + path, body, sender.token);
const allOf = async <T>(path: string, token = sender.token): Promise<readonly T[]> =>
  (await app.request<List<T>>('GET', path, undefined, token)).body.data;
const score = async (fields: object): Promise<Score> =>
  (await call<Score>('POST', '/send/score', { ...letter, ...fields })).body;
const ANY: unknown = expect.any(String);
const yesNo = (value: boolean): string => (value ? 'yes' : 'no');

test('plans', async () => {
  const plans = await allOf<{ plan: string; monthly_cap: number; custom_roles: boolean }>(
    '/api/admin/plans',
    app.adminToken,
  );
  const { body } = await app.request<{
    plans: readonly { plan: string; euro_per_month: number | null; by: string }[];
  }>('GET', `${sender.base}/billing`, undefined, app.adminToken);
  expect(
    plans.map(({ plan, monthly_cap, custom_roles }) => {
      const offer = body.plans.find((one) => one.plan === plan);
      return {
        Plan: plan,
        'Monthly cap': String(monthly_cap),
        'Custom roles': yesNo(custom_roles),
        'Euro a month': String(offer?.euro_per_month ?? ''),
        'Waiting list': yesNo(offer?.by === 'waiting_list'),
      };
    }),
  ).toEqual(rowsOf('Plans'));
});

test('built-in routes', async () => {
  const routes = await allOf<Record<string, string | boolean>>(`${sender.base}/routes`);
  expect(
    routes.map(({ slug, type, track_opens, track_clicks }) => ({
      Route: slug,
      Type: type,
      'Opens tracked': yesNo(track_opens === true),
      'Clicks tracked': yesNo(track_clicks === true),
    })),
  ).toEqual(rowsOf('Built-in routes'));
});

test('message kinds: route, channel, tracking, legal basis, and where they are refused', async () => {
  const { body } = await call<{ kinds: readonly Record<string, string>[] }>('GET', '/practice-semantics');
  await checkCells(
    rowsOf('Message kinds'),
    ({ Kind = '' }) => Kind,
    async ({
      Kind: message_kind,
      Route: route,
      Channel,
      Tracked,
      'Legal basis': basis,
      'Refused on': wrong,
    }) => {
      const shown = body.kinds.find((kind) => kind.message_kind === message_kind);
      expect(shown).toMatchObject({ typical_route: route, legal_basis: basis });
      const { would_refuse, decisions } = await score({ message_kind, route });
      const factsOf = (gate: string) => decisions.find((one) => one.gate === gate)?.facts;
      const tracked = Tracked === 'yes';
      expect(would_refuse).toBeNull();
      expect(factsOf('kind_and_route')).toMatchObject({ channel: Channel });
      expect(factsOf('tracking')).toEqual({ track_opens: tracked, track_clicks: tracked });
      expect((await score({ message_kind, route: wrong })).would_refuse).toBe('kind_not_allowed_on_route');
    },
  );
});

test('names in the description', () =>
  checkCells(
    rowsOf('Names'),
    ({ Schema: name, Field }) => `${name} ${Field}`,
    async ({ Schema: name = '', Field = '', Values, Complete }) => {
      const whole = described.components.schemas[name];
      const schema = Field === '' ? whole : whole?.properties?.[Field];
      const names = schema?.enum ?? Object.keys(schema?.properties ?? {});
      const wanted = listed(Values);
      if (Complete === 'all') expect(names.toSorted()).toEqual(wanted.toSorted());
      else expect(names).toEqual(expect.arrayContaining(wanted));
    },
  ));

test('default events of chat alerts', async () => {
  const alert = { name: 'Empfang', kind: 'slack', url: 'https://example.org/hook' };
  const { status, body } = await call<{ events: readonly string[] }>('POST', '/alerts', alert);
  expect(status).toBe(201);
  const wanted = rowsOf('Default events of chat alerts').map(({ Event = '' }) => Event);
  expect(body.events.toSorted()).toEqual(wanted.toSorted());
});

test('secrets are in the answer that makes them, and in no other', async () => {
  const [project] = await allOf<{ id: string }>(`${sender.base}/projects`);
  const bodies: Readonly<Record<string, object>> = {
    'api-tokens, scope team': { name: 'a', scope: 'team' },
    'api-tokens, scope project': { name: 'a', scope: 'project', project_id: project?.id },
    webhooks: { name: 'a', url: 'https://example.org/hook', events: ['message.sent'] },
    'inbound-hooks': { name: 'a' },
  };
  await checkCells(
    rowsOf('Secrets'),
    (row) => row['Made by'] ?? '',
    async ({ 'Made by': by = '', Field = '', Prefix = '' }) => {
      const path = `/${by.split(',', 1)}`;
      const { status, body } = await call<Record<string, string>>('POST', path, bodies[by]);
      expect(status).toBe(201);
      expect(body[Field]).toMatch(new RegExp(`^${Prefix}.{43,}$`));
      expect((await call('GET', path)).text).not.toContain(body[Field]);
    },
  );
});

test('system roles', async () => {
  const roles = await allOf<{ name: string; system: boolean }>(`${sender.base}/roles`);
  const wanted = rowsOf('System roles').map(({ Role }) => Role);
  expect(roles.filter(({ system }) => system).map(({ name }) => name)).toEqual(
    expect.arrayContaining(wanted),
  );
});

test('limits', async () => {
  const { body } = await app.request<Record<string, Record<string, number>>>(
    'GET',
    '/api/meta',
    undefined,
    sender.token,
  );
  for (const { 'Field of GET /api/meta': field = '', Value } of rowsOf('Limits that the service announces')) {
    const [part = '', name = ''] = field.split('.');
    expect({ field, value: String(body[part]?.[name]) }).toEqual({ field, value: Value });
  }
});

test('types of attachments', async () => {
  const { body } = await app.request<{ attachment_policy: Record<string, readonly string[]> }>(
    'GET',
    '/api/meta',
    undefined,
    sender.token,
  );
  const { allowed_extensions = [], rejected_extensions = [] } = body.attachment_policy;
  const cells = rowsOf('Attachments').flatMap(({ Extensions, Allowed }) =>
    listed(Extensions).map((extension) => ({ extension, isAllowed: Allowed === 'yes' })),
  );
  await checkCells(
    cells,
    ({ extension }) => extension,
    async ({ extension, isAllowed }) => {
      expect(isAllowed ? allowed_extensions : rejected_extensions).toContain(extension);
      const content = Buffer.from(contentOf(isAllowed ? extension : 'pdf')).toString('base64');
      const { would_refuse } = await score({ attachments: [{ filename: `datei.${extension}`, content }] });
      expect(would_refuse).toBe(isAllowed ? null : 'attachment_rejected');
      if (isAllowed) return;
      const hidden = [{ filename: `datei.${extension}.pdf`, content }];
      expect((await score({ attachments: hidden })).would_refuse).toBe('attachment_rejected');
    },
  );
});

test('samples and simulated mail', () =>
  checkCells(
    rowsOf('Send-test'),
    ({ Kind = '' }) => Kind,
    async ({ Kind: kind, Recipient }) => {
      const { status, body } = await call<{ id: string }>('POST', '/send-test', { kind, to: letter.to });
      expect(status).toBe(202);
      const simulated = `${kind}@simulator.mail.example.com`;
      const { recipients } = await app.message(sender, body.id);
      expect(recipients.map(({ address }) => address)).toEqual([Recipient === 'to' ? letter.to : simulated]);
    },
  ));

test.each(['praxis.example', 'post.praxis.example'])('records in the DNS of %s', async (domain) => {
  interface WantedRecord {
    readonly type: string;
    readonly name: string;
    readonly value: string;
  }
  const asked = await call('POST', '/custom-domain', { domain });
  expect(asked.status).toBe(200);
  const { body } = await call<Record<'records' | 'inbound', readonly WantedRecord[]>>('GET', '/dns-records');
  const named = ({ type, name, value }: WantedRecord) => {
    const [token] = /^\w{24}(?=\._domainkey)/.exec(name) ?? [];
    const plain = (text: string) => (token === undefined ? text : text.replace(token, 'T'));
    return { type, name: plain(name), value: plain(value) };
  };
  const given = [...body.records, ...body.inbound.filter(({ type }) => type === 'MX')].map(named);
  const wanted = rowsOf('Records in the DNS').filter(({ Host }) => Host === domain);
  const keyOf = (type = '', name = '') => `${type} ${name}`;
  expect(new Set(given.map(({ type, name }) => keyOf(type, name)))).toEqual(
    new Set(wanted.map(({ Type, Name }) => keyOf(Type, Name))),
  );
  expect(given.filter(({ type }) => type === 'CNAME')).toHaveLength(3);
  for (const { Type, Name, 'Value has': part } of wanted)
    for (const { value } of given.filter(({ type, name }) => keyOf(type, name) === keyOf(Type, Name)))
      expect(value).toContain(part);
});

test('refusals of a send are described under their status', () => {
  const responses = described.paths['/api/practices/{id}/send']?.post?.responses ?? {};
  for (const { Code, Status = '' } of rowsOf('Refusals of a send'))
    expect(responses[Status]?.description).toContain(`\`${Code}\``);
});

describe('between the tables', () => {
  const decisions = async (id: string) => (await app.message(sender, id)).decisions.map(({ gate }) => gate);

  test('a message passes kind and route, suppressions, content, and the way out, in this order', async () => {
    const gates = await decisions(await app.send(sender));
    const order = ['kind_and_route', 'suppression', 'content', 'unsubscribe'];
    expect(gates.filter((gate) => order.includes(gate))).toEqual(order);
    const address = 'gesperrt@example.org';
    expect((await call('POST', '/suppression', { address })).status).toBe(201);
    const wrong = await call<{ code: string }>('POST', '/send', {
      ...letter,
      to: address,
      message_kind: 'newsletter',
    });
    expect(wrong.body.code).toBe('kind_not_allowed_on_route');
    const suppressed = await app.send(sender, { to: address });
    expect((await decisions(suppressed)).at(-1)).toBe('suppression');
  });

  test('a send is answered by its envelope; code and hint are there where something is blocked', async () => {
    const sent = await call<{ id: string }>('POST', '/send', letter);
    expect(sent.status).toBe(202);
    expect(sent.body).toEqual({ id: UUID, message_id: sent.body.id, status: 'queued' });
    const address = 'niemand@example.org';
    await call('POST', '/suppression', { address });
    const blocked = await call<{ id: string }>('POST', '/send', { ...letter, to: address });
    expect(blocked.status).toBe(202);
    expect(blocked.body).toEqual({
      id: UUID,
      message_id: blocked.body.id,
      status: 'suppressed',
      code: 'recipient_suppressed',
      hint: ANY,
      suppressed: [address],
    });
  });

  test('content that is not blocked is sent with warnings', async () => {
    const { status, body } = await call<{ content_warnings: readonly unknown[] }>('POST', '/send', {
      ...letter,
      subject: 'IHR TERMIN!!!',
    });
    expect(status).toBe(202);
    expect(body.content_warnings).toContainEqual({ id: 'subject_punctuation', why: ANY, advice: ANY });
  });

  test('bulk is a newsletter over broadcast, with a way out, where it names neither kind nor route', async () => {
    const { status, body } = await call<{ results: readonly { id: string }[] }>('POST', '/send/bulk', {
      template: { subject: 'Guten Tag, {{name}}', html: '<p>{{name}}</p>' },
      recipients: [{ email: letter.to, data: { name: 'Erika' } }],
    });
    expect(status).toBe(202);
    const id = body.results[0]?.id ?? '';
    expect(await app.message(sender, id)).toMatchObject({
      route: { slug: 'broadcast' },
      message_kind: 'newsletter',
      subject: 'Guten Tag, Erika',
    });
    expect((await call('GET', `/messages/${id}/source`)).text).toMatch(/^List-Unsubscribe: </m);
  });

  test('in safe mode mail goes to the simulator, placement testers and the allowlist alone', async () => {
    const careful = await app.createSender();
    const mode = await app.request('POST', `${careful.base}/safe-mode`, { enabled: true }, app.adminToken);
    expect(mode.status).toBe(200);
    const statusTo = async (to: string) =>
      (await app.request('POST', `${careful.base}/send`, { ...letter, to }, careful.token)).status;
    const meta = (token: string) => app.request('GET', '/api/meta', undefined, token);
    expect((await meta(careful.token)).body.safe_mode).toBe(true);
    expect((await meta(sender.token)).body.safe_mode).toBe(false);
    const allowed = ['success@simulator.mail.example.com', 'seed@example.net', 'anna@kollegen.example'];
    for (const to of allowed) expect({ to, status: await statusTo(to) }).toEqual({ to, status: 202 });
    expect(await statusTo('erika@example.org')).toBe(422);
  });

  test.each(['csv', 'tsv'])('a file %s is a download, also where the HTML shows it', async (extension) => {
    const content = Buffer.from(contentOf(extension)).toString('base64');
    const attachments = [{ filename: `tabelle.${extension}`, content, content_id: 'tabelle' }];
    const id = await app.send(sender, { html: '<img alt="" src="cid:tabelle">', attachments });
    const { text } = await call('GET', `/messages/${id}/source`);
    expect(text).toMatch(new RegExp(`Content-Disposition: attachment;\\s+filename=.?tabelle.${extension}`));
    expect(text).not.toContain('Content-Disposition: inline');
  });

  test('no path has a version in it', () => {
    expect(Object.keys(described.paths).filter((path) => /\/v\d/.test(path))).toEqual([]);
  });
});
