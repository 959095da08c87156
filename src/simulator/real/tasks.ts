// Real work by name: begun once, its end remembered.
import type { Progress } from '../hosting.ts';

export type Tasks = ReturnType<typeof createTasks>;

export function createTasks(report: (problem: string) => void) {
  const progress = new Map<string, Progress>();
  const running = new Map<string, Promise<void>>();

  return {
    has: (name: string): boolean => progress.has(name),
    progressOf: (name: string): Progress => progress.get(name) ?? { is: 'working' },
    /** Resolves when it has ended, well or not. */
    ended: (name: string): Promise<void> => running.get(name) ?? Promise.resolve(),
    forget: (name: string): void => {
      progress.delete(name);
      running.delete(name);
    },
    begin(name: string, work: () => Promise<void>): void {
      progress.set(name, { is: 'working' });
      const end = (how: Progress) => {
        if (progress.has(name)) progress.set(name, how);
      };
      running.set(
        name,
        work().then(
          () => end({ is: 'done' }),
          (error: Error) => {
            end({ is: 'failed', reason: error.message });
            report(`${name}: ${error.message}`);
          },
        ),
      );
    },
    all: (): Promise<unknown> => Promise.all(running.values()),
  };
}
