import { InvalidInput } from '@queue/core'
import type { ClaimedJob } from '@queue/core/runtime'
import type { ExecutionContext } from './execution-context.ts'
import { type AttemptDefaults, type Executor, unknownKind } from './executor.ts'
import type { Handler } from './handler.ts'
import { failed, type Outcome } from './outcome.ts'

/** Runs each job with the handler that is registered for its kind. */
export class HandlerExecutor<Tx = unknown> implements Executor<Tx> {
  readonly kinds: readonly string[]
  readonly #handlers: ReadonlyMap<string, Handler<Tx>>

  /** Throws `InvalidInput` (code `invalid_options`) when two handlers name one kind. */
  constructor(handlers: readonly Handler<Tx>[]) {
    this.#handlers = indexByKind(handlers)
    this.kinds = Object.freeze([...this.#handlers.keys()])
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

function indexByKind<Tx>(handlers: readonly Handler<Tx>[]): Map<string, Handler<Tx>> {
  const byKind = new Map<string, Handler<Tx>>()
  for (const [index, handler] of handlers.entries()) {
    const { kind } = handler.definition
    if (byKind.has(kind)) {
      throw new InvalidInput('invalid_options', [
        { path: ['handlers', index], message: `the kind '${kind}' has a handler already` },
      ])
    }
    byKind.set(kind, handler)
  }
  return byKind
}
