import type { RequestHandler } from 'express'
import { aloneAfterMs, turnAgeMsMax, turnRequestsMax } from '../http/limits.ts'
import { callerNameOf } from '../http/principal.ts'
import { contextOf, type RequestContext } from '../http/request-context.ts'
import { networkOf } from './address-limiter.ts'
import type { KeyBudgets } from './budget.ts'
import { createFairWaiters, type FairWaiters } from './fair-waiters.ts'

/** The turns of callers for the event loop of this process. */
export interface LoopTurns {
  /** Returns undefined if the sender may go on at once, and otherwise a promise that resolves when it may. */
  take(context: TurnContext): Promise<void> | undefined
  /**
   * For work of one request that can be long. The returned function is called between its parts: it waits for the next turn of the
   * sender if the parts since the last wait took as long as a turn may.
   */
  pauses(context: TurnContext): () => Promise<void> | undefined
}

type TurnContext = Pick<RequestContext, 'principal'> & Partial<Pick<RequestContext, 'client' | 'isProbe'>>

/** What decides about time, so that a test can. */
export interface LoopTurnsOptions {
  /** Milliseconds of a monotonic clock. */
  readonly nowMs: () => number
  /** Runs a function after the events that have happened, and after what follows from those that ran before. */
  readonly afterEvents: (run: () => void) => void
}

interface Caller {
  /** Its requests that went on in this turn. */
  begun: number
  /** Those that wait: of callers without a credential, by the networks of their addresses. */
  readonly waiting: FairWaiters
}

/**
 * In each turn of the event loop every caller goes on with one request, and with a few more while the turn is young. A caller with
 * hundreds of requests at a time uses the processor when nobody else does, and delays another's only request by a few of its own
 * instead of by all. A caller that is alone does not wait. Callers without a valid credential are one caller, within which the
 * networks of their addresses take turns, so that the flood of one does not delay the sign-in of another. So are probes, which
 * do not end that a caller is alone.
 */
export function createLoopTurns({ nowMs, afterEvents }: LoopTurnsOptions): LoopTurns {
  /** The callers of this turn, and those with waiting requests. */
  const callers = new Map<string, Caller>()
  let startedAtMs = 0
  let isTurn = false
  let latestName: string | undefined
  let sharedUntilMs = Number.NEGATIVE_INFINITY

  const isAlone = (name: string): boolean => {
    if (latestName !== undefined && latestName !== name) sharedUntilMs = nowMs() + aloneAfterMs
    latestName = name
    return nowMs() >= sharedUntilMs
  }
  const mayGoOn = ({ begun }: Caller): boolean =>
    begun === 0 || (begun < turnRequestsMax && nowMs() - startedAtMs < turnAgeMsMax)
  const beginTurn = (): void => {
    isTurn = true
    startedAtMs = nowMs()
    for (let n = 0; n < turnRequestsMax; n += 1) afterEvents(goOn)
    afterEvents(endTurn)
  }
  // What follows from each request runs before the next one goes on, so its time counts.
  const goOn = (): void => {
    for (const caller of callers.values()) {
      if (caller.waiting.size === 0 || !mayGoOn(caller)) continue
      caller.begun += 1
      caller.waiting.runNext()
    }
  }
  const endTurn = (): void => {
    isTurn = false
    for (const [name, caller] of callers) {
      caller.begun = 0
      if (caller.waiting.size === 0) callers.delete(name)
    }
    if (callers.size > 0) beginTurn()
  }

  const take: LoopTurns['take'] = ({ principal, client, isProbe = false }) => {
    const name = isProbe ? probesName : callerNameOf(principal)
    if (!isProbe && isAlone(name)) return undefined
    if (!isTurn) beginTurn()
    const caller = callers.get(name) ?? { begun: 0, waiting: createFairWaiters() }
    callers.set(name, caller)
    if (caller.waiting.size === 0 && mayGoOn(caller)) {
      caller.begun += 1
      return undefined
    }
    const source = principal === undefined ? networkOf(client) : ''
    return new Promise((resolve) => caller.waiting.add(source, resolve))
  }

  return {
    take,
    pauses: (context) => {
      let sinceMs = nowMs()
      return () => {
        if (nowMs() - sinceMs < turnAgeMsMax) return undefined
        // Probes are nobody's, so even a caller that is alone lets other events happen first.
        const pause = take(context) ?? new Promise<void>((resolve) => afterEvents(resolve))
        return pause.then(() => {
          sinceMs = nowMs()
        })
      }
    },
  }
}

/** The results of `change` for items that may be large, with a pause between them where they take long. */
export async function mapInTurns<Item, Result>(
  items: readonly Item[],
  pause: ReturnType<LoopTurns['pauses']>,
  change: (item: Item) => Result,
): Promise<Result[]> {
  const results: Result[] = []
  for (const item of items) {
    await pause()
    results.push(change(item))
  }
  return results
}

/** Not a name that `callerNameOf` gives. */
const probesName = ' probe'

/** Paths whose requests do not wait for those of others, so that a flood does not make the process look dead. */
const probes: ReadonlySet<string> = new Set(['/livez', '/readyz', '/health'])

export interface TakeTurnsOptions {
  readonly turns: LoopTurns
  readonly budgets: Pick<KeyBudgets, 'requests'>
}

/** Lets requests go on in turns of their callers. One that nobody waits for any more does not go on. */
export function takeTurns({ turns, budgets: { requests } }: TakeTurnsOptions): RequestHandler {
  return (req, res, next): void | Promise<void> => {
    const context = contextOf(res)
    // Callers of the documentation and of links are unknown, and take turns as one.
    if (probes.has(req.path)) context.isProbe = true
    else if (context.principal !== undefined) requests.take(context, 1)
    return goOnInTurn(turns, context, next)
  }
}

/** Calls `goOn` in the turn of the sender, unless nobody waits for the response any more. */
export function goOnInTurn(
  turns: Pick<LoopTurns, 'take'>,
  context: RequestContext,
  goOn: () => void,
): void | Promise<void> {
  context.hasHadTurn = true
  const turn = turns.take(context)
  return turn === undefined ? goOn() : goOnAfter(turn, context, goOn)
}

async function goOnAfter(turn: Promise<void>, context: RequestContext, goOn: () => void): Promise<void> {
  await turn
  if (!context.isClosed) goOn()
}
