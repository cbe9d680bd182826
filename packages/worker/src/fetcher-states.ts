/**
 * The states of the fetcher, without timers and without a database. Each state does one thing; how that ends is the
 * event that leads to the next state:
 *
 * | State | What the fetcher does | Event | Next state |
 * | --- | --- | --- | --- |
 * | `idle` | waits for a notification, for the poll interval at most | `woken` | choose |
 * | `awaiting_slot` | waits for a slot, which is for a claim and not for a job that was fetched ahead | `woken` | choose |
 * | `full` | waits for room: jobs that were fetched ahead begin, ends are recorded | `woken` | choose |
 * | `claiming_for_slots` | claims a job for each free slot | `left_more` | choose |
 * | | | `took_all`, `found_nothing` | `idle`; choose, if something was announced since the claim was sent |
 * | | | `failed` | the same |
 * | `claiming_ahead` | claims jobs that wait in memory for a slot | `left_more`, `took_all`, `found_nothing` | choose |
 * | | | `failed` | `idle`; choose, if something was announced since |
 * | `stopped` | nothing: a stop leads here from every state | any | `stopped` |
 *
 * "choose" is `chooseState`: a claim for slots, a claim ahead, or one of the waits for room.
 */
export type FetcherState =
  | 'idle'
  | 'awaiting_slot'
  | 'full'
  | 'claiming_for_slots'
  | 'claiming_ahead'
  | 'stopped'

/** How a claim ended: by what it has left behind, or without an answer. */
export type ClaimEnd = 'left_more' | 'took_all' | 'found_nothing' | 'failed'

/** `woken`: a wait has ended, by its timer, by a notification or because there is room. */
export type FetcherEvent = 'woken' | ClaimEnd

/**
 * What is known of the jobs that are not claimed yet. `none`: the last claim left nothing behind. `announced`: something
 * was announced since it was sent. `more`: it could not bring all, or there was no claim yet.
 */
export type Backlog = 'none' | 'announced' | 'more'

/** What a choice depends on. */
export interface Outlook {
  readonly freeSlots: number
  /** Jobs that were fetched ahead and wait in memory. */
  readonly waitingJobs: number
  /** How many may wait there; 0 = nothing is fetched ahead. */
  readonly waitingJobsMax: number
  readonly backlog: Backlog
  /** Whether it is time for a claim of all sorts of jobs, since some may not be fetched ahead. */
  readonly isSlotClaimDue: boolean
  /** Whether so many ends wait to be recorded that nothing more is claimed. */
  readonly isDatabaseBehind: boolean
}

/** The state that follows `state` when `event` has ended what it did. */
export function nextState(state: FetcherState, event: FetcherEvent, outlook: Outlook): FetcherState {
  if (state === 'stopped') return state
  return needsPause(state, event) && outlook.backlog !== 'announced' ? 'idle' : chooseState(outlook)
}

/** What a claim ahead does not bring, a claim for slots may still find; what neither brings is announced or polled for. */
function needsPause(state: FetcherState, event: FetcherEvent): boolean {
  if (event === 'failed') return true
  return state === 'claiming_for_slots' && (event === 'took_all' || event === 'found_nothing')
}

/**
 * A claim for slots, a claim ahead, or a wait for room.
 *
 * Where jobs are fetched ahead, claims for slots are only for those that may not wait in memory: they come at intervals,
 * and the slot of such a claim is not given to a job that waits. Where none are, a claim for slots comes when no job waits.
 * What is announced to an idle process is most likely less than it has slots for: one claim for slots is enough.
 */
export function chooseState(outlook: Outlook): FetcherState {
  const { freeSlots, waitingJobs, waitingJobsMax, backlog } = outlook
  if (outlook.isDatabaseBehind) return 'full'
  const isIdle = backlog !== 'more' && waitingJobs === 0 && freeSlots > 0
  const fetchesAhead = waitingJobsMax > 0 && backlog !== 'none' && !isIdle
  if (fetchesAhead ? outlook.isSlotClaimDue : waitingJobs === 0) {
    return freeSlots > 0 ? 'claiming_for_slots' : 'awaiting_slot'
  }
  return fetchesAhead && waitingJobs <= waitingJobsMax / 2 ? 'claiming_ahead' : 'full'
}

/** Whether there is work, so that the next `idle` begins with the shortest wait again. Each one doubles the next. */
export function showsWork(state: FetcherState, event: FetcherEvent): boolean {
  if (event === 'left_more' || event === 'took_all') return true
  return state === 'claiming_ahead' && event === 'found_nothing'
}
