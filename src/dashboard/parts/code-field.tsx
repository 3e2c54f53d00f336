// A field in which text or HTML with placeholders is written. Its editor is loaded when it is shown.
import { useEffect, useRef, useState } from 'preact/hooks';
import { loadPart } from '#dashboard/api/reach.ts';
import type { Editor } from './editor/editor.ts';
import { ErrorNote, Skeleton } from './feedback.tsx';
import { type ContentProblem, PLACEHOLDER } from './placeholders.ts';

interface CodeFieldProps {
  readonly label: string;
  readonly hint?: string;
  /** The value at first: from then on it is the editor's. What comes from elsewhere needs another `key`. */
  readonly value: string;
  readonly onValue: (value: string) => void;
  readonly language: 'html' | 'text';
  readonly problems: readonly ContentProblem[];
}

const attributesFor = ({ label, hint, problems }: CodeFieldProps): Record<string, string> => ({
  'aria-label': label,
  tabindex: '0',
  ...(hint ? { 'aria-description': hint } : {}),
  ...(problems.length > 0 ? { 'aria-invalid': 'true' } : {}),
});

export const CodeField = (props: CodeFieldProps) => {
  const { label, hint, language, problems } = props;
  const host = useRef<HTMLDivElement>(null);
  const [editor, setEditor] = useState<Editor>();
  const [error, setError] = useState<unknown>();
  const present = useRef(props);
  present.current = props;
  useEffect(() => {
    let made: Editor | undefined;
    let isGone = false;
    loadPart(() => import('./editor/editor.ts'))
      .then(({ createEditor }) => {
        const parent = host.current;
        if (isGone || !parent) return;
        made = createEditor({
          parent,
          language,
          placeholder: PLACEHOLDER,
          value: present.current.value,
          attributes: attributesFor(present.current),
          onValue: (typed) => present.current.onValue(typed),
        });
        setEditor(made);
      })
      .catch(setError);
    return () => {
      isGone = true;
      made?.destroy();
    };
  }, [language]);
  const faults = problems.map(({ line, message }) => `${line} ${message}`).join('\n');
  useEffect(() => {
    editor?.setProblems(problems);
    editor?.setAttributes(attributesFor(present.current));
  }, [editor, faults, label]);
  return (
    <div class="field">
      <div ref={host} class="codefield" />
      {editor === undefined && error === undefined && <Skeleton lines={8} />}
      <ErrorNote error={error} />
      {hint && <p class="hint">{hint}</p>}
      <p class="hidden" role="status">
        {problems.map(({ line, message }) => `${line}: ${message}`).join(' ')}
      </p>
    </div>
  );
};
