// The text of a refusal in the words of another API's clients: fields have the names that they write, without the part of the request,
// and nothing is named that their answers do not have. Pure.
import { pascalNames } from '#src/intake/pascal-fields.ts';
import { CONTENT_REQUIRED } from '#src/intake/send-fields.ts';

export interface OwnWords {
  /** Native names of fields to their own, where these are others. */
  readonly names: Readonly<Record<string, string>>;
  /** The refusal of a message without content. */
  readonly contentRequired: string;
}

/** The words of vendors A, B and C. */
export const ownWords: Readonly<Record<'a' | 'b' | 'c', OwnWords>> = {
  a: { names: {}, contentRequired: CONTENT_REQUIRED },
  b: {
    names: { ...pascalNames, template: 'TemplateAlias', data: 'TemplateModel' },
    contentRequired: 'one of TextBody, HtmlBody and TemplateAlias is required',
  },
  c: {
    names: {
      text: 'content',
      html: 'content',
      template: 'template_id',
      data: 'dynamic_template_data',
      tags: 'categories',
      metadata: 'custom_args',
      scheduled_at: 'send_at',
    },
    contentRequired: 'one of content and template_id is required',
  },
};

const PATH = /`(?:body(?:\[(?<index>\d+)\])?(?:\.(?<field>[^`]+))?|(?:query|header)\.(?<name>[^`]+))`/g;
/** A field of the native answer; what it has is in the text here. */
const OF_THE_ANSWER = /(?: named)? in `(?:fields|recipients|content_reasons|missing|allowed|permission)`/g;

const ownName = (path: string, { names }: OwnWords): string => {
  const whole = names[path];
  if (whole !== undefined) return whole;
  const first = /^\w+/.exec(path)?.[0] ?? '';
  return (names[first] ?? first) + path.slice(first.length);
};

/** What happened, and where. */
export const inOwnWords = (text: string, words: OwnWords): string =>
  text.replaceAll(CONTENT_REQUIRED, words.contentRequired).replaceAll(PATH, (...found) => {
    const { index, field, name } = found.at(-1) as Readonly<Record<string, string | undefined>>;
    const number = index === undefined ? null : Number(index) + 1;
    if (name !== undefined) return `\`${name}\``;
    if (field === undefined) return number === null ? 'The body' : `Message ${number}`;
    return `\`${ownName(field, words)}\`${number === null ? '' : ` of message ${number}`}`;
  });

/** What to do. */
export const hintInOwnWords = (hint: string, words: OwnWords): string =>
  hint
    .replaceAll(OF_THE_ANSWER, ' named here')
    .replaceAll(/`(\w+)`(?! of )/g, (_, name: string) => `\`${words.names[name] ?? name}\``);
