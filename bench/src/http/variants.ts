/**
 * Variants of the same app and middleware. Three differ in how they write the jobs of POST /jobs. In the fourth, the kind is
 * registered in the database and checked by its JSON Schema, instead of by a definition in the app.
 */
export const httpVariants = [
  'grouped inserts',
  'one insert per request',
  'no database',
  'registered kind',
] as const
export type HttpVariant = (typeof httpVariants)[number]

/** The configuration of a server process. */
export interface ServerConfig {
  readonly variant: HttpVariant
  readonly url: string
}
