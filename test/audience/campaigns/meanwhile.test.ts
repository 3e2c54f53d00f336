// The people of a campaign are read, and their mails scanned, before the transaction that hands them over. What happens in between
// counts: to the campaign, and to each of the people.
import { expect, test } from 'vitest';
import { tenantStore } from '#src/accounts/tenants/store.ts';
import { mailingIn } from '#src/audience/campaigns/content.ts';
import { beginHanding, handOver } from '#src/audience/campaigns/hand-over.ts';
import { type CampaignRow, campaignStore } from '#src/audience/campaigns/store.ts';
import { activate } from '#src/audience/subscribers/change.ts';
import { transact } from '#src/intake/accept.ts';
import type { Intake } from '#src/intake/open.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { newId } from '#src/kernel/id.ts';
import { parseAddress } from '#src/mail/address.ts';
import { ACCEPTED, createRelay, playUpstream, type Relay } from '#test/relay/fixture.ts';
import { audienceKeys, insertList } from '#test/support/audience.ts';
import { people } from './scene.ts';

const PEOPLE = 3;
const everyone = people(PEOPLE).map(({ address }) => address);

const campaignIn = (db: TenantDb, now: number): CampaignRow => {
  const list = insertList(db);
  for (const { address, name } of people(PEOPLE)) {
    const who = { list, address: parseAddress(address).address, name };
    activate(db, audienceKeys, { ...who, entry: { action: 'confirm', way: 'link' } }, now - 1);
  }
  const { project, route } = db
    .prepare<[], { project: string; route: string }>(
      "SELECT projects.id AS project, routes.id AS route FROM projects, routes WHERE routes.slug = 'broadcast'",
    )
    .get() ?? { project: '', route: '' };
  const seq = campaignStore(db).insert({
    id: newId(),
    name: 'Herbst',
    project_id: project,
    route_id: route,
    message_kind: 'newsletter',
    list_ids_json: JSON.stringify([list.id]),
    filter_json: '[]',
    schedule_at: null,
    time_zone: null,
    max_per_hour: null,
    status: 'sending',
    reason: null,
    due_at: now,
    after_hash: null,
    shared_id: null,
    file_identity: null,
    progress_at: now,
    looked_at: null,
    alarmed_at: null,
    notice_json: null,
    resumed_json: null,
    created_at: now,
    updated_at: now,
    started_at: now,
    finished_at: null,
  });
  campaignStore(db).putContent(
    seq,
    JSON.stringify({ subject: 'Grippeschutz', text: 'Guten Tag {{name}}', html: null }),
  );
  return campaignStore(db).bySeq(seq) as CampaignRow;
};

/** Hands a page over, and runs `meanwhile` when its people have been read. Resolves with the addresses of all messages. */
const handedOver = async (
  meanwhile: (relay: Relay, tenantId: string, handAllOver: () => Promise<unknown>) => Promise<unknown>,
): Promise<string[]> => {
  const relay = await createRelay([playUpstream(() => ACCEPTED)]);
  const tenantId = await relay.createPractice('Nord');
  const { tenants } = relay.storage;
  const row = await tenants.write(tenantId, (db) => campaignIn(db, relay.clock.now()));
  const mailing = await tenants.read(tenantId, (db) => mailingIn(db, row));
  const context = { ...relay.intake, suppressionKey: audienceKeys.suppressionKey };
  const intake = {
    context,
    transact: (id: string, work: Parameters<typeof transact>[2]) => transact(context, id, work),
  } as unknown as Intake;
  const handing = beginHanding(intake, tenantId, mailing, row);
  const handAllOver = () => handOver({ intake, tenantId, room: PEOPLE }, row, handing);
  let isDone: Promise<unknown> | undefined;
  await handOver({ intake, tenantId, room: PEOPLE }, row, {
    ...handing,
    assessFor: async (draft, values) => {
      isDone ??= meanwhile(relay, tenantId, handAllOver);
      await isDone;
      return handing.assessFor(draft, values);
    },
  });
  return tenants.read(tenantId, (db) =>
    db.prepare<[], string>('SELECT address FROM recipients ORDER BY address').pluck().all(),
  );
};

const runs =
  (sql: string) =>
  ({ storage }: Relay, tenantId: string): Promise<unknown> =>
    storage.tenants.write(tenantId, (db) => void db.prepare(sql).run());

test('nothing happens: each of them gets it', async () => {
  expect(await handedOver(async () => undefined)).toEqual(everyone);
});

test.each(['paused', 'cancelled', 'failed'])('it is %s: no one gets it', async (status) => {
  expect(await handedOver(runs(`UPDATE campaigns SET status = '${status}'`))).toEqual([]);
});

test('its people are handed over: no one gets it twice', async () => {
  const got = await handedOver((_, __, handAllOver) => handAllOver());
  expect(got).toEqual(everyone);
});

test('someone changes: what was read of them and those behind them is not used', async () => {
  const changed = `UPDATE subscribers SET name = 'Erika', updated_at = updated_at + 1
    WHERE address_hash = (SELECT max(address_hash) FROM subscribers)`;
  const got = await handedOver(runs(changed));
  expect(got).toHaveLength(PEOPLE - 1);
});

test('the practice is paused: no one gets it', async () => {
  const pause = ({ storage, clock }: Relay, tenantId: string): Promise<unknown> =>
    storage.tenants.write(tenantId, (db) => {
      const { pause_told, ...row } = tenantStore(db).practice();
      const pause = { pause_reason: 'x', pause_by: 'operator', pause_facts_json: '{}', pause_told } as const;
      tenantStore(db).updatePause({ ...row, ...pause, paused_at: clock.now() });
    });
  expect(await handedOver(pause)).toEqual([]);
});
