import { test } from '@jest/globals'
import { skippedBehindPooler } from '@queue/test-database'

/** A test of what a worker hears. */
export const testListening: typeof test.skip = skippedBehindPooler('LISTEN belongs to a session')
  ? test.skip
  : test
