// "Did you mean": the known words that a typing error may have meant, nearest first.

const FARTHEST = 3;

function nearNames(word: string, known: readonly string[], most = 3): string[] {
  const wanted = word.toLowerCase();
  return known
    .map((name) => ({ name, far: distance(wanted, name.toLowerCase()) }))
    .filter(
      ({ name, far }) => far <= Math.min(FARTHEST, Math.ceil(word.length / 2)) || startsAlike(wanted, name),
    )
    .sort((a, b) => a.far - b.far || a.name.localeCompare(b.name))
    .slice(0, most)
    .map(({ name }) => name);
}

function startsAlike(wanted: string, name: string): boolean {
  const other = name.toLowerCase();
  return wanted.length > 1 && (other.startsWith(wanted) || wanted.startsWith(other));
}

/** Levenshtein: how many letters to add, remove or change. */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let i = 1; i <= one.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= other.length; j += 1) {
      const changed = (row[j - 1] ?? 0) + (one[i - 1] === other[j - 1] ? 0 : 1);
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, changed));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}

/** `Did you mean shop or shop-copy?`, or what else the caller says. */
export function didYouMean(word: string, known: readonly string[], otherwise?: string): string | undefined {
  const near = nearNames(word, known);
  return near.length > 0 ? `Did you mean ${near.join(' or ')}?` : otherwise;
}
