import { toRefused } from '@queue/postgres'
import type { ActDatabase, Perform } from '../acts.ts'
import type { AuditedAct } from '../audit/actor.ts'
import type { QueueDatabase } from '../database/connect.ts'
import type { Notifier } from '../database/notifications.ts'
import type { Limit, LimitRule, LimitTarget } from './limit-rule.ts'
import { getLimit, type LimitPage, type LimitQuery, listLimits } from './list-limits.ts'
import { deleteLimit, setLimit } from './set-limit.ts'

/** What changes limits. Each throws `refused` where the database's owner forbids it. */
export interface LimitActs {
  /**
   * Sets what holds for a queue, a kind in it or its keys, in place of what held before: once this has answered, no claim
   * exceeds it. Throws `invalid_limit`.
   */
  set(rule: LimitRule): Promise<Limit>
  /** Throws `limit_not_found`. */
  delete(target: LimitTarget): Promise<void>
}

/** How many jobs may run at a time, and how fast they may start. */
export interface Limits extends LimitActs {
  /** The limit, or undefined when there is none. */
  get(target: LimitTarget): Promise<Limit | undefined>
  /** One page, by queue, scope and name. */
  list(query?: LimitQuery): Promise<LimitPage>
}

export function limitReads(database: QueueDatabase): Omit<Limits, keyof LimitActs> {
  return {
    get: (target) => getLimit(database, target),
    list: (query) => listLimits(database, query),
  }
}

/** Each told to the workers: jobs that were held back may start. */
export function limitActs(perform: Perform, notifier: Notifier): LimitActs {
  const act = async <Result>(
    name: AuditedAct,
    target: LimitTarget,
    work: (inside: QueueDatabase) => Promise<Result>,
  ): Promise<Result> => {
    const performed = perform({
      act: name,
      work: ({ transaction }: ActDatabase) => transaction(work),
      changeOf: () => ({ count: 1, target: targetText(target) }),
    })
    const result = await performed.catch((error: unknown) => {
      throw toRefused(error)
    })
    notifier.tell([{ type: 'queue', queue: target.queue }])
    return result
  }
  return {
    set: (rule) => act('limit.set', rule, (inside) => setLimit(inside, rule)),
    delete: (target) => act('limit.delete', target, (inside) => deleteLimit(inside, target)),
  }
}

/** A target as the audit log names it: `mail`, `mail kind send_email`, `mail key acme`, `mail each_key`. */
function targetText({ queue, scope, name }: LimitTarget): string {
  return [queue, ...(scope === 'queue' ? [] : [scope]), ...(name === undefined ? [] : [name])].join(' ')
}
