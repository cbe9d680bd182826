import { expect, test } from '@jest/globals'
import { closeAtExit } from '../src/index.ts'

test('a process that ends does not wait for a close that never ends', async () => {
  await closeAtExit(new Promise(() => undefined))
})

test('a close that fails is reported', async () => {
  await expect(closeAtExit(Promise.reject(new Error('closed twice')))).rejects.toThrow('closed twice')
})
