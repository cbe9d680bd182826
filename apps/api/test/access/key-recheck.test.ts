import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { createQueue, type JobState } from '@queue/core'
import { eventually } from '@queue/testing'
import { keyRecheckMs, keyUnverifiedMsMax } from '../../src/http/limits.ts'
import { anonymous, type Principal } from '../../src/http/principal.ts'
import { startApi, type TestApi } from '../support/start-api.ts'

/** A job that goes on for ever, whatever becomes of the database that keys are in. */
const waiting: JobState = {
  id: '01980d3c-7a1e-7c3a-9f52-3b1f6c0de001',
  status: 'queued',
  attempts: 0,
  maxAttempts: 3,
  cancelRequested: false,
  progress: null,
  progressMessage: null,
  updatedAt: new Date(),
}
let api: TestApi
let verifications = 0
let answer = Promise.withResolvers<Principal>()

beforeAll(async () => {
  const queue = createQueue({ connectionString: 'postgres://nobody@127.0.0.1:1/none' })
  const readiness = () => new Promise<never>(() => undefined)
  const authenticate = () => {
    verifications += 1
    return answer.promise
  }
  api = await startApi({
    queue: { ...queue, states: () => Promise.resolve([waiting]) },
    readiness,
    authenticate,
  })
})

afterAll(() => api.close())

/** How often keys are verified again in the time of three such verifications. */
async function repeatedVerifications(): Promise<number> {
  const before = verifications
  await pause(keyRecheckMs * 3)
  return verifications - before
}

function send(...requests: readonly string[]) {
  const socket = connect(api.port, '127.0.0.1')
  socket.write(
    requests
      .map((line) => `${line} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer key\r\n\r\n`)
      .join(''),
  )
  return socket
}

test('the key of a client that went away before it was known is not verified again', async () => {
  const before = verifications
  const socket = send('GET /nothing')
  await eventually(() => Promise.resolve(verifications > before))
  socket.destroy()
  await pause(50)
  answer.resolve(anonymous)
  expect(await repeatedVerifications()).toBe(0)
})

test('nor is that of a client whose earlier request on the connection never was answered', async () => {
  const before = verifications
  answer = Promise.withResolvers()
  answer.resolve(anonymous)
  // The first needs no key and is never answered, so that the second waits behind it.
  const socket = send('GET /readyz', 'GET /nothing')
  await eventually(() => Promise.resolve(verifications > before))
  await pause(50)
  socket.destroy()
  await pause(50)
  expect(await repeatedVerifications()).toBe(0)
})

test('a stream outlives a process that stood still for longer, because its key can be verified again', async () => {
  answer = Promise.withResolvers()
  answer.resolve(anonymous)
  const client = new AbortController()
  const stream = await fetch(`${api.base}/jobs/${waiting.id}/events`, {
    headers: { authorization: 'Bearer key' },
    signal: client.signal,
  })
  let isCut = false
  const ended = stream.text().catch(() => (isCut = true))
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, keyUnverifiedMsMax + keyRecheckMs * 2)
  expect(await repeatedVerifications()).toBeGreaterThan(0)
  expect(isCut).toBe(false)
  client.abort()
  await ended
})

test('a stream whose key cannot be verified any more is cut after some seconds, though its jobs can be read', async () => {
  answer = Promise.withResolvers()
  answer.resolve(anonymous)
  const stream = await fetch(`${api.base}/jobs/${waiting.id}/events`, {
    headers: { authorization: 'Bearer key' },
  })
  expect(stream.status).toBe(200)
  const ended = stream.text().then(
    () => 'ended',
    () => 'cut',
  )
  await pause(keyRecheckMs * 2)
  const startedMs = performance.now()
  answer = Promise.withResolvers()
  answer.reject(new Error('no connection is free'))
  expect(await ended).toBe('cut')
  // A moment without an answer cuts nothing.
  expect(performance.now() - startedMs).toBeGreaterThan(keyUnverifiedMsMax - keyRecheckMs * 2)
})

test('nor does a slow process let it go on for much longer', async () => {
  const turnMs = keyRecheckMs * 3
  answer = Promise.withResolvers()
  answer.resolve(anonymous)
  const stream = await fetch(`${api.base}/jobs/${waiting.id}/events`, {
    headers: { authorization: 'Bearer key' },
  })
  let isCut = false
  const ended = stream.text().catch(() => (isCut = true))
  answer = Promise.withResolvers()
  answer.reject(new Error('no connection is free'))
  let turns = 0
  for (; !isCut; turns += 1) {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, turnMs)
    // Timers and sockets have their turn.
    await pause(keyRecheckMs / 10)
  }
  await ended
  expect(turns).toBeLessThanOrEqual(keyUnverifiedMsMax / turnMs + 4)
})
