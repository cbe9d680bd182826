import type { PgClient } from '@queue/core'
import { breakOff } from '@queue/postgres'
import { failed, type Outcome } from '@queue/executor'
import type pg from 'pg'

/**
 * How the transaction of an attempt stands. From `finishing` on, its last statement may have ended the job; from
 * `committing` on, it can no longer be broken off. `unknown`: the reply of its COMMIT was lost.
 */
export type TransactionState = 'open' | 'finishing' | 'committing' | 'committed' | 'unknown' | 'failed'

/** The one transaction of an attempt, from the call of `ctx.transaction` to its end. */
export class HandlerTransaction {
  /** Whether the handler hears how it ends: it has awaited it, or handles its failure in another way. */
  isAwaited = false
  /** Rejects when it is broken off, with the reason. */
  readonly brokenOff: Promise<never>
  readonly #breakOff: (reason: unknown) => void
  #state: TransactionState = 'open'
  #failure: unknown
  #client: pg.PoolClient | undefined
  #isBrokenOff = false

  constructor() {
    const { promise, reject } = Promise.withResolvers<never>()
    promise.catch(ignore)
    this.brokenOff = promise
    this.#breakOff = reject
  }

  get state(): TransactionState {
    return this.#state
  }

  /** Whether it may yet be committed, or be rolled back. */
  get isOpen(): boolean {
    return this.#state === 'open' || this.#state === 'finishing' || this.#state === 'committing'
  }

  /** Whether the job may have ended by it. */
  get mayHaveEndedJob(): boolean {
    return this.#state !== 'open' && this.#state !== 'failed'
  }

  /** Whether its connection was broken off, and is of no use any more. */
  get isBrokenOff(): boolean {
    return this.#isBrokenOff
  }

  /** Why it has failed. */
  get failure(): unknown {
    return this.#failure
  }

  /** It has its connection. Throws the reason when it was broken off before. */
  begun(client: pg.PoolClient): void {
    this.#goOn()
    this.#client = client
  }

  /** Its next state. Throws the reason, and stays as it is, when it was broken off. */
  enter(state: Exclude<TransactionState, 'failed'>): void {
    this.#goOn()
    this.#state = state
  }

  fail(reason: unknown): void {
    if (this.#state === 'unknown' || this.#state === 'failed') return
    this.#state = 'failed'
    this.#failure = reason
  }

  /**
   * Nothing of it will be committed any more: its connection is broken off, so that no statement of it can keep anybody
   * waiting. Without effect once its COMMIT is on its way, or it has ended.
   */
  breakOff(reason: unknown): void {
    if (this.#state !== 'open' && this.#state !== 'finishing') return
    this.fail(reason)
    this.#breakOff(reason)
    if (this.#client === undefined) return
    this.#isBrokenOff = true
    void breakOff(this.#client)
  }

  /**
   * Its client, for as long as its work goes on. Afterwards the connection is somebody else's, or has a COMMIT on its way:
   * what would be sent then is refused.
   */
  clientOf(client: pg.PoolClient): PgClient {
    const query = (...given: unknown[]): unknown => {
      if (this.#state === 'open') return Reflect.apply(client.query, client, given)
      const refusal = new Error(lateStatement)
      const callback = given.at(-1)
      if (typeof callback !== 'function') return handled(Promise.reject(refusal))
      process.nextTick(callback, refusal)
      return undefined
    }
    return new Proxy(client, {
      get: (target, name) => {
        if (name === 'query') return query
        const value: unknown = Reflect.get(target, name)
        return typeof value === 'function' ? value.bind(target) : value
      },
    })
  }

  /**
   * What an attempt comes to whose handler has ended so, whatever its transaction was doing: a success that is not part of
   * what was committed cannot stand. What is still open is broken off.
   */
  outcomeAfter(outcome: Outcome): Outcome {
    const wasOpen = this.isOpen
    this.breakOff(new Error(notAwaited))
    if (outcome.kind !== 'succeeded') return outcome
    if (wasOpen) return failed(new Error(notAwaited))
    const wasMissed = this.#state === 'failed' && !this.isAwaited
    return wasMissed ? failed(new Error(missedFailure, { cause: this.#failure })) : outcome
  }

  #goOn(): void {
    if (this.#state === 'failed') throw this.#failure
  }
}

const notAwaited =
  'the handler has returned before its transaction had ended, which was rolled back: await ctx.transaction'
const missedFailure =
  'ctx.transaction has failed, and the handler has returned without awaiting it: await ctx.transaction'
const lateStatement =
  'the transaction of ctx.transaction has ended: await every statement before its function returns'

/** A promise whose rejection ends no process where nobody awaits it. */
function handled<Value>(promise: Promise<Value>): Promise<Value> {
  promise.catch(ignore)
  return promise
}

function ignore(): void {}
