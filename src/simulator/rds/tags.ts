// Tags of instances. A create cannot set them.
import { bodyOf, type JsonObject, object, objects, optionalText, text } from '../fields.ts';
import { type Answer, type Call, empty, json } from '../protocol.ts';
import { BadField, refuse } from '../refusal.ts';
import { instanceOf } from './guards.ts';
import type { Instance, Tag } from './types.ts';

const MAX_TAGS = 20;

export function changeTags(call: Call): Answer {
  const instance = instanceOf(call);
  const body = bodyOf(call);
  const action = text(body, 'action');
  const tags = objects(body, 'tags').map(readTag);
  if (action === 'create') for (const tag of tags) addTag(instance, tag);
  else if (action === 'delete') for (const { key } of tags) removeTag(instance, key);
  else throw new BadField('action', 'it must be create or delete');
  return empty(200);
}

function readTag(tag: JsonObject): Tag {
  const key = text(tag, 'key');
  const value = optionalText(tag, 'value') ?? '';
  if (!/^[A-Za-z0-9_@-]{1,36}$/.test(key)) throw new BadField('key', `${key} is invalid`);
  if (!/^[A-Za-z0-9_@-]{0,43}$/.test(value)) throw new BadField('value', `${value} is invalid`);
  return { key, value };
}

/** The same key again takes the new value; the same pair again is refused. */
function addTag(instance: Instance, tag: Tag): void {
  const known = instance.tags.find(({ key }) => key === tag.key);
  if (known?.value === tag.value) throw refuse(400, 'DBS.200098', `The tag ${tag.key} already exists.`);
  if (known) known.value = tag.value;
  else if (instance.tags.length >= MAX_TAGS) throw refuse(400, 'DBS.200087', 'The tag quota is exceeded.');
  else instance.tags.push(tag);
}

function removeTag(instance: Instance, wanted: string): void {
  instance.tags = instance.tags.filter(({ key }) => key !== wanted);
}

export const showTags = (call: Call): Answer =>
  json(200, { tags: instanceOf(call).tags.map((tag) => ({ ...tag, tag_type: 'user' })) });

export function listProjectTags(call: Call): Answer {
  const values = new Map<string, Set<string>>();
  for (const instance of Object.values(call.world.instances))
    if (instance.projectId === call.identity.projectId)
      for (const { key, value } of instance.tags) values.set(key, (values.get(key) ?? new Set()).add(value));
  return json(200, { tags: [...values].map(([key, set]) => ({ key, values: [...set] })) });
}

// The old v1 calls that the Go SDK still has.

export function addTagV1(call: Call): Answer {
  addTag(instanceOf(call), readTag(object(bodyOf(call), 'tag')));
  return empty(200);
}

export function removeTagV1(call: Call): Answer {
  removeTag(instanceOf(call), text(bodyOf(call), 'key'));
  return empty(200);
}
