// Which objects a rule of a customize answer names (hook v2: anywhere in the cluster).

import type { KubeObject } from '../kube/api.ts';
import type { JsonRecord } from './json.ts';
import { findByRef, type Resource, type ResourceRef } from './resources.ts';
import { asLabelSelector, type LabelSelector, matchesSelector } from './selectors.ts';

export type RelatedRule = {
  ref: ResourceRef;
  /** Undefined for a kind that nobody serves; the sync that asked for it fails. */
  resource: Resource | undefined;
  namespace: string;
  names: string[];
  labelSelector: LabelSelector | undefined;
  namespaceSelector: LabelSelector | undefined;
};

export const readRule = (value: JsonRecord, resources: readonly Resource[]): RelatedRule => {
  const ref = { apiVersion: String(value.apiVersion), resource: String(value.resource) };
  const rule: RelatedRule = {
    ref,
    resource: findByRef(resources, ref),
    namespace: typeof value.namespace === 'string' ? value.namespace : '',
    names: Array.isArray(value.names) ? value.names.map(String) : [],
    labelSelector: asLabelSelector(value.labelSelector),
    namespaceSelector: asLabelSelector(value.namespaceSelector),
  };
  if (rule.names.length > 0 && (rule.labelSelector || rule.namespaceSelector)) {
    throw new Error('related rule cannot have both names and labelSelector/namespaceSelector specified');
  }
  if (rule.namespace && rule.namespaceSelector) {
    throw new Error('related rule cannot have both namespace and namespaceSelector specified');
  }
  if (rule.namespaceSelector && rule.resource?.namespaced === false) {
    throw new Error('namespaceSelector is only supported for namespaced related resources');
  }
  return rule;
};

export const matchesRule = (
  rule: RelatedRule,
  resource: Resource,
  object: KubeObject,
  labelsOfNamespace: (name: string) => Record<string, string> | undefined,
): boolean => {
  const { name, namespace = '', labels } = object.metadata;
  if (rule.namespaceSelector) {
    const home = labelsOfNamespace(namespace);
    if (!home || !matchesSelector(rule.namespaceSelector, home)) return false;
  }
  if (resource.namespaced && rule.namespace && rule.namespace !== namespace) return false;
  if (rule.names.length > 0) return rule.names.includes(name);
  return matchesSelector(rule.labelSelector, labels);
};
