// Most of a hook call is never read: the CompositeController, the same text every time, and the managed fields of
// children and related objects. They are cut out of the text, so that nothing of them is parsed, checked or collected.

/** The text may be anything: where the cut one does not parse, the whole counts. */
export type Trim = (body: string) => string;

export function createTrim(): Trim {
  const leadLength = createLeads();
  return (body) => {
    const lead = leadLength(body);
    // A caller that is not known to be Metacontroller may order its members as it likes.
    return lead === 0 ? body : `{${withoutManagedFields(body, lead)}`;
  };
}

/** `"managedFields":[`, looked for by its rarest letter. */
const MARK = 'Fields":[';
const BEFORE_MARK = '"managed';
/** Metacontroller writes the keys of an object in order, so this follows. */
const NEXT = '],"name":"';
const COMMA = '],'.length;

/**
 * The first are those of the parent and stay: they tell what a person set. A quote that is not escaped cannot stand inside
 * a string, so all marks are what they look like; and the array that ends at the first bracket is this one, or a deeper
 * one, and then what is left has brackets without a partner and does not parse.
 */
export function withoutManagedFields(body: string, start = 0): string {
  let kept = '';
  let copied = start;
  const first = body.indexOf(MARK, start);
  let at = first < 0 ? -1 : body.indexOf(MARK, first + 1);
  while (at >= 0) {
    const from = at - BEFORE_MARK.length;
    const end = body.indexOf(']', at);
    if (body.startsWith(BEFORE_MARK, from) && body.startsWith(NEXT, end)) {
      kept += body.slice(copied, from);
      copied = end + COMMA;
    }
    at = body.indexOf(MARK, at + 1);
  }
  return kept + body.slice(copied);
}

/** As many controllers as may call one replica, before and after an edit. */
const MAX_CONTROLLERS = 4;

/** How much of the body is a controller that was seen before: `{"controller":{...},`. */
function createLeads(): (body: string) => number {
  const known: string[] = [];
  return (body) => {
    // Compared as slices: that is one comparison of memory, and startsWith is a loop.
    const lead = known.find((one) => body.slice(0, one.length) === one);
    if (lead !== undefined) return lead.length;
    const found = leadingController(body);
    if (found !== undefined) {
      known.unshift(found);
      known.length = Math.min(known.length, MAX_CONTROLLERS);
    }
    return 0;
  };
}

/** Only what has proven to be that one member and nothing else. */
function leadingController(body: string): string | undefined {
  const end = body.indexOf('},"parent":{');
  if (end < 0 || !body.startsWith('{"controller":{')) return undefined;
  const member = body.slice(0, end + 1);
  try {
    JSON.parse(`${member}}`);
    return `${member},`;
  } catch {
    return undefined;
  }
}
