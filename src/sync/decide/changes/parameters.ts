// Engine parameters. The cloud ignores names and values that it does not like; we refuse them by name.

import type { Parameter } from '../../../otc/cloud.ts';
import { remembered } from '../remembered.ts';
import { type Case, engineWords, isSet, orderOf, type Wish } from './wish.ts';

export function parameters(one: Case): Wish[] {
  const { o, instance, details } = one;
  if (!isSet(one, 'parameters') || !details.parameters) return [];
  const known = new Map(details.parameters.map((parameter) => [parameter.name, parameter]));
  const differing = Object.entries(o.spec.parameters ?? {})
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .filter(([name, value]) => !sameValue(known.get(name)?.value, value));
  const wanted = differing.filter(([name, value]) => problemOf(known.get(name), value) === undefined);
  const values = Object.fromEntries(wanted);
  const order = orderOf(instance.id, { kind: 'parameters', values }, JSON.stringify(values));
  return differing.map(([name, value]) => {
    const parameter = known.get(name);
    const wish = { field: `spec.parameters.${name}`, from: parameter?.value ?? 'unknown', to: value };
    const problem = problemOf(parameter, value);
    if (problem) {
      const refused = `${engineWords(instance.engine, instance.version)} ${problem}`;
      return { ...wish, impact: 'impossible', refused };
    }
    // Writing the value disturbs nobody; what it changes may have to wait for a restart.
    return parameter?.restartRequired
      ? { ...wish, impact: 'restart', disrupts: false, note: 'takes effect with the next restart', order }
      : { ...wish, impact: 'reload', order };
  });
}

export function sameValue(present: string | undefined, wanted: string): boolean {
  if (present === undefined) return false;
  if (present === wanted) return true;
  const isNumber = (text: string) => /^-?\d+(\.\d+)?$/.test(text);
  return isNumber(present) && isNumber(wanted) && Number(present) === Number(wanted);
}

function problemOf(parameter: Parameter | undefined, value: string): string | undefined {
  if (!parameter) return 'has no such parameter';
  if (parameter.readonly) return 'does not let this parameter be changed';
  return isInRange(parameter, value) ? undefined : `allows ${parameter.range}`;
}

/** Ranges of forms that are not known here are left to the cloud to judge. */
function isInRange({ type, range }: Parameter, value: string): boolean {
  if (range === '') return true;
  if (type === 'integer' || type === 'float') {
    const bounds = /^(-?\d+(?:\.\d+)?)-(-?\d+(?:\.\d+)?)$/.exec(range);
    if (!bounds) return true;
    const form = type === 'integer' ? /^-?\d+$/ : /^-?\d+(\.\d+)?$/;
    return form.test(value) && Number(value) >= Number(bounds[1]) && Number(value) <= Number(bounds[2]);
  }
  return type === 'string' || !range.includes('|') || range.split('|').includes(value);
}

/** Marks a restart that nobody ordered: parameters wait for it. */
export const PENDING_RESTART = 'parameters=pending';

export function pendingRestart({ o, instance }: Case): Wish[] {
  const names = remembered(o).pendingRestart;
  if (names.length === 0) return [];
  return [
    {
      field: 'restart',
      from: `changed: ${names.join(', ')}`,
      to: 'in effect',
      impact: 'restart',
      needsConsent: true,
      order: {
        op: { kind: 'restart', key: PENDING_RESTART },
        write: { do: 'restart', instanceId: instance.id, annotated: undefined },
      },
    },
  ];
}
