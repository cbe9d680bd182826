import { afterEach, describe, expect, test } from '@jest/globals'
import { handle } from '@queue/executor'
import { eventually } from '@queue/test-database'
import { programJob } from './programs/program-job.ts'
import { type RunningProgram, startProgram } from './programs/start-program.ts'
import { useWorld } from './support/world.ts'

const world = useWorld()
let programs: RunningProgram[] = []

function start(behaviour: string, environment: NodeJS.ProcessEnv = {}): RunningProgram {
  const program = startProgram(behaviour, world.database.urlAs('worker'), environment)
  programs.push(program)
  return program
}

async function enqueue(): Promise<string> {
  return (await world.database.queue.enqueue(programJob, {})).job.id
}

afterEach(async () => {
  for (const { process: child } of programs) child.kill('SIGKILL')
  await Promise.all(programs.map((program) => program.ended))
  programs = []
})

describe('a worker process', () => {
  test.each(['finish', 'transaction'])(
    'ends by itself without output after its worker has stopped (%s)',
    async (behaviour) => {
      const program = start(behaviour)
      await program.message('started')
      await world.reached(await enqueue(), 'succeeded')
      program.stop()
      expect(await program.ended).toEqual({ code: 0, signal: null, stderr: '' })
    },
  )

  test('loads once what NODE_OPTIONS preloads, and not in its threads too', async () => {
    const preload = encodeURIComponent("import { writeSync } from 'node:fs'; writeSync(2, 'preloaded ')")
    const program = start('finish', { NODE_OPTIONS: `--import=data:text/javascript,${preload}` })
    await program.message('started')
    await world.reached(await enqueue(), 'succeeded')
    program.stop()
    expect(await program.ended).toEqual({ code: 0, signal: null, stderr: 'preloaded ' })
  })

  test('has a unique id among all that run at the same time', async () => {
    const started = await Promise.all([1, 2, 3].map(() => start('finish').message('started')))
    expect(new Set(started.map((message) => message.workerId)).size).toBe(3)
  })

  test('that is killed has its jobs recovered by the others within its lease', async () => {
    const program = start('hang')
    const id = await enqueue()
    await program.message('begun')
    program.process.kill('SIGKILL')
    await program.ended
    await world.create({ handlers: [handle(programJob, () => 'taken over')] }).start()
    await world.recovered(id)
    expect(await world.reached(id, 'succeeded')).toMatchObject({
      result: 'taken over',
      attempts: 2,
      crashes: 1,
    })
    expect(await world.history(id)).toEqual(['lost', 'succeeded'])
  })

  test('that is killed while its jobs fail leaves each failure counted with its history, or not at all', async () => {
    const { queue, pool } = world.database
    const failed = async (): Promise<number> => {
      const { rows } = await pool.query<{ failed: number }>(
        `SELECT count(*)::int AS failed FROM queue.job_executions WHERE outcome = 'failed'`,
      )
      return rows[0]?.failed ?? 0
    }
    const [killed, other] = [start('fail'), start('fail')]
    await Promise.all([killed, other].map((program) => program.message('started')))
    const jobs = 400
    const request = programJob.create({}, { maxAttempts: 2, retryPolicy: { type: 'fixed', baseMs: 1 } })
    await queue.enqueueMany(Array.from({ length: jobs }, () => request))
    await eventually(async () => (await failed()) > jobs / 10)
    killed.process.kill('SIGKILL')
    await eventually(async () => (await queue.deadLetters.count({})) === jobs)
    const { groups } = await queue.errors({ from: new Date(Date.now() - 3_600_000), by: 'version' })
    const recorded = await failed()
    expect(recorded).toBeGreaterThan(jobs)
    const [{ firstVersion: version } = { firstVersion: null }] = groups
    expect(groups).toMatchObject([
      { count: recorded, inRange: { count: recorded, versions: [{ version, count: recorded }] } },
    ])
  })

  test('whose event loop is blocked forever ends itself with the reason, and the others recover its jobs', async () => {
    const program = start('spin')
    const id = await enqueue()
    const { workerId } = await program.message('begun')
    const { code, signal, stderr } = await program.ended
    expect({ code, signal }).toEqual({ code: null, signal: 'SIGKILL' })
    expect(
      stderr
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual([{ level: 'error', message: expect.stringContaining('event loop'), worker_id: workerId }])
    await world.create({ handlers: [handle(programJob, () => 'taken over')] }).start()
    await world.recovered(id)
  })
})
