export const words = {
  /** What a person is told of their data: what was erased, what is kept and why, and the parts that are shown. */
  person: {
    erased: {
      stored_answers: 'gespeicherte Antworten der Schnittstelle',
    },
  },
  letter: {
    /** The last line of a letter, above the name of who writes. */
    closing: 'Freundliche Grüße',
  },
};

export type Words = typeof words;
