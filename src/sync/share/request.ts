// The envelope of a DecoratorController's hook, for namespaces.

import Type, { type Static } from 'typebox';
import type { ChildObject } from '../decide/observed.ts';
import { ObjectsSchema } from '../request.ts';
import type { ShareView } from './decide/share.ts';

const NamespaceSchema = Type.Object({
  metadata: Type.Object({
    name: Type.String({ minLength: 1 }),
    uid: Type.Optional(Type.String()),
    annotations: Type.Optional(Type.Record(Type.String(), Type.String())),
    deletionTimestamp: Type.Optional(Type.String()),
  }),
});

export const ShareRequestSchema = Type.Object({
  controller: Type.Optional(Type.Object({})),
  object: NamespaceSchema,
  attachments: ObjectsSchema,
  related: Type.Optional(Type.Union([ObjectsSchema, Type.Null()])),
  finalizing: Type.Optional(Type.Boolean()),
});

/** Asked with `parent`, for decorators too. */
export const ShareCustomizeSchema = Type.Object({
  controller: Type.Optional(Type.Object({})),
  parent: NamespaceSchema,
});

export type ShareRequest = Static<typeof ShareRequestSchema>;
export type Shared = Omit<ShareView, 'live'> & { isTerminating: boolean };

export function readShareRequest({ object, attachments, related }: ShareRequest): Shared {
  const { name, uid = '', annotations = {}, deletionTimestamp } = object.metadata;
  const secretsIn = (objects: ShareRequest['related']) =>
    Object.entries(objects?.['Secret.v1'] ?? {}).map(([key, secret]) => ({
      key,
      secret: { ...secret, apiVersion: 'v1', kind: 'Secret' } as ChildObject,
    }));
  return {
    namespace: { name, uid, annotations },
    attachments: secretsIn(attachments).map(({ secret }) => secret),
    shareable: secretsIn(related),
    isTerminating: deletionTimestamp !== undefined,
  };
}
