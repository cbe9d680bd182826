import { expect, test } from '@jest/globals'
import { environmentOfTests } from '../src/run/suite-scenario.ts'

test('the tests of a package that a scenario runs do not replace the count of its own run', () => {
  const environment = { PATH: '/bin', TEST_COUNTS_DIR: '/tmp/counts' }
  expect(environmentOfTests(environment)).toEqual({ PATH: '/bin' })
})
