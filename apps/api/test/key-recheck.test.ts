import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { createQueue } from '@queue/core'
import { eventually } from '@queue/testing'
import { keyRecheckMs } from '../src/http/limits.ts'
import { everybody, type Principal } from '../src/http/principal.ts'
import { startApi, type TestApi } from './support/start-api.ts'

let api: TestApi
let asked = 0
let answer = Promise.withResolvers<Principal>()

beforeAll(async () => {
  const queue = createQueue({ connectionString: 'postgres://nobody@127.0.0.1:1/none' })
  const readiness = () => new Promise<never>(() => undefined)
  const authenticate = () => {
    asked += 1
    return answer.promise
  }
  api = await startApi({ queue, readiness, authenticate })
})

afterAll(() => api.close())

/** How often keys are verified again in the time of three such verifications. */
async function askedAgain(): Promise<number> {
  const before = asked
  await pause(keyRecheckMs * 3)
  return asked - before
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
  const before = asked
  const socket = send('GET /nothing')
  await eventually(() => Promise.resolve(asked > before))
  socket.destroy()
  await pause(50)
  answer.resolve(everybody)
  expect(await askedAgain()).toBe(0)
})

test('nor is that of a client whose earlier request on the connection never was answered', async () => {
  const before = asked
  answer = Promise.withResolvers()
  answer.resolve(everybody)
  // The first needs no key and is never answered, so that the second waits behind it.
  const socket = send('GET /readyz', 'GET /nothing')
  await eventually(() => Promise.resolve(asked > before))
  await pause(50)
  socket.destroy()
  await pause(50)
  expect(await askedAgain()).toBe(0)
})
