import { describe, expect, test } from '@jest/globals'
import { z } from 'zod'
import {
  databaseVariables,
  describeConfig,
  helpText,
  logVariables,
  optionalSecret,
  poolVariables,
} from '../src/index.ts'

const config = z.object({
  ...databaseVariables,
  ...poolVariables,
  ...logVariables,
  API_TOKEN: optionalSecret({ description: 'The token that requests must bear.' }),
})

describe('describeConfig', () => {
  test('gives every variable of a schema, each with a description and what it accepts', () => {
    const described = describeConfig(config)
    expect(described.map((variable) => variable.name)).toEqual(Object.keys(config.shape))
    expect(described.every(({ description, accepted }) => description !== '' && accepted !== '')).toBe(true)
  })

  test('gives the defaults as one would write them', () => {
    const defaults = Object.fromEntries(describeConfig(config).map((one) => [one.name, one.default]))
    expect(defaults).toMatchObject({ QUEUE_SCHEMA: 'queue', DATABASE_POOL_MAX: '10', LOG_FORMAT: 'auto' })
    expect(defaults['DATABASE_URL']).toBeUndefined()
    expect(defaults['API_TOKEN']).toBeUndefined()
  })

  test('knows a schema with rules across variables as well', () => {
    expect(describeConfig(config.refine(() => true))).toEqual(describeConfig(config))
  })
})

test('the help text names every variable, its default, the files of secrets, and the exit codes', () => {
  const help = helpText({
    name: 'queue-x',
    version: '1.2.3',
    description: 'Does x.',
    config,
    usage: 'up  Goes up.',
  })
  expect(help).toMatch(/^queue-x 1\.2\.3\nDoes x\.\n/)
  expect(help).toContain('  up  Goes up.')
  expect(help).toContain('DATABASE_URL (required)')
  expect(help).toContain('DATABASE_POOL_MAX (default: 10)')
  expect(help).toContain('API_TOKEN (default: unset)')
  expect(help).toContain('API_TOKEN_FILE may name a file')
  expect(help).toContain('3 the database schema does not fit this code')
})
