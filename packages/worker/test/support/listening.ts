import { test } from '@jest/globals'
import { skippedBehindPooler } from '@queue/test-database'

/** A test that needs LISTEN. It is skipped behind a pooler. */
export const testListening: typeof test.skip = skippedBehindPooler('LISTEN belongs to a session')
  ? test.skip
  : test
