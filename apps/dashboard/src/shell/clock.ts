import { useSyncExternalStore } from 'react'

// Ages are computed by the server's clock, as the instants are. The clock of this machine can be wrong by hours, and a busy page can run
// its timers late.

const tickMs = 1_000
/** The precision of a Date header. */
const dateStepMs = 1_000

const listeners = new Set<() => void>()
let timer: ReturnType<typeof setInterval> | undefined
/** How far the server's clock is ahead of the local one. */
let aheadMs = 0
/** The lower bound of `aheadMs` from all responses. */
let aheadMinMs = -Infinity
/** The time that all components show, updated every second. */
let shownMs = wholeSecond()

function wholeSecond(): number {
  return Math.floor(nowMs() / tickMs) * tickMs
}

/** Milliseconds since 1970 by the server's clock, as far as its responses tell. */
export function nowMs(): number {
  return Date.now() + aheadMs
}

/** Now, in the format of the API. */
export function serverNow(): string {
  return new Date(nowMs()).toISOString()
}

/**
 * The latest instant that is certainly past for the server, in the format of the API. `nowMs` can be ahead of it by the precision of
 * a Date header.
 */
export function serverPast(): string {
  return aheadMinMs === -Infinity ? serverNow() : new Date(Date.now() + aheadMinMs).toISOString()
}

/** Converts an instant of the local clock to the server's clock, in the format of the API. */
export function serverInstant(localMs: number): string {
  return new Date(localMs + aheadMs).toISOString()
}

/**
 * Adjusts the clock by a response that has just arrived, to a request sent at `sentAtMs` of the local clock. Its Date header says when
 * the response was sent, to the second. The clock moves no further than necessary, so a correct clock does not change. The shown time
 * is never older than the responses beside it.
 */
export function setClockBy({ headers }: Response, sentAtMs: number): void {
  const answeredAtMs = Date.parse(headers.get('date') ?? '')
  if (Number.isNaN(answeredAtMs)) return
  const minMs = answeredAtMs - Date.now()
  const maxMs = answeredAtMs + dateStepMs - sentAtMs
  aheadMs = Math.min(Math.max(aheadMs, minMs), maxMs)
  aheadMinMs = Math.min(Math.max(aheadMinMs, minMs), maxMs)
  tick()
}

function tick(): void {
  const next = wholeSecond()
  if (next === shownMs) return
  shownMs = next
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  if (timer === undefined) {
    tick()
    timer = setInterval(() => document.hidden || tick(), tickMs)
  }
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

/** A value computed from the time in milliseconds since 1970. The component renders only when the value changes. */
export function useClock<Value extends string | number>(read: (nowMs: number) => Value): Value {
  return useSyncExternalStore(subscribe, () => read(shownMs))
}

/** Milliseconds since 1970, once a second. */
export function useNowMs(): number {
  return useClock((ms) => ms)
}
