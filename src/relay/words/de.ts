export const words = {
  /** What a person is told of their data: what was erased, what is kept and why, and the parts that are shown. */
  person: {
    erased: {
      captured_mails: 'abgefangene Mails',
    },
  },
};

export type Words = typeof words;
