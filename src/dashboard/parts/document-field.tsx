// The editor for documents, loaded when it is shown.
import type { FunctionComponent } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { DocumentEditorProps } from './document-editor/editor.tsx';
import { ErrorNote, Skeleton } from './feedback.tsx';

export type { StoredImage, WrittenDocument } from './document-editor/document.ts';

/** The value at first: from then on it is the editor's. What comes from elsewhere needs another `key`. */
export const DocumentField = (props: DocumentEditorProps) => {
  const [loaded, setLoaded] = useState<{ readonly Editor: FunctionComponent<DocumentEditorProps> }>();
  const [error, setError] = useState<unknown>();
  useEffect(() => {
    import('./document-editor/editor.tsx').then(({ default: Editor }) => setLoaded({ Editor }), setError);
  }, []);
  if (!loaded) return error === undefined ? <Skeleton lines={8} /> : <ErrorNote error={error} />;
  return <loaded.Editor {...props} />;
};
