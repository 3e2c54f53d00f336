/** The rooms of `src/` from top to bottom: each imports only from those below it. */
export const ROOMS =
  'main.ts app operations http smtp compat insight audience inbound intake content followers relay feedback domains messages people accounts events kernel mail'.split(
    ' ',
  );
