import { expect } from '@jest/globals'
import fc from 'fast-check'
import { createIdMint } from '../../src/database/id-mint.ts'
import { QueueError } from '../../src/domain/errors.ts'
import { maxAttemptsDefault, priorityDefault } from '../../src/domain/limits.ts'
import { fireDue } from '../../src/schedules/fire-due.ts'
import { probe } from './builders.ts'
import type { Model } from './model.ts'
import { firingOf, isBusy, type ModelSchedule, newSchedule, applyFiring } from './schedule-model.ts'
import type { World } from './world.ts'
import { internalsOf } from '../../src/enqueue/queue-internals.ts'

/** Makes a command from an act on the database and on the model. */
export type MakeCommand<Command> = (name: string, act: (model: Model) => Promise<void>) => Command

interface Deps<Command> {
  readonly world: World
  readonly command: MakeCommand<Command>
  readonly countAct: (what: string) => void
}

const dayMs = 86_400_000
const hourMs = 3_600_000
const windowDays = 5

/** Commands for acts on schedules, and for the passing of days. */
export function scheduleCommands<Command>(deps: Deps<Command>): fc.Arbitrary<Command>[] {
  return [createCommand(deps), daysPass(deps), fire(deps), changeCommand(deps), runNow(deps)]
}

function createCommand<Command>({ world, command, countAct }: Deps<Command>): fc.Arbitrary<Command> {
  const rules = fc.record({
    name: fc.constantFrom('s1', 's2'),
    missed: fc.constantFrom('skip' as const, 'once' as const, 'all' as const),
    overlap: fc.constantFrom('allow' as const, 'skip' as const),
    windowDays: fc.constantFrom(null, windowDays),
  })
  return rules.map((options) =>
    command(`create schedule ${JSON.stringify(options)}`, async (model) => {
      const { windowDays: days, ...rest } = options
      const timing = { everyMs: dayMs, startsAt: new Date(model.startedMs + hourMs) }
      const missedWindowMs = days === null ? null : days * dayMs
      const creation = world.queue.schedules.create({
        ...rest,
        ...timing,
        missedWindowMs,
        definition: probe,
        payload: {},
      })
      const isKnown = model.schedules.some(({ name }) => name === options.name)
      expect(await codeOf(creation)).toBe(isKnown ? 'schedule_exists' : undefined)
      if (isKnown) return
      model.schedules.push(newSchedule(options))
      countAct('schedule created')
    }),
  )
}

/** Moves every instant of schedules into the past, also those in the keys of their runs. */
function daysPass<Command>({ world, command }: Deps<Command>): fc.Arbitrary<Command> {
  return fc.integer({ min: 1, max: 4 }).map((days) =>
    command(`${days} days pass`, async (model) => {
      await world.sql(
        `UPDATE queue.schedules SET next_run_at = next_run_at - $1::float8 * interval '1 day',
           due_at = due_at - $1::float8 * interval '1 day', last_run_at = last_run_at - $1::float8 * interval '1 day',
           starts_at = starts_at - $1::float8 * interval '1 day'`,
        [days],
      )
      // Under another prefix first, so that no new key collides with an old one.
      await world.sql(
        `UPDATE queue.jobs SET idempotency_key = 'moved:' || split_part(idempotency_key, '@', 1) || '@' || to_char(
           (split_part(idempotency_key, '@', 2)::timestamptz - $1::float8 * interval '1 day') AT TIME ZONE 'UTC',
           'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
         WHERE idempotency_key LIKE 'schedule:%'`,
        [days],
      )
      await world.sql(
        `UPDATE queue.jobs SET idempotency_key = substr(idempotency_key, 7) WHERE idempotency_key LIKE 'moved:%'`,
      )
      for (const schedule of model.schedules) schedule.overdue += days
    }),
  )
}

function fire<Command>({ world, command, countAct }: Deps<Command>): fc.Arbitrary<Command> {
  return fc.constant(
    command('fire', async (model) => {
      const report = await fireDue(world.database, {
        mintIds: createIdMint(),
        full: internalsOf(world.queue).full,
        kinds: new Map(),
      })
      const jobs = report.fired.map(({ jobId }) => jobId).toSorted()
      const firings = model.schedules.map((schedule) => [schedule, firingOf(model, schedule)] as const)
      for (const id of jobs) enqueueProbe(model, id)
      for (const [schedule, firing] of firings) {
        const jobIds = report.fired.filter((run) => run.schedule === schedule.name).map(({ jobId }) => jobId)
        expect([schedule.name, jobIds.length]).toEqual([schedule.name, firing.fired])
        applyFiring(schedule, firing, jobIds)
        if (firing.fired > 0) countAct('fired')
        if (firing.dropped > 0) countAct('instants dropped')
        if (firing.skipped > 0) countAct('instants skipped')
      }
    }),
  )
}

function changeCommand<Command>(deps: Deps<Command>): fc.Arbitrary<Command> {
  const { world, command, countAct } = deps
  const { schedules } = world.queue
  const changes = {
    pause: {
      act: (name: string) => schedules.pause(name),
      on: (schedule: ModelSchedule) => void (schedule.paused = true),
    },
    resume: {
      act: (name: string) => schedules.resume(name),
      on: (schedule: ModelSchedule) => {
        if (schedule.paused) schedule.overdue = 0
        schedule.paused = false
      },
    },
    'update to once': {
      act: (name: string) => schedules.update(name, { missed: 'once' }),
      on: (schedule: ModelSchedule) => void (schedule.missed = 'once'),
    },
    delete: { act: (name: string) => schedules.delete(name), on: () => undefined },
  } as const
  const names = Object.keys(changes) as (keyof typeof changes)[]
  return fc.tuple(fc.constantFrom('s1', 's2'), fc.constantFrom(...names)).map(([name, change]) =>
    command(`${change} schedule ${name}`, async (model) => {
      const index = model.schedules.findIndex((one) => one.name === name)
      const schedule = model.schedules[index]
      expect(await codeOf(changes[change].act(name))).toBe(
        schedule === undefined ? 'schedule_not_found' : undefined,
      )
      if (schedule === undefined) return
      changes[change].on(schedule)
      if (change === 'delete') model.schedules.splice(index, 1)
      countAct(`schedule: ${change}`)
    }),
  )
}

function runNow<Command>({ world, command, countAct }: Deps<Command>): fc.Arbitrary<Command> {
  return fc.constantFrom('s1', 's2').map((name) =>
    command(`run schedule ${name} now`, async (model) => {
      const schedule = model.schedules.find((one) => one.name === name)
      const isRefused = schedule?.overlap === 'skip' && isBusy(model, schedule)
      const expected =
        schedule === undefined ? 'schedule_not_found' : isRefused ? 'schedule_overlaps' : undefined
      const running = world.queue.schedules.runNow(name)
      expect(await codeOf(running)).toBe(expected)
      if (schedule === undefined || isRefused) return
      const { job } = await running
      enqueueProbe(model, job.id)
      schedule.lastJobId = job.id
      countAct('schedule run now')
    }),
  )
}

function enqueueProbe(model: Model, id: string): void {
  model.enqueue({
    id,
    key: null,
    unique: null,
    tenant: null,
    priority: priorityDefault,
    maxAttempts: maxAttemptsDefault,
    version: 1,
    expiry: 'none',
  })
}

/** The code of the error; undefined if there was none. */
function codeOf(act: Promise<unknown>): Promise<string | undefined> {
  return act.then(
    () => undefined,
    (error: unknown) => {
      if (error instanceof QueueError) return error.code
      throw error
    },
  )
}
