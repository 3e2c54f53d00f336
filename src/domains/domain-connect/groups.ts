// Which groups of the template a host still needs, by what was last found of its records. Providers add what they are
// told to, and some replace what is there without asking: a TXT is only asked for where there is none. Pure.
import type { CheckedRecord } from '../records/host-check.ts';
import { appliedTo, type TemplateRecord } from './template.ts';

export interface Lacking {
  /** Ids, in the template's order, with the names of the TXT records that would come with them. */
  readonly groups: readonly { readonly id: string; readonly texts: readonly string[] }[];
  /** What lacks and must be done by hand. */
  readonly byHand: readonly CheckedRecord[];
}

/** `variables` maps the template's variables to the host's tokens, so that its names can be compared. */
export const groupsLacking = (
  template: readonly TemplateRecord[],
  host: string,
  variables: ReadonlyMap<string, string>,
  checked: readonly CheckedRecord[],
): Lacking => {
  const fill = (text: string): string =>
    text.replace(/%(\w+)%/g, (whole, variable: string) => variables.get(variable) ?? whole);
  const templateOf = ({ name, type }: CheckedRecord): TemplateRecord | undefined =>
    template.find((record) => {
      const applied = appliedTo(record, host);
      return fill(applied.name) === name && applied.type === type;
    });
  const texts = new Map<string, string[]>();
  const byHand: CheckedRecord[] = [];
  for (const record of checked) {
    if (record.status === 'ok') continue;
    const found = templateOf(record);
    // A template says the same to all, so it cannot copy the policy that a host's domain has.
    const isOther = found?.type === 'TXT' && found.data !== record.value;
    const isSafe = record.status === 'missing' || (record.type !== 'TXT' && record.status !== 'error');
    if (found === undefined || isOther || !isSafe) byHand.push(record);
    else
      texts.set(found.groupId, [
        ...(texts.get(found.groupId) ?? []),
        ...(record.type === 'TXT' ? [record.name] : []),
      ]);
  }
  const order = [...new Set(template.map(({ groupId }) => groupId))];
  return {
    groups: order.filter((id) => texts.has(id)).map((id) => ({ id, texts: texts.get(id) ?? [] })),
    byHand,
  };
};
