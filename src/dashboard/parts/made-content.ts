// What the service makes of a document while it is written, and the images in it.
import { useEffect, useRef, useState } from 'preact/hooks';
import { addressOf, call } from '#dashboard/api/call.ts';
import type { StoredImage, WrittenDocument } from './document-field.tsx';

/** A pause in typing. */
const PAUSE_MS = 400;

export interface Made {
  readonly html: string;
  readonly text: string;
  /** Why it would not be stored. */
  readonly problems: readonly string[];
}

export const makeDocument = async (
  id: string,
  document: WrittenDocument,
  subject: string,
  abort?: AbortSignal,
): Promise<Made> => {
  const { html, text, problems } = await call(
    'POST /api/practices/{id}/documents/render',
    // What is typed is judged by the API, whose description is a union of all blocks.
    { id, body: { document: document as never, ...(subject === '' ? {} : { subject }) } },
    { abort },
  );
  return { html, text, problems: problems.map(({ message }) => message) };
};

interface Written {
  readonly subject: string;
  readonly html: string;
  readonly text: string;
  readonly document: WrittenDocument | null;
}

/** What was last made of a document; source is shown itself. What cannot be made leaves what was made before. */
export const useMade = (id: string, { subject, html, text, document }: Written): Made => {
  const [made, setMade] = useState<Made>();
  const isFirst = useRef(true);
  useEffect(() => {
    if (document === null) {
      setMade(undefined);
      return;
    }
    const controller = new AbortController();
    const timer = setTimeout(
      () => makeDocument(id, document, subject, controller.signal).then(setMade, () => {}),
      isFirst.current ? 0 : PAUSE_MS,
    );
    isFirst.current = false;
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [id, document, subject]);
  return made !== undefined && document !== null ? made : { html, text, problems: [] };
};

const base64Of = (file: Blob): Promise<string> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });

export const uploadImage = async (id: string, file: File): Promise<StoredImage> => {
  const content = (await base64Of(file)).replace(/^[^,]*,/, '');
  return call('POST /api/practices/{id}/images', { id, body: { content, name: file.name } });
};

/** The address at which members load it. */
export const imageAddress = (id: string, imageID: string): string =>
  addressOf('GET /api/practices/{id}/images/{imageID}/content', { id, imageID });

/** Their key is practice and id. */
const loaded = new Map<string, Promise<string>>();

const dataUrlOf = (id: string, imageID: string): Promise<string> => {
  const address = imageAddress(id, imageID);
  const known = loaded.get(address);
  if (known) return known;
  const loading = fetch(address)
    .then((answer) => (answer.ok ? answer.blob() : Promise.reject(new Error(String(answer.status)))))
    .then(base64Of);
  loaded.set(address, loading);
  loading.catch(() => loaded.delete(address));
  return loading;
};

/** `src` of an image of the service, whose name is its id. */
const STORED = /(<img\b[^>]*?\ssrc=")([^"]*\/([0-9a-f]{64})\.\w+)(")/g;

export const hasStoredImages = (html: string): boolean => html.search(STORED) >= 0;

/** The images of the service in the HTML itself: the frame of the preview has no credential, and may load nothing from this origin. */
export const withStoredImages = async (id: string, html: string): Promise<string> => {
  const ids = new Set([...html.matchAll(STORED)].map(([, , , imageID = '']) => imageID));
  const found = new Map<string, string>();
  await Promise.all(
    [...ids].map(async (imageID) => {
      const url = await dataUrlOf(id, imageID).catch(() => undefined);
      if (url !== undefined) found.set(imageID, url);
    }),
  );
  return html.replace(
    STORED,
    (_, before: string, url: string, imageID: string, after: string) =>
      `${before}${found.get(imageID) ?? url}${after}`,
  );
};
