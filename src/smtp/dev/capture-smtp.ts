// The SMTP side of `sendwerk dev`: the listener of the service, with handlers that take whatever comes. Nothing of what the
// service asks before it takes a mail is here, and nothing that could send one.
import { createByteBudget } from '#src/kernel/byte-budget.ts';
import type { Log } from '#src/kernel/log.ts';
import { createListener, type ListenAddress } from '../listener.ts';
import type { Mailbox } from './mailbox.ts';

export const MAX_MESSAGE_BYTES = 50 * 1_024 * 1_024;
const CLIENT_SHARE = 0.5;

export const createCaptureListener = (listen: ListenAddress, mailbox: Mailbox, log: Log) =>
  createListener({
    name: 'dev',
    listen,
    hostName: 'localhost',
    // Clients that change to TLS where it is offered would refuse a certificate that no one signed.
    certificates: null,
    smtpUtf8: true,
    limits: {
      connections: 200,
      perClient: 200,
      messageBytes: MAX_MESSAGE_BYTES,
      recipients: 1_000,
      mistakes: 100,
    },
    budget: createByteBudget(MAX_MESSAGE_BYTES / CLIENT_SHARE, undefined, CLIENT_SHARE),
    handlers: {
      authenticate: async ({ username }) => ({ username: username ?? '' }),
      signInIsOptional: true,
      mail: () => undefined,
      rcpt: () => undefined,
      takesNul: () => true,
      data: async (content, { envelope, user }) => {
        const { username } = (user || { username: '' }) as { readonly username: string };
        const from = envelope.mailFrom === false ? '' : envelope.mailFrom.address;
        const recipients = envelope.rcptTo.map(({ address }) => address);
        return `2.0.0 captured as ${await mailbox.add(content, { from, recipients, username }, Date.now())}`;
      },
    },
    log,
  });
