/**
 * The states of the fetcher, without timers and without a database. Each state does one thing, and ends with an event that
 * leads to the next state:
 *
 * | State | What the fetcher does | Event | Next state |
 * | --- | --- | --- | --- |
 * | `idle` | waits for a notification, for the poll interval at most | `woken` | choose |
 * | `awaiting_slot` | waits for a slot and keeps it for a claim: prefetched jobs do not take it | `woken` | choose |
 * | `full` | waits for room: prefetched jobs begin, ends are recorded | `woken` | choose |
 * | `claiming_for_slots` | claims a job for each free slot | `left_more` | choose |
 * | | | `took_all`, `found_nothing` | `idle`; choose, if a notification came since the claim was sent |
 * | | | `failed` | the same |
 * | `claiming_ahead` | claims jobs that wait in memory for a slot | `left_more`, `took_all`, `found_nothing` | choose |
 * | | | `failed` | `idle`; choose, if a notification came since |
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

/** How a claim ended: it left jobs behind, took all, found none, or failed. */
export type ClaimEnd = 'left_more' | 'took_all' | 'found_nothing' | 'failed'

/** `woken`: a wait has ended, by its timer, by a notification or because there is room. */
export type FetcherEvent = 'woken' | ClaimEnd

/**
 * What the fetcher knows about jobs that are not claimed yet. `none`: the last claim left nothing behind. `announced`: a
 * notification has come since that claim was sent. `more`: it could not take all, or there was no claim yet.
 */
export type Backlog = 'none' | 'announced' | 'more'

/** The facts on which `chooseState` decides. */
export interface Outlook {
  readonly freeSlots: number
  /** Prefetched jobs that wait in memory. */
  readonly waitingJobs: number
  /** How many may wait there; 0 = nothing is prefetched. */
  readonly waitingJobsMax: number
  readonly backlog: Backlog
  /** Whether a claim for slots is due. Some jobs may not be prefetched, and only a claim for slots takes them. */
  readonly isSlotClaimDue: boolean
  /** Whether it is the turn of such jobs, so that no prefetched job may begin. */
  readonly isHeldUp: boolean
  /** Whether too many ends wait to be recorded for another claim. */
  readonly isDatabaseBehind: boolean
}

/** The state that follows `state` after `event`. */
export function nextState(state: FetcherState, event: FetcherEvent, outlook: Outlook): FetcherState {
  if (state === 'stopped') return state
  return needsPause(state, event) && outlook.backlog !== 'announced' ? 'idle' : chooseState(outlook)
}

/** A claim for slots that left nothing is followed by a pause. After a claim ahead, a claim for slots may still find jobs. */
function needsPause(state: FetcherState, event: FetcherEvent): boolean {
  if (event === 'failed') return true
  return state === 'claiming_for_slots' && (event === 'took_all' || event === 'found_nothing')
}

/**
 * Chooses a claim for slots, a claim ahead, or a wait for room.
 *
 * While jobs are prefetched, claims for slots only serve jobs that may not wait in memory. They come at intervals, and no
 * waiting job takes their slot. While it is the turn of such jobs, one claim for slots follows another. Otherwise a claim for slots comes when no job waits. An idle process that gets a notification
 * probably has more slots than there are jobs, so one claim for slots is enough.
 */
export function chooseState(outlook: Outlook): FetcherState {
  const { freeSlots, waitingJobs, waitingJobsMax, backlog } = outlook
  if (outlook.isDatabaseBehind) return 'full'
  const isIdle = backlog !== 'more' && waitingJobs === 0 && freeSlots > 0
  const isPrefetching = waitingJobsMax > 0 && backlog !== 'none' && !isIdle
  if (outlook.isHeldUp || (isPrefetching ? outlook.isSlotClaimDue : waitingJobs === 0)) {
    return freeSlots > 0 ? 'claiming_for_slots' : 'awaiting_slot'
  }
  return isPrefetching && waitingJobs <= waitingJobsMax / 2 ? 'claiming_ahead' : 'full'
}

/** Whether jobs were found, so that the next `idle` uses the shortest wait again. Each `idle` doubles the next wait. */
export function showsWork(state: FetcherState, event: FetcherEvent): boolean {
  if (event === 'left_more' || event === 'took_all') return true
  return state === 'claiming_ahead' && event === 'found_nothing'
}
