// Works on campaigns that are due: each turn looks at one, decides what is next (`rules.ts`), and does it, for a short while.

import { tenantStore } from '#src/accounts/tenants/store.ts';
import type { AudienceContext } from '#src/audience/context.ts';
import type { Task } from '#src/audience/work.ts';
import { windowOf } from '#src/feedback/reputation/window.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { AppError, type ErrorCode } from '#src/kernel/errors.ts';
import { SECOND } from '#src/kernel/time.ts';
import { mailingIn } from './content.ts';
import { countsOf } from './counts.ts';
import { beginHanding, failed, type Handing, handOver } from './hand-over.ts';
import { noticeOf, sendNotice } from './notices.ts';
import {
  type Look,
  lookedAt,
  type NextStep,
  nextStep,
  type OwnCounts,
  restOrReport,
  STALLED,
} from './rules.ts';
import { type CampaignRow, campaignStore, HANDED_OVER } from './store.ts';
import { takeOutSome } from './take-out.ts';

type CampaignContext = Pick<AudienceContext, 'files' | 'clock' | 'config' | 'intake' | 'accounts'>;

/** Then other work takes its turn. */
const TURN_MS = 250;
/** While the relay is behind, it is looked at again after the first time, then less and less often. */
const FIRST_REST_MS = 20;
const LONGEST_REST_MS = 5 * SECOND;
/** Contents that are kept ready, of some megabytes at most. */
const MAX_HANDINGS = 8;

const NO_RECIPIENTS = 'no_recipients' satisfies ErrorCode;

const NONE: OwnCounts = { tried: 0, hardBounced: 0, complained: 0 };

/** The campaign's counts without `former`, which are part of them. */
const since = (counts: OwnCounts, former: OwnCounts): OwnCounts => ({
  tried: counts.tried - former.tried,
  hardBounced: counts.hardBounced - former.hardBounced,
  complained: counts.complained - former.complained,
});

const began = (row: CampaignRow, now: number): CampaignRow => ({
  ...row,
  status: 'sending',
  started_at: now,
  progress_at: now,
  due_at: now,
  updated_at: now,
});

const pausedFor = (row: CampaignRow, reason: string, now: number): CampaignRow => ({
  ...row,
  status: 'paused',
  reason,
  due_at: now,
  updated_at: now,
  notice_json: noticeOf(reason === 'restored' ? 'restored' : 'stopped', now),
});

const sent = (row: CampaignRow, now: number): CampaignRow => ({
  ...row,
  status: 'sent',
  reason: null,
  due_at: now,
  updated_at: now,
  finished_at: now,
  notice_json: noticeOf('finished', now),
});

