// The document of a mail, version 1: blocks of text, images and buttons, as an editor keeps them (the shape of ProseMirror's nodes).
// Its bounds are checked before its shape, so that a hostile one costs little. `problems.ts` says what a shape cannot.
import { z } from 'zod';

/** A long newsletter has 300. */
const MAX_NODES = 2_000;
/** Levels of JSON: a list within a list takes four, columns as well. */
const MAX_DEPTH = 48;
/** Characters of the document as JSON: far more than mail programs show of a mail. */
const MAX_DOCUMENT = 200_000;
const MAX_TEXT = 20_000;
const MAX_ALT = 500;
const MAX_HREF = 2_000;
const MAX_NAME = 100;

/** Text may hold line breaks and tabs, which are spaces, but no other control character, and no half of a surrogate pair. */
const isPlain = (text: string): boolean =>
  text.isWellFormed() && !/[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufffe\uffff]/.test(text);
const plain = (max: number) =>
  z.string().max(max).refine(isPlain, 'control characters and broken characters are not allowed');

const align = z.enum(['start', 'center', 'end']).default('start');
const href = plain(MAX_HREF).describe('https, http, mailto, tel, or a placeholder alone');

const mark = z
  .discriminatedUnion('type', [
    z.strictObject({ type: z.enum(['strong', 'em', 'underline']) }),
    z.strictObject({ type: z.literal('link'), attrs: z.strictObject({ href }) }),
  ])
  .meta({ id: 'DocumentMark' });
const marks = z.array(mark).max(8).optional();

const text = z
  .strictObject({ type: z.literal('text'), text: plain(MAX_TEXT).min(1), marks })
  .meta({ id: 'DocumentText' });
const placeholder = z
  .strictObject({
    type: z.literal('placeholder'),
    attrs: z.strictObject({
      name: z
        .string()
        .max(MAX_NAME)
        .regex(
          /^[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z0-9_]+)*$/,
          'expected a name with ASCII letters, digits, _ and dots',
        ),
    }),
    marks,
  })
  .meta({ id: 'DocumentPlaceholder' });
const hardBreak = z.strictObject({ type: z.literal('hard_break'), marks });
const inline = z
  .array(z.discriminatedUnion('type', [text, placeholder, hardBreak]))
  .meta({ id: 'DocumentInline' })
  .optional();

const paragraph = z
  .strictObject({
    type: z.literal('paragraph'),
    attrs: z.strictObject({ align }).prefault({}),
    content: inline,
  })
  .meta({ id: 'DocumentParagraph' });

const bulletList = z
  .strictObject({
    type: z.literal('bullet_list'),
    get content() {
      return listItems;
    },
  })
  .meta({ id: 'DocumentBulletList' });
const orderedList = z
  .strictObject({
    type: z.literal('ordered_list'),
    attrs: z.strictObject({ start: z.int().min(0).max(100_000).default(1) }).prefault({}),
    get content() {
      return listItems;
    },
  })
  .meta({ id: 'DocumentOrderedList' });

interface ListItem {
  type: 'list_item';
  content: (Paragraph | List)[];
}
type List =
  | { type: 'bullet_list'; content: ListItem[] }
  | { type: 'ordered_list'; attrs: { start: number }; content: ListItem[] };
const listItem: z.ZodType<ListItem> = z
  .strictObject({
    type: z.literal('list_item'),
    get content(): z.ZodType<(Paragraph | List)[]> {
      return z.array(z.discriminatedUnion('type', [paragraph, bulletList, orderedList])).min(1);
    },
  })
  .meta({ id: 'DocumentListItem' });
const listItems: z.ZodType<ListItem[]> = z.array(listItem).min(1).meta({ id: 'DocumentListItems' });

const heading = z.strictObject({
  type: z.literal('heading'),
  attrs: z.strictObject({ level: z.union([z.literal(1), z.literal(2), z.literal(3)]), align }),
  content: inline,
});
const image = z.strictObject({
  type: z.literal('image'),
  attrs: z.strictObject({
    image: z
      .string()
      .regex(/^[0-9a-f]{64}$/, 'expected the id of an image')
      .describe('its id'),
    alt: plain(MAX_ALT).default('').describe('what it says, for those who do not see it'),
    decorative: z.boolean().default(false).describe('it says nothing, so it has no alternative text'),
    width: z.int().min(10).max(100).default(100).describe('percent of the room that it has'),
    align,
    href: href.nullable().default(null),
  }),
});
const button = z.strictObject({
  type: z.literal('button'),
  attrs: z.strictObject({ href, align }),
  content: z.array(z.discriminatedUnion('type', [text, placeholder])).optional(),
});
const divider = z.strictObject({ type: z.literal('divider') });
const quotation = z.strictObject({
  type: z.literal('quotation'),
  content: z.array(z.discriminatedUnion('type', [paragraph, bulletList, orderedList])).min(1),
});
const signature = z
  .strictObject({ type: z.literal('signature') })
  .describe('closing and signature of the letterhead');

const simple = [
  heading,
  paragraph,
  bulletList,
  orderedList,
  image,
  button,
  divider,
  quotation,
  signature,
] as const;
const simpleBlock = z.discriminatedUnion('type', simple).meta({ id: 'DocumentBlock' });
const column = z.strictObject({ type: z.literal('column'), content: z.array(simpleBlock) });
const columns = z.strictObject({ type: z.literal('columns'), content: z.array(column).length(2) });

const shape = z.strictObject({
  version: z.literal(1),
  direction: z.enum(['ltr', 'rtl']).optional(),
  content: z.array(z.discriminatedUnion('type', [simpleBlock, columns])).min(1),
});

const TOO_DEEP = 'is nested too deeply';
const TOO_MANY = 'has more than 2,000 parts';
const TOO_LONG = 'has more than 200,000 characters';

/** Why it is too much to be looked at; null if it is not. Takes no more steps than the bounds allow. */
const excess = (document: unknown): string | null => {
  const open: { readonly value: unknown; readonly depth: number }[] = [{ value: document, depth: 0 }];
  let characters = 0;
  let nodes = 0;
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, depth } = next;
    if (typeof value === 'string') characters += value.length;
    if (typeof value !== 'object' || value === null) continue;
    if (depth > MAX_DEPTH) return TOO_DEEP;
    if ('type' in value) nodes += 1;
    if (Array.isArray(value)) {
      if (value.length > MAX_NODES) return TOO_MANY;
      for (const item of value) open.push({ value: item, depth: depth + 1 });
    } else
      for (const [key, item] of Object.entries(value)) {
        characters += key.length;
        open.push({ value: item, depth: depth + 1 });
      }
    if (nodes > MAX_NODES || open.length > 10 * MAX_NODES) return TOO_MANY;
    if (characters > MAX_DOCUMENT) return TOO_LONG;
  }
  return null;
};

export const documentSchema = z
  .preprocess((given, context) => {
    const message = excess(given);
    if (message === null) return given;
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  }, shape)
  .meta({ id: 'Document' });

export type Document = z.output<typeof shape>;
export type Block = Document['content'][number];
export type SimpleBlock = z.output<typeof simpleBlock>;
export type Paragraph = z.output<typeof paragraph>;
export type Inline = NonNullable<Paragraph['content']>[number];
export type Mark = z.output<typeof mark>;
export type Align = z.output<typeof align>;
export type { List, ListItem };
