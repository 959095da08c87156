// Refusals of the API server, in the words and the `Status` shape that clients match on.

import type { KubeResponse } from '../kube/api.ts';
import type { Resource } from './resources.ts';

const reasons: Record<number, string> = {
  400: 'BadRequest',
  403: 'Forbidden',
  404: 'NotFound',
  405: 'MethodNotAllowed',
  409: 'Conflict',
  415: 'UnsupportedMediaType',
  422: 'Invalid',
  429: 'TooManyRequests',
};

type Details = {
  name?: string;
  group?: string;
  kind?: string;
  uid?: string;
  causes?: { reason?: string; message?: string; field?: string }[];
};

export class ApiFailure extends Error {
  readonly status: number;
  readonly reason: string;
  readonly details: Details;

  constructor(status: number, message: string, details: Details = {}, reason?: string) {
    super(message);
    this.name = 'ApiFailure';
    this.status = status;
    this.reason = reason ?? reasons[status] ?? 'InternalError';
    this.details = details;
  }
}

export const failureResponse = (failure: ApiFailure): KubeResponse => ({
  status: failure.status,
  body: {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: failure.message,
    reason: failure.reason,
    details: failure.details,
    code: failure.status,
  },
});

const full = (resource: Resource): string =>
  resource.group === '' ? resource.plural : `${resource.plural}.${resource.group}`;

const detailsOf = (resource: Resource, name: string): Details => ({
  name,
  ...(resource.group === '' ? {} : { group: resource.group }),
  kind: resource.plural,
});

export const notFound = (resource: Resource, name: string): ApiFailure =>
  new ApiFailure(404, `${full(resource)} "${name}" not found`, detailsOf(resource, name));

export const alreadyExists = (resource: Resource, name: string): ApiFailure =>
  new ApiFailure(
    409,
    `${full(resource)} "${name}" already exists`,
    detailsOf(resource, name),
    'AlreadyExists',
  );

export const conflict = (resource: Resource, name: string, why?: string): ApiFailure =>
  new ApiFailure(
    409,
    `Operation cannot be fulfilled on ${full(resource)} "${name}": ${
      why ?? 'the object has been modified; please apply your changes to the latest version and try again'
    }`,
    detailsOf(resource, name),
  );

export const invalid = (resource: Resource, name: string, why: string): ApiFailure =>
  new ApiFailure(
    422,
    `${resource.kind}${resource.group === '' ? '' : `.${resource.group}`} "${name}" is invalid: ${why}`,
    detailsOf(resource, name),
  );

export const rejected = (
  resource: Resource,
  name: string,
  reject: { status: number; message: string },
): ApiFailure => new ApiFailure(reject.status, reject.message, detailsOf(resource, name));

export const terminating = (resource: Resource, namespace: string, name: string): ApiFailure =>
  new ApiFailure(
    403,
    `${full(resource)} "${name}" is forbidden: unable to create new content in namespace ${namespace} because it is being terminated`,
    {
      ...detailsOf(resource, name),
      causes: [
        {
          reason: 'NamespaceTerminating',
          message: `namespace ${namespace} is being terminated`,
          field: 'metadata.namespace',
        },
      ],
    },
  );
