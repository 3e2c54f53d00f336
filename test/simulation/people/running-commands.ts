// Commands of the operator, each as a process of its own beside the service: they run in the simulated world, and can be killed at any
// moment. Then what they had begun stays as it is, and their connections to files end.
import { Cut, type Reply, type Scene } from '../scene.ts';
import { SimDisk } from '../world/disk.ts';
import { OUTSIDE, type Owner, world } from '../world/world.ts';

export interface Command<T> {
  /** Rejects with Cut where it was killed. */
  readonly result: Promise<T>;
  kill(): void;
}

export interface CommandTools {
  /** What is asked of a service. The connection is that of someone outside, so that others may use it after this command. */
  ask(asked: () => Promise<Reply>): Promise<Reply>;
  sleep(milliseconds: number): Promise<void>;
}

const begin = <T>(name: string, work: (tools: CommandTools) => Promise<T>): Command<T> => {
  const owner: Owner = { name: `command ${name}`, isAlive: true };
  const within = (run: () => void): void => {
    world().post(owner, world().now, run);
  };
  let cut: (error: Error) => void = () => undefined;
  const result = new Promise<T>((resolve, reject) => {
    const out = (end: () => void): void => {
      world().post(OUTSIDE, world().now, () => {
        owner.isAlive = false;
        SimDisk.release(owner);
        end();
      });
    };
    cut = reject;
    const tools: CommandTools = {
      ask: (asked) =>
        new Promise((answered, failed) => {
          const former = world().owner;
          world().owner = OUTSIDE;
          asked().then(
            (reply) => within(() => answered(reply)),
            (error) => within(() => failed(error)),
          );
          world().owner = former;
        }),
      sleep: (milliseconds) =>
        new Promise((slept) => {
          world().post(owner, world().now + milliseconds, slept);
        }),
    };
    within(() => {
      Promise.try(() => work(tools)).then(
        (value) => out(() => resolve(value)),
        (error) => out(() => reject(error)),
      );
    });
  });
  return {
    result,
    kill: () => {
      if (!owner.isAlive) return;
      owner.isAlive = false;
      SimDisk.release(owner);
      cut(new Cut(`${owner.name} was killed`));
    },
  };
};

/** Runs it, and kills it after so many milliseconds where that is given. `commands`: those that end with the machine. */
export const runCommand = async <T>(
  scene: Scene,
  commands: Set<Command<unknown>>,
  name: string,
  killAfter: number | null,
  work: (tools: CommandTools) => Promise<T>,
): Promise<T> => {
  const command = begin(name, work);
  commands.add(command);
  if (killAfter !== null)
    void scene.sleep(killAfter).then(() => {
      if (commands.has(command)) scene.note(`${name} is killed`);
      command.kill();
    });
  try {
    return await command.result;
  } finally {
    commands.delete(command);
  }
};
