import type { Handler } from '@queue/executor'
import { type BuiltInHandlers, createHandlers, type HandlersOptions } from '../../src/create-handlers.ts'
import type { BuiltInKind } from '../../src/settings.ts'

const opened: BuiltInHandlers[] = []

/** Creates the handler of a single kind. */
export async function openHandler(
  kind: BuiltInKind,
  options: Omit<HandlersOptions, 'kinds'> = {},
): Promise<Handler> {
  const built = await createHandlers({ kinds: [kind], ...options })
  opened.push(built)
  const [handler] = built.handlers
  if (handler === undefined) throw new Error(`there is no handler for ${kind}`)
  return handler
}

/** Closes the handlers. Call it after each test. */
export async function closeHandlers(): Promise<void> {
  await Promise.all(opened.splice(0).map((built) => built.close()))
}
