// A message in vendor A's form as the body of a native send. Pure; throws `invalid_request` for what is asked for in another way
// here.
import { attachmentPolicy, typeOfFilename } from '#src/content/attachment-policy.ts';
import { say } from '#src/kernel/say.ts';
import { isObject, known, knownEach, refused } from '../known-fields.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The last three are this service's own. */
const names =
  'from to cc bcc reply_to subject html text headers tags attachments template route message_kind project_id'.split(
    ' ',
  );

/** Clients write fields that they do not use as empty texts, too. */
const isAbsent = (value: unknown): boolean => value === undefined || value === null || value === '';

export const scheduleRefused = (path: string) =>
  refused(
    path,
    say`mail in this form leaves at once`,
    say`Use the schedule of a campaign, POST /api/practices/{id}/campaigns/{campaignID}/schedule, or \`scheduled_at\` of POST /api/practices/{id}/send.`,
  );

const TAG = /^[\w-]{1,256}$/;
const tagsOf = (given: unknown, root: string): unknown => {
  if (!Array.isArray(given)) return given;
  for (const [index, tag] of given.entries())
    for (const part of ['name', 'value'])
      if (isObject(tag) && typeof tag[part] === 'string' && !TAG.test(tag[part]))
        throw refused(
          `${root}.tags[${index}].${part}`,
          say`must have 1 to 256 ASCII letters, digits, underscores or hyphens`,
          say`Correct the tag, or send it as text in \`tags\` of POST /api/practices/{id}/send.`,
        );
  return knownEach(given, ['name', 'value']);
};

const isByte = (value: unknown): boolean => Number.isInteger(value) && (value as number) >> 8 === 0;

/** Clients send base64, or the bytes as numbers: in a list, or as node writes a Buffer. */
const base64Of = (content: unknown): unknown => {
  if (typeof content === 'string') return content.replace(/\s+/g, '');
  const bytes = isObject(content) && content.type === 'Buffer' ? content.data : content;
  return Array.isArray(bytes) && bytes.every(isByte) ? Buffer.from(bytes).toString('base64') : content;
};

/** For an attachment that comes without a name. */
const nameFor = (type: unknown, index: number): string | undefined => {
  const extension = attachmentPolicy.allowed_extensions.find((one) => typeOfFilename(`a.${one}`) === type);
  return extension && `attachment-${index + 1}.${extension}`;
};

const attachmentOf = (given: unknown, index: number, root: string): unknown => {
  if (!isObject(given)) return given;
  const { path, content_type: declared, content, content_id, filename } = given;
  if (!isAbsent(path))
    throw refused(
      `${root}.attachments[${index}].path`,
      say`addresses are not fetched`,
      say`Send the bytes of the file in \`content\`, in base64.`,
    );
  const content_type = typeof declared === 'string' ? declared.split(';', 1)[0]?.trim() : declared;
  const named = filename || nameFor(content_type, index);
  return known({ filename: named, content: base64Of(content), content_type, content_id }, [
    'filename',
    'content',
    ...(isAbsent(content_type) ? [] : ['content_type']),
    ...(isAbsent(content_id) ? [] : ['content_id']),
  ]);
};

/** An empty text asks that none is made from the HTML. */
const bodiesOf = ({ text, html }: Fields) => ({
  ...(isAbsent(text) ? {} : { text }),
  ...(isAbsent(html) ? {} : { html }),
  ...(text === '' && !isAbsent(html) ? { settings: { plain_text_fallback: false } } : {}),
});

const templateOf = (template: unknown): object => {
  if (!isObject(template)) return template === undefined ? {} : { template };
  const { id, variables } = template;
  return { template: id, ...(isObject(variables) ? { data: variables } : {}) };
};

/** `root` is the place of `given` in the request: `body`, `body[3]`. */
export const toNative = (given: unknown, root = 'body'): unknown => {
  if (!isObject(given)) return given;
  if (!isAbsent(given.scheduled_at)) throw scheduleRefused(`${root}.scheduled_at`);
  if (!isAbsent(given.topic_id))
    throw refused(
      `${root}.topic_id`,
      say`there are no topics`,
      say`Who agreed to which mail is kept by lists: GET /api/practices/{id}/lists; mail to a list is a campaign, POST /api/practices/{id}/campaigns.`,
    );
  const { text, html, template, ...rest } = known(given, names, {
    tags: (tags) => tagsOf(tags, root),
    attachments: (list) =>
      Array.isArray(list) ? list.map((item, index) => attachmentOf(item, index, root)) : list,
  }) as Fields;
  return { ...rest, ...bodiesOf({ text, html }), ...templateOf(template) };
};
