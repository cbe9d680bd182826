import { InvalidInput, type JobDefinition } from '@queue/core'
import { type ClaimedJob, versionedKind, versionsOf } from '@queue/core/internal'
import { assertArguments, having, listOf } from '@queue/loop/arguments'
import type { ExecutionContext } from './execution-context.ts'
import { type AttemptDefaults, type Executor, unknownKind } from './executor.ts'
import type { Handler } from './handler.ts'
import { failed, type Outcome } from './outcome.ts'

/** Runs each job with the handler of its kind. A handler also takes jobs under the former names of its kind. */
export class HandlerExecutor<Tx = unknown> implements Executor<Tx> {
  readonly kinds: readonly string[]
  readonly definitions: readonly JobDefinition[]
  readonly #handlers: ReadonlyMap<string, Handler<Tx>>

  /** Throws `InvalidInput` (code `invalid_options`) if two handlers name the same kind. */
  constructor(handlers: readonly Handler<Tx>[]) {
    assertArguments('HandlerExecutor', { handlers: listOf(handlerRule) }, [handlers])
    this.#handlers = indexByKind(handlers)
    this.kinds = Object.freeze(handlers.flatMap(({ definition }) => runnableKinds(definition)))
    this.definitions = Object.freeze(handlers.map(({ definition }) => definition))
  }

  execute(ctx: ExecutionContext<Tx>, job: ClaimedJob): Promise<Outcome> {
    const handler = this.#handlers.get(job.kind)
    // Another worker may have a handler for the kind, so the failure is not permanent.
    return handler === undefined ? Promise.resolve(failed(unknownKind(job.kind))) : handler.run(ctx, job)
  }

  definition(kind: string): AttemptDefaults | undefined {
    return this.#handlers.get(kind)?.definition
  }
}

const handlerRule = having('a handler, which handle() or handleBatch() returns', 'run')

/** The kinds that a handler can run: each name of its kind, former ones included, in each version that its definition knows. */
function runnableKinds(definition: JobDefinition): string[] {
  return namesOf(definition).flatMap((name) =>
    versionsOf(definition).map((version) => versionedKind(name, version)),
  )
}

function namesOf({ kind, aliases }: JobDefinition): string[] {
  return [kind, ...aliases]
}

function indexByKind<Tx>(handlers: readonly Handler<Tx>[]): Map<string, Handler<Tx>> {
  const byKind = new Map<string, Handler<Tx>>()
  for (const [index, handler] of handlers.entries()) {
    for (const kind of namesOf(handler.definition)) {
      if (byKind.has(kind)) {
        throw new InvalidInput('invalid_options', [
          { path: ['handlers', index], message: `the kind '${kind}' already has a handler` },
        ])
      }
      byKind.set(kind, handler)
    }
  }
  return byKind
}
