// The installation that each simulation begins with: practices with their domains, tokens, lists, webhooks and templates, made by the
// API in a world of its own, and kept as files.
import fs from 'node:fs';
import { dirname, join } from 'node:path';
import { listStore } from '#src/audience/lists/store.ts';
import { activate } from '#src/audience/subscribers/change.ts';
import { eventTypes } from '#src/events/catalogue.ts';
import { DAY } from '#src/kernel/time.ts';
import type { Address } from '#src/mail/mailbox.ts';
import { inPractice } from '#test/support/subscribers.ts';
import { receiverAddress, startReceivers } from './peers/receivers.ts';
import { startRelay } from './peers/relay.ts';
import type { Practice, Reply } from './scene.ts';
import { createMachine, type Machine, publishedKeys } from './service.ts';
import { createDice } from './world/dice.ts';
import { SimDisk } from './world/disk.ts';
import { answerBy } from './world/resolver.ts';
import { beginNetwork } from './world/sockets.ts';
import { beginWorld, World } from './world/world.ts';
import { copyZones, publish, type Zones } from './zones.ts';

export const PORTS = { http: 8_080, submission: 5_870, inbound: 2_525 };
export const OTHER_PORTS = { http: 8_081, submission: 5_871, inbound: 2_526 };
export const ADMIN_TOKEN = 'simulated-admin-token-of-32-characters';
const MASTER_KEY_BYTES = 32;
const MASTER_KEY_BYTE = 7;
export const OTHER_KEY_BYTE = 8;
/** 2027-03-03, a Wednesday, 07:00 UTC. */
const MADE_AT = Date.UTC(2027, 2, 3, 7);
/** The warm-up of the domains is over by then. */
const BEGINS_AFTER = 90 * DAY;
const PRACTICES = ['Praxis am Markt', 'Verein der Gaertner', 'Kanzlei Sommer'];
const MEMBERS = [1, 2, 3, 4, 5].map((number) => `member${number}@people.example`);
const KNOWN = [1, 2, 3].map((number) => `erika${number}@people.example`);
const UNLIMITED = { per_second: 1_000_000, burst: 1_000_000 };
const MANY = 1_000_000;

export interface Template {
  readonly begins: number;
  readonly practices: readonly Practice[];
  readonly zones: Zones;
  /** Files below the data directory. */
  readonly files: ReadonlyMap<string, Buffer>;
}

export const configAt = (home: string, ports: typeof PORTS): Record<string, unknown> => ({
  service: {
    name: 'Sendwerk',
    public_origin: 'https://mail.example.com',
    host: 'mail.example.com',
    managed_suffix: 'send.example.com',
  },
  data_dir: join(home, 'data'),
  storage: { min_free_percent: 0, min_free_mib: 0, checkpoint_pages: 300 },
  http: { listen: `127.0.0.1:${ports.http}`, trust_proxy: 1 },
  admin: { token_file: join(home, 'admin.token') },
  secrets: { master_key_file: join(home, 'master.key') },
  safe_mode: { default: false, allowlist: ['@people.example'], placement_testers: [] },
  smtp: {
    submission: { listen: `127.0.0.1:${ports.submission}` },
    inbound: { listen: `127.0.0.1:${ports.inbound}` },
  },
  upstreams: [{ name: 'relay', kind: 'smtp', host: '127.0.0.1', port: 2_500, tls: 'none' }],
  complaints: { feedback_sources: ['fbl.example'] },
  security: { outbound_allow: ['9.9.9.0/24'], outbound_allow_http: true },
  limits: {
    api_rate: UNLIMITED,
    hook_rate: UNLIMITED,
    managed_host_mails: MANY,
    sign_in_rate: { per_address: { per_minute: MANY }, per_email: { per_minute: MANY } },
    subscribe_rate: {
      per_mailbox: { per_day: MANY },
      per_domain: { per_hour: MANY },
      per_list: { per_hour: MANY },
    },
  },
  log: { level: 'error' },
});

/** Each host has a master key of its own: links of the one are none of the other. */
export const writeSecrets = (home: string, keyByte: number = MASTER_KEY_BYTE): void => {
  fs.mkdirSync(home, { recursive: true });
  fs.writeFileSync(join(home, 'admin.token'), `${ADMIN_TOKEN}\n`, { mode: 0o600 });
  fs.writeFileSync(
    join(home, 'master.key'),
    `${Buffer.alloc(MASTER_KEY_BYTES, keyByte).toString('base64')}\n`,
    {
      mode: 0o600,
    },
  );
};

/** Lets the world go on until the work has ended. Throws what it throws. */
export const drive = async <T>(world: World, work: Promise<T>, within: number): Promise<T> => {
  let ended: { readonly value: T } | { readonly error: unknown } | null = null;
  work.then(
    (value) => {
      ended = { value };
    },
    (error) => {
      ended = { error };
    },
  );
  // The first look is before anything happens: what has ended says so in a microtask.
  await Promise.resolve();
  if (!(await world.until(() => ended !== null, world.now + within))) throw new Error('it did not end');
  const result = ended as unknown as { readonly value: T } | { readonly error: unknown };
  if ('error' in result) throw result.error;
  return result.value;
};

const expectStatus = (reply: Reply, ...wanted: number[]): Reply => {
  if (!wanted.includes(reply.status))
    throw new Error(`the template was refused: ${reply.status} ${reply.text}`);
  return reply;
};

