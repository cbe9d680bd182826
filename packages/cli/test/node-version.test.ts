import { expect, test } from '@jest/globals'
import { nodeFault } from '../src/node-version.ts'

test.each(['22.18.0', '22.19.1', '24.0.0'])('Node %s is new enough', (version) => {
  expect(nodeFault(version, '>=22.18')).toBeUndefined()
})

test.each(['20.20.2', '22.17.9', '18.0.0'])(
  'Node %s is refused in one line that says which is needed',
  (version) => {
    expect(nodeFault(version, '>=22.18')).toBe(
      `this is Node ${version}; the command needs Node 22.18 or later`,
    )
  },
)
