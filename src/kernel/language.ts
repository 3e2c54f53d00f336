// The languages of the service's own mails and public pages. The first one is for people who name none.
export const languages = ['de', 'en'] as const;
export type Language = (typeof languages)[number];
