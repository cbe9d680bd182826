import { describe, expect, test } from '@jest/globals'
import { createPrinter, type Failure } from '@queue/commands'
import type { Surroundings } from '../src/command.ts'
import { managedSchema } from '../src/managed-schema.ts'
import { commandLine, program } from '../src/program.ts'

const wordsOf = (line: string): string[] => line.split(' ').filter(Boolean)

const { stdout, stderr } = process
const print = createPrinter({ program: 'queue-migrate', stdout, stderr, env: {}, isJson: false })

/** Runs a command that must not get as far as the database. */
async function failureOf(line: string): Promise<Failure> {
  const { command, values, args } = program.parseArguments(wordsOf(line))
  const nowhere = (): never => {
    throw new Error('the command has asked for the database')
  }
  const config = program.config.parse({ DATABASE_URL: 'postgres://db' })
  const surroundings: Surroundings = {
    config,
    schema: managedSchema('queue', config),
    onStepProgress: nowhere,
    retry: nowhere,
    outbox: () => surroundings,
  }
  const ran = Promise.resolve(command.run({ ...surroundings, values, args, print }))
  return ran.then(nowhere, (failure: Failure) => failure)
}

describe('a command line', () => {
  test.each([
    ['', 'up', {}],
    ['--json', 'up', {}],
    ['up', 'up', {}],
    ['down --to 0 --yes', 'down', { to: 0, yes: true }],
    ['down --yes --to=3 --json', 'down', { to: 3, yes: true }],
    ['--json plan', 'plan', {}],
    ['roles --revoke --plan', 'roles', { revoke: true, plan: true }],
    ['after-restore --resume mail', 'after-restore', { resume: 'mail' }],
    ['outbox status', 'outbox status', {}],
    ['outbox down --to 0 --yes', 'outbox down', { to: 0, yes: true }],
  ])('%j runs %s', (line, name, values) => {
    expect(program.answer(wordsOf(line))).toBeUndefined()
    expect(program.parseArguments(wordsOf(line))).toMatchObject({ command: { name }, values })
  })

  test.each([
    ['keys create shop', '"keys" is a command of another program: run queue keys create'],
    ['kinds push ./kinds.js --restore', '"kinds" is a command of another program: run queue kinds push'],
    ['sideways', '"sideways" is not a command'],
    ['outbox', 'use one of: outbox up, outbox down, outbox status, outbox plan, outbox roles'],
    ['outbox doctor', '"outbox doctor" is not a command'],
    ['up down', 'the argument "down" is one too many'],
    ['down --yes --to -1', '--to'],
    ['down --yes --to one', '--to "one" is not a whole number from 0'],
    ['up --to 1', "Unknown option '--to'"],
    ['up --plan', "Unknown option '--plan'"],
    ['roles --resume mail', "Unknown option '--resume'"],
    ['up --force', "Unknown option '--force'"],
  ])('%j is refused before any setting is read', (line, message) => {
    expect(program.answer(wordsOf(line))).toMatchObject({
      exitCode: 2,
      text: expect.stringContaining(message),
    })
  })

  test.each([
    ['down', /^down deletes data/],
    ['down --to 1', /^down deletes data/],
    ['outbox down', /^down deletes data/],
    ['roles --revoke', /^roles --revoke stops every process/],
    ['roles --yes', /^roles accepts --yes only with --revoke/],
    ['roles --revoke --plan --yes', /^roles accepts --yes only with --revoke/],
    ['after-restore', /^after-restore pauses every queue, so it needs --yes/],
    ['after-restore --yes --dry-run', /^after-restore accepts only one of --yes, --dry-run and --resume/],
    ['after-restore --yes --resume mail', /^after-restore accepts only one of/],
  ])('%j is refused before the database is asked', async (line, message) => {
    expect(await failureOf(line)).toMatchObject({ exitCode: 2, message: expect.stringMatching(message) })
  })

  test('of each example is one of its command', () => {
    for (const { name, examples } of commandLine.commands) {
      expect(examples.length).toBeGreaterThan(0)
      for (const { line } of examples) {
        if (name === 'completion') continue
        const words = wordsOf(line.replace(/^queue-migrate /, ''))
        expect(program.answer(words)).toBeUndefined()
        expect(program.parseArguments(words).command.name).toBe(name)
      }
    }
  })
})
