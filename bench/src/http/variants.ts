/**
 * The same app and middleware: with three ways to write what POST /jobs brings, and with its kind out of the registry, checked by
 * its JSON Schema, in place of a definition that the app was started with.
 */
export const httpVariants = [
  'grouped inserts',
  'one insert per request',
  'no database',
  'registered kind',
] as const
export type HttpVariant = (typeof httpVariants)[number]

export interface HttpOrder {
  readonly variant: HttpVariant
  readonly url: string
}
