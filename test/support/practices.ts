// Practices by the hundred, made in this process with one pair of keys for all: making two RSA keys for each takes minutes.
import { generateKeyPairSync } from 'node:crypto';
import { createApp } from '#src/app/app.ts';
import type { GenerateKeyPair } from '#src/domains/keys/keys.ts';
import { loadConfig } from '#src/kernel/config/config.ts';
import { createLog } from '#src/kernel/log.ts';
import type { Daemon, Practice } from '#test/support/daemon.ts';

const CLIENTS = 16;

/** Runs the work for each item, so many at a time. */
export async function each<T>(
  items: Iterable<T>,
  clients: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const next = items[Symbol.iterator]();
  const client = async () => {
    for (let item = next.next(); !item.done; item = next.next()) await work(item.value);
  };
  await Promise.all(Array.from({ length: clients }, client));
}

/** In the data directory of a daemon that has been stopped. */
export async function createPractices(
  { configFile, adminToken }: Pick<Daemon, 'configFile' | 'adminToken'>,
  count: number,
  fields: Readonly<Record<string, unknown>> = {},
): Promise<Practice[]> {
  const pairs = {
    'rsa-sha256': generateKeyPairSync('rsa', { modulusLength: 2_048 }),
    'ed25519-sha256': generateKeyPairSync('ed25519'),
  };
  const generateKeyPair: GenerateKeyPair = async (algorithm) => pairs[algorithm];
  const app = await createApp(loadConfig(configFile, {}).config, createLog('error'), { generateKeyPair });
  try {
    const { http } = await app.start();
    const practices: Practice[] = [];
    await each(Array.from({ length: count }).keys(), CLIENTS, async (index) => {
      const response = await fetch(`http://127.0.0.1:${http.port}/api/practices`, {
        method: 'POST',
        headers: { 'X-Admin-Token': adminToken, 'Content-Type': 'application/json' },
        body: JSON.stringify({ name: `Praxis ${index}`, ...fields }),
      });
      if (response.status !== 201)
        throw new Error(`not created: ${response.status} ${await response.text()}`);
      practices.push((await response.json()) as Practice);
    });
    return practices;
  } finally {
    await app.stop();
  }
}
