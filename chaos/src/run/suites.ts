import { suiteScenario } from './suite-scenario.ts'

/** Compares the state machine with its model in memory, command by command. */
export const model = suiteScenario({
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

/** Runs all operations on a row on the same rows at the same time. */
export const races = suiteScenario({
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

/** Orders that commit and roll back in a separate database, whose relays are killed while they deliver to the queue. */
export const outbox = suiteScenario({
  number: 12,
  name: 'outbox',
  law: 'the jobs are those of the committed orders, through an outbox as well',
  counted: 'transactions',
  directory: 'examples/orders-service',
  files: ['kills.test'],
  reducedCount: 600,
  fullCount: 30_000,
  minutesMax: 40,
})

/** Texts and numbers at the limits of JSON, PostgreSQL and JavaScript. */
export const edges = suiteScenario({
  number: 14,
  name: 'edges',
  law: 'edges of text and number come back as they went in, or are refused; errors always end an attempt',
  counted: 'documents',
  directory: 'packages/core',
  files: ['edges.test', 'enqueue.test', 'json.test', 'bad-rows.test', 'failure.test'],
  reducedCount: 300,
  fullCount: 30_000,
  minutesMax: 20,
})

/** Requests that no client should send. */
export const malformed = suiteScenario({
  number: 15,
  name: 'malformed',
  law: 'malformed requests: no 5xx, and no row changed',
  counted: 'requests',
  directory: 'apps/api',
  files: ['malformed-requests.test', 'bodies.test', 'headers.test'],
  reducedCount: 2_500,
  fullCount: 100_000,
  minutesMax: 30,
})

/** The tests of the API check every response against the OpenAPI document, and that every route is in it. */
export const contract = suiteScenario({
  number: 16,
  name: 'contract',
  law: 'the contract is the code: every response as the document has it, every route in it',
  counted: 'run',
  directory: 'apps/api',
  files: [],
  reducedCount: 1,
  fullCount: 1,
  minutesMax: 15,
})

/** Webhooks whose worker is killed between the receiver's answer and its record. */
export const webhooks = suiteScenario({
  number: 26,
  name: 'webhooks',
  law: 'kill -9 amid webhooks: each receiver sees each webhook-id, and drops repeats by it',
  counted: 'webhooks',
  directory: 'apps/worker',
  files: ['webhook-kills.test'],
  reducedCount: 200,
  fullCount: 1_000,
  minutesMax: 15,
})

/** Large images through the handler that resizes them, four at a time. */
export const images = suiteScenario({
  number: 27,
  name: 'images',
  law: 'images of 20 megapixels, four at a time, leave the memory of their process flat',
  counted: 'images',
  directory: 'packages/handlers',
  files: ['image-memory.test'],
  reducedCount: 40,
  fullCount: 1_000,
  minutesMax: 60,
})

/** Compares the instants of schedules with those of another implementation. */
export const scheduleInstants = suiteScenario({
  number: 29,
  name: 'schedule-instants',
  law: 'a schedule has the instants that another implementation finds, in every zone and on every day of change',
  counted: 'pairs',
  directory: 'packages/core',
  files: ['schedule-timing.test'],
  reducedCount: 15,
  fullCount: 8_000,
  minutesMax: 240,
})

/** Enqueues beside statements of their caller in one transaction, with every library, under rollbacks and lost connections. */
export const callerTransactions = suiteScenario({
  number: 37,
  name: 'caller-transactions',
  law: 'in a transaction of the caller, what was answered is there after the commit, and what was refused undoes nothing',
  counted: 'transactions',
  directory: 'examples/recipes',
  files: ['caller-transactions.test'],
  reducedCount: 150,
  fullCount: 3_750,
  minutesMax: 40,
})
