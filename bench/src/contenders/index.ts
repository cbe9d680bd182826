import type { Contender } from './contender.ts'
import { graphileWorker } from './graphile-worker.ts'
import { ours } from './ours.ts'
import { pgBoss } from './pg-boss.ts'

/** This queue first, then the others. */
export const contenders: readonly Contender[] = [ours, graphileWorker, pgBoss]
