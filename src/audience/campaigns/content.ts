// A campaign's message for each subscriber: the same content with their values in it. It is compiled once for all of them.
import { tenantStore } from '#src/accounts/tenants/store.ts';
import type { SubscriberRow } from '#src/audience/subscribers/store.ts';
import { commonOf, draftFor } from '#src/intake/bulk.ts';
import type { Draft } from '#src/intake/draft.ts';
import type { ImageLinks } from '#src/intake/images/image-links.ts';
import { inlined, type WithFiles } from '#src/intake/images/inline.ts';
import { practiceValues } from '#src/intake/templates/practice-values.ts';
import { compileContent, TOO_LONG } from '#src/intake/templates/render.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { unfit } from '#src/kernel/validate.ts';
import type { Address } from '#src/mail/mailbox.ts';
import type { MergeData } from '#src/mail/merge-fields.ts';
import type { ImageMode } from '#src/messages/image-types.ts';
import type { Kind } from '#src/messages/kinds.ts';
import type { SharedContent } from '#src/messages/store.ts';
import type { CampaignContent } from './schema.ts';
import { type CampaignRow, campaignStore } from './store.ts';

/** Why a subscriber gets no message: a value that the content needs is missing, or cannot be where it would be. */
export type UnfitValues = 'missing_value' | 'unusable_value';

export interface Mailing {
  /** Stored once for all messages, with the values for all of its people. */
  readonly content: SharedContent;
  /** What its placeholders name. */
  readonly fields: readonly string[];
  /** Values that no one has are shown by their names. */
  readonly placeholders: MergeData;
  /** Names of placeholders that a person with these values has none for. */
  readonly missing: (values: MergeData) => string[];
  readonly unfitValues: (values: MergeData) => UnfitValues | null;
  /** Then no draft must be made with them. */
  readonly isTooLong: (values: MergeData) => boolean;
  /**
   * `values` are the person's own, and fit: an empty one leaves the place to that for all. `sharedId`: of the content in the tenant's
   * file; null: nothing is stored.
   */
  readonly draftFor: (
    subscriber: Pick<SubscriberRow, 'address' | 'name'>,
    values: MergeData,
    sharedId: number | null,
  ) => Draft;
}

/**
 * `practice` are the values that it has of itself; `inline` finds the images that its mails carry. Throws `invalid_request` for content, values, From or Reply-To that cannot be
 * used.
 */
export const compileMailing = (
  contentJson: string,
  { message_kind, route_id }: { readonly message_kind: Kind; readonly route_id: string },
  practice: MergeData,
  inline: (html: string | null, mode: ImageMode) => WithFiles = (html) => ({ html, attachments: [] }),
): Mailing => {
  const {
    subject,
    text,
    html: written,
    document: _document,
    mjml: _mjml,
    images = 'linked',
    template: _,
    settings = {},
    values: given = {},
    ...frame
  } = JSON.parse(contentJson) as CampaignContent;
  const { html, attachments } = inline(written, images);
  const content = { subject, text, html };
  const compiled = compileContent(content);
  if (compiled.problems.length > 0)
    throw unfit(compiled.problems.map(({ path, message }) => ({ path: `body.${path}`, message })));
  const data = { ...practice, ...given };
  if (compiled.isTooLong(data)) throw unfit([{ path: 'body.values', message: TOO_LONG }]);
  const common = commonOf(frame, {
    ...{ content, attachments, data, compiled },
    kind: message_kind,
    route: route_id,
    settings,
  });
  /** What a spreadsheet leaves empty is no value of the person's own. */
  const ownOf = (values: MergeData): MergeData =>
    Object.fromEntries(
      Object.entries(values).filter(([name, value]) => value.trim() !== '' || !Object.hasOwn(data, name)),
    );
  const withAll = (values: MergeData): MergeData => ({ ...data, ...ownOf(values) });
  return {
    content: { text, html, data: compiled.dataOfBody(data) },
    fields: compiled.fields,
    placeholders: Object.fromEntries(compiled.missing(data).map((field) => [field, `[${field}]`])),
    isTooLong: (values) => compiled.isTooLong(withAll(values)),
    missing: (values) => compiled.missing(withAll(values)),
    unfitValues: (values) => {
      const all = withAll(values);
      if (compiled.missing(all).length > 0) return 'missing_value';
      return compiled.problemsOf(all, '').length > 0 ? 'unusable_value' : null;
    },
    draftFor: ({ address, name }, values, sharedId) =>
      draftFor(
        common,
        { address: address as Address, ...(name === null ? {} : { name }) },
        ownOf(values),
        sharedId,
      ),
  };
};

/** Does what `compileMailing` does, for the practice of that file. `links`: images have their present addresses. */
export const mailingIn = (
  db: TenantDb,
  row: Pick<CampaignRow, 'seq' | 'message_kind' | 'route_id'>,
  content = campaignStore(db).content(row.seq),
  links?: Pick<ImageLinks, 'renewed'>,
): Mailing =>
  compileMailing(content, row, practiceValues(tenantStore(db).practice()), (html, mode) =>
    inlined(db, html, mode, links),
  );
