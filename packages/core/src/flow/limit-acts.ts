import { toRefused } from '@queue/postgres'
import type { ActDatabase, Perform } from '../audit/perform.ts'
import type { AuditedAct } from '../domain/actor.ts'
import { asChange, changeOn } from '../audit/write-audit-entry.ts'
import type { Acted } from '../database/acted.ts'
import type { QueueDatabase } from '../database/connect.ts'
import type { Notifier } from '../database/notifications.ts'
import { parseOrThrow } from '../domain/job-definition.ts'
import {
  type Limit,
  type LimitOptions,
  limitOptionsSchema,
  type LimitRule,
  type LimitTarget,
} from './limit-rule.ts'
import { getLimit, type LimitPage, type LimitQuery, listLimits } from './list-limits.ts'
import { changeLimit, deleteLimit, setLimit } from './set-limit.ts'

/** The acts that change limits. Each throws `refused` where the database does not allow the change. */
export interface LimitActs {
  /**
   * Sets the limit of a queue, a kind in it, its keys or a tenant, in place of the previous one. Once this has
   * returned, no claim exceeds the limit. Throws `invalid_limit`, and `limit_changed` where it is no longer the version of
   * the options.
   */
  set(rule: LimitRule, options?: LimitOptions): Promise<Limit>
  /**
   * Changes the members of a limit that are given; the others stay as they are, and null removes one. Sets the limit where
   * there is none, and deletes it where nothing is left of it: the result then limits nothing. Throws `invalid_limit`,
   * and `limit_changed` where it is no longer the version of the options.
   */
  change(change: LimitRule, options?: LimitOptions): Promise<Limit>
  /** Deletes the limit of a target. Throws `limit_not_found`, and `limit_changed` where it is no longer the version of the options. */
  delete(target: LimitTarget, options?: LimitOptions): Promise<void>
}

/** The limits: how many jobs may run and wait at a time, and how fast they may start. */
export interface Limits extends LimitActs {
  /** The limit of a target; undefined when there is none. */
  get(target: LimitTarget): Promise<Limit | undefined>
  /** One page of limits, by queue, scope and name. */
  list(query?: LimitQuery): Promise<LimitPage>
}

export function limitReads(database: QueueDatabase): Omit<Limits, keyof LimitActs> {
  return {
    get: (target) => getLimit(database, target),
    list: (query) => listLimits(database, query),
  }
}

/** Each act notifies the workers, because jobs that were held back may start. */
export function limitActs(perform: Perform, notifier: Notifier): LimitActs {
  const act = async <Result>(
    name: AuditedAct,
    target: LimitTarget,
    work: (inside: QueueDatabase) => Promise<Acted<Result>>,
  ): Promise<Result> => {
    const performed = perform({
      act: name,
      work: ({ transaction }: ActDatabase) => transaction(work),
      changeOf: changeOn(targetText(target)),
    })
    const { result } = await performed.catch((error: unknown) => {
      throw toRefused(error)
    })
    notifier.tell([{ type: 'queue', queue: target.queue }])
    return result
  }
  return {
    set: async (rule, options) => {
      const checked = checkedOptions(options)
      return act('limit.set', rule, (inside) => setLimit(inside, rule, checked))
    },
    change: async (change, options) => {
      const checked = checkedOptions(options)
      return act('limit.set', change, (inside) => changeLimit(inside, change, checked))
    },
    delete: async (target, options) => {
      const checked = checkedOptions(options)
      return act('limit.delete', target, (inside) => asChange(deleteLimit(inside, target, checked)))
    },
  }
}

function checkedOptions(options: LimitOptions = {}): LimitOptions {
  return parseOrThrow(limitOptionsSchema, options, 'invalid_options')
}

/** A target in the form of the audit log: `mail`, `mail kind send_email`, `mail key acme`, `mail each_key`. */
function targetText({ queue, scope, name }: LimitTarget): string {
  return [queue, ...(scope === 'queue' ? [] : [scope]), ...(name === undefined ? [] : [name])].join(' ')
}
