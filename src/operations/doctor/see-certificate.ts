// Looks at the certificate that a listener shows, as a client would: TLS at once, or after STARTTLS of SMTP (RFC 3207). Nothing is sent.
import type { X509Certificate } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import type { CertificateFacts } from './network-rules.ts';

export interface Shown {
  readonly address: string;
  readonly port: number;
  /** The name that a client asks for and expects. */
  readonly name: string;
  readonly start: 'tls' | 'smtp';
}

type Seen = Pick<CertificateFacts, 'error' | 'names' | 'isForName' | 'problem' | 'validTo' | 'isSelfSigned'>;

const MAX_GREETING_BYTES = 16_384;

const notSeen = (error: string): Seen => ({
  error,
  names: [],
  isForName: false,
  problem: null,
  validTo: 0,
  isSelfSigned: false,
});

const namesOf = ({ subjectAltName, subject }: X509Certificate): string[] =>
  subjectAltName === undefined
    ? [subject.replace(/^CN=/m, '')]
    : subjectAltName.split(', ').map((name) => name.replace(/^(?:DNS|IP Address):/, ''));

/** `problem`: why its chain is not trusted. */
export const certificateSeen = (
  certificate: X509Certificate,
  name: string,
  problem: string | null,
): Seen => ({
  error: null,
  names: namesOf(certificate),
  isForName: certificate.checkHost(name) !== undefined,
  problem,
  validTo: certificate.validToDate.getTime(),
  isSelfSigned: certificate.checkIssued(certificate),
});

/** These are told by the names and times of the certificate itself. */
const TOLD_OTHERWISE = new Set(['ERR_TLS_CERT_ALTNAME_INVALID', 'CERT_HAS_EXPIRED']);

const ofSocket = (socket: TLSSocket, name: string): Seen => {
  const certificate = socket.getPeerX509Certificate();
  if (certificate === undefined) return notSeen('it shows none');
  const error = socket.authorized ? null : String(socket.authorizationError);
  return certificateSeen(certificate, name, error !== null && TOLD_OTHERWISE.has(error) ? null : error);
};

/** Resolves with the next reply of the server, all its lines. */
const replyOf = (socket: Socket): Promise<string> =>
  new Promise((resolve, reject) => {
    let text = '';
    const end = (): void => {
      socket.off('data', read);
      socket.off('close', closed);
    };
    const closed = (): void => {
      end();
      reject(new Error('it closed the connection'));
    };
    const read = (chunk: Buffer): void => {
      text += chunk.toString('latin1');
      if (!/^\d{3}(?: |\r\n)[^\n]*\n$/m.test(text) && text.length < MAX_GREETING_BYTES) return;
      end();
      resolve(text);
    };
    socket.on('data', read);
    socket.on('close', closed);
  });

const startSmtp = async (socket: Socket): Promise<void> => {
  await replyOf(socket);
  for (const command of ['EHLO doctor.invalid', 'STARTTLS']) {
    socket.write(`${command}\r\n`);
    const reply = await replyOf(socket);
    if (!reply.startsWith('2')) throw new Error(`it answered ${command} by ${reply.trim()}`);
    if (command !== 'STARTTLS' && !/^250[ -]STARTTLS\r?$/im.test(reply))
      throw new Error('it offers no STARTTLS');
  }
};

const handshake = (socket: Socket, name: string): Promise<Seen> =>
  new Promise((resolve, reject) => {
    const secure = connectTls({ socket, servername: name, rejectUnauthorized: false }, () => {
      resolve(ofSocket(secure, name));
      secure.end();
    });
    secure.once('error', reject);
  });

/** Never rejects. */
export const seeCertificate = async (
  { address, port, name, start }: Shown,
  signal: AbortSignal,
): Promise<Seen> => {
  const socket = connect({ host: address, port, signal });
  socket.on('error', () => undefined);
  try {
    await new Promise<void>((resolve, reject) => {
      socket.once('connect', resolve);
      socket.once('error', reject);
    });
    if (start === 'smtp') await startSmtp(socket);
    return await handshake(socket, name);
  } catch (error) {
    return notSeen(error instanceof Error ? error.message : String(error));
  } finally {
    socket.destroy();
  }
};
