import { clocks } from './clocks.ts'
import { commitUnknown } from './commit-unknown.ts'
import { databaseAway } from './database-away.ts'
import { kill } from './kill.ts'
import { replyLost } from './reply-lost.ts'
import type { Row } from './row.ts'
import { contract, edges, malformed, migrations, model, races } from '../run/suites.ts'
import { transactions } from './transactions.ts'

/** The fault suite, in the order of its table. */
export const rows: readonly Row[] = [
  kill,
  commitUnknown,
  replyLost,
  databaseAway,
  model,
  races,
  clocks,
  transactions,
  edges,
  malformed,
  contract,
  migrations,
]
