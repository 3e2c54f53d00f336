// Files as attachments of the message that is being written.
import type { Meta, NewMessage } from '#api';
import { Button } from '#dashboard/parts/basics.tsx';
import { Field } from '#dashboard/parts/form.tsx';
import { bytes, translated } from '#dashboard/words.ts';
import { words } from './words/de.ts';

export type Attachment = NonNullable<NewMessage['attachments']>[number];

const read = (file: File): Promise<Attachment> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onerror = () => reject(reader.error);
    reader.onload = () => {
      const content = String(reader.result);
      resolve({ filename: file.name, content: content.slice(content.indexOf(',') + 1) });
    };
    reader.readAsDataURL(file);
  });

export const Attachments = ({
  policy,
  attachments,
  onChange,
}: {
  readonly policy: Meta['attachment_policy'] | undefined;
  readonly attachments: readonly Attachment[];
  readonly onChange: (attachments: readonly Attachment[]) => void;
}) => {
  const w = translated(words);
  const add = async (input: HTMLInputElement): Promise<void> => {
    const added = await Promise.all([...(input.files ?? [])].map(read));
    input.value = '';
    onChange([...attachments, ...added]);
  };
  return (
    <>
      <Field
        label={w.attachments}
        path="attachments"
        optional
        hint={policy && w.attachmentsHint(policy.max_count, bytes(policy.max_bytes_each))}
      >
        {(wiring) => (
          <input
            {...wiring}
            type="file"
            multiple
            onChange={(event) => void add(event.currentTarget).catch(() => {})}
          />
        )}
      </Field>
      {attachments.map((attachment) => (
        <p key={attachment} class="actions">
          {attachment.filename}
          <Button
            text={w.remove}
            kind="small"
            aria-label={`${w.remove}: ${attachment.filename}`}
            onClick={() => onChange(attachments.filter((one) => one !== attachment))}
          />
        </p>
      ))}
    </>
  );
};
