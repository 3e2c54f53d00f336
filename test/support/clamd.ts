// Debian's clamd in the foreground, on a free loopback port or a unix socket, as the user who runs the tests; its only
// signature is that of the EICAR test file. The system's own instance and signatures are not touched.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { endProcess, freePort, spawnMortal, untilListening } from '#test/support/process.ts';

const PROGRAM = '/usr/sbin/clamd';

/** The harmless file that every virus scanner is to find (eicar.org), in two halves, so that none finds it in here. */
export const EICAR = ['X5O!P%@AP[4\\PZX54(P^)7CC)7}$EICAR', '-STANDARD-ANTIVIRUS-TEST-FILE!$H+H*'].join('');
/** As clamd calls it: signatures that are not the project's own are marked. */
export const EICAR_NAME = 'Eicar-Test.UNOFFICIAL';

export interface Clamd {
  /** As `scanners.clamd.address` takes it. */
  readonly address: string;
  stop(): Promise<void>;
}

export interface ClamdOptions {
  /** Of one stream; more is refused. */
  readonly streamMaxLength?: string;
  /** Listens on a unix socket instead. */
  readonly unix?: boolean;
  /** Of an earlier one. */
  readonly port?: number;
}

export async function startClamd(options: ClamdOptions = {}): Promise<Clamd> {
  const directory = await mkdtemp(path.join(tmpdir(), 'clamd-'));
  const port = options.port ?? (await freePort());
  const socket = path.join(directory, 'socket');
  const configFile = path.join(directory, 'clamd.conf');
  await mkdir(path.join(directory, 'db'));
  // Any type of file, at any offset.
  const signature = `Eicar-Test:0:*:${Buffer.from(EICAR).toString('hex')}\n`;
  await writeFile(path.join(directory, 'db', 'eicar.ndb'), signature);
  await writeFile(
    configFile,
    `Foreground true
DatabaseDirectory ${directory}/db
TemporaryDirectory ${directory}
${options.unix ? `LocalSocket ${socket}` : `TCPAddr 127.0.0.1\nTCPSocket ${port}`}
StreamMaxLength ${options.streamMaxLength ?? '50M'}
MaxFileSize 50M
MaxScanSize 50M
SelfCheck 0
`,
  );
  const child = spawnMortal(PROGRAM, ['-c', configFile], { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.on('error', (error) => {
    said += error.message;
  });
  child.stderr.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  const address = options.unix ? { path: socket } : { host: '127.0.0.1', port };
  await untilListening(address, child, () => said);
  return {
    address: options.unix ? socket : `127.0.0.1:${port}`,
    stop: async () => {
      await endProcess(child);
      await rm(directory, { recursive: true, force: true });
    },
  };
}
