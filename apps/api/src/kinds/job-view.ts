import type { JsonValue } from '@queue/core'
import { hidePayload, mask } from '@queue/core/fields'
import type { Principal } from '../http/principal.ts'
import type { KindCatalogue, SensitiveParts } from './kind-catalogue.ts'

/** How a caller sees jobs: `whole`, or without the sensitive parts of payloads, of which this knows what is declared today. */
export type JobView = 'whole' | SensitiveParts

/** The view of the caller of a request. */
export async function viewOf(
  { principal }: { readonly principal: Principal | undefined },
  { kinds }: { readonly kinds: KindCatalogue },
): Promise<JobView> {
  return principal?.permissions.has('payload:read') ? 'whole' : kinds.sensitive()
}

/** What decides which parts of a job are hidden. */
export interface HidingJob {
  readonly kind: string
  readonly kindVersion: number
  readonly payload: JsonValue
  readonly sensitive: readonly string[] | null
}

/** The payload as the view shows it. */
export function shownPayload(job: HidingJob, view: JobView): JsonValue {
  return view === 'whole' ? job.payload : hidePayload(job.payload, hiddenParts(job, view))
}

/** The result as the view shows it: whole, or not at all. */
export function shownResult(
  job: HidingJob & { readonly result: JsonValue; readonly openResults: boolean },
  view: JobView,
): JsonValue {
  const isShown = view === 'whole' || job.openResults || hiddenParts(job, view).length === 0
  return isShown || job.result === null ? job.result : mask
}

const everything: readonly string[] = ['']

/** What was sensitive when the payload was written, and what is declared as sensitive today. */
function hiddenParts({ kind, kindVersion, sensitive }: HidingJob, view: SensitiveParts): readonly string[] {
  return sensitive === null ? everything : [...sensitive, ...view.of(kind, kindVersion)]
}
