// Brings the files of a plan about below a root directory. What is right stays, what setup wrote before is replaced, and what a person
// changed is left with the proposal beside it. It can be cut off at any place and run again.
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  lstatSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { CommandError } from '../cli/command.ts';
import { hashOf, judgeFile, NOTE_FILE, type Note, noteText, withHash } from './note.ts';
import { type DirectoryStep, type FileStep, type LinkStep, SERVICE_USER, type SecretStep } from './plan.ts';
import { makeDirectory, type Rights, syncDirectory, writeWhole } from './write-file.ts';

export type Made = 'made' | 'right' | 'replaced' | 'kept' | 'rights set';

type Written = DirectoryStep | FileStep | SecretStep | LinkStep;

const SECRET_BYTES = 32;

const readText = (path: string): string | null => {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw new CommandError(`${path} cannot be read (${code})`);
  }
};

/** The user of the service as the files below `root` have it; null where there is none yet. */
export const findServiceUser = (root: string): { readonly uid: number; readonly gid: number } | null => {
  const lines = (readText(join(root, '/etc/passwd')) ?? '').split('\n').map((line) => line.split(':'));
  const [, , uid, gid] = lines.find(([name]) => name === SERVICE_USER) ?? [];
  return uid === undefined || gid === undefined ? null : { uid: Number(uid), gid: Number(gid) };
};

export interface Writer {
  /** What it would find there and do; nothing is written. */
  readonly judge: (step: Written) => Made;
  readonly apply: (step: Written) => Made;
}

/** `isRoot`: files can be given to other users. The answers in the note are kept before anything is made of them. */
export const createWriter = (root: string, given: Note, isRoot: boolean): Writer => {
  let note = given;
  let isNoteKept = false;
  const at = (path: string): string => join(root, path);

  const rightsOf = ({ mode, owner, group }: DirectoryStep | FileStep | SecretStep): Rights => {
    const user = isRoot ? findServiceUser(root) : null;
    const uid = owner === 'root' ? 0 : user?.uid;
    const gid = group === 'root' ? 0 : user?.gid;
    return { mode, owner: !isRoot || uid === undefined || gid === undefined ? null : { uid, gid } };
  };

  const keepNote = (): void => {
    isNoteKept = true;
    const text = noteText(note);
    if (readText(at(NOTE_FILE)) === text) return;
    writeWhole(at(NOTE_FILE), text, { mode: 0o600, owner: isRoot ? { uid: 0, gid: 0 } : null });
  };

  const hasRights = (path: string, { mode, owner }: Rights): boolean => {
    const status = lstatSync(path);
    const isOwned = owner === null || (status.uid === owner.uid && status.gid === owner.gid);
    return isOwned && (status.mode & 0o7777) === mode;
  };
  const setRights = (path: string, rights: Rights): Made => {
    if (hasRights(path, rights)) return 'right';
    if (rights.owner !== null) chownSync(path, rights.owner.uid, rights.owner.gid);
    chmodSync(path, rights.mode);
    return 'rights set';
  };

  const judgeSecret = ({ path, given }: SecretStep): Made => {
    const found = readText(at(path));
    if (found === null) return 'made';
    return given === null || found.replace(/\r?\n$/, '') === given ? 'right' : 'replaced';
  };
  const judgeLink = ({ path, to }: LinkStep): Made => {
    const found = lstatSync(at(path), { throwIfNoEntry: false });
    if (found === undefined) return 'made';
    return found.isSymbolicLink() && readlinkSync(at(path)) === to ? 'right' : 'kept';
  };
  const FILE = { absent: 'made', right: 'right', outdated: 'replaced', changed: 'kept' } as const;
  const judge = (step: Written): Made => {
    switch (step.kind) {
      case 'directory':
        return lstatSync(at(step.path), { throwIfNoEntry: false }) === undefined ? 'made' : 'right';
      case 'secret':
        return judgeSecret(step);
      case 'link':
        return judgeLink(step);
      case 'file':
        return FILE[judgeFile(note, step.path, step.text, readText(at(step.path)))];
      default:
        return step satisfies never;
    }
  };

  const write = (step: FileStep, path: string): void => {
    note = withHash(note, path, step.text);
    keepNote();
    writeWhole(at(path), step.text, rightsOf(step));
  };
  /** A proposal that no one has touched is of no use any more once the file is right. */
  const removeProposal = (path: string): void => {
    const proposal = readText(at(path));
    if (proposal === null || !note.files[path]?.includes(hashOf(proposal))) return;
    rmSync(at(path));
    syncDirectory(dirname(at(path)));
  };

  const applyFile = (step: FileStep): Made => {
    const made = judge(step);
    const proposed = `${step.path}.proposed`;
    if (made === 'kept') {
      if (readText(at(proposed)) !== step.text) write(step, proposed);
      return made;
    }
    removeProposal(proposed);
    if (made === 'right') {
      note = withHash(note, step.path, step.text);
      return setRights(at(step.path), rightsOf(step));
    }
    write(step, step.path);
    return made;
  };

  const applySecret = (step: SecretStep): Made => {
    const made = judge(step);
    if (made === 'right') return setRights(at(step.path), rightsOf(step));
    const text = step.given ?? randomBytes(SECRET_BYTES).toString(step.form);
    writeWhole(at(step.path), `${text}\n`, rightsOf(step));
    return made;
  };

  const applyLink = (step: LinkStep): Made => {
    const made = judge(step);
    if (made !== 'made') return made;
    makeDirectory(dirname(at(step.path)));
    const half = `${at(step.path)}.setup`;
    rmSync(half, { force: true });
    symlinkSync(step.to, half);
    renameSync(half, at(step.path));
    syncDirectory(dirname(at(step.path)));
    return made;
  };

  return {
    judge,
    apply: (step) => {
      if (step.kind !== 'directory' && !isNoteKept) keepNote();
      switch (step.kind) {
        case 'directory': {
          const made = judge(step);
          if (made === 'right') return setRights(at(step.path), rightsOf(step));
          makeDirectory(at(step.path), rightsOf(step));
          return made;
        }
        case 'secret':
          return applySecret(step);
        case 'link':
          return applyLink(step);
        case 'file':
          return applyFile(step);
        default:
          return step satisfies never;
      }
    },
  };
};
