// Every operation of the API's two documents is called with the examples that its document has for it, and answers as that
// says: with a status of success, in the form of its schema, by an independent validator. Only what no document can know is put in
// their place: ids, codes, tokens, keys, and times that must be in the future.
import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { afterAll, describe, expect, test } from 'vitest';
import { EXAMPLE_ID } from '#src/kernel/fields.ts';
import { ANY_TYPE } from '#src/kernel/route.ts';
import { dkimRecord } from '#src/mail/dkim-key.ts';
import { createChallenges } from '#src/operations/certificates/challenges.ts';
import { startApp } from '#test/support/app.ts';
import { readFrozen } from '#test/support/arrival.ts';
import { prepareRestore } from '#test/support/command.ts';
import { startDnsZone } from '#test/support/dns-zone.ts';
import { describedParts } from '#test/support/openapi.ts';
import {
  forwardTokenTo,
  invite,
  makeOwner,
  requestCode,
  signIn,
  unlimitedSignIn,
} from '#test/support/people.ts';
import { startPlayedStripe } from '#test/support/played-stripe.ts';
import { until } from '#test/support/process.ts';
import { putMail } from '#test/support/received-mail.ts';
import { seedList } from '#test/support/subscribers.ts';

const OWNER = 'anna@praxis.example';
const RELAY_SECRET = 'relay-secret-0123456789';
const METRICS_TOKEN = 'metrics-token-0123456789';
const JSON_TYPE = 'application/json';
const DAY_MS = 86_400_000;

interface Media {
  readonly schema?: object;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}
interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly schema: object;
  readonly example?: unknown;
}
interface Described {
  readonly operationId: string;
  readonly 'x-permission': string;
  readonly 'x-codeSamples'?: unknown;
  readonly security?: readonly object[];
  readonly parameters?: readonly (Parameter & { readonly $ref?: string })[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> };
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, Media>> }>>;
}
interface Operation extends Described {
  readonly path: string;
  readonly method: string;
  /** Which of the documents has it. */
  readonly part: number;
}

const dns = await startDnsZone();
const stripe = await startPlayedStripe();
const challenges = createChallenges();
const secrets = await mkdtemp(path.join(tmpdir(), 'examples-'));
const metricsFile = path.join(secrets, 'metrics.token');
await writeFile(metricsFile, METRICS_TOKEN, { mode: 0o600 });
const app = await startApp({
  challenges,
  config: {
    metrics: { token_file: metricsFile },
    ...unlimitedSignIn,
    service: { public_origin: 'https://mail.example.com' },
    smtp: { inbound: { listen: '127.0.0.1:0' } },
    auth: { password_login: true },
    operators: ['operator@example.net'],
    billing: stripe.config,
    dns: {
      resolvers: [dns.address],
      authoritative: { listen: '127.0.0.1:0' },
      zones: { addresses: ['127.0.0.1'] },
    },
    security: { outbound_allow: ['127.0.0.0/8'] },
  },
});
afterAll(async () => {
  await app.remove();
  await dns.stop();
  await stripe.stop();
  await rm(secrets, { recursive: true });
});
const secretFile = path.join(app.home, 'relay.secret');
await writeFile(secretFile, RELAY_SECRET, { mode: 0o600 });
const relay = { name: 'relay', kind: 'smtp', host: '127.0.0.1', port: 9, tls: 'none' };
await app.reconfigure({
  upstreams: [
    { name: 'kept', kind: 'capture' },
    { ...relay, events: { format: 'json', secret_file: secretFile } },
  ],
});
dns.delegate('mail.example.com', app.dnsPort ?? 0);
dns.delegate('send.example.com', app.dnsPort ?? 0);
for (const host of ['praxis.example', 'chat.example']) dns.set(host, 'A', '127.0.0.1');

const documents = await describedParts(app);
const operations: readonly Operation[] = documents.flatMap((document, part) =>
  Object.entries<Record<string, Described>>(document.paths).flatMap(([at, item]) =>
    Object.entries(item).map(([method, described]) => ({ ...described, path: at, method, part })),
  ),
);

