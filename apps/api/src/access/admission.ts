import {
  admissionWaitingMax,
  admissionWaitMsMax,
  connectionsAdmittedShare,
  heavyShare,
  keyEnqueuesShare,
  keyShare,
  scrapesMax,
} from '../http/limits.ts'
import { callerNameOf, quotaKeyOf } from '../http/principal.ts'
import { Problem } from '../http/problem.ts'
import type { RequestContext } from '../http/request-context.ts'

/**
 * What a request asks of the database. `light`: a bounded number of rows by an index. `heavy`: counts, statistics, and lists and
 * acts that scan for what matches a filter.
 */
export type Load = 'light' | 'heavy'

/** Admits requests to the connections of one pool, or enqueues to the places of those that are written together. */
export interface Admission {
  /**
   * Runs `work`, which uses one connection or place at a time, when its caller's turn has come. Throws `too_many_requests` if the caller
   * has too many requests in work or waiting, and `overloaded` if others occupy the connections for too long.
   */
  run<Result>(context: AdmittedContext, load: Load, work: () => Result | Promise<Result>): Promise<Result>
}

export type AdmittedContext = Pick<RequestContext, 'principal' | 'isClosed' | 'onClose'>

/** How many requests are in work at a time, and how many of a key wait. */
export interface AdmissionBounds {
  readonly total: number
  readonly heavy: number
  readonly ofKey: number
  readonly heavyOfKey: number
  readonly waitingOfKey: number
}

interface Waiting {
  readonly admit: () => void
}

/** The requests of one caller. */
interface Caller {
  readonly name: string
  /** Whether it is a key or a subject, which may have only a share. API_TOKEN and an API without credentials may have all. */
  readonly hasShare: boolean
  readonly running: Record<Load, number>
  readonly waiting: Readonly<Record<Load, Set<Waiting>>>
}

/**
 * Callers take turns, so that one with a hundred requests delays another's only request by no more than one of its own. Heavy
 * requests never occupy all connections, and a key never more than its share of them. The requests of a key wait a moment rather
 * than being refused at once, because a refused client would repeat them at once.
 */
export function createAdmission(bounds: AdmissionBounds): Admission {
  /** The callers with requests in work or waiting, the one whose turn is next first. */
  const callers = new Map<string, Caller>()
  const running: Record<Load, number> = { light: 0, heavy: 0 }

  const isFree = (load: Load): boolean =>
    running.light + running.heavy < bounds.total && (load === 'light' || running.heavy < bounds.heavy)
  const hasShareLeft = ({ hasShare, running: own }: Caller, load: Load): boolean =>
    !hasShare || (own.light + own.heavy < bounds.ofKey && (load === 'light' || own.heavy < bounds.heavyOfKey))
  const mayRun = (caller: Caller, load: Load): boolean => isFree(load) && hasShareLeft(caller, load)

  const begin = (caller: Caller, load: Load): void => {
    running[load] += 1
    caller.running[load] += 1
    // Its next turn is after those of all others.
    callers.delete(caller.name)
    callers.set(caller.name, caller)
  }
  const forgetIdle = ({ name, running: own, waiting }: Caller): void => {
    if (own.light + own.heavy + waiting.light.size + waiting.heavy.size === 0) callers.delete(name)
  }
  const admitNext = (load: Load): boolean => {
    if (!isFree(load)) return false
    for (const caller of callers.values()) {
      const [next] = caller.waiting[load]
      if (next === undefined || !hasShareLeft(caller, load)) continue
      caller.waiting[load].delete(next)
      begin(caller, load)
      next.admit()
      return true
    }
    return false
  }
  const end = (caller: Caller, load: Load): void => {
    running[load] -= 1
    caller.running[load] -= 1
    while (admitNext('light') || admitNext('heavy'));
    forgetIdle(caller)
  }

  const wait = (caller: Caller, load: Load, context: AdmittedContext): Promise<void> => {
    const { light, heavy } = caller.waiting
    if (light.size + heavy.size >= bounds.waitingOfKey)
      return Promise.reject(new Problem('too_many_requests'))
    return new Promise((resolve, reject) => {
      const waiting: Waiting = {
        admit: () => {
          clearTimeout(timer)
          resolve()
        },
      }
      const giveUp = (problem: 'too_many_requests' | 'overloaded'): void => {
        if (!caller.waiting[load].delete(waiting)) return
        clearTimeout(timer)
        forgetIdle(caller)
        reject(new Problem(problem))
      }
      const timer = setTimeout(
        () => giveUp(hasShareLeft(caller, load) ? 'overloaded' : 'too_many_requests'),
        admissionWaitMsMax,
      )
      // Nobody reads the response.
      context.onClose(() => giveUp('overloaded'))
      caller.waiting[load].add(waiting)
    })
  }

  return {
    run: async (context, load, work) => {
      const caller = callerOf(context, callers)
      if (caller.waiting[load].size === 0 && mayRun(caller, load)) begin(caller, load)
      else await wait(caller, load, context)
      try {
        return await work()
      } finally {
        end(caller, load)
      }
    },
  }
}

/** The bounds of requests to a pool. The other connections remain for enqueues, which are written together, and for the process itself. */
export function connectionBounds(connections: number): AdmissionBounds {
  const total = shareOf(connections, connectionsAdmittedShare)
  const ofKey = shareOf(total, keyShare)
  return {
    total,
    heavy: shareOf(total, heavyShare),
    ofKey,
    heavyOfKey: shareOf(ofKey, heavyShare),
    waitingOfKey: admissionWaitingMax,
  }
}

/**
 * The bounds of enqueues, of which so many can wait to be written together. A key has a share of these places; its further
 * requests wait. All places together are counted where jobs are written, which refuses at once.
 */
export function enqueueBounds(placesMax: number): AdmissionBounds {
  const ofKey = shareOf(placesMax, keyEnqueuesShare)
  const total = Number.POSITIVE_INFINITY
  return { total, heavy: total, ofKey, heavyOfKey: ofKey, waitingOfKey: total }
}

/** The bounds of scrapes. They share the renderings of the metrics, but each response is large. */
export const scrapeBounds: AdmissionBounds = {
  total: scrapesMax,
  heavy: scrapesMax,
  ofKey: shareOf(scrapesMax, keyShare),
  heavyOfKey: shareOf(scrapesMax, keyShare),
  waitingOfKey: admissionWaitingMax,
}

/** At least one. */
function shareOf(count: number, share: number): number {
  return Math.max(1, Math.floor(count * share))
}

function callerOf({ principal }: AdmittedContext, callers: Map<string, Caller>): Caller {
  const name = callerNameOf(principal)
  const existing = callers.get(name)
  if (existing !== undefined) return existing
  const caller: Caller = {
    name,
    hasShare: principal === undefined || quotaKeyOf(principal) !== undefined,
    running: { light: 0, heavy: 0 },
    waiting: { light: new Set(), heavy: new Set() },
  }
  callers.set(name, caller)
  return caller
}
