// Someone else has saved what is being changed here: both versions, field by field, and which of them is right. A page takes part in
// it by naming the record from which its form was filled, in `call(…, { over })`.
import { effect, signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import type { Conflict } from '#dashboard/api/call.ts';
import { account } from '#dashboard/session.ts';
import { moment, translated } from '#dashboard/words.ts';
import { Button } from './basics.tsx';
import { words } from './conflict/words/de.ts';
import { Dialog } from './dialog.tsx';

type Decided = 'mine' | 'theirs' | undefined;

const asked = signal<{ readonly conflict: Conflict; readonly answer: (decided: Decided) => void } | null>(
  null,
);

/** Resolves with undefined where that is left open. */
export const askWhich = (conflict: Conflict): Promise<Decided> =>
  new Promise((answer) => {
    asked.value?.answer(undefined);
    asked.value = { conflict, answer };
  });

const answer = (decided: Decided): void => {
  const waiting = asked.value;
  asked.value = null;
  waiting?.answer(decided);
};

effect(() => {
  if (account.value === null) answer(undefined);
});

/** What people read of a value; of a document its texts, line by line. */
const textOf = (value: unknown, names: Readonly<Record<string, string>> | undefined): string => {
  const w = translated(words);
  if (value === undefined || value === null || value === '') return '';
  if (typeof value === 'boolean') return value ? w.yes : w.no;
  if (typeof value !== 'object') return names?.[String(value)] ?? String(value);
  if ('text' in value && 'type' in value) return String(value.text);
  if ('content' in value) return textOf(value.content, names);
  return Object.values(value)
    .map((one) => textOf(one, names))
    .filter((text) => text !== '')
    .join('\n');
};

/** How many characters both begin with. */
const common = (one: string, other: string): number => {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at += 1;
  return at;
};

const backwards = (text: string): string => [...text].reverse().join('');

/** What is not in the other text is marked. */
const Marked = ({ text, other }: { readonly text: string; readonly other: string }): ComponentChildren => {
  if (text === '') return <span class="quiet">{translated(words).empty}</span>;
  const start = common(text, other);
  const end = text.length - common(backwards(text.slice(start)), backwards(other.slice(start)));
  return (
    <>
      {text.slice(0, start)}
      {end > start && <mark>{text.slice(start, end)}</mark>}
      {text.slice(end)}
    </>
  );
};

const Both = ({ conflict: { over, mine, theirs } }: { readonly conflict: Conflict }) => {
  const w = translated(words);
  const saved = new Map(Object.entries((over.fields ?? ((record: object) => record))(theirs as never)));
  const rows = Object.entries(mine).map(([field, value]) => ({
    field,
    mine: textOf(value, over.values?.[field]),
    theirs: textOf(saved.get(field), over.values?.[field]),
  }));
  return (
    <>
      {rows
        .filter((row) => row.mine !== row.theirs)
        .map((row) => (
          <section key={row.field} class="versions">
            <h3>{over.names[row.field] ?? w.other}</h3>
            <div class="columns">
              {(['theirs', 'mine'] as const).map((which) => (
                <div key={which}>
                  <p class="quiet">{w[which]}</p>
                  <p class="version">
                    <Marked text={row[which]} other={row[which === 'mine' ? 'theirs' : 'mine']} />
                  </p>
                </div>
              ))}
            </div>
          </section>
        ))}
    </>
  );
};

export const ConflictDialog = () => {
  const w = translated(words);
  const conflict = asked.value?.conflict;
  return (
    <Dialog title={w.title} isOpen={conflict !== undefined} wide onClose={() => answer(undefined)}>
      {conflict && (
        <>
          <p>{w.who(conflict.savedBy, conflict.savedAt && moment(conflict.savedAt))}</p>
          <Both conflict={conflict} />
          <p class="quiet">{w.rest}</p>
          <div class="actions">
            <Button text={w.takeTheirs} onClick={() => answer('theirs')} />
            <Button text={w.saveMine} kind="primary" onClick={() => answer('mine')} />
          </div>
        </>
      )}
    </Dialog>
  );
};
