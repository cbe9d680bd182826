import { expect } from '@jest/globals'
import fc from 'fast-check'
import { InvalidTransition } from '../../src/domain/errors.ts'
import { operationRateMax } from '../../src/domain/limits.ts'
import { carryOutOperation, nextOperationMs } from '../../src/acts/carry-out-operation.ts'
import type { ManyResult } from '../../src/acts/acts-on-many.ts'
import type { ModelJob } from './model.ts'
import type { MakeCommand } from './schedule-commands.ts'
import type { World } from './world.ts'

interface Deps<Command> {
  readonly world: World
  readonly command: MakeCommand<Command>
  readonly countAct: (what: string) => void
}

/** Commands for acts on the jobs of a filter, at once or by workers, and for edits. */
export function manyCommands<Command>(deps: Deps<Command>): fc.Arbitrary<Command>[] {
  return [actOnMany(deps), edit(deps)]
}

function actOnMany<Command>({ world, command, countAct }: Deps<Command>): fc.Arbitrary<Command> {
  const options = fc.record({
    act: fc.constantFrom('cancel' as const, 'requeue' as const, 'requeue' as const, 'delete' as const),
    status: fc.option(fc.constantFrom('queued' as const, 'failed_permanent' as const), {
      freq: 4,
      nil: undefined,
    }),
    // Jobs without a tenant are left, so that a run keeps some jobs.
    tenantId: fc.constantFrom('acme', 'evil'),
    rate: fc.constantFrom(undefined, operationRateMax),
  })
  return options.map(({ act, rate, status, tenantId }) => {
    const filter = { tenantId, ...(status !== undefined && { status }) }
    return command(`${act} ${JSON.stringify({ ...filter, rate })}`, async (model) => {
      const affected = model.actOnMany(act, filter).map(({ id }) => id)
      const result = await world.queue.many[act](filter, { rate })
      if (result.outcome === 'done') expect(result.jobIds.toSorted()).toEqual(affected.toSorted())
      else expect(await carryOut(world, result)).toBe(affected.length)
      if (affected.length === 0) return
      countAct(`${act} of many`)
      countAct(`of many, ${result.outcome}`)
    })
  })
}

async function carryOut({ queue, database }: World, result: ManyResult): Promise<number | undefined> {
  if (result.outcome === 'done') throw new Error('was done at once')
  while ((await nextOperationMs(database)) !== null) await carryOutOperation(database)
  const operation = await queue.operations.get(result.operation.id)
  expect(operation?.state).toBe('succeeded')
  return operation?.changed
}

function edit<Command>({ world, command, countAct }: Deps<Command>): fc.Arbitrary<Command> {
  const options = fc.record({ nth: fc.nat(), priority: fc.integer({ min: 0, max: 9 }) })
  return options.map(({ nth, priority }) =>
    command(`edit(${nth}, ${priority})`, async (model) => {
      const job: ModelJob | undefined = model.jobs[nth % Math.max(1, model.jobs.length)]
      if (job === undefined) return
      const isEdited = await world.queue.edit(job.id, { priority }).then(
        () => true,
        (error: unknown) => {
          if (error instanceof InvalidTransition) return false
          throw error
        },
      )
      expect(isEdited).toBe(model.edit(job, priority))
      countAct(isEdited ? 'edited' : 'edit refused')
    }),
  )
}
