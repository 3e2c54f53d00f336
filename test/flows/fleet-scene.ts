// Two hosts of a fleet behind HAProxy, with practices that send and are written to all the time. The first host is a process of its own,
// for it is killed.
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { stringify } from 'yaml';
import { runCommandLine } from '#src/app/cli/commands.ts';
import { relayAt } from '#test/flows/fixture.ts';
import { hostConfig } from '#test/flows/move-scene.ts';
import { startApp, type TestApp } from '#test/support/app.ts';
import type { Ran } from '#test/support/command.ts';
import { type ConfigFile, type Daemon, startDaemon } from '#test/support/daemon.ts';
import { startDnsZone } from '#test/support/dns-zone.ts';
import { type Haproxy, startHaproxy } from '#test/support/haproxy.ts';
import { bring } from '#test/support/reports.ts';
import { createSmtpReceiver, type SmtpReceiver } from '#test/support/smtp-receiver.ts';
import { soak } from '#test/support/soak.ts';

type Service = Pick<Daemon | TestApp, 'origin' | 'adminToken' | 'createPractice' | 'createToken'> & {
  readonly request: Daemon['request'];
};

export interface FleetHost {
  readonly service: Service;
  /** By which requests are sent to it. */
  readonly name: string;
  readonly home: string;
  readonly mailPort: number;
}

export interface Member {
  readonly id: string;
  readonly slug: string;
  readonly token: string;
  /** The name of the host on which it was made: programs, links and mail go on using it. */
  readonly name: string;
  /** Whose mail comes in there. */
  readonly address: string;
}

export interface Scene {
  readonly one: FleetHost & { readonly daemon: Daemon };
  readonly two: FleetHost;
  readonly members: readonly Member[];
  readonly proxy: Haproxy;
  /** The relay of both. */
  readonly receiver: SmtpReceiver;
  readonly fleetFile: string;
  /** A command on the host of that home, or on any. */
  readonly command: (home: string | null, ...args: string[]) => Promise<Ran>;
}

/** Between two mails of a client. */
const PAUSE_MS = soak(250, 50);
const NAMES = ['eins.example', 'zwei.example'] as const;

const runCommand = async (home: string | null, ...args: string[]): Promise<Ran> => {
  let printed = '';
  const print = (text: string): void => {
    printed += text;
  };
  const config = home === null ? [] : ['--config', path.join(home, 'service.yaml')];
  const exitCode = await runCommandLine([...args, ...config], {
    environment: {},
    signals: { onEnd: () => {}, onReload: () => {} },
    print,
    printAll: async () => {},
    printError: print,
    isTerminal: false,
  });
  return { exitCode, printed };
};

