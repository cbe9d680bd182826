import { useSyncExternalStore } from 'react'

// Instants are the server's, and so is the clock that they are compared with: that of this machine may be wrong by hours, and the
// page may be too busy to look at it.

const tickMs = 1_000
/** What a Date header leaves out. */
const dateStepMs = 1_000

const listeners = new Set<() => void>()
let timer: ReturnType<typeof setInterval> | undefined
/** What the server's clock is ahead of this machine's. */
let aheadMs = 0
/** The least that it can be ahead, by all answers. */
let surelyAheadMs = -Infinity
/** What the pages show: the same for all of them, and new each second. */
let shownMs = wholeSecond()

function wholeSecond(): number {
  return Math.floor(nowMs() / tickMs) * tickMs
}

/** Milliseconds since 1970 by the server's clock, as far as its answers tell. */
export function nowMs(): number {
  return Date.now() + aheadMs
}

/** Now, as the API writes instants. */
export function serverNow(): string {
  return new Date(nowMs()).toISOString()
}

/**
 * The latest instant that is past for the server in any case, as the API writes it: `nowMs` may be ahead of it by what a Date header
 * leaves out.
 */
export function serverPast(): string {
  return surelyAheadMs === -Infinity ? serverNow() : new Date(Date.now() + surelyAheadMs).toISOString()
}

/** An instant of this machine's clock by the server's, as text. */
export function serverInstant(localMs: number): string {
  return new Date(localMs + aheadMs).toISOString()
}

/**
 * Sets the clock by an answer that was asked for at `askedAtMs` of this machine's clock, and has just come. Its Date header says when
 * it was sent, to the second. The clock is moved no further than that demands, so a right one stands still, and none wavers. What is
 * shown is never older than the answers beside it.
 */
export function setClockBy({ headers }: Response, askedAtMs: number): void {
  const sentAtMs = Date.parse(headers.get('date') ?? '')
  if (Number.isNaN(sentAtMs)) return
  const leastMs = sentAtMs - Date.now()
  const mostMs = sentAtMs + dateStepMs - askedAtMs
  aheadMs = Math.min(Math.max(aheadMs, leastMs), mostMs)
  surelyAheadMs = Math.min(Math.max(surelyAheadMs, leastMs), mostMs)
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

/** What is read from the clock, in milliseconds since 1970: whoever reads is drawn again when it changes, and not each second. */
export function useClock<Value extends string | number>(read: (nowMs: number) => Value): Value {
  return useSyncExternalStore(subscribe, () => read(shownMs))
}

/** Milliseconds since 1970, once a second. */
export function useNowMs(): number {
  return useClock((ms) => ms)
}
