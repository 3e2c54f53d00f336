export const words = {
  /** What a person is told of their data: what was erased, what is kept and why, and the parts that are shown. */
  person: {
    erased: {
      stored_answers: 'gespeicherte Antworten der Schnittstelle',
    },
  },
};

export type Words = typeof words;
