// The text of the letter, in the editor for documents.
import type { Practice } from '#api';
import { DocumentField, type WrittenDocument } from '#dashboard/parts/document-field.tsx';
import { imageAddress, uploadImage } from '#dashboard/parts/made-content.ts';
import { practiceValues } from '#dashboard/parts/placeholders.ts';
import { translated } from '#dashboard/words.ts';
import { documentNames } from './document.ts';
import { words } from './words/de.ts';

interface BodyProps {
  readonly id: string;
  /** The document at first: from then on it is the editor's. What comes from elsewhere needs another `key`. */
  readonly document: WrittenDocument;
  readonly onDocument: (document: WrittenDocument) => void;
  readonly own: Practice;
}

export const Body = ({ id, document, onDocument, own }: BodyProps) => {
  const w = translated(words);
  // What the practice has said of itself is seen as it will be read.
  const known = practiceValues(own);
  return (
    <DocumentField
      label={w.text}
      value={document}
      onChange={onDocument}
      placeholders={documentNames(document).map((name) => ({
        name,
        label: known[name] ?? w.valueNames[name] ?? name,
      }))}
      upload={(file) => uploadImage(id, file)}
      imageUrl={(image) => imageAddress(id, image)}
    />
  );
};
