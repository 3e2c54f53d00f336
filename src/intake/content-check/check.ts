// The check beside a preview: everything that there is to say of a mail while it is written, in one answer. The rules of a send come from
// the check of a practice's mail.
import { readFile } from 'node:fs/promises';
import { tenantStore } from '#src/accounts/tenants/store.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { imagesIn } from '#src/mail/copy-links.ts';
import { linksIn, shownHost } from '#src/mail/html-links.ts';
import { imageStore } from '#src/messages/image-store.ts';
import type { IntakeContext } from '../intake-context.ts';
import { type CheckRequest, checkMail } from '../practice-mail/check.ts';
import { type Place, type Severity, severities } from '../practice-mail/check-rules.ts';
import { practiceValues } from '../templates/practice-values.ts';
import { compileContent } from '../templates/render.ts';
import { checkWordsIn } from '../words.ts';
import { lostIn, type SupportData } from './clients.ts';
import { createLinkProbe, type ProbeDeps } from './probe-links.ts';
import { readMail } from './read-mail.ts';
import {
  CLIPPED_AT,
  clientFindings,
  contrastFindings,
  imageFindings,
  linkFindings,
  sizeFindings,
} from './rules.ts';

/** More links are not looked at. */
const MAX_LINKS = 200;
const MAX_TEXT = 200;
const ADDRESS = /https?:\/\/[^\s<>"']{1,2000}[^\s<>"'.,;:!?)\]]/gi;

/** What a send would have, with the values that are known; what has none keeps its placeholder. */
export interface CheckedContent {
  readonly kind: Parameters<typeof checkMail>[2]['kind'];
  readonly subject: string;
  readonly text: string | null;
  readonly html: string | null;
  readonly route?: string | undefined;
  readonly settings?: Parameters<typeof checkMail>[2]['settings'];
  readonly project_id?: string | undefined;
  readonly data: Readonly<Record<string, string>>;
}

interface Finding {
  readonly code: string;
  readonly severity: Severity;
  readonly place: { readonly part: Place; readonly excerpt: string | null };
  readonly message: string;
  readonly advice: string;
}

const SUPPORT = new URL('client-support.json', import.meta.url);

interface LinkAsWritten {
  readonly url: string;
  readonly text: string | null;
}

const linksOf = (html: string | null, text: string | null): LinkAsWritten[] =>
  html === null
    ? [...(text ?? '').matchAll(ADDRESS)].slice(0, MAX_LINKS).map(([url]) => ({ url, text: null }))
    : linksIn(html, MAX_LINKS).map((link) => ({ url: link.target, text: link.text.slice(0, MAX_TEXT) }));

/** The practice's images that the HTML shows: how large they are, and the addresses of those that are gone. */
const ownImages = (db: TenantDb, html: string, sources: readonly string[]) => {
  let bytes = 0;
  const missing = new Set<string>();
  for (const id of imagesIn(html)) {
    const image = imageStore(db).head(id);
    if (image) bytes += image.bytes;
    else for (const src of sources.filter((one) => one.includes(id))) missing.add(src);
  }
  return { bytes, missing };
};

const filled = (db: TenantDb, { subject, text, html, data: given }: CheckedContent) => {
  const compiled = compileContent({ subject, text, html });
  const values = { ...practiceValues(tenantStore(db).practice()), ...given };
  return compiled.isTooLong(values) ? { subject, text, html } : compiled.render(values);
};

const sameHost = (shown: string, url: string): boolean => {
  const host = URL.parse(url)?.hostname ?? '';
  const bare = (name: string): string => name.replace(/^www\./, '');
  return bare(host) === bare(shown);
};

export type CheckContent = ReturnType<typeof createContentCheck>;

/** What it makes rejects as `checkMail` throws. */
export const createContentCheck =
  (intake: IntakeContext, deps: ProbeDeps, probe = createLinkProbe(deps)) =>
  async (request: CheckRequest, content: CheckedContent, asksLinks: boolean) => {
    const { tenantId, language } = request;
    const { subject, text, html } = await intake.files.read(tenantId, (db) => filled(db, content));
    const { kind, route, settings, project_id } = content;
    const written = { subject, text: text ?? undefined, html: html ?? undefined };
    const { issues } = await checkMail(intake, request, { kind, route, settings, project_id, ...written });
    const links = linksOf(html, text);
    const states = await probe.check(tenantId, asksLinks ? links.map(({ url }) => url) : []);
    const { used, images } = readMail(html ?? '');
    const support: SupportData = JSON.parse(await readFile(SUPPORT, 'utf8'));
    const lost = lostIn(support, used);
    const own = await intake.files.read(tenantId, (db) =>
      ownImages(
        db,
        html ?? '',
        images.map(({ src }) => src),
      ),
    );
    const bytes = Buffer.byteLength(html ?? '');
    const say = checkWordsIn(language);
    const { format } = new Intl.NumberFormat(language, { maximumFractionDigits: 1 });
    const unique = [...new Map(states.map((state) => [state.url, state])).values()];
    const found = [
      ...linkFindings(unique),
      ...sizeFindings(bytes),
      ...imageFindings(images, own),
      ...(html === null ? [] : contrastFindings(html)),
      ...clientFindings(lost),
    ].map(({ code, severity, part, excerpt, values }): Finding => {
      const said = Object.entries(values).map(([name, value]) => [
        name,
        typeof value === 'number' ? format(value) : value,
      ]);
      const { why, advice } = say[code](Object.fromEntries(said));
      return { code, severity, place: { part, excerpt }, message: why, advice };
    });
    const ofSend = issues.flatMap(({ id, severity, why, advice, found_in }): Finding[] =>
      found_in.map((part) => ({ code: id, severity, place: { part, excerpt: null }, message: why, advice })),
    );
    const rank = ({ severity }: Finding): number => severities.indexOf(severity);
    return {
      findings: [...ofSend, ...found].toSorted((a, b) => rank(a) - rank(b)),
      links: links.map(({ url, text: shown }, index) => {
        const host = shown === null ? null : shownHost(shown);
        const { state = 'unchecked', status = null } = states[index] ?? {};
        const shows_other_host = host !== null && !sameHost(host, url);
        return { url: url.slice(0, 2_000), text: shown, state, status, shows_other_host };
      }),
      size: { html_bytes: bytes, clipped_at: CLIPPED_AT, image_bytes: own.bytes },
      clients: {
        as_of: support.updated,
        // No one's program is counted twice, so this is the least that holds for all.
        readers_affected: Math.max(
          0,
          ...lost.filter(({ effect }) => effect !== 'look').map(({ none }) => none),
        ),
        features: lost.map(({ none, partial, ...rest }) => ({
          ...rest,
          readers_without: none,
          readers_in_part: partial,
        })),
      },
    };
  };
