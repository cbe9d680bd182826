import { expect, test } from '@jest/globals'

const current = Symbol.for('queue.jest-globals')
const globals = globalThis as { [current]?: unknown }
// As a support file takes them, which is loaded once for all test files of a package.
const { skip } = test
const skipEach = test.skip.each

test('members of a global that a support file has taken are those of the test file that calls them', () => {
  const own = globals[current]
  const registered: string[] = []
  const skipOfLater = (name: string): void => void registered.push(name)
  const each = (cases: readonly string[]) => (name: string) =>
    registered.push(...cases.map((one) => name + one))
  try {
    globals[current] = { test: { skip: Object.assign(skipOfLater, { each }) } }
    skip('alone', () => undefined)
    skipEach(['a', 'b'])('each ', () => undefined)
  } finally {
    globals[current] = own
  }
  expect(registered).toEqual(['alone', 'each a', 'each b'])
})
