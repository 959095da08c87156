// Where SMN is and which project is ours, as the login of the operator says. Remembered, failures too: the messages of
// a stranger must not become logins.

import type { Clock } from '../clock.ts';
import type { MessageService } from '../otc/monitoring.ts';
import { allowedLinks, type Links } from './links.ts';
import { Refused } from './outcome.ts';

const KEEP_MS = 10 * 60_000;
const PAUSE_MS = 30_000;

type Known = { service: MessageService; links: Links };

export function createOwnService(
  ask: () => Promise<MessageService>,
  extraHosts: readonly string[],
  clock: Clock,
): () => Promise<Known> {
  let known: { answer: Promise<Known>; until: number } | undefined;

  async function load(): Promise<Known> {
    try {
      const service = await ask();
      return { service, links: allowedLinks(service.url, extraHosts) };
    } catch (error) {
      throw new Refused('unavailable', error);
    }
  }

  return () => {
    if (!known || clock.elapsed() >= known.until) {
      const asked = { answer: load(), until: clock.elapsed() + KEEP_MS };
      asked.answer.catch(() => {
        asked.until = clock.elapsed() + PAUSE_MS;
      });
      known = asked;
    }
    return known.answer;
  };
}
