// opendkim as the milter that signs for a Postfix instance: RSA-2048, relaxed/relaxed, on a unix socket, which is
// three times as fast as its TCP socket.
import { generateKeyPairSync } from 'node:crypto';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { dkimRecord } from '#src/mail/dkim-key.ts';
import { endProcess, spawnMortal, untilListening } from '#test/support/process.ts';

const PROGRAM = '/usr/sbin/opendkim';

export interface Opendkim {
  /** For `startPostfix({ milterSocket })`. */
  readonly socket: string;
  readonly pid: number;
  /** For `peer._domainkey.<domain>`. */
  readonly record: string;
  stop(): Promise<void>;
}

/** Signs what comes from loopback with a From in `domain`, under the selector `peer`. */
export async function startOpendkim(domain: string): Promise<Opendkim> {
  const directory = await mkdtemp(path.join(tmpdir(), 'opendkim-'));
  // The milter's client, smtpd, runs as another user.
  await chmod(directory, 0o755);
  const socket = path.join(directory, 'socket');
  const keyFile = path.join(directory, 'key.pem');
  const configFile = path.join(directory, 'opendkim.conf');
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  await writeFile(keyFile, privateKey.export({ type: 'pkcs1', format: 'pem' }), { mode: 0o600 });
  await writeFile(
    configFile,
    `Mode s
Domain ${domain}
Selector peer
KeyFile ${keyFile}
Canonicalization relaxed/relaxed
SignatureAlgorithm rsa-sha256
Socket local:${socket}
UMask 000
Syslog no
RequireSafeKeys no
`,
  );
  const child = spawnMortal(PROGRAM, ['-f', '-x', configFile], { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.on('error', (error) => {
    said += error.message;
  });
  child.stderr.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  await untilListening({ path: socket }, child, () => said);
  return {
    socket,
    pid: child.pid ?? 0,
    record: dkimRecord(publicKey, 'rsa-sha256'),
    stop: async () => {
      // Asked to end it takes five seconds; it has nothing to lose.
      await endProcess(child, 'SIGKILL');
      await rm(directory, { recursive: true });
    },
  };
}
