import { expect, test } from '@jest/globals'
import { eventually } from '../src/index.ts'

test('it resolves with the first truthy result', async () => {
  const answers = [undefined, 0, 'found', 'later']
  expect(await eventually(() => answers.shift(), { intervalMs: 1 })).toBe('found')
  expect(answers).toEqual(['later'])
})

test('a probe that throws is called again', async () => {
  let calls = 0
  const probe = async () => {
    calls++
    expect(calls).toBe(3)
    return true
  }
  expect(await eventually(probe, { intervalMs: 1 })).toBe(true)
})

test('the error after the deadline contains the description and the last error of the probe', async () => {
  const probe = () => {
    throw new Error('not yet')
  }
  const failure = eventually(probe, { deadlineMs: 30, intervalMs: 1, what: 'the moon' })
  await expect(failure).rejects.toThrow('the moon did not hold within 30 ms')
  await expect(failure).rejects.toMatchObject({ cause: new Error('not yet') })
})

test('a probe is called once even if the deadline has passed', async () => {
  expect(await eventually(() => 'at once', { deadlineMs: 0 })).toBe('at once')
})
