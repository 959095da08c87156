// Addresses that the real SMN does not post to: it is not inside the customer's networks.

const internal = [
  /^localhost$/i,
  /\.(local|internal|svc)$/i,
  /^127\./,
  /^10\./,
  /^192\.168\./,
  /^172\.(1[6-9]|2\d|3[01])\./,
  /^169\.254\./,
  /^100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7])\./,
  /^0\./,
  /^\[/,
];

export const isInternal = (url: string): boolean => {
  const { hostname } = new URL(url);
  return internal.some((pattern) => pattern.test(hostname));
};
