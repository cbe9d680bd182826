import { describe, expect, test } from '@jest/globals'
import { z } from 'zod'
import {
  databaseVariables,
  helpText,
  logVariables,
  poolVariables,
  secret,
  variablesOf,
} from '../src/index.ts'

const config = z.object({
  ...databaseVariables,
  ...poolVariables,
  ...logVariables,
  API_TOKEN: secret.optional().meta({ description: 'The token that requests must bear.' }),
})

describe('variablesOf', () => {
  test('gives every variable of a schema, each with a description and what it accepts', () => {
    const described = variablesOf(config)
    expect(described.map((variable) => variable.name)).toEqual([
      'DATABASE_URL',
      'QUEUE_SCHEMA',
      'DATABASE_POOL_MAX',
      'DATABASE_ACQUIRE_TIMEOUT_MS',
      'DATABASE_IDLE_TIMEOUT_MS',
      'DATABASE_POOLER',
      'LOG_LEVEL',
      'LOG_FORMAT',
      'NODE_ENV',
      'API_TOKEN',
    ])
    expect(described.every(({ description, accepted }) => description !== '' && accepted !== '')).toBe(true)
  })

  test('has the defaults in the form in which they are set', () => {
    const defaults = Object.fromEntries(variablesOf(config).map((one) => [one.name, one.default]))
    expect(defaults).toMatchObject({ QUEUE_SCHEMA: 'queue', DATABASE_POOL_MAX: '10', LOG_FORMAT: 'auto' })
    expect(defaults['DATABASE_URL']).toBeUndefined()
    expect(defaults['API_TOKEN']).toBeUndefined()
  })

  test('also supports a schema with rules across variables', () => {
    const names = (schema: z.ZodObject) => variablesOf(schema).map(({ name }) => name)
    expect(names(config.refine(() => true))).toEqual(names(config))
  })

  test('omits settings of a group that have no variable', () => {
    const group = z.object({
      attempts: z.int().min(1).max(9).default(3).meta({ variable: 'ATTEMPTS', description: 'How many.' }),
      seed: z.int().default(1).meta({ description: 'For tests.' }),
    })
    expect(variablesOf(z.object({ group })).map(({ name }) => name)).toEqual(['ATTEMPTS'])
  })

  test.each<[string, z.ZodType]>([
    ['without a description', z.int().default(1)],
    ['with a slip in its meta', z.int().default(1).meta({ description: 'd', unti: 'ms' })],
    ['that no text can be written for', z.object({}).array().meta({ description: 'd' }).or(z.date())],
  ])('refuses a variable %s', (_, schema) => {
    expect(() => variablesOf(z.object({ ATTEMPTS: schema }))).toThrow()
  })
})

test('the help text names every variable, its default, the files of secrets, and the exit codes', () => {
  const help = helpText({
    name: 'queue-x',
    version: '1.2.3',
    description: 'Does x.',
    config,
  })
  expect(help).toMatch(/^queue-x 1\.2\.3\nDoes x\.\n/)
  expect(help).toContain('DATABASE_URL (required)')
  expect(help).toContain('DATABASE_POOL_MAX (default: 10)')
  expect(help).toContain('API_TOKEN (default: unset)')
  expect(help).toContain('API_TOKEN_FILE may name a file')
  expect(help).toContain('3 the database schema does not match this code')
})
