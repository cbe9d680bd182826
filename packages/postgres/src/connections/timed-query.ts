// Statements with a time limit, and the cancel of those that exceed it.
import type pg from 'pg'
import { requestCancel, wireOf } from './cancel-request.ts'
import { sqlStateOf } from '../pg-error.ts'
import type { TextQuery } from '../statements/text-query.ts'

/** A statement got no answer in time. Whether it took effect is unknown, unless the server reports that it did not. */
export class StatementTimeout extends Error {
  /** Whether the server has ended the statement since. If so, the connection and the network work. */
  readonly answered: boolean

  constructor(answered: boolean, cause: unknown) {
    super('Query read timeout', { cause })
    this.answered = answered
  }
}

/** The most time for a cancel request; on a silent network this comes on top of the statement's limit. */
const cancelMsMax = 2_000
/** The time for a cancel request after a statement with a short limit. */
const cancelMsMin = 500
/** The most time for the answer to a cancelled statement, once the server has accepted the request. */
export const answerMsMax = 500
/** The time for that answer after a statement with a short limit, whose caller cannot wait long. */
const answerMsMin = 100
/** How much longer than the server's own limit this process waits. */
const serverAheadMs = 1_000

/** Connections with a statement that timed out, and whether the server has answered since. They must not be used again. */
const timedOut = new WeakMap<pg.ClientBase, 'answered' | 'silent'>()
/** Connections on which the server ends each statement that takes longer than this. */
const serverLimitsMs = new WeakMap<pg.ClientBase, number>()

/** Whether the server answered after a statement on this connection timed out; undefined if none has timed out. */
export function timedOutAs(client: pg.ClientBase): 'answered' | 'silent' | undefined {
  return timedOut.get(client)
}

/** The limit set by `limitedByServer`. */
export function serverLimitMs(client: pg.ClientBase): number | undefined {
  return serverLimitsMs.get(client)
}

/** Records that the server ends statements on this connection that take longer than `limitMs`. */
export function limitedByServer(client: pg.ClientBase, limitMs: number): void {
  serverLimitsMs.set(client, limitMs)
}

/**
 * Runs a statement, which is passed to the connection before this function returns. Rejects with PostgreSQL's error, or with a
 * `StatementTimeout` if there is no answer within `timeoutMs`. After a timeout the statement is cancelled on the server, and its
 * connection must not be used again. If the server itself limits the statement, it gets one second more, and no cancel is sent.
 *
 * It uses neither the promises nor the time limit of node-postgres. For both, node-postgres stores new functions in fields of its
 * query, which V8 allocates among its old objects. Each would keep a statement, its rows and its promise in memory until the next
 * full garbage collection (docs/decisions/0041).
 *
 * Results are texts, whatever the setting of the connection is.
 */
export async function queryWithin<Row extends pg.QueryResultRow>(
  client: pg.ClientBase,
  query: pg.QueryConfig | TextQuery,
  timeoutMs: number,
): Promise<pg.QueryResult<Row>> {
  const endsItself = (serverLimitMs(client) ?? Number.POSITIVE_INFINITY) <= timeoutMs
  try {
    return await new Promise((resolve, reject) => {
      let onAnswer: ((error: unknown) => void) | undefined
      const onTimeout = (): void => {
        const answer = new Promise<unknown>((answered) => {
          onAnswer = answered
        })
        void (endsItself ? destroySilent(client) : cancelTimedOut(client, { answer, timeoutMs })).then(reject)
      }
      const timer = setTimeout(onTimeout, endsItself ? timeoutMs + serverAheadMs : timeoutMs)
      sendForText(client, () =>
        client.query<Row>(query as pg.QueryConfig, (error: Error | null | undefined, result) => {
          clearTimeout(timer)
          if (onAnswer !== undefined) onAnswer(error)
          else if (error === null || error === undefined) resolve(result)
          else reject(error)
        }),
      )
    })
  } catch (error) {
    // A stack that leads to the socket's reader does not help the caller, so it is replaced.
    if (error instanceof Error) Error.captureStackTrace(error)
    throw error
  }
}

/**
 * Sends a statement with the setting `binary` of its connection turned off. node-postgres reads that setting only when a
 * statement is passed to it. It damages every byte of binary results that is not ASCII.
 */
function sendForText(client: pg.ClientBase & { binary?: boolean }, send: () => void): void {
  if (client.binary !== true) return send()
  client.binary = false
  try {
    send()
  } finally {
    client.binary = true
  }
}

/**
 * Cancels a statement that timed out. Resolves with the error to report. A result that arrives this late is ignored, because a
 * COMMIT that waits for a standby also ends when it is cancelled, and must not count as acknowledged then.
 */
async function cancelTimedOut(
  client: pg.ClientBase,
  { answer, timeoutMs }: { readonly answer: Promise<unknown>; readonly timeoutMs: number },
): Promise<StatementTimeout> {
  timedOut.set(client, 'silent')
  const answered = answer.then((error) => ({ error }))
  const cancelMs = Math.min(cancelMsMax, Math.max(cancelMsMin, timeoutMs))
  const isAccepted = await Promise.race([requestCancel(client, cancelMs), answered.then(() => true)])
  const answerMs = Math.min(answerMsMax, Math.max(answerMsMin, timeoutMs / 2))
  const last = isAccepted ? await within(answered, answerMs) : undefined
  if (last === undefined || !isFromServer(last.error)) return destroySilent(client)
  timedOut.set(client, 'answered')
  return new StatementTimeout(true, last.error)
}

/** Whether the server answered, with a result or an error. Otherwise the connection broke. */
function isFromServer(error: unknown): boolean {
  return error === null || error === undefined || sqlStateOf(error) !== undefined
}

/** Destroys the connection to a server that does not answer. Everything else that waits on the connection fails too. */
async function destroySilent(client: pg.ClientBase): Promise<StatementTimeout> {
  timedOut.set(client, 'silent')
  destroy(client)
  return new StatementTimeout(false, undefined)
}

/** Resolves with the promise's value, or with undefined if it takes longer than `limitMs`. */
export async function within<Value>(promise: Promise<Value>, limitMs: number): Promise<Value | undefined> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), limitMs)
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}

/** Destroys the socket of a connection without sending Terminate. Everything that waits on it fails. */
export function destroy(client: pg.ClientBase): void {
  const stream = wireOf(client).connection?.stream
  if (stream === undefined) void (client as pg.Client).end().catch(() => undefined)
  else stream.destroy()
}
