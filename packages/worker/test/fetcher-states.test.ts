import { describe, expect, test } from '@jest/globals'
import {
  chooseState,
  type FetcherEvent,
  type FetcherState,
  nextState,
  type Outlook,
  showsWork,
} from '../src/fetcher-states.ts'

/** An idle process whose last claim took all waiting jobs, and which does not prefetch. */
const idle: Outlook = {
  freeSlots: 4,
  waitingJobs: 0,
  waitingJobsMax: 0,
  backlog: 'none',
  isSlotClaimDue: false,
  isHeldUp: false,
  isDatabaseBehind: false,
}
/** A busy process with short jobs: more jobs are in the queue, and jobs are prefetched. */
const busy: Outlook = { ...idle, freeSlots: 0, waitingJobs: 5, waitingJobsMax: 20, backlog: 'more' }

const waits = ['idle', 'awaiting_slot', 'full'] as const
const claims = ['claiming_for_slots', 'claiming_ahead'] as const
const claimEnds = ['left_more', 'took_all', 'found_nothing', 'failed'] as const

/** Every situation with small numbers, with each limit at, below and above the others. */
function* outlooks(): Generator<Outlook> {
  for (const freeSlots of [0, 1, 4])
    for (const waitingJobs of [0, 1, 10, 11, 20])
      for (const waitingJobsMax of [0, 20])
        for (const backlog of ['none', 'announced', 'more'] as const)
          for (const isSlotClaimDue of [false, true])
            for (const isHeldUp of [false, true])
              for (const isDatabaseBehind of [false, true]) {
                const numbers = { freeSlots, waitingJobs, waitingJobsMax }
                yield { ...numbers, backlog, isSlotClaimDue, isHeldUp, isDatabaseBehind }
              }
}

describe('a state follows from the end of the previous one', () => {
  test.each(waits)('when %s is woken, the next state is chosen again', (state) => {
    for (const outlook of outlooks()) {
      expect(nextState(state, 'woken', outlook)).toBe(chooseState(outlook))
    }
  })

  test.each([
    ['claiming_for_slots', 'left_more', 'claiming_for_slots'],
    ['claiming_for_slots', 'took_all', 'idle'],
    ['claiming_for_slots', 'found_nothing', 'idle'],
    ['claiming_for_slots', 'failed', 'idle'],
    // A claim for slots may still find jobs that a prefetch does not.
    ['claiming_ahead', 'left_more', 'claiming_for_slots'],
    ['claiming_ahead', 'took_all', 'claiming_for_slots'],
    ['claiming_ahead', 'found_nothing', 'claiming_for_slots'],
    ['claiming_ahead', 'failed', 'idle'],
  ] satisfies [FetcherState, FetcherEvent, FetcherState][])(
    '%s that ended with %s leads to %s, where nothing was announced since',
    (state, event, next) => {
      expect(nextState(state, event, idle)).toBe(next)
    },
  )

  test('jobs that are announced during a claim are claimed right after it, whatever it returns', () => {
    for (const state of claims)
      for (const event of claimEnds)
        expect(nextState(state, event, { ...idle, backlog: 'announced' })).toBe('claiming_for_slots')
  })

  test('stopped is final', () => {
    for (const event of ['woken', ...claimEnds] as const)
      for (const outlook of outlooks()) expect(nextState('stopped', event, outlook)).toBe('stopped')
  })

  test('only after a claim that found work is the poll interval the shortest again', () => {
    const pairs = claims.flatMap((state) => claimEnds.map((event) => [state, event] as const))
    const showing = pairs.filter(([state, event]) => showsWork(state, event))
    expect(showing).toEqual([
      ['claiming_for_slots', 'left_more'],
      ['claiming_for_slots', 'took_all'],
      ['claiming_ahead', 'left_more'],
      ['claiming_ahead', 'took_all'],
      ['claiming_ahead', 'found_nothing'],
    ])
    for (const state of waits) expect(showsWork(state, 'woken')).toBe(false)
  })
})

describe('the choice of the next state', () => {
  test('never claims while too many ends of jobs wait for the database', () => {
    for (const outlook of outlooks()) if (outlook.isDatabaseBehind) expect(chooseState(outlook)).toBe('full')
  })

  test('never claims for slots without a free slot', () => {
    for (const outlook of outlooks())
      if (chooseState(outlook) === 'claiming_for_slots') expect(outlook.freeSlots).toBeGreaterThan(0)
  })

  test('never prefetches beyond the maximum, or if no job may wait, or from an empty queue', () => {
    for (const outlook of outlooks()) {
      if (chooseState(outlook) !== 'claiming_ahead') continue
      expect(outlook.waitingJobs).toBeLessThan(outlook.waitingJobsMax)
      expect(outlook.backlog).not.toBe('none')
    }
  })

  test('always claims if a slot is free, no job waits in memory and the database keeps up', () => {
    for (const outlook of outlooks()) {
      const { freeSlots, waitingJobs, isDatabaseBehind } = outlook
      if (freeSlots === 0 || waitingJobs > 0 || isDatabaseBehind) continue
      expect(claims).toContain(chooseState(outlook))
    }
  })

  test('never becomes idle without the result of a claim', () => {
    for (const outlook of outlooks()) expect(chooseState(outlook)).not.toBe('idle')
  })

  test('prefetches when half of the jobs that may wait have begun', () => {
    expect(chooseState({ ...busy, waitingJobs: 11 })).toBe('full')
    expect(chooseState({ ...busy, waitingJobs: 10 })).toBe('claiming_ahead')
  })

  test('claims for slots after an announcement to an idle process, even if jobs are prefetched', () => {
    const announced: Outlook = { ...idle, waitingJobsMax: 20, backlog: 'announced' }
    expect(chooseState(announced)).toBe('claiming_for_slots')
    expect(chooseState({ ...announced, backlog: 'more' })).toBe('claiming_ahead')
  })

  test('keeps the next slot for a claim that is due, even if jobs wait in memory', () => {
    const due: Outlook = { ...busy, isSlotClaimDue: true }
    expect(chooseState(due)).toBe('awaiting_slot')
    expect(chooseState({ ...due, freeSlots: 1 })).toBe('claiming_for_slots')
  })

  test('starts the jobs that wait in memory before it claims for slots, if nothing may be prefetched', () => {
    const heldUp: Outlook = { ...busy, waitingJobsMax: 0, isSlotClaimDue: true }
    expect(chooseState(heldUp)).toBe('full')
    expect(chooseState({ ...heldUp, waitingJobs: 0 })).toBe('awaiting_slot')
  })
})
