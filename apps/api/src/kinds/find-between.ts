import type { AcceptedKind, FindKind } from './kind-catalogue.ts'

/** Ends a call that needs a kind which is not known yet. */
class KindNotFound extends Error {
  readonly kind: string

  constructor(kind: string) {
    super(`the kind ${kind} must be found first`)
    this.kind = kind
  }
}

/**
 * The result of `use`, which holds a connection, usually in a transaction, while it finds kinds. Whoever holds a connection of a
 * pool must not wait for another one: if each connection is held so, none comes free. The registry is read through the same pool.
 * So a kind that was not found yet ends the call of `use`, is found while no connection is held, and then `use` is called again.
 */
export async function findBetween<Result>(
  find: FindKind,
  use: (findInMemory: FindKind) => Promise<Result>,
): Promise<Result> {
  const found = new Map<string, AcceptedKind>()
  const findInMemory: FindKind = async (kind) => {
    const accepted = found.get(kind)
    if (accepted === undefined) throw new KindNotFound(kind)
    return accepted
  }
  for (;;) {
    try {
      return await use(findInMemory)
    } catch (error) {
      if (!(error instanceof KindNotFound)) throw error
      found.set(error.kind, await find(error.kind))
    }
  }
}
