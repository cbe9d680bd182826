/** The same app and middleware, with three ways to write what POST /jobs brings. */
export const httpVariants = ['grouped inserts', 'one insert per request', 'no database'] as const
export type HttpVariant = (typeof httpVariants)[number]

export interface HttpOrder {
  readonly variant: HttpVariant
  readonly url: string
}
