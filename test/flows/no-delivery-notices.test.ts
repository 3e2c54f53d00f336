// A relay that offers no delivery notices, for which the service waits: the operator learns at the start that no mail will ever be
// `delivered`, before any has left.
import { expect, test } from 'vitest';
import { untilTestEnds } from '#test/flows/fixture.ts';
import { startDaemon } from '#test/support/daemon.ts';
import { freePort, until } from '#test/support/process.ts';
import { createSmtpReceiver } from '#test/support/smtp-receiver.ts';

interface Seen {
  readonly upstreams: readonly { readonly never_delivered: string | null }[];
}

test.each([
  ['without', ['PIPELINING', '8BITMIME'], 'no_dsn'],
  ['with', ['PIPELINING', '8BITMIME', 'DSN'], null],
])('a relay %s delivery notices', async (_, extensions, expected) => {
  const started = untilTestEnds();
  const relay = await createSmtpReceiver({ extensions });
  started.defer(relay.stop);
  const upstream = { name: 'relay', kind: 'smtp', host: relay.host, port: relay.port, tls: 'none' };
  const config = {
    upstreams: [upstream],
    smtp: { inbound: { listen: `127.0.0.1:${await freePort()}` } },
  };
  const daemon = await startDaemon({ config });
  started.defer(daemon.remove);
  const ask = async (path: string) =>
    (await daemon.request<Seen>('GET', path, undefined, daemon.adminToken)).body.upstreams;

  await until('the relay was asked', async () => {
    const [{ dsn } = { dsn: null }] = (await ask('/healthz')) as readonly { readonly dsn?: boolean | null }[];
    return dsn !== null;
  });
  for (const path of ['/healthz', '/api/admin/health', '/api/admin/queues'])
    expect(await ask(path), path).toMatchObject([{ never_delivered: expected }]);
  expect(relay.messages).toEqual([]);
  const isWarned = () => daemon.output().includes('the relay offers no delivery notices (DSN, RFC 3461)');
  if (expected === null) expect(isWarned()).toBe(false);
  else await until('the log says it', isWarned);
});
