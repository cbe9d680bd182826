// How kinds are registered.
import { z } from 'zod'
import type { OptionsOf } from '../domain/options-of.ts'

const policyFields = {
  /** Who registers, as the registry shows it. */
  by: z.string(),
  /**
   * What happens when the schema of an existing version changes. `replace`: it replaces the old one. `refuse`: it
   * replaces the old one only while no live job and no dead letter has that version, and waits up to 3 s for
   * transactions that may have written one; if they take longer, it is refused.
   */
  changes: z.enum(['replace', 'refuse']),
  /** Whether replaced and retired registrations may come back. A process that is only restarted must not set this. */
  restore: z.boolean().optional(),
  /**
   * What happens when a change is refused. `throw` registers nothing (`KindConflictError`); `skip` registers the
   * others. Default `throw`.
   */
  onConflict: z.enum(['throw', 'skip']).optional(),
}

/** How definitions are registered. By default a change is refused, in the name of the application. */
export type RegisterOptions = OptionsOf<typeof policyFields>

type Required = Pick<RegisterOptions, 'by' | 'changes'>

export type RegisterPolicy = Omit<RegisterOptions, keyof Required> & {
  readonly [Name in keyof Required]-?: NonNullable<Required[Name]>
}

export const registerPolicySchema = z.strictObject(policyFields)

export const registerOptionsSchema = z.strictObject({
  ...policyFields,
  by: policyFields.by.default('application'),
  changes: policyFields.changes.default('refuse'),
})
