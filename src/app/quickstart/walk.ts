// The whole way of a message, shown step by step: accepted, signed, captured, verified against the DNS that the daemon serves,
// and what the mailbox simulator brings back.
import { Resolver } from 'node:dns/promises';
import { dkimVerify } from 'mailauth/lib/dkim/verify.js';
import { type Api, untilStatus } from './api.ts';
import { HOST } from './ports.ts';

export interface Practice {
  readonly id: string;
  readonly name: string;
  readonly managed_host: string;
  readonly default_from: string;
}

/** Prints a step with its lines. */
export type Say = (title: string, ...lines: string[]) => void;

/** The mailbox simulator's answers, and what becomes of a message by them. */
const SIMULATED = { bounce: 'hard_bounced', complaint: 'spam_complaint', ooto: 'auto_replied' } as const;

const verifySignatures = async (source: string, dnsPort: number) => {
  const resolver = new Resolver();
  resolver.setServers([`${HOST}:${dnsPort}`]);
  const { results } = await dkimVerify(source, {
    resolver: (name, type) => resolver.resolve(name, type) as never,
  });
  return results.map(({ algo, signingDomain, selector, status }) => ({
    algorithm: algo,
    domain: signingDomain,
    selector,
    result: status.result,
  }));
};

const example = {
  to: 'Erika Muster <erika@example.org>',
  subject: 'Ihr Termin am Montag um 9:30 Uhr',
  text: 'Guten Tag,\n\nwir freuen uns auf Sie am Montag um 9:30 Uhr.\n\nIhre Praxis am Markt\n',
  message_kind: 'termin',
};

interface Place {
  readonly origin: string;
  readonly dnsPort: number;
  readonly serviceHost: string;
}

/** Rejects where the message does not have two signatures that pass. */
export const walk = async (
  api: Api,
  practice: Practice,
  token: string,
  { origin, dnsPort, serviceHost }: Place,
  say: Say,
): Promise<void> => {
  const practicePath = `/api/practices/${practice.id}`;
  const sent = await api<{ id: string; status: string }>('POST', `${practicePath}/send`, {
    token,
    body: example,
  });
  say(
    'A message was accepted and is on the disk',
    `POST ${origin}${practicePath}/send`,
    JSON.stringify(sent),
  );

  const messagePath = `${practicePath}/messages/${sent.id}`;
  await untilStatus(api, messagePath, token, 'processed');
  say('It was composed, signed and relayed', 'status processed', `GET ${origin}${messagePath}`);

  const capturesPath = `${practicePath}/captures`;
  const { data } = await api<{ data: { id: string }[] }>('GET', `${capturesPath}?message_id=${sent.id}`, {
    token,
  });
  const sourcePath = `${capturesPath}/${data[0]?.id}`;
  const source = await api<string>('GET', sourcePath, { token });
  const signatures = await verifySignatures(source, dnsPort);
  say(
    'The captured message was verified against the DNS served here',
    ...signatures.map(
      ({ algorithm, domain, selector, result }) => `dkim=${result} ${algorithm} d=${domain} s=${selector}`,
    ),
    `GET ${origin}${sourcePath}`,
    `dig @${HOST} -p ${dnsPort} TXT ${signatures[0]?.selector}._domainkey.${practice.managed_host}`,
  );
  if (signatures.length !== 2 || signatures.some(({ result }) => result !== 'pass')) {
    throw new Error('expected two signatures that pass');
  }

  const answered: string[] = [];
  for (const [kind, status] of Object.entries(SIMULATED)) {
    const { id } = await api<{ id: string }>('POST', `${practicePath}/send-test`, { token, body: { kind } });
    await untilStatus(api, `${practicePath}/messages/${id}`, token, status);
    answered.push(`${kind}@simulator.${serviceHost}`.padEnd(45) + status);
  }
  say(
    'A bounce, a complaint and an automatic reply came back by SMTP from the mailbox simulator',
    ...answered,
    `POST ${origin}${practicePath}/send-test {"kind": "bounce"}`,
  );
};
