import { suiteRow } from './suite-row.ts'

/** The state machine against its model in memory, command by command. */
export const model = suiteRow({
  number: 7,
  name: 'model',
  law: 'the state machine is the model',
  counted: 'commands',
  directory: 'packages/core',
  files: ['model.test'],
  reducedCount: 1_000,
  fullCount: 100_000,
  minutesMax: 60,
})

/** Everything that may be done to a row, done to the same rows at once. */
export const races = suiteRow({
  number: 8,
  name: 'races',
  law: 'races have one winner',
  counted: 'rows',
  directory: 'packages/core',
  files: ['races.test'],
  reducedCount: 1_000,
  fullCount: 100_000,
  minutesMax: 90,
})

/** Texts and numbers at the edge of what JSON, PostgreSQL and JavaScript can hold. */
export const edges = suiteRow({
  number: 14,
  name: 'edges',
  law: 'edges of text and number come back as they went in, or are refused; errors always end an attempt',
  counted: 'times',
  directory: 'packages/core',
  files: ['enqueue.test', 'json.test', 'bad-rows.test', 'failure.test'],
  reducedCount: 1,
  fullCount: 1,
  minutesMax: 10,
})

/** Requests that no client should send. */
export const malformed = suiteRow({
  number: 15,
  name: 'malformed',
  law: 'malformed requests: no 5xx, and no row changed',
  counted: 'requests',
  directory: 'apps/api',
  files: ['malformed-requests.test', 'bodies.test', 'headers.test'],
  reducedCount: 5_000,
  fullCount: 100_000,
  minutesMax: 30,
})

/** Every test of the API checks its answers against the document, and every route to be in it. */
export const contract = suiteRow({
  number: 16,
  name: 'contract',
  law: 'the contract is the code: every response as the document has it, every route in it',
  counted: 'times',
  directory: 'apps/api',
  files: [],
  reducedCount: 1,
  fullCount: 1,
  minutesMax: 15,
})

/** Migrators at once, migrators that are cut off, and tables in use meanwhile. */
export const migrations = suiteRow({
  number: 18,
  name: 'migrations',
  law: 'migrations under load are applied once, and block nobody for long',
  counted: 'times',
  directory: 'packages/core',
  files: ['migrations.test'],
  reducedCount: 1,
  fullCount: 1,
  minutesMax: 10,
})
