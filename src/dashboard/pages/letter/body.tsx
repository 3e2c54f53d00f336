// The text of the letter, in the editor for documents.
import { DocumentField, type WrittenDocument } from '#dashboard/parts/document-field.tsx';
import { imageAddress, uploadImage } from '#dashboard/parts/made-content.ts';
import { translated } from '#dashboard/words.ts';
import { words } from './words/de.ts';

interface BodyProps {
  readonly id: string;
  /** The document at first: from then on it is the editor's. What comes from elsewhere needs another `key`. */
  readonly document: WrittenDocument;
  readonly onDocument: (document: WrittenDocument) => void;
  /** Names of placeholders. */
  readonly names: readonly string[];
}

export const Body = ({ id, document, onDocument, names }: BodyProps) => {
  const w = translated(words);
  return (
    <DocumentField
      label={w.text}
      value={document}
      onChange={onDocument}
      placeholders={names.map((name) => ({ name, label: w.valueNames[name] ?? name }))}
      upload={(file) => uploadImage(id, file)}
      imageUrl={(image) => imageAddress(id, image)}
    />
  );
};
