// The text of the letter.
import { useState } from 'preact/hooks';
import { TextArea } from '#dashboard/parts/form.tsx';
import { translated } from '#dashboard/words.ts';
import { type LetterDocument, toDocument, toText } from './document.ts';
import { words } from './words/de.ts';

/** The value at first: from then on it is the field's. What comes from elsewhere needs another `key`. */
export const Body = ({
  value,
  onChange,
}: {
  readonly value: LetterDocument;
  readonly onChange: (value: LetterDocument) => void;
}) => {
  const w = translated(words);
  const [text, setText] = useState(toText(value));
  return (
    <TextArea
      label={w.text}
      rows={14}
      value={text}
      onValue={(typed) => {
        setText(typed);
        onChange(toDocument(typed));
      }}
    />
  );
};
