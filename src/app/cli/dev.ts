// `sendwerk dev` captures the mail of other programs on a developer's machine, with the ports and the API of mailpit. It is no
// part of the service: it reads no configuration, opens no data of a service, and has nothing by which a mail could leave.
import { createLog } from '#src/kernel/log.ts';
import { readVersion } from '#src/kernel/version.ts';
import { composeUnsigned } from '#src/messages/compose/mime.ts';
import { createAnswers } from '#src/smtp/dev/answers.ts';
import { createCaptureListener } from '#src/smtp/dev/capture-smtp.ts';
import { ForeignDirectory, openMailbox } from '#src/smtp/dev/mailbox.ts';
import { createDevServer, isLoopback } from '#src/smtp/dev/server.ts';
import { CommandError, UsageError } from './command.ts';
import type { Terminal } from './terminal.ts';

export interface DevOptions extends Pick<Terminal, 'print' | 'signals'> {
  readonly listen: string;
  readonly smtp: string;
  readonly http: string;
  readonly max: string;
  readonly keep: string | undefined;
}

const STOP_MS = 1_000;

const wholeNumber = (option: string, given: string, least: number, most: number): number => {
  const number = Number(given);
  if (/^\d+$/.test(given) && number >= least && number <= most) return number;
  throw new UsageError(`dev: --${option} is a whole number from ${least} to ${most}, not ${given}`);
};

const listening = async <T>(option: string, port: number, start: () => Promise<T>): Promise<T> => {
  try {
    return await start();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE')
      throw new CommandError(`dev: port ${port} is taken; end what uses it, or give another by --${option}`);
    throw code === undefined ? error : new CommandError(`dev: --${option} ${port}: ${message}`);
  }
};

/** Resolves with the exit code once a signal has ended it. Rejects with CommandError or UsageError. */
export const dev = async (options: DevOptions): Promise<number> => {
  const { listen: host, keep, print, signals } = options;
  const smtpPort = wholeNumber('smtp', options.smtp, 0, 65_535);
  const httpPort = wholeNumber('http', options.http, 0, 65_535);
  const ended = new Promise<void>((resolve) => signals.onEnd(() => resolve()));
  const log = createLog('warn');
  const max = wholeNumber('max', options.max, 1, 100_000);
  const mailbox = await openMailbox(max, keep ?? null).catch((error) => {
    throw error instanceof ForeignDirectory ? new CommandError(`dev: ${error.message}`) : error;
  });
  const smtp = createCaptureListener({ host, port: smtpPort }, mailbox, log);
  const answer = createAnswers({
    mailbox,
    version: readVersion(),
    startedAt: Date.now(),
    place: keep ?? 'memory',
    now: Date.now,
    compose: composeUnsigned,
  });
  const server = createDevServer({ listen: { host, port: httpPort }, answer, log });
  try {
    const { port } = await listening('smtp', smtpPort, smtp.start);
    const http = await listening('http', httpPort, server.start);
    const shown = host.includes(':') ? `[${host}]` : host;
    print(
      `SMTP ${shown}:${port}, for any sender, recipient, user and password; nothing is delivered\n` +
        `HTTP http://${shown}:${http}, with the captured mails and mailpit's API\n` +
        (isLoopback(host)
          ? ''
          : 'Everyone who reaches this machine can read and delete these mails: --listen is not loopback.\n'),
    );
    await ended;
    return 0;
  } finally {
    await Promise.all([smtp.stop(STOP_MS), server.stop()]);
  }
};
