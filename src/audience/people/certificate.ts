// The certificate of an erasure: what was erased, what is kept and why, and what the erasure does not reach. Pure but for the
// frame of its page.
import type { z } from 'zod';
import { peopleWordsIn } from '#src/audience/words.ts';
import type { Language } from '#src/kernel/language.ts';
import { escapeHtml, page } from '#src/kernel/page.ts';
import type { PersonalData } from '#src/kernel/personal-data.ts';
import type { RouteResult } from '#src/kernel/route.ts';
import { toIso, toIsoOrNull } from '#src/kernel/time.ts';
import type { Counts, Progress } from './erase.ts';
import type { ErasureRow } from './erasure-store.ts';
import type { certificateSchema, erasureSchema } from './schema.ts';

type Certificate = z.infer<typeof certificateSchema>;

const certificateOf = (
  row: ErasureRow,
  personalData: readonly PersonalData[],
  language: Language,
): Certificate => {
  const counts: Counts = JSON.parse(row.counts_json);
  const { kept = {}, rewritten, walk }: Progress = JSON.parse(row.progress_json);
  const words = personalData.map((room) => room.words?.(language) ?? {});
  const counted = Object.assign({}, ...personalData.map((room) => room.kept));
  const { unused_space, ...always } = peopleWordsIn(language).beyond;
  return {
    walks: walk,
    erased: words
      .flatMap(({ erased = {} }) => Object.entries(erased))
      .flatMap(([kind, what]) => (counts[kind] ? [{ kind, what, number: counts[kind] }] : [])),
    kept: words
      .flatMap((room) => Object.entries(room.kept ?? {}))
      .flatMap(([kind, { what, why }]) => {
        const number = counted[kind] ? (kept[kind] ?? 0) : null;
        return number === 0 ? [] : [{ kind, what, number, why }];
      }),
    beyond: [...(rewritten ? [] : [unused_space]), ...Object.values(always)],
  };
};

export const presentErasure = (
  row: ErasureRow,
  personalData: readonly PersonalData[],
  language: Language,
): z.infer<typeof erasureSchema> => ({
  id: row.id,
  status: row.finished_at === null ? 'running' : 'done',
  person: `#${row.address_hash.toString('base64url')}`,
  reason: row.reason,
  requested_by: row.requested_by,
  requested_at: toIso(row.requested_at),
  finished_at: toIsoOrNull(row.finished_at),
  certificate: row.finished_at === null ? null : certificateOf(row, personalData, language),
});

export const certificatePage = (
  row: ErasureRow,
  personalData: readonly PersonalData[],
  language: Language,
  practiceName: string,
): RouteResult => {
  const words = peopleWordsIn(language).certificate;
  const { certificate, ...erasure } = presentErasure(row, personalData, language);
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
