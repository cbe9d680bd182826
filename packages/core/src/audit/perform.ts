// How an act is carried out: with or without its entry in the audit log.
import { toRefused } from '@queue/postgres'
import type { ConnectedDatabase, QueueDatabase } from '../database/connect.ts'
import { repeatDeadlocks, repeatingDeadlocks } from '../database/repeat-deadlocks.ts'
import type { Actor, AuditedAct } from '../domain/actor.ts'
import { type Change, writeAuditEntry } from './write-audit-entry.ts'

/** The database on which an act works. Its `transaction` is a new one, or the one that the act shares with its audit entry. */
export type ActDatabase = QueueDatabase & Pick<ConnectedDatabase, 'transaction'>

/** An act, and how its result becomes the change of an audit entry; undefined where nothing changed. */
interface ActRequest<Result> {
  readonly act: AuditedAct
  readonly work: (database: ActDatabase) => Promise<Result>
  readonly changeOf: (result: Result) => Change | undefined
}

/** Carries out an act. */
export type Perform = <Result>(request: ActRequest<Result>) => Promise<Result>

/** Carries out acts of a program: only their statements. */
export function performing(database: ActDatabase): Perform {
  const repeating = repeatingDeadlocks(database)
  return ({ work }) => work(repeating)
}

/** Carries out acts of an actor: in one transaction with their audit entry, so that neither exists without the other. */
export function performingAs(database: Pick<ConnectedDatabase, 'transaction'>, by: Actor): Perform {
  return ({ act, work, changeOf }) =>
    repeatDeadlocks(() =>
      database.transaction(async (inside) => {
        const result = await work({ ...inside, transaction: (part) => part(inside) })
        const change = changeOf(result)
        if (change !== undefined) await writeAuditEntry(inside, { act, by, change })
        return result
      }),
    )
}

/**
 * Throws `refused` where the database does not allow the change, by a check or a trigger of its owner; any other error
 * unchanged.
 */
export function throwRefused<Result>(change: Promise<Result>): Promise<Result> {
  return change.catch((error: unknown) => {
    throw toRefused(error)
  })
}
