import type { LeaseRenewal } from '@queue/core/internal'
import type { Timeline } from '@queue/postgres/connection'
import type pg from 'pg'

/** The start data of the lease thread. Everything in it can be cloned into another thread. */
export interface LeaseThreadData {
  readonly connection: pg.PoolConfig
  readonly heartbeatMs: number
  /** How long the main event loop may be blocked before the process is killed; 0 = forever. */
  readonly stallMs: number
  readonly buffer: SharedArrayBuffer
}

/** A worker, and the statement that renews its lease. */
export interface Adoption {
  readonly workerId: string
  readonly renewal: LeaseRenewal
  /** The timelines that the main thread has found, so that this thread does not renew on an old primary. */
  readonly timelines: readonly Timeline[]
}

/** `adopt`: renew this worker's lease from now on, and no other. `abandon`: renew none. `stop`: end. */
export type ToLeaseThread =
  | ({ readonly type: 'adopt' } & Adoption)
  | { readonly type: 'abandon' }
  | { readonly type: 'stop' }

/**
 * `ready`: the thread listens. `lost`: the database no longer lists this worker as active. `renewal_failed`: a renewal failed
 * and is tried again; sent once per series of failures.
 */
export type FromLeaseThread =
  | { readonly type: 'ready' }
  | { readonly type: 'lost'; readonly workerId: string }
  | { readonly type: 'renewal_failed'; readonly message: string }
