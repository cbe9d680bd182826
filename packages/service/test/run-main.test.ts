import { describe, expect, test } from '@jest/globals'
import { type FinishedProgram, startProgram } from './programs/run-program.ts'

function run(args: readonly string[], env?: Readonly<Record<string, string>>): Promise<FinishedProgram> {
  return startProgram(args, env).finished
}

function logOf({ stdout }: FinishedProgram): Record<string, unknown>[] {
  return stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Record<string, unknown>)
}

describe('exit codes', () => {
  test.each([
    ['return', 0],
    ['return-3', 3],
  ])('%s exits with code %i', async (behaviour, code) => {
    expect(await run([behaviour])).toMatchObject({ code, stderr: '' })
  })

  test('an expected failure is one line without a stack, with its own exit code', async () => {
    const program = await run(['exit-error'])
    expect(program.code).toBe(3)
    expect(logOf(program)).toEqual([
      expect.objectContaining({ level: 'error', message: 'run queue-migrate up' }),
    ])
    expect(program.stdout).not.toContain('stack')
  })

  test.each([
    ['throw', 'a bug'],
    ['throw-later', 'nobody catches this'],
    ['reject-later', 'nobody awaits this'],
  ])('%s is one line with the stack, with exit code 1', async (behaviour, message) => {
    const program = await run([behaviour])
    expect(program).toMatchObject({ code: 1, stderr: '' })
    expect(logOf(program)).toEqual([
      expect.objectContaining({
        level: 'error',
        service: 'queue-test',
        error: expect.objectContaining({ message, stack: expect.stringMatching(/\bprogram\.[jt]s:/) }),
      }),
    ])
  })
})

describe('invalid configuration', () => {
  test('is one line per variable on standard error, with exit code 2, before anything else', async () => {
    const program = await run(['return'], { DATABASE_URL: 'mysql://app:hunter2@db', LOG_LEVEL: 'loud' })
    expect(program).toMatchObject({ code: 2, stdout: '' })
    expect(program.stderr.trimEnd().split('\n')).toEqual([
      expect.stringMatching(/^queue-test: DATABASE_URL does not begin with postgres:\/\//),
      expect.stringMatching(
        /^queue-test: LOG_LEVEL "loud" is not one of the accepted words; accepted: debug, info, warn, error$/,
      ),
    ])
    expect(program.stderr).not.toContain('hunter2')
  })

  test('on the command line has the same result', async () => {
    const program = await run(['dance'])
    expect(program).toMatchObject({ code: 2, stdout: '' })
    expect(program.stderr).toMatch(/^queue-test: "dance" is no behaviour; accepted: return, /)
  })
})

test('--help and --version need no configuration, with exit code 0', async () => {
  const help = await run(['--help'], { DATABASE_URL: '' })
  expect(help).toMatchObject({ code: 0, stderr: '' })
  expect(help.stdout).toContain('DATABASE_URL (required)')
  expect(await run(['--version'], { DATABASE_URL: '' })).toMatchObject({ code: 0, stdout: '1.2.3\n' })
})

describe('logging', () => {
  test('shows no password', async () => {
    const program = await run(['return'])
    expect(program.stdout).toContain('postgres://app:***@db/queue')
    expect(program.stdout).not.toContain('hunter2')
  })

  test.each([
    ['auto', 'production', /^\{"timestamp"/],
    ['auto', 'development', /^\d{4}-.*info  queue-test: connecting/],
    ['pretty', 'production', /^\d{4}-.*info  queue-test: connecting/],
    ['json', 'development', /^\{"timestamp"/],
  ])('LOG_FORMAT %s with NODE_ENV %s', async (LOG_FORMAT, NODE_ENV, form) => {
    expect((await run(['return'], { LOG_FORMAT, NODE_ENV })).stdout).toMatch(form)
  })
})

test('a closed output loses the lines, but does not end the process', async () => {
  for (const args of [['--help'], ['return']]) {
    const program = startProgram(args)
    program.process.stdout?.destroy()
    expect(await program.finished).toMatchObject({ code: 0, stderr: '' })
  }
})

describe('signals', () => {
  test.each(['SIGINT', 'SIGTERM'] as const)('%s lets the program drain, with exit code 0', async (name) => {
    const program = startProgram(['drain'])
    await program.printed('started')
    program.process.kill(name)
    const finished = await program.finished
    expect(finished).toMatchObject({ code: 0, signal: null })
    expect(logOf(finished).map((line) => line['message'])).toEqual([
      'started',
      `${name} received: stopping; a second signal exits at once`,
      'drained',
    ])
  })

  test('a program that is stopped during its start ends with exit code 0', async () => {
    const program = startProgram(['stopped-while-starting'])
    await program.printed('started')
    program.process.kill('SIGTERM')
    expect(await program.finished).toMatchObject({ code: 0 })
  })

  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('a second signal (%s) exits at once', async (name, code) => {
    const program = startProgram(['hang'])
    await program.printed('started')
    program.process.kill('SIGTERM')
    await program.printed('draining')
    program.process.kill(name)
    expect(await program.finished).toMatchObject({ code })
  })
})