// A schema that many refer to is compiled once.
const quick = { inlineRefs: false, code: { optimize: false } };
const ajv = new Ajv2020({ strict: false, logger: false, allErrors: true, ...quick });
formats.default(ajv);
documents.forEach((document, part) => void ajv.addSchema(document, `api${part}`));
/** Refers to the whole document, as the schemas in it do. */
const faultsOf = ({ part }: Operation, schema: object, value: unknown): unknown => {
  const inDocument = JSON.parse(JSON.stringify(schema).replaceAll('"#/', `"api${part}#/`));
  const validate = ajv.compile(inDocument);
  return validate(value) ? null : validate.errors;
};

const parametersOf = ({ parameters = [], part }: Operation): Parameter[] =>
  parameters.map((given) =>
    given.$ref === undefined
      ? given
      : documents[part].components.parameters[given.$ref.split('/').at(-1) ?? ''],
  );

const examplesOf = ({ example, examples }: Media): unknown[] => [
  ...(example === undefined ? [] : [example]),
  ...Object.values(examples ?? {}).map(({ value }) => value),
];

/** What a call needs beside the document: values in the place of examples, and of parameters by their names. */
interface Given {
  readonly instead?: Readonly<Record<string, string>>;
  readonly ids?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly token?: string;
}
interface Answer {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

const withInstead = (value: unknown, instead: Readonly<Record<string, string>>): unknown => {
  if (typeof value === 'string') return instead[value] ?? value;
  if (Array.isArray(value)) return value.map((item) => withInstead(item, instead));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withInstead(inner, instead)]));
};

