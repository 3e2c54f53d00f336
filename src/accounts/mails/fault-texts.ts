// The words of the mail to the operator about database files that cannot be used, in German and English. Pure.
import type { FaultState } from '#src/kernel/db/file-states.ts';
import type { Language } from '#src/kernel/language.ts';
import { quoted, type Words } from './domain-texts.ts';
import { momentInWords } from './moment.ts';
import type { NoticeContent } from './schema.ts';

type FaultNotice = Extract<NoticeContent, { kind: 'storage_faults' }>;

export type FaultPhrases = (content: FaultNotice, service: string) => Words;

interface Labels {
  readonly states: Readonly<Record<FaultState, string>>;
  readonly disk: string;
  readonly registry: string;
  readonly ended: string;
  readonly since: string;
}

const german: Labels = {
  states: {
    full: 'kein Platz',
    failing: 'Fehler beim Lesen oder Schreiben',
    unreadable: 'fehlt oder ist beschädigt',
    replaced: 'wurde im laufenden Betrieb verschoben, entfernt oder ersetzt',
    empty: 'enthält keine Daten',
  },
  disk: 'Datenträger',
  registry: 'Registratur (platform.db)',
  ended: 'wieder in Ordnung, war',
  since: 'seit',
};

const english: Labels = {
  states: {
    full: 'no space left',
    failing: 'cannot be read or written',
    unreadable: 'is missing or damaged',
    replaced: 'was moved, removed or replaced while in use',
    empty: 'holds no data',
  },
  disk: 'disk',
  registry: 'registry (platform.db)',
  ended: 'in order again, was',
  since: 'since',
};

const lines = ({ faults }: FaultNotice, labels: Labels, language: Language): string =>
  faults
    .map(({ name, state, since, reason, ended }) => {
      const what = name === 'disk' ? labels.disk : name === 'platform' ? labels.registry : name;
      const now = ended ? `${labels.ended}: ${labels.states[state]}` : labels.states[state];
      return `${what}: ${now} (${labels.since} ${momentInWords(since, language)}; ${quoted(reason)})`;
    })
    .join('\n');

const de: FaultPhrases = (notice, service) => {
  const isOver = notice.faults.every(({ ended }) => ended);
  return {
    subject: isOver
      ? `${service}: Datenbanken sind wieder in Ordnung`
      : `${service}: Datenbanken sind nicht in Ordnung`,
    paragraphs: [
      'der Zustand dieser Dateien hat sich geändert:',
      lines(notice, german, 'de'),
      ...(notice.more > 0 ? [`Dazu kommen ${notice.more} weitere.`] : []),
      isOver
        ? 'Es ist nichts zu tun.'
        : 'Betroffene Praxen bekommen bis dahin die Antwort 503; alle anderen sind nicht betroffen. Angenommene E-Mails gehen hinaus, sobald die Datei wieder benutzbar ist.',
      'Den aktuellen Stand zeigt `sendwerk admin practices`, und wer als Betreiber angemeldet ist, sieht ihn hier:',
      notice.link,
      'Sie haben das nicht erwartet? Dann sehen Sie zuerst ins Log: Dort ist jede Änderung mit ihrem Grund.',
    ],
  };
};

const en: FaultPhrases = (notice, service) => {
  const isOver = notice.faults.every(({ ended }) => ended);
  return {
    subject: isOver
      ? `${service}: database files are in order again`
      : `${service}: database files are not in order`,
    paragraphs: [
      'The state of these files has changed:',
      lines(notice, english, 'en'),
      ...(notice.more > 0 ? [`There are ${notice.more} more.`] : []),
      isOver
        ? 'There is nothing to do.'
        : 'Until then the practices concerned are answered 503; no other practice is affected. Mail that was accepted leaves as soon as its file can be used.',
      'See the current state by `sendwerk admin practices`, or, signed in as an operator, here:',
      notice.link,
      'You did not expect this? Then look at the log first: it has each change with its reason.',
    ],
  };
};

export const faultPhrases: Readonly<Record<Language, FaultPhrases>> = { de, en };
