// A campaign's message for each subscriber: the same content with their values in it. It is compiled once for all of them.
import type { SubscriberRow } from '#src/audience/subscribers/store.ts';
import { commonOf, draftFor } from '#src/intake/bulk.ts';
import type { Draft } from '#src/intake/draft.ts';
import { compileContent, type TemplateContent } from '#src/intake/templates/render.ts';
import { unfit } from '#src/kernel/validate.ts';
import type { Address } from '#src/mail/mailbox.ts';
import type { MergeData } from '#src/mail/merge-fields.ts';
import type { Kind } from '#src/messages/kinds.ts';
import type { CampaignContent } from './schema.ts';

/** Why a subscriber gets no message: a value that the content needs is missing, or cannot be where it would be. */
export type UnfitValues = 'missing_value' | 'unusable_value';

export interface Mailing {
  /** Stored once for all messages. */
  readonly content: TemplateContent;
  /** What its placeholders name. */
  readonly fields: readonly string[];
  /** Values that no one has are shown by their names. */
  readonly placeholders: MergeData;
  readonly unfitValues: (values: MergeData) => UnfitValues | null;
  /** Then no draft must be made with them. */
  readonly isTooLong: (values: MergeData) => boolean;
  /** `values` are those of `valuesOf`, and fit. `sharedId`: of the content in the tenant's file; null: nothing is stored. */
  readonly draftFor: (
    subscriber: Pick<SubscriberRow, 'address' | 'name'>,
    values: MergeData,
    sharedId: number | null,
  ) => Draft;
}

/** Throws `invalid_request` for content, From or Reply-To that cannot be used. */
export const compileMailing = (
  contentJson: string,
  { message_kind, route_id }: { readonly message_kind: Kind; readonly route_id: string },
): Mailing => {
  const {
    subject,
    text,
    html,
    template: _,
    settings = {},
    ...frame
  } = JSON.parse(contentJson) as CampaignContent;
  const content = { subject, text, html };
  const compiled = compileContent(content);
  if (compiled.problems.length > 0)
    throw unfit(compiled.problems.map(({ path, message }) => ({ path: `body.${path}`, message })));
  const common = commonOf(frame, { content, compiled, kind: message_kind, route: route_id, settings });
  return {
    content,
    fields: compiled.fields,
    placeholders: Object.fromEntries(compiled.fields.map((field) => [field, `[${field}]`])),
    isTooLong: compiled.isTooLong,
    unfitValues: (values) => {
      if (compiled.missing(values).length > 0) return 'missing_value';
      return compiled.problemsOf(values, '').length > 0 ? 'unusable_value' : null;
    },
    draftFor: ({ address, name }, values, sharedId) =>
      draftFor(common, { address: address as Address, ...(name === null ? {} : { name }) }, values, sharedId),
  };
};
