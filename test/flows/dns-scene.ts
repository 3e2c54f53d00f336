// A running application with its name server on, and dig to ask it.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { startApp, type TestApp } from '#test/support/app.ts';

const run = promisify(execFile);
export const server = '127.0.0.1';
export const HOST = 'mail.example.com';
export const SUFFIX = 'send.example.com';
export const OWN = `praxis-am-see.${SUFFIX}`;
export const zones = {
  addresses: ['192.0.2.10', '192.0.2.11', '2001:db8::10'],
  nameservers: [`ns1.${HOST}`, `ns2.${HOST}`],
  hostmaster: 'dns.admin@example.com',
};

export const startWithDns = async (): Promise<TestApp & { readonly dnsPort: number }> => {
  const app = await startApp({ config: { dns: { authoritative: { listen: `${server}:0` }, zones } } });
  if (app.dnsPort === null) throw new Error('the name server is off');
  return { ...app, dnsPort: app.dnsPort };
};

interface DnsHealth {
  readonly dns: {
    readonly listening: boolean;
    readonly queries: number;
    readonly limited: number;
    readonly failed: number;
  } | null;
}
export const dnsHealth = async (app: TestApp): Promise<DnsHealth['dns']> =>
  (await app.request<DnsHealth>('GET', '/api/admin/health', undefined, app.adminToken)).body.dns;

interface Said {
  /** `NOERROR qr aa` */
  readonly head: string;
  readonly answer: string[];
  readonly authority: string[];
  readonly additional: string[];
  readonly text: string;
}

const section = (text: string, name: string): string[] => {
  const lines = (text.split(`;; ${name} SECTION:\n`)[1] ?? '').split('\n\n')[0] ?? '';
  return lines
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.replace(/\s+/g, ' '));
};

export const digAt =
  (port: number) =>
  async (...args: string[]): Promise<Said> => {
    const fixed = [`@${server}`, '-p', String(port), '+tries=1', '+time=60', '+ignore', '+norec', '+nostats'];
    const { stdout } = await run('dig', [...fixed, ...args]);
    return {
      head: `${/status: (\w+)/.exec(stdout)?.[1]} ${/flags: ([^;]*);/.exec(stdout)?.[1]}`,
      answer: section(stdout, 'ANSWER'),
      authority: section(stdout, 'AUTHORITY'),
      additional: section(stdout, 'ADDITIONAL'),
      text: stdout,
    };
  };
