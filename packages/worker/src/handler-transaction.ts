import { isDeepStrictEqual } from 'node:util'
import { QueueError } from '@queue/core'
import type { PgConnection } from '@queue/core/internal'
import { terminate } from '@queue/postgres'
import { failed, type Outcome, type Succeeded } from '@queue/executor'
import type pg from 'pg'

/**
 * The state of an attempt's transaction. From `finishing` on, the job may have ended. From `committing` on, the transaction
 * can no longer be aborted. `unknown`: the reply of its COMMIT was lost.
 */
export type TransactionState = 'open' | 'finishing' | 'committing' | 'committed' | 'unknown' | 'failed'

/** The only transaction of an attempt, from the call of `ctx.transaction` to its end. */
export class HandlerTransaction {
  /** Whether the handler awaits it or has attached a rejection handler. */
  isAwaited = false
  /** The result that its finish stores: what its function returned. */
  kept: Pick<Succeeded, 'result' | 'note'> | undefined
  /** Rejects with the abort reason. */
  readonly aborted: Promise<never>
  readonly #abort: (reason: unknown) => void
  #state: TransactionState = 'open'
  #failure: unknown
  #client: pg.PoolClient | undefined
  #isConnectionClosed = false

  constructor() {
    const { promise, reject } = Promise.withResolvers<never>()
    promise.catch(ignore)
    this.aborted = promise
    this.#abort = reject
  }

  get state(): TransactionState {
    return this.#state
  }

  /** Whether it has not ended yet. */
  get isOpen(): boolean {
    return this.#state === 'open' || this.#state === 'finishing' || this.#state === 'committing'
  }

  /** Whether it may have ended the job. */
  get mayHaveEndedJob(): boolean {
    return this.#state !== 'open' && this.#state !== 'failed'
  }

  /** Whether its connection was terminated and cannot be used again. */
  get isConnectionClosed(): boolean {
    return this.#isConnectionClosed
  }

  /** Why it has failed. */
  get failure(): unknown {
    return this.#failure
  }

  /** Called when it has its connection. Throws the reason if it was aborted before. */
  connected(client: pg.PoolClient): void {
    this.#throwIfFailed()
    this.#client = client
  }

  /** Enters the next state. If it was aborted, throws the reason and changes nothing. */
  enter(state: Exclude<TransactionState, 'failed'>): void {
    this.#throwIfFailed()
    this.#state = state
  }

