// How the cloud writes moments: every service has its own habit.

const SECOND_PRECISION = 19;
const MAX_REMEMBERED = 4_000;

/** The same few seconds are written again and again. */
function remembered(write: (ms: number) => string): (ms: number) => string {
  const texts = new Map<number, string>();
  return (ms) => {
    const second = Math.floor(ms / 1_000);
    const known = texts.get(second);
    if (known !== undefined) return known;
    if (texts.size >= MAX_REMEMBERED) texts.clear();
    const text = write(ms);
    texts.set(second, text);
    return text;
  };
}

/** `Sun, 06 Nov 1994 08:49:37 GMT` */
export const httpDate = remembered((ms) => new Date(ms).toUTCString());

/** `2025-01-01T10:00:00+0000`: the offset has no colon. */
export const rdsTime = (ms: number): string => `${bareTime(ms)}+0000`;

/** `2025-01-01T10:00:00`, UTC without saying so: log rows and the begin of a new backup. */
export const bareTime = remembered((ms) => new Date(ms).toISOString().slice(0, SECOND_PRECISION));

/** `2025-01-01T10:00:00.000000Z`, as in tokens. */
export const iamTime = (ms: number): string => new Date(ms).toISOString().replace('Z', '000Z');

/** Accepts what clients send: `+0000`, a space where a form decoder ate the plus, or no offset at all. */
export function parseTime(text: string): number | undefined {
  const match = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}:\d{2})(?:Z|[+ -]\d{2}:?\d{2})?$/.exec(text.trim());
  if (!match) return undefined;
  const offset = /[+ -](\d{2}):?(\d{2})$/.exec(text.trim().slice(SECOND_PRECISION));
  const utc = Date.parse(`${match[1]}T${match[2]}Z`);
  if (Number.isNaN(utc) || !offset) return Number.isNaN(utc) ? undefined : utc;
  const minutes = Number(offset[1]) * 60 + Number(offset[2]);
  return utc + (offset[0].startsWith('-') ? minutes : -minutes) * 60_000;
}
