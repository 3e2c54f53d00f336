// The words of this room: the pages and mails for strangers, and the mails to members.
import { catalogue } from '#src/kernel/catalogue.ts';
import type { MemberLanguage } from '#src/kernel/language.ts';
import type { Words as Alerts } from './words/de/alerts.ts';
import type { Words as Mails } from './words/de/mails.ts';
import type { Words as PublicWords } from './words/de/public.ts';

export const publicWordsIn = catalogue<PublicWords>(import.meta.url, './words/*/public.ts');
export const mailsIn = catalogue<Mails, MemberLanguage>(import.meta.url, './words/*/mails.ts');
export const alertsIn = catalogue<Alerts, MemberLanguage>(import.meta.url, './words/*/alerts.ts');
