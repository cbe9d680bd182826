import { describe, expect, jest, test } from '@jest/globals'
import { eventually } from '@queue/testing'
import type { Logger, WorkerObserver } from '../src/index.ts'
import { stderrLogger } from '../src/logger.ts'
import { noObserver } from '../src/observer.ts'
import { useWorld } from './support/world.ts'

const world = useWorld()

function raise(): never {
  throw new Error('this reporter is broken')
}

const brokenLogger: Logger = { debug: raise, info: raise, warn: raise, error: raise }
const brokenObserver = Object.fromEntries(
  Object.keys(noObserver).map((name) => [name, raise]),
) as unknown as WorkerObserver

describe('an observer that throws', () => {
  test('costs no job, no slot and not the worker', async () => {
    await world.work(() => undefined, { metrics: brokenObserver, concurrency: 1 })
    for (let n = 0; n < 3; n += 1) await world.reached(await world.enqueue(), 'succeeded')
  })
})

describe('a logger that throws', () => {
  test('costs no job, no slot and not the worker', async () => {
    const logs: unknown[] = []
    await world.work(
      (_job, ctx) => {
        logs.push(ctx.logger.info('at work'))
        if (ctx.attempt === 1) throw new Error('once')
      },
      { logger: brokenLogger, concurrency: 1 },
    )
    for (let n = 0; n < 3; n += 1) await world.reached(await world.enqueue(), 'succeeded')
    expect(logs).toHaveLength(6)
  })
})

describe('the default logger', () => {
  function written(log: () => void): string {
    const lines: string[] = []
    const write = jest
      .spyOn(process.stderr, 'write')
      .mockImplementation((text) => lines.push(String(text)) > 0)
    try {
      log()
    } finally {
      write.mockRestore()
    }
    return lines.join('')
  }

  test('says what an error was', () => {
    const line = written(() => stderrLogger.warn('a claim failed', { error: new Error('out of disk') }))
    expect(JSON.parse(line)).toMatchObject({ level: 'warn', message: 'a claim failed' })
    expect(JSON.parse(line).error).toContain('out of disk')
  })

  test('writes a line whatever its fields hold', () => {
    const circular: Record<string, unknown> = {}
    circular['self'] = circular
    for (const error of [7n, circular, Symbol('s'), () => undefined, undefined]) {
      const line = written(() => stderrLogger.error('job failed', { error, job_id: 'j_1' }))
      expect(JSON.parse(line)).toMatchObject({ level: 'error', message: 'job failed' })
    }
  })
})

describe('the lines about a job', () => {
  test('carry its id, its kind, the attempt and the worker', async () => {
    const worker = await world.work((_job, ctx) => {
      ctx.logger.info('at work', { step: 1 })
      throw new Error('no')
    })
    const id = await world.enqueue({ maxAttempts: 1 })
    await world.reached(id, 'failed_permanent')
    const about = { job_id: id, kind: 'test_job', attempt: 1, worker_id: worker.id }
    await eventually(() => world.logger.lines.some((line) => line.message === 'job failed'))
    for (const message of ['at work', 'job failed']) {
      expect(world.logger.lines.find((line) => line.message === message)?.fields).toMatchObject(about)
    }
  })
})
