// Registers the kinds of a document from outside: for POST /kinds, and for `queue kinds push` in the database.
import {
  type InputIssue,
  InvalidInput,
  KindConflictError,
  type KindRegistration,
  type RegisteredKind,
} from '@queue/core'
import {
  decodeRegistration,
  describeConflict,
  InvalidDocument,
  type RegisterKindsDocument,
} from '@queue/core/internal'
import { findSchemaFaults } from './compile-schema.ts'

export interface DocumentToRegister {
  readonly document: RegisterKindsDocument
  readonly register: (registrations: readonly KindRegistration[]) => Promise<RegisteredKind[]>
  /** Called before and after the check of each schema, which takes a moment. */
  readonly pause?: () => Promise<void> | undefined
}

/**
 * Registers all kinds of the document, or none. Throws `InvalidDocument` (`invalid_kind` or `kind_conflict`) with the places in the
 * document that are wrong.
 */
export async function registerDocument({
  document,
  register,
  pause = () => undefined,
}: DocumentToRegister): Promise<RegisteredKind[]> {
  const registrations = document.kinds.map(decodeRegistration)
  const issues: InputIssue[] = []
  for (const [index, { payloadSchema }] of registrations.entries()) {
    await pause()
    for (const { path, message } of findSchemaFaults(payloadSchema))
      issues.push({ path: schemaAt(index, path), message })
  }
  await pause()
  if (issues.length > 0) throw new InvalidDocument('invalid_kind', issues)
  try {
    return await register(registrations)
  } catch (error) {
    throw inDocument(error, registrations)
  }
}

function schemaAt(index: number, path: InputIssue['path'] = []): InputIssue['path'] {
  return ['kinds', index, 'payload_schema', ...path]
}

/** The error with the places in the document. */
function inDocument(error: unknown, registrations: readonly KindRegistration[]): unknown {
  if (error instanceof KindConflictError) {
    const issues = error.conflicts.map((conflict) => {
      const isConflicting = ({ kind, version }: KindRegistration) =>
        kind === conflict.kind && version === conflict.version
      return { path: schemaAt(registrations.findIndex(isConflicting)), message: describeConflict(conflict) }
    })
    return new InvalidDocument('kind_conflict', issues, { cause: error })
  }
  if (!(error instanceof InvalidInput)) return error
  const issues = error.issues.map(({ path: [index, member, ...rest], message }) => {
    const name = member === 'payloadSchema' ? 'payload_schema' : member
    return { path: ['kinds', index, name, ...rest].filter((part) => part !== undefined), message }
  })
  return new InvalidDocument('invalid_kind', issues, { cause: error })
}
