// The evidence of one person's consent as a page to read and print. What was shown and sent is there as text: nothing of it is
// interpreted by the browser. Pure.
import type { Words } from '#src/audience/words/de/members.ts';
import { wordsIn } from '#src/audience/words.ts';
import { KEYS_PATH } from '#src/kernel/evidence-key.ts';
import type { MemberLanguage } from '#src/kernel/language.ts';
import { escapeHtml, page } from '#src/kernel/page.ts';
import type { RouteResult } from '#src/kernel/route.ts';
import { type ConsentFacts, type PersonalName, withheldMails } from './entry.ts';
import type { Evidence } from './evidence-schema.ts';

/** `2026-11-22 19:02:56 UTC`. */
const timeOf = (iso: string): string => `${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC`;

type Row = readonly [label: string, value: string];

const rows = (all: readonly Row[]): string =>
  `<dl>\n${all.map(([label, value]) => `<dt>${escapeHtml(label)}</dt><dd>${escapeHtml(value)}</dd>\n`).join('')}</dl>`;

const sectionOf = (
  say: Words['evidence'],
  entry: Evidence['entries'][number],
  documents: Evidence['documents'],
  withheld: ReadonlySet<string>,
): string => {
  const facts = entry.facts as unknown as ConsentFacts;
  const details = Object.entries(facts.details).map(([name, value]) => `${name}: ${value}`);
  const personal = Object.keys(facts.commitments).map((name): Row => {
    const label = say.personal[name as PersonalName] ?? name;
    return [label, entry.openings[name]?.value ?? say.gone];
  });
  const document = (label: string, hash: string | null): string => {
    if (hash === null) return '';
    const content = documents[hash]?.content;
    const missing = withheld.has(hash) ? say.notYet : say.gone;
    const text = content === undefined ? missing : Buffer.from(content, 'base64').toString();
    return `<h3>${escapeHtml(label)}</h3>\n<pre>${escapeHtml(text)}</pre>\n<p class="note">SHA-256 ${escapeHtml(hash)}</p>\n`;
  };
  const known = rows([
    [say.time, timeOf(facts.at)],
    [say.list, facts.list_name ?? say.allLists],
    [say.way, say.ways[facts.way]],
    [say.basis, facts.legal_basis],
    ...personal,
    ...(details.length === 0 ? [] : [[say.details, details.join('; ')] as const]),
    ...(facts.answers === null ? [] : [[say.answers, facts.answers] as const]),
    [say.place, `${entry.seq} (${entry.id})`],
    [say.hash, entry.hash],
  ]);
  return `<section>
<h2>${escapeHtml(timeOf(facts.at))}: ${escapeHtml(say.actions[facts.action])}</h2>
${known}
${document(say.wording(facts.wording_version), facts.wording)}${document(say.form, facts.form)}${document(say.mail, facts.mail)}</section>`;
};

export const evidencePage = (evidence: Evidence, language: MemberLanguage): RouteResult => {
  const say = wordsIn(language).evidence;
  const { address, practice, service, made_at, entries, documents, head, signature } = evidence;
  const withheld = withheldMails(evidence);
  return page({
    language,
    title: say.title(address),
    serviceName: practice.name,
    body: `<p>${escapeHtml(say.about(practice.name, service.name, timeOf(made_at)))}</p>
${entries.map((entry) => sectionOf(say, entry, documents, withheld)).join('\n')}
<section>
<p>${escapeHtml(say.proves)}</p>
<p>${escapeHtml(say.check(`${service.origin}${KEYS_PATH}`))}</p>
${rows([
  [say.head, `${head.seq}, ${head.hash}`],
  [say.key, signature.fingerprint],
  [say.signature, signature.value],
])}
</section>`,
  });
};