/** Host and port of its listener for mail. */
const portOf = (config: { readonly smtp?: unknown }): number =>
  Number(/:(\d+)"/.exec(JSON.stringify(config.smtp))?.[1]);

export const openFleet = async (
  started: AsyncDisposableStack,
  directory: string,
  { practices, config: more }: { readonly practices: number; readonly config: ConfigFile },
): Promise<Scene> => {
  const dns = await startDnsZone();
  started.defer(() => dns.stop());
  const receiver = await createSmtpReceiver();
  started.defer(() => receiver.stop());
  const configOf = async (name: string): Promise<ConfigFile> => ({
    ...(await hostConfig(name)),
    upstreams: [relayAt(receiver.port)],
    queue: { retry: ['1s'], then_every: '1s', jitter: 0 },
    dns: { resolvers: [dns.address] },
  });
  const [first, second] = [{ ...(await configOf(NAMES[0])), ...more }, await configOf(NAMES[1])];
  const port = Number(/:(\d+)$/.exec((first.http as { listen: string }).listen)?.[1]);
  const daemon = await startDaemon({ config: first, port });
  started.defer(() => daemon.remove());
  const app = await startApp({ config: second });
  started.defer(() => app.remove());
  const hosts = [
    {
      service: daemon,
      daemon,
      name: `mail.${NAMES[0]}`,
      home: path.dirname(daemon.dataDir),
      mailPort: portOf(first),
    },
    { service: app as Service, name: `mail.${NAMES[1]}`, home: app.home, mailPort: portOf(second) },
  ] as const;
  const members: Member[] = [];
  for (let index = 0; index < practices; index += 1) {
    const host = index % 3 === 2 ? hosts[1] : hosts[0];
    const { id } = await host.service.createPractice({ name: `Praxis ${index}`, plan: 'gruppe' });
    const { adminToken, request } = host.service;
    const base = `/api/practices/${id}`;
    const { body } = await request<Record<'slug' | 'managed_host', string>>(
      'GET',
      base,
      undefined,
      adminToken,
    );
    const { slug, managed_host } = body;
    const { status } = await request('POST', `${base}/inbound/enable`, {}, adminToken);
    if (status >= 300) throw new Error(`mail for ${slug} is not enabled: ${status}`);
    const token = await host.service.createToken(id);
    members.push({ id, slug, token, name: host.name, address: `empfang@in.${managed_host}` });
  }
  const proxy = await startHaproxy({
    one: new URL(daemon.origin).host,
    two: new URL(app.origin).host,
  });
  started.defer(() => proxy.stop());
  const [one, two] = hosts.map(({ service, name, home }, index) => ({
    url: service.origin,
    name,
    address: [`192.0.2.${index + 1}`],
    token_file: path.join(home, 'admin.token'),
    config: path.join(home, 'service.yaml'),
  }));
  const fleetFile = path.join(directory, 'fleet.yaml');
  await writeFile(fleetFile, `# The hosts.\n${stringify({ hosts: { one, two } })}`);
  return { one: hosts[0], two: hosts[1], members, proxy, receiver, fleetFile, command: runCommand };
};

/** What the clients of the load were told, over HTTP and by SMTP. */
export interface Told {
  /** Recipients of mails that were answered 202, with the ids of the messages. */
  readonly accepted: Map<string, { readonly member: Member; readonly id: string }>;
  /** Statuses of other answers. */
  readonly refused: number[];
  /** No answer came. */
  readonly broken: string[];
  /** Subjects of mails to inboxes that were answered 250. */
  readonly taken: Map<string, Member>;
  /** First digits of other replies. */
  readonly deferred: string[];
}

export const newTold = (): Told => ({
  accepted: new Map(),
  refused: [],
  broken: [],
  taken: new Map(),
  deferred: [],
});

export const sendThrough = async (
  { proxy }: Pick<Scene, 'proxy'>,
  member: Member,
  to: string,
  told: Told,
): Promise<void> => {
  const { name, id, token } = member;
  const answer = await proxy
    .request(
      name,
      'POST',
      `/api/practices/${id}/send`,
      { authorization: `Bearer ${token}` },
      { to, subject: 'Termin', text: 'Bis Montag.' },
    )
    .catch(() => undefined);
  if (answer === undefined) told.broken.push(to);
  else if (answer.status === 202) told.accepted.set(to, { member, id: JSON.parse(answer.text).id });
  else told.refused.push(answer.status);
};

/** As the MX of its host's name leads: to that host while it lives, then to its heir. */
export const writeTo = async (port: number, member: Member, subject: string, told: Told): Promise<void> => {
  const content = `From: erika@example.com\r\nTo: ${member.address}\r\nSubject: ${subject}\r\nMessage-ID: <${subject}@example.com>\r\n\r\nGuten Tag\r\n`;
  const reply = await bring(port, member.address, content, 'erika@example.com').catch(
    (error: Error) => /\d{3}/.exec(error.message)?.[0] ?? 'none',
  );
  if (reply?.startsWith('250')) told.taken.set(subject, member);
  else told.deferred.push(reply?.slice(0, 3) ?? 'none');
};

/** Each practice sends and is written to, one mail after the other, until it is told to end. */
export const load = (
  scene: Scene,
  label: string,
  mailPortOf: (member: Member) => number,
  told: Told,
): (() => Promise<void>) => {
  let goesOn = true;
  const clients = scene.members.flatMap((member, client) => [
    (async () => {
      for (let n = 0; goesOn; n += 1) {
        await sendThrough(scene, member, `${label}-${client}-${n}@example.org`, told);
        await pause(PAUSE_MS);
      }
    })(),
    (async () => {
      for (let n = 0; goesOn; n += 1) {
        await writeTo(mailPortOf(member), member, `${label}-${client}-${n}`, told);
        await pause(PAUSE_MS);
      }
    })(),
  ]);
  return async () => {
    goesOn = false;
    await Promise.all(clients);
  };
};
