// Topics, subscriptions and messages, as they are kept.

export type Topic = {
  urn: string;
  id: string;
  projectId: string;
  name: string;
  displayName: string;
  createdAt: number;
  updatedAt: number;
  attributes: Record<string, string>;
};

/** As the API numbers them. */
export const UNCONFIRMED = 0;
export const CONFIRMED = 1;
export const CANCELED = 3;

export type Subscription = {
  urn: string;
  topicUrn: string;
  projectId: string;
  protocol: string;
  endpoint: string;
  remark: string;
  headers: Record<string, string>;
  status: typeof UNCONFIRMED | typeof CONFIRMED | typeof CANCELED;
  /** What the link to confirm carries, and since when. */
  token: string;
  tokenAt: number;
  /** Where this cloud was called when it was made: the beginning of all links. */
  origin: string;
};

/** One message to one endpoint. */
export type Message = {
  id: string;
  messageId: string;
  type: 'SubscriptionConfirmation' | 'Notification' | 'UnsubscribeConfirmation';
  topicUrn: string;
  subscriptionUrn: string;
  endpoint: string;
  subject: string;
  text: string;
  at: number;
  expiresAt: number;
  tries: number;
  state: 'waiting' | 'delivered' | 'dropped';
  /** Of the last try; undefined when no answer came. */
  lastStatus: number | undefined;
};

export type Letter = { url: string; headers: Record<string, string>; body: string };

/** Posts a letter and gives the status; anything but 2xx, or a rejection, is tried again. */
export type Deliver = (letter: Letter) => Promise<number>;
