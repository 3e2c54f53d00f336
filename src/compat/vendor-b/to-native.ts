// Messages in vendor B's form as native bodies, which take its names as aliases, so that problems name the fields as the client
// wrote them. As in that API, names are in any case, null and the empty text mean absent, and unknown fields are ignored. Pure.
import { pascalFields } from '#src/intake/pascal-fields.ts';
import { flatModel, isObject, knownInAnyCase, withoutParameters, withoutSpace } from '../known-fields.ts';

const own = ['message_kind', 'project_id'];
const messageNames = [...Object.keys(pascalFields), ...own];
const writing: readonly string[] = ['Subject', 'TextBody', 'HtmlBody'];
const templateNames = ['TemplateAlias', 'TemplateId', 'TemplateModel'];

const each =
  (translate: (item: unknown) => unknown) =>
  (list: unknown): unknown =>
    Array.isArray(list) ? list.map(translate) : list;

const rewrites = {
  Headers: each((item) =>
    isObject(item) ? { Value: '', ...Object(knownInAnyCase(item, ['Name', 'Value'])) } : item,
  ),
  Attachments: each((item) =>
    knownInAnyCase(item, ['Name', 'Content', 'ContentType', 'ContentID'], {
      Content: withoutSpace,
      ContentType: withoutParameters,
    }),
  ),
};

export const toNative = (given: unknown): unknown => knownInAnyCase(given, messageNames, rewrites);

export const toNativeWithTemplate = (given: unknown): unknown => {
  const names = [...messageNames.filter((name) => !writing.includes(name)), ...templateNames];
  const message = knownInAnyCase(given, names, rewrites);
  if (!isObject(message)) return message;
  const { TemplateAlias, TemplateId, TemplateModel, ...rest } = message;
  // No template has a number as its name or id: one that is named by its number is not found.
  const template = TemplateAlias ?? String(TemplateId ?? '');
  const data = isObject(TemplateModel) ? flatModel(TemplateModel) : TemplateModel;
  return { ...rest, template, data };
};
