import { describe, expect, test } from '@jest/globals'
import {
  isContention,
  isDataError,
  isRefusal,
  isUnavailable,
  sqlStateOf,
  toQueueError,
} from '../src/pg-error.ts'
import { QueueError } from '../src/errors.ts'

/** An error of PostgreSQL as node-postgres reports it. */
const postgresErrorWith = (code: string, severity = 'ERROR') =>
  Object.assign(new Error('from PostgreSQL'), { code, severity })
/** An error of a socket as Node reports it. */
const socket = (code: string) =>
  Object.assign(new Error(`connect ${code}`), { code, errno: -1, syscall: 'connect' })

describe('the errors of PostgreSQL are classified by SQLSTATE:', () => {
  test.each(['22P02', '22021', '22003', '23514', '23505', '54001'])(
    '%s means invalid data of a row',
    (code) => {
      expect([
        isDataError(postgresErrorWith(code)),
        isContention(postgresErrorWith(code)),
        isUnavailable(postgresErrorWith(code)),
      ]).toEqual([true, false, false])
      expect(toQueueError(postgresErrorWith(code))).toMatchObject({ code })
    },
  )

  test.each(['22P02', '23514', '54001', '09000', '27000', '44000', 'P0001', 'P0004'])(
    '%s refuses a row',
    (code) => expect(isRefusal(postgresErrorWith(code))).toBe(true),
  )

  test.each(['40001', '42501', '42P01', '57014', '0A000', '25006'])('%s refuses no row', (code) =>
    expect(isRefusal(postgresErrorWith(code))).toBe(false),
  )

  test.each(['55P03', '40P01', '40001'])('%s is a conflict with another transaction', (code) => {
    expect([
      isDataError(postgresErrorWith(code)),
      isContention(postgresErrorWith(code)),
      isUnavailable(postgresErrorWith(code)),
    ]).toEqual([false, true, false])
  })

  test.each([
    ['tuple concurrently updated', true],
    ['tuple concurrently deleted', true],
    ['cache lookup failed for index 16400', false],
  ])('the internal error "%s" is a conflict with another transaction: %s', (message, isConflict) => {
    const error = Object.assign(new Error(message), { code: 'XX000', severity: 'ERROR' })
    expect(isContention(error)).toBe(isConflict)
  })

  test.each([
    '08006',
    '53300',
    '57P01',
    '57P03',
    '57014',
    '58030',
    '25P03',
    '25P04',
    '25006',
    '28P01',
    '28000',
    '3D000',
  ])('%s is an outage', (code) => {
    expect([
      isDataError(postgresErrorWith(code)),
      isContention(postgresErrorWith(code)),
      isUnavailable(postgresErrorWith(code)),
    ]).toEqual([false, false, true])
    expect(toQueueError(postgresErrorWith(code, 'FATAL'))).toMatchObject({ code: 'database_unavailable' })
  })

  test.each(['42P01', '3F000', '42703', '42704'])(
    '%s is a schema that is not there, or another one',
    (code) => {
      expect(toQueueError(postgresErrorWith(code))).toMatchObject({ code: 'schema_mismatch' })
    },
  )

  test.each(['42601', '42501', 'XX000'])('%s is returned unchanged', (code) => {
    const error = postgresErrorWith(code)
    expect(toQueueError(error)).toBe(error)
  })
})

describe('a failed connection is an outage, whichever layer reports it:', () => {
  test.each(['ERR_TLS_CERT_ALTNAME_INVALID', 'SELF_SIGNED_CERT_IN_CHAIN', 'CERT_HAS_EXPIRED'])(
    '%s',
    (code) => {
      const error = Object.assign(new Error('the certificate'), { code })
      expect(toQueueError(error)).toMatchObject({ code: 'database_unavailable', cause: error })
    },
  )

  test.each(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH'])(
    '%s',
    (code) => {
      expect(isUnavailable(socket(code))).toBe(true)
      expect(sqlStateOf(socket(code))).toBeUndefined()
    },
  )

  test.each([
    'Connection terminated unexpectedly',
    'Connection terminated due to connection timeout',
    'Query read timeout',
    'timeout exceeded when trying to connect',
    'Client has encountered a connection error and is not queryable',
    'Client was closed and is not queryable',
  ])('%s', (message) => {
    expect(isUnavailable(new Error(message))).toBe(true)
  })

  test('several addresses of one host that all refuse', () => {
    expect(isUnavailable(new AggregateError([socket('ECONNREFUSED'), socket('ECONNREFUSED')]))).toBe(true)
  })
})

test.each([postgresErrorWith('57014'), new Error('Query read timeout')])(
  'a statement that took too long is not called a database that cannot be reached: %s',
  (error) => {
    expect(toQueueError(error)).toMatchObject({
      code: 'database_unavailable',
      message: 'the database did not answer a statement in time',
      cause: error,
    })
  },
)

test.each([
  [
    '28P01',
    'the database cannot be reached: it refuses the user; check the name, the password and pg_hba.conf',
  ],
  ['3D000', 'the database cannot be reached: there is no database of this name; check the connection string'],
  [
    '53300',
    'the database cannot be reached: it has no connection left; lower poolMax, or raise max_connections',
  ],
  ['25006', 'the database takes no writes: it is a standby, or its transactions are READ ONLY by default'],
  ['57P03', 'the database cannot be reached'],
])('the error of an outage says what it is: %s', (state, message) => {
  expect(toQueueError(postgresErrorWith(state))).toMatchObject({ code: 'database_unavailable', message })
})

test('the error of an address where nothing listens says so, also of several addresses', () => {
  for (const error of [socket('ECONNREFUSED'), new AggregateError([socket('ECONNREFUSED')])])
    expect(toQueueError(error)).toMatchObject({
      message: expect.stringContaining('nothing listens at this host'),
    })
})

test('other errors are not classified, even if they look similar', () => {
  for (const thrown of [
    undefined,
    null,
    'text',
    42,
    {},
    { code: '22P02' },
    new Error('boom'),
    { code: 57 },
    socket('ENOSPC'),
  ]) {
    expect([isDataError(thrown), isContention(thrown), isUnavailable(thrown)]).toEqual([false, false, false])
    expect(toQueueError(thrown)).toBe(thrown)
  }
})

test('a converted error keeps the original as its cause, and does not repeat its message', () => {
  const cause = Object.assign(postgresErrorWith('42P01'), { message: 'relation "queue.jobs" does not exist' })
  const error = toQueueError(cause)
  expect(error).toBeInstanceOf(QueueError)
  expect((error as QueueError).cause).toBe(cause)
  expect((error as QueueError).message).not.toContain('queue.jobs')
})

test('the error of TLS that the server does not speak, or of its certificate, says so', () => {
  const noTls = new Error('The server does not support SSL connections')
  expect(toQueueError(noTls)).toMatchObject({
    message: expect.stringContaining('does not speak TLS; check sslmode'),
  })
  const untrusted = Object.assign(new Error('self-signed'), { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' })
  expect(toQueueError(untrusted)).toMatchObject({
    message: expect.stringContaining('certificate is not trusted'),
  })
})
