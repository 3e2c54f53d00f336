export const words = {
  preview: {
    cut: 'Hier endet die Vorschau: Die E-Mail ist größer, als sie zeigt. Der Quelltext enthält alles.',
    empty: 'Die E-Mail enthält keinen Text.',
  },
  /** What a person is told of their data: what was erased, what is kept and why, and the parts that are shown. */
  person: {
    erased: {
      reports: 'Berichte über Domains',
    },
  },
};

export type Words = typeof words;
