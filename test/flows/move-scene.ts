// Two hosts with master keys, service domains, managed suffixes and relays of their own, and the command that moves a practice.
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { stringify } from 'yaml';
import { type MoveValues, moveTenant } from '#src/app/cli/tenant-move.ts';
import { type AppOptions, type Refusal, startApp, type TestApp } from '#test/support/app.ts';
import { readFrozen } from '#test/support/arrival.ts';
import type { ConfigFile } from '#test/support/daemon.ts';
import { freePort } from '#test/support/process.ts';
import { createSmtpReceiver, type SmtpReceiver } from '#test/support/smtp-receiver.ts';

export interface Host {
  readonly app: TestApp;
  readonly receiver: SmtpReceiver;
  /** By which commands find the daemon and its data. */
  readonly configFile: string;
  readonly options: AppOptions;
}

/** `name`: `alt.example`. Its ports stay the same when it is started again. */
export const hostConfig = async (name: string): Promise<ConfigFile> => ({
  http: { listen: `127.0.0.1:${await freePort()}` },
  service: {
    public_origin: `https://mail.${name}`,
    host: `mail.${name}`,
    managed_suffix: `send.${name}`,
  },
  smtp: { inbound: { listen: `127.0.0.1:${await freePort()}` } },
});

export const startHost = async (name: string, options: AppOptions = {}): Promise<Host> => {
  const receiver = options.receiver ?? (await createSmtpReceiver());
  return startAgain({ receiver, config: await hostConfig(name), ...options }, receiver);
};

export const restartHost = async ({ app, receiver, options }: Host): Promise<Host> => {
  await app.stop();
  return startAgain({ ...options, home: app.home }, receiver);
};

const startAgain = async (options: AppOptions, receiver: SmtpReceiver): Promise<Host> => {
  const app = await startApp(options);
  const configFile = path.join(app.home, 'commands.yaml');
  const listen = new URL(app.origin).host;
  const admin = { token_file: path.join(app.home, 'admin.token') };
  await writeFile(configFile, stringify({ http: { listen }, admin, data_dir: path.join(app.home, 'data') }));
  return { app, receiver, configFile, options };
};

const terminal = { printError: () => undefined, isTerminal: false };

export const move = async (
  from: Host,
  to: Host,
  practice: string,
  values: Partial<MoveValues> = {},
): Promise<string> => {
  const { output } = await moveTenant(
    {
      practice,
      to: to.app.origin,
      'token-file': path.join(to.app.home, 'admin.token'),
      cancel: false,
      config: from.configFile,
      ...values,
    },
    {},
    terminal,
  );
  return typeof output === 'string' ? output : '';
};

export interface Frozen {
  readonly freeze: string;
  readonly key: string;
}

/** The steps of the command, one by one: whatever comes between two of them, it ends as it should. */
export const steps = (old: Host, next: Host, id: string) => {
  const ask = <T>({ app }: Host, method: string, path: string, body?: object) =>
    app.request<T>(method, path, body, app.adminToken);
  const asked = async <T>(host: Host, method: string, path: string, body?: object): Promise<T> => {
    const answer = await ask<T>(host, method, path, body);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.text}`);
    return answer.body;
  };
  const arrival = `/api/admin/arrivals/${id}`;
  const freezing = `/api/practices/${id}/freeze`;
  return {
    freeze: () => asked<Frozen>(old, 'POST', freezing, {}),
    take: async ({ key, freeze }: Frozen) => {
      const { body, digest } = await readFrozen(old.app.home, id);
      await asked(next, 'PUT', arrival, body);
      const taken = { key, digest, slug: 'praxis', freeze };
      return asked<{ host: string; mail: object }>(next, 'POST', arrival, taken);
    },
    move: (freeze: string, { host, mail }: { readonly host: string; readonly mail: object }) =>
      ask<Refusal>(old, 'POST', `/api/practices/${id}/move`, {
        freeze,
        new_host: { origin: next.app.origin, host, mail },
      }),
    begin: () => ask<Refusal>(next, 'POST', `${arrival}/begin`),
    /** Asks the old host for the proof that a freeze is over. */
    release: (freeze: string) =>
      ask<{ proof: string } & Refusal>(old, 'DELETE', `${freezing}?freeze=${freeze}`),
    cancel: (query = '') => ask<Refusal>(next, 'DELETE', `${arrival}${query}`),
    state: async () => (await asked<{ state: string | null }>(next, 'GET', arrival)).state,
  };
};

export const endHost = async ({ app, receiver }: Host): Promise<void> => {
  await app.remove();
  await receiver.stop();
};
