// The page on which an address agrees that a tenant's mail is forwarded to it, or ends that.
import { tenantStore } from '#src/accounts/tenants/store.ts';
import { button, imprint } from '#src/feedback/unsubscribe/page.ts';
import { wordsIn } from '#src/inbound/words.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import type { Language } from '#src/kernel/language.ts';
import { escapeHtml, page } from '#src/kernel/page.ts';
import type { RouteResult } from '#src/kernel/route.ts';
import { maskAddress } from '#src/mail/address.ts';
import type { Address } from '#src/mail/mailbox.ts';
import type { TargetRow } from './target-store.ts';
import { CONFIRM_WITHIN_MS } from './targets.ts';

export interface TargetView {
  readonly state: 'asked' | 'confirmed' | 'ended';
  readonly mayAgree: boolean;
  readonly address: Address;
  readonly practice: Parameters<typeof imprint>[0];
}

/** What the page shows; null where the link leads to nothing, or came too late. */
export const viewOf = (db: TenantDb, row: TargetRow | undefined, now: number): TargetView | null => {
  if (!row || row.status === 'removed') return null;
  const mayAgree = (row.asked_at ?? 0) + CONFIRM_WITHIN_MS > now;
  if (row.status === 'unconfirmed' && !mayAgree) return null;
  const state = row.status === 'unconfirmed' ? 'asked' : row.status === 'confirmed' ? 'confirmed' : 'ended';
  return { state, mayAgree, address: row.address as Address, practice: tenantStore(db).practice() };
};

export const targetPage = (
  language: Language,
  serviceName: string,
  action: string,
  { state, mayAgree, address, practice }: TargetView,
): RouteResult => {
  const say = wordsIn(language);
  const end = (label: string): string => button(`${action}&do=end`, label);
  const buttons = {
    asked: `${button(action, say.agree)}\n${end(say.decline)}`,
    confirmed: end(say.end),
    ended: mayAgree ? button(action, say.agree) : '',
  };
  const text = say.text[state](escapeHtml(practice.name), escapeHtml(maskAddress(address)));
  return page({
    language,
    serviceName,
    title: say.title[state],
    body: `<p>${text}</p>\n${buttons[state]}\n${imprint(practice, language)}`,
  });
};

/** One page for every defective link, so that it does not show which links exist. */
export const unknownTargetPage = (language: Language, serviceName: string): RouteResult => {
  const say = wordsIn(language);
  return page({ status: 404, language, serviceName, title: say.unknownTitle, body: `<p>${say.unknown}</p>` });
};
