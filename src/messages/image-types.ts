// The forms of images in mails, and how mails have them. Pure.

/** What is stored and served: all mail programs show these. */
export type ImageType = 'image/jpeg' | 'image/png' | 'image/gif';

export const extensionOf: Readonly<Record<ImageType, string>> = {
  'image/jpeg': 'jpg',
  'image/png': 'png',
  'image/gif': 'gif',
};

/** Mails load them, or carry them. */
export const imageModes = ['linked', 'inline'] as const;
export type ImageMode = (typeof imageModes)[number];
