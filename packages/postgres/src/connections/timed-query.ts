// Statements with a limit on their time, and what becomes of those that exceed it.
import type pg from 'pg'
import { requestCancel, wireOf } from './cancel-request.ts'
import { sqlStateOf } from '../pg-error.ts'

/** A statement that got no answer in time. Whether it took effect is unknown, unless the server says that it did not. */
export class StatementTimeout extends Error {
  /** Whether the server has ended it since: its connection and the network are sound then. */
  readonly answered: boolean

  constructor(answered: boolean, cause: unknown) {
    super('Query read timeout', { cause })
    this.answered = answered
  }
}

/** How long a cancel request may take at most; on a silent network this comes on top of the statement's limit. */
const cancelMsMax = 2_000
/** The same after statements with short limits. */
const cancelMsMin = 500
/** How long the answer to a cancelled statement may take to arrive once the request was taken. */
export const answerMsMax = 500
/** The same after statements with short limits: whoever has those cannot wait for long. */
const answerMsMin = 100
/** By so much the server's own limit comes before ours. */
const serverAheadMs = 1_000

/** Connections whose statement was given up, by whether the server has answered since. Nobody may have them any more. */
const givenUp = new WeakMap<pg.ClientBase, 'answered' | 'silent'>()
/** Connections on which the server ends each statement that takes longer than this. */
const serverLimitsMs = new WeakMap<pg.ClientBase, number>()

/** What became of the connection's last statement; undefined while none was given up. */
export function givenUpAs(client: pg.ClientBase): 'answered' | 'silent' | undefined {
  return givenUp.get(client)
}

/** What `limitedByServer` has said. */
export function serverLimitMs(client: pg.ClientBase): number | undefined {
  return serverLimitsMs.get(client)
}

/** From now on the server itself ends what takes longer than `limitMs` on this connection. */
export function limitedByServer(client: pg.ClientBase, limitMs: number): void {
  serverLimitsMs.set(client, limitMs)
}

/**
 * Runs a statement, handed to the connection before this returns. Rejects with what PostgreSQL says, or, when there is
 * no answer within `timeoutMs`, with a `StatementTimeout`: the statement is cancelled on the server then, and its
 * connection is of no use any more. Where the server knows the limit itself, it has a second more to answer, and is
 * asked for nothing.
 *
 * node-postgres has promises and a time limit of its own. For both it puts new functions into fields of its query, which
 * V8 allocates among its old objects: each would keep a statement, its rows and its promise until the next collection of
 * everything (docs/decisions/0041).
 *
 * The results come as text, whatever the connection's own choice is.
 */
export async function queryWithin<Row extends pg.QueryResultRow>(
  client: pg.ClientBase,
  query: pg.QueryConfig,
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
        void (endsItself ? giveUpSilent(client) : giveUp(client, { answer, timeoutMs })).then(reject)
      }
      const timer = setTimeout(onTimeout, endsItself ? timeoutMs + serverAheadMs : timeoutMs)
      sendForText(client, () =>
        client.query<Row>(query, (error: Error | null | undefined, result) => {
          clearTimeout(timer)
          if (onAnswer !== undefined) onAnswer(error)
          else if (error === null || error === undefined) resolve(result)
          else reject(error)
        }),
      )
    })
  } catch (error) {
    // The stack that leads to the socket's reader says nothing to whoever has sent the statement.
    if (error instanceof Error) Error.captureStackTrace(error)
    throw error
  }
}

/**
 * Hands a statement over with the setting `binary` of its connection turned off. node-postgres looks at that when it is
 * handed a statement, and at no other moment, and of binary results it loses every byte that is not ASCII.
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
 * Ends a statement whose time is over, and gives the error to report. A result that comes this late is not given: a
 * COMMIT that waits for a standby also ends when it is cancelled, and must not count as acknowledged then.
 */
async function giveUp(
  client: pg.ClientBase,
  { answer, timeoutMs }: { readonly answer: Promise<unknown>; readonly timeoutMs: number },
): Promise<StatementTimeout> {
  givenUp.set(client, 'silent')
  const answered = answer.then((error) => ({ error }))
  const cancelMs = Math.min(cancelMsMax, Math.max(cancelMsMin, timeoutMs))
  const isHeard = await Promise.race([requestCancel(client, cancelMs), answered.then(() => true)])
  const answerMs = Math.min(answerMsMax, Math.max(answerMsMin, timeoutMs / 2))
  const last = isHeard ? await within(answered, answerMs) : undefined
  if (last === undefined || !isFromServer(last.error)) return giveUpSilent(client)
  givenUp.set(client, 'answered')
  return new StatementTimeout(true, last.error)
}

/** Whether a statement has ended by the word of the server, also that it is done, and not with its connection. */
function isFromServer(error: unknown): boolean {
  return error === null || error === undefined || sqlStateOf(error) !== undefined
}

/** The server is not heard: whatever else waits on the connection ends with it. */
async function giveUpSilent(client: pg.ClientBase): Promise<StatementTimeout> {
  givenUp.set(client, 'silent')
  destroy(client)
  return new StatementTimeout(false, undefined)
}

/** What the promise gives, or undefined when it takes longer than that. */
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

/** Ends a connection without a word: its socket is gone, and everything that waits on it fails. */
export function destroy(client: pg.ClientBase): void {
  const stream = wireOf(client).connection?.stream
  if (stream === undefined) void (client as pg.Client).end().catch(() => undefined)
  else stream.destroy()
}
