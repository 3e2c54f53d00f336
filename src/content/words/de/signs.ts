export const words = {
  /** Small words that are frequent in the language, and in no other one of the service. */
  frequent:
    'der die das den dem des und sie ihr ihre ihren ihrem ihrer für mit ist sind wir uns unser unsere bitte nicht am um zu von im auf ein eine einen bei zum zur dass haben wird werden können hallo guten sehr geehrte geehrter liebe lieber grüße grüßen termin rechnung bestellung uhr du dein deine',
  /** Letters that only it has; none: ''. */
  letters: 'äöüß',
};

export type Words = typeof words;
