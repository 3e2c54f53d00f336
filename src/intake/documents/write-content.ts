// The content of a template or campaign as it was given: text and HTML, MJML, or a document, of which text and HTML are made. A
// document can become source for good; source does not become a document, but a new document can take its place.
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import type { FieldProblem } from '#src/kernel/error-table.ts';
import { say } from '#src/kernel/say.ts';
import { unfit } from '#src/kernel/validate.ts';
import type { Picture } from '#src/mail/document/look.ts';
import type { Document } from '#src/mail/document/schema.ts';
import type { TemplateContent } from '../templates/render.ts';

export interface WrittenContent extends TemplateContent {
  /** Text and HTML were made of it; null: they are source. */
  readonly document: Document | null;
  /** The HTML was made of it; null: it was given, or made of a document. */
  readonly mjml: string | null;
}

/** An absent field is as it was. */
export type GivenContent = { readonly [K in keyof WrittenContent]?: WrittenContent[K] | undefined };

/** What content is made with: `tools.ts`. */
export interface DocumentTools {
  readonly imageOf: (db: TenantDb, id: string) => Picture | null;
  /** Throws `invalid_request` where it cannot be rendered; `path`: its place in the request. */
  readonly htmlOf: (mjml: string, path: string) => string;
  /**
   * The document with the letterhead around it; its problems are not looked for. Throws `invalid_request` where it makes too
   * much.
   */
  readonly make: (
    db: TenantDb,
    document: Document,
    subject: string | null,
  ) => { readonly html: string; readonly text: string };
  readonly problemsOf: (db: TenantDb, document: Document, path: string) => FieldProblem[];
}

/** Before a transaction, in which nothing can be waited for. */
export type LoadTools = () => Promise<DocumentTools>;

const refuseBeside = (given: GivenContent, names: readonly (keyof GivenContent)[], other: string): void => {
  const stray = names.find((name) => (given[name] ?? null) !== null);
  if (stray !== undefined)
    throw unfit([
      { path: `body.${stray}`, message: say`cannot be given beside ${other}, of which it is made` },
    ]);
};

const refuseMade = (given: GivenContent, names: readonly (keyof GivenContent)[], source: string): void => {
  const stray = names.find((name) => given[name] !== undefined);
  if (stray !== undefined)
    throw unfit([
      {
        path: `body.${stray}`,
        message: say`is made of the ${source}: change that, or send \`${source}: null\` beside this field to keep source from now on`,
      },
    ]);
};

const ofSource = (
  tools: DocumentTools,
  given: GivenContent,
  former: WrittenContent | null,
  subject: string,
): WrittenContent => {
  const text = given.text === undefined ? (former?.text ?? null) : given.text;
  if (typeof given.mjml === 'string') {
    refuseBeside(given, ['html'], 'mjml');
    const html = tools.htmlOf(given.mjml, 'body.mjml');
    return { subject, text, html, document: null, mjml: given.mjml };
  }
  const keepsMjml = given.mjml === undefined && (former?.mjml ?? null) !== null;
  if (keepsMjml) refuseMade(given, ['html'], 'mjml');
  const html = given.html === undefined ? (former?.html ?? null) : given.html;
  return { subject, text, html, document: null, mjml: keepsMjml ? (former?.mjml ?? null) : null };
};

/**
 * The content as it becomes. Throws `invalid_request` for contradictions and for a document or MJML that cannot be used; whether
 * there is a text or HTML is the caller's to look at.
 */
export const writeContent = (
  db: TenantDb,
  tools: DocumentTools,
  given: GivenContent,
  former: WrittenContent | null,
): WrittenContent => {
  const subject = given.subject ?? former?.subject ?? '';
  const kept = given.document === undefined ? (former?.document ?? null) : null;
  if (kept !== null) refuseMade(given, ['text', 'html', 'mjml'], 'document');
  if (kept !== null && former !== null && subject === former.subject) return former;
  const document = given.document ?? kept;
  if (document === null) return ofSource(tools, given, former, subject);
  refuseBeside(given, ['text', 'html', 'mjml'], 'document');
  // One that was stored is made anew as it is, whatever has become of its images.
  const problems = kept === null ? tools.problemsOf(db, document, 'body.document') : [];
  if (problems.length > 0) throw unfit(problems);
  return { subject, ...tools.make(db, document, subject), document, mjml: null };
};

/** The place of what was given from which that part was made. */
export const placeOf = ({ document, mjml }: WrittenContent, part: string): string => {
  if (part === 'subject') return part;
  if (document !== null) return 'document';
  return part === 'html' && mjml !== null ? 'mjml' : part;
};
