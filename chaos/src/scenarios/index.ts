import {
  callerTransactions,
  contract,
  edges,
  images,
  malformed,
  model,
  outbox,
  races,
  scheduleInstants,
  webhooks,
} from '../run/suites.ts'
import { abuse } from './abuse.ts'
import { bounds } from './bounds.ts'
import { acts } from './acts.ts'
import { blocked } from './blocked.ts'
import { clocks } from './clocks.ts'
import { commitUnknown } from './commit-unknown.ts'
import { databaseAway } from './database-away.ts'
import { givenUp } from './given-up.ts'
import { handlerTransactions } from './handler-transactions.ts'
import { doors } from './doors.ts'
import { failover } from './failover.ts'
import { fairQueues } from './fair-queues.ts'
import { idempotency } from './idempotency.ts'
import { kill } from './kill.ts'
import { largePayloads } from './large-payloads.ts'
import { limits } from './limits.ts'
import { lock } from './lock.ts'
import { migrationStalls } from './migration-stalls.ts'
import { migrations } from './migrations.ts'
import { mutants } from './mutants.ts'
import { operations } from './operations.ts'
import { order } from './order.ts'
import { pause } from './pause.ts'
import { pauses } from './pauses.ts'
import { poison } from './poison.ts'
import { pooler } from './pooler.ts'
import { refusedEnds } from './refused-ends.ts'
import { replyLost } from './reply-lost.ts'
import { requests } from './requests.ts'
import type { Scenario } from './scenario.ts'
import { schedules } from './schedules.ts'
import { stop } from './stop.ts'
import { transactions } from './transactions.ts'
import { turns } from './turns.ts'
import { unique } from './unique.ts'
import { waits } from './waits.ts'

/** The fault suite, in the order of its table. */
export const scenarios: readonly Scenario[] = [
  mutants,
  kill,
  pause,
  commitUnknown,
  replyLost,
  databaseAway,
  model,
  races,
  clocks,
  poison,
  blocked,
  transactions,
  outbox,
  stop,
  edges,
  malformed,
  contract,
  pooler,
  migrations,
  migrationStalls,
  givenUp,
  refusedEnds,
  handlerTransactions,
  lock,
  fairQueues,
  largePayloads,
  failover,
  webhooks,
  images,
  schedules,
  scheduleInstants,
  operations,
  limits,
  order,
  turns,
  pauses,
  acts,
  unique,
  callerTransactions,
  idempotency,
  abuse,
  requests,
  bounds,
  waits,
  doors,
]