const encoded = (type: string, body: unknown): string | Buffer => {
  if (type === JSON_TYPE) return JSON.stringify(body);
  if (typeof body === 'string') return body;
  const fields = Object.entries(body as Readonly<Record<string, string>>);
  if (type === 'application/x-www-form-urlencoded') return new URLSearchParams(fields).toString();
  const parts = fields.map(
    ([name, value]) => `--limit\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  return Buffer.from(`${parts.join('')}--limit--\r\n`);
};

/** By node's own client, which sends any Host. */
const send = (method: string, target: string, headers: object, body?: string | Buffer): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const asked = httpRequest(app.origin + target, { method: method.toUpperCase(), headers: { ...headers } });
    asked.on('error', reject);
    asked.on('response', async (response) => {
      const type = response.headers['content-type']?.split(';')[0] ?? '';
      resolve({ status: response.statusCode ?? 0, type, text: await textOf(response) });
    });
    asked.end(body);
  });

let people = 0;
/** Signed in, an owner of the practice. */
const ownerOf = async (practiceId: string) => {
  people += 1;
  const email = `person${people}@praxis.example`;
  await makeOwner(app, practiceId, email);
  return signIn(app, email);
};

/** What tokens of a practice cannot do. */
const BY_PEOPLE: ReadonlySet<string> = new Set(['session', 'members.manage', 'billing.manage']);

const credentialFor = async (
  operation: Operation,
  practiceId: string,
  token: string | undefined,
): Promise<Record<string, string>> => {
  const { security, 'x-permission': access } = operation;
  if (security?.length === 0) return {};
  if (security?.some((one) => 'adminToken' in one)) return { 'X-Admin-Token': app.adminToken };
  const made = async () =>
    BY_PEOPLE.has(access) ? (await ownerOf(practiceId)).token : app.createToken(practiceId);
  return { Authorization: `Bearer ${token ?? (await made())}` };
};

/** Sends one example, of the body and of all parameters that have one. */
const callWith = async (
  operation: Operation,
  practiceId: string,
  { instead = {}, ids = {}, headers = {}, token }: Given,
  type?: string,
  body?: unknown,
): Promise<Answer> => {
  const given: Readonly<Record<string, string>> = {
    id: practiceId,
    'X-Service-Practice': practiceId,
    ...ids,
  };
  const values = parametersOf(operation)
    .filter(({ required, example }) => required || example !== undefined)
    .map(({ name, in: place, example }) => ({ name, place, value: given[name] ?? String(example) }));
  const at = (wanted: string) => values.filter(({ place }) => place === wanted);
  const filled = at('path').reduce(
    (whole, { name, value }) => whole.replace(`{${name}}`, encodeURIComponent(value)),
    operation.path,
  );
  const query = new URLSearchParams(
    at('query').map(({ name, value }): [string, string] => [name, value]),
  ).toString();
  const boundary = type === 'multipart/form-data' ? '; boundary=limit' : '';
  return send(
    operation.method,
    query === '' ? filled : `${filled}?${query}`,
    {
      ...(await credentialFor(operation, practiceId, token)),
      ...Object.fromEntries(at('header').map(({ name, value }) => [name, value])),
      ...(type === undefined ? {} : { 'Content-Type': type + boundary }),
      ...headers,
    },
    type === undefined
      ? undefined
      : encoded(type, withInstead(body, { [EXAMPLE_ID]: practiceId, ...instead })),
  );
};

/** By its name in the document, with the first example of its body; resolves with the record. */
const done = async (
  operationId: string,
  practiceId: string,
  given: Given = {},
  more: object = {},
): Promise<{ id: string; [field: string]: unknown }> => {
  const operation = operations.find((one) => one.operationId === operationId);
  if (!operation) throw new Error(`there is no operation ${operationId}`);
  const body = operation.requestBody?.content[JSON_TYPE];
  const [example] = body ? examplesOf(body) : [];
  const answer = await callWith(
    operation,
    practiceId,
    await preparedBy(operation, practiceId, given),
    body && JSON_TYPE,
    body && { ...(example as object), ...more },
  );
  if (answer.status >= 300) throw new Error(`${operationId}: ${answer.status} ${answer.text}`);
  return answer.text === '' ? { id: '' } : JSON.parse(answer.text);
};

const firstOf = async (operationId: string, practiceId: string, given: Given = {}): Promise<string> => {
  const { data } = await done(operationId, practiceId, given);
  return (data as { id: string }[])[0]?.id ?? '';
};

const firstCaptured = async (practiceId: string): Promise<string> => {
  let captured = '';
  await until('the mail is captured', async () => {
    captured = await firstOf('listCapturedMails', practiceId);
    return captured !== '';
  });
  return captured;
};
const untilCaptured = async (practiceId: string, fields: object = {}): Promise<string> => {
  await done('sendMessage', practiceId, {}, fields);
  return firstCaptured(practiceId);
};

/** In a captured mail. */
const partsIn = async (practiceId: string, captured: string, pattern: RegExp): Promise<readonly string[]> => {
  const { text } = await app.request(
    'GET',
    `/api/practices/${practiceId}/captures/${captured}`,
    undefined,
    app.adminToken,
  );
  const [, ...parts] =
    pattern.exec(
      text
        .replace(/=\r\n/g, '')
        .replace(/\r\n\s/g, '')
        .replaceAll('=3D', '='),
    ) ?? [];
  if (parts.length === 0) throw new Error(`no ${pattern} in: ${text.slice(-3000)}`);
  return parts;
};

/** In the only mail of the practice. */
const linkIn = async (practiceId: string, pattern: RegExp): Promise<readonly string[]> => {
  await app.completeLegal(practiceId);
  const captured = await untilCaptured(practiceId, {
    route: 'broadcast',
    html: '<p><a href="https://praxis.example/termin">Termin</a></p>',
    settings: { track_opens: true, track_clicks: true },
  });
  return partsIn(practiceId, captured, pattern);
};

const UNSUBSCRIBE = /\/api\/public\/unsub\?t=([\w-]+)/;

/** The records of the custom domain are published and found. */
const verifyDomain = async (practiceId: string): Promise<string> => {
  const domain = `praxis-${practiceId}.example`;
  await done('setCustomDomain', practiceId, { instead: { 'praxis.example': domain } });
  const wanted = await done('listDnsRecords', practiceId);
  dns.publish(wanted.records as Parameters<typeof dns.publish>[0]);
  await done('checkDns', practiceId);
  return domain;
};

const tomorrow = (): string => new Date(Date.now() + DAY_MS).toISOString();

/** What was made in a practice serves all of its calls: `practice name` to id. */
const made = new Map<string, Promise<string>>();
const madeIn = (practiceId: string, name: string, make: (id: string) => Promise<string>): Promise<string> => {
  const key = `${practiceId} ${name}`;
  const id = made.get(key) ?? make(practiceId);
  made.set(key, id);
  return id;
};

const listIn = (id: string): Promise<string> =>
  madeIn(id, 'listID', async () => (await done('createList', id)).id);
const withList = async (id: string): Promise<Given> => ({ instead: { [EXAMPLE_ID]: await listIn(id) } });

/** How the record comes about that a path names. */
const makers: Readonly<Record<string, (practiceId: string) => Promise<string>>> = {
  projectID: async (id) => (await done('createProject', id)).id,
  routeID: async (id) => (await done('createRoute', id)).id,
  roleID: async (id) => (await done('createRole', id)).id,
  memberID: async (id) => (await done('inviteMember', id)).id,
  tokenID: async (id) => (await done('createApiToken', id)).id,
  suppressionID: async (id) => (await done('createSuppression', id)).id,
  bounceID: async (id) => {
    await done('sendMessage', id);
    await done('createSuppression', id);
    app.sql(id, "UPDATE suppressions SET reason = 'hard_bounce'");
    const [bounce] = app.sql<{ seq: number }>(
      id,
      `INSERT INTO events (id, message_seq, recipient_id, type, at)
       SELECT 'a bounce', message_seq, id, 'message.hard_bounced', 1 FROM recipients LIMIT 1 RETURNING seq`,
    );
    return String(bounce?.seq);
  },
  importID: async (id) => (await done('importSuppressions', id)).id,
  erasureID: async (id) => (await done('erasePerson', id)).id,
  messageID: async (id) => (await done('sendMessage', id)).id,
  captureID: (id) => untilCaptured(id),
  domainID: (id) => firstOf('vendoraListDomains', id),
  templateID: async (id) => String((await done('createTemplate', id)).name),
  imageID: async (id) => (await done('uploadImage', id)).id,
  webhookID: async (id) => (await done('createWebhook', id)).id,
  hookID: async (id) => (await done('createInboundHook', id)).id,
  formID: async (id) => (await done('createWebsiteForm', id)).id,
  replyID: async (id) => (await done('createSavedReply', id)).id,
  threadID: async (id) => newThread(id),
  listID: listIn,
  segmentID: async (id) =>
    (await done('createSegment', id, await withList(id), { name: `Gruppe ${randomUUID()}` })).id,
  campaignID: async (id) => (await done('createCampaign', id, await withList(id))).id,
  alertID: async (id) => (await done('createAlert', id)).id,
  ticketID: async (id) => (await done('reportAbuse', id)).id,
  entryID: async (id) => {
    await done('joinWaitlist', id);
    return firstOf('listWaitlist', id);
  },
};

const scheduled = async (id: string): Promise<Given> => {
  const { id: messageID } = await done('sendMessage', id, {}, { scheduled_at: tomorrow() });
  return { ids: { messageID }, instead: { '2026-12-07T08:00:00Z': tomorrow() } };
};
/** To two people, of whom the second has their turn an hour later: it does not end at once. */
const campaignAfter = async (id: string, ...steps: readonly string[]): Promise<Given> => {
  await app.completeLegal(id);
  const readers = ['dora', 'emil'].map((name) => ({ address: `${name}@example.org`, name }));
  const given = { instead: { [EXAMPLE_ID]: seedList(app.home, id, readers).id } };
  const campaignID = (await done('createCampaign', id, given, { max_per_hour: 1 })).id;
  for (const step of steps) await done(step, id, { ids: { campaignID } });
  return { ids: { campaignID } };
};
const ofDelivery = async (id: string): Promise<Given> => {
  const { id: webhookID } = await done('createWebhook', id, {}, { events: ['message.created'] });
  await done('sendMessage', id);
  let deliveryID = '';
  await until('there is a delivery', async () => {
    deliveryID = await firstOf('listDeliveries', id, { ids: { webhookID } });
    return deliveryID !== '';
  });
  return { ids: { webhookID, deliveryID } };
};
const invited = async (id: string): Promise<Given> => {
  const token = await invite(app, id, `doris${Date.now()}@example.org`, { role_id: 'member' });
  return { instead: { svc_inv_0000: token }, ids: { token } };
};
/** Another practice, to which a person is invited. */
const invitedElsewhere = async (practiceId: string): Promise<Given> => {
  const { email, token } = await ownerOf(practiceId);
  const { id } = await app.createPractice({ name: 'Nachbarpraxis' });
  await invite(app, id, email, { role_id: 'member' });
  return { ids: { practiceID: id }, token };
};
const withPassword = async (id: string): Promise<Given> => {
  const { email, token } = await ownerOf(id);
  await done('setPassword', id, { token });
  return { token, instead: { [OWNER]: email } };
};
const onOwnDomain = async (id: string): Promise<Given> => {
  await verifyDomain(id);
  return {};
};

/** Practices that are only read are shared, and a name is taken once. */
const newList = (id: string) => done('createList', id, {}, { name: `Liste ${randomUUID()}` });
const subscribed = async (id: string): Promise<Given> => {
  const { id: listID } = await newList(id);
  const { id: subscriberID } = await done('createSubscriber', id, { ids: { listID } });
  await until(
    'all confirmation mails have left',
    () => app.sql(id, 'SELECT 1 FROM confirmation_mails').length === 0,
  );
  app.sql(id, 'UPDATE subscribers SET asked_at = 1');
  return { ids: { listID, subscriberID } };
};

const formToken = async (id: string): Promise<string> => {
  await app.completeLegal(id);
  return new URL(String((await newList(id)).form_url)).searchParams.get('l') ?? '';
};
const asked = async (id: string): Promise<Given> => {
  await subscribed(id);
  const [token = ''] = await partsIn(id, await firstCaptured(id), /\/api\/public\/confirm\?token=([\w-]+)/);
  return { ids: { token } };
};

const MAIL = 'Content-Type: application/pdf\r\nContent-Disposition: attachment\r\n\r\n%PDF';
const received = async (id: string): Promise<Given> => ({
  ids: { messageID: putMail(app, id, { state: 'held' }, {}, Buffer.from(MAIL)) },
});
const newThread = (id: string): string => {
  const threadID = randomUUID();
  putMail(app, id, { thread_id: threadID });
  return threadID;
};
const noted = async (id: string): Promise<Given> => {
  const threadID = newThread(id);
  const { notes } = await done('addInboundNote', id, { ids: { threadID } });
  return { ids: { threadID, noteID: (notes as { id: string }[])[0]?.id ?? '' } };
};
/** Each practice is new, so its form has taken nothing yet. */
const postable = async (id: string): Promise<Given> => {
  await done('enableInbound', id);
  const form = await done('createWebsiteForm', id, {}, { preset: 'contact' });
  await done(
    'updateWebsiteForm',
    id,
    { ids: { formID: form.id } },
    { fields: (form.fields as { required: boolean }[]).map((field) => ({ ...field, required: false })) },
  );
  return { ids: { f: new URL(String(form.url)).searchParams.get('f') ?? '' } };
};
const provable = async (id: string): Promise<Given> => {
  await done('enableInbound', id);
  const { url } = await done('createWebsiteForm', id, {}, { preset: 'contact', proof: true });
  await done(
    'postWebsiteForm',
    id,
    { ids: { f: new URL(String(url)).searchParams.get('f') ?? '' } },
    { consent: 'yes' },
  );
  const [t = ''] = await partsIn(id, await firstCaptured(id), /\/api\/public\/form-proof\?t=([\w-]+)/);
  return { ids: { t } };
};
const sentWithFile = async (id: string) =>
  done(
    'sendMessage',
    id,
    {},
    {
      attachments: [{ filename: 'Plan.pdf', content: Buffer.from('%PDF-1.4\n').toString('base64') }],
    },
  );
const capturedWithFile = async (id: string): Promise<Given> => {
  const { id: messageID } = await sentWithFile(id);
  const captured = (): { id: string } | undefined =>
    app.sql<{ id: string }>(id, 'SELECT id FROM captures WHERE message_id = ?', messageID)[0];
  await until('the mail is captured', async () => captured() !== undefined);
  return { ids: { captureID: captured()?.id ?? '' } };
};
/** Each practice's address is its own: one is asked once an hour. */
const forwarding = async (id: string): Promise<string> => {
  const forward_to = `frontdesk-${id}@example.org`;
  await done('updateInbound', id, {}, { catch_all: { mode: 'accept', forward_to } });
  return forward_to;
};
const withForwardLink = async (id: string): Promise<Given> => ({
  ids: { t: await forwardTokenTo(app, await forwarding(id)) },
});

/** More people than are asked to confirm in a minute. */
const importing = async (id: string): Promise<Given> => {
  const { id: listID } = await done('createList', id);
  const file = Array.from({ length: 30 }, (_, index) => `r${index}@example.org`).join('\n');
  return { ids: { importID: (await done('importSubscribers', id, { ids: { listID } }, { file })).id } };
};

/** The plans that the operator gives are left by no checkout. */
const onTest = async (id: string): Promise<Given> => {
  await app.request('POST', `/api/practices/${id}/plan`, { plan: 'test' }, app.adminToken);
  return {};
};

const withTemplate = async (id: string): Promise<Given> => {
  await done('createTemplate', id);
  return {};
};

const FREEZE = 'bd2f1c55-1a52-4d2c-8f37-3b1a2f6f8f10';
const frozen = async (id: string): Promise<Given & { readonly key: string }> => {
  const { freeze, key } = await done('freezePractice', id);
  return { instead: { [FREEZE]: String(freeze) }, key: String(key) };
};
/** It has moved from here to here: its file is sent, and not taken. */
const arrivedAgain = async (id: string): Promise<Given> => {
  const { key, instead } = await frozen(id);
  const { body, digest } = await readFrozen(app.home, id);
  await done('movePractice', id, { instead: instead ?? {} });
  const ids = { practiceID: id };
  await done('putArrival', id, { ids }, body);
  return { ids, instead: { [`${'A'.repeat(43)}=`]: key, [`B${'A'.repeat(42)}=`]: digest } };
};

/** What must be so before an operation can succeed. */
const setUps: Readonly<Record<string, (practiceId: string) => Promise<Given>>> = {
  erasePractice: async (id) => {
    const [row] = app.sql<{ slug: string }>(id, 'SELECT slug FROM practice');
    return { instead: { 'praxis-am-markt': row?.slug ?? '' } };
  },
  movePractice: frozen,
  renewFreeze: frozen,
  copyMoved: async (id) => {
    const { instead = {} } = await frozen(id);
    await done('movePractice', id, { instead });
    return { ids: { practiceID: id } };
  },
  takeArrival: arrivedAgain,
  beginArrival: async (id) => {
    const given = await arrivedAgain(id);
    await done('takeArrival', id, given);
    return given;
  },
  createSegment: withList,
  countSegment: withList,
  listSegmentPeople: withList,
  createCampaign: withList,
  updateCampaign: async (id) => {
    const given = await withList(id);
    return { ...given, ids: { campaignID: (await done('createCampaign', id, given)).id } };
  },
  testCampaign: async (id) => {
    await app.completeLegal(id);
    return { instead: { 'success@simulator.example': 'success@simulator.mail.example.com' } };
  },
  scheduleCampaign: async (id) => ({
    ...(await campaignAfter(id)),
    instead: { '2026-12-24T09:00:00': tomorrow() },
  }),
  sendCampaign: (id) => campaignAfter(id),
  pauseCampaign: (id) => campaignAfter(id, 'sendCampaign'),
  resumeCampaign: (id) => campaignAfter(id, 'sendCampaign', 'pauseCampaign'),
  cancelCampaign: (id) => campaignAfter(id, 'sendCampaign'),
  cancelMessage: scheduled,
  rescheduleMessage: scheduled,
  getDelivery: ofDelivery,
  replayDelivery: ofDelivery,
  acceptInvitation: invited,
  getInvitationPage: invited,
  acceptInvitationOnPage: invited,
  acceptMembership: invitedElsewhere,
  leavePractice: async (id) => {
    const given = await invitedElsewhere(id);
    await done('acceptMembership', id, given);
    return given;
  },
  restorePractice: async (id) => {
    await prepareRestore(app.home, id);
    return { ids: { practiceID: id } };
  },
  liftApiToken: async (id) => ({ token: (await ownerOf(id)).token }),
  discardSlowedMail: async (id) => ({ token: (await ownerOf(id)).token }),
  resumePractice: async (id) => {
    await done('pausePractice', id);
    return { token: (await ownerOf(id)).token };
  },
  verifySignInCode: async (id) => {
    const { email } = await ownerOf(id);
    return { instead: { [OWNER]: email, '482913': await requestCode(app, email) } };
  },
  endSession: async (id) => {
    const { token } = await ownerOf(id);
    return { token, ids: { sessionID: await firstOf('listSessions', id, { token }) } };
  },
  signInWithPassword: withPassword,
  deletePassword: withPassword,
  vendorbSendTemplate: withTemplate,
  vendorbSendTemplateBatch: withTemplate,
  deleteSuppressions: async (id) => ({
    instead: { [EXAMPLE_ID]: (await done('createSuppression', id)).id },
  }),
  getInboundMessage: received,
  getInboundSource: received,
  getInboundAttachment: received,
  previewInboundMessage: received,
  getMessageAttachment: async (id) => ({ ids: { messageID: (await sentWithFile(id)).id } }),
  getCapturedAttachment: capturedWithFile,
  markInboundMessage: received,
  releaseInboundMessage: received,
  deleteInboundMessage: received,
  cancelImport: importing,
  getSubscriber: subscribed,
  getConsentEvidence: subscribed,
  updateSubscriber: subscribed,
  rectifyPerson: subscribed,
  deleteSubscriber: subscribed,
  sendConfirmation: subscribed,
  rotateDkimKeys: onOwnDomain,
  setBimiLogo: onOwnDomain,
  importDkimKey: async (id) => {
    const domain = await verifyDomain(id);
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    dns.set(`mail2019._domainkey.${domain}`, 'TXT', dkimRecord(publicKey, 'ed25519-sha256'));
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    return { instead: { '-----BEGIN PRIVATE KEY-----\n...': pem } };
  },
  sendByHook: async (id) => {
    const hook = await done('createInboundHook', id);
    return { ids: { id: hook.id, 'X-Service-Hook-Secret': String(hook.secret) } };
  },
  deleteInboundNote: noted,
  getWebsiteFormPage: postable,
  postWebsiteForm: postable,
  getFormProof: provable,
  proveFormAddress: provable,
  getForwardingPage: withForwardLink,
  confirmForwarding: withForwardLink,
  askForwardTargetAgain: async (id) => {
    const address = await forwarding(id);
    await forwardTokenTo(app, address);
    app.sql(id, 'UPDATE forward_targets SET asked_at = 1');
    return { instead: { 'frontdesk@example.org': address } };
  },
  getAcmeChallenge: async () => {
    challenges.publishToken('evaGxfADs6pSRb2LAv9IZf17Dt3juxGJ-PCt92wr-oA', 'an answer');
    return {};
  },
  checkTlsHost: async () => ({ ids: { domain: 'mta-sts.mail.example.com' } }),
  getMetrics: async () => ({ headers: { Authorization: `Bearer ${METRICS_TOKEN}` } }),
  getMtaStsPolicy: async () => ({ headers: { Host: 'mta-sts.mail.example.com' } }),
  reportUpstreamEvents: async () => ({ headers: { Authorization: `Bearer ${RELAY_SECRET}` } }),
  beginCheckout: onTest,
  openBillingPortal: async (id) => {
    await done('beginCheckout', id, await onTest(id));
    return {};
  },
  reportBillingEvent: async () => {
    const { requestBody } = operations.find((one) => one.operationId === 'reportBillingEvent') ?? {};
    const [event] = examplesOf(requestBody?.content[JSON_TYPE] ?? {});
    stripe.customers.push({ id: 'cus_0000', metadata: {} });
    const { signature } = stripe.sign(JSON.stringify(event), Date.now());
    return { headers: { 'Stripe-Signature': signature } };
  },
  getUnsubscribePage: async (id) => ({ ids: { t: (await linkIn(id, UNSUBSCRIBE))[0] ?? '' } }),
  unsubscribeRecipient: async (id) => ({ ids: { t: (await linkIn(id, UNSUBSCRIBE))[0] ?? '' } }),
  getPreferencesPage: async (id) => ({ ids: { t: (await linkIn(id, UNSUBSCRIBE))[0] ?? '' } }),
  updatePreferences: async (id) => ({ ids: { t: (await linkIn(id, UNSUBSCRIBE))[0] ?? '' } }),
  getSubscribeForm: async (id) => ({ ids: { l: await formToken(id) } }),
  requestSubscription: async (id) => ({ instead: { AbCdEf: await formToken(id) } }),
  confirmSubscription: asked,
  answerConfirmation: asked,
  trackOpen: async (id) => ({ ids: { token: (await linkIn(id, /\/t\/o\/([\w.-]+)/))[0] ?? '' } }),
  loadImage: async (id) => {
    const { url } = await done('uploadImage', id);
    const [token = '', file = ''] = new URL(String(url)).pathname.split('/').slice(2);
    return { ids: { token, file } };
  },
  getDashboardFile: async () => {
    const { text } = await app.request('GET', '/app');
    return { ids: { file: /assets\/(main-\w+\.js)/.exec(text)?.[1] ?? '' } };
  },
  followLink: async (id) => {
    const [token = '', url = ''] = await linkIn(id, /\/t\/c\/([\w.-]+)\/([\w.-]+)/);
    return { ids: { token, url } };
  },
};

/** What is given already is not made. */
async function preparedBy(operation: Operation, practiceId: string, given?: Given): Promise<Given> {
  const special = given ?? (await setUps[operation.operationId]?.(practiceId)) ?? {};
  const ids: Record<string, string> = {};
  for (const { name } of parametersOf(operation)) {
    const make = makers[name];
    if (make && special.ids?.[name] === undefined) ids[name] = await madeIn(practiceId, name, make);
  }
  return { ...special, ids: { ...ids, ...special.ids } };
}

const statusesOf = ({ responses }: Operation): number[] => {
  const statuses = Object.keys(responses).map(Number);
  const good = statuses.filter((status) => status < 400);
  // What was retired has nothing else, nor has what another API's form does not do.
  return good.length > 0 ? good : [410, 422];
};

interface Sent {
  readonly type?: string;
  readonly body?: unknown;
  readonly schema?: object;
}

/** Of all calls that only read, and need nothing of their own. */
const shared = await app.createPractice({ plan: 'gruppe' });
const isAlone = ({ method, operationId }: Operation): boolean => method !== 'get' || operationId in setUps;

describe.each(operations)('$operationId', (operation) => {
  const { requestBody, responses } = operation;
  const bodies: Sent[] = Object.entries(requestBody?.content ?? {}).flatMap(([type, media]) =>
    examplesOf(media).map((body) => ({ type, body, schema: media.schema ?? {} })),
  );

  test('has an example', () => {
    const inParameters = parametersOf(operation).some(({ example }) => example !== undefined);
    expect(requestBody === undefined ? inParameters || 'x-codeSamples' in operation : bodies.length > 0).toBe(
      true,
    );
  });

  test.each<Sent>(bodies.length > 0 ? bodies : [{}])(
    'answers as it says ($type)',
    async ({ type, body, schema = {} }) => {
      const practice = isAlone(operation) ? await app.createPractice({ plan: 'gruppe' }) : shared;
      if (body !== undefined) expect(faultsOf(operation, schema, body)).toBeNull();
      const answer = await callWith(
        operation,
        practice.id,
        await preparedBy(operation, practice.id),
        type,
        body,
      );
      expect(statusesOf(operation), answer.text).toContain(answer.status);
      const content = responses[answer.status]?.content;
      if (content === undefined) expect(answer.text === '' || answer.status === 410).toBe(true);
      else {
        const types = Object.keys(content).map((name) => name.split(';')[0]);
        if (!types.includes(ANY_TYPE)) expect(types).toContain(answer.type);
        const form = content[answer.type]?.schema;
        if (form) expect(faultsOf(operation, form, JSON.parse(answer.text))).toBeNull();
      }
    },
  );
});
