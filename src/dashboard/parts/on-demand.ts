// Parts in files of their own, which are loaded when they are wanted.
import { useEffect, useState } from 'preact/hooks';
import { loadPart, reloadOnce } from '#dashboard/api/reach.ts';

/** What the file holds, once it is wanted and there. */
export const useLoaded = <M>(load: () => Promise<M>, isWanted: boolean): M | undefined => {
  const [loaded, setLoaded] = useState<{ readonly part: M }>();
  useEffect(() => {
    if (!isWanted || loaded) return;
    loadPart(load)
      .then((part) => setLoaded({ part }))
      // It belongs to a version that was updated.
      .catch(() => void reloadOnce());
  }, [isWanted]);
  return loaded?.part;
};
