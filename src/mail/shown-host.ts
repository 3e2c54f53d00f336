// What a reader takes for the address of a page. Pure.

const SHOWN_HOST =
  /^(?:https?:\/\/)?((?:[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?\.){1,8}[\p{L}]{2,24})(?::\d{1,5})?(?:[/?#]\S{0,1000})?$/iu;

/** The host that a link's text shows, where the text is nothing else; null otherwise. */
export const shownHost = (text: string): string | null => {
  if (text.length < 4 || text.length > 1_200 || !text.includes('.')) return null;
  const shown = SHOWN_HOST.exec(text.trim())?.[1];
  if (shown === undefined) return null;
  return URL.parse(`http://${shown}`)?.hostname ?? null;
};
