// Labels on every child.

export const MANAGED_BY = { 'app.kubernetes.io/managed-by': 'rds-pilot' } as const;
