import type { BindAddress } from '../config/bind-address.ts'

/** The endpoints that only the main thread can answer. */
export const mainThreadEndpoints = ['readyz', 'health', 'metrics'] as const
export type MainThreadEndpoint = (typeof mainThreadEndpoints)[number]

export interface Answer {
  readonly status: number
  readonly contentType: string
  readonly body: string
}

/** What the ops thread is started with. */
export interface OpsThreadData extends BindAddress {
  /** How long the main thread is waited for, in milliseconds, before a request is answered without it. */
  readonly patienceMs: number
  /** Those that it asks the main thread for. */
  readonly endpoints: readonly MainThreadEndpoint[]
}

/** `answer`: what was asked for. `close`: drain for so many milliseconds, and end. */
export type ToOpsThread =
  | { readonly type: 'answer'; readonly endpoint: MainThreadEndpoint; readonly answer: Answer }
  | { readonly type: 'close'; readonly graceMs: number }

/** `refused`: the thread cannot listen, and ends. An error's code would not survive the way between two threads. */
export type FromOpsThread =
  | { readonly type: 'listening'; readonly port: number }
  | { readonly type: 'refused'; readonly code: string | undefined; readonly message: string }
  | { readonly type: 'ask'; readonly endpoint: MainThreadEndpoint }
