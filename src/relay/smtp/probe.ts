// Looks at a smarthost with a connection of its own, beside those of the pool: what it says up to the point where mail could be sent,
// and how its TLS is. For people who want to know why mail waits; nothing is sent, and the pool does not notice.
import { TLSSocket } from 'node:tls';
import { SECOND } from '#src/kernel/time.ts';
import { formatReply } from '#src/mail/reply.ts';
import type { Probe } from '#src/relay/upstream.ts';
import type { Extensions } from './commands.ts';
import { connect } from './connect.ts';
import { defaultTimeouts, type SmtpOptions } from './options.ts';

/** Someone waits for the answer. */
const WITHIN = { connect: 10 * SECOND, command: 10 * SECOND, setup: 20 * SECOND };
/** An honest conversation has some twenty lines. */
const MAX_LINES = 200;

const nameOf = (name: Readonly<Record<string, unknown>> | undefined): string | null => {
  const known = name?.CN ?? name?.O;
  return known === undefined ? null : [known].flat().join(', ');
};

const tlsOf = (socket: TLSSocket): Probe['tls'] => {
  const { subject, issuer, valid_to } = socket.getPeerCertificate();
  return {
    protocol: socket.getProtocol(),
    cipher: socket.getCipher()?.name ?? null,
    verified: socket.authorized,
    problem: socket.authorized ? null : String(socket.authorizationError),
    subject: nameOf(subject),
    issuer: nameOf(issuer),
    validTo: valid_to === undefined ? null : new Date(valid_to).toISOString(),
  };
};

/** `onOffered` learns what the server offers. */
export const probe = async (
  options: SmtpOptions,
  signal: AbortSignal = new AbortController().signal,
  onOffered?: (extensions: Extensions) => void,
): Promise<Probe> => {
  const transcript: string[] = [];
  const result = await connect(options, { ...defaultTimeouts, ...WITHIN }, signal, (side, text) => {
    const lines = text.split(/\r?\n/).filter((line) => line !== '');
    for (const line of lines)
      if (transcript.length < MAX_LINES) transcript.push(`${side === 'client' ? 'C' : 'S'}: ${line}`);
  });
  if ('failure' in result) {
    const { failure } = result;
    const error = failure.result === 'refused' ? formatReply(failure.reply) : failure.error;
    return { ok: false, failedAt: failure.phase, error, dsn: null, transcript, tls: null };
  }
  const { socket, extensions } = result.link;
  onOffered?.(extensions);
  const tls = socket instanceof TLSSocket ? tlsOf(socket) : null;
  socket.on('error', () => undefined);
  socket.end('QUIT\r\n');
  socket.setTimeout(defaultTimeouts.quit, () => socket.destroy());
  socket.resume();
  const said = [...transcript, 'C: QUIT'];
  return { ok: true, failedAt: null, error: null, dsn: extensions.dsn, transcript: said, tls };
};