const createPractice = async (
  machine: Machine,
  zones: Zones,
  name: string,
  index: number,
): Promise<Practice> => {
  const admin = async (method: string, path: string, body?: unknown, ...wanted: number[]): Promise<Reply> =>
    expectStatus(
      await machine.ask(method, path, { token: ADMIN_TOKEN, ...(body === undefined ? {} : { body }) }),
      ...(wanted.length > 0 ? wanted : [200, 201]),
    );
  const { id, slug } = (await admin('POST', '/api/practices', { name, plan: 'gruppe' })).body;
  const base = `/api/practices/${id}`;
  const { token } = (await admin('POST', `${base}/api-tokens`, { name: 'team', scope: 'team' })).body;
  await admin('PATCH', `${base}/compliance`, {
    street: 'Am Markt 1',
    city: '20095 Hamburg',
    privacy_url: 'https://praxis.example/datenschutz',
  });
  const domain = `practice${index}.example`;
  await admin('POST', `${base}/custom-domain`, { domain });
  const wanted = (await admin('GET', `${base}/dns-records`)).body;
  publish(zones, [...wanted.records, ...wanted.inbound]);
  const checked = (await admin('POST', `${base}/check-dns`)).body;
  if (!checked.dkim_verified || checked.pending)
    throw new Error(`${domain} was not verified: ${JSON.stringify(checked)}`);
  await admin('POST', `${base}/inbound/enable`, {});
  for (const route of ['outgoing', 'broadcast'])
    await admin('PATCH', `${base}/routes/${route}`, { track_opens: true, track_clicks: true });
  zones.set(`hooks.${slug}.example`, { A: [receiverAddress(index)] });
  const webhook = (
    await admin('POST', `${base}/webhooks`, {
      name: 'Praxissoftware',
      url: `http://hooks.${slug}.example/`,
      events: eventTypes,
    })
  ).body;
  const list = (
    await admin('POST', `${base}/lists`, {
      name: 'Rundbrief',
      wording: 'Ich möchte den Rundbrief bekommen.',
      two_steps: index === 1,
    })
  ).body;
  await admin('POST', `${base}/templates`, {
    name: 'erinnerung',
    subject: 'Termin für {{name}}',
    text: 'Guten Tag {{name}}, bis Montag.',
    html: '<p>Guten Tag {{name}}, bis <a href="https://praxis.example/termin">Montag</a>.</p>',
    message_kind: 'transactional',
  });
  return {
    ...{ id, slug, token, domain, from: `praxis@${domain}` },
    ...{ webhookId: webhook.id, webhookSecret: webhook.secret },
    ...{ listId: list.id, formPath: new URL(list.form_url).pathname + new URL(list.form_url).search },
    templateSlug: 'erinnerung',
  };
};

const confirmMembers = (home: string, { id, listId }: Practice, now: number): void => {
  inPractice(home, id, (db, keyOf) => {
    const list = listStore(db).byId(listId);
    if (list === undefined) throw new Error('there is no list');
    const keys = {
      suppressionKey: keyOf('suppressions'),
      ledger: {
        key: keyOf('consent ledger'),
        kept: () => ({ consent_ip: 90 * DAY, consent_user_agent: 90 * DAY }),
      },
    };
    for (const address of [...MEMBERS, ...KNOWN])
      activate(
        db,
        keys,
        { list, address: address as Address, name: 'Erika', entry: { action: 'confirm', way: 'link' } },
        now,
      );
  });
};

const filesBelow = (directory: string): Map<string, Buffer> => {
  const files = new Map<string, Buffer>();
  for (const entry of fs.readdirSync(directory, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    files.set(path.slice(directory.length + 1), fs.readFileSync(path));
  }
  return new Map([...files].sort(([a], [b]) => (a < b ? -1 : 1)));
};

export const layOut = (directory: string, files: ReadonlyMap<string, Buffer>): void => {
  fs.rmSync(directory, { recursive: true, force: true });
  for (const [path, content] of files) {
    const target = join(directory, path);
    fs.mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
    fs.writeFileSync(target, content, { mode: 0o600 });
  }
};

export const makeTemplate = async (home: string): Promise<Template> => {
  const world = new World(MADE_AT, createDice(0, 0));
  beginWorld(world);
  const network = beginNetwork();
  const zones: Zones = new Map();
  zones.set('fbl.example', { TXT: [['v=spf1 ip4:127.0.0.1 ip4:192.0.2.0/24 -all']] });
  zones.set('spf.mail.example.com', { TXT: [['v=spf1 ip4:127.0.0.1 -all']] });
  startRelay(network, () => 0);
  startReceivers(network, PRACTICES.length);
  writeSecrets(home);
  fs.rmSync(join(home, 'data'), { recursive: true, force: true });
  const machine = createMachine({
    name: 'template',
    home,
    ports: PORTS,
    config: configAt(home, PORTS),
    disk: new SimDisk({ syncFails: () => false }),
    onLog: () => undefined,
    onDefect: (what) => {
      throw new Error(what);
    },
  });
  answerBy(
    zones,
    () => 'fair',
    publishedKeys(() => [machine]),
  );
  const hour = 3_600_000;
  const make = async (): Promise<Practice[]> => {
    await machine.start();
    const practices: Practice[] = [];
    for (const [index, name] of PRACTICES.entries())
      practices.push(await createPractice(machine, zones, name, index));
    await machine.stop();
    return practices;
  };
  const practices = await drive(world, make(), hour);
  for (const practice of practices) confirmMembers(home, practice, Math.floor(world.now));
  const files = filesBelow(join(home, 'data'));
  return { begins: MADE_AT + BEGINS_AFTER, practices, zones: copyZones(zones), files };
};
