import type { BindAddress } from '../config/bind-address.ts'

/** The endpoints that only the main thread can answer. */
export const mainThreadEndpoints = ['readyz', 'health', 'metrics'] as const
export type MainThreadEndpoint = (typeof mainThreadEndpoints)[number]

export interface Answer {
  readonly status: number
  readonly contentType: string
  readonly body: string
}

/** The start data of the ops thread. */
export interface OpsThreadData extends BindAddress {
  /** How long to wait for the main thread, in milliseconds, before a request is answered without it. */
  readonly patienceMs: number
  /** The endpoints that the main thread answers. */
  readonly endpoints: readonly MainThreadEndpoint[]
}

/** `answer`: the answer to an `ask`. `close`: drain for at most this many milliseconds, and end. */
export type ToOpsThread =
  | { readonly type: 'answer'; readonly endpoint: MainThreadEndpoint; readonly answer: Answer }
  | { readonly type: 'close'; readonly graceMs: number }

/** `refused`: the thread cannot listen, and ends. The code is sent separately, because it is lost when an error is cloned. */
export type FromOpsThread =
  | { readonly type: 'listening'; readonly port: number }
  | { readonly type: 'refused'; readonly code: string | undefined; readonly message: string }
  | { readonly type: 'ask'; readonly endpoint: MainThreadEndpoint }

export function jsonAnswer(status: number, body: object): Answer {
  return { status, contentType: 'application/json; charset=utf-8', body: `${JSON.stringify(body)}\n` }
}
