// The languages in which the service speaks to people: its own mails and public pages. The first is the one for those
// who name none.
export const languages = ['de', 'en'] as const;
export type Language = (typeof languages)[number];
