import { afterEach, describe, expect, test } from '@jest/globals'
import { handle } from '@queue/executor'
import { programJob } from './programs/program-job.ts'
import { type RunningProgram, startProgram } from './programs/start-program.ts'
import { useWorld } from './support/world.ts'

const world = useWorld()
let programs: RunningProgram[] = []

function start(behaviour: string): RunningProgram {
  const program = startProgram(behaviour, world.database.urlAs('worker'))
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
    'ends by itself once its worker has stopped, and without a word (%s)',
    async (behaviour) => {
      const program = start(behaviour)
      await program.told('started')
      await world.reached(await enqueue(), 'succeeded')
      program.stop()
      expect(await program.ended).toEqual({ code: 0, signal: null, stderr: '' })
    },
  )

  test('has an id of its own among all that run at once', async () => {
    const started = await Promise.all([1, 2, 3].map(() => start('finish').told('started')))
    expect(new Set(started.map((message) => message.workerId)).size).toBe(3)
  })

  test('that is killed loses its jobs to the others within its lease', async () => {
    const program = start('hang')
    const id = await enqueue()
    await program.told('begun')
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

  test('whose event loop never turns again ends itself, says why, and the others take over', async () => {
    const program = start('spin')
    const id = await enqueue()
    const { workerId } = await program.told('begun')
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
