import type { JsonValue } from '@queue/core'
import { hidePayload, mask } from '@queue/core/internal'
import { assertPermitted, type Principal } from '../http/principal.ts'
import type { KindCatalogue, SensitiveParts } from './kind-catalogue.ts'

/** How a caller sees jobs. */
export interface JobView {
  /** `whole`, or without the sensitive parts, of which this knows what is declared today. */
  readonly payloads: 'whole' | SensitiveParts
  /** Whether the ids of workers are shown, which contain the names of their hosts. */
  readonly workers: boolean
}

/** The view of the caller of a request. */
export async function viewOf(
  { principal }: { readonly principal: Principal | undefined },
  { kinds }: { readonly kinds: KindCatalogue },
): Promise<JobView> {
  const payloads = principal?.permissions.has('payload:read') ? 'whole' : await kinds.sensitive()
  return { payloads, workers: principal?.scope?.tenantId === undefined }
}

/** The view of a bearer of a link. */
export async function viewOfLink({ kinds }: { readonly kinds: KindCatalogue }): Promise<JobView> {
  return { payloads: await kinds.sensitive(), workers: false }
}

/** The id of a worker as the view shows it. */
export function shownWorker(workerId: string, view: JobView): string {
  return view.workers ? workerId : mask
}

/** What decides which parts of a job are hidden. */
export interface HidingJob {
  readonly kind: string
  readonly kindVersion: number
  readonly payload: JsonValue
  readonly sensitive: readonly string[] | null
}

/** The payload as the view shows it. */
export function shownPayload(job: HidingJob, { payloads }: JobView): JsonValue {
  return payloads === 'whole' ? job.payload : hidePayload(job.payload, hiddenParts(job, payloads))
}

/**
 * Throws 403 if a part of the payload is hidden from the caller. Call it before the payload as it is stored meets another version
 * or kind: the key that this reads from it, and whether its schema takes it, tell of what is hidden.
 */
export function assertMayReuse(
  job: HidingJob,
  { payloads }: JobView,
  { principal }: { readonly principal: Principal | undefined },
): void {
  if (!hidesPart(job, { payloads })) return
  assertPermitted('payload:read', principal)
}

/** Whether a part of the payload is hidden from the caller. */
export function hidesPart(job: HidingJob, { payloads }: Pick<JobView, 'payloads'>): boolean {
  return payloads !== 'whole' && hiddenParts(job, payloads).length > 0
}

/** The result as the view shows it: whole, or not at all. */
export function shownResult(
  job: HidingJob & { readonly result: JsonValue; readonly openResults: boolean },
  { payloads }: JobView,
): JsonValue {
  const isShown = payloads === 'whole' || job.openResults || hiddenParts(job, payloads).length === 0
  return isShown || job.result === null ? job.result : mask
}

const everything: readonly string[] = ['']

/** What was sensitive when the payload was written, and what is declared as sensitive today. */
function hiddenParts(
  { kind, kindVersion, sensitive }: HidingJob,
  declared: SensitiveParts,
): readonly string[] {
  return sensitive === null ? everything : [...sensitive, ...declared.of(kind, kindVersion)]
}