export const campaignTask = ({ files, clock, config, intake, accounts }: CampaignContext): Task => {
  /** What this process knows of the campaigns that it works on, by tenant and number. */
  const seen = new Set<string>();
  const handings = new Map<string, Handing>();
  const rests = new Map<string, { readonly until: number; readonly for: number }>();
  const keyOf = (tenantId: string, seq: number): string => `${tenantId} ${seq}`;

  const lookAt = (
    db: TenantDb,
    tenantId: string,
    seq: number,
  ): (Look & { readonly campaign: CampaignRow }) | null => {
    const campaign = campaignStore(db).bySeq(seq);
    if (!campaign) return null;
    const now = clock.now();
    const { paused_at, resumed_at } = tenantStore(db).practice();
    const { own, queued, waiting, deferred } = countsOf(db, seq);
    const former = campaign.resumed_json === null ? NONE : (JSON.parse(campaign.resumed_json) as OwnCounts);
    const { stop_at, stall_after } = config().campaigns;
    return {
      campaign,
      queued,
      tried: own.tried,
      waiting,
      deferred,
      own: since(own, former),
      identity: files.identify(tenantId),
      isFirst: !seen.has(keyOf(tenantId, seq)),
      isPracticePaused: paused_at !== null,
      window: windowOf(db, campaign.route_id, resumed_at, now),
      stopAt: stop_at,
      stallAfter: stall_after,
      now,
    };
  };

  /** Does nothing where someone has changed the campaign's status since. */
  const write = (tenantId: string, { seq, status }: CampaignRow, change: (row: CampaignRow) => CampaignRow) =>
    files.write(tenantId, (db) => {
      const known = campaignStore(db).bySeq(seq);
      if (known?.status === status) campaignStore(db).update(change(known));
    });

  const rest = (key: string): void => {
    const former = rests.get(key)?.for ?? FIRST_REST_MS / 2;
    const time = Math.min(2 * former, LONGEST_REST_MS);
    rests.set(key, { until: clock.now() + time, for: time });
  };

  /** Null: its content cannot be used, and the campaign has failed. */
  const handingOf = async (tenantId: string, row: CampaignRow): Promise<Handing | null> => {
    const key = keyOf(tenantId, row.seq);
    const known = handings.get(key);
    if (known) return known;
    try {
      const mailing = await files.read(tenantId, (db) =>
        mailingIn(db, row, undefined, intake.context.images),
      );
      const handing = beginHanding(intake, tenantId, mailing, row);
      if (handings.size === MAX_HANDINGS) handings.clear();
      handings.set(key, handing);
      return handing;
    } catch (error) {
      if (!(error instanceof AppError) || error.code === 'unavailable') throw error;
      await write(tenantId, row, (known) => failed(known, error.code, clock.now()));
      return null;
    }
  };

  /** Whether there is more to do at once. */
  const take = async (
    tenantId: string,
    look: Look & { readonly campaign: CampaignRow },
    step: NextStep,
  ): Promise<boolean> => {
    const { campaign: row, now } = look;
    const key = keyOf(tenantId, row.seq);
    if (step.kind !== 'hand_over' && step.kind !== 'rest') handings.delete(key);
    switch (step.kind) {
      case 'notify':
        await sendNotice(accounts.ownerNotices, tenantId, row);
        return true;
      case 'begin':
        await write(tenantId, row, (known) => began(known, now));
        return true;
      case 'pause':
        await write(tenantId, row, (known) => pausedFor(known, step.reason, now));
        return true;
      case 'wait':
        await write(tenantId, row, (known) => ({ ...known, reason: step.reason, due_at: step.until }));
        return false;
      case 'report_stall':
        await write(tenantId, row, (known) => ({
          ...known,
          reason: known.reason ?? STALLED,
          alarmed_at: now,
          notice_json: noticeOf('stalled', now),
        }));
        return true;
      case 'take_out': {
        const left = await takeOutSome(intake.context, tenantId, row.seq);
        if (left === 'claimed') rest(key);
        return left === 'some';
      }
      case 'rest': {
        rest(key);
        const changed = lookedAt(row, now);
        if (changed !== null) await write(tenantId, row, (known) => ({ ...known, ...changed }));
        return false;
      }
      case 'hand_over': {
        const handing = await handingOf(tenantId, row);
        if (handing === null) return true;
        const page = await handOver({ intake, tenantId, room: step.room }, row, handing);
        if (page === 'handed_over') {
          rests.delete(key);
          return true;
        }
        if (look.waiting > 0) return take(tenantId, look, restOrReport(look));
        // A campaign that no one got is no success, whatever left each person out.
        await files.write(tenantId, (db) => {
          const known = campaignStore(db).bySeq(row.seq);
          if (known?.status !== row.status) return;
          const isForSomeone = campaignStore(db).counters(row.seq).has(HANDED_OVER);
          campaignStore(db).update(isForSomeone ? sent(known, now) : failed(known, NO_RECIPIENTS, now));
        });
        return true;
      }
      case 'nothing':
        return false;
      default:
        return step satisfies never;
    }
  };

  return {
    name: 'campaign',
    isNeeded: (db) => campaignStore(db).isAnyDue(),
    due: (db, tenantId, now) => {
      const restsUntil = (seq: number): number => rests.get(keyOf(tenantId, seq))?.until ?? 0;
      const due = campaignStore(db).due(now);
      const times = due.map(restsUntil).filter((until) => until > now);
      const next = campaignStore(db).nextDue(now);
      return {
        items: due.filter((seq) => restsUntil(seq) <= now),
        next: times.length === 0 ? next : Math.min(...times, next ?? Number.POSITIVE_INFINITY),
      };
    },
    run: async (tenantId, seq, signal) => {
      const end = performance.now() + TURN_MS;
      let goesOn = true;
      while (goesOn && !signal.aborted && performance.now() < end) {
        const look = await files.read(tenantId, (db) => lookAt(db, tenantId, seq));
        if (look === null) return;
        goesOn = await take(tenantId, look, nextStep(look));
        seen.add(keyOf(tenantId, seq));
      }
    },
  };
};
