// Postfix's smtp-source: sends so many messages over so many parallel sessions and ends when all were accepted.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const PROGRAM = '/usr/sbin/smtp-source';
const TIMEOUT_MS = 300_000;

export interface SmtpSourceOptions {
  readonly port: number;
  readonly messages: number;
  /** Of the body: lines of text. */
  readonly bytes: number;
  readonly sessions: number;
  readonly from: string;
  /** Each message's recipient gets a number of its own in front. */
  readonly to: string;
}

/** Connections are kept. Rejects where any message is refused. */
export async function runSmtpSource(options: SmtpSourceOptions): Promise<void> {
  const { port, messages, bytes, sessions, from, to } = options;
  const numbers = { '-m': messages, '-l': bytes, '-s': Math.min(sessions, messages) };
  const args = Object.entries(numbers).flatMap(([flag, value]) => [flag, String(value)]);
  await promisify(execFile)(PROGRAM, ['-d', '-N', ...args, '-f', from, '-t', to, `127.0.0.1:${port}`], {
    timeout: TIMEOUT_MS,
  });
}
