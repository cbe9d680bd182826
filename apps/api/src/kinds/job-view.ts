import type { JsonValue, Queue } from '@queue/core'
import { createMasker, mask, type Masker } from '@queue/core/fields'
import type { Principal } from '../http/principal.ts'
import type { KindCatalogue, SensitiveParts } from './kind-catalogue.ts'

/** How much of a job its caller is shown: all of it, or without what is sensitive of its kind. */
export type JobView = 'whole' | SensitiveParts

/** What the caller of a request may see of jobs. */
export async function viewOf(
  { principal }: { readonly principal: Principal | undefined },
  { kinds }: { readonly kinds: KindCatalogue },
): Promise<JobView> {
  return principal?.permissions.has('payload:read') ? 'whole' : kinds.sensitive()
}

/** A filter of jobs as its reader may see it: a key is a part of payloads. */
export function shownFilter(
  filter: JsonValue,
  { principal }: { readonly principal: Principal | undefined },
): JsonValue {
  const isWhole = principal?.permissions.has('payload:read') === true
  if (isWhole || typeof filter !== 'object' || filter === null || !('key' in filter)) return filter
  return { ...filter, key: mask }
}

/** Whose sensitive values are to be hidden. */
export interface MaskedJob {
  readonly kind: string
  readonly kindVersion: number
  readonly payload: JsonValue
}

/** What hides the sensitive values of a job from a view. */
export function maskerOf(job: MaskedJob, view: JobView): Masker {
  return view === 'whole' ? hidesNothing(job) : createMasker(job.payload, view.of(job.kind, job.kindVersion))
}

function hidesNothing({ payload }: MaskedJob): Masker {
  return { payload, text: (text) => text, document: (document) => document }
}

const showsAll = hidesNothing({ kind: '', kindVersion: 1, payload: null })
const showsNothing: Masker = { payload: mask, text: () => mask, document: () => mask }

interface Caller {
  readonly context: { readonly principal: Principal | undefined }
  readonly services: { readonly kinds: KindCatalogue; readonly queue: Pick<Queue, 'get'> }
}

/** What hides the sensitive values of one job from a caller. It reads the job only where something is to be hidden. */
export async function jobMasker(id: string, { context, services }: Caller): Promise<Masker> {
  const view = await viewOf(context, services)
  if (view === 'whole') return showsAll
  const job = await services.queue.get(id)
  return job === undefined || job.strippedAt !== null ? showsNothing : maskerOf(job, view)
}
