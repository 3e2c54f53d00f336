// The certificate of an erasure: what was erased, what is kept and why, and what the erasure does not reach. Pure but for the
// frame of its page.
import type { z } from 'zod';
import type { Language } from '#src/kernel/language.ts';
import { escapeHtml, page } from '#src/kernel/page.ts';
import type { RouteResult } from '#src/kernel/route.ts';
import { toIso, toIsoOrNull } from '#src/kernel/time.ts';
import type { Counts, Progress } from './erase.ts';
import type { ErasureRow } from './erasure-store.ts';
import type { certificateSchema, erasureSchema } from './schema.ts';
import { beyondWords, erasedWords, keptWords } from './words.ts';

type Certificate = z.infer<typeof certificateSchema>;

const certificateOf = (row: ErasureRow, language: Language): Certificate => {
  const counts: Counts = JSON.parse(row.counts_json);
  const { kept, rewritten, walk }: Progress = JSON.parse(row.progress_json);
  const numbers: Readonly<Record<keyof typeof keptWords, number | null>> = {
    suppressions: kept?.suppressions ?? 0,
    consent_entries: kept?.consent_entries ?? 0,
    counts: null,
    member: kept?.member ?? 0,
    audit_entries: kept?.audit_entries ?? 0,
  };
  const { unused_space, ...always } = beyondWords;
  return {
    walks: walk,
    erased: Object.entries(erasedWords).flatMap(([kind, words]) =>
      counts[kind] ? [{ kind, what: words[language], number: counts[kind] }] : [],
    ),
    kept: Object.entries(keptWords).flatMap(([kind, { what, why }]) => {
      const number = numbers[kind as keyof typeof keptWords];
      return number === 0 ? [] : [{ kind, what: what[language], number, why: why[language] }];
    }),
    beyond: [...(rewritten ? [] : [unused_space]), ...Object.values(always)].map((words) => words[language]),
  };
};

export const presentErasure = (row: ErasureRow, language: Language): z.infer<typeof erasureSchema> => ({
  id: row.id,
  status: row.finished_at === null ? 'running' : 'done',
  person: `#${row.address_hash.toString('base64url')}`,
  reason: row.reason,
  requested_by: row.requested_by,
  requested_at: toIso(row.requested_at),
  finished_at: toIsoOrNull(row.finished_at),
  certificate: row.finished_at === null ? null : certificateOf(row, language),
});

const titles = {
  de: {
    title: 'Bescheinigung über eine Löschung (Art. 17 DSGVO)',
    running: 'Die Löschung läuft noch.',
    person: 'Person (Pseudonym)',
    asked: 'Verlangt',
    by: 'durch',
    done: 'Abgeschlossen',
    reason: 'Anlass',
    erased: 'Gelöscht',
    nothing: 'Es war nichts gespeichert.',
    walks: (number: number) =>
      `Durchgänge durch alle Daten: ${number}; der letzte hat die Adresse nirgends gefunden.`,
    kept: 'Behalten, und warum',
    beyond: 'Nicht von der Löschung erreicht',
  },
  en: {
    title: 'Certificate of an erasure (Art. 17 GDPR)',
    running: 'The erasure is still in progress.',
    person: 'Person (pseudonym)',
    asked: 'Requested',
    by: 'by',
    done: 'Finished',
    reason: 'Reason',
    erased: 'Erased',
    nothing: 'Nothing was stored.',
    walks: (number: number) => `Walks through all data: ${number}; the last one found the address nowhere.`,
    kept: 'Kept, and why',
    beyond: 'Not reached by the erasure',
  },
} as const;

export const certificatePage = (row: ErasureRow, language: Language, practiceName: string): RouteResult => {
  const words = titles[language];
  const { certificate, ...erasure } = presentErasure(row, language);
  const e = escapeHtml;
  const items = (lines: readonly string[]): string =>
    `<ul>${lines.map((line) => `<li>${line}</li>`).join('')}</ul>`;
  const facts = [
    [words.person, erasure.person],
    [words.asked, `${erasure.requested_at} ${words.by} ${erasure.requested_by}`],
    [words.done, erasure.finished_at ?? words.running],
    ...(erasure.reason === null ? [] : [[words.reason, erasure.reason]]),
  ].map(([name = '', value = '']) => `<p><strong>${e(name)}:</strong> ${e(value)}</p>`);
  const parts =
    certificate === null
      ? []
      : [
          `<h2>${words.erased}</h2>`,
          certificate.erased.length === 0
            ? `<p>${words.nothing}</p>`
            : items(certificate.erased.map(({ what, number }) => `${e(what)}: ${number}`)),
          `<p>${words.walks(certificate.walks)}</p>`,
          `<h2>${words.kept}</h2>`,
          items(
            certificate.kept.map(
              ({ what, number, why }) => `${e(what)}${number === null ? '' : `: ${number}`}<br>${e(why)}`,
            ),
          ),
          `<h2>${words.beyond}</h2>`,
          items(certificate.beyond.map(e)),
        ];
  return page({
    language,
    title: words.title,
    serviceName: practiceName,
    body: [...facts, ...parts].join('\n'),
  });
};
