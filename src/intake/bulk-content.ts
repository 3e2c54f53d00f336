// What a bulk is written with: a stored template or one of its own, and for each recipient the values it takes. All of
// it is looked at before anything is sent. Throws AppError for what cannot be used.

import { type CompiledContent, compileContent, type TemplateContent } from '#src/intake/templates/render.ts';
import { loadTemplate } from '#src/intake/templates/resolve.ts';
import { toMergeData } from '#src/intake/templates/schema.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import type { FieldProblem } from '#src/kernel/errors.ts';
import { check, unfit } from '#src/kernel/validate.ts';
import type { MergeData } from '#src/mail/merge-fields.ts';
import { type Kind, kinds } from '#src/messages/kinds.ts';
import { type BulkBody, type BulkRecipient, bulkRecipient } from './bulk-schema.ts';
import type { Draft } from './draft.ts';
import { createSlices } from './many.ts';

/** UTF-16 code units: what all messages keep of their values; those for all recipients stand in every one of them. */
const MAX_KEPT = 100_000_000;
/** The first ones show the mistake. */
const ENOUGH_PROBLEMS = 20;

export interface BulkContent {
  readonly content: TemplateContent;
  readonly compiled: CompiledContent;
  readonly kind: Kind;
  readonly route: string | null;
  readonly settings: Draft['settings'];
}

/** Marketing goes over the built-in route for it; the rest over the practice's default. */
const routeFor = (kind: Kind): string | null => (kinds[kind].stream === 'marketing' ? 'broadcast' : null);

const contentOf = (db: TenantDb, { template, template_version }: BulkBody) => {
  if (typeof template === 'string') return loadTemplate(db, { template, version: template_version });
  if (template_version !== undefined)
    throw unfit([
      { path: 'body.template_version', message: 'belongs to a stored template, and none is named' },
    ]);
  const { subject, text = null, html = null } = template;
  return { subject, text, html, kind: 'newsletter', settings: {} } as const;
};

/** Throws `not_found` for a stored template, `invalid_request` for one that cannot be used. */
export const bulkContent = (db: TenantDb, body: BulkBody): BulkContent => {
  const { kind: usualKind, settings, subject, text, html } = contentOf(db, body);
  const content = { subject, text, html };
  const compiled = compileContent(content);
  if (compiled.problems.length > 0)
    throw unfit(compiled.problems.map(({ path, message }) => ({ path: `body.template.${path}`, message })));
  const kind = body.message_kind ?? usualKind;
  return {
    content,
    compiled,
    kind,
    route: body.route ?? routeFor(kind),
    settings: { ...settings, ...body.settings },
  };
};

export interface Wanted {
  readonly given: BulkRecipient;
  readonly data: MergeData;
}

/**
 * The recipients with values for each, in their order. Throws `invalid_request` where any is malformed or lacks what
 * the template needs.
 */
export const wantedOf = async (
  { compiled }: Pick<BulkContent, 'compiled'>,
  { recipients, data = {} }: BulkBody,
): Promise<Wanted[]> => {
  const problems: FieldProblem[] = [];
  const all: Wanted[] = [];
  const pause = createSlices();
  let kept = 0;
  for (const [index, item] of recipients.entries()) {
    await pause();
    const root = `body.recipients[${index}]`;
    const checked = check(bulkRecipient, item, root);
    if (checked.problems === null) {
      const given = checked.value;
      const values = toMergeData({ ...data, ...given.data });
      problems.push(...compiled.problemsOf(values, `${root}.data`));
      for (const value of Object.values(compiled.dataOfBody(values))) kept += value.length;
      if (kept > MAX_KEPT)
        throw unfit([{ path: 'body.data', message: 'is too long for so many recipients' }]);
      all.push({ given, data: values });
    } else problems.push(...checked.problems);
    if (problems.length >= ENOUGH_PROBLEMS) break;
  }
  if (problems.length > 0) throw unfit(problems);
  return all;
};
