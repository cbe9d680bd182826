import { setTimeout as sleep } from 'node:timers/promises'
import { eventually } from '@queue/testing'
import { runRunbookSql } from '../test/monitoring/run-runbook-sql.ts'
import { readRules } from '../test/monitoring/rule-files.ts'
import { runbookSql } from '../test/monitoring/runbooks.ts'
import { isFiring, untilFiring } from './acts.ts'
import type { Fault } from './faults.ts'
import type { GameDay } from './game-day.ts'

/** The behaviour of one alert for one fault. */
export interface AlertResult {
  readonly fault: string
  readonly alert: string
  /** Seconds from the fault to the alert. */
  readonly firedSeconds?: number
  /** How many SQL blocks of its runbook ran while it fired. */
  readonly statements?: number
  /** Seconds from the repair until the alert cleared. */
  readonly clearedSeconds?: number
  /** What did not happen as expected. */
  readonly failure?: string
  /** Why the fault was not caused. */
  readonly skipped?: string
}

/** Within this time an alert that must stay silent would have fired: its `for`, its threshold, and one scrape. */
const quietMs = 15_000

/** Longer than the longest range of the rules. */
const clearMsMax = 120_000

/**
 * Causes a fault, waits for its alerts, runs the SQL of their runbooks, repairs the fault, and waits until the alerts have
 * cleared. Never throws.
 */
export async function runFault(day: GameDay, fault: Fault): Promise<AlertResult[]> {
  const missing = await fault.missing?.()
  const resultOf = (alert: string) => ({ fault: fault.name, alert })
  if (missing !== undefined) return fault.alerts.map((alert) => ({ ...resultOf(alert), skipped: missing }))
  const silent = fault.silent ?? []
  try {
    await Promise.all([...fault.alerts, ...silent].map((alert) => untilCleared(day, alert)))
    const causedMs = performance.now()
    const repair = await fault.cause(day)
    const fired = await Promise.all(
      fault.alerts.map(async (alert) => failureAsResult(() => expectFiring(day, alert, causedMs))),
    )
    if (fault.silent !== undefined) await sleep(quietMs)
    const silentIsFiring = await Promise.all(silent.map((alert) => isFiring(day, alert)))
    await repair()
    const repairedMs = performance.now()
    const cleared = await Promise.all(
      fault.alerts.map((alert) => failureAsResult(() => expectCleared(day, alert, repairedMs))),
    )
    const unexpected = silent.filter((_alert, index) => silentIsFiring[index])
    return fault.alerts.map((alert, index) => ({
      ...resultOf(alert),
      ...(unexpected.length === 0 ? {} : { failure: `${unexpected.join(', ')} fired as well` }),
      ...cleared[index],
      ...fired[index],
    }))
  } catch (error) {
    return fault.alerts.map((alert) => ({ ...resultOf(alert), failure: messageOf(error) }))
  }
}

async function expectFiring(day: GameDay, alert: string, causedMs: number): Promise<Partial<AlertResult>> {
  await untilFiring(day, alert)
  const firedSeconds = secondsSince(causedMs)
  const blocks = runbookSql(pageOf(alert))
  for (const { role = 'readonly', text } of blocks) await runRunbookSql(day.database, role, text)
  if (!(await isFiring(day, alert))) throw new Error('the alert cleared before the repair')
  return { firedSeconds, statements: blocks.length }
}

async function expectCleared(day: GameDay, alert: string, repairedMs: number): Promise<Partial<AlertResult>> {
  await untilCleared(day, alert)
  return { clearedSeconds: secondsSince(repairedMs) }
}

function untilCleared(day: GameDay, alert: string): Promise<unknown> {
  return eventually(async () => !(await isFiring(day, alert)), {
    what: `the end of the alert ${alert}`,
    deadlineMs: clearMsMax,
    intervalMs: 200,
  })
}

async function failureAsResult(check: () => Promise<Partial<AlertResult>>): Promise<Partial<AlertResult>> {
  try {
    return await check()
  } catch (error) {
    return { failure: messageOf(error) }
  }
}

function pageOf(alert: string): string {
  const rule = readRules().alerts.find(({ alert: name }) => name === alert)
  return rule?.annotations?.['runbook_url']?.split('/').at(-1) ?? ''
}

function secondsSince(startMs: number): number {
  return Math.round((performance.now() - startMs) / 1_000)
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
