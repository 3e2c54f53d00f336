// The page on which an address agrees that a tenant's mail is forwarded to it, or ends that, in German and English.
import { tenantStore } from '#src/accounts/tenants/store.ts';
import { button, imprint } from '#src/feedback/unsubscribe/page.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import type { Language } from '#src/kernel/language.ts';
import { escapeHtml, page } from '#src/kernel/page.ts';
import type { RouteResult } from '#src/kernel/route.ts';
import { maskAddress } from '#src/mail/address.ts';
import type { Address } from '#src/mail/mailbox.ts';
import type { TargetRow } from './target-store.ts';
import { CONFIRM_WITHIN_MS } from './targets.ts';

interface Words {
  readonly title: Readonly<Record<TargetView['state'], string>>;
  readonly text: Readonly<Record<TargetView['state'], (practice: string, address: string) => string>>;
  readonly agree: string;
  readonly decline: string;
  readonly end: string;
  readonly unknownTitle: string;
  readonly unknown: string;
}

const words: Readonly<Record<Language, Words>> = {
  de: {
    title: {
      asked: 'E-Mails an Sie weiterleiten?',
      confirmed: 'E-Mails werden an Sie weitergeleitet',
      ended: 'Es wird nichts weitergeleitet',
    },
    text: {
      asked: (practice, address) =>
        `<strong>${practice}</strong> möchte E-Mails, die dort eingehen, an <strong>${address}</strong> weiterleiten. Stimmen Sie zu?`,
      confirmed: (practice, address) =>
        `E-Mails, die bei <strong>${practice}</strong> eingehen, werden an <strong>${address}</strong> weitergeleitet. Auf dieser Seite können Sie das jederzeit beenden; bewahren Sie die E-Mail mit dem Link auf.`,
      ended: (practice, address) =>
        `E-Mails, die bei <strong>${practice}</strong> eingehen, werden nicht an <strong>${address}</strong> weitergeleitet.`,
    },
    agree: 'Weiterleitung zustimmen',
    decline: 'Ablehnen',
    end: 'Weiterleitung beenden',
    unknownTitle: 'Dieser Link ist nicht gültig',
    unknown:
      'Vielleicht ist der Link nicht vollständig, er ist abgelaufen, oder die Weiterleitung wurde geändert. Es wurde nichts geändert.',
  },
  en: {
    title: {
      asked: 'Forward emails to you?',
      confirmed: 'Emails are forwarded to you',
      ended: 'Nothing is forwarded',
    },
    text: {
      asked: (practice, address) =>
        `<strong>${practice}</strong> would like to forward emails that arrive there to <strong>${address}</strong>. Do you agree?`,
      confirmed: (practice, address) =>
        `Emails that arrive at <strong>${practice}</strong> are forwarded to <strong>${address}</strong>. You can end that on this page at any time; keep the email with the link.`,
      ended: (practice, address) =>
        `Emails that arrive at <strong>${practice}</strong> are not forwarded to <strong>${address}</strong>.`,
    },
    agree: 'Agree to the forwarding',
    decline: 'Decline',
    end: 'End the forwarding',
    unknownTitle: 'This link is not valid',
    unknown:
      'The link may be incomplete or too old, or the forwarding has been changed. Nothing has been changed.',
  },
};

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
  const say = words[language];
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
  const say = words[language];
  return page({ status: 404, language, serviceName, title: say.unknownTitle, body: `<p>${say.unknown}</p>` });
};
