// Files as attachments of the message that is being written: chosen, or dropped onto it.
import { useRef, useState } from 'preact/hooks';
import type { Meta, NewMessage } from '#api';
import { bytes } from '#dashboard/words.ts';
import { Button } from './basics.tsx';
import { Field } from './form.tsx';
import { partWords } from './words.ts';

export type Attachment = NonNullable<NewMessage['attachments']>[number];
type Policy = Meta['attachment_policy'];

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

/** `problem`: which files cannot be attached. What is too large is not read: its message could not be sent. */
export const useAttachments = (
  policy: Policy | undefined,
  attachments: readonly Attachment[],
  onChange: (attachments: readonly Attachment[]) => void,
) => {
  const [problem, setProblem] = useState('');
  // Others may be added while these are read.
  const latest = useRef(attachments);
  latest.current = attachments;
  const add = async (files: readonly File[]): Promise<void> => {
    const w = partWords().files;
    const most = policy?.max_bytes_each ?? Number.POSITIVE_INFINITY;
    const fitting = files.filter(({ size }) => size <= most);
    const results = await Promise.allSettled(fitting.map(read));
    const added = results.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    const others = files.filter(({ name }) => !added.some(({ filename }) => filename === name));
    setProblem(
      others.length === 0
        ? ''
        : w.notAttached(
            others.map(({ name }) => name),
            bytes(most),
          ),
    );
    if (added.length > 0) onChange([...latest.current, ...added]);
  };
  return { attachments, onChange, policy, problem, add };
};

type Attaching = ReturnType<typeof useAttachments>;

const hasFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes('Files') ?? false;

/** Where files may be dropped. What a part of it takes for itself, such as an image in a text, is no attachment. */
export const dropOf = ({ add }: Attaching) => ({
  onDragOver: (event: DragEvent) => {
    if (hasFiles(event)) event.preventDefault();
  },
  onDrop: (event: DragEvent) => {
    if (event.defaultPrevented || !hasFiles(event)) return;
    event.preventDefault();
    void add([...(event.dataTransfer?.files ?? [])]);
  },
});

export const Attachments = ({ attaching }: { readonly attaching: Attaching }) => {
  const { attachments, onChange, policy, problem, add } = attaching;
  const w = partWords();
  return (
    <div class="filedrop" {...dropOf(attaching)}>
      <Field
        label={w.attachments}
        path="attachments"
        optional
        hint={policy && w.files.hint(policy.max_count, bytes(policy.max_bytes_each))}
      >
        {(wiring) => (
          <input
            {...wiring}
            type="file"
            multiple
            onChange={(event) => {
              const input = event.currentTarget;
              void add([...(input.files ?? [])]).then(() => {
                input.value = '';
              });
            }}
          />
        )}
      </Field>
      {problem && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      {attachments.map((attachment) => (
        <p key={attachment} class="actions">
          {attachment.filename}
          <Button
            text={w.files.remove}
            kind="small"
            aria-label={`${w.files.remove}: ${attachment.filename}`}
            onClick={() => onChange(attachments.filter((one) => one !== attachment))}
          />
        </p>
      ))}
    </div>
  );
};
