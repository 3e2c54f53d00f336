// What a person who attaches a domain must know before the first newsletter: the domain begins a warm-up, and the managed host
// needs none. Pure.
import { FIRST_BROADCAST_DAY, warmupCaps, warmupDay } from '#src/accounts/tenants/rules.ts';
import type { PracticeRow } from '#src/accounts/tenants/store.ts';
import { say, type Text } from '#src/kernel/say.ts';

/** Null where marketing mail may leave from the domain in question. */
export const warmupHint = (
  {
    custom_domain,
    pending_domain,
    managed_host,
    warmup_started_at,
  }: Pick<PracticeRow, 'custom_domain' | 'pending_domain' | 'managed_host' | 'warmup_started_at'>,
  now: number,
): Text | null => {
  const remedy = say`Until then send that with a From address on ${managed_host}.`;
  if (pending_domain !== null)
    return say`Once its DKIM records are found, ${pending_domain} begins its warm-up: daily limits apply for ${warmupCaps.length} days, and marketing mail from it is refused before day ${FIRST_BROADCAST_DAY}. ${remedy}`;
  if (custom_domain === null || warmup_started_at === null) return null;
  const day = warmupDay(warmup_started_at, now);
  return day < FIRST_BROADCAST_DAY
    ? say`${custom_domain} is on day ${day} of its warm-up: marketing mail from it is refused before day ${FIRST_BROADCAST_DAY}. ${remedy}`
    : null;
};
