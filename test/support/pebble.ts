// Debian's Pebble as the certificate authority: Let's Encrypt's server for tests (RFC 8555). It checks names for real, by the DNS and
// at the port that it is given; now and then it rejects a good nonce, as it may.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createCertificate } from '#test/support/certificate.ts';
import { endProcess, freePort, spawnMortal, untilListening } from '#test/support/process.ts';

const PROGRAM = '/usr/bin/pebble';
const NONCES_REJECTED_PERCENT = 15;

export interface Pebble {
  /** For `tls.acme.directory`. */
  readonly directory: string;
  /** PEM file for `tls.acme.ca_file`: who is at the directory. */
  readonly caFile: string;
  /** PEM: signs all certificates, through one in between. */
  readonly root: string;
  /** What it has written so far. */
  said(): string;
  stop(): Promise<void>;
}

const get = (url: string, ca: string): Promise<string> =>
  new Promise((resolve, reject) => {
    request(url, { ca, agent: false }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      answer.on('end', () => resolve(text));
    })
      .on('error', reject)
      .end();
  });

/** `dns` is asked for all names, whose port 80 is `httpPort`. */
export const startPebble = async (dns: string, httpPort: number): Promise<Pebble> => {
  const directory = await mkdtemp(path.join(tmpdir(), 'pebble-'));
  const [port, management] = [await freePort(), await freePort()];
  const { certificate, key } = createCertificate(['127.0.0.1']);
  const files = { ca: path.join(directory, 'api.crt'), key: path.join(directory, 'api.key') };
  await writeFile(files.ca, certificate);
  await writeFile(files.key, key);
  const configFile = path.join(directory, 'pebble.json');
  const pebble = {
    listenAddress: `127.0.0.1:${port}`,
    managementListenAddress: `127.0.0.1:${management}`,
    certificate: files.ca,
    privateKey: files.key,
    httpPort,
    tlsPort: await freePort(),
    ocspResponderURL: '',
    externalAccountBindingRequired: false,
  };
  await writeFile(configFile, JSON.stringify({ pebble }));
  const child = spawnMortal(PROGRAM, ['-config', configFile, '-dnsserver', dns], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PEBBLE_VA_NOSLEEP: '1',
      PEBBLE_AUTHZREUSE: '0',
      PEBBLE_WFE_NONCEREJECT: String(NONCES_REJECTED_PERCENT),
    },
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      said += chunk.toString();
    });
  child.on('error', (error) => {
    said += error.message;
  });
  await untilListening({ host: '127.0.0.1', port: management }, child, () => said);
  return {
    directory: `https://127.0.0.1:${port}/dir`,
    caFile: files.ca,
    root: await get(`https://127.0.0.1:${management}/roots/0`, certificate),
    said: () => said,
    stop: async () => {
      await endProcess(child);
      await rm(directory, { recursive: true });
    },
  };
};
