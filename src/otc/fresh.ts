/** An answer that was read for this very call, with the cloud's own clock (its `Date` header, in ms). */
export type Fresh<T> = { value: T; at: number };
