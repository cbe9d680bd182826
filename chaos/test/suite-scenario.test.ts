import { expect, test } from '@jest/globals'
import { environmentOfTests } from '../src/run/suite-scenario.ts'

test('tests of another package that a scenario runs are not counted as if they were all of that package', () => {
  const environment = { PATH: '/bin', TEST_COUNTS_DIR: '/tmp/counts' }
  expect(environmentOfTests(environment)).toEqual({ PATH: '/bin' })
})
