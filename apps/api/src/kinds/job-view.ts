import type { JsonValue, Queue } from '@queue/core'
import { createMasker, everythingSensitive, mask, type Masker } from '@queue/core/fields'
import type { Principal } from '../http/principal.ts'
import type { KindCatalogue, SensitiveParts } from './kind-catalogue.ts'

/** How a caller sees jobs: `whole`, or with the sensitive parts of each kind masked. */
export type JobView = 'whole' | SensitiveParts

/** The view of the caller of a request. */
export async function viewOf(
  { principal }: { readonly principal: Principal | undefined },
  { kinds }: { readonly kinds: KindCatalogue },
): Promise<JobView> {
  return principal?.permissions.has('payload:read') ? 'whole' : kinds.sensitive()
}

/** A job filter as its reader may see it: without payload:read, a key is masked. */
export function shownFilter(
  filter: JsonValue,
  { principal }: { readonly principal: Principal | undefined },
): JsonValue {
  const isWhole = principal?.permissions.has('payload:read') === true
  if (isWhole || typeof filter !== 'object' || filter === null || !('key' in filter)) return filter
  return { ...filter, key: mask }
}

/** A job whose sensitive values are masked. */
export interface MaskedJob {
  readonly kind: string
  readonly kindVersion: number
  readonly payload: JsonValue
  readonly sensitive: readonly string[] | null
}

/** Masks the sensitive values of a job for a view. */
export function maskerOf(job: MaskedJob, view: JobView): Masker {
  return view === 'whole' ? hidesNothing(job) : createMasker(job.payload, hiddenParts(job, view))
}

/** What was sensitive when the payload was written, and what is declared as sensitive today. */
function hiddenParts({ kind, kindVersion, sensitive }: MaskedJob, view: SensitiveParts): readonly string[] {
  return sensitive === null ? everythingSensitive : [...sensitive, ...view.of(kind, kindVersion)]
}

function hidesNothing({ payload }: Pick<MaskedJob, 'payload'>): Masker {
  return { payload, text: (text) => text, document: (document) => document }
}

/** For what has no sensitive values any more. */
export const showsAll = hidesNothing({ payload: null })
const showsNothing: Masker = { payload: mask, text: () => mask, document: () => mask }

interface Caller {
  readonly context: { readonly principal: Principal | undefined }
  readonly services: { readonly kinds: KindCatalogue; readonly queue: Pick<Queue, 'get'> }
}

/** Masks the sensitive values of one job for a caller. Reads the job only if something must be masked. */
export async function jobMasker(id: string, { context, services }: Caller): Promise<Masker> {
  const view = await viewOf(context, services)
  if (view === 'whole') return showsAll
  const job = await services.queue.get(id)
  return job === undefined || job.strippedAt !== null ? showsNothing : maskerOf(job, view)
}
