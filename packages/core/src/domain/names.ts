// The two forms of a name: `tenantId` in TypeScript is `tenant_id` on the wire and in the database. Imports nothing.

/** `tenant_id` is `tenantId`. */
export type CamelCase<Name extends string> = Name extends `${infer Head}_${infer Rest}`
  ? `${Head}${Capitalize<CamelCase<Rest>>}`
  : Name

/** `tenantId` is `tenant_id`. */
export type SnakeCase<Name extends string> = Name extends `${infer Head}${infer Rest}`
  ? `${Head extends Lowercase<Head> ? '' : '_'}${Lowercase<Head>}${SnakeCase<Rest>}`
  : Name

/** The name of the member that a column, or a member of a request, becomes. */
export function toCamelCase<Name extends string>(name: Name): CamelCase<Name> {
  return name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()) as CamelCase<Name>
}

/** The name that a member has on the wire and in the database. */
export function toSnakeCase<Name extends string>(name: Name): SnakeCase<Name> {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`) as SnakeCase<Name>
}
