// `sendwerk quickstart` is a playground: the real daemon on loopback, with the capture upstream, the built-in DNS and a practice
// that is ready to send. It shows the whole way of a message first, by the public HTTP API only, and then prints what to try.
import { createApp } from '#src/app/app.ts';
import { loadConfig } from '#src/kernel/config/config.ts';
import { createLog } from '#src/kernel/log.ts';
import { type Api, createApi } from '../quickstart/api.ts';
import { linesToPaste } from '../quickstart/lines.ts';
import { anyPorts, HOST, type PortName } from '../quickstart/ports.ts';
import { createSignIns } from '../quickstart/sign-in.ts';
import { type Practice, type Say, walk } from '../quickstart/walk.ts';
import { OPERATOR, openWorkspace, type Workspace } from '../quickstart/workspace.ts';
import { CommandError } from './command.ts';
import type { ProcessSignals } from './serve.ts';

export interface QuickstartOptions {
  readonly once: boolean;
  /** The directory that keeps all of it; without one, all is removed at the end. */
  readonly keep: string | undefined;
  readonly print: (text: string) => void;
  readonly signals: ProcessSignals;
}

/** Who signs in to the dashboard. */
const OWNER = 'owner@example.org';

const LEGAL = {
  street: 'Marktplatz 1',
  city: '50667 Köln',
  privacy_url: 'https://praxis.example/privacy',
  imprint_url: 'https://praxis.example/imprint',
  email: 'praxis@example.org',
  phone: '+49 221 123456',
  represented_by: 'Dr. Erika Muster',
};

const LISTENERS: Readonly<Record<PortName, string>> = {
  http: 'HTTP',
  submission: 'SMTP submission',
  inbound: 'SMTP for mail from the world',
  dns: 'DNS',
};

/** The practice of the last start, or a new one that lacks nothing. */
const preparePractice = async (api: Api, workspace: Workspace) => {
  const { adminToken } = workspace;
  if (workspace.practice !== null) {
    const { id, token } = workspace.practice;
    return { practice: await api<Practice>('GET', `/api/practices/${id}`, { token }), token };
  }
  const practice = await api<Practice>('POST', '/api/practices', {
    adminToken,
    // The cap of the plan for trying it out would end a playground that is kept within the month.
    body: { name: 'Praxis am Markt', owner_email: OWNER, plan: 'gruppe' },
  });
  const path = `/api/practices/${practice.id}`;
  const { token } = await api<{ token: string }>('POST', `${path}/api-tokens`, {
    adminToken,
    body: { name: 'quickstart', scope: 'team' },
  });
  await api('PATCH', `${path}/compliance`, { adminToken, body: LEGAL });
  await api('POST', `${path}/presets/seed`, { token });
  await api('POST', `${path}/inbound/enable`, { token, body: {} });
  await workspace.keepPractice({ id: practice.id, token });
  return { practice, token };
};

const play = async (options: QuickstartOptions, workspace: Workspace): Promise<number> => {
  const { once, keep, print, signals } = options;
  const { origin, adminToken, directory } = workspace;
  let step = 0;
  const say: Say = (title, ...lines) =>
    print(`${++step}. ${title}\n${lines.map((line) => `   ${line}\n`).join('')}\n`);

  const ended = new Promise<void>((resolve) => signals.onEnd(() => resolve()));
  const { config } = loadConfig(workspace.nextConfigFile, {});
  const app = await createApp(config, createLog(config.log.level));
  await workspace.started();
  for (const { name, wanted, port } of workspace.moved)
    print(`Port ${wanted} is taken: ${LISTENERS[name]} is at ${port} this time.\n`);
  const { dnsPort, inboundPort, submissionPorts } = await app.start();
  const submissionPort = submissionPorts.port ?? 0;
  try {
    say(
      'The daemon is up',
      `HTTP ${origin}`,
      `SMTP ${HOST}:${submissionPort}, for programs that send: a token is the password, TLS is not needed on this machine`,
      `SMTP ${HOST}:${inboundPort}, for mail from the world`,
      `DNS  ${HOST}:${dnsPort} (UDP and TCP)`,
      `data ${config.data_dir}`,
    );

    const api = createApi(origin);
    const isNew = workspace.practice === null;
    const { practice, token } = await preparePractice(api, workspace);
    say(
      `A practice: ${practice.name}`,
      `id    ${practice.id}`,
      `host  ${practice.managed_host}, sends as ${practice.default_from}`,
      `token ${token}`,
      'It has a legal block, the starter templates, an inbox and an owner.',
    );

    if (isNew || once)
      await walk(
        api,
        practice,
        token,
        { origin, dnsPort: dnsPort ?? 0, serviceHost: config.service.host },
        say,
      );

    const practicePath = `/api/practices/${practice.id}`;
    const reply = 'From: erika@home.test\\nSubject: Re: Ihr Termin\\n\\nDanke!\\n';
    say(
      `Mail to any address of in.${practice.managed_host} is received`,
      `printf '${reply}' | curl --crlf smtp://${HOST}:${inboundPort} \\`,
      `  --mail-from erika@home.test --mail-rcpt praxis@in.${practice.managed_host} -T -`,
      `and read it: curl -H 'Authorization: Bearer ${token}' ${origin}${practicePath}/inbound/messages`,
    );

    const lines = linesToPaste({
      origin,
      host: HOST,
      submissionPort,
      practice: practice.id,
      token,
      from: practice.default_from,
    });
    say('Send the next one: paste the first lines, then any of the others');
    for (const block of Object.values(lines)) print(`${block.join('\n')}\n\n`);
    print(
      `   all of it is captured and nothing leaves this machine: ${origin}/app/${practice.id}/captures\n` +
        `   or curl -H "Authorization: Bearer $SENDWERK_TOKEN" $SENDWERK_URL${practicePath}/captures\n` +
        '   webhooks may go to http://localhost with any port\n' +
        `   all calls: ${origin}/reference\n\n`,
    );

    const signIns = await createSignIns(api, adminToken, origin);
    say(
      'Look at all of it in a browser',
      await signIns.linkFor(OWNER),
      `This signs in ${OWNER}, once within ten minutes. Later, sign in at ${origin}/app as ${OWNER}, or as`,
      `${OPERATOR} for the whole machine; the links appear here.`,
    );
    if (!once) {
      const after =
        keep === undefined
          ? `then ${directory} is removed; --keep DIR keeps a practice, its token and its mail.`
          : `${directory} keeps all of it for the next start.\n\`sendwerk admin\` works with --config ${workspace.configFile}.`;
      print(`The daemon stays up until Ctrl-C; ${after}\n\n`);
      let isEnded = false;
      const watching = signIns.watch(
        ({ recipient, link }) => print(`   for ${recipient}: ${link}\n`),
        () => isEnded,
      );
      await ended;
      isEnded = true;
      await watching;
    }
    return 0;
  } finally {
    await app.stop();
  }
};

/** Resolves with the exit code: 0 if the message has two valid signatures. Rejects with CommandError. */
export const quickstart = async (options: QuickstartOptions): Promise<number> => {
  const { once, keep } = options;
  // Nobody comes back to a run that ends at once, so that it takes no port from another one.
  const workspace = await openWorkspace(keep, once && keep === undefined ? anyPorts : undefined);
  try {
    return await play(options, workspace);
  } catch (error) {
    if (error instanceof CommandError) throw error;
    options.print(`It did not work: ${error instanceof Error ? error.message : String(error)}\n`);
    return 1;
  } finally {
    await workspace.close();
  }
};
