import { setTimeout as sleep } from 'node:timers/promises'
import { eventually } from '@queue/testing'
import { runRunbookSql } from '../test/monitoring/run-runbook-sql.ts'
import { readRules } from '../test/monitoring/rule-files.ts'
import { runbookSql } from '../test/monitoring/runbooks.ts'
import { firing, isFiring } from './acts.ts'
import type { Fault } from './faults.ts'
import type { GameDay } from './game-day.ts'

/** What one alert did beside one fault. */
export interface AlertResult {
  readonly fault: string
  readonly alert: string
  /** Seconds from the fault to the alert. */
  readonly firedSeconds?: number
  /** How many blocks of SQL of its runbook ran while it fired. */
  readonly statements?: number
  /** Seconds from the repair to its end. */
  readonly clearedSeconds?: number
  /** What was demanded and did not come. */
  readonly failure?: string
  /** Why the fault was not caused. */
  readonly skipped?: string
}

/** An alert that is meant to stay silent would have fired within so long: its `for`, its age, and a reading of the API. */
const quietMs = 15_000

/** Above the longest range of the rules. */
const clearMsMax = 120_000

/** Causes a fault, demands its alerts, runs their runbooks' SQL, heals, and demands that they clear. Never throws. */
export async function runFault(day: GameDay, fault: Fault): Promise<AlertResult[]> {
  const missing = await fault.missing?.()
  const of = (alert: string) => ({ fault: fault.name, alert })
  if (missing !== undefined) return fault.alerts.map((alert) => ({ ...of(alert), skipped: missing }))
  try {
    await Promise.all([...fault.alerts, ...(fault.silent ?? [])].map((alert) => cleared(day, alert)))
    const causedMs = performance.now()
    const heal = await fault.cause(day)
    const seen = await Promise.all(
      fault.alerts.map(async (alert) => attempt(() => demand(day, alert, causedMs))),
    )
    if (fault.silent !== undefined) await sleep(quietMs)
    const noise = await Promise.all((fault.silent ?? []).map((alert) => isFiring(day, alert)))
    await heal()
    const healedMs = performance.now()
    const ends = await Promise.all(
      fault.alerts.map((alert) => attempt(() => demandEnd(day, alert, healedMs))),
    )
    const loud = (fault.silent ?? []).filter((_alert, index) => noise[index])
    return fault.alerts.map((alert, index) => ({
      ...of(alert),
      ...(loud.length === 0 ? {} : { failure: `${loud.join(', ')} fired as well` }),
      ...ends[index],
      ...seen[index],
    }))
  } catch (error) {
    return fault.alerts.map((alert) => ({ ...of(alert), failure: messageOf(error) }))
  }
}

async function demand(day: GameDay, alert: string, causedMs: number): Promise<Partial<AlertResult>> {
  await firing(day, alert)
  const firedSeconds = secondsSince(causedMs)
  const blocks = runbookSql(pageOf(alert))
  for (const { role = 'readonly', text } of blocks) await runRunbookSql(day.database, role, text)
  if (!(await isFiring(day, alert))) throw new Error('it cleared before the repair')
  return { firedSeconds, statements: blocks.length }
}

async function demandEnd(day: GameDay, alert: string, healedMs: number): Promise<Partial<AlertResult>> {
  await cleared(day, alert)
  return { clearedSeconds: secondsSince(healedMs) }
}

function cleared(day: GameDay, alert: string): Promise<unknown> {
  return eventually(async () => !(await isFiring(day, alert)), {
    what: `that ${alert} clears`,
    deadlineMs: clearMsMax,
    intervalMs: 200,
  })
}

async function attempt(act: () => Promise<Partial<AlertResult>>): Promise<Partial<AlertResult>> {
  try {
    return await act()
  } catch (error) {
    return { failure: messageOf(error) }
  }
}

function pageOf(alert: string): string {
  const rule = readRules().alerts.find((one) => one.alert === alert)
  return rule?.annotations?.['runbook_url']?.split('/').at(-1) ?? ''
}

function secondsSince(startMs: number): number {
  return Math.round((performance.now() - startMs) / 1_000)
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