  fail(reason: unknown): void {
    if (this.#state === 'unknown' || this.#state === 'failed') return
    this.#state = 'failed'
    this.#failure = reason
  }

  /**
   * Prevents its COMMIT and terminates its connection, so that none of its statements can hold up the handler. Does nothing
   * once the COMMIT has been sent or the transaction has ended.
   */
  abort(reason: unknown): void {
    if (this.#state !== 'open' && this.#state !== 'finishing') return
    this.fail(reason)
    this.#abort(reason)
    if (this.#client === undefined) return
    this.#isConnectionClosed = true
    void terminate(this.#client)
  }

  /**
   * The client for the handler's function. It refuses statements once the function has ended, because the connection then
   * runs the COMMIT or serves another handler, and statements that begin or end a transaction, because the end of the job must
   * commit with the writes. Its `release` does nothing. A pool that is made of it would connect by itself, outside of the
   * transaction: its members cannot be copied.
   */
  guardedClient(client: pg.PoolClient): PgConnection {
    const query = (...args: unknown[]): unknown => {
      const reason = this.#state === 'open' ? refusalOf(args[0]) : lateStatement
      if (reason === undefined) return Reflect.apply(client.query, client, args)
      const refusal = new QueueError('invalid_options', reason)
      const callback = args.at(-1)
      if (typeof callback !== 'function') return handled(Promise.reject(refusal))
      process.nextTick(callback, refusal)
      return undefined
    }
    return new Proxy(client, {
      get: (target, name) => {
        if (name === 'query') return query
        if (name === 'release') return ignore
        const value: unknown = Reflect.get(target, name)
        return typeof value === 'function' ? value.bind(target) : value
      },
      ownKeys: () => {
        throw new QueueError('invalid_options', copiedClient)
      },
    })
  }

  /** Whether it has stored another result than the one that its handler returned at its end. */
  hasOtherResult(outcome: Outcome): boolean {
    if (this.#state !== 'committed' || outcome.kind !== 'succeeded') return false
    const { result, note } = outcome
    return (result !== null || note !== null) && !isDeepStrictEqual({ result, note }, this.kept)
  }

  /**
   * The outcome of an attempt whose handler ended with `outcome`. A success counts only if the handler awaited the
   * transaction: one that is still open is aborted, and a failure that nobody awaited fails the attempt.
   */
  outcomeAfter(outcome: Outcome): Outcome {
    const wasOpen = this.isOpen
    this.abort(new Error(notAwaited))
    if (outcome.kind !== 'succeeded') return outcome
    if (wasOpen) return failed(new Error(notAwaited))
    const failureWasIgnored = this.#state === 'failed' && !this.isAwaited
    return failureWasIgnored ? failed(new Error(failureNotAwaited, { cause: this.#failure })) : outcome
  }

  #throwIfFailed(): void {
    if (this.#state === 'failed') throw this.#failure
  }
}

const notAwaited =
  'the handler returned before its transaction had ended, and the transaction was rolled back: await ctx.transaction'
const failureNotAwaited =
  'ctx.transaction failed, and the handler returned without awaiting it: await ctx.transaction'
const lateStatement =
  'the transaction of ctx.transaction has ended: await every statement before its function returns'
const ownTransaction =
  'ctx.transaction has begun the transaction of its client, and commits it with the end of the job: send no BEGIN, COMMIT or ' +
  'ROLLBACK, and call no transaction() of a library, which sends them; SAVEPOINT and ROLLBACK TO are allowed'
const copiedClient =
  'the client of ctx.transaction cannot be the configuration of a pool: a library that opens connections by itself, such as ' +
  'Prisma, cannot write in this transaction; docs/getting-started.md says what to do instead'

const transactionControl =
  /^\s*(?:begin|start\s+transaction|commit|end|abort|prepare\s+transaction|rollback(?!\s+(?:(?:work|transaction)\s+)?to\b))\b/i

/** What a semicolon, or the first word of a statement, may hide behind or in: comments, and quoted texts and names. */
const commentOrQuoted =
  /--[^\n\r]*|\/\*.*?\*\/|\be'(?:[^'\\]|\\.|'')*'|'[^']*'|"[^"]*"|\$((?:[a-z_]\w*)?)\$.*?\$\1\$/gis

/** Whether one of the statements in the text begins or ends a transaction. */
function controlsTransaction(text: string): boolean {
  if (transactionControl.test(text)) return true
  // Most texts are one statement without a comment before it.
  if (!/;|^\s*(?:--|\/\*)/.test(text)) return false
  const statements = text.replace(commentOrQuoted, (part) => (/^(?:--|\/\*)/.test(part) ? ' ' : "''"))
  // What is left of a comment that contains another one ends with the mark of its end.
  return statements.split(/;|\*\//).some((statement) => transactionControl.test(statement))
}

/** Why the client of a handler does not send this statement; undefined if it does. */
function refusalOf(statement: unknown): string | undefined {
  const text =
    typeof statement === 'object' && statement !== null && 'text' in statement ? statement.text : statement
  return typeof text === 'string' && controlsTransaction(text) ? ownTransaction : undefined
}

/** A promise whose rejection does not end the process when nobody awaits it. */
function handled<Value>(promise: Promise<Value>): Promise<Value> {
  promise.catch(ignore)
  return promise
}

function ignore(): void {}
