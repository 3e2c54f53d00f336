// Parts in files of their own, which are loaded when they are wanted.
import { useEffect, useState } from 'preact/hooks';
import { loadPart } from '#dashboard/api/reach.ts';

/** What the file holds, once it is wanted and there. */
export const useLoaded = <M>(load: () => Promise<M>, isWanted: boolean): M | undefined => {
  const [loaded, setLoaded] = useState<{ readonly part: M }>();
  useEffect(() => {
    if (!isWanted || loaded) return;
    // A file of a version that is gone comes with the next page.
    loadPart(load).then(
      (part) => setLoaded({ part }),
      () => {},
    );
  }, [isWanted]);
  return loaded?.part;
};
