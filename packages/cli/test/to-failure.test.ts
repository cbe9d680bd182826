import { expect, test } from '@jest/globals'
import * as core from '@queue/core'
import { isQueueError, toFailure } from '../src/backends/to-failure.ts'

const errors = Object.values(core).filter(
  (exported): exported is typeof core.QueueError =>
    exported === core.QueueError ||
    (typeof exported === 'function' && exported.prototype instanceof core.QueueError),
)

test.each(errors.map((one): [string, typeof core.QueueError] => [one.name, one]))(
  '%s is recognised as an error of the library',
  (name, { prototype }) => {
    expect(isQueueError(Object.assign(Object.create(prototype), { name, code: 'any' }))).toBe(true)
  },
)

test('an error of the library has the exit code and the advice of its code', () => {
  expect(toFailure(new core.QueueFull('mail'))).toMatchObject({
    error: 'queue_full',
    exitCode: 7,
    advice: expect.stringContaining('queue limits list'),
  })
})

test.each([
  ['invalid_job', ['maxAttempts'], '--max-attempts'],
  ['invalid_job', ['payload', 'firstName'], '/payload/firstName'],
  ['invalid_job', ['metadata', 'orderId'], '/metadata/orderId'],
  ['invalid_schedule', ['schedules', 0, 'timeZone'], '/schedules/0/time_zone'],
] as const)('a place of an error %s keeps the names that the caller gave: %j', (code, path, place) => {
  const error = new core.InvalidInput(code, [{ path, message: 'is wrong' }])
  expect(toFailure(error).message).toBe(`${place}: is wrong`)
})
