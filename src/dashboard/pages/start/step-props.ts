// What each step of the first run gets.
import type { Practice } from '#api';

export interface StepProps {
  readonly of: Practice;
  readonly isDone: boolean;
  /** Something was done: what is done is asked for again. */
  readonly onChanged: () => void;
}
