// The house subset of TypeBox: what a structural Kubernetes schema can express and nothing more, with the
// maxima that CEL needs to bound its cost.

import Type, { type TObject, type TProperties } from 'typebox';

export const text = (description: string, options: Record<string, unknown> = {}) =>
  Type.String({ description, maxLength: 256, ...options });

/** A bare TypeBox enum has no `type`, which a structural schema demands. */
export const oneOf = <const Values extends string[]>(
  values: readonly [...Values],
  description: string,
  options: Record<string, unknown> = {},
) => Type.Enum([...values] as [...Values], { type: 'string', description, ...options });

export const int = (description: string, options: Record<string, unknown> = {}) =>
  Type.Integer({ description, ...options });

export const flag = (description: string, options: Record<string, unknown> = {}) =>
  Type.Boolean({ description, ...options });

export const group = <Properties extends TProperties>(
  description: string,
  properties: Properties,
  options: Record<string, unknown> = {},
): TObject<Properties> => Type.Object(properties, { description, ...options });

export const textMap = (description: string, maxProperties: number) =>
  Type.Record(Type.String(), Type.String({ maxLength: 1024 }), { description, maxProperties });

export const optional = Type.Optional;
export const listOf = Type.Array;
