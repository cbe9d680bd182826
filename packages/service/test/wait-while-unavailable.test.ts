import { describe, expect, test } from '@jest/globals'
import { QueueError } from '@queue/core'
import { recordLogger } from '@queue/testing'
import { ExitError, waitWhileUnavailable } from '../src/index.ts'

const never = new AbortController().signal

function unavailable(): QueueError {
  const cause = new AggregateError([new Error('connect ECONNREFUSED ::1:5432')], '')
  return new QueueError('database_unavailable', 'the database cannot be reached', { cause })
}

function postgresError(code: string, message: string): Error {
  return Object.assign(new Error(message), { code, severity: 'FATAL' })
}

describe('waiting for the database', () => {
  test('continues until it answers, with a log line for each try and one at the end', async () => {
    const logger = recordLogger()
    const { lines } = logger
    let tries = 0
    const attempt = async (): Promise<string> => {
      tries += 1
      if (tries < 3) throw unavailable()
      return 'answer'
    }
    await expect(waitWhileUnavailable({ attempt, logger, signal: never })).resolves.toBe('answer')
    expect(lines.map(({ level, message }) => `${level} ${message}`)).toEqual([
      'warn the database cannot be reached: waiting',
      'warn the database cannot be reached: waiting',
      'info the database answers',
    ])
    expect(lines.map(({ fields }) => fields['retry_in_ms'])).toEqual([250, 500, undefined])
    expect(String(lines[0]?.fields['reason'])).toContain('ECONNREFUSED')
  })

  test('logs nothing if the database answers at once', async () => {
    const logger = recordLogger()
    const { lines } = logger
    await waitWhileUnavailable({ attempt: async () => 1, logger, signal: never })
    expect(lines).toEqual([])
  })

  test('ends at its limit with one line that has the reason, with exit code 1', async () => {
    const logger = recordLogger()
    const attempt = async (): Promise<never> => {
      throw unavailable()
    }
    const waiting = waitWhileUnavailable({ attempt, logger, signal: never, waitMsMax: 300 })
    await expect(waiting).rejects.toThrow(ExitError)
    await expect(waiting).rejects.toMatchObject({
      exitCode: 1,
      message: expect.stringMatching(
        /^the database cannot be reached \(.*ECONNREFUSED.*\): gave up after \d+ ms$/,
      ),
    })
  })

  test('ends at once when the process is stopped', async () => {
    const logger = recordLogger()
    const stop = new AbortController()
    const attempt = async (): Promise<never> => {
      stop.abort(new Error('stopped'))
      throw unavailable()
    }
    await expect(waitWhileUnavailable({ attempt, logger, signal: stop.signal })).rejects.toBe(
      stop.signal.reason,
    )
  })

  test('abandons an unanswered query when the process is stopped', async () => {
    const logger = recordLogger()
    const stop = new AbortController()
    const attempt = (): Promise<never> => {
      setTimeout(() => stop.abort(new Error('stopped')), 1)
      return new Promise(() => undefined)
    }
    await expect(waitWhileUnavailable({ attempt, logger, signal: stop.signal })).rejects.toThrow('stopped')
  })

  test.each([
    ['28P01', 'password authentication failed for user "app"', /user or the password in DATABASE_URL/],
    ['3D000', 'database "nope" does not exist', /database named in DATABASE_URL does not exist/],
    ['42501', 'permission denied for schema queue', /lacks a privilege/],
  ])('does not wait if PostgreSQL refuses the connection (%s)', async (code, message, explanation) => {
    const logger = recordLogger()
    const { lines } = logger
    const attempt = async (): Promise<never> => {
      throw postgresError(code, message)
    }
    const waiting = waitWhileUnavailable({ attempt, logger, signal: never })
    await expect(waiting).rejects.toMatchObject({ exitCode: 1, message: expect.stringMatching(explanation) })
    expect(lines).toEqual([])
  })

  test.each([
    ['SELF_SIGNED_CERT_IN_CHAIN', 'self-signed certificate in certificate chain', /not trusted.*sslrootcert/],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'Hostname/IP does not match', /another name than the host/],
    ['CERT_HAS_EXPIRED', 'certificate has expired', /has expired/],
    [undefined, 'The server does not support SSL connections', /requires TLS/],
  ])('does not wait for a server with an invalid certificate (%s)', async (code, message, explanation) => {
    const logger = recordLogger()
    const { lines } = logger
    const attempt = async (): Promise<never> => {
      const cause = Object.assign(new Error(message), code === undefined ? {} : { code })
      throw new QueueError('database_unavailable', 'the database cannot be reached', { cause })
    }
    const waiting = waitWhileUnavailable({ attempt, logger, signal: never })
    await expect(waiting).rejects.toMatchObject({ exitCode: 1, message: expect.stringMatching(explanation) })
    expect(lines).toEqual([])
  })

  test('throws other errors unchanged', async () => {
    const logger = recordLogger()
    const bug = new TypeError('a bug')
    const attempt = async (): Promise<never> => {
      throw bug
    }
    await expect(waitWhileUnavailable({ attempt, logger, signal: never })).rejects.toBe(bug)
  })
})
