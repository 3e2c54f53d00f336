// Rows as the API shows them.
import type { z } from 'zod';
import { toIso, toIsoOrNull } from '#src/kernel/time.ts';
import { plans } from './plans.ts';
import type { practiceSchema, projectSchema, routeSchema } from './schema.ts';
import type { PracticeRow, ProjectRow, RouteRow } from './store.ts';
import { warmupCaps, warmupDay } from './warmup.ts';

/** The host that is in From: the custom domain once verified, else the managed one. */
export const sendingHost = (row: PracticeRow): string => row.custom_domain ?? row.managed_host;

export const defaultFrom = (row: PracticeRow): string => `noreply@${sendingHost(row)}`;

const presentWarmup = (row: PracticeRow, now: number): z.infer<typeof practiceSchema>['warmup'] => {
  if (row.custom_domain === null || row.warmup_started_at === null) return null;
  const day = warmupDay(row.warmup_started_at, now);
  return {
    day,
    started_at: toIso(row.warmup_started_at),
    cap: warmupCaps[day - 1] ?? null,
    caps: [...warmupCaps],
  };
};

export const presentPractice = (row: PracticeRow, now: number): z.infer<typeof practiceSchema> => {
  const domain = sendingHost(row);
  return {
    id: row.id,
    name: row.name,
    slug: row.slug,
    status: row.paused_at === null ? 'active' : 'paused',
    pause:
      row.paused_at === null
        ? null
        : { reason: row.pause_reason ?? '', by: row.pause_by ?? 'operator', at: toIso(row.paused_at) },
    domain,
    domain_kind: domain === row.managed_host ? 'managed' : 'custom',
    pending_domain: row.pending_domain,
    managed_host: row.managed_host,
    default_from: defaultFrom(row),
    plan: row.plan,
    monthly_cap: plans[row.plan].monthlyCap,
    safe_mode: row.safe_mode === 1,
    legal: { street: row.legal_street, city: row.legal_city, privacy_url: row.legal_privacy_url },
    warmup: presentWarmup(row, now),
    approved_at: toIsoOrNull(row.approved_at),
    created_at: toIso(row.created_at),
  };
};

export const presentProject = (row: ProjectRow): z.infer<typeof projectSchema> => ({
  id: row.id,
  name: row.name,
  slug: row.slug,
  is_default: row.is_default === 1,
  archived_at: toIsoOrNull(row.archived_at),
  created_at: toIso(row.created_at),
});

export const presentRoute = (row: RouteRow): z.infer<typeof routeSchema> => ({
  id: row.id,
  slug: row.slug,
  name: row.name,
  type: row.type,
  project_id: row.project_id,
  is_default: row.is_default === 1,
  track_opens: row.track_opens === 1,
  track_clicks: row.track_clicks === 1,
  plain_text_fallback: row.plain_text_fallback === 1,
  created_at: toIso(row.created_at),
});
