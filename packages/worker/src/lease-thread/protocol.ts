import type pg from 'pg'

/** What the lease thread is started with; everything in it can be cloned into another thread. */
export interface LeaseThreadData {
  readonly connection: pg.PoolConfig
  readonly schema: string
  readonly leaseMs: number
  readonly heartbeatMs: number
  /** How long the main loop may stand still before its process is ended; 0 = for ever. */
  readonly stallMs: number
  readonly buffer: SharedArrayBuffer
}

/** `adopt`: renew this worker's lease from now on, and no other. `stop`: end. */
export type ToLeaseThread = { readonly type: 'adopt'; readonly workerId: string } | { readonly type: 'stop' }

/** `lost`: the database no longer has this worker as active. `trouble`: a renewal failed, and is tried again. */
export type FromLeaseThread =
  | { readonly type: 'lost'; readonly workerId: string }
  | { readonly type: 'trouble'; readonly message: string }
