// How the service is, part by part.
import type { ComponentChildren } from 'preact';
import type { OperatorHealth } from '#api';
import { call } from '#dashboard/api/call.ts';
import { useRefreshed } from '#dashboard/data.ts';
import { Head, Lamp, type Tone } from '#dashboard/parts/basics.tsx';
import { Loaded, Note } from '#dashboard/parts/feedback.tsx';
import { Table } from '#dashboard/parts/table.tsx';
import { bytes, duration, moment, number, translated } from '#dashboard/words.ts';
import { words } from './words/de.ts';

const EVERY_MS = 10_000;

interface Part {
  readonly name: string;
  readonly tone: Tone;
  readonly state: string;
  readonly details: ComponentChildren;
}

const listener = (isListening: boolean | undefined): Pick<Part, 'tone' | 'state'> => {
  const w = translated(words);
  if (isListening === undefined) return { tone: 'plain', state: w.off };
  return isListening ? { tone: 'good', state: w.listening } : { tone: 'bad', state: w.notListening };
};

const partsOf = (health: OperatorHealth): readonly Part[] => {
  const w = translated(words);
  const {
    registry,
    databases,
    disk,
    backup,
    replica,
    queue,
    upstreams,
    scanners,
    dns,
    inbound,
    resolver,
    webhooks,
  } = health;
  return [
    {
      name: w.registry,
      tone: registry === 'ok' ? 'good' : 'bad',
      state: w.storages[registry],
      details: null,
    },
    {
      name: w.databases,
      tone: databases.broken > 0 ? 'bad' : databases.strays.count > 0 ? 'warn' : 'good',
      state: databases.broken === 0 ? w.storages.ok : w.broken(number(databases.broken)),
      details: (
        <>
          {w.open(number(databases.open), number(databases.limit))}
          {databases.strays.count > 0 && (
            <p>
              {w.strays(number(databases.strays.count))} <code>{databases.strays.named.join(', ')}</code>
            </p>
          )}
        </>
      ),
    },
    {
      name: w.disk,
      tone: disk.state === 'ok' ? 'good' : disk.state === 'low' ? 'warn' : 'bad',
      state: w.disks[disk.state],
      details: w.free(bytes(disk.free_bytes), bytes(disk.total_bytes)),
    },
    {
      name: w.backup,
      tone: ({ ok: 'good', off: 'plain', old: 'bad', partial: 'bad', missing: 'bad' } as const)[backup.state],
      state: w.backups[backup.state],
      details: backup.last_at && (
        <>
          {w.lastBackup(moment(backup.last_at))}
          {backup.missing.length > 0 && (
            <>
              {' '}
              <code>{backup.missing.join(', ')}</code>
            </>
          )}
        </>
      ),
    },
    {
      name: w.replica,
      tone: ({ ok: 'good', off: 'plain', behind: 'bad', silent: 'bad' } as const)[replica.state],
      state: w.replicas[replica.state],
      details: replica.behind > 0 && (
        <>
          {w.replicaLacks(number(replica.behind), duration(replica.lag_seconds))}{' '}
          <code>{replica.practices.join(', ')}</code>
        </>
      ),
    },
    {
      name: w.queue,
      tone: 'good',
      state: w.works,
      details: (
        <>
          {w.inFlight(number(queue.in_flight), number(queue.waiting_tenants))}{' '}
          <a href="/app/operator/queues">{w.toQueues}</a>
        </>
      ),
    },
    ...upstreams.map(({ name, state, failures, never_delivered }) => ({
      name: w.upstream(name),
      tone: ({ closed: never_delivered ? 'warn' : 'good', half_open: 'warn', open: 'bad' } as const)[state],
      state: w.upstreams[state],
      details:
        failures > 0 ? w.failures(number(failures)) : never_delivered && w.neverDelivered[never_delivered],
    })),
    ...scanners.map(({ name, state, failures }) => ({
      name: w.scanner(name),
      tone: ({ ok: 'good', off: 'plain', failing: 'bad' } as const)[state],
      state: w.scanners[state],
      details: failures > 0 ? w.failures(number(failures)) : null,
    })),
    {
      name: w.dns,
      ...listener(dns?.listening),
      details: dns && w.queries(number(dns.queries), number(dns.failed)),
    },
    {
      name: w.inbound,
      ...listener(inbound?.listening),
      details: inbound && w.received(number(inbound.received), number(inbound.reports.changed)),
    },
    ...(inbound && resolver
      ? [
          {
            name: w.resolver,
            tone: resolver.state === 'ok' ? ('good' as const) : ('bad' as const),
            state: resolver.state === 'ok' ? w.works : w.silent,
            details:
              inbound.refused_content.dns > 0 ? w.notChecked(number(inbound.refused_content.dns)) : null,
          },
        ]
      : []),
    {
      name: w.webhooks,
      tone: 'good',
      state: w.works,
      details: w.deliveries(number(webhooks.in_flight), number(webhooks.waiting)),
    },
  ];
};

const noteKinds = { ok: 'good', degraded: 'warn', draining: 'warn', failing: 'bad' } as const;

const HealthPage = () => {
  const w = translated(words);
  const health = useRefreshed((abort) => call('GET /api/admin/health', {}, { abort }), EVERY_MS);
  return (
    <>
      <Head title={w.pages['operator/health']} intro={w.intro} />
      <Loaded data={health}>
        {(value) => {
          const { status, version, uptime_seconds: seconds } = value;
          return (
            <>
              <Note kind={noteKinds[status]}>
                <p>
                  <strong>{w.statuses[status]}</strong>
                </p>
                <p>
                  {w.version} {version}, {w.running(duration(seconds))}
                </p>
              </Note>
              <Table<Part>
                caption={w.pages['operator/health']}
                rows={partsOf(value)}
                rowKey={({ name }) => name}
                columns={[
                  { head: w.part, isMain: true, cell: ({ name }) => name },
                  { head: w.state, cell: ({ tone, state }) => <Lamp tone={tone} text={state} /> },
                  { head: w.details, cell: ({ details }) => details },
                ]}
              />
            </>
          );
        }}
      </Loaded>
    </>
  );
};

export default HealthPage;
